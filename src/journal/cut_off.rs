//! The marks of a host that ended before its calls could clean up behind themselves: the next one does it for them.
//!
//! Files beside the journal, so that a host that starts need not open the database to know that there is nothing to do.

use std::{fs::File, io, path::PathBuf};

use rusqlite::{OptionalExtension as _, TransactionBehavior, params};

use super::{
    AuditRow, CallRecord, CallState, Journal, JournalError, ProcessIdentity, audit,
    calls::{now, record},
};
use crate::change::PathChange;

/// The outcome of a call whose host was killed, as far as it is known when that is seen.
const CUT_OFF: &str = "cut_off";

/// Calls whose leftovers one start looks for; more do not run at once.
const CALLS: u32 = 64;
/// Of those that run, or did when their host was killed.
const STARTED: &str = "state = 'started'";

/// What a mark says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mark {
    /// A connection ended before its calls did.
    Ended,
    /// Something is being changed; where nobody does any more, a host was killed.
    Running,
}

impl Journal {
    fn mark_file(&self, mark: Mark) -> PathBuf {
        self.folder.join(match mark {
            Mark::Ended => "journal.sqlite.cut-off",
            Mark::Running => "journal.sqlite.running",
        })
    }

    /// Leaves the mark.
    pub(super) fn mark(&self, mark: Mark) {
        match File::create_new(self.mark_file(mark)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                tracing::warn!(%error, "what a call left behind stays until something is written beside it");
            }
            _ => {}
        }
    }

    /// Takes the mark away; whether there was one.
    #[expect(
        clippy::disallowed_methods,
        reason = "the journal keeps its own folder, which no workspace door may open"
    )]
    fn unmark(&self, mark: Mark) -> bool {
        match std::fs::remove_file(self.mark_file(mark)) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => {
                tracing::warn!(%error, ?mark, "the mark of calls that were cut off stays");
                true
            }
        }
    }

    /// Whether [`take_cut_off`](Self::take_cut_off) has something to look for.
    pub fn is_marked(&self) -> bool {
        [Mark::Ended, Mark::Running].into_iter().any(|mark| self.mark_file(mark).exists())
    }

    /// The last calls that were cut off, if there is a mark, which is taken away.
    pub fn take_cut_off(&self) -> Vec<CallRecord> {
        let mut found = Vec::new();
        if self.unmark(Mark::Ended) {
            found.extend(self.last_calls(
                "state = 'finished' AND NOT executes AND json_extract(result, '$.structured.code') = 'cancelled'",
            ));
        }
        // A mark goes before the calls are looked at, and a call is written down before it marks: none is missed.
        if self.unmark(Mark::Running) {
            let calls = self.last_calls(STARTED);
            if calls.iter().any(|call| call.state == CallState::Running) {
                self.mark(Mark::Running);
            }
            found.extend(calls.into_iter().filter(|call| call.state == CallState::Interrupted));
        }
        found
    }

    /// Takes the mark of a host away that ends in good order, unless a call of another one runs still or was cut off. Does nothing
    /// when the journal was never opened.
    pub fn leave(&self) {
        let is_open = self.lock().is_some();
        if is_open && self.unmark(Mark::Running) && !self.last_calls(STARTED).is_empty() {
            self.mark(Mark::Running);
        }
    }

    /// Leaves a row in the audit for each call that was cut off: what becomes of it is known when somebody asks for it, and nobody may.
    /// The time at which that was seen stands where others have that of their end, so that it is told once.
    pub fn note_cut_off(&self) -> Result<(), JournalError> {
        let seen = self.with(|database| {
            database
                .prepare_cached(
                    "SELECT key, pid, pid_started FROM calls WHERE state = 'started' AND finished_at IS NULL LIMIT ?1",
                )?
                .query_map([CALLS], |row| {
                    let owner = ProcessIdentity { pid: row.get(1)?, started: row.get(2)? };
                    Ok((row.get::<_, String>(0)?, owner))
                })?
                .collect::<rusqlite::Result<Vec<_>>>()
        })?;
        for (key, owner) in seen.into_iter().filter(|(_, owner)| !owner.is_alive()) {
            self.with_relaxed(|database| {
                let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let row = transaction
                    .prepare_cached(
                        "UPDATE calls SET finished_at = ?3 WHERE key = ?1 AND pid = ?2 AND state = 'started' AND finished_at IS NULL
                         RETURNING session, turn, workspace, tool, digest, changes",
                    )?
                    .query_row(params![key, owner.pid, now()], |row| {
                        let tool: String = row.get("tool")?;
                        let changes = serde_json::from_str::<Vec<PathChange>>(row.get_ref("changes")?.as_str()?);
                        let kind = tool.strip_prefix("outrigger/").unwrap_or("call");
                        Ok(AuditRow {
                            session: row.get("session")?,
                            turn: row.get("turn")?,
                            call: Some(key.clone()),
                            workspace: row.get("workspace")?,
                            tool: tool.clone(),
                            digest: row.get("digest")?,
                            outcome: CUT_OFF.to_owned(),
                            paths: changes.unwrap_or_default().into_iter().map(|change| change.path).collect(),
                            ..AuditRow::new(kind)
                        })
                    })
                    .optional()?;
                audit::append(&transaction, row.iter())?;
                transaction.commit()
            })?;
        }
        Ok(())
    }

    fn last_calls(&self, which: &str) -> Vec<CallRecord> {
        let found = self.with(|database| {
            database
                .prepare(&format!(
                    "SELECT workspace, root, tool, digest, state, executes, changes, evidence, undone_by, pid, pid_started, NULL AS result
                     FROM calls WHERE {which} AND changes != '[]' ORDER BY place DESC LIMIT ?1"
                ))?
                .query_map([CALLS], record)?
                .collect()
        });
        found.unwrap_or_else(|error| {
            tracing::warn!(%error, "what calls left behind stays until something is written beside it");
            Vec::new()
        })
    }
}
