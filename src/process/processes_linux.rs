//! Linux: processes by `/proc`, signals through a handle of the process.

use std::{ffi::OsStr, io::Read, os::unix::ffi::OsStrExt, path::Path, time::Instant};

use rustix::{
    io::Errno,
    process::{Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open, pidfd_send_signal},
};

use super::kill_unix::{Process, Stat};

/// The helper is a subreaper: whatever loses its parent becomes its child.
pub(super) const ORPHANS_COME_BACK: bool = true;

/// Nobody asks where orphans come back.
pub(super) fn is_of_session(_pid: Pid, _leader: Pid) -> bool {
    false
}

/// Sends a signal to a process, if it is still that one.
pub(super) fn send(process: Process, signal: Signal) {
    match pidfd_open(process.pid, PidfdFlags::empty()) {
        Ok(handle) => {
            if stat(process.pid).is_some_and(|stat| stat.started == process.started) {
                // Gone already, or another user's: both are seen in the next round.
                let _ = pidfd_send_signal(&handle, signal);
            }
        }
        Err(Errno::NOSYS) => drop(kill_process(process.pid, signal)),
        Err(_) => {}
    }
}

/// All processes; `None` where they cannot be listed, or not by `until`.
#[expect(
    clippy::disallowed_methods,
    reason = "`/proc` is the kernel's list of processes, no file of a workspace"
)]
pub(super) fn all(until: Option<Instant>) -> Option<Vec<(Process, Stat)>> {
    let entries = std::fs::read_dir("/proc").ok()?;
    let pids = entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(Pid::from_raw);
    let mut found = Vec::new();
    for pid in pids {
        if until.is_some_and(|until| Instant::now() >= until) {
            return None;
        }
        found.extend(stat(pid).map(|stat| (Process { pid, started: stat.started }, stat)));
    }
    Some(found)
}

/// The children of this process, dead ones too, the newest last; `None` where the kernel keeps no such list. It is read in a moment,
/// however many processes the machine has.
#[expect(
    clippy::disallowed_methods,
    reason = "`/proc` is the kernel's list of processes, no file of a workspace"
)]
pub(super) fn own_children() -> Option<Vec<Pid>> {
    let mut children = Vec::new();
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        match std::fs::read_to_string(thread.ok()?.path().join("children")) {
            Ok(list) => {
                let numbers = list.split_ascii_whitespace().filter_map(|number| number.parse().ok());
                children.extend(numbers.filter_map(Pid::from_raw));
            }
            // The kernel has no such lists, or this thread has ended.
            Err(_) if children.is_empty() => return None,
            Err(_) => {}
        }
    }
    Some(children)
}

/// The newest child of another process below this one.
pub(super) fn newest_child(parent: Pid) -> Option<Process> {
    let number = parent.as_raw_nonzero().get();
    let list = read_proc(parent, &format!("task/{number}/children"), 64 * 1024)?;
    let newest = str::from_utf8(&list).ok()?.split_ascii_whitespace().next_back()?;
    let pid = Pid::from_raw(newest.parse().ok()?)?;
    let stat = stat(pid)?;
    // What lost its parent meanwhile is ours.
    let is_below = stat.parent == number || stat.parent == getpid().as_raw_nonzero().get();
    is_below.then_some(Process { pid, started: stat.started })
}

fn stat(pid: Pid) -> Option<Stat> {
    parse_stat(&read_proc(pid, "stat", 4096)?)
}

/// True when the environment that a process began with contains `entry`.
pub(super) fn has_environment_entry(pid: Pid, entry: &OsStr) -> bool {
    // An environment is at most as long as arguments may be; what is beyond 2 MiB is not ours.
    read_proc(pid, "environ", 2 * 1024 * 1024)
        .is_some_and(|environment| environment.split(|byte| *byte == 0).any(|one| one == entry.as_bytes()))
}

#[expect(
    clippy::disallowed_methods,
    reason = "`/proc` is the kernel's list of processes, no file of a workspace"
)]
fn read_proc(pid: Pid, name: &str, limit: u64) -> Option<Vec<u8>> {
    let path = Path::new("/proc").join(pid.as_raw_nonzero().to_string()).join(name);
    // A `stat` in one read: there may be thousands.
    let mut content = Vec::with_capacity(1024);
    std::fs::File::open(path).ok()?.take(limit).read_to_end(&mut content).ok()?;
    Some(content)
}

/// `pid (name) state parent …`; the name may contain anything, so the fields count from its last `)`.
fn parse_stat(line: &[u8]) -> Option<Stat> {
    let behind_name = line.iter().rposition(|byte| *byte == b')')? + 1;
    let mut fields = str::from_utf8(&line[behind_name..]).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // Field 22 of the line; state is field 3, parent field 4.
    let started = fields.nth(17)?.parse().ok()?;
    Some(Stat { parent, started, dead: matches!(state, "Z" | "X" | "x") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_forge_the_fields() {
        let line = b"42 (a) R 1 (b)) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 8765 9 10";
        assert_eq!(parse_stat(line), Some(Stat { parent: 7, started: 8765, dead: false }));
        let line = b"42 (x) Z 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 8765 9 10";
        assert!(parse_stat(line).unwrap().dead);
        assert_eq!(parse_stat(b"42 (x"), None);
    }
}
