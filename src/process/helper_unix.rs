//! The helper: the binary, started again, as the parent of one command and the reaper of all that it starts.
//!
//! It speaks [`protocol`](super::protocol) with the host: stdin is the control pipe, stdout the command's output, stderr the
//! report. It begins before any thread or runtime exists, starts one program from a thread that is held to the program's bounds, and never outlives what that program started,
//! nor the other way round.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, Read, Write},
    os::fd::{AsFd, OwnedFd},
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, fcntl_dupfd_cloexec},
    process::{Pid, WaitOptions, WaitStatus, getpid, setpriority_process, setsid, wait},
    stdio,
};

use super::{
    kill_unix::{Process, Sweep, descendants, descendants_by, kill, signal_group, terminate},
    processes,
    protocol::{END_MESSAGE_BYTES, Report, Request, end_grace_ms},
    starter::{self, Inside, Started},
    system,
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
/// Where new ones keep coming while they are killed, each of them gets this long to be gone.
const LATECOMER_PATIENCE: Duration = Duration::from_millis(500);
/// And all of them together this long, as long as a host waits for an answer (its own patience is 3 s). A dead host waits for none.
const STORM_PATIENCE: Duration = Duration::from_secs(2);
/// Between two looks at what is left.
const ROUND: Duration = Duration::from_millis(20);
/// Between two looks at all processes while children are killed without a pause.
const FULL_LOOK: Duration = Duration::from_secs(1);
/// So many children are waited for in one go: where new ones die as fast as that, the rest of the work must not wait for ever.
const REAPED_AT_ONCE: usize = 256;
/// So many dead orphans at one look come from a program that makes them on and on: they are not left lying for [`REAP_INTERVAL`].
const CROWD: usize = 32;
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
        let (control, output) = (&mut self.control, self.output);
        let (report, host_gone) = thread::scope(|scope| match starter::start(scope, &request, output) {
            Ok(started) => Brood::new(started, request.hang_up).watch(control),
            Err(report) => (report, false),
        });
        if host_gone {
            let _ = remove_tree(&request.temp);
        }
        let told = say(&mut self.report, &report);
        // It may go while it is told: then nobody else takes the folder away.
        if !host_gone && (told.is_err() || is_gone(&self.control)) {
            let _ = remove_tree(&request.temp);
        }
        told
    }
}

/// The other end of this pipe is closed, whatever is still in it.
fn is_gone(control: &File) -> bool {
    let mut watched = [PollFd::from_borrowed_fd(control.as_fd(), PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut watched, Some(&now)).is_ok() && watched[0].revents().contains(PollFlags::HUP)
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

fn say(report: &mut File, what: &Report) -> io::Result<()> {
    report.write_all(&serde_json::to_vec(what)?)
}

/// The command and everything it started.
struct Brood {
    leader: Pid,
    leader_status: Option<WaitStatus>,
    ending: Option<Ending>,
    inside: Option<Inside>,
    sweep: Sweep,
    /// How many ended at the last look.
    reaped: usize,
    host_gone: bool,
    hang_up: bool,
}

/// Everything is being ended.
struct Ending {
    /// What came after the first round is left alone until then: it cleans up for what was asked to end.
    ask_again_at: Instant,
    kill_at: Instant,
    give_up_at: Instant,
    full_look_at: Instant,
    asked: HashSet<Process>,
    killed: HashSet<Process>,
    /// The last look found something that had not been killed yet: there may be more by now.
    is_storm: bool,
}

impl Brood {
    fn new(Started { leader, inside }: Started, hang_up: bool) -> Self {
        Self {
            leader,
            inside,
            leader_status: None,
            ending: None,
            sweep: Sweep::default(),
            reaped: 0,
            host_gone: false,
            hang_up,
        }
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
                && let Some(survivors) = ending.round(
                    self.leader,
                    self.hang_up,
                    self.host_gone,
                    self.inside.as_ref(),
                    &mut self.sweep,
                )
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

    /// Takes in the children that ended; false when none is left.
    fn reap(&mut self) -> bool {
        self.reaped = 0;
        while self.reaped < REAPED_AT_ONCE {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => {
                    self.reaped += 1;
                    self.sweep.forget(pid);
                    if pid == self.leader {
                        self.leader_status = Some(status);
                    }
                }
                Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
        true
    }

    /// Sleeps until something may have changed; true when the host has spoken or gone.
    fn wait_for_news(&self, control: &File, leader: Option<&OwnedFd>) -> bool {
        let tick = match (&self.ending, leader) {
            _ if self.reaped == REAPED_AT_ONCE => Duration::ZERO,
            (Some(ending), _) if ending.is_storm => Duration::ZERO,
            (None, Some(_)) if self.reaped < CROWD => REAP_INTERVAL,
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
        let ending = self.ending.get_or_insert_with(|| {
            // Whoever starts programs without end takes the processor from the one that ends them. Only root may ask for more.
            let _ = setpriority_process(None, -20);
            Ending {
                ask_again_at: Instant::now() + grace / 2,
                kill_at,
                give_up_at: kill_at + KILL_PATIENCE,
                full_look_at: Instant::now(),
                asked: HashSet::new(),
                killed: HashSet::new(),
                is_storm: false,
            }
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
    fn round(
        &mut self,
        leader: Pid,
        hang_up: bool,
        host_gone: bool,
        inside: Option<&Inside>,
        sweep: &mut Sweep,
    ) -> Option<u32> {
        if Instant::now() < self.kill_at {
            self.ask(leader, hang_up);
            return None;
        }
        if let Some(inside) = inside
            && Instant::now() >= self.full_look_at
        {
            inside.strike();
        }
        self.is_storm = sweep.round(|_| false).is_some_and(|new| new > 0);
        let now = Instant::now();
        if self.is_storm && now < self.full_look_at {
            return None;
        }
        self.full_look_at = now + FULL_LOOK;
        let Some(left) = descendants(getpid()) else {
            signal_group(leader, true);
            return (now >= self.give_up_at).then_some(1);
        };
        left.iter().copied().for_each(kill);
        let known = self.killed.len();
        self.killed.extend(&left);
        if self.killed.len() > known {
            self.is_storm = true;
            self.give_up_at = self.give_up_at.max(now + LATECOMER_PATIENCE);
            if !host_gone {
                self.give_up_at = self.give_up_at.min(self.kill_at + STORM_PATIENCE);
            }
        }
        (now >= self.give_up_at).then_some(left.len() as u32)
    }

    /// Asks each to end, once.
    fn ask(&mut self, leader: Pid, hang_up: bool) {
        if Instant::now() < self.ask_again_at && !self.asked.is_empty() {
            return;
        }
        match descendants_by(getpid(), Some(self.kill_at)) {
            Some(left) => left
                .into_iter()
                .filter(|one| self.asked.insert(*one))
                .for_each(|process| terminate(process, hang_up)),
            None => signal_group(leader, false),
        }
    }
}
