//! `fs_apply_patch`: all files or none, undone as one, allowed in part, and the same result as `git apply`.

use std::{fs, os::unix::fs::PermissionsExt as _, process::Command};

use outrigger::tools::Code;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    fs_names::snapshot,
    support::native::{Port, World},
    world,
};

fn meta(turn: &str) -> Value {
    json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/workspace": "app",
        "dev.outrigger/session": "s1", "dev.outrigger/turn": turn})
}

fn start() -> (World, Port) {
    let world = World::new("");
    world.write("a.rs", "fn one() {\n    1\n}\n\nfn two() {\n    2\n}\n");
    world.write("old.sh", "#!/bin/sh\r\necho old\r\n");
    world.write("gone.txt", "bye\n");
    fs::set_permissions(world.workspace().join("old.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    let mut port = world.connect();
    port.hello();
    (world, port)
}

const ALL: &str = "*** Begin Patch\n*** Add File: new/b.txt\n+b\n*** Add File: new/c.txt\n+c\n*** Update File: a.rs\n@@ fn two() {\n-    2\n\
                   +    22\n*** Update File: old.sh\n*** Move to: bin/new.sh\n@@\n #!/bin/sh\n-echo old\n+echo new\n+exit\n*** Delete File: \
                   gone.txt\n*** End Patch\n";

#[test]
fn many_files_change_as_one_and_come_back_as_one() {
    let (world, mut port) = start();
    let before = snapshot(&world.workspace());
    let asked = port.call_with("fs_apply_patch", json!({"patch": ALL}), meta("t1"));
    let plan = &asked["_meta"]["dev.outrigger/plan"];
    assert_eq!(
        (&plan["tier"], &plan["summary"]),
        (&json!("individual"), &json!("Patch 5 files (+5 −3)")),
        "{plan:#}"
    );
    let ids: Vec<&str> = plan["preview"]["files"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|file| file["hunks"].as_array().unwrap())
        .map(|hunk| hunk["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["h1", "h2", "h3", "h4", "h5"]);
    let result = port.call_allowed("fs_apply_patch", json!({"patch": ALL}), meta("t1"));
    assert_eq!(
        result["content"][0]["text"].as_str().unwrap(),
        "Changed 5 files\nA new/b.txt +1 -0\nA new/c.txt +1 -0\nM a.rs +1 -1\nR old.sh -> bin/new.sh +2 -1\nD gone.txt\n"
    );
    let after = snapshot(&world.workspace());
    let file = |path: &str| after.get(path.as_bytes()).cloned().unwrap_or_default();
    assert_eq!(world.read("a.rs"), "fn one() {\n    1\n}\n\nfn two() {\n    22\n}\n");
    assert_eq!(file("bin/new.sh"), format!("file 750 {:?}", b"#!/bin/sh\r\necho new\r\nexit\r\n"));
    assert_eq!(
        after.keys().map(|name| String::from_utf8_lossy(name)).collect::<Vec<_>>(),
        ["a.rs", "bin", "bin/new.sh", "new", "new/b.txt", "new/c.txt"]
    );
    for _ in 0..2 {
        for (way, expected) in [("undo", &before), ("redo", &after)] {
            let report =
                port.request(&format!("outrigger/turns/{way}"), json!({"turn": "t1"}))["result"].clone();
            assert_eq!(report["state"], "done", "{report:#}");
            assert_eq!(snapshot(&world.workspace()), *expected);
        }
    }
}

#[test]
fn nothing_changes_on_any_failure() {
    let (world, mut port) = start();
    world.write("twice.txt", "x\ny\nx\ny\n");
    world.write("bin.dat", [0, 1, 2]);
    world.write("key.pem", "secret");
    let before = snapshot(&world.workspace());
    for (rest, code) in [
        ("*** Add File: a.rs\n+x\n", "already_exists"),
        ("*** Update File: a.rs\n*** Move to: gone.txt\n", "already_exists"),
        ("*** Update File: missing.rs\n@@\n-x\n+y\n", "not_found"),
        ("*** Update File: a.rs\n@@\n-no such line\n+y\n", "no_match"),
        ("*** Update File: a.rs\n@@ fn two() {\n-    1\n+y\n", "no_match"),
        ("*** Update File: a.rs\n@@ fn three() {\n+y\n", "no_match"),
        ("*** Update File: a.rs\n@@ fn three() {\n-}\n+y\n", "ambiguous_match"),
        ("*** Update File: twice.txt\n@@\n-x\n+z\n", "ambiguous_match"),
        ("*** Update File: bin.dat\n@@\n-x\n+z\n", "binary_file"),
        ("*** Update File: key.pem\n@@\n-secret\n+z\n", "blocked_path"),
        ("*** Delete File: .git/HEAD\n", "protected_path"),
        ("*** Add File: ../out\n+x\n", "outside_workspace"),
        ("*** Add File: first.txt\n+again\n", "invalid_args"),
        ("*** Delete File: .\n", "protected_path"),
        ("rubbish\n", "invalid_args"),
    ] {
        let patch = format!("*** Begin Patch\n*** Add File: first.txt\n+first\n{rest}*** End Patch\n");
        let result = port.call_with("fs_apply_patch", json!({"patch": patch}), meta("t1"));
        assert_eq!(result["structuredContent"]["code"], code, "{rest}: {result:#}");
        assert_eq!(snapshot(&world.workspace()), before, "{rest}");
    }
    let same = "*** Begin Patch\n*** Update File: a.rs\n@@\n fn one() {\n*** End Patch\n";
    let result = port.call_with("fs_apply_patch", json!({"patch": same}), meta("t1"));
    assert_eq!(result["structuredContent"]["code"], "no_change");
    let large = "x".repeat(1024 * 1024 + 1);
    let result = port.call_with("fs_apply_patch", json!({"patch": large}), meta("t1"));
    assert_eq!(result["structuredContent"]["code"], "too_large");
}

#[test]
fn a_diff_that_deletes_a_file_says_what_was_in_it() {
    let (world, mut port) = start();
    world.write("empty", "");
    world.write("bin.dat", [0, 1, 2]);
    let header = |path: &str| {
        format!("diff --git a/{path} b/{path}\ndeleted file mode 100644\nindex e69de29..0000000\n")
    };
    for path in ["gone.txt", "bin.dat"] {
        let result = port.call_with("fs_apply_patch", json!({"patch": header(path)}), meta("t1"));
        let refused = &result["structuredContent"];
        assert_eq!(refused["code"], "stale", "{result:#}");
        assert!(refused["hint"].as_str().unwrap().contains("fs_delete"), "{result:#}");
    }
    let result = port.call_allowed("fs_apply_patch", json!({"patch": header("empty")}), meta("t1"));
    assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
    assert!(!world.workspace().join("empty").exists());
}

#[test]
fn what_can_be_nowhere_is_refused_before_anybody_is_asked() {
    let (_world, mut port) = start();
    let mut refused = |patch: &str| {
        let result = port.call_with("fs_apply_patch", json!({"patch": patch}), meta("t1"));
        let error = &result["structuredContent"];
        (error["code"].as_str().unwrap().to_owned(), error["message"].as_str().unwrap().to_owned())
    };
    for patch in [
        "*** Add File: q\n+1\n*** Add File: q/r/s\n+2\n",
        "*** Add File: q/r\n+2\n*** Update File: a.rs\n*** Move to: q\n",
    ] {
        let (code, message) = refused(&format!("*** Begin Patch\n{patch}*** End Patch\n"));
        assert_eq!(code, "invalid_args", "{message}");
        assert!(
            message.starts_with("`q` becomes a file by the patch, so nothing can be at `q/r"),
            "{message}"
        );
    }
    let hunks = [
        "@@ -5,2 +5,2 @@\n fn two() {\n-    2\n+    22\n",
        "@@ -1,2 +1,2 @@\n fn one() {\n-    1\n+    11\n",
    ]
    .concat();
    let (code, message) = refused(&format!("--- a/a.rs\n+++ b/a.rs\n{hunks}"));
    assert_eq!(code, "no_match");
    assert!(
        message.starts_with("the hunk at line 7 has its place at line 1 of `a.rs`, not below"),
        "{message}"
    );
}

#[test]
fn a_file_that_is_deleted_and_added_again_is_replaced() {
    let (world, mut port) = start();
    let before = snapshot(&world.workspace());
    for patch in [
        "*** Begin Patch\n*** Delete File: old.sh\n*** Add File: old.sh\n+#!/bin/sh\n+echo new\n*** End Patch\n",
        "--- a/old.sh\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-#!/bin/sh\n-echo old\n--- /dev/null\n+++ b/old.sh\n@@ -0,0 +1,2 @@\n+#!/bin/sh\n\
         +echo new\n",
    ] {
        let asked = port.call_with("fs_apply_patch", json!({"patch": patch}), meta("t1"));
        let plan = &asked["_meta"]["dev.outrigger/plan"];
        assert_eq!(plan["tier"], "individual", "{asked:#}");
        assert!(plan.to_string().contains("`old.sh` is replaced as a whole"), "{plan:#}");
        let result = port.call_allowed("fs_apply_patch", json!({"patch": patch}), meta("t1"));
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(text, "Changed 1 file\nM old.sh +1 -1\n", "{result:#}");
        // What belongs to the file stays: its mode, its line ends.
        assert_eq!(world.read("old.sh"), "#!/bin/sh\r\necho new\r\n");
        let mode = fs::metadata(world.workspace().join("old.sh")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o750);
        let undone = port.request("outrigger/turns/undo", json!({"turn": "t1"}))["result"].clone();
        assert_eq!(undone["state"], "done", "{undone:#}");
        assert_eq!(snapshot(&world.workspace()), before);
    }
    // The other way round the file was never free, and a third time is one too often.
    for (rest, code) in [
        ("*** Add File: old.sh\n+x\n*** Delete File: old.sh\n", "already_exists"),
        ("*** Delete File: old.sh\n*** Add File: old.sh\n+x\n*** Add File: old.sh\n+y\n", "already_exists"),
        ("*** Delete File: old.sh\n*** Add File: old.sh\n+x\n*** Delete File: old.sh\n", "invalid_args"),
    ] {
        let patch = format!("*** Begin Patch\n{rest}*** End Patch\n");
        let result = port.call_with("fs_apply_patch", json!({"patch": patch}), meta("t2"));
        assert_eq!(result["structuredContent"]["code"], code, "{rest}: {result:#}");
        assert_eq!(snapshot(&world.workspace()), before, "{rest}");
    }
}

#[test]
fn a_name_that_the_patch_itself_frees_needs_a_patch_of_its_own() {
    let delete = |path: &str| {
        format!(
            "diff --git a/{path} b/{path}\ndeleted file mode 100644\n--- a/{path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        )
    };
    let add = |path: &str| {
        format!(
            "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+y\n"
        )
    };
    let rename = |from: &str, to: &str| {
        format!("diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n")
    };
    let codex = |text: &str| format!("*** Begin Patch\n{text}*** End Patch\n");
    // The files, both halves in one, and each on its own, as the hint says.
    for (files, halves, code, gone) in [
        (&["a"][..], [delete("a"), add("a/b")], "wrong_type", "a"),
        (&["d/b"], [delete("d/b"), add("d")], "already_exists", "d/b"),
        (&["a", "b"], [delete("b"), rename("a", "b")], "already_exists", "b"),
        (&["a", "b"], [rename("b", "c"), rename("a", "b")], "already_exists", "b"),
        (&["a"], [rename("a", "b"), add("a")], "already_exists", "a"),
        (&["a"], [rename("a", "b"), add("a/b")], "wrong_type", "a"),
    ] {
        for patch in [halves.concat(), [halves[1].clone(), halves[0].clone()].concat()] {
            let world = world::World::new();
            for path in files {
                world.write(path, "x\n");
            }
            let before = snapshot(&world.root());
            let error = world.tool("fs_apply_patch", json!({"patch": patch})).unwrap_err();
            assert_eq!(json!(error.code), code, "{error} {patch}");
            assert!(error.message.contains(&format!("takes away `{gone}` itself")), "{error} {patch}");
            assert!(error.hint.contains(&format!("one that takes `{gone}` away")), "{} {patch}", error.hint);
            assert_eq!(snapshot(&world.root()), before);
        }
        let world = world::World::new();
        for path in files {
            world.write(path, "x\n");
        }
        world.tool("fs_apply_patch", json!({"patch": halves[0]})).unwrap();
        if world.root().join("d").exists() {
            world.tool("fs_delete", json!({"path": "d"})).unwrap();
        }
        world.tool("fs_apply_patch", json!({"patch": halves[1]})).unwrap();
    }
    let world = world::World::new();
    world.write("a", "1\n");
    world.write("b", "2\n");
    world.write("d/x", "3\n");
    for (patch, told) in [
        (codex("*** Delete File: b\n*** Update File: a\n*** Move to: b\n"), "make two patches"),
        (rename("a", "b") + &rename("b", "a"), "make two patches"),
        (rename("a", "b"), "with a patch of its own"),
        (add("a") + &delete("a"), "delete it before in the same patch"),
        (add("a"), "delete it before in the same patch"),
        (add("d"), "it is a folder"),
        (rename("a", "d"), "it is a folder"),
    ] {
        let error = world.tool("fs_apply_patch", json!({"patch": patch})).unwrap_err();
        assert!(error.code == Code::AlreadyExists && error.hint.contains(told), "{}: {patch}", error.hint);
    }
}

#[test]
fn a_file_that_the_patch_names_twice_is_told_as_that() {
    let update = |path: &str, old: &str, new: &str| format!("*** Update File: {path}\n@@\n-{old}\n+{new}\n");
    for (parts, named) in [
        (
            [update("f", "a", "b"), update("f", "b", "c")],
            "`f` stands in the patch twice (again at line 6 of the patch)",
        ),
        ([update("f", "a", "b"), update("f", "a", "c")], "`f` stands in the patch twice"),
        (["*** Add File: g\n+b\n".to_owned(), update("g", "b", "c")], "`g` stands in the patch twice"),
        (
            ["*** Update File: f\n*** Move to: g\n".to_owned(), update("g", "a", "c")],
            "`g` stands in the patch twice",
        ),
    ] {
        let world = world::World::new();
        world.write("f", "a\n");
        let patch = format!("*** Begin Patch\n{}*** End Patch\n", parts.concat());
        let error = world.tool("fs_apply_patch", json!({"patch": patch})).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgs, "{patch}");
        assert!(error.message.starts_with(named), "{}", error.message);
        assert_eq!(files_in(&world.root()), [("f".to_owned(), "a\n".to_owned())]);
    }
    // Its own name is no other one.
    let patch = "*** Begin Patch\n*** Update File: f\n*** Move to: f\n@@\n-a\n+b\n*** End Patch\n";
    assert_eq!(patched("a\n", patch).as_deref(), Ok("b\n"));
}

#[test]
fn a_number_that_is_wrong_chooses_no_place() {
    let world = world::World::new();
    let apply = |numbers: &str, content: &str| {
        world.write("f", content);
        let patch = format!("--- a/f\n+++ b/f\n@@ {numbers} @@\n-a\n+b\n");
        world.tool("fs_apply_patch", json!({"patch": patch}))
    };
    let error = apply("-50,1 +50,1", &"a\n".repeat(10)).unwrap_err();
    assert_eq!(error.code, Code::AmbiguousMatch);
    assert!(error.hint.contains("its right line number"), "{}", error.hint);
    apply("-4,1 +4,1", &"a\n".repeat(10)).unwrap();
    assert_eq!(fs::read_to_string(world.root().join("f")).unwrap(), "a\na\na\nb\na\na\na\na\na\na\n");
    let reply = apply("-50,1 +50,1", "x\na\n").unwrap();
    assert_eq!(reply.warnings, ["the hunk at line 3 of the patch stood at line 2 of `f`"]);
    let mode = "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n";
    let reply = world.tool("fs_apply_patch", json!({"patch": mode})).unwrap();
    assert_eq!(reply.text, "Changed 1 file\nM f +0 -0, executable\n");
}

#[test]
fn a_patch_that_was_cut_off_is_refused_or_asked_about() {
    let world = world::World::new();
    let lines = (0..20).map(|line| format!("l{line}")).collect::<Vec<_>>().join("\n") + "\n";
    let apply = |patch: &str| {
        world.write("f", &lines);
        world.tool("fs_apply_patch", json!({"patch": patch}))
    };
    let whole =
        "--- a/f\n+++ b/f\n@@ -1,9 +1,10 @@\n l0\n l1\n l2\n-l3\n+L3\n+new\n l4\n l5\n l6\n l7\n l8\n";
    assert_eq!(apply(whole).unwrap().warnings, [""; 0]);
    for kept in 7..12 {
        let cut: String = whole.split_inclusive('\n').take(kept).collect();
        let error = apply(&cut).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgs, "{cut}");
        assert!(
            error.message.contains("the patch was cut off: its last hunk says `-9 +10` lines"),
            "{}",
            error.message
        );
        assert_eq!(fs::read_to_string(world.root().join("f")).unwrap(), lines);
    }
    // Who sends all of it may have miscounted.
    let miscounted = whole.replace("-1,9 +1,10", "-1,10 +1,11");
    let warned = apply(&miscounted).unwrap().warnings;
    assert_eq!(
        warned,
        ["the last hunk, at line 3 of the patch, says that it has 21 lines and has 19: was it cut off?"]
    );
    // What another hunk follows was not cut off.
    let inner = whole.replace("-1,9 +1,10", "-1,40 +1,41") + "@@ -15 +16 @@\n-l14\n+L14\n";
    assert_eq!(apply(&inner).unwrap().warnings, [""; 0]);
    let new = "--- /dev/null\n+++ b/n\n@@ -0,0 +1,40 @@\n+one\n+two\n";
    assert!(apply(new).unwrap_err().message.contains("cut off"));
}

#[test]
fn a_file_with_other_names_that_is_renamed_and_changed_says_so() {
    let world = world::World::new();
    world.write("h", "one\n");
    fs::hard_link(world.root().join("h"), world.root().join("other")).unwrap();
    let patch = "*** Begin Patch\n*** Update File: h\n*** Move to: h3\n@@\n-one\n+two\n*** End Patch\n";
    let reply = world.tool("fs_apply_patch", json!({"patch": patch})).unwrap();
    assert_eq!(reply.warnings, ["`h` had 1 other name(s) (hard links); they keep the old content"]);
    assert_eq!(fs::read_to_string(world.root().join("other")).unwrap(), "one\n");
}

#[test]
fn a_failure_at_the_last_file_puts_the_others_back() {
    let world = world::World::new();
    world.write("a.txt", "a\n");
    world.write("b.txt", "b\n");
    let patch = "*** Begin Patch\n*** Add File: new/c.txt\n+c\n*** Update File: a.txt\n@@\n-a\n+A\n*** Delete File: b.txt\n*** End Patch\n";
    let tool = world::find("fs_apply_patch");
    let arguments = json!({"patch": patch});
    let prepared = tool.prepare(arguments.clone(), &world.call).unwrap();
    let permit = world::permit(&world.call, tool, &arguments, &prepared.intent).unwrap();
    world.write("b.txt", "changed since\n");
    let before = snapshot(&world.root());
    let error = prepared.run(&permit, &world.call).unwrap_err();
    assert_eq!(error.code, Code::Stale);
    assert_eq!(snapshot(&world.root()), before);
}

#[test]
fn a_part_of_the_hunks_can_be_allowed() {
    let (world, mut port) = start();
    let key = meta("t1");
    let asked = port.call_with("fs_apply_patch", json!({"patch": ALL}), key.clone());
    let mut approval = key.clone();
    approval["dev.outrigger/approval"] = json!({"by": "user", "hunks": ["h1", "h3"]});
    let result = port.answer_plan(
        "fs_apply_patch",
        json!({"patch": ALL}),
        approval,
        &asked,
        json!({"decision": "allow"}),
    );
    assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Changed 2 files\nA new/b.txt +1 -0\nM a.rs +1 -1\n"), "{text}");
    assert!(
        text.contains("`gone.txt` was not changed") && text.contains("the user allowed 2 of 5"),
        "{text}"
    );
    let names: Vec<_> = snapshot(&world.workspace()).into_keys().collect();
    assert_eq!(
        names,
        ["a.rs", "gone.txt", "new", "new/b.txt", "old.sh"].map(|name| name.as_bytes().to_vec())
    );
}

#[test]
fn line_ends_that_change_are_told_to_who_decides_and_in_what_changed() {
    let (world, mut port) = start();
    world.write("w.bat", "q\nr\n");
    world.write("both", "q\r\nr\ns\n");
    let patch = "--- a/w.bat\n+++ b/w.bat\n@@ -1,2 +1,2 @@\n-q\n-r\n+q\r\n+r\r\n--- a/both\n+++ b/both\n@@ -1,3 +1,3 @@\n q\r\n-r\n\
                 +r\r\n s\n--- a/a.rs\n+++ b/a.rs\n@@ -2 +2 @@\n-    1\n+    11\n";
    let asked = port.call_with("fs_apply_patch", json!({"patch": patch}), meta("t1"));
    let plan = &asked["_meta"]["dev.outrigger/plan"];
    let ends = |files: &Value| -> Vec<Value> {
        files.as_array().unwrap().iter().map(|file| file["line_ends"].clone()).collect()
    };
    let expected =
        [json!({"before": "lf", "after": "crlf"}), json!({"before": "mixed", "after": "mixed"}), Value::Null];
    assert_eq!(ends(&plan["preview"]["files"]), expected, "{plan:#}");
    assert_eq!(plan["preview"]["files"][0]["hunks"][0]["lines"], json!(["-q", "-r", "+q", "+r"]));
    assert_eq!(plan["tier"], "batch", "{plan:#}");
    let message = asked["inputRequests"]["approval"]["params"]["message"].as_str().unwrap();
    for told in
        ["w.bat (+2 -2, 4 -> 6 bytes, line ends lf -> crlf)", "bytes, some lines get other line ends)"]
    {
        assert!(message.contains(told), "{message}");
    }
    let result = port.call_allowed("fs_apply_patch", json!({"patch": patch}), meta("t1"));
    assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
    let diff = port.request("outrigger/turns/diff", json!({"turn": "t1"}))["result"].clone();
    assert_eq!(ends(&diff["files"]), expected, "{diff:#}");
}

#[test]
fn line_ends_are_those_that_the_patch_says() {
    let edit = |old: &str, new: &str| {
        let side = |sign: &str, text: &str| {
            text.split_inclusive('\n').flat_map(|line| [sign, line]).collect::<String>()
        };
        let count = |text: &str| text.split_inclusive('\n').count();
        let numbers = format!("@@ -1,{} +1,{} @@\n", count(old), count(new));
        format!("--- a/f\n+++ b/f\n{numbers}{}{}", side("-", old), side("+", new))
    };
    let open = "\\ No newline at end of file\n";
    for (patch, before, after) in [
        (edit("q\nr\n", "q\r\nr\r\n"), "q\nr\n", "q\r\nr\r\n"),
        (edit("q\r\nr\r\n", "q\nr\n"), "q\r\nr\r\n", "q\nr\n"),
        ("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n q\n-r\n+r\r\n".to_owned(), "q\nr\n", "q\nr\r\n"),
        ("--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n q\n+x\r\n r\n".to_owned(), "q\nr\n", "q\nx\r\nr\n"),
        (format!("--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n-q\n{open}+q\r\n+r\r\n{open}"), "q", "q\r\nr\r"),
        (format!("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-q\n{open}+q\r\n"), "q", "q\r\n"),
        (format!("--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n q\r\n-r\n{open}"), "q\r\nr", "q\r\n"),
    ] {
        let world = world::World::new();
        world.write("f", before);
        world.tool("fs_apply_patch", json!({"patch": patch})).unwrap();
        assert_eq!(fs::read_to_string(world.root().join("f")).unwrap(), after, "{patch:?}");
        assert_eq!(git_apply(before, &patch).as_deref(), Some(after), "{patch:?}");
    }
    // A file that is new has the ends of the patch, whatever stands beside it; the house rules are for those who say nothing.
    let new = "--- /dev/null\n+++ b/g\n@@ -0,0 +1,2 @@\n+x\r\n+y\n";
    for (patch, after) in [(new.to_owned(), "x\r\ny\n"), (new.replace('\r', ""), "x\ny\n")] {
        let world = world::World::new();
        world.write("f", "q\n");
        world.write(".editorconfig", "[*]\nend_of_line = lf\n");
        let patch = edit("q\n", "r\n") + &patch;
        world.tool("fs_apply_patch", json!({"patch": patch})).unwrap();
        assert_eq!(fs::read_to_string(world.root().join("g")).unwrap(), after);
        assert_eq!(fs::read_to_string(world.root().join("f")).unwrap(), "r\n");
    }
    let codex = "*** Begin Patch\n*** Add File: g\n+x\r\n*** Update File: f\n@@\n-q\n+q\r\n*** End Patch\n";
    let world = world::World::new();
    world.write("f", "q\nr\n");
    world.tool("fs_apply_patch", json!({"patch": codex})).unwrap();
    assert_eq!(fs::read_to_string(world.root().join("g")).unwrap(), "x\r\n");
    assert_eq!(fs::read_to_string(world.root().join("f")).unwrap(), "q\r\nr\n");
    // What was sent with `\r\n` from its first line on says nothing of the file, nor does what is wrong about its lines.
    let sent = edit("q\n", "r\n").replace('\n', "\r\n");
    let wrong = edit("q\r\n", "r\r\n");
    for (patch, before, after) in
        [(&sent, "q\n", "r\n"), (&sent, "q\r\n", "r\r\n"), (&wrong, "q\nr\n", "r\nr\n")]
    {
        let world = world::World::new();
        world.write("f", before);
        world.tool("fs_apply_patch", json!({"patch": patch})).unwrap();
        assert_eq!(fs::read_to_string(world.root().join("f")).unwrap(), after, "{patch:?}");
    }
}

/// A world of one file, patched.
fn patched(before: &str, patch: &str) -> Result<String, Code> {
    let world = world::World::new();
    world.write("f", before);
    let reply = world.tool("fs_apply_patch", json!({"patch": patch})).map_err(|error| error.code);
    reply.map(|_| fs::read_to_string(world.root().join("f")).unwrap())
}

#[test]
fn a_byte_order_mark_in_a_diff_is_that_of_the_file() {
    let marked = "\u{feff}one\r\ntwo\r\nthree\r\n";
    for after in [
        "\u{feff}one\r\nTWO\r\nthree\r\n",
        "\u{feff}zero\r\none\r\ntwo\r\nthree\r\n",
        "one\r\ntwo\r\nthree\r\n",
    ] {
        for context in [0, 1, 3] {
            let patch = diff(marked, after, context);
            assert_eq!(patched(marked, &patch).as_deref(), Ok(after), "{patch}");
            let back = diff(after, marked, context);
            assert_eq!(patched(after, &back).as_deref(), Ok(marked), "{back}");
        }
    }
    let (world, mut port) = start();
    world.write("gone.txt", marked);
    let gone = marked.replace('\r', "").lines().fold(String::new(), |gone, line| gone + "-" + line + "\n");
    let patch = format!("--- a/gone.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n{gone}");
    let result = port.call_allowed("fs_apply_patch", json!({"patch": patch}), meta("t1"));
    assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
}

#[test]
fn an_empty_line_at_the_end_is_not_lost() {
    let open = "\\ No newline at end of file\n";
    for (hunk, before, after) in [
        (format!("@@ -1,2 +1,3 @@\n x\n-a\n{open}+a\n+\n"), "x\na", "x\na\n\n"),
        (format!("@@ -1,2 +1,4 @@\n x\n-a\n{open}+a\n+\n+\n"), "x\na", "x\na\n\n\n"),
        (format!("@@ -1 +1 @@\n-x\n{open}+\n"), "x", "\n"),
        (format!("@@ -1,3 +1,2 @@\n x\n \n-a\n{open}"), "x\n\na", "x\n\n"),
        (format!("@@ -1,2 +1,3 @@\n a\r\n-b\n{open}+b\r\n+\r\n"), "a\r\nb", "a\r\nb\r\n\r\n"),
        (format!("@@ -1 +1,2 @@\n-x\n{open}+x\n+y\r\n"), "x", "x\ny\r\n"),
        (format!("@@ -2,2 +1,0 @@\n-b\r\n-c\n{open}"), "a\r\nb\r\nc", "a\r\n"),
        (format!("@@ -3 +2,0 @@\n-c\n{open}"), "a\nb\r\nc", "a\nb\r\n"),
        (format!("@@ -1,2 +1 @@\n-x\n-\n+x\n{open}"), "x\n\n", "x"),
        (format!("@@ -1,3 +1 @@\n-x\n-\n-\n+x\n{open}"), "x\n\n\n", "x"),
        ("@@ -0,0 +1 @@\n+\n".to_owned(), "", "\n"),
        ("@@ -1 +0,0 @@\n-\n".to_owned(), "\n", ""),
    ] {
        let patch = format!("--- a/f\n+++ b/f\n{hunk}");
        assert_eq!(patched(before, &patch).as_deref(), Ok(after), "{patch:?}");
        assert_eq!(git_apply(before, &patch).as_deref(), Some(after), "{patch:?}");
    }
    // Where no grammar speaks of the end it stays as it was; but an empty line is nothing without its end.
    for (hunk, before, after) in [
        (" a\n+\n", "x\na", "x\na\n\n"),
        ("-a\n+\n", "x\na", "x\n\n"),
        ("-x\n+\n", "x", "\n"),
        (" \n-a\n", "x\n\na", "x\n\n"),
        ("-b\n+\n", "a\r\nb", "a\r\n\r\n"),
        (" a\n+b\n", "x\na", "x\na\nb"),
        (" a\n+\n", "x\na\n", "x\na\n\n"),
        ("-\n", "x\n\n", "x\n"),
        ("-x\n", "x", ""),
        ("+\n", "", "\n"),
    ] {
        let patch = format!("*** Begin Patch\n*** Update File: f\n@@\n{hunk}*** End Patch\n");
        assert_eq!(patched(before, &patch).as_deref(), Ok(after), "{before:?} {patch:?}");
    }
    let unsaid = "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n x\n a\n+\n";
    assert_eq!(patched("x\na", unsaid).as_deref(), Ok("x\na\n\n"));
}

/// What is in a folder, but for hidden names.
pub fn files_in(root: &std::path::Path) -> Vec<(String, String)> {
    let all = snapshot(root).into_keys().map(|name| String::from_utf8(name).unwrap());
    let files = all.filter(|name| !name.starts_with('.') && root.join(name).is_file());
    files.map(|name| (name.clone(), fs::read_to_string(root.join(&name)).unwrap())).collect()
}

#[test]
fn a_return_at_the_end_of_a_line_without_an_end_is_its_own() {
    let texts = [
        "x\na\r",
        "x\na",
        "x\na\n",
        "x\na\r\n",
        "x\r\na\r",
        "x\r\na",
        "y\na\r",
        "\r",
        "x\r\r",
        "x\nb\r",
        "x\r\na\r\n",
    ];
    for (old, new) in
        texts.into_iter().flat_map(|old| texts.map(|new| (old, new))).filter(|(old, new)| old != new)
    {
        for context in [0, 1, 3] {
            let patch = diff(old, new, context);
            assert_eq!(patched(old, &patch).as_deref(), Ok(new), "{old:?} {patch:?}");
        }
    }
}

#[test]
fn a_line_that_loses_its_end_is_the_last_of_the_file() {
    let patch = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-c\n+a\n\\ No newline at end of file\n";
    assert_eq!(patched("c\nc\n", patch).as_deref(), Ok("c\na"));
    assert_eq!(patched("c\n", patch).as_deref(), Ok("a"));
}

#[test]
fn a_line_that_a_header_names_leads_to_one_place_or_to_none() {
    let patch = |lines: &str| format!("*** Begin Patch\n*** Update File: f\n{lines}*** End Patch\n");
    let twice = "def f\n  x\ndef f\n  x\n";
    for (file, lines, expected) in [
        (twice, "@@ def f\n-  x\n+  y\n", Err(Code::AmbiguousMatch)),
        (twice, "@@ def f\n def f\n-  x\n+  y\n", Err(Code::AmbiguousMatch)),
        (twice, "@@\n def f\n-  x\n+  y\n", Err(Code::AmbiguousMatch)),
        (twice, "@@ def f\n+  y\n", Err(Code::AmbiguousMatch)),
        (twice, "@@ def f\n-  x\n+  y\n*** End of File\n", Ok("def f\n  x\ndef f\n  y\n")),
        // Below one of them only, or the same place below both.
        ("def f\n  x\ndef f\n  z\n", "@@ def f\n-  x\n+  y\n", Ok("def f\n  y\ndef f\n  z\n")),
        ("def f\n  z\ndef f\n  x\n", "@@ def f\n-  x\n+  y\n", Ok("def f\n  z\ndef f\n  y\n")),
        ("def f\n  x\ndef f\n   x\n", "@@ def f\n-  x\n+  y\n", Ok("def f\n  y\ndef f\n   x\n")),
        ("f\nf\n  x\n  x\n", "@@ f\n-  x\n+  y\n", Ok("f\nf\n  y\n  x\n")),
        ("f\nf\nx\n", "@@ f\n f\n-x\n+y\n", Ok("f\nf\ny\n")),
        // A chain begins below its first line.
        (
            "class B\ndef f\n  x\nclass A\ndef f\n  x\ndef f\n  x\n",
            "@@ class A\n@@ def f\n-  x\n+  y\n",
            Ok("class B\ndef f\n  x\nclass A\ndef f\n  y\ndef f\n  x\n"),
        ),
        (
            "class A\ndef f\n  x\ndef f\n  x\n",
            "@@ class A\n@@ def f\n def f\n-  x\n+  y\n",
            Ok("class A\ndef f\n  y\ndef f\n  x\n"),
        ),
        (
            "class A\ndef f\n  x\nclass A\ndef f\n  x\n",
            "@@ class A\n@@ def f\n-  x\n+  y\n",
            Err(Code::AmbiguousMatch),
        ),
        (
            "class A\nclass A\ndef f\n  x\n",
            "@@ class A\n@@ def f\n+  y\n",
            Ok("class A\nclass A\ndef f\n  y\n  x\n"),
        ),
        // What lies above a hunk that was placed leads to nothing.
        (
            "a\ndef f\n  x\nb\ndef f\n  x\n",
            "@@\n-b\n+c\n@@ def f\n-  x\n+  y\n",
            Ok("a\ndef f\n  x\nc\ndef f\n  y\n"),
        ),
    ] {
        assert_eq!(patched(file, &patch(lines)).as_deref(), expected.as_deref(), "{file:?} {lines:?}");
    }
}

#[test]
fn a_file_of_one_line_again_and_again_takes_no_time() {
    let file = "\n".repeat(200_000);
    let patch = |line: &str, last: &str| {
        let lines = format!(" {line}\n").repeat(20_000);
        format!("*** Begin Patch\n*** Update File: f\n@@\n{lines}-{last}\n+y\n*** End Patch\n")
    };
    assert_eq!(patched(&file, &patch("", "x")), Err(Code::NoMatch));
    assert_eq!(patched(&file, &patch("", "")), Err(Code::AmbiguousMatch));
    assert_eq!(patched(&"x \n".repeat(60_000), &patch("x", "x")), Err(Code::AmbiguousMatch));
    // Each of thousands of lines that lead to a place, and of hunks with a number, is found at once.
    let quoted = "\"q\"\n".repeat(200_000);
    let anchors = "@@ \u{201c}q\u{201d}\n".repeat(5_000);
    let patch = format!("*** Begin Patch\n*** Update File: f\n{anchors}-\"z\"\n+b\n*** End Patch\n");
    assert_eq!(patched(&quoted, &patch), Err(Code::NoMatch));
    let numbered = |count: usize, old: &str| {
        let hunks = (1..=count).map(|line| format!("@@ -{0} +{0} @@\n-{old}\n+{line}\n", line * 2));
        format!("--- a/f\n+++ b/f\n{}", hunks.collect::<String>())
    };
    let changed = patched(&"x\n".repeat(100_000), &numbered(20_000, "x")).unwrap();
    assert!(changed.starts_with("x\n1\nx\n2\nx\n") && changed.contains("x\n20000\nx\n"));
    assert!(patched(&"x \n".repeat(100_000), &numbered(20_000, "x")).is_ok());
    // What still cannot be told in time is refused.
    let many = |line: &dyn Fn(usize) -> String, count| (0..count).map(line).collect::<Vec<_>>().concat();
    let led = many(&|number| format!("@@ {number}\n-x\n+y\n"), 5_000);
    let led = format!("*** Begin Patch\n*** Update File: f\n{led}*** End Patch\n");
    assert_eq!(patched(&many(&|number| format!("{number}\nx\n"), 50_000), &led), Err(Code::TooLarge));
    // So is at once what fits below each of many lines that may lead to it.
    let quoted = "\"q\"\n".repeat(200_000);
    for lines in ["-\"q\"\n+b\n", "+b\n"] {
        let patch = format!("*** Begin Patch\n*** Update File: f\n{anchors}{lines}*** End Patch\n");
        assert_eq!(patched(&quoted, &patch), Err(Code::AmbiguousMatch));
    }
    let overlapping = "*** Begin Patch\n*** Update File: f\n@@ a\n b\n b\n-c\n+d\n*** End Patch\n";
    assert_eq!(patched("a\nb\nb\nb\nc\n", overlapping).as_deref(), Ok("a\nb\nb\nb\nd\n"));
}

#[test]
fn a_name_that_ends_with_a_blank_is_another_name() {
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    let no_hunk = "similarity index 100%\n";
    for (patch, does) in [
        (format!("diff --git a/tr  b/tr \n--- a/tr \t\n+++ b/tr \t\n{hunk}"), true),
        (format!("--- a/tr \t\n+++ b/tr \t\n{hunk}"), true),
        (format!("--- a/tr \n+++ b/tr \n{hunk}"), true),
        (format!("--- a/tr \t2024-01-02 03:04:05.000000000 +0100\n+++ b/tr \t2024-01-02 03:04:05\n{hunk}"), true),
        (format!("--- a/tr   2024-01-02 03:04:05.000000000 +0100\n+++ b/tr   2024-01-02 03:04:05 +0100\n{hunk}"), true),
        (format!("--- \"a/tr\\040\"\t2024-01-02 03:04:05\n+++ \"b/tr\\040\"\t2024-01-02 03:04:05\n{hunk}"), true),
        (format!("--- \"a/q\\\" r\"\n+++ \"b/q\\\" r\"\n{hunk}"), true),
        ("diff --git \"a/q\\\" r\" \"b/q\\\" r\"\nold mode 100644\nnew mode 100755\n".to_owned(), true),
        ("diff --git a/new  b/new \nnew file mode 100644\n--- /dev/null\n+++ b/new \t\n@@ -0,0 +1 @@\n+n\n".to_owned(), true),
        ("diff --git a/tr  b/tr \ndeleted file mode 100644\n--- a/tr \t\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n".to_owned(), true),
        ("--- a/tr \t\n+++ /dev/null\t1970-01-01 00:00:00.000000000 +0000\n@@ -1 +0,0 @@\n-a\n".to_owned(), true),
        (format!("diff --git a/tr b/to \n{no_hunk}rename from tr\nrename to to \n"), true),
        (format!("diff --git a/tr  b/to\n{no_hunk}rename from tr \nrename to to\n"), true),
        (format!("--- a/f \n+++ b/f \n{hunk}"), false),
    ] {
        let world = world::World::new();
        let theirs = tempfile::tempdir().unwrap();
        for name in ["tr", "tr ", "f", "q\" r"] {
            world.write(name, "a\n");
            fs::write(theirs.path().join(name), "a\n").unwrap();
        }
        let git = tempfile::tempdir().unwrap();
        fs::write(git.path().join("p"), &patch).unwrap();
        let mut command = Command::new("git");
        command.current_dir(theirs.path()).args(["apply", "--whitespace=nowarn"]).arg(git.path().join("p"));
        let done =
            command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CEILING_DIRECTORIES", "/").output().unwrap();
        assert_eq!(done.status.success(), does, "{patch:?}: {}", String::from_utf8_lossy(&done.stderr));
        let result = world.tool("fs_apply_patch", json!({"patch": patch}));
        assert_eq!(result.is_ok(), does, "{patch:?}: {:?}", result.err());
        assert_eq!(files_in(&world.root()), files_in(theirs.path()), "{patch:?}");
        // Sent with `\r\n` it names the same.
        let sent = world::World::new();
        for name in ["tr", "tr ", "f", "q\" r"] {
            sent.write(name, "a\n");
        }
        let result = sent.tool("fs_apply_patch", json!({"patch": patch.replace('\n', "\r\n")}));
        assert_eq!(result.is_ok(), does, "{patch:?}: {:?}", result.err());
        assert_eq!(files_in(&sent.root()), files_in(theirs.path()), "{patch:?}");
    }
}

#[test]
fn a_blank_behind_a_name_of_the_other_grammar_is_its_own_where_such_a_file_stands() {
    for end in ["\n", "\r\n"] {
        let apply = |patch: &str, files: &[&str]| {
            let world = world::World::new();
            for name in files {
                world.write(name, "a\n");
            }
            let patch = format!("*** Begin Patch\n{patch}*** End Patch\n").replace('\n', end);
            world.tool("fs_apply_patch", json!({"patch": patch})).unwrap();
            let files = files_in(&world.root()).into_iter();
            files.map(|(name, text)| format!("{name}={}", text.trim_end())).collect::<Vec<_>>().join(",")
        };
        let update = "*** Update File: tr \n@@\n-a\n+b\n";
        assert_eq!(apply(update, &["tr", "tr "]), "tr=a,tr =b");
        assert_eq!(apply(update, &["tr"]), "tr=b");
        assert_eq!(apply("*** Delete File: tr \n", &["tr", "tr "]), "tr=a");
        assert_eq!(apply("*** Delete File: tr \n", &["tr", "x"]), "x=a");
        assert_eq!(apply("*** Add File: tr \n+b\n", &["x"]), "tr=b,x=a");
        assert_eq!(apply("*** Update File: x\n*** Move to: tr \n", &["x"]), "tr=a");
        assert_eq!(apply("*** Update File: tr \n*** Move to: x\n", &["tr", "tr "]), "tr=a,x=a");
    }
}

/// `git diff` of every kind, in a repository whose folders are named like the prefixes.
#[test]
fn names_are_read_with_any_prefix_and_without() {
    let base = [("f", "1\n"), ("a/f", "2\n"), ("b/f", "3\n"), ("i/w/f", "4\n"), ("w/gone", "5\n")];
    let temp = tempfile::tempdir().unwrap();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(temp.path()).args(["-c", "user.name=n", "-c", "user.email=e"]).args(args);
        let done = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    let put = |path: &str, text: &str| {
        fs::create_dir_all(temp.path().join(path).parent().unwrap()).unwrap();
        fs::write(temp.path().join(path), text).unwrap();
    };
    git(&["init", "-q"]);
    for (path, text) in base {
        put(path, text);
    }
    git(&["add", "."]);
    git(&["commit", "-qm", "1"]);
    for path in ["f", "a/f", "b/f", "i/w/f"] {
        put(path, "changed\n");
    }
    put("b/new", "new\n");
    put("w/empty", "");
    fs::remove_file(temp.path().join("w/gone")).unwrap();
    fs::set_permissions(temp.path().join("b/f"), fs::Permissions::from_mode(0o755)).unwrap();
    git(&["add", "-N", "b/new", "w/empty"]);
    let mnemonic = ["-c", "diff.mnemonicPrefix=true"];
    let kinds: [(&str, &[&str]); 5] = [
        ("usual", &["diff"]),
        ("no prefix", &["diff", "--no-prefix"]),
        ("index and work tree", &[mnemonic[0], mnemonic[1], "diff"]),
        ("commit and work tree", &[mnemonic[0], mnemonic[1], "diff", "HEAD"]),
        ("usual of a commit", &["diff", "HEAD"]),
    ];
    for (kind, args) in kinds {
        let patch = git(args);
        let world = world::World::new();
        for (path, text) in base {
            world.write(path, text);
        }
        world
            .tool("fs_apply_patch", json!({"patch": patch}))
            .unwrap_or_else(|error| panic!("{kind}: {error}\n{patch}"));
        for path in ["f", "a/f", "b/f", "i/w/f"] {
            assert_eq!(fs::read_to_string(world.root().join(path)).unwrap(), "changed\n", "{kind}: {path}");
        }
        let mode = fs::metadata(world.root().join("b/f")).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "{kind}");
        assert_eq!(fs::read_to_string(world.root().join("b/new")).unwrap(), "new\n", "{kind}");
        assert!(world.root().join("w/empty").exists() && !world.root().join("w/gone").exists(), "{kind}");
        let all = snapshot(&world.root()).into_keys().filter(|name| !name.starts_with(b".")).count();
        // Five folders and what is in them, and nothing at a name that was cut too short.
        assert_eq!(all, 5 + 6, "{kind}: {:?}", snapshot(&world.root()).into_keys());
    }
}

fn lines() -> impl Strategy<Value = String> {
    (prop::collection::vec("[a-e]", 0..24), any::<bool>()).prop_map(|(lines, ended)| {
        let mut text = lines.join("\n") + if lines.is_empty() { "" } else { "\n" };
        if !ended {
            text.pop();
        }
        text
    })
}

/// What `git diff` says, as a patch of the file `f`.
fn diff(old: &str, new: &str, context: usize) -> String {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir_all(temp.path().join("a")).unwrap();
    fs::create_dir_all(temp.path().join("b")).unwrap();
    fs::write(temp.path().join("a/f"), old).unwrap();
    fs::write(temp.path().join("b/f"), new).unwrap();
    let mut command = Command::new("git");
    command.current_dir(temp.path()).args([
        "diff",
        "--no-index",
        "--no-prefix",
        &format!("-U{context}"),
        "a/f",
        "b/f",
    ]);
    String::from_utf8(command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap().stdout).unwrap()
}

/// What `git apply` makes of `base`.
fn git_apply(base: &str, patch: &str) -> Option<String> {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("f"), base).unwrap();
    fs::write(temp.path().join("p"), patch).unwrap();
    let mut command = Command::new("git");
    command.current_dir(temp.path()).args(["apply", "--unidiff-zero", "--whitespace=nowarn", "p"]);
    let done =
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CEILING_DIRECTORIES", "/").output().unwrap();
    done.status.success().then(|| fs::read_to_string(temp.path().join("f")).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn a_diff_between_line_ends_is_applied_as_git_applies_it(
        sides in prop::collection::vec(prop::collection::vec("[a-c]\r?\n", 1..8), 2),
        context in prop::sample::select(vec![0_usize, 1, 3]),
    ) {
        let [old, new] = [sides[0].concat(), sides[1].concat()];
        prop_assume!(old != new);
        let patch = diff(&old, &new, context);
        // Where no line of it says anything, the ends around a change decide.
        prop_assume!(patch.contains('\r'));
        let world = world::World::new();
        world.write("f", &old);
        world.tool("fs_apply_patch", json!({"patch": patch})).unwrap();
        prop_assert_eq!(fs::read_to_string(world.root().join("f")).unwrap(), new, "{}", patch);
    }

    #[test]
    fn a_diff_is_applied_as_git_applies_it(
        old in lines(),
        new in lines(),
        context in prop::sample::select(vec![0_usize, 1, 3]),
        above in prop::collection::vec("[a-z]\n", 0..4),
        crlf in any::<bool>(),
    ) {
        prop_assume!(old != new && !old.is_empty() && !new.is_empty());
        let patch = diff(&old, &new, context);
        // Without a line end before there is none to go by.
        let crlf = crlf && old.contains('\n');
        let ends = |text: &str| if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
        let world = world::World::new();
        world.write("f", ends(&old));
        world.tool("fs_apply_patch", json!({"patch": patch})).unwrap();
        prop_assert_eq!(fs::read_to_string(world.root().join("f")).unwrap(), ends(&new), "{}", patch);
        // The same patch on a file that has grown above: what git can do we do too, or what was meant where git guesses, or we
        // ask which place it is.
        let base = above.concat() + &old;
        if context > 0 && let Some(expected) = git_apply(&base, &patch) {
            world.write("f", &base);
            match world.tool("fs_apply_patch", json!({"patch": patch})) {
                Ok(_) => {
                    let ours = fs::read_to_string(world.root().join("f")).unwrap();
                    prop_assert!(ours == expected || ours == above.concat() + &new, "{ours:?}, not {expected:?}: {patch}");
                }
                Err(error) => prop_assert_eq!(error.code, Code::AmbiguousMatch, "{}", patch),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn empty_lines_and_open_ends_are_as_the_diff_says(
        sides in prop::collection::vec((prop::collection::vec(prop::sample::select(vec!["", "", "a", "b"]), 0..5), any::<bool>(), "\r?\n"), 2),
        same_ends in any::<bool>(),
        context in prop::sample::select(vec![0_usize, 1, 3]),
    ) {
        let text = |side: usize| {
            let (lines, ended, end) = &sides[side];
            let end = if same_ends { &sides[0].2 } else { end };
            let text = lines.iter().flat_map(|line| [*line, end.as_str()]).collect::<String>();
            if *ended { text } else { text.strip_suffix(end.as_str()).unwrap_or(&text).to_owned() }
        };
        let (old, new) = (text(0), text(1));
        prop_assume!(old != new);
        let patch = diff(&old, &new, context);
        prop_assert_eq!(patched(&old, &patch), Ok(new.clone()), "{:?} {}", old, patch);
        // The other grammar has no word for the end: the lines are the same.
        if !patch.contains('\r') && !old.is_empty() && context == 3 {
            let body: String = patch.split_inclusive('\n').filter(|line| line.starts_with([' ', '-', '+', '@'])).skip(2)
                .map(|line| if line.starts_with('@') { "@@\n" } else { line }).collect();
            let codex = format!("*** Begin Patch\n*** Update File: f\n{body}*** End Patch\n");
            match patched(&old, &codex) {
                Ok(ours) => prop_assert!(ours.lines().eq(new.lines()), "{ours:?}, not {new:?}: {codex}"),
                Err(code) => prop_assert!(matches!(code, Code::NoChange | Code::AmbiguousMatch), "{codex}"),
            }
        }
    }
}

/// What becomes of a diff of two small files.
fn diffed(patch: &str) -> (Value, World) {
    let world = World::new("");
    world.write("f", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n");
    world.write("d/f", "x\n");
    let done = applied(&world, patch);
    (done, world)
}

fn applied(world: &World, patch: &str) -> Value {
    let mut port = world.connect();
    port.hello();
    let arguments = json!({"patch": patch});
    let mut done = port.call_with("fs_apply_patch", arguments.clone(), meta("t1"));
    if done["resultType"] == "input_required" {
        done = port.call_allowed("fs_apply_patch", arguments, meta("t1"));
    }
    done
}

#[test]
fn no_hunk_is_left_out() {
    let first = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
    let second = "@@ -10,3 +10,3 @@\n j\n-k\n+K\n l\n";
    let names = "--- a/f\n+++ b/f\n";
    for between in ["", "\n", "\n\n", "```\n```diff\n", "...\n", "index 1..2 100644\n"] {
        let (done, world) = diffed(&format!("{names}{first}{between}{second}"));
        assert_eq!(done["structuredContent"]["ok"], true, "{between:?}: {done:#}");
        assert_eq!(world.read("f"), "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nK\nl\n", "{between:?}");
    }
    for (patch, why) in [
        (format!("{names}{first}and then:\n{second}"), "in front of a hunk"),
        (format!("{second}{names}{first}"), "belongs to no file"),
        (format!("{names}{first}--- a/h\n{second}"), ""),
        (format!("{names}{first}\n+more\n"), ""),
        ("--- a/d/f\n+++ b/q\n@@ -1 +1 @@\n-x\n+y\n".to_owned(), "two files"),
    ] {
        let (done, world) = diffed(&patch);
        assert_eq!(done["structuredContent"]["ok"], false, "{patch}: {done:#}");
        assert!(done["structuredContent"]["message"].as_str().unwrap().contains(why), "{patch}: {done:#}");
        assert_eq!(world.read("f"), "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n");
    }
    let renamed = format!("diff --git a/f b/g\nsimilarity index 90%\nrename from f\nrename to g\n\n{first}");
    let (done, world) = diffed(&renamed);
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
    assert!(world.read("g").starts_with("a\nB\n") && !world.workspace().join("f").exists());
}

#[test]
fn a_new_file_has_the_lines_that_stand_below_its_name() {
    for patch in [
        "--- /dev/null\n+++ b/new\n+q1\n+q2\n",
        "--- /dev/null\n+++ b/new\n\n@@ -0,0 +1,2 @@\n+q1\n+q2\n",
        "diff --git a/new b/new\nnew file mode 100644\n+++ b/new\n@@ -0,0 +1,2 @@\n+q1\n+q2\n",
        "diff --git a/new b/new\nnew file mode 100644\nindex 0..1\n\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+q1\n+q2\n",
        "--- new\t1970-01-01 00:00:00.000000000 +0000\n+++ new\t2026-01-01 00:00:00.000000000 +0000\n@@ -0,0 +1,2 @@\n+q1\n+q2\n",
        "diff -ruN one/new two/new\n--- one/new\t1970-01-01 01:00:00.000000000 +0100\n+++ two/new\t2026-01-01 00:00:00.0 +0100\n@@ -0,0 +1,2 @@\n+q1\n+q2\n",
    ] {
        let (done, world) = diffed(patch);
        assert_eq!(done["structuredContent"]["ok"], true, "{patch}: {done:#}");
        assert_eq!(world.read("new"), "q1\nq2\n", "{patch}");
    }
}

#[test]
fn a_diff_that_calls_a_file_by_two_names_changes_the_one_that_is_there() {
    let hunk = "@@ -1,2 +1,2 @@\n a\n-b\n+B\n";
    for names in [
        "--- f\n+++ b/f\n",
        "--- old/f\n+++ new/f\n",
        "--- f.orig\n+++ f\n",
        "--- f\t2026-01-01 00:00:00\n+++ ./f\n",
    ] {
        let (done, world) = diffed(&format!("{names}{hunk}"));
        assert_eq!(done["structuredContent"]["ok"], true, "{names}: {done:#}");
        assert!(world.read("f").starts_with("a\nB\n"), "{names}");
        assert_eq!(fs::read_dir(world.workspace()).unwrap().count(), 2, "{names}");
    }
    let gone = "--- old/d/f\t2026-01-01 00:00:00.0 +0000\n+++ new/d/f\t1970-01-01 00:00:00.0 +0000\n@@ -1 +0,0 @@\n-x\n";
    let (done, world) = diffed(gone);
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
    assert!(!world.workspace().join("d/f").exists());
    // What is new lies where the others lie, told by a time or by `/dev/null`.
    for none in ["--- d.orig/new\t1970-01-01 00:00:00.0 +0000", "--- /dev/null"] {
        let new = format!("{none}\n+++ d/new\t2026-01-01 00:00:00.0 +0000\n@@ -0,0 +1 @@\n+q\n");
        let world = World::new("");
        world.write("d/f", "x\n");
        let done = applied(&world, &format!("--- d.orig/f\n+++ d/f\n@@ -1 +1 @@\n-x\n+y\n{new}"));
        assert_eq!(done["structuredContent"]["ok"], true, "{none}: {done:#}");
        assert_eq!((world.read("d/f").as_str(), world.read("d/new").as_str()), ("y\n", "q\n"), "{none}");
    }
}
