//! The host's own children: the helpers, and what a helper that was killed leaves behind.
//!
//! A helper ends all that it started. Where somebody kills the helper itself, the system gives its children to the host, which
//! ends them: whatever it did not start itself is such an orphan.

use std::{
    collections::BTreeSet,
    io,
    process::{Child, Command},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, waitpid};

use super::kill_unix::{kill, strangers};

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
    family().adopts = set_child_subreaper(Some(getpid())).is_ok();
}

/// Starts a helper.
pub(super) fn spawn_helper(command: &mut Command) -> io::Result<Child> {
    // Held meanwhile: a child that is not yet listed would be taken for an orphan.
    let mut family = family();
    let child = command.spawn()?;
    family.helpers.insert(child.id());
    Ok(child)
}

/// A helper was waited for.
pub(super) fn forget_helper(helper: &Child) {
    family().helpers.remove(&helper.id());
}

/// Ends what killed helpers left behind.
pub(super) fn end_orphans() {
    let family = family();
    let until = Instant::now() + PATIENCE;
    while family.adopts && Instant::now() < until {
        let orphans = strangers(getpid(), &family.helpers).unwrap_or_default();
        if orphans.children.is_empty() {
            return;
        }
        orphans.living.iter().copied().for_each(kill);
        for child in orphans.children {
            let _ = waitpid(Some(child), WaitOptions::NOHANG);
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
