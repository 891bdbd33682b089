//! The private temporary folder of one command: made for it, readable by nobody else, gone after it.

use std::{
    fs::DirBuilder,
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use rustix::fs::{Mode, OFlags};

use super::{ProcessError, confinement, protocol::Writable};
use crate::ids::new_ulid;

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub(super) struct PrivateTemp {
    path: PathBuf,
}

impl PrivateTemp {
    /// A new folder below `base`, which is made when it is missing.
    pub(super) fn create(base: &Path) -> Result<Self, ProcessError> {
        // Short, because programs put sockets here, and a socket's path ends at about 100 bytes.
        let name: String = new_ulid().chars().skip(10).collect();
        let path = base.join(format!("run-{name}"));
        let make = || -> io::Result<()> {
            DirBuilder::new().recursive(true).mode(0o700).create(base)?;
            // Not recursive: a folder that somebody else put there is an error.
            DirBuilder::new().mode(0o700).create(&path)
        };
        make().map_err(|source| ProcessError::Temp { folder: path.clone(), source })?;
        Ok(Self { path })
    }

    /// By what it is, for the command that may write there.
    pub(super) fn writable(&self) -> Result<Writable, ProcessError> {
        let failed = |source| ProcessError::Temp { folder: self.path.clone(), source };
        // The folder above may be a link; the name of this one is ours.
        let real = real(&self.path).map_err(failed)?;
        let handle = rustix::fs::open(
            &real,
            OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::empty(),
        )
        .map_err(|error| failed(error.into()))?;
        confinement::of_handle(&real, handle).map_err(failed)
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

/// Removes a private temporary folder; that it is gone already is fine. Links in it are removed, not followed.
#[expect(clippy::disallowed_methods, reason = "this folder is ours, outside every workspace")]
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[expect(clippy::disallowed_methods, reason = "this folder is ours, outside every workspace")]
fn real(path: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(path)
}
