//! The configuration: `typed` is what was written, `resolved` is what it means.
//!
//! A file that cannot be used is an error with file, line, column, reason and nearest name; there are no silent defaults.

pub mod resolved;

pub use resolved::{
    CommandEntry, Config, ExecSettings, FileRules, McpApprovals, Place, Positional, Profile, Sandbox,
    WorkspaceEntry,
};
