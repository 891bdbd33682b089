//! The allowlist: which programs may run with which arguments.

use std::{collections::BTreeMap, path::PathBuf};

use crate::{
    config::{CommandEntry, Config},
    relpath::RelPath,
    tier::Tier,
};

/// The allowed commands, by id.
#[derive(Clone, Debug)]
pub struct Commands {
    entries: Vec<CommandEntry>,
    enabled: bool,
}

/// A command whose arguments were judged; only [`Commands::allow`] makes one, and only such a one can be spawned.
#[derive(Clone, Debug)]
pub struct AllowedCommand {
    entry: CommandEntry,
    program: PathBuf,
    args: Vec<String>,
    workdir: RelPath,
}

impl AllowedCommand {
    /// The allowlist entry.
    pub fn entry(&self) -> &CommandEntry {
        &self.entry
    }

    /// The program, absolute.
    pub fn program(&self) -> &std::path::Path {
        &self.program
    }

    /// All arguments, the fixed ones first.
    pub fn args(&self) -> &[String] {
        &self.args
    }

    /// The working folder, resolved.
    pub fn workdir(&self) -> &RelPath {
        &self.workdir
    }

    /// Set beyond the base environment.
    pub fn environment(&self) -> &BTreeMap<String, String> {
        &self.entry.env
    }

    /// The entry's tier.
    pub fn tier(&self) -> Tier {
        self.entry.tier
    }
}

/// Why a command may not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandRefusal {
    /// No such entry.
    #[error("`{id}` is not an allowed command")]
    Unknown {
        /// As given.
        id: String,
        /// The nearest one.
        nearest: Option<String>,
    },
    /// An argument is refused.
    #[error("the argument `{argument}` is not allowed for `{id}`: {reason}")]
    Argument {
        /// The command.
        id: String,
        /// As given.
        argument: String,
        /// Why.
        reason: String,
    },
    /// The administrator turned commands off.
    #[error("commands are turned off by `exec.enabled = false`")]
    Disabled,
}

impl Commands {
    /// The entries of the configuration.
    pub fn new(config: &Config) -> Self {
        Self { entries: config.commands.clone(), enabled: config.exec.enabled }
    }

    /// The entries a model may use.
    pub fn entries(&self) -> &[CommandEntry] {
        if self.enabled { &self.entries } else { &[] }
    }
}
