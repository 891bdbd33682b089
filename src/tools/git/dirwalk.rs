//! Untracked files, found by gix's walk on a thread with room for every depth.
//!
//! The walk goes into folders by recursion. gix's own comparison would start it on a thread that a few hundred folders in each
//! other can overflow, which ends the whole process.

use std::{
    borrow::Cow,
    io,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    thread::{Builder, Scope, ScopedJoinHandle},
};

use gix::{
    bstr::{BStr, BString, ByteSlice as _},
    dir::{
        EntryRef,
        entry::{Kind, Status},
        walk::{Action, Delegate, EmissionMode, ForDeletionMode},
    },
    index::{Entry, State, entry::Flags},
};

use super::{changes::Untracked, rule_files};
use crate::workspace::repository::{IGNORED, Repository, RepositoryError, RulesAbove};

/// For as many folders in each other as a path of 4096 bytes can name: a level takes 1.4 KiB in a debug build. It is room that is
/// set aside, not memory that is taken.
const STACK_BYTES: usize = 32 * 1024 * 1024;

/// No shorter path is too long for any system: it need not be asked.
const PLAIN_BYTES: usize = 512;

/// An untracked path, with `/` at the end of folders, and whether it is a repository of its own.
type Found = (BString, bool);

/// A walk under way.
type Walk<'scope> = ScopedJoinHandle<'scope, Result<Walked, Stopped>>;

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) untracked: Vec<Found>,
    /// Folders whose path is longer than the system takes: nobody looked into them, git does not either.
    pub(super) too_deep: Vec<BString>,
    /// Folders that the user may not look into: git passes over them.
    pub(super) closed: Vec<BString>,
}

/// A walk that failed, and the last folder that it was to go into.
#[derive(Debug)]
pub(super) struct Stopped {
    pub(super) error: gix::Error,
    pub(super) at: BString,
    /// What it came upon that is not for the library.
    pub(super) refused: Option<RepositoryError>,
}

impl From<gix::Error> for Stopped {
    fn from(error: gix::Error) -> Self {
        Self { error, at: BString::default(), refused: None }
    }
}

/// Starts the walk; `None` where no untracked files are wanted.
pub(super) fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    (repository, reader): (&Repository, &gix::Repository),
    untracked: Untracked,
    interrupt: &'scope AtomicBool,
) -> io::Result<Option<Walk<'scope>>> {
    let emission = match untracked {
        Untracked::No => return Ok(None),
        Untracked::Folders => EmissionMode::CollapseDirectory,
        Untracked::Files => EmissionMode::Matching,
    };
    let (repository, reader) = (repository.clone(), reader.clone());
    let walk = Builder::new().name("git walk".to_owned()).stack_size(STACK_BYTES);
    walk.spawn_scoped(scope, move || walk_all((&repository, &reader), emission, interrupt)).map(Some)
}

/// The whole walk.
pub(super) fn find(
    (repository, reader): (&Repository, &gix::Repository),
    untracked: Untracked,
    interrupt: &AtomicBool,
) -> Result<Walked, Stopped> {
    std::thread::scope(|scope| {
        let walk =
            start(scope, (repository, reader), untracked, interrupt).map_err(gix::Error::from_error)?;
        let ended = |_| gix::Error::from_error(io::Error::other("the walk ended without an answer"));
        walk.map_or_else(|| Ok(Walked::default()), |walk| walk.join().map_err(ended)?)
    })
}

/// Whether folders may be looked into is asked only where the library was not let into one.
fn walk_all(
    (repository, reader): (&Repository, &gix::Repository),
    emission: EmissionMode,
    interrupt: &AtomicBool,
) -> Result<Walked, Stopped> {
    match walk((repository, reader), emission, interrupt, false) {
        Err(stopped) if stopped.error.is_permission_denied() => {
            walk((repository, reader), emission, interrupt, true)
        }
        walked => walked,
    }
}

fn walk(
    (repository, reader): (&Repository, &gix::Repository),
    emission: EmissionMode,
    interrupt: &AtomicBool,
    asks: bool,
) -> Result<Walked, Stopped> {
    let index = reader.index_or_empty()?;
    let options = reader.dirwalk_options()?.emit_untracked(emission);
    let root = reader.workdir().unwrap_or_else(|| reader.git_dir()).to_path_buf();
    let mut collected = Collected {
        walked: Walked::default(),
        at: BString::default(),
        root,
        repository,
        rules: RulesAbove::new(repository, IGNORED),
        asks,
        refused: None,
    };
    let walked =
        reader.dirwalk(&as_seen_by_git(&index), None::<&gix::bstr::BStr>, interrupt, options, &mut collected);
    if collected.refused.is_some() {
        let error = gix::Error::from_error(io::Error::other("given up"));
        return Err(Stopped { error, at: collected.at, refused: collected.refused });
    }
    match walked {
        Ok(_) => {
            // gix does not know a path again whose conflict has no side of ours.
            let mut walked = collected.walked;
            let is_closed = |path: &BString| {
                walked
                    .closed
                    .iter()
                    .any(|folder| path.strip_suffix(b"/").unwrap_or(path) == folder.as_bytes())
            };
            walked
                .untracked
                .retain(|(path, _)| index.entry_index_by_path(path.as_bstr()).is_err() && !is_closed(path));
            Ok(walked)
        }
        Err(error) => Err(Stopped { error, at: collected.at, refused: None }),
    }
}

/// The index as the library has to see it to find what git finds.
///
/// It does not look into a folder in which all tracked files are left out of the work tree; git does, since others may be in it. Only
/// rules that are not there are asked of the index, and keep their mark.
fn as_seen_by_git(index: &State) -> Cow<'_, State> {
    let hides = |entry: &Entry, path: &BStr| {
        entry.flags.contains(Flags::SKIP_WORKTREE)
            && path.rsplit(|byte| *byte == b'/').next() != Some(b".gitignore")
    };
    let mut seen = rule_files::readable(index);
    if seen.entries().iter().any(|entry| hides(entry, entry.path(&seen))) {
        for (entry, path) in seen.to_mut().entries_mut_with_paths() {
            if hides(entry, path) {
                entry.flags.remove(Flags::SKIP_WORKTREE);
            }
        }
    }
    seen
}

struct Collected<'a> {
    walked: Walked,
    at: BString,
    root: PathBuf,
    repository: &'a Repository,
    rules: RulesAbove<'a>,
    /// Whether folders may be looked into is to be asked.
    asks: bool,
    refused: Option<RepositoryError>,
}

/// A folder in which the system does not open files by their path, as the library does with those of rules.
pub(super) fn is_too_deep(root: &Path, folder: &BStr) -> bool {
    folder.len() > PLAIN_BYTES
        && matches!(
            root.join(folder.to_path_lossy()).join(".gitignore").symlink_metadata(),
            Err(error) if error.kind() == io::ErrorKind::InvalidFilename
        )
}

impl Delegate for Collected<'_> {
    fn emit(&mut self, entry: EntryRef<'_>, _folder: Option<Status>) -> Action {
        if entry.status == Status::Untracked {
            let mut path = entry.rela_path.into_owned();
            let is_repository = entry.disk_kind == Some(Kind::Repository);
            if is_repository || entry.disk_kind == Some(Kind::Directory) {
                path.push(b'/');
            }
            self.walked.untracked.push((path, is_repository));
        }
        if self.refused.is_some() { Action::Break(()) } else { Action::Continue(()) }
    }

    fn can_recurse(
        &mut self,
        entry: EntryRef<'_>,
        for_deletion: Option<ForDeletionMode>,
        root_is_repository: bool,
    ) -> bool {
        let EntryRef { status, disk_kind, pathspec_match, .. } = entry;
        let can = status.can_recurse(disk_kind, pathspec_match, for_deletion, root_is_repository);
        if !can {
            return false;
        }
        let folder = entry.rela_path.into_owned();
        if is_too_deep(&self.root, folder.as_bstr()) {
            self.walked.too_deep.push(folder);
            return false;
        }
        if let Err(refused) = self.rules.enter(&folder) {
            self.refused.get_or_insert(refused);
            return false;
        }
        if self.asks && self.repository.is_closed(folder.as_bstr()) {
            self.walked.closed.push(folder);
            return false;
        }
        self.at = folder;
        true
    }
}
