//! Writes down which branch another one follows, the only part of a repository's configuration that is ever changed.

use std::io::{self, Read as _, Write as _};

use super::{Holding, Repository, RepositoryError};
use crate::{
    policy::Permit,
    workspace::{handle, nofollow},
};

const CONFIG: &str = "config";

/// What a branch follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    /// `.` for a branch of the repository itself.
    pub remote: String,
    /// The reference there.
    pub merge: String,
    /// A pull of the user's git rebases.
    pub rebases: bool,
}

impl Repository {
    /// The branch follows `upstream` from now on.
    pub fn follow(&self, permit: &Permit, branch: &str, upstream: &Upstream) -> Result<(), RepositoryError> {
        let mut holding = self.hold_settings(permit)?;
        let (mut bytes, mut rights) = (Vec::new(), None);
        let mut read = || -> io::Result<()> {
            let (mut file, _) = nofollow::open_file(&holding.git, CONFIG.as_ref())?;
            file.read_to_end(&mut bytes)?;
            rights = Some(handle::stat_open(&file)?);
            Ok(())
        };
        match read() {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(self.broken(&error)),
            _ => {}
        }
        let changed = || -> gix::Result<Vec<u8>> {
            let metadata = gix::config::file::Metadata::from(gix::config::Source::Local);
            let options = gix::config::file::init::Options::default();
            let mut config = gix::config::File::from_bytes_no_includes(&bytes, metadata, options)?;
            let rebase = upstream.rebases.then_some(("rebase", "true"));
            let pairs = [("remote", upstream.remote.as_str()), ("merge", upstream.merge.as_str())];
            for (key, value) in pairs.into_iter().chain(rebase) {
                config.set_raw_value_by("branch", branch.as_bytes(), key, value.as_bytes())?;
            }
            Ok(config.to_bstring().into())
        };
        let changed = changed().map_err(|error| self.broken(&error))?;
        let part = holding.private_file(CONFIG);
        let replace = |Holding { git, .. }: &Holding| -> io::Result<()> {
            let mut file = handle::create_file(git, part.as_ref(), super::holding::MODE)?;
            file.write_all(&changed)?;
            if let Some(rights) = rights {
                handle::set_mode(&file, rights.owner(), rights.mode)?;
            }
            handle::rename_to((git, part.as_ref()), (git, CONFIG.as_ref()))
        };
        replace(&holding).map_err(|error| self.broken(&error))
    }
}
