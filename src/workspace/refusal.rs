//! What the system means by the errors that the door tells apart.

#[cfg(unix)]
#[path = "refusal_unix.rs"]
mod system;
#[cfg(windows)]
#[path = "refusal_windows.rs"]
mod system;

pub(super) use system::{changing, of};

/// Why a name could not be opened as what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is a link.
    Link,
    /// It is no link.
    NoLink,
    /// It is no folder.
    NoFolder,
    /// It is a socket.
    Socket,
    /// Others keep changing it.
    Changing,
}
