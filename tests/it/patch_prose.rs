//! What stands around the parts of a patch: a sentence is overlooked, and what could be a part of it is made or refuses all of it.

use std::{collections::BTreeMap, fs};

use outrigger::tools::Code;
use proptest::prelude::*;
use serde_json::json;

use crate::world::{World, git_command};

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
const NAMES: &str = "--- a/x\n+++ b/x\n";
const FIRST: &str = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+A\n";
const CONTEXT: &str = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-1\n+A\n 2\n";

pub type Files = BTreeMap<String, String>;

fn world_of(files: &Files) -> World {
    let world = World::new();
    for (name, text) in files {
        world.write(name, text);
    }
    world
}

pub fn ten() -> Files {
    [("x", TEN), ("y", "1\n"), ("dash", "1\n2\n- \n4\n")]
        .map(|(name, text)| (name.into(), text.into()))
        .into()
}

fn files_of(world: &World) -> Files {
    let all = crate::patches::files_in(&world.root());
    all.into_iter().collect()
}

/// What a patch makes of files: all of them, or its message where none is touched.
#[track_caller]
pub fn patched(files: &Files, patch: &str) -> Result<Files, String> {
    let world = world_of(files);
    let result = world.tool("fs_apply_patch", json!({"patch": patch}));
    let after = files_of(&world);
    match result {
        Ok(_) => Ok(after),
        Err(error) => {
            assert_eq!(after, *files, "refused, but changed: {error}\n{patch}");
            assert_ne!(error.code, Code::Internal, "{error}");
            Err(format!("{error} | {}", error.hint))
        }
    }
}

#[track_caller]
pub fn refused(patch: &str, line: usize, told: &str) {
    match patched(&ten(), patch) {
        Ok(after) => panic!("made a part of it: {after:?}\n{patch}"),
        Err(error) => {
            let is_there = error.contains(&format!("line {line} of the patch")) && error.contains(told);
            assert!(is_there, "{error}, not line {line} and {told:?}\n{patch}");
        }
    }
}

#[test]
fn a_hunk_behind_an_odd_line_is_not_left_out() {
    for odd in ["Then:", "foo bar", "// other part", "-- \n2.40.1\n\nAnd:"] {
        for header in ["@@", "@@ ... @@", "@@ fn main() {", "@@ -5 +5 @@", "@@@ -5 +5 @@@"] {
            refused(&format!("{FIRST}{odd}\n{header}\n-5\n+E\n"), 6, "in front of a hunk");
        }
        refused(&format!("{NAMES}@@\n-1\n+A\n{odd}\n@@\n-5\n+E\n"), 6, "");
    }
    let fenced = format!("```diff\n{FIRST}```\nand\n```diff\n@@\n-5\n+E\n```\n");
    refused(&fenced, 8, "in front of a hunk");
    refused(&format!("{FIRST}And:\n  @@ -5 +5 @@\n  -5\n  +E\n"), 7, "indented");
    refused(&format!("@@\n-5\n+E\n\n{FIRST}"), 1, "belongs to no file");
    refused(&format!("{NAMES}@@ -1 +1 @@\n@@ -5 +5 @@\n-5\n+E\n"), 3, "no lines");
}

#[test]
fn lines_with_a_sign_are_not_left_out() {
    for between in ["...\n", "# next\n", "foo\n", "```\n```diff\n", "...\n\n```\n"] {
        let line = 7 + between.matches('\n').count();
        refused(&format!("{CONTEXT}{between}-5\n+E\n 6\n"), line, "`@@`");
        refused(&format!("{CONTEXT}{between}+E\n"), line, "`@@`");
        refused(&format!("{CONTEXT}{between}-    5\n"), line, "`@@`");
    }
    refused(&format!("{CONTEXT}...\n- 5\n- 6\n"), 8, "`@@`");
    refused(&format!("{CONTEXT}And:\n- 5\n+ E\n"), 8, "`@@`");
    refused(&format!("{CONTEXT}And:\n  -5\n  +E\n"), 8, "indented");
    refused(&format!("In x:\n-5\n+E\n{CONTEXT}"), 2, "`@@`");
    refused("*** Begin Patch\n*** Delete File: y\n*** End Patch\n-5\n+E\n", 4, "one end");
    refused("x:\n-5\n+E\n*** Begin Patch\n*** Delete File: y\n*** End Patch\n", 2, "`@@`");
    for head in [
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n",
        "diff --git a/x b/z\nsimilarity index 90%\nrename from x\nrename to z\n--- a/x\n+++ b/z\n",
    ] {
        let line = head.matches('\n').count() + 1;
        refused(&format!("{head}-1\n+A\n"), line, "`@@`");
        refused(&format!("{head} @@ -1 +1 @@\n-1\n+A\n"), line, "indented");
    }
}

#[test]
fn a_line_below_one_that_lost_its_blank_is_not_left_out() {
    for lost in ["2", "public x", "Done.", "2\n3"] {
        let line = 6 + lost.matches('\n').count() + 1;
        for (gone, told) in [
            ("- 5", "`@@`"),
            ("- * gone", "`@@`"),
            ("\t-5", "blanks"),
            ("  - 5", "blanks"),
            ("\t+ x", "blanks"),
        ] {
            refused(&format!("{FIRST}{lost}\n{gone}\n"), line, told);
        }
    }
    refused(&format!("{FIRST}\t-4\n\t-5\n"), 6, "blanks");
    refused(&format!("commit 1234567890\n\n    words\n\n{FIRST}\t-4\n"), 10, "blanks");
    refused(&format!("{FIRST}Done.\n\n- a list\n"), 8, "`@@`");
    for rest in ["\nDone:\n- a list\n  - in a list\n", "```\nDone:\n- a list\n", "\n\t- in a list\n"] {
        assert!(patched(&ten(), &format!("{FIRST}{rest}")).is_ok(), "{rest}");
    }
}

#[test]
fn a_signature_of_ones_own_ends_a_mail() {
    let mail = "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: [PATCH] x\n\n---\n x | 2 +-\n\n";
    let names = "--- a/dash\n+++ b/dash\n@@ -1,2 +1,2 @@\n 1\n-2\n+B\n";
    for end in ["-- \nAnn\n", "-- \nAnn of\nExample\n\n", "-- \n2.40.1\n\n"] {
        for patch in [format!("{mail}{names}{end}"), format!("{mail}{names}{end}\n{mail}{FIRST}{end}")] {
            let after = patched(&ten(), &patch).unwrap_or_else(|error| panic!("{error}\n{patch}"));
            assert_eq!(after["dash"], "1\nB\n- \n4\n", "{patch}");
        }
    }
    // Outside of a mail, in front of more lines of the hunk, and alone it is a line that goes.
    refused(&format!("{names}-- \nAnn\n"), 8, "begins with");
    for rest in ["-- \n", "-- \n 4\n", "-- \n```\n"] {
        let after = patched(&ten(), &format!("{mail}{names}{rest}")).unwrap();
        assert_eq!(after["dash"], "1\nB\n4\n", "{rest:?}");
    }
}

#[test]
fn a_line_behind_the_numbers_of_a_hunk_is_not_left_out() {
    for header in ["@@ -1,2 +1,2 @@ -1", "@@ ... @@ -1", "@@ -1", "@@ @@ -1"] {
        refused(&format!("{NAMES}{header}\n+A\n 2\n"), 3, "behind its `@@`");
    }
    let codex = "*** Begin Patch\n*** Update File: x\n@@ -1,2 +1,2 @@ -1\n+A\n 2\n*** End Patch\n";
    refused(codex, 2, "");
    // A line above the hunk may begin so, as methods of Objective-C do.
    let files: Files = [("x".to_owned(), "- (void)f {\n1\n2\n".to_owned())].into();
    for patch in [
        format!("{NAMES}@@ -2,2 +2,2 @@ - (void)f {{\n-1\n+A\n 2\n"),
        "*** Begin Patch\n*** Update File: x\n@@ -2,2 +2,2 @@ - (void)f {\n-1\n+A\n 2\n*** End Patch\n"
            .to_owned(),
    ] {
        assert_eq!(patched(&files, &patch).unwrap()["x"], "- (void)f {\nA\n2\n", "{patch}");
    }
}

#[test]
fn a_removed_line_that_reads_as_a_signature_is_a_line() {
    let names = "--- a/dash\n+++ b/dash\n";
    for (numbers, rest, after) in [
        ("@@ -1,5 +1,5 @@", " 4\n", "1\nB\nc\n4\n"),
        ("@@ -1,2 +1,2 @@", " 4\n", "1\nB\nc\n4\n"),
        ("@@ @@", "-4\n", "1\nB\nc\n"),
        ("@@", "-4\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-1\n+Q\n", "1\nB\nc\n"),
    ] {
        let patch = format!("{names}{numbers}\n 1\n-2\n+B\n-- \n+c\n{rest}");
        let files = patched(&ten(), &patch).unwrap_or_else(|error| panic!("{error}\n{patch}"));
        assert_eq!(files["dash"], after, "{patch}");
    }
    let counted = format!("{names}@@ -1,2 +1,2 @@\n 1\n-2\n+B\n");
    for end in ["-- \n2.40.1\n", "-- \n2.39.2 (Apple Git-143)\n\n", "--\n2.40.1\n\n"] {
        assert_eq!(patched(&ten(), &format!("{counted}{end}")).unwrap()["dash"], "1\nB\n- \n4\n", "{end:?}");
        let uncounted = counted.replace("-1,2 +1,2", "");
        assert_eq!(
            patched(&ten(), &format!("{uncounted}{end}")).unwrap()["dash"],
            "1\nB\n- \n4\n",
            "{end:?}"
        );
    }
}

#[test]
fn what_another_grammar_or_no_grammar_says_is_not_left_out() {
    for (rest, told) in [
        ("*** Add File: n.txt\n+hello\n", "one grammar"),
        ("*** Delete File: y\n", "one grammar"),
        ("*** Begin Patch\n*** Add File: n.txt\n+hello\n*** End Patch\n", "one grammar"),
        ("And:\n  *** Update File: y\n@@\n-1\n+2\n", "one grammar"),
        ("*** End Patch\n", "one grammar"),
        ("rename from y\nrename to r\n", "diff --git"),
        ("diff a/y b/r\nrename from y\nrename to r\n", "diff --git"),
        ("old mode 100644\nnew mode 100755\n", "diff --git"),
        ("Binary files a/p.png and b/p.png differ\n", "leave that file out"),
        ("GIT binary patch\nliteral 3\n", "leave that file out"),
        ("Only in b: n.txt\n", "leave that file out"),
        ("Only in b: my file.txt\n", "leave that file out"),
        ("Only in b/d: my file.txt\n", "leave that file out"),
        ("File a/g is a regular file while file b/g is a directory\n", "leave that file out"),
        ("Symbolic links a/l and b/l differ\n", "leave that file out"),
        ("Submodule sub 1234567..89abcde:\n  > more\n", "leave that file out"),
        ("```\n--- a/y\n", "+++ b/PATH"),
        ("```\n--- a/y\n\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n", "+++ b/PATH"),
        ("diff --cc y\nindex 1,2..3\n", "against one parent"),
        ("5c5\n< 5\n---\n> E\n", "unified diff"),
        ("***************\n*** 5,6 ****\n! 5\n  6\n", "unified diff"),
        ("<<<<<<< SEARCH\n5\n=======\nE\n>>>>>>> REPLACE\n", "unified diff"),
        ("\n\\ No newline at end of file\n", "`@@`"),
    ] {
        let lines = rest.lines().position(told_at).unwrap_or_default();
        refused(&format!("{FIRST}{rest}"), 6 + lines, told);
    }
    refused("new file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n", 1, "diff --git");
    refused("rename from x\nrename to z\n--- a/x\n+++ b/z\n@@ -1 +1 @@\n-1\n+A\n", 1, "diff --git");
    refused(
        "*** Update File: y\n@@\n-1\n+2\n*** Begin Patch\n*** Delete File: x\n*** End Patch\n",
        1,
        "one grammar",
    );
}

/// Nothing is to be said against the others.
fn told_at(line: &str) -> bool {
    !["", "And:", "```", "diff a/y b/r"].contains(&line)
}

#[test]
fn what_git_says_of_one_file_is_not_done_to_another() {
    let names = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+A\n";
    let told = "these names";
    refused(
        &format!("diff --git a/y b/z\nsimilarity index 90%\nrename from y\nrename to z\n{names}"),
        5,
        told,
    );
    refused(
        &format!("diff --git a/x b/z\nsimilarity index 90%\nrename from x\nrename to z\n{names}"),
        5,
        told,
    );
    refused(&format!("diff --git a/y b/y\nold mode 100644\nnew mode 100755\n{names}"), 4, told);
    refused(&format!("diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n{names}"), 4, told);
    refused(&format!("diff --git a/y b/y\ndeleted file mode 100644\n{names}"), 3, told);
    let gone = "--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n";
    refused(&format!("diff --git a/x b/x\ndeleted file mode 100644\n{gone}"), 3, told);
    refused(&format!("diff --git a/y b/y\nold mode 100644\nnew mode 100755\n{gone}"), 4, told);
    refused("diff --git a/y b/y\n+++ b/x\n@@ -1 +1 @@\n-1\n+A\n", 1, "no hunk");
    for half in ["rename from y\n", "rename to y\n"] {
        refused(
            &format!("diff --git a/y b/y\n{half}--- a/y\n+++ b/y\n@@ -1 +1 @@\n-1\n+A\n"),
            1,
            "is missing",
        );
    }
    let both = "deleted file mode 100644\nrename from y\nrename to z\n";
    refused(&format!("diff --git a/y b/z\n{both}"), 1, "cannot all");
    let fits = "diff --git a/y b/z\nsimilarity index 90%\nrename from y\nrename to z\n--- a/y\n+++ b/z\n@@ -1 +1 @@\n-1\n+A\n";
    assert_eq!(patched(&ten(), fits).unwrap()["z"], "A\n");
}

#[test]
fn a_new_file_is_not_glued_together_from_pieces() {
    let names = "--- /dev/null\n+++ b/n\n";
    for (rest, line) in [
        ("@@ -0,0 +1,2 @@\n+a\n+b\n@@ -10,2 +12,2 @@\n k\n-l\n+m\n", 7),
        ("@@ -0,0 +1,2 @@\n+a\n+b\n@@ -0,0 +12 @@\n+m\n", 6),
        ("@@ -0,0 +1,2 @@\n+a\n-l\n", 5),
        ("@@ -1 +1,2 @@\n+a\n-l\n+b\n", 5),
        ("@@\n+a\n k\n", 5),
        ("+a\n\n+b\n", 4),
        ("@@ -0,0 +1,2 @@\n+a\n\n+b\n", 5),
        ("+a\nb\n+c\n", 4),
    ] {
        refused(&format!("{names}{rest}"), line, "");
    }
    for rest in ["@@ -0,0 +1,9 @@\n+a\n+b\n\n", "@@\n+a\n+b\n\n\n", "+a\n+b\n"] {
        let patch = format!("{names}{rest}diff --git a/x b/x\n{FIRST}");
        let files = patched(&ten(), &patch).unwrap_or_else(|error| panic!("{error}\n{patch}"));
        assert_eq!(
            (files["n"].as_str(), files["x"].as_str()),
            ("a\nb\n", &*TEN.replacen('1', "A", 1)),
            "{patch}"
        );
    }
    let blank = patched(&ten(), &format!("{names}@@ -0,0 +1,3 @@\n+a\n\n+b\n")).unwrap();
    assert_eq!(blank["n"], "a\n\nb\n");
    refused("--- a/y\n+++ /dev/null\n@@ -1 +1 @@\n-1\n+2\n", 3, "deleted");
}

#[test]
fn what_people_programs_and_models_write_around_a_patch_is_overlooked() {
    let mail = "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\nFrom: Ann <ann@example.org>\nDate: Mon, 1 Jan 2024 \
                10:00:00 +0100\nSubject: [PATCH 1/2] x: begin with a letter\n\n--color is as it was, and\n-1 is no number here:\n+ none\n\nrename to \
                nothing\n---\n x   | 2 +-\n dir | 9 +++++----\n 2 files changed, 1 insertion(+), 1 deletion(-)\n create mode 100644 d/n\n rename q => \
                r (90%)\n\n";
    let shown = "commit 1234567890123456789012345678901234567890 (HEAD -> main)\nAuthor: Ann <ann@example.org>\nDate:   Mon Jan 1 10:00:00 2024 \
                 +0100\n\n    x: begin with a letter\n\n    -a\n    +b\n\n";
    let git = format!("diff --git a/x b/x\nindex 1234567..89abcde 100644\n{FIRST}");
    let timed = FIRST
        .replace("a/x", "a/x\t2024-01-01 10:00:00.000000000 +0100")
        .replace("b/x", "b/x\t2024-01-01 10:00:00 +0100");
    for patch in [
        format!("{mail}{git}-- \n2.40.1\n\n"),
        format!("{mail}{git}-- \n2.40.1\n\n{}", mail.replace("1/2", "2/2")),
        format!("{shown}{git}\n{shown}"),
        format!("Here is the patch:\n\n```diff\n{FIRST}```\n\nIt does this:\n- a letter\n- nothing else\n\n---\n\n* one\n1. two\n"),
        format!("Plan\n---\n- one\n- two\n  - three\n\n{git}\nThat is all.\n"),
        format!("{timed}\n\n---\n\nDone. **Note**: `x` begins with a letter.\n"),
        format!("diff -u a/x b/x\n{timed}"),
        format!("Index: x\n===================================================================\n{FIRST}"),
        format!("cat > p <<'EOF'\n{FIRST}EOF\n"),
        format!("new file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n{git}"),
        format!("\u{feff}{git}"),
        format!("\u{feff}{FIRST}"),
        "\u{feff}*** Begin Patch\n*** Update File: x\n@@\n-1\n+A\n 2\n*** End Patch\n".to_owned(),
        "I change:\n- one line\n\n```\n*** Begin Patch\n*** Update File: x\n@@\n-1\n+A\n 2\n*** End Patch\n```\n".to_owned(),
        format!("Only in debug builds: it is slower. Binary files stay.\ncopy to clipboard is off\n{FIRST}"),
    ] {
        let files = patched(&ten(), &patch).unwrap_or_else(|error| panic!("{error}\n{patch}"));
        assert_eq!(files["x"], TEN.replacen('1', "A", 1), "{patch}");
    }
}

#[test]
fn blank_lines_without_their_space_are_lines_of_the_file() {
    let codex = |lines: &str| format!("*** Begin Patch\n*** Update File: x\n@@\n{lines}*** End Patch\n");
    for (before, lines, after) in [
        ("i\n\n\nb\n", " i\n\n\n-b\n+c\n", "i\n\n\nc\n"),
        ("e\n\nx\n\ne\n\n\nx\n", " e\n\n\n-x\n+y\n", "e\n\nx\n\ne\n\n\ny\n"),
        ("a\n\n\n\nz\n", " a\n\n\n+N\n\n z\n", "a\n\n\nN\n\nz\n"),
        ("a\n\n  \nz\n", " a\n\n   \n+N\n z\n", "a\n\n  \nN\nz\n"),
        ("a\nb\n", "-a\n+c\n\n\n", "c\nb\n"),
    ] {
        let files: Files = [("x".to_owned(), before.to_owned())].into();
        let patch = codex(lines);
        let made = patched(&files, &patch).unwrap_or_else(|error| panic!("{error}\n{patch}"));
        assert_eq!(made["x"], after, "{patch}");
    }
}

#[test]
fn a_patch_of_empty_lines_takes_no_time() {
    let lines = "\n".repeat(400_000);
    for (patch, is_made) in [
        (format!("{NAMES}@@\n{lines} x\n"), false),
        (format!("{NAMES}@@\n-1\n{lines}"), true),
        (format!("{FIRST}{lines}x\n{lines}"), true),
        (format!("*** Begin Patch\n*** Update File: x\n@@\n{lines} x\n*** End Patch\n"), false),
        (format!("{lines}*** Begin Patch\n*** Update File: x\n@@\n-1\n{lines}*** End Patch\n"), true),
    ] {
        assert_eq!(patched(&ten(), &patch).is_ok(), is_made, "{}", patch.trim());
    }
}

/// Names, and lines before and after: `None` where there is no such file.
fn trees() -> impl Strategy<Value = (Files, Files)> {
    let odd = prop::sample::select(vec![
        "",
        "",
        "}",
        "- ",
        "-- x",
        "++ y",
        "--- a/q",
        "+++ b/q",
        "@@ z",
        "-",
        "+",
        " ",
        "```",
        "*** End Patch",
        "*** Add File: z",
        "rename from q",
        "- item",
        "  - item",
    ]);
    let line = prop_oneof![3 => (0..200_u32).prop_map(|number| format!("L{number}")), 1 => odd.prop_map(str::to_owned)];
    let changes = prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, line.clone()), 1..5);
    let file = (prop::collection::vec(line, 1..40), changes, 0..8_u8, any::<bool>());
    prop::collection::vec(file, 1..4).prop_map(|files| {
        let (mut old, mut new) = (Files::new(), Files::new());
        for (number, (before, changes, kind, ended)) in files.into_iter().enumerate() {
            let mut after = before.clone();
            for (place, way, line) in changes {
                let at = place.index(after.len() + 1);
                match way {
                    0 => after.insert(at, line),
                    1 if at < after.len() && after.len() > 1 => drop(after.remove(at)),
                    _ if at < after.len() => after[at] = line,
                    _ => after.push(line),
                }
            }
            let text = |lines: &[String]| lines.join("\n") + if ended { "\n" } else { "" };
            let name = format!("f{number}");
            if kind != 0 {
                old.insert(name.clone(), text(&before));
            }
            let name = if kind == 2 { format!("d/r{number}") } else { name };
            if kind != 1 {
                new.insert(name, text(&after));
            }
        }
        (old, new)
    })
}

fn git_diff(old: &Files, new: &Files, context: usize) -> String {
    let temp = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let done = git_command(temp.path()).args(arguments).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    git(&["init", "-q"]);
    let tree = |files: &Files| {
        for (name, text) in files {
            let path = temp.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        git(&["add", "-A"]);
        git(&["write-tree"]).trim().to_owned()
    };
    let before = tree(old);
    for name in old.keys() {
        fs::remove_file(temp.path().join(name)).unwrap();
    }
    let after = tree(new);
    git(&["diff", "-M", &format!("-U{context}"), &before, &after])
}

/// Where the lines stand that begin a hunk.
fn hunk_lines(lines: &[String]) -> Vec<usize> {
    let (mut places, mut at) = (Vec::new(), 0);
    while at < lines.len() {
        let numbers = numbers(&lines[at]);
        at += 1;
        let Some([_, mut old, _, mut new]) = numbers else { continue };
        places.push(at - 1);
        while at < lines.len() && (old > 0 || new > 0) {
            let sign = lines[at].as_bytes().first();
            old -= i64::from(matches!(sign, Some(b' ' | b'-')));
            new -= i64::from(matches!(sign, Some(b' ' | b'+')));
            at += 1;
        }
    }
    places
}

fn numbers(line: &str) -> Option<[i64; 4]> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let new = rest.split_once(" @@")?.0;
    let pair = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (old, new): ((i64, i64), (i64, i64)) = (pair(old)?, pair(new)?);
    Some([old.0, old.1, new.0, new.1])
}

#[derive(Clone, Debug)]
enum Damage {
    NoNumbers(prop::sample::Index),
    NoHeader(prop::sample::Index),
    Counts(prop::sample::Index, i64, i64),
    Line(prop::sample::Index, &'static str),
    Blanks,
}

fn damage() -> impl Strategy<Value = Damage> {
    let word = prop::sample::select(vec![
        "Then:",
        "...",
        "# next",
        "```",
        "```\n```diff",
        "```\nand\n```diff",
        "",
        "// other part",
        "- item",
        "foo bar",
        "---",
        "index 1..2",
        "*** Begin Patch",
        "*** End Patch",
        "*** Delete File: f0",
        "rename from f0",
        "Binary files a/f0 and b/f0 differ",
    ]);
    prop_oneof![
        2 => any::<prop::sample::Index>().prop_map(Damage::NoNumbers),
        1 => any::<prop::sample::Index>().prop_map(Damage::NoHeader),
        2 => (any::<prop::sample::Index>(), -3..4_i64, -3..4_i64).prop_map(|(at, old, new)| Damage::Counts(at, old, new)),
        3 => (any::<prop::sample::Index>(), word).prop_map(|(at, word)| Damage::Line(at, word)),
        1 => Just(Damage::Blanks),
    ]
}

fn damaged(patch: &str, damages: &[Damage]) -> String {
    let mut lines: Vec<String> = patch.lines().map(str::to_owned).collect();
    let hunks = hunk_lines(&lines);
    let hunk = |at: &prop::sample::Index| (!hunks.is_empty()).then(|| hunks[at.index(hunks.len())]);
    for damage in damages {
        match damage {
            Damage::NoNumbers(at) => hunk(at).into_iter().for_each(|at| "@@".clone_into(&mut lines[at])),
            Damage::NoHeader(at) => hunk(at).into_iter().for_each(|at| "\0".clone_into(&mut lines[at])),
            Damage::Counts(at, old, new) => {
                if let Some((at, [start, had, place, has])) =
                    hunk(at).and_then(|at| Some((at, numbers(&lines[at])?)))
                {
                    lines[at] =
                        format!("@@ -{start},{} +{place},{} @@", (had + old).max(0), (has + new).max(0));
                }
            }
            Damage::Blanks => lines.iter_mut().filter(|line| *line == " ").for_each(String::clear),
            Damage::Line(..) => {}
        }
    }
    lines.retain(|line| line != "\0");
    for damage in damages {
        if let Damage::Line(at, word) = damage {
            lines.insert(at.index(lines.len() + 1), (*word).to_owned());
        }
    }
    lines.join("\n") + "\n"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_damaged_diff_is_made_whole_or_not_at_all(
        (old, new) in trees(),
        context in prop::sample::select(vec![1_usize, 3, 3]),
        damages in prop::collection::vec(damage(), 1..4),
    ) {
        let diff = git_diff(&old, &new, context);
        prop_assume!(!diff.is_empty());
        // An empty line that is counted is a line.
        let is_counted = damages.iter().any(|damage| matches!(damage, Damage::Counts(..)));
        prop_assume!(!(is_counted && damages.iter().any(|damage| matches!(damage, Damage::Line(_, "")))));
        let patch = damaged(&diff, &damages);
        if let Ok(after) = patched(&old, &patch) {
            prop_assert_eq!(after, new, "{:?}\n{}\nof\n{}", damages, patch, diff);
        }
    }

    #[test]
    fn a_diff_with_prose_around_it_is_made(
        (old, new) in trees(),
        context in prop::sample::select(vec![1_usize, 3]),
        around in prop::sample::select(vec![
            ("", ""), ("Here it is:\n\n```diff\n", "```\n"), ("- a list\n- of things\n\n", "Done.\n"), ("```\n", "```\n\n---\n\n- one\n- two\n"),
            ("commit 12345678901234567890\n\n    words\n    -a\n    +b\n\n", "-- \n2.40.1\n\n"),
        ]),
        blanks in any::<bool>(),
    ) {
        let diff = git_diff(&old, &new, context);
        prop_assume!(!diff.is_empty());
        let patch = if blanks { damaged(&diff, &[Damage::Blanks]) } else { diff };
        let patch = format!("{}{patch}{}", around.0, around.1);
        prop_assert_eq!(patched(&old, &patch), Ok(new), "{}", patch);
    }
}
