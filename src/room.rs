//! How much waits to be written to the peer, so that nobody makes more of it than the peer takes.
//!
//! Whoever puts a message into the queue takes its length, the writer gives it back piece by piece. It holds nothing up by itself:
//! calls wait with their start, the reader with the next message, news are left out.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use tokio::sync::Notify;

use crate::limits::{WAITING_BYTES, WAITING_BYTES_MAX};

/// What a request holds while it is under way, as the transport has counted it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weight(pub usize);

/// What waits on one connection.
#[derive(Clone, Debug, Default)]
pub struct Room(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: AtomicUsize,
    /// Nobody writes any more, so nothing is worth waiting for.
    closed: AtomicBool,
    given: Notify,
}

impl Room {
    /// A message waits from now on.
    pub fn take(&self, bytes: usize) {
        self.0.waiting.fetch_add(bytes, Ordering::AcqRel);
    }

    /// So much of what waited has been written.
    pub fn give(&self, bytes: usize) {
        let before = self.0.waiting.fetch_sub(bytes, Ordering::AcqRel);
        // Nobody waits below the lower of the limits.
        if before >= WAITING_BYTES {
            self.0.given.notify_waiters();
        }
    }

    /// Nothing is written any more.
    pub fn close(&self) {
        self.0.closed.store(true, Ordering::Release);
        self.0.given.notify_waiters();
    }

    /// All has been written, or nobody writes any more.
    pub fn is_empty(&self) -> bool {
        !self.is_above(1)
    }

    /// A peer that does not read what it asked for: new work has to wait.
    pub fn is_full(&self) -> bool {
        self.is_above(WAITING_BYTES)
    }

    /// Not even small things may be added.
    pub fn is_overfull(&self) -> bool {
        self.is_above(WAITING_BYTES_MAX)
    }

    /// Waits until work may begin. Cancel-safe: it changes nothing.
    pub async fn until_free(&self) {
        self.until_below(WAITING_BYTES).await;
    }

    /// Waits until small things may be added. Cancel-safe: it changes nothing.
    pub async fn until_not_overfull(&self) {
        self.until_below(WAITING_BYTES_MAX).await;
    }

    fn is_above(&self, limit: usize) -> bool {
        self.0.waiting.load(Ordering::Acquire) >= limit && !self.0.closed.load(Ordering::Acquire)
    }

    async fn until_below(&self, limit: usize) {
        while self.is_above(limit) {
            let given = self.0.given.notified();
            tokio::pin!(given);
            // Heard from now on: what is given back between the look and the wait is not missed.
            given.as_mut().enable();
            if self.is_above(limit) {
                given.await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn work_waits_for_room_and_for_nobody_who_has_left() {
        let room = Room::default();
        room.take(WAITING_BYTES - 1);
        room.until_free().await;
        room.take(1);
        assert!(room.is_full() && !room.is_overfull());
        let waiting = tokio::spawn({
            let room = room.clone();
            async move { room.until_free().await }
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!waiting.is_finished());
        room.give(1);
        waiting.await.unwrap();
        room.take(WAITING_BYTES_MAX);
        assert!(room.is_overfull());
        let waiting = tokio::spawn({
            let room = room.clone();
            async move { room.until_not_overfull().await }
        });
        room.close();
        waiting.await.unwrap();
        assert!(!room.is_full());
    }
}
