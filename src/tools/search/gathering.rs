//! Puts what the searchers found together in the order of the walk, and keeps no more of it than the answer needs.

use std::collections::BTreeMap;

use super::{
    hits::{FileHits, Wanted},
    scan::Job,
};
use crate::relpath::RelPath;

/// Files that were not searched, or not to their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Skipped {
    pub(super) binary: u64,
    pub(super) too_large: u64,
    pub(super) unreadable: u64,
    /// Of those that are binary: searched up to a NUL behind text.
    pub(super) left_in_text: u64,
}

impl Skipped {
    /// Something that a reader would take for text was not searched to its end.
    pub(super) fn any_text(&self) -> bool {
        self.too_large + self.unreadable + self.left_in_text > 0
    }
}

/// What a search found, in the order of the walk.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The files that the answer is about, as far as one answer goes.
    pub(super) files: Vec<(RelPath, FileHits)>,
    /// Matches ([`Wanted::Lines`]) or files in front of those, which nobody asked for.
    pub(super) passed: usize,
    pub(super) skipped: Skipped,
    pub(super) matches: u64,
    /// Files with a match.
    pub(super) files_matched: u64,
    /// Everything was searched.
    pub(super) complete: bool,
    /// Not everything was, because there is enough; else time was up.
    pub(super) enough: bool,
    /// The last file that was searched, when time ran out.
    pub(super) last: Option<RelPath>,
}

impl Found {
    /// The files from this one on are more than one answer takes.
    pub(super) fn end_before(&mut self, file: usize) {
        self.files.truncate(file);
        (self.enough, self.complete) = (true, false);
    }
}

/// What became of one file.
pub(super) enum Outcome {
    Searched(FileHits),
    TooLarge,
    Unreadable,
    Stopped,
}

pub(super) type RunDone = Vec<(RelPath, Outcome)>;

/// Puts runs together in the order of the walk.
#[derive(Default)]
pub(super) struct Gathering {
    found: Found,
    next: usize,
    early: BTreeMap<usize, RunDone>,
    stopped: bool,
    /// What the files take that are kept.
    bytes: usize,
}

impl Gathering {
    /// Takes a run; true once the beginning of the order holds enough.
    pub(super) fn add(&mut self, index: usize, done: RunDone, job: &Job<'_>) -> bool {
        self.early.insert(index, done);
        while let Some(done) = self.early.remove(&self.next) {
            self.next += 1;
            for (path, outcome) in done {
                self.take(path, outcome, job);
            }
        }
        self.found.enough
    }

    /// What was found, once nobody adds any more.
    pub(super) fn end(mut self, walked_all: bool) -> Found {
        self.found.complete = walked_all && !self.stopped && !self.found.enough;
        self.found
    }

    fn take(&mut self, path: RelPath, outcome: Outcome, job: &Job<'_>) {
        if self.found.enough || self.stopped {
            return;
        }
        match outcome {
            Outcome::Searched(hits) => {
                self.found.skipped.binary += u64::from(hits.binary);
                self.found.skipped.left_in_text += u64::from(hits.left_in_text);
                self.found.last = Some(path.clone());
                if hits.matches > 0 {
                    self.take_hits(path, hits, job);
                }
            }
            Outcome::TooLarge => self.found.skipped.too_large += 1,
            Outcome::Unreadable => self.found.skipped.unreadable += 1,
            // What comes after a file that was not searched to its end is not the beginning of the order any more.
            Outcome::Stopped => self.stopped = true,
        }
    }

    fn take_hits(&mut self, path: RelPath, hits: FileHits, job: &Job<'_>) {
        let found = &mut self.found;
        if self.bytes >= job.page_bytes {
            found.enough = true;
            return;
        }
        found.matches += hits.matches;
        found.files_matched += 1;
        let have = match job.wanted {
            Wanted::Lines(_) => found.matches as usize,
            Wanted::Presence | Wanted::Count => found.files_matched as usize,
        };
        found.enough = have >= job.enough || hits.cut;
        if have <= job.offset {
            found.passed = have;
            return;
        }
        self.bytes += hits.bytes.max(of_path(&path));
        found.files.push((path, hits));
    }
}

/// Bytes that a path takes in an answer, once in its text and once in its facts.
pub(super) fn of_path(path: &RelPath) -> usize {
    2 * path.as_path().as_os_str().len() + 64
}
