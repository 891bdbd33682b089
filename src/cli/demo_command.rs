//! `outrigger demo`: the main job in a folder that is thrown away: read, ask, change, refuse, take back. It needs no browser, no
//! model and no configuration, touches nothing of the person's, and says so when a step does not come out as it should.

use std::{
    io::{self, IsTerminal as _},
    path::Path,
    sync::Arc,
};

use clap::Args;
use serde_json::{Map, Value, json};

use super::{
    call_command::{self, asked_yes},
    report::{Exit, Report, Tone},
    serve,
};
use crate::{
    cancel::Cancel,
    config::{self, Config, Language, Source},
    install::scratch::Scratch,
    policy::{Answer, Law},
    server::{
        Host,
        dispatch::Outcome,
        render::{Finished, plan_text},
        request::{META, Request},
        undo::{self, Direction, UndoParams, UndoState},
    },
    tools::catalog,
};

/// Show the main job in a folder that is thrown away afterwards
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Do what it asks without asking
    #[arg(long)]
    yes: bool,
}

const PRICES: &str = "# Prices of the harbour shop\nrope 4.50\nanchor 39.00\nlantern 12.80\n";
const TURN: &str = "demo";

/// One call of the story, and how it is to end.
struct Scene {
    title: &'static str,
    tool: &'static str,
    arguments: Value,
    expected: Expected,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Answer,
    Question,
    Refusal(&'static str),
}

fn scenes() -> [Scene; 5] {
    [
        Scene {
            title: "Reading needs no leave",
            tool: "fs_read",
            arguments: json!({"path": "prices.txt"}),
            expected: Expected::Answer,
        },
        Scene {
            title: "Searching neither",
            tool: "search_grep",
            arguments: json!({"pattern": "[0-9]+\\.[0-9]{2}", "path": "prices.txt"}),
            expected: Expected::Answer,
        },
        Scene {
            title: "A change is shown and asked for; what is approved is what is written, byte for byte",
            tool: "fs_edit",
            arguments: json!({"path": "prices.txt", "edits": [{"old_text": "anchor 39.00", "new_text": "anchor 35.00"}]}),
            expected: Expected::Question,
        },
        Scene {
            title: "No path leads out of the folder",
            tool: "fs_read",
            arguments: json!({"path": "../../etc/passwd"}),
            expected: Expected::Refusal("outside_workspace"),
        },
        Scene {
            title: "A command that is not on the list does not start",
            tool: "exec_run",
            arguments: json!({"command": "shutdown", "args": ["now"]}),
            expected: Expected::Refusal("command_not_allowed"),
        },
    ]
}

/// Does it.
pub fn run(args: &DemoArgs, report: &mut Report) -> Exit {
    let told = match play(args, report) {
        Ok(told) => told,
        Err(Stop::Declined) => {
            report.line("Nothing was changed: you said no, and that is that.");
            return Exit::NotApproved;
        }
        Err(Stop::Failed { what, reason }) => {
            report.error(&what, &reason, "`outrigger doctor` looks for what is wrong on this machine");
            return Exit::Problems;
        }
    };
    if report.is_json() {
        report.json(&json!({"ok": true, "steps": told}));
    } else {
        report.line("");
        report.pieces(&[(Tone::Good, "That is all of it."), (Tone::Plain, " The folder is gone again.")]);
        report.line("`outrigger install` lets your browser do the same, `outrigger workspace add DIR` in a folder of yours.");
    }
    Exit::Done
}

/// Why it ends early.
enum Stop {
    Declined,
    Failed { what: String, reason: String },
}

impl Stop {
    fn failed(what: impl Into<String>, reason: impl ToString) -> Self {
        Self::Failed { what: what.into(), reason: reason.to_string() }
    }
}

fn play(args: &DemoArgs, report: &mut Report) -> Result<Vec<Value>, Stop> {
    let scratch = Scratch::create().map_err(|error| Stop::failed("the demo has no folder", error))?;
    let file = scratch
        .put("shop/prices.txt", PRICES)
        .map_err(|error| Stop::failed("the demo has no folder", error))?;
    let folder = file.parent().unwrap_or(scratch.path());
    let (config, law) = rules(&scratch, folder)?;
    let host = Arc::new(serve::host(config, law, scratch.path().join("state"), Cancel::new()));
    if !report.is_json() {
        let place = folder.display().to_string();
        report.pieces(&[(Tone::Plain, "A small shop, in a folder of its own: "), (Tone::Strong, &place)]);
    }
    let mut told = Vec::new();
    for (number, scene) in scenes().iter().enumerate() {
        told.push(perform(&host, number + 1, scene, args, report)?);
    }
    told.push(take_back(&host, told.len() + 1, report)?);
    let after = call(&host, "fs_read", &json!({"path": "prices.txt", "line_numbers": false}), None)?;
    match after {
        Outcome::Done(finished) if finished.text.contains(PRICES.trim_end()) => Ok(told),
        _ => Err(Stop::failed("the file is not as it was before", "the change was not taken back")),
    }
}

/// What holds without a configuration, for this one folder.
fn rules(scratch: &Scratch, folder: &Path) -> Result<(Config, Law), Stop> {
    let wrong = |error: String| Stop::failed("the demo has no rules", error);
    let text = format!("version = 1\n[[workspace]]\nid = \"shop\"\npath = {}\n", json!(folder));
    let path = scratch.put("config.toml", &text).map_err(|error| wrong(error.to_string()))?;
    let names: Vec<&str> = catalog().iter().map(|tool| tool.spec().name).collect();
    let config = config::parse(Source { path, text: text.into() }, Language::Toml, &names)
        .map_err(|error| wrong(error.render(false)))?;
    let law = Law::new(&config).map_err(|error| wrong(error.to_string()))?;
    Ok((config, law))
}

fn perform(
    host: &Arc<Host>,
    number: usize,
    scene: &Scene,
    args: &DemoArgs,
    report: &mut Report,
) -> Result<Value, Stop> {
    headline(number, scene.title, report);
    if !report.is_json() {
        report.pieces(&[(Tone::Faint, &format!("   {} {}", scene.tool, scene.arguments))]);
    }
    let unexpected = |finished: &Finished| {
        Stop::failed(
            format!("step {number}, `{}`, did not end as it should", scene.tool),
            finished.text.trim_end(),
        )
    };
    let finished = match call(host, scene.tool, &scene.arguments, None)? {
        Outcome::Ask(_) if scene.expected != Expected::Question => {
            return Err(Stop::failed(format!("step {number}, `{}`, asked for leave", scene.tool), ""));
        }
        Outcome::Ask(plan) => {
            indented(&plan_text(&plan), report);
            let can_ask = io::stdin().is_terminal() && io::stderr().is_terminal() && !report.is_json();
            if !args.yes && can_ask && !asked_yes("   Do it? [y/N] ") {
                return Err(Stop::Declined);
            }
            if !report.is_json() && (args.yes || !can_ask) {
                report.line("   Do it? yes (this demo says so, as nobody is asked)");
            }
            match call(host, scene.tool, &scene.arguments, Some(Answer::allow(&plan.digest)))? {
                Outcome::Done(finished) => finished,
                Outcome::Ask(_) => return Err(Stop::failed(format!("step {number} asked twice"), "")),
            }
        }
        // It should have asked.
        Outcome::Done(finished) if scene.expected == Expected::Question => return Err(unexpected(&finished)),
        Outcome::Done(finished) => finished,
    };
    let code = finished.structured["code"].as_str().unwrap_or_default().to_owned();
    let is_right = match scene.expected {
        Expected::Refusal(expected) => finished.is_error && code == expected,
        Expected::Answer | Expected::Question => !finished.is_error,
    };
    if !is_right {
        return Err(unexpected(&finished));
    }
    indented(&finished.text, report);
    Ok(
        json!({"step": number, "title": scene.title, "tool": scene.tool, "arguments": scene.arguments, "text": finished.text, "code": code}),
    )
}

fn take_back(host: &Host, number: usize, report: &mut Report) -> Result<Value, Stop> {
    let title = "A whole turn is taken back, without git";
    headline(number, title, report);
    let params = UndoParams { turn: TURN.to_owned(), ..UndoParams::default() };
    let outcome = undo::run(&host.journal, Direction::Undo, &params, |id| {
        host.workspaces.iter().find(|workspace| workspace.id() == id).map(AsRef::as_ref)
    })
    .map_err(|error| Stop::failed("nothing was taken back", error))?;
    if outcome.state != UndoState::Done {
        return Err(Stop::failed("not all of it was taken back", json!(outcome)));
    }
    for file in &outcome.files {
        indented(&format!("{} is as it was", file.path), report);
    }
    Ok(json!({"step": number, "title": title, "files": outcome.files}))
}

fn call(host: &Arc<Host>, tool: &str, arguments: &Value, answer: Option<Answer>) -> Result<Outcome, Stop> {
    let failed = |reason: String| Stop::failed(format!("`{tool}` could not be called"), reason);
    let mut meta = Map::new();
    meta.insert(format!("{META}turn"), json!(TURN));
    meta.insert(format!("{META}session"), json!(TURN));
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let mut request = Request::new(tool, arguments, &meta).map_err(failed)?;
    request.answered_by = answer.is_some().then(|| "user".to_owned());
    request.answer = answer;
    let tool = host.tool(tool).ok_or_else(|| failed("it is not offered".to_owned()))?;
    call_command::run_once(host, tool, &request).map_err(failed)
}

fn headline(number: usize, title: &str, report: &mut Report) {
    if !report.is_json() {
        report.line("");
        report.pieces(&[(Tone::Strong, &format!("{number}  {title}"))]);
    }
}

fn indented(text: &str, report: &mut Report) {
    if !report.is_json() {
        for line in text.trim_end().lines() {
            report.line(format!("   {line}").trim_end());
        }
    }
}
