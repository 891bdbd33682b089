//! What a command is held to, as far as the system can hold it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What a program is held to. What cannot be enforced exactly like this does not start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Bounds {
    /// The version of Landlock that holds its files; `None`: nothing does.
    pub(super) files: Option<u8>,
    /// It gets no sockets.
    pub(super) closes_network: bool,
    /// The system calls that change how other processes run are closed.
    pub(super) guards_processes: bool,
    /// All that it may write to, where files are held.
    pub(super) writable: Vec<Writable>,
}

/// A folder or file, by its name and by what it is: another one under the same name is not meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Writable {
    /// Absolute, without links.
    pub(super) path: PathBuf,
    /// `None`: it is not there yet, and is made, as a folder, before the command starts.
    pub(super) identity: Option<Identity>,
}

/// What a name stood for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    /// Of the file system.
    pub(super) device: u64,
    /// Of the folder or file.
    pub(super) inode: u64,
}
