//! Temporary names in a user's folders: what a change is built in before it takes its name, or put aside in before it goes.
//!
//! Whoever has one open holds a lock on it. A process that was killed left its lock behind with its life, so the next one that
//! changes something in the same folder can tell what is nobody's and takes it away. Never touches a name of another shape.
//!
//! A folder that is taken apart is the user's, and programs may go on in it: it has a name of its own kind, and of what is in there
//! only what was planned is taken away.

use std::{
    collections::HashSet,
    ffi::{OsStr, OsString},
    fs::File,
    io,
    sync::{LazyLock, Mutex, PoisonError},
    thread,
    time::{Duration, Instant, SystemTime},
};

use cap_std::fs::Dir;
use ulid::Ulid;

use super::{
    FileKind, Stat, displace, handle, kernel,
    planned::{self, Planned},
};
use crate::ids::new_ulid;

const FRONT: &str = ".outrigger-";
const BACK: &str = ".tmp";
/// Of a folder in which another one is, under its own name, that is taken apart.
const BACK_OLD: &str = ".old";
/// Links cannot be locked: only old ones are nobody's, as long as others may be at work.
const LINK_AGE: Duration = Duration::from_mins(1);
/// How long somebody else's hold on a file is waited for: one of ours is over in milliseconds, another program's may never be.
const PATIENCE: Duration = Duration::from_millis(500);
/// Short enough for whoever waits for a cancelled call.
const POLL: Duration = Duration::from_millis(10);
/// Folders remembered as swept; a process rarely writes to more.
const SWEPT_MAX: usize = 4096;

/// Folders that this process has swept: what is left in them later belongs to somebody who lives.
static SWEPT: LazyLock<Mutex<HashSet<(u64, u64)>>> = LazyLock::new(Mutex::default);

/// Held by the one thread of this process that sweeps.
static SWEEPING: Mutex<()> = Mutex::new(());

/// A fresh name.
pub(super) fn name() -> OsString {
    OsString::from(format!("{FRONT}{}{BACK}", new_ulid()))
}

/// Creates a file under a fresh name and locks it.
pub(super) fn create_file(folder: &Dir, mode: u32) -> io::Result<(OsString, File)> {
    sweep_once(folder);
    loop {
        let name = name();
        let file = handle::create_file(folder, &name, mode)?;
        let _ = handle::lock(&file);
        // Somebody who swept between the two calls may have taken it for nobody's.
        if handle::stat_open(&file)?.links > 0 {
            return Ok((name, file));
        }
    }
}

/// Creates a folder under a fresh name and locks it.
pub(super) fn create_folder(parent: &Dir) -> io::Result<(OsString, Dir, File)> {
    sweep_once(parent);
    loop {
        let name = name();
        handle::create_folder(parent, &name)?;
        match handle::open_folder_to_read(parent, &name) {
            Ok(folder) => {
                let held = folder.try_clone()?.into_std_file();
                let _ = handle::lock(&held);
                if handle::stat(parent, &name).is_ok() {
                    return Ok((name, folder, held));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

/// Creates a folder in which another one is taken apart, and locks it. A file in it lists what was planned, and is as old as the moment:
/// the file system's own clock says what was changed later.
pub(super) fn create_old(parent: &Dir, planned: &Planned) -> io::Result<(OsString, Dir, File)> {
    let name = OsString::from(format!("{FRONT}{}{BACK_OLD}", new_ulid()));
    handle::create_folder(parent, &name)?;
    let made = || {
        let folder = handle::open_folder_to_read(parent, &name)?;
        let held = folder.try_clone()?.into_std_file();
        let _ = handle::lock(&held);
        let moment = moment(&name).ok_or(io::ErrorKind::InvalidFilename)?;
        planned::write(planned, &mut handle::create_file(&folder, &moment, 0o600)?)?;
        Ok((folder, held))
    };
    match made() {
        Ok((folder, held)) => Ok((name, folder, held)),
        Err(error) => {
            leave_old(parent, &name);
            Err(error)
        }
    }
}

/// Takes it away. What is in it by now is the user's, and gets its name beside it: who works in the folder that was taken apart, and writes
/// to the one around it, writes here.
pub(super) fn leave_old(parent: &Dir, name: &OsStr) {
    let Ok(folder) = handle::open_folder_to_read(parent, name) else { return };
    let own = moment(name);
    for other in names(&folder).unwrap_or_default().iter().filter(|name| Some(*name) != own.as_ref()) {
        displace::return_or_keep((&folder, other), (parent, other));
    }
    // As long as there is something, it is known how old that is.
    if names(&folder).is_ok_and(|names| names.iter().all(|name| Some(name) == own.as_ref())) {
        let _ = own.map(|own| handle::remove_file(&folder, &own));
        drop(folder);
        let _ = handle::remove_folder(parent, name);
    }
}

/// It is the name of such a folder.
pub(super) fn is_old(name: &OsStr) -> bool {
    moment(name).is_some()
}

/// The name of the file in such a folder that lists what was planned.
fn moment(name: &OsStr) -> Option<OsString> {
    Some(format!("{}{BACK}", name.to_str()?.strip_suffix(BACK_OLD)?).into())
}

/// Goes on where somebody died who took a folder apart: what was planned and nobody has touched since goes, and if that is not all, the
/// folder gets its name again with the rest, or another one that nobody takes away.
fn end_old(parent: &Dir, name: &OsStr) -> io::Result<()> {
    let folder = handle::open_folder_to_read(parent, name)?;
    let own = moment(name);
    let list = own.as_ref().and_then(|own| handle::open_file(&folder, own).ok());
    let list = list.and_then(|list| Some((handle::stat_open(&list).ok()?, planned::read(&list).ok()?)));
    let Some((Stat { kind: FileKind::File, changed: since, .. }, planned)) = list else {
        // Whoever has filled it, no delete has: there is no name that it would have to give back.
        drop(folder);
        return handle::remove_folder(parent, name);
    };
    let goes = |now: &Stat| {
        planned.get(&now.identity).is_some_and(|then| {
            // One name of a file that goes changes the time of its others.
            let is_untouched = now.kind == FileKind::Folder || now.changed < since || then.links > 1;
            is_untouched && displace::is_still(now, then)
        })
    };
    for old in names(&folder)?.iter().filter(|name| Some(*name) != own.as_ref()) {
        let _ = displace::take_apart_where((&folder, old), &goes);
    }
    drop(folder);
    leave_old(parent, name);
    Ok(())
}

/// Holds a file of the user's until it is dropped, as far as the file system knows locks. Whoever else holds it is not waited for
/// without end: any program may, for as long as it likes.
pub(super) fn hold(file: &File) {
    let _ = wait_to_hold(file, PATIENCE, &|| false);
}

/// Waits until nobody else holds what is open, and holds it; false when that took too long, was given up or cannot be.
pub(super) fn wait_to_hold(file: &File, patience: Duration, gave_up: &dyn Fn() -> bool) -> bool {
    let began = Instant::now();
    let mut pause = Duration::from_micros(100);
    loop {
        match handle::hold(file) {
            Ok(()) => return true,
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return false,
            Err(_) if began.elapsed() >= patience || gave_up() => return false,
            Err(_) => {
                thread::sleep(pause);
                pause = (pause * 2).min(POLL);
            }
        }
    }
}

/// Holds an open file that was looked at; false when something else has taken its name since.
pub(super) fn hold_named(folder: &Dir, name: &OsStr, file: &File, seen: &Stat) -> bool {
    hold(file);
    handle::stat(folder, name).is_ok_and(|now| now.identity == seen.identity)
}

/// Takes away what dead processes left in this folder, once in the life of this one.
pub(super) fn sweep_once(folder: &Dir) {
    let Ok(stat) = handle::stat(folder, ".".as_ref()) else { return };
    {
        let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if swept.len() >= SWEPT_MAX {
            swept.clear();
        }
        if !swept.insert(stat.identity) {
            return;
        }
    }
    sweep(folder);
}

/// Takes away what dead processes left in this folder.
pub(super) fn sweep(folder: &Dir) {
    sweep_older(folder, LINK_AGE);
}

/// The same, links among it, while nobody else of ours makes any.
pub(super) fn sweep_alone(folder: &Dir) {
    sweep_older(folder, Duration::ZERO);
}

fn sweep_older(folder: &Dir, link_age: Duration) {
    // Another thread that is just about to remove something holds it, and would leave it to nobody.
    let _one = SWEEPING.lock().unwrap_or_else(PoisonError::into_inner);
    let Ok(list) = handle::open_folder_to_read(folder, ".".as_ref()) else { return };
    let mut names: Vec<OsString> = Vec::new();
    // What was listed before it failed is looked at as well.
    let _ = handle::read_names(list, |name, _| {
        if name.as_encoded_bytes().starts_with(FRONT.as_bytes()) {
            names.push(name.to_owned());
        }
        true
    });
    for name in names {
        if let Some(age) = age(&name) {
            let _ = remove_if_nobodys(folder, &name, age, link_age);
        }
    }
}

/// It is a name that only a change under way has, or one that was killed.
pub fn is_one(name: &OsStr) -> bool {
    age(name).is_some()
}

/// How old something with one of our names is; `None` for any other name.
fn age(name: &OsStr) -> Option<Duration> {
    let ulid = name.to_str()?.strip_prefix(FRONT)?;
    let ulid = ulid.strip_suffix(BACK).or_else(|| ulid.strip_suffix(BACK_OLD))?;
    let made = Ulid::from_string(ulid).ok().filter(|_| ulid.len() == 26)?.datetime();
    Some(SystemTime::now().duration_since(made).unwrap_or_default())
}

fn remove_if_nobodys(folder: &Dir, name: &OsStr, age: Duration, link_age: Duration) -> io::Result<()> {
    let kind = handle::stat(folder, name)?.kind;
    let held = match kind {
        FileKind::Link if age >= link_age => return handle::remove_file(folder, name),
        FileKind::File => handle::open_file(folder, name)?,
        FileKind::Folder => handle::open_folder_to_read(folder, name)?.into_std_file(),
        _ => return Ok(()),
    };
    handle::try_lock(&held, kind, age)?;
    // Between the look and the lock its owner may have given it its real name.
    let (open, named) = (handle::stat_open(&held)?, handle::stat(folder, name)?);
    if open.identity != named.identity {
        return Ok(());
    }
    tracing::info!(name = %name.to_string_lossy(), "removing what an earlier process left behind");
    if is_old(name) { end_old(folder, name) } else { purge(folder, name) }
}

/// Removes whatever stands at `name`, and all that is in it. Never follows a link, never goes into another file system.
pub(super) fn purge(parent: &Dir, name: &OsStr) -> io::Result<()> {
    if handle::stat(parent, name)?.kind != FileKind::Folder {
        return handle::remove_file(parent, name);
    }
    if kernel::is_mount_point(parent, name)? {
        return Err(io::ErrorKind::CrossesDevices.into());
    }
    let folder = handle::open_folder_to_read(parent, name)?;
    for entry in names(&folder)? {
        purge(&folder, &entry)?;
    }
    handle::remove_folder(parent, name)
}

/// The names in a folder, sorted.
pub(super) fn names(folder: &Dir) -> io::Result<Vec<OsString>> {
    let list = handle::open_folder_to_read(folder, ".".as_ref())?;
    let mut names = Vec::new();
    handle::read_names(list, |name, _| {
        names.push(name.to_owned());
        true
    })?;
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_have_an_age() {
        assert!(age(&name()).is_some_and(|age| age < Duration::from_mins(1)));
        for other in [
            ".outrigger-x.tmp",
            ".outrigger-x.old",
            ".outrigger.toml",
            "a.tmp",
            ".outrigger-01ARZ3NDEKTSV4RRFFQ69G5FAV.txt",
        ] {
            assert_eq!(age(OsStr::new(other)), None, "{other}");
        }
    }

    /// A program that works in a folder goes on while it is taken apart, and after whoever did that was killed.
    #[test]
    fn what_came_into_a_folder_that_was_taken_apart_gets_its_name_again() {
        for (saved, is_taken) in
            [(&["D/new", "D/a/new", "D/changed", "around"][..], false), (&["D/new"], true), (&[], false)]
        {
            let temp = tempfile::tempdir().unwrap();
            let at = |path: &str| temp.path().join(path);
            std::fs::create_dir_all(at("D/a/b")).unwrap();
            for file in ["D/one", "D/a/two", "D/a/b/three", "D/changed"] {
                std::fs::write(at(file), "old").unwrap();
            }
            // The file system's clock may take its time.
            std::thread::sleep(Duration::from_millis(20));
            let folder = handle::open_root(temp.path()).unwrap();
            let (top, inside, held) = create_old(&folder, &planned(&folder, "D")).unwrap();
            kernel::rename_free((&folder, "D".as_ref()), (&inside, "D".as_ref())).unwrap();
            std::fs::remove_file(at(top.to_str().unwrap()).join("D/one")).unwrap();
            for file in saved {
                std::fs::write(at(top.to_str().unwrap()).join(file), "new").unwrap();
            }
            if is_taken {
                std::fs::write(at("D"), "another").unwrap();
            }
            sweep(&folder);
            assert!(
                is_one(&top) && at(top.to_str().unwrap()).exists(),
                "as long as somebody is at it, it stays"
            );
            drop((inside, held));
            sweep(&folder);
            let mut left: Vec<String> = walk(temp.path(), "");
            left.iter_mut().filter(|name| is_taken && name.len() > 2).for_each(|name| {
                name.replace_range(1..28, "+");
            });
            left.sort();
            let wanted: &[&str] = match (saved.len(), is_taken) {
                (0, _) => &[],
                (_, true) => &["D", "D+/new"],
                _ => saved,
            };
            let mut wanted = wanted.to_vec();
            wanted.sort_unstable();
            assert_eq!(left, wanted);
        }
    }

    /// What is known of all that stands there.
    fn planned(folder: &Dir, name: &str) -> Planned {
        let mut stats = Vec::new();
        crate::workspace::tree::stats(folder, name.as_ref(), &mut stats).unwrap();
        stats.into_iter().map(|stat| (stat.identity, stat)).collect()
    }

    /// A folder that is moved in brings files that nobody has touched for years; of two names of one file the first one that goes
    /// changes the time of the other.
    #[test]
    fn what_was_planned_goes_and_nothing_else_however_old_it_is() {
        let temp = tempfile::tempdir().unwrap();
        let at = |path: &str| temp.path().join(path);
        for folder in ["D/a", "photos/2024", "D/a/empty"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["D/one", "D/a/two", "D/saved", "photos/2024/p", "photos/q"] {
            std::fs::write(at(file), "old").unwrap();
        }
        std::fs::hard_link(at("D/one"), at("D/a/other")).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        let folder = handle::open_root(temp.path()).unwrap();
        let planned = planned(&folder, "D");
        // Somebody saves between the last look and the moment.
        std::fs::write(at("D/saved"), "newer").unwrap();
        std::thread::sleep(Duration::from_millis(20));
        let (top, inside, held) = create_old(&folder, &planned).unwrap();
        kernel::rename_free((&folder, "D".as_ref()), (&inside, "D".as_ref())).unwrap();
        let old = at(top.to_str().unwrap()).join("D");
        std::fs::rename(at("photos"), old.join("photos")).unwrap();
        std::fs::write(old.join("photos/new"), "new").unwrap();
        std::fs::remove_file(old.join("one")).unwrap();
        drop((inside, held));
        sweep(&folder);
        let mut left = walk(temp.path(), "");
        left.sort();
        assert_eq!(left, ["D/photos/2024/p", "D/photos/new", "D/photos/q", "D/saved"]);
        assert!(!at("D/a").exists());
    }

    /// Anybody can make a folder of that name; what is in it gets no other place by our hand.
    #[test]
    fn what_no_delete_has_made_stays_where_it_is() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().join(format!(".outrigger-{}.old", new_ulid()));
        std::fs::create_dir_all(top.join("secrets")).unwrap();
        std::fs::write(top.join("secrets/x"), "planted").unwrap();
        let folder = handle::open_root(temp.path()).unwrap();
        sweep_alone(&folder);
        assert!(top.join("secrets/x").exists() && !temp.path().join("secrets").exists());
        std::fs::remove_dir_all(top.join("secrets")).unwrap();
        sweep_alone(&folder);
        assert!(!top.exists(), "a delete that was killed before it listed anything left this");
    }

    /// The files below a folder.
    fn walk(folder: &std::path::Path, front: &str) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let below = entries.flat_map(|entry| {
            let name = format!("{front}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &format!("{name}/"))
            } else {
                vec![name]
            }
        });
        below.collect()
    }

    #[test]
    fn what_nobody_holds_goes_and_what_somebody_holds_stays() {
        let temp = tempfile::tempdir().unwrap();
        let folder = handle::open_root(temp.path()).unwrap();
        let (held, file) = create_file(&folder, 0o600).unwrap();
        let (left, dropped) = create_file(&folder, 0o600).unwrap();
        drop(dropped);
        let (built, inside, lock) = create_folder(&folder).unwrap();
        handle::create_file(&inside, "f".as_ref(), 0o600).unwrap();
        handle::create_file(&folder, "mine".as_ref(), 0o600).unwrap();
        sweep(&folder);
        assert_eq!(names(&folder).unwrap().len(), 3);
        assert!(handle::stat(&folder, &left).is_err());
        drop((file, inside, lock));
        sweep(&folder);
        assert!(handle::stat(&folder, &held).is_err() && handle::stat(&folder, &built).is_err());
        assert_eq!(names(&folder).unwrap(), ["mine"]);
    }
}
