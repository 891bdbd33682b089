//! Repositories that try to run something, or to reach outside: each with a canary that must not appear.

use std::process::Command;

use outrigger::tools::Code;
use serde_json::json;

use crate::world::{World, git_command};

/// A repository with a staged and an unstaged change, before the trap is set.
fn victim() -> World {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.git(&["config", "user.name", "Ann"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    world.write("a.txt", "a\n");
    world.write("b.txt", "b\n");
    world.write("c.dat", "c\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world.write("a.txt", "changed\n");
    world.write("b.txt", "staged\n");
    world.git(&["add", "b.txt"]);
    world.write("c.dat", "changed too\n");
    world
}

/// A program that leaves a canary outside.
fn trap(world: &World, name: &str) -> String {
    let path =
        world.write(name, format!("#!/bin/sh\ntouch '{}'\ncat\n", world.outside().join("canary").display()));
    executable(&path);
    path.display().to_string()
}

#[cfg(unix)]
fn executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Every git tool, whatever it answers; the canary must not be there afterwards.
fn use_every_tool(world: &World) -> Vec<(String, Option<Code>)> {
    let mut answers = Vec::new();
    for (tool, arguments) in [
        ("git_status", json!({"branches": true})),
        ("git_diff", json!({})),
        ("git_diff", json!({"staged": true})),
        ("git_diff", json!({"from": "HEAD"})),
        ("git_diff", json!({"from": "HEAD", "to": "HEAD"})),
        ("git_log", json!({"patch": true})),
        (
            "git_log",
            json!({"path": "a.txt", "pickaxe": "a", "grep": "first", "author": "Ann", "since": "1 week ago"}),
        ),
        ("git_show", json!({"rev": "HEAD"})),
        ("git_show", json!({"rev": "HEAD", "path": "c.dat"})),
        ("git_blame", json!({"path": "a.txt"})),
        ("git_blame", json!({"path": "b.txt", "rev": "HEAD"})),
        ("git_add", json!({"paths": ["a.txt"]})),
        ("git_add", json!({"paths": ["."]})),
        ("git_add", json!({"paths": ["a.txt"], "unstage": true})),
        ("git_commit", json!({"message": "m", "paths": ["a.txt"]})),
        ("git_commit", json!({"message": "m"})),
        ("git_restore", json!({"paths": ["a.txt"]})),
        ("git_restore", json!({"paths": ["c.dat"], "source": "HEAD"})),
        ("git_switch", json!({"branch": "made", "create": true, "base": "HEAD"})),
        ("git_switch", json!({"branch": "topic"})),
    ] {
        let result = world.tool(tool, arguments.clone());
        answers.push((format!("{tool} {arguments}"), result.err().map(|error| error.code)));
        assert!(!world.outside().join("canary").exists(), "{tool} {arguments} ran the repository's program");
    }
    answers
}

fn assert_works(world: &World) {
    for (call, failure) in use_every_tool(world) {
        assert!(matches!(failure, None | Some(Code::NothingToCommit)), "{call}: {failure:?}");
    }
}

fn assert_all_refused(world: &World, code: Code) {
    for (call, failure) in use_every_tool(world) {
        assert_eq!(failure, Some(code), "{call}");
    }
}

#[test]
fn the_trap_snaps_for_plain_git() {
    // Otherwise the tests below would prove nothing.
    let world = victim();
    let program = trap(&world, ".git/trap");
    world.git(&["config", "core.fsmonitor", &program]);
    world.git(&["status"]);
    assert!(world.outside().join("canary").exists());
}

#[test]
fn configured_programs_never_run() {
    type Settings<'a> = &'a [(&'a str, &'a str)];
    let cases: &[(Settings<'_>, &str)] = &[
        (&[("core.fsmonitor", "TRAP")], ""),
        (&[("diff.external", "TRAP")], ""),
        (&[("diff.x.command", "TRAP"), ("diff.x.textconv", "TRAP")], "* diff=x\n"),
        (
            &[
                ("core.pager", "TRAP"),
                ("core.editor", "TRAP"),
                ("sequence.editor", "TRAP"),
                ("core.askPass", "TRAP"),
            ],
            "",
        ),
        (&[("gpg.program", "TRAP"), ("commit.gpgsign", "true"), ("user.signingkey", "x")], ""),
        (&[("core.sshCommand", "TRAP"), ("credential.helper", "TRAP")], ""),
        (&[("merge.x.driver", "TRAP")], "* merge=x\n"),
        (&[("alias.status", "!TRAP"), ("core.gitProxy", "TRAP"), ("trailer.x.command", "TRAP")], ""),
    ];
    for (settings, attributes) in cases {
        let world = victim();
        let program = trap(&world, ".git/trap");
        for (key, value) in *settings {
            world.git(&["config", key, &value.replace("TRAP", &program)]);
        }
        if !attributes.is_empty() {
            world.write(".gitattributes", attributes);
        }
        assert_works(&world);
    }
}

#[test]
fn filters_never_run_and_stage_nothing_wrong() {
    for key in ["clean", "smudge", "process"] {
        for place in [".gitattributes", ".git/info/attributes"] {
            let world = victim();
            let program = trap(&world, ".git/trap");
            world.git(&["config", &format!("filter.x.{key}"), &program]);
            world.git(&["config", "filter.x.required", "true"]);
            world.write(place, "*.dat filter=x\n");
            // Of the same size as before: only its content, through the filter, tells whether it changed.
            world.write("c.dat", "d\n");
            for (call, failure) in use_every_tool(&world) {
                let staging_all = call.starts_with("git_add") && call.contains("\".\"");
                let filtered = staging_all || call.contains("c.dat") && call.starts_with("git_restore");
                let expected = if filtered { Some(Code::UnsupportedHere) } else { None };
                assert!(failure == expected || failure == Some(Code::NothingToCommit), "{call}: {failure:?}");
            }
        }
    }
}

#[test]
fn hooks_never_run() {
    for hook in [
        "post-index-change",
        "pre-commit",
        "commit-msg",
        "prepare-commit-msg",
        "post-commit",
        "reference-transaction",
        "fsmonitor-watchman",
        "pre-auto-gc",
    ] {
        let world = victim();
        trap(&world, &format!(".git/hooks/{hook}"));
        use_every_tool(&world);
        let world = victim();
        trap(&world, &format!("hooks/{hook}"));
        world.git(&["config", "core.hooksPath", "hooks"]);
        use_every_tool(&world);
    }
}

#[test]
fn settings_of_work_trees_and_includes_never_run() {
    let world = victim();
    let program = trap(&world, ".git/trap");
    world.git(&["config", "extensions.worktreeConfig", "true"]);
    world.git(&["config", "--worktree", "core.fsmonitor", &program]);
    assert_works(&world);
    let world = victim();
    let program = trap(&world, ".git/trap");
    world.write(".git/more", format!("[core]\n\tfsmonitor = {program}\n"));
    world.git(&["config", "include.path", "more"]);
    assert_all_refused(&world, Code::UnsupportedHere);
}

#[test]
fn submodules_are_left_alone() {
    let world = victim();
    let inner = world.root().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let git = |args: &[&str]| assert!(git_command(&inner).args(args).status().unwrap().success());
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "inner"]);
    world.git(&["add", "inner"]);
    world.git(&["commit", "-qm", "with a submodule", "inner"]);
    let program = trap(&world, "inner/.git/trap");
    git(&["config", "core.fsmonitor", &program]);
    std::fs::write(inner.join("dirty"), "x").unwrap();
    assert_works(&world);
    // A path in it belongs to it, not to the repository around it.
    let error = world.tool("git_add", json!({"paths": ["a.txt", "inner/dirty"]})).unwrap_err();
    assert_eq!(error.code, Code::InvalidArgs, "{error}");
}

/// A repository outside with a secret in it.
fn secret_repository(world: &World) -> std::path::PathBuf {
    let secret = world.outside().join("secret");
    std::fs::create_dir(&secret).unwrap();
    std::fs::write(secret.join("secret.txt"), "the secret\n").unwrap();
    for args in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "secret"]] {
        assert!(git_command(&secret).args(args).status().unwrap().success());
    }
    secret
}

#[test]
#[cfg(unix)]
fn nothing_outside_is_read_or_written() {
    use std::os::unix::fs::symlink;
    type Trap<'a> = &'a dyn Fn(&World, &std::path::Path);
    let cases: &[(&str, Code, Trap<'_>)] = &[
        ("core.worktree", Code::OutsideWorkspace, &|world, secret| {
            world.git(&["config", "core.worktree", secret.to_str().unwrap()]);
        }),
        (".git link", Code::OutsideWorkspace, &|world, secret| {
            std::fs::remove_dir_all(world.root().join(".git")).unwrap();
            symlink(secret.join(".git"), world.root().join(".git")).unwrap();
        }),
        (".git file", Code::UnsupportedHere, &|world, secret| {
            std::fs::remove_dir_all(world.root().join(".git")).unwrap();
            world.write(".git", format!("gitdir: {}\n", secret.join(".git").display()));
        }),
        ("alternates", Code::OutsideWorkspace, &|world, secret| {
            world.write(
                ".git/objects/info/alternates",
                format!("{}\n", secret.join(".git/objects").display()),
            );
        }),
        ("commondir", Code::OutsideWorkspace, &|world, secret| {
            world.write(".git/commondir", format!("{}\n", secret.join(".git").display()));
        }),
        ("objects link", Code::OutsideWorkspace, &|world, secret| {
            std::fs::remove_dir_all(world.root().join(".git/objects")).unwrap();
            symlink(secret.join(".git/objects"), world.root().join(".git/objects")).unwrap();
        }),
        ("refs link", Code::OutsideWorkspace, &|world, secret| {
            std::fs::remove_dir_all(world.root().join(".git/refs/heads")).unwrap();
            symlink(secret, world.root().join(".git/refs/heads")).unwrap();
        }),
        ("index link", Code::OutsideWorkspace, &|world, secret| {
            std::fs::remove_file(world.root().join(".git/index")).unwrap();
            symlink(secret.join(".git/index"), world.root().join(".git/index")).unwrap();
        }),
        ("reflog link", Code::OutsideWorkspace, &|world, secret| {
            std::fs::remove_file(world.root().join(".git/logs/HEAD")).unwrap();
            symlink(secret.join("secret.txt"), world.root().join(".git/logs/HEAD")).unwrap();
        }),
        ("config FIFO", Code::OutsideWorkspace, &|world, _| {
            std::fs::remove_file(world.root().join(".git/config")).unwrap();
            assert!(Command::new("mkfifo").arg(world.root().join(".git/config")).status().unwrap().success());
        }),
        ("exclude FIFO", Code::OutsideWorkspace, &|world, _| {
            let _ = std::fs::remove_file(world.root().join(".git/info/exclude"));
            std::fs::create_dir_all(world.root().join(".git/info")).unwrap();
            assert!(
                Command::new("mkfifo")
                    .arg(world.root().join(".git/info/exclude"))
                    .status()
                    .unwrap()
                    .success()
            );
        }),
    ];
    for (name, code, set) in cases {
        let world = victim();
        let secret = secret_repository(&world);
        let before = fingerprint(&secret);
        set(&world, &secret);
        for (call, failure) in use_every_tool(&world) {
            assert_eq!(failure, Some(*code), "{name}: {call}");
        }
        assert_eq!(fingerprint(&secret), before, "{name}");
    }
}

/// All files below a folder and their contents.
fn fingerprint(folder: &std::path::Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(here) = waiting.pop() {
        for entry in std::fs::read_dir(here).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                found.push((path.clone(), std::fs::read(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn what_cannot_be_done_right_is_refused() {
    let world = victim();
    world.git(&["update-index", "--split-index"]);
    assert_all_refused(&world, Code::UnsupportedHere);
    let world = victim();
    world.git(&["config", "extensions.partialClone", "origin"]);
    assert_all_refused(&world, Code::UnsupportedHere);
    let world = victim();
    world.git(&["config", "remote.origin.promisor", "true"]);
    assert_all_refused(&world, Code::UnsupportedHere);
    for kind in [["--object-format=sha256"], ["--ref-format=reftable"]] {
        let world = World::new();
        world.git(&[&["init", "-q"], &kind[..]].concat());
        world.write("a.txt", "a\n");
        assert_all_refused(&world, Code::UnsupportedHere);
    }
    let world = victim();
    world.write("deep/er/x.txt", "x\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "all"]);
    world.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "nothing"]);
    assert_all_refused(&world, Code::UnsupportedHere);
}

#[test]
fn a_locked_index_is_busy() {
    let world = victim();
    world.write(".git/index.lock", "");
    let error = world.tool("git_add", json!({"paths": ["a.txt"]})).unwrap_err();
    assert_eq!(error.code, Code::Busy);
    assert!(error.retryable);
}

#[test]
#[cfg(unix)]
fn a_fifo_for_attributes_blocks_nobody_for_ever() {
    let world = victim();
    assert!(Command::new("mkfifo").arg(world.root().join(".gitattributes")).status().unwrap().success());
    let cancel = world.call.cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        cancel.cancel();
    });
    let error = world.tool("git_status", json!({})).map(|_| ()).err();
    assert!(matches!(error.map(|error| error.code), None | Some(Code::Cancelled | Code::UnsupportedHere)));
}
