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
        // Signatures that are checked by a program, and pagers of single commands.
        (&[("log.showSignature", "true"), ("gpg.program", "TRAP"), ("gpg.ssh.program", "TRAP")], ""),
        (&[("pager.log", "TRAP"), ("pager.show", "TRAP"), ("interactive.diffFilter", "TRAP")], ""),
        (&[("core.alternateRefsCommand", "TRAP"), ("uploadpack.packObjectsHook", "TRAP")], ""),
        (&[("diff.x.textconv", "TRAP"), ("diff.x.cachetextconv", "true")], "*.txt diff=x\n"),
        (&[("core.fsmonitor", "TRAP"), ("core.untrackedCache", "true")], ""),
        (
            &[
                ("submodule.x.update", "!TRAP"),
                ("submodule.recurse", "true"),
                ("status.submoduleSummary", "true"),
            ],
            "",
        ),
        (
            &[("merge.x.driver", "TRAP"), ("mergetool.x.cmd", "TRAP"), ("difftool.x.cmd", "TRAP")],
            "* merge=x\n",
        ),
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
    // git leaves the shared part lying when the index is whole again.
    world.git(&["update-index", "--no-split-index"]);
    let left = std::fs::read_dir(world.root().join(".git")).unwrap();
    assert!(
        left.map(|entry| entry.unwrap().file_name()).any(|name| name.to_str().unwrap().starts_with("shared"))
    );
    assert_works(&world);
    let world = victim();
    world.git(&["config", "extensions.partialClone", "origin"]);
    assert_all_refused(&world, Code::UnsupportedHere);
    let world = victim();
    world.git(&["config", "remote.origin.promisor", "true"]);
    assert_all_refused(&world, Code::UnsupportedHere);
    for kind in [["--object-format=sha256"], ["--ref-format=reftable"]] {
        let world = World::new();
        // A git that does not know the option gets a repository that says so itself.
        if !world.git_output(&[&["init", "-q"], &kind[..]].concat()).status.success() {
            world.git(&["init", "-q"]);
            world.git(&["config", "extensions.refStorage", "reftable"]);
            world.git(&["config", "core.repositoryformatversion", "1"]);
        }
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

#[test]
fn every_way_to_include_another_configuration_is_refused() {
    for key in ["includeIf.gitdir:/**.path", "includeIf.onbranch:topic.path", "include.path"] {
        let world = victim();
        let program = trap(&world, ".git/trap");
        world.write(".git/more", format!("[core]\n\tfsmonitor = {program}\n"));
        world.git(&["config", key, "more"]);
        assert_all_refused(&world, Code::UnsupportedHere);
        assert!(!world.outside().join("canary").exists());
    }
}

/// Writes an object as it is, however wrong.
fn object(world: &World, kind: &str, bytes: &[u8]) -> String {
    use std::io::Write as _;
    let mut child = git_command(&world.root())
        .args(["hash-object", "-w", "--literally", "-t", kind, "--stdin"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A tree with these entries, as it is.
fn raw_tree(world: &World, entries: &[(&str, &[u8], &str)]) -> String {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend_from_slice(format!("{mode} ").as_bytes());
        bytes.extend_from_slice(name);
        bytes.push(0);
        for pair in id.as_bytes().chunks(2) {
            bytes.push(u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap());
        }
    }
    object(world, "tree", &bytes)
}

#[test]
#[cfg(unix)]
fn no_tree_of_a_commit_is_written_outside_or_into_gits_own_folder() {
    let evil = |world: &World, blob: &str, shape: usize| {
        let file = |name: &[u8]| raw_tree(world, &[("100755", name, blob)]);
        let link = object(world, "blob", world.outside().to_str().unwrap().as_bytes());
        match shape {
            0 => raw_tree(world, &[("40000", b".git", &file(b"canary"))]),
            1 => raw_tree(world, &[("40000", b".GIT", &file(b"canary"))]),
            2 => raw_tree(world, &[("40000", b"..", &file(b"canary"))]),
            3 => raw_tree(world, &[("40000", b"a", &raw_tree(world, &[("40000", b"..", &file(b"canary"))]))]),
            4 => file(b"../outside/canary"),
            5 => file(b"/canary"),
            6 => file(b".git/canary"),
            // A link and a folder of the same name: through the one into the other.
            7 => raw_tree(world, &[("120000", b"d", &link), ("40000", b"d", &file(b"canary"))]),
            8 => raw_tree(world, &[("40000", b"d", &file(b"canary")), ("120000", b"d", &link)]),
            9 => raw_tree(world, &[("40000", b".git ", &file(b"canary"))]),
            10 => raw_tree(world, &[("40000", "\u{200c}.git".as_bytes(), &file(b"canary"))]),
            11 => raw_tree(world, &[("40000", b"git~1", &file(b"canary"))]),
            12 => file(b""),
            13 => file(b"."),
            _ => raw_tree(
                world,
                &[("40000", b"sub", &raw_tree(world, &[("40000", b".git", &file(b"canary"))]))],
            ),
        }
    };
    for shape in 0..15 {
        let world = victim();
        world.git(&["commit", "-qam", "clean"]);
        let blob = object(&world, "blob", b"#!/bin/sh\n");
        let tree = evil(&world, &blob, shape);
        let parent = world.git(&["rev-parse", "HEAD"]);
        let commit = object(
            &world,
            "commit",
            format!(
                "tree {tree}\nparent {}\nauthor A <a@a> 1 +0000\ncommitter A <a@a> 1 +0000\n\nevil\n",
                parent.trim()
            )
            .as_bytes(),
        );
        world.git(&["update-ref", "refs/heads/evil", &commit]);
        for (tool, arguments) in [
            ("git_show", json!({"rev": "evil"})),
            ("git_log", json!({"rev": "evil", "patch": true, "pickaxe": "sh"})),
            ("git_diff", json!({"from": "HEAD", "to": "evil"})),
            ("git_show", json!({"rev": "evil", "path": "."})),
            ("git_restore", json!({"paths": ["."], "source": "evil"})),
            ("git_switch", json!({"branch": "evil"})),
        ] {
            let result = world.tool(tool, arguments.clone());
            let text = result.map(|reply| reply.text).unwrap_or_default();
            for place in ["../outside/canary", ".git/canary", "../canary", "sub/.git/canary", ".git /canary"]
            {
                assert!(!world.root().join(place).exists(), "shape {shape}: {tool} wrote {place}\n{text}");
            }
            assert!(!std::path::Path::new("/canary").exists(), "shape {shape}: {tool}");
            // A file system that folds case would take it for git's own.
            assert!(!world.root().join(".GIT/canary").exists(), "shape {shape}: {tool}");
        }
    }
}

#[test]
fn corrupt_repositories_are_answered_and_nothing_panics() {
    let breaks: &[&dyn Fn(&World)] = &[
        &|world| drop(std::fs::write(world.root().join(".git/HEAD"), "rubbish\n")),
        &|world| drop(std::fs::write(world.root().join(".git/index"), "DIRC rubbish")),
        &|world| drop(std::fs::write(world.root().join(".git/index"), vec![0xff; 4096])),
        &|world| drop(std::fs::write(world.root().join(".git/packed-refs"), vec![0xfe; 4096])),
        &|world| drop(std::fs::write(world.root().join(".git/refs/heads/topic"), "0000\n")),
        &|world| drop(std::fs::write(world.root().join(".git/refs/heads/topic"), "1".repeat(40) + "\n")),
        &|world| drop(std::fs::write(world.root().join(".git/config"), "[core\nrubbish")),
        &|world| drop(std::fs::write(world.root().join(".git/shallow"), "rubbish\n")),
        &|world| {
            let info = world.root().join(".git/objects/info");
            std::fs::create_dir_all(&info).unwrap();
            std::fs::write(info.join("commit-graph"), vec![0x41; 2000]).unwrap();
        },
        &|world| {
            let pack = world.root().join(".git/objects/pack");
            std::fs::create_dir_all(&pack).unwrap();
            std::fs::write(pack.join("pack-0000000000000000000000000000000000000000.idx"), vec![0x41; 4000])
                .unwrap();
            std::fs::write(pack.join("pack-0000000000000000000000000000000000000000.pack"), vec![0x41; 4000])
                .unwrap();
        },
        &|world| {
            // Objects are read-only until their mode is changed.
            for entry in std::fs::read_dir(world.root().join(".git/objects")).unwrap() {
                let folder = entry.unwrap().path();
                for entry in std::fs::read_dir(&folder).into_iter().flatten() {
                    let path = entry.unwrap().path();
                    executable(&path);
                    let _ = std::fs::write(&path, b"x\x9crubbish");
                }
            }
        },
    ];
    for (number, break_it) in breaks.iter().enumerate() {
        let world = victim();
        break_it(&world);
        for (call, failure) in use_every_tool(&world) {
            // Whatever the answer: it is one, and none that sends somebody to try for ever.
            let is_wrong = matches!(failure, Some(Code::OutsideWorkspace | Code::Busy | Code::Stale));
            assert!(!is_wrong, "{number} {call} {failure:?}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_pipe_in_the_place_of_a_file_of_rules_keeps_nobody_waiting() {
    for name in [".gitignore", ".gitattributes", "a.txt"] {
        let world = victim();
        let _ = std::fs::remove_file(world.root().join(name));
        rustix::fs::mknodat(
            rustix::fs::CWD,
            world.root().join(name),
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        )
        .unwrap();
        for (call, failure) in use_every_tool(&world) {
            assert!(!matches!(failure, Some(Code::Timeout | Code::Internal)), "{name}: {call}: {failure:?}");
        }
    }
}

/// Somebody may write into it without end.
#[test]
#[cfg(unix)]
fn a_pipe_is_no_file_of_rules() {
    for name in [".gitignore", ".gitattributes", "d/.gitattributes", "d/.gitignore", "new/.gitignore"] {
        let world = victim();
        world.write("d/b.txt", "b\n");
        world.git(&["add", "d/b.txt"]);
        world.write("new/c.txt", "c\n");
        let (pipe, mode) = (world.root().join(name), 0o600.into());
        let _ = std::fs::remove_file(&pipe);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        for (tool, arguments) in [("git_status", json!({})), ("git_add", json!({"paths": ["."]}))] {
            let error = world.tool(tool, arguments).unwrap_err();
            assert_eq!(error.code, Code::UnsupportedHere, "{name} {tool}: {error}");
            assert!(error.message.contains(&format!("`{name}`")), "{name} {tool}: {error}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_reader_of_a_pipe_of_the_users_own_hears_nothing_of_us() {
    let world = victim();
    let (rules, pipe) = (world.root().join("c.d/.gitignore"), world.root().join("pipe"));
    std::fs::create_dir(world.root().join("c.d")).unwrap();
    for place in [&rules, &pipe] {
        rustix::fs::mknodat(rustix::fs::CWD, place, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    }
    let mut reader = Command::new("cat").arg(&pipe).stdout(std::process::Stdio::null()).spawn().unwrap();
    for _ in 0..2 {
        let error = world.tool("git_status", json!({})).unwrap_err();
        assert!(error.message.contains("(`c.d/.gitignore`)"), "{error}");
    }
    assert!(reader.try_wait().unwrap().is_none(), "the reader saw an end");
    reader.kill().unwrap();
    reader.wait().unwrap();
}

#[test]
fn what_is_no_repository_is_no_fault_of_the_host() {
    let garbage = [0xff_u8; 300];
    for (name, bytes) in [
        ("HEAD", &b""[..]),
        ("HEAD", &garbage),
        ("index", &garbage),
        ("index", b"DIRC"),
        ("config", b"[core"),
    ] {
        let world = victim();
        std::fs::write(world.root().join(".git").join(name), bytes).unwrap();
        for (call, failure) in use_every_tool(&world) {
            assert_ne!(failure, Some(Code::Internal), "{name}: {call}");
        }
    }
}

#[test]
fn the_end_of_a_shallow_clone_that_cannot_be_read_is_named_by_every_tool() {
    let world = victim();
    world.git(&["commit", "-qm", "second"]);
    let shallow = world.root().join(".git/shallow");
    let end = world.git(&["rev-parse", "HEAD"]);
    std::fs::write(&shallow, &end).unwrap();
    let log = world.tool("git_log", json!({})).unwrap().data;
    assert_eq!(log["commits"].as_array().unwrap().len(), 1, "{log}");
    for (bytes, reason) in [
        (&b"rubbish\n"[..], "line 1 is no id of a commit"),
        (&[0_u8; 50], "line 1 is no id of a commit"),
        (format!("{end}\n").as_bytes(), "line 2 is no id of a commit"),
    ] {
        std::fs::write(&shallow, bytes).unwrap();
        assert_all_refused(&world, Code::NotARepo);
        for (tool, arguments) in [
            ("git_diff", json!({"from": "HEAD~1"})),
            ("git_log", json!({"rev": "HEAD~1..HEAD"})),
            ("git_show", json!({"rev": "HEAD~99"})),
            ("git_blame", json!({"path": "b.txt", "rev": "HEAD~1"})),
            ("git_restore", json!({"paths": ["b.txt"], "source": "HEAD~1"})),
            ("git_switch", json!({"branch": "made", "create": true, "base": "HEAD~1"})),
            ("git_log", json!({"rev": ":/first"})),
        ] {
            let error = world.tool(tool, arguments).unwrap_err();
            let expected = format!("the repository at `.` cannot be read: `.git/shallow`: {reason}");
            assert_eq!((error.code, error.message), (Code::NotARepo, expected), "{tool}");
        }
    }
}

#[test]
fn a_branch_that_cannot_be_a_file_is_refused_in_words() {
    let world = victim();
    let make = |name: &str| world.tool("git_switch", json!({"branch": name, "create": true}));
    for (name, code) in [
        ("topic/below", Code::AlreadyExists),
        (&*"b".repeat(300), Code::InvalidArgs),
        ("a..b", Code::InvalidArgs),
    ] {
        assert_eq!(make(name).unwrap_err().code, code, "{name}");
    }
    make("over/there").unwrap();
    let error = make("over").unwrap_err();
    assert_eq!(error.code, Code::AlreadyExists);
    assert!(error.message.contains("over/there"), "{error}");
}
