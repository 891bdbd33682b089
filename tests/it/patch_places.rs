//! Where the lines and files of a patch go that tells little of it: by names, by numbers, by empty lines; and how long that takes.

use std::{collections::BTreeMap, fmt::Write as _, fs, os::unix::fs::PermissionsExt as _, process::Command};

use outrigger::tools::Code;
use proptest::prelude::*;
use serde_json::json;

use crate::{
    patch_prose::{Files, patched, refused, ten},
    world::World,
};

const NAMES: &str = "--- a/x\n+++ b/x\n";

fn codex(lines: &str) -> String {
    format!("*** Begin Patch\n*** Update File: x\n{lines}*** End Patch\n")
}

fn one(text: &str) -> Files {
    [("x".to_owned(), text.to_owned())].into()
}

/// Many blocks of the same lines are no harder to tell apart than two.
#[test]
fn the_block_that_is_named_is_found_in_a_long_file() {
    let blocks = |changed: &[usize]| -> String {
        let body = |number: &usize| if changed.contains(number) { "y" } else { "x" };
        (0..1500).fold(String::new(), |text, number| {
            text + &format!("def test_{number}():\n    a = 1\n    assert {}\n\n\n", body(&number))
        })
    };
    let named: Vec<usize> = (3..1500).step_by(75).collect();
    let mut hunks = String::new();
    for number in &named {
        let _ = write!(hunks, "@@ def test_{number}():\n-    assert x\n+    assert y\n");
    }
    for patch in [format!("{NAMES}{hunks}"), codex(&hunks)] {
        assert!(made(&blocks(&[]), &patch) == blocks(&named));
    }
}

/// Who is asked is told that there are other places.
#[test]
fn a_place_that_is_guessed_is_a_reason_to_look() {
    let world = World::new();
    world.write("x", "b:\n  1\nX\n  1\n");
    let plan = world.plan("fs_apply_patch", json!({"patch": codex("@@ b:\n-  1\n+  2\n")})).unwrap().unwrap();
    assert!(plan.reasons.iter().any(|reason| reason.contains("fits at 2 places")), "{:?}", plan.reasons);
    // There is no doubt where the other place stands above all that is named, or in another block of its sort.
    for (text, name) in [("a {\n  1\n}\nb {\n  1\n}\n", "b {"), ("a {\n  1\n}\nb {\n  1\n}\n", "a {")] {
        world.write("x", text);
        let patch = codex(&format!("@@ {name}\n-  1\n+  2\n"));
        assert_eq!(
            world.tool("fs_apply_patch", json!({"patch": patch})).unwrap().warnings,
            Vec::<String>::new()
        );
    }
}

/// As git and patch read it, and as the tool's own description says.
#[test]
fn a_diff_that_says_that_a_file_is_empty_makes_it_or_is_refused() {
    let patch = "--- a/new.py\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+one\n+two\n";
    assert_eq!(patched(&Files::new(), patch).unwrap()["new.py"], "one\ntwo\n");
    assert_eq!(patched(&all(&[("new.py", "")]), patch).unwrap()["new.py"], "one\ntwo\n");
    let error = patched(&all(&[("new.py", "old\n")]), patch).unwrap_err();
    assert!(error.contains("exists") && error.contains("-0,0"), "{error}");
    let above = format!("diff --git a/new.py b/new.py\nindex 1..2 100644\n{patch}");
    assert_eq!(patched(&all(&[("new.py", "old\n")]), &above).unwrap()["new.py"], "one\ntwo\nold\n");
    let link = "diff --git a/l b/l\nindex 1..2 120000\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-t1\n+t2\n";
    assert!(patched(&all(&[("l", "t1\n")]), link).unwrap_err().contains("symbolic link"));
}

/// What becomes of the file `x`.
#[track_caller]
fn made(before: &str, patch: &str) -> String {
    match patched(&one(before), patch) {
        Ok(files) => files["x"].clone(),
        Err(error) => panic!("{error}\n{patch}"),
    }
}

#[test]
fn lines_that_come_in_many_places_take_no_time() {
    let lines: Vec<String> = (0..40_000).map(|line| format!("{line}\n")).collect();
    let come: String = lines.iter().flat_map(|line| [" ", line, "+y\n"]).collect();
    let after: String = lines.iter().flat_map(|line| [line, "y\n"]).collect();
    assert!(made(&lines.concat(), &codex(&format!("@@\n{come}"))) == after);
    // Below, in front of and behind a line as long as a file, in a text with two line ends.
    let long = "x".repeat(2 << 20);
    for (line, front, back, end) in [
        (2, "a\r\n", "", "\r\n"),
        (2, "a\r\n", "\n", "\n"),
        (0, "", "\r\nz\n", "\r\n"),
        (1, "", "\r\nz\n", "\r\n"),
    ] {
        let text = format!("{front}{long}{back}");
        let (mut hunks, mut come) = (String::new(), String::new());
        for new in 1..=10_000 {
            let _ = write!(hunks, "@@ -{line},0 +{new} @@\n+{new}\n");
            let _ = write!(come, "{new}{end}");
        }
        let after = match (line, back) {
            (2, "") => format!("{text}{end}{}", come.trim_end()),
            (2, _) => format!("{text}{come}"),
            (0, _) => format!("{come}{text}"),
            _ => format!("{long}\r\n{come}z\n"),
        };
        assert!(made(&text, &format!("{NAMES}{hunks}")) == after, "{line} {back:?}");
    }
    // The same in one line of a text that is edited.
    let world = World::new();
    world.write("x", format!("a\r\n{}", "x,".repeat(50_000)));
    let edits = json!([{"old_text": ",", "new_text": ",\n", "replace_all": true}]);
    world.tool("fs_edit", json!({"path": "x", "edits": edits})).unwrap();
}

#[test]
fn a_hunk_without_the_lines_that_it_counts_goes_nowhere() {
    let last = "@@ -9 +11 @@\n-9\n+I\n";
    for (numbers, old) in [("-5,6 +5,8", "6 lines"), ("-5,1 +5,2", "1 line"), ("-5 +5", "1 line")] {
        let told = format!("it has {old} of the file");
        refused(&format!("{NAMES}@@ {numbers} @@\n+new\n"), 3, &told);
        refused(&format!("{NAMES}@@ {numbers} @@\n+new\n{last}"), 3, &told);
        refused(&codex(&format!("@@ {numbers} @@\n+new\n")), 3, &told);
    }
    refused(&format!("{NAMES}@@ fn main() {{ @@\n+new\n"), 3, "neither a number nor a line");
    // What the numbers of lines that only come say is done in both grammars.
    for patch in [format!("{NAMES}@@ -5,0 +6,2 @@\n+new\n{last}"), codex("@@ -5,0 +6,2 @@\n+new\n")] {
        assert!(patched(&ten(), &patch).unwrap()["x"].contains("5\nnew\n6\n"), "{patch}");
    }
    assert_eq!(patched(&ten(), &codex("@@\n+new\n")).unwrap()["x"], "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\nnew\n");
    // All lines of a new file come, whatever is said of an old one.
    assert_eq!(patched(&ten(), "--- /dev/null\n+++ b/n\n@@ -1 +1 @@\n+a\n").unwrap()["n"], "a\n");
}

#[test]
fn an_empty_line_is_one_of_the_file_or_separates_hunks() {
    let (first, second) = ("-1\n+A\n", "-9\n+I\n");
    let done = "A\n2\n3\n4\n5\n6\n7\n8\nI\n10\n";
    let mut patches: Vec<String> = [
        "@@\nFIRST\n@@\nSECOND",
        "\n@@\nFIRST@@\nSECOND",
        "@@\n\nFIRST@@\nSECOND",
        "@@\nFIRST\n\n\n@@\n\nSECOND\n",
    ]
    .map(|lines| codex(&lines.replace("FIRST", first).replace("SECOND", second)))
    .into();
    for lines in [
        "@@\nFIRST\n@@\nSECOND",
        "@@\n\nFIRST@@\nSECOND",
        "@@ -1,4 +1,4 @@\nFIRST\n@@ -9 +9 @@\nSECOND",
        "@@ -1,2 +1,2 @@\nFIRST\n@@ -9,2 +9,2 @@\nSECOND\n```\n",
        "@@ -1,2 +1,2 @@\nFIRST\n\n@@ -9,2 +9,2 @@\nSECOND\n\nDone.\n",
        "@@ -1,4 +1,4 @@\nFIRST\n--- a/y\n+++ b/y\n@@ -1 +1,2 @@\n 1\n+Y\n--- a/z\n+++ b/z\n@@ -1 +1,2 @@\n 1\n+Z\n",
    ] {
        let lines = lines.replace("FIRST", first).replace("SECOND", second);
        patches.push(format!("{NAMES}{lines}"));
    }
    let mut files = ten();
    files.insert("z".to_owned(), "1\n".to_owned());
    for patch in &patches {
        let after = patched(&files, patch).unwrap_or_else(|error| panic!("{error}\n{patch}"));
        let expected = if patch.contains("a/y") { done.replace('I', "9") } else { done.to_owned() };
        assert_eq!(after["x"], expected, "{patch}");
    }
    // Where the file has one it counts: it tells which of several places is meant.
    for (before, lines, after) in [
        ("a\nb\na\n\nc\n", "@@\n-a\n+A\n\n@@\n-c\n+C\n", "a\nb\nA\n\nC\n"),
        ("a\nb\n\na\nc\n", "@@\n\n-a\n+A\n@@\n-c\n+C\n", "a\nb\n\nA\nC\n"),
        ("a\nb\na\n\nc\n", "@@\n-a\n+A\n\n\n@@\n-c\n+C\n", "a\nb\nA\n\nC\n"),
        ("a\nb\n\n", "@@\n a\n-b\n+B\n\n*** End of File\n", "a\nB\n\n"),
        ("b\n\nb\n\n", "@@\n-b\n+B\n\n*** End of File\n", "b\n\nB\n\n"),
        ("a\nb\n", "@@\n a\n-b\n+B\n\n*** End of File\n", "a\nB\n"),
        ("f\na\ng\na\n", "@@ g\n\n+new\n\n@@\n-a\n+A\n", "f\na\ng\nnew\nA\n"),
    ] {
        assert_eq!(made(before, &codex(lines)), after, "{lines}");
    }
    // What is left without them stands in two places, or nothing is left.
    for lines in ["@@\n-a\n+A\n\n@@\n-c\n+C\n", "@@\n\n+new\n\n@@\n-c\n+C\n"] {
        assert!(patched(&one("a\nb\na\nc\n"), &codex(lines)).is_err(), "{lines}");
    }
}

/// What `git apply` makes of files.
fn git_apply(files: &Files, patch: &str) -> Option<Vec<(String, String)>> {
    let temp = tempfile::tempdir().unwrap();
    let theirs = temp.path().join("w");
    for (name, text) in files {
        fs::create_dir_all(theirs.join(name).parent().unwrap()).unwrap();
        fs::write(theirs.join(name), text).unwrap();
    }
    fs::write(temp.path().join("p"), patch).unwrap();
    let mut command = Command::new("git");
    command.current_dir(&theirs).args(["apply", "--whitespace=nowarn", "../p"]);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CEILING_DIRECTORIES", temp.path());
    command.output().unwrap().status.success().then(|| crate::patches::files_in(&theirs))
}

#[test]
fn a_prefix_that_somebody_chose_is_no_folder() {
    let files: Files = [("x", "1\n"), ("e f", ""), ("d/y", "1\n"), ("gone", "1\n")]
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .into();
    let hunk = "@@ -1 +1 @@\n-1\n+2\n";
    let new = "@@ -0,0 +1 @@\n+n\n";
    let gone = "@@ -1 +0,0 @@\n-1\n";
    for (one, other) in [("old/", "new/"), ("left/", "r/"), ("a b/", "c/"), ("\u{e9}/", "w/")] {
        for patch in [
            format!(
                "diff --git {one}n {other}n\nnew file mode 100644\nindex 0000000..587be6b\n--- /dev/null\n+++ {other}n\n{new}"
            ),
            format!("diff --git {one}n m {other}n m\nnew file mode 100644\nindex 0000000..e69de29\n"),
            format!("diff --git {one}x {other}x\nindex 1..2 100644\n--- {one}x\n+++ {other}x\n{hunk}"),
            format!("diff --git {one}e f {other}e f\ndeleted file mode 100644\nindex e69de29..0000000\n"),
            format!(
                "diff --git {one}gone {other}gone\ndeleted file mode 100644\n--- {one}gone\n+++ /dev/null\n{gone}"
            ),
            format!(
                "--- {one}x\n+++ {other}x\n{hunk}--- /dev/null\n+++ {other}d/n\n{new}--- {one}gone\n+++ /dev/null\n{gone}"
            ),
        ] {
            let theirs = git_apply(&files, &patch).unwrap_or_else(|| panic!("{patch}"));
            let ours = patched(&files, &patch).unwrap_or_else(|error| panic!("{error}\n{patch}"));
            assert_eq!(ours.into_iter().collect::<Vec<_>>(), theirs, "{patch}");
        }
    }
    // Where the folder is there, and the other files lie in it, a new one does too.
    let patch = format!("--- old/x\n+++ new/x\n{hunk}--- /dev/null\n+++ new/n\n{new}");
    let there: Files = [("new/x".to_owned(), "1\n".to_owned())].into();
    let after: BTreeMap<_, _> =
        [("new/n", "n\n"), ("new/x", "2\n")].map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    assert_eq!(patched(&there, &patch), Ok(after));
    // Alone, or beside names that are alike, nothing says that the first folder is none.
    let alone = format!("--- /dev/null\n+++ src/n\n{new}");
    assert!(patched(&files, &alone).unwrap().contains_key("src/n"));
    let beside = format!("--- x\n+++ x\n{hunk}{alone}");
    assert!(patched(&files, &beside).unwrap().contains_key("src/n"));
}

#[test]
fn a_permission_that_would_go_is_not_left_where_it_is() {
    let world = World::new();
    let patch = "diff --git a/run b/run\nnew mode 100644\n--- a/run\n+++ b/run\n@@ -1 +1 @@\n-1\n+2\n";
    for (mode, is_done) in [(0o755, false), (0o644, true)] {
        fs::set_permissions(world.write("run", "1\n"), fs::Permissions::from_mode(mode)).unwrap();
        let result = world.tool("fs_apply_patch", json!({"patch": patch}));
        assert_eq!(result.is_ok(), is_done, "{mode:o}");
        let told =
            result.err().map(|error| (error.code, error.message.contains("line 2 of the patch takes")));
        assert_eq!(told, (!is_done).then_some((Code::InvalidArgs, true)));
        assert_eq!(
            fs::read_to_string(world.root().join("run")).unwrap(),
            if is_done { "2\n" } else { "1\n" }
        );
    }
}

/// Git compares two folders under its own prefixes: what only one of them has lies where the others lie.
#[test]
fn a_comparison_of_two_folders_changes_and_makes_files_in_one_place() {
    let changed = "diff --git a/old/f b/new/f\nindex 587be6b..975fbec 100644\n--- a/old/f\n+++ b/new/f\n@@ -1 +1 @@\n-x\n+y\n";
    let gone = "diff --git a/old/g b/old/g\ndeleted file mode 100644\nindex 01058d8..0000000\n--- a/old/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n";
    let come = "diff --git a/new/n b/new/n\nnew file mode 100644\nindex 0000000..8ba3a16\n--- /dev/null\n+++ b/new/n\n@@ -0,0 +1 @@\n+n\n";
    let empty = "diff --git a/new/e b/new/e\nnew file mode 100644\nindex 0000000..e69de29\n";
    let files = |all: &[(&str, &str)]| -> Files {
        all.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    };
    let made = patched(&files(&[("f", "x\n"), ("g", "g\n")]), &[changed, gone, come, empty].concat());
    assert_eq!(made.unwrap(), files(&[("f", "y\n"), ("n", "n\n"), ("e", "")]));
    let made = patched(&files(&[("new/f", "x\n")]), &[changed, come, empty].concat());
    assert_eq!(made.unwrap(), files(&[("new/f", "y\n"), ("new/n", "n\n"), ("new/e", "")]));
    // A name that all files have in common says nothing of another one.
    let same = changed.replace("a/old", "a/new");
    let made = patched(&files(&[("new/f", "x\n")]), &[&same, come].concat());
    assert_eq!(made.unwrap(), files(&[("new/f", "y\n"), ("new/n", "n\n")]));
}

fn all(files: &[(&str, &str)]) -> Files {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// What stands at a name as the patch writes it is meant, not what stands behind its first folder.
#[test]
fn a_file_that_a_diff_does_not_name_is_not_changed() {
    let hunk = "@@ -1 +1 @@\n-x\n+y\n";
    for names in [
        "--- a/src/i\n+++ b/lib/i\n",
        "diff --git a/src/i b/lib/i\n--- a/src/i\n+++ b/lib/i\n",
        "--- src/i\n+++ lib/i\n",
        "--- ./src/i\n+++ ./lib/i\n",
    ] {
        let patch = format!("{names}{hunk}");
        for (there, path) in [("src/i", "src/i"), ("lib/i", "lib/i"), ("i", "i")] {
            let mut files = all(&[("i", "x\n"), (there, "x\n")]);
            let made = patched(&files, &patch);
            files.insert(path.to_owned(), "y\n".to_owned());
            assert_eq!(made, Ok(files), "{names} {there}");
        }
        let error = patched(&all(&[("i", "x\n"), ("src/i", "x\n"), ("lib/i", "x\n")]), &patch).unwrap_err();
        assert!(error.contains("`src/i` and `lib/i`, and both are there"), "{error}");
        assert!(error.contains("`rename from`"), "{error}");
    }
    // A version that was put aside is no second file.
    let files = all(&[("d.orig/f", "x\n"), ("d/f", "x\n")]);
    let made = patched(&files, &format!("--- d.orig/f\n+++ d/f\n{hunk}")).unwrap();
    assert_eq!(made, all(&[("d.orig/f", "x\n"), ("d/f", "y\n")]));
    // One place for all of them, though another file stands where one of them could lie.
    let files = all(&[("f", "x\n"), ("g", "x\n"), ("new/f", "x\n")]);
    let made = patched(&files, &format!("--- old/f\n+++ new/f\n{hunk}--- old/g\n+++ new/g\n{hunk}")).unwrap();
    assert_eq!(made, all(&[("f", "y\n"), ("g", "y\n"), ("new/f", "x\n")]));
}

/// Whichever of the two folders is there, and however it is told that a file is new or goes.
#[test]
fn new_files_of_two_folders_lie_where_the_others_are_changed() {
    const NEVER: &str = "1970-01-01 00:00:00.0 +0000";
    const NOW: &str = "2026-01-01 00:00:00.0 +0000";
    let times = format!(
        "--- OLD/f\t{NOW}\n+++ NEW/f\t{NOW}\n@@ -1 +1 @@\n-x\n+y\n--- OLD/n\t{NEVER}\n+++ NEW/n\t{NOW}\n@@ -0,0 +1 @@\n+n\n\
         --- OLD/g\t{NOW}\n+++ NEW/g\t{NEVER}\n@@ -1 +0,0 @@\n-g\n"
    );
    let nulls = "--- OLD/f\n+++ NEW/f\n@@ -1 +1 @@\n-x\n+y\n--- /dev/null\n+++ NEW/n\n@@ -0,0 +1 @@\n+n\n--- OLD/g\n+++ /dev/null\n@@ -1 \
                 +0,0 @@\n-g\n";
    let git = "diff --git a/OLD/f b/NEW/f\n--- a/OLD/f\n+++ b/NEW/f\n@@ -1 +1 @@\n-x\n+y\ndiff --git a/NEW/n b/NEW/n\nnew file mode 100644\n--- \
               /dev/null\n+++ b/NEW/n\n@@ -0,0 +1 @@\n+n\ndiff --git a/OLD/g b/OLD/g\ndeleted file mode 100644\n--- a/OLD/g\n+++ /dev/null\n@@ \
               -1 +0,0 @@\n-g\n";
    let dotted = times.replace("--- ", "--- ./").replace("+++ ", "+++ ./");
    for patch in [&times, nulls, git, &dotted] {
        for (old, new) in [("p", "p.new"), ("p.orig", "p"), ("src", "lib"), ("v1/p", "v2/p")] {
            let patch = patch.replace("OLD", old).replace("NEW", new);
            for front in ["", &format!("{old}/"), &format!("{new}/"), "p/"] {
                if front == "p/" && !new.contains('p') {
                    continue;
                }
                let name = |name: &str| format!("{front}{name}");
                let files: Files = [(name("f"), "x\n".to_owned()), (name("g"), "g\n".to_owned())].into();
                let made = patched(&files, &patch);
                // Two folders of one repository may be meant: a new file is where the patch says, unless a program compared them, or
                // one is called after the other.
                let is_compared = patch.contains("00:00:00.0") || old.contains('p') && !old.contains('/');
                let new_name = match front {
                    _ if is_compared => name("n"),
                    front if front == format!("{old}/") => format!("{new}/n"),
                    _ => name("n"),
                };
                let after: Files = [(name("f"), "y\n".to_owned()), (new_name, "n\n".to_owned())].into();
                // The two folders lie in two others, which say only what was compared.
                if (old, front) == ("v1/p", "") {
                    assert!(made.is_err(), "{patch}");
                } else {
                    assert_eq!(made, Ok(after), "{front:?}\n{patch}");
                }
            }
        }
    }
}

#[test]
fn a_name_whose_other_line_is_missing_is_no_line_of_the_file_above() {
    let files = all(&[("x", "1\n2\n3\n4\n"), ("y", "1\n")]);
    for (numbers, line) in [("-1,3 +1,3", 8), ("-1,9 +1,9", 8), ("", 8)] {
        let head = format!("{NAMES}@@ {numbers}\n 1\n-2\n+B\n 3\n");
        for lost in [
            "+++ b/n\n+x\n+y\n",
            "+++ b/y\n",
            "+++ /dev/null\n",
            "+++ b/y\n@@ -1 +1 @@\n-1\n+Y\n",
            "--- a/y\n-4\n",
        ] {
            let error = patched(&files, &format!("{head}{lost}")).unwrap_err();
            let told = error.contains(&format!("line {line} of the patch")) && error.contains("names a file");
            assert!(told, "{error}\n{head}{lost}");
        }
    }
    // A line of dashes is none.
    let made = patched(&all(&[("x", "1\n-- \n")]), &format!("{NAMES}@@ -1 +1 @@\n-1\n+A\n--- \n"));
    assert_eq!(made, Ok(all(&[("x", "A\n")])));
    // In a hunk that is not complete without them, and where no name begins so, they are lines.
    let files = all(&[("x", "-- a/b\n-- note\nz\n")]);
    for hunk in ["@@ -1,3 +1,2 @@\n--- a/b\n+++ c\n--- note\n z\n", "@@\n-- a/b\n+++ c\n--- note\n z\n"] {
        let hunk = hunk.replace("@@\n-- a/b", "@@\n -- a/b");
        assert!(patched(&files, &format!("{NAMES}{hunk}")).is_ok(), "{hunk}");
    }
}

const FUNCTIONS: &str = "def a():\n    x = 1\n    return None\n\ndef b():\n    x = 2\n    return 0\n\ndef c():\n    x = 3\n    return 0\n";

#[test]
fn a_line_in_place_of_the_numbers_says_where_a_hunk_belongs() {
    let files = one(FUNCTIONS);
    for header in ["@@ def b():", "@@ def b(): @@"] {
        let error =
            patched(&files, &format!("{NAMES}{header}\n-    return None\n+    return 7\n")).unwrap_err();
        assert!(error.contains("at line 3 of `x`, not below the line behind its `@@`"), "{error}");
        let error = patched(&files, &format!("{NAMES}{header}\n-    y\n+    z\n")).unwrap_err();
        assert!(error.contains("has no place"), "{error}");
    }
    // It chooses one of several, as the answer to an ambiguous one says.
    let ambiguous = patched(&files, &format!("{NAMES}@@\n-    return 0\n+    return 7\n")).unwrap_err();
    assert!(ambiguous.contains("name a line above it behind `@@`"), "{ambiguous}");
    for patch in [
        format!("{NAMES}@@ def c():\n-    return 0\n+    return 7\n"),
        codex("@@ def c():\n-    return 0\n+    return 7\n"),
    ] {
        assert_eq!(
            made(FUNCTIONS, &patch),
            FUNCTIONS.replace("3\n    return 0", "3\n    return 7"),
            "{patch}"
        );
    }
    let ambiguous = patched(&files, &codex("@@ -11 +11 @@\n-    return 0\n+    return 7\n")).unwrap_err();
    assert!(!ambiguous.contains("number"), "{ambiguous}");
    // Behind numbers it is what git found near, and dots are no line.
    for header in ["@@ -3 +3 @@ def b():", "@@ -9,2 +9,2 @@ def b():", "@@ ... @@", "@@ -X,Y +X,Y @@"] {
        let patch = format!("{NAMES}{header}\n-    return None\n+    return 7\n");
        assert_eq!(made(FUNCTIONS, &patch), FUNCTIONS.replace("None", "7"), "{header}");
    }
}

#[test]
fn what_stands_above_what_a_hunk_names_is_told_as_that() {
    for (lines, told) in [
        (
            "@@ def c():\n-    x = 3\n+    y\n@@ def a():\n-    x = 1\n+    y\n",
            "line 6 begins below `def a():`, which stands at line 1",
        ),
        ("@@ def b():\n-    x = 1\n+    y\n", "stand at line 2 of `x`, not below the line behind its `@@`"),
        ("@@ def b():\n@@ def a():\n-    x = 1\n+    y\n", "which stands at line 1"),
    ] {
        let error = patched(&one(FUNCTIONS), &codex(lines)).unwrap_err();
        assert!(error.contains(told), "{error}\n{lines}");
    }
    // Lines that only come have no other place.
    let error = patched(&one(FUNCTIONS), &codex("@@ def d():\n+    y\n")).unwrap_err();
    assert!(error.contains("`def d():` behind the `@@`") && error.contains("name the whole line"), "{error}");
}

fn both(lines: &str) -> [String; 2] {
    [format!("{NAMES}{lines}"), codex(lines)]
}

/// What stands behind `@@` and is no line of the file keeps no lines from the one place where they stand, and chooses between several.
#[test]
fn a_hint_behind_the_signs_helps_and_never_hinders() {
    let world = World::new();
    let with = |patch: &str| {
        world.write("x", FUNCTIONS);
        let reply = world.tool("fs_apply_patch", json!({"patch": patch}));
        (fs::read_to_string(world.root().join("x")).unwrap(), reply)
    };
    for (hint, is_told) in [
        ("def b", false),
        ("def b @@", false),
        ("b", false),
        ("in b() @@", true),
        ("line 6 @@", true),
        ("6,2 6,2 @@", true),
        ("existing code @@", true),
        ("Foo.b", true),
        ("def c", true),
    ] {
        for patch in both(&format!("@@ {hint}\n-    x = 2\n+    x = 7\n")) {
            let (after, reply) = with(&patch);
            let warnings = reply.unwrap().warnings;
            assert_eq!(after, FUNCTIONS.replace("x = 2", "x = 7"), "{patch}");
            let told = warnings.iter().any(|said| said.contains("at line 6 of `x` alone"));
            assert_eq!(told, is_told, "{warnings:?}\n{patch}");
        }
    }
    for (hint, after) in [
        ("def b", Some(FUNCTIONS.replace("2\n    return 0", "2\n    return 7"))),
        ("def c", Some(FUNCTIONS.replace("3\n    return 0", "3\n    return 7"))),
        ("def", None),
        ("def a", None),
        ("existing code", None),
    ] {
        for patch in both(&format!("@@ {hint} @@\n-    return 0\n+    return 7\n")) {
            let (made, reply) = with(&patch);
            assert_eq!(
                reply.err().map(|error| error.code),
                after.is_none().then_some(Code::AmbiguousMatch),
                "{patch}"
            );
            assert_eq!(made, after.as_deref().unwrap_or(FUNCTIONS), "{patch}");
        }
    }
}

/// Of several places below a line the first is not meant for certain: only one grammar promises it, and then it is told.
#[test]
fn several_places_below_a_line_are_not_one() {
    let class = format!("class Foo:\n{}", FUNCTIONS.replace("def", "  def").replace("    ", "      "));
    for (file, name) in [(FUNCTIONS, "def a():"), (class.as_str(), "class Foo:")] {
        let zero = file.lines().find(|line| line.ends_with("return 0")).unwrap();
        let [diff, codex] = both(&format!("@@ {name}\n-{zero}\n+{zero}7\n"));
        let error = patched(&one(file), &diff).unwrap_err();
        assert!(error.contains("at 2 places") && error.contains("nearer above it"), "{error}");
        let world = World::new();
        world.write("x", file);
        let warnings = world.tool("fs_apply_patch", json!({"patch": codex})).unwrap().warnings;
        assert!(
            warnings.iter().any(|said| said.contains("fits at 2 places of `x`; the first")),
            "{warnings:?}"
        );
        let made = fs::read_to_string(world.root().join("x")).unwrap();
        assert_eq!(made, file.replacen("return 0", "return 07", 1));
    }
    // In the next function, which is not the one that is named, stands the only one below it.
    let file = FUNCTIONS.replace("2\n    return 0", "2\n    return 1").replace("return None", "return 0");
    let patch = format!("{NAMES}@@ def b():\n-    return 0\n+    return 7\n");
    assert!(patched(&one(&file), &patch).unwrap_err().contains("at 2 places"));
}

#[test]
fn hunks_below_the_same_line_follow_each_other() {
    let first = "@@ def b():\n-    x = 2\n+    x = 7\n";
    let after = FUNCTIONS.replace("x = 2\n    return 0", "x = 7\n    return 7");
    for name in ["def b():", "def b", "def b(): @@"] {
        for patch in both(&format!("{first}@@ {name}\n-    return 0\n+    return 7\n")) {
            assert_eq!(made(FUNCTIONS, &patch), after, "{patch}");
        }
    }
    // The line that is named may be one of the hunk, not only its first.
    for patch in both("@@ def c():\n \n def c():\n-    x = 3\n+    x = 7\n") {
        assert_eq!(made(FUNCTIONS, &patch), FUNCTIONS.replace("x = 3", "x = 7"), "{patch}");
    }
    // The same name once more further down: either could be meant.
    let file = format!("{FUNCTIONS}\nclass D:\n  def b():\n    return 0\n");
    for patch in both(&format!("{first}@@ def b():\n-    return 0\n+    return 7\n")) {
        let error = patched(&one(&file), &patch).unwrap_err();
        assert!(error.contains("at 3 places"), "{error}");
    }
}

/// A file that comes is made where the patch says, also where another one keeps its place under one of two names.
#[test]
fn a_new_file_is_where_the_patch_says() {
    let hunk = "@@ -1 +1 @@\n-x\n+y\n";
    let files = all(&[("src/x", "x\n")]);
    for (names, new) in [("--- src/x\n+++ lib/x\n", "lib/n"), ("--- a/src/x\n+++ b/lib/x\n", "b/lib/n")] {
        let patch = format!("{names}{hunk}--- /dev/null\n+++ {new}\n@@ -0,0 +1 @@\n+n\n");
        for more in [&[][..], &[("lib/z", "z\n")], &[("x", "x\n")]] {
            let (mut before, mut after) = (files.clone(), all(&[("src/x", "y\n"), ("lib/n", "n\n")]));
            before.extend(all(more));
            after.extend(all(more));
            assert_eq!(patched(&before, &patch), Ok(after), "{patch}");
        }
    }
    // Of a comparison both folders are there.
    let compared = format!("--- p/x\n+++ p.new/x\n{hunk}--- /dev/null\n+++ p.new/n\n@@ -0,0 +1 @@\n+n\n");
    let made = patched(&all(&[("p/x", "x\n"), ("p.new/z", "z\n")]), &compared);
    assert_eq!(made, Ok(all(&[("p/x", "y\n"), ("p.new/z", "z\n"), ("p.new/n", "n\n")])));
}

#[test]
fn a_blocked_name_is_told_as_that() {
    for there in [&[][..], &[("old/.env", "x\n")]] {
        let error = patched(&all(there), "--- old/.env\n+++ new/.env\n@@ -1 +1 @@\n-x\n+y\n").unwrap_err();
        assert!(error.contains("blocked") && !error.contains("both are there"), "{error}");
    }
}

/// A removed comment of SQL reads as a name; with a short count it stands behind what was counted.
#[test]
fn a_comment_behind_the_counted_lines_is_a_line_of_the_hunk() {
    let sql = "create table a (\n  id int\n);\n-- the old index\n-- is slow\ncreate index i on a (id);\n";
    let lines = "   id int\n );\n--- the old index\n--- is slow\n create index i on a (id);\n";
    for numbers in ["-2,5 +2,3", "-2,4 +2,2", "-2,3 +2,2", "-2,3 +2,3", "-2,2 +2,2", "-2,4 +2,3"] {
        let patch = format!("{NAMES}@@ {numbers} @@\n{lines}");
        assert_eq!(made(sql, &patch), sql.replace("-- the old index\n-- is slow\n", ""), "{numbers}");
    }
    let replaced = "@@ -3,2 +3,2 @@\n );\n--- the old index\n+-- the new index\n--- is slow\n+-- is fast\n";
    assert_eq!(made(sql, &format!("{NAMES}{replaced}")), sql.replace("old", "new").replace("slow", "fast"));
    // A name alone still is none, with and without a prefix.
    for lost in ["+++ b/n\n+x\n", "+++ n.txt\n+x\n", "+++ Makefile\n+x\n", "--- a/n\n", "--- d/n\n"] {
        let error = patched(
            &one(sql),
            &format!("{NAMES}@@ -1,1 +1,1 @@\n-create table a (\n+create table b (\n{lost}"),
        );
        assert!(error.unwrap_err().contains("names a file"), "{lost}");
    }
}

/// A script of comments and statements, none of which stands twice, and the same with some of its lines changed.
fn scripts() -> impl Strategy<Value = (Vec<String>, Vec<(usize, bool)>)> {
    (2..14_usize, prop::collection::vec((0..14_usize, any::<bool>()), 1..4)).prop_map(|(count, changes)| {
        let line = |number: usize| match number % 3 {
            0 => format!("-- comment {number}"),
            1 => format!("++ n{number};"),
            _ => format!("select {number};"),
        };
        let lines: Vec<String> = (0..count).map(line).collect();
        (lines, changes.into_iter().filter(|(at, _)| *at < count).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    /// Lines that stand once are changed, however they are counted, numbered and named.
    #[test]
    fn a_miscounted_hunk_is_where_its_lines_stand(
        (lines, changes) in scripts(),
        short in (0..3_u32, 0..3_u32),
        start in 1..9_u32,
        header in prop::sample::select(vec!["numbers", "bare", "hint", "above"]),
        context in 1..4_usize,
    ) {
        let changed: BTreeMap<usize, bool> = changes.into_iter().collect();
        let (Some((first, _)), Some((last, _))) = (changed.first_key_value(), changed.last_key_value()) else {
            return Ok(());
        };
        let (from, to) = (first.saturating_sub(context), (last + 1 + context).min(lines.len()));
        let (mut hunk, mut after) = (String::new(), Vec::new());
        let (mut old, mut new) = (0, 0);
        for (at, line) in lines.iter().enumerate() {
            let (way, stays) = (changed.get(&at), !changed.contains_key(&at));
            let text = if stays { line.clone() } else { format!("-- changed {at}") };
            let comes = way != Some(&false);
            if comes {
                after.push(text.clone());
            }
            if (from..to).contains(&at) {
                (old, new) = (old + 1, new + u32::from(comes));
                let _ = match (stays, comes) {
                    (true, _) => writeln!(hunk, " {line}"),
                    (false, true) => writeln!(hunk, "-{line}\n+{text}"),
                    (false, false) => writeln!(hunk, "-{line}"),
                };
            }
        }
        let count = |count: u32, short: u32| count.saturating_sub(short).max(1);
        let header = match header {
            "numbers" => format!("@@ -{start},{} +{start},{} @@", count(old, short.0), count(new, short.1)),
            "hint" => "@@ the lines below @@".to_owned(),
            "above" if from > 0 => format!("@@ {} @@", lines[from - 1].trim_start_matches(['-', '+', ' '])),
            _ => "@@".to_owned(),
        };
        let text = |lines: &[String]| lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect::<String>();
        prop_assume!(!after.is_empty());
        let patch = format!("{NAMES}{header}\n{hunk}");
        prop_assert_eq!(patched(&one(&text(&lines)), &patch), Ok(one(&text(&after))), "{}", patch);
    }
}

#[test]
fn lines_of_a_hunk_are_whole_where_the_nearest_place_is_looked_for() {
    let world = World::new();
    for (lines, differs) in [
        (" const a = foo();\n-const b = bar()\n", "at line 2, column 16"),
        ("-ist a = foo();\n const b = bar();\n", "at line 1, column 1"),
        ("-const a = foo();\n const b = bar();\n const c = baz()\n", "at line 3, column 16"),
    ] {
        for patch in [format!("{NAMES}@@\n{lines}"), codex(&format!("@@\n{lines}"))] {
            world.write("x", "const a = foo();\nconst b = bar();\nconst c = baz();");
            let error = world.tool("fs_apply_patch", json!({"patch": patch})).unwrap_err();
            let near = error.candidates.iter().any(|near| near.contains(differs));
            assert!(
                near && error.hint.contains("compare with the candidates"),
                "{:?}\n{patch}",
                error.candidates
            );
        }
    }
}

/// A file that the patch deletes and adds again is the same one afterwards, whatever its bytes stand for.
#[test]
fn a_file_that_is_replaced_keeps_its_encoding() {
    let bytes_of = |text: &str, mark: &[u8], wide: bool| -> Vec<u8> {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        if wide { mark.iter().copied().chain(units).collect() } else { [mark, text.as_bytes()].concat() }
    };
    let world = World::new();
    let patch = "*** Begin Patch\n*** Delete File: x\n*** Add File: x\n+é one\n+3\n*** End Patch\n";
    for (mark, wide) in [(&b"\xef\xbb\xbf"[..], false), (b"\xff\xfe", true), (b"", false)] {
        world.write("x", bytes_of("é one\r\nthree\r\n", mark, wide));
        world.tool("fs_apply_patch", json!({"patch": patch})).unwrap();
        assert_eq!(fs::read(world.root().join("x")).unwrap(), bytes_of("é one\r\n3\r\n", mark, wide));
    }
    let old = b"Stra\xdfe, gr\xfc\xdfe an alle \xe9\nthree\n";
    world.write("x", old);
    world.tool("fs_apply_patch", json!({"patch": patch})).unwrap();
    assert_eq!(fs::read(world.root().join("x")).unwrap(), b"\xe9 one\n3\n");
    world.write("x", old);
    let error = world.tool("fs_apply_patch", json!({"patch": patch.replace("+3", "+→")})).unwrap_err();
    assert_eq!(error.code, Code::EncodingUnsupported);
    assert_eq!(fs::read(world.root().join("x")).unwrap(), old);
}
