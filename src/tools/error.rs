//! How a tool fails: a code for programs, a message and a hint for models and people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    hint, limits,
    policy::{Blocker, CommandRefusal, Refusal},
    process::ProcessError,
    workspace::DoorError,
};

/// Values of a choice that a hint names; the commands of `exec_run` can be many.
const VALUES_NAMED: usize = 30;

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
        }
    }

    /// The same with candidates.
    #[must_use]
    pub fn with_candidates(mut self, candidates: Vec<String>) -> Self {
        self.candidates = candidates;
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
fn bounded(mut text: String, limit: usize) -> String {
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
        let message = refusal.to_string();
        match refusal {
            CommandRefusal::Unknown { nearest, .. } => Self::new(
                Code::CommandNotAllowed,
                message,
                "workspace_info lists the allowed commands; the administrator can add one as `[[command]]`",
            )
            .with_candidates(nearest.into_iter().collect()),
            CommandRefusal::Argument { .. }
            | CommandRefusal::TooMany { .. }
            | CommandRefusal::Workdir { .. } => Self::new(
                Code::ArgumentNotAllowed,
                message,
                "workspace_info shows each command's argument rules",
            ),
            CommandRefusal::Disabled => Self::new(
                Code::CommandNotAllowed,
                message,
                "the administrator decides this in the configuration",
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
            DoorError::Blocked { .. } => Self::new(
                Code::BlockedPath,
                message,
                "the user can read it for you; the administrator can take the glob out with `files.blocked = [\"!…\"]`",
            ),
            DoorError::Forbidden { .. } => Self::new(
                Code::ProtectedPath,
                message,
                "git tools change `.git` by their own rules; nothing else does",
            ),
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
            ErrorKind::ReadOnlyFilesystem => {
                Self::new(Code::PermissionDenied, message, "this file system can only be read")
            }
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
            ProcessError::NotPermitted { .. } | ProcessError::Trial { .. } => Self::internal(message),
        }
    }
}

/// The words of a parameter that does not fit, and of what would.
pub fn invalid_args(
    tool: &str,
    error: &serde_path_to_error::Error<serde_json::Error>,
    schema: &Map<String, Value>,
) -> ToolError {
    let path = error.path().to_string();
    let place = if path == "." { String::new() } else { format!(" at `{path}`") };
    let message = in_words(&bounded(error.inner().to_string(), limits::ECHO_BYTES));
    let hint = match meant_parameter(&message) {
        Some(name) => format!("did you mean `{name}`?"),
        None => fitting(schema, &path, &message),
    };
    ToolError::new(Code::InvalidArgs, format!("{tool}: invalid arguments{place}: {message}"), hint)
}

/// What the schema says would fit at `path` of the arguments.
fn fitting(schema: &Map<String, Value>, path: &str, message: &str) -> String {
    let mut at = schema.get("properties");
    let mut is_name = true;
    for part in path.split(['.', '[']).filter(|part| !part.is_empty()) {
        at = match (part.ends_with(']'), is_name) {
            (true, _) => at.and_then(|at| at.get("items")),
            (false, true) => at.and_then(|at| at.get(part)),
            (false, false) => at.and_then(|at| at.get("properties")?.get(part)),
        };
        is_name = false;
    }
    let missing = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
    let found = match (missing, is_name) {
        (None, _) => at.and_then(taken).map(|words| format!("`{path}` takes {words}")),
        (Some(name), true) => {
            at.and_then(|at| taken(at.get(name)?)).map(|words| format!("`{name}` takes {words}"))
        }
        (Some(name), false) => at
            .and_then(|at| taken(at.get("properties")?.get(name)?))
            .map(|words| format!("`{name}` takes {words}")),
    };
    found.unwrap_or_else(|| "the tool's input schema lists the parameters, their types and limits".to_owned())
}

/// What a parameter takes, in words.
fn taken(schema: &Value) -> Option<String> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<String> =
            values.iter().take(VALUES_NAMED).map(|value| format!("`{}`", plain(value))).collect();
        return Some(format!("one of {}", values.join(", ")));
    }
    let words = match schema.get("type")?.as_str()? {
        "string" => "a string".to_owned(),
        "boolean" => "true or false".to_owned(),
        "integer" => match (schema.get("minimum"), schema.get("maximum")) {
            (Some(least), Some(most)) => format!("a whole number from {least} to {most}"),
            (Some(least), None) => format!("a whole number from {least} on"),
            (None, Some(most)) => format!("a whole number up to {most}"),
            (None, None) => "a whole number".to_owned(),
        },
        "array" => format!("a list; each entry is {}", taken(schema.get("items")?)?),
        "object" => {
            let names = schema.get("properties")?.as_object()?.keys();
            format!("an object with {}", names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        }
        _ => return None,
    };
    Some(match schema.get("default").map(plain) {
        Some(default) if !default.is_empty() => format!("{words}; {default} when it is left out"),
        _ => words,
    })
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What serde says in words of the language it is written in, as people who call tools would say it.
fn in_words(message: &str) -> String {
    const ENDS: &[(&[&str], &str)] = &[
        (
            &["expected u8", "expected u16", "expected u32", "expected u64"],
            "expected a whole number from 0 on",
        ),
        (&["expected i32", "expected i64"], "expected a whole number"),
    ];
    let mut message = message.to_owned();
    for (ends, words) in ENDS {
        if let Some(begin) = ends.iter().find_map(|end| message.strip_suffix(end)) {
            message = format!("{begin}{words}");
        }
    }
    for (kind, words) in [("sequence", "a list"), ("map", "an object")] {
        if let Some(rest) = message.strip_prefix("invalid type: ").and_then(|rest| rest.strip_prefix(kind)) {
            message = format!("invalid type: {words}{rest}");
        }
    }
    message
}

/// The nearest valid name, where serde says that one is unknown: "unknown field `pth`, expected one of `path`, `limit`".
fn meant_parameter(message: &str) -> Option<&str> {
    let rest =
        message.strip_prefix("unknown field `").or_else(|| message.strip_prefix("unknown variant `"))?;
    let (given, rest) = rest.split_once('`')?;
    hint::nearest(given, rest.split('`').skip(1).step_by(2))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{fitting, in_words, meant_parameter};

    #[test]
    fn what_would_fit_is_told_by_the_schema() {
        let schema = json!({"properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 9, "default": 5},
            "mode": {"enum": ["create", "append"]},
            "edits": {"type": "array", "items": {"type": "object", "properties": {
                "old_text": {"type": "string"}, "near_line": {"type": "integer", "minimum": 0, "default": 0}}}},
        }});
        let schema = schema.as_object().unwrap();
        for (path, message, told) in [
            (".", "missing field `path`", "`path` takes a string"),
            (
                "limit",
                "invalid type: floating point `1e+30`",
                "`limit` takes a whole number from 1 to 9; 5 when it is left out",
            ),
            ("mode", "unknown variant `w`", "`mode` takes one of `create`, `append`"),
            ("edits[0]", "invalid type: null", "`edits[0]` takes an object with `old_text`, `near_line`"),
            (
                "edits",
                "invalid type",
                "`edits` takes a list; each entry is an object with `old_text`, `near_line`",
            ),
            ("edits[0]", "missing field `old_text`", "`old_text` takes a string"),
            (
                "edits[3].near_line",
                "invalid value",
                "`edits[3].near_line` takes a whole number from 0 on; 0 when it is left out",
            ),
            (
                "dry_run",
                "unknown field",
                "the tool's input schema lists the parameters, their types and limits",
            ),
        ] {
            assert_eq!(fitting(schema, path, message), told, "{path} {message}");
        }
    }

    #[test]
    fn types_are_told_in_words() {
        for (said, told) in [
            (
                "invalid value: integer `-1`, expected u32",
                "invalid value: integer `-1`, expected a whole number from 0 on",
            ),
            (
                "invalid type: floating point `2.5`, expected i64",
                "invalid type: floating point `2.5`, expected a whole number",
            ),
            ("invalid type: sequence, expected a string", "invalid type: a list, expected a string"),
            ("missing field `path`", "missing field `path`"),
        ] {
            assert_eq!(in_words(said), told);
        }
    }

    #[test]
    fn an_unknown_parameter_is_answered_with_the_nearest() {
        let message = "unknown field `pth`, expected one of `limit`, `path` at line 1 column 6";
        assert_eq!(meant_parameter(message), Some("path"));
        let message = "unknown variant `SMART`, expected one of `smart`, `sensitive`";
        assert_eq!(meant_parameter(message), Some("smart"));
        assert_eq!(meant_parameter("missing field `path`"), None);
    }
}
