//! The file tools: what they answer, what they change, and that they change nothing else.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use outrigger::{
    ids::Etag,
    policy::{ChangeOp, FileChange, Preview},
    tier::Tier,
    tools::{Code, Reply, ToolError},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world::{World, find, permit, tier};

fn edit(world: &World, path: &str, edits: Value) -> Result<Reply<Value>, ToolError> {
    world.tool("fs_edit", json!({"path": path, "edits": edits}))
}

fn bytes(world: &World, path: &str) -> Vec<u8> {
    std::fs::read(world.root().join(path)).unwrap()
}

fn change(world: &World, tool: &str, arguments: Value) -> FileChange {
    let plan = world.plan(tool, arguments).unwrap().unwrap();
    let Preview::Files { mut files } = plan.preview else { panic!("{plan:?}") };
    assert_eq!(files.len(), 1);
    files.remove(0)
}

#[test]
fn what_becomes_of_line_ends_is_in_the_plan() {
    let world = World::new();
    world.write("lf", "a\nb\n");
    world.write("mixed", "a\r\nb\nc\n");
    world.write("crlf", "a\r\nb\r\n");
    let overwrite = |path: &str, content: &str, eol: &str| json!({"path": path, "content": content, "mode": "overwrite", "eol": eol});
    let shown = |arguments: Value| {
        let change = change(&world, "fs_write", arguments);
        (
            change.line_ends.map(|ends| (ends.before.as_str(), ends.after.as_str())),
            (change.added, change.removed),
        )
    };
    assert_eq!(shown(overwrite("lf", "a\nb\n", "crlf")), (Some(("lf", "crlf")), (2, 2)));
    assert_eq!(shown(overwrite("crlf", "a\nb\n", "lf")), (Some(("crlf", "lf")), (2, 2)));
    // The file keeps the end that most of its lines have.
    assert_eq!(shown(overwrite("mixed", "a\nb\nc\n", "auto")), (Some(("mixed", "lf")), (1, 1)));
    assert_eq!(shown(overwrite("crlf", "a\nc\n", "auto")), (None, (1, 1)));
    assert_eq!(shown(overwrite("lf", "a", "auto")), (None, (1, 2)));
    // It is told, and asked no more strictly than without it.
    let mut read = overwrite("lf", "a\nb\n", "crlf");
    read["base_etag"] = json!(Etag::of(b"a\nb\n").as_str());
    assert_eq!(tier(&world.call, "fs_write", read), Tier::Batch);
}

mod fs_read {
    use super::*;

    fn text(world: &World, arguments: Value) -> String {
        world.tool("fs_read", arguments).unwrap().text
    }

    #[test]
    fn lines_are_numbered_and_the_rest_is_named() {
        let world = World::new();
        world.write("f", "one\ntwo\r\nthree");
        let reply = world.tool("fs_read", json!({"path": "f"})).unwrap();
        let etag = Etag::of(b"one\ntwo\r\nthree");
        let (short, end) = (&etag.as_str()[..12], "(lines 1-3 of 3, the last without a line end; etag ");
        assert_eq!(reply.text, format!("   1|one\n   2|two\n   3|three\n{end}{short})\n"));
        assert_eq!(reply.etag.unwrap(), etag.as_str());
        let listed = world.tool("fs_list", json!({"path": "f"})).unwrap().text;
        assert!(listed.ends_with(&format!(", etag {short}\n")), "{listed}");
        let mut data = reply.data;
        assert!(data["mtime"].take().as_str().unwrap().ends_with('Z'));
        assert_eq!(
            data,
            json!({"path": "f", "kind": "text", "start_line": 1, "end_line": 3, "lines_total": 3, "size": 14,
                   "encoding": "utf-8", "bom": false, "eol": "mixed", "final_newline": false, "mtime": null})
        );
        assert!(reply.truncated.is_none());
    }

    #[test]
    fn a_last_line_without_an_end_is_told_where_it_is_shown() {
        let world = World::new();
        world.write("f", "one\ntwo\nthree");
        for (arguments, is_told) in [
            (json!({"path": "f"}), true),
            (json!({"path": "f", "start_line": -1}), true),
            (json!({"path": "f", "limit": 2}), false),
        ] {
            assert_eq!(
                text(&world, arguments.clone()).contains("the last without a line end"),
                is_told,
                "{arguments}"
            );
        }
        world.write("f", "one\ntwo\n");
        assert!(!text(&world, json!({"path": "f"})).contains("line end"));
        world.write("f", "");
        assert!(!text(&world, json!({"path": "f"})).contains("line end"));
    }

    #[test]
    fn a_part_says_which_call_shows_more() {
        let world = World::new();
        world.write("f", "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n");
        let reply = world.tool("fs_read", json!({"path": "f", "start_line": 3, "limit": 2})).unwrap();
        assert_eq!(
            reply.text,
            "   3|l3\n   4|l4\n(lines 3-4 of 9; etag ETAG; next: fs_read {\"path\":\"f\",\"start_line\":5,\"limit\":2})\n"
                .replace("ETAG", &reply.etag.as_deref().unwrap()[..12])
        );
        let next = reply.truncated.unwrap().next.unwrap();
        assert!(text(&world, next.args).starts_with("   5|l5\n   6|l6\n"));
        assert_eq!(text(&world, json!({"path": "f", "start_line": -1, "line_numbers": false})), "l9\n");
        assert!(text(&world, json!({"path": "f", "start_line": -99})).starts_with("   1|l1\n"));
        assert_eq!(
            world.tool("fs_read", json!({"path": "f", "start_line": 10})).unwrap_err().code,
            Code::InvalidArgs
        );
        assert_eq!(
            world.tool("fs_read", json!({"path": "f", "start_line": 0})).unwrap_err().code,
            Code::InvalidArgs
        );
    }

    #[test]
    fn budgets_hold_for_any_file() {
        let world = World::new();
        world.write("wide", "x".repeat(300_000));
        let reply = world.tool("fs_read", json!({"path": "wide"})).unwrap();
        assert!(
            reply.text.len() < 2100
                && reply.text.contains("(+298000 characters)")
                && reply.warnings.len() == 1
        );
        world.write("long", "some text on a line\n".repeat(100_000));
        let reply = world.tool("fs_read", json!({"path": "long"})).unwrap();
        assert!(reply.text.len() <= 48 * 1024 + 200, "{}", reply.text.len());
        assert!(reply.data["end_line"].as_u64().unwrap() > 1500);
        let reply = world.tool("fs_read", json!({"path": "long", "max_bytes": 100})).unwrap();
        assert!(reply.text.len() < 250, "{}", reply.text);
    }

    #[test]
    fn a_file_too_large_to_hold_reads_the_same() {
        let world = World::new();
        let line = |number: u32| format!("line {number} {}\r\n", "x".repeat(number as usize % 90));
        let content: String = (1..=180_000).map(line).collect();
        assert!(content.len() > 8 * 1024 * 1024);
        world.write("large", &content);
        for (start, first) in
            [(1, 1), (999, 999), (1001, 1001), (123_456, 123_456), (-2, 179_999), (179_500, 179_500)]
        {
            let reply = world
                .tool(
                    "fs_read",
                    json!({"path": "large", "start_line": start, "limit": 2, "line_numbers": false}),
                )
                .unwrap();
            let expected = format!("{}{}", line(first), line(first + 1)).replace("\r\n", "\n");
            assert!(reply.text.starts_with(&expected), "{start}: {}", reply.text);
            assert_eq!((&reply.data["lines_total"], &reply.data["eol"]), (&json!(180_000), &json!("crlf")));
            assert_eq!(reply.etag.unwrap(), Etag::of(content.as_bytes()).as_str());
        }
    }

    #[test]
    fn what_is_cut_can_be_had() {
        let world = World::new();
        let line =
            (0..4000).map(|number| format!("{{\"key{number}\":{number}}},")).collect::<Vec<_>>().concat();
        world.write("min.json", format!("short\n{line}\nlast\n"));
        let reply = world.tool("fs_read", json!({"path": "min.json"})).unwrap();
        assert!(
            reply.text.contains("… (+") && reply.warnings[0].ends_with("has all of them, in pieces"),
            "{reply:?}"
        );
        let truncated = json!(reply.truncated.unwrap().next.unwrap());
        let handle = reply.handle.unwrap();
        assert_eq!(truncated, json!({"tool": "fs_read", "args": {"path": handle}}));
        let all = world
            .tool("fs_read", json!({"path": handle, "line_numbers": false, "max_bytes": 1 << 20}))
            .unwrap();
        assert_eq!(all.text.replace('\n', ""), line);
        assert!(all.handle.is_none(), "no piece is cut again");

        world.write("block", "f {\n  a\n  b\n  c\n}\nelse\n");
        let reply = world.tool("fs_read", json!({"path": "block", "around_line": 3, "limit": 2})).unwrap();
        assert!(reply.text.starts_with("   1|f {\n   2|  a\n(lines 1-2 of 6; "), "{}", reply.text);
        let next = reply.truncated.unwrap().next.unwrap();
        let rest = world.tool("fs_read", next.args).unwrap();
        assert!(rest.text.starts_with("   3|  b\n   4|  c\n   5|}\n(lines 3-5"), "{}", rest.text);
        let whole = world.tool("fs_read", json!({"path": "block", "around_line": 3})).unwrap();
        assert!(whole.truncated.is_none(), "nothing of the block was left out");
        let last = world.tool("fs_read", json!({"path": "block", "start_line": 5})).unwrap();
        assert!(last.truncated.is_none(), "what stands before was not asked for");

        let lines =
            |word: &str| (0..2000).map(|number| format!("{word} {number}\n")).collect::<Vec<_>>().concat();
        world.write("many", lines("one"));
        let reply = world
            .tool("fs_edit", json!({"path": "many", "edits": [{"old_text": "one", "new_text": "two", "replace_all": true}]}))
            .unwrap();
        let whole = |reply: Reply<Value>| {
            let arguments = json!({"path": reply.handle.unwrap(), "line_numbers": false, "max_bytes": 1 << 20, "limit": 9999});
            world.tool("fs_read", arguments).unwrap().text
        };
        assert!(reply.text.contains("more lines of the diff"), "{}", reply.text);
        let diff = whole(reply);
        assert!(diff.contains("\n-one 0\n") && diff.ends_with("\n+two 1999\n"), "{diff}");
        let written = json!({"path": "many", "content": lines("six"), "mode": "overwrite"});
        assert!(whole(world.tool("fs_write", written).unwrap()).ends_with("\n+six 1999\n"));
    }

    #[test]
    fn what_cannot_be_read_is_told_with_what_would_work() {
        let world = World::new();
        symlink("nowhere", world.root().join("dangling")).unwrap();
        let refused = |path: &str| world.tool("fs_read", json!({"path": path})).unwrap_err();
        let error = refused("dangling");
        assert_eq!(error.message, "`dangling` is a link to `nowhere`, which does not exist");
        assert!(refused("out:zzz").hint.starts_with("a handle is `out:` and 26"));
        assert_eq!(refused("none").message, "`none` does not exist");
        world.write("small.pdf", "%PDF-1.4\n1 0 obj\n");
        assert_eq!(world.tool("fs_read", json!({"path": "small.pdf"})).unwrap().data["kind"], "pdf");
        world.write("wide", b"\xff\xfe\0\0o\0\0\0k\0\0\0");
        assert!(text(&world, json!({"path": "wide"})).starts_with("   1|ok\n"));
        world.write("huge", "");
        std::fs::OpenOptions::new()
            .write(true)
            .open(world.root().join("huge"))
            .unwrap()
            .set_len(300 << 20)
            .unwrap();
        assert!(refused("huge").hint.starts_with("search_grep"));
    }

    #[test]
    fn the_etag_of_a_text_is_enough_to_overwrite() {
        let world = World::new();
        world.write("f", "one\n");
        let shown = text(&world, json!({"path": "f"}));
        let etag = shown.rsplit_once("; etag ").unwrap().1.trim_end_matches(")\n");
        let write =
            |etag: &str| json!({"path": "f", "content": "two\n", "mode": "overwrite", "base_etag": etag});
        for wrong in [&etag[..11], "000000000000", &format!("{etag}0123456789abcdef01234")] {
            assert_eq!(world.tool("fs_write", write(wrong)).unwrap_err().code, Code::Stale, "{wrong}");
        }
        assert_eq!(tier(&world.call, "fs_write", write(etag)), Tier::Batch);
        let edits = json!([{"old_text": "one", "new_text": "1"}]);
        let reply = world.tool("fs_edit", json!({"path": "f", "edits": edits, "base_etag": etag})).unwrap();
        assert_eq!(reply.warnings, Vec::<String>::new());
    }

    #[test]
    fn a_write_tells_what_it_replaced_and_what_it_may_not_mean() {
        let world = World::new();
        let write = |path: &str, content: &str, etag: &str| {
            world.tool(
                "fs_write",
                json!({"path": path, "content": content, "mode": "overwrite", "base_etag": etag}),
            )
        };
        let error = write("gone", "x", "0123456789abcdef0123456789abcdef").unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (Code::Stale, "`gone` does not exist any more"));
        assert_eq!(write("folder/", "x", "").unwrap_err().code, Code::WrongType);
        world.write("data", [0, 1, 2, 3]);
        let reply = write("data", "text\n", "").unwrap();
        assert!(!reply.text.contains("@@"), "{}", reply.text);
        assert_eq!(reply.warnings, ["what `data` was is no text, so no difference is shown"]);
        assert!(write("nul", "a\0b", "").unwrap().warnings[0].contains("has a NUL"));
        assert!(write("nope:file", "x", "").unwrap().warnings[0].starts_with("`nope` is no workspace"));
        assert!(write("a file: x", "x", "").unwrap().warnings.is_empty());
    }

    #[test]
    fn a_new_name_that_means_a_place_elsewhere_is_told_to_be_a_name() {
        let world = World::new();
        world.write("src/main.rs", "x");
        let told = |tool: &str, arguments: Value| world.tool(tool, arguments).unwrap().warnings.concat();
        let patch = "*** Begin Patch\n*** Add File: src\\new.rs\n+x\n*** End Patch\n";
        for (tool, arguments) in [
            ("fs_write", json!({"path": r"src\lib.rs", "content": "x"})),
            ("fs_write", json!({"path": r"C:\Windows\x", "content": "x"})),
            ("fs_mkdir", json!({"path": r"src\deep"})),
            ("fs_move", json!({"from": "src/main.rs", "to": r"src\moved.rs", "copy": true})),
            ("fs_apply_patch", json!({"patch": patch})),
        ] {
            let told = told(tool, arguments.clone());
            assert!(told.contains("folders are separated by `/`"), "{tool} {arguments}: {told}");
        }
        for name in ["~", "$HOME", "C:"] {
            let told = told("fs_write", json!({"path": format!("{name}/x"), "content": "x"}));
            assert!(told.contains(&format!("`{name}` is a folder of that name here")), "{told}");
        }
        for path in ["src/plain.rs", "new/~", "$one", "~/y"] {
            assert_eq!(told("fs_write", json!({"path": path, "content": "x"})), "", "{path}");
        }
        // What is there already was meant.
        let again = json!({"path": r"src\lib.rs", "content": "y", "mode": "overwrite"});
        assert_eq!(told("fs_write", again), "");
        let error = world.tool("fs_read", json!({"path": r"src\main.rs"})).unwrap_err();
        assert_eq!((error.code, error.candidates), (Code::NotFound, vec!["src/main.rs".to_owned()]));
    }

    #[test]
    fn encodings_are_named_and_binary_is_previewed() {
        let world = World::new();
        world.write("latin", b"Stra\xdfe, gr\xfc\xdfe an alle\n");
        world.write("wide", b"\xff\xfea\0\n\0");
        world.write("bom", b"\xef\xbb\xbfa\n");
        let mut png = std::io::Cursor::new(Vec::new());
        image::RgbImage::new(3, 2).write_to(&mut png, image::ImageFormat::Png).unwrap();
        world.write("png", png.into_inner());
        world.write("empty", "");
        let read = |path: &str| world.tool("fs_read", json!({"path": path}));
        assert!(read("latin").unwrap().text.contains("Straße, grüße"));
        assert_eq!(read("wide").unwrap().data["encoding"], "utf-16le");
        assert_eq!(read("bom").unwrap().data["bom"], true);
        assert!(read("empty").unwrap().text.starts_with("(the file is empty; etag "));
        world.write("marked", "\u{feff}");
        assert!(read("marked").unwrap().text.starts_with("(the file is empty; etag "));
        let image = read("png").unwrap();
        assert_eq!((&image.data["kind"], &image.data["mime"]), (&json!("image"), &json!("image/png")));
        assert_eq!(image.picture.unwrap().data, bytes(&world, "png"));
        for (name, broken) in [
            ("bad", b"\x89PNG\r\n\x1a\nxx".as_slice()),
            ("bad.png", b"\x89PNG\r\n\x1a\nxx"),
            ("bad.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01"),
            ("bad.webp", b"RIFF\x0c\0\0\0WEBPVP8 \0\0\0\0"),
            ("cut.png", &bytes(&world, "png")[..50]),
        ] {
            world.write(name, broken);
            let reply = read(name).unwrap();
            assert_eq!((&reply.data["kind"], reply.picture), (&json!("binary"), None), "{name}");
            assert!(reply.text.contains("it cannot be decoded"), "{}", reply.text);
        }
        world.write("data", [0, 1, 2, 3]);
        let binary = read("data").unwrap();
        assert_eq!(binary.data["kind"], "binary");
        assert!(binary.text.contains("0000  00 01 02 03  "), "{}", binary.text);
        assert_eq!(binary.etag.unwrap(), Etag::of(&[0, 1, 2, 3]).as_str());
    }

    #[test]
    fn pictures_reach_a_model_small_enough() {
        let world = World::new();
        let picture = |width, height| {
            let image = image::RgbImage::from_pixel(width, height, image::Rgb([10, 20, 30]));
            let mut bytes = std::io::Cursor::new(Vec::new());
            image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
            bytes.into_inner()
        };
        let long = picture(2400, 30);
        // What follows the end of a picture makes the file larger than those that are held as a whole.
        world.write("heavy.png", [long.clone(), vec![0; 9 * 1024 * 1024]].concat());
        world.write("long.png", &long);
        world.write("long.bin", &long);
        world.write("cut.png", &long[..60]);
        for name in ["long.png", "heavy.png"] {
            let reply = world.tool("fs_read", json!({"path": name})).unwrap();
            let shown = reply.picture.unwrap();
            let opened = image::load_from_memory(&shown.data).unwrap();
            assert_eq!(
                (opened.width(), opened.height(), shown.mime.as_str()),
                (2000, 25, "image/png"),
                "{name}"
            );
            assert!(reply.text.contains("2400×30 pixels") && reply.text.contains("Shown as 2000×25"));
            let truncated = reply.truncated.unwrap();
            assert_eq!(
                (truncated.shown, truncated.total, truncated.unit.as_str()),
                (50_000, 72_000, "pixels")
            );
            assert_eq!(reply.etag.unwrap(), Etag::of(&bytes(&world, name)).as_str());
        }
        for (name, kind, why) in
            [("long.bin", "image", "its name does not say"), ("cut.png", "binary", "it cannot be decoded")]
        {
            let reply = world.tool("fs_read", json!({"path": name})).unwrap();
            assert_eq!((&reply.data["kind"], reply.picture), (&json!(kind), None), "{name}");
            assert!(reply.text.contains("It is not shown: ") && reply.text.contains(why), "{}", reply.text);
        }
        world.write("large.png", [b"\x89PNG\r\n\x1a\n".as_slice(), &vec![0; 65 * 1024 * 1024]].concat());
        let text = text(&world, json!({"path": "large.png"}));
        assert!(text.contains("larger than 64 MiB"), "{text}");
    }

    #[test]
    fn the_block_around_a_line_is_shown() {
        let world = World::new();
        world.write("f", "a() {\n  one;\n  if x {\n    two;\n  }\n}\nb() {\n}\n");
        assert_eq!(
            text(&world, json!({"path": "f", "around_line": 4, "line_numbers": false})),
            "  if x {\n    two;\n  }\n"
        );
    }

    #[test]
    fn nothing_tells_without_a_question_what_a_name_hides_that_looks_secret() {
        let world = World::new();
        world.write("credentials.txt", "pin=4711\n");
        let listed = world.tool("fs_list", json!({"path": "credentials.txt"})).unwrap();
        assert_eq!((listed.etag.as_deref(), &listed.data["file"]["lines"]), (None, &Value::Null));
        assert!(!listed.text.contains("etag") && listed.warnings[0].contains("fs_read asks"), "{listed:?}");
        world.write("plain.txt", "pin=4711\n");
        assert!(world.tool("fs_list", json!({"path": "plain.txt"})).unwrap().etag.is_some());
    }

    #[test]
    fn names_that_look_secret_are_asked_for() {
        let world = World::new();
        world.write("credentials.json", "{}");
        assert_eq!(tier(&world.call, "fs_read", json!({"path": "credentials.json"})), Tier::Individual);
        world.write("main.rs", "");
        assert_eq!(tier(&world.call, "fs_read", json!({"path": "main.rs"})), Tier::Auto);
    }

    #[test]
    fn a_right_name_in_a_wrong_folder_gets_the_places_where_it_is() {
        let world = World::new();
        for path in
            ["web/src/App.tsx", "old/App.tsx", "node_modules/App.tsx", "lib/util.py", ".hidden/util.py"]
        {
            world.write(path, "");
        }
        world.write("keys/.env", "");
        world.write(".gitignore", "node_modules\n");
        world.write("a/.eslintrc", "");
        std::fs::create_dir(world.root().join(".git")).unwrap();
        world.write(".git/util.py", "");
        for (given, candidates) in [
            ("App.tsx", vec!["old/App.tsx", "web/src/App.tsx"]),
            ("app/src/App.tsx", vec!["web/src/App.tsx", "old/App.tsx"]),
            ("web/src/components/App.tsx", vec!["web/src/App.tsx", "old/App.tsx"]),
            ("UTIL.py", vec!["lib/util.py"]),
            (".eslintrc", vec!["a/.eslintrc"]),
            ("lib/keys/src", vec!["web/src"]),
            ("nothing.py", vec![]),
        ] {
            let error = world.tool("fs_read", json!({"path": given})).unwrap_err();
            assert_eq!(
                (error.code, error.candidates),
                (Code::NotFound, candidates.into_iter().map(str::to_owned).collect()),
                "{given}"
            );
        }
        // Not all places of a name that is everywhere, but the most alike.
        for number in 0..300 {
            world.write(&format!("many/p{number}/src/mod.rs"), "");
        }
        let error = world.tool("fs_read", json!({"path": "crates/p7/src/mod.rs"})).unwrap_err();
        assert_eq!((error.candidates.len(), error.candidates[0].as_str()), (3, "many/p7/src/mod.rs"));
    }

    #[test]
    fn a_wrong_name_gets_the_near_ones() {
        let world = World::new();
        world.write("src/index.ts", "");
        let error = world.tool("fs_read", json!({"path": "src/indx.ts"})).unwrap_err();
        assert_eq!((error.code, error.candidates), (Code::NotFound, vec!["src/index.ts".to_owned()]));
        let error = world.tool("fs_read", json!({"path": "scr/index.ts"})).unwrap_err();
        assert_eq!(error.candidates, ["src/index.ts"]);
        world.write("docs/guide/intro.md", "");
        world.write("docs/guide/.env", "");
        std::os::unix::fs::symlink("guide", world.root().join("docs/guides")).unwrap();
        for (given, candidates) in [
            ("Docs/Guide/Intro.md", vec!["docs/guide/intro.md"]),
            ("doc/guide/intr.md", vec!["docs/guide/intro.md"]),
            ("doc/other/intro.md", vec!["docs", "docs/guide/intro.md"]),
            ("doc/gude/nothing", vec!["docs/guide"]),
            ("docs/gude/.en", vec!["docs/guide", "docs/guides"]),
            ("scr/index.ts/more", vec!["src/index.ts"]),
            ("none/at/all", vec![]),
        ] {
            let error = world.tool("fs_read", json!({"path": given})).unwrap_err();
            assert_eq!(error.candidates, candidates, "{given}");
        }
        let error = world.tool("fs_read", json!({"pth": "x"})).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgs);
        assert!(error.hint.contains("`path`"), "{}", error.hint);
        let folder = world.tool("fs_read", json!({"path": "src"})).unwrap();
        assert_eq!(folder.data["kind"], "dir-hint");
        assert!(folder.text.contains("fs_list {\"path\":\"src\"}"), "{}", folder.text);
    }
}

mod fs_list {
    use super::*;

    fn paths(reply: &Reply<Value>) -> Vec<&str> {
        reply.data["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["path"].as_str().unwrap())
            .collect()
    }

    fn forest() -> World {
        let world = World::new();
        for path in ["b/x.rs", "b/deep/y.rs", "a.txt", ".hidden", "target/z", "c/w.md"] {
            world.write(path, "text\n");
        }
        world.write(".gitignore", "target/\n");
        std::fs::create_dir(world.root().join(".git")).unwrap();
        world
    }

    #[test]
    fn the_upper_levels_come_first() {
        let world = forest();
        let reply = world.tool("fs_list", json!({"depth": 2})).unwrap();
        assert_eq!(paths(&reply), [".gitignore", ".hidden", "a.txt", "b", "c", "b/deep", "b/x.rs", "c/w.md"]);
        assert_eq!(
            reply.text,
            ".gitignore\n.hidden\na.txt\nb/\n  deep/\n  x.rs\nc/\n  w.md\n(8 entries; 2 ignored or hidden)\n"
        );
        let reply = world.tool("fs_list", json!({"include_ignored": true, "include_hidden": false})).unwrap();
        assert_eq!(paths(&reply), ["a.txt", "b", "c", "target"]);
        // Both that are hidden, and `.git`.
        assert_eq!(reply.data["ignored_count"], json!(3));
        let reply = world.tool("fs_list", json!({"include_ignored": true})).unwrap();
        assert_eq!(reply.data["ignored_count"], json!(1), "`.git` is left out of every list");
        let reply = world.tool("fs_list", json!({"glob": "*.rs", "depth": 9})).unwrap();
        assert_eq!(paths(&reply), ["b/x.rs", "b/deep/y.rs"]);
    }

    #[test]
    fn pages_join_to_the_whole() {
        let world = forest();
        let whole = world.tool("fs_list", json!({"depth": 5})).unwrap();
        let mut joined: Vec<String> = Vec::new();
        let mut arguments = json!({"depth": 5, "limit": 3});
        loop {
            let page = world.tool("fs_list", arguments).unwrap();
            joined.extend(paths(&page).into_iter().map(str::to_owned));
            let Some(truncated) = page.truncated else { break };
            arguments = truncated.next.unwrap().args;
        }
        assert_eq!(joined, paths(&whole));
    }

    #[test]
    fn a_page_ends_where_its_text_ends() {
        let world = World::new();
        let long = "a name that is long ".repeat(10);
        for number in 0..600 {
            world.write(&format!("{}/{long}{number:03}", ["d", "d/e"][number % 2]), "");
        }
        let (mut entries, mut text) = (Vec::new(), String::new());
        let mut arguments = json!({"path": "d", "depth": 2, "limit": 500});
        loop {
            let page = world.tool("fs_list", arguments).unwrap();
            entries.extend(paths(&page).into_iter().map(str::to_owned));
            text.push_str(&page.text);
            let Some(truncated) = &page.truncated else { break };
            assert_eq!(truncated.shown, paths(&page).len() as u64);
            arguments = truncated.next.clone().unwrap().args;
        }
        assert_eq!(entries.len(), 601);
        for number in 0..600 {
            assert_eq!(text.matches(&format!("{long}{number:03}\n")).count(), 1, "{number}");
        }
    }

    #[test]
    fn a_glob_chooses_or_leaves_out() {
        let world = World::new();
        for path in ["a.rs", "src/b.rs", "src/n/c.txt", "out/d/e.txt"] {
            world.write(path, "");
        }
        let listed = |glob: &str| {
            let reply = world.tool("fs_list", json!({"depth": 5, "glob": glob})).unwrap();
            paths(&reply).join(" ")
        };
        assert_eq!(listed("*.rs"), "a.rs src/b.rs");
        assert_eq!(listed("./src/*"), "src/b.rs src/n");
        assert_eq!(listed("!*.rs"), "out src out/d src/n out/d/e.txt src/n/c.txt");
        assert_eq!(listed("!out"), "a.rs src src/b.rs src/n src/n/c.txt");
        assert_eq!(listed("!src/n/**"), "a.rs out src out/d src/b.rs src/n out/d/e.txt");
        // From where it lists or from the root; as deep as it says, where nothing else does.
        let at = |arguments| paths(&world.tool("fs_list", arguments).unwrap()).join(" ");
        assert_eq!(at(json!({"path": "src", "glob": "src/**/*.txt"})), "src/n/c.txt");
        assert_eq!(at(json!({"path": "src", "glob": "n/*"})), "src/n/c.txt");
        assert_eq!(at(json!({"path": "src", "glob": "!src/n"})), "src/b.rs");
        assert_eq!(at(json!({"glob": "**/*.rs"})), "a.rs src/b.rs");
        assert_eq!(at(json!({"glob": "*.rs"})), "a.rs");
        // As `search_glob` takes them.
        assert_eq!(at(json!({"glob": "/src/**/*.txt"})), "src/n/c.txt");
        assert_eq!(at(json!({"glob": "/*.rs"})), "a.rs");
        assert_eq!(at(json!({"glob": "src/"})), "src");
        assert_eq!(at(json!({"glob": "src/*/"})), "src/n");
        assert_eq!(at(json!({"glob": "!src/"})), at(json!({"glob": "!src"})));
        assert_eq!(at(json!({"glob": "!a.rs/"})), at(json!({})));
        assert_eq!(at(json!({"glob": "**.rs"})), "a.rs src/b.rs");
        let none = world.tool("fs_list", json!({"glob": "src/*.txt", "depth": 1})).unwrap();
        assert!(none.text.contains("nothing matches `src/*.txt` in 1 level; search_glob"), "{}", none.text);
        let error = world.tool("fs_list", json!({"glob": "!"})).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgs);
    }

    #[test]
    fn a_link_to_nothing_is_told_as_one() {
        let world = World::new();
        std::os::unix::fs::symlink("nope", world.root().join("link")).unwrap();
        for tool in ["fs_list", "fs_read"] {
            let error = world.tool(tool, json!({"path": "link"})).unwrap_err();
            assert_eq!(error.message, "`link` is a link to `nope`, which does not exist", "{tool}");
        }
    }

    #[test]
    fn a_file_is_described() {
        let world = World::new();
        world.write("f", "a\r\nb\r\n");
        let reply = world.tool("fs_list", json!({"path": "f"})).unwrap();
        let facts = &reply.data["file"];
        assert_eq!(
            (&facts["type"], &facts["size"], &facts["lines"], &facts["eol"], &facts["encoding"]),
            (&json!("file"), &json!(6), &json!(2), &json!("crlf"), &json!("utf-8"))
        );
        assert_eq!(reply.etag.unwrap(), Etag::of(b"a\r\nb\r\n").as_str());
        let detail = world.tool("fs_list", json!({"detail": true})).unwrap();
        assert!(detail.text.starts_with("f  6 bytes  20"), "{}", detail.text);
    }
}

mod fs_write {
    use super::*;

    fn write(world: &World, arguments: Value) -> Result<Reply<Value>, ToolError> {
        world.tool("fs_write", arguments)
    }

    #[test]
    fn a_new_file_gets_its_folders() {
        let world = World::new();
        let reply = write(&world, json!({"path": "a/b/c.txt", "content": "x\ny\n"})).unwrap();
        assert_eq!(reply.text, "Created a/b/c.txt (2 lines, 4 bytes)");
        assert_eq!(
            reply.data,
            json!({"path": "a/b/c.txt", "created": true, "bytes": 4, "lines": 2, "undo": true})
        );
        assert_eq!(reply.etag.unwrap(), Etag::of(b"x\ny\n").as_str());
        assert_eq!(bytes(&world, "a/b/c.txt"), b"x\ny\n");
        assert_eq!(
            std::fs::read_dir(world.root().join("a/b")).unwrap().count(),
            1,
            "a temporary file was left"
        );
    }

    #[test]
    fn an_existing_file_is_not_overwritten_by_accident() {
        let world = World::new();
        world.write("f", "old\n");
        let error = write(&world, json!({"path": "f", "content": "new"})).unwrap_err();
        assert_eq!(error.code, Code::AlreadyExists);
        let stale = json!({"path": "f", "content": "new", "mode": "overwrite", "base_etag": "00"});
        assert_eq!(write(&world, stale).unwrap_err().code, Code::Stale);
        let gone = json!({"path": "g", "content": "new", "mode": "overwrite", "base_etag": "00"});
        assert_eq!(write(&world, gone).unwrap_err().code, Code::Stale);
        let same = json!({"path": "f", "content": "old\n", "mode": "overwrite"});
        assert_eq!(write(&world, same).unwrap_err().code, Code::NoChange);
        assert_eq!(bytes(&world, "f"), b"old\n");
        let etag = Etag::of(b"old\n");
        let good = json!({"path": "f", "content": "new", "mode": "overwrite", "base_etag": etag.as_str()});
        let reply = write(&world, good).unwrap();
        assert!(reply.text.contains("-old\n+new\n\\ No newline at end of file\n"), "{}", reply.text);
    }

    #[test]
    fn tiers_follow_what_would_happen() {
        let world = World::new();
        world.write("f", "old\n");
        world.write("package.json", "{}\n");
        let etag = Etag::of(b"old\n");
        let tier = |arguments| tier(&world.call, "fs_write", arguments);
        assert_eq!(tier(json!({"path": "g", "content": "x"})), Tier::Batch);
        assert_eq!(tier(json!({"path": "f", "content": "x", "mode": "append"})), Tier::Batch);
        let overwrite = json!({"path": "f", "content": "x", "mode": "overwrite"});
        assert_eq!(tier(overwrite.clone()), Tier::Individual);
        let mut known = overwrite;
        known["base_etag"] = json!(etag.as_str());
        assert_eq!(tier(known), Tier::Batch);
        assert_eq!(tier(json!({"path": "g", "content": "x", "executable": true})), Tier::Individual);
        assert_eq!(tier(json!({"path": "package.json", "content": "x", "mode": "append"})), Tier::Individual);
    }

    #[test]
    fn a_plan_shows_what_will_be_there() {
        let world = World::new();
        world.write("f", "a\nb\n");
        let change = change(&world, "fs_write", json!({"path": "f", "content": "c\n", "mode": "append"}));
        assert_eq!(
            (change.op, change.added, change.removed, change.undoable),
            (ChangeOp::Append, 1, 0, true)
        );
        assert_eq!(change.before_etag, Some(Etag::of(b"a\nb\n")));
        assert_eq!(change.after_etag, Some(Etag::of(b"a\nb\nc\n")));
        assert_eq!(change.hunks[0].lines, [" a", " b", "+c"]);
        assert_eq!(bytes(&world, "f"), b"a\nb\n", "planning changed the file");
    }

    #[test]
    fn what_is_added_begins_a_line_of_its_own() {
        let world = World::new();
        for (before, added, after) in [
            ("flask\nrequests", "numpy\n", "flask\nrequests\nnumpy\n"),
            ("flask\r\nrequests", "numpy\n", "flask\r\nrequests\r\nnumpy\r\n"),
            ("node_modules", "dist", "node_modules\ndist"),
            ("\u{feff}a", "b\r\n", "\u{feff}a\r\nb\r\n"),
        ] {
            world.write("f", before);
            let reply = write(&world, json!({"path": "f", "content": added, "mode": "append"})).unwrap();
            assert_eq!(String::from_utf8(bytes(&world, "f")).unwrap(), after);
            assert!(
                reply.warnings.iter().any(|said| said.contains("had no line end")),
                "{:?}",
                reply.warnings
            );
        }
        for (before, added) in
            [("a\n", "b\n"), ("a", "\nb\n"), ("", "b\n"), ("a\r", "b\n"), ("\u{feff}", "b\n")]
        {
            world.write("f", before);
            let reply = write(&world, json!({"path": "f", "content": added, "mode": "append"})).unwrap();
            assert_eq!(String::from_utf8(bytes(&world, "f")).unwrap(), format!("{before}{added}"));
            assert_eq!(reply.warnings, [""; 0]);
        }
    }

    #[test]
    fn encoding_line_ends_and_mode_stay() {
        let world = World::new();
        let path = world.write("f", b"\xef\xbb\xbfa\r\nb\r\n");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o4750)).unwrap();
        write(&world, json!({"path": "f", "content": "x\ny\n", "mode": "overwrite"})).unwrap();
        assert_eq!(bytes(&world, "f"), b"\xef\xbb\xbfx\r\ny\r\n");
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o750, "set-id is not kept");
        write(&world, json!({"path": "f", "content": "z\n", "mode": "append", "eol": "lf"})).unwrap();
        assert_eq!(bytes(&world, "f"), b"\xef\xbb\xbfx\r\ny\r\nz\n");
        write(&world, json!({"path": "f", "content": "\u{feff}y\n", "mode": "overwrite"})).unwrap();
        assert_eq!(bytes(&world, "f"), b"\xef\xbb\xbfy\r\n", "one mark is enough");
        write(&world, json!({"path": "marked", "content": "\u{feff}y\n"})).unwrap();
        assert_eq!(bytes(&world, "marked"), b"\xef\xbb\xbfy\n");
        write(&world, json!({"path": "run", "content": "#!/bin/sh\n", "executable": true})).unwrap();
        assert_eq!(world.root().join("run").metadata().unwrap().mode() & 0o111, 0o111);
        world.write("latin", b"gr\xfc\xdfe an alle\n");
        let arrow = json!({"path": "latin", "content": "→\n", "mode": "append"});
        assert_eq!(write(&world, arrow).unwrap_err().code, Code::EncodingUnsupported);
    }

    #[test]
    fn links_and_hard_links() {
        let world = World::new();
        let path = world.write("real", "old\n");
        symlink("real", world.root().join("link")).unwrap();
        std::fs::hard_link(&path, world.outside().join("other")).unwrap();
        let reply = write(&world, json!({"path": "link", "content": "new\n", "mode": "overwrite"})).unwrap();
        assert!(world.root().join("link").is_symlink());
        assert_eq!((bytes(&world, "real"), reply.data["path"].as_str()), (b"new\n".to_vec(), Some("real")));
        assert_eq!(std::fs::read(world.outside().join("other")).unwrap(), b"old\n");
        assert!(reply.warnings[0].contains("hard link"), "{:?}", reply.warnings);
        std::fs::create_dir(world.root().join("d")).unwrap();
        symlink("../new/deep", world.root().join("d/dangling")).unwrap();
        write(&world, json!({"path": "d/dangling", "content": "x"})).unwrap();
        assert_eq!(bytes(&world, "new/deep"), b"x");
        symlink("../outside/new", world.root().join("out")).unwrap();
        let error = write(&world, json!({"path": "out", "content": "x"})).unwrap_err();
        assert_eq!(error.code, Code::OutsideWorkspace);
        assert!(!world.outside().join("new").exists());
    }

    #[test]
    fn a_placeholder_is_pointed_out() {
        let world = World::new();
        let reply = write(&world, json!({"path": "f", "content": "a\n// ... existing code ...\n"})).unwrap();
        assert!(reply.warnings[0].contains("line 2"), "{:?}", reply.warnings);
    }

    #[test]
    fn a_read_only_workspace_stays_as_it_is() {
        use outrigger::{config::WorkspaceEntry, workspace::Workspace};
        let world = World::new();
        world.write("f", "a\n");
        let entry = WorkspaceEntry {
            id: "ro".into(),
            path: world.root(),
            read_only: true,
            closed_by: None,
            place: outrigger::config::Place::default(),
        };
        let rules = world.call.law.paths().clone();
        let mut call = world.call.clone();
        call.workspace = std::sync::Arc::new(Workspace::open(&entry, rules.into()).unwrap());
        let error = crate::world::run(&call, "fs_write", json!({"path": "g", "content": "x"})).unwrap_err();
        assert_eq!(error.code, Code::PermissionDenied);
        assert!(!world.root().join("g").exists());
    }
}

#[test]
fn a_file_does_not_get_the_name_of_a_folder() {
    let world = World::new();
    world.write("f", "a\n");
    world.write("d/g", "");
    let patch = |line: &str| json!({"patch": format!("*** Begin Patch\n{line}\n*** End Patch\n")});
    for (tool, arguments) in [
        ("fs_write", json!({"path": "new/", "content": ""})),
        ("fs_write", json!({"path": "new/.", "content": ""})),
        ("fs_edit", json!({"path": "new/", "edits": [{"old_text": "", "new_text": "a"}]})),
        ("fs_move", json!({"from": "f", "to": "new/"})),
        ("fs_move", json!({"from": "f", "to": "new/.", "copy": true})),
        ("fs_apply_patch", patch("*** Add File: new/\n+a")),
        ("fs_apply_patch", patch("*** Update File: f\n*** Move to: new/")),
    ] {
        let error = world.tool(tool, arguments.clone()).unwrap_err();
        assert_eq!(error.code, Code::WrongType, "{tool} {arguments}");
        assert!(error.message.contains("names a folder") && !world.root().join("new").exists(), "{error}");
    }
    world.tool("fs_move", json!({"from": "d", "to": "new/"})).unwrap();
    world.tool("fs_move", json!({"from": "f", "to": "new/f"})).unwrap();
}

mod fs_edit {
    use super::*;

    #[test]
    fn an_edit_says_what_it_did() {
        let world = World::new();
        world.write("f.js", "function sum(a, b) {\n  return a - b;\n}\n");
        let reply = edit(&world, "f.js", json!([{"old_text": "a - b", "new_text": "a + b"}])).unwrap();
        assert_eq!(
            reply.text,
            "Edited f.js (+1 −1)\n--- a/f.js\n+++ b/f.js\n@@ -1,3 +1,3 @@\n function sum(a, b) {\n-  return a - b;\n+  return a + b;\n }\n"
        );
        assert_eq!(
            reply.data,
            json!({"path": "f.js", "edits": [{"match": "exact", "count": 1, "line": 2}], "added": 1, "removed": 1, "undo": true})
        );
        assert_eq!(reply.matched.as_deref(), Some("exact"));
        assert_eq!(reply.etag.unwrap(), Etag::of(&bytes(&world, "f.js")).as_str());
    }

    #[test]
    fn a_second_place_within_the_first_is_one_at_every_level() {
        let world = World::new();
        let edit = |more: Value| {
            world.write("f", "}\n}\n}\n");
            let mut wanted = json!({"old_text": "} \n}\n", "new_text": "x\n"});
            wanted.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            edit(&world, "f", json!([wanted])).map_err(|error| error.code).map(|_| bytes(&world, "f"))
        };
        assert_eq!(edit(json!({})), Err(Code::AmbiguousMatch));
        assert_eq!(edit(json!({"near_line": 1})), Ok(b"x\n}\n".to_vec()));
        assert_eq!(edit(json!({"near_line": 2})), Ok(b"}\nx\n".to_vec()));
        assert_eq!(edit(json!({"replace_all": true})), Ok(b"x\n}\n".to_vec()));
        // But for the indentation, there are more of them; each that is free is replaced.
        world.write("g", "  }\n  }\n  }\n  }\n  }\nend\n    }\n    }\n");
        let edits = json!([{"old_text": "}\n}\n", "new_text": "x\n", "replace_all": true}]);
        let reply = super::edit(&world, "g", edits).unwrap();
        assert_eq!(bytes(&world, "g"), b"  x\n  x\n  }\nend\n    x\n");
        assert_eq!(reply.data["edits"][0]["count"], 3);
    }

    #[test]
    fn an_edit_is_an_object() {
        let world = World::new();
        world.write("f", "aaa\n");
        let right = json!({"old_text": "aaa", "new_text": "bbb"});
        for (edits, place, reason) in [
            (json!([["aaa", "ccc"]]), "edits[0]", "a list, expected an object"),
            (json!([right, ["aaa", "ccc"]]), "edits[1]", "a list, expected an object"),
            (json!(["aaa"]), "edits[0]", "string \"aaa\", expected an object"),
            (json!([7]), "edits[0]", "integer `7`, expected an object"),
            (json!("[[\"aaa\", \"ccc\"]]"), "edits[0]", "a list, expected an object"),
            (json!(true), "edits", "boolean `true`, expected a list"),
            (json!([{"old_text": "aaa", "new_text": []}]), "edits[0].new_text", "a list, expected a string"),
        ] {
            let error = edit(&world, "f", edits.clone()).unwrap_err();
            assert_eq!(error.code, Code::InvalidArgs, "{edits}");
            assert!(error.message.contains(&format!("at `{place}`: ")), "{}", error.message);
            assert!(error.message.ends_with(reason), "{}", error.message);
            assert!(error.hint.contains("takes "), "{}", error.hint);
        }
        assert_eq!(bytes(&world, "f"), b"aaa\n");
        edit(&world, "f", json!([right])).unwrap();
    }

    #[test]
    fn a_wrong_byte_in_utf_8_is_no_other_encoding() {
        let world = World::new();
        let before = ["日本語\n".as_bytes(), b"torn \xff\xe6 here\n", b"foo\n"].concat();
        world.write("f", &before);
        let seen = world.tool("fs_read", json!({"path": "f"})).unwrap();
        assert!(seen.text.contains("1|日本語\n   2|torn \u{fffd}\u{fffd} here\n"), "{}", seen.text);
        assert_eq!(
            (seen.data["encoding"].as_str(), seen.warnings.len()),
            (Some("utf-8 with invalid bytes"), 1)
        );
        let edits = json!([{"old_text": "foo", "new_text": "é日"}, {"old_text": "torn", "new_text": "Torn"}]);
        let shown = edit(&world, "f", edits).unwrap().text;
        assert!(
            shown.contains("-torn \u{fffd}\u{fffd} here\n-foo\n+Torn \u{fffd}\u{fffd} here\n"),
            "{shown}"
        );
        let expected = ["日本語\n".as_bytes(), b"Torn \xff\xe6 here\n", "é日\n".as_bytes()].concat();
        assert_eq!(bytes(&world, "f"), expected);
        let patch = "*** Begin Patch\n*** Update File: f\n@@\n-é日\n+語\n*** End Patch\n";
        let shown = change(&world, "fs_apply_patch", json!({"patch": patch}));
        assert_eq!(shown.hunks[0].lines, [" 日本語", " Torn \u{fffd}\u{fffd} here", "-é日", "+語"]);
        world.tool("fs_apply_patch", json!({"patch": patch})).unwrap();
        let expected = ["日本語\n".as_bytes(), b"Torn \xff\xe6 here\n", "語\n".as_bytes()].concat();
        assert_eq!(bytes(&world, "f"), expected);
        world.tool("fs_write", json!({"path": "f", "content": "行\n", "mode": "append"})).unwrap();
        assert_eq!(bytes(&world, "f"), [expected.as_slice(), "行\n".as_bytes()].concat());
        // As fs_read shows it, it cannot be given back.
        let error = edit(&world, "f", json!([{"old_text": "Torn \u{fffd}", "new_text": "x"}])).unwrap_err();
        assert_eq!(error.code, Code::NoMatch);
        let error =
            edit(&world, "f", json!([{"old_text": "日本語\nTorn it here", "new_text": "x"}])).unwrap_err();
        assert!(error.candidates[0].contains("\"Torn \u{fffd}\u{fffd} here\""), "{:?}", error.candidates);
    }

    #[test]
    fn all_or_nothing() {
        let world = World::new();
        world.write("f", "one\ntwo\nthree\n");
        let edits = json!([{"old_text": "one", "new_text": "1"}, {"old_text": "four", "new_text": "4"}]);
        assert_eq!(edit(&world, "f", edits).unwrap_err().code, Code::NoMatch);
        assert_eq!(bytes(&world, "f"), b"one\ntwo\nthree\n");
        // Edits see the file as it is, not what the edit before made of it.
        let edits = json!([{"old_text": "one", "new_text": "two"}, {"old_text": "two", "new_text": "one"}]);
        edit(&world, "f", edits).unwrap();
        assert_eq!(bytes(&world, "f"), b"two\none\nthree\n");
    }

    #[test]
    fn refusals_say_what_was_found() {
        let world = World::new();
        world.write("f", "a();\nb();\na();\n\tindented();\n");
        let error = edit(&world, "f", json!([{"old_text": "a();", "new_text": "c();"}])).unwrap_err();
        assert_eq!(error.code, Code::AmbiguousMatch);
        assert!(error.message.contains("2 times, at lines 1, 3"), "{error}");
        let error = edit(&world, "f", json!([{"old_text": "    indented();", "new_text": "x"}])).unwrap_err();
        assert_eq!(error.code, Code::NoMatch);
        assert!(
            error.candidates[0].starts_with("line 4: first difference at line 4, column 1"),
            "{:?}",
            error.candidates
        );
        let same = json!([{"old_text": "b();", "new_text": "b();"}]);
        assert_eq!(edit(&world, "f", same).unwrap_err().code, Code::NoChange);
        let overlap =
            json!([{"old_text": "a();\nb", "new_text": "x"}, {"old_text": "b();", "new_text": "y"}]);
        let error = edit(&world, "f", overlap).unwrap_err();
        assert!(
            error.code == Code::InvalidArgs && error.message.contains("edits 1 and 2 overlap"),
            "{error}"
        );
        for empty in [json!([]), json!([{"old_text": "", "new_text": "x"}])] {
            assert_eq!(edit(&world, "f", empty).unwrap_err().code, Code::InvalidArgs);
        }
        let eight = "x".repeat(8 * 1024 * 1024);
        let long = json!([{"old_text": "b();", "new_text": eight}]);
        let error = edit(&world, "f", long).unwrap_err();
        assert_eq!(
            (error.code, error.hint.as_str()),
            (Code::TooLarge, "put less into it, or the rest into another file")
        );
        let new = json!([{"old_text": "", "new_text": format!("{eight}x")}]);
        assert_eq!(edit(&world, "new", new).unwrap_err().code, Code::TooLarge);
        // More than any memory holds.
        world.write("many", "ab\n".repeat(2_000_000));
        let many = json!([{"old_text": "ab", "new_text": "y".repeat(1024 * 1024), "replace_all": true}]);
        assert_eq!(edit(&world, "many", many).unwrap_err().code, Code::TooLarge);
        world.write("bin", b"\0\x01\x02");
        let binary = json!([{"old_text": "a", "new_text": "b"}]);
        assert_eq!(edit(&world, "bin", binary.clone()).unwrap_err().code, Code::BinaryFile);
        assert_eq!(edit(&world, "none", binary).unwrap_err().code, Code::NotFound);
    }

    #[test]
    fn one_of_several_or_all() {
        let world = World::new();
        world.write("f", "x\n.\n.\nx\n.\n.\nx\n");
        edit(&world, "f", json!([{"old_text": "x", "new_text": "y", "near_line": 5}])).unwrap();
        assert_eq!(bytes(&world, "f"), b"x\n.\n.\ny\n.\n.\nx\n");
        // As far from one as from the other: nobody knows.
        let between = json!([{"old_text": "x", "new_text": "z", "near_line": 4}]);
        assert_eq!(edit(&world, "f", between).unwrap_err().code, Code::AmbiguousMatch);
        let reply =
            edit(&world, "f", json!([{"old_text": "x", "new_text": "z", "replace_all": true}])).unwrap();
        assert_eq!(
            (bytes(&world, "f"), &reply.data["edits"][0]["count"]),
            (b"z\n.\n.\ny\n.\n.\nz\n".to_vec(), &json!(2))
        );
    }

    #[test]
    fn white_space_at_line_ends_is_overlooked_unless_strict() {
        let world = World::new();
        world.write("f", "a {  \n  b\t\n}\nrest  \n");
        let edits = json!([{"old_text": "a {\n  b\n}", "new_text": "a {\n  c\n}"}]);
        let strict = json!({"path": "f", "edits": edits, "strict": true});
        assert_eq!(world.tool("fs_edit", strict).unwrap_err().code, Code::NoMatch);
        let reply = edit(&world, "f", edits).unwrap();
        assert_eq!(bytes(&world, "f"), b"a {  \n  c\n}\nrest  \n");
        assert_eq!(reply.matched.as_deref(), Some("trailing_ws"));
        assert!(reply.warnings[0].contains("line 1"), "{:?}", reply.warnings);
    }

    #[test]
    fn a_changed_file_takes_only_what_is_beyond_doubt() {
        let world = World::new();
        world.write("f", "one\ntwo\nthree \n");
        let with = |edits: Value| json!({"path": "f", "edits": edits, "base_etag": "0123"});
        for doubtful in [
            json!([{"old_text": "three\n", "new_text": "3\n"}]),
            json!([{"old_text": "o", "new_text": "0", "near_line": 1}]),
            json!([{"old_text": "gone", "new_text": "x"}]),
            json!([{"old_text": "", "new_text": "x", "insert_at": 1}]),
        ] {
            let error = world.tool("fs_edit", with(doubtful.clone())).unwrap_err();
            assert_eq!(error.code, Code::Stale, "{doubtful}");
            assert!(error.hint.contains("|two"), "no excerpt: {}", error.hint);
        }
        let reply = world.tool("fs_edit", with(json!([{"old_text": "two", "new_text": "2"}]))).unwrap();
        assert!(reply.warnings[0].starts_with("changed_since_read"), "{:?}", reply.warnings);
        assert_eq!(bytes(&world, "f"), b"one\n2\nthree \n");
    }

    #[test]
    fn lines_are_inserted_and_files_begun() {
        let world = World::new();
        world.write("f", "a\r\nb\r\n");
        edit(&world, "f", json!([{"old_text": "", "new_text": "new", "insert_at": 2}])).unwrap();
        assert_eq!(bytes(&world, "f"), b"a\r\nnew\r\nb\r\n");
        let far = json!([{"old_text": "", "new_text": "x", "insert_at": 9}]);
        assert_eq!(edit(&world, "f", far).unwrap_err().code, Code::InvalidArgs);
        let reply = edit(&world, "new/g", json!([{"old_text": "", "new_text": "x\n"}])).unwrap();
        assert!(reply.text.starts_with("Created new/g (+1 −0)"), "{}", reply.text);
        assert_eq!(bytes(&world, "new/g"), b"x\n");
    }

    #[test]
    fn a_line_in_an_empty_file_ends_as_the_house_wants() {
        let world = World::new();
        let insert = |text: &str, at: u32| json!([{"old_text": "", "new_text": text, "insert_at": at}]);
        world.write("e", "");
        edit(&world, "e", insert("x", 1)).unwrap();
        assert_eq!(bytes(&world, "e"), b"x\n");
        world.write(".editorconfig", "[*]\nend_of_line = crlf\n");
        for (before, at, after) in
            [("", 1, &b"x\r\ny\r\n"[..]), ("a", 1, b"x\r\ny\r\na"), ("a\n", 1, b"x\ny\na\n")]
        {
            world.write("e", before);
            edit(&world, "e", insert("x\ny", at)).unwrap();
            assert_eq!(bytes(&world, "e"), after, "{before:?}");
        }
    }

    #[test]
    fn a_word_for_code_that_was_left_out_is_pointed_out() {
        let world = World::new();
        let new = "a\n# ... existing code ...\n";
        for (old, told) in [("q\ny\n", true), ("q\n# ... existing code ...\n", false)] {
            world.write("f", old);
            let edits = json!([{"old_text": "q", "new_text": "z"}, {"old_text": &old[1..], "new_text": new}]);
            let warnings = edit(&world, "f", edits).unwrap().warnings;
            assert_eq!(warnings.len(), usize::from(told), "{warnings:?}");
            let words = "line 2 of `new_text` of edit 2 (`# ... existing code ...`) looks like a placeholder";
            assert!(warnings.iter().all(|warning| warning.starts_with(words)), "{warnings:?}");
        }
    }

    #[test]
    fn a_nul_is_written_and_pointed_out() {
        let world = World::new();
        world.write("f", "a\n");
        let edits = json!([{"old_text": "a", "new_text": "a\0b"}]);
        let reply = edit(&world, "f", edits).unwrap();
        assert_eq!(reply.warnings, ["`new_text` of edit 1 has a NUL: other tools take the file for binary"]);
        assert_eq!(bytes(&world, "f"), b"a\0b\n");
        let reply = edit(&world, "g", json!([{"old_text": "", "new_text": "\0"}])).unwrap();
        assert!(reply.warnings[0].contains("has a NUL"), "{:?}", reply.warnings);
        let patch = "*** Begin Patch\n*** Add File: h\n+a\0b\n*** End Patch\n";
        let reply = world.tool("fs_apply_patch", json!({"patch": patch})).unwrap();
        assert!(reply.warnings[0].contains("has a NUL"), "{:?}", reply.warnings);
    }

    #[test]
    fn a_file_that_changes_after_the_plan_is_left_alone() {
        let world = World::new();
        world.write("f", "one\n");
        let tool = find("fs_edit");
        let arguments = json!({"path": "f", "edits": [{"old_text": "one", "new_text": "1"}]});
        let prepared = tool.prepare(arguments.clone(), &world.call).unwrap();
        let permit = permit(&world.call, tool, &arguments, &prepared.intent).unwrap();
        world.write("f", "one and more\n");
        assert_eq!(prepared.run(&permit, &world.call).unwrap_err().code, Code::Stale);
        assert_eq!(bytes(&world, "f"), b"one and more\n");
    }

    fn line() -> impl Strategy<Value = String> {
        let end = prop_oneof![4 => Just("\n"), 3 => Just("\r\n"), 1 => Just("\r\r\n"), 1 => Just("\r")];
        ("[ab é\t]{0,6}", end).prop_map(|(text, end)| format!("{text}{end}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever the file: replacing a marked text changes the mark, and not one byte else.
        #[test]
        fn bytes_outside_the_edit_never_change(
            before in proptest::collection::vec(line(), 0..8),
            after in proptest::collection::vec(line(), 0..8),
            around in ("[ab]{0,3}", "[ab]{0,3}"),
            inner in proptest::collection::vec(prop_oneof![Just("\n"), Just("\r\n")], 0..3),
            new in proptest::collection::vec("[xyz]{0,3}", 1..5),
            bom in any::<bool>(),
            wide in any::<bool>(),
            ended in any::<bool>(),
        ) {
            let world = World::new();
            let mark: String = std::iter::once("<M").chain(inner.iter().copied()).chain(["W>"]).collect();
            let (mut head, mut tail) = (before.concat() + &around.0, around.1.clone() + &after.concat());
            if ended { tail.push_str("end") }
            if bom || wide { head.insert(0, '\u{feff}') }
            let encode = |text: &str| -> Vec<u8> {
                if wide { text.encode_utf16().flat_map(u16::to_le_bytes).collect() } else { text.as_bytes().to_vec() }
            };
            world.write("f", encode(&format!("{head}{mark}{tail}")));
            let old = mark.replace("\r\n", "\n");
            let new = format!("<N{}V>", new.join("\n"));
            edit(&world, "f", json!([{"old_text": old, "new_text": new}])).unwrap();
            let written = bytes(&world, "f");
            let (head, tail) = (encode(&head), encode(&tail));
            prop_assert!(written.starts_with(&head) && written.ends_with(&tail));
            let middle = &written[head.len()..written.len() - tail.len()];
            let middle = if wide {
                let units: Vec<u16> = middle.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
                String::from_utf16(&units).unwrap()
            } else {
                String::from_utf8(middle.to_vec()).unwrap()
            };
            prop_assert_eq!(middle.replace("\r\n", "\n"), new);
        }

        /// Context lines that an edit repeats keep their bytes, line ends included.
        #[test]
        fn context_keeps_its_line_ends(ends in proptest::collection::vec(any::<bool>(), 5), changed in 0..5_usize) {
            let world = World::new();
            let end = |crlf: &bool| if *crlf { "\r\n" } else { "\n" };
            let file = |with: &str| -> String {
                let line = |index: usize| if index == changed { with.to_owned() } else { format!("l{index}") };
                let lines: Vec<String> =
                    ends.iter().enumerate().map(|(index, crlf)| line(index) + end(crlf)).collect();
                lines.concat()
            };
            world.write("f", file("old"));
            let view = |with: &str| file(with).replace("\r\n", "\n");
            edit(&world, "f", json!([{"old_text": view("old"), "new_text": view("new")}])).unwrap();
            prop_assert_eq!(String::from_utf8(bytes(&world, "f")).unwrap(), file("new"));
        }
    }
}

mod workspace_info {
    use super::*;

    #[test]
    fn it_names_what_a_model_has_to_know() {
        let world = World::new();
        world.write(".git/HEAD", "ref: refs/heads/trunk\n");
        let reply = world.tool("workspace_info", json!({"detail": true})).unwrap();
        assert_eq!(reply.data["roots"][0]["branch"], "trunk");
        assert_eq!(reply.data["roots"][0]["default"], true);
        assert!(reply.text.contains("(default, git branch trunk)"), "{}", reply.text);
        assert!(reply.text.contains("blocked: ") && reply.text.contains(".env"), "{}", reply.text);
        let short = world.tool("workspace_info", json!({})).unwrap();
        assert!(short.text.len() < reply.text.len());
    }
}

#[test]
fn a_change_at_a_name_that_looks_secret_is_asked_by_itself() {
    let world = World::new();
    let path = "secrets.json";
    world.write(path, "{\"key\": \"hunter2\"}\n");
    let etag = Etag::of(&bytes(&world, path)).as_str().to_owned();
    world.write("plain.txt", "a\n");
    world.write("folder/deep/credentials.json", "{}\n");
    symlink(path, world.root().join("link")).unwrap();
    let insertion = json!([{"old_text": "", "new_text": "x\n", "insert_at": 1}]);
    let patch = |path: &str| format!("*** Begin Patch\n*** Update File: {path}\n@@\n+x\n*** End Patch\n");
    let asked = |tool: &str, arguments: Value| {
        let plan = world.plan(tool, arguments.clone()).unwrap().unwrap();
        let reason = |reason: &&String| reason.ends_with("is named as if it held a secret");
        let reason = plan.reasons.iter().find(reason).map(String::as_str).unwrap_or_default();
        (plan.tier, reason.split('`').nth(1).unwrap_or_default().to_owned())
    };
    let new = "new-secrets.json";
    let added = format!("*** Begin Patch\n*** Add File: {new}\n+x\n*** End Patch\n");
    let by_itself = |path: &str| (Tier::Individual, path.to_owned());
    for (tool, arguments, named) in [
        ("fs_edit", json!({"path": path, "edits": insertion}), path),
        ("fs_edit", json!({"path": "link", "edits": insertion}), path),
        ("fs_write", json!({"path": path, "content": "x", "mode": "append"}), path),
        ("fs_write", json!({"path": path, "content": "x", "mode": "overwrite", "base_etag": etag}), path),
        ("fs_apply_patch", json!({"patch": patch(path)}), path),
        ("fs_apply_patch", json!({"patch": patch("link")}), path),
        ("fs_move", json!({"from": path, "to": "plain.json"}), path),
        ("fs_move", json!({"from": path, "to": "plain.json", "copy": true}), path),
        ("fs_move", json!({"from": "folder", "to": "other"}), "folder/deep/credentials.json"),
        ("fs_move", json!({"from": "folder", "to": "other", "copy": true}), "folder/deep/credentials.json"),
        ("fs_write", json!({"path": new, "content": "x"}), new),
        ("fs_write", json!({"path": new, "content": "x", "mode": "append"}), new),
        ("fs_edit", json!({"path": new, "edits": [{"old_text": "", "new_text": "x"}]}), new),
        ("fs_apply_patch", json!({"patch": added}), new),
        ("fs_move", json!({"from": "plain.txt", "to": new}), new),
        ("fs_move", json!({"from": "plain.txt", "to": new, "copy": true}), new),
    ] {
        assert_eq!(asked(tool, arguments.clone()), by_itself(named), "{tool} {arguments}");
    }
    // A link shows nothing under another name.
    for (tool, arguments) in [
        ("fs_edit", json!({"path": "plain.txt", "edits": insertion})),
        ("fs_move", json!({"from": "link", "to": "other"})),
    ] {
        assert_eq!(asked(tool, arguments.clone()), (Tier::Batch, String::new()), "{tool} {arguments}");
    }
}

#[test]
fn a_move_that_may_replace_something_is_asked_by_itself_whatever_is_there() {
    let world = World::new();
    world.write("a", "a\n");
    world.write("there", "b\n");
    for (to, copy, overwrite, tier_then) in [
        ("there", false, true, Tier::Individual),
        ("free", false, true, Tier::Individual),
        ("free", true, true, Tier::Individual),
        ("free", false, false, Tier::Batch),
        ("free", true, false, Tier::Batch),
    ] {
        let arguments = json!({"from": "a", "to": to, "copy": copy, "overwrite": overwrite});
        assert_eq!(tier(&world.call, "fs_move", arguments), tier_then, "{to} {copy} {overwrite}");
    }
}

#[test]
fn schemas_are_flat_and_descriptions_short() {
    let world = World::new();
    for tool in outrigger::tools::catalog() {
        let spec = tool.spec();
        let words = spec.description.split_whitespace().count();
        assert!(words <= 60, "{}: {words} words", spec.name);
        let schema = Value::Object(tool.input_schema(&world.call.law)).to_string();
        for union in ["oneOf", "anyOf", "allOf", "$ref", "null"] {
            assert!(!schema.contains(union), "{}: {union} in {schema}", spec.name);
        }
    }
}

#[test]
fn nothing_is_written_under_the_name_of_a_handle() {
    let world = World::new();
    world.write("a.txt", "a\n");
    let handle = world.call.handles.keep("kept").unwrap();
    let patch = format!("*** Begin Patch\n*** Add File: {handle}\n+x\n*** End Patch\n");
    let moved = format!("*** Begin Patch\n*** Update File: a.txt\n*** Move to: {handle}\n*** End Patch\n");
    for (tool, arguments) in [
        ("fs_write", json!({"path": handle, "content": "x"})),
        ("fs_write", json!({"path": handle, "content": "x", "mode": "append"})),
        ("fs_edit", json!({"path": handle, "edits": [{"old_text": "", "new_text": "x"}]})),
        ("fs_edit", json!({"path": handle, "edits": [{"old_text": "kept", "new_text": "x"}]})),
        ("fs_apply_patch", json!({"patch": patch})),
        ("fs_apply_patch", json!({"patch": moved})),
        ("fs_move", json!({"from": "a.txt", "to": handle})),
        ("fs_move", json!({"from": "a.txt", "to": handle, "copy": true})),
        ("fs_mkdir", json!({"path": handle})),
        ("fs_delete", json!({"path": handle})),
        ("fs_apply_patch", json!({"patch": patch.replace("Add", "Delete").replace("+x\n", "")})),
        (
            "fs_apply_patch",
            json!({"patch": format!("--- a/{handle}\n+++ b/{handle}\n@@ -1 +1 @@\n-kept\n+x\n")}),
        ),
        ("fs_list", json!({"path": handle})),
    ] {
        let error = world.plan(tool, arguments.clone()).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgs, "{tool} {arguments}");
        assert!(error.message.contains("is a handle, which can only be read"), "{}", error.message);
    }
    assert!(world.plan("fs_write", json!({"path": "out:put", "content": "x"})).is_ok());
}

#[test]
fn a_plan_shows_the_permissions_and_one_with_others_is_another_plan() {
    let world = World::new();
    let script = world.write("run.sh", "one\n");
    world.write("old.sh", "one\n");
    let set = |mode: u32| std::fs::set_permissions(&script, std::fs::Permissions::from_mode(mode)).unwrap();
    let update =
        |to: &str| format!("*** Begin Patch\n*** Update File: run.sh\n{to}@@\n-one\n+two\n*** End Patch\n");
    for (tool, arguments) in [
        ("fs_edit", json!({"path": "run.sh", "edits": [{"old_text": "one", "new_text": "two"}]})),
        ("fs_write", json!({"path": "run.sh", "content": "two\n", "mode": "overwrite"})),
        ("fs_write", json!({"path": "run.sh", "content": "two\n", "mode": "append"})),
        ("fs_apply_patch", json!({"patch": update("")})),
        ("fs_apply_patch", json!({"patch": update("*** Move to: new.sh\n")})),
        ("fs_move", json!({"from": "run.sh", "to": "new.sh"})),
    ] {
        let planned = |mode: u32| {
            set(mode);
            let plan = world.plan(tool, arguments.clone()).unwrap().unwrap();
            let Preview::Files { files } = plan.preview else { panic!("{tool}") };
            assert!(!files[0].executable, "it stays what it is");
            (files[0].mode.clone().unwrap_or_default(), plan.digest)
        };
        let plans = [0o644, 0o755, 0o600].map(planned);
        assert_eq!(plans.each_ref().map(|(mode, _)| mode.as_str()), ["0644", "0755", "0600"], "{tool}");
        assert!(plans[0].1 != plans[1].1 && plans[0].1 != plans[2].1, "{tool}");
    }
    set(0o755);
    let gone = world.plan("fs_delete", json!({"path": "run.sh"})).unwrap().unwrap();
    let Preview::Files { files } = gone.preview else { panic!() };
    assert_eq!(files[0].mode, None);
}
