//! What differs between a commit, the index and the work tree, found by gix without running anything.

use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread::Builder,
    time::{Duration, Instant},
};

use gix::{
    ObjectId,
    bstr::{BString, ByteSlice},
    status::tree_index::TrackRenames,
};

pub(super) use super::changed::{Changed, Changes, Entry, modified};
use super::{
    became_links::became_links,
    changed::{SHOWN_CHARACTERS, staged},
    closed::Closed,
    dirwalk::{self, Stopped},
    encoded, left_alone, readable,
    renames::{Renames, paired, pairs},
    rule_files,
    side::SUBMODULE,
    survey, untracked,
};
use crate::{
    limits,
    text::visible,
    tools::{Call, Code, ToolError},
    workspace::{
        pipes,
        repository::Repository,
        walk::{WalkKind, stat_walked},
    },
};

/// How often a running comparison is asked whether somebody wants it to stop.
const POLL: Duration = Duration::from_millis(20);
/// How often it is tried where files come and go meanwhile.
const ATTEMPTS: usize = 5;

/// Objects that are kept for a second look: the folders of a tree with half a million files fit.
const TREE_CACHE_BYTES: usize = 32 * 1024 * 1024;

/// What to compare.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// The commit's tree against the index; `None` inside for HEAD's.
    #[expect(clippy::option_option, reason = "the outer says whether, the inner against which tree")]
    pub(super) staged: Option<Option<ObjectId>>,
    /// The index against the work tree.
    pub(super) unstaged: bool,
    /// Which untracked files.
    pub(super) untracked: Untracked,
    /// The sections of the configuration that say whether renames are looked for, the first that says something.
    pub(super) renames: &'static [&'static str],
    /// Whether the index may say itself that it is HEAD's tree. Not where a person is shown what would be committed.
    pub(super) believes_index: bool,
}

/// Which untracked files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Untracked {
    /// None at all.
    No,
    /// A folder with nothing tracked in it counts as one.
    Folders,
    /// Each file.
    Files,
}

/// Compares. The library finds the work tree by names, so what is renamed or removed at that moment can make it fail: then it is
/// asked again.
pub(super) fn changes(repository: &Repository, wanted: Wanted, call: &Call) -> Result<Changes, ToolError> {
    let deadline = Instant::now() + Duration::from_secs(limits::SEARCH_SECONDS);
    let (mut encoded, mut closed) = (Vec::new(), Closed::default());
    let (rules, mut links) = (executable_rules(repository)?, Vec::new());
    for _ in 0..ATTEMPTS {
        let left_out = [encoded.as_slice(), &closed.paths, &rules, &links].concat();
        match attempt(repository, (wanted, &left_out), call, deadline)? {
            Ok(mut found) => {
                if wanted.unstaged && encoded.is_empty() {
                    encoded = encoded::take_misread(call, repository, &mut found)?;
                }
                if wanted.unstaged && !encoded.is_empty() {
                    encoded.retain(|path| !closed.paths.contains(path));
                    encoded::compare(call, repository, &encoded, &mut found)?;
                }
                if wanted.unstaged {
                    closed.tell(&mut found);
                    let mut apart = [left_alone::present(call, repository)?, rules, links].concat();
                    apart.retain(|path| !encoded.contains(path) && !closed.paths.contains(path));
                    encoded::compare(call, repository, &apart, &mut found)?;
                }
                found.correct_types(repository, call);
                found.forget_vanished(repository, call);
                return Ok(found);
            }
            Err(_) if leads_on(&mut links, became_links(call, repository)?) => {}
            Err(failure) if failure.is_passing => {}
            Err(failure) if failure.is_denied => {
                let first = closed.paths.is_empty();
                if first {
                    closed = Closed::find(call, repository)?;
                }
                if !first || closed.paths.is_empty() {
                    return Err(failure.error(repository));
                }
            }
            Err(failure) => {
                // A file may not be what its encoding says; gix then compares nothing at all.
                let first = encoded.is_empty();
                if first {
                    encoded = encoded::paths(repository, call)?;
                }
                if !first || encoded.is_empty() {
                    return Err(failure.error(repository));
                }
            }
        }
    }
    let modules = repository.folder().join(".gitmodules");
    if matches!(stat_walked(call.workspace.handle(), &modules), Ok(Some(WalkKind::Dir))) {
        return Err(ToolError::new(
            Code::UnsupportedHere,
            format!("`{modules}` is a folder, where git's list of submodules would stand"),
            "give it another name, or the user can use git itself",
        ));
    }
    Err(ToolError::new(
        Code::Busy,
        format!("files of the repository at `{}` changed while they were compared", repository.folder()),
        "try again when what changes them is done",
    ))
}

/// The rule files that the library takes for changed, since it has to be told that they are plain.
fn executable_rules(repository: &Repository) -> Result<Vec<BString>, ToolError> {
    let reader = repository.reader()?;
    let index = reader.index_or_empty().map_err(|error| repository.broken(&error))?;
    Ok(rule_files::compared(&index))
}

/// Whether there are links in the way that were not known of.
fn leads_on(known: &mut Vec<BString>, found: Vec<BString>) -> bool {
    let is_new = found.iter().any(|path| !known.contains(path));
    *known = found;
    is_new
}

/// How the library failed.
#[derive(Debug)]
struct Failure {
    reason: String,
    /// Something it had just seen was gone, or was another thing.
    is_passing: bool,
    /// What it read was not what it should be: a file that was being written, or an object that is damaged.
    is_garbled: bool,
    /// A path was longer than the system takes.
    is_too_long: bool,
    /// The user may not look at something.
    is_denied: bool,
    /// Where a walk was, as far as that is known.
    at: BString,
}

impl Failure {
    fn of(error: &gix::Error) -> Self {
        use std::io::ErrorKind;
        let kinds = || {
            let errors = error.iter_errors().filter_map(|error| error.downcast_ref::<std::io::Error>());
            errors.map(std::io::Error::kind)
        };
        let is_gone = kinds().any(|kind| {
            matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory)
        });
        let is_garbled =
            kinds().any(|kind| matches!(kind, ErrorKind::InvalidInput | ErrorKind::UnexpectedEof));
        let is_too_long = kinds().any(|kind| kind == ErrorKind::InvalidFilename);
        let is_denied = kinds().any(|kind| kind == ErrorKind::PermissionDenied);
        Self {
            reason: error.to_string(),
            is_passing: is_gone || is_garbled,
            is_garbled,
            is_too_long,
            is_denied,
            at: BString::default(),
        }
    }

    /// The failure of what reads objects alone: they are never seen half written, so what is garbled stays so.
    fn of_objects(self) -> Self {
        Self { is_passing: self.is_passing && !self.is_garbled, ..self }
    }

    fn error(self, repository: &Repository) -> ToolError {
        if self.is_too_long {
            let start: String = self.at.to_str_lossy().chars().take(SHOWN_CHARACTERS).collect();
            return ToolError::new(
                Code::TooLarge,
                format!(
                    "the repository at `{}` has a path that is longer than the system takes; it begins with `{}…`",
                    repository.folder(),
                    visible(&start)
                ),
                "the user can move the folders in it further up, or away (`mv`); git itself passes over what lies deeper",
            );
        }
        if self.is_denied {
            let denied = std::io::Error::new(std::io::ErrorKind::PermissionDenied, self.reason);
            return repository.broken(&denied).into();
        }
        repository.broken(&self.reason).into()
    }
}

/// Runs on a thread of its own, so that a cancel is answered at once whatever the disk does.
fn attempt(
    repository: &Repository,
    (wanted, left_out): (Wanted, &[BString]),
    call: &Call,
    deadline: Instant,
) -> Result<Result<Changes, Failure>, ToolError> {
    repository.reader()?;
    let (sender, receiver) = channel();
    let interrupt = Arc::new(AtomicBool::new(false));
    let (flag, own, left_out) = (Arc::clone(&interrupt), repository.clone(), left_out.to_vec());
    let compare = move || {
        let reader = own.history().map_err(|error| NotCollected::Refused(error.into()));
        let _ = sender.send(reader.and_then(|reader| collect(&own, &reader, (wanted, &left_out), flag)));
    };
    Builder::new()
        .name("git compare".to_owned())
        .spawn(compare)
        .map_err(|error| ToolError::no_thread(&error))?;
    let stopped = loop {
        match receiver.recv_timeout(POLL) {
            Ok(Ok(found)) => return Ok(Ok(found)),
            Ok(Err(NotCollected::Library(failure))) => return Ok(Err(failure)),
            Ok(Err(NotCollected::Refused(error))) => return Err(error),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(ToolError::internal("the comparison ended without an answer"));
            }
            Err(RecvTimeoutError::Timeout) if call.cancel.is_cancelled() => {
                break ToolError::cancelled("nothing was changed");
            }
            Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                break ToolError::new(
                    Code::Timeout,
                    format!("comparing the repository at `{}` took too long", repository.folder()),
                    "an unreadable or very slow file may be in the way; the user can look with git itself",
                );
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    interrupt.store(true, Ordering::Relaxed);
    // Whatever it waits on, it must not wait for the life of the host; the answer need not wait for that.
    pipes::release_aside(Arc::clone(call.workspace.handle()), repository.folder().clone());
    Err(stopped)
}

/// Why nothing was collected.
#[derive(Debug)]
enum NotCollected {
    Library(Failure),
    Refused(ToolError),
}

impl NotCollected {
    /// See [`Failure::of_objects`].
    fn of_objects(self) -> Self {
        match self {
            Self::Library(failure) => Self::Library(failure.of_objects()),
            Self::Refused(error) => Self::Refused(error),
        }
    }
}

impl From<gix::Error> for NotCollected {
    fn from(error: gix::Error) -> Self {
        Self::Library(Failure::of(&error))
    }
}

impl From<Stopped> for NotCollected {
    fn from(Stopped { error, at, refused }: Stopped) -> Self {
        match refused {
            Some(refused) => Self::Refused(refused.into()),
            None => Self::Library(Failure { at, ..Failure::of(&error) }),
        }
    }
}

fn collect(
    repository: &Repository,
    reader: &gix::Repository,
    (wanted, left_out): (Wanted, &[BString]),
    interrupt: Arc<AtomicBool>,
) -> Result<Changes, NotCollected> {
    let believed = wanted.staged.is_some() && wanted.believes_index;
    let of_objects = |error: gix::Error| NotCollected::from(error).of_objects();
    let compares_trees =
        wanted.staged.is_some() && !(believed && is_head_tree(reader).map_err(of_objects)?);
    let platform = reader
        .status(gix::progress::Discard)?
        // They are looked for beside it, with room for every depth.
        .untracked_files(gix::status::UntrackedFiles::None)
        .index(encoded::left_out(reader, left_out)?)
        .index_worktree_submodules(None)
        .index_worktree_rewrites(None)
        .should_interrupt_owned(Arc::clone(&interrupt));
    let mut found = Changes::default();
    let tree = wanted.staged.filter(|_| compares_trees);
    std::thread::scope(|scope| -> Result<(), NotCollected> {
        let stop = Arc::clone(&interrupt);
        let no_thread = |error| NotCollected::Refused(ToolError::no_thread(&error));
        let staged = tree.map(|tree| {
            Builder::new().spawn_scoped(scope, move || {
                let mut reader = repository.history().map_err(|error| NotCollected::Refused(error.into()))?;
                // Each folder of the tree is read to see how large all is, and once more to compare it.
                reader.object_cache_size_if_unset(TREE_CACHE_BYTES);
                staged_changes(repository, &reader, (tree, wanted.renames), &stop)
            })
        });
        let staged = staged.transpose().map_err(no_thread)?;
        let walk =
            dirwalk::start(scope, (repository, reader), wanted.untracked, &interrupt).map_err(no_thread)?;
        let index = reader.index_or_empty().map_err(of_objects)?;
        let is_over = || interrupt.load(Ordering::Relaxed);
        if let Err(refused) = repository.check_rules_for(reader, &index, &is_over) {
            // The others need not go on.
            interrupt.store(true, Ordering::Relaxed);
            return Err(NotCollected::Refused(refused.into()));
        }
        // What is made before the first comparison reads objects alone.
        for item in platform.into_index_worktree_iter(Vec::new()).map_err(of_objects)? {
            found.take(item?);
        }
        let ended = || NotCollected::Refused(ToolError::internal("the comparison ended without an answer"));
        if let Some(staged) = staged {
            found.staged = staged.join().map_err(|_| ended())?.map_err(NotCollected::of_objects)?;
        }
        if let Some(walk) = walk {
            let walked = walk.join().map_err(|_| ended())??;
            (found.untracked, found.too_deep) = (walked.untracked, walked.too_deep);
            found.closed = walked.closed;
        }
        Ok(())
    })?;
    if wanted.untracked == Untracked::Folders {
        found.settle_folders(repository, reader, &interrupt)?;
        // A folder in the place of a tracked file is told by the file that went.
        let index = reader.index_or_empty()?;
        found
            .untracked
            .retain(|(path, _)| index.entry_range(path.trim_end_with(|end| end == '/').into()).is_none());
    }
    found.finish(wanted.unstaged);
    found.has_submodules =
        reader.index_or_empty()?.entries().iter().any(|entry| entry.mode.bits() == SUBMODULE);
    Ok(found)
}

/// What the index has that `tree` (`None`: that of HEAD) has not. The whole tree is read for it, so it is looked at first what that
/// means.
fn staged_changes(
    repository: &Repository,
    reader: &gix::Repository,
    (tree, renames): (Option<ObjectId>, &[&str]),
    interrupt: &AtomicBool,
) -> Result<Vec<Changed>, NotCollected> {
    let is_over = || interrupt.load(Ordering::Relaxed);
    let tree = match tree {
        Some(tree) => tree,
        None => reader.head_tree_id_or_empty()?.detach(),
    };
    let stop = || if is_over() { Err(ToolError::cancelled("nothing was changed")) } else { Ok(()) };
    survey::check(repository, tree, &|id| readable::bytes(repository, reader, id), &stop)
        .map_err(NotCollected::Refused)?;
    let index = reader.index_or_empty()?;
    let mut found = Vec::new();
    reader.tree_index_status(&tree, &index, None, TrackRenames::Disabled, |change, _, _| {
        found.push(staged(&change.into_owned()));
        Ok(if is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    found.sort_by(|left, right| left.path.cmp(&right.path));
    let Some(how) = Renames::configured(reader, renames) else { return Ok(found) };
    let given_up = || gix::Error::from_error(std::io::Error::other("given up"));
    let check = || if is_over() { Err(given_up()) } else { Ok(()) };
    let renamed = pairs(&reader.objects, &found, how, &check)?;
    Ok(paired(found, &renamed, |changed| changed))
}

/// Whether git has noted in the index which tree it was made of or written as, no entry has changed since, and that is HEAD's. The
/// whole comparison of the two is then the comparison of two ids.
fn is_head_tree(reader: &gix::Repository) -> gix::Result<bool> {
    let index = reader.index_or_empty()?;
    let Some(noted) = index.tree() else { return Ok(false) };
    let whole = noted.num_entries.is_some_and(|count| count as usize == index.entries().len());
    Ok(whole && reader.head_tree_id_or_empty()?.detach() == noted.id)
}

impl Changes {
    /// Untracked folders as git shows them. One whose tracked files are all gone comes from gix as a whole; git looks into it.
    fn settle_folders(
        &mut self,
        repository: &Repository,
        reader: &gix::Repository,
        interrupt: &Arc<AtomicBool>,
    ) -> Result<(), NotCollected> {
        let index = reader.index_or_empty()?;
        let is_tracked =
            |path: &BString| path.ends_with(b"/") && index.prefixed_entries(path.as_bstr()).is_some();
        let (tracked, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.untracked).into_iter().partition(|(path, _)| is_tracked(path));
        self.untracked = untracked::as_git_shows(repository, reader, &index, kept, interrupt)?;
        if tracked.is_empty() {
            return Ok(());
        }
        for (path, repository) in dirwalk::find((repository, reader), Untracked::Files, interrupt)?.untracked
        {
            if tracked.iter().any(|(folder, _)| path.starts_with(folder)) {
                let shown = untracked::stands_for(&index, &path);
                let is_itself = repository && shown == path;
                self.untracked.push((shown, is_itself));
            }
        }
        Ok(())
    }
}
