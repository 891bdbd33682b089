//! Our own files in the user's folders: for this user alone.

use std::{
    fs::{File, Metadata, OpenOptions},
    io,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::Path,
};

/// Creates a file that must not exist, readable by nobody else.
#[expect(clippy::disallowed_methods, reason = "these are our own files")]
pub(super) fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Says when a file may have changed: nobody can set these numbers.
pub(super) fn stamp(metadata: &Metadata) -> (u64, i64, i64) {
    (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
}
