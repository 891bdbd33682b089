//! Git's own locks, taken in a way that outlives no host: whatever instant it is killed at, the next one can tell and mend it.
//!
//! A [`Holding`] begins with its [`Mark`], a file that this process holds (flock) as long as it lives, and which names each lock before it
//! is taken. A lock is a link to the mark: for git an ordinary lock, for us one that is provably ours. What is to come is built
//! beside, in files of our own; when all of it is there the mark says so in one line, and then everything takes its place. Killed
//! before that line, nothing has happened; killed after it, the next one finishes. libgit2 never locks anything itself.
//!
//! Where the file system knows no links to files, the lock is a file of its own with the same first line.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, Write as _},
    thread,
    time::{Duration, SystemTime},
};

use cap_std::fs::Dir;
use gix::bstr::BString;

use super::{
    Repository, RepositoryError, leftovers,
    mark::{self, GO, MARK, Mark, SETTINGS, is_missing, place, remove_empty_folders},
};
use crate::{
    ids::new_ulid,
    policy::Permit,
    workspace::{handle, nofollow},
};

/// As git makes its files; the user's own mask takes from it.
pub(super) const MODE: u32 = 0o666;
/// Where git keeps references that have no file of their own.
pub(super) const PACKED: &[u8] = b"packed-refs";
/// How often a folder may vanish between its making and its use: git removes empty ones.
const TRIES: usize = 4;
/// So long, and so often, a lock of somebody else is waited for: another host, or an editor's git, has it for some milliseconds.
const WAIT: Duration = Duration::from_millis(20);
const WAITS: usize = 25;

/// Locks of a repository, and what will take its place under them. Dropped before [`Self::put`], nothing has happened.
#[derive(Debug)]
pub struct Holding {
    repository: Repository,
    pub(super) git: Dir,
    mark: Mark,
    file: File,
    /// Files of ours beside the mark.
    parts: Vec<String>,
    /// When the index that was read had been written.
    index_time: Option<SystemTime>,
}

impl Repository {
    /// Takes the locks of `targets`: `HEAD`, `index`, `packed-refs`, references.
    pub fn hold(&self, permit: &Permit, targets: &[&[u8]]) -> Result<Holding, RepositoryError> {
        self.hold_all(permit, targets, false)
    }

    /// Takes the lock of the configuration.
    pub(super) fn hold_settings(&self, permit: &Permit) -> Result<Holding, RepositoryError> {
        self.hold_all(permit, &[], true)
    }

    fn hold_all(
        &self,
        permit: &Permit,
        targets: &[&[u8]],
        settings: bool,
    ) -> Result<Holding, RepositoryError> {
        if !permit.allows_write() {
            return Err(RepositoryError::NotPermitted { path: self.folder.to_string() });
        }
        self.changeable()?;
        let mut holding = self.begin_holding().map_err(|error| self.broken(&error))?;
        let mut lines = holding.mark.first_line();
        for target in targets {
            let target =
                mark::target(target).ok_or_else(|| self.unsupported("a reference with an odd name"))?;
            let lock = BString::from([target.as_slice(), b".lock"].concat());
            lines.extend([b"lock ".as_slice(), lock.as_slice(), b"\n"].concat());
            holding.mark.locks.push(lock);
        }
        if settings {
            lines.extend(b"settings\n");
            holding.mark.locks.push(SETTINGS.into());
        }
        holding.file.write_all(&lines).map_err(|error| self.broken(&error))?;
        for lock in &holding.mark.locks {
            holding.take(lock)?;
        }
        Ok(holding)
    }

    fn begin_holding(&self) -> io::Result<Holding> {
        let git = nofollow::open_dir(&self.handle, self.places.git.as_path())?;
        loop {
            let mark = Mark { name: format!("{}{}", leftovers::FRONT, new_ulid()), ..Mark::default() };
            let file = handle::create_file(&git, &mark.file(MARK), MODE)?;
            // Where nothing can be held nobody will ever take it for nobody's.
            let _ = handle::lock(&file);
            // Somebody who settled between the two calls may have done so.
            if handle::stat_open(&file)?.links > 0 {
                let (repository, parts) = (self.clone(), Vec::new());
                return Ok(Holding { repository, git, mark, file, parts, index_time: None });
            }
        }
    }
}

impl Holding {
    fn take(&self, lock: &BString) -> Result<(), RepositoryError> {
        let failed = |error: io::Error| self.repository.broken(&error);
        let (mut vanished, mut waited) = (0, 0);
        while vanished < TRIES && waited < WAITS {
            match self.link(lock) {
                Ok(()) => return Ok(()),
                // Gone between the look at its folder and the link.
                Err(error) if error.kind() == io::ErrorKind::NotFound => vanished += 1,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if waited == 0 {
                        leftovers::settle(&self.git);
                    } else {
                        thread::sleep(WAIT);
                    }
                    waited += 1;
                }
                Err(error) => return Err(failed(error)),
            }
        }
        let (path, lock) = (self.repository.folder.to_string(), lock.to_string());
        Err(RepositoryError::Locked { path, lock })
    }

    fn link(&self, lock: &BString) -> io::Result<()> {
        let (folder, name) = place(&self.git, lock, true)?;
        match handle::link_to((&self.git, &self.mark.file(MARK)), (&folder, &name)) {
            Err(error) if !is_told_by_git(error.kind()) => {
                let mut file = handle::create_file(&folder, &name, MODE)?;
                file.write_all(&self.mark.first_line())
            }
            linked => linked,
        }
    }

    /// The index as it is now, as one that can be changed and written without anybody seeing it; `opened` goes by it from here on.
    pub fn index(&mut self, opened: &git2::Repository) -> Result<git2::Index, RepositoryError> {
        let part = self.part("index");
        let file = self.mark.file(&part);
        self.index_time = handle::stat(&self.git, "index".as_ref()).ok().map(|stat| stat.modified);
        // libgit2 replaces it when it writes, so a link is as good as a copy.
        match handle::link_to((&self.git, "index".as_ref()), (&self.git, &file)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => self.copy_index(&part).map_err(|error| self.repository.broken(&error))?,
            Ok(()) => {}
        }
        let open = || -> Result<git2::Index, git2::Error> {
            let mut index = git2::Index::open(&self.repository.git_dir.join(&file))?;
            opened.set_index(&mut index)?;
            Ok(index)
        };
        open().map_err(|error| self.repository.broken(&error))
    }

    fn copy_index(&self, part: &str) -> io::Result<()> {
        let mut bytes = Vec::new();
        let (mut file, _) = nofollow::open_file(&self.git, "index".as_ref())?;
        file.read_to_end(&mut bytes)?;
        handle::create_file(&self.git, &self.mark.file(part), MODE)?.write_all(&bytes)
    }

    /// When the index that [`Self::index`] gave had been written; `None` where there was none.
    pub fn index_time(&self) -> Option<SystemTime> {
        self.index_time
    }

    /// What was written to [`Self::index`] is to become the repository's.
    pub fn put_index(&mut self) {
        self.mark.puts.push(("index".to_owned(), "index".into()));
    }

    /// `target` is to have this content.
    pub(super) fn put_content(&mut self, target: &[u8], content: &[u8]) -> Result<(), RepositoryError> {
        let part = self.part(&format!("r{}", self.parts.len()));
        let target = mark::target(target)
            .ok_or_else(|| self.repository.unsupported("a reference with an odd name"))?;
        let write = || -> io::Result<()> {
            // What cannot be replaced has to be known before anything is decided.
            let (folder, name) = place(&self.git, &target, true)?;
            remove_empty_folders(&folder, &name)?;
            handle::create_file(&self.git, &self.mark.file(&part), MODE)?.write_all(content)
        };
        write().map_err(|error| self.repository.broken(&error))?;
        self.mark.puts.push((part, target));
        Ok(())
    }

    /// A reference and its log are to be no more; its lock and that of `packed-refs` are held.
    pub(super) fn put_away(&mut self, references: &[&[u8]]) -> Result<(), RepositoryError> {
        if let Some(rest) = self.packed_without(references).map_err(|error| self.repository.broken(&error))? {
            self.put_content(PACKED, &rest)?;
        }
        for reference in references {
            for path in [reference.to_vec(), [b"logs/".as_slice(), reference].concat()] {
                let path = mark::removable(&path);
                let odd = || self.repository.unsupported("a reference with an odd name");
                self.mark.gone.push(path.ok_or_else(odd)?);
            }
        }
        Ok(())
    }

    /// The packed references but for these; `None` where none of them is packed.
    fn packed_without(&self, references: &[&[u8]]) -> io::Result<Option<Vec<u8>>> {
        let found = nofollow::open_file(&self.git, "packed-refs".as_ref());
        if is_missing(&found) {
            return Ok(None);
        }
        let (mut file, _) = found?;
        let (mut packed, mut rest) = (Vec::new(), Vec::new());
        file.read_to_end(&mut packed)?;
        let mut is_kept = true;
        for line in packed.split_inclusive(|byte| *byte == b'\n') {
            // What a tag leads to stands in a line of its own behind it.
            if !line.starts_with(b"^") {
                let name = line.get(41..).unwrap_or_default().trim_ascii_end();
                is_kept = line.starts_with(b"#") || !references.contains(&name);
            }
            if is_kept {
                rest.extend(line);
            }
        }
        Ok((rest.len() < packed.len()).then_some(rest))
    }

    /// Writes a line to the log of a reference. A log that is not there is begun only with `begin`.
    pub(super) fn append_log(
        &mut self,
        reference: &[u8],
        line: &[u8],
        begin: bool,
    ) -> Result<(), RepositoryError> {
        let path = mark::log(&[b"logs/".as_slice(), reference].concat())
            .ok_or_else(|| self.repository.unsupported("a reference with an odd name"))?;
        self.append(&path, line, begin).map_err(|error| self.repository.broken(&error))
    }

    fn append(&mut self, path: &BString, line: &[u8], begin: bool) -> io::Result<()> {
        let found = place(&self.git, path, begin);
        if !begin && is_missing(&found) {
            return Ok(());
        }
        let (folder, name) = found?;
        remove_empty_folders(&folder, &name)?;
        let stat = handle::stat(&folder, &name);
        let size = if is_missing(&stat) { None } else { Some(stat?.size) };
        if size.is_none() && !begin {
            return Ok(());
        }
        let before = size.map_or_else(|| "-".to_owned(), |size| size.to_string());
        self.file
            .write_all(&[b"log ".as_slice(), before.as_bytes(), b" ", path.as_slice(), b"\n"].concat())?;
        self.mark.logs.push((size, path.clone()));
        let mut file = match size {
            Some(_) => handle::open_file_to_write(&folder, &name)?,
            None => handle::create_file(&folder, &name, MODE)?,
        };
        file.seek(io::SeekFrom::End(0))?;
        file.write_all(line)
    }

    /// Decides: everything that was built takes its place, and nothing is locked any more.
    pub fn put(mut self) -> Result<(), RepositoryError> {
        let mut lines = Vec::new();
        for (part, target) in &self.mark.puts {
            lines.extend([b"put ".as_slice(), part.as_bytes(), b" ", target.as_slice(), b"\n"].concat());
        }
        for path in &self.mark.gone {
            lines.extend([b"gone ".as_slice(), path.as_slice(), b"\n"].concat());
        }
        lines.extend(GO);
        let mut put = || -> io::Result<()> {
            let undecided = self.file.stream_position()?;
            self.file.write_all(&lines)?;
            match self.mark.apply(&self.git) {
                Err((0, error)) => self.file.set_len(undecided).and(Err(error)),
                Err((_, error)) => {
                    tracing::error!(%error, "a change of a repository is decided and not finished; the next call goes on with it");
                    Ok(())
                }
                Ok(()) => Ok(()),
            }
        };
        put().map_err(|error| self.repository.broken(&error))?;
        self.mark.decided = true;
        Ok(())
    }

    /// The repository whose locks these are.
    pub(super) fn repository(&self) -> &Repository {
        &self.repository
    }

    /// A file of ours that goes with the holding, by its name in the git folder.
    pub(super) fn private_file(&mut self, part: &str) -> String {
        let part = self.part(part);
        self.mark.file(&part).to_string_lossy().into_owned()
    }

    fn part(&mut self, part: &str) -> String {
        self.parts.push(part.to_owned());
        part.to_owned()
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        if let Err(error) = self.mark.settle(&self.git) {
            tracing::warn!(%error, "a change of a repository is not finished; the next call goes on with it");
            return;
        }
        for part in &self.parts {
            let _ = handle::remove_file(&self.git, &self.mark.file(part));
        }
        let _ = handle::remove_file(&self.git, &self.mark.file(MARK));
    }
}

/// What taking a lock in any way would say too.
fn is_told_by_git(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound | io::ErrorKind::StorageFull)
}
