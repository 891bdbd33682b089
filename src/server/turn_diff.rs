//! What a turn changed, as diffs made of the bytes the journal kept and those that stand there now.

use serde_json::{Value, json};

use crate::{
    change::{Node, PathChange, joined},
    ids::Etag,
    journal::{JournalError, in_workspace},
    limits::WRITE_BYTES,
    server::{Host, settle},
    tools::{
        diff,
        fs::text_file::{TextFile, shown_hunks},
    },
    workspace::Workspace,
};

/// Every path the turn changed, undone or not.
pub(super) fn of(host: &Host, turn: &str) -> Result<Value, JournalError> {
    let turn = &host.journal.meant_turn(turn)?;
    let workspaces = host.journal.workspaces_of(turn)?;
    let find = |id: &str| host.workspaces.iter().find(|workspace| workspace.id() == id).map(AsRef::as_ref);
    let begun = settle::cut_off(&host.journal, turn, true, find)?;
    let main = workspaces.first().cloned().unwrap_or_default();
    let mut room = diff::PlanRoom::default();
    let (mut files, mut stands_somewhere) = (Vec::new(), false);
    for id in &workspaces {
        let mut stands = host.journal.calls_of(turn, false, Some(id))?;
        for begun in &begun {
            begun.clone().join(&mut stands, Some(id));
        }
        let undone = host.journal.calls_of(turn, true, Some(id))?;
        stands_somewhere |= !stands.keys.is_empty();
        let calls = if stands.keys.is_empty() { undone } else { stands };
        for change in joined(calls.changes).changes {
            let mut shown = file(host, find(id), &change, &mut room)?;
            shown["path"] = json!(in_workspace(&main, id, change.path));
            files.push(shown);
        }
    }
    let state = match (files.is_empty(), stands_somewhere) {
        (true, _) => "nothing",
        (false, false) => "undone",
        (false, true) => "done",
    };
    Ok(json!({"turn": turn, "workspace": main, "state": state, "files": files}))
}

fn file(
    host: &Host,
    workspace: Option<&Workspace>,
    change: &PathChange,
    room: &mut diff::PlanRoom,
) -> Result<Value, JournalError> {
    let op = match (&change.before, &change.after) {
        (None, _) => "create",
        (_, None) => "delete",
        _ => "edit",
    };
    let mut shown = json!({"path": change.path, "op": op});
    if [&change.before, &change.after].iter().all(|node| matches!(node, None | Some(Node::Folder { .. }))) {
        shown["folder"] = json!(true);
        shown["hunks"] = json!([]);
        return Ok(shown);
    }
    let before = bytes(host, workspace, &change.path, change.before.as_ref())?;
    let after = bytes(host, workspace, &change.path, change.after.as_ref())?;
    let (Some(before), Some(after)) = (before, after) else {
        shown["missing"] = json!("the bytes are no longer kept, or it is no regular file");
        return Ok(shown);
    };
    match (text(&before), text(&after)) {
        (Some(before), Some(after)) => {
            let (hunks, (added, removed)) = room.hunks(&before, &after);
            shown["added"] = json!(added);
            shown["removed"] = json!(removed);
            if hunks.is_empty() && (added, removed) != (0, 0) {
                shown["missing"] = json!("it is too long to be shown");
                return Ok(shown);
            }
            shown["hunks"] = json!(shown_hunks(hunks));
            if let Some(change) = diff::line_ends(&before, &after) {
                shown["line_ends"] = json!(change);
            }
        }
        _ => shown["binary"] = json!(true),
    }
    Ok(shown)
}

/// The text of one side as the plan has it; `None` where it is none.
fn text(bytes: &[u8]) -> Option<String> {
    TextFile::decode(bytes).map(|file| file.text).ok().or_else(|| TextFile::decode_lossy(bytes))
}

/// The bytes of one side: those kept, or those that stand there if they are still the same.
fn bytes(
    host: &Host,
    workspace: Option<&Workspace>,
    path: &str,
    node: Option<&Node>,
) -> Result<Option<Vec<u8>>, JournalError> {
    match node {
        None => Ok(Some(Vec::new())),
        Some(Node::File { bytes: 0, .. }) => Ok(Some(Vec::new())),
        Some(Node::File { etag, .. }) => {
            if let Some(kept) = host.journal.image(etag)? {
                return Ok(Some(kept));
            }
            let now = workspace.and_then(|workspace| workspace.content(path, WRITE_BYTES).ok());
            Ok(now.filter(|now| Etag::of(now) == *etag))
        }
        Some(_) => Ok(None),
    }
}
