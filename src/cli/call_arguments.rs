//! `key=value` from a shell, typed by a tool's schema.

use std::io::{self, Read as _};

use serde_json::{Map, Value};

use crate::hint::nearest;

/// The most that is read for one value: more than any tool takes.
const VALUE_BYTES: u64 = 64 * 1024 * 1024;

/// Why the arguments cannot be understood.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArgumentError {
    #[error("`{argument}` is no argument")]
    Shape { argument: String },
    #[error("there is no parameter `{key}`")]
    Unknown { key: String, known: Vec<String> },
    #[error("`{key}` is given twice")]
    Twice { key: String },
    #[error("`{key}` takes {wanted}, not `{value}`")]
    Type { key: String, wanted: &'static str, value: String },
    #[error("`{key}` is no JSON: {source}")]
    Json { key: String, source: serde_json::Error },
    #[error("`{key}` cannot be read from {place}: {source}")]
    Read { key: String, place: String, source: io::Error },
    #[error("two values come from the standard input")]
    StdinTwice,
}

impl ArgumentError {
    /// What would work.
    pub(super) fn help(&self) -> String {
        match self {
            Self::Shape { .. } => "write `key=value`, `key=@file`, `key=-` or `key:=JSON`".to_owned(),
            Self::Unknown { key, known } => match nearest(key, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it is one of {}", known.join(", ")),
            },
            Self::Twice { .. } => "only a list may be repeated".to_owned(),
            Self::Type { .. } => "`key:=JSON` gives a value as it stands".to_owned(),
            Self::Json { .. } => {
                "quote it for the shell: `'[{\"old_text\": \"a\", \"new_text\": \"b\"}]'`".to_owned()
            }
            Self::Read { .. } => "`key:='\"@name\"'` gives text that begins with `@`".to_owned(),
            Self::StdinTwice => "put one of them into a file, and write `key=@file`".to_owned(),
        }
    }
}

/// Reads all of them.
pub(super) fn read(
    arguments: &[String],
    schema: &Map<String, Value>,
) -> Result<Map<String, Value>, ArgumentError> {
    let nothing = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
    let mut read = Map::new();
    let mut stdin_taken = false;
    for argument in arguments {
        let (key, text) =
            argument.split_once('=').ok_or_else(|| ArgumentError::Shape { argument: argument.clone() })?;
        let (key, is_json) = match key.strip_suffix(':') {
            Some(key) => (key, true),
            None => (key, false),
        };
        let Some(property) = properties.get(key) else {
            let known = properties.keys().cloned().collect();
            return Err(ArgumentError::Unknown { key: key.to_owned(), known });
        };
        let kind = property["type"].as_str().unwrap_or("string");
        let from_elsewhere = !is_json && (text == "-" || text.starts_with('@'));
        let text = if from_elsewhere { elsewhere(key, text, &mut stdin_taken)? } else { text.to_owned() };
        let value = if is_json { json(key, &text)? } else { typed(key, kind, property, text)? };
        match (read.get_mut(key), value) {
            (Some(Value::Array(list)), Value::Array(more)) if kind == "array" => list.extend(more),
            (Some(_), _) => return Err(ArgumentError::Twice { key: key.to_owned() }),
            (None, value) => {
                read.insert(key.to_owned(), value);
            }
        }
    }
    Ok(read)
}

fn typed(key: &str, kind: &str, property: &Value, text: String) -> Result<Value, ArgumentError> {
    let wrong = |wanted| ArgumentError::Type {
        key: key.to_owned(),
        wanted,
        value: crate::text::prefix(&text, 60).to_owned(),
    };
    match kind {
        "integer" => text.trim().parse::<i64>().map(Value::from).map_err(|_| wrong("a whole number")),
        "number" => text.trim().parse::<f64>().map(Value::from).map_err(|_| wrong("a number")),
        "boolean" => match text.trim() {
            "true" | "yes" | "1" => Ok(Value::Bool(true)),
            "false" | "no" | "0" => Ok(Value::Bool(false)),
            _ => Err(wrong("true or false")),
        },
        "array" if text.trim_start().starts_with('[') => json(key, &text),
        "array" if property["items"]["type"] == "string" => Ok(Value::Array(vec![Value::String(text)])),
        "array" | "object" => json(key, &text),
        _ => Ok(Value::String(text)),
    }
}

fn json(key: &str, text: &str) -> Result<Value, ArgumentError> {
    serde_json::from_str(text).map_err(|source| ArgumentError::Json { key: key.to_owned(), source })
}

fn elsewhere(key: &str, text: &str, stdin_taken: &mut bool) -> Result<String, ArgumentError> {
    let failed =
        |place: &str, source| ArgumentError::Read { key: key.to_owned(), place: place.to_owned(), source };
    let mut content = String::new();
    if let Some(name) = text.strip_prefix('@') {
        #[expect(clippy::disallowed_methods, reason = "a person at a shell named the file of a value")]
        let file = std::fs::File::open(name).map_err(|error| failed(&format!("`{name}`"), error))?;
        let read = file.take(VALUE_BYTES).read_to_string(&mut content);
        read.map_err(|error| failed(&format!("`{name}`"), error))?;
    } else {
        if std::mem::replace(stdin_taken, true) {
            return Err(ArgumentError::StdinTwice);
        }
        let read = io::stdin().take(VALUE_BYTES).read_to_string(&mut content);
        read.map_err(|error| failed("the standard input", error))?;
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(arguments: &[&str]) -> Result<Value, String> {
        let schema = json!({"properties": {
            "path": {"type": "string"}, "limit": {"type": "integer"}, "literal": {"type": "boolean"},
            "paths": {"type": "array", "items": {"type": "string"}}, "edits": {"type": "array", "items": {"type": "object"}},
        }});
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let read = read(&arguments, schema.as_object().unwrap());
        read.map(Value::Object).map_err(|error| format!("{error}; {}", error.help()))
    }

    #[test]
    fn values_have_the_type_of_their_parameter() {
        assert_eq!(
            of(&["path=a=b", "limit=-3", "literal=true", "paths=a", "paths=[\"b\"]", "paths=c"]),
            Ok(json!({"path": "a=b", "limit": -3, "literal": true, "paths": ["a", "b", "c"]}))
        );
        assert_eq!(of(&["path:=\"@x\"", "edits=[{}]"]), Ok(json!({"path": "@x", "edits": [{}]})));
        assert_eq!(of(&["path="]), Ok(json!({"path": ""})));
        for (argument, words) in [
            ("path", "`path` is no argument; write `key=value`, `key=@file`, `key=-` or `key:=JSON`"),
            ("pth=a", "there is no parameter `pth`; did you mean `path`?"),
            ("limit=ten", "`limit` takes a whole number, not `ten`; `key:=JSON` gives a value as it stands"),
        ] {
            assert_eq!(of(&[argument]), Err(words.to_owned()));
        }
        assert!(of(&["path=a", "path=b"]).unwrap_err().starts_with("`path` is given twice"));
        assert!(of(&["edits=x"]).unwrap_err().starts_with("`edits` is no JSON"));
        assert!(
            of(&["path=@/no/such/file"])
                .unwrap_err()
                .starts_with("`path` cannot be read from `/no/such/file`")
        );
    }
}
