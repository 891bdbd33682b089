//! The log's folder and file, for this user alone.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
};

use rustix::fs::OFlags;

#[expect(clippy::disallowed_methods, reason = "the log keeps its own folder")]
pub(super) fn make_private(folder: &Path) -> io::Result<()> {
    let parent = folder.parent().unwrap_or(folder);
    DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
    // The state folder was refused: it is somebody's who shows it to others.
    if fs::metadata(parent)?.permissions().mode() & 0o077 != 0 {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    if entries.into_iter().all(|entry| entry.file_name().to_str().is_some_and(crate::config::is_of_log)) {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Opens the file to add to it. A link that somebody put there would lead the log elsewhere: it is not followed. A named pipe
/// would hold the host up before its first word.
#[expect(clippy::disallowed_methods, reason = "the log writes its own file")]
pub(super) fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
        .open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}
