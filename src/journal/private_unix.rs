//! The journal's own folder, for this user alone.

use std::{fs, io, os::unix::fs::PermissionsExt as _, path::Path};

#[expect(
    clippy::disallowed_methods,
    reason = "the journal keeps its own folder, which no workspace door may open"
)]
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}
