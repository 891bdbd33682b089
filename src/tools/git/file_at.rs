//! What a path was at a commit: a file's text in the shape of `fs_read`, a folder's entries, or where a link led.

use std::fmt::Write as _;

use gix::{
    ObjectId,
    bstr::{BString, ByteSlice},
    index::entry::Stage,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    between::entry_at,
    changes::Entry,
    revision,
    show::Facts,
    shown,
    side::{self, EXECUTABLE, LINK, SUBMODULE},
};
use crate::{
    ids::{Etag, hex},
    limits::{READ_BYTES, READ_LINES},
    line_ends::LineEnds,
    relpath::RelPath,
    text::{from_os, visible},
    tools::{
        Call, Code, NextCall, Reply, ToolError, Truncated,
        fs::{
            text_file::{NoText, TextFile},
            window::{self, Budget},
        },
        handles,
    },
    workspace::repository::Repository,
};

/// Entries of a folder.
const ENTRIES: usize = 500;
/// Bytes shown of what is no text.
const BINARY_BYTES: usize = 256;
const FOLDER: u32 = 0o040_000;

/// The facts about a file, as `fs_read` gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileAt {
    /// Relative to the workspace.
    pub path: String,
    /// The commit; empty for what is staged.
    pub commit: String,
    /// First line shown; 0 when none is.
    pub start_line: u64,
    /// Last line shown.
    pub end_line: u64,
    /// Lines of the file.
    pub lines_total: u64,
    /// Bytes of the file.
    pub size: u64,
    /// How it is written down.
    pub encoding: String,
    /// It begins with a byte order mark.
    pub bom: bool,
    /// Its line ends: `none`, `lf`, `crlf` or `mixed`.
    pub eol: String,
    /// Its last line has an end.
    pub final_newline: bool,
    /// It may be executed.
    pub executable: bool,
}

/// Shows it.
pub(super) fn show(
    call: &Call,
    repository: &Repository,
    reader: &gix::Repository,
    commit: ObjectId,
    (rev, path): (&str, &RelPath),
) -> Result<Reply<Facts>, ToolError> {
    let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
    let inside = repository.in_repository(path).unwrap_or_default();
    let tree = revision::tree_of(reader, commit).map_err(broken)?;
    let Some(entry) = entry_at(reader, tree, &inside).map_err(broken)? else {
        return Err(missing(call, repository, reader, tree, (&inside, rev, path)));
    };
    let file = FileAt { path: path.to_text(), commit: commit.to_string(), ..FileAt::default() };
    if entry.mode == FOLDER {
        return folder(call, repository, reader, entry, &inside, file);
    }
    of(call, repository, reader, entry, (path, file))
}

/// Shows what the index has: what is staged, or one side of a conflict.
pub(super) fn show_staged(
    call: &Call,
    repository: &Repository,
    reader: &gix::Repository,
    stage: Stage,
    path: &RelPath,
) -> Result<Reply<Facts>, ToolError> {
    let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
    let inside = repository.in_repository(path).unwrap_or_default();
    let index = reader.index_or_empty().map_err(broken)?;
    let Some(entry) = index.entry_by_path_and_stage(inside.as_bstr(), stage) else {
        return Err(ToolError::new(
            Code::NotFound,
            format!("the index has no file `{path}` at stage {}", stage as u8),
            "`:path` is what is staged; in a conflict `:1:path` is the base, `:2:path` ours and `:3:path` theirs, as far as they \
             have it (git_status)",
        ));
    };
    let entry = Entry { mode: entry.mode.bits(), id: entry.id };
    of(call, repository, reader, entry, (path, FileAt { path: path.to_text(), ..FileAt::default() }))
}

/// Shows a file, a link or a submodule.
fn of(
    call: &Call,
    repository: &Repository,
    reader: &gix::Repository,
    entry: Entry,
    (path, mut file): (&RelPath, FileAt),
) -> Result<Reply<Facts>, ToolError> {
    let bytes = side::object(repository, reader, entry)?;
    file.size = bytes.len() as u64;
    file.executable = entry.mode == EXECUTABLE;
    let said = |kind: &str, text: String, file: FileAt| {
        let facts =
            Facts { kind: kind.to_owned(), commit: None, file: Some(file), complete: true, blocked: 0 };
        Ok(Reply::new(text, facts))
    };
    match entry.mode {
        SUBMODULE => return said("submodule", format!("a submodule at {}", entry.id), file),
        LINK if side::leads_to_blocked(call, path, entry.mode, &bytes) => {
            return said("link", "a link to what is blocked".to_owned(), file);
        }
        LINK => {
            let target = visible(&bytes.to_str_lossy()).into_owned();
            return said("link", format!("a link to {target}"), file);
        }
        _ => {}
    }
    match TextFile::decode(&bytes) {
        Err(NoText::Binary) => {
            let start = &bytes[..bytes.len().min(BINARY_BYTES)];
            let text = format!("no text; {} bytes, the first {}:\n{}", bytes.len(), start.len(), hex(start));
            said("binary", text, file)
        }
        Err(NoText::Unknown) => {
            "unknown".clone_into(&mut file.encoding);
            let mut reply = text(call, String::from_utf8_lossy(&bytes).into_owned(), file);
            reply
                .warnings
                .push("its encoding is unknown: what could not be read is shown as \u{fffd}".into());
            Ok(reply)
        }
        Ok(decoded) => {
            (file.encoding, file.bom) = (decoded.encoding.name(), decoded.bom);
            let mut reply = text(call, decoded.into_shown(), file);
            reply.etag = Some(Etag::of(&bytes).as_str().to_owned());
            Ok(reply)
        }
    }
}

/// The beginning of a text; all of it is kept under a handle where that is not all.
fn text(call: &Call, text: String, mut file: FileAt) -> Reply<Facts> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let budget =
        Budget { lines: READ_LINES as usize, bytes: READ_BYTES as usize, numbered: true, whole_lines: false };
    let window = window::show(lines.iter().copied(), 1, budget, text.len());
    let (shown, total) = (window.lines as u64, lines.len() as u64);
    (file.start_line, file.end_line, file.lines_total) = (u64::from(shown > 0), shown, total);
    LineEnds::of(&text).as_str().clone_into(&mut file.eol);
    file.final_newline = text.ends_with('\n');
    let mut said = window.text;
    if total == 0 {
        said.push_str("(the file is empty)\n");
    } else {
        let _ = writeln!(said, "(lines 1-{shown} of {total})");
    }
    let complete = shown == total;
    let facts = Facts { kind: "text".to_owned(), commit: None, file: Some(file), complete, blocked: 0 };
    let mut reply = Reply::new(said, facts);
    if window.cut > 0 {
        reply.warnings.push(format!("{} line(s) are longer than 2000 characters and were cut", window.cut));
    }
    if !complete {
        reply.handle = call.handles.keep(text);
        let next = reply.handle.as_deref().map(|handle| NextCall {
            tool: "fs_read".to_owned(),
            args: serde_json::json!({"path": handle, "start_line": shown + 1}),
        });
        reply.truncated = Some(Truncated { shown, total, unit: "lines".to_owned(), next });
        reply.text.push_str(&handles::note(reply.handle.as_deref()));
    }
    reply
}

fn folder(
    call: &Call,
    repository: &Repository,
    reader: &gix::Repository,
    entry: Entry,
    inside: &[u8],
    file: FileAt,
) -> Result<Reply<Facts>, ToolError> {
    let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
    let tree = reader.find_tree(entry.id).map_err(broken)?;
    let (mut names, mut blocked) = (Vec::new(), 0);
    for found in tree.decode().map_err(broken)?.entries {
        let mut path = BString::from(inside);
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(found.filename);
        let Some(path) = shown(repository, call, path.as_bstr()) else {
            blocked += 1;
            continue;
        };
        let end = if found.mode.is_tree() { "/" } else { "" };
        // As a caller can give it back, also where it is no UTF-8.
        let name = path.file_name().map(from_os).unwrap_or_default();
        names.push(format!("{}{end}", visible(&name)));
    }
    let (total, complete) = (names.len(), names.len() <= ENTRIES);
    let whole = (!complete).then(|| names.join("\n"));
    names.truncate(ENTRIES);
    let mut text = if total == 0 { "(no entries)".to_owned() } else { names.join("\n") };
    if blocked > 0 {
        let _ = write!(text, "\n{blocked} more blocked by the configuration");
    }
    let kind = "dir-hint".to_owned();
    let mut reply = Reply::new(text, Facts { kind, commit: None, file: Some(file), complete, blocked });
    if let Some(whole) = whole {
        reply.handle = call.handles.keep(whole);
        let next = reply.handle.as_deref().map(|handle| NextCall {
            tool: "fs_read".to_owned(),
            args: serde_json::json!({ "path": handle, "start_line": ENTRIES + 1 }),
        });
        let how = next.as_ref().map(|next| format!("; next: {} {}", next.tool, next.args));
        let _ = write!(reply.text, "\n{ENTRIES} of {total} shown{}", how.unwrap_or_default());
        let (shown, total) = (ENTRIES as u64, total as u64);
        reply.truncated = Some(Truncated { shown, total, unit: "entries".to_owned(), next });
    }
    Ok(reply)
}

/// Says what is near, as the workspace does for a missing file; never what is blocked.
fn missing(
    call: &Call,
    repository: &Repository,
    reader: &gix::Repository,
    tree: ObjectId,
    (inside, rev, path): (&[u8], &str, &RelPath),
) -> ToolError {
    let at = inside.rfind_byte(b'/').map_or(0, |at| at + 1);
    let (parent, name) = inside.split_at(at);
    let names = || -> gix::Result<Vec<String>> {
        let folder = parent.strip_suffix(b"/").unwrap_or(parent);
        let Some(folder) = entry_at(reader, tree, folder)? else { return Ok(Vec::new()) };
        let found = reader.find_tree(folder.id)?;
        let entries = found.decode()?.entries;
        Ok(entries.iter().map(|entry| entry.filename.to_str_lossy().into_owned()).collect())
    };
    let names = names().unwrap_or_default();
    let name = name.to_str_lossy();
    let near = crate::hint::nearest_few(&name, names.iter().map(String::as_str), 3);
    let candidates = near
        .into_iter()
        .filter_map(|near| shown(repository, call, [parent, near.as_bytes()].concat().as_bstr()))
        .map(|path| path.to_text())
        .collect();
    ToolError::new(
        Code::NotFound,
        format!("`{path}` is not in `{}`", visible(rev)),
        "git_log with `path` shows the commits that had it; git_show with `path` `.` lists what is there",
    )
    .with_candidates(candidates)
}
