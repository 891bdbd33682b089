//! The memory that one search may hold for what it found: searchers run far ahead of each other, and an answer shows little of it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Bytes of one answer: what it shows, what its facts say beside it, and what is kept under a handle. It is much more than a model
/// reads, and little enough for many calls at once.
pub(super) const PAGE_BYTES: usize = 32 * 1024 * 1024;
/// Asked for at once: searchers that fetch their room line by line would wait for each other.
const STEP: usize = 16 * 1024;

/// The room of one call.
#[derive(Debug)]
pub(super) struct Room {
    held: AtomicUsize,
    bytes: usize,
}

impl Room {
    /// For the searchers of an answer of so many bytes: room for it, and for as much again of what comes behind it.
    pub(super) fn of_page(bytes: usize) -> Arc<Self> {
        Arc::new(Self { held: AtomicUsize::new(0), bytes: 2 * bytes })
    }

    /// For who searches alone, and stops by itself.
    pub(super) fn endless() -> Arc<Self> {
        Arc::new(Self { held: AtomicUsize::new(0), bytes: usize::MAX })
    }
}

/// A part of it, given back when it is dropped.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// None as long as nothing is held: most files have no match.
    room: Option<Arc<Room>>,
    bytes: usize,
}

impl Held {
    /// Holds at least so many bytes; false where there is no room for them.
    pub(super) fn reach(&mut self, bytes: usize, room: &Arc<Room>) -> bool {
        let Some(lacking) = bytes.checked_sub(self.bytes).filter(|lacking| *lacking > 0) else { return true };
        let room = self.room.get_or_insert_with(|| Arc::clone(room));
        let step = lacking.max(STEP);
        if room.held.fetch_add(step, Ordering::Relaxed) + step > room.bytes {
            room.held.fetch_sub(step, Ordering::Relaxed);
            return false;
        }
        self.bytes += step;
        true
    }

    /// Gives back what is beyond so many bytes.
    pub(super) fn shrink(&mut self, bytes: usize) {
        if let (Some(room), Some(spare)) = (&self.room, self.bytes.checked_sub(bytes)) {
            room.held.fetch_sub(spare, Ordering::Relaxed);
            self.bytes = bytes;
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.shrink(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_is_room_again() {
        let room = Room::of_page(10 * STEP);
        let [mut one, mut two] = [Held::default(), Held::default()];
        assert!(one.reach(19 * STEP, &room) && one.reach(1, &room));
        assert!(two.reach(1, &room) && two.reach(STEP, &room));
        assert!(!two.reach(STEP + 1, &room), "nothing is left");
        one.shrink(10);
        assert!(two.reach(19 * STEP, &room));
        drop((one, two));
        assert_eq!(room.held.load(Ordering::Relaxed), 0);
    }
}
