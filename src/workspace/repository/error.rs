//! Why a repository cannot be used.

use std::{io, path::Path};

use super::{Failure, FailureKind};
use crate::{relpath::RelPath, text::visible};

/// Why a repository cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RepositoryError {
    /// There is none.
    #[error("`{path}` is in no git repository of this workspace")]
    None {
        /// Where it was looked for.
        path: String,
    },
    /// Part of it lies elsewhere.
    #[error("the repository at `{path}` reaches outside the workspace: {reason}")]
    Outside {
        /// Its folder.
        path: String,
        /// How.
        reason: String,
    },
    /// It uses something this version cannot handle.
    #[error("the repository at `{path}` uses {what}, which is not supported here")]
    Unsupported {
        /// Its folder.
        path: String,
        /// What.
        what: String,
    },
    /// Its git folder is not in it.
    #[error("the repository at `{path}` is a submodule or a linked worktree: {reason}")]
    Linked {
        /// Its folder.
        path: String,
        /// What cannot be done with it.
        reason: String,
    },
    /// It lies in a read-only workspace.
    #[error("the repository at `{path}` lies in the workspace `{workspace}`, which is read-only")]
    OfReadOnly {
        /// Its folder.
        path: String,
        /// Its id.
        workspace: String,
    },
    /// Something in it takes more memory or time than is given to it.
    #[error("the repository at `{path}` holds more than is read here: {reason}")]
    TooLarge {
        /// Its folder.
        path: String,
        /// What.
        reason: String,
    },
    /// There is no space where it lies.
    #[error("there is no space left for the repository at `{path}`: {reason}")]
    DiskFull {
        /// Its folder.
        path: String,
        /// What could not be written.
        reason: String,
    },
    /// The system forbids it.
    #[error("the system forbids access to the repository at `{path}`: {reason}")]
    Denied {
        /// Its folder.
        path: String,
        /// What to.
        reason: String,
    },
    /// It belongs to another user, and this one has not allowed it.
    #[error(
        "the repository at `{path}` belongs to another user, and git uses no such repository before this user allows it"
    )]
    Foreign {
        /// Its folder.
        path: String,
        /// The whole path of it, as git takes it.
        place: String,
    },
    /// It cannot be read.
    #[error("the repository at `{path}` cannot be read: {reason}")]
    Broken {
        /// Its folder.
        path: String,
        /// Why.
        reason: String,
    },
    /// Somebody else changes it right now, or died while doing so.
    #[error("the repository at `{path}` is locked by another git process")]
    Locked {
        /// Its folder.
        path: String,
        /// The lock, from its git folder.
        lock: String,
    },
    /// A reference is not what it was when the change was planned.
    #[error("`{reference}` of the repository at `{path}` has changed meanwhile")]
    Moved {
        /// Its folder.
        path: String,
        /// The reference.
        reference: String,
    },
    /// It is not the one that was opened.
    #[error("the repository at `{path}` was moved, or another put in its place, while it was worked on")]
    Replaced {
        /// Its folder.
        path: String,
    },
    /// A bug: a write without a permit for writing.
    #[error("the call's permit does not cover a write to the repository at `{path}`")]
    NotPermitted {
        /// Its folder.
        path: String,
    },
}

impl RepositoryError {
    /// The error of a part of the repository at `folder` that could not be read; `name` is its path, from there.
    pub(super) fn unreadable(folder: &RelPath, name: &Path, error: &io::Error) -> Self {
        let (path, reason) = (folder.to_string(), format!("`{}`: {error}", visible(&name.to_string_lossy())));
        match Failure::kind(error) {
            FailureKind::Denied => Self::Denied { path, reason },
            _ => Self::Broken { path, reason },
        }
    }
}
