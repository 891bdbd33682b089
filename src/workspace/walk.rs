//! Walks a folder in path order, on handles, without ever following a link.
//!
//! Yields what the ignore rules and the law let through, and counts the rest. Every folder is opened relative to the root handle
//! with links refused, so that a walk cannot leave the workspace, whatever happens to the tree meanwhile. `.git` is never entered.

use std::{
    ffi::OsString,
    fs::File,
    io,
    path::{Path, PathBuf},
};

use cap_std::fs::Dir;

use super::{
    ignore_rules::{IgnoreRules, RuleFiles},
    nofollow,
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
    /// Folders that could not be read.
    pub unreadable: u64,
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

/// A walk in path order: names compared as bytes, a folder's entries right after it.
pub struct Walk<'a> {
    root: &'a Dir,
    law: &'a PathRules,
    options: WalkOptions,
    wanted: Option<&'a Wanted<'a>>,
    until: Option<&'a (dyn Fn() -> bool + Sync)>,
    rules: IgnoreRules,
    stack: Vec<Level>,
    counts: WalkCounts,
}

impl std::fmt::Debug for Walk<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Walk").field("counts", &self.counts).finish_non_exhaustive()
    }
}

struct Level {
    folder: PathBuf,
    entries: std::vec::IntoIter<(OsString, WalkKind)>,
}

impl<'a> Walk<'a> {
    /// A walk of the folder `start`, which was resolved by the door. `root_path` is only used to see whether the root lies in a
    /// repository.
    pub fn new(
        root: &'a Dir,
        root_path: &Path,
        law: &'a PathRules,
        start: &RelPath,
        options: WalkOptions,
    ) -> io::Result<Self> {
        let mut rules = IgnoreRules::new(root_path);
        if let Some(parent) = start.parent() {
            let mut folders: Vec<&Path> = parent.as_path().ancestors().collect();
            folders.reverse();
            for folder in folders {
                rules.enter(root, folder, RuleFiles::all());
            }
        }
        let mut walk = Self {
            root,
            law,
            options,
            wanted: None,
            until: None,
            rules,
            stack: Vec::new(),
            counts: WalkCounts::default(),
        };
        walk.descend(start.as_path().to_path_buf())?;
        Ok(walk)
    }

    /// The same, yielding only entries (folders are still walked) that are of interest.
    #[must_use]
    pub fn only(mut self, wanted: &'a Wanted<'a>) -> Self {
        self.wanted = Some(wanted);
        self
    }

    /// The same, ending as soon as `until` says so; asked before each folder.
    #[must_use]
    pub fn until(mut self, until: &'a (dyn Fn() -> bool + Sync)) -> Self {
        self.until = Some(until);
        self
    }

    /// How much was left out so far.
    pub fn counts(&self) -> WalkCounts {
        self.counts
    }

    fn descend(&mut self, folder: PathBuf) -> io::Result<()> {
        let mut files = RuleFiles::default();
        let mut entries = Vec::new();
        for entry in nofollow::open_dir(self.root, &folder)?.entries()? {
            let entry = entry?;
            let name = entry.file_name();
            files.note(name.as_encoded_bytes());
            if name == ".git" {
                continue;
            }
            let kind = entry.file_type().map_or(WalkKind::Other, |kind| match kind {
                kind if kind.is_dir() => WalkKind::Dir,
                kind if kind.is_file() => WalkKind::File,
                kind if kind.is_symlink() => WalkKind::Link,
                _ => WalkKind::Other,
            });
            entries.push((name, kind));
        }
        entries.sort_unstable_by(|left, right| left.0.as_encoded_bytes().cmp(right.0.as_encoded_bytes()));
        self.rules.enter(self.root, &folder, files);
        self.stack.push(Level { folder, entries: entries.into_iter() });
        Ok(())
    }

    /// The entry as the caller gets it; `None` when it is left out.
    fn admit(&mut self, path: PathBuf, kind: WalkKind) -> Option<WalkEntry> {
        let wanted = self.wanted.is_none_or(|wanted| wanted(&path, kind));
        if !wanted && kind != WalkKind::Dir {
            return None;
        }
        let is_dir = kind == WalkKind::Dir;
        let skipped = if self.options.ignored {
            !self.options.hidden && super::ignore_rules::is_hidden(&path)
        } else {
            self.rules.skips(&path, is_dir, !self.options.hidden)
        };
        if skipped {
            self.counts.ignored += 1;
            return None;
        }
        let path = RelPath::from_plain(&path)?;
        if self.law.is_blocked_in_open_folder(&path.to_slashed()) {
            self.counts.blocked += 1;
            return None;
        }
        if is_dir && self.until.is_some_and(|until| until()) {
            self.stack.clear();
            return None;
        }
        if is_dir
            && self.stack.len() < self.options.max_depth
            && self.descend(path.as_path().to_path_buf()).is_err()
        {
            self.counts.unreadable += 1;
        }
        wanted.then_some(WalkEntry { path, kind })
    }
}

impl Iterator for Walk<'_> {
    type Item = WalkEntry;

    fn next(&mut self) -> Option<WalkEntry> {
        loop {
            let level = self.stack.last_mut()?;
            if let Some((name, kind)) = level.entries.next() {
                let path = level.folder.join(name);
                if let Some(entry) = self.admit(path, kind) {
                    return Some(entry);
                }
            } else {
                self.stack.pop();
                self.rules.leave();
            }
        }
    }
}

/// Opens a file a walk has yielded; a link that has taken its place is refused.
pub fn open_walked(root: &Dir, path: &RelPath) -> io::Result<(File, std::fs::Metadata)> {
    nofollow::open_file(root, path.as_path())
}

/// What stands at a path a walk or an index has named, by the plain way to it.
pub fn stat_walked(root: &Dir, path: &RelPath) -> io::Result<Option<WalkKind>> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(Some(WalkKind::Dir));
    };
    let found = nofollow::open_dir(root, parent.as_path()).and_then(|folder| folder.symlink_metadata(name));
    match found {
        Ok(metadata) if metadata.is_dir() => Ok(Some(WalkKind::Dir)),
        Ok(metadata) if metadata.is_file() => Ok(Some(WalkKind::File)),
        Ok(metadata) if metadata.is_symlink() => Ok(Some(WalkKind::Link)),
        Ok(_) => Ok(Some(WalkKind::Other)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The text of a link a walk or an index has named; it is not followed.
pub fn read_walked_link(root: &Dir, path: &RelPath) -> io::Result<(PathBuf, cap_std::fs::Metadata)> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let folder = nofollow::open_dir(root, parent.as_path())?;
    Ok((folder.read_link_contents(name)?, folder.symlink_metadata(name)?))
}
