//! An index of its own for a commit of only some paths, so that hooks see what is committed. Removed when it is dropped.

use super::{Holding, Repository, RepositoryError};
use crate::policy::Permit;

/// An index file beside the repository's own.
#[derive(Debug)]
pub struct OwnIndex {
    /// Nothing is locked meanwhile: hooks may stage, as with git.
    holding: Holding,
    /// Relative to the work tree.
    name: String,
}

impl Repository {
    /// Writes an index with the content of `tree`.
    pub fn own_index(
        &self,
        permit: &Permit,
        opened: &git2::Repository,
        tree: git2::Oid,
    ) -> Result<OwnIndex, RepositoryError> {
        let mut holding = self.hold(permit, &[])?;
        let name = format!(".git/{}", holding.private_file("next"));
        let own = OwnIndex { holding, name };
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
        let repository = self.holding.repository();
        let read = || git2::Index::open(&repository.workdir.join(&self.name))?.write_tree_to(opened);
        read().map_err(|error| repository.not_written(&error, 0))
    }
}
