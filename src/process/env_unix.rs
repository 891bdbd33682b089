//! Names of variables on Unix.

/// Passed on to everything: nothing.
pub(super) const PASSED: &[&str] = &[];
