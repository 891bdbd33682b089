//! The door while somebody swaps folders for links: every outcome lies in a closed set, and nothing outside is read or changed.

use std::{
    os::unix::fs::symlink,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use outrigger::{
    change::{Attributes, Node, PathChange},
    config::Config,
    ids::Etag,
    policy::{Effect, Intent, Law, Permit, Question, Verdict, judge},
    tier::{Mode, Tier},
    workspace::{Backend, DoorError, Executable, Expected, Step, TreeLimits, Workspace},
};
use rustix::{
    fs::{CWD, RenameFlags, renameat_with},
    io::Errno,
};
use serde_json::Value;

use crate::{door::open, world::World};

/// Attempts per way of resolving, while the swapper runs: enough to lose a race that can be lost. `OUTRIGGER_RACE_ROUNDS=20000`
/// is the whole suite.
pub fn rounds() -> u32 {
    std::env::var("OUTRIGGER_RACE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(2500)
}

/// All rounds, and on a machine that does much else as many more as it takes to see what has to be seen.
fn goes_on(round: u32, seen: bool) -> bool {
    round < rounds() || (!seen && round < rounds().saturating_mul(200))
}

/// A permit for writing, as the law gives it for an `auto` call.
fn permit() -> Permit {
    let law = Law::new(&Config::default()).unwrap();
    let intent = Intent { effect: Effect::Write, ..Intent::read("race") };
    let question = Question {
        tool: "fs_write",
        base_tier: Tier::Auto,
        arguments: &Value::Null,
        workspace: "ws",
        workspace_root: "/",
        read_only: false,
        closed_by: "ws",
        mode: Mode::Ask,
        intent: &intent,
        expires_at: "2030-01-01T00:00:00Z",
    };
    match judge(&law, question, None) {
        Verdict::Run(permit) => permit,
        other => panic!("{other:?}"),
    }
}

/// Swaps `one` and `other` as fast as it goes while `work` runs; who holds the lock stops it. Returns how often.
pub fn while_swapping(one: &Path, other: &Path, work: impl FnOnce(&Mutex<()>)) -> u64 {
    let stop = AtomicBool::new(false);
    let still = Mutex::new(());
    thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            let mut swaps = 0_u64;
            while !stop.load(Ordering::Relaxed) {
                let _guard = still.lock().unwrap();
                match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
                    Ok(()) => swaps += 1,
                    // `git_restore` takes away what stands in the way of a restored file.
                    Err(error) => assert_eq!(error, Errno::NOENT),
                }
            }
            swaps
        });
        // Also when `work` panics, or the swapper would never end.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&still)));
        stop.store(true, Ordering::Relaxed);
        let swaps = swapper.join().unwrap();
        if let Err(panic) = result {
            std::panic::resume_unwind(panic);
        }
        swaps
    })
}

/// `ws/a/b` is a folder with a file, `ws/a/l` a link to the same names outside.
fn scene() -> World {
    let world = World::new();
    world.write("a/b/file", "inside");
    world.write("a/b/deep/file", "inside");
    std::fs::create_dir_all(world.outside().join("deep")).unwrap();
    std::fs::write(world.outside().join("file"), "OUTSIDE").unwrap();
    std::fs::write(world.outside().join("deep/file"), "OUTSIDE").unwrap();
    symlink(world.outside(), world.root().join("a/l")).unwrap();
    world
}

fn read(workspace: &Workspace, path: &str) -> Result<Vec<u8>, DoorError> {
    workspace.read(&workspace.resolve(path)?, 100)
}

#[test]
fn a_folder_swapped_for_a_link_never_leads_a_read_outside() {
    for backend in [Backend::Fastest, Backend::Walk] {
        let world = scene();
        let workspace = open(&world.root(), backend);
        let (mut inside, mut refused) = (0, 0);
        let swaps = while_swapping(&world.root().join("a/b"), &world.root().join("a/l"), |_| {
            let mut next = 0;
            while goes_on(next, inside > 0 && refused > 0) {
                let round = next;
                next += 1;
                let path = ["a/b/file", "a/b/deep/file", "a/l/file", "a/b/../b/file"][round as usize % 4];
                match read(&workspace, path) {
                    Ok(bytes) => {
                        assert_eq!(bytes, b"inside", "{path} by {backend:?}");
                        inside += 1;
                    }
                    Err(DoorError::Outside { .. }) => refused += 1,
                    Err(error) => panic!("{path} by {backend:?}: {error}"),
                }
            }
        });
        assert!(inside > 0 && refused > 0 && swaps > 100, "no race: {inside} {refused} {swaps}");
    }
}

#[test]
fn a_folder_swapped_for_a_link_never_leads_a_write_outside() {
    let permit = permit();
    for backend in [Backend::Fastest, Backend::Walk] {
        let world = scene();
        let workspace = open(&world.root(), backend);
        let mut written = 0;
        let names = |round: u32| format!("a/b/new-{round}/file");
        while_swapping(&world.root().join("a/b"), &world.root().join("a/l"), |_| {
            let mut next = 0;
            while goes_on(next, written > 0) {
                let round = next;
                next += 1;
                let path = match workspace.resolve(&names(round)) {
                    Ok(path) => path,
                    Err(DoorError::Outside { .. }) => continue,
                    Err(error) => panic!("{backend:?}: {error}"),
                };
                let bytes = round.to_string().into_bytes();
                workspace.replace(&permit, &path, &Expected::Missing, &bytes, Executable::Keep).unwrap();
                written += 1;
            }
        });
        let mut left: Vec<_> =
            std::fs::read_dir(world.outside()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["deep", "file"], "{backend:?}");
        assert_eq!(std::fs::read_to_string(world.outside().join("file")).unwrap(), "OUTSIDE");
        // Every write that was answered with success is in the folder, whichever name that has now.
        let folder = ["a/b", "a/l"]
            .map(|name| world.root().join(name))
            .into_iter()
            .find(|path| !path.is_symlink())
            .unwrap();
        let found = std::fs::read_dir(folder)
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("new-"));
        assert_eq!(found.count(), written, "{backend:?}");
        assert!(written > 0);
    }
}

#[test]
fn a_file_swapped_for_a_link_is_neither_read_nor_written_through() {
    let permit = permit();
    for backend in [Backend::Fastest, Backend::Walk] {
        let world = scene();
        symlink(world.outside().join("file"), world.root().join("a/b/trap")).unwrap();
        let workspace = open(&world.root(), backend);
        let file = world.root().join("a/b/file");
        while_swapping(&file, &world.root().join("a/b/trap"), |still| {
            for round in 0..rounds() {
                let path = match workspace.resolve("a/b/file") {
                    Ok(path) => path,
                    Err(DoorError::Outside { .. }) => continue,
                    Err(error) => panic!("{backend:?}: {error}"),
                };
                let bytes = match workspace.read(&path, 100) {
                    Ok(bytes) => bytes,
                    Err(DoorError::WrongType { .. }) => continue,
                    Err(error) => panic!("{backend:?}: {error}"),
                };
                assert!(bytes.starts_with(b"inside"), "{backend:?}");
                let expected = Expected::Etag(outrigger::ids::Etag::of(&bytes));
                let new = format!("inside {round}");
                let outcome = workspace.replace(&permit, &path, &expected, new.as_bytes(), Executable::Keep);
                // The last instant before the rename cannot be watched: the link itself may be replaced then, and is set again.
                let _guard = still.lock().unwrap();
                let trap = world.root().join("a/b/trap");
                match outcome {
                    Ok(_) | Err(DoorError::Stale { .. }) => {}
                    // What came away was not what was read, and the name was taken before it had it again.
                    Err(DoorError::Displaced { kept, .. }) => {
                        let kept = world.root().join(kept);
                        if kept.is_symlink() {
                            assert_eq!(std::fs::read_link(&kept).unwrap(), world.outside().join("file"));
                        } else {
                            assert!(std::fs::read(&kept).unwrap().starts_with(b"inside"), "{backend:?}");
                        }
                        std::fs::remove_file(&kept).unwrap();
                    }
                    // The permission check looks at whatever stands there.
                    Err(error) => panic!("{backend:?}: {error}"),
                }
                match (file.is_symlink(), trap.is_symlink()) {
                    (false, false) => {
                        std::fs::remove_file(&trap).unwrap();
                        symlink(world.outside().join("file"), &trap).unwrap();
                    }
                    (true, true) => {
                        std::fs::remove_file(&file).unwrap();
                        std::fs::write(&file, "inside").unwrap();
                    }
                    _ => {}
                }
            }
        });
        assert_eq!(std::fs::read_to_string(world.outside().join("file")).unwrap(), "OUTSIDE", "{backend:?}");
    }
}

/// Puts the new bytes in the place of the old ones, as a host does that has looked at those.
type CountUp = fn(&Workspace, &Permit, Vec<u8>, Vec<u8>) -> Result<(), DoorError>;

fn by_replacing(workspace: &Workspace, permit: &Permit, old: Vec<u8>, new: Vec<u8>) -> Result<(), DoorError> {
    let path = workspace.resolve("count")?;
    workspace.replace(permit, &path, &Expected::Etag(Etag::of(&old)), &new, Executable::Keep).map(drop)
}

fn by_putting_back(
    workspace: &Workspace,
    permit: &Permit,
    old: Vec<u8>,
    new: Vec<u8>,
) -> Result<(), DoorError> {
    let node = |bytes: &[u8]| {
        Some(Node::File {
            etag: Etag::of(bytes),
            bytes: bytes.len() as u64,
            mode: None,
            owner: None,
            attributes: Attributes::default(),
        })
    };
    let change =
        PathChange { path: "count".into(), before: node(&old), after: node(&new), copied_from: None };
    workspace.put(permit, &change, Some(outrigger::workspace::restore::Content::Bytes(new)))
}

#[test]
fn of_hosts_that_change_one_file_none_loses_what_another_wrote() {
    const EACH: usize = 40;
    let ways: [CountUp; 3] = [by_replacing, by_putting_back, by_replacing];
    let world = World::new();
    // Long enough that looking at it once more takes time; what two hosts write is never the same.
    let text = |count: usize, host: usize| format!("{count}\n{}{host}", "x".repeat(1 << 20)).into_bytes();
    world.write("count", text(0, 0));
    thread::scope(|scope| {
        for (host, way) in ways.into_iter().enumerate() {
            let world = &world;
            scope.spawn(move || {
                // Each host has opened the folder for itself.
                let (workspace, permit) = (open(&world.root(), Backend::Fastest), Permit::for_undo());
                let mut done = 0;
                while done < EACH {
                    let old = workspace.content("count", 4 << 20).unwrap();
                    let digits = old.split(|byte| *byte == b'\n').next().unwrap();
                    let count: usize = std::str::from_utf8(digits).unwrap().parse().unwrap();
                    match way(&workspace, &permit, old, text(count + 1, host)) {
                        Ok(()) => done += 1,
                        Err(DoorError::Stale { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    let counted = std::fs::read_to_string(world.root().join("count")).unwrap();
    assert_eq!(counted.lines().next(), Some((EACH * ways.len()).to_string().as_str()));
}

#[test]
fn a_file_that_another_program_holds_keeps_nobody_waiting() {
    let world = World::new();
    let held: Vec<std::fs::File> = ["", "gone", "patched", "folder"]
        .map(|name| {
            if name == "folder" {
                world.write("folder/file", "1\n");
            } else if !name.is_empty() {
                world.write(name, "1\n");
            }
            let file = std::fs::File::open(world.root().join(name)).unwrap();
            file.lock().unwrap();
            file
        })
        .into();
    let began = std::time::Instant::now();
    let (workspace, permit) = (open(&world.root(), Backend::Fastest), Permit::for_undo());
    assert!(workspace.hold_writes(&|| false).is_none());
    for name in ["gone", "folder"] {
        let path = workspace.resolve(name).unwrap();
        let limits = TreeLimits { entries: 10, bytes: 100 };
        let planned = workspace.tree(&path, limits, &|| false).unwrap();
        assert_eq!(workspace.remove(&permit, &path, &planned, &|| false).unwrap(), None);
    }
    let path = workspace.resolve("patched").unwrap();
    let expected = Expected::Etag(Etag::of(b"1\n"));
    let step = Step::Write { path: &path, expected, bytes: b"2\n", executable: Executable::Keep, like: None };
    workspace.change_together(&permit, &[step], &|| false).unwrap();
    assert!(began.elapsed() < std::time::Duration::from_secs(10));
    assert_eq!(std::fs::read_dir(world.root()).unwrap().count(), 1);
    drop(held);
    assert!(workspace.hold_writes(&|| false).is_some());
}
