//! Room for long lines: a searcher holds the whole of a line, and with `multiline` of a file. All searches of the host share it,
//! since their files may all be of one line each; whoever finds no room waits until another file is done.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

use super::{pattern::HEAP_BYTES, stop::Stop};

/// Three of the longest lines at once, and many of a megabyte: nothing to wait for where files are what people write, and little
/// of what a machine has.
const ROOM: usize = 3 * HEAP_BYTES;
/// How often who waits asks whether the search goes on: a cancel gives no sign of its own.
const ASK: Duration = Duration::from_millis(20);

/// The room of all searches.
static LONG_LINES: LongLines = LongLines { free: Mutex::new(ROOM), given_back: Condvar::new() };

struct LongLines {
    free: Mutex<usize>,
    given_back: Condvar,
}

/// Room for the lines of one file, given back when it is dropped.
#[derive(Debug)]
pub(super) struct LongLine {
    bytes: usize,
}

impl LongLine {
    /// Waits for the room that a file of so many bytes may need; `None` where the search stops before. Nobody waits while holding
    /// any.
    pub(super) fn wait(size: u64, stop: &Stop) -> Option<Self> {
        // Buffers grow threefold.
        let bytes = usize::try_from(size).unwrap_or(HEAP_BYTES).saturating_mul(3).min(HEAP_BYTES);
        let mut free = LONG_LINES.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free < bytes {
            if stop.is_due() {
                return None;
            }
            (free, _) = LONG_LINES.given_back.wait_timeout(free, ASK).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= bytes;
        Some(Self { bytes })
    }
}

impl Drop for LongLine {
    fn drop(&mut self) {
        *LONG_LINES.free.lock().unwrap_or_else(PoisonError::into_inner) += self.bytes;
        LONG_LINES.given_back.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Cancel;

    #[test]
    fn there_is_room_for_a_few_long_lines_and_who_waits_for_more_can_be_stopped() {
        let stop = Stop::with_deadline(&Cancel::new(), Duration::from_mins(1));
        let mut held: Vec<LongLine> = (0..3).map_while(|_| LongLine::wait(u64::MAX, &stop)).collect();
        let late = Stop::with_deadline(&Cancel::new(), Duration::ZERO);
        assert!(held.len() == 3 && LongLine::wait(1, &late).is_none(), "nothing is left");
        held.pop();
        assert!(LongLine::wait(1024 * 1024, &late).is_some_and(|line| line.bytes == 3 * 1024 * 1024));
        // Who waits gets it as soon as it is there.
        let others = held.pop();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| (0..3).map_while(|_| LongLine::wait(u64::MAX, &stop)).count());
            drop((others, held));
            assert_eq!(waiting.join().unwrap(), 3);
        });
    }
}
