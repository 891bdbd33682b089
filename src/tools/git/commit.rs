//! `git_commit`: records what is staged, exactly as the plan showed it.
//!
//! The tree that was shown is the tree that is committed: its id is part of the plan, and is compared again before the commit is
//! made, after the hooks too. Hooks run only as the plan names them, each with its hash; no filter or signing program runs.

use gix::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    add::{changed_meanwhile, writable},
    commit_evidence::Evidence,
    history::Step,
    hooks::{self, Runner},
    index_state::fingerprint,
    libgit2,
    log::changed_in,
    message::cleaned,
    proposal::{DETACHED, Proposal, author_of, propose, read_as},
    racily_clean, stage,
    sync_plan::object,
};
use crate::{
    config::Profile,
    policy::{Effect, Intent, Permit, Preview, Raise},
    text::counted,
    tier::Tier,
    tools::{Annotations, Call, Code, Happened, Prepared, Reply, Tool, ToolError, ToolSpec},
    workspace::repository::{Branch, MESSAGE_FILE, Repository},
};

/// Branches that others build on: a commit there is asked for by itself.
const PROTECTED_BRANCHES: &[&str] = &["main", "master", "trunk", "production", "release"];
/// What git has locked while it commits.
const INDEX: &[u8] = b"index";
/// The longest message.
const MESSAGE_BYTES: usize = 64 * 1024;

/// `git_commit`.
#[derive(Clone, Copy, Debug)]
pub struct GitCommit;

/// What to commit.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// First line: the subject.
    pub message: String,
    /// Only these tracked paths, as in the work tree; empty: what is staged.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Replace the last commit.
    #[serde(default)]
    pub amend: bool,
    /// A path in the repository.
    #[serde(default = "super::root")]
    pub path: String,
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
    /// Hooks that ran, of `pre-commit`, `prepare-commit-msg`, `commit-msg` and `post-commit`.
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

impl Tool for GitCommit {
    type Params = Params;
    type Output = Facts;
    type Work = Work;

    const SPEC: ToolSpec = ToolSpec {
        name: "git_commit",
        title: "Commit",
        description: "Commits what is staged (git_add), or with `paths` only those. The user sees the whole diff and \
            the hooks first.",
        profile: Profile::Core,
        tier: Tier::Batch,
        annotations: Annotations {
            read_only: false,
            destructive: false,
            idempotent: false,
            open_world: false,
        },
    };

    const OPENS_BY_NAME: bool = true;

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        writable(call)?;
        let repository = find(&params, call)?;
        let opened = repository.scratch()?;
        let (proposal, _) = propose(&params, call, &repository, &opened)?;
        let mut raises = raises(&params, &proposal);
        raises.extend(hooks::raises(&repository, call, &proposal.hooks)?);
        let intent = Intent {
            effect: if proposal.hooks.is_empty() { Effect::Write } else { Effect::WriteAndExecute },
            raises,
            tier: None,
            changes: Vec::new(),
            summary: format!(
                "{} {} {} {}{}",
                if params.amend { "Amend the last commit with" } else { "Commit" },
                counted(proposal.files.len(), "file"),
                if params.amend { "on" } else { "to" },
                proposal.branch,
                super::in_folder(&repository),
            ),
            preview: Some(Preview::Commit {
                message: proposal.message.clone(),
                author: proposal.author.clone(),
                branch: proposal.branch.clone(),
                amend: params.amend,
                files: proposal.files.clone(),
                hooks: proposal.hooks.iter().map(hooks::Hook::shown).collect(),
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
        let (now, staging) = propose(&params, call, &repository, &opened)?;
        if now != proposal {
            return Err(changed_meanwhile());
        }
        call.check_cancelled()?;
        let mut warnings = staging.warnings();
        let mut runner = Runner {
            call,
            permit,
            repository: &repository,
            hooks: &proposal.hooks,
            index: ".git/index".to_owned(),
            ran: Vec::new(),
        };
        let message = before(&mut runner, &opened, &params, &proposal)?;
        if message != proposal.message {
            warnings.push(format!("a hook changed the message; it is now:\n{}", message.trim_end()));
        }
        let id = commit(&repository, &opened, &params, &proposal, &message).map_err(failed)?;
        record((call, permit), (&repository, &opened), &staging.items, (id, &proposal), params.amend)?;
        repository.forget_prepared(permit);
        // As for git: the commit stands, whatever this hook says.
        if let Err(error) = runner.run("post-commit", &[]) {
            warnings.push(error.message.replace("nothing was committed", "the commit stands"));
        }
        let count = files_changed(call, &repository, id).unwrap_or(proposal.files.len());
        let facts = Facts {
            id: id.to_string(),
            short: short(id),
            branch: branch_fact(proposal.branch),
            files: proposal.files.iter().map(|file| file.path.clone()).collect(),
            hooks_run: runner.ran,
            unsigned: proposal.unsigned,
        };
        let mut reply = reply(&message, count, facts);
        reply.warnings = warnings;
        Ok(reply)
    }

    fn evidence(&self, work: &Work) -> Option<Value> {
        // A hook may have done anything; that one was running is all that can be said.
        let plain = work.proposal.hooks.is_empty();
        plain.then(|| Evidence::of(&work.repository, &work.proposal, work.params.amend).to_value()).flatten()
    }

    fn happened(&self, evidence: Value, call: &Call) -> Result<Happened<Facts>, ToolError> {
        Evidence::from_value(evidence)?.happened(call)
    }
}

/// Where HEAD leads: to the branch that was shown, and that to the commit that was shown.
fn still_there(
    repository: &Repository,
    opened: &git2::Repository,
    proposal: &Proposal,
) -> Result<Branch, ToolError> {
    let head = repository.head(opened)?;
    if head.id == proposal.parent && head.reference == proposal.reference {
        return Ok(head);
    }
    Err(changed_meanwhile())
}

/// The branch goes to the commit, and `items` are staged with it: both or neither.
fn record(
    (call, permit): (&Call, &Permit),
    (repository, opened): (&Repository, &git2::Repository),
    items: &[stage::Item],
    (id, proposal): (git2::Oid, &Proposal),
    amend: bool,
) -> Result<(), ToolError> {
    let failed = |error: git2::Error| libgit2(repository, &error);
    let head = still_there(repository, opened, proposal)?;
    // As for git, the index also where nothing is staged with it: whoever has its lock may be about to commit what it holds.
    let mut targets = vec![INDEX, b"HEAD".as_slice()];
    if head.reference != targets[1] {
        targets.push(&head.reference);
    }
    let mut holding = repository.hold(permit, &targets)?;
    if !items.is_empty() {
        let mut index = holding.index(opened)?;
        stage::apply(call, repository, opened, &mut index, items)?;
        racily_clean::write(call, repository, &holding, &mut index)?;
    }
    let commit = opened.find_commit(id).map_err(failed)?;
    let kind = match (amend, proposal.parent) {
        (true, _) => "commit (amend)",
        (false, None) => "commit (initial)",
        (false, Some(_)) => "commit",
    };
    let message = String::from_utf8_lossy(commit.message_bytes()).into_owned();
    let message = format!("{kind}: {}", message.lines().next().unwrap_or_default());
    holding.move_head(opened, &head, id, (&commit.committer(), &message))?;
    if !items.is_empty() {
        holding.put_index();
    }
    Ok(holding.put()?)
}

/// How many files the commit changes as git and [`super::GitShow`] count them: a renamed one is one, although two paths change.
pub(super) fn files_changed(call: &Call, repository: &Repository, id: git2::Oid) -> Option<usize> {
    let reader = repository.history().ok()?;
    let commit = reader.find_commit(object(id)).ok()?;
    let tree = commit.tree_id().ok()?.detach();
    let parents: Vec<ObjectId> = commit.parent_ids().map(gix::Id::detach).collect();
    let step = Step { id: object(id), tree, parents, time: 0, counts: true };
    Some(changed_in((call, repository), &reader, &step, &[]).ok()?.len())
}

/// An id as people read it.
pub(super) fn short(id: git2::Oid) -> String {
    id.to_string()[..10].to_owned()
}

/// The branch of a commit, from what people read there.
pub(super) fn branch_fact(shown: String) -> String {
    if shown == DETACHED { String::new() } else { shown }
}

/// The answer of a commit that changed so many files.
pub(super) fn reply(message: &str, count: usize, facts: Facts) -> Reply<Facts> {
    let subject = message.lines().next().unwrap_or_default();
    let branch = if facts.branch.is_empty() { DETACHED } else { &facts.branch };
    let mut text = format!("[{branch} {}] {subject} ({})", facts.short, counted(count, "file"));
    if !facts.hooks_run.is_empty() {
        text.push_str("; hooks: ");
        text.push_str(&facts.hooks_run.join(", "));
    }
    if facts.unsigned {
        text.push_str("; not signed, although signing is configured");
    }
    Reply::new(text, facts)
}

/// Runs the hooks that may stop a commit or change its message; returns the message.
fn before(
    runner: &mut Runner<'_>,
    opened: &git2::Repository,
    params: &Params,
    proposal: &Proposal,
) -> Result<String, ToolError> {
    let (repository, permit) = (runner.repository, runner.permit);
    let failed = |error: git2::Error| libgit2(repository, &error);
    if proposal.hooks.iter().all(|hook| hook.name == "post-commit") {
        return Ok(proposal.message.clone());
    }
    // What a hook does cannot be taken back, so a commit that could not be made in the end runs none. It may stage something itself.
    drop(repository.hold(permit, &[INDEX])?);
    // A commit of only some paths has an index of its own, as with git; hooks must see what is committed.
    let own = if params.paths.is_empty() {
        None
    } else {
        Some(repository.own_index(permit, opened, proposal.tree)?)
    };
    if let Some(own) = &own {
        runner.index.clone_from(own.name());
    }
    let mut index = opened.index().map_err(failed)?;
    let staged = fingerprint(&index);
    let mut unchanged = |name: &str| -> Result<(), ToolError> {
        index.read(true).map_err(failed)?;
        let is_there = still_there(repository, opened, proposal).is_ok();
        let own_same = match &own {
            Some(own) => own.tree(opened)? == proposal.tree,
            None => true,
        };
        if fingerprint(&index) == staged && own_same && is_there {
            return Ok(());
        }
        let what = if is_there {
            format!("the hook `{name}` changed what is staged")
        } else {
            format!("HEAD went elsewhere while the hook `{name}` ran")
        };
        Err(ToolError::new(
            Code::Stale,
            format!("{what}; nothing was committed"),
            "call git_commit again: its new plan shows what would be committed now",
        ))
    };
    runner.run("pre-commit", &[])?;
    unchanged("pre-commit")?;
    repository.write_message(permit, &proposal.message)?;
    runner.run("prepare-commit-msg", &[MESSAGE_FILE, "message"])?;
    unchanged("prepare-commit-msg")?;
    runner.run("commit-msg", &[MESSAGE_FILE])?;
    unchanged("commit-msg")?;
    let spoilt = |what: &str| {
        ToolError::new(
            Code::HookFailed,
            format!("{what}; nothing was committed"),
            "give a message that the repository's `commit-msg` hook accepts",
        )
    };
    let left = repository.read_message();
    let left = left.map_err(|error| spoilt(&format!("a hook left no readable `{MESSAGE_FILE}`: {error}")))?;
    if left.contains('\0') {
        return Err(spoilt("a hook put a NUL into the message"));
    }
    let message = cleaned(repository, opened, &left)?;
    if message.trim().is_empty() {
        return Err(spoilt("a hook emptied the message"));
    }
    Ok(message)
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
        super::at(call, &params.path)?
    } else {
        let repository = stage::find(call, &params.paths)?.0;
        if params.path != "." && super::at(call, &params.path)?.folder() != repository.folder() {
            return Err(stage::other_repository(&repository, &super::named(call, &params.path)?));
        }
        repository
    };
    repository.changeable()?;
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

/// Makes the commit; no branch has it yet.
fn commit(
    repository: &Repository,
    opened: &git2::Repository,
    params: &Params,
    proposal: &Proposal,
    message: &str,
) -> Result<git2::Oid, git2::Error> {
    let tree = opened.find_tree(proposal.tree)?;
    let committer = repository.signature(opened, "committer")?;
    let parent = proposal.parent.map(|id| opened.find_commit(id)).transpose()?;
    if params.amend {
        let Some(last) = parent else { return Err(git2::Error::from_str("there is no commit to amend")) };
        let last = read_as(opened, &last);
        let parents: Vec<git2::Commit<'_>> = last.parents().collect();
        let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
        // Not by libgit2's own amending, which would call the new message by the encoding of the old one.
        return opened.commit(None, &author_of(&last)?, &committer, message, &tree, &parents);
    }
    let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
    opened.commit(None, &repository.signature(opened, "author")?, &committer, message, &tree, &parents)
}
