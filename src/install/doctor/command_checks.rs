//! Commands, as a host that a browser started finds and starts them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{host_checks::OUR_FAULT, probe::Fault, seen};
use crate::{
    install::{check::Check, environment::Environment, error::shown, files},
    shell_words::{quoted, quoted_path},
};

/// Programs of the configuration's own commands, as the host finds them with a browser's poor `PATH`.
pub fn programs(answer: Option<&Result<Value, Fault>>, environment: &Environment) -> Option<Check> {
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
    let result = &answer["result"];
    let commands = result["commands"].as_array()?;
    let own: Vec<&Value> = commands.iter().filter(|command| command["own"] == true).collect();
    // For what is shipped a missing program is no fault; tools of ours need git, to exchange with others.
    let wanted = own.iter().filter_map(|command| missing(command["id"].as_str()?, command));
    let git = missing("git_sync and hooks", &result["git"]).filter(|git| git.here(environment).is_some());
    let missing: Vec<Missing<'_>> = wanted.chain(git).collect();
    if missing.is_empty() {
        return (!own.is_empty()).then(|| Check::ok(ID, "the programs of the configured commands are found"));
    }
    let seen_of = |missing: &Missing<'_>| match missing.here(environment) {
        Some(path) => format!("{}: {}, and this terminal has {}", missing.user, missing.reason, shown(&path)),
        None => format!("{}: {}", missing.user, missing.reason),
    };
    let message = "programs of configured commands are not found by a host that a browser starts";
    let evidence: Vec<String> = missing.iter().map(seen_of).collect();
    let check = Check::problem(ID, message).seen(seen(&evidence.join("; ")));
    let mut folders: Vec<PathBuf> = Vec::new();
    for missing in &missing {
        let folder = missing.here(environment).and_then(|path| Some(path.parent()?.to_owned()));
        folders.extend(folder.filter(|folder| !folders.contains(folder)));
    }
    let check = if folders.is_empty() {
        check
    } else {
        let places: Vec<String> = folders.iter().map(quoted_path).collect();
        check.fix(format!("{} config add-path {}", environment.command(), places.join(" ")))
    };
    let nowhere: Vec<&str> = missing
        .iter()
        .filter(|missing| missing.here(environment).is_none())
        .map(|missing| missing.program)
        .collect();
    Some(if nowhere.is_empty() {
        check
    } else {
        check.advice(format!(
            "not possible from here for `{}`, which this terminal does not find either: install it, or take its command out of the configuration",
            nowhere.join("`, `")
        ))
    })
}

/// A program that a host does not find.
struct Missing<'a> {
    /// The command or the tool.
    user: &'a str,
    program: &'a str,
    reason: &'a str,
}

impl Missing<'_> {
    /// Where this terminal finds it; a path is not looked for.
    fn here(&self, environment: &Environment) -> Option<PathBuf> {
        let is_name = !self.program.contains(['/', '\\']) && !self.program.is_empty();
        is_name.then(|| environment.find_program(self.program)).flatten()
    }
}

fn missing<'a>(user: &'a str, command: &'a Value) -> Option<Missing<'a>> {
    let program = command["program"].as_str().unwrap_or_default();
    Some(Missing { user, program, reason: command["missing"].as_str()? })
}

/// Whether the host can start a program at all: a link may live where every command fails.
pub fn start(answer: Option<&Result<Value, Fault>>) -> Option<Check> {
    const ID: &str = "exec.start";
    let answer = match answer? {
        Ok(answer) => answer,
        Err(fault) => {
            let check = Check::problem(ID, "the host does not say whether it can start commands");
            return Some(check.seen(seen(&fault.to_string())).advice(OUR_FAULT));
        }
    };
    let trial = &answer["result"]["trial"];
    // Commands are switched off, or the host is an older one.
    let sandbox = trial["sandbox"].as_str()?;
    let Some(reason) = trial["error"].as_str() else {
        return Some(Check::ok(ID, format!("the host can start commands (sandbox: {})", seen(sandbox))));
    };
    let check =
        Check::problem(ID, "the link works, but no command can be started by the host").seen(seen(reason));
    if cfg!(target_os = "linux") && !files::is_there(Path::new("/proc/self/exe")) {
        let check = check.fix("sudo mount -t proc proc /proc");
        return Some(check.advice("commands are started by way of `/proc`, which is not mounted here"));
    }
    Some(check.advice(
        "something around the browser forbids it (a filter of system calls, AppArmor, SELinux, a limit of processes): start the browser in another session, or switch commands off: `enabled = false` in `[exec]`",
    ))
}
