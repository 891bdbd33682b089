//! The mark of a [`Holding`](super::Holding): a file in the git folder that says what is held, what was begun and what was decided.
//!
//! Its first line is its own name, and so is the first line of every lock that belongs to it: a lock is taken away only when it
//! says so. Written line by line, each before what it tells; whoever finds it without an owner goes by what it says. It may lie in a
//! repository that somebody else has packed, so it names no place but locks, references, their logs and the index.

use std::{
    ffi::OsString,
    io::{self, Read as _},
};

use cap_std::fs::Dir;
use gix::{
    bstr::{BString, ByteSlice},
    path::{from_bstr, into_bstr, to_unix_separators_on_windows},
};

use crate::{
    relpath::RelPath,
    workspace::{FileKind, handle, nofollow},
};

/// The end of its name.
pub(super) const MARK: &str = "mark";
/// The line that decides: from here on everything that was built takes its place.
pub(super) const GO: &[u8] = b"go\n";

/// The lock of the configuration, which a mark holds without naming it: nothing takes the configuration's place by a mark.
pub(super) const SETTINGS: &str = "config.lock";

/// What a mark says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// `outrigger-` and a ULID: the beginning of all its names.
    pub(super) name: String,
    /// git's own locks, from the git folder.
    pub(super) locks: Vec<BString>,
    /// Logs of references, with the size that they had; `None`: they were not there.
    pub(super) logs: Vec<(Option<u64>, BString)>,
    /// What was built, and the name that it takes.
    pub(super) puts: Vec<(String, BString)>,
    /// References and their logs that are removed after that.
    pub(super) gone: Vec<BString>,
    pub(super) decided: bool,
}

impl Mark {
    /// Reads what a mark says as far as it was written; `None` when it is none of ours.
    pub(super) fn parse(name: &str, text: &[u8]) -> Option<Self> {
        let mut mark = Self { name: name.to_owned(), ..Self::default() };
        let first = mark.first_line();
        let Some(rest) = text.strip_prefix(first.as_slice()) else {
            return first.starts_with(text).then_some(mark);
        };
        for line in rest.split_inclusive(|byte| *byte == b'\n') {
            // The last one may have been cut off.
            let Some(line) = line.strip_suffix(b"\n") else { break };
            let mut words = line.splitn(3, |byte| *byte == b' ');
            match (words.next()?, words.next(), words.next()) {
                (b"lock", Some(path), None) => mark.locks.push(lock(path)?),
                (b"settings", None, None) => mark.locks.push(SETTINGS.into()),
                (b"log", Some(b"-"), Some(path)) => mark.logs.push((None, log(path)?)),
                (b"log", Some(size), Some(path)) => {
                    mark.logs.push((Some(size.to_str().ok()?.parse().ok()?), log(path)?));
                }
                (b"put", Some(part), Some(path)) => mark.puts.push((self::part(part)?, target(path)?)),
                (b"gone", Some(path), None) => mark.gone.push(removable(path)?),
                (b"go", None, None) => mark.decided = true,
                _ => return None,
            }
        }
        Some(mark)
    }

    /// What every lock of it begins with.
    pub(super) fn first_line(&self) -> Vec<u8> {
        format!("{}\n", self.name).into_bytes()
    }

    /// Its own file, or one that belongs to it.
    pub(super) fn file(&self, part: &str) -> OsString {
        format!("{}.{part}", self.name).into()
    }

    /// After its owner's death, or when its owner gives up: what was decided is finished, all else is taken back. Then nothing is
    /// locked any more.
    pub(super) fn settle(&self, git: &Dir) -> io::Result<()> {
        // Where a person has removed a lock, others may have gone on since.
        if self.locks.iter().all(|lock| self.is_mine(git, lock)) {
            if self.decided {
                self.apply(git).map_err(|(_, error)| error)?;
            } else {
                self.take_logs_back(git)?;
            }
        }
        self.unlock(git)
    }

    /// Everything that was built takes its place; how many did, where one could not. What has its place already is left alone.
    pub(super) fn apply(&self, git: &Dir) -> Result<(), (usize, io::Error)> {
        for (done, (part, target)) in self.puts.iter().enumerate() {
            let from = self.file(part);
            if is_missing(&handle::stat(git, &from)) {
                continue;
            }
            let put = || -> io::Result<()> {
                let (folder, name) = place(git, target, false)?;
                remove_empty_folders(&folder, &name)?;
                handle::rename_to((git, &from), (&folder, &name))
            };
            put().map_err(|error| (done, error))?;
        }
        for (done, path) in self.gone.iter().enumerate() {
            let remove = || -> io::Result<()> {
                let (folder, name) = place(git, path, false)?;
                let is_file = handle::stat(&folder, &name)?.kind == FileKind::File;
                if is_file { handle::remove_file(&folder, &name) } else { Ok(()) }
            };
            let removed = remove();
            if !is_missing(&removed) {
                removed.map_err(|error| (self.puts.len() + done, error))?;
            }
        }
        Ok(())
    }

    /// Removes the locks that are ours.
    pub(super) fn unlock(&self, git: &Dir) -> io::Result<()> {
        for lock in self.locks.iter().filter(|lock| self.is_mine(git, lock)) {
            let (folder, name) = place(git, lock, false)?;
            handle::remove_file(&folder, &name)?;
        }
        Ok(())
    }

    fn take_logs_back(&self, git: &Dir) -> io::Result<()> {
        for (before, log) in self.logs.iter().rev() {
            let Ok((folder, name)) = place(git, log, false) else { continue };
            match (before, handle::stat(&folder, &name)) {
                (Some(size), Ok(now)) if now.kind == FileKind::File && now.size > *size => {
                    handle::open_file_to_write(&folder, &name)?.set_len(*size)?;
                }
                (None, Ok(now)) if now.kind == FileKind::File => handle::remove_file(&folder, &name)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn is_mine(&self, git: &Dir, lock: &BString) -> bool {
        let expected = self.first_line();
        let read = || -> io::Result<Vec<u8>> {
            let path = from_bstr(lock.as_bstr()).map_err(io::Error::other)?;
            let (file, _) = nofollow::open_file(git, &path)?;
            let mut found = Vec::new();
            file.take(expected.len() as u64).read_to_end(&mut found)?;
            Ok(found)
        };
        read().is_ok_and(|found| found == expected)
    }
}

/// The folder that a path of the git folder is in, and its name there. No link is followed; with `make` folders on the way are made.
pub(super) fn place(git: &Dir, path: &BString, make: bool) -> io::Result<(Dir, OsString)> {
    let path = from_bstr(path.as_bstr()).map_err(io::Error::other)?;
    let path = RelPath::from_plain(&path).filter(|path| !path.is_root());
    let path = path.ok_or(io::ErrorKind::InvalidInput)?;
    let name = path.file_name().unwrap_or_default().to_owned();
    let parent = path.parent().unwrap_or_default();
    if parent.is_root() {
        return Ok((git.try_clone()?, name));
    }
    if !make {
        return Ok((nofollow::open_dir(git, parent.as_path())?, name));
    }
    let mut here = git.try_clone()?;
    for component in parent.as_path() {
        match handle::create_folder(&here, component) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => here = handle::open_folder_to_read(&here, component)?,
        }
    }
    Ok((here, name))
}

/// Folders without a file in the place of a reference or a log: a branch that is gone has left them, as with git.
pub(super) fn remove_empty_folders(parent: &Dir, name: &std::ffi::OsStr) -> io::Result<()> {
    match handle::stat(parent, name) {
        Ok(stat) if stat.kind == FileKind::Folder => {}
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    }
    let mut inside: Vec<OsString> = Vec::new();
    let folder = handle::open_folder_to_read(parent, name)?;
    handle::read_names(handle::open_folder_to_read(&folder, ".".as_ref())?, |name, _| {
        inside.push(name.to_owned());
        true
    })?;
    for name in inside {
        if handle::stat(&folder, &name)?.kind != FileKind::Folder {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        remove_empty_folders(&folder, &name)?;
    }
    handle::remove_folder(parent, name)
}

pub(super) fn is_missing<T>(found: &io::Result<T>) -> bool {
    found.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// A place that can be written in a line and stays in the git folder.
fn plain(path: &[u8]) -> Option<BString> {
    let has_odd = path.iter().any(|byte| *byte <= b' ' || *byte == 0x7f);
    let as_path = from_bstr(path.as_bstr()).ok()?;
    let relative = RelPath::from_plain(&as_path)?;
    let normal = to_unix_separators_on_windows(into_bstr(relative.as_path()).ok()?);
    let stays = **normal == *path;
    (!has_odd && !path.is_empty() && stays).then(|| path.into())
}

/// A file that a lock is for.
pub(super) fn target(path: &[u8]) -> Option<BString> {
    let known = [b"HEAD".as_slice(), b"index", b"packed-refs"].contains(&path) || path.starts_with(b"refs/");
    plain(path).filter(|_| known && !path.ends_with(b".lock"))
}

fn lock(path: &[u8]) -> Option<BString> {
    target(path.strip_suffix(b".lock")?)?;
    Some(path.into())
}

pub(super) fn log(path: &[u8]) -> Option<BString> {
    plain(path).filter(|_| path.starts_with(b"logs/"))
}

/// A reference or its log; no branch of the user is removed by a mark.
pub(super) fn removable(path: &[u8]) -> Option<BString> {
    let reference = path.strip_prefix(b"logs/").unwrap_or(path);
    let known = ["refs/remotes/", "refs/notes/", "refs/tags/"];
    let is_known = known.iter().any(|folder| reference.starts_with(folder.as_bytes()));
    plain(path).filter(|_| is_known && !path.ends_with(b".lock"))
}

fn part(name: &[u8]) -> Option<String> {
    let name = name.to_str().ok()?;
    (name != MARK && !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        .then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "outrigger-01ARZ3NDEKTSV4RRFFQ69G5FAV";

    #[test]
    fn a_mark_says_what_was_written_of_it() {
        let whole = format!(
            "{NAME}\nlock HEAD.lock\nlock refs/heads/a/b.lock\nlog 12 logs/HEAD\nlog - logs/refs/heads/a/b\nput r0 \
             refs/heads/a/b\ngone refs/remotes/o/a\ngone logs/refs/remotes/o/a\ngo\n"
        );
        let mark = Mark::parse(NAME, whole.as_bytes()).unwrap();
        assert_eq!(mark.locks, ["HEAD.lock", "refs/heads/a/b.lock"]);
        assert_eq!(mark.logs, [(Some(12), "logs/HEAD".into()), (None, "logs/refs/heads/a/b".into())]);
        assert_eq!(mark.puts, [("r0".to_owned(), "refs/heads/a/b".into())]);
        assert_eq!(mark.gone, ["refs/remotes/o/a", "logs/refs/remotes/o/a"]);
        assert!(mark.decided);
        // Cut off anywhere, it says less, and never that it was decided.
        for length in 0..whole.len() {
            let mark = Mark::parse(NAME, &whole.as_bytes()[..length]).unwrap();
            assert!(!mark.decided && mark.locks.len() <= 2, "{length}");
        }
    }

    #[test]
    fn a_mark_that_somebody_made_up_leads_nowhere() {
        let mark = Mark::parse(NAME, format!("{NAME}\nsettings\n").as_bytes()).unwrap();
        assert_eq!(mark, Mark { name: NAME.to_owned(), locks: vec![SETTINGS.into()], ..Mark::default() });
        for line in [
            "lock ../../x.lock",
            "lock /etc/x.lock",
            "lock config",
            "lock config.lock",
            "settings config",
            "lock hooks/pre-commit.lock",
            "lock refs/../config.lock",
            "lock refs//a.lock",
            "log 0 config",
            "log x logs/HEAD",
            "log 0 logs/../config",
            "put r0 hooks/pre-commit",
            "put r0 config",
            "put r0 refs/../config",
            "put ../x HEAD",
            "put mark HEAD",
            "gone HEAD",
            "gone packed-refs",
            "gone refs/heads/a",
            "gone logs/HEAD",
            "gone refs/remotes/../heads/a",
            "put r0 refs/heads/a b",
            "run this",
            "go on",
            "",
        ] {
            assert_eq!(Mark::parse(NAME, format!("{NAME}\n{line}\n").as_bytes()), None, "{line}");
        }
        assert_eq!(Mark::parse(NAME, b"something else"), None);
    }
}
