//! Undo where a turn has changed more than one workspace, or where a workspace's id names another folder by now.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::native::{Port, World};

/// A world with the workspaces `app` and `lib`, beside each other.
fn two() -> (World, PathBuf) {
    let world = World::new("[tools]\ntier = { fs_write = \"auto\", fs_edit = \"auto\" }");
    let lib = world.workspace().parent().unwrap().join("lib");
    std::fs::create_dir(&lib).unwrap();
    let config = std::fs::read_to_string(world.config()).unwrap();
    world.configure(&format!("{config}\n[[workspace]]\nid = \"lib\"\npath = {:?}\n", lib.to_str().unwrap()));
    (world, lib)
}

fn meta(turn: &str) -> Value {
    json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/turn": turn})
}

fn call(port: &mut Port, tool: &str, arguments: Value, turn: &str) {
    let done = port.call_with(tool, arguments, meta(turn));
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
}

fn edit(port: &mut Port, path: &str, turn: &str) {
    let edits = json!([{"old_text": "one", "new_text": "two"}]);
    call(port, "fs_edit", json!({"path": path, "edits": edits}), turn);
}

fn control(port: &mut Port, method: &str, params: Value) -> Value {
    let answer = port.request(&format!("outrigger/turns/{method}"), params);
    assert!(answer.get("result").is_some(), "{answer:#}");
    answer["result"].clone()
}

fn paths(report: &Value) -> Vec<&str> {
    let mut paths: Vec<&str> =
        report["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    paths.sort_unstable();
    paths
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn each_path_of_a_turn_goes_back_in_its_own_workspace() {
    let (world, lib) = two();
    let mut port = world.connect();
    port.hello();
    world.write("x.txt", "app one\n");
    std::fs::write(lib.join("x.txt"), "lib one\n").unwrap();
    // The same path and bytes as the turn's own file in the other workspace, and somebody else's.
    std::fs::write(lib.join("new.txt"), "new\n").unwrap();
    call(&mut port, "fs_write", json!({"path": "new.txt", "content": "new\n"}), "t");
    edit(&mut port, "x.txt", "t");
    edit(&mut port, "lib:x.txt", "t");
    let all = ["app:new.txt", "app:x.txt", "x.txt"];
    let listed = control(&mut port, "list", json!({}));
    assert_eq!(listed["turns"][0]["workspace"], "lib", "{listed:#}");
    assert_eq!(listed["turns"][0]["paths"], json!(["x.txt", "app:x.txt", "app:new.txt"]), "{listed:#}");
    let diff = control(&mut port, "diff", json!({"turn": "t"}));
    assert_eq!(paths(&diff), all, "{diff:#}");
    assert_eq!(diff["files"][0]["hunks"][0]["lines"], json!(["-lib one", "+lib two"]), "{diff:#}");
    let dry = control(&mut port, "undo", json!({"turn": "t", "dry_run": true}));
    assert_eq!((dry["state"].as_str(), paths(&dry)), (Some("dry_run"), all.to_vec()), "{dry:#}");
    // With a key of its own it happens once, also when it is asked again.
    let undo = json!({"turn": "t", "call": outrigger::ids::new_ulid()});
    for _ in 0..2 {
        let undone = control(&mut port, "undo", undo.clone());
        assert_eq!((undone["state"].as_str(), paths(&undone)), (Some("done"), all.to_vec()), "{undone:#}");
        assert!(undone["files"].as_array().unwrap().iter().all(|file| file["done"] == true), "{undone:#}");
    }
    assert!(!world.workspace().join("new.txt").exists());
    assert_eq!((world.read("x.txt").as_str(), read(&lib, "x.txt").as_str()), ("app one\n", "lib one\n"));
    assert_eq!(read(&lib, "new.txt"), "new\n");
    assert_eq!(control(&mut port, "diff", json!({"turn": "t"}))["state"], "undone");
    let redone = control(&mut port, "redo", json!({"turn": "t"}));
    assert_eq!((redone["state"].as_str(), paths(&redone)), (Some("done"), all.to_vec()), "{redone:#}");
    assert_eq!((world.read("x.txt").as_str(), read(&lib, "x.txt").as_str()), ("app two\n", "lib two\n"));
    assert_eq!(world.read("new.txt"), "new\n");
}

/// All that was named is put back, and that is not all of the turn.
#[test]
fn what_is_left_in_a_workspace_that_was_not_named_is_told() {
    let (world, lib) = two();
    let mut port = world.connect();
    port.hello();
    for path in ["one.txt", "lib:two.txt", "lib:three.txt"] {
        call(&mut port, "fs_write", json!({"path": path, "content": "new\n"}), "t");
    }
    let whole_path = lib.join("two.txt");
    let key = outrigger::ids::new_ulid();
    let rows = [
        (json!({"paths": ["app:one.txt"], "call": key}), "partly", "app:one.txt"),
        (json!({"paths": ["app:one.txt"], "call": key}), "partly", "app:one.txt"),
        (json!({"paths": [whole_path]}), "partly", "two.txt"),
        (json!({"paths": ["lib:three.txt"]}), "done", "three.txt"),
    ];
    for (mut params, state, path) in rows {
        params["turn"] = json!("t");
        let undone = control(&mut port, "undo", params);
        assert_eq!((undone["state"].as_str(), paths(&undone)), (Some(state), vec![path]), "{undone:#}");
    }
    assert!(!lib.join("three.txt").exists() && !world.workspace().join("one.txt").exists());
}

#[test]
fn what_stands_in_the_way_in_one_workspace_does_in_all() {
    let (world, lib) = two();
    let mut port = world.connect();
    port.hello();
    world.write("x.txt", "one\n");
    std::fs::write(lib.join("x.txt"), "one\n").unwrap();
    edit(&mut port, "x.txt", "t");
    edit(&mut port, "lib:x.txt", "t");
    world.write("x.txt", "somebody else\n");
    let conflict = control(&mut port, "undo", json!({"turn": "t"}));
    assert_eq!(
        (conflict["state"].as_str(), paths(&conflict)),
        (Some("conflict"), vec!["app:x.txt", "x.txt"])
    );
    assert_eq!((world.read("x.txt").as_str(), read(&lib, "x.txt").as_str()), ("somebody else\n", "two\n"));
    // A path is named as the report names it.
    let part = control(&mut port, "undo", json!({"turn": "t", "paths": ["x.txt"]}));
    assert_eq!((part["state"].as_str(), paths(&part)), (Some("partly"), vec!["x.txt"]), "{part:#}");
    assert_eq!((world.read("x.txt").as_str(), read(&lib, "x.txt").as_str()), ("somebody else\n", "one\n"));
    let rest = control(&mut port, "undo", json!({"turn": "t", "paths": ["app:x.txt"], "overwrite": true}));
    assert_eq!((rest["state"].as_str(), paths(&rest)), (Some("done"), vec!["app:x.txt"]), "{rest:#}");
    assert_eq!((world.read("x.txt").as_str(), read(&lib, "x.txt").as_str()), ("one\n", "one\n"));
    // What was somebody else's comes back by the key of that undo.
    let back = control(&mut port, "undo", json!({"turn": rest["call"]}));
    assert_eq!((back["state"].as_str(), world.read("x.txt").as_str()), (Some("done"), "somebody else\n"));
}

/// The key of the report stands for all that the undo did, in each of the workspaces.
#[test]
fn what_an_undo_replaced_in_two_workspaces_comes_back_by_one_key() {
    let (world, lib) = two();
    let mut port = world.connect();
    port.hello();
    for key in [None, Some(outrigger::ids::new_ulid())] {
        let turn = outrigger::ids::new_ulid();
        world.write("x.txt", "one\n");
        std::fs::write(lib.join("x.txt"), "one\n").unwrap();
        edit(&mut port, "x.txt", &turn);
        edit(&mut port, "lib:x.txt", &turn);
        let both = || (world.read("x.txt"), read(&lib, "x.txt"));
        let pair = |app: &str, lib: &str| (app.to_owned(), lib.to_owned());
        world.write("x.txt", "mine\n");
        std::fs::write(lib.join("x.txt"), "mine, too\n").unwrap();
        let mut params = json!({"turn": turn, "overwrite": true});
        if let Some(key) = &key {
            params["call"] = json!(key);
        }
        let undone = control(&mut port, "undo", params);
        assert_eq!((&undone["state"], both()), (&json!("done"), pair("one\n", "one\n")), "{undone:#}");
        let listed = control(&mut port, "list", json!({}));
        let replaced = json!([{"call": undone["call"], "paths": ["x.txt", "app:x.txt"]}]);
        assert_eq!(listed["turns"][0]["replaced"], replaced, "{listed:#}");
        // Asked again with its own key it does nothing more.
        let back = json!({"turn": undone["call"], "call": outrigger::ids::new_ulid()});
        for _ in 0..2 {
            let back = control(&mut port, "undo", back.clone());
            assert_eq!((&back["state"], &back["direction"]), (&json!("done"), &json!("redo")), "{back:#}");
            assert_eq!((paths(&back), both()), (vec!["app:x.txt", "x.txt"], pair("mine\n", "mine, too\n")));
        }
        let listed = control(&mut port, "list", json!({}));
        assert_eq!(listed["turns"][0]["replaced"], json!([]), "{listed:#}");
        // A part of it can be named.
        let again = control(&mut port, "undo", json!({"turn": turn, "overwrite": true}));
        let part = control(&mut port, "undo", json!({"turn": again["call"], "paths": ["app:x.txt"]}));
        assert_eq!((&part["state"], both()), (&json!("partly"), pair("mine\n", "one\n")), "{part:#}");
        let listed = control(&mut port, "list", json!({}));
        assert_eq!(listed["turns"][0]["replaced"][0]["paths"], json!(["x.txt"]), "{listed:#}");
    }
}

/// What was asked for and done stays what it was, wherever the turn goes on.
#[test]
fn an_undo_asked_again_is_the_same_after_its_turn_went_on_elsewhere() {
    let (world, lib) = two();
    let mut port = world.connect();
    port.hello();
    for named in [json!([]), json!(["x.txt"]), json!(["app:x.txt"])] {
        let turn = outrigger::ids::new_ulid();
        world.write("x.txt", "one\n");
        world.write("y.txt", "one\n");
        std::fs::write(lib.join("x.txt"), "one\n").unwrap();
        edit(&mut port, "x.txt", &turn);
        edit(&mut port, "y.txt", &turn);
        let undo = json!({"turn": turn, "call": outrigger::ids::new_ulid(), "paths": named});
        let first = control(&mut port, "undo", undo.clone());
        assert_eq!(world.read("x.txt"), "one\n", "{first:#}");
        edit(&mut port, "lib:x.txt", &turn);
        assert_eq!(control(&mut port, "undo", undo.clone()), first);
        assert_eq!(read(&lib, "x.txt"), "two\n");
    }
    // The same where it was done in both: unnamed paths are those of the workspace that it was then.
    let turn = outrigger::ids::new_ulid();
    world.write("x.txt", "one\n");
    std::fs::write(lib.join("x.txt"), "one\n").unwrap();
    edit(&mut port, "x.txt", &turn);
    edit(&mut port, "lib:x.txt", &turn);
    let undo = json!({"turn": turn, "call": outrigger::ids::new_ulid(), "paths": ["x.txt", "app:x.txt"]});
    let first = control(&mut port, "undo", undo.clone());
    assert_eq!((world.read("x.txt").as_str(), read(&lib, "x.txt").as_str()), ("one\n", "one\n"));
    call(&mut port, "fs_write", json!({"path": "later.txt", "content": "later\n"}), &turn);
    assert_eq!(control(&mut port, "undo", undo), first);
}

#[test]
fn another_folder_under_the_same_id_is_left_alone() {
    let (world, lib) = two();
    let config = std::fs::read_to_string(world.config()).unwrap();
    let meta = meta("t");
    let write = json!({"path": "new.txt", "content": "new\n"});
    {
        let mut port = world.connect();
        port.hello();
        world.write("x.txt", "one\n");
        edit(&mut port, "x.txt", "t");
        let done = port.call_with("fs_write", write, meta);
        assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
    }
    // A clone has the same files.
    let clone = world.workspace().parent().unwrap().join("clone");
    std::fs::create_dir(&clone).unwrap();
    for (name, text) in [("x.txt", "two\n"), ("new.txt", "new\n")] {
        std::fs::write(clone.join(name), text).unwrap();
    }
    let app = format!("path = {:?}", world.workspace().to_str().unwrap());
    world.configure(&config.replace(&app, &format!("path = {:?}", clone.to_str().unwrap())));
    let mut port = world.connect();
    port.hello();
    for method in ["undo", "redo"] {
        let refused = port.request(&format!("outrigger/turns/{method}"), json!({"turn": "t"}));
        if method == "undo" {
            assert_eq!(refused["error"]["data"]["reason"], "unknown_workspace", "{refused:#}");
            let words = refused["error"]["message"].as_str().unwrap();
            assert!(words.contains(world.workspace().to_str().unwrap()), "{words}");
        }
    }
    assert_eq!((read(&clone, "x.txt").as_str(), read(&clone, "new.txt").as_str()), ("two\n", "new\n"));
    drop(port);
    world.configure(&config);
    let mut port = world.connect();
    port.hello();
    let undone = control(&mut port, "undo", json!({"turn": "t"}));
    assert_eq!(
        (undone["state"].as_str(), world.read("x.txt").as_str()),
        (Some("done"), "one\n"),
        "{undone:#}"
    );
    assert!(lib.exists() && !world.workspace().join("new.txt").exists());
}

#[test]
fn a_call_is_the_same_to_its_key_with_its_workspace_named_or_not() {
    let (world, _) = two();
    let mut port = world.connect();
    port.hello();
    let write = json!({"path": "new.txt", "content": "new\n"});
    let mut meta = meta("t");
    let first = port.call_with("fs_write", write.clone(), meta.clone());
    assert_eq!(first["structuredContent"]["ok"], true, "{first:#}");
    meta["dev.outrigger/workspace"] = json!("app");
    let again = port.call_with("fs_write", write.clone(), meta.clone());
    assert_eq!(again["_meta"]["dev.outrigger/replayed"], json!(true), "{again:#}");
    meta["dev.outrigger/workspace"] = json!("lib");
    let other = port.call_with("fs_write", write, meta);
    assert_eq!(other["structuredContent"]["code"], "invalid_args", "{other:#}");
}

#[test]
fn a_file_that_is_named_like_a_path_of_a_workspace_goes_back_by_the_name_that_is_told() {
    let (world, _) = two();
    let mut port = world.connect();
    port.hello();
    call(&mut port, "fs_write", json!({"path": "./lib:q", "content": "x\n"}), "t");
    let told = control(&mut port, "diff", json!({"turn": "t"}))["files"][0]["path"].clone();
    let undone = control(&mut port, "undo", json!({"turn": "t", "paths": [told]}));
    assert_eq!(undone["state"], "done", "{undone:#}");
    assert!(!world.workspace().join("lib:q").exists());
}

#[test]
fn an_undo_has_the_key_that_it_was_given_whatever_is_left_to_do() {
    let (world, lib) = two();
    let mut port = world.connect();
    port.hello();
    world.write("x.txt", "one\n");
    std::fs::write(lib.join("x.txt"), "one\n").unwrap();
    edit(&mut port, "x.txt", "t");
    edit(&mut port, "lib:x.txt", "t");
    // The part of the workspace that leads the list is undone already.
    let first = control(&mut port, "undo", json!({"turn": "t", "paths": ["x.txt"]}));
    assert_eq!(paths(&first), ["x.txt"], "{first:#}");
    let key = outrigger::ids::new_ulid();
    let undone = control(&mut port, "undo", json!({"turn": "t", "call": key}));
    assert_eq!((&undone["state"], &undone["call"]), (&json!("done"), &json!(key)), "{undone:#}");
    assert_eq!(control(&mut port, "undo", json!({"turn": "t", "call": key})), undone);
}

/// Each of the two names knows a part of what became of the file.
#[test]
fn what_a_turn_changed_under_two_names_is_undone_call_by_call() {
    let world = World::new("[tools]\ntier = { fs_write = \"auto\", fs_edit = \"auto\" }");
    world.write("in/x.txt", "one\n");
    let config = std::fs::read_to_string(world.config()).unwrap();
    let inner = std::fs::canonicalize(world.workspace()).unwrap().join("in");
    world.configure(&format!(
        "{config}\n[[workspace]]\nid = \"inner\"\npath = {:?}\n",
        inner.to_str().unwrap()
    ));
    let mut port = world.connect();
    port.hello();
    let mut keys = Vec::new();
    for (path, old, new) in [("in/x.txt", "one", "two"), ("inner:x.txt", "two", "three")] {
        let meta = meta("t");
        keys.push(meta["dev.outrigger/call"].clone());
        let edits = json!([{"old_text": old, "new_text": new}]);
        let done = port.call_with("fs_edit", json!({"path": path, "edits": edits}), meta);
        assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
    }
    for more in [json!({}), json!({"overwrite": true}), json!({"skip_conflicts": true})] {
        let mut params = json!({"turn": "t"});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let report = control(&mut port, "undo", params);
        assert_eq!(report["state"], "conflict", "{report:#}");
        assert!(report["files"][0]["conflict"].as_str().unwrap().contains("one by one"), "{report:#}");
        assert_eq!(world.read("in/x.txt"), "three\n");
    }
    for (key, text) in keys.iter().rev().zip(["two\n", "one\n"]) {
        let report = control(&mut port, "undo", json!({"turn": key}));
        assert_eq!(report["state"], "done", "{report:#}");
        assert_eq!(world.read("in/x.txt"), text);
    }
    for (key, text) in keys.iter().zip(["two\n", "three\n"]) {
        assert_eq!(control(&mut port, "redo", json!({"turn": key}))["state"], "done");
        assert_eq!(world.read("in/x.txt"), text);
    }
}
