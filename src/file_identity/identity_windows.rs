//! By volume and index.
#![expect(unsafe_code, reason = "what the system calls a file has no stable wrapper")]

use std::{
    fs::{File, OpenOptions},
    io,
    os::windows::{fs::OpenOptionsExt as _, io::AsRawHandle as _},
    path::Path,
};

use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT,
    FILE_READ_ATTRIBUTES, GetFileInformationByHandle,
};

/// What changes with whatever is written to a file. Here nothing does: who holds a file open may have its times stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {}

/// How the open file stands.
pub fn state(_: &File) -> Option<FileState> {
    None
}

/// True when `path`, a link itself for a link, is the file or folder that is open.
pub fn is_same(file: &File, path: &Path) -> bool {
    match (identity(file), named(path).and_then(|named| identity(&named))) {
        (Ok(open), Ok(named)) => open == named,
        _ => false,
    }
}

#[expect(clippy::disallowed_methods, reason = "it is opened only to be asked what it is")]
fn named(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .access_mode(FILE_READ_ATTRIBUTES)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path)
}

fn identity(file: &File) -> io::Result<(u32, u32, u32)> {
    let mut facts = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is borrowed, the structure is ours.
    if unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut facts) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((facts.dwVolumeSerialNumber, facts.nFileIndexHigh, facts.nFileIndexLow))
}
