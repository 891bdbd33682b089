//! Ends of calls that could not be recorded when they came, because the disk was full or the like. They are known to this process
//! and recorded as soon as that can be done: a call that comes again must not be told that it still runs.

use std::sync::{MutexGuard, PoisonError};

use rusqlite::params;
use serde_json::Value;

use super::{Journal, JournalError, calls::now};

/// Calls that are remembered; more is a disk that nobody ever frees.
const LATE_MAX: usize = 1000;

/// An end that is not recorded.
#[derive(Clone, Debug)]
pub(super) struct Late {
    pub(super) key: String,
    pub(super) result: Value,
    /// The changes that were made after all, as they are written.
    pub(super) made: Option<String>,
}

impl Journal {
    pub(super) fn remember_late(&self, late: Late) {
        let mut all = self.late_lock();
        if all.len() < LATE_MAX {
            all.push(late);
        }
    }

    /// The result of a call whose end is not recorded.
    pub(super) fn late_result(&self, key: &str) -> Option<Value> {
        self.late_lock().iter().find(|late| late.key == key).map(|late| late.result.clone())
    }

    /// Records what could not be recorded before.
    pub fn write_late(&self) -> Result<(), JournalError> {
        let waiting = self.late_lock().clone();
        if waiting.is_empty() {
            return Ok(());
        }
        self.with_relaxed(|database| {
            let transaction = database.transaction()?;
            for late in &waiting {
                transaction.execute(
                    "UPDATE calls SET state = 'finished', finished_at = ?2, result = ?3, changes = COALESCE(?4, changes)
                     WHERE key = ?1 AND state = 'started'",
                    params![late.key, now(), late.result.to_string(), late.made],
                )?;
            }
            transaction.commit()
        })?;
        self.late_lock().retain(|late| !waiting.iter().any(|written| written.key == late.key));
        Ok(())
    }

    fn late_lock(&self) -> MutexGuard<'_, Vec<Late>> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
