//! Undos whose process died at them.
//!
//! Asked again with its own key, one goes on. To whatever else is asked of its turn it is what it had done by then: a person who
//! asked for something else by now did not ask for its rest.

use super::{
    UndoError, UndoReport,
    apply::{Start, apply, record},
    started, writable,
};
use crate::{
    change::{Node, PathChange},
    journal::{CallState, Going, Journal, Recorded, UndoCall},
    server::undo_plan::stands,
    workspace::Workspace,
};

/// Finishes an undo whose process died, by what it had recorded: a file is as before and is put back, or is done, or somebody
/// else was there meanwhile.
pub(super) fn finish(
    journal: &Journal,
    workspace: &Workspace,
    key: String,
    known: UndoCall,
) -> Result<UndoReport, UndoError> {
    let UndoCall { turn, direction, digest, changes, going, .. } = known;
    let call = started(&key, &turn, workspace, direction, &digest, &changes);
    let held = workspace.hold_writes(&|| false);
    if journal.undo_resumed(&call, &going)? == Recorded::Elsewhere {
        return Err(UndoError::Running(key));
    }
    workspace.sweep_beside(changes.iter().map(|change| change.path.as_str()), held.as_ref());
    apply(journal, workspace, &call, direction, going, Start::Again)
}

/// Settles what was begun at this turn, either way, and cut off: nothing of it is made, and what it had done counts as done. Who
/// only wants to know what there is to do sees it as it is where that cannot be recorded.
pub(super) fn settle_all<'w>(
    journal: &Journal,
    turn: &str,
    within: Option<&str>,
    only_looks: bool,
    find: &impl Fn(&str) -> Option<&'w Workspace>,
) -> Result<(), UndoError> {
    let mut begun = journal.undos_cut_off(turn, within)?;
    // What it replaced is to be brought back.
    if begun.iter().all(|(key, _)| key != turn) {
        let itself = journal.undo_call(turn)?.filter(|known| known.state == CallState::Interrupted);
        begun.extend(itself.map(|known| (turn.to_owned(), known)));
    }
    for (key, known) in begun {
        let settled = writable(&known.workspace, known.root.as_slice(), find)
            .and_then(|workspace| settle(journal, workspace, &key, known));
        if !only_looks {
            settled?;
        }
    }
    Ok(())
}

fn settle(journal: &Journal, workspace: &Workspace, key: &str, known: UndoCall) -> Result<(), UndoError> {
    let UndoCall { turn, direction, digest, changes, going, .. } = known;
    let call = started(key, &turn, workspace, direction, &digest, &changes);
    let held = workspace.hold_writes(&|| false);
    if journal.undo_resumed(&call, &going)? == Recorded::Elsewhere {
        return Err(UndoError::Running(key.to_owned()));
    }
    workspace.sweep_beside(changes.iter().map(|change| change.path.as_str()), held.as_ref());
    let all: Vec<&PathChange> = changes.iter().collect();
    let made = |change: &PathChange| {
        let is_made =
            workspace.node(&change.path).is_ok_and(|now| Node::same(now.as_ref(), change.after.as_ref()));
        if is_made || went_first(workspace, change, &all) {
            return Ok(false);
        }
        let when =
            if is_untouched(workspace, change) { " before this" } else { ", and it has changed meanwhile" };
        Err(format!("the process that was at it died{when}"))
    };
    let is_replaced = |change: &PathChange| !is_untouched(workspace, change);
    record(journal, &call, direction, Going { given_up: true, ..going }, (made, is_replaced))?;
    Ok(())
}

/// It stands there as it did before the process that died began. Where something else does, that one may have replaced it before.
pub(super) fn is_untouched(workspace: &Workspace, change: &PathChange) -> bool {
    workspace.node(&change.path).is_ok_and(|now| Node::same(now.as_ref(), change.before.as_ref()))
}

/// Its folder became a file again before the process that was at it died.
pub(super) fn went_first(workspace: &Workspace, change: &PathChange, all: &[&PathChange]) -> bool {
    change.after.is_none()
        && workspace.node(&change.path).is_err()
        && matches!(stands(workspace, change, all), Ok(None))
}
