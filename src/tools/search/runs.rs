//! Runs of files on their way from the walk to the searchers: few hand-overs, each of which wakes one thread.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::stop::Stop;
use crate::relpath::RelPath;

/// Files in the first runs: a capped search often ends there, and must not have begun much more than it needed.
pub(super) const FIRST_FILES: usize = 16;
/// Files in the later runs: passing them on should cost nothing.
const MOST_FILES: usize = 128;
/// Files found but not searched yet; more would only be memory, and lost work when there is enough.
const FILES_WAITING: usize = 2048;
/// How often a full queue looks whether there is still a point in waiting.
const LOOK: Duration = Duration::from_millis(20);

/// Files that are searched in one go, and the run's place in the order of the walk.
pub(super) type Run = (usize, Vec<RelPath>);

/// The files of run number `index`.
pub(super) fn size(index: usize) -> usize {
    (FIRST_FILES + 4 * index).min(MOST_FILES)
}

/// The queue between them.
#[derive(Default)]
pub(super) struct Runs {
    waiting: Mutex<Waiting>,
    more: Condvar,
    room: Condvar,
}

#[derive(Default)]
struct Waiting {
    runs: VecDeque<Run>,
    files: usize,
    closed: bool,
}

impl Runs {
    /// Passes a run on, when there is room; false when there is no point in it any more.
    pub(super) fn put(&self, run: Run, stop: &Stop) -> bool {
        let mut waiting = self.lock();
        while waiting.files >= FILES_WAITING {
            if stop.is_due() {
                return false;
            }
            let woken = self.room.wait_timeout(waiting, LOOK);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        waiting.files += run.1.len();
        waiting.runs.push_back(run);
        drop(waiting);
        self.more.notify_one();
        true
    }

    /// The next run; `None` when there are no more.
    pub(super) fn take(&self) -> Option<Run> {
        let mut waiting = self.lock();
        loop {
            if let Some(run) = waiting.runs.pop_front() {
                waiting.files -= run.1.len();
                drop(waiting);
                self.room.notify_one();
                return Some(run);
            }
            if waiting.closed {
                return None;
            }
            waiting = self.more.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says that no more runs come, also when the walk ends by a panic: else its searchers would wait for ever.
pub(super) struct Closing<'a>(pub(super) &'a Runs);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.more.notify_all();
    }
}
