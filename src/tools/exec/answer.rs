//! What `exec_run` answers: how a command ended, or that it goes on. Puts into words; starts and ends nothing but the job of a
//! call that was cancelled.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    jobs::{Job, Jobs, ended_in_words},
    supervise::{Ran, Ready, in_words},
};
use crate::{
    cancel::Cancel,
    limits::EXEC_TEXT_BYTES,
    process::{CANCEL_GRACE, Ended, signal_name},
    tools::{Call, Code, Reply, ToolError, handles},
};

/// The facts; the output itself is in the text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// How it ended.
    outcome: How,
    /// The exit code, when it exited by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that killed it, when one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    /// The background job, for `exec_output` and `exec_kill`.
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<String>,
    /// Bytes it wrote to stdout and stderr.
    bytes_total: u64,
    /// What confined it.
    sandbox: String,
    /// Whether it could use the network.
    network: bool,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// By itself.
    Exited,
    /// By a signal that did not come from us.
    Killed,
    /// It has not: it runs as a background job.
    Running,
    /// Nobody knows: it was a job of another connection.
    Lost,
}

/// Output beside an error; enough to see what it was busy with.
const ERROR_OUTPUT_BYTES: usize = 8 * 1024;
/// How long killing and telling takes at most.
const PATIENCE: Duration = Duration::from_secs(3);

/// The answer about a command that has ended.
pub(super) fn ended(
    ready: &Ready,
    ran: &Ran,
    job: Option<String>,
    call: &Call,
) -> Result<Reply<Output>, ToolError> {
    let entry = ready.command().entry();
    let (how, exit_code, signal) = match ran.outcome.ended {
        Ended::Exited(code) => (How::Exited, Some(code), None),
        Ended::Signaled(signal) => (How::Killed, None, Some(signal_name(signal))),
        Ended::Timeout | Ended::IdleTimeout | Ended::Cancelled => return Err(ended_early(ready, ran, call)),
    };
    let ended = ended_in_words(ran.outcome.ended);
    let output = ran.transcript.since(0, EXEC_TEXT_BYTES);
    let took = in_words(ran.outcome.duration);
    let took = match (exit_code, held_in_words(ready)) {
        // Whoever looks for the reason of a failure should know what the command could not do.
        (Some(code), held) if code != 0 && !held.is_empty() => format!("{took} ({held})"),
        _ => took,
    };
    let text = if output.text.is_empty() {
        format!("`{}` {ended} after {took}, without output.", entry.id)
    } else {
        format!("`{}` {ended} after {took}.\n\n{}", entry.id, output.text)
    };
    let confinement = ready.confinement();
    let data = Output {
        outcome: how,
        exit_code,
        signal,
        job,
        bytes_total: ran.transcript.bytes_total(),
        sandbox: confinement.kind().to_owned(),
        network: confinement.has_network(),
    };
    let mut reply = Reply::new(text, data);
    reply.warnings = ran.warnings();
    if output.omitted_bytes > 0 {
        let shown = output.end - output.omitted_bytes;
        reply.keep_output(call, ran.transcript.whole(), shown, output.end);
    }
    Ok(reply)
}

/// What the command was kept from.
fn held_in_words(ready: &Ready) -> String {
    let confinement = ready.confinement();
    let network = (!confinement.has_network()).then_some("it had no network");
    let files = confinement.confines_files().then_some("could write only where its plan says");
    [network, files].into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// Waits a while for a job that was just started, and tells how it stands then.
pub(super) fn in_background(job: Arc<Job>, wait: Duration, call: &Call) -> Result<Reply<Output>, ToolError> {
    job.wait(Instant::now() + wait, &call.cancel);
    job.leave();
    if call.cancel.is_cancelled() {
        // Nobody has its name, so nobody could end it.
        job.end(CANCEL_GRACE);
        job.wait(Instant::now() + CANCEL_GRACE + PATIENCE, &Cancel::new());
    }
    if let Some(result) = job.result() {
        job.set_seen(job.transcript.text_bytes());
        let ran = result?;
        return ended(job.ready(), &ran, Some(job.id.clone()), call);
    }
    let mut redaction = call.redactor.begin();
    let output = job.part(0, EXEC_TEXT_BYTES, &mut redaction);
    job.set_seen(output.end);
    let confinement = job.ready().confinement();
    let data = Output {
        outcome: How::Running,
        exit_code: None,
        signal: None,
        job: Some(job.id.clone()),
        bytes_total: job.transcript.bytes_total(),
        sandbox: confinement.kind().to_owned(),
        network: confinement.has_network(),
    };
    let mut text = format!(
        "`{}` runs as {} (exec_output shows what it writes, exec_kill ends it; it ends in {} at the latest, or with this connection)",
        job.command,
        job.id,
        in_words(job.ready().wall().saturating_sub(job.age()))
    );
    text += if output.text.is_empty() { ", without output so far." } else { ".\n\n" };
    text += &output.text;
    let mut reply = Reply::new(text, data);
    reply.warnings.extend(redaction.told());
    if output.omitted_bytes > 0 {
        let shown = output.end - output.omitted_bytes;
        reply.keep_output(call, job.part(0, usize::MAX, &mut redaction), shown, output.end);
    }
    Ok(reply)
}

/// Makes the stored answer of a command true for this connection, which does not have the job that another one started.
pub fn told_again(text: &mut String, structured: &mut Value, jobs: &Jobs) {
    let Some(data) = structured.get_mut("data").and_then(Value::as_object_mut) else { return };
    let Some(job) = data.get("job").and_then(Value::as_str) else { return };
    if data.get("outcome") != Some(&json!(How::Running)) || jobs.find(job).is_ok() {
        return;
    }
    *text = format!(
        "{job} is no job of this connection, and a job ends with its own at the latest: it cannot be looked at any more, and how it \
         ended is not known. When it had begun, the answer was:\n\n{text}"
    );
    data.insert("outcome".to_owned(), json!(How::Lost));
    data.remove("job");
}

/// The error of a command that we ended.
fn ended_early(ready: &Ready, ran: &Ran, call: &Call) -> ToolError {
    let entry = ready.command().entry();
    let took = in_words(ran.outcome.duration);
    let mut handle = None;
    let output = ran.transcript.last(ERROR_OUTPUT_BYTES);
    let output = if output.is_empty() {
        "It had no output.".to_owned()
    } else if (output.len() as u64) < ran.transcript.text_bytes() {
        let whole = ran.transcript.whole();
        handle = call.handles.keep(whole.text);
        let note = handles::output_note(handle.as_deref(), whole.omitted_bytes);
        format!("The end of its output:\n{output}{note}")
    } else {
        format!("Its output:\n{output}")
    };
    let done = format!(
        "`{}` and all it had started were ended after {took}; it may have done a part of its work",
        entry.id
    );
    let mut error = match ran.outcome.ended {
        Ended::Timeout => ToolError::new(
            Code::Timeout,
            format!("time-out: {done}. {output}"),
            format!(
                "run a smaller part of it, or give a larger `timeout_ms` (this call's was {}, the command's limit is {})",
                ready.wall().as_millis(),
                entry.timeout_ms
            ),
        ),
        Ended::IdleTimeout => ToolError::new(
            Code::IdleTimeout,
            format!(
                "no output for {}: {done}. {output}",
                in_words(Duration::from_millis(entry.idle_timeout_ms))
            ),
            "it may be waiting for input, which is closed: give it arguments that make it run by itself",
        ),
        _ => ToolError::cancelled(&format!("{done}. {output}")),
    };
    // The same call would do the same work again.
    error.retryable = false;
    error.handle = handle;
    error
}
