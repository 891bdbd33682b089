//! Variables that lead a host: this terminal may have some that a browser, started from the desktop, has not, and the other way round. The
//! probe hands on those of this terminal, so what it finds right need not be what the browser's host finds.

use std::path::PathBuf;

use crate::{
    config::{self, ConfigError, Hints},
    install::{
        browsers::Os,
        check::Check,
        environment::{self, Environment},
        error::shown,
        running::Process,
    },
    shell_words::quoted,
    tools::catalog,
};

const ID: &str = "host.variables";

/// The check, where one of them is set here or for a browser that runs.
pub fn of(environment: &Environment, processes: &[Process]) -> Option<Check> {
    if environment.os == Os::Windows {
        return None;
    }
    let browsers: Vec<&Process> = processes.iter().filter(|process| is_own(environment, process)).collect();
    if environment.leading.is_empty() {
        return browsers.iter().find_map(|browser| led_elsewhere(environment, browser));
    }
    let names: Vec<&str> = environment.leading.iter().map(|(name, _)| *name).collect();
    let without = names.iter().map(|name| format!("-u {name}")).collect::<Vec<_>>().join(" ");
    let look = format!("env {without} {} doctor", environment.command());
    let advice = format!(
        "set them for the whole session, as in `~/.config/environment.d/`, or take them out; what a browser without them gets is shown by `{look}`"
    );
    if let Some((browser, seen)) =
        browsers.iter().find_map(|browser| Some((browser, differing(environment, browser)?)))
    {
        return Some(
            Check::problem(ID, DIFFERING).seen(format!("process {}: {seen}", browser.pid)).advice(advice),
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

const DIFFERING: &str = "a browser that runs was started with other variables than this terminal has: its host uses other folders";

/// A browser that has variables where this terminal has none.
fn led_elsewhere(environment: &Environment, browser: &Process) -> Option<Check> {
    let seen = differing(environment, browser)?;
    let its = leading_of(environment, browser)?;
    let with: Vec<String> = its.iter().map(|(name, value)| quoted(&format!("{name}={value}"))).collect();
    let advice = format!(
        "start the browser without them, or set them for the whole session, as in `~/.config/environment.d/`; what its host gets is shown by `env {} {} doctor`",
        with.join(" "),
        environment.command()
    );
    Some(Check::problem(ID, DIFFERING).seen(format!("process {}: {seen}", browser.pid)).advice(advice))
}

/// True for a browser of this user and this home, as far as its variables can be seen. In a sandbox other ones are as they should be.
fn is_own(environment: &Environment, process: &Process) -> bool {
    let home = environment.home.to_str();
    process.family().is_some()
        && home.is_some()
        && process.variable("HOME").flatten().as_deref() == home
        && !process.is_elsewhere(environment)
}

/// What a browser has in the place of what this terminal has.
fn differing(environment: &Environment, browser: &Process) -> Option<String> {
    let (ours, its) = (&environment.leading, leading_of(environment, browser)?);
    let value = |list: &[(&'static str, String)], name: &str| {
        list.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    };
    let of_ours = ours.iter().filter_map(|(name, value_here)| match value(&its, name) {
        Some(its) if its == *value_here => None,
        Some(its) => Some(format!("{name}={its} instead of {value_here}")),
        None => Some(format!("no {name}, which is {value_here} here")),
    });
    let of_its = its
        .iter()
        .filter(|(name, _)| value(ours, name).is_none())
        .map(|(name, its)| format!("{name}={its}, which is not set here"));
    let differing: Vec<String> = of_ours.chain(of_its).collect();
    (!differing.is_empty()).then(|| differing.join("; "))
}

/// What leads its host, as far as its variables can be seen.
fn leading_of(environment: &Environment, browser: &Process) -> Option<Vec<(&'static str, String)>> {
    browser.variable("HOME")?;
    Some(environment::leading_of(&environment.home, |name| browser.variable(name).flatten()))
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
