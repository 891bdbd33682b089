//! Puts results, failures and plans into the words that models and people read.

use std::{borrow::Cow, fmt::Write as _, time::Duration};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    line_ends::LineEndChange,
    policy::{FileChange, Plan, Preview},
    redact::{Redaction, Redactor},
    text::visible,
    tier::Tier,
    tools::{AnyReply, ToolError},
};

/// A finished call: what is sent, and what the journal keeps.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Finished {
    /// What a model reads.
    pub text: String,
    /// What programs read; `data` stands in it or beside it.
    pub structured: Value,
    /// The facts as JSON, in front of all else but `ok`.
    #[serde(skip)]
    pub data: Option<String>,
    /// An image beside the text: its type, its bytes in base64.
    #[serde(default)]
    pub picture: Option<(String, String)>,
    /// The call failed.
    pub is_error: bool,
    /// It is a stored result.
    #[serde(skip)]
    pub replayed: bool,
}

impl Finished {
    /// Adds something that the reader should know.
    pub fn warn(&mut self, words: &str) {
        if let Some(structured) = self.structured.as_object_mut() {
            let warnings = structured.entry("warnings").or_insert_with(|| json!([]));
            if let Some(list) = warnings.as_array_mut() {
                list.push(json!(words));
            }
        }
        self.text.push_str("\nNote: ");
        self.text.push_str(words);
    }

    /// All that programs read.
    pub fn whole(&self) -> Value {
        let Some(data) = &self.data else { return self.structured.clone() };
        let mut whole = json!({"ok": true, "data": serde_json::from_str::<Value>(data).unwrap_or_default()});
        if let (Some(whole), Some(rest)) = (whole.as_object_mut(), self.structured.as_object()) {
            whole.extend(rest.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        whole
    }

    /// What the journal keeps.
    pub fn stored(&self) -> Value {
        let mut stored = json!({"text": self.text, "structured": self.whole(), "is_error": self.is_error});
        if let Some(picture) = &self.picture {
            stored["picture"] = json!(picture);
        }
        stored
    }

    /// Writes [`Finished::whole`] without making it.
    pub fn write_structured(&self, message: &mut Vec<u8>) {
        let (Some(data), Some(rest)) = (&self.data, self.structured.as_object()) else {
            return write_json(message, &self.structured);
        };
        message.extend_from_slice(br#"{"ok":true,"data":"#);
        message.extend_from_slice(data.as_bytes());
        for (name, value) in rest.iter().filter(|(name, _)| *name != "ok") {
            message.push(b',');
            write_json(message, name);
            message.push(b':');
            write_json(message, value);
        }
        message.push(b'}');
    }

    /// Bytes of the text and the facts, before anything is escaped.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.data.as_ref().map_or(0, String::len)
    }
}

/// Writes a value behind what is there. Into memory, of something that has no map with other keys than texts: that cannot fail.
pub fn write_json(message: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    let _ = serde_json::to_writer(message, value);
}

/// A successful call, without secrets, which are counted in a warning. What the text and the facts have in common gets one
/// placeholder.
pub fn success(
    mut reply: AnyReply,
    redactor: &Redactor,
    tier: Tier,
    duration: Duration,
) -> Result<Finished, ToolError> {
    let mut redaction = redactor.begin();
    redact_text(&mut reply.text, &mut redaction);
    let mut rewrite = |text: &str| match redaction.text(text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(shown) => Some(shown),
    };
    let data = reply.data.write(&mut rewrite).map_err(ToolError::internal)?;
    reply.warnings.iter_mut().for_each(|warning| redact_text(warning, &mut redaction));
    reply.warnings.extend(redaction.told());
    Ok(told(reply, data, tier, duration))
}

fn told(reply: AnyReply, data: String, tier: Tier, duration: Duration) -> Finished {
    let mut structured = json!({"ok": true});
    if let Some(etag) = reply.etag {
        structured["etag"] = json!(etag);
    }
    if let Some(truncated) = &reply.truncated {
        structured["truncated"] = json!(truncated);
        if truncated.next.is_none()
            && let Some(truncated) = structured["truncated"].as_object_mut()
        {
            truncated.remove("next");
        }
    }
    if let Some(handle) = reply.handle {
        structured["handle"] = json!(handle);
    }
    if let Some(matched) = reply.matched {
        structured["match"] = json!(matched);
    }
    structured["warnings"] = json!(reply.warnings);
    structured["effective_tier"] = json!(tier);
    structured["duration_ms"] = json!(milliseconds(duration));
    let picture = reply.picture.map(|picture| (picture.mime, BASE64_STANDARD.encode(picture.data)));
    let mut text = reply.text;
    for warning in &reply.warnings {
        let _ = write!(text, "\nNote: {warning}");
    }
    Finished { text, structured, data: Some(data), picture, is_error: false, replayed: false }
}

/// The error without secrets: some quote what stands in a file.
pub fn redact_error(mut error: ToolError, redactor: &Redactor) -> ToolError {
    let mut redaction = redactor.begin();
    redact_text(&mut error.message, &mut redaction);
    redact_text(&mut error.hint, &mut redaction);
    error.candidates.iter_mut().for_each(|candidate| redact_text(candidate, &mut redaction));
    error
}

fn redact_text(text: &mut String, redaction: &mut Redaction<'_>) {
    if let Cow::Owned(shown) = redaction.text(text) {
        *text = shown;
    }
}

/// A failed call: the same facts in the text and beside it.
pub fn failure(error: &ToolError, tier: Tier, duration: Duration) -> Finished {
    let mut structured = json!({
        "ok": false,
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
        "retryable": error.retryable,
    });
    let code = structured["code"].as_str().unwrap_or("internal").to_owned();
    let mut text = format!("{code}: {}", error.message);
    if !error.hint.is_empty() {
        let _ = write!(text, "\nHint: {}", error.hint);
    }
    if !error.candidates.is_empty() {
        structured["candidates"] = json!(error.candidates);
        // Names stand in a row; lines of a file would not be told apart there.
        let is_long = error.candidates.iter().any(|candidate| candidate.len() > 80);
        let (front, between) = if is_long { ("\n", "\n") } else { (" ", ", ") };
        let _ = write!(text, "\nCandidates:{front}{}", error.candidates.join(between));
    }
    if let Some(handle) = &error.handle {
        structured["handle"] = json!(handle);
    }
    structured["effective_tier"] = json!(tier);
    structured["duration_ms"] = json!(milliseconds(duration));
    Finished { text, structured, data: None, picture: None, is_error: true, replayed: false }
}

/// The whole plan as text: all that a client without our panel can show.
pub fn plan_text(plan: &Plan) -> String {
    let mut text = format!("{} (workspace {})\n", plan.summary, plan.workspace);
    for reason in &plan.reasons {
        let _ = writeln!(text, "Why it asks: {reason}");
    }
    match &plan.preview {
        Preview::Files { files } => files_text(&mut text, files, true),
        Preview::Command {
            program,
            program_real,
            args,
            workdir,
            environment,
            network,
            sandbox,
            timeout_ms,
            ..
        } => {
            let _ = writeln!(text, "Program: {}", visible(program));
            if let Some(real) = program_real {
                let _ = writeln!(text, "Program, behind its links: {}", visible(real));
            }
            for argument in args {
                let _ = writeln!(text, "Argument: {}", visible(argument));
            }
            let _ = writeln!(text, "Folder: {}", visible(workdir));
            for (name, value) in environment {
                let _ = writeln!(text, "Environment: {}={}", visible(name), visible(value));
            }
            let _ = writeln!(text, "Network: {}", if *network { "open" } else { "closed" });
            let _ = writeln!(text, "Sandbox: {sandbox}");
            let _ = writeln!(text, "Time limit: {timeout_ms} ms");
        }
        Preview::Stage { action, paths, .. } => {
            for path in paths {
                let _ = writeln!(text, "{action}: {}", visible(path));
            }
        }
        Preview::Commit { message, author, branch, amend, files, hooks, unsigned, .. } => {
            let _ = writeln!(
                text,
                "Branch: {}{}",
                visible(branch),
                if *amend { " (replaces the last commit)" } else { "" }
            );
            let _ = writeln!(text, "Author: {}", visible(author));
            for line in message.lines() {
                let _ = writeln!(text, "Message: {}", visible(line));
            }
            for hook in hooks {
                let _ = writeln!(text, "Hook: {}", visible(hook));
            }
            if *unsigned {
                text.push_str("Unsigned, although signing is configured\n");
            }
            files_text(&mut text, files, false);
        }
    }
    text
}

/// `undo`: the journal could take it back, so it is told where it cannot.
fn files_text(text: &mut String, files: &[FileChange], undo: bool) {
    for file in files {
        file_text(text, file, undo);
    }
}

fn file_text(text: &mut String, file: &FileChange, undo: bool) {
    let op = json!(file.op);
    let _ = writeln!(
        text,
        "\n{} {}{}{} (+{} -{}, {} -> {} bytes{}{}){}",
        op.as_str().unwrap_or_default(),
        visible(&file.path),
        file.from.as_deref().map(|from| format!(" from {}", visible(from))).unwrap_or_default(),
        file.entries.map(|entries| format!(", {entries} entries")).unwrap_or_default(),
        file.added,
        file.removed,
        file.before_bytes,
        file.after_bytes,
        file.line_ends.map(line_ends_text).unwrap_or_default(),
        match (file.executable, file.undoable || !undo) {
            (true, true) => ", executable",
            (true, false) => ", executable, cannot be undone",
            (false, true) => "",
            (false, false) => ", cannot be undone",
        },
        mode_text(file),
    );
    if file.hunks.is_empty() && file.added > 0 {
        text.push_str("Its lines are too many to be shown here.\n");
    }
    for hunk in &file.hunks {
        let _ = writeln!(
            text,
            "@@ -{},{} +{},{} @@",
            hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines
        );
        for line in &hunk.lines {
            let _ = writeln!(text, "{}", visible_line(line));
        }
    }
}

fn mode_text(file: &FileChange) -> String {
    match (file.mode_before.as_deref(), file.mode.as_deref()) {
        (Some(before), Some(after)) => format!(", mode {} -> {}", named_mode(before), named_mode(after)),
        (Some(mode), None) | (None, Some(mode)) => format!(", mode {}", named_mode(mode)),
        (None, None) => String::new(),
    }
}

/// Of git's modes not everybody knows what they say.
fn named_mode(mode: &str) -> String {
    let name = match mode {
        "100755" => "executable",
        "120000" => "symbolic link",
        "160000" => "submodule",
        _ => return mode.to_owned(),
    };
    format!("{mode} ({name})")
}

fn line_ends_text(change: LineEndChange) -> String {
    if change.before == change.after {
        return ", some lines get other line ends".to_owned();
    }
    format!(", line ends {} -> {}", change.before.as_str(), change.after.as_str())
}

/// A line of a diff: tabs stay, what could deceive is escaped.
fn visible_line(line: &str) -> String {
    line.split('\t').map(visible).collect::<Vec<_>>().join("\t")
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
