//! `fs_read` and `search_grep` of files that are too large to be held: whatever their lines are like and however they are written
//! down, following what the answers say leads to the whole, and what is not whole says so.

use std::fmt::Write as _;

use outrigger::tools::{Code, Reply};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world::World;

const MIB: usize = 1 << 20;

fn read(world: &World, arguments: Value) -> Reply<Value> {
    world.tool("fs_read", arguments).unwrap()
}

/// All lines that a read and its continuations show from `arguments` on, the long ones put together from their pieces.
fn followed(world: &World, mut arguments: Value) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let reply = read(world, arguments.clone());
        let facts = |name: &str| reply.data[name].as_u64().unwrap();
        assert_eq!(facts("start_line"), arguments["start_line"].as_u64().unwrap_or(1));
        let count = (facts("end_line") + 1 - facts("start_line")) as usize;
        let mut pieces = reply.handle.as_deref().map(|handle| pieces(world, handle)).unwrap_or_default();
        for line in reply.text.lines().take(count) {
            let Some((shown, left)) = line.rsplit_once("… (+") else {
                lines.push(line.to_owned());
                continue;
            };
            let left: usize = left.strip_suffix(" characters)").unwrap().parse().unwrap();
            let characters = shown.chars().count() + left;
            let end = pieces.char_indices().nth(characters).map_or(pieces.len(), |(at, _)| at);
            let rest = pieces.split_off(end);
            assert!(pieces.starts_with(shown) && pieces.chars().count() == characters);
            lines.push(std::mem::replace(&mut pieces, rest));
        }
        assert_eq!(pieces, "", "a handle has the lines that were cut, and nothing else");
        let next = reply.truncated.and_then(|truncated| truncated.next).map(|next| next.args);
        match next.filter(|next| next["path"] == arguments["path"]) {
            Some(next) => {
                assert_ne!(next, arguments, "the continuation is another call");
                arguments = next;
            }
            None => return lines,
        }
    }
}

/// What a handle has, without the line ends between its pieces.
fn pieces(world: &World, handle: &str) -> String {
    let mut arguments =
        json!({"path": handle, "line_numbers": false, "limit": 1_000_000, "max_bytes": 16 * MIB});
    let mut all = String::new();
    loop {
        let reply = read(world, arguments);
        let count = reply.data["end_line"].as_u64().unwrap() + 1 - reply.data["start_line"].as_u64().unwrap();
        reply.text.lines().take(count as usize).for_each(|line| all.push_str(line));
        match reply.truncated.and_then(|truncated| truncated.next) {
            Some(next) => arguments = next.args,
            None => return all,
        }
    }
}

#[test]
fn lines_far_behind_others_that_are_long_are_shown() {
    let world = World::new();
    let line = |number: usize| format!("{{\"id\": {number}, \"text\": \"{}\"}}", "lorem ipsum ".repeat(3400));
    let content: String = (1..=1100).map(|number| line(number) + "\n").collect();
    assert!(content.len() > 40 * MIB);
    world.write("d.jsonl", content);
    for (start, first) in [(1000, 1000), (1023, 1023), (1100, 1100), (-1, 1100), (-5, 1096)] {
        let reply = read(&world, json!({"path": "d.jsonl", "start_line": start, "limit": 3}));
        let shown = format!("{first:>4}|{}", &line(first)[..1900]);
        assert!(reply.text.starts_with(&shown), "{start}: {}", reply.text);
        assert_eq!(reply.data["lines_total"], json!(1100));
    }
    let last: Vec<_> = (1050..=1100).map(line).collect();
    let followed = followed(&world, json!({"path": "d.jsonl", "start_line": 1050, "line_numbers": false}));
    assert!(followed == last);
}

#[test]
fn a_line_is_whole_wherever_pieces_end() {
    let world = World::new();
    // What is read at once, and every multiple of it, ends inside of a line.
    for before in [9 * MIB - 6, 33 * MIB - 6] {
        world.write("f", [&b"x".repeat(before), b"\nabcdefghij\nlast\r\n".as_slice()].concat());
        let lines = followed(&world, json!({"path": "f", "line_numbers": false}));
        assert_eq!(lines[0].len(), before);
        assert_eq!(lines[1..], ["abcdefghij", "last"]);
        for (start, text) in [(2, "abcdefghij\nlast\n"), (-2, "abcdefghij\nlast\n"), (3, "last\n")] {
            let reply = read(&world, json!({"path": "f", "start_line": start, "line_numbers": false}));
            assert_eq!((reply.text.as_str(), reply.warnings.len()), (text, 0));
        }
    }
}

#[test]
fn what_is_kept_of_a_long_line_is_all_of_it_or_says_so() {
    let world = World::new();
    let content = |long: usize| {
        let mut content = String::new();
        (1..=1000).for_each(|number| _ = writeln!(content, "line {number}"));
        content.push_str(&"a word, ".repeat(long / 8));
        content.push('\n');
        (0..700_000).for_each(|number| _ = writeln!(content, "tail {number}"));
        content
    };
    for long in [2 * MIB, 20 * MIB] {
        world.write("f", content(long));
        // What is too much beside other lines is the first of another answer.
        let reply = read(&world, json!({"path": "f", "line_numbers": false}));
        let reply = match reply.data["end_line"].as_u64().unwrap() {
            1000 => read(&world, reply.truncated.unwrap().next.unwrap().args),
            _ => reply,
        };
        assert!(reply.text.contains(&format!("… (+{} characters)\n", long - 2000)));
        assert!(reply.warnings[0].ends_with("has all of them, in pieces"), "{:?}", reply.warnings);
        assert_eq!(pieces(&world, &reply.handle.unwrap()).len(), long);
    }
    // More than is kept for a connection.
    let long = 65 * MIB;
    world.write("f", content(long));
    let reply = read(&world, json!({"path": "f", "start_line": 1001, "line_numbers": false}));
    assert!(reply.text.contains(&format!("… (+{} characters)\ntail 0\n", long - 2000)));
    let kept = pieces(&world, &reply.handle.unwrap()).len();
    let says =
        format!("has them in pieces but for the last {} bytes, which a command can cut out", long - kept);
    assert!(reply.warnings[0].ends_with(&says) && kept > 15 * MIB, "{kept} {:?}", reply.warnings);
    assert_eq!(
        read(&world, json!({"path": "f", "start_line": 1002, "limit": 1, "line_numbers": false})).data["end_line"],
        json!(1002)
    );

    let error = world.tool("search_grep", json!({"path": "f", "pattern": "tail"})).unwrap_err();
    assert_eq!(error.code, Code::TooLarge);
    assert!(error.message.contains("a line of more than 64 MiB"), "{}", error.message);
    let reply = world.tool("search_grep", json!({"pattern": "tail"})).unwrap();
    assert_eq!((&reply.data["complete"], &reply.data["skipped"]["too_large"]), (&json!(false), &json!(1)));
    assert_eq!(reply.data["skipped"]["unreadable"], json!(0));
}

#[test]
fn a_large_text_is_read_and_searched_however_it_is_written_down() {
    let world = World::new();
    let utf16 = |text: &str, unit: fn(u16) -> [u8; 2]| {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(unit).collect::<Vec<_>>()
    };
    // U+4E0A has a byte that is a line end elsewhere.
    let lines: Vec<String> = (1..=400_000).map(|number| format!("Grüße 上 {number}")).collect();
    let western: Vec<String> = (1..=400_000).map(|number| format!("Grüße, über Straße {number}")).collect();
    let (text, western_text) = (lines.join("\r\n") + "\r\n", western.join("\n"));
    let latin: Vec<u8> = western_text.chars().map(|character| u32::from(character) as u8).collect();
    // Most of a file may be plain, and what tells the encoding far behind.
    let late = [b"some plain words\n".repeat(600_000), b"Stra\xdfe, gr\xfc\xdfe an alle\n".to_vec()].concat();
    world.write("utf16le", utf16(&text, u16::to_le_bytes));
    world.write("utf16be", utf16(&text, u16::to_be_bytes));
    world.write("marked", [b"\xef\xbb\xbf", text.as_bytes()].concat());
    world.write("latin", latin);
    world.write("late", late);
    let japanese =
        b"\x93\xfa\x96{\x8c\xea\x82\xcc\x83e\x83L\x83X\x83g\x82\xc5\x82\xb7\x81B\n".repeat(450_000);
    world.write("shift_jis", japanese);
    for (path, encoding, bom, eol, total, start, shown) in [
        ("utf16le", "utf-16le", true, "crlf", 400_000, 1, "Grüße 上 1\n"),
        ("utf16le", "utf-16le", true, "crlf", 400_000, 123_456, "Grüße 上 123456\n"),
        ("utf16be", "utf-16be", true, "crlf", 400_000, -1, "Grüße 上 400000\n"),
        ("marked", "utf-8", true, "crlf", 400_000, 1, "Grüße 上 1\n"),
        ("latin", "windows-1252", false, "lf", 400_000, 1, "Grüße, über Straße 1\n"),
        ("latin", "windows-1252", false, "lf", 400_000, -1, "Grüße, über Straße 400000\n"),
        ("late", "windows-1252", false, "lf", 600_001, -1, "Straße, grüße an alle\n"),
        ("shift_jis", "shift_jis", false, "lf", 450_000, 300_000, "日本語のテキストです。\n"),
    ] {
        let reply =
            read(&world, json!({"path": path, "start_line": start, "limit": 1, "line_numbers": false}));
        assert!(reply.text.starts_with(shown), "{path} {start}: {}", reply.text);
        let facts = ["encoding", "bom", "eol", "lines_total"].map(|name| &reply.data[name]);
        assert_eq!(facts, [&json!(encoding), &json!(bom), &json!(eol), &json!(total)], "{path}");
        assert_eq!(reply.warnings, [] as [&str; 0], "{path}");
    }
    for (path, pattern, line) in [
        ("utf16le", "Grüße 上 123456$", 123_456),
        ("marked", "Grüße 上 123456$", 123_456),
        ("latin", "über Straße 399999$", 399_999),
        ("latin", " 399999", 399_999),
        ("late", "grüße", 600_001),
        ("late", "an alle", 600_001),
        ("shift_jis", "テキスト", 1),
    ] {
        let reply = world.tool("search_grep", json!({"path": path, "pattern": pattern, "limit": 1})).unwrap();
        assert_eq!(reply.data["matches"][0]["line"], json!(line), "{pattern} in {path}: {}", reply.text);
        assert!(!reply.text.contains('\u{fffd}'), "{}", reply.text);
    }
}

#[test]
fn bytes_that_stand_for_nothing_are_named() {
    let world = World::new();
    let japanese = "日本語の行\n".repeat(600_000);
    world.write("torn", [b"\xff bad\n".as_slice(), japanese.as_bytes()].concat());
    world.write(
        "half",
        [b"\xff\xfea\0\n\0".to_vec(), b"b\0\n\0".repeat(3_000_000), b"\x3d\xd8".to_vec()].concat(),
    );
    for (path, start, shown, warning) in [
        ("torn", 1, "\u{fffd} bad\n", "bytes that are no UTF-8 are shown as \u{fffd}"),
        ("half", -1, "\u{fffd}\n", "bytes that are no utf-16le are shown as \u{fffd}"),
    ] {
        let reply =
            read(&world, json!({"path": path, "start_line": start, "limit": 1, "line_numbers": false}));
        assert!(reply.text.starts_with(shown), "{path}: {}", reply.text);
        assert_eq!(reply.warnings, [warning], "{path}");
    }
    assert_eq!(read(&world, json!({"path": "half", "limit": 1})).data["lines_total"], json!(3_000_002));
    // A control character is none the less text, where only the place that is looked at ends inside of a character.
    let text = format!("\u{1}{}é and more\n", "x".repeat(7998));
    world.write("controls", text.repeat(1200));
    assert_eq!(read(&world, json!({"path": "controls", "limit": 1})).data["kind"], json!("text"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, ..ProptestConfig::default() })]

    #[test]
    fn what_is_followed_to_its_end_is_the_whole(
        lengths in prop::collection::vec(
            prop_oneof![6 => 0_usize..200, 3 => 1900_usize..9000, 1 => 60_000_usize..400_000, 1 => 1_000_000_usize..3_000_000],
            20..60,
        ),
        unit in prop::sample::select(vec!["x", "é", "日", "😀", "ab "]),
        is_utf16 in any::<bool>(),
        end in prop::sample::select(vec!["\n", "\r\n"]),
        has_end in any::<bool>(),
        max_bytes in prop::sample::select(vec![1_usize, 20_000, 48 * 1024, 2 * MIB]),
        limit in prop::sample::select(vec![3_usize, 2000]),
    ) {
        let mut lines: Vec<String> = lengths
            .iter()
            .enumerate()
            .map(|(number, length)| format!("{number} {}.", unit.repeat(length / unit.len())))
            .collect();
        // Above what is held, and many marks away.
        let rest = (9 * MIB).saturating_sub(lengths.iter().sum());
        lines.insert(lines.len() / 2, format!("{}.", unit.repeat(rest / unit.len())));
        let text = lines.join(end) + if has_end { end } else { "" };
        let world = World::new();
        if is_utf16 {
            let units = std::iter::once(0xfeff).chain(text.encode_utf16());
            world.write("f", units.flat_map(u16::to_le_bytes).collect::<Vec<_>>());
        } else {
            world.write("f", &text);
        }
        let arguments = json!({"path": "f", "line_numbers": false, "max_bytes": max_bytes, "limit": limit});
        let shown = followed(&world, arguments);
        prop_assert_eq!(shown.len(), lines.len());
        for (number, (shown, line)) in shown.iter().zip(&lines).enumerate() {
            prop_assert!(shown == line, "line {} has {} bytes, {} were shown", number + 1, line.len(), shown.len());
        }
    }
}
