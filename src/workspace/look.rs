//! Looks at plain names below a root, on handles and without following any link: for what is compared before and after a command.

use std::path::Path;

use cap_std::fs::Dir;

use super::{FileKind, Stat, handle, nofollow};

/// The folder `path`, open; `None` where there is none, or a link is on the way. The empty path is the root.
pub(crate) fn folder(root: &Dir, path: &str) -> Option<Dir> {
    nofollow::open_dir(root, Path::new(path)).ok()
}

/// The names in the folder `path`, those that are text, with what they are; `left` counts down how many more are looked at.
pub(crate) fn names(root: &Dir, path: &str, left: &mut usize) -> Vec<(String, FileKind)> {
    let mut names = Vec::new();
    let Some(folder) = folder(root, path) else { return names };
    // What was listed before it failed counts as well.
    let _ = handle::read_names(folder, |name, kind| {
        let Some(name) = name.to_str() else { return true };
        *left = left.saturating_sub(1);
        if *left > 0 {
            names.push((name.to_owned(), kind));
        }
        *left > 0
    });
    names
}

/// What stands at a name of an open folder.
pub(crate) fn stat(folder: &Dir, name: &str) -> Option<Stat> {
    handle::stat(folder, name.as_ref()).ok()
}
