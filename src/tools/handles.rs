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
    limits::{HANDLE_BYTES, TEXT_BYTES},
    process::Excerpt,
    redact::whole,
    text::{counted, prefix},
    tools::{Call, Code, NextCall, Reply, ToolError, Truncated},
};

/// In front of the id.
const PREFIX: &str = "out:";

/// The kept texts of one connection, the oldest first.
#[derive(Debug)]
pub struct Handles {
    kept: Mutex<VecDeque<Kept>>,
    limit: usize,
}

/// A text that is kept.
#[derive(Clone, Debug)]
pub struct Kept {
    handle: String,
    /// The text.
    pub text: Arc<str>,
    /// Its lines are pieces of longer ones, cut where nothing is torn that has to be seen as a whole.
    pub is_pieces: bool,
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
        self.put(text.into(), false)
    }

    fn put(&self, text: Arc<str>, is_pieces: bool) -> Option<String> {
        if text.len() > self.limit {
            return None;
        }
        let handle = format!("{PREFIX}{}", new_ulid());
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back(Kept { handle: handle.clone(), text, is_pieces });
        let mut bytes: usize = kept.iter().map(|kept| kept.text.len()).sum();
        while bytes > self.limit {
            let Some(oldest) = kept.pop_front() else { break };
            bytes -= oldest.text.len();
        }
        Some(handle)
    }

    /// The text that a path means; `None` when the path is no handle at all.
    pub fn find(&self, path: &str) -> Option<Result<Kept, ToolError>> {
        let id = path.strip_prefix(PREFIX).filter(|id| is_ulid(id))?;
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|kept| kept.handle.eq_ignore_ascii_case(path));
        Some(found.cloned().ok_or_else(|| {
            ToolError::new(
                Code::NotFound,
                format!("nothing is kept under `out:{id}` (any more)"),
                "what was cut is kept as long as the connection lives and 64 MiB are enough; run the call again",
            )
        }))
    }
}

/// Refuses a handle where something is to be written: a file of that name could not be read, only what the handle keeps.
pub fn check_no_handle(path: &str) -> Result<(), ToolError> {
    if path.strip_prefix(PREFIX).is_some_and(is_ulid) {
        let message = format!("`{path}` is a handle, which can only be read");
        return Err(ToolError::new(Code::InvalidArgs, message, "give the name of a file or folder"));
    }
    Ok(())
}

impl<T> Reply<T> {
    /// Keeps all of what this answer shows a part of, and says where: `shown` of `total` bytes are in it.
    pub fn keep_whole(&mut self, call: &Call, whole: impl Into<Arc<str>>, shown: u64, total: u64) {
        self.handle = call.handles.keep(whole);
        self.cut_at(shown, total, "bytes");
        self.text.push_str(&note(self.handle.as_deref()));
    }

    /// The same of a command's output, of which the middle may be lost.
    pub fn keep_output(&mut self, call: &Call, whole: Excerpt, shown: u64, total: u64) {
        self.handle = call.handles.keep(whole.text);
        self.cut_at(shown, total, "bytes");
        self.text.push_str(&output_note(self.handle.as_deref(), whole.omitted_bytes));
    }

    /// Keeps lines that were cut for their length, broken into pieces that end without `lacking` bytes; where, for a warning.
    pub fn keep_long_lines(&mut self, call: &Call, lines: String, lacking: u64) -> String {
        let total = lines.len() as u64 + lacking;
        self.handle = call.handles.put(lines.into(), true);
        if self.truncated.is_none() {
            let shown = self.text.len() as u64;
            self.cut_at(shown, total.max(shown), "bytes");
        }
        let what = match lacking {
            0 => "all of them, in pieces".to_owned(),
            _ => format!("them in pieces but for the last {lacking} bytes, which a command can cut out"),
        };
        let handle = self.handle.as_deref();
        handle.map(|handle| format!("; fs_read with path `{handle}` has {what}")).unwrap_or_default()
    }

    /// Cuts the text to what a model is shown at once, and keeps all of it. The last `end` bytes say what it is, and stay.
    pub fn cut_text(&mut self, call: &Call, end: usize) {
        let (body, trailer) = self.text.split_at(self.text.len().saturating_sub(end));
        if body.len() <= TEXT_BYTES {
            return;
        }
        let shown = &body[..whole(body, 0..prefix(body, TEXT_BYTES).len()).end];
        let shown = &shown[..shown.rfind('\n').map_or(shown.len(), |at| at + 1)];
        let left_out = counted(body[shown.len()..].lines().count(), "line");
        let (bytes, total) = (shown.len() as u64, self.text.len() as u64);
        let cut = format!("{shown}… {left_out} more\n{trailer}");
        let whole = std::mem::replace(&mut self.text, cut);
        let paged = self.truncated.take();
        self.keep_whole(call, whole, bytes, total);
        // Where there are more entries than were asked for, the next call is about those.
        if paged.is_some() {
            self.truncated = paged;
        }
    }

    fn cut_at(&mut self, shown: u64, total: u64, unit: &str) {
        let next = self.handle.as_deref().map(|handle| NextCall {
            tool: "fs_read".to_owned(),
            args: serde_json::json!({ "path": handle }),
        });
        self.truncated = Some(Truncated { shown, total, unit: unit.to_owned(), next });
    }
}

/// A line that says where a text is, for a model; nothing where it is not kept.
pub fn note(handle: Option<&str>) -> String {
    told("all of it", handle)
}

/// The same of a command's output, of which the middle may be lost.
pub fn output_note(handle: Option<&str>, lost: u64) -> String {
    let what = if lost == 0 { "all of it" } else { "its beginning and its end, which is what was kept" };
    told(what, handle)
}

fn told(what: &str, handle: Option<&str>) -> String {
    handle
        .map(|handle| format!("\n({what}: fs_read or search_grep with path `{handle}`)"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_goes_first() {
        let handles = Handles::with_limit(10);
        let [first, second] = ["12345", "67890"].map(|text| handles.keep(text).unwrap());
        assert_eq!(&*handles.find(&first).unwrap().unwrap().text, "12345");
        let third = handles.keep("x").unwrap();
        assert_eq!(handles.find(&first).unwrap().unwrap_err().code, Code::NotFound);
        assert_eq!(&*handles.find(&second).unwrap().unwrap().text, "67890");
        assert_eq!(&*handles.find(&third.to_lowercase().replace("OUT", "out")).unwrap().unwrap().text, "x");
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
