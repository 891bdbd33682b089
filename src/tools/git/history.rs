//! Walks commits newest first, as `git log` does: by commit date, and with a path only along the parents that matter.
//!
//! With a path, a merge that has the path as one of its parents had it leads on to that parent alone; this is git's default
//! simplification.

use std::{cmp::Reverse, collections::BinaryHeap, collections::HashSet};

use gix::ObjectId;

use super::{
    apart::{Apart, Side},
    between::entry_at,
    changes::Entry,
    lookup::{Found, Lookup},
    revision::Selected,
};
use crate::{
    tools::{Call, ToolError},
    workspace::repository::Repository,
};

/// One commit of the walk.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) id: ObjectId,
    pub(super) tree: ObjectId,
    pub(super) parents: Vec<ObjectId>,
    /// The committer's, in seconds.
    pub(super) time: i64,
    /// It changes the path, or there is no path.
    pub(super) counts: bool,
}

/// The walk.
pub(super) struct History<'a> {
    reader: &'a gix::Repository,
    lookup: Lookup<'a>,
    queue: BinaryHeap<Waiting>,
    seen: HashSet<ObjectId>,
    /// All there is to see, where the history is a part of one.
    within: Option<HashSet<ObjectId>>,
    path: Vec<u8>,
    since: Option<i64>,
    inserted: u64,
    /// Where the walk came to the end of a shallow clone.
    cut_at: Option<ObjectId>,
}

/// A commit that was seen but not walked yet: the newest first, of equally old ones the one that was seen first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    time: i64,
    order: Reverse<u64>,
    id: ObjectId,
    tree: ObjectId,
    parents: Vec<ObjectId>,
    /// What stands at the path, where a child has looked already.
    at_path: AtPath,
}

/// What stands at the path of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum AtPath {
    /// Nobody has looked.
    Unknown,
    /// This, or nothing.
    Known(Option<(u32, ObjectId)>),
}

impl<'a> History<'a> {
    /// A walk over `selected`. A path that is not empty leaves out what does not change it; `since` ends each line of history
    /// at the first older commit.
    pub(super) fn new(
        (call, repository): (&Call, &Repository),
        reader: &'a gix::Repository,
        selected: &Selected,
        (path, since): (&[u8], Option<i64>),
    ) -> Result<Self, ToolError> {
        let within = if selected.hidden.is_empty() {
            None
        } else {
            let sides = (selected.hidden.as_slice(), selected.tips.as_slice());
            let apart = Apart::new((call, repository), reader, sides, Side::RIGHT)?;
            Some(apart.only(Side::RIGHT).collect())
        };
        let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
        let mut history = Self {
            reader,
            lookup: Lookup::new(reader).map_err(broken)?,
            queue: BinaryHeap::new(),
            seen: HashSet::new(),
            within,
            path: path.to_vec(),
            since,
            inserted: 0,
            cut_at: None,
        };
        for tip in &selected.tips {
            history.wait(*tip, AtPath::Unknown).map_err(broken)?;
        }
        Ok(history)
    }

    /// The first commit that the walk came to whose parents are not here, because the clone is shallow.
    pub(super) fn cut_at(&self) -> Option<ObjectId> {
        self.cut_at
    }

    /// The next commit; `None` at the end.
    pub(super) fn next(&mut self) -> gix::Result<Option<Step>> {
        let Some(waiting) = self.queue.pop() else { return Ok(None) };
        let Waiting { id, tree, parents, time, at_path, .. } = waiting;
        if self.cut_at.is_none() && self.lookup.begins_at(id) {
            self.cut_at = Some(id);
        }
        let mut counts = true;
        if self.path.is_empty() {
            for parent in &parents {
                self.wait(*parent, AtPath::Unknown)?;
            }
        } else {
            counts = self.follow(tree, &parents, at_path)?;
        }
        Ok(Some(Step { id, tree, parents, time, counts }))
    }

    /// Goes on to the parents that matter for the path; true when the commit changes it.
    fn follow(&mut self, tree: ObjectId, parents: &[ObjectId], at_path: AtPath) -> gix::Result<bool> {
        let here = match at_path {
            AtPath::Known(here) => here,
            AtPath::Unknown => self.look(tree)?,
        };
        if parents.is_empty() {
            return Ok(here.is_some());
        }
        let mut before = Vec::with_capacity(parents.len());
        for parent in parents {
            let parent_tree = self.lookup.find(*parent)?.tree;
            let there = if parent_tree == tree { here } else { self.look(parent_tree)? };
            if there == here {
                self.wait(*parent, AtPath::Known(there))?;
                return Ok(false);
            }
            before.push(there);
        }
        for (parent, there) in parents.iter().zip(before) {
            self.wait(*parent, AtPath::Known(there))?;
        }
        Ok(true)
    }

    fn look(&self, tree: ObjectId) -> gix::Result<Option<(u32, ObjectId)>> {
        let found = entry_at(self.reader, tree, &self.path)?;
        Ok(found.map(|Entry { mode, id }| (mode, id)))
    }

    /// Queues a commit, unless it was seen, lies outside, or is too old.
    fn wait(&mut self, id: ObjectId, at_path: AtPath) -> gix::Result<()> {
        if self.within.as_ref().is_some_and(|within| !within.contains(&id)) || !self.seen.insert(id) {
            return Ok(());
        }
        let Found { time, tree, parents, .. } = self.lookup.find(id)?;
        if self.since.is_some_and(|since| time < since) {
            return Ok(());
        }
        self.inserted += 1;
        self.queue.push(Waiting { time, order: Reverse(self.inserted), id, tree, parents, at_path });
        Ok(())
    }
}
