//! Finds what a process started and signals it, without ever hitting a stranger.
//!
//! Process ids are reused. A signal therefore goes through a pidfd whose process was seen to be the one that was found,
//! told apart by its start time.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ffi::OsStr,
    io::Read,
    os::unix::ffi::OsStrExt,
    path::Path,
};

use rustix::{
    io::Errno,
    process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal},
};

use super::family::Strangers;

/// A process, told apart from later ones with the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Process {
    pid: Pid,
    started: u64,
}

#[derive(Debug, PartialEq, Eq)]
struct Stat {
    parent: i32,
    started: u64,
    dead: bool,
}

/// By the id of their parent; whether each is dead.
type Children = HashMap<i32, Vec<(Process, bool)>>;

/// Every living descendant of `root`; `None` where processes cannot be listed.
pub(super) fn descendants(root: Pid) -> Option<Vec<Process>> {
    Some(below(&children()?, vec![root.as_raw_nonzero().get()]))
}

/// The children of `root` but for `known`, and all that is below them.
pub(super) fn strangers(root: Pid, known: &BTreeSet<u32>) -> Option<Strangers> {
    let all = children()?;
    let direct = all.get(&root.as_raw_nonzero().get());
    let unknown = direct
        .into_iter()
        .flatten()
        .filter(|(process, _)| !known.contains(&process.pid.as_raw_nonzero().get().unsigned_abs()));
    let mut strangers = Strangers::default();
    for (process, dead) in unknown {
        strangers.children.push(process.pid);
        strangers.living.extend((!dead).then_some(*process));
        strangers.living.extend(below(&all, vec![process.pid.as_raw_nonzero().get()]));
    }
    Some(strangers)
}

fn children() -> Option<Children> {
    let mut children = Children::new();
    for (process, stat) in processes()? {
        children.entry(stat.parent).or_default().push((process, stat.dead));
    }
    Some(children)
}

fn below(children: &Children, mut parents: Vec<i32>) -> Vec<Process> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    while let Some(parent) = parents.pop() {
        for &(child, dead) in children.get(&parent).into_iter().flatten() {
            if seen.insert(child) {
                parents.push(child.pid.as_raw_nonzero().get());
                if !dead {
                    found.push(child);
                }
            }
        }
    }
    found
}

/// Asks a process to end; one that is stopped is woken up to hear it.
pub(super) fn terminate(process: Process, hang_up: bool) {
    send(process, Signal::TERM);
    if hang_up {
        send(process, Signal::HUP);
    }
    send(process, Signal::CONT);
}

/// Ends a process.
pub(super) fn kill(process: Process) {
    send(process, Signal::KILL);
}

/// Signals a whole group: all that is left to do where processes cannot be listed.
pub(super) fn signal_group(leader: Pid, for_good: bool) {
    let _ = kill_process_group(leader, if for_good { Signal::KILL } else { Signal::TERM });
}

/// Kills everything whose environment contains `entry`: the last resort when the helper itself was killed.
///
/// Each round may find what was started during the one before it; a program that starts copies of itself faster than that
/// needs a sandbox.
pub(super) fn kill_marked(entry: &OsStr) {
    const ROUNDS: usize = 10;
    for _ in 0..ROUNDS {
        let marked: Vec<_> = processes()
            .into_iter()
            .flatten()
            .filter(|(process, stat)| !stat.dead && has_environment_entry(process.pid, entry))
            .collect();
        if marked.is_empty() {
            return;
        }
        for (process, _) in marked {
            kill(process);
        }
    }
}

fn send(process: Process, signal: Signal) {
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

#[expect(
    clippy::disallowed_methods,
    reason = "`/proc` is the kernel's list of processes, no file of a workspace"
)]
fn processes() -> Option<Vec<(Process, Stat)>> {
    let entries = std::fs::read_dir("/proc").ok()?;
    let pids = entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(Pid::from_raw);
    Some(
        pids.filter_map(|pid| stat(pid).map(|stat| (Process { pid, started: stat.started }, stat))).collect(),
    )
}

fn stat(pid: Pid) -> Option<Stat> {
    parse_stat(&read_proc(pid, "stat", 4096)?)
}

fn has_environment_entry(pid: Pid, entry: &OsStr) -> bool {
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
    let mut content = Vec::new();
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

    #[test]
    fn this_process_is_among_its_parents_descendants() {
        let own = rustix::process::getpid();
        let parent = rustix::process::getppid().unwrap();
        assert!(descendants(parent).unwrap().iter().any(|process| process.pid == own));
    }
}
