//! What belongs to a file beside its bytes: its owner, its list of rights, its other attributes. They come back as they were, and
//! nobody gets more than they had.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown},
    path::Path,
};

use rustix::fs::XattrFlags;
use serde_json::{Value, json};

use crate::{
    support::native::{Port, World},
    world::git_command,
};

const LIST: &str = "system.posix_acl_access";
const HANDED_ON: &str = "system.posix_acl_default";
const NOTE: &str = "user.outrigger";
/// A group that is not the tests' own, where they run as root.
const OTHERS: u32 = 4711;

/// A list of rights: the owner's, those of the user 4242, the group's, the most that both may have, everybody else's.
fn list([owner, somebody, group, mask, others]: [u16; 5]) -> Vec<u8> {
    let none = u32::MAX;
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, number) in
        [(1_u16, owner, none), (2, somebody, 4242), (4, group, none), (16, mask, none), (32, others, none)]
    {
        list.extend([tag.to_le_bytes(), rights.to_le_bytes()].concat());
        list.extend(number.to_le_bytes());
    }
    list
}

/// False where files have no such attributes.
fn set(world: &World, path: &str, name: &str, value: &[u8]) -> bool {
    rustix::fs::setxattr(world.workspace().join(path), name, value, XattrFlags::empty()).is_ok()
}

fn chmod(world: &World, path: &str, mode: u32) {
    fs::set_permissions(world.workspace().join(path), fs::Permissions::from_mode(mode)).unwrap();
}

/// All that is in the workspace, with its owner, its mode and its attributes.
fn tree(world: &World) -> BTreeMap<String, String> {
    fn look(root: &Path, folder: &Path, into: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if name == ".git" {
                continue;
            }
            let metadata = fs::symlink_metadata(&path).unwrap();
            let mut names = vec![0; 4096];
            let length = rustix::fs::listxattr(&path, &mut names[..]).unwrap_or(0);
            let mut attributes = BTreeMap::new();
            for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
                let mut value = vec![0; 4096];
                let length = rustix::fs::getxattr(&path, name, &mut value[..]).unwrap();
                attributes.insert(String::from_utf8(name.to_vec()).unwrap(), value[..length].to_vec());
            }
            let content = if metadata.is_dir() {
                look(root, &path, into);
                "folder".to_owned()
            } else {
                format!("{:?}", fs::read_to_string(&path).unwrap())
            };
            let (mode, user, group) = (metadata.mode() & 0o7777, metadata.uid(), metadata.gid());
            into.insert(name, format!("{content} {mode:o} {user}:{group} {attributes:?}"));
        }
    }
    let mut found = BTreeMap::new();
    look(&world.workspace(), &world.workspace(), &mut found);
    found
}

fn connect(world: &World) -> Port {
    let mut port = world.connect();
    port.hello();
    port
}

fn call(port: &mut Port, turn: &str, (tool, arguments): &(&str, Value)) {
    let meta = json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/workspace": "app",
        "dev.outrigger/session": "s1", "dev.outrigger/turn": turn});
    let done = port.call_allowed(tool, arguments.clone(), meta);
    assert_eq!(done["structuredContent"]["ok"], true, "{tool}: {done:#}");
}

fn turned(port: &mut Port, way: &str, turn: &str) {
    let report = port.request(&format!("outrigger/turns/{way}"), json!({"turn": turn}))["result"].clone();
    assert_eq!(report["state"], "done", "{way} {turn}: {report:#}");
}

/// These calls, taken back and made again: each time all is as it was then.
fn back_and_forth(world: &World, port: &mut Port, turn: &str, calls: &[(&str, Value)]) {
    let before = tree(world);
    for made in calls {
        call(port, turn, made);
    }
    let after = tree(world);
    for _ in 0..2 {
        turned(port, "undo", turn);
        assert_eq!(tree(world), before, "undo {turn}");
        turned(port, "redo", turn);
        assert_eq!(tree(world), after, "redo {turn}");
    }
    turned(port, "undo", turn);
}

fn edit(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    ("fs_edit", json!({"path": path, "edits": [{"old_text": old, "new_text": new}]}))
}

fn patch(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    let patch = format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n");
    ("fs_apply_patch", json!({"patch": patch}))
}

fn overwrite(path: &str) -> (&'static str, Value) {
    ("fs_write", json!({"path": path, "content": "new\n", "mode": "overwrite"}))
}

fn moved(from: &str, to: &str, copy: bool) -> (&'static str, Value) {
    ("fs_move", json!({"from": from, "to": to, "overwrite": true, "copy": copy}))
}

/// The group may nothing, although the mode says that it may what the list allows at most.
const CLOSED_TO_THE_GROUP: [u16; 5] = [6, 6, 0, 6, 0];

#[test]
fn what_was_patched_and_then_written_in_one_turn_is_redone_with_its_attributes() {
    let world = World::new("");
    for path in ["edited", "written", "twice"] {
        world.write(path, "one\ntwo\n");
        if !set(&world, path, NOTE, b"kept") || !set(&world, path, LIST, &list(CLOSED_TO_THE_GROUP)) {
            eprintln!("skipped: no extended attributes or no lists of rights here");
            return;
        }
    }
    let mut port = connect(&world);
    let calls = [patch("edited", "one", "1"), edit("edited", "two", "2")];
    back_and_forth(&world, &mut port, "edited", &calls);
    let calls = [patch("written", "one", "1"), overwrite("written")];
    back_and_forth(&world, &mut port, "written", &calls);
    let calls = [patch("twice", "one", "1"), edit("twice", "two", "2"), patch("twice", "1", "one")];
    back_and_forth(&world, &mut port, "twice", &calls);
}

/// Whatever stands there by then: a file is put back over it as it was, and with nothing of what the other one had.
#[test]
fn what_was_written_comes_back_over_another_file_with_its_attributes() {
    let other: &str = "user.other";
    for remove_only in [true, false] {
        let world = World::new("");
        let mut port = connect(&world);
        for (path, made) in [
            ("edited", edit("edited", "one", "1")),
            ("written", overwrite("written")),
            ("patched", patch("patched", "one", "1")),
        ] {
            world.write(path, "one\n");
            if !set(&world, path, NOTE, b"kept") || !set(&world, path, LIST, &list(CLOSED_TO_THE_GROUP)) {
                eprintln!("skipped: no extended attributes or no lists of rights here");
                return;
            }
            let before = tree(&world)[path].clone();
            call(&mut port, path, &made);
            fs::remove_file(world.workspace().join(path)).unwrap();
            if !remove_only {
                world.write(path, "other\n");
                set(&world, path, other, b"open");
                set(&world, path, LIST, &list([7, 7, 7, 7, 7]));
            }
            let foreign = tree(&world).get(path).cloned();
            let undo = |port: &mut Port, params: Value| {
                port.request("outrigger/turns/undo", params)["result"].clone()
            };
            let report = undo(&mut port, json!({"turn": path, "overwrite": true}));
            assert_eq!(report["state"], "done", "{report:#}");
            assert_eq!(tree(&world)[path], before, "{path}");
            // What it replaced had its own, and comes back with them.
            if foreign.is_some() {
                let report = undo(&mut port, json!({"turn": report["call"]}));
                assert_eq!(report["state"], "done", "{report:#}");
                assert_eq!(tree(&world).get(path).cloned(), foreign, "{path}");
            }
        }
    }
}

/// What somebody sets meanwhile is none of what calls changed: it stays, before their undo and after it.
#[test]
fn attributes_that_were_set_meanwhile_stay_when_calls_are_undone() {
    let world = World::new("");
    world.write("f", "one\n");
    if !set(&world, "f", NOTE, b"kept") {
        eprintln!("skipped: no extended attributes here");
        return;
    }
    let mut port = connect(&world);
    for made in
        [edit("f", "one", "two"), patch("f", "two", "three"), overwrite("f"), edit("f", "new", "last")]
    {
        call(&mut port, "t1", &made);
        let value = made.1.to_string();
        assert!(set(&world, "f", NOTE, &value.as_bytes()[..20]));
        assert!(set(&world, "f", &format!("user.{}", made.0), b"mine"));
    }
    let last = tree(&world)["f"].clone();
    for _ in 0..2 {
        turned(&mut port, "undo", "t1");
        assert_eq!(tree(&world)["f"], last.replace("last", "one"));
        turned(&mut port, "redo", "t1");
        assert_eq!(tree(&world)["f"], last);
    }
}

#[test]
fn what_git_puts_back_keeps_its_attributes() {
    let world = World::new("[tools]\nprofile = \"full\"\n");
    world.write("f", "one\n");
    let git = |arguments: &[&str]| {
        let done = git_command(&world.workspace()).args(arguments).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "f"]);
    git(&["commit", "-qm", "one"]);
    world.write("f", "two\n");
    if !set(&world, "f", NOTE, b"kept") || !set(&world, "f", LIST, &list(CLOSED_TO_THE_GROUP)) {
        eprintln!("skipped: no extended attributes or no lists of rights here");
        return;
    }
    let as_written = tree(&world);
    let mut port = connect(&world);
    let restore = ("git_restore", json!({"paths": ["f"]}));
    call(&mut port, "t1", &restore);
    let restored = as_written["f"].replace("two", "one");
    assert_eq!(tree(&world)["f"], restored);
    turned(&mut port, "undo", "t1");
    assert_eq!(tree(&world), as_written);
}

#[test]
fn what_was_replaced_by_a_file_of_another_group_comes_back_to_its_own() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let world = World::new("[tools]\nprofile = \"full\"\n");
    for (turn, others_first, copy) in
        [("t1", true, false), ("t2", true, true), ("t3", false, false), ("t4", false, true)]
    {
        for path in ["secret", "public"] {
            world.write(path, path);
            let group = if (path == "public") == others_first { Some(OTHERS) } else { None };
            chown(world.workspace().join(path), Some(0), group.or(Some(0))).unwrap();
            chmod(&world, path, 0o640);
        }
        let mut port = connect(&world);
        back_and_forth(&world, &mut port, turn, &[moved("public", "secret", copy)]);
    }
}

#[test]
fn a_file_of_ones_own_group_does_not_come_back_to_that_of_its_folder() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let world = World::new("[tools]\nprofile = \"full\"\n");
    world.write("d/secret", "old\n");
    world.write("d/deep/f", "old\n");
    chmod(&world, "d/secret", 0o640);
    chown(world.workspace().join("d"), None, Some(OTHERS)).unwrap();
    chmod(&world, "d", 0o2775);
    let mut port = connect(&world);
    back_and_forth(&world, &mut port, "t1", &[("fs_delete", json!({"path": "d/secret"}))]);
    back_and_forth(&world, &mut port, "t2", &[("fs_delete", json!({"path": "d/deep", "recursive": true}))]);
    // What is made in it is its group's, and is again.
    back_and_forth(&world, &mut port, "t3", &[("fs_write", json!({"path": "d/new/f", "content": "x\n"}))]);
}

/// A folder that lets the user 4242 do everything with what is made in it, and in it what was there before.
fn handing_on() -> Option<World> {
    let world = World::new("[tools]\nprofile = \"full\"\n");
    for (path, mode) in
        [("d/edited", 0o640), ("d/patched", 0o640), ("d/written", 0o660), ("d/deep/er/f", 0o600)]
    {
        world.write(path, "old\n");
        chmod(&world, path, mode);
    }
    chmod(&world, "d/deep", 0o750);
    world.write("own", "own\n");
    set(&world, "d", HANDED_ON, &list([7, 7, 5, 7, 5])).then_some(world)
}

#[test]
fn what_is_changed_in_a_folder_that_hands_on_a_list_of_rights_does_not_get_it() {
    let Some(world) = handing_on() else {
        eprintln!("skipped: no extended attributes or no lists of rights here");
        return;
    };
    let before = tree(&world);
    let mut port = connect(&world);
    let calls = [
        edit("d/edited", "old", "new"),
        patch("d/patched", "old", "new"),
        overwrite("d/written"),
        moved("own", "d/copy", true),
    ];
    for made in &calls {
        call(&mut port, "t1", made);
    }
    let after = tree(&world);
    for path in ["d/edited", "d/patched", "d/written"] {
        assert_eq!(after[path], before[path].replace("old", "new"), "{path}");
    }
    assert_eq!(after["d/copy"], before["own"]);
}

#[test]
fn what_comes_back_to_a_folder_that_hands_on_a_list_of_rights_does_not_get_it() {
    let Some(world) = handing_on() else {
        eprintln!("skipped: no extended attributes or no lists of rights here");
        return;
    };
    let mut port = connect(&world);
    for (turn, calls) in [
        ("edit", vec![edit("d/edited", "old", "new")]),
        ("patch", vec![patch("d/patched", "old", "new")]),
        ("write", vec![overwrite("d/written")]),
        ("out", vec![moved("d/edited", "elsewhere", false)]),
        ("over", vec![moved("own", "d/edited", false)]),
        ("delete", vec![("fs_delete", json!({"path": "d/deep", "recursive": true}))]),
        ("all", vec![("fs_delete", json!({"path": "d", "recursive": true}))]),
        ("patched", vec![patch("d/patched", "old", "new"), moved("d/patched", "d/deep/there", false)]),
    ] {
        back_and_forth(&world, &mut port, turn, &calls);
    }
}

#[test]
fn what_is_made_in_a_folder_that_hands_on_a_list_of_rights_has_it_again_after_a_redo() {
    let Some(world) = handing_on() else {
        eprintln!("skipped: no extended attributes or no lists of rights here");
        return;
    };
    let mut port = connect(&world);
    for (turn, calls) in [
        ("write", vec![("fs_write", json!({"path": "d/a/b/new", "content": "x\n"}))]),
        ("folder", vec![("fs_mkdir", json!({"path": "d/made"}))]),
        ("copy", vec![moved("d/deep", "d/copy", true)]),
        (
            "edited",
            vec![
                ("fs_write", json!({"path": "d/new", "content": "one\n"})),
                edit("d/new", "one", "two"),
                patch("d/new", "two", "three"),
                edit("d/new", "three", "four"),
            ],
        ),
    ] {
        back_and_forth(&world, &mut port, turn, &calls);
    }
    call(&mut port, "t1", &("fs_write", json!({"path": "d/new", "content": "x\n"})));
    assert!(tree(&world)["d/new"].contains(LIST));
    // What somebody takes away from it stays away.
    rustix::fs::removexattr(world.workspace().join("d/new"), LIST).unwrap();
    chmod(&world, "d/new", 0o600);
    let after = tree(&world);
    turned(&mut port, "undo", "t1");
    turned(&mut port, "redo", "t1");
    assert_eq!(tree(&world), after);
}

#[test]
fn a_copied_folder_is_closed_to_whom_it_was_closed() {
    let world = World::new("[tools]\nprofile = \"full\"\n");
    world.write("d/f", "x\n");
    if !set(&world, "d", LIST, &list([7, 7, 0, 7, 0])) {
        eprintln!("skipped: no extended attributes or no lists of rights here");
        return;
    }
    let mut port = connect(&world);
    call(&mut port, "t1", &moved("d", "copy", true));
    let all = tree(&world);
    assert_eq!((&all["copy"], &all["copy/f"]), (&all["d"], &all["d/f"]));
    turned(&mut port, "undo", "t1");
    turned(&mut port, "redo", "t1");
    assert_eq!(tree(&world), all);
}

#[test]
fn a_folder_that_is_gone_and_that_something_comes_back_into_is_told_and_closed_to_others() {
    let world = World::new("");
    for path in ["known/deep/secret", "unknown/secret"] {
        world.write(path, "secret\n");
    }
    chmod(&world, "known", 0o711);
    chmod(&world, "known/deep", 0o700);
    chmod(&world, "unknown", 0o700);
    let before = tree(&world);
    let mut port = connect(&world);
    call(&mut port, "t1", &("fs_delete", json!({"path": "known/deep/secret"})));
    call(&mut port, "t2", &("fs_delete", json!({"path": "known", "recursive": true})));
    call(&mut port, "t3", &("fs_delete", json!({"path": "unknown/secret"})));
    fs::remove_dir(world.workspace().join("unknown")).unwrap();
    for (turn, made) in
        [("t1", vec!["known", "known/deep", "known/deep/secret"]), ("t3", vec!["unknown", "unknown/secret"])]
    {
        let told = |port: &mut Port, is_look: bool| -> Vec<String> {
            let params = json!({"turn": turn, "dry_run": is_look});
            let report = port.request("outrigger/turns/undo", params)["result"].clone();
            assert_eq!(report["state"], if is_look { "dry_run" } else { "done" }, "{report:#}");
            let files = report["files"].as_array().unwrap().iter();
            files.map(|file| file["path"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(told(&mut port, true), made);
        assert_eq!(told(&mut port, false), made);
    }
    assert_eq!(tree(&world), before);
    turned(&mut port, "undo", "t2");
    assert_eq!(tree(&world), before);
}
