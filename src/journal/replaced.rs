//! What undos have put something over that somebody else had written, as it is told with their turns.

use rusqlite::Connection;
use serde::Serialize;

use super::{
    calls::CallState,
    process_identity::ProcessIdentity,
    turns::{TurnRecord, in_workspace},
    undone::{COLUMNS, undo_call},
};

/// Files of somebody else that an undo has replaced, and that nothing has brought back since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replaced {
    /// The undo's key: undoing it brings them back.
    pub call: String,
    /// The files; those of another workspace than the turn's have its name in front.
    pub paths: Vec<String>,
}

/// Adds to each of these turns the files of others that its undos have replaced, oldest first.
pub(super) fn tell(
    database: &Connection,
    own: ProcessIdentity,
    turns: &mut [TurnRecord],
) -> rusqlite::Result<()> {
    let mut is_known = database.prepare("SELECT 1 FROM calls WHERE key = ?1 AND undo IS NOT NULL")?;
    let mut rows = database.prepare(&format!(
        "SELECT {COLUMNS} FROM calls WHERE undo LIKE '%\"replaced\":true%' AND started_at IS NOT NULL ORDER BY place"
    ))?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let (key, call) = undo_call(row, own)?;
        let Some(turn) = turns.iter_mut().find(|turn| turn.turn == call.turn) else { continue };
        let path = |path: String| in_workspace(&turn.workspace, &call.workspace, path);
        let paths: Vec<String> = call.still_replaced().into_iter().map(|change| path(change.path)).collect();
        // One that still runs has nothing to bring back yet.
        if paths.is_empty() || call.state == CallState::Running {
            continue;
        }
        // The key that its report has told brings back what all of its parts replaced.
        let whole = call.going.part_of.map(|part_of| part_of.call);
        let call = match whole {
            Some(whole) if is_known.exists([&whole])? => whole,
            _ => key,
        };
        match turn.replaced.iter_mut().find(|known| known.call == call) {
            Some(known) => known.paths.extend(paths),
            None => turn.replaced.push(Replaced { call, paths }),
        }
    }
    Ok(())
}
