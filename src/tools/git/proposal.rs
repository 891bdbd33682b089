//! What a commit would be: everything about it but the time, found out by reading only.

use gix::{ObjectId, bstr::BString};

use super::{
    commit::Params,
    commit_files::file_changes,
    hooks::{self, Hook},
    libgit2,
    message::cleaned,
    readable, stage,
    staging::Staging,
    status::operation,
};
use crate::{
    policy::FileChange,
    text::counted,
    tools::{Call, Code, ToolError},
    workspace::repository::{Branch, Repository},
};

/// How many commits may stand for each other in a row; git takes as many.
const REPLACED: usize = 5;

/// Everything about a commit but the time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Proposal {
    pub(super) message: String,
    pub(super) author: String,
    pub(super) branch: String,
    /// What a commit moves, by its whole name, and `parent` with it: two branches may name one commit.
    pub(super) reference: BString,
    pub(super) parent: Option<git2::Oid>,
    pub(super) tree: git2::Oid,
    pub(super) files: Vec<FileChange>,
    pub(super) unsigned: bool,
    pub(super) hooks: Vec<Hook>,
}

/// What would be committed now. Objects are written to `opened`, which is a scratch one while planning.
pub(super) fn propose(
    params: &Params,
    call: &Call,
    repository: &Repository,
    opened: &git2::Repository,
) -> Result<(Proposal, Staging), ToolError> {
    let failed = |error: git2::Error| libgit2(repository, &error);
    refuse_operation(repository, opened)?;
    let hooks = hooks::find(repository, call, opened)?;
    let reader = repository.history()?;
    readable::head(call, repository, &reader, opened)?;
    let Branch { reference, .. } = repository.head(opened)?;
    let head = head(opened).map_err(failed)?;
    if params.amend && head.commit.is_none() {
        return Err(ToolError::new(
            Code::BadRevision,
            "there is no commit to amend yet",
            "commit without `amend`",
        ));
    }
    let last = head.commit.as_ref().map(|commit| read_as(opened, commit));
    let (tree, staging) = tree(params, call, repository, opened, last.as_ref())?;
    let base = match (&last, params.amend) {
        (Some(commit), true) => commit.parent(0).ok().map(|parent| read_as(opened, &parent)),
        (commit, _) => commit.clone(),
    };
    readable::tree(call, repository, &reader, opened, ObjectId::from_bytes_or_panic(tree.as_bytes()))?;
    let (files, hidden) = file_changes(call, (repository, &reader, opened), base.as_ref(), tree)?;
    if hidden > 0 {
        return Err(ToolError::new(
            Code::BlockedPath,
            format!("{} of the commit blocked by the configuration", counted(hidden, "path")),
            "what cannot be shown is not committed; the user can commit it with git itself, or name other `paths`",
        ));
    }
    let same_tree = last.as_ref().map(git2::Commit::tree_id) == Some(tree);
    if !params.amend && (same_tree || (head.commit.is_none() && files.is_empty())) {
        return Err(ToolError::new(
            Code::NothingToCommit,
            staging
                .warnings()
                .into_iter()
                .fold("nothing is staged".to_owned(), |text, left| format!("{text}; {left}")),
            "stage changes with git_add, or name `paths`; git_status shows what changed",
        ));
    }
    let is_merge = last.as_ref().is_some_and(|last| last.parent_count() > 1);
    if params.amend && !is_merge && files.is_empty() {
        return Err(ToolError::new(
            Code::NothingToCommit,
            "the amended commit would change nothing of the one before it",
            "the user can remove it with `git reset HEAD~`",
        ));
    }
    let message = cleaned(repository, opened, &params.message)?;
    if message.trim().is_empty() {
        return Err(ToolError::new(
            Code::InvalidArgs,
            "git_commit: nothing is left of the message without its comments (`commit.cleanup`)",
            "begin a line with something else than a `#`",
        ));
    }
    let author = author(repository, opened, params.amend.then_some(last.as_ref()).flatten())?;
    let unsigned = opened.config().and_then(|config| config.get_bool("commit.gpgsign")).unwrap_or(false);
    let parent = head.commit.as_ref().map(git2::Commit::id);
    let branch = head.branch;
    Ok((Proposal { message, author, branch, reference, parent, tree, files, unsigned, hooks }, staging))
}

/// What stands where people read the name of a branch and HEAD is on none.
pub(super) const DETACHED: &str = "HEAD (detached)";

/// Where HEAD is.
pub(super) struct Head<'a> {
    pub(super) branch: String,
    pub(super) commit: Option<git2::Commit<'a>>,
}

pub(super) fn head(opened: &git2::Repository) -> Result<Head<'_>, git2::Error> {
    match opened.head() {
        Ok(reference) => {
            let branch = if reference.is_branch() {
                String::from_utf8_lossy(reference.shorthand_bytes()).into_owned()
            } else {
                DETACHED.to_owned()
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

/// The commit that git reads where it is asked for this one: another may stand for it (`git replace`), which libgit2 does not know.
pub(super) fn read_as<'a>(opened: &'a git2::Repository, commit: &git2::Commit<'a>) -> git2::Commit<'a> {
    let is_off = |config: git2::Config| matches!(config.get_bool("core.useReplaceRefs"), Ok(false));
    let mut found = commit.clone();
    if opened.config().is_ok_and(is_off) {
        return found;
    }
    for _ in 0..REPLACED {
        let other = opened.refname_to_id(&format!("refs/replace/{}", found.id()));
        let Ok(other) = other.and_then(|other| opened.find_commit(other)) else { break };
        found = other;
    }
    found
}

fn refuse_operation(repository: &Repository, opened: &git2::Repository) -> Result<(), ToolError> {
    let conflicts = opened.index().map_err(|error| libgit2(repository, &error))?.has_conflicts();
    let state = opened.state();
    // A bisection goes on from wherever HEAD is.
    let is_free = matches!(state, git2::RepositoryState::Clean | git2::RepositoryState::Bisect);
    if is_free && !conflicts {
        return Ok(());
    }
    let what = if is_free { "unmerged paths" } else { operation(state) };
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

/// The tree of the commit, and what `paths` change in the index.
fn tree(
    params: &Params,
    call: &Call,
    repository: &Repository,
    opened: &git2::Repository,
    head: Option<&git2::Commit<'_>>,
) -> Result<(git2::Oid, Staging), ToolError> {
    let failed = |error: git2::Error| libgit2(repository, &error);
    if params.paths.is_empty() {
        let mut index = opened.index().map_err(failed)?;
        // What is only announced (`git add -N`) is no part of a commit.
        if index.iter().any(|entry| stage::is_announced(&entry)) {
            let mut staged = git2::Index::new().map_err(failed)?;
            for entry in index.iter().filter(|entry| !stage::is_announced(entry)) {
                staged.add(&entry).map_err(failed)?;
            }
            return Ok((staged.write_tree_to(opened).map_err(failed)?, Staging::default()));
        }
        return Ok((index.write_tree().map_err(failed)?, Staging::default()));
    }
    let (_, paths) = stage::find(call, &params.paths)?;
    let staging = stage::collect(call, repository, &paths, true)?;
    let mut index = git2::Index::new().map_err(failed)?;
    if let Some(head) = head {
        index.read_tree(&head.tree().map_err(failed)?).map_err(failed)?;
    }
    stage::apply(call, repository, opened, &mut index, &staging.items)?;
    Ok((index.write_tree_to(opened).map_err(failed)?, staging))
}

/// `Name <mail>`; an amended commit keeps its own.
fn author(
    repository: &Repository,
    opened: &git2::Repository,
    amended: Option<&git2::Commit<'_>>,
) -> Result<String, ToolError> {
    let missing = |_| {
        ToolError::new(
            Code::InvalidArgs,
            "git has no name and mail address for the author",
            "the user can set them with `git config --global user.name` and `user.email`",
        )
    };
    repository.signature(opened, "committer").map_err(missing)?;
    let signature = repository.signature(opened, "author").map_err(missing)?;
    let amended = amended.map(author_of).transpose().map_err(missing)?;
    let signature = amended.unwrap_or(signature);
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(format!("{} <{}>", lossy(signature.name_bytes()), lossy(signature.email_bytes())))
}

/// The author of a commit, in UTF-8 whatever the commit is written in.
pub(super) fn author_of(commit: &git2::Commit<'_>) -> Result<git2::Signature<'static>, git2::Error> {
    let author = commit.author();
    let encoding = commit.message_encoding().ok().flatten();
    let encoding = encoding.and_then(|name| encoding_rs::Encoding::for_label(name.as_bytes()));
    let Some(encoding) = encoding else { return Ok(author.to_owned()) };
    let text = |bytes: &[u8]| encoding.decode_without_bom_handling(bytes).0.into_owned();
    git2::Signature::new(&text(author.name_bytes()), &text(author.email_bytes()), &author.when())
}
