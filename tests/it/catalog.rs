//! What the list of tools costs a model, which pays for it with every request.

use outrigger::{
    config::{Config, Profile},
    policy::Law,
    tools::{Code, catalog},
};
use serde_json::{Value, json};

use crate::world::World;

/// For all of the core profile, both editors in it; the panel shows a model the one that it knows.
const CORE_TOKENS: usize = 3_500;
const DESCRIPTION_WORDS: usize = 60;

#[test]
fn the_core_profile_stays_within_its_tokens() {
    let law = Law::new(&Config::without_file()).unwrap();
    let tokens = tiktoken_rs::o200k_base().unwrap();
    let mut costs: Vec<(&str, usize)> = Vec::new();
    for tool in catalog().iter().filter(|tool| tool.spec().profile != Profile::Full) {
        let spec = tool.spec();
        let listed = json!({
            "name": spec.name,
            "description": spec.description,
            "input_schema": Value::Object(tool.input_schema(&law)),
        });
        costs.push((spec.name, tokens.encode_ordinary(&listed.to_string()).len()));
    }
    let all: usize = costs.iter().map(|(_, cost)| cost).sum();
    assert!(all <= CORE_TOKENS, "{all} tokens of {CORE_TOKENS}: {costs:#?}");
    assert_eq!(costs.len(), 19);
}

#[test]
fn no_description_is_long_and_no_schema_is_open() {
    let law = Law::new(&Config::without_file()).unwrap();
    for tool in catalog() {
        let spec = tool.spec();
        let words = spec.description.split_whitespace().count();
        assert!(words <= DESCRIPTION_WORDS, "{}: {words} words", spec.name);
        let schema = tool.input_schema(&law);
        assert_eq!(schema.get("additionalProperties"), Some(&Value::Bool(false)), "{}", spec.name);
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(
                property.get("description").is_some() || property.get("enum").is_some(),
                "{}.{name}",
                spec.name
            );
            if property["type"] == "integer" {
                let bounds = [property.get("minimum"), property.get("maximum")];
                assert!(bounds.iter().all(Option::is_some), "{}.{name} is not bounded", spec.name);
            }
            // Without it the command's own limit holds, or what a glob says, which is no number of the tool.
            let is_told = property.get("default").is_some() || name == "timeout_ms" || name == "depth";
            let required = schema.get("required").and_then(Value::as_array);
            let is_required = required.is_some_and(|names| names.contains(&json!(name)));
            assert!(is_told || is_required, "{}.{name} does not say its default", spec.name);
            for union in ["anyOf", "oneOf", "allOf", "$ref"] {
                assert!(property.get(union).is_none(), "{}.{name} has `{union}`", spec.name);
            }
        }
        let answer = Value::Object(tool.data_schema()).to_string();
        assert!(!answer.contains("\"oneOf\""), "{}: {answer}", spec.name);
    }
}

#[test]
fn a_number_above_its_maximum_is_refused() {
    let world = World::new();
    world.write("a.txt", "one\n");
    let edit = |name: &str| json!({"path": "a.txt", "edits": [{"old_text": "one", "new_text": "x", name: 100_000_001}]});
    for (tool, arguments) in [
        ("fs_read", json!({"path": "a.txt", "start_line": 100_000_001})),
        ("fs_read", json!({"path": "a.txt", "start_line": -100_000_001})),
        ("fs_read", json!({"path": "a.txt", "around_line": 100_000_001})),
        ("fs_edit", edit("near_line")),
        ("fs_edit", edit("insert_at")),
        ("fs_delete", json!({"path": "a.txt", "expect_entries": 100_000_001})),
        ("exec_output", json!({"since": 1_000_000_000_000_001_i64})),
        ("exec_output", json!({"tail": 1_000_001})),
    ] {
        let error = world.tool(tool, arguments.clone()).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgs, "{tool} {arguments}: {error}");
        assert!(error.message.contains("it may be "), "{tool}: {error}");
    }
}

#[test]
fn no_tool_leaves_a_word_of_a_call_out_in_silence() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "topic"]);
    world.git(&["config", "user.name", "Ann"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    world.write("a.txt", "one\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "first"]);
    world.write("a.txt", "mine\n");
    for (tool, arguments) in [
        ("workspace_info", json!({})),
        ("fs_read", json!({"path": "a.txt"})),
        ("fs_list", json!({})),
        ("search_grep", json!({"pattern": "mine"})),
        ("search_glob", json!({"pattern": "*"})),
        ("git_status", json!({})),
        ("git_diff", json!({})),
        ("git_log", json!({})),
        ("git_show", json!({"rev": "HEAD"})),
        ("git_blame", json!({"path": "a.txt"})),
    ] {
        let mut with = arguments;
        with["entirely_unknown"] = json!(1);
        let reply = world.tool(tool, with).unwrap();
        assert!(
            reply.warnings.iter().any(|warning| warning.contains("no parameter `entirely_unknown`")),
            "{tool}: {:?}",
            reply.warnings
        );
    }
    // A word that would make a call harmless is never left out.
    for tool in catalog().iter().filter(|tool| !tool.spec().annotations.read_only) {
        let name = tool.spec().name;
        let arguments = match name {
            "fs_write" => json!({"path": "a.txt", "content": "x"}),
            "fs_edit" => json!({"path": "a.txt", "edits": [{"old_text": "mine", "new_text": "x"}]}),
            "fs_apply_patch" => json!({"patch": "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"}),
            "fs_move" => json!({"from": "a.txt", "to": "b.txt"}),
            "fs_delete" => json!({"path": "a.txt"}),
            "fs_mkdir" => json!({"path": "d"}),
            "git_add" | "git_restore" => json!({"paths": ["a.txt"]}),
            "git_commit" => json!({"message": "x", "paths": ["a.txt"]}),
            "git_switch" => json!({"branch": "topic"}),
            "git_sync" => json!({"action": "fetch"}),
            "exec_run" => json!({"command": "echo"}),
            "exec_kill" => json!({"job": "job1"}),
            other => panic!("{other} is not in this test"),
        };
        let mut with = arguments;
        with["dry_run"] = json!(true);
        let error = world.plan(name, with).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgs, "{name}: {error:?}");
        assert!(error.message.contains("dry_run"), "{name}: {}", error.message);
    }
    assert_eq!(std::fs::read_to_string(world.root().join("a.txt")).unwrap(), "mine\n");
}
