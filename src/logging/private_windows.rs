//! The log's folder and file: they lie in the state folder, which is the user's alone.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::windows::fs::OpenOptionsExt as _,
    path::Path,
};

use windows_sys::Win32::Storage::FileSystem::FILE_FLAG_OPEN_REPARSE_POINT;

#[expect(clippy::disallowed_methods, reason = "the log keeps its own folder")]
pub(super) fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Opens the file to add to it. A link that somebody put there would lead the log elsewhere: it is not followed.
#[expect(clippy::disallowed_methods, reason = "the log writes its own file")]
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options.append(true).create(true).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}
