//! `git_sync`: exchanges commits with a remote repository. Off unless the administrator turns it on.
//!
//! The git program runs through the process door, each time asked for, in a bare folder of its own ([`Exchange`]): nothing that
//! the repository configures can run, not even what we do not know of. A pull never touches a file unseen: what was fetched is
//! shown first, and then only a fast-forward is made.
//!
//! [`Exchange`]: crate::workspace::repository::Exchange

use std::collections::BTreeMap;

use gix::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    add::{changed_meanwhile, writable},
    commit_facts::short,
    libgit2,
    remote::{Remote, without_login},
    tree_move::{TreeMove, oid, refuse_busy},
};
use crate::{
    config::{Config, Profile},
    policy::{AllowedCommand, Effect, Intent, Permit, Preview},
    process::Ended,
    relpath::RelPath,
    text::{counted, visible},
    tier::Tier,
    tools::{
        Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec,
        exec::{Ran, Ready},
    },
    workspace::repository::{Exchange, Repository},
};

/// Output of the git program that is shown.
const OUTPUT_BYTES: usize = 8 * 1024;
/// References that are named.
const NAMED: usize = 100;

/// `git_sync`.
#[derive(Clone, Copy, Debug)]
pub struct GitSync;

/// What to exchange.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// `fetch` takes commits in; `pull` also moves the current branch to them, forward only; `push` sends a branch.
    pub action: Action,
    /// Empty: the one that the branch follows, else `origin`.
    #[serde(default)]
    pub remote: String,
    /// Empty: the current one; for `fetch` all.
    #[serde(default)]
    pub branch: String,
    /// A push may replace commits that were fetched before; the configuration has to allow it.
    #[serde(default)]
    pub force: bool,
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
    /// What it names now.
    pub to: String,
}

/// An exchange that was planned.
#[derive(Debug)]
pub struct Work {
    repository: Repository,
    remote: Remote,
    branch: String,
    step: Step,
}

#[derive(Debug)]
enum Step {
    /// The git program takes commits in.
    Fetch { ready: Ready, pulls: bool },
    /// It sends a branch.
    Push { ready: Ready, commit: git2::Oid },
    /// Nothing is exchanged: the branch goes forward to what was fetched before.
    Forward { movement: TreeMove, from: git2::Oid, to: git2::Oid },
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
                      not run.",
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
        let repository = Repository::containing(&call.workspace, &RelPath::root())?;
        // Words what is not supported better than libgit2 would.
        repository.reader()?;
        let opened = repository.scratch()?;
        let current = opened.head().ok().filter(git2::Reference::is_branch);
        let current = current.and_then(|head| head.shorthand().ok().map(str::to_owned)).unwrap_or_default();
        let branch = if params.branch.is_empty() { current.clone() } else { params.branch.clone() };
        let everything = params.action == Action::Fetch && params.branch.is_empty();
        if !everything && !git2::Branch::name_is_valid(&branch).unwrap_or(false) {
            return Err(no_branch(&branch));
        }
        let pushes = params.action == Action::Push;
        let settings = &call.config.git;
        let remote = Remote::find(&repository, &opened, settings, (&params.remote, &branch, pushes))?;
        let planner = Planner { call, repository: &repository, opened: &opened, remote: &remote };
        let (intent, step) = match params.action {
            Action::Fetch => planner.fetch(if everything { None } else { Some(&branch) }, false)?,
            Action::Pull if branch != current => return Err(not_current(&branch)),
            Action::Pull => match planner.forward(&branch)? {
                Some(planned) => planned,
                None => planner.fetch(Some(&branch), true)?,
            },
            Action::Push => planner.push(&branch, params.force)?,
        };
        Ok(Prepared { intent, work: Work { repository, remote, branch, step } })
    }

    fn run(&self, permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        let opened = work.repository.writer(permit)?;
        match &work.step {
            Step::Fetch { ready, pulls } => work.fetch(permit, call, &opened, ready, *pulls),
            Step::Push { ready, commit } => work.push(permit, call, &opened, ready, *commit),
            Step::Forward { movement, from, to } => {
                work.forward(permit, call, &opened, movement, (*from, *to))
            }
        }
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

fn no_branch(branch: &str) -> ToolError {
    let message = if branch.is_empty() {
        "HEAD is on no branch".to_owned()
    } else {
        format!("`{}` is no name of a branch", visible(branch))
    };
    ToolError::new(Code::BadRevision, message, "name a local branch; git_status with `branches` lists them")
}

fn not_current(branch: &str) -> ToolError {
    ToolError::new(
        Code::InvalidArgs,
        format!("`{}` is not the current branch; a pull moves only that one", visible(branch)),
        "use git_switch first, or `fetch`",
    )
}

struct Planner<'a> {
    call: &'a Call,
    repository: &'a Repository,
    opened: &'a git2::Repository,
    remote: &'a Remote,
}

type Planned = (Intent, Step);

impl Planner<'_> {
    fn fetch(&self, branch: Option<&str>, pulls: bool) -> Result<Planned, ToolError> {
        let Remote { name, url } = self.remote;
        let which = branch.unwrap_or("*");
        let refspec = format!("+refs/heads/{which}:refs/remotes/{name}/{which}");
        let args = ["fetch", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"];
        let args = args.iter().copied().chain(["--", url, &refspec]);
        let ready = self.git(args)?;
        let what = branch.map_or_else(|| "all branches".to_owned(), |branch| format!("`{branch}`"));
        let summary = format!("Fetch {what} from `{name}` ({})", self.remote.shown_url());
        Ok((self.intent(&ready, summary), Step::Fetch { ready, pulls }))
    }

    fn push(&self, branch: &str, force: bool) -> Result<Planned, ToolError> {
        let failed = |error: git2::Error| libgit2(self.repository, &error);
        let found = self.opened.find_branch(branch, git2::BranchType::Local);
        let commit = found.map_err(|_| no_branch(branch))?.into_reference().peel_to_commit();
        let commit = commit.map_err(failed)?.id();
        let known = self.opened.refname_to_id(&self.remote.tracking(branch)).ok();
        let (ahead, behind) = match known {
            Some(known) => self.opened.graph_ahead_behind(commit, known).map_err(failed)?,
            None => (0, 0),
        };
        let mut args =
            vec!["push".to_owned(), "--no-verify".to_owned(), "--recurse-submodules=no".to_owned()];
        if force {
            let known = known.map(|known| known.to_string()).unwrap_or_default();
            args.push(format!("--force-with-lease=refs/heads/{branch}:{known}"));
        }
        args.extend(["--".to_owned(), self.remote.url.clone(), format!("{commit}:refs/heads/{branch}")]);
        let ready = self.git(args.iter().map(String::as_str))?;
        let what = match known {
            None => format!("`{branch}`, which the remote was not seen to have"),
            Some(_) if force && behind > 0 => {
                format!("{} of `{branch}`, replacing {}", counted(ahead, "commit"), counted(behind, "commit"))
            }
            Some(_) => format!("{} of `{branch}`", counted(ahead, "commit")),
        };
        let place = commit.to_string();
        let summary = format!(
            "Push {what} at {} to `{}` ({})",
            &place[..10],
            self.remote.name,
            self.remote.shown_url()
        );
        Ok((self.intent(&ready, summary), Step::Push { ready, commit }))
    }

    /// The way forward to what was fetched; `None` when nothing is known to be ahead.
    fn forward(&self, branch: &str) -> Result<Option<Planned>, ToolError> {
        let failed = |error: git2::Error| libgit2(self.repository, &error);
        refuse_busy(self.repository, self.opened, self.call)?;
        let Ok(to) = self.opened.refname_to_id(&self.remote.tracking(branch)) else { return Ok(None) };
        let Ok(from) = self.opened.refname_to_id(&format!("refs/heads/{branch}")) else { return Ok(None) };
        let (ahead, behind) = self.opened.graph_ahead_behind(from, to).map_err(failed)?;
        if behind == 0 {
            return Ok(None);
        }
        if ahead > 0 {
            return Err(ToolError::new(
                Code::Stale,
                format!(
                    "`{branch}` and `{}/{branch}` have gone apart: {} here, {} there",
                    self.remote.name,
                    counted(ahead, "commit"),
                    counted(behind, "commit")
                ),
                "only a fast-forward is made; the user can merge or rebase with git itself",
            ));
        }
        let reader = self.repository.reader()?;
        let ends = (Some(object(from)), Some(object(to)));
        let movement = TreeMove::plan(self.call, self.repository, &reader, ends)?;
        let intent = Intent {
            effect: Effect::Write,
            raises: Vec::new(),
            tier: None,
            changes: movement.checkout.changes.clone(),
            summary: format!(
                "Move `{branch}` forward by {} to {}, as fetched from `{}` ({})",
                counted(behind, "commit"),
                short(object(to)),
                self.remote.name,
                counted(movement.checkout.files(), "file"),
            ),
            preview: Some(Preview::Files { files: movement.checkout.shown.clone() }),
        };
        Ok(Some((intent, Step::Forward { movement, from, to })))
    }

    fn intent(&self, ready: &Ready, summary: String) -> Intent {
        Intent {
            effect: Effect::WriteAndExecute,
            raises: ready.raises(self.call),
            tier: None,
            changes: Vec::new(),
            summary,
            preview: Some(ready.preview()),
        }
    }

    /// The git program with nothing in it that could start another one.
    fn git<'s>(&self, args: impl Iterator<Item = &'s str>) -> Result<Ready, ToolError> {
        let settings = &self.call.config.git;
        let (git_dir, objects) = self.repository.exchange_places();
        let mut all: Vec<String> = Vec::new();
        let mut set = |setting: &str| all.extend(["-c".to_owned(), setting.to_owned()]);
        for setting in [
            "core.hooksPath=/dev/null",
            "core.fsmonitor=false",
            "core.sshCommand=ssh -oBatchMode=yes",
            "core.askPass=",
            "protocol.allow=never",
            "fetch.recurseSubmodules=false",
            "push.gpgSign=false",
            "gc.auto=0",
            "maintenance.auto=false",
        ] {
            set(setting);
        }
        for protocol in &settings.protocols {
            set(&format!("protocol.{protocol}.allow=always"));
        }
        if !settings.credentials {
            set("credential.helper=");
        }
        all.extend(args.map(str::to_owned));
        let text = |path: &std::path::Path| {
            path.to_str().map(str::to_owned).ok_or_else(|| {
                let reason = "its name is not UTF-8, which the git program's environment needs";
                ToolError::new(Code::UnsupportedHere, reason, "the user can use git itself")
            })
        };
        let environment: BTreeMap<String, String> = [
            ("GIT_DIR", text(&git_dir)?),
            ("GIT_OBJECT_DIRECTORY", text(&objects)?),
            ("GIT_ALLOW_PROTOCOL", settings.protocols.join(":")),
            ("GIT_OPTIONAL_LOCKS", "0".to_owned()),
            ("LC_ALL", "C.UTF-8".to_owned()),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
        let program = self.call.processes.resolve_program("git")?;
        let folder = self.repository.folder().clone();
        let passed = vec!["SSH_AUTH_SOCK".to_owned()];
        let command = AllowedCommand::git(program, all, folder, environment, passed, Vec::new());
        Ready::new(self.call, command)
    }
}

fn object(id: git2::Oid) -> ObjectId {
    ObjectId::from_bytes_or_panic(id.as_bytes())
}

impl Work {
    fn fetch(
        &self,
        permit: &Permit,
        call: &Call,
        opened: &git2::Repository,
        ready: &Ready,
        pulls: bool,
    ) -> Result<Reply<Facts>, ToolError> {
        let failed = |error: git2::Error| libgit2(&self.repository, &error);
        let exchange = self.repository.exchange(permit, opened)?;
        let ran = ready.run(permit, call)?;
        if !ran.succeeded() {
            return Err(unsuccessful("fetch", &self.remote, &ran));
        }
        let refs = self.take_over(&exchange, opened).map_err(failed)?;
        let mut text = match refs.len() {
            0 => format!("nothing new from `{}`", self.remote.name),
            count => {
                format!("{} from `{}`:\n{}", counted(count, "reference"), self.remote.name, lines(&refs))
            }
        };
        if pulls {
            let to = opened.refname_to_id(&self.remote.tracking(&self.branch)).ok();
            let from = opened.refname_to_id(&format!("refs/heads/{}", self.branch)).ok();
            text.push_str(match (from, to) {
                (Some(from), Some(to)) if opened.graph_descendant_of(to, from).unwrap_or(false) => {
                    "\ncall git_sync `pull` again to move the branch forward to it"
                }
                (from, to) if from == to => "\nthe branch is up to date",
                _ => "\nthe branch cannot go forward to it; git_log `a...b` shows how they differ",
            });
        }
        text.push_str(&said(&ran));
        Ok(Reply::new(text, Facts { refs, files: Vec::new() }))
    }

    /// What was fetched becomes known to the repository. Tags that it has stay as they are.
    fn take_over(
        &self,
        exchange: &Exchange,
        opened: &git2::Repository,
    ) -> Result<Vec<RefChange>, git2::Error> {
        let mut changed = Vec::new();
        let mut found = exchange.references(&self.remote.tracking(""))?;
        let tags = exchange.references("refs/tags/")?;
        found.extend(tags.into_iter().filter(|(name, _)| opened.find_reference(name).is_err()));
        for (name, to) in found {
            let from = opened.refname_to_id(&name).ok();
            if from == Some(to) || !git2::Reference::is_valid_name(&name) {
                continue;
            }
            opened.reference(&name, to, true, &format!("fetch {}", self.remote.name))?;
            let from = from.map(|from| from.to_string()).unwrap_or_default();
            changed.push(RefChange { name, from, to: to.to_string() });
        }
        Ok(changed)
    }

    fn push(
        &self,
        permit: &Permit,
        call: &Call,
        opened: &git2::Repository,
        ready: &Ready,
        commit: git2::Oid,
    ) -> Result<Reply<Facts>, ToolError> {
        let failed = |error: git2::Error| libgit2(&self.repository, &error);
        let exchange = self.repository.exchange(permit, opened)?;
        let ran = ready.run(permit, call)?;
        drop(exchange);
        if !ran.succeeded() {
            return Err(unsuccessful("push", &self.remote, &ran));
        }
        let tracking = self.remote.tracking(&self.branch);
        let known = opened.refname_to_id(&tracking).ok();
        opened.reference(&tracking, commit, true, "update by push").map_err(failed)?;
        let name = format!("refs/heads/{}", self.branch);
        let from = known.map(|known| known.to_string()).unwrap_or_default();
        let refs = vec![RefChange { name, from, to: commit.to_string() }];
        let text = format!("pushed `{}` to `{}`{}", self.branch, self.remote.name, said(&ran));
        Ok(Reply::new(text, Facts { refs, files: Vec::new() }))
    }

    fn forward(
        &self,
        permit: &Permit,
        call: &Call,
        opened: &git2::Repository,
        movement: &TreeMove,
        (from, to): (git2::Oid, git2::Oid),
    ) -> Result<Reply<Facts>, ToolError> {
        let failed = |error: git2::Error| libgit2(&self.repository, &error);
        refuse_busy(&self.repository, opened, call)?;
        let name = format!("refs/heads/{}", self.branch);
        let on_branch = opened.head().ok().is_some_and(|head| head.name_bytes() == name.as_bytes());
        if !on_branch || opened.refname_to_id(&name).ok() != Some(from) {
            return Err(changed_meanwhile());
        }
        let reader = self.repository.reader()?;
        movement.make(call, permit, &self.repository, (&reader, opened), || {
            let moved = opened.reference_matching(&name, oid(object(to)), true, from, "pull: Fast-forward");
            moved.map(|_| ()).map_err(failed)
        })?;
        let files = movement.files();
        let text = format!(
            "moved `{}` forward to {} ({} changed)",
            self.branch,
            short(object(to)),
            counted(files.len(), "file")
        );
        let refs = vec![RefChange { name, from: from.to_string(), to: to.to_string() }];
        Ok(Reply::new(text, Facts { refs, files }))
    }
}

fn lines(refs: &[RefChange]) -> String {
    let of = |id: &str| id.get(..10).unwrap_or("new").to_owned();
    let shown = refs.iter().take(NAMED);
    let lines: Vec<String> = shown
        .map(|change| format!("  {} {} -> {}", visible(&change.name), of(&change.from), of(&change.to)))
        .collect();
    lines.join("\n")
}

fn said(ran: &Ran) -> String {
    let output = without_login(&ran.transcript.last(OUTPUT_BYTES));
    if output.trim().is_empty() { String::new() } else { format!("\n\ngit said:\n{}", output.trim_end()) }
}

fn unsuccessful(what: &str, remote: &Remote, ran: &Ran) -> ToolError {
    let output = without_login(&ran.transcript.last(OUTPUT_BYTES));
    let has = |words: &[&str]| words.iter().any(|word| output.contains(word));
    let (code, hint) = match ran.outcome.ended {
        Ended::Cancelled => {
            return ToolError::cancelled(&format!(
                "the {what} was ended; the remote may have taken a part of it"
            ));
        }
        Ended::Timeout | Ended::IdleTimeout => (Code::Timeout, "the remote may be slow or out of reach"),
        _ if has(&["[rejected]", "[remote rejected]", "stale info", "non-fast-forward"]) => {
            (Code::Stale, "fetch first; git_log `a...b` shows how the two differ")
        }
        _ if has(&["Authentication failed", "Permission denied", "could not read Username", "Host key"]) => (
            Code::PermissionDenied,
            "nobody is asked for a password here; an ssh agent helps, or the administrator's `credentials = true`",
        ),
        _ => (Code::NotFound, "the remote could not be used; the user can try with git itself"),
    };
    ToolError::new(
        code,
        format!("the {what} with `{}` ({}) failed. git said:\n{output}", remote.name, remote.shown_url()),
        hint,
    )
}
