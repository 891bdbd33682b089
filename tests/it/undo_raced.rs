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
    kill_drill::{Drill, call, injected, is_temporary, meta, turned},
    support::native::{Port, World},
};

/// Long enough for the other program, also where the machine is busy.
const LONG: &str = "2000000";

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
    assert_eq!(names(&folder), ["A", "B"]);
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
            // The journal knows of the call before the first name changes.
            let log = world.state().join("journal.sqlite-wal");
            let written = || std::fs::metadata(&log).map(|log| log.len()).unwrap_or(0);
            let before = written();
            wait_until(|| written() > before);
            thread::sleep(Duration::from_millis(300));
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
