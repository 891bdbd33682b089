//! How a run ends, and when it has to: the same on every system.

use std::time::{Duration, Instant};

use super::door::Watch;
use crate::cancel::Cancel;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal, which did not come from us.
    Signaled(i32),
    /// It took longer than it may.
    Timeout,
    /// It was silent for longer than it may be.
    IdleTimeout,
    /// Somebody asked.
    Cancelled,
}

/// What a run left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// The signal that was the end of it, whoever sent it.
    pub signal: Option<i32>,
    /// From start to answer.
    pub duration: Duration,
    /// Descendants that could not be killed.
    pub survivors: u32,
}

/// After a timeout a command may still clean up for so long.
const TIMEOUT_GRACE: Duration = Duration::from_secs(3);
/// When everything is dead, the pipe holds what it holds; only a process that could not be killed keeps it open.
pub(super) const DRAIN: Duration = Duration::from_millis(200);
/// How often a silent command is reported to be alive: MCP clients are told every 5 s at least.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(5);

/// When things are due.
pub(super) struct Clock {
    began: Instant,
    /// When output came last.
    pub(super) heard: Instant,
    pub(super) heartbeat: Instant,
    /// When what was asked to end is no longer waited for.
    pub(super) answer_by: Option<Instant>,
}

impl Clock {
    pub(super) fn new(began: Instant) -> Self {
        Self { began, heard: began, heartbeat: began + HEARTBEAT, answer_by: None }
    }

    pub(super) fn reason_to_end(
        &self,
        now: Instant,
        watch: &Watch<'_>,
        cancel: &Cancel,
    ) -> Option<(Ended, Duration)> {
        if cancel.is_cancelled() {
            return Some((Ended::Cancelled, (watch.cancel_grace)()));
        }
        if now >= self.began + watch.wall {
            return Some((Ended::Timeout, TIMEOUT_GRACE));
        }
        if watch.idle.is_some_and(|idle| now >= self.heard + idle) {
            return Some((Ended::IdleTimeout, TIMEOUT_GRACE));
        }
        None
    }

    /// The next time at which something is due.
    pub(super) fn next(&self, watch: &Watch<'_>, asked: bool) -> Instant {
        let mut next = self.heartbeat;
        if let Some(by) = self.answer_by {
            next = next.min(by);
        }
        if !asked {
            next = next.min(self.began + watch.wall);
            if let Some(idle) = watch.idle {
                next = next.min(self.heard + idle);
            }
        }
        next
    }
}
