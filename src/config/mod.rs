//! The configuration: `typed` is what was written, `resolved` is what it means.
//!
//! TOML and YAML are read into one tree of values with their places (`document`), so that one model, one set of rules and one
//! set of messages serves both. A file that cannot be used is an error with file, line, column, reason and what would work;
//! there are no silent defaults. Globs and examples are judged by the law, which is a floor above (`policy::Law::new`).

#[cfg(windows)]
#[path = "access_windows.rs"]
pub(crate) mod access;
mod deserialize;
mod document;
pub mod edit;
mod encoding;
pub mod error;
mod folders;
pub mod load;
pub mod local;
pub mod locate;
#[cfg(unix)]
#[path = "own_file_unix.rs"]
mod own_file;
#[cfg(windows)]
#[path = "own_file_windows.rs"]
mod own_file;
mod read_toml;
mod read_yaml;
mod resolve;
mod resolve_command;
mod resolve_path;
pub mod resolved;
pub mod schema;
mod shipped;
pub mod show;
pub mod source;
pub mod state_folder;
pub mod trust;
mod typed;
pub mod watch;
pub mod widened;
mod written;

/// A whole configuration with comments, every setting at its default.
pub const EXAMPLE: &str = include_str!("example.toml");

pub use error::ConfigError;
pub use load::{load, parse};
pub use locate::{Hints, find, locate, locate_by, own_folder, own_program};
pub use resolve_command::TEMPORARY;
pub use resolved::{
    AddWorkspace, CommandEntry, Config, ExamplePlaces, ExecSettings, FileRules, GitSettings, JournalSettings,
    LogLevel, McpApprovals, Place, Places, Positional, Profile, RedactSettings, Sandbox, WorkspaceEntry,
};
pub use schema::schema;
pub(crate) use shipped::{is_git, starting_git};
pub use source::{Language, Source};
pub use state_folder::{
    PROBE, RESOLVING, is_of_journal, is_of_log, is_of_tmp, make_own, make_private, probe_folder,
    state_folder, state_path,
};
