//! A turn that changed files in more than one workspace: each path goes back in its own, and none does where one of them may not.

use super::{Direction, Part, UndoError, UndoParams, UndoReport, UndoState, UndoneFile, part};
use crate::{
    ids::derived_ulid,
    journal::{Journal, in_workspace},
    workspace::Workspace,
};

/// Undoes or redoes the parts of a turn, the one in the first of these workspaces first.
pub(super) fn run<'w>(
    journal: &Journal,
    direction: Direction,
    params: &UndoParams,
    workspaces: &[String],
    find: &impl Fn(&str) -> Option<&'w Workspace>,
) -> Result<UndoReport, UndoError> {
    let asked: Vec<(&String, UndoParams)> =
        workspaces.iter().filter_map(|id| Some((id, there(params, workspaces, id)?))).collect();
    // What stands in the way in one of them stands in the way of all.
    let mut looks = Vec::new();
    let mut blocked = false;
    for (id, params) in &asked {
        let look = UndoParams { dry_run: true, ..params.clone() };
        let Part { report, blocked: is_blocked } = part(journal, direction, &look, Some(id), find)?;
        blocked |= is_blocked;
        looks.push(report);
    }
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
    let call = params.call.as_ref().map(|key| if is_main { key.clone() } else { derived_ulid(key, id) });
    Some(UndoParams { call, paths, ..params.clone() })
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
