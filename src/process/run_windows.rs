//! One run on Windows: the program in a job of its own, its output read by a thread, its end waited for by another.
//!
//! There is no helper: the job ends with the host, whatever ends the host. There is no polite way to end a program that has no
//! window and no console of ours either: who is asked to end is ended.

use std::{
    ffi::OsString,
    future::Future,
    io::{self, PipeReader, Read as _},
    path::Path,
    pin::pin,
    process::{Command, Stdio},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    task::{Context, Wake, Waker},
    thread,
    time::{Duration, Instant},
};

use cap_std::fs::Dir;

use super::{
    ProcessError,
    bounds::Bounds,
    door::{News, Watch},
    ended::{Clock, DRAIN, Ended, HEARTBEAT, Outcome},
    job_windows::Job,
    temp::PrivateTemp,
};
use crate::workspace::pinned_path;

/// A program, and all that it gets.
#[derive(Debug)]
pub(super) struct Launch<'a> {
    pub(super) program: &'a Path,
    pub(super) args: Vec<OsString>,
    /// Without the names of the temporary folder, which is the run's own.
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) workdir: &'a Dir,
    /// Nothing holds a program to its bounds here, and its plan says so.
    pub(super) bounds: Option<Bounds>,
    /// A shell made for a person; here none is asked.
    #[expect(dead_code, reason = "only where there are login shells")]
    pub(super) hang_up: bool,
}

/// A program that was started and is to be attended to its end. When this is dropped, it ends.
#[derive(Debug)]
pub struct Started {
    began: Instant,
    job: Job,
    news: Receiver<Event>,
    sender: SyncSender<Event>,
    _temp: PrivateTemp,
}

/// What the threads of a run have to say.
#[derive(Debug)]
enum Event {
    Output(Vec<u8>),
    OutputEnded,
    Exited(io::Result<i32>),
    Cancelled,
}

/// What is left after the program exited gets this long to end by itself: it delays the answer of every such call.
const LEFTOVER_GRACE: Duration = Duration::from_millis(500);
/// A process that is still there so long after it was ended is stuck in the system.
const KILL_PATIENCE: Duration = Duration::from_secs(1);
/// Between two looks at what is left.
const ROUND: Duration = Duration::from_millis(5);
/// One read; a pipe holds as much.
const READ_BYTES: usize = 16 * 1024;
/// Reads that wait to be passed on: a program that writes faster than that waits, as it would for a pipe.
const READS_AHEAD: usize = 16;

impl Started {
    /// Starts a program in a job of its own.
    pub(super) fn launch(
        _helper: &Path,
        launch: Launch<'_>,
        temp: PrivateTemp,
    ) -> Result<Self, ProcessError> {
        let program = launch.program.display().to_string();
        if launch.bounds.is_some_and(|bounds| bounds.files.is_some() || bounds.closes_network) {
            let reason = "nothing holds files or the network on this system".to_owned();
            return Err(ProcessError::NotHeld { program, reason });
        }
        let began = Instant::now();
        let failed = |source| ProcessError::Helper { source };
        let (output, output_end) = io::pipe().map_err(failed)?;
        // Held until the program stands in it, which keeps the folder where it is from then on.
        let (workdir, _held) = pinned_path(launch.workdir).map_err(failed)?;
        let mut env = launch.env;
        env.extend(crate::config::TEMPORARY.iter().map(|name| (OsString::from(name), temp.path().into())));
        #[expect(clippy::disallowed_methods, reason = "this is the door")]
        let mut command = Command::new(launch.program);
        command
            .args(launch.args)
            .env_clear()
            .envs(env)
            .current_dir(workdir)
            .stdin(Stdio::null())
            .stdout(output_end.try_clone().map_err(failed)?)
            .stderr(output_end);
        let (job, mut child) =
            Job::spawn(&mut command).map_err(|source| ProcessError::Spawn { program, source })?;
        // The other ends are the program's alone: otherwise its output would never end.
        drop(command);
        let (sender, news) = sync_channel(READS_AHEAD);
        let (reader, waiter) = (sender.clone(), sender.clone());
        thread::spawn(move || read(output, &reader));
        thread::spawn(move || {
            let ended = child.wait().map(|status| status.code().unwrap_or(-1));
            let _ = waiter.send(Event::Exited(ended));
        });
        Ok(Self { began, job, news, sender, _temp: temp })
    }

    /// Stays with it to its end. Blocks; never call it from an async task.
    pub fn attend(self, watch: &mut Watch<'_>) -> Result<Outcome, ProcessError> {
        let mut cancelled = pin!(watch.cancel.cancelled());
        let waker = Waker::from(Arc::new(ChannelWaker(self.sender.clone())));
        // Ready or not, `is_cancelled` says it below; this only leaves the waker there.
        let _ = cancelled.as_mut().poll(&mut Context::from_waker(&waker));

        let mut attended = Attended { output_ended: false, exited: None, asked: None };
        let mut clock = Clock::new(self.began);
        while attended.exited.is_none() {
            let now = Instant::now();
            if attended.asked.is_none()
                && let Some((why, _)) = clock.reason_to_end(now, watch, watch.cancel)
            {
                attended.asked = Some(why);
                clock.answer_by = Some(now + KILL_PATIENCE);
                self.job.end();
            }
            if clock.answer_by.is_some_and(|by| now >= by) {
                break;
            }
            if now >= clock.heartbeat {
                clock.heartbeat = now + HEARTBEAT;
                (watch.on_news)(News::Alive(now - self.began));
            }
            let until = clock.next(watch, attended.asked.is_some());
            if self.take(until, watch, &mut attended) {
                clock.heard = Instant::now();
            }
        }
        let survivors = self.end_leftovers(watch, &mut attended);
        let until = Instant::now() + DRAIN;
        while !attended.output_ended && Instant::now() < until {
            self.take(until, watch, &mut attended);
        }
        watch.transcript.finish();
        let ended = match (attended.asked, attended.exited) {
            (Some(asked), _) => asked,
            (None, Some(Ok(code))) => Ended::Exited(code),
            (None, Some(Err(source))) => return Err(ProcessError::Helper { source }),
            (None, None) => return Err(ProcessError::Helper { source: io::ErrorKind::TimedOut.into() }),
        };
        Ok(Outcome { ended, signal: None, duration: self.began.elapsed(), survivors })
    }

    /// Waits for one event until `until`; true when it was output.
    fn take(&self, until: Instant, watch: &mut Watch<'_>, attended: &mut Attended) -> bool {
        let rest = until.saturating_duration_since(Instant::now());
        match self.news.recv_timeout(rest) {
            Ok(Event::Output(bytes)) => {
                watch.transcript.push(&bytes);
                (watch.on_news)(News::Output(&bytes));
                return true;
            }
            Ok(Event::OutputEnded) => attended.output_ended = true,
            Ok(Event::Exited(code)) => attended.exited = Some(code),
            // Somebody cancelled, or time is up: the loop looks at everything anyway.
            Ok(Event::Cancelled) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        false
    }

    /// Ends what the program has left behind; how many could not be ended.
    fn end_leftovers(&self, watch: &mut Watch<'_>, attended: &mut Attended) -> u32 {
        let grace = if attended.asked.is_some() { Duration::ZERO } else { LEFTOVER_GRACE };
        let kill_at = Instant::now() + grace;
        let give_up_at = kill_at + KILL_PATIENCE;
        loop {
            let (left, now) = (self.job.living(), Instant::now());
            if left == 0 || now >= give_up_at {
                return left;
            }
            if now >= kill_at {
                self.job.end();
            }
            // What waits for its output to be taken does not end either.
            self.take(now + ROUND, watch, attended);
        }
    }
}

/// How far it is.
struct Attended {
    output_ended: bool,
    exited: Option<io::Result<i32>>,
    asked: Option<Ended>,
}

fn read(mut output: PipeReader, sender: &SyncSender<Event>) {
    let mut buffer = [0; READ_BYTES];
    loop {
        let event = match output.read(&mut buffer) {
            Ok(length) if length > 0 => Event::Output(buffer[..length].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            _ => Event::OutputEnded,
        };
        let is_end = matches!(event, Event::OutputEnded);
        if sender.send(event).is_err() || is_end {
            return;
        }
    }
}

/// Wakes the thread that waits for news.
struct ChannelWaker(SyncSender<Event>);

impl Wake for ChannelWaker {
    fn wake(self: Arc<Self>) {
        // Where the channel is full, the thread is awake anyway.
        let _ = self.0.try_send(Event::Cancelled);
    }
}
