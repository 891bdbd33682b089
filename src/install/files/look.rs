//! What is at a path: looked at without waiting, read with a limit.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::io_error;
use crate::install::{error::InstallError, permissions};

/// The most that is read into memory of a file, and what is said of one that is larger.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// So much.
    pub bytes: u64,
    /// What a larger one is.
    pub larger: &'static str,
}

/// No manifest is near this size; what is larger is something else.
const FILE_BYTES: u64 = 1024 * 1024;
const OF_A_FILE: Most =
    Most { bytes: FILE_BYTES, larger: "larger than 1 MiB, which no file of outrigger is" };

/// What is at a path where a file of ours belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Nothing.
    Absent,
    /// A file.
    File {
        /// All of it.
        bytes: Vec<u8>,
        /// Its permission bits.
        mode: u32,
    },
    /// A symbolic link, wherever it leads.
    Link {
        /// Its text.
        to: PathBuf,
    },
}

/// Looks at `path` without following a link.
pub fn look(path: &Path) -> Result<Existing, InstallError> {
    look_up_to(path, OF_A_FILE)
}

/// The same of a file that may be of another size.
pub fn look_up_to(path: &Path, most: Most) -> Result<Existing, InstallError> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Existing::Absent),
        Err(source) => return Err(io_error("cannot look at", path, source)),
    };
    if metadata.is_symlink() {
        let to = fs::read_link(path).map_err(|source| io_error("cannot read the link", path, source))?;
        return Ok(Existing::Link { to });
    }
    let bytes = read_up_to(path, most)?;
    Ok(Existing::File { bytes, mode: permissions::mode_of(&metadata) })
}

/// Nothing, or the link that is there; `None` for anything else.
pub fn look_link(path: &Path) -> Result<Option<Existing>, InstallError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => look(path).map(Some),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(Existing::Absent)),
        Err(source) => Err(io_error("cannot look at", path, source)),
    }
}

/// Reads a file whole, through links, as a browser does; anything but a small regular file is an error.
pub fn read_through(path: &Path) -> Result<Vec<u8>, InstallError> {
    read_up_to(path, OF_A_FILE)
}

/// The same of a file that may be of another size.
pub fn read_up_to(path: &Path, most: Most) -> Result<Vec<u8>, InstallError> {
    let read_error = |source| io_error("cannot read", path, source);
    // Asked before opening: the open of a named pipe would wait for a writer.
    let metadata = fs::metadata(path).map_err(read_error)?;
    if !metadata.is_file() {
        return Err(not_a_file(path, &metadata));
    }
    if metadata.len() > most.bytes {
        return Err(InstallError::NotAFile { path: path.to_path_buf(), kind: most.larger });
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(most.bytes).read_to_end(&mut bytes)).map_err(read_error)?;
    Ok(bytes)
}

/// The beginning of a file that tells its length as nothing: those of `/proc`.
pub fn read_some(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What stands where a file belongs.
pub(super) fn not_a_file(path: &Path, metadata: &fs::Metadata) -> InstallError {
    let kind = if metadata.is_dir() { "a folder, not a file" } else { permissions::special_kind(metadata) };
    InstallError::NotAFile { path: path.to_path_buf(), kind }
}

/// True when anything is there, a link that leads nowhere included.
pub fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Whether anything is there, where that can be said.
pub fn look_at(path: &Path) -> Result<bool, InstallError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(false)
        }
        // Behind links that lead nowhere there is nothing.
        Err(error) if permissions::is_circle(&error) => Ok(false),
        Err(source) => Err(io_error("cannot look at", path, source)),
    }
}

/// Where a link leads, as it is written.
pub fn link_of(path: &Path) -> Option<PathBuf> {
    fs::read_link(path).ok()
}

/// An absolute path without links.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path).map(crate::text::unmarked)
}

/// True for two names of the same folder, or the same name of one that is not there.
pub fn is_same_folder(one: &Path, other: &Path) -> bool {
    one == other || canonical(one).is_ok_and(|one| canonical(other).ok() == Some(one))
}

/// When a file or folder was changed last; the beginning of time where that is not known.
pub fn changed(path: &Path) -> SystemTime {
    fs::symlink_metadata(path).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// True for a file that this user can start.
pub fn is_program(path: &Path) -> bool {
    path.is_file() && permissions::may_execute(path)
}

/// True for a file that this user may change.
pub fn may_change(path: &Path) -> bool {
    OpenOptions::new().write(true).open(path).is_ok()
}

/// True for a regular file with nothing in it.
pub fn is_empty_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0)
}

/// True for what this very user has made.
pub fn is_mine(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| permissions::is_mine(&metadata))
}

/// Whose it is, by number, where there are such numbers.
pub fn owner_of(path: &Path) -> Option<u32> {
    permissions::owner_of(&fs::metadata(path).ok()?).map(|(user, _)| user)
}

/// The permission bits of what is there.
pub fn mode_of(path: &Path) -> Option<u32> {
    fs::metadata(path).ok().map(|metadata| permissions::mode_of(&metadata))
}
