//! A folder that only its owner, the system and the administrators can look into.

use std::path::Path;

use crate::config::access;

/// Makes the folder, and takes the rights of all others to it where they have some.
pub(super) fn make(folder: &Path) -> Result<(), String> {
    let words = |error: std::io::Error| error.to_string();
    std::fs::DirBuilder::new().recursive(true).create(folder).map_err(words)?;
    if access::is_shared(folder).map_err(words)? {
        access::make_private(folder).map_err(words)?;
    }
    Ok(())
}
