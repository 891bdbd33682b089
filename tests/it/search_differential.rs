//! `search_grep` and `search_glob` against ripgrep's own answers, line by line: context, counts, encodings, globs, rules.

use std::{collections::BTreeMap, path::Path, process::Command};

use outrigger::tools::Reply;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    support::native,
    world::{World, git_command},
};

/// A line as ripgrep and we show it: path, number, whether it matches, text.
type Shown = (String, u64, bool, String);

fn rg(root: &Path, args: &[&str]) -> String {
    let mut command = Command::new("rg");
    command.current_dir(root).env("RIPGREP_CONFIG_PATH", "").args(["--sort", "path", "--crlf"]).args(args);
    String::from_utf8_lossy(&command.output().expect("rg is installed").stdout).into_owned()
}

/// Every line that `rg --json` prints.
fn rg_lines(root: &Path, args: &[&str]) -> Vec<Shown> {
    let mut shown = Vec::new();
    for line in rg(root, &[&["--json"], args].concat()).lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let data = &event["data"];
        let is_match = event["type"] == "match";
        if !is_match && event["type"] != "context" {
            continue;
        }
        let text = data["lines"]["text"].as_str().unwrap_or("(no text)").to_owned();
        let path = data["path"]["text"].as_str().unwrap().trim_start_matches("./").to_owned();
        let first = data["line_number"].as_u64().unwrap();
        for (number, line) in (first..).zip(text.split_inclusive('\n')) {
            shown.push((path.clone(), number, is_match, line.trim_end_matches(['\n', '\r']).to_owned()));
        }
    }
    shown.sort_by(|left, right| Path::new(&left.0).cmp(Path::new(&right.0)).then(left.1.cmp(&right.1)));
    shown
}

/// Every line of our text; names and lines in these tests are plain.
fn our_lines(text: &str) -> Vec<Shown> {
    let mut shown = Vec::new();
    let mut path = String::new();
    let mut in_file = false;
    for line in text.lines() {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        if line.is_empty() {
            in_file = false;
        } else if !in_file {
            (path, in_file) = (line.to_owned(), true);
        } else if line != "--" {
            let number = line[..digits].parse().unwrap();
            shown.push((
                path.clone(),
                number,
                line.as_bytes()[digits] == b':',
                line[digits + 1..].to_owned(),
            ));
        }
    }
    shown
}

fn grep(world: &World, arguments: Value) -> Reply<Value> {
    world.tool("search_grep", arguments).unwrap()
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    let mark: &[u8] = if big { b"\xfe\xff" } else { b"\xff\xfe" };
    let bytes =
        text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() });
    mark.iter().copied().chain(bytes).collect()
}

#[test]
fn lines_and_their_context_are_those_of_ripgrep() {
    let world = World::new();
    let lines: Vec<String> = (1..=60).map(|number| format!("line {number}")).collect();
    world.write("unix.txt", lines.join("\n"));
    world.write("dos.txt", lines.join("\r\n"));
    world.write("little.txt", utf16(&lines.join("\n"), false));
    world.write("big.txt", utf16(&lines.join("\r\n"), true));
    world.write("marked.txt", [b"\xef\xbb\xbf".as_slice(), lines.join("\n").as_bytes()].concat());
    world.write("one.txt", "line 7");
    world.write("spans.txt", "begin\nmiddle line 1\nend\nbegin\nend\nline 7 line 70\n");
    let cases: [(&[&str], Value); 10] = [
        (&["-C1", "7$"], json!({"pattern": "7$", "context": 1})),
        (&["-C3", "line [1-4]7"], json!({"pattern": "line [1-4]7", "context": 3})),
        (&["-C10", "line 30"], json!({"pattern": "line 30", "context": 10})),
        (&["-C2", "-w", "line 7"], json!({"pattern": "line 7", "context": 2, "word": true})),
        (
            &["-C1", "-U", r"begin\n(.*\n)?end"],
            json!({"pattern": r"begin\n(.*\n)?end", "context": 1, "multiline": true}),
        ),
        (
            &["-C1", "-U", r"line 9\r?\nline 10"],
            json!({"pattern": r"line 9\r?\nline 10", "context": 1, "multiline": true}),
        ),
        (&["-C1", "^begin"], json!({"pattern": "^begin", "context": 1})),
        (&["-C2", "-F", "line 1"], json!({"pattern": "line 1", "context": 2, "literal": true})),
        (
            &["-C1", "-i", "LINE 5[0-9]"],
            json!({"pattern": "LINE 5[0-9]", "context": 1, "case": "insensitive"}),
        ),
        (&["-C1", "(?i)LINE 60"], json!({"pattern": "(?i)LINE 60", "context": 1})),
    ];
    for (args, mut arguments) in cases {
        arguments["limit"] = json!(1000);
        let reply = grep(&world, arguments.clone());
        let body = reply.text.rsplit_once("\n\n").map_or("", |(body, _)| body);
        assert_eq!(our_lines(body), rg_lines(&world.root(), args), "{arguments}");
        assert_eq!(reply.data["complete"], json!(true));
    }
}

#[test]
fn files_and_counts_are_those_of_ripgrep() {
    let world = World::new();
    for (number, content) in ["x\n", "x x\nx\n", "y\n", "", "x", "a\0x\nx\n", "X\r\nx\r\n"].iter().enumerate()
    {
        world.write(&format!("d{}/f{number}", number % 2), content);
        world.write(&format!("f{number}"), content);
    }
    for (flag, pattern) in [("-s", "x"), ("-i", "x"), ("-s", "^x"), ("-s", "x$"), ("-s", "nothing")] {
        let case = if flag == "-i" { "insensitive" } else { "sensitive" };
        let ask = |output: &str| {
            let reply = grep(&world, json!({"pattern": pattern, "case": case, "output": output}));
            let files = reply.data["files"].as_array().unwrap().clone();
            let files = files
                .iter()
                .map(|file| (file["path"].as_str().unwrap().to_owned(), file["count"].as_u64().unwrap()));
            files.collect::<BTreeMap<_, _>>()
        };
        let listed: Vec<String> =
            rg(&world.root(), &[flag, "-l", pattern]).lines().map(str::to_owned).collect();
        let mut found: Vec<String> = ask("files").into_keys().collect();
        found.sort_by(|left, right| Path::new(left).cmp(Path::new(right)));
        assert_eq!(found, listed, "{flag} {pattern}");
        let counted = rg(&world.root(), &[flag, "-c", pattern]);
        let counted = counted.lines().map(|line| {
            let (path, count) = line.rsplit_once(':').unwrap();
            (path.to_owned(), count.parse::<u64>().unwrap())
        });
        assert_eq!(ask("count"), counted.collect::<BTreeMap<_, _>>(), "{flag} {pattern}");
    }
}

/// The program of rg takes `\\z` in `--crlf` for the end of a line that has a `\\r`, and without it for that of one that has none.
#[test]
fn the_ends_of_the_text_are_those_of_the_line() {
    let world = World::new();
    let lines = ["foo", "bar foo", "", "foo bar", " foo", "foo.", "bar"];
    let long = "x\n".repeat(200_000);
    world.write("lf", lines.join("\n") + "\n");
    world.write("open", lines.join("\n"));
    world.write("one", "foo");
    world.write("long", format!("{long}bar foo\n{long}foo\n"));
    world.write("crlf", lines.join("\r\n") + "\r\n");
    let patterns = [
        r"foo\z",
        r"\Afoo",
        r"\Afoo\z",
        r"\Abar",
        r"(?-m)^foo$",
        r"(?-m)foo$",
        r"(?-m)^bar",
        r"(?-m:^bar|foo$) *",
        r"(?i-m)FOO$",
        r"foo\b",
        r"\bfoo\z",
        r"\A\z",
        r"foo$",
        r"(foo|bar)\z",
        r"o\z|\Ab",
    ];
    for pattern in patterns {
        for (path, ends) in [
            ("lf", "--no-crlf"),
            ("open", "--no-crlf"),
            ("one", "--no-crlf"),
            ("long", "--no-crlf"),
            ("crlf", "--crlf"),
        ] {
            let reply = grep(&world, json!({"pattern": pattern, "path": path, "limit": 200}));
            let ours: Vec<String> = our_lines(&reply.text)
                .into_iter()
                .filter(|line| line.2)
                .map(|line| line.1.to_string())
                .collect();
            let listed = rg(&world.root(), &[ends, "-n", "--no-filename", pattern, path]);
            let theirs: Vec<&str> = listed.lines().map(|line| line.split(':').next().unwrap()).collect();
            assert_eq!(ours, theirs, "{pattern} {path}\n{}", reply.text);
            let counted = grep(&world, json!({"pattern": pattern, "path": path, "output": "count"}));
            let files = counted.data["files"].as_array().unwrap();
            let count = files.first().map_or(0, |file| file["count"].as_u64().unwrap());
            assert_eq!(count as usize > 0, !theirs.is_empty(), "{pattern} {path}: {}", counted.data);
        }
    }
    // Where matches may span lines, the text is the file.
    let whole = grep(&world, json!({"pattern": r"\Afoo", "path": "lf", "multiline": true}));
    assert_eq!(whole.data["matches"], json!([{"path": "lf", "line": 1, "col": 1}]));
}

#[test]
fn a_line_of_megabytes_is_searched_and_shown_by_its_window() {
    let world = World::new();
    let mut line = vec![b'x'; 3_000_000];
    line[2_000_000..2_000_006].copy_from_slice(b"needle");
    world.write("min.js", [b"short\n".as_slice(), &line, b"\nafter needle\n"].concat());
    let reply = grep(&world, json!({"pattern": "needle"}));
    let places = json!([
        {"path": "min.js", "line": 2, "col": 2_000_001},
        {"path": "min.js", "line": 3, "col": 7},
    ]);
    assert_eq!(reply.data["matches"], places);
    assert!(reply.text.len() < 2000, "{}", reply.text.len());
}

#[test]
fn a_search_below_an_ignored_or_hidden_folder_agrees_with_ripgrep() {
    let world = World::new();
    std::fs::create_dir(world.root().join(".git")).unwrap();
    world.write(".gitignore", "build/\n*.log\nout/**\n");
    for path in
        ["build/a", "build/deep/b", "build/c.log", ".hid/a", ".hid/.b", ".hid/c.log", "out/keep", "out/x/y"]
    {
        world.write(path, "needle\n");
    }
    for folder in ["build", "build/deep", ".hid", "out", "out/x", "."] {
        let reply = grep(&world, json!({"pattern": "needle", "path": folder}));
        let matches = reply.data["matches"].as_array().unwrap();
        let found: Vec<&str> = matches.iter().map(|place| place["path"].as_str().unwrap()).collect();
        let listed = rg(&world.root(), &["-l", "needle", folder]);
        assert_eq!(
            found,
            listed.lines().map(|path| path.trim_start_matches("./")).collect::<Vec<_>>(),
            "{folder}"
        );
    }
}

#[test]
fn what_only_ignored_or_hidden_files_have_is_told() {
    let world = World::new();
    std::fs::create_dir(world.root().join(".git")).unwrap();
    world.write(".gitignore", "build/\n");
    world.write("build/out.txt", "only here\n");
    world.write("build/.env", "blocked here\n");
    world.write(".github/ci.yml", "steps here\n");
    world.write("a.txt", "nothing\n");
    let reply = grep(&world, json!({"pattern": "only here"}));
    assert_eq!(reply.data["ignored_matches"], json!(1));
    assert!(reply.text.contains("build/out.txt") && reply.text.contains("include_ignored"), "{}", reply.text);
    let reply = grep(&world, json!({"pattern": "only here", "glob": "*.rs"}));
    assert_eq!(reply.data["ignored_matches"], json!(0));
    let reply = grep(&world, json!({"pattern": "steps here"}));
    assert!(reply.text.contains("give `.github` as `path`"), "{}", reply.text);
    let reply = grep(&world, json!({"pattern": "blocked here"}));
    assert_eq!(reply.data["ignored_matches"], json!(0));
    assert!(!reply.text.contains(".env"), "{}", reply.text);
    let reply = grep(&world, json!({"pattern": "nothing"}));
    assert_eq!(reply.data["ignored_matches"], json!(0));
    let reply = world.tool("search_glob", json!({"pattern": "*.yml"})).unwrap();
    assert_eq!(reply.data["ignored_matches"], json!(1));
    assert!(reply.text.contains("give `.github` as `path`"), "{}", reply.text);
    let reply = world.tool("search_glob", json!({"pattern": "out", "type": "any"})).unwrap();
    assert_eq!(reply.data["ignored_matches"], json!(0));
    let reply = world.tool("search_glob", json!({"pattern": ".env"})).unwrap();
    assert_eq!((&reply.data["ignored_matches"], &reply.data["paths"]), (&json!(0), &json!([])));
}

#[test]
fn odd_names_can_be_given_back() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new();
    for name in [b"new\nline.txt".as_slice(), b"caf\xe9.txt", b"bidi\xe2\x80\xaetxt.txt", b"tab\t.txt"] {
        std::fs::write(world.root().join(std::ffi::OsStr::from_bytes(name)), "needle\n").unwrap();
    }
    let found = grep(&world, json!({"pattern": "needle", "limit": 10}));
    let globbed = world.tool("search_glob", json!({"pattern": "*.txt"})).unwrap();
    for text in [&found.text, &globbed.text] {
        assert!(!text.contains('\u{202e}') && !text.contains("new\nline"), "{text}");
    }
    let mut paths: Vec<String> = serde_json::from_value(globbed.data["paths"].clone()).unwrap();
    // What stands in the text leads there as well.
    paths.extend(globbed.text.lines().filter(|line| !line.ends_with("paths")).map(str::to_owned));
    assert_eq!(paths.len(), 8);
    for path in paths {
        let read = world.tool("fs_read", json!({"path": path})).unwrap();
        assert!(read.text.contains("needle"), "{path:?}");
        assert_eq!(grep(&world, json!({"pattern": "needle", "path": path})).data["matches_seen"], json!(1));
    }
}

#[test]
fn the_users_own_ignore_file_counts_as_for_git() {
    let home = native::World::new("");
    home.write(".git/HEAD", "ref: refs/heads/main\n");
    home.write("mine.swp", "needle\n");
    home.write("other.txt", "needle\n");
    let user = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(user.path().join(".config/git")).unwrap();
    std::fs::write(user.path().join(".config/git/ignore"), "*.swp\n").unwrap();
    let mut port = port_of(&home, user.path());
    let answer = port.call("search_grep", json!({"pattern": "needle", "limit": 9}));
    let matches = &answer["structuredContent"]["data"]["matches"];
    assert_eq!(matches, &json!([{"path": "other.txt", "line": 1, "col": 1}]), "{answer}");
}

fn port_of(world: &native::World, user: &Path) -> native::Port {
    let mut command = world.command();
    command.arg(&outrigger::native::caller::own_extensions()[0]);
    command.env("HOME", user).env_remove("XDG_CONFIG_HOME");
    let mut port = native::Port::spawn(&mut command);
    port.hello();
    port
}

#[test]
#[cfg(unix)]
fn a_pipe_in_the_place_of_the_users_settings_keeps_no_walk_waiting() {
    let home = native::World::new("");
    home.write("a.txt", "needle\n");
    for name in [".gitconfig", ".config/git/config", ".config/git/ignore"] {
        let user = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(user.path().join(".config/git")).unwrap();
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, user.path().join(name), kind, 0o600.into(), 0).unwrap();
        let mut port = port_of(&home, user.path());
        for (tool, arguments) in [
            ("fs_list", json!({})),
            ("search_glob", json!({"pattern": "*"})),
            ("search_grep", json!({"pattern": "needle"})),
        ] {
            let answer = port.call(tool, arguments);
            assert!(answer["content"][0]["text"].as_str().unwrap().contains("a.txt"), "{name}: {answer}");
        }
    }
}

#[test]
fn globs_choose_the_files_that_ripgrep_would_choose() {
    let world = World::new();
    for folder in ["", "src/", "src/deep/", "web/src/"] {
        for name in ["a.rs", "b.ts", "c.tsx", "d.min.js", "E.RS", "[x].rs", "a b.rs"] {
            world.write(&format!("{folder}{name}"), "needle\n");
        }
    }
    let globs = [
        "*.rs",
        "*.{ts,tsx}",
        "src/**",
        "src/**/*.rs",
        "/src/*.rs",
        "**/src/**",
        "!*.rs",
        "!src/**",
        "!src",
        "!deep/",
        "!src/deep",
        "!/src",
        "*.[rt]s",
        "src/*/a.rs",
        "?.rs",
        "**",
        "*",
        "{src,web}/**/*.ts",
        "a*",
        "*.RS",
        "**/*.{rs,min.js}",
        "\\[x\\].rs",
        "* b.rs",
        "[!a].rs",
        "src/{deep/,}a.rs",
    ];
    for glob in globs {
        let reply =
            grep(&world, json!({"pattern": "needle", "glob": glob, "output": "files", "limit": 1000}));
        let files = reply.data["files"].as_array().unwrap();
        let found: Vec<&str> = files.iter().map(|file| file["path"].as_str().unwrap()).collect();
        let listed = rg(&world.root(), &["-l", "-g", glob, "needle"]);
        assert_eq!(found, listed.lines().collect::<Vec<_>>(), "{glob}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_searched_as_ripgrep_does(
        texts in prop::collection::vec("([ab ]{0,4}(\n|\r\n|\r|b\n)){0,8}[ab]{0,3}", 1..6),
        pattern in "(\\^)?([ab]|a\\+|b\\?a|\\[ab\\]\\{2\\}|\\.|a\\|b|\\\\ba|\\\\s){1,3}(\\$)?",
        context in 0_usize..3, word in any::<bool>(), multiline in any::<bool>(), offset in 0_usize..3, limit in 1_usize..8,
    ) {
        let world = World::new();
        // Whether `^`, `$`, `.` and `\s` know a lone carriage return as a line end is different from one ripgrep to the next.
        let is_loose = pattern.contains(['^', '$', '.', 's']);
        for (number, text) in texts.iter().enumerate() {
            let settled = text.replace("\r\n", "\0").replace('\r', "b").replace('\0', "\r\n");
            // Across lines an older ripgrep's `.` and `$` may take the `\r` of a line end apart from its `\n`, a newer one's do not.
            let is_newer = multiline && (pattern.contains('.') || pattern.contains('s') && pattern.contains('$'));
            let settled = if is_newer { settled.replace("\r\n", "\n") } else { settled };
            world.write(&format!("f{number}"), if is_loose { &settled } else { text });
        }
        let context_flag = format!("-C{context}");
        let mut args = vec![context_flag.as_str(), "-s"];
        args.extend(word.then_some("-w"));
        args.extend(multiline.then_some("-U"));
        args.push(&pattern);
        let expected: Vec<Shown> = rg_lines(&world.root(), &args);
        let arguments = json!({
            "pattern": pattern, "case": "sensitive", "context": context, "word": word, "multiline": multiline, "limit": 1000,
        });
        let reply = grep(&world, arguments.clone());
        let matching = |line: &&Shown| line.2;
        let first_lines: Vec<(String, u64)> = reply.data["matches"].as_array().unwrap().iter()
            .map(|place| (place["path"].as_str().unwrap().to_owned(), place["line"].as_u64().unwrap())).collect();
        if !multiline {
            let lines = expected.iter().filter(matching).map(|line| (line.0.clone(), line.1)).collect::<Vec<_>>();
            prop_assert_eq!(&first_lines, &lines);
            // Any page is a part of the whole, in its order, and says whether there is more.
            let mut page = arguments.clone();
            (page["limit"], page["offset"]) = (json!(limit), json!(offset));
            let page = grep(&world, page);
            let places: Vec<Value> = reply.data["matches"].as_array().unwrap().iter().skip(offset).take(limit).cloned().collect();
            prop_assert_eq!(page.data["matches"].as_array().unwrap(), &places);
            prop_assert_eq!(page.data["complete"].as_bool().unwrap(), offset + limit >= lines.len());
        }
        if context > 0 && !expected.is_empty() {
            let body = reply.text.rsplit_once("\n\n").map_or("", |(body, _)| body);
            // A lone carriage return is part of a line for both; only the last one belongs to its end.
            let lines: Vec<_> = our_lines(body).into_iter().map(|line| (line.0, line.1, line.2)).collect();
            prop_assert_eq!(lines, expected.into_iter().map(|line| (line.0, line.1, line.2)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn rules_of_git_leave_out_what_git_itself_ignores(
        files in prop::collection::vec("[ab]{1,2}(/[ab]{1,2}){0,3}(\\.o)?", 1..16),
        rules in prop::collection::vec(("([ab](/[ab])?/)?\\.gitignore", "(!?/?([ab*]{1,2}/?|\\*\\*/[ab]|[ab]/\\*\\*|\\*\\.o|a\\?|\\[ab\\]\\*)\n){1,4}"), 0..4),
        exclude in "([ab*]{1,2}\n)?",
    ) {
        let world = World::new();
        git_command(&world.root()).args(["init", "-q"]).output().unwrap();
        world.write(".git/info/exclude", exclude);
        for (path, text) in files.iter().map(|path| (path, "x\n")).chain(rules.iter().map(|(path, text)| (path, text.as_str()))) {
            let path = world.root().join(path);
            if std::fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.is_dir() {
                let _ = std::fs::write(path, text);
            }
        }
        let listed = git_command(&world.root()).args(["ls-files", "-o", "--exclude-standard", "-z"]).output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        let mut listed: Vec<&str> = listed.split_terminator('\0').filter(|path| !path.ends_with(".gitignore")).collect();
        listed.sort_by(|left, right| Path::new(left).cmp(Path::new(right)));
        let reply = world.tool("search_glob", json!({"pattern": "*", "limit": 1000})).unwrap();
        let found: Vec<&str> = reply.data["paths"].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).filter(|path| !path.ends_with(".gitignore")).collect();
        prop_assert_eq!(found, listed);
    }
}
