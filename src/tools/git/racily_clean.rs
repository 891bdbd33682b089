//! The one way an index is written, so that no change is hidden from the git program.
//!
//! A file that changed in place, without a change of its size and within the second that the index knows of it, looks untouched.
//! Git looks into such a file as long as the index file is not younger than it; a new index file is. So whoever writes one looks
//! for it, and notes a size of nothing where the content is another: that is git's own sign for itself to look again. libgit2
//! looks too, but by nanoseconds, and git goes by whole seconds.

use std::time::UNIX_EPOCH;

use gix::bstr::{BString, ByteSlice};

use super::{
    libgit2, shown,
    side::{self, SUBMODULE, WorkTree},
};
use crate::{
    relpath::RelPath,
    tools::{Call, ToolError},
    workspace::repository::{Holding, Repository},
};

/// Writes what [`Holding::index`] gave.
pub(super) fn write(
    call: &Call,
    repository: &Repository,
    holding: &Holding,
    index: &mut git2::Index,
) -> Result<(), ToolError> {
    let failed = |error: git2::Error| libgit2(repository, &error);
    let read = holding.index_time().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    if let Some(read) = read {
        for mut entry in hidden(call, repository, index, read.as_secs())? {
            entry.file_size = 0;
            index.add(&entry).map_err(failed)?;
        }
    }
    index.write().map_err(failed)
}

/// The entries that look as their files, and are not.
fn hidden(
    call: &Call,
    repository: &Repository,
    index: &git2::Index,
    read: u64,
) -> Result<Vec<git2::IndexEntry>, ToolError> {
    let is_racy = |entry: &git2::IndexEntry| {
        // A time after 2038 is negative in what libgit2 makes of it.
        let second = u64::from(entry.mtime.seconds().cast_unsigned());
        let stage = (entry.flags >> 12) & 3;
        stage == 0 && entry.mode != SUBMODULE && entry.file_size != 0 && second >= read
    };
    let racy: Vec<_> = index.iter().filter(is_racy).collect();
    if racy.is_empty() {
        return Ok(racy);
    }
    let reader = repository.reader()?;
    let mut work_tree = WorkTree::new(call, repository, &reader)?;
    let mut found = Vec::new();
    for entry in racy {
        call.check_cancelled()?;
        let git_path = BString::from(entry.path.as_slice());
        // What must not be read may have changed.
        let is_same = match shown(repository, call, git_path.as_bstr()) {
            Some(path) => {
                looks_changed(call, &path, &entry) || is_same(&mut work_tree, &path, &git_path, &entry)
            }
            None => false,
        };
        if !is_same {
            found.push(entry);
        }
    }
    Ok(found)
}

/// Git sees that without a look into it. Where nothing is known of a file, nothing can be seen.
fn looks_changed(call: &Call, path: &RelPath, entry: &git2::IndexEntry) -> bool {
    let now = side::stat_at(call, path);
    let is_known = now.modified != (0, 0);
    is_known && (now.modified.0 as i32 != entry.mtime.seconds() || now.size as u32 != entry.file_size)
}

/// Whether the file is what the entry stands for. One that goes through a filter, or cannot be read, may not be.
fn is_same(
    work_tree: &mut WorkTree<'_>,
    path: &RelPath,
    git_path: &BString,
    entry: &git2::IndexEntry,
) -> bool {
    if !matches!(work_tree.foreign(path, git_path.as_bstr()), Ok(None)) {
        return false;
    }
    let Ok(Some(stored)) = work_tree.stored(path, git_path.as_bstr(), Some(entry.mode)) else { return false };
    git2::Oid::hash_object(git2::ObjectType::Blob, &stored.bytes).is_ok_and(|id| id == entry.id)
}
