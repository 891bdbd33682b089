//! Calls: plans and answers, exactly once by key, cancel, what another life of the host left.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::native::{Port, World};

fn key() -> Value {
    json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/workspace": "app"})
}

fn code(result: &Value) -> &str {
    result["structuredContent"]["code"].as_str().unwrap_or_default()
}

#[test]
fn a_write_asks_and_what_was_approved_is_what_runs() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let arguments = json!({"path": "a/new.txt", "content": "one\ntwo\n"});
    let meta = key();
    let asked = port.call_with("fs_write", arguments.clone(), meta.clone());
    assert_eq!(asked["resultType"], "input_required", "{asked:#}");
    let plan = &asked["_meta"]["dev.outrigger/plan"];
    assert_eq!((plan["tier"].as_str(), plan["tool"].as_str()), (Some("batch"), Some("fs_write")));
    assert!(
        asked["inputRequests"]["approval"]["params"]["message"].as_str().unwrap().contains("+two"),
        "{asked:#}"
    );
    assert!(!world.workspace().join("a").exists(), "nothing may have happened yet");
    let done = port.answer_plan("fs_write", arguments, meta, &asked, json!({"decision": "allow"}));
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
    assert_eq!(world.read("a/new.txt"), "one\ntwo\n");
}

#[test]
fn a_denial_is_a_result_with_the_note_and_does_not_come_back_as_a_question() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let (arguments, meta) = (json!({"path": "x.txt", "content": "x"}), key());
    let asked = port.call_with("fs_write", arguments.clone(), meta.clone());
    let answer = json!({"decision": "deny", "note": "use y.txt"});
    let denied = port.answer_plan("fs_write", arguments.clone(), meta.clone(), &asked, answer);
    assert_eq!((code(&denied), denied["isError"].as_bool()), ("approval_denied", Some(true)));
    assert!(denied["content"][0]["text"].as_str().unwrap().contains("use y.txt"));
    let again = port.call_with("fs_write", arguments, meta);
    assert_eq!((code(&again), &again["_meta"]["dev.outrigger/replayed"]), ("approval_denied", &json!(true)));
    assert!(!world.workspace().join("x.txt").exists());
}

#[test]
fn an_answered_plan_is_used_up_whatever_the_answer_was_and_however_the_call_ended() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    // Without a key of the client's no stored denial stands in the way.
    let (arguments, meta) = (json!({"path": "a.txt"}), json!({"dev.outrigger/workspace": "app"}));
    let is_asked_again = |result: &Value| {
        let reason = &result["_meta"]["dev.outrigger/plan"]["reasons"][0];
        assert_eq!(reason, "approval_stale: this plan was used before", "{result:#}");
    };
    let answer = |port: &mut Port, asked: &Value, answer: Value| {
        port.request(
            "tools/call",
            json!({"name": "fs_delete", "arguments": arguments, "_meta": meta, "requestState": asked["requestState"],
                "inputResponses": {"approval": answer}}),
        )["result"]
            .take()
    };
    let allow = || json!({"action": "accept", "content": {"decision": "allow"}});
    let mut asked = port.call_with("fs_delete", arguments.clone(), meta.clone());
    for no in [
        json!({"action": "accept", "content": {"decision": "deny"}}),
        json!({"action": "accept", "content": {"decision": "maybe"}}),
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
    ] {
        assert_eq!(code(&answer(&mut port, &asked, no)), "approval_denied");
        let again = answer(&mut port, &asked, allow());
        is_asked_again(&again);
        asked = again;
    }
    // A call that was allowed and failed was allowed once.
    std::fs::remove_file(world.workspace().join("a.txt")).unwrap();
    assert_eq!(code(&answer(&mut port, &asked, allow())), "not_found");
    world.write("a.txt", "one\n");
    is_asked_again(&answer(&mut port, &asked, allow()));
    assert_eq!(world.read("a.txt"), "one\n");
}

#[test]
fn who_is_asked_sees_what_the_call_said_otherwise_and_so_does_its_caller() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    let (arguments, meta) = (json!({"file_path": "a.txt", "foo": 1}), key());
    let asked = port.call_with("fs_delete", arguments.clone(), meta.clone());
    let reasons = asked["_meta"]["dev.outrigger/plan"]["reasons"].to_string();
    for words in ["of the arguments: `file_path` was taken for `path`", "no parameter `foo`"] {
        assert!(reasons.contains(words), "{words}: {reasons}");
    }
    let denied = port.answer_plan("fs_delete", arguments, meta, &asked, json!({"decision": "deny"}));
    assert_eq!(code(&denied), "approval_denied");
    assert!(denied.to_string().contains("`file_path` was taken for `path`"), "{denied:#}");
}

#[test]
fn a_part_of_a_plan_is_made_and_the_rest_is_told() {
    let world = World::new("");
    let text_with = |made: &[u32]| {
        let line = |number: u32| if made.contains(&number) { "LINE" } else { "line" };
        (1..=40).map(|number| format!("{} {number}\r\n", line(number))).collect::<Vec<_>>().concat()
    };
    world.write("a.txt", text_with(&[]));
    let mut port = world.connect();
    port.hello();
    let edit =
        |line: u32| json!({"old_text": format!("line {line}\n"), "new_text": format!("LINE {line}\n")});
    let arguments = json!({"path": "a.txt", "edits": [edit(2), edit(20), edit(39)]});
    for (hunks, expected, made, told) in [
        (json!(["h9"]), "invalid_args", vec![], "no hunk `h9`"),
        (json!([]), "approval_denied", vec![], "denied"),
        (json!(["h1", "h3"]), "", vec![2, 39], "2 of 3 changes; not made: a.txt at line 20"),
    ] {
        let meta = key();
        let asked = port.call_with("fs_edit", arguments.clone(), meta.clone());
        let mut approved = meta.clone();
        approved["dev.outrigger/approval"] = json!({"by": "user", "hunks": hunks});
        let done = port.answer_plan(
            "fs_edit",
            arguments.clone(),
            approved,
            &asked,
            json!({"decision": "allow", "note": "thanks"}),
        );
        assert_eq!(code(&done), expected, "{done:#}");
        let text = done["content"][0]["text"].as_str().unwrap();
        assert_eq!(world.read("a.txt"), text_with(&made));
        assert!(text.contains(told), "{text}");
        assert_eq!(text.contains("thanks"), code(&done) != "invalid_args", "{text}");
    }
}

#[test]
fn an_edit_of_which_a_part_is_made_tells_that_part() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let lines = |word: &dyn Fn(u32) -> &'static str| {
        (1..=60).map(|number| format!("{} {number}\n", word(number))).collect::<Vec<_>>().concat()
    };
    let before = lines(&|number| if number % 20 == 0 { "old" } else { "line" });
    let edits = json!([
        {"old_text": "old", "new_text": "new", "replace_all": true},
        {"old_text": "line 6\n", "new_text": "6\n"},
        {"old_text": "line 41 \nline 42\n", "new_text": "line 41\n42\n"},
        {"old_text": "", "new_text": "last\n", "insert_at": 61},
    ]);
    let edit = |kind: &str, count: u32, line: u32| json!({"match": kind, "count": count, "line": line});
    let none = |kind: &str| edit(kind, 0, 0);
    for (hunks, told, made) in [
        (
            json!(["h1", "h3"]),
            "2 of 4 changes; not made: f at line 20; f at line 60",
            [edit("exact", 1, 40), edit("exact", 1, 6), edit("trailing_ws", 1, 41), none("exact")],
        ),
        (
            json!(["h2", "h4"]),
            "2 of 4 changes; not made: f at line 6; f at line 40",
            [edit("exact", 2, 20), none("exact"), none("trailing_ws"), edit("exact", 1, 61)],
        ),
    ] {
        world.write("f", &before);
        let (meta, arguments) = (key(), json!({"path": "f", "edits": edits}));
        let asked = port.call_with("fs_edit", arguments.clone(), meta.clone());
        let mut approved = meta.clone();
        approved["dev.outrigger/approval"] = json!({"by": "user", "hunks": hunks});
        let done = port.answer_plan("fs_edit", arguments, approved, &asked, json!({"decision": "allow"}));
        let text = done["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(told), "{text}");
        assert_eq!(done["structuredContent"]["data"]["edits"], json!(made), "{done:#}");
        let is_loose = made[2]["count"] == 1;
        assert_eq!(text.contains("matched at line 41 but for"), is_loose, "{text}");
        let matched = if is_loose { "trailing_ws" } else { "exact" };
        assert_eq!(done["structuredContent"]["match"], matched);
    }
}

#[test]
fn an_answer_that_cannot_be_read_is_a_denial() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    for content in [json!({}), json!({"decision": "ALLOW"}), json!({"decision": true}), json!(null)] {
        let (arguments, meta) = (json!({"path": "x.txt", "content": "x"}), key());
        let asked = port.call_with("fs_write", arguments.clone(), meta.clone());
        assert_eq!(code(&port.answer_plan("fs_write", arguments, meta, &asked, content)), "approval_denied");
    }
    assert!(!world.workspace().join("x.txt").exists());
}

#[test]
fn a_plan_that_no_longer_fits_is_asked_again() {
    let world = World::new("");
    world.write("f.txt", "old\n");
    let mut port = world.connect();
    port.hello();
    let arguments = json!({"path": "f.txt", "edits": [{"old_text": "old", "new_text": "new"}]});
    let meta = key();
    let asked = port.call_with("fs_edit", arguments.clone(), meta.clone());
    world.write("f.txt", "old\nand more\n");
    let allow = json!({"decision": "allow"});
    let stale = port.answer_plan("fs_edit", arguments.clone(), meta.clone(), &asked, allow.clone());
    assert_eq!(stale["resultType"], "input_required", "{stale:#}");
    let reason = stale["_meta"]["dev.outrigger/plan"]["reasons"][0].as_str().unwrap().to_owned();
    assert!(reason.starts_with("approval_stale"), "{reason}");
    assert_eq!(world.read("f.txt"), "old\nand more\n");
    // A state is used once, whatever came of it, and not for another call.
    let other = json!({"path": "f.txt", "edits": [{"old_text": "old", "new_text": "evil"}]});
    let misused = port.answer_plan("fs_edit", other, key(), &stale, allow.clone());
    assert_eq!(misused["resultType"], "input_required");
    let done = port.answer_plan("fs_edit", arguments, meta, &stale, allow);
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
    assert_eq!(world.read("f.txt"), "new\nand more\n");
}

#[test]
fn a_key_runs_once_in_this_life_and_the_next() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let (arguments, meta) = (json!({"path": "log.txt", "content": "line\n", "mode": "append"}), key());
    let done = port.call_allowed("fs_write", arguments.clone(), meta.clone());
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
    let replayed = port.call_with("fs_write", arguments.clone(), meta.clone());
    assert_eq!(replayed["structuredContent"], done["structuredContent"]);
    assert_eq!(replayed["_meta"]["dev.outrigger/replayed"], true);
    port.close();
    let mut port = world.connect();
    port.hello();
    let replayed = port.call_with("fs_write", arguments, meta.clone());
    assert_eq!(replayed["structuredContent"], done["structuredContent"]);
    assert_eq!(world.read("log.txt"), "line\n");
    let call = meta["dev.outrigger/call"].clone();
    let known = port.request("outrigger/calls/get", json!({"call": call}));
    assert_eq!(
        (&known["result"]["state"], &known["result"]["tool"]),
        (&json!("finished"), &json!("fs_write"))
    );
    let other = port.call_with("fs_write", json!({"path": "other", "content": ""}), meta);
    assert_eq!(code(&other), "invalid_args", "{other:#}");
}

#[test]
fn a_key_is_the_same_one_in_small_letters() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let arguments = json!({"path": "log.txt", "content": "line\n", "mode": "append"});
    let small = outrigger::ids::new_ulid().to_lowercase();
    let meta = |key: &str| json!({"dev.outrigger/call": key, "dev.outrigger/workspace": "app"});
    port.call_allowed("fs_write", arguments.clone(), meta(&small));
    let replayed = port.call_with("fs_write", arguments, meta(&small.to_uppercase()));
    assert_eq!(replayed["_meta"]["dev.outrigger/replayed"], true, "{replayed:#}");
    assert_eq!(world.read("log.txt"), "line\n");
    let known = port.request("outrigger/calls/get", json!({"call": small}));
    assert_eq!(known["result"]["state"], "finished", "{known:#}");
    let diff = port.request("outrigger/turns/diff", json!({"turn": small}));
    assert_eq!(diff["result"]["files"][0]["path"], "log.txt", "{diff:#}");
    let undo = json!({"turn": small, "call": outrigger::ids::new_ulid()});
    assert_eq!(port.request("outrigger/turns/undo", undo.clone())["result"]["state"], "done");
    let small_undo = json!({"turn": small, "call": undo["call"].as_str().unwrap().to_lowercase()});
    assert_eq!(port.request("outrigger/turns/undo", small_undo)["result"]["state"], "done");
}

#[test]
fn an_approval_of_another_life_asks_again_with_the_same_digest() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let (arguments, meta) = (json!({"path": "x.txt", "content": "x"}), key());
    let asked = port.call_with("fs_write", arguments.clone(), meta.clone());
    port.close();
    let mut port = world.connect();
    port.hello();
    let fresh =
        port.answer_plan("fs_write", arguments.clone(), meta.clone(), &asked, json!({"decision": "allow"}));
    assert_eq!(fresh["resultType"], "input_required");
    let digest = |result: &Value| result["_meta"]["dev.outrigger/plan"]["digest"].clone();
    assert_eq!(digest(&fresh), digest(&asked));
    let done = port.answer_plan("fs_write", arguments, meta, &fresh, json!({"decision": "allow"}));
    assert_eq!(done["structuredContent"]["ok"], true);
}

#[test]
fn plan_mode_and_read_only_workspaces_refuse_writes() {
    let arguments = json!({"path": "x.txt", "content": "x"});
    for (line, mode, expected) in [
        ("read_only = true", "ask", "permission_denied"),
        ("read_only = false", "plan", "approval_unavailable"),
    ] {
        let world = World::new(line);
        let mut port = world.connect();
        port.hello();
        let mut meta = key();
        meta["dev.outrigger/mode"] = json!(mode);
        assert_eq!(code(&port.call_with("fs_write", arguments.clone(), meta)), expected);
        assert!(!world.workspace().join("x.txt").exists());
    }
}

/// A command that prints the file `said.txt` and then waits for more of it.
const FOLLOW: &str = "[[command]]\nid = \"follow\"\nprogram = \"tail\"\nargs = [\"-f\", \"said.txt\"]\nsummary = \"Follow\"\ntier = \"auto\"\n";

/// Starts `follow` and waits until it has printed something.
fn follow(port: &mut Port, meta: &Value) -> Value {
    let id = port
        .begin("tools/call", json!({"name": "exec_run", "arguments": {"command": "follow"}, "_meta": meta}));
    loop {
        let message = port.receive().expect("the host goes on");
        assert_ne!(message["id"], id, "the command ended by itself: {message:#}");
        if message["method"] == "notifications/outrigger/output" {
            assert_eq!(message["params"]["call"], meta["dev.outrigger/call"]);
            assert_eq!(message["params"]["text"], "hello\n");
            return id;
        }
    }
}

#[test]
fn a_command_is_cancelled_by_its_key_and_the_call_itself_says_so() {
    let world = World::new(FOLLOW);
    world.write("said.txt", "hello\n");
    let mut port = world.connect();
    port.hello();
    let meta = key();
    let id = follow(&mut port, &meta);
    let call = json!({"call": meta["dev.outrigger/call"]});
    assert_eq!(port.request("outrigger/calls/get", call.clone())["result"]["state"], "running");
    let cancelled = port.request("outrigger/calls/cancel", call.clone());
    assert_eq!(cancelled["result"]["cancelled"], true);
    let answer = port.answer_to(&id);
    assert_eq!(code(&answer["result"]), "cancelled", "{answer:#}");
    assert_eq!(port.request("outrigger/calls/get", call)["result"]["state"], "finished");
}

/// A copy of many files that has begun to write, and the id of its request.
fn copying(world: &World, port: &mut Port, meta: &Value) -> Value {
    for number in 0..400 {
        world.write(&format!("from/{number}"), "x");
    }
    let arguments = json!({"from": "from", "to": "to", "copy": true});
    let asked = port.call_with("fs_move", arguments.clone(), meta.clone());
    let id = port.begin(
        "tools/call",
        json!({"name": "fs_move", "arguments": arguments, "_meta": meta, "requestState": asked["requestState"],
            "inputResponses": {"approval": {"action": "accept", "content": {"decision": "allow"}}}}),
    );
    while left(world).is_empty() && !world.workspace().join("to").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    id
}

/// What a change under way, or one that was killed, has in the workspace.
fn left(world: &World) -> Vec<String> {
    let names = std::fs::read_dir(world.workspace()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(".outrigger-")).collect()
}

/// On a fast disk it may be over before anybody can stop it; what is said is what happened, and nothing is left beside it.
#[test]
fn a_copy_is_stopped_while_it_is_made_by_a_cancel_and_by_the_end_of_the_connection() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let meta = key();
    let id = copying(&world, &mut port, &meta);
    port.request("outrigger/calls/cancel", json!({"call": meta["dev.outrigger/call"]}));
    let answer = port.answer_to(&id)["result"].clone();
    let is_there = world.workspace().join("to").exists();
    assert_eq!(code(&answer), if is_there { "" } else { "cancelled" }, "{answer:#}");
    assert_eq!(left(&world), [""; 0]);
    let _ = std::fs::remove_dir_all(world.workspace().join("to"));
    let meta = key();
    copying(&world, &mut port, &meta);
    port.close();
    let mut port = world.connect();
    port.hello();
    let known = port.request("outrigger/calls/get", json!({"call": meta["dev.outrigger/call"]}));
    let result = &known["result"]["result"];
    let is_there = world.workspace().join("to").exists();
    if code(result) == "cancelled" {
        let message = result["structuredContent"]["message"].as_str().unwrap();
        assert!(!message.contains("command"), "{message}");
        assert_eq!(message.contains("had been made"), is_there, "{message}");
    } else {
        assert!(is_there, "{known:#}");
    }
    while !left(&world).is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_end_of_a_connection_settles_what_runs_and_the_next_host_knows() {
    let world = World::new(FOLLOW);
    world.write("said.txt", "hello\n");
    let mut port = world.connect();
    port.hello();
    let meta = key();
    follow(&mut port, &meta);
    assert!(port.close() < Duration::from_millis(1500));
    let mut port = world.connect();
    port.hello();
    let known = port.request("outrigger/calls/get", json!({"call": meta["dev.outrigger/call"]}));
    assert_eq!(known["result"]["state"], "finished", "{known:#}");
    assert_eq!(known["result"]["result"]["structuredContent"]["code"], "cancelled");
}

#[test]
fn a_path_can_name_another_workspace() {
    let world = World::new("");
    let other = world.state().parent().unwrap().join("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("b.txt"), "other\n").unwrap();
    let config = std::fs::read_to_string(world.config()).unwrap();
    world.configure(&format!("{config}\n[[workspace]]\nid = \"other\"\npath = \"{}\"\n", other.display()));
    world.write("a.txt", "app\n");
    world.write("other:b.txt", "a file of that name\n");
    let mut port = world.connect();
    port.hello();
    let text = |result: &Value| result["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text(&port.call("fs_read", json!({"path": "other:b.txt"}))).contains("1|other"));
    assert!(text(&port.call("fs_read", json!({"path": "./other:b.txt"}))).contains("a file of that name"));
    assert!(text(&port.call("fs_read", json!({"path": "app:a.txt"}))).contains("1|app"));
    assert!(text(&port.call("fs_list", json!({"path": "other:"}))).contains("b.txt"));
    assert_eq!(code(&port.call("fs_read", json!({"path": "nowhere:b.txt"}))), "not_found");
    // By another tool's name for the parameter, too.
    assert!(text(&port.call("fs_read", json!({"file_path": "other:b.txt"}))).contains("1|other"));
    let mixed = port.call("git_add", json!({"paths": ["other:b.txt", "app:a.txt"]}));
    assert_eq!(code(&mixed), "cross_device", "{mixed:#}");
    let written = port.call_allowed("fs_write", json!({"path": "other:c.txt", "content": "c"}), key());
    assert_eq!(written["structuredContent"]["ok"], true, "{written:#}");
    assert!(other.join("c.txt").exists());
    assert_eq!(code(&port.call("fs_read", json!({"path": "other:../app/a.txt"}))), "outside_workspace");
}

#[test]
fn a_revision_of_git_is_no_path_of_a_workspace() {
    let (world, other) = two_workspaces();
    let git = |arguments: &[&str]| {
        assert!(
            crate::world::git_command(&other).args(arguments).status().unwrap().success(),
            "{arguments:?}"
        );
    };
    git(&["init", "--quiet", "--initial-branch=other"]);
    for content in ["one\n", "two\n"] {
        std::fs::write(other.join("a"), content).unwrap();
        std::fs::write(other.join("b"), content).unwrap();
        git(&["add", "--all"]);
        git(&["commit", "--quiet", "--message", "c"]);
    }
    std::fs::write(other.join("a"), "three\n").unwrap();
    let mut port = world.connect();
    port.hello();
    let mut diff = |arguments: Value| {
        let answer = port.call("git_diff", arguments);
        (answer["content"][0]["text"].as_str().unwrap().to_owned(), answer["structuredContent"].clone())
    };
    // The branch is called as its workspace.
    let (text, _) = diff(json!({"paths": ["other:a"], "from": "other"}));
    assert!(text.contains("-two\n+three\n"), "{text}");
    let (text, _) = diff(json!({"paths": ["other:a"], "from": "HEAD~1", "to": "HEAD"}));
    assert!(text.contains("-one\n+two\n"), "{text}");
    // What goes on says the same revisions.
    let (text, facts) =
        diff(json!({"paths": ["other:."], "from": "HEAD~1", "to": "HEAD", "limit_bytes": 150}));
    let next = facts["truncated"]["next"]["args"].clone();
    assert_eq!(next["paths"], json!(["other:b"]), "{text} {facts:#}");
    let (text, _) = diff(next);
    assert!(text.contains("+++ b/b\n"), "{text}");
    let restored = port.call_allowed("git_restore", json!({"paths": ["other:a"], "source": "HEAD~1"}), key());
    assert_eq!(restored["structuredContent"]["ok"], true, "{restored:#}");
    assert_eq!(std::fs::read_to_string(other.join("a")).unwrap(), "one\n");
    // The audit, too, knows that revisions are no paths.
    let rows = port.request("outrigger/audit/query", json!({}))["result"]["rows"].clone();
    assert_eq!(rows[0]["paths"], json!(["a"]), "{rows:#}");
}

#[test]
fn arguments_that_nearly_fit_are_put_right_and_told() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    let read =
        port.call("fs_read", json!({"file_path": "a.txt", "limit": "5", "colour": null, "verbose": true}));
    let text = read["content"][0]["text"].as_str().unwrap();
    for words in ["1|one", "`file_path` was taken for `path`", "read as an integer", "no parameter `verbose`"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    let edit = json!({"file_path": "a.txt", "old_string": "one", "new_string": "two"});
    let edited = port.call_allowed("fs_edit", edit, key());
    assert_eq!(edited["structuredContent"]["ok"], true, "{edited:#}");
    assert_eq!(world.read("a.txt"), "two\n");
    let braked = port.call("fs_write", json!({"path": "b.txt", "content": "x", "dry_run": true}));
    assert_eq!(code(&braked), "invalid_args", "{braked:#}");
}

#[test]
fn millions_of_characters_are_answered_at_once_and_not_repeated() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let much = "x".repeat(5_000_000);
    for (tool, arguments) in [
        ("search_grep", json!({"pattern": much})),
        ("search_grep", json!({"pattern": "x", "glob": much})),
        ("search_grep", json!({"pattern": "x", "case": much})),
        ("search_glob", json!({"pattern": much})),
        ("git_log", json!({"author": much})),
        ("exec_run", json!({"command": much})),
        ("exec_output", json!({"job": much})),
        ("fs_list", json!({"limit": much})),
        ("fs_read", json!({"path": "a", "line_numbers": much})),
        ("fs_read", json!({"path": much})),
    ] {
        let result = port.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}");
        assert!(result.to_string().len() < 100_000, "{tool} answers {} bytes", result.to_string().len());
    }
    let unknown = port.request("tools/call", json!({"name": much, "arguments": {}}));
    assert!(unknown.to_string().len() < 10_000);
}

/// A world with a second workspace, `other`, and with all tools.
fn two_workspaces() -> (World, std::path::PathBuf) {
    let world = World::new("[tools]\nprofile = \"full\"\n");
    let other = world.state().parent().unwrap().join("other");
    std::fs::create_dir_all(&other).unwrap();
    let config = std::fs::read_to_string(world.config()).unwrap();
    world.configure(&format!("{config}\n[[workspace]]\nid = \"other\"\npath = \"{}\"\n", other.display()));
    (world, other)
}

#[test]
fn a_commit_of_another_workspace_is_shown() {
    let (world, other) = two_workspaces();
    std::fs::write(other.join("a"), "one\n").unwrap();
    for arguments in
        [&["init", "--quiet"][..], &["add", "--all"], &["commit", "--quiet", "--message", "of the other"]]
    {
        assert!(crate::world::git_command(&other).args(arguments).status().unwrap().success());
    }
    let mut port = world.connect();
    port.hello();
    for (path, kind, text) in
        [("other:", "commit", "of the other"), ("other:.", "dir-hint", "a"), ("other:a", "text", "1|one")]
    {
        let shown = port.call("git_show", json!({"rev": "HEAD", "path": path}));
        assert_eq!(shown["structuredContent"]["data"]["kind"], kind, "{path}: {shown:#}");
        assert!(shown["content"][0]["text"].as_str().unwrap().contains(text), "{path}: {shown:#}");
    }
}

#[test]
fn a_copy_may_come_from_another_workspace() {
    let (world, other) = two_workspaces();
    std::fs::create_dir_all(other.join("lib/deep")).unwrap();
    std::fs::write(other.join("lib/deep/a.txt"), "from there\n").unwrap();
    std::fs::write(other.join(".env"), "SECRET=1\n").unwrap();
    world.write("own.txt", "from here\n");
    let mut port = world.connect();
    port.hello();
    let turn =
        |name: &str| json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/turn": name});
    let copied = port.call_allowed(
        "fs_move",
        json!({"from": "other:lib", "to": "vendor/lib", "copy": true}),
        turn("t1"),
    );
    let expected = json!({"from": "other:lib", "to": "vendor/lib", "type": "dir", "entries": 3});
    assert_eq!(copied["structuredContent"]["data"], expected, "{copied:#}");
    assert_eq!(world.read("vendor/lib/deep/a.txt"), "from there\n");
    assert!(other.join("lib/deep/a.txt").exists());
    // The other way round: the path without a name is one of the call's own workspace.
    let arguments = json!({"from": "own.txt", "to": "other:lib/own.txt", "copy": true});
    let copied = port.call_allowed("fs_move", arguments, turn("t2"));
    assert_eq!(copied["structuredContent"]["data"]["from"], "app:own.txt", "{copied:#}");
    assert_eq!(std::fs::read_to_string(other.join("lib/own.txt")).unwrap(), "from here\n");
    // Both undone where they happened.
    for turn in ["t1", "t2"] {
        let undone = port.request("outrigger/turns/undo", json!({"turn": turn}));
        assert_eq!(undone["result"]["state"], "done", "{undone:#}");
    }
    assert!(!world.workspace().join("vendor").exists() && !other.join("lib/own.txt").exists());
    // What another workspace keeps to itself is no way round it, and a move is no copy.
    let refused = |port: &mut Port, arguments: Value, meta: Value| {
        let answer = port.call_with("fs_move", arguments, meta);
        let words = answer["structuredContent"]["message"].as_str().unwrap_or_default().to_owned();
        (code(&answer).to_owned(), words)
    };
    let plain = || json!({"dev.outrigger/call": outrigger::ids::new_ulid()});
    let (kind, words) = refused(&mut port, json!({"from": "other:.env", "to": "e", "copy": true}), plain());
    assert_eq!(kind, "blocked_path", "{words}");
    assert!(words.starts_with("in the workspace `other`: "), "{words}");
    let denying = json!({
        "dev.outrigger/call": outrigger::ids::new_ulid(),
        "dev.outrigger/denied": [{"path": "lib/deep/**", "workspace": "other"}],
    });
    let (kind, words) = refused(&mut port, json!({"from": "other:lib", "to": "l", "copy": true}), denying);
    assert_eq!(kind, "blocked_path", "{words}");
    let (kind, words) = refused(&mut port, json!({"from": "other:lib", "to": "l"}), plain());
    assert_eq!(kind, "cross_device", "{words}");
    let (kind, _) =
        refused(&mut port, json!({"from": "other:../app/own.txt", "to": "l", "copy": true}), plain());
    assert_eq!(kind, "outside_workspace");
    let (kind, words) = refused(&mut port, json!({"from": "other:none", "to": "l", "copy": true}), plain());
    assert_eq!(kind, "not_found");
    assert!(words.starts_with("in the workspace `other`: "), "{words}");
    assert_eq!(std::fs::read_dir(world.workspace()).unwrap().count(), 1);
    // A file here whose own name begins like a workspace's is one from here.
    world.write("other:x.txt", "of here\n");
    std::fs::write(other.join("x.txt"), "of there\n").unwrap();
    for (from, to) in [("app:other:x.txt", "named.txt"), ("./other:x.txt", "plain.txt")] {
        let copied = port.call_allowed("fs_move", json!({"from": from, "to": to, "copy": true}), plain());
        assert_eq!(copied["structuredContent"]["data"]["from"], "./other:x.txt", "{copied:#}");
        assert_eq!(world.read(to), "of here\n");
    }
}

#[test]
fn no_folder_is_copied_into_itself_through_a_workspace_within_it() {
    let world = World::new("");
    world.write("a/inner/x.txt", "x\n");
    let config = std::fs::read_to_string(world.config()).unwrap();
    let inner = world.workspace().join("a/inner");
    world.configure(&format!("{config}\n[[workspace]]\nid = \"inner\"\npath = \"{}\"\n", inner.display()));
    let mut port = world.connect();
    port.hello();
    let into = port.call("fs_move", json!({"from": "app:a", "to": "inner:b", "copy": true}));
    assert_eq!(code(&into), "invalid_args", "{into:#}");
    let same = port.call("fs_move", json!({"from": "app:a/inner/x.txt", "to": "inner:x.txt", "copy": true}));
    assert_eq!(code(&same), "no_change", "{same:#}");
}

#[test]
fn what_goes_on_names_the_workspace() {
    let (world, other) = two_workspaces();
    let lines = |what: &str| (1..=3000).map(|line| format!("{what} {line}\n")).collect::<Vec<_>>().concat();
    world.write("log", lines("app"));
    std::fs::write(other.join("log"), lines("other")).unwrap();
    let mut port = world.connect();
    port.hello();
    let mut call = |tool: &str, arguments: Value| {
        let result = port.call(tool, arguments);
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        (text, result["structuredContent"].clone())
    };
    let (text, facts) = call("fs_read", json!({"path": "other:log"}));
    let next = &facts["truncated"]["next"];
    assert!(text.contains(&format!("next: fs_read {}", next["args"])), "{text}");
    let (text, _) = call(next["tool"].as_str().unwrap(), next["args"].clone());
    assert!(text.contains("2001|other 2001"), "{text}");
    for (tool, arguments) in [
        ("search_grep", json!({"pattern": "[0-9]", "path": "other:", "limit": 2})),
        ("fs_list", json!({"path": "other:", "limit": 1})),
    ] {
        std::fs::write(other.join("more"), "other 1\n").unwrap();
        let (text, facts) = call(tool, arguments);
        let next = &facts["truncated"]["next"];
        assert_eq!(next["args"]["path"], "other:", "{tool}: {facts:#}");
        assert!(text.contains("write `other:` before them"), "{text}");
        let (text, _) = call(next["tool"].as_str().unwrap(), next["args"].clone());
        assert!(!text.contains("app"), "{tool}: {text}");
    }
    let (text, _) = call("fs_read", json!({"path": "other:logg"}));
    assert!(text.contains("not_found") && text.contains("write `other:` before them"), "{text}");
}

#[test]
fn a_patch_changes_the_workspace_that_it_names() {
    let (world, other) = two_workspaces();
    std::fs::write(other.join("b.txt"), "one\n").unwrap();
    let mut port = world.connect();
    port.hello();
    let patch = "*** Begin Patch\n*** Add File: other:new.txt\n+x\n*** Update File: other:b.txt\n*** Move to: other:c.txt\n@@\n-one\n+two\n*** End Patch";
    let meta = || json!({"dev.outrigger/call": outrigger::ids::new_ulid()});
    let done = port.call_allowed("fs_apply_patch", json!({"patch": patch}), meta());
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
    assert_eq!(std::fs::read_to_string(other.join("new.txt")).unwrap(), "x\n");
    assert_eq!(std::fs::read_to_string(other.join("c.txt")).unwrap(), "two\n");
    let unified = "--- a/other:c.txt\n+++ b/other:c.txt\n@@ -1 +1 @@\n-two\n+three\n";
    let done = port.call_allowed("fs_apply_patch", json!({"diff": unified}), meta());
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
    assert_eq!(std::fs::read_to_string(other.join("c.txt")).unwrap(), "three\n");
    let written = port.call_allowed("fs_write", json!({"file_path": "other:w.txt", "content": "w"}), meta());
    assert_eq!(written["structuredContent"]["ok"], true, "{written:#}");
    assert_eq!(std::fs::read_to_string(other.join("w.txt")).unwrap(), "w");
    let mixed = "*** Begin Patch\n*** Add File: other:q\n+x\n*** Add File: app:q\n+x\n*** End Patch";
    assert_eq!(code(&port.call("fs_apply_patch", json!({"patch": mixed}))), "cross_device");
    let plain = "*** Begin Patch\n*** Add File: other:q\n+x\n*** Add File: q\n+x\n*** End Patch";
    assert_eq!(code(&port.call("fs_apply_patch", json!({"patch": plain}))), "cross_device");
    // Nothing of all this is in the connection's own workspace.
    assert_eq!(std::fs::read_dir(world.workspace()).unwrap().count(), 0);
    // `./` is always a file.
    let file = "*** Begin Patch\n*** Add File: ./other:q\n+x\n*** End Patch";
    let done = port.call_allowed("fs_apply_patch", json!({"patch": file}), key());
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
    assert_eq!(world.read("other:q"), "x\n");
}

#[test]
fn what_is_asked_about_is_shown_by_no_other_tool() {
    let world = World::new("[tools]\nprofile = \"full\"\n");
    let git = |arguments: &[&str]| {
        assert!(
            crate::world::git_command(&world.workspace()).args(arguments).output().unwrap().status.success()
        );
    };
    git(&["init", "-q"]);
    git(&["config", "user.name", "Ann"]);
    git(&["config", "user.email", "ann@example.org"]);
    world.write("my-credentials.json", "{\"pw\": \"hunter3\"}\n");
    world.write("plain.txt", "hunter3\n");
    git(&["add", "-A"]);
    git(&["commit", "-qm", "first"]);
    world.write("my-credentials.json", "{\"pw\": \"hunter4\"}\n");
    let mut port = world.connect();
    port.hello();
    let path = "my-credentials.json";
    for (tool, arguments) in [
        ("fs_read", json!({"path": path})),
        ("search_grep", json!({"pattern": "^", "path": path})),
        ("git_blame", json!({"path": path})),
        ("git_show", json!({"rev": "HEAD", "path": path})),
    ] {
        let asked = port.call(tool, arguments);
        assert_eq!(asked["resultType"], "input_required", "{tool}: {asked:#}");
    }
    let edits = json!([{"old_text": "nope", "new_text": "x"}]);
    let patch =
        format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{{\"pw\": \"hunter\"}}\n+x\n*** End Patch");
    for (tool, arguments) in [
        ("search_grep", json!({"pattern": "hunter"})),
        ("search_grep", json!({"pattern": "pw|hunter3", "output": "count"})),
        ("git_diff", json!({})),
        ("git_diff", json!({"paths": [path]})),
        ("git_show", json!({"rev": "HEAD"})),
        ("git_log", json!({"patch": true})),
        ("fs_edit", json!({"path": path, "edits": edits})),
        ("fs_edit", json!({"path": path, "edits": edits, "base_etag": "zz"})),
        ("fs_apply_patch", json!({"patch": patch})),
    ] {
        let result = port.call(tool, arguments).to_string();
        assert!(!result.contains("pw\\\""), "{tool}: {result}");
        assert!(!result.contains("hunter4"), "{tool}: {result}");
    }
    let found = port.call("search_grep", json!({"pattern": "hunter"}));
    assert!(found["content"][0]["text"].as_str().unwrap().contains("1:hunter3"), "{found:#}");
    assert_eq!(found["structuredContent"]["data"]["skipped"]["secret_looking"], 1, "{found:#}");
    // What no question opens is counted as blocked.
    for path in [".env", "deep/.git-credentials", "credentials.tfrc.json"] {
        world.write(path, "hunter5\n");
    }
    let found = port.call("search_grep", json!({"pattern": "hunter"}));
    let skipped = &found["structuredContent"]["data"]["skipped"];
    assert_eq!((&skipped["secret_looking"], &skipped["blocked"]), (&json!(1), &json!(3)), "{found:#}");
    let none = port.call("search_grep", json!({"pattern": "nothing like it"}));
    assert_eq!(
        none["structuredContent"]["data"]["skipped"]["secret_looking"], 1,
        "counted without a match, too"
    );
}

#[test]
fn what_the_next_start_would_take_for_its_configuration_is_not_made() {
    for folder in ["config", "linked"] {
        let world = World::new("[tools]\nprofile = \"full\"");
        world.write("config/other/kept", "");
        std::os::unix::fs::symlink("config", world.workspace().join("linked")).unwrap();
        let own = outrigger::native::caller::own_extensions();
        let mut command = world.command();
        // Another one is in force, and the folder is not there yet.
        let mut port =
            Port::spawn(command.env("XDG_CONFIG_HOME", world.workspace().join(folder)).arg(&own[0]));
        port.hello();
        for path in
            ["outrigger/config.toml", "outrigger/config.yaml", "Outrigger/Config.YML", "outrigger/more"]
        {
            let path = format!("config/{path}");
            for (tool, arguments) in [
                ("fs_write", json!({"path": path, "content": "version = 1\n"})),
                ("fs_move", json!({"from": "config/other/kept", "to": path})),
                ("fs_mkdir", json!({"path": path})),
                (
                    "fs_apply_patch",
                    json!({"patch": format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n")}),
                ),
            ] {
                let result = port.call(tool, arguments);
                assert_eq!(code(&result), "protected_path", "{tool} {path} {result:#}");
            }
        }
        let result = port.call("fs_move", json!({"from": "config", "to": "elsewhere"}));
        assert_eq!(code(&result), "protected_path", "{result:#}");
        let allowed =
            port.call_allowed("fs_write", json!({"path": "config/other/new", "content": ""}), key());
        assert_ne!(allowed["isError"], true, "{allowed:#}");
    }
}

#[test]
fn what_is_refused_stands_in_the_audit() {
    let world = World::new("[tools]\nprofile = \"full\"");
    world.write(".env", "A=1\n");
    world.write("make_test", "");
    let mut port = world.connect();
    port.hello();
    for (tool, arguments, expected, decision) in [
        ("fs_read", json!({"path": ".env"}), "blocked_path", "refused"),
        ("fs_read", json!({"path": "../x"}), "outside_workspace", "refused"),
        ("fs_read", json!({"path": "gone"}), "not_found", "auto"),
        ("fs_write", json!({"path": ".git/x", "content": ""}), "protected_path", "refused"),
        ("fs_write", json!({"path": "x", "content": "⟦redacted:aws:1⟧"}), "invalid_args", "auto"),
        ("exec_run", json!({"command": "rm"}), "command_not_allowed", "refused"),
        (
            "fs_edit",
            json!({"path": "make_test", "edits": [{"old_text": "zzz", "new_text": "y"}]}),
            "no_match",
            "auto",
        ),
    ] {
        let result = port.call(tool, arguments);
        assert_eq!(code(&result), expected, "{result:#}");
        let rows = port.request("outrigger/audit/query", json!({"limit": 100}));
        let row = rows["result"]["rows"]
            .as_array()
            .unwrap()
            .last()
            .unwrap_or_else(|| panic!("{tool}: no row"))
            .clone();
        let of = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
        assert_eq!(
            (of("tool"), of("outcome"), of("decision")),
            (tool.into(), expected.into(), decision.into()),
            "{row:#}"
        );
    }
}

#[test]
fn nobody_to_ask_stands_in_the_audit_and_may_be_asked_later() {
    let world = World::new("");
    let mut port = world.connect();
    let ulid = outrigger::ids::new_ulid();
    port.send(&json!({"jsonrpc": "2.0", "id": "w", "method": "tools/call", "params": {
        "name": "fs_write", "arguments": {"path": "x", "content": "x"},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"}, "dev.outrigger/call": ulid}}}));
    let answer = port.answer_to(&json!("w"));
    assert_eq!(code(&answer["result"]), "approval_unavailable", "{answer:#}");
    for filter in [
        json!({"since": "notadate"}),
        json!({"until": "2026-13-45"}),
        json!({"decision": "nonsense"}),
        json!({"no": 1}),
    ] {
        let refused = port.request("outrigger/audit/query", json!({"filter": filter}));
        assert_eq!(refused["error"]["code"], -32602, "{filter} {refused}");
    }
    let later =
        port.request("outrigger/audit/query", json!({"filter": {"since": "2999-01", "decision": "auto"}}));
    assert_eq!(later["result"]["rows"], json!([]), "{later}");
    let rows = port.request("outrigger/audit/query", json!({}));
    let row = &rows["result"]["rows"][0];
    assert_eq!(
        (&row["decision"], &row["outcome"], &row["tier"]),
        (&json!("refused"), &json!("approval_unavailable"), &json!("batch")),
        "{rows:#}"
    );
    port.hello();
    let result = port.call_allowed(
        "fs_write",
        json!({"path": "x", "content": "x"}),
        json!({"dev.outrigger/call": ulid}),
    );
    assert_eq!(code(&result), "", "{result:#}");
}

#[test]
fn a_change_that_could_not_be_prepared_is_never_made_later_by_its_key() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    let meta = key();
    let edit = json!({"path": "a.txt", "edits": [{"old_text": "zzz", "new_text": "y"}]});
    assert_eq!(code(&port.call_with("fs_edit", edit.clone(), meta.clone())), "no_match");
    world.write("a.txt", "zzz\n");
    let again = port.call_with("fs_edit", edit.clone(), meta);
    assert_eq!(
        (code(&again), &again["_meta"]["dev.outrigger/replayed"]),
        ("no_match", &json!(true)),
        "{again:#}"
    );
    assert_eq!(world.read("a.txt"), "zzz\n");
    let result = port.call_allowed("fs_edit", edit, key());
    assert_eq!(code(&result), "", "{result:#}");
}

#[test]
fn an_approval_is_for_its_own_key_session_and_turn() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let arguments = json!({"path": "x", "content": "x"});
    let meta = |session: &str, turn: &str| {
        let mut meta = key();
        meta["dev.outrigger/session"] = json!(session);
        meta["dev.outrigger/turn"] = json!(turn);
        meta
    };
    let first = meta("s1", "t1");
    let asked = port.call_with("fs_write", arguments.clone(), first.clone());
    let mut other_key = first.clone();
    other_key["dev.outrigger/call"] = key()["dev.outrigger/call"].clone();
    let (mut other_turn, mut other_session) = (first.clone(), first.clone());
    other_turn["dev.outrigger/turn"] = json!("t2");
    other_session["dev.outrigger/session"] = json!("s2");
    for other in [other_key, other_turn, other_session] {
        let again =
            port.answer_plan("fs_write", arguments.clone(), other, &asked, json!({"decision": "allow"}));
        assert_eq!(again["resultType"], "input_required", "{again:#}");
        assert!(!world.workspace().join("x").exists());
    }
    let done = port.answer_plan("fs_write", arguments, first, &asked, json!({"decision": "allow"}));
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
}

#[test]
fn who_answered_is_a_person_or_a_rule() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let arguments = json!({"path": "x", "content": "x"});
    let mut meta = key();
    let asked = port.call_with("fs_write", arguments.clone(), meta.clone());
    for approval in [json!({"by": "model\u{202e}\n<b>"}), json!([]), json!(["user"]), json!("user")] {
        meta["dev.outrigger/approval"] = approval;
        let answer = port.request(
            "tools/call",
            json!({"name": "fs_write", "arguments": arguments, "_meta": meta, "requestState": asked["requestState"],
                "inputResponses": {"approval": {"action": "accept", "content": {"decision": "allow"}}}}),
        );
        assert_eq!(answer["error"]["code"], -32602, "{answer:#}");
    }
    meta["dev.outrigger/approval"] = json!({"by": "rule:01J-a_b"});
    let done = port.answer_plan("fs_write", arguments, meta, &asked, json!({"decision": "allow"}));
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
}

#[test]
fn a_program_that_was_changed_after_its_plan_is_asked_about_again() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let world = World::new("");
    let script = |name: &str, says: &str| {
        world.write(name, format!("#!/bin/sh\necho {says}\n"));
        let path = world.workspace().join(name);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let (plain, link) = (script("plain", "GOOD"), world.folder.path().join("link"));
    symlink(script("real", "GOOD"), &link).unwrap();
    let entry = |id: &str, program: &std::path::Path| {
        format!("[[command]]\nid = {id:?}\nprogram = {program:?}\nargs = []\nsummary = \"x\"\n")
    };
    world.configure(&format!(
        "version = 1\n[[workspace]]\nid = \"app\"\npath = {:?}\n{}{}",
        world.workspace(),
        entry("plain", &plain),
        entry("link", &link)
    ));
    let mut port = world.connect();
    port.hello();
    for command in ["plain", "link"] {
        let (arguments, meta) = (json!({"command": command}), key());
        let asked = port.call_with("exec_run", arguments.clone(), meta.clone());
        if command == "plain" {
            // Of the same length.
            script("plain", "EVIL");
        } else {
            let real = asked["_meta"]["dev.outrigger/plan"]["preview"]["program_real"].as_str().unwrap();
            assert!(real.ends_with("/app/real"), "{asked:#}");
            std::fs::remove_file(&link).unwrap();
            symlink(script("evil", "EVIL"), &link).unwrap();
        }
        let allow = json!({"decision": "allow"});
        let again = port.answer_plan("exec_run", arguments.clone(), meta.clone(), &asked, allow.clone());
        assert_eq!(again["resultType"], "input_required", "{command}: {again:#}");
        let done = port.answer_plan("exec_run", arguments, meta, &again, allow);
        assert!(done["content"][0]["text"].as_str().unwrap().contains("EVIL"), "{command}: {done:#}");
    }
}

#[test]
fn what_one_of_two_workspaces_closes_is_closed_in_both() {
    let world = World::new("");
    for file in ["inner/secret", "inner/deep/kept", "inner/old", "outer-secret/x", "plain"] {
        world.write(file, "one\n");
    }
    world.write(
        "inner/.outrigger.toml",
        "version = 1\n[files]\nblocked = [\"secret\"]\nprotected = [\"deep\"]\n",
    );
    world.write(".outrigger.toml", "version = 1\n[files]\nblocked = [\"inner/old\"]\n");
    let root = world.workspace();
    let config = |outer: &str, inner: &str| {
        format!(
            "version = 1\n[[workspace]]\nid = \"outer\"\npath = {root:?}\n{outer}\n[[workspace]]\nid = \"inner\"\npath = {:?}\n{inner}\n",
            root.join("inner")
        )
    };
    let calls = |port: &mut Port, workspace: &str, tool: &str, arguments: Value| {
        let result = port.call_with(tool, arguments, json!({"dev.outrigger/workspace": workspace}));
        let tier = &result["_meta"]["dev.outrigger/plan"]["tier"];
        tier.as_str().unwrap_or_else(|| code(&result)).to_owned()
    };
    world.configure(&config("", "read_only = true"));
    let mut port = world.connect();
    port.hello();
    for (workspace, tool, arguments, expected) in [
        ("inner", "fs_write", json!({"path": "n", "content": ""}), "permission_denied"),
        ("outer", "fs_write", json!({"path": "inner/n", "content": ""}), "protected_path"),
        ("outer", "fs_delete", json!({"path": "inner", "recursive": true}), "protected_path"),
        ("outer", "fs_move", json!({"from": "inner", "to": "other"}), "protected_path"),
        ("outer", "fs_write", json!({"path": "innermost", "content": ""}), "batch"),
        ("inner", "fs_read", json!({"path": "secret"}), "blocked_path"),
        ("outer", "fs_read", json!({"path": "inner/secret"}), "blocked_path"),
        ("outer", "fs_read", json!({"path": "inner/old"}), "blocked_path"),
        ("inner", "fs_read", json!({"path": "old"}), "blocked_path"),
        ("outer", "fs_read", json!({"path": "inner/deep/kept"}), ""),
    ] {
        assert_eq!(
            calls(&mut port, workspace, tool, arguments.clone()),
            expected,
            "{workspace} {tool} {arguments}"
        );
    }
    for (tool, arguments, relation) in [
        ("fs_write", json!({"path": "inner/n", "content": ""}), "`inner/n` lies in"),
        ("fs_delete", json!({"path": "inner", "recursive": true}), "`inner` lies in"),
        ("fs_move", json!({"from": "plain", "to": "inner/p"}), "`inner/p` lies in"),
    ] {
        let refused = port.call_with(tool, arguments, json!({"dev.outrigger/workspace": "outer"}));
        let facts = &refused["structuredContent"];
        assert_eq!(
            facts["message"].as_str(),
            Some(format!("{relation} the workspace `inner`, which is read-only").as_str()),
            "{tool}"
        );
        assert!(facts["hint"].as_str().unwrap().contains("read_only = false"), "{facts}");
    }
    let found =
        port.call_with("search_grep", json!({"pattern": "one"}), json!({"dev.outrigger/workspace": "outer"}));
    let text = found["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("plain") && !text.contains("secret:") && !text.contains("inner/old"), "{text}");
    drop(port);
    world.configure(&config("", ""));
    let mut port = world.connect();
    port.hello();
    let below = json!({"path": "inner/deep/new", "content": "two"});
    assert_eq!(calls(&mut port, "outer", "fs_write", below), "individual");
    drop(port);
    world.configure(&config("read_only = true", ""));
    let mut port = world.connect();
    port.hello();
    // The one that is read-only is named, not the one that lies in it.
    for (tool, arguments) in [
        ("fs_write", json!({"path": "n", "content": ""})),
        ("fs_move", json!({"from": "deep/kept", "to": "n"})),
        ("git_add", json!({"paths": ["secret"]})),
    ] {
        let refused = port.call_with(tool, arguments, json!({"dev.outrigger/workspace": "inner"}));
        let facts = &refused["structuredContent"];
        let expected = (&json!("permission_denied"), &json!("the workspace `outer` is read-only"));
        assert_eq!((&facts["code"], &facts["message"]), expected, "{tool}");
    }
}

#[test]
fn calls_get_names_the_journal_it_speaks_of() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let get = json!({"call": outrigger::ids::new_ulid()});
    let journal =
        |port: &mut Port| port.request("outrigger/calls/get", get.clone())["result"]["journal"].clone();
    let first = journal(&mut port);
    assert_eq!(first.as_str().and_then(|text| text.split_once('.')).map(|(file, _)| file.len()), Some(8));
    assert_eq!(journal(&mut port), first);
    let mut second = world.connect();
    second.hello();
    assert_eq!(journal(&mut second), first, "two hosts share it");
    let copy = |from: &str, to: &str| {
        for ending in ["", "-wal", "-shm"] {
            let name = |folder: &str| world.state().join(folder).join(format!("journal.sqlite{ending}"));
            let _ = std::fs::remove_file(name(to));
            let _ = std::fs::copy(name(from), name(to));
        }
    };
    second.close();
    port.close();
    std::fs::create_dir(world.state().join("copy")).unwrap();
    copy(".", "copy");
    let mut port = world.connect();
    port.hello();
    let rows = |text: &Value| {
        let (file, rows) = text.as_str().unwrap().split_once('.').unwrap();
        (file.to_owned(), rows.parse::<u64>().unwrap())
    };
    assert_eq!(code(&port.call_allowed("fs_write", json!({"path": "n", "content": ""}), key())), "");
    let later = journal(&mut port);
    assert_eq!(rows(&later).0, rows(&first).0);
    assert!(rows(&later).1 > rows(&first).1, "{later} after {first}");
    port.close();
    copy("copy", ".");
    let mut port = world.connect();
    port.hello();
    assert_eq!(rows(&journal(&mut port)), rows(&first), "an older copy is told apart");
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(world.state().join(format!("journal.sqlite{ending}")));
    }
    assert_ne!(journal(&mut port), first);
}

#[test]
fn git_by_another_name_is_no_command() {
    let world = World::new("");
    let link = world.folder.path().join("notgit");
    std::os::unix::fs::symlink("/usr/bin/git", &link).unwrap();
    world.configure(&format!(
        "version = 1\n[[workspace]]\nid = \"app\"\npath = {:?}\n[[command]]\nid = \"notgit\"\nprogram = {link:?}\nargs = [\"status\"]\nsummary = \"x\"\n",
        world.workspace(),
    ));
    let mut port = world.connect();
    port.hello();
    assert_eq!(code(&port.call("exec_run", json!({"command": "notgit"}))), "command_not_allowed");
}

#[test]
fn names_that_are_kept_with_every_call_have_an_end_and_no_secrets() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let meta = json!({"dev.outrigger/session": "s".repeat(257)});
    let answer = port.request("tools/call", json!({"name": "fs_list", "arguments": {}, "_meta": meta}));
    assert_eq!(answer["error"]["code"], -32602, "{answer:#}");
    let token = format!("ghp_{}", "aB3dE".repeat(7) + "x");
    let path = json!({"path": format!("{token}.txt"), "content": ""});
    assert_eq!(code(&port.call_allowed("fs_write", path, key())), "");
    let rows = port.request("outrigger/audit/query", json!({}));
    assert_eq!(rows["result"]["rows"][0]["tool"], "fs_write", "{rows:#}");
    assert!(!rows.to_string().contains(&token), "{rows:#}");
}

#[test]
fn a_script_that_a_program_of_a_workspace_reads_is_asked_about() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new("");
    let script = world.folder.path().join("script");
    let reader = world.workspace().join("reader");
    std::fs::copy("/bin/sh", &reader).unwrap();
    std::fs::write(&script, format!("#!{}\necho read\n", reader.display())).unwrap();
    for program in [&script, &reader] {
        std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    world.configure(&format!(
        "version = 1\n[[workspace]]\nid = \"app\"\npath = {:?}\n[[command]]\nid = \"script\"\nprogram = {script:?}\nargs = []\nsummary = \"x\"\ntier = \"auto\"\n",
        world.workspace(),
    ));
    let mut port = world.connect();
    port.hello();
    let asked = port.call("exec_run", json!({"command": "script"}));
    let plan = &asked["_meta"]["dev.outrigger/plan"];
    assert_eq!(plan["tier"], "individual", "{asked:#}");
    assert!(plan["reasons"][0].as_str().unwrap().contains("reader"), "{asked:#}");
}

#[test]
fn a_workspace_whose_folder_is_gone_is_not_an_empty_one() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    assert_eq!(port.call("fs_read", json!({"path": "a.txt"}))["structuredContent"]["ok"], true);
    let (folder, elsewhere) = (world.workspace(), world.folder.path().join("elsewhere"));
    let mut refused = |state: &str| {
        for (tool, arguments) in [
            ("fs_list", json!({})),
            ("fs_read", json!({"path": "a.txt"})),
            ("search_grep", json!({"pattern": "one"})),
            ("fs_write", json!({"path": "new.txt", "content": "x"})),
        ] {
            let error = port.call(tool, arguments)["structuredContent"].clone();
            assert_eq!(error["code"], "not_found", "{state}, {tool}: {error}");
            let message = error["message"].as_str().unwrap();
            assert!(
                message.starts_with("the folder of the workspace `app`, `"),
                "{state}, {tool}: {message}"
            );
        }
    };
    std::fs::rename(&folder, &elsewhere).unwrap();
    refused("moved away");
    std::fs::create_dir(&folder).unwrap();
    refused("another in its place");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    std::fs::remove_dir(&folder).unwrap();
    std::fs::rename(&elsewhere, &folder).unwrap();
    assert_eq!(port.call("fs_read", json!({"path": "a.txt"}))["structuredContent"]["ok"], true);
}

#[test]
fn what_stands_in_a_file_named_as_a_secret_is_not_told_by_what_fits() {
    let world = World::new("");
    let text = "user=bob\n_auth=hunter2\n";
    let paths = ["secrets.yml", ".npmrc"];
    for path in &paths {
        world.write(path, text);
    }
    world.write("plain.txt", "a\n");
    let edit = |old: &str| json!({"old_text": old, "new_text": "q"});
    let hunk = |old: &str| format!("@@\n-{old}\n+q\n");
    let etag = |text: &str| outrigger::ids::Etag::of(text.as_bytes()).as_str().to_owned();
    // The same call with a good guess, and with bad ones.
    let calls = |path: &str| {
        let edits = |edits: Value| ("fs_edit", json!({"path": path, "edits": edits}));
        let patch = |hunks: String| {
            let patch = format!("*** Begin Patch\n*** Update File: {path}\n{hunks}*** End Patch\n");
            ("fs_apply_patch", json!({"patch": patch}))
        };
        let elsewhere = format!("*** Update File: plain.txt\n{}", hunk("b"));
        let write = |mode: &str, content: &str, etag: String| {
            ("fs_write", json!({"path": path, "mode": mode, "content": content, "base_etag": etag}))
        };
        [
            edits(json!([edit("_auth=hunter2")])),
            edits(json!([edit("_auth=hunter3")])),
            edits(json!([edit("_auth=h"), edit("NEVER")])),
            edits(json!([edit("_auth=x"), edit("NEVER")])),
            edits(json!([edit("u")])),
            edits(json!([{"old_text": "", "new_text": "x\n", "insert_at": 9}])),
            patch(hunk("_auth=hunter2")),
            patch(hunk("_auth=hunter3")),
            patch(hunk("_auth=hunter2") + &elsewhere),
            patch(hunk("_auth=hunter3") + &elsewhere),
            patch(hunk("_auth=hunter2") + "*** Update File: .git/config\n@@\n-a\n+b\n"),
            write("overwrite", "x", etag(text)),
            write("overwrite", "x", etag("x")),
            write("overwrite", text, String::new()),
            write("append", "\u{1f980}", etag("x")),
            write("append", "", String::new()),
        ]
    };
    let mut port = world.connect();
    for path in paths {
        for (id, (tool, arguments)) in calls(path).into_iter().enumerate() {
            let id = json!(format!("{path} {id}"));
            let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"}});
            port.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": {"name": tool, "arguments": arguments, "_meta": meta}}));
            let result = port.answer_to(&id)["result"].clone();
            let message = result["structuredContent"]["message"].as_str().unwrap_or_default();
            let same = format!(
                "this needs the user's approval (`{path}` is named as if it held a secret), and this client cannot ask"
            );
            assert_eq!((code(&result), message), ("approval_unavailable", same.as_str()), "{arguments}");
        }
    }
    port.hello();
    for (tool, arguments) in paths.into_iter().flat_map(calls) {
        let asked = port.call_with(tool, arguments.clone(), key());
        assert_eq!(asked["_meta"]["dev.outrigger/plan"]["tier"], "individual", "{arguments}: {asked:#}");
    }
    // Once a person has let it happen, the call fails as it does for any other file.
    let arguments = json!({"path": "secrets.yml", "edits": [edit("_auth=hunter3")]});
    let meta = key();
    let asked = port.call_with("fs_edit", arguments.clone(), meta.clone());
    let summary = "Change nothing, and tell the caller why fs_edit fails: `old_text` of edit 1 is not in `secrets.yml`; nothing was changed";
    assert_eq!(asked["_meta"]["dev.outrigger/plan"]["summary"], summary);
    let failed =
        port.answer_plan("fs_edit", arguments.clone(), meta.clone(), &asked, json!({"decision": "allow"}));
    assert_eq!(
        (code(&failed), &failed["structuredContent"]["effective_tier"]),
        ("no_match", &json!("individual"))
    );
    assert!(!failed.to_string().contains("hunter2"), "{failed:#}");
    let again = port.call_with("fs_edit", arguments, meta);
    assert_eq!((code(&again), &again["_meta"]["dev.outrigger/replayed"]), ("no_match", &json!(true)));
    // That a file is there, and what is wrong with a call whatever stands in it, is told at once.
    let there = port.call_with("fs_write", json!({"path": "secrets.yml", "content": "x"}), key());
    assert_eq!(code(&there), "already_exists");
    let empty = port.call_with("fs_edit", json!({"path": "secrets.yml", "edits": []}), key());
    assert_eq!(code(&empty), "invalid_args");
}

/// Two workspaces, and a file of the first that is called like one in the second.
#[test]
fn a_file_that_is_called_like_a_path_elsewhere_is_told_as_one_of_here() {
    let (world, other) = two_workspaces();
    std::fs::write(other.join("b.txt"), "needle\n").unwrap();
    world.write("other:b.txt", "needle\n");
    world.write("app:b.txt", "needle\n");
    world.write("third:b.txt", "needle\n");
    let git = |arguments: &[&str]| {
        assert!(
            crate::world::git_command(&world.workspace()).args(arguments).status().unwrap().success(),
            "{arguments:?}"
        );
    };
    git(&["init", "--quiet"]);
    let mut port = world.connect();
    port.hello();
    for (tool, arguments) in [
        ("search_grep", json!({"pattern": "needle"})),
        ("search_glob", json!({"pattern": "*.txt"})),
        ("fs_list", json!({})),
        ("git_status", json!({})),
    ] {
        let answer = port.call(tool, arguments);
        let facts = answer["structuredContent"]["data"].to_string();
        for path in ["\"./other:b.txt\"", "\"./app:b.txt\"", "\"third:b.txt\""] {
            assert!(facts.contains(path), "{tool}: {path} in {answer:#}");
        }
    }
    // In a tree, too; below a folder a name is a name.
    world.write("d/other:b.txt", "");
    let tree = port.call("fs_list", json!({"depth": 2}))["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(tree.contains("\n./other:b.txt\n") && tree.contains("d/\n  other:b.txt\n"), "{tree}");
    let meta = key();
    let edit = json!({"path": "./other:b.txt", "edits": [{"old_text": "needle", "new_text": "thread"}]});
    let edited = port.call_allowed("fs_edit", edit, meta.clone());
    assert_eq!(edited["structuredContent"]["data"]["path"], "./other:b.txt", "{edited:#}");
    assert_eq!(world.read("other:b.txt"), "thread\n");
    let turns = port.request("outrigger/turns/list", json!({}))["result"].to_string();
    assert!(turns.contains("./other:b.txt"), "{turns}");
    let undone =
        port.request("outrigger/turns/undo", json!({"turn": meta["dev.outrigger/call"]}))["result"].clone();
    assert_eq!(undone["state"], "done", "{undone:#}");
    assert_eq!(world.read("other:b.txt"), "needle\n");
    assert_eq!(std::fs::read_to_string(other.join("b.txt")).unwrap(), "needle\n");
}

/// Whoever stops a call by its key does not want it done when the key comes again, however early that was.
#[test]
fn a_call_that_was_stopped_is_not_done_later() {
    let world = World::new("[tools.tier]\nfs_apply_patch = \"auto\"\n");
    let mut port = world.connect();
    port.hello();
    let files: Vec<String> = (0..150).map(|number| format!("*** Add File: p/{number}.txt\n+x\n")).collect();
    let files = files.concat();
    let patch = json!({"patch": format!("*** Begin Patch\n{files}*** End Patch\n")});
    let mut stopped = 0;
    for round in 0..40 {
        let meta = key();
        let id =
            port.begin("tools/call", json!({"name": "fs_apply_patch", "arguments": patch, "_meta": meta}));
        std::thread::sleep(Duration::from_micros(300 * round));
        port.request("outrigger/calls/cancel", json!({"call": meta["dev.outrigger/call"]}));
        let answer = port.answer_to(&id)["result"].clone();
        let was_there = world.workspace().join("p").exists();
        let again = port.call_with("fs_apply_patch", patch.clone(), meta.clone());
        assert_eq!(code(&again), code(&answer), "round {round}: {again:#}");
        assert_eq!(world.workspace().join("p").exists(), was_there, "round {round}: {answer:#}");
        if code(&answer) == "cancelled" {
            stopped += 1;
            let known = port.request("outrigger/calls/get", json!({"call": meta["dev.outrigger/call"]}));
            assert_eq!(known["result"]["state"], "finished", "round {round}: {known:#}");
        }
        let _ = std::fs::remove_dir_all(world.workspace().join("p"));
    }
    assert!(stopped > 0, "none was stopped in time");
}

/// The end of a call that could not be recorded when it came is known to an undo of the same host.
#[test]
fn a_call_whose_end_could_not_be_recorded_can_be_undone() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    let meta = key();
    let journal = world.state().join("journal.sqlite");
    let finished = "CREATE TRIGGER no_end BEFORE UPDATE ON calls WHEN new.state = 'finished' BEGIN SELECT RAISE(ABORT, 'no'); END";
    let database = rusqlite::Connection::open(&journal).unwrap();
    let edit = json!({"path": "a.txt", "edits": [{"old_text": "one", "new_text": "two"}]});
    // The tables are there once a call was made.
    port.call_allowed("fs_write", json!({"path": "b.txt", "content": "b"}), key());
    database.execute_batch(finished).unwrap();
    let edited = port.call_allowed("fs_edit", edit, meta.clone());
    assert!(edited.to_string().contains("could not record how this call ended"), "{edited:#}");
    database.execute_batch("DROP TRIGGER no_end").unwrap();
    let undone =
        port.request("outrigger/turns/undo", json!({"turn": meta["dev.outrigger/call"]}))["result"].clone();
    assert_eq!(undone["state"], "done", "{undone:#}");
    assert_eq!(world.read("a.txt"), "one\n");
}

/// What would have been put right is not what is wrong.
#[test]
fn an_error_is_that_of_the_arguments_as_they_were_meant() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    for (tool, arguments, told) in [
        ("fs_read", json!({"file_path": "a.txt", "line_numbers": "yes"}), "at `line_numbers`"),
        ("fs_read", json!({"file_path": "a.txt", "limit": "x"}), "at `limit`"),
        ("fs_list", json!({"dir_path": ".", "detail": "1"}), "at `detail`"),
        ("search_grep", json!({"query": "one", "case": "bogus"}), "at `case`"),
        ("fs_apply_patch", json!({"diff": "x", "dry_run": true}), "unknown field `dry_run`"),
        ("fs_edit", json!({"file_path": "a.txt", "old_string": "one"}), "missing field `new_text`"),
        ("fs_read", json!({"path": "a.txt", "limti": "x", "limit": "y"}), "at `limit`"),
    ] {
        let told_instead = port.call(tool, arguments.clone())["structuredContent"].clone();
        assert_eq!(told_instead["code"], "invalid_args", "{arguments}");
        let message = told_instead["message"].as_str().unwrap();
        assert!(message.contains(told), "{arguments}: {told} is not in {message}");
    }
}

#[test]
fn what_a_caller_made_up_is_repeated_in_few_words() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let long = "x/".repeat(15_000);
    for (tool, arguments) in [
        ("exec_run", json!({"command": long})),
        ("search_grep", json!({"pattern": "(".repeat(30_000)})),
        ("search_glob", json!({"pattern": "[".repeat(3_000)})),
        ("fs_read", json!({long.clone(): 1})),
    ] {
        let told = port.call(tool, arguments)["structuredContent"].clone();
        assert_eq!(told["ok"], false, "{tool}");
        let message = told["message"].as_str().unwrap();
        assert!(message.len() < 1500, "{tool}: {} bytes: {message}", message.len());
    }
}

/// What `fs_read` says of a path that leads to nothing, a search and a list say as well.
#[test]
fn what_is_no_handle_and_what_leads_to_nothing_is_said() {
    let world = World::new("");
    std::os::unix::fs::symlink("gone", world.workspace().join("link")).unwrap();
    let mut port = world.connect();
    port.hello();
    for (tool, arguments, told) in [
        ("search_grep", json!({"pattern": "x", "path": "out:x"}), "is no file and no handle"),
        ("fs_list", json!({"path": "out:x"}), "is no file and no handle"),
        ("search_grep", json!({"pattern": "x", "path": "link"}), "is a link to `gone`, which does not exist"),
    ] {
        let message = port.call(tool, arguments)["structuredContent"]["message"].clone();
        assert!(message.as_str().unwrap().contains(told), "{tool}: {message}");
    }
}
