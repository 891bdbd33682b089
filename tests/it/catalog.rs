//! What the list of tools costs a model, which pays for it with every request.

use outrigger::{
    config::{Config, Profile},
    policy::Law,
    tools::catalog,
};
use serde_json::{Value, json};

/// For the core profile as the panel offers it: a model is shown the one editor that it knows.
const CORE_TOKENS: usize = 3_500;
const DESCRIPTION_WORDS: usize = 60;
const EDITORS: [&str; 2] = ["fs_edit", "fs_apply_patch"];

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
    let hidden = costs.iter().filter(|(name, _)| EDITORS.contains(name)).map(|(_, cost)| cost).min();
    let shown = all - hidden.expect("both editors are in the profile");
    assert!(shown <= CORE_TOKENS, "{shown} tokens of {CORE_TOKENS}: {costs:#?}");
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
                let bounded = property.get("minimum").is_some() || property.get("default").is_some();
                assert!(bounded, "{}.{name} has neither bounds nor a default", spec.name);
            }
            for union in ["anyOf", "oneOf", "allOf", "$ref"] {
                assert!(property.get(union).is_none(), "{}.{name} has `{union}`", spec.name);
            }
        }
    }
}
