//! The installer's own way to disk: whole small files, read with a limit, written so that they are never half there.
#![expect(
    clippy::disallowed_methods,
    reason = "the installer writes manifests outside every workspace: it has a door of its own"
)]

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{error::InstallError, permissions};
use crate::ids;

/// No manifest is near this size; what is larger is something else and is not read into memory.
const FILE_BYTES: u64 = 1024 * 1024;

/// A block of most disks: less could still fit into what is there.
const TRIAL_BYTES: usize = 4096;
/// No build of outrigger is near this size; what is larger is none, and nobody waits until all of it was read.
const PROGRAM_BYTES: u64 = 1024 * 1024 * 1024;

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
    let read_error = |source| io_error("cannot read", path, source);
    // Asked before opening: the open of a named pipe would wait for a writer.
    let metadata = fs::metadata(path).map_err(read_error)?;
    if !metadata.is_file() {
        return Err(not_a_file(path, &metadata));
    }
    if metadata.len() > FILE_BYTES {
        let kind = "larger than 1 MiB, which no file of outrigger is";
        return Err(InstallError::NotAFile { path: path.to_path_buf(), kind });
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(FILE_BYTES).read_to_end(&mut bytes)).map_err(read_error)?;
    Ok(bytes)
}

/// Writes a file so that it holds the old bytes or the new ones, at any instant.
pub fn write_atomic(path: &Path, bytes: &[u8], mode: u32) -> Result<(), InstallError> {
    write_stamped(path, bytes, mode, None)
}

/// The same, with the owner and the time that another file had.
pub fn write_stamped(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    stamp: Option<&Stamp>,
) -> Result<(), InstallError> {
    let temporary = temporary_beside(path);
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        file.write_all(bytes)?;
        if let Some(stamp) = stamp {
            permissions::set_owner(&temporary, stamp.owner)?;
        }
        // After the owner, whose change takes bits away.
        permissions::set_mode(&file, mode)?;
        if let Some(stamp) = stamp {
            file.set_modified(stamp.modified())?;
        }
        file.sync_all()?;
        drop(file);
        fs::rename(&temporary, path)?;
        sync_folder_of(path)
    })();
    finish_replacing(path, &temporary, written)
}

/// Puts a symbolic link at `path`, in place of what is there.
pub fn link_atomic(path: &Path, to: &Path) -> Result<(), InstallError> {
    link_stamped(path, to, None)
}

/// The same, with the owner and the time that another link had.
pub fn link_stamped(path: &Path, to: &Path, stamp: Option<&Stamp>) -> Result<(), InstallError> {
    let temporary = temporary_beside(path);
    let linked = permissions::symlink(to, &temporary)
        .and_then(|()| match stamp {
            Some(stamp) => permissions::set_owner(&temporary, stamp.owner)
                .and_then(|()| permissions::set_link_time(&temporary, stamp.modified())),
            None => Ok(()),
        })
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

/// Whose a file was and when it was changed last: what its bytes and its mode do not tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// User and group, where there are such numbers.
    owner: Option<(u32, u32)>,
    /// Seconds and nanoseconds since 1970.
    modified: (u64, u32),
}

impl Stamp {
    /// That of what is at `path` now.
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = fs::symlink_metadata(path).ok()?;
        let since = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let modified = (since.as_secs(), since.subsec_nanos());
        Some(Self { owner: permissions::owner_of(&metadata), modified })
    }

    fn modified(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::new(self.modified.0, self.modified.1)
    }
}

/// For this user alone: browsers keep their profiles that way.
pub const PRIVATE: u32 = 0o700;
/// For everybody to read.
pub const SHARED: u32 = 0o755;
/// A file for this user alone.
const PRIVATE_FILE: u32 = 0o600;

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

/// Gives what is at `from` another name.
pub fn rename(from: &Path, to: &Path) -> Result<(), InstallError> {
    fs::rename(from, to)
        .and_then(|()| sync_folder_of(to))
        .map_err(|source| io_error("cannot move away", from, source))
}

/// The folders of a path that are not there yet, outermost first.
pub fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> =
        folder.ancestors().take_while(|ancestor| !ancestor.exists()).map(Path::to_path_buf).collect();
    missing.reverse();
    missing
}

/// Removes folders that we made, as far as nothing else is in them; inner ones stand behind outer ones.
pub fn remove_empty_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        // Fails where something else is in it, and that is right.
        let _ = fs::remove_dir(folder);
    }
}

/// When a file or folder was changed last; the beginning of time where that is not known.
pub fn changed(path: &Path) -> SystemTime {
    fs::symlink_metadata(path).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// An absolute path without links.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path).map(crate::text::unmarked)
}

/// True for a file that this user can start.
pub fn is_program(path: &Path) -> bool {
    path.is_file() && permissions::may_execute(path)
}

/// True when the folder holds anything but `ours`.
pub fn holds_more_than(folder: &Path, ours: Option<&Path>) -> bool {
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(|entry| Some(&*entry.path()) != ours))
}

/// A lock that is held until the returned file is dropped; other processes wait for it, though not for ever.
pub fn lock(path: &Path) -> Result<File, InstallError> {
    // The open of a named pipe would wait for a reader.
    if let Ok(metadata) = fs::metadata(path)
        && !metadata.is_file()
    {
        return Err(not_a_file(path, &metadata));
    }
    let cannot_lock = |source| io_error("cannot lock", path, source);
    let began = Instant::now();
    loop {
        let mut options = OpenOptions::new();
        let options = permissions::private(options.write(true).create(true).truncate(false));
        let file = match options.open(path) {
            // Nothing is in it that could be closed to its owner.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && is_mine(path) => {
                change_mode(path, PRIVATE_FILE, 0)?;
                options.open(path)
            }
            opened => opened,
        };
        let file = file.map_err(cannot_lock)?;
        match file.try_lock() {
            // Whoever held it may have removed the file when they were done with everything.
            Ok(()) if permissions::is_same_file(&file, path) => return Ok(file),
            Ok(()) => {}
            Err(fs::TryLockError::Error(source)) => return Err(cannot_lock(source)),
            Err(fs::TryLockError::WouldBlock) if began.elapsed() > PATIENCE => {
                return Err(InstallError::Held { path: path.to_path_buf(), by: permissions::holder(path) });
            }
            Err(fs::TryLockError::WouldBlock) => thread::sleep(LOOK),
        }
    }
}

/// A copy of the program reaches a slow disk in that time; who takes longer hangs, and whoever waits is told.
const PATIENCE: Duration = Duration::from_secs(30);
/// Not felt by a person, and nothing for a processor.
const LOOK: Duration = Duration::from_millis(50);

/// What stands where a file belongs.
fn not_a_file(path: &Path, metadata: &fs::Metadata) -> InstallError {
    let kind = if metadata.is_dir() { "a folder, not a file" } else { permissions::special_kind(metadata) };
    InstallError::NotAFile { path: path.to_path_buf(), kind }
}

/// Copies a program, so that it is whole and on the disk or not there at all; the folder is new.
pub fn copy_program(from: &Path, folder: &Path, name: &str) -> Result<(), InstallError> {
    let parent = folder.parent().unwrap_or(folder);
    let fresh = parent.join(format!(".{}.new", ids::new_ulid()));
    let copied = (|| {
        permissions::create_folder(&fresh, SHARED)?;
        let to = fresh.join(name);
        fs::copy(from, &to)?;
        let file = File::open(&to)?;
        permissions::set_mode(&file, SHARED)?;
        file.sync_all()?;
        drop(file);
        if folder.is_dir() {
            // The program there was found to be something else: it goes, whatever runs of it goes on. What else is there stays.
            let old = folder.join(name);
            if fs::symlink_metadata(&old).is_ok_and(|metadata| metadata.is_dir()) {
                fs::rename(&old, aside(&old))?;
            }
            fs::rename(&to, &old)?;
            fs::remove_dir(&fresh)?;
            return permissions::sync_folder(folder);
        }
        fs::rename(&fresh, folder)?;
        sync_folder_of(folder)
    })();
    copied.map_err(|source| {
        let _ = fs::remove_dir_all(&fresh);
        io_error("cannot write", folder, source)
    })
}

/// Copies a file, so that it is whole or not there.
pub fn copy_file(from: &Path, to: &Path, mode: u32) -> Result<(), InstallError> {
    let temporary = temporary_beside(to);
    let copied = (|| {
        fs::copy(from, &temporary)?;
        permissions::set_mode(&File::open(&temporary)?, mode)?;
        fs::rename(&temporary, to)
    })();
    finish_replacing(to, &temporary, copied)
}

/// Removes a folder of ours with all that is in it.
pub fn remove_folder(folder: &Path) -> Result<(), InstallError> {
    fs::remove_dir_all(folder).map_err(|source| io_error("cannot remove", folder, source))
}

/// What is in a folder, in order of names; nothing where it cannot be read.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    entries
}

/// The SHA-256 of a whole file, in hexadecimal digits.
pub fn sha256(path: &Path) -> Result<String, InstallError> {
    let mut hasher = Sha256::new();
    File::open(path)
        .and_then(|mut file| {
            let mut block = vec![0; BLOCK_BYTES];
            loop {
                match fill(&mut file, &mut block)? {
                    0 => return Ok(()),
                    length => hasher.update(&block[..length]),
                }
            }
        })
        .map_err(|source| io_error("cannot read", path, source))?;
    Ok(ids::hex(&hasher.finalize()))
}

/// How much of a program is looked at in one step.
const BLOCK_BYTES: usize = 256 * 1024;

/// Reads until the block is full or the file is over.
fn fill(file: &mut File, block: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < block.len() {
        match file.read(&mut block[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// The beginning of a file that tells its length as nothing: those of `/proc`.
pub fn read_some(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Makes a small file in the folder and removes it: what neither permissions nor free space tell beforehand.
pub fn try_writing(folder: &Path) -> Result<(), InstallError> {
    let path = folder.join(format!(".{}.trial", ids::new_ulid()));
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .and_then(|mut file| file.write_all(&[0; TRIAL_BYTES]));
    let removed = fs::remove_file(&path);
    written.and(removed).map_err(|source| io_error("cannot write", &path, source))
}

/// True for a file that this user may change.
pub fn may_change(path: &Path) -> bool {
    OpenOptions::new().write(true).open(path).is_ok()
}

/// True when another process holds the lock.
pub fn is_locked(path: &Path) -> bool {
    path.is_file()
        && File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)))
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

/// True for a folder that holds nothing but such folders.
pub fn is_hollow(folder: &Path) -> bool {
    link_of(folder).is_none()
        && fs::read_dir(folder).is_ok_and(|entries| entries.flatten().all(|entry| is_hollow(&entry.path())))
}

/// True for a regular file with nothing in it.
pub fn is_empty_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0)
}

/// Sets the permission bits of a folder.
pub fn set_mode(folder: &Path, mode: u32) -> Result<(), InstallError> {
    File::open(folder)
        .and_then(|folder| permissions::set_mode(&folder, mode))
        .map_err(|source| io_error("cannot change the permissions of", folder, source))
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

/// Where a link leads, as it is written.
pub fn link_of(path: &Path) -> Option<PathBuf> {
    fs::read_link(path).ok()
}

/// True for two files with the same bytes; what cannot be read is the same as nothing.
pub fn same_contents(one: &Path, other: &Path) -> bool {
    let length = |path: &Path| fs::metadata(path).map(|metadata| metadata.len()).ok();
    length(one).is_some_and(|length| length <= PROGRAM_BYTES)
        && length(one) == length(other)
        && equal(one, other).unwrap_or(false)
}

fn equal(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let (mut left, mut right) = (vec![0; BLOCK_BYTES], vec![0; BLOCK_BYTES]);
    loop {
        let (length, other_length) = (fill(&mut one, &mut left)?, fill(&mut other, &mut right)?);
        if left[..length] != right[..other_length] {
            return Ok(false);
        }
        if length == 0 {
            return Ok(true);
        }
    }
}

/// True for a file that is too large for any program of ours.
pub fn is_no_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.len() > PROGRAM_BYTES)
}

/// Adds and takes permission bits of a file or folder.
pub fn change_mode(path: &Path, add: u32, remove: u32) -> Result<(), InstallError> {
    permissions::change_mode(path, add, remove)
        .map_err(|source| io_error("cannot change the permissions of", path, source))
}

/// A failure of the system, with its file.
pub fn io_error(action: &'static str, path: &Path, source: io::Error) -> InstallError {
    InstallError::Io { action, path: path.to_path_buf(), source }
}

/// What writes to a file of this name have left in the folder because they were cut off.
pub fn temporaries(folder: &Path, name: &str) -> Vec<PathBuf> {
    let is_one = |path: &PathBuf| {
        let found = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let middle = found.strip_prefix('.').and_then(|found| found.strip_suffix(".new"));
        let ulid = match name {
            "" => middle,
            name => middle.and_then(|middle| middle.strip_prefix(name)?.strip_prefix('.')),
        };
        ulid.is_some_and(|ulid| ulid.len() == 26 && ulid.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    entries(folder).into_iter().filter(is_one).collect()
}

/// Removes what writes to this file have left beside it because they were cut off; whoever calls keeps others from writing to it.
pub fn sweep(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return;
    };
    for left in temporaries(folder, name).into_iter().filter(|left| !left.is_dir() && is_mine(left)) {
        let _ = fs::remove_file(left);
    }
}

/// A name that no browser reads: manifests end in `.json`.
pub fn temporary_beside(path: &Path) -> PathBuf {
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
        Some(folder) => permissions::sync_folder(folder),
        None => Ok(()),
    }
}
