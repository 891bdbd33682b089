//! A bare git folder with nothing in it but references, for the git program to exchange commits through.
//!
//! The git program never sees the repository's own configuration, hooks or attributes: whatever they name cannot run, known to
//! us or not. It writes objects straight into the repository's store; references come over only when it is done. Removed when it
//! is dropped. There is one at a time, held by a file beside it as long as its process lives: one that nobody holds was left by
//! a host that was killed, and is removed by the next one that comes by.

use std::{
    ffi::OsStr,
    fs::File,
    io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use cap_std::fs::Dir;
use gix::bstr::ByteSlice;

use super::{Repository, RepositoryError, mark::is_missing};
use crate::{
    policy::Permit,
    workspace::{handle, nofollow},
};

/// In `.git`. The name is fixed, so that a plan can say it.
const FOLDER: &str = "outrigger-exchange";
/// Beside it: who holds it has the folder.
const HELD: &str = "outrigger-exchange.held";
/// The git program of a host that was killed may write for two seconds more: so often, and so long after each other, its folder is
/// removed again.
const REMOVALS: usize = 100;
/// So often somebody who only clears away is waited for; who exchanges takes longer.
const WAITS: usize = 20;
const PAUSE: Duration = Duration::from_millis(25);
/// As git makes its files; the user's own mask takes from it.
const MODE: u32 = 0o666;
/// No repository has so many; each is a line that the git program reads.
const REFERENCES: usize = 200_000;

/// The folder while it is there.
#[derive(Debug)]
pub struct Exchange {
    git: Dir,
    git_dir: PathBuf,
    /// Held until the folder is gone.
    _file: File,
}

impl Repository {
    /// Where the git program finds the folder, and the repository's objects.
    pub fn exchange_places(&self) -> (PathBuf, PathBuf) {
        (self.git_dir.join(FOLDER), self.git_dir.join("objects"))
    }

    /// Makes the folder, with the references of `opened`. One that an earlier life left behind is removed.
    pub fn exchange(&self, permit: &Permit, opened: &git2::Repository) -> Result<Exchange, RepositoryError> {
        if !permit.allows_write() {
            return Err(RepositoryError::NotPermitted { path: self.folder.to_string() });
        }
        let references = packed(opened).map_err(|error| self.broken(&error))?;
        let make = || -> io::Result<Exchange> {
            let git = nofollow::open_dir(&self.handle, self.folder.join(".git").as_path())?;
            let (file, _) = wait_and_hold(&git)?;
            let exchange = Exchange { git, git_dir: self.git_dir.join(FOLDER), _file: file };
            remove(&exchange.git)?;
            exchange.git.create_dir(FOLDER)?;
            let folder = nofollow::open_dir(&exchange.git, FOLDER.as_ref())?;
            folder.create_dir("objects")?;
            folder.create_dir("refs")?;
            folder.write("HEAD", "ref: refs/heads/none\n")?;
            folder.write("config", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n")?;
            folder.write("packed-refs", references)?;
            // Where a shallow clone ends, it ends for the git program too.
            if let Ok(shallow) = exchange.git.read("shallow") {
                folder.write("shallow", shallow)?;
            }
            Ok(exchange)
        };
        make().map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => {
                RepositoryError::Locked { path: self.folder.to_string(), lock: HELD.to_owned() }
            }
            _ => self.broken(&error),
        })
    }
}

/// True for the names that an exchange has in a git folder.
pub(super) fn is_part(name: &OsStr) -> bool {
    name == FOLDER || name == HELD
}

/// Removes what a host that was killed has left; nothing of one that lives.
pub(super) fn sweep(git: &Dir) -> io::Result<()> {
    match hold(git) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
        // Nobody can tell whether its owner lives.
        Ok((_, false)) => Ok(()),
        Ok((_file, true)) => let_go(git),
        Err(error) => Err(error),
    }
}

fn wait_and_hold(git: &Dir) -> io::Result<(File, bool)> {
    for _ in 0..WAITS {
        match hold(git) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(PAUSE),
            held => return held,
        }
    }
    hold(git)
}

/// The file, and whether it is held, which not every file system knows; `WouldBlock` when somebody else has it.
fn hold(git: &Dir) -> io::Result<(File, bool)> {
    loop {
        let file = match handle::create_file(git, HELD.as_ref(), MODE) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                handle::open_file(git, HELD.as_ref())
            }
            created => created,
        };
        if is_missing(&file) {
            continue;
        }
        let file = file?;
        let is_held = match handle::hold(&file) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Err(error),
            held => held.is_ok(),
        };
        // Whoever had it may have removed it in between.
        let named = handle::stat(git, HELD.as_ref());
        if !is_missing(&named) && named?.identity == handle::stat_open(&file)?.identity {
            return Ok((file, is_held));
        }
    }
}

/// By who holds the file, which goes last.
fn let_go(git: &Dir) -> io::Result<()> {
    remove(git)?;
    handle::remove_file(git, HELD.as_ref())
}

fn remove(git: &Dir) -> io::Result<()> {
    for _ in 0..REMOVALS {
        match git.remove_dir_all(FOLDER) {
            Err(_) if is_missing(&handle::stat(git, FOLDER.as_ref())) => return Ok(()),
            // Something came or went while it was emptied.
            Err(error)
                if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty) =>
            {
                thread::sleep(PAUSE);
            }
            removed => return removed,
        }
    }
    git.remove_dir_all(FOLDER)
}

/// All references but the symbolic ones, as git packs them.
fn packed(opened: &git2::Repository) -> Result<Vec<u8>, git2::Error> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for reference in opened.references()?.take(REFERENCES) {
        let reference = reference?;
        if let Some(id) = reference.target() {
            lines.push([id.to_string().as_bytes(), b" ", reference.name_bytes(), b"\n"].concat());
        }
    }
    lines.sort_by(|left, right| left[40..].cmp(&right[40..]));
    Ok([b"# pack-refs with: sorted \n".as_slice(), &lines.concat()].concat())
}

impl Exchange {
    /// What references under `prefix` name now.
    pub fn references(&self, prefix: &str) -> Result<Vec<(String, git2::Oid)>, git2::Error> {
        let opened = git2::Repository::open_ext(
            Path::new(&self.git_dir),
            git2::RepositoryOpenFlags::NO_SEARCH | git2::RepositoryOpenFlags::BARE,
            std::iter::empty::<&std::ffi::OsStr>(),
        )?;
        super::settings_as_opened(&opened)?;
        let mut found = Vec::new();
        for reference in opened.references()? {
            let reference = reference?;
            // A name that is not UTF-8 was made by nobody who means it well.
            let name = reference.name_bytes().to_str().unwrap_or_default();
            if let (true, Some(id)) = (name.starts_with(prefix), reference.target()) {
                found.push((name.to_owned(), id));
            }
        }
        Ok(found)
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if let Err(error) = let_go(&self.git) {
            tracing::warn!(%error, "the folder of an exchange could not be removed; the next one does it");
        }
    }
}
