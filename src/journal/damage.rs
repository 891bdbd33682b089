//! What to do with a journal that is none any more: it is kept under another name, and never written to again.

use std::{
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OpenFlags};

/// What SQLite keeps beside the file; it belongs to it.
const COMPANIONS: &[&str] = &["-wal", "-shm", "-journal"];

/// What the name of a file that was put aside goes on with; the time follows.
const ASIDE: &str = ".damaged-";

/// What is larger takes longer than anybody waits for.
const LOOKED_THROUGH: u64 = 64 * 1024 * 1024;

/// Which file it is, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// The file that has this name now.
    #[cfg(unix)]
    pub(super) fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = path.metadata().ok()?;
        Some(Self { device: metadata.dev(), inode: metadata.ino() })
    }

    /// Windows removes and renames no file that is open.
    #[cfg(not(unix))]
    pub(super) fn of(path: &Path) -> Option<Self> {
        path.metadata().ok().map(|_| Self { device: 0, inode: 0 })
    }
}

/// True when the file is the trouble, and no waiting or freeing of space would help.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    if matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)) {
        return true;
    }
    // A table or column is not there: our own statements name none that never was.
    let words = error.to_string();
    words.contains("no such table") || words.contains("no such column")
}

/// Looks through a file that no host has open, and changes nothing, not even beside it. A large one would take too long.
pub(super) fn of(path: &Path) -> Option<String> {
    let bytes = |path: &Path| path.metadata().map_or(0, |metadata| metadata.len());
    if bytes(path) > LOOKED_THROUGH
        || COMPANIONS.iter().any(|companion| bytes(&with_ending(path, companion)) > 0)
    {
        return None;
    }
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let looked = Connection::open_with_flags(format!("file:{}?immutable=1", in_address(path)), flags)
        .and_then(|database| {
            let found: String = database.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
            for table in ["calls", "images", "audit"] {
                database.prepare(&format!("SELECT 1 FROM {table}"))?;
            }
            Ok(found)
        });
    match looked {
        Ok(found) if found == "ok" => None,
        Ok(found) => Some(found),
        Err(error) => is_damage(&error).then(|| error.to_string()),
    }
}

/// A path as SQLite reads it in an address.
fn in_address(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes.fold(String::new(), |mut address, byte| {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(byte) {
            address.push(char::from(*byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
        address
    })
}

/// True when something else than a file has the journal's name.
pub(super) fn is_no_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file())
}

/// Gives the file, if it is still this one, another name. Where it is another one by now, somebody else has done it.
#[expect(
    clippy::disallowed_methods,
    reason = "the journal keeps its own folder, which no workspace door may open"
)]
pub(super) fn put_aside(path: &Path, file: Option<FileId>) -> io::Result<PathBuf> {
    let time = Timestamp::now().strftime("%Y%m%dT%H%M%S%.3f").to_string();
    let aside = with_ending(path, &format!("{ASIDE}{time}"));
    if file.is_none() || FileId::of(path) != file {
        return Ok(aside);
    }
    std::fs::rename(path, &aside)?;
    for companion in COMPANIONS {
        match std::fs::rename(with_ending(path, companion), with_ending(&aside, companion)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(aside)
}

/// The files that were put aside, the oldest first.
#[expect(
    clippy::disallowed_methods,
    reason = "the journal keeps its own folder, which no workspace door may open"
)]
pub(super) fn aside(path: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    let is_one = |found: &str| {
        let time = found.strip_prefix(name).and_then(|rest| rest.strip_prefix(ASIDE));
        time.is_some() && !COMPANIONS.iter().any(|companion| found.ends_with(companion))
    };
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut found: Vec<PathBuf> =
        names.filter(|name| name.to_str().is_some_and(is_one)).map(|name| folder.join(name)).collect();
    found.sort();
    found
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
