//! What is said of arguments that do not fit: the place, the reason, and what the schema says would fit.

use serde_json::{Map, Value};

use super::{
    error::{Code, ToolError, bounded},
    foreign_names::pointer,
    repair::snake,
};
use crate::{hint, limits, text::excerpt};

/// Values of a choice that a hint names; the commands of `exec_run` can be many.
const VALUES_NAMED: usize = 30;

/// The words of a parameter that does not fit, and of what would.
pub(super) fn invalid_args(
    tool: &str,
    error: &serde_path_to_error::Error<serde_json::Error>,
    schema: &Map<String, Value>,
) -> ToolError {
    let path = error.path().to_string();
    let place = if path == "." {
        String::new()
    } else {
        format!(" at `{}`", excerpt(&path, limits::NAME_SHOWN_BYTES))
    };
    let message = in_words(&bounded(error.inner().to_string(), limits::ECHO_BYTES));
    let hint = match (words_for(&message), meant_parameter(&message)) {
        (Some(words), _) => words.to_owned(),
        (None, Some(name)) => format!("did you mean `{name}`?"),
        (None, None) => fitting(schema, &path, &message),
    };
    ToolError::new(Code::InvalidArgs, format!("{tool}: invalid arguments{place}: {message}"), hint)
}

/// What the schema says would fit at `path` of the arguments.
fn fitting(schema: &Map<String, Value>, path: &str, message: &str) -> String {
    let mut at = schema.get("properties");
    let mut is_name = true;
    for part in path.split(['.', '[']).filter(|part| !part.is_empty()) {
        at = match (part.ends_with(']'), is_name) {
            (true, _) => at.and_then(|at| at.get("items")),
            (false, true) => at.and_then(|at| at.get(part)),
            (false, false) => at.and_then(|at| at.get("properties")?.get(part)),
        };
        is_name = false;
    }
    let missing = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
    let found = match (missing, is_name) {
        (None, _) => at.and_then(taken).map(|words| format!("`{path}` takes {words}")),
        (Some(name), true) => {
            at.and_then(|at| taken(at.get(name)?)).map(|words| format!("`{name}` takes {words}"))
        }
        (Some(name), false) => at
            .and_then(|at| taken(at.get("properties")?.get(name)?))
            .map(|words| format!("`{name}` takes {words}")),
    };
    found.unwrap_or_else(|| "the tool's input schema lists the parameters, their types and limits".to_owned())
}

/// What a parameter takes, in words.
fn taken(schema: &Value) -> Option<String> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<String> =
            values.iter().take(VALUES_NAMED).map(|value| format!("`{}`", plain(value))).collect();
        return Some(format!("one of {}", values.join(", ")));
    }
    let words = match schema.get("type")?.as_str()? {
        "string" => "a string".to_owned(),
        "boolean" => "true or false".to_owned(),
        "integer" => match (schema.get("minimum"), schema.get("maximum")) {
            (Some(least), Some(most)) => format!("a whole number from {least} to {most}"),
            (Some(least), None) => format!("a whole number from {least} on"),
            (None, Some(most)) => format!("a whole number up to {most}"),
            (None, None) => "a whole number".to_owned(),
        },
        "array" => format!("a list; each entry is {}", taken(schema.get("items")?)?),
        "object" => {
            let names = schema.get("properties")?.as_object()?.keys();
            format!("an object with {}", names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        }
        _ => return None,
    };
    Some(match schema.get("default").map(plain) {
        Some(default) if !default.is_empty() => format!("{words}; {default} when it is left out"),
        _ => words,
    })
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What serde says in words of the language it is written in, as people who call tools would say it.
fn in_words(message: &str) -> String {
    const ENDS: &[(&[&str], &str)] = &[
        (
            &["expected u8", "expected u16", "expected u32", "expected u64"],
            "expected a whole number from 0 on",
        ),
        (&["expected i32", "expected i64"], "expected a whole number"),
        (&["expected a sequence"], "expected a list"),
    ];
    let mut message = message.to_owned();
    for (ends, words) in ENDS {
        if let Some(begin) = ends.iter().find_map(|end| message.strip_suffix(end)) {
            message = format!("{begin}{words}");
        }
    }
    for (kind, words) in [("sequence", "a list"), ("map", "an object")] {
        if let Some(rest) = message.strip_prefix("invalid type: ").and_then(|rest| rest.strip_prefix(kind)) {
            message = format!("invalid type: {words}{rest}");
        }
    }
    message
}

/// What to write instead of a parameter that there is not, where something says it in another way.
fn words_for(message: &str) -> Option<&'static str> {
    let (given, others) = message.strip_prefix("unknown field `")?.split_once('`')?;
    pointer(&snake(given), |name| others.contains(&format!("`{name}`")))
}

/// The nearest valid name, where serde says that one is unknown: "unknown field `pth`, expected one of `path`, `limit`".
fn meant_parameter(message: &str) -> Option<&str> {
    let rest =
        message.strip_prefix("unknown field `").or_else(|| message.strip_prefix("unknown variant `"))?;
    let (given, rest) = rest.split_once('`')?;
    hint::nearest(given, rest.split('`').skip(1).step_by(2))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{fitting, in_words, meant_parameter};

    #[test]
    fn what_would_fit_is_told_by_the_schema() {
        let schema = json!({"properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 9, "default": 5},
            "mode": {"enum": ["create", "append"]},
            "edits": {"type": "array", "items": {"type": "object", "properties": {
                "old_text": {"type": "string"}, "near_line": {"type": "integer", "minimum": 0, "default": 0}}}},
        }});
        let schema = schema.as_object().unwrap();
        for (path, message, told) in [
            (".", "missing field `path`", "`path` takes a string"),
            (
                "limit",
                "invalid type: floating point `1e+30`",
                "`limit` takes a whole number from 1 to 9; 5 when it is left out",
            ),
            ("mode", "unknown variant `w`", "`mode` takes one of `create`, `append`"),
            ("edits[0]", "invalid type: null", "`edits[0]` takes an object with `old_text`, `near_line`"),
            (
                "edits",
                "invalid type",
                "`edits` takes a list; each entry is an object with `old_text`, `near_line`",
            ),
            ("edits[0]", "missing field `old_text`", "`old_text` takes a string"),
            (
                "edits[3].near_line",
                "invalid value",
                "`edits[3].near_line` takes a whole number from 0 on; 0 when it is left out",
            ),
            (
                "dry_run",
                "unknown field",
                "the tool's input schema lists the parameters, their types and limits",
            ),
        ] {
            assert_eq!(fitting(schema, path, message), told, "{path} {message}");
        }
    }

    #[test]
    fn types_are_told_in_words() {
        for (said, told) in [
            (
                "invalid value: integer `-1`, expected u32",
                "invalid value: integer `-1`, expected a whole number from 0 on",
            ),
            (
                "invalid type: floating point `2.5`, expected i64",
                "invalid type: floating point `2.5`, expected a whole number",
            ),
            ("invalid type: sequence, expected a string", "invalid type: a list, expected a string"),
            ("invalid type: map, expected a sequence", "invalid type: an object, expected a list"),
            ("missing field `path`", "missing field `path`"),
        ] {
            assert_eq!(in_words(said), told);
        }
    }

    #[test]
    fn an_unknown_parameter_is_answered_with_the_nearest() {
        let message = "unknown field `pth`, expected one of `limit`, `path` at line 1 column 6";
        assert_eq!(meant_parameter(message), Some("path"));
        let message = "unknown variant `SMART`, expected one of `smart`, `sensitive`";
        assert_eq!(meant_parameter(message), Some("smart"));
        assert_eq!(meant_parameter("missing field `path`"), None);
    }
}
