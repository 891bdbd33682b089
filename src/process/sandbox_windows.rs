//! What holds a command on Windows: a job, which ends it, and nothing that would keep it from files or the network.

use std::io;

use super::sandbox::Sandboxing;

/// What holds files and the network, in one word: nothing ever does.
pub(super) const BOTH: &str = "none";
/// What holds files.
pub(super) const FILES: &str = "none";
/// What holds the network.
pub(super) const NETWORK: &str = "none";
/// Nothing holds files.
pub(super) const HOLDS_ATTRIBUTES: bool = false;

/// Nothing to hold it with; the plan says so.
#[expect(clippy::unnecessary_wraps, reason = "other systems may have to try again")]
pub(super) fn probe() -> io::Result<Sandboxing> {
    Ok(Sandboxing::default())
}
