//! What an undo is going to do, path by path, and what stands in its way.

use super::undo::UndoError;
use crate::{
    change::{Joined, Node, PathChange, joined},
    ids::Etag,
    journal::{CallState, Direction, Image, Journal, JournalError, UndoAction, UndoneFile},
    workspace::Workspace,
};

/// What is to be undone or redone.
pub(super) struct Task {
    /// Under which it is recorded.
    pub(super) turn: String,
    pub(super) workspace: String,
    pub(super) direction: Direction,
    pub(super) calls: Vec<String>,
    pub(super) brings_back: Option<String>,
    /// The way they are to go now.
    pub(super) changes: Vec<PathChange>,
    pub(super) gaps: Vec<String>,
}

/// One path's way back.
pub(super) struct Step {
    pub(super) change: PathChange,
    pub(super) conflict: Option<String>,
    /// `overwrite` cannot help: the bytes are gone.
    pub(super) hopeless: bool,
    /// What stands there is somebody else's.
    pub(super) foreign: bool,
}

/// What the name stands for: an undo that replaced something, or a turn or call.
pub(super) fn task(journal: &Journal, direction: Direction, name: &str) -> Result<Task, UndoError> {
    if let Some(undo) = journal.undo_call(name)? {
        // An undo is made again by undoing its turn again.
        let wanted = direction == Direction::Undo && undo.state != CallState::Running;
        let changes = if wanted { undo.still_replaced() } else { Vec::new() };
        return Ok(Task {
            direction: undo.direction.reversed(),
            changes: changes.iter().map(PathChange::reversed).collect(),
            turn: undo.turn,
            workspace: undo.workspace,
            calls: undo.going.calls,
            brings_back: Some(name.to_owned()),
            gaps: Vec::new(),
        });
    }
    let calls = journal.calls_of(name, direction == Direction::Redo)?;
    let Joined { changes, gaps } = joined(calls.changes);
    let turned = |change: PathChange| if direction == Direction::Undo { change.reversed() } else { change };
    Ok(Task {
        turn: name.to_owned(),
        workspace: calls.workspace,
        direction,
        calls: calls.keys,
        brings_back: None,
        changes: changes.into_iter().map(turned).collect(),
        gaps,
    })
}

/// Each path that is asked for, in the order in which they can be done; and whether that is all of them.
pub(super) fn steps(
    journal: &Journal,
    workspace: &Workspace,
    task: &Task,
    paths: &[String],
) -> Result<(Vec<Step>, bool), UndoError> {
    let wanted = |change: &&PathChange| paths.is_empty() || paths.contains(&change.path);
    let mut steps = Vec::new();
    for change in task.changes.iter().filter(wanted) {
        steps.push(look(journal, workspace, change.clone(), task.gaps.contains(&change.path))?);
    }
    in_order(&mut steps);
    let whole = steps.len() == task.changes.len();
    Ok((steps, whole))
}

/// What somebody else wrote is only replaced where it can be kept.
pub(super) fn hold_fast(journal: &Journal, images: &[Image], steps: &mut [Step]) -> Result<(), UndoError> {
    for step in steps.iter_mut().filter(|step| step.foreign && !step.hopeless) {
        let Some(Node::File { etag, bytes, .. }) = &step.change.before else { continue };
        let kept =
            *bytes == 0 || images.iter().any(|image| image.etag == *etag) || journal.has_image(etag)?;
        if !kept {
            let why = step.conflict.take().unwrap_or_default();
            step.conflict = Some(format!("{why}, and its {bytes} bytes are too many to be kept"));
            step.hopeless = true;
        }
    }
    Ok(())
}

/// Compares what is there with what the calls left, and looks for the bytes.
fn look(journal: &Journal, workspace: &Workspace, change: PathChange, gap: bool) -> Result<Step, UndoError> {
    let mut step = Step { change, conflict: None, hopeless: false, foreign: false };
    match workspace.node(&step.change.path) {
        Err(error) => {
            step.conflict = Some(error.to_string());
            step.hopeless = true;
        }
        Ok(now) if Node::same(now.as_ref(), step.change.after.as_ref()) => {}
        Ok(now) if Node::same(now.as_ref(), step.change.before.as_ref()) => {
            if gap {
                step.foreign = now.is_some();
                step.conflict = Some("something else changed it in the middle of the turn".to_owned());
            }
        }
        Ok(now) => {
            step.conflict = Some(match now {
                None => "it was deleted since".to_owned(),
                Some(Node::Folder { .. }) => "it is a folder by now".to_owned(),
                Some(Node::Link { .. }) => "it is a symbolic link by now".to_owned(),
                Some(Node::File { .. }) if step.change.before.is_none() => "it was created since".to_owned(),
                Some(Node::File { .. }) => "it has changed since".to_owned(),
            });
            step.hopeless = matches!(now, Some(Node::Folder { .. }));
            step.foreign = now.is_some() && !step.hopeless;
            step.change.before = now;
        }
    }
    if let Some(Node::File { etag, bytes, .. }) = &step.change.after
        && !Node::same(step.change.before.as_ref(), step.change.after.as_ref())
        && !journal.has_image(etag)?
        && *etag != Etag::of(b"")
    {
        step.conflict = Some(format!("its {bytes} bytes of then are no longer kept"));
        step.hopeless = true;
    }
    Ok(step)
}

/// Folders before what is in them when they appear, after it when they go.
fn in_order(steps: &mut [Step]) {
    let depth = |step: &Step| step.change.path.matches('/').count();
    steps.sort_by_key(|step| match (&step.change.before, &step.change.after) {
        (_, Some(Node::Folder { .. })) => (0, depth(step)),
        (Some(Node::Folder { .. }), None) => (2, usize::MAX - depth(step)),
        _ => (1, 0),
    });
}

pub(super) fn shown(step: &Step, goes: bool) -> UndoneFile {
    let action = match (&step.change.before, &step.change.after) {
        (_, None) => UndoAction::Delete,
        (None, Some(_)) => UndoAction::Create,
        (Some(_), Some(_)) => UndoAction::Restore,
    };
    let replaced = goes && step.foreign;
    UndoneFile {
        path: step.change.path.clone(),
        action,
        conflict: step.conflict.clone(),
        replaced,
        done: false,
    }
}

/// The bytes that these changes are about to replace or remove, as far as the journal has room for them.
pub fn images<'c>(
    journal: &Journal,
    workspace: &Workspace,
    changes: impl IntoIterator<Item = &'c PathChange>,
) -> Result<Vec<Image>, JournalError> {
    let mut images: Vec<Image> = Vec::new();
    let mut room = crate::limits::IMAGE_BYTES.min(journal.limits().image_bytes);
    for change in changes {
        let Some(Node::File { etag, bytes, .. }) = &change.before else { continue };
        let unchanged = matches!(&change.after, Some(Node::File { etag: after, .. }) if after == etag);
        if unchanged || *bytes == 0 || *bytes > room || images.iter().any(|image| image.etag == *etag) {
            continue;
        }
        // What cannot be read, or is something else by now, makes the call itself fail as stale; it needs no image.
        if let Ok(content) = workspace.content(&change.path, *bytes)
            && Etag::of(&content) == *etag
        {
            room -= *bytes;
            images.push(Image { etag: etag.clone(), content });
        }
    }
    Ok(images)
}
