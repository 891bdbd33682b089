//! Reading: what stands at a path, and the bytes of a regular file. Never blocks on a FIFO, never opens a device.

use std::{fs::File, io::Read as _, sync::Arc, time::SystemTime};

use cap_std::fs::Dir;

use super::{
    DoorError, FileKind, Workspace, WorkspacePath, handle,
    refusal::{self, Refusal},
};
use crate::change::Owner;

/// What the system knows about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: FileKind,
    /// Its bytes.
    pub size: u64,
    /// Permission bits, without the type.
    pub mode: u32,
    /// Names it has.
    pub links: u64,
    /// Its owner.
    pub user: u32,
    /// Its group.
    pub group: u32,
    /// When its content changed, as far as nobody has set it.
    pub modified: SystemTime,
    /// When anything about it changed; nobody can set it.
    pub changed: SystemTime,
    /// Device and inode: equal for two names of one file.
    pub identity: (u64, u64),
}

impl Stat {
    /// Whose it is.
    pub(super) fn owner(&self) -> Owner {
        Owner { user: self.user, group: self.group }
    }
}

impl Workspace {
    /// What stands there now.
    pub fn stat(&self, path: &WorkspacePath) -> Result<Stat, DoorError> {
        self.check_exists(path)?;
        handle::stat(&path.parent, &path.name).map_err(|error| DoorError::io(path.given(), error))
    }

    /// Opens a regular file to read it; anything else is refused before it can block.
    pub fn open_file(&self, path: &WorkspacePath) -> Result<File, DoorError> {
        self.open_file_with_stat(path).map(|(file, _)| file)
    }

    /// The same, with what is open.
    pub fn open_file_with_stat(&self, path: &WorkspacePath) -> Result<(File, Stat), DoorError> {
        self.check_exists(path)?;
        if let Some(kind) = path.kind().filter(|kind| *kind != FileKind::File) {
            return Err(wrong_type(path, kind, "a regular file"));
        }
        let file = handle::open_file(&path.parent, &path.name).map_err(|error| {
            match refusal::of(&error) {
                // It was a file when it was resolved: somebody has put a link or a socket there since.
                Some(Refusal::Link) => wrong_type(path, FileKind::Link, "a regular file"),
                Some(Refusal::Socket) => wrong_type(path, FileKind::Socket, "a regular file"),
                _ => DoorError::io(path.given(), error),
            }
        })?;
        let stat = handle::stat_open(&file).map_err(|error| DoorError::io(path.given(), error))?;
        if stat.kind != FileKind::File {
            return Err(wrong_type(path, stat.kind, "a regular file"));
        }
        Ok((file, stat))
    }

    /// The bytes of a regular file of at most `limit` bytes.
    pub fn read(&self, path: &WorkspacePath, limit: u64) -> Result<Vec<u8>, DoorError> {
        self.read_with_stat(path, limit).map(|(bytes, _)| bytes)
    }

    /// The same, with what was read.
    pub fn read_with_stat(&self, path: &WorkspacePath, limit: u64) -> Result<(Vec<u8>, Stat), DoorError> {
        let (file, stat) = self.open_file_with_stat(path)?;
        let too_large = |size| DoorError::TooLarge { path: path.given().to_owned(), size, limit };
        if stat.size > limit {
            return Err(too_large(stat.size));
        }
        // A file may grow while it is read, and files of `/proc`-like systems say 0: one byte more than allowed is asked for.
        let mut bytes = Vec::with_capacity(usize::try_from(stat.size).unwrap_or(0).saturating_add(1));
        file.take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| DoorError::io(path.given(), error))?;
        if bytes.len() as u64 > limit {
            return Err(too_large(bytes.len() as u64));
        }
        Ok((bytes, stat))
    }

    /// A folder as an open handle: for walking it, or as a command's working folder.
    pub fn open_folder(&self, path: &WorkspacePath) -> Result<Arc<Dir>, DoorError> {
        self.check_exists(path)?;
        if let Some(kind) = path.kind().filter(|kind| *kind != FileKind::Folder) {
            return Err(wrong_type(path, kind, "a folder"));
        }
        if path.resolved().is_root() {
            return Ok(Arc::clone(self.handle()));
        }
        let folder = handle::open_folder(&path.parent, &path.name);
        folder.map(Arc::new).map_err(|error| match refusal::of(&error) {
            Some(Refusal::Link | Refusal::NoFolder) => wrong_type(path, FileKind::Other, "a folder"),
            _ => DoorError::io(path.given(), error),
        })
    }

    /// Whether a program may stand in an open folder.
    pub fn may_enter(&self, folder: &Dir) -> bool {
        handle::may_enter(folder)
    }

    /// An error with the nearest names when there was nothing at `path`.
    pub(super) fn check_exists(&self, path: &WorkspacePath) -> Result<(), DoorError> {
        if path.exists() {
            return Ok(());
        }
        Err(DoorError::NotFound { path: path.given().to_owned(), candidates: self.near(path) })
    }
}

pub(super) fn wrong_type(path: &WorkspacePath, found: FileKind, wanted: &'static str) -> DoorError {
    wrong_kind(path.given(), found, wanted)
}

pub(super) fn wrong_kind(path: &str, found: FileKind, wanted: &'static str) -> DoorError {
    DoorError::WrongType { path: path.to_owned(), found: found.described(), wanted }
}
