//! What becomes of a call whose key was seen before: its stored result, an honest "unknown", or a second start.

use std::{thread, time::Duration};

use crate::{
    ids::Etag,
    journal::{CallRecord, CallState, FileStep, Journal, JournalError},
    limits::SCAN_BYTES,
    server::render::Finished,
    tools::{AnyTool, Code, ToolError},
    workspace::Workspace,
};

/// What the journal makes of a key.
#[derive(Debug)]
pub enum Known {
    /// Never started: go on.
    New,
    /// Started before, with provably no effect, or with one that may happen again: go on.
    StartAgain,
    /// It is over, and this is its result.
    Finished(Finished),
    /// It cannot go on.
    Failed(ToolError),
}

/// How long a host that is just ending may take to settle its calls; its own limit is 200 ms.
const PATIENCE: Duration = Duration::from_secs(3);
const POLL: Duration = Duration::from_millis(25);

/// Looks the key up and settles what an earlier life left.
pub fn look_up(
    journal: &Journal,
    key: &str,
    digest: &str,
    tool: &dyn AnyTool,
    workspace: &Workspace,
) -> Result<Known, JournalError> {
    let mut waited = Duration::ZERO;
    loop {
        let Some(record) = journal.call(key)? else { return Ok(Known::New) };
        if record.digest != digest {
            return Ok(Known::Failed(ToolError::new(
                Code::InvalidArgs,
                format!("the call key `{key}` belongs to another call of `{}`", record.tool),
                "a key names one call with its arguments; a new call needs a new key",
            )));
        }
        match record.state {
            CallState::Asked => return Ok(Known::New),
            CallState::Finished => return Ok(stored(&record)),
            CallState::Interrupted => return Ok(interrupted(&record, tool, workspace)),
            CallState::Running if waited < PATIENCE => {
                thread::sleep(POLL);
                waited += POLL;
            }
            CallState::Running => {
                return Ok(Known::Failed(ToolError::new(
                    Code::Busy,
                    format!("this call of `{}` still runs in another host process", record.tool),
                    "ask again in a moment",
                )));
            }
        }
    }
}

fn stored(record: &CallRecord) -> Known {
    let finished = record.result.clone().and_then(|result| serde_json::from_value::<Finished>(result).ok());
    match finished {
        Some(finished) => Known::Finished(Finished { replayed: true, ..finished }),
        None => Known::Failed(unknown(record, "its stored result cannot be read")),
    }
}

fn interrupted(record: &CallRecord, tool: &dyn AnyTool, workspace: &Workspace) -> Known {
    if record.executes {
        return Known::Failed(unknown(record, "a command was running when the host ended"));
    }
    if record.files.is_empty() {
        return if tool.spec().annotations.idempotent {
            Known::StartAgain
        } else {
            Known::Failed(unknown(record, "it was running when the host ended"))
        };
    }
    let found: Vec<Option<String>> = record.files.iter().map(|step| etag_now(workspace, step)).collect();
    let all = |wanted: fn(&FileStep) -> &Option<String>| {
        record.files.iter().zip(&found).all(|(step, etag)| wanted(step) == etag)
    };
    if all(|step| &step.before) {
        return Known::StartAgain;
    }
    let paths = record.files.iter().map(|step| format!("`{}`", step.path)).collect::<Vec<_>>().join(", ");
    if all(|step| &step.after) {
        let text = format!("Done before the host was restarted: {paths} has the planned content.");
        let structured =
            serde_json::json!({"ok": true, "warnings": ["settled from the file's content after a restart"]});
        return Known::Finished(Finished { text, structured, is_error: false, replayed: true });
    }
    Known::Failed(unknown(record, &format!("{paths} has neither the old nor the planned content")))
}

fn etag_now(workspace: &Workspace, step: &FileStep) -> Option<String> {
    let path = workspace.resolve(&step.path).ok()?;
    let bytes = workspace.read(&path, SCAN_BYTES).ok()?;
    Some(Etag::of(&bytes).as_str().to_owned())
}

fn unknown(record: &CallRecord, why: &str) -> ToolError {
    let check = if record.executes {
        "look at what the command should have changed before running it again"
    } else if record.tool.starts_with("git_") {
        "git_status and git_diff show what was done"
    } else {
        "read the file and compare before writing again"
    };
    ToolError::new(
        Code::OutcomeUnknown,
        format!("the outcome of this call of `{}` is unknown: {why}", record.tool),
        check,
    )
}
