//! What the system must let a host have; Windows has no such limits for one process.

/// Nothing is missing.
pub(super) fn missing() -> Option<String> {
    None
}

/// There is no such limit.
pub(super) fn outlive_large_files() {}
