//! Room for long lines: a searcher holds the whole of a line, and with `multiline` of a file. All searches of the host share it,
//! since their files may all be of one line each; whoever finds no room waits until another file is done.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

use super::{pattern::HEAP_BYTES, stop::Stop};

/// Three of the longest lines at once: nothing to wait for where files are what people write, and little of what a machine has.
const ROOM: usize = 3 * HEAP_BYTES;
/// What is short is no more than this: the one line of a file that some tool has put together, of a megabyte or two.
const SHORT: usize = 8 * 1024 * 1024;
/// Room that only short ones have, so that none of them waits for the longest, which take the rest whole and for seconds.
const SHORT_ROOM: usize = 4 * SHORT;
/// How often who waits asks whether the search goes on: a cancel gives no sign of its own.
const ASK: Duration = Duration::from_millis(20);

/// The room of all searches.
static LONG_LINES: LongLines =
    LongLines { free: Mutex::new(Free { any: ROOM, short: SHORT_ROOM }), given_back: Condvar::new() };

struct LongLines {
    free: Mutex<Free>,
    given_back: Condvar,
}

/// Bytes that nobody has.
struct Free {
    /// Whatever the line is.
    any: usize,
    /// For short ones.
    short: usize,
}

impl Free {
    /// Takes so many bytes, if they are there.
    fn take(&mut self, bytes: usize) -> Option<LongLine> {
        let is_short = bytes <= SHORT && bytes <= self.short;
        let room = if is_short { &mut self.short } else { &mut self.any };
        *room = room.checked_sub(bytes)?;
        Some(LongLine { bytes, is_short })
    }
}

/// Room for the lines of one file, given back when it is dropped.
#[derive(Debug)]
pub(super) struct LongLine {
    bytes: usize,
    /// It is a part of the short ones' room.
    is_short: bool,
}

impl LongLine {
    /// Waits for the room that a file of so many bytes may need; `None` where the search stops before. Nobody waits while holding
    /// any.
    pub(super) fn wait(size: u64, stop: &Stop) -> Option<Self> {
        // Buffers grow threefold.
        let bytes = usize::try_from(size).unwrap_or(HEAP_BYTES).saturating_mul(3).min(HEAP_BYTES);
        let mut free = LONG_LINES.free.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(line) = free.take(bytes) {
                return Some(line);
            }
            if stop.is_due() {
                return None;
            }
            (free, _) = LONG_LINES.given_back.wait_timeout(free, ASK).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for LongLine {
    fn drop(&mut self) {
        let mut free = LONG_LINES.free.lock().unwrap_or_else(PoisonError::into_inner);
        *(if self.is_short { &mut free.short } else { &mut free.any }) += self.bytes;
        drop(free);
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
        let long = SHORT as u64;
        assert!(held.len() == 3 && LongLine::wait(long, &late).is_none(), "nothing is left");
        // A short one is not kept waiting by them, and at last by those of its own kind.
        let short: Vec<LongLine> = (0..4).map_while(|_| LongLine::wait(long / 3, &late)).collect();
        assert!(short.len() == 4 && LongLine::wait(long / 3, &late).is_none());
        held.pop();
        assert!(LongLine::wait(long / 3, &late).is_some_and(|line| !line.is_short), "there is room for both");
        drop(short);
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
