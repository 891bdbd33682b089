//! The installer's own way to disk: whole small files, read with a limit, written so that they are never half there.
#![expect(
    clippy::disallowed_methods,
    reason = "the installer writes manifests outside every workspace: it has a door of its own"
)]

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use super::{error::InstallError, permissions};
use crate::ids;

/// No manifest is near this size; what is larger is something else and is not read into memory.
const FILE_BYTES: u64 = 1024 * 1024;

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
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Existing::Absent),
        Err(source) => return Err(io_error("cannot look at", path, source)),
    };
    if metadata.is_symlink() {
        let to = fs::read_link(path).map_err(|source| io_error("cannot read the link", path, source))?;
        return Ok(Existing::Link { to });
    }
    let bytes = read_through(path)?;
    Ok(Existing::File { bytes, mode: permissions::mode_of(&metadata) })
}

/// Reads a file whole, through links, as a browser does; anything but a small regular file is an error.
pub fn read_through(path: &Path) -> Result<Vec<u8>, InstallError> {
    let read_error = |source| io_error("cannot read", path, source);
    // Asked before opening: the open of a named pipe would wait for a writer.
    let metadata = fs::metadata(path).map_err(read_error)?;
    let kind = if metadata.is_dir() {
        Some("a folder")
    } else if !metadata.is_file() {
        Some(permissions::special_kind(&metadata))
    } else if metadata.len() > FILE_BYTES {
        Some("larger than 1 MiB")
    } else {
        None
    };
    if let Some(kind) = kind {
        return Err(InstallError::NotAFile { path: path.to_path_buf(), kind });
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(FILE_BYTES).read_to_end(&mut bytes)).map_err(read_error)?;
    Ok(bytes)
}

/// Writes a file so that it holds the old bytes or the new ones, at any instant.
pub fn write_atomic(path: &Path, bytes: &[u8], mode: u32) -> Result<(), InstallError> {
    let temporary = temporary_beside(path);
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        file.write_all(bytes)?;
        permissions::set_mode(&file, mode)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&temporary, path)?;
        sync_folder_of(path)
    })();
    finish_replacing(path, &temporary, written)
}

/// Puts a symbolic link at `path`, in place of what is there.
pub fn link_atomic(path: &Path, to: &Path) -> Result<(), InstallError> {
    let temporary = temporary_beside(path);
    let linked = permissions::symlink(to, &temporary)
        .and_then(|()| fs::rename(&temporary, path))
        .and_then(|()| sync_folder_of(path));
    finish_replacing(path, &temporary, linked)
}

/// Removes a file of ours.
pub fn remove(path: &Path) -> Result<(), InstallError> {
    fs::remove_file(path)
        .and_then(|()| sync_folder_of(path))
        .map_err(|source| io_error("cannot remove", path, source))
}

/// Makes the folder and those of its parents that are not there.
pub fn create_folders(folder: &Path) -> Result<(), InstallError> {
    for folder in missing_folders(folder) {
        match permissions::create_private_folder(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(io_error("cannot make the folder", &folder, source)),
        }
    }
    Ok(())
}

/// The folders of a path that are not there yet, outermost first.
pub fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> =
        folder.ancestors().take_while(|ancestor| !ancestor.exists()).map(Path::to_path_buf).collect();
    missing.reverse();
    missing
}

/// Removes folders that we made, as long as nothing else is in them; `folders` outermost first.
pub fn remove_empty_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

/// An absolute path without links.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// True for a file that this user can start.
pub fn is_program(path: &Path) -> bool {
    path.is_file() && permissions::may_execute(path)
}

/// True when the folder holds anything but `ours`.
pub fn holds_more_than(folder: &Path, ours: Option<&Path>) -> bool {
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(|entry| Some(&*entry.path()) != ours))
}

/// A lock that is held until the returned file is dropped; other processes wait for it.
pub fn lock(path: &Path) -> Result<File, InstallError> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .and_then(|file| file.lock().map(|()| file))
        .map_err(|source| io_error("cannot lock", path, source))
}

/// A failure of the system, with its file.
pub fn io_error(action: &'static str, path: &Path, source: io::Error) -> InstallError {
    InstallError::Io { action, path: path.to_path_buf(), source }
}

/// A name that no browser reads: manifests end in `.json`.
fn temporary_beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.new", ids::new_ulid()));
    path.with_file_name(name)
}

fn finish_replacing(path: &Path, temporary: &Path, result: io::Result<()>) -> Result<(), InstallError> {
    result.map_err(|source| {
        // After a failed rename the new file must not stay behind; when it was never made, there is nothing to remove.
        let _ = fs::remove_file(temporary);
        io_error("cannot write", path, source)
    })
}

/// A rename lasts only when its folder has reached the disk.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}
