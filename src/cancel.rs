//! The cancel token every call carries; walks and waits look at it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU8, Ordering},
};

use tokio_util::sync::CancellationToken;

/// Nothing of the call can be seen yet.
const READING: u8 = 0;
/// Its effects have begun: what becomes of it is told when it is over.
const CHANGING: u8 = 1;
/// It was answered without it; it must not begin to change anything.
const GIVEN_UP: u8 = 2;

/// Says whether a call should stop, and lets async code wait for that.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    token: CancellationToken,
    phase: Arc<AtomicU8>,
    for_good: Arc<AtomicBool>,
}

impl Cancel {
    /// A token nobody has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that is also cancelled when this one is.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { token: self.token.child_token(), ..Self::default() }
    }

    /// Asks the call to stop.
    pub fn cancel(&self) {
        self.token.cancel();
    }

    /// Asks this very call to stop, by its key: it does not come again under that.
    pub fn cancel_for_good(&self) {
        self.for_good.store(true, Ordering::SeqCst);
        self.token.cancel();
    }

    /// True once somebody asked that. A host that ends stops its calls as well, and those may come again.
    pub fn is_for_good(&self) -> bool {
        self.for_good.load(Ordering::SeqCst)
    }

    /// True once somebody asked.
    pub fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Waits until somebody asks.
    pub async fn cancelled(&self) {
        self.token.cancelled().await;
    }

    /// Said before the first effect. False: the call was given up meanwhile, and nothing may happen any more.
    pub fn begin_effects(&self) -> bool {
        self.phase.compare_exchange(READING, CHANGING, Ordering::SeqCst, Ordering::SeqCst) != Err(GIVEN_UP)
    }

    /// Answers without the call, which may be waiting for a disk or a library. False: its effects have begun, and only it knows
    /// what they are.
    pub fn give_up(&self) -> bool {
        self.phase.compare_exchange(READING, GIVEN_UP, Ordering::SeqCst, Ordering::SeqCst) != Err(CHANGING)
    }
}

#[cfg(test)]
mod tests {
    use super::Cancel;

    #[test]
    fn a_call_is_given_up_or_begins_but_never_both() {
        let (first, second) = (Cancel::new(), Cancel::new());
        assert!(first.give_up() && first.give_up() && !first.begin_effects());
        assert!(second.begin_effects() && second.begin_effects() && !second.give_up());
        assert!(second.child().give_up(), "each call has its own");
    }
}
