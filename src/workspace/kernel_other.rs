//! The same names where there is only POSIX: nothing resolves beneath a handle in one call, so the walk does all.

use std::{
    ffi::OsStr,
    io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
};

use rustix::fs::OFlags;

/// Opens a folder for standing in it and for listing it; there is no lesser handle.
pub(super) const STAND: OFlags = OFlags::RDONLY;

/// Always fails: the walk takes over.
pub(super) fn open_beneath(_root: impl AsFd, _path: &Path) -> io::Result<OwnedFd> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// Renames within a folder; fails with `EEXIST` when `to` is there.
pub(super) fn rename_noreplace(folder: impl AsFd, from: &OsStr, to: &OsStr) -> io::Result<()> {
    super::handle::link_then_unlink(folder.as_fd(), from, to)
}
