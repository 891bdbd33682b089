//! An index of its own for a commit of only some paths, so that hooks see what is committed. Removed when it is dropped.

use std::sync::Arc;

use cap_std::fs::Dir;

use super::{Repository, RepositoryError};
use crate::{ids::new_ulid, relpath::RelPath};

/// An index file beside the repository's own.
#[derive(Debug)]
pub struct OwnIndex {
    handle: Arc<Dir>,
    place: RelPath,
    repository: Repository,
    /// Relative to the work tree.
    name: String,
}

impl Repository {
    /// Writes an index with the content of `tree`.
    pub fn own_index(&self, opened: &git2::Repository, tree: git2::Oid) -> Result<OwnIndex, RepositoryError> {
        let name = format!(".git/next-index-{}.tmp", new_ulid());
        let own = OwnIndex {
            handle: Arc::clone(&self.handle),
            place: self.folder.join(&name),
            repository: self.clone(),
            name,
        };
        let write = || -> Result<(), git2::Error> {
            let mut index = git2::Index::open(&self.workdir.join(&own.name))?;
            index.read_tree(&opened.find_tree(tree)?)?;
            index.write()
        };
        write().map_err(|error| self.broken(&error))?;
        Ok(own)
    }
}

impl OwnIndex {
    /// Its name, relative to the work tree.
    pub fn name(&self) -> &String {
        &self.name
    }

    /// The tree that it stands for now.
    pub fn tree(&self, opened: &git2::Repository) -> Result<git2::Oid, RepositoryError> {
        let read = || git2::Index::open(&self.repository.workdir.join(&self.name))?.write_tree_to(opened);
        read().map_err(|error| self.repository.broken(&error))
    }
}

impl Drop for OwnIndex {
    fn drop(&mut self) {
        let _ = self.handle.remove_file(self.place.as_path());
    }
}
