//! The folders that a command may change, by their names: nothing on Windows holds a command to them, and its plan says so.

use std::{
    fs::{DirBuilder, File},
    io,
    path::Path,
};

use super::{bounds::Writable, confinement::canonical};

/// A folder of ours; the folder above it, the user's own, decides who else looks into it.
pub(super) fn private_folder() -> DirBuilder {
    DirBuilder::new()
}

/// A folder cannot be locked here.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
pub(super) fn hold(_path: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// So nobody can tell whether somebody still has it.
pub(super) fn claim(_path: &Path) -> Option<File> {
    None
}

/// An open folder.
pub(super) fn of_handle<T>(path: &Path, _handle: &T) -> io::Result<Writable> {
    Ok(Writable { path: path.to_owned(), identity: None })
}

/// A path of the configuration, by what it leads to.
pub(super) fn of_path(path: &Path) -> io::Result<Writable> {
    Ok(Writable { path: canonical(path).unwrap_or_else(|| path.to_owned()), identity: None })
}
