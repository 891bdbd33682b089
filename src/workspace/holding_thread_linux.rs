//! Landlock, for a thread of ours that works in a workspace by names.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    thread::Builder,
};

use cap_std::fs::Dir;
use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, RulesetStatus,
};
use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};

use super::users_settings;

/// The oldest that lets a file be moved to another folder: objects and references are put in their place like that.
const OLDEST: ABI = ABI::V2;
/// The newest whose rights were tested here.
const TESTED: ABI = ABI::V6;
/// Bounds that are kept: to make them takes longer than to hold a thread to them.
const KEPT: usize = 16;

/// Whether this system can hold a thread. Found out by trying it, once.
pub(super) fn is_possible() -> io::Result<bool> {
    static IS_POSSIBLE: OnceLock<bool> = OnceLock::new();
    if let Some(found) = IS_POSSIBLE.get() {
        return Ok(*found);
    }
    let attempt = || {
        let held = ruleset().and_then(RulesetCreated::restrict_self);
        let held = held.is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        held && openat(CWD, "/", flags, Mode::empty()).is_err()
    };
    let found = Builder::new().name("confined".to_owned()).spawn(attempt)?.join().unwrap_or(false);
    if !found {
        tracing::info!("this system holds no thread to a folder: repositories are checked before and after");
    }
    Ok(*IS_POSSIBLE.get_or_init(|| found))
}

/// Files of the user's own settings, and what stood there.
type Files = Arc<[(PathBuf, Option<users_settings::Stamp>)]>;

/// What a thread may open.
#[derive(Debug)]
pub(super) struct Bounds {
    ruleset: RulesetCreated,
    files: Files,
}

/// The user's own settings as a thread that is held can read them.
#[derive(Debug)]
pub(super) struct Settings(Files);

impl Settings {
    /// There are others by now, which the thread may not open.
    pub(super) fn have_changed(&self) -> bool {
        self.0.iter().any(|(path, stamp)| users_settings::stamp_at(path) != *stamp)
    }
}

/// Made before, for a folder and files that are still the same. The kernel keeps the folder as long as the bounds are kept, so its
/// numbers stay its own.
#[derive(Debug)]
struct Kept {
    folder: (u64, u64),
    bounds: Bounds,
}

impl Bounds {
    /// All below `root`, and to read what the user's own settings and the time need.
    pub(super) fn new(root: &Dir) -> io::Result<Self> {
        static KEPT_BOUNDS: Mutex<Vec<Kept>> = Mutex::new(Vec::new());
        let files = users_settings::files();
        let stat = fstat(root)?;
        let folder = (stat.st_dev, stat.st_ino);
        let mut kept = KEPT_BOUNDS.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| Arc::ptr_eq(&kept.bounds.files, &files));
        if let Some(known) = kept.iter().find(|kept| kept.folder == folder) {
            return known.bounds.try_clone();
        }
        let made = Self::make(root, files)?;
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(Kept { folder, bounds: made.try_clone()? });
        Ok(made)
    }

    fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { ruleset: self.ruleset.try_clone()?, files: Arc::clone(&self.files) })
    }

    fn make(root: &Dir, files: Files) -> io::Result<Self> {
        // Never devices, and nothing that runs.
        let inside = AccessFs::from_all(TESTED)
            & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev | AccessFs::Execute);
        let mut ruleset = ruleset().map_err(io::Error::other)?;
        ruleset = ruleset.add_rule(PathBeneath::new(root.as_fd(), inside)).map_err(io::Error::other)?;
        for (path, _) in &*files {
            // What is not there cannot be read either.
            if let Some((handle, rights)) = readable(path) {
                ruleset = ruleset.add_rule(PathBeneath::new(handle, rights)).map_err(io::Error::other)?;
            }
        }
        Ok(Self { ruleset, files })
    }

    /// Holds the calling thread to it, for good.
    pub(super) fn hold(self) -> io::Result<Settings> {
        match self.ruleset.restrict_self() {
            Ok(status) if status.ruleset != RulesetStatus::NotEnforced => Ok(Settings(self.files)),
            Ok(_) => Err(io::ErrorKind::Unsupported.into()),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

fn ruleset() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(OLDEST))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(TESTED))?
        .create()
}

/// What stands there, behind all links: a file to read, or a folder of such.
fn readable(path: &Path) -> Option<(OwnedFd, BitFlags<AccessFs>)> {
    let handle = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
    match FileType::from_raw_mode(fstat(&handle).ok()?.st_mode) {
        FileType::Directory if users_settings::is_zones(path) => {
            Some((handle, AccessFs::ReadFile | AccessFs::ReadDir))
        }
        FileType::Directory => None,
        _ => Some((handle, AccessFs::ReadFile.into())),
    }
}
