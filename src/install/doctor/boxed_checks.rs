//! Browsers in a sandbox: whether a way leads from them to a host outside, and whether it is open.
//!
//! Never "ok": from out here the way cannot be walked. What is found is a problem with its reason, or not checked.

use std::{ffi::OsString, time::Duration};

use super::trust;
use crate::{
    install::{
        boxed::BoxedBrowser,
        browsers::{Boxed, Family},
        check::Check,
        environment::Environment,
        error::shown,
        ids::Ids,
    },
    process::OwnProgram,
};

/// The desktop's services answer at once, or are being started.
const PATIENCE: Duration = Duration::from_secs(5);
/// The service file of the proxy that Flatpak and snap agreed on.
const PROXY: &str = "dbus-1/services/org.freedesktop.NativeMessagingProxy.service";

/// What can be said about one.
pub fn of(environment: &Environment, ids: &Ids, browser: &BoxedBrowser) -> Vec<Check> {
    const ID: &str = "browser.boxed";
    let seen = format!("{} {}, {}", browser.kind(), browser.package_name(), shown(&browser.sign));
    let Some(way) = way_out(environment, browser) else {
        let check = Check::problem(
            ID,
            format!("{} runs in a sandbox, from which it cannot start a program outside", browser.name),
        );
        return vec![check.seen(seen).advice(no_way(browser))];
    };
    if let Some(check) = refused(environment, ids, browser) {
        return vec![
            Check::not_checked(ID, format!("{} runs in a sandbox; {way} is there", browser.name)).seen(seen),
            check,
        ];
    }
    vec![
        Check::not_checked(
            ID,
            format!("{} runs in a sandbox; {way} is there, and whether it leads to the host can be seen in the browser alone", browser.name),
        )
        .seen(seen)
        .advice("open the side panel; allow what the desktop asks"),
    ]
}

fn no_way(browser: &BoxedBrowser) -> String {
    let other = match browser.package {
        Boxed::Snap(_) => "from your distribution or its vendor (not as a snap)",
        Boxed::Flatpak(_) => "from your distribution or its vendor (not as a Flatpak)",
    };
    format!(
        "not possible because neither the portal for web extensions nor xdg-native-messaging-proxy is on this machine: install the package `xdg-native-messaging-proxy` if your distribution has it, or {} {other}",
        browser.name
    )
}

/// What leads out of this sandbox, if anything does.
fn way_out(environment: &Environment, browser: &BoxedBrowser) -> Option<&'static str> {
    let shares = [
        environment.system_path("/usr/share"),
        environment.system_path("/usr/local/share"),
        environment.home.join(".local/share"),
    ];
    if shares.iter().any(|share| share.join(PROXY).is_file()) {
        return Some("xdg-native-messaging-proxy");
    }
    // Ubuntu's own portal serves its snap of Firefox and nobody else.
    let served = browser.family == Family::Firefox && matches!(browser.package, Boxed::Snap(_));
    let portal = served
        && ask(
            environment,
            "gdbus",
            &[
                "introspect",
                "--session",
                "--dest",
                "org.freedesktop.portal.Desktop",
                "--object-path",
                "/org/freedesktop/portal/desktop",
            ],
        )
        .is_some_and(|printed| printed.contains("org.freedesktop.portal.WebExtensions"));
    portal.then_some("the desktop's portal for web extensions")
}

/// A "no" that somebody once gave is kept, and nobody is asked again.
fn refused(environment: &Environment, ids: &Ids, browser: &BoxedBrowser) -> Option<Check> {
    let app = match browser.package {
        Boxed::Snap(name) => format!("snap.{name}"),
        Boxed::Flatpak(id) => id.to_owned(),
    };
    let printed = ask(environment, "flatpak", &["permissions", "webextensions", &ids.host_name])?;
    let line = printed.lines().find(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.contains(&app.as_str()) && words.contains(&"no")
    })?;
    let message = format!("{} was once refused the host, and the desktop remembers that", browser.name);
    let check = Check::problem("portal.permission", message).seen(line.trim());
    Some(check.fix(format!("flatpak permission-set webextensions {} {app} yes", ids.host_name)))
}

fn ask(environment: &Environment, program: &str, args: &[&str]) -> Option<String> {
    let program = trust::find_program(environment, program)?;
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    let asked = (OwnProgram::SystemQuery { path: &program, args: &args }).ask(PATIENCE).ok()?;
    asked.is_success().then_some(asked.printed)
}
