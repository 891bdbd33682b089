//! All a tool may touch during one call.

use std::sync::Arc;

use crate::{
    cancel::Cancel,
    config::{Config, WorkspaceEntry},
    policy::{Law, Raise},
    process::ProcessDoor,
    redact::Redactor,
    relpath::RelPath,
    tier::{Mode, Tier},
    tools::{Handles, exec::Jobs},
    workspace::{Workspace, split_name},
};

/// One call's world.
#[derive(Clone)]
pub struct Call {
    /// The workspace the call is for.
    pub workspace: Arc<Workspace>,
    /// All workspaces, in the order of the configuration.
    pub workspaces: Arc<Vec<Arc<Workspace>>>,
    /// Those that are not served, and lie in these or around them.
    pub beside: Arc<Vec<Arc<Workspace>>>,
    /// Those that cannot be used now; known to a tool that tells of workspaces.
    pub unavailable: Vec<Unavailable>,
    /// The law in force.
    pub law: Arc<Law>,
    /// The configuration it was made from, for what is only shown.
    pub config: Arc<Config>,
    /// The door to programs.
    pub processes: Arc<ProcessDoor>,
    /// What was cut from the connection's answers.
    pub handles: Arc<Handles>,
    /// The connection's commands in the background.
    pub jobs: Arc<Jobs>,
    /// Says when to stop.
    pub cancel: Cancel,
    /// Takes progress and live output.
    pub sink: Arc<dyn Sink>,
    /// The session's mode.
    pub mode: Mode,
    /// Knows secrets, for what is shown in parts; whole answers are redacted behind the tools.
    pub redactor: Redactor,
    /// Bytes of before-images that the journal has room for.
    pub image_room: u64,
}

/// A workspace of the configuration that cannot be used now.
#[derive(Clone, Debug)]
pub struct Unavailable {
    /// As configured.
    pub entry: WorkspaceEntry,
    /// The call was for it.
    pub is_own: bool,
    /// Why.
    pub reason: String,
}

impl std::fmt::Debug for Call {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Call").field("workspace", &self.workspace.id()).finish_non_exhaustive()
    }
}

impl Call {
    /// The other workspace that a path names, and the path there.
    pub fn elsewhere<'p>(&self, path: &'p str) -> Option<(&Arc<Workspace>, &'p str)> {
        let (id, rest) = split_name(path).filter(|(id, _)| *id != self.workspace.id())?;
        let workspace = self.workspaces.iter().find(|workspace| workspace.id() == id)?;
        Some((workspace, if rest.is_empty() { "." } else { rest }))
    }

    /// Why the call cannot be undone whose before-images have so many bytes together; `None`: it can.
    pub fn not_kept(&self, bytes: u64) -> Option<Raise> {
        let room = self.image_room;
        (bytes > room).then(|| Raise {
            tier: Tier::Individual,
            reason: format!("{bytes} bytes are more than can be kept ({room}): this cannot be undone"),
        })
    }

    /// An error once somebody asked to stop; called between the steps of a long job.
    pub fn check_cancelled(&self) -> Result<(), super::ToolError> {
        if self.cancel.is_cancelled() {
            return Err(super::ToolError::cancelled("nothing more was done"));
        }
        Ok(())
    }
}

/// Takes what a call says while it runs. Cheap to call; the edge behind it limits the rate.
pub trait Sink: Send + Sync {
    /// How far the call is; `total` when it is known.
    fn progress(&self, done: u64, total: Option<u64>, message: &str);
    /// Output of a command, as it comes.
    fn output(&self, bytes: &[u8]);
}

/// How the reason ends for which a person is asked before a secret may be shown.
pub const NAMED_SECRET: &str = "is named as if it held a secret";

/// What is asked before a file that is named as if it held a secret is shown, by whatever tool: in the diff of a change, too, or under
/// a name that says less.
pub fn secret_looking(call: &Call, path: &RelPath) -> Option<Raise> {
    let reason = || format!("`{path}` {NAMED_SECRET}");
    let is_secret = call.workspace.rules().looks_secret(&path.to_slashed());
    is_secret.then(|| Raise { tier: Tier::Individual, reason: reason() })
}

/// A failure that depends on what stands in the file at `path`. Where that is named as if it held a secret, a person is asked before
/// the caller learns of it: by what fits and what does not, a file can be guessed line by line. Nothing of the file is quoted.
pub fn learnt_from(error: super::ToolError, path: &RelPath, call: &Call) -> super::ToolError {
    match secret_looking(call, path) {
        Some(raise) => error.asked_first(raise),
        None => error,
    }
}
