//! A turn that changed files in more than one workspace: each path goes back in its own, and none does where one of them may not.

use std::path::{Path, PathBuf};

use super::{Direction, Part, UndoError, UndoParams, UndoReport, UndoState, UndoneFile, part};
use crate::{
    ids::{derived_ulid, new_ulid},
    journal::{Journal, PartOf, in_workspace},
    workspace::Workspace,
};

/// Why a file stays that was changed under two names.
const TWICE_NAMED: &str = "the turn changed it, or what is around or in it, under the name of another workspace too: undo the calls of \
                           the turn one by one, the last one first";

/// What is to be done in more than one workspace.
pub(super) struct Parts {
    /// The turn that it is recorded with.
    turn: String,
    /// The workspaces, the one first whose paths are told without a name.
    workspaces: Vec<String>,
    /// By what name there is something to do in a workspace: the turn, or the key of the undo that was the part there of another one.
    names: Vec<(String, String)>,
}

/// What the name of a turn, a call or an undo stands for, if that is more than one workspace. What was begun with its key before goes on
/// as it began, whatever the turn has changed since.
pub(super) fn parts(journal: &Journal, turn: &str, params: &UndoParams) -> Result<Option<Parts>, UndoError> {
    let own = params.call.as_deref().filter(|_| !params.dry_run);
    let mut workspaces = None;
    if let Some(key) = own
        && let Some(known) = journal.undo_call(key)?
    {
        match known.going.part_of.filter(|part_of| part_of.call == key) {
            Some(part_of) => workspaces = Some(part_of.workspaces),
            None => return Ok(None),
        }
    }
    if let Some(undo) = journal.undo_call(turn)? {
        let Some(PartOf { workspaces, .. }) = undo.going.part_of.filter(|part_of| part_of.call == turn)
        else {
            return Ok(None);
        };
        let mut names = Vec::new();
        for id in &workspaces {
            let name = part_key(turn, id, Some(&undo.workspace));
            if journal.undo_call(&name)?.is_some() {
                names.push((id.clone(), name));
            }
        }
        return Ok((names.len() > 1).then_some(Parts { turn: undo.turn, workspaces, names }));
    }
    let workspaces = workspaces.map_or_else(|| journal.workspaces_of(turn), Ok)?;
    let names: Vec<(String, String)> = workspaces.iter().map(|id| (id.clone(), turn.to_owned())).collect();
    Ok((names.len() > 1).then_some(Parts { turn: turn.to_owned(), workspaces, names }))
}

/// Undoes or redoes the parts of a turn, the one in the first of these workspaces first.
pub(super) fn run<'w>(
    journal: &Journal,
    direction: Direction,
    params: &UndoParams,
    parts: &Parts,
    find: &impl Fn(&str) -> Option<&'w Workspace>,
) -> Result<UndoReport, UndoError> {
    let workspaces = &parts.workspaces;
    let key = params.call.clone().unwrap_or_else(new_ulid);
    let part_of = Some(PartOf { call: key.clone(), workspaces: workspaces.clone() });
    let asks = |(id, name): &'_ (String, String)| {
        let there = there(params, workspaces, id, find)?;
        Some(UndoParams { turn: name.clone(), part_of: part_of.clone(), ..there })
    };
    let mut asked: Vec<(&String, UndoParams)> =
        parts.names.iter().filter_map(|named| Some((&named.0, asks(named)?))).collect();
    // What was done is a part alone where there is more to do in a workspace that was not named.
    let told = |report: UndoReport| {
        let is_left = |(id, name): &(String, String)| {
            let look = UndoParams { turn: name.clone(), dry_run: true, ..UndoParams::default() };
            !part(journal, direction, &look, Some(id), find)
                .is_ok_and(|part| part.report.state == UndoState::Nothing)
        };
        let others = || parts.names.iter().filter(|named| asks(named).is_none());
        if report.state == UndoState::Done && others().any(is_left) {
            UndoReport { state: UndoState::Partly, ..report }
        } else {
            report
        }
    };
    if let Some(reports) = again(journal, direction, (params, &parts.turn), &mut asked, find)? {
        return Ok(told(together(workspaces, direction, reports, |state| state)));
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
    give_keys(journal, &key, &looks, &mut asked)?;
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
    Ok(told(together(workspaces, direction, reports, |state| state)))
}

/// The parts of an undo that was begun before with this key: what was begun is finished or told, whatever stands in the way by now. A part
/// to which it had not come is made, unless something else was asked of the turn since.
fn again<'w>(
    journal: &Journal,
    direction: Direction,
    (params, turn): (&UndoParams, &str),
    asked: &mut [(&String, UndoParams)],
    find: &impl Fn(&str) -> Option<&'w Workspace>,
) -> Result<Option<Vec<UndoReport>>, UndoError> {
    let Some(key) = params.call.as_ref().filter(|_| !params.dry_run) else { return Ok(None) };
    let Some(known) = journal.undo_call(key)? else { return Ok(None) };
    if known.turn != turn || asked.iter().all(|(id, _)| **id != known.workspace) {
        return Err(UndoError::OtherCall(key.clone()));
    }
    own_keys(key, Some(&known.workspace), asked);
    let keys: Vec<&str> = asked.iter().filter_map(|(_, params)| params.call.as_deref()).collect();
    let goes_on = !known.going.given_up && !journal.has_gone_on(turn, key, &keys)?;
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
fn there<'w>(
    params: &UndoParams,
    workspaces: &[String],
    id: &str,
    find: &impl Fn(&str) -> Option<&'w Workspace>,
) -> Option<UndoParams> {
    let is_main = workspaces.first().is_some_and(|main| main == id);
    // A whole path says itself where it lies; the innermost workspace has it.
    let around = |path: &str| {
        let rest = |id: &str| Some(find(id)?.behind_root(Path::new(path))?.as_os_str().len());
        let around = workspaces.iter().filter_map(|id| Some((id, rest(id)?)));
        around.min_by_key(|(_, rest)| *rest).map(|(id, _)| id)
    };
    let place = |path: &str| {
        if let Some(around) = around(path) {
            return (around == id).then(|| path.to_owned());
        }
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
    key: &str,
    looks: &[UndoReport],
    asked: &mut [(&String, UndoParams)],
) -> Result<(), UndoError> {
    let before = journal.undo_call(key)?.map(|known| known.workspace);
    let first = looks.iter().find(|look| look.state != UndoState::Nothing);
    let owner = before.or_else(|| Some(first.or(looks.first())?.workspace.clone()));
    own_keys(key, owner.as_ref(), asked);
    Ok(())
}

fn own_keys(key: &str, owner: Option<&String>, asked: &mut [(&String, UndoParams)]) {
    for (id, params) in asked {
        params.call = Some(part_key(key, id, owner));
    }
}

/// The key of a part, of that of the whole and of the workspace whose part has that one itself.
fn part_key(key: &str, id: &String, owner: Option<&String>) -> String {
    if owner == Some(id) { key.to_owned() } else { derived_ulid(key, id) }
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
    // What brings back what an undo replaced goes the other way.
    let direction = parts.first().map_or(direction, |part| part.direction);
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
