//! Git in process: gix reads, libgit2 writes, and nothing a repository configures ever runs.
//!
//! Every tool works on the repository that contains its path and lies wholly inside the workspace
//! ([`Repository`]). Paths are relative to the workspace, also when the
//! repository is a folder in it. Blocked paths are never shown or staged, only counted.

mod add;
mod apart;
mod attributes;
mod became_links;
mod between;
mod blame;
mod blame_lines;
mod blame_walk;
mod branches;
mod changed;
mod changes;
mod checkout;
mod closed;
mod commit;
mod commit_evidence;
mod commit_facts;
mod commit_files;
mod compare;
mod confined;
mod date;
mod diff;
mod dirwalk;
mod encoded;
mod file_at;
mod file_facts;
mod follows;
mod go_on;
mod headings;
mod history;
mod hooks;
mod ident;
mod index_state;
mod left_alone;
mod limited;
mod log;
mod log_patch;
mod lookup;
mod mailmap;
mod mended;
mod message;
mod message_search;
mod move_evidence;
mod own_encoding;
mod pairs;
mod past_path;
mod patch;
mod pickaxe;
mod proposal;
mod racily_clean;
mod readable;
mod refspecs;
mod remote;
mod renames;
mod restore;
mod revision;
mod rule_files;
mod show;
mod side;
mod similarity;
mod single_byte;
mod stage;
mod stage_evidence;
mod staging;
mod status;
mod submodules;
mod survey;
mod switch;
mod sync;
mod sync_plan;
mod sync_run;
mod tree_move;
mod untracked;
mod upstream;
mod utf16;

pub use add::GitAdd;
pub use blame::GitBlame;
pub use commit::GitCommit;
pub use confined::on_one_thread;
pub(super) use confined::{Step, confined};
pub use diff::GitDiff;
pub use log::GitLog;
pub use restore::GitRestore;
pub use show::GitShow;
pub use status::GitStatus;
pub use switch::GitSwitch;
pub use sync::GitSync;

use gix::bstr::BStr;

use crate::{
    policy::PathClass,
    relpath::RelPath,
    shell_words::quoted,
    text::visible,
    tools::{Call, Code, ToolError},
    workspace::{
        DoorError,
        repository::{Repository, RepositoryError},
        walk::{WalkKind, stat_walked},
    },
};

/// Entries of the root that are looked at for repositories, and how many are named.
const FOLDERS_LOOKED_AT: usize = 2000;
const CANDIDATES: usize = 10;

impl From<RepositoryError> for ToolError {
    fn from(error: RepositoryError) -> Self {
        let message = error.to_string();
        match error {
            RepositoryError::None { .. } => Self::new(
                Code::NotARepo,
                message,
                "name a path inside a repository (`path`; `paths` in git_diff, git_add and git_restore); repositories above the \
                 workspace's root are not used",
            ),
            RepositoryError::Outside { .. } => Self::new(
                Code::OutsideWorkspace,
                message,
                "everything of a repository has to lie inside the workspace; the user can work on it with git itself",
            ),
            RepositoryError::OfReadOnly { .. } => Self::new(
                Code::ProtectedPath,
                message,
                "the administrator can set `read_only = false` for that workspace in the configuration",
            ),
            RepositoryError::Linked { .. } => Self::new(
                Code::UnsupportedHere,
                message,
                "where the repository that it belongs to is in the same workspace, git_status, git_diff, git_log, git_show and \
                 git_blame read it; the rest the user can do with git itself",
            ),
            RepositoryError::Unsupported { .. } => {
                Self::new(Code::UnsupportedHere, message, "the user can do this with git itself")
            }
            RepositoryError::DiskFull { .. } => {
                Self::new(Code::DiskFull, message, "free some space first, then call it again")
            }
            RepositoryError::Denied { .. } => Self::new(
                Code::PermissionDenied,
                message,
                "the user can change who may read and write there; nothing else helps",
            ),
            RepositoryError::Foreign { place, .. } => Self::new(
                Code::PermissionDenied,
                message,
                format!(
                    "a user who trusts all of it can allow it with `git config --global --add safe.directory {}`; then call again",
                    quoted(&visible(&place))
                ),
            ),
            RepositoryError::TooLarge { .. } => Self::new(
                Code::TooLarge,
                message,
                "ask for other commits or files, by `rev` or `path`; git itself, run by the user, may read it",
            ),
            RepositoryError::Locked { lock, .. } => locked(message, &lock),
            RepositoryError::Moved { .. } => Self::new(
                Code::Stale,
                format!("{message}; nothing was done"),
                "look with git_status, then call again",
            ),
            RepositoryError::Replaced { .. } => {
                let error = Self::new(Code::Stale, message, "call again when what moves it is done");
                Self { retryable: true, ..error }
            }
            // What stands there is not what git means by a repository; it is no fault of this host.
            RepositoryError::Broken { .. } => {
                Self::new(Code::NotARepo, message, "`git fsck`, run by the user, may tell more")
            }
            RepositoryError::NotPermitted { .. } => Self::internal(message),
        }
    }
}

/// A failure of libgit2, in words.
fn libgit2(repository: &Repository, error: &git2::Error) -> ToolError {
    if error.code() == git2::ErrorCode::Locked {
        let path = repository.folder().to_string();
        return RepositoryError::Locked { path, lock: "index.lock".to_owned() }.into();
    }
    repository.broken(error).into()
}

fn locked(message: String, lock: &str) -> ToolError {
    let hint = format!("try again; if no git runs, the user can remove `.git/{}`", visible(lock));
    ToolError::new(Code::Busy, message, hint)
}

/// A path of the repository as one of the workspace; `None` when the law blocks it, or no tree should hold it.
fn shown(repository: &Repository, call: &Call, path: &BStr) -> Option<RelPath> {
    let path = repository.in_workspace(path)?;
    (call.workspace.rules().classify(&path.to_slashed()) != PathClass::Blocked).then_some(path)
}

/// A path as a caller names it; it may be missing. A link of a repository is meant itself, as by git; any other is followed.
fn named(call: &Call, input: &str) -> Result<RelPath, ToolError> {
    let workspace = &call.workspace;
    let input = if input.is_empty() { "." } else { input };
    if let Some(plain) = past_path::plain(call, input)
        && matches!(stat_walked(workspace.handle(), &plain), Ok(Some(WalkKind::Link)))
    {
        refuse_closed(call, &plain)?;
        let holding = Repository::containing(&call.workspace, &plain);
        if !matches!(holding, Err(RepositoryError::None { .. })) {
            return Ok(plain);
        }
    }
    let path = match workspace.resolve(input) {
        // A file may stand where git knows a folder.
        Err(DoorError::WrongType { .. }) if let Some(plain) = below_file(call, input) => plain,
        found => found?.resolved().clone(),
    };
    refuse_closed(call, &path)?;
    Ok(path)
}

/// The plain path, where a file of the workspace stands in the place of one of its folders.
fn below_file(call: &Call, input: &str) -> Option<RelPath> {
    let plain = past_path::plain(call, input)?;
    let mut above = plain.as_path().ancestors().skip(1).filter_map(RelPath::from_plain);
    let is_file =
        |here: RelPath| matches!(stat_walked(call.workspace.handle(), &here), Ok(Some(WalkKind::File)));
    above.any(is_file).then_some(plain)
}

/// One of a list of paths, where nothing is no path: everything is `.`.
fn listed(call: &Call, input: &str) -> Result<RelPath, ToolError> {
    if input.is_empty() {
        return Ok(call.workspace.resolve(input)?.resolved().clone());
    }
    named(call, input)
}

/// The repository that holds `path`. Where there is none, the folders of the root that are one are named.
fn at(call: &Call, path: &str) -> Result<Repository, ToolError> {
    match Repository::containing(&call.workspace, &named(call, path)?) {
        Err(error @ RepositoryError::None { .. }) => {
            let near = Repository::folders_at_root(&call.workspace, FOLDERS_LOOKED_AT);
            let near = near.into_iter().filter(|folder| refuse_closed(call, folder).is_ok());
            let near = near.take(CANDIDATES).map(|folder| folder.to_text()).collect();
            Err(ToolError::from(error).with_candidates(near))
        }
        found => Ok(found?),
    }
}

/// `.`, what a tool takes for the path in a repository where none is given.
fn root() -> String {
    ".".to_owned()
}

/// What a plan says where the repository is not the workspace's own.
fn in_folder(repository: &Repository) -> String {
    if repository.folder().is_root() {
        String::new()
    } else {
        format!(", repository `{}`", repository.folder())
    }
}

/// Blocked paths and `.git` itself are not for git tools.
fn refuse_closed(call: &Call, path: &RelPath) -> Result<(), ToolError> {
    let shown = path.to_string();
    let (rules, slashed) = (call.workspace.rules(), path.to_slashed());
    match rules.why(&slashed) {
        Some((PathClass::Blocked, glob)) => {
            let by = rules.blocker(&slashed);
            Err(DoorError::Blocked { path: shown, glob: glob.to_owned(), by }.into())
        }
        Some((PathClass::Forbidden, _))
            if path.as_path().components().any(|name| name.as_os_str() == ".git") =>
        {
            Err(ToolError::new(
                Code::ProtectedPath,
                format!("`{shown}` is git's own, and no path of a work tree"),
                "name a path of the work tree, or the repository's folder",
            ))
        }
        _ => Ok(()),
    }
}

/// `path` is `folder` or lies in it; the empty folder holds everything.
fn lies_in(path: &[u8], folder: &[u8]) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}
