//! What the audit says of a call beside files: which command ran and how it ended, which branch and which commit came of it.
//!
//! Names, ids and numbers alone: never arguments, output or messages, which may hold anything.

use serde_json::Value;

use super::render::Finished;
use crate::{
    journal::{Did, MovedRef},
    limits::NAME_SHOWN_BYTES,
    redact::Redaction,
    text::{excerpt, prefix},
    tools::repair::given,
};

/// References of one exchange that are named; a first fetch has thousands.
const REFS_NAMED: usize = 50;
/// Of a name that a caller made up, so much is looked at for secrets, and less is shown.
const LOOKED_AT: usize = 4096;

/// Of a call of `tool`, however it ended.
pub(super) fn of(tool: &str, arguments: &Value, finished: &Finished, redaction: &mut Redaction<'_>) -> Did {
    if !tool.starts_with("exec_") && !matches!(tool, "git_commit" | "git_switch" | "git_sync") {
        return Did::default();
    }
    let parsed = finished.data.as_deref().and_then(|data| serde_json::from_str::<Value>(data).ok());
    let data = parsed.as_ref().unwrap_or(&finished.structured["data"]);
    let mut shown = |value: &Value| {
        let text = value.as_str().filter(|text| !text.is_empty())?;
        Some(excerpt(&redaction.text(prefix(text, LOOKED_AT)), NAME_SHOWN_BYTES))
    };
    // What came of it, else what was asked for.
    let mut named = |name: &str| shown(&data[name]).or_else(|| shown(given(arguments, name)?));
    if tool.starts_with("exec_") {
        return Did {
            command: named("command"),
            job: named("job"),
            signal: named("signal"),
            exit_code: data["exit_code"].as_i64(),
            ..Did::default()
        };
    }
    let branch = named("branch");
    let refs = data["refs"].as_array().into_iter().flatten().take(REFS_NAMED).filter_map(|moved| {
        Some(MovedRef {
            name: shown(&moved["name"])?,
            from: shown(&moved["from"]).unwrap_or_default(),
            to: shown(&moved["to"]).unwrap_or_default(),
        })
    });
    let refs = refs.collect();
    let action = given(arguments, "action").filter(|_| tool == "git_sync").and_then(&mut shown);
    Did { action, branch, commit: shown(&data["id"]), refs, ..Did::default() }
}
