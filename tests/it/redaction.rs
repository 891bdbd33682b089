//! Secrets in results: replaced and counted everywhere a model reads, and never written back.

use serde_json::json;

use crate::support::native::World;

/// No token stands in this file, so that scanners of repositories stay quiet.
fn token() -> String {
    format!("ghp_{}", "a1B2c3D4e5".repeat(4))
}

const SHOWN: &str = "⟦redacted:github_pat:1⟧";

#[test]
fn no_tool_shows_a_secret() {
    let world = World::new("[redact]\npatterns = ['acme_[0-9]{4}']");
    world.write("a.txt", format!("first\nkey = {}\nlast acme_1234\n", token()));
    let mut port = world.connect();
    port.hello();
    for (tool, arguments) in [
        ("fs_read", json!({"path": "a.txt"})),
        ("search_grep", json!({"pattern": "key"})),
        ("search_grep", json!({"pattern": "key", "context": 1})),
        ("exec_run", json!({"command": "none", "args": [token()]})),
    ] {
        let result = port.call(tool, arguments);
        assert!(!result.to_string().contains(&token()), "{tool}: {result}");
    }
    let read = port.call("fs_read", json!({"path": "a.txt"}));
    let text = read["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(&format!("2|key = {SHOWN}\n")) && text.contains("⟦redacted:custom_1:1⟧"), "{text}");
    assert_eq!(read["structuredContent"]["warnings"], json!(["2 secrets were replaced by placeholders"]));
    // The etag is that of the true bytes.
    let etag = outrigger::ids::Etag::of(&std::fs::read(world.workspace().join("a.txt")).unwrap());
    assert_eq!(read["structuredContent"]["etag"], etag.as_str());
}

#[test]
fn anchors_of_a_pattern_are_those_of_a_line_in_every_tool() {
    let world = World::new("[redact]\npatterns = ['^PASS=(?<secret>.*)$', '^MYTOK-[0-9]{6}$']");
    world.write("a.txt", "first\nPASS=hunter two\nMYTOK-123456\nlast\n");
    let mut port = world.connect();
    port.hello();
    for (tool, arguments) in [
        ("fs_read", json!({"path": "a.txt"})),
        ("fs_read", json!({"path": "a.txt", "line_numbers": false})),
        ("search_grep", json!({"pattern": "PASS|MYTOK"})),
        ("search_grep", json!({"pattern": "first|last", "context": 1})),
    ] {
        let result = port.call(tool, arguments).to_string();
        assert!(!result.contains("hunter") && !result.contains("MYTOK-1"), "{tool}: {result}");
        assert!(result.contains("custom_1:1") && result.contains("custom_2:1"), "{tool}: {result}");
    }
}

#[test]
fn no_cut_goes_through_a_secret() {
    let world = World::new("");
    let jwt = format!("eyJhbGciOiJSUzI1NiJ9.eyJ{}.{}", "a1B2c3D4e5".repeat(130), "x7Y8z9W0v1".repeat(4));
    let mut port = world.connect();
    port.hello();
    for in_front in [20, 700, 1500, 1900] {
        let front = "w ".repeat(in_front / 2);
        world.write("a.txt", format!("{front}Authorization: Bearer {jwt} # NEEDLE {}\n", "z ".repeat(1500)));
        for (tool, arguments) in [
            ("fs_read", json!({"path": "a.txt"})),
            ("search_grep", json!({"pattern": "NEEDLE"})),
            ("search_grep", json!({"pattern": "Bearer"})),
            ("search_grep", json!({"pattern": "c3D4e5a1B2"})),
        ] {
            let result = port.call(tool, arguments).to_string();
            assert!(
                !result.contains("a1B2c3D4e5") && !result.contains("x7Y8z9W0v1"),
                "{in_front} {tool}: {result}"
            );
        }
    }
}

#[test]
fn what_is_no_text_shows_no_token_in_columns() {
    let world = World::new("");
    world.write("a.bin", format!("\0\u{1}{}\0", token()));
    let mut port = world.connect();
    port.hello();
    let result = port.call("fs_read", json!({"path": "a.bin"})).to_string();
    assert!(!result.contains("a1B2c3") && !result.contains("67 68 70 5f"), "{result}");
}

#[test]
fn an_address_that_leads_nowhere_is_told_without_its_token() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let answer = port.request("resources/read", json!({"uri": format!("outrigger://app/{}", token())}));
    assert!(!answer.to_string().contains(&token()) && answer.to_string().contains(SHOWN), "{answer}");
}

#[test]
fn a_placeholder_is_never_written() {
    let world = World::new("");
    let content = format!("first\nkey = {}\nlast\n", token());
    world.write("a.txt", &content);
    let mut port = world.connect();
    port.hello();
    let code = |result: serde_json::Value| {
        result["structuredContent"]["code"].as_str().unwrap_or_default().to_owned()
    };
    let line = format!("key = {SHOWN}");
    assert_eq!(
        code(port.call("fs_write", json!({"path": "a.txt", "content": line, "mode": "overwrite"}))),
        "invalid_args"
    );
    let edit = |old: &str, new: &str| json!({"path": "a.txt", "edits": [{"old_text": old, "new_text": new}]});
    assert_eq!(code(port.call("fs_edit", edit("last", &line))), "invalid_args");
    let refused = port.call("fs_edit", edit(&line, "key = none"));
    assert!(refused["structuredContent"]["hint"].as_str().unwrap().contains("before or after"), "{refused}");
    assert_eq!(code(refused), "no_match");
    // What stands around a secret can be edited, and the plan shows a person the true lines.
    let asked = port.call("fs_edit", edit("first", "1st"));
    assert!(asked["_meta"]["dev.outrigger/plan"].to_string().contains(&token()), "{asked}");
    let done =
        port.answer_plan("fs_edit", edit("first", "1st"), json!({}), &asked, json!({"decision": "allow"}));
    assert!(!done.to_string().contains(&token()), "{done}");
    assert_eq!(world.read("a.txt"), content.replace("first", "1st"));
}

#[test]
fn the_administrator_can_turn_it_off() {
    let world = World::new("[redact]\nenabled = false");
    world.write("a.txt", token());
    let mut port = world.connect();
    port.hello();
    assert!(port.call("fs_read", json!({"path": "a.txt"})).to_string().contains(&token()));
}

/// What takes the square of a line's length takes days here.
#[test]
fn a_line_full_of_beginnings_of_secrets_is_read_like_any_other() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    // Read at once, held in memory, and read in pieces.
    let units = ["fm2_", "token='a1", "client-key-data", "ya29.", "ops_eyJ", "eyJ-", "xoxb-"];
    let (first, second) = (&units[..1], &units[1..2]);
    for (bytes, units) in [(60_000, &units[..]), (1_000_000, second), (8_000_000, first), (9_000_000, first)]
    {
        for unit in units {
            world.write("a.txt", unit.repeat(bytes / unit.len()));
            let read = port.call("fs_read", json!({"path": "a.txt"}));
            let text = read["content"][0]["text"].as_str().unwrap();
            assert!(text.contains(" characters)"), "{unit} {bytes}: {text}");
            let found = port.call("search_grep", json!({"pattern": &unit[..4], "path": "a.txt"}));
            assert_eq!(found["structuredContent"]["ok"], true, "{unit} {bytes}: {found}");
        }
    }
}
