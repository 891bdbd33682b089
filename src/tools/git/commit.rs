//! `git_commit`: records what is staged, exactly as the plan showed it.
//!
//! The tree that was shown is the tree that is committed: its id is part of the plan, and is compared again before the commit is
//! made. No hook, filter or signing program runs; a repository whose hooks would run is refused.

use gix::bstr::ByteSlice;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    add::{changed_meanwhile, writable},
    libgit2, plural, shown, stage,
    status::operation,
};
use crate::{
    config::Profile,
    ids::Etag,
    policy::{ChangeOp, Effect, FileChange, Intent, Permit, Preview, Raise},
    relpath::RelPath,
    tier::Tier,
    tools::{Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec, diff},
    workspace::repository::Repository,
};

/// Hooks that git would run around a commit.
const HOOKS: &[&str] = &["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"];
/// Branches that others build on: a commit there is asked for by itself.
const PROTECTED_BRANCHES: &[&str] = &["main", "master", "trunk", "production", "release"];
/// The longest message.
const MESSAGE_BYTES: usize = 64 * 1024;
/// Larger contents are shown by size and hash only.
const SHOWN_BYTES: usize = 1024 * 1024;

/// `git_commit`.
#[derive(Clone, Copy, Debug)]
pub struct GitCommit;

/// What to commit.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// The whole message; its first line is the subject.
    pub message: String,
    /// Commit the work tree's state of only these tracked paths, whatever else is staged; empty: what is staged.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Replace the last commit.
    #[serde(default)]
    pub amend: bool,
}

/// The commit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Facts {
    /// Its id.
    pub id: String,
    /// The beginning of it.
    pub short: String,
    /// The branch it is on; empty when HEAD is detached.
    pub branch: String,
    /// The paths it changes.
    pub files: Vec<String>,
    /// Hooks that ran: none in this version.
    pub hooks_run: Vec<String>,
    /// Signing is configured and was not done.
    pub unsigned: bool,
}

/// A commit that was planned.
#[derive(Debug)]
pub struct Work {
    params: Params,
    repository: Repository,
    proposal: Proposal,
}

/// Everything about a commit but the time.
#[derive(Clone, Debug, PartialEq)]
struct Proposal {
    message: String,
    author: String,
    branch: String,
    parent: Option<git2::Oid>,
    tree: git2::Oid,
    files: Vec<FileChange>,
    unsigned: bool,
}

impl Tool for GitCommit {
    type Params = Params;
    type Output = Facts;
    type Work = Work;

    const SPEC: ToolSpec = ToolSpec {
        name: "git_commit",
        title: "Commit",
        description: "Commits what is staged (git_add), or with `paths` only those. The user sees the whole diff first. Author from \
                      the git configuration. Repositories with commit hooks are not supported; commits are not signed.",
        profile: Profile::Core,
        tier: Tier::Batch,
        annotations: Annotations {
            read_only: false,
            destructive: false,
            idempotent: false,
            open_world: false,
        },
    };

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        writable(call)?;
        let repository = find(&params, call)?;
        let opened = repository.scratch()?;
        let (proposal, _) = propose(&params, call, &repository, &opened)?;
        let intent = Intent {
            effect: Effect::Write,
            raises: raises(&params, &proposal),
            tier: None,
            changes: Vec::new(),
            summary: format!(
                "{} {} {} {}",
                if params.amend { "Amend the last commit with" } else { "Commit" },
                plural(proposal.files.len(), "file"),
                if params.amend { "on" } else { "to" },
                proposal.branch,
            ),
            preview: Some(Preview::Commit {
                message: proposal.message.clone(),
                author: proposal.author.clone(),
                branch: proposal.branch.clone(),
                amend: params.amend,
                files: proposal.files.clone(),
                hooks: Vec::new(),
                unsigned: proposal.unsigned,
                tree: proposal.tree.to_string(),
                parent: proposal.parent.map(|parent| parent.to_string()),
            }),
        };
        Ok(Prepared { intent, work: Work { params, repository, proposal } })
    }

    fn run(&self, permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        let Work { params, repository, proposal } = work;
        let failed = |error: git2::Error| libgit2(&repository, &error);
        let opened = repository.writer(permit)?;
        let (now, items) = propose(&params, call, &repository, &opened)?;
        if now != proposal {
            return Err(changed_meanwhile());
        }
        call.check_cancelled()?;
        if !items.is_empty() {
            let mut index = opened.index().map_err(failed)?;
            stage::apply(&repository, &opened, &mut index, &items)?;
            index.write().map_err(failed)?;
        }
        let id = commit(&opened, &params, &proposal).map_err(failed)?;
        let short = id.to_string()[..10].to_owned();
        let subject = proposal.message.lines().next().unwrap_or_default();
        let files: Vec<String> = proposal.files.iter().map(|file| file.path.clone()).collect();
        let mut text = format!("[{} {short}] {subject} ({})", proposal.branch, plural(files.len(), "file"));
        if proposal.unsigned {
            text.push_str("; not signed, although signing is configured");
        }
        let facts = Facts {
            id: id.to_string(),
            short,
            branch: proposal.branch,
            files,
            hooks_run: Vec::new(),
            unsigned: proposal.unsigned,
        };
        Ok(Reply::new(text, facts))
    }
}

fn find(params: &Params, call: &Call) -> Result<Repository, ToolError> {
    if params.message.trim().is_empty()
        || params.message.len() > MESSAGE_BYTES
        || params.message.contains('\0')
    {
        return Err(ToolError::new(
            Code::InvalidArgs,
            "git_commit: the message is empty, longer than 64 KiB, or holds a NUL",
            "say in one line what changed and why",
        ));
    }
    let repository = if params.paths.is_empty() {
        Repository::containing(&call.workspace, &RelPath::root())?
    } else {
        stage::find(call, &params.paths)?.0
    };
    // Words what is not supported better than libgit2 would.
    repository.reader()?;
    Ok(repository)
}

fn raises(params: &Params, proposal: &Proposal) -> Vec<Raise> {
    let mut raises = Vec::new();
    if params.amend {
        raises.push(Raise { tier: Tier::Individual, reason: "it replaces the last commit".to_owned() });
    }
    let first = proposal.branch.split('/').next().unwrap_or_default();
    if PROTECTED_BRANCHES.contains(&first) {
        raises.push(Raise {
            tier: Tier::Individual,
            reason: format!("`{}` is a branch that others build on", proposal.branch),
        });
    }
    raises
}

/// What would be committed now. Objects are written to `opened`, which is a scratch one while planning.
fn propose(
    params: &Params,
    call: &Call,
    repository: &Repository,
    opened: &git2::Repository,
) -> Result<(Proposal, Vec<stage::Item>), ToolError> {
    let failed = |error: git2::Error| libgit2(repository, &error);
    refuse_operation(repository, opened)?;
    refuse_hooks(repository, call, opened)?;
    let head = head(opened).map_err(failed)?;
    if params.amend && head.commit.is_none() {
        return Err(ToolError::new(
            Code::BadRevision,
            "there is no commit to amend yet",
            "commit without `amend`",
        ));
    }
    let (tree, items) = tree(params, call, repository, opened, head.commit.as_ref())?;
    let base = match (&head.commit, params.amend) {
        (Some(commit), true) => commit.parent(0).ok(),
        (commit, _) => commit.clone(),
    };
    let (files, hidden) = file_changes(call, repository, opened, base.as_ref(), tree)?;
    if hidden > 0 {
        return Err(ToolError::new(
            Code::BlockedPath,
            format!("{} of the commit blocked by the configuration", plural(hidden, "path")),
            "what cannot be shown is not committed; the user can commit it with git itself, or name other `paths`",
        ));
    }
    let same_tree = head.commit.as_ref().map(git2::Commit::tree_id) == Some(tree);
    if !params.amend && (same_tree || (head.commit.is_none() && files.is_empty())) {
        return Err(ToolError::new(
            Code::NothingToCommit,
            "nothing is staged",
            "stage changes with git_add, or name `paths`; git_status shows what changed",
        ));
    }
    let message = git2::message_prettify(params.message.as_str(), None).map_err(failed)?;
    let message = String::from_utf8_lossy(message.as_bytes()).into_owned();
    let author = author(opened, params.amend.then_some(head.commit.as_ref()).flatten())?;
    let unsigned = opened.config().and_then(|config| config.get_bool("commit.gpgsign")).unwrap_or(false);
    let parent = head.commit.as_ref().map(git2::Commit::id);
    Ok((Proposal { message, author, branch: head.branch, parent, tree, files, unsigned }, items))
}

struct Head<'a> {
    branch: String,
    commit: Option<git2::Commit<'a>>,
}

fn head(opened: &git2::Repository) -> Result<Head<'_>, git2::Error> {
    match opened.head() {
        Ok(reference) => {
            let branch = if reference.is_branch() {
                String::from_utf8_lossy(reference.shorthand_bytes()).into_owned()
            } else {
                "HEAD (detached)".to_owned()
            };
            Ok(Head { branch, commit: Some(reference.peel_to_commit()?) })
        }
        Err(error) if error.code() == git2::ErrorCode::UnbornBranch => {
            let reference = opened.find_reference("HEAD")?;
            let target = reference.symbolic_target_bytes().unwrap_or_default();
            let name = target.strip_prefix(b"refs/heads/").unwrap_or(target);
            Ok(Head { branch: String::from_utf8_lossy(name).into_owned(), commit: None })
        }
        Err(error) => Err(error),
    }
}

fn refuse_operation(repository: &Repository, opened: &git2::Repository) -> Result<(), ToolError> {
    let conflicts = opened.index().map_err(|error| libgit2(repository, &error))?.has_conflicts();
    let state = opened.state();
    if state == git2::RepositoryState::Clean && !conflicts {
        return Ok(());
    }
    let what = if state == git2::RepositoryState::Clean { "unmerged paths" } else { operation(state) };
    Err(ToolError::new(
        Code::MergeInProgress,
        format!(
            "the repository at `{}` is in the middle of something: {}",
            repository.folder(),
            what.replace('_', "-")
        ),
        "the user has to finish or abort it with git itself",
    ))
}

/// A hook that git would run must not be passed over silently.
fn refuse_hooks(repository: &Repository, call: &Call, opened: &git2::Repository) -> Result<(), ToolError> {
    let refused = |what: String| {
        Err(ToolError::new(
            Code::UnsupportedHere,
            format!("the repository at `{}` has {what}, which would run on a commit", repository.folder()),
            "the user can commit with git itself; staging works",
        ))
    };
    let config = opened.config().map_err(|error| libgit2(repository, &error))?;
    if config.get_entry("core.hooksPath").is_ok() {
        return refused("hooks elsewhere (`core.hooksPath`)".to_owned());
    }
    for hook in HOOKS {
        let path = repository.folder().join(".git").join("hooks").join(hook);
        // A link counts as a hook, wherever it leads.
        if let Ok(metadata) = call.workspace.handle().symlink_metadata(path.as_path())
            && is_active(&metadata)
        {
            return refused(format!("an active hook (`{hook}`)"));
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_active(metadata: &cap_std::fs::Metadata) -> bool {
    use cap_std::fs::PermissionsExt as _;
    metadata.is_symlink() || (metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_active(metadata: &cap_std::fs::Metadata) -> bool {
    !metadata.is_dir()
}

/// The tree of the commit, and what `paths` change in the index.
fn tree(
    params: &Params,
    call: &Call,
    repository: &Repository,
    opened: &git2::Repository,
    head: Option<&git2::Commit<'_>>,
) -> Result<(git2::Oid, Vec<stage::Item>), ToolError> {
    let failed = |error: git2::Error| libgit2(repository, &error);
    if params.paths.is_empty() {
        let mut index = opened.index().map_err(failed)?;
        return Ok((index.write_tree().map_err(failed)?, Vec::new()));
    }
    let (_, paths) = stage::find(call, &params.paths)?;
    let staging = stage::collect(call, repository, &paths, true)?;
    let mut index = git2::Index::new().map_err(failed)?;
    if let Some(head) = head {
        index.read_tree(&head.tree().map_err(failed)?).map_err(failed)?;
    }
    stage::apply(repository, opened, &mut index, &staging.items)?;
    Ok((index.write_tree_to(opened).map_err(failed)?, staging.items))
}

/// What the commit changes, and how many of its paths are blocked.
fn file_changes(
    call: &Call,
    repository: &Repository,
    opened: &git2::Repository,
    base: Option<&git2::Commit<'_>>,
    tree: git2::Oid,
) -> Result<(Vec<FileChange>, usize), ToolError> {
    let failed = |error: git2::Error| libgit2(repository, &error);
    let old = base.map(git2::Commit::tree).transpose().map_err(failed)?;
    let new = opened.find_tree(tree).map_err(failed)?;
    let mut options = git2::DiffOptions::new();
    options.include_typechange(true);
    let found = opened.diff_tree_to_tree(old.as_ref(), Some(&new), Some(&mut options)).map_err(failed)?;
    let (mut files, mut hidden, mut next_hunk) = (Vec::new(), 0, 1);
    for delta in found.deltas() {
        let path =
            delta.new_file().path_bytes().or_else(|| delta.old_file().path_bytes()).unwrap_or_default();
        let Some(path) = shown(repository, call, path.as_bstr()) else {
            hidden += 1;
            continue;
        };
        files.push(file_change(repository, opened, &path, &delta, &mut next_hunk)?);
    }
    Ok((files, hidden))
}

fn file_change(
    repository: &Repository,
    opened: &git2::Repository,
    path: &RelPath,
    delta: &git2::DiffDelta<'_>,
    next_hunk: &mut u32,
) -> Result<FileChange, ToolError> {
    let failed = |error: git2::Error| libgit2(repository, &error);
    let content = |file: git2::DiffFile<'_>| {
        if file.id().is_zero() {
            return Ok(None);
        }
        if file.mode() == git2::FileMode::Commit {
            return Ok(Some(format!("Subproject commit {}\n", file.id()).into_bytes()));
        }
        opened.find_blob(file.id()).map(|blob| Some(blob.content().to_vec()))
    };
    let before = content(delta.old_file()).map_err(failed)?;
    let after = content(delta.new_file()).map_err(failed)?;
    let text = |bytes: &Option<Vec<u8>>| match bytes {
        None => Some(String::new()),
        Some(bytes) if bytes.len() > SHOWN_BYTES || bytes[..bytes.len().min(8000)].contains(&0) => None,
        Some(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    };
    let hunks = match (text(&before), text(&after)) {
        (Some(before), Some(after)) => diff::hunks(&before, &after, next_hunk),
        _ => Vec::new(),
    };
    let (added, removed) = diff::counts(&hunks);
    let size = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
    Ok(FileChange {
        path: path.to_string(),
        op: match (&before, &after) {
            (None, _) => ChangeOp::Create,
            (_, None) => ChangeOp::Delete,
            _ => ChangeOp::Edit,
        },
        before_etag: before.as_deref().map(Etag::of),
        after_etag: after.as_deref().map(Etag::of),
        before_bytes: size(&before),
        after_bytes: size(&after),
        executable: delta.new_file().mode() == git2::FileMode::BlobExecutable
            && delta.old_file().mode() != git2::FileMode::BlobExecutable,
        undoable: false,
        added,
        removed,
        hunks,
    })
}

/// `Name <mail>`; an amended commit keeps its own.
fn author(opened: &git2::Repository, amended: Option<&git2::Commit<'_>>) -> Result<String, ToolError> {
    let missing = |_| {
        ToolError::new(
            Code::InvalidArgs,
            "git has no name and mail address for the author",
            "the user can set them with `git config --global user.name` and `user.email`",
        )
    };
    let signature = opened.signature().map_err(missing)?;
    let signature = amended.map_or(signature, |commit| commit.author().to_owned());
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(format!("{} <{}>", lossy(signature.name_bytes()), lossy(signature.email_bytes())))
}

/// Makes the commit and moves the branch; fails when the branch has moved meanwhile.
fn commit(opened: &git2::Repository, params: &Params, proposal: &Proposal) -> Result<git2::Oid, git2::Error> {
    let tree = opened.find_tree(proposal.tree)?;
    let signature = opened.signature()?;
    let message = proposal.message.as_str();
    let parent = proposal.parent.map(|id| opened.find_commit(id)).transpose()?;
    if params.amend {
        let Some(last) = parent else { return Err(git2::Error::from_str("there is no commit to amend")) };
        return last.amend(Some("HEAD"), None, Some(&signature), None, Some(message), Some(&tree));
    }
    let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
    opened.commit(Some("HEAD"), &signature, &signature, message, &tree, &parents)
}
