//! `git_restore`: files of the work tree become again what the index or a commit has.
//!
//! What is overwritten is kept by the journal first, so that it can be undone. What is staged and the branch stay as they are, blocked
//! files are left alone, and untracked ones go only where they stand in the place of a restored one. The index learns what the
//! restored files are like, as by git: it goes by the size that it knows, and would call a file changed whose line ends are others.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use gix::{
    ObjectId,
    bstr::{BString, ByteSlice},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    add::writable,
    between::between,
    changes::{Entry, Untracked, Wanted, changes},
    checkout::{self, Checkout, Target},
    left_alone::LeftAlone,
    libgit2, lies_in, racily_clean,
    renames::STATUS,
    revision, shown,
    side::{self, SUBMODULE},
    stage,
    tree_move::oid,
};
use crate::{
    config::Profile,
    policy::{Effect, Intent, PathClass, Permit, Preview},
    relpath::RelPath,
    text::{counted, visible},
    tier::Tier,
    tools::{Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec},
    workspace::{
        DoorError,
        repository::{Holding, Repository},
        walk::{WalkKind, stat_walked},
    },
};

/// `git_restore`.
#[derive(Clone, Copy, Debug)]
pub struct GitRestore;

/// What to restore.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Files or folders that git knows.
    #[schemars(length(min = 1))]
    pub paths: Vec<String>,
    /// The commit to take them from; empty: what is staged.
    #[serde(default)]
    pub source: String,
}

/// What was restored.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Facts {
    /// The paths that changed.
    pub restored: Vec<String>,
    /// The turn can be undone.
    pub undo: bool,
    /// Paths the configuration blocks; they were left alone.
    pub blocked: u64,
}

/// A restore that was planned.
#[derive(Debug)]
pub struct Work {
    repository: Repository,
    checkout: Checkout,
    blocked: u64,
    /// Submodules that differ; they are left alone.
    submodules: Vec<BString>,
    /// What is to be said of folders that nobody can look into.
    notes: Vec<String>,
}

impl Tool for GitRestore {
    type Params = Params;
    type Output = Facts;
    type Work = Work;

    const SPEC: ToolSpec = ToolSpec {
        name: "git_restore",
        title: "Restore files",
        description: "Discards changes of files or folders in the work tree: they become what is staged, or with `source` what \
                      that commit has (files it does not have go). What is staged stays, and untracked files but for those \
                      in the place of a restored one. The user sees each file first, and can undo it.",
        profile: Profile::Full,
        tier: Tier::Individual,
        annotations: Annotations { read_only: false, destructive: true, idempotent: true, open_world: false },
    };

    const OPENS_BY_NAME: bool = true;

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        if params.paths.is_empty() {
            return Err(ToolError::new(
                Code::InvalidArgs,
                "git_restore: `paths` is empty",
                "name the paths to restore; `.` restores everything that git knows",
            ));
        }
        writable(call)?;
        let (repository, paths) = stage::find(call, &params.paths)?;
        let reader = repository.reader()?;
        let source = if params.source.is_empty() {
            None
        } else {
            let commit = revision::commit(&reader, &params.source)?;
            Some(revision::tree_of(&reader, commit).map_err(|error| repository.broken(&error))?)
        };
        let (mut wanted, mut notes) = wanted(call, &repository, &reader, &paths, source)?;
        let submodules = without_submodules(&repository, &reader, &mut wanted)?;
        let left_alone = LeftAlone::new(&repository, &reader)?;
        let named: Vec<BString> = paths.into_iter().map(|(_, inside)| inside.into()).collect();
        if source.is_none() {
            notes.extend(without_outside(&left_alone, &named, &mut wanted));
        }
        let (mut targets, blocked) = targets(call, &repository, wanted);
        in_the_way(call, &repository, &mut targets)?;
        // Such a file is no difference; whoever names it means it.
        let named = named.iter().filter(|path| left_alone.knows(path.as_bstr()));
        left_alone.refuse((call, &repository), named.chain(targets.iter().map(|target| &target.git_path)))?;
        let checkout = checkout::plan(call, &repository, &reader, targets, None)?;
        if checkout.changes.is_empty() {
            let intent = Intent::nothing("Nothing to restore");
            return Ok(Prepared { intent, work: Work { repository, checkout, blocked, submodules, notes } });
        }
        let from = if params.source.is_empty() { "the index".into() } else { visible(&params.source) };
        let intent = Intent {
            effect: Effect::Write,
            raises: checkout.raises(),
            tier: None,
            changes: checkout.changes.clone(),
            summary: format!("Restore {} from {from}", counted(checkout.files(), "file")),
            preview: Some(Preview::Files { files: checkout.shown.clone() }),
        };
        Ok(Prepared { intent, work: Work { repository, checkout, blocked, submodules, notes } })
    }

    fn run(&self, permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        let total = work.checkout.changes.len();
        if total > 0 {
            let opened = work.repository.writer(permit)?;
            let reader = work.repository.reader()?;
            // As by git, nobody else changes the index meanwhile.
            let holding = work.repository.hold(permit, &[b"index"])?;
            work.checkout.make(call, permit, &work.repository, &reader).map_err(|(made, mut error)| {
                if made > 0 {
                    error.message = format!("{}; {made} of {total} changes were made", error.message);
                    "the user can undo them; git_status shows what still differs".clone_into(&mut error.hint);
                }
                error
            })?;
            // The files are right without it, and git looks at most of them again by itself.
            if let Err(error) = work.renew_index(call, &opened, holding) {
                tracing::warn!(%error, "the index does not know what the restored files are like");
            }
        }
        let restored: Vec<String> = work.checkout.shown.iter().map(|file| file.path.clone()).collect();
        let mut text = match restored.len() {
            0 => "nothing to restore: the files are as wanted".to_owned(),
            count => format!("restored {}:\n  {}", counted(count, "file"), restored.join("\n  ")),
        };
        if work.blocked > 0 {
            let _ = write!(text, "\n{} blocked by the configuration, left alone", work.blocked);
        }
        let undo = !restored.is_empty() && work.checkout.not_kept.is_none();
        let mut reply = Reply::new(text, Facts { restored, undo, blocked: work.blocked });
        reply.warnings.extend(work.notes);
        for path in &work.submodules {
            reply.warnings.push(format!(
                "the submodule `{}` was left alone; the user can restore it with git itself",
                visible(&path.to_str_lossy())
            ));
        }
        Ok(reply)
    }
}

impl Work {
    /// The index knows of each file that now is what it stands for how that file looks.
    fn renew_index(
        &self,
        call: &Call,
        opened: &git2::Repository,
        mut holding: Holding,
    ) -> Result<(), ToolError> {
        let repository = &self.repository;
        let failed = |error: git2::Error| libgit2(repository, &error);
        let mut index = holding.index(opened)?;
        let mut known = 0;
        for (git_path, entry) in self.checkout.sources() {
            let Some(path) = shown(repository, call, git_path.as_bstr()) else { continue };
            let place =
                gix::path::from_bstr(git_path.as_bstr()).map_err(|error| repository.broken(&error))?;
            let staged = index.get_path(&place, 0);
            let is_it = staged.is_some_and(|staged| staged.mode == entry.mode && staged.id == oid(entry.id));
            if is_it {
                let stat = side::stat_at(call, &path);
                index
                    .add(&stage::entry(git_path.as_bstr(), oid(entry.id), entry.mode, stat))
                    .map_err(failed)?;
                known += 1;
            }
        }
        if known > 0 {
            racily_clean::write(call, repository, &holding, &mut index)?;
            holding.put_index();
            holding.put()?;
        }
        Ok(())
    }
}

/// Every path that differs, and what it becomes.
type Becomes = BTreeMap<BString, Option<Entry>>;

fn wanted(
    call: &Call,
    repository: &Repository,
    reader: &gix::Repository,
    paths: &[stage::Named],
    source: Option<ObjectId>,
) -> Result<(Becomes, Vec<String>), ToolError> {
    let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
    let folders: Vec<Vec<u8>> = paths.iter().map(|(_, inside)| inside.clone()).collect();
    let index = reader.index_or_empty().map_err(broken)?;
    let in_source = match source {
        Some(tree) => between((call, repository), reader, (None, Some(tree)), false)?,
        None => Vec::new(),
    };
    for (path, inside) in paths {
        let known = stage::is_tracked(&index, inside)
            || in_source.iter().any(|changed| lies_in(&changed.path, inside));
        if !known {
            let place = if source.is_some() { "the index and `source`" } else { "git" };
            return Err(ToolError::new(
                Code::NotFound,
                format!("`{path}` is not known to {place}"),
                "git_status lists untracked files; fs_delete removes one",
            ));
        }
    }
    let wanted = Wanted {
        staged: None,
        unstaged: true,
        untracked: Untracked::No,
        renames: STATUS,
        believes_index: false,
    };
    let mut found = changes(repository, wanted, call)?;
    found.keep_in(&folders);
    let notes = found.notes(repository, call);
    if let Some((path, _)) = found.conflicted.first().filter(|_| source.is_none()) {
        return Err(ToolError::new(
            Code::MergeInProgress,
            format!("`{}` is unmerged: the index has several versions of it", visible(&path.to_str_lossy())),
            "give `source`, e.g. `HEAD`, or resolve the conflict and git_add the file",
        ));
    }
    let is_wanted = |path: &BString| folders.iter().any(|folder| lies_in(path, folder));
    // What is only announced (`git add -N`) has nothing to be restored from.
    let known = found.unstaged.iter().filter(|changed| changed.old.is_some());
    let mut becomes: Becomes = known.map(|changed| (changed.path.clone(), changed.old)).collect();
    if source.is_some() {
        let mut tree: Becomes = in_source
            .into_iter()
            .filter(|changed| is_wanted(&changed.path))
            .map(|changed| (changed.path, changed.new))
            .collect();
        // What the index has as the source has it, and the work tree as the index, is as wanted.
        for entry in index.entries() {
            let path = entry.path(&index).to_owned();
            if !is_wanted(&path) || entry.flags.contains(gix::index::entry::Flags::INTENT_TO_ADD) {
                continue;
            }
            let same = tree
                .get(&path)
                .is_some_and(|found| *found == Some(Entry { mode: entry.mode.bits(), id: entry.id }));
            if same && entry.stage_raw() == 0 && !becomes.contains_key(&path) {
                tree.remove(&path);
            } else {
                tree.entry(path).or_insert(None);
            }
        }
        becomes = tree;
    }
    Ok((becomes, notes))
}

/// Takes out the submodules, which git leaves alone as well; they are what is returned. Nothing is put in their place.
fn without_submodules(
    repository: &Repository,
    reader: &gix::Repository,
    wanted: &mut Becomes,
) -> Result<Vec<BString>, ToolError> {
    let index = reader.index_or_empty().map_err(|error| repository.broken(&error))?;
    let is_submodule =
        |path: &[u8]| index.entry_by_path(path.as_bstr()).is_some_and(|entry| entry.mode.bits() == SUBMODULE);
    let mut left = Vec::new();
    for (path, to) in wanted.iter() {
        let ends = memchr::memchr_iter(b'/', path).chain([path.len()]);
        let Some(submodule) = ends.map(|end| &path[..end]).find(|path| is_submodule(path)) else {
            if to.is_some_and(|to| to.mode == SUBMODULE) {
                left.push(path.clone());
            }
            continue;
        };
        if to.is_some_and(|to| to.mode != SUBMODULE) {
            return Err(ToolError::new(
                Code::UnsupportedHere,
                format!(
                    "`{}` would come where the submodule `{}` is",
                    visible(&path.to_str_lossy()),
                    visible(&submodule.to_str_lossy())
                ),
                "leave it out of `paths`; the user can restore it with git itself",
            ));
        }
        left.push(path.clone());
    }
    wanted.retain(|path, _| left.binary_search(path).is_err());
    Ok(left)
}

/// Takes out what changed outside of a sparse checkout and was not named itself, and says so.
fn without_outside(left_alone: &LeftAlone, named: &[BString], wanted: &mut Becomes) -> Option<String> {
    let before = wanted.len();
    wanted.retain(|path, _| named.contains(path) || !left_alone.is_outside(path.as_bstr()));
    let left = before - wanted.len();
    (left > 0).then(|| {
        format!(
            "{} that changed outside of the sparse checkout left alone; the user can restore them with git itself",
            counted(left, "path")
        )
    })
}

fn targets(call: &Call, repository: &Repository, wanted: Becomes) -> (Vec<Target>, u64) {
    let (mut targets, mut blocked, mut seen) = (Vec::new(), 0, BTreeSet::new());
    for (git_path, to) in wanted {
        match shown(repository, call, git_path.as_bstr()) {
            Some(path) => {
                // Of what goes, nothing is left where a folder has taken its place.
                let is_gone = to.is_none()
                    && matches!(stat_walked(call.workspace.handle(), &path), Ok(Some(WalkKind::Dir)));
                if seen.insert(path.clone()) && !is_gone {
                    targets.push(Target { path, git_path, to });
                }
            }
            None => blocked += 1,
        }
    }
    (targets, blocked)
}

/// Files and links that stand where a folder has to be, or in a folder where a file has to be, go; for git they are what was changed.
fn in_the_way(call: &Call, repository: &Repository, targets: &mut Vec<Target>) -> Result<(), ToolError> {
    let handle = call.workspace.handle();
    let mut found: BTreeSet<RelPath> = BTreeSet::new();
    for target in targets.iter().filter(|target| target.to.is_some()) {
        let mut folder = target.path.parent();
        while let Some(here) = folder.filter(|here| !here.is_root() && here != repository.folder()) {
            match stat_walked(handle, &here) {
                Ok(Some(WalkKind::Dir)) => break,
                Ok(Some(WalkKind::File | WalkKind::Link)) => drop(found.insert(here.clone())),
                _ => {}
            }
            folder = here.parent();
        }
        files_below(call, &target.path, &mut found)?;
    }
    let known: BTreeSet<&RelPath> = targets.iter().map(|target| &target.path).collect();
    found.retain(|path| !known.contains(path));
    for path in found {
        if call.workspace.rules().classify(&path.to_slashed()) == PathClass::Blocked {
            return Err(ToolError::new(
                Code::BlockedPath,
                "a file blocked by the configuration stands in the place of what would be restored",
                "the user can restore it with git itself; leave it out of `paths`",
            ));
        }
        let git_path = repository.in_repository(&path).unwrap_or_default().into();
        targets.push(Target { path, git_path, to: None });
    }
    Ok(())
}

/// Everything but folders in the folder at `path`, where one stands there.
fn files_below(call: &Call, path: &RelPath, found: &mut BTreeSet<RelPath>) -> Result<(), ToolError> {
    for folder in checkout::folders_at(call, path)? {
        let entries = call.workspace.handle().read_dir(folder.as_path());
        for entry in entries.map_err(|error| DoorError::io(&folder, error))? {
            let entry = entry.map_err(|error| DoorError::io(&folder, error))?;
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                found.insert(folder.join(entry.file_name()));
            }
            if found.len() > checkout::PATHS_MAX {
                return Err(checkout::too_many_paths(found.len()));
            }
        }
    }
    Ok(())
}
