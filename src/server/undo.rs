//! Undo and redo of what calls changed: a person's, never a model's. Nothing that changed since is overwritten unless they say so,
//! and an undo can be undone.

use std::io;

use serde::{Deserialize, Serialize};

use crate::{
    change::{Joined, Node, PathChange, joined},
    ids::{Etag, new_ulid},
    journal::{AuditRow, Image, Journal, JournalError, Recorded, StartedCall, turns},
    policy::Permit,
    workspace::{DoorError, Workspace},
};

/// What a person asks for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UndoParams {
    /// The turn, or the key of one call.
    pub turn: String,
    /// Only say what would happen.
    #[serde(default)]
    pub dry_run: bool,
    /// Put back what can be, and leave alone what has changed since.
    #[serde(default)]
    pub skip_conflicts: bool,
    /// Put back all of it, also over what has changed since; that is kept, so this can be taken back too.
    #[serde(default)]
    pub overwrite: bool,
    /// Only these paths.
    #[serde(default)]
    pub paths: Vec<String>,
    #[serde(rename = "_meta", default)]
    pub(crate) _meta: serde_json::Value,
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Back to what was there before.
    Undo,
    /// Forth again.
    Redo,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UndoReport {
    /// `done`, `dry_run`, `conflict` (nothing was changed), `nothing`, `partly`.
    pub state: &'static str,
    /// The workspace's id.
    pub workspace: String,
    /// Each path.
    pub files: Vec<UndoneFile>,
}

/// One path of an undo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UndoneFile {
    /// Relative to the workspace.
    pub path: String,
    /// `restore` (its content), `create`, `delete`.
    pub action: &'static str,
    /// Why it is not, or only by `overwrite`, put back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<String>,
    /// It is now as asked for.
    pub done: bool,
}

/// Why nothing came of it.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// No such workspace now.
    #[error("the turn changed files of the workspace `{0}`, which is not there now")]
    Workspace(String),
    /// It may not be written.
    #[error("the workspace `{0}` is read-only")]
    ReadOnly(String),
}

/// One path's way back.
struct Step {
    change: PathChange,
    conflict: Option<String>,
    /// `overwrite` cannot help: the bytes are gone.
    hopeless: bool,
}

/// Undoes or redoes a turn.
pub fn run<'w>(
    journal: &Journal,
    direction: Direction,
    params: &UndoParams,
    find: impl FnOnce(&str) -> Option<&'w Workspace>,
) -> Result<UndoReport, UndoError> {
    let calls = journal.calls_of(&params.turn, direction == Direction::Redo)?;
    if calls.keys.is_empty() {
        return Ok(UndoReport { state: "nothing", workspace: calls.workspace, files: Vec::new() });
    }
    let workspace = find(&calls.workspace).ok_or_else(|| UndoError::Workspace(calls.workspace.clone()))?;
    if workspace.read_only() {
        return Err(UndoError::ReadOnly(calls.workspace));
    }
    let Joined { changes, gaps } = joined(calls.changes);
    let wanted = |change: &PathChange| params.paths.is_empty() || params.paths.contains(&change.path);
    let whole = changes.iter().all(wanted);
    let mut steps = Vec::new();
    for change in changes.into_iter().filter(wanted) {
        let change = if direction == Direction::Undo { change.reversed() } else { change };
        let gap = gaps.contains(&change.path);
        steps.push(look(journal, workspace, change, gap)?);
    }
    in_order(&mut steps);
    let conflicts = steps.iter().any(|step| step.conflict.is_some());
    let hopeless = steps.iter().any(|step| step.hopeless);
    let blocked = conflicts && !params.skip_conflicts && (hopeless || !params.overwrite);
    let mut report = UndoReport {
        state: if params.dry_run { "dry_run" } else { "conflict" },
        workspace: calls.workspace.clone(),
        files: steps.iter().map(shown).collect(),
    };
    if params.dry_run || blocked {
        return Ok(report);
    }
    let done = apply(journal, workspace, direction, params, &steps)?;
    for (file, result) in report.files.iter_mut().zip(&done) {
        file.done = result.is_ok();
        if let Err(reason) = result {
            file.conflict = Some(reason.clone());
        }
    }
    let all = report.files.iter().all(|file| file.done);
    report.state = if all && whole { "done" } else { "partly" };
    if all && whole {
        let by = (direction == Direction::Undo).then_some(params.turn.as_str());
        journal.mark_undone(&calls.keys, by)?;
    }
    Ok(report)
}

/// Compares what is there with what the calls left, and looks for the bytes.
fn look(journal: &Journal, workspace: &Workspace, change: PathChange, gap: bool) -> Result<Step, UndoError> {
    let mut step = Step { change, conflict: None, hopeless: false };
    match workspace.node(&step.change.path) {
        Err(error) => {
            step.conflict = Some(error.to_string());
            step.hopeless = true;
        }
        Ok(now) if Node::same(now.as_ref(), step.change.after.as_ref()) => {}
        Ok(now) if Node::same(now.as_ref(), step.change.before.as_ref()) => {
            if gap {
                step.conflict = Some("something else changed it in the middle of the turn".to_owned());
            }
        }
        Ok(now) => {
            step.conflict = Some(match now {
                None => "it was deleted since".to_owned(),
                Some(Node::Folder { .. }) => "it is a folder by now".to_owned(),
                Some(Node::Link { .. }) => "it is a symbolic link by now".to_owned(),
                Some(Node::File { .. }) if step.change.before.is_none() => "it was created since".to_owned(),
                Some(Node::File { .. }) => "it has changed since".to_owned(),
            });
            step.hopeless = matches!(now, Some(Node::Folder { .. }));
            step.change.before = now;
        }
    }
    if let Some(Node::File { etag, bytes, .. }) = &step.change.after
        && !Node::same(step.change.before.as_ref(), step.change.after.as_ref())
        && !journal.has_image(etag)?
        && *etag != Etag::of(b"")
    {
        step.conflict = Some(format!("its {bytes} bytes of then are no longer kept"));
        step.hopeless = true;
    }
    Ok(step)
}

/// Folders before what is in them when they appear, after it when they go.
fn in_order(steps: &mut [Step]) {
    let depth = |step: &Step| step.change.path.matches('/').count();
    steps.sort_by_key(|step| match (&step.change.before, &step.change.after) {
        (_, Some(Node::Folder { .. })) => (0, depth(step)),
        (Some(Node::Folder { .. }), None) => (2, usize::MAX - depth(step)),
        _ => (1, 0),
    });
}

fn shown(step: &Step) -> UndoneFile {
    let action = match (&step.change.before, &step.change.after) {
        (_, None) => "delete",
        (None, Some(_)) => "create",
        (Some(_), Some(_)) => "restore",
    };
    UndoneFile { path: step.change.path.clone(), action, conflict: step.conflict.clone(), done: false }
}

/// Makes the changes, as a call of its own: what is there now is kept first, so that it can be put back too.
fn apply(
    journal: &Journal,
    workspace: &Workspace,
    direction: Direction,
    params: &UndoParams,
    steps: &[Step],
) -> Result<Vec<Result<(), String>>, UndoError> {
    let allowed = |step: &Step| !step.hopeless && (step.conflict.is_none() || params.overwrite);
    let changes: Vec<PathChange> =
        steps.iter().filter(|step| allowed(step)).map(|step| step.change.clone()).collect();
    let images = images(journal, workspace, &changes)?;
    let tool = if direction == Direction::Undo { turns::UNDO_TOOL } else { turns::REDO_TOOL };
    let key = new_ulid();
    let call = StartedCall {
        key: &key,
        session: None,
        turn: Some(&params.turn),
        workspace: workspace.id(),
        tool,
        digest: &params.turn,
        executes: false,
        changes: &changes,
    };
    if journal.started(&call, &images, false)? == Recorded::Elsewhere {
        return Ok(steps.iter().map(|_| Err("another host process is at it".to_owned())).collect());
    }
    let permit = Permit::for_undo();
    let results: Vec<Result<(), String>> = steps
        .iter()
        .map(|step| {
            if !allowed(step) {
                return Err(step.conflict.clone().unwrap_or_default());
            }
            put(journal, workspace, &permit, &step.change).map_err(|error| error.to_string())
        })
        .collect();
    let failed = results.iter().filter(|result| result.is_err()).count();
    let audit = AuditRow {
        turn: Some(params.turn.clone()),
        call: Some(key.clone()),
        workspace: workspace.id().to_owned(),
        decision: "allowed".to_owned(),
        by: Some("user".to_owned()),
        outcome: if failed == 0 {
            "ok".to_owned()
        } else {
            format!("{failed} of {} not put back", results.len())
        },
        paths: changes.iter().map(|change| change.path.clone()).collect(),
        changes: changes.clone(),
        ..AuditRow::new(if direction == Direction::Undo { "undo" } else { "redo" })
    };
    journal.finished(&call, &serde_json::json!({"failed": failed}), None, &audit)?;
    Ok(results)
}

fn put(
    journal: &Journal,
    workspace: &Workspace,
    permit: &Permit,
    change: &PathChange,
) -> Result<(), PutError> {
    let content = match &change.after {
        Some(Node::File { etag, .. }) if *etag == Etag::of(b"") => Some(Vec::new()),
        Some(Node::File { etag, .. }) => journal.image(etag)?,
        _ => None,
    };
    match workspace.put(permit, change, content.as_deref()) {
        // A folder that the calls made, and in which somebody keeps something by now, stays.
        Err(DoorError::Io { source, .. })
            if source.kind() == io::ErrorKind::DirectoryNotEmpty
                && matches!(change.before, Some(Node::Folder { .. })) =>
        {
            Ok(())
        }
        result => Ok(result?),
    }
}

#[derive(Debug, thiserror::Error)]
enum PutError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Door(#[from] DoorError),
}

/// The bytes that these changes are about to replace or remove, as far as the journal has room for them.
pub fn images(
    journal: &Journal,
    workspace: &Workspace,
    changes: &[PathChange],
) -> Result<Vec<Image>, JournalError> {
    let mut images: Vec<Image> = Vec::new();
    let mut room = crate::limits::IMAGE_BYTES.min(journal.limits().image_bytes);
    for change in changes {
        let Some(Node::File { etag, bytes, .. }) = &change.before else { continue };
        let unchanged = matches!(&change.after, Some(Node::File { etag: after, .. }) if after == etag);
        if unchanged || *bytes == 0 || *bytes > room || images.iter().any(|image| image.etag == *etag) {
            continue;
        }
        // What cannot be read, or is something else by now, makes the call itself fail as stale; it needs no image.
        if let Ok(content) = workspace.content(&change.path, *bytes)
            && Etag::of(&content) == *etag
        {
            room -= *bytes;
            images.push(Image { etag: etag.clone(), content });
        }
    }
    Ok(images)
}
