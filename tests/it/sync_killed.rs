//! The host is killed while it exchanges commits with a remote: at its own system calls, and while the git program and the other side
//! talk. Nothing of them lives on, both repositories are whole, a reference is the old one or the new one, and the journal does not
//! claim what nobody knows.
//!
//! The remote is reached by an `ssh` of the test's own, which starts git's real other side, counts how often, and can stop at any
//! byte of what it answers. A few moments are drilled always; `OUTRIGGER_DRILL=all` drills them all.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    kill_drill::{Drill, call, copied, meta, traced_alone},
    support::native::World,
    world::git_command,
};

/// The call by which references take their place.
const QUICK: &str = "renameat";
/// All others that change something, in the repository or in the journal, or that start or end a program.
const OTHERS: &[&str] = &[
    "mkdirat",
    "mkdir",
    "unlinkat",
    "unlink",
    "linkat",
    "link",
    "rename",
    "renameat2",
    "clone",
    "clone3",
    "vfork",
    "kill",
    "flock",
    "fchmod",
    "ftruncate",
    "fsync",
    "fdatasync",
    "pwrite64",
    "write",
];
/// More of one system call than any exchange makes on one thread.
const MOST: usize = 3000;
/// Long enough for a loaded machine.
const PATIENCE: Duration = Duration::from_secs(30);
/// Starts the other side, in the folder of the repository. What is to happen is told by files in `drill`.
const SSH: &str = r#"#!/bin/sh
for command; do :; done
echo run >> drill/runs
stop() { touch drill/reached; sleep 1000; }
[ -e drill/stop-before ] && stop
if [ -e drill/cut ]; then
  sh -c "$command" | { dd bs=1 count="$(cat drill/cut)" status=none; stop; }
else
  sh -c "$command" | tee drill/answer
fi
"#;
/// A hook of the remote that stops where it is told to.
const HOOK: &str = r#"#!/bin/sh
name=$(basename "$0")
[ "$name" = reference-transaction ] && name="$name-$1"
echo "$name" >> ../drill/hooks
[ "$(cat ../drill/stop-at 2>/dev/null)" = "$name" ] && { touch ../drill/reached; sleep 1000; }
cat > /dev/null
exit 0
"#;
const HOOKS: &[&str] = &["pre-receive", "update", "reference-transaction", "post-receive", "post-update"];

fn git_in(folder: &Path, arguments: &[&str]) -> String {
    let output = git_command(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn git(world: &World, arguments: &[&str]) -> String {
    git_in(&world.workspace(), arguments)
}

fn program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Without anything in it.
fn empty() -> World {
    let world = World::new("");
    let bin = world.folder.path().join("bin");
    let (app, places) = (world.workspace().display().to_string(), bin.display().to_string());
    world.configure(&format!(
        "version = 1\n[[workspace]]\nid = \"app\"\npath = \"{app}\"\n[tools]\nprofile = \"full\"\n\
         [git]\nsync = true\nprotocols = [\"ssh\"]\n[exec]\npath = [\"{places}\"]\n"
    ));
    program(&bin.join("ssh"), SSH);
    world
}

/// The remote has a branch that went on, a new one and a tag; a branch of ours went on too. Of `files` new files each.
fn world(files: usize) -> World {
    let world = empty();
    git(&world, &["init", "-q", "-b", "topic"]);
    git(&world, &["config", "user.name", "Ann"]);
    git(&world, &["config", "user.email", "ann@example.org"]);
    world.write(".git/info/exclude", "remote.git\nother\ndrill\n");
    world.write("drill/runs", "");
    world.write("a.txt", "a\n");
    git(&world, &["add", "-A"]);
    git(&world, &["commit", "-qm", "first"]);
    git(&world, &["branch", "mine"]);
    git(&world, &["init", "-q", "--bare", "-b", "topic", "remote.git"]);
    git(&world, &["push", "-q", "remote.git", "topic", "mine"]);
    git(&world, &["remote", "add", "origin", "here:remote.git"]);
    git(&world, &["fetch", "-q", "remote.git", "+refs/heads/*:refs/remotes/origin/*"]);
    git(&world, &["clone", "-q", "remote.git", "other"]);
    let other = world.workspace().join("other");
    went_on(&other, files, "theirs");
    git_in(&other, &["tag", "v1"]);
    git_in(&other, &["branch", "fresh"]);
    git_in(&other, &["push", "-q", "--tags", "origin", "topic", "fresh"]);
    git(&world, &["switch", "-q", "mine"]);
    went_on(&world.workspace(), files, "ours");
    git(&world, &["switch", "-q", "topic"]);
    for hook in HOOKS {
        program(&world.workspace().join("remote.git/hooks").join(hook), HOOK);
    }
    world.connect().hello();
    world
}

fn went_on(folder: &Path, files: usize, whose: &str) {
    for file in 0..files {
        fs::write(folder.join(format!("{whose}-{file}.txt")), format!("{whose} {file}\n")).unwrap();
    }
    git_in(folder, &["add", "-A"]);
    git_in(folder, &["commit", "-qm", whose]);
}

/// Another one like it.
fn copy(world: &World) -> World {
    copied(world, empty())
}

fn row(arguments: Value) -> Drill {
    Drill { tool: "git_sync", arguments }
}

/// What an exchange changes on one side: references, where HEAD is, the logs as far as they do not depend on the time, the index,
/// the files.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Side(Vec<String>);

/// Both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    here: Side,
    there: Side,
}

fn state(world: &World) -> State {
    let references = "--format=%(refname) %(objectname)";
    let read = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
    let (app, remote) = (world.workspace(), world.workspace().join("remote.git"));
    let mut here = vec![
        read(app.join(".git/HEAD")),
        git(world, &["for-each-ref", references]),
        git(world, &["ls-files", "-s"]),
        git(world, &["status", "--porcelain"]),
    ];
    for log in ["HEAD", "refs/heads/topic", "refs/remotes/origin/topic", "refs/remotes/origin/mine"] {
        let text = read(app.join(".git/logs").join(log));
        here.extend(text.lines().map(|line| format!("{log}: {}", line.split('\t').next_back().unwrap())));
    }
    let files: BTreeMap<String, String> = fs::read_dir(&app)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), read(path)))
        .collect();
    here.push(format!("{files:?}"));
    let there = vec![read(remote.join("HEAD")), git_in(&remote, &["for-each-ref", references])];
    State { here: Side(here), there: Side(there) }
}

/// Locks, folders and files of ours and of a git program of ours below a git folder, without what git itself clears away later.
fn left(git_folder: &Path) -> Vec<String> {
    fn walk(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.extension().is_some_and(|ending| ending == "lock" || ending == "keep")
                || name.contains("outrigger")
            {
                found.push(name);
            } else if path.is_dir() {
                walk(&path, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(git_folder, &mut found);
    found
}

fn left_here(world: &World) -> Vec<String> {
    left(&world.workspace().join(".git"))
}

fn runs(world: &World) -> usize {
    world.read("drill/runs").lines().count()
}

/// Processes of this world: by where they are, or by what they were given.
fn alive(world: &World) -> Vec<String> {
    let place = world.folder.path().to_str().unwrap().to_owned();
    let belongs = |pid: &str| {
        let proc = Path::new("/proc").join(pid);
        let is_dead = fs::read_to_string(proc.join("stat")).is_ok_and(|stat| stat.contains(") Z "));
        let is_in = fs::read_link(proc.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&place));
        let has = |name: &str| {
            let text = fs::read(proc.join(name)).unwrap_or_default();
            text.windows(place.len()).any(|part| part == place.as_bytes())
        };
        !is_dead && (is_in || has("environ") || has("cmdline"))
    };
    let names = fs::read_dir("/proc").unwrap().filter_map(|one| one.unwrap().file_name().into_string().ok());
    names.filter(|name| name.parse::<u32>().is_ok() && belongs(name)).collect()
}

fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !happened() {
        assert!(begin.elapsed() < PATIENCE, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Nothing of a host that was killed lives on.
fn all_gone(world: &World, place: &str) {
    let begin = Instant::now();
    let mut living = alive(world);
    while !living.is_empty() {
        assert!(begin.elapsed() < PATIENCE, "{place}: {living:?} live on");
        thread::sleep(Duration::from_millis(5));
        living = alive(world);
    }
}

/// What may have been done when the host died: nothing, all, or, of a push, what the remote took and nobody here knows of.
struct Expected {
    before: State,
    after: State,
}

impl Expected {
    fn of(sample: &World, row: &Drill) -> Self {
        let done = copy(sample);
        let before = state(&done);
        let mut port = done.connect();
        port.hello();
        let result = call(&mut port, row, &meta()).unwrap();
        assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
        drop(port);
        all_gone(&done, "the sample");
        let after = state(&done);
        assert_ne!(before, after);
        assert_eq!(left_here(&done), [""; 0]);
        Self { before, after }
    }

    /// References and files here are those from before or from after; there too; and never a memory here of what is not there.
    fn check(&self, now: &State, place: &str) {
        assert!(now.here == self.before.here || now.here == self.after.here, "{place}: half here: {now:#?}");
        assert!(
            now.there == self.before.there || now.there == self.after.there,
            "{place}: half there: {now:#?}"
        );
        assert!(
            now.there == self.after.there || now.here == self.before.here,
            "{place}: here before there: {now:#?}"
        );
    }
}

/// What the next hosts made of a call that was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Settled {
    /// It had an answer before the host died.
    Answered,
    /// The host died after it had written down that it is done.
    Written,
    /// It had not begun, and was made.
    MadeNow,
    /// Nobody knows, and it was not begun again: nothing had changed.
    UnknownNothing,
    /// The same, and the remote had taken it, which nobody here knew.
    UnknownThere,
    /// The same, and all of it was done.
    UnknownAll,
}

/// The host died. Everything is looked at, and the next one is asked.
fn settle(
    world: &World,
    row: &Drill,
    meta: &Value,
    expected: &Expected,
    answered: bool,
    place: &str,
) -> Settled {
    all_gone(world, place);
    for name in ["stop-before", "cut", "stop-at", "reached"] {
        let _ = fs::remove_file(world.workspace().join("drill").join(name));
    }
    is_sound(world, place);
    let mut port = world.connect();
    port.hello();
    wait_until(&format!("{place}: what it left to go"), || left_here(world).is_empty());
    is_sound(world, place);
    let half = state(world);
    expected.check(&half, place);
    assert!(!answered || half == expected.after, "{place}: it was answered, and not done");
    let (run, key) = (runs(world), meta["dev.outrigger/call"].clone());
    assert!(run <= 1, "{place}: it ran {run} times");
    let known = port.request("outrigger/calls/get", json!({"call": key}))["result"].clone();
    let asked_again = call(&mut port, row, meta).unwrap()["structuredContent"].clone();
    let now = state(world);
    expected.check(&now, place);
    assert!(runs(world) <= 1, "{place}: the same key ran again");
    let told = (known["state"].as_str().unwrap(), asked_again["ok"].as_bool().unwrap());
    let settled = match told {
        ("finished", true) => {
            assert_eq!((&half, run), (&expected.after, runs(world)), "{place}: {known:#}");
            if answered { Settled::Answered } else { Settled::Written }
        }
        // It had not begun.
        ("unknown" | "asked", true) => {
            assert!(run == 0 && half == expected.before, "{place}: {known:#}");
            assert!(runs(world) == 1 && now == expected.after, "{place}: {asked_again:#}");
            Settled::MadeNow
        }
        ("outcome_unknown", false) => {
            assert_eq!(asked_again["code"], "outcome_unknown", "{place}: {asked_again:#}");
            assert_eq!((runs(world), &now), (run, &half), "{place}: it went on");
            match (half == expected.after, half == expected.before) {
                (true, _) => Settled::UnknownAll,
                (_, true) => Settled::UnknownNothing,
                _ => Settled::UnknownThere,
            }
        }
        _ => panic!("{place}: {known:#}, then {asked_again:#}"),
    };
    // Asked once more, it says the same.
    let once_more = call(&mut port, row, meta).unwrap()["structuredContent"].clone();
    assert_eq!((&once_more["ok"], &once_more["code"]), (&asked_again["ok"], &asked_again["code"]), "{place}");
    // A call of its own goes on from whatever there is.
    let next = call(&mut port, row, &self::meta()).unwrap()["structuredContent"].clone();
    assert_eq!(next["ok"], true, "{place}: {next:#}");
    is_sound(world, place);
    drop(port);
    all_gone(world, place);
    if row.arguments["action"] == "pull" {
        assert!(state(world).there == expected.after.there, "{place}");
    } else {
        assert_eq!(state(world), expected.after, "{place}");
    }
    assert_eq!(left_here(world), [""; 0], "{place}");
    let audit = world.command().args(["audit", "--verify"]).output().unwrap();
    assert!(audit.status.success(), "{place}: {}", String::from_utf8_lossy(&audit.stdout));
    settled
}

/// No object that a reference needs is missing, on either side.
fn is_sound(world: &World, place: &str) {
    for folder in [world.workspace(), world.workspace().join("remote.git")] {
        let output = git_command(&folder).args(["fsck", "--strict", "--no-dangling"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{place}: {said}{}", String::from_utf8_lossy(&output.stdout));
    }
}

fn drills_all() -> bool {
    std::env::var("OUTRIGGER_DRILL").is_ok_and(|value| value == "all")
}

type Outcomes = BTreeMap<Settled, usize>;

/// Kills the host at call after call of one kind.
fn at_system_calls(
    sample: &World,
    row: &Drill,
    expected: &Expected,
    names: &[&str],
    outcomes: &mut Outcomes,
) {
    for name in names {
        let mut answered = false;
        for number in 1..MOST {
            let place = format!("{} at {name} {number}", row.arguments);
            let (world, meta) = (copy(sample), meta());
            let mut port = traced_alone(&world, name, number);
            answered = call(&mut port, row, &meta).is_some();
            drop(port);
            let settled = settle(&world, row, &meta, expected, answered, &place);
            if answered {
                break;
            }
            *outcomes.entry(settled).or_default() += 1;
        }
        assert!(answered, "{} makes more than {MOST} calls of {name}", row.arguments);
    }
}

/// Kills the host while the other side stands still.
fn while_it_runs(
    sample: &World,
    row: &Drill,
    expected: &Expected,
    stops: &[(&str, String)],
    outcomes: &mut Outcomes,
) {
    for (file, text) in stops {
        let place = format!("{} stopped by {file} {text}", row.arguments);
        let (world, meta) = (copy(sample), meta());
        world.write(&format!("drill/{file}"), text);
        let mut port = world.connect();
        port.hello();
        let reached = world.workspace().join("drill/reached");
        let answered = thread::scope(|scope| {
            let pid = port.child.id().to_string();
            let asked = scope.spawn(|| call(&mut port, row, &meta).is_some());
            wait_until(&place, || reached.exists());
            assert!(alive(&world).len() > 2, "{place}: nothing runs");
            let killed = std::process::Command::new("kill").args(["-9", &pid]).status().unwrap();
            assert!(killed.success());
            asked.join().unwrap()
        });
        drop(port);
        assert!(!answered, "{place}");
        let settled = settle(&world, row, &meta, expected, answered, &place);
        *outcomes.entry(settled).or_default() += 1;
    }
}

/// Where the answer of the other side is cut: in so many parts.
fn cuts(sample: &World, row: &Drill, parts: u64) -> Vec<(&'static str, String)> {
    let world = copy(sample);
    let mut port = world.connect();
    port.hello();
    assert_eq!(call(&mut port, row, &meta()).unwrap()["structuredContent"]["ok"], true);
    let length = fs::metadata(world.workspace().join("drill/answer")).unwrap().len();
    assert!(length > 100, "it says {length} bytes");
    (0..=parts).map(|part| ("cut", (length * part / parts).to_string())).collect()
}

/// Kills the host at its system calls, and while the other side stands still: `quick` always.
fn check(arguments: Value, quick: &[(&'static str, &str)], hooks: &[&str]) {
    let (row, sample) = (row(arguments), world(1));
    let expected = Expected::of(&sample, &row);
    let mut outcomes = Outcomes::new();
    let others = OTHERS.iter().copied().filter(|_| drills_all());
    let names: Vec<&str> = std::iter::once(QUICK).chain(others).collect();
    let mut stops: Vec<(&str, String)> =
        quick.iter().map(|(file, text)| (*file, (*text).to_owned())).collect();
    if drills_all() {
        stops.push(("stop-before", String::new()));
        stops.extend(cuts(&sample, &row, 40));
        stops.extend(hooks.iter().map(|hook| ("stop-at", (*hook).to_owned())));
    }
    while_it_runs(&sample, &row, &expected, &stops, &mut outcomes);
    at_system_calls(&sample, &row, &expected, &names, &mut outcomes);
    assert!(!outcomes.is_empty(), "{} was never cut off", row.arguments);
}

/// A call that stands still before the other side begins, and another one of the same repository.
#[test]
fn an_exchange_that_goes_on_is_left_alone() {
    let world = world(1);
    world.write("drill/stop-before", "");
    let fetch = row(json!({"action": "fetch"}));
    let (mut first, mut second) = (world.connect(), world.connect());
    let reached = world.workspace().join("drill/reached");
    thread::scope(|scope| {
        let pid = first.child.id().to_string();
        let asked = scope.spawn(|| call(&mut first, &fetch, &meta()).is_some());
        wait_until("the first to reach the other side", || reached.exists());
        fs::remove_file(world.workspace().join("drill/stop-before")).unwrap();
        second.hello();
        let busy = call(&mut second, &fetch, &meta()).unwrap()["structuredContent"].clone();
        let stays = world.workspace().join(".git/outrigger-exchange/HEAD").exists();
        assert!(std::process::Command::new("kill").args(["-9", &pid]).status().unwrap().success());
        assert!(!asked.join().unwrap());
        assert!(stays, "it was removed under the git program of another host: {busy:#}");
        assert_eq!((&busy["code"], &busy["retryable"]), (&json!("busy"), &json!(true)), "{busy:#}");
    });
    // Nobody holds it any more, though the git program may need a moment to end.
    let done = call(&mut second, &fetch, &meta()).unwrap()["structuredContent"].clone();
    assert_eq!(done["ok"], true, "{done:#}");
    assert_eq!(left_here(&world), [""; 0]);
}

/// So much that git keeps the pack as it came.
#[test]
fn a_large_fetch_is_known_of_or_not() {
    let (row, sample) = (row(json!({"action": "fetch"})), world(120));
    let expected = Expected::of(&sample, &row);
    let mut stops = cuts(&sample, &row, if drills_all() { 40 } else { 2 });
    if !drills_all() {
        stops = stops.split_off(1);
        stops.truncate(1);
    }
    let mut outcomes = Outcomes::new();
    while_it_runs(&sample, &row, &expected, &stops, &mut outcomes);
    assert!(!outcomes.contains_key(&Settled::UnknownAll), "nobody had taken it over: {outcomes:?}");
}

#[test]
fn a_fetch_is_known_of_or_not() {
    check(json!({"action": "fetch"}), &[], &[]);
}

#[test]
fn a_push_is_never_called_not_done() {
    let hooks = ["pre-receive", "update", "reference-transaction-prepared", "post-receive", "post-update"];
    let quick = [("stop-before", ""), ("stop-at", "reference-transaction-committed")];
    check(json!({"action": "push", "branch": "mine"}), &quick, &hooks);
}

#[test]
fn a_pull_fetches_or_not() {
    check(json!({"action": "pull"}), &[], &[]);
}
