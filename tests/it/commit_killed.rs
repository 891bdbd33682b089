//! The host is killed around a commit: the next one that gets the same call tells whether it was made, or makes it, once.

use serde_json::{Value, json};

use crate::{
    kill_drill::{Drill, call, meta, traced},
    support::native::World,
    world::git_command,
};

/// Of one system call, more than a commit makes.
const MOST: usize = 2_000;
/// A commit makes about as many: the branch, the index.
const RENAMES: usize = 3;

fn git(world: &World, arguments: &[&str]) -> String {
    let output = git_command(&world.workspace()).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn world() -> World {
    let world = World::new("[tools]\nprofile = \"full\"");
    git(&world, &["init", "-q", "-b", "topic"]);
    git(&world, &["config", "user.name", "Ann"]);
    git(&world, &["config", "user.email", "ann@example.org"]);
    world.write("a.txt", "a\n");
    git(&world, &["add", "-A"]);
    git(&world, &["commit", "-qm", "first"]);
    world.write("a.txt", "changed\n");
    world.write("b.txt", "b\n");
    world.connect().hello();
    world
}

fn subject(world: &World) -> String {
    git(world, &["log", "-1", "--format=%s"])
}

/// Kills the host at one system call; the world, the call's key, and whether the host answered before it died.
fn killed(drill: &Drill, system_call: &str, number: usize) -> (World, Value, bool) {
    let (world, meta) = (world(), meta());
    if drill.arguments["paths"].is_null() {
        git(&world, &["add", "a.txt"]);
    }
    let answered = call(&mut traced(&world, system_call, number), drill, &meta).is_some();
    (world, meta, answered)
}

/// Kills the host at every rename (of the branch, of the index), and asks the next one.
fn kill_at_renames(arguments: Value) {
    let drill = Drill { tool: "git_commit", arguments };
    for number in 1..=RENAMES {
        let place = format!("{} at rename {number}", drill.arguments);
        let (world, meta, answered) = killed(&drill, "renameat", number);
        assert!(number > 1 || !answered, "a commit renames nothing");
        let made = subject(&world) == "second";
        let before = git(&world, &["rev-parse", "HEAD"]);
        let mut port = world.connect();
        port.hello();
        for _ in 0..2 {
            let settled = call(&mut port, &drill, &meta).unwrap();
            is_made(&world, &drill, &settled, &place);
            assert!(!made || git(&world, &["rev-parse", "HEAD"]) == before, "{place}: made again");
        }
    }
}

fn is_made(world: &World, drill: &Drill, settled: &Value, place: &str) {
    assert_eq!(settled["structuredContent"]["ok"], true, "{place}: {settled:#}");
    let head = git(world, &["rev-parse", "HEAD"]);
    assert_eq!(settled["structuredContent"]["data"]["id"], head.as_str(), "{place}");
    let count = git(world, &["rev-list", "--count", "HEAD"]);
    assert_eq!(count, if drill.arguments["amend"] == true { "1" } else { "2" }, "{place}");
    assert_eq!(git(world, &["show", "HEAD:a.txt"]), "changed", "{place}");
}

/// The commit stands, and its host died before it could write that down: the row as it was until then.
fn unrecorded(drill: &Drill) -> (World, Value) {
    let (world, meta, answered) = killed(drill, "renameat", MOST);
    assert!(answered && subject(&world) == "second");
    let journal = rusqlite::Connection::open(world.state().join("journal.sqlite")).unwrap();
    let changed = journal.execute(
        "UPDATE calls SET state = 'started', finished_at = NULL, result = NULL, pid_started = pid_started + 1 WHERE key = ?1",
        [meta["dev.outrigger/call"].as_str().unwrap()],
    );
    assert_eq!(changed.unwrap(), 1);
    (world, meta)
}

fn asked_again(world: &World, drill: &Drill, meta: &Value) -> Value {
    let mut port = world.connect();
    port.hello();
    call(&mut port, drill, meta).unwrap()
}

fn found_again(arguments: Value) {
    let drill = Drill { tool: "git_commit", arguments };
    let (world, meta) = unrecorded(&drill);
    let before = git(&world, &["rev-parse", "HEAD"]);
    for _ in 0..2 {
        let settled = asked_again(&world, &drill, &meta);
        is_made(&world, &drill, &settled, "after it was made");
        assert!(settled["structuredContent"]["warnings"].to_string().contains("settled"), "{settled:#}");
        assert_eq!(git(&world, &["rev-parse", "HEAD"]), before);
    }
}

#[test]
fn a_commit_is_made_once() {
    found_again(json!({"message": "second"}));
    kill_at_renames(json!({"message": "second"}));
}

#[test]
fn a_commit_of_some_paths_is_made_once() {
    found_again(json!({"message": "second", "paths": ["a.txt"]}));
    kill_at_renames(json!({"message": "second", "paths": ["a.txt"]}));
}

#[test]
fn an_amended_commit_is_made_once() {
    found_again(json!({"message": "second", "amend": true}));
    kill_at_renames(json!({"message": "second", "amend": true}));
}

#[test]
fn what_a_person_did_meanwhile_is_told_apart() {
    let drill = Drill { tool: "git_commit", arguments: json!({"message": "second"}) };
    // Work that went on: it is there, further back.
    let (world, meta) = unrecorded(&drill);
    git(&world, &["commit", "-qm", "third", "--allow-empty"]);
    let settled = asked_again(&world, &drill, &meta);
    assert_eq!(settled["structuredContent"]["ok"], true, "{settled:#}");
    assert_eq!(settled["structuredContent"]["data"]["id"], git(&world, &["rev-parse", "HEAD~"]).as_str());
    // Another commit in its place: nobody can say that ours was never there.
    let (world, meta) = unrecorded(&drill);
    git(&world, &["commit", "-qm", "by hand", "--amend"]);
    let settled = asked_again(&world, &drill, &meta);
    assert_eq!(settled["structuredContent"]["code"], "outcome_unknown", "{settled:#}");
    assert_eq!(subject(&world), "by hand");
    // Another branch: its commits say nothing about ours.
    let (world, meta) = unrecorded(&drill);
    git(&world, &["switch", "-qc", "elsewhere"]);
    let settled = asked_again(&world, &drill, &meta);
    assert_eq!(settled["structuredContent"]["code"], "outcome_unknown", "{settled:#}");
    // The branch is where it was before: it was not made, or was taken back, and is made.
    let (world, meta) = unrecorded(&drill);
    git(&world, &["reset", "-q", "--soft", "HEAD~"]);
    is_made(&world, &drill, &asked_again(&world, &drill, &meta), "taken back");
}
