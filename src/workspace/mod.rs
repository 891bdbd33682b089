//! The only door to the files of a workspace.
//!
//! A root is opened once as a directory handle; everything is relative to it. No check on a string is ever followed by a use of
//! that string: a path is resolved component by component on handles, and what was resolved is what the law judges and what is
//! opened. Writes take a [`Permit`](crate::policy::Permit).

pub mod error;
mod ignore_rules;
mod nofollow;
pub mod repository;
pub mod root;
pub mod walk;

pub use error::DoorError;
pub use root::{Workspace, WorkspacePath};
