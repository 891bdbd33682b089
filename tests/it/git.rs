//! What the git tools see and write: the same as the git program, in every way that can be compared.

use std::{collections::BTreeSet, os::unix::fs::PermissionsExt as _, path::Path};

use outrigger::{
    policy::Preview,
    server::render::plan_text,
    tier::Tier,
    tools::{Code, Happened, Reply},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world::{World, call_on, find, git_command, run, tier};

/// A workspace that is a repository with one commit on the branch `topic`.
fn repository() -> World {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.git(&["config", "user.name", "Ann Author"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    world.write("a.txt", "one\ntwo\nthree\n");
    world.write("dir/b.txt", "b\n");
    world.write("dir/c.txt", "c\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "first"]);
    world
}

type Seen = BTreeSet<(String, String)>;

fn seen(reply: &Reply<Value>, list: &str) -> Seen {
    let entries = reply.data[list].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    entries.iter().map(|entry| (text(&entry["path"]), text(&entry["change"]))).collect()
}

#[test]
fn a_change_of_the_same_size_in_the_second_of_the_commit_is_seen() {
    let world = repository();
    world.write("dir/b.txt", "B\n");
    // Staged in a later second: the index is then younger than the change it does not know.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    world.write("a.txt", "one\n");
    world.tool("git_add", json!({"paths": ["a.txt"]})).unwrap();
    let reply = world.tool("git_status", json!({})).unwrap();
    assert_eq!(seen(&reply, "unstaged"), [("dir/b.txt".to_owned(), "modified".to_owned())].into());
}

/// `git status --porcelain -z` as staged, unstaged, untracked, conflicted.
fn porcelain(world: &World) -> [Seen; 4] {
    let text = world.git(&["-c", "status.renames=false", "status", "--porcelain", "-z"]);
    let mut lists: [Seen; 4] = Default::default();
    let word = |letter: char| match letter {
        'A' => "added",
        'M' => "modified",
        'D' => "deleted",
        'T' => "type_changed",
        other => panic!("{other}"),
    };
    for entry in text.split_terminator('\0') {
        let (code, path) = (&entry[..2], entry[3..].to_owned());
        let letters: Vec<char> = code.chars().collect();
        if code == "??" {
            lists[2].insert((path, "untracked".to_owned()));
        } else if code.contains('U') || code == "AA" || code == "DD" {
            lists[3].insert((path, String::new()));
        } else {
            if letters[0] != ' ' {
                lists[0].insert((path.clone(), word(letters[0]).to_owned()));
            }
            if letters[1] != ' ' {
                lists[1].insert((path, word(letters[1]).to_owned()));
            }
        }
    }
    lists
}

/// Renames as git shows them without looking for renames.
fn without_renames(reply: &Reply<Value>) -> Seen {
    let mut list = Seen::new();
    for entry in reply.data["staged"].as_array().unwrap() {
        let path = entry["path"].as_str().unwrap().to_owned();
        match entry["change"].as_str().unwrap() {
            "renamed" => {
                list.insert((entry["from"].as_str().unwrap().to_owned(), "deleted".to_owned()));
                list.insert((path, "added".to_owned()));
            }
            "copied" => {
                list.insert((path, "added".to_owned()));
            }
            change => {
                list.insert((path, change.to_owned()));
            }
        }
    }
    list
}

fn assert_status(world: &World) {
    let reply = world.tool("git_status", json!({})).unwrap();
    let [staged, unstaged, untracked, conflicted] = porcelain(world);
    assert_eq!(without_renames(&reply), staged, "staged");
    assert_eq!(seen(&reply, "unstaged"), unstaged, "unstaged");
    assert_eq!(seen(&reply, "untracked"), untracked, "untracked");
    let found: BTreeSet<String> = seen(&reply, "conflicted").into_iter().map(|(path, _)| path).collect();
    assert_eq!(found, conflicted.into_iter().map(|(path, _)| path).collect(), "conflicted");
}

#[test]
fn status_is_what_git_says() {
    let world = repository();
    assert_status(&world);
    assert!(world.tool("git_status", json!({})).unwrap().text.contains("on topic\nclean"));
    world.write("a.txt", "one\n2\nthree\n");
    world.write("new.txt", "new\n");
    world.write("folder/x.txt", "x\n");
    world.write("folder/y.txt", "y\n");
    world.write(".gitignore", "*.log\n");
    world.write("x.log", "");
    std::fs::remove_file(world.root().join("dir/b.txt")).unwrap();
    world.write("staged.txt", "staged\n");
    world.git(&["add", "staged.txt"]);
    world.git(&["rm", "-q", "dir/c.txt"]);
    assert_status(&world);
    let reply = world.tool("git_status", json!({"branches": true})).unwrap();
    assert_eq!(reply.data["branches"], json!(["topic"]));
    assert_eq!((&reply.data["branch"], &reply.data["operation"]), (&json!("topic"), &json!("none")));
}

#[test]
fn status_knows_upstreams_conflicts_and_empty_repositories() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.write("a.txt", "a\n");
    let reply = world.tool("git_status", json!({})).unwrap();
    assert!(reply.text.starts_with("on topic, no commits yet\nuntracked:\n  a.txt"), "{}", reply.text);
    let world = repository();
    world.git(&["branch", "base"]);
    world.git(&["branch", "-q", "--set-upstream-to=base"]);
    world.write("a.txt", "mine\n");
    world.git(&["commit", "-qam", "mine"]);
    world.git(&["checkout", "-q", "-b", "other", "base"]);
    world.write("a.txt", "theirs\n");
    world.git(&["commit", "-qam", "theirs"]);
    world.git(&["checkout", "-q", "topic"]);
    let reply = world.tool("git_status", json!({})).unwrap();
    assert_eq!(
        (&reply.data["ahead"], &reply.data["behind"], &reply.data["upstream"]),
        (&json!(1), &json!(0), &json!("base"))
    );
    assert!(!world.git_output(&["merge", "-q", "other"]).status.success());
    assert_status(&world);
    let reply = world.tool("git_status", json!({})).unwrap();
    assert_eq!(reply.data["operation"], json!("merge"));
    assert_eq!(seen(&reply, "conflicted"), [("a.txt".to_owned(), "both_modified".to_owned())].into());
    let error = world.tool("git_commit", json!({"message": "x"})).unwrap_err();
    assert_eq!(error.code, Code::MergeInProgress);
    // Staging the path resolves it, as `git add` does.
    world.write("a.txt", "both\n");
    world.tool("git_add", json!({"paths": ["a.txt"]})).unwrap();
    assert_status(&world);
    assert_eq!(world.git(&["ls-files", "-u"]), "");
}

/// Applies our patch to a copy of the old side and compares.
fn assert_patch_applies(world: &World, arguments: Value, git_args: &[&str]) {
    let mut arguments = arguments;
    arguments["limit_bytes"] = json!(1_000_000);
    let reply = world.tool("git_diff", arguments).unwrap();
    assert_eq!(reply.data["complete"], json!(true));
    let theirs = world.git(
        &[
            &["-c", "core.quotepath=false", "diff", "--no-renames", "--full-index", "--binary", "--numstat"],
            git_args,
        ]
        .concat(),
    );
    let mut expected: Vec<(String, u64, u64)> = Vec::new();
    for line in
        theirs.lines().filter(|line| line.split('\t').count() == 3 && !line.starts_with(['+', '-', ' ']))
    {
        let parts: Vec<&str> = line.split('\t').collect();
        expected.push((parts[2].to_owned(), parts[0].parse().unwrap_or(0), parts[1].parse().unwrap_or(0)));
    }
    let files = reply.data["files"].as_array().unwrap();
    let names: BTreeSet<&str> = files.iter().map(|file| file["path"].as_str().unwrap()).collect();
    let old: BTreeSet<&str> = files
        .iter()
        .filter(|file| file["status"] == "renamed")
        .filter_map(|file| file["old_path"].as_str())
        .collect();
    let all: BTreeSet<&str> = names.union(&old).copied().collect();
    assert_eq!(all, expected.iter().map(|(path, _, _)| path.as_str()).collect());
    for (path, added, removed) in &expected {
        let file = files.iter().find(|file| file["path"] == json!(path));
        if let Some(file) = file.filter(|file| file["status"] != "renamed" && file["status"] != "copied") {
            let ours = [&file["added"], &file["removed"]].map(|count| count.as_u64().unwrap());
            // git takes short cuts where many lines are equal: ours may be shorter, never longer, and comes to the same.
            assert!(
                ours[0] <= *added && ours[0] + removed == ours[1] + added,
                "{path}: {added} {removed}\n{}",
                reply.text
            );
        }
    }
    let Some(start) = reply.text.find("diff --git") else { return };
    std::fs::write(world.outside().join("patch"), &reply.text[start..]).unwrap();
    let patch = world.outside().join("patch");
    // Back from the new side to the old one: `-R --check` on the work tree, or on the index.
    let mut check = vec!["apply", "--check", "-R", "--unidiff-zero"];
    if git_args.contains(&"--cached") {
        check.push("--cached");
    }
    check.push(patch.to_str().unwrap());
    let output = world.git_output(&check);
    assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), reply.text);
}

#[test]
fn a_diff_is_a_patch_that_git_takes() {
    let world = repository();
    world.write("crlf.txt", "a\r\nb\r\nc\r\n");
    world.write("no end.txt", "x\ny");
    world.write("ünï.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    world.write("cr only", "a\rb\rc\n");
    world.write("script.sh", "#!/bin/sh\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "more"]);
    world.write("a.txt", "zero\none\nthree\n");
    world.write("crlf.txt", "a\r\nB\r\nc\r\n");
    world.write("no end.txt", "x\ny\n");
    world.write("ünï.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9");
    world.write("cr only", "a\rX\rc\n");
    world.write("dir/b.txt", "");
    std::fs::remove_file(world.root().join("dir/c.txt")).unwrap();
    executable(&world.root().join("script.sh"));
    assert_patch_applies(&world, json!({}), &[]);
    for context in [0, 1, 10] {
        assert_patch_applies(&world, json!({"context": context}), &[]);
    }
    world.git(&["add", "-A"]);
    world.write("added.txt", "added\n");
    world.git(&["add", "added.txt"]);
    assert_patch_applies(&world, json!({"staged": true}), &["--cached"]);
    world.write("added.txt", "added\nand changed\n");
    assert_patch_applies(&world, json!({"from": "HEAD"}), &["HEAD"]);
    assert_patch_applies(&world, json!({"from": "HEAD~1"}), &["HEAD~1"]);
    world.git(&["commit", "-qam", "third"]);
    assert_patch_applies(&world, json!({"from": "HEAD~2", "to": "HEAD"}), &["HEAD~2", "HEAD"]);
    assert_patch_applies(
        &world,
        json!({"from": "HEAD~1", "to": "HEAD", "paths": ["dir"]}),
        &["HEAD~1", "HEAD", "--", "dir"],
    );
}

#[cfg(unix)]
fn executable(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_change_of_lines_is_a_patch_that_git_takes(
        before in "([ab ]{0,2}(\r?\n)?){0,24}",
        after in "([ab ]{0,2}(\r?\n)?){0,24}",
        context in 0_u32..4,
    ) {
        let world = repository();
        world.write("a.txt", &before);
        world.git(&["add", "-A"]);
        world.git(&["commit", "-q", "--allow-empty", "-m", "before"]);
        world.write("a.txt", &after);
        assert_patch_applies(&world, json!({"context": context}), &[]);
        // Staged and committed, git finds nothing wrong and nothing changed.
        if before != after {
            world.tool("git_add", json!({"paths": ["."]})).unwrap();
            world.tool("git_commit", json!({"message": "after"})).unwrap();
            prop_assert_eq!(world.git(&["status", "--porcelain"]), "");
            prop_assert_eq!(world.git(&["show", "HEAD:a.txt"]), after);
            world.git(&["fsck", "--strict"]);
        }
    }
}

#[test]
fn a_diff_left_out_is_left_out_whole_and_told() {
    let world = repository();
    let long = "line\n".repeat(2000);
    world.write("a.txt", &long);
    world.write("dir/b.txt", "B\n");
    let reply = world.tool("git_diff", json!({"limit_bytes": 500})).unwrap();
    assert_eq!(
        (reply.data["complete"].clone(), reply.data["files"].as_array().unwrap().len()),
        (json!(false), 2)
    );
    assert!(!reply.text.contains("diff --git"), "{}", reply.text);
    assert_eq!(reply.truncated.unwrap().next.unwrap().args["paths"], json!(["a.txt", "dir/b.txt"]));
    let reply = world.tool("git_diff", json!({"stat_only": true})).unwrap();
    assert!(
        reply.text.contains("modified a.txt +2000 -3\n") && !reply.text.contains("diff --git"),
        "{}",
        reply.text
    );
}

#[test]
fn a_driver_says_whether_its_files_are_text() {
    for binary in ["true", "false", ""] {
        let world = repository();
        world.write(".gitattributes", "*.d diff=own\n*.c diff=cpp\n");
        world.write("a.d", "text\n");
        world.write("b.d", b"a\0b\n");
        world.write("c.c", "text\n");
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "driven"]);
        for driver in ["own", "cpp"] {
            world.git(&["config", &format!("diff.{driver}.xfuncname"), "^x"]);
            if !binary.is_empty() {
                world.git(&["config", &format!("diff.{driver}.binary"), binary]);
            }
        }
        for file in ["a.d", "b.d", "c.c"] {
            world.write(file, b"b\0c\nmore\n");
        }
        world.write("a.d", "more\n");
        let reply = world.tool("git_diff", json!({})).unwrap();
        let counts: Vec<String> = reply.data["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| {
                let number = |key: &str| match file["binary"].as_bool() {
                    Some(true) => "-".to_owned(),
                    _ => file[key].to_string(),
                };
                format!("{}\t{}\t{}", number("added"), number("removed"), file["path"].as_str().unwrap())
            })
            .collect();
        let theirs = world.git(&["diff", "--numstat"]);
        assert_eq!(counts, theirs.lines().collect::<Vec<_>>(), "{binary:?}");
        let blame = world.tool("git_blame", json!({"path": "a.d"})).unwrap();
        assert!(blame.text.contains("more"), "{}", blame.text);
    }
}

#[test]
fn revisions_are_never_flags_or_folders() {
    let world = repository();
    for revision in ["--output=/tmp/x", "-p", "nope", "HEAD:dir", "HEAD^{tree}", "HEAD\n"] {
        for key in ["from", "to"] {
            let error = world.tool("git_diff", json!({key: revision})).unwrap_err();
            assert_eq!(error.code, Code::BadRevision, "{revision:?}");
        }
    }
    for (from, to) in [("", "HEAD..HEAD"), ("HEAD..HEAD", "HEAD"), ("nope..HEAD", ""), ("HEAD..-p", "")] {
        let error = world.tool("git_diff", json!({"from": from, "to": to})).unwrap_err();
        assert_eq!(error.code, Code::BadRevision, "{from} {to}");
    }
    world.tool("git_diff", json!({"from": "topic"})).unwrap();
    for (revision, reason) in [
        ("HEAD^2", "what it says behind `^`, `~` or `@` leads to no commit"),
        ("HEAD^{blob}", "it is no commit"),
        ("HEAD~99999999999999999999", "the number in it is too large"),
        ("HEAD\n", "it has a line break or another control character in it"),
    ] {
        let error = world.tool("git_show", json!({"rev": revision})).unwrap_err();
        assert!(error.message.ends_with(&format!("is no revision: {reason}")), "{error}");
    }
    let empty = World::new();
    empty.git(&["init", "-q", "-b", "topic"]);
    for revision in ["HEAD", "HEAD~1", "@"] {
        let error = empty.tool("git_show", json!({"rev": revision})).unwrap_err();
        assert_eq!(error.message, format!("`{revision}` is no revision: there is no commit yet"));
    }
    let error = world.tool("git_switch", json!({"branch": "@", "create": true})).unwrap_err();
    assert_eq!(error.message, "`@` is no name for a branch");
}

/// The index as git lists it: mode, id, path.
fn index(world: &World) -> String {
    world.git(&["ls-files", "-s", "-z"])
}

#[test]
fn staging_writes_the_index_git_would_write() {
    let cases: &[&[(&str, &str)]] =
        &[&[], &[("core.autocrlf", "true")], &[("core.autocrlf", "input")], &[("core.eol", "crlf")]];
    for settings in cases {
        for attributes in [
            "",
            "*.txt text\n*.bin -text\n",
            "* text=auto\n",
            "*.txt text eol=crlf\n*.id ident\n",
            "*.u16 working-tree-encoding=UTF-16LE eol=lf\n",
        ] {
            let (ours, theirs) = (repository(), repository());
            for world in [&ours, &theirs] {
                for (key, value) in *settings {
                    world.git(&["config", key, value]);
                }
                world.write(".gitattributes", attributes);
                world.write("crlf.txt", "a\r\nb\r\n");
                world.write("mixed.txt", "a\r\nb\nc\r\n");
                world.write("lf.txt", "a\nb\n");
                world.write("lone.txt", "a\rb\n");
                world.write("nul.txt", b"a\r\n\0b\r\n");
                world.write("data.bin", b"a\r\nb\r\n");
                world.write("name.id", "$Id: 1234567890$\n");
                let wide: Vec<u8> = "a\nb\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
                world.write("wide.u16", wide);
                world.write("a.txt", "changed\r\n");
                std::fs::remove_file(world.root().join("dir/b.txt")).unwrap();
                world.write("run.sh", "#!/bin/sh\n");
                executable(&world.root().join("run.sh"));
                #[cfg(unix)]
                std::os::unix::fs::symlink("../outside/x", world.root().join("link")).unwrap();
            }
            ours.tool("git_add", json!({"paths": ["."]})).unwrap();
            theirs.git(&["add", "-A"]);
            assert_eq!(index(&ours), index(&theirs), "{settings:?} {attributes:?}");
            assert_eq!(ours.git(&["status", "--porcelain"]), theirs.git(&["status", "--porcelain"]));
            assert_eq!(ours.git(&["write-tree"]), theirs.git(&["write-tree"]));
            assert_status(&ours);
        }
    }
}

#[test]
fn a_file_with_line_ends_of_its_own_in_the_index_stays_so() {
    let (ours, theirs) = (repository(), repository());
    for world in [&ours, &theirs] {
        world.write("crlf.txt", "a\r\nb\r\n");
        world.git(&["add", "crlf.txt"]);
        world.git(&["commit", "-qm", "crlf"]);
        world.git(&["config", "core.autocrlf", "true"]);
        world.write("crlf.txt", "a\r\nB\r\n");
    }
    ours.tool("git_add", json!({"paths": ["crlf.txt"]})).unwrap();
    theirs.git(&["add", "crlf.txt"]);
    assert_eq!(index(&ours), index(&theirs));
}

#[test]
fn single_paths_are_staged_and_unstaged() {
    let world = repository();
    world.write("a.txt", "changed\n");
    world.write("dir/new.txt", "new\n");
    world.write(".gitignore", "*.log\nout/\n");
    world.write("x.log", "log\n");
    world.write("out/o.txt", "o\n");
    let reply = world.tool("git_add", json!({"paths": ["dir", "a.txt"]})).unwrap();
    assert_eq!(reply.data["staged"], json!(["a.txt", "dir/new.txt"]));
    assert_eq!(world.git(&["diff", "--cached", "--name-status"]), "M\ta.txt\nA\tdir/new.txt\n");
    // Twice is once.
    let before = index(&world);
    world.tool("git_add", json!({"paths": ["dir", "a.txt"]})).unwrap();
    assert_eq!(index(&world), before);
    let reply = world.tool("git_add", json!({"paths": ["dir/new.txt"], "unstage": true})).unwrap();
    assert_eq!(reply.data["unstaged"], json!(["dir/new.txt"]));
    assert_eq!(world.git(&["diff", "--cached", "--name-status"]), "M\ta.txt\n");
    world.tool("git_add", json!({"paths": ["."], "unstage": true})).unwrap();
    assert_eq!(world.git(&["diff", "--cached", "--name-status"]), "");
    assert_status(&world);
    // An ignored file is staged when it is named, an ignored folder never.
    let reply = world.tool("git_add", json!({"paths": ["."]})).unwrap();
    assert!(!reply.text.contains("x.log") && !reply.text.contains("out/"), "{}", reply.text);
    assert_eq!(world.tool("git_add", json!({"paths": ["out"]})).unwrap_err().code, Code::InvalidArgs);
    world.tool("git_add", json!({"paths": ["x.log"]})).unwrap();
    assert!(world.git(&["ls-files"]).contains("x.log\n"));
    world.git(&["fsck", "--strict"]);
}

/// What the index has already is not staged again, and nobody is asked about nothing.
#[test]
fn what_is_staged_or_as_wanted_already_is_not_said_to_be_done() {
    let world = repository();
    let nothing = |tool: &str, arguments: serde_json::Value, words: &str| {
        assert!(world.plan(tool, arguments.clone()).unwrap().is_none(), "{tool} {arguments}: asked");
        let before = index(&world);
        let reply = world.tool(tool, arguments.clone()).unwrap();
        assert!(reply.text.starts_with(words), "{tool} {arguments}: {}", reply.text);
        assert_eq!(index(&world), before, "{tool} {arguments}");
        reply
    };
    for paths in [json!(["."]), json!(["a.txt"])] {
        let reply = nothing("git_add", json!({"paths": paths}), "nothing to stage");
        assert_eq!(reply.data["staged"], json!([]));
        nothing("git_add", json!({"paths": paths, "unstage": true}), "nothing to unstage");
        nothing("git_restore", json!({"paths": paths}), "nothing to restore");
    }
    world.write("b.txt", "b\n");
    world.git(&["add", "b.txt"]);
    world.write("c.txt", "c\n");
    let arguments = json!({"paths": ["a.txt", "b.txt", "c.txt"]});
    let plan = world.plan("git_add", arguments.clone()).unwrap().unwrap();
    let Preview::Stage { paths, .. } = &plan.preview else { panic!("{plan:?}") };
    assert_eq!((paths.as_slice(), plan.summary.as_str()), (["c.txt".to_owned()].as_slice(), "Stage 1 path"));
    assert_eq!(world.tool("git_add", arguments).unwrap().data["staged"], json!(["c.txt"]));
    // A mode is a change as well, and so is a deletion, once, and an empty file that was only announced.
    let c = world.root().join("c.txt");
    std::fs::set_permissions(&c, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::remove_file(world.root().join("b.txt")).unwrap();
    world.write("empty", "");
    world.git(&["add", "-N", "empty"]);
    let arguments = json!({"paths": ["b.txt", "c.txt", "empty"]});
    let reply = world.tool("git_add", arguments).unwrap();
    assert_eq!(reply.data["staged"], json!(["b.txt", "c.txt", "empty"]));
    nothing("git_add", json!({"paths": ["c.txt", "empty"]}), "nothing to stage");
}

/// Beside one that git knows, too: what is not known is refused by its name, and nothing is done.
#[test]
fn a_path_that_git_does_not_know_is_refused_by_its_name() {
    let world = repository();
    world.write("a.txt", "changed\n");
    world.write("new.txt", "new\n");
    world.write("new/one.txt", "one\n");
    for unknown in ["new", "new.txt", "new/one.txt", "nowhere"] {
        for paths in [json!(["a.txt", unknown]), json!([unknown])] {
            let arguments = json!({"message": "m", "paths": paths});
            let error = world.tool("git_commit", arguments).unwrap_err();
            assert_eq!(error.code, Code::NotFound, "{unknown}: {error}");
            assert!(error.message.contains(&format!("`{unknown}`")), "{error}");
            assert!(!world.git_output(&["commit", "-qm", "m", "--", "a.txt", unknown]).status.success());
        }
    }
    assert_eq!(world.git(&["rev-list", "--count", "HEAD"]), "1\n");
    world.git(&["add", "a.txt"]);
    let before = index(&world);
    for unknown in ["new", "new.txt", "nowhere", "dir/nowhere"] {
        for paths in [json!(["a.txt", unknown]), json!([unknown])] {
            let error = world.tool("git_add", json!({"paths": paths, "unstage": true})).unwrap_err();
            assert_eq!(error.code, Code::NotFound, "{unknown}: {error}");
            assert!(error.message.contains(&format!("`{unknown}`")), "{error}");
            assert!(!world.git_output(&["restore", "--staged", "--", "a.txt", unknown]).status.success());
        }
    }
    assert_eq!(index(&world), before);
    // What HEAD has is known, and so is what is only staged.
    world.git(&["rm", "-q", "-r", "--cached", "dir"]);
    world.git(&["add", "new"]);
    world.tool("git_add", json!({"paths": ["dir", "new", "a.txt"], "unstage": true})).unwrap();
    assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "");
    world.tool("git_add", json!({"paths": ["dir", "a.txt"], "unstage": true})).unwrap();
    world.git(&["rm", "-q", "-r", "--cached", "dir"]);
    let error = world.tool("git_commit", json!({"message": "m", "paths": ["dir"]})).err();
    assert_ne!(error.map(|error| error.code), Some(Code::NotFound));
}

/// HEAD has a folder where the index has a file, and the other way round.
#[test]
fn a_file_in_the_place_of_a_folder_is_unstaged() {
    let world = repository();
    world.write("dir/b.txt", "b\n");
    world.write("plain", "p\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "both"]);
    let before = world.git(&["ls-files", "-s"]);
    for paths in [&["."][..], &["dir", "plain"]] {
        std::fs::remove_dir_all(world.root().join("dir")).unwrap();
        std::fs::remove_file(world.root().join("plain")).unwrap();
        world.write("dir", "a file\n");
        world.write("plain/below", "a folder\n");
        world.git(&["add", "-A"]);
        world.tool("git_add", json!({"paths": paths, "unstage": true})).unwrap();
        assert_eq!(world.git(&["ls-files", "-s"]), before, "{paths:?}");
        world.git(&["clean", "-qfd"]);
        world.git(&["reset", "-q", "--hard"]);
    }
}

#[test]
fn what_is_only_announced_is_not_committed_and_can_be_unstaged() {
    let world = repository();
    world.write("a.txt", "changed\n");
    world.write("dir/new.txt", "new\n");
    world.git(&["add", "a.txt"]);
    world.git(&["add", "-N", "dir/new.txt"]);
    let reply = world.tool("git_commit", json!({"message": "a"})).unwrap();
    assert_eq!(reply.data["files"], json!(["a.txt"]));
    assert_eq!(world.git(&["show", "--format=", "--name-status"]), "M\ta.txt\n");
    assert_eq!(world.git(&["status", "--porcelain"]), " A dir/new.txt\n");
    let again = world.tool("git_commit", json!({"message": "again"})).unwrap_err();
    assert_eq!(again.code, Code::NothingToCommit);
    let reply = world.tool("git_add", json!({"paths": ["dir"], "unstage": true})).unwrap();
    assert_eq!(reply.data["unstaged"], json!(["dir/new.txt"]));
    assert_eq!(world.git(&["status", "--porcelain"]), "?? dir/new.txt\n");
    // Named, it is committed as it is in the work tree.
    world.git(&["add", "-N", "dir/new.txt"]);
    world.tool("git_commit", json!({"message": "new", "paths": ["dir/new.txt"]})).unwrap();
    assert_eq!(world.git(&["show", "HEAD:dir/new.txt"]), "new\n");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_is_only_announced_may_be_what_another_path_was() {
    for settings in [&[][..], &[("status.renames", "false")], &[("diff.renames", "false")]] {
        let world = repository();
        let lines = |end: &str| (0..30).map(|line| format!("{line}\n")).collect::<Vec<_>>().concat() + end;
        world.write("old.txt", lines(""));
        world.write("other.txt", "other\n");
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "lines"]);
        for (key, value) in settings {
            world.git(&["config", key, value]);
        }
        std::fs::remove_file(world.root().join("old.txt")).unwrap();
        world.write("new.txt", lines("more\n"));
        world.write("also.txt", "also\n");
        world.git(&["add", "-N", "new.txt", "also.txt"]);
        let list = |list: &Value| -> Vec<String> {
            let of = |entry: &Value| {
                let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
                let change = text("change") + &text("status");
                format!(
                    "{} {}{} {}",
                    &change[..1].to_uppercase(),
                    text("from"),
                    text("old_path"),
                    text("path")
                )
            };
            list.as_array().unwrap().iter().map(of).collect()
        };
        let status = world.tool("git_status", json!({})).unwrap();
        let theirs = world.git(&["status", "--porcelain"]);
        let theirs: Vec<String> = theirs
            .lines()
            .filter(|line| !line.starts_with('?'))
            .map(|line| {
                let (from, path) = line[3..].split_once(" -> ").unwrap_or(("", &line[3..]));
                format!("{} {from} {path}", &line[1..2])
            })
            .collect();
        assert_eq!(
            BTreeSet::from_iter(list(&status.data["unstaged"])),
            BTreeSet::from_iter(theirs),
            "{settings:?}"
        );
        let diff = world.tool("git_diff", json!({})).unwrap();
        let theirs = world.git(&["diff", "--name-status"]);
        let theirs: Vec<String> = theirs
            .lines()
            .map(|line| {
                let words: Vec<&str> = line.split('\t').collect();
                let from = if words.len() > 2 { words[1] } else { "" };
                format!("{} {from} {}", &words[0][..1], words[words.len() - 1])
            })
            .collect();
        assert_eq!(
            BTreeSet::from_iter(list(&diff.data["files"])),
            BTreeSet::from_iter(theirs),
            "{settings:?}"
        );
        // To stage the folder stages both.
        world.tool("git_add", json!({"paths": ["."]})).unwrap();
        assert_eq!(world.git(&["diff", "--name-only"]), "");
    }
}

#[test]
fn an_empty_path_in_a_list_is_not_everything() {
    let world = repository();
    world.write("a.txt", "changed\n");
    let status = world.git(&["status", "--porcelain"]);
    for (tool, mut arguments) in [
        ("git_add", json!({})),
        ("git_restore", json!({})),
        ("git_commit", json!({"message": "x"})),
        ("git_diff", json!({})),
    ] {
        for paths in [json!([""]), json!(["dir", ""])] {
            arguments["paths"] = paths;
            let error = world.tool(tool, arguments.clone()).unwrap_err();
            assert_eq!(error.code, Code::InvalidArgs, "{tool}: {error}");
            assert!(error.message.contains("`.` is the workspace itself"), "{error}");
        }
    }
    assert_eq!(world.git(&["status", "--porcelain"]), status);
}

#[test]
fn staging_refuses_what_is_not_its_business() {
    let world = repository();
    std::fs::write(world.outside().join("secret"), "secret").unwrap();
    world.write(".env", "KEY=1\n");
    world.write("sub/.env", "KEY=1\n");
    world.write("sub/ok.txt", "ok\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../outside", world.root().join("out")).unwrap();
    for (paths, code) in [
        (json!(["../outside/secret"]), Code::OutsideWorkspace),
        (json!(["dir/../../outside/secret"]), Code::OutsideWorkspace),
        (json!(["/etc/passwd"]), Code::OutsideWorkspace),
        (json!(["out/secret"]), Code::OutsideWorkspace),
        (json!([".env"]), Code::BlockedPath),
        (json!([".git/config"]), Code::ProtectedPath),
        (json!(["missing.txt"]), Code::NotFound),
        (json!([]), Code::InvalidArgs),
    ] {
        let error = world.tool("git_add", json!({"paths": paths})).unwrap_err();
        assert_eq!(error.code, code, "{paths}: {error}");
    }
    let reply = world.tool("git_add", json!({"paths": ["sub"]})).unwrap();
    assert_eq!((&reply.data["staged"], &reply.data["blocked"]), (&json!(["sub/ok.txt"]), &json!(1)));
    let status = world.tool("git_status", json!({})).unwrap();
    assert!(!status.text.contains(".env"), "{}", status.text);
    assert!(status.data["blocked"].as_u64().unwrap() >= 1);
    // Staged by the user, it is not shown, and not committed unseen.
    world.git(&["add", "-f", "sub/.env"]);
    let diff = world.tool("git_diff", json!({"staged": true})).unwrap();
    assert!(!diff.text.contains("KEY") && diff.data["blocked"] == json!(1), "{}", diff.text);
    assert_eq!(world.tool("git_commit", json!({"message": "x"})).unwrap_err().code, Code::BlockedPath);
}

#[test]
fn what_a_killed_write_left_is_not_staged_with_its_folder() {
    let world = repository();
    let left = format!(".outrigger-{}.tmp", outrigger::ids::new_ulid());
    world.write(&format!("d/{left}"), "half a file");
    world.write(&format!("{left}/inside"), "half a tree");
    world.write("d/new.txt", "new\n");
    world.write("d/.outrigger-mine.tmp", "somebody's own\n");
    for folder in [".", "d"] {
        let staged = world.tool("git_add", json!({"paths": [folder]})).unwrap();
        assert!(!staged.data["staged"].to_string().contains(&left), "{}", staged.data);
    }
    assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "d/.outrigger-mine.tmp\nd/new.txt\n");
}

#[test]
fn a_path_with_a_filter_is_not_staged_and_not_run() {
    let world = repository();
    world.write(".gitattributes", "*.lfs filter=lfs diff=lfs merge=lfs -text\n");
    world.write("big.lfs", "content\n");
    let error = world.tool("git_add", json!({"paths": ["big.lfs"]})).unwrap_err();
    assert_eq!(error.code, Code::UnsupportedHere);
    assert!(error.message.contains("`lfs`"), "{error}");
    assert_eq!(world.tool("git_add", json!({"paths": ["."]})).unwrap_err().code, Code::UnsupportedHere);
    world.tool("git_add", json!({"paths": [".gitattributes"]})).unwrap();
    world.git(&["add", "big.lfs"]);
    world.git(&["commit", "-qm", "lfs"]);
    world.write("big.lfs", "changed content\n");
    let reply = world.tool("git_status", json!({})).unwrap();
    assert!(seen(&reply, "unstaged").contains(&("big.lfs".to_owned(), "modified".to_owned())));
    assert_eq!(reply.warnings.len(), 1);
    let reply = world.tool("git_diff", json!({})).unwrap();
    assert!(reply.text.contains("filtered") && !reply.text.contains("content"), "{}", reply.text);
}

#[test]
fn a_commit_has_the_tree_git_would_make() {
    let (ours, theirs) = (repository(), repository());
    for world in [&ours, &theirs] {
        world.write("a.txt", "changed\n");
        world.write("deep/er/new.txt", "new\n");
        world.git(&["rm", "-q", "dir/b.txt"]);
    }
    ours.tool("git_add", json!({"paths": ["a.txt", "deep"]})).unwrap();
    let reply = ours.tool("git_commit", json!({"message": "second  \n\n\nbody\n"})).unwrap();
    theirs.git(&["add", "a.txt", "deep"]);
    theirs.git(&["commit", "-q", "-m", "second  \n\n\nbody\n"]);
    let facts = ["-1", "--format=%T%n%P%n%an <%ae>%n%cn%n%D%n%B"];
    let log = |world: &World| world.git(&[&["log"], &facts[..]].concat());
    let without_parent = |text: String| {
        text.lines()
            .enumerate()
            .filter(|(line, _)| *line != 1)
            .map(|(_, text)| text.to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(without_parent(log(&ours)), without_parent(log(&theirs)));
    assert_eq!(reply.data["id"], json!(ours.git(&["rev-parse", "HEAD"]).trim()));
    assert_eq!(reply.data["files"], json!(["a.txt", "deep/er/new.txt", "dir/b.txt"]));
    assert!(reply.text.starts_with("[topic "), "{}", reply.text);
    ours.git(&["fsck", "--strict"]);
    assert_eq!(
        ours.git(&["log", "-g", "-1", "--format=%gs"]).trim(),
        theirs.git(&["log", "-g", "-1", "--format=%gs"]).trim()
    );
    assert_status(&ours);
    let error = ours.tool("git_commit", json!({"message": "again"})).unwrap_err();
    assert_eq!(error.code, Code::NothingToCommit);
}

#[test]
fn the_first_commit_only_some_paths_and_amending() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.git(&["config", "user.name", "Ann Author"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    assert_eq!(world.tool("git_commit", json!({"message": "x"})).unwrap_err().code, Code::NothingToCommit);
    assert_eq!(
        world.tool("git_commit", json!({"message": "x", "amend": true})).unwrap_err().code,
        Code::BadRevision
    );
    world.write("a.txt", "a\n");
    world.write("b.txt", "b\n");
    world.tool("git_add", json!({"paths": ["."]})).unwrap();
    world.tool("git_commit", json!({"message": "first"})).unwrap();
    assert_eq!(world.git(&["log", "--format=%s"]), "first\n");
    world.write("a.txt", "A\n");
    world.write("b.txt", "B\n");
    world.write("c.txt", "c\n");
    world.tool("git_add", json!({"paths": ["b.txt", "c.txt"]})).unwrap();
    let reply = world.tool("git_commit", json!({"message": "only a", "paths": ["a.txt"]})).unwrap();
    assert_eq!(reply.data["files"], json!(["a.txt"]));
    assert_eq!(world.git(&["status", "--porcelain"]), "M  b.txt\nA  c.txt\n");
    let unknown = world.tool("git_commit", json!({"message": "x", "paths": ["nope.txt"]})).unwrap_err();
    assert_eq!(unknown.code, Code::NotFound);
    world.tool("git_commit", json!({"message": "only a, and b, c", "amend": true})).unwrap();
    assert_eq!(world.git(&["log", "--format=%s"]), "only a, and b, c\nfirst\n");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    world.git(&["fsck", "--strict"]);
}

#[test]
fn the_plan_shows_what_is_committed_and_binds_it() {
    let world = repository();
    world.write("a.txt", "one\n2\nthree\n");
    let before = world.git(&["count-objects"]);
    let plan = world.plan("git_add", json!({"paths": ["a.txt"]})).unwrap().unwrap();
    let Preview::Stage { action, paths, before: index_before, after } = &plan.preview else { panic!() };
    assert_eq!((action.as_str(), paths.as_slice()), ("stage", ["a.txt".to_owned()].as_slice()));
    assert_ne!(index_before, after);
    assert_eq!(world.git(&["count-objects"]), before, "planning wrote an object");
    world.write("a.txt", "one\nII\nthree\n");
    let other = world.plan("git_add", json!({"paths": ["a.txt"]})).unwrap().unwrap();
    assert_ne!(plan.digest, other.digest, "other bytes need another approval");
    world.tool("git_add", json!({"paths": ["a.txt"]})).unwrap();
    let before = world.git(&["count-objects"]);
    let plan = world.plan("git_commit", json!({"message": "m"})).unwrap().unwrap();
    assert_eq!(world.git(&["count-objects"]), before, "planning wrote an object");
    let Preview::Commit { message, author, branch, amend, files, hooks, unsigned, tree, parent } =
        plan.preview
    else {
        panic!()
    };
    assert_eq!(
        (message.as_str(), author.as_str(), branch.as_str()),
        ("m\n", "Ann Author <ann@example.org>", "topic")
    );
    assert_eq!((amend, hooks.len(), unsigned), (false, 0, false));
    assert_eq!(files[0].hunks[0].lines, [" one", "-two", "+II", " three"]);
    assert_eq!(tree, world.git(&["write-tree"]).trim());
    assert_eq!(parent.unwrap(), world.git(&["rev-parse", "HEAD"]).trim());
    assert_eq!(plan.tier, Tier::Batch);
}

#[cfg(unix)]
#[test]
fn the_plan_of_a_commit_says_what_kind_of_thing_comes_to_stand_there() {
    let world = repository();
    for name in ["gone.lnk", "kept.sh", "s.sh", "turned.sh"] {
        world.write(name, "echo\n");
        executable(&world.root().join(name));
    }
    std::fs::remove_file(world.root().join("gone.lnk")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", world.root().join("gone.lnk")).unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "scripts"]);
    let head = world.git(&["rev-parse", "HEAD"]);
    for name in ["gone.lnk", "turned.sh"] {
        std::fs::remove_file(world.root().join(name)).unwrap();
    }
    std::os::unix::fs::symlink("/bin/sh", world.root().join("turned.sh")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", world.root().join("lnk")).unwrap();
    std::fs::set_permissions(world.root().join("s.sh"), std::fs::Permissions::from_mode(0o644)).unwrap();
    world.write("kept.sh", "echo on\n");
    world.write("new.txt", "new\n");
    world.git(&["add", "-A"]);
    world.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},sub", head.trim())]);
    let plan = world.plan("git_commit", json!({"message": "m"})).unwrap().unwrap();
    let Preview::Commit { files, .. } = &plan.preview else { panic!() };
    let text = plan_text(&plan);
    for (path, before, after, words) in [
        ("gone.lnk", Some("120000"), None, "mode 120000 (symbolic link)"),
        ("kept.sh", None, Some("100755"), "mode 100755 (executable)"),
        ("lnk", None, Some("120000"), "mode 120000 (symbolic link)"),
        ("new.txt", None, Some("100644"), "mode 100644"),
        ("s.sh", Some("100755"), Some("100644"), "mode 100755 (executable) -> 100644"),
        ("sub", None, Some("160000"), "mode 160000 (submodule)"),
        ("turned.sh", Some("100755"), Some("120000"), "mode 100755 (executable) -> 120000 (symbolic link)"),
    ] {
        let file = files.iter().find(|file| file.path == path).unwrap();
        assert_eq!((file.mode_before.as_deref(), file.mode.as_deref()), (before, after), "{path}");
        let line = text.lines().find(|line| line.contains(&format!(" {path} ("))).unwrap();
        assert!(line.ends_with(&format!("), {words}")), "{line}");
    }
}

#[test]
fn line_ends_that_change_are_in_the_plans_of_a_commit_and_of_a_restore() {
    let world = repository();
    world.write("a.txt", "one\r\ntwo\r\nthree\r\n");
    let told = |tool: &str, arguments: Value| {
        let plan = world.plan(tool, arguments).unwrap().unwrap();
        let (Preview::Commit { files, .. } | Preview::Files { files }) = plan.preview else { panic!() };
        files[0].line_ends.map(|ends| (ends.before.as_str(), ends.after.as_str()))
    };
    assert_eq!(told("git_restore", json!({"paths": ["a.txt"]})), Some(("crlf", "lf")));
    world.tool("git_add", json!({"paths": ["a.txt"]})).unwrap();
    assert_eq!(told("git_commit", json!({"message": "m"})), Some(("lf", "crlf")));
}

#[test]
fn what_changes_between_plan_and_run_is_not_done() {
    let world = repository();
    let approve = |name: &str, arguments: Value, between: &dyn Fn()| {
        let tool = find(name);
        let prepared = tool.prepare(arguments.clone(), &world.call).unwrap();
        between();
        let permit = crate::world::permit(&world.call, tool, &arguments, &prepared.intent)?;
        prepared.run(&permit, &world.call)
    };
    world.write("a.txt", "approved\n");
    let before = index(&world);
    let error = approve("git_add", json!({"paths": ["a.txt"]}), &|| {
        world.write("a.txt", "swapped\n");
    });
    assert_eq!(error.unwrap_err().code, Code::Stale);
    assert_eq!(index(&world), before);
    world.tool("git_add", json!({"paths": ["a.txt"]})).unwrap();
    let head = world.git(&["rev-parse", "HEAD"]);
    let error = approve("git_commit", json!({"message": "m"}), &|| {
        world.write("dir/b.txt", "sneaked in\n");
        world.git(&["add", "dir/b.txt"]);
    });
    assert_eq!(error.unwrap_err().code, Code::Stale);
    assert_eq!(world.git(&["rev-parse", "HEAD"]), head);
    let error = approve("git_commit", json!({"message": "m"}), &|| {
        world.git(&["commit", "-q", "--allow-empty", "-m", "somebody else", "--only"]);
    });
    assert_eq!(error.unwrap_err().code, Code::Stale);
    assert_eq!(world.git(&["log", "-1", "--format=%s"]), "somebody else\n");
}

/// As git does it: the file in whose place the folder stands is deleted by the same commit.
#[test]
fn what_goes_for_what_is_staged_is_named() {
    let world = repository();
    std::fs::remove_file(world.root().join("a.txt")).unwrap();
    world.write("a.txt/in", "x\n");
    let arguments = json!({"paths": ["a.txt/in"]});
    let plan = world.plan("git_add", arguments.clone()).unwrap().unwrap();
    let Preview::Stage { paths, .. } = &plan.preview else { panic!("{plan:?}") };
    assert_eq!(paths, &["a.txt", "a.txt/in"]);
    let reply = world.tool("git_add", arguments).unwrap();
    assert_eq!(reply.data["staged"], json!(["a.txt", "a.txt/in"]));
    assert_eq!(world.git(&["status", "--porcelain"]), "D  a.txt\nA  a.txt/in\n");
}

/// Whatever the administrator's tier says: it is about changes.
#[test]
fn nobody_is_asked_about_nothing() {
    let world = World::with(|config| {
        for tool in ["git_add", "git_restore", "fs_mkdir"] {
            config.tool_tiers.insert(tool.to_owned(), Tier::Individual);
        }
        config.tier_floors.insert("git_add".to_owned(), Tier::Individual);
    });
    world.git(&["init", "-q"]);
    world.write("dir/a.txt", "one\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "first"]);
    for (tool, arguments) in [
        ("git_add", json!({"paths": ["dir"]})),
        ("git_restore", json!({"paths": ["dir"]})),
        ("fs_mkdir", json!({"path": "dir"})),
    ] {
        assert!(world.plan(tool, arguments).unwrap().is_none(), "{tool}");
    }
    world.write("dir/a.txt", "two\n");
    assert!(world.plan("git_add", json!({"paths": ["dir"]})).unwrap().is_some());
}

/// What git writes into HEAD where references are kept in another way is no branch.
#[test]
fn a_branch_that_there_is_not_is_not_told() {
    let world = repository();
    let roots = |world: &World| world.tool("workspace_info", json!({})).unwrap().data["roots"][0].clone();
    assert_eq!(roots(&world)["branch"], json!("topic"));
    std::fs::write(world.root().join(".git/HEAD"), "ref: refs/heads/.invalid\n").unwrap();
    let root = roots(&world);
    assert_eq!((root.get("branch"), &root["git"]), (None, &json!(false)), "{root}");
}

/// An empty file that is announced (`git add -N`) has the id of what it becomes.
#[test]
fn an_announced_empty_file_is_not_taken_for_a_staged_one() {
    let world = repository();
    world.write("e", "");
    world.git(&["add", "-N", "e"]);
    let tool = find("git_add");
    let evidence = tool.prepare(json!({"paths": ["e"]}), &world.call).unwrap().evidence().unwrap();
    let happened = || tool.happened(evidence.clone(), &world.call).unwrap();
    assert!(matches!(happened(), Happened::No));
    world.tool("git_add", json!({"paths": ["e"]})).unwrap();
    assert!(matches!(happened(), Happened::Yes(_)));
    assert_eq!(world.git(&["status", "--porcelain"]), "A  e\n");
}

#[test]
fn signing_and_protected_branches() {
    let world = repository();
    world.write("a.txt", "changed\n");
    world.tool("git_add", json!({"paths": ["a.txt"]})).unwrap();
    world.git(&["config", "commit.gpgsign", "true"]);
    let plan = world.plan("git_commit", json!({"message": "m"})).unwrap().unwrap();
    assert!(matches!(plan.preview, Preview::Commit { unsigned: true, .. }));
    assert_eq!(tier(&world.call, "git_commit", json!({"message": "m"})), Tier::Batch);
    assert_eq!(tier(&world.call, "git_commit", json!({"message": "m", "amend": true})), Tier::Individual);
    world.git(&["branch", "-m", "main"]);
    assert_eq!(tier(&world.call, "git_commit", json!({"message": "m"})), Tier::Individual);
    let reply = world.tool("git_commit", json!({"message": "m"})).unwrap();
    assert_eq!(reply.data["unsigned"], json!(true));
}

#[test]
fn a_repository_in_a_folder_has_the_workspaces_paths() {
    let world = World::new();
    std::fs::create_dir(world.root().join("project")).unwrap();
    let inner = world.root().join("project");
    let git = |args: &[&str]| assert!(git_command(&inner).args(args).status().unwrap().success());
    git(&["init", "-q", "-b", "topic"]);
    git(&["config", "user.name", "Ann"]);
    git(&["config", "user.email", "ann@example.org"]);
    world.write("project/src/a.txt", "a\n");
    world.write("outside.txt", "x\n");
    let reply = world.tool("git_add", json!({"paths": ["project/src"]})).unwrap();
    assert_eq!(reply.data["staged"], json!(["project/src/a.txt"]));
    let reply = world.tool("git_commit", json!({"message": "m", "paths": ["project/src/a.txt"]})).unwrap();
    assert_eq!(reply.data["files"], json!(["project/src/a.txt"]));
    world.write("project/src/a.txt", "b\n");
    let reply = world.tool("git_status", json!({"path": "project/src"})).unwrap();
    assert_eq!(seen(&reply, "unstaged"), [("project/src/a.txt".to_owned(), "modified".to_owned())].into());
    let reply = world.tool("git_diff", json!({"paths": ["project"]})).unwrap();
    assert!(reply.text.contains("+++ b/project/src/a.txt"), "{}", reply.text);
    assert_eq!(world.tool("git_status", json!({})).unwrap_err().code, Code::NotARepo);
    let error = world.tool("git_add", json!({"paths": ["project/src", "outside.txt"]})).unwrap_err();
    assert_eq!(error.code, Code::InvalidArgs);
    // Discovery ends at the workspace's root, though the folder above is a repository.
    let call = call_on(&world.root().join("project/src"), |_| {});
    assert_eq!(run(&call, "git_status", json!({})).unwrap_err().code, Code::NotARepo);
}

#[test]
fn a_range_is_its_two_ends() {
    let world = repository();
    world.git(&["checkout", "-q", "-b", "side"]);
    world.write("dir/c.txt", "side\n");
    world.git(&["commit", "-qam", "side"]);
    world.git(&["checkout", "-q", "topic"]);
    world.write("a.txt", "topic\n");
    world.git(&["commit", "-qam", "on topic"]);
    for range in ["side..topic", "side...topic", "topic..side", "topic...side", "..side", "side.."] {
        assert_patch_numbers(&world, json!({"from": range}), range);
    }
}

/// Our table against `git diff --numstat`.
fn assert_patch_numbers(world: &World, arguments: Value, range: &str) {
    let reply = world.tool("git_diff", arguments).unwrap();
    let files = reply.data["files"].as_array().unwrap();
    let ours: Vec<String> = files
        .iter()
        .map(|file| format!("{}\t{}\t{}", file["added"], file["removed"], file["path"].as_str().unwrap()))
        .collect();
    let theirs = world.git(&["diff", "--numstat", range]);
    assert_eq!(ours, theirs.lines().collect::<Vec<_>>(), "{range}");
}

/// What git only warns of when it compares is no reason to show nothing; what it refuses to store is refused with its reason.
#[test]
fn line_ends_that_would_not_come_back_stop_only_what_stores_them() {
    for (settings, words) in [
        ([("core.autocrlf", "true"), ("core.safecrlf", "true")], "LF would be replaced by CRLF"),
        ([("core.autocrlf", "input"), ("core.safecrlf", "true")], "CRLF would be replaced by LF"),
    ] {
        let world = repository();
        world.write("same.txt", "one\ntwo\n");
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "same"]);
        for (key, value) in settings {
            world.git(&["config", key, value]);
        }
        world.write("a.txt", "x\r\ny\n");
        // As many bytes as before: it has to be looked into.
        world.write("same.txt", "on\r\ntwo\n");
        for (tool, arguments) in
            [("git_diff", json!({})), ("git_status", json!({})), ("git_blame", json!({"path": "a.txt"}))]
        {
            world.tool(tool, arguments).unwrap();
        }
        assert_status(&world);
        let before = index(&world);
        for arguments in [json!({"paths": ["a.txt"]}), json!({"paths": ["."]})] {
            let error = world.tool("git_add", arguments).unwrap_err();
            assert_eq!(error.code, Code::EncodingUnsupported, "{error}");
            assert!(error.message.contains("`a.txt`") && error.message.contains(words), "{error}");
            assert!(error.hint.contains("core.safecrlf"), "{error}");
        }
        let commit = json!({"message": "m", "paths": ["a.txt"]});
        assert_eq!(world.tool("git_commit", commit).unwrap_err().code, Code::EncodingUnsupported);
        assert_eq!(index(&world), before);
        world.git(&["config", "core.safecrlf", "warn"]);
        world.tool("git_add", json!({"paths": ["."]})).unwrap();
    }
}

#[test]
fn an_encoding_that_is_not_known_concerns_its_own_file() {
    for encoding in ["UTF-16LE-BOM", "NO-SUCH"] {
        let world = repository();
        world.write("x.wide", "hello\n");
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "wide"]);
        world.write(".gitattributes", format!("*.wide working-tree-encoding={encoding}\n"));
        world.git(&["add", ".gitattributes"]);
        world.git(&["commit", "-qm", "rules"]);
        // As many bytes as before: it has to be looked into.
        world.write("x.wide", "jello\n");
        world.write("a.txt", "changed\n");
        let status = world.tool("git_status", json!({})).unwrap();
        let paths: Vec<&str> = status.data["unstaged"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["path"].as_str().unwrap())
            .collect();
        assert_eq!(paths, ["a.txt", "x.wide"], "{encoding}");
        let diff = world.tool("git_diff", json!({})).unwrap();
        assert!(diff.text.contains("+changed"), "{}", diff.text);
        let file = &diff.data["files"][1];
        assert_eq!((&file["path"], &file["filtered"]), (&json!("x.wide"), &json!(true)), "{}", diff.text);
        for (tool, arguments) in [
            ("git_add", json!({"paths": ["."]})),
            ("git_restore", json!({"paths": ["."]})),
            ("git_blame", json!({"path": "x.wide"})),
        ] {
            let error = world.tool(tool, arguments).unwrap_err();
            assert_eq!(error.code, Code::UnsupportedHere, "{tool}: {error}");
            assert!(
                error.message.contains("`x.wide`") && error.message.contains(encoding),
                "{tool}: {error}"
            );
        }
        assert_eq!(std::fs::read_to_string(world.root().join("x.wide")).unwrap(), "jello\n");
        world.tool("git_add", json!({"paths": ["a.txt"]})).unwrap();
        world.tool("git_switch", json!({"branch": "new", "create": true})).unwrap();
    }
}

/// What is said to be in an encoding need not be.
#[test]
fn what_cannot_be_decoded_is_compared_as_it_is() {
    let world = repository();
    world.write("x.wide", "hello\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    world.write(".gitattributes", "*.wide working-tree-encoding=UTF-16LE\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "wide"]);
    world.write("x.wide", [0x00, 0xd8].repeat(6));
    world.write("a.txt", "changed\n");
    for (tool, arguments) in [("git_status", json!({})), ("git_diff", json!({}))] {
        let reply = world.tool(tool, arguments).unwrap();
        assert!(reply.text.contains("a.txt") && reply.text.contains("x.wide"), "{}", reply.text);
    }
    let error = world.tool("git_add", json!({"paths": ["."]})).unwrap_err();
    assert_eq!(error.code, Code::EncodingUnsupported, "{error}");
    assert!(error.message.contains("`x.wide`"), "{error}");
    assert!(!world.git_output(&["add", "x.wide"]).status.success());
}
