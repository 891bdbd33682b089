//! The private temporary folder of one command: made for it, readable by nobody else, gone after it.
//!
//! Host and helper hold it as long as they live, so that a folder that nobody holds was left by both, and a later host removes it.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    thread,
};

use super::{ProcessError, family, removal, writable};
use crate::{config, ids::new_ulid};

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub(super) struct PrivateTemp {
    path: PathBuf,
    _hold: Option<File>,
}

/// Names that are tried: a new folder is anybody's for a moment, and who clears up may take it.
const TRIES: usize = 4;

impl PrivateTemp {
    /// A new folder below `base`, which is made when it is missing.
    pub(super) fn create(base: &Path) -> Result<Self, ProcessError> {
        let mut tries = 0;
        loop {
            // Short, because programs put sockets here, and a socket's path ends at about 100 bytes.
            let name: String = new_ulid().chars().skip(10).collect();
            let path = base.join(format!("run-{name}"));
            let make = || -> io::Result<Option<File>> {
                writable::private_folder().recursive(true).create(base)?;
                // Not recursive: a folder that somebody else put there is an error.
                writable::private_folder().create(&path)?;
                writable::hold(&path)
            };
            tries += 1;
            match make() {
                Ok(hold) => return Ok(Self { path, _hold: hold }),
                Err(error) if tries < TRIES && is_taken(&error) => {}
                Err(source) => return Err(ProcessError::Temp { folder: path, source }),
            }
        }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateTemp {
    fn drop(&mut self) {
        if let Err(error) = remove_tree(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "a command's temporary folder could not be removed");
        }
    }
}

fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::WouldBlock)
}

/// Removes the folders below `base` that hosts and helpers left when they were killed together. Nobody waits for it.
pub(super) fn clear_up(base: &Path) {
    let left = run_folders(base);
    if left.is_empty() {
        return;
    }
    let clear = move || {
        for path in left {
            // What outlived them both still has its place.
            let Some(_claim) = writable::claim(&path).filter(|_| !family::uses(&path)) else { continue };
            match remove_tree(&path) {
                Ok(()) => tracing::info!(path = %path.display(), "an abandoned temporary folder was removed"),
                Err(error) => {
                    tracing::warn!(path = %path.display(), %error, "an abandoned temporary folder could not be removed");
                }
            }
        }
    };
    if let Err(error) = thread::Builder::new().name("clear-up".to_owned()).spawn(clear) {
        tracing::warn!(%error, "abandoned temporary folders were not looked for");
    }
}

#[expect(clippy::disallowed_methods, reason = "this folder is ours, outside every workspace")]
fn run_folders(base: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(base).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_str().is_some_and(config::is_of_tmp));
    named.map(|entry| entry.path()).collect()
}

/// Removes a private temporary folder; that it is gone already is fine. Links in it are removed, not followed.
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    match removal::remove_tree(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(all(test, unix))]
#[expect(clippy::disallowed_methods, reason = "tests make their own folders")]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use rustix::fs::{Mode, OFlags};

    use super::*;

    #[test]
    fn closed_folders_are_removed_too_and_links_are_not_followed() {
        let base = tempfile::tempdir().unwrap();
        let beside = base.path().join("beside");
        std::fs::create_dir(&beside).unwrap();
        std::fs::set_permissions(&beside, PermissionsExt::from_mode(0o750)).unwrap();
        let temp = PrivateTemp::create(base.path()).unwrap();
        let path = temp.path().to_owned();
        std::fs::create_dir_all(path.join("a/b")).unwrap();
        symlink(&beside, path.join("a/link")).unwrap();
        for folder in ["a/b", "a"] {
            std::fs::set_permissions(path.join(folder), PermissionsExt::from_mode(0o000)).unwrap();
        }
        drop(temp);
        assert!(!path.exists());
        assert_eq!(beside.metadata().unwrap().permissions().mode() & 0o777, 0o750);
    }

    /// Deep enough to end a thread that calls itself for each level, and to use up descriptors where each level needs one.
    #[test]
    fn how_deep_folders_lie_in_each_other_does_not_matter() {
        const LEVELS: usize = 3000;
        let base = tempfile::tempdir().unwrap();
        let temp = PrivateTemp::create(base.path()).unwrap();
        let stand = OFlags::RDONLY | OFlags::DIRECTORY;
        let mut folder = rustix::fs::open(temp.path(), stand, Mode::empty()).unwrap();
        for _ in 0..LEVELS {
            rustix::fs::openat(&folder, "file", OFlags::WRONLY | OFlags::CREATE, Mode::RWXU).unwrap();
            for name in ["empty", "full"] {
                rustix::fs::mkdirat(&folder, name, Mode::RWXU).unwrap();
            }
            folder = rustix::fs::openat(&folder, "full", stand, Mode::empty()).unwrap();
        }
        drop(folder);
        let path = temp.path().to_owned();
        let small = thread::Builder::new().stack_size(128 * 1024);
        small.spawn(move || drop(temp)).unwrap().join().unwrap();
        assert!(!path.exists());
    }
}
