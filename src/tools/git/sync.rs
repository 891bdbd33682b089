//! `git_sync`: exchanges commits with a remote repository. Off unless the administrator turns it on.
//!
//! The git program runs through the process door, each time asked for, in a bare folder of its own ([`Exchange`]): nothing that
//! the repository configures can run, not even what we do not know of. A pull never touches a file unseen: what was fetched is
//! shown first, and then only a fast-forward is made.
//!
//! [`Exchange`]: crate::workspace::repository::Exchange

use gix::bstr::ByteSlice;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    add::writable,
    move_evidence::{MoveEvidence, Stands},
    refspecs::Refspec,
    remote::{Asked, Remote},
    sync_plan::Planner,
    sync_run::forwarded,
    tree_move::TreeMove,
};
use crate::{
    config::{Config, Profile},
    limits::NAME_SHOWN_BYTES,
    policy::Permit,
    text::excerpt,
    tier::Tier,
    tools::{Annotations, Call, Code, Happened, Prepared, Reply, Tool, ToolError, ToolSpec, exec::Ready},
    workspace::repository::{Branch, Repository},
};

/// `git_sync`.
#[derive(Clone, Copy, Debug)]
pub struct GitSync;

/// What to exchange.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// `fetch` takes commits in; `pull` also moves the current branch to them, forward only; `push` sends a branch.
    pub action: Action,
    /// Empty: the one git would take, which the branch follows or is pushed to; else `origin`.
    #[serde(default)]
    pub remote: String,
    /// Empty: the current one; for `fetch` all.
    #[serde(default)]
    pub branch: String,
    /// A push may replace commits that were fetched before; the configuration has to allow it.
    #[serde(default)]
    pub force: bool,
    /// A path in the repository.
    #[serde(default = "super::root")]
    pub path: String,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    // No doc comments on the variants: the schema would become a union.
    Fetch,
    Pull,
    Push,
}

/// What came of it; what the git program said is in the text.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Facts {
    /// The references that changed.
    pub refs: Vec<RefChange>,
    /// The files of the work tree that changed.
    pub files: Vec<String>,
}

/// A reference that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RefChange {
    /// Its name.
    pub name: String,
    /// What it named before; empty for nothing.
    pub from: String,
    /// What it names now; empty where it is gone.
    pub to: String,
}

/// An exchange that was planned.
#[derive(Debug)]
pub struct Work {
    pub(super) repository: Repository,
    pub(super) remote: Remote,
    pub(super) branch: String,
    step: Step,
}

#[derive(Debug)]
pub(super) enum Step {
    /// The git program takes commits in.
    Fetch { ready: Ready, refspecs: Vec<Refspec>, pulls: bool },
    /// It sends a branch.
    Push { ready: Ready, commit: git2::Oid },
    /// Nothing is exchanged: the branch goes forward to what was fetched before.
    Forward { movement: TreeMove, from: Option<git2::Oid>, to: git2::Oid },
}

impl Tool for GitSync {
    type Params = Params;
    type Output = Facts;
    type Work = Work;

    const SPEC: ToolSpec = ToolSpec {
        name: "git_sync",
        title: "Fetch, pull, push",
        description: "Exchanges commits with a remote: fetch, pull (forward only; the first call fetches, the next one shows and \
                      makes the change), push. The user is asked each time. Hooks, filters and helpers of the repository do \
                      not run, nor do those of a remote of this machine.",
        profile: Profile::Full,
        tier: Tier::Individual,
        annotations: Annotations { read_only: false, destructive: true, idempotent: false, open_world: true },
    };

    fn is_offered(config: &Config) -> bool {
        config.git.sync
    }

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        allowed(&params, &call.config)?;
        writable(call)?;
        let repository = super::at(call, &params.path)?;
        repository.changeable()?;
        // Words what is not supported better than libgit2 would.
        repository.reader()?;
        let opened = repository.scratch()?;
        let head = repository.head(&opened)?;
        let current = head.reference.strip_prefix(b"refs/heads/").unwrap_or_default();
        let current = current.to_str().unwrap_or_default().to_owned();
        let branch = if params.branch.is_empty() { current.clone() } else { params.branch.clone() };
        let everything = params.action == Action::Fetch && params.branch.is_empty();
        if !everything && !git2::Branch::name_is_valid(&branch).unwrap_or(false) {
            return Err(no_branch(&branch));
        }
        let pushes = params.action == Action::Push;
        let settings = &call.config.git;
        let names_branch = !params.branch.is_empty();
        let asked = Asked { remote: &params.remote, branch: &branch, names_branch, pushes };
        let remote = Remote::find(&repository, &opened, settings, asked)?;
        let planner = Planner { call, repository: &repository, opened: &opened, remote: &remote };
        let (intent, step) = match params.action {
            Action::Fetch => planner.fetch(if everything { None } else { Some(&branch) }, false)?,
            Action::Pull if branch != current => return Err(not_current(&branch)),
            Action::Pull => match planner.forward(&branch)? {
                Some(planned) => planned,
                None => planner.fetch(Some(&remote.followed), true)?,
            },
            Action::Push => planner.push(&branch, params.force)?,
        };
        Ok(Prepared { intent, work: Work { repository, remote, branch, step } })
    }

    fn run(&self, permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        let opened = work.repository.writer(permit)?;
        match &work.step {
            Step::Fetch { ready, refspecs, pulls } => {
                work.fetch(permit, call, &opened, (ready, refspecs), *pulls)
            }
            Step::Push { ready, commit } => work.push(permit, call, &opened, ready, *commit),
            Step::Forward { movement, from, to } => {
                work.forward(permit, call, &opened, movement, (*from, *to))
            }
        }
    }

    fn evidence(&self, work: &Work) -> Option<Value> {
        let Step::Forward { movement, from, to } = &work.step else { return None };
        let place =
            |id: Option<git2::Oid>| Branch { reference: format!("refs/heads/{}", work.branch).into(), id };
        let (folder, files) = (work.repository.folder().to_text(), movement.files());
        MoveEvidence::new(folder, &place(*from), &place(Some(*to)), files, false).to_value()
    }

    fn happened(&self, evidence: Value, call: &Call) -> Result<Happened<Facts>, ToolError> {
        let evidence = MoveEvidence::from_value(evidence)?;
        Ok(match evidence.stands(call)? {
            Stands::There => Happened::Yes(Box::new(forwarded(&evidence))),
            Stands::AsBefore => Happened::No,
            Stands::Elsewhere => Happened::Unknown,
        })
    }
}

fn allowed(params: &Params, config: &Config) -> Result<(), ToolError> {
    if !config.git.sync || !config.exec.enabled {
        return Err(ToolError::new(
            Code::CommandNotAllowed,
            "git_sync is turned off",
            "the administrator can set `sync = true` in `[git]` (and `enabled = true` in `[exec]`)",
        ));
    }
    if params.force && (params.action != Action::Push || !config.git.allow_force) {
        return Err(ToolError::new(
            Code::ArgumentNotAllowed,
            "`force` is only for `push`, and the configuration has to allow it",
            "the administrator can set `allow_force = true` in `[git]`",
        ));
    }
    Ok(())
}

pub(super) fn no_branch(branch: &str) -> ToolError {
    let message = if branch.is_empty() {
        "HEAD is on no branch".to_owned()
    } else {
        format!("`{}` is no name of a branch", excerpt(branch, NAME_SHOWN_BYTES))
    };
    ToolError::new(Code::BadRevision, message, "name a local branch; git_status with `branches` lists them")
}

fn not_current(branch: &str) -> ToolError {
    ToolError::new(
        Code::InvalidArgs,
        format!(
            "`{}` is not the current branch; a pull moves only that one",
            excerpt(branch, NAME_SHOWN_BYTES)
        ),
        "use git_switch first, or `fetch`",
    )
}
