//! Putting new bytes in the place of a file. Killed at any instant, the file holds the old bytes or the new.
//!
//! The bytes go to a new file in the same folder, through the folder's handle; it takes the old file's mode and attributes, is
//! synced, and takes the name only when what stands there is still what the caller looked at: the two change names, and what came
//! away is looked at before it goes. A link is never written through: its target was resolved before. Nothing is opened by a path.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Read as _, Write as _},
    sync::Arc,
};

use cap_std::fs::Dir;

use super::{
    DoorError, FileKind, Stat, Workspace, WorkspacePath,
    displace::{refused, take_free, take_place},
    handle,
    read::wrong_type,
    temporary,
};
use crate::{
    change::{Rights, SET_ID},
    ids::{Etag, EtagHasher},
    limits,
    policy::{PathClass, Permit},
};

/// What has to stand at the path for the write to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Nothing.
    Missing,
    /// A file with exactly these bytes.
    Etag(Etag),
}

/// What happens to the permission to execute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executable {
    /// As it was; a new file is none.
    #[default]
    Keep,
    /// Whoever may read it may run it.
    Set,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// There was no such file before.
    pub created: bool,
    /// Folders that were created for it.
    pub folders_created: usize,
    /// Other names of the old file, which keep the old bytes.
    pub other_names: u64,
    /// Set-id bits of the old file, which vouched for the old bytes and went with them.
    pub set_id_gone: bool,
}

impl Workspace {
    /// Puts `bytes` at `path`, if what is there is `expected`. Missing folders are created.
    pub fn replace(
        &self,
        permit: &Permit,
        path: &WorkspacePath,
        expected: &Expected,
        bytes: &[u8],
        executable: Executable,
    ) -> Result<Written, DoorError> {
        if !permit.allows_write() {
            return Err(DoorError::NotPermitted { path: path.given().to_owned() });
        }
        self.check_writable(path)?;
        if *expected == Expected::Missing && path.exists() {
            return Err(DoorError::AlreadyExists { path: path.given().to_owned() });
        }
        let mut made = Folders::create(path)?;
        let written = replace_in(&made.last, path, expected, bytes, executable);
        let written = written.inspect_err(|_| made.remove())?;
        Ok(Written { folders_created: made.created.len(), ..written })
    }

    /// Refuses what no tool may change, before anything is prepared.
    pub fn check_writable(&self, path: &WorkspacePath) -> Result<(), DoorError> {
        if self.read_only() {
            return Err(DoorError::ReadOnly { workspace: self.closed_by().to_owned() });
        }
        if path.class() >= PathClass::Forbidden {
            return Err(DoorError::forbidden(self.rules(), &path.resolved().to_slashed(), path.given()));
        }
        path.check_place()?;
        match path.kind() {
            None | Some(FileKind::File) => {}
            Some(kind) => return Err(wrong_type(path, kind, "a regular file")),
        }
        if path.exists() {
            handle::check_writable(&path.parent, &path.name)
                .map_err(|error| DoorError::io(path.given(), error))?;
        }
        Ok(())
    }
}

/// The folders made for one write, so that a failed write leaves none behind.
pub(super) struct Folders {
    created: Vec<(Arc<Dir>, OsString)>,
    pub(super) last: Arc<Dir>,
}

impl Folders {
    pub(super) fn create(path: &WorkspacePath) -> Result<Self, DoorError> {
        let mut folders = Self { created: Vec::new(), last: Arc::clone(&path.parent) };
        for name in &path.missing_folders {
            if let Err(error) = folders.go_into(name) {
                folders.remove();
                return Err(DoorError::io(path.given(), error));
            }
        }
        Ok(folders)
    }

    fn go_into(&mut self, name: &OsStr) -> io::Result<()> {
        match handle::create_folder(&self.last, name) {
            Ok(()) => {
                self.created.push((Arc::clone(&self.last), name.to_owned()));
                sync_folder(&self.last)?;
            }
            // Somebody was faster. A folder is as good as ours; a link is not followed.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        self.last = Arc::new(handle::open_folder(&self.last, name)?);
        Ok(())
    }

    pub(super) fn remove(&mut self) {
        for (parent, name) in self.created.drain(..).rev() {
            // One that is no longer empty belongs to somebody else by now.
            let _ = handle::remove_folder(&parent, &name);
        }
    }
}

fn replace_in(
    folder: &Dir,
    path: &WorkspacePath,
    expected: &Expected,
    bytes: &[u8],
    executable: Executable,
) -> Result<Written, DoorError> {
    let failed = |error| DoorError::io(path.given(), error);
    let name = path.name.as_os_str();
    let mut old = check_expected(folder, name, path, expected)?;
    let (created, links) = (old.is_none(), old.as_ref().map_or(1, |(stat, _)| stat.links));
    let set_id_gone = old.as_ref().is_some_and(|(stat, _)| stat.mode & SET_ID != 0);
    let mode = if executable == Executable::Set { 0o777 } else { 0o666 };
    let (temporary, file) =
        temporary::create_file(folder, if old.is_some() { 0o600 } else { mode }).map_err(failed)?;
    let removed = |error| {
        let _ = handle::remove_file(folder, &temporary);
        error
    };
    let filled = fill(&file, bytes, old.as_ref(), executable).map_err(failed);
    filled.map_err(removed)?;
    // Some systems put nothing in the place of a file that is open.
    drop(old.take());
    // The bytes took time to write: the place is looked at once more, right before the names change.
    let (new, place) = ((folder, temporary.as_os_str()), (folder, name));
    match hold_expected(folder, name, path, expected).map_err(removed)? {
        Some((then, _held)) => take_place(new, place, &then),
        None => take_free(new, place),
    }
    .map_err(|error| refused(path.given(), error))?;
    // The new bytes are in place; a folder that cannot be synced (no permission to list it) is no failed write.
    let _ = sync_folder(folder);
    Ok(Written { created, folders_created: 0, other_names: links.saturating_sub(1), set_id_gone })
}

/// Looks once more, and holds what it has seen: between this look and the rename that follows, no other host puts anything there.
fn hold_expected(
    folder: &Dir,
    name: &OsStr,
    path: &WorkspacePath,
    expected: &Expected,
) -> Result<Option<(Stat, Option<File>)>, DoorError> {
    let Some((stat, file)) = check_expected(folder, name, path, expected)? else { return Ok(None) };
    if temporary::hold_named(folder, name, &file, &stat) {
        return Ok(Some((stat, handle::kept_open(file))));
    }
    Err(DoorError::Stale { path: path.given().to_owned() })
}

/// The old file, if what stands at `name` is what the caller expects.
pub(super) fn check_expected(
    folder: &Dir,
    name: &OsStr,
    path: &WorkspacePath,
    expected: &Expected,
) -> Result<Option<(Stat, File)>, DoorError> {
    let stale = || DoorError::Stale { path: path.given().to_owned() };
    let failed = |error| DoorError::io(path.given(), error);
    let Expected::Etag(etag) = expected else {
        return match handle::stat(folder, name) {
            Ok(_) => Err(DoorError::AlreadyExists { path: path.given().to_owned() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
        };
    };
    let file = handle::open_file(folder, name).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => failed(error),
        _ => stale(),
    })?;
    let stat = handle::stat_open(&file).map_err(failed)?;
    if stat.kind != FileKind::File || stat.size > limits::SCAN_BYTES {
        return Err(stale());
    }
    if etag_of(&file, stat.size).map_err(failed)? != *etag {
        return Err(stale());
    }
    Ok(Some((stat, file)))
}

/// Of what is in an open file, which has `size` bytes. One that grows meanwhile is another file.
fn etag_of(mut file: &File, size: u64) -> io::Result<Etag> {
    /// Large enough for every lane of the hash, small enough to stay in the processor's cache.
    const PIECE: usize = 128 * 1024;
    let mut hasher = EtagHasher::default();
    let mut piece = vec![0; usize::try_from(size + 1).unwrap_or(PIECE).min(PIECE)];
    let mut left = size + 1;
    while left > 0 {
        let count = match file.read(&mut piece) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if count == 0 {
            break;
        }
        hasher.update(&piece[..count]);
        left = left.saturating_sub(count as u64);
    }
    Ok(hasher.end())
}

/// Fills the new file and gives it what the old one had.
pub(super) fn fill(
    mut file: &File,
    bytes: &[u8],
    old: Option<&(Stat, File)>,
    executable: Executable,
) -> io::Result<()> {
    file.write_all(bytes)?;
    if let Some((stat, old)) = old {
        handle::copy_attributes(old, file);
        let rights = Rights { mode: stat.mode, owner: None }.of_new_bytes(executable == Executable::Set);
        handle::set_mode(file, stat.owner(), rights.mode)?;
    }
    file.sync_all()
}

pub(super) fn sync_folder(folder: &Dir) -> io::Result<()> {
    handle::sync(&handle::open_folder_to_read(folder, ".".as_ref())?)
}
