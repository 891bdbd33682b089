//! What a tool answers: text for the model, facts for programs.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Serialize;
use serde_json::{Map, Value};

use super::facts::Facts;

/// An answer of any tool.
pub type AnyReply = Reply<Box<dyn Facts>>;

/// A successful answer.
#[derive(Clone, Debug)]
pub struct Reply<T> {
    /// What a model reads; file text, output and diffs stand here and only here.
    pub text: String,
    /// The facts.
    pub data: T,
    /// The identity of the file the answer is about.
    pub etag: Option<String>,
    /// What was left out, and how to get it.
    pub truncated: Option<Truncated>,
    /// Where all of it is kept (`out:…`), when something was left out that cannot be had otherwise.
    pub handle: Option<String>,
    /// What the model should know beside it.
    pub warnings: Vec<String>,
    /// The level at which an edit matched.
    pub matched: Option<String>,
    /// An image beside the text.
    pub picture: Option<Picture>,
}

/// An image for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Its type.
    pub mime: String,
    /// Its bytes, as they stand in the file.
    pub data: Vec<u8>,
}

/// What was left out of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Truncated {
    /// How much is shown.
    pub shown: u64,
    /// How much there is; left out where nobody looked for all of it.
    #[serde(default, skip_serializing_if = "is_unknown")]
    pub total: u64,
    /// Of what: `lines`, `bytes`, `matches`, `entries`.
    pub unit: String,
    /// The call that shows more.
    pub next: Option<NextCall>,
}

impl Truncated {
    /// The [`Truncated::total`] of what was not counted to its end.
    pub const UNKNOWN: u64 = 0;
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_unknown(total: &u64) -> bool {
    *total == Truncated::UNKNOWN
}

/// The call that shows more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NextCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
}

impl<T> Reply<T> {
    /// An answer with nothing beside it.
    pub fn new(text: impl Into<String>, data: T) -> Self {
        Self {
            text: text.into(),
            data,
            etag: None,
            truncated: None,
            handle: None,
            warnings: Vec::new(),
            matched: None,
            picture: None,
        }
    }

    /// The same with more that the model should know.
    #[must_use]
    pub fn with_warnings(mut self, warnings: &[String]) -> Self {
        self.warnings.extend_from_slice(warnings);
        self
    }
}

impl<T: Facts + 'static> Reply<T> {
    /// The same, with facts of any type.
    pub fn erase(self) -> AnyReply {
        Reply {
            text: self.text,
            data: Box::new(self.data),
            etag: self.etag,
            truncated: self.truncated,
            handle: self.handle,
            warnings: self.warnings,
            matched: self.matched,
            picture: self.picture,
        }
    }
}

/// A flat JSON Schema without `$schema`, `$ref`, `title`, `format` and nullable types: what every provider accepts.
pub fn plain_schema<T: JsonSchema>() -> Map<String, Value> {
    let generator = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut value = generator.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut value);
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// The words of a choice between words, each of which may have a meaning of its own beside it.
fn choice(words: &Value) -> Option<Vec<Value>> {
    let mut found = Vec::new();
    for word in words.as_array()? {
        match (word.get("const"), word.get("enum").and_then(Value::as_array)) {
            (Some(word), _) => found.push(word.clone()),
            (None, Some(words)) => found.extend(words.iter().cloned()),
            (None, None) => return None,
        }
    }
    Some(found).filter(|words| words.iter().all(Value::is_string))
}

fn simplify(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if let Some(words) = map.get("oneOf").and_then(choice) {
                map.remove("oneOf");
                map.insert("type".into(), "string".into());
                map.insert("enum".into(), words.into());
            }
            if map.get("type").is_some_and(Value::is_string) || map.contains_key("properties") {
                map.remove("title");
                map.remove("format");
            }
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    map.insert("type".into(), only);
                }
                map.remove("format");
                if map.get("default").is_some_and(Value::is_null) {
                    map.remove("default");
                }
            }
            map.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}
