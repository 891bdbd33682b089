//! What one call stages, and what is said of all that it leaves alone.

use super::stage::Item;
use crate::text::counted;

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
    /// Without what the index has already: `changed` tells of each item whether it changes something.
    pub(super) fn keep(&mut self, changed: &[bool]) {
        let mut changed = changed.iter();
        self.items.retain(|_| changed.next().copied().unwrap_or(true));
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
