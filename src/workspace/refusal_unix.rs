//! The numbers of Unix.

use std::io;

use rustix::io::Errno;

use super::Refusal;

/// What `error` means; `None` for all others.
pub(in crate::workspace) fn of(error: &io::Error) -> Option<Refusal> {
    match Errno::from_io_error(error)? {
        Errno::LOOP | Errno::MLINK => Some(Refusal::Link),
        Errno::INVAL => Some(Refusal::NoLink),
        Errno::NOTDIR => Some(Refusal::NoFolder),
        Errno::NXIO => Some(Refusal::Socket),
        Errno::AGAIN => Some(Refusal::Changing),
        _ => None,
    }
}

/// An error that means [`Refusal::Changing`].
pub(in crate::workspace) fn changing() -> io::Error {
    Errno::AGAIN.into()
}
