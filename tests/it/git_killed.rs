//! The host is killed at each system call of its git writes: the next one leaves no lock and nothing half, and never takes away a lock
//! that is somebody else's.
//!
//! What counts is told by the git program. A few system calls are drilled always; `OUTRIGGER_DRILL=all` drills them all.

use std::{
    fs,
    path::Path,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    kill_drill::{Drill, call, copied, injected, meta, traced},
    support::native::{Port, World},
    world::git_command,
};

const CONFIGURATION: &str = "[tools]\nprofile = \"full\"\n[git]\nsync = true";
/// Calls that take locks, publish and let go: where a kill can leave half a change.
const QUICK: &[&str] = &["linkat", "rename", "renameat", "unlinkat"];
/// All others that change something, in the repository or in the journal.
const OTHERS: &[&str] = &[
    "link",
    "renameat2",
    "unlink",
    "ftruncate",
    "flock",
    "mkdir",
    "mkdirat",
    "fchmod",
    "fsync",
    "fdatasync",
    "write",
    "pwrite64",
];
/// More of one system call than any of these calls makes on one thread.
const MOST: usize = 3000;
/// How long a host that starts may take to settle what the last one left.
const SETTLED_WITHIN: Duration = Duration::from_secs(10);

fn git(world: &World, arguments: &[&str]) -> String {
    let output = git_command(&world.workspace()).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Two branches whose files differ, something staged, something not.
fn world() -> World {
    let world = World::new(CONFIGURATION);
    git(&world, &["init", "-q", "-b", "topic"]);
    git(&world, &["config", "user.name", "Ann"]);
    git(&world, &["config", "user.email", "ann@example.org"]);
    world.write("a.txt", "a\n");
    world.write("d/c.txt", "c\n");
    git(&world, &["add", "-A"]);
    git(&world, &["commit", "-qm", "first"]);
    git(&world, &["switch", "-qc", "other"]);
    world.write("d/c.txt", "other c\n");
    world.write("e/new.txt", "new\n");
    git(&world, &["add", "-A"]);
    git(&world, &["commit", "-qm", "other"]);
    git(&world, &["switch", "-q", "topic"]);
    world.write("b.txt", "b\n");
    git(&world, &["add", "b.txt"]);
    world.write("a.txt", "changed\n");
    world.connect().hello();
    world
}

/// Another one like it.
fn copy(world: &World) -> World {
    copied(world, World::new(CONFIGURATION))
}

/// What a call of these changes in the git folder, without times and what depends on them.
fn in_git(world: &World) -> Vec<String> {
    let references = "--format=%(refname) %(tree) %(numparent) %(contents:subject)";
    let read = |name: &str| {
        fs::read_to_string(world.workspace().join(".git").join(name)).unwrap_or_else(|_| "none".to_owned())
    };
    let mut found =
        vec![read("HEAD"), git(world, &["ls-files", "-s"]), git(world, &["for-each-ref", references])];
    for log in ["HEAD", "refs/heads/topic", "refs/heads/other", "refs/heads/deep/er/new"] {
        let text = read(&format!("logs/{log}"));
        found.extend(text.lines().map(|line| format!("{log}: {}", line.split('\t').next_back().unwrap())));
    }
    found
}

fn files(world: &World) -> Vec<(String, String)> {
    let mut names = vec!["a.txt", "b.txt", "d/c.txt", "e/new.txt"];
    names.retain(|name| world.workspace().join(name).exists());
    names.into_iter().map(|name| (name.to_owned(), world.read(name))).collect()
}

/// Locks and files of ours below `.git`.
fn left(world: &World) -> Vec<String> {
    fn walk(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "lock") || name.contains("outrigger") {
                found.push(name);
            }
        }
    }
    let mut found = Vec::new();
    walk(&world.workspace().join(".git"), &mut found);
    found
}

/// A new host, when it has settled what the last one left.
fn next_host(world: &World, place: &str) -> Port {
    let mut port = world.connect();
    port.hello();
    let begin = Instant::now();
    loop {
        let left = left(world);
        if left.is_empty() {
            return port;
        }
        assert!(begin.elapsed() < SETTLED_WITHIN, "{place}: {left:?} stayed");
        thread::sleep(Duration::from_millis(20));
    }
}

type State = (Vec<String>, Vec<(String, String)>);

/// Kills the host at call after call of one kind; how often it was killed.
fn drill(row: &Drill, sample: &World, system_call: &str, (before, after): (&State, &State)) -> usize {
    for number in 1..MOST {
        let place = format!("{} {} at {system_call} {number}", row.tool, row.arguments);
        let (world, meta) = (copy(sample), meta());
        let mut port = traced(&world, system_call, number);
        let done = call(&mut port, row, &meta).is_some();
        drop(port);
        let mut port = next_host(&world, &place);
        let half = in_git(&world);
        assert!(half == before.0 || half == after.0, "{place}: neither before nor after: {half:#?}");
        assert!(!done || half == after.0, "{place}: it was answered, and not done");
        for (name, content) in files(&world) {
            let known = |state: &[(String, String)]| state.contains(&(name.clone(), content.clone()));
            assert!(known(&before.1) || known(&after.1), "{place}: {name} is {content:?}");
        }
        git(&world, &["status", "--porcelain"]);
        git(&world, &["fsck", "--strict", "--no-dangling"]);
        let settled = call(&mut port, row, &meta).unwrap();
        assert_eq!(settled["structuredContent"]["ok"], true, "{place}: {settled:#}");
        assert_eq!(&(in_git(&world), files(&world)), after, "{place}");
        assert_eq!(left(&world), [""; 0], "{place}");
        // Everybody can go on.
        world.write("z.txt", "z\n");
        let next = Drill { tool: "git_add", arguments: json!({"paths": ["z.txt"]}) };
        let next = call(&mut port, &next, &self::meta()).unwrap();
        assert_eq!(next["structuredContent"]["ok"], true, "{place}: {next:#}");
        git(&world, &["commit", "-qm", "next"]);
        if done {
            return number - 1;
        }
    }
    panic!("{} makes more than {MOST} calls of {system_call}", row.tool);
}

fn check(tool: &'static str, arguments: Value) {
    let row = Drill { tool, arguments };
    let sample = world();
    drill_all(&row, &sample, QUICK);
    // The same where no reference has a file of its own.
    if drills_all() {
        git(&sample, &["pack-refs", "--all"]);
        drill_all(&row, &sample, &["renameat"]);
    }
}

fn drills_all() -> bool {
    std::env::var("OUTRIGGER_DRILL").is_ok_and(|value| value == "all")
}

fn drill_all(row: &Drill, sample: &World, quick: &[&str]) {
    let before = (in_git(sample), files(sample));
    let done = copy(sample);
    let mut port = done.connect();
    port.hello();
    let result = call(&mut port, row, &meta()).unwrap();
    assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
    let after = (in_git(&done), files(&done));
    assert_ne!(before, after);
    let others = OTHERS.iter().filter(|_| drills_all() && quick.len() > 1);
    let killed: usize =
        quick.iter().chain(others).map(|name| drill(row, sample, name, (&before, &after))).sum();
    assert!(killed > 0, "{} was never killed", row.tool);
}

#[test]
fn staging_is_done_or_not() {
    check("git_add", json!({"paths": ["a.txt"]}));
}

#[test]
fn unstaging_is_done_or_not() {
    check("git_add", json!({"paths": ["b.txt"], "unstage": true}));
}

#[test]
fn a_commit_is_done_or_not() {
    check("git_commit", json!({"message": "second"}));
}

#[test]
fn a_commit_of_some_paths_and_their_staging_are_one() {
    check("git_commit", json!({"message": "second", "paths": ["a.txt"]}));
}

#[test]
fn an_amended_commit_is_done_or_not() {
    check("git_commit", json!({"message": "amended", "amend": true}));
}

#[test]
fn a_switch_moves_files_index_and_head_or_none() {
    check("git_switch", json!({"branch": "other"}));
}

#[test]
fn a_branch_is_made_and_switched_to_or_not() {
    check("git_switch", json!({"branch": "deep/er/new", "create": true, "base": "other"}));
}

#[test]
fn a_restored_file_is_whole() {
    check("git_restore", json!({"paths": ["a.txt"]}));
}

#[test]
fn a_branch_goes_forward_or_not() {
    let sample = world();
    git(&sample, &["remote", "add", "origin", "https://example.org/nothing.git"]);
    git(&sample, &["update-ref", "refs/remotes/origin/topic", "other"]);
    let row = Drill { tool: "git_sync", arguments: json!({"action": "pull"}) };
    drill_all(&row, &sample, &["linkat", "renameat", "renameat2"]);
}

fn add(port: &mut Port, path: &str) -> Value {
    let row = Drill { tool: "git_add", arguments: json!({"paths": [path]}) };
    call(port, &row, &meta()).unwrap()["structuredContent"].clone()
}

/// A host that was killed while it held the lock of the index.
fn killed_with_lock() -> World {
    for number in 1..MOST {
        let world = world();
        let row = Drill { tool: "git_add", arguments: json!({"paths": ["a.txt"]}) };
        assert!(call(&mut traced(&world, "rename", number), &row, &meta()).is_none(), "it holds no lock");
        if world.workspace().join(".git/index.lock").exists() {
            return world;
        }
    }
    panic!("it holds no lock");
}

#[test]
fn a_lock_of_somebody_else_stays() {
    let world = killed_with_lock();
    let lock = world.workspace().join(".git/index.lock");
    // A person does what git says of it, and goes on.
    fs::remove_file(&lock).unwrap();
    fs::write(&lock, "").unwrap();
    let mut port = world.connect();
    port.hello();
    let begin = Instant::now();
    while left(&world) != ["index.lock"] && begin.elapsed() < SETTLED_WITHIN {
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(left(&world), ["index.lock"]);
    let busy = add(&mut port, "a.txt");
    assert_eq!((&busy["code"], &busy["retryable"]), (&json!("busy"), &json!(true)), "{busy:#}");
    assert!(busy["hint"].as_str().unwrap().contains("`.git/index.lock`"), "{busy:#}");
    assert_eq!(left(&world), ["index.lock"]);
    fs::remove_file(&lock).unwrap();
    assert_eq!(add(&mut port, "a.txt")["ok"], true);
    // Each of the others, too: a lock that nobody can tell the owner of is not ours.
    for (lock, arguments) in [
        ("HEAD.lock", json!({"message": "m"})),
        ("refs/heads/topic.lock", json!({"message": "m"})),
        ("index.lock", json!({"message": "m", "paths": ["a.txt"]})),
        ("index.lock", json!({"message": "m"})),
    ] {
        world.write("a.txt", lock);
        world.write(&format!(".git/{lock}"), "0123456789012345678901234567890123456789\n");
        let before = in_git(&world);
        let row = Drill { tool: "git_commit", arguments };
        let busy = call(&mut port, &row, &meta()).unwrap()["structuredContent"].clone();
        assert_eq!(busy["code"], "busy", "{lock}: {busy:#}");
        assert!(busy["hint"].as_str().unwrap().contains(&format!("`.git/{lock}`")), "{lock}: {busy:#}");
        assert_eq!(left(&world), [Path::new(lock).file_name().unwrap().to_str().unwrap()]);
        assert_eq!(in_git(&world), before, "{lock}");
        fs::remove_file(world.workspace().join(".git").join(lock)).unwrap();
    }
}

/// `git commit -a` while the person thinks about the message: it keeps the lock, with no descriptor open.
fn thinking(world: &World) -> Child {
    let (begun, go_on) = (world.folder.path().join("begun"), world.folder.path().join("go-on"));
    let editor = format!(
        "sh -c 'touch {}; while [ ! -e {} ]; do sleep 0.05; done; echo thought > \"$1\"' -",
        begun.display(),
        go_on.display()
    );
    let mut command = git_command(&world.workspace());
    command.args(["commit", "-qa"]).env("GIT_EDITOR", editor).stdin(Stdio::null());
    let child = command.spawn().unwrap();
    let begin = Instant::now();
    while !begun.exists() {
        assert!(begin.elapsed() < SETTLED_WITHIN, "the editor did not start");
        thread::sleep(Duration::from_millis(20));
    }
    child
}

#[test]
fn the_lock_of_a_person_who_writes_a_message_stays() {
    let world = killed_with_lock();
    fs::remove_file(world.workspace().join(".git/index.lock")).unwrap();
    let mut person = thinking(&world);
    let mut port = world.connect();
    port.hello();
    for _ in 0..3 {
        assert_eq!(add(&mut port, "a.txt")["code"], "busy");
    }
    assert!(left(&world).contains(&"index.lock".to_owned()));
    assert!(!left(&world).iter().any(|name| name.contains("outrigger")), "{:?}", left(&world));
    fs::write(world.folder.path().join("go-on"), "").unwrap();
    assert!(person.wait().unwrap().success());
    assert_eq!(git(&world, &["log", "-1", "--format=%s"]), "thought\n");
    world.write("a.txt", "once more\n");
    assert_eq!(add(&mut port, "a.txt")["ok"], true);
}

#[test]
fn the_lock_of_a_host_that_lives_stays() {
    let world = world();
    // Held for seconds between its locks and its end, as on a very slow disk.
    let mut slow = injected(&world, "rename", "delay_enter=3000000");
    let row = Drill { tool: "git_add", arguments: json!({"paths": ["a.txt"]}) };
    let slow = thread::spawn(move || call(&mut slow, &row, &meta()).unwrap());
    let lock = world.workspace().join(".git/index.lock");
    let begin = Instant::now();
    while !lock.exists() {
        assert!(begin.elapsed() < SETTLED_WITHIN, "the slow host took no lock");
        thread::sleep(Duration::from_millis(5));
    }
    let mut port = world.connect();
    port.hello();
    world.write("d/c.txt", "c2\n");
    let busy = add(&mut port, "d/c.txt");
    assert_eq!(busy["code"], "busy", "{busy:#}");
    thread::sleep(Duration::from_millis(500));
    assert!(lock.exists(), "the lock of a living host was taken");
    let done = slow.join().unwrap();
    assert_eq!(done["structuredContent"]["ok"], true, "{done:#}");
    assert_eq!(left(&world), [""; 0]);
    assert_eq!(git(&world, &["diff", "--cached", "--name-only"]), "a.txt\nb.txt\n");
    assert_eq!(add(&mut port, "d/c.txt")["ok"], true);
}

#[test]
fn what_a_decided_change_left_is_not_put_over_what_came_since() {
    // Killed between the decision and its end, as often as there is something between them.
    let mut seen = 0;
    for number in 1..MOST {
        let world = world();
        let row = Drill { tool: "git_commit", arguments: json!({"message": "second"}) };
        let done = call(&mut traced(&world, "renameat", number), &row, &meta()).is_some();
        if done {
            break;
        }
        if !left(&world).iter().any(|name| name == "topic.lock") {
            continue;
        }
        seen += 1;
        for lock in ["HEAD.lock", "refs/heads/topic.lock", "index.lock"] {
            let _ = fs::remove_file(world.workspace().join(".git").join(lock));
        }
        git(&world, &["commit", "-qm", "by hand"]);
        let after = in_git(&world);
        next_host(&world, "after a person removed the locks");
        assert_eq!(in_git(&world), after);
    }
    assert!(seen > 0, "never killed with locks");
}

/// The same path is a folder before the switch, and a file behind it.
#[test]
fn what_a_killed_switch_had_made_of_a_folder_is_the_folder_again() {
    let sample = World::new(CONFIGURATION);
    git(&sample, &["init", "-q", "-b", "topic"]);
    sample.write("fold/inner", "i\n");
    git(&sample, &["add", "-A"]);
    git(&sample, &["commit", "-qm", "first"]);
    git(&sample, &["checkout", "-q", "-b", "other"]);
    fs::remove_dir_all(sample.workspace().join("fold")).unwrap();
    sample.write("fold", "file\n");
    git(&sample, &["add", "-A"]);
    git(&sample, &["commit", "-qm", "second"]);
    git(&sample, &["checkout", "-q", "topic"]);
    sample.connect().hello();
    let switch = Drill { tool: "git_switch", arguments: json!({"branch": "other"}) };
    let mut kills = 0;
    for (at, number) in [("linkat", 1), ("linkat", 3), ("renameat2", 1), ("renameat2", 2), ("unlinkat", 1)] {
        let world = copy(&sample);
        let mut port = traced(&world, at, number);
        kills += usize::from(call(&mut port, &switch, &meta()).is_none());
        drop(port);
        let mut port = next_host(&world, at);
        let undone = port.request("outrigger/turns/undo", json!({"turn": "t1"}))["result"].clone();
        let state = undone["state"].as_str().unwrap_or_default();
        assert!(["done", "nothing"].contains(&state), "{at} {number}: {undone:#}");
        assert_eq!(world.read("fold/inner"), "i\n", "{at} {number}: {undone:#}");
    }
    assert!(kills > 0, "the host was never killed in the call");
}

/// The browser is closed while a file is gone and the folder that takes its place is not there yet.
#[test]
fn a_switch_whose_connection_ends_half_way_is_undone() {
    let world = World::new(CONFIGURATION);
    git(&world, &["init", "-q", "-b", "topic"]);
    world.write("place", "file\n");
    world.write("other", "one\n");
    git(&world, &["add", "-A"]);
    git(&world, &["commit", "-qm", "first"]);
    git(&world, &["checkout", "-q", "-b", "other"]);
    fs::remove_file(world.workspace().join("place")).unwrap();
    world.write("place/inner", "i\n");
    world.write("other", "two\n");
    git(&world, &["add", "-A"]);
    git(&world, &["commit", "-qm", "second"]);
    git(&world, &["checkout", "-q", "topic"]);
    world.connect().hello();
    let mut port = injected(&world, "mkdirat", "delay_enter=1000000");
    let (arguments, meta) = (json!({"branch": "other"}), meta());
    let asked = port.call_with("git_switch", arguments.clone(), meta.clone());
    port.begin(
        "tools/call",
        json!({"name": "git_switch", "arguments": arguments, "_meta": meta, "requestState": asked["requestState"],
            "inputResponses": {"approval": {"action": "accept", "content": {"decision": "allow"}}}}),
    );
    let began = Instant::now();
    while world.workspace().join("place").exists() {
        assert!(began.elapsed() < SETTLED_WITHIN, "the file never went");
        thread::sleep(Duration::from_millis(1));
    }
    port.end_input();
    while port.receive().is_some() {}
    drop(port);
    let mut port = world.connect();
    port.hello();
    let undone = port.request("outrigger/turns/undo", json!({"turn": "t1"}))["result"].clone();
    assert_eq!(undone["state"], "done", "{undone:#}");
    assert_eq!((world.read("place"), world.read("other")), ("file\n".to_owned(), "one\n".to_owned()));
}
