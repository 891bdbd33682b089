//! Searches many files at once and answers in the order of the walk.
//!
//! One thread walks; searchers take runs of files from it. What is found is put together in the order of the walk, and all of it
//! stops as soon as the beginning of that order holds enough: a capped search is exact, repeatable, and does no more than it must.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    sync::{Arc, Mutex, PoisonError},
};

use cap_std::fs::Dir;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher};

use super::{
    decoded::{Decoded, legacy_of},
    feed::{Feed, Kind},
    gathering::{Found, Gathering, Outcome, RunDone, of_path},
    hits::{Collector, FileHits, Wanted},
    long_lines::LongLine,
    pattern::Pattern,
    room::Room,
    runs::{self, Closing, FIRST_FILES, Run, Runs},
    stop::{Stop, Stoppable},
    utf8_watch::Utf8Watch,
};
use crate::{
    limits,
    relpath::RelPath,
    tools::fs::{
        script::Units,
        text_file::{Encoding, SNIFFED, TextFile},
    },
    workspace::walk::open_walked,
};

/// A file up to this size is read in one go. Others are read piece by piece: each searcher has room for one of these.
const WHOLE_BYTES: u64 = 256 * 1024;

/// What to search for in each file.
#[derive(Clone, Debug)]
pub(super) struct Job<'a> {
    pub(super) root: &'a Dir,
    pub(super) pattern: &'a Pattern,
    pub(super) matcher: &'a RegexMatcher,
    /// [`Pattern::is_plain`], asked once.
    pub(super) is_plain: bool,
    pub(super) wanted: Wanted,
    pub(super) context: usize,
    /// Searched instead of a file.
    pub(super) kept: Option<&'a str>,
    /// Larger files are left out.
    pub(super) largest: u64,
    /// Matches ([`Wanted::Lines`]) or matching files that are not wanted, in front of all others.
    pub(super) offset: usize,
    /// Stop once there are so many of them.
    pub(super) enough: usize,
    /// Matches of each file whose lines are not kept, in front of all others.
    pub(super) skip: usize,
    /// Bytes of lines after which a file is searched no further.
    pub(super) most_bytes: usize,
    /// Bytes of one answer.
    pub(super) page_bytes: usize,
    /// What the searchers may hold.
    pub(super) room: Arc<Room>,
}

/// What one thread searches with.
struct Worker {
    searcher: Searcher,
    /// The file that is searched, where it is held as a whole.
    bytes: Vec<u8>,
    asked: u32,
    /// What each match takes beside its lines.
    each: usize,
}

impl Worker {
    fn of(job: &Job<'_>) -> Self {
        let searcher = job.pattern.searcher(job.matcher, job.context);
        Self { searcher, bytes: Vec::new(), asked: 0, each: 0 }
    }

    /// Reads a file of `size` bytes, with one system call where `read_to_end` would make three. `None` where it has to be read
    /// piece by piece: it is not what it was a moment ago, or begins in an encoding that has to be translated. Else its bytes up to
    /// the first NUL, and whether there is one.
    fn read(&mut self, mut file: &File, size: usize) -> io::Result<Option<(usize, bool)>> {
        if self.bytes.len() <= size {
            self.bytes.resize((size + 1).next_power_of_two().max(16 * 1024), 0);
        }
        let read = file.read(&mut self.bytes)?;
        let bytes = &self.bytes[..read];
        let has_mark =
            [&b"\xff\xfe"[..], b"\xfe\xff", b"\xef\xbb\xbf"].iter().any(|mark| bytes.starts_with(mark));
        if read != size || has_mark {
            return Ok(None);
        }
        Ok(Some(memchr::memchr(0, bytes).map_or((read, false), |nul| (nul, true))))
    }
}

impl Job<'_> {
    /// Searches the files that a walk yields.
    pub(super) fn search(&self, files: &mut dyn Iterator<Item = RelPath>, stop: &Stop) -> Found {
        let first: Vec<RelPath> = (&mut *files).take(FIRST_FILES).take_while(|_| !stop.is_due()).collect();
        let gathering = Mutex::new(Gathering::default());
        let mut worker = Worker::of(self);
        let walked_all = if first.len() < FIRST_FILES {
            // A handful of files is searched before threads would have started.
            self.search_run(&mut worker, (0, first), stop, &gathering);
            !stop.is_due()
        } else {
            self.search_in_threads(first, files, stop, &gathering)
        };
        gathering.into_inner().unwrap_or_else(PoisonError::into_inner).end(walked_all)
    }

    /// Searches one file.
    pub(super) fn search_one(&self, path: RelPath, stop: &Stop) -> Found {
        let gathering = Mutex::new(Gathering::default());
        self.search_run(&mut Worker::of(self), (0, vec![path]), stop, &gathering);
        gathering.into_inner().unwrap_or_else(PoisonError::into_inner).end(true)
    }

    fn search_in_threads(
        &self,
        first: Vec<RelPath>,
        files: &mut dyn Iterator<Item = RelPath>,
        stop: &Stop,
        gathering: &Mutex<Gathering>,
    ) -> bool {
        let runs = Runs::default();
        std::thread::scope(|scope| {
            let _closing = Closing(&runs);
            let mut next = first;
            let (mut searchers, mut own) = (0, None);
            for index in 0.. {
                if index < self.pattern.searchers() {
                    let search = || self.search_runs(&runs, stop, gathering);
                    searchers += usize::from(std::thread::Builder::new().spawn_scoped(scope, search).is_ok());
                }
                // The system may give no further thread: then this one searches.
                let is_taken = if searchers > 0 {
                    runs.put((index, next), stop)
                } else {
                    let worker = own.get_or_insert_with(|| Worker::of(self));
                    self.search_run(worker, (index, next), stop, gathering);
                    true
                };
                if stop.is_due() || !is_taken {
                    return false;
                }
                next = (&mut *files).take(runs::size(index + 1)).collect();
                if next.is_empty() {
                    break;
                }
            }
            // A walk that was told to stop ends like one that has seen everything.
            !stop.is_due()
        })
    }

    fn search_runs(&self, runs: &Runs, stop: &Stop, gathering: &Mutex<Gathering>) {
        let mut worker = Worker::of(self);
        while let Some(run) = runs.take() {
            self.search_run(&mut worker, run, stop, gathering);
        }
    }

    fn search_run(
        &self,
        worker: &mut Worker,
        (index, files): Run,
        stop: &Stop,
        gathering: &Mutex<Gathering>,
    ) {
        let done = files.into_iter().map(|path| {
            let outcome = self.search_file(worker, &path, stop);
            (path, outcome)
        });
        let done: RunDone = done.collect();
        let mut gathering = gathering.lock().unwrap_or_else(PoisonError::into_inner);
        if gathering.add(index, done, self) {
            stop.enough();
        }
    }

    fn search_file(&self, worker: &mut Worker, path: &RelPath, stop: &Stop) -> Outcome {
        if stop.is_due_now_and_then(&mut worker.asked) {
            return Outcome::Stopped;
        }
        worker.each = of_path(path);
        if let Some(kept) = self.kept {
            let kind = Kind { size: kept.len() as u64, is_translated: false, is_wide: false };
            return self.search_reader(worker, kept.as_bytes(), kind, stop);
        }
        let Ok((mut file, metadata)) = open_walked(self.root, path) else { return Outcome::Unreadable };
        if metadata.len() > self.largest {
            return Outcome::TooLarge;
        }
        if metadata.len() <= WHOLE_BYTES {
            match worker.read(&file, metadata.len() as usize) {
                Ok(Some((end, has_nul))) => return self.search_bytes(worker, end, has_nul, stop),
                Ok(None) if file.seek(SeekFrom::Start(0)).is_ok() => {}
                Ok(None) | Err(_) => return Outcome::Unreadable,
            }
        }
        let Ok(kind) = kind_of(&mut file, metadata.len()) else { return Outcome::Unreadable };
        // Hits of plain letters are few: their files are looked at afterwards, the others not at all.
        let mut watched = Utf8Watch::of(&file, !self.is_plain);
        let outcome = self.search_reader(worker, &mut watched, kind, stop);
        let (mut passed, mut wrong_at) = (watched.passed(), watched.wrong_at());
        // What comes after a NUL says nothing of the text in front of it.
        if let Outcome::Searched(FileHits { ended_at: Some(nul), .. }) = outcome {
            (passed, wrong_at) = (passed.min(nul), wrong_at.filter(|at| *at < nul));
        }
        if !self.is_worth_decoding(&outcome) || (wrong_at.is_none() && !self.is_plain) {
            return outcome;
        }
        if metadata.len() > limits::WRITE_BYTES {
            return self.search_streamed(worker, &mut file, (passed, wrong_at), stop).unwrap_or(outcome);
        }
        // Its bytes and its text are held, by each searcher.
        let Some(_room) = LongLine::wait(metadata.len(), stop) else { return Outcome::Stopped };
        let mut bytes = Vec::new();
        let begun = file.seek(SeekFrom::Start(0));
        let read = begun.and_then(|_| file.take(limits::WRITE_BYTES).read_to_end(&mut bytes));
        let nul = memchr::memchr(0, &bytes);
        match read.ok().and_then(|_| legacy_text(&bytes[..nul.unwrap_or(bytes.len())])) {
            Some(text) => self.search_slice(worker, text.as_bytes(), nul.map(|at| at as u64), stop),
            None => outcome,
        }
    }

    /// A file that is too large to be held, where it is written down in an older encoding: searched as the text that `fs_read`
    /// shows.
    fn search_streamed(
        &self,
        worker: &mut Worker,
        file: &mut File,
        (passed, wrong_at): (u64, Option<u64>),
        stop: &Stop,
    ) -> Option<Outcome> {
        match self.legacy_encoding(file, (passed, wrong_at), stop) {
            Ok(None) => None,
            Ok(Some(encoding)) => Some(match file.seek(SeekFrom::Start(0)) {
                Ok(_) => {
                    // How long its lines are as UTF-8 nobody knows.
                    let kind = Kind { size: u64::MAX, is_translated: false, is_wide: false };
                    self.search_reader(worker, Decoded::of(&*file, encoding), kind, stop)
                }
                Err(_) => Outcome::Unreadable,
            }),
            Err(_) if stop.is_due() => Some(Outcome::Stopped),
            Err(_) => Some(Outcome::Unreadable),
        }
    }

    /// The older encoding of a file of which `passed` bytes were searched; they were watched unless the pattern is plain.
    fn legacy_encoding(
        &self,
        file: &mut File,
        (passed, wrong_at): (u64, Option<u64>),
        stop: &Stop,
    ) -> io::Result<Option<&'static encoding_rs::Encoding>> {
        let wrong_at = if self.is_plain { first_wrong(file, passed, stop)? } else { wrong_at };
        match wrong_at {
            Some(at) => legacy_of(file, at),
            None => Ok(None),
        }
    }

    fn search_bytes(&self, worker: &mut Worker, end: usize, has_nul: bool, stop: &Stop) -> Outcome {
        if has_nul && end < SNIFFED {
            return Outcome::Searched(FileHits { binary: true, ..FileHits::default() });
        }
        let bytes = std::mem::take(&mut worker.bytes);
        let nul = has_nul.then_some(end as u64);
        let mut outcome = self.search_slice(worker, &bytes[..end], nul, stop);
        if self.is_worth_decoding(&outcome)
            && let Some(text) = legacy_text(&bytes[..end])
        {
            outcome = self.search_slice(worker, text.as_bytes(), nul, stop);
        }
        worker.bytes = bytes;
        outcome
    }

    /// Whether the text of a file that is no UTF-8 could give another outcome than its bytes: that is looked at only then. A text that
    /// ends at a NUL is one as well.
    fn is_worth_decoding(&self, outcome: &Outcome) -> bool {
        let Outcome::Searched(hits) = outcome else { return false };
        (!hits.binary || hits.left_in_text) && (hits.matches > 0 || !self.is_plain)
    }

    /// Searches bytes, or the text that they stand for, that end in front of the NUL at `nul` of the file, if there is one.
    fn search_slice(&self, worker: &mut Worker, bytes: &[u8], nul: Option<u64>, stop: &Stop) -> Outcome {
        let mut collector = self.collector(worker.each);
        let searched = worker.searcher.search_slice(self.matcher, bytes, &mut collector);
        outcome(searched, collector, nul, stop)
    }

    fn search_reader(&self, worker: &mut Worker, reader: impl io::Read, kind: Kind, stop: &Stop) -> Outcome {
        let mut collector = self.collector(worker.each);
        let mut feed = Feed::of(reader, kind, stop);
        if kind.is_wide {
            // Only the searcher sees the characters.
            worker.searcher.set_binary_detection(BinaryDetection::quit(b'\0'));
        }
        let searched = worker.searcher.search_reader(self.matcher, &mut feed, &mut collector);
        if kind.is_wide {
            worker.searcher.set_binary_detection(BinaryDetection::none());
        }
        let (nul, long) = feed.end();
        if long.is_some() {
            // Its buffer would stay as large as it has become.
            worker.searcher = self.pattern.searcher(self.matcher, self.context);
        }
        outcome(searched, collector, nul, stop)
    }

    fn collector(&self, each: usize) -> Collector<'_> {
        let Self { matcher, wanted, skip, most_bytes, ref room, .. } = *self;
        Collector { matcher, wanted, skip, most_bytes, each, room, hits: FileHits::default() }
    }
}

/// The text of a file in an older encoding, as `fs_read` shows it.
fn legacy_text(bytes: &[u8]) -> Option<String> {
    if std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let file = TextFile::decode(bytes).ok()?;
    matches!(file.encoding, Encoding::Legacy(_)).then_some(file.text)
}

/// Where the first `passed` bytes of a file are no UTF-8 any more.
fn first_wrong(file: &mut File, passed: u64, stop: &Stop) -> io::Result<Option<u64>> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = Stoppable { inner: Utf8Watch::of(file.take(passed), true), stop };
    let mut piece = vec![0; WHOLE_BYTES as usize];
    while reader.inner.wrong_at().is_none() && reader.read(&mut piece)? > 0 {}
    Ok(reader.inner.wrong_at())
}

/// How the beginning of a file says that it is written down.
fn kind_of(file: &mut File, size: u64) -> io::Result<Kind> {
    let mut beginning = [0; 4];
    let read = file.read(&mut beginning)?;
    file.seek(SeekFrom::Start(0))?;
    let (units, mark) = Units::of(&beginning[..read]);
    Ok(Kind { size, is_translated: mark > 0, is_wide: units != Units::One && mark > 0 })
}

fn outcome(searched: io::Result<()>, mut collector: Collector<'_>, nul: Option<u64>, stop: &Stop) -> Outcome {
    match searched {
        Ok(()) => {
            if let Some(nul) = nul {
                collector.ended_at_nul(nul);
            }
            Outcome::Searched(collector.hits)
        }
        Err(_) if stop.is_due() => Outcome::Stopped,
        Err(error) if is_over_heap_limit(&error) => Outcome::TooLarge,
        Err(_) => Outcome::Unreadable,
    }
}

/// The searcher gives up on lines, and on files that it has to hold, that do not fit its heap limit, with errors of no kind of
/// their own.
fn is_over_heap_limit(error: &io::Error) -> bool {
    let words = error.to_string();
    ["heap limit", "allocation limit"].iter().any(|limit| words.contains(limit))
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, time::Duration};

    use cap_std::{ambient_authority, fs::Dir};

    use super::*;
    use crate::{
        cancel::Cancel,
        tools::search::{pattern::Case, room::PAGE_BYTES},
    };

    /// Searches `files` files with one match each; time is up once the walk has come to `until`.
    fn search(files: usize, until: usize, enough: usize) -> Found {
        let temp = tempfile::tempdir().unwrap();
        for number in 0..files {
            std::fs::write(temp.path().join(format!("f{number:04}")), "needle\n").unwrap();
        }
        let root = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        let text = "needle".to_owned();
        let pattern = Pattern { text, literal: false, case: Case::Smart, word: false, multiline: false };
        let (matcher, wanted) = (pattern.matcher().unwrap(), Wanted::Lines(10));
        let job = Job {
            root: &root,
            pattern: &pattern,
            matcher: &matcher,
            is_plain: true,
            wanted,
            context: 0,
            kept: None,
            largest: u64::MAX,
            offset: 0,
            enough,
            skip: 0,
            most_bytes: usize::MAX,
            page_bytes: PAGE_BYTES,
            room: Room::of_page(PAGE_BYTES),
        };
        let cancel = Cancel::new();
        let stop = Stop::with_deadline(&cancel, Duration::from_mins(1));
        let walked = Cell::new(0);
        let mut walk =
            (0..files).map(|number| RelPath::root().join(format!("f{number:04}"))).take_while(|_| {
                walked.set(walked.get() + 1);
                if walked.get() > until {
                    cancel.cancel();
                }
                !stop.is_due()
            });
        job.search(&mut walk, &stop)
    }

    #[test]
    fn all_of_it_is_complete() {
        for files in [0, 1, 15, 16, 17, 500] {
            let found = search(files, usize::MAX, usize::MAX);
            assert_eq!((found.matches, found.complete, found.enough), (files as u64, true, false), "{files}");
        }
    }

    #[test]
    fn what_is_stopped_says_so_and_is_the_beginning_of_the_order() {
        for (files, until) in [(10, 5), (500, 0), (500, 100), (500, 499)] {
            let found = search(files, until, usize::MAX);
            assert!(!found.complete && !found.enough, "{files} {until}");
            let paths: Vec<String> = found.files.iter().map(|(path, _)| path.to_string()).collect();
            let beginning: Vec<String> = (0..paths.len()).map(|number| format!("f{number:04}")).collect();
            assert_eq!(paths, beginning);
        }
    }

    #[test]
    fn enough_is_the_beginning_of_the_order() {
        for enough in [1, 16, 17, 101, 500] {
            let found = search(500, usize::MAX, enough);
            assert!(found.enough && !found.complete, "{enough}");
            assert_eq!(found.files.last().unwrap().0.to_string(), format!("f{:04}", enough - 1));
        }
    }
}
