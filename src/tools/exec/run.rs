//! `exec_run`: runs one command of the allowlist and shows how it ended.
//!
//! The model gives an id and arguments; it can never name a program, use a shell, set an environment or feed input. Whatever
//! the command starts ends with it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    paths::look_up,
    supervise::{Ran, Ready, in_words},
};
use crate::{
    config::{CommandEntry, Profile},
    limits::EXEC_TEXT_BYTES,
    policy::{Effect, Intent, Law, Permit},
    process::{Ended, signal_name},
    text::{prefix, visible},
    tier::Tier,
    tools::{
        Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec, Truncated, handles::next_call,
    },
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
}

/// What is ready to run.
#[derive(Debug)]
pub struct Work {
    ready: Ready,
    warnings: Vec<String>,
}

/// Output beside an error; enough to see what it was busy with.
const ERROR_OUTPUT_BYTES: usize = 8 * 1024;
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
        let intent = intent(&ready, call);
        Ok(Prepared { intent, work: Work { ready, warnings } })
    }

    fn run(&self, permit: &Permit, work: Work, call: &Call) -> Result<Reply<Output>, ToolError> {
        let ran = work.ready.run(permit, call)?;
        reply(&work, &ran, call)
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

fn intent(ready: &Ready, call: &Call) -> Intent {
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
        summary: format!("Run {}{cut}{folder}", prefix(&line, SUMMARY_BYTES)),
        preview: Some(ready.preview()),
    }
}

fn reply(work: &Work, ran: &Ran, call: &Call) -> Result<Reply<Output>, ToolError> {
    let entry = work.ready.command().entry();
    let (how, exit_code, signal) = match ran.outcome.ended {
        Ended::Exited(code) => (How::Exited, Some(code), None),
        Ended::Signaled(signal) => (How::Killed, None, Some(signal_name(signal))),
        Ended::Timeout | Ended::IdleTimeout | Ended::Cancelled => return Err(ended_early(work, ran, call)),
    };
    let ended = match (exit_code, &signal) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, signal) => format!("was killed by {}", signal.as_deref().unwrap_or("a signal")),
    };
    let output = ran.transcript.since(0, EXEC_TEXT_BYTES);
    let took = in_words(ran.outcome.duration);
    let text = if output.text.is_empty() {
        format!("`{}` {ended} after {took}, without output.", entry.id)
    } else {
        format!("`{}` {ended} after {took}.\n\n{}", entry.id, output.text)
    };
    let confinement = work.ready.confinement();
    let data = Output {
        outcome: how,
        exit_code,
        signal,
        bytes_total: ran.transcript.bytes_total(),
        sandbox: confinement.kind().to_owned(),
        network: confinement.has_network(),
    };
    let mut reply = Reply::new(text, data);
    reply.warnings.clone_from(&work.warnings);
    if ran.outcome.survivors > 0 {
        reply
            .warnings
            .push(format!("{} processes that it started could not be ended", ran.outcome.survivors));
    }
    if output.omitted_bytes > 0 {
        reply.handle = call.handles.keep(ran.transcript.whole().text);
        reply.truncated = Some(Truncated {
            shown: output.end - output.omitted_bytes,
            total: output.end,
            unit: "bytes".to_owned(),
            next: reply.handle.as_deref().map(next_call),
        });
        reply.text.push_str(&handle_note(reply.handle.as_deref()));
    }
    Ok(reply)
}

/// Where the rest is.
fn handle_note(handle: Option<&str>) -> String {
    handle
        .map(|handle| format!("\n(all of it: fs_read or search_grep with path `{handle}`)"))
        .unwrap_or_default()
}

/// The error of a command that we ended.
fn ended_early(work: &Work, ran: &Ran, call: &Call) -> ToolError {
    let entry = work.ready.command().entry();
    let took = in_words(ran.outcome.duration);
    let output = ran.transcript.last(ERROR_OUTPUT_BYTES);
    let output = if output.is_empty() {
        "It wrote nothing.".to_owned()
    } else if (output.len() as u64) < ran.transcript.text_bytes() {
        let handle = call.handles.keep(ran.transcript.whole().text);
        format!("The end of its output:\n{output}{}", handle_note(handle.as_deref()))
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
                work.ready.wall().as_millis(),
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
