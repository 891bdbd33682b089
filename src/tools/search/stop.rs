//! When a search stops: somebody asked, time is up, or there is enough.

use std::{
    io::{self, Read},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use crate::{cancel::Cancel, limits};

/// How many small files are searched between two looks at the clock: together they take less than a millisecond.
const SELDOM: u32 = 16;

/// Looked at between entries, files and reads, so that a search ends within milliseconds of being asked to.
#[derive(Debug)]
pub(super) struct Stop {
    cancel: Cancel,
    deadline: Instant,
    enough: AtomicBool,
}

impl Stop {
    /// Stops when `cancel` says so, and at the latest when a search's time is up.
    pub(super) fn new(cancel: &Cancel) -> Self {
        Self::with_deadline(cancel, Duration::from_secs(limits::SEARCH_SECONDS))
    }

    /// The same with another time.
    pub(super) fn with_deadline(cancel: &Cancel, time: Duration) -> Self {
        Self { cancel: cancel.clone(), deadline: Instant::now() + time, enough: AtomicBool::new(false) }
    }

    /// There is enough.
    pub(super) fn enough(&self) {
        self.enough.store(true, Ordering::Relaxed);
    }

    /// True when there is no point in going on.
    pub(super) fn is_due(&self) -> bool {
        self.enough.load(Ordering::Relaxed) || self.cancel.is_cancelled() || self.is_late()
    }

    /// The same for what takes microseconds: the clock and whoever may cancel are asked once in many times.
    pub(super) fn is_due_now_and_then(&self, asked: &mut u32) -> bool {
        *asked = asked.wrapping_add(1);
        if asked.is_multiple_of(SELDOM) { self.is_due() } else { self.enough.load(Ordering::Relaxed) }
    }

    /// True when time is up.
    pub(super) fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }
}

/// A file that ends with an error as soon as the search should stop: one large file must not hold up a cancel.
pub(super) struct Stoppable<'a, R> {
    pub(super) inner: R,
    pub(super) stop: &'a Stop,
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_due() {
            // Not `Interrupted`: readers try that again for ever.
            return Err(io::Error::other(Stopped));
        }
        // Whole files are read in one go for multiline patterns; pieces keep the check above frequent.
        let piece = buffer.len().min(1024 * 1024);
        self.inner.read(&mut buffer[..piece])
    }
}

/// The search was stopped in the middle of a file.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
pub(super) struct Stopped;
