//! A log file that never grows without bound: a new one each day and each so many bytes, the oldest taken away.
//!
//! Several hosts write the same file at once: each line is one write to a file opened for appending, and a host that finds that
//! another one has moved the file away goes on in the new one. Readable by this user alone.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use jiff::{Timestamp, tz::TimeZone};

use crate::file_identity::is_same;
use private::{make_private, open};

#[cfg(unix)]
#[path = "private_unix.rs"]
mod private;
#[cfg(windows)]
#[path = "private_windows.rs"]
mod private;

/// How large a log may become.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes of one file.
    pub bytes: u64,
    /// Files kept, the one that is written included.
    pub files: usize,
}

/// Writes whole lines.
#[derive(Debug)]
pub(super) struct RotatingFile {
    folder: PathBuf,
    limits: Limits,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    /// What day it was begun for.
    day: String,
    checked: Instant,
}

/// The file that is written; older ones carry the moment they were closed.
const CURRENT: &str = "outrigger.log";
/// How often it is looked at whether the file is still the one under its name.
const LOOK: Duration = Duration::from_secs(2);

impl RotatingFile {
    /// In this folder, which is made when it is not there.
    pub(super) fn new(folder: PathBuf, limits: Limits) -> io::Result<Self> {
        make_private(&folder)?;
        let mut file = Self { folder, limits, open: None };
        file.ready(0)?;
        Ok(file)
    }

    /// The open file, with room for `more` bytes.
    fn ready(&mut self, more: u64) -> io::Result<&mut File> {
        let today = today();
        if let Some(open) = &mut self.open
            && open.checked.elapsed() >= LOOK
        {
            open.checked = Instant::now();
            if !is_same(&open.file, &self.folder.join(CURRENT)) {
                self.open = None;
            }
        }
        let full = |file: &File, day: &str| {
            let size = file.metadata().map_or(0, |metadata| metadata.len());
            day != today || (size > 0 && size + more > self.limits.bytes)
        };
        if self.open.as_ref().is_some_and(|open| full(&open.file, &open.day)) {
            self.open = None;
        }
        if self.open.is_none() {
            let path = self.folder.join(CURRENT);
            // What an earlier host left: of another day, or full.
            if let Ok(metadata) = fs::metadata(&path)
                && metadata.len() > 0
                && (day_of(&metadata) != today || metadata.len() + more > self.limits.bytes)
            {
                self.put_aside(&path);
            }
            let file = open(&path)?;
            self.open = Some(Open { file, day: today, checked: Instant::now() });
        }
        self.open.as_mut().map(|open| &mut open.file).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    /// Gives the file the name of this moment and takes away the oldest ones. A host that was faster has done it.
    fn put_aside(&self, path: &Path) {
        let now = Timestamp::now().to_zoned(TimeZone::UTC).strftime("%Y%m%dT%H%M%S%.6f").to_string();
        let _ = rename(path, &self.folder.join(format!("outrigger.{now}.log")));
        let mut old: Vec<PathBuf> = list(&self.folder);
        old.sort();
        let surplus = (old.len() + 1).saturating_sub(self.limits.files);
        for path in old.into_iter().take(surplus) {
            let _ = remove(&path);
        }
    }
}

impl Write for RotatingFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.ready(line.len() as u64)?.write_all(line)?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn today() -> String {
    Timestamp::now().to_zoned(TimeZone::UTC).strftime("%Y-%m-%d").to_string()
}

fn day_of(metadata: &fs::Metadata) -> String {
    let written = metadata.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
    written.map(|time| time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%d").to_string()).unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "the log keeps its own folder")]
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

#[expect(clippy::disallowed_methods, reason = "the log keeps its own folder")]
fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// The files that were put aside, those of earlier versions (one a day) among them.
#[expect(clippy::disallowed_methods, reason = "the log keeps its own folder")]
fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_old =
        |name: &str| name.starts_with("outrigger.") && name.strip_suffix(".log").is_some() && name != CURRENT;
    entries.filter(|entry| entry.file_name().to_str().is_some_and(is_old)).map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const LIMITS: Limits = Limits { bytes: 1000, files: 3 };

    fn sizes(folder: &Path) -> Vec<u64> {
        let mut files = list(folder);
        files.push(folder.join(CURRENT));
        files.iter().map(|path| fs::metadata(path).unwrap().len()).collect()
    }

    /// A state folder, which is its user's alone.
    fn state() -> tempfile::TempDir {
        tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o700)).tempdir().unwrap()
    }

    #[test]
    fn the_whole_log_has_a_bound_and_lines_stay_whole() {
        let folder = state();
        let at = folder.path().join("log");
        let mut one = RotatingFile::new(at.clone(), LIMITS).unwrap();
        let mut other = RotatingFile::new(at.clone(), LIMITS).unwrap();
        for number in 0..200 {
            one.write_all(format!("{number:>90}\n").as_bytes()).unwrap();
            if number % 10 == 0 {
                other.open.as_mut().unwrap().checked = Instant::now().checked_sub(LOOK).unwrap();
                other.write_all(format!("{number:>90}\n").as_bytes()).unwrap();
            }
            if number % 17 == 0 {
                one.open.as_mut().unwrap().checked = Instant::now().checked_sub(LOOK).unwrap();
            }
        }
        let sizes = sizes(&at);
        assert!(sizes.len() <= LIMITS.files && sizes.iter().all(|size| *size <= 1000 + 182), "{sizes:?}");
        for path in list(&at).into_iter().chain([at.join(CURRENT)]) {
            assert!(fs::read_to_string(&path).unwrap().lines().all(|line| line.len() == 90), "{path:?}");
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(fs::metadata(&at).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_file_of_another_day_is_put_aside() {
        let state = state();
        let folder = state.path().join("log");
        fs::create_dir(&folder).unwrap();
        let path = folder.join(CURRENT);
        fs::write(&path, "yesterday\n").unwrap();
        let yesterday = std::time::SystemTime::now() - Duration::from_hours(25);
        File::options().append(true).open(&path).unwrap().set_modified(yesterday).unwrap();
        let mut file = RotatingFile::new(folder.clone(), LIMITS).unwrap();
        file.write_all(b"today\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "today\n");
        assert_eq!(list(&folder).len(), 1);
        // The same host at midnight.
        file.open.as_mut().unwrap().day = "2000-01-01".to_owned();
        File::options().append(true).open(&path).unwrap().set_modified(yesterday).unwrap();
        file.write_all(b"tomorrow\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "tomorrow\n");
    }

    #[test]
    fn a_link_is_not_followed() {
        let state = state();
        let folder = state.path().join("log");
        fs::create_dir(&folder).unwrap();
        let link = folder.join(CURRENT);
        std::os::unix::fs::symlink("elsewhere", &link).unwrap();
        assert!(RotatingFile::new(folder.clone(), LIMITS).is_err());
        assert!(!folder.join("elsewhere").exists());
        fs::remove_file(&link).unwrap();
        assert!(RotatingFile::new(folder, LIMITS).is_ok());
    }

    #[test]
    fn a_folder_that_others_see_takes_no_log() {
        let state = state();
        fs::set_permissions(state.path(), fs::Permissions::from_mode(0o755)).unwrap();
        assert!(RotatingFile::new(state.path().join("log"), LIMITS).is_err());
    }
}
