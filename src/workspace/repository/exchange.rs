//! A bare git folder with nothing in it but references, for the git program to exchange commits through.
//!
//! The git program never sees the repository's own configuration, hooks or attributes: whatever they name cannot run, known to
//! us or not. It writes objects straight into the repository's store; references come over only when it is done. Removed when it
//! is dropped.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_std::fs::Dir;
use gix::bstr::ByteSlice;

use super::{Repository, RepositoryError};
use crate::{policy::Permit, relpath::RelPath, workspace::nofollow};

/// In `.git`. The name is fixed, so that a plan can say it.
const FOLDER: &str = "outrigger-exchange";
/// No repository has so many; each is a line that the git program reads.
const REFERENCES: usize = 200_000;

/// The folder while it is there.
#[derive(Debug)]
pub struct Exchange {
    handle: Arc<Dir>,
    place: RelPath,
    git_dir: PathBuf,
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
        let place = self.folder.join(".git").join(FOLDER);
        let make = || -> io::Result<Exchange> {
            match self.handle.remove_dir_all(place.as_path()) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            self.handle.create_dir(place.as_path())?;
            let exchange = Exchange {
                handle: Arc::clone(&self.handle),
                place: place.clone(),
                git_dir: self.git_dir.join(FOLDER),
            };
            let folder = nofollow::open_dir(&self.handle, place.as_path())?;
            folder.create_dir("objects")?;
            folder.create_dir("refs")?;
            folder.write("HEAD", "ref: refs/heads/none\n")?;
            folder.write("config", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n")?;
            folder.write("packed-refs", references)?;
            // Where a shallow clone ends, it ends for the git program too.
            if let Ok(shallow) = self.handle.read(self.folder.join(".git/shallow").as_path()) {
                folder.write("shallow", shallow)?;
            }
            Ok(exchange)
        };
        make().map_err(|error| self.broken(&error))
    }
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
        let _ = self.handle.remove_dir_all(self.place.as_path());
    }
}
