//! Untracked folders as git shows them, where gix has them otherwise.

use std::{
    io::ErrorKind,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use gix::{
    AttributeStack,
    bstr::{BStr, BString, ByteSlice},
    index::{State, entry::Mode},
    worktree::stack::state::ignore::Source,
};

use super::{dirwalk::is_too_deep, rule_files};
use crate::workspace::{repository::Repository, walk::WalkKind};

/// An untracked path, with `/` at the end of folders, and whether it is a repository of its own.
type Untracked = (BString, bool);

/// Leaves out folders with nothing but ignored files and empty folders in them, and names the highest folder that is untracked:
/// with a repository in it, gix names what else is in it one by one.
pub(super) fn as_git_shows(
    repository: &Repository,
    reader: &gix::Repository,
    index: &State,
    found: Vec<Untracked>,
    interrupt: &AtomicBool,
) -> gix::Result<Vec<Untracked>> {
    let mut excludes =
        reader.excludes(&rule_files::readable(index), None, Source::WorktreeThenIdMappingIfNotSkipped)?;
    let root = reader.workdir().unwrap_or_else(|| reader.git_dir());
    let shown = found.into_iter().filter_map(|(path, is_repository)| {
        let is_folder = path.ends_with(b"/") && !is_repository;
        if is_folder && !holds_anything(repository, (root, path.as_bstr()), &mut excludes, interrupt) {
            return None;
        }
        let shown = stands_for(index, &path);
        let is_itself = is_repository && shown == path;
        Some((shown, is_itself))
    });
    Ok(shown.collect())
}

/// The folder, or the file itself, that stands for an untracked file: the highest one with nothing tracked in it.
pub(super) fn stands_for(index: &State, path: &BString) -> BString {
    let mut folder = BString::default();
    for name in path.split_inclusive(|byte| *byte == b'/') {
        folder.extend_from_slice(name);
        if name.ends_with(b"/") && index.prefixed_entries(folder.as_bstr()).is_none() {
            return folder;
        }
    }
    path.clone()
}

/// Whether git would add something of this folder. What cannot be seen counts as something.
fn holds_anything(
    repository: &Repository,
    (root, folder): (&Path, &BStr),
    excludes: &mut AttributeStack<'_>,
    interrupt: &AtomicBool,
) -> bool {
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        // What lies deeper than the system takes git does not see either.
        if is_too_deep(root, folder.trim_end_with(|character| character == '/').as_bstr()) {
            continue;
        }
        let entries = match repository.names(folder.trim_end_with(|character| character == '/').as_bstr()) {
            Ok(entries) => entries,
            // git passes over what the user may not look into.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => continue,
            Err(_) => return true,
        };
        for (name, kind) in entries {
            if name == ".git" || interrupt.load(Ordering::Relaxed) {
                return true;
            }
            let mode = match kind {
                WalkKind::Dir => Mode::DIR,
                WalkKind::File => Mode::FILE,
                WalkKind::Link => Mode::SYMLINK,
                // A FIFO, a socket or a device is nothing to git.
                WalkKind::Other => continue,
            };
            let mut path = folder.clone();
            path.extend_from_slice(&name);
            let Ok(place) = excludes.at_entry(path.as_bstr(), Some(mode)) else { return true };
            match (place.is_excluded(), mode) {
                (true, _) => {}
                (false, Mode::DIR) => {
                    path.push(b'/');
                    left.push(path);
                }
                (false, _) => return true,
            }
        }
    }
    false
}
