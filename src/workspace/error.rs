//! How the door refuses: facts, no words for people beyond them.

use std::io;

use super::refusal::{self, Refusal};
use crate::policy::{Blocker, PathRules};

/// Why the door did not open.
#[derive(Debug, thiserror::Error)]
pub enum DoorError {
    /// Nothing there.
    #[error("`{path}` does not exist")]
    NotFound {
        /// As given.
        path: String,
        /// Names in the same folder that are near.
        candidates: Vec<String>,
    },
    /// Something else is there.
    #[error("`{path}` is {found}, not {wanted}")]
    WrongType {
        /// As given.
        path: String,
        /// What is there: "a folder", "a FIFO", …
        found: &'static str,
        /// What was needed.
        wanted: &'static str,
    },
    /// It leads out of the workspace.
    #[error("`{path}` is outside the workspace: {reason}")]
    Outside {
        /// As given.
        path: String,
        /// How it leads out.
        reason: String,
    },
    /// The law blocks it.
    #[error("`{path}` is {}", blocked(glob, *by))]
    Blocked {
        /// As given.
        path: String,
        /// The glob.
        glob: String,
        /// Whose it is.
        by: Blocker,
    },
    /// The folder that is the workspace.
    #[error("`{path}` may not be changed by a tool: it is the workspace itself")]
    IsRoot {
        /// As given.
        path: String,
    },
    /// No tool may change it.
    #[error("`{path}` may not be changed by a tool: {reason}")]
    Forbidden {
        /// As given.
        path: String,
        /// Why.
        reason: String,
    },
    /// The same, because of another workspace that shares files with this one.
    #[error("`{path}` {relation} the workspace `{workspace}`, which is read-only")]
    OfReadOnly {
        /// As given.
        path: String,
        /// It lies in it, or holds it.
        relation: &'static str,
        /// Its id.
        workspace: String,
    },
    /// The path of another workspace leads through it.
    #[error(
        "`{path}` stays where it is: the folder of the workspace `{workspace}` is there, or is reached through it"
    )]
    OnTheWay {
        /// As given.
        path: String,
        /// Its id.
        workspace: String,
    },
    /// The administrator made the workspace read-only.
    #[error("the workspace `{workspace}` is read-only")]
    ReadOnly {
        /// Its id.
        workspace: String,
    },
    /// No usable name at all.
    #[error("`{path}` is no usable path: {reason}")]
    InvalidPath {
        /// As given, escaped.
        path: String,
        /// Why.
        reason: String,
    },
    /// More than the limit.
    #[error("`{path}` has {size} bytes; the limit is {limit}")]
    TooLarge {
        /// As given.
        path: String,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// It changed since it was looked at.
    #[error("`{path}` has changed since it was read")]
    Stale {
        /// As given.
        path: String,
    },
    /// The same, and by the time it was to get its name back, that was taken.
    #[error(
        "`{path}` has changed since it was read, and something else has its name by now: what stood there is `{kept}`"
    )]
    Displaced {
        /// As given.
        path: String,
        /// The name that it has now.
        kept: String,
    },
    /// Something is there already.
    #[error("`{path}` already exists")]
    AlreadyExists {
        /// As given.
        path: String,
    },
    /// The root of a workspace cannot be opened.
    #[error("the workspace `{workspace}` cannot be opened at `{root}`: {source}")]
    Root {
        /// Its id.
        workspace: String,
        /// Its folder.
        root: String,
        /// Why.
        source: io::Error,
    },
    /// A bug: a write without a permit for writing.
    #[error("the call's permit does not cover a write to `{path}`")]
    NotPermitted {
        /// The path.
        path: String,
    },
    /// Something in it is blocked by the law; its name is not told.
    #[error("`{path}` holds a path that is {}", blocked(glob, *by))]
    HoldsBlocked {
        /// As given.
        path: String,
        /// The glob.
        glob: String,
        /// Whose it is.
        by: Blocker,
    },
    /// More names than a person looks through.
    #[error("`{path}` holds more than {limit}")]
    TooMany {
        /// As given.
        path: String,
        /// How many are allowed.
        limit: String,
    },
    /// Another file system begins there.
    #[error("`{path}` is a mount point")]
    MountPoint {
        /// Relative to the workspace.
        path: String,
    },
    /// Somebody asked to stop.
    #[error("the work on `{path}` was stopped")]
    Stopped {
        /// As given.
        path: String,
    },
    /// The system refused.
    #[error("`{path}`: {source}")]
    Io {
        /// As given.
        path: String,
        /// Why.
        source: io::Error,
    },
}

impl DoorError {
    /// What the law says to a tool that would change what is forbidden; `path` is the resolved one, `given` how it is called.
    pub fn forbidden(rules: &PathRules, path: &str, given: impl Into<String>) -> Self {
        let given = given.into();
        let around = rules.read_only_around(path).map(|workspace| ("lies in", workspace));
        match around.or_else(|| rules.read_only_below(path).map(|workspace| ("holds", workspace))) {
            Some((relation, workspace)) => {
                Self::OfReadOnly { path: given, relation, workspace: workspace.to_owned() }
            }
            None => Self::Forbidden {
                path: given,
                reason: "git's own data and outrigger's own files are never changed by a tool".to_owned(),
            },
        }
    }

    /// The error of a system call on `path`.
    pub fn io(path: impl ToString, source: io::Error) -> Self {
        let path = path.to_string();
        match refusal::of(&source) {
            // Links are followed by the door, never by the system: this one was put there after the path was looked at.
            Some(Refusal::Link) => {
                return Self::WrongType {
                    path,
                    found: "a symbolic link",
                    wanted: "what it was a moment ago",
                };
            }
            // The system gave up on a path that others kept changing.
            Some(Refusal::Changing) => return Self::Stale { path },
            // A socket that was put there.
            Some(Refusal::Socket) => {
                return Self::WrongType { path, found: "no regular file", wanted: "a regular file" };
            }
            _ => {}
        }
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                Self::NotFound { path, candidates: Vec::new() }
            }
            io::ErrorKind::AlreadyExists => Self::AlreadyExists { path },
            // Our own word for a pipe or a device, found after it was opened without blocking.
            io::ErrorKind::InvalidInput if source.raw_os_error().is_none() => {
                Self::WrongType { path, found: "no regular file", wanted: "a regular file" }
            }
            _ => Self::Io { path, source },
        }
    }
}

/// What a path is that the law blocks. What a file blocks that cannot be used is not known.
fn blocked(rule: &str, by: Blocker) -> String {
    match by {
        Blocker::Unusable => format!("{}: it could block anything", by.because(rule)),
        Blocker::Configuration | Blocker::User => format!("blocked by {by} (it matches `{rule}`)"),
    }
}
