//! Whose a file is and who may do what with it: what a write keeps, what comes back with an undo, and what never does.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown},
};

use serde_json::{Value, json};

use crate::{
    fs_names::snapshot,
    support::native::{Port, World},
};

/// Somebody else, where the tests run as root.
const OTHER: u32 = 4711;

fn meta() -> Value {
    json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/workspace": "app",
        "dev.outrigger/session": "s1", "dev.outrigger/turn": "t1"})
}

fn set(world: &World, path: &str, mode: u32) {
    let path = world.workspace().join(path);
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    assert_eq!(fs::metadata(path).unwrap().mode() & 0o7777, mode, "the system keeps all bits here");
}

fn mode(world: &World, path: &str) -> u32 {
    fs::metadata(world.workspace().join(path)).unwrap().mode() & 0o7777
}

fn owner(world: &World, path: &str) -> (u32, u32) {
    let metadata = fs::metadata(world.workspace().join(path)).unwrap();
    (metadata.uid(), metadata.gid())
}

fn connect(world: &World) -> Port {
    let mut port = world.connect();
    port.hello();
    port
}

fn allowed(port: &mut Port, tool: &str, arguments: Value) -> Value {
    let result = port.call_allowed(tool, arguments, meta());
    assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
    result
}

fn turned(port: &mut Port, way: &str) {
    let report = port.request(&format!("outrigger/turns/{way}"), json!({"turn": "t1"}))["result"].clone();
    assert_eq!(report["state"], "done", "{way}: {report:#}");
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"path": path, "edits": [{"old_text": old, "new_text": new}]})
}

#[test]
fn all_bits_come_back_with_what_was_deleted() {
    let world = World::new("[tools]\nprofile = \"full\"\n");
    for (path, bits) in [("d/tool", 0o4755), ("d/group", 0o2755), ("d/plain", 0o640), ("d/all", 0o6711)] {
        world.write(path, path);
        set(&world, path, bits);
    }
    fs::create_dir_all(world.workspace().join("d/shared/drop")).unwrap();
    set(&world, "d/shared", 0o2775);
    set(&world, "d/shared/drop", 0o3777);
    let before = snapshot(&world.workspace());
    let mut port = connect(&world);
    let asked = port.call_with("fs_delete", json!({"path": "d", "recursive": true}), meta());
    assert!(!asked.to_string().contains("runs as its owner"), "{asked:#}");
    allowed(&mut port, "fs_delete", json!({"path": "d", "recursive": true}));
    let after = snapshot(&world.workspace());
    assert!(after.is_empty());
    for _ in 0..2 {
        turned(&mut port, "undo");
        assert_eq!(snapshot(&world.workspace()), before);
        turned(&mut port, "redo");
        assert_eq!(snapshot(&world.workspace()), after);
    }
}

#[test]
fn what_a_folder_hands_on_is_there_again_after_a_redo() {
    let world = World::new("[tools]\nprofile = \"full\"\n");
    world.write("g/have/f", "x\n");
    set(&world, "g/have", 0o755);
    set(&world, "g", 0o2775);
    let mut port = connect(&world);
    allowed(&mut port, "fs_write", json!({"path": "g/new/deep/f", "content": "x\n"}));
    allowed(&mut port, "fs_move", json!({"from": "g/have", "to": "g/copy", "copy": true}));
    allowed(&mut port, "fs_mkdir", json!({"path": "g/made"}));
    let after = snapshot(&world.workspace());
    for path in ["g/new", "g/new/deep", "g/copy", "g/made"] {
        assert_eq!(mode(&world, path) & 0o2000, 0o2000, "{path}");
    }
    for _ in 0..2 {
        turned(&mut port, "undo");
        turned(&mut port, "redo");
        assert_eq!(snapshot(&world.workspace()), after);
    }
}

#[test]
fn other_bytes_never_run_as_the_owner_of_the_old_ones() {
    let world = World::new("[tools]\nprofile = \"full\"\n");
    for path in ["edited", "written", "patched", "copied"] {
        world.write(path, "old\n");
        set(&world, path, 0o6755);
    }
    let before = snapshot(&world.workspace());
    let mut port = connect(&world);
    let patch = "--- a/patched\n+++ b/patched\n@@ -1 +1 @@\n-old\n+new\n";
    for (tool, arguments) in [
        ("fs_edit", edit("edited", "old", "new")),
        ("fs_write", json!({"path": "written", "content": "new\n", "mode": "overwrite", "executable": true})),
        ("fs_apply_patch", json!({"patch": patch})),
    ] {
        let result = allowed(&mut port, tool, arguments);
        let warnings = result["structuredContent"]["warnings"].to_string();
        assert!(warnings.contains("ran as its owner"), "{tool}: {result:#}");
    }
    allowed(&mut port, "fs_move", json!({"from": "copied", "to": "copy", "copy": true}));
    for path in ["edited", "written", "patched", "copy"] {
        assert_eq!(mode(&world, path), 0o755, "{path}");
    }
    let after = snapshot(&world.workspace());
    // The old bytes have what they had, and the new ones do not get it by a redo.
    turned(&mut port, "undo");
    assert_eq!(snapshot(&world.workspace()), before);
    turned(&mut port, "redo");
    assert_eq!(snapshot(&world.workspace()), after);
}

#[test]
fn permissions_that_change_while_a_person_looks_are_shown_and_kept() {
    let world = World::new("");
    for path in ["edited", "patched"] {
        world.write(path, "old\n");
        set(&world, path, 0o755);
    }
    let mut port = connect(&world);
    let patch = "--- a/patched\n+++ b/patched\n@@ -1 +1 @@\n-old\n+new\n";
    for (tool, path, arguments) in [
        ("fs_edit", "edited", edit("edited", "old", "new")),
        ("fs_apply_patch", "patched", json!({"patch": patch})),
    ] {
        let key = meta();
        let asked = port.call_with(tool, arguments.clone(), key.clone());
        let shown =
            |asked: &Value| asked["_meta"]["dev.outrigger/plan"]["preview"]["files"][0]["mode"].clone();
        assert_eq!(shown(&asked), "0755");
        set(&world, path, 0o600);
        let yes = json!({"decision": "allow"});
        let again = port.answer_plan(tool, arguments.clone(), key.clone(), &asked, yes.clone());
        assert_eq!((shown(&again), world.read(path).as_str()), (json!("0600"), "old\n"), "{again:#}");
        let result = port.answer_plan(tool, arguments, key, &again, yes);
        assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
        assert_eq!((world.read(path).as_str(), mode(&world, path)), ("new\n", 0o600), "{tool}");
    }
    turned(&mut port, "undo");
    for path in ["edited", "patched"] {
        assert_eq!((world.read(path).as_str(), mode(&world, path)), ("old\n", 0o600));
    }
}

#[test]
fn a_file_of_another_user_stays_theirs() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let world = World::new("[tools]\nprofile = \"full\"\n");
    for (path, bits) in [("edited", 0o640), ("patched", 0o644), ("moved", 0o600), ("gone", 0o4750)] {
        world.write(path, "old\n");
        chown(world.workspace().join(path), Some(OTHER), Some(OTHER)).unwrap();
        set(&world, path, bits);
    }
    let before = snapshot(&world.workspace());
    let mut port = connect(&world);
    allowed(&mut port, "fs_edit", edit("edited", "old", "new"));
    let patch = "--- a/patched\n+++ b/patched\n@@ -1 +1 @@\n-old\n+new\ndiff --git a/moved b/there\nrename from moved\nrename to there\n";
    allowed(&mut port, "fs_apply_patch", json!({"patch": patch}));
    allowed(&mut port, "fs_delete", json!({"path": "gone"}));
    let theirs = (OTHER, OTHER);
    for path in ["edited", "patched", "there"] {
        assert_eq!(owner(&world, path), theirs, "{path}");
    }
    assert_eq!((mode(&world, "edited"), mode(&world, "there")), (0o640, 0o600));
    turned(&mut port, "undo");
    assert_eq!(snapshot(&world.workspace()), before);
    for path in ["edited", "patched", "moved", "gone"] {
        assert_eq!(owner(&world, path), theirs, "{path}");
    }
}

/// A host that is nobody's in particular: permissions do not stop the superuser.
fn as_other(world: &World) -> Port {
    use std::os::unix::process::CommandExt as _;
    let own = outrigger::native::caller::own_extensions();
    let mut command = world.command();
    command.arg(&own[0]);
    if rustix::process::geteuid().is_root() {
        let folder = world.folder.path();
        for path in [folder.to_path_buf(), world.workspace(), world.config()] {
            chown(path, Some(OTHER), Some(OTHER)).unwrap();
        }
        command.env("HOME", folder).uid(OTHER).gid(OTHER);
    }
    let mut port = Port::spawn(&mut command);
    port.hello();
    port
}

fn give(world: &World, path: &str) {
    if rustix::process::geteuid().is_root() {
        chown(world.workspace().join(path), Some(OTHER), Some(OTHER)).unwrap();
    }
}

#[test]
fn a_folder_that_may_not_be_entered_is_named_and_not_the_program() {
    let world = World::new("[[command]]\nid = \"true\"\nprogram = \"/bin/true\"\ntier = \"auto\"\n");
    fs::create_dir(world.workspace().join("closed")).unwrap();
    give(&world, "closed");
    set(&world, "closed", 0o600);
    let mut port = as_other(&world);
    let said =
        port.call("exec_run", json!({"command": "true", "workdir": "closed"}))["structuredContent"].clone();
    assert_eq!(said["code"], "permission_denied", "{said:#}");
    assert_eq!(said["message"], "no command can run in `closed`: you may not enter this folder");
    set(&world, "closed", 0o700);
    let said =
        port.call("exec_run", json!({"command": "true", "workdir": "closed"}))["structuredContent"].clone();
    assert_eq!(said["ok"], true, "{said:#}");
}

#[test]
fn a_move_names_the_path_that_is_in_its_way() {
    let world = World::new("");
    for path in ["open/f", "closed/f"] {
        world.write(path, "x\n");
        give(&world, path);
        give(&world, path.split('/').next().unwrap());
    }
    set(&world, "closed", 0o500);
    let mut port = as_other(&world);
    for (from, to, named) in [("closed/f", "open/g", "closed/f"), ("open/f", "closed/g", "closed/g")] {
        let result = port.call_allowed("fs_move", json!({"from": from, "to": to}), meta());
        let said = &result["structuredContent"];
        assert_eq!(said["code"], "permission_denied", "{said:#}");
        let message = said["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("`{named}`: ")), "{from} to {to}: {message}");
    }
    set(&world, "closed", 0o700);
}

#[test]
fn a_disk_that_is_mounted_to_be_read_is_told_as_such() {
    let world = World::new("");
    world.write("ro/f", "old\n");
    let place = world.workspace().join("ro");
    let Some(_disk) = crate::journal_faults::ReadOnly::make(&place) else { return };
    let mut port = connect(&world);
    let delete = json!({"path": "ro/f"});
    let write = json!({"path": "ro/f", "content": "new\n", "mode": "overwrite"});
    for (tool, arguments) in
        [("fs_edit", edit("ro/f", "old", "new")), ("fs_write", write), ("fs_delete", delete)]
    {
        let first = port.call_with(tool, arguments.clone(), meta());
        let result = if first["resultType"] == "input_required" {
            port.call_allowed(tool, arguments, meta())
        } else {
            first
        };
        let said = &result["structuredContent"];
        assert_eq!(said["code"], "permission_denied", "{tool}: {said:#}");
        assert!(
            said["message"].as_str().unwrap().starts_with("`ro/f`: Read-only file system"),
            "{tool}: {said:#}"
        );
        assert!(said["hint"].as_str().unwrap().contains("(EROFS)"), "{tool}: {said:#}");
    }
}

/// Whoever may not give a file away gets it back as their own, and it never runs as somebody else then.
#[test]
fn what_cannot_be_given_back_is_said_before() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let world = World::new("");
    world.write("tool", "old\n");
    set(&world, "tool", 0o4755);
    let mut port = as_other(&world);
    let asked = port.call_with("fs_delete", json!({"path": "tool"}), meta());
    let reasons = &asked["_meta"]["dev.outrigger/plan"]["reasons"];
    let said = "`tool` runs as its owner: undo cannot give that back";
    assert!(reasons.as_array().unwrap().contains(&json!(said)), "{asked:#}");
    allowed(&mut port, "fs_delete", json!({"path": "tool"}));
    turned(&mut port, "undo");
    assert_eq!((owner(&world, "tool"), mode(&world, "tool")), ((OTHER, OTHER), 0o755));
}
