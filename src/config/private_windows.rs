//! A folder that only its owner, the system and the administrators can look into.

use std::path::Path;

use crate::config::access;

/// Makes the folder, and takes the rights of all others to it where they have some.
pub(super) fn make(folder: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).create(folder)?;
    if access::is_shared(folder)? {
        access::make_private(folder)?;
    }
    Ok(())
}
