//! The journal's own folder and files, for this user alone.

use std::{
    fs, io,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::Path,
};

pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    crate::config::make_own(folder)
}

/// Takes the rights of all others to a file that is ours. By its name: to open and close a database's file would end the locks that
/// this process holds on it.
pub(super) fn keep_file(path: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    let is_ours = found.is_file() && found.uid() == rustix::process::geteuid().as_raw();
    if is_ours && found.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}
