//! Windows: the registry says where a manifest is. Read and written by the system's own `reg`, one default value at a time.
//!
//! A key that we made is removed as a whole; one that was there gets its old value back, or none.

use std::{ffi::OsString, time::Duration};

use serde::{Deserialize, Serialize};

use super::{environment::Environment, error::InstallError};
use crate::process::OwnProgram;

/// `reg` answers in milliseconds; a machine that is very busy takes longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Which half of the registry is looked at: browsers look into both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// What 32-bit programs see; Chrome looks here first.
    Bits32,
    /// What 64-bit programs see; we write here.
    Bits64,
}

impl View {
    fn flag(self) -> &'static str {
        match self {
            Self::Bits32 => "/reg:32",
            Self::Bits64 => "/reg:64",
        }
    }
}

/// What a key says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum Entry {
    /// There is no such key.
    Absent,
    /// The key is there, without a default value.
    Empty,
    /// The default value.
    Value(String),
}

/// Reads the default value of a key.
pub fn read(environment: &Environment, key: &str, view: View) -> Result<Entry, InstallError> {
    let (done, printed, words) = run(environment, &["query", key, "/ve", view.flag()])?;
    if !done {
        // It has one word for "not there" and "no rights" alike; the key itself is then asked for.
        let (there, _, _) = run(environment, &["query", key, view.flag()])?;
        return if there { Err(failed(key, &words)) } else { Ok(Entry::Absent) };
    }
    // `    (Default)    REG_SZ    C:\…`, with "(Default)" and "(value not set)" in the user's language.
    let value = printed.lines().find_map(|line| {
        let (_, rest) = line.split_once("REG_SZ")?;
        Some(rest.trim().to_owned())
    });
    Ok(match value {
        Some(value) if !value.is_empty() && !value.starts_with('(') => Entry::Value(value),
        _ => Entry::Empty,
    })
}

/// Writes the default value of a key.
pub fn write(environment: &Environment, key: &str, value: &str) -> Result<(), InstallError> {
    must(environment, key, &["add", key, "/ve", "/t", "REG_SZ", "/d", value, "/f", View::Bits64.flag()])
}

/// Brings a key back to what it was.
pub fn restore(environment: &Environment, key: &str, before: &Entry) -> Result<(), InstallError> {
    let view = View::Bits64.flag();
    match before {
        Entry::Absent => must(environment, key, &["delete", key, "/f", view]),
        Entry::Empty => must(environment, key, &["delete", key, "/ve", "/f", view]),
        Entry::Value(value) => write(environment, key, value),
    }
}

/// The keys above `key` that are not there yet, outermost first: writing makes them.
pub fn missing_parents(environment: &Environment, key: &str) -> Result<Vec<String>, InstallError> {
    let mut missing = Vec::new();
    let mut above = key;
    while let Some((parent, _)) = above.rsplit_once('\\') {
        // What has no separator is the hive.
        if !parent.contains('\\') || inside(environment, parent)?.is_some() {
            break;
        }
        missing.push(parent.to_owned());
        above = parent;
    }
    missing.reverse();
    Ok(missing)
}

/// Removes keys that were made for ours, as far as nothing else is in them; inner ones stand behind outer ones.
pub fn remove_empty(environment: &Environment, keys: &[String]) -> Result<(), InstallError> {
    for key in keys.iter().rev() {
        match inside(environment, key)? {
            Some(lines) if lines.is_empty() => {
                must(environment, key, &["delete", key, "/f", View::Bits64.flag()])?;
            }
            Some(_) => break,
            None => {}
        }
    }
    Ok(())
}

/// The values and keys that are in a key, a line each; `None` when there is no such key.
fn inside(environment: &Environment, key: &str) -> Result<Option<Vec<String>>, InstallError> {
    let (done, printed, _) = run(environment, &["query", key, View::Bits64.flag()])?;
    // It may begin with the key itself, its hive written out.
    let name = key.split_once('\\').map_or(key, |(_, name)| name).to_lowercase();
    let is_itself = |line: &str| line.trim().to_lowercase().ends_with(&format!("\\{name}"));
    let lines = printed.lines().filter(|line| !line.trim().is_empty() && !is_itself(line));
    Ok(done.then(|| lines.map(str::to_owned).collect()))
}

fn must(environment: &Environment, key: &str, args: &[&str]) -> Result<(), InstallError> {
    let (done, _, words) = run(environment, args)?;
    if done { Ok(()) } else { Err(failed(key, &words)) }
}

fn failed(key: &str, words: &str) -> InstallError {
    let words = words.trim().trim_start_matches("ERROR: ");
    let reason = if words.is_empty() { "`reg` failed without a word" } else { words };
    InstallError::Registry { key: key.to_owned(), reason: reason.to_owned() }
}

fn run(environment: &Environment, args: &[&str]) -> Result<(bool, String, String), InstallError> {
    let Some(program) = &environment.registry else {
        return Err(failed("", "there is no registry on this system"));
    };
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    let asked = OwnProgram::SystemQuery { path: program, args: &args }
        .ask(PATIENCE)
        .map_err(|error| failed(&args[1].to_string_lossy(), &error.to_string()))?;
    Ok((asked.is_success(), asked.printed, asked.words))
}
