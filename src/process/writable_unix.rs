//! The folders that a command may change, by what they are: another one under the same name is not meant.

use std::{
    fs::{DirBuilder, File},
    io,
    os::{fd::AsFd, unix::fs::DirBuilderExt as _},
    path::{Component, Path, PathBuf},
};

use rustix::{
    fd::OwnedFd,
    fs::{AtFlags, CWD, FlockOperation, Mode, OFlags, flock, fstat, mkdirat, openat, statat},
    io::Errno,
};

use super::{
    bounds::{Identity, Writable},
    confinement::canonical,
};

/// Only to stand in a folder, or to name a file; where there is no such handle, to read.
#[cfg(target_os = "linux")]
const STAND: OFlags = OFlags::PATH;
#[cfg(target_os = "macos")]
const STAND: OFlags = OFlags::NONBLOCK;

/// A folder that nobody else looks into.
pub(super) fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

/// Holds a folder of our own, together with others, for as long as what it gives is open; nothing where the disk knows no locks.
pub(super) fn hold(path: &Path) -> io::Result<Option<File>> {
    let folder = open_own(path)?;
    match flock(&folder, FlockOperation::NonBlockingLockShared) {
        Ok(()) if is_still(path, &folder) => Ok(Some(folder.into())),
        Ok(()) => Err(io::ErrorKind::NotFound.into()),
        Err(Errno::WOULDBLOCK) => Err(io::ErrorKind::WouldBlock.into()),
        Err(_) => Ok(None),
    }
}

/// Takes a folder of our own that nobody holds.
pub(super) fn claim(path: &Path) -> Option<File> {
    let folder = open_own(path).ok()?;
    flock(&folder, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(folder.into())
}

fn open_own(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

fn is_still(path: &Path, folder: &OwnedFd) -> bool {
    let now = statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW);
    now.is_ok_and(|now| identity_of(folder).is_ok_and(|held| identity(&now) == held))
}

/// A folder of our own: the folder above it may be a link, but its name is ours.
pub(super) fn of_own(path: &Path) -> io::Result<Writable> {
    let path = &canonical(path).ok_or(io::ErrorKind::NotFound)?;
    let flags = STAND | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    of_handle(path, rustix::fs::open(path, flags, Mode::empty())?)
}

/// An open folder, by what it is.
pub(super) fn of_handle(path: &Path, handle: impl AsFd) -> io::Result<Writable> {
    Ok(Writable { path: path.to_owned(), identity: Some(identity_of(handle)?) })
}

/// A path of the configuration, by what it leads to. What is not there yet is told by the name it will have.
pub(super) fn of_path(path: &Path) -> io::Result<Writable> {
    let Some(real) = canonical(path) else { return Ok(Writable { path: future(path), identity: None }) };
    let stat = statat(CWD, &real, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(Writable { path: real, identity: Some(identity(&stat)) })
}

/// The name that `path` will have: what is there of it, without links, and the rest as it is written.
fn future(path: &Path) -> PathBuf {
    let found = path.ancestors().find_map(|above| Some((canonical(above)?, path.strip_prefix(above).ok()?)));
    found.map_or_else(|| path.to_owned(), |(real, rest)| real.join(rest))
}

/// The folder or file that was meant, as a handle; an error when another one stands there by now.
pub(super) fn open(writable: &Writable) -> io::Result<OwnedFd> {
    let Some(meant) = writable.identity else { return make(&writable.path) };
    let flags = STAND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = openat(CWD, &writable.path, flags, Mode::empty())?;
    if identity(&fstat(&handle)?) != meant {
        let path = writable.path.display();
        return Err(io::Error::other(format!("`{path}` was replaced by something else")));
    }
    Ok(handle)
}

/// The folder at `path`, made where it is missing, for its owner alone. No link is followed, wherever it stands: nobody has seen
/// this folder before, and only that makes it the one that was told.
fn make(path: &Path) -> io::Result<OwnedFd> {
    let flags = STAND | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = openat(CWD, "/", flags, Mode::empty())?;
    for name in path.components().filter(|part| matches!(part, Component::Normal(_))) {
        folder = match openat(&folder, name.as_os_str(), flags, Mode::empty()) {
            Err(Errno::NOENT) => {
                match mkdirat(&folder, name.as_os_str(), Mode::RWXU) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
                openat(&folder, name.as_os_str(), flags, Mode::empty())?
            }
            opened => opened?,
        };
    }
    Ok(folder)
}

/// What is open.
pub(super) fn identity_of(handle: impl AsFd) -> io::Result<Identity> {
    Ok(identity(&fstat(handle)?))
}

#[allow(
    clippy::cast_sign_loss,
    clippy::cast_lossless,
    clippy::unnecessary_cast,
    reason = "the fields have other types on other systems"
)]
fn identity(stat: &rustix::fs::Stat) -> Identity {
    Identity { device: stat.st_dev as u64, inode: stat.st_ino as u64 }
}
