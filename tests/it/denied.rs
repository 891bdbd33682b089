//! What the rules of a client's user deny to a call: kept from every tool, by whatever way it is reached, and from no other call.

use std::process::Command;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::native::{Port, World};

/// Stands in the denied file and nowhere else.
const SECRET: &str = "tungsten";

/// A repository in which the file changes in the last commit, in the index and after it, and has a link and a second name.
fn world() -> World {
    let world = World::new("[tools]\nprofile = \"full\"\n");
    let git = |args: &[&str]| {
        let done = Command::new("git").args(args).current_dir(world.workspace()).output().unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["config", "user.name", "Ann Author"]);
    git(&["config", "user.email", "ann@example.org"]);
    world.write("src/open.txt", "shared word\n");
    world.write("vault/deep/key.txt", "shared word\n");
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "first"]);
    world.write("vault/deep/key.txt", format!("shared word\n{SECRET} one\n"));
    world.write("src/open.txt", "shared word\nopen one\n");
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "second"]);
    world.write("vault/deep/key.txt", format!("shared word\n{SECRET} one\n{SECRET} two\n"));
    world.write("src/open.txt", "shared word\nopen one\nopen two\n");
    git(&["add", "-A"]);
    world.write("vault/deep/key.txt", format!("shared word\n{SECRET} three\n"));
    world.write("src/open.txt", "shared word\nopen three\n");
    std::os::unix::fs::symlink("../vault/deep/key.txt", world.workspace().join("src/link.txt")).unwrap();
    world
}

fn meta(denied: Value) -> Value {
    json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/workspace": "app", "dev.outrigger/denied": denied})
}

/// Every way of a reading tool to come across the file without being told its name, and with it.
fn reads() -> Vec<(&'static str, Value)> {
    vec![
        ("fs_list", json!({"depth": 9})),
        ("fs_list", json!({"path": "vault", "depth": 9})),
        ("fs_list", json!({"path": "src", "depth": 9})),
        ("search_glob", json!({"pattern": "**/*.txt"})),
        ("search_glob", json!({"pattern": "**/key*", "include_ignored": true})),
        ("search_grep", json!({"pattern": "shared|tungsten", "context": 3})),
        ("search_grep", json!({"pattern": SECRET, "path": "vault/deep"})),
        ("search_grep", json!({"pattern": SECRET, "path": "vault/deep/key.txt"})),
        ("search_grep", json!({"pattern": SECRET, "path": "src/link.txt"})),
        ("git_status", json!({})),
        ("git_diff", json!({})),
        ("git_diff", json!({"staged": true})),
        ("git_diff", json!({"from": "HEAD~1"})),
        ("git_diff", json!({"paths": ["vault"]})),
        ("git_show", json!({"rev": "HEAD"})),
        ("git_show", json!({"rev": "HEAD", "path": "vault/deep/key.txt"})),
        ("git_show", json!({"rev": "HEAD", "path": "vault/deep"})),
        ("git_log", json!({"patch": true})),
        ("git_log", json!({"path": "vault/deep/key.txt"})),
        ("git_blame", json!({"path": "vault/deep/key.txt"})),
        ("fs_read", json!({"path": "vault/deep/key.txt"})),
        ("fs_read", json!({"path": "app:vault/deep/key.txt"})),
        ("fs_read", json!({"path": "./vault//deep/../deep/key.txt"})),
        ("fs_read", json!({"path": "src/link.txt"})),
        ("fs_read", json!({"paths": ["src/open.txt", "vault/deep/key.txt"]})),
        ("workspace_info", json!({"detail": true})),
    ]
}

fn quotes(port: &mut Port, tool: &str, arguments: &Value, denied: Value) -> (bool, Value) {
    let answer = port.call_with(tool, arguments.clone(), meta(denied));
    // What is asked about shows its plan: that is for the user's eyes.
    let text = answer.to_string().replace(&arguments["pattern"].to_string(), "");
    (text.contains(SECRET), answer)
}

#[test]
fn no_reading_tool_quotes_what_is_denied_by_whatever_name() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let mut quoted = 0;
    for (tool, arguments) in reads() {
        let (plain, _) = quotes(&mut port, tool, &arguments, json!([]));
        quoted += u32::from(plain);
        for glob in ["vault/**", "vault", "VAULT/deep/*.txt", "**/key.txt", "vault/deep/key.txt"] {
            let (found, answer) = quotes(&mut port, tool, &arguments, json!([{"path": glob}]));
            assert!(!found, "{tool} {arguments} under {glob}: {answer:#}");
        }
    }
    assert!(quoted >= 12, "{quoted} of the calls show the file at all");
}

#[test]
fn no_resource_shows_what_is_denied() {
    let world = world();
    world.write("vault/deep/key.bin", [b"\x7fELF\x02\x01\0", SECRET.as_bytes()].concat());
    let mut port = world.connect();
    port.hello();
    let mut read = |path: &str, denied: Value| {
        let uri = format!("outrigger://app/{path}");
        port.request("resources/read", json!({"uri": uri, "_meta": meta(denied)}))
    };
    for path in
        ["vault/deep/key.txt", "src/link.txt", "VAULT/deep/key.txt", "vault/deep/key.bin", "vault/deep"]
    {
        let open = read(path, json!([]));
        let closed = read(path, json!([{"path": "vault/**"}]));
        let elsewhere = read(path, json!([{"path": "vault/**", "workspace": "other"}]));
        assert_eq!(open["result"], elsewhere["result"], "{path}");
        if path == "vault/deep" {
            assert!(open.to_string().contains("key.txt"), "{open}");
            assert!(!closed.to_string().contains("key.txt"), "{closed}");
        } else {
            assert!(open.get("result").is_some() || path.starts_with('V'), "{open}");
            assert!(closed.get("result").is_none(), "{path}: {closed}");
        }
    }
    let unkept = read("src/open.txt", json!([{"path": "../x"}]));
    assert!(unkept["error"]["message"].as_str().unwrap().contains("cannot be kept"), "{unkept}");
    assert!(read("src/open.txt", json!([{"path": "vault"}])).to_string().contains("open three"));
}

#[test]
fn what_is_open_stays_so_and_the_model_is_told_that_something_is_not() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let denied = json!([{"path": "vault/**"}]);
    let found = port.call_with("search_grep", json!({"pattern": "shared"}), meta(denied.clone()));
    let text = found["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("src/open.txt") && text.contains("rules of the user"), "{text}");
    let refused = port.call_with("fs_read", json!({"path": "vault/deep/key.txt"}), meta(denied.clone()));
    assert_eq!(refused["structuredContent"]["code"], "blocked_path", "{refused:#}");
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("by a rule of the user") && text.contains("vault/**"), "{text}");
    let plain = port.call_with("fs_read", json!({"path": "src/open.txt"}), meta(denied));
    let text = plain["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("open three") && !text.contains("rules of the user"), "{text}");
}

#[test]
fn no_link_tells_the_name_of_what_it_leads_to() {
    let world = World::new("[tools]\nprofile = \"full\"\n[files]\nblocked = [\"projects/tungsten-*\"]\n");
    let git = |args: &[&str]| {
        assert!(crate::world::git_command(&world.workspace()).args(args).status().unwrap().success());
    };
    git(&["init", "-q", "-b", "main"]);
    for path in ["plain.txt", "projects/tungsten-x.txt", "den/tungsten.txt", ".env"] {
        world.write(path, "text\n");
    }
    let root = world.workspace();
    let absolute = root.join("projects/tungsten-x.txt");
    let links = [
        ("lnk", ".env"),
        ("deep/ln", "../projects/./tungsten-x.txt"),
        ("deep/above", "../deep/../den/tungsten.txt"),
        ("gone", "projects/tungsten-gone"),
        ("absolute", absolute.to_str().unwrap()),
        ("way", "den"),
        ("round", "way/tungsten.txt"),
    ];
    std::fs::create_dir(root.join("deep")).unwrap();
    for (name, target) in links {
        std::os::unix::fs::symlink(target, root.join(name)).unwrap();
    }
    std::os::unix::fs::symlink("plain.txt", root.join("open")).unwrap();
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "first"]);
    std::fs::remove_file(root.join("deep/ln")).unwrap();
    std::os::unix::fs::symlink("../projects/tungsten-other", root.join("deep/ln")).unwrap();
    std::fs::remove_file(root.join("open")).unwrap();
    std::os::unix::fs::symlink("./plain.txt", root.join("open")).unwrap();
    let mut port = world.connect();
    port.hello();
    let denied = json!([{"path": "den/**"}]);
    let mut calls = vec![
        ("fs_list", json!({"depth": 9})),
        ("search_glob", json!({"pattern": "**/*", "type": "any", "include_ignored": true})),
        ("git_diff", json!({})),
        ("git_diff", json!({"from": "HEAD"})),
        ("git_show", json!({"rev": "HEAD"})),
        ("git_log", json!({"patch": true})),
        ("git_status", json!({})),
    ];
    for (name, _) in links {
        calls.push(("git_show", json!({"rev": "HEAD", "path": name})));
    }
    let mut said = String::new();
    for (tool, arguments) in calls {
        let (found, answer) = quotes(&mut port, tool, &arguments, denied.clone());
        assert!(!found, "{tool} {arguments}: {answer:#}");
        said.push_str(answer["content"][0]["text"].as_str().unwrap());
    }
    for shown in [
        "lnk -> (blocked)\n",
        "ln -> (blocked)\n",
        "open -> ./plain.txt\n",
        "(not shown: it is a link to what is blocked)",
        "+./plain.txt",
        "a link to what is blocked",
    ] {
        assert!(said.contains(shown), "{shown}: {said}");
    }
    let listed = port.call_with("fs_list", json!({}), meta(denied));
    let entries = listed["structuredContent"]["data"]["entries"].as_array().unwrap();
    let link = |name: &str| &entries.iter().find(|entry| entry["path"] == name).unwrap()["link"];
    assert_eq!(*link("lnk"), json!({"inside": true}));
    assert_eq!(*link("open"), json!({"target": "./plain.txt", "inside": true}));
}

#[test]
fn a_rule_for_another_workspace_hides_nothing_here() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let read = json!({"path": "vault/deep/key.txt"});
    assert!(quotes(&mut port, "fs_read", &read, json!([{"path": "vault/**", "workspace": "other"}])).0);
    assert!(!quotes(&mut port, "fs_read", &read, json!([{"path": "vault/**", "workspace": "app"}])).0);
    assert!(quotes(&mut port, "fs_read", &read, json!([])).0);
}

#[test]
fn nothing_is_written_moved_or_committed_there_either() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let denied = json!([{"path": "vault/**"}]);
    for (tool, arguments) in [
        ("fs_write", json!({"path": "vault/new.txt", "content": "x"})),
        ("fs_edit", json!({"path": "src/link.txt", "edits": [{"old_text": "word", "new_text": "x"}]})),
        ("fs_delete", json!({"path": "vault", "recursive": true})),
        ("fs_move", json!({"from": "vault", "to": "open"})),
        ("git_commit", json!({"message": "all"})),
    ] {
        let refused = port.call_with(tool, arguments, meta(denied.clone()));
        assert_eq!(refused["structuredContent"]["code"], "blocked_path", "{tool}: {refused:#}");
    }
    assert!(world.read("vault/deep/key.txt").contains(SECRET));
}

#[test]
fn a_list_that_cannot_be_kept_fails_the_call() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let refused = port.call_with("fs_list", json!({}), meta(json!([{"path": "{a"}])));
    assert_eq!(refused["structuredContent"]["code"], "invalid_args", "{refused:#}");
    for wrong in [json!("vault"), json!([["vault"]]), json!([{"glob": "vault"}]), json!([{"path": 1}])] {
        let params = json!({"name": "fs_list", "arguments": {}, "_meta": meta(wrong)});
        let answer = port.request("tools/call", params);
        assert_eq!(answer["error"]["code"], -32602, "{answer:#}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// One of a few files is denied by its own path among other globs: no sweep names a line of it.
    #[test]
    fn whatever_else_is_denied_the_file_stays_hidden(
        file in prop::sample::select(vec!["a.txt", "d/a.txt", "d/e/b.txt", "D2/c d.txt", "ä/ß.txt"]),
        others in prop::collection::vec(prop::sample::select(vec!["d/*", "*.md", "x/**", "**/b.txt", "{a,b}.txt"]), 0..4),
        place in 0usize..4,
    ) {
        let world = World::new("");
        for path in ["a.txt", "d/a.txt", "d/e/b.txt", "D2/c d.txt", "ä/ß.txt"] {
            world.write(path, if path == file { format!("{SECRET}\n") } else { "open\n".to_owned() });
        }
        let mut globs: Vec<Value> = others.iter().map(|glob| json!({"path": glob})).collect();
        globs.insert(place.min(globs.len()), json!({"path": file}));
        let mut port = world.connect();
        port.hello();
        for (tool, arguments) in [
            ("search_grep", json!({"pattern": "t.ngsten|open"})),
            ("fs_read", json!({"path": file})),
        ] {
            let (found, answer) = quotes(&mut port, tool, &arguments, json!(globs));
            prop_assert!(!found, "{} {:#}", tool, answer);
        }
    }
}

/// A workspace in another one, and a file of it, by all its names.
#[test]
fn a_denied_path_is_closed_in_a_workspace_around_it_and_in_one_inside() {
    let world = World::new("");
    let root = world.workspace();
    std::fs::create_dir_all(root.join("inner")).unwrap();
    world.configure(&format!(
        "version = 1\n[tools]\nprofile = \"full\"\n[[workspace]]\nid = \"app\"\npath = {root:?}\n[[workspace]]\nid = \"inner\"\npath \
         = {:?}\n",
        root.join("inner")
    ));
    world.write("inner/key.txt", format!("{SECRET}\n"));
    world.write("inner/open.txt", "open\n");
    let mut port = world.connect();
    port.hello();
    for denied in [
        json!([{"path": "key.txt", "workspace": "inner"}]),
        json!([{"path": "inner/key.txt", "workspace": "app"}]),
        json!([{"path": "key.txt"}]),
    ] {
        for (tool, arguments) in [
            ("fs_read", json!({"path": "inner/key.txt"})),
            ("fs_read", json!({"path": "inner:key.txt"})),
            ("fs_read", json!({"path": root.join("inner/key.txt")})),
            ("search_grep", json!({"pattern": "tungs.en"})),
            ("search_grep", json!({"pattern": "tungs.en", "path": "inner:"})),
        ] {
            let (open, _) = quotes(&mut port, tool, &arguments, json!([]));
            assert!(open, "{tool} {arguments}");
            let (found, answer) = quotes(&mut port, tool, &arguments, denied.clone());
            assert!(!found, "{tool} {arguments} under {denied}: {answer:#}");
            let text = answer["content"][0]["text"].as_str().unwrap();
            assert!(text.contains("rule of the user") || text.contains("rules of the user"), "{text}");
        }
        let open = port.call_with("fs_read", json!({"path": "inner/open.txt"}), meta(denied.clone()));
        assert_eq!(open["structuredContent"]["ok"], true, "{open:#}");
    }
}
