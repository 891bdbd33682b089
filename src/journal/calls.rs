//! The calls table: exactly once, by key.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, TransactionBehavior, params};
use serde_json::Value;

use super::{
    Journal, JournalError,
    audit::{self, AuditRow},
    cut_off::Mark,
    images::{self, Image},
    late::Late,
    process_identity::ProcessIdentity,
    undone::{self, Going},
};
use crate::change::PathChange;

/// A call that is about to have its first effect.
#[derive(Clone, Debug)]
pub struct StartedCall<'a> {
    /// The idempotency key.
    pub key: &'a str,
    /// The session, where one was named.
    pub session: Option<&'a str>,
    /// The turn, where one was named.
    pub turn: Option<&'a str>,
    /// The workspace's id.
    pub workspace: &'a str,
    /// The folder that the id stands for.
    pub root: Option<&'a Path>,
    /// The tool.
    pub tool: &'a str,
    /// Of the tool's name and arguments.
    pub digest: &'a str,
    /// It runs a program, whose effects nobody can tell afterwards.
    pub executes: bool,
    /// What it will change, path by path.
    pub changes: &'a [PathChange],
    /// What tells later whether it happened, where its changes do not.
    pub evidence: Option<&'a Value>,
}

/// Where a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallState {
    /// A person was asked; nothing has happened.
    Asked,
    /// It runs, in a process that is alive.
    Running,
    /// It was running when its process ended.
    Interrupted,
    /// It is over.
    Finished,
}

/// What is known of a call.
#[derive(Clone, Debug)]
pub struct CallRecord {
    /// The workspace's id.
    pub workspace: String,
    /// The folder that the id stood for, where that is known.
    pub root: Option<String>,
    /// The tool.
    pub tool: String,
    /// Of the tool's name and arguments.
    pub digest: String,
    /// Where it stands.
    pub state: CallState,
    /// It runs a program.
    pub executes: bool,
    /// What it changes, path by path.
    pub changes: Vec<PathChange>,
    /// What tells whether it happened, where its changes do not.
    pub evidence: Option<Value>,
    /// The call that undid it.
    pub undone_by: Option<String>,
    /// Its stored result, when it is over.
    pub result: Option<Value>,
}

/// Whether a start was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It was; the call may have its first effect.
    Now,
    /// Another process was faster; this one must not run it.
    Elsewhere,
}

impl Journal {
    /// What is known of the call with this key.
    pub fn call(&self, key: &str) -> Result<Option<CallRecord>, JournalError> {
        let found = self.recorded(key)?;
        Ok(found.map(|record| match (record.state, self.late_result(key)) {
            (CallState::Running, Some(result)) => {
                CallRecord { state: CallState::Finished, result: Some(result), ..record }
            }
            _ => record,
        }))
    }

    fn recorded(&self, key: &str) -> Result<Option<CallRecord>, JournalError> {
        self.with(|database| {
            database
                .prepare_cached(
                    "SELECT workspace, root, tool, digest, state, executes, changes, evidence, undone_by, pid, pid_started, result FROM calls WHERE key = ?1",
                )?
                .query_row([key], record)
                .optional()
        })
    }

    /// Records that a person is asked. That is no start: the call may come again, also in another process.
    pub fn asked(&self, call: &StartedCall<'_>) -> Result<(), JournalError> {
        self.with(|database| {
            database.execute(
                "INSERT INTO calls (key, session, turn, workspace, tool, digest, state, pid, pid_started, asked_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'asked', ?7, ?8, ?9) ON CONFLICT (key) DO NOTHING",
                params![
                    call.key,
                    call.session,
                    call.turn,
                    call.workspace,
                    call.tool,
                    call.digest,
                    self.owner.pid,
                    self.owner.started,
                    now()
                ],
            )
        })?;
        Ok(())
    }

    /// Records the start, durably, before the first effect. Only one process can.
    /// `images` are the bytes it is about to replace or remove: kept in the same transaction.
    pub fn started(
        &self,
        call: &StartedCall<'_>,
        images: &[Image],
        retry: bool,
    ) -> Result<Recorded, JournalError> {
        self.started_with(call, images, retry, None)
    }

    pub(super) fn started_with(
        &self,
        call: &StartedCall<'_>,
        images: &[Image],
        retry: bool,
        undo: Option<&Going>,
    ) -> Result<Recorded, JournalError> {
        self.write_late()?;
        // What an undo puts back must not make room for what it replaces.
        if undo.is_none() {
            self.make_room(images.iter().map(|image| image.content.len() as u64).sum());
        }
        let undo = undo.map(undone::text);
        let changes = serde_json::to_string(call.changes).unwrap_or_else(|_| "[]".to_owned());
        let may_start_over =
            if retry { "calls.state IN ('asked', 'started')" } else { "calls.state = 'asked'" };
        let changed = self.with(|database| {
            let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Whoever looked it up saw a call that was cut off; by now another process may have it.
            if retry && self.is_elsewhere(&transaction, call.key)? {
                return Ok(0);
            }
            images::keep(&transaction, images)?;
            let mut insert = transaction.prepare_cached(&format!(
                    "INSERT INTO calls (key, session, turn, workspace, tool, digest, state, executes, changes, pid, pid_started, started_at, undo, evidence, root)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'started', ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
                     ON CONFLICT (key) DO UPDATE SET state = 'started', executes = excluded.executes, changes = excluded.changes,
                       undo = excluded.undo, evidence = excluded.evidence, root = excluded.root, pid = excluded.pid, pid_started = excluded.pid_started,
                       started_at = excluded.started_at, finished_at = NULL
                     WHERE {may_start_over}"
                ))?;
            let changed = insert.execute(params![
                    call.key,
                    call.session,
                    call.turn,
                    call.workspace,
                    call.tool,
                    call.digest,
                    call.executes,
                    changes,
                    self.owner.pid,
                    self.owner.started,
                    now(),
                    undo,
                    call.evidence.map(Value::to_string),
                    call.root.map(Path::to_string_lossy)
                ])?;
            drop(insert);
            transaction.commit()?;
            Ok(changed)
        })?;
        if !call.changes.is_empty() {
            self.mark(Mark::Running);
        }
        Ok(if changed == 1 { Recorded::Now } else { Recorded::Elsewhere })
    }

    /// Records the result, and what the audit says of it. A call that was finished before keeps its first one. One that another
    /// process runs, or has finished, is left to it, and the audit as well.
    ///
    /// `made` are the changes that were made after all, where they are not those that were announced.
    /// This need not reach the disk before it is answered: after a power cut a started call is settled from what stands there.
    pub fn finished(
        &self,
        call: &StartedCall<'_>,
        result: &Value,
        made: Option<&[PathChange]>,
        audit: &AuditRow,
    ) -> Result<Recorded, JournalError> {
        let queued = self.take_queued();
        let made = made.map(|changes| serde_json::to_string(changes).unwrap_or_else(|_| "[]".to_owned()));
        let written = self.with_relaxed(|database| {
            let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if self.is_elsewhere(&transaction, call.key)? {
                audit::append(&transaction, queued.iter())?;
                transaction.commit()?;
                return Ok(Recorded::Elsewhere);
            }
            audit::append(&transaction, queued.iter().chain([audit]))?;
            let mut insert = transaction.prepare_cached(
                "INSERT INTO calls (key, session, turn, workspace, tool, digest, state, executes, pid, pid_started, finished_at, result)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'finished', ?7, ?8, ?9, ?10, ?11)
                 ON CONFLICT (key) DO UPDATE SET state = 'finished', finished_at = excluded.finished_at, result = excluded.result,
                   changes = COALESCE(?12, calls.changes)
                 WHERE calls.state != 'finished'",
            )?;
            insert.execute(params![
                    call.key,
                    call.session,
                    call.turn,
                    call.workspace,
                    call.tool,
                    call.digest,
                    call.executes,
                    self.owner.pid,
                    self.owner.started,
                    now(),
                    result.to_string(),
                    made
                ])?;
            drop(insert);
            transaction.commit()?;
            Ok(Recorded::Now)
        });
        if written.is_err() {
            self.put_back(queued.into_iter().chain([audit.clone()]).collect());
            self.remember_late(Late { key: call.key.to_owned(), result: result.clone(), made });
        }
        written
    }

    /// Settles what this process still runs, just before it exits: `end` says what becomes the result of each, and which changes it
    /// made where they are not those it announced; one of which it says nothing is left to the next host, as if this one was killed.
    /// Does nothing when the journal was never opened. An undo is left as it is: whoever asks again with its key finishes it.
    pub fn settle_own(
        &self,
        end: impl Fn(&CallRecord) -> Option<(Value, Option<Vec<PathChange>>)>,
    ) -> Result<usize, JournalError> {
        if self.lock().is_none() {
            return Ok(0);
        }
        self.write_late()?;
        let running: Vec<(String, CallRecord)> = self.with(|database| {
            database
                .prepare(
                    "SELECT key, workspace, root, tool, digest, state, executes, changes, evidence, undone_by, pid, pid_started, result
                     FROM calls WHERE state = 'started' AND undo IS NULL AND pid = ?1 AND pid_started = ?2",
                )?
                .query_map(params![self.owner.pid, self.owner.started], |row| Ok((row.get(0)?, record(row)?)))?
                .collect()
        })?;
        if !running.is_empty() {
            self.mark(Mark::Ended);
        }
        let mut settled = 0;
        for (key, call) in running {
            let Some((result, made)) = end(&call) else { continue };
            let made = made.and_then(|made| serde_json::to_string(&made).ok());
            settled += self.with(|database| {
                database.execute(
                    "UPDATE calls SET state = 'finished', finished_at = ?2, result = ?3, changes = COALESCE(?4, changes)
                     WHERE key = ?1 AND state = 'started'",
                    params![key, now(), result.to_string(), made],
                )
            })?;
        }
        Ok(settled)
    }
}

pub(super) fn record(row: &Row<'_>) -> rusqlite::Result<CallRecord> {
    let owner = ProcessIdentity { pid: row.get("pid")?, started: row.get("pid_started")? };
    let state = match row.get_ref("state")?.as_str()? {
        "asked" => CallState::Asked,
        "finished" => CallState::Finished,
        _ if owner.is_alive() => CallState::Running,
        _ => CallState::Interrupted,
    };
    let changes: String = row.get("changes")?;
    let result: Option<String> = row.get("result")?;
    let evidence: Option<String> = row.get("evidence")?;
    Ok(CallRecord {
        workspace: row.get("workspace")?,
        root: row.get("root")?,
        tool: row.get("tool")?,
        digest: row.get("digest")?,
        state,
        executes: row.get("executes")?,
        changes: serde_json::from_str(&changes).unwrap_or_default(),
        evidence: evidence.and_then(|text| serde_json::from_str(&text).ok()),
        undone_by: row.get("undone_by")?,
        result: result.and_then(|text| serde_json::from_str(&text).ok()),
    })
}

pub(super) fn now() -> String {
    Timestamp::now().to_string()
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;
    use crate::change::Node;

    pub(in crate::journal) fn started<'a>(key: &'a str, changes: &'a [PathChange]) -> StartedCall<'a> {
        StartedCall {
            key,
            session: None,
            turn: None,
            workspace: "app",
            root: None,
            tool: "fs_write",
            digest: "d",
            executes: false,
            changes,
            evidence: None,
        }
    }

    #[test]
    fn what_is_kept_stays_within_the_limit_call_by_call() {
        let folder = tempfile::tempdir().unwrap();
        let limits = crate::journal::Limits { image_bytes: 8000, days: 1 };
        let image = |number: u8, bytes| {
            let content = vec![number; bytes];
            Image { etag: crate::ids::Etag::of(&content), content }
        };
        let held = |journal: &Journal| -> i64 {
            journal
                .with(|db| db.query_row("SELECT COALESCE(SUM(bytes), 0) FROM images", [], |row| row.get(0)))
                .unwrap()
        };
        let mut number = 0;
        // Each journal is another process, which does not know what those before it have kept.
        for _ in 0..4 {
            let journal = Journal::new(folder.path().join("state")).with_limits(limits);
            for _ in 0..20 {
                number += 1;
                let images = [image(number, 700), image(number, 1)];
                let etag = images[0].etag.clone();
                journal.started(&started(&format!("k{number}"), &[]), &images, false).unwrap();
                assert!(journal.has_image(&etag).unwrap());
                assert!(held(&journal) <= 9000, "{}", held(&journal));
            }
            assert!(held(&journal) >= 7000, "{}", held(&journal));
        }
        // While an undo runs, nothing that it may need goes.
        let journal = Journal::new(folder.path().join("state")).with_limits(limits);
        let undo = journal.one_undo();
        for number in 200..220 {
            journal.started(&started(&format!("k{number}"), &[]), &[image(number, 700)], false).unwrap();
        }
        assert!(held(&journal) > 20_000);
        drop(undo);
        journal.started(&started("last", &[]), &[image(220, 700)], false).unwrap();
        assert!(held(&journal) <= 8000);
    }

    #[test]
    fn a_key_starts_once_and_keeps_its_first_result() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path().join("state"));
        let changes =
            [PathChange { path: "a".into(), before: None, after: Some(Node::folder()), copied_from: None }];
        let call = started("k", &changes);
        assert!(journal.call("k").unwrap().is_none());
        journal.asked(&call).unwrap();
        assert_eq!(journal.call("k").unwrap().unwrap().state, CallState::Asked);
        assert_eq!(journal.started(&call, &[], false).unwrap(), Recorded::Now);
        assert_eq!(journal.started(&call, &[], false).unwrap(), Recorded::Elsewhere);
        let record = journal.call("k").unwrap().unwrap();
        assert_eq!((record.state, record.changes.as_slice()), (CallState::Running, changes.as_slice()));
        journal.finished(&call, &json!({"a": 1}), None, &AuditRow::default()).unwrap();
        journal.finished(&call, &json!({"a": 2}), None, &AuditRow::default()).unwrap();
        let record = journal.call("k").unwrap().unwrap();
        assert_eq!((record.state, record.result), (CallState::Finished, Some(json!({"a": 1}))));
        assert_eq!(journal.started(&call, &[], true).unwrap(), Recorded::Elsewhere);
    }

    #[test]
    fn what_a_dead_process_left_is_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::new(folder.path().to_owned());
        let own = journal.owner;
        journal.owner = ProcessIdentity { pid: own.pid, started: own.started + 1 };
        journal.started(&started("k", &[]), &[], false).unwrap();
        journal.owner = own;
        assert_eq!(journal.call("k").unwrap().unwrap().state, CallState::Interrupted);
        let end = |_: &CallRecord| Some((json!({"cancelled": true}), None));
        assert_eq!(journal.settle_own(end).unwrap(), 0);
        assert_eq!(journal.started(&started("k", &[]), &[], true).unwrap(), Recorded::Now);
        assert_eq!(journal.settle_own(|_: &CallRecord| None).unwrap(), 0);
        assert_eq!(journal.settle_own(end).unwrap(), 1);
        assert_eq!(journal.call("k").unwrap().unwrap().result, Some(json!({"cancelled": true})));
    }

    #[test]
    fn the_folder_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path().join("state"));
        journal.call("k").unwrap();
        let mode = folder.path().join("state").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (state, elsewhere) = (folder.path().join("state"), folder.path().join("elsewhere"));
        Journal::new(state.clone()).call("k").unwrap();
        std::fs::rename(state.join("journal.sqlite"), &elsewhere).unwrap();
        for there in [true, false] {
            std::os::unix::fs::symlink(&elsewhere, state.join("journal.sqlite")).unwrap();
            let before = std::fs::read(&elsewhere).ok();
            let refused = Journal::new(state.clone()).call("k").unwrap_err();
            assert!(refused.to_string().contains("is a symbolic link"), "{refused}");
            assert_eq!(std::fs::read(&elsewhere).ok(), before, "{there}");
            let _ = std::fs::remove_file(&elsewhere);
            std::fs::remove_file(state.join("journal.sqlite")).unwrap();
        }
    }

    #[test]
    fn its_files_are_taken_back_from_others() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/journal.sqlite");
        for _ in 0..2 {
            Journal::new(folder.path().join("state")).call("k").unwrap();
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
        }
    }
}
