//! Walks a folder in path order or shallow folders first, on handles, without ever following a link.
//!
//! Yields what the ignore rules and the law let through, and counts the rest. Every folder is opened relative to the root handle
//! with links refused, so that a walk cannot leave the workspace, whatever happens to the tree meanwhile. `.git` is never entered.
//! Where helpers are allowed ([`Walk::with_helpers`]), they list folders ahead of the one that is looked at; the order is the same.

use std::{
    collections::VecDeque,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_std::fs::Dir;

use super::{
    FileKind,
    folder::{Folder, Item, Lister},
    ignore_rules::{IgnoreRules, RuleFiles, Shared},
    nofollow,
    refusal::{self, Refusal},
    walk_ahead::{Closing, Helpers, Order, Queue, Slot},
};
use crate::{policy::PathRules, relpath::RelPath};

/// What a walk leaves out, and how deep it goes.
#[derive(Clone, Copy, Debug)]
pub struct WalkOptions {
    /// Also names that begin with a dot.
    pub hidden: bool,
    /// Also what ignore rules leave out.
    pub ignored: bool,
    /// Levels below the start; 1 is the start's own entries.
    pub max_depth: usize,
}

/// How much a walk left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkCounts {
    /// By the law.
    pub blocked: u64,
    /// By ignore rules, or hidden; a folder counts once.
    pub ignored: u64,
    /// Each `.git`, whatever was asked for.
    pub git: u64,
    /// Folders that could not be read.
    pub unreadable: u64,
    /// Files of ignore rules that there was no room for.
    pub rules: u64,
}

impl WalkCounts {
    /// What an answer says where ignore rules did not count.
    pub fn warning(&self) -> Option<String> {
        let files = (self.rules > 0).then(|| crate::text::counted(self.rules, "ignore file"))?;
        Some(format!(
            "the rules of {files} were not looked at, because there are too many: what they leave out is among this; \
             name a folder further down in `path`"
        ))
    }
}

/// An entry that ignore rules leave out, or that is hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Relative to the root.
    pub path: PathBuf,
    /// It is a folder.
    pub is_dir: bool,
}

impl LeftOut {
    /// How many a walk remembers: enough to say what would be found among them.
    pub(super) const KEPT: usize = 4096;
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkKind {
    /// A regular file.
    File,
    /// A folder.
    Dir,
    /// A link, wherever it leads.
    Link,
    /// A FIFO, socket or device.
    Other,
}

impl WalkKind {
    pub(super) fn of(kind: FileKind) -> Self {
        match kind {
            FileKind::File => Self::File,
            FileKind::Folder => Self::Dir,
            FileKind::Link => Self::Link,
            _ => Self::Other,
        }
    }
}

/// An entry of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkEntry {
    /// Relative to the root.
    pub path: RelPath,
    /// What it is.
    pub kind: WalkKind,
}

/// Says whether an entry is of interest; asked before the ignore rules, which are dearer.
pub type Wanted<'a> = dyn Fn(&Path, WalkKind) -> bool + Sync + 'a;

/// Says that there is no point in going on.
pub type Until<'a> = dyn Fn() -> bool + Sync + 'a;

/// A walk in path order: names compared as bytes, a folder's entries right after it (or, where asked for, after everything that
/// lies less deep).
pub struct Walk<'a> {
    lister: Lister<'a>,
    until: Option<&'a Until<'a>>,
    start: Option<Arc<Slot>>,
    stack: Vec<std::vec::IntoIter<Item>>,
    /// Folders that come later, where shallow ones come first.
    later: Option<VecDeque<Arc<Slot>>>,
    helpers: Option<Helpers<'a>>,
    counts: WalkCounts,
    rules: Arc<Shared>,
    left_out: Vec<LeftOut>,
}

impl std::fmt::Debug for Walk<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Walk").field("counts", &self.counts).finish_non_exhaustive()
    }
}

impl<'a> Walk<'a> {
    /// A walk of the folder `start`, which was resolved by the door. `root_path` is only used to see whether the root lies in a
    /// repository, and for the ignore rules of one around it.
    pub fn new(
        root: &'a Dir,
        root_path: &Path,
        law: &'a PathRules,
        start: &RelPath,
        options: WalkOptions,
    ) -> io::Result<Self> {
        let mut rules = IgnoreRules::new(root, root_path);
        if let Some(parent) = start.parent() {
            let mut folders: Vec<&Path> = parent.as_path().ancestors().collect();
            folders.reverse();
            for folder in folders {
                rules = rules.enter(root, folder, RuleFiles::all());
            }
        }
        // What cannot be opened is an error of the whole walk, not a folder that is counted.
        nofollow::open_dir(root, start.as_path())?;
        let shared = rules.shared();
        let start = Folder { path: start.as_path().to_path_buf(), depth: 0, rules };
        Ok(Walk {
            lister: Lister { root, law, options, wanted: None },
            until: None,
            start: Some(Slot::new(start)),
            stack: Vec::new(),
            later: None,
            helpers: None,
            counts: WalkCounts::default(),
            rules: shared,
            left_out: Vec::new(),
        })
    }

    /// The same, yielding only entries (folders are still walked) that are of interest.
    #[must_use]
    pub fn only(mut self, wanted: &'a Wanted<'a>) -> Self {
        self.lister.wanted = Some(wanted);
        self
    }

    /// The same, level by level: what lies less deep comes first, in path order within its level.
    #[must_use]
    pub fn shallow_first(mut self) -> Self {
        self.later = Some(VecDeque::new());
        self
    }

    /// The same, ending as soon as `until` says so; asked before each folder.
    #[must_use]
    pub fn until(mut self, until: &'a Until<'a>) -> Self {
        self.until = Some(until);
        self
    }

    /// Gives `consume` the same walk, with threads that list folders ahead of it while it lasts.
    pub fn with_helpers<R>(self, consume: impl FnOnce(&mut Walk<'_>) -> R) -> R {
        let queue = Queue::new(if self.later.is_some() { Order::Shallow } else { Order::Path });
        let (lister, until) = (self.lister, self.until);
        std::thread::scope(|scope| {
            let _closing = Closing(&queue);
            let queue = &queue;
            // Where the system gives no further thread, the walk lists its folders itself.
            let start_helper = move || {
                drop(std::thread::Builder::new().spawn_scoped(scope, move || queue.help(lister, until)));
            };
            let mut walk = Walk { helpers: Some(Helpers::new(queue, Box::new(start_helper))), ..self };
            consume(&mut walk)
        })
    }

    /// How much was left out so far.
    pub fn counts(&self) -> WalkCounts {
        WalkCounts { rules: self.rules.lacking(), ..self.counts }
    }

    /// The first entries that ignore rules left out, or that are hidden.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Goes into a folder.
    fn descend(&mut self, slot: &Slot) {
        if self.until.is_some_and(|until| until()) {
            self.stack.clear();
            self.later.as_mut().map(VecDeque::clear);
            return;
        }
        let Ok((mut listed, by_helper)) = slot.take(self.lister) else {
            self.counts.unreadable += 1;
            return;
        };
        if let Some(helpers) = &mut self.helpers {
            helpers.went_into(&listed, by_helper);
        }
        self.counts.blocked += listed.counts.blocked;
        self.counts.ignored += listed.counts.ignored;
        self.counts.git += listed.counts.git;
        listed.left_out.truncate(LeftOut::KEPT - self.left_out.len());
        self.left_out.append(&mut listed.left_out);
        self.stack.push(listed.items.into_iter());
    }
}

impl Iterator for Walk<'_> {
    type Item = WalkEntry;

    fn next(&mut self) -> Option<WalkEntry> {
        if let Some(start) = self.start.take() {
            self.descend(&start);
        }
        loop {
            let Some(entries) = self.stack.last_mut() else {
                let next = self.later.as_mut()?.pop_front()?;
                self.descend(&next);
                continue;
            };
            let Some(item) = entries.next() else {
                self.stack.pop();
                continue;
            };
            match (item.inner, &mut self.later) {
                (Some(slot), Some(later)) => later.push_back(slot),
                (Some(slot), None) => self.descend(&slot),
                (None, _) => {}
            }
            if item.wanted {
                return Some(item.entry);
            }
        }
    }
}

/// Opens a file a walk has yielded; a link that has taken its place is refused.
pub fn open_walked(root: &Dir, path: &RelPath) -> io::Result<(File, std::fs::Metadata)> {
    nofollow::open_file(root, path.as_path())
}

/// Opens a folder that a walk or an index has named, by the plain way to it, to look at what its names stand for.
pub fn stand_walked(root: &Dir, path: &RelPath) -> io::Result<Dir> {
    nofollow::stand_in(root, path.as_path())
}

/// What stands at a path a walk or an index has named, by the plain way to it.
pub fn stat_walked(root: &Dir, path: &RelPath) -> io::Result<Option<WalkKind>> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(Some(WalkKind::Dir));
    };
    let found = nofollow::stand_in(root, parent.as_path()).and_then(|folder| folder.symlink_metadata(name));
    match found {
        Ok(metadata) if metadata.is_dir() => Ok(Some(WalkKind::Dir)),
        Ok(metadata) if metadata.is_file() => Ok(Some(WalkKind::File)),
        Ok(metadata) if metadata.is_symlink() => Ok(Some(WalkKind::Link)),
        Ok(_) => Ok(Some(WalkKind::Other)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        // Below a link stands nothing, however far below.
        Err(error) => match stat_walked(root, &parent)? {
            None | Some(WalkKind::Link | WalkKind::File) => Ok(None),
            Some(_) => Err(error),
        },
    }
}

/// The text of a link a walk or an index has named; it is not followed.
pub fn read_walked_link(root: &Dir, path: &RelPath) -> io::Result<(PathBuf, cap_std::fs::Metadata)> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let folder = nofollow::stand_in(root, parent.as_path())?;
    let target = folder.read_link_contents(name).map_err(|error| match refusal::of(&error) {
        // It was a link when it was named, and is none any more.
        Some(Refusal::NoLink) => refusal::changing(),
        _ => error,
    })?;
    Ok((target, folder.symlink_metadata(name)?))
}
