//! What concerns the whole machine and not one browser: hosts that run, browsers with folders of their own, the state folder, WSL.

use std::path::{Path, PathBuf};

use super::{open_hosts, variable_checks};
use crate::journal;
use crate::{
    install::{
        browsers::{Family, Os, Scope},
        check::{Check, Mend, Verdict},
        environment::Environment,
        error::{InstallError, shown},
        files,
        ids::Ids,
        launcher::{self, Placement},
        obstacle::Obstacle,
        ownership::Record,
        permissions::{self, Access},
        running::{self, Profile},
        target::Target,
    },
    shell_words::{moved_aside, quoted, quoted_path},
};

/// All of them; `started` are the programs that the browsers' manifests name.
pub fn of(environment: &Environment, ids: &Ids, targets: &[Target], started: &[PathBuf]) -> Vec<Check> {
    let processes = running::processes(environment);
    let mut checks = vec![open_hosts::of(environment, ids, &processes, started)];
    checks.extend(variable_checks::of(environment, &processes));
    checks.extend(profiles(environment, ids, targets));
    checks.extend(own_folders(environment, ids, targets));
    checks.extend(record(environment));
    checks.extend(windows_browser(environment, targets));
    checks
}

/// Browsers that run with a user data folder of their own look for manifests there, and then where those for everybody are. What has one
/// is examined like every other browser; here is told what has none, and what nobody has looked at.
fn profiles(environment: &Environment, ids: &Ids, targets: &[Target]) -> Vec<Check> {
    const ID: &str = "browser.profile";
    running::profiles(environment)
        .into_iter()
        .filter(|profile| {
            profile.is_elsewhere || targets.iter().all(|target| !target.folder.starts_with(&profile.folder))
        })
        .map(|Profile { folder, family, is_elsewhere, is_of_this_home, .. }| {
            let place = quoted_path(&folder);
            let flags = match family {
                Family::Chromium => format!("--user-data-dir {place}"),
                Family::Firefox => format!("--browser-dir {place} --family firefox"),
            };
            if is_elsewhere {
                let message = "a browser runs in a container or a sandbox (firejail, toolbox and their like): what is installed here need not reach it";
                return Check::not_checked(ID, message)
                    .seen(shown(&folder))
                    .advice("not possible from here, because a browser starts programs of its own container only");
            }
            if folder.is_relative() {
                let message =
                    "a browser runs with a folder of its own, and where that is cannot be seen";
                return Check::not_checked(ID, message).seen(shown(&folder)).advice("name it: `--user-data-dir`");
            }
            let manifest = folder.join(family.manifest_folder(environment.os)).join(ids.file_name());
            if files::is_there(&manifest) {
                let message = if is_of_this_home {
                    "a browser runs with a folder of its own, which has a manifest; it was not examined"
                } else {
                    "a browser of another home folder runs with a folder of its own, which has a manifest; it was not examined"
                };
                return Check::not_checked(ID, message)
                    .seen(shown(&folder))
                    .fix(format!("{} doctor {flags}", environment.command()));
            }
            let message =
                "a browser runs with a folder of its own, in which there is no manifest, so it cannot start outrigger";
            let check = Check::problem(ID, message)
                .seen(shown(&folder))
                .fix(format!("{} install {flags}", environment.command()));
            if is_of_this_home {
                check.mended_by(Mend::InstallInto(folder, family))
            } else {
                // Somebody who runs a browser with another home folder has others of everything.
                Check { verdict: Verdict::Warning, ..check }
            }
        })
        .collect()
}

const CLOSED_PROGRAMS: &str =
    "outrigger's folder of programs cannot be used, so nothing can be installed or updated";

/// The folders of our own, where hosts keep what they did and copies of the program are: they can be made and written to.
fn own_folders(environment: &Environment, ids: &Ids, targets: &[Target]) -> Vec<Check> {
    const ID: &str = "state.folder";
    let folder = &environment.state_dir;
    if environment.os == Os::Windows {
        return Vec::new();
    }
    let kept = "outrigger's state folder cannot be used, so hosts cannot keep what they did, and nothing can be installed";
    if let Some(obstacle) = Obstacle::to_writing(folder) {
        return vec![obstacle.on(Check::problem(ID, kept))];
    }
    // A binary that is named itself needs no folder for copies.
    let is_used = targets.iter().any(|target| target.scope == Scope::User)
        && matches!(launcher::placement(environment, Scope::User, false), Placement::Launcher(_));
    let is_missing = || targets.iter().any(|target| !files::is_there(&target.manifest(&ids.file_name())));
    let needed = is_used && (files::is_there(&environment.program_dir) || is_missing());
    let program = Obstacle::to_writing(&environment.program_dir)
        .or_else(|| Obstacle::to_writing(launcher::path(environment).parent()?))
        .or_else(|| Obstacle::to_writing(&launcher::versions(environment)));
    if let Some(obstacle) = program.filter(|_| needed) {
        return vec![obstacle.on(Check::problem(ID, CLOSED_PROGRAMS))];
    }
    if let Some(check) = held(Check::problem(ID, CLOSED_PROGRAMS), &launcher::lock_file(environment)) {
        return vec![check];
    }
    if !files::is_there(folder) {
        return Vec::new();
    }
    let wrong = misfit(folder).or_else(|| closed(folder)).or_else(|| newer(folder));
    if let Some(check) = wrong {
        return vec![check];
    }
    if let Some(check) = no_journal(folder) {
        return vec![check];
    }
    if let Err(error) = files::try_writing(folder) {
        return vec![Check::problem(ID, kept).seen(error.to_string()).advice(error.help())];
    }
    let place = shown(folder);
    // A lock ends with its process, so one that is there is held by somebody who lives.
    let lock = environment.record_dir(Scope::User).join("installed.lock");
    vec![if files::is_locked(&lock) {
        let check =
            Check::warning(ID, "another outrigger is installing or uninstalling right now").seen(place);
        if environment.os == Os::Linux {
            check.fix(format!("flock {} true", quoted_path(lock))).advice("that waits for it")
        } else {
            check.advice("wait for it; `ps` shows it")
        }
    } else {
        Check::ok(ID, format!("the state folder `{place}` can be used"))
    }]
}

/// What hosts keep in the state folder, by what it has to be: something else in its place makes them go on without.
const KEPT: &[(&str, bool)] = &[
    ("journal.sqlite", false),
    ("journal.sqlite-wal", false),
    ("journal.sqlite-shm", false),
    ("log", true),
    ("log/outrigger.log", false),
    ("tmp", true),
];

/// The first thing in the state folder that hosts cannot use.
fn misfit(folder: &Path) -> Option<Check> {
    let (name, wants_folder) = KEPT.iter().find(|(name, wants_folder)| {
        let path = folder.join(name);
        files::is_there(&path) && (if *wants_folder { !path.is_dir() } else { !path.is_file() })
    })?;
    let path = folder.join(name);
    let word = if *wants_folder { "folder" } else { "file" };
    let message =
        format!("something stands where hosts have their {word} `{name}`, so they cannot keep what they did");
    let check = Check::problem("state.folder", message).seen(format!("no {word}: {}", shown(&path)));
    Some(check.fix(moved_aside(&path)))
}

/// The first thing in the state folder that is what it should be, and closed to this user.
fn closed(folder: &Path) -> Option<Check> {
    let (name, is_folder) = KEPT.iter().find(|(name, is_folder)| {
        let path = folder.join(name);
        let may_use =
            || if *is_folder { permissions::access(&path) == Access::Open } else { files::may_change(&path) };
        files::is_there(&path) && !may_use()
    })?;
    let path = folder.join(name);
    let message = format!("hosts may not write to their `{name}`, so they cannot keep what they did");
    let check =
        Check::problem("state.folder", message).seen(format!("not writable for this user: {}", shown(&path)));
    let place = quoted_path(&path);
    let (letters, bits) = if *is_folder { ("rwx", 0o700) } else { ("rw", 0o600) };
    Some(if permissions::is_own(&path) {
        check.fix(format!("chmod u+{letters} {place}")).mended_by(Mend::AddMode(path, bits))
    } else {
        check.fix(format!("sudo chown \"$(id -u)\" {place}"))
    })
}

/// A journal that a newer version has begun: this one changes nothing without one.
fn newer(folder: &Path) -> Option<Check> {
    let path = folder.join("journal.sqlite");
    let versions = journal::newer_version(&files::read_some(&path).ok()?)?;
    let message =
        "the journal is of a newer version of outrigger, so hosts of this one refuse to change anything";
    let check = Check::problem("state.folder", message);
    let (found, known) = versions;
    let check = check.seen(format!("version {found}, and this outrigger knows {known}: {}", shown(&path)));
    let files = ["", "-wal", "-shm"].map(|ending| folder.join(format!("journal.sqlite{ending}")));
    let there = files.iter().filter(|file| files::is_there(file));
    let aside = there.map(|file| moved_aside(file)).collect::<Vec<_>>().join(" && ");
    Some(check.fix(aside).advice("or install the newer version again, and keep what can be undone"))
}

/// Something else in the journal's place: the next call moves it away, and begins a new one.
fn no_journal(folder: &Path) -> Option<Check> {
    let path = folder.join("journal.sqlite");
    let begins = files::read_some(&path).ok()?;
    if begins.is_empty() {
        return None;
    }
    let (message, seen) = if journal::is_journal(&begins) {
        let message =
            "the journal is damaged: nothing of before can be undone, and the next call begins a new one";
        (message, format!("{}: {}", journal::damage_of(&path)?, shown(&path)))
    } else {
        let message =
            "the journal is no database: nothing of before can be undone, and the next call begins a new one";
        (message, shown(&path))
    };
    Some(Check::warning("state.folder", message).seen(seen).fix(moved_aside(&path)))
}

/// The record of what we wrote: without it nothing can be installed or taken back.
pub fn record(environment: &Environment) -> Option<Check> {
    const ID: &str = "state.record";
    let folder = environment.record_dir(Scope::User);
    let (file, lock) = (folder.join("installed.json"), folder.join("installed.lock"));
    let message =
        "the record of installed manifests cannot be used, so nothing can be installed or uninstalled";
    let check = Check::problem(ID, message);
    match Record::read(environment, Scope::User) {
        Err(error @ (InstallError::Record { .. } | InstallError::NotAFile { .. })) => {
            Some(check.seen(error.to_string()).fix(moved_aside(&file)))
        }
        // Why the folder is closed is told by the folder's own check.
        Err(_) if Obstacle::to_reaching(&folder).is_some() => None,
        Err(error) if error.is_denied() => {
            let check = check.seen(error.to_string());
            let place = quoted_path(&file);
            Some(if permissions::is_own(&file) {
                check.fix(format!("chmod u+rw {place}")).mended_by(Mend::AddMode(file, 0o600))
            } else {
                check.fix(format!("sudo chown \"$(id -u)\" {place}"))
            })
        }
        // A link that leads nowhere, or back to itself.
        Err(error) if files::link_of(&file).is_some() => {
            Some(check.seen(error.to_string()).fix(moved_aside(&file)))
        }
        Err(error) => Some(check.seen(error.to_string()).advice(error.help())),
        Ok(record) => {
            let damaged = record.manifests.iter().find(|owned| owned.before.existing().is_none());
            match damaged {
                Some(owned) => {
                    Some(check.seen(owned.damaged(environment).to_string()).fix(moved_aside(&file)))
                }
                None => held(check, &lock),
            }
        }
    }
}

/// A lock that this user cannot take: what it guards cannot be changed.
fn held(check: Check, lock: &Path) -> Option<Check> {
    let place = lock.to_string_lossy();
    if !files::is_there(lock) {
        return None;
    }
    if !lock.is_file() {
        let check = check.seen(format!("no file: {}", shown(lock)));
        return Some(check.fix(moved_aside(lock)));
    }
    // One of our own is opened by whoever takes it.
    if files::may_change(lock) || permissions::is_own(lock) {
        return None;
    }
    let check = check.seen(format!("not writable for this user: {}", shown(lock)));
    Some(check.fix(format!("sudo chown \"$(id -u)\" {}", quoted(&place))))
}

/// A browser of Windows cannot start a program of the Linux inside it.
fn windows_browser(environment: &Environment, targets: &[Target]) -> Option<Check> {
    const ID: &str = "browser.windows";
    if environment.os != Os::Linux {
        return None;
    }
    let version = files::read_some(&environment.processes.join("version")).unwrap_or_default();
    let version = String::from_utf8_lossy(&version).to_lowercase();
    if !version.contains("microsoft") {
        return None;
    }
    let message = "this is Linux inside Windows (WSL): browsers of Windows do not see what is installed here";
    let advice = "not possible from here, because a browser of Windows starts programs of Windows only: install outrigger for Windows there, in PowerShell: `outrigger.exe install`";
    let check = if targets.iter().any(|target| target.presence.is_there()) {
        Check::warning(ID, message)
    } else {
        Check::problem(ID, message)
    };
    Some(check.seen(version.trim().chars().take(80).collect::<String>()).advice(advice))
}
