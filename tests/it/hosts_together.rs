//! Several hosts on one journal: a call runs once, wherever it is asked; turns are undone from anywhere; the audit stays one chain.

use std::{fs, thread};

use serde_json::{Value, json};

use crate::support::native::{Port, World};

/// Calls a tool and allows its plan, if there is one.
fn allowed(port: &mut Port, name: &str, arguments: Value, meta: Value) -> Value {
    let first = port.call_with(name, arguments.clone(), meta.clone());
    if first["resultType"] != "input_required" {
        return first;
    }
    port.answer_plan(name, arguments, meta, &first, json!({"decision": "allow"}))
}

fn ready(world: &World) -> Port {
    let mut port = world.connect();
    port.hello();
    port
}

fn meta(key: &str, turn: &str) -> Value {
    json!({"dev.outrigger/call": key, "dev.outrigger/turn": turn, "dev.outrigger/session": "s"})
}

fn key() -> String {
    outrigger::ids::new_ulid()
}

#[test]
fn the_same_call_to_several_hosts_runs_once() {
    let world = World::new("");
    world.write("log.txt", "");
    for round in 0..4 {
        let key = key();
        let answers: Vec<Value> = thread::scope(|scope| {
            let asked: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        let arguments = json!({"path": "log.txt", "content": "once\n", "mode": "append"});
                        allowed(&mut ready(&world), "fs_write", arguments, meta(&key, "t"))
                    })
                })
                .collect();
            asked.into_iter().map(|asked| asked.join().unwrap()).collect()
        });
        assert_eq!(world.read("log.txt"), "once\n".repeat(round + 1), "{answers:#?}");
        let fine = answers.iter().filter(|answer| answer["structuredContent"]["ok"] == true).count();
        assert!(fine >= 1, "{answers:#?}");
        for answer in &answers {
            let code = &answer["structuredContent"]["code"];
            assert!(
                code.is_null() || code == "busy" || answer["resultType"] == "input_required",
                "{answer:#}"
            );
        }
    }
}

#[test]
fn the_same_command_asked_of_several_hosts_at_once_answers_all_of_them() {
    let world =
        World::new("[[command]]\nid = \"brief\"\nprogram = \"true\"\nsummary = \"Nothing\"\ntier = \"auto\"");
    let mut ports: Vec<Port> = (0..4).map(|_| ready(&world)).collect();
    for _ in 0..8 {
        let meta = meta(&key(), "t");
        let params = json!({"name": "exec_run", "arguments": {"command": "brief"}, "_meta": meta});
        let asked: Vec<Value> =
            ports.iter_mut().map(|port| port.begin("tools/call", params.clone())).collect();
        let answers: Vec<Value> =
            ports.iter_mut().zip(&asked).map(|(port, id)| port.answer_to(id)["result"].clone()).collect();
        let is_fine = |answer: &&Value| answer["structuredContent"]["ok"] == true;
        let is_first = |answer: &&Value| answer["_meta"]["dev.outrigger/replayed"] != true;
        assert_eq!(answers.iter().filter(is_fine).count(), 4, "{answers:#?}");
        assert_eq!(answers.iter().filter(is_first).count(), 1, "{answers:#?}");
    }
}

#[test]
fn hosts_that_write_at_the_same_time_keep_one_chain() {
    let world = World::new("");
    thread::scope(|scope| {
        for host in 0..3 {
            let world = &world;
            scope.spawn(move || {
                let mut port = ready(world);
                for number in 0..12 {
                    let name = format!("h{host}-{number}.txt");
                    let arguments = json!({"path": name, "content": "x\n"});
                    let said = allowed(&mut port, "fs_write", arguments, meta(&key(), &format!("t{host}")));
                    assert_eq!(said["structuredContent"]["ok"], true, "{said:#}");
                    port.call("fs_read", json!({"path": name}));
                }
                port.close();
            });
        }
    });
    let verified = world.command().args(["audit", "--verify"]).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
    let mut port = ready(&world);
    // A turn of a host that is gone is taken back by another.
    let undone = port.request("outrigger/turns/undo", json!({"turn": "t1"}));
    assert!(undone.get("result").is_some(), "{undone:#}");
    let left = fs::read_dir(world.workspace()).unwrap().count();
    assert_eq!(left, 24, "{undone:#}");
    let redone = port.request("outrigger/turns/redo", json!({"turn": "t1"}));
    assert_eq!(fs::read_dir(world.workspace()).unwrap().count(), 36, "{redone:#}");
}

#[test]
fn a_chain_that_somebody_changed_does_not_verify() {
    let world = World::new("");
    let mut port = ready(&world);
    for number in 0..3 {
        let arguments = json!({"path": format!("{number}.txt"), "content": "x\n"});
        allowed(&mut port, "fs_write", arguments, meta(&key(), "t"));
    }
    port.close();
    let verify = || world.command().args(["audit", "--verify"]).output().unwrap().status.success();
    assert!(verify());
    let database = rusqlite::Connection::open(world.state().join("journal.sqlite")).unwrap();
    database.execute("UPDATE audit SET row = replace(row, 'fs_write', 'fs_read') WHERE seq = 2", []).unwrap();
    drop(database);
    assert!(!verify());
}

#[test]
fn what_a_person_did_since_is_a_conflict_and_stays() {
    type Deed = fn(&World);
    let deeds: &[(&str, Deed)] = &[
        ("changed", |world| world.write("a.txt", "mine\n")),
        ("deleted", |world| fs::remove_file(world.workspace().join("a.txt")).unwrap()),
        ("a folder now", |world| {
            fs::remove_file(world.workspace().join("a.txt")).unwrap();
            world.write("a.txt/inner.txt", "mine\n");
        }),
        ("a link now", |world| {
            fs::remove_file(world.workspace().join("a.txt")).unwrap();
            std::os::unix::fs::symlink("/etc/passwd", world.workspace().join("a.txt")).unwrap();
        }),
    ];
    for (name, deed) in deeds {
        let world = World::new("");
        world.write("a.txt", "one\n");
        let mut port = ready(&world);
        let edits = json!([{"old_text": "one", "new_text": "two"}]);
        let said = allowed(&mut port, "fs_edit", json!({"path": "a.txt", "edits": edits}), meta(&key(), "t"));
        assert_eq!(said["structuredContent"]["ok"], true, "{name}: {said:#}");
        let arguments = json!({"path": "b.txt", "content": "b\n"});
        allowed(&mut port, "fs_write", arguments, meta(&key(), "t"));
        deed(&world);
        let passwd = fs::read("/etc/passwd").unwrap();
        let answer = port.request("outrigger/turns/undo", json!({"turn": "t"}));
        assert!(answer.to_string().contains("a.txt"), "{name}: {answer:#}");
        assert_eq!(fs::read("/etc/passwd").unwrap(), passwd);
        let now = fs::read_to_string(world.workspace().join("a.txt"));
        match *name {
            "changed" => assert_eq!(now.unwrap(), "mine\n"),
            "deleted" => assert!(now.is_err()),
            "a folder now" => assert_eq!(world.read("a.txt/inner.txt"), "mine\n"),
            _ => assert!(world.workspace().join("a.txt").is_symlink()),
        }
    }
}

#[test]
fn an_approval_counts_once_for_what_was_shown_and_in_its_own_life() {
    let world = World::new("");
    let allow = json!({"approval": {"action": "accept", "content": {"decision": "allow"}}});
    let arguments = json!({"path": "x.txt", "content": "hi\n"});
    let with = |port: &mut Port, arguments: &Value, key: &str, state: &Value| {
        port.request(
            "tools/call",
            json!({"name": "fs_write", "arguments": arguments, "_meta": meta(key, "t"),
            "requestState": state, "inputResponses": allow}),
        )["result"]
            .clone()
    };
    let mut port = ready(&world);
    let (first, other) = (key(), key());
    let asked = port.call_with("fs_write", arguments.clone(), meta(&first, "t"));
    let state = asked["requestState"].clone();
    let not_run = |answer: &Value| {
        assert!(answer["structuredContent"]["ok"] != true, "{answer:#}");
        assert!(!world.workspace().join("x.txt").exists() && !world.workspace().join("y.txt").exists());
    };
    // Another path, other content, another tool's state, another life, a broken one.
    not_run(&with(&mut port, &json!({"path": "y.txt", "content": "hi\n"}), &other, &state));
    not_run(&with(&mut port, &json!({"path": "x.txt", "content": "evil\n"}), &key(), &state));
    let mut second = ready(&world);
    let answer = with(&mut second, &arguments, &first, &state);
    not_run(&answer);
    let digest = |answer: &Value| answer["_meta"]["dev.outrigger/plan"]["digest"].clone();
    assert_eq!(digest(&answer), digest(&asked), "the same plan has the same digest in another life");
    for broken in [json!("x"), json!(""), json!("a".repeat(100_000))] {
        not_run(&with(&mut port, &arguments, &key(), &broken));
    }
    let done = with(&mut port, &arguments, &first, &state);
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
    // Used: the same key gives its result, another one a new question.
    fs::remove_file(world.workspace().join("x.txt")).unwrap();
    with(&mut port, &arguments, &first, &state);
    not_run(&json!({}));
    not_run(&with(&mut port, &arguments, &key(), &state));
}
