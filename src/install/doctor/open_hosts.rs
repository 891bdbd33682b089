//! Hosts that browsers have open, and whether they are what would be started now.

use std::path::{Path, PathBuf};

use crate::{
    install::{
        browsers::{Family, Scope},
        check::{Check, Mend},
        environment::Environment,
        error::shown,
        files,
        ids::Ids,
        manifest,
        running::{self, Process, Profile},
        target::{self, Target},
    },
    process,
};

const ID: &str = "host.others";
/// Where numbers of processes are those of this machine.
const SYSTEM: &str = "/proc";
/// A host leaves within a fifth of a second.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

/// The check; `started` are the programs that the browsers' manifests name.
pub(super) fn of(environment: &Environment, ids: &Ids, processes: &[Process], started: &[PathBuf]) -> Check {
    let own = std::process::id();
    let hosts: Vec<&Process> = processes
        .iter()
        .filter(|process| process.pid != own && is_host(ids, process) && process.is_of_this_home(environment))
        .collect();
    let current: Vec<&Path> =
        [environment.binary.as_path()].into_iter().chain(started.iter().map(PathBuf::as_path)).collect();
    let mut old: Vec<&Process> =
        hosts.iter().copied().filter(|process| !is_one_of(&current, &process.program)).collect();
    if !old.is_empty() {
        // Of a browser that was not asked about.
        let others = named_anywhere(environment, ids);
        let others: Vec<&Path> = others.iter().map(PathBuf::as_path).collect();
        old.retain(|process| !is_one_of(&others, &process.program));
    }
    if !old.is_empty() {
        let seen: Vec<String> = old
            .iter()
            .map(|process| format!("process {}: {}", process.pid, shown(&process.program)))
            .collect();
        let pids: Vec<u32> = old.iter().map(|process| process.pid).collect();
        let message = "a host is still open that is not the one which would be started now: a session in the browser goes on with another build";
        return Check::problem(ID, message)
            .seen(seen.join("; "))
            .fix(format!("kill {}", words(&pids, " ")))
            .advice("or Reconnect in the side panel: both end what it has under way, and start the new one")
            .mended_by(Mend::EndHosts(pids));
    }
    let pids: Vec<u32> = hosts.iter().map(|process| process.pid).collect();
    match pids.as_slice() {
        [] => Check::ok(ID, "no browser has a host open now"),
        [only] => Check::ok(ID, format!("one host is open, process {only}")),
        several => {
            let (count, pids) = (several.len(), words(several, ", "));
            Check::ok(
                ID,
                format!("{count} hosts are open, one for each browser and profile: processes {pids}"),
            )
        }
    }
}

/// Asks them to leave; those that stay have something under way, or do not listen.
pub(super) fn end(environment: &Environment, ids: &Ids, pids: &[u32]) -> Result<(), String> {
    let is_meant = |pid: u32| {
        environment.processes == Path::new(SYSTEM)
            && running::processes(environment)
                .iter()
                .any(|process| process.pid == pid && is_host(ids, process))
    };
    let staying: Vec<u32> = pids
        .iter()
        .copied()
        .filter(|pid| !process::ask_to_leave(*pid, || is_meant(*pid), PATIENCE))
        .collect();
    if staying.is_empty() {
        return Ok(());
    }
    Err(format!(
        "a command that it started still runs, or it does not listen: process {}",
        words(&staying, ", ")
    ))
}

/// True for a process that a browser started as our host. Whose program cannot be seen is another user's, and no concern of this one.
fn is_host(ids: &Ids, process: &Process) -> bool {
    let first = process.words.get(1).map(String::as_str).unwrap_or_default();
    let is_called = first == ids.extension(Family::Chromium).to_string()
        || first.ends_with(&format!("/{}", ids.file_name()));
    is_called && !process.program.as_os_str().is_empty()
}

/// The programs that manifests of all browsers name, for this user and for everybody, and those of browsers with folders of their own.
fn named_anywhere(environment: &Environment, ids: &Ids) -> Vec<PathBuf> {
    let mut targets = target::known(environment, Scope::User);
    targets.extend(target::known(environment, Scope::System));
    let of_profile = |profile: Profile| Target::of_folder(environment, &profile.folder, profile.family).ok();
    targets.extend(running::profiles(environment).into_iter().filter_map(of_profile));
    let file_name = ids.file_name();
    let manifests = targets.iter().flat_map(|target| target.folders().map(|folder| folder.join(&file_name)));
    manifests.filter_map(|manifest| manifest::program_in(&files::read_through(&manifest).ok()?)).collect()
}

fn is_one_of(current: &[&Path], program: &Path) -> bool {
    let is_gone = program.to_string_lossy().ends_with(" (deleted)");
    let is = |known: &&Path| {
        *known == program
            || files::canonical(known).is_ok_and(|known| known == program)
            || files::same_contents(program, known)
    };
    !is_gone && current.iter().any(is)
}

fn words(pids: &[u32], between: &str) -> String {
    pids.iter().map(u32::to_string).collect::<Vec<_>>().join(between)
}
