//! What an undo is going to do, path by path, and what stands in its way.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ffi::OsStr,
};

use super::{settle::Begun, undo::UndoError};
use crate::{
    change::{Attributes, Joined, Node, PathChange, is_below, is_same, joined, name_of},
    journal::{CallState, Direction, Journal, JournalError, UndoAction, UndoneFile},
    text::visible,
    workspace::{DoorError, Workspace},
};

/// What is to be undone or redone.
pub(super) struct Task {
    /// Under which it is recorded.
    pub(super) turn: String,
    pub(super) workspace: String,
    /// The folders that its id stood for, where that is known.
    pub(super) roots: Vec<String>,
    pub(super) direction: Direction,
    pub(super) calls: Vec<String>,
    pub(super) brings_back: Option<String>,
    /// The way they are to go now.
    pub(super) changes: Vec<PathChange>,
    pub(super) gaps: Vec<String>,
    /// Paths that its calls changed and changed back.
    pub(super) unchanged: Vec<String>,
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

/// What the name stands for: an undo that replaced something, or a turn or call; with a workspace, its part there.
pub(super) fn task(
    journal: &Journal,
    direction: Direction,
    name: &str,
    (workspace, begun): (Option<&str>, Vec<Begun>),
) -> Result<Task, UndoError> {
    if let Some(undo) = journal.undo_call(name)? {
        // An undo is made again by undoing its turn again.
        let wanted = direction == Direction::Undo && undo.state != CallState::Running;
        let changes = if wanted { undo.in_their_place() } else { Vec::new() };
        return Ok(Task {
            direction: undo.direction.reversed(),
            changes: changes.iter().map(PathChange::reversed).collect(),
            turn: undo.turn,
            workspace: undo.workspace,
            roots: undo.root.into_iter().collect(),
            calls: undo.going.calls,
            brings_back: Some(name.to_owned()),
            gaps: Vec::new(),
            unchanged: Vec::new(),
        });
    }
    let mut calls = journal.calls_of(name, direction == Direction::Redo, workspace)?;
    if direction == Direction::Undo {
        for begun in begun {
            begun.join(&mut calls, workspace);
        }
    }
    let Joined { mut changes, gaps, unchanged } = joined(calls.changes);
    let mut keys = calls.keys;
    let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    keys.extend(journal.also_turned(name, &paths, direction == Direction::Redo)?);
    if direction == Direction::Redo {
        let found = journal.found_by_undos(&calls.workspace, &keys)?;
        for change in &mut changes {
            know_mode(change, &found);
        }
    }
    let turned = |change: PathChange| if direction == Direction::Undo { change.reversed() } else { change };
    Ok(Task {
        turn: name.to_owned(),
        workspace: calls.workspace,
        roots: calls.roots,
        direction,
        calls: keys,
        brings_back: None,
        changes: changes.into_iter().map(turned).collect(),
        gaps,
        unchanged,
    })
}

/// Something new comes back with the rights that it had when it was undone: the call may not know them, and somebody may have
/// changed them since.
fn know_mode(change: &mut PathChange, found: &[PathChange]) {
    let Some(new) = change.after.as_ref().filter(|_| change.before.is_none()) else { return };
    let seen = found.iter().filter(|seen| seen.path == change.path).map(|seen| &seen.before);
    if let Some(seen) = seen.flatten().find(|seen| seen.holds_the_same(new)) {
        change.after = Some(seen.clone());
    }
}

/// Each path that is asked for, in the order in which they can be done; and whether that is all of them.
pub(super) fn steps(workspace: &Workspace, task: &Task, paths: &[String]) -> (Vec<Step>, bool) {
    // Who asks for a folder asks for what is in it.
    let asked = |path: &str| paths.iter().any(|asked| is_same(asked, path) || is_below(path, asked));
    let comes = |change: &PathChange, folder: &str| {
        change.after.is_some() && is_below(&change.path, folder) && asked(&change.path)
    };
    // And who asks for a file that comes back for the folders around it, which come back with what they were allowed.
    let around = |folder: &PathChange| {
        matches!((&folder.before, &folder.after), (None, Some(Node::Folder { .. })))
            && task.changes.iter().any(|change| comes(change, &folder.path))
    };
    let wanted = |change: &&PathChange| paths.is_empty() || asked(&change.path) || around(change);
    let changes: Vec<&PathChange> = task.changes.iter().filter(wanted).collect();
    let mut steps = Vec::new();
    for &change in &changes {
        let now = stands(workspace, change, &changes);
        let mut step = look(change.clone(), now, task.gaps.contains(&change.path));
        let goes = !Node::same(step.change.before.as_ref(), step.change.after.as_ref());
        if let (true, Err(error)) = (goes, workspace.check_put(&change.path)) {
            step.conflict = Some(error.to_string());
            (step.hopeless, step.foreign) = (true, false);
        }
        steps.push(step);
    }
    below_what_stays(&mut steps);
    around_what_stays(workspace, &mut steps);
    in_order(&mut steps);
    let whole = steps.len() == task.changes.len();
    (steps, whole)
}

/// What stands at its path. Below a file nothing does, nor below what these changes put there or turn into a folder again.
pub(super) fn stands(
    workspace: &Workspace,
    change: &PathChange,
    changes: &[&PathChange],
) -> Result<Option<Node>, DoorError> {
    workspace.node(&change.path).or_else(|error| {
        let Some((above, node)) = in_the_way(workspace, &change.path) else { return Err(error) };
        let own = changes.iter().find(|other| is_same(&other.path, above));
        let becomes_folder = own.is_some_and(|own| matches!(own.after, Some(Node::Folder { .. })));
        let is_gone = change.after.is_none() && (matches!(node, Node::File { .. }) || own.is_some());
        if becomes_folder || is_gone { Ok(None) } else { Err(error) }
    })
}

/// What stands where the path would need a folder.
fn in_the_way<'p>(workspace: &Workspace, path: &'p str) -> Option<(&'p str, Node)> {
    let mut above = path.match_indices('/').map(|(end, _)| &path[..end]);
    above.find_map(|above| match workspace.node(above) {
        Ok(Some(node @ (Node::File { .. } | Node::Link { .. }))) => Some((above, node)),
        _ => None,
    })
}

/// What is to come back into a folder that does not come back itself.
fn below_what_stays(steps: &mut [Step]) {
    let stays = |step: &Step| {
        let is_turned = matches!(step.change.after, Some(Node::Folder { .. }))
            && !matches!(step.change.before, None | Some(Node::Folder { .. }));
        (step.conflict.is_some() && is_turned).then(|| (step.change.path.clone(), step.hopeless))
    };
    let staying: Vec<(String, bool)> = steps.iter().filter_map(stays).collect();
    for (folder, hopeless) in staying {
        for step in steps.iter_mut() {
            if is_below(&step.change.path, &folder) && step.change.after.is_some() {
                let why = || format!("`{}` is something else by now", visible(&folder));
                step.conflict.get_or_insert_with(why);
                step.hopeless |= hopeless;
            }
        }
    }
}

/// A folder that is to become a file again, and that holds something which does not go.
fn around_what_stays(workspace: &Workspace, steps: &mut [Step]) {
    for at in 0..steps.len() {
        let step = &steps[at];
        let is_turned = matches!(step.change.before, Some(Node::Folder { .. }))
            && matches!(step.change.after, Some(Node::File { .. } | Node::Link { .. }));
        if step.hopeless || !is_turned {
            continue;
        }
        if let Some((inside, hopeless)) = staying_in(workspace, steps, &step.change.path) {
            let why = format!("it is a folder, and `{}` in it stays", visible(&inside));
            steps[at].conflict = Some(why);
            steps[at].hopeless = hopeless;
        }
    }
}

/// Something in a folder that stays there, and whether it does even if what has changed since is overwritten.
fn staying_in(workspace: &Workspace, steps: &[Step], folder: &str) -> Option<(String, bool)> {
    let Ok(inside) = workspace.inside(folder) else { return Some((folder.to_owned(), true)) };
    inside.into_iter().find_map(|path| match steps.iter().find(|step| is_same(&step.change.path, &path)) {
        Some(step) if step.change.after.is_some() => Some((path, true)),
        Some(step) if step.conflict.is_some() => Some((path, step.hopeless)),
        Some(step) if matches!(step.change.before, Some(Node::Folder { .. })) => {
            staying_in(workspace, steps, &path)
        }
        Some(_) => None,
        None => Some((path, true)),
    })
}

/// Folders that are gone by now, and that something comes back into: with the rights that were known last, or closed to others.
pub(super) fn come_before(
    journal: &Journal,
    workspace: &Workspace,
    steps: &mut Vec<Step>,
) -> Result<(), JournalError> {
    let mut missing: Vec<Step> = Vec::new();
    let mut known_at: HashMap<String, usize> = HashMap::new();
    let stepped: HashSet<Cow<'_, OsStr>> = steps.iter().map(|step| name_of(&step.change.path)).collect();
    let mut there: HashSet<&str> = HashSet::new();
    for step in steps.iter().filter(|step| step.change.after.is_some() && !step.hopeless) {
        for (end, _) in step.change.path.match_indices('/') {
            let path = &step.change.path[..end];
            if there.contains(path) || stepped.contains(&name_of(path)) {
                continue;
            }
            if let Some(known) = known_at.get(path).and_then(|at| missing.get_mut(*at)) {
                known.conflict = known.conflict.take().filter(|_| step.conflict.is_some());
            } else if matches!(workspace.node(path), Ok(None)) {
                let after = journal.known_folder(workspace.id(), path)?.unwrap_or_else(closed_folder);
                let change =
                    PathChange { path: path.to_owned(), before: None, after: Some(after), copied_from: None };
                let conflict = step.conflict.clone();
                known_at.insert(path.to_owned(), missing.len());
                missing.push(Step { change, conflict, hopeless: false, foreign: false });
            } else {
                there.insert(path);
            }
        }
    }
    drop((stepped, there));
    steps.splice(0..0, missing);
    Ok(())
}

/// Folders that an undo or a redo of the same calls has made on the way, and that nothing is in once these steps are done.
pub(super) fn go_after(
    journal: &Journal,
    workspace: &Workspace,
    task: &Task,
    steps: &mut Vec<Step>,
) -> Result<(), JournalError> {
    let goes = |step: &Step| step.change.after.is_none() && !step.hopeless;
    if !steps.iter().any(goes) {
        return Ok(());
    }
    let mut made = journal.made_on_the_way(&task.workspace, &task.calls)?;
    made.retain(|folder| !task.changes.iter().any(|change| is_same(&change.path, &folder.path)));
    // What is in a folder goes before it.
    made.sort_by_key(|folder| std::cmp::Reverse(folder.path.matches('/').count()));
    for folder in made {
        let is_around = steps.iter().any(|step| goes(step) && is_below(&step.change.path, &folder.path));
        let now = workspace.node(&folder.path).ok().flatten();
        if is_around
            && now.is_some()
            && Node::same(now.as_ref(), folder.after.as_ref())
            && workspace.check_put(&folder.path).is_ok()
            && staying_in(workspace, steps, &folder.path).is_none()
        {
            let change = PathChange { path: folder.path, before: now, after: None, copied_from: None };
            steps.push(Step { change, conflict: None, hopeless: false, foreign: false });
        }
    }
    Ok(())
}

fn closed_folder() -> Node {
    Node::Folder { mode: Some(0o700), owner: None, attributes: Attributes::default() }
}

/// Of the extended attributes of what the calls left those that they brought: they go with it, and others stay.
fn with_what_it_brought(now: Option<Node>, change: &PathChange) -> Option<Node> {
    match (&change.before, &change.after) {
        (Some(left), Some(_)) => now.map(|now| now.with_attributes(left.attributes().clone())),
        _ => now,
    }
}

/// Compares what is there with what the calls left, and looks for the bytes.
fn look(change: PathChange, now: Result<Option<Node>, DoorError>, gap: bool) -> Step {
    let mut step = Step { change, conflict: None, hopeless: false, foreign: false };
    // Somebody else's file goes with all that it has.
    let found = now.as_ref().ok().cloned().flatten();
    let now = now.map(|now| with_what_it_brought(now, &step.change));
    match now {
        Err(error) => {
            step.conflict = Some(error.to_string());
            step.hopeless = true;
        }
        Ok(now) if Node::same(now.as_ref(), step.change.after.as_ref()) => step.change.before = now,
        // A folder that was to come back and that somebody has made since, or an undo of what is in it.
        Ok(Some(now @ Node::Folder { .. }))
            if step.change.before.is_none() && matches!(step.change.after, Some(Node::Folder { .. })) =>
        {
            step.change.before = Some(now);
        }
        Ok(now) if is_as_left(now.as_ref(), &step.change) => {
            if gap {
                step.foreign = now.is_some();
                step.conflict = Some("something else changed it in the middle of the turn".to_owned());
            }
            step.change.before = now;
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
            step.change.before = found;
        }
    }
    step
}

/// Whether what is there is what the calls left. Of what goes away only the content counts: whoever made a script executable that
/// these calls had written does not miss the permission once the script is gone.
fn is_as_left(now: Option<&Node>, change: &PathChange) -> bool {
    match (now, &change.before, &change.after) {
        (Some(now), Some(left), None) => now.holds_the_same(left),
        (now, left, _) => Node::same(now, left.as_ref()),
    }
}

/// Folders before what is in them when they appear, after it when they go; files come before others go, which may be the same.
fn in_order(steps: &mut [Step]) {
    let depth = |step: &Step| step.change.path.matches('/').count();
    steps.sort_by_key(|step| match (&step.change.before, &step.change.after) {
        (_, Some(Node::Folder { .. })) => (0, depth(step)),
        (Some(Node::Folder { .. }), _) => (2, usize::MAX - depth(step)),
        (_, None) => (1, 1),
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
        stays: false,
        done: false,
    }
}
