//! The same names where there is only POSIX: nothing resolves beneath a handle in one call, so the walk does all.

use std::{
    ffi::OsStr,
    io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
};

use cap_std::fs::Dir;
use rustix::fs::OFlags;

/// Opens a folder for standing in it and for listing it; there is no lesser handle.
pub(super) const STAND: OFlags = OFlags::RDONLY;

/// Lists of rights are no extended attributes here.
pub(super) const LIST_OF_RIGHTS: &[u8] = b"";

/// None are handed on as such.
pub(super) const LISTS_HANDED_ON: &[&str] = &[];

/// Whether another file may have an extended attribute of this name, too. Names have no classes here, and what only the system may
/// write, it refuses: what is left are tags, notes, and where a file was loaded from.
pub(super) fn says_no_privilege(attribute: &[u8]) -> bool {
    !attribute.is_empty()
}

/// Always fails: the walk takes over.
pub(super) fn open_beneath(_root: impl AsFd, _path: &Path) -> io::Result<OwnedFd> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// Gives a name another place; fails with `EEXIST` when something is there.
pub(super) fn rename_free(from: (&Dir, &OsStr), to: (&Dir, &OsStr)) -> io::Result<()> {
    super::handle::rename_if_free(from, to)
}

/// Both names change their files with each other.
pub(super) fn swap(one: (&Dir, &OsStr), other: (&Dir, &OsStr)) -> io::Result<()> {
    super::handle::swap_by_link(one, other)
}

/// Who may take a name away is seen when it goes.
pub(super) fn check_removable(_folder: &Dir, _name: &OsStr) -> io::Result<()> {
    Ok(())
}

/// May this process take names out of the folder?
pub(super) fn check_emptiable(parent: &Dir, name: &OsStr) -> io::Result<()> {
    super::handle::check_writable(parent, name)
}

/// Another file system begins at the folder `name`.
pub(super) fn is_mount_point(parent: &Dir, name: &OsStr) -> io::Result<bool> {
    super::handle::is_other_device(parent, name)
}
