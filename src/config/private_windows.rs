//! A folder in the user's profile, which other users cannot look into.

use std::{fs::DirBuilder, path::Path};

/// Makes the folder.
pub(super) fn make(folder: &Path) -> Result<(), String> {
    DirBuilder::new().recursive(true).create(folder).map_err(|error| error.to_string())
}
