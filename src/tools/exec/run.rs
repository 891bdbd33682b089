//! `exec_run`: runs one command of the allowlist and shows how it ended.
//!
//! The model gives an id and arguments; it can never name a program, use a shell, set an environment or feed input. Whatever
//! the command starts ends with it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    jobs::{Job, ended_in_words},
    paths::look_up,
    supervise::{Ran, Ready, in_words},
};
use crate::{
    cancel::Cancel,
    config::{CommandEntry, Profile},
    limits::{EXEC_TEXT_BYTES, EXEC_WAIT_MS_MAX},
    policy::{Effect, Intent, Law, Permit},
    process::{CANCEL_GRACE, Ended, signal_name},
    text::{prefix, visible},
    tier::Tier,
    tools::{Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec, handles},
};

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ExecRun;

/// What a model gives.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// The id of an allowed command.
    command: String,
    /// Arguments, one string each; no shell reads them. Default: none.
    #[serde(default)]
    #[schemars(length(max = 64), inner(length(max = 4096)))]
    args: Vec<String>,
    /// Folder to run in, relative to the workspace.
    #[serde(default = "root")]
    workdir: String,
    /// Milliseconds until it is ended; at most, and by default, the command's own limit.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_800_000))]
    timeout_ms: Option<u64>,
    /// Answer `running` with a job if it has not ended after `wait_ms`; it goes on, and may be silent as long as it likes.
    #[serde(default)]
    background: bool,
    /// With `background`: milliseconds to wait for its end.
    #[serde(default = "wait")]
    #[schemars(range(max = 30_000))]
    wait_ms: u64,
}

fn wait() -> u64 {
    10_000
}

fn root() -> String {
    ".".to_owned()
}

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
}

/// What is ready to run.
#[derive(Debug)]
pub struct Work {
    ready: Ready,
    /// Started as a job, and waited for so long.
    background: Option<Duration>,
    warnings: Vec<String>,
}

/// Output beside an error; enough to see what it was busy with.
const ERROR_OUTPUT_BYTES: usize = 8 * 1024;
/// How long killing and telling takes at most.
const PATIENCE: Duration = Duration::from_secs(3);
/// The longest summary line in a plan; the preview has every argument.
const SUMMARY_BYTES: usize = 200;

impl Tool for ExecRun {
    type Params = Params;
    type Output = Output;
    type Work = Work;
    const SPEC: ToolSpec = ToolSpec {
        name: "exec_run",
        title: "Run a command",
        description: "Runs an allowed command with arguments, without a shell: no pipes, globs or variables. \
            Waits until it ends and shows stdout and stderr as they came, the middle of long output left out. \
            Standard input is closed. A non-zero exit code is a result, not an error. \
            workspace_info lists the commands and their argument rules.",
        profile: Profile::Core,
        tier: Tier::Individual,
        annotations: Annotations { read_only: false, destructive: true, idempotent: false, open_world: true },
    };

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        if params.wait_ms > EXEC_WAIT_MS_MAX {
            return Err(ToolError::new(
                Code::InvalidArgs,
                format!("`wait_ms` is {}; at most {EXEC_WAIT_MS_MAX} is waited", params.wait_ms),
                "exec_output waits for a job as often as it is called",
            ));
        }
        let checked = call.law.commands().check(&params.command, &params.args)?;
        call.processes.sandboxing()?;
        let workdir = call.workspace.resolve(&params.workdir)?;
        let folder = call.workspace.open_folder(&workdir)?;
        let workdir = workdir.resolved().clone();
        if workdir.as_path().to_str().is_none() {
            return Err(ToolError::new(
                Code::InvalidArgs,
                format!("`{workdir}` cannot be a working folder: its name is not UTF-8"),
                "run it in another folder of the workspace",
            ));
        }
        let resolved = look_up(&call.workspace, &workdir, &checked)?;
        let program = call.processes.resolve_program(&checked.entry().program)?;
        let (wall, warnings) = limit(params.timeout_ms, checked.entry())?;
        let command = checked.allow(call.law.paths(), program, workdir, &resolved)?;
        let ready = Ready::in_folder(call, command, folder, wall)?;
        let intent = intent(&ready, params.background, call);
        let background = params.background.then(|| Duration::from_millis(params.wait_ms));
        Ok(Prepared { intent, work: Work { ready, background, warnings } })
    }

    fn run(&self, permit: &Permit, work: Work, call: &Call) -> Result<Reply<Output>, ToolError> {
        let Work { ready, background, warnings } = work;
        let mut reply = match background {
            None => ended(&ready, &ready.run(permit, call)?, None, call)?,
            Some(wait) => in_background(call.jobs.start(ready, permit, call)?, wait, call)?,
        };
        reply.warnings.splice(0..0, warnings);
        Ok(reply)
    }

    fn refine_schema(schema: &mut Map<String, Value>, law: &Law) {
        let ids: Vec<Value> = law.commands().entries().iter().map(|entry| entry.id.clone().into()).collect();
        // An empty enum is no valid schema; a call then says that there are no commands.
        if !ids.is_empty()
            && let Some(Value::Object(command)) =
                schema.get_mut("properties").and_then(|all| all.get_mut("command"))
        {
            command.insert("enum".into(), Value::Array(ids));
        }
    }
}

/// The wall-clock limit, and what to say about it.
fn limit(given: Option<u64>, entry: &CommandEntry) -> Result<(Duration, Vec<String>), ToolError> {
    let most = entry.timeout_ms;
    match given {
        Some(0) => Err(ToolError::new(
            Code::InvalidArgs,
            "`timeout_ms` is 0, so the command could not run at all",
            format!("leave it out, or give 1 to {most}"),
        )),
        Some(given) if given > most => Ok((
            Duration::from_millis(most),
            vec![format!("`timeout_ms` was lowered to {most}, the limit of `{}`", entry.id)],
        )),
        given => Ok((Duration::from_millis(given.unwrap_or(most)), Vec::new())),
    }
}

fn intent(ready: &Ready, background: bool, call: &Call) -> Intent {
    let command = ready.command();
    let line =
        command.args().iter().fold(command.entry().program.clone(), |line, argument| line + " " + argument);
    let line = visible(&line).into_owned();
    let cut = if line.len() > SUMMARY_BYTES { " …" } else { "" };
    let folder =
        if command.workdir().is_root() { String::new() } else { format!(" in {}", command.workdir()) };
    Intent {
        effect: Effect::Execute,
        raises: ready.raises(call),
        tier: Some(command.tier()),
        changes: Vec::new(),
        summary: format!(
            "Run {}{cut}{folder}{}",
            prefix(&line, SUMMARY_BYTES),
            if background { " in the background" } else { "" }
        ),
        preview: Some(ready.preview()),
    }
}

/// The answer about a command that has ended.
fn ended(ready: &Ready, ran: &Ran, job: Option<String>, call: &Call) -> Result<Reply<Output>, ToolError> {
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
        reply.keep_whole(call, ran.transcript.whole().text, shown, output.end);
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
fn in_background(job: Arc<Job>, wait: Duration, call: &Call) -> Result<Reply<Output>, ToolError> {
    job.wait(Instant::now() + wait, &call.cancel);
    job.leave();
    if call.cancel.is_cancelled() {
        // Nobody has its name, so nobody could end it.
        job.end(CANCEL_GRACE);
        job.wait(Instant::now() + CANCEL_GRACE + PATIENCE, &Cancel::new());
    }
    let output = job.transcript.since(0, EXEC_TEXT_BYTES);
    job.set_seen(output.end);
    if let Some(result) = job.result() {
        let ran = result?;
        return ended(job.ready(), &ran, Some(job.id.clone()), call);
    }
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
    Ok(Reply::new(text, data))
}

/// The error of a command that we ended.
fn ended_early(ready: &Ready, ran: &Ran, call: &Call) -> ToolError {
    let entry = ready.command().entry();
    let took = in_words(ran.outcome.duration);
    let output = ran.transcript.last(ERROR_OUTPUT_BYTES);
    let output = if output.is_empty() {
        "It wrote nothing.".to_owned()
    } else if (output.len() as u64) < ran.transcript.text_bytes() {
        let handle = call.handles.keep(ran.transcript.whole().text);
        format!("The end of its output:\n{output}{}", handles::note(handle.as_deref()))
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
    error
}
