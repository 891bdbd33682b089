//! Turns: the calls that belong together, what they changed, and which of them were undone.

use std::collections::HashSet;

use rusqlite::{OptionalExtension as _, params};
use serde::Serialize;

use super::{
    CallRecord, CallState, Journal, JournalError, calls,
    process_identity::ProcessIdentity,
    replaced::{self, Replaced},
    undone,
};
use crate::{
    change::{Node, PathChange},
    ids::call_key,
};

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
    /// The workspace's id; where calls of it changed several, the one of the last.
    pub workspace: String,
    /// The tools that changed something, in order.
    pub tools: Vec<String>,
    /// The paths that changed; in another workspace with its name in front, `name:path`.
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
    /// The folders that the id stood for, where that is known.
    pub roots: Vec<String>,
    /// What they changed, in that order.
    pub changes: Vec<PathChange>,
}

/// A call whose process ended while it ran, and of which nobody has asked since.
#[derive(Clone, Debug)]
pub struct CutOff {
    /// Its key.
    pub key: String,
    /// Its session, where one was named.
    pub session: Option<String>,
    /// Its turn, where one was named.
    pub turn: Option<String>,
    /// The rest of what is known of it.
    pub record: CallRecord,
    /// What calls after it changed in the same workspace, in that order.
    pub later: Vec<PathChange>,
}

/// A path as it is told beside those of the workspace `main`.
pub fn in_workspace(main: &str, workspace: &str, path: String) -> String {
    if workspace == main { path } else { format!("{workspace}:{path}") }
}

impl Journal {
    /// The calls of a turn (or the one call with this key) that were cut off.
    pub fn cut_off(&self, turn: &str) -> Result<Vec<CutOff>, JournalError> {
        let mut found: Vec<(CutOff, i64)> = self.with(|database| {
            let mut rows = database.prepare_cached(
                "SELECT key, session, turn, workspace, root, tool, digest, state, executes, changes, evidence, undone_by, pid, pid_started, result, place
                 FROM calls
                 WHERE (turn = ?1 OR key = ?1) AND state = 'started' AND changes != '[]' AND tool NOT LIKE 'outrigger/%'
                 ORDER BY place",
            )?;
            let mut rows = rows.query([turn])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let call = CutOff {
                    key: row.get("key")?,
                    session: row.get("session")?,
                    turn: row.get("turn")?,
                    record: calls::record(row)?,
                    later: Vec::new(),
                };
                found.push((call, row.get("place")?));
            }
            Ok(found)
        })?;
        found.retain(|(call, _)| call.record.state == CallState::Interrupted);
        for (call, place) in &mut found {
            call.later = self.changes_after(&call.record.workspace, *place)?;
        }
        Ok(found.into_iter().map(|(call, _)| call).collect())
    }

    fn changes_after(&self, workspace: &str, place: i64) -> Result<Vec<PathChange>, JournalError> {
        self.with(|database| {
            let mut rows = database.prepare_cached(
                "SELECT changes FROM calls
                 WHERE workspace = ?1 AND place > ?2 AND state = 'finished' AND changes != '[]' ORDER BY place",
            )?;
            let mut rows = rows.query(params![workspace, place])?;
            let mut later = Vec::new();
            while let Some(row) = rows.next()? {
                later.extend(serde_json::from_str::<Vec<PathChange>>(row.get_ref(0)?.as_str()?).unwrap_or_default());
            }
            Ok(later)
        })
    }

    /// The turns that changed something, the youngest first.
    pub fn turns(&self, filter: &TurnFilter<'_>) -> Result<Vec<TurnRecord>, JournalError> {
        let own = self.owner;
        self.with(|database| {
            let mut rows = database.prepare(
                "SELECT COALESCE(turn, key) AS id, session, workspace, tool, changes, undone_by, undone_paths, executes, started_at, finished_at
                 FROM calls
                 WHERE started_at IS NOT NULL AND (changes != '[]' OR executes = 1) AND tool NOT LIKE 'outrigger/%'
                   AND (?1 IS NULL OR session = ?1) AND (?2 IS NULL OR workspace = ?2)
                 ORDER BY place DESC",
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
                let workspace: String = row.get("workspace")?;
                if turn.calls == 0 {
                    turn.workspace.clone_from(&workspace);
                }
                turn.calls += 1;
                let undone = row.get::<_, Option<String>>("undone_by")?.is_some();
                turn.undone += u32::from(undone);
                turn.partly_undone +=
                    u32::from(!undone && row.get_ref("undone_paths")?.as_str()? != "[]");
                for change in changes {
                    let path = in_workspace(&turn.workspace, &workspace, change.path);
                    if !turn.paths.contains(&path) {
                        turn.paths.push(path);
                    }
                }
            }
            replaced::tell(database, own, &mut turns)?;
            Ok(turns)
        })
    }

    /// The calls of a turn (or the one call with this key) that changed files, and of their changes those that stand, or those that
    /// were undone. With a workspace only its calls: paths are those of one.
    pub fn calls_of(
        &self,
        turn: &str,
        undone: bool,
        workspace: Option<&str>,
    ) -> Result<UndoneCalls, JournalError> {
        self.with(|database| {
            let mut rows = database.prepare(
                "SELECT key, workspace, changes, undone_by, undone_paths, root FROM calls
                 WHERE (turn = ?1 OR key = ?1) AND (?2 IS NULL OR workspace = ?2) AND state = 'finished' AND changes != '[]' AND tool NOT LIKE 'outrigger/%'
                 ORDER BY place",
            )?;
            let mut rows = rows.query(params![turn, workspace])?;
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
                    calls.roots.extend(row.get::<_, Option<String>>(5)?);
                }
            }
            Ok(calls)
        })
    }

    /// What these calls changed in a workspace, whatever of it was undone since.
    pub fn changes_of(&self, calls: &[String], workspace: &str) -> Result<Vec<PathChange>, JournalError> {
        self.with(|database| {
            let mut row =
                database.prepare_cached("SELECT changes FROM calls WHERE key = ?1 AND workspace = ?2")?;
            let mut found = Vec::new();
            for call in calls {
                let changes =
                    row.query_row([call.as_str(), workspace], |row| row.get::<_, String>(0)).optional()?;
                let changes = changes.and_then(|text| serde_json::from_str::<Vec<PathChange>>(&text).ok());
                found.extend(changes.unwrap_or_default());
            }
            Ok(found)
        })
    }

    /// The calls of a turn, the one with this key, or those that the undo with this key was about.
    pub(super) fn calls_meant(&self, name: &str) -> Result<HashSet<String>, JournalError> {
        if let Some(undo) = self.undo_call(name)? {
            return Ok(undo.going.calls.into_iter().collect());
        }
        self.with(|database| {
            database
                .prepare_cached(
                    "SELECT key FROM calls WHERE (turn = ?1 OR key = ?1) AND tool NOT LIKE 'outrigger/%'",
                )?
                .query_map([name], |row| row.get(0))?
                .collect()
        })
    }

    /// Whether anything of the turn, or any other undo of it or of one of its calls, was begun after the undo with this key.
    pub fn has_gone_on(&self, turn: &str, key: &str, but: &[&str]) -> Result<bool, JournalError> {
        self.with(|database| {
            let mut rows = database.prepare_cached(
                "SELECT key FROM calls
                 WHERE place > (SELECT place FROM calls WHERE key = ?2)
                   AND (turn = ?1 OR undo IS NOT NULL AND turn IN (SELECT key FROM calls WHERE turn = ?1))",
            )?;
            let keys = rows.query_map([turn, key], |row| row.get::<_, String>(0))?;
            let keys = keys.collect::<rusqlite::Result<Vec<_>>>()?;
            Ok(keys.iter().any(|found| !but.contains(&found.as_str())))
        })
    }

    /// The workspaces in which calls of the turn changed something, the one of the last call first.
    pub fn workspaces_of(&self, turn: &str) -> Result<Vec<String>, JournalError> {
        self.with(|database| {
            let mut rows = database.prepare_cached(
                "SELECT workspace FROM calls
                 WHERE (turn = ?1 OR key = ?1) AND state IN ('finished', 'started') AND changes != '[]' AND tool NOT LIKE 'outrigger/%'
                 GROUP BY workspace ORDER BY max(place) DESC",
            )?;
            let found = rows.query_map([turn], |row| row.get(0))?;
            found.collect()
        })
    }

    /// The branches that calls of a turn (or the one call with this key) switched to, in their order.
    pub fn switched_to(&self, turn: &str) -> Result<Vec<String>, JournalError> {
        self.with(|database| {
            database
                .prepare_cached(
                    "SELECT json_extract(result, '$.structured.data.branch') AS branch FROM calls
                     WHERE (turn = ?1 OR key = ?1) AND tool = 'git_switch' AND state = 'finished' AND branch IS NOT NULL
                     ORDER BY place",
                )?
                .query_map([turn], |row| row.get(0))?
                .collect()
        })
    }

    /// Where this is one call of a turn: those that changed some of these paths behind it (before it, for a redo) and stand as it does.
    /// With the path as it was before the call, what they had done to it is gone as well.
    pub fn also_turned(&self, call: &str, paths: &[&str], undone: bool) -> Result<Vec<String>, JournalError> {
        let order = if undone { "<" } else { ">" };
        self.with(|database| {
            let mut rows = database.prepare_cached(&format!(
                "SELECT other.key, other.changes, other.undone_by, other.undone_paths FROM calls AS one
                 JOIN calls AS other ON other.turn = one.turn AND other.workspace = one.workspace
                 WHERE one.key = ?1 AND other.place {order} one.place
                   AND other.state = 'finished' AND other.changes != '[]' AND other.tool NOT LIKE 'outrigger/%'
                 ORDER BY other.place"
            ))?;
            let mut rows = rows.query([call])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let changes: Vec<PathChange> =
                    serde_json::from_str(row.get_ref(1)?.as_str()?).unwrap_or_default();
                let undone_by: Option<String> = row.get(2)?;
                let undone_paths = undone::paths_of(row.get_ref(3)?.as_str()?);
                let goes = |change: &PathChange| {
                    paths.contains(&change.path.as_str())
                        && undone::is_undone(undone_by.as_deref(), &undone_paths, &change.path) == undone
                };
                if changes.iter().any(goes) {
                    found.push(row.get(0)?);
                }
            }
            Ok(found)
        })
    }

    /// What was known last of a folder that stood at this path.
    pub fn known_folder(&self, workspace: &str, path: &str) -> Result<Option<Node>, JournalError> {
        let named = format!("\"path\":{}", undone::text(&path));
        self.with(|database| {
            let mut rows = database.prepare_cached(
                "SELECT changes FROM calls WHERE workspace = ?1 AND state = 'finished' AND instr(changes, ?2) > 0
                 ORDER BY place DESC",
            )?;
            let mut rows = rows.query(params![workspace, named])?;
            while let Some(row) = rows.next()? {
                let changes: Vec<PathChange> =
                    serde_json::from_str(row.get_ref(0)?.as_str()?).unwrap_or_default();
                let nodes = changes.into_iter().filter(|change| change.path == path);
                let mut nodes = nodes.rev().flat_map(|change| [change.after, change.before]).flatten();
                let known = nodes.find(|node| matches!(node, Node::Folder { mode: Some(_), .. }));
                if known.is_some() {
                    return Ok(known);
                }
            }
            Ok(None)
        })
    }

    /// Whether a call of this turn, or one with this key, is written down.
    pub fn knows_turn(&self, turn: &str) -> Result<bool, JournalError> {
        let known = "SELECT EXISTS (SELECT 1 FROM calls WHERE key = ?1 OR turn = ?1)";
        self.with(|database| database.query_row(known, [turn], |row| row.get(0)))
    }

    /// The turn as it is written down: its name as it was given, or the key of a call, in whichever case.
    pub fn meant_turn(&self, given: &str) -> Result<String, JournalError> {
        match call_key(given).filter(|key| key != given) {
            Some(key) if !self.knows_turn(given)? => Ok(key),
            _ => Ok(given.to_owned()),
        }
    }

    /// The youngest turn that changed files, or may have, and is not undone; for a redo the one that was undone last.
    pub fn last_turn(&self, filter: &TurnFilter<'_>, undone: bool) -> Result<Option<String>, JournalError> {
        self.with(|database| {
            let mut rows = database.prepare(
                "SELECT COALESCE(turn, key), state, pid, pid_started FROM calls
                 WHERE state IN ('finished', 'started') AND changes != '[]' AND tool NOT LIKE 'outrigger/%'
                   AND (?1 IS NULL OR session = ?1) AND (?2 IS NULL OR workspace = ?2) AND CASE WHEN ?3 THEN undone_by IS NOT NULL OR undone_paths != '[]' ELSE undone_by IS NULL END
                 ORDER BY CASE WHEN ?3 THEN COALESCE(
                     (SELECT undo.place FROM calls AS undo WHERE undo.key = calls.undone_by),
                     (SELECT max(undo.place) FROM calls AS undo
                      WHERE undo.tool = 'outrigger/undo' AND undo.turn IN (calls.turn, calls.key))) END DESC, place DESC",
            )?;
            let mut rows = rows.query(params![filter.session, filter.workspace, undone])?;
            while let Some(row) = rows.next()? {
                let owner = ProcessIdentity { pid: row.get(2)?, started: row.get(3)? };
                if row.get_ref(1)?.as_str()? == "finished" || !owner.is_alive() {
                    return Ok(Some(row.get(0)?));
                }
            }
            Ok(None)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{AuditRow, StartedCall, calls::tests::started};
    use super::*;

    #[test]
    fn the_order_is_that_in_which_they_began_whatever_the_clock_said() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path().to_owned());
        let changes = ["a", "b", "c"].map(|path| PathChange {
            path: path.into(),
            before: None,
            after: Some(Node::folder()),
            copied_from: None,
        });
        for (key, change) in ["k1", "k3", "k2"].iter().zip(&changes) {
            let call = StartedCall { turn: Some("t"), ..started(key, std::slice::from_ref(change)) };
            journal.started(&call, &[], false).unwrap();
            journal.finished(&call, &json!({}), None, &AuditRow::default()).unwrap();
        }
        let told = |journal: &Journal| journal.calls_of("t", false, None).unwrap().keys;
        assert_eq!(told(&journal), ["k1", "k3", "k2"]);
        // One second for all, then backwards.
        let set = |rows: &str| journal.with(|database| database.execute_batch(rows)).unwrap();
        set("DROP TRIGGER calls_begun_again; UPDATE calls SET started_at = '2026-01-01T00:00:00Z'");
        assert_eq!(told(&journal), ["k1", "k3", "k2"]);
        set("UPDATE calls SET started_at = '2025-01-01T00:00:00Z' WHERE key = 'k2'");
        assert_eq!(told(&journal), ["k1", "k3", "k2"]);
        assert_eq!(journal.also_turned("k3", &["c"], false).unwrap(), ["k2"]);
    }
}
