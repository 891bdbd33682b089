//! What one call stages, and what is said of all that it leaves alone.

use std::collections::BTreeSet;

use gix::bstr::{BString, ByteSlice as _};

use super::{
    shown,
    stage::{Item, Named, To},
};
use crate::{
    text::counted,
    tools::{Call, Code, ToolError},
    workspace::{
        repository::Repository,
        walk::{WalkKind, stat_walked},
    },
};

/// Paths that a warning names.
const NAMED: usize = 10;

/// Everything one call stages.
#[derive(Debug, Default)]
pub(super) struct Staging {
    pub(super) items: Vec<Item>,
    /// Paths the law left out of a folder.
    pub(super) blocked: u64,
    /// Repositories in the work tree, which are left alone.
    pub(super) repositories: Vec<String>,
    /// Submodules at another commit, which are left alone too.
    pub(super) submodules: Vec<String>,
    /// Paths outside of a sparse checkout, which are left alone as well.
    pub(super) outside: Vec<String>,
    /// What is to be said of what was not looked into, or was not meant.
    pub(super) notes: Vec<String>,
}

impl Staging {
    /// A file or link that took the place of a folder in which git has something blocked is not staged: that would have to go with it,
    /// and what is blocked is left alone.
    pub(super) fn leave_over_blocked(
        &mut self,
        (call, repository): (&Call, &Repository),
        paths: &[Named],
        index: &gix::index::State,
        wanted: &mut BTreeSet<BString>,
    ) -> Result<(), ToolError> {
        let why =
            "git has paths in a folder of this name that the configuration blocks, and they would go with it";
        let is_over = |git_path: &BString| {
            let folder = BString::from([git_path.as_slice(), b"/"].concat());
            let below = index.prefixed_entries(folder.as_bstr()).unwrap_or_default();
            if below.iter().all(|entry| shown(repository, call, entry.path(index)).is_some()) {
                return None;
            }
            let path = shown(repository, call, git_path.as_bstr())?;
            let found = stat_walked(call.workspace.handle(), &path);
            matches!(found, Ok(Some(WalkKind::File | WalkKind::Link))).then_some(path)
        };
        let over: Vec<_> = wanted.iter().filter_map(|path| Some((path.clone(), is_over(path)?))).collect();
        for (git_path, path) in over {
            if paths.iter().any(|(_, inside)| inside.as_slice() == git_path.as_slice()) {
                return Err(ToolError::new(
                    Code::BlockedPath,
                    format!("`{path}` cannot be staged: {why}"),
                    "the user can stage it with git itself; leave it out of `paths`",
                ));
            }
            self.notes.push(format!("`{path}` was left alone: {why}"));
            wanted.remove(&git_path);
        }
        Ok(())
    }

    /// Without what the index has already: `changed` tells of each item whether it changes something.
    pub(super) fn keep(&mut self, changed: &[bool]) {
        let mut changed = changed.iter();
        self.items.retain(|_| changed.next().copied().unwrap_or(true));
    }

    /// Adds what had to go from the index for what came: a file in whose place a folder stands now is deleted by the next commit, too.
    /// `before` and `after` are the paths of the index.
    pub(super) fn displaced(
        &mut self,
        call: &Call,
        repository: &Repository,
        before: &BTreeSet<Vec<u8>>,
        after: &BTreeSet<Vec<u8>>,
    ) {
        let meant: BTreeSet<Vec<u8>> =
            self.items.iter().map(|item| item.git_path.to_ascii_lowercase()).collect();
        // What is only spelled otherwise now has not gone.
        let gone = before.difference(after).filter(|path| !meant.contains(&path.to_ascii_lowercase()));
        for git_path in gone {
            let git_path = BString::from(git_path.as_slice());
            match shown(repository, call, git_path.as_bstr()) {
                Some(path) => self.items.push(Item { path, git_path, to: To::Nothing }),
                None => self.blocked += 1,
            }
        }
        // What is told as staged is there.
        self.items
            .retain(|item| !matches!(item.to, To::Content(_)) || after.contains(item.git_path.as_slice()));
        self.items.sort_by(|left, right| left.git_path.cmp(&right.git_path));
    }

    /// What is to be said of what was left alone, a line each.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = self.notes.clone();
        if self.blocked > 0 {
            warnings.push(format!("{} blocked by the configuration, left alone", self.blocked));
        }
        if !self.outside.is_empty() {
            let named: Vec<&str> = self.outside.iter().take(NAMED).map(String::as_str).collect();
            warnings.push(format!(
                "left alone, since outside of the sparse checkout: {} (`{}`{}); `git sparse-checkout add` would widen it",
                counted(self.outside.len(), "path"),
                named.join("`, `"),
                if named.len() < self.outside.len() { ", …" } else { "" },
            ));
        }
        warnings.extend(self.submodules.iter().map(|path| {
            format!(
                "the submodule `{path}` is at another commit and was left alone; the user can stage it with git itself"
            )
        }));
        let own = self.repositories.iter();
        warnings.extend(own.map(|path| format!("`{path}` is a repository of its own and was left alone")));
        warnings
    }
}
