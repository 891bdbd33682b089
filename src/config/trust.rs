//! Which workspaces' own files the user has trusted: folder and SHA-256 of the bytes, in the state folder.
//!
//! A file that changes by one byte is no longer the trusted one. What cannot be read trusts nothing.

use std::{
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{error::ConfigError, own_file};
use crate::shell_words::moved_aside;

/// The most that is read: thousands of entries.
const TRUST_BYTES: u64 = 4 * 1024 * 1024;

/// One trusted file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trusted {
    /// The workspace's folder, canonical.
    pub folder: PathBuf,
    /// Lower-case hex of its file's bytes.
    pub sha256: String,
    /// When it was trusted, RFC 3339.
    pub at: String,
}

/// The record of them.
#[derive(Clone, Debug)]
pub struct TrustStore {
    file: PathBuf,
}

impl TrustStore {
    /// In this state folder.
    pub fn new(state_folder: &Path) -> Self {
        Self { file: state_folder.join("trust.json") }
    }

    /// Whether these bytes in this folder are trusted. Every doubt means no.
    pub fn trusts(&self, folder: &Path, sha256: &str) -> bool {
        self.list()
            .is_ok_and(|list| list.iter().any(|entry| entry.folder == folder && entry.sha256 == sha256))
    }

    /// Says when the record may have changed.
    pub fn stamp(&self) -> Option<(u64, i64, i64)> {
        let metadata = std::fs::metadata(&self.file).ok()?;
        Some(own_file::stamp(&metadata))
    }

    /// All of them.
    pub fn list(&self) -> Result<Vec<Trusted>, ConfigError> {
        let fail = |reason: String| {
            ConfigError::file(
                &self.file,
                format!("the record of trusted files cannot be used: {reason}"),
                format!("`{}` moves it away; nothing is trusted then", moved_aside(&self.file)),
            )
        };
        #[expect(clippy::disallowed_methods, reason = "the record is our own file in the state folder")]
        let file = match std::fs::File::open(&self.file) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(fail(error.to_string())),
        };
        // What is judged is what was opened.
        let metadata = file.metadata().map_err(|error| fail(error.to_string()))?;
        super::load::check_owner("the record of trusted files", &self.file, &metadata)?;
        let mut bytes = Vec::new();
        file.take(TRUST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| fail(error.to_string()))?;
        if bytes.len() as u64 > TRUST_BYTES {
            return Err(fail("it is larger than 4 MiB".to_owned()));
        }
        let text = String::from_utf8(bytes).map_err(|_| fail("it is not UTF-8".to_owned()))?;
        serde_json::from_str(&text).map_err(|error| fail(error.to_string()))
    }

    /// Trusts these bytes in this folder, and no other of it.
    pub fn add(&self, folder: &Path, sha256: &str) -> Result<(), ConfigError> {
        let _alone = self.hold()?;
        let mut list = self.list()?;
        list.retain(|entry| entry.folder != folder);
        let at = jiff::Timestamp::now().to_string();
        list.push(Trusted { folder: folder.to_owned(), sha256: sha256.to_owned(), at });
        self.write(&list)
    }

    /// Trusts nothing of this folder any more; false when nothing was.
    pub fn remove(&self, folder: &Path) -> Result<bool, ConfigError> {
        let _alone = self.hold()?;
        let mut list = self.list()?;
        let before = list.len();
        list.retain(|entry| entry.folder != folder);
        if list.len() != before {
            self.write(&list)?;
        }
        Ok(list.len() != before)
    }

    /// Keeps every other process of ours from the record, until it is dropped: what is read is what is changed.
    fn hold(&self) -> Result<Option<std::fs::File>, ConfigError> {
        let folder = self.file.parent().unwrap_or(&self.file);
        own_file::hold(folder).map_err(|error| self.not_written(&error))
    }

    fn not_written(&self, error: &std::io::Error) -> ConfigError {
        ConfigError::file(
            &self.file,
            format!("it cannot be written: {error}"),
            "check the folder's permissions and space",
        )
    }

    /// In one step, for this user alone.
    #[expect(clippy::disallowed_methods, reason = "the record is our own file in the state folder")]
    fn write(&self, list: &[Trusted]) -> Result<(), ConfigError> {
        let text = serde_json::to_string_pretty(list)
            .map_err(|error| ConfigError::file(&self.file, error.to_string(), ""))?;
        let fresh = self.file.with_extension(format!("{}.new", crate::ids::new_ulid()));
        let result = (|| {
            let mut stream = own_file::create(&fresh)?;
            stream.write_all(text.as_bytes())?;
            stream.sync_all()?;
            drop(stream);
            std::fs::rename(&fresh, &self.file)
        })();
        if result.is_err() {
            let _ = std::fs::remove_file(&fresh);
        }
        result.map_err(|error| self.not_written(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_change_at_once_is_all_there() {
        let folder = tempfile::tempdir().unwrap();
        let store = TrustStore::new(folder.path());
        let at = |thread: u32, number: u32| PathBuf::from(format!("/w/{thread}-{number}"));
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let store = &store;
                scope.spawn(move || {
                    for number in 0..3 {
                        store.add(&at(thread, number), "0").unwrap();
                    }
                    assert!(store.remove(&at(thread, 0)).unwrap());
                });
            }
        });
        let mut found: Vec<PathBuf> = store.list().unwrap().into_iter().map(|entry| entry.folder).collect();
        found.sort();
        let expected: Vec<PathBuf> = (0..8).flat_map(|thread| [at(thread, 1), at(thread, 2)]).collect();
        assert_eq!(found, expected);
    }
}
