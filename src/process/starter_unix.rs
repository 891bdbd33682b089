//! The thread that starts the program: it is held to the program's bounds, which the program inherits, while the helper stays free
//! to end it.
//!
//! Where no signal leaves these bounds, the thread stays. What it sends to everything reaches the program and all that came from it, in
//! one step of the kernel, between two forks of any of them, and reaches nothing else.

use std::{
    io,
    os::{fd::OwnedFd, unix::process::CommandExt as _},
    process::{Command, Stdio},
    sync::mpsc::{Receiver, Sender, channel},
    thread::{self, Scope},
};

use rustix::{
    io::Errno,
    process::{Pid, getppid, setpriority_process, test_kill_process},
};

use super::{
    kill_unix::kill_everything_unchecked,
    protocol::{Report, Request},
    sandbox_system,
};

/// A program that runs.
pub(super) struct Started {
    pub(super) leader: Pid,
    /// Where no signal leaves its bounds.
    pub(super) inside: Option<Inside>,
}

/// The thread that stayed within the bounds, until this is dropped.
pub(super) struct Inside {
    strike: Sender<()>,
    struck: Receiver<()>,
}

impl Inside {
    /// Kills everything within the bounds.
    pub(super) fn strike(&self) {
        if self.strike.send(()).is_ok() {
            let _ = self.struck.recv();
        }
    }
}

/// Starts the program with exactly what the request names, held to the request's bounds.
pub(super) fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    request: &'scope Request,
    output: OwnedFd,
) -> Result<Started, Report> {
    let Some(bounds) = &request.bounds else {
        return Ok(Started { leader: spawned(request, output)?, inside: None });
    };
    let (tell, told) = channel();
    let (strike, strikes) = channel();
    let (done, struck) = channel();
    // That it can be signalled from here, and not from the thread, is the proof that the bounds keep signals in.
    let host = getppid().filter(|host| test_kill_process(*host).is_ok());
    let held = move || {
        let leader = sandbox_system::hold(bounds)
            .map_err(|error| not_held(error.to_string()))
            .and_then(|()| spawned(request, output));
        let stays = leader.is_ok() && host.is_some_and(|host| sandbox_system::keeps_signals_in(bounds, host));
        if tell.send(leader.map(|leader| (leader, stays))).is_err() || !stays {
            return;
        }
        for () in strikes {
            // Before those that it ends: they may be many, and busy.
            let _ = setpriority_process(None, -20);
            kill_everything_unchecked();
            let _ = done.send(());
        }
    };
    thread::Builder::new().spawn_scoped(scope, held).map_err(|error| not_held(error.to_string()))?;
    let (leader, stays) =
        told.recv().map_err(|_| not_held("the thread that starts it failed".to_owned()))??;
    Ok(Started { leader, inside: stays.then_some(Inside { strike, struck }) })
}

fn not_held(message: String) -> Report {
    Report::NotHeld { message }
}

fn spawned(request: &Request, output: OwnedFd) -> Result<Pid, Report> {
    spawn(request, output).map_err(|error| Report::NotStarted {
        errno: error.raw_os_error().unwrap_or(0),
        message: error.to_string(),
    })
}

/// It inherits the helper's working folder and three descriptors.
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
