//! What the user may not look at. git says so and goes on without it; the libraries give up as a whole, so it is left out of what they
//! compare.

use std::{collections::BTreeSet, io};

use cap_std::fs::{Dir, Metadata};
use gix::{
    bstr::{BStr, BString, ByteSlice},
    index::Entry as IndexEntry,
};

use super::{
    changes::{Changed, Changes, Entry},
    encoded::UNSEEN,
    shown,
    side::{FileStat, LINK, SUBMODULE, WorkTree, check_rule_files, stat_of_link},
};
use crate::{
    relpath::RelPath,
    text::counted,
    tools::{Call, Code, ToolError},
    workspace::{
        repository::Repository,
        walk::{open_walked, stand_walked},
    },
};

/// Folders that a note names.
const NAMED: usize = 5;

/// Paths of the index that are compared without reading them.
#[derive(Debug, Default)]
pub(super) struct Closed {
    /// All of them.
    pub(super) paths: Vec<BString>,
    /// Those that are not as the index remembers them.
    differ: Vec<Changed>,
    /// The folders in which nothing can be looked at; what is in them counts as unchanged, as for git.
    folders: BTreeSet<BString>,
}

impl Closed {
    /// Looks at each path of the index.
    pub(super) fn find(call: &Call, repository: &Repository) -> Result<Self, ToolError> {
        let reader = repository.reader()?;
        let index = reader.index_or_empty().map_err(|error| repository.broken(&error))?;
        let mut found = Self::default();
        let mut here = Folder::default();
        let mut work_tree = WorkTree::by_index(call, repository, &reader)?;
        for entry in index.entries() {
            call.check_cancelled()?;
            if entry.stage_raw() != 0 || entry.flags.intersects(UNSEEN) || entry.mode.bits() == SUBMODULE {
                continue;
            }
            let git_path = entry.path(&index);
            let Some(path) = repository.in_workspace(git_path) else { continue };
            let Some(parent) = path.parent() else { continue };
            if here.path.as_ref() != Some(&parent) {
                here = Folder::open((call, repository), parent);
            }
            here.look((call, repository), (git_path, &path, entry), &mut work_tree, &mut found);
        }
        Ok(found)
    }

    /// Adds what was left out of a comparison.
    pub(super) fn tell(&self, found: &mut Changes) {
        if self.paths.is_empty() {
            return;
        }
        found.unstaged.extend(self.differ.iter().cloned());
        found.unstaged.sort_by(|left, right| left.path.cmp(&right.path));
        found.unstaged.dedup_by(|later, earlier| later.path == earlier.path);
        found.closed.extend(self.folders.iter().cloned());
        found.closed.sort();
        found.closed.dedup();
    }
}

/// A folder with tracked files in it.
#[derive(Default)]
struct Folder {
    path: Option<RelPath>,
    /// `None` where it cannot be entered.
    opened: Option<Dir>,
    /// The folder that cannot be entered.
    denies: Option<BString>,
    /// Its attributes may not be read: what they are for is compared by those of the index.
    has_closed_rules: bool,
}

impl Folder {
    fn open((call, repository): (&Call, &Repository), path: RelPath) -> Self {
        let root = call.workspace.handle();
        let mut folder = Self::default();
        match stand_walked(root, &path) {
            Ok(opened) => folder.opened = Some(opened),
            Err(error) if is_denied(&error) => {
                let ancestors = std::iter::successors(path.parent(), RelPath::parent);
                let denies = ancestors.into_iter().find(|here| stand_walked(root, here).is_ok());
                folder.denies = repository.in_repository(&denies.unwrap_or_default()).map(BString::from);
            }
            // What is gone, or is no folder, the library knows.
            Err(_) => {}
        }
        let below = path.join("x");
        folder.has_closed_rules = check_rule_files(call, repository, &below)
            .is_err_and(|error| error.code == Code::PermissionDenied);
        folder.path = Some(path);
        folder
    }

    fn look(
        &self,
        (call, repository): (&Call, &Repository),
        (git_path, path, entry): (&BStr, &RelPath, &IndexEntry),
        work_tree: &mut WorkTree<'_>,
        found: &mut Closed,
    ) {
        if let Some(denies) = &self.denies {
            found.hide(git_path, denies.clone());
            return;
        }
        let (Some(folder), Some(name)) = (&self.opened, path.file_name()) else { return };
        let metadata = match folder.symlink_metadata(name) {
            Ok(metadata) => metadata,
            Err(error) => {
                if is_denied(&error) {
                    let parent = self.path.as_ref().and_then(|path| repository.in_repository(path));
                    found.hide(git_path, parent.unwrap_or_default().into());
                }
                return;
            }
        };
        let is_closed = metadata.is_file()
            && (self.has_closed_rules
                || open_walked(call.workspace.handle(), path).is_err_and(|error| is_denied(&error)));
        if !is_closed {
            return;
        }
        found.paths.push(git_path.to_owned());
        if !is_remembered(entry, &metadata) && !is_same(work_tree, (git_path, path, entry)) {
            let old = Some(Entry { mode: entry.mode.bits(), id: entry.id });
            let change = if entry.mode.bits() == LINK { "type_changed" } else { "modified" };
            found.differ.push(Changed { path: git_path.to_owned(), from: None, change, old, new: None });
        }
    }
}

impl Closed {
    fn hide(&mut self, path: &BStr, folder: BString) {
        self.paths.push(path.to_owned());
        self.folders.insert(folder);
    }
}

fn is_denied(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}

/// The file is what the index has, by the rules that the index has.
fn is_same(work_tree: &mut WorkTree<'_>, (git_path, path, entry): (&BStr, &RelPath, &IndexEntry)) -> bool {
    let stored = work_tree.stored(path, git_path, Some(entry.mode.bits()));
    stored.ok().flatten().is_some_and(|stored| {
        let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, &stored.bytes);
        stored.mode == entry.mode.bits() && id.is_ok_and(|id| id == entry.id)
    })
}

/// The file is as it was when the index learned of it.
fn is_remembered(entry: &IndexEntry, metadata: &Metadata) -> bool {
    let FileStat { changed, modified, inode, user, group, size, .. } = stat_of_link(metadata);
    let is = |noted: gix::index::entry::stat::Time, (seconds, nanoseconds): (i64, i64)| {
        i64::from(noted.secs) == seconds && (noted.nsecs == 0 || i64::from(noted.nsecs) == nanoseconds)
    };
    let noted = entry.stat;
    is(noted.mtime, modified)
        && is(noted.ctime, changed)
        && (noted.ino, noted.uid, noted.gid, noted.size) == (inode as u32, user, group, size as u32)
}

/// A line about folders that nobody could look into.
pub(super) fn note(call: &Call, repository: &Repository, folders: &[BString]) -> Option<String> {
    let shown: BTreeSet<String> = folders
        .iter()
        .filter_map(|folder| shown(repository, call, folder.as_bstr()))
        .map(|path| path.to_string())
        .collect();
    let named: Vec<&str> = shown.iter().take(NAMED).map(String::as_str).collect();
    (!shown.is_empty()).then(|| {
        format!(
            "{} not looked into, since this user may not read {}: `{}`{}",
            counted(shown.len(), "folder"),
            if shown.len() == 1 {
                "it, or the `.gitignore` in it"
            } else {
                "them, or a `.gitignore` in them"
            },
            named.join("`, `"),
            if named.len() < shown.len() { ", …" } else { "" },
        )
    })
}
