//! Repositories that are not at the root: in folders, in submodules, in linked worktrees. What is read is what git says, what cannot
//! be done is said, and no `.git` file leads anywhere it should not.

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

/// A repository with a submodule `sm`, as git makes it.
fn with_submodule() -> World {
    let world = World::new();
    repository_in(&world.outside().join("source"));
    repository_in(&world.root());
    let source = world.outside().join("source");
    git_in(&world.root(), &["submodule", "--quiet", "add", source.to_str().unwrap(), "sm"]);
    git_in(&world.root(), &["commit", "-qm", "with a submodule"]);
    let inner = world.root().join("sm");
    git_in(&inner, &["config", "user.name", "Ann"]);
    git_in(&inner, &["config", "user.email", "ann@example.org"]);
    world
}

/// Whether git sees a change, and what we say of `sm`.
fn seen(world: &World) -> (bool, Vec<String>, String) {
    let reply = world.tool("git_status", json!({})).unwrap();
    let list = reply.data["unstaged"].as_array().unwrap().iter();
    let changes = list.map(|entry| entry["change"].as_str().unwrap().to_owned()).collect();
    (!git_in(&world.root(), &["status", "--porcelain"]).is_empty(), changes, reply.text)
}

#[test]
fn a_submodule_that_has_changed_is_never_clean() {
    let world = with_submodule();
    let inner = world.root().join("sm");
    let (dirty, changes, text) = seen(&world);
    assert!(!dirty && changes.is_empty() && text.contains("clean: nothing to commit"), "{text}");
    world.write("sm/new.txt", "new\n");
    let (dirty, changes, text) = seen(&world);
    assert!(dirty && changes == ["modified_inside"] && !text.contains("clean"), "{text}");
    let reply = world.tool("git_diff", json!({})).unwrap();
    assert!(reply.warnings.iter().any(|warning| warning.contains("`sm`")), "{:?}", reply.warnings);
    git_in(&inner, &["add", "-A"]);
    git_in(&inner, &["commit", "-qm", "second"]);
    let (dirty, changes, text) = seen(&world);
    assert!(dirty && changes == ["modified"], "{text}");
    let reply = world.tool("git_diff", json!({})).unwrap();
    assert!(
        reply.text.ends_with(&git_in(&world.root(), &["diff", "--submodule=short", "--full-index"]))
            || reply.text.ends_with(&git_in(&world.root(), &["diff", "--submodule=short"])),
        "{}",
        reply.text
    );
    let reply = world.tool("git_diff", json!({"from": "HEAD"})).unwrap();
    assert!(reply.text.contains("+Subproject commit"), "{}", reply.text);
    // Staging everything leaves it alone, and says so.
    let reply = world.tool("git_add", json!({"paths": ["."]})).unwrap();
    assert!(reply.warnings.iter().any(|warning| warning.contains("`sm`")), "{:?}", reply.warnings);
    assert_eq!(git_in(&world.root(), &["status", "--porcelain"]), " M sm\n");
    // One that is not checked out is no change, as for git.
    git_in(&world.root(), &["submodule", "--quiet", "deinit", "-f", "sm"]);
    let (dirty, changes, text) = seen(&world);
    assert!(!dirty && changes.is_empty() && text.contains("clean"), "{text}");
}

/// Both ways of staging or taking back, on copies of one repository.
fn assert_staged_as_by_git(change: &dyn Fn(&World), path: &str) {
    for unstage in [false, true] {
        let [ours, theirs] = [with_submodule(), with_submodule()];
        for world in [&ours, &theirs] {
            change(world);
            if unstage {
                git_in(&world.root(), &["add", "-A"]);
            }
        }
        let reply = ours.tool("git_add", json!({"paths": [path], "unstage": unstage})).unwrap();
        git_in(&theirs.root(), if unstage { &["reset", "-q", "--", "."] } else { &["add", "."] });
        let index = |world: &World| git_in(&world.root(), &["ls-files", "-s", "--", "sm"]);
        // The commit of a submodule is another one in each world.
        let plain = |text: String| text.split(' ').next().map(str::to_owned);
        assert_eq!(plain(index(&ours)), plain(index(&theirs)), "{path} {unstage}: {reply:?}");
        assert!(reply.text.contains("sm"), "{}", reply.text);
    }
}

#[test]
fn what_took_the_place_of_a_submodule_is_staged() {
    let gone = |world: &World| std::fs::remove_dir_all(world.root().join("sm")).unwrap();
    let file = |world: &World| {
        gone(world);
        world.write("sm", "a file\n");
    };
    for path in [".", "sm"] {
        assert_staged_as_by_git(&gone, path);
        assert_staged_as_by_git(&file, path);
    }
}

#[test]
fn a_commit_says_what_it_left_alone() {
    let world = with_submodule();
    world.write("sm/a.txt", "moved on\n");
    git_in(&world.root().join("sm"), &["commit", "-qam", "second"]);
    let nothing = world.tool("git_commit", json!({"message": "x", "paths": ["."]})).unwrap_err();
    assert!(nothing.message.contains("the submodule `sm` is at another commit"), "{nothing:?}");
    world.write("new.txt", "new\n");
    git_in(&world.root(), &["add", "new.txt"]);
    let reply = world.tool("git_commit", json!({"message": "x", "paths": ["."]})).unwrap();
    assert_eq!(reply.data["files"], json!(["new.txt"]));
    assert!(reply.warnings[0].contains("`sm`"), "{:?}", reply.warnings);
}

#[test]
fn a_repository_in_a_repository_is_named_as_one_of_its_own() {
    let world = with_submodule();
    world.write("inner/a.txt", "one\n");
    git_in(&world.root().join("inner"), &["init", "-q"]);
    for unstage in [false, true] {
        let reply = world.tool("git_add", json!({"paths": ["inner/a.txt"], "unstage": unstage})).unwrap();
        assert_eq!(reply.warnings, [""; 0]);
        let reply = world.tool("git_add", json!({"paths": ["inner"], "unstage": unstage})).unwrap();
        assert_eq!(reply.warnings.len(), 1, "{reply:?}");
        assert!(reply.warnings[0].contains("`inner` is a repository of its own"), "{:?}", reply.warnings);
    }
}

/// The repository around it knows the path: that it is not in there would be false.
#[test]
fn a_submodule_beside_other_paths_is_refused_as_alone() {
    let world = with_submodule();
    world.write("sm/a.txt", "moved on\n");
    git_in(&world.root().join("sm"), &["commit", "-qam", "second"]);
    let alone = world.tool("git_add", json!({"paths": ["sm"]})).unwrap_err();
    assert_eq!(alone.code, Code::UnsupportedHere);
    for (tool, arguments) in [
        ("git_add", json!({"paths": ["a.txt", "sm"]})),
        ("git_add", json!({"paths": ["a.txt", "sm"], "unstage": true})),
        ("git_commit", json!({"message": "m", "paths": ["a.txt", "sm"]})),
        ("git_restore", json!({"paths": ["a.txt", "sm"]})),
    ] {
        let beside = world.tool(tool, arguments).unwrap_err();
        assert_eq!((beside.code, &beside.message), (alone.code, &alone.message), "{tool}");
    }
    world.write("inner/a.txt", "one\n");
    git_in(&world.root().join("inner"), &["init", "-q"]);
    let error = world.tool("git_add", json!({"paths": ["a.txt", "inner/a.txt"]})).unwrap_err();
    assert_eq!(error.code, Code::InvalidArgs);
    assert!(error.message.starts_with("`inner/a.txt` belongs to the repository at `inner`"), "{error}");
}

#[test]
fn a_path_in_git_own_folder_is_none_of_a_work_tree() {
    let world = World::new();
    repository_in(&world.root().join("m"));
    for path in ["m/.git", "m/.git/HEAD"] {
        for (tool, arguments) in [
            ("git_status", json!({"path": path})),
            ("git_log", json!({"path": path})),
            ("git_diff", json!({"paths": [path]})),
            ("git_add", json!({"paths": [path]})),
        ] {
            let error = world.tool(tool, arguments).unwrap_err();
            assert_eq!(error.code, Code::ProtectedPath, "{tool}");
            assert_eq!(error.message, format!("`{path}` is git's own, and no path of a work tree"), "{tool}");
        }
    }
}

/// What git's status says of `sm`, and ours: nothing, or a change in the work tree.
fn both_say(world: &World) -> (bool, bool) {
    let theirs = git_in(&world.root(), &["status", "--porcelain", "sm"]);
    let reply = world.tool("git_status", json!({})).unwrap();
    let ours = reply.data["unstaged"].as_array().unwrap().iter().any(|entry| entry["path"] == json!("sm"));
    (theirs.chars().nth(1).is_some_and(|letter| letter != ' '), ours)
}

#[test]
fn a_submodule_is_ignored_as_far_as_the_user_says() {
    for place in [".gitmodules", ".git/config"] {
        for ignore in ["all", "dirty", "untracked", "none"] {
            let world = with_submodule();
            let inner = world.root().join("sm");
            git_in(&world.root(), &["config", "-f", place, "submodule.sm.ignore", ignore]);
            git_in(&world.root(), &["commit", "-qam", "rules", "--allow-empty"]);
            let mut said = Vec::new();
            let mut compare = || {
                let (theirs, ours) = both_say(&world);
                assert_eq!(theirs, ours, "{place} {ignore} {said:?}");
                said.push(ours);
            };
            compare();
            world.write("sm/new.txt", "new\n");
            compare();
            git_in(&inner, &["add", "-A"]);
            compare();
            git_in(&inner, &["commit", "-qm", "second"]);
            compare();
            std::fs::remove_dir_all(&inner).unwrap();
            compare();
            let expected = match ignore {
                "all" => [false; 5],
                "dirty" => [false, false, false, true, true],
                "untracked" => [false, false, true, true, true],
                _ => [false, true, true, true, true],
            };
            assert_eq!(said, expected, "{place} {ignore}");
        }
    }
    let world = with_submodule();
    world.git(&["config", "diff.ignoreSubmodules", "all"]);
    world.write("sm/new.txt", "new\n");
    assert_eq!(both_say(&world), (false, false));
}

#[test]
fn what_was_not_looked_into_is_not_called_clean() {
    let world = with_submodule();
    std::fs::write(world.root().join("sm/.git"), "gitdir: ../../elsewhere\n").unwrap();
    let reply = world.tool("git_status", json!({})).unwrap();
    assert_eq!(reply.data["not_looked_into"], json!(["sm"]));
    assert!(!reply.text.contains("clean") && reply.text.contains("not looked into: sm"), "{}", reply.text);
}

/// Everything that reads works in `folder`, as git says; everything that writes refuses and says what works.
fn assert_read_only(world: &World, folder: &str) {
    let place = world.root().join(folder);
    std::fs::write(place.join("a.txt"), "one\ntwo\n").unwrap();
    let file = format!("{folder}/a.txt");
    let head = git_in(&place, &["rev-parse", "HEAD"]).trim().to_owned();
    let status = world.tool("git_status", json!({"path": folder})).unwrap();
    assert_eq!((&status.data["head"], &status.data["repo_root"]), (&json!(head), &json!(folder)));
    let branch = git_in(&place, &["branch", "--show-current"]);
    assert_eq!(status.data["branch"].as_str().unwrap(), branch.trim());
    assert_eq!(status.data["unstaged"][0]["path"], json!(file));
    let diff = world.tool("git_diff", json!({"paths": [file]})).unwrap();
    assert!(diff.text.contains("+two"), "{}", diff.text);
    let log = world.tool("git_log", json!({"path": folder})).unwrap();
    let count = log.data["commits"].as_array().unwrap().len();
    assert_eq!(count.to_string(), git_in(&place, &["rev-list", "--count", "HEAD"]).trim());
    let show = world.tool("git_show", json!({"rev": "HEAD", "path": file})).unwrap();
    assert!(show.text.contains("one"), "{}", show.text);
    let blame = world.tool("git_blame", json!({"path": file})).unwrap();
    assert_eq!(blame.data["lines_total"], json!(2));
    let before = git_in(&place, &["status", "--porcelain"]);
    for (tool, arguments) in [
        ("git_add", json!({"paths": [file]})),
        ("git_commit", json!({"message": "x", "path": folder})),
        ("git_commit", json!({"message": "x", "paths": [file]})),
        ("git_restore", json!({"paths": [file]})),
        ("git_switch", json!({"branch": "other", "create": true, "path": folder})),
    ] {
        let error = world.tool(tool, arguments).unwrap_err();
        assert!(
            error.code == Code::UnsupportedHere && error.hint.contains("git_status"),
            "{tool}: {error:?}"
        );
    }
    assert_eq!(git_in(&place, &["status", "--porcelain"]), before);
    git_in(&place, &["checkout", "-q", "a.txt"]);
}

#[test]
fn submodules_and_linked_worktrees_are_read() {
    let world = with_submodule();
    assert_read_only(&world, "sm");
    git_in(&world.root(), &["worktree", "add", "-q", "-b", "side", "trees/side"]);
    assert_read_only(&world, "trees/side");
    git_in(&world.root(), &["pack-refs", "--all"]);
    assert_read_only(&world, "trees/side");
}

#[test]
fn a_git_file_leads_only_where_git_has_put_it() {
    let world = with_submodule();
    git_in(&world.root(), &["worktree", "add", "-q", "-b", "side", "side"]);
    repository_in(&world.outside().join("secret"));
    let secret = world.outside().join("secret/.git");
    let root = world.root();
    let refused = |what: &str| {
        for (tool, arguments) in [
            ("git_status", json!({"path": "x"})),
            ("git_log", json!({"path": "x"})),
            ("git_show", json!({"rev": "HEAD", "path": "x/a.txt"})),
            ("git_diff", json!({"paths": ["x"]})),
        ] {
            let code = code(&world, tool, arguments);
            let is_refused = matches!(code, Some(Code::UnsupportedHere | Code::OutsideWorkspace));
            assert!(is_refused, "{what}: {tool} gives {code:?}");
        }
    };
    world.write("x/a.txt", "x\n");
    for (what, text) in [
        ("outside", format!("gitdir: {}\n", secret.display())),
        ("the repository's own folder", format!("gitdir: {}\n", root.join(".git").display())),
        ("another's submodule", "gitdir: ../.git/modules/sm\n".to_owned()),
        ("another's worktree", "gitdir: ../.git/worktrees/side\n".to_owned()),
        ("nothing", "gitdir: ../.git/modules/none\n".to_owned()),
        ("a plain folder", "gitdir: ../plain\n".to_owned()),
        ("no pointer", "something else\n".to_owned()),
    ] {
        world.write("x/.git", text);
        refused(what);
    }
    // A folder that anybody may write is no git folder, however it looks.
    git_in(&root, &["init", "-q", "--separate-git-dir", "plain", "y"]);
    std::fs::rename(root.join("y/.git"), root.join("x/.git")).unwrap();
    refused("a plain git folder");
    // Worktrees whose shared folder is somebody else's.
    std::fs::remove_file(root.join("x/.git")).unwrap();
    git_in(&root, &["worktree", "add", "-q", "-f", "-b", "third", "x/t"]);
    std::fs::write(root.join(".git/worktrees/t/commondir"), format!("{}\n", secret.display())).unwrap();
    assert!(matches!(
        code(&world, "git_status", json!({"path": "x/t"})),
        Some(Code::UnsupportedHere | Code::OutsideWorkspace)
    ));
}

#[test]
fn nothing_of_a_submodule_runs() {
    let world = with_submodule();
    let inner = world.root().join("sm");
    let canary = world.outside().join("canary");
    let program = world.write("trap", format!("#!/bin/sh\ntouch '{}'\n", canary.display()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let program = program.to_str().unwrap();
    for key in ["core.fsmonitor", "diff.external", "filter.x.clean", "filter.x.process", "diff.x.textconv"] {
        git_in(&inner, &["config", key, program]);
    }
    world.write("sm/.gitattributes", "* filter=x diff=x\n");
    world.write("sm/a.txt", "changed\n");
    for (tool, arguments) in [
        ("git_status", json!({})),
        ("git_status", json!({"path": "sm"})),
        ("git_diff", json!({})),
        ("git_diff", json!({"paths": ["sm"]})),
        ("git_blame", json!({"path": "sm/a.txt", "rev": "HEAD"})),
    ] {
        world.tool(tool, arguments).unwrap();
        assert!(!canary.exists(), "{tool} ran the submodule's program");
    }
    // The trap does snap for git itself.
    let _ = git_command(&world.root()).args(["status"]).output().unwrap();
    assert!(canary.exists());
}

/// A repository in a read-only workspace is read through the one around it, and nothing more.
#[test]
fn a_repository_in_a_read_only_workspace_is_not_changed_through_another() {
    let world = crate::support::native::World::new("");
    let root = world.workspace();
    for folder in ["", "kept"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
        git_in(&root.join(folder), &["init", "-q", "-b", "main"]);
        git_in(&root.join(folder), &["config", "user.name", "Ann Author"]);
        git_in(&root.join(folder), &["config", "user.email", "ann@example.org"]);
        std::fs::write(root.join(folder).join("a.txt"), "one\n").unwrap();
        git_in(&root.join(folder), &["add", "a.txt"]);
        git_in(&root.join(folder), &["commit", "-qm", "one"]);
        std::fs::write(root.join(folder).join("a.txt"), "two\n").unwrap();
    }
    git_in(&root.join("kept"), &["branch", "other"]);
    world.configure(&format!(
        "version = 1\n[tools]\nprofile = \"full\"\n[git]\nsync = true\n[[workspace]]\nid = \"app\"\npath = {root:?}\n[[workspace]]\nid = \
         \"kept\"\npath = {:?}\nread_only = true\n",
        root.join("kept")
    ));
    let mut port = world.connect();
    port.hello();
    for (tool, arguments) in [
        ("git_add", json!({"paths": ["kept/a.txt"]})),
        ("git_commit", json!({"message": "x", "paths": ["kept/a.txt"]})),
        ("git_commit", json!({"message": "x", "path": "kept", "amend": true})),
        ("git_restore", json!({"paths": ["kept/a.txt"]})),
        ("git_switch", json!({"branch": "other", "path": "kept"})),
        ("git_switch", json!({"branch": "new", "create": true, "path": "kept"})),
        ("git_sync", json!({"action": "fetch", "path": "kept"})),
    ] {
        let answer = port.call(tool, arguments.clone());
        assert_eq!(answer["structuredContent"]["code"], "protected_path", "{tool} {arguments}: {answer:#}");
        assert!(answer.to_string().contains("`kept`, which is read-only"), "{answer:#}");
    }
    for (tool, arguments) in
        [("git_status", json!({"path": "kept"})), ("git_log", json!({"path": "kept/a.txt"}))]
    {
        let answer = port.call(tool, arguments.clone());
        assert_eq!(answer["structuredContent"]["ok"], true, "{tool} {arguments}: {answer:#}");
    }
    let answer = port.call("git_add", json!({"paths": ["a.txt"]}));
    assert_eq!(answer["resultType"], "input_required", "{answer:#}");
}

/// A link is a path of the repository that it lies in, also where it leads to that repository's own root.
#[test]
fn a_link_to_the_root_is_a_path_like_any_other() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    world.git(&["config", "user.name", "Ann Author"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    world.write("nm/a.txt", "one\n");
    std::os::unix::fs::symlink("..", world.root().join("nm/self")).unwrap();
    std::os::unix::fs::symlink(".", world.root().join("dot")).unwrap();
    for path in ["nm/self", "dot"] {
        let added = world.tool("git_add", json!({"paths": [path]})).unwrap();
        assert_eq!(added.data["staged"], json!([path]));
    }
    world.tool("git_commit", json!({"message": "links"})).unwrap();
    for path in ["nm/self", "dot"] {
        let log = world.tool("git_log", json!({"path": path})).unwrap();
        assert_eq!(log.data["commits"].as_array().unwrap().len(), 1, "{path}");
        assert!(world.tool("git_status", json!({"path": path})).is_ok(), "{path}");
        std::fs::remove_file(world.root().join(path)).unwrap();
        let diff = world.tool("git_diff", json!({"paths": [path]})).unwrap();
        assert_eq!(diff.data["files"][0]["status"], "deleted", "{path}");
        world.tool("git_restore", json!({"paths": [path]})).unwrap();
        assert!(world.root().join(path).is_symlink(), "{path}");
    }
}

/// A name that is no text is written with escapes, and the link of that name is meant, not what it leads to.
#[test]
#[cfg(target_os = "linux")]
fn a_link_whose_name_is_no_text_is_the_link() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new();
    repository_in(&world.root());
    let link = world.root().join(std::ffi::OsStr::from_bytes(b"\xff.dat"));
    std::os::unix::fs::symlink("a.txt", &link).unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "link"]);
    world.write("a.txt", "my work\n");
    for tool in ["git_restore", "git_add"] {
        // The link is as it was: there is nothing to do.
        let _ = world.tool(tool, json!({"paths": ["\\xff.dat"]}));
        assert_eq!(std::fs::read_to_string(world.root().join("a.txt")).unwrap(), "my work\n", "{tool}");
    }
    assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "");
    assert!(world.tool("git_blame", json!({"path": "\\xff.dat"})).is_err());
    std::fs::remove_file(&link).unwrap();
    world.tool("git_restore", json!({"paths": ["\\xff.dat"]})).unwrap();
    assert!(link.is_symlink());
    assert_eq!(std::fs::read_to_string(world.root().join("a.txt")).unwrap(), "my work\n");
}

/// A link in no repository leads where it leads for every other tool; one in a repository is a path of that one.
#[test]
fn a_link_outside_of_a_repository_is_followed() {
    let world = World::new();
    let root = world.root();
    repository_in(&root.join("m"));
    world.write("m/dir/b.txt", "b\n");
    git_in(&root.join("m"), &["add", "-A"]);
    git_in(&root.join("m"), &["commit", "-qm", "second"]);
    world.write("m/dir/b.txt", "bb\n");
    std::fs::create_dir_all(root.join("links")).unwrap();
    repository_in(&world.outside().join("other"));
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, root.join(name)).unwrap();
    link("m", "to_root");
    link(root.join("m").to_str().unwrap(), "links/whole");
    link("../m/dir", "links/to_folder");
    link("m/dir/b.txt", "to_file");
    link("m/.git", "to_git");
    link("m/nowhere", "to_nothing");
    link("links", "to_none");
    link(world.outside().join("other").to_str().unwrap(), "out");
    for path in ["to_root", "to_root/", "links/whole", "links/to_folder", "to_file"] {
        let status = world.tool("git_status", json!({"path": path})).unwrap();
        assert_eq!(status.data["unstaged"][0]["path"], json!("m/dir/b.txt"), "{path}");
        let diff = world.tool("git_diff", json!({"paths": [path]})).unwrap();
        assert_eq!(diff.data["files"][0]["path"], json!("m/dir/b.txt"), "{path}");
        let log = world.tool("git_log", json!({"path": path})).unwrap();
        let commits = if path.contains("root") || path.contains("whole") { 2 } else { 1 };
        assert_eq!(log.data["commits"].as_array().unwrap().len(), commits, "{path}");
        let show = world.tool("git_show", json!({"rev": "HEAD", "path": path}));
        assert!(show.is_ok(), "{path}: {show:?}");
        let staged = world.tool("git_add", json!({"paths": [path]})).unwrap();
        assert_eq!(staged.data["staged"], json!(["m/dir/b.txt"]), "{path}");
        world.tool("git_add", json!({"paths": [path], "unstage": true})).unwrap();
    }
    assert!(world.tool("git_blame", json!({"path": "to_file"})).is_ok());
    for (path, expected) in
        [("out", Code::OutsideWorkspace), ("to_git", Code::ProtectedPath), ("to_none", Code::NotARepo)]
    {
        assert_eq!(code(&world, "git_status", json!({"path": path})), Some(expected), "{path}");
        assert_eq!(code(&world, "git_add", json!({"paths": [path]})), Some(expected), "{path}");
    }
    assert_eq!(code(&world, "git_add", json!({"paths": ["to_nothing"]})), Some(Code::NotFound));
    // In a repository it stays a path of that one, wherever it leads.
    link("../m", "m/again");
    let added = world.tool("git_add", json!({"paths": ["m/again"]})).unwrap();
    assert_eq!(added.data["staged"], json!(["m/again"]));
    world.tool("git_commit", json!({"message": "by a link", "paths": ["to_file"]})).unwrap();
    assert_eq!(git_in(&root.join("m"), &["status", "--porcelain"]), "A  again\n");
}
