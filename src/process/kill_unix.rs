//! Finds what a process started and signals it, without ever hitting a stranger.
//!
//! Process ids are reused. A signal therefore goes only to a process that was seen to be the one that was found, told apart by its
//! start time. How processes are listed and signalled is the system's affair (`processes_linux`, `processes_macos`).

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ffi::OsStr,
};

use rustix::process::{Pid, Signal, kill_process_group};

use super::{family::Strangers, processes};

/// A process, told apart from later ones with the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Process {
    pub(super) pid: Pid,
    pub(super) started: u64,
}

/// What the system knows of a process.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) parent: i32,
    pub(super) started: u64,
    pub(super) dead: bool,
}

/// By the id of their parent; whether each is dead.
type Children = HashMap<i32, Vec<(Process, bool)>>;

/// Every living descendant of `root`; `None` where processes cannot be listed.
pub(super) fn descendants(root: Pid) -> Option<Vec<Process>> {
    let mut found = below(&children()?, vec![root.as_raw_nonzero().get()]);
    // Where orphans fall to the system's first process, they are still of the session that the helper began.
    if !processes::ORPHANS_COME_BACK {
        let known: HashSet<Process> = found.iter().copied().collect();
        let of_session = processes::all()?.into_iter().filter(|(process, stat)| {
            !stat.dead
                && process.pid != root
                && !known.contains(process)
                && processes::is_of_session(process.pid, root)
        });
        found.extend(of_session.map(|(process, _)| process));
    }
    Some(found)
}

/// What has this number now, and lives.
pub(super) fn of_pid(pid: Pid) -> Option<Process> {
    let (process, stat) = processes::all()?.into_iter().find(|(process, _)| process.pid == pid)?;
    (!stat.dead).then_some(process)
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
    for (process, stat) in processes::all()? {
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
    processes::send(process, Signal::TERM);
    if hang_up {
        processes::send(process, Signal::HUP);
    }
    processes::send(process, Signal::CONT);
}

/// Ends a process.
pub(super) fn kill(process: Process) {
    processes::send(process, Signal::KILL);
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
        let marked = marked(entry);
        if marked.is_empty() {
            return;
        }
        marked.into_iter().for_each(kill);
    }
}

/// What lives and has `entry` in its environment.
pub(super) fn marked(entry: &OsStr) -> Vec<Process> {
    let all = processes::all().into_iter().flatten();
    let marked =
        all.filter(|(process, stat)| !stat.dead && processes::has_environment_entry(process.pid, entry));
    marked.map(|(process, _)| process).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_among_its_parents_descendants() {
        let own = rustix::process::getpid();
        let parent = rustix::process::getppid().unwrap();
        assert!(descendants(parent).unwrap().iter().any(|process| process.pid == own));
    }
}
