//! The environment of a command: built from a list, never inherited.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
};

use system::PASSED;

use crate::config::{CommandEntry, RESOLVING, TEMPORARY};

#[cfg(unix)]
#[path = "env_unix.rs"]
mod system;
#[cfg(windows)]
#[path = "env_windows.rs"]
mod system;

/// Set for every command: nothing waits for a person, colours a text, or opens a pager or an editor.
const FIXED: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("CI", "1"),
    ("NO_COLOR", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "true"),
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("npm_config_yes", "true"),
    ("PYTHONUNBUFFERED", "1"),
];

/// The variables of a command but for the temporary folder: the fixed ones, then what the entry passes on, then what it sets.
pub(super) fn of_command(
    entry: &CommandEntry,
    path: &OsString,
    host: impl Fn(&str) -> Option<OsString>,
) -> Vec<(OsString, OsString)> {
    let mut variables = base(path, &host);
    for name in &entry.env_pass {
        if let Some(value) = host(name) {
            variables.insert(name.into(), value);
        }
    }
    variables.extend(entry.env.iter().map(|(name, value)| (name.into(), value.into())));
    // One run has one temporary folder; it is also how what the run started is found again.
    variables.retain(|name, _| !is_temporary(name));
    variables.into_iter().collect()
}

/// The variables of the login shell that is asked for its `PATH`: who it is for, and where to start from.
pub(super) fn of_login_shell(host: impl Fn(&str) -> Option<OsString>) -> Vec<(OsString, OsString)> {
    let path = host("PATH").unwrap_or_default();
    let mut variables = base(&path, &host);
    for name in ["USER", "LOGNAME", "SHELL"] {
        if let Some(value) = host(name) {
            variables.insert(name.into(), value);
        }
    }
    variables.insert(RESOLVING.into(), "1".into());
    variables.into_iter().collect()
}

/// True for a name by which programs find the temporary folder.
pub(super) fn is_temporary(name: &OsStr) -> bool {
    TEMPORARY.iter().any(|temporary| name == *temporary)
}

fn base(path: &OsString, host: &impl Fn(&str) -> Option<OsString>) -> BTreeMap<OsString, OsString> {
    let mut variables: BTreeMap<OsString, OsString> =
        FIXED.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    variables.insert("PATH".into(), path.clone());
    // UTF-8 without a country, where the host has no language of its own: a browser started from a dock has none.
    variables.insert("LANG".into(), host("LANG").unwrap_or_else(|| "C.UTF-8".into()));
    for name in PASSED {
        if let Some(value) = host(name) {
            variables.insert((*name).into(), value);
        }
    }
    if let Some(home) = std::env::home_dir() {
        variables.insert("HOME".into(), home.into());
    }
    variables
}
