//! What was written: the model of a configuration file, key by key, before anything is looked up or filled in.
//!
//! The name of each table (`rename`) is what messages call it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{resolved, written::Written};
use crate::{
    limits::{EXEC_ARGS, EXEC_IDLE_MS, EXEC_TIMEOUT_MS, EXEC_TIMEOUT_MS_MAX, JOURNAL_DAYS, JOURNAL_MIB},
    tier::Tier,
};

/// The configuration of Outrigger, in TOML or in YAML: which folders an agent may work on, and what it may do there.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "")]
#[schemars(rename = "Outrigger configuration")]
pub(super) struct File {
    /// The version of this model. Always 1.
    #[serde(rename = "version")]
    #[schemars(extend("const" = 1))]
    _version: u64,
    /// The folders an agent may work on. The first is the one that a call without a name is for.
    #[serde(default)]
    pub workspace: Vec<Workspace>,
    /// Globs beside the built-in ones.
    #[serde(default)]
    pub files: Files,
    /// Which tools are offered, and how strictly they ask.
    #[serde(default)]
    pub tools: Tools,
    /// Commands that `exec_run` may run. An entry with the id of a shipped one replaces it.
    #[serde(default)]
    pub command: Vec<Command>,
    /// Running commands.
    #[serde(default)]
    pub exec: Exec,
    /// Exchanging commits with other repositories.
    #[serde(default)]
    pub git: Git,
    /// Clients over stdio.
    #[serde(default)]
    pub mcp: Mcp,
    /// Secrets in what a model gets to read.
    #[serde(default)]
    pub redact: Redact,
    /// The journal, which keeps what undo needs.
    #[serde(default)]
    pub journal: Journal,
    /// The log file.
    #[serde(default)]
    pub log: Log,
    /// What the extension's panel may change.
    #[serde(default)]
    pub panel: Panel,
    /// Browser extensions that may use this host beside our own.
    #[serde(default)]
    pub extensions: Extensions,
}

/// A folder an agent may work on.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "workspace")]
pub(super) struct Workspace {
    /// Its short name: 2 to 32 of the characters a-z, 0-9, `_` and `-`, and no `-` in front.
    #[schemars(regex(pattern = r"^[a-z0-9_][a-z0-9_-]{1,31}$"))]
    pub id: Written<String>,
    /// The folder: an absolute path, or one that begins with `~/`. Never `/`, the home folder itself, a folder of the system, such as `/etc`, or `.git` and what lies in it.
    pub path: Written<String>,
    /// No tool changes anything in it, not even through a workspace that holds it or lies in it. A command in such a workspace could: its plan says so, and it is asked for by itself.
    #[serde(default)]
    pub read_only: bool,
}

/// Globs beside the built-in ones.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename = "files")]
pub(super) struct Files {
    /// Paths that are never read, written, listed or matched, added to the built-in ones (`.env`, keys, …). `!glob` takes a built-in out.
    pub blocked: Vec<Written<String>>,
    /// Paths whose change is asked one by one, added to the built-in ones (hooks, CI files, shell profiles, …). `!glob` takes a built-in out.
    pub protected: Vec<Written<String>>,
}

/// Which tools are offered, and how strictly they ask.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename = "tools")]
pub(super) struct Tools {
    /// Which tools are offered.
    pub profile: Profile,
    /// How a tool asks, instead of its own way. Arguments can still make it stricter, and so does the tier that a command is
    /// written with.
    pub tier: BTreeMap<Written<String>, Tier>,
}

/// Which tools are offered.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Profile {
    /// Those that only read.
    Read,
    /// What an agent needs daily.
    #[default]
    Core,
    /// All of them.
    Full,
}

/// A command that `exec_run` may run.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "command")]
pub(super) struct Command {
    /// The name a model uses: 1 to 32 of the characters a-z, 0-9, `_` and `-`, and no `-` in front.
    #[schemars(regex(pattern = r"^[a-z0-9_][a-z0-9_-]{0,31}$"))]
    pub id: Written<String>,
    /// A bare name, found once in the `PATH`, or an absolute path. Never git, which has tools of its own.
    pub program: Written<String>,
    /// Fixed arguments, in front of the caller's.
    #[serde(default)]
    pub args: Vec<String>,
    /// One line for people and models. Default: the program and its arguments.
    #[schemars(length(min = 1, max = 120))]
    pub summary: Option<Written<String>>,
    /// Flags that may be given; all others are refused. Exact tokens; `--flag=value` counts as `--flag`, and `-f=value` as `-f` where `value_flags` lists it, a `match` example shows it, or the value is a number. Without this and `deny_flags`: none.
    pub allow_flags: Option<Vec<Written<String>>>,
    /// Flags that are refused; all others may be given. Not together with `allow_flags`, which is the safer one.
    pub deny_flags: Option<Written<Vec<Written<String>>>>,
    /// Flags that take the argument behind them as their value, where `--flag=value` is not the way. The argument behind any other flag is judged by `positional`. Without this: the flags that a `match` example shows with a value behind them where `positional` is `none`, else none.
    pub value_flags: Option<Vec<Written<String>>>,
    /// What an argument that is no flag may be.
    #[serde(default)]
    pub positional: Positional,
    /// `@file` may name a file with more arguments, which nobody judges. Programs that are known to read such files are given none without this.
    #[serde(default)]
    pub argument_files: bool,
    /// How many arguments a caller may give.
    #[schemars(range(min = 0, max = EXEC_ARGS as u64), extend("default" = EXEC_ARGS as u64))]
    pub max_args: Option<Written<u64>>,
    /// Environment variables that are set for it. Never `TMPDIR`: each run has a temporary folder of its own.
    #[serde(default)]
    pub env: BTreeMap<Written<String>, String>,
    /// Names of environment variables that are passed on from the host's own environment.
    #[serde(default)]
    pub env_pass: Vec<Written<String>>,
    /// It may use the network.
    #[serde(default)]
    pub network: bool,
    /// Folders it may write beside the workspace, absolute or beginning with `~/`. One that is missing is made when the command starts.
    #[serde(default)]
    pub write_paths: Vec<Written<String>>,
    /// How long it may run.
    #[schemars(range(min = 1, max = EXEC_TIMEOUT_MS_MAX), extend("default" = EXEC_TIMEOUT_MS))]
    pub timeout_ms: Option<Written<u64>>,
    /// How long it may say nothing.
    #[schemars(range(min = 1, max = EXEC_TIMEOUT_MS_MAX), extend("default" = EXEC_IDLE_MS))]
    pub idle_timeout_ms: Option<Written<u64>>,
    /// How strictly it is asked for.
    #[serde(default)]
    #[schemars(with = "Tier", extend("default" = "individual"))]
    pub tier: Option<Tier>,
    /// Argument lists that must pass, tested when the file is read.
    #[serde(default, rename = "match")]
    pub matches: Vec<Written<Vec<String>>>,
    /// Argument lists that must be refused, tested when the file is read.
    #[serde(default, rename = "not_match")]
    pub not_matches: Vec<Written<Vec<String>>>,
}

/// What an argument that is no flag may be.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Positional {
    /// Nothing: flags alone.
    #[default]
    None,
    /// A path in the workspace.
    PathInWorkspace,
    /// Anything; what looks like a path still has to be in the workspace.
    Any,
}

/// Running commands.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename = "exec")]
pub(super) struct Exec {
    /// Commands may run at all.
    pub enabled: bool,
    /// The shipped entries are allowed beside the `[[command]]` ones.
    pub defaults: bool,
    /// Folders in front of the login shell's `PATH`, absolute or beginning with `~/`. Programs in a workspace are not used by their names alone.
    pub path: Vec<Written<String>>,
    /// Whether commands are confined by the operating system.
    pub sandbox: Sandbox,
}

impl Default for Exec {
    fn default() -> Self {
        Self { enabled: true, defaults: true, path: Vec::new(), sandbox: Sandbox::default() }
    }
}

/// Whether commands are confined by the operating system.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Sandbox {
    /// A command is refused where they cannot be.
    Required,
    /// They are where that is possible.
    #[default]
    BestEffort,
    /// They are not.
    Off,
}

/// Exchanging commits with other repositories.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename = "git")]
pub(super) struct Git {
    /// `git_sync` is offered: fetch, pull and push, each asked for one by one.
    pub sync: bool,
    /// A push may replace commits of the remote branch, if they are still those that were fetched.
    pub allow_force: bool,
    /// The credential helpers of your own git configuration may be asked for passwords. Those of a repository never are.
    pub credentials: bool,
    /// How remote repositories may be reached. By `file`, a push needs one inside the workspace, or `sandbox = "off"` in `[exec]`:
    /// the git program is confined as commands are. A fetch reaches any.
    pub protocols: Vec<Protocol>,
}

impl Default for Git {
    fn default() -> Self {
        Self {
            sync: false,
            allow_force: false,
            credentials: false,
            protocols: vec![Protocol::Https, Protocol::Ssh],
        }
    }
}

/// How a remote repository may be reached.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Protocol {
    /// `https://`
    Https,
    /// `ssh://` and `user@host:path`
    Ssh,
    /// `http://`: anybody on the way can read and change what is exchanged.
    Http,
    /// `git://`: as `http`.
    Git,
    /// A folder of this machine; its own hooks run when something is pushed to it.
    File,
}

/// Clients over stdio.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename = "mcp")]
pub(super) struct Mcp {
    /// What happens to a call that needs approval when the client cannot be asked.
    pub approvals: Approvals,
}

/// What happens to a call that needs approval when the client cannot be asked.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Approvals {
    /// It is refused.
    #[default]
    Refuse,
    /// It runs when its tier is `batch`; `individual` never does.
    TrustClient,
}

/// Secrets in what a model gets to read.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename = "redact")]
pub(super) struct Redact {
    /// Well-known secrets (tokens, private keys, …) are replaced by placeholders and counted. Plans and files are never touched.
    pub enabled: bool,
    /// Regular expressions of further secrets, in the language of the `regex` crate. A group called `secret` says what of the match is replaced. Each line is tried by itself: `^` and `$` are its ends. Of a line with tens of thousands of matches, one that could go on for long may be taken shorter.
    pub patterns: Vec<Written<String>>,
}

impl Default for Redact {
    fn default() -> Self {
        Self { enabled: true, patterns: Vec::new() }
    }
}

/// The journal, which keeps what undo needs.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename = "journal")]
pub(super) struct Journal {
    /// How large it may grow, in MiB; the oldest before-images go first.
    #[schemars(range(min = 1, max = 65536), extend("default" = JOURNAL_MIB))]
    pub max_mib: Option<Written<u64>>,
    /// How many days a finished call can be undone.
    #[schemars(range(min = 1, max = 3650), extend("default" = JOURNAL_DAYS))]
    pub max_days: Option<Written<u64>>,
}

/// The log file.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename = "log")]
pub(super) struct Log {
    /// How much is logged. Never contents of files, and never prompts.
    pub level: Level,
}

/// How much is logged.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
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

/// What the extension's panel may change.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename = "panel")]
pub(super) struct Panel {
    /// How a workspace can be added from the panel.
    pub add_workspace: AddWorkspace,
}

/// How a workspace can be added from the panel.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum AddWorkspace {
    /// In a dialog that the operating system opens, so that no script in the browser can do it.
    #[default]
    Picker,
    /// Not at all: `outrigger workspace add` does it.
    Never,
}

/// Browser extensions that may use this host beside our own.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename = "extensions")]
pub(super) struct Extensions {
    /// Their ids: `chrome-extension://<32 letters>/`, or a Firefox id such as `addon@example.org`.
    pub allow: Vec<Written<String>>,
}

impl From<Profile> for resolved::Profile {
    fn from(written: Profile) -> Self {
        match written {
            Profile::Read => Self::Read,
            Profile::Core => Self::Core,
            Profile::Full => Self::Full,
        }
    }
}

impl From<Positional> for resolved::Positional {
    fn from(written: Positional) -> Self {
        match written {
            Positional::None => Self::None,
            Positional::PathInWorkspace => Self::PathInWorkspace,
            Positional::Any => Self::Any,
        }
    }
}

impl From<Sandbox> for resolved::Sandbox {
    fn from(written: Sandbox) -> Self {
        match written {
            Sandbox::Required => Self::Required,
            Sandbox::BestEffort => Self::BestEffort,
            Sandbox::Off => Self::Off,
        }
    }
}

impl From<Approvals> for resolved::McpApprovals {
    fn from(written: Approvals) -> Self {
        match written {
            Approvals::Refuse => Self::Refuse,
            Approvals::TrustClient => Self::TrustClient,
        }
    }
}

impl From<AddWorkspace> for resolved::AddWorkspace {
    fn from(written: AddWorkspace) -> Self {
        match written {
            AddWorkspace::Picker => Self::Picker,
            AddWorkspace::Never => Self::Never,
        }
    }
}

impl From<Level> for resolved::LogLevel {
    fn from(written: Level) -> Self {
        match written {
            Level::Error => Self::Error,
            Level::Warn => Self::Warn,
            Level::Info => Self::Info,
            Level::Debug => Self::Debug,
            Level::Trace => Self::Trace,
        }
    }
}
