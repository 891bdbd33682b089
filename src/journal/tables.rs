//! The tables, and how older files come to have them.

use rusqlite::{Connection, TransactionBehavior};

/// The version of the tables below.
pub(super) const VERSION: i64 = 6;

/// Each step leads from the version that is its index to the next.
const STEPS: &[&str] = &[
    "
CREATE TABLE calls (
  key         TEXT PRIMARY KEY,
  session     TEXT,
  turn        TEXT,
  workspace   TEXT NOT NULL,
  tool        TEXT NOT NULL,
  digest      TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('asked', 'started', 'finished')),
  executes    INTEGER NOT NULL DEFAULT 0,
  files       TEXT NOT NULL DEFAULT '[]',
  pid         INTEGER NOT NULL,
  pid_started INTEGER NOT NULL,
  result      TEXT,
  asked_at    TEXT,
  started_at  TEXT,
  finished_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_by_state ON calls (state) WHERE state = 'started';
",
    // What a call changes is told path by path; calls undo each other; images and audit are new.
    "
ALTER TABLE calls RENAME COLUMN files TO changes;
UPDATE calls SET changes = '[]';
ALTER TABLE calls ADD COLUMN undone_by TEXT;
CREATE INDEX calls_by_turn ON calls (turn) WHERE turn IS NOT NULL;
CREATE INDEX calls_undone ON calls (undone_by) WHERE undone_by IS NOT NULL;
CREATE TABLE images (
  etag    TEXT PRIMARY KEY,
  bytes   INTEGER NOT NULL,
  kept_at INTEGER NOT NULL,
  content BLOB NOT NULL
) STRICT;
CREATE INDEX images_by_age ON images (kept_at, bytes);
CREATE TABLE audit (
  seq  INTEGER PRIMARY KEY,
  row  TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TABLE audit_anchor (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  seq  INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
",
    // What is undone is told path by path, and what an undo is about stands beside it.
    "
ALTER TABLE calls ADD COLUMN undone_paths TEXT NOT NULL DEFAULT '[]';
ALTER TABLE calls ADD COLUMN undo TEXT;
",
    // What tells later whether a call happened whose changes do not show it.
    "
ALTER TABLE calls ADD COLUMN evidence TEXT;
",
    // Which call began before which does not go by the clock: that may be set back, and stand still.
    "
ALTER TABLE calls ADD COLUMN place INTEGER;
UPDATE calls SET place = began.place
  FROM (SELECT key, row_number() OVER (ORDER BY started_at, key) AS place FROM calls WHERE started_at IS NOT NULL) AS began
  WHERE began.key = calls.key;
CREATE INDEX calls_by_place ON calls (place) WHERE place IS NOT NULL;
CREATE TRIGGER calls_begun AFTER INSERT ON calls WHEN NEW.started_at IS NOT NULL BEGIN
  UPDATE calls SET place = (SELECT COALESCE(max(place), 0) + 1 FROM calls WHERE place IS NOT NULL) WHERE key = NEW.key;
END;
CREATE TRIGGER calls_begun_again AFTER UPDATE OF started_at ON calls WHEN NEW.started_at IS NOT NULL BEGIN
  UPDATE calls SET place = (SELECT COALESCE(max(place), 0) + 1 FROM calls WHERE place IS NOT NULL) WHERE key = NEW.key;
END;
",
    // The folder that a workspace's id stood for: the configuration may give the id to another one.
    "
ALTER TABLE calls ADD COLUMN root TEXT;
",
];

/// Makes what is missing and returns the version that the file now has; a newer one is left alone.
pub(super) fn bring_up_to_date(database: &Connection) -> rusqlite::Result<i64> {
    let version =
        |database: &Connection| database.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    let found = version(database)?;
    if found >= VERSION {
        return Ok(found);
    }
    if found == 0 {
        // Only a file without tables takes this: space that pruning frees goes back to the disk.
        database.pragma_update(None, "auto_vacuum", "incremental")?;
    }
    let transaction = rusqlite::Transaction::new_unchecked(database, TransactionBehavior::Immediate)?;
    // Another host may have been faster.
    let found = version(&transaction)?;
    for step in STEPS.iter().skip(usize::try_from(found).unwrap_or(usize::MAX)) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", VERSION.max(found))?;
    transaction.commit()?;
    Ok(VERSION.max(found))
}

/// Tells this file from every other one, as long as it lives. Made once, by whoever opens it first.
///
/// It stands where SQLite keeps a number for applications, so that a host of before it was kept can go on with the same file.
pub(super) fn identity(database: &Connection) -> rusqlite::Result<i32> {
    let known =
        |database: &Connection| database.query_row("PRAGMA application_id", [], |row| row.get::<_, i32>(0));
    let found = known(database)?;
    if found != 0 {
        return Ok(found);
    }
    let transaction = rusqlite::Transaction::new_unchecked(database, TransactionBehavior::Immediate)?;
    // Another host may have been faster.
    let found = known(&transaction)?;
    if found != 0 {
        return Ok(found);
    }
    let made: i32 = transaction.query_row("SELECT abs(random() % 2147483646) + 1", [], |row| row.get(0))?;
    transaction.pragma_update(None, "application_id", made)?;
    transaction.commit()?;
    Ok(made)
}

/// An error where a table or column is missing: somebody else has written to the file.
pub(super) fn check(database: &Connection) -> rusqlite::Result<()> {
    for statement in [
        "SELECT key, session, turn, workspace, tool, digest, state, executes, changes, pid, pid_started, result, asked_at, started_at, \
         finished_at, undone_by, undone_paths, undo, evidence, place, root FROM calls",
        "SELECT etag, bytes, kept_at, content FROM images",
        "SELECT seq, row, hash FROM audit",
        "SELECT one, seq, hash FROM audit_anchor",
    ] {
        database.prepare(statement)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_its_identity_and_no_other_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let open = |name: &str| Connection::open(folder.path().join(name)).unwrap();
        let first = identity(&open("a")).unwrap();
        assert!(first > 0);
        assert_eq!(identity(&open("a")).unwrap(), first);
        assert_ne!(identity(&open("b")).unwrap(), first);
    }

    #[test]
    fn a_file_of_any_earlier_version_comes_up_to_date() {
        for version in 0..VERSION {
            let database = Connection::open_in_memory().unwrap();
            for step in &STEPS[..usize::try_from(version).unwrap()] {
                database.execute_batch(step).unwrap();
            }
            database.pragma_update(None, "user_version", version).unwrap();
            if version > 0 {
                database
                    .execute_batch(
                        "INSERT INTO calls (key, workspace, tool, digest, state, pid, pid_started, started_at) VALUES
                         ('a', 'app', 'fs_write', '', 'finished', 1, 1, '2026-11-20T10:00:02Z'),
                         ('b', 'app', 'fs_write', '', 'finished', 1, 1, '2026-11-20T10:00:01Z'),
                         ('c', 'app', 'fs_write', '', 'asked', 1, 1, NULL)",
                    )
                    .unwrap();
            }
            assert_eq!(bring_up_to_date(&database).unwrap(), VERSION);
            assert_eq!(bring_up_to_date(&database).unwrap(), VERSION);
            database
                .execute_batch(
                    "SELECT undone_by, undone_paths, undo, evidence, changes FROM calls; SELECT * FROM images, audit, audit_anchor",
                )
                .unwrap();
            let places =
                "SELECT group_concat(key || place, ' ' ORDER BY place) FROM calls WHERE place IS NOT NULL";
            let places: Option<String> = database.query_row(places, [], |row| row.get(0)).unwrap();
            // Before places were kept, the clock said which began first.
            let kept = match version {
                0 => None,
                1..=4 => Some("b1 a2"),
                _ => Some("a1 b2"),
            };
            assert_eq!(places.as_deref(), kept, "from version {version}");
        }
        let newer = Connection::open_in_memory().unwrap();
        newer.pragma_update(None, "user_version", VERSION + 1).unwrap();
        assert_eq!(bring_up_to_date(&newer).unwrap(), VERSION + 1);
    }
}
