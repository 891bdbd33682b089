//! The journal: what was asked, started and finished, so that nothing is lost and nothing runs twice.
//!
//! One SQLite file in the state folder, shared by all host processes. It is opened by the first call that changes something:
//! a host that only reads never touches it.

pub mod calls;
mod process_identity;

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rusqlite::Connection;

pub use calls::{CallRecord, CallState, FileStep, Recorded, StartedCall};
use process_identity::ProcessIdentity;

/// Why the journal cannot be used. A call that changes something does not run without it.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The state folder cannot be made.
    #[error("the state folder `{path}` cannot be used: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// SQLite says no.
    #[error("the journal `{path}` cannot be used: {source}")]
    Database {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The file was written by a newer version.
    #[error("the journal `{path}` has version {found}; this version of outrigger knows {known}")]
    Version {
        /// The file.
        path: PathBuf,
        /// What it has.
        found: i64,
        /// What we know.
        known: i64,
    },
}

/// The version of the tables below.
const VERSION: i64 = 1;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS calls (
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
CREATE INDEX IF NOT EXISTS calls_by_state ON calls (state) WHERE state = 'started';
PRAGMA user_version = 1;
";

/// The journal of this machine, as this process sees it.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    connection: Mutex<Option<Connection>>,
    owner: ProcessIdentity,
}

impl Journal {
    /// A journal in `folder`; nothing is opened yet.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, connection: Mutex::new(None), owner: ProcessIdentity::own() }
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.folder.join("journal.sqlite")
    }

    /// Runs `work` on the open database.
    fn with<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, JournalError> {
        let mut guard = self.lock();
        if guard.is_none() {
            *guard = Some(self.open()?);
        }
        let path = self.path();
        match guard.as_mut() {
            Some(connection) => work(connection).map_err(|source| JournalError::Database { path, source }),
            None => Err(JournalError::Database { path, source: rusqlite::Error::InvalidQuery }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> Result<Connection, JournalError> {
        make_private_folder(&self.folder)
            .map_err(|source| JournalError::Folder { path: self.folder.clone(), source })?;
        let path = self.path();
        let database = |source| JournalError::Database { path: path.clone(), source };
        let connection = Connection::open(&path).map_err(database)?;
        // Several hosts share the file; one that writes holds it for well under a millisecond.
        connection.busy_timeout(Duration::from_secs(5)).map_err(database)?;
        connection.pragma_update(None, "journal_mode", "wal").map_err(database)?;
        // "Started" must survive a power cut, or a call could run twice.
        connection.pragma_update(None, "synchronous", "full").map_err(database)?;
        // The default of 2 MiB is more than the few rows a call touches ever fill.
        connection.pragma_update(None, "cache_size", -256).map_err(database)?;
        let found: i64 =
            connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(database)?;
        if found > VERSION {
            return Err(JournalError::Version { path, found, known: VERSION });
        }
        if found < VERSION {
            connection.execute_batch(TABLES).map_err(database)?;
        }
        Ok(connection)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the journal keeps its own folder, which no workspace door may open"
)]
fn make_private_folder(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::create_dir_all(folder)?;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
}
