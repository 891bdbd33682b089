//! The helper: the binary, started again, as the parent of one command and the reaper of all that it starts.
//!
//! It speaks [`protocol`](super::protocol) with the host: stdin is the control pipe, stdout the command's output, stderr the
//! report. It begins before any thread or runtime exists, starts one program from a thread that is held to the program's bounds, and never outlives what that program started,
//! nor the other way round.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, Read, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::{Command, ExitCode, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, fcntl_dupfd_cloexec},
    process::{Pid, WaitOptions, WaitStatus, getpid, setsid, wait},
    stdio,
};

use super::{
    kill_unix::{Process, descendants, kill, signal_group, terminate},
    processes,
    protocol::{END_MESSAGE_BYTES, Report, Request, end_grace_ms},
    sandbox_system, system,
    temp::remove_tree,
    writable,
};

/// The first argument that makes the binary a helper; hidden from people.
pub const HELPER_ARGUMENT: &str = "__run";

/// What is left after the program exited gets this long to end politely: it delays the answer of every such call.
const LEFTOVER_GRACE: Duration = Duration::from_millis(500);
/// After the host's death everything must be gone within 2 s, and killing takes a moment too.
const HOST_GONE_GRACE: Duration = Duration::from_millis(500);
/// A process that is still there so long after SIGKILL is stuck in the kernel or belongs to another user.
const KILL_PATIENCE: Duration = Duration::from_secs(1);
/// Between two looks at what is left.
const ROUND: Duration = Duration::from_millis(20);
/// How long an orphan that ended by itself stays a zombie at most.
const REAP_INTERVAL: Duration = Duration::from_secs(1);

/// Runs the helper. Call it first thing in `main` when the first argument is [`HELPER_ARGUMENT`]: before any thread,
/// runtime or open file.
pub fn run_helper() -> ExitCode {
    match Helper::start().and_then(Helper::run) {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody is there to read words: the host is gone, or never was.
        Err(_) => ExitCode::FAILURE,
    }
}

struct Helper {
    control: File,
    output: OwnedFd,
    report: File,
}

impl Helper {
    /// Moves the three pipes out of the standard descriptors, and everything else out of the way.
    fn start() -> io::Result<Self> {
        close_foreign_descriptors();
        let control = fcntl_dupfd_cloexec(stdio::stdin(), 3)?;
        let output = fcntl_dupfd_cloexec(stdio::stdout(), 3)?;
        let report = fcntl_dupfd_cloexec(stdio::stderr(), 3)?;
        let null = rustix::fs::open(
            "/dev/null",
            rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC,
            rustix::fs::Mode::empty(),
        )?;
        stdio::dup2_stdin(&null)?;
        stdio::dup2_stdout(&null)?;
        stdio::dup2_stderr(&null)?;
        // A session of its own: no terminal, and no Ctrl-C meant for the browser. It fails only for a leader, who has one.
        let _ = setsid();
        system::adopt_orphans()?;
        system::hide()?;
        Ok(Self { control: control.into(), output, report: report.into() })
    }

    fn run(mut self) -> io::Result<()> {
        let request = Request::read_from(&mut self.control)?;
        let here = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::CLOEXEC;
        if let Some(expected) = request.folder
            && writable::identity_of(rustix::fs::open(".", here, rustix::fs::Mode::empty())?)? != expected
        {
            let message = "its working folder was replaced by something else".to_owned();
            return say(&mut self.report, &Report::NotHeld { message });
        }
        // As long as this is open, nobody takes the folder for abandoned.
        let _hold = writable::hold(&request.temp);
        let leader = match spawn_held(&request, self.output) {
            Ok(leader) => leader,
            Err(report) => return say(&mut self.report, &report),
        };
        let (report, host_gone) = Brood::new(leader, request.hang_up).watch(&mut self.control);
        if host_gone {
            let _ = remove_tree(&request.temp);
        }
        say(&mut self.report, &report)
    }
}

/// Closes every descriptor but the standard ones. The helper was born with them, so nothing here owns any, and the command
/// would inherit those that the host's own parent left open.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the kernel's list of descriptors, no file of a workspace"
)]
fn close_foreign_descriptors() {
    /// Where there is no list, the numbers a process gets first.
    const LIKELY: std::ops::Range<i32> = 3..1024;
    let numbers: Vec<i32> = match std::fs::read_dir(system::DESCRIPTORS) {
        Ok(entries) => entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|number| *number > 2)
            .collect(),
        Err(_) => LIKELY.collect(),
    };
    for number in numbers {
        let _ = nix::unistd::close(number);
    }
}

/// Holds a thread to the request's bounds and starts the program from there: what the thread is held to, the program inherits,
/// while the helper stays free to end it.
fn spawn_held(request: &Request, output: OwnedFd) -> Result<Pid, Report> {
    let not_held = |message: String| Report::NotHeld { message };
    let spawned = |output| {
        spawn(request, output).map_err(|error| Report::NotStarted {
            errno: error.raw_os_error().unwrap_or(0),
            message: error.to_string(),
        })
    };
    let Some(bounds) = &request.bounds else { return spawned(output) };
    thread::scope(|scope| {
        let held = || {
            sandbox_system::hold(bounds).map_err(|error| not_held(error.to_string()))?;
            spawned(output)
        };
        let starter = thread::Builder::new().spawn_scoped(scope, held);
        let starter = starter.map_err(|error| not_held(error.to_string()))?;
        starter.join().unwrap_or_else(|_| Err(not_held("the thread that starts it failed".to_owned())))
    })
}

/// Starts the program with exactly what the request names. It inherits the helper's working folder and three descriptors.
#[expect(clippy::disallowed_methods, reason = "this is the door")]
fn spawn(request: &Request, output: OwnedFd) -> io::Result<Pid> {
    // A shell that says on a stream nobody reads any more that it was asked to end dies of that before it has cleaned up.
    let errors = if request.hang_up { Stdio::null() } else { Stdio::from(output.try_clone()?) };
    let (program, args) = sandbox_system::command(request);
    let child = Command::new(program)
        .args(args)
        .env_clear()
        .envs(request.env.iter().map(|(key, value)| (key, value)))
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        // A group of its own, so that a script's `kill 0` does not reach the helper.
        .process_group(0)
        .spawn()?;
    Pid::from_raw(child.id().cast_signed()).ok_or_else(|| io::Error::from(Errno::SRCH))
}

fn say(report: &mut File, what: &Report) -> io::Result<()> {
    report.write_all(&serde_json::to_vec(what)?)
}

/// The command and everything it started.
struct Brood {
    leader: Pid,
    leader_status: Option<WaitStatus>,
    ending: Option<Ending>,
    host_gone: bool,
    hang_up: bool,
}

/// Everything is being ended.
struct Ending {
    /// What came after the first round is left alone until then: it cleans up for what was asked to end.
    ask_again_at: Instant,
    kill_at: Instant,
    give_up_at: Instant,
    asked: HashSet<Process>,
}

impl Brood {
    fn new(leader: Pid, hang_up: bool) -> Self {
        Self { leader, leader_status: None, ending: None, host_gone: false, hang_up }
    }

    /// Waits until nothing is left; true beside the report when the host died meanwhile.
    fn watch(mut self, control: &mut File) -> (Report, bool) {
        let leader_handle = system::end_of(self.leader);
        let survivors = loop {
            if !self.reap() && nothing_is_left() {
                break 0;
            }
            if self.leader_status.is_some() && self.ending.is_none() {
                self.end(LEFTOVER_GRACE);
            }
            if let Some(ending) = &mut self.ending
                && let Some(survivors) = ending.round(self.leader, self.hang_up)
            {
                break survivors;
            }
            if self.wait_for_news(control, leader_handle.as_ref()) {
                self.listen(control);
            }
        };
        let status = self.leader_status;
        let report = Report::Ended {
            exit_code: status.and_then(WaitStatus::exit_status),
            signal: status.and_then(WaitStatus::terminating_signal),
            survivors,
        };
        (report, self.host_gone)
    }

    /// Takes in every child that ended; false when none is left.
    fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.leader => self.leader_status = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Sleeps until something may have changed; true when the host has spoken or gone.
    fn wait_for_news(&self, control: &File, leader: Option<&OwnedFd>) -> bool {
        let tick = match (&self.ending, leader) {
            (None, Some(_)) => REAP_INTERVAL,
            _ => ROUND,
        };
        let tick = Timespec { tv_sec: tick.as_secs().cast_signed(), tv_nsec: tick.subsec_nanos().into() };
        let mut watched = Vec::with_capacity(2);
        if !self.host_gone {
            watched.push(PollFd::from_borrowed_fd(control.as_fd(), PollFlags::IN));
        }
        // A dead leader's handle stays readable; it is news only once.
        if self.ending.is_none()
            && let Some(leader) = leader
        {
            watched.push(PollFd::from_borrowed_fd(leader.as_fd(), PollFlags::IN));
        }
        let _ = poll(&mut watched, Some(&tick));
        !self.host_gone && watched.first().is_some_and(|control| !control.revents().is_empty())
    }

    fn listen(&mut self, control: &mut File) {
        let mut message = [0; END_MESSAGE_BYTES];
        if control.read_exact(&mut message).is_ok() {
            self.end(Duration::from_millis(end_grace_ms(message).into()));
        } else {
            self.host_gone = true;
            self.end(HOST_GONE_GRACE);
        }
    }

    /// Begins to end everything, or hurries.
    fn end(&mut self, grace: Duration) {
        let kill_at = Instant::now() + grace;
        let ending = self.ending.get_or_insert_with(|| Ending {
            ask_again_at: Instant::now() + grace / 2,
            kill_at,
            give_up_at: kill_at + KILL_PATIENCE,
            asked: HashSet::new(),
        });
        ending.kill_at = ending.kill_at.min(kill_at);
        ending.give_up_at = ending.kill_at + KILL_PATIENCE;
    }
}

/// No children, and where orphans come back to us no descendants either.
fn nothing_is_left() -> bool {
    processes::ORPHANS_COME_BACK || descendants(getpid()).is_none_or(|left| left.is_empty())
}

impl Ending {
    /// Signals what is left; how much that is, when it is time to give up.
    fn round(&mut self, leader: Pid, hang_up: bool) -> Option<u32> {
        let now = Instant::now();
        let for_good = now >= self.kill_at;
        match descendants(getpid()) {
            Some(left) if now >= self.give_up_at => return Some(left.len() as u32),
            Some(left) if for_good => left.into_iter().for_each(kill),
            Some(_) if now < self.ask_again_at && !self.asked.is_empty() => {}
            Some(left) => left
                .into_iter()
                .filter(|one| self.asked.insert(*one))
                .for_each(|process| terminate(process, hang_up)),
            None if now >= self.give_up_at => return Some(1),
            None => signal_group(leader, for_good),
        }
        None
    }
}
