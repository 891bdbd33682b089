//! Hooks around `git_commit`: named, asked for, run as git runs them, and never able to slip something into the commit.

use std::{os::unix::fs::PermissionsExt as _, path::PathBuf, time::Duration};

use outrigger::{
    cancel::Cancel,
    policy::Preview,
    tier::Tier,
    tools::{Code, Reply, ToolError},
};
use serde_json::{Value, json};

use crate::{
    support::native::{self, World as NativeWorld},
    world::{World, find, git_command, permit, run, tier},
};

fn repository() -> World {
    repository_with(|_| {})
}

fn repository_with(change: impl FnOnce(&mut outrigger::config::Config)) -> World {
    let world = World::with(change);
    world.git(&["init", "-q", "-b", "topic"]);
    world.git(&["config", "user.name", "Ann"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    world.write("a.txt", "a\n");
    world.write("b.txt", "b\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world.write("a.txt", "changed\n");
    world.git(&["add", "-A"]);
    world
}

fn hook(world: &World, name: &str, script: &str) -> PathBuf {
    let path = world.write(&format!(".git/hooks/{name}"), format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn commit(world: &World, message: &str) -> Result<Reply<Value>, ToolError> {
    world.tool("git_commit", json!({"message": message}))
}

fn subject(world: &World) -> String {
    world.git(&["log", "-1", "--format=%s"]).trim().to_owned()
}

#[test]
fn hooks_run_as_git_runs_them() {
    let (ours, theirs) = (repository(), repository());
    for world in [&ours, &theirs] {
        for name in ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"] {
            hook(
                world,
                name,
                &format!(
                    "echo \"{name} [$*] [$GIT_PREFIX] [$GIT_EDITOR] [$GIT_INDEX_FILE] $(basename \"$PWD\")\" >> .git/ran\n\
                     git diff --cached --name-only >> .git/ran\n\
                     test -z \"$1\" || cat \"$1\" >> .git/ran"
                ),
            );
        }
    }
    let reply = commit(&ours, "the message").unwrap();
    theirs.git(&["commit", "-q", "-m", "the message"]);
    let ran = |world: &World| std::fs::read_to_string(world.root().join(".git/ran")).unwrap();
    assert_eq!(ran(&ours), ran(&theirs));
    assert_eq!(
        reply.data["hooks_run"],
        json!(["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"])
    );
    assert_eq!(ours.git(&["rev-parse", "HEAD^{tree}"]), theirs.git(&["rev-parse", "HEAD^{tree}"]));
}

#[test]
fn no_hook_of_a_commit_runs_that_git_would_not_begin() {
    let world = repository();
    hook(&world, "pre-commit", "touch ran");
    world.write(".git/index.lock", "");
    assert!(!world.git_output(&["commit", "-qm", "by git"]).status.success());
    for arguments in [json!({"message": "m"}), json!({"message": "m", "paths": ["a.txt"]})] {
        let error = world.tool("git_commit", arguments).unwrap_err();
        assert!(error.code == Code::Busy && error.hint.contains("`.git/index.lock`"), "{error}");
        assert!(!world.root().join("ran").exists());
    }
    // One that a hook leaves behind is in the way as well.
    std::fs::remove_file(world.root().join(".git/index.lock")).unwrap();
    hook(&world, "pre-commit", "touch .git/index.lock");
    assert_eq!(commit(&world, "m").unwrap_err().code, Code::Busy);
    assert_eq!(subject(&world), "first");
    std::fs::remove_file(world.root().join(".git/index.lock")).unwrap();
    hook(&world, "pre-commit", "git status >/dev/null");
    commit(&world, "m").unwrap();
    assert_eq!(subject(&world), "m");
}

/// libgit2 1.9 ends the process where settings that it read have changed meanwhile and cannot be read any more.
#[test]
fn settings_that_a_hook_breaks_end_nothing() {
    let world = repository();
    let settings = std::fs::read(world.root().join(".git/config")).unwrap();
    hook(&world, "pre-commit", "printf '[core\\nrubbish' > .git/config");
    let outcome = commit(&world, "m");
    world.write(".git/config", settings);
    assert_eq!(subject(&world), if outcome.is_ok() { "m" } else { "first" }, "{outcome:?}");
}

#[test]
fn the_plan_names_each_hook_with_its_hash() {
    let world = repository();
    let path = hook(&world, "pre-commit", "true");
    hook(&world, "post-commit", "true");
    let arguments = json!({"message": "m"});
    let plan = world.plan("git_commit", arguments.clone()).unwrap().unwrap();
    let Preview::Commit { hooks, .. } = &plan.preview else { panic!() };
    let hash = outrigger::ids::sha256_hex(&std::fs::read(&path).unwrap());
    assert_eq!(hooks.len(), 2);
    assert!(hooks[0].starts_with("pre-commit sha256:") && hash.starts_with(&hooks[0][18..]), "{hooks:?}");
    assert!(
        plan.reasons.iter().any(|reason| reason.contains("pre-commit, post-commit")),
        "{:?}",
        plan.reasons
    );
    assert_eq!(tier(&world.call, "git_commit", arguments), Tier::Individual);
    hook(&world, "pre-commit", "true # changed");
    let other = world.plan("git_commit", json!({"message": "m"})).unwrap().unwrap();
    assert_ne!(plan.digest, other.digest);
}

#[test]
fn a_failing_hook_stops_the_commit() {
    for name in ["pre-commit", "prepare-commit-msg", "commit-msg"] {
        let world = repository();
        hook(&world, name, "echo 'the reason'; exit 3");
        let error = commit(&world, "m").unwrap_err();
        assert_eq!(error.code, Code::HookFailed);
        assert!(error.message.contains(&format!("the hook `{name}` exited with code 3")), "{error}");
        assert!(error.message.contains("the reason"), "{error}");
        assert_eq!(subject(&world), "first");
        assert_eq!(world.git(&["status", "--porcelain"]), "M  a.txt\n");
    }
    let world = repository();
    hook(&world, "post-commit", "exit 1");
    let reply = commit(&world, "m").unwrap();
    assert!(reply.warnings[0].contains("`post-commit` exited with code 1; the commit stands"), "{reply:?}");
    assert_eq!(subject(&world), "m");
}

#[test]
fn a_hook_without_an_interpreter_fails_and_says_so() {
    let world = repository();
    let path = hook(&world, "pre-commit", "");
    std::fs::write(&path, "#!/no/such/program\n").unwrap();
    let error = commit(&world, "m").unwrap_err();
    assert_eq!(error.code, Code::HookFailed, "{error}");
    assert!(error.message.contains("could not be run"), "{error}");
    assert_eq!(subject(&world), "first");
}

#[test]
fn a_commit_stands_though_the_hook_after_it_is_another_by_then() {
    let world = repository();
    hook(&world, "post-commit", "touch ran");
    hook(&world, "pre-commit", "echo 'touch ran' >> .git/hooks/post-commit");
    let reply = commit(&world, "m").unwrap();
    let told = "`post-commit` is not the one that was shown, and did not run; the commit stands";
    assert!(reply.warnings.iter().any(|warning| warning.contains(told)), "{:?}", reply.warnings);
    assert!(subject(&world) == "m" && !world.root().join("ran").exists());
}

#[test]
fn a_hook_may_change_the_message() {
    let world = repository();
    hook(&world, "prepare-commit-msg", "printf 'Ticket 7: %s\\n' \"$(cat \"$1\")\" > \"$1\"");
    hook(&world, "commit-msg", "printf '\\nChange-Id: I1\\n' >> \"$1\"");
    let reply = commit(&world, "m").unwrap();
    assert_eq!(world.git(&["log", "-1", "--format=%B"]), "Ticket 7: m\n\nChange-Id: I1\n\n");
    assert!(reply.warnings[0].contains("Ticket 7: m"), "{reply:?}");
    assert!(reply.text.contains("Ticket 7: m"), "{}", reply.text);
    world.write("a.txt", "again\n");
    world.git(&["add", "-A"]);
    for (script, words) in [
        (": > \"$1\"", "emptied the message"),
        ("printf 'a\\000b' > \"$1\"", "put a NUL into the message"),
        ("rm \"$1\"; mkfifo \"$1\"", "left no readable `.git/COMMIT_EDITMSG`"),
        ("rm \"$1\"; ln -s /etc/passwd \"$1\"", "left no readable `.git/COMMIT_EDITMSG`"),
        ("rm \"$1\"", "left no readable `.git/COMMIT_EDITMSG`"),
        (
            "head -c 300000 /dev/zero | tr '\\000' x > \"$1\"",
            "left no readable `.git/COMMIT_EDITMSG`: it is longer than 256 KiB",
        ),
    ] {
        hook(&world, "commit-msg", script);
        let error = commit(&world, "m").unwrap_err();
        assert_eq!(error.code, Code::HookFailed, "{script}: {error}");
        assert!(error.message.contains(&format!("a hook {words}")), "{script}: {error}");
        assert!(error.message.contains("nothing was committed"), "{script}: {error}");
        let _ = std::fs::remove_file(world.root().join(".git/COMMIT_EDITMSG"));
    }
    assert_eq!(subject(&world), "Ticket 7: m");
}

#[test]
fn a_hook_cannot_slip_something_into_the_commit() {
    let stages = "echo formatted > b.txt; git add b.txt";
    let commits = "git update-ref HEAD $(git commit-tree -p HEAD -m sneaked HEAD^{tree})";
    for (name, script, told) in [
        ("pre-commit", stages, "the hook `pre-commit` changed what is staged; nothing was committed"),
        ("commit-msg", stages, "the hook `commit-msg` changed what is staged; nothing was committed"),
        (
            "prepare-commit-msg",
            commits,
            "HEAD went elsewhere while the hook `prepare-commit-msg` ran; nothing was committed",
        ),
    ] {
        let world = repository();
        hook(&world, name, script);
        let head = world.git(&["rev-parse", "HEAD"]);
        let error = commit(&world, "m").unwrap_err();
        assert_eq!(error.code, Code::Stale, "{name}: {error}");
        assert_eq!(error.message, told);
        if name != "prepare-commit-msg" {
            assert_eq!(world.git(&["rev-parse", "HEAD"]), head);
            // The next plan shows what the hook staged; this time it changes nothing more.
            let reply = commit(&world, "m").unwrap();
            assert_eq!(reply.data["files"], json!(["a.txt", "b.txt"]));
        }
    }
}

#[test]
fn names_and_messages_in_latin1_are_committed_as_git_does() {
    let (ours, theirs) = (repository(), repository());
    for world in [&ours, &theirs] {
        hook(world, "commit-msg", "printf 'Gr\\374\\337e aus Köln\\n' > \"$1\"");
        let config = world.root().join(".git/config");
        let text = [
            std::fs::read(&config).unwrap(),
            b"[user]\n\tname = J\xfcrgen\n\temail = j\xfc@example.org\n".to_vec(),
        ];
        std::fs::write(config, text.concat()).unwrap();
    }
    commit(&ours, "m").unwrap();
    theirs.git(&["commit", "-qm", "m"]);
    let said = |world: &World, format: &str| world.git(&["log", "-1", &format!("--format={format}")]);
    assert_eq!(said(&ours, "%B"), said(&theirs, "%B"));
    // For git itself the environment names the author.
    assert_eq!(said(&ours, "%an %ae %cn %ce").trim(), "Jürgen jü@example.org Jürgen jü@example.org");
}

#[test]
fn a_commit_goes_to_the_branch_that_was_shown_or_to_none() {
    for name in ["pre-commit", "commit-msg"] {
        for leave in
            ["git symbolic-ref HEAD refs/heads/other", "git checkout -q --detach", "git switch -q other"]
        {
            let world = repository();
            world.git(&["branch", "other"]);
            hook(&world, name, leave);
            let error = commit(&world, "message").unwrap_err();
            assert_eq!(error.code, Code::Stale, "{name}, {leave}: {error}");
            for branch in ["topic", "other", "HEAD"] {
                let said = world.git(&["log", "-1", "--format=%s", branch]);
                assert_eq!(said.trim(), "first", "{name}, {leave}: {branch}");
            }
        }
    }
}

#[test]
fn a_commit_of_some_paths_shows_hooks_only_those() {
    let world = repository();
    world.write("b.txt", "also changed\n");
    hook(&world, "pre-commit", "git diff --cached --name-only > .git/seen");
    world.tool("git_commit", json!({"message": "only b", "paths": ["b.txt"]})).unwrap();
    assert_eq!(std::fs::read_to_string(world.root().join(".git/seen")).unwrap(), "b.txt\n");
    assert_eq!(world.git(&["status", "--porcelain"]), "M  a.txt\n");
    let left: Vec<_> = std::fs::read_dir(world.root().join(".git"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("tmp") || name.contains("outrigger"))
        .collect();
    assert_eq!(left, [""; 0]);
    hook(&world, "pre-commit", "git add a.txt b.txt; git read-tree --empty");
    world.write("b.txt", "and again\n");
    let error = world.tool("git_commit", json!({"message": "x", "paths": ["b.txt"]})).unwrap_err();
    assert_eq!(error.code, Code::Stale, "{error}");
}

#[test]
fn what_was_named_is_what_runs() {
    let world = repository();
    hook(&world, "pre-commit", "true");
    let arguments = json!({"message": "m"});
    let tool = find("git_commit");
    let prepared = tool.prepare(arguments.clone(), &world.call).unwrap();
    let canary = world.outside().join("canary");
    hook(&world, "pre-commit", &format!("touch '{}'", canary.display()));
    let permit = permit(&world.call, tool, &arguments, &prepared.intent).unwrap();
    assert_eq!(prepared.run(&permit, &world.call).unwrap_err().code, Code::Stale);
    assert!(!canary.exists());
    assert_eq!(subject(&world), "first");
}

#[test]
fn hooks_from_anywhere_else_are_refused() {
    let world = repository();
    let path = hook(&world, "pre-commit", "true");
    world.git(&["config", "core.hooksPath", ".git/hooks"]);
    commit(&world, "its own folder, spelled out").unwrap();
    world.write("a.txt", "more\n");
    world.git(&["add", "-A"]);
    for elsewhere in [".husky", "/etc/git-hooks", "../hooks", ".git/other", ".git/hooks/../../hooks"] {
        world.git(&["config", "core.hooksPath", elsewhere]);
        let error = commit(&world, "m").unwrap_err();
        assert!(error.code == Code::UnsupportedHere && error.message.contains("core.hooksPath"), "{error}");
    }
    world.git(&["config", "--unset", "core.hooksPath"]);
    std::fs::rename(&path, world.root().join("tracked-hook")).unwrap();
    std::os::unix::fs::symlink("../../tracked-hook", &path).unwrap();
    let error = commit(&world, "m").unwrap_err();
    assert!(error.code == Code::UnsupportedHere && error.message.contains("a link"), "{error}");
    std::fs::remove_file(&path).unwrap();
    world.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    assert_eq!(tier(&world.call, "git_commit", json!({"message": "m"})), Tier::Batch);
    let reply = commit(&world, "an inactive hook is none").unwrap();
    assert_eq!(reply.data["hooks_run"], json!([]));
}

#[test]
fn a_hook_with_a_say_in_every_change_of_a_branch_is_not_passed_over() {
    let world = repository();
    let path = hook(&world, "reference-transaction", "exit 1");
    let error = commit(&world, "m").unwrap_err();
    assert!(
        error.code == Code::UnsupportedHere && error.message.contains("`reference-transaction`"),
        "{error}"
    );
    std::fs::remove_file(path).unwrap();
    commit(&world, "without it").unwrap();
}

#[test]
fn without_commands_there_are_no_hooks() {
    let world = repository_with(|config| config.exec.enabled = false);
    hook(&world, "pre-commit", "true");
    let error = commit(&world, "m").unwrap_err();
    assert!(error.code == Code::UnsupportedHere && error.message.contains("exec.enabled"), "{error}");
}

#[test]
fn a_stopped_hook_leaves_no_commit() {
    let world = repository();
    hook(&world, "pre-commit", "touch .git/began; sleep 30");
    let mut call = world.call.clone();
    call.cancel = Cancel::new();
    let (cancel, began) = (call.cancel.clone(), world.root().join(".git/began"));
    let stopper = std::thread::spawn(move || {
        while !began.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        cancel.cancel();
    });
    let error = run(&call, "git_commit", json!({"message": "m"})).unwrap_err();
    stopper.join().unwrap();
    assert_eq!(error.code, Code::Cancelled, "{error}");
    assert_eq!(subject(&world), "first");
}

#[test]
fn a_commit_with_a_hook_over_the_wire() {
    let world = NativeWorld::new("");
    let git = |args: &[&str]| {
        assert!(git_command(&world.workspace()).args(args).status().unwrap().success(), "{args:?}");
    };
    git(&["init", "-q", "-b", "topic"]);
    git(&["config", "user.name", "Ann"]);
    git(&["config", "user.email", "ann@example.org"]);
    world.write("a.txt", "a\n");
    world.write(".git/hooks/pre-commit", "#!/bin/sh\necho hello from the hook\n");
    let path = world.workspace().join(".git/hooks/pre-commit");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut port: native::Port = world.connect();
    port.hello();
    port.call_allowed("git_add", json!({"paths": ["."]}), json!({}));
    let arguments = json!({"message": "over the wire"});
    let asked = port.call("git_commit", arguments.clone());
    assert_eq!(asked["_meta"]["dev.outrigger/plan"]["tier"], json!("individual"), "{asked:#}");
    let done = port.answer_plan("git_commit", arguments, json!({}), &asked, json!({"decision": "allow"}));
    assert_eq!(done["structuredContent"]["data"]["hooks_run"], json!(["pre-commit"]), "{done:#}");
    let log = port.call("git_log", json!({}));
    assert_eq!(log["structuredContent"]["data"]["commits"][0]["subject"], json!("over the wire"), "{log:#}");
    let show = port.call("git_show", json!({"rev": "HEAD", "path": "a.txt"}));
    assert_eq!(show["content"][0]["text"], json!("   1|a\n(lines 1-1 of 1)\n"), "{show:#}");
}
