//! What belongs to a file beside its bytes: its owner, its list of rights, its other attributes. They come back as they were, and
//! nobody gets more than they had.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown},
    path::Path,
};

use serde_json::{Value, json};

use crate::support::native::{Port, World};

/// A group that is not the tests' own, where they run as root.
const OTHERS: u32 = 4711;

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

fn moved(from: &str, to: &str, copy: bool) -> (&'static str, Value) {
    ("fs_move", json!({"from": from, "to": to, "overwrite": true, "copy": copy}))
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
