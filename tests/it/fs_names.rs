//! `fs_delete`, `fs_move` and `fs_mkdir` over the real binary: what goes, comes and gets another name, and that all of it is undone.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    io::Write as _,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _, fs::symlink},
    path::Path,
};

use serde_json::{Value, json};

use crate::support::native::{Port, World};

/// Everything in a folder: kind and mode, and what is in it.
pub fn snapshot(folder: &Path) -> BTreeMap<Vec<u8>, String> {
    fn look(root: &Path, folder: &Path, into: &mut BTreeMap<Vec<u8>, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().as_os_str().as_bytes().to_vec();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let mode = metadata.permissions().mode() & 0o7777;
            let what = if metadata.is_symlink() {
                format!("link {}", fs::read_link(&path).unwrap().display())
            } else if metadata.is_dir() {
                look(root, &path, into);
                format!("folder {mode:o}")
            } else {
                format!("file {mode:o} {:?}", fs::read(&path).unwrap_or_default())
            };
            into.insert(name, what);
        }
    }
    let mut entries = BTreeMap::new();
    look(folder, folder, &mut entries);
    entries
}

fn meta(turn: &str) -> Value {
    json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/workspace": "app",
        "dev.outrigger/session": "s1", "dev.outrigger/turn": turn})
}

fn mode(world: &World, path: &str, mode: u32) {
    fs::set_permissions(world.workspace().join(path), fs::Permissions::from_mode(mode)).unwrap();
}

fn names(world: &World) -> Vec<String> {
    snapshot(&world.workspace()).into_keys().map(|name| String::from_utf8_lossy(&name).into_owned()).collect()
}

/// A tree with everything that can be in one.
fn tree(world: &World) {
    world.write("d/a.txt", "one\n");
    world.write("d/deep/er/b.bin", [0, 159, 146, 150]);
    world.write("d/run.sh", "#!/bin/sh\n");
    world.write("d/empty", "");
    world.write("keep.txt", "kept\n");
    mode(world, "d/run.sh", 0o750);
    mode(world, "d/a.txt", 0o600);
    fs::create_dir(world.workspace().join("d/hollow")).unwrap();
    mode(world, "d/hollow", 0o700);
    symlink("../keep.txt", world.workspace().join("d/link")).unwrap();
    symlink("nowhere", world.workspace().join("d/dangling")).unwrap();
    symlink("deep", world.workspace().join("d/to-folder")).unwrap();
    fs::write(world.workspace().join("d").join(OsStr::from_bytes(b"odd\xff name")), "odd").unwrap();
}

struct Bench {
    world: World,
    port: Port,
}

impl Bench {
    fn new() -> Self {
        Self::with("")
    }

    fn with(lines: &str) -> Self {
        let world = World::new(&format!("[tools]\nprofile = \"full\"\n{lines}"));
        let mut port = world.connect();
        port.hello();
        Self { world, port }
    }

    fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.port.call_allowed(tool, arguments, meta("t1"));
        assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
        result["structuredContent"]["data"].clone()
    }

    fn plan(&mut self, tool: &str, arguments: Value) -> Value {
        let asked = self.port.call_with(tool, arguments, meta("t1"));
        assert_eq!(asked["resultType"], "input_required", "{asked:#}");
        asked["_meta"]["dev.outrigger/plan"].clone()
    }

    fn refused(&mut self, tool: &str, arguments: Value) -> (String, String) {
        let before = snapshot(&self.world.workspace());
        let result = self.port.call_with(tool, arguments.clone(), meta("t1"));
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result:#}");
        assert_eq!(snapshot(&self.world.workspace()), before);
        let text = |key: &str| result["structuredContent"][key].as_str().unwrap().to_owned();
        (text("code"), text("message"))
    }

    fn code(&mut self, tool: &str, arguments: Value) -> String {
        self.refused(tool, arguments).0
    }

    fn control(&mut self, method: &str) -> Value {
        self.port.request(&format!("outrigger/turns/{method}"), json!({"turn": "t1"}))["result"].clone()
    }

    /// Undoes and redoes the turn, and compares with what was there.
    fn there_and_back(&mut self, before: &BTreeMap<Vec<u8>, String>) {
        let folder = self.world.workspace();
        let after = snapshot(&folder);
        for _ in 0..2 {
            let undone = self.control("undo");
            assert_eq!(undone["state"], "done", "{undone:#}");
            assert_eq!(snapshot(&folder), *before);
            let redone = self.control("redo");
            assert_eq!(redone["state"], "done", "{redone:#}");
            assert_eq!(snapshot(&folder), after);
        }
        assert_eq!(self.control("undo")["state"], "done");
        assert_eq!(snapshot(&folder), *before);
    }
}

#[test]
fn a_deleted_tree_comes_back_with_links_modes_and_odd_names() {
    let mut bench = Bench::new();
    tree(&bench.world);
    let before = snapshot(&bench.world.workspace());
    let arguments = json!({"path": "d", "recursive": true, "expect_entries": 11});
    let plan = bench.plan("fs_delete", arguments.clone());
    assert_eq!(plan["tier"], "individual");
    assert_eq!(plan["summary"], "Delete the folder d (11 entries, 21 bytes)");
    let top = &plan["preview"]["files"][0];
    assert_eq!((&top["op"], &top["entries"], &top["undoable"]), (&json!("delete"), &json!(11), &json!(true)));
    assert_eq!(plan["preview"]["files"].as_array().unwrap().len(), 12);
    let data = bench.done("fs_delete", arguments);
    assert_eq!(data, json!({"path": "d", "removed": 12, "bytes": 21, "undo": true}));
    assert_eq!(names(&bench.world), ["keep.txt"]);
    bench.there_and_back(&before);
}

#[test]
fn single_names_are_deleted_and_come_back() {
    for path in ["d/a.txt", "d/run.sh", "d/link", "d/dangling", "d/to-folder", "d/hollow", "d/odd\\xff name"]
    {
        let mut bench = Bench::new();
        tree(&bench.world);
        let before = snapshot(&bench.world.workspace());
        let data = bench.done("fs_delete", json!({"path": path}));
        assert_eq!(data["removed"], 1, "{path}");
        assert_eq!(snapshot(&bench.world.workspace()).len(), before.len() - 1, "{path}");
        assert_eq!(bench.world.read("keep.txt"), "kept\n");
        bench.there_and_back(&before);
    }
}

/// Whether a blocked file is there is nobody's to know: below its name it is the name that counts.
#[test]
fn below_a_blocked_file_the_law_speaks_first() {
    for is_there in [true, false] {
        let mut bench = Bench::new();
        bench.world.write("plain/x", "x");
        if is_there {
            bench.world.write(".env", "x");
            bench.world.write("a/vault", "x");
            symlink("../.env", bench.world.workspace().join("plain/link")).unwrap();
        }
        for path in [".env/x", ".env/x/y", "a/../.env/x"] {
            for (tool, arguments) in [
                ("fs_read", json!({"path": path})),
                ("fs_list", json!({"path": path})),
                ("fs_mkdir", json!({"path": path})),
                ("fs_write", json!({"path": path, "content": "x"})),
                ("fs_delete", json!({"path": path})),
                ("fs_move", json!({"from": "plain/x", "to": path})),
            ] {
                if is_there || !path.contains("..") {
                    assert_eq!(bench.code(tool, arguments), "blocked_path", "{tool} {path} {is_there}");
                }
            }
        }
        if is_there {
            assert_eq!(bench.code("fs_read", json!({"path": "plain/link/x"})), "blocked_path");
        }
        let mut denied = meta("t1");
        denied["dev.outrigger/denied"] = json!([{"path": "a/vault"}]);
        let refused = bench.port.call_with("fs_read", json!({"path": "a/vault/x"}), denied);
        assert_eq!(refused["structuredContent"]["code"], "blocked_path", "{is_there}: {refused:#}");
        assert_eq!(bench.code("fs_read", json!({"path": "plain/x/y"})), "wrong_type");
        assert_eq!(bench.code("fs_read", json!({"path": "plain/x/key.pem"})), "blocked_path");
    }
}

#[test]
fn what_may_not_be_deleted_stays() {
    let mut bench = Bench::new();
    tree(&bench.world);
    for path in ["repo/.git/HEAD", "secret/x/key.pem", "a/.env"] {
        bench.world.write(path, "x");
    }
    let _socket = std::os::unix::net::UnixListener::bind(bench.world.workspace().join("a/socket")).unwrap();
    let delete = |path: &str| json!({"path": path, "recursive": true});
    assert_eq!(bench.code("fs_delete", json!({"path": "d"})), "not_empty");
    let (code, message) =
        bench.refused("fs_delete", json!({"path": "d", "recursive": true, "expect_entries": 3}));
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("stale", "the folder `d` holds 11 entries, not 3; nothing was deleted")
    );
    for recursive in [false, true] {
        let emptied = json!({"path": "d/hollow", "recursive": recursive, "expect_entries": 2});
        let (code, message) = bench.refused("fs_delete", emptied);
        assert_eq!((code.as_str(), message.contains("holds 0 entries, not 2")), ("stale", true), "{message}");
    }
    // What is no folder any more is not what was listed, however few entries were.
    for (path, what) in
        [("d/a.txt", "a file"), ("d/link", "a link"), ("d/to-folder", "a link"), ("d/dangling", "a link")]
    {
        for (recursive, expected, entries) in [(false, 1, "1 entry"), (true, 99, "99 entries")] {
            let counted = json!({"path": path, "recursive": recursive, "expect_entries": expected});
            let (code, message) = bench.refused("fs_delete", counted);
            let said = format!("`{path}` is {what}, not a folder with {entries}; nothing was deleted");
            assert_eq!((code.as_str(), message), ("stale", said));
            assert!(fs::symlink_metadata(bench.world.workspace().join(path)).is_ok());
        }
    }
    for path in [".", "d/.."] {
        assert_eq!(bench.code("fs_delete", delete(path)), "protected_path", "{path}");
    }
    for path in ["repo", "repo/.git", "repo/.git/HEAD"] {
        assert_eq!(bench.code("fs_delete", delete(path)), "protected_path", "{path}");
    }
    let (code, message) = bench.refused("fs_delete", delete("secret"));
    assert_eq!(code, "blocked_path");
    assert!(message.contains("`secret` holds") && !message.contains("key.pem"), "{message}");
    assert_eq!(bench.code("fs_delete", delete("a")), "blocked_path");
    assert_eq!(bench.code("fs_delete", delete("a/.env")), "blocked_path");
    assert_eq!(bench.code("fs_delete", delete("a/socket")), "wrong_type");
    assert_eq!(bench.code("fs_delete", delete("../outside")), "outside_workspace");
    let result = bench.port.call_with("fs_delete", delete("keep.tx"), meta("t1"));
    assert_eq!(result["structuredContent"]["code"], "not_found");
    assert_eq!(result["structuredContent"]["candidates"], json!(["keep.txt"]), "{result:#}");
}

#[test]
fn a_folder_without_a_count_says_so_and_large_ones_cannot_be_undone() {
    let mut bench = Bench::new();
    tree(&bench.world);
    let plan = bench.plan("fs_delete", json!({"path": "d", "recursive": true}));
    assert!(plan["reasons"].to_string().contains("did not say how much it expects"), "{plan:#}");
    let file = fs::File::create(bench.world.workspace().join("large")).unwrap();
    file.set_len(64 * 1024 * 1024 + 1).unwrap();
    let plan = bench.plan("fs_delete", json!({"path": "large"}));
    assert_eq!(plan["preview"]["files"][0]["undoable"], false);
    assert!(plan["reasons"].to_string().contains("cannot be undone"), "{plan:#}");
    let data = bench.done("fs_delete", json!({"path": "large"}));
    assert_eq!(data["undo"], false);
    let undone = bench.control("undo");
    assert_eq!(undone["state"], "conflict", "{undone:#}");
    assert!(undone["files"][0]["conflict"].as_str().unwrap().contains("no longer kept"));
}

/// Folders that are entered one by one lie deeper than any one path may lead; what goes there comes back.
#[test]
fn a_tree_deeper_than_a_path_may_be_long_comes_back() {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let open = |folder: &std::os::fd::OwnedFd, name: &str, flags: OFlags| {
        openat(folder, name, flags | OFlags::CLOEXEC, Mode::RWXU).unwrap()
    };
    let mut bench = Bench::new();
    let top = openat(CWD, bench.world.workspace(), OFlags::DIRECTORY, Mode::empty()).unwrap();
    let name = "n".repeat(200);
    let mut folder = top.try_clone().unwrap();
    for _ in 0..30 {
        mkdirat(&folder, name.as_str(), Mode::RWXU).unwrap();
        folder = open(&folder, &name, OFlags::DIRECTORY);
    }
    let file = open(&folder, "file", OFlags::CREATE | OFlags::WRONLY);
    fs::File::from(file).write_all(b"deep").unwrap();
    let arguments = json!({"path": name, "recursive": true, "expect_entries": 30});
    let data = bench.done("fs_delete", arguments);
    assert_eq!((&data["undo"], names(&bench.world).len()), (&json!(true), 0), "{data:#}");
    let undone = bench.control("undo");
    assert_eq!(undone["state"], "done", "{undone:#}");
    let mut folder = top;
    for _ in 0..30 {
        folder = open(&folder, &name, OFlags::DIRECTORY);
    }
    let file = fs::File::from(open(&folder, "file", OFlags::RDONLY));
    assert_eq!(std::io::read_to_string(file).unwrap(), "deep");
    assert_eq!(bench.control("redo")["state"], "done");
    assert_eq!(names(&bench.world).len(), 0);
}

/// The journal's own limit counts for every tool: what it would drop at once is not promised.
#[test]
fn what_the_journal_has_no_room_for_is_not_called_undoable() {
    let mut bench = Bench::with("[journal]\nmax_mib = 1");
    let line = "a line of fifty bytes that are there to be counted\n";
    let large = format!("first\n{}", line.repeat(24_000));
    for name in ["delete", "write", "edit", "patched", "moved", "onto", "staged"] {
        bench.world.write(name, &large);
    }
    bench.world.write("small", "first\n");
    for arguments in [&["init", "-q"][..], &["add", "staged"]] {
        let mut git = std::process::Command::new("git");
        assert!(git.args(arguments).current_dir(bench.world.workspace()).status().unwrap().success());
    }
    bench.world.write("staged", format!("{large}more\n"));
    let patch = |name: &str| json!({"patch": format!("*** Begin Patch\n*** Update File: {name}\n@@\n-first\n+second\n*** End Patch\n")});
    let edit = json!([{"old_text": "first\n", "new_text": "second\n"}]);
    let calls = [
        ("fs_delete", json!({"path": "delete"}), false),
        ("fs_write", json!({"path": "write", "content": "new\n", "mode": "overwrite"}), false),
        ("fs_edit", json!({"path": "edit", "edits": edit}), false),
        ("fs_apply_patch", patch("patched"), false),
        ("fs_move", json!({"from": "moved", "to": "elsewhere"}), true),
        ("fs_move", json!({"from": "small", "to": "onto", "copy": true, "overwrite": true}), false),
        ("git_restore", json!({"paths": ["staged"]}), false),
        ("fs_apply_patch", patch("small"), true),
        ("fs_move", json!({"from": "elsewhere", "to": "again", "copy": true}), true),
        ("fs_delete", json!({"path": "small"}), true),
    ];
    for (tool, arguments, undoable) in calls {
        let plan = bench.plan(tool, arguments.clone());
        assert_eq!(plan["preview"]["files"][0]["undoable"], undoable, "{tool} {arguments}: {plan:#}");
        let is_told = plan["reasons"].to_string().contains("cannot be undone");
        assert_eq!(is_told, !undoable, "{tool} {arguments}: {plan:#}");
        let data = bench.done(tool, arguments.clone());
        if tool != "fs_move" {
            assert_eq!(data["undo"], undoable, "{tool} {arguments}: {data:#}");
        }
    }
}

#[test]
fn what_changed_after_the_plan_is_not_deleted() {
    let mut bench = Bench::new();
    tree(&bench.world);
    let arguments = json!({"path": "d", "recursive": true, "expect_entries": 11});
    let key = meta("t1");
    let asked = bench.port.call_with("fs_delete", arguments.clone(), key.clone());
    bench.world.write("d/a.txt", "two\n");
    let again = bench.port.answer_plan("fs_delete", arguments, key, &asked, json!({"decision": "allow"}));
    assert_eq!(again["resultType"], "input_required", "{again:#}");
    assert!(
        again["_meta"]["dev.outrigger/plan"]["reasons"][0].as_str().unwrap().starts_with("approval_stale")
    );
    assert_eq!(bench.world.read("d/a.txt"), "two\n");
}

#[test]
fn a_file_that_changed_after_the_plan_is_not_replaced() {
    for copy in [false, true] {
        let mut bench = Bench::new();
        bench.world.write("new.txt", "new\n");
        bench.world.write("old.txt", "an old text\n");
        let arguments = json!({"from": "new.txt", "to": "old.txt", "overwrite": true, "copy": copy});
        let key = meta("t1");
        let asked = bench.port.call_with("fs_move", arguments.clone(), key.clone());
        let file = &asked["_meta"]["dev.outrigger/plan"]["preview"]["files"][0];
        assert_eq!((&file["before_bytes"], &file["after_bytes"]), (&json!(12), &json!(4)), "{file:#}");
        assert_ne!(file["before_etag"], file["after_etag"]);
        bench.world.write("old.txt", "a day of work\n");
        let again = bench.port.answer_plan(
            "fs_move",
            arguments.clone(),
            key.clone(),
            &asked,
            json!({"decision": "allow"}),
        );
        assert_eq!(again["resultType"], "input_required", "{again:#}");
        let reason = again["_meta"]["dev.outrigger/plan"]["reasons"][0].as_str().unwrap();
        assert!(reason.starts_with("approval_stale"), "{reason}");
        assert_eq!(bench.world.read("old.txt"), "a day of work\n");
        let done = bench.port.answer_plan("fs_move", arguments, key, &again, json!({"decision": "allow"}));
        assert_ne!(done["isError"], true, "{done:#}");
        assert_eq!(bench.world.read("old.txt"), "new\n");
    }
}

#[test]
fn what_is_made_in_a_folder_whose_name_is_no_text_comes_to_lie_there() {
    let mut bench = Bench::new();
    let root = bench.world.workspace();
    let odd = root.join(OsStr::from_bytes(b"odd\xff"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join("a"), "a\n").unwrap();
    fs::write(root.join(OsStr::from_bytes(b"p\xff")), "p\n").unwrap();
    fs::create_dir(root.join("line\nend")).unwrap();
    fs::create_dir(root.join("as\\new")).unwrap();
    bench.done("fs_write", json!({"path": "odd\\xff/new", "content": "n\n"}));
    bench.done("fs_move", json!({"from": "odd\\xff/a", "to": "odd\\xff/b"}));
    bench.done("fs_mkdir", json!({"path": "odd\\xff/in/deep"}));
    bench.done(
        "fs_apply_patch",
        json!({"patch": "*** Begin Patch\n*** Add File: odd\\xff/c\n+c\n*** End Patch\n"}),
    );
    bench.done("fs_move", json!({"from": "p\\xff", "to": "d/p\\xff"}));
    bench.done("fs_write", json!({"path": "line\\nend/new", "content": "n\n"}));
    // What is written like another system's path stays one name.
    bench.done("fs_write", json!({"path": "src\\new.rs", "content": "n\n"}));
    bench.done("fs_write", json!({"path": "as\\new/x", "content": "n\n"}));
    let names = snapshot(&root);
    let expected: [&[u8]; 10] = [
        b"odd\xff/new",
        b"odd\xff/b",
        b"odd\xff/c",
        b"odd\xff/in",
        b"odd\xff/in/deep",
        b"d/p\xff",
        b"line\nend/new",
        b"src\\new.rs",
        b"as\\new",
        b"as\\new/x",
    ];
    for name in expected {
        assert!(names.contains_key(name), "{name:?} {names:#?}");
    }
    assert_eq!(names.len(), expected.len() + 3, "{names:#?}");
}

#[test]
fn files_links_and_trees_are_moved_and_come_back() {
    for (from, to) in [
        ("d/a.txt", "b.txt"),
        ("d/a.txt", "new/folders/b.txt"),
        ("d/link", "link"),
        ("d", "e"),
        ("d", "new/d"),
        ("d/deep", "deep"),
        ("d/hollow", "d/hollow2"),
    ] {
        for copy in [false, true] {
            let mut bench = Bench::new();
            tree(&bench.world);
            let before = snapshot(&bench.world.workspace());
            let arguments = json!({"from": from, "to": to, "copy": copy});
            let plan = bench.plan("fs_move", arguments.clone());
            assert_eq!(plan["tier"], "batch");
            assert_eq!(plan["preview"]["files"][0]["from"], from);
            let data = bench.done("fs_move", arguments);
            assert_eq!((data["from"].as_str(), data["to"].as_str()), (Some(from), Some(to)));
            let after = snapshot(&bench.world.workspace());
            assert_eq!(after.contains_key(from.as_bytes()), copy, "{from} {to}");
            let below = |all: &BTreeMap<Vec<u8>, String>, top: &str| {
                let inside = all.iter().filter(|(name, _)| {
                    name.as_slice() == top.as_bytes() || name.starts_with(format!("{top}/").as_bytes())
                });
                inside.map(|(name, what)| (name[top.len()..].to_vec(), what.clone())).collect::<Vec<_>>()
            };
            assert_eq!(below(&after, to), below(&before, from), "{from} {to}");
            bench.there_and_back(&before);
        }
    }
}

#[test]
fn what_may_not_be_changed_can_be_copied() {
    let mut bench = Bench::new();
    tree(&bench.world);
    let root = bench.world.workspace();
    bench.world.configure(&format!(
        "version = 1\n[[workspace]]\nid = \"app\"\npath = {root:?}\n[[workspace]]\nid = \"kept\"\npath = {:?}\nread_only = true\n",
        root.join("d")
    ));
    bench.port = bench.world.connect();
    bench.port.hello();
    // What a host that was killed left there is not ours to take away.
    let left = "d/.outrigger-01ARZ3NDEKTSV4RRFFQ69G5FAV.tmp";
    bench.world.write(left, "");
    let before = snapshot(&root);
    for (from, to) in [("d/a.txt", "b.txt"), ("d/deep", "e/deep"), ("kept:run.sh", "run.sh")] {
        bench.done("fs_move", json!({"from": from, "to": to, "copy": true}));
    }
    bench.done("fs_move", json!({"from": "d", "to": "all", "copy": true}));
    assert!(root.join(left).exists() && !root.join(left.replacen('d', "all", 1)).exists());
    bench.there_and_back(&before);
    for (from, to, copy) in
        [("d/a.txt", "b.txt", false), ("keep.txt", "d/keep.txt", true), ("d/a.txt", "d/b.txt", true)]
    {
        let arguments = json!({"from": from, "to": to, "copy": copy});
        assert_eq!(bench.code("fs_move", arguments), "protected_path", "{from} {to}");
    }
}

#[test]
fn a_copy_can_be_taken_away_by_its_maker() {
    let mut bench = Bench::new();
    tree(&bench.world);
    mode(&bench.world, "d/deep", 0o555);
    mode(&bench.world, "d", 0o555);
    let before = snapshot(&bench.world.workspace());
    bench.done("fs_move", json!({"from": "d", "to": "e", "copy": true}));
    let after = snapshot(&bench.world.workspace());
    for name in ["e", "e/deep"] {
        assert_eq!(after[name.as_bytes()], "folder 755", "{name}");
    }
    assert_eq!(after[b"e/run.sh".as_slice()], after[b"d/run.sh".as_slice()]);
    bench.there_and_back(&before);
}

/// What has such a name is taken away one day, or given another place: it would be a delete that nobody was asked about.
#[test]
fn names_of_what_is_half_done_are_no_tools() {
    let mut bench = Bench::new();
    bench.world.write("film/cut.raw", "years of work\n");
    let own = [".tmp", ".old"].map(|end| format!(".outrigger-{}{end}", outrigger::ids::new_ulid()));
    for name in own.iter().flat_map(|own| [own.clone(), format!("{own}/x"), format!("film/{own}")]) {
        for (tool, arguments) in [
            ("fs_move", json!({"from": "film/cut.raw", "to": name})),
            ("fs_move", json!({"from": "film/cut.raw", "to": name, "copy": true})),
            ("fs_mkdir", json!({"path": name})),
            ("fs_write", json!({"path": name, "content": "x\n"})),
            ("fs_apply_patch", json!({"patch": format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n")})),
        ] {
            assert_eq!(bench.code(tool, arguments), "invalid_args", "{tool} {name}");
        }
    }
    assert_eq!(names(&bench.world), ["film", "film/cut.raw"]);
}

/// What a killed host left can be taken away, and who takes something from it is told how.
#[test]
fn what_a_killed_change_left_goes_when_it_is_deleted() {
    let mut bench = Bench::new();
    let [file, folder] = [0, 1].map(|_| format!("d/.outrigger-{}.tmp", outrigger::ids::new_ulid()));
    bench.world.write(&file, "half\n");
    bench.world.write(&format!("{folder}/deep/x"), "half\n");
    bench.world.write("d/whole", "whole\n");
    for (tool, arguments) in [
        ("fs_move", json!({"from": file, "to": "x"})),
        ("fs_move", json!({"from": format!("{folder}/deep"), "to": "x"})),
        ("fs_delete", json!({"path": format!("{folder}/deep"), "recursive": true})),
        (
            "fs_edit",
            json!({"path": format!("{folder}/deep/x"), "edits": [{"old_text": "half", "new_text": "x"}]}),
        ),
    ] {
        let (code, message) = bench.refused(tool, arguments);
        assert!(
            code == "invalid_args" && message.contains("`fs_delete` of that name takes it away"),
            "{message}"
        );
    }
    let delete = |bench: &mut Bench, path: &str| {
        let result = bench.port.call_with("fs_delete", json!({"path": path}), meta("t1"));
        let text = |key: &str| result["structuredContent"][key].as_str().unwrap_or_default().to_owned();
        (text("code"), text("message"))
    };
    let (code, message) = delete(&mut bench, &file);
    assert!(code == "not_found" && message.contains("it has been taken away"), "{code} {message}");
    // All that was nobody's in this folder went with it.
    assert_eq!(names(&bench.world), ["d", "d/whole"]);
    assert_eq!(bench.code("fs_delete", json!({"path": file})), "invalid_args");
    // What lives is left alone: whoever makes something holds it.
    bench.world.write(&folder, "half\n");
    let held = std::fs::File::open(bench.world.workspace().join(&folder)).unwrap();
    held.lock().unwrap();
    assert_eq!(bench.code("fs_delete", json!({"path": folder})), "busy");
    assert_eq!(names(&bench.world), ["d".to_owned(), folder.clone(), "d/whole".to_owned()]);
    drop(held);
    assert_eq!(delete(&mut bench, &folder).0, "not_found");
    assert_eq!(names(&bench.world), ["d", "d/whole"]);
}

#[test]
fn a_path_below_more_new_folders_than_anybody_means_is_refused() {
    let mut bench = Bench::new();
    bench.world.write(".editorconfig", "[*]\nend_of_line = crlf\n");
    let deep = |levels: usize| format!("{}f", "x/".repeat(levels));
    for (tool, arguments) in [
        ("fs_write", json!({"path": deep(2000), "content": "x\n"})),
        ("fs_mkdir", json!({"path": deep(101)})),
        ("fs_move", json!({"from": ".editorconfig", "to": deep(101)})),
    ] {
        let (code, message) = bench.refused(tool, arguments);
        assert_eq!(code, "invalid_args", "{message}");
        assert!(message.contains("folders would have to be made for it"), "{message}");
    }
    bench.done("fs_write", json!({"path": deep(100), "content": "x\n"}));
    assert_eq!(bench.world.read(&deep(100)), "x\r\n");
}

#[test]
fn nothing_is_replaced_unless_asked() {
    let mut bench = Bench::new();
    tree(&bench.world);
    let to = |from: &str, to: &str| json!({"from": from, "to": to});
    for copy in [false, true] {
        for (from, to) in
            [("d/a.txt", "keep.txt"), ("d/a.txt", "d/hollow"), ("d", "keep.txt"), ("keep.txt", "d/link")]
        {
            assert_eq!(
                bench.code("fs_move", json!({"from": from, "to": to, "copy": copy})),
                "already_exists"
            );
        }
        let onto = json!({"from": "keep.txt", "to": "d", "copy": copy, "overwrite": true});
        assert_eq!(bench.code("fs_move", onto), "already_exists");
        // Where it was set already, nobody is told to set `overwrite`.
        let link = json!({"from": "keep.txt", "to": "d/link", "copy": copy, "overwrite": true});
        let error = bench.port.call_with("fs_move", link, meta("t1"))["structuredContent"].clone();
        assert_eq!(
            (&error["code"], &error["hint"]),
            (
                &json!("already_exists"),
                &json!("only a file replaces a file: choose another name, or delete it first")
            )
        );
    }
    assert_eq!(bench.code("fs_move", to("d", "d/deep/d")), "invalid_args");
    assert_eq!(bench.code("fs_move", to("keep.txt", "./keep.txt")), "no_change");
    assert_eq!(bench.code("fs_move", to("keep.txt", ".git/config")), "protected_path");
    assert_eq!(bench.code("fs_move", to("keep.txt", ".env")), "blocked_path");
    assert_eq!(bench.code("fs_move", to("keep.txt", "../keep.txt")), "outside_workspace");
    assert_eq!(bench.code("fs_move", to(".", "x")), "protected_path");
    assert_eq!(bench.code("fs_move", to("missing", "x")), "not_found");
    assert_eq!(bench.code("fs_move", to("keep.txt", "d/a.txt/x")), "wrong_type");
    let before = snapshot(&bench.world.workspace());
    for copy in [false, true] {
        let arguments = json!({"from": "d/a.txt", "to": "keep.txt", "copy": copy, "overwrite": true});
        assert_eq!(bench.plan("fs_move", arguments.clone())["tier"], "individual");
        bench.done("fs_move", arguments);
        assert_eq!(bench.world.read("keep.txt"), "one\n");
        assert_eq!(bench.control("undo")["state"], "done");
        assert_eq!(snapshot(&bench.world.workspace()), before);
    }
}

#[test]
fn of_two_names_of_one_file_the_moved_one_goes() {
    for to in ["other.txt", "D/A.txt", "d/A.txt"] {
        let mut bench = Bench::new();
        tree(&bench.world);
        let root = bench.world.workspace();
        fs::create_dir(root.join("D")).unwrap();
        fs::hard_link(root.join("d/a.txt"), root.join(to)).unwrap();
        let before = snapshot(&root);
        let arguments = json!({"from": "d/a.txt", "to": to});
        assert_eq!(bench.code("fs_move", arguments.clone()), "already_exists", "{to}");
        bench.done("fs_move", json!({"from": "d/a.txt", "to": to, "overwrite": true}));
        assert!(!root.join("d/a.txt").exists() && root.join(to).exists(), "{to}");
        bench.there_and_back(&before);
    }
}

#[test]
fn protected_places_and_large_trees_are_asked_for_one_by_one() {
    let mut bench = Bench::new();
    bench.world.write("ci.yml", "on: push\n");
    let plan = bench.plan("fs_move", json!({"from": "ci.yml", "to": ".github/workflows/ci.yml"}));
    assert_eq!(plan["tier"], "individual", "{plan:#}");
    for index in 0..250 {
        bench.world.write(&format!("many/{index}"), "");
    }
    assert_eq!(bench.plan("fs_move", json!({"from": "many", "to": "more"}))["tier"], "individual");
    for index in 0..2000 {
        bench.world.write(&format!("many/x{index}"), "");
    }
    assert_eq!(bench.code("fs_move", json!({"from": "many", "to": "copy", "copy": true})), "too_large");
}

#[test]
fn folders_are_made_and_go_again() {
    let mut bench = Bench::new();
    let before = snapshot(&bench.world.workspace());
    assert_eq!(bench.done("fs_mkdir", json!({"path": "a/b/c"})), json!({"path": "a/b/c", "created": true}));
    assert_eq!(names(&bench.world), ["a", "a/b", "a/b/c"]);
    // Nobody is asked about what is there.
    let there = bench.port.call_with("fs_mkdir", json!({"path": "a/b"}), meta("t1"));
    assert_eq!(there["structuredContent"]["data"], json!({"path": "a/b", "created": false}), "{there:#}");
    bench.there_and_back(&before);
    bench.world.write("file", "");
    assert_eq!(bench.code("fs_mkdir", json!({"path": "file"})), "wrong_type");
    assert_eq!(bench.code("fs_mkdir", json!({"path": ".git/x"})), "protected_path");
}

#[test]
fn a_folder_that_somebody_uses_stays_when_the_call_is_undone() {
    let mut bench = Bench::new();
    bench.done("fs_write", json!({"path": "new/a.txt", "content": "a\n"}));
    bench.world.write("new/mine.txt", "mine\n");
    let undone = bench.control("undo");
    assert_eq!(undone["state"], "done", "{undone:#}");
    assert_eq!(names(&bench.world), ["new", "new/mine.txt"]);
}

#[test]
fn what_was_not_read_does_not_go_where_the_caller_says_what_it_read() {
    let mut bench = Bench::new();
    bench.world.write("a.txt", "one");
    let read = bench.port.call("fs_read", json!({"path": "a.txt"}));
    let etag = read["structuredContent"]["etag"].as_str().unwrap().to_owned();
    bench.world.write("a.txt", "two");
    bench.world.write("d/b.txt", "b");
    let patch = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n";
    for (tool, arguments, code) in [
        ("fs_delete", json!({"path": "a.txt", "base_etag": etag}), "stale"),
        ("fs_delete", json!({"path": "a.txt", "etag": etag}), "stale"),
        ("fs_delete", json!({"path": "d", "recursive": true, "base_etag": etag}), "stale"),
        ("fs_move", json!({"from": "a.txt", "to": "c.txt", "if_match": etag}), "stale"),
        ("fs_apply_patch", json!({"patch": patch, "base_etag": etag}), "invalid_args"),
    ] {
        assert_eq!(bench.code(tool, arguments.clone()), code, "{tool} {arguments}");
    }
    bench.world.write("a.txt", "one");
    bench.done("fs_move", json!({"from": "a.txt", "to": "c.txt", "base_etag": etag}));
    bench.done("fs_delete", json!({"path": "c.txt", "etag": etag}));
    assert_eq!(names(&bench.world), ["d", "d/b.txt"]);
}
