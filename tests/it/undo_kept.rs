//! Undo of what is too large for the journal: what is moved comes back by its bytes in the workspace, and nothing goes for good.

use serde_json::{Value, json};

use crate::{
    fs_names::snapshot,
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
