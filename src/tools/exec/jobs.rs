//! Commands that run in the background: those of one connection, with what they write, until it ends or they do.
//!
//! A job is a thread that attends its command. It is cancelled with the connection, and its command ends with the host in any
//! case: the helper sees to that.

use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::supervise::{Ran, Ready, Teller, in_words};
use crate::{
    cancel::Cancel,
    hint::nearest,
    ids::new_ulid,
    limits::{EXEC_IDLE_MS, EXEC_JOBS, EXEC_STORED_BYTES, HANDLE_BYTES},
    policy::Permit,
    process::{CANCEL_GRACE, Ended, Excerpt, Guarded, Transcript, Watch, signal_name},
    redact::Redaction,
    text::{BREAKS, before_word},
    tools::{Call, Code, ToolError},
};

/// The last four letters of a ULID: a million endings, and few tokens.
const RANDOM_FROM: usize = 22;
/// Ended jobs that can still be asked for.
const ENDED_JOBS: usize = 16;
/// So much in front of a part is looked at, to know what goes on in it: the longest secret is a private key.
const CONTEXT: usize = 64 * 1024;
/// A word that has grown longer is none that is known by its form.
const GROWING: usize = 8 * 1024;
/// How long a wait does not look whether its own call was cancelled.
const LOOK: Duration = Duration::from_millis(40);

/// The jobs of one connection, in the order of their start.
#[derive(Debug, Default)]
pub struct Jobs {
    known: Mutex<Vec<Arc<Job>>>,
    started: AtomicU32,
    /// Ends their names: those of another connection mean nothing here, so that whoever goes on in this one ends no other job with one.
    ending: String,
    root: Cancel,
}

/// One command in the background.
#[derive(Debug)]
pub struct Job {
    /// What a model calls it.
    pub id: String,
    /// The entry of the allowlist.
    pub command: String,
    /// What it writes.
    pub transcript: Arc<Transcript>,
    ready: Ready,
    began: Instant,
    cancel: Cancel,
    grace_ms: AtomicU32,
    /// Where the next look begins.
    seen: AtomicU64,
    /// The call that started it still waits.
    told: AtomicBool,
    result: Mutex<Option<Result<Arc<Ran>, ToolError>>>,
    ended: Condvar,
}

impl Jobs {
    /// Jobs that end when `root` is cancelled.
    pub fn under(root: &Cancel) -> Self {
        let ulid = new_ulid().to_ascii_lowercase();
        let ending = format!("-{}", ulid.get(RANDOM_FROM..).unwrap_or_default());
        Self { ending, root: root.child(), ..Self::default() }
    }

    /// Starts a command as a job.
    pub fn start(&self, ready: Ready, permit: &Permit, call: &Call) -> Result<Arc<Job>, ToolError> {
        // Held while it starts, so that two calls cannot both take the last place.
        let mut jobs = self.lock();
        let running: Vec<&str> =
            jobs.iter().filter(|job| job.is_running()).map(|job| job.id.as_str()).collect();
        if running.len() >= EXEC_JOBS {
            return Err(ToolError::new(
                Code::Busy,
                format!("{EXEC_JOBS} jobs run already: {}", running.join(", ")),
                "end one with exec_kill, or wait for one with exec_output",
            ));
        }
        let (workspace, before) = (Arc::clone(&call.workspace), Guarded::of(&call.workspace));
        let started = ready.start(permit, call)?;
        let id = format!("job{}{}", self.started.fetch_add(1, Ordering::Relaxed) + 1, self.ending);
        let job = Arc::new(Job {
            command: ready.command().entry().id.clone(),
            id,
            transcript: Arc::new(Transcript::new(EXEC_STORED_BYTES)),
            ready,
            began: Instant::now(),
            cancel: self.root.child(),
            grace_ms: AtomicU32::new(CANCEL_GRACE.as_millis() as u32),
            seen: AtomicU64::new(0),
            told: AtomicBool::new(true),
            result: Mutex::default(),
            ended: Condvar::new(),
        });
        let (attended, sink) = (Arc::clone(&job), Arc::clone(&call.sink));
        let attend = move || {
            let mut teller = Teller::new(&attended.command, &*sink);
            let result = started.attend(&mut Watch {
                wall: attended.ready.wall(),
                idle: idle_limit(&attended.ready),
                cancel: &attended.cancel,
                cancel_grace: &|| Duration::from_millis(attended.grace_ms.load(Ordering::Relaxed).into()),
                transcript: &attended.transcript,
                on_news: &mut |news| {
                    if attended.told.load(Ordering::Relaxed) {
                        teller.hear(news);
                    }
                },
            });
            let ran = result.map(|outcome| {
                let touched = Guarded::of(&workspace).changed_since(&before);
                Arc::new(Ran { outcome, transcript: Arc::clone(&attended.transcript), touched })
            });
            *attended.lock() = Some(ran.map_err(ToolError::from));
            attended.ended.notify_all();
        };
        // Without its thread the command is dropped, and so ends.
        thread::Builder::new().name(job.id.clone()).spawn(attend).map_err(ToolError::internal)?;
        forget_old(&mut jobs);
        jobs.push(Arc::clone(&job));
        Ok(job)
    }

    /// All that are known, in the order of their start.
    pub fn all(&self) -> Vec<Arc<Job>> {
        self.lock().clone()
    }

    /// The job with this name.
    pub fn find(&self, id: &str) -> Result<Arc<Job>, ToolError> {
        let jobs = self.lock();
        if let Some(job) = jobs.iter().find(|job| job.id == id) {
            return Ok(Arc::clone(job));
        }
        let names = jobs.iter().map(|job| job.id.as_str());
        let near = nearest(id, names.clone()).map(str::to_owned);
        let names: Vec<&str> = names.collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        Err(ToolError::new(
            Code::NotFound,
            format!(
                "there is no job `{}` in this connection; known: {known}",
                crate::text::excerpt(id, crate::limits::NAME_SHOWN_BYTES)
            ),
            "exec_run with `background` starts one; jobs end with the connection that started them",
        )
        .with_candidates(near.into_iter().collect()))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Job>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a job may say nothing. A server may well say nothing for hours, so only a limit that the entry chose itself counts.
fn idle_limit(ready: &Ready) -> Option<Duration> {
    let limit = ready.command().entry().idle_timeout_ms;
    (limit > 0 && limit != EXEC_IDLE_MS).then(|| Duration::from_millis(limit))
}

/// Drops ended jobs, the oldest first, that are too many or hold too much.
fn forget_old(jobs: &mut Vec<Arc<Job>>) {
    loop {
        let ended = || jobs.iter().enumerate().filter(|(_, job)| !job.is_running());
        let bytes: u64 =
            ended().map(|(_, job)| job.transcript.text_bytes().min(EXEC_STORED_BYTES as u64)).sum();
        let oldest = ended().map(|(index, _)| index).next();
        match oldest {
            Some(index) if ended().count() > ENDED_JOBS || bytes > HANDLE_BYTES as u64 => {
                jobs.remove(index);
            }
            _ => return,
        }
    }
}

impl Job {
    /// It has not ended.
    pub fn is_running(&self) -> bool {
        self.lock().is_none()
    }

    /// How it ended, once it has.
    pub fn result(&self) -> Option<Result<Arc<Ran>, ToolError>> {
        self.lock().clone()
    }

    /// What it was started with.
    pub fn ready(&self) -> &Ready {
        &self.ready
    }

    /// How long it has been running, or ran.
    pub fn age(&self) -> Duration {
        match self.result() {
            Some(Ok(ran)) => ran.outcome.duration,
            _ => self.began.elapsed(),
        }
    }

    /// Waits for its end, until `until` or `cancel`.
    pub fn wait(&self, until: Instant, cancel: &Cancel) {
        let mut result = self.lock();
        while result.is_none() && !cancel.is_cancelled() {
            let rest = until.saturating_duration_since(Instant::now()).min(LOOK);
            if rest == Duration::ZERO {
                return;
            }
            result = self.ended.wait_timeout(result, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for its end or for text behind `from` that `is_it` knows, until `until` or `cancel`; true when it came.
    pub fn wait_for(&self, from: u64, until: Instant, cancel: &Cancel, is_it: impl Fn(&str) -> bool) -> bool {
        let mut from = from;
        loop {
            let running = self.is_running();
            let part = self.transcript.since(from, usize::MAX);
            if is_it(&part.text) {
                return true;
            }
            let now = Instant::now();
            if !running || cancel.is_cancelled() || now >= until {
                return false;
            }
            // The last line may still grow.
            let open = part.text.rsplit('\n').next().map_or(0, str::len) as u64;
            from = from.max(part.end - open);
            let look = until.min(now + LOOK);
            self.transcript.wait_for_more(part.end, look);
            // Its text has ended, but it has not: a moment is missing.
            self.wait(now + Duration::from_millis(1), cancel);
        }
    }

    /// What it wrote from `start` on, at most `limit` bytes of it, without secrets: also without the rest of one that began before, and
    /// without a word at its end that may still become one. The next part begins in front of that word.
    pub fn part(&self, start: u64, limit: usize, redaction: &mut Redaction<'_>) -> Excerpt {
        // Asked first: what has ended grows no more.
        let running = self.is_running();
        let mut part = self.transcript.since(start, limit);
        let mut text = self.transcript.before(start, CONTEXT);
        let begins = text.len();
        text += &part.text;
        if running {
            // All of what it wrote may be one word yet.
            let is_one = part.end == text.len() as u64 && text.len() <= GROWING && !text.contains(BREAKS);
            let word = if is_one { 0 } else { before_word(&text, text.len(), GROWING) };
            let held = text.len() - word.max(begins);
            text.truncate(text.len() - held);
            part.end -= held as u64;
        }
        part.text = redaction.behind(&text, begins).into_owned();
        part
    }

    /// Asks it to end, for good after `grace`.
    pub fn end(&self, grace: Duration) {
        self.grace_ms.store(u32::try_from(grace.as_millis()).unwrap_or(u32::MAX), Ordering::Relaxed);
        self.cancel.cancel();
    }

    /// Where the next look begins.
    pub fn seen(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }

    /// What lies before `end` has been shown.
    pub fn set_seen(&self, end: u64) {
        self.seen.store(end, Ordering::Relaxed);
    }

    /// Nobody waits for it any more: its output is not told live from here on.
    pub fn leave(&self) {
        self.told.store(false, Ordering::Relaxed);
    }

    /// `exited with code 1`, `runs`, …
    pub fn state_in_words(&self) -> String {
        match self.result() {
            None => format!("has been running for {}", in_words(self.age())),
            Some(Ok(ran)) => {
                format!("{} after {}", ended_in_words(ran.outcome.ended), in_words(ran.outcome.duration))
            }
            Some(Err(error)) => format!("was lost: {error}"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Result<Arc<Ran>, ToolError>>> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `exited with code 1`, `was killed by SIGKILL`, …
pub fn ended_in_words(ended: Ended) -> String {
    match ended {
        Ended::Exited(code) => format!("exited with code {code}"),
        Ended::Signaled(signal) => format!("was killed by {}", signal_name(signal)),
        Ended::Timeout => "was ended at its time limit".to_owned(),
        Ended::IdleTimeout => "was ended because it said nothing".to_owned(),
        Ended::Cancelled => "was ended on request".to_owned(),
    }
}
