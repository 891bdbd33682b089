//! The audit: who asked for what, who decided, what came of it. Rows are chained by hash; none holds contents or secrets.
//!
//! What only reads is queued and written a little later, in one transaction with others; what changes something is written with
//! its result. Rows that grow too old leave from the front, and the hash they end with stays as the chain's anchor.

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Journal, JournalError, calls::now};
use crate::{change::PathChange, ids::sha256_hex};

/// Rows that wait; then they should be written at once.
const QUEUE: usize = 512;
/// Rows that wait while they cannot be written: a full disk may have room again before the memory is full of them.
const QUEUE_MAX: usize = 16 * QUEUE;
/// What stands before the first row of all.
const BEGINNING: &str = "outrigger audit";

/// Whether a call has ended in the ordinary way, which writes its row with its result. What a host settles in its last moment has none.
const ENDED: &str = r#"SELECT EXISTS (SELECT 1 FROM calls WHERE state = 'finished' AND instr(result, '"code":"cancelled"') = 0)"#;

/// One thing that happened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AuditRow {
    /// RFC 3339, UTC.
    pub at: String,
    /// `call`, `undo`, `redo`, `bring_back`, `trust`, `workspace_add`, …
    pub kind: String,
    /// The session, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The turn, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The call's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The workspace's id.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub workspace: String,
    /// The tool.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// Of the tool's name, its arguments and the workspace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The tier it was judged under.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tier: String,
    /// `auto`, `allowed`, `denied`, `refused`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub decision: String,
    /// Who decided: `user`, `rule:<id>`, `config`, `client`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The digest of the plan that was allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// `ok`, or the code of the failure.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub outcome: String,
    /// How long it took.
    #[serde(default)]
    pub duration_ms: u64,
    /// The paths it named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// How many more it named: a row has room for so many.
    #[serde(default, skip_serializing_if = "is_none")]
    pub paths_left: u64,
    /// What it changed, by hashes; nothing where it was denied or refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<PathChange>,
    /// The program it ran, or would have, absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// What happened beside files. Left out where it says nothing, as in the rows of older versions, whose hashes stay what they are.
    #[serde(flatten)]
    pub did: Did,
}

/// What happened beside files: names, ids and numbers. What there is none of is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Did {
    /// The id of the allowlist's entry that ran, or was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The background job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// How the command ended, when it ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// The signal that ended it, when one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// `fetch`, `pull` or `push`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The branch of git.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The id of the commit that was made, or switched to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The references that an exchange moved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<MovedRef>,
}

/// A reference of git that moved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MovedRef {
    /// Its name.
    pub name: String,
    /// What it named before; empty for nothing.
    pub from: String,
    /// What it names now; empty where it is gone.
    pub to: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl AuditRow {
    /// A row of this kind, now.
    pub fn new(kind: &str) -> Self {
        Self { at: now(), kind: kind.to_owned(), ..Self::default() }
    }
}

/// A row as it stands in the chain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditEntry {
    /// Its number; there are no gaps.
    pub seq: i64,
    /// What happened.
    #[serde(flatten)]
    pub row: Value,
    /// Of the row and the hash before.
    pub hash: String,
}

/// What looking at the whole chain found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChainState {
    /// Rows before those, which were too old to be kept.
    pub left: u64,
    /// Rows looked at.
    pub rows: u64,
    /// The hash of the last one: keep it elsewhere, and a cut tail is noticed too.
    pub head: String,
    /// The first row that does not follow from the one before, and why.
    pub broken: Option<(i64, String)>,
}

/// What is to be done about the rows that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queued {
    /// Nothing: somebody will write them.
    Waits,
    /// It is the first: somebody should call [`Journal::flush`] soon.
    First,
    /// There are many: somebody should do so now.
    Many,
}

impl Journal {
    /// Takes note of something that changed nothing.
    pub fn queue(&self, row: AuditRow) -> Queued {
        let mut queue = self.queue_lock();
        queue.push(row);
        match queue.len() {
            1 => Queued::First,
            // Where they cannot be written, that is tried again now and then, not with every row.
            count if count.is_multiple_of(QUEUE) => Queued::Many,
            _ => Queued::Waits,
        }
    }

    /// Writes what is queued; what cannot be written waits on.
    pub fn flush(&self) -> Result<(), JournalError> {
        self.write_late()?;
        let queued = self.take_queued();
        if queued.is_empty() {
            return Ok(());
        }
        let written = self.append_all(&queued, &[]);
        if written.is_err() {
            self.put_back(queued);
        }
        written
    }

    /// Writes rows of what happened beside calls, and what is queued before them.
    pub fn append(&self, rows: &[AuditRow]) -> Result<(), JournalError> {
        let queued = self.take_queued();
        let written = self.append_all(&queued, rows);
        if written.is_err() {
            self.put_back(queued);
        }
        written
    }

    /// The call has a row with this outcome already, written or queued. Looks at all of them, so it is for what is rare.
    pub fn has_row(&self, call: &str, outcome: &str) -> bool {
        let is_it = |row: &AuditRow| row.call.as_deref() == Some(call) && row.outcome == outcome;
        if self.queue_lock().iter().any(is_it) {
            return true;
        }
        let found = self.with(|database| {
            let query = "SELECT EXISTS (SELECT 1 FROM audit WHERE instr(row, ?1) > 0 AND json_valid(row)
                           AND json_extract(row, '$.call') = ?1 AND json_extract(row, '$.outcome') = ?2)";
            database.query_row(query, [call, outcome], |row| row.get(0))
        });
        found.unwrap_or(false)
    }

    fn append_all(&self, queued: &[AuditRow], rows: &[AuditRow]) -> Result<(), JournalError> {
        self.with_relaxed(|database| {
            let transaction = database.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            append(&transaction, queued.iter().chain(rows))?;
            transaction.commit()
        })
    }

    /// In front of what has come since.
    pub(super) fn put_back(&self, mut rows: Vec<AuditRow>) {
        let mut queue = self.queue_lock();
        rows.append(&mut queue);
        if rows.len() > QUEUE_MAX {
            tracing::error!(
                lost = rows.len() - QUEUE_MAX,
                "the audit cannot be written, and its oldest rows are lost"
            );
            rows.drain(..rows.len() - QUEUE_MAX);
        }
        *queue = rows;
    }

    pub(super) fn take_queued(&self) -> Vec<AuditRow> {
        std::mem::take(&mut *self.queue_lock())
    }

    /// Hands the rows from `after` on to `visit`, oldest first, until it says stop.
    pub fn audit(&self, after: i64, mut visit: impl FnMut(AuditEntry) -> bool) -> Result<(), JournalError> {
        self.with(|database| {
            let mut rows =
                database.prepare("SELECT seq, row, hash FROM audit WHERE seq > ?1 ORDER BY seq")?;
            let mut rows = rows.query([after])?;
            while let Some(row) = rows.next()? {
                let text: String = row.get(1)?;
                let row = AuditEntry {
                    seq: row.get(0)?,
                    row: serde_json::from_str(&text).unwrap_or(Value::Null),
                    hash: row.get(2)?,
                };
                if !visit(row) {
                    return Ok(());
                }
            }
            Ok(())
        })
    }

    /// Checks the whole chain.
    pub fn verify_audit(&self) -> Result<ChainState, JournalError> {
        self.with(|database| {
            let (mut seq, mut head) = anchor(database)?;
            let left = u64::try_from(seq).unwrap_or_default();
            let mut state = ChainState { left, rows: 0, head: String::new(), broken: None };
            let mut rows = database.prepare("SELECT seq, row, hash FROM audit ORDER BY seq")?;
            let mut rows = rows.query([])?;
            while let Some(row) = rows.next()? {
                let (number, text, hash): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let reason = if number != seq + 1 {
                    Some(format!("row {} is missing", seq + 1))
                } else if chained(&head, number, &text) != hash {
                    Some("its hash does not follow from the row before: one of them was changed".to_owned())
                } else {
                    None
                };
                if let Some(reason) = reason {
                    state.broken = Some((number, reason));
                    break;
                }
                (seq, head) = (number, hash);
                state.rows += 1;
            }
            state.head = head;
            if state.rows == 0 && state.broken.is_none() && database.query_row(ENDED, [], |row| row.get(0))? {
                let reason = "every row is missing: calls have ended, and each of them left one".to_owned();
                state.broken = Some((1, reason));
            }
            Ok(state)
        })
    }
}

/// Adds rows to the chain. The transaction has to be an immediate one: nobody else may add between the look and the write.
pub(super) fn append<'r>(
    transaction: &Transaction<'_>,
    rows: impl Iterator<Item = &'r AuditRow>,
) -> rusqlite::Result<()> {
    let last = transaction
        .prepare_cached("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (mut seq, mut head): (i64, String) = match last {
        Some(last) => last,
        None => anchor(transaction)?,
    };
    let mut insert = transaction.prepare_cached("INSERT INTO audit (seq, row, hash) VALUES (?1, ?2, ?3)")?;
    for row in rows {
        seq += 1;
        let text = serde_json::to_string(row).unwrap_or_default();
        head = chained(&head, seq, &text);
        insert.execute(params![seq, text, head])?;
    }
    Ok(())
}

/// Drops rows from the front until at most `rows` are left; the chain goes on from their last hash.
pub(super) fn prune(transaction: &Transaction<'_>, rows: i64) -> rusqlite::Result<()> {
    let last: Option<(i64, String)> = transaction
        .query_row("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1 OFFSET ?1", [rows], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((seq, hash)) = last else { return Ok(()) };
    transaction.execute(
        "INSERT OR REPLACE INTO audit_anchor (one, seq, hash) VALUES (1, ?1, ?2)",
        params![seq, hash],
    )?;
    transaction.execute("DELETE FROM audit WHERE seq <= ?1", [seq])?;
    Ok(())
}

/// How many rows were ever written down.
pub(super) fn length(database: &Connection) -> rusqlite::Result<i64> {
    let last: Option<i64> = database.query_row("SELECT max(seq) FROM audit", [], |row| row.get(0))?;
    last.map_or_else(|| anchor(database).map(|(seq, _)| seq), Ok)
}

fn anchor(database: &Connection) -> rusqlite::Result<(i64, String)> {
    let anchor = database
        .query_row("SELECT seq, hash FROM audit_anchor", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(anchor.unwrap_or_else(|| (0, sha256_hex(BEGINNING.as_bytes()))))
}

fn chained(before: &str, seq: i64, row: &str) -> String {
    sha256_hex(format!("{before}\n{seq}\n{row}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::calls::tests::started;

    fn row(tool: &str) -> AuditRow {
        AuditRow { tool: tool.into(), ..AuditRow::new("call") }
    }

    fn filled(count: usize) -> (tempfile::TempDir, Journal) {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path().to_owned());
        for number in 0..count {
            journal.append(&[row(&format!("t{number}"))]).unwrap();
        }
        (folder, journal)
    }

    #[test]
    fn whatever_is_changed_breaks_the_chain_at_its_place() {
        for (change, place) in [
            ("UPDATE audit SET row = replace(row, 't2', 't9') WHERE seq = 3", 3),
            ("DELETE FROM audit WHERE seq = 2", 3),
            ("UPDATE audit SET hash = 'x' WHERE seq = 5", 5),
            ("UPDATE audit SET seq = 9 WHERE seq = 5", 9),
        ] {
            let (_folder, journal) = filled(5);
            assert_eq!(journal.verify_audit().unwrap().broken, None);
            journal.with(|database| database.execute(change, [])).unwrap();
            assert_eq!(journal.verify_audit().unwrap().broken.unwrap().0, place, "{change}");
        }
    }

    #[test]
    fn rows_that_are_all_gone_are_missed() {
        let (_folder, journal) = filled(0);
        assert_eq!(journal.verify_audit().unwrap().broken, None);
        let call = started("k", &[]);
        journal.finished(&call, &serde_json::json!({"text": "done"}), None, &row("t")).unwrap();
        assert_eq!(journal.verify_audit().unwrap().broken, None);
        journal.with(|database| database.execute("DELETE FROM audit", [])).unwrap();
        assert!(journal.verify_audit().unwrap().broken.is_some());
    }

    #[test]
    fn what_is_queued_comes_before_what_is_written_later() {
        let (_folder, journal) = filled(0);
        assert_eq!(journal.queue(row("first")), Queued::First);
        assert_eq!(journal.queue(row("second")), Queued::Waits);
        journal.append(&[row("third")]).unwrap();
        let mut seen = Vec::new();
        journal
            .audit(0, |entry| {
                seen.push(entry.row["tool"].as_str().unwrap().to_owned());
                true
            })
            .unwrap();
        assert_eq!(seen, ["first", "second", "third"]);
    }

    #[test]
    fn what_cannot_be_written_waits_for_better_times() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        std::fs::write(&state, "in the way").unwrap();
        let journal = Journal::new(state.clone());
        let queued: Vec<Queued> =
            (0..QUEUE).map(|number| journal.queue(row(&format!("t{number}")))).collect();
        assert_eq!((queued[0], queued[1], queued[QUEUE - 1]), (Queued::First, Queued::Waits, Queued::Many));
        assert!(journal.flush().is_err());
        assert!(journal.append(&[row("lost")]).is_err());
        journal.queue(row("last"));
        std::fs::remove_file(&state).unwrap();
        journal.flush().unwrap();
        let mut seen = Vec::new();
        journal
            .audit(0, |entry| {
                seen.push(entry.row["tool"].as_str().unwrap().to_owned());
                true
            })
            .unwrap();
        let expected: Vec<String> =
            (0..QUEUE).map(|number| format!("t{number}")).chain(["last".to_owned()]).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn old_rows_leave_and_the_chain_still_holds() {
        let (_folder, journal) = filled(6);
        journal
            .with(|database| {
                let transaction = database.transaction()?;
                prune(&transaction, 2)?;
                transaction.commit()
            })
            .unwrap();
        journal.append(&[row("new")]).unwrap();
        let state = journal.verify_audit().unwrap();
        assert_eq!((state.left, state.rows, state.broken), (4, 3, None));
    }

    #[test]
    fn two_processes_write_one_chain() {
        let (folder, journal) = filled(1);
        let other = Journal::new(folder.path().to_owned());
        std::thread::scope(|scope| {
            for journal in [&journal, &other] {
                scope.spawn(|| (0..40).for_each(|_| journal.append(&[row("t")]).unwrap()));
            }
        });
        let state = journal.verify_audit().unwrap();
        assert_eq!((state.rows, state.broken), (81, None));
    }
}
