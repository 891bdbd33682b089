//! `git_sync`: what is exchanged, and that nothing a repository configures takes part in it.

use std::os::unix::fs::PermissionsExt as _;

use outrigger::{
    config::Config,
    policy::Preview,
    tier::Tier,
    tools::{Code, Reply, ToolError},
};
use serde_json::{Value, json};

use crate::{
    support::native::World as NativeWorld,
    world::{World, find, git_command, permit, tier, with_values},
};

fn on(config: &mut Config) {
    config.git.sync = true;
    config.git.protocols = vec!["file"];
}

/// A repository with the remote `origin`, which lies beside it in the workspace so that a push may write there.
fn pair() -> World {
    pair_with(on)
}

fn pair_with(change: impl FnOnce(&mut Config)) -> World {
    let world = World::with(change);
    world.git(&["init", "-q", "-b", "topic"]);
    world.git(&["config", "user.name", "Ann"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    world.write(".git/info/exclude", "remote.git\nother\n");
    world.write("a.txt", "a\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world.git(&["init", "-q", "--bare", "-b", "topic", "remote.git"]);
    let url = world.root().join("remote.git");
    world.git(&["remote", "add", "origin", url.to_str().unwrap()]);
    world.git(&["push", "-q", "-u", "origin", "topic"]);
    world
}

/// Somebody else pushes a commit.
fn somebody_pushes(world: &World, file: &str) -> String {
    let other = world.root().join("other");
    if !other.exists() {
        world.git(&["clone", "-q", "remote.git", "other"]);
    }
    let git = |args: &[&str]| {
        let output = git_command(&other).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["pull", "-q", "--rebase"]);
    std::fs::write(other.join(file), "theirs\n").unwrap();
    git(&["add", "-A"]);
    git(&["commit", "-qm", &format!("theirs: {file}")]);
    git(&["tag", &format!("tag-{file}")]);
    git(&["push", "-q", "--tags", "origin", "topic"]);
    git(&["rev-parse", "HEAD"])
}

fn sync(world: &World, arguments: Value) -> Result<Reply<Value>, ToolError> {
    world.tool("git_sync", arguments)
}

#[test]
fn it_is_off_until_it_is_turned_on() {
    let world = pair_with(|_| {});
    let error = sync(&world, json!({"action": "fetch"})).unwrap_err();
    assert_eq!(error.code, Code::CommandNotAllowed);
    assert!(!find("git_sync").is_offered(&world.call.config));
    let mut config = Config::default();
    on(&mut config);
    assert!(find("git_sync").is_offered(&config));
    let world = pair_with(|config| {
        on(config);
        config.exec.enabled = false;
    });
    assert_eq!(sync(&world, json!({"action": "fetch"})).unwrap_err().code, Code::CommandNotAllowed);
}

#[test]
fn it_is_listed_only_where_it_is_turned_on() {
    for (lines, listed) in
        [("[tools]\nprofile = \"full\"", false), ("[tools]\nprofile = \"full\"\n[git]\nsync = true", true)]
    {
        let world = NativeWorld::new(lines);
        let mut port = world.connect();
        port.hello();
        let tools = port.request("tools/list", json!({}));
        let names: Vec<&str> = tools["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(names.contains(&"git_sync"), listed, "{names:?}");
        assert!(names.contains(&"git_switch") && names.contains(&"git_blame"));
    }
}

#[test]
fn what_others_pushed_is_fetched() {
    let world = pair();
    let theirs = somebody_pushes(&world, "new.txt");
    let head = world.git(&["rev-parse", "HEAD"]);
    let reply = sync(&world, json!({"action": "fetch"})).unwrap();
    let names: Vec<&str> = reply.data["refs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["refs/remotes/origin/topic", "refs/tags/tag-new.txt"]);
    assert_eq!(reply.data["refs"][0]["to"], json!(theirs));
    assert_eq!(world.git(&["rev-parse", "origin/topic"]).trim(), theirs);
    assert_eq!(world.git(&["rev-parse", "HEAD"]), head);
    world.git(&["fsck", "--strict"]);
    assert!(!world.root().join(".git/outrigger-exchange").exists());
    let reply = sync(&world, json!({"action": "fetch", "branch": "topic"})).unwrap();
    assert!(reply.text.starts_with("nothing new from `origin`"), "{}", reply.text);
}

#[test]
fn a_pull_shows_before_it_changes_files() {
    let world = pair();
    let theirs = somebody_pushes(&world, "new.txt");
    let plan = world.plan("git_sync", json!({"action": "pull"})).unwrap().unwrap();
    assert!(matches!(plan.preview, Preview::Command { network: true, .. }), "{plan:?}");
    assert_eq!(plan.tier, Tier::Individual);
    let reply = sync(&world, json!({"action": "pull"})).unwrap();
    assert!(reply.text.contains("call git_sync `pull` again"), "{}", reply.text);
    assert!(!world.root().join("new.txt").exists());
    let plan = world.plan("git_sync", json!({"action": "pull"})).unwrap().unwrap();
    let Preview::Files { files } = &plan.preview else { panic!("{plan:?}") };
    assert_eq!((files.len(), files[0].path.as_str()), (1, "new.txt"));
    let reply = sync(&world, json!({"action": "pull"})).unwrap();
    assert_eq!(reply.data["files"], json!(["new.txt"]));
    assert_eq!(world.git(&["rev-parse", "topic"]).trim(), theirs);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert_eq!(world.git(&["log", "-g", "-1", "--format=%gs"]), "pull: Fast-forward\n");
    let reply = sync(&world, json!({"action": "pull"})).unwrap();
    assert!(reply.text.contains("up to date"), "{}", reply.text);
    // A local change in the way is never lost.
    somebody_pushes(&world, "another.txt");
    sync(&world, json!({"action": "pull"})).unwrap();
    world.write("another.txt", "mine\n");
    let error = sync(&world, json!({"action": "pull"})).unwrap_err();
    assert!(error.code == Code::Stale && error.message.contains("another.txt"), "{error}");
    std::fs::remove_file(world.root().join("another.txt")).unwrap();
    world.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    let error = sync(&world, json!({"action": "pull"})).unwrap_err();
    assert!(error.code == Code::Stale && error.message.contains("gone apart"), "{error}");
}

#[test]
fn a_branch_without_commits_is_pulled() {
    for is_there in [false, true] {
        let made = || {
            let world = World::with(on);
            world.git(&["init", "-q", "-b", "topic"]);
            world.git(&["config", "user.name", "Ann"]);
            world.git(&["config", "user.email", "ann@example.org"]);
            world.write(".git/info/exclude", "remote.git\n");
            world.git(&["init", "-q", "--bare", "-b", "topic", "remote.git"]);
            let from = pair();
            let url = world.root().join("remote.git");
            from.git(&["push", "-q", url.to_str().unwrap(), "topic"]);
            world.git(&["remote", "add", "origin", url.to_str().unwrap()]);
            if is_there {
                world.write("a.txt", "mine\n");
            }
            world
        };
        let (world, theirs) = (made(), made());
        let reply = sync(&world, json!({"action": "pull"})).unwrap();
        assert!(reply.text.contains("call git_sync `pull` again"), "{}", reply.text);
        let done = sync(&world, json!({"action": "pull"}));
        if is_there {
            // As git does it.
            assert!(!theirs.git_output(&["pull", "-q", "origin", "topic"]).status.success());
            assert!(done.unwrap_err().message.contains("a.txt"));
            assert_eq!(std::fs::read_to_string(world.root().join("a.txt")).unwrap(), "mine\n");
            continue;
        }
        theirs.git(&["pull", "-q", "origin", "topic"]);
        let data = done.unwrap().data;
        assert_eq!((&data["refs"][0]["from"], &data["files"]), (&json!(""), &json!(["a.txt"])));
        for arguments in [&["log", "--format=%T %s"][..], &["status", "--porcelain"], &["ls-files", "-s"]] {
            assert_eq!(world.git(arguments), theirs.git(arguments), "{arguments:?}");
        }
        assert_eq!(world.git(&["log", "-g", "-1", "--format=%gs"]), "initial pull\n");
        assert!(sync(&world, json!({"action": "pull"})).unwrap().text.contains("up to date"));
    }
}

#[test]
fn a_pull_leaves_alone_what_git_was_told_to_leave_alone() {
    for flag in ["--skip-worktree", "--assume-unchanged"] {
        let world = pair();
        somebody_pushes(&world, "a.txt");
        world.git(&["update-index", flag, "a.txt"]);
        world.write("a.txt", "local\n");
        let before = (world.git(&["ls-files", "-v"]), world.git(&["rev-parse", "HEAD"]));
        sync(&world, json!({"action": "pull"})).unwrap();
        let error = sync(&world, json!({"action": "pull"})).unwrap_err();
        assert_eq!(error.code, Code::UnsupportedHere, "{flag} {error}");
        assert!(error.message.contains("`a.txt`") && error.message.contains(&flag[2..]), "{error}");
        assert_eq!(std::fs::read_to_string(world.root().join("a.txt")).unwrap(), "local\n");
        assert_eq!((world.git(&["ls-files", "-v"]), world.git(&["rev-parse", "HEAD"])), before, "{flag}");
        // What comes to other paths goes on.
        let world = pair();
        somebody_pushes(&world, "b.txt");
        world.git(&["update-index", flag, "a.txt"]);
        world.write("a.txt", "local\n");
        let before = world.git(&["ls-files", "-v", "a.txt"]);
        sync(&world, json!({"action": "pull"})).unwrap();
        sync(&world, json!({"action": "pull"})).unwrap();
        assert_eq!(std::fs::read_to_string(world.root().join("a.txt")).unwrap(), "local\n");
        assert_eq!(world.git(&["ls-files", "-v", "a.txt"]), before, "{flag}");
        assert!(world.root().join("b.txt").exists());
    }
}

#[test]
fn a_push_sends_what_was_approved() {
    let world = pair();
    world.write("a.txt", "mine\n");
    world.git(&["commit", "-qam", "mine"]);
    let head = world.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let arguments = json!({"action": "push"});
    let plan = world.plan("git_sync", arguments.clone()).unwrap().unwrap();
    assert!(
        plan.summary.starts_with(&format!("Push 1 commit of `topic`, up to {}, to `origin`", &head[..10])),
        "{}",
        plan.summary
    );
    let tool = find("git_sync");
    let prepared = tool.prepare(arguments.clone(), &world.call).unwrap();
    // What is committed after the plan is not sent.
    world.git(&["commit", "-q", "--allow-empty", "-m", "later"]);
    let permit = permit(&world.call, tool, &arguments, &prepared.intent).unwrap();
    let reply = with_values(prepared.run(&permit, &world.call).unwrap());
    assert_eq!(reply.data["refs"][0]["to"], json!(head));
    assert_eq!(world.git(&["--git-dir=remote.git", "rev-parse", "topic"]).trim(), head);
    assert_eq!(world.git(&["rev-parse", "origin/topic"]).trim(), head);
    // A new branch.
    world.git(&["branch", "feature/x"]);
    let feature = json!({"action": "push", "branch": "feature/x"});
    let tip = world.git(&["rev-parse", "feature/x"]).trim().to_owned();
    let came = json!([{"name": "refs/heads/feature/x", "from": "", "to": tip}]);
    assert_eq!(sync(&world, feature.clone()).unwrap().data["refs"], came);
    // Once more there is nothing of it, whatever is known of the remote here.
    for knows in [true, false] {
        if !knows {
            world.git(&["update-ref", "-d", "refs/remotes/origin/feature/x"]);
        }
        let again = sync(&world, feature.clone()).unwrap();
        assert_eq!(again.data["refs"], json!([]), "{}", again.text);
        assert!(again.text.starts_with("nothing to push: `origin` has all of `feature/x`"), "{}", again.text);
        assert_eq!(world.git(&["rev-parse", "origin/feature/x"]).trim(), tip);
    }
    // One that the remote has lost comes there again.
    world.git(&["--git-dir=remote.git", "branch", "-D", "feature/x"]);
    let again = sync(&world, feature).unwrap();
    assert_eq!(again.data["refs"][0]["to"], json!(tip), "{}", again.text);
    assert!(world.git(&["--git-dir=remote.git", "branch"]).contains("feature/x"));
}

#[test]
fn a_push_goes_where_git_would_push() {
    let settings: [&[&str]; 2] = [&["remote.pushDefault", "fork"], &["branch.topic.pushRemote", "fork"]];
    for setting in settings {
        let world = pair();
        world.write(".git/info/exclude", "remote.git\nother\nfork.git\n");
        world.git(&["init", "-q", "--bare", "-b", "topic", "fork.git"]);
        let fork = world.root().join("fork.git");
        world.git(&["remote", "add", "fork", fork.to_str().unwrap()]);
        world.git(&[&["config"], setting].concat());
        let first = world.git(&["rev-parse", "HEAD"]);
        world.write("a.txt", "mine\n");
        world.git(&["commit", "-qam", "mine"]);
        sync(&world, json!({"action": "push"})).unwrap();
        let head = world.git(&["rev-parse", "HEAD"]);
        assert_eq!(world.git(&["--git-dir=fork.git", "rev-parse", "topic"]), head, "{setting:?}");
        assert_eq!(world.git(&["rev-parse", "fork/topic"]), head);
        assert_eq!(world.git(&["--git-dir=remote.git", "rev-parse", "topic"]), first);
        // Taking in is another thing, and a name is a name.
        assert!(sync(&world, json!({"action": "fetch"})).unwrap().text.contains("`origin`"));
        sync(&world, json!({"action": "push", "remote": "origin"})).unwrap();
        assert_eq!(world.git(&["--git-dir=remote.git", "rev-parse", "topic"]), head);
    }
}

/// A branch `mine` that follows `topic` of `origin`, one commit ahead.
fn mine_follows_topic() -> World {
    let world = pair();
    world.git(&["switch", "-q", "-c", "mine", "--track", "origin/topic"]);
    world.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    world
}

#[test]
fn a_push_changes_the_branch_that_git_would_change() {
    let current = json!({"action": "push"});
    let named = json!({"action": "push", "branch": "mine"});
    for (default, arguments, git) in [
        ("upstream", &current, &["push"][..]),
        ("upstream", &named, &["push", "origin", "mine"]),
        ("current", &current, &["push"]),
        ("current", &named, &["push", "origin", "mine"]),
        ("simple", &named, &["push", "origin", "mine"]),
        ("nothing", &named, &["push", "origin", "mine"]),
        ("matching", &named, &["push", "origin", "mine"]),
    ] {
        let branches = |world: &World| world.git(&["--git-dir=remote.git", "branch", "--format=%(refname)"]);
        let (world, theirs) = (mine_follows_topic(), mine_follows_topic());
        world.git(&["config", "push.default", default]);
        theirs.git(&["config", "push.default", default]);
        theirs.git(git);
        let plan = world.plan("git_sync", arguments.clone()).unwrap().unwrap();
        let reply = sync(&world, arguments.clone()).unwrap();
        assert_eq!(branches(&world), branches(&theirs), "{default} {arguments}");
        let changed = reply.data["refs"][0]["name"].as_str().unwrap();
        let head = world.git(&["rev-parse", "HEAD"]);
        assert_eq!(world.git(&["--git-dir=remote.git", "rev-parse", changed]), head, "{default} {arguments}");
        let there = changed.replace("heads", "remotes/origin");
        assert_eq!(world.git(&["rev-parse", &there]), head, "{default} {arguments}");
        let name = changed.strip_prefix("refs/heads/").unwrap();
        assert!(plan.summary.contains(&format!("`{name}`")), "{}", plan.summary);
    }
}

#[test]
fn a_push_that_git_would_not_make_is_refused() {
    for (key, value, named) in [
        ("push.default", "simple", "`push.default` is `simple`"),
        ("push.default", "nothing", "`push.default` is `nothing`"),
        ("push.default", "matching", "`push.default` is `matching`"),
        ("push.default", "odd", "`push.default` is `odd`"),
        ("remote.origin.push", "HEAD:refs/for/topic", "`remote.origin.push`"),
        ("remote.origin.mirror", "true", "`remote.origin.mirror`"),
    ] {
        let world = mine_follows_topic();
        world.git(&["config", key, value]);
        let error = sync(&world, json!({"action": "push"})).unwrap_err();
        assert!(error.message.contains(named), "{key} {value}: {error}");
    }
    let world = mine_follows_topic();
    world.git(&["config", "--unset", "branch.mine.merge"]);
    world.git(&["config", "push.default", "upstream"]);
    let error = sync(&world, json!({"action": "push"})).unwrap_err();
    assert!(error.message.contains("follows no branch"), "{error}");
    // Whoever follows nothing pushes a new branch.
    world.git(&["config", "--unset", "push.default"]);
    sync(&world, json!({"action": "push"})).unwrap();
}

#[test]
fn of_several_addresses_the_first_is_fetched_from_and_none_is_pushed_to() {
    let world = pair();
    let theirs = somebody_pushes(&world, "new.txt");
    world.git(&["init", "-q", "--bare", "-b", "topic", "empty.git"]);
    let empty = world.root().join("empty.git").display().to_string();
    world.git(&["config", "--add", "remote.origin.url", &empty]);
    sync(&world, json!({"action": "fetch"})).unwrap();
    assert_eq!(world.git(&["rev-parse", "origin/topic"]).trim(), theirs);
    let error = sync(&world, json!({"action": "push"})).unwrap_err();
    assert_eq!(error.code, Code::UnsupportedHere, "{error}");
    assert!(error.message.contains("2 addresses"), "{error}");
    world.git(&["config", "--add", "remote.origin.pushurl", &empty]);
    sync(&world, json!({"action": "push"})).unwrap();
    world.git(&["config", "--add", "remote.origin.pushurl", "./remote.git"]);
    let error = sync(&world, json!({"action": "push"})).unwrap_err();
    assert!(error.message.contains("2 addresses"), "{error}");
}

#[test]
fn a_fetch_keeps_what_git_keeps() {
    for (refspecs, tags) in [
        (&["+refs/heads/topic:refs/remotes/origin/topic"][..], ""),
        (&["+refs/heads/*:refs/remotes/elsewhere/*"], ""),
        (&["+refs/heads/*:refs/remotes/origin/*", "^refs/heads/b*"], ""),
        (&["+refs/heads/topic:refs/remotes/origin/t", "+refs/pull/*/head:refs/remotes/origin/pr/*"], ""),
        (&["+refs/heads/*:refs/remotes/origin/*", "refs/notes/*:refs/notes/*"], "--no-tags"),
        (&["+refs/heads/b:refs/remotes/origin/b"], "--tags"),
    ] {
        let made = || {
            let world = pair();
            somebody_pushes(&world, "new.txt");
            for name in ["refs/heads/a", "refs/heads/b", "refs/heads/b2", "refs/pull/7/head", "refs/notes/n"]
            {
                world.git(&["--git-dir=remote.git", "update-ref", name, "refs/heads/topic"]);
            }
            world.git(&["config", "--unset-all", "remote.origin.fetch"]);
            for refspec in refspecs {
                world.git(&["config", "--add", "remote.origin.fetch", refspec]);
            }
            world.git(&["config", "remote.origin.tagOpt", tags]);
            world
        };
        let names = |world: &World| world.git(&["for-each-ref", "--format=%(refname)"]);
        let (world, theirs) = (made(), made());
        theirs.git(&["fetch", "-q", "origin"]);
        sync(&world, json!({"action": "fetch"})).unwrap();
        assert_eq!(names(&world), names(&theirs), "{refspecs:?}");
    }
}

#[test]
fn a_fetch_forgets_what_is_gone_where_git_does() {
    for (settings, packed) in [
        (&[("fetch.prune", "true")][..], true),
        (&[("fetch.prune", "true")], false),
        (&[("fetch.prune", "true"), ("remote.origin.prune", "false")], true),
        (&[("remote.origin.prune", "true")], false),
        (&[], true),
    ] {
        let made = || {
            let world = pair();
            let there = |args: &[&str]| world.git(&[&["--git-dir=remote.git", "update-ref"], args].concat());
            for name in ["refs/heads/a", "refs/heads/b", "refs/tags/t"] {
                there(&[name, "refs/heads/topic"]);
            }
            world.git(&["fetch", "-q", "origin"]);
            world.git(&["remote", "set-head", "origin", "b"]);
            world.git(&["branch", "mine", "origin/a"]);
            world.git(&["update-ref", "refs/remotes/other/a", "HEAD"]);
            if packed {
                world.git(&["pack-refs", "--all"]);
            }
            for name in ["refs/heads/a", "refs/tags/t"] {
                there(&["-d", name]);
            }
            // One that another was in the way of comes only where that is forgotten.
            if !settings.is_empty() && settings.len() < 2 {
                there(&["refs/heads/a/c", "refs/heads/topic"]);
            }
            for (key, value) in settings {
                world.git(&["config", key, value]);
            }
            world
        };
        let names = |world: &World| world.git(&["for-each-ref", "--format=%(refname) %(objecttype)"]);
        let (world, theirs) = (made(), made());
        theirs.git(&["fetch", "-q", "origin"]);
        let plan = world.plan("git_sync", json!({"action": "fetch"})).unwrap().unwrap();
        let reply = sync(&world, json!({"action": "fetch"})).unwrap();
        assert_eq!(names(&world), names(&theirs), "{settings:?} {packed}");
        let forgets = settings.len() == 1;
        assert_eq!(plan.summary.contains("forget those that are gone"), forgets, "{}", plan.summary);
        assert_eq!(reply.text.contains("refs/remotes/origin/a ") && reply.text.contains("-> gone"), forgets);
        assert_eq!(world.root().join(".git/logs/refs/remotes/origin/a").is_file(), !forgets);
        world.git(&["fsck", "--strict"]);
        assert!(sync(&world, json!({"action": "fetch"})).unwrap().text.starts_with("nothing new"));
    }
}

#[test]
fn what_is_followed_is_where_the_configuration_keeps_it() {
    let world = pair();
    world.git(&["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/elsewhere/*"]);
    let theirs = somebody_pushes(&world, "new.txt");
    sync(&world, json!({"action": "pull"})).unwrap();
    assert_eq!(world.git(&["rev-parse", "elsewhere/topic"]).trim(), theirs);
    sync(&world, json!({"action": "pull"})).unwrap();
    assert_eq!(world.git(&["rev-parse", "HEAD"]).trim(), theirs);
    // A fetch that would change branches of the user is none of ours.
    world.git(&["config", "remote.origin.fetch", "+refs/heads/*:refs/heads/*"]);
    let error = sync(&world, json!({"action": "fetch"})).unwrap_err();
    assert!(error.code == Code::UnsupportedHere && error.message.contains("remote.origin.fetch"), "{error}");
    sync(&world, json!({"action": "fetch", "branch": "topic"})).unwrap();
}

#[test]
fn a_pull_takes_from_the_branch_that_is_followed() {
    let world = pair();
    world.git(&["switch", "-q", "-c", "mine", "--track", "origin/topic"]);
    // Another one there has the same name.
    world.git(&["push", "-q", "origin", "HEAD:mine"]);
    let theirs = somebody_pushes(&world, "theirs.txt");
    sync(&world, json!({"action": "pull"})).unwrap();
    sync(&world, json!({"action": "pull"})).unwrap();
    assert_eq!(world.git(&["rev-parse", "mine"]).trim(), theirs);
    assert!(sync(&world, json!({"action": "pull"})).unwrap().text.contains("up to date"));
    world.git(&["config", "branch.mine.merge", "refs/tags/x"]);
    let error = sync(&world, json!({"action": "pull"})).unwrap_err();
    assert_eq!(error.code, Code::InvalidArgs, "{error}");
}

#[test]
fn only_the_configuration_allows_to_replace_commits() {
    let world = pair();
    somebody_pushes(&world, "new.txt");
    world.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    let error = sync(&world, json!({"action": "push"})).unwrap_err();
    assert_eq!(error.code, Code::Stale, "{error}");
    let error = sync(&world, json!({"action": "push", "force": true})).unwrap_err();
    assert_eq!(error.code, Code::ArgumentNotAllowed, "{error}");
    let world = pair_with(|config| {
        on(config);
        config.git.allow_force = true;
    });
    somebody_pushes(&world, "new.txt");
    world.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    // What was never fetched is never replaced.
    let error = sync(&world, json!({"action": "push", "force": true})).unwrap_err();
    assert_eq!(error.code, Code::Stale, "{error}");
    sync(&world, json!({"action": "fetch"})).unwrap();
    let plan = world.plan("git_sync", json!({"action": "push", "force": true})).unwrap().unwrap();
    assert!(
        plan.summary.contains("1 commit of `topic`") && plan.summary.contains("they replace 1 commit"),
        "{}",
        plan.summary
    );
    sync(&world, json!({"action": "push", "force": true})).unwrap();
    let error = sync(&world, json!({"action": "fetch", "force": true})).unwrap_err();
    assert_eq!(error.code, Code::ArgumentNotAllowed, "{error}");
}

fn trap(world: &World) -> String {
    let canary = world.outside().join("canary");
    // Inside, as only there a confined program could write.
    let inside = world.root().join("canary");
    let path = world.write(
        ".git/trap",
        format!(
            "#!/bin/sh\ntouch '{}' '{}'\nexec git-upload-pack \"$@\"\n",
            canary.display(),
            inside.display()
        ),
    );
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

fn assert_not_snapped(world: &World, what: &str) {
    let snapped = world.outside().join("canary").exists() || world.root().join("canary").exists();
    assert!(!snapped, "{what} ran the repository's program");
}

#[test]
fn nothing_a_repository_configures_runs() {
    let settings: &[&[(&str, &str)]] = &[
        &[("core.sshCommand", "TRAP"), ("core.gitProxy", "TRAP"), ("core.askPass", "TRAP")],
        &[("credential.helper", "TRAP"), ("core.fsmonitor", "TRAP"), ("core.pager", "TRAP")],
        &[("core.alternateRefsCommand", "TRAP"), ("uploadpack.packObjectsHook", "TRAP")],
        &[
            ("url.ext::TRAP .insteadOf", "ROOT"),
            ("protocol.ext.allow", "always"),
            ("protocol.allow", "always"),
        ],
        &[("gpg.program", "TRAP"), ("push.gpgSign", "true"), ("filter.x.process", "TRAP")],
        &[("core.hooksPath", "traps"), ("gc.auto", "1"), ("maintenance.auto", "true")],
        &[("remote.pushDefault", "evil"), ("remote.evil.url", "ext::TRAP")],
    ];
    for settings in settings {
        let world = pair();
        let program = trap(&world);
        for hook in ["pre-push", "reference-transaction", "post-merge", "pre-auto-gc", "post-index-change"] {
            for folder in [".git/hooks", "traps"] {
                std::fs::create_dir_all(world.root().join(folder)).unwrap();
                std::fs::copy(&program, world.root().join(folder).join(hook)).unwrap();
            }
        }
        for (key, value) in *settings {
            let value = value.replace("TRAP", &program).replace("ROOT", world.root().to_str().unwrap());
            world.git(&["config", &key.replace("TRAP", &program), &value]);
        }
        somebody_pushes(&world, "new.txt");
        let _ = std::fs::remove_file(world.root().join("canary"));
        let _ = std::fs::remove_file(world.outside().join("canary"));
        for arguments in [
            json!({"action": "fetch"}),
            json!({"action": "pull"}),
            json!({"action": "pull"}),
            json!({"action": "push"}),
        ] {
            sync(&world, arguments.clone()).unwrap();
            assert_not_snapped(&world, &format!("{arguments} with {settings:?}"));
        }
    }
}

#[test]
fn the_trap_snaps_for_plain_git() {
    // Otherwise the test above would prove nothing.
    let world = pair();
    let program = trap(&world);
    std::fs::copy(&program, world.root().join(".git/hooks/pre-push")).unwrap();
    let _ = world.git_output(&["push", "-q", "origin", "topic:other"]);
    assert!(world.root().join("canary").exists());
}

#[test]
fn remotes_that_name_programs_or_other_protocols_are_refused() {
    let world = pair();
    let url = world.git(&["config", "remote.origin.url"]);
    let program = trap(&world);
    for (url, code) in [
        ("ext::sh -c 'touch canary'", Code::InvalidArgs),
        ("--upload-pack=/bin/true", Code::InvalidArgs),
        ("ssh://-oProxyCommand=touch/x", Code::InvalidArgs),
        ("https://example.org/x.git", Code::ArgumentNotAllowed),
        ("git@example.org:x.git", Code::ArgumentNotAllowed),
    ] {
        world.git(&["config", "remote.origin.url", url]);
        for action in ["fetch", "pull", "push"] {
            assert_eq!(sync(&world, json!({"action": action})).unwrap_err().code, code, "{action} {url}");
        }
    }
    world.git(&["config", "remote.origin.url", url.trim()]);
    for key in ["uploadpack", "receivepack", "vcs"] {
        world.git(&["config", &format!("remote.origin.{key}"), &program]);
        let error = sync(&world, json!({"action": "fetch"})).unwrap_err();
        assert_eq!(error.code, Code::UnsupportedHere, "{key}");
        world.git(&["config", "--unset", &format!("remote.origin.{key}")]);
    }
    for arguments in [
        json!({"action": "fetch", "remote": "nope"}),
        json!({"action": "fetch", "remote": "--all"}),
        json!({"action": "fetch", "remote": "https://example.org/x"}),
        json!({"action": "fetch", "branch": "+a:b"}),
        json!({"action": "push", "branch": "--mirror"}),
        json!({"action": "push", "branch": "nope"}),
        json!({"action": "pull", "branch": "other"}),
    ] {
        let error = sync(&world, arguments.clone()).unwrap_err();
        assert!(
            matches!(error.code, Code::NotFound | Code::InvalidArgs | Code::BadRevision),
            "{arguments}: {error}"
        );
    }
    assert_not_snapped(&world, "a refused remote");
}

#[test]
fn a_remote_that_is_not_there_is_said_so() {
    let world = pair();
    std::fs::remove_dir_all(world.root().join("remote.git")).unwrap();
    let error = sync(&world, json!({"action": "fetch"})).unwrap_err();
    assert_eq!(error.code, Code::NotFound, "{error}");
    assert!(error.message.contains("does not appear to be a git repository"), "{error}");
    assert!(!world.root().join(".git/outrigger-exchange").exists());
    assert_eq!(tier(&world.call, "git_sync", json!({"action": "fetch"})), Tier::Individual);
}

#[test]
fn a_branch_that_is_only_ahead_is_up_to_date() {
    let world = pair();
    world.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    let reply = sync(&world, json!({"action": "pull"})).unwrap();
    assert!(reply.text.contains("up to date, and ahead"), "{}", reply.text);
}

#[test]
fn what_the_remote_does_not_take_is_not_called_stale() {
    let world = pair();
    world.git(&["--git-dir=remote.git", "config", "receive.hideRefs", "refs/heads"]);
    world.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    let error = sync(&world, json!({"action": "push"})).unwrap_err();
    assert!(error.code == Code::PermissionDenied && error.hint.contains("in brackets"), "{error:?}");
    world.git(&["--git-dir=remote.git", "config", "--unset", "receive.hideRefs"]);
    // A folder outside, where the git program may not write.
    let url = world.outside().join("far.git");
    world.git(&["init", "-q", "--bare", url.to_str().unwrap()]);
    world.git(&["remote", "add", "far", url.to_str().unwrap()]);
    let error = sync(&world, json!({"action": "push", "remote": "far"})).unwrap_err();
    assert_eq!(error.code, Code::PermissionDenied, "{error:?}");
}

/// Ways in which a repository that is pushed to or fetched from names a program.
const ARMED: &[&str] = &[
    "hooks",
    "core.hooksPath",
    "proc-receive",
    "core.alternateRefsCommand",
    "updateInstead",
    "partial clone",
];

/// Makes the remote run `canary` when plain git pushes to it, and gives its address a form.
fn arm(world: &World, armed: &str) {
    let script = format!("#!/bin/sh\ntouch '{}'\n", world.root().join("canary").display());
    let make = |path: &str, script: &str| {
        let path = world.write(path, script);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    };
    let trap = make("traps/trap", &script);
    let configure = |pairs: &[(&str, &str)]| {
        for (key, value) in pairs {
            world.git(&["--git-dir=remote.git", "config", key, value]);
        }
    };
    let hooks = |folder: &str| {
        for hook in ["pre-receive", "update", "reference-transaction", "post-receive", "post-update"] {
            make(&format!("{folder}/{hook}"), &script);
        }
    };
    let blob = world.git(&["rev-parse", "HEAD:a.txt"]);
    configure(&[("gc.auto", "1"), ("receive.autogc", "true"), ("core.fsmonitor", &trap)]);
    make("remote.git/hooks/pre-auto-gc", &script);
    match armed {
        "hooks" => hooks("remote.git/hooks"),
        "core.hooksPath" => {
            hooks("traps");
            configure(&[("core.hooksPath", world.root().join("traps").to_str().unwrap())]);
        }
        "proc-receive" => {
            make("remote.git/hooks/proc-receive", &script);
            configure(&[("receive.procReceiveRefs", "refs/heads")]);
        }
        "core.alternateRefsCommand" => {
            let objects = world.root().join(".git/objects");
            world.write("remote.git/objects/info/alternates", format!("{}\n", objects.display()));
            configure(&[("core.alternateRefsCommand", &trap)]);
        }
        "updateInstead" => {
            world.git(&["clone", "-q", "remote.git", "checked-out"]);
            std::fs::remove_dir_all(world.root().join("remote.git")).unwrap();
            std::fs::rename(world.root().join("checked-out"), world.root().join("remote.git")).unwrap();
            world.write("remote.git/.git/info/attributes", "* filter=trap\n");
            make("remote.git/.git/hooks/push-to-checkout", &script);
            let set = |key: &str, value: &str| world.git(&["-C", "remote.git", "config", key, value]);
            set("receive.denyCurrentBranch", "updateInstead");
            set("filter.trap.smudge", &trap);
            set("filter.trap.clean", &trap);
        }
        "partial clone" => {
            let trap = make("traps/fetch", &format!("{script}exec git-upload-pack \"$@\"\n"));
            configure(&[
                ("core.repositoryFormatVersion", "1"),
                ("extensions.partialClone", "evil"),
                ("remote.evil.promisor", "true"),
                ("remote.evil.url", world.root().to_str().unwrap()),
                ("remote.evil.uploadpack", &trap),
            ]);
            std::fs::remove_file(world.root().join(format!(
                "remote.git/objects/{}/{}",
                &blob[..2],
                blob[2..].trim()
            )))
            .unwrap();
        }
        _ => unreachable!(),
    }
}

#[test]
fn nothing_that_a_remote_of_this_machine_configures_runs() {
    for armed in ARMED {
        for form in ["PATH", "file://PATH", "./remote.git", "it's a \"bare\" $(touch canary) one.git"] {
            let world = pair();
            let lines = (0..2000).map(|line| line.to_string()).collect::<Vec<_>>().join("\n");
            world.write("a.txt", &lines);
            world.git(&["commit", "-qam", "long"]);
            world.git(&["push", "-q", "origin", "topic"]);
            let remote = world.root().join("remote.git");
            arm(&world, armed);
            let mut url = form.replace("PATH", remote.to_str().unwrap());
            if form.starts_with("it's") {
                url = world.root().join(form).display().to_string();
                std::fs::rename(&remote, &url).unwrap();
            }
            world.git(&["config", "remote.origin.url", &url]);
            world.write("a.txt", format!("{lines}mine\n"));
            world.git(&["commit", "-qam", "mine"]);
            let _ = std::fs::remove_file(world.root().join("canary"));
            for action in ["push", "fetch", "pull"] {
                let done = sync(&world, json!({"action": action}));
                assert_not_snapped(&world, &format!("{action} with {armed} of {url}: {done:?}"));
                // What a remote needs a program for, it does not take.
                let takes = matches!(*armed, "hooks" | "core.hooksPath" | "core.alternateRefsCommand");
                assert!(
                    done.is_ok() || !takes || action == "pull",
                    "{action} with {armed} of {url}: {done:?}"
                );
            }
            // Otherwise all this would prove nothing.
            let _ = world.git_output(&["push", "-q", &url, "HEAD:topic", "HEAD:another"]);
            assert!(world.root().join("canary").exists(), "{armed} of {url}");
        }
    }
}
