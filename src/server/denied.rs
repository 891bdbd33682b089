//! The rules of a client's user about paths, as they come with its calls: `_meta["dev.outrigger/denied"]`.
//!
//! They only take away. One that cannot be understood is an error and never left out.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;

use crate::policy::{DeniedPaths, DeniedPathsError};

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Denied {
    /// A glob of the whole path.
    pub path: String,
    /// The only workspace in which it holds; without it, all.
    #[serde(default)]
    pub workspace: Option<String>,
}

/// Lists of globs that came last: a user's rules seldom change from call to call.
#[derive(Debug, Default)]
pub struct DeniedCache(Mutex<Vec<(Vec<String>, Arc<DeniedPaths>)>>);

/// One for each workspace of most users.
const KEPT: usize = 8;

impl DeniedCache {
    /// The compiled list; none where there are no globs.
    pub fn compiled(&self, globs: Vec<String>) -> Result<Option<Arc<DeniedPaths>>, DeniedPathsError> {
        if globs.is_empty() {
            return Ok(None);
        }
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, paths)) = last.iter().find(|(known, _)| *known == globs) {
            return Ok(Some(Arc::clone(paths)));
        }
        let paths = Arc::new(DeniedPaths::new(&globs)?);
        last.truncate(KEPT - 1);
        last.insert(0, (globs, Arc::clone(&paths)));
        Ok(Some(paths))
    }
}
