//! Temporary names in a user's folders: what a change is built in before it takes its name, or put aside in before it goes.
//!
//! Whoever has one open holds a lock on it. A process that was killed left its lock behind with its life, so the next one that
//! changes something in the same folder can tell what is nobody's and takes it away. Never touches a name of another shape.

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

use super::{FileKind, Stat, handle, kernel};
use crate::ids::new_ulid;

const FRONT: &str = ".outrigger-";
const BACK: &str = ".tmp";
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
    let ulid = name.to_str()?.strip_prefix(FRONT)?.strip_suffix(BACK)?;
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
    purge(folder, name)
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
        for other in
            [".outrigger-x.tmp", ".outrigger.toml", "a.tmp", ".outrigger-01ARZ3NDEKTSV4RRFFQ69G5FAV.txt"]
        {
            assert_eq!(age(OsStr::new(other)), None, "{other}");
        }
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
