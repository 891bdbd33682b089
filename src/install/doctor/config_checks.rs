//! The configuration and the workspaces, as a host that a browser started sees them.

use std::path::Path;

use serde_json::Value;

use super::{
    command_checks,
    host_checks::OUR_FAULT,
    probe::{Fault, Transcript},
    seen,
};
use crate::{
    config::load::language,
    install::{check::Check, environment::Environment, error::shown, files, obstacle::Obstacle, permissions},
    shell_words::{moved_aside, quoted, quoted_path},
};

/// The programs that hints of a host's configuration tell a person to run.
const MENDING: &[&str] = &["outrigger", "sudo", "chmod", "mv", "move", "takeown", "icacls"];

/// The checks, of the first host that answered.
pub fn of(answered: Option<&Transcript>, environment: &Environment) -> Vec<Check> {
    const ID: &str = "config.valid";
    let hello = answered.and_then(|transcript| transcript.hello.as_ref().ok());
    let (Some(transcript), Some(hello)) = (answered, hello) else {
        return vec![Check::not_checked(ID, "no host answered, so none has read the configuration")];
    };
    let config = &hello["result"]["config"];
    let path = config["path"].as_str().map(|path| shown(Path::new(path)));
    if config["ok"] != true {
        return vec![config_problem(config, path.as_deref(), environment)];
    }
    // The host names the file that it would read, also when there is none.
    let absent = config["path"].as_str().is_none_or(|path| !Path::new(path).exists());
    let message = match &path {
        Some(path) if absent => format!("there is no configuration yet; it would be `{path}`"),
        Some(path) => format!("the host uses the configuration `{path}`"),
        None => "there is no configuration; the host uses its defaults".to_owned(),
    };
    let mut checks = vec![Check::ok(ID, message)];
    checks.extend(workspaces(transcript.workspaces.as_ref(), &environment.command()));
    checks.extend(command_checks::programs(transcript.policy.as_ref(), environment));
    checks.extend(command_checks::start(transcript.trial.as_ref()));
    checks
}

fn config_problem(config: &Value, path: Option<&str>, environment: &Environment) -> Check {
    let (error, command) = (&config["error"], environment.command());
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
    let mending = mending
        .filter(|mending| mending.split_once(' ').is_some_and(|(program, _)| MENDING.contains(&program)));
    match mending.map(|mending| mending.strip_prefix("outrigger ").ok_or(mending)) {
        Some(Err(foreign)) => return check.fix(foreign.to_owned()),
        // Of ours none edits YAML, to keep its comments.
        Some(Ok(own)) if path.is_none_or(|path| Path::new(path).extension() == Some("toml".as_ref())) => {
            return check.fix(format!("{command} {own}"));
        }
        _ => {}
    }
    let file = error["file"].as_str().or(config["path"].as_str()).map(Path::new);
    let Some(file) = file.filter(|file| file.is_absolute() && !file.is_dir()) else {
        return check.advice(seen(hint));
    };
    // A host takes it for none whatever is in it, and only who starts the browser sets its variables.
    if language(file).is_err() {
        return check.advice(
            "not possible from here, because `OUTRIGGER_CONFIG` names it: let that variable name a file that ends in `.toml`, `.yaml` or `.yml`, for the whole session",
        );
    }
    let advice = format!("or correct {}; `{command} config check` says whether it is right", shown(file));
    check.fix(begun_anew(environment, file)).advice(advice)
}

/// Puts aside what cannot be used: without a file a host has no workspaces, and serves. One that a variable names has to be there.
fn begun_anew(environment: &Environment, file: &Path) -> String {
    let aside = files::is_there(file).then(|| moved_aside(file));
    if aside.is_some() && environment.leading.iter().all(|(name, _)| *name != "OUTRIGGER_CONFIG") {
        return aside.unwrap_or_default();
    }
    let place = quoted_path(file);
    let folder = file.parent().filter(|folder| aside.is_none() && !files::is_there(folder));
    let folder = folder.map(|folder| format!("mkdir -p {}", quoted_path(folder)));
    let begin = match file.extension() {
        Some(ending) if ending == "toml" => format!("{} config example > {place}", environment.command()),
        _ => format!("echo 'version: 1' > {place}"),
    };
    let steps: Vec<String> = [aside, folder, Some(begin)].into_iter().flatten().collect();
    steps.join(" && ")
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
    let place = quoted_path(path);
    if let Some(obstacle) = Obstacle::to_reaching(path) {
        let message = format!("workspace `{id}` cannot be looked into");
        return Some(by_its_owner(obstacle.on(Check::problem(ID, message))));
    }
    if !permissions::may_list(path) {
        let check = Check::problem(ID, format!("workspace `{id}` cannot be listed")).seen(shown(path));
        return Some(check.fix(format!("chmod u+r {place}")));
    }
    let obstacle = Obstacle::to_writing(path).filter(|_| !read_only)?;
    let message = format!("an agent can read workspace `{id}`, and change nothing in it");
    Some(by_its_owner(obstacle.on(Check::warning(ID, message))))
}

/// A workspace is the person's: its rights are changed by their own hand alone.
fn by_its_owner(check: Check) -> Check {
    Check { fixable: false, mend: None, ..check }
}
