//! `exec_run`: runs one command of the allowlist and shows how it ended.
//!
//! The model gives an id and arguments; it can never name a program, use a shell, set an environment or feed input. Whatever
//! the command starts ends with it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    answer::{Output, ended, in_background},
    paths::{check_package, look_up},
    supervise::Ready,
};
use crate::{
    config::{CommandEntry, Profile, is_git},
    limits::{EXEC_ARG_BYTES, EXEC_ARGS, EXEC_TIMEOUT_MS_MAX, EXEC_WAIT_MS_MAX},
    policy::{Effect, Intent, Law, Permit},
    text::{prefix, visible},
    tier::Tier,
    tools::{Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec},
};

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ExecRun;

/// What a model gives.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The id of an allowed command.
    command: String,
    /// One string each.
    #[serde(default)]
    #[schemars(length(max = 64), inner(length(max = 4096)))]
    args: Vec<String>,
    /// Folder to run in.
    #[serde(default = "root")]
    workdir: String,
    /// Default: the command's own.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_800_000))]
    timeout_ms: Option<u64>,
    /// After `wait_ms` it goes on as a job.
    #[serde(default)]
    background: bool,
    /// With background.
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

/// What is ready to run.
#[derive(Debug)]
pub struct Work {
    ready: Ready,
    /// Started as a job, and waited for so long.
    background: Option<Duration>,
    warnings: Vec<String>,
}

/// The longest summary line in a plan; the preview has every argument.
const SUMMARY_BYTES: usize = 200;

impl Tool for ExecRun {
    type Params = Params;
    type Output = Output;
    type Work = Work;
    const SPEC: ToolSpec = ToolSpec {
        name: "exec_run",
        title: "Run a command",
        description: "Runs an allowed command with arguments, without a shell: no pipes, globs, variables. Standard \
            input is closed; the middle of long output is left out. Any exit code is a result. \
            workspace_info lists argument rules.",
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
        check_args(&params.args)?;
        let checked = call.law.commands().check(&params.command, &params.args)?;
        let workdir = call.workspace.resolve(&params.workdir)?;
        let folder = call.workspace.open_folder(&workdir)?;
        let workdir = workdir.resolved().clone();
        if !call.workspace.may_enter(&folder) {
            return Err(ToolError::new(
                Code::PermissionDenied,
                format!("no command can run in `{workdir}`: you may not enter this folder"),
                "give another `workdir`, or ask the user to give themselves the right to enter it",
            ));
        }
        if workdir.as_path().to_str().is_none() {
            return Err(ToolError::new(
                Code::InvalidArgs,
                format!("`{workdir}` cannot be a working folder: its name is not UTF-8"),
                "run it in another folder of the workspace",
            ));
        }
        let resolved = look_up(call, &workdir, &checked)?;
        checked.judge(call.workspace.rules(), &workdir, &resolved)?;
        check_package(&call.workspace, &workdir, &checked)?;
        call.processes.sandboxing()?;
        let program = call.processes.resolve_program(&checked.entry().program)?;
        let (wall, warnings) = limit(params.timeout_ms, checked.entry())?;
        let command = checked.allow(call.workspace.rules(), program, workdir, &resolved)?;
        let ready = Ready::in_folder(call, command, folder, wall)?;
        if is_git(&ready.real_program().to_string_lossy()) {
            return Err(ToolError::new(
                Code::CommandNotAllowed,
                format!("`{}` is git by another name", params.command),
                "the git tools do what git does, under rules of their own",
            ));
        }
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

/// What the schema says of arguments, whatever the command.
fn check_args(args: &[String]) -> Result<(), ToolError> {
    let invalid = |message: String| {
        Err(ToolError::new(
            Code::InvalidArgs,
            message,
            format!("give at most {EXEC_ARGS} arguments of at most {EXEC_ARG_BYTES} bytes each"),
        ))
    };
    if args.len() > EXEC_ARGS {
        return invalid(format!("`args` has {} entries; it may have at most {EXEC_ARGS}", args.len()));
    }
    if let Some((index, argument)) =
        args.iter().enumerate().find(|(_, argument)| argument.len() > EXEC_ARG_BYTES)
    {
        let bytes = argument.len();
        return invalid(format!("`args[{index}]` has {bytes} bytes; it may have at most {EXEC_ARG_BYTES}"));
    }
    Ok(())
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
        Some(given) if given > EXEC_TIMEOUT_MS_MAX => {
            Err(ToolError::out_of_range("timeout_ms", given, (1, EXEC_TIMEOUT_MS_MAX)))
        }
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
        tier: command.tier(),
        changes: Vec::new(),
        summary: format!(
            "Run {}{cut}{folder}{}",
            prefix(&line, SUMMARY_BYTES),
            if background { " in the background" } else { "" }
        ),
        preview: Some(ready.preview()),
    }
}
