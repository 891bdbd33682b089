//! By device and inode.

use std::{
    fs::{self, File, Metadata},
    os::unix::fs::MetadataExt as _,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Two writes within this time may leave the same times behind.
const SETTLED: Duration = Duration::from_millis(100);

/// What changes with whatever is written to a file: which one it is, its length, and when it changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState([u64; 2], u64, [i64; 4]);

/// How the open file stands; `None` while a change of the last moment may be one of two.
pub fn state(file: &File) -> Option<FileState> {
    let metadata = file.metadata().ok()?;
    let changed = Duration::new(metadata.ctime().try_into().ok()?, metadata.ctime_nsec().try_into().ok()?);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let times = [metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec()];
    (now.checked_sub(changed)? > SETTLED).then_some(FileState(
        [metadata.dev(), metadata.ino()],
        metadata.len(),
        times,
    ))
}

/// True when `path`, a link itself for a link, is the file or folder that is open.
pub fn is_same(file: &File, path: &Path) -> bool {
    let identity = |metadata: Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => identity(open) == identity(named),
        _ => false,
    }
}
