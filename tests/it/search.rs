//! What `search_grep` and `search_glob` find: the same as ripgrep and fd, in their order, and never what is blocked.

use std::{collections::BTreeSet, path::Path, process::Command, time::Duration};

use outrigger::tools::{Code, Reply};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world::{World, call_on, run};

type Place = (String, u64, u64);

/// The file that ripgrep has to be told the encoding of.
const OLD_ENCODING: &str = "b/latin1.txt";

/// What ripgrep finds: path, line, column of each matching line.
fn ripgrep(root: &Path, args: &[&str]) -> Vec<Place> {
    let mut places = ripgrep_as(root, "auto", args);
    if root.join(OLD_ENCODING).exists() {
        places.retain(|(path, ..)| path != OLD_ENCODING);
        let told = ripgrep_as(root, "windows-1252", args);
        places.extend(told.into_iter().filter(|(path, ..)| path == OLD_ENCODING));
    }
    places.sort_by(|left, right| Path::new(&left.0).cmp(Path::new(&right.0)).then(left.1.cmp(&right.1)));
    places
}

fn ripgrep_as(root: &Path, encoding: &str, args: &[&str]) -> Vec<Place> {
    let output = Command::new("rg")
        .current_dir(root)
        .env("RIPGREP_CONFIG_PATH", "")
        .args(["--json", "--sort", "path", "--crlf", "-E", encoding])
        .args(args)
        .output()
        .expect("rg is installed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut places = Vec::new();
    for line in text.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        if event["type"] == "match" {
            let data = &event["data"];
            let path = data["path"]["text"].as_str().unwrap().trim_start_matches("./").to_owned();
            let column = data["submatches"][0]["start"].as_u64().unwrap_or(0) + 1;
            places.push((path, data["line_number"].as_u64().unwrap(), column));
        }
    }
    places
}

fn places(reply: &Reply<Value>) -> Vec<Place> {
    let number = |value: &Value| value.as_u64().unwrap();
    let matches = reply.data["matches"].as_array().unwrap();
    matches
        .iter()
        .map(|found| {
            (found["path"].as_str().unwrap().to_owned(), number(&found["line"]), number(&found["col"]))
        })
        .collect()
}

fn grep(world: &World, arguments: Value) -> Vec<Place> {
    places(&world.tool("search_grep", arguments).unwrap())
}

/// Files of all the kinds that search tools treat differently.
fn varied(world: &World) {
    std::fs::create_dir(world.root().join(".git")).unwrap();
    world.write(".git/info/exclude", "excluded.txt\n");
    world.write(".git/config", "needle in git\n");
    world.write("a.txt", "one needle\ntwo\nNeedle and needle\n");
    world.write("b/crlf.txt", "x\r\nneedle\r\ny\r\n");
    world.write("b/utf16.txt", [b"\xff\xfe".as_slice(), &utf16("a\nneedle é\n")].concat());
    world.write("b/binary.bin", b"needle\n\0\0\0needle\n");
    world.write("b/long.txt", format!("{}needle{}\n", "é".repeat(5000), "z".repeat(5000)));
    world.write("b/latin1.txt", b"caf\xe9 needle\n");
    world.write(".hidden/h.txt", "needle\n");
    world.write(".hidden.txt", "needle\n");
    world.write(".gitignore", "*.log\n/build/\n!keep.log\n");
    world.write("x.log", "needle\n");
    world.write("keep.log", "needle\n");
    world.write("build/out.txt", "needle\n");
    world.write("sub/build/out.txt", "needle\n");
    world.write("sub/.gitignore", "kept*\n");
    world.write("sub/kept-back.txt", "needle\n");
    world.write("sub/deeper/.ignore", "*.tmp\n!important.tmp\n");
    world.write("sub/deeper/a.tmp", "needle\n");
    world.write("sub/deeper/important.tmp", "needle\n");
    world.write("sub/deeper/.rgignore", "rg.txt\n");
    world.write("sub/deeper/rg.txt", "needle\n");
    world.write("excluded.txt", "needle\n");
    world.write("a/under.txt", "needle\n");
    world.write("a-b.txt", "needle\n");
    world.write("ünï.txt", "needle\n");
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn grep_finds_what_ripgrep_finds() {
    let world = World::new();
    varied(&world);
    let cases: &[(&[&str], Value)] = &[
        (&["-S", "needle"], json!({"pattern": "needle"})),
        (&["-S", "Needle"], json!({"pattern": "Needle"})),
        (&["-i", "NEEDLE"], json!({"pattern": "NEEDLE", "case": "insensitive"})),
        (&["needle"], json!({"pattern": "needle", "case": "sensitive"})),
        (&["-S", "-w", "nee"], json!({"pattern": "nee", "word": true})),
        (&["-S", "-F", "n.*"], json!({"pattern": "n.*", "literal": true})),
        (&["-S", "^n.*e$"], json!({"pattern": "^n.*e$"})),
        (&["-S", "-U", "needle\\ntwo"], json!({"pattern": "needle\\ntwo", "multiline": true})),
        (&["-S", "--no-ignore", "needle"], json!({"pattern": "needle", "include_ignored": true})),
        (&["-S", "needle", "sub"], json!({"pattern": "needle", "path": "sub"})),
        (&["-S", "needle", "build"], json!({"pattern": "needle", "path": "build"})),
        (&["-S", "needle", ".hidden"], json!({"pattern": "needle", "path": ".hidden"})),
        (&["-S", "needle", "-g", "*.txt"], json!({"pattern": "needle", "glob": "*.txt"})),
        (&["-S", "needle", "-g", "!sub/**"], json!({"pattern": "needle", "glob": "!sub/**"})),
        (&["-S", "é"], json!({"pattern": "é"})),
    ];
    for (args, arguments) in cases {
        let expected = ripgrep(&world.root(), args);
        let found = grep(&world, arguments.clone());
        if args.contains(&"*.txt") {
            // An override of ripgrep's also lets ignored files in; a filter of ours does not.
            let without = |place: &&Place| {
                !matches!(
                    place.0.as_str(),
                    "excluded.txt" | "sub/kept-back.txt" | "sub/deeper/rg.txt" | ".hidden.txt"
                )
            };
            assert_eq!(found, expected.iter().filter(without).cloned().collect::<Vec<_>>(), "{arguments}");
            continue;
        }
        assert_eq!(found, expected, "{arguments}");
    }
}

#[test]
fn what_a_read_shows_a_search_finds() {
    let world = World::new();
    world.write("dos.txt", "alpha\r\nbeta;\r\n");
    world.write("latin.txt", b"na\xefve caf\xe9 au lait\n");
    let japanese = b"\x93\xfa\x96{\x8c\xea\x82\xcc\x83e\x83L\x83X\x83g\x82\xc5\x82\xb7\x81B\n";
    world.write("shift_jis.txt", japanese);
    world.write("large.txt", [b"caf\xe9 noir\n".repeat(30_000), b"the last caf\xe9\n".to_vec()].concat());
    world.write("torn.log", [b"\xff bad\n".as_slice(), "日本語の行\n".as_bytes()].concat());
    world.write("large.js", ["é plain line\n".repeat(30_000).as_bytes(), b"last one\n"].concat());
    let found = |pattern: &str, path: &str| {
        let reply = world.tool("search_grep", json!({"pattern": pattern, "path": path, "limit": 9})).unwrap();
        let is_torn = path == "torn.log";
        assert_eq!(reply.text.contains('\u{fffd}'), is_torn, "{pattern} in {path}: {}", reply.text);
        let lines = reply.data["matches"].as_array().unwrap();
        lines.iter().map(|place| place["line"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    for (pattern, path, lines) in [
        ("alpha$", "dos.txt", vec![1]),
        ("^beta;$", "dos.txt", vec![2]),
        (r"a\r", "dos.txt", vec![1]),
        ("café", "latin.txt", vec![1]),
        ("na.ve", "latin.txt", vec![1]),
        ("au lait", "latin.txt", vec![1]),
        ("テキスト", "shift_jis.txt", vec![1]),
        ("本語", "torn.log", vec![2]),
        ("last café$", "large.txt", vec![30_001]),
        ("last", "large.txt", vec![30_001]),
        ("last", "large.js", vec![30_001]),
    ] {
        assert_eq!(found(pattern, path), lines, "{pattern} in {path}");
    }
    let reply = world.tool("search_grep", json!({"pattern": "café au"})).unwrap();
    assert!(reply.text.contains("latin.txt\n1:naïve café au lait\n"), "{}", reply.text);
}

#[test]
fn nothing_is_called_complete_that_was_not_searched() {
    let world = World::new();
    world.write("late", [vec![b'x'; 20_000], b"\n\0needle\n".to_vec()].concat());
    world.write("hit", [b"needle\n".as_slice(), &b"x\n".repeat(50_000), b"\0needle\n"].concat());
    world.write("picture", b"\x89PNG\0needle");
    let ask = |path: &str| world.tool("search_grep", json!({"pattern": "needle", "path": path})).unwrap();
    assert_eq!(ask("picture").data["complete"], json!(true));
    for path in ["late", "hit"] {
        let reply = ask(path);
        assert_eq!(reply.data["complete"], json!(false), "{path}");
        assert!(reply.text.ends_with("searched only up to a NUL: 1 file"), "{}", reply.text);
    }
    let reply = ask(".");
    assert_eq!((&reply.data["complete"], &reply.data["skipped"]["binary"]), (&json!(false), &json!(3)));
    assert!(
        reply.text.contains("not searched: 1 binary\nsearched only up to a NUL: 2 files"),
        "{}",
        reply.text
    );

    // A hole of 300 MiB costs no space, and its end is text again.
    let path = world.write("huge", "first\n");
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(300 << 20).unwrap();
    let error = world
        .tool("search_grep", json!({"pattern": "x\nneedle", "multiline": true, "path": "huge"}))
        .unwrap_err();
    assert_eq!(error.code, Code::TooLarge);
    assert_eq!(ask("huge").data["complete"], json!(true));
    let reply = world.tool("search_grep", json!({"pattern": "first", "path": "."})).unwrap();
    assert_eq!((&reply.data["complete"], &reply.data["skipped"]["too_large"]), (&json!(false), &json!(1)));
}

/// What a crash or a full disk leaves of a log. Ripgrep itself drops the lines of its buffer with the NUL.
#[test]
fn every_line_in_front_of_a_nul_is_found() {
    let world = World::new();
    let line = "2026-11-27 error needle in the log\n";
    for (name, before, after) in
        [("end.log", 600, 0), ("9k.log", 260, 9), ("100k.log", 3000, 600), ("300k.log", 9000, 100)]
    {
        let bytes = [&line.repeat(before), "cut needle", &"\0".repeat(100), &line.repeat(after)].concat();
        world.write(name, bytes);
        for multiline in [false, true] {
            let ask = |path: &str, output: &str| {
                let reply = world.tool(
                    "search_grep",
                    json!({"pattern": "needle", "path": path, "glob": name, "output": output, "multiline": multiline}),
                );
                reply.unwrap()
            };
            for path in [name, "."] {
                let reply = ask(path, "count");
                assert_eq!(reply.data["matches_seen"], json!(before + 1), "{name} {path} {multiline}");
                assert!(reply.text.ends_with("searched only up to a NUL: 1 file"), "{}", reply.text);
            }
            // It was not searched up to there.
            assert_eq!(ask(".", "files").text, format!("{name}\n1 file"));
        }
    }
}

/// The same of a log in an older encoding: a NUL behind it makes no other text of it.
#[test]
fn what_stands_in_front_of_a_nul_is_searched_in_the_encoding_of_the_file() {
    let world = World::new();
    for (name, lines) in [("held.log", 600), ("read.log", 12_000), ("streamed.log", 400_000)] {
        let line = b"Zeile: Ger\xe4t gest\xf6rt caf\xe9\n";
        world.write(name, [&line.repeat(lines)[..], &b"\0".repeat(9), "später".as_bytes()].concat());
        let utf8 = "Gerät und Gerät, gestört\n".repeat(lines);
        world.write(&format!("utf8-{name}"), [&utf8, "\0\u{e9}\n"].concat().as_bytes());
        world.write(&format!("wrong-{name}"), [utf8.as_bytes(), b"\0\xe9\n"].concat());
        for (pattern, path) in [
            ("café", name.to_owned()),
            ("Ger.t gest", name.to_owned()),
            ("Gerät", format!("utf8-{name}")),
            ("^Ger.t und", format!("wrong-{name}")),
        ] {
            let ask = json!({"pattern": pattern, "path": path, "output": "count"});
            let reply = world.tool("search_grep", ask).unwrap();
            assert_eq!(reply.data["matches_seen"], json!(lines), "{pattern} in {path}");
            assert!(reply.text.ends_with("searched only up to a NUL: 1 file"), "{}", reply.text);
        }
    }
    let reply =
        world.tool("search_grep", json!({"pattern": "café", "path": "held.log", "limit": 1})).unwrap();
    assert!(reply.text.contains("1:Zeile: Gerät gestört café\n"), "{}", reply.text);
}

#[test]
fn lines_of_megabytes_are_searched_whatever_there_is_room_for() {
    let world = World::new();
    for number in 0..40 {
        let mark = if number % 8 == 0 { "\u{feff}" } else { "" };
        world.write(&format!("{number}.json"), format!("{mark}{}needle\nneedle\n", "x".repeat(700_000)));
    }
    for arguments in
        [json!({"pattern": "needle"}), json!({"pattern": "x.needle\\nneedle", "multiline": true})]
    {
        let reply = world.tool("search_grep", arguments).unwrap();
        assert_eq!(
            (&reply.data["files_matched"], &reply.data["complete"]),
            (&json!(40), &json!(true)),
            "{}",
            reply.text
        );
    }
}

#[test]
fn a_byte_order_mark_before_the_rules_does_not_count_as_for_git() {
    let world = World::new();
    std::fs::create_dir(world.root().join(".git")).unwrap();
    world.write(".gitignore", "\u{feff}kept*\n");
    world.write("kept-back.txt", "needle\n");
    assert_eq!(grep(&world, json!({"pattern": "needle"})), []);
}

#[test]
fn git_ignore_files_count_only_in_a_repository_as_for_ripgrep() {
    let world = World::new();
    world.write(".gitignore", "*.log\n");
    world.write("x.log", "needle\n");
    assert_eq!(grep(&world, json!({"pattern": "needle"})), ripgrep(&world.root(), &["needle"]));
    std::fs::create_dir(world.root().join(".git")).unwrap();
    assert_eq!(grep(&world, json!({"pattern": "needle"})), []);
    assert_eq!(ripgrep(&world.root(), &["needle"]), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn grep_and_glob_agree_with_ripgrep_and_fd_on_any_tree(
        files in prop::collection::vec(("[ab]{1,2}(/[ab.]{1,2}){0,3}(\\.rs|\\.log|)", 0..4_usize), 1..24),
        rules in prop::collection::vec(("([ab](/[ab])?/)?\\.(gitignore|ignore|rgignore)", "(!?/?[ab*]{1,2}/?(\\.log)?\n){1,3}"), 0..4),
        repository in any::<bool>(),
    ) {
        let world = World::new();
        if repository {
            std::fs::create_dir(world.root().join(".git")).unwrap();
        }
        for (path, content) in &files {
            if path.split('/').any(|name| name == "." || name == "..") {
                continue;
            }
            let path = world.root().join(path);
            if std::fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.is_dir() {
                let content: &[u8] = [b"nothing\n".as_slice(), b"x needle\n", b"needle\nneedle\n", b"\0needle\n"][*content];
                let _ = std::fs::write(path, content);
            }
        }
        for (path, lines) in &rules {
            let path = world.root().join(path);
            if std::fs::create_dir_all(path.parent().unwrap()).is_ok() {
                let _ = std::fs::write(path, lines);
            }
        }
        prop_assert_eq!(grep(&world, json!({"pattern": "needle"})), ripgrep(&world.root(), &["needle"]));
        let reply = world.tool("search_glob", json!({"pattern": "*.rs"})).unwrap();
        // ripgrep's own list of files: this fd is older and reads `.rgignore` not at all.
        let listed = Command::new("rg").current_dir(world.root()).args(["--files", "--sort", "path"]).output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        let listed: Vec<&str> = listed.lines().filter(|path| std::path::Path::new(path).extension().is_some_and(|ending| ending == "rs")).collect();
        let listed: BTreeSet<&str> = listed.into_iter().collect();
        let found: Vec<&str> = reply.data["paths"].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
        let found: BTreeSet<&str> = found.into_iter().collect();
        prop_assert_eq!(found, listed);
    }
}

/// The order of a search that is cut: what lies less deep first.
fn shallow_first(mut places: Vec<Place>) -> Vec<Place> {
    places.sort_by_key(|(path, line, _)| {
        let names: Vec<String> = path.split('/').map(ToOwned::to_owned).collect();
        (names.len(), names, *line)
    });
    places
}

#[test]
fn a_capped_search_is_exact_shallow_first_and_pages_without_gaps() {
    let world = World::new();
    let lines = "needle 1\nx\nneedle 2\nneedle 3\n";
    for folder in 0..20 {
        for file in 0..10 {
            world.write(&format!("d{folder:02}/f{file:02}.txt"), lines);
            world.write(&format!("a{folder:02}/b/{file}/g.txt"), lines);
        }
    }
    world.write("z.txt", lines);
    let all = shallow_first(ripgrep(&world.root(), &["needle"]));
    assert_eq!(all.len(), 1203);
    assert_eq!(all[0].0, "z.txt");
    for (offset, limit) in [(0, 1), (0, 100), (99, 3), (598, 7), (1190, 100), (1195, 8), (1203, 5)] {
        let arguments = json!({"pattern": "needle", "offset": offset, "limit": limit});
        let reply = world.tool("search_grep", arguments).unwrap();
        let mut expected: Vec<Place> = all.iter().skip(offset).take(limit).cloned().collect();
        // Which ones they are is the order of the search; how they are shown is the order of paths.
        expected.sort_by(|left, right| {
            std::path::Path::new(&left.0).cmp(right.0.as_ref()).then(left.1.cmp(&right.1))
        });
        assert_eq!(places(&reply), expected, "offset {offset}, limit {limit}");
        let complete = offset + limit >= all.len();
        assert_eq!(reply.data["complete"], json!(complete), "offset {offset}, limit {limit}");
        assert_eq!(reply.truncated.is_some(), !complete);
        if let Some(truncated) = reply.truncated {
            assert_eq!(truncated.next.unwrap().args["offset"], json!(offset + limit));
        }
    }
    let files =
        world.tool("search_grep", json!({"pattern": "needle", "output": "files", "limit": 7})).unwrap();
    assert_eq!(files.data["files"].as_array().unwrap().len(), 7);
    assert_eq!(files.data["complete"], json!(false));
    assert!(files.text.starts_with("d00/f00.txt\nd00/f01.txt\n"), "{}", files.text);
    assert!(files.text.contains("\nz.txt\n"), "{}", files.text);
    let counts =
        world.tool("search_grep", json!({"pattern": "needle", "output": "count", "limit": 500})).unwrap();
    assert_eq!(counts.data["matches_seen"], json!(1203));
    assert_eq!(counts.data["files_matched"], json!(401));
    assert_eq!(counts.data["complete"], json!(true));
    assert!(counts.text.contains("d19/f09.txt: 3\n"));
}

/// Matching lines are counted, whether a match may cross lines or not.
#[test]
fn lines_that_follow_each_other_are_counted_one_by_one() {
    let world = World::new();
    world.write("a.txt", "x\nx\nx\ny\nx\nend\nx");
    let count = |pattern: &str, multiline: bool| {
        let arguments = json!({"pattern": pattern, "output": "count", "multiline": multiline});
        world.tool("search_grep", arguments).unwrap().data["matches_seen"].clone()
    };
    assert_eq!((count("x", false), count("x", true)), (json!(5), json!(5)));
    assert_eq!(count("x\\ny\\nx", true), json!(3));
    assert_eq!(count("(?s)x.*", true), json!(7));
}

#[test]
fn the_text_is_grouped_by_file_and_few_matches_get_context() {
    let world = World::new();
    let lines: Vec<String> = (1..=30).map(|line| format!("line {line}")).collect();
    world.write("a.txt", lines.join("\n"));
    world.write("b.txt", "line 15\n");
    let reply = world.tool("search_grep", json!({"pattern": "line 15"})).unwrap();
    assert!(reply.text.starts_with("a.txt\n7-line 7\n8-line 8\n"), "{}", reply.text);
    assert!(reply.text.contains("\n15:line 15\n16-line 16\n"), "{}", reply.text);
    assert!(reply.text.ends_with("23-line 23\n\nb.txt\n1:line 15\n\n2 matches in 2 files"), "{}", reply.text);
    // Many matches, or context asked for: no more than that.
    let reply = world.tool("search_grep", json!({"pattern": "line 1"})).unwrap();
    assert!(reply.text.starts_with("a.txt\n1:line 1\n10:line 10\n"), "{}", reply.text);
    let reply = world.tool("search_grep", json!({"pattern": "line [36]$", "context": 1})).unwrap();
    assert!(
        reply.text.starts_with("a.txt\n2-line 2\n3:line 3\n4-line 4\n5-line 5\n6:line 6\n7-line 7\n"),
        "{}",
        reply.text
    );
}

/// A greedy pattern takes a whole file for one match: what is said of it stays short.
#[test]
fn of_a_match_of_many_lines_the_beginning_is_kept() {
    let world = World::new();
    world.write("a.csv", "1,x\n".repeat(3000) + "2,end\nbehind\n");
    let reply =
        world.tool("search_grep", json!({"pattern": "(?s)1,.*2,", "multiline": true, "context": 1})).unwrap();
    assert!(
        reply.text.contains("\n1000:1,x\n… 2001 more lines of this match, to line 3001\n3002-behind\n"),
        "{}",
        reply.text
    );
    assert!(!reply.text.contains("1001:"), "{}", reply.text);
    assert_eq!((&reply.data["complete"], &reply.data["matches_seen"]), (&json!(true), &json!(1)));
    let counted = json!({"pattern": "(?s)1,.*2,", "multiline": true, "output": "count"});
    assert_eq!(world.tool("search_grep", counted).unwrap().data["matches_seen"], json!(3001));
}

#[test]
fn long_lines_show_a_window_around_the_match() {
    let world = World::new();
    world.write("min.js", format!("{}needle{}", "a".repeat(100_000), "b".repeat(100_000)));
    let reply = world.tool("search_grep", json!({"pattern": "needle"})).unwrap();
    assert_eq!(places(&reply), [("min.js".to_owned(), 1, 100_001)]);
    assert!(reply.text.contains("aaneedlebb") && reply.text.len() < 500, "{}", reply.text.len());
}

#[test]
fn a_text_has_a_budget_and_the_facts_have_all() {
    let world = World::new();
    world.write("a.txt", "needle in a line of some length\n".repeat(5000));
    for number in 0..3000 {
        world.write(&format!("files/a name that is not short at all {number}.rs"), "");
    }
    let calls = [
        (
            "search_grep",
            json!({"pattern": "needle", "limit": 100_000}),
            "/matches",
            5000,
            "\n\n5000 matches in 1 file",
        ),
        ("search_glob", json!({"pattern": "*.rs", "limit": 100_000}), "/paths", 3000, "\n3000 paths"),
        ("fs_list", json!({"path": "files", "limit": 100_000}), "/entries", 3000, "\n(3000 entries)\n"),
    ];
    for (tool, arguments, facts, count, end) in calls {
        let reply = world.tool(tool, arguments).unwrap();
        assert!(reply.text.len() < 66_000, "{tool}: {}", reply.text.len());
        assert_eq!(reply.data.pointer(facts).unwrap().as_array().unwrap().len(), count, "{tool}");
        assert!(
            reply.text.contains(" lines more\n") && reply.text.contains(end.trim()),
            "{tool}: {}",
            &reply.text[65_000..]
        );
        let handle = reply.handle.unwrap();
        assert_eq!(reply.truncated.unwrap().next.unwrap().args, json!({"path": handle}));
        let arguments = json!({"path": handle, "limit": 9999, "line_numbers": false, "max_bytes": 1 << 20});
        let whole = world.tool("fs_read", arguments).unwrap().text;
        assert!(whole.lines().count() >= count && whole.trim_end().ends_with(end.trim()), "{tool}");
    }
    // Where the limit cuts as well, the next call is about the matches behind it.
    let reply = world.tool("search_grep", json!({"pattern": "needle", "limit": 4000})).unwrap();
    assert!(reply.text.len() < 66_000 && reply.handle.is_some());
    let truncated = json!(reply.truncated.unwrap());
    assert_eq!((&truncated["shown"], &truncated["next"]["args"]["offset"]), (&json!(4000), &json!(4000)));
    assert_eq!(truncated.get("total"), None, "nobody counted to the end");
}

#[test]
fn what_a_glob_may_have_meant_is_told() {
    let world = World::new();
    world.write("q [x].txt", "");
    world.write("d/f", "");
    let text = |pattern: &str| world.tool("search_glob", json!({"pattern": pattern})).unwrap().text;
    assert!(text("q [x].txt").contains("put `\\` in front of `[`"), "{}", text("q [x].txt"));
    assert!(text("d").contains("set `type` to dir"), "{}", text("d"));
    assert!(text("../*").contains("relative to `path`"), "{}", text("../*"));
    assert_eq!(text("nothing"), "no matches");
}

#[test]
fn what_is_hidden_is_counted_also_where_something_matches() {
    let world = World::new();
    world.write("a", "needle\n");
    world.write(".hidden", "needle\n");
    let reply = world.tool("search_grep", json!({"pattern": "needle"})).unwrap();
    assert!(reply.text.ends_with("1 match in 1 file\nnot searched: 1 ignored or hidden"), "{}", reply.text);
}

#[test]
fn what_was_left_out_is_counted() {
    let world = World::new();
    world.write("a.bin", b"x\0y");
    world.write(".env", "needle\n");
    world.write("keys/id_rsa", "needle\n");
    world.write("ok.txt", "needle\n");
    let reply = world.tool("search_grep", json!({"pattern": "needle"})).unwrap();
    assert_eq!(places(&reply), [("ok.txt".to_owned(), 1, 1)]);
    assert_eq!(reply.data["skipped"]["binary"], json!(1));
    assert!(reply.data["skipped"]["blocked"].as_u64().unwrap() >= 1, "{}", reply.data);
    for arguments in
        [json!({"pattern": "needle", "glob": ".env*"}), json!({"pattern": "needle", "include_ignored": true})]
    {
        let reply = world.tool("search_grep", arguments).unwrap();
        assert!(!reply.text.contains(".env") && !reply.text.contains("id_rsa"), "{}", reply.text);
    }
    let blocked = world.tool("search_grep", json!({"pattern": "needle", "path": ".env"})).unwrap_err();
    assert_eq!(blocked.code, Code::BlockedPath);
    let reply =
        world.tool("search_glob", json!({"pattern": "**/{.env,id_rsa}*", "include_ignored": true})).unwrap();
    assert_eq!(reply.data["paths"], json!([]));
}

#[test]
fn a_huge_file_of_rules_counts_as_far_as_a_person_would_write_one() {
    let world = World::new();
    std::fs::create_dir(world.root().join(".git")).unwrap();
    let rules: Vec<String> = (0..300_000).map(|number| format!("# {number}\n*f{number:06}*x\n")).collect();
    world.write(".gitignore", rules.concat());
    for name in ["f000000.x", "f009999.x", "f010001.x"] {
        world.write(name, "needle\n");
    }
    let reply = world.tool("search_grep", json!({"pattern": "needle"})).unwrap();
    assert_eq!(places(&reply), [("f010001.x".to_owned(), 1, 1)]);
}

#[test]
fn a_comment_may_end_the_pattern() {
    let world = World::new();
    world.write("f", "ab\na # b\n");
    for (pattern, lines) in [
        ("(?x) a b # both", vec![1]),
        ("(?x) a b # both\n", vec![1]),
        ("(?x: a b ) # b", vec![]),
        ("(?x) a (?-x) # b", vec![2]),
        ("a # b", vec![2]),
    ] {
        for multiline in [false, true] {
            let found = grep(&world, json!({"pattern": pattern, "multiline": multiline}));
            let found: Vec<u64> = found.into_iter().map(|place| place.1).collect();
            assert_eq!(found, lines, "{pattern:?}");
        }
    }
}

#[test]
fn refusals_say_what_would_work() {
    let world = World::new();
    world.write("a.txt", "x");
    let failing = |tool: &str, arguments: Value| world.tool(tool, arguments).unwrap_err();
    let error = failing("search_grep", json!({"pattern": "(?=x)"}));
    assert_eq!(error.code, Code::InvalidArgs);
    assert!(error.hint.contains("look-around") && error.hint.contains("literal"), "{}", error.hint);
    let error = failing("search_grep", json!({"pattern": r"(x)\1"}));
    assert!(error.hint.contains("backreference"), "{}: {}", error.message, error.hint);
    let error = failing("search_grep", json!({"pattern": r"a\nb"}));
    assert!(error.hint.contains("multiline"), "{}: {}", error.message, error.hint);
    for (tool, arguments, code) in [
        ("search_grep", json!({"pattern": "("}), Code::InvalidArgs),
        ("search_grep", json!({"pattern": ""}), Code::InvalidArgs),
        ("search_grep", json!({"pattern": "x", "glob": "{a"}), Code::InvalidArgs),
        ("search_grep", json!({"pattern": "x", "limit": 0}), Code::InvalidArgs),
        ("search_grep", json!({"pattern": "x", "context": 11}), Code::InvalidArgs),
        ("search_grep", json!({"pattern": "x", "path": "missing"}), Code::NotFound),
        ("search_grep", json!({"pattern": "x", "path": "../outside"}), Code::OutsideWorkspace),
        ("search_glob", json!({"pattern": "[z-a]"}), Code::InvalidArgs),
        ("search_glob", json!({"pattern": "x", "path": "a.txt"}), Code::WrongType),
        ("search_glob", json!({"pattern": "x", "path": "/etc"}), Code::OutsideWorkspace),
    ] {
        assert_eq!(failing(tool, arguments.clone()).code, code, "{tool} {arguments}");
    }
}

#[test]
#[cfg(unix)]
fn links_and_fifos_are_never_followed_or_opened() {
    let world = World::new();
    std::fs::write(world.outside().join("secret.txt"), "needle\n").unwrap();
    std::os::unix::fs::symlink("../outside", world.root().join("out")).unwrap();
    std::os::unix::fs::symlink("../outside/secret.txt", world.root().join("link.txt")).unwrap();
    std::os::unix::fs::symlink("..", world.root().join("up")).unwrap();
    std::os::unix::fs::symlink(".", world.root().join("loop")).unwrap();
    // Rules are not read through a link, and a FIFO in their place blocks nobody.
    std::fs::write(world.outside().join("rules"), "*\n").unwrap();
    std::os::unix::fs::symlink("../outside/rules", world.root().join(".ignore")).unwrap();
    for fifo in ["fifo", ".gitignore", ".rgignore"] {
        assert!(Command::new("mkfifo").arg(world.root().join(fifo)).status().unwrap().success());
    }
    world.write("real.txt", "needle\n");
    assert_eq!(grep(&world, json!({"pattern": "needle"})), [("real.txt".to_owned(), 1, 1)]);
    assert_eq!(
        world.tool("search_grep", json!({"pattern": "needle", "path": "out"})).unwrap_err().code,
        Code::OutsideWorkspace
    );
    let fifo = world.tool("search_grep", json!({"pattern": "needle", "path": "fifo"})).unwrap_err();
    assert_eq!(fifo.code, Code::WrongType);
    let any = world.tool("search_glob", json!({"pattern": "*", "type": "any"})).unwrap();
    assert_eq!(any.data["paths"], json!(["fifo", "link.txt", "loop", "out", "real.txt", "up"]));
}

#[test]
fn glob_finds_what_fd_finds() {
    let world = World::new();
    varied(&world);
    for (pattern, kind) in
        [("*.txt", "f"), ("*.TXT", "f"), ("*", "f"), ("*", "d"), ("[ab]*", "f"), ("*.{log,tmp}", "f")]
    {
        let output = Command::new("fdfind")
            .current_dir(world.root())
            .args(["-g", pattern, "-t", kind])
            .output()
            .expect("fdfind is installed");
        let text = String::from_utf8(output.stdout).unwrap();
        // fd does not read `.rgignore`.
        let expected: BTreeSet<String> = text
            .lines()
            .map(|line| line.trim_start_matches("./").trim_end_matches('/').to_owned())
            .filter(|path| path != "sub/deeper/rg.txt")
            .collect();
        let kind = if kind == "f" { "file" } else { "dir" };
        let reply = world.tool("search_glob", json!({"pattern": pattern, "type": kind})).unwrap();
        let found: Vec<String> = serde_json::from_value(reply.data["paths"].clone()).unwrap();
        assert_eq!(found.iter().cloned().collect::<BTreeSet<_>>(), expected, "{pattern} {kind}");
        let mut sorted = found.clone();
        sorted.sort_by(|left, right| Path::new(left).cmp(Path::new(right)));
        assert_eq!(found, sorted);
    }
}

#[test]
fn glob_says_when_only_ignored_files_match_and_sorts_by_time() {
    let world = World::new();
    varied(&world);
    let reply = world.tool("search_glob", json!({"pattern": "x.log"})).unwrap();
    assert_eq!((&reply.data["ignored_matches"], &reply.data["paths"]), (&json!(1), &json!([])));
    assert!(reply.text.contains("include_ignored"), "{}", reply.text);
    let reply = world.tool("search_glob", json!({"pattern": "x.log", "include_ignored": true})).unwrap();
    assert_eq!(reply.data["paths"], json!(["x.log"]));
    let new = world.write("sub/new.txt", "");
    let later = std::time::SystemTime::now() + Duration::from_mins(1);
    std::fs::File::options().write(true).open(new).unwrap().set_modified(later).unwrap();
    let reply = world.tool("search_glob", json!({"pattern": "*.txt", "sort": "recent", "limit": 2})).unwrap();
    assert_eq!(reply.data["paths"][0], json!("sub/new.txt"));
    assert_eq!((reply.data["paths"].as_array().unwrap().len(), &reply.data["complete"]), (2, &json!(false)));
    let reply = world.tool("search_glob", json!({"pattern": ".hidden/**"})).unwrap();
    assert_eq!(reply.data["paths"], json!([".hidden/h.txt"]));
}

#[test]
fn a_cancelled_search_ends() {
    let world = World::new();
    for file in 0..200 {
        world.write(&format!("f{file}"), "needle\n");
    }
    world.call.cancel.cancel();
    assert_eq!(world.tool("search_grep", json!({"pattern": "needle"})).unwrap_err().code, Code::Cancelled);
    assert_eq!(world.tool("search_glob", json!({"pattern": "*"})).unwrap_err().code, Code::Cancelled);
}

#[test]
fn our_own_sources_are_searched_as_ripgrep_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let call = call_on(root, |_| {});
    for pattern in ["fn \\w+\\(", "WORKSPACE", "e\\.g\\."] {
        let reply = run(&call, "search_grep", json!({"pattern": pattern, "limit": 100_000})).unwrap();
        assert_eq!(places(&reply), ripgrep(root, &["-S", pattern]), "{pattern}");
        assert_eq!(reply.data["complete"], json!(true));
    }
}
