//! The host's own children: the helpers, and what a helper that was killed leaves behind.
//!
//! A helper ends all that it started. Where somebody kills the helper itself, the system gives its children to the host, which
//! ends them: whatever it did not start itself is such an orphan.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    io,
    path::Path,
    process::{Child, Command},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process_group, waitid, waitpid,
};

use super::{
    Ending,
    kill_unix::{self, Sweep, kill, strangers},
    system,
};

/// How long orphans are ended for: what is stuck in the kernel longer cannot be helped.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two looks.
const ROUND: Duration = Duration::from_millis(5);

/// Of the whole process, like the children themselves, however many doors it has.
static FAMILY: Mutex<Family> = Mutex::new(Family { helpers: BTreeSet::new(), adopts: false });

#[derive(Debug)]
struct Family {
    helpers: BTreeSet<u32>,
    adopts: bool,
}

/// From now on orphans fall to this process. Only for one that starts nothing but through its door.
pub(super) fn adopt_orphans() {
    family().adopts = system::adopt_orphans().is_ok();
}

/// Starts a helper.
pub(super) fn spawn_helper(command: &mut Command) -> io::Result<Child> {
    // Held meanwhile: a child that is not yet listed would be taken for an orphan.
    let mut family = family();
    let child = command.spawn()?;
    family.helpers.insert(child.id());
    Ok(child)
}

/// A program of ours and its process group.
#[derive(Debug)]
pub(super) struct Group(Option<Pid>);

/// What a browser has that was started from a dock: a host that works with it works everywhere.
const DOCK_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/// The variables of a browser that was started from a dock, as far as they are worse than ours.
pub(super) fn desktop_environment() -> &'static [(&'static str, &'static str)] {
    &[("PATH", DOCK_PATH)]
}

/// Starts a program in a process group of its own, known to the family: else a host that ends orphans would take it for one.
pub(super) fn spawn_own(command: &mut Command) -> io::Result<(Child, Group)> {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
    let child = spawn_helper(command)?;
    let group = Group(pid(&child));
    Ok((child, group))
}

/// How it ended; `None` while it runs. Looks without reaping: as long as the child is not reaped, its number, and so its group's,
/// belongs to nobody else.
pub(super) fn ending(child: &Child) -> Option<Ending> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(pid(child)?), options).ok()??;
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Some(Ending::Exit(code)),
        (None, Some(signal)) => Some(Ending::Signal(signal)),
        (None, None) => None,
    }
}

/// Asks what has this number to leave, where it is meant and has started nothing that runs; whether it is gone in time.
pub(super) fn ask_to_leave(pid: u32, is_meant: impl Fn() -> bool, patience: Duration) -> bool {
    let Some(process) = i32::try_from(pid).ok().and_then(Pid::from_raw).and_then(kill_unix::of_pid) else {
        return true;
    };
    // Looked at with its start time in hand: who takes its number later is another one.
    if !is_meant() || kill_unix::descendants(process.pid).is_none_or(|below| !below.is_empty()) {
        return false;
    }
    kill_unix::terminate(process, false);
    let until = Instant::now() + patience;
    while kill_unix::of_pid(process.pid) == Some(process) {
        if Instant::now() >= until {
            return false;
        }
        thread::sleep(ROUND);
    }
    true
}

impl Group {
    /// Kills the program, which was not waited for yet, and its whole group.
    pub(super) fn kill(&self) {
        if let Some(pid) = self.0 {
            // Fails only when nothing of the group is left.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

/// Waits for a program of ours that was killed.
pub(super) fn wait_for_own(child: &mut Child) {
    let _ = child.wait();
    forget_helper(child);
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// A helper was waited for.
pub(super) fn forget_helper(helper: &Child) {
    family().helpers.remove(&helper.id());
}

/// Whether something that lives was started with this temporary folder.
pub(super) fn uses(temp: &Path) -> bool {
    !kill_unix::marked(&temp_entry(temp)).is_empty()
}

/// The mark of a run in the environment of all that it started.
pub(super) fn temp_entry(temp: &Path) -> OsString {
    let mut entry = OsString::from("TMPDIR=");
    entry.push(temp);
    entry
}

/// Ends what killed helpers left behind.
pub(super) fn end_orphans() {
    let family = family();
    let mut until = Instant::now() + PATIENCE;
    let give_up_at = until + PATIENCE;
    let is_known = |child: Pid| family.helpers.contains(&child.as_raw_nonzero().get().unsigned_abs());
    let mut sweep = Sweep::default();
    while family.adopts && Instant::now() < until {
        // Without a pause, as long as new ones come.
        while sweep.round(is_known).is_some_and(|new| new > 0) && Instant::now() < give_up_at {
            until = until.max(Instant::now() + PATIENCE / 2);
        }
        let orphans = strangers(getpid(), &family.helpers).unwrap_or_default();
        if orphans.children.is_empty() {
            return;
        }
        orphans.living.iter().copied().for_each(kill);
        for child in orphans.children {
            if let Ok(Some(_)) = waitpid(Some(child), WaitOptions::NOHANG) {
                sweep.forget(child);
            }
        }
        thread::sleep(ROUND);
    }
}

fn family() -> MutexGuard<'static, Family> {
    FAMILY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What [`end_orphans`] has to end and to wait for.
#[derive(Debug, Default)]
pub(super) struct Strangers {
    /// Children that nobody knows, dead ones too.
    pub(super) children: Vec<Pid>,
    /// They and their descendants, as far as they live.
    pub(super) living: Vec<super::kill_unix::Process>,
}
