//! What a program is on Unix: a file that this user may execute.

use std::path::{Path, PathBuf};

/// No bare name has one.
pub(super) const NOT_IN_NAMES: [char; 2] = ['/', '\0'];

/// Searched behind everything else; the only ones when the login shell does not answer.
pub(super) fn default_folders() -> Vec<PathBuf> {
    ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"].map(PathBuf::from).into()
}

/// The names that a program of this name can have.
pub(super) fn spellings(name: &str) -> [&str; 1] {
    [name]
}

/// True for a file that this user may start.
pub(super) fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}
