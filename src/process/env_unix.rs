//! Names of variables on Unix.

/// By which programs find the temporary folder.
pub(in crate::process) const TEMPORARY: &[&str] = &["TMPDIR"];
/// Passed on to everything: nothing.
pub(super) const PASSED: &[&str] = &[];
