//! What the configuration means: paths absolute, defaults filled in, every value of its own type.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::{Path, PathBuf},
};

use super::{error::ConfigError, source::Source};
use crate::{
    limits::{JOURNAL_DAYS, JOURNAL_MIB},
    tier::Tier,
};

/// Everything the administrator decided.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The file it was read from; `None` when there is none (then there are no workspaces and no commands but the shipped ones).
    pub path: Option<PathBuf>,
    /// The folders an agent may work on; the first is the default.
    pub workspaces: Vec<WorkspaceEntry>,
    /// Folders that are not served, and hold files of those or lie in them: their rules count.
    pub beside: Vec<WorkspaceEntry>,
    /// Globs beside the built-in ones.
    pub files: FileRules,
    /// Which tools are offered.
    pub profile: Profile,
    /// Tiers the administrator set per tool.
    pub tool_tiers: BTreeMap<String, Tier>,
    /// What a workspace's own file says of tools: they ask no less strictly, whatever else says how they ask.
    pub tier_floors: BTreeMap<String, Tier>,
    /// The allowlist: the administrator's entries, then the shipped ones that they do not replace.
    pub commands: Vec<CommandEntry>,
    /// Settings of the process door.
    pub exec: ExecSettings,
    /// Exchanging commits with other repositories.
    pub git: GitSettings,
    /// What happens to a plan when the client cannot be asked.
    pub mcp_approvals: McpApprovals,
    /// Callers allowed beside our own extensions.
    pub extensions_allow: Vec<String>,
    /// What becomes of secrets in results.
    pub redact: RedactSettings,
    /// How much the journal keeps.
    pub journal: JournalSettings,
    /// The level of the log file.
    pub log_level: LogLevel,
    /// How a workspace can be added from the panel.
    pub add_workspace: AddWorkspace,
    /// The text it was read from; what is found wrong later points into it.
    pub source: Option<Source>,
    /// Where globs and examples stand in it.
    pub places: Places,
}

/// Where things stand that are judged after loading.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// `files.blocked`, item by item.
    pub blocked: Vec<Range<usize>>,
    /// `files.protected`, item by item.
    pub protected: Vec<Range<usize>>,
    /// `redact.patterns`, item by item.
    pub redact: Vec<Range<usize>>,
    /// The examples of each command.
    pub examples: BTreeMap<String, ExamplePlaces>,
}

/// Where the examples of one command stand.
#[derive(Clone, Debug, Default)]
pub struct ExamplePlaces {
    /// `match`, item by item.
    pub matches: Vec<Range<usize>>,
    /// `not_match`, item by item.
    pub not_matches: Vec<Range<usize>>,
}

impl Config {
    /// The file's path for messages; the place where it would be, when there is none.
    pub fn display_path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What holds when there is no file: no workspace, the shipped commands.
    pub fn without_file() -> Self {
        Self { commands: super::shipped::entries(), ..Self::default() }
    }

    /// The folders of the workspaces.
    pub fn roots(&self) -> Vec<PathBuf> {
        self.workspaces.iter().map(|workspace| workspace.path.clone()).collect()
    }

    /// The folders beside the workspaces into which any command may write, each once.
    pub fn write_paths(&self) -> Vec<PathBuf> {
        let all: BTreeSet<&PathBuf> = self.commands.iter().flat_map(|entry| &entry.write_paths).collect();
        all.into_iter().cloned().collect()
    }

    /// The error for something that is found wrong with this configuration after it was read.
    pub fn error(
        &self,
        span: Option<&Range<usize>>,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> ConfigError {
        match (&self.source, span) {
            (Some(source), Some(span)) => ConfigError::at(source, span, message.into(), hint),
            _ => ConfigError {
                hint,
                ..ConfigError::file(self.path.clone().unwrap_or_default(), message, String::new())
            },
        }
    }
}

/// A folder an agent may work on.
#[derive(Clone, Debug)]
pub struct WorkspaceEntry {
    /// Its name: two or more of `[a-z0-9_-]`.
    pub id: String,
    /// Absolute; `~/` already replaced.
    pub path: PathBuf,
    /// No tool may change anything in it.
    pub read_only: bool,
    /// The read-only workspace in which it lies, where it is none itself.
    pub closed_by: Option<String>,
    /// Where it stands in the file.
    pub place: Place,
}

/// `[files]`: added to the built-in lists; `!glob` takes a built-in out.
#[derive(Clone, Debug, Default)]
pub struct FileRules {
    /// Never read, written, listed or matched.
    pub blocked: Vec<String>,
    /// Readable; changing is individual.
    pub protected: Vec<String>,
}

/// Which tools are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// Reads only.
    Read,
    /// What an agent needs daily.
    #[default]
    Core,
    /// Everything.
    Full,
}

/// One allowed command.
#[derive(Clone, Debug)]
pub struct CommandEntry {
    /// The name a model uses.
    pub id: String,
    /// A bare name or an absolute path.
    pub program: String,
    /// Fixed arguments, in front of the caller's.
    pub args: Vec<String>,
    /// One line for people and models.
    pub summary: String,
    /// Flags that are allowed; `None` when `deny_flags` decides.
    pub allow_flags: Option<Vec<String>>,
    /// Flags that are refused.
    pub deny_flags: Option<Vec<String>>,
    /// Flags that take the argument behind them as their value; no others do.
    pub value_flags: Vec<String>,
    /// What an argument that is no flag may be.
    pub positional: Positional,
    /// `@file` may stand for more arguments.
    pub argument_files: bool,
    /// How many arguments the caller may give.
    pub max_args: usize,
    /// Set for the command.
    pub env: BTreeMap<String, String>,
    /// Names passed on from the host's environment.
    pub env_pass: Vec<String>,
    /// May use the network.
    pub network: bool,
    /// May be written beside the workspace, absolute.
    pub write_paths: Vec<PathBuf>,
    /// Wall-clock limit.
    pub timeout_ms: u64,
    /// Limit without output.
    pub idle_timeout_ms: u64,
    /// The tier of this command.
    pub tier: Tier,
    /// It is written with it: then the tool's tier makes it no laxer.
    pub own_tier: bool,
    /// Argument lists that must pass.
    pub matches: Vec<Vec<String>>,
    /// Argument lists that must be refused.
    pub not_matches: Vec<Vec<String>>,
    /// Shipped with the program, not written in the file.
    pub shipped: bool,
    /// Where it stands in the file.
    pub place: Place,
}

/// What an argument that is no flag may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Positional {
    /// Nothing.
    #[default]
    None,
    /// A path inside the workspace.
    PathInWorkspace,
    /// Anything; what looks like a path is still confined.
    Any,
}

/// `[exec]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecSettings {
    /// `false`: no command runs.
    pub enabled: bool,
    /// The shipped entries are allowed.
    pub defaults: bool,
    /// Folders in front of the login shell's `PATH`.
    pub path: Vec<PathBuf>,
    /// Whether commands are confined.
    pub sandbox: Sandbox,
}

impl Default for ExecSettings {
    fn default() -> Self {
        Self { enabled: true, defaults: true, path: Vec::new(), sandbox: Sandbox::default() }
    }
}

/// Whether commands are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// A command is refused where there is no sandbox.
    Required,
    /// A command is confined where that is possible.
    #[default]
    BestEffort,
    /// No confinement.
    Off,
}

/// `[git]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitSettings {
    /// `git_sync` is offered.
    pub sync: bool,
    /// It may replace commits of a remote branch.
    pub allow_force: bool,
    /// The user's own credential helpers may be asked.
    pub credentials: bool,
    /// As git calls them: `https`, `ssh`, …
    pub protocols: Vec<&'static str>,
}

impl Default for GitSettings {
    fn default() -> Self {
        Self { sync: false, allow_force: false, credentials: false, protocols: vec!["https", "ssh"] }
    }
}

/// `[redact]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactSettings {
    /// Secrets in results are replaced.
    pub enabled: bool,
    /// Regular expressions beside the built-in rules.
    pub patterns: Vec<String>,
}

impl Default for RedactSettings {
    fn default() -> Self {
        Self { enabled: true, patterns: Vec::new() }
    }
}

/// `[journal]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalSettings {
    /// How large it may grow.
    pub max_mib: u64,
    /// How many days a finished call can be undone.
    pub max_days: u64,
}

impl Default for JournalSettings {
    fn default() -> Self {
        Self { max_mib: JOURNAL_MIB, max_days: JOURNAL_DAYS }
    }
}

/// `[log] level`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogLevel {
    /// What failed.
    Error,
    /// Also what works but should be known.
    Warn,
    /// Also what was done.
    #[default]
    Info,
    /// Also how.
    Debug,
    /// Everything.
    Trace,
}

/// `[panel] add_workspace`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddWorkspace {
    /// In a dialog of the operating system.
    #[default]
    Picker,
    /// Not at all.
    Never,
}

/// `[mcp] approvals`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum McpApprovals {
    /// What needs approval is refused.
    #[default]
    Refuse,
    /// `batch` runs; `individual` never does.
    TrustClient,
}

/// A place in the configuration file, both from 1; zeros where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}
