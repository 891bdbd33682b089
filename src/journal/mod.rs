//! The journal: what was asked, started and finished, so that nothing is lost and nothing runs twice; the bytes that were there
//! before, so that it can be undone; and the audit of all of it.
//!
//! One SQLite file in the state folder, shared by all host processes. It is opened by the first call that changes something, or
//! a second after the first that reads.

pub mod audit;
mod audit_filter;
pub mod calls;
mod cut_off;
mod damage;
mod elsewhere;
pub mod images;
mod late;
#[cfg(unix)]
#[path = "private_unix.rs"]
mod private;
#[cfg(windows)]
#[path = "private_windows.rs"]
mod private;
mod process_identity;
pub mod replaced;
mod tables;
pub mod turns;
pub mod undone;

use std::{
    path::PathBuf,
    sync::{
        Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use rusqlite::Connection;

pub use audit::{AuditEntry, AuditRow, ChainState, Did, MovedRef, Queued};
pub use audit_filter::{AuditFilter, Decided, Moment};
pub use calls::{CallRecord, CallState, Recorded, StartedCall};
pub use images::Image;
use process_identity::ProcessIdentity;
pub use replaced::Replaced;
pub use turns::{CutOff, TurnFilter, TurnRecord, UndoneCalls, in_workspace};
pub use undone::{Direction, Going, PartOf, UndoAction, UndoCall, UndoneFile};

use crate::limits::IMAGE_BYTES;

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
    /// It would be written somewhere else.
    #[error(
        "the journal `{path}` is a symbolic link, which is not followed: the file itself has to be there"
    )]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// SQLite says no.
    #[error("the journal `{path}` cannot be used: {source}")]
    Database {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// What is in it is no journal any more; it was put aside.
    #[error("the journal `{path}` was damaged ({reason}) and is kept as `{aside}`; a new one is begun")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
        /// Where it is now.
        aside: PathBuf,
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

/// What every file of SQLite begins with.
const MARK: &[u8] = b"SQLite format 3\0";

/// True for the first bytes of a database.
pub fn is_journal(beginning: &[u8]) -> bool {
    beginning.starts_with(MARK)
}

/// The version of a journal that is too new for us, and the newest that we know, by the file's first bytes.
pub fn newer_version(beginning: &[u8]) -> Option<(i64, i64)> {
    // SQLite's own format: a mark, and at this place the number that its user has given it.
    let number = beginning.strip_prefix(MARK)?.get(44..48)?;
    let found = i64::from(u32::from_be_bytes(number.try_into().ok()?));
    (found > tables::VERSION).then_some((found, tables::VERSION))
}

/// What is wrong with a journal that nobody uses now, as far as a look of less than a second tells.
pub fn damage_of(path: &std::path::Path) -> Option<String> {
    damage::of(path)
}

/// What kind of trouble it is, for whoever has to say what would help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// There is no room.
    Full,
    /// It may not be written.
    NotAllowed,
    /// Another process holds it.
    Busy,
    /// It was damaged, and a new one is begun.
    Damaged,
    /// A newer version of this program has written it.
    Newer,
    /// Anything else.
    Other,
}

impl JournalError {
    /// What kind of trouble this is.
    pub fn trouble(&self) -> Trouble {
        use rusqlite::ErrorCode;
        match self {
            Self::Folder { source, .. } => match source.kind() {
                std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Trouble::Full,
                // A file in the folder's place is as much in the way as a closed door.
                std::io::ErrorKind::PermissionDenied
                | std::io::ErrorKind::ReadOnlyFilesystem
                | std::io::ErrorKind::AlreadyExists
                | std::io::ErrorKind::NotADirectory => Trouble::NotAllowed,
                _ => Trouble::Other,
            },
            Self::Link { .. } => Trouble::Other,
            Self::Damaged { .. } => Trouble::Damaged,
            Self::Version { .. } => Trouble::Newer,
            Self::Database { source, .. } if is_full(source) => Trouble::Full,
            Self::Database { source, .. } => match source.sqlite_error_code() {
                Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                    Trouble::NotAllowed
                }
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Trouble::Busy,
                _ => Trouble::Other,
            },
        }
    }
}

/// There is no room: for the database, or for what is shared beside it, which SQLite tells as another failure.
fn is_full(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| {
        error.code == rusqlite::ErrorCode::DiskFull
            || error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE
    })
}

/// The journal of this machine, as this process sees it.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    connection: Mutex<Option<Open>>,
    queue: Mutex<Vec<AuditRow>>,
    late: Mutex<Vec<late::Late>>,
    undoing: Mutex<()>,
    /// Bytes of before-images that were kept since the surplus was last taken out; nobody knows what others kept before.
    kept: AtomicU64,
    notices: Mutex<Vec<String>>,
    /// The last thing that was to be written found no room.
    was_full: AtomicBool,
    limits: Limits,
    owner: ProcessIdentity,
}

/// An open database, and which file that is: one that was removed or replaced is no journal any more.
#[derive(Debug)]
struct Open {
    connection: Connection,
    file: Option<damage::FileId>,
}

/// How much is kept, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of before-images.
    pub image_bytes: u64,
    /// Days that calls and before-images are kept.
    pub days: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { image_bytes: 256 * 1024 * 1024, days: 14 }
    }
}

/// Rows of the audit that are kept: years of a busy person.
const AUDIT_ROWS: i64 = 1_000_000;
/// What SQLite makes a page of.
const PAGE_BYTES: u64 = 4096;
/// More bytes than any journal may hold, and few enough to be added to.
const NOBODY_KNOWS: u64 = 1 << 60;
/// The before-images that go over the limit are taken out each time so large a part of it came in.
const ROOM_PARTS: u64 = 8;

impl Journal {
    /// A journal in `folder`; nothing is opened yet.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            connection: Mutex::new(None),
            queue: Mutex::default(),
            late: Mutex::default(),
            undoing: Mutex::default(),
            kept: AtomicU64::new(NOBODY_KNOWS),
            notices: Mutex::default(),
            was_full: AtomicBool::new(false),
            limits: Limits::default(),
            owner: ProcessIdentity::own(),
        }
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// How much is kept.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Bytes of before-images of one call that are kept: more of them would push each other out.
    pub fn image_room(&self) -> u64 {
        IMAGE_BYTES.min(self.limits.image_bytes)
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.folder.join("journal.sqlite")
    }

    /// Runs `work` on the open database.
    fn with<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, JournalError> {
        let mut guard = self.lock();
        let path = self.path();
        if guard.as_ref().is_some_and(|open| open.file != damage::FileId::of(&path)) {
            self.notice(format!(
                "the journal `{}` was removed or replaced while it was in use; what it held is gone",
                path.display()
            ));
            *guard = None;
        }
        if guard.is_none() {
            *guard = Some(self.open_or_begin_anew()?);
        }
        let Some(open) = guard.as_mut() else {
            return Err(JournalError::Database { path, source: rusqlite::Error::InvalidQuery });
        };
        if self.was_full.swap(false, Ordering::Relaxed) {
            // What waits beside the database may be what fills the disk; in the database it takes less.
            let _ = open.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
        }
        let file = open.file;
        match work(&mut open.connection) {
            Err(source) if is_full(&source) => {
                self.was_full.store(true, Ordering::Relaxed);
                Err(JournalError::Database { path, source })
            }
            Err(source) if damage::is_damage(&source) => {
                *guard = None;
                Err(self.put_aside(file, &source))
            }
            done => done.map_err(|source| JournalError::Database { path, source }),
        }
    }

    /// Tells this journal from one that takes its place, an older copy of it included: what that one never saw may have happened
    /// all the same. The number behind the dot only grows.
    pub fn identity(&self) -> Result<String, JournalError> {
        self.with(|database| Ok(format!("{:08x}.{}", tables::identity(database)?, audit::length(database)?)))
    }

    /// What happened to the journal itself since this was asked last; it is told with the next answer.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Journals that were damaged and put aside: what they say is in no answer of this one.
    pub fn kept_aside(&self) -> Vec<PathBuf> {
        damage::aside(&self.path())
    }

    fn notice(&self, words: String) {
        tracing::error!("{words}");
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if !notices.contains(&words) {
            notices.push(words);
        }
    }

    /// Opens it; one that is no journal any more is put aside, and a new one is begun.
    fn open_or_begin_anew(&self) -> Result<Open, JournalError> {
        let error = match self.open() {
            Ok(open) => return Ok(open),
            Err(error) => error,
        };
        let path = self.path();
        let damaged = match &error {
            JournalError::Database { source, .. } => damage::is_damage(source) || damage::is_no_file(&path),
            _ => false,
        };
        if !damaged {
            return Err(error);
        }
        match self.put_aside(damage::FileId::of(&path), &error) {
            told @ JournalError::Damaged { .. } => self.notice(told.to_string()),
            other => return Err(other),
        }
        self.open()
    }

    /// Gives the damaged file another name, unless another process has done so already.
    fn put_aside(&self, file: Option<damage::FileId>, reason: &dyn std::fmt::Display) -> JournalError {
        let path = self.path();
        match damage::put_aside(&path, file) {
            Ok(aside) => JournalError::Damaged { path, reason: reason.to_string(), aside },
            Err(source) => JournalError::Folder { path: self.folder.clone(), source },
        }
    }

    /// The same for what need not reach the disk before it is answered: no wait for the disk, but no damage by a power cut either.
    fn with_relaxed<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, JournalError> {
        self.with(|database| {
            database.pragma_update(None, "synchronous", "normal")?;
            let result = work(database);
            database.pragma_update(None, "synchronous", "full")?;
            result
        })
    }

    /// Before `bytes` more of before-images are kept: takes out the oldest, where so many came in that the limit may be passed.
    fn make_room(&self, bytes: u64) {
        let Limits { image_bytes, days } = self.limits;
        let kept = self.kept.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if bytes == 0 || kept <= image_bytes / ROOM_PARTS {
            return;
        }
        // What an undo has found kept stays until it is put back; the next call asks again.
        let _no_undo = match self.undoing.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let room = image_bytes.saturating_sub(bytes);
        match self.with_relaxed(|database| images::prune(database, room, seconds_of(days))) {
            Ok(_) => self.kept.store(bytes, Ordering::Relaxed),
            // The call goes on: whatever hinders it as well is told by what it records itself.
            Err(error) => tracing::warn!(%error, "old before-images could not be taken out"),
        }
    }

    /// Takes out what is too old or too much, and gives the space back. Does nothing when the journal was never opened; meant for
    /// a moment when nobody waits.
    pub fn tidy(&self) -> Result<(), JournalError> {
        if self.lock().is_none() {
            return Ok(());
        }
        // What an undo has found kept stays until it is put back.
        let _no_undo = self.one_undo();
        let Limits { image_bytes, days } = self.limits;
        let seconds = seconds_of(days);
        self.with_relaxed(|database| {
            images::prune(database, image_bytes, seconds)?;
            database.execute(
                "DELETE FROM calls WHERE state != 'started' AND unixepoch(COALESCE(finished_at, asked_at)) < unixepoch() - ?1",
                [seconds],
            )?;
            let transaction = database.transaction()?;
            audit::prune(&transaction, AUDIT_ROWS)?;
            transaction.commit()?;
            database.execute_batch("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")
        })
    }

    fn queue_lock(&self) -> MutexGuard<'_, Vec<AuditRow>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> Result<Open, JournalError> {
        private::make_folder(&self.folder)
            .map_err(|source| JournalError::Folder { path: self.folder.clone(), source })?;
        let path = self.path();
        if path.is_symlink() {
            return Err(JournalError::Link { path });
        }
        let database = |source| JournalError::Database { path: path.clone(), source };
        let connection = Connection::open(&path).map_err(database)?;
        // Several hosts share the file; one that writes holds it for well under a millisecond.
        connection.busy_timeout(Duration::from_secs(5)).map_err(database)?;
        connection.pragma_update(None, "journal_mode", "wal").map_err(database)?;
        // "Started" must survive a power cut, or a call could run twice.
        connection.pragma_update(None, "synchronous", "full").map_err(database)?;
        // The default of 2 MiB is more than the few rows a call touches ever fill.
        connection.pragma_update(None, "cache_size", -256).map_err(database)?;
        // The default of 1000 pages makes every fourth edit of a large file wait for a copy of all of them. Tidying does it
        // when nobody waits.
        let pages = i64::try_from(self.limits.image_bytes / PAGE_BYTES / 4).unwrap_or(4000).clamp(256, 4000);
        connection.pragma_update(None, "wal_autocheckpoint", pages).map_err(database)?;
        let found = tables::bring_up_to_date(&connection).map_err(database)?;
        if found > tables::VERSION {
            return Err(JournalError::Version { path, found, known: tables::VERSION });
        }
        tables::check(&connection).map_err(database)?;
        for suffix in ["", "-wal", "-shm"] {
            let mut name = path.clone().into_os_string();
            name.push(suffix);
            if let Err(error) = private::keep_file(name.as_ref()) {
                // Its folder is closed to others anyway.
                tracing::warn!(%error, suffix, "the journal's file could not be kept from others");
            }
        }
        let file = damage::FileId::of(&path);
        Ok(Open { connection, file })
    }
}

fn seconds_of(days: u32) -> i64 {
    i64::from(days) * 24 * 60 * 60
}
