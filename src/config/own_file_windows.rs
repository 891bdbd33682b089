//! Our own files in the user's folders: their folder decides who else may look into them.

use std::{
    fs::{File, Metadata, OpenOptions},
    io,
    os::windows::fs::MetadataExt as _,
    path::Path,
};

/// Creates a file that must not exist.
#[expect(clippy::disallowed_methods, reason = "these are our own files")]
pub(super) fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Keeps nobody from changing a file in this folder: folders have no locks here.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(super) fn hold(_folder: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// Says when a file may have changed: every write of ours makes a new file.
pub(super) fn stamp(metadata: &Metadata) -> (u64, i64, i64) {
    (metadata.creation_time(), metadata.last_write_time().cast_signed(), metadata.file_size().cast_signed())
}
