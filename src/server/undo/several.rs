//! A turn that changed files in more than one workspace: each path goes back in its own, and none does where one of them may not.

use std::path::{Path, PathBuf};

use super::{Direction, Part, UndoError, UndoParams, UndoReport, UndoState, UndoneFile, part};
use crate::{
    ids::derived_ulid,
    journal::{Journal, in_workspace},
    workspace::Workspace,
};

/// Why a file stays that was changed under two names.
const TWICE_NAMED: &str = "the turn changed it, or what is around or in it, under the name of another workspace too: undo the calls of \
                           the turn one by one, the last one first";

/// Undoes or redoes the parts of a turn, the one in the first of these workspaces first.
pub(super) fn run<'w>(
    journal: &Journal,
    direction: Direction,
    params: &UndoParams,
    workspaces: &[String],
    find: &impl Fn(&str) -> Option<&'w Workspace>,
) -> Result<UndoReport, UndoError> {
    let mut asked: Vec<(&String, UndoParams)> =
        workspaces.iter().filter_map(|id| Some((id, there(params, workspaces, id)?))).collect();
    if let Some(reports) = again(journal, direction, params, &mut asked, find)? {
        return Ok(together(workspaces, direction, reports, |state| state));
    }
    // What stands in the way in one of them stands in the way of all.
    let mut looks = Vec::new();
    let mut blocked = false;
    for (id, params) in &asked {
        let look = UndoParams { dry_run: true, ..params.clone() };
        let Part { report, blocked: is_blocked } = part(journal, direction, &look, Some(id), find)?;
        blocked |= is_blocked;
        looks.push(report);
    }
    blocked |= twice_named(&mut looks, find);
    give_keys(journal, params, &looks, &mut asked)?;
    if params.dry_run || blocked {
        let state = if params.dry_run { UndoState::DryRun } else { UndoState::Conflict };
        return Ok(together(workspaces, direction, looks, |found| match found {
            UndoState::Nothing => UndoState::Nothing,
            _ => state,
        }));
    }
    let mut reports: Vec<UndoReport> = Vec::new();
    for ((id, params), look) in asked.iter().zip(looks) {
        let report = match part(journal, direction, params, Some(id), find) {
            Ok(part) => part.report,
            // What was done elsewhere is told all the same.
            Err(error) if reports.iter().any(|report| report.call.is_some()) => {
                let failed = |file| UndoneFile { conflict: Some(error.to_string()), ..file };
                let files = look.files.into_iter().map(failed).collect();
                UndoReport { state: UndoState::Conflict, files, ..look }
            }
            Err(error) => return Err(error),
        };
        reports.push(report);
    }
    Ok(together(workspaces, direction, reports, |state| state))
}

/// The parts of an undo that was begun before with this key: what was begun is finished or told, whatever stands in the way by now. A part
/// to which it had not come is made, unless something else was asked of the turn since.
fn again<'w>(
    journal: &Journal,
    direction: Direction,
    params: &UndoParams,
    asked: &mut [(&String, UndoParams)],
    find: &impl Fn(&str) -> Option<&'w Workspace>,
) -> Result<Option<Vec<UndoReport>>, UndoError> {
    let Some(key) = params.call.as_ref().filter(|_| !params.dry_run) else { return Ok(None) };
    let Some(known) = journal.undo_call(key)? else { return Ok(None) };
    let turn = journal.meant_turn(&params.turn)?;
    if known.turn != turn || asked.iter().all(|(id, _)| **id != known.workspace) {
        return Err(UndoError::OtherCall(key.clone()));
    }
    own_keys(key, Some(&known.workspace), asked);
    let keys: Vec<&str> = asked.iter().filter_map(|(_, params)| params.call.as_deref()).collect();
    let goes_on = !known.going.given_up && !journal.has_gone_on(&turn, key, &keys)?;
    let mut reports = Vec::new();
    for (id, params) in asked {
        let part_key = params.call.as_deref().unwrap_or_default();
        if goes_on || journal.undo_call(part_key)?.is_some() {
            reports.push(part(journal, direction, params, Some(id), find)?.report);
        }
    }
    Ok(Some(reports))
}

/// What is asked for in one of the workspaces; nothing where the paths are those of others.
fn there(params: &UndoParams, workspaces: &[String], id: &str) -> Option<UndoParams> {
    let is_main = workspaces.first().is_some_and(|main| main == id);
    let place = |path: &str| {
        let named = path.split_once(':').filter(|(name, _)| workspaces.iter().any(|other| other == name));
        match named {
            Some((name, path)) => (name == id).then(|| path.to_owned()),
            None => is_main.then(|| path.to_owned()),
        }
    };
    let paths: Vec<String> = params.paths.iter().filter_map(|path| place(path)).collect();
    if paths.is_empty() && !params.paths.is_empty() {
        return None;
    }
    Some(UndoParams { call: None, paths, ..params.clone() })
}

/// The part in one of them has the key that was given: that which had it before, else the first with anything to do. It is told, and
/// asked for again, when the turn may have no more than this part. Those of the others are made of it.
fn give_keys(
    journal: &Journal,
    params: &UndoParams,
    looks: &[UndoReport],
    asked: &mut [(&String, UndoParams)],
) -> Result<(), UndoError> {
    let Some(key) = &params.call else { return Ok(()) };
    let before = journal.undo_call(key)?.map(|known| known.workspace);
    let first = looks.iter().find(|look| look.state != UndoState::Nothing);
    let owner = before.or_else(|| Some(first.or(looks.first())?.workspace.clone()));
    own_keys(key, owner.as_ref(), asked);
    Ok(())
}

fn own_keys(key: &str, owner: Option<&String>, asked: &mut [(&String, UndoParams)]) {
    for (id, params) in asked {
        let is_owner = owner == Some(*id);
        params.call = Some(if is_owner { key.to_owned() } else { derived_ulid(key, id) });
    }
}

/// Files that the turn changed under the names of two workspaces, of which one lies in the other. Each name knows a part of what
/// became of them, so none of them is put back; true where there are any.
fn twice_named<'w>(looks: &mut [UndoReport], find: &impl Fn(&str) -> Option<&'w Workspace>) -> bool {
    let real = |look: &UndoReport, file: &UndoneFile| Some(find(&look.workspace)?.root().join(&file.path));
    let all: Vec<Vec<Option<PathBuf>>> =
        looks.iter().map(|look| look.files.iter().map(|file| real(look, file)).collect()).collect();
    let shares = |one: &Path, other: &Path| one.starts_with(other) || other.starts_with(one);
    let mut found = false;
    for (at, look) in looks.iter_mut().enumerate() {
        for (file, place) in look.files.iter_mut().zip(&all[at]) {
            let Some(place) = place else { continue };
            let others =
                all.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, files)| files);
            if others.flatten().any(|other| shares(place, other)) {
                found = true;
                file.conflict = Some(TWICE_NAMED.to_owned());
            }
        }
    }
    found
}

/// One report of all parts; paths of another workspace than the first have its name in front.
fn together(
    workspaces: &[String],
    direction: Direction,
    parts: Vec<UndoReport>,
    state: impl Fn(UndoState) -> UndoState,
) -> UndoReport {
    let main = workspaces.first().cloned().unwrap_or_default();
    let states: Vec<UndoState> =
        parts.iter().map(|part| state(part.state)).filter(|state| *state != UndoState::Nothing).collect();
    let state = match states.split_first() {
        None => UndoState::Nothing,
        Some((first, others)) if others.iter().all(|other| other == first) => *first,
        Some(_) => UndoState::Partly,
    };
    let call = parts.iter().find_map(|part| part.call.clone());
    let mut files = Vec::new();
    for part in parts {
        let named = |file: UndoneFile| UndoneFile {
            path: in_workspace(&main, &part.workspace, file.path.clone()),
            ..file
        };
        files.extend(part.files.into_iter().map(named));
    }
    UndoReport { state, workspace: main, direction, call, files, note: None }
}
