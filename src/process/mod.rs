//! The only door to programs.

pub mod error;

pub use error::ProcessError;

/// Starts allowed commands and ends them.
#[derive(Debug, Default)]
pub struct ProcessDoor {}
