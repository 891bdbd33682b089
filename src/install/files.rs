//! The installer's own way to disk: whole small files, read with a limit, written so that they are never half there.
#![expect(
    clippy::disallowed_methods,
    reason = "the installer writes manifests outside every workspace: it has a door of its own"
)]

use std::{fs, io, path::Path};

pub use self::{
    compare::{is_no_program, same_contents, sha256},
    folders::{
        aside, contents, create_folder, create_folders, entries, holds_more_than, is_hollow, missing_folders,
        move_folder_aside, remove_empty_folders, remove_folder, remove_hollow, set_mode, try_writing,
    },
    lock::{is_locked, lock, lock_folder},
    look::{
        Existing, Most, canonical, changed, is_empty_file, is_mine, is_program, is_same_folder, is_there,
        link_of, look, look_at, look_link, look_up_to, may_change, mode_of, owner_of, read_some,
        read_through, read_up_to,
    },
    replace::{
        Stamp, copy_file, copy_program, link_atomic, link_stamped, sweep, temporaries, temporary_beside,
        write_atomic, write_into, write_lasting, write_stamped,
    },
};
use super::{error::InstallError, permissions};

mod compare;
mod folders;
mod lock;
mod look;
mod replace;

/// For this user alone: browsers keep their profiles that way.
pub const PRIVATE: u32 = 0o700;
/// For everybody to read.
pub const SHARED: u32 = 0o755;
/// A file for this user alone.
const PRIVATE_FILE: u32 = 0o600;

/// Gives what is at `from` another name.
pub fn rename(from: &Path, to: &Path) -> Result<(), InstallError> {
    fs::rename(from, to).map_err(|source| io_error("cannot move away", from, source))?;
    settle(to);
    Ok(())
}

/// Removes a file of ours.
pub fn remove(path: &Path) -> Result<(), InstallError> {
    fs::remove_file(path).map_err(|source| io_error("cannot remove", path, source))?;
    settle(path);
    Ok(())
}

/// Adds and takes permission bits of a file or folder.
pub fn change_mode(path: &Path, add: u32, remove: u32) -> Result<(), InstallError> {
    permissions::change_mode(path, add, remove)
        .map_err(|source| io_error("cannot change the permissions of", path, source))
}

/// A failure of the system, with its file.
pub fn io_error(action: &'static str, path: &Path, source: io::Error) -> InstallError {
    InstallError::Io { action, path: path.to_path_buf(), source }
}

/// The same where it is done already: a disk that cannot say so has changed the name all the same, and what is there now counts.
fn settle(path: &Path) {
    if let Err(error) = sync_folder_of(path) {
        tracing::debug!(path = %path.display(), %error, "a new name may not outlast a power cut");
    }
}

/// A rename lasts only when its folder has reached the disk.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) => permissions::sync_folder(folder),
        None => Ok(()),
    }
}
