//! Whose a repository is: as git does it, one of another user is not even read before this user has allowed it.

use std::path::MAIN_SEPARATOR;

use super::{Repository, RepositoryError};

impl Repository {
    /// An error where a part of it belongs to somebody else, and this user has not allowed it.
    pub(super) fn check_owner(&self) -> Result<(), RepositoryError> {
        let places = [&self.workdir, &self.workdir.join(".git"), &self.git_dir];
        let is_ours = |place| gix::sec::identity::is_path_owned_by_current_user(place).unwrap_or(false);
        if places.into_iter().all(|place| is_ours(place)) {
            return Ok(());
        }
        // What the user has allowed (`safe.directory`) is for libgit2 to tell, which takes nothing of it from the repository.
        self.open_libgit2().map(drop)
    }

    /// The error of one that belongs to somebody else.
    pub(super) fn foreign(&self) -> RepositoryError {
        let place = self.workdir.to_string_lossy().replace(MAIN_SEPARATOR, "/");
        let place = place.trim_end_matches('/').to_owned();
        RepositoryError::Foreign { path: self.folder.to_string(), place }
    }
}
