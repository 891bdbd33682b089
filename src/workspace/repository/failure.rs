//! What kind of failure a git library tells of. libgit2 gives the system's words alone, so they are looked at.

use crate::workspace::refusal::{self, Refusal};

/// Why a library could not do something.
pub trait Failure: std::fmt::Display {
    /// Which it is.
    fn kind(&self) -> FailureKind;

    /// What is told of it.
    fn words(&self) -> String {
        self.to_string()
    }
}

/// What libgit2 says when a `write` of the system's failed while it stored an object: the one failure that it keeps to itself.
const NOTHING_SAID: &str = "no error";

/// The kinds that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// Something is not as it should be.
    Wrong,
    /// Something is too large.
    TooLarge,
    /// There is no space to write.
    DiskFull,
    /// The system forbids it.
    Denied,
    /// It belongs to another user, and this one has not allowed it.
    Foreign,
}

impl Failure for gix::Error {
    fn kind(&self) -> FailureKind {
        if self.is_resource_exhausted() {
            FailureKind::TooLarge
        } else if self.is_permission_denied() {
            FailureKind::Denied
        } else {
            FailureKind::Wrong
        }
    }
}

/// A link that leads to itself was on the way to a file.
pub fn leads_in_circles(error: &gix::Error) -> bool {
    let errors = error.iter_errors().filter_map(|error| error.downcast_ref::<std::io::Error>());
    errors.into_iter().any(|error| refusal::of(error) == Some(Refusal::Link))
}

impl Failure for git2::Error {
    fn kind(&self) -> FailureKind {
        match self.class() {
            git2::ErrorClass::NoMemory => FailureKind::TooLarge,
            _ if self.code() == git2::ErrorCode::Owner => FailureKind::Foreign,
            _ if self.message() == NOTHING_SAID => FailureKind::DiskFull,
            _ => by_words(self.message()),
        }
    }

    fn words(&self) -> String {
        if self.message() == NOTHING_SAID {
            "an object could not be written".to_owned()
        } else {
            self.to_string()
        }
    }
}

impl Failure for std::io::Error {
    fn kind(&self) -> FailureKind {
        use std::io::ErrorKind;
        match self.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                FailureKind::DiskFull
            }
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => FailureKind::Denied,
            _ => FailureKind::Wrong,
        }
    }
}

impl Failure for String {
    fn kind(&self) -> FailureKind {
        FailureKind::Wrong
    }
}

/// Libraries put the system's own words at the end of theirs.
fn by_words(message: &str) -> FailureKind {
    const FULL: &[&str] =
        &["No space left on device", "Disk quota exceeded", "not enough space on the disk", "File too large"];
    const DENIED: &[&str] =
        &["Permission denied", "Read-only file system", "Operation not permitted", "Access is denied"];
    let ends_with = |words: &[&str]| words.iter().any(|words| message.trim_end_matches('.').ends_with(words));
    if ends_with(FULL) {
        FailureKind::DiskFull
    } else if ends_with(DENIED) {
        FailureKind::Denied
    } else {
        FailureKind::Wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_words_are_known() {
        for (message, kind) in [
            ("could not write to '.git/index.lock': No space left on device", FailureKind::DiskFull),
            ("failed to create file: Read-only file system", FailureKind::Denied),
            ("failed to write: There is not enough space on the disk.", FailureKind::DiskFull),
            ("reference 'No space left on device' not found", FailureKind::Wrong),
            ("", FailureKind::Wrong),
            ("no error", FailureKind::DiskFull),
        ] {
            assert_eq!(git2::Error::from_str(message).kind(), kind, "{message}");
        }
    }
}
