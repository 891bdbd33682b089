//! Taking what stands at a name out of the way, for something else or for good: only what was looked at goes.
//!
//! Between a look and a rename anybody may save. So what came away is compared with what was looked at, and where it is something
//! else it gets its name again; where another one has that by now, whoever saved last has it. What nobody has replaced is never left
//! under a temporary name, which is swept one day: it gets one that is not, and that name is told.

use std::{
    ffi::{OsStr, OsString},
    io,
};

use cap_std::fs::Dir;

use super::{DoorError, FileKind, Stat, handle, kernel, planned::Planned, temporary};
use crate::{ids::new_ulid, text};

/// A name in an open folder.
pub(super) type Named<'a> = (&'a Dir, &'a OsStr);

/// Somebody was faster.
#[derive(Debug, thiserror::Error)]
#[error("it has changed meanwhile")]
struct Changed {
    /// The name beside it that has what stood there, where its own is taken.
    kept: Option<String>,
}

/// Says that somebody was faster.
pub(super) fn changed(kept: Option<String>) -> io::Error {
    io::Error::other(Changed { kept })
}

pub(super) fn is_changed(error: &io::Error) -> bool {
    matches!(error.get_ref(), Some(inner) if inner.is::<Changed>())
}

/// The door's word for an error of these functions.
pub(super) fn refused(path: &str, error: io::Error) -> DoorError {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Changed>()) {
        None => DoorError::io(path, error),
        Some(Changed { kept: None }) => DoorError::Stale { path: path.to_owned() },
        Some(Changed { kept: Some(kept) }) => {
            DoorError::Displaced { path: path.to_owned(), kept: beside(path, kept) }
        }
    }
}

/// The path of a name in the folder of another path.
pub(super) fn beside(path: &str, name: &str) -> String {
    let folder = path.trim_end_matches('/').rsplit_once('/').map(|(folder, _)| folder);
    folder.map_or_else(|| name.to_owned(), |folder| format!("{folder}/{name}"))
}

/// Nobody has written to it or put another one in its place. Of a folder it says only that it is the same one: what is in it is seen
/// when it goes.
pub(super) fn is_still(now: &Stat, then: &Stat) -> bool {
    now.identity == then.identity
        && now.kind == then.kind
        && (now.kind == FileKind::Folder || now.size == then.size && now.modified == then.modified)
}

/// What is new takes the name, and what stood there goes, if that is what was looked at a moment ago (a folder: and if it is empty).
/// Whatever comes of it, what is new has left its temporary name.
pub(super) fn take_place(new: Named<'_>, name: Named<'_>, then: &Stat) -> io::Result<()> {
    let ours = handle::stat(new.0, new.1)?;
    if let Err(error) = kernel::swap(new, name) {
        let taken = if error.kind() == io::ErrorKind::NotFound {
            Err(changed(None))
        } else {
            // Not every file system can.
            take_place_in_steps(new, name, &ours, then)
        };
        return taken.inspect_err(|_| discard(new));
    }
    let gone = match handle::stat(new.0, new.1) {
        Ok(now) if !is_still(&now, then) => Err(changed(None)),
        Ok(now) if now.kind == FileKind::Folder => remove(new, now.kind),
        // It has lost its name already.
        Ok(now) => {
            let _ = remove(new, now.kind);
            Ok(())
        }
        Err(error) => Err(error),
    };
    gone.map_err(|error| told(give_back(new, name, &ours), error))
}

/// The same where two names cannot be swapped.
fn take_place_in_steps(new: Named<'_>, name: Named<'_>, ours: &Stat, then: &Stat) -> io::Result<()> {
    if !is_still(&handle::stat(name.0, name.1)?, then) {
        return Err(changed(None));
    }
    match (ours.kind, then.kind) {
        (_, FileKind::Folder) => {
            handle::remove_folder(name.0, name.1)?;
            kernel::rename_free(new, name)
        }
        // No rename puts a folder over a file.
        (FileKind::Folder, _) => {
            let aside = put_aside(name, then)?;
            let aside = (name.0, aside.as_os_str());
            match kernel::rename_free(new, name) {
                Ok(()) => {
                    let _ = remove(aside, then.kind);
                    Ok(())
                }
                Err(error) => Err(told(return_to(aside, name), error)),
            }
        }
        _ => handle::rename_to(new, name),
    }
}

/// What is new takes a name that is free; if it is not, what is new is gone.
pub(super) fn take_free(new: Named<'_>, name: Named<'_>) -> io::Result<()> {
    kernel::rename_free(new, name).inspect_err(|_| discard(new))
}

/// What was built and has not got its name goes.
pub(super) fn discard(new: Named<'_>) {
    if let Ok(ours) = handle::stat(new.0, new.1) {
        let _ = remove(new, ours.kind);
    }
}

/// What stands at the name goes, if it is what was looked at a moment ago.
pub(super) fn take_away(name: Named<'_>, then: &Stat) -> io::Result<()> {
    let aside = put_aside(name, then)?;
    let aside = (name.0, aside.as_os_str());
    remove(aside, then.kind).map_err(|error| told(return_to(aside, name), error))
}

/// What stands at the name gets a temporary one, if it is what was looked at a moment ago.
fn put_aside(name: Named<'_>, then: &Stat) -> io::Result<OsString> {
    if !is_still(&handle::stat(name.0, name.1)?, then) {
        return Err(changed(None));
    }
    let aside = temporary::name();
    kernel::rename_free(name, (name.0, &aside))?;
    if handle::stat(name.0, &aside).is_ok_and(|now| is_still(&now, then)) {
        return Ok(aside);
    }
    Err(changed(return_to((name.0, &aside), name)))
}

/// What was put aside is taken apart, as far as it is what was planned: what somebody has put in there meanwhile stays, with the
/// folders around it. What a program that works in there takes away itself is gone as well.
pub(super) fn take_apart(aside: Named<'_>, planned: &Planned) -> io::Result<()> {
    take_apart_where(aside, &|now| planned.get(&now.identity).is_some_and(|then| is_still(now, then)))
}

/// The same of what `goes` says yes to.
pub(super) fn take_apart_where(aside: Named<'_>, goes: &dyn Fn(&Stat) -> bool) -> io::Result<()> {
    match take_apart_what_is_there(aside, goes) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

fn take_apart_what_is_there(aside: Named<'_>, goes: &dyn Fn(&Stat) -> bool) -> io::Result<()> {
    let now = handle::stat(aside.0, aside.1)?;
    if !goes(&now) {
        return Err(changed(None));
    }
    if now.kind != FileKind::Folder {
        return handle::remove_file(aside.0, aside.1);
    }
    if kernel::is_mount_point(aside.0, aside.1)? {
        return Err(io::ErrorKind::CrossesDevices.into());
    }
    let folder = handle::open_folder_to_read(aside.0, aside.1)?;
    let mut gone = Ok(());
    for entry in temporary::names(&folder)? {
        gone = gone.and(take_apart_where((&folder, &entry), goes));
    }
    drop(folder);
    gone.and_then(|()| handle::remove_folder(aside.0, aside.1))
}

/// What was taken out of the way is somebody's: it gets its name again, in which `ours` stands, and that goes. Where somebody has put
/// another one there meanwhile, the newest has the name in the end, whoever was faster; where they have written into ours, perhaps only a
/// line at its end, both stay. What could only get another name is told by it.
pub(super) fn give_back(aside: Named<'_>, name: Named<'_>, ours: &Stat) -> Option<String> {
    /// Of saves that come right between two system calls.
    const MOST: usize = 100;
    if handle::stat(name.0, name.1).is_ok_and(|now| !is_still(&now, ours)) {
        return is_replaced(aside, name, Some(ours));
    }
    let mut put_before = *ours;
    for turn in 0..MOST {
        let theirs = handle::stat(aside.0, aside.1).ok()?;
        if kernel::swap(aside, name).is_err() {
            // Nothing stands there now.
            if kernel::rename_free(aside, name).is_ok() {
                return None;
            }
            continue;
        }
        let away = handle::stat(aside.0, aside.1).ok()?;
        if is_still(&away, &put_before) {
            // A folder of ours in which there is something by now is not ours alone.
            return if turn == 0 && remove(aside, away.kind).is_ok() {
                None
            } else {
                is_replaced(aside, name, Some(ours))
            };
        }
        put_before = theirs;
    }
    keep(aside, name)
}

/// What was put aside gets its name again, where nothing of ours stands. What could only get another name is told by it.
pub(super) fn return_to(aside: Named<'_>, name: Named<'_>) -> Option<String> {
    if kernel::rename_free(aside, name).is_ok() { None } else { is_replaced(aside, name, None) }
}

/// The same for what nobody else can have replaced: it never goes.
pub(super) fn return_or_keep(aside: Named<'_>, name: Named<'_>) {
    if kernel::rename_free(aside, name).is_err() {
        keep(aside, name);
    }
}

/// Whoever has put another file there since has replaced this one; not who has written into ours, in which nothing of it was. A folder
/// replaces nothing and is replaced by nothing: what is in it is nowhere else.
fn is_replaced(aside: Named<'_>, name: Named<'_>, ours: Option<&Stat>) -> Option<String> {
    let stat = |at: Named<'_>| handle::stat(at.0, at.1);
    let is_ours = |now: &Stat| ours.is_some_and(|ours| ours.identity == now.identity);
    let goes = match (stat(aside), stat(name)) {
        (Err(error), _) if error.kind() == io::ErrorKind::NotFound => return None,
        (Ok(Stat { kind: FileKind::Folder, .. }), _) => handle::remove_folder(aside.0, aside.1).is_ok(),
        (Ok(old), Ok(now)) if matches!(now.kind, FileKind::File | FileKind::Link) => {
            let is_empty = old.kind == FileKind::File && old.size == 0;
            (is_empty || !is_ours(&now)) && handle::remove_file(aside.0, aside.1).is_ok()
        }
        _ => false,
    };
    if goes { None } else { keep(aside, name) }
}

/// A temporary name is taken away one day; the one that this gives is not.
fn keep(aside: Named<'_>, name: Named<'_>) -> Option<String> {
    // A name can have no room for more.
    for kept in lasting_names(name.1) {
        if kernel::rename_free(aside, (name.0, &kept)).is_ok() {
            tracing::warn!(name = %name.1.display(), kept = %kept.display(), "what somebody else has put there could not get its name again");
            return Some(text::from_os(&kept).into_owned());
        }
    }
    tracing::error!(name = %name.1.display(), aside = %aside.1.display(), "what somebody else has put there could not get its name again, and no other");
    None
}

/// Names that no sweep takes away: one that says whose it was, and one that has always room.
pub(super) fn lasting_names(name: &OsStr) -> [OsString; 2] {
    let ulid = new_ulid();
    let mut long = name.to_owned();
    long.push(format!(".{ulid}"));
    [long, format!("outrigger-kept-{ulid}").into()]
}

/// The error, unless there is more to tell.
fn told(kept: Option<String>, error: io::Error) -> io::Error {
    if kept.is_some() { changed(kept) } else { error }
}

fn remove(at: Named<'_>, kind: FileKind) -> io::Result<()> {
    if kind == FileKind::Folder { handle::remove_folder(at.0, at.1) } else { handle::remove_file(at.0, at.1) }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs, path::Path};

    use cap_std::ambient_authority;

    use super::*;

    /// A folder, and all that is in it: a folder is known by what it holds.
    struct Scene(tempfile::TempDir, Dir);

    impl Scene {
        fn new() -> Self {
            let temp = tempfile::tempdir().unwrap();
            let folder = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
            Self(temp, folder)
        }

        /// A file, or a folder with the file `in` where `what` begins with `in `, or an empty one where it is `empty`.
        fn put(&self, name: &str, what: &str) {
            let path = self.0.path().join(name);
            match what.strip_prefix("in ") {
                _ if what == "empty" => fs::create_dir(path).unwrap(),
                Some(inside) => {
                    fs::create_dir(&path).unwrap();
                    fs::write(path.join("in"), inside).unwrap();
                }
                None => fs::write(path, what).unwrap(),
            }
        }

        fn at<'a>(&'a self, name: &'a str) -> Named<'a> {
            (&self.1, name.as_ref())
        }

        fn stat(&self, name: &str) -> Stat {
            handle::stat(&self.1, name.as_ref()).unwrap()
        }

        /// What each name has; of one that was kept, the front.
        fn all(&self) -> BTreeMap<String, String> {
            let what = |path: &Path| match fs::read_to_string(path.join("in")) {
                Ok(inside) => format!("in {inside}"),
                Err(_) if path.is_dir() => "empty".to_owned(),
                Err(_) => fs::read_to_string(path).unwrap(),
            };
            let names = fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().path());
            names
                .map(|path| {
                    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                    let is_kept = name.starts_with("name.") && name.len() == "name.".len() + 26;
                    (if is_kept { "name.kept".to_owned() } else { name }, what(&path))
                })
                .collect()
        }
    }

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, what)| ((*name).to_owned(), (*what).to_owned())).collect()
    }

    #[test]
    fn only_what_was_looked_at_makes_place() {
        // What is new, what was looked at, what has come there since, and what is there in the end.
        type Row<'a> = (&'a str, &'a str, Option<&'a str>, &'a [(&'a str, &'a str)]);
        let rows: &[Row<'_>] = &[
            ("ours", "old", None, &[("name", "ours")]),
            ("ours", "old", Some("theirs"), &[("name", "theirs")]),
            ("ours", "old", Some("in theirs"), &[("name", "in theirs")]),
            ("empty", "old", None, &[("name", "empty")]),
            ("empty", "old", Some("theirs"), &[("name", "theirs")]),
            ("ours", "empty", None, &[("name", "ours")]),
            ("ours", "empty", Some("theirs"), &[("name", "theirs")]),
            ("ours", "empty", Some("in theirs"), &[("name", "in theirs")]),
        ];
        for (ours, old, since, end) in rows {
            let scene = Scene::new();
            scene.put("new", ours);
            scene.put("name", old);
            let then = scene.stat("name");
            if let Some(theirs) = since {
                fs::rename(scene.0.path().join("name"), scene.0.path().join("away")).unwrap();
                scene.put("name", theirs);
            }
            let taken = take_place(scene.at("new"), scene.at("name"), &then);
            let _ = fs::remove_file(scene.0.path().join("away"));
            let _ = fs::remove_dir(scene.0.path().join("away"));
            assert_eq!(taken.is_ok(), since.is_none(), "{ours} for {old}: {taken:?}");
            assert_eq!(scene.all(), map(end), "{ours} for {old}, {since:?}");
        }
    }

    #[test]
    fn a_folder_in_which_there_is_something_by_now_makes_no_place() {
        for (new, steps) in [("ours", false), ("ours", true)] {
            let scene = Scene::new();
            scene.put("new", new);
            scene.put("name", "empty");
            let then = scene.stat("name");
            fs::write(scene.0.path().join("name/in"), "theirs").unwrap();
            let taken = if steps {
                take_place_in_steps(scene.at("new"), scene.at("name"), &scene.stat("new"), &then)
            } else {
                take_place(scene.at("new"), scene.at("name"), &then)
            };
            assert_eq!(taken.unwrap_err().kind(), io::ErrorKind::DirectoryNotEmpty);
            assert_eq!(scene.all()["name"], "in theirs");
            assert_eq!(scene.all().contains_key("new"), steps);
        }
    }

    #[test]
    fn what_is_saved_in_place_is_not_what_was_looked_at() {
        for away in [false, true] {
            let scene = Scene::new();
            scene.put("new", "empty");
            scene.put("name", "old");
            let then = scene.stat("name");
            fs::write(scene.0.path().join("name"), "theirs").unwrap();
            let gone = if away {
                take_away(scene.at("name"), &then)
            } else {
                take_place(scene.at("new"), scene.at("name"), &then)
            };
            assert!(matches!(refused("d/name", gone.unwrap_err()), DoorError::Stale { .. }));
            assert_eq!(scene.all()["name"], "theirs");
        }
    }

    #[test]
    fn whoever_saved_last_has_the_name_in_the_end() {
        // What was put aside, what stands at the name when it is given back, and what is there in the end.
        type Row<'a> = (&'a str, Option<&'a str>, &'a [(&'a str, &'a str)]);
        let rows: &[Row<'_>] = &[
            ("theirs", Some("ours"), &[("name", "theirs")]),
            ("theirs", Some("newer"), &[("name", "newer")]),
            ("theirs", Some("in newer"), &[("name", "in newer"), ("name.kept", "theirs")]),
            ("theirs", None, &[("name", "theirs")]),
            ("in theirs", Some("ours"), &[("name", "in theirs")]),
            ("in theirs", Some("newer"), &[("name", "newer"), ("name.kept", "in theirs")]),
            ("in theirs", Some("in newer"), &[("name", "in newer"), ("name.kept", "in theirs")]),
            ("empty", Some("in newer"), &[("name", "in newer")]),
        ];
        for (theirs, stands, end) in rows {
            let scene = Scene::new();
            scene.put("aside", theirs);
            scene.put("ours", "ours");
            let ours = scene.stat("ours");
            match stands {
                Some("ours") => {
                    fs::rename(scene.0.path().join("ours"), scene.0.path().join("name")).unwrap();
                }
                Some(newer) => scene.put("name", newer),
                None => {}
            }
            let kept = give_back(scene.at("aside"), scene.at("name"), &ours);
            let _ = fs::remove_file(scene.0.path().join("ours"));
            assert_eq!(scene.all(), map(end), "{theirs} to {stands:?}");
            assert_eq!(kept.is_some(), end.len() > 1, "{kept:?}");
            // The same where nothing of ours has stood there.
            if *stands != Some("ours") {
                let scene = Scene::new();
                scene.put("aside", theirs);
                if let Some(newer) = stands {
                    scene.put("name", newer);
                }
                return_to(scene.at("aside"), scene.at("name"));
                assert_eq!(scene.all(), map(end), "{theirs} to {stands:?}");
            }
        }
    }

    #[test]
    fn what_was_saved_into_ours_is_not_ours() {
        let scene = Scene::new();
        scene.put("aside", "old");
        scene.put("name", "ours");
        let ours = scene.stat("name");
        fs::write(scene.0.path().join("name"), "theirs").unwrap();
        // Nothing of the old one was in it: a line at the end of a log replaces no log.
        assert!(give_back(scene.at("aside"), scene.at("name"), &ours).is_some());
        assert_eq!(scene.all(), map(&[("name", "theirs"), ("name.kept", "old")]));
        // A folder of ours, in which somebody has put something.
        let scene = Scene::new();
        scene.put("aside", "theirs");
        scene.put("name", "empty");
        let ours = scene.stat("name");
        fs::write(scene.0.path().join("name/in"), "newer").unwrap();
        let kept = give_back(scene.at("aside"), scene.at("name"), &ours).unwrap();
        assert_eq!(scene.all(), map(&[("name", "theirs"), ("name.kept", "in newer")]));
        let told = refused("d/name", changed(Some(kept.clone()))).to_string();
        assert!(told.contains(&format!("`d/{kept}`")), "{told}");
    }

    /// A build removes its own temporary files while its folder goes.
    #[test]
    fn what_somebody_else_takes_away_meanwhile_is_in_no_one_s_way() {
        let scene = Scene::new();
        let folder = scene.0.path().join("name/a");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("one"), "old").unwrap();
        let is_faster = |now: &Stat| now.kind == FileKind::Folder || fs::remove_dir_all(&folder).is_ok();
        take_apart_where(scene.at("name"), &is_faster).unwrap();
        assert!(!scene.0.path().join("name").exists());
    }

    #[test]
    fn what_was_put_into_a_folder_that_is_taken_apart_stays() {
        let scene = Scene::new();
        fs::create_dir_all(scene.0.path().join("name/a/b")).unwrap();
        for file in ["name/one", "name/a/two", "name/a/b/three", "name/changed"] {
            fs::write(scene.0.path().join(file), "old").unwrap();
        }
        let planned: Planned =
            ["name", "name/a", "name/a/b", "name/one", "name/a/two", "name/a/b/three", "name/changed"]
                .iter()
                .map(|name| (scene.stat(name).identity, scene.stat(name)))
                .collect();
        fs::write(scene.0.path().join("name/a/b/mine"), "mine").unwrap();
        fs::write(scene.0.path().join("name/changed"), "changed").unwrap();
        assert!(take_apart(scene.at("name"), &planned).is_err());
        let is_there = |name: &str| scene.0.path().join(name).exists();
        assert!(is_there("name/a/b/mine") && is_there("name/changed"));
        assert!(!is_there("name/one") && !is_there("name/a/two") && !is_there("name/a/b/three"));
    }
}
