//! Large results on their way around rmcp, which would keep each as a tree of values and copy it twice.
//!
//! The server sets a result aside and gives rmcp a small one that names it; the transport writes the real one in its place. What
//! is never fetched (a cancelled request gets no answer) goes when its time is over.

use std::{
    fmt::Debug,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::ids::new_ulid;

/// How long a result waits: rmcp passes an answer on within milliseconds, or never.
const PATIENCE: Duration = Duration::from_secs(30);

/// What stands inside the braces of a tool call's result.
pub trait Fields: Debug + Send + Sync {
    /// Writes them as JSON, without braces.
    fn write(&self, message: &mut Vec<u8>);
}

/// The results of one connection that are set aside.
#[derive(Clone, Debug, Default)]
pub struct Aside(Arc<Mutex<Vec<Waiting>>>);

#[derive(Debug)]
struct Waiting {
    name: String,
    since: Instant,
    fields: Arc<dyn Fields>,
}

impl Aside {
    /// Sets a result aside and names it.
    pub fn put(&self, fields: Arc<dyn Fields>) -> String {
        let name = new_ulid();
        let mut waiting = self.lock();
        waiting.retain(|waiting| waiting.since.elapsed() < PATIENCE);
        waiting.push(Waiting { name: name.clone(), since: Instant::now(), fields });
        name
    }

    /// The result with this name, once.
    pub fn take(&self, name: &str) -> Option<Arc<dyn Fields>> {
        let mut waiting = self.lock();
        let position = waiting.iter().position(|waiting| waiting.name == name)?;
        Some(waiting.swap_remove(position).fields)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
