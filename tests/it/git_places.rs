//! Repositories that are not at the root.

use std::path::Path;

use outrigger::tools::Code;
use serde_json::{Value, json};

use crate::world::{World, git_command};

fn git_in(folder: &Path, args: &[&str]) -> String {
    let output = git_command(folder).args(["-c", "protocol.file.allow=always"]).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn repository_in(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    git_in(folder, &["init", "-q", "-b", "topic"]);
    git_in(folder, &["config", "user.name", "Ann"]);
    git_in(folder, &["config", "user.email", "ann@example.org"]);
    std::fs::write(folder.join("a.txt"), "one\n").unwrap();
    git_in(folder, &["add", "-A"]);
    git_in(folder, &["commit", "-qm", "first"]);
}

fn code(world: &World, tool: &str, arguments: Value) -> Option<Code> {
    world.tool(tool, arguments).err().map(|error| error.code)
}

#[test]
fn a_repository_in_a_folder_is_committed_and_switched_as_staged() {
    let world = World::new();
    let inner = world.root().join("m");
    repository_in(&inner);
    world.write("m/a.txt", "one\ntwo\n");
    world.write("m/b.txt", "b\n");
    world.tool("git_add", json!({"paths": ["m/b.txt"]})).unwrap();
    let staged = git_in(&inner, &["write-tree"]);
    let error = world.tool("git_commit", json!({"message": "staged"})).unwrap_err();
    assert_eq!((error.code, error.candidates), (Code::NotARepo, vec!["m".to_owned()]));
    let plan = world.plan("git_commit", json!({"message": "staged", "path": "m"})).unwrap().unwrap();
    assert!(plan.summary.ends_with("repository `m`"), "{}", plan.summary);
    let reply = world.tool("git_commit", json!({"message": "staged", "path": "m"})).unwrap();
    assert_eq!(reply.data["files"], json!(["m/b.txt"]));
    assert_eq!(git_in(&inner, &["rev-parse", "HEAD^{tree}"]), staged);
    assert_eq!(git_in(&inner, &["status", "--porcelain"]), " M a.txt\n");
    world.tool("git_switch", json!({"branch": "side", "create": true, "path": "m/a.txt"})).unwrap();
    assert_eq!(git_in(&inner, &["branch", "--show-current"]), "side\n");
    // Two repositories in one call are one too many.
    repository_in(&world.root().join("n"));
    let both = json!({"message": "x", "path": "n", "paths": ["m/a.txt"]});
    assert_eq!(code(&world, "git_commit", both), Some(Code::InvalidArgs));
}
