//! `git_blame` against the git program, over histories in which files are renamed, copied, cut in two and merged.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::json;

use crate::{
    git_history::{Dice, import},
    world::World,
};

/// The files of a commit.
type Files = BTreeMap<String, Vec<String>>;

const NAMES: [&str; 8] = ["a", "b", "d/a", "d/b", "d/e/c", "z/q", "with space", "ü"];

/// True where a file and a folder would have one name.
fn is_taken(files: &Files, name: &str) -> bool {
    files.keys().any(|other| {
        other == name || other.starts_with(&format!("{name}/")) || name.starts_with(&format!("{other}/"))
    })
}

fn word(dice: &mut Dice, words: usize) -> String {
    let indent = if dice.pick(3) == 0 { dice.pick(4) } else { 0 };
    format!("{}w{}", "  ".repeat(indent), dice.pick(words))
}

/// One change of one file.
fn change(dice: &mut Dice, files: &mut Files, words: usize) {
    let name = files.keys().nth(dice.pick(files.len())).cloned();
    match (dice.pick(20), name) {
        (5..13, Some(name)) => {
            let lines = files.get_mut(&name).unwrap();
            for _ in 0..[1, 1, 3, 15][dice.pick(4)] {
                let (at, new) = (dice.pick(lines.len() + 1), word(dice, words));
                match (dice.pick(3), at < lines.len()) {
                    (0, _) => lines.insert(at, new),
                    (1, true) => drop(lines.remove(at)),
                    (_, true) => lines[at] = new,
                    _ => {}
                }
            }
        }
        (13..17, Some(name)) => {
            let new = [NAMES[dice.pick(8)].to_owned(), format!("n{}", dice.pick(10))][dice.pick(2)].clone();
            let mut lines = files.remove(&name).unwrap();
            // Some are hardly half alike.
            for _ in 0..[0, 0, 1, lines.len() / 3, lines.len() / 2][dice.pick(5)] {
                let (at, new) = (dice.pick(lines.len()), word(dice, words));
                if let Some(line) = lines.get_mut(at) {
                    *line = new;
                }
            }
            files.insert(if is_taken(files, &new) { name } else { new }, lines);
        }
        (17, Some(name)) => drop(files.remove(&name)),
        (18..20, Some(name)) => {
            let lines = files.get_mut(&name).unwrap();
            let rest = lines.split_off(dice.pick(lines.len() + 1));
            files.insert(format!("s{}", dice.pick(6)), rest);
        }
        _ => {
            let name = NAMES[dice.pick(8)];
            if !is_taken(files, name) {
                let lines = (0..[0, 3, 12, 40][dice.pick(4)]).map(|_| word(dice, words)).collect();
                files.insert(name.to_owned(), lines);
            }
        }
    }
}

/// A history for `git fast-import`.
fn history(dice: &mut Dice) -> String {
    let words = [4, 30, 1000][dice.pick(3)];
    let (mut text, mut commits) = (String::new(), vec![Files::new()]);
    for number in 1..=10 + dice.pick(25) {
        let mut parents = Vec::new();
        if number > 1 && dice.pick(30) > 0 {
            parents.push(if dice.pick(3) > 0 {
                number - 1
            } else {
                number - 1 - dice.pick(number.min(5) - 1)
            });
            for _ in 0..[0, 0, 0, 0, 0, 1, 1, 2][dice.pick(8)] {
                let other = 1 + dice.pick(number - 1);
                if !parents.contains(&other) {
                    parents.push(other);
                }
            }
        }
        let mut files = parents.first().map(|first| commits[*first].clone()).unwrap_or_default();
        for other in parents.iter().skip(1) {
            for (name, lines) in commits[*other].clone() {
                let chance = dice.pick(5);
                if let (0, Some(own)) = (chance, files.get_mut(&name)) {
                    own.truncate(dice.pick(own.len() + 1));
                    own.extend(lines.into_iter().skip(own.len()));
                } else if chance == 1 && (files.contains_key(&name) || !is_taken(&files, &name)) {
                    files.insert(name, lines);
                }
            }
        }
        for _ in 0..=dice.pick(4) {
            change(dice, &mut files, words);
        }
        let time = 1_700_000_000 + number * 50 + dice.pick(4) * 40 - dice.pick(3) * 90;
        if parents.is_empty() && number > 1 {
            text.push_str("reset refs/heads/topic\n\n");
        }
        let who = format!("A <a@x> {time} +0000");
        let _ = write!(
            text,
            "commit refs/heads/topic\nmark :{number}\nauthor {who}\ncommitter {who}\ndata 2\nm\n"
        );
        for (index, parent) in parents.iter().enumerate() {
            let _ = writeln!(text, "{} :{parent}", if index == 0 { "from" } else { "merge" });
        }
        text.push_str("deleteall\n");
        for (name, lines) in &files {
            let end = if lines.len() % 7 == 0 { "" } else { "\n" };
            let content = lines.join("\n") + end;
            let mode = if lines.len() % 5 == 0 { "100755" } else { "100644" };
            let _ = write!(text, "M {mode} inline \"{name}\"\ndata {}\n{content}\n", content.len());
        }
        commits.push(files);
    }
    text
}

/// Of each line the commit and the name of the file in it.
type Blamed = Vec<(String, String)>;

fn theirs(world: &World, args: &[&str]) -> Blamed {
    let text = world.git(&[&["blame", "--line-porcelain"], args].concat());
    let (mut found, mut id, mut name) = (Vec::new(), "", "");
    for line in text.split('\n') {
        match (line.strip_prefix("filename "), line.split_once(' ')) {
            _ if line.starts_with('\t') => found.push((id.to_owned(), name.to_owned())),
            (Some(file), _) => name = file,
            (None, Some((first, _))) if first.len() == 40 => id = first,
            _ => {}
        }
    }
    found
}

fn ours(world: &World, path: &str, rev: &str) -> Blamed {
    let reply = world.tool("git_blame", json!({"path": path, "rev": rev, "limit": 500})).unwrap();
    let mut found = Vec::new();
    for run in reply.data["runs"].as_array().unwrap() {
        let (id, from) = (run["id"].as_str().unwrap(), run["from"].as_str().unwrap_or(path));
        let id = if id.is_empty() { "0".repeat(40) } else { id.to_owned() };
        found.extend(vec![(id, from.to_owned()); run["count"].as_u64().unwrap() as usize]);
    }
    found
}

#[test]
fn every_line_of_a_file_that_was_renamed_merged_or_cut_in_two_is_blamed_as_git_does() {
    let mut lines = 0;
    for seed in 0..16 {
        let mut dice = Dice(seed);
        let world = World::new();
        world.git(&["init", "-q", "-b", "topic"]);
        world.git(&["config", "core.quotepath", "false"]);
        if dice.pick(3) == 0 {
            // A blame follows renames all the same.
            world.git(&["config", "diff.renames", "false"]);
        }
        import(&world, &history(&mut dice));
        let listed = world.git(&["ls-files", "-z"]);
        for (number, path) in listed.split_terminator('\0').enumerate() {
            match dice.pick(6) {
                0 => {
                    let text = std::fs::read_to_string(world.root().join(path)).unwrap();
                    world.write(path, text + "more\n");
                }
                1 => drop(world.git(&["mv", path, &format!("moved{number}")])),
                _ => {}
            }
        }
        for path in world.git(&["ls-files", "-z"]).split_terminator('\0') {
            let found = ours(&world, path, "");
            lines += found.len();
            assert_eq!(found, theirs(&world, &["--", path]), "seed {seed}, {path}");
        }
        for rev in ["HEAD", "HEAD~2"] {
            let Ok(listed) =
                String::from_utf8(world.git_output(&["ls-tree", "-rz", "--name-only", rev]).stdout)
            else {
                continue;
            };
            for path in listed.split_terminator('\0') {
                assert_eq!(
                    ours(&world, path, rev),
                    theirs(&world, &[rev, "--", path]),
                    "seed {seed}, {path}"
                );
            }
        }
    }
    assert!(lines > 1000, "{lines}");
}

#[test]
fn a_large_file_with_equal_ends_is_blamed_as_git_does() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    let mut lines: Vec<String> = (0..400).map(|line| format!("    {}", line % 7)).collect();
    for (at, text) in [(0, "first"), (200, "    3"), (201, "    4"), (150, ""), (390, "    6"), (30, "    2")]
    {
        lines.insert(at, text.to_owned());
        world.write("d/f.txt", lines.join("\n") + "\n");
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", text, "--allow-empty-message"]);
    }
    lines.remove(33);
    world.write("d/f.txt", lines.join("\n"));
    assert_eq!(ours(&world, "d/f.txt", ""), theirs(&world, &["--", "d/f.txt"]));
    assert_eq!(ours(&world, "d/f.txt", "HEAD"), theirs(&world, &["HEAD", "--", "d/f.txt"]));
}
