//! The in-flight table: what runs now, by key, so that a call can be joined and cancelled.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;

use crate::{cancel::Cancel, server::dispatch::Outcome};

/// What runs now.
#[derive(Debug, Default)]
pub struct InFlight {
    calls: Mutex<HashMap<String, Running>>,
}

#[derive(Clone, Debug)]
struct Running {
    digest: String,
    cancel: Cancel,
    outcome: watch::Receiver<Option<Arc<Outcome>>>,
}

/// How a call begins.
#[derive(Debug)]
pub enum Begin {
    /// It is the first with its key.
    New(watch::Sender<Option<Arc<Outcome>>>),
    /// The same call runs already.
    Joined(watch::Receiver<Option<Arc<Outcome>>>),
    /// Another call runs under this key.
    Mismatch,
}

impl InFlight {
    /// Enters a call, or finds the one that runs.
    pub fn begin(&self, key: &str, digest: &str, cancel: &Cancel) -> Begin {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = calls.get(key) {
            return if running.digest == digest {
                Begin::Joined(running.outcome.clone())
            } else {
                Begin::Mismatch
            };
        }
        let (sender, outcome) = watch::channel(None);
        calls.insert(key.to_owned(), Running { digest: digest.to_owned(), cancel: cancel.clone(), outcome });
        Begin::New(sender)
    }

    /// Takes a call out.
    pub fn end(&self, key: &str) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }

    /// Cancels the call with this key; false when none runs.
    pub fn cancel(&self, key: &str) -> bool {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.get(key).inspect(|running| running.cancel.cancel_for_good()).is_some()
    }

    /// True while the call runs.
    pub fn contains(&self, key: &str) -> bool {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).contains_key(key)
    }

    /// How many run.
    pub fn len(&self) -> usize {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// True when none runs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
