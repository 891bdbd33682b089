//! What a person sees, and the journal keeps, of names that go, come or get another place.

use super::git_folder::git_folder;
use crate::{
    ids::Etag,
    policy::{ChangeOp, FileChange, Node, PathChange, PathClass, Raise},
    relpath::RelPath,
    text::visible,
    tier::Tier,
    tools::{Call, Code, ToolError, handles::check_no_handle, learnt_from},
    workspace::{DoorError, Tree, WorkspacePath},
};

/// Entries of one folder that a plan lists; its etag covers all of them.
const ENTRIES_SHOWN: usize = 200;

/// The plan's words for a tree: the name itself, then the first of what is in it.
pub fn shown(
    tree: &Tree,
    op: ChangeOp,
    undoable: bool,
    place: impl Fn(&RelPath) -> (String, Option<String>),
) -> Vec<FileChange> {
    let goes = op == ChangeOp::Delete;
    let mut files = Vec::new();
    for entry in tree.entries.iter().take(ENTRIES_SHOWN) {
        let top = files.is_empty();
        let (etag, bytes) = match &entry.node {
            Node::File { etag, bytes, .. } => (Some(etag.clone()), *bytes),
            Node::Link { target } => (Some(Etag::of(target.as_bytes())), target.len() as u64),
            Node::Folder { .. } => (top.then(|| digest(tree)), if top { tree.bytes } else { 0 }),
        };
        let is_folder = matches!(entry.node, Node::Folder { .. });
        let (path, from) = place(&entry.path);
        files.push(FileChange {
            path,
            op,
            from,
            entries: (top && is_folder).then(|| inside(tree) as u64),
            before_etag: etag.clone(),
            after_etag: etag.filter(|_| !goes),
            before_bytes: bytes,
            after_bytes: if goes { 0 } else { bytes },
            executable: false,
            mode: entry.node.octal_mode().filter(|_| !goes),
            mode_before: None,
            undoable,
            added: 0,
            removed: 0,
            line_ends: None,
            hunks: Vec::new(),
        });
    }
    files
}

/// What stands there is what the caller read, where it says what that was.
pub fn check_etag(base_etag: &str, path: &WorkspacePath, tree: &Tree, call: &Call) -> Result<(), ToolError> {
    let is = match tree.entries.first().map(|entry| &entry.node) {
        _ if base_etag.is_empty() => return Ok(()),
        Some(Node::File { etag, .. }) if etag.is_meant_by(base_etag) => return Ok(()),
        Some(Node::Link { .. }) => "link",
        Some(Node::Folder { .. }) => "folder",
        _ => {
            let stale = DoorError::Stale { path: path.given().to_owned() };
            return Err(learnt_from(stale.into(), path.resolved(), call));
        }
    };
    Err(ToolError::new(
        Code::Stale,
        format!("`{}` is a {is}, and `base_etag` is that of a file; nothing was changed", path.given()),
        format!("look at it with fs_list; leave base_etag out for a {is}"),
    ))
}

/// Names below the first.
pub fn inside(tree: &Tree) -> usize {
    tree.entries.len().saturating_sub(1)
}

/// One hash over every name and what stands there.
fn digest(tree: &Tree) -> Etag {
    let mut text = String::new();
    for entry in &tree.entries {
        text.push_str(&entry.path.to_text());
        text.push('\0');
        text.push_str(&serde_json::to_string(&entry.node).unwrap_or_default());
        text.push('\0');
    }
    Etag::of(text.as_bytes())
}

/// All names go; what is in a folder before the folder.
pub fn gone(tree: &Tree) -> Vec<PathChange> {
    let entries = tree.entries.iter().rev();
    entries
        .map(|entry| PathChange {
            path: entry.path.to_text(),
            before: Some(entry.node.clone()),
            after: None,
            copied_from: None,
        })
        .collect()
}

/// How what appears has come there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comes {
    /// From another name.
    Moved,
    /// As a copy of what is in the same workspace.
    Copied,
    /// As a copy of what is in another one.
    CopiedFromElsewhere,
}

/// All names appear below `to`, or a copy of them does; a folder before what is in it.
pub fn come(tree: &Tree, from: &RelPath, to: &RelPath, comes: Comes) -> Vec<PathChange> {
    let entries = tree.entries.iter();
    entries
        .map(|entry| PathChange {
            path: moved(&entry.path, from, to).to_text(),
            before: None,
            after: Some(if comes == Comes::Moved { entry.node.clone() } else { entry.copied() }),
            copied_from: (comes == Comes::Copied).then(|| entry.path.to_text()),
        })
        .collect()
}

/// Folders that are made on the way to `path`.
pub fn folders(path: &WorkspacePath) -> Vec<PathChange> {
    let folders = path.new_folders().into_iter();
    let made = |folder: RelPath| PathChange {
        path: folder.to_text(),
        before: None,
        after: Some(Node::folder()),
        copied_from: None,
    };
    folders.map(made).collect()
}

/// Where `path`, which is `from` or lies in it, comes to lie.
pub fn moved(path: &RelPath, from: &RelPath, to: &RelPath) -> RelPath {
    match path.as_path().strip_prefix(from.as_path()) {
        Ok(rest) if !rest.as_os_str().is_empty() => to.join(rest),
        _ => to.clone(),
    }
}

/// Refuses the path of a file that is written like that of a folder: something in it was meant, and not a file of its name. Or like a
/// handle.
pub fn check_names_file(path: &str) -> Result<(), ToolError> {
    check_no_handle(path)?;
    if path.ends_with('/') || path.ends_with("/.") {
        let message = format!("`{}` names a folder", visible(path));
        return Err(ToolError::new(Code::WrongType, message, "give the name of a file in it"));
    }
    Ok(())
}

/// A word about a new name that means something else where the caller may come from. It may be meant, and is taken letter by letter.
pub fn taken_literally(path: &WorkspacePath) -> Option<String> {
    let mut new = path.new_folders();
    new.push(path.resolved().clone());
    let has_backslash = |path: &RelPath| {
        path.file_name().is_some_and(|name| memchr::memchr(b'\\', name.as_encoded_bytes()).is_some())
    };
    if !std::path::is_separator('\\') && new.iter().any(has_backslash) {
        return Some(format!(
            "`\\` is a part of the name `{}` here: folders are separated by `/` on every system",
            path.given()
        ));
    }
    let [top, _, ..] = new.as_slice() else { return None };
    let name = top.to_text();
    let is_place = name == "~"
        || (name.starts_with('$') && !name.contains('/'))
        || matches!(name.as_bytes(), [drive, b':'] if drive.is_ascii_alphabetic());
    is_place.then(|| {
        format!("`{}` is a folder of that name here: every path is relative to the workspace", visible(&name))
    })
}

/// Refuses what may not stand at these paths, and asks more strictly for what is protected.
pub fn judged<'p>(
    call: &Call,
    paths: impl IntoIterator<Item = &'p RelPath>,
) -> Result<Vec<Raise>, ToolError> {
    let mut protected: Option<&RelPath> = None;
    let mut more = 0;
    let paths: Vec<&RelPath> = paths.into_iter().collect();
    for &path in &paths {
        let (rules, slashed) = (call.workspace.rules(), path.to_slashed());
        match rules.why(&slashed) {
            Some((PathClass::Blocked, glob)) => {
                let by = rules.blocker(&slashed);
                return Err(DoorError::Blocked { path: path.to_string(), glob: glob.to_owned(), by }.into());
            }
            Some((PathClass::Forbidden, _)) => {
                return Err(DoorError::forbidden(rules, &slashed, path.to_string()).into());
            }
            Some((PathClass::Protected, _)) if protected.is_none() => protected = Some(path),
            Some((PathClass::Protected, _)) => more += 1,
            _ => {}
        }
    }
    let protected = protected.map(|path| raise(path, more));
    Ok(protected.into_iter().chain(git_folder(call, paths)).collect())
}

fn raise(path: &RelPath, more: usize) -> Raise {
    let others = if more == 0 { String::new() } else { format!(", and {more} more are too") };
    let reason = format!("`{path}` is a protected path: other programs act on what it says{others}");
    Raise { tier: Tier::Individual, reason }
}
