//! `git_switch`: goes to another branch, or makes one.
//!
//! Nothing local is ever lost: a changed, staged or untracked file that the other branch would overwrite refuses the call. Files
//! are written through the workspace's door; no hook (`post-checkout`) and no filter runs.

use std::fmt::Write as _;

use gix::{ObjectId, bstr::ByteSlice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    add::{changed_meanwhile, writable},
    branches,
    commit_facts::short,
    follows::follows,
    move_evidence::{MoveEvidence, Stands},
    revision,
    tree_move::{TreeMove, oid, refuse_busy},
};
use crate::{
    config::Profile,
    limits::NAME_SHOWN_BYTES,
    policy::{Effect, Intent, Permit, Preview, Raise},
    text::{counted, excerpt, visible},
    tier::Tier,
    tools::{Annotations, Call, Code, Happened, Prepared, Reply, Tool, ToolError, ToolSpec},
    workspace::repository::{Branch, HookFile, Repository, Upstream},
};

/// The longest name of a branch. It is a file's name, with `refs/heads/` before it and `.lock` behind it while it is written.
const BRANCH_BYTES: usize = 200;

/// `git_switch`.
#[derive(Clone, Copy, Debug)]
pub struct GitSwitch;

/// Where to.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// A local branch.
    pub branch: String,
    /// Make it first.
    #[serde(default)]
    pub create: bool,
    /// Where a new branch starts; empty: HEAD.
    #[serde(default)]
    pub base: String,
    /// A path in the repository.
    #[serde(default = "super::root")]
    pub path: String,
}

/// Where it is now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Facts {
    /// The branch.
    pub branch: String,
    /// Its commit; empty where there is none yet.
    pub id: String,
    /// The files that changed.
    pub files: Vec<String>,
}

/// A switch that was planned.
#[derive(Debug)]
pub struct Work {
    repository: Repository,
    branch: String,
    create: bool,
    /// As the new one's log names it; empty: HEAD.
    base: String,
    /// What the new one follows.
    follows: Option<Upstream>,
    /// What HEAD named when it was planned.
    from: Option<ObjectId>,
    head: Branch,
    to: Option<ObjectId>,
    movement: TreeMove,
}

impl Tool for GitSwitch {
    type Params = Params;
    type Output = Facts;
    type Work = Work;

    const SPEC: ToolSpec = ToolSpec {
        name: "git_switch",
        title: "Switch branch",
        description: "Switches the work tree to another local branch, or with `create` makes one at `base` and switches to it. \
                      Refuses when local changes would be lost; other local changes are kept. Hooks do not run. The user sees the files first.",
        profile: Profile::Full,
        tier: Tier::Individual,
        annotations: Annotations {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: false,
        },
    };

    const OPENS_BY_NAME: bool = true;

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        writable(call)?;
        let repository = super::at(call, &params.path)?;
        repository.changeable()?;
        let reader = repository.reader()?;
        let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
        let opened = repository.scratch()?;
        refuse_busy(&repository, &opened, call)?;
        let head = reader.head().map_err(broken)?;
        let from = if head.is_unborn() { None } else { Some(revision::commit(&reader, "HEAD")?) };
        let to = destination(&params, &repository, &reader, from)?;
        let now = head.referent_name().map(|name| name.shorten().to_str_lossy().into_owned());
        if now.as_deref() == Some(params.branch.as_str()) {
            return Err(ToolError::new(
                Code::NoChange,
                format!("`{}` is the current branch", params.branch),
                "git_status shows its state",
            ));
        }
        if let Some(worktree) = repository.checked_out_elsewhere(&format!("refs/heads/{}", params.branch)) {
            return Err(ToolError::new(
                Code::UnsupportedHere,
                format!("`{}` is checked out in the linked worktree `{worktree}`", visible(&params.branch)),
                "switch to another branch, or make one with `create` and `base`",
            ));
        }
        let follows = if params.create && to.is_some() {
            follows(&repository, (&reader, &opened), (&params.branch, &params.base))?
        } else {
            None
        };
        let head = repository.head(&opened)?;
        let movement = TreeMove::plan(call, &repository, &reader, (from, to))?;
        let place = to.map_or_else(|| "no commit yet".to_owned(), short);
        let mut raises = movement.checkout.raises();
        if repository.hook("post-checkout")? != HookFile::None {
            let reason = "its hook `post-checkout`, which git would run now, does not run".to_owned();
            raises.push(Raise { tier: Tier::Individual, reason });
        }
        let intent = Intent {
            effect: Effect::Write,
            raises,
            tier: None,
            changes: movement.checkout.changes.clone(),
            summary: format!(
                "{} `{}` at {place}{} from {} ({}{})",
                if params.create { "Make and switch to" } else { "Switch to" },
                params.branch,
                follows
                    .as_ref()
                    .map_or_else(String::new, |upstream| format!(", which follows {}", shown(upstream))),
                now.as_deref()
                    .map_or_else(|| from.map_or_else(String::new, short), |name| format!("`{name}`")),
                counted(movement.checkout.files(), "file"),
                super::in_folder(&repository),
            ),
            preview: Some(Preview::Files { files: movement.checkout.shown.clone() }),
        };
        let Params { branch, create, base, .. } = params;
        let work = Work { repository, branch, create, base, follows, from, head, to, movement };
        Ok(Prepared { intent, work })
    }

    fn run(&self, permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        let opened = work.repository.writer(permit)?;
        refuse_busy(&work.repository, &opened, call)?;
        let reader = work.repository.reader()?;
        let head = reader.head().map_err(|error| work.repository.broken(&error))?;
        let now = if head.is_unborn() { None } else { Some(revision::commit(&reader, "HEAD")?) };
        if now != work.from {
            return Err(changed_meanwhile());
        }
        let (name, to) = (format!("refs/heads/{}", work.branch), work.to.map(oid));
        let branch = (name.as_str(), to.filter(|_| !work.create));
        work.movement.make(call, permit, &work.repository, (&reader, &opened), branch, |holding| {
            if let Some(to) = to.filter(|_| work.create) {
                let base = if work.base.is_empty() { "HEAD" } else { &work.base };
                let message = format!("branch: Created from {base}");
                holding.set_reference(&opened, &name, (None, to), &message)?;
            }
            Ok(holding.point_head(&opened, &work.head, (&work.branch, to))?)
        })?;
        work.repository.forget_prepared(permit);
        let followed = work.follows.as_ref().map(|upstream| {
            let written = work.repository.follow(permit, &work.branch, upstream);
            (shown(upstream), written)
        });
        let mut reply = reply(work.branch, work.create, work.to, work.movement.files());
        match followed {
            Some((upstream, Ok(()))) => {
                let _ = write!(reply.text, "; it follows {upstream}");
            }
            // As for git: the branch is there all the same.
            Some((upstream, Err(error))) => {
                reply.warnings.push(format!("that it follows {upstream} could not be written down: {error}"));
            }
            None => {}
        }
        Ok(reply)
    }

    fn evidence(&self, work: &Work) -> Option<Value> {
        let to = Branch { reference: format!("refs/heads/{}", work.branch).into(), id: work.to.map(oid) };
        let (folder, files) = (work.repository.folder().to_text(), work.movement.files());
        MoveEvidence::new(folder, &work.head, &to, files, work.create).to_value()
    }

    fn happened(&self, evidence: Value, call: &Call) -> Result<Happened<Facts>, ToolError> {
        let evidence = MoveEvidence::from_value(evidence)?;
        Ok(match evidence.stands(call)? {
            Stands::There => {
                let (branch, to) = (evidence.branch().to_owned(), evidence.to());
                Happened::Yes(Box::new(reply(branch, evidence.is_new, to, evidence.files)))
            }
            Stands::AsBefore => Happened::No,
            Stands::Elsewhere => Happened::Unknown,
        })
    }
}

/// As people read it.
fn shown(upstream: &Upstream) -> String {
    let branch = upstream.merge.strip_prefix("refs/heads/").unwrap_or(&upstream.merge);
    let remote = if upstream.remote == "." { String::new() } else { format!("{}/", upstream.remote) };
    format!("`{}`", visible(&(remote + branch)))
}

fn reply(branch: String, is_new: bool, to: Option<ObjectId>, files: Vec<String>) -> Reply<Facts> {
    let place = to.map_or_else(|| "no commit yet".to_owned(), short);
    let verb = if is_new { "made and switched to" } else { "switched to" };
    let text = format!("{verb} {branch} at {place} ({} changed)", counted(files.len(), "file"));
    let id = to.map(|id| id.to_string()).unwrap_or_default();
    Reply::new(text, Facts { branch, id, files })
}

/// The commit to go to; `None` for a new branch in a repository without commits.
fn destination(
    params: &Params,
    repository: &Repository,
    reader: &gix::Repository,
    head: Option<ObjectId>,
) -> Result<Option<ObjectId>, ToolError> {
    let name = excerpt(&params.branch, NAME_SHOWN_BYTES);
    // `@` alone is git's other word for HEAD.
    let is_name = !params.branch.starts_with('-') && params.branch != "@";
    if !is_name || !git2::Branch::name_is_valid(&params.branch).unwrap_or(false) {
        return Err(ToolError::new(
            Code::InvalidArgs,
            format!("`{name}` is no name for a branch"),
            "use letters, digits, `-`, `_`, `.` and `/`",
        ));
    }
    if params.branch.len() > BRANCH_BYTES {
        return Err(ToolError::new(
            Code::InvalidArgs,
            format!("the name of the branch has {} bytes; the limit is {BRANCH_BYTES}", params.branch.len()),
            "choose a shorter one",
        ));
    }
    match (branches::exists(reader, &params.branch), params.create) {
        (true, true) => Err(ToolError::new(
            Code::AlreadyExists,
            format!("the branch `{name}` exists"),
            "leave `create` out to switch to it",
        )),
        (false, true) => {
            if let Some(other) = branches::in_the_way(repository, reader, &params.branch)? {
                return Err(ToolError::new(
                    Code::AlreadyExists,
                    format!(
                        "the branch `{name}` cannot be beside `{}`: one would be a folder of the other",
                        visible(&other)
                    ),
                    "choose a name that is no beginning of another up to a `/`, and has none",
                ));
            }
            if params.base.is_empty() { Ok(head) } else { revision::commit(reader, &params.base).map(Some) }
        }
        (true, false) if !params.base.is_empty() => Err(ToolError::new(
            Code::InvalidArgs,
            "`base` is where a new branch starts; this one exists".to_owned(),
            "leave `base` out",
        )),
        (true, false) => revision::commit(reader, &format!("refs/heads/{}", params.branch)).map(Some),
        (false, false) => {
            let names = branches::names(repository, reader, usize::MAX)?;
            let near = crate::hint::nearest_few(&params.branch, names.iter().map(String::as_str), 3);
            let near = near.into_iter().map(str::to_owned).collect();
            Err(ToolError::new(
                Code::BadRevision,
                format!("there is no local branch `{name}`"),
                "git_status with `branches` lists them; `create` makes one, from `base` `origin/…` for a remote one",
            )
            .with_candidates(near))
        }
    }
}
