//! Locks between processes: waited for, though not for ever.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::{PRIVATE_FILE, change_mode, io_error, is_mine, look::not_a_file};
use crate::install::{error::InstallError, permissions};

/// A copy of the program reaches a slow disk in that time; who takes longer hangs, and whoever waits is told.
const PATIENCE: Duration = Duration::from_secs(30);
/// Not felt by a person, and nothing for a processor.
const LOOK: Duration = Duration::from_millis(50);

/// Folders are held for a few calls of the system.
const GLANCE: Duration = Duration::from_millis(2);

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

/// A lock on a folder itself, which is there before any file of ours; `None` where its disk or system has no such locks, or another
/// process does not let go.
pub fn lock_folder(folder: &Path) -> Option<File> {
    // The open of a named pipe would wait for a writer.
    let folder = File::open(folder.is_dir().then_some(folder)?).ok()?;
    let began = Instant::now();
    loop {
        match folder.try_lock() {
            Ok(()) => return Some(folder),
            Err(fs::TryLockError::WouldBlock) if began.elapsed() <= PATIENCE => thread::sleep(GLANCE),
            Err(_) => return None,
        }
    }
}

/// True when another process holds the lock.
pub fn is_locked(path: &Path) -> bool {
    path.is_file()
        && File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)))
}
