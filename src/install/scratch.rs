//! A folder that lives as long as what works in it.
#![expect(clippy::disallowed_methods, reason = "a folder of our own, beside every workspace")]

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    error::InstallError,
    files::{PRIVATE, io_error},
    permissions,
};
use crate::ids;

/// A folder for this user alone that is removed, with all that is in it, when this is dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new one.
    pub fn create() -> Result<Self, InstallError> {
        let folder = std::env::temp_dir().join(format!("outrigger-{}", ids::new_ulid()));
        permissions::create_folder(&folder, PRIVATE)
            .map_err(|source| io_error("cannot make the folder", &folder, source))?;
        Ok(Self(folder))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A file in it, with the folders above it.
    pub fn put(&self, name: &str, text: &str) -> Result<PathBuf, InstallError> {
        let path = self.0.join(name);
        let parent = path.parent().unwrap_or(&self.0);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .map_err(|source| io_error("cannot write", &path, source))?;
        Ok(path)
    }

    /// A link in it to a folder elsewhere.
    pub fn link(&self, name: &str, to: &Path) -> Result<PathBuf, InstallError> {
        let path = self.0.join(name);
        let parent = path.parent().unwrap_or(&self.0);
        fs::create_dir_all(parent)
            .and_then(|()| permissions::symlink(to, &path))
            .map_err(|source| io_error("cannot link", &path, source))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A process that was just killed may still have been making files; links in it are removed, not followed.
        for _ in 0..20 {
            if !matches!(fs::remove_dir_all(&self.0), Err(error) if error.kind() != io::ErrorKind::NotFound) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }
}
