//! The host's side of one run: starts the helper, reads what comes, and says when it has to end.
//!
//! It blocks its thread in `poll` and needs no async runtime, so that tools, the command line and tests use it alike; a
//! cancel wakes it through a pipe.

use std::{
    ffi::OsString,
    future::Future,
    io::{self, PipeReader, PipeWriter, Read, Write},
    os::{fd::AsFd, unix::process::CommandExt},
    path::Path,
    pin::pin,
    process::{Child, Command},
    sync::Arc,
    task::{Context, Wake, Waker},
    time::{Duration, Instant},
};

use cap_std::fs::Dir;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
};

use super::{
    ProcessError,
    bounds::Bounds,
    door::{News, Watch},
    ended::{Clock, DRAIN, Ended, HEARTBEAT, Outcome},
    family,
    helper::HELPER_ARGUMENT,
    kill_unix::kill_marked,
    protocol::{Report, Request, end_message},
    system,
    temp::PrivateTemp,
    writable,
};

/// A program, and all that it gets.
#[derive(Debug)]
pub(super) struct Launch<'a> {
    pub(super) program: &'a Path,
    pub(super) args: Vec<OsString>,
    /// Without `TMPDIR`, which is the run's own.
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) workdir: &'a Dir,
    /// Without the private temporary folder, which is the run's own; `None`: it is held to nothing.
    pub(super) bounds: Option<Bounds>,
    /// A shell made for a person, which ends when that person is gone.
    pub(super) hang_up: bool,
}

/// A program that was started and is to be attended to its end. When this is dropped, it ends.
#[derive(Debug)]
pub struct Started {
    program: String,
    began: Instant,
    running: Running,
    temp: PrivateTemp,
}

/// Beyond the grace: how long the helper may take to kill and to report. Its own patience is 1 s.
const HELPER_PATIENCE: Duration = Duration::from_secs(3);
/// How often it is looked whether what is given time to end should have less of it: a person who asks again is waiting.
const HURRY_LOOK: Duration = Duration::from_millis(100);
/// One read; a pipe holds as much.
const READ_BYTES: usize = 16 * 1024;

impl Started {
    /// Starts a program under the helper.
    pub(super) fn launch(
        helper: &Path,
        mut launch: Launch<'_>,
        temp: PrivateTemp,
    ) -> Result<Self, ProcessError> {
        let program = launch.program.display().to_string();
        if let Some(bounds) = &mut launch.bounds {
            let of_temp = writable::of_own(temp.path());
            let failed = |source| ProcessError::Temp { folder: temp.path().to_owned(), source };
            bounds.writable.push(of_temp.map_err(failed)?);
        }
        let running =
            Running::start(helper, launch, &temp).map_err(|source| ProcessError::Helper { source })?;
        Ok(Self { program, began: Instant::now(), running, temp })
    }

    /// Stays with it to its end. Blocks; never call it from an async task.
    pub fn attend(mut self, watch: &mut Watch<'_>) -> Result<Outcome, ProcessError> {
        let attended = self.running.attend(self.began, watch);
        let report = self.running.finish(watch);
        watch.transcript.finish();
        let asked = attended.map_err(|source| ProcessError::Helper { source })?;
        let program = self.program;
        let Some(report) = report else {
            // The mark is the run's own temporary folder in every descendant's environment.
            // What it left fell to this host, in most hosts; reading every environment takes long where there is much of it.
            family::end_orphans();
            kill_marked(&family::temp_entry(self.temp.path()));
            family::end_orphans();
            return Err(ProcessError::Lost { program });
        };
        match report {
            Report::NotStarted { errno, message } => {
                let source =
                    if errno == 0 { io::Error::other(message) } else { io::Error::from_raw_os_error(errno) };
                Err(ProcessError::Spawn { program, source })
            }
            Report::NotHeld { message } => Err(ProcessError::NotHeld { program, reason: message }),
            Report::Ended { exit_code, signal, survivors } => {
                if survivors > 0 {
                    // What the helper could not end has fallen to this host.
                    family::end_orphans();
                }
                let ended = match (asked, exit_code, signal) {
                    (Some(asked), ..) => asked,
                    (None, Some(code), _) => Ended::Exited(code),
                    (None, None, Some(signal)) => Ended::Signaled(signal),
                    (None, None, None) => return Err(ProcessError::Lost { program }),
                };
                Ok(Outcome { ended, signal, duration: self.began.elapsed(), survivors })
            }
        }
    }
}

/// A helper at work.
#[derive(Debug)]
struct Running {
    helper: Child,
    /// Closing it ends everything.
    control: PipeWriter,
    output: Option<PipeReader>,
    report: PipeReader,
    report_bytes: Vec<u8>,
}

impl Running {
    #[expect(clippy::disallowed_methods, reason = "this is the door")]
    fn start(helper: &Path, launch: Launch<'_>, temp: &PrivateTemp) -> io::Result<Self> {
        let (control_end, control) = io::pipe()?;
        let (output, output_end) = io::pipe()?;
        let (report, report_end) = io::pipe()?;
        set_nonblocking(&output)?;
        set_nonblocking(&report)?;
        let mut env = launch.env;
        env.push(("TMPDIR".into(), temp.path().into()));
        let request = Request {
            program: launch.program.into(),
            args: launch.args,
            env,
            temp: temp.path().to_owned(),
            bounds: launch.bounds,
            hang_up: launch.hang_up,
            folder: system::expected(launch.workdir)?,
        }
        .encode()?;
        let mut command = Command::new(helper);
        command
            .arg0("outrigger")
            .arg(HELPER_ARGUMENT)
            .env_clear()
            .current_dir(system::way_to(launch.workdir)?)
            .stdin(control_end)
            .stdout(output_end)
            .stderr(report_end);
        let helper = family::spawn_helper(&mut command)?;
        // The other ends are the helper's alone: otherwise their streams would never end.
        drop(command);
        let mut running = Self { helper, control, output: Some(output), report, report_bytes: Vec::new() };
        // A helper that died already says so by its report's end.
        let _ = running.control.write_all(&request);
        Ok(running)
    }

    /// Passes the output on until the helper is done; why it was asked to end, if it was.
    fn attend(&mut self, began: Instant, watch: &mut Watch<'_>) -> io::Result<Option<Ended>> {
        let (wake, wake_end) = io::pipe()?;
        let mut cancelled = pin!(watch.cancel.cancelled());
        let waker = Waker::from(Arc::new(PipeWaker(wake_end)));
        // Ready or not, `is_cancelled` says it below; this only leaves the waker there.
        let _ = cancelled.as_mut().poll(&mut Context::from_waker(&waker));

        let mut clock = Clock::new(began);
        let mut asked = None;
        loop {
            let now = Instant::now();
            if asked.is_none()
                && let Some((why, grace)) = clock.reason_to_end(now, watch, watch.cancel)
            {
                asked = Some(why);
                clock.answer_by = Some(now + grace + HELPER_PATIENCE);
                let _ = self.control.write_all(&end_message(grace.as_millis() as u32));
            }
            if asked == Some(Ended::Cancelled) {
                // Somebody may have lost patience since.
                let grace = (watch.cancel_grace)();
                let by = now + grace + HELPER_PATIENCE;
                if clock.answer_by.is_some_and(|before| by < before) {
                    clock.answer_by = Some(by);
                    let _ = self.control.write_all(&end_message(grace.as_millis() as u32));
                }
            }
            if clock.answer_by.is_some_and(|by| now >= by) {
                return Ok(asked);
            }
            if now >= clock.heartbeat {
                clock.heartbeat = now + HEARTBEAT;
                (watch.on_news)(News::Alive(now - began));
            }
            let mut next = clock.next(watch, asked.is_some());
            if asked == Some(Ended::Cancelled) {
                next = next.min(now + HURRY_LOOK);
            }
            self.sleep(next, (asked.is_none()).then_some(&wake));
            if self.read_output(watch) {
                clock.heard = Instant::now();
            }
            if self.read_report() {
                return Ok(asked);
            }
        }
    }

    /// Sleeps until there is something to read, somebody cancels, or `until`.
    fn sleep(&self, until: Instant, wake: Option<&PipeReader>) {
        let rest = until.saturating_duration_since(Instant::now());
        let rest = Timespec { tv_sec: rest.as_secs().cast_signed(), tv_nsec: rest.subsec_nanos().into() };
        let mut watched = vec![PollFd::from_borrowed_fd(self.report.as_fd(), PollFlags::IN)];
        watched.extend(self.output.iter().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
        watched.extend(wake.map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
        // An interruption is as good as a time-out: the loop looks at everything anyway.
        let _ = poll(&mut watched, Some(&rest));
    }

    /// Reads once; true when there was something.
    fn read_output(&mut self, watch: &mut Watch<'_>) -> bool {
        let Some(pipe) = &mut self.output else { return false };
        let mut buffer = [0; READ_BYTES];
        match pipe.read(&mut buffer) {
            Ok(0) => self.output = None,
            Ok(length) => {
                watch.transcript.push(&buffer[..length]);
                (watch.on_news)(News::Output(&buffer[..length]));
                return true;
            }
            Err(error) if is_temporary(&error) => {}
            Err(_) => self.output = None,
        }
        false
    }

    /// Reads what there is of the report; true when it has ended.
    fn read_report(&mut self) -> bool {
        let mut buffer = [0; 1024];
        loop {
            match self.report.read(&mut buffer) {
                Ok(0) => return true,
                Ok(length) => self.report_bytes.extend_from_slice(&buffer[..length]),
                Err(error) => return !is_temporary(&error),
            }
        }
    }

    /// Takes the rest of the output and the report; `None` when the helper did not give one.
    fn finish(mut self, watch: &mut Watch<'_>) -> Option<Report> {
        let report = serde_json::from_slice(&self.report_bytes).ok();
        if report.is_none() {
            let _ = self.helper.kill();
        }
        // It has reported or was killed, so this does not wait.
        let _ = self.helper.wait();
        family::forget_helper(&self.helper);
        let until = Instant::now() + DRAIN;
        while self.output.is_some() && Instant::now() < until {
            if !self.read_output(watch) && self.output.is_some() {
                self.sleep_for_output(until);
            }
        }
        report
    }

    fn sleep_for_output(&self, until: Instant) {
        let rest = until.saturating_duration_since(Instant::now());
        let rest = Timespec { tv_sec: rest.as_secs().cast_signed(), tv_nsec: rest.subsec_nanos().into() };
        let mut watched: Vec<_> =
            self.output.iter().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)).collect();
        let _ = poll(&mut watched, Some(&rest));
    }
}

/// Wakes the thread that polls the other end.
struct PipeWaker(PipeWriter);

impl Wake for PipeWaker {
    fn wake(self: Arc<Self>) {
        // It is called once, and an empty pipe takes a byte without blocking.
        let _ = (&self.0).write(&[1]);
    }
}

fn set_nonblocking(pipe: impl AsFd) -> io::Result<()> {
    let flags = fcntl_getfl(&pipe)?;
    Ok(fcntl_setfl(&pipe, flags | OFlags::NONBLOCK)?)
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
