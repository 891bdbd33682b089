//! The same call failing again and again: from the third time on, its hint says so. A model that repeats itself reads hints anew.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use crate::server::render::Finished;

/// Failing calls that are remembered; a model that fails in more ways than this does not repeat itself.
const REMEMBERED: usize = 256;
/// From this failure on the hint changes.
const OFTEN: u32 = 3;

/// Counts failures by what was called.
#[derive(Debug, Default)]
pub struct Repeats(Mutex<HashMap<String, u32>>);

impl Repeats {
    /// Takes note of how a call ended; one that failed often gets another hint.
    pub fn note(&self, digest: &str, finished: &mut Finished) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !finished.is_error {
            failures.remove(digest);
            return;
        }
        // These end a call without saying anything about it.
        let code = finished.structured["code"].as_str().unwrap_or_default();
        if matches!(code, "cancelled" | "busy" | "approval_denied" | "approval_stale") {
            return;
        }
        if failures.len() >= REMEMBERED && !failures.contains_key(digest) {
            failures.clear();
        }
        let count = failures.entry(digest.to_owned()).or_insert(0);
        *count += 1;
        if *count >= OFTEN {
            let mut words = format!(
                "this exact call has failed {count} times now and will fail again as long as all stays as it is: change its arguments, look at the facts first (fs_list, fs_read, git_status), or ask the user"
            );
            // What would work may be something else than other arguments, as with a hook that complains.
            if let Some(own) = finished.structured["hint"].as_str().filter(|own| !own.is_empty()) {
                words = format!("{words}; as before: {own}");
            }
            finished.structured["hint"] = words.clone().into();
            let first = finished.text.split("\nHint: ").next().unwrap_or_default().to_owned();
            finished.text = format!("{first}\nHint: {words}");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn failed(code: &str) -> Finished {
        Finished {
            text: format!("{code}: no\nHint: do it right"),
            structured: json!({"ok": false, "code": code, "hint": "do it right"}),
            data: None,
            picture: None,
            is_error: true,
            replayed: false,
        }
    }

    fn hint(repeats: &Repeats, digest: &str, code: &str) -> String {
        let mut finished = failed(code);
        repeats.note(digest, &mut finished);
        assert_eq!(finished.text.split("Hint: ").nth(1), finished.structured["hint"].as_str());
        finished.structured["hint"].as_str().unwrap().to_owned()
    }

    #[test]
    fn the_third_failure_of_one_call_gets_another_hint() {
        let repeats = Repeats::default();
        assert_eq!(hint(&repeats, "a", "not_found"), "do it right");
        assert_eq!(hint(&repeats, "b", "not_found"), "do it right");
        assert_eq!(hint(&repeats, "a", "not_found"), "do it right");
        let third = hint(&repeats, "a", "not_found");
        assert!(third.contains("failed 3 times") && third.ends_with("; as before: do it right"), "{third}");
        assert!(hint(&repeats, "a", "not_found").contains("failed 4 times"));
        let mut good = Finished { is_error: false, ..failed("x") };
        repeats.note("a", &mut good);
        assert_eq!(hint(&repeats, "a", "not_found"), "do it right");
        for _ in 0..4 {
            assert_eq!(hint(&repeats, "c", "approval_denied"), "do it right");
        }
    }
}
