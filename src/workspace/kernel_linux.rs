//! What Linux offers beyond POSIX: resolving beneath a handle in one call, handles without read permission, renaming without replacing.

use std::{
    ffi::OsStr,
    io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
};

use rustix::fs::{Mode, OFlags, RenameFlags, ResolveFlags};

/// Opens a folder only to stand in it: works where it may be entered but not listed.
pub(super) const STAND: OFlags = OFlags::PATH;

/// How often a resolution that raced with a rename is tried again before the walk takes over.
const RETRIES: u32 = 8;

/// Opens the folder `path` beneath `root`, if no link is on the way; any failure means: walk.
pub(super) fn open_beneath(root: impl AsFd, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let mut tries = 0;
    loop {
        match rustix::fs::openat2(root.as_fd(), path, flags, Mode::empty(), resolve) {
            Err(rustix::io::Errno::AGAIN) if tries < RETRIES => tries += 1,
            result => return result.map_err(io::Error::from),
        }
    }
}

/// Renames within a folder; fails with `EEXIST` when `to` is there.
pub(super) fn rename_noreplace(folder: impl AsFd, from: &OsStr, to: &OsStr) -> io::Result<()> {
    let folder = folder.as_fd();
    match rustix::fs::renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE) {
        // A few file systems (and old kernels) do not know the flag.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
            super::handle::link_then_unlink(folder, from, to)
        }
        result => result.map_err(io::Error::from),
    }
}
