//! Turns what the probe saw into checks.

use std::{io, path::Path};

use serde_json::Value;

use super::probe::{Fault, Transcript};
use crate::{
    install::{
        check::{Check, Mend},
        environment::{Environment, quoted},
        error::shown,
        files, launcher,
        obstacle::Obstacle,
        permissions,
        target::Target,
    },
    process::{Ending, ProcessError},
    text,
};

/// How much of a host's words is shown.
const SEEN_BYTES: usize = 300;
/// What to do about a host of this very version that misbehaves.
pub const OUR_FAULT: &str = "please report it, with the file that `outrigger doctor --report FILE` writes";

/// What mends a host that misbehaves.
#[derive(Clone, Debug)]
pub enum Way {
    /// This command, which makes the manifest name another one.
    Reinstall(String),
    /// Nothing that a person can do: it is this very version.
    Report,
}

impl Way {
    fn of(&self, check: Check) -> Check {
        match self {
            Self::Reinstall(command) => check.fix(command.as_str()).mended_by(Mend::Reinstall),
            Self::Report => check.advice(OUR_FAULT),
        }
    }
}

/// The checks of one link: `host.start`, `host.hello`, `host.version`, `host.folders`, `host.echo`, `host.exit`, as far as it went.
pub fn link(
    transcript: &Transcript,
    program: &Path,
    target: &Target,
    environment: &Environment,
    mend: &Way,
) -> Vec<Check> {
    let answer = match &transcript.hello {
        Ok(answer) => answer,
        Err(fault) => return no_answer(fault, transcript, program, target, environment, mend),
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
        return vec![started, mend.of(check.seen(seen(&result["protocol"].to_string())))];
    }
    vec![started, Check::ok("host.hello", "the host answers a hello"), version(result, mend)]
        .into_iter()
        .chain(folders(result, environment, target))
        .chain(transcript.echo.as_ref().map(|echo| large(echo, mend)))
        // After a fault of the wire nobody read on, and how the host left says nothing.
        .chain((!matches!(transcript.echo, Some(Err(_)))).then(|| exit(transcript)))
        .collect()
}

/// The host's own words decide what is said; its error output is the evidence.
fn no_answer(
    fault: &Fault,
    transcript: &Transcript,
    program: &Path,
    target: &Target,
    environment: &Environment,
    mend: &Way,
) -> Vec<Check> {
    if let Fault::Start(ProcessError::Spawn { source, .. }) = fault
        && source.kind() == io::ErrorKind::ExecutableFileBusy
    {
        return vec![busy(program, environment, target)];
    }
    if let Fault::Start(reason) = fault {
        let check = Check::problem("host.start", seen(&fault.to_string()));
        if let ProcessError::Spawn { source, .. } = reason
            && source.kind() == io::ErrorKind::PermissionDenied
            && permissions::may_execute(program)
        {
            let advice = "not possible here, because something forbids to start programs (a filter of system calls, AppArmor, SELinux): run it in another session";
            return vec![check.seen(format!("its permissions allow it: {}", shown(program))).advice(advice)];
        }
        return vec![mend.of(check.seen(what_it_is(program)))];
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
        Fault::Oversize { .. } => {
            format!("`{place}` writes a frame that is too long; the browser closes the port")
        }
        Fault::Closed | Fault::Torn { .. } => format!("`{place}` ends before it has answered a hello"),
        Fault::Bye { .. } => format!("`{place}` refuses to serve, and says why"),
        _ => {
            format!("`{place}` does not answer a hello as the protocol says")
        }
    };
    let mut evidence = vec![fault.to_string()];
    match transcript.ending {
        Some(Ending::Exit(0)) | None => {}
        Some(Ending::Exit(code)) => evidence.push(format!("exit status {code}")),
        Some(Ending::Signal(signal)) => evidence.push(ended_by(signal)),
    }
    let words: Vec<&str> = transcript.stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if !words.is_empty() {
        evidence.push(format!("its last words: {}", words[words.len().saturating_sub(3)..].join(" | ")));
    }
    let check = Check::problem("host.hello", message).seen(seen(&evidence.join("; ")));
    // Its own words say what helps; another copy of the same would say them again.
    let check = match (fault, mend) {
        (Fault::Bye { .. }, Way::Report) => check.advice("do what it says, then look again"),
        _ => mend.of(check),
    };
    vec![started, check]
}

/// A program that somebody has open for writing: the system starts none of those.
fn busy(program: &Path, environment: &Environment, target: &Target) -> Check {
    let message = format!("`{}` cannot be started while something has it open for writing", shown(program));
    let check = Check::problem("host.start", message);
    let real = files::canonical(program).unwrap_or_else(|_| program.to_path_buf());
    let check = check.seen(format!("text file busy: {}", shown(&real)));
    let place = quoted(&real.to_string_lossy());
    if launcher::is_copy(environment, &real) {
        let fix = format!("rm {place} && {}", target.reinstall(environment));
        return check.fix(fix).mended_by(Mend::CopyAgain(real));
    }
    check.advice(format!("wait until it is whole; this shows what writes it: fuser -v {place}"))
}

/// A signal, and what it usually means.
fn ended_by(signal: i32) -> String {
    let meaning = match signal {
        6 => "it gave up",
        9 => "something ended it: a limit of CPU time (`ulimit -t`), or the system for want of memory",
        4 | 7 | 11 => "it crashed: a damaged file, or a limit of memory (`ulimit -v`)",
        24 => "a limit of CPU time: `ulimit -t`",
        25 => "a limit of file size: `ulimit -f`",
        31 => "it did what is forbidden here, by a filter of system calls",
        _ => return format!("ended by signal {signal}"),
    };
    format!("ended by signal {signal} ({meaning})")
}

/// What the file begins with, which says why the system does not start it.
fn what_it_is(program: &Path) -> String {
    let begins = files::read_some(program).unwrap_or_default();
    let place = shown(program);
    if begins.is_empty() {
        return format!("an empty file: {place}");
    }
    let Some(line) = begins.strip_prefix(b"#!") else {
        let kind = if begins.starts_with(b"\x7fELF") || begins.starts_with(b"\xcf\xfa\xed\xfe") {
            "a program that this system cannot start"
        } else {
            "neither a program nor a script"
        };
        return format!("{kind}: {place}");
    };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let interpreter = String::from_utf8_lossy(line).trim_start_matches(' ').to_owned();
    let interpreter = interpreter.split(' ').next().unwrap_or_default();
    let missing = if Path::new(interpreter).exists() { "" } else { ", which is not there" };
    seen(&format!("a script for `{}`{missing}: {place}", text::visible(interpreter)))
}

fn refused(error: &Value, mend: &Way) -> Check {
    let words = error["message"].as_str().unwrap_or("an answer with neither result nor error");
    let message = if error["code"] == -32050 {
        "the host speaks another version of the protocol than this outrigger"
    } else {
        "the host answers a hello with an error"
    };
    mend.of(Check::problem("host.hello", message).seen(seen(words)))
}

fn version(result: &Value, mend: &Way) -> Check {
    let ours = env!("CARGO_PKG_VERSION");
    match result["host"]["version"].as_str() {
        Some(version) if version == ours => {
            Check::ok("host.version", format!("its version is {ours}, as ours"))
        }
        Some(version) => mend.of(Check::problem(
            "host.version",
            format!("the browser starts another version of outrigger than this one, {ours}"),
        )
        .seen(seen(version))),
        None => mend.of(Check::problem("host.version", "the host does not say its version")),
    }
}

/// A host that was led elsewhere works, and knows nothing of what this person configures, trusts and undoes.
fn folders(result: &Value, environment: &Environment, target: &Target) -> Option<Check> {
    let ours = environment.taken.as_ref()?;
    let differs = |what: &str, ours: &Path| {
        let theirs = Path::new(result[what]["path"].as_str()?);
        let same = theirs == ours
            || files::canonical(theirs).is_ok_and(|theirs| files::canonical(ours).ok() == Some(theirs));
        (!same).then(|| format!("{what}: {} instead of {}", seen(&theirs.to_string_lossy()), shown(ours)))
    };
    let differing: Vec<String> =
        [differs("config", &ours.config), differs("state", &ours.state)].into_iter().flatten().collect();
    if differing.is_empty() {
        return None;
    }
    let message = "the host that the browser starts is led to other folders than this outrigger: what you configure here does not reach it";
    let check = Check::problem("host.folders", message).seen(differing.join("; "));
    Some(check.fix(target.reinstall(environment)).mended_by(Mend::Reinstall))
}

/// Large messages, both ways.
fn large(echo: &Result<(), Fault>, mend: &Way) -> Check {
    const ID: &str = "host.echo";
    match echo {
        Ok(()) => Check::ok(ID, "large messages come back as they were sent, in one frame and in chunks"),
        Err(fault) => {
            let message = match fault {
                Fault::Oversize { .. } => {
                    "the host writes a frame that is too long, at which the browser closes the port"
                }
                Fault::Stray { .. } => "the host writes text to its output; the browser closes the port",
                _ => "a large message does not come back as it was sent",
            };
            mend.of(Check::problem(ID, message).seen(seen(&fault.to_string())))
        }
    }
}

fn exit(transcript: &Transcript) -> Check {
    const ID: &str = "host.exit";
    let limit = transcript.limits.exit.as_secs_f32();
    match transcript.ending {
        None => Check::problem(ID, format!("the host does not leave within {limit} s after the browser closes the port"))
            .seen("it was killed, as a browser would do")
            .advice(OUR_FAULT),
        Some(_) if transcript.output_held => {
            Check::problem(ID, "a program that the host started keeps its output open, so the extension never sees the port close")
                .advice(OUR_FAULT)
        }
        Some(Ending::Exit(0)) => Check::ok(ID, "it leaves when the port closes"),
        Some(Ending::Exit(code)) => {
            Check::problem(ID, "the host fails when the port closes").seen(format!("exit status {code}")).advice(OUR_FAULT)
        }
        Some(Ending::Signal(signal)) => {
            Check::problem(ID, "the host crashes when the port closes").seen(ended_by(signal)).advice(OUR_FAULT)
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
    checks.extend(workspaces(transcript.workspaces.as_ref(), command));
    checks.extend(programs(transcript.policy.as_ref()));
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
    let check = Check::problem(
        "config.valid",
        "the configuration cannot be used; the host serves nothing until it is mended",
    )
    .seen(seen(&evidence));
    let hint = error["hint"].as_str().unwrap_or_default();
    // A hint that begins with a command is one that mends it.
    let mending = hint.strip_prefix('`').and_then(|hint| hint.split_once('`')).map(|(mending, _)| mending);
    match mending.map(|mending| mending.strip_prefix("outrigger ").ok_or(mending)) {
        Some(Err(foreign)) => return check.fix(foreign.to_owned()),
        // Of ours none edits YAML, to keep its comments.
        Some(Ok(own)) if path.is_none_or(|path| Path::new(path).extension() == Some("toml".as_ref())) => {
            return check.fix(format!("{command} {own}"));
        }
        _ => {}
    }
    let Some(file) = path.filter(|path| Path::new(path).is_absolute()) else {
        return check.advice(seen(hint));
    };
    check.advice(format!("correct {file}; `{command} config check` says whether it is right"))
}

fn workspaces(answer: Option<&Result<Value, Fault>>, command: &str) -> Vec<Check> {
    const ID: &str = "workspace.available";
    let list = match answer {
        Some(Ok(answer)) if answer["result"]["workspaces"].is_array() => {
            answer["result"]["workspaces"].as_array().cloned().unwrap_or_default()
        }
        Some(Ok(answer)) => {
            let words = answer["error"]["message"].as_str().unwrap_or("an answer without a list");
            return vec![
                Check::problem(ID, "the host does not list its workspaces")
                    .seen(seen(words))
                    .advice(OUR_FAULT),
            ];
        }
        Some(Err(fault)) => {
            return vec![
                Check::problem(ID, "the host does not list its workspaces")
                    .seen(seen(&fault.to_string()))
                    .advice(OUR_FAULT),
            ];
        }
        None => return vec![Check::not_checked(ID, "the host was not asked for its workspaces")],
    };
    if list.is_empty() {
        let check = Check::warning(ID, "no workspace is configured, so an agent has nothing to work on");
        return vec![check.advice(format!("add one: `{command} workspace add DIR`"))];
    }
    list.iter().map(|workspace| one_workspace(workspace, command)).collect()
}

fn one_workspace(workspace: &Value, command: &str) -> Check {
    const ID: &str = "workspace.available";
    let id = seen(workspace["id"].as_str().unwrap_or("?"));
    let path = workspace["path"].as_str().unwrap_or("?");
    if workspace["available"] == true {
        let real = files::canonical(Path::new(path)).unwrap_or_else(|_| path.into());
        if let Some(check) = closed_workspace(&id, &real, workspace["read_only"] == true) {
            return check;
        }
        let leads = if real == Path::new(path) {
            String::new()
        } else {
            format!(", which leads to `{}`", shown(&real))
        };
        return Check::ok(ID, format!("workspace `{id}` is available at `{}`{leads}", seen(path)));
    }
    let reason = workspace["reason"].as_str().unwrap_or("the host does not say why");
    Check::problem(ID, format!("workspace `{id}` is not available"))
        .seen(seen(&format!("{path}: {reason}")))
        .fix(format!("{command} workspace remove {}", quoted(workspace["id"].as_str().unwrap_or("ID"))))
        .advice(format!("or bring the folder back: mkdir -p {}", quoted(path)))
}

/// A folder that the host has found, and that this user may not look into or, where it is to be changed, not write to.
fn closed_workspace(id: &str, path: &Path, read_only: bool) -> Option<Check> {
    const ID: &str = "workspace.available";
    if !files::is_there(path) {
        return None;
    }
    let place = quoted(&path.to_string_lossy());
    if let Some(obstacle) = Obstacle::to_reaching(path) {
        return Some(obstacle.on(Check::problem(ID, format!("workspace `{id}` cannot be looked into"))));
    }
    if !permissions::may_list(path) {
        let check = Check::problem(ID, format!("workspace `{id}` cannot be listed")).seen(shown(path));
        return Some(check.fix(format!("chmod u+r {place}")));
    }
    let obstacle = Obstacle::to_writing(path).filter(|_| !read_only)?;
    Some(
        obstacle
            .on(Check::warning(ID, format!("an agent can read workspace `{id}`, and change nothing in it"))),
    )
}

/// Programs of the configuration's own commands, as the host finds them with a browser's poor `PATH`.
fn programs(answer: Option<&Result<Value, Fault>>) -> Option<Check> {
    const ID: &str = "exec.programs";
    let answer = match answer? {
        Ok(answer) => answer,
        // To find programs the host asks the user's shell for its `PATH`, and waits for it.
        Err(fault @ Fault::Silent { .. }) => {
            let message =
                "the host does not say in time which commands it has: it may be waiting for your login shell";
            let shell = std::env::var("SHELL").unwrap_or_else(|_| "/bin/sh".to_owned());
            return Some(
                Check::problem(ID, message)
                    .seen(seen(&format!("{fault}; your login shell is `{shell}`")))
                    .advice(format!(
                        "see whether it comes to an end: {} -l -c true; what hangs is in its start-up files",
                        quoted(&shell)
                    )),
            );
        }
        Err(fault) => {
            let check = Check::problem(ID, "the host does not say which commands it has");
            return Some(check.seen(seen(&fault.to_string())).advice(OUR_FAULT));
        }
    };
    let commands = answer["result"]["commands"].as_array()?;
    let own: Vec<&Value> = commands.iter().filter(|command| command["own"] == true).collect();
    let missing: Vec<String> = own
        .iter()
        .filter_map(|command| {
            let reason = command["missing"].as_str()?;
            Some(format!("{}: {reason}", command["id"].as_str().unwrap_or("?")))
        })
        .collect();
    if missing.is_empty() {
        return (!own.is_empty()).then(|| Check::ok(ID, "the programs of the configured commands are found"));
    }
    let message = "programs of configured commands are not found by a host that a browser starts";
    Some(
        Check::warning(ID, message)
            .seen(seen(&missing.join("; ")))
            .advice("add their folder to `path` in `[exec]`, or write their absolute path as `program`"),
    )
}

/// Words of a host, which may be anything: harmless and short.
fn seen(words: &str) -> String {
    let cut = text::prefix(words, SEEN_BYTES);
    let more = if cut.len() < words.len() { "…" } else { "" };
    format!("{}{more}", text::visible(cut))
}
