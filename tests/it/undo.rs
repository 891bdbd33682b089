//! Undo: a turn is taken back and made again, conflicts are told, the audit has all of it.

use std::{os::unix::fs::PermissionsExt as _, time::Duration};

use serde_json::{Value, json};

use crate::{
    fs_names::snapshot,
    kill_drill::{self, Drill, traced},
    support::native::{Port, World},
    world::git_command,
};

fn meta(turn: &str) -> Value {
    json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/workspace": "app",
        "dev.outrigger/session": "s1", "dev.outrigger/turn": turn})
}

fn ok(result: &Value) {
    assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
}

fn control(port: &mut Port, method: &str, params: Value) -> Value {
    let answer = port.request(&format!("outrigger/{method}"), params);
    assert!(answer.get("result").is_some(), "{answer:#}");
    answer["result"].clone()
}

/// Three calls of one turn: a file edited twice and a file created in a new folder.
fn turn(port: &mut Port, turn: &str) {
    for (old, new) in [("one", "two"), ("two", "three")] {
        let edits = json!([{"old_text": old, "new_text": new}]);
        ok(&port.call_allowed("fs_edit", json!({"path": "a.txt", "edits": edits}), meta(turn)));
    }
    ok(&port.call_allowed("fs_write", json!({"path": "new/b.txt", "content": "b\n"}), meta(turn)));
}

fn states(report: &Value) -> Vec<(String, String, bool)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (text(&file["path"]), text(&file["action"]), file["done"] == true))
        .collect()
}

#[test]
fn a_turn_is_taken_back_and_made_again_also_by_another_host() {
    let world = World::new("");
    world.write("a.txt", "one\r\n");
    let mut port = world.connect();
    port.hello();
    turn(&mut port, "t1");
    let list = control(&mut port, "turns/list", json!({"session": "s1"}));
    let only = &list["turns"][0];
    assert_eq!(only["turn"], "t1", "{list:#}");
    assert_eq!(only["paths"], json!(["new", "new/b.txt", "a.txt"]));
    assert_eq!((only["calls"].as_i64(), only["state"].as_str()), (Some(3), Some("done")));
    let diff = control(&mut port, "turns/diff", json!({"turn": "t1"}));
    assert_eq!(diff["files"][0]["hunks"][0]["lines"], json!(["-one", "+three"]), "{diff:#}");
    let dry = control(&mut port, "turns/undo", json!({"turn": "t1", "dry_run": true}));
    assert_eq!((dry["state"].as_str(), world.read("a.txt").as_str()), (Some("dry_run"), "three\r\n"));
    drop(port);
    let mut port = world.connect();
    port.hello();
    for round in 0..2 {
        let undone = control(&mut port, "turns/undo", json!({"turn": "t1"}));
        assert_eq!(undone["state"], "done", "round {round}: {undone:#}");
        let expected = [("a.txt", "restore", true), ("new/b.txt", "delete", true), ("new", "delete", true)];
        assert_eq!(states(&undone), expected.map(|(path, action, done)| (path.into(), action.into(), done)));
        assert_eq!(world.read("a.txt"), "one\r\n");
        assert!(!world.workspace().join("new").exists());
        assert_eq!(control(&mut port, "turns/undo", json!({"turn": "t1"}))["state"], "nothing");
        assert_eq!(control(&mut port, "turns/list", json!({}))["turns"][0]["state"], "undone");
        let redone = control(&mut port, "turns/redo", json!({"turn": "t1"}));
        assert_eq!(redone["state"], "done", "{redone:#}");
        assert_eq!((world.read("a.txt"), world.read("new/b.txt")), ("three\r\n".into(), "b\n".into()));
    }
    let rows = control(&mut port, "audit/query", json!({"limit": 100}));
    let kinds: Vec<&str> =
        rows["rows"].as_array().unwrap().iter().map(|row| row["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["call", "call", "call", "undo", "redo", "undo", "redo"], "{rows:#}");
    assert_eq!(rows["rows"][0]["decision"], "allowed");
    assert_eq!(rows["rows"][0]["by"], "user");
    assert!(!rows.to_string().contains("three"), "the audit holds no contents");
}

#[test]
fn extended_attributes_stay_with_a_file_that_changes_and_come_back_with_one_that_is_deleted() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    world.write("d/gone.txt", "bye\n");
    let file = world.workspace().join("a.txt");
    let attribute = |file: &std::path::Path| {
        let mut value = [0; 16];
        rustix::fs::getxattr(file, "user.outrigger", &mut value[..])
            .ok()
            .map(|length| value[..length].to_vec())
    };
    for file in [&file, &world.workspace().join("d"), &world.workspace().join("d/gone.txt")] {
        let flags = rustix::fs::XattrFlags::empty();
        if let Err(error) = rustix::fs::setxattr(file, "user.outrigger", b"kept", flags) {
            eprintln!("skipped: files have no extended attributes here: {error}");
            return;
        }
    }
    let mut port = world.connect();
    port.hello();
    let kept = Some(b"kept".to_vec());
    turn(&mut port, "t1");
    assert_eq!((world.read("a.txt").as_str(), attribute(&file)), ("three\n", kept.clone()));
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-three\n+four\n*** End Patch\n";
    ok(&port.call_allowed("fs_apply_patch", json!({"patch": patch}), meta("t2")));
    let whole = json!({"path": "a.txt", "content": "five\n", "mode": "overwrite"});
    ok(&port.call_allowed("fs_write", whole, meta("t3")));
    assert_eq!((world.read("a.txt").as_str(), attribute(&file)), ("five\n", kept.clone()));
    for (way, turns, content) in
        [("undo", ["t3", "t2", "t1"], "one\n"), ("redo", ["t1", "t2", "t3"], "five\n")]
    {
        for turn in turns {
            control(&mut port, &format!("turns/{way}"), json!({"turn": turn}));
            assert_eq!(attribute(&file), kept, "{way} {turn}");
        }
        assert_eq!(world.read("a.txt"), content);
    }
    let patch = "*** Begin Patch\n*** Delete File: d/gone.txt\n*** End Patch\n";
    for (turn, tool, arguments) in [
        ("t4", "fs_delete", json!({"path": "d", "recursive": true})),
        ("t5", "fs_move", json!({"from": "d", "to": "e"})),
        ("t6", "fs_move", json!({"from": "a.txt", "to": "d/gone.txt", "overwrite": true})),
        ("t7", "fs_apply_patch", json!({"patch": patch})),
    ] {
        ok(&port.call_allowed(tool, arguments, meta(turn)));
        control(&mut port, "turns/undo", json!({"turn": turn}));
        for name in ["d", "d/gone.txt", "a.txt"] {
            assert_eq!(attribute(&world.workspace().join(name)), kept, "{tool}: {name}");
        }
        assert_eq!(world.read("d/gone.txt"), "bye\n");
    }
    // Written first, then removed, by one turn.
    for (turn, tool, arguments) in [
        ("t8", "fs_delete", json!({"path": "a.txt"})),
        ("t9", "fs_move", json!({"from": "d/gone.txt", "to": "a.txt", "overwrite": true})),
    ] {
        let more = json!({"path": "a.txt", "content": "more\n", "mode": "append"});
        ok(&port.call_allowed("fs_write", more, meta(turn)));
        ok(&port.call_allowed(tool, arguments, meta(turn)));
        control(&mut port, "turns/undo", json!({"turn": turn}));
        assert_eq!((world.read("a.txt").as_str(), attribute(&file)), ("five\n", kept.clone()), "{tool}");
    }
    // A redo of the move takes them along as well.
    control(&mut port, "turns/redo", json!({"turn": "t5"}));
    for name in ["e", "e/gone.txt"] {
        assert_eq!(attribute(&world.workspace().join(name)), kept, "{name}");
    }
}

#[test]
fn a_file_that_was_replaced_comes_back_without_the_attributes_of_the_other() {
    let world = World::new("");
    let names = |name: &str| {
        let mut names = [0; 1024];
        let length = rustix::fs::listxattr(world.workspace().join(name), &mut names[..]).unwrap_or(0);
        String::from_utf8_lossy(&names[..length]).into_owned()
    };
    let mut port = world.connect();
    port.hello();
    for (turn, copy) in [("t1", false), ("t2", true)] {
        world.write("a.txt", "one\n");
        world.write("b.txt", "two\n");
        let flags = rustix::fs::XattrFlags::empty();
        if rustix::fs::setxattr(world.workspace().join("b.txt"), "user.outrigger", b"b", flags).is_err() {
            eprintln!("skipped: files have no extended attributes here");
            return;
        }
        let arguments = json!({"from": "b.txt", "to": "a.txt", "overwrite": true, "copy": copy});
        ok(&port.call_allowed("fs_move", arguments, meta(turn)));
        assert!(names("a.txt").contains("user.outrigger"));
        for _ in 0..2 {
            control(&mut port, "turns/undo", json!({"turn": turn}));
            assert_eq!((world.read("a.txt").as_str(), names("a.txt").as_str()), ("one\n", ""));
            assert_eq!(names("b.txt"), "user.outrigger\0");
            control(&mut port, "turns/redo", json!({"turn": turn}));
            assert_eq!(
                (world.read("a.txt").as_str(), names("a.txt").as_str()),
                ("two\n", "user.outrigger\0")
            );
        }
        control(&mut port, "turns/undo", json!({"turn": turn}));
    }
}

#[test]
fn a_path_of_an_undo_is_taken_in_every_spelling() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    for path in ["pp/0/f", "pp/1/f", "q"] {
        ok(&port.call_allowed("fs_write", json!({"path": path, "content": "x"}), meta("t1")));
    }
    let absolute = world.workspace().join("pp").to_str().unwrap().to_owned();
    for (path, count) in [
        ("pp", 5),
        ("pp/", 5),
        ("./pp", 5),
        ("pp//0", 2),
        (".", 6),
        (absolute.as_str(), 5),
        ("app:pp", 5),
        ("pp/9", 0),
    ] {
        let params = json!({"turn": "t1", "paths": [path], "dry_run": true});
        let look = control(&mut port, "turns/undo", params);
        assert_eq!(look["files"].as_array().unwrap().len(), count, "{path}: {look:#}");
    }
    let id = json!("outside");
    for path in ["../x", "/etc", "pp/../q"] {
        let params = json!({"turn": "t1", "paths": [path], "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"}}});
        port.send(&json!({"jsonrpc": "2.0", "id": id, "method": "outrigger/turns/undo", "params": params}));
        let error = port.answer_to(&id)["error"].clone();
        assert_eq!(error["code"], -32602, "{error:#}");
        assert!(
            error["message"].as_str().unwrap().contains("is no path in the workspace `app`"),
            "{error:#}"
        );
    }
    assert!(shell(&world, &["undo", "t1", "--path", "pp/"]).1.contains("delete pp/1/f"));
    assert!(!world.workspace().join("pp").exists() && world.workspace().join("q").exists());
}

#[test]
fn what_changed_since_is_not_overwritten_unless_asked() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    turn(&mut port, "t1");
    world.write("a.txt", "mine\n");
    let conflict = control(&mut port, "turns/undo", json!({"turn": "t1"}));
    assert_eq!(conflict["state"], "conflict", "{conflict:#}");
    assert_eq!(conflict["files"][0]["conflict"], "it has changed since");
    assert_eq!((world.read("a.txt"), world.read("new/b.txt")), ("mine\n".into(), "b\n".into()));
    let part = control(&mut port, "turns/undo", json!({"turn": "t1", "skip_conflicts": true}));
    assert_eq!(part["state"], "partly", "{part:#}");
    assert_eq!(world.read("a.txt"), "mine\n");
    assert!(!world.workspace().join("new/b.txt").exists());
    let forced = control(&mut port, "turns/undo", json!({"turn": "t1", "overwrite": true}));
    assert_eq!(
        (forced["state"].as_str(), world.read("a.txt").as_str()),
        (Some("done"), "one\n"),
        "{forced:#}"
    );
}

#[test]
fn a_change_in_the_middle_of_a_turn_is_a_conflict() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    let edit = |port: &mut Port, old: &str, new: &str| {
        let edits = json!([{"old_text": old, "new_text": new}]);
        ok(&port.call_allowed("fs_edit", json!({"path": "a.txt", "edits": edits}), meta("t1")));
    };
    edit(&mut port, "one", "two");
    world.write("a.txt", "two\nmine\n");
    edit(&mut port, "two", "three");
    let conflict = control(&mut port, "turns/undo", json!({"turn": "t1"}));
    assert_eq!(conflict["state"], "conflict", "{conflict:#}");
    assert_eq!(conflict["files"][0]["conflict"], "something else changed it in the middle of the turn");
    assert_eq!(world.read("a.txt"), "three\nmine\n");
}

#[test]
fn a_call_that_failed_is_no_part_of_an_undo() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    let arguments = json!({"path": "a.txt", "edits": [{"old_text": "one", "new_text": "two"}]});
    let key = meta("t1");
    let asked = port.call_with("fs_edit", arguments.clone(), key.clone());
    let denied = port.answer_plan("fs_edit", arguments, key, &asked, json!({"decision": "deny"}));
    assert_eq!(denied["structuredContent"]["code"], "approval_denied");
    assert_eq!(control(&mut port, "turns/undo", json!({"turn": "t1"}))["state"], "nothing");
    assert_eq!(control(&mut port, "turns/list", json!({}))["turns"], json!([]));
}

#[test]
fn reads_are_in_the_audit_too_and_survive_the_end_of_the_connection() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    ok(&port.call_with("fs_read", json!({"path": "a.txt"}), meta("t1")));
    ok(&port.call_with("fs_list", json!({}), meta("t1")));
    port.close();
    let mut port = world.connect();
    port.hello();
    let rows = control(&mut port, "audit/query", json!({"filter": {"turn": "t1"}}));
    let seen: Vec<&str> =
        rows["rows"].as_array().unwrap().iter().map(|row| row["tool"].as_str().unwrap()).collect();
    assert_eq!(seen, ["fs_read", "fs_list"], "{rows:#}");
    assert_eq!(rows["rows"][0]["paths"], json!(["a.txt"]));
    assert_eq!(rows["rows"][0]["decision"], "auto");
}

fn shell(world: &World, args: &[&str]) -> (bool, String) {
    let output = world.command().args(args).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.success(), text)
}

/// An undo puts back files and leaves git alone, so a branch that a turn switched to stays: that is said.
#[test]
fn a_turn_that_switched_branches_says_that_the_branch_stays() {
    let world = World::new("[tools]\nprofile = \"full\"");
    let git = |arguments: &[&str]| {
        let output = git_command(&world.workspace()).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q", "-b", "main"]);
    for branch in ["main", "topic"] {
        if branch != "main" {
            git(&["checkout", "-q", "-b", branch]);
        }
        world.write("a.txt", branch);
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", branch]);
    }
    git(&["checkout", "-q", "main"]);
    let mut port = world.connect();
    port.hello();
    ok(&port.call_allowed("git_switch", json!({"branch": "topic"}), meta("t1")));
    ok(&port.call_allowed("fs_write", json!({"path": "b.txt", "content": "b"}), meta("t2")));
    let note = "the branch does not come back: the turn switched to `topic`, ";
    let noted = |report: &Value| report["note"].as_str().unwrap_or_default().starts_with(note);
    let dry = control(&mut port, "turns/undo", json!({"turn": "t1", "dry_run": true}));
    assert!(noted(&dry), "{dry:#}");
    let key = outrigger::ids::new_ulid();
    for _ in 0..2 {
        let undone = control(&mut port, "turns/undo", json!({"turn": "t1", "call": key}));
        assert!(undone["state"] == "done" && noted(&undone), "{undone:#}");
    }
    assert_eq!((world.read("a.txt").as_str(), git(&["branch", "--show-current"]).trim()), ("main", "topic"));
    for (method, turn) in [("turns/redo", "t1"), ("turns/undo", "t2")] {
        let other = control(&mut port, method, json!({"turn": turn}));
        assert!(other["state"] == "done" && other.get("note").is_none(), "{other:#}");
    }
    let (good, told) = shell(&world, &["undo", "t1"]);
    assert!(good && told.contains("All files are put back") && told.contains(note), "{told}");
}

#[test]
fn a_person_undoes_and_audits_from_a_shell() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    assert_eq!(shell(&world, &["undo", "--last"]), (true, "There is nothing to undo.\n".into()));
    let mut port = world.connect();
    port.hello();
    turn(&mut port, "t1");
    let (good, list) = shell(&world, &["undo"]);
    assert!(good && list.contains("t1") && list.contains("a.txt"), "{list}");
    let (good, unknown) = shell(&world, &["undo", "t2"]);
    assert!(!good && unknown.contains("there is no turn and no call `t2`"), "{unknown}");
    for more in [&["undo", "--workspace", "nope"][..], &["undo", "--last", "--workspace", "nope"]] {
        let (good, unknown) = shell(&world, more);
        assert!(!good && unknown.contains("there is no workspace `nope`"), "{unknown}");
    }
    let (good, dry) = shell(&world, &["undo", "--last", "--dry-run", "--workspace", "app"]);
    assert!(good && dry.contains("would") && dry.contains("restore a.txt"), "{dry}");
    world.write("a.txt", "mine\n");
    let (good, conflict) = shell(&world, &["undo", "t1"]);
    assert!(
        !good && conflict.contains("it has changed since") && conflict.contains("--overwrite"),
        "{conflict}"
    );
    let (good, done) = shell(&world, &["undo", "t1", "--overwrite"]);
    assert!(good && done.contains("All of it is put back"), "{done}");
    assert_eq!(world.read("a.txt"), "one\n");
    let key = done.split('`').find_map(|part| part.strip_prefix("outrigger undo ")).unwrap_or_default();
    let (good, back) = shell(&world, &["undo", key]);
    assert!(good && back.contains("done     restore a.txt"), "{back}");
    assert_eq!(world.read("a.txt"), "mine\n");
    let (good, done) = shell(&world, &["undo", "t1", "--overwrite"]);
    assert!(good && done.contains("All of it is put back"), "{done}");
    let (good, rows) = shell(&world, &["audit", "--tool", "fs_edit", "--json"]);
    let rows: Value = serde_json::from_str(&rows).unwrap();
    assert!(good && rows["rows"].as_array().unwrap().len() == 2, "{rows:#}");
    let (good, csv) = shell(&world, &["audit", "--format", "csv", "--limit", "0"]);
    assert!(good && csv.lines().count() == 7 && csv.starts_with("seq,at,kind"), "{csv}");
    let (good, verdict) = shell(&world, &["audit", "--verify"]);
    assert!(good && verdict.contains("6 rows, none changed"), "{verdict}");
}

/// Only some of a turn was asked for, and that is done: no problem for a script. Where nothing could be done, nothing is said to be.
#[test]
fn a_named_path_that_is_put_back_is_all_that_was_asked_for() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    turn(&mut port, "t1");
    world.write("new/b.txt", "mine\n");
    let (good, done) = shell(&world, &["undo", "t1", "--path", "a.txt"]);
    assert!(good && done.contains("What was named is put back"), "{done}");
    assert_eq!(world.read("a.txt"), "one\n");
    let (good, nothing) = shell(&world, &["undo", "t1", "--skip-conflicts"]);
    assert!(!good && nothing.contains("Nothing could be put back"), "{nothing}");
    assert_eq!(world.read("new/b.txt"), "mine\n");
    let (good, some) = shell(&world, &["undo", "t1", "--skip-conflicts", "--path", "new/b.txt"]);
    assert!(!good && some.contains("Nothing could be put back"), "{some}");
}

#[test]
fn what_was_undone_last_is_made_again_first() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let mut write = |turn: &str, path: &str| {
        let arguments = json!({"path": path, "content": turn, "mode": "overwrite"});
        ok(&port.call_allowed("fs_write", arguments, meta(turn)));
    };
    for turn in ["t1", "t2", "t3"] {
        write(turn, "a.txt");
    }
    let is = |path: &str| std::fs::read_to_string(world.workspace().join(path)).unwrap_or_default();
    let last = |more: &[&str], path: &str, content: &str| {
        let (good, told) = shell(&world, &[&["undo", "--last"], more].concat());
        assert!(good && is(path) == content, "{more:?}: {told}");
    };
    for content in ["t2", "t1", ""] {
        last(&[], "a.txt", content);
    }
    for content in ["t1", "t2", "t3"] {
        last(&["--redo"], "a.txt", content);
    }
    assert_eq!(shell(&world, &["undo", "--last", "--redo"]), (true, "There is nothing to redo.\n".into()));
    // So is one of which a part was undone.
    for (turn, path) in [("t4", "b.txt"), ("t4", "c.txt"), ("t5", "d.txt")] {
        write(turn, path);
    }
    last(&[], "d.txt", "");
    let (good, part) = shell(&world, &["undo", "t4", "--path", "c.txt"]);
    assert!(good && part.contains("What was named is put back") && is("c.txt").is_empty(), "{part}");
    last(&["--redo"], "c.txt", "t4");
    assert_eq!(is("d.txt"), "");
    last(&["--redo"], "d.txt", "t5");
}

#[test]
fn a_path_that_the_turn_did_not_change_is_no_success() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    turn(&mut port, "t1");
    let changed = world.read("a.txt");
    let (good, slip) = shell(&world, &["undo", "--last", "--path", "a.txt", "--path", "b.txt"]);
    assert!(!good && slip.contains("`t1` has changed nothing at `b.txt`"), "{slip}");
    assert_eq!(world.read("a.txt"), changed);
    let (good, part) = shell(&world, &["undo", "t1", "--path", "a.txt"]);
    assert!(good && part.contains("What was named is put back"), "{part}");
    // What is undone already belongs to it all the same.
    let again = shell(&world, &["undo", "t1", "--path", "a.txt"]);
    assert_eq!(again, (true, "There is nothing to undo.\n".into()));
    assert_eq!(world.read("a.txt"), "one\n");
}

/// The key of the undo that this report tells of.
fn key(report: &Value) -> String {
    report["call"].as_str().unwrap_or_else(|| panic!("no key: {report:#}")).to_owned()
}

fn replaced(report: &Value) -> Vec<&str> {
    let files = report["files"].as_array().unwrap().iter();
    files.filter(|file| file["replaced"] == true).map(|file| file["path"].as_str().unwrap()).collect()
}

fn only(port: &mut Port, turn: &str) -> Value {
    let list = control(port, "turns/list", json!({}));
    list["turns"].as_array().unwrap().iter().find(|known| known["turn"] == turn).unwrap().clone()
}

fn only_turn(port: &mut Port) -> Value {
    control(port, "turns/list", json!({}))["turns"][0].clone()
}

#[test]
fn what_an_undo_replaced_comes_back_and_the_turn_goes_on_from_there() {
    const MINE: &[u8] = b"mine\r\n\xff\0no end";
    let world = World::new("");
    world.write("a.txt", "one\n");
    let read = || std::fs::read(world.workspace().join("a.txt")).unwrap();
    let mut port = world.connect();
    port.hello();
    turn(&mut port, "t1");
    std::fs::write(world.workspace().join("a.txt"), MINE).unwrap();
    for round in 0..2 {
        let undone = control(&mut port, "turns/undo", json!({"turn": "t1", "overwrite": true}));
        assert_eq!((undone["state"].as_str(), replaced(&undone)), (Some("done"), vec!["a.txt"]), "{round}");
        assert_eq!((read().as_slice(), world.workspace().join("new").exists()), (&b"one\n"[..], false));
        let known = only_turn(&mut port);
        assert_eq!(known["replaced"], json!([{"call": key(&undone), "paths": ["a.txt"]}]), "{known:#}");
        drop(port);
        port = world.connect();
        port.hello();
        let back = json!({"turn": key(&undone), "dry_run": true});
        let dry = control(&mut port, "turns/undo", back.clone());
        assert_eq!(states(&dry), [("a.txt".into(), "restore".into(), false)], "{dry:#}");
        assert_eq!(read(), b"one\n");
        let back = control(&mut port, "turns/undo", json!({"turn": key(&undone)}));
        assert_eq!((back["state"].as_str(), replaced(&back)), (Some("done"), vec![]), "{back:#}");
        assert_eq!((read().as_slice(), world.workspace().join("new").exists()), (MINE, false));
        let known = only_turn(&mut port);
        assert_eq!((&known["state"], &known["replaced"]), (&json!("partly"), &json!([])), "{known:#}");
        let again = control(&mut port, "turns/undo", json!({"turn": key(&undone)}));
        assert_eq!(again["state"], "nothing", "{again:#}");
        // What is undone can be made again; the file of somebody else is no part of that.
        let redone = control(&mut port, "turns/redo", json!({"turn": "t1"}));
        assert_eq!(redone["state"], "done", "{redone:#}");
        assert_eq!((read().as_slice(), world.read("new/b.txt").as_str()), (MINE, "b\n"));
        assert_eq!(only_turn(&mut port)["state"], "done");
    }
    let undone = control(&mut port, "turns/undo", json!({"turn": "t1", "overwrite": true}));
    assert_eq!((undone["state"].as_str(), read().as_slice()), (Some("done"), &b"one\n"[..]));
    // The turn's own bytes of it were nowhere any more when it was undone.
    let redone = control(&mut port, "turns/redo", json!({"turn": "t1", "skip_conflicts": true}));
    assert_eq!((redone["state"].as_str(), read().as_slice()), (Some("partly"), &b"one\n"[..]), "{redone:#}");
    assert_eq!(world.read("new/b.txt"), "b\n");
    let back = control(&mut port, "turns/undo", json!({"turn": key(&undone)}));
    assert_eq!((back["state"].as_str(), read().as_slice()), (Some("done"), MINE), "{back:#}");
    let rows = control(&mut port, "audit/query", json!({"filter": {"since": "2000"}, "limit": 100}));
    let kinds: Vec<&str> =
        rows["rows"].as_array().unwrap().iter().skip(3).map(|row| row["kind"].as_str().unwrap()).collect();
    let round = ["undo", "bring_back", "redo"];
    assert_eq!(kinds, [round, round, ["undo", "redo", "bring_back"]].concat(), "{rows:#}");
    let (good, verdict) = shell(&world, &["audit", "--verify"]);
    assert!(good && verdict.contains("12 rows, none changed"), "{verdict}");
}

#[test]
fn bringing_back_asks_before_it_replaces_and_that_comes_back_too() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    turn(&mut port, "t1");
    world.write("a.txt", "mine\n");
    let undone = key(&control(&mut port, "turns/undo", json!({"turn": "t1", "overwrite": true})));
    world.write("a.txt", "other\n");
    let conflict = control(&mut port, "turns/undo", json!({"turn": undone}));
    assert_eq!(conflict["files"][0]["conflict"], "it has changed since", "{conflict:#}");
    assert_eq!((conflict["state"].as_str(), world.read("a.txt").as_str()), (Some("conflict"), "other\n"));
    for _ in 0..2 {
        let back = control(&mut port, "turns/undo", json!({"turn": undone, "overwrite": true}));
        assert_eq!((back["state"].as_str(), replaced(&back)), (Some("done"), vec!["a.txt"]), "{back:#}");
        assert_eq!(world.read("a.txt"), "mine\n");
        let offered = json!([{"call": key(&back), "paths": ["a.txt"]}]);
        assert_eq!(only_turn(&mut port)["replaced"], offered);
        let back = control(&mut port, "turns/undo", json!({"turn": key(&back)}));
        assert_eq!((back["state"].as_str(), world.read("a.txt").as_str()), (Some("done"), "other\n"));
        // So what the undo had replaced is gone again, and offered again.
        assert_eq!(only_turn(&mut port)["replaced"], json!([{"call": undone, "paths": ["a.txt"]}]));
        assert_eq!(only_turn(&mut port)["state"], "undone");
    }
}

#[test]
fn a_file_that_an_undo_made_a_folder_again_comes_back() {
    let world = World::new("");
    world.write("d/in/a.txt", "a\n");
    let mut port = world.connect();
    port.hello();
    ok(&port.call_allowed(
        "fs_delete",
        json!({"path": "d", "recursive": true, "expect_entries": 2}),
        meta("t1"),
    ));
    world.write("d", "mine\n");
    let undone = control(&mut port, "turns/undo", json!({"turn": "t1", "overwrite": true}));
    assert_eq!((undone["state"].as_str(), replaced(&undone)), (Some("done"), vec!["d"]), "{undone:#}");
    assert_eq!(world.read("d/in/a.txt"), "a\n");
    // What somebody else keeps in it by now is in the way, and nothing happens.
    world.write("d/in/mine.txt", "mine too\n");
    let full = control(&mut port, "turns/undo", json!({"turn": key(&undone), "overwrite": true}));
    assert_eq!(
        (full["state"].as_str(), world.read("d/in/mine.txt").as_str()),
        (Some("conflict"), "mine too\n")
    );
    std::fs::remove_file(world.workspace().join("d/in/mine.txt")).unwrap();
    let back = control(&mut port, "turns/undo", json!({"turn": key(&undone)}));
    assert_eq!((back["state"].as_str(), world.read("d").as_str()), (Some("done"), "mine\n"), "{back:#}");
    assert_eq!(only_turn(&mut port)["state"], "done");
    let again = control(&mut port, "turns/undo", json!({"turn": "t1", "overwrite": true}));
    assert_eq!((again["state"].as_str(), world.read("d/in/a.txt").as_str()), (Some("done"), "a\n"));
}

#[test]
fn what_an_undo_replaced_below_a_folder_that_it_made_a_file_again_comes_back() {
    let world = World::new("");
    world.write("b", "file\n");
    let mut port = world.connect();
    port.hello();
    ok(&port.call_allowed("fs_delete", json!({"path": "b"}), meta("t1")));
    for path in ["b/in/x", "new/y"] {
        ok(&port.call_allowed("fs_write", json!({"path": path, "content": "turn\n"}), meta("t1")));
        world.write(path, "mine\n");
    }
    std::fs::set_permissions(world.workspace().join("new"), std::fs::Permissions::from_mode(0o700)).unwrap();
    let before = snapshot(&world.workspace());
    for _ in 0..2 {
        let undone = control(&mut port, "turns/undo", json!({"turn": "t1", "overwrite": true}));
        assert_eq!(
            (undone["state"].as_str(), world.read("b").as_str()),
            (Some("done"), "file\n"),
            "{undone:#}"
        );
        assert_eq!(snapshot(&world.workspace()).len(), 1);
        let back = control(&mut port, "turns/undo", json!({"turn": key(&undone)}));
        assert_eq!(back["state"], "done", "{back:#}");
        assert_eq!(snapshot(&world.workspace()), before);
    }
}

#[test]
fn what_a_dead_process_left_in_a_folder_is_no_part_of_it() {
    let world = World::new("");
    world.write("d/a.txt", "a\n");
    let before = snapshot(&world.workspace());
    world.write(&format!("d/.outrigger-{}.tmp", outrigger::ids::new_ulid()), "half a file\n");
    let mut port = world.connect();
    port.hello();
    let copy = port.call_allowed("fs_move", json!({"from": "d", "to": "e", "copy": true}), meta("t1"));
    assert_eq!(copy["structuredContent"]["data"]["entries"], 2, "{copy:#}");
    world.write(&format!("d/.outrigger-{}.tmp", outrigger::ids::new_ulid()), "half a file\n");
    let gone = port.call_allowed(
        "fs_delete",
        json!({"path": "d", "recursive": true, "expect_entries": 1}),
        meta("t1"),
    );
    assert_eq!(gone["structuredContent"]["data"]["removed"], 2, "{gone:#}");
    control(&mut port, "turns/undo", json!({"turn": "t1"}));
    assert_eq!(snapshot(&world.workspace()), before);
}

#[test]
fn an_undo_with_a_key_happens_once() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    turn(&mut port, "t1");
    world.write("a.txt", "mine\n");
    let call = outrigger::ids::new_ulid();
    let asked = json!({"turn": "t1", "call": call, "overwrite": true});
    let first = control(&mut port, "turns/undo", asked.clone());
    assert_eq!(first["call"], json!(call));
    world.write("a.txt", "later\n");
    drop(port);
    let mut port = world.connect();
    port.hello();
    assert_eq!(control(&mut port, "turns/undo", asked), first);
    assert_eq!(world.read("a.txt"), "later\n");
    for (method, params) in [
        ("redo", json!({"turn": "t1", "call": call, "overwrite": true})),
        ("undo", json!({"turn": "t1", "call": call})),
        ("undo", json!({"turn": "t1", "call": "mine"})),
    ] {
        let refused = port.request(&format!("outrigger/turns/{method}"), params);
        let said = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(said.contains("belongs to another call") || said.contains("no key"), "{refused:#}");
    }
    let rows = control(&mut port, "audit/query", json!({}));
    assert_eq!(rows["rows"].as_array().unwrap().len(), 4, "{rows:#}");
}

#[test]
fn a_turn_that_was_undone_in_part_is_made_again_in_that_part() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    turn(&mut port, "t1");
    let part = control(&mut port, "turns/undo", json!({"turn": "t1", "paths": ["a.txt"]}));
    assert_eq!((part["state"].as_str(), world.read("a.txt").as_str()), (Some("partly"), "one\n"));
    assert_eq!(only_turn(&mut port)["state"], "partly");
    let redone = control(&mut port, "turns/redo", json!({"turn": "t1"}));
    assert_eq!((redone["state"].as_str(), world.read("a.txt").as_str()), (Some("done"), "three\n"));
    assert_eq!(only_turn(&mut port)["state"], "done");
    // Undone whole and made again in part, the rest stays undone, and all of it can be undone once more.
    control(&mut port, "turns/undo", json!({"turn": "t1"}));
    control(&mut port, "turns/redo", json!({"turn": "t1", "paths": ["a.txt"]}));
    assert_eq!(only_turn(&mut port)["state"], "partly");
    let undone = control(&mut port, "turns/undo", json!({"turn": "t1"}));
    assert_eq!(states(&undone), [("a.txt".into(), "restore".into(), true)], "{undone:#}");
    assert_eq!(
        (only_turn(&mut port)["state"].as_str(), world.read("a.txt").as_str()),
        (Some("undone"), "one\n")
    );
}

#[test]
fn what_lies_behind_a_link_by_now_is_not_told_to_be_deleted() {
    let world = World::new("");
    world.write("d/old.txt", "");
    let mut port = world.connect();
    port.hello();
    ok(&port.call_allowed("fs_write", json!({"path": "d/new.txt", "content": "x"}), meta("t1")));
    let at = |name: &str| world.workspace().join(name);
    std::fs::rename(at("d"), at("d_")).unwrap();
    std::os::unix::fs::symlink("d_", at("d")).unwrap();
    let conflict = control(&mut port, "turns/undo", json!({"turn": "t1", "overwrite": true}));
    assert_eq!(conflict["state"], "conflict", "{conflict:#}");
    assert!(conflict["files"][0]["conflict"].as_str().unwrap().contains("below a link"), "{conflict:#}");
    std::fs::remove_file(at("d")).unwrap();
    std::fs::rename(at("d_"), at("d")).unwrap();
    assert_eq!(control(&mut port, "turns/undo", json!({"turn": "t1"}))["state"], "done");
    assert!(!at("d/new.txt").exists());
}

/// What a turn of these calls leaves comes back to what was before, and again.
fn there_and_back(world: &World, calls: &[(&str, Value)]) {
    let mut port = world.connect();
    port.hello();
    let before = snapshot(&world.workspace());
    for (tool, arguments) in calls {
        ok(&port.call_allowed(tool, arguments.clone(), meta("t1")));
    }
    let after = snapshot(&world.workspace());
    assert_ne!(before, after);
    for _ in 0..2 {
        let undone = control(&mut port, "turns/undo", json!({"turn": "t1"}));
        assert_eq!(
            (undone["state"].as_str(), snapshot(&world.workspace())),
            (Some("done"), before.clone()),
            "{undone:#}"
        );
        assert_eq!(only_turn(&mut port)["state"], "undone");
        let redone = control(&mut port, "turns/redo", json!({"turn": "t1"}));
        assert_eq!(
            (redone["state"].as_str(), snapshot(&world.workspace())),
            (Some("done"), after.clone()),
            "{redone:#}"
        );
        assert_eq!(only_turn(&mut port)["state"], "done");
    }
}

#[test]
fn a_folder_that_became_a_file_is_a_folder_again() {
    let world = World::new("");
    world.write("d/in/a.txt", "a\n");
    world.write("d/b.txt", "b\n");
    let calls = [
        ("fs_delete", json!({"path": "d", "recursive": true, "expect_entries": 3})),
        ("fs_write", json!({"path": "d", "content": "a file\n"})),
    ];
    there_and_back(&world, &calls);
}

#[test]
fn a_file_that_became_a_folder_is_a_file_again() {
    let world = World::new("");
    world.write("d", "a file\n");
    let calls =
        [("fs_delete", json!({"path": "d"})), ("fs_write", json!({"path": "d/in/a.txt", "content": "a\n"}))];
    there_and_back(&world, &calls);
}

#[test]
fn what_somebody_put_into_the_folder_is_no_part_of_the_file_s_way_back() {
    let world = World::new("");
    world.write("d", "a file\n");
    let mut port = world.connect();
    port.hello();
    ok(&port.call_allowed("fs_delete", json!({"path": "d"}), meta("t1")));
    ok(&port.call_allowed("fs_write", json!({"path": "d/a.txt", "content": "a\n"}), meta("t1")));
    world.write("d/mine.txt", "mine\n");
    let before = snapshot(&world.workspace());
    for overwrite in [false, true] {
        let conflict = control(&mut port, "turns/undo", json!({"turn": "t1", "overwrite": overwrite}));
        assert_eq!(
            (conflict["state"].as_str(), snapshot(&world.workspace())),
            (Some("conflict"), before.clone()),
            "{conflict:#}"
        );
    }
}

#[test]
fn a_folder_goes_with_the_last_of_what_the_turn_has_in_it() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let before = snapshot(&world.workspace());
    let first = meta("t1");
    let write = |path: &str| json!({"path": path, "content": path});
    ok(&port.call_allowed("fs_write", write("new/in/a.txt"), first.clone()));
    ok(&port.call_allowed("fs_write", write("new/in/b.txt"), meta("t1")));
    let alone = control(&mut port, "turns/undo", json!({"turn": first["dev.outrigger/call"]}));
    let stays: Vec<&Value> =
        alone["files"].as_array().unwrap().iter().filter(|file| file["stays"] == true).collect();
    assert_eq!((alone["state"].as_str(), stays.len()), (Some("done"), 2), "{alone:#}");
    let (_, list) = shell(&world, &["undo"]);
    assert!(list.contains("t1"), "{list}");
    control(&mut port, "turns/undo", json!({"turn": "t1"}));
    assert_eq!(snapshot(&world.workspace()), before);
    // The same with what somebody changed, left alone first.
    ok(&port.call_allowed("fs_write", write("new/in/a.txt"), meta("t2")));
    world.write("new/in/a.txt", "mine\n");
    let partly = control(&mut port, "turns/undo", json!({"turn": "t2", "skip_conflicts": true}));
    assert_eq!(partly["state"], "partly", "{partly:#}");
    let (good, rest) = shell(&world, &["undo", "t2", "--overwrite"]);
    assert!(good, "{rest}");
    assert_eq!(snapshot(&world.workspace()), before);
    // What somebody else keeps there is no part of any turn: the folder stays, and the turn is undone.
    ok(&port.call_allowed("fs_write", write("new/a.txt"), meta("t3")));
    world.write("new/mine.txt", "mine\n");
    let (good, told) = shell(&world, &["undo", "t3"]);
    assert!(good && told.contains("stays    delete new: something else is in it"), "{told}");
    assert_eq!(only(&mut port, "t3")["state"], "undone");
    assert_eq!(world.read("new/mine.txt"), "mine\n");
}

#[test]
fn a_folder_that_an_undo_of_one_call_made_again_is_no_obstacle_for_the_turn() {
    let world = World::new("[tools]\nprofile = \"full\"");
    world.write("d/a.txt", "a\n");
    world.write("d/b.txt", "b\n");
    let before = snapshot(&world.workspace());
    let mut port = world.connect();
    port.hello();
    let first = meta("t1");
    ok(&port.call_allowed("fs_delete", json!({"path": "d/a.txt"}), first.clone()));
    ok(&port.call_allowed("fs_move", json!({"from": "d", "to": "e"}), meta("t1")));
    let after = snapshot(&world.workspace());
    // The folder has another name by now: what was deleted in it comes back where it was.
    let alone = control(&mut port, "turns/undo", json!({"turn": first["dev.outrigger/call"]}));
    assert_eq!((alone["state"].as_str(), world.read("d/a.txt").as_str()), (Some("done"), "a\n"), "{alone:#}");
    for _ in 0..2 {
        let whole = control(&mut port, "turns/undo", json!({"turn": "t1"}));
        assert_eq!(whole["state"], "done", "{whole:#}");
        assert_eq!(snapshot(&world.workspace()), before);
        let again = control(&mut port, "turns/redo", json!({"turn": "t1"}));
        assert_eq!(again["state"], "done", "{again:#}");
        assert_eq!(snapshot(&world.workspace()), after);
    }
}

#[test]
fn who_undoes_one_file_gets_the_folders_around_it_as_they_were() {
    for (way, tool, arguments) in [
        ("paths", "fs_delete", json!({"path": "d", "recursive": true})),
        ("paths", "fs_move", json!({"from": "d", "to": "e"})),
        ("call", "fs_move", json!({"from": "d", "to": "e"})),
    ] {
        let world = World::new("[tools]\nprofile = \"full\"");
        world.write("d/in/a.txt", "a\n");
        world.write("d/in/b.txt", "b\n");
        for folder in ["d", "d/in"] {
            let mode = std::fs::Permissions::from_mode(0o700);
            std::fs::set_permissions(world.workspace().join(folder), mode).unwrap();
        }
        let before = snapshot(&world.workspace());
        let mut port = world.connect();
        port.hello();
        let first = meta("t1");
        ok(&port.call_allowed("fs_delete", json!({"path": "d/in/a.txt"}), first.clone()));
        ok(&port.call_allowed(tool, arguments, meta("t1")));
        let asked = if way == "paths" {
            json!({"turn": "t1", "paths": ["d/in/a.txt"]})
        } else {
            json!({"turn": first["dev.outrigger/call"]})
        };
        let one = control(&mut port, "turns/undo", asked);
        assert_eq!(world.read("d/in/a.txt"), "a\n", "{one:#}");
        if way == "paths" {
            let mode = world.workspace().join("d/in").metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{tool}");
        }
        let rest = control(&mut port, "turns/undo", json!({"turn": "t1"}));
        assert_eq!(rest["state"], "done", "{rest:#}");
        assert_eq!(snapshot(&world.workspace()), before, "{way} {tool}");
    }
}

#[test]
fn what_came_and_went_within_a_turn_is_undone_with_it() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let calls = [
        ("fs_write", json!({"path": "short.txt", "content": "s\n"})),
        ("fs_edit", json!({"path": "a.txt", "edits": [{"old_text": "one", "new_text": "two"}]})),
        ("fs_delete", json!({"path": "short.txt"})),
    ];
    there_and_back(&world, &calls);
}

#[test]
fn permissions_alone_are_undone_too() {
    let world = World::new("");
    world.write("run.sh", "#!/bin/sh\n");
    let arguments =
        json!({"path": "run.sh", "content": "#!/bin/sh\n", "mode": "overwrite", "executable": true});
    there_and_back(&world, &[("fs_write", arguments)]);
}

#[test]
fn the_content_comes_back_too_that_somebody_changed_where_a_call_had_only_changed_permissions() {
    let world = World::new("");
    world.write("run.sh", "#!/bin/sh\n");
    let mut port = world.connect();
    port.hello();
    let arguments =
        json!({"path": "run.sh", "content": "#!/bin/sh\n", "mode": "overwrite", "executable": true});
    ok(&port.call_allowed("fs_write", arguments, meta("t1")));
    world.write("run.sh", "exit 1\n");
    let conflict = control(&mut port, "turns/undo", json!({"turn": "t1"}));
    assert_eq!(conflict["files"][0]["conflict"], "it has changed since", "{conflict:#}");
    let undone = control(&mut port, "turns/undo", json!({"turn": "t1", "overwrite": true}));
    assert_eq!((undone["state"].as_str(), world.read("run.sh").as_str()), (Some("done"), "#!/bin/sh\n"));
}

#[test]
fn what_is_made_again_has_the_permissions_it_had() {
    use std::os::unix::fs::symlink;
    let world = World::new("");
    symlink("a.txt", world.workspace().join("link")).unwrap();
    let calls = [
        ("fs_write", json!({"path": "run.sh", "content": "#!/bin/sh\n", "executable": true})),
        ("fs_delete", json!({"path": "link"})),
        ("fs_write", json!({"path": "link", "content": "a file\n"})),
    ];
    there_and_back(&world, &calls);
}

#[test]
fn what_was_made_executable_since_goes_as_what_the_turn_has_written() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    for (tool, arguments) in [
        ("fs_write", json!({"path": "new/run.sh", "content": "#!/bin/sh\n"})),
        ("fs_edit", json!({"path": "new/run.sh", "edits": [{"old_text": "bin/sh", "new_text": "bin/bash"}]})),
    ] {
        ok(&port.call_allowed(tool, arguments, meta("t1")));
    }
    let place = world.workspace().join("new/run.sh");
    for (path, mode) in [(place.as_path(), 0o755), (place.parent().unwrap(), 0o700)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let undone = control(&mut port, "turns/undo", json!({"turn": "t1"}));
    assert_eq!(undone["state"], "done", "{undone:#}");
    assert!(!world.workspace().join("new").exists());
}

#[test]
fn the_journal_stays_within_its_limit_and_is_tidied_in_a_quiet_moment() {
    let world = World::new("[journal]\nmax_mib = 1");
    let mut port = world.connect();
    port.hello();
    for number in 0..12 {
        world.write("large.txt", format!("{number:02}").repeat(300_000));
        let arguments = json!({"path": "large.txt", "content": "small\n", "mode": "overwrite"});
        ok(&port.call_allowed("fs_write", arguments, meta(&format!("t{number}"))));
    }
    let oldest = control(&mut port, "turns/undo", json!({"turn": "t0", "dry_run": true}));
    let why = oldest["files"][0]["conflict"].as_str().unwrap_or_default();
    assert!(why.contains("no longer kept"), "{oldest:#}");
    let newest = control(&mut port, "turns/undo", json!({"turn": "t11"}));
    assert_eq!(newest["state"], "done", "{newest:#}");
    // What is written beside the file is taken into it, and the file is as small as what it holds.
    let size = |name: &str| std::fs::metadata(world.state().join(name)).map_or(0, |metadata| metadata.len());
    let tidied = || size("journal.sqlite-wal") < 500_000 && size("journal.sqlite") < 2_000_000;
    let mut looks = 0;
    while !tidied() && looks < 600 {
        std::thread::sleep(std::time::Duration::from_millis(100));
        looks += 1;
    }
    assert!(tidied(), "{} and {} bytes", size("journal.sqlite"), size("journal.sqlite-wal"));
}

#[test]
fn an_undo_of_paths_that_the_turn_did_not_change_is_nothing() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    turn(&mut port, "t1");
    let nothing = control(&mut port, "turns/undo", json!({"turn": "t1", "paths": ["other.txt"]}));
    assert_eq!((nothing["state"].as_str(), nothing.get("call")), (Some("nothing"), None), "{nothing:#}");
}

#[test]
fn what_a_killed_host_had_done_is_undone_though_nobody_asked_again() {
    let arguments = json!({"path": "a.txt", "edits": [{"old_text": "one", "new_text": "two"}]});
    let edit = Drill { tool: "fs_edit", arguments };
    let key = meta("t1");
    let world = World::new("");
    world.write("a.txt", "one\n");
    world.connect().hello();
    // The file is in its place, its folder goes to the disk, and nothing of that is in the journal yet.
    let mut port = kill_drill::killed_at_sync(&world, &world.workspace());
    assert!(kill_drill::call(&mut port, &edit, &key).is_none());
    drop(port);
    assert_eq!(world.read("a.txt"), "two\n");
    let mut port = world.connect();
    port.hello();
    let undone = control(&mut port, "turns/undo", json!({"turn": "t1"}));
    assert_eq!(
        (undone["state"].as_str(), world.read("a.txt").as_str()),
        (Some("done"), "one\n"),
        "{undone:#}"
    );
    assert_eq!(only_turn(&mut port)["state"], "undone");
    // Whoever asks for the call now must not make it happen behind the person's back.
    let late = port.call_with("fs_edit", edit.arguments.clone(), key);
    assert_eq!(
        (&late["structuredContent"]["ok"], &late["_meta"]["dev.outrigger/replayed"]),
        (&json!(true), &json!(true)),
        "{late:#}"
    );
    assert_eq!(world.read("a.txt"), "one\n");
    let redone = control(&mut port, "turns/redo", json!({"turn": "t1"}));
    assert_eq!(
        (redone["state"].as_str(), world.read("a.txt").as_str()),
        (Some("done"), "two\n"),
        "{redone:#}"
    );
}

#[test]
fn what_a_killed_host_had_done_and_a_later_call_changed_is_not_done_again() {
    let edit = |old: &str, new: &str| Drill {
        tool: "fs_edit",
        arguments: json!({"path": "a.txt", "edits": [{"old_text": old, "new_text": new}]}),
    };
    for back in ["one", "three"] {
        let key = meta("t1");
        let world = World::new("");
        world.write("a.txt", "one\n");
        world.connect().hello();
        let mut port = kill_drill::killed_at_sync(&world, &world.workspace());
        assert!(kill_drill::call(&mut port, &edit("one", "two"), &key).is_none());
        drop(port);
        assert_eq!(world.read("a.txt"), "two\n");
        let mut port = world.connect();
        port.hello();
        ok(&kill_drill::call(&mut port, &edit("two", back), &meta("t1")).unwrap());
        let late = kill_drill::call(&mut port, &edit("one", "two"), &key).unwrap();
        assert_eq!(
            (&late["structuredContent"]["ok"], &late["_meta"]["dev.outrigger/replayed"]),
            (&json!(true), &json!(true)),
            "{late:#}"
        );
        assert_eq!(world.read("a.txt"), format!("{back}\n"));
        control(&mut port, "turns/undo", json!({"turn": "t1"}));
        assert_eq!(world.read("a.txt"), "one\n");
    }
}

#[test]
fn what_a_killed_host_had_made_comes_back_with_its_permissions() {
    let write = Drill { tool: "fs_write", arguments: json!({"path": "new/b.txt", "content": "b\n"}) };
    let mut killed = 0;
    for (system_call, number) in
        [("pwrite64", 4), ("pwrite64", 8), ("pwrite64", 12), ("fsync", 2), ("fsync", 3)]
    {
        let world = World::new("");
        // A private file of the same name in the folder above has nothing to do with it.
        world.write("b.txt", "mine\n");
        std::fs::set_permissions(world.workspace().join("b.txt"), std::fs::Permissions::from_mode(0o600))
            .unwrap();
        world.connect().hello();
        let key = meta("t1");
        let mut port = traced(&world, system_call, number);
        let answer = kill_drill::call(&mut port, &write, &key);
        drop(port);
        killed += usize::from(answer.is_none());
        let mut port = world.connect();
        port.hello();
        ok(&port.call_allowed(write.tool, write.arguments.clone(), key));
        let after = snapshot(&world.workspace());
        control(&mut port, "turns/undo", json!({"turn": "t1"}));
        control(&mut port, "turns/redo", json!({"turn": "t1"}));
        assert_eq!(snapshot(&world.workspace()), after, "killed at {system_call} {number}");
    }
    assert!(killed > 0);
}

#[test]
fn a_call_that_was_cut_off_before_it_did_anything_is_in_no_one_s_way() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    world.connect().hello();
    let edit = |old: &str, new: &str| Drill {
        tool: "fs_edit",
        arguments: json!({"path": "a.txt", "edits": [{"old_text": old, "new_text": new}]}),
    };
    let mut port = traced(&world, "renameat2", 1);
    assert_eq!(kill_drill::call(&mut port, &edit("one", "two"), &meta("t1")), None);
    drop(port);
    assert_eq!(world.read("a.txt"), "one\n");
    let mut port = world.connect();
    port.hello();
    ok(&kill_drill::call(&mut port, &edit("one", "three"), &meta("t1")).unwrap());
    for _ in 0..2 {
        let undone = control(&mut port, "turns/undo", json!({"turn": "t1"}));
        assert_eq!(
            (undone["state"].as_str(), world.read("a.txt").as_str()),
            (Some("done"), "one\n"),
            "{undone:#}"
        );
        let redone = control(&mut port, "turns/redo", json!({"turn": "t1"}));
        assert_eq!(
            (redone["state"].as_str(), world.read("a.txt").as_str()),
            (Some("done"), "three\n"),
            "{redone:#}"
        );
    }
}

#[test]
fn the_diff_of_a_turn_reads_texts_in_whatever_encoding() {
    let world = World::new("");
    let utf16: Vec<u8> = "\u{feff}café é\nzwei\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let files: [(&str, &[u8]); 3] = [
        ("a.txt", b"caf\xe9 \xe9\nzwei\n"),
        ("b.txt", &utf16),
        ("c.txt", b"na\xc3\xafve \xc3\xa9 \xe9\nzwei\n"),
    ];
    let mut port = world.connect();
    port.hello();
    for (path, bytes) in files {
        world.write(path, bytes);
        let edits = json!([{"old_text": "zwei", "new_text": "drei"}]);
        ok(&port.call_allowed("fs_edit", json!({"path": path, "edits": edits}), meta("t1")));
    }
    let diff = control(&mut port, "turns/diff", json!({"turn": "t1"}));
    for (file, line) in
        diff["files"].as_array().unwrap().iter().zip([" café é", " café é", " naïve é \u{fffd}"])
    {
        assert_eq!(file["hunks"][0]["lines"], json!([line, "-zwei", "+drei"]), "{diff:#}");
        assert_eq!((&file["added"], &file["removed"]), (&json!(1), &json!(1)));
    }
    // A picture has no lines.
    world.write("p.png", b"\x89PNG\r\n\x1a\n\0\0");
    ok(&port.call_allowed("fs_delete", json!({"path": "p.png"}), meta("t2")));
    let diff = control(&mut port, "turns/diff", json!({"turn": "t2"}));
    assert_eq!(diff["files"][0]["binary"], true, "{diff:#}");
}

/// A patch of which the host was killed when the new files were built beside the old ones.
fn killed_in_a_patch(world: &World, turn: &str) {
    let arguments = json!({"patch": "*** Begin Patch\n*** Update File: d/a.txt\n@@\n-a\n+A\n*** Update File: d/b.txt\n@@\n-b\n+B\n*** End Patch\n"});
    let patch = Drill { tool: "fs_apply_patch", arguments };
    let mut port = traced(world, "renameat2", 1);
    assert_eq!(kill_drill::call(&mut port, &patch, &meta(turn)), None);
    drop(port);
    assert!(!left_in(world, "d").is_empty());
}

fn left_in(world: &World, folder: &str) -> Vec<String> {
    let names = std::fs::read_dir(world.workspace().join(folder)).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(".outrigger-")).collect()
}

#[test]
fn a_look_at_what_a_killed_host_had_half_done_tells_of_it_and_leaves_it_so() {
    let world = World::new("");
    world.write("d/a.txt", "a\n");
    world.write("d/b.txt", "b\n");
    let arguments = json!({"patch": "*** Begin Patch\n*** Update File: d/a.txt\n@@\n-a\n+A\n*** Update File: d/b.txt\n@@\n-b\n+B\n*** End Patch\n"});
    let patch = Drill { tool: "fs_apply_patch", arguments };
    let key = meta("t2");
    let mut port = traced(&world, "renameat2", 2);
    assert_eq!(kill_drill::call(&mut port, &patch, &key), None);
    drop(port);
    assert_eq!((world.read("d/a.txt").as_str(), world.read("d/b.txt").as_str()), ("A\n", "b\n"));
    let mut port = world.connect();
    port.hello();
    for _ in 0..2 {
        let dry = control(&mut port, "turns/undo", json!({"turn": "t2", "dry_run": true}));
        assert_eq!(
            (&dry["state"], &dry["files"][0]["path"]),
            (&json!("dry_run"), &json!("d/a.txt")),
            "{dry:#}"
        );
        assert_eq!(dry["files"].as_array().unwrap().len(), 1);
        let diff = control(&mut port, "turns/diff", json!({"turn": "t2"}));
        assert_eq!(diff["files"][0]["hunks"][0]["lines"], json!(["-a", "+A"]), "{diff:#}");
    }
    // The audit knows of it, once, though nobody has asked what became of it.
    for _ in 0..2 {
        let rows = control(&mut port, "audit/query", json!({"filter": {"turn": "t2"}}));
        let rows = rows["rows"].as_array().unwrap();
        assert_eq!((rows.len(), &rows[0]["outcome"]), (1, &json!("cut_off")), "{rows:#?}");
        assert_eq!(rows[0]["paths"], json!(["d/a.txt", "d/b.txt"]));
    }
    assert!(shell(&world, &["audit", "--verify"]).0);
    // Asked for again, the call can still happen as a whole.
    ok(&port.call_allowed("fs_apply_patch", patch.arguments.clone(), key));
    assert_eq!((world.read("d/a.txt").as_str(), world.read("d/b.txt").as_str()), ("A\n", "B\n"));
    let undone = control(&mut port, "turns/undo", json!({"turn": "t2"}));
    assert_eq!(undone["files"].as_array().unwrap().len(), 2, "{undone:#}");
    assert_eq!((world.read("d/a.txt").as_str(), world.read("d/b.txt").as_str()), ("a\n", "b\n"));
}

#[test]
fn what_a_killed_host_had_begun_is_taken_away_by_an_undo_and_by_the_next_host() {
    let world = World::new("");
    world.write("d/a.txt", "a\n");
    world.write("d/b.txt", "b\n");
    // No other host is there that could look after it.
    let undo =
        |args: &[&str]| assert!(shell(&world, &[&["undo", "t2"][..], args].concat()).1.contains("nothing"));
    killed_in_a_patch(&world, "t2");
    undo(&["--dry-run"]);
    assert!(!left_in(&world, "d").is_empty());
    undo(&[]);
    assert_eq!(left_in(&world, "d"), [""; 0]);

    killed_in_a_patch(&world, "t3");
    // Whoever changes something elsewhere, and ends in good order, leaves the next host its work.
    assert!(shell(&world, &["call", "fs_write", "path=e.txt", "content=e", "--yes"]).0);
    assert!(!left_in(&world, "d").is_empty());
    let mut port = world.connect();
    port.hello();
    while !left_in(&world, "d").is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!((world.read("d/a.txt").as_str(), world.read("d/b.txt").as_str()), ("a\n", "b\n"));
    port.close();
}

/// A whole path may lead through the link that the configuration has, as the tools take it.
#[test]
fn a_path_through_the_link_to_a_workspace_is_one_of_it() {
    let world = World::new("");
    let link = world.folder.path().join("link");
    std::os::unix::fs::symlink(world.workspace(), &link).unwrap();
    world.configure(&format!("version = 1\n[[workspace]]\nid = \"app\"\npath = {link:?}\n"));
    world.write("a.txt", "one\r\n");
    let mut port = world.connect();
    port.hello();
    turn(&mut port, "t1");
    let through = link.join("new/b.txt");
    let report = control(&mut port, "turns/undo", json!({"turn": "t1", "paths": [through]}));
    assert_eq!(report["state"], "partly", "{report:#}");
    assert!(!world.workspace().join("new/b.txt").exists());
    let whole = world.workspace().canonicalize().unwrap().join("a.txt");
    control(&mut port, "turns/undo", json!({"turn": "t1", "paths": [whole]}));
    assert_eq!(world.read("a.txt"), "one\r\n");
}
