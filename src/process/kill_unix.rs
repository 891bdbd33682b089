//! Finds what a process started and signals it, without ever hitting a stranger.
//!
//! Process ids are reused. A signal therefore goes only to a process that was seen to be the one that was found, told apart by its
//! start time. How processes are listed and signalled is the system's affair (`processes_linux`, `processes_macos`).

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ffi::OsStr,
    time::Instant,
};

use rustix::process::{Pid, Signal, getpgid, getpgrp, kill_process, kill_process_group};

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
    descendants_by(root, None)
}

/// The same, or `None` when that takes longer than `until`: a machine may be full of processes, dead ones too.
pub(super) fn descendants_by(root: Pid, until: Option<Instant>) -> Option<Vec<Process>> {
    let mut found = below(&children(until)?, vec![root.as_raw_nonzero().get()]);
    // Where orphans fall to the system's first process, they are still of the session that the helper began.
    if !processes::ORPHANS_COME_BACK {
        let known: HashSet<Process> = found.iter().copied().collect();
        let of_session = processes::all(until)?.into_iter().filter(|(process, stat)| {
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
    let (process, stat) = processes::all(None)?.into_iter().find(|(process, _)| process.pid == pid)?;
    (!stat.dead).then_some(process)
}

/// The children of `root` but for `known`, and all that is below them.
pub(super) fn strangers(root: Pid, known: &BTreeSet<u32>) -> Option<Strangers> {
    let all = children(None)?;
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

fn children(until: Option<Instant>) -> Option<Children> {
    let mut children = Children::new();
    for (process, stat) in processes::all(until)? {
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

/// Kills whatever the calling thread may signal, but for this process: only from a thread that was seen to be kept from everything else.
pub(super) fn kill_everything_unchecked() {
    // The first process cannot be killed; its number as a group's means all.
    let _ = kill_process_group(Pid::INIT, Signal::KILL);
}

/// Kills the children of this process round by round, whatever they start meanwhile.
///
/// A program that forks and exits, over and over, is gone before a list of all processes is read to its end. The list of one's own
/// children is read in a moment, and what such a program leaves behind becomes a child at once.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    /// Not yet waited for.
    killed: HashSet<Pid>,
}

/// So many of the newest children are followed to what they started, and so far.
const FOLLOWED: usize = 64;

impl Sweep {
    /// Kills every child that is not `spared`, with its whole group: that takes a group in one step, between two forks of any member.
    /// How many children were new; `None` where children cannot be listed.
    ///
    /// It hits no stranger: a child that nobody waited for keeps its number and that of its group.
    pub(super) fn round(&mut self, spared: impl Fn(Pid) -> bool) -> Option<usize> {
        // Each once: the kernel walks through all that are dead in it, too. Never our own, nor the first
        // process's, whose number means all.
        let mut groups = HashSet::from([getpgrp(), Pid::INIT]);
        let before = self.killed.len();
        // The newest first: the others are mostly dead.
        for (age, child) in processes::own_children()?.into_iter().rev().enumerate() {
            if spared(child) || !self.killed.insert(child) {
                continue;
            }
            let _ = kill_process(child, Signal::KILL);
            if let Ok(group) = getpgid(Some(child))
                && groups.insert(group)
            {
                let _ = kill_process_group(group, Signal::KILL);
            }
            // One that dies may have started the next already. Killed before its own children are looked at, the last one starts none.
            let mut last = child;
            for _ in 0..if age < FOLLOWED { FOLLOWED } else { 0 } {
                let Some(next) = processes::newest_child(last) else { break };
                kill(next);
                last = next.pid;
            }
        }
        Some(self.killed.len() - before)
    }

    /// A child was waited for: another one may get its number.
    pub(super) fn forget(&mut self, child: Pid) {
        self.killed.remove(&child);
    }
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
    let all = processes::all(None).into_iter().flatten();
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
