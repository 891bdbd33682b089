//! What an answer says where a caller could draw the wrong conclusion from it.

use outrigger::{
    config::{Config, Profile},
    tools::{Code, ToolError},
};
use serde_json::{Value, json};

use crate::world::World;

#[test]
fn pieces_of_a_long_line_are_shown_whole() {
    let world = World::new();
    let value = "Qm7xZ0pLk3RtY9sWvB2nC8dF5gH1jK6aE4uI0oPqMz7x";
    for (front, secret) in [(1950, "\"api_key\": "), (1990, "Authorization: Bearer ")] {
        let line = format!("{}{secret}\"{value}\", needle {}", "w ".repeat(front / 2), "z ".repeat(3000));
        world.write("long.txt", format!("first\n{line}\nlast\n"));
        let handle = world.tool("fs_read", json!({"path": "long.txt"})).unwrap().handle.unwrap();
        let pieces = world.tool("fs_read", json!({"path": handle, "line_numbers": false})).unwrap();
        assert_eq!((pieces.handle, pieces.truncated.is_some()), (None, false), "{secret}");
        assert_eq!(pieces.warnings, [""; 0]);
        assert_eq!(pieces.text.replace('\n', ""), line.replace('\n', ""), "{secret}");
    }
}

#[test]
fn commands_are_told_where_they_can_be_run() {
    let info = |profile| {
        let world = World::with(|config| {
            config.profile = profile;
            config.commands = Config::without_file().commands;
        });
        let reply = world.tool("workspace_info", json!({})).unwrap();
        (reply.text.contains("commands for exec_run"), reply.data["commands"].as_array().unwrap().len() > 3)
    };
    assert_eq!((info(Profile::Read), info(Profile::Core)), ((false, false), (true, true)));
}

fn refusal(world: &World, tool: &str, arguments: Value) -> ToolError {
    let error = world.tool(tool, arguments.clone()).expect_err(&arguments.to_string());
    assert!(!error.hint.is_empty());
    error
}

#[test]
fn what_would_have_guarded_a_change_is_not_left_out() {
    let world = World::new();
    world.write("a.txt", "a\n");
    let edit = json!({"old_text": "a", "new_text": "b", "expected_replacements": 2});
    let error = refusal(&world, "fs_edit", json!({"path": "a.txt", "edits": [edit]}));
    assert!(error.hint.contains("`replace_all`"), "{}", error.hint);
    let error = refusal(&world, "fs_write", json!({"path": "n", "content": "aGk=", "encoding": "base64"}));
    assert!(error.hint.contains("UTF-8"), "{}", error.hint);
    let patch = "*** Begin Patch\n*** Add File: q\n+x\n*** End Patch";
    let error = refusal(&world, "fs_apply_patch", json!({"patch": patch, "path": "sub"}));
    assert!(error.hint.contains("relative to the workspace"), "{}", error.hint);
    assert!(!world.root().join("q").exists() && !world.root().join("n").exists());
    world.tool("fs_write", json!({"path": "n", "content": "x", "encoding": "utf-8"})).unwrap();
    // What was left out is told, also of a call that fails for another reason.
    let error = refusal(&world, "fs_write", json!({"path": "n", "content": "x", "append": true}));
    assert!(
        error.code == Code::AlreadyExists && error.hint.contains("no parameter `append`"),
        "{}",
        error.hint
    );
}

#[test]
fn what_was_not_found_says_why() {
    let world = World::new();
    world.write("a.txt", "needle needle\n");
    world.write("empty.txt", "");
    let grep =
        |glob: &str| world.tool("search_grep", json!({"pattern": "nothing", "glob": glob})).unwrap().text;
    assert_eq!(grep("*.rs"), "no matches: no file here matches the glob `*.rs`");
    assert_eq!(grep("*.txt"), "no matches");
    let ignoring = world.tool("search_grep", json!({"pattern": "NEEDLE", "-i": true})).unwrap();
    assert_eq!(ignoring.data["matches_seen"], json!(1));
    let reply = world.tool("search_glob", json!({"pattern": "*.txt", "limit": 1})).unwrap();
    assert!(reply.text.ends_with("\n1 of 2 paths shown: call again with limit=2"), "{}", reply.text);
    let empty = world.tool("fs_read", json!({"path": "empty.txt"})).unwrap();
    let etag = world.tool("fs_list", json!({"path": "empty.txt"})).unwrap().etag.unwrap();
    assert!(
        empty.text.starts_with("(the file is empty; etag ") && empty.etag == Some(etag),
        "{}",
        empty.text
    );
    assert!(world.tool("fs_list", json!({"path": ""})).unwrap().text.contains("a.txt\n"));
    let error = refusal(&world, "fs_delete", json!({"path": ".", "recursive": true}));
    assert!(error.code == Code::ProtectedPath && error.hint.contains("what is in it"), "{}", error.hint);
    let edit = json!({"old_text": "needle", "new_text": "x", "near_line": 1});
    let error = refusal(&world, "fs_edit", json!({"path": "a.txt", "edits": [edit]}));
    assert!(error.hint.starts_with("near_line is as near"), "{}", error.hint);
    assert_eq!(error.candidates, ["line 1"]);
}

#[test]
fn pages_go_no_further_than_they_may() {
    let world = World::new();
    world.write("a.txt", "x\n".repeat(1_000_100));
    let search = json!({"pattern": "x", "offset": 999_950, "limit": 100});
    let reply = world.tool("search_grep", search).unwrap();
    assert!(
        reply.text.ends_with("there are more: narrow the search with `path` or `glob`"),
        "{}",
        reply.text
    );
    assert_eq!(reply.truncated.unwrap().next, None);
}

#[test]
fn what_is_too_large_to_be_written_says_what_can() {
    let world = World::new();
    world.write("large.log", "0123456\n".repeat(1_200_000));
    let write =
        |mode: &str, path: &str, content: &str| json!({"path": path, "content": content, "mode": mode});
    let error = refusal(&world, "fs_write", write("append", "large.log", "x\n"));
    assert_eq!((error.code, error.hint.as_str()), (Code::TooLarge, "a command can append to it"));
    let error = refusal(&world, "fs_write", write("overwrite", "large.log", "x\n"));
    assert!(error.hint.contains("fs_delete"), "{}", error.hint);
    world.write("lf.txt", "a\nb\n");
    let error = refusal(&world, "fs_write", write("overwrite", "lf.txt", "a\r\nb\r\n"));
    assert!(error.code == Code::NoChange && error.hint.contains("`eol`"), "{}", error.hint);
    let error = refusal(&world, "fs_write", write("overwrite", "lf.txt", "a\nb\n"));
    assert_eq!(error.hint, "nothing has to be written");
    let arguments = json!({"path": "lf.txt", "content": "a\nb\n", "mode": "overwrite", "eol": "crlf"});
    let reply = world.tool("fs_write", arguments).unwrap();
    assert!(reply.warnings.iter().any(|warning| warning == "line ends are crlf now, and were lf"));
}

#[test]
fn a_line_of_a_key_is_no_candidate() {
    let world = World::new();
    let lines: Vec<String> = (0..20)
        .map(|line| format!("{line:02}gtD7fGUOaB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6lO9rU2xA5dG8"))
        .collect();
    let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", lines.join("\n"));
    world.write("a.pem.txt", format!("tail\n{key}\nafter\n"));
    let title = "tail\n-----BEGIN RSA PRIVATE KEY-----\n";
    for old_text in [format!("{title}foo"), format!("{title}{}\nfoo", lines[0])] {
        let edit = json!({"old_text": old_text, "new_text": "q"});
        let error = refusal(&world, "fs_edit", json!({"path": "a.pem.txt", "edits": [edit]}));
        assert_eq!(error.candidates.len(), 1, "{old_text}");
        assert!(
            error.candidates[0].contains("the file has \"(a line of a secret)\""),
            "{:?}",
            error.candidates
        );
    }
}
