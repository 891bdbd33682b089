//! Hook files and the message file of a repository, by its folder's handle. Nothing is run here.

use std::{
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use super::{Repository, RepositoryError};
use crate::{
    ids::sha256_hex,
    policy::Permit,
    text::utf8_or_latin1,
    workspace::{handle, nofollow, temporary},
};

/// Where git keeps the message while hooks look at it; relative to the work tree.
pub const MESSAGE_FILE: &str = ".git/COMMIT_EDITMSG";
/// No hook is longer, and no message.
const HOOK_BYTES: u64 = 8 * 1024 * 1024;
const MESSAGE_BYTES: u64 = 256 * 1024;

/// What git leaves for the commit that ends a merge or the like, and takes away with it.
const PREPARED: &[&str] = &["MERGE_MSG", "SQUASH_MSG", "AUTO_MERGE"];

/// What stands in the place of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookFile {
    /// Nothing that would run.
    None,
    /// A program whose bytes have this SHA-256, as a person would check it.
    Regular(String),
    /// Something that could be anything when it runs.
    Other(&'static str),
}

impl Repository {
    /// The hook `name`, which must be a plain name.
    pub fn hook(&self, name: &str) -> Result<HookFile, RepositoryError> {
        let folder = self.folder.join(".git").join("hooks");
        let Ok(metadata) = self.handle.symlink_metadata(folder.as_path()) else { return Ok(HookFile::None) };
        if metadata.is_symlink() {
            return Ok(HookFile::Other("in a folder that is a link"));
        }
        let path = folder.join(name);
        let Ok(metadata) = self.handle.symlink_metadata(path.as_path()) else { return Ok(HookFile::None) };
        if metadata.is_symlink() {
            return Ok(HookFile::Other("a link"));
        }
        if !is_active(&metadata) {
            return Ok(HookFile::None);
        }
        let (file, metadata) =
            nofollow::open_file(&self.handle, path.as_path()).map_err(|error| self.broken(&error))?;
        if metadata.len() > HOOK_BYTES {
            return Ok(HookFile::Other("larger than 8 MiB"));
        }
        let mut bytes = Vec::new();
        file.take(HOOK_BYTES).read_to_end(&mut bytes).map_err(|error| self.broken(&error))?;
        Ok(HookFile::Regular(sha256_hex(&bytes)))
    }

    /// The hook's own path, for starting it.
    pub fn hook_path(&self, name: &str) -> PathBuf {
        self.git_dir.join("hooks").join(name)
    }

    /// True when a configured folder of hooks is the one that counts anyway.
    pub fn is_own_hooks_folder(&self, configured: &Path) -> bool {
        let own = self.git_dir.join("hooks");
        self.workdir.join(configured).components().eq(own.components())
    }

    /// Puts the message where hooks look for it.
    pub fn write_message(&self, permit: &Permit, message: &str) -> Result<(), RepositoryError> {
        if !permit.allows_write() {
            return Err(RepositoryError::NotPermitted { path: self.folder.to_string() });
        }
        let put = || -> io::Result<()> {
            let folder = nofollow::open_dir(&self.handle, self.folder.join(".git").as_path())?;
            let (name, mut file) = temporary::create_file(&folder, 0o666)?;
            let written = file
                .write_all(message.as_bytes())
                .and_then(|()| handle::rename(&folder, &name, "COMMIT_EDITMSG".as_ref()));
            if written.is_err() {
                let _ = handle::remove_file(&folder, &name);
            }
            written
        };
        put().map_err(|error| self.broken(&error))
    }

    /// What a merge or a picked commit that was only prepared has left goes: else git would begin the next commit with its message.
    pub fn forget_prepared(&self, permit: &Permit) {
        if !permit.allows_write() {
            return;
        }
        if let Ok(git) = nofollow::open_dir(&self.handle, self.folder.join(".git").as_path()) {
            for name in PREPARED {
                let _ = handle::remove_file(&git, name.as_ref());
            }
        }
    }

    /// The message as hooks have left it.
    pub fn read_message(&self) -> io::Result<String> {
        let path = self.folder.join(MESSAGE_FILE);
        let (file, _) = nofollow::open_file(&self.handle, path.as_path())?;
        let mut bytes = Vec::new();
        file.take(MESSAGE_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MESSAGE_BYTES {
            let reason = format!("it is longer than {} KiB", MESSAGE_BYTES >> 10);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
        }
        Ok(utf8_or_latin1(&bytes))
    }
}

#[cfg(unix)]
fn is_active(metadata: &cap_std::fs::Metadata) -> bool {
    use cap_std::fs::PermissionsExt as _;
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_active(metadata: &cap_std::fs::Metadata) -> bool {
    metadata.is_file()
}
