//! Every tool that touches files, while somebody swaps what lies under its path: outcomes lie in a closed set, nothing outside or
//! blocked is shown or changed.

use std::{
    collections::BTreeMap,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::Arc,
};

use outrigger::{
    config::{CommandEntry, Place, Positional},
    tier::Tier,
    tools::{Code, ToolError},
    workspace::Backend,
};
use serde_json::{Value, json};

use crate::{
    door::open,
    door_race::{rounds, while_swapping},
    world::{World, git_command},
};

/// What is swapped for what. Paths below the workspace.
struct Swap {
    one: &'static str,
    other: &'static str,
    /// Makes what stands at `other` in the beginning.
    special: fn(&World, &Path),
}

const SWAPS: [Swap; 6] = [
    Swap { one: "a/b", other: "a/l", special: |world, at| symlink(world.outside(), at).unwrap() },
    Swap { one: "a", other: "l", special: |world, at| symlink(world.outside().join("a"), at).unwrap() },
    Swap {
        one: "a/b/file",
        other: "a/b/t",
        special: |world, at| symlink(world.outside().join("file"), at).unwrap(),
    },
    Swap { one: "a/b/file", other: "a/b/t", special: |_, at| symlink("../../.env", at).unwrap() },
    Swap { one: "a/b/file", other: "a/b/t", special: |_, at| fifo(at) },
    Swap { one: "a/b", other: "a/t", special: |_, at| std::fs::write(at, "a plain file").unwrap() },
];

fn fifo(at: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, at, rustix::fs::FileType::Fifo, 0o666.into(), 0).unwrap();
}

/// A command that writes where it stands.
fn note() -> CommandEntry {
    CommandEntry {
        id: "note".into(),
        program: "/bin/sh".into(),
        args: vec!["-c".into(), "echo inside >> note".into()],
        summary: String::new(),
        allow_flags: None,
        deny_flags: None,
        value_flags: Vec::new(),
        argument_files: false,
        positional: Positional::PathInWorkspace,
        max_args: 1,
        env: BTreeMap::new(),
        env_pass: Vec::new(),
        network: false,
        write_paths: Vec::new(),
        timeout_ms: 10_000,
        idle_timeout_ms: 10_000,
        tier: Tier::Individual,
        own_tier: true,
        matches: Vec::new(),
        not_matches: Vec::new(),
        shipped: false,
        place: Place::default(),
    }
}

/// A workspace, files outside with the same names, and a blocked file; no other text has these words.
fn scene(swap: &Swap, backend: Backend) -> World {
    let mut world = World::with(|config| config.commands.push(note()));
    for path in ["a/b/file", "a/b/deep/file", "a/other"] {
        world.write(path, "inside 0\n");
    }
    world.write(".env", "BLOCKED\n");
    for path in
        ["file", "deep/file", "LEAKED", "b/file", "b/deep/file", "a/b/file", "a/b/deep/file", "a/b/LEAKED"]
    {
        let path = world.outside().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "OUTSIDE inside 0\n").unwrap();
    }
    for args in [["init", "-q", "."], ["add", "-A", "."], ["commit", "-qm", "x"]] {
        assert!(git_command(&world.root()).args(args).output().unwrap().status.success());
    }
    (swap.special)(&world, &world.root().join(swap.other));
    let workspace = Arc::new(open(&world.root(), backend));
    world.call.workspaces = Arc::new(vec![workspace.clone()]);
    world.call.workspace = workspace;
    world
}

/// What lies below a folder: names and contents.
pub fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut ahead = vec![folder.to_path_buf()];
    while let Some(folder) = ahead.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                ahead.push(path.clone());
                found.insert(path, Vec::new());
            } else {
                found.insert(path.clone(), std::fs::read(path).unwrap());
            }
        }
    }
    found
}

/// The calls, by turns. Those that start a repository's machinery come more seldom.
fn call(round: u32) -> (&'static str, Value) {
    let write =
        |path: String| ("fs_write", json!({"path": path, "content": "inside new\n", "mode": "create"}));
    let patch = |path: &str| {
        let lines = format!("*** Begin Patch\n*** Add File: {path}\n+inside\n*** End Patch\n");
        ("fs_apply_patch", json!({"patch": lines}))
    };
    match round % 17 {
        0 => ("fs_read", json!({"path": "a/b/file"})),
        1 => ("fs_list", json!({"path": "a/b", "depth": 3})),
        2 => ("search_grep", json!({"pattern": "inside|OUTSIDE|BLOCKED", "context": 1})),
        3 => ("search_grep", json!({"pattern": "inside", "path": "a/b/file"})),
        4 => ("search_glob", json!({"pattern": "*", "type": "any"})),
        5 => write(format!("a/b/new-{round}")),
        6 => write(format!("a/b/new/{round}/x")),
        7 => (
            "fs_edit",
            json!({"path": "a/b/file", "edits": [{"old_text": "inside", "new_text": format!("inside {round}")}]}),
        ),
        8 => ("fs_read", json!({"path": "a/b/deep/../file"})),
        9 => ("fs_write", json!({"path": "a/b/file", "content": "inside again\n", "mode": "overwrite"})),
        10 => ("fs_list", json!({"path": "a", "depth": 4, "detail": true})),
        11 => {
            ("fs_move", json!({"from": format!("a/b/new-{}", round - 6), "to": format!("a/b/moved-{round}")}))
        }
        12 => ("fs_delete", json!({"path": format!("a/b/moved-{}", round - 1)})),
        13 => ("fs_move", json!({"from": "a/b/deep", "to": format!("a/b/new/{round}"), "copy": true})),
        14 => ("fs_delete", json!({"path": "a/b/new", "recursive": true})),
        15 => patch(&format!("a/b/patched-{round}")),
        _ if round % 136 == 16 => ("git_diff", json!({})),
        _ if round % 136 == 33 => ("git_add", json!({"paths": ["a/b/file"]})),
        _ if round % 136 == 50 => ("git_status", json!({})),
        _ if round % 136 == 67 => ("git_restore", json!({"paths": ["a/b/file"]})),
        _ if round % 136 == 84 => ("fs_mkdir", json!({"path": format!("a/b/made/{round}")})),
        _ if round % 136 == 101 || round % 136 == 118 => {
            ("exec_run", json!({"command": "note", "args": ["a/b/file"], "workdir": "a/b"}))
        }
        _ => ("search_grep", json!({"pattern": "OUTSIDE", "path": "a/b", "include_ignored": true})),
    }
}

/// The refusals a race may end in. Anything else is a defect.
fn is_expected(error: &ToolError) -> bool {
    matches!(
        error.code,
        Code::OutsideWorkspace
            | Code::NotFound
            | Code::WrongType
            | Code::BlockedPath
            | Code::ArgumentNotAllowed
            | Code::CommandNotAllowed
            | Code::Stale
            | Code::AlreadyExists
            | Code::NotEmpty
            | Code::NoMatch
            | Code::AmbiguousMatch
            | Code::NoChange
            | Code::Busy
            | Code::UnsupportedHere
    )
}

/// Puts the scene right where a write has replaced what was swapped: the swapper has to go on swapping.
fn repair(swap: &Swap, world: &World) {
    let [one, other] = [swap.one, swap.other].map(|path| world.root().join(path));
    let is_plain = |path: &Path| path.symlink_metadata().is_ok_and(|data| data.is_file());
    if swap.one.ends_with("file") && is_plain(&one) && is_plain(&other) {
        std::fs::remove_file(&other).unwrap();
        (swap.special)(world, &other);
    }
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|data| data.is_dir());
    if is_folder(&one) && is_folder(&other) {
        std::fs::remove_dir_all(&other).unwrap();
        (swap.special)(world, &other);
    }
    for (gone, there) in [(&one, &other), (&other, &one)] {
        if gone.symlink_metadata().is_err() && there.symlink_metadata().is_ok() {
            (swap.special)(world, gone);
        }
    }
}

#[test]
fn no_tool_shows_or_changes_what_lies_outside_or_is_blocked() {
    let each = rounds() / (SWAPS.len() as u32 * 2);
    let mut outcomes: BTreeMap<String, u32> = BTreeMap::new();
    for swap in &SWAPS {
        for backend in [Backend::Fastest, Backend::Walk] {
            let world = scene(swap, backend);
            let outside = tree(&world.outside());
            let [one, other] = [swap.one, swap.other].map(|path| world.root().join(path));
            while_swapping(&one, &other, |still| {
                for round in 0..each {
                    let (tool, arguments) = call(round);
                    let context = format!(
                        "{tool} {arguments} while {} and {} are swapped, {backend:?}",
                        swap.one, swap.other
                    );
                    let outcome = match world.tool(tool, arguments) {
                        Ok(reply) => {
                            let shown = format!("{} {} {:?}", reply.text, reply.data, reply.warnings);
                            for word in ["OUTSIDE ", "LEAKED", "BLOCKED\\n"] {
                                assert!(!shown.contains(word), "{context}: {shown}");
                            }
                            "ok".to_owned()
                        }
                        Err(error) => {
                            // A library that opens a file by its name is not let out of the workspace; it cannot tell that from a
                            // file that is closed to the user.
                            let is_refused = tool.starts_with("git_") && error.code == Code::PermissionDenied;
                            assert!(is_refused || is_expected(&error), "{context}: {error:?}");
                            format!("{:?}", error.code)
                        }
                    };
                    *outcomes.entry(format!("{tool} {outcome}")).or_default() += 1;
                    let _guard = still.lock().unwrap();
                    repair(swap, &world);
                }
            });
            assert_eq!(tree(&world.outside()), outside, "{} and {}, {backend:?}", swap.one, swap.other);
            assert_eq!(std::fs::read_to_string(world.root().join(".env")).unwrap(), "BLOCKED\n");
        }
    }
    let seen = |end: &str| {
        outcomes.iter().filter(|(name, _)| name.ends_with(end)).map(|(_, count)| count).sum::<u32>()
    };
    println!("{outcomes:#?}");
    assert!(
        seen(" ok") > 0 && seen("OutsideWorkspace") > 0 && seen("BlockedPath") > 0,
        "no race: {outcomes:?}"
    );
}

/// What another program puts in the place of a file while an edit is made is never lost: the edit came before it, or is refused.
#[test]
fn what_another_program_puts_there_meanwhile_stays() {
    let world = World::new();
    let file = world.write("file", "");
    let mut refused = 0;
    for round in 0..rounds() / 4 {
        std::fs::write(&file, "old\n").unwrap();
        let theirs = world.outside().join("theirs");
        std::fs::write(&theirs, "theirs\n").unwrap();
        let outcome = std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                // Some time of those that an edit takes.
                let until = std::time::Duration::from_micros(u64::from(round % 100) * 10);
                let began = std::time::Instant::now();
                while began.elapsed() < until {
                    std::hint::spin_loop();
                }
                std::fs::rename(&theirs, &file).unwrap();
            });
            let edits = json!([{"old_text": "old", "new_text": "ours"}]);
            let outcome = world.tool("fs_edit", json!({"path": "file", "edits": edits}));
            other.join().unwrap();
            outcome
        });
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "theirs\n", "round {round}: {outcome:?}");
        if let Err(error) = outcome {
            assert!(matches!(error.code, Code::Stale | Code::NoMatch | Code::NotFound), "{error:?}");
            refused += 1;
        }
        assert_eq!(std::fs::read_dir(world.root()).unwrap().count(), 1, "round {round} left something");
    }
    assert!(refused > 0, "no race");
}
