//! Files with an encoding of their own, where gix gives up on one of them: they are left out of its comparison and compared here.

use std::{borrow::Cow, collections::BTreeSet};

use gix::{
    bstr::{BString, ByteSlice},
    index::entry::Flags,
    worktree::IndexPersistedOrInMemory,
};

use super::{
    attributes::Attributes,
    changes::{Changed, Changes, Entry, modified},
    own_encoding::OwnEncoding,
    rule_files,
    side::{WorkTree, check_rule_files},
};
use crate::{
    tools::{Call, ToolError},
    workspace::repository::Repository,
};

/// What is not looked at anyway.
pub(super) const UNSEEN: Flags = Flags::SKIP_WORKTREE.union(Flags::ASSUME_VALID);

/// The files of the index that have one.
pub(super) fn paths(repository: &Repository, call: &Call) -> Result<Vec<BString>, ToolError> {
    let reader = repository.reader()?;
    let index = reader.index_or_empty().map_err(|error| repository.broken(&error))?;
    let mut attributes = Attributes::new(repository, &reader)?;
    let mut found = Vec::new();
    for entry in index.entries() {
        call.check_cancelled()?;
        let path = entry.path(&index);
        if entry.stage_raw() == 0 && !entry.flags.intersects(UNSEEN) && attributes.of(path)?.encoded {
            found.push(path.to_owned());
        }
    }
    Ok(found)
}

/// Takes out what may have been found to differ only because gix reads it wrong: UTF-16 whose mark says the order of its bytes,
/// and what is no web page's encoding.
pub(super) fn take_misread(
    call: &Call,
    repository: &Repository,
    found: &mut Changes,
) -> Result<Vec<BString>, ToolError> {
    if !found.unstaged.iter().any(|changed| changed.change == "modified") {
        return Ok(Vec::new());
    }
    let reader = repository.reader()?;
    let mut attributes = Attributes::new(repository, &reader)?;
    let mut misread = BTreeSet::new();
    for changed in found.unstaged.iter().filter(|changed| changed.change == "modified") {
        call.check_cancelled()?;
        let path = repository.in_workspace(changed.path.as_bstr());
        // A rule file that is none must not be opened: it may be a FIFO.
        let readable = path.is_some_and(|path| check_rule_files(call, repository, &path).is_ok());
        if readable && attributes.of(changed.path.as_bstr())?.own.is_some_and(OwnEncoding::is_misread) {
            misread.insert(changed.path.clone());
        }
    }
    found.unstaged.retain(|changed| !misread.contains(&changed.path));
    Ok(misread.into_iter().collect())
}

/// The index for gix's comparison, without these. Its rule files are those that git reads.
pub(super) fn left_out(reader: &gix::Repository, paths: &[BString]) -> gix::Result<IndexPersistedOrInMemory> {
    let index = reader.index_or_empty()?;
    let as_it_is = matches!(rule_files::readable(&index), Cow::Borrowed(_));
    if paths.is_empty() && as_it_is {
        return Ok(index.into());
    }
    let mut index: gix::index::File = (**index).clone();
    rule_files::make_readable(&mut index);
    for path in paths {
        if let Ok(place) = index.entry_index_by_path(path.as_bstr()) {
            index.entries_mut()[place].flags |= Flags::ASSUME_VALID;
        }
    }
    Ok(index.into())
}

/// Adds those of `paths` that differ in the work tree.
pub(super) fn compare(
    call: &Call,
    repository: &Repository,
    paths: &[BString],
    found: &mut Changes,
) -> Result<(), ToolError> {
    if paths.is_empty() {
        return Ok(());
    }
    let reader = repository.reader()?;
    let index = reader.index_or_empty().map_err(|error| repository.broken(&error))?;
    let mut work_tree = WorkTree::new(call, repository, &reader)?;
    for git_path in paths {
        call.check_cancelled()?;
        let entry = index.entry_by_path(git_path.as_bstr());
        let (Some(entry), Some(path)) = (entry, repository.in_workspace(git_path.as_bstr())) else {
            continue;
        };
        let old = Entry { mode: entry.mode.bits(), id: entry.id };
        let change = match work_tree.stored(&path, git_path.as_bstr(), Some(old.mode)) {
            Ok(None) => "deleted",
            Ok(Some(stored)) => {
                let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, &stored.bytes);
                if stored.mode == old.mode && id.is_ok_and(|id| id == old.id) {
                    continue;
                }
                modified(old.mode, stored.mode)
            }
            // What cannot be read is not known to be the same.
            Err(_) => "modified",
        };
        let changed = Changed { path: git_path.clone(), from: None, change, old: Some(old), new: None };
        found.unstaged.push(changed);
    }
    found.unstaged.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(())
}
