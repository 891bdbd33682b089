//! Windows has no login shell: programs started from a desktop have the user's whole `PATH`.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// There is none to ask.
pub(super) fn of_user() -> Option<PathBuf> {
    None
}

/// Nothing is asked.
pub(super) fn arguments(_shell: &Path, _interactive: bool) -> Vec<OsString> {
    Vec::new()
}

/// Nothing was answered.
pub(super) fn path_in(_printed: &str) -> Option<OsString> {
    None
}
