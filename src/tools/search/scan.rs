//! Searches many files at once and answers in path order.
//!
//! One thread walks; searchers take runs of files from it. What is found is put together in the order of the walk, and all of it
//! stops as soon as the beginning of that order holds enough: a capped search is exact, repeatable, and does no more than it must.

use std::{
    collections::BTreeMap,
    io,
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
};

use cap_std::fs::Dir;
use grep_regex::RegexMatcher;
use grep_searcher::Searcher;

use super::{
    hits::{Collector, FileHits, Wanted},
    pattern::Pattern,
    stop::{Stop, Stoppable},
};
use crate::{limits, relpath::RelPath, workspace::walk::open_walked};

/// Files searched in one go: enough that passing them on costs nothing, few enough that a capped search stops early.
const RUN_FILES: usize = 16;
/// Runs found but not searched yet; more would only be memory.
const RUNS_WAITING: usize = 64;
/// What to search for in each file.
#[derive(Debug)]
pub(super) struct Job<'a> {
    pub(super) root: &'a Dir,
    pub(super) pattern: &'a Pattern,
    pub(super) matcher: &'a RegexMatcher,
    pub(super) wanted: Wanted,
    pub(super) context: usize,
    /// Searched instead of a file.
    pub(super) kept: Option<&'a str>,
    /// Stop once there are so many matches ([`Wanted::Lines`]) or matching files.
    pub(super) enough: usize,
}

/// Files that were not searched, or not to their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Skipped {
    pub(super) binary: u64,
    pub(super) too_large: u64,
    pub(super) unreadable: u64,
}

/// What a search found, in path order.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) files: Vec<(RelPath, FileHits)>,
    pub(super) skipped: Skipped,
    pub(super) matches: u64,
    /// Everything was searched.
    pub(super) complete: bool,
    /// Not everything was, because there is enough; else time was up.
    pub(super) enough: bool,
    /// The last file that was searched, when time ran out.
    pub(super) last: Option<RelPath>,
}

/// What became of one file.
enum Outcome {
    Searched(FileHits),
    TooLarge,
    Unreadable,
    Stopped,
}

type Run = (usize, Vec<RelPath>);
type RunDone = Vec<(RelPath, Outcome)>;

impl Job<'_> {
    /// Searches the files that a walk yields.
    pub(super) fn search(&self, files: &mut dyn Iterator<Item = RelPath>, stop: &Stop) -> Found {
        let first: Vec<RelPath> = (&mut *files).take(RUN_FILES).take_while(|_| !stop.is_due()).collect();
        let gathering = Mutex::new(Gathering::default());
        let mut searcher = self.pattern.searcher(self.context);
        let walked_all = if first.len() < RUN_FILES {
            // A handful of files is searched before threads would have started.
            self.search_run(&mut searcher, (0, first), stop, &gathering);
            !stop.is_due()
        } else {
            self.search_in_threads(first, files, stop, &gathering)
        };
        gathering.into_inner().unwrap_or_else(PoisonError::into_inner).end(walked_all)
    }

    /// Searches one file.
    pub(super) fn search_one(&self, path: RelPath, stop: &Stop) -> Found {
        let gathering = Mutex::new(Gathering::default());
        self.search_run(&mut self.pattern.searcher(self.context), (0, vec![path]), stop, &gathering);
        gathering.into_inner().unwrap_or_else(PoisonError::into_inner).end(true)
    }

    fn search_in_threads(
        &self,
        first: Vec<RelPath>,
        files: &mut dyn Iterator<Item = RelPath>,
        stop: &Stop,
        gathering: &Mutex<Gathering>,
    ) -> bool {
        let (sender, receiver) = sync_channel::<Run>(RUNS_WAITING);
        let receiver = Mutex::new(receiver);
        std::thread::scope(|scope| {
            let mut searchers = 0;
            let mut start_searcher = || {
                if searchers < self.pattern.searchers() {
                    searchers += 1;
                    scope.spawn(|| self.search_runs(&receiver, stop, gathering));
                }
            };
            let mut runs = vec![first].into_iter().chain(std::iter::from_fn(|| {
                let run: Vec<RelPath> = (&mut *files).take(RUN_FILES).collect();
                (!run.is_empty()).then_some(run)
            }));
            let walked_all = runs.by_ref().enumerate().all(|run| {
                start_searcher();
                !stop.is_due() && send(&sender, run, stop)
            });
            drop(sender);
            walked_all
        })
    }

    fn search_runs(&self, receiver: &Mutex<Receiver<Run>>, stop: &Stop, gathering: &Mutex<Gathering>) {
        let mut searcher = self.pattern.searcher(self.context);
        loop {
            let run = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(run) = run else { return };
            self.search_run(&mut searcher, run, stop, gathering);
        }
    }

    fn search_run(
        &self,
        searcher: &mut Searcher,
        (index, files): Run,
        stop: &Stop,
        gathering: &Mutex<Gathering>,
    ) {
        let done = files.into_iter().map(|path| {
            let outcome = self.search_file(searcher, &path, stop);
            (path, outcome)
        });
        let done: RunDone = done.collect();
        let mut gathering = gathering.lock().unwrap_or_else(PoisonError::into_inner);
        if gathering.add(index, done, self) {
            stop.enough();
        }
    }

    fn search_file(&self, searcher: &mut Searcher, path: &RelPath, stop: &Stop) -> Outcome {
        if stop.is_due() {
            return Outcome::Stopped;
        }
        if let Some(kept) = self.kept {
            return self.search_reader(searcher, kept.as_bytes(), stop);
        }
        let Ok((file, metadata)) = open_walked(self.root, path) else { return Outcome::Unreadable };
        if metadata.len() > limits::SCAN_BYTES {
            return Outcome::TooLarge;
        }
        self.search_reader(searcher, file, stop)
    }

    fn search_reader(&self, searcher: &mut Searcher, reader: impl io::Read, stop: &Stop) -> Outcome {
        let mut collector =
            Collector { matcher: self.matcher, wanted: self.wanted, hits: FileHits::default() };
        match searcher.search_reader(self.matcher, Stoppable { inner: reader, stop }, &mut collector) {
            Ok(()) => Outcome::Searched(collector.hits),
            Err(_) if stop.is_due() => Outcome::Stopped,
            Err(error) if is_over_heap_limit(&error) => Outcome::TooLarge,
            Err(_) => Outcome::Unreadable,
        }
    }
}

/// Passes a run on, looking now and then whether there is still a point.
fn send(sender: &SyncSender<Run>, mut run: Run, stop: &Stop) -> bool {
    loop {
        match sender.try_send(run) {
            Ok(()) => return true,
            Err(std::sync::mpsc::TrySendError::Disconnected(_)) => return false,
            Err(std::sync::mpsc::TrySendError::Full(back)) => {
                if stop.is_due() {
                    return false;
                }
                run = back;
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
        }
    }
}

/// The searcher gives up on files that do not fit its heap limit, with an error of no kind of its own.
fn is_over_heap_limit(error: &io::Error) -> bool {
    error.to_string().contains("heap limit")
}

/// Puts runs together in the order of the walk.
#[derive(Default)]
struct Gathering {
    found: Found,
    next: usize,
    early: BTreeMap<usize, RunDone>,
    stopped: bool,
}

impl Gathering {
    /// Takes a run; true once the beginning of the order holds enough.
    fn add(&mut self, index: usize, done: RunDone, job: &Job<'_>) -> bool {
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
    fn end(mut self, walked_all: bool) -> Found {
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
                self.found.last = Some(path.clone());
                if hits.matches == 0 {
                    return;
                }
                self.found.matches += hits.matches;
                self.found.files.push((path, hits));
                let have = match job.wanted {
                    Wanted::Lines(_) => self.found.matches as usize,
                    Wanted::Presence | Wanted::Count => self.found.files.len(),
                };
                self.found.enough = have >= job.enough;
            }
            Outcome::TooLarge => self.found.skipped.too_large += 1,
            Outcome::Unreadable => self.found.skipped.unreadable += 1,
            // What comes after a file that was not searched to its end is not the beginning of the order any more.
            Outcome::Stopped => self.stopped = true,
        }
    }
}
