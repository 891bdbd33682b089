//! Commands, as a host that a browser started finds and starts them.

use serde_json::Value;

use super::{host_checks::OUR_FAULT, probe::Fault, seen};
use crate::install::{check::Check, environment::quoted};

/// Programs of the configuration's own commands, as the host finds them with a browser's poor `PATH`.
pub fn programs(answer: Option<&Result<Value, Fault>>) -> Option<Check> {
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
    Some(check.advice(
        "something around the browser forbids it (a filter of system calls, AppArmor, SELinux, a limit of processes): start the browser in another session, or switch commands off: `enabled = false` in `[exec]`",
    ))
}
