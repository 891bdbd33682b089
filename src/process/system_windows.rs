//! What Windows has for those who start a helper.

use std::path::PathBuf;

/// The binary that runs, by its name: the system lets nobody replace it meanwhile.
pub(super) fn own_binary() -> PathBuf {
    std::env::current_exe().unwrap_or_default()
}
