//! How many requests a peer has under way, and how large they are: whoever asks for more waits in its pipe.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::model::RequestId;
use serde::Deserialize as _;
use serde_json::Value;
use tokio::sync::Notify;

use crate::limits::{REQUEST_BYTES, REQUESTS};

/// Requests that are being answered, each with the length of its message.
#[derive(Clone, Debug, Default)]
pub(super) struct InFlight(Arc<Flying>);

#[derive(Debug, Default)]
struct Flying {
    requests: Mutex<HashMap<RequestId, usize>>,
    /// A request was answered, or its answer will never be heard.
    answered: Notify,
}

impl InFlight {
    /// False when a request with this id is there already.
    pub(super) fn begin(&self, id: &RequestId, bytes: usize) -> bool {
        match self.lock().entry(id.clone()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(entry) => {
                entry.insert(bytes);
                true
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
        let requests = self.lock();
        requests.len() >= REQUESTS || requests.values().sum::<usize>() >= REQUEST_BYTES
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

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, usize>> {
        self.0.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
