//! What our writes leave in a git folder is what the git program would have left: references, logs, index, whatever stood there before.

use std::path::Path;

use outrigger::{policy::Preview, tools::Code};
use serde_json::{Value, json};

use crate::world::World;

/// A step of ours, and the same of git.
struct Step {
    tool: &'static str,
    arguments: Value,
    git: &'static [&'static [&'static str]],
}

fn step(tool: &'static str, arguments: Value, git: &'static [&'static [&'static str]]) -> Step {
    Step { tool, arguments, git }
}

fn repository() -> World {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.git(&["config", "user.name", "Ann Author"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    world.git(&["config", "commit.gpgsign", "false"]);
    world.write("a.txt", "a\n");
    world.write("d/b.txt", "b\n");
    // Before all others, or between them where case counts for nothing.
    world.write("B.txt", "B\n");
    world
}

fn with_commit() -> World {
    let world = repository();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world.git(&["branch", "other"]);
    world.write("a.txt", "changed\n");
    world
}

/// Every log line by line: the trees that it names, who, the zone, the message.
fn logs(world: &World) -> Vec<String> {
    fn walk(root: &Path, folder: &Path, found: &mut Vec<(String, String)>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    let root = world.root().join(".git/logs");
    walk(&root, &root, &mut found);
    found.sort();
    let tree = |id: &str| match world.git_output(&["rev-parse", "-q", "--verify", &format!("{id}^{{tree}}")])
    {
        output if output.status.success() => String::from_utf8(output.stdout).unwrap().trim().to_owned(),
        _ => "none".to_owned(),
    };
    let mut lines = Vec::new();
    for (name, text) in found {
        for line in text.lines() {
            let (facts, message) = line.split_once('\t').unwrap_or((line, ""));
            let (ids, who) = facts.split_at(82);
            let (who, time) = who.split_once("> ").unwrap();
            let zone = time.split_once(' ').unwrap().1;
            // A detached HEAD is named by its id.
            let message: Vec<String> = message
                .split(' ')
                .map(|word| if word.len() == 40 { tree(word) } else { word.to_owned() })
                .collect();
            lines.push(format!(
                "{name}: {} {} {who} {zone} {}",
                tree(&ids[..40]),
                tree(&ids[41..81]),
                message.join(" ")
            ));
        }
    }
    lines
}

fn state(world: &World) -> Vec<String> {
    let head = std::fs::read_to_string(world.root().join(".git/HEAD")).unwrap();
    let loose = world.git(&["for-each-ref", "--format=%(refname) %(tree) %(subject)"]);
    let status = world.git(&["status", "--porcelain=v2", "--untracked-files=all"]);
    world.git(&["fsck", "--strict"]);
    assert!(!world.root().join(".git/index.lock").exists());
    let ours: Vec<_> = std::fs::read_dir(world.root().join(".git"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("outrigger") || name.contains(".lock"))
        .collect();
    assert_eq!(ours, [""; 0]);
    [
        vec![if head.starts_with("ref: ") { head } else { "detached\n".to_owned() }],
        vec![loose, status, world.git(&["ls-files", "-s"])],
        logs(world),
    ]
    .concat()
}

/// Makes the steps in two repositories, once with our tools and once with git; both are the same after each.
fn check(make: impl Fn() -> World, before: &[&[&str]], steps: &[Step]) {
    let (ours, theirs) = (make(), make());
    for world in [&ours, &theirs] {
        for arguments in before {
            world.git(arguments);
        }
    }
    for Step { tool, arguments, git } in steps {
        if let Err(error) = ours.tool(tool, arguments.clone()) {
            panic!("{before:?} {tool} {arguments}: {error}");
        }
        for arguments in *git {
            theirs.git(arguments);
        }
        assert_eq!(state(&ours), state(&theirs), "{before:?} {tool} {arguments}");
    }
}

fn usual() -> Vec<Step> {
    vec![
        step("git_add", json!({"paths": ["a.txt"]}), &[&["add", "a.txt"]]),
        step(
            "git_commit",
            json!({"message": "second  one,\nin two lines\n\nbody"}),
            &[&["commit", "-qm", "second  one,\nin two lines\n\nbody"]],
        ),
        step(
            "git_commit",
            json!({"message": "amended", "amend": true}),
            &[&["commit", "-q", "--amend", "-m", "amended"]],
        ),
        step("git_switch", json!({"branch": "a/b/c", "create": true}), &[&["switch", "-qc", "a/b/c"]]),
        step(
            "git_switch",
            json!({"branch": "from-other", "create": true, "base": "other"}),
            &[&["switch", "-qc", "from-other", "other"]],
        ),
        step("git_switch", json!({"branch": "a/b/c"}), &[&["switch", "-q", "a/b/c"]]),
    ]
}

#[test]
fn a_day_of_work_is_written_as_git_writes_it() {
    for before in [
        &[] as &[&[&str]],
        &[&["pack-refs", "--all"]],
        &[&["config", "core.ignoreCase", "true"]],
        &[&["config", "core.logAllRefUpdates", "false"]],
        &[&["config", "core.logAllRefUpdates", "false"], &["reflog", "expire", "--expire=all", "--all"]],
        &[&["config", "core.logAllRefUpdates", "always"], &["pack-refs", "--all", "--prune"]],
        &[&["config", "core.logAllRefUpdates", "true"], &["gc", "-q"]],
        // What a branch that is gone leaves behind: folders where files have to come.
        &[&["branch", "a/b/c/d/e"], &["branch", "-D", "-q", "a/b/c/d/e"]],
        &[&["branch", "a/b/c/d"], &["pack-refs", "--all"], &["branch", "-D", "-q", "a/b/c/d"]],
    ] {
        check(with_commit, before, &usual());
    }
}

#[test]
fn the_first_commit_is_written_as_git_writes_it() {
    let steps = [
        step("git_add", json!({"paths": ["."]}), &[&["add", "-A"]]),
        step("git_commit", json!({"message": "first"}), &[&["commit", "-qm", "first"]]),
        step(
            "git_commit",
            json!({"message": "again", "amend": true}),
            &[&["commit", "-q", "--amend", "-m", "again"]],
        ),
    ];
    check(repository, &[], &steps);
    check(repository, &[&["symbolic-ref", "HEAD", "refs/heads/un/born"]], &steps);
    let renamed = [
        step("git_switch", json!({"branch": "named/so", "create": true}), &[&["switch", "-qc", "named/so"]]),
        step("git_add", json!({"paths": ["a.txt"]}), &[&["add", "a.txt"]]),
        step("git_commit", json!({"message": "first"}), &[&["commit", "-qm", "first"]]),
    ];
    check(repository, &[], &renamed);
}

#[test]
fn a_head_without_a_branch_is_written_as_git_writes_it() {
    for before in [
        &[&["checkout", "-q", "--detach"] as &[&str]] as &[&[&str]],
        &[&["pack-refs", "--all"], &["checkout", "-q", "--detach"]],
    ] {
        check(
            with_commit,
            before,
            &[
                step("git_add", json!({"paths": ["a.txt"]}), &[&["add", "a.txt"]]),
                step("git_commit", json!({"message": "nowhere"}), &[&["commit", "-qm", "nowhere"]]),
                step(
                    "git_commit",
                    json!({"message": "still", "amend": true}),
                    &[&["commit", "-q", "--amend", "-m", "still"]],
                ),
                step("git_switch", json!({"branch": "other"}), &[&["switch", "-q", "other"]]),
            ],
        );
    }
}

#[test]
fn a_commit_of_some_paths_is_written_as_git_writes_it() {
    check(
        with_commit,
        &[],
        &[step(
            "git_commit",
            json!({"message": "only a", "paths": ["a.txt"]}),
            &[&["commit", "-qm", "only a", "--", "a.txt"]],
        )],
    );
}

#[test]
fn a_commit_of_some_paths_takes_what_is_staged_in_them() {
    let commit = |paths: &'static [&'static str], git: &'static [&'static [&'static str]]| {
        [step("git_commit", json!({"message": "some", "paths": paths}), git)]
    };
    let staged: &[&[&str]] =
        &[&["mv", "B.txt", "d/moved.txt"], &["rm", "-q", "--cached", "d/b.txt"], &["add", "a.txt"]];
    for steps in [
        commit(&["."], &[&["commit", "-qm", "some", "--", "."]]),
        commit(&["d"], &[&["commit", "-qm", "some", "--", "d"]]),
        commit(&["B.txt", "d"], &[&["commit", "-qm", "some", "--", "B.txt", "d"]]),
        commit(&["B.txt"], &[&["commit", "-qm", "some", "--", "B.txt"]]),
    ] {
        check(with_commit, staged, &steps);
    }
    // A folder of which all has gone, and a file in its place.
    let gone: &[&[&str]] = &[&["rm", "-rq", "d"]];
    check(with_commit, gone, &commit(&["d"], &[&["commit", "-qm", "some", "--", "d"]]));
    let swapped: &[&[&str]] = &[&["rm", "-rq", "d"], &["mv", "B.txt", "d"]];
    check(with_commit, swapped, &commit(&["d"], &[&["commit", "-qm", "some", "--", "d"]]));
    // What the work tree was told not to have is no deletion.
    let sparse: &[&[&str]] = &[
        &["update-index", "--cacheinfo", "100644,223b7836fb19fdf64ba2d3cd6173c6a283141f78,d/b.txt"],
        &["update-index", "--skip-worktree", "d/b.txt"],
        &["rm", "-q", "--sparse", "B.txt"],
    ];
    check(with_commit, sparse, &commit(&["."], &[&["commit", "-qm", "some", "--", "."]]));
}

#[test]
fn unstaging_leaves_the_mark_of_what_the_work_tree_was_told_not_to_have() {
    let make = || {
        let world = with_commit();
        let other = "100644,223b7836fb19fdf64ba2d3cd6173c6a283141f78,d/b.txt";
        world.git(&["update-index", "--cacheinfo", other]);
        world.git(&["update-index", "--skip-worktree", "d/b.txt"]);
        world
    };
    let (ours, theirs) = (make(), make());
    ours.tool("git_add", json!({"paths": ["d/b.txt"], "unstage": true})).unwrap();
    theirs.git(&["reset", "-q", "--", "d/b.txt"]);
    let entries = |world: &World| world.git(&["ls-files", "-s", "-t"]);
    assert!(entries(&theirs).contains("S 100644"), "{}", entries(&theirs));
    assert_eq!(entries(&ours), entries(&theirs));
}

#[test]
fn a_commit_that_stands_for_another_is_the_one_git_reads() {
    let make = || {
        let world = with_commit();
        world.git(&["commit", "-qam", "second"]);
        world.write("a.txt", "replaced\n");
        world.git(&["commit", "-q", "--amend", "-am", "other", "--author=Bob <bob@example.org>"]);
        world.git(&["reset", "-q", "--hard", "HEAD@{1}"]);
        world.git(&["replace", "HEAD", "HEAD@{1}"]);
        world
    };
    let steps = || {
        vec![
            step("git_add", json!({"paths": ["."], "unstage": true}), &[&["restore", "--staged", "."]]),
            step("git_add", json!({"paths": ["a.txt"], "unstage": true}), &[]),
            step(
                "git_commit",
                json!({"message": "some", "paths": ["B.txt"]}),
                &[&["commit", "-qm", "some", "--", "B.txt"]],
            ),
            step("git_commit", json!({"message": "all", "paths": ["."]}), &[&["commit", "-qam", "all"]]),
        ]
    };
    let (ours, theirs) = (make(), make());
    for world in [&ours, &theirs] {
        world.write("B.txt", "changed\n");
        world.git(&["add", "a.txt"]);
    }
    for Step { tool, arguments, git } in steps() {
        ours.tool(tool, arguments.clone()).unwrap();
        for arguments in git {
            theirs.git(arguments);
        }
        // The name of what stands for another holds its id, and so the time.
        for facts in [
            ["ls-files", "-s"].as_slice(),
            &["status", "--porcelain=v2"],
            &["log", "-2", "--format=%an %s %T"],
        ] {
            assert_eq!(ours.git(facts), theirs.git(facts), "{tool} {arguments}");
        }
    }
    let (ours, theirs) = (make(), make());
    ours.tool("git_commit", json!({"message": "amended", "amend": true, "paths": ["."]})).unwrap();
    theirs.git(&["commit", "-qa", "--amend", "-m", "amended"]);
    for facts in [["log", "-1", "--format=%an %s %T"], ["log", "-2", "--format=%T %s"]] {
        assert_eq!(ours.git(&facts), theirs.git(&facts));
    }
    // Where nothing differs from that commit, there is nothing to commit.
    let world = make();
    world.git(&["restore", "--source=HEAD", "--staged", "--worktree", "."]);
    let error = world.tool("git_commit", json!({"message": "none"})).unwrap_err();
    assert_eq!(error.code, Code::NothingToCommit, "{error}");
}

#[test]
fn an_amended_commit_is_written_in_utf_8() {
    let make = || {
        let world = with_commit();
        let config = std::fs::read(world.root().join(".git/config")).unwrap();
        world.write("message", b"caf\xe9\n");
        world.write(".git/config", [&config, b"[author]\nname = Ren\xe9\n".as_slice()].concat());
        world.git(&["-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-qaF", "message"]);
        world.write(".git/config", config);
        world.git(&["clean", "-qf"]);
        world.write("a.txt", "more\n");
        world
    };
    let (ours, theirs) = (make(), make());
    let arguments = json!({"message": "caf\u{e9}", "amend": true, "paths": ["."]});
    let plan = ours.plan("git_commit", arguments.clone()).unwrap().unwrap();
    let Preview::Commit { author, .. } = &plan.preview else { panic!() };
    assert_eq!(author, "Ren\u{e9} <ann@example.org>");
    ours.tool("git_commit", arguments).unwrap();
    theirs.git(&["commit", "-qa", "--amend", "-m", "caf\u{e9}"]);
    let raw = |world: &World| {
        let commit = world.git(&["cat-file", "commit", "HEAD"]);
        let lines = commit.lines().filter(|line| !line.starts_with("parent "));
        lines.map(|line| line.split("> ").next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(raw(&ours), raw(&theirs));
    assert_eq!(ours.git(&["log", "-1", "--format=%an %s"]), "Ren\u{e9} caf\u{e9}\n");
    // As with git, one that would change nothing is none.
    let world = with_commit();
    world.git(&["commit", "-qam", "second"]);
    world.git(&["reset", "-q", "--soft", "HEAD~"]);
    world.git(&["commit", "-qm", "second"]);
    world.git(&["read-tree", "HEAD~"]);
    let error = world.tool("git_commit", json!({"message": "none", "amend": true})).unwrap_err();
    assert_eq!(error.code, Code::NothingToCommit, "{error}");
}

#[test]
fn a_message_that_was_prepared_is_for_one_commit() {
    let prepared: [&[&[&str]]; 2] = [
        &[
            &["switch", "-q", "other"],
            &["commit", "-q", "--allow-empty", "-m", "x"],
            &["merge", "-q", "--squash", "topic"],
        ],
        &[&["switch", "-q", "other"], &["cherry-pick", "-n", "topic"]],
    ];
    for before in prepared {
        for (tool, arguments) in [
            ("git_commit", json!({"message": "mine"})),
            ("git_switch", json!({"branch": "new", "create": true})),
        ] {
            let world = with_commit();
            world.git(&["commit", "-qam", "second"]);
            for arguments in before {
                world.git(arguments);
            }
            world.tool(tool, arguments).unwrap();
            for left in ["MERGE_MSG", "SQUASH_MSG", "AUTO_MERGE"] {
                assert!(!world.root().join(".git").join(left).exists(), "{before:?} {tool} {left}");
            }
        }
    }
}

#[test]
fn a_file_in_the_place_of_a_link_stays_one_where_there_are_no_links() {
    let make = || {
        let world = with_commit();
        std::os::unix::fs::symlink("a.txt", world.root().join("link")).unwrap();
        world.git(&["add", "link"]);
        world.git(&["commit", "-qm", "link"]);
        world.git(&["config", "core.symlinks", "false"]);
        world.git(&["config", "core.autocrlf", "true"]);
        std::fs::remove_file(world.root().join("link")).unwrap();
        world.write("link", "d/b.txt");
        world
    };
    check(
        make,
        &[],
        &[
            step("git_add", json!({"paths": ["."]}), &[&["add", "-A"]]),
            step("git_add", json!({"paths": ["."], "unstage": true}), &[&["restore", "--staged", "."]]),
            step("git_restore", json!({"paths": ["link"]}), &[&["restore", "link"]]),
            step(
                "git_switch",
                json!({"branch": "older", "create": true, "base": "HEAD~"}),
                &[&["switch", "-qc", "older", "HEAD~"]],
            ),
            step("git_switch", json!({"branch": "topic"}), &[&["switch", "-q", "topic"]]),
        ],
    );
    let world = make();
    world.tool("git_restore", json!({"paths": ["link"]})).unwrap();
    let link = world.root().join("link");
    assert!(link.symlink_metadata().unwrap().is_file());
    assert_eq!(std::fs::read(link).unwrap(), b"a.txt");
}

#[test]
fn what_another_worktree_has_checked_out_is_left_to_it() {
    let world = with_commit();
    world.git(&["worktree", "add", "-q", "linked", "other"]);
    let before = state(&world);
    let error = world.tool("git_switch", json!({"branch": "other"})).unwrap_err();
    assert_eq!(error.code, Code::UnsupportedHere, "{error}");
    assert!(error.message.contains("linked worktree `linked`"), "{error}");
    assert!(!world.git_output(&["switch", "other"]).status.success());
    assert_eq!(state(&world), before);
    // Its own branch moves as if there were no other.
    let linked = |world: World| {
        world.git(&["worktree", "add", "-q", "linked", "other"]);
        world
    };
    check(|| linked(with_commit()), &[], &usual()[..4]);
}

/// A tool, what it is asked, and the same of git.
type Way = (&'static str, Value, &'static [&'static str]);

/// A file was changed in place, to the same size and in the second in which it was committed: all that git knows of it is as
/// before. The index is as old as the file, so git looks into it; the one that is written next is younger.
#[test]
fn a_change_that_only_its_content_tells_stays_visible_to_git() {
    let hidden = |staged: bool| {
        let world = repository();
        // What the system notes by itself cannot be set.
        world.git(&["config", "core.trustctime", "false"]);
        let at = |path: &str, milliseconds: u64| {
            let time =
                std::time::UNIX_EPOCH + std::time::Duration::from_millis(1_700_000_000_000 + milliseconds);
            let file = std::fs::OpenOptions::new().write(true).open(world.root().join(path)).unwrap();
            file.set_modified(time).unwrap();
        };
        for path in ["a.txt", "same.txt", "z.txt"] {
            world.write(path, "one\n");
            at(path, 100);
        }
        world.write("empty.txt", "");
        at("empty.txt", 100);
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "first"]);
        world.git(&["checkout", "-qb", "other"]);
        world.write("z.txt", "of another branch\n");
        world.git(&["commit", "-qam", "other"]);
        world.git(&["checkout", "-q", "-"]);
        if staged {
            world.write("z.txt", "changed\n");
            world.git(&["add", "z.txt"]);
        }
        world.write("new.txt", "new\n");
        std::fs::write(world.root().join("a.txt"), "two\n").unwrap();
        at("a.txt", 200);
        at(".git/index", 500);
        world
    };
    let ways: &[Way] = &[
        ("git_add", json!({"paths": ["new.txt"]}), &["add", "new.txt"]),
        ("git_add", json!({"paths": ["z.txt"], "unstage": true}), &["reset", "-q", "--", "z.txt"]),
        ("git_commit", json!({"message": "m", "paths": ["z.txt"]}), &["commit", "-qm", "m", "--", "z.txt"]),
        ("git_switch", json!({"branch": "other"}), &["switch", "-q", "other"]),
    ];
    for (tool, arguments, command) in ways {
        let (ours, gits) = (hidden(*tool != "git_switch"), hidden(*tool != "git_switch"));
        ours.tool(tool, arguments.clone()).unwrap();
        gits.git(command);
        // What looks at the index alone sees no more than there is.
        let names = ours.git(&["diff-files", "--name-only"]);
        assert_eq!(names, gits.git(&["diff-files", "--name-only"]), "{tool} {arguments}");
        let status = ours.git(&["status", "--porcelain"]);
        assert!(status.contains(" M a.txt"), "{tool} {arguments}: {status}");
        assert_eq!(status, gits.git(&["status", "--porcelain"]), "{tool} {arguments}");
    }
}

#[test]
fn a_commit_without_a_branch_names_none() {
    let world = with_commit();
    world.git(&["checkout", "-q", "--detach"]);
    let reply = world.tool("git_commit", json!({"message": "on its own", "paths": ["a.txt"]})).unwrap();
    assert_eq!(reply.data["branch"], json!(""));
    assert!(reply.text.starts_with("[HEAD (detached) "), "{}", reply.text);
}

#[test]
fn a_commit_is_by_whom_and_says_what_the_configuration_says() {
    let messages = ["# one\n\n\n  two  \n#three\n; four", "one"];
    for (settings, message) in [
        (&[("author.name", "An Author")][..], messages[1]),
        (&[("author.name", "A"), ("author.email", "a@x"), ("committer.name", "C")], messages[1]),
        (&[("committer.email", "c@x"), ("author.name", "")], messages[1]),
        (
            &[("author.name", "A <b>\nC"), ("author.email", "<a@x>"), ("committer.name", "\"D\n E\"")],
            messages[1],
        ),
        (&[("commit.cleanup", "strip")], messages[0]),
        (&[("commit.cleanup", "strip"), ("core.commentChar", ";")], messages[0]),
        (&[("commit.cleanup", "strip"), ("core.commentChar", "auto")], messages[0]),
        (&[("commit.cleanup", "verbatim")], messages[0]),
        (&[("commit.cleanup", "whitespace")], messages[0]),
        (&[("commit.cleanup", "scissors")], messages[0]),
        (&[("commit.cleanup", "default")], messages[0]),
        (&[], messages[0]),
    ] {
        let made = || {
            let world = with_commit();
            for (key, value) in settings {
                world.git(&["config", key, value]);
            }
            world
        };
        let (ours, theirs) = (made(), made());
        theirs.git(&["commit", "-qam", message]);
        let arguments = json!({"message": message, "paths": ["a.txt"]});
        let plan = ours.plan("git_commit", arguments.clone()).unwrap().unwrap();
        ours.tool("git_commit", arguments).unwrap();
        let who = |world: &World| world.git(&["cat-file", "commit", "HEAD"]);
        let without_times = |text: String| -> Vec<String> {
            let lines = text.lines().filter(|line| !line.starts_with("parent"));
            lines.map(|line| line.split("> ").next().unwrap().to_owned()).collect()
        };
        assert_eq!(without_times(who(&ours)), without_times(who(&theirs)), "{settings:?}");
        assert_eq!(logs(&ours), logs(&theirs), "{settings:?}");
        let Preview::Commit { author, message, .. } = plan.preview else { panic!("{plan:?}") };
        assert_eq!(author, ours.git(&["log", "-1", "--format=%an <%ae>"]).trim_end());
        assert_eq!(format!("{message}\n"), ours.git(&["log", "-1", "--format=%B"]));
    }
    let world = with_commit();
    world.git(&["config", "commit.cleanup", "strip"]);
    let arguments = json!({"message": "# only this", "paths": ["a.txt"]});
    assert_eq!(world.tool("git_commit", arguments.clone()).unwrap_err().code, Code::InvalidArgs);
    world.git(&["config", "commit.cleanup", "odd"]);
    assert!(world.tool("git_commit", arguments).unwrap_err().message.contains("commit.cleanup"));
}

#[test]
fn a_name_with_what_ends_one_is_written_without_it() {
    for (name, written) in [("A <b>\nC", "A bC"), ("A\nparent C", "Aparent C"), (" , A: ", "A")] {
        let world = with_commit();
        world.git(&["config", "user.name", name]);
        world.tool("git_commit", json!({"message": "m", "paths": ["a.txt"]})).unwrap();
        assert_eq!(world.git(&["log", "-1", "--format=%an|%cn"]), format!("{written}|{written}\n"));
    }
}

#[test]
fn who_signed_it_off_is_no_message() {
    let message = "Signed-off-by: Ann <ann@example.org>\n\nSigned-off-by: B <b@x>\n";
    let world = with_commit();
    let arguments = json!({"message": message, "paths": ["a.txt"]});
    let error = world.tool("git_commit", arguments.clone()).unwrap_err();
    assert_eq!(error.code, Code::InvalidArgs);
    assert!(!world.git_output(&["commit", "-qam", message]).status.success());
    // git takes it there, too.
    world.git(&["config", "commit.cleanup", "verbatim"]);
    world.tool("git_commit", arguments).unwrap();
}

#[test]
fn a_commit_during_a_bisection_is_written_as_git_writes_it() {
    let steps = [step(
        "git_commit",
        json!({"message": "mended on the way", "paths": ["a.txt"]}),
        &[&["commit", "-q", "-m", "mended on the way", "a.txt"]],
    )];
    check(with_commit, &[&["bisect", "start"], &["bisect", "bad"]], &steps);
}
