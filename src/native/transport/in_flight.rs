//! How many requests a peer has under way, and how large they are: whoever asks for more waits in its pipe. Those that listen last as
//! long as the peer likes, so nobody waits for them: one too many is refused.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rmcp::model::RequestId;
use serde::Deserialize as _;
use serde_json::Value;
use tokio::sync::Notify;

use crate::limits::{LISTENER_BYTES, LISTENERS, REQUEST_BYTES, REQUESTS};

/// Requests that are being answered, each with what its message takes.
#[derive(Clone, Debug, Default)]
pub(super) struct InFlight(Arc<Flying>);

#[derive(Debug, Default)]
struct Flying {
    requests: Mutex<HashMap<RequestId, Held>>,
    begun: AtomicU64,
    /// A request was answered, or its answer will never be heard.
    answered: Notify,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    bytes: usize,
    kind: Kind,
    /// Of all requests the how manieth: others may have had its id.
    number: u64,
    /// Nothing works at it any more.
    is_over: bool,
}

/// How long a request lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Until its work is done.
    Work,
    /// Until it is cancelled.
    Listener,
    /// Cancelled, and whatever works at it has not ended yet: what that says would be taken for the answer to another one with its id.
    Cancelled,
}

/// Goes with a request until nothing works at it any more.
#[derive(Clone, Debug)]
pub(super) struct Working {
    _work: Arc<Work>,
}

#[derive(Debug)]
struct Work {
    in_flight: InFlight,
    id: RequestId,
    number: u64,
}

impl Drop for Work {
    fn drop(&mut self) {
        self.in_flight.is_over(&self.id, self.number);
    }
}

/// Why a request is not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// One with this id is there already.
    Twice,
    /// So many listen already.
    Listeners,
    /// Those that listen name too much.
    ListenerBytes,
}

impl InFlight {
    pub(super) fn begin(&self, id: &RequestId, bytes: usize, kind: Kind) -> Result<Working, Refusal> {
        let mut requests = self.lock();
        let (listeners, listener_bytes) = held(&requests, Kind::Listener);
        match requests.entry(id.clone()) {
            Entry::Occupied(_) => Err(Refusal::Twice),
            Entry::Vacant(_) if kind == Kind::Listener && listeners >= LISTENERS => Err(Refusal::Listeners),
            Entry::Vacant(_) if kind == Kind::Listener && listener_bytes + bytes > LISTENER_BYTES => {
                Err(Refusal::ListenerBytes)
            }
            Entry::Vacant(entry) => {
                let number = self.0.begun.fetch_add(1, Ordering::Relaxed);
                entry.insert(Held { bytes, kind, number, is_over: false });
                let work = Work { in_flight: self.clone(), id: id.clone(), number };
                Ok(Working { _work: Arc::new(work) })
            }
        }
    }

    /// Nobody will hear its answer: it is under way no longer, and its id is free once nothing works at it.
    pub(super) fn cancel(&self, id: &RequestId) {
        let mut requests = self.lock();
        match requests.get_mut(id) {
            Some(held) if !held.is_over => *held = Held { bytes: 0, kind: Kind::Cancelled, ..*held },
            _ => drop(requests.remove(id)),
        }
        drop(requests);
        self.0.answered.notify_waiters();
    }

    fn is_over(&self, id: &RequestId, number: u64) {
        let mut requests = self.lock();
        match requests.get_mut(id).filter(|held| held.number == number) {
            Some(held) if held.kind == Kind::Cancelled => drop(requests.remove(id)),
            Some(held) => held.is_over = true,
            None => {}
        }
    }

    pub(super) fn end(&self, id: &RequestId) {
        self.lock().remove(id);
        self.0.answered.notify_waiters();
    }

    /// Whether the message's id is that of a request still being answered.
    pub(super) fn has(&self, message: &Value) -> bool {
        let requests = self.lock();
        !requests.is_empty()
            && message
                .get("id")
                .and_then(|id| RequestId::deserialize(id).ok())
                .is_some_and(|id| requests.contains_key(&id))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().values().all(|held| held.kind == Kind::Cancelled)
    }

    pub(super) fn is_full(&self) -> bool {
        let (count, bytes) = held(&self.lock(), Kind::Work);
        count >= REQUESTS || bytes >= REQUEST_BYTES
    }

    /// Waits until one more may come. Cancel-safe: it changes nothing.
    pub(super) async fn until_free(&self) {
        while self.is_full() {
            let answered = self.0.answered.notified();
            tokio::pin!(answered);
            answered.as_mut().enable();
            if self.is_full() {
                answered.await;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Held>> {
        self.0.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many there are of a kind, and how large they are together.
fn held(requests: &HashMap<RequestId, Held>, kind: Kind) -> (usize, usize) {
    let of_kind = requests.values().filter(|held| held.kind == kind);
    of_kind.fold((0, 0), |(count, bytes), held| (count + 1, bytes + held.bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// rmcp would give what the first one says for the answer to the second.
    #[test]
    fn the_id_of_a_cancelled_request_is_free_when_nothing_works_at_it() {
        let in_flight = InFlight::default();
        let id = RequestId::Number(1);
        let begin = || in_flight.begin(&id, 10, Kind::Work);
        let working = begin().unwrap();
        in_flight.cancel(&id);
        assert!(in_flight.is_empty() && held(&in_flight.lock(), Kind::Work) == (0, 0));
        assert_eq!(begin().unwrap_err(), Refusal::Twice);
        drop(working);
        // One whose work is over has only its answer on the way.
        drop(begin().unwrap());
        assert_eq!(begin().unwrap_err(), Refusal::Twice);
        in_flight.cancel(&id);
        let _working = begin().unwrap();
        in_flight.end(&id);
        begin().unwrap();
    }
}
