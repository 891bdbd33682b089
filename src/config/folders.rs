//! What the configuration has to know about folders, behind a trait so that its rules can be tested without any.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    locate::{own_folder, own_program},
    state_folder::state_path,
};

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A folder, and its path without links.
    Folder(PathBuf),
    /// Something else.
    Other,
    Missing,
    Unreadable(String),
}

/// Looks at folders.
pub(super) trait Folders {
    /// What is there.
    fn kind(&self, path: &Path) -> Kind;
    /// The user's home folder, without links.
    fn home(&self) -> Option<PathBuf>;
    /// Folders in which everything is outrigger's own, without links.
    fn own(&self) -> Vec<PathBuf>;
}

/// The real ones.
pub(super) struct System;

impl Folders for System {
    fn kind(&self, path: &Path) -> Kind {
        #[expect(
            clippy::disallowed_methods,
            reason = "a root is judged by where it really leads, before any door exists"
        )]
        match std::fs::canonicalize(path).map(crate::text::unmarked) {
            Ok(real) if real.is_dir() => Kind::Folder(real),
            Ok(_) => Kind::Other,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Kind::Missing,
            Err(error) => Kind::Unreadable(error.to_string()),
        }
    }

    fn home(&self) -> Option<PathBuf> {
        let home = etcetera::home_dir().ok()?;
        match self.kind(&home) {
            Kind::Folder(real) => Some(real),
            _ => Some(home),
        }
    }

    fn own(&self) -> Vec<PathBuf> {
        let named = state_path().ok().into_iter().chain(own_folder()).chain(own_program());
        let folders = named.filter_map(|path| match self.kind(&path) {
            Kind::Folder(real) => Some(real),
            _ => None,
        });
        folders.collect()
    }
}
