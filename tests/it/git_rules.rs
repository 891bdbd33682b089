//! Rule files wherever git reads them from: gone from the work tree, and executable, as all files are where the file system knows no
//! difference.

use std::{fs::Permissions, os::unix::fs::PermissionsExt as _};

use outrigger::tools::Code;
use serde_json::{Value, json};

use crate::{git_status::assert_same, world::World};

const MODES: [u32; 2] = [0o644, 0o755];
const LATIN: &str = "*.txt text working-tree-encoding=latin1\n";
const CRLF: &str = "*.txt text eol=crlf\n";

fn write(world: &World, path: &str, content: impl AsRef<[u8]>, mode: u32) {
    let path = world.write(path, content);
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// A repository whose rules have the mode, for files of such content.
fn repository(rules: (&str, &str, u32), content: &[u8]) -> World {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    world.git(&["config", "user.name", "Ann"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    let (path, text, mode) = rules;
    write(&world, path, text, mode);
    for name in ["s/b.txt", "z.txt"] {
        world.write(name, content);
    }
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world
}

fn remove(world: &World, path: &str) {
    std::fs::remove_file(world.root().join(path)).unwrap();
}

/// Gives a file another time, so that it is looked into.
fn touch(world: &World, path: &str) {
    let file = std::fs::File::options().write(true).open(world.root().join(path)).unwrap();
    file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(7)).unwrap();
}

fn files(reply: &outrigger::tools::Reply<Value>) -> Vec<&str> {
    reply.data["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect()
}

#[test]
fn rules_that_are_gone_from_the_work_tree_count_whatever_their_mode() {
    for mode in MODES {
        for (rules, text, content) in [
            (".gitattributes", LATIN, &b"n\xe9\n"[..]),
            (".gitattributes", CRLF, b"a\r\nb\r\n"),
            ("s/.gitattributes", CRLF, b"a\r\nb\r\n"),
        ] {
            let [ours, theirs] = [(); 2].map(|()| repository((rules, text, mode), content));
            for world in [&ours, &theirs] {
                touch(world, "s/b.txt");
                remove(world, rules);
            }
            assert_same(&ours);
            let diff = ours.tool("git_diff", json!({})).unwrap();
            assert!(files(&diff).contains(&rules), "{mode:o} {rules}: {}", diff.text);
            let deleted = format!("deleted file mode 100{mode:o}");
            assert!(diff.text.contains(&deleted), "{mode:o} {rules}: {}", diff.text);
            assert!(!files(&diff).contains(&"s/b.txt"), "{mode:o} {rules}: {}", diff.text);
            for world in [&ours, &theirs] {
                world.write("s/b.txt", [content, content].concat());
            }
            ours.tool("git_add", json!({"paths": ["s/b.txt"]})).unwrap();
            theirs.git(&["add", "s/b.txt"]);
            assert_eq!(ours.git(&["ls-files", "-s"]), theirs.git(&["ls-files", "-s"]), "{mode:o} {rules}");
            for world in [&ours, &theirs] {
                world.write("s/b.txt", [content, content, content].concat());
            }
            ours.tool("git_commit", json!({"paths": ["s/b.txt"], "message": "m"})).unwrap();
            theirs.git(&["commit", "-qm", "m", "--", "s/b.txt"]);
            assert_eq!(ours.git(&["ls-files", "-s"]), theirs.git(&["ls-files", "-s"]), "{mode:o} {rules}");
            assert_same(&ours);
        }
    }
}

#[test]
fn executable_rules_are_compared_like_other_files() {
    let change = |how: &dyn Fn(&World)| {
        let world = repository((".gitattributes", CRLF, 0o755), b"a\r\n");
        how(&world);
        assert_same(&world);
        let diff = world.tool("git_diff", json!({})).unwrap();
        let theirs = world.git(&["diff"]);
        assert!(diff.text.ends_with(&theirs), "{}\n{theirs}", diff.text);
    };
    change(&|_| {});
    change(&|world| write(world, ".gitattributes", "*.txt text\n", 0o755));
    change(&|world| write(world, ".gitattributes", CRLF, 0o644));
    change(&|world| touch(world, ".gitattributes"));
    change(&|world| {
        world.git(&["update-index", "--assume-unchanged", ".gitattributes"]);
        remove(world, ".gitattributes");
        touch(world, "z.txt");
    });
    change(&|world| {
        world.git(&["update-index", "--skip-worktree", ".gitattributes"]);
        remove(world, ".gitattributes");
        touch(world, "z.txt");
    });
    change(&|world| {
        write(world, "s/.gitattributes", "*.c text\n", 0o755);
        world.git(&["add", "-N", "s/.gitattributes"]);
    });
    // A link is no rule file for anybody; what it would say is not asked.
    let world = repository((".gitattributes", CRLF, 0o755), b"a\r\n");
    remove(&world, ".gitattributes");
    std::os::unix::fs::symlink("z.txt", world.root().join(".gitattributes")).unwrap();
    assert_same(&world);
}

#[test]
fn files_come_by_executable_rules_as_by_others() {
    for mode in MODES {
        for (text, content) in [(CRLF, &b"a\r\nb\r\n"[..]), (LATIN, b"n\xe9\n")] {
            let world = World::new();
            world.git(&["init", "-q", "-b", "main"]);
            world.write("z", "z");
            world.git(&["add", "-A"]);
            world.git(&["commit", "-qm", "first"]);
            world.git(&["switch", "-qc", "two"]);
            write(&world, ".gitattributes", text, mode);
            world.write("f.txt", content);
            world.git(&["add", "-A"]);
            world.git(&["commit", "-qm", "second"]);
            world.git(&["switch", "-q", "main"]);
            let file = || std::fs::read(world.root().join("f.txt")).unwrap();
            world.tool("git_switch", json!({"branch": "two"})).unwrap();
            assert_eq!(file(), content, "{mode:o}");
            for restored in [json!(["f.txt"]), json!(["."])] {
                remove(&world, "f.txt");
                remove(&world, ".gitattributes");
                world.tool("git_restore", json!({"paths": restored})).unwrap();
                assert_eq!(file(), content, "{mode:o} {restored}");
                world.git(&["restore", "."]);
            }
            assert_eq!(world.git(&["status", "--porcelain"]), "", "{mode:o}");
        }
    }
}

#[test]
fn what_is_ignored_is_read_from_the_index_where_the_work_tree_has_not_to_have_it() {
    for mode in MODES {
        let world = World::new();
        world.git(&["init", "-q", "-b", "main"]);
        write(&world, ".gitignore", "*.log\n", mode);
        write(&world, "s/.gitignore", "*.tmp\n/own/\n", mode);
        world.write("s/a", "a");
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "first"]);
        world.git(&["update-index", "--skip-worktree", ".gitignore", "s/.gitignore"]);
        remove(&world, ".gitignore");
        remove(&world, "s/.gitignore");
        for path in ["x.log", "s/y.tmp", "s/z", "new/x.log", "s/own/a"] {
            world.write(path, "");
        }
        assert_same(&world);
        assert!(world.tool("git_add", json!({"paths": ["s/own"]})).is_err(), "{mode:o}");
        world.tool("git_add", json!({"paths": ["."]})).unwrap();
        assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "s/z\n", "{mode:o}");
    }
}

/// What was shown is what is written, also where the rules that made it go by the same call.
#[test]
fn a_restore_that_takes_the_rules_away_is_made_whole() {
    let world = repository(("a.md", "one\n", 0o644), b"a\nb\n");
    world.write(".gitattributes", CRLF);
    world.write("s/.gitattributes", CRLF);
    for name in ["s/b.txt", "z.txt"] {
        world.write(name, "changed\n");
    }
    world.git(&["add", "-A"]);
    world.tool("git_restore", json!({"paths": ["."], "source": "HEAD"})).unwrap();
    assert!(!world.root().join(".gitattributes").exists() && !world.root().join("s/.gitattributes").exists());
    for name in ["s/b.txt", "z.txt"] {
        let text = std::fs::read_to_string(world.root().join(name)).unwrap().replace('\r', "");
        assert_eq!(text, "a\nb\n", "{name}");
    }
}

/// A file that is all zeros and takes no room.
fn grow(world: &World, path: &str, size: u64) {
    let path = world.root().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::File::options().create(true).append(true).open(path).unwrap().set_len(size).unwrap();
}

#[test]
fn rules_that_would_take_all_memory_are_refused_by_name() {
    for path in [
        ".gitignore",
        ".gitattributes",
        ".gitmodules",
        ".git/info/exclude",
        ".git/info/attributes",
        "s/.gitattributes",
        "s/.gitignore",
        "untracked/.gitignore",
        ".git/packed-refs",
        ".git/HEAD",
        ".git/refs/heads/other",
    ] {
        let world = repository((".gitattributes", CRLF, 0o644), b"a\r\n");
        world.write("untracked/file", "u\n");
        touch(&world, "s/b.txt");
        grow(&world, path, if path.ends_with("packed-refs") { 257 << 20 } else { 65 << 20 });
        for (tool, arguments) in [
            ("git_status", json!({})),
            ("git_diff", json!({})),
            ("git_add", json!({"paths": ["."]})),
            ("git_add", json!({"paths": ["s"]})),
        ] {
            // What git_diff compares has no untracked files among it.
            if tool == "git_diff" && path.ends_with("/.gitignore") {
                continue;
            }
            let error = world.tool(tool, arguments).unwrap_err();
            assert_eq!(error.code, Code::TooLarge, "{path} {tool}: {error}");
            assert!(error.message.contains(&format!("`{path}` ")), "{path} {tool}: {error}");
        }
    }
}

#[test]
fn what_counts_is_what_rules_become() {
    let world = repository((".gitattributes", CRLF, 0o644), b"a\r\n");
    world.write("s/.gitignore", format!("# {}\n*.o\n", "x".repeat(2 << 20)));
    world.write("s/c.o", "ignored\n");
    let untracked = || world.tool("git_status", json!({})).unwrap().data["untracked"].clone();
    assert_eq!(untracked()[0]["path"], json!("s/.gitignore"));
    assert!(untracked()[1].is_null());
    world.write("s/.gitignore", "a\n".repeat(1 << 20));
    let error = world.tool("git_status", json!({})).unwrap_err();
    assert!(error.code == Code::TooLarge && error.message.contains("`s/.gitignore`"), "{error}");
    // Nobody reads the rules of a folder that is ignored.
    world.write("s/.gitignore", "*\n");
    grow(&world, "s/deep/.gitignore", 64 << 20);
    assert_eq!(untracked(), json!([]));
    remove(&world, "s/deep/.gitignore");
    // The work tree has none: those of the index count.
    grow(&world, "s/.gitattributes", 17 << 20);
    world.git(&["add", "-f", "s/.gitattributes"]);
    remove(&world, "s/.gitattributes");
    for tool in ["git_status", "git_restore"] {
        let arguments = if tool == "git_restore" { json!({"paths": ["s/b.txt"]}) } else { json!({}) };
        touch(&world, "s/b.txt");
        world.write("s/b.txt", "changed\r\n");
        let error = world.tool(tool, arguments).unwrap_err();
        assert!(
            error.code == Code::TooLarge && error.message.contains("`s/.gitattributes`"),
            "{tool}: {error}"
        );
    }
}

#[test]
fn rules_of_folders_in_each_other_count_together() {
    let refused = |world: &World, what: &str, named: &str| {
        let error = world.tool("git_status", json!({})).unwrap_err();
        assert_eq!(error.code, Code::TooLarge, "{what}: {error}");
        let told = format!("`{named}` and those in the folders above it have ");
        assert!(error.message.contains(&told) && error.message.contains("together"), "{what}: {error}");
    };
    for name in [".gitattributes", ".gitignore"] {
        let world = repository((".gitattributes", CRLF, 0o644), b"a\r\n");
        let rules = |folder: &str| format!("u/{folder}{name}");
        world.write("u/v/f", "f\n");
        world.git(&["add", "u/v/f"]);
        // However many there are beside each other, and whatever they say that is no rule.
        let (many, long) = ("a b\n".repeat(140 << 10), format!("# {}\n", "x".repeat(900 << 10)));
        world.write("w/f", "f\n");
        world.write(&format!("w/{name}"), &many);
        world.write(&rules(""), &long);
        world.write(&rules("v/"), &many);
        world.tool("git_status", json!({})).unwrap();
        world.write(&rules(""), &many);
        refused(&world, name, &rules("v/"));
        for place in ["", "v/"].map(rules) {
            remove(&world, &place);
            grow(&world, &place, 9 << 20);
        }
        refused(&world, name, &rules("v/"));
        // Those that the index has and the work tree has not.
        for place in ["", "v/"].map(rules) {
            world.write(&place, &many);
            world.git(&["add", "-f", &place]);
            remove(&world, &place);
        }
        refused(&world, name, &rules("v/"));
    }
}
