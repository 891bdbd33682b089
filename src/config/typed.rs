//! What was written: the model of a configuration file, key by key, before anything is looked up or filled in.
//!
//! The name of each table (`rename`) is what messages call it.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{deserialize::Written, resolved};
use crate::tier::Tier;

/// A whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "")]
pub(super) struct File {
    /// The version of this model; judged before anything else is.
    #[serde(rename = "version")]
    _version: u64,
    #[serde(default)]
    pub workspace: Vec<Workspace>,
    #[serde(default)]
    pub files: Files,
    #[serde(default)]
    pub tools: Tools,
    #[serde(default)]
    pub command: Vec<Command>,
    #[serde(default)]
    pub exec: Exec,
    #[serde(default)]
    pub mcp: Mcp,
    #[serde(default)]
    pub log: Log,
    #[serde(default)]
    pub extensions: Extensions,
}

/// A folder an agent may work on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "workspace")]
pub(super) struct Workspace {
    pub id: Written<String>,
    pub path: Written<String>,
    #[serde(default)]
    pub read_only: bool,
}

/// Globs beside the built-in ones.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename = "files")]
pub(super) struct Files {
    pub blocked: Vec<Written<String>>,
    pub protected: Vec<Written<String>>,
}

/// Which tools, and how strictly.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename = "tools")]
pub(super) struct Tools {
    pub profile: Profile,
    pub tier: BTreeMap<Written<String>, Tier>,
}

/// `tools.profile`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Profile {
    Read,
    #[default]
    Core,
    Full,
}

/// An entry of the allowlist.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "command")]
pub(super) struct Command {
    pub id: Written<String>,
    pub program: Written<String>,
    #[serde(default)]
    pub args: Vec<String>,
    pub summary: Option<Written<String>>,
    pub allow_flags: Option<Vec<Written<String>>>,
    pub deny_flags: Option<Written<Vec<Written<String>>>>,
    #[serde(default)]
    pub positional: Positional,
    pub max_args: Option<Written<u64>>,
    #[serde(default)]
    pub env: BTreeMap<Written<String>, String>,
    #[serde(default)]
    pub env_pass: Vec<Written<String>>,
    #[serde(default)]
    pub network: bool,
    #[serde(default)]
    pub write_paths: Vec<Written<String>>,
    pub timeout_ms: Option<Written<u64>>,
    pub idle_timeout_ms: Option<Written<u64>>,
    #[serde(default = "individual")]
    pub tier: Tier,
    #[serde(default, rename = "match")]
    pub matches: Vec<Written<Vec<String>>>,
    #[serde(default, rename = "not_match")]
    pub not_matches: Vec<Written<Vec<String>>>,
}

fn individual() -> Tier {
    Tier::Individual
}

/// `command.positional`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Positional {
    #[default]
    None,
    PathInWorkspace,
    Any,
}

/// The process door.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default, rename = "exec")]
pub(super) struct Exec {
    pub enabled: bool,
    pub defaults: bool,
    pub path: Vec<Written<String>>,
    pub sandbox: Sandbox,
}

impl Default for Exec {
    fn default() -> Self {
        Self { enabled: true, defaults: true, path: Vec::new(), sandbox: Sandbox::default() }
    }
}

/// `exec.sandbox`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Sandbox {
    Required,
    #[default]
    BestEffort,
    Off,
}

/// Clients over stdio.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename = "mcp")]
pub(super) struct Mcp {
    pub approvals: Approvals,
}

/// `mcp.approvals`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Approvals {
    #[default]
    Refuse,
    TrustClient,
}

/// The log file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename = "log")]
pub(super) struct Log {
    pub level: Option<Level>,
}

/// `log.level`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// Callers beside our own extensions.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename = "extensions")]
pub(super) struct Extensions {
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

impl Level {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}
