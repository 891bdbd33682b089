//! How a tool fails: a code for programs, a message and a hint for models and people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    limits,
    policy::{Blocker, CommandRefusal, Raise, Refusal, path_lists},
    process::ProcessError,
    workspace::DoorError,
};

/// The closed list of failures (`docs/tools.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it; the generated page explains each")]
pub enum Code {
    InvalidArgs,
    NotFound,
    WrongType,
    OutsideWorkspace,
    BlockedPath,
    ProtectedPath,
    PermissionDenied,
    TooLarge,
    BinaryFile,
    EncodingUnsupported,
    Stale,
    NoMatch,
    AmbiguousMatch,
    NoChange,
    AlreadyExists,
    NotEmpty,
    CrossDevice,
    DiskFull,
    NotARepo,
    BadRevision,
    MergeInProgress,
    NothingToCommit,
    HookFailed,
    CommandNotAllowed,
    ArgumentNotAllowed,
    SpawnFailed,
    Timeout,
    IdleTimeout,
    Cancelled,
    ApprovalDenied,
    ApprovalStale,
    ApprovalUnavailable,
    OutcomeUnknown,
    Busy,
    UnsupportedHere,
    Internal,
}

/// Why a call failed: the thing, the reason, and what would work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// For programs.
    pub code: Code,
    /// Names the thing and the reason.
    pub message: String,
    /// What would work; empty when nothing would.
    pub hint: String,
    /// The same call may succeed later.
    pub retryable: bool,
    /// What was perhaps meant.
    pub candidates: Vec<String>,
    /// Where all of what the message shows a part of is kept (`out:…`).
    pub handle: Option<String>,
    /// Why a person is asked before it is told: that the call fails says what stands in a file.
    pub asks: Option<Box<Raise>>,
}

impl ToolError {
    /// A failure with a hint.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let retryable = matches!(code, Code::Busy | Code::Timeout | Code::IdleTimeout | Code::ApprovalStale);
        let message = bounded(message.into(), limits::ERROR_BYTES);
        Self {
            code,
            message,
            hint: bounded(hint.into(), limits::ERROR_BYTES),
            retryable,
            candidates: Vec::new(),
            handle: None,
            asks: None,
        }
    }

    /// A number that is below or above what its parameter takes.
    pub fn out_of_range<N: std::fmt::Display>(name: &str, given: N, (least, most): (N, N)) -> Self {
        let message = format!("`{name}` is {given}; it may be {least} to {most}");
        Self::new(
            Code::InvalidArgs,
            message,
            format!("give a number from {least} to {most}, or leave it out for the default"),
        )
    }

    /// The same, said where the workspace has to be named.
    #[must_use]
    pub fn in_workspace(mut self, id: &str) -> Self {
        self.message = bounded(format!("in the workspace `{id}`: {}", self.message), limits::ERROR_BYTES);
        self
    }

    /// The same with what was said of the arguments: a caller may wait for what a parameter would have done that there is not.
    #[must_use]
    pub fn with_notes(mut self, notes: &[String]) -> Self {
        if !notes.is_empty() {
            self.hint = bounded(format!("{}; {}", self.hint, notes.join("; ")), limits::ERROR_BYTES);
        }
        self
    }

    /// The same with candidates.
    #[must_use]
    pub fn with_candidates(mut self, candidates: Vec<String>) -> Self {
        self.candidates = candidates;
        self
    }

    /// The same, told only after a person was asked, and without a word of the file's.
    #[must_use]
    pub fn asked_first(mut self, raise: Raise) -> Self {
        if matches!(self.code, Code::NoMatch | Code::Stale) {
            self.candidates.clear();
            "the file is named as if it held a secret, so nothing of it is quoted; fs_read shows it, after the user is asked"
                .clone_into(&mut self.hint);
        }
        self.asks = Some(Box::new(raise));
        self
    }

    /// The call was stopped; `done` says what had been done.
    pub fn cancelled(done: &str) -> Self {
        Self::new(
            Code::Cancelled,
            format!("the call was stopped; {done}"),
            "call again if it is still wanted",
        )
    }

    /// The system gives no further thread.
    pub fn no_thread(error: &std::io::Error) -> Self {
        Self::new(
            Code::Busy,
            format!("no thread could be started for it: {error}"),
            "call again; fewer calls at once may help",
        )
    }

    /// A fault of ours.
    pub fn internal(what: impl std::fmt::Display) -> Self {
        Self::new(
            Code::Internal,
            format!("internal error: {what}"),
            "this is a bug in outrigger; the log file has more",
        )
    }
}

/// A message may repeat what a caller gave, and that may be millions of characters.
pub(super) fn bounded(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        let kept = crate::text::prefix(&text, limit).len();
        text.truncate(kept);
        text.push('…');
    }
    text
}

impl From<Refusal> for ToolError {
    fn from(refusal: Refusal) -> Self {
        let message = refusal.to_string();
        match refusal {
            Refusal::Denied { .. } => Self::new(
                Code::ApprovalDenied,
                message,
                "nothing was changed; do not repeat the call, follow the note or ask the user",
            ),
            Refusal::PlanMode { .. } => Self::new(
                Code::ApprovalUnavailable,
                message,
                "describe the change; the user can switch the mode",
            ),
            Refusal::ReadOnly { .. } => Self::new(
                Code::PermissionDenied,
                message,
                "the administrator can set `read_only = false` for it in the configuration",
            ),
        }
    }
}

impl From<CommandRefusal> for ToolError {
    fn from(refusal: CommandRefusal) -> Self {
        let (message, way_out) = (refusal.to_string(), refusal.way_out());
        match refusal {
            CommandRefusal::Unknown { nearest, .. } => Self::new(
                Code::CommandNotAllowed,
                message,
                "workspace_info lists the allowed commands; the administrator can add one as `[[command]]`",
            )
            .with_candidates(nearest.into_iter().collect()),
            CommandRefusal::Argument { .. }
            | CommandRefusal::TooMany { .. }
            | CommandRefusal::Workdir { .. } => Self::new(Code::ArgumentNotAllowed, message, way_out),
            // There it runs as any other in a workspace that it cannot change.
            CommandRefusal::ReadOnly { workspace, .. } => Self::new(
                Code::ArgumentNotAllowed,
                message,
                format!(
                    "give it by that workspace's own name: `workdir` is `{workspace}:.`, or `{workspace}:` and a folder"
                ),
            ),
            CommandRefusal::Disabled => Self::new(
                Code::CommandNotAllowed,
                message,
                "`exec` in the configuration, or in the workspace's own `.outrigger.toml`, turned them off; so does such a file \
                 that cannot be used, as workspace_info says",
            ),
        }
    }
}

impl From<DoorError> for ToolError {
    fn from(error: DoorError) -> Self {
        let message = error.to_string();
        match error {
            DoorError::NotFound { candidates, .. } => Self::new(
                Code::NotFound,
                message,
                if candidates.is_empty() {
                    "fs_list and search_glob show what is there"
                } else {
                    "did you mean one of the candidates?"
                },
            )
            .with_candidates(candidates),
            DoorError::WrongType { .. } => {
                Self::new(Code::WrongType, message, "fs_list shows the type of each entry")
            }
            DoorError::Outside { .. } => Self::new(
                Code::OutsideWorkspace,
                message,
                "give a path relative to the workspace; workspace_info names the workspaces",
            ),
            DoorError::Blocked { by: Blocker::User, .. }
            | DoorError::HoldsBlocked { by: Blocker::User, .. } => Self::new(
                Code::BlockedPath,
                message,
                "do not try to get the same by other means; ask the user if it is needed",
            ),
            DoorError::Blocked { by: Blocker::Unusable, .. }
            | DoorError::HoldsBlocked { by: Blocker::Unusable, .. } => Self::new(
                Code::BlockedPath,
                message,
                "mend `.outrigger.toml`, which can be read and changed as before (each change is asked), or ask the user to",
            ),
            DoorError::Blocked { glob, .. } => {
                let hint = format!("the user can read it for you; {}", path_lists::way_out(&glob));
                Self::new(Code::BlockedPath, message, hint)
            }
            DoorError::IsRoot { .. } => Self::new(
                Code::ProtectedPath,
                message,
                "name what is in it; the user can remove the folder itself",
            ),
            DoorError::Forbidden { .. } => Self::new(
                Code::ProtectedPath,
                message,
                "git tools change `.git` by their own rules; nothing else does",
            ),
            DoorError::OfReadOnly { .. } => Self::new(
                Code::ProtectedPath,
                message,
                "the administrator can set `read_only = false` for that workspace in the configuration",
            ),
            DoorError::OnTheWay { workspace, .. } => {
                let hint = format!(
                    "what is in it can be changed; the user can do this after `outrigger workspace remove {workspace}`"
                );
                Self::new(Code::ProtectedPath, message, hint)
            }
            DoorError::ReadOnly { .. } => Self::new(
                Code::PermissionDenied,
                message,
                "the administrator can set `read_only = false` for it in the configuration",
            ),
            DoorError::InvalidPath { .. } => {
                Self::new(Code::InvalidArgs, message, "give a plain path relative to the workspace, with `/`")
            }
            DoorError::TooLarge { .. } => Self::new(Code::TooLarge, message, "work on a part of it"),
            DoorError::Stale { .. } => Self::new(Code::Stale, message, "read it again, then repeat the call"),
            DoorError::Displaced { .. } => Self::new(
                Code::Stale,
                message,
                "somebody else works there: tell the user, who decides which of both is wanted",
            ),
            DoorError::AlreadyExists { .. } => Self::new(
                Code::AlreadyExists,
                message,
                "choose another name, or say that it may be overwritten",
            ),
            DoorError::Root { .. } => Self::new(
                Code::NotFound,
                message,
                "`outrigger workspace list` shows the workspaces and their state",
            ),
            DoorError::HoldsBlocked { .. } => Self::new(
                Code::BlockedPath,
                message,
                "name what is in it one by one; the user can change the rest",
            ),
            DoorError::TooMany { .. } => Self::new(Code::TooLarge, message, "work on its parts"),
            DoorError::MountPoint { .. } => {
                Self::new(Code::CrossDevice, message, "the user decides about other file systems")
            }
            DoorError::Stopped { .. } => Self::cancelled("nothing was changed"),
            DoorError::NotPermitted { .. } => Self::internal(message),
            DoorError::Io { source, .. } => Self::from_io(&source, message),
        }
    }
}

impl ToolError {
    /// The code a system error deserves.
    fn from_io(source: &std::io::Error, message: String) -> Self {
        use std::io::ErrorKind;
        match source.kind() {
            ErrorKind::PermissionDenied => {
                Self::new(Code::PermissionDenied, message, "the user's own permissions forbid it")
            }
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                Self::new(Code::DiskFull, message, "nothing was changed; free some space first")
            }
            ErrorKind::DirectoryNotEmpty => Self::new(Code::NotEmpty, message, "empty it first"),
            ErrorKind::CrossesDevices => Self::new(Code::CrossDevice, message, "copy it instead"),
            ErrorKind::ReadOnlyFilesystem => Self::new(
                Code::PermissionDenied,
                message,
                "it lies on a file system that is mounted read-only (EROFS): write to another folder, or ask the user to mount it for writing",
            ),
            ErrorKind::FileTooLarge => {
                Self::new(Code::TooLarge, message, "the file system or a limit of the user forbids it")
            }
            // Said by our own doors, not by the system: what was seen as a file is none any more.
            ErrorKind::InvalidInput if source.raw_os_error().is_none() => {
                Self::new(Code::WrongType, message, "fs_list shows the type of each entry")
            }
            ErrorKind::InvalidFilename | ErrorKind::InvalidInput => {
                Self::new(Code::InvalidArgs, message, "choose a shorter or plainer name")
            }
            ErrorKind::NotFound | ErrorKind::StaleNetworkFileHandle => {
                Self::new(Code::NotFound, message, "it is gone by now; fs_list shows what is there")
            }
            ErrorKind::NotADirectory | ErrorKind::IsADirectory => {
                Self::new(Code::WrongType, message, "fs_list shows the type of each entry")
            }
            ErrorKind::ResourceBusy | ErrorKind::ExecutableFileBusy | ErrorKind::Deadlock => {
                Self::new(Code::Busy, message, "something else uses it; try again")
            }
            _ if is_swapped(source) => {
                Self::new(Code::Busy, message, "something changed it at that moment; try again")
            }
            _ if is_out_of_descriptors(source) => {
                Self::new(Code::Busy, message, "too many files are open at once; try again in a moment")
            }
            _ => Self::new(Code::Internal, message, "the operating system refused; the message says why"),
        }
    }
}

/// What was seen as a file or folder was a link or a special file when it was opened.
#[cfg(unix)]
fn is_swapped(source: &std::io::Error) -> bool {
    use rustix::io::Errno;
    let number = source.raw_os_error();
    [Errno::LOOP, Errno::AGAIN, Errno::NXIO].iter().any(|errno| number == Some(errno.raw_os_error()))
}

#[cfg(windows)]
fn is_swapped(source: &std::io::Error) -> bool {
    use windows_sys::Win32::Foundation::{
        ERROR_BAD_FILE_TYPE, ERROR_DELETE_PENDING, ERROR_LOCK_VIOLATION, ERROR_RETRY,
        ERROR_SHARING_VIOLATION, ERROR_STOPPED_ON_SYMLINK,
    };
    // Somebody who has it open for themselves alone is met as often as one who swaps it, and lets go as soon.
    let busy = [
        ERROR_BAD_FILE_TYPE,
        ERROR_DELETE_PENDING,
        ERROR_LOCK_VIOLATION,
        ERROR_RETRY,
        ERROR_SHARING_VIOLATION,
        ERROR_STOPPED_ON_SYMLINK,
    ];
    source.raw_os_error().is_some_and(|number| busy.contains(&number.cast_unsigned()))
}

/// The process, or the whole system, has no descriptor left.
#[cfg(unix)]
fn is_out_of_descriptors(source: &std::io::Error) -> bool {
    use rustix::io::Errno;
    let number = source.raw_os_error();
    [Errno::MFILE, Errno::NFILE].iter().any(|errno| number == Some(errno.raw_os_error()))
}

#[cfg(windows)]
fn is_out_of_descriptors(source: &std::io::Error) -> bool {
    use windows_sys::Win32::Foundation::{ERROR_NO_SYSTEM_RESOURCES, ERROR_TOO_MANY_OPEN_FILES};
    let number = source.raw_os_error().map(i32::cast_unsigned);
    [ERROR_NO_SYSTEM_RESOURCES, ERROR_TOO_MANY_OPEN_FILES].into_iter().any(|known| number == Some(known))
}

/// For now.
const USED_UP: &str =
    "nothing was run; try again in a moment: this user has used up threads, processes or open files";

impl From<ProcessError> for ToolError {
    fn from(error: ProcessError) -> Self {
        let message = error.to_string();
        match error {
            ProcessError::Spawn { .. }
            | ProcessError::NotFound { .. }
            | ProcessError::Unusable { .. }
            | ProcessError::Unseen { .. } => Self::new(
                Code::SpawnFailed,
                message,
                "check that the program is installed and is found in `exec.path` or the login shell's PATH",
            ),
            ProcessError::InWorkspace { .. } => Self::new(
                Code::SpawnFailed,
                message,
                "the administrator can name the program by an absolute path in its `[[command]]` entry",
            ),
            ProcessError::SandboxRequired { .. } => Self::new(
                Code::UnsupportedHere,
                message,
                "nothing was run; the administrator can set `exec.sandbox = \"best-effort\"`",
            ),
            ProcessError::SandboxUnknown { .. } => Self::new(Code::Busy, message, USED_UP),
            ProcessError::Helper { source } if source.kind() == std::io::ErrorKind::WouldBlock => {
                Self::new(Code::Busy, message, USED_UP)
            }
            ProcessError::Temp { source, .. } | ProcessError::Writable { source, .. } => {
                Self::from_io(&source, message)
            }
            ProcessError::NotHeld { .. } => Self::new(
                Code::SpawnFailed,
                message,
                "nothing was run; prepare the call again, and if it stays like this, `outrigger doctor` checks the installation",
            ),
            ProcessError::Helper { .. } => {
                Self::new(Code::SpawnFailed, message, "`outrigger doctor` checks the installation")
            }
            ProcessError::Lost { .. } => Self::new(
                Code::OutcomeUnknown,
                message,
                "it may have done a part of its work: look at the result before you run it again",
            ),
            ProcessError::Stopped | ProcessError::NotPermitted { .. } | ProcessError::Trial { .. } => {
                Self::internal(message)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `!` before a glob that is not built in is an error in a configuration: it is named for those alone.
    #[test]
    fn the_way_out_of_a_blocked_path_can_be_gone() {
        let hint = |glob: &str| {
            let (path, glob) = ("x".to_owned(), glob.to_owned());
            ToolError::from(DoorError::Blocked { path, glob, by: Blocker::Configuration }).hint
        };
        assert!(hint("*.pem").contains("`files.blocked = [\"!*.pem\"]`"), "{}", hint("*.pem"));
        let own = hint("secrets/**");
        assert!(
            !own.contains('!') && own.contains("out of `files.blocked`") && own.contains(".outrigger.toml")
        );
    }

    #[test]
    fn a_command_in_a_read_only_workspace_is_told_how_it_runs_there() {
        let (id, workdir, workspace) = ("tool".to_owned(), "libs/kept".to_owned(), "kept".to_owned());
        let error = ToolError::from(CommandRefusal::ReadOnly { id, workdir, workspace });
        assert!(error.code == Code::ArgumentNotAllowed && error.hint.contains("`kept:.`"), "{error}");
    }
}
