//! What somebody saves while an undo, a patch or a delete is at the same names, between two system calls and after a kill: it has its
//! name, or another one that stays, and what was replaced is to be had.
//!
//! `strace` makes a system call last long enough for the other program to come in between, or kills the host at it.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    kill_drill::{Drill, call, injected, is_temporary, meta, traced, turned},
    support::native::{Port, World},
};

/// Long enough for the other program, also where the machine is busy.
const LONG: &str = "2000000";
/// Kills: more than any of these undos makes renames.
const MOST: usize = 20;

fn world() -> World {
    let world = World::new("[tools]\nprofile = \"full\"");
    world.connect().hello();
    world
}

fn connect(world: &World) -> Port {
    let mut port = world.connect();
    port.hello();
    port
}

/// A call of the turn `t1`, allowed.
fn done(port: &mut Port, tool: &'static str, arguments: Value) -> Value {
    let result = call(port, &Drill { tool, arguments }, &meta()).unwrap();
    assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
    result
}

fn undo(port: &mut Port, params: &Value) -> Value {
    turned(port, "undo", params).unwrap()
}

fn file<'r>(report: &'r Value, path: &str) -> &'r Value {
    let mut files = report["files"].as_array().unwrap().iter();
    files.find(|file| file["path"] == path).unwrap_or_else(|| panic!("{report:#}"))
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn wait_until(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(20), "it did not come to that");
        thread::sleep(Duration::from_micros(200));
    }
}

/// The turn deleted a file and put a folder with a file in its place; somebody else's file is in there when the undo comes to it.
#[test]
fn a_file_whose_place_a_folder_keeps_is_not_done_and_comes_back_later() {
    let mut kept = 0;
    for number in 1..MOST {
        let world = world();
        world.write("F", "old\n");
        let mut port = connect(&world);
        done(&mut port, "fs_delete", json!({"path": "F"}));
        done(&mut port, "fs_write", json!({"path": "F/x", "content": "x\n"}));
        drop(port);
        let params = json!({"turn": "t1", "call": outrigger::ids::new_ulid()});
        let mut port = traced(&world, "renameat2", number);
        let answer = turned(&mut port, "undo", &params);
        drop(port);
        let mut port = connect(&world);
        if answer.is_some() {
            break;
        }
        if !world.workspace().join("F").is_dir() {
            continue;
        }
        world.write("F/y", "mine\n");
        let report = undo(&mut port, &params);
        assert_eq!(report["state"], "partly", "{number}: {report:#}");
        assert_eq!(file(&report, "F")["done"], false, "{number}: {report:#}");
        let why = file(&report, "F")["conflict"].as_str().unwrap();
        assert_eq!(why, "it is a folder, and `F/y` in it stays", "{number}");
        assert_eq!(world.read("F/y"), "mine\n");
        std::fs::remove_file(world.workspace().join("F/y")).unwrap();
        let report = undo(&mut port, &json!({"turn": "t1"}));
        assert_eq!(
            (report["state"].as_str(), world.read("F").as_str()),
            (Some("done"), "old\n"),
            "{report:#}"
        );
        kept += 1;
    }
    assert!(kept > 0, "it was never killed with the folder there");
}

/// A file becomes a folder again; somebody saves at its name between the look and the exchange.
#[test]
fn what_is_saved_where_a_folder_comes_back_stays() {
    let world = world();
    world.write("D/a", "a\n");
    let mut port = connect(&world);
    done(&mut port, "fs_delete", json!({"path": "D", "recursive": true}));
    done(&mut port, "fs_write", json!({"path": "D", "content": "by the agent\n"}));
    drop(port);
    let mut port = injected(&world, "mkdirat", &format!("delay_exit={LONG}:when=1"));
    port.hello();
    let folder = world.workspace();
    let report = thread::scope(|scope| {
        scope.spawn(|| {
            wait_until(|| names(&folder).iter().any(|name| is_temporary(name.as_bytes())));
            std::fs::write(folder.join("saved"), "mine\n").unwrap();
            std::fs::rename(folder.join("saved"), folder.join("D")).unwrap();
        });
        undo(&mut port, &json!({"turn": "t1"}))
    });
    assert_eq!(world.read("D"), "mine\n", "{report:#}");
    assert_eq!(file(&report, "D")["done"], false, "{report:#}");
    assert_eq!(names(&folder), ["D"], "{report:#}");
}

/// Of a patch's two files the second is stale, so the first is put back; somebody has saved in it by then.
#[test]
fn what_is_saved_in_a_patched_file_stays_when_the_patch_is_taken_back() {
    let world = world();
    world.write("A", "a\n");
    world.write("B", "b\n");
    let mut port = injected(&world, "renameat2", &format!("delay_exit={LONG}:when=1"));
    port.hello();
    let patch = "*** Begin Patch\n*** Update File: A\n@@\n-a\n+a by the agent\n*** Update File: B\n@@\n-b\n+b by the agent\n*** End Patch\n";
    let folder = world.workspace();
    let result = thread::scope(|scope| {
        scope.spawn(|| {
            wait_until(|| std::fs::read(folder.join("A")).is_ok_and(|now| now != b"a\n"));
            std::fs::write(folder.join("B"), "b by a person\n").unwrap();
            std::fs::write(folder.join("A"), "a by a person\n").unwrap();
        });
        call(&mut port, &Drill { tool: "fs_apply_patch", arguments: json!({"patch": patch}) }, &meta())
            .unwrap()
    });
    assert_eq!(result["structuredContent"]["code"], "stale", "{result:#}");
    assert_eq!((world.read("A").as_str(), world.read("B").as_str()), ("a by a person\n", "b by a person\n"));
    // Nobody knows whether they wrote the whole of it anew: what they had before stays beside it, and its name is told.
    let names = names(&folder);
    let [first, kept, last] = names.as_slice() else { panic!("{names:?}") };
    assert!((first.as_str(), last.as_str()) == ("A", "B") && kept.starts_with("A."), "{names:?}");
    assert_eq!(world.read(kept), "a\n");
    assert!(result.to_string().contains(kept.as_str()), "{result:#}");
}

/// A folder is put aside to be deleted, is not what was approved any more, and somebody has made another one by then.
#[test]
fn a_folder_that_cannot_have_its_name_again_keeps_what_is_in_it() {
    let world = world();
    world.write("D/old", "old\n");
    let mut port = injected(&world, "renameat2", &format!("delay_enter={LONG}:delay_exit={LONG}:when=1"));
    port.hello();
    let folder = world.workspace();
    let delete = Drill { tool: "fs_delete", arguments: json!({"path": "D", "recursive": true}) };
    let result = thread::scope(|scope| {
        scope.spawn(|| {
            // The host holds the folder when it has looked at it for the last time, right before it puts it aside.
            let held = std::fs::File::open(folder.join("D")).unwrap();
            let is_held = || {
                rustix::fs::flock(&held, rustix::fs::FlockOperation::NonBlockingLockShared).is_err()
                    || rustix::fs::flock(&held, rustix::fs::FlockOperation::Unlock).is_err()
            };
            wait_until(is_held);
            std::fs::write(folder.join("D/mine"), "mine\n").unwrap();
            wait_until(|| !folder.join("D").exists());
            std::fs::create_dir(folder.join("D")).unwrap();
            std::fs::write(folder.join("D/new"), "new\n").unwrap();
        });
        call(&mut port, &delete, &meta()).unwrap()
    });
    assert_eq!(result["structuredContent"]["code"], "stale", "{result:#}");
    drop(port);
    // The next host sweeps what a dead one has left.
    done(&mut connect(&world), "fs_write", json!({"path": "z", "content": "z\n"}));
    let [other, kept, z] = names(&folder).try_into().unwrap();
    assert_eq!((other.as_str(), z.as_str()), ("D", "z"));
    let told = result["structuredContent"]["message"].as_str().unwrap();
    assert!(kept.starts_with("D.") && told.contains(&format!("`{kept}`")), "{kept}: {told}");
    assert_eq!(names(&folder.join(&kept)), ["mine", "old"]);
    assert_eq!(names(&folder.join("D")), ["new"]);
}

/// A program that works in a folder saves in it while it is taken apart.
#[test]
fn what_is_saved_in_a_folder_that_goes_keeps_the_folder() {
    let world = world();
    for number in 0..5 {
        world.write(&format!("D/in/f{number}"), "old\n");
    }
    world.write("D/z", "old\n");
    let mut port = injected(&world, "unlinkat", &format!("delay_exit={LONG}:when=1"));
    port.hello();
    let folder = world.workspace();
    let inside = std::fs::File::open(folder.join("D/in")).unwrap();
    let delete = Drill { tool: "fs_delete", arguments: json!({"path": "D", "recursive": true}) };
    let result = thread::scope(|scope| {
        scope.spawn(|| {
            wait_until(|| rustix::fs::statat(&inside, "f0", rustix::fs::AtFlags::empty()).is_err());
            let flags = rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY;
            let mine = rustix::fs::openat(&inside, "mine", flags, 0o644.into()).unwrap();
            rustix::io::write(mine, b"mine\n").unwrap();
        });
        call(&mut port, &delete, &meta()).unwrap()
    });
    assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
    let told = result["structuredContent"]["warnings"][0].as_str().unwrap();
    assert_eq!(told, "`D` is still there: what somebody else has put there meanwhile stays");
    assert_eq!(names(&folder), ["D"]);
    assert_eq!(
        (names(&folder.join("D")), names(&folder.join("D/in"))),
        (vec!["in".into()], vec!["mine".into()])
    );
    drop(port);
    let report = undo(&mut connect(&world), &json!({"turn": "t1"}));
    assert_eq!(report["state"], "done", "{report:#}");
    assert_eq!(names(&folder.join("D/in")).len(), 6);
    assert_eq!(world.read("D/in/mine"), "mine\n");
}

/// An undo replaces what a person wrote, is killed, and the person goes on with the file: what they had before is to be had.
#[test]
fn what_an_undo_replaced_before_it_was_killed_comes_back() {
    for same_key in [true, false] {
        let mut replaced = 0;
        for number in 1..MOST {
            let place = format!("rename {number}, same key: {same_key}");
            let world = world();
            for name in ["a", "b"] {
                world.write(name, "old\n");
            }
            let mut port = connect(&world);
            for name in ["a", "b"] {
                let write = json!({"path": name, "content": "by the agent\n", "mode": "overwrite"});
                done(&mut port, "fs_write", write);
                world.write(name, format!("{name}, many hours of work\n"));
            }
            drop(port);
            let key = outrigger::ids::new_ulid();
            let params = json!({"turn": "t1", "overwrite": true, "call": key});
            let mut port = traced(&world, "renameat2", number);
            let answer = turned(&mut port, "undo", &params);
            drop(port);
            if answer.is_some() {
                break;
            }
            let went: Vec<&str> = ["a", "b"].into_iter().filter(|name| world.read(name) == "old\n").collect();
            for name in &went {
                world.write(name, "old\nand a note\n");
            }
            let mut port = connect(&world);
            if same_key {
                let report = undo(&mut port, &params);
                for name in &went {
                    let told = file(&report, name);
                    assert_eq!(
                        (&told["done"], &told["replaced"]),
                        (&json!(false), &json!(true)),
                        "{place}: {told:#}"
                    );
                }
            } else {
                undo(&mut port, &json!({"turn": "t1", "dry_run": true}));
            }
            let turns = port.request("outrigger/turns/list", json!({}))["result"]["turns"].clone();
            let known = turns[0]["replaced"].to_string();
            assert!(went.iter().all(|name| known.contains(&format!("\"{name}\""))), "{place}: {turns:#}");
            let back = undo(&mut port, &json!({"turn": key, "overwrite": true}));
            for name in ["a", "b"] {
                assert_eq!(world.read(name), format!("{name}, many hours of work\n"), "{place}: {back:#}");
            }
            replaced += went.len();
        }
        assert!(replaced > 0, "it was never killed behind a file");
    }
}

/// What a person never had replaced is not told to be, and there is nothing to bring back.
#[test]
fn what_an_undo_had_not_come_to_when_it_was_killed_is_not_replaced() {
    let world = world();
    world.write("a", "old\n");
    let mut port = connect(&world);
    done(&mut port, "fs_write", json!({"path": "a", "content": "by the agent\n", "mode": "overwrite"}));
    world.write("a", "mine\n");
    drop(port);
    let key = outrigger::ids::new_ulid();
    let mut port = traced(&world, "renameat2", 1);
    assert_eq!(turned(&mut port, "undo", &json!({"turn": "t1", "overwrite": true, "call": key})), None);
    drop(port);
    assert_eq!(world.read("a"), "mine\n");
    let mut port = connect(&world);
    undo(&mut port, &json!({"turn": "t1", "dry_run": true}));
    let turns = port.request("outrigger/turns/list", json!({}))["result"]["turns"].clone();
    assert_eq!(turns[0]["replaced"], json!([]), "{turns:#}");
    assert_eq!(undo(&mut port, &json!({"turn": key}))["state"], "nothing");
}

/// An undo by the name of a turn or of its one call is cut off; whatever is asked by the other name takes it for what it had done.
#[test]
fn an_undo_that_was_cut_off_is_settled_by_either_name() {
    for by_call in [true, false] {
        let mut halves = 0;
        for number in 1..MOST {
            let place = format!("rename {number}, by the call: {by_call}");
            let world = world();
            for name in ["a", "b"] {
                world.write(name, "0\n");
            }
            let patch = "*** Begin Patch\n*** Update File: a\n@@\n-0\n+1\n*** Update File: b\n@@\n-0\n+1\n*** End Patch\n";
            let patch = Drill { tool: "fs_apply_patch", arguments: json!({"patch": patch}) };
            let meta = meta();
            let result = call(&mut connect(&world), &patch, &meta).unwrap();
            assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
            let (first, then) = (meta["dev.outrigger/call"].clone(), json!("t1"));
            let (first, then) = if by_call { (first, then) } else { (then, first) };
            let params = json!({"turn": first, "call": outrigger::ids::new_ulid()});
            let mut port = traced(&world, "renameat2", number);
            let answer = turned(&mut port, "undo", &params);
            drop(port);
            if answer.is_some() {
                break;
            }
            let is_half = world.read("a") != world.read("b");
            halves += usize::from(is_half);
            let mut port = connect(&world);
            let redone = turned(&mut port, "redo", &json!({"turn": then})).unwrap();
            assert_eq!(redone["state"], if is_half { "done" } else { "nothing" }, "{place}: {redone:#}");
            assert_eq!((world.read("a").as_str(), world.read("b").as_str()), ("1\n", "1\n"), "{place}");
            let late = undo(&mut port, &params);
            assert_eq!(
                (world.read("a").as_str(), world.read("b").as_str()),
                ("1\n", "1\n"),
                "{place}: {late:#}"
            );
            assert_ne!(late["state"], "done", "{place}: {late:#}");
        }
        assert!(halves > 0, "it was never killed in its middle");
    }
}

/// A turn in two workspaces, undone with a key and cut off: the same key finishes both parts, and once; after something else was asked
/// of the turn nothing more of it is made.
#[test]
fn an_undo_of_two_workspaces_is_finished_with_its_key() {
    for look in [None, Some("dry"), Some("redo")] {
        let mut halves = 0;
        for number in 1..MOST {
            let place = format!("rename {number}, then {look:?}");
            let world = World::new("");
            let two = world.workspace().with_file_name("two");
            std::fs::create_dir(&two).unwrap();
            let workspace = format!(
                "\n[[workspace]]\nid = \"two\"\npath = {:?}\n[tools]\nprofile = \"full\"\n",
                two.to_str().unwrap()
            );
            world.configure(&(std::fs::read_to_string(world.config()).unwrap() + &workspace));
            let all = || {
                ["a", "b"].map(|name| (world.read(name), std::fs::read_to_string(two.join(name)).unwrap()))
            };
            for name in ["a", "b"] {
                world.write(name, "0\n");
                std::fs::write(two.join(name), "0\n").unwrap();
            }
            let mut port = connect(&world);
            for (name, path) in [("a", "a"), ("b", "b"), ("a", "two:a"), ("b", "two:b")] {
                let write =
                    json!({"path": path, "content": format!("{name} by the agent\n"), "mode": "overwrite"});
                done(&mut port, "fs_write", write);
            }
            drop(port);
            let (before, after) = (["0\n", "0\n"], ["a by the agent\n", "b by the agent\n"]);
            let (before, after) = (
                before.map(|text| (text.to_owned(), text.to_owned())),
                after.map(|text| (text.to_owned(), text.to_owned())),
            );
            assert_eq!(all(), after);
            let params = json!({"turn": "t1", "call": outrigger::ids::new_ulid()});
            let mut port = traced(&world, "renameat2", number);
            let answer = turned(&mut port, "undo", &params);
            drop(port);
            if answer.is_some() {
                break;
            }
            let half = all();
            let is_half = half != before && half != after;
            halves += usize::from(is_half);
            let mut port = connect(&world);
            match look {
                None => {
                    let report = undo(&mut port, &params);
                    assert_eq!(
                        (report["state"].as_str(), all()),
                        (Some("done"), before.clone()),
                        "{place}: {report:#}"
                    );
                    assert_eq!(undo(&mut port, &params), report, "{place}");
                }
                Some("dry") => {
                    undo(&mut port, &json!({"turn": "t1", "dry_run": true}));
                    let begun = half != after;
                    undo(&mut port, &params);
                    assert_eq!(all(), if begun { half } else { all() }, "{place}");
                }
                _ => {
                    let redone = turned(&mut port, "redo", &json!({"turn": "t1"})).unwrap();
                    assert_eq!(all(), after, "{place}: {redone:#}");
                    if is_half {
                        undo(&mut port, &params);
                        assert_eq!(all(), after, "{place}");
                    }
                }
            }
        }
        assert!(halves > 0, "it was never killed in its middle");
    }
}
