//! Tool arguments that nearly fit: putting them right never invents a value, and what was put right fits better or is left alone.

use std::sync::OnceLock;

use arbitrary::Arbitrary;
use outrigger::{
    config::Config,
    policy::Law,
    tools::{catalog, fuzzed},
};
use serde_json::{Map, Value, json};

#[derive(Arbitrary, Clone, Debug)]
pub enum Given {
    Nothing,
    Yes(bool),
    Number(i64),
    Float(f64),
    Text(String),
    List(Vec<Given>),
    Object(Vec<(u8, Given)>),
}

const NAMES: &[&str] = &[
    "path",
    "file_path",
    "filePath",
    "limit",
    "content",
    "old_text",
    "oldText",
    "edits",
    "pattern",
    "paths",
    "dry_run",
    "start_line",
    "x",
    "",
    "args",
    "command",
    "recursive",
    "mode",
    "rev",
    "branch",
];

/// Of a configuration with nothing in it.
fn law() -> &'static Law {
    static LAW: OnceLock<Law> = OnceLock::new();
    LAW.get_or_init(|| Law::new(&Config::default()).expect("the law"))
}

fn value(given: &Given) -> Value {
    match given {
        Given::Nothing => Value::Null,
        Given::Yes(yes) => json!(yes),
        Given::Number(number) => json!(number),
        Given::Float(float) => json!(float),
        Given::Text(text) => json!(text),
        Given::List(list) => list.iter().map(value).collect(),
        Given::Object(fields) => Value::Object(object(fields)),
    }
}

fn object(fields: &[(u8, Given)]) -> Map<String, Value> {
    fields
        .iter()
        .map(|(name, given)| (NAMES[usize::from(*name) % NAMES.len()].to_owned(), value(given)))
        .collect()
}

/// What the bytes of a run are read as.
pub type Input = (u8, Vec<(u8, Given)>);

/// One run.
pub fn run(input: Input) {
    let tools = catalog();
    let tool = tools[usize::from(input.0) % tools.len()];
    let (schema, arguments) = (tool.input_schema(law()), Value::Object(object(&input.1)));
    let changes = !tool.spec().annotations.read_only;
    let Some((repaired, notes)) = fuzzed::repair(&schema, &arguments, changes) else { return };
    assert!(!notes.is_empty(), "put right and not told");
    if changes {
        assert!(arguments.get("dry_run").is_none(), "a brake was left out");
    }
    // Once is enough: what was put right is not put right again.
    assert!(fuzzed::repair(&schema, &repaired, changes).is_none(), "{arguments} -> {repaired}");
}
