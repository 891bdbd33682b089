//! Which commits add or remove a text: `git log -S`. Files that the configuration blocks are not looked into, nor those that are
//! named as if they held a secret: nobody is asked here.

use gix::bstr::{BString, ByteSlice};

use super::{
    between::between,
    changes::{Changed, Entry},
    history::Step,
    lies_in, revision, shown,
    side::{self, SUBMODULE},
};
use crate::{
    tools::{Call, ToolError},
    workspace::repository::Repository,
};

/// Where it is looked for.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) call: &'a Call,
    pub(super) repository: &'a Repository,
    pub(super) reader: &'a gix::Repository,
    pub(super) folder: &'a [u8],
}

impl Scope<'_> {
    /// True when a file of the commit holds `needle` more or fewer times than before. Merges never do, as for git.
    pub(super) fn touches(&self, step: &Step, needle: &[u8]) -> Result<bool, ToolError> {
        if step.parents.len() > 1 {
            return Ok(false);
        }
        let broken = |error: gix::Error| ToolError::from(self.repository.broken(&error));
        let before = step.parents.first().map(|parent| revision::tree_of(self.reader, *parent));
        let before = before.transpose().map_err(broken)?;
        let (mut came, mut went) = (Vec::new(), Vec::new());
        for changed in self.between(before, step, false)? {
            self.call.check_cancelled()?;
            let Some((old, new)) = self.counts(&changed, needle)? else { continue };
            match (changed.old.is_some(), changed.new.is_some()) {
                (true, true) if old != new => return Ok(true),
                (false, _) if new > 0 => came.push(changed.path),
                (_, false) if old > 0 => went.push(changed.path),
                _ => {}
            }
        }
        if came.is_empty() || went.is_empty() {
            return Ok(!came.is_empty() || !went.is_empty());
        }
        // Perhaps it only moved: with renames the pairs tell.
        self.with_renames(before, step, needle, &came, &went)
    }

    fn between(
        &self,
        before: Option<gix::ObjectId>,
        step: &Step,
        renames: bool,
    ) -> Result<Vec<Changed>, ToolError> {
        between((self.call, self.repository), self.reader, (before, Some(step.tree)), renames)
    }

    fn with_renames(
        &self,
        before: Option<gix::ObjectId>,
        step: &Step,
        needle: &[u8],
        came: &[BString],
        went: &[BString],
    ) -> Result<bool, ToolError> {
        for changed in self.between(before, step, true)? {
            let concerns = came.contains(&changed.path)
                || went.contains(&changed.path)
                || changed.from.as_ref().is_some_and(|from| went.contains(from));
            if concerns && self.counts(&changed, needle)?.is_some_and(|(old, new)| old != new) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How often before and after; `None` for what is not looked at.
    fn counts(&self, changed: &Changed, needle: &[u8]) -> Result<Option<(usize, usize)>, ToolError> {
        let names = [Some(&changed.path), changed.from.as_ref()];
        let mut names = names.into_iter().flatten();
        let rules = self.call.workspace.rules();
        let is_closed = |path: &BString| {
            let path = shown(self.repository, self.call, path.as_bstr());
            path.is_none_or(|path| rules.looks_secret(&path.to_slashed()))
        };
        if !names.clone().any(|path| lies_in(path, self.folder)) || names.any(is_closed) {
            return Ok(None);
        }
        let count = |entry: Option<Entry>| match entry {
            Some(entry) if entry.mode != SUBMODULE => {
                let bytes = side::object(self.repository, self.reader, entry)?;
                Ok::<_, ToolError>(bytes.find_iter(needle).count())
            }
            _ => Ok(0),
        };
        Ok(Some((count(changed.old)?, count(changed.new)?)))
    }
}
