//! Who could have written the file: whoever can, decides what runs.

use std::{
    fs::Metadata,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
};

/// The file belongs to the user or to root, and nobody else may write it.
pub(super) fn check(metadata: &Metadata) -> Result<(), (String, &'static str)> {
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o022 != 0 {
        return Err((
            format!("others may write the configuration file (mode {mode:03o})"),
            "`chmod go-w` takes that from them",
        ));
    }
    let owner = metadata.uid();
    let user = rustix::process::geteuid().as_raw();
    if owner != user && owner != 0 {
        return Err((
            format!("the configuration file belongs to another user (uid {owner})"),
            "`chown` it to yourself or to root",
        ));
    }
    Ok(())
}
