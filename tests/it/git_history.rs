//! `git_log`, `git_show` and `git_blame` against the git program, over histories with merges, renames and odd dates.

use std::{
    fmt::Write as _,
    io::Write as _,
    process::{Command, Stdio},
};

use outrigger::{
    cancel::Cancel,
    tier::Tier,
    tools::{Code, Reply},
};
use serde_json::{Value, json};

use crate::world::{World, find, git_command, run, tier};

/// A small generator of numbers, so that a failing history can be made again.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    /// The same for places in a list; of an empty one the first.
    pub fn pick(&mut self, sides: usize) -> usize {
        usize::try_from(self.roll(sides.max(1) as u64)).unwrap()
    }
}

const FILES: [&str; 5] = ["a.txt", "dir/b.txt", "dir/sub/c.txt", "with space.txt", "dir/ü.txt"];
const AUTHORS: [&str; 3] = ["Ann Author <ann@example.org>", "Böb Ö <bob@example.com>", "C <c@c>"];

/// A history of `count` commits on the branch `topic`, written as a stream for `git fast-import`.
fn stream(dice: &mut Dice, count: u64) -> String {
    let mut text = String::new();
    let mut lines: Vec<Vec<String>> = vec![vec!["one".into(), "two".into(), "three".into()]; FILES.len()];
    for number in 1..=count {
        // Some commits are of the same second, some are older than what they stand on.
        let time = 1_700_000_000 + number * 50 + dice.roll(3) * 40 - dice.roll(2) * 60;
        let zone = ["+0000", "+0130", "-0800"][dice.roll(3) as usize];
        let author = AUTHORS[dice.roll(3) as usize];
        let message = format!("change {number}\n\nbody of {number}\nkind: {}\n", dice.roll(4));
        let _ = write!(
            text,
            "commit refs/heads/topic\nmark :{number}\nauthor {author} {time} {zone}\ncommitter Com <com@example.org> {time} +0000\ndata {}\n{message}",
            message.len()
        );
        if number > 1 {
            let parent = number - 1 - dice.roll(number.min(4).saturating_sub(1).max(1));
            let _ = writeln!(text, "from :{}", parent.max(1));
            if dice.roll(5) == 0 && number > 4 {
                let _ = writeln!(text, "merge :{}", 1 + dice.roll(number - 2));
            }
        }
        for _ in 0..=dice.roll(2) {
            let index = dice.roll(FILES.len() as u64) as usize;
            let file = &mut lines[index];
            let at = dice.roll(file.len() as u64 + 1) as usize;
            match dice.roll(4) {
                0 if file.len() > 2 => {
                    file.remove(at.min(file.len() - 1));
                }
                _ => file.insert(at, format!("line {number} {}", dice.roll(6))),
            }
            let content = file.join("\n") + "\n";
            let _ = write!(text, "M 100644 inline \"{}\"\ndata {}\n{content}\n", FILES[index], content.len());
        }
    }
    text
}

/// Makes the commits of a stream for `git fast-import`.
pub fn import(world: &World, stream: &str) {
    let mut child = git_command(&world.root())
        .args(["fast-import", "--quiet", "--force"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    world.git(&["reset", "-q", "--hard", "topic"]);
}

fn random_history(seed: u64, count: u64) -> World {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.git(&["config", "core.quotepath", "false"]);
    import(&world, &stream(&mut Dice(seed), count));
    world
}

fn ids(reply: &Reply<Value>) -> Vec<String> {
    let commits = reply.data["commits"].as_array().unwrap();
    commits.iter().map(|commit| commit["id"].as_str().unwrap().to_owned()).collect()
}

/// All pages of a log.
fn all_pages(world: &World, arguments: &Value) -> Vec<String> {
    let mut arguments = arguments.clone();
    let mut found = Vec::new();
    loop {
        let reply = world.tool("git_log", arguments).unwrap();
        found.extend(ids(&reply));
        assert_eq!(reply.data["more"], json!(reply.truncated.is_some()));
        let Some(truncated) = reply.truncated else { return found };
        arguments = truncated.next.unwrap().args;
    }
}

fn git_ids(world: &World, args: &[&str]) -> Vec<String> {
    let text = world.git(&[&["log", "--format=%H"], args].concat());
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_log_is_gits_log_in_its_order() {
    for seed in 0..6 {
        let world = random_history(seed, 60);
        if seed % 2 == 1 {
            world.git(&["commit-graph", "write", "--reachable"]);
        }
        let cases: &[(Value, &[&str])] = &[
            (json!({}), &[]),
            (json!({"path": "a.txt"}), &["--", "a.txt"]),
            (json!({"path": "dir"}), &["--", "dir"]),
            (json!({"path": "dir/sub/c.txt"}), &["--", "dir/sub/c.txt"]),
            (json!({"path": "dir/ü.txt"}), &["--", "dir/ü.txt"]),
            (json!({"rev": "topic~5"}), &["topic~5"]),
            (json!({"author": "ann@"}), &["--author=ann@"]),
            (json!({"author": "Böb"}), &["--author=Böb"]),
            (json!({"grep": "^kind: [13]$"}), &["-E", "--grep=^kind: [13]$"]),
            (json!({"grep": "kind: 1", "author": "Ann"}), &["--grep=kind: 1", "--author=Ann"]),
            (json!({"since": "2023-11-14T22:40:00Z"}), &["--since=2023-11-14T22:40:00Z"]),
            (json!({"until": "2023-11-14T22:40:00Z"}), &["--until=2023-11-14T22:40:00Z"]),
            (
                json!({"since": "2023-11-14 22:30 +0000", "until": "2023-11-14 22:50 +0000", "path": "dir"}),
                &["--since=2023-11-14 22:30 +0000", "--until=2023-11-14 22:50 +0000", "--", "dir"],
            ),
            (json!({"pickaxe": "line 3"}), &["-Sline 3"]),
            (json!({"pickaxe": " 4", "path": "dir"}), &["-S 4", "--", "dir"]),
            (json!({"pickaxe": "three"}), &["-Sthree"]),
            (json!({"rev": "topic~9..topic"}), &["topic~9..topic"]),
            (json!({"rev": "topic~9...topic~4", "path": "dir"}), &["topic~9...topic~4", "--", "dir"]),
        ];
        for (arguments, git) in cases {
            for limit in [7, 200] {
                let mut arguments = arguments.clone();
                arguments["limit"] = json!(limit);
                assert_eq!(all_pages(&world, &arguments), git_ids(&world, git), "seed {seed}: {arguments}");
            }
        }
    }
}

#[test]
fn a_commit_is_told_as_git_tells_it() {
    let world = random_history(3, 30);
    let reply = world.tool("git_log", json!({"limit": 200})).unwrap();
    let theirs = world.git(&["log", "--format=%H%x01%an%x01%ae%x01%aI%x01%s%x01%b%x01%P%x02"]);
    let theirs: Vec<Vec<&str>> = theirs
        .trim_end()
        .split_terminator('\x02')
        .map(|entry| entry.trim_start().split('\x01').collect())
        .collect();
    let ours = reply.data["commits"].as_array().unwrap();
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        let text = |key: &str| ours[key].as_str().unwrap_or_default().to_owned();
        let parents: Vec<&str> =
            ours["parents"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
        assert_eq!(
            [text("id"), text("author"), text("email"), text("time_iso"), text("subject"), text("body")],
            [theirs[0], theirs[1], theirs[2], &zulu(theirs[3]), theirs[4], theirs[5].trim_end()]
                .map(str::to_owned)
        );
        assert_eq!(parents.join(" "), theirs[6]);
        assert!(text("id").starts_with(&text("short")));
    }
    assert_eq!(reply.text.lines().count(), ours.len(), "{}", reply.text);
}

#[test]
fn odd_messages_are_text_and_nothing_else() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    assert_eq!(world.tool("git_log", json!({})).unwrap().text, "no commits yet");
    world.git(&[
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "sub\u{202e}ject\nsecond line\n\n\n  body\twith tab\u{1b}[31m\n",
    ]);
    let latin = world.outside().join("message");
    std::fs::write(&latin, b"gr\xfc\xdfe\n").unwrap();
    world.git(&["config", "i18n.commitEncoding", "ISO-8859-1"]);
    world.git(&["commit", "-q", "--allow-empty", "-F", latin.to_str().unwrap()]);
    let reply = world.tool("git_log", json!({"grep": "grüße"})).unwrap();
    assert_eq!(reply.data["commits"][0]["subject"], json!("grüße"));
    let reply = world.tool("git_log", json!({})).unwrap();
    assert_eq!(reply.data["commits"][1]["subject"], json!("sub\\u{202e}ject second line"));
    let reply = world.tool("git_show", json!({"rev": "HEAD~1"})).unwrap();
    assert!(reply.text.contains("      body\twith tab\\u{1b}[31m\n"), "{}", reply.text);
    assert!(!reply.text.contains('\u{202e}') && !reply.text.contains('\u{1b}'));
    for message in ["\n \n\nlate\nsubject\n\nbody\n", "\n\n", " \n\n\n \nx"] {
        std::fs::write(&latin, message).unwrap();
        let file = latin.to_str().unwrap();
        let kept = ["--cleanup=verbatim", "--allow-empty-message", "--allow-empty"];
        world.git(&[&["commit", "-q", "-F", file][..], &kept].concat());
        let commit = world.tool("git_log", json!({"limit": 1})).unwrap().data["commits"][0].clone();
        assert_eq!(commit["subject"], json!(world.git(&["log", "-1", "--format=%s"]).trim_end_matches('\n')));
        let body = commit.get("body").and_then(serde_json::Value::as_str).unwrap_or_default();
        assert_eq!(body, world.git(&["log", "-1", "--format=%b"]).trim_end());
    }
}

#[test]
fn a_patch_in_the_log_is_the_commits_own() {
    let world = random_history(5, 12);
    let reply = world.tool("git_log", json!({"patch": true, "limit": 3, "path": "dir"})).unwrap();
    for commit in reply.data["commits"].as_array().unwrap() {
        let id = commit["id"].as_str().unwrap();
        let Some(files) = commit["files"].as_array() else { panic!() };
        let theirs = world.git(&["log", "-1", "--format=", "--numstat", id, "--", "dir"]);
        let ours: Vec<String> = files
            .iter()
            .map(|file| format!("{}\t{}\t{}", file["added"], file["removed"], file["path"].as_str().unwrap()))
            .collect();
        assert_eq!(ours, theirs.lines().collect::<Vec<_>>(), "{id}");
    }
    assert!(reply.text.contains("diff --git a/dir/"), "{}", reply.text);
}

#[test]
fn a_page_too_long_for_one_answer_goes_on() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    for number in 0..4 {
        world.write("big.txt", format!("{number} a line of some length\n").repeat(900));
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", &format!("commit {number}")]);
    }
    let reply = world.tool("git_log", json!({"patch": true})).unwrap();
    assert!(reply.text.len() < 64 * 1024 && ids(&reply).len() < 4, "{}", reply.text.len());
    assert_eq!(all_pages(&world, &json!({"patch": true})), git_ids(&world, &[]));
    // A new commit meanwhile does not move the page.
    let next = reply.truncated.clone().unwrap().next.unwrap().args;
    world.git(&["commit", "-q", "--allow-empty", "-m", "later"]);
    let rest = all_pages(&world, &next);
    assert_eq!(rest, git_ids(&world, &["HEAD~1"])[ids(&reply).len()..]);
}

/// The part of `git show` that a patch program reads.
fn applies(world: &World, text: &str, parent: &str, commit: &str) {
    let Some(start) = text.find("diff --git") else { return };
    let patch = world.outside().join("patch");
    std::fs::write(&patch, &text[start..]).unwrap();
    let index = world.outside().join("index");
    let git = |args: &[&str]| {
        let output = git_command(&world.root()).env("GIT_INDEX_FILE", &index).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}\n{text}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["read-tree", parent]);
    git(&["apply", "--cached", "--unidiff-zero", patch.to_str().unwrap()]);
    let tree = git(&["write-tree"]);
    assert_eq!(tree, world.git(&["rev-parse", &format!("{commit}^{{tree}}")]), "{text}");
}

#[test]
fn a_shown_commit_is_a_patch_that_makes_it() {
    for seed in 10..13 {
        let world = random_history(seed, 25);
        for commit in git_ids(&world, &["--min-parents=1"]) {
            let reply = world.tool("git_show", json!({"rev": commit})).unwrap();
            assert_eq!((&reply.data["kind"], &reply.data["complete"]), (&json!("commit"), &json!(true)));
            applies(&world, &reply.text, &format!("{commit}^1"), &commit);
        }
    }
}

#[test]
fn renames_links_modes_and_the_first_commit_are_shown() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\n");
    world.write("plain", "x\n");
    std::os::unix::fs::symlink("a.txt", world.root().join("link")).unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    let first = world.tool("git_show", json!({"rev": "HEAD"})).unwrap();
    assert!(first.text.contains("new file mode 120000"), "{}", first.text);
    world.git(&["mv", "a.txt", "b.txt"]);
    world.write("b.txt", "one\ntwo\n3\nfour\nfive\nsix\n");
    std::fs::remove_file(world.root().join("plain")).unwrap();
    std::os::unix::fs::symlink("b.txt", world.root().join("plain")).unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "second"]);
    let reply = world.tool("git_show", json!({"rev": "topic"})).unwrap();
    let file = &reply.data["commit"]["files"][0];
    assert_eq!((&file["status"], &file["old_path"]), (&json!("renamed"), &json!("a.txt")));
    applies(&world, &reply.text, "HEAD~1", "HEAD");
    world.git(&["tag", "-a", "v1", "-m", "the first release"]);
    let reply = world.tool("git_show", json!({"rev": "v1"})).unwrap();
    assert!(reply.text.starts_with("tag v1\nTagger: Ann Author"), "{}", reply.text);
    assert!(reply.text.contains("the first release"));
}

#[test]
fn a_file_is_shown_as_it_was() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.write("src/a.rs", "fn a() {}\r\nfn b() {}");
    world.write("bin", b"\0\x01\x02");
    world.write("latin.txt", b"gr\xfc\xdfe an alle\n");
    std::os::unix::fs::symlink("src", world.root().join("link")).unwrap();
    world.git(&["-c", "core.autocrlf=false", "add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    std::fs::remove_dir_all(world.root().join("src")).unwrap();
    let show = |rev: &str, path: &str| world.tool("git_show", json!({"rev": rev, "path": path}));
    for reply in [show("HEAD", "src/a.rs").unwrap(), show("HEAD:src/a.rs", "").unwrap()] {
        assert_eq!(reply.text, "   1|fn a() {}\n   2|fn b() {}\n(lines 1-2 of 2)\n");
        let file = &reply.data["file"];
        assert_eq!(
            (&reply.data["kind"], &file["eol"], &file["lines_total"], &file["final_newline"], &file["size"]),
            (&json!("text"), &json!("crlf"), &json!(2), &json!(false), &json!(20))
        );
        assert!(reply.etag.is_some());
    }
    assert_eq!(show("HEAD", ".").unwrap().text, "bin\nlatin.txt\nlink\nsrc/");
    assert_eq!(show("HEAD", "src").unwrap().data["kind"], json!("dir-hint"));
    assert_eq!(show("HEAD", "bin").unwrap().data["kind"], json!("binary"));
    assert_eq!(show("HEAD", "latin.txt").unwrap().data["file"]["encoding"], json!("windows-1252"));
    let error = show("HEAD", "src/b.rs").unwrap_err();
    assert_eq!((error.code, error.candidates), (Code::NotFound, vec!["src/a.rs".to_owned()]));
    world.write("long.txt", "line\n".repeat(5000));
    world.git(&["add", "long.txt"]);
    world.git(&["commit", "-qm", "long"]);
    let reply = show("HEAD", "long.txt").unwrap();
    assert_eq!((reply.data["complete"].clone(), reply.truncated.unwrap().shown), (json!(false), 2000));
}

/// A folder that moved, with a link left in its place.
fn folder_that_became_a_link(change: impl FnOnce(&mut outrigger::config::Config)) -> World {
    let world = World::with(change);
    world.git(&["init", "-q", "-b", "topic"]);
    world.write("lib/a.c", "old\n");
    world.write("lib/.env", "old secret\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "one"]);
    std::fs::create_dir(world.root().join("packages")).unwrap();
    world.git(&["mv", "lib", "packages/lib"]);
    std::os::unix::fs::symlink("packages/lib", world.root().join("lib")).unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "two"]);
    world.write("packages/lib/a.c", "new\n");
    world.git(&["commit", "-qam", "three"]);
    world
}

#[test]
fn a_path_of_the_past_is_meant_as_it_was_then() {
    let world = folder_that_became_a_link(|_| {});
    let show = |rev: &str, path: &str| world.tool("git_show", json!({"rev": rev, "path": path}));
    for reply in [show("HEAD~2", "lib/a.c").unwrap(), show("HEAD~2:lib/a.c", "").unwrap()] {
        assert_eq!(reply.text, "   1|old\n(lines 1-1 of 1)\n");
        assert_eq!(reply.data["file"]["path"], "lib/a.c");
    }
    let absolute = world.root().join("lib/a.c");
    assert!(show("HEAD~2", absolute.to_str().unwrap()).is_ok());
    // Where the commit has the link, it is where that leads.
    let reply = show("HEAD", "lib/a.c").unwrap();
    assert_eq!((&reply.data["file"]["path"], &reply.text[..8]), (&json!("packages/lib/a.c"), "   1|new"));
    assert_eq!(show("HEAD~2", "lib/b.c").unwrap_err().code, Code::NotFound);
    let blame = |rev: &str| world.tool("git_blame", json!({"path": "lib/a.c", "rev": rev}));
    assert_eq!(blame("HEAD~2").unwrap().data["path"], "lib/a.c");
    assert_eq!(blame("HEAD").unwrap().data["path"], "packages/lib/a.c");
    assert_eq!(blame("").unwrap().data["path"], "packages/lib/a.c");
    let log = |rev: &str| world.tool("git_log", json!({"path": "lib/a.c", "rev": rev})).unwrap();
    let subjects = |reply: &Reply<Value>| {
        let commits = reply.data["commits"].as_array().unwrap();
        commits.iter().map(|commit| commit["subject"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let reply = log("HEAD~2");
    assert_eq!((subjects(&reply), reply.warnings), (vec!["one".to_owned()], vec![]));
    let reply = log("HEAD");
    assert_eq!(subjects(&reply), ["three", "two"]);
    assert!(reply.warnings[0].contains("leads through a link"), "{:?}", reply.warnings);
    // What is staged, where the link is not yet.
    world.git(&["reset", "-q", "HEAD~2"]);
    assert_eq!(show(":", "lib/a.c").unwrap().data["file"]["path"], "lib/a.c");
    assert_eq!(subjects(&log("HEAD")), ["one"]);
}

/// Closed is what the law closes as it is written, and what it closes where it leads today.
#[test]
fn a_path_of_the_past_opens_nothing_that_is_closed() {
    for glob in ["lib/**", "packages/**", "**/a.c", "lib", "packages/lib", "LIB/A.*"] {
        let world = folder_that_became_a_link(|config| config.files.blocked.push(glob.to_owned()));
        for (tool, arguments) in [
            ("git_show", json!({"rev": "HEAD~2", "path": "lib/a.c"})),
            ("git_show", json!({"rev": "HEAD~2:lib/a.c"})),
            ("git_show", json!({"rev": "HEAD~2:./lib//a.c"})),
            ("git_blame", json!({"path": "lib/a.c", "rev": "HEAD~2"})),
            ("git_log", json!({"path": "lib/a.c", "rev": "HEAD~2"})),
        ] {
            let answer = world.tool(tool, arguments.clone());
            let code = answer.as_ref().err().map(|error| error.code);
            assert_eq!(code, Some(Code::BlockedPath), "{glob}: {tool} {arguments}");
        }
    }
    let world = folder_that_became_a_link(|_| {});
    for (tool, arguments) in [
        ("git_show", json!({"rev": "HEAD~2", "path": "lib/.env"})),
        ("git_blame", json!({"path": "lib/.env", "rev": "HEAD~2"})),
        ("git_log", json!({"path": "lib/.env", "rev": "HEAD~2"})),
    ] {
        assert_eq!(world.tool(tool, arguments).unwrap_err().code, Code::BlockedPath);
    }
    let reply = world.tool("git_show", json!({"rev": "HEAD~2", "path": "lib"})).unwrap();
    assert_eq!(reply.text, "a.c\n1 more blocked by the configuration");
    // Where it leads out today, it is not followed for the past either.
    std::fs::remove_file(world.root().join("lib")).unwrap();
    std::os::unix::fs::symlink(world.outside(), world.root().join("lib")).unwrap();
    let error = world.tool("git_show", json!({"rev": "HEAD~2", "path": "lib/a.c"})).unwrap_err();
    assert_eq!(error.code, Code::OutsideWorkspace);
}

#[test]
fn a_file_is_shown_as_it_is_staged() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.write("a.txt", "base\n");
    world.write("dir/b.txt", "one\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world.git(&["checkout", "-qb", "side"]);
    world.write("a.txt", "theirs\n");
    world.git(&["commit", "-qam", "second"]);
    world.git(&["checkout", "-q", "topic"]);
    world.write("a.txt", "ours\n");
    world.git(&["commit", "-qam", "third"]);
    world.write("dir/b.txt", "staged\n");
    world.write(".env", "SECRET=1\n");
    world.git(&["add", "-f", "dir/b.txt", ".env"]);
    world.write("dir/b.txt", "later\n");
    let shown = |rev: &str| world.tool("git_show", json!({"rev": rev}));
    let reply = shown(":dir/b.txt").unwrap();
    assert!(reply.text.contains("staged") && !reply.text.contains("later"), "{}", reply.text);
    assert_eq!(reply.data["file"]["commit"], json!(""));
    assert_eq!(shown(":0:dir/b.txt").unwrap().text, reply.text);
    let tree = world.tool("git_show", json!({"rev": "HEAD", "path": "."})).unwrap();
    assert_eq!(shown("HEAD^{tree}").unwrap().text, tree.text);
    for (rev, code) in [
        (":.env", Code::BlockedPath),
        (":1:a.txt", Code::NotFound),
        (":nothing", Code::NotFound),
        (":dir", Code::NotFound),
        (":", Code::NotFound),
        (":../outside", Code::OutsideWorkspace),
        ("HEAD^{blob}", Code::BadRevision),
    ] {
        assert_eq!(shown(rev).unwrap_err().code, code, "{rev}");
    }
    world.git(&["commit", "-qm", "fourth"]);
    world.git(&["checkout", "-q", "-f", "HEAD"]);
    assert!(!world.git_output(&["merge", "-q", "side"]).status.success());
    for (rev, text) in [(":1:a.txt", "base"), (":2:a.txt", "ours"), (":3:a.txt", "theirs")] {
        assert!(shown(rev).unwrap().text.contains(text), "{rev}");
    }
    assert_eq!(shown(":a.txt").unwrap_err().code, Code::NotFound);
}

#[test]
fn what_is_blocked_is_neither_shown_nor_found() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.write("a.txt", "a\n");
    world.write(".env", "TOKEN=hunter2\n");
    world.write("sub/.env", "TOKEN=hunter2\n");
    world.git(&["add", "-f", "-A"]);
    world.git(&["commit", "-qm", "with secrets"]);
    world.git(&["mv", ".env", "was-env"]);
    world.git(&["commit", "-qm", "moved"]);
    for arguments in [json!({"rev": "HEAD"}), json!({"rev": "HEAD~1"})] {
        let reply = world.tool("git_show", arguments).unwrap();
        assert!(!reply.text.contains("hunter2") && !reply.text.contains(".env"), "{}", reply.text);
        assert!(reply.data["blocked"].as_u64().unwrap() > 0);
        assert!(reply.text.contains("blocked by the configuration"), "{}", reply.text);
    }
    let reply = world.tool("git_log", json!({"patch": true})).unwrap();
    assert!(!reply.text.contains("hunter2"), "{}", reply.text);
    assert_eq!(reply.data["blocked"], json!(3));
    // Whether it matches would tell what it holds.
    world.git(&["rm", "-q", "-f", "sub/.env"]);
    world.git(&["commit", "-qm", "gone"]);
    let reply = world.tool("git_log", json!({"pickaxe": "hunter2"})).unwrap();
    assert!(!reply.text.contains("gone") && !reply.text.contains("with secrets"), "{}", reply.text);
    // Of what is only named like a secret, too: a person is asked before that is looked into.
    let named = World::new();
    named.git(&["init", "-q", "-b", "topic"]);
    named.write("credentials.json", "{\"k\": \"hunter2\"}\n");
    named.git(&["add", "-A"]);
    named.git(&["commit", "-qm", "named so"]);
    for path in ["", "credentials.json"] {
        let reply = named.tool("git_log", json!({"pickaxe": "hunter2", "path": path})).unwrap();
        assert!(!reply.text.contains("named so"), "{}", reply.text);
    }
    for (tool, arguments) in [
        ("git_log", json!({"path": ".env"})),
        ("git_show", json!({"rev": "HEAD", "path": "sub/.env"})),
        ("git_show", json!({"rev": "HEAD~2:sub/.env"})),
        ("git_blame", json!({"path": ".env"})),
        ("git_blame", json!({"path": ".env", "rev": "HEAD~2"})),
    ] {
        assert_eq!(world.tool(tool, arguments.clone()).unwrap_err().code, Code::BlockedPath, "{arguments}");
    }
    let reply = world.tool("git_show", json!({"rev": "HEAD~2", "path": "sub"})).unwrap();
    assert_eq!(
        (reply.text.as_str(), &reply.data["blocked"]),
        ("(no entries)\n1 more blocked by the configuration", &json!(1))
    );
    let blob = world.git(&["rev-parse", "HEAD~2:.env"]);
    let tree = world.git(&["rev-parse", "HEAD~2^{tree}"]);
    for rev in [blob.trim(), tree.trim(), "HEAD^{tree}", "HEAD:", ":.env"] {
        let error = world.tool("git_log", json!({"rev": rev})).unwrap_err();
        assert_eq!(error.code, Code::BadRevision, "{rev}");
    }
    assert_eq!(world.tool("git_show", json!({"rev": blob.trim()})).unwrap_err().code, Code::BadRevision);
    // A name that only looks like a secret is asked for by itself.
    world.write("passwords.txt", "x\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "p"]);
    let asked = tier(&world.call, "git_show", json!({"rev": "HEAD", "path": "passwords.txt"}));
    let open = tier(&world.call, "fs_read", json!({"path": "passwords.txt"}));
    assert_eq!(asked, open);
    assert_eq!(tier(&world.call, "git_show", json!({"rev": "HEAD"})), Tier::Auto);
}

#[test]
fn revisions_are_no_flags_and_dates_are_dates() {
    let world = random_history(1, 5);
    for rev in
        ["--all", "-p", "--output=/tmp/x", "nope", "", "HEAD\nHEAD", "topic skip", "^HEAD", "HEAD HEAD"]
    {
        for tool in ["git_log", "git_show"] {
            let error = world.tool(tool, json!({"rev": rev})).unwrap_err();
            assert_eq!(error.code, Code::BadRevision, "{tool} {rev:?}");
        }
    }
    let error =
        world.tool("git_blame", json!({"path": "a.txt", "rev": "--contents=/etc/passwd"})).unwrap_err();
    assert_eq!(error.code, Code::BadRevision);
    for arguments in [
        json!({"since": "no date at all"}),
        json!({"author": "("}),
        json!({"grep": "[["}),
        json!({"limit": 0}),
        json!({"limit": 201}),
    ] {
        assert_eq!(
            world.tool("git_log", arguments.clone()).unwrap_err().code,
            Code::InvalidArgs,
            "{arguments}"
        );
    }
    for since in
        ["2 weeks ago", "yesterday", "2020-01-01", "1700000000 +0000", "Tue, 14 Nov 2023 22:13:20 +0000"]
    {
        let theirs = git_ids(&world, &[&format!("--since={since}")]);
        assert_eq!(all_pages(&world, &json!({"since": since})), theirs, "{since}");
    }
}

#[test]
fn a_history_is_named_in_every_way_of_git() {
    let world = random_history(5, 60);
    let merge = world.git(&["rev-list", "--merges", "-1", "HEAD"]).trim().to_owned();
    let [parents, alone, one] = ["^@", "^!", "^-1"].map(|end| format!("{merge}{end}"));
    let cases: [&[&str]; 8] = [
        &[&parents],
        &[&alone],
        &[&one],
        &["topic", "^topic~9"],
        &["^topic~9", "topic~2", "topic~1"],
        &["topic~3^@", "^topic~20"],
        &["topic~30^!"],
        &["topic~9...topic~4", "^topic~12"],
    ];
    for words in cases {
        for limit in [2, 200] {
            let arguments = json!({"rev": words.join(" "), "limit": limit});
            assert_eq!(all_pages(&world, &arguments), git_ids(&world, words), "{words:?}");
        }
    }
    for rev in ["topic --all", "topic ^topic -p", "^topic", "topic topic~1", "topic ^"] {
        assert_eq!(world.tool("git_log", json!({"rev": rev})).unwrap_err().code, Code::BadRevision, "{rev}");
    }
    let (from, to) = ("topic~1", "topic");
    let alone = world.tool("git_diff", json!({"from": "topic^-"})).unwrap().text;
    assert_eq!(alone, world.tool("git_diff", json!({"from": from, "to": to})).unwrap().text);
}

#[test]
fn a_branch_that_follows_another_here_has_it_for_upstream() {
    let world = random_history(2, 9);
    world.git(&["branch", "--track", "mine", "topic"]);
    world.git(&["reset", "-q", "--hard", "topic~2"]);
    for rev in ["mine@{u}", "mine@{upstream}~1", "mine@{u}..mine", "topic..mine@{U}"] {
        assert_eq!(all_pages(&world, &json!({"rev": rev})), git_ids(&world, &[rev]), "{rev}");
    }
    for followed in
        ["refs/heads/mine@{u}", "refs/heads/topic^{tree}:a.txt", ":/change", "refs/heads/topic..mine"]
    {
        world.git(&["config", "branch.odd.remote", "."]);
        world.git(&["config", "branch.odd.merge", followed]);
        let error = world.tool("git_log", json!({"rev": "odd@{u}"})).unwrap_err();
        assert_eq!(error.code, Code::BadRevision, "{followed}");
    }
    world.git(&["checkout", "-q", "mine"]);
    for rev in ["@{u}", "HEAD@{u}^", "@{u}.."] {
        assert_eq!(all_pages(&world, &json!({"rev": rev})), git_ids(&world, &[rev]), "{rev}");
    }
}

#[test]
fn a_branch_is_what_it_is_whatever_its_log_has_last() {
    let world = random_history(2, 9);
    world.git(&["reset", "-q", "--hard", "HEAD~1"]);
    world.git(&["reflog", "delete", "HEAD@{0}"]);
    let branch = world.git(&["symbolic-ref", "--short", "HEAD"]);
    let named = format!("{}@{{0}}", branch.trim());
    for rev in ["@{0}", "HEAD@{0}", &named, "@{0}~1", "HEAD~1..@{0}"] {
        assert_eq!(all_pages(&world, &json!({"rev": rev})), git_ids(&world, &[rev]), "{rev}");
    }
}

#[test]
fn a_parent_there_is_not_is_told_in_plain_words() {
    let world = random_history(2, 9);
    let root = world.git(&["rev-list", "--max-parents=0", "topic"]);
    let root = root.lines().next().unwrap();
    for end in ["^-2", "^-", "^2", "^", "~3"] {
        let error = world.tool("git_log", json!({"rev": format!("{root}{end}")})).unwrap_err();
        assert_eq!(error.code, Code::BadRevision, "{end}");
        assert!(!error.message.contains(['{', '?', '"']), "{}", error.message);
    }
}

#[test]
fn a_branch_that_follows_or_is_pushed_to_a_remote_has_that_for_upstream_and_push() {
    let world = random_history(2, 40);
    let config = |key: &str, value: &str| world.git(&["config", key, value]);
    for (name, at) in [("origin/topic", "topic~1"), ("fork/topic", "topic~3"), ("fork/kept/topic", "topic~5")]
    {
        world.git(&["update-ref", &format!("refs/remotes/{name}"), at]);
    }
    for (key, value) in [
        ("remote.origin.url", "../nowhere.git"),
        ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
        ("branch.topic.remote", "origin"),
        ("branch.topic.merge", "refs/heads/topic"),
        ("remote.fork.url", "https://example.org/x.git"),
        ("remote.fork.fetch", "refs/heads/*:refs/remotes/fork/*"),
        ("branch.other.remote", "fork"),
        ("branch.other.merge", "refs/heads/topic"),
        ("branch.gone.remote", "origin"),
        ("branch.gone.merge", "refs/heads/never-fetched"),
        ("branch.odd.remote", "origin"),
        ("branch.odd.merge", "topic"),
    ] {
        config(key, value);
    }
    for name in ["other", "gone", "odd"] {
        world.git(&["branch", name, "topic~2"]);
    }
    let same = |revs: &[&str]| {
        for rev in revs {
            let theirs = world.git_output(&["rev-parse", "-q", "--verify", rev]);
            let ours = world.tool("git_log", json!({"rev": rev, "limit": 1}));
            if theirs.status.success() {
                let id = String::from_utf8(theirs.stdout).unwrap();
                assert_eq!(
                    ids(&ours.unwrap_or_else(|error| panic!("{rev}: {error:?}"))),
                    [id.trim()],
                    "{rev}"
                );
            } else {
                assert_eq!(ours.unwrap_err().code, Code::BadRevision, "{rev}");
            }
        }
    };
    let upstreams = [
        "@{u}",
        "@{upstream}",
        "HEAD@{U}",
        "@@{u}",
        "topic@{u}~1",
        "other@{u}",
        "gone@{u}",
        "odd@{u}",
        "nope@{u}",
    ];
    let pushes = ["@{push}", "topic@{PUSH}", "other@{push}^", "HEAD@{push}", "gone@{push}"];
    same(&upstreams);
    same(&pushes);
    assert_eq!(all_pages(&world, &json!({"rev": "@{u}..HEAD"})), git_ids(&world, &["@{u}..HEAD"]));
    for (key, value) in [
        ("push.default", "current"),
        ("push.default", "upstream"),
        ("push.default", "nothing"),
        ("remote.fork.mirror", "true"),
        ("remote.pushDefault", "fork"),
        ("branch.topic.pushRemote", "origin"),
        ("branch.topic.pushRemote", "fork"),
        ("remote.fork.push", "refs/heads/*:refs/heads/kept/*"),
        ("remote.fork.push", "refs/heads/topic"),
    ] {
        config(key, value);
        same(&pushes);
    }
    world.git(&["config", "--add", "remote.origin.fetch", "^refs/heads/topic"]);
    same(&upstreams);
    world.git(&["checkout", "-q", "other"]);
    same(&["@{u}", "@{-1}@{u}", "@{-1}@{push}"]);
    world.git(&["checkout", "-q", "--detach"]);
    same(&["@{u}", "other@{u}", "@{push}"]);
    let error = world.tool("git_log", json!({"rev": "gone@{u}"})).unwrap_err();
    assert!(error.message.ends_with("the branch follows none that is kept here"), "{}", error.message);
}

#[test]
fn the_youngest_commit_with_a_message_is_found_wherever_it_is() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    let first = commit_at(&world, 1_700_000_000, "fix: old", &[]);
    let side = commit_at(&world, 1_700_000_500, "fix: on a side\n\nsecond line", &[&first]);
    let here = commit_at(&world, 1_700_000_400, "fix: here", &[&first]);
    world.git(&["tag", "-a", "kept", "-m", "tag", &side]);
    world.git(&["update-ref", "refs/heads/topic", &here]);
    let head = commit_at(&world, 1_700_000_450, "nothing", &[&here]);
    world.git(&["checkout", "-q", "--detach", &head]);
    let shown = |rev: &str| world.tool("git_log", json!({"rev": rev, "limit": 1})).map(|reply| ids(&reply));
    assert_eq!(shown(":/fix").unwrap(), [side.as_str()]);
    assert_eq!(shown(":/^fix: on.*second").unwrap(), [side.as_str()]);
    assert_eq!(shown(":/fix: [a-h]").unwrap(), [here.as_str()]);
    assert_eq!(shown(":/nothing").unwrap(), [head.as_str()]);
    assert_eq!(shown(":/!-fix").unwrap(), [head.as_str()]);
    for rev in [":/^second", ":/no such text", ":/!fix", ":/("] {
        assert_eq!(shown(rev).unwrap_err().code, Code::BadRevision, "{rev}");
    }
}

#[test]
fn people_are_named_as_the_mailmap_says() {
    let world = random_history(4, 20);
    world.write(".mailmap", "Ann Right <right@example.org> <ANN@example.org>\nCee <c@c>\n");
    let authors = |git: &str, key: &str| {
        let theirs = world.git(&["log", &format!("--format={git}")]);
        let theirs: Vec<String> = theirs.lines().map(str::to_owned).collect();
        let reply = world.tool("git_log", json!({"limit": 200})).unwrap();
        let ours = reply.data["commits"].as_array().unwrap().iter();
        assert_eq!(ours.map(|commit| commit[key].as_str().unwrap().to_owned()).collect::<Vec<_>>(), theirs);
    };
    authors("%aN", "author");
    authors("%aE", "email");
    for author in ["Ann Right", "right@", "^Cee <c@c>$", "Author", "ann@"] {
        let theirs = git_ids(&world, &["-E", &format!("--author={author}")]);
        assert_eq!(all_pages(&world, &json!({"author": author})), theirs, "{author}");
    }
    let show = world.tool("git_show", json!({"rev": "HEAD"})).unwrap();
    assert_eq!(show.data["commit"]["author"], json!(world.git(&["log", "-1", "--format=%aN"]).trim()));
    let blame = world.tool("git_blame", json!({"path": "a.txt", "limit": 1})).unwrap();
    let theirs = world.git(&["blame", "--porcelain", "-L1,1", "a.txt"]);
    let theirs = theirs.lines().find_map(|line| line.strip_prefix("author ")).unwrap();
    assert_eq!(blame.data["runs"][0]["author"], json!(theirs));
    world.git(&["config", "log.mailmap", "false"]);
    authors("%an", "author");
    // What a link leads to is not read.
    world.git(&["config", "--unset", "log.mailmap"]);
    std::fs::rename(world.root().join(".mailmap"), world.outside().join("people")).unwrap();
    std::os::unix::fs::symlink(world.outside().join("people"), world.root().join(".mailmap")).unwrap();
    authors("%an", "author");
}

#[test]
fn a_commit_of_nobody_is_told_and_passed_over() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.write("a.txt", "one\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    let written = |author: &str, committer: &str| {
        let ids = world.git(&["rev-parse", "HEAD^{tree}", "HEAD"]);
        let (tree, parent) = ids.trim().split_once('\n').unwrap();
        let commit = format!(
            "tree {tree}\nparent {parent}\nauthor {author}\ncommitter {committer}\n\n  odd\nsubject\n \nbody\n"
        );
        let path = world.outside().join("commit");
        std::fs::write(&path, commit).unwrap();
        let literally = ["hash-object", "-t", "commit", "-w", "--literally", path.to_str().unwrap()];
        world.git(&["reset", "-q", "--soft", world.git(&literally).trim()]);
    };
    written("nobody 1700000000 +0000", "C <c@c> 1700000000 +0000");
    written("A <a@a> 1700000000 +0000", "nobody");
    world.write("a.txt", "one\ntwo\n");
    world.git(&["commit", "-qam", "last"]);
    assert_eq!(all_pages(&world, &json!({})), git_ids(&world, &[]));
    let reply = world.tool("git_log", json!({})).unwrap();
    assert_eq!(reply.data["commits"][1]["author"], json!("A"));
    assert_eq!(reply.data["commits"][2]["email"], json!(""));
    assert_eq!(
        reply.data["commits"][2]["subject"],
        json!(world.git(&["log", "-1", "--format=%s", "HEAD~2"]).trim_end())
    );
    assert_eq!(reply.data["commits"][2]["body"], json!("body"));
    world.tool("git_show", json!({"rev": "HEAD~2"})).unwrap();
    let blame = world.tool("git_blame", json!({"path": "a.txt", "rev": "HEAD"})).unwrap();
    assert_eq!(blamed(&blame), porcelain(&world, &["HEAD", "--", "a.txt"]));
}

#[test]
fn dates_mean_what_git_says() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    let now = jiff::Timestamp::now().as_second();
    let mut last: Option<String> = None;
    for years in [20, 14, 13, 12, 3, 0] {
        let time = u64::try_from(now - years * 31_557_600 - 200_000).unwrap();
        let parents: Vec<&str> = last.as_deref().into_iter().collect();
        last = Some(commit_at(&world, time, "x", &parents));
    }
    world.git(&["update-ref", "refs/heads/topic", last.as_deref().unwrap()]);
    for date in [
        "2012",
        "Jan 1 2012",
        "noon",
        "yesterday noon",
        "last friday",
        "4 days ago",
        "2013-06-30T10:00:00-00:60",
        "1/31/2013",
        "tea",
        "two years ago",
    ] {
        for side in ["since", "until"] {
            let theirs = git_ids(&world, &[&format!("--{side}={date}")]);
            assert_eq!(all_pages(&world, &json!({side: date, "limit": 2})), theirs, "{side} {date}");
        }
    }
    let far = commit_at(&world, 253_402_300_800, "far", &[]);
    let told = world.tool("git_log", json!({"rev": far})).unwrap();
    assert_eq!(told.data["commits"][0]["time_iso"], json!("10000-01-01T00:00:00Z"));
    assert!(told.text.contains(" 10000-01-01 "), "{}", told.text);
}

/// Each line's commit by `git blame --porcelain`.
fn porcelain(world: &World, args: &[&str]) -> Vec<String> {
    let text = world.git(&[&["blame", "--line-porcelain"], args].concat());
    let is_head = |line: &&str| {
        line.len() > 41 && line.as_bytes()[..40].iter().all(u8::is_ascii_hexdigit) && &line[40..41] == " "
    };
    text.lines().filter(is_head).map(|line| line[..40].to_owned()).collect()
}

fn blamed(reply: &Reply<Value>) -> Vec<String> {
    let mut lines = Vec::new();
    for run in reply.data["runs"].as_array().unwrap() {
        let id = run["id"].as_str().unwrap();
        let id = if id.is_empty() { "0".repeat(40) } else { id.to_owned() };
        lines.extend(vec![id; run["count"].as_u64().unwrap() as usize]);
    }
    lines
}

#[test]
fn every_line_is_blamed_as_git_does() {
    for seed in 20..26 {
        let world = random_history(seed, 40);
        for file in FILES {
            if !world.root().join(file).exists() {
                continue;
            }
            let reply = world.tool("git_blame", json!({"path": file, "limit": 500})).unwrap();
            assert_eq!(blamed(&reply), porcelain(&world, &["--", file]), "seed {seed} {file}");
            let reply = world.tool("git_blame", json!({"path": file, "rev": "topic"})).unwrap();
            assert_eq!(blamed(&reply), porcelain(&world, &["topic", "--", file]), "seed {seed} {file}");
        }
    }
}

/// What a path was, commit by commit; the last is a file.
#[test]
fn what_was_no_file_before_is_no_earlier_version_of_it() {
    let text = "one\ntwo\nthree\nfour\nfive\n";
    let put = |world: &World, kind: &str| {
        world.git(&["rm", "-rqf", "--cached", "--ignore-unmatch", "d/x"]);
        let path = world.root().join("d/x");
        let _ = std::fs::remove_dir_all(&path);
        let _ = std::fs::remove_file(&path);
        std::fs::create_dir_all(world.root().join("d")).unwrap();
        match kind {
            "folder" => drop(world.write("d/x/f", "other\n")),
            // The same content: the file is the renamed one, for git.
            "renamed" => drop(world.write("d/x/f", text)),
            "link" => std::os::unix::fs::symlink("one\ntwo", &path).unwrap(),
            "submodule" => {
                let head = world.git(&["rev-parse", "HEAD"]);
                world.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},d/x", head.trim())]);
            }
            "more" => drop(world.write("d/x", format!("zero\n{text}"))),
            _ => drop(world.write("d/x", text)),
        }
        if kind != "submodule" {
            world.git(&["add", "-A"]);
        }
        world.git(&["commit", "-qm", kind]);
    };
    for kinds in [
        &["folder", "file"][..],
        &["submodule", "file", "more"],
        &["link", "file", "more"],
        &["file", "folder", "file"],
        &["file", "link", "more"],
        &["more", "submodule", "folder", "file"],
        &["renamed", "file", "more"],
        &["file", "renamed", "more"],
    ] {
        let world = World::new();
        world.git(&["init", "-q", "-b", "main"]);
        world.git(&["commit", "-qm", "first", "--allow-empty"]);
        for kind in kinds {
            put(&world, kind);
        }
        let reply = world.tool("git_blame", json!({"path": "d/x"})).unwrap();
        assert_eq!(blamed(&reply), porcelain(&world, &["--", "d/x"]), "{kinds:?}");
        let reply = world.tool("git_blame", json!({"path": "d/x", "rev": "HEAD"})).unwrap();
        assert_eq!(blamed(&reply), porcelain(&world, &["HEAD", "--", "d/x"]), "{kinds:?}");
    }
}

#[test]
fn blame_sees_the_work_tree_ranges_and_renames() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.write("a.txt", "new\n");
    assert_eq!(world.tool("git_blame", json!({"path": "a.txt"})).unwrap_err().code, Code::NotFound);
    world.git(&["add", "-A"]);
    let reply = world.tool("git_blame", json!({"path": "a.txt"})).unwrap();
    assert_eq!(reply.data["runs"][0]["summary"], json!("not committed yet"));
    let lines: Vec<String> = (1..=30).map(|line| format!("line {line}\n")).collect();
    let lines = lines.concat();
    world.write("a.txt", &lines);
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world.git(&["mv", "a.txt", "b.txt"]);
    world.git(&["commit", "-qm", "renamed"]);
    world.write("b.txt", lines.replace("line 7\n", "seven\n").replace("line 20\n", ""));
    assert_eq!(
        blamed(&world.tool("git_blame", json!({"path": "b.txt"})).unwrap()),
        porcelain(&world, &["b.txt"])
    );
    let reply = world.tool("git_blame", json!({"path": "b.txt", "start_line": 6, "limit": 3})).unwrap();
    assert_eq!(blamed(&reply), porcelain(&world, &["-L6,8", "b.txt"]));
    assert_eq!(reply.data["runs"][0]["from"], json!("a.txt"));
    assert!(reply.text.contains("not committed yet\n   7|seven\n"), "{}", reply.text);
    assert_eq!(reply.truncated.unwrap().next.unwrap().args["start_line"], json!(9));
    world.write("new.txt", "x\n");
    for (arguments, code) in [
        (json!({"path": "new.txt"}), Code::NotFound),
        (json!({"path": "b.txt", "start_line": 99}), Code::InvalidArgs),
        (json!({"path": "b.txt", "limit": 501}), Code::InvalidArgs),
        (json!({"path": "gone.txt"}), Code::NotFound),
        (json!({"path": "b.txt", "rev": "HEAD~1"}), Code::NotFound),
    ] {
        assert_eq!(world.tool("git_blame", arguments.clone()).unwrap_err().code, code, "{arguments}");
    }
}

#[test]
fn a_rename_that_is_only_staged_is_followed() {
    let lines: Vec<String> = (1..=30).map(|line| format!("line {line}\n")).collect();
    let lines = lines.concat();
    let edited = lines.replace("line 7\n", "seven\n").replace("line 20\n", "");
    for (staged, work_tree) in [(&lines, &lines), (&edited, &edited), (&lines, &edited)] {
        let world = World::new();
        world.git(&["init", "-q", "-b", "topic"]);
        world.write("a.txt", lines.replace("line 3\n", "3\n"));
        world.write("other.txt", "line 1\nline 2\n");
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "first"]);
        world.write("a.txt", &lines);
        world.git(&["commit", "-qam", "second"]);
        world.git(&["mv", "a.txt", "m.txt"]);
        world.write("m.txt", staged);
        world.write("new.txt", "of its own\n");
        world.git(&["add", "-A"]);
        world.write("m.txt", work_tree);
        for file in ["m.txt", "new.txt", "other.txt"] {
            let reply = world.tool("git_blame", json!({"path": file})).unwrap();
            assert_eq!(blamed(&reply), porcelain(&world, &[file]), "{file}");
        }
        let reply = world.tool("git_blame", json!({"path": "m.txt", "start_line": 3, "limit": 2})).unwrap();
        assert_eq!(blamed(&reply), porcelain(&world, &["-L3,4", "m.txt"]));
        assert_eq!(reply.data["runs"][0]["from"], json!("a.txt"));
    }
}

#[test]
fn a_merge_in_progress_is_blamed_as_git_does() {
    for commits in [false, true] {
        let world = World::new();
        world.git(&["init", "-q", "-b", "topic"]);
        world.git(&["config", "user.name", "Ann"]);
        world.git(&["config", "user.email", "ann@example.org"]);
        let commit = |message: &str| {
            world.git(&["add", "-A"]);
            world.git(&["commit", "-qm", message]);
        };
        let lines = |changed: &[(usize, &str)]| -> String {
            let line = |number: usize| changed.iter().find(|(at, _)| *at == number).map(|(_, text)| *text);
            (0..20)
                .map(|number| format!("{number} {}\n", line(number).unwrap_or("same")))
                .collect::<Vec<_>>()
                .concat()
        };
        for file in ["a.txt", "d/e/b.txt", "gone.txt"] {
            world.write(file, lines(&[]));
        }
        commit("first");
        world.git(&["branch", "other"]);
        world.write("a.txt", lines(&[(1, "ours"), (10, "ours")]));
        world.write("d/e/b.txt", lines(&[(1, "ours")]));
        std::fs::remove_file(world.root().join("gone.txt")).unwrap();
        commit("ours");
        world.git(&["switch", "-q", "other"]);
        world.write("a.txt", lines(&[(1, "theirs"), (15, "theirs")]));
        world.write("d/e/b.txt", lines(&[(15, "theirs")]));
        world.write("gone.txt", lines(&[(3, "theirs")]));
        world.write("d/new.txt", lines(&[(2, "new")]));
        commit("theirs");
        world.git(&["switch", "-q", "topic"]);
        assert!(!world.git_output(&["merge", "-q", "--no-commit", "other"]).status.success());
        world.write("d/e/b.txt", lines(&[(1, "ours"), (15, "theirs"), (18, "by hand")]));
        if commits {
            world.git(&["add", "-A"]);
        }
        for file in ["a.txt", "d/e/b.txt", "gone.txt", "d/new.txt"] {
            let reply = world.tool("git_blame", json!({"path": file})).unwrap();
            assert_eq!(blamed(&reply), porcelain(&world, &["--", file]), "{file} {commits}");
        }
        let before = world.git(&["count-objects"]);
        world.tool("git_blame", json!({"path": "a.txt"})).unwrap();
        assert_eq!(world.git(&["count-objects"]), before);
    }
}

#[test]
fn a_file_of_commits_to_pass_over_is_told() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.git(&["config", "user.name", "Ann"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    world.write("a.txt", "a\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    assert!(world.tool("git_blame", json!({"path": "a.txt"})).unwrap().warnings.is_empty());
    world.git(&["config", "blame.ignoreRevsFile", ".git-blame-ignore-revs"]);
    let warnings = world.tool("git_blame", json!({"path": "a.txt"})).unwrap().warnings;
    assert!(warnings[0].contains("blame.ignoreRevsFile"), "{warnings:?}");
}

#[test]
fn lines_of_several_first_commits_are_blamed() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    let commit = |message: &str, lines: &str| {
        world.write("a.txt", lines);
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", message]);
    };
    commit("one", "1\n2\n3\n4\n5\n6\n");
    world.git(&["checkout", "-q", "--orphan", "other"]);
    commit("two", "1\n2\n3\nnew 4\nnew 5\n6\n");
    world.git(&["checkout", "-q", "topic"]);
    commit("three", "1\n2\n3 changed\n4\n5\n6\n");
    let _ = world.git_output(&["merge", "-q", "--allow-unrelated-histories", "other"]);
    commit("merged", "1\n2\n3 changed\nnew 4\nnew 5\n6\n7\n");
    world.git(&["commit-graph", "write", "--reachable"]);
    let reply = world.tool("git_blame", json!({"path": "a.txt"})).unwrap();
    assert_eq!(blamed(&reply), porcelain(&world, &["a.txt"]));
    assert_eq!(all_pages(&world, &json!({"path": "a.txt"})), git_ids(&world, &["--", "a.txt"]));
}

#[test]
fn a_stopped_call_ends() {
    let world = random_history(2, 20);
    let mut call = world.call.clone();
    call.cancel = Cancel::new();
    call.cancel.cancel();
    for (tool, arguments) in [
        ("git_log", json!({"pickaxe": "x"})),
        ("git_blame", json!({"path": "a.txt"})),
        ("git_show", json!({"rev": "HEAD"})),
    ] {
        assert_eq!(run(&call, tool, arguments).unwrap_err().code, Code::Cancelled, "{tool}");
    }
}

#[test]
fn a_shallow_clone_ends_where_it_ends() {
    let world = World::new();
    let origin = random_history(4, 20);
    let url = format!("file://{}", origin.root().display());
    let clone = Command::new("git")
        .args(["clone", "-q", "--depth", "3", &url, "."])
        .current_dir(world.root())
        .status()
        .unwrap();
    assert!(clone.success());
    assert_eq!(all_pages(&world, &json!({})), git_ids(&world, &[]));
    let last = git_ids(&world, &[]).pop().unwrap();
    let reply = world.tool("git_show", json!({"rev": last})).unwrap();
    assert_eq!(reply.data["commit"]["parents"], json!([]));
    let begins =
        |warnings: &[String]| warnings.iter().any(|said| said.contains("history that is here begins at"));
    assert!(begins(&reply.warnings));
    let reply = world.tool("git_blame", json!({"path": "a.txt"})).unwrap();
    assert_eq!(blamed(&reply), porcelain(&world, &["a.txt"]));
    let ends: Vec<String> = std::fs::read_to_string(world.root().join(".git/shallow"))
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    for run in reply.data["runs"].as_array().unwrap() {
        let is_end = ends.iter().any(|id| run["id"] == json!(id));
        assert_eq!(run.get("boundary"), is_end.then_some(&json!(true)), "{run}");
    }
    assert_eq!(begins(&reply.warnings), reply.data["runs"].to_string().contains("boundary"));
    // A log says it where it comes to the end, and only there.
    for (arguments, comes_to_it) in [
        (json!({}), true),
        (json!({"path": "a.txt"}), true),
        (json!({"limit": 1}), false),
        (json!({"rev": "HEAD^!"}), false),
    ] {
        let reply = world.tool("git_log", arguments.clone()).unwrap();
        assert_eq!(begins(&reply.warnings), comes_to_it, "{arguments}");
    }
    let error = world.tool("git_show", json!({"rev": "HEAD~19"})).unwrap_err();
    assert!(error.message.ends_with("the clone is shallow"), "{}", error.message);
    assert!(!begins(&origin.tool("git_log", json!({})).unwrap().warnings));
}

#[test]
fn the_tools_are_in_their_profiles() {
    use outrigger::config::Profile;
    let profile = |name: &str| find(name).spec().profile;
    assert_eq!(
        [profile("git_log"), profile("git_show"), profile("git_blame")],
        [Profile::Read, Profile::Read, Profile::Full]
    );
}

/// Older gits write the offset of UTC as a number.
fn zulu(time: &str) -> String {
    time.replace("+00:00", "Z")
}

#[test]
fn a_long_file_of_a_commit_goes_on_under_a_handle() {
    let world = World::new();
    world.git(&["init", "-q"]);
    world.write("long.txt", (1..=5000).map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat());
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "long"]);
    world.write("long.txt", "another\n");
    let shown = world.tool("git_show", json!({"rev": "HEAD", "path": "long.txt"})).unwrap();
    let next = shown.truncated.unwrap().next.unwrap();
    assert_eq!((next.tool.as_str(), &next.args["start_line"]), ("fs_read", &json!(2001)));
    let rest = world.tool("fs_read", next.args).unwrap();
    assert!(
        rest.text.starts_with("2001|line 2001\n") || rest.text.contains("2001|line 2001\n"),
        "{}",
        rest.text
    );
}

/// A commit of the empty tree, made at `time`.
fn commit_at(world: &World, time: u64, message: &str, parents: &[&str]) -> String {
    let tree = world.git(&["hash-object", "-t", "tree", "-w", "/dev/null"]);
    let date = format!("@{time} +0000");
    let mut command = git_command(&world.root());
    command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
    command.args(["commit-tree", tree.trim(), "-m", message]);
    for parent in parents {
        command.args(["-p", parent]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Lets the branch that is checked out be `local`, and follow `remote`; both must be known.
fn follow(world: &World, local: &str, remote: &str) {
    world.git(&["update-ref", "refs/heads/local", local]);
    world.git(&["update-ref", "refs/heads/other", remote]);
    world.git(&["symbolic-ref", "HEAD", "refs/heads/local"]);
    world.git(&["config", "branch.local.remote", "."]);
    world.git(&["config", "branch.local.merge", "refs/heads/other"]);
}

fn apart(world: &World) -> [u64; 2] {
    let reply = world.tool("git_status", json!({})).unwrap();
    ["ahead", "behind"].map(|key| reply.data[key].as_u64().unwrap())
}

#[test]
fn commits_of_one_second_are_kept_apart() {
    for step in [0, 60] {
        let world = World::new();
        world.git(&["init", "-q", "-b", "topic"]);
        let mut time = 1_700_000_000;
        let mut commit = |message: &str, parents: &[&str]| {
            time += step;
            commit_at(&world, time, message, parents)
        };
        let root = commit("c0", &[]);
        let feature = commit("f1", &[&root]);
        let mut main = root;
        for number in 1..8 {
            main = commit(&format!("c{number}"), &[&main]);
        }
        let merge = commit("m", &[&feature, &main]);
        follow(&world, &merge, &main);
        for rev in ["other..local", "other...local"] {
            assert_eq!(ids(&world.tool("git_log", json!({"rev": rev})).unwrap()), [&merge[..], &feature[..]]);
        }
        assert_eq!(apart(&world), [2, 0]);
    }
}

#[test]
fn a_range_is_exact_whatever_the_dates_say() {
    use std::collections::BTreeSet;
    for seed in 0..12 {
        let mut dice = Dice(seed * 7 + 1);
        let world = World::new();
        world.git(&["init", "-q", "-b", "topic"]);
        let (mut time, mut stream) = (1_700_000_000_u64, String::new());
        let mut behind: Vec<BTreeSet<usize>> = Vec::new();
        let count = 30_usize;
        for number in 0..count {
            time = match seed % 4 {
                0 => time,
                1 => time + dice.roll(2),
                2 => time + 60 - dice.roll(2) * 500,
                _ => 1_700_000_000 - 10 * number as u64 + dice.roll(40) * dice.roll(2),
            };
            let _ = write!(
                stream,
                "commit refs/heads/r{number}\nmark :{}\ncommitter C <c@c> {time} +0000\ndata 3\nc{number:02}\n",
                number + 1
            );
            let mut ancestors = BTreeSet::from([number]);
            let parents: BTreeSet<usize> = (0..[1, 1, 2, 3][dice.roll(4) as usize])
                .filter_map(|_| number.checked_sub(1 + dice.roll(9) as usize))
                .collect();
            // A merge of what is behind another parent is a merge, too; a few begin anew.
            for (index, parent) in parents.iter().enumerate() {
                let _ = writeln!(stream, "{} :{}", if index == 0 { "from" } else { "merge" }, parent + 1);
                ancestors.extend(behind[*parent].clone());
            }
            behind.push(ancestors);
        }
        let mut child = git_command(&world.root())
            .args(["fast-import", "--quiet", "--force"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        let commits: Vec<String> = (0..count)
            .map(|number| world.git(&["rev-parse", &format!("r{number}")]).trim().to_owned())
            .collect();
        let set = |places: &mut dyn Iterator<Item = &usize>| -> BTreeSet<String> {
            places.map(|place| commits[*place].clone()).collect()
        };
        if seed % 3 == 1 {
            world.git(&["commit-graph", "write", "--reachable"]);
        }
        for round in 0..14 {
            let (left, right) = (dice.roll(count as u64) as usize, dice.roll(count as u64) as usize);
            let only_left = set(&mut behind[left].difference(&behind[right]));
            let only_right = set(&mut behind[right].difference(&behind[left]));
            let either: BTreeSet<String> = only_left.union(&only_right).cloned().collect();
            for (dots, expected) in [("..", &only_right), ("...", &either)] {
                let rev = format!("r{left}{dots}r{right}");
                let limit = [200, 3][round % 2];
                let ours = all_pages(&world, &json!({"rev": rev, "limit": limit}));
                let unordered: BTreeSet<String> = ours.iter().cloned().collect();
                assert_eq!((&unordered, ours.len()), (expected, expected.len()), "seed {seed}: {rev}");
                // Git itself is led astray by some dates; where it is not, the order is git's, too.
                let theirs = git_ids(&world, &[&rev]);
                if theirs.len() == expected.len() {
                    assert_eq!(ours, theirs, "seed {seed}: {rev}");
                }
            }
            if round < 6 {
                follow(&world, &commits[left], &commits[right]);
                assert_eq!(apart(&world), [only_left.len() as u64, only_right.len() as u64], "seed {seed}");
            }
        }
    }
}

/// A first commit of 600 files, and one that changes them all.
fn crowd() -> World {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    for content in ["one\n", "two\n"] {
        for number in 0..600 {
            world.write(&format!("d/f{number:03}"), content);
        }
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", content.trim()]);
    }
    world
}

/// The way on is said in the text; what it leads to.
fn goes_on(world: &World, reply: Reply<Value>, before: &str) -> String {
    let next = reply.truncated.and_then(|truncated| truncated.next).unwrap();
    let told = format!("{before}: {} {}", next.tool, next.args);
    assert!(reply.text.contains(&told), "{told}\n{}", reply.text);
    world.tool(&next.tool, next.args).unwrap().text
}

#[test]
fn a_commit_of_many_files_is_told_in_part_and_says_how_to_go_on() {
    let world = crowd();
    let table = |text: &str| {
        assert!(text.contains("d/f499 +1 -") && !text.contains("d/f500 +"), "{text}");
        let rest = text.split_once("… 100 more files; next: fs_read ").unwrap().1.lines().next().unwrap();
        let rest = world.tool("fs_read", serde_json::from_str(rest).unwrap()).unwrap().text;
        assert!(!rest.contains("d/f499") && rest.contains("d/f500") && rest.contains("d/f599"), "{rest}");
        assert!(text.contains("\n600 files, +600 -"), "{text}");
    };
    let show = |rev: &str| world.tool("git_show", json!({"rev": rev})).unwrap();
    let last = show("HEAD");
    table(&last.text);
    assert_eq!(last.data["commit"]["files"].as_array().unwrap().len(), 600);
    let left_out = last.text.lines().last().unwrap().split(' ').next().unwrap().parse::<usize>().unwrap();
    let text = goes_on(&world, last, "files left out; next");
    assert!(text.contains(&format!("+++ b/d/f{:03}\n", 600 - left_out)), "{text}");
    // Nothing can be compared with what was before the first commit.
    let first = show("HEAD~1");
    table(&first.text);
    let text = goes_on(&world, first, "files left out; next (its files one by one)");
    assert!(text.contains("1|one"), "{text}");
    let arguments = json!({"from": "HEAD~1", "to": "HEAD", "stat_only": true});
    let stat = world.tool("git_diff", arguments).unwrap();
    table(&stat.text);
    assert!(goes_on(&world, stat, "… 100 more files; next").contains("d/f599"));
    // What was left out of a commit that is not shown is told when that is.
    let log = world.tool("git_log", json!({"patch": true})).unwrap();
    table(&log.text);
    assert_eq!(log.data["commits"].as_array().unwrap().len(), 1);
    let (before, _) = log.text.split_once(" files left out; git_show has").unwrap();
    let told = format!("{} files left out", before.lines().last().unwrap());
    assert!(log.warnings.iter().any(|warning| warning.starts_with(&told)), "{told} {:?}", log.warnings);
    let log = world.tool("git_log", json!({"patch": true, "rev": "HEAD~1"})).unwrap();
    assert!(log.text.contains("git_show has the commit, and with `path` each of its files"));
}

#[test]
fn a_folder_of_many_files_is_told_in_part_and_says_how_to_go_on() {
    let world = crowd();
    let reply = world.tool("git_show", json!({"rev": "HEAD", "path": "d"})).unwrap();
    assert!(reply.text.contains("f499\n500 of 600 shown") && !reply.text.contains("f500"), "{}", reply.text);
    let rest = goes_on(&world, reply, "500 of 600 shown; next");
    assert!(!rest.contains("f499") && rest.contains("f500") && rest.contains("f599"), "{rest}");
}

#[test]
fn a_commit_of_a_repository_in_a_folder_is_shown() {
    let world = World::new();
    for folder in [".", "n"] {
        world.git(&["init", "-q", "-b", "topic", folder]);
        world.write(&format!("{folder}/d/a.txt"), "a\n");
        world.git(&["-C", folder, "add", "d"]);
        world.git(&["-C", folder, "commit", "-qm", &format!("commit of {folder}")]);
    }
    let id = world.git(&["-C", "n", "rev-parse", "HEAD"]);
    for rev in ["HEAD", id.trim()] {
        let show = |path: &str| world.tool("git_show", json!({"rev": rev, "path": path})).unwrap();
        for path in ["n", "n/", "./n"] {
            let reply = show(path);
            assert_eq!(reply.data["kind"], "commit", "{path}");
            assert!(reply.text.contains("commit of n") && reply.text.contains("n/d/a.txt"), "{}", reply.text);
        }
        assert_eq!(show("n/.").text, "d/");
        assert_eq!(show("n/d").text, "a.txt");
    }
    // The root is what it was.
    assert_eq!(world.tool("git_show", json!({"rev": "HEAD", "path": "."})).unwrap().data["kind"], "dir-hint");
}
