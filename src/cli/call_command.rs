//! `outrigger call`: any tool from a shell, by the same way as a model's call: prepared, judged, asked, recorded.

use std::{
    io::{self, BufRead as _, IsTerminal as _, Write as _},
    path::Path,
    sync::Arc,
};

use clap::{Args, ValueEnum};
use serde_json::{Map, json};
use tokio::{runtime::Builder, signal, task};

use super::{
    call_arguments,
    report::{Exit, Report},
    serve, state_folder,
};
use crate::{
    cancel::Cancel,
    policy::{Answer, Plan},
    server::{
        Host, address,
        dispatch::{self, Outcome},
        render::{Finished, plan_text},
        request::{META, Request},
    },
    tier::Tier,
    tools::{AnyTool, Sink},
};

/// Call a tool
///
/// The arguments are written `key=value`, typed by the tool's schema: `start_line=10 line_numbers=false`. A list is repeated
/// (`paths=a paths=b`) or JSON; `key=@file` takes the value from a file, `key=-` from the standard input, `key:=JSON` as it
/// stands. What needs approval is shown and asked on a terminal; without one it needs `--yes`.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 done, 1 the call failed, 2 the command line is wrong, 3 not approved.")]
pub struct CallArgs {
    /// The tool's name
    tool: String,
    /// Its arguments
    #[arg(value_name = "KEY=VALUE")]
    arguments: Vec<String>,
    /// The workspace: its id, or its folder (default: the one you are in, else the first)
    #[arg(long, value_name = "ID|DIR")]
    workspace: Option<String>,
    /// Approve without being asked: `--yes` what asks as one of a batch, `--yes=individual` everything
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "batch", value_name = "TIER")]
    yes: Option<Yes>,
    /// Show what would be asked, and run nothing that has to be
    #[arg(long, conflicts_with = "yes")]
    plan: bool,
}

/// How much is approved without being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Yes {
    /// What asks as one of a batch
    Batch,
    /// Everything
    Individual,
}

/// How often a plan may go stale while it is looked at.
const STALE_ROUNDS: usize = 3;

/// Nobody listens while it runs.
struct Silent;

impl Sink for Silent {
    fn progress(&self, _: u64, _: Option<u64>, _: &str) {}
    fn output(&self, _: &[u8]) {}
}

/// Does it.
pub fn run(args: &CallArgs, config: Option<&Path>, report: &mut Report) -> Exit {
    let (config, law) = match super::load(config).0 {
        Ok(loaded) => loaded,
        Err(error) => {
            let colours = report.has_colours();
            report.error("the configuration cannot be used", &error.render(colours), "");
            return Exit::Problems;
        }
    };
    let host = Arc::new(serve::host(config, law, state_folder(), Cancel::new()));
    let tool = match find(&host, &args.tool) {
        Ok(tool) => tool,
        Err((reason, help)) => {
            report.error(&reason, "", &help);
            return Exit::Usage;
        }
    };
    let law = host.default_law();
    let arguments = match call_arguments::read(&args.arguments, &tool.input_schema(&law)) {
        Ok(arguments) => arguments,
        Err(error) => {
            report.error(&format!("{}: {error}", args.tool), "", &error.help());
            return Exit::Usage;
        }
    };
    if args.tool == "exec_run" && arguments.get("background") == Some(&json!(true)) {
        let reason = "a job ends with the connection that began it, and this one ends with the call";
        let help =
            "leave `background` out, and let the shell wait (`&`); a client of `outrigger mcp` can have jobs";
        report.error("exec_run: nothing runs in the background of a single call", reason, help);
        return Exit::Usage;
    }
    let workspace = super::workspace_named(&host.config, args.workspace.as_deref());
    let workspace = match workspace {
        Ok(workspace) => workspace,
        Err(reason) => {
            report.error(&reason, "", "`outrigger workspace list` shows them");
            return Exit::Usage;
        }
    };
    let mut meta = Map::new();
    if let Some(id) = workspace {
        meta.insert(format!("{META}workspace"), json!(id));
    }
    let mut request = match Request::new(&args.tool, arguments, &meta) {
        Ok(request) => request,
        Err(reason) => {
            report.error("the call cannot be made", &reason, "");
            return Exit::Usage;
        }
    };
    if let Err(error) = address::apply(&host, &mut request) {
        report.error(&error.message, "", &error.hint);
        return Exit::Problems;
    }
    let exit = perform(args, &host, tool, request, report);
    if let Err(error) = host.journal.flush() {
        report.warning(&format!("the audit cannot be written: {error}"), "");
    }
    host.journal.leave();
    exit
}

fn find(host: &Host, name: &str) -> Result<&'static dyn AnyTool, (String, String)> {
    host.tool(name).ok_or_else(|| host.no_tool(name))
}

fn perform(
    args: &CallArgs,
    host: &Arc<Host>,
    tool: &'static dyn AnyTool,
    mut request: Request,
    report: &mut Report,
) -> Exit {
    for _ in 0..STALE_ROUNDS {
        match run_once(host, tool, &request) {
            Ok(Outcome::Done(finished)) => return tell(&finished, report),
            Ok(Outcome::Ask(plan)) => match decide(args, &plan, report) {
                Some(answer) => {
                    request.answer = Some(answer);
                    request.answered_by = Some("user".to_owned());
                }
                None => return Exit::NotApproved,
            },
            Err(reason) => {
                report.error("the call could not be run", &reason, "");
                return Exit::Problems;
            }
        }
    }
    report.error(
        "what would happen changed each time it was asked",
        "something else changed the same files, or the repository, meanwhile; nothing was done",
        "call again when nothing else is at work there",
    );
    Exit::Problems
}

/// One way through; an interrupt cancels the call, and what it had done is told.
pub(super) fn run_once(
    host: &Arc<Host>,
    tool: &'static dyn AnyTool,
    request: &Request,
) -> Result<Outcome, String> {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let cancel = Cancel::new();
    let (host, owned, token) = (Arc::clone(host), request.clone(), cancel.clone());
    let outcome = runtime.block_on(async move {
        let mut work =
            task::spawn_blocking(move || dispatch::run(&host, tool, &owned, token, Arc::new(Silent)));
        tokio::select! {
            outcome = &mut work => outcome,
            _ = signal::ctrl_c() => {
                cancel.cancel();
                work.await
            }
        }
    });
    runtime.shutdown_background();
    outcome.map_err(|error| error.to_string())
}

/// The answer to a plan; `None` when there is nobody to ask and it was not given beforehand.
fn decide(args: &CallArgs, plan: &Plan, report: &mut Report) -> Option<Answer> {
    let given = match args.yes {
        Some(Yes::Individual) => true,
        Some(Yes::Batch) => plan.tier <= Tier::Batch,
        None => false,
    };
    if given {
        return Some(Answer::allow(&plan.digest));
    }
    let can_ask = io::stdin().is_terminal() && io::stderr().is_terminal();
    if can_ask && !args.plan && !takes_stdin(args) {
        report.notice(&plan_text(plan));
        return Some(if asked_yes("Do it? [y/N] ") { Answer::allow(&plan.digest) } else { Answer::deny() });
    }
    let flag = if plan.tier == Tier::Individual { "--yes=individual" } else { "--yes" };
    if report.is_json() {
        report.json(&json!({"ok": false, "code": "approval_unavailable", "plan": plan, "hint": format!("`{flag}` approves it")}));
        return None;
    }
    report.line(plan_text(plan).trim_end());
    if !args.plan {
        report.error(
            "this needs approval, and there is no terminal to ask on",
            "",
            &format!("`{flag}` approves it; `--plan` only shows it"),
        );
    }
    None
}

fn takes_stdin(args: &CallArgs) -> bool {
    args.arguments.iter().any(|argument| argument.split_once('=').is_some_and(|(_, value)| value == "-"))
}

/// Asks on the terminal. Anything but a yes is a no.
pub(super) fn asked_yes(question: &str) -> bool {
    let _ = write!(io::stderr(), "{question}");
    let _ = io::stderr().flush();
    let mut answer = String::new();
    let _ = io::stdin().lock().read_line(&mut answer);
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

fn tell(finished: &Finished, report: &mut Report) -> Exit {
    let code = finished.structured["code"].as_str().unwrap_or_default();
    if report.is_json() {
        let mut answer = finished.whole();
        answer["text"] = json!(finished.text);
        report.json(&answer);
    } else if finished.is_error {
        let words = |key: &str| finished.structured[key].as_str().unwrap_or_default().to_owned();
        let candidates = finished.structured["candidates"].as_array().into_iter().flatten();
        let candidates: Vec<&str> = candidates.filter_map(|candidate| candidate.as_str()).collect();
        let reason = if candidates.is_empty() {
            String::new()
        } else {
            format!("candidates: {}", candidates.join(", "))
        };
        report.error(&format!("{code}: {}", words("message")), &reason, &words("hint"));
    } else {
        report.line(finished.text.trim_end_matches('\n'));
    }
    match (finished.is_error, code) {
        (false, _) => Exit::Done,
        (true, "approval_denied") => Exit::NotApproved,
        (true, _) => Exit::Problems,
    }
}
