//! Turns: the calls that belong together, what they changed, and which of them were undone.

use rusqlite::{OptionalExtension, params};
use serde::Serialize;

use super::{
    Journal, JournalError,
    undone::{self, Replaced},
};
use crate::change::PathChange;

/// Which turns are looked for.
#[derive(Clone, Debug, Default)]
pub struct TurnFilter<'a> {
    /// Of this session only.
    pub session: Option<&'a str>,
    /// In this workspace only.
    pub workspace: Option<&'a str>,
    /// At most this many, the youngest first.
    pub limit: u32,
}

/// A turn that changed something, as the journal knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TurnRecord {
    /// Its id; the key of its only call where none was named.
    pub turn: String,
    /// Its session, where one was named.
    pub session: Option<String>,
    /// The workspace's id.
    pub workspace: String,
    /// The tools that changed something, in order.
    pub tools: Vec<String>,
    /// The paths that changed.
    pub paths: Vec<String>,
    /// Calls that changed files.
    pub calls: u32,
    /// Of them, undone.
    pub undone: u32,
    /// Of them, undone in some of their files.
    pub partly_undone: u32,
    /// Files of others that undos of it have replaced, oldest first: each can be brought back.
    pub replaced: Vec<Replaced>,
    /// Commands that ran in it: what they changed is not known.
    pub commands: u32,
    /// When its first call started, RFC 3339.
    pub started_at: String,
    /// When its last call ended.
    pub finished_at: Option<String>,
}

/// The calls of an undo or a redo, and what they changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoneCalls {
    /// Their keys, in the order in which they ran.
    pub keys: Vec<String>,
    /// The workspace's id.
    pub workspace: String,
    /// What they changed, in that order.
    pub changes: Vec<PathChange>,
}

impl Journal {
    /// The turns that changed something, the youngest first.
    pub fn turns(&self, filter: &TurnFilter<'_>) -> Result<Vec<TurnRecord>, JournalError> {
        let own = self.owner;
        self.with(|database| {
            let mut rows = database.prepare(
                "SELECT COALESCE(turn, key) AS id, session, workspace, tool, changes, undone_by, undone_paths, executes, started_at, finished_at
                 FROM calls
                 WHERE started_at IS NOT NULL AND (changes != '[]' OR executes = 1) AND tool NOT LIKE 'outrigger/%'
                   AND (?1 IS NULL OR session = ?1) AND (?2 IS NULL OR workspace = ?2)
                 ORDER BY started_at DESC, key DESC",
            )?;
            let mut rows = rows.query(params![filter.session, filter.workspace])?;
            let mut turns: Vec<TurnRecord> = Vec::new();
            while let Some(row) = rows.next()? {
                let id: String = row.get("id")?;
                let place = turns.iter().position(|turn| turn.turn == id);
                let turn = match place {
                    Some(place) => &mut turns[place],
                    None if turns.len() >= filter.limit as usize => continue,
                    None => {
                        turns.push(TurnRecord {
                            turn: id,
                            session: row.get("session")?,
                            workspace: row.get("workspace")?,
                            tools: Vec::new(),
                            paths: Vec::new(),
                            calls: 0,
                            undone: 0,
                            partly_undone: 0,
                            replaced: Vec::new(),
                            commands: 0,
                            started_at: String::new(),
                            finished_at: row.get("finished_at")?,
                        });
                        let last = turns.len() - 1;
                        &mut turns[last]
                    }
                };
                turn.started_at = row.get("started_at")?;
                turn.tools.insert(0, row.get("tool")?);
                let changes: String = row.get("changes")?;
                let changes: Vec<PathChange> = serde_json::from_str(&changes).unwrap_or_default();
                if row.get::<_, bool>("executes")? {
                    turn.commands += 1;
                }
                if changes.is_empty() {
                    continue;
                }
                turn.calls += 1;
                let undone = row.get::<_, Option<String>>("undone_by")?.is_some();
                turn.undone += u32::from(undone);
                turn.partly_undone +=
                    u32::from(!undone && row.get_ref("undone_paths")?.as_str()? != "[]");
                for change in changes {
                    if !turn.paths.contains(&change.path) {
                        turn.paths.push(change.path);
                    }
                }
            }
            for (id, replaced) in undone::replaced_in(database, own)? {
                if let Some(turn) = turns.iter_mut().find(|turn| turn.turn == id) {
                    turn.replaced.push(replaced);
                }
            }
            Ok(turns)
        })
    }

    /// The calls of a turn (or the one call with this key) that changed files, and of their changes those that stand, or those that
    /// were undone.
    pub fn calls_of(&self, turn: &str, undone: bool) -> Result<UndoneCalls, JournalError> {
        self.with(|database| {
            let mut rows = database.prepare(
                "SELECT key, workspace, changes, undone_by, undone_paths FROM calls
                 WHERE (turn = ?1 OR key = ?1) AND state = 'finished' AND changes != '[]' AND tool NOT LIKE 'outrigger/%'
                 ORDER BY started_at, key",
            )?;
            let mut rows = rows.query([turn])?;
            let mut calls = UndoneCalls::default();
            while let Some(row) = rows.next()? {
                let changes: String = row.get(2)?;
                let changes: Vec<PathChange> = serde_json::from_str(&changes).unwrap_or_default();
                let undone_by: Option<String> = row.get(3)?;
                let undone_paths = undone::paths_of(row.get_ref(4)?.as_str()?);
                let asked_for = |change: &PathChange| {
                    undone::is_undone(undone_by.as_deref(), &undone_paths, &change.path) == undone
                };
                let before = calls.changes.len();
                calls.changes.extend(changes.into_iter().filter(asked_for));
                if calls.changes.len() > before {
                    calls.keys.push(row.get(0)?);
                    calls.workspace = row.get(1)?;
                }
            }
            Ok(calls)
        })
    }

    /// The youngest turn that changed files and is not undone (or is, for a redo).
    pub fn last_turn(&self, filter: &TurnFilter<'_>, undone: bool) -> Result<Option<String>, JournalError> {
        self.with(|database| {
            database
                .query_row(
                    "SELECT COALESCE(turn, key) FROM calls
                     WHERE state = 'finished' AND changes != '[]' AND tool NOT LIKE 'outrigger/%'
                       AND (?1 IS NULL OR session = ?1) AND (?2 IS NULL OR workspace = ?2) AND CASE WHEN ?3 THEN undone_by IS NOT NULL OR undone_paths != '[]' ELSE undone_by IS NULL END
                     ORDER BY started_at DESC, key DESC LIMIT 1",
                    params![filter.session, filter.workspace, undone],
                    |row| row.get(0),
                )
                .optional()
        })
    }
}
