//! A path that the door resolved: what every other operation of the door takes.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    sync::Arc,
};

use cap_std::fs::Dir;

use super::{DoorError, temporary};
use crate::{limits, policy::PathClass, relpath::RelPath, text};

/// What stands at a name; links are not followed to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A block or character device.
    Device,
    /// Something the system has no word for.
    Other,
}

impl FileKind {
    /// As it stands in a sentence: "a folder".
    pub fn described(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Folder => "a folder",
            Self::Link => "a symbolic link",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Other => "no regular file",
        }
    }

    /// One word for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Folder => "dir",
            Self::Link => "link",
            Self::Fifo => "fifo",
            Self::Socket => "socket",
            Self::Device => "device",
            Self::Other => "other",
        }
    }
}

/// A path that the door resolved; only the door makes one.
///
/// It holds the folder it was found in as an open handle: later operations act on that handle and one plain name, so nothing
/// is ever resolved a second time. No link is left in it.
#[derive(Clone, Debug)]
pub struct WorkspacePath {
    pub(super) given: String,
    pub(super) resolved: RelPath,
    pub(super) parent: Arc<Dir>,
    pub(super) name: OsString,
    pub(super) missing_folders: Vec<OsString>,
    pub(super) kind: Option<FileKind>,
    pub(super) class: PathClass,
}

impl WorkspacePath {
    /// An error once `stop` says so.
    pub(super) fn go_on(&self, stop: &dyn Fn() -> bool) -> Result<(), DoorError> {
        if stop() { Err(DoorError::Stopped { path: self.given().to_owned() }) } else { Ok(()) }
    }

    /// Refuses places that no tool fills: names that a sweep takes away one day, or gives another place, and those below more new
    /// folders than anybody means.
    pub(super) fn check_place(&self) -> Result<(), DoorError> {
        let reason = if self.missing_folders.len() > limits::NEW_FOLDERS {
            format!(
                "{} folders would have to be made for it, more than {}",
                self.missing_folders.len(),
                limits::NEW_FOLDERS
            )
        } else if let Some(own) = self.resolved.as_path().ancestors().filter(|path| is_own(path)).last() {
            if self.exists() {
                format!(
                    "`{}` is what a change is built in or put aside in; where it was cut off, `fs_delete` of that name takes it away \
                     and gives back what is not its own",
                    text::from_os(own.as_os_str())
                )
            } else {
                "outrigger gives names of this shape to what is half done, and takes them away; choose another"
                    .to_owned()
            }
        } else {
            return Ok(());
        };
        Err(DoorError::InvalidPath { path: self.given.clone(), reason })
    }

    /// Where it really leads, relative to the root.
    pub fn resolved(&self) -> &RelPath {
        &self.resolved
    }

    /// The caller's own spelling, for messages.
    pub fn given(&self) -> &str {
        &self.given
    }

    /// What was there when it was resolved; `None` when nothing was.
    pub fn kind(&self) -> Option<FileKind> {
        self.kind
    }

    /// True when something was there.
    pub fn exists(&self) -> bool {
        self.kind.is_some()
    }

    /// True for an existing folder.
    pub fn is_folder(&self) -> bool {
        self.kind == Some(FileKind::Folder)
    }

    /// True for an existing regular file.
    pub fn is_file(&self) -> bool {
        self.kind == Some(FileKind::File)
    }

    /// What the law says about it: the strictest of the path as written and as resolved. Never [`PathClass::Blocked`].
    pub fn class(&self) -> PathClass {
        self.class
    }

    /// The deepest folder that exists on the way to it, open.
    pub fn parent_handle(&self) -> &Arc<Dir> {
        &self.parent
    }

    /// Its name in [`parent_handle`](Self::parent_handle) when it exists; `.` for the root.
    pub fn name(&self) -> &OsStr {
        &self.name
    }
}

/// Its last name is one that only a change under way has.
fn is_own(path: &Path) -> bool {
    path.file_name().is_some_and(temporary::is_one)
}
