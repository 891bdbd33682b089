//! What a host that was killed has left in a git folder is finished or taken away by the next one that comes by.
//!
//! A mark whose lock can be had has no owner any more. Nothing is touched of one that somebody holds, and nothing that no mark
//! names: the locks of a person's own git, with a program behind them or not, are theirs.

use std::{collections::BTreeMap, ffi::OsStr, ffi::OsString, io, io::Read as _, time::Duration};

use cap_std::fs::Dir;
use ulid::Ulid;

use super::{
    Repository, exchange,
    mark::{MARK, Mark, is_missing},
};
use crate::{
    relpath::RelPath,
    workspace::{FileKind, Workspace, handle, nofollow, temporary},
};

/// Before the ULID of everything that belongs to one [`Holding`](super::Holding).
pub(super) const FRONT: &str = "outrigger-";
/// All marks of a git folder that are read at a time. A fetch writes some lines for each reference; who made up more than that would
/// have every call read it.
const MARK_BYTES: u64 = 64 * 1024 * 1024;
/// And how many of them. Each host leaves one, at most.
const MARKS: usize = 1000;
/// Entries of a workspace's root that are looked at for repositories when a host starts.
const FOLDERS_LOOKED_AT: usize = 2000;

/// Settles the repositories at the root of a workspace; one that lies deeper is settled by the first git call that reads it.
pub fn settle_repositories(workspace: &Workspace) {
    if workspace.read_only() {
        return;
    }
    let folders = Repository::folders_at_root(workspace, FOLDERS_LOOKED_AT);
    for folder in folders.iter().chain([&RelPath::root()]) {
        // A link or a file called `.git` is no folder of ours.
        if let Ok(git) = nofollow::open_dir(workspace.handle(), folder.join(".git").as_path()) {
            settle(&git);
        }
    }
}

/// True for a name that only we give.
pub(super) fn is_ours(name: &OsStr) -> bool {
    mark_of(name).is_some() || is_temporary(name) || exchange::is_part(name)
}

/// Settles what lies in a git folder; what cannot be settled now stays for the next time.
pub(super) fn settle(git: &Dir) {
    if let Err(error) = settle_each(git) {
        tracing::warn!(%error, "what an earlier process left in a git folder could not be looked at");
    }
}

fn settle_each(git: &Dir) -> io::Result<()> {
    let mut found: BTreeMap<String, Vec<OsString>> = BTreeMap::new();
    let (mut temporaries, mut exchanges) = (false, false);
    handle::read_names(handle::open_folder_to_read(git, ".".as_ref())?, |name, _| {
        temporaries |= is_temporary(name);
        exchanges |= exchange::is_part(name);
        if let Some(mark) = mark_of(name) {
            found.entry(mark.to_owned()).or_default().push(name.to_owned());
        }
        true
    })?;
    if temporaries {
        temporary::sweep(git);
    }
    if exchanges && let Err(error) = exchange::sweep(git) {
        tracing::warn!(%error, "the folder of an earlier process's exchange could not be removed");
    }
    let mut left = MARK_BYTES;
    for (mark, files) in found.iter().take(MARKS) {
        if let Err(error) = settle_one(git, mark, files, &mut left) {
            tracing::warn!(%error, mark, "what an earlier process left in a git folder could not be settled");
        }
    }
    Ok(())
}

fn settle_one(git: &Dir, name: &str, files: &[OsString], left: &mut u64) -> io::Result<()> {
    let mark_file = OsString::from(format!("{name}.{MARK}"));
    let opened = handle::open_file(git, &mark_file);
    // Its owner makes the mark first and removes it last: without one nobody needs the others.
    let held = if is_missing(&opened) { None } else { Some(opened?) };
    if let Some(file) = &held {
        let open = handle::stat_open(file)?;
        if open.kind != FileKind::File || handle::try_lock(file, open.kind, Duration::ZERO).is_err() {
            return Ok(());
        }
        // Its owner may have ended between the two, in good order.
        let named = handle::stat(git, &mark_file);
        if is_missing(&named) || named?.identity != open.identity {
            return Ok(());
        }
        let Some(rest) = left.checked_sub(open.size) else { return Ok(()) };
        *left = rest;
        let mut text = Vec::new();
        file.take(open.size).read_to_end(&mut text)?;
        let Some(mark) = Mark::parse(name, &text) else { return Ok(()) };
        tracing::info!(name, decided = mark.decided, "settling what an earlier process left in a git folder");
        mark.settle(git)?;
    }
    for file in files.iter().filter(|file| **file != mark_file) {
        let removed = handle::remove_file(git, file);
        if !is_missing(&removed) {
            removed?;
        }
    }
    if held.is_some() { handle::remove_file(git, &mark_file) } else { Ok(()) }
}

/// `outrigger-` and the ULID at the beginning of a name of ours.
fn mark_of(name: &OsStr) -> Option<&str> {
    let (mark, _) = name.to_str()?.split_once('.')?;
    let ulid = mark.strip_prefix(FRONT)?;
    (ulid.len() == 26 && Ulid::from_string(ulid).is_ok()).then_some(mark)
}

fn is_temporary(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".outrigger-")
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    const MARKED: &str = "outrigger-01ARZ3NDEKTSV4RRFFQ69G5FAV";

    fn walk(root: &Path, here: &Path, found: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(here).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace(MARKED, "X");
                found.push((name, fs::read_to_string(&path).unwrap().replace(MARKED, "X")));
            }
        }
    }

    /// `X` stands for the mark's name. Everything that is there after the next process has come by.
    fn check(before: &[(&str, &str)], after: &[(&str, &str)]) {
        let temp = tempfile::tempdir().unwrap();
        for (name, text) in before {
            let path = temp.path().join(name.replace('X', MARKED));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text.replace('X', MARKED)).unwrap();
        }
        settle(&handle::open_root(temp.path()).unwrap());
        let mut found = Vec::new();
        walk(temp.path(), temp.path(), &mut found);
        found.sort();
        let after: Vec<_> =
            after.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        assert_eq!(found, after, "{before:?}");
    }

    #[test]
    fn what_was_not_decided_is_taken_back() {
        let mark = "X\nlock HEAD.lock\nlock index.lock\nlog 4 logs/HEAD\nlog - logs/refs/heads/a\n";
        check(
            &[
                ("X.mark", mark),
                ("X.index", "new"),
                ("X.index.lock", "half"),
                ("HEAD.lock", mark),
                ("index.lock", "X\n"),
                ("index", "old"),
                ("logs/HEAD", "old\nnew\n"),
                ("logs/refs/heads/a", "new\n"),
            ],
            &[("index", "old"), ("logs/HEAD", "old\n")],
        );
        check(&[("X.mark", ""), ("index", "old")], &[("index", "old")]);
        check(&[("X.next", "nobody's")], &[]);
    }

    #[test]
    fn what_was_decided_is_finished() {
        let mark = "X\nlock HEAD.lock\nlock index.lock\nlog 4 logs/HEAD\nput r0 HEAD\nput index index\ngo\n";
        check(
            &[
                ("X.mark", mark),
                ("X.index", "new"),
                ("HEAD", "done already"),
                ("HEAD.lock", mark),
                ("index.lock", mark),
                ("index", "old"),
                ("logs/HEAD", "old\nnew\n"),
            ],
            &[("HEAD", "done already"), ("index", "new"), ("logs/HEAD", "old\nnew\n")],
        );
    }

    #[test]
    fn what_is_somebody_elses_stays() {
        // A person removed one of the locks, and somebody else has it now.
        let mark = "X\nlock HEAD.lock\nlock index.lock\nlog 4 logs/HEAD\nput index index\ngo\n";
        for other in ["", "DIRC", "outrigger-01ARZ3NDEKTSV4RRFFQ69G5FAW\n"] {
            check(
                &[
                    ("X.mark", mark),
                    ("X.index", "new"),
                    ("HEAD.lock", mark),
                    ("index.lock", other),
                    ("index", "theirs"),
                    ("logs/HEAD", "old\ntheirs\n"),
                ],
                &[("index", "theirs"), ("index.lock", other), ("logs/HEAD", "old\ntheirs\n")],
            );
        }
        // What nobody of us has written.
        let odd = [("X.mark", "X\nlock config.lock\n"), ("X.index", "new"), ("config.lock", "X\n")];
        check(&odd, &[("X.index", "new"), ("X.mark", odd[0].1), ("config.lock", "X\n")]);
        let names = [
            ("outrigger-1.mark", ""),
            ("outrigger-exchanges/HEAD", ""),
            ("outrigger.mark", ""),
            ("refs/heads/a.lock", ""),
        ];
        check(&names, &names);
    }

    #[test]
    fn an_exchange_that_nobody_holds_is_removed() {
        check(&[("outrigger-exchange/HEAD", ""), ("index", "")], &[("index", "")]);
        check(&[("outrigger-exchange/refs/a", ""), ("outrigger-exchange.held", "")], &[]);
        check(&[("outrigger-exchange.held", "")], &[]);
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("outrigger-exchange/refs")).unwrap();
        let held = fs::File::create(temp.path().join("outrigger-exchange.held")).unwrap();
        handle::hold(&held).unwrap();
        let git = handle::open_root(temp.path()).unwrap();
        settle(&git);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 2);
        drop(held);
        settle(&git);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_its_owner_holds_stays() {
        let temp = tempfile::tempdir().unwrap();
        let git = handle::open_root(temp.path()).unwrap();
        let name = format!("{MARKED}.mark");
        let mut file = handle::create_file(&git, name.as_ref(), 0o600).unwrap();
        handle::lock(&file).unwrap();
        std::io::Write::write_all(&mut file, format!("{MARKED}\nlock index.lock\n").as_bytes()).unwrap();
        fs::hard_link(temp.path().join(&name), temp.path().join("index.lock")).unwrap();
        settle(&git);
        assert!(temp.path().join("index.lock").exists());
        drop(file);
        settle(&git);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    }
}
