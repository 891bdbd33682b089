//! The git tools while somebody swaps a repository, or its `.git`, for a link to one outside: nothing of that one is shown or changed.

use std::{
    collections::BTreeMap,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use cap_std::{ambient_authority, fs::Dir};
use outrigger::{
    tools::{Code, ToolError},
    workspace::confined,
};
use serde_json::{Value, json};

use crate::{
    door_race::{rounds, while_swapping},
    tool_race::tree,
    world::{World, git_command},
};

/// What is swapped, and where the tools work.
struct Swap {
    /// The repository's folder, from the workspace.
    repository: &'static str,
    /// What is swapped, from the folder of the workspace.
    one: &'static str,
    /// What its link leads to, from the repository outside.
    to: &'static str,
}

const SWAPS: [Swap; 4] = [
    Swap { repository: "", one: ".git", to: ".git" },
    Swap { repository: "", one: "", to: "" },
    Swap { repository: "sub", one: "sub", to: "" },
    Swap { repository: "sub", one: "sub/.git", to: ".git" },
];

/// Two commits, something staged, something not; `word` is in all of it.
fn repository(folder: &Path, word: &str) {
    std::fs::create_dir_all(folder.join("d")).unwrap();
    let git = |args: &[&str]| {
        assert!(git_command(folder).args(args).output().unwrap().status.success(), "{args:?}");
    };
    std::fs::write(folder.join("file"), format!("{word} one\n")).unwrap();
    std::fs::write(folder.join("d/staged"), format!("{word} one\n")).unwrap();
    git(&["init", "-q", "-b", "main", "."]);
    git(&["config", "user.name", "Ann Author"]);
    git(&["config", "user.email", "ann@example.org"]);
    git(&["add", "-A", "."]);
    git(&["commit", "-qm", &format!("{word} commit")]);
    git(&["branch", &format!("{word}-branch")]);
    std::fs::write(folder.join("d/staged"), format!("{word} two\n")).unwrap();
    git(&["add", "-A", "."]);
    std::fs::write(folder.join("file"), format!("{word} two\n")).unwrap();
}

fn scene(swap: &Swap) -> (World, [PathBuf; 2]) {
    let world = World::new();
    repository(&world.outside(), "OUTSIDE");
    repository(&world.root(), "inside");
    if !swap.repository.is_empty() {
        repository(&world.root().join(swap.repository), "inside");
    }
    let one = if swap.one.is_empty() { world.root() } else { world.root().join(swap.one) };
    // The other name must be beside the folder of the workspace where that itself is swapped.
    let other =
        if swap.one.is_empty() { world.root().with_extension("link") } else { world.root().join("link") };
    symlink(world.outside().join(swap.to), &other).unwrap();
    (world, [one, other])
}

fn call(swap: &Swap, round: u32) -> (&'static str, Value) {
    let at = |path: &str| {
        if swap.repository.is_empty() { path.to_owned() } else { format!("{}/{path}", swap.repository) }
    };
    let folder = if swap.repository.is_empty() { "." } else { swap.repository };
    match round % 12 {
        0 => ("git_status", json!({"path": folder, "branches": true})),
        1 | 7 => ("git_log", json!({"path": folder, "patch": true})),
        2 | 8 => ("git_show", json!({"rev": "HEAD", "path": at("file")})),
        3 => ("git_diff", json!({"paths": [at("file")]})),
        4 => ("git_diff", json!({"paths": [folder], "staged": true})),
        5 => ("git_blame", json!({"path": at("file")})),
        6 => ("git_add", json!({"paths": [at("file")]})),
        9 => ("git_commit", json!({"message": format!("inside {round}"), "paths": [at("file")]})),
        10 => ("git_add", json!({"paths": [at("file")], "unstage": true})),
        _ => ("git_restore", json!({"paths": [at("file")]})),
    }
}

/// The refusals a race may end in. Anything else is a defect.
fn is_expected(error: &ToolError) -> bool {
    matches!(
        error.code,
        Code::OutsideWorkspace
            | Code::Stale
            | Code::NotARepo
            | Code::NotFound
            | Code::WrongType
            | Code::InvalidArgs
            | Code::PermissionDenied
            | Code::BadRevision
            | Code::Busy
            | Code::NoChange
            | Code::NothingToCommit
    )
}

/// Whether this system can hold a thread at all; where it cannot, a race can be lost.
fn is_held(world: &World) -> bool {
    let root = Dir::open_ambient_dir(world.root(), ambient_authority()).unwrap();
    let outside = world.outside().join("file");
    confined::within(&root, || std::fs::read(outside).is_err()).unwrap()
}

#[test]
fn a_repository_swapped_for_a_link_shows_and_changes_nothing_outside() {
    let each = rounds() / (SWAPS.len() as u32 * 4);
    let mut outcomes: BTreeMap<String, u32> = BTreeMap::new();
    for swap in &SWAPS {
        let (world, [one, other]) = scene(swap);
        if !is_held(&world) {
            return;
        }
        let outside = tree(&world.outside());
        // By a name that always leads there.
        let inside = Dir::open_ambient_dir(world.root(), ambient_authority()).unwrap();
        while_swapping(&one, &other, |_| {
            for round in 0..each {
                let (tool, arguments) = call(swap, round);
                let context = format!("{tool} {arguments} while `{}` is swapped", swap.one);
                let file = Path::new(swap.repository).join("file");
                let _ = inside.write(file, format!("inside {round}\n"));
                if let Ok(Some(plan)) = world.plan(tool, arguments.clone()) {
                    let shown = format!("{plan:?}");
                    assert!(!shown.contains("OUTSIDE"), "the plan of {context}: {shown}");
                }
                let outcome = match world.tool(tool, arguments) {
                    Ok(reply) => {
                        let shown = format!("{} {} {:?}", reply.text, reply.data, reply.warnings);
                        assert!(!shown.contains("OUTSIDE"), "{context}: {shown}");
                        "ok".to_owned()
                    }
                    Err(error) => {
                        assert!(is_expected(&error), "{context}: {error:?}");
                        format!("{:?}", error.code)
                    }
                };
                *outcomes.entry(format!("{tool} {outcome}")).or_default() += 1;
            }
        });
        assert_eq!(tree(&world.outside()), outside, "while `{}` was swapped", swap.one);
    }
    println!("{outcomes:#?}");
    let seen = |end: &str| outcomes.iter().filter(|(name, _)| name.ends_with(end)).count() > 0;
    assert!(seen(" ok") && seen("OutsideWorkspace"), "no race: {outcomes:?}");
}

/// libgit2 1.9 frees what it has not found where it cannot read again what has changed, which ended the process now and then.
#[test]
fn settings_that_are_broken_every_other_moment_end_nothing() {
    use std::{
        sync::atomic::{AtomicBool, Ordering},
        time::{Duration, Instant},
    };
    let world = World::new();
    repository(&world.root(), "inside");
    // What is in no file is looked for in each.
    assert!(
        git_command(&world.root())
            .args(["config", "--unset", "core.logAllRefUpdates"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let [settings, broken] = [".git/config", "broken"].map(|path| world.root().join(path));
    std::fs::write(&broken, std::fs::read_to_string(&settings).unwrap() + "[core\n broken\n").unwrap();
    let stop = AtomicBool::new(false);
    let mut told = BTreeMap::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &settings, CWD, &broken, RenameFlags::EXCHANGE).unwrap();
                let began = Instant::now();
                while began.elapsed() < Duration::from_micros(400) {
                    std::hint::spin_loop();
                }
            }
        });
        for round in 0..rounds() {
            let (tool, arguments) = if round % 2 == 0 {
                ("git_switch", json!({"branch": format!("b{round}"), "create": true}))
            } else {
                world.write("a/file", format!("{round}\n"));
                ("git_commit", json!({"message": "m", "paths": ["a/file"]}))
            };
            let outcome = world
                .tool(tool, arguments)
                .map_or_else(|error| format!("{:?}", error.code), |_| "ok".to_owned());
            *told.entry(outcome).or_insert(0) += 1;
        }
        stop.store(true, Ordering::Relaxed);
    });
    println!("{told:?}");
    assert!(told.len() > 1, "no race: {told:?}");
}
