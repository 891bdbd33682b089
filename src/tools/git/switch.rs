//! `git_switch`: goes to another branch, or makes one.
//!
//! Nothing local is ever lost: a changed, staged or untracked file that the other branch would overwrite refuses the call. Files
//! are written through the workspace's door; no hook (`post-checkout`) and no filter runs.

use gix::{
    ObjectId,
    bstr::{BString, ByteSlice},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    add::{changed_meanwhile, writable},
    between::between,
    changes::{Changed, Entry, Untracked, Wanted, changes},
    checkout::{self, Checkout, Target},
    commit_facts::short,
    libgit2, plural, revision, shown,
    side::SUBMODULE,
    stage,
    status::operation,
};
use crate::{
    config::Profile,
    policy::{Effect, Intent, Node, Permit, Preview, Raise},
    relpath::RelPath,
    text::visible,
    tier::Tier,
    tools::{Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec},
    workspace::{
        repository::{HookFile, Repository},
        walk::{WalkKind, stat_walked},
    },
};

/// Paths that a refusal names.
const NAMED: usize = 10;

/// `git_switch`.
#[derive(Clone, Copy, Debug)]
pub struct GitSwitch;

/// Where to.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// A local branch.
    pub branch: String,
    /// Make it first.
    #[serde(default)]
    pub create: bool,
    /// Where a new branch starts; empty: HEAD.
    #[serde(default)]
    pub base: String,
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
    /// What HEAD named when it was planned.
    from: Option<ObjectId>,
    to: Option<ObjectId>,
    checkout: Checkout,
    /// What the index gets.
    entries: Vec<Target>,
}

impl Tool for GitSwitch {
    type Params = Params;
    type Output = Facts;
    type Work = Work;

    const SPEC: ToolSpec = ToolSpec {
        name: "git_switch",
        title: "Switch branch",
        description: "Switches the work tree to another local branch, or with `create` makes one at `base` and switches to it. \
                      Refuses when local changes would be lost; other local changes are kept. The user sees the files first.",
        profile: Profile::Full,
        tier: Tier::Individual,
        annotations: Annotations {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: false,
        },
    };

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        writable(call)?;
        let repository = Repository::containing(&call.workspace, &RelPath::root())?;
        let reader = repository.reader()?;
        let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
        let opened = repository.scratch()?;
        refuse_busy(&repository, &opened, call)?;
        let head = reader.head().map_err(broken)?;
        let from = if head.is_unborn() { None } else { Some(revision::commit(&reader, "HEAD")?) };
        let to = destination(&params, &repository, &reader, &opened, from)?;
        let now = head.referent_name().map(|name| name.shorten().to_str_lossy().into_owned());
        if now.as_deref() == Some(params.branch.as_str()) {
            return Err(ToolError::new(
                Code::NoChange,
                format!("`{}` is the current branch", params.branch),
                "git_status shows its state",
            ));
        }
        let tree = |commit: Option<ObjectId>| {
            commit.map(|commit| revision::tree_of(&reader, commit)).transpose().map_err(broken)
        };
        let (old, new) = (tree(from)?, tree(to)?);
        let entries = if old == new {
            Vec::new()
        } else {
            let changed = between(&reader, old, new, false).map_err(broken)?;
            safe(call, &repository, &reader, changed)?
        };
        let checkout = checkout::plan(call, &repository, &reader, entries.clone(), new)?;
        let place = to.map_or_else(|| "no commit yet".to_owned(), short);
        let mut raises = Vec::new();
        if repository.hook("post-checkout")? != HookFile::None {
            let reason = "its hook `post-checkout`, which git would run now, does not run".to_owned();
            raises.push(Raise { tier: Tier::Individual, reason });
        }
        let intent = Intent {
            effect: Effect::Write,
            raises,
            tier: None,
            changes: checkout.changes.clone(),
            summary: format!(
                "{} `{}` at {place} from {} ({})",
                if params.create { "Make and switch to" } else { "Switch to" },
                params.branch,
                now.as_deref()
                    .map_or_else(|| from.map_or_else(String::new, short), |name| format!("`{name}`")),
                plural(checkout.files(), "file"),
            ),
            preview: Some(Preview::Files { files: checkout.shown.clone() }),
        };
        let Params { branch, create, .. } = params;
        let work = Work { repository, branch, create, from, to, checkout, entries };
        Ok(Prepared { intent, work })
    }

    fn run(&self, permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        let failed = |error: git2::Error| libgit2(&work.repository, &error);
        let opened = work.repository.writer(permit)?;
        refuse_busy(&work.repository, &opened, call)?;
        let reader = work.repository.reader()?;
        let head = reader.head().map_err(|error| work.repository.broken(&error))?;
        let now = if head.is_unborn() { None } else { Some(revision::commit(&reader, "HEAD")?) };
        if now != work.from {
            return Err(changed_meanwhile());
        }
        if let Err((made, error)) = work.checkout.make(call, permit, &work.repository, &reader) {
            return Err(work.take_back(call, permit, &reader, made, error));
        }
        work.update_index(call, &opened)?;
        if work.create
            && let Some(to) = work.to
        {
            let commit = opened.find_commit(oid(to)).map_err(failed)?;
            opened.branch(&work.branch, &commit, false).map_err(failed)?;
        }
        opened.set_head(&format!("refs/heads/{}", work.branch)).map_err(failed)?;
        let files: Vec<String> = work.checkout.shown.iter().map(|file| file.path.clone()).collect();
        let place = work.to.map_or_else(|| "no commit yet".to_owned(), short);
        let verb = if work.create { "made and switched to" } else { "switched to" };
        let text = format!("{verb} {} at {place} ({} changed)", work.branch, plural(files.len(), "file"));
        let id = work.to.map(|id| id.to_string()).unwrap_or_default();
        Ok(Reply::new(text, Facts { branch: work.branch, id, files }))
    }
}

fn oid(id: ObjectId) -> git2::Oid {
    git2::Oid::from_bytes(id.as_bytes()).unwrap_or(git2::Oid::ZERO_SHA1)
}

/// A merge in progress would be carried to another branch; a locked index could not be written in the end.
fn refuse_busy(repository: &Repository, opened: &git2::Repository, call: &Call) -> Result<(), ToolError> {
    let state = opened.state();
    let conflicts = opened.index().map_err(|error| libgit2(repository, &error))?.has_conflicts();
    if conflicts || !matches!(state, git2::RepositoryState::Clean | git2::RepositoryState::Bisect) {
        let what = if state == git2::RepositoryState::Clean { "unmerged paths" } else { operation(state) };
        return Err(ToolError::new(
            Code::MergeInProgress,
            format!("the repository at `{}` has {what} in progress", repository.folder()),
            "finish or abort it first; the user can do that with git itself",
        ));
    }
    let lock = repository.folder().join(".git").join("index.lock");
    if call.workspace.handle().symlink_metadata(lock.as_path()).is_ok() {
        return Err(ToolError::new(
            Code::Busy,
            format!("the repository at `{}` is locked by another git process", repository.folder()),
            "try again; if no git runs, the user can remove `.git/index.lock`",
        ));
    }
    Ok(())
}

/// The commit to go to; `None` for a new branch in a repository without commits.
fn destination(
    params: &Params,
    repository: &Repository,
    reader: &gix::Repository,
    opened: &git2::Repository,
    head: Option<ObjectId>,
) -> Result<Option<ObjectId>, ToolError> {
    let name = visible(&params.branch).into_owned();
    if params.branch.starts_with('-') || !git2::Branch::name_is_valid(&params.branch).unwrap_or(false) {
        return Err(ToolError::new(
            Code::InvalidArgs,
            format!("`{name}` is no name for a branch"),
            "use letters, digits, `-`, `_`, `.` and `/`",
        ));
    }
    let found = opened.find_branch(&params.branch, git2::BranchType::Local).ok();
    match (found, params.create) {
        (Some(_), true) => Err(ToolError::new(
            Code::AlreadyExists,
            format!("the branch `{name}` exists"),
            "leave `create` out to switch to it",
        )),
        (None, true) if params.base.is_empty() => Ok(head),
        (None, true) => revision::commit(reader, &params.base).map(Some),
        (Some(_), false) if !params.base.is_empty() => Err(ToolError::new(
            Code::InvalidArgs,
            "`base` is where a new branch starts; this one exists".to_owned(),
            "leave `base` out",
        )),
        (Some(_), false) => revision::commit(reader, &format!("refs/heads/{}", params.branch)).map(Some),
        (None, false) => {
            let branches = opened.branches(Some(git2::BranchType::Local));
            let branches = branches.map_err(|error| libgit2(repository, &error))?;
            let names: Vec<String> = branches
                .filter_map(|branch| {
                    Some(String::from_utf8_lossy(branch.ok()?.0.name_bytes().ok()?).into_owned())
                })
                .collect();
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

/// What the change means for each path, once nothing local can be lost by it.
fn safe(
    call: &Call,
    repository: &Repository,
    reader: &gix::Repository,
    changed: Vec<Changed>,
) -> Result<Vec<Target>, ToolError> {
    let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
    let wanted = Wanted { staged: None, unstaged: true, untracked: Untracked::No };
    let local = changes(repository, wanted, call)?;
    let index = reader.index_or_empty().map_err(broken)?;
    let goes: std::collections::BTreeSet<BString> =
        changed.iter().filter(|changed| changed.new.is_none()).map(|changed| changed.path.clone()).collect();
    let (mut lost, mut blocked, mut targets) = (Vec::new(), 0, Vec::new());
    for Changed { path: git_path, old, new, .. } in changed {
        let Some(path) = shown(repository, call, git_path.as_bstr()) else {
            blocked += 1;
            continue;
        };
        if [old, new].into_iter().flatten().any(|entry| entry.mode == SUBMODULE) {
            return Err(ToolError::new(
                Code::UnsupportedHere,
                format!("the branches differ in the submodule `{path}`"),
                "the user can switch with git itself",
            ));
        }
        let staged = index
            .entry_by_path(git_path.as_bstr())
            .map(|entry| Entry { mode: entry.mode.bits(), id: entry.id });
        if staged == new {
            // As it will be, whatever the work tree makes of it; but what is gone from both should not be there.
            if new.is_none() && call.workspace.node(&path.to_text())?.is_some() {
                lost.push(path);
            }
            continue;
        }
        let changed_here = local.unstaged.iter().any(|changed| changed.path == git_path);
        let in_the_way = old.is_none() && stands_in_the_way(call, repository, &path, &goes)?;
        if staged != old || changed_here || in_the_way {
            lost.push(path);
            continue;
        }
        targets.push(Target { path, git_path, to: new });
    }
    if !lost.is_empty() {
        let names: Vec<String> = lost.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
        let more =
            if lost.len() > NAMED { format!(" and {} more", lost.len() - NAMED) } else { String::new() };
        return Err(ToolError::new(
            Code::Stale,
            format!("local changes of {}{more} would be lost", names.join(", ")),
            "commit them first (git_add, git_commit), or discard them with git_restore or fs_delete",
        ));
    }
    if blocked > 0 {
        return Err(ToolError::new(
            Code::BlockedPath,
            format!("{} of the other branch blocked by the configuration", plural(blocked, "path")),
            "what cannot be shown is not written; the user can switch with git itself",
        ));
    }
    Ok(targets)
}

/// True when something untracked stands where a file of the other branch has to come, or on the way to it.
fn stands_in_the_way(
    call: &Call,
    repository: &Repository,
    path: &RelPath,
    goes: &std::collections::BTreeSet<BString>,
) -> Result<bool, ToolError> {
    let handle = call.workspace.handle();
    let is_going =
        |path: &RelPath| repository.in_repository(path).is_some_and(|inside| goes.contains(inside.as_bstr()));
    let mut folder = path.parent();
    while let Some(here) = folder.filter(|here| !here.is_root() && here != repository.folder()) {
        match stat_walked(handle, &here).unwrap_or(Some(WalkKind::Other)) {
            Some(WalkKind::Dir) => break,
            None => {}
            Some(_) if is_going(&here) => {}
            Some(_) => return Ok(true),
        }
        folder = here.parent();
    }
    match call.workspace.node(&path.to_text())? {
        None => Ok(false),
        // Only what goes may be in it.
        Some(Node::Folder) => Ok(!holds_only(call, path, &is_going)),
        Some(_) => Ok(!is_going(path)),
    }
}

/// True when everything below a folder is going.
fn holds_only(call: &Call, folder: &RelPath, is_going: &impl Fn(&RelPath) -> bool) -> bool {
    let Ok(entries) = call.workspace.handle().read_dir(folder.as_path()) else { return false };
    entries.into_iter().all(|entry| {
        entry.is_ok_and(|entry| {
            let path = folder.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => holds_only(call, &path, is_going),
                Ok(_) => is_going(&path),
                Err(_) => false,
            }
        })
    })
}

impl Work {
    /// The index has what the other branch has; everything else in it stays.
    fn update_index(&self, call: &Call, opened: &git2::Repository) -> Result<(), ToolError> {
        if self.entries.is_empty() {
            return Ok(());
        }
        let failed = |error: git2::Error| libgit2(&self.repository, &error);
        let mut index = opened.index().map_err(failed)?;
        index.read(true).map_err(failed)?;
        for target in &self.entries {
            let place = gix::path::from_bstr(target.git_path.as_bstr())
                .map_err(|error| self.repository.broken(&error))?;
            match target.to {
                None => index.remove_path(&place).map_err(failed)?,
                Some(entry) => {
                    let stat = super::side::stat_at(call, &target.path);
                    let entry = stage::entry(target.git_path.as_bstr(), oid(entry.id), entry.mode, stat);
                    index.add(&entry).map_err(failed)?;
                }
            }
        }
        index.write().map_err(failed)
    }

    /// After a failure half way: what was changed becomes again what it was.
    fn take_back(
        &self,
        call: &Call,
        permit: &Permit,
        reader: &gix::Repository,
        made: usize,
        mut error: ToolError,
    ) -> ToolError {
        let back = || -> Result<(), ToolError> {
            let before = revision::tree_of(reader, self.from.unwrap_or(ObjectId::null(reader.object_hash())));
            let before = before.map_err(|error| self.repository.broken(&error))?;
            let mut bytes = super::attributes::ToWorkTree::new(&self.repository, reader, Some(before))?;
            for change in self.checkout.changes[..made].iter().rev() {
                let content = match (&change.before, self.source_before(reader, before, &change.path)?) {
                    (Some(Node::File { .. }), Some((git_path, entry))) => {
                        let stored = super::side::object(&self.repository, reader, entry)?;
                        Some(bytes.convert(git_path.as_bstr(), stored)?)
                    }
                    _ => None,
                };
                call.workspace.put(permit, &change.reversed(), content.as_deref())?;
            }
            Ok(())
        };
        let words = match back() {
            Ok(()) => "nothing was changed".to_owned(),
            Err(_) => {
                format!("{made} of {} files were changed, the branch was not", self.checkout.changes.len())
            }
        };
        error.message = format!("{}; {words}", error.message);
        error
    }

    fn source_before(
        &self,
        reader: &gix::Repository,
        tree: ObjectId,
        path: &str,
    ) -> Result<Option<(BString, Entry)>, ToolError> {
        let Some(target) = self.entries.iter().find(|target| target.path.to_text() == path) else {
            return Ok(None);
        };
        let found = super::between::entry_at(reader, tree, &target.git_path);
        let found = found.map_err(|error| self.repository.broken(&error))?;
        Ok(found.map(|entry| (target.git_path.clone(), entry)))
    }
}
