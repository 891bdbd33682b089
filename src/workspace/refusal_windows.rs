//! The numbers of Windows.

use std::io;

use windows_sys::Win32::Foundation::{
    ERROR_BAD_FILE_TYPE, ERROR_DIRECTORY, ERROR_NOT_A_REPARSE_POINT, ERROR_RETRY, ERROR_STOPPED_ON_SYMLINK,
};

use super::Refusal;

/// What `error` means; `None` for all others.
pub(in crate::workspace) fn of(error: &io::Error) -> Option<Refusal> {
    if error.kind() == io::ErrorKind::NotADirectory {
        return Some(Refusal::NoFolder);
    }
    match error.raw_os_error()?.cast_unsigned() {
        ERROR_STOPPED_ON_SYMLINK => Some(Refusal::Link),
        ERROR_NOT_A_REPARSE_POINT => Some(Refusal::NoLink),
        ERROR_DIRECTORY => Some(Refusal::NoFolder),
        ERROR_BAD_FILE_TYPE => Some(Refusal::Socket),
        ERROR_RETRY => Some(Refusal::Changing),
        _ => None,
    }
}

/// An error that means [`Refusal::Changing`].
pub(in crate::workspace) fn changing() -> io::Error {
    io::Error::from_raw_os_error(ERROR_RETRY.cast_signed())
}
