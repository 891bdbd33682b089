//! What the system must let a host have; Windows has no such limits for one process.

/// Nothing is missing.
pub(super) fn missing() -> Option<String> {
    None
}

/// There is no such mask.
pub(super) fn keep_own_rights() {}

/// Nothing of the kind is inherited.
pub(super) fn outlive_what_was_inherited() {}
