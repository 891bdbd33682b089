//! A folder that only its owner can look into.

use std::{
    fs::{DirBuilder, Permissions},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _},
    path::Path,
};

/// Makes the folder with mode 0700, or brings the user's own one to it.
pub(super) fn make(folder: &Path) -> Result<(), String> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| error.to_string())?;
    let metadata = std::fs::metadata(folder).map_err(|error| error.to_string())?;
    let user = rustix::process::geteuid().as_raw();
    if metadata.uid() != user {
        return Err(format!("it belongs to another user (uid {})", metadata.uid()));
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        std::fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(|error| error.to_string())?;
    }
    Ok(())
}
