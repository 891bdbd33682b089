//! What a prepared call is about to do, in the words the law and a person need.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crate::change::{Node, PathChange};
use crate::{ids::Etag, line_ends::LineEndChange, tier::Tier};

/// What a call does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing changes.
    Read,
    /// Files or git data change.
    Write,
    /// A program runs.
    Execute,
    /// Both: a commit whose hooks run.
    WriteAndExecute,
}

impl Effect {
    /// Files or git data change by our own hand.
    pub fn writes(self) -> bool {
        matches!(self, Self::Write | Self::WriteAndExecute)
    }

    /// A program runs.
    pub fn executes(self) -> bool {
        matches!(self, Self::Execute | Self::WriteAndExecute)
    }
}

/// A prepared call as the law sees it.
#[derive(Clone, Debug)]
pub struct Intent {
    /// What it does to the world.
    pub effect: Effect,
    /// Reasons to ask more strictly than the tool's base tier.
    pub raises: Vec<Raise>,
    /// The tier of the command instead of the tool's, where one is run.
    pub tier: Option<Tier>,
    /// What changes on disk, path by path; empty for reads, for git's own data and for commands.
    pub changes: Vec<PathChange>,
    /// One line: what will happen, to what.
    pub summary: String,
    /// What a person needs to decide; `None` for reads.
    pub preview: Option<Preview>,
}

impl Intent {
    /// The intent of a call that only reads.
    pub fn read(summary: impl Into<String>) -> Self {
        Self {
            effect: Effect::Read,
            raises: Vec::new(),
            tier: None,
            changes: Vec::new(),
            summary: summary.into(),
            preview: None,
        }
    }

    /// The intent of a call that would change something, and finds that there is nothing to do: nobody is asked about nothing.
    pub fn nothing(summary: impl Into<String>) -> Self {
        Self { tier: Some(Tier::Auto), ..Self::read(summary) }
    }

    /// There is nothing to do, whatever the tool's own tier is.
    pub fn is_nothing(&self) -> bool {
        self.effect == Effect::Read && self.tier == Some(Tier::Auto) && self.raises.is_empty()
    }
}

/// A reason to ask more strictly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raise {
    /// At least this tier.
    pub tier: Tier,
    /// Why, as a clause: "`package.json` is a protected path".
    pub reason: String,
}

/// What a person sees before they decide (`docs/protocol.md`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Preview {
    /// Files that will be written.
    Files {
        /// Each of them.
        files: Vec<FileChange>,
    },
    /// A program that will run.
    Command {
        /// The id of the allowlist entry.
        command: String,
        /// Absolute.
        program: String,
        /// Where its links lead, when it is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program_real: Option<String>,
        /// What lies there: binds the approval to exactly this file.
        #[serde(default)]
        program_state: String,
        /// All of them, the fixed ones first.
        args: Vec<String>,
        /// Relative to the workspace.
        workdir: String,
        /// What is set beyond the base environment.
        environment: BTreeMap<String, String>,
        /// May use the network.
        network: bool,
        /// What confines it, in words.
        sandbox: String,
        /// Wall-clock limit.
        timeout_ms: u64,
        /// The command itself could read blocked files.
        can_read_blocked: bool,
    },
    /// The git index.
    Stage {
        /// `stage` or `unstage`.
        action: String,
        /// The paths, relative to the workspace.
        paths: Vec<String>,
        /// What the index is now.
        before: String,
        /// What it becomes: binds the approval to exactly these bytes.
        after: String,
    },
    /// A commit.
    Commit {
        /// The whole message.
        message: String,
        /// `Name <mail>`.
        author: String,
        /// The branch it moves.
        branch: String,
        /// Replaces the last commit.
        amend: bool,
        /// The staged diff.
        files: Vec<FileChange>,
        /// Hooks that would run.
        hooks: Vec<String>,
        /// Signing is configured, and will not be done.
        unsigned: bool,
        /// The tree that is committed: binds the approval to exactly these bytes.
        tree: String,
        /// The commit it stands on; `None` for the first one.
        parent: Option<String>,
    },
}

/// One file of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileChange {
    /// Relative to the workspace, resolved.
    pub path: String,
    /// What happens to it.
    pub op: ChangeOp,
    /// Where it comes from, when it is moved or copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Names in it, when it is a folder; the etags then cover all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<u64>,
    /// Its content before; `None` when there is no file yet.
    pub before_etag: Option<Etag>,
    /// Its content after.
    pub after_etag: Option<Etag>,
    /// Its size before.
    pub before_bytes: u64,
    /// Its size after.
    pub after_bytes: u64,
    /// It becomes executable.
    pub executable: bool,
    /// Its permissions after, in octal, where they are known: `0644`; in a commit git's mode, which says what kind of thing it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// In a commit git's mode before, where another one comes or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_before: Option<String>,
    /// The turn can be undone.
    pub undoable: bool,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// What becomes of its line ends, which the hunks do not show; `None` where they stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_ends: Option<LineEndChange>,
    /// The whole diff.
    pub hunks: Vec<Hunk>,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeOp {
    /// It appears.
    Create,
    /// Its content is replaced.
    Overwrite,
    /// Content is added at its end.
    Append,
    /// Parts of it are replaced.
    Edit,
    /// It goes.
    Delete,
    /// It gets another name.
    Rename,
    /// It appears, as a copy.
    Copy,
    /// A folder is made.
    CreateFolder,
}

/// One hunk of a unified diff.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hunk {
    /// Unique in the plan: `h1`, `h2`, …
    pub id: String,
    /// First line before, from 1.
    pub old_start: u32,
    /// Lines before.
    pub old_lines: u32,
    /// First line after, from 1.
    pub new_start: u32,
    /// Lines after.
    pub new_lines: u32,
    /// Lines with ` `, `+` or `-` in front, without line ends; `\ No newline at end of file` as git writes it.
    pub lines: Vec<String>,
}
