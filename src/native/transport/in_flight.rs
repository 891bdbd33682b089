//! How many requests a peer has under way, and how large they are: whoever asks for more waits in its pipe. Those that listen last as
//! long as the peer likes, so nobody waits for them: one too many is refused.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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
    /// A request was answered, or its answer will never be heard.
    answered: Notify,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    bytes: usize,
    kind: Kind,
}

/// How long a request lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Until its work is done.
    Work,
    /// Until it is cancelled.
    Listener,
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
    pub(super) fn begin(&self, id: &RequestId, bytes: usize, kind: Kind) -> Result<(), Refusal> {
        let mut requests = self.lock();
        let (listeners, listener_bytes) = held(&requests, Kind::Listener);
        match requests.entry(id.clone()) {
            Entry::Occupied(_) => Err(Refusal::Twice),
            Entry::Vacant(_) if kind == Kind::Listener && listeners >= LISTENERS => Err(Refusal::Listeners),
            Entry::Vacant(_) if kind == Kind::Listener && listener_bytes + bytes > LISTENER_BYTES => {
                Err(Refusal::ListenerBytes)
            }
            Entry::Vacant(entry) => {
                entry.insert(Held { bytes, kind });
                Ok(())
            }
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
        self.lock().is_empty()
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
