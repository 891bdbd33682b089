//! What a workspace's file would widen, in words for the person who is asked whether to trust it.
//!
//! Nothing of an entry is kept back: who says yes has to have seen what it runs, and with what in its hands.

use std::fmt::Write as _;

use super::resolved::{CommandEntry, Positional};
use crate::{
    limits::{EXEC_ARGS, EXEC_IDLE_MS, EXEC_TIMEOUT_MS},
    text::visible,
    tier::Tier,
};

/// One thing that needs trust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wider {
    /// What it is, in a few words.
    pub what: String,
    /// What is in it, each with its name in the file, in the order of the file's description.
    pub details: Vec<(&'static str, String)>,
}

impl Wider {
    /// A thing that is said in a few words.
    pub(super) fn plain(what: String) -> Self {
        Self { what, details: Vec::new() }
    }

    /// A command. `replaces` is the one of the same name that is there without it.
    pub(super) fn command(entry: &CommandEntry, replaces: Option<&CommandEntry>) -> Self {
        let mut details = Vec::new();
        if let Some(known) = replaces {
            let whose = if known.shipped { "a shipped command" } else { "a command" };
            details.push(("replaces", format!("{whose} of this name, which runs {}", told(&known.program))));
        }
        details.push(("summary", told(&entry.summary)));
        details.push(("program", told(&entry.program)));
        details.push(("args", list(&entry.args)));
        details.push(("tier", format!("{}{}", entry.tier.as_str(), tier_words(entry.tier))));
        details.push(("network", yes_or_no(entry.network)));
        let variables: Vec<String> =
            entry.env.iter().map(|(name, value)| format!("{} = {}", visible(name), told(value))).collect();
        details.push(("env", or_none(variables.join(", "))));
        details.push(("env_pass", list(&entry.env_pass)));
        let folders: Vec<String> =
            entry.write_paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        details.push(("write_paths", list(&folders)));
        match (&entry.allow_flags, &entry.deny_flags) {
            (None, Some(denied)) => {
                details.push(("deny_flags", format!("{}; all others pass", list(denied))));
            }
            (allowed, _) => details.push(("allow_flags", list(allowed.as_deref().unwrap_or_default()))),
        }
        if !entry.value_flags.is_empty() {
            details.push(("value_flags", list(&entry.value_flags)));
        }
        let positional = match entry.positional {
            Positional::None => "none",
            Positional::PathInWorkspace => "path_in_workspace",
            Positional::Any => "any",
        };
        details.push(("positional", positional.to_owned()));
        if entry.argument_files {
            details.push(("argument_files", yes_or_no(true)));
        }
        let numbers = [
            ("max_args", entry.max_args as u64, EXEC_ARGS as u64),
            ("timeout_ms", entry.timeout_ms, EXEC_TIMEOUT_MS),
            ("idle_timeout_ms", entry.idle_timeout_ms, EXEC_IDLE_MS),
        ];
        for (name, value, usual) in numbers {
            if value != usual {
                details.push((name, value.to_string()));
            }
        }
        Self { what: format!("`command` {} ({})", entry.id, entry.program), details }
    }

    /// For a terminal: a line for each of its parts, below one that says what it is.
    pub fn lines(&self) -> String {
        let mut lines = visible(&self.what).into_owned();
        for (name, value) in &self.details {
            let _ = write!(lines, "\n      {name:<16}{value}");
        }
        lines
    }
}

/// Quoted, and with nothing in it that a terminal would act on or would not show.
fn told(text: &str) -> String {
    visible(&format!("{text:?}")).into_owned()
}

fn list(items: &[String]) -> String {
    or_none(items.iter().map(|item| told(item)).collect::<Vec<_>>().join(", "))
}

fn or_none(text: String) -> String {
    if text.is_empty() { "none".to_owned() } else { text }
}

fn yes_or_no(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

fn tier_words(tier: Tier) -> &'static str {
    match tier {
        Tier::Auto => ": it runs without a question",
        Tier::Batch | Tier::Individual => "",
    }
}
