//! The host is killed at each system call that changes something: every file then holds the old bytes or the new, and the next host
//! that gets the same call finishes it, once.
//!
//! `strace` delivers the signal when the call is entered, so the kill point before one call is the one after the last. A few rows
//! run always; `OUTRIGGER_DRILL=all` runs them all.

use std::{collections::BTreeMap, path::Path, process::Command};

use serde_json::{Value, json};

use crate::{
    fs_names::snapshot,
    support::native::{Port, World},
};

/// Calls that change names: where a kill can leave half a change.
const QUICK: &[&str] = &["renameat2", "renameat", "unlinkat", "mkdirat"];
/// All others that change something, in the workspace or in the journal.
const OTHERS: &[&str] =
    &["linkat", "symlinkat", "fchmod", "fsync", "fdatasync", "write", "pwrite64", "flock", "ftruncate"];
/// More of one system call than any of these calls makes on one thread.
const MOST: usize = 400;

pub type Names = BTreeMap<Vec<u8>, String>;

pub struct Drill {
    pub tool: &'static str,
    pub arguments: Value,
}

pub fn world() -> World {
    let world = World::new("[tools]\nprofile = \"full\"");
    world.write("a.txt", "a\n");
    world.write("b.txt", "b\n");
    world.write("d/one.txt", "one\n");
    world.write("d/in/two.txt", "two\n");
    std::os::unix::fs::symlink("one.txt", world.workspace().join("d/link")).unwrap();
    // The journal is there already: its making is no part of the drill.
    world.connect().hello();
    world
}

/// A call of its own.
pub fn meta() -> Value {
    json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/workspace": "app",
        "dev.outrigger/session": "s1", "dev.outrigger/turn": "t1"})
}

/// The workspace and the journal of one world in an empty one.
pub fn copied(world: &World, into: World) -> World {
    for (from, to) in [(world.workspace(), into.workspace()), (world.state(), into.state())] {
        std::fs::create_dir_all(&to).unwrap();
        let copied = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status();
        assert!(copied.unwrap().success());
    }
    into
}

/// Sends a call and allows its plan; `None` when the host died.
pub fn call(port: &mut Port, drill: &Drill, meta: &Value) -> Option<Value> {
    let mut params = json!({"name": drill.tool, "arguments": drill.arguments, "_meta": meta});
    loop {
        port.next_id += 1;
        let id = json!(port.next_id);
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
        params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "0"});
        port.try_send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
        let answer = loop {
            let message = port.receive()?;
            if message.get("id") == Some(&id) {
                break message["result"].clone();
            }
        };
        if answer["resultType"] != "input_required" {
            return Some(answer);
        }
        params["requestState"] = answer["requestState"].clone();
        params["inputResponses"] =
            json!({"approval": {"action": "accept", "content": {"decision": "allow"}}});
    }
}

pub fn traced(world: &World, system_call: &str, number: usize) -> Port {
    injected(world, system_call, &format!("signal=SIGKILL:when={number}"))
}

/// The same for the host alone: nothing happens to the programs that it starts.
pub fn traced_alone(world: &World, system_call: &str, number: usize) -> Port {
    let inject = format!("inject={system_call}:signal=SIGKILL:when={number}");
    let trace = format!("trace={system_call}");
    traced_with(world, &["-b", "execve", "-e", &trace, "-e", &inject])
}

/// A host that is killed when it asks for this file or folder to go to the disk. Calls are counted thread by thread, and which thread
/// does what is not the same each time: this is.
pub fn killed_at_sync(world: &World, path: &Path) -> Port {
    let path = path.to_str().unwrap();
    traced_with(world, &["-P", path, "-e", "trace=fsync", "-e", "inject=fsync:signal=SIGKILL"])
}

/// A host to which something happens at a system call.
pub fn injected(world: &World, system_call: &str, what: &str) -> Port {
    let inject = format!("inject={system_call}:{what}");
    let trace = format!("trace={system_call}");
    traced_with(world, &["-e", &trace, "-e", &inject])
}

fn traced_with(world: &World, args: &[&str]) -> Port {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null"]).args(args);
    command.arg(env!("CARGO_BIN_EXE_outrigger")).arg(&outrigger::native::caller::own_extensions()[0]);
    command.env("OUTRIGGER_CONFIG", world.config()).env("OUTRIGGER_STATE_DIR", world.state());
    Port::spawn(&mut command)
}

pub fn is_temporary(name: &[u8]) -> bool {
    name.split(|byte| *byte == b'/').any(|part| part.starts_with(b".outrigger-"))
}

/// Every name is as it was or as planned; what is built or put aside has a name of its own.
pub fn check_half(half: &Names, before: &Names, after: &Names, place: &str) {
    for (name, what) in half.iter().filter(|(name, _)| !is_temporary(name)) {
        let known = [before.get(name), after.get(name)];
        assert!(known.contains(&Some(what)), "{place}: {} is {what}", String::from_utf8_lossy(name));
    }
    for (name, what) in before {
        let stays = after.get(name) == Some(what);
        assert!(!stays || half.get(name) == Some(what), "{place}: {} is lost", String::from_utf8_lossy(name));
    }
}

/// Kills the host at call after call of one kind; how often it was killed.
fn drill(drill: &Drill, system_call: &str, before: &Names, after: &Names) -> usize {
    for number in 1..MOST {
        let place = format!("{} at {system_call} {number}", drill.tool);
        let world = world();
        let meta = meta();
        let mut port = traced(&world, system_call, number);
        let answer = call(&mut port, drill, &meta);
        drop(port);
        check_half(&snapshot(&world.workspace()), before, after, &place);
        let done = answer.is_some();
        let mut port = world.connect();
        port.hello();
        let settled = call(&mut port, drill, &meta).unwrap();
        assert_eq!(settled["structuredContent"]["ok"], true, "{place}: {settled:#}");
        assert_eq!(snapshot(&world.workspace()), *after, "{place}");
        let again = call(&mut port, drill, &meta).unwrap();
        assert_eq!(again["structuredContent"]["ok"], true, "{place}: {again:#}");
        assert_eq!(snapshot(&world.workspace()), *after, "{place}");
        let undone = port.request("outrigger/turns/undo", json!({"turn": "t1"}))["result"].clone();
        assert_eq!(undone["state"], "done", "{place}: {undone:#}");
        assert_eq!(snapshot(&world.workspace()), *before, "{place}");
        if done {
            return number - 1;
        }
    }
    panic!("{} makes more than {MOST} calls of {system_call}", drill.tool);
}

fn check(tool: &'static str, arguments: Value) {
    let row = Drill { tool, arguments };
    let sample = world();
    let before = snapshot(&sample.workspace());
    let mut port = sample.connect();
    port.hello();
    let result = call(&mut port, &row, &json!({"dev.outrigger/workspace": "app"})).unwrap();
    assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
    let after = snapshot(&sample.workspace());
    assert_ne!(before, after);
    let all = std::env::var("OUTRIGGER_DRILL").is_ok_and(|value| value == "all");
    let others = OTHERS.iter().filter(|_| all);
    let killed: usize = QUICK.iter().chain(others).map(|name| drill(&row, name, &before, &after)).sum();
    assert!(killed > 0, "{tool} was never killed");
}

#[test]
fn a_write_is_whole_or_not_there() {
    check("fs_write", json!({"path": "new/folder/c.txt", "content": "c\n"}));
    check("fs_write", json!({"path": "a.txt", "content": "more\n", "mode": "append"}));
}

#[test]
fn an_edit_is_whole_or_not_there() {
    check("fs_edit", json!({"path": "a.txt", "edits": [{"old_text": "a", "new_text": "A"}]}));
}

#[test]
fn a_patch_is_whole_or_taken_back() {
    let patch = "*** Begin Patch\n*** Add File: new/c.txt\n+c\n*** Update File: a.txt\n@@\n-a\n+A\n*** Update File: d/one.txt\n*** Move \
                 to: moved.txt\n@@\n-one\n+1\n*** Delete File: b.txt\n*** End Patch\n";
    check("fs_apply_patch", json!({"patch": patch}));
}

#[test]
fn a_move_is_done_or_not() {
    check("fs_move", json!({"from": "d", "to": "new/e"}));
    check("fs_move", json!({"from": "d", "to": "e", "copy": true}));
    check("fs_move", json!({"from": "a.txt", "to": "b.txt", "overwrite": true}));
}

#[test]
fn a_delete_is_done_or_not() {
    check("fs_delete", json!({"path": "d", "recursive": true, "expect_entries": 4}));
    check("fs_delete", json!({"path": "d/link"}));
}

#[test]
fn a_folder_is_made_or_not() {
    check("fs_mkdir", json!({"path": "x/y/z"}));
}

/// An undo that replaces what somebody else wrote, or brings it back; `None` when the host died.
fn undo(port: &mut Port, params: &Value) -> Option<Value> {
    turned(port, "undo", params)
}

/// The answer to an undo or a redo; `None` when the host died at it.
pub fn turned(port: &mut Port, way: &str, params: &Value) -> Option<Value> {
    port.next_id += 1;
    let id = json!(port.next_id);
    let mut params = params.clone();
    params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"}});
    port.try_send(
        &json!({"jsonrpc": "2.0", "id": id, "method": format!("outrigger/turns/{way}"), "params": params}),
    );
    loop {
        let message = port.receive()?;
        if message.get("id") == Some(&id) {
            assert!(message.get("result").is_some(), "{message:#}");
            return Some(message["result"].clone());
        }
    }
}

/// A turn of two files, one of which a person changed since.
fn changed_since() -> World {
    let world = world();
    let mut port = world.connect();
    port.hello();
    for (path, from, to) in [("a.txt", "a", "A"), ("b.txt", "b", "B")] {
        let edit = Drill {
            tool: "fs_edit",
            arguments: json!({"path": path, "edits": [{"old_text": from, "new_text": to}]}),
        };
        let meta = meta();
        assert_eq!(call(&mut port, &edit, &meta).unwrap()["structuredContent"]["ok"], true);
    }
    world.write("a.txt", "mine\n");
    world
}

/// Kills the host at each call of one kind while it undoes; then the same undo is asked again of the next host.
fn drill_undo(system_call: &str, brings_back: bool) -> usize {
    for number in 1..MOST {
        let place = format!("undo at {system_call} {number}, bringing back: {brings_back}");
        let world = changed_since();
        let mut replaced = json!({"turn": "t1", "overwrite": true, "call": outrigger::ids::new_ulid()});
        let mut after = "a\n";
        if brings_back {
            let mut port = world.connect();
            port.hello();
            let undone = undo(&mut port, &replaced).unwrap();
            replaced = json!({"turn": undone["call"], "call": outrigger::ids::new_ulid()});
            after = "mine\n";
        }
        let mut port = traced(&world, system_call, number);
        let answer = undo(&mut port, &replaced);
        drop(port);
        let half = world.read("a.txt");
        assert!(["mine\n", "a\n"].contains(&half.as_str()), "{place}: {half}");
        let mut port = world.connect();
        port.hello();
        let settled = undo(&mut port, &replaced).unwrap();
        assert_eq!(
            (settled["state"].as_str(), world.read("a.txt").as_str()),
            (Some("done"), after),
            "{place}: {settled:#}"
        );
        assert_eq!(undo(&mut port, &replaced).unwrap(), settled, "{place}");
        assert_eq!(world.read("b.txt"), "b\n", "{place}");
        if !brings_back {
            let back = undo(&mut port, &json!({"turn": settled["call"]})).unwrap();
            assert_eq!(
                (back["state"].as_str(), world.read("a.txt").as_str()),
                (Some("done"), "mine\n"),
                "{place}: {back:#}"
            );
        }
        let output = world.command().args(["audit", "--verify"]).output().unwrap();
        assert!(output.status.success(), "{place}: {}", String::from_utf8_lossy(&output.stdout));
        if answer.is_some() {
            return number - 1;
        }
    }
    panic!("an undo makes more than {MOST} calls of {system_call}");
}

#[test]
fn an_undo_that_replaces_keeps_the_old_bytes_wherever_it_is_killed() {
    let all = std::env::var("OUTRIGGER_DRILL").is_ok_and(|value| value == "all");
    let others = OTHERS.iter().filter(|name| all || **name == "fdatasync" || **name == "fsync");
    for brings_back in [false, true] {
        let killed: usize =
            QUICK.iter().chain(others.clone()).map(|name| drill_undo(name, brings_back)).sum();
        assert!(killed > 0, "it was never killed");
    }
}

/// Killed in the middle, half of an undo stands; a redo finishes it first, so that it has something to make again.
#[test]
fn a_redo_after_an_undo_that_was_killed_makes_all_of_the_turn_again() {
    let mut halves = 0;
    for number in 1..MOST {
        let place = format!("undo at renameat2 {number}");
        let world = changed_since();
        world.write("a.txt", "A\n");
        let mut port = traced(&world, "renameat2", number);
        let answer = undo(&mut port, &json!({"turn": "t1", "call": outrigger::ids::new_ulid()}));
        drop(port);
        let half = (world.read("a.txt"), world.read("b.txt"));
        halves += usize::from((half.0 == "A\n") != (half.1 == "B\n"));
        let mut port = world.connect();
        port.hello();
        let is_undone = half == ("a\n".to_owned(), "b\n".to_owned());
        let redone = turned(&mut port, "redo", &json!({"turn": "t1"})).unwrap();
        let began = is_undone || half != ("A\n".to_owned(), "B\n".to_owned());
        if began {
            assert_eq!(redone["state"], "done", "{place}: {redone:#}");
        }
        assert_eq!((world.read("a.txt").as_str(), world.read("b.txt").as_str()), ("A\n", "B\n"), "{place}");
        if answer.is_some() {
            break;
        }
    }
    assert!(halves > 0, "no undo was killed in its middle");
}

/// Many files come back at the same time: each is whole or not there wherever that ends, and the same undo asked again does the rest.
#[test]
fn an_undo_of_many_files_is_finished_wherever_it_is_killed() {
    let mut halves = 0;
    for (system_call, number) in
        [("renameat2", 2), ("renameat2", 5), ("fsync", 3), ("fchmod", 6), ("write", 20)]
    {
        let place = format!("undo of many at {system_call} {number}");
        let world = world();
        for file in 0..200 {
            world.write(&format!("many/{}/{file}.txt", file % 7), format!("{file}\n"));
        }
        let before = snapshot(&world.workspace());
        let mut port = world.connect();
        port.hello();
        let delete = Drill { tool: "fs_delete", arguments: json!({"path": "many", "recursive": true}) };
        assert_eq!(call(&mut port, &delete, &meta()).unwrap()["structuredContent"]["ok"], true);
        drop(port);
        let after = snapshot(&world.workspace());
        let params = json!({"turn": "t1", "call": outrigger::ids::new_ulid()});
        let mut port = traced(&world, system_call, number);
        undo(&mut port, &params);
        drop(port);
        let half = snapshot(&world.workspace());
        check_half(&half, &after, &before, &place);
        let back = half.iter().filter(|(name, what)| before.get(*name) == Some(what)).count();
        halves += usize::from(back > after.len() && back < before.len());
        let mut port = world.connect();
        port.hello();
        let report = undo(&mut port, &params).unwrap();
        assert_eq!(report["state"], "done", "{place}: {report:#}");
        assert_eq!(snapshot(&world.workspace()), before, "{place}");
        let redone = turned(&mut port, "redo", &json!({"turn": "t1"})).unwrap();
        assert_eq!(redone["state"], "done", "{place}: {redone:#}");
        assert_eq!(snapshot(&world.workspace()), after, "{place}");
    }
    assert!(halves > 0, "no undo was killed in its middle");
}

/// What a person wrote is replaced because they said so, then; whoever died before it did not, and a redo does not make up for it.
#[test]
fn a_redo_after_an_undo_that_was_killed_replaces_nothing_of_a_person() {
    let (mut untouched, mut replaced) = (0, 0);
    for number in 1..MOST {
        let place = format!("undo at renameat2 {number}");
        let world = changed_since();
        let mut port = traced(&world, "renameat2", number);
        let key = outrigger::ids::new_ulid();
        let answer = undo(&mut port, &json!({"turn": "t1", "overwrite": true, "call": key}));
        drop(port);
        let half = world.read("a.txt");
        let mut port = world.connect();
        port.hello();
        // What the turn had left in the replaced file is kept nowhere: that one cannot be made again.
        let mut asked = json!({"turn": "t1", "skip_conflicts": true, "dry_run": true});
        let dry = turned(&mut port, "redo", &asked).unwrap();
        asked["dry_run"] = json!(false);
        let redone = turned(&mut port, "redo", &asked).unwrap();
        let paths = |report: &Value| {
            let files = report["files"].as_array().unwrap().iter();
            files.map(|file| file["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(paths(&dry), paths(&redone), "{place}: {dry:#} {redone:#}");
        assert_eq!(world.read("b.txt"), "B\n", "{place}");
        if half == "mine\n" {
            untouched += 1;
            assert_eq!(world.read("a.txt"), "mine\n", "{place}: {redone:#}");
        } else {
            replaced += 1;
            assert_eq!(world.read("a.txt"), "a\n", "{place}: {redone:#}");
            let back = undo(&mut port, &json!({"turn": key})).unwrap();
            assert_eq!(
                (back["state"].as_str(), world.read("a.txt").as_str()),
                (Some("done"), "mine\n"),
                "{place}"
            );
        }
        if answer.is_some() {
            break;
        }
    }
    assert!(untouched > 0 && replaced > 0, "{untouched} before, {replaced} behind");
}

/// A link whose place a folder with a file took, undone: killed anywhere, the same undo asked again is done, and says so.
#[test]
fn an_undo_of_a_folder_in_a_link_s_place_is_finished_wherever_it_is_killed() {
    // A link cannot be locked, so only an old one is nobody's.
    let kept = |world: &World| {
        let mut names = snapshot(&world.workspace());
        names.retain(|name, what| !is_temporary(name) || !what.starts_with("link"));
        names
    };
    let turned = |file: bool| {
        let world = world();
        if file {
            std::fs::remove_file(world.workspace().join("d/link")).unwrap();
            world.write("d/link", "a file\n");
        }
        let before = snapshot(&world.workspace());
        let mut port = world.connect();
        port.hello();
        for (tool, arguments) in [
            ("fs_delete", json!({"path": "d/link"})),
            ("fs_write", json!({"path": "d/link/in/side.txt", "content": "new\n"})),
        ] {
            let meta = meta();
            let done = call(&mut port, &Drill { tool, arguments }, &meta).unwrap();
            assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
        }
        (world, before)
    };
    let mut killed = 0;
    for (file, system_call) in
        [false, true].into_iter().flat_map(|file| QUICK.iter().map(move |name| (file, name)))
    {
        for number in 1..MOST {
            let place = format!("undo at {system_call} {number}, of a file: {file}");
            let (world, before) = turned(file);
            let after = kept(&world);
            let params = json!({"turn": "t1", "call": outrigger::ids::new_ulid()});
            let mut port = traced(&world, system_call, number);
            let answer = undo(&mut port, &params);
            drop(port);
            let mut port = world.connect();
            port.hello();
            let settled = undo(&mut port, &params).unwrap();
            assert_eq!(settled["state"], "done", "{place}: {settled:#}");
            assert_eq!(kept(&world), before, "{place}");
            let redone = port.request("outrigger/turns/redo", json!({"turn": "t1"}))["result"].clone();
            assert_eq!(redone["state"], "done", "{place}: {redone:#}");
            assert_eq!(kept(&world), after, "{place}");
            if answer.is_some() {
                break;
            }
            killed += 1;
        }
    }
    assert!(killed > 0, "it was never killed");
}
