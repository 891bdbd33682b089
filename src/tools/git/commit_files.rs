//! The files of a commit as its plan shows them. Blocked ones are only counted.

use gix::bstr::ByteSlice;

use super::{libgit2, shown, side::FILE_BYTES};
use crate::{
    ids::Etag,
    policy::{ChangeOp, FileChange},
    relpath::RelPath,
    tools::{Call, ToolError, diff},
    workspace::{DoorError, repository::Repository},
};

/// Larger contents are shown by size and hash only.
const SHOWN_BYTES: usize = 1024 * 1024;

/// What the commit changes, and how many of its paths are blocked.
pub(super) fn file_changes(
    call: &Call,
    (repository, reader, opened): (&Repository, &gix::Repository, &git2::Repository),
    base: Option<&git2::Commit<'_>>,
    tree: git2::Oid,
) -> Result<(Vec<FileChange>, usize), ToolError> {
    let failed = |error: git2::Error| libgit2(repository, &error);
    let old = base.map(git2::Commit::tree).transpose().map_err(failed)?;
    let new = opened.find_tree(tree).map_err(failed)?;
    let mut options = git2::DiffOptions::new();
    options.include_typechange(true);
    let found = opened.diff_tree_to_tree(old.as_ref(), Some(&new), Some(&mut options)).map_err(failed)?;
    let (mut files, mut hidden, mut next_hunk) = (Vec::new(), 0, 1);
    for delta in found.deltas() {
        let path =
            delta.new_file().path_bytes().or_else(|| delta.old_file().path_bytes()).unwrap_or_default();
        let Some(path) = shown(repository, call, path.as_bstr()) else {
            hidden += 1;
            continue;
        };
        files.push(file_change((repository, reader, opened), &path, &delta, &mut next_hunk)?);
    }
    Ok((files, hidden))
}

fn file_change(
    (repository, reader, opened): (&Repository, &gix::Repository, &git2::Repository),
    path: &RelPath,
    delta: &git2::DiffDelta<'_>,
    next_hunk: &mut u32,
) -> Result<FileChange, ToolError> {
    let failed = |error: git2::Error| libgit2(repository, &error);
    let content = |file: git2::DiffFile<'_>| -> Result<Option<Vec<u8>>, ToolError> {
        if file.id().is_zero() {
            return Ok(None);
        }
        if file.mode() == git2::FileMode::Commit {
            return Ok(Some(format!("Subproject commit {}\n", file.id()).into_bytes()));
        }
        let id = gix::ObjectId::from_bytes_or_panic(file.id().as_bytes());
        if let Ok(Some(header)) = reader.try_find_header(id)
            && header.size() > FILE_BYTES
        {
            let (path, size) = (path.to_string(), header.size());
            return Err(DoorError::TooLarge { path, size, limit: FILE_BYTES }.into());
        }
        let found = reader.try_find_object(id).map_err(|error| repository.broken(&error))?;
        match found {
            Some(found) => Ok(Some(found.detach().data)),
            // Staged for the plan, in memory alone.
            None => Ok(Some(opened.find_blob(file.id()).map_err(failed)?.content().to_vec())),
        }
    };
    let (before, after) = (content(delta.old_file())?, content(delta.new_file())?);
    let text = |bytes: &Option<Vec<u8>>| match bytes {
        None => Some(String::new()),
        Some(bytes) if bytes.len() > SHOWN_BYTES || bytes[..bytes.len().min(8000)].contains(&0) => None,
        Some(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    };
    let (hunks, line_ends) = match (text(&before), text(&after)) {
        (Some(before), Some(after)) => {
            (diff::hunks(&before, &after, next_hunk), diff::line_ends(&before, &after))
        }
        _ => (Vec::new(), None),
    };
    let (added, removed) = diff::counts(&hunks);
    let size = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
    let mode = |file: git2::DiffFile<'_>| {
        let mode = u32::from(file.mode());
        (mode != 0).then(|| format!("{mode:06o}"))
    };
    let (mode_before, mode) = (mode(delta.old_file()), mode(delta.new_file()));
    Ok(FileChange {
        path: path.to_string(),
        op: match (&before, &after) {
            (None, _) => ChangeOp::Create,
            (_, None) => ChangeOp::Delete,
            _ => ChangeOp::Edit,
        },
        from: None,
        entries: None,
        before_etag: before.as_deref().map(Etag::of),
        after_etag: after.as_deref().map(Etag::of),
        before_bytes: size(&before),
        after_bytes: size(&after),
        executable: delta.new_file().mode() == git2::FileMode::BlobExecutable
            && delta.old_file().mode() != git2::FileMode::BlobExecutable,
        mode_before: mode_before.filter(|before| mode.as_ref() != Some(before)),
        mode,
        undoable: false,
        added,
        removed,
        line_ends,
        hunks,
    })
}
