//! A folder that only its owner can look into.

use std::{
    fs::{DirBuilder, Permissions},
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _},
    path::Path,
};

/// Makes the folder with mode 0700, or brings the user's own one to it, unless something of others is in it.
pub(super) fn make(folder: &Path) -> io::Result<()> {
    let refused = |why: String| io::Error::new(io::ErrorKind::PermissionDenied, why);
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let metadata = std::fs::metadata(folder)?;
    let user = rustix::process::geteuid().as_raw();
    if metadata.uid() != user {
        return Err(refused(format!("it belongs to another user (uid {})", metadata.uid())));
    }
    let mode = metadata.permissions().mode() & 0o7777;
    if mode & 0o077 != 0 {
        if let Some(other) = other_in(folder) {
            return Err(refused(format!(
                "others may look into it (mode {mode:o}), and it holds `{other}`, which is not outrigger's"
            )));
        }
        std::fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// The first thing in the folder that is not ours.
#[expect(
    clippy::disallowed_methods,
    reason = "the state folder is our own, unless this finds that it is not"
)]
fn other_in(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| !super::is_ours(name)).min().map(|name| crate::text::visible(&name).into_owned())
}
