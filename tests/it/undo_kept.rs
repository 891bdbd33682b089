//! Undo of what is too large for the journal: what is moved comes back by its bytes in the workspace, and nothing goes for good.

use serde_json::{Value, json};

use crate::{
    fs_names::snapshot,
    kill_drill::{traced, turned},
    support::native::{Port, World},
};

/// More than the journal of these worlds keeps.
const LARGE: usize = 3 << 20;

fn world() -> (World, Port) {
    let world = World::new("[journal]\nmax_mib = 1\n[tools]\nprofile = \"full\"");
    let large = |word: &str| word.repeat(LARGE / word.len());
    world.write("d/large.txt", large("one\n"));
    world.write("d/other.txt", large("two\n"));
    world.write("d/small.txt", "small\n");
    world.write("t.txt", "target\n");
    let mut port = world.connect();
    port.hello();
    (world, port)
}

fn call(port: &mut Port, tool: &str, arguments: Value) {
    let meta = json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/turn": "t1"});
    let done = port.call_allowed(tool, arguments, meta);
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
}

fn control(port: &mut Port, way: &str, params: Value) -> Value {
    let answer = port.request(&format!("outrigger/turns/{way}"), params);
    assert!(answer.get("result").is_some(), "{answer:#}");
    answer["result"].clone()
}

fn moved(from: &str, to: &str) -> Value {
    json!({"from": from, "to": to, "overwrite": true})
}

#[test]
fn what_was_moved_goes_back_and_forth_without_the_journal() {
    for (from, to) in [("d/large.txt", "x/y.txt"), ("d", "x"), ("d/large.txt", "t.txt")] {
        let (world, mut port) = world();
        let before = snapshot(&world.workspace());
        call(&mut port, "fs_move", moved(from, to));
        let after = snapshot(&world.workspace());
        for _ in 0..2 {
            let undone = control(&mut port, "undo", json!({"turn": "t1"}));
            assert_eq!(undone["state"], "done", "{from} {to}: {undone:#}");
            assert_eq!(snapshot(&world.workspace()), before, "{from} {to}");
            let redone = control(&mut port, "redo", json!({"turn": "t1"}));
            assert_eq!(redone["state"], "done", "{from} {to}: {redone:#}");
            assert_eq!(snapshot(&world.workspace()), after, "{from} {to}");
        }
    }
}

#[test]
fn half_of_a_move_is_not_undone_where_the_bytes_would_be_gone() {
    let ways = [
        json!({"skip_conflicts": true}),
        json!({"overwrite": true}),
        json!({"overwrite": true, "skip_conflicts": true}),
        json!({"skip_conflicts": true, "paths": ["x/y.txt"]}),
    ];
    for way in ways {
        let (world, mut port) = world();
        call(&mut port, "fs_move", moved("d/large.txt", "x/y.txt"));
        world.write("d/large.txt", "mine\n");
        let before = snapshot(&world.workspace());
        let mut params = json!({"turn": "t1"});
        params.as_object_mut().unwrap().extend(way.as_object().unwrap().clone());
        let undone = control(&mut port, "undo", params);
        let why = undone["files"].to_string();
        assert!(why.contains("gone for good") || why.contains("no longer kept"), "{way}: {undone:#}");
        assert_eq!(snapshot(&world.workspace()), before, "{way}");
    }
}

/// What a plan says of undo is what undo does: whatever is moved or copied, however large, goes back where its bytes are.
#[test]
fn a_plan_says_of_large_files_what_undo_does() {
    for (tool, arguments, undoable) in [
        ("fs_move", json!({"from": "d/large.txt", "to": "new.txt"}), true),
        ("fs_move", json!({"from": "d", "to": "new"}), true),
        ("fs_move", json!({"from": "d/large.txt", "to": "t.txt", "overwrite": true}), true),
        ("fs_move", json!({"from": "t.txt", "to": "d/large.txt", "overwrite": true}), false),
        ("fs_move", json!({"from": "d/large.txt", "to": "copy.txt", "copy": true}), true),
        ("fs_move", json!({"from": "d", "to": "copy", "copy": true}), true),
        ("fs_move", json!({"from": "d/large.txt", "to": "t.txt", "copy": true, "overwrite": true}), true),
        ("fs_move", json!({"from": "t.txt", "to": "d/large.txt", "copy": true, "overwrite": true}), false),
        (
            "fs_move",
            json!({"from": "d/large.txt", "to": "d/other.txt", "copy": true, "overwrite": true}),
            false,
        ),
        ("fs_delete", json!({"path": "d/large.txt"}), false),
        ("fs_delete", json!({"path": "d", "recursive": true, "expect_entries": 3}), false),
    ] {
        let (world, mut port) = world();
        let before = snapshot(&world.workspace());
        let asked = port.call(tool, arguments.clone());
        let plan = &asked["_meta"]["dev.outrigger/plan"];
        for file in plan["preview"]["files"].as_array().unwrap() {
            assert_eq!(file["undoable"], undoable, "{arguments}: {plan:#}");
        }
        assert_eq!(plan["reasons"].to_string().contains("this cannot be undone"), !undoable, "{plan:#}");
        call(&mut port, tool, arguments.clone());
        let after = snapshot(&world.workspace());
        let undone = control(&mut port, "undo", json!({"turn": "t1"}));
        assert_eq!(undone["state"], if undoable { "done" } else { "conflict" }, "{arguments}: {undone:#}");
        assert_eq!(
            snapshot(&world.workspace()),
            if undoable { &before } else { &after }.clone(),
            "{arguments}"
        );
        if undoable {
            let redone = control(&mut port, "redo", json!({"turn": "t1"}));
            assert_eq!(redone["state"], "done", "{arguments}: {redone:#}");
            assert_eq!(snapshot(&world.workspace()), after, "{arguments}");
        }
    }
}

/// The original is what a copy's bytes stand in: changed, or about to be, it vouches for nothing.
#[test]
fn a_copy_goes_only_while_its_original_stands() {
    let copy = json!({"from": "d/large.txt", "to": "copy.txt", "copy": true});
    for change in [true, false] {
        let (world, mut port) = world();
        call(&mut port, "fs_move", copy.clone());
        if change {
            world.write("d/large.txt", "mine\n".repeat(LARGE / 5));
        } else {
            call(&mut port, "fs_delete", json!({"path": "d/large.txt"}));
        }
        let before = snapshot(&world.workspace());
        let undone = control(&mut port, "undo", json!({"turn": "t1", "paths": ["copy.txt"]}));
        assert_eq!(undone["state"], "conflict", "{undone:#}");
        assert_eq!(snapshot(&world.workspace()), before);
    }
    // All of it: the copy is what the original comes back from.
    let (world, mut port) = world();
    let before = snapshot(&world.workspace());
    call(&mut port, "fs_move", copy.clone());
    call(&mut port, "fs_delete", json!({"path": "d/large.txt"}));
    let undone = control(&mut port, "undo", json!({"turn": "t1"}));
    assert_eq!(undone["state"], "done", "{undone:#}");
    assert_eq!(snapshot(&world.workspace()), before);
    // A redo makes the copy of what stands there, and of nothing else.
    let (world, mut port) = self::world();
    call(&mut port, "fs_move", copy);
    assert_eq!(control(&mut port, "undo", json!({"turn": "t1"}))["state"], "done");
    world.write("d/large.txt", "mine\n".repeat(LARGE / 5));
    let before = snapshot(&world.workspace());
    let redone = control(&mut port, "redo", json!({"turn": "t1"}));
    assert_eq!(redone["state"], "conflict", "{redone:#}");
    assert_eq!(snapshot(&world.workspace()), before);
}

#[test]
fn a_copy_that_is_the_last_of_its_bytes_stays() {
    let (world, mut port) = world();
    call(&mut port, "fs_move", json!({"from": "d/large.txt", "to": "copy.txt", "copy": true}));
    std::fs::remove_file(world.workspace().join("d/large.txt")).unwrap();
    let before = snapshot(&world.workspace());
    for look in [true, false] {
        let undone = control(&mut port, "undo", json!({"turn": "t1", "dry_run": look}));
        assert!(undone["files"].to_string().contains("too many to be kept"), "{undone:#}");
    }
    assert_eq!(snapshot(&world.workspace()), before);
}

/// Folders that an undo or a redo makes on the way go the way back with what is in them, unless somebody else uses them.
#[test]
fn folders_that_were_made_on_the_way_go_again() {
    let world = World::new("[tools]\nprofile = \"full\"");
    world.write("keep/in/x.txt", "x\n");
    world.write("there/in/old.txt", "old\n");
    let mut port = world.connect();
    port.hello();
    let root = world.workspace();
    let turn = |port: &mut Port, way: &str| {
        let report = control(port, way, json!({"turn": "t1"}));
        assert_eq!(report["state"], "done", "{way}: {report:#}");
    };
    call(&mut port, "fs_delete", json!({"path": "keep/in/x.txt"}));
    call(&mut port, "fs_write", json!({"path": "there/in/new.txt", "content": "new\n"}));
    std::fs::remove_dir_all(root.join("keep")).unwrap();
    let (without, old) = (snapshot(&root), root.join("there/in/old.txt"));
    turn(&mut port, "undo");
    let with = snapshot(&root);
    assert!(root.join("keep/in/x.txt").exists() && !root.join("there/in/new.txt").exists());
    for _ in 0..2 {
        turn(&mut port, "redo");
        assert_eq!(snapshot(&root), without);
        turn(&mut port, "undo");
        assert_eq!(snapshot(&root), with);
    }
    // The other way: what a redo has made goes with the next undo.
    std::fs::remove_file(&old).unwrap();
    std::fs::remove_dir_all(root.join("there")).unwrap();
    let with = snapshot(&root);
    turn(&mut port, "redo");
    assert!(root.join("there/in/new.txt").exists());
    turn(&mut port, "undo");
    assert_eq!(snapshot(&root), with);
    // What somebody else has put there since keeps its folders, and so does a folder of another mode.
    world.write("keep/mine.txt", "mine\n");
    turn(&mut port, "redo");
    assert!(root.join("keep/mine.txt").exists() && !root.join("keep/in").exists());
    turn(&mut port, "undo");
    std::fs::set_permissions(root.join("keep/in"), std::os::unix::fs::PermissionsExt::from_mode(0o711))
        .unwrap();
    turn(&mut port, "redo");
    assert!(root.join("keep/in").exists() && !root.join("keep/in/x.txt").exists());
}

/// The bytes that a folder's place has are needed elsewhere before it is a folder again, and the other way.
#[test]
fn what_was_moved_to_a_folder_s_place_goes_back_and_forth() {
    let (world, mut port) = world();
    world.write("D/a", "a\n");
    world.write("D/in/b", "b\n");
    let before = snapshot(&world.workspace());
    call(&mut port, "fs_delete", json!({"path": "D", "recursive": true}));
    call(&mut port, "fs_move", moved("d/large.txt", "D"));
    let after = snapshot(&world.workspace());
    for _ in 0..2 {
        let undone = control(&mut port, "undo", json!({"turn": "t1"}));
        assert_eq!(
            (undone["state"].as_str(), snapshot(&world.workspace())),
            (Some("done"), before.clone()),
            "{undone:#}"
        );
        let redone = control(&mut port, "redo", json!({"turn": "t1"}));
        assert_eq!(
            (redone["state"].as_str(), snapshot(&world.workspace())),
            (Some("done"), after.clone()),
            "{redone:#}"
        );
    }
}

/// Killed with the bytes in both places, what is left of an undo or a redo is done by whoever asks next.
#[test]
fn half_of_a_move_back_is_no_end() {
    let mut halves = 0;
    for way in ["undo", "redo"] {
        for number in 1..20 {
            let place = format!("{way}, rename {number}");
            let (world, mut port) = world();
            let before = snapshot(&world.workspace());
            call(&mut port, "fs_move", moved("d/large.txt", "x/y.txt"));
            let after = snapshot(&world.workspace());
            if way == "redo" {
                assert_eq!(control(&mut port, "undo", json!({"turn": "t1"}))["state"], "done");
            }
            drop(port);
            let mut port = traced(&world, "renameat2", number);
            let answer = turned(&mut port, way, &json!({"turn": "t1", "call": outrigger::ids::new_ulid()}));
            drop(port);
            if answer.is_some() {
                break;
            }
            let is_there = |path: &str| world.workspace().join(path).exists();
            halves += usize::from(is_there("d/large.txt") && is_there("x/y.txt"));
            let mut port = world.connect();
            port.hello();
            for (way, end) in [("undo", &before), ("redo", &after), ("undo", &before)] {
                let done = control(&mut port, way, json!({"turn": "t1"}));
                assert_eq!(snapshot(&world.workspace()), *end, "{place}, then {way}: {done:#}");
            }
        }
    }
    assert!(halves > 0, "it was never killed in its middle");
}
