//! Untracked folders as git shows them, where gix has them otherwise.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use gix::{
    AttributeStack,
    bstr::{BStr, BString, ByteSlice},
    index::{State, entry::Mode},
    worktree::stack::state::ignore::Source,
};

/// An untracked path, with `/` at the end of folders, and whether it is a repository of its own.
type Untracked = (BString, bool);

/// Leaves out folders with nothing but ignored files and empty folders in them, and names the highest folder that is untracked:
/// with a repository in it, gix names what else is in it one by one.
pub(super) fn as_git_shows(
    reader: &gix::Repository,
    index: &State,
    found: Vec<Untracked>,
    interrupt: &AtomicBool,
) -> gix::Result<Vec<Untracked>> {
    let Some(root) = reader.workdir() else { return Ok(found) };
    let mut excludes = reader.excludes(index, None, Source::WorktreeThenIdMappingIfNotSkipped)?;
    let shown = found.into_iter().filter_map(|(path, is_repository)| {
        let is_folder = path.ends_with(b"/") && !is_repository;
        if is_folder && !holds_anything(root, path.as_bstr(), &mut excludes, interrupt) {
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
    root: &Path,
    folder: &BStr,
    excludes: &mut AttributeStack<'_>,
    interrupt: &AtomicBool,
) -> bool {
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        let place = gix::path::from_bstr(folder.as_bstr());
        let Some(entries) = place.ok().and_then(|place| fs::read_dir(root.join(place)).ok()) else {
            return true;
        };
        for entry in entries {
            let Ok((name, kind)) = entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))) else {
                return true;
            };
            let Ok(name) = gix::path::os_string_into_bstring(name) else { return true };
            if name == ".git" || interrupt.load(Ordering::Relaxed) {
                return true;
            }
            let mode = match (kind.is_dir(), kind.is_file(), kind.is_symlink()) {
                (true, ..) => Mode::DIR,
                (_, true, _) => Mode::FILE,
                (.., true) => Mode::SYMLINK,
                // A FIFO, a socket or a device is nothing to git.
                _ => continue,
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
