//! The same names on Windows: nothing resolves beneath a handle in one call, so the walk does all.

use std::{ffi::OsStr, fs::File, io, os::windows::io::AsHandle, path::Path};

use cap_std::fs::Dir;

use super::handle;

/// Always fails: the walk takes over.
pub(super) fn open_beneath(_root: impl AsHandle, _path: &Path) -> io::Result<File> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// Gives a name another place; fails when something is there.
pub(super) fn rename_free(from: (&Dir, &OsStr), to: (&Dir, &OsStr)) -> io::Result<()> {
    handle::rename_if_free(from, to)
}

/// Both names change their files with each other.
pub(super) fn swap(one: (&Dir, &OsStr), other: (&Dir, &OsStr)) -> io::Result<()> {
    handle::swap_by_link(one, other)
}

/// Who may take a name away is seen when it goes.
pub(super) fn check_removable(_folder: &Dir, _name: &OsStr) -> io::Result<()> {
    Ok(())
}

/// A folder's own attributes say nothing about what is in it.
pub(super) fn check_emptiable(_parent: &Dir, _name: &OsStr) -> io::Result<()> {
    Ok(())
}

/// Another volume begins at the folder `name`.
pub(super) fn is_mount_point(parent: &Dir, name: &OsStr) -> io::Result<bool> {
    handle::is_other_device(parent, name)
}
