//! Output handles: text that was too long for an answer, kept for the life of the connection under `out:<ulid>`.
//!
//! `fs_read` and `search_grep` take a handle as a path. It is no file: nothing is written to disk, and no other connection
//! can name it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    ids::{is_ulid, new_ulid},
    limits::HANDLE_BYTES,
    tools::{Call, Code, NextCall, Reply, ToolError, Truncated},
};

/// In front of the id.
const PREFIX: &str = "out:";

/// The kept texts of one connection, the oldest first.
#[derive(Debug)]
pub struct Handles {
    kept: Mutex<VecDeque<(String, Arc<str>)>>,
    limit: usize,
}

impl Default for Handles {
    fn default() -> Self {
        Self::with_limit(HANDLE_BYTES)
    }
}

impl Handles {
    /// Keeps at most `limit` bytes together.
    pub fn with_limit(limit: usize) -> Self {
        Self { kept: Mutex::default(), limit }
    }

    /// Keeps a text, if need be instead of older ones; its handle, unless it alone is too long.
    pub fn keep(&self, text: impl Into<Arc<str>>) -> Option<String> {
        let text = text.into();
        if text.len() > self.limit {
            return None;
        }
        let handle = format!("{PREFIX}{}", new_ulid());
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((handle.clone(), text));
        let mut bytes: usize = kept.iter().map(|(_, text)| text.len()).sum();
        while bytes > self.limit {
            let Some((_, oldest)) = kept.pop_front() else { break };
            bytes -= oldest.len();
        }
        Some(handle)
    }

    /// The text that a path means; `None` when the path is no handle at all.
    pub fn find(&self, path: &str) -> Option<Result<Arc<str>, ToolError>> {
        let id = path.strip_prefix(PREFIX).filter(|id| is_ulid(id))?;
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|(handle, _)| handle.eq_ignore_ascii_case(path));
        Some(found.map(|(_, text)| Arc::clone(text)).ok_or_else(|| {
            ToolError::new(
                Code::NotFound,
                format!("nothing is kept under `out:{id}` (any more)"),
                "what was cut is kept as long as the connection lives and 64 MiB are enough; run the call again",
            )
        }))
    }
}

impl<T> Reply<T> {
    /// Keeps all of what this answer shows a part of, and says where: `shown` of `total` bytes are in it.
    pub fn keep_whole(&mut self, call: &Call, whole: impl Into<Arc<str>>, shown: u64, total: u64) {
        self.handle = call.handles.keep(whole);
        let next = self.handle.as_deref().map(|handle| NextCall {
            tool: "fs_read".to_owned(),
            args: serde_json::json!({ "path": handle }),
        });
        self.truncated = Some(Truncated { shown, total, unit: "bytes".to_owned(), next });
        self.text.push_str(&note(self.handle.as_deref()));
    }
}

/// A line that says where all of a text is, for a model; nothing where it is not kept.
pub fn note(handle: Option<&str>) -> String {
    handle
        .map(|handle| format!("\n(all of it: fs_read or search_grep with path `{handle}`)"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_goes_first() {
        let handles = Handles::with_limit(10);
        let [first, second] = ["12345", "67890"].map(|text| handles.keep(text).unwrap());
        assert_eq!(&*handles.find(&first).unwrap().unwrap(), "12345");
        let third = handles.keep("x").unwrap();
        assert_eq!(handles.find(&first).unwrap().unwrap_err().code, Code::NotFound);
        assert_eq!(&*handles.find(&second).unwrap().unwrap(), "67890");
        assert_eq!(&*handles.find(&third.to_lowercase().replace("OUT", "out")).unwrap().unwrap(), "x");
        assert_eq!(handles.keep("more than ten bytes"), None);
        assert!(handles.find(&second).unwrap().is_ok(), "what does not fit pushes nothing out");
    }

    #[test]
    fn only_a_real_handle_is_one() {
        for path in ["out", "out:", "out:x", "./out:01ARZ3NDEKTSV4RRFFQ69G5FAV", "src/main.rs"] {
            assert!(Handles::default().find(path).is_none(), "{path}");
        }
    }
}
