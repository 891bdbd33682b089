//! `git_status` and `git_diff` against `git status --porcelain=v2` and `git diff`, over random work trees.

use std::collections::{BTreeMap, BTreeSet};

use outrigger::tools::{Code, Reply};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{odd_tree::Random, world::World};

/// One thing somebody does in a work tree.
#[derive(Clone, Debug)]
pub enum Step {
    Write(usize, u8),
    Delete(usize),
    Rename(usize, usize),
    Link(usize),
    Executable(usize),
    Stage(usize),
    StageAll,
    Commit,
}

pub const PATHS: [&str; 6] = ["a", "dir/b", "dir/sub/c", "with space", "ünï", "other/d"];

pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    let path = 0..PATHS.len();
    let step = prop_oneof![
        4 => (path.clone(), 0_u8..6).prop_map(|(path, content)| Step::Write(path, content)),
        2 => path.clone().prop_map(Step::Delete),
        1 => (path.clone(), path.clone()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => path.clone().prop_map(Step::Link),
        1 => path.clone().prop_map(Step::Executable),
        3 => path.prop_map(Step::Stage),
        1 => Just(Step::StageAll),
        1 => Just(Step::Commit),
    ];
    proptest::collection::vec(step, 1..24)
}

pub fn take(world: &World, step: &Step) {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let place = |index: &usize| world.root().join(PATHS[*index]);
    let clear = |index: &usize| {
        let _ = std::fs::remove_file(place(index));
        std::fs::create_dir_all(place(index).parent().unwrap()).unwrap();
    };
    match step {
        Step::Write(path, content) => {
            clear(path);
            let lines: Vec<String> = (0..12).map(|line| format!("{content} line {line}\n")).collect();
            std::fs::write(place(path), lines.concat()).unwrap();
        }
        Step::Delete(path) => drop(std::fs::remove_file(place(path))),
        Step::Rename(from, to) => {
            clear(to);
            let _ = std::fs::rename(place(from), place(to));
        }
        Step::Link(path) => {
            clear(path);
            symlink("somewhere", place(path)).unwrap();
        }
        Step::Executable(path) => {
            if place(path).symlink_metadata().is_ok_and(|found| found.is_file()) {
                std::fs::set_permissions(place(path), std::fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
        Step::Stage(path) => drop(world.git_output(&["add", "-A", "--", PATHS[*path]])),
        Step::StageAll => drop(world.git(&["add", "-A"])),
        Step::Commit => drop(world.git_output(&["commit", "-qm", "x"])),
    }
}

type Listed = BTreeSet<(String, String, String)>;

fn ours(reply: &Reply<Value>, list: &str) -> Listed {
    let entries = reply.data[list].as_array().unwrap();
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
    entries.iter().map(|entry| (text(entry, "path"), text(entry, "change"), text(entry, "from"))).collect()
}

#[derive(Default)]
struct Porcelain {
    headers: BTreeMap<String, String>,
    staged: Listed,
    unstaged: Listed,
    untracked: Listed,
    conflicted: BTreeSet<String>,
}

fn word(letter: char) -> String {
    match letter {
        'A' => "added",
        'M' => "modified",
        'D' => "deleted",
        'T' => "type_changed",
        'R' => "renamed",
        'C' => "copied",
        other => panic!("{other}"),
    }
    .to_owned()
}

fn porcelain(world: &World) -> Porcelain {
    let text = world.git(&["status", "--porcelain=v2", "--branch", "-z"]);
    let mut found = Porcelain::default();
    let mut entries = text.split_terminator('\0');
    while let Some(entry) = entries.next() {
        let (kind, rest) = entry.split_once(' ').unwrap();
        let fields = |count: usize| rest.splitn(count, ' ').collect::<Vec<_>>();
        match kind {
            "#" => {
                let (name, value) = rest.split_once(' ').unwrap();
                found.headers.insert(name.to_owned(), value.to_owned());
            }
            "1" | "2" => {
                let fields = fields(if kind == "1" { 8 } else { 9 });
                let path = (*fields.last().unwrap()).to_owned();
                let from = if kind == "2" { entries.next().unwrap() } else { "" };
                let letters: Vec<char> = fields[0].chars().collect();
                if letters[0] != '.' {
                    found.staged.insert((path.clone(), word(letters[0]), from.to_owned()));
                }
                if letters[1] != '.' {
                    found.unstaged.insert((path, word(letters[1]), String::new()));
                }
            }
            "u" => drop(found.conflicted.insert((*fields(10).last().unwrap()).to_owned())),
            "?" => drop(found.untracked.insert((rest.to_owned(), "untracked".into(), String::new()))),
            other => panic!("{other}"),
        }
    }
    found
}

pub fn assert_same(world: &World) {
    let reply = world.tool("git_status", json!({})).unwrap();
    let theirs = porcelain(world);
    assert_eq!(ours(&reply, "staged"), theirs.staged, "staged");
    assert_eq!(ours(&reply, "unstaged"), theirs.unstaged, "unstaged");
    assert_eq!(ours(&reply, "untracked"), theirs.untracked, "untracked");
    let conflicted: BTreeSet<String> =
        ours(&reply, "conflicted").into_iter().map(|(path, _, _)| path).collect();
    assert_eq!(conflicted, theirs.conflicted, "conflicted");
    let header = |name: &str| theirs.headers.get(name).map_or("", String::as_str);
    assert_eq!(reply.data["branch"], json!(header("branch.head").replace("(detached)", "")));
    assert_eq!(reply.data["head"], json!(header("branch.oid").replace("(initial)", "")));
    assert_eq!(reply.data["upstream"], json!(header("branch.upstream")));
    let apart = format!("+{} -{}", reply.data["ahead"], reply.data["behind"]);
    assert_eq!(apart, if header("branch.ab").is_empty() { "+0 -0" } else { header("branch.ab") });
}

/// The table of a difference against `git diff --numstat -M`.
fn assert_same_table(world: &World, arguments: Value, git: &[&str]) {
    let reply = world.tool("git_diff", arguments).unwrap();
    let mut ours: Vec<String> = Vec::new();
    for file in reply.data["files"].as_array().unwrap() {
        let path = file["path"].as_str().unwrap();
        let name = match file["old_path"].as_str().unwrap_or_default() {
            "" => path.to_owned(),
            from => format!("{from}\0{path}"),
        };
        ours.push(format!("{}\t{}\t{name}", file["added"], file["removed"]));
    }
    let text = world.git(&[&["diff", "-M", "--numstat", "-z"][..], git].concat());
    let mut theirs = Vec::new();
    let mut fields = text.split_terminator('\0');
    while let Some(field) = fields.next() {
        if field.ends_with('\t') {
            theirs.push(format!("{field}{}\0{}", fields.next().unwrap(), fields.next().unwrap()));
        } else {
            theirs.push(field.to_owned());
        }
    }
    assert_eq!(ours, theirs, "{git:?}\n{}", reply.text);
    // The patch below the table is git's own text, byte for byte.
    let patch = reply.text.find("diff --git").map_or("", |start| &reply.text[start..]);
    assert_eq!(patch, world.git(&[&["diff", "-M"][..], git].concat()), "{git:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_work_tree_has_gits_status(steps in steps()) {
        let world = World::new();
        world.git(&["init", "-q", "-b", "topic"]);
        for step in &steps {
            take(&world, step);
        }
        assert_same(&world);
        assert_same_table(&world, json!({}), &[]);
        assert_same_table(&world, json!({"staged": true}), &["--cached"]);
        if world.git_output(&["rev-parse", "-q", "--verify", "HEAD"]).status.success() {
            // Which renames are found differs, as ours were looked for in the index.
            let reply = world.tool("git_diff", json!({"from": "HEAD"})).unwrap();
            if !reply.text.contains("renamed") {
                assert_same_table(&world, json!({"from": "HEAD"}), &["--no-renames", "HEAD"]);
            }
        }
    }
}

/// What somebody leaves lying about in a work tree.
#[derive(Clone, Debug)]
enum Left {
    File(&'static str, bool),
    Folder,
    Rules(&'static str),
    Link,
    Repository,
}

fn left() -> impl Strategy<Value = Left> {
    let name = prop::sample::select(vec!["a", "b.log", "c.tmp", ".hidden"]);
    let rules = prop::sample::select(vec![
        "*.log\n",
        "*.log\n!b.log\n",
        "*\n",
        "*\n!*/\n!.gitignore\n",
        "sub/\n",
        "/a\n",
        "",
    ]);
    prop_oneof![
        4 => (name, prop::bool::weighted(0.2)).prop_map(|(name, tracked)| Left::File(name, tracked)),
        3 => Just(Left::Folder),
        2 => rules.prop_map(Left::Rules),
        1 => Just(Left::Link),
        1 => Just(Left::Repository),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn what_is_not_tracked_is_told_as_git_tells_it(
        left in proptest::collection::vec((prop::sample::select(vec!["", "d/", "d/sub/", "d/sub/e/", "x/sub/", "x/"]), left()), 1..12),
    ) {
        let world = World::new();
        world.git(&["init", "-q", "-b", "topic"]);
        for (folder, left) in left {
            std::fs::create_dir_all(world.root().join(folder)).unwrap();
            let place = |name: &str| world.root().join(folder).join(name);
            match left {
                Left::File(name, tracked) => {
                    std::fs::write(place(name), "x\n").unwrap();
                    if tracked {
                        // Not in a repository of its own.
                        let _ = world.git_output(&["add", "-f", "--", &format!("{folder}{name}")]);
                    }
                }
                Left::Folder => drop(std::fs::create_dir(place("empty"))),
                Left::Rules(rules) => std::fs::write(place(".gitignore"), rules).unwrap(),
                Left::Link => drop(std::os::unix::fs::symlink("nowhere", place("link"))),
                Left::Repository => drop(world.git_output(&["init", "-q", &format!("{folder}inner")])),
            }
        }
        assert_same(&world);
    }
}

#[test]
fn upstreams_are_told_as_they_are() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    world.git(&["branch", "base"]);
    world.git(&["branch", "-q", "--set-upstream-to=base"]);
    world.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    assert_same(&world);
    // Gone, as after a merged branch was deleted.
    world.git(&["branch", "-q", "-D", "base"]);
    assert_same(&world);
    let reply = world.tool("git_status", json!({})).unwrap();
    assert_eq!(reply.data["upstream_gone"], json!(true));
    assert!(reply.text.starts_with("on topic, its upstream base is gone:"), "{}", reply.text);
    world.git(&["config", "branch.topic.remote", "origin"]);
    world.git(&["config", "branch.topic.merge", "refs/heads/main"]);
    assert_same(&world);
    world.git(&["config", "remote.origin.url", "https://example.org/x"]);
    world.git(&["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"]);
    assert_same(&world);
    world.git(&["update-ref", "refs/remotes/origin/main", "HEAD~1"]);
    assert_same(&world);
    let reply = world.tool("git_status", json!({})).unwrap();
    assert_eq!(reply.data.get("upstream_gone"), None);
    assert!(reply.text.starts_with("on topic, 1 ahead and 0 behind origin/main\n"), "{}", reply.text);
    world.git(&["checkout", "-q", "--detach"]);
    assert_same(&world);
}

#[test]
fn a_copied_file_that_changed_is_not_lost() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    world.git(&["config", "diff.renames", "copies"]);
    world.git(&["config", "status.renames", "copies"]);
    world.write("source.txt", "a line\n".repeat(30));
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world.write("copy.txt", "a line\n".repeat(30));
    world.write("source.txt", "a line\n".repeat(31));
    world.git(&["add", "-A"]);
    for (tool, arguments) in [
        ("git_status", json!({})),
        ("git_diff", json!({"staged": true})),
        ("git_diff", json!({"from": "HEAD"})),
    ] {
        let text = world.tool(tool, arguments).unwrap().text;
        assert!(text.contains("source.txt") && text.contains("copy.txt"), "{tool}: {text}");
    }
    world.git(&["commit", "-qm", "second"]);
    let text = world.tool("git_show", json!({"rev": "HEAD"})).unwrap().text;
    assert!(text.contains("modified source.txt +1 -0") && text.contains("added copy.txt"), "{text}");
}

#[test]
fn a_pipe_is_nothing_to_git() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    for path in ["pipe", "new/pipe", "tracked/pipe"] {
        std::fs::create_dir_all(world.root().join(path).parent().unwrap()).unwrap();
        let made = std::process::Command::new("mkfifo").arg(world.root().join(path)).status().unwrap();
        assert!(made.success());
    }
    world.write("tracked/a.txt", "one\n");
    world.git(&["add", "tracked/a.txt"]);
    world.write("new/file.txt", "one\n");
    assert_same(&world);
}

#[test]
fn a_folder_in_the_place_of_a_file_is_told_once() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    for path in ["a", "folder/b"] {
        world.write(path, "one\n");
    }
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    for path in ["a", "folder/b"] {
        std::fs::remove_file(world.root().join(path)).unwrap();
        world.write(&format!("{path}/c/d"), "two\n");
    }
    assert_same(&world);
    world.git(&["config", "status.showUntrackedFiles", "all"]);
    assert_same(&world);
}

#[test]
fn each_untracked_file_is_listed_where_the_user_wants_that() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    world.write(".gitignore", "*.log\n");
    for path in ["a/b/c.txt", "a/b/d.log", "e.txt", "only/f.log"] {
        world.write(path, "one\n");
    }
    world.git(&["init", "-q", "a/inner"]);
    for wanted in ["all", "normal", "no"] {
        world.git(&["config", "status.showUntrackedFiles", wanted]);
        assert_same(&world);
    }
}

#[test]
fn empty_files_are_renamed_like_others() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    for path in ["empty", "dir/empty", "stays"] {
        world.write(path, "");
    }
    world.write("full", "some\nlines\nof text\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world.git(&["mv", "empty", "moved"]);
    world.git(&["mv", "full", "also moved"]);
    assert_same(&world);
    assert_same_table(&world, json!({"staged": true}), &["--cached"]);
    world.git(&["config", "status.renames", "false"]);
    assert_same(&world);
    world.git(&["commit", "-qm", "second"]);
    assert_same_table(&world, json!({"from": "HEAD~1", "to": "HEAD"}), &["HEAD~1", "HEAD"]);
}

/// Files that share lines, many of them under the same names, moved and rewritten in part.
fn shuffle(world: &World, random: &mut Random) {
    const NAMES: &[&str] = &["a", "b", "c.txt", "d.txt", "e", "f.txt"];
    const FOLDERS: &[&str] = &["", "one/", "one/two/", "three/"];
    let line = |random: &mut Random| format!("{} line", random.below(30)).repeat(1 + random.below(8));
    let name = |random: &mut Random| format!("{}{}", random.pick(FOLDERS), random.pick(NAMES));
    let text = |random: &mut Random| -> String {
        let (count, end) = (*random.pick(&[0, 1, 3, 10, 40]), *random.pick(&["\n", "\n", "\r\n"]));
        (0..count).map(|_| line(random) + end).collect()
    };
    let listed = world.git(&["ls-files", "-z"]);
    for old in listed.split_terminator('\0') {
        if random.chance(25) {
            continue;
        }
        let bytes = std::fs::read(world.root().join(old)).unwrap();
        std::fs::remove_file(world.root().join(old)).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        match random.below(5) {
            0 => lines.reverse(),
            1 => lines.iter_mut().for_each(|line| *line = line.replace('\n', "\r\n")),
            2 => lines.push(line(random)),
            _ => {
                for _ in 0..random.below(lines.len() + 1) {
                    let at = random.below(lines.len());
                    lines[at] = line(random) + "\n";
                }
            }
        }
        if random.chance(85) {
            world.write(&name(random), lines.concat());
        }
    }
    for _ in 0..random.below(6) {
        world.write(&name(random), text(random));
    }
}

#[test]
fn renames_are_those_that_git_finds() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    let mut random = Random(7);
    for round in 0..24 {
        shuffle(&world, &mut random);
        world.git(&["add", "-A"]);
        if round > 0 {
            assert_same(&world);
            assert_same_table(&world, json!({"staged": true}), &["--cached"]);
        }
        world.git(&["commit", "-qm", "next", "--allow-empty"]);
    }
    assert_same_table(&world, json!({"from": "HEAD~3", "to": "HEAD"}), &["HEAD~3", "HEAD"]);
    shuffle(&world, &mut random);
    world.git(&["add", "-N", "."]);
    assert_same(&world);
    assert_same_table(&world, json!({}), &[]);
    assert_same_table(&world, json!({"from": "HEAD"}), &["HEAD"]);
}

/// The files that a repository names for its rules count where they lie in the workspace.
#[test]
fn rules_of_the_repositorys_own_files_are_read_inside_alone() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    world.write("rules/ignore", "*.o\n");
    world.write("rules/attributes", "*.data diff\n");
    world.write("a.data", b"one\0\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world.write("b.o", "");
    world.write("a.data", b"two\0\n");
    world.git(&["config", "core.excludesFile", "rules/ignore"]);
    world.git(&["config", "core.attributesFile", world.root().join("rules/attributes").to_str().unwrap()]);
    assert_same(&world);
    assert!(porcelain(&world).untracked.is_empty());
    assert_same_table(&world, json!({}), &[]);
    // Elsewhere, or through a link that leads there, they do not.
    std::fs::copy(world.root().join("rules/ignore"), world.outside().join("ignore")).unwrap();
    std::os::unix::fs::symlink(world.outside().join("ignore"), world.root().join("link.o")).unwrap();
    for path in [world.outside().join("ignore"), world.root().join("link.o")] {
        world.git(&["config", "core.excludesFile", path.to_str().unwrap()]);
        let reply = world.tool("git_status", json!({})).unwrap();
        assert_eq!(ours(&reply, "untracked").len(), 2, "{}", reply.text);
    }
}

#[test]
fn what_is_to_be_shown_as_text_is() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    world.write(".gitattributes", "*.data diff\n*.txt -diff\n");
    for (path, content) in [("a.data", "one\0\n"), ("b.txt", "one\n"), ("c", "one\0\n")] {
        world.write(path, content);
    }
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    for (path, content) in [("a.data", "two\0\n"), ("b.txt", "two\n"), ("c", "two\0\n")] {
        world.write(path, content);
    }
    let reply = world.tool("git_diff", json!({})).unwrap();
    assert!(reply.text.ends_with(&world.git(&["diff"])), "{}", reply.text);
    world.git(&["commit", "-qam", "second"]);
    let reply = world.tool("git_show", json!({"rev": "HEAD"})).unwrap();
    assert!(reply.text.contains("\n-one\0\n+two\0\n"), "{}", reply.text);
}

#[test]
fn only_files_are_shown_as_attributes_say() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    world.write(".gitattributes", "*.md -diff\n*.bin diff\n");
    let link = |path: &str, target: &str| {
        let path = world.root().join(path);
        let _ = std::fs::remove_file(&path);
        std::os::unix::fs::symlink(target, path).unwrap();
    };
    link("link.md", "here");
    for path in ["becomes-link.md", "old.md", "plain"] {
        world.write(path, format!("{path}\n{}", "one of many lines\n".repeat(20)));
    }
    world.write("old.bin", format!("{}\0\n", "line\n".repeat(20)));
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    link("link.md", "there");
    link("becomes-link.md", "there");
    // What is renamed is what its name was, too.
    for (from, to) in [("old.md", "new"), ("plain", "plain.md"), ("old.bin", "new.bin")] {
        let content = std::fs::read(world.root().join(from)).unwrap();
        std::fs::remove_file(world.root().join(from)).unwrap();
        world.write(to, [&content[..], b"more\n"].concat());
    }
    let reply = world.tool("git_diff", json!({"paths": ["link.md", "becomes-link.md"]})).unwrap();
    let expected = world.git(&["diff", "link.md", "becomes-link.md"]);
    assert!(expected.contains("-here\n") && expected.contains("+there\n"), "{expected}");
    assert!(reply.text.ends_with(&expected), "{}", reply.text);
    world.git(&["add", "-A"]);
    let reply = world.tool("git_diff", json!({"staged": true})).unwrap();
    assert!(reply.text.ends_with(&world.git(&["diff", "--staged"])), "{}", reply.text);
    let binary = |path: &str| {
        let files = reply.data["files"].as_array().unwrap();
        files.iter().find(|file| file["path"] == path).unwrap()["binary"].as_bool().unwrap()
    };
    for (path, is_binary) in [("new", true), ("plain.md", true), ("new.bin", false), ("link.md", false)] {
        assert_eq!(binary(path), is_binary, "{path}");
    }
}

#[test]
fn a_link_goes_through_no_filter() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    world.write(".gitattributes", "*.png filter=lfs diff=lfs -text\n");
    let link = |path: &str, target: &str| {
        let path = world.root().join(path);
        let _ = std::fs::remove_file(&path);
        std::os::unix::fs::symlink(target, path).unwrap();
    };
    link("link.png", "here");
    world.write("file.png", "a pointer\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    link("link.png", "there");
    let status = world.tool("git_status", json!({})).unwrap();
    assert!(!status.text.contains("filter"), "{}", status.text);
    link("file.png", "there");
    let diff = world.tool("git_diff", json!({})).unwrap();
    assert!(diff.text.ends_with(&world.git(&["diff"])), "{}", diff.text);
    world.tool("git_add", json!({"paths": ["link.png", "file.png"]})).unwrap();
    assert_same(&world);
    assert_eq!(world.git(&["cat-file", "blob", ":file.png"]), "there");
    // The file still does.
    world.git(&["reset", "-q", "--hard"]);
    world.write("file.png", "pixels\n");
    let diff = world.tool("git_diff", json!({})).unwrap();
    assert_eq!(diff.data["files"][0]["filtered"], true, "{}", diff.text);
    assert_eq!(
        world.tool("git_add", json!({"paths": ["file.png"]})).unwrap_err().code,
        Code::UnsupportedHere
    );
}

#[test]
fn an_encoding_that_is_not_known_here_is_told_of() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    world.write(".gitattributes", "*.txt text working-tree-encoding=UTF-16LE-BOM\n");
    world.write("a.txt", b"\xff\xfea\0\n\0");
    world.write("b.c", "b\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    let touch = |path: &str| {
        let file = std::fs::File::options().write(true).open(world.root().join(path)).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(7)).unwrap();
    };
    touch("a.txt");
    let [status, diff] = ["git_status", "git_diff"].map(|tool| world.tool(tool, json!({})).unwrap());
    assert!(status.warnings.iter().any(|note| note.contains("may be unchanged")), "{:?}", status.warnings);
    assert_eq!(status.warnings, diff.warnings);
    world.write("b.c", "c\n");
    let diff = world.tool("git_diff", json!({"paths": ["b.c"]})).unwrap();
    assert_eq!(diff.warnings, Vec::<String>::new());
}

/// Also where the text of the link is as long as the file was: the library then opens what it leads to.
#[test]
fn an_executable_that_became_a_link_is_told() {
    for target in ["b.txt", "f", ".", "gone!", "other", "dir/.", "bb.txt"] {
        for (mode, content) in [(0o755, "12345"), (0o755, "1"), (0o644, "12345"), (0o755, target)] {
            use std::os::unix::fs::{PermissionsExt as _, symlink};
            let world = World::new();
            world.git(&["init", "-q", "-b", "main"]);
            world.git(&["config", "user.name", "Ann"]);
            world.git(&["config", "user.email", "ann@example.org"]);
            let file = world.write("f", content);
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            world.write("dir/other", "other\n");
            world.git(&["add", "-A"]);
            world.git(&["commit", "-qm", "first"]);
            std::fs::remove_file(&file).unwrap();
            symlink(target, &file).unwrap();
            symlink("loop", world.root().join("loop")).unwrap();
            world.write("other", "12345");
            assert_same(&world);
            let diff = world.tool("git_diff", json!({})).unwrap();
            assert!(diff.text.ends_with(&world.git(&["diff"])), "{target} {mode:o} {content}: {}", diff.text);
            world.tool("git_add", json!({"paths": ["f"]})).unwrap();
            assert_eq!(world.git(&["cat-file", "blob", ":f"]), target);
            assert_same(&world);
            world.tool("git_commit", json!({"paths": ["f"], "message": "m"})).unwrap();
            assert_same(&world);
        }
    }
}

#[test]
fn what_is_going_on_is_named() {
    let operation = |prepare: &dyn Fn(&World)| {
        let world = World::new();
        world.git(&["init", "-q", "-b", "topic"]);
        for (branch, content) in [("topic", "base\n"), ("left", "left\n"), ("right", "right\n")] {
            world.git_output(&["checkout", "-q", "-b", branch, "topic"]);
            world.write("a.txt", content);
            world.git(&["add", "-A"]);
            world.git(&["commit", "-qm", branch]);
        }
        prepare(&world);
        let reply = world.tool("git_status", json!({})).unwrap();
        assert_eq!(ours(&reply, "conflicted").len(), porcelain(&world).conflicted.len(), "{}", reply.text);
        reply.data["operation"].as_str().unwrap().to_owned()
    };
    assert_eq!(operation(&|_| {}), "none");
    assert_eq!(operation(&|world| drop(world.git_output(&["merge", "left"]))), "merge");
    assert_eq!(operation(&|world| drop(world.git_output(&["rebase", "left"]))), "rebase");
    assert_eq!(operation(&|world| drop(world.git_output(&["cherry-pick", "left"]))), "cherry_pick");
    assert_eq!(operation(&|world| drop(world.git_output(&["revert", "topic", "--no-edit"]))), "revert");
    assert_eq!(operation(&|world| drop(world.git_output(&["bisect", "start"]))), "bisect");
}

#[test]
fn five_hundred_entries_are_shown_and_all_counted() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    for number in 0..600 {
        world.write(&format!("file{number:03}"), "x\n");
    }
    world.git(&["add", "-A"]);
    let reply = world.tool("git_status", json!({})).unwrap();
    assert_eq!(reply.data["staged"].as_array().unwrap().len(), 500);
    let truncated = reply.truncated.unwrap();
    assert_eq!((truncated.shown, truncated.total), (500, 600));
    let next = truncated.next.unwrap();
    assert!(
        reply.text.ends_with(&format!("500 of 600 shown; next: fs_read {}", next.args)),
        "{}",
        reply.text
    );
    // The way on begins with the first that was left out, and ends with the last.
    let rest = world.tool(&next.tool, next.args).unwrap();
    assert!(rest.text.contains("file500") && !rest.text.contains("file499"), "{}", rest.text);
    assert!(rest.text.contains("file599"), "{}", rest.text);
}

/// Each step leads on until nothing is left, and shows nothing twice.
#[test]
fn who_follows_what_a_difference_leads_on_to_sees_all_of_it() {
    let world = World::new();
    world.git(&["init", "-q"]);
    let files: Vec<String> = ["a", "b/x", "b/y", "c"]
        .iter()
        .flat_map(|folder| (0..15).map(move |number| format!("{folder}/f{number:02}")))
        .collect();
    for content in ["one\n", "two\n"] {
        for file in &files {
            world.write(file, content);
        }
        if content == "one\n" {
            world.git(&["add", "-A"]);
            world.git(&["commit", "-qm", "first"]);
        }
    }
    let shown_in = |text: &str| -> Vec<String> {
        let heads = text.lines().filter_map(|line| line.strip_prefix("diff --git a/"));
        heads.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    let mut seen = Vec::new();
    let mut arguments = Some(json!({"limit_bytes": 1500}));
    while let Some(given) = arguments {
        let reply = world.tool("git_diff", given).unwrap();
        seen.extend(shown_in(&reply.text));
        arguments = reply.truncated.and_then(|truncated| truncated.next).map(|next| next.args);
        assert!(seen.len() <= files.len(), "{seen:?}");
    }
    assert_eq!(seen, files);
    // Where names are not enough for all, that is said.
    for number in 0..60 {
        world.write(&format!("z{number:02}"), "new\n");
    }
    world.git(&["add", "-N", "."]);
    let reply = world.tool("git_diff", json!({"limit_bytes": 8000})).unwrap();
    let left = reply.truncated.as_ref().map(|truncated| truncated.total - truncated.shown).unwrap();
    let told = format!("of the {left} files left out: name the others with `paths`");
    assert!(reply.warnings.iter().any(|warning| warning.contains(&told)), "{:?}", reply.warnings);
}

/// git takes it for nothing; it is not there for a moment only.
#[test]
fn a_folder_in_the_place_of_gitmodules_is_named() {
    let world = World::new();
    world.git(&["init", "-q"]);
    world.write(".gitmodules/a", "x\n");
    let error = world.tool("git_status", json!({})).unwrap_err();
    assert_eq!(error.code, Code::UnsupportedHere, "{error}");
    assert!(error.message.contains("`.gitmodules` is a folder"), "{error}");
}

#[test]
fn branches_that_are_not_shown_are_told_and_can_be_read() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.write("a", "x\n");
    world.git(&["add", "a"]);
    world.git(&["commit", "-qm", "first"]);
    let head = world.git(&["rev-parse", "HEAD"]);
    let packed: Vec<_> =
        (0..250).map(|number| format!("{} refs/heads/x{number:03}\n", head.trim())).collect();
    std::fs::write(world.root().join(".git/packed-refs"), packed.concat()).unwrap();
    let reply = world.tool("git_status", json!({"branches": true})).unwrap();
    assert_eq!(reply.data["branches"].as_array().unwrap().len(), 200);
    let truncated = reply.truncated.unwrap();
    assert_eq!((truncated.shown, truncated.total, &*truncated.unit), (200, 251, "branches"));
    let next = truncated.next.unwrap();
    let end = format!("200 of 251 branches shown; next: fs_read {}", next.args);
    assert!(reply.text.ends_with(&end), "{}", reply.text);
    let rest = world.tool(&next.tool, next.args).unwrap();
    assert!(rest.text.contains("x249") && !rest.text.contains("x000"), "{}", rest.text);
    // Beside entries that are not shown either, the way on leads through both.
    for number in 0..501 {
        world.write(&format!("f{number:03}"), "x\n");
    }
    let reply = world.tool("git_status", json!({"branches": true})).unwrap();
    assert!(reply.text.contains("\n500 of 501, 200 of 251 branches shown; next: "), "{}", reply.text);
    let next = reply.truncated.unwrap().next.unwrap();
    let rest = world.tool(&next.tool, next.args).unwrap();
    assert!(rest.text.contains("f500") && rest.text.contains("x249"), "{}", rest.text);
}

/// A merge that stopped: both have changed `a`, one has removed `gone`.
fn stopped_merge() -> World {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.write("a", "1\n2\n3\n4\n5\n");
    world.write("gone", "here\n");
    world.write("plain", "plain\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world.git(&["checkout", "-qb", "side"]);
    world.write("a", "1\n2\ntheirs\n4\n5\n");
    world.write("gone", "changed\n");
    world.git(&["commit", "-qam", "theirs"]);
    world.git(&["checkout", "-q", "topic"]);
    world.write("a", "1\n2\nours\n4\n5\n");
    world.git(&["rm", "-q", "gone"]);
    world.git(&["commit", "-qam", "ours"]);
    assert!(!world.git_output(&["merge", "-q", "side"]).status.success());
    world.write("plain", "changed\n");
    world
}

#[test]
fn a_conflict_is_shown_against_our_side() {
    let world = stopped_merge();
    let reply = world.tool("git_diff", json!({"paths": ["a"]})).unwrap();
    let theirs = world.git(&["diff", "--ours", "--", "a"]);
    let theirs = theirs.strip_prefix("* Unmerged path a\n").unwrap();
    let hunks = |text: &str| text[text.find("@@").unwrap()..].to_owned();
    assert_eq!(hunks(&reply.text), hunks(theirs));
    assert_eq!(reply.data["files"][0]["status"], json!("unmerged"));
    assert!(reply.warnings.iter().any(|warning| warning.contains("1 unmerged path")), "{:?}", reply.warnings);
    // With a commit it is that commit's file; and each path is listed, whatever is left of it.
    let reply = world.tool("git_diff", json!({"from": "side", "paths": ["a"]})).unwrap();
    assert!(reply.text.contains("+<<<<<<< HEAD"), "{}", reply.text);
    let reply = world.tool("git_diff", json!({})).unwrap();
    let listed: Vec<&str> =
        reply.data["files"].as_array().unwrap().iter().map(|file| file["status"].as_str().unwrap()).collect();
    assert_eq!(listed, ["modified", "unmerged", "unmerged"]);
    // Our own file, taken back, is unmerged still.
    world.git(&["checkout", "-q", "--ours", "a"]);
    let reply = world.tool("git_diff", json!({"paths": ["a"]})).unwrap();
    assert!(reply.text.starts_with("unmerged a +0 -0"), "{}", reply.text);
}

/// What has no side of ours in the index is a conflict all the same, and no new file.
#[test]
fn a_conflict_without_our_side_is_told_once() {
    let world = World::new();
    let write = |path: &str, text: &str| {
        std::fs::create_dir_all(world.root().join(path).parent().unwrap()).unwrap();
        std::fs::write(world.root().join(path), text).unwrap();
    };
    world.git(&["init", "-q", "-b", "trunk"]);
    for path in ["gone", "folder/gone", "folder/sub/gone"] {
        write(path, "x\n");
    }
    write("moved", &"line\n".repeat(20));
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "one"]);
    world.git(&["switch", "-qc", "side"]);
    world.git(&["rm", "-q", "gone", "folder/gone", "folder/sub/gone"]);
    world.git(&["mv", "moved", "ours"]);
    world.git(&["commit", "-qm", "deleted"]);
    world.git(&["switch", "-q", "trunk"]);
    for path in ["gone", "folder/gone", "folder/sub/gone"] {
        write(path, "y\n");
    }
    world.git(&["mv", "moved", "theirs"]);
    world.git(&["commit", "-qam", "changed"]);
    world.git(&["switch", "-q", "side"]);
    world.git_output(&["merge", "trunk"]);
    write("folder/new", "z\n");
    let status = world.git(&["status", "--porcelain"]);
    assert!(status.contains("DU gone") && status.contains("UA theirs"), "{status}");
    assert_same(&world);
}

#[test]
fn a_path_that_is_nowhere_is_said_so() {
    let world = stopped_merge();
    for paths in [json!(["nope"]), json!(["*.txt"]), json!(["nope", "dir/none"])] {
        let error = world.tool("git_diff", json!({"paths": paths})).unwrap_err();
        assert_eq!(error.code, outrigger::tools::Code::NotFound, "{error}");
    }
    let reply = world.tool("git_diff", json!({"paths": ["nope", "plain"]})).unwrap();
    assert!(reply.warnings.iter().any(|warning| warning.contains("`nope`")), "{:?}", reply.warnings);
    // Gone, but known: to the index, or to the commit.
    world.git(&["merge", "--abort"]);
    std::fs::remove_file(world.root().join("plain")).unwrap();
    world.tool("git_diff", json!({"paths": ["plain"]})).unwrap();
    world.git(&["rm", "-q", "plain"]);
    world.tool("git_diff", json!({"paths": ["plain"]})).unwrap();
    let reply = world.tool("git_log", json!({"path": "nope"})).unwrap();
    assert!(reply.warnings.iter().any(|warning| warning.contains("`nope`")), "{:?}", reply.warnings);
    let reply = world.tool("git_log", json!({"path": "gone"})).unwrap();
    assert!(reply.warnings.is_empty() && !reply.text.contains("no commits"), "{:?}", reply.warnings);
}

#[test]
fn counts_are_true() {
    let world = stopped_merge();
    world.git(&["merge", "--abort"]);
    // The repository's own: a fresh machine knows nobody.
    world.git(&["config", "user.name", "Ann"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    let reply = world.tool("git_log", json!({"limit": 1})).unwrap();
    let told = serde_json::to_value(reply.truncated.unwrap()).unwrap();
    assert!(told.get("total").is_none() && told["shown"] == 1, "{told}");
    world.git(&["reset", "-q", "--hard"]);
    world.git(&["mv", "a", "renamed"]);
    world.write("b", "b\n");
    world.git(&["add", "-A"]);
    let reply = world.tool("git_commit", json!({"message": "renamed"})).unwrap();
    assert!(reply.text.contains("(2 files)"), "{}", reply.text);
    let shown = world.tool("git_show", json!({"rev": "HEAD"})).unwrap();
    assert!(shown.text.contains("2 files"), "{}", shown.text);
    let git = world.git(&["show", "--stat", "-M", "HEAD"]);
    assert!(git.contains("2 files changed"), "{git}");
}

#[test]
fn the_call_for_the_rest_gets_it() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.write("large", "old\n".repeat(60_000));
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world.write("large", "new\n".repeat(60_000));
    let reply = world.tool("git_diff", json!({})).unwrap();
    let next = reply.truncated.unwrap().next.unwrap();
    let reply = world.tool(&next.tool, next.args).unwrap();
    assert_eq!(reply.data["complete"], json!(true));
    let reply = world.tool("git_blame", json!({"path": "large", "limit": 3})).unwrap();
    let next = reply.truncated.unwrap().next.unwrap();
    assert!(
        reply.text.ends_with(&format!("(lines 1-3 of 60000; next: git_blame {})\n", next.args)),
        "{}",
        reply.text
    );
    std::fs::create_dir(world.root().join("folder")).unwrap();
    let error = world.tool("git_blame", json!({"path": "folder"})).unwrap_err();
    assert_eq!(error.code, outrigger::tools::Code::WrongType, "{error}");
}

#[test]
fn a_patch_says_how_alike_both_names_are_and_what_its_hunks_stand_in() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.git(&["config", "core.autocrlf", "false"]);
    let function = |name: &str| {
        format!("{name}() {{\n{}}}\n\n", (0..9).map(|n| format!("\tstep {n}\n")).collect::<Vec<_>>().concat())
    };
    let code = ["_first", "second", "$third", "ünï", "  indented"].map(function).concat();
    let long = format!("{} \t{}\n{}", "word ".repeat(16), "rest".repeat(9), "\tline\n".repeat(20));
    let plain = (0..40).map(|n| format!("{n} of the lines\n")).collect::<Vec<_>>().concat();
    let wide = format!("{}\n", "0123456789".repeat(30)).repeat(3);
    for (name, text) in [("code", &code), ("long", &long), ("plain", &plain), ("wide", &wide)] {
        world.write(name, text);
    }
    world.write("end", "a\nlast line that has no end and is rather long");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world.write("code", code.replace("step 4", "step four").replacen("step 0", "step zero", 4));
    world.write("long", format!("{long}more\n"));
    for (from, to, text) in [
        ("plain", "moved/plain", plain.replace("7 of", "seven of")),
        ("wide", "moved/wide", wide.replacen("012345678901", "x", 1)),
        ("end", "moved/end", "b\nlast line that has no end and is rather long".to_owned()),
    ] {
        std::fs::remove_file(world.root().join(from)).unwrap();
        world.write(to, text);
    }
    world.git(&["add", "-A"]);
    assert_same_table(&world, json!({"staged": true}), &["--cached"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_name_that_is_no_utf_8_can_be_given_back() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    std::fs::write(world.root().join(std::ffi::OsStr::from_bytes(b"b\xffd")), "bytes\n").unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    let listed = world.tool("git_show", json!({"rev": "HEAD", "path": "."})).unwrap();
    assert_eq!(listed.text, "b\\xffd");
    let reply = world.tool("git_show", json!({"rev": "HEAD", "path": listed.text})).unwrap();
    assert!(reply.text.contains("bytes"), "{}", reply.text);
    // A patch names it by its bytes, as git does, and is taken back.
    let file = world.root().join(std::ffi::OsStr::from_bytes(b"b\xffd"));
    std::fs::write(&file, "changed\n").unwrap();
    let shown = world.tool("git_diff", json!({})).unwrap().text;
    let patch = &shown[shown.find("diff --git").unwrap()..];
    assert_eq!(patch, world.git(&["diff"]));
    std::fs::write(&file, "bytes\n").unwrap();
    world.tool("fs_apply_patch", json!({"patch": patch})).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "changed\n");
}

/// A file at the end of so many folders in each other; made by steps, because all of the way may be too long for one name.
fn deep(levels: usize) -> World {
    let world = World::new();
    world.git(&["init", "-q"]);
    let script = format!(
        "left={levels}; while [ $left -gt 0 ]; do n=$left; [ $n -gt 500 ] && n=500; left=$((left - n)); \
         way=$(printf 'd/%.0s' $(seq $n)); mkdir -p $way; cd -P $way; done; : > end"
    );
    let status = std::process::Command::new("sh").args(["-c", &script]).current_dir(world.root()).status();
    assert!(status.unwrap().success());
    world
}

#[test]
fn folders_in_folders_without_end_stop_nobody() {
    let world = deep(1500);
    let status = world.tool("git_status", json!({})).unwrap();
    assert_eq!(status.data["untracked"][0]["path"], json!("d/"));
    let reply = world.tool("git_add", json!({"paths": ["."]})).unwrap();
    let end = format!("{}end", "d/".repeat(1500));
    assert_eq!(reply.data["staged"], json!([end]));
    assert_same(&world);
    let world = deep(2100);
    // The file at the end nobody reaches, git neither.
    let reply = world.tool("git_add", json!({"paths": ["."]})).unwrap();
    assert!(reply.warnings.iter().any(|words| words.contains("`d/d/d/")), "{:?}", reply.warnings);
    assert_same(&world);
    // The library of temporary folders holds each level open.
    assert!(
        std::process::Command::new("rm").arg("-rf").arg(world.root().join("d")).status().unwrap().success()
    );
}

/// Folders in each other, longer together than the system takes; `file` lies in each of the first ones.
fn folders(world: &World, lengths: &[usize], with_file: usize) {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = openat(CWD, world.root().as_path(), flags, Mode::empty()).unwrap();
    for (level, length) in lengths.iter().enumerate() {
        let name = "d".repeat(*length);
        mkdirat(&folder, name.as_str(), Mode::from_raw_mode(0o755)).unwrap();
        folder = openat(&folder, name.as_str(), flags, Mode::empty()).unwrap();
        if level < with_file {
            openat(&folder, "file", OFlags::CREATE | OFlags::WRONLY, Mode::from_raw_mode(0o644)).unwrap();
        }
    }
}

#[test]
fn what_lies_deeper_than_the_system_takes_is_passed_over() {
    let full = vec![200; 24];
    // The end of what can be reached falls into the middle of a name, and near to its ends.
    let edges = (0..12).map(|more| [vec![200; 19], vec![20 * more + 10, 1, 1, 1, 200]].concat());
    for lengths in std::iter::once(full).chain(edges) {
        for with_file in [0, 2, lengths.len()] {
            let world = World::new();
            world.git(&["init", "-q", "-b", "topic"]);
            world.write("a.txt", "a\n");
            folders(&world, &lengths, with_file);
            world.write("b.txt", "b\n");
            let told = |reply: &Reply<Value>| {
                reply
                    .warnings
                    .iter()
                    .any(|words| words.contains("is longer than the system takes, beginning with `dd"))
            };
            let is_too_deep = lengths.iter().map(|length| length + 1).sum::<usize>() > 4096;
            let reply = world.tool("git_status", json!({})).unwrap();
            assert_eq!(ours(&reply, "untracked"), porcelain(&world).untracked, "{lengths:?} {with_file}");
            assert!(told(&reply) || !is_too_deep, "{lengths:?} {:?}", reply.warnings);
            if with_file == 2 {
                let reply = world.tool("git_add", json!({"paths": ["."]})).unwrap();
                assert!(told(&reply) || !is_too_deep, "{lengths:?} {:?}", reply.warnings);
                let staged = world.git(&["ls-files", "-s"]);
                world.git(&["rm", "-rq", "--cached", "."]);
                // It says so, and goes on.
                let _ = world.git_output(&["add", "-A"]);
                assert_eq!(staged, world.git(&["ls-files", "-s"]), "{lengths:?}");
            }
        }
    }
}

#[test]
fn names_are_shown_safely_and_told_as_they_are() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    let names = ["a\nb", "c\td", "e\u{202e}f"];
    for name in names {
        world.write(name, "x\n");
    }
    let status = world.tool("git_status", json!({})).unwrap();
    let told: Vec<&str> = status.data["untracked"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["path"].as_str().unwrap())
        .collect();
    assert_eq!(told, names);
    assert!(status.text.contains("a\\nb") && !status.text.contains("a\nb"), "{}", status.text);
    let added = world.tool("git_add", json!({"paths": told})).unwrap();
    assert_eq!(added.data["staged"], json!(names));
    assert!(added.text.contains("a\\nb") && !added.text.contains("a\nb"), "{}", added.text);
}

/// As git, which composes names on macOS alone, whatever a repository that came from there says.
#[test]
#[cfg(not(target_os = "macos"))]
fn a_decomposed_name_is_listed_as_it_is() {
    let world = World::new();
    world.git(&["init", "-q"]);
    world.git(&["config", "core.precomposeUnicode", "true"]);
    world.write("e\u{301}.txt", "1\n");
    world.write("u\u{308}/a\u{30a}.txt", "1\n");
    let untracked = || world.tool("git_status", json!({})).unwrap().data["untracked"].clone();
    let entry = |path: &str| json!({"path": path, "change": "untracked"});
    assert_eq!(untracked(), json!([entry("e\u{301}.txt"), entry("u\u{308}/")]));
    world.tool("git_add", json!({"paths": ["."]})).unwrap();
    assert_eq!(world.git(&["ls-files", "-z"]), "e\u{301}.txt\0u\u{308}/a\u{30a}.txt\0");
    assert_eq!(untracked(), json!([]));
}

#[test]
fn a_folder_that_became_a_link_to_itself_stops_nobody() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    world.write("sub/deep/a.txt", "one\n");
    world.write("b.txt", "two\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "one"]);
    std::fs::remove_dir_all(world.root().join("sub")).unwrap();
    std::os::unix::fs::symlink("sub", world.root().join("sub")).unwrap();
    world.write("b.txt", "changed\n");
    let diff = world.tool("git_diff", json!({})).unwrap();
    let files: Vec<_> = diff.data["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(files, ["b.txt", "sub/deep/a.txt"]);
    let restored = world.tool("git_restore", json!({"paths": ["sub"]})).unwrap_err();
    assert!(restored.message.contains("leads to itself"), "{restored:?}");
    world.tool("git_add", json!({"paths": ["."]})).unwrap();
    let ours = world.git(&["ls-files", "-s"]);
    world.git(&["reset", "-q"]);
    world.git(&["add", "."]);
    assert_eq!(ours, world.git(&["ls-files", "-s"]));
}

#[test]
fn untracked_files_that_status_hides_are_told_of_and_staged() {
    for hides in ["no", "false"] {
        let world = World::new();
        world.git(&["init", "-q", "-b", "main"]);
        world.git(&["config", "status.showUntrackedFiles", hides]);
        world.write("d/new.txt", "one\n");
        let status = world.tool("git_status", json!({})).unwrap();
        assert_eq!(status.data["untracked"], json!([]));
        assert!(status.warnings[0].contains("status.showUntrackedFiles"), "{:?}", status.warnings);
        let added = world.tool("git_add", json!({"paths": ["."]})).unwrap();
        assert_eq!(added.data["staged"], json!(["d/new.txt"]));
    }
}
