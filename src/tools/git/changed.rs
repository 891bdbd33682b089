//! What a comparison found: paths that differ, told in git's words, each list in its order.

use gix::{
    ObjectId,
    bstr::{BString, ByteSlice},
    status::{index_worktree, plumbing::index_as_worktree as worktree},
};

use super::{closed, side::EXECUTABLE};
use crate::{
    text::{counted, visible},
    tools::Call,
    workspace::{
        repository::Repository,
        walk::{WalkKind, stat_walked},
    },
};

/// How much is shown of a path that no system takes.
pub(super) const SHOWN_CHARACTERS: usize = 80;

/// What a path is in a tree or in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) mode: u32,
    pub(super) id: ObjectId,
}

/// One path that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) path: BString,
    /// Where it was before, for renames and copies.
    pub(super) from: Option<BString>,
    /// `added`, `modified`, `deleted`, `renamed`, `copied`, `type_changed`.
    pub(super) change: &'static str,
    pub(super) old: Option<Entry>,
    /// What it is now; `None` when it is gone, or is in the work tree.
    pub(super) new: Option<Entry>,
}

/// Everything that differs, each list in path order.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    pub(super) staged: Vec<Changed>,
    pub(super) unstaged: Vec<Changed>,
    /// The path, with `/` at the end of folders, and whether it is a repository of its own.
    pub(super) untracked: Vec<(BString, bool)>,
    pub(super) conflicted: Vec<(BString, &'static str)>,
    /// Untracked folders that lie deeper than the system takes: not looked into.
    pub(super) too_deep: Vec<BString>,
    /// Folders that the user may not look into.
    pub(super) closed: Vec<BString>,
    /// The index names submodules; [`super::submodules`] looks into them.
    pub(super) has_submodules: bool,
}

impl Changes {
    pub(super) fn take(&mut self, item: index_worktree::Item) {
        match item {
            index_worktree::Item::Modification { entry, rela_path, status, .. } => {
                let change = match status {
                    worktree::EntryStatus::Conflict { summary, .. } => {
                        self.conflicted.push((rela_path, conflict(summary)));
                        return;
                    }
                    worktree::EntryStatus::Change(worktree::Change::Removed) => "deleted",
                    worktree::EntryStatus::Change(worktree::Change::Type { .. }) => "type_changed",
                    worktree::EntryStatus::Change(_) => "modified",
                    worktree::EntryStatus::IntentToAdd => "added",
                    worktree::EntryStatus::NeedsUpdate(_) => return,
                };
                let old = (change != "added").then_some(Entry { mode: entry.mode.bits(), id: entry.id });
                self.unstaged.push(Changed { path: rela_path, from: None, change, old, new: None });
            }
            // Untracked files are looked for beside it, and renames to them not at all.
            index_worktree::Item::DirectoryContents { .. } | index_worktree::Item::Rewrite { .. } => {}
        }
    }

    /// An executable that became a link comes from gix as modified only.
    pub(super) fn correct_types(&mut self, repository: &Repository, call: &Call) {
        for changed in &mut self.unstaged {
            let was_executable = changed.old.is_some_and(|old| old.mode == EXECUTABLE);
            if was_executable
                && changed.change == "modified"
                && let Some(path) = repository.in_workspace(changed.path.as_bstr())
                && matches!(stat_walked(call.workspace.handle(), &path), Ok(Some(WalkKind::Link)))
            {
                changed.change = "type_changed";
            }
        }
    }

    /// The library walks by names: where a folder was swapped for a link meanwhile, it has listed what lies outside. Only what is
    /// there by the plain way is told, and no FIFO, socket or device: those are nothing to git.
    pub(super) fn forget_vanished(&mut self, repository: &Repository, call: &Call) {
        self.untracked.retain(|(path, _)| {
            let path = repository.in_workspace(path.as_bstr());
            path.is_none_or(|path| {
                let kind = stat_walked(call.workspace.handle(), &path);
                matches!(kind, Ok(Some(kind)) if kind != WalkKind::Other)
            })
        });
    }

    /// Lines about the folders that were not looked into.
    pub(super) fn notes(&self, repository: &Repository, call: &Call) -> Vec<String> {
        let closed = closed::note(call, repository, &self.closed);
        self.note_too_deep().into_iter().chain(closed).collect()
    }

    fn note_too_deep(&self) -> Option<String> {
        let first = self.too_deep.first()?;
        let start: String = first.to_str_lossy().chars().take(SHOWN_CHARACTERS).collect();
        Some(format!(
            "{} with a path that is longer than the system takes, beginning with `{}…`, {} not looked into; git passes over {} too",
            counted(self.too_deep.len(), "folder"),
            visible(&start),
            if self.too_deep.len() == 1 { "was" } else { "were" },
            if self.too_deep.len() == 1 { "it" } else { "them" },
        ))
    }

    pub(super) fn finish(&mut self, unstaged: bool) {
        if !unstaged {
            self.unstaged.clear();
        }
        let conflicted = &self.conflicted;
        self.staged.retain(|changed| !conflicted.iter().any(|(path, _)| *path == changed.path));
        self.staged.sort_by(|left, right| left.path.cmp(&right.path));
        self.unstaged.sort_by(|left, right| left.path.cmp(&right.path));
        self.untracked.sort();
        self.conflicted.sort();
        self.untracked.dedup();
    }

    /// Keeps those that have to do with one of `folders`.
    pub(super) fn keep_closed_in(&mut self, folders: &[Vec<u8>]) {
        let meets = |one: &[u8], other: &[u8]| super::lies_in(one, other) || super::lies_in(other, one);
        self.closed.retain(|closed| folders.iter().any(|folder| meets(closed, folder)));
    }

    /// Keeps what lies in one of `folders` (or is one); nothing is left out when there are none.
    pub(super) fn keep_in(&mut self, folders: &[Vec<u8>]) {
        if folders.is_empty() {
            return;
        }
        let lies = |path: &BString| {
            let path = path.trim_end_with(|character| character == '/');
            folders.iter().any(|folder| super::lies_in(path, folder))
        };
        self.staged.retain(|changed| lies(&changed.path) || changed.from.as_ref().is_some_and(lies));
        self.unstaged.retain(|changed| lies(&changed.path));
        self.untracked.retain(|(path, _)| lies(path));
        self.conflicted.retain(|(path, _)| lies(path));
        self.keep_closed_in(folders);
    }
}

/// A path that the index has otherwise than a tree.
pub(super) fn staged(change: &gix::diff::index::Change) -> Changed {
    use gix::diff::index::ChangeRef;
    let entry =
        |mode: gix::index::entry::Mode, id: &gix::oid| Some(Entry { mode: mode.bits(), id: id.to_owned() });
    match change {
        ChangeRef::Deletion { location, entry_mode, id, .. } => Changed {
            path: location.to_vec().into(),
            from: None,
            change: "deleted",
            old: entry(*entry_mode, id),
            new: None,
        },
        ChangeRef::Modification { location, previous_entry_mode, previous_id, entry_mode, id, .. } => {
            Changed {
                path: location.to_vec().into(),
                from: None,
                change: modified(previous_entry_mode.bits(), entry_mode.bits()),
                old: entry(*previous_entry_mode, previous_id),
                new: entry(*entry_mode, id),
            }
        }
        // Renames are looked for afterwards.
        ChangeRef::Addition { location, entry_mode, id, .. }
        | ChangeRef::Rewrite { location, entry_mode, id, .. } => Changed {
            path: location.to_vec().into(),
            from: None,
            change: "added",
            old: None,
            new: entry(*entry_mode, id),
        },
    }
}

/// A file that became a link, or the other way round, is another thing.
pub(super) fn modified(old: u32, new: u32) -> &'static str {
    const KIND: u32 = 0o170_000;
    if old & KIND == new & KIND { "modified" } else { "type_changed" }
}

fn conflict(summary: worktree::Conflict) -> &'static str {
    use worktree::Conflict;
    match summary {
        Conflict::BothDeleted => "both_deleted",
        Conflict::AddedByUs => "added_by_us",
        Conflict::DeletedByThem => "deleted_by_them",
        Conflict::AddedByThem => "added_by_them",
        Conflict::DeletedByUs => "deleted_by_us",
        Conflict::BothAdded => "both_added",
        Conflict::BothModified => "both_modified",
    }
}
