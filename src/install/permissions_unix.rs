//! What only Unix knows about files: modes, owners, links. Asked by `files` and the doctor, never changes what it was not given.

use std::{
    fs::{self, DirBuilder, File, Metadata, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt},
    path::Path,
};

use rustix::fs::Access;

/// The permission bits.
pub fn mode_of(metadata: &Metadata) -> u32 {
    metadata.permissions().mode() & 0o7777
}

/// Sets the permission bits, whatever the umask says.
pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode))
}

/// Makes one folder, for this user alone: browsers keep their profiles that way.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Makes a symbolic link.
pub fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Whether this user could start the file; a disk mounted `noexec` says no.
pub fn may_execute(path: &Path) -> bool {
    rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

/// What it is, when it is neither file, folder nor link.
pub fn special_kind(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

/// Who besides this user could replace what is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherWriter {
    /// Every user of the machine.
    Everyone,
    /// The members of a group that is not this user's own.
    Group(u32),
    /// Another user, who owns it.
    Owner(u32),
}

/// The widest right that others have over `path` (links followed), if any.
pub fn other_writer(path: &Path) -> io::Result<Option<OtherWriter>> {
    let metadata = fs::metadata(path)?;
    let mode = mode_of(&metadata);
    // In a sticky folder (like `/tmp`) others can add files but not replace ours.
    let sticky_folder = metadata.is_dir() && mode & 0o1000 != 0;
    if mode & 0o002 != 0 && !sticky_folder {
        return Ok(Some(OtherWriter::Everyone));
    }
    let user = rustix::process::geteuid().as_raw();
    // 65534 is how a user namespace shows owners that it has no name for: nothing can be said about them.
    if ![0, user, 65534].contains(&metadata.uid()) {
        return Ok(Some(OtherWriter::Owner(metadata.uid())));
    }
    let group = rustix::process::getegid().as_raw();
    if mode & 0o020 != 0 && !sticky_folder && ![0, group, 65534].contains(&metadata.gid()) {
        return Ok(Some(OtherWriter::Group(metadata.gid())));
    }
    Ok(None)
}
