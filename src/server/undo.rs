//! Undo and redo of what calls changed: a person's, never a model's. Nothing that changed since is overwritten unless they say so,
//! and an undo can be undone.
//!
//! What an undo replaces of somebody else's is kept in the same transaction that records its start; undoing *that* call brings it
//! back, by the same rules. An undo has a key like any call: asked again with it, it gives the same report, or finishes what a
//! process that died had begun, by what was recorded then.

use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    settle,
    undo_plan::{Step, Task, come_before, go_after, shown, steps, task},
};
use crate::{
    change::PathChange,
    ids::{is_ulid, new_ulid, sha256_hex},
    journal::{CallState, Going, Journal, JournalError, PartOf, Recorded, StartedCall, UndoCall},
    text::visible,
    workspace::Workspace,
};

mod apply;
pub(super) mod bytes;
mod cut_off;
mod several;

use self::apply::{Start, apply};
pub use self::bytes::{Images, images};
pub use crate::journal::{Direction, UndoneFile};

/// What a person asks for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UndoParams {
    /// The turn, or the key of one call; with the key of an undo that replaced something, that is brought back.
    pub turn: String,
    /// The key of this undo itself, a ULID: with the same key it never happens twice.
    #[serde(default)]
    pub call: Option<String>,
    /// Only say what would happen.
    #[serde(default)]
    pub dry_run: bool,
    /// Put back what can be, and leave alone what has changed since.
    #[serde(default)]
    pub skip_conflicts: bool,
    /// Put back all of it, also over what has changed since; that is kept, so this can be taken back too.
    #[serde(default)]
    pub overwrite: bool,
    /// Only these paths, and what lies below them.
    #[serde(default)]
    pub paths: Vec<String>,
    #[serde(skip)]
    pub(crate) part_of: Option<PartOf>,
    #[serde(rename = "_meta", default)]
    pub(crate) _meta: serde_json::Value,
}

/// How far it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoState {
    /// All of it is as asked for.
    Done,
    /// Some of it is.
    Partly,
    /// It was only looked at.
    DryRun,
    /// Something changed since, or could not be put back; nothing was done.
    Conflict,
    /// There is nothing to do.
    Nothing,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoReport {
    /// How far it came.
    pub state: UndoState,
    /// The workspace's id.
    pub workspace: String,
    /// Which way it went: what brings back what an undo replaced is a redo.
    pub direction: Direction,
    /// The key of this undo, where it was begun: undoing it brings back what it replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Each path.
    pub files: Vec<UndoneFile>,
    /// What did not come back with the files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Why nothing came of it.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// It was done, and that cannot be recorded.
    #[error("the files are as asked for, but the journal cannot record it: {0}")]
    Unrecorded(JournalError),
    /// No such workspace now.
    #[error("the turn changed files of the workspace `{0}`, which is not there now")]
    Workspace(String),
    /// Its id stands for another folder now.
    #[error(
        "the turn changed files of the workspace `{0}` when that was the folder `{1}`; it is another one now"
    )]
    Moved(String, String),
    /// It may not be written.
    #[error("the workspace `{0}` is read-only")]
    ReadOnly(String),
    /// The key is no key.
    #[error("`{0}` is no key of a call: a ULID is")]
    Key(String),
    /// The key is another call's.
    #[error("the key `{0}` belongs to another call, or to this one with other parameters")]
    OtherCall(String),
    /// No path of the turn's workspace.
    #[error(
        "`{0}` is no path in the workspace `{1}`; paths are relative to its folder, as the turn's own are"
    )]
    Path(String, String),
    /// It is under way.
    #[error("another host process is at the undo `{0}`; ask again when it is over")]
    Running(String),
}

/// Undoes or redoes a turn, or brings back what an undo replaced.
pub fn run<'w>(
    journal: &Journal,
    direction: Direction,
    params: &UndoParams,
    find: impl Fn(&str) -> Option<&'w Workspace>,
) -> Result<UndoReport, UndoError> {
    let _one = journal.one_undo();
    // What ended and could not be recorded then is a part of its turn.
    let late = journal.write_late();
    if !params.dry_run {
        late?;
    }
    let turn = journal.meant_turn(&params.turn)?;
    let report = match several::parts(journal, &turn, params)? {
        Some(parts) => several::run(journal, direction, params, &parts, &find)?,
        None => part(journal, direction, params, None, &find)?.report,
    };
    Ok(UndoReport { note: left_in_git(journal, &turn, &report), ..report })
}

/// Files are put back, git's own state never: whoever undoes a switch sees the files of one branch on another.
fn left_in_git(journal: &Journal, turn: &str, report: &UndoReport) -> Option<String> {
    if report.direction == Direction::Redo || report.state == UndoState::Nothing {
        return None;
    }
    let branches: Vec<String> =
        journal.switched_to(turn).ok()?.iter().map(|branch| format!("`{}`", visible(branch))).collect();
    (!branches.is_empty()).then(|| {
        format!(
            "the branch does not come back: the turn switched to {}, and an undo puts back files only; git stays on the branch that \
             it is on now",
            branches.join(", then to ")
        )
    })
}

/// What became of a turn's part in one workspace.
struct Part {
    report: UndoReport,
    /// Something changed since, and nobody said what is to become of it.
    blocked: bool,
}

impl From<UndoReport> for Part {
    fn from(report: UndoReport) -> Self {
        Self { report, blocked: false }
    }
}

/// Undoes or redoes what is to be done in one workspace: that of the calls, where none is named.
fn part<'w>(
    journal: &Journal,
    direction: Direction,
    params: &UndoParams,
    within: Option<&str>,
    find: &impl Fn(&str) -> Option<&'w Workspace>,
) -> Result<Part, UndoError> {
    if let Some(known) = earlier(journal, direction, params)? {
        return match (known.state, reported(&known)) {
            (CallState::Finished, Some(report)) => Ok(report.into()),
            (CallState::Running, _) => Err(UndoError::Running(params.call.clone().unwrap_or_default())),
            _ => {
                let workspace = writable(&known.workspace, known.root.as_slice(), find)?;
                Ok(cut_off::finish(journal, workspace, params.call.clone().unwrap_or_default(), known)?
                    .into())
            }
        };
    }
    let turn = journal.meant_turn(&params.turn)?;
    let begun = settle::cut_off(journal, &turn, params.dry_run, find)?;
    cut_off::settle_all(journal, &turn, within, params.dry_run, find)?;
    let found = task(journal, direction, &turn, (within, begun.clone()))?;
    // Another host may have been at the same turn until now, or at this very undo.
    let over = || -> Result<Option<Part>, UndoError> {
        let known = earlier(journal, direction, params)?;
        let known = known.filter(|known| known.state == CallState::Finished);
        Ok(known.and_then(|known| reported(&known)).map(Part::from))
    };
    if found.changes.is_empty() {
        return Ok(over()?.unwrap_or_else(|| nothing(found).into()));
    }
    let workspace = writable(&found.workspace, &found.roots, find)?;
    let _held = if params.dry_run { None } else { workspace.hold_writes(&|| false) };
    if let Some(part) = over()? {
        return Ok(part);
    }
    let task = task(journal, direction, &turn, (within, begun))?;
    if task.changes.is_empty() {
        return Ok(nothing(task).into());
    }
    let paths = plain_paths(&params.paths, workspace)?;
    let (mut steps, whole) = steps(workspace, &task, &paths);
    if steps.is_empty() {
        return Ok(nothing(task).into());
    }
    let images = images(journal, workspace, steps.iter().map(|step| &step.change))?;
    bytes::hold_fast(journal, workspace, &images, (&task.calls, &mut steps))?;
    come_before(journal, workspace, &mut steps)?;
    go_after(journal, workspace, &task, &mut steps)?;
    let conflicts = steps.iter().any(|step| step.conflict.is_some());
    let hopeless = steps.iter().any(|step| step.hopeless);
    let blocked = conflicts && !params.skip_conflicts && (hopeless || !params.overwrite);
    if params.dry_run || blocked {
        let report = UndoReport {
            state: if params.dry_run { UndoState::DryRun } else { UndoState::Conflict },
            workspace: task.workspace,
            direction: task.direction,
            call: None,
            files: steps.iter().map(|step| shown(step, false)).collect(),
            note: None,
        };
        return Ok(Part { report, blocked });
    }
    let allowed = |step: &Step| !step.hopeless && (step.conflict.is_none() || params.overwrite);
    let going = Going {
        calls: task.calls,
        brings_back: task.brings_back,
        part_of: params.part_of.clone(),
        given_up: false,
        whole,
        unchanged: task.unchanged.into_iter().filter(|_| params.paths.is_empty()).collect(),
        files: steps.iter().map(|step| shown(step, allowed(step))).collect(),
    };
    let changes: Vec<PathChange> =
        steps.iter().filter(|step| allowed(step)).map(|step| step.change.clone()).collect();
    let key = params.call.clone().unwrap_or_else(new_ulid);
    let digest = digest(direction, params);
    let call = started(&key, &task.turn, workspace, task.direction, &digest, &changes);
    if journal.undo_started(&call, &images.images, &going)? == Recorded::Elsewhere {
        return Err(UndoError::Running(key));
    }
    Ok(apply(journal, workspace, &call, task.direction, going, Start::First)?.into())
}

/// The paths as the journal writes them, in whatever way a tool would take them; none where the whole workspace is meant.
fn plain_paths(given: &[String], workspace: &Workspace) -> Result<Vec<String>, UndoError> {
    let mut plain = Vec::new();
    for given in given {
        let named = given.strip_prefix(workspace.id()).and_then(|rest| rest.strip_prefix(':'));
        let path = Path::new(named.unwrap_or(given));
        let misfit = || UndoError::Path(visible(given).into_owned(), workspace.id().to_owned());
        let inside = if path.is_absolute() { workspace.behind_root(path).ok_or_else(misfit)? } else { path };
        let mut names = Vec::new();
        for part in inside.components() {
            match part {
                Component::Normal(name) => names.push(name.to_str().ok_or_else(misfit)?),
                Component::CurDir => {}
                _ => return Err(misfit()),
            }
        }
        plain.push(names.join("/"));
    }
    if plain.iter().any(String::is_empty) {
        plain.clear();
    }
    Ok(plain)
}

fn nothing(task: Task) -> UndoReport {
    UndoReport {
        state: UndoState::Nothing,
        workspace: task.workspace,
        direction: task.direction,
        call: None,
        files: Vec::new(),
        note: None,
    }
}

/// What an undo that is over has said.
fn reported(known: &UndoCall) -> Option<UndoReport> {
    known.report.as_ref().and_then(|report| UndoReport::deserialize(report).ok())
}

/// The same undo, asked before.
fn earlier(
    journal: &Journal,
    direction: Direction,
    params: &UndoParams,
) -> Result<Option<UndoCall>, UndoError> {
    let Some(key) = params.call.as_deref().filter(|_| !params.dry_run) else { return Ok(None) };
    if !is_ulid(key) {
        return Err(UndoError::Key(key.to_owned()));
    }
    let mut known = journal.undo_call(key)?;
    if known.is_none() && journal.call(key)?.is_some() {
        // Another host may have begun it between the two looks.
        known = journal
            .undo_call(key)?
            .map_or_else(|| Err(UndoError::OtherCall(key.to_owned())), |known| Ok(Some(known)))?;
    }
    match known {
        Some(known) if known.digest != digest(direction, params) => Err(UndoError::OtherCall(key.to_owned())),
        known => Ok(known),
    }
}

/// What makes two requests the same one.
fn digest(direction: Direction, params: &UndoParams) -> String {
    let UndoParams { turn, skip_conflicts, overwrite, paths, .. } = params;
    sha256_hex(json!([direction.tool(), turn, skip_conflicts, overwrite, paths]).to_string().as_bytes())
}

fn writable<'w>(
    id: &str,
    roots: &[String],
    find: impl FnOnce(&str) -> Option<&'w Workspace>,
) -> Result<&'w Workspace, UndoError> {
    let workspace = find(id).ok_or_else(|| UndoError::Workspace(id.to_owned()))?;
    if let Some(root) = roots.iter().find(|root| !workspace.is_at(Some(root))) {
        return Err(UndoError::Moved(id.to_owned(), root.clone()));
    }
    if !workspace.is_in_place() {
        return Err(UndoError::Workspace(id.to_owned()));
    }
    if workspace.read_only() {
        return Err(UndoError::ReadOnly(workspace.closed_by().to_owned()));
    }
    Ok(workspace)
}

fn started<'a>(
    key: &'a str,
    turn: &'a str,
    workspace: &'a Workspace,
    direction: Direction,
    digest: &'a str,
    changes: &'a [PathChange],
) -> StartedCall<'a> {
    StartedCall {
        key,
        session: None,
        turn: Some(turn),
        workspace: workspace.id(),
        root: Some(workspace.root()),
        tool: direction.tool(),
        digest,
        executes: false,
        changes,
        evidence: None,
    }
}
