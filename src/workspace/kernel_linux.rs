//! What Linux offers beyond POSIX: resolving beneath a handle in one call, handles without read permission, renaming without replacing.

use std::{
    ffi::OsStr,
    io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
};

use cap_std::fs::Dir;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, ResolveFlags, StatxAttributes, StatxFlags};

/// Opens a folder only to stand in it: works where it may be entered but not listed.
pub(super) const STAND: OFlags = OFlags::PATH;

/// How often a resolution that raced with a rename is tried again before the walk takes over.
const RETRIES: u32 = 8;

/// The extended attribute that says what else who may do with a file.
pub(super) const LIST_OF_RIGHTS: &[u8] = b"system.posix_acl_access";

/// Those that something new gets from the folder around it: that one, and of a folder the one that it hands on in its turn.
pub(super) const LISTS_HANDED_ON: &[&str] = &["system.posix_acl_access", "system.posix_acl_default"];

/// Whether another file may have an extended attribute of this name, too: the other classes vouch for a program or belong to the system.
pub(super) fn says_no_privilege(attribute: &[u8]) -> bool {
    attribute.starts_with(b"user.") || attribute == LIST_OF_RIGHTS || attribute == b"system.posix_acl_default"
}

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

/// Gives a name another place; fails with `EEXIST` when something is there.
pub(super) fn rename_free(from: (&Dir, &OsStr), to: (&Dir, &OsStr)) -> io::Result<()> {
    match rustix::fs::renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE) {
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => super::handle::rename_if_free(from, to),
        result => result.map_err(io::Error::from),
    }
}

/// Both names change their files with each other.
pub(super) fn swap(one: (&Dir, &OsStr), other: (&Dir, &OsStr)) -> io::Result<()> {
    match rustix::fs::renameat_with(one.0, one.1, other.0, other.1, RenameFlags::EXCHANGE) {
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => super::handle::swap_by_link(one, other),
        result => result.map_err(io::Error::from),
    }
}

/// Refuses a name that nobody may take away, marked as such with `chattr`.
pub(super) fn check_removable(folder: &Dir, name: &OsStr) -> io::Result<()> {
    let (flags, wanted) = (AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT, StatxFlags::TYPE);
    match rustix::fs::statx(folder, name, flags, wanted) {
        Ok(stat) if stat.stx_attributes.intersects(StatxAttributes::IMMUTABLE | StatxAttributes::APPEND) => {
            Err(rustix::io::Errno::PERM.into())
        }
        // An old kernel does not tell.
        Ok(_) | Err(rustix::io::Errno::NOSYS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// May this process take names out of the folder?
pub(super) fn check_emptiable(parent: &Dir, name: &OsStr) -> io::Result<()> {
    super::handle::check_writable(parent, name)
}

/// Another file system, or another part of this one, begins at the folder `name`.
pub(super) fn is_mount_point(parent: &Dir, name: &OsStr) -> io::Result<bool> {
    let (flags, wanted) = (AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT, StatxFlags::BASIC_STATS);
    match rustix::fs::statx(parent, name, flags, wanted) {
        Ok(found) => Ok(found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT)),
        Err(rustix::io::Errno::NOSYS) => super::handle::is_other_device(parent, name),
        Err(error) => Err(error.into()),
    }
}
