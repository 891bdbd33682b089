//! Our own files in the user's folders: for this user alone.

use std::{
    fs::{File, Metadata, OpenOptions, TryLockError},
    io,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// Creates a file that must not exist, readable by nobody else.
#[expect(clippy::disallowed_methods, reason = "these are our own files")]
pub(super) fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Keeps every other process of ours from changing a file in this folder, until it is dropped. A folder that is not there yet, or a disk
/// without locks, keeps nobody.
#[expect(clippy::disallowed_methods, reason = "these are our own files")]
pub(super) fn hold(folder: &Path) -> io::Result<Option<File>> {
    let Ok(folder) = File::open(folder) else { return Ok(None) };
    let began = Instant::now();
    loop {
        match folder.try_lock() {
            Ok(()) => return Ok(Some(folder)),
            Err(TryLockError::Error(_)) => return Ok(None),
            Err(TryLockError::WouldBlock) if began.elapsed() > PATIENCE => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "another program holds its folder"));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// A change takes milliseconds; who holds the folder for so long does something else.
const PATIENCE: Duration = Duration::from_secs(10);

/// Says when a file may have changed: nobody can set these numbers.
pub(super) fn stamp(metadata: &Metadata) -> (u64, i64, i64) {
    (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
}
