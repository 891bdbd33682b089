//! The disk fails at one system call after the other: a call says so or is done, and whatever it did can be undone.
//!
//! `strace` makes the call fail with EIO. Unlike a kill, the host goes on; what it promised by then has to be true.

use serde_json::json;

use crate::{
    fs_names::snapshot,
    kill_drill::{self, Drill, Names, check_half, injected, is_temporary, meta, world},
};

/// Calls that find files and read them, and calls that change names.
const FAILING: &[&str] = &["openat2", "openat", "renameat2", "renameat", "mkdirat", "fsync"];
/// How often a thread has done it by then; `1+` fails each.
const WHEN: &[&str] = &["1", "2", "3", "4", "1+"];

fn plain(mut names: Names) -> Names {
    names.retain(|name, _| !is_temporary(name));
    names
}

fn check(tool: &'static str, arguments: serde_json::Value) {
    let drill = Drill { tool, arguments };
    let sample = world();
    let before = snapshot(&sample.workspace());
    let mut port = sample.connect();
    port.hello();
    let done = kill_drill::call(&mut port, &drill, &meta()).unwrap();
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
    let after = snapshot(&sample.workspace());
    let (mut failed, mut succeeded) = (0, 0);
    for (system_call, when) in FAILING.iter().flat_map(|name| WHEN.iter().map(move |when| (name, when))) {
        let place = format!("{tool} with {system_call} {when} failing");
        let world = world();
        let meta = meta();
        let mut port = injected(&world, system_call, &format!("error=EIO:when={when}"));
        let answer = kill_drill::call(&mut port, &drill, &meta);
        drop(port);
        let half = snapshot(&world.workspace());
        check_half(&half, &before, &after, &place);
        match answer.as_ref().map(|answer| answer["structuredContent"]["ok"] == true) {
            Some(true) => {
                assert_eq!(plain(half), after, "{place}: {answer:?}");
                succeeded += 1;
            }
            // One that cannot even start says so on its way out.
            Some(false) | None => failed += 1,
        }
        let mut port = world.connect();
        port.hello();
        let undone = port.request("outrigger/turns/undo", json!({"turn": "t1"}))["result"].clone();
        let is_over = undone["state"] == "done" || undone["state"] == "nothing";
        assert!(is_over, "{place}: {answer:?}\n{undone:#}");
        assert_eq!(plain(snapshot(&world.workspace())), before, "{place}: {answer:?}\n{undone:#}");
        let output = world.command().args(["audit", "--verify"]).output().unwrap();
        assert!(output.status.success(), "{place}: {}", String::from_utf8_lossy(&output.stdout));
    }
    assert!(failed > 0 && succeeded > 0, "{tool}: {failed} failed, {succeeded} did not");
}

#[test]
fn a_write_on_a_failing_disk_can_be_undone() {
    check("fs_write", json!({"path": "a.txt", "content": "other\n", "mode": "overwrite"}));
}

#[test]
fn an_edit_on_a_failing_disk_can_be_undone() {
    check("fs_edit", json!({"path": "a.txt", "edits": [{"old_text": "a", "new_text": "A"}]}));
}

#[test]
fn a_patch_on_a_failing_disk_can_be_undone() {
    let patch = "*** Begin Patch\n*** Add File: new/c.txt\n+c\n*** Update File: a.txt\n@@\n-a\n+A\n*** Delete File: b.txt\n*** End \
                 Patch\n";
    check("fs_apply_patch", json!({"patch": patch}));
}

#[test]
fn a_move_on_a_failing_disk_can_be_undone() {
    check("fs_move", json!({"from": "d", "to": "e"}));
}

#[test]
fn a_delete_on_a_failing_disk_can_be_undone() {
    check("fs_delete", json!({"path": "d", "recursive": true, "expect_entries": 4}));
}
