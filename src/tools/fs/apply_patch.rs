//! `fs_apply_patch`: many files as one patch says, all or none. Never replaces a file that the patch does not know, never guesses
//! where a hunk belongs.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    change::SET_ID_GONE,
    git_folder::git_folder,
    ladder::Level,
    names::taken_literally,
    patch::{self, Action, Doubt},
    patch_names::choose_names,
    patch_plan::{FilePlan, plan, plan_replacement},
};
use crate::{
    config::Profile,
    limits::{IMAGE_BYTES, PATCH_BYTES, PATCH_FILES},
    policy::{ChangeOp, Effect, FileChange, Intent, PathClass, Permit, Preview, Raise},
    relpath::RelPath,
    text::counted,
    tier::Tier,
    tools::{Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec, diff, secret_looking},
    workspace::{Executable, WorkspacePath, split_name},
};

/// The patch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// `*** Begin Patch` … `*** End Patch`, or a unified diff.
    patch: String,
}

/// What was changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Each file.
    files: Vec<Patched>,
    /// The user can undo it.
    undo: bool,
}

/// One file of a patch.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Patched {
    /// Relative to the workspace, resolved.
    path: String,
    /// Its old name.
    from: Option<String>,
    /// `create`, `edit`, `rename` or `delete`.
    op: String,
    /// Lines added.
    added: u32,
    /// Lines removed.
    removed: u32,
    /// Of its bytes now.
    etag: Option<String>,
    /// How well the loosest of its hunks matched.
    #[serde(rename = "match")]
    level: Option<Level>,
}

/// A prepared patch.
#[derive(Debug)]
pub struct Work {
    files: Vec<FilePlan>,
    warnings: Vec<String>,
}

/// So many doubts of one file are told one by one to whoever is asked.
const DOUBTS_TOLD: usize = 5;

/// The tool.
#[derive(Debug)]
pub struct FsApplyPatch;

/// The paths that a patch names; none where it cannot be read.
pub fn patched_paths(text: &str) -> Vec<String> {
    let mut patches = patch::parse(text).unwrap_or_default();
    patches.iter_mut().flat_map(patch::FilePatch::paths_mut).map(std::mem::take).collect()
}

/// Takes the workspace's name off a path; that of another one is refused.
fn own(path: &mut String, call: &Call) -> Result<(), ToolError> {
    let known = |id: &str| call.workspaces.iter().any(|workspace| workspace.id() == id);
    let Some((id, rest)) = split_name(path).filter(|(id, _)| known(id)) else { return Ok(()) };
    if id != call.workspace.id() {
        let message = format!("the patch names `{path}`, which is in another workspace; nothing was changed");
        return Err(ToolError::new(Code::CrossDevice, message, "make one patch for each workspace"));
    }
    *path = rest.to_owned();
    Ok(())
}

impl Tool for FsApplyPatch {
    type Params = Params;
    type Output = Output;
    type Work = Work;
    const SPEC: ToolSpec = ToolSpec {
        name: "fs_apply_patch",
        title: "Apply a patch",
        description: "Applies a patch to many files, all or none: the `*** Begin Patch` format (Add/Delete/Update \
            File, Move to, @@ hunks) or a unified diff. Never onto an existing file.",
        profile: Profile::Core,
        tier: Tier::Batch,
        annotations: Annotations {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: false,
        },
    };

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        if params.patch.len() > PATCH_BYTES {
            let message = format!("the patch has {} bytes; the limit is {PATCH_BYTES}", params.patch.len());
            return Err(ToolError::new(Code::TooLarge, message, "split it over several calls"));
        }
        let mut patches = patch::parse(&params.patch).map_err(|error| {
            ToolError::new(Code::InvalidArgs, format!("{error}; nothing was changed"), error.hint)
        })?;
        if patches.len() > PATCH_FILES {
            let message = format!("the patch has {} files; the limit is {PATCH_FILES}", patches.len());
            return Err(ToolError::new(Code::TooLarge, message, "split it over several calls"));
        }
        for patch in &mut patches {
            for path in patch.paths_mut() {
                own(path, call)?;
            }
        }
        choose_names(&mut patches, call)?;
        let secret = first_secret(&patches, call);
        changes(&params.patch, &patches, call).map_err(|error| match secret {
            Some(raise) if error.code != Code::Cancelled => error.asked_first(raise),
            _ => error,
        })
    }

    fn narrow(&self, work: Work, hunks: &[String]) -> Result<Prepared<Work>, ToolError> {
        let mut warnings = work.warnings;
        let mut files = Vec::new();
        for file in work.files {
            let name = file.name();
            match file.only(hunks)? {
                Some(file) => files.push(file),
                None => warnings.push(format!("{name} was not changed")),
            }
        }
        // What of it cannot be kept was told when it was asked.
        Ok(prepared(files, warnings, None))
    }

    fn run(&self, permit: &Permit, work: Work, call: &Call) -> Result<Reply<Output>, ToolError> {
        call.check_cancelled()?;
        let Work { files, mut warnings } = work;
        let steps: Vec<_> = files.iter().flat_map(FilePlan::steps).collect();
        call.workspace.change_together(permit, &steps, &|| call.cancel.is_cancelled())?;
        let mut text = format!("Changed {}\n", counted(files.len(), "file"));
        for file in &files {
            text.push_str(&file.line());
            text.push('\n');
            if file.level > Level::Exact {
                let overlooked = file.level.but_for();
                warnings.push(format!("{} matched but for {overlooked}", file.name()));
            }
            for (hunk, line) in &file.moved {
                warnings.push(format!(
                    "the hunk at line {hunk} of the patch stood at line {line} of {}",
                    file.name()
                ));
            }
            warnings.extend(file.doubted.iter().map(|doubted| doubt(*doubted, &file.name())));
            if file.other_names() > 0 {
                let (name, others) = (file.name(), file.other_names());
                warnings.push(format!(
                    "{name} had {others} other name(s) (hard links); they keep the old content"
                ));
            }
            if file.loses_set_id() {
                warnings.push(format!("{}: {SET_ID_GONE}", file.name()));
            }
        }
        let undo = call.not_kept(kept_bytes(&files)).is_none();
        let files = files.iter().map(facts).collect();
        let mut reply = Reply::new(text, Output { files, undo });
        reply.warnings = warnings;
        Ok(reply)
    }
}

/// That a hunk may have been meant for another place.
fn doubt((hunk, line, doubt): (usize, usize, Doubt), name: &str) -> String {
    match doubt {
        Doubt::Unnamed => format!(
            "the hunk at line {hunk} of the patch stood at line {line} of {name} alone, and what is behind its `@@` stands nowhere above it"
        ),
        Doubt::First(places) => format!(
            "the hunk at line {hunk} of the patch fits at {places} places of {name}; the first below the line that it names is taken, \
             line {line}"
        ),
        Doubt::Within(places) => format!(
            "the hunk at line {hunk} of the patch fits at {places} places of {name}; the one that seems to belong to what is behind its \
             `@@` is taken, line {line}"
        ),
    }
}

/// What the patch makes of the files that are there.
fn changes(text: &str, patches: &[patch::FilePatch], call: &Call) -> Result<Prepared<Work>, ToolError> {
    let mut files = Vec::with_capacity(patches.len());
    let mut room = diff::PlanRoom::default();
    let mut taken = BTreeSet::new();
    for (index, patch) in patches.iter().enumerate() {
        call.check_cancelled()?;
        if taken.contains(&index) {
            continue;
        }
        let planned = match added_again(patches, index) {
            Some(again) => {
                taken.insert(again);
                plan_replacement(patch, &patches[again], call, &mut room)
            }
            None => plan(patch, call, &mut room),
        };
        let planned = planned.map_err(|error| not_yet_free(patches, index, error));
        files.push(planned.map_err(|error| named_before(patches, index, error))?);
    }
    check_paths(&files)?;
    let moves_only = |patch: &patch::FilePatch| matches!(&patch.action, Action::Update { to: Some(_), .. });
    if files.iter().all(FilePlan::changes_nothing) && !patches.iter().any(moves_only) {
        let message = "the patch leaves every file as it is";
        return Err(ToolError::new(Code::NoChange, message, "nothing has to be written"));
    }
    let has_nul = text.contains('\0');
    let warning = "the patch has a NUL: other tools take the file for binary".to_owned();
    let secrets: Vec<Raise> = files
        .iter()
        .flat_map(FilePlan::paths)
        .filter_map(|path| secret_looking(call, path.resolved()))
        .collect();
    let not_kept = call.not_kept(kept_bytes(&files));
    let literal = files.iter().filter_map(FilePlan::appears).filter_map(taken_literally);
    let short = patches.iter().filter_map(|patch| patch.short).map(|short| {
        let patch::Short { line, said, found } = short;
        format!("the last hunk, at line {line} of the patch, says that it has {said} lines and has {found}: was it cut off?")
    });
    let warnings = has_nul.then_some(warning).into_iter().chain(literal).chain(short).collect();
    let in_git = git_folder(call, files.iter().flat_map(FilePlan::paths).map(WorkspacePath::resolved));
    let mut prepared = prepared(files, warnings, not_kept);
    prepared.intent.raises.extend(in_git.into_iter().chain(secrets));
    Ok(prepared)
}

/// Why a person is asked before the caller learns that the patch fails, at whatever file: that those before it fit says what stands in
/// them.
fn first_secret(patches: &[patch::FilePatch], call: &Call) -> Option<Raise> {
    let is_there = |patch: &&patch::FilePatch| !matches!(patch.action, Action::Add { .. });
    patches.iter().filter(is_there).find_map(|patch| {
        let path = call.workspace.resolve(&patch.path).ok().filter(WorkspacePath::exists)?;
        secret_looking(call, path.resolved())
    })
}

/// Where a file comes again that is deleted here.
fn added_again(patches: &[patch::FilePatch], index: usize) -> Option<usize> {
    let patch = &patches[index];
    if !matches!(patch.action, Action::Delete { .. }) {
        return None;
    }
    let is_it =
        |later: &patch::FilePatch| later.path == patch.path && matches!(later.action, Action::Add { .. });
    patches[index + 1..].iter().position(is_it).map(|later| index + 1 + later)
}

/// Each path is planned by what stands there before the patch: a name that the patch itself takes away is not free for it yet.
fn not_yet_free(patches: &[patch::FilePatch], index: usize, error: ToolError) -> ToolError {
    let patch = &patches[index];
    let (wanted, is_moved) = match &patch.action {
        Action::Add { .. } => (&patch.path, false),
        Action::Update { to: Some(to), .. } => (to, true),
        _ => return error,
    };
    if !matches!(error.code, Code::AlreadyExists | Code::WrongType) {
        return error;
    }
    let below =
        |path: &str, folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let in_the_way = patches.iter().find(|other| match other.action {
        // One file that is deleted, then added, is one change.
        Action::Delete { .. } if other.path == *wanted => is_moved,
        Action::Delete { .. } | Action::Update { to: Some(_), .. } => {
            other.path == *wanted || below(&other.path, wanted) || below(wanted, &other.path)
        }
        _ => false,
    });
    let Some(other) = in_the_way else { return error };
    let (gone, line) = (&other.path, patch.line);
    let message = format!(
        "`{wanted}` is not free before the patch is done, which takes away `{gone}` itself (line {line} of the patch); nothing was \
         changed"
    );
    // A folder stays when its last file goes.
    let between = if below(gone, wanted) {
        format!(", then delete the folder `{wanted}` with fs_delete")
    } else {
        String::new()
    };
    let hint =
        format!("make two patches of it: one that takes `{gone}` away{between}, then one with the rest");
    ToolError::new(error.code, message, hint)
}

/// A file that the patch has named already is planned as it is before the patch, like every other.
fn named_before(patches: &[patch::FilePatch], index: usize, error: ToolError) -> ToolError {
    let (path, line) = (&patches[index].path, patches[index].line);
    let names = |other: &patch::FilePatch| match &other.action {
        Action::Update { to: Some(to), .. } => other.path == *path || to == path,
        _ => other.path == *path,
    };
    let is_about_it = matches!(error.code, Code::NotFound | Code::NoMatch);
    if is_about_it && patches[..index].iter().any(names) {
        return twice(path, &format!(" (again at line {line} of the patch)"));
    }
    error
}

fn twice(path: &dyn std::fmt::Display, place: &str) -> ToolError {
    ToolError::new(
        Code::InvalidArgs,
        format!("`{path}` stands in the patch twice{place}; nothing was changed"),
        "put all hunks of a file under one header, in the order of the file",
    )
}

fn facts(file: &FilePlan) -> Patched {
    let shown = file.shown();
    Patched {
        op: serde_json::to_value(shown.op)
            .ok()
            .and_then(|op| op.as_str().map(str::to_owned))
            .unwrap_or_default(),
        level: (shown.op == ChangeOp::Edit || shown.op == ChangeOp::Rename).then_some(file.level),
        etag: shown.after_etag.as_ref().map(|etag| etag.as_str().to_owned()),
        path: shown.path,
        from: shown.from,
        added: shown.added,
        removed: shown.removed,
    }
}

fn kept_bytes(files: &[FilePlan]) -> u64 {
    files.iter().map(FilePlan::kept_bytes).sum()
}

fn prepared(files: Vec<FilePlan>, warnings: Vec<String>, not_kept: Option<Raise>) -> Prepared<Work> {
    let undoable = not_kept.is_none();
    let shown: Vec<FileChange> = files.iter().map(|file| FileChange { undoable, ..file.shown() }).collect();
    let (added, removed) =
        shown.iter().fold((0, 0), |(added, removed), file| (added + file.added, removed + file.removed));
    let mut changes = Vec::new();
    for change in files.iter().flat_map(FilePlan::changes) {
        // Two new files may share a new folder.
        if !changes.contains(&change) {
            changes.push(change);
        }
    }
    let intent = Intent {
        effect: Effect::Write,
        raises: files.iter().flat_map(raises).chain(not_kept).collect(),
        tier: None,
        changes,
        summary: format!("Patch {} (+{added} −{removed})", counted(files.len(), "file")),
        preview: Some(Preview::Files { files: shown }),
    };
    Prepared { intent, work: Work { files, warnings } }
}

fn raises(file: &FilePlan) -> Vec<Raise> {
    let mut reasons = Vec::new();
    match file.op {
        ChangeOp::Delete => reasons.push(format!("{} is deleted", file.name())),
        ChangeOp::Rename => reasons.push(format!("{} is moved", file.name())),
        _ if file.is_replaced => reasons.push(format!("{} is replaced as a whole", file.name())),
        _ => {}
    }
    for path in file.paths().filter(|path| path.class() == PathClass::Protected) {
        let path = path.resolved();
        reasons.push(format!("`{path}` is a protected path: other programs act on what it says"));
    }
    if file.executable == Executable::Set {
        reasons.push(format!("{} becomes executable", file.name()));
    }
    let doubts = file.doubted.iter().filter(|(.., doubt)| !matches!(doubt, Doubt::Unnamed));
    // Whoever is asked anyway can say which of the places was meant.
    let mut told: Vec<String> =
        doubts.clone().take(DOUBTS_TOLD).map(|doubted| doubt(*doubted, &file.name())).collect();
    let left = doubts.count() - told.len();
    if left > 0 {
        told.push(format!(
            "{left} more hunks of {} fit at several places, one of which is taken",
            file.name()
        ));
    }
    let doubts = told.into_iter().map(|reason| Raise { tier: Tier::Batch, reason });
    reasons.into_iter().map(|reason| Raise { tier: Tier::Individual, reason }).chain(doubts).collect()
}

/// Each path once, and no more than can be put back.
fn check_paths(files: &[FilePlan]) -> Result<(), ToolError> {
    let mut seen = BTreeSet::new();
    for path in files.iter().flat_map(FilePlan::paths) {
        if !seen.insert(path.resolved()) {
            return Err(twice(path.resolved(), ""));
        }
    }
    let new: BTreeSet<_> = files.iter().filter_map(FilePlan::appears).map(WorkspacePath::resolved).collect();
    for path in &new {
        let above = std::iter::successors(path.parent(), RelPath::parent);
        if let Some(file) = above.into_iter().find(|above| new.contains(above)) {
            return Err(ToolError::new(
                Code::InvalidArgs,
                format!(
                    "`{file}` becomes a file by the patch, so nothing can be at `{path}`; nothing was changed"
                ),
                "give one of them another name",
            ));
        }
    }
    let bytes = kept_bytes(files);
    if bytes > IMAGE_BYTES {
        return Err(ToolError::new(
            Code::TooLarge,
            format!(
                "the files of the patch have {bytes} bytes; {IMAGE_BYTES} can be kept for putting them back"
            ),
            "split it over several calls",
        ));
    }
    Ok(())
}
