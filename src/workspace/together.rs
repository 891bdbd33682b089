//! Several files changed as one: all new bytes are written before the first name changes, and when a name cannot be changed, those
//! that were are put back. Killed in between, some names are new and some old; the journal's before-images settle that.

use std::{ffi::OsString, fs::File, sync::Arc};

use cap_std::fs::Dir;

use super::{
    DoorError, Executable, Expected, Stat, Workspace, WorkspacePath,
    displace::{Named, beside, give_back, is_still, return_to, take_away},
    handle, kernel,
    replace::{Folders, check_expected, fill, sync_folder},
    temporary,
};
use crate::{ids::Etag, policy::Permit};

/// One file of several.
#[derive(Clone, Debug)]
pub enum Step<'a> {
    /// These bytes come to stand at a path.
    Write {
        /// Where.
        path: &'a WorkspacePath,
        /// What has to stand there.
        expected: Expected,
        /// The bytes.
        bytes: &'a [u8],
        /// Whether it may be run.
        executable: Executable,
        /// The file whose mode it gets, when it is new.
        like: Option<&'a WorkspacePath>,
    },
    /// A file goes.
    Remove {
        /// Where.
        path: &'a WorkspacePath,
        /// Its bytes.
        etag: Etag,
    },
}

impl Workspace {
    /// Makes all of it or nothing. `stop` is asked until the first name changes; from there on all of it is made.
    pub fn change_together(
        &self,
        permit: &Permit,
        steps: &[Step<'_>],
        stop: &dyn Fn() -> bool,
    ) -> Result<(), DoorError> {
        let mut change = Together::default();
        for step in steps {
            let path = step.path();
            let staged = if permit.allows_write() {
                self.check_writable(path).and_then(|()| change.stage(step)).and_then(|()| path.go_on(stop))
            } else {
                Err(DoorError::NotPermitted { path: path.given().to_owned() })
            };
            staged.map_err(|error| change.taken_back(steps, error))?;
        }
        for (index, step) in steps.iter().enumerate() {
            let made = change.make(index, step);
            made.map_err(|error| change.taken_back(steps, error))?;
        }
        change.finish();
        Ok(())
    }
}

impl Step<'_> {
    fn path(&self) -> &WorkspacePath {
        match self {
            Self::Write { path, .. } | Self::Remove { path, .. } => path,
        }
    }
}

/// What is prepared, and how far it is.
#[derive(Default)]
struct Together {
    staged: Vec<Staged>,
    folders: Vec<Folders>,
}

/// One file, ready to take its name, or to lose it.
struct Staged {
    folder: Arc<Dir>,
    name: OsString,
    /// The new bytes; once made, the old ones.
    aside: OsString,
    /// Holds the temporary name.
    held: Vec<File>,
    /// The new file, as it was when it took the name.
    ours: Option<Stat>,
    state: State,
}

impl Staged {
    fn name(&self) -> Named<'_> {
        (&self.folder, &self.name)
    }

    fn aside(&self) -> Named<'_> {
        (&self.folder, &self.aside)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The temporary name is a new file, or nothing yet.
    Waiting,
    /// The new file has the name, and the old one the temporary name.
    Swapped,
    /// The new file has the name, where nothing was.
    Created,
    /// The old file has the temporary name, and nothing the name.
    Removed,
}

impl Together {
    fn stage(&mut self, step: &Step<'_>) -> Result<(), DoorError> {
        let path = step.path();
        let failed = |error| DoorError::io(path.given(), error);
        let name = path.name.clone();
        let Step::Write { expected, bytes, executable, like, .. } = step else {
            let (folder, aside) = (Arc::clone(&path.parent), temporary::name());
            temporary::sweep_once(&folder);
            let held = Vec::new();
            self.staged.push(Staged { folder, name, aside, held, ours: None, state: State::Waiting });
            return Ok(());
        };
        let folders = Folders::create(path)?;
        let folder = Arc::clone(&folders.last);
        self.folders.push(folders);
        let old = match like {
            Some(like) => Some(opened(like)?),
            None => check_expected(&folder, &name, path, expected)?,
        };
        let mode = if *executable == Executable::Set { 0o777 } else { 0o666 };
        let (aside, file) =
            temporary::create_file(&folder, if old.is_some() { 0o600 } else { mode }).map_err(failed)?;
        let filled = fill(&file, bytes, old.as_ref(), *executable);
        self.staged.push(Staged { folder, name, aside, held: vec![file], ours: None, state: State::Waiting });
        filled.map_err(failed)
    }

    /// Changes one name, if what stands there is still what is expected.
    fn make(&mut self, index: usize, step: &Step<'_>) -> Result<(), DoorError> {
        let path = step.path();
        let failed = |error| DoorError::io(path.given(), error);
        let expected = match step {
            Step::Write { expected, .. } => expected.clone(),
            Step::Remove { etag, .. } => Expected::Etag(etag.clone()),
        };
        let Some(staged) = self.staged.get_mut(index) else { return Ok(()) };
        let folder = Arc::clone(&staged.folder);
        let (name, aside) = (staged.name.clone(), staged.aside.clone());
        let (name, aside): (Named<'_>, Named<'_>) = ((&folder, &name), (&folder, &aside));
        let old = check_expected(name.0, name.1, path, &expected)?;
        let removes = matches!(step, Step::Remove { .. });
        if !removes {
            staged.ours = Some(handle::stat(aside.0, aside.1).map_err(failed)?);
        }
        let Some((then, file)) = old else {
            kernel::rename_free(aside, name).map_err(failed)?;
            staged.state = State::Created;
            return Ok(());
        };
        temporary::hold(&file);
        staged.held.push(file);
        if removes {
            kernel::rename_free(name, aside).map_err(failed)?;
            staged.state = State::Removed;
        } else {
            kernel::swap(aside, name).map_err(failed)?;
            staged.state = State::Swapped;
        }
        // What was taken out of the way has to be what was looked at a moment ago.
        let now = handle::stat(aside.0, aside.1).map_err(failed)?;
        if is_still(&now, &then) { Ok(()) } else { Err(DoorError::Stale { path: path.given().to_owned() }) }
    }

    /// Puts back what was changed, the last first, and leaves nothing behind. Where somebody has saved meanwhile, that stays; what
    /// could only get another name than its own is told instead of the error.
    fn taken_back(&mut self, steps: &[Step<'_>], error: DoorError) -> DoorError {
        let mut error = error;
        for (staged, step) in self.staged.drain(..).zip(steps).rev() {
            let (name, aside) = (staged.name(), staged.aside());
            let kept = match (staged.state, &staged.ours) {
                (State::Created, Some(ours)) => {
                    let _ = take_away(name, ours);
                    None
                }
                (State::Swapped, Some(ours)) => give_back(aside, name, ours),
                (State::Waiting, _) => {
                    let _ = handle::remove_file(aside.0, aside.1);
                    None
                }
                (State::Removed | State::Swapped | State::Created, _) => return_to(aside, name),
            };
            if let Some(kept) = kept {
                let path = step.path().given().to_owned();
                error = DoorError::Displaced { kept: beside(&path, &kept), path };
            }
        }
        for mut folders in self.folders.drain(..).rev() {
            folders.remove();
        }
        error
    }

    fn finish(self) {
        let mut folders: Vec<Arc<Dir>> = Vec::new();
        for staged in self.staged {
            if matches!(staged.state, State::Swapped | State::Removed) {
                let (folder, aside) = staged.aside();
                let _ = handle::remove_file(folder, aside);
            }
            folders.push(staged.folder);
        }
        let mut synced = std::collections::HashSet::new();
        for folder in folders {
            let identity = handle::stat(&*folder, ".".as_ref()).map(|stat| stat.identity).ok();
            if identity.is_none_or(|identity| synced.insert(identity)) {
                let _ = sync_folder(&folder);
            }
        }
    }
}

fn opened(path: &WorkspacePath) -> Result<(Stat, File), DoorError> {
    let failed = |error| DoorError::io(path.given(), error);
    let file = handle::open_file(&path.parent, &path.name).map_err(failed)?;
    Ok((handle::stat_open(&file).map_err(failed)?, file))
}
