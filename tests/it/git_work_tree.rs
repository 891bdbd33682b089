//! `git_restore` and `git_switch`: the work tree afterwards is what the git program makes of it, and nothing local is lost.

use std::collections::BTreeMap;

use outrigger::{
    policy::{Node, Preview},
    tier::Tier,
    tools::Code,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    git_status::{PATHS, Step, steps, take},
    world::{World, find, permit, tier},
};

fn repository() -> World {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.git(&["config", "user.name", "Ann"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    world.write("a.txt", "one\ntwo\n");
    world.write("dir/b.txt", "b\n");
    world.write("dir/c.sh", "#!/bin/sh\n");
    std::os::unix::fs::symlink("a.txt", world.root().join("link")).unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world
}

/// Everything in the work tree: content or target, with the permission to execute.
fn tree(world: &World) -> BTreeMap<String, (Vec<u8>, bool)> {
    fn walk(root: &std::path::Path, here: &std::path::Path, found: &mut BTreeMap<String, (Vec<u8>, bool)>) {
        use std::os::unix::{ffi::OsStringExt as _, fs::PermissionsExt as _};
        for entry in std::fs::read_dir(here).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap() == ".git" {
                continue;
            }
            let metadata = path.symlink_metadata().unwrap();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if metadata.is_dir() {
                walk(root, &path, found);
                found.insert(name + "/", (Vec::new(), false));
            } else if metadata.is_symlink() {
                let target = std::fs::read_link(&path).unwrap().into_os_string().into_vec();
                found.insert(name + "@", (target, false));
            } else {
                let executable = metadata.permissions().mode() & 0o100 != 0;
                found.insert(name, (std::fs::read(&path).unwrap(), executable));
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&world.root(), &world.root(), &mut found);
    found
}

type State = (BTreeMap<String, (Vec<u8>, bool)>, String, String, String);

fn state(world: &World) -> State {
    (
        tree(world),
        world.git(&["ls-files", "-s"]),
        String::from_utf8(world.git_output(&["symbolic-ref", "HEAD"]).stdout).unwrap(),
        world.git(&["status", "--porcelain=v2"]),
    )
}

#[test]
fn a_file_becomes_what_is_staged_or_committed() {
    let world = repository();
    world.write("a.txt", "staged\n");
    world.git(&["add", "a.txt"]);
    world.write("a.txt", "worked on\n");
    world.write("new.txt", "untracked\n");
    std::fs::remove_file(world.root().join("dir/b.txt")).unwrap();
    let reply = world.tool("git_restore", json!({"paths": ["a.txt", "dir"]})).unwrap();
    assert_eq!(reply.data["restored"], json!(["a.txt", "dir/b.txt"]));
    assert_eq!(reply.data["undo"], json!(true));
    assert_eq!(std::fs::read_to_string(world.root().join("a.txt")).unwrap(), "staged\n");
    assert_eq!(world.git(&["status", "--porcelain"]), "M  a.txt\n?? new.txt\n");
    world.tool("git_restore", json!({"paths": ["."], "source": "HEAD"})).unwrap();
    assert_eq!(world.git(&["status", "--porcelain"]), "MM a.txt\n?? new.txt\n");
    let reply = world.tool("git_restore", json!({"paths": ["dir"]})).unwrap();
    assert_eq!(reply.text, "nothing to restore: the files are as wanted");
}

#[test]
fn the_plan_of_a_restore_shows_and_lists_every_file() {
    let world = repository();
    world.write("a.txt", "one\n2\n");
    std::fs::remove_file(world.root().join("link")).unwrap();
    std::fs::remove_dir_all(world.root().join("dir")).unwrap();
    let arguments = json!({"paths": ["."]});
    assert_eq!(tier(&world.call, "git_restore", arguments.clone()), Tier::Individual);
    let plan = world.plan("git_restore", arguments.clone()).unwrap().unwrap();
    let Preview::Files { files } = &plan.preview else { panic!() };
    assert_eq!(plan.summary, "Restore 4 files from the index");
    assert_eq!(files[0].hunks[0].lines, [" one", "-2", "+two"]);
    let prepared = find("git_restore").prepare(arguments.clone(), &world.call).unwrap();
    let changes: Vec<(&str, bool, bool)> = prepared
        .intent
        .changes
        .iter()
        .map(|change| (change.path.as_str(), change.before.is_some(), change.after.is_some()))
        .collect();
    assert_eq!(
        changes,
        [
            ("dir", false, true),
            ("a.txt", true, true),
            ("dir/b.txt", false, true),
            ("dir/c.sh", false, true),
            ("link", false, true)
        ]
    );
    assert!(matches!(&prepared.intent.changes[4].after, Some(Node::Link { target }) if target == "a.txt"));
    // What changes after the plan is not overwritten.
    world.write("a.txt", "somebody else\n");
    let permit = permit(&world.call, find("git_restore"), &arguments, &prepared.intent).unwrap();
    let error = prepared.run(&permit, &world.call).unwrap_err();
    assert_eq!(error.code, Code::Stale, "{error}");
    assert_eq!(std::fs::read_to_string(world.root().join("a.txt")).unwrap(), "somebody else\n");
}

#[test]
fn what_a_restore_has_nothing_for_holds_nothing_up() {
    type Prepare = fn(&World);
    let cases: [(&str, Prepare); 4] = [
        // Gone already, and something else has taken its place.
        ("gone", |world| {
            world.write("late.txt", "late\n");
            world.git(&["add", "-A"]);
            world.git(&["commit", "-qm", "second"]);
            std::fs::remove_file(world.root().join("late.txt")).unwrap();
            world.write("late.txt/mine", "untracked\n");
        }),
        // A link stands where the folder was: staged, and not.
        ("link", |world| {
            std::fs::remove_dir_all(world.root().join("dir")).unwrap();
            world.write("other/b.txt", "other\n");
            world.git(&["add", "other"]);
            world.git(&["commit", "-qm", "second"]);
            std::os::unix::fs::symlink("other", world.root().join("dir")).unwrap();
        }),
        ("tracked link", |world| {
            std::fs::remove_dir_all(world.root().join("dir")).unwrap();
            std::os::unix::fs::symlink("/tmp", world.root().join("dir")).unwrap();
            world.git(&["add", "-A"]);
            world.git(&["commit", "-qm", "second"]);
        }),
        ("submodule", |world| {
            world.git(&["init", "-q", "mod"]);
            world.write("mod/s", "s\n");
            let inside = |arguments: &[&str]| world.git(&[&["-C", "mod"], arguments].concat());
            inside(&["add", "s"]);
            inside(&["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "sub"]);
            world.git(&["-c", "advice.addEmbeddedRepo=false", "add", "mod"]);
            world.git(&["commit", "-qm", "second"]);
        }),
    ];
    for (name, prepare) in cases {
        let (ours, theirs) = (repository(), repository());
        for world in [&ours, &theirs] {
            prepare(world);
            world.write("a.txt", "changed\n");
        }
        let reply = ours.tool("git_restore", json!({"paths": ["."], "source": "HEAD~1"})).unwrap();
        theirs.git_output(&["restore", "--source=HEAD~1", "."]);
        assert_eq!(tree(&ours), tree(&theirs), "{name}");
        let left = ["the submodule `mod` was left alone; the user can restore it with git itself"];
        let expected = if name == "submodule" { &left[..] } else { &[] };
        assert_eq!(reply.warnings, expected, "{name}");
    }
}

#[test]
fn restoring_refuses_what_it_cannot_do_right() {
    let world = repository();
    world.write("new.txt", "x\n");
    world.write(".env", "KEY=1\n");
    world.git(&["add", "-f", ".env"]);
    world.git(&["commit", "-qm", "secret"]);
    world.write(".env", "KEY=2\n");
    world.write("a.txt", "changed\n");
    for (arguments, code) in [
        (json!({"paths": []}), Code::InvalidArgs),
        (json!({"paths": ["new.txt"]}), Code::NotFound),
        (json!({"paths": ["../outside"]}), Code::OutsideWorkspace),
        (json!({"paths": [".env"]}), Code::BlockedPath),
        (json!({"paths": [".git/config"]}), Code::ProtectedPath),
        (json!({"paths": ["a.txt"], "source": "--staged"}), Code::BadRevision),
        (json!({"paths": ["a.txt"], "source": "HEAD:a.txt"}), Code::BadRevision),
    ] {
        assert_eq!(world.tool("git_restore", arguments.clone()).unwrap_err().code, code, "{arguments}");
    }
    let reply = world.tool("git_restore", json!({"paths": ["."]})).unwrap();
    assert_eq!((&reply.data["restored"], &reply.data["blocked"]), (&json!(["a.txt"]), &json!(1)));
    assert_eq!(std::fs::read_to_string(world.root().join(".env")).unwrap(), "KEY=2\n");
    world.write(".gitattributes", "*.txt filter=lfs\n");
    world.write("a.txt", "changed\n");
    let error = world.tool("git_restore", json!({"paths": ["a.txt"]})).unwrap_err();
    assert_eq!(error.code, Code::UnsupportedHere, "{error}");
}

/// `a.txt` is a folder, and `dir` a file.
fn swap(world: &World) {
    std::fs::remove_file(world.root().join("a.txt")).unwrap();
    world.write("a.txt/in/x", "x\n");
    std::fs::create_dir(world.root().join("a.txt/empty")).unwrap();
    std::fs::remove_dir_all(world.root().join("dir")).unwrap();
    world.write("dir", "a file\n");
}

#[test]
fn a_file_and_a_folder_in_the_place_of_each_other_are_restored() {
    for (paths, source) in [
        (json!(["."]), ""),
        (json!(["a.txt", "dir/b.txt", "dir/c.sh"]), ""),
        (json!(["dir", "a.txt"]), "HEAD"),
    ] {
        let (ours, gits) = (repository(), repository());
        for world in [&ours, &gits] {
            swap(world);
        }
        let arguments = json!({"paths": paths, "source": source});
        let plan = ours.plan("git_restore", arguments.clone()).unwrap().unwrap();
        let Preview::Files { files } = &plan.preview else { panic!() };
        let shown: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(shown, ["a.txt/in/x", "dir", "a.txt", "dir/b.txt", "dir/c.sh"]);
        let reply = ours.tool("git_restore", arguments).unwrap();
        assert_eq!(reply.data["undo"], json!(true));
        let source = if source.is_empty() { "--worktree".to_owned() } else { format!("--source={source}") };
        let paths: Vec<&str> = paths.as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
        gits.git(&[&["restore", &source, "--"], paths.as_slice()].concat());
        assert_eq!(state(&ours), state(&gits), "{paths:?} {source}");
    }
    // What must not be seen, or is a repository, is in nobody's way.
    for (path, code) in [("a.txt/.env", Code::BlockedPath), ("a.txt/.git/HEAD", Code::ProtectedPath)] {
        let world = repository();
        swap(&world);
        world.write(path, "x\n");
        let before = tree(&world);
        let error = world.tool("git_restore", json!({"paths": ["."]})).unwrap_err();
        assert_eq!(error.code, code, "{error}");
        assert_eq!(tree(&world), before);
    }
}

#[test]
fn a_branch_with_a_file_in_the_place_of_a_folder_is_switched_to_and_back() {
    let (ours, gits) = (repository(), repository());
    for world in [&ours, &gits] {
        world.git(&["switch", "-qc", "other"]);
        swap(world);
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "swapped"]);
    }
    for branch in ["topic", "other"] {
        ours.tool("git_switch", json!({"branch": branch})).unwrap();
        gits.git(&["switch", "-q", branch]);
        assert_eq!(state(&ours), state(&gits), "{branch}");
    }
    // An empty folder is nothing that could be lost.
    for world in [&ours, &gits] {
        world.git(&["switch", "-q", "topic"]);
        std::fs::remove_file(world.root().join("a.txt")).unwrap();
        world.git(&["commit", "-qam", "without"]);
        std::fs::create_dir_all(world.root().join("a.txt/empty")).unwrap();
        world.git(&["branch", "-q", "with", "HEAD~"]);
    }
    ours.tool("git_switch", json!({"branch": "with"})).unwrap();
    gits.git(&["switch", "-q", "with"]);
    assert_eq!(state(&ours), state(&gits));
}

#[test]
fn a_restored_file_is_unchanged_for_git() {
    for source in ["", "HEAD"] {
        let world = repository();
        world.git(&["config", "core.autocrlf", "true"]);
        world.write("a.txt", "worked on\r\n");
        std::fs::remove_dir_all(world.root().join("dir")).unwrap();
        world.tool("git_restore", json!({"paths": ["."], "source": source})).unwrap();
        assert_eq!(std::fs::read_to_string(world.root().join("a.txt")).unwrap(), "one\r\ntwo\r\n");
        // The first looks at what the index knows of the files alone.
        for looks in [["diff-files"].as_slice(), &["status", "--porcelain"]] {
            assert_eq!(world.git(looks), "", "{looks:?} {source}");
        }
    }
    // What is staged is another thing, and stays.
    let world = repository();
    world.write("a.txt", "staged\n");
    world.git(&["add", "a.txt"]);
    let staged = world.git(&["ls-files", "-s"]);
    world.tool("git_restore", json!({"paths": ["a.txt"], "source": "HEAD"})).unwrap();
    assert_eq!(world.git(&["ls-files", "-s"]), staged);
    assert_eq!(world.git(&["status", "--porcelain"]), "MM a.txt\n");
    // As for git, nobody else changes the index meanwhile.
    world.write(".git/index.lock", "");
    let error = world.tool("git_restore", json!({"paths": ["a.txt"]})).unwrap_err();
    assert_eq!(error.code, Code::Busy, "{error}");
    assert_eq!(std::fs::read_to_string(world.root().join("a.txt")).unwrap(), "one\ntwo\n");
}

#[test]
fn a_link_in_the_place_of_a_folder_leads_nothing_outside() {
    let world = repository();
    let before = tree(&world);
    for arguments in [json!({"paths": ["."]}), json!({"paths": ["."], "source": "HEAD"})] {
        std::fs::remove_dir_all(world.root().join("dir")).unwrap();
        std::os::unix::fs::symlink(world.outside(), world.root().join("dir")).unwrap();
        // As by git, the link goes and the folder comes.
        let reply = world.tool("git_restore", arguments).unwrap();
        assert_eq!(reply.data["restored"], json!(["dir", "dir/b.txt", "dir/c.sh"]));
        assert_eq!(tree(&world), before);
        assert_eq!(std::fs::read_dir(world.outside()).unwrap().count(), 0);
    }
}

#[test]
fn line_ends_of_the_work_tree_are_gits() {
    let world = repository();
    world.git(&["config", "core.autocrlf", "true"]);
    world.write(".gitattributes", "*.txt text\n*.b text eol=lf\n");
    world.write("x.b", "a\nb\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "attributes"]);
    for name in ["a.txt", "x.b"] {
        std::fs::remove_file(world.root().join(name)).unwrap();
    }
    world.tool("git_restore", json!({"paths": ["."]})).unwrap();
    let ours = tree(&world);
    world.git(&["checkout-index", "-q", "-f", "-a"]);
    assert_eq!(ours, tree(&world));
    assert_eq!(ours["a.txt"].0, b"one\r\ntwo\r\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_restore_is_gits(steps in steps(), path in 0..PATHS.len() + 2, source in any::<bool>()) {
        let (ours, theirs) = (World::new(), World::new());
        for world in [&ours, &theirs] {
            world.git(&["init", "-q", "-b", "topic"]);
            world.git(&["config", "advice.objectNameWarning", "false"]);
            world.write("root", "root\n");
            world.git(&["add", "-A"]);
            world.git(&["commit", "-qm", "root"]);
            for step in &steps {
                take(world, step);
            }
        }
        let path = PATHS.get(path).copied().unwrap_or(if path == PATHS.len() { "." } else { "dir" });
        let mut arguments = json!({"paths": [path]});
        let mut args = vec!["restore"];
        if source {
            arguments["source"] = json!("HEAD");
            args.push("--source=HEAD");
        }
        args.extend(["--", path]);
        let before = state(&ours);
        let expected = theirs.git_output(&args);
        match ours.tool("git_restore", arguments) {
            Ok(_) => {
                prop_assert!(expected.status.success(), "{}", String::from_utf8_lossy(&expected.stderr));
                prop_assert_eq!(state(&ours), state(&theirs));
            }
            Err(error) => {
                // Only what git cannot do either, or what would overwrite a folder.
                prop_assert!(!expected.status.success() || error.code == Code::WrongType, "{}", error);
                prop_assert_eq!(state(&ours), before);
            }
        }
    }

    #[test]
    fn any_switch_is_gits_or_refused(first in steps(), second in steps(), local in steps()) {
        let (ours, theirs) = (World::new(), World::new());
        for world in [&ours, &theirs] {
            world.git(&["init", "-q", "-b", "topic"]);
            world.write("root", "root\n");
            world.git(&["add", "-A"]);
            world.git(&["commit", "-qm", "root"]);
            for step in &first {
                take(world, step);
            }
            world.git(&["add", "-A"]);
            world.git(&["commit", "-q", "--allow-empty", "-m", "first"]);
            world.git(&["checkout", "-q", "-b", "other", "HEAD~1"]);
            for step in &second {
                take(world, step);
            }
            world.git(&["add", "-A"]);
            world.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
            for step in local.iter().filter(|step| !matches!(step, Step::Commit)) {
                take(world, step);
            }
        }
        let before = state(&ours);
        let expected = theirs.git_output(&["switch", "-q", "topic"]);
        match ours.tool("git_switch", json!({"branch": "topic"})) {
            Ok(_) => {
                prop_assert!(expected.status.success(), "{}", String::from_utf8_lossy(&expected.stderr));
                prop_assert_eq!(state(&ours), state(&theirs));
            }
            Err(error) => {
                prop_assert_eq!(error.code, Code::Stale, "{}", error);
                prop_assert_eq!(state(&ours), before);
            }
        }
    }
}

/// Rules that were written and not committed yet say what becomes of files that come, as for git.
#[test]
fn rules_that_git_does_not_know_count_when_a_branch_is_switched_to() {
    let pair = || {
        let world = repository();
        world.git(&["checkout", "-q", "-b", "other"]);
        world.write("a.txt", "other\n$Id$\n");
        world.write("dir/new.txt", "new\n");
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "other"]);
        world.git(&["checkout", "-q", "topic"]);
        world
    };
    for (place, rule) in [
        (".gitattributes", "*.txt eol=crlf\n"),
        (".gitattributes", "*.txt ident\n"),
        ("dir/.gitattributes", "*.txt eol=crlf\n"),
        ("dir/.gitattributes", "new.txt working-tree-encoding=UTF-16LE\n"),
    ] {
        let (ours, theirs) = (pair(), pair());
        for world in [&ours, &theirs] {
            world.write(place, rule);
        }
        theirs.git(&["switch", "-q", "other"]);
        ours.tool("git_switch", json!({"branch": "other"})).unwrap();
        assert_eq!(state(&ours), state(&theirs), "{place} {rule}");
    }
    let world = pair();
    world.write(".gitattributes", "*.txt filter=lfs\n");
    let error = world.tool("git_switch", json!({"branch": "other"})).unwrap_err();
    assert_eq!(error.code, Code::UnsupportedHere, "{error}");
    // Those of a branch that is left do not count.
    let (ours, theirs) = (pair(), pair());
    for world in [&ours, &theirs] {
        world.write(".gitattributes", "*.txt eol=crlf\n");
        world.git(&["add", ".gitattributes"]);
        world.git(&["commit", "-qm", "rules"]);
    }
    theirs.git(&["switch", "-q", "other"]);
    ours.tool("git_switch", json!({"branch": "other"})).unwrap();
    assert_eq!(tree(&ours), tree(&theirs));
    // One that is staged and in no commit yet stays, also where another one goes.
    for goes in [false, true] {
        let (ours, theirs) = (pair(), pair());
        for world in [&ours, &theirs] {
            if goes {
                world.write("dir/.gitattributes", "*.txt ident\n");
                world.git(&["add", "dir"]);
                world.git(&["commit", "-qm", "rules"]);
            }
            world.write(".gitattributes", "*.txt eol=crlf\n");
            world.git(&["add", ".gitattributes"]);
        }
        theirs.git(&["switch", "-q", "other"]);
        ours.tool("git_switch", json!({"branch": "other"})).unwrap();
        assert_eq!(state(&ours), state(&theirs), "{goes}");
    }
    // One that git does not know, where another one goes, is not done wrong in silence.
    let world = pair();
    world.write("dir/.gitattributes", "*.txt ident\n");
    world.git(&["add", "dir"]);
    world.git(&["commit", "-qm", "rules"]);
    world.write(".gitattributes", "*.txt eol=crlf\n");
    let before = tree(&world);
    let error = world.tool("git_switch", json!({"branch": "other"})).unwrap_err();
    assert!(
        error.code == Code::UnsupportedHere && error.message.contains("is not tracked and would count"),
        "{error}"
    );
    assert_eq!(tree(&world), before);
    world.git(&["add", ".gitattributes"]);
    world.tool("git_switch", json!({"branch": "other"})).unwrap();
}

#[test]
fn branches_are_made_and_switched_to() {
    let world = repository();
    let reply = world.tool("git_switch", json!({"branch": "feature/x", "create": true})).unwrap();
    assert_eq!(reply.data["branch"], json!("feature/x"));
    assert_eq!(world.git(&["branch", "--show-current"]), "feature/x\n");
    world.write("a.txt", "on x\n");
    world.write("only/x.txt", "x\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "x"]);
    // A local change that both branches have the same is kept.
    world.write("dir/b.txt", "local\n");
    let reply = world.tool("git_switch", json!({"branch": "topic"})).unwrap();
    assert_eq!(reply.data["files"], json!(["only/x.txt", "a.txt"]));
    assert_eq!(world.git(&["status", "--porcelain"]), " M dir/b.txt\n");
    assert!(!world.root().join("only").exists());
    assert_eq!(world.git(&["log", "-g", "-1", "--format=%gs"]), "checkout: moving from feature/x to topic\n");
    let arguments = json!({"branch": "old", "create": true, "base": "feature/x~1"});
    assert_eq!(tier(&world.call, "git_switch", arguments.clone()), Tier::Individual);
    let plan = world.plan("git_switch", arguments.clone()).unwrap().unwrap();
    let head = world.git(&["rev-parse", "--short=10", "HEAD"]);
    assert_eq!(plan.summary, format!("Make and switch to `old` at {} from `topic` (0 files)", head.trim()));
    world.tool("git_switch", arguments).unwrap();
    world.git(&["fsck", "--strict"]);
}

#[test]
fn a_new_branch_follows_what_git_would_have_it_follow() {
    for (settings, name, base) in [
        (&[][..], "new", "origin/topic"),
        (&[], "new", "refs/remotes/origin/topic"),
        (&[], "new", "origin"),
        (&[], "new", "elsewhere/topic"),
        (&[], "a.b/c.d", "origin/topic"),
        (&[], "new", "topic"),
        (&[], "new", "origin/topic~0"),
        (&[], "new", ""),
        (&[("branch.autoSetupMerge", "false")], "new", "origin/topic"),
        (&[("branch.autoSetupMerge", "simple")], "new", "origin/topic"),
        (&[("branch.autoSetupMerge", "simple")], "side", "origin/side"),
        (&[("branch.autoSetupMerge", "always")], "new", "topic"),
        (&[("branch.autoSetupMerge", "always")], "new", ""),
        (&[("branch.autoSetupMerge", "inherit"), ("branch.topic.remote", "origin")], "new", "topic"),
        (&[("branch.autoSetupMerge", "inherit")], "new", "origin/topic"),
        (&[("branch.autoSetupRebase", "remote")], "new", "origin/topic"),
        (&[("branch.new.merge", "refs/heads/old"), ("branch.new.x", "y")], "new", "origin/topic"),
    ] {
        let made = || {
            let world = repository();
            world.git(&["config", "branch.topic.merge", "refs/heads/far"]);
            world.git(&["remote", "add", "origin", "/nowhere"]);
            for name in ["origin/topic", "origin/side", "elsewhere/topic"] {
                world.git(&["update-ref", &format!("refs/remotes/{name}"), "HEAD"]);
            }
            world.git(&["remote", "set-head", "origin", "topic"]);
            for (key, value) in settings {
                world.git(&["config", key, value]);
            }
            std::fs::set_permissions(
                world.root().join(".git/config"),
                std::os::unix::fs::PermissionsExt::from_mode(0o600),
            )
            .unwrap();
            world
        };
        let (world, theirs) = (made(), made());
        let start = if base.is_empty() { "HEAD" } else { base };
        theirs.git(&["switch", "-q", "-c", name, start]);
        let arguments = json!({"branch": name, "create": true, "base": base});
        let plan = world.plan("git_switch", arguments.clone()).unwrap().unwrap();
        let before = std::fs::read_to_string(world.root().join(".git/config")).unwrap();
        let reply = world.tool("git_switch", arguments).unwrap();
        let config = |world: &World| {
            let listed = world.git(&["config", "--local", "--list"]);
            listed.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(config(&world), config(&theirs), "{settings:?} {name} {base}");
        let changed = std::fs::read_to_string(world.root().join(".git/config")).unwrap() != before;
        assert_eq!(plan.summary.contains("which follows `"), changed, "{}", plan.summary);
        assert_eq!(reply.text.contains("it follows `"), changed, "{}", reply.text);
        let metadata = std::fs::metadata(world.root().join(".git/config")).unwrap();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777, 0o600);
        assert!(!world.root().join(".git/config.lock").exists());
    }
    // Where it cannot be written down the branch is there all the same.
    let world = repository();
    world.git(&["remote", "add", "origin", "/nowhere"]);
    world.git(&["update-ref", "refs/remotes/origin/topic", "HEAD"]);
    world.write(".git/config.lock", "");
    let arguments = json!({"branch": "new", "create": true, "base": "origin/topic"});
    let reply = world.tool("git_switch", arguments).unwrap();
    assert!(reply.warnings[0].contains("`origin/topic`"), "{:?}", reply.warnings);
    assert_eq!(world.git(&["branch", "--show-current"]), "new\n");
}

#[test]
fn a_file_that_is_not_there_is_not_lost_by_a_switch() {
    type Case<'a> = (&'a [&'a str], &'a dyn Fn(&World));
    let cases: &[Case<'_>] = &[
        // Changed, deleted, and a folder in its place.
        (&["a.txt", "dir/b.txt", "dir/c.sh"], &|_| {}),
        // In its place stands, staged, what the other branch has.
        (&["dir/b.txt"], &|world| {
            world.git(&["rm", "-q", "--cached", "dir/c.sh"]);
            std::fs::remove_file(world.root().join("dir/c.sh")).unwrap();
            world.write("dir/c.sh/inside", "other\n");
            world.git(&["add", "dir/c.sh"]);
        }),
    ];
    for (gone, prepare) in cases {
        let (ours, gits) = (repository(), repository());
        for world in [&ours, &gits] {
            world.git(&["checkout", "-q", "-b", "other"]);
            world.write("a.txt", "other\n");
            world.git(&["rm", "-q", "dir/b.txt", "dir/c.sh"]);
            world.write("dir/c.sh/inside", "other\n");
            world.git(&["add", "-A"]);
            world.git(&["commit", "-qm", "other"]);
            world.git(&["checkout", "-q", "topic"]);
            for path in *gone {
                std::fs::remove_file(world.root().join(path)).unwrap();
            }
            prepare(world);
        }
        gits.git(&["switch", "-q", "other"]);
        ours.tool("git_switch", json!({"branch": "other"})).unwrap();
        assert_eq!(state(&ours), state(&gits), "{gone:?}");
        assert_eq!(ours.git(&["status", "--porcelain"]), "", "{gone:?}");
    }
    // What was put in the place of its folder is.
    let world = repository();
    world.git(&["checkout", "-q", "-b", "other"]);
    world.write("dir/b.txt", "other\n");
    world.git(&["commit", "-qam", "other"]);
    world.git(&["checkout", "-q", "topic"]);
    std::fs::remove_dir_all(world.root().join("dir")).unwrap();
    for is_link in [false, true] {
        if is_link {
            std::fs::remove_file(world.root().join("dir")).unwrap();
            std::os::unix::fs::symlink(world.outside(), world.root().join("dir")).unwrap();
        } else {
            world.write("dir", "untracked\n");
        }
        let before = state(&world);
        let error = world.tool("git_switch", json!({"branch": "other"})).unwrap_err();
        assert!(error.code == Code::Stale && error.message.contains("`dir/b.txt`"), "{error}");
        assert_eq!(state(&world), before);
    }
}

#[test]
fn a_switch_that_would_lose_something_is_refused() {
    let world = repository();
    world.git(&["checkout", "-q", "-b", "other"]);
    world.write("a.txt", "other\n");
    world.write("coming/new.txt", "new\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "other"]);
    world.git(&["checkout", "-q", "topic"]);
    let refused = |code: Code, words: &str| {
        let before = state(&world);
        let error = world.tool("git_switch", json!({"branch": "other"})).unwrap_err();
        assert!(error.code == code && error.message.contains(words), "{error}");
        assert_eq!(state(&world), before);
    };
    world.write("a.txt", "local\n");
    refused(Code::Stale, "`a.txt` would be lost");
    world.git(&["add", "a.txt"]);
    refused(Code::Stale, "`a.txt` would be lost");
    world.git(&["reset", "-q", "--hard"]);
    world.write("coming/new.txt", "untracked\n");
    refused(Code::Stale, "`coming/new.txt` would be lost");
    world.write(".git/info/exclude", "coming\n");
    refused(Code::Stale, "`coming/new.txt` would be lost");
    std::fs::remove_dir_all(world.root().join("coming")).unwrap();
    world.write("coming", "a file in the place of the folder\n");
    refused(Code::Stale, "`coming/new.txt` would be lost");
    std::fs::remove_file(world.root().join("coming")).unwrap();
    world.write(".git/index.lock", "");
    refused(Code::Busy, "locked");
    std::fs::remove_file(world.root().join(".git/index.lock")).unwrap();
    world.git(&["checkout", "-q", "-b", "third", "topic"]);
    world.write("a.txt", "third\n");
    world.git(&["commit", "-qam", "third"]);
    let _ = world.git_output(&["merge", "-q", "other"]);
    refused(Code::MergeInProgress, "merge");
    world.git(&["merge", "--abort"]);
    for (arguments, code) in [
        (json!({"branch": "third"}), Code::NoChange),
        (json!({"branch": "othr"}), Code::BadRevision),
        (json!({"branch": "--force"}), Code::InvalidArgs),
        (json!({"branch": "a..b", "create": true}), Code::InvalidArgs),
        (json!({"branch": "other", "create": true}), Code::AlreadyExists),
        (json!({"branch": "other", "base": "HEAD"}), Code::InvalidArgs),
        (json!({"branch": "new", "create": true, "base": "nope"}), Code::BadRevision),
    ] {
        assert_eq!(world.tool("git_switch", arguments.clone()).unwrap_err().code, code, "{arguments}");
    }
    let error = world.tool("git_switch", json!({"branch": "othr"})).unwrap_err();
    assert_eq!(error.candidates, ["other"]);
    // What is blocked is not written either.
    world.git(&["checkout", "-q", "other"]);
    world.write(".env", "KEY=1\n");
    world.git(&["add", "-f", ".env"]);
    world.git(&["commit", "-qm", "secret"]);
    world.git(&["checkout", "-q", "topic"]);
    refused(Code::BlockedPath, "1 path");
}

#[test]
fn a_repository_without_commits_can_name_its_branch() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    let reply = world.tool("git_switch", json!({"branch": "main", "create": true})).unwrap();
    assert_eq!((&reply.data["branch"], &reply.data["id"]), (&json!("main"), &json!("")));
    assert_eq!(world.git(&["branch", "--show-current"]), "main\n");
}

#[test]
fn a_switch_that_fails_half_way_is_taken_back() {
    let world = repository();
    world.git(&["checkout", "-q", "-b", "other"]);
    world.write("a.txt", "other\n");
    world.write("dir/b.txt", "other\n");
    world.git(&["rm", "-q", "dir/c.sh"]);
    world.git(&["commit", "-qam", "other"]);
    world.git(&["checkout", "-q", "topic"]);
    let arguments: Value = json!({"branch": "other"});
    let prepared = find("git_switch").prepare(arguments.clone(), &world.call).unwrap();
    // The last file changes after the plan.
    world.write("dir/b.txt", "meanwhile\n");
    let before = state(&world);
    let permit = permit(&world.call, find("git_switch"), &arguments, &prepared.intent).unwrap();
    let error = prepared.run(&permit, &world.call).unwrap_err();
    assert!(error.code == Code::Stale && error.message.ends_with("nothing was changed"), "{error}");
    assert_eq!(state(&world), before);
}

#[test]
fn a_switch_goes_to_no_other_commit_than_the_plan_says() {
    let world = repository();
    world.git(&["checkout", "-q", "-b", "other"]);
    world.write("a.txt", "other\n");
    world.git(&["commit", "-qam", "other"]);
    world.write("late.txt", "late\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "late"]);
    world.git(&["checkout", "-q", "topic"]);
    let [early, late] = ["other~1", "other"].map(|rev| world.git(&["rev-parse", rev]).trim().to_owned());
    for (planned, then) in [(&early, Some(&late)), (&late, Some(&early)), (&late, None)] {
        world.git(&["update-ref", "refs/heads/other", planned]);
        let arguments: Value = json!({"branch": "other"});
        let prepared = find("git_switch").prepare(arguments.clone(), &world.call).unwrap();
        // Somebody pushes to it, resets it, or takes it away.
        match then {
            Some(then) => world.git(&["update-ref", "refs/heads/other", then]),
            None => world.git(&["update-ref", "-d", "refs/heads/other"]),
        };
        let before = state(&world);
        let permit = permit(&world.call, find("git_switch"), &arguments, &prepared.intent).unwrap();
        let error = prepared.run(&permit, &world.call).unwrap_err();
        assert_eq!(error.code, Code::Stale, "{error}");
        assert_eq!(state(&world), before);
        assert_eq!(world.git(&["status", "--short"]), "");
    }
}

#[test]
fn a_switch_that_fails_half_way_brings_back_what_no_checkout_writes() {
    for (rules, stored, here) in [
        ("*.txt text\n", "one\ntwo\n", "one\r\ntwo\r\n"),
        ("*.txt text eol=crlf\n", "one\ntwo\n", "one\ntwo\n"),
        ("*.txt text eol=crlf\n", "one\ntwo\n", "one\r\ntwo\n"),
        ("*.txt ident\n", "$Id$\n", "$Id: filled in $\n"),
    ] {
        let world = repository();
        world.write(".gitattributes", rules);
        world.write("a.txt", stored);
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "rules"]);
        world.git(&["checkout", "-q", "-b", "other"]);
        world.write("a.txt", "other\n");
        world.write("dir/b.txt", "other\n");
        world.git(&["commit", "-qam", "other"]);
        world.git(&["checkout", "-q", "topic"]);
        world.write("a.txt", here);
        world.git(&["add", "a.txt"]);
        assert_eq!(world.git(&["status", "--short"]), "");
        let arguments: Value = json!({"branch": "other"});
        let prepared = find("git_switch").prepare(arguments.clone(), &world.call).unwrap();
        world.write("dir/b.txt", "meanwhile\n");
        let before = state(&world);
        let permit = permit(&world.call, find("git_switch"), &arguments, &prepared.intent).unwrap();
        let error = prepared.run(&permit, &world.call).unwrap_err();
        assert!(error.message.ends_with("nothing was changed"), "{rules:?} {here:?}: {error}");
        assert_eq!(std::fs::read_to_string(world.root().join("a.txt")).unwrap(), here, "{rules:?}");
        assert_eq!(state(&world), before, "{rules:?} {here:?}");
    }
}

/// `git ls-files -v`: each path of the index, after a letter that tells what git was told of it.
fn flags(world: &World) -> String {
    world.git(&["ls-files", "-v"])
}

#[test]
fn what_git_was_told_to_leave_alone_is_left_alone() {
    for flag in ["--skip-worktree", "--assume-unchanged"] {
        let world = repository();
        world.git(&["checkout", "-qb", "other"]);
        world.write("a.txt", "of the other branch\n");
        world.git(&["commit", "-qam", "other"]);
        world.git(&["checkout", "-q", "topic"]);
        world.git(&["checkout", "-qb", "beside"]);
        world.write("dir/b.txt", "of a third branch\n");
        world.git(&["commit", "-qam", "beside"]);
        world.git(&["checkout", "-q", "topic"]);
        world.git(&["update-index", flag, "a.txt"]);
        world.write("a.txt", "local\n");
        let before = (tree(&world), flags(&world));
        for (tool, arguments) in [
            ("git_switch", json!({"branch": "other"})),
            ("git_restore", json!({"paths": ["."], "source": "other"})),
            ("git_restore", json!({"paths": ["a.txt"]})),
            // git passes over it in silence, or tells of a sparse checkout.
            ("git_add", json!({"paths": ["dir", "a.txt"]})),
            ("git_commit", json!({"message": "local", "paths": ["a.txt"]})),
        ] {
            let error = world.tool(tool, arguments.clone()).unwrap_err();
            assert_eq!(error.code, Code::UnsupportedHere, "{flag} {tool} {arguments}: {error}");
            assert!(error.message.contains("`a.txt`") && error.message.contains(&flag[2..]), "{error}");
            assert_eq!((tree(&world), flags(&world)), before, "{flag} {tool} {arguments}");
        }
        // What does not touch it goes, and it stays as it is.
        world.tool("git_restore", json!({"paths": ["."]})).unwrap();
        world.tool("git_switch", json!({"branch": "beside"})).unwrap();
        assert_eq!(std::fs::read_to_string(world.root().join("a.txt")).unwrap(), "local\n");
        assert_eq!(flags(&world), before.1);
    }
}

#[test]
fn a_sparse_checkout_stays_sparse() {
    for mode in [&["--cone"][..], &["--no-cone"]] {
        let world = repository();
        for path in ["in/x", "out/y", "out/z"] {
            world.write(path, "first\n");
        }
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "first"]);
        for (branch, path) in
            [("changes", "out/y"), ("adds", "out/new"), ("inside", "in/new"), ("top", "new")]
        {
            world.git(&["checkout", "-qb", branch, "topic"]);
            world.write(path, "other\n");
            world.git(&["add", "-A"]);
            world.git(&["commit", "-qm", branch]);
        }
        world.git(&["checkout", "-q", "topic"]);
        world.git(&[&["sparse-checkout", "set", "--no-sparse-index"], mode, &["in"]].concat());
        let before = state(&world);
        for (branch, path) in [("changes", "out/y"), ("adds", "out/new")] {
            let switch = ("git_switch", json!({"branch": branch}));
            for (tool, arguments) in [switch, ("git_restore", json!({"paths": ["."], "source": branch}))] {
                let error = world.tool(tool, arguments.clone()).unwrap_err();
                assert_eq!(error.code, Code::UnsupportedHere, "{mode:?} {tool} {branch}: {error}");
                assert!(error.message.contains(&format!("`{path}`")), "{mode:?} {error}");
                assert_eq!(state(&world), before, "{mode:?} {tool} {branch}");
            }
        }
        // Without a cone, `in` stands for the folder alone.
        let branches: &[&str] = if mode == ["--cone"] { &["inside", "top"] } else { &["inside"] };
        for branch in branches {
            world.tool("git_switch", json!({"branch": branch})).unwrap();
            let ours = (state(&world), flags(&world));
            world.git(&["switch", "-q", "topic"]);
            world.git(&["switch", "-q", branch]);
            assert_eq!((state(&world), flags(&world)), ours, "{mode:?} {branch}");
            world.git(&["switch", "-q", "topic"]);
        }
    }
}

#[test]
fn what_lies_outside_of_a_sparse_checkout_is_compared() {
    for expects in [false, true] {
        let world = repository();
        for path in ["in/x", "out/y", "out/deep/z", "other/w"] {
            world.write(path, "first\n");
        }
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "first"]);
        world.git(&["sparse-checkout", "set", "--no-sparse-index", "in"]);
        world.git(&["config", "sparse.expectFilesOutsideOfPatterns", &expects.to_string()]);
        world.write("out/y", "by hand\n");
        world.write("other/w", "first\n");
        let porcelain = world.git(&["--no-optional-locks", "status", "--porcelain"]);
        assert_eq!(porcelain, if expects { "" } else { " M out/y\n" });
        let expected = if expects { json!([]) } else { json!([{"path": "out/y", "change": "modified"}]) };
        assert_eq!(world.tool("git_status", json!({})).unwrap().data["unstaged"], expected);
        let diff = world.tool("git_diff", json!({})).unwrap();
        assert_eq!(diff.text.contains("+by hand"), !expects, "{}", diff.text);
        let restored = world.tool("git_restore", json!({"paths": ["."]})).unwrap();
        assert_eq!(restored.data["restored"], json!([]));
        assert_eq!(restored.warnings.len(), usize::from(!expects), "{:?}", restored.warnings);
        assert_eq!(std::fs::read_to_string(world.root().join("out/y")).unwrap(), "by hand\n");
    }
}

#[test]
fn what_lies_outside_of_a_sparse_checkout_is_not_staged() {
    for paths in [&["."][..], &["dir"], &["dir/b.txt"], &["dir/new"], &["a.txt", "in/new"]] {
        let made = || {
            let world = repository();
            world.write("in/a", "a\n");
            world.git(&["add", "-A"]);
            world.git(&["commit", "-qm", "in"]);
            world.git(&["sparse-checkout", "set", "in"]);
            // As a tool leaves it that knows nothing of sparse checkouts: one is gone, one is changed, one is new.
            world.git(&["update-index", "--no-skip-worktree", "dir/b.txt"]);
            for (path, text) in
                [("a.txt", "new\n"), ("in/new", "new\n"), ("dir/c.sh", "new\n"), ("dir/new", "new\n")]
            {
                world.write(path, text);
            }
            world
        };
        let (world, theirs) = (made(), made());
        let _ = theirs.git_output(&[&["add"], paths].concat());
        let done = world.tool("git_add", json!({"paths": paths}));
        let index = |world: &World| world.git(&["ls-files", "-s"]);
        assert_eq!(index(&world), index(&theirs), "{paths:?} {done:?}");
        let told = done.map_or_else(|error| error.message, |reply| reply.warnings.join("\n"));
        assert_eq!(
            told.contains("outside of the sparse checkout"),
            !paths.contains(&"in/new"),
            "{paths:?} {told}"
        );
    }
}

#[test]
fn what_is_new_beside_files_that_are_left_out_is_seen() {
    let made = |sparse: bool| {
        let world = repository();
        for path in ["skipped/k", "skipped/l", "skipped/deep/m"] {
            world.write(path, "x\n");
        }
        world.write("skipped/.gitignore", "*.o\n");
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "more"]);
        if sparse {
            world.git(&["sparse-checkout", "set", "dir"]);
        } else {
            let skipped = ["skipped/k", "skipped/l", "skipped/deep/m", "skipped/.gitignore"];
            world.git(&[&["update-index", "--skip-worktree"][..], &skipped[..]].concat());
            for path in skipped {
                std::fs::remove_file(world.root().join(path)).unwrap();
            }
        }
        for path in ["skipped/new", "skipped/n.o", "skipped/deep/new"] {
            world.write(path, "new\n");
        }
        world
    };
    for sparse in [false, true] {
        let (world, theirs) = (made(sparse), made(sparse));
        let status = world.tool("git_status", json!({})).unwrap();
        let untracked: Vec<String> = status.data["untracked"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| format!("?? {}", file["path"].as_str().unwrap()))
            .collect();
        let theirs_say = theirs.git(&["status", "--porcelain", "-uall"]);
        assert_eq!(untracked.join("\n"), theirs_say.trim_end(), "sparse: {sparse}");
        let _ = theirs.git_output(&["add", "."]);
        let done = world.tool("git_add", json!({"paths": ["."]}));
        assert_eq!(
            world.git(&["ls-files", "-s"]),
            theirs.git(&["ls-files", "-s"]),
            "sparse: {sparse} {done:?}"
        );
    }
}

#[test]
fn a_files_own_id_is_written_as_git_writes_it() {
    for attributes in ["*.id ident\n", "*.id ident text eol=crlf\n", "*.id -ident\n"] {
        let world = repository();
        let contents = [
            "$Id$\nx\n",
            "a $Id$ b $Id$",
            "$Id: 0123$ $Id: 0123 $ $Id:$ $Id:  $",
            "$Id: x.c,v 1.2 somebody $ $Id$",
            "$Id: no end\n$Id$\n$Id: to here",
            "$Id $id$ $ID$",
            "$Id:",
            "nothing",
        ];
        // As they stand in other systems' exports: nothing was taken out before they were stored.
        for (number, content) in contents.iter().enumerate() {
            world.write(&format!("{number}.id"), content);
        }
        world.git(&["add", "-A"]);
        world.write(".gitattributes", attributes);
        world.git(&["add", ".gitattributes"]);
        world.git(&["commit", "-qm", "ids"]);
        world.git(&["checkout", "-qf", "--detach", "HEAD~1"]);
        let clear = || {
            for number in 0..contents.len() {
                let _ = std::fs::remove_file(world.root().join(format!("{number}.id")));
            }
        };
        world.tool("git_switch", json!({"branch": "topic"})).unwrap();
        let switched = tree(&world);
        clear();
        world.git(&["checkout", "-q", "--", "."]);
        assert_eq!(tree(&world), switched, "{attributes:?}");
        clear();
        world.tool("git_restore", json!({"paths": ["."]})).unwrap();
        assert_eq!(tree(&world), switched, "{attributes:?}");
    }
}

/// gix writes UTF-16 as UTF-8, and takes any file of that name for one whose low byte comes first.
#[test]
fn utf_16_is_read_and_written_as_git_does_it() {
    let encoded = |mark: &[u8], text: &str, order: fn(u16) -> [u8; 2]| {
        [mark, &text.encode_utf16().flat_map(order).collect::<Vec<u8>>()].concat()
    };
    let le = |mark: &[u8], text: &str| encoded(mark, text, u16::to_le_bytes);
    let be = |mark: &[u8], text: &str| encoded(mark, text, u16::to_be_bytes);
    let world = repository();
    world.write(
        ".gitattributes",
        "*.le working-tree-encoding=UTF-16LE\n*.be working-tree-encoding=utf-16be\n*.any working-tree-encoding=UTF-16\n\
         *.crlf working-tree-encoding=UTF-16LE text eol=crlf\n*.ucs working-tree-encoding=UCS-2\n",
    );
    world.git(&["add", ".gitattributes"]);
    let text = "é 𝄞\nb\n";
    for (name, bytes) in [
        ("x.le", le(&[], text)),
        ("x.be", be(&[], text)),
        ("little.any", le(&[0xff, 0xfe], text)),
        ("big.any", be(&[0xfe, 0xff], text)),
        ("x.crlf", le(&[], "a\r\nb\r\n")),
        ("empty.any", Vec::new()),
    ] {
        world.write(name, bytes);
        world.tool("git_add", json!({"paths": [name]})).unwrap();
        let ours = world.git(&["cat-file", "blob", &format!(":{name}")]);
        world.git(&["rm", "-q", "--cached", name]);
        world.git(&["add", name]);
        assert_eq!(ours, world.git(&["cat-file", "blob", &format!(":{name}")]), "{name}");
    }
    world.git(&["commit", "-qam", "wide"]);
    // As they are, with another time: they are looked into.
    for name in ["x.le", "x.be", "little.any", "big.any", "x.crlf"] {
        let file = std::fs::File::options().write(true).open(world.root().join(name)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    }
    assert_eq!(world.tool("git_status", json!({})).unwrap().data["unstaged"], json!([]));
    world.write("big.any", be(&[0xfe, 0xff], "é"));
    let unstaged = world.tool("git_status", json!({})).unwrap().data["unstaged"].clone();
    assert_eq!(unstaged, json!([{"path": "big.any", "change": "modified"}]));
    world.git(&["checkout", "-q", "big.any"]);
    world.git(&["switch", "-qc", "other"]);
    for (name, bytes) in [
        ("x.le", le(&[], "other")),
        ("x.be", be(&[], "other")),
        ("little.any", le(&[0xff, 0xfe], "other")),
        ("big.any", be(&[0xfe, 0xff], "other")),
        ("x.crlf", le(&[], "other\r\n")),
        ("empty.any", le(&[0xff, 0xfe], "other")),
    ] {
        world.write(name, bytes);
    }
    world.git(&["commit", "-qam", "other"]);
    let as_git_has_them = |branch: &str| {
        let ours = tree(&world);
        world.git(&["switch", "-q", branch]);
        world.git(&["rm", "-q", "--cached", "-r", "."]);
        world.git(&["reset", "-q", "--hard"]);
        assert_eq!(ours, tree(&world));
    };
    world.tool("git_switch", json!({"branch": "topic"})).unwrap();
    as_git_has_them("topic");
    for name in ["x.le", "x.be", "little.any", "big.any", "x.crlf", "empty.any"] {
        world.write(name, le(&[0xff, 0xfe], "spoiled"));
    }
    world.tool("git_restore", json!({"paths": ["."]})).unwrap();
    as_git_has_them("topic");

    // What git does not take is not taken; another name for it is another thing.
    for (name, bytes, code) in [
        ("x.le", le(&[0xff, 0xfe], text), Code::EncodingUnsupported),
        ("x.be", be(&[0xfe, 0xff], text), Code::EncodingUnsupported),
        ("big.any", be(&[], text), Code::EncodingUnsupported),
        ("x.ucs", le(&[0xff, 0xfe], text), Code::UnsupportedHere),
    ] {
        world.write(name, bytes);
        let error = world.tool("git_add", json!({"paths": [name]})).unwrap_err();
        assert_eq!(error.code, code, "{name}: {error}");
        assert!(name == "x.ucs" || !world.git_output(&["add", name]).status.success(), "{name}");
    }
}

#[test]
fn single_bytes_are_read_and_written_as_git_does_it() {
    let world = repository();
    world.write(
        ".gitattributes",
        "*.one working-tree-encoding=ISO-8859-1\n*.l1 working-tree-encoding=latin1 text eol=crlf\n\
         *.nine working-tree-encoding=ISO-8859-9\n*.web working-tree-encoding=windows-1252\n\
         *.ascii working-tree-encoding=US-ASCII\n*.thai working-tree-encoding=TIS-620\n",
    );
    world.git(&["add", ".gitattributes"]);
    let all: Vec<u8> = (1..=255).collect();
    let names = ["x.one", "x.l1", "x.nine", "x.web", "x.ascii"];
    for (name, bytes) in
        names.iter().zip([&all[..], b"\x80\x9f\xe9\r\n", &all, b"\x80\x9c\xe9\n", b"plain\n"])
    {
        world.write(name, bytes);
        world.tool("git_add", json!({"paths": [name]})).unwrap();
        let ours = world.git(&["ls-files", "-s", name]);
        world.git(&["rm", "-q", "--cached", name]);
        world.git(&["add", name]);
        assert_eq!(ours, world.git(&["ls-files", "-s", name]), "{name}");
    }
    world.git(&["commit", "-qm", "bytes"]);
    // With another time they are looked into.
    for name in names {
        let file = std::fs::File::options().write(true).open(world.root().join(name)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    }
    assert_eq!(world.tool("git_status", json!({})).unwrap().data["unstaged"], json!([]));
    let before = tree(&world);
    for name in names {
        world.write(name, "spoiled\n");
    }
    world.tool("git_restore", json!({"paths": ["."]})).unwrap();
    assert_eq!(tree(&world), before);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    // What git does not take is not taken, and what only it knows is left to it.
    for (name, code) in [("x.ascii", Code::EncodingUnsupported), ("x.thai", Code::UnsupportedHere)] {
        world.write(name, b"\xe9\n");
        assert_eq!(world.tool("git_add", json!({"paths": [name]})).unwrap_err().code, code, "{name}");
    }
    assert!(!world.git_output(&["add", "x.ascii"]).status.success());
    // Nor is a character written that the encoding does not have.
    world.git(&["checkout", "-q", "."]);
    world.write(".gitattributes", "");
    world.write("x.one", "\u{20ac}\n");
    world.git(&["add", "x.one"]);
    world.git(&["checkout", "-q", "HEAD", ".gitattributes"]);
    std::fs::remove_file(world.root().join("x.one")).unwrap();
    let error = world.tool("git_restore", json!({"paths": ["x.one"]})).unwrap_err();
    assert_eq!(error.code, Code::EncodingUnsupported, "{error}");
}

fn statuses(world: &World, from: &str) -> (BTreeMap<String, (String, String)>, String) {
    let reply = world.tool("git_diff", json!({"from": from, "limit_bytes": 16_777_216})).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let files = reply.data["files"].as_array().unwrap().iter();
    let files = files.map(|file| (text(&file["path"]), (text(&file["status"]), text(&file["old_path"]))));
    (files.collect(), reply.text)
}

fn statuses_by_git(world: &World, from: &str) -> BTreeMap<String, (String, String)> {
    let output = world.git(&["diff", "--name-status", from]);
    let of = |line: &str| {
        let parts: Vec<&str> = line.split('\t').collect();
        let status = match parts[0].as_bytes()[0] {
            b'A' => "added",
            b'D' => "deleted",
            b'M' => "modified",
            b'R' => "renamed",
            b'T' => "type_changed",
            other => panic!("{other} in {line}"),
        };
        let old = if status == "renamed" { parts[1] } else { "" };
        (parts[parts.len() - 1].to_owned(), (status.to_owned(), old.to_owned()))
    };
    output.lines().map(of).collect()
}

fn eight_lines(of: &str) -> String {
    (0..8).map(|line| [of, " ", &line.to_string(), " ", of, of, "\n"].concat()).collect()
}

#[test]
fn a_rename_is_judged_from_the_commit_and_the_work_tree() {
    let begin = || {
        let world = repository();
        world.write("f0.txt", eight_lines("zero"));
        world.write("f3.txt", eight_lines("three"));
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "second"]);
        world.git(&["commit", "-q", "--allow-empty", "-m", "third"]);
        world.git(&["mv", "f3.txt", "mv0.txt"]);
        world
    };
    for from in ["HEAD", "HEAD~1"] {
        // Still that file, changed a little.
        let world = begin();
        world.write("mv0.txt", eight_lines("three") + "more\n");
        assert_eq!(statuses(&world, from).0["mv0.txt"], ("renamed".to_owned(), "f3.txt".to_owned()));
        // A link in its place, and a file that has nothing of it.
        let world = begin();
        std::fs::remove_file(world.root().join("mv0.txt")).unwrap();
        std::os::unix::fs::symlink("f0.txt", world.root().join("mv0.txt")).unwrap();
        assert_eq!(statuses(&world, from).0, statuses_by_git(&world, from));
        let world = begin();
        world.write("mv0.txt", eight_lines("another"));
        let (found, text) = statuses(&world, from);
        assert_eq!(found, statuses_by_git(&world, from));
        let patch = world.write("../outside/patch", &text[text.find("diff --git").unwrap()..]);
        world.git(&["commit", "-qam", "moved"]);
        world.git(&["checkout", "-q", "HEAD~1"]);
        world.git(&["apply", "--check", patch.to_str().unwrap()]);
    }
}

#[test]
fn differences_of_random_work_trees_are_those_of_git() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    for _ in 0..25 {
        let world = repository();
        for file in 0..6 {
            world.write(&format!("f{file}"), eight_lines(&format!("file{file}")));
        }
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "second"]);
        world.git(&["rm", "-q", "--cached", "dir/c.sh"]);
        world.git(&["commit", "-qm", "third"]);
        let mut done = Vec::new();
        for step in 0..7 {
            let path = format!("f{}", next(6));
            let place = world.root().join(&path);
            let moved = format!("moved{step}");
            let what = next(8);
            done.push((what, path.clone()));
            match what {
                0 | 1 if place.is_file() => drop(world.git_output(&["mv", "-f", &path, &moved])),
                2 => drop(std::fs::remove_file(&place)),
                3 => drop(world.git_output(&["add", "-A"])),
                4 => {
                    let other = world.root().join(format!("moved{}", next(7)));
                    if std::fs::remove_file(&other).is_ok() {
                        std::os::unix::fs::symlink("a.txt", other).unwrap();
                    }
                }
                5 => {
                    let other = format!("moved{}", next(7));
                    if world.root().join(&other).is_file() {
                        world.write(&other, eight_lines(&format!("rewritten{step}")));
                    }
                }
                6 => drop(world.git_output(&["rm", "-q", "--cached", &path])),
                _ if place.is_file() && !place.is_symlink() => {
                    let text = std::fs::read_to_string(&place).unwrap();
                    world.write(&path, text + "more\n");
                }
                _ => {}
            }
        }
        for from in ["HEAD", "HEAD~1", "HEAD~2"] {
            assert_eq!(statuses(&world, from).0, statuses_by_git(&world, from), "{from} after {done:?}");
        }
    }
}

#[test]
fn where_nothing_was_restored_nothing_can_be_undone() {
    let world = repository();
    let reply = world.tool("git_restore", json!({"paths": ["."]})).unwrap();
    assert!(reply.text.starts_with("nothing to restore"), "{}", reply.text);
    assert_eq!((&reply.data["undo"], &reply.data["restored"]), (&json!(false), &json!([])));
}

/// A tracked folder that became a file or a link, staged by its own name and by that of what holds it, and committed by its name.
#[test]
fn what_took_the_place_of_a_folder_is_staged_with_all_that_went() {
    let cases: &[&dyn Fn(&World)] = &[
        &|world| drop(world.write("d", "file\n")),
        &|world| std::os::unix::fs::symlink("a.txt", world.root().join("d")).unwrap(),
        &|world| std::os::unix::fs::symlink("nowhere", world.root().join("d")).unwrap(),
    ];
    let changed = |take_place: &dyn Fn(&World)| {
        let world = World::new();
        world.git(&["init", "-q", "-b", "main"]);
        world.git(&["config", "user.name", "Ann Author"]);
        world.git(&["config", "user.email", "ann@example.org"]);
        world.write("a.txt", "a\n");
        world.write("d/x", "x\n");
        world.write("d/e/y", "y\n");
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "one"]);
        std::fs::remove_dir_all(world.root().join("d")).unwrap();
        take_place(&world);
        world
    };
    for take_place in cases {
        for path in ["d", "."] {
            let (ours, theirs) = (changed(take_place), changed(take_place));
            ours.tool("git_add", json!({"paths": [path]})).unwrap();
            theirs.git(&["add", "-A", path]);
            assert_eq!(ours.git(&["status", "--porcelain"]), theirs.git(&["status", "--porcelain"]));
            assert_eq!(ours.git(&["ls-files", "-s"]), theirs.git(&["ls-files", "-s"]));

            let (ours, theirs) = (changed(take_place), changed(take_place));
            ours.tool("git_commit", json!({"message": "two", "paths": [path]})).unwrap();
            theirs.git(&["commit", "-qm", "two", "--", path]);
            assert_eq!(ours.git(&["ls-tree", "-r", "HEAD"]), theirs.git(&["ls-tree", "-r", "HEAD"]));
            assert_eq!(ours.git(&["status", "--porcelain"]), theirs.git(&["status", "--porcelain"]));
        }
    }
}

/// What is blocked in a folder that is gone is left alone, so nothing can be staged in the folder's place.
#[test]
fn nothing_is_staged_in_the_place_of_what_is_blocked() {
    for (is_first, is_link) in [(true, false), (false, false), (true, true), (false, true)] {
        let world = World::new();
        world.git(&["init", "-q", "-b", "main"]);
        let folder = if is_first { "a" } else { "d" };
        world.write("b.txt", "b\n");
        for name in ["x", ".env"] {
            world.write(&format!("{folder}/{name}"), "KEY=1\n");
        }
        world.git(&["add", "-Af"]);
        world.git(&["commit", "-qm", "one"]);
        std::fs::remove_dir_all(world.root().join(folder)).unwrap();
        if is_link {
            std::os::unix::fs::symlink("b.txt", world.root().join(folder)).unwrap();
        } else {
            world.write(folder, "file\n");
        }
        world.write("b.txt", "other\n");
        let before = world.git(&["ls-files", "-s"]);
        let error = world.tool("git_add", json!({"paths": [folder]})).unwrap_err();
        assert_eq!(error.code, Code::BlockedPath, "{}", error.message);
        assert_eq!(world.git(&["ls-files", "-s"]), before);
        // All else is staged, and what was left is told.
        let reply = world.tool("git_add", json!({"paths": ["."]})).unwrap();
        assert_eq!(reply.data["staged"], {
            let mut staged = vec!["b.txt".to_owned(), format!("{folder}/x")];
            staged.sort();
            json!(staged)
        });
        assert_eq!(reply.data["blocked"], json!(1));
        let left = format!("`{folder}` was left alone");
        assert!(reply.warnings.iter().any(|said| said.starts_with(&left)), "{:?}", reply.warnings);
        assert_eq!(world.git(&["ls-files"]), {
            let mut known = ["b.txt".to_owned(), format!("{folder}/.env")];
            known.sort();
            format!("{}\n", known.join("\n"))
        });
    }
}

/// Which rule file counts for a restored file: the one that is restored with it, that of the index, or the one that lies there.
#[test]
fn files_are_restored_by_the_rules_that_count_for_git() {
    const RULES: [Option<&str>; 4] =
        [None, Some("*.txt text eol=crlf\n"), Some("*.txt -text\n"), Some("*.txt text eol=lf\n")];
    let put = |world: &World, path: &str, rules: Option<&str>| match rules {
        Some(rules) => drop(world.write(path, rules)),
        None => drop(std::fs::remove_file(world.root().join(path))),
    };
    let mut cases = Vec::new();
    for first in RULES {
        for second in RULES {
            for now in RULES {
                cases.push((first, second, now));
            }
        }
    }
    for (number, (first, second, now)) in cases.into_iter().enumerate() {
        let rules = [".gitattributes", "d/.gitattributes"][number % 2];
        let [ours, theirs] = [World::new(), World::new()];
        for world in [&ours, &theirs] {
            world.git(&["init", "-q", "-b", "main"]);
            for (round, content) in [(first, "a\nb\n"), (second, "c\nd\n")] {
                put(world, rules, round);
                for path in ["a.txt", "d/b.txt"] {
                    world.write(path, content);
                }
                world.git(&["add", "-A"]);
                world.git(&["commit", "-qm", "c", "--allow-empty"]);
            }
            put(world, rules, now);
            for path in ["a.txt", "d/b.txt"] {
                std::fs::remove_file(world.root().join(path)).unwrap();
            }
        }
        for (paths, source) in [
            (&["a.txt", "d/b.txt"][..], ""),
            (&["."], ""),
            (&["a.txt", "d/b.txt"], "HEAD~1"),
            (&["."], "HEAD~1"),
        ] {
            for world in [&ours, &theirs] {
                for path in ["a.txt", "d/b.txt"] {
                    let _ = std::fs::remove_file(world.root().join(path));
                }
                put(world, rules, now);
            }
            let place = format!("{rules} {first:?} {second:?} {now:?}, {paths:?} from {source:?}");
            // A rule file that goes is gone for git before the others come; for us it goes with them.
            let goes = source == "HEAD~1" && first.is_none() && second.is_some() && paths == ["."];
            if goes {
                continue;
            }
            ours.tool("git_restore", json!({"paths": paths, "source": source})).unwrap();
            let from = format!("--source={source}");
            let flags: Vec<&str> = if source.is_empty() { vec![] } else { vec![&from] };
            theirs.git(&[&["restore", "--worktree"], flags.as_slice(), &["--"], paths].concat());
            for path in ["a.txt", "d/b.txt", rules] {
                let [ours, theirs] =
                    [&ours, &theirs].map(|world| std::fs::read(world.root().join(path)).ok());
                assert_eq!(ours, theirs, "{place}: {path}");
            }
        }
    }
}
