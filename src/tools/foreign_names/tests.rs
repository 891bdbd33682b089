//! Which names are taken for which, and which are never left out.

use serde_json::{Map, Value, json};

use crate::tools::repair::repair;

fn schema(names: &[&str]) -> Map<String, Value> {
    let properties: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({"description": "any"}))).collect();
    Map::from_iter([("properties".to_owned(), properties.into())])
}

#[test]
fn a_guard_is_one_in_every_spelling() {
    let edit = json!({"properties": {"path": {}, "base_etag": {}, "edits": {"type": "array", "items": {"properties":
        {"old_text": {}, "new_text": {}, "replace_all": {"type": "boolean"}}}}}});
    let edit = edit.as_object().unwrap();
    let refused = [
        json!({"path": "f", "oldString": "a", "newString": "b", "replaceAll": true, "expectedReplacements": 1}),
        json!({"path": "f", "edits": [{"oldText": "a", "newText": "b", "replaceAll": true, "expectedReplacements": 1}]}),
        json!({"path": "f", "edits": [{"old_text": "a", "replace_all": true}], "expected_replacements": 1}),
        json!({"path": "f", "edits": [{"old_text": "a", "replace_all": true, "count": 1}]}),
        json!({"path": "f", "edits": [{"old_text": "a", "replace_all": "true", "count": "1"}]}),
        json!({"path": "f", "edits": [{"old_text": "a", "count": 2}]}),
    ];
    for given in refused {
        assert_eq!(repair(edit, &given, true), None, "{given}");
    }
    for given in [
        json!({"path": "f", "edits": [{"old_text": "a", "replaceAll": "false", "count": "1"}]}),
        json!({"path": "f", "edits": [{"old_text": "a", "replace_all": false}], "expected_replacements": 1}),
    ] {
        assert!(repair(edit, &given, true).is_some(), "{given}");
    }
    let move_one = schema(&["from", "to", "copy"]);
    let patch = schema(&["patch"]);
    let write = schema(&["path", "content", "mode"]);
    for (schema, given) in [
        (&move_one, json!({"from": "a", "to": "b", "operation": "copy"})),
        (&move_one, json!({"from": "a", "to": "b", "mode": "Copy"})),
        (&patch, json!({"patch": "p", "R": true})),
        (&patch, json!({"patch": "p", "-R": true})),
        (&patch, json!({"patch": "p", "base_dir": "d"})),
        (&patch, json!({"patch": "p", "rootDir": "d"})),
        (&patch, json!({"patch": "p", "subdir": "d"})),
        (&write, json!({"path": "f", "content": "aGk=", "is_base64": true})),
        (&write, json!({"path": "f", "content": "aGk=", "base64": true})),
        (&write, json!({"path": "f", "content": "aGk=", "contentEncoding": "base64"})),
        (&write, json!({"path": "f", "content": "x", "mode": "overwrite", "start_line": 2})),
    ] {
        assert_eq!(repair(schema, &given, true), None, "{given}");
    }
    for (schema, given) in [
        (&move_one, json!({"from": "a", "to": "b", "operation": "move"})),
        (&patch, json!({"patch": "p", "R": false, "base_dir": "."})),
        (&write, json!({"path": "f", "content": "a", "base64": false, "content_encoding": "utf-8"})),
    ] {
        assert!(repair(schema, &given, true).is_some(), "{given}");
    }
}

#[test]
fn a_guard_with_another_name_is_taken_for_ours() {
    let delete = schema(&["path", "recursive", "expect_entries"]);
    for name in ["expected_entries", "expectedCount", "entries"] {
        let (meant, _) = repair(&delete, &json!({"path": "d", name: 1}), true).unwrap();
        assert_eq!(meant, json!({"path": "d", "expect_entries": 1}), "{name}");
    }
    let write = schema(&["path", "base_etag"]);
    for name in ["etag", "expected_etag", "ifMatch", "base_hash"] {
        let (meant, _) = repair(&write, &json!({"path": "f", name: "e"}), true).unwrap();
        assert_eq!(meant, json!({"path": "f", "base_etag": "e"}), "{name}");
    }
    let copy = schema(&["from", "to", "copy"]);
    for name in ["is_copy", "keepSource"] {
        let (meant, _) = repair(&copy, &json!({"from": "a", "to": "b", name: true}), true).unwrap();
        assert_eq!(meant, json!({"from": "a", "to": "b", "copy": true}), "{name}");
    }
}

#[test]
fn a_time_is_taken_in_the_unit_that_was_meant_or_not_at_all() {
    let run = schema(&["command", "args", "timeout_ms", "background", "wait_ms"]);
    for (given, meant, told) in [
        (json!({"timeout": 120_000}), json!({"timeout_ms": 120_000}), "`timeout_ms`: 120000 milliseconds"),
        (json!({"timeoutSeconds": 60}), json!({"timeout_ms": 60_000}), "`timeout_ms`: 60000"),
        (json!({"timeout_sec": "1.5"}), json!({"timeout_ms": 1500}), "`timeout_ms`: 1500"),
        (json!({"timeout_s": 2.0}), json!({"timeout_ms": 2000}), "`timeout_ms`: 2000"),
        (json!({"timeout": 30, "timeout_ms": 5000}), json!({"timeout_ms": 5000}), "no parameter `timeout`"),
        (json!({"time_limit": null}), json!({}), "no parameter `time_limit`"),
    ] {
        let (repaired, notes) = repair(&run, &given, true).unwrap();
        assert_eq!(repaired, meant, "{given}");
        assert!(notes.iter().any(|note| note.contains(told)), "{told} is not in {notes:?}");
    }
    for given in [
        json!({"timeout": 30}),
        json!({"timeout": "120"}),
        json!({"timeout": 1800}),
        json!({"timeout": 0}),
        json!({"time_limit": 60}),
        json!({"timeout_minutes": 2}),
        json!({"timeout_s": "soon"}),
    ] {
        assert_eq!(repair(&run, &given, true), None, "{given}");
    }
    // Who only looks loses nothing by looking too early.
    let look = schema(&["job", "wait_ms", "tail"]);
    for (given, meant) in [
        (json!({"timeout": 30}), json!({"wait_ms": 30})),
        (json!({"timeout_s": 30, "bash_id": "j"}), json!({"wait_ms": 30_000, "job": "j"})),
        (json!({"task_id": "j", "lines": 3}), json!({"job": "j", "tail": 3})),
    ] {
        assert_eq!(repair(&look, &given, false).unwrap().0, meant, "{given}");
    }
}

#[test]
fn what_makes_another_run_of_it_is_never_left_out() {
    let run = schema(&["command", "args", "timeout_ms", "background", "wait_ms"]);
    for (name, value, is_background) in [
        ("run_in_background", json!(true), true),
        ("runInBackground", json!("true"), true),
        ("is_background", json!(false), false),
        ("detach", json!(true), true),
        ("blocking", json!(false), true),
    ] {
        let (repaired, _) = repair(&run, &json!({"command": "c", name: value}), true).unwrap();
        assert_eq!(repaired, json!({"command": "c", "background": is_background}), "{name}");
    }
    for (name, value) in [
        ("env", json!({"NODE_ENV": "test"})),
        ("environment", json!(["A=b"])),
        ("envVars", json!("A=b")),
        ("stdin", json!("yes\n")),
        ("input", json!("y")),
    ] {
        assert_eq!(repair(&run, &json!({"command": "c", name: value}), true), None, "{name}");
    }
    for (name, value) in [("env", json!({})), ("stdin", json!("")), ("environment", json!(null))] {
        assert!(repair(&run, &json!({"command": "c", name: value}), true).is_some(), "{name}");
    }
}

#[test]
fn an_etag_that_nobody_looks_at_is_no_guard() {
    for (tool, given) in
        [(schema(&["patch"]), json!({"patch": "p"})), (schema(&["paths", "source"]), json!({"paths": ["a"]}))]
    {
        for name in ["base_etag", "etag", "ifMatch"] {
            let mut given = given.clone();
            given[name] = json!("sha256:0");
            assert_eq!(repair(&tool, &given, true), None, "{given}");
            given[name] = json!("");
            assert!(repair(&tool, &given, true).is_some(), "{given}");
        }
    }
}
