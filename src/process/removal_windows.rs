//! Takes a folder of ours away, with all that a command left in it. Windows bounds how deep a path can lie.

use std::{io, path::Path};

/// Removes the folder and what is in it.
#[expect(clippy::disallowed_methods, reason = "this folder is ours, outside every workspace")]
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    std::fs::remove_dir_all(path)
}
