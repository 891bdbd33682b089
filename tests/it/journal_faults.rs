//! A journal that is damaged, gone, full or of another version: what is said is what happened, and the host lives on.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::native::{Port, World};

/// Calls a tool and allows its plan, if there is one.
fn allowed(port: &mut Port, name: &str, arguments: Value, meta: Value) -> Value {
    let first = port.call_with(name, arguments.clone(), meta.clone());
    if first["resultType"] != "input_required" {
        return first;
    }
    port.answer_plan(name, arguments, meta, &first, json!({"decision": "allow"}))
}

fn meta() -> Value {
    json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/turn": "t", "dev.outrigger/session": "s"})
}

fn write(port: &mut Port, name: &str) -> Value {
    allowed(port, "fs_write", json!({"path": name, "content": "x\n"}), meta())["structuredContent"].clone()
}

/// A world in which a call was recorded by a host that has ended.
fn used() -> World {
    let world = World::new("");
    let mut port = ready(&world);
    assert_eq!(write(&mut port, "first.txt")["ok"], true);
    port.close();
    // A host that had no time for it leaves the log beside the file, and of that the whole file can be made again.
    let database = rusqlite::Connection::open(journal(&world)).unwrap();
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    world
}

fn ready(world: &World) -> Port {
    let mut port = world.connect();
    port.hello();
    port
}

fn journal(world: &World) -> std::path::PathBuf {
    world.state().join("journal.sqlite")
}

fn kept_aside(world: &World) -> Vec<String> {
    let names =
        fs::read_dir(world.state()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| {
            name.starts_with("journal.sqlite.damaged-") && !name.contains("-wal") && !name.contains("-shm")
        })
        .collect()
}

/// The file is what is said, and reading goes on.
fn is_honest(world: &World, port: &mut Port, name: &str, said: &Value) {
    assert_eq!(world.workspace().join(name).exists(), said["ok"] == true, "{said:#}");
    world.write("read.txt", "here\n");
    assert_eq!(port.call("fs_read", json!({"path": "read.txt"}))["structuredContent"]["ok"], true);
}

fn replaced(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
}

#[test]
fn an_audit_that_was_lost_is_not_called_whole() {
    for lost in ["DROP TABLE audit", "DROP TABLE calls"] {
        let world = used();
        rusqlite::Connection::open(journal(&world)).unwrap().execute_batch(lost).unwrap();
        let run = |arguments: &[&str]| {
            let output = world.command().args(arguments).output().unwrap();
            (
                output.status.code(),
                String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(),
            )
        };
        let (code, said) = run(&["audit", "--verify"]);
        assert!(code == Some(1) && said.contains("damaged") && !said.contains("none changed"), "{said}");
        // From then on there is a new one, beside which the old one lies.
        let (code, said) = run(&["audit", "--verify"]);
        assert!(code == Some(0) && said.contains("an earlier journal was damaged"), "{said}");
        assert!(said.contains(&kept_aside(&world)[0]), "{said}");
        fs::write(journal(&world), "garbage").unwrap();
        let (code, said) = run(&["undo"]);
        assert!(code == Some(0) && said.contains("damaged"), "{said}");
    }
}

#[test]
fn a_damaged_journal_is_kept_aside_and_told() {
    type Damage = fn(&Path);
    let cases: &[(&str, Damage)] = &[
        ("garbage", |path| replaced(path, &[0xa5; 12_000])),
        ("text", |path| replaced(path, &b"this is no database at all\n".repeat(500))),
        ("half", |path| {
            let bytes = fs::read(path).unwrap();
            replaced(path, &bytes[..bytes.len() / 2]);
        }),
        ("a hundred bytes", |path| {
            let bytes = fs::read(path).unwrap();
            replaced(path, &bytes[..100]);
        }),
        ("a broken page", |path| {
            let mut bytes = fs::read(path).unwrap();
            bytes[100..3000].fill(0x5a);
            replaced(path, &bytes);
        }),
        ("a folder", |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        }),
        ("a missing table", |path| {
            rusqlite::Connection::open(path).unwrap().execute_batch("DROP TABLE calls").unwrap();
        }),
        ("another table", |path| {
            let database = rusqlite::Connection::open(path).unwrap();
            database.execute_batch("DROP TABLE audit; CREATE TABLE audit (x)").unwrap();
        }),
    ];
    for (name, damage) in cases {
        let world = used();
        damage(&journal(&world));
        let mut port = ready(&world);
        let said = write(&mut port, "second.txt");
        assert_eq!(said["ok"], true, "{name}: {said:#}");
        assert!(said["warnings"].to_string().contains("damaged"), "{name}: {said:#}");
        is_honest(&world, &mut port, "second.txt", &said);
        assert_eq!(kept_aside(&world).len(), 1, "{name}");
        // Told once, and from then on all is well.
        let said = write(&mut port, "third.txt");
        assert_eq!((&said["ok"], &said["warnings"]), (&json!(true), &json!([])), "{name}");
        assert!(port.request("outrigger/turns/undo", json!({"turn": "t"})).get("result").is_some(), "{name}");
        assert!(!world.workspace().join("third.txt").exists(), "{name}");
    }
}

#[test]
fn a_journal_of_a_newer_version_is_left_alone() {
    let world = used();
    let database = rusqlite::Connection::open(journal(&world)).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    drop(database);
    let before = fs::read(journal(&world)).unwrap();
    let mut port = ready(&world);
    let said = write(&mut port, "second.txt");
    assert_eq!(said["ok"], false);
    assert!(said["message"].as_str().unwrap().contains("version 99"), "{said:#}");
    assert!(said["hint"].as_str().unwrap().contains("the newer version"), "{said:#}");
    is_honest(&world, &mut port, "second.txt", &said);
    assert!(kept_aside(&world).is_empty());
    assert_eq!(fs::read(journal(&world)).unwrap(), before);
}

#[test]
fn a_journal_that_goes_while_it_is_used_is_begun_anew_and_told() {
    type Removal = fn(&World);
    let cases: &[(&str, Removal)] = &[
        ("removed", |world| {
            for entry in fs::read_dir(world.state()).unwrap() {
                let path = entry.unwrap().path();
                if path.file_name().unwrap().to_str().unwrap().starts_with("journal") {
                    fs::remove_file(path).unwrap();
                }
            }
        }),
        ("with its folder", |world| fs::remove_dir_all(world.state()).unwrap()),
        ("replaced by garbage", |world| {
            fs::write(world.state().join("new"), [0x11; 9999]).unwrap();
            fs::rename(world.state().join("new"), journal(world)).unwrap();
        }),
    ];
    for (name, remove) in cases {
        let world = World::new("");
        let mut port = ready(&world);
        assert_eq!(write(&mut port, "first.txt")["ok"], true);
        remove(&world);
        let said = write(&mut port, "second.txt");
        assert_eq!(said["ok"], true, "{name}: {said:#}");
        assert!(said["warnings"].to_string().contains("removed or replaced"), "{name}: {said:#}");
        // It is on the disk: the next host knows the call.
        port.close();
        let mut port = ready(&world);
        let turns = port.request("outrigger/turns/list", json!({}));
        assert!(turns.to_string().contains("second.txt"), "{name}: {turns:#}");
    }
}

/// A small file system of a test's own; nothing where that is not allowed.
struct SmallDisk<'a> {
    place: &'a Path,
}

impl<'a> SmallDisk<'a> {
    fn mount(place: &'a Path, size: &str) -> Option<Self> {
        fs::create_dir_all(place).unwrap();
        let mut command = std::process::Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &format!("size={size},mode=700"), "tmpfs"]).arg(place);
        let mounted =
            command.stderr(std::process::Stdio::null()).status().is_ok_and(|status| status.success());
        mounted.then_some(Self { place })
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(self.place).status();
    }
}

#[test]
fn a_full_state_folder_refuses_writes_and_never_lies() {
    let world = World::new("");
    let state = world.state();
    // Only root may make a file system; elsewhere there is nothing to see.
    let Some(_disk) = SmallDisk::mount(&state, "200k") else { return };
    let mut port = ready(&world);
    let mut refused = 0;
    for number in 0..12 {
        let name = format!("f{number}.txt");
        let arguments = json!({"path": name, "content": "y".repeat(20_000)});
        let said = allowed(&mut port, "fs_write", arguments, meta())["structuredContent"].clone();
        is_honest(&world, &mut port, &name, &said);
        if said["ok"] == false {
            assert_eq!(said["code"], "disk_full", "{said:#}");
            refused += 1;
        }
    }
    assert!(refused > 0, "it never became full");
}

#[test]
fn the_end_of_a_call_that_could_not_be_recorded_is_known_and_written_later() {
    let world = World::new("");
    let state = world.state();
    let Some(_disk) = SmallDisk::mount(&state, "2m") else { return };
    let mut port = ready(&world);
    assert_eq!(write(&mut port, "first.txt")["ok"], true);
    let hog = state.join("hog");
    // There is room for a start and not for an end: found by trying.
    let mut late = None;
    for room in (0..40_usize).rev() {
        let mut bytes = vec![0; 2 << 20];
        while fs::write(&hog, &bytes).is_err() && !bytes.is_empty() {
            bytes.truncate(bytes.len().saturating_sub(4096));
        }
        bytes.truncate(bytes.len().saturating_sub(room * 2048));
        fs::write(&hog, &bytes).unwrap();
        let (name, meta) = (format!("w{room}.txt"), meta());
        let arguments = json!({"path": name, "content": "x\n"});
        let result = allowed(&mut port, "fs_write", arguments.clone(), meta.clone());
        let said = result["structuredContent"].clone();
        is_honest(&world, &mut port, &name, &said);
        if said["warnings"].to_string().contains("could not record") {
            late = Some((name, arguments, meta));
            break;
        }
    }
    let Some((name, arguments, meta)) = late else { return };
    // The same key again: its result, not a second run, not "it still runs".
    fs::remove_file(world.workspace().join(&name)).unwrap();
    let again = allowed(&mut port, "fs_write", arguments.clone(), meta.clone());
    assert_eq!(again["structuredContent"]["ok"], true, "{again:#}");
    assert!(!world.workspace().join(&name).exists(), "it ran twice");
    fs::remove_file(&hog).unwrap();
    let said = write(&mut port, "after.txt");
    assert_eq!(said["ok"], true, "{said:#}");
    port.close();
    let mut port = ready(&world);
    let again = allowed(&mut port, "fs_write", arguments, meta);
    assert_eq!(again["structuredContent"]["ok"], true, "{again:#}");
    assert!(!world.workspace().join(&name).exists(), "it ran twice");
}

#[test]
fn an_undo_without_room_says_what_is_in_its_way_and_is_done_later() {
    let world = World::new("");
    let state = world.state();
    let Some(_disk) = SmallDisk::mount(&state, "2m") else { return };
    let mut port = ready(&world);
    world.write("a.txt", "one\n");
    let mut key = meta();
    key["dev.outrigger/turn"] = json!("t1");
    let edits = json!([{"old_text": "one", "new_text": "two"}]);
    let said = allowed(&mut port, "fs_edit", json!({"path": "a.txt", "edits": edits}), key);
    assert_eq!(said["structuredContent"]["ok"], true, "{said:#}");
    // What is replaced by force has to be kept, and there is no room for that.
    world.write("a.txt", "x".repeat(100_000));
    let hog = state.join("hog");
    fill(&hog, 0);
    let undo = json!({"turn": "t1", "call": outrigger::ids::new_ulid(), "overwrite": true});
    let refused = port.request("outrigger/turns/undo", undo.clone());
    let error = &refused["error"];
    assert_eq!(error["data"]["reason"], "disk_full", "{refused:#}");
    assert!(error["data"]["hint"].as_str().unwrap().contains("free space"), "{refused:#}");
    assert_eq!(error["code"], -32052, "{refused:#}");
    assert_eq!(world.read("a.txt").len(), 100_000);
    fs::remove_file(&hog).unwrap();
    let report = port.request("outrigger/turns/undo", undo)["result"].clone();
    assert_eq!((&report["state"], world.read("a.txt").as_str()), (&json!("done"), "one\n"), "{report:#}");
}

#[test]
fn a_full_workspace_changes_nothing_and_says_so() {
    let world = World::new("");
    let place = world.workspace();
    let Some(_disk) = SmallDisk::mount(&place, "300k") else { return };
    world.write("big.txt", "line\n".repeat(20_000));
    world.write("small.txt", "small\n");
    let mut port = ready(&world);
    let add = |name: &str| format!("*** Add File: {name}\n+{}\n", "x".repeat(70_000));
    let patch = format!("*** Begin Patch\n{}*** End Patch", ["1", "2", "3", "4"].map(add).concat());
    let large = "x".repeat(250_000);
    for (tool, arguments) in [
        ("fs_write", json!({"path": "new.txt", "content": large})),
        ("fs_write", json!({"path": "big.txt", "content": large, "mode": "overwrite"})),
        ("fs_write", json!({"path": "big.txt", "content": large, "mode": "append"})),
        (
            "fs_edit",
            json!({"path": "big.txt", "edits": [{"old_text": "line\n", "new_text": "a longer line\n", "replace_all": true}]}),
        ),
        ("fs_apply_patch", json!({"patch": patch})),
    ] {
        let before = names(&world.workspace());
        let said = allowed(&mut port, tool, arguments, meta())["structuredContent"].clone();
        assert_eq!((&said["ok"], &said["code"]), (&json!(false), &json!("disk_full")), "{tool}: {said:#}");
        assert_eq!(names(&world.workspace()), before, "{tool}");
    }
    assert_eq!(world.read("small.txt"), "small\n");
}

fn git(folder: &Path, words: &[&str]) -> String {
    let output = crate::world::git_command(folder).args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn digest(bytes: &[u8]) -> String {
    outrigger::ids::Etag::of(bytes).as_str().to_owned()
}

/// Fills what is left of a file system, but for so many bytes.
fn fill(hog: &Path, leave: usize) {
    let mut bytes = vec![0; 4 << 20];
    while fs::write(hog, &bytes).is_err() && !bytes.is_empty() {
        bytes.truncate(bytes.len().saturating_sub(4096));
    }
    fs::write(hog, &bytes[..bytes.len().saturating_sub(leave)]).unwrap();
}

#[test]
fn an_undo_that_has_no_room_for_any_file_says_that_nothing_was_changed() {
    let world = World::new("");
    let place = world.workspace();
    let Some(_disk) = SmallDisk::mount(&place, "600k") else { return };
    let text = "line\n".repeat(40_000);
    world.write("gone.txt", &text);
    let mut port = ready(&world);
    let gone = allowed(&mut port, "fs_delete", json!({"path": "gone.txt"}), meta());
    assert_eq!(gone["structuredContent"]["ok"], true, "{gone:#}");
    let hog = place.join("hog");
    fill(&hog, 0);
    let report = port.request("outrigger/turns/undo", json!({"turn": "t"}))["result"].clone();
    assert_eq!(
        (&report["state"], &report["files"][0]["done"]),
        (&json!("conflict"), &json!(false)),
        "{report:#}"
    );
    assert!(report["files"][0]["conflict"].as_str().unwrap().contains("No space left"), "{report:#}");
    assert!(!place.join("gone.txt").exists());
    fs::remove_file(&hog).unwrap();
    let report = port.request("outrigger/turns/undo", json!({"turn": "t"}))["result"].clone();
    assert_eq!((&report["state"], world.read("gone.txt")), (&json!("done"), text), "{report:#}");
}

#[test]
fn a_full_disk_stops_git_and_nothing_is_lost() {
    let world = World::new("[tools]\nprofile = \"full\"\n");
    let place = world.workspace();
    let Some(_disk) = SmallDisk::mount(&place, "3m") else { return };
    git(&place, &["init", "-qb", "topic"]);
    git(&place, &["config", "user.name", "Ann"]);
    git(&place, &["config", "user.email", "ann@example.org"]);
    // Nothing that compresses.
    let noise = |seed: u64| -> Vec<u8> {
        let mut state = seed;
        let mut byte = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u8 | 1
        };
        (0..200_000).map(|_| byte()).collect()
    };
    fs::write(place.join("a.bin"), noise(1)).unwrap();
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-qm", "first"]);
    git(&place, &["switch", "-qc", "other"]);
    fs::write(place.join("b.bin"), noise(2)).unwrap();
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-qm", "second"]);
    git(&place, &["switch", "-q", "topic"]);
    let hog = world.workspace().join(".git/hog");
    let mut port = ready(&world);
    let staged = noise(3);
    for (tool, arguments) in [
        ("git_add", json!({"paths": ["c.bin"]})),
        ("git_commit", json!({"message": "only a", "paths": ["a.bin"]})),
        ("git_commit", json!({"message": "third"})),
        ("git_restore", json!({"paths": ["a.bin"]})),
        ("git_switch", json!({"branch": "other"})),
        ("git_switch", json!({"branch": "made", "create": true, "base": "other"})),
    ] {
        if tool != "git_switch" {
            fs::write(place.join("a.bin"), noise(4)).unwrap();
            fs::write(place.join("c.bin"), &staged).unwrap();
        }
        if tool == "git_commit" {
            git(&place, &["add", "c.bin"]);
        }
        if tool == "git_restore" {
            fs::remove_file(place.join("a.bin")).unwrap();
        }
        let state = || {
            let files: Vec<_> =
                names(&place).into_iter().map(|(name, bytes)| (name, digest(&bytes))).collect();
            (
                git(&place, &["log", "--all", "--oneline"]),
                git(&place, &["status", "--porcelain", "-b"]),
                files,
            )
        };
        let before = state();
        fill(&hog, 0);
        let said = allowed(&mut port, tool, arguments.clone(), meta())["structuredContent"].clone();
        assert_eq!(
            (&said["ok"], &said["code"]),
            (&json!(false), &json!("disk_full")),
            "{tool} {arguments}: {said:#}"
        );
        assert!(said["message"].as_str().unwrap().contains("space"), "{tool}: {said:#}");
        fs::remove_file(&hog).unwrap();
        assert_eq!(state(), before, "{tool} {arguments}");
        git(&place, &["fsck", "--strict"]);
        let left: Vec<_> = names(&place.join(".git")).into_iter().map(|(name, _)| name).collect();
        assert!(!left.iter().any(|name| name.contains(".lock") || name.contains("tmp")), "{tool}: {left:?}");
        let said = allowed(&mut port, tool, arguments, meta())["structuredContent"].clone();
        assert_eq!(said["ok"], true, "{tool}, with space: {said:#}");
        git(&place, &["fsck", "--strict"]);
        git(&place, &["reset", "-q", "--hard", "topic"]);
        git(&place, &["switch", "-q", "topic"]);
    }
}

#[test]
fn a_command_runs_with_a_full_state_folder_or_says_why_not() {
    let world = World::new("[[command]]\nid = \"shout\"\nprogram = \"/usr/bin/seq\"\npositional = \"any\"\n");
    let state = world.state();
    let Some(_disk) = SmallDisk::mount(&state, "600k") else { return };
    let mut port = ready(&world);
    assert_eq!(write(&mut port, "first.txt")["ok"], true);
    fill(&state.join("hog"), 0);
    // Its output is far longer than all that is left.
    let run = json!({"command": "shout", "args": ["200000"]});
    let said = allowed(&mut port, "exec_run", run.clone(), meta())["structuredContent"].clone();
    assert!(said["ok"] == true || said["code"] == "disk_full", "{said:#}");
    fs::remove_file(state.join("hog")).unwrap();
    let result = allowed(&mut port, "exec_run", run, meta());
    assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
    assert!(result.to_string().contains("200000"), "{result:#}");
}

/// A folder that can only be read, whoever asks; nothing where that cannot be arranged.
pub struct ReadOnly<'a> {
    place: &'a Path,
}

impl<'a> ReadOnly<'a> {
    pub fn make(place: &'a Path) -> Option<Self> {
        let mount = |words: &[&str]| {
            let mut command = std::process::Command::new("mount");
            command.args(words).arg(place).stderr(std::process::Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        if !mount(&["--bind", place.to_str().unwrap()]) {
            return None;
        }
        let made = Self { place };
        mount(&["-o", "remount,ro,bind"]).then_some(made)
    }
}

impl Drop for ReadOnly<'_> {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(self.place).status();
    }
}

#[test]
fn an_undo_that_may_not_write_is_told_and_goes_on_later() {
    let world = World::new("");
    world.write("d/f.txt", "old\n");
    let mut port = ready(&world);
    let change = json!({"path": "d/f.txt", "content": "new\n", "mode": "overwrite"});
    assert_eq!(allowed(&mut port, "fs_write", change, meta())["structuredContent"]["ok"], true);
    assert_eq!(write(&mut port, "e.txt")["ok"], true);
    let folder = world.workspace().join("d");
    let Some(closed) = ReadOnly::make(&folder) else { return };
    let mut undo = || port.request("outrigger/turns/undo", json!({"turn": "t"}))["result"].clone();
    let said = undo();
    assert_eq!(said["state"], "partly", "{said:#}");
    let conflict = said["files"][0]["conflict"].as_str().unwrap();
    assert!(conflict.contains("d/f.txt") && conflict.contains("Read-only"), "{said:#}");
    assert_eq!((world.read("d/f.txt").as_str(), world.workspace().join("e.txt").exists()), ("new\n", false));
    drop(closed);
    let said = undo();
    assert_eq!(said["state"], "done", "{said:#}");
    assert_eq!(world.read("d/f.txt"), "old\n");
}

#[test]
fn a_state_folder_that_cannot_be_written_refuses_writes_and_lets_read() {
    let world = World::new("");
    let state = world.state();
    fs::create_dir_all(&state).unwrap();
    let Some(closed) = ReadOnly::make(&state) else { return };
    let mut port = ready(&world);
    let said = write(&mut port, "a.txt");
    assert_eq!(said["code"], "permission_denied", "{said:#}");
    is_honest(&world, &mut port, "a.txt", &said);
    drop(closed);
    assert_eq!(write(&mut port, "b.txt")["ok"], true);

    let world = World::new("");
    fs::write(world.state(), "a file, no folder").unwrap();
    let mut port = ready(&world);
    let said = write(&mut port, "a.txt");
    assert_eq!(said["code"], "permission_denied", "{said:#}");
    is_honest(&world, &mut port, "a.txt", &said);
}

fn names(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut all: Vec<_> = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap_or_default()))
        .collect();
    all.sort();
    all
}

#[test]
fn few_descriptors_are_a_clear_error_and_pass() {
    let world = World::new("");
    for number in 0..30 {
        world.write(&format!("d{number}/f.txt"), "needle\n");
    }
    let own = outrigger::native::caller::own_extensions();
    for limit in [12, 16, 20, 26, 40] {
        let mut shell = std::process::Command::new("sh");
        shell.args([
            "-c",
            &format!("ulimit -n {limit}; exec \"$0\" \"$1\""),
            env!("CARGO_BIN_EXE_outrigger"),
            &own[0],
        ]);
        shell.env("OUTRIGGER_CONFIG", world.config()).env("OUTRIGGER_STATE_DIR", world.state());
        shell.stderr(std::process::Stdio::null());
        let mut port = Port::spawn(&mut shell);
        let hello = json!({"jsonrpc": "2.0", "id": "h", "method": "outrigger/hello", "params": {"client": {"name": "t", "version": "0"}, "protocol": {"min": 1, "max": 1}}});
        port.try_send(&hello);
        // Too few even to begin: it may end, with words.
        if port.receive().is_none_or(|message| message["id"] != "h") {
            continue;
        }
        for (tool, arguments) in [
            ("search_grep", json!({"pattern": "needle"})),
            ("fs_list", json!({"depth": 3})),
            ("fs_read", json!({"path": "d1/f.txt"})),
        ] {
            let said = port.call(tool, arguments)["structuredContent"].clone();
            assert!(said["ok"] == true || said["message"].is_string(), "{limit}: {tool}: {said:#}");
        }
        let name = format!("n{limit}.txt");
        let said = write(&mut port, &name);
        assert_eq!(world.workspace().join(&name).exists(), said["ok"] == true, "{limit}: {said:#}");
    }
}

#[test]
fn a_workspace_that_goes_while_it_is_served_is_told() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = ready(&world);
    let moved = world.folder.path().join("moved");
    fs::rename(world.workspace(), &moved).unwrap();
    fs::create_dir(world.workspace()).unwrap();
    world.write("a.txt", "another\n");
    let said = port.call("fs_read", json!({"path": "a.txt"}));
    // Either the folder that was opened, or an error; never the one that took its name unasked.
    assert!(!said.to_string().contains("another"), "{said:#}");
    fs::remove_dir_all(&moved).unwrap();
    for (tool, arguments) in [
        ("fs_read", json!({"path": "a.txt"})),
        ("fs_list", json!({})),
        ("search_grep", json!({"pattern": "x"})),
        ("git_status", json!({})),
    ] {
        let said = port.call(tool, arguments);
        assert!(said["structuredContent"]["ok"].is_boolean(), "{tool}: {said:#}");
    }
    let said = write(&mut port, "lost.txt");
    assert_eq!(said["ok"], false, "{said:#}");
    assert!(!world.workspace().join("lost.txt").exists());
}
