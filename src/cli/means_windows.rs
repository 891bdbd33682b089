//! What the system must let a host have; Windows has no such limits for one process.

use std::process::ExitCode;

/// The program itself says how much room its first thread has.
pub(super) fn with_room(work: impl FnOnce() -> ExitCode) -> ExitCode {
    work()
}

/// Nothing is missing.
pub(super) fn missing() -> Option<String> {
    None
}

/// There is no such mask.
pub(super) fn keep_own_rights() {}

/// Nothing of the kind is inherited.
pub(super) fn outlive_what_was_inherited() {}
