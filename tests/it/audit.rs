//! The audit's rows: which command ran and how it ended, which branch and commit came of it; what did not happen does not look as if it
//! had.

use std::{thread, time::Duration};

use serde_json::{Value, json};

use crate::support::native::{Port, World};

/// A world whose command `script` runs its argument as a shell script.
fn world() -> World {
    World::new(
        "[tools]\nprofile = \"full\"\n[exec]\ndefaults = false\n\
         [[command]]\nid = \"script\"\nprogram = \"sh\"\nargs = [\"-c\"]\nsummary = \"Run a script\"\ndeny_flags = []\n\
         positional = \"any\"\nmax_args = 3\ntier = \"auto\"\n",
    )
}

fn rows(port: &mut Port) -> Vec<Value> {
    let answer = port.request("outrigger/audit/query", json!({"limit": 100}));
    answer["result"]["rows"].as_array().unwrap_or_else(|| panic!("{answer:#}")).clone()
}

fn last(port: &mut Port) -> Value {
    rows(port).pop().expect("a row")
}

fn audit(world: &World, args: &[&str]) -> String {
    let output = world.command().arg("audit").args(args).output().expect("outrigger");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn key() -> Value {
    json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/workspace": "app"})
}

#[test]
fn a_row_says_which_command_ran_and_how_it_ended() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    port.call("exec_run", json!({"command": "script", "args": ["echo hunter2; exit 3"]}));
    let row = last(&mut port);
    assert_eq!((&row["command"], &row["exit_code"]), (&json!("script"), &json!(3)), "{row:#}");
    assert_eq!(row["outcome"], "ok");
    assert!(!row.to_string().contains("hunter2"), "arguments and output stay out: {row:#}");
    port.call("exec_run", json!({"command": "script", "args": ["kill -TERM $$"]}));
    let row = last(&mut port);
    assert_eq!((row["signal"].as_str(), row.get("exit_code")), (Some("SIGTERM"), None), "{row:#}");
    // Refused ones say what was asked for, as far as it holds no secret.
    port.call("exec_run", json!({"command": "rm"}));
    assert_eq!(last(&mut port)["command"], "rm");
    port.call("exec_run", json!({"command": "script", "args": [".env"]}));
    let row = last(&mut port);
    assert_eq!((&row["command"], &row["decision"]), (&json!("script"), &json!("refused")), "{row:#}");
    let secret = concat!("AKIA", "QYLPMN5HFIQR7XYA");
    port.call("exec_run", json!({"command": secret}));
    let row = last(&mut port);
    assert!(row["command"].is_string() && !row.to_string().contains(secret), "{row:#}");
    // What only touches files is written as it always was.
    port.call("fs_list", json!({}));
    let row = last(&mut port);
    assert!(["command", "exit_code", "branch", "refs"].iter().all(|name| row.get(name).is_none()), "{row:#}");
    drop(port);
    let table = audit(&world, &[]);
    for words in ["exit 3", "SIGTERM", "script", "workspace", "app"] {
        assert!(table.contains(words), "{words}: {table}");
    }
    let csv = audit(&world, &["--format", "csv"]);
    assert!(csv.lines().next().is_some_and(|names| names.contains("command,exit_code,signal,branch,commit")));
    assert!(csv.contains(",script,3,"), "{csv}");
    audit(&world, &["--verify"]);
}

#[test]
fn a_row_says_which_branch_and_which_commit() {
    let world = world();
    let git = |args: &[&str]| {
        let output = crate::world::git_command(&world.workspace()).args(args).output().expect("git");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text").trim().to_owned()
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["config", "user.name", "Ann"]);
    git(&["config", "user.email", "ann@example.org"]);
    world.write("a.txt", "one\n");
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    let mut port = world.connect();
    port.hello();
    port.call_allowed("git_switch", json!({"branch": "topic", "create": true}), key());
    let row = last(&mut port);
    let head = git(&["rev-parse", "HEAD"]);
    assert_eq!((&row["branch"], &row["commit"]), (&json!("topic"), &json!(head)), "{row:#}");
    world.write("a.txt", "two\n");
    git(&["add", "."]);
    port.call_allowed("git_commit", json!({"message": "second"}), key());
    let row = last(&mut port);
    let head = git(&["rev-parse", "HEAD"]);
    assert_eq!((&row["branch"], &row["commit"]), (&json!("topic"), &json!(head)), "{row:#}");
    drop(port);
    let table = audit(&world, &[]);
    assert!(table.contains("topic") && table.contains(&head[..12]), "{table}");
}

#[test]
fn what_was_denied_does_not_look_as_if_it_was_done() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let patch = "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+x\n";
    for (tool, arguments) in [
        ("fs_write", json!({"path": "new.txt", "content": "x"})),
        ("fs_apply_patch", json!({"patch": patch})),
    ] {
        let meta = key();
        let asked = port.call_with(tool, arguments.clone(), meta.clone());
        port.answer_plan(tool, arguments, meta, &asked, json!({"decision": "deny"}));
        let row = last(&mut port);
        assert_eq!((&row["decision"], row.get("changes")), (&json!("denied"), None), "{row:#}");
        assert_eq!(row["paths"], json!(["new.txt"]), "{row:#}");
    }
}

/// A patch names its files in its text, and a row names them whatever comes of it.
#[test]
fn a_row_says_what_a_patch_was_about() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let patch = |path: &str| format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n");
    port.call("fs_apply_patch", json!({"diff": patch("sub/.env") + &patch("more.txt")}));
    let row = last(&mut port);
    assert_eq!((&row["decision"], &row["outcome"]), (&json!("refused"), &json!("blocked_path")), "{row:#}");
    assert_eq!(row["paths"], json!(["sub/.env", "more.txt"]), "{row:#}");
    port.call_allowed("fs_apply_patch", json!({"patch": patch("made.txt") + &patch("again.txt")}), key());
    assert_eq!(last(&mut port)["outcome"], "ok");
    drop(port);
    let table = audit(&world, &["--tool", "fs_apply_patch"]);
    assert!(table.contains("made.txt, again.txt") || table.contains("again.txt, made.txt"), "{table}");
    assert!(audit(&world, &["--path", ".env"]).contains("sub/.env, more.txt"));
    let sheet = audit(&world, &["--tool", "fs_apply_patch", "--format", "csv"]);
    assert!(sheet.contains("sub/.env more.txt") && sheet.contains("made.txt"), "{sheet}");
}

/// What a call means is put right where it is prepared; a row names it all the same.
#[test]
fn a_row_names_what_was_given_by_another_name() {
    let world = world();
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    for (tool, arguments, paths) in [
        ("fs_read", json!({"file_path": "a.txt"}), json!(["a.txt"])),
        ("fs_read", json!({"filePath": ".env"}), json!([".env"])),
        ("fs_list", json!({"dir": "."}), json!(["."])),
        ("git_add", json!({"files": ["a.txt", "b.txt"]}), json!(["a.txt", "b.txt"])),
        (
            "fs_move",
            json!({"source": "a.txt", "destination": ".env", "copy": true}),
            json!(["a.txt", ".env"]),
        ),
        ("fs_read", json!({"path": "a.txt", "file_path": "b.txt"}), json!(["a.txt"])),
    ] {
        port.call(tool, arguments.clone());
        assert_eq!(last(&mut port)["paths"], paths, "{tool} {arguments}");
    }
    for arguments in [json!({"cmd": "script", "args": ["true"]}), json!({"cmd": "script", "args": [".env"]})]
    {
        port.call("exec_run", arguments.clone());
        assert_eq!(last(&mut port)["command"], "script", "{arguments}");
    }
}

/// A row has no room for all of them, and says so.
#[test]
fn paths_that_a_row_does_not_name_are_counted() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let paths: Vec<String> = (0..53).map(|number| format!("f{number}")).collect();
    port.call("git_add", json!({"paths": paths}));
    let row = last(&mut port);
    assert_eq!((row["paths"].as_array().map(Vec::len), &row["paths_left"]), (Some(50), &json!(3)), "{row:#}");
    drop(port);
    assert!(audit(&world, &[]).contains("and 3 more"));
}

/// That it was cut off comes first, and what became of it once, however often somebody asks.
#[test]
fn a_command_that_was_cut_off_leaves_two_rows_in_order() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let arguments = json!({"command": "script", "args": ["touch begun; sleep 60"]});
    let meta = key();
    port.begin("tools/call", json!({"name": "exec_run", "arguments": arguments, "_meta": meta}));
    let begun = world.workspace().join("begun");
    assert!((0..3000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        begun.exists()
    }));
    port.child.kill().expect("killed");
    port.child.wait().expect("ended");
    for _ in 0..2 {
        let mut port = world.connect();
        port.hello();
        for _ in 0..2 {
            let told = port.call_with("exec_run", arguments.clone(), meta.clone());
            assert_eq!(told["structuredContent"]["code"], "outcome_unknown", "{told:#}");
        }
        let outcomes: Vec<String> =
            rows(&mut port).iter().filter_map(|row| row["outcome"].as_str().map(str::to_owned)).collect();
        assert_eq!(outcomes, ["cut_off", "outcome_unknown"]);
    }
}
