//! Folders: made with what is above them, taken away when nothing else is in them, never with what is not ours.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::{io_error, link_of};
use crate::{
    ids,
    install::{error::InstallError, permissions},
};

/// Makes the folder and those of its parents that are not there, with this mode.
pub fn create_folders(folder: &Path, mode: u32) -> Result<(), InstallError> {
    for folder in missing_folders(folder) {
        match permissions::create_folder(&folder, mode) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(io_error("cannot make the folder", &folder, source)),
        }
    }
    Ok(())
}

/// Makes one folder, whose parent is there.
pub fn create_folder(folder: &Path, mode: u32) -> Result<(), InstallError> {
    permissions::create_folder(folder, mode)
        .map_err(|source| io_error("cannot make the folder", folder, source))
}

/// The folders of a path that are not there yet, outermost first.
pub fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> =
        folder.ancestors().take_while(|ancestor| !ancestor.exists()).map(Path::to_path_buf).collect();
    missing.reverse();
    missing
}

/// What is in a folder, in order of names; nothing where it cannot be read.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    entries
}

/// What is in a folder, in order of names; one that is not there holds nothing.
pub fn contents(folder: &Path) -> Result<Vec<PathBuf>, InstallError> {
    let found = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        found => found.and_then(Iterator::collect::<io::Result<Vec<_>>>),
    };
    let mut found: Vec<PathBuf> = found
        .map_err(|source| io_error("cannot look into", folder, source))?
        .into_iter()
        .map(|entry| entry.path())
        .collect();
    found.sort();
    Ok(found)
}

/// True when the folder holds anything but `ours`.
pub fn holds_more_than(folder: &Path, ours: Option<&Path>) -> bool {
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(|entry| Some(&*entry.path()) != ours))
}

/// True for a folder that holds nothing but such folders.
pub fn is_hollow(folder: &Path) -> bool {
    link_of(folder).is_none()
        && fs::read_dir(folder).is_ok_and(|entries| entries.flatten().all(|entry| is_hollow(&entry.path())))
}

/// Removes folders that hold nothing but empty folders; anything else stays.
pub fn remove_hollow(folder: &Path) {
    if link_of(folder).is_some() {
        return;
    }
    for inner in entries(folder) {
        remove_hollow(&inner);
    }
    let _ = fs::remove_dir(folder);
}

/// Removes folders that we made, as far as nothing else is in them; inner ones stand behind outer ones. An error is about the first
/// that holds nothing and stays all the same.
pub fn remove_empty_folders(folders: &[PathBuf]) -> Result<(), InstallError> {
    let mut first = Ok(());
    for folder in folders.iter().rev() {
        let Err(source) = fs::remove_dir(folder) else { continue };
        // Where something else is in it, or it is something else, it is right that it stays.
        let is_right =
            [io::ErrorKind::NotFound, io::ErrorKind::DirectoryNotEmpty, io::ErrorKind::NotADirectory]
                .contains(&source.kind());
        if !is_right && link_of(folder).is_none() && !holds_more_than(folder, None) {
            first = first.and(Err(io_error("cannot remove the folder", folder, source)));
        }
    }
    first
}

/// Removes a folder of ours with all that is in it.
pub fn remove_folder(folder: &Path) -> Result<(), InstallError> {
    fs::remove_dir_all(folder).map_err(|source| io_error("cannot remove", folder, source))
}

/// Sets the permission bits of a folder.
pub fn set_mode(folder: &Path, mode: u32) -> Result<(), InstallError> {
    File::open(folder)
        .and_then(|folder| permissions::set_mode(&folder, mode))
        .map_err(|source| io_error("cannot change the permissions of", folder, source))
}

/// Moves a folder that stands where a file of ours belongs beside it; whatever is in it stays.
pub fn move_folder_aside(path: &Path) -> Result<(), InstallError> {
    if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
        return Ok(());
    }
    fs::rename(path, aside(path)).map_err(|source| io_error("cannot move away", path, source))
}

/// A name beside `path` for what stands there and is not ours.
pub fn aside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}-{}.old", ids::new_ulid()))
}

/// A block of most disks: less could still fit into what is there.
const TRIAL_BYTES: usize = 4096;

/// Makes a small file in the folder and removes it: what neither permissions nor free space tell beforehand.
pub fn try_writing(folder: &Path) -> Result<(), InstallError> {
    let path = folder.join(format!(".{}.trial", ids::new_ulid()));
    let written = OpenOptions::new().write(true).create_new(true).open(&path).and_then(|mut file| {
        // Without a name first: whoever is cut off leaves nothing.
        fs::remove_file(&path)?;
        file.write_all(&[0; TRIAL_BYTES])
    });
    written.map_err(|source| {
        let _ = fs::remove_file(&path);
        io_error("cannot write", &path, source)
    })
}
