//! Turns what the probe saw into checks.

use std::path::Path;

use serde_json::Value;

use super::probe::{Fault, Transcript};
use crate::{
    install::{check::Check, environment::quoted, error::shown, target::Target},
    process::Ending,
    text,
};

/// How much of a host's words is shown.
const SEEN_BYTES: usize = 300;
/// What to do about a host of this very version that misbehaves.
pub const OUR_FAULT: &str = "please report it, with the output of `outrigger doctor --json`";

/// The checks of one link: `host.start`, `host.hello`, `host.version`, `host.exit`, as far as it went.
pub fn link(transcript: &Transcript, program: &Path, target: &Target, mend: &str) -> Vec<Check> {
    let answer = match &transcript.hello {
        Ok(answer) => answer,
        Err(fault) => return no_answer(fault, transcript, program, mend),
    };
    let started =
        Check::ok("host.start", format!("`{}` starts as {} would start it", shown(program), target.name));
    let result = &answer["result"];
    if !result.is_object() {
        return vec![started, refused(&answer["error"], mend)];
    }
    if result["protocol"]["chosen"] != 1 {
        let check =
            Check::problem("host.hello", "the host chose a version of the protocol that was not offered");
        return vec![started, check.seen(seen(&result["protocol"].to_string())).fix(mend)];
    }
    vec![
        started,
        Check::ok("host.hello", "the host answers a hello"),
        version(result, mend),
        exit(transcript),
    ]
}

/// The host's own words decide what is said; its error output is the evidence.
fn no_answer(fault: &Fault, transcript: &Transcript, program: &Path, mend: &str) -> Vec<Check> {
    if let Fault::Start(_) = fault {
        return vec![Check::problem("host.start", seen(&fault.to_string())).fix(mend)];
    }
    let place = shown(program);
    let started = Check::ok("host.start", format!("`{place}` can be started"));
    let message = match fault {
        Fault::Silent { limit } => {
            format!(
                "`{place}` does not answer a hello within {} s; the browser would wait for ever",
                limit.as_secs_f32()
            )
        }
        Fault::Stray { .. } => format!(
            "`{place}` writes text to its output; the browser reads it as a length and closes the port"
        ),
        Fault::Closed | Fault::Torn { .. } => format!("`{place}` ends before it has answered a hello"),
        Fault::Bye { .. } => format!("`{place}` refuses to serve this extension"),
        Fault::Start(_) | Fault::Streams | Fault::NotJson { .. } | Fault::Read(_) => {
            format!("`{place}` does not answer a hello as the protocol says")
        }
    };
    let mut evidence = vec![fault.to_string()];
    match transcript.ending {
        Some(Ending::Exit(0)) | None => {}
        Some(Ending::Exit(code)) => evidence.push(format!("exit status {code}")),
        Some(Ending::Signal(signal)) => evidence.push(format!("ended by signal {signal}")),
    }
    let words: Vec<&str> = transcript.stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if !words.is_empty() {
        evidence.push(format!("its last words: {}", words[words.len().saturating_sub(3)..].join(" | ")));
    }
    let check = Check::problem("host.hello", message).seen(seen(&evidence.join("; "))).fix(mend);
    vec![started, check]
}

fn refused(error: &Value, mend: &str) -> Check {
    let words = error["message"].as_str().unwrap_or("an answer with neither result nor error");
    let message = if error["code"] == -32050 {
        "the host speaks another version of the protocol than this outrigger"
    } else {
        "the host answers a hello with an error"
    };
    Check::problem("host.hello", message).seen(seen(words)).fix(mend)
}

fn version(result: &Value, mend: &str) -> Check {
    let ours = env!("CARGO_PKG_VERSION");
    match result["host"]["version"].as_str() {
        Some(version) if version == ours => {
            Check::ok("host.version", format!("its version is {ours}, as ours"))
        }
        Some(version) => Check::problem(
            "host.version",
            format!("the browser starts another version of outrigger than this one, {ours}"),
        )
        .seen(seen(version))
        .fix(mend),
        None => Check::problem("host.version", "the host does not say its version").fix(mend),
    }
}

fn exit(transcript: &Transcript) -> Check {
    const ID: &str = "host.exit";
    let limit = transcript.limits.exit.as_secs_f32();
    match transcript.ending {
        None => Check::problem(ID, format!("the host does not leave within {limit} s after the browser closes the port"))
            .seen("it was killed, as a browser would do")
            .fix(OUR_FAULT),
        Some(_) if transcript.output_held => {
            Check::problem(ID, "a program that the host started keeps its output open, so the extension never sees the port close")
                .fix(OUR_FAULT)
        }
        Some(Ending::Exit(0)) => Check::ok(ID, "it leaves when the port closes"),
        Some(Ending::Exit(code)) => {
            Check::problem(ID, "the host fails when the port closes").seen(format!("exit status {code}")).fix(OUR_FAULT)
        }
        Some(Ending::Signal(signal)) => {
            Check::problem(ID, "the host crashes when the port closes").seen(format!("signal {signal}")).fix(OUR_FAULT)
        }
    }
}

/// The configuration and the workspaces, as the first host that answered sees them.
pub fn configuration(answered: Option<&Transcript>, command: &str) -> Vec<Check> {
    const ID: &str = "config.valid";
    let hello = answered.and_then(|transcript| transcript.hello.as_ref().ok());
    let (Some(transcript), Some(hello)) = (answered, hello) else {
        return vec![Check::not_checked(ID, "no host answered, so none has read the configuration")];
    };
    let config = &hello["result"]["config"];
    let path = config["path"].as_str().map(|path| shown(Path::new(path)));
    if config["ok"] != true {
        return vec![config_problem(config, path.as_deref(), command)];
    }
    // The host names the file that it would read, also when there is none.
    let absent = config["path"].as_str().is_none_or(|path| !Path::new(path).exists());
    let message = match &path {
        Some(path) if absent => format!("there is no configuration yet; it would be `{path}`"),
        Some(path) => format!("the host uses the configuration `{path}`"),
        None => "there is no configuration; the host uses its defaults".to_owned(),
    };
    let mut checks = vec![Check::ok(ID, message)];
    checks.extend(workspaces(transcript.workspaces.as_ref(), path.as_deref()));
    checks
}

fn config_problem(config: &Value, path: Option<&str>, command: &str) -> Check {
    let error = &config["error"];
    let mut place = error["file"].as_str().or(path).unwrap_or("the configuration").to_owned();
    for part in ["line", "column"] {
        if let Some(number) = error[part].as_u64().filter(|number| *number > 0) {
            place = format!("{place}:{number}");
        }
    }
    let mut evidence = format!("{place}: {}", error["message"].as_str().unwrap_or("no reason given"));
    if let Some(hint) = error["hint"].as_str().filter(|hint| !hint.is_empty()) {
        evidence = format!("{evidence} ({hint})");
    }
    Check::problem(
        "config.valid",
        "the configuration cannot be used; the host serves nothing until it is mended",
    )
    .seen(seen(&evidence))
    .fix(format!("correct {}, then run `{command} doctor` again", path.unwrap_or("the file")))
}

fn workspaces(answer: Option<&Result<Value, Fault>>, config: Option<&str>) -> Vec<Check> {
    const ID: &str = "workspace.available";
    let config = config.unwrap_or("the configuration");
    let list = match answer {
        Some(Ok(answer)) if answer["result"]["workspaces"].is_array() => {
            answer["result"]["workspaces"].as_array().cloned().unwrap_or_default()
        }
        Some(Ok(answer)) => {
            let words = answer["error"]["message"].as_str().unwrap_or("an answer without a list");
            return vec![
                Check::problem(ID, "the host does not list its workspaces").seen(seen(words)).fix(OUR_FAULT),
            ];
        }
        Some(Err(fault)) => {
            return vec![
                Check::problem(ID, "the host does not list its workspaces")
                    .seen(seen(&fault.to_string()))
                    .fix(OUR_FAULT),
            ];
        }
        None => return vec![Check::not_checked(ID, "the host was not asked for its workspaces")],
    };
    if list.is_empty() {
        let check = Check::warning(ID, "no workspace is configured, so an agent has nothing to work on");
        return vec![check.fix(format!("add a `[[workspace]]` with `id` and `path` to {config}"))];
    }
    list.iter().map(|workspace| one_workspace(workspace, config)).collect()
}

fn one_workspace(workspace: &Value, config: &str) -> Check {
    const ID: &str = "workspace.available";
    let id = seen(workspace["id"].as_str().unwrap_or("?"));
    let path = workspace["path"].as_str().unwrap_or("?");
    if workspace["available"] == true {
        return Check::ok(ID, format!("workspace `{id}` is available at `{}`", seen(path)));
    }
    let reason = workspace["reason"].as_str().unwrap_or("the host does not say why");
    Check::problem(ID, format!("workspace `{id}` is not available"))
        .seen(seen(&format!("{path}: {reason}")))
        .fix(format!("make the folder (`mkdir -p {}`), or correct its `path` in {config}", quoted(path)))
}

/// Words of a host, which may be anything: harmless and short.
fn seen(words: &str) -> String {
    let cut = text::prefix(words, SEEN_BYTES);
    let more = if cut.len() < words.len() { "…" } else { "" };
    format!("{}{more}", text::visible(cut))
}
