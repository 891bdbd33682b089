//! What git runs or obeys later is asked one by one, whichever tool brings it and whatever the tool's own tier is.

use outrigger::tier::Tier;
use serde_json::{Value, json};

use crate::world::{World, find, tier};

fn raises(world: &World, name: &str, arguments: Value) -> Vec<String> {
    let prepared = find(name).prepare(arguments, &world.call).unwrap();
    prepared.intent.raises.iter().map(|raise| raise.reason.clone()).collect()
}

/// The administrator lets `git_restore` and `git_switch` run without a question.
#[test]
fn a_protected_path_that_comes_out_of_history_is_asked_for_one_by_one() {
    let world = World::with(|config| {
        for tool in ["git_restore", "git_switch"] {
            config.tool_tiers.insert(tool.to_owned(), Tier::Auto);
        }
    });
    world.git(&["init", "-q", "-b", "topic"]);
    for path in ["a.txt", "package.json", ".husky/pre-commit"] {
        world.write(path, "old\n");
    }
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world.git(&["branch", "old"]);
    world.git(&["branch", "same"]);
    world.git(&["checkout", "-q", "same"]);
    world.write("a.txt", "same\n");
    world.git(&["commit", "-qam", "harmless"]);
    world.git(&["checkout", "-q", "topic"]);
    for path in ["a.txt", "package.json", ".husky/pre-commit"] {
        world.write(path, "new\n");
    }
    world.git(&["commit", "-qam", "second"]);
    let restore = |path: &str| json!({"paths": [path], "source": "old"});
    assert_eq!(tier(&world.call, "git_restore", restore("a.txt")), Tier::Auto);
    assert_eq!(tier(&world.call, "git_restore", restore("package.json")), Tier::Individual);
    assert_eq!(
        raises(&world, "git_restore", restore(".")),
        ["`.husky/pre-commit` is a protected path: other programs act on what it says, and 1 more are too"]
    );
    assert_eq!(tier(&world.call, "git_switch", json!({"branch": "old"})), Tier::Individual);
    // What stays as it is raises nothing.
    world.git(&["checkout", "-q", "old"]);
    assert_eq!(tier(&world.call, "git_switch", json!({"branch": "same"})), Tier::Auto);
}

#[test]
fn a_folder_that_becomes_a_repository_is_asked_for_one_by_one() {
    let world = World::new();
    world.git(&["init", "-q"]);
    let write = |path: &str| json!({"path": path, "content": "x\n"});
    let of = |name: &str, arguments: Value| tier(&world.call, name, arguments);
    // Names alone say nothing.
    world.write("src/config", "x\n");
    for path in ["docs/HEAD", "src/HEAD", "src/refs/a", "src/Head/index.tsx", "hooks/use.ts", "objects/a"] {
        assert_eq!(of("fs_write", write(path)), Tier::Batch, "{path}");
    }
    // In whatever order: the last of them makes it one.
    world.write("docs/HEAD", "ref: refs/heads/main\n");
    for path in ["docs/config", "docs/config.worktree", "docs/commondir", "docs/hooks/x", "docs/refs/heads/x"]
    {
        assert_eq!(of("fs_write", write(path)), Tier::Individual, "{path}");
    }
    assert_eq!(of("fs_write", write("docs/a.md")), Tier::Batch);
    world.write("late/config", "x\n");
    world.write("late/objects/x", "x\n");
    world.write("late/refs/x", "x\n");
    assert_eq!(of("fs_write", write("late/HEAD")), Tier::Individual);
    assert_eq!(of("fs_mkdir", json!({"path": "docs/objects"})), Tier::Individual);
    assert_eq!(of("fs_move", json!({"from": "src/config", "to": "docs/config"})), Tier::Individual);
    assert_eq!(
        raises(&world, "fs_write", write("late/HEAD")),
        ["git takes `late` for a repository, and starts what its `config` and `hooks` name"]
    );
    // All of it by one call.
    let file = |path: &str| format!("*** Add File: {path}\n+x\n");
    let patch = |paths: &[&str]| {
        let files: String = paths.iter().map(|path| file(path)).collect();
        json!({"patch": format!("*** Begin Patch\n{files}*** End Patch\n")})
    };
    let whole = patch(&["new/config", "new/objects/a", "new/refs/a", "new/HEAD"]);
    assert_eq!(of("fs_apply_patch", whole), Tier::Individual);
    assert_eq!(of("fs_apply_patch", patch(&["new/config", "new/a"])), Tier::Batch);
}

#[test]
fn a_repository_of_another_name_is_guarded() {
    let world = World::new();
    world.git(&["init", "-q", "--bare", "srv.git"]);
    world.git(&["init", "-q", "--separate-git-dir", "store", "project"]);
    for path in ["srv.git/hooks/update", "srv.git/info/a", "store/hooks/pre-commit", "store/refs/heads/x"] {
        let expected = if path.contains("info") { Tier::Batch } else { Tier::Individual };
        let arguments = json!({"path": path, "content": "x\n"});
        assert_eq!(tier(&world.call, "fs_write", arguments), expected, "{path}");
    }
    for path in ["srv.git/config", "store/config"] {
        let edit =
            json!({"path": path, "edits": [{"old_text": "[core]", "new_text": "[core]\n\tfsmonitor = x"}]});
        assert_eq!(tier(&world.call, "fs_edit", edit), Tier::Individual, "{path}");
    }
}
