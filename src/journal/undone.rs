//! Undos and redos as calls of their own: what each is about, which bytes of a stranger it replaced, and what of a turn stands.
//!
//! What is undone is marked path by path on the calls that had changed it, in one transaction with the result. A mark never says
//! more than what was done to the files.

use std::{
    collections::HashSet,
    sync::{MutexGuard, PoisonError},
};

use rusqlite::{OptionalExtension, Row, Transaction, TransactionBehavior, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    AuditRow, Image, Journal, JournalError, Recorded, StartedCall, audit,
    calls::{CallState, now},
    process_identity::ProcessIdentity,
};
use crate::change::{Node, PathChange, is_below};

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Back to what was there before.
    Undo,
    /// Forth again.
    Redo,
}

impl Direction {
    /// The tool of such a call. These calls are no part of any turn's own work.
    pub fn tool(self) -> &'static str {
        match self {
            Self::Undo => "outrigger/undo",
            Self::Redo => "outrigger/redo",
        }
    }

    /// The other way.
    #[must_use]
    pub fn reversed(self) -> Self {
        if self == Self::Undo { Self::Redo } else { Self::Undo }
    }

    fn of(tool: &str) -> Self {
        if tool == Self::Redo.tool() { Self::Redo } else { Self::Undo }
    }
}

/// What happens to one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoAction {
    /// It gets its content.
    Restore,
    /// It is there again.
    Create,
    /// It goes.
    Delete,
}

impl UndoAction {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Restore => "restore",
            Self::Create => "create",
            Self::Delete => "delete",
        }
    }
}

/// One path of an undo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoneFile {
    /// Relative to the workspace.
    pub path: String,
    /// What happens to it.
    pub action: UndoAction,
    /// Why it is not, or only by `overwrite`, put back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<String>,
    /// What somebody else had written there is replaced. The journal keeps it, and undoing this call brings it back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replaced: bool,
    /// A folder that would go, and that holds something which does not: it is left there, and that counts as done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stays: bool,
    /// It is now as asked for.
    pub done: bool,
}

/// What an undo is about: written with its start, so that whoever finds it half done can finish it and tell of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Going {
    /// The calls whose changes it undoes or redoes.
    pub calls: Vec<String>,
    /// The undo whose replaced files it brings back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brings_back: Option<String>,
    /// It is one of several workspaces' parts of an undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<PartOf>,
    /// It is about all that there is to undo, not about some paths.
    pub whole: bool,
    /// Its process died at it, and something else was asked of the turn before it was asked again: nothing more of it is made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given_up: bool,
    /// Paths that those calls changed and changed back: undone with the rest, without anything to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchanged: Vec<String>,
    /// Each path, also those that are left alone.
    pub files: Vec<UndoneFile>,
}

impl Going {
    fn replaced(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|file| file.replaced).map(|file| file.path.as_str())
    }
}

/// The undo in several workspaces that another one is a part of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartOf {
    /// Its key, which one of the parts has.
    pub call: String,
    /// All of the workspaces, as the turn had changed them by then: the first is the one whose paths are told without a name.
    pub workspaces: Vec<String>,
}

/// An undo as the journal knows it.
#[derive(Clone, Debug)]
pub struct UndoCall {
    /// The turn, or the key of the one call.
    pub turn: String,
    /// The workspace's id.
    pub workspace: String,
    /// The folder that the id stood for, where that is known.
    pub root: Option<String>,
    /// Which way it went.
    pub direction: Direction,
    /// What it was asked for, to know it again.
    pub digest: String,
    /// What it is about.
    pub going: Going,
    /// What it changes, as it was recorded before the first change.
    pub changes: Vec<PathChange>,
    /// Paths of which what it replaced was brought back.
    pub brought_back: Vec<String>,
    /// Where it stands.
    pub state: CallState,
    /// Its report, when it is over.
    pub report: Option<Value>,
}

impl UndoCall {
    /// The changes that replaced what somebody else had written, and still do.
    pub fn still_replaced(&self) -> Vec<PathChange> {
        let open = self.open();
        self.changes.iter().filter(|change| open.contains(&change.path.as_str())).cloned().collect()
    }

    /// Those, what it put below them: a file can only be there again once the folder in its place is empty; and the folders around them
    /// that it took away or made something else.
    pub fn in_their_place(&self) -> Vec<PathChange> {
        let open = self.open();
        let goes = |change: &&PathChange| {
            let path = change.path.as_str();
            let done = self.going.files.iter().any(|file| file.path == path && file.done && !file.stays);
            let was_folder = |node: &Option<Node>| matches!(node, Some(Node::Folder { .. }));
            let is_around = was_folder(&change.before) && !was_folder(&change.after);
            let is_near = |other: &&str| is_below(path, other) || is_around && is_below(other, path);
            open.contains(&path) || done && open.iter().any(is_near)
        };
        self.changes.iter().filter(|change| goes(change)).cloned().collect()
    }

    fn open(&self) -> Vec<&str> {
        self.going.replaced().filter(|path| !self.brought_back.iter().any(|back| back == path)).collect()
    }
}

impl Journal {
    /// One undo at a time in this process: as long as this is held, one of this process that did not end has failed to.
    pub fn one_undo(&self) -> MutexGuard<'_, ()> {
        self.undoing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The undo or redo with this key.
    pub fn undo_call(&self, key: &str) -> Result<Option<UndoCall>, JournalError> {
        let own = self.owner;
        self.with(|database| {
            database
                .prepare_cached(&format!("SELECT {COLUMNS} FROM calls WHERE key = ?1 AND undo IS NOT NULL"))?
                .query_row([key], |row| undo_call(row, own).map(|(_, call)| call))
                .optional()
        })
    }

    /// Undos and redos whose process died at it and that nobody has finished, with their keys, the oldest first: those of a turn, of one
    /// call, or of what an undo was about, by whichever of these names they were asked for.
    pub fn undos_cut_off(
        &self,
        name: &str,
        workspace: Option<&str>,
    ) -> Result<Vec<(String, UndoCall)>, JournalError> {
        let own = self.owner;
        let mut found: Vec<(String, UndoCall)> = self.with(|database| {
            database
                .prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM calls
                     WHERE (?1 IS NULL OR workspace = ?1) AND undo IS NOT NULL AND state = 'started' ORDER BY place"
                ))?
                .query_map([workspace], |row| undo_call(row, own))?
                .collect()
        })?;
        found.retain(|(_, undo)| undo.state == CallState::Interrupted);
        if !found.is_empty() {
            let calls = self.calls_meant(name)?;
            found.retain(|(_, undo)| {
                undo.turn == name || undo.going.calls.iter().any(|call| calls.contains(call))
            });
        }
        Ok(found)
    }

    /// What the undos of any of these calls found before they changed it, the latest first.
    pub fn found_by_undos(&self, workspace: &str, keys: &[String]) -> Result<Vec<PathChange>, JournalError> {
        self.with(|database| {
            let mut rows = database.prepare_cached(
                "SELECT changes, undo FROM calls WHERE undo IS NOT NULL AND workspace = ?1 AND tool = 'outrigger/undo'
                 ORDER BY place DESC",
            )?;
            let mut rows = rows.query([workspace])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let going: Going = serde_json::from_str(row.get_ref(1)?.as_str()?).unwrap_or_default();
                if going.calls.iter().any(|key| keys.contains(key)) {
                    let changes = serde_json::from_str::<Vec<PathChange>>(row.get_ref(0)?.as_str()?);
                    found.extend(changes.unwrap_or_default());
                }
            }
            Ok(found)
        })
    }

    /// The folders that the last undo or redo of any of these calls made on the way to something, as they were then.
    pub fn made_on_the_way(&self, workspace: &str, keys: &[String]) -> Result<Vec<PathChange>, JournalError> {
        self.with(|database| {
            let mut rows = database.prepare_cached(
                "SELECT changes, undo FROM calls WHERE undo IS NOT NULL AND workspace = ?1 AND state = 'finished'
                 ORDER BY place DESC",
            )?;
            let mut rows = rows.query([workspace])?;
            let (mut seen, mut made) = (HashSet::new(), Vec::new());
            while let Some(row) = rows.next()? {
                let going: Going = serde_json::from_str(row.get_ref(1)?.as_str()?).unwrap_or_default();
                if !going.calls.iter().any(|key| keys.contains(key)) {
                    continue;
                }
                let changes = serde_json::from_str::<Vec<PathChange>>(row.get_ref(0)?.as_str()?);
                for change in changes.unwrap_or_default() {
                    let is_new = matches!((&change.before, &change.after), (None, Some(Node::Folder { .. })));
                    if seen.insert(change.path.clone()) && is_new {
                        made.push(change);
                    }
                }
            }
            Ok(made)
        })
    }

    /// Records the start of an undo as [`Journal::started`] does that of any call, and with it what it is about.
    pub fn undo_started(
        &self,
        call: &StartedCall<'_>,
        images: &[Image],
        going: &Going,
    ) -> Result<Recorded, JournalError> {
        self.started_with(call, images, false, Some(going))
    }

    /// Takes over an undo whose process died.
    pub fn undo_resumed(&self, call: &StartedCall<'_>, going: &Going) -> Result<Recorded, JournalError> {
        self.started_with(call, &[], true, Some(going))
    }

    /// Records what came of it: its report, the audit's row, and what of the turn stands now, in one transaction.
    pub fn undo_finished(
        &self,
        call: &StartedCall<'_>,
        direction: Direction,
        going: &Going,
        report: &Value,
        row: &AuditRow,
    ) -> Result<(), JournalError> {
        let queued = self.take_queued();
        let written = self.with_relaxed(|database| {
            let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
            audit::append(&transaction, queued.iter().chain([row]))?;
            let changed = transaction.execute(
                "UPDATE calls SET state = 'finished', finished_at = ?2, result = ?3, undo = ?4
                 WHERE key = ?1 AND state != 'finished'",
                params![call.key, now(), report.to_string(), text(going)],
            )?;
            if changed == 1 {
                mark_all(&transaction, call.key, direction, going)?;
            }
            transaction.commit()
        });
        if written.is_err() {
            self.put_back(queued.into_iter().chain([row.clone()]).collect());
        }
        written
    }
}

/// What of a call's changes is undone, by its marks.
pub(super) fn is_undone(undone_by: Option<&str>, undone_paths: &[String], path: &str) -> bool {
    undone_by.is_some() || undone_paths.iter().any(|undone| undone == path)
}

pub(super) fn paths_of(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_default()
}

pub(super) const COLUMNS: &str = "key, turn, workspace, root, tool, digest, state, changes, undone_by, undone_paths, undo, pid, pid_started, result";

pub(super) fn undo_call(row: &Row<'_>, own: ProcessIdentity) -> rusqlite::Result<(String, UndoCall)> {
    let owner = ProcessIdentity { pid: row.get("pid")?, started: row.get("pid_started")? };
    let state = match row.get_ref("state")?.as_str()? {
        "finished" => CallState::Finished,
        _ if owner != own && owner.is_alive() => CallState::Running,
        _ => CallState::Interrupted,
    };
    let json = |name: &str| row.get::<_, Option<String>>(name).map(Option::unwrap_or_default);
    let going: Going = serde_json::from_str(&json("undo")?).unwrap_or_default();
    let mut brought_back = paths_of(&json("undone_paths")?);
    if row.get::<_, Option<String>>("undone_by")?.is_some() {
        brought_back = going.replaced().map(str::to_owned).collect();
    }
    let call = UndoCall {
        turn: row.get::<_, Option<String>>("turn")?.unwrap_or_default(),
        workspace: row.get("workspace")?,
        root: row.get("root")?,
        direction: Direction::of(row.get_ref("tool")?.as_str()?),
        digest: row.get("digest")?,
        changes: serde_json::from_str(&json("changes")?).unwrap_or_default(),
        brought_back,
        state,
        report: serde_json::from_str(&json("result")?).ok(),
        going,
    };
    Ok((row.get("key")?, call))
}

/// Marks what was done on the calls that it was done to, and on the undos that it brings something back of.
fn mark_all(
    transaction: &Transaction<'_>,
    key: &str,
    direction: Direction,
    going: &Going,
) -> rusqlite::Result<()> {
    let done = going.files.iter().filter(|file| file.done && !file.stays).map(|file| &file.path);
    let done: Vec<&str> = done.chain(&going.unchanged).map(String::as_str).collect();
    let undone = direction == Direction::Undo;
    for call in &going.calls {
        mark(transaction, call, &done, undone, key)?;
    }
    hand_over(transaction, key, undone, going)?;
    // What an undo had replaced is there again; so what *that* one had brought back is not any more, and so on.
    let mut next = going.brings_back.clone();
    let mut is_back = true;
    while let Some(call) = next {
        next = mark(transaction, &call, &done, is_back, key)?.and_then(|going| going.brings_back);
        is_back = !is_back;
    }
    Ok(())
}

/// A folder that was left there for what the same turn still has in it goes with that: it is only marked where nothing of the turn is.
fn hand_over(transaction: &Transaction<'_>, key: &str, undone: bool, going: &Going) -> rusqlite::Result<()> {
    let mut left: Vec<&str> =
        going.files.iter().filter(|file| file.stays && file.done).map(|file| file.path.as_str()).collect();
    // What is in a folder before the folder.
    left.sort_by_key(|path| std::cmp::Reverse(path.len()));
    for folder in left {
        if !is_in_use(transaction, &going.calls, folder, undone)? {
            for call in &going.calls {
                mark(transaction, call, &[folder], undone, key)?;
            }
        }
    }
    Ok(())
}

/// Whether something that the turn of these calls did below this folder can still be turned, and goes with that.
fn is_in_use(
    transaction: &Transaction<'_>,
    calls: &[String],
    folder: &str,
    undone: bool,
) -> rusqlite::Result<bool> {
    let mut rows = transaction.prepare_cached(
        "SELECT changes, undone_by, undone_paths FROM calls
         WHERE (key = ?1 OR turn = (SELECT turn FROM calls WHERE key = ?1)) AND state = 'finished'
           AND changes != '[]' AND tool NOT LIKE 'outrigger/%'",
    )?;
    for call in calls {
        let mut rows = rows.query([call])?;
        while let Some(row) = rows.next()? {
            let changes: Vec<PathChange> =
                serde_json::from_str(row.get_ref(0)?.as_str()?).unwrap_or_default();
            let undone_by: Option<String> = row.get(1)?;
            let undone_paths = paths_of(row.get_ref(2)?.as_str()?);
            let stands = |change: &PathChange| {
                let there = if undone { &change.after } else { &change.before };
                there.is_some()
                    && is_below(&change.path, folder)
                    && is_undone(undone_by.as_deref(), &undone_paths, &change.path) != undone
            };
            if changes.iter().any(stands) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Marks these paths of one call; what it is about where it is an undo itself.
fn mark(
    transaction: &Transaction<'_>,
    key: &str,
    paths: &[&str],
    undone: bool,
    by: &str,
) -> rusqlite::Result<Option<Going>> {
    let found = transaction
        .prepare_cached("SELECT changes, undone_by, undone_paths, undo FROM calls WHERE key = ?1")?
        .query_row([key], |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, Option<String>>(1)?,
                row.get::<_, String>(2)?,
                row.get::<_, Option<String>>(3)?,
            ))
        })
        .optional()?;
    let Some((changes, undone_by, undone_paths, going)) = found else { return Ok(None) };
    let going: Option<Going> = going.and_then(|text| serde_json::from_str(&text).ok());
    let own: Vec<String> = match &going {
        Some(going) => going.replaced().map(str::to_owned).collect(),
        None => serde_json::from_str::<Vec<PathChange>>(&changes)
            .unwrap_or_default()
            .into_iter()
            .map(|change| change.path)
            .collect(),
    };
    let before = paths_of(&undone_paths);
    let now: Vec<&String> = own
        .iter()
        .filter(|path| {
            if paths.contains(&path.as_str()) {
                undone
            } else {
                is_undone(undone_by.as_deref(), &before, path)
            }
        })
        .collect();
    let all = !own.is_empty() && now.len() == own.len();
    let left = if all { "[]".to_owned() } else { text(&now) };
    transaction
        .prepare_cached("UPDATE calls SET undone_by = ?2, undone_paths = ?3 WHERE key = ?1")?
        .execute(params![key, all.then_some(by), left])?;
    Ok(going)
}

pub(super) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
