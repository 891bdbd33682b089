//! Variables that lead a host: this terminal may have some that a browser, started from the desktop, has not. The probe hands them on, so
//! what it finds right need not be what the browser's host finds.

use std::path::PathBuf;

use crate::{
    config::{self, ConfigError, Hints},
    install::{browsers::Os, check::Check, environment::Environment, error::shown, running::Process},
    tools::catalog,
};

const ID: &str = "host.variables";

/// The check, where one of them is set.
pub fn of(environment: &Environment, processes: &[Process]) -> Option<Check> {
    if environment.leading.is_empty() || environment.os == Os::Windows {
        return None;
    }
    let names: Vec<&str> = environment.leading.iter().map(|(name, _)| *name).collect();
    let without = names.iter().map(|name| format!("-u {name}")).collect::<Vec<_>>().join(" ");
    let look = format!("env {without} {} doctor", environment.command());
    let advice = format!(
        "set them for the whole session, as in `~/.config/environment.d/`, or take them out; what a browser without them gets is shown by `{look}`"
    );
    let browsers: Vec<&Process> = processes.iter().filter(|process| is_own(environment, process)).collect();
    if let Some(browser) = browsers.iter().find(|browser| differing(environment, browser).is_some()) {
        let seen = differing(environment, browser).unwrap_or_default();
        let message = "a browser that runs was started with other variables than this terminal has: its host uses other folders";
        return Some(
            Check::problem(ID, message).seen(format!("process {}: {seen}", browser.pid)).advice(advice),
        );
    }
    if !browsers.is_empty() {
        return Some(Check::ok(
            ID,
            format!("the browser that runs has {} as this terminal has", names.join(", ")),
        ));
    }
    let set: Vec<String> =
        environment.leading.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let set = set.join(", ");
    Some(match by_itself(environment) {
        Ok(file) => {
            let message = "variables of this terminal lead the host elsewhere, and a browser started from the desktop may not have them";
            Check::warning(ID, message).seen(format!("{set}; without them: {}", shown(&file))).advice(advice)
        }
        Err(error) => {
            let message = "variables of this terminal hide a configuration that cannot be used: a browser started from the desktop may not have them";
            let words = error.to_string();
            Check::problem(ID, message).seen(format!("{set}; without them: {words}")).advice(advice)
        }
    })
}

/// True for a browser of this user and this home, as far as its variables can be seen.
fn is_own(environment: &Environment, process: &Process) -> bool {
    let home = environment.home.to_str();
    process.family().is_some() && home.is_some() && process.variable("HOME").flatten().as_deref() == home
}

/// What a browser has in the place of what this terminal has.
fn differing(environment: &Environment, browser: &Process) -> Option<String> {
    let differing: Vec<String> = environment
        .leading
        .iter()
        .filter_map(|(name, value)| match browser.variable(name)? {
            Some(its) if its == *value => None,
            Some(its) => Some(format!("{name}={its} instead of {value}")),
            None => Some(format!("no {name}, which is {value} here")),
        })
        .collect();
    (!differing.is_empty()).then(|| differing.join("; "))
}

/// The configuration that a host takes to which nobody says otherwise.
fn by_itself(environment: &Environment) -> Result<PathBuf, ConfigError> {
    let hints = Hints { config_folder: Some(environment.home.join(".config")), ..Hints::default() };
    let located = config::locate_by(&hints)?;
    if !located.absent {
        let tools: Vec<&str> = catalog().iter().map(|tool| tool.spec().name).collect();
        config::load(&located.path, &tools)?;
    }
    Ok(located.path)
}
