//! A command that may be spawned. Only this floor makes one: from an allowlist entry whose arguments were judged, or, for the
//! git tools, from a closed list of their own.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::{
    config::{CommandEntry, Place, Positional},
    limits::{EXEC_IDLE_MS, EXEC_TIMEOUT_MS},
    relpath::RelPath,
    tier::Tier,
};

/// A command whose arguments were judged; without one nothing is spawned.
#[derive(Clone, Debug)]
pub struct AllowedCommand {
    entry: CommandEntry,
    program: PathBuf,
    args: Vec<String>,
    workdir: RelPath,
}

impl AllowedCommand {
    /// `args` have been judged by the rules of `entry`.
    pub(super) fn new(entry: CommandEntry, program: PathBuf, args: Vec<String>, workdir: RelPath) -> Self {
        Self { entry, program, args, workdir }
    }

    /// A hook file that `git_commit` names in its plan: no network, and silence counts.
    pub fn hook(
        name: &str,
        program: PathBuf,
        args: Vec<String>,
        workdir: RelPath,
        environment: BTreeMap<String, String>,
    ) -> Self {
        let mut entry = own_entry(format!("hook {name}"), &program, environment);
        "Run a hook of the repository".clone_into(&mut entry.summary);
        Self::new(entry, program, args, workdir)
    }

    /// The git program, for `git_sync` alone: with network, and with what of the host's environment it needs to log in
    /// (`SSH_AUTH_SOCK`). `write_paths` are folders outside the workspace that it may change.
    pub fn git(
        program: PathBuf,
        args: Vec<String>,
        workdir: RelPath,
        environment: BTreeMap<String, String>,
        env_pass: Vec<String>,
        write_paths: Vec<PathBuf>,
    ) -> Self {
        let mut entry = own_entry("git".to_owned(), &program, environment);
        "Exchange commits with a remote repository".clone_into(&mut entry.summary);
        entry.network = true;
        entry.env_pass = env_pass;
        entry.write_paths = write_paths;
        Self::new(entry, program, args, workdir)
    }

    /// The allowlist entry, or one of its shape for the git tools' own.
    pub fn entry(&self) -> &CommandEntry {
        &self.entry
    }

    /// The program, absolute.
    pub fn program(&self) -> &Path {
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

    /// The tier that the entry is written with.
    pub fn tier(&self) -> Option<Tier> {
        self.entry.own_tier.then_some(self.entry.tier)
    }
}

fn own_entry(id: String, program: &Path, env: BTreeMap<String, String>) -> CommandEntry {
    CommandEntry {
        id,
        program: program.to_string_lossy().into_owned(),
        args: Vec::new(),
        summary: String::new(),
        allow_flags: None,
        deny_flags: None,
        value_flags: Vec::new(),
        positional: Positional::None,
        argument_files: false,
        max_args: 0,
        env,
        env_pass: Vec::new(),
        network: false,
        write_paths: Vec::new(),
        timeout_ms: EXEC_TIMEOUT_MS,
        idle_timeout_ms: EXEC_IDLE_MS,
        tier: Tier::Individual,
        own_tier: true,
        matches: Vec::new(),
        not_matches: Vec::new(),
        shipped: true,
        place: Place::default(),
    }
}
