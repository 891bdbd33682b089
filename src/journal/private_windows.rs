//! The journal's own folder: `config::state_folder` has taken the rights of all others to it.

use std::{fs, io, path::Path};

#[expect(
    clippy::disallowed_methods,
    reason = "the journal keeps its own folder, which no workspace door may open"
)]
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// The folder's rights hold for what is in it.
pub(super) fn keep_file(_path: &Path) -> io::Result<()> {
    Ok(())
}
