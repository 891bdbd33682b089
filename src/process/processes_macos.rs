//! macOS: processes by the kernel's own records.
//!
//! There is no handle of a process: between the look at its start time and the signal lies a moment in which its number could
//! come again, which takes a hundred thousand new processes.
#![expect(unsafe_code, reason = "records of other processes have no safe wrapper")]

use std::{
    ffi::OsStr,
    mem::{self, MaybeUninit},
    os::unix::ffi::OsStrExt as _,
    ptr,
    time::Instant,
};

use rustix::process::{Pid, Signal, getsid, kill_process};

use super::kill_unix::{Process, Stat};

/// Orphans fall to the system's first process.
pub(super) const ORPHANS_COME_BACK: bool = false;

/// True for a process of the session that `leader` began. One that began a session of its own is found by its parent, or by the
/// mark in its environment.
pub(super) fn is_of_session(pid: Pid, leader: Pid) -> bool {
    getsid(Some(pid)).is_ok_and(|session| session == leader)
}

/// Sends a signal to a process, if it is still that one.
pub(super) fn send(process: Process, signal: Signal) {
    if stat(process.pid).is_some_and(|stat| stat.started == process.started) {
        // Gone already, or another user's: both are seen in the next round.
        let _ = kill_process(process.pid, signal);
    }
}

/// All processes; `None` where they cannot be listed.
pub(super) fn all(_until: Option<Instant>) -> Option<Vec<(Process, Stat)>> {
    // SAFETY: without a buffer the call only counts.
    let count = unsafe { libc::proc_listallpids(ptr::null_mut(), 0) };
    // Some may begin meanwhile.
    let mut pids = vec![0_i32; usize::try_from(count).ok()? + 64];
    let bytes = i32::try_from(mem::size_of_val(pids.as_slice())).ok()?;
    // SAFETY: the buffer is ours and has the length that is told.
    let count = unsafe { libc::proc_listallpids(pids.as_mut_ptr().cast(), bytes) };
    pids.truncate(usize::try_from(count).ok()?);
    let known = |pid| stat(pid).map(|stat| (Process { pid, started: stat.started }, stat));
    Some(pids.into_iter().filter_map(Pid::from_raw).filter_map(known).collect())
}

/// Orphans are no children of this process.
pub(super) fn own_children() -> Option<Vec<Pid>> {
    None
}

/// Nobody asks where there are no children.
pub(super) fn newest_child(_parent: Pid) -> Option<Process> {
    None
}

fn stat(pid: Pid) -> Option<Stat> {
    let mut record = MaybeUninit::<libc::proc_bsdinfo>::zeroed();
    let length = i32::try_from(mem::size_of::<libc::proc_bsdinfo>()).ok()?;
    let number = pid.as_raw_nonzero().get();
    // SAFETY: the record is ours and has the length that is told.
    let filled =
        unsafe { libc::proc_pidinfo(number, libc::PROC_PIDTBSDINFO, 0, record.as_mut_ptr().cast(), length) };
    if filled != length {
        return None;
    }
    // SAFETY: plain numbers, which the call has filled in.
    let record = unsafe { record.assume_init() };
    Some(Stat {
        parent: i32::try_from(record.pbi_ppid).ok()?,
        started: record.pbi_start_tvsec * 1_000_000 + record.pbi_start_tvusec,
        dead: record.pbi_status == libc::SZOMB,
    })
}

/// True when the environment that a process began with contains `entry`.
pub(super) fn has_environment_entry(pid: Pid, entry: &OsStr) -> bool {
    let Some(arguments) = arguments(pid) else { return false };
    arguments.split(|byte| *byte == 0).any(|one| one == entry.as_bytes())
}

/// What a process began with: how many arguments, its path, they, and its environment.
fn arguments(pid: Pid) -> Option<Vec<u8>> {
    // What is beyond 2 MiB is not ours.
    let mut buffer = vec![0_u8; 2 * 1024 * 1024];
    let mut length = buffer.len();
    let mut name = [libc::CTL_KERN, libc::KERN_PROCARGS2, pid.as_raw_nonzero().get()];
    // SAFETY: name and buffer are ours and have the lengths that are told.
    let failed = unsafe {
        libc::sysctl(name.as_mut_ptr(), 3, buffer.as_mut_ptr().cast(), &raw mut length, ptr::null_mut(), 0)
    };
    if failed != 0 {
        return None;
    }
    buffer.truncate(length);
    Some(buffer)
}
