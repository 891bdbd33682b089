//! Untracked files, found by gix's walk on a thread with room for every depth.
//!
//! The walk goes into folders by recursion. gix's own comparison would start it on a thread that a few hundred folders in each
//! other can overflow, which ends the whole process.

use std::{
    io,
    sync::atomic::AtomicBool,
    thread::{Builder, Scope, ScopedJoinHandle},
};

use gix::{
    bstr::BString,
    dir::{
        EntryRef,
        entry::{Kind, Status},
        walk::{Action, Delegate, EmissionMode, ForDeletionMode},
    },
};

use super::changes::Untracked;

/// For as many folders in each other as a path of 4096 bytes can name: a level takes 1.4 KiB in a debug build. It is room that is
/// set aside, not memory that is taken.
const STACK_BYTES: usize = 32 * 1024 * 1024;

/// An untracked path, with `/` at the end of folders, and whether it is a repository of its own.
type Found = (BString, bool);

/// A walk under way.
type Walk<'scope> = ScopedJoinHandle<'scope, Result<Vec<Found>, Stopped>>;

/// A walk that failed, and the last folder that it was to go into.
#[derive(Debug)]
pub(super) struct Stopped {
    pub(super) error: gix::Error,
    pub(super) at: BString,
}

impl From<gix::Error> for Stopped {
    fn from(error: gix::Error) -> Self {
        Self { error, at: BString::default() }
    }
}

/// Starts the walk; `None` where no untracked files are wanted.
pub(super) fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    reader: &gix::Repository,
    untracked: Untracked,
    interrupt: &'scope AtomicBool,
) -> io::Result<Option<Walk<'scope>>> {
    // Who wants git to show none means it for us too.
    let hides = reader.config_snapshot().boolean("status.showUntrackedFiles") == Some(false);
    let emission = match untracked {
        _ if hides => return Ok(None),
        Untracked::No => return Ok(None),
        Untracked::Folders => EmissionMode::CollapseDirectory,
        Untracked::Files => EmissionMode::Matching,
    };
    let reader = reader.clone();
    let walk = Builder::new().name("git walk".to_owned()).stack_size(STACK_BYTES);
    walk.spawn_scoped(scope, move || walk_all(&reader, emission, interrupt)).map(Some)
}

/// The whole walk.
pub(super) fn find(
    reader: &gix::Repository,
    untracked: Untracked,
    interrupt: &AtomicBool,
) -> Result<Vec<Found>, Stopped> {
    std::thread::scope(|scope| {
        let walk = start(scope, reader, untracked, interrupt).map_err(gix::Error::from_error)?;
        let ended = |_| gix::Error::from_error(io::Error::other("the walk ended without an answer"));
        walk.map_or_else(|| Ok(Vec::new()), |walk| walk.join().map_err(ended)?)
    })
}

fn walk_all(
    reader: &gix::Repository,
    emission: EmissionMode,
    interrupt: &AtomicBool,
) -> Result<Vec<Found>, Stopped> {
    let index = reader.index_or_empty()?;
    let options = reader.dirwalk_options()?.emit_untracked(emission);
    let mut collected = Collected::default();
    match reader.dirwalk(&index, None::<&gix::bstr::BStr>, interrupt, options, &mut collected) {
        Ok(_) => Ok(collected.found),
        Err(error) => Err(Stopped { error, at: collected.at }),
    }
}

#[derive(Default)]
struct Collected {
    found: Vec<Found>,
    at: BString,
}

impl Delegate for Collected {
    fn emit(&mut self, entry: EntryRef<'_>, _folder: Option<Status>) -> Action {
        if entry.status == Status::Untracked {
            let mut path = entry.rela_path.into_owned();
            let is_repository = entry.disk_kind == Some(Kind::Repository);
            if is_repository || entry.disk_kind == Some(Kind::Directory) {
                path.push(b'/');
            }
            self.found.push((path, is_repository));
        }
        Action::Continue(())
    }

    fn can_recurse(
        &mut self,
        entry: EntryRef<'_>,
        for_deletion: Option<ForDeletionMode>,
        root_is_repository: bool,
    ) -> bool {
        let EntryRef { status, disk_kind, pathspec_match, .. } = entry;
        let can = status.can_recurse(disk_kind, pathspec_match, for_deletion, root_is_repository);
        if can {
            self.at = entry.rela_path.into_owned();
        }
        can
    }
}
