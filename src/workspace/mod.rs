//! The only door to the files of a workspace.
//!
//! A root is opened once as a directory handle; everything is relative to it. No check on a string is ever followed by a use of
//! that string: a path is resolved component by component on handles, and what was resolved is what the law judges and what is
//! opened. Writes take a [`Permit`](crate::policy::Permit).

pub mod confined;
mod displace;
mod elsewhere;
mod entry;
pub mod error;
mod folder;
#[cfg(unix)]
#[path = "handle_unix.rs"]
mod handle;
#[cfg(windows)]
#[path = "handle_windows.rs"]
mod handle;
mod ignore_rules;
mod ignored_above;
mod input;
pub mod list;
pub mod local;
pub(crate) mod look;
mod node;
mod nofollow;
#[cfg(windows)]
mod nt_windows;
pub mod path;
pub mod pipes;
mod planned;
pub mod read;
mod refusal;
mod relocate;
#[cfg(any(windows, test))]
mod reparse;
pub mod replace;
pub mod repository;
mod resolve;
pub mod restore;
pub mod root;
mod temporary;
mod together;
pub mod tree;
pub mod walk;
mod walk_ahead;
pub mod watch;

#[cfg(target_os = "linux")]
#[path = "holding_thread_linux.rs"]
mod holding_thread;
#[cfg(not(target_os = "linux"))]
#[path = "holding_thread_other.rs"]
mod holding_thread;
#[cfg(target_os = "linux")]
#[path = "interrupt_linux.rs"]
mod interrupt;
#[cfg(target_os = "linux")]
#[path = "kernel_linux.rs"]
mod kernel;
#[cfg(all(unix, not(target_os = "linux")))]
#[path = "kernel_other.rs"]
mod kernel;
#[cfg(windows)]
#[path = "kernel_windows.rs"]
mod kernel;
#[cfg(target_os = "linux")]
#[path = "users_settings_linux.rs"]
mod users_settings;
#[cfg(target_os = "linux")]
#[path = "waiting_linux.rs"]
mod waiting;
#[cfg(not(target_os = "linux"))]
#[path = "waiting_other.rs"]
mod waiting;

pub use crate::relpath::split_name;
pub use error::DoorError;
#[cfg(windows)]
pub(crate) use handle::pinned_path;
pub(crate) use input::{NAME_BYTES, PATH_BYTES};
pub use list::{FolderEntry, Link, Listing};
pub use local::{LOCAL_FILE, Stamp};
pub use path::{FileKind, WorkspacePath};
pub use read::Stat;
pub use relocate::Target;
pub use replace::{Executable, Expected, Written};
pub use root::{Backend, Workspace};
pub use temporary::is_one as is_temporary_name;
pub use together::Step;
pub use tree::{Tree, TreeEntry, TreeLimits};
