//! Which commits only one of two sides has, whatever the commits' dates say.
//!
//! Both histories are painted downwards, newest first, until all that waits is of both. Dates alone do not prove that none of
//! it leads to a commit that is still of one side, so the walk goes on until that cannot be: by the commit-graph's generations,
//! or because all that waits lies behind every such commit, and nothing leads back to what it came from.

use std::collections::{BinaryHeap, HashMap, HashSet, hash_map::Entry};

use gix::ObjectId;

use super::lookup::{Found, Lookup};
use crate::{
    tools::{Call, ToolError},
    workspace::repository::Repository,
};

/// Ends of the sides that are followed at the same time, as bits.
const ENDS: usize = u128::BITS as usize;

/// A side that a commit may be of; of both is all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side(u8);

impl Side {
    pub(super) const LEFT: Self = Self(1);
    pub(super) const RIGHT: Self = Self(2);
    pub(super) const BOTH: Self = Self(3);
}

/// The commits that were seen.
pub(super) struct Apart<'a> {
    call: &'a Call,
    repository: &'a Repository,
    lookup: Lookup<'a>,
    seen: Vec<Seen>,
    places: HashMap<ObjectId, u32>,
    /// What was seen and not walked, the newest first.
    waiting: BinaryHeap<Waiting>,
    /// Of those, the ones of one side.
    open: usize,
    /// Of those, the ones that may lead to a commit of one side.
    doubtful: usize,
    /// What makes one of them harmless: to lie behind all these ends, or this generation.
    all_ends: u128,
    generation: u32,
    /// A commit that was walked as one side's became both's.
    repainted: bool,
}

struct Seen {
    id: ObjectId,
    time: i64,
    /// `None` outside of the commit-graph.
    generation: Option<u32>,
    side: Side,
    /// The ends that it lies behind.
    ends: u128,
    /// `None` until it was walked.
    parents: Option<Box<[u32]>>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    time: i64,
    place: u32,
    parents: Vec<ObjectId>,
}

/// How many commits only `left` has, and how many only `right`.
pub(super) fn ahead_behind(
    call: &Call,
    repository: &Repository,
    (left, right): (git2::Oid, git2::Oid),
) -> Result<(usize, usize), ToolError> {
    if left == right {
        return Ok((0, 0));
    }
    let reader = repository.history()?;
    let [left, right] = [left, right].map(|id| [ObjectId::from_bytes_or_panic(id.as_bytes())]);
    let apart = Apart::new((call, repository), &reader, (&left, &right), Side::BOTH)?;
    Ok((apart.only(Side::LEFT).count(), apart.only(Side::RIGHT).count()))
}

impl<'a> Apart<'a> {
    /// Tells `left` and `right` from each other, as far as the commits of `wanted` alone are concerned.
    pub(super) fn new(
        (call, repository): (&'a Call, &'a Repository),
        reader: &'a gix::Repository,
        (left, right): (&[ObjectId], &[ObjectId]),
        wanted: Side,
    ) -> Result<Self, ToolError> {
        let mut apart = Self {
            call,
            repository,
            lookup: Lookup::new(reader).map_err(|error| repository.broken(&error))?,
            seen: Vec::new(),
            places: HashMap::new(),
            waiting: BinaryHeap::new(),
            open: 0,
            doubtful: 0,
            all_ends: 0,
            generation: 0,
            repainted: false,
        };
        for (tips, side) in [(left, Side::LEFT), (right, Side::RIGHT)] {
            for tip in tips {
                let place = apart.see(*tip, side, 0)?;
                apart.paint(place, side);
            }
        }
        while apart.open > 0 {
            apart.walk_one()?;
        }
        while !apart.has_settled(wanted)? {}
        Ok(apart)
    }

    /// The commits of `side` alone.
    pub(super) fn only(&self, side: Side) -> impl Iterator<Item = ObjectId> {
        self.seen.iter().filter(move |seen| seen.side == side).map(|seen| seen.id)
    }

    /// Walks on until nothing that waits leads to a commit that was of one side at the beginning; true when all of them still are.
    fn has_settled(&mut self, wanted: Side) -> Result<bool, ToolError> {
        self.repainted = false;
        let of_one = |seen: &&Seen| seen.side != Side::BOTH && seen.side.0 & wanted.0 != 0;
        // What is in the commit-graph has all its history there: nothing in it leads to what is not.
        let generations = self.seen.iter().filter(of_one).filter_map(|seen| seen.generation);
        self.generation = generations.min().unwrap_or(u32::MAX);
        // Whatever leads to a commit of one side leads to an end of it. Ends on the same commits are one.
        let ends = self.seen.iter().filter(of_one).filter_map(|seen| {
            let parents = seen.parents.as_deref().unwrap_or_default();
            let is_end = parents.iter().all(|parent| self.at(*parent).is_none_or(|at| at.side == Side::BOTH));
            is_end.then(|| parents.into())
        });
        let ends: Vec<Box<[u32]>> = ends.collect::<HashSet<_>>().into_iter().collect();
        for ends in ends.chunks(ENDS) {
            self.all_ends = u128::MAX >> (ENDS - ends.len());
            self.seen.iter_mut().for_each(|seen| seen.ends = 0);
            let mut below = BinaryHeap::new();
            for (bit, parents) in ends.iter().enumerate() {
                for parent in parents {
                    if let Some(seen) = self.seen.get_mut(*parent as usize) {
                        seen.ends |= 1 << bit;
                        below.push((seen.time, *parent));
                    }
                }
            }
            let waiting = self.waiting.iter().filter_map(|waiting| self.at(waiting.place));
            self.doubtful = waiting.filter(|seen| self.is_doubtful(seen)).count();
            self.pass_on(below);
            while self.doubtful > 0 {
                self.walk_one()?;
            }
        }
        self.all_ends = 0;
        Ok(!self.repainted)
    }

    fn at(&self, place: u32) -> Option<&Seen> {
        self.seen.get(place as usize)
    }

    fn is_doubtful(&self, seen: &Seen) -> bool {
        let lies_behind = seen.ends & self.all_ends == self.all_ends;
        // 0 is not computed, and a number at the end of its range may stand for a larger one.
        let is_below = seen.generation.is_some_and(|generation| {
            (1..gix::commitgraph::GENERATION_NUMBER_MAX).contains(&generation)
                && generation <= self.generation
        });
        !lies_behind && !is_below
    }

    /// Walks the newest commit that waits.
    fn walk_one(&mut self) -> Result<(), ToolError> {
        let Some(Waiting { place, parents, .. }) = self.waiting.pop() else {
            (self.open, self.doubtful) = (0, 0);
            return Ok(());
        };
        self.call.check_cancelled()?;
        let Some(seen) = self.at(place) else { return Ok(()) };
        let (side, ends, is_doubtful) = (seen.side, seen.ends, self.is_doubtful(seen));
        self.open -= usize::from(side != Side::BOTH);
        self.doubtful -= usize::from(is_doubtful);
        let mut places = Vec::with_capacity(parents.len());
        for parent in parents {
            places.push(self.see(parent, side, ends)?);
        }
        let below = places.clone();
        if let Some(seen) = self.seen.get_mut(place as usize) {
            seen.parents = Some(places.into());
        }
        for parent in below {
            self.paint(parent, side);
        }
        if ends != 0 {
            self.pass_on([(i64::MAX, place)].into());
        }
        Ok(())
    }

    /// The place of a commit; a new one waits from now on.
    fn see(&mut self, id: ObjectId, side: Side, ends: u128) -> Result<u32, ToolError> {
        let place = self.seen.len() as u32;
        match self.places.entry(id) {
            Entry::Occupied(known) => return Ok(*known.get()),
            Entry::Vacant(new) => new.insert(place),
        };
        let found = self.lookup.find(id).map_err(|error| self.repository.broken(&error))?;
        let Found { time, parents, generation, .. } = found;
        let seen = Seen { id, time, generation, side, ends, parents: None };
        self.open += usize::from(side != Side::BOTH);
        self.doubtful += usize::from(self.is_doubtful(&seen));
        self.seen.push(seen);
        self.waiting.push(Waiting { time, place, parents });
        Ok(place)
    }

    /// Gives a commit a side, and all that was walked below it.
    fn paint(&mut self, place: u32, side: Side) {
        let mut below = vec![place];
        while let Some(place) = below.pop() {
            let Some(seen) = self.seen.get_mut(place as usize) else { continue };
            if seen.side.0 & side.0 == side.0 {
                continue;
            }
            seen.side = Side::BOTH;
            match &seen.parents {
                Some(parents) => {
                    self.repainted = true;
                    below.extend(parents);
                }
                None => self.open -= 1,
            }
        }
    }

    /// Passes on what the commits lie behind to all that was walked below them.
    fn pass_on(&mut self, mut from: BinaryHeap<(i64, u32)>) {
        while let Some((_, place)) = from.pop() {
            let Some(Seen { ends, parents: Some(parents), .. }) = self.at(place) else { continue };
            let (ends, parents) = (*ends, parents.clone());
            for parent in parents {
                let Some(seen) = self.at(parent).filter(|seen| ends & !seen.ends != 0) else { continue };
                let (time, was_doubtful) = (seen.time, seen.parents.is_none() && self.is_doubtful(seen));
                if let Some(seen) = self.seen.get_mut(parent as usize) {
                    seen.ends |= ends;
                }
                let is_doubtful = self.at(parent).is_some_and(|seen| self.is_doubtful(seen));
                self.doubtful -= usize::from(was_doubtful && !is_doubtful);
                from.push((time, parent));
            }
        }
    }
}
