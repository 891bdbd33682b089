//! What holds a command on Windows: a job, which ends it, and nothing that would keep it from files or the network.

use super::sandbox::Sandboxing;

/// Nothing to hold it with; the plan says so.
pub(super) fn probe() -> Sandboxing {
    Sandboxing::default()
}
