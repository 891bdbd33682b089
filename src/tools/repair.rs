//! Arguments that nearly fit: what a model plainly meant is put right and told, anything else stays an error. Pure.
//!
//! Models write the parameter names of the tools they were trained on, numbers as strings, `null` for "not given". None of that
//! is worth a failed call; a guess about *what* to do would be, so values are never invented or changed.

use serde_json::{Map, Value, json};

use super::foreign_names::{ALIASES, LAST_LINES, is_brake, may_be_seconds, pointer, switched};
use crate::{
    hint::nearest,
    limits::{NAME_SHOWN_BYTES, STRANGERS_NAMED},
    text::{self, excerpt},
};

/// The parameters that a name can stand for: itself, and what other tools call so.
pub fn parameters_meant(name: &str) -> impl Iterator<Item = &str> {
    let snake = snake(name);
    std::iter::once(name)
        .chain(ALIASES.iter().filter(move |(alias, _)| *alias == snake).map(|(_, meant)| *meant))
}

/// True for a name that a parameter may be given by.
pub fn may_mean(name: &str, parameter: &str) -> bool {
    snake(name) == parameter || parameters_meant(name).any(|meant| meant == parameter)
}

/// What a parameter is given as, by its own name or, where that is not there, by another that it may be given by.
pub fn given<'v>(arguments: &'v Value, parameter: &str) -> Option<&'v Value> {
    let by_another = || {
        let mut given = arguments.as_object()?.iter();
        given.find(|(name, _)| may_mean(name, parameter)).map(|(_, value)| value)
    };
    arguments.get(parameter).or_else(by_another)
}

#[expect(clippy::cast_sign_loss, reason = "asked of what is not negative")]
fn positive(float: f64) -> u64 {
    float as u64
}

/// The number that a value is read as, where it is one.
pub fn number_meant(value: &Value) -> Option<u64> {
    let whole = || value.as_f64().filter(|float| float.fract() == 0.0 && *float >= 0.0).map(positive);
    value.as_u64().or_else(whole).or_else(|| value.as_str()?.trim().parse().ok())
}

/// The arguments as they were meant, and what was put right; `None` when there is nothing to put right, or it must not be.
pub fn repair(schema: &Map<String, Value>, arguments: &Value, changes: bool) -> Option<(Value, Vec<String>)> {
    let Repaired { arguments, notes, braked } = as_far_as_it_goes(schema, arguments, changes)?;
    (!braked && !notes.is_empty()).then_some((arguments, notes))
}

/// Arguments in which everything that can be put right is.
pub(super) struct Repaired {
    pub arguments: Value,
    /// What was put right.
    pub notes: Vec<String>,
    /// A parameter that there is not, and that must not be left out, is still in them.
    pub braked: bool,
}

/// What is wrong with the result is wrong with the call; `None` where nobody can say what was meant.
pub(super) fn as_far_as_it_goes(
    schema: &Map<String, Value>,
    arguments: &Value,
    changes: bool,
) -> Option<Repaired> {
    let mut told = Told::default();
    let repaired = object(schema, arguments.as_object()?, "", changes, &mut told)?;
    Some(Repaired { arguments: Value::Object(repaired), notes: told.notes, braked: told.braked })
}

/// What comes up on the way.
#[derive(Default)]
struct Told {
    notes: Vec<String>,
    braked: bool,
}

fn object(
    schema: &Map<String, Value>,
    given: &Map<String, Value>,
    place: &str,
    changes: bool,
    told: &mut Told,
) -> Option<Map<String, Value>> {
    let nothing = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
    let mut repaired = Map::new();
    let mut strangers = Vec::new();
    for (name, value) in given {
        if properties.contains_key(name) {
            repaired.insert(name.clone(), value.clone());
        } else {
            strangers.push((name, value));
        }
    }
    // What says where it ends is understood by what says where it begins.
    strangers.sort_by_key(|(name, _)| LAST_LINES.contains(&snake(name).as_str()));
    let mut left_out = 0;
    for (name, value) in strangers {
        if let Some(limit) = limit_up_to(name, value, &repaired, properties) {
            told.notes.push(format!("`{place}{}` was taken for `{place}limit`: {limit}", shown(name)));
            repaired.insert("limit".to_owned(), Value::from(limit));
        } else if let Some((meant, value)) =
            switched(&snake(name), value, |wanted| properties.contains_key(wanted))
                .filter(|(meant, _)| !repaired.contains_key(*meant) && !given.contains_key(*meant))
        {
            told.notes.push(format!("`{place}{}` was taken for `{place}{meant}`: {value}", shown(name)));
            repaired.insert(meant.to_owned(), value);
        } else if let Some(meant) = meant(name, properties).filter(|meant| {
            !(repaired.contains_key(*meant) || changes && may_be_seconds(&snake(name), value, meant))
        }) {
            let value = match (value, properties[meant]["type"].as_str()) {
                // A list of one for a single one; of several, leaving out all but one would answer something else.
                (Value::Array(items), Some("string")) => items.first().filter(|_| items.len() == 1)?,
                _ => value,
            };
            // The unit is what may have been meant otherwise.
            let unit = number_meant(value).filter(|_| meant.ends_with("_ms"));
            let unit = unit.map(|number| format!(": {number} milliseconds")).unwrap_or_default();
            told.notes.push(format!("`{place}{}` was taken for `{place}{meant}`{unit}", shown(name)));
            repaired.insert(meant.to_owned(), value.clone());
        } else if let Some((list, item)) =
            item_of(name, properties).filter(|(list, _)| !given.contains_key(*list))
        {
            // `old_text` beside `path` instead of in `edits`.
            let entry = repaired.entry(list).or_insert_with(|| json!([{}]));
            entry[0][item] = value.clone();
            told.notes.push(format!("`{}` was taken for `{list}[0].{item}`", shown(name)));
        } else if changes && is_brake(&snake(name), value, given, |wanted| properties.contains_key(wanted)) {
            told.braked = true;
            repaired.insert(name.clone(), value.clone());
        } else {
            left_out += 1;
            if left_out > STRANGERS_NAMED {
                continue;
            }
            let near =
                || nearest(text::prefix(name, NAME_SHOWN_BYTES), properties.keys().map(String::as_str));
            let hint = match pointer(&snake(name), |wanted| properties.contains_key(wanted)) {
                Some(words) => format!("; {words}"),
                None => near().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default(),
            };
            told.notes.push(format!("there is no parameter `{place}{}`: it was left out{hint}", shown(name)));
        }
    }
    if left_out > STRANGERS_NAMED {
        told.notes
            .push(format!("{} more parameters that there are not were left out", left_out - STRANGERS_NAMED));
    }
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    repaired.retain(|name, value| {
        let spare = value.is_null() && !required.contains(&name.as_str());
        if spare {
            told.notes.push(format!("`{place}{name}` is null: its default was taken"));
        }
        !spare
    });
    for (name, value) in &mut repaired {
        if let Some(property) = properties.get(name).and_then(Value::as_object) {
            fit(property, value, &format!("{place}{name}"), changes, told)?;
        }
    }
    Some(repaired)
}

/// A name that a caller made up, as far as it helps to know it.
fn shown(name: &str) -> String {
    excerpt(name, NAME_SHOWN_BYTES)
}

/// Puts the type of one value right, where only one meaning is possible.
fn fit(
    property: &Map<String, Value>,
    value: &mut Value,
    name: &str,
    changes: bool,
    told: &mut Told,
) -> Option<()> {
    let wanted = property.get("type").and_then(Value::as_str).unwrap_or_default();
    let parsed = match (wanted, &*value) {
        ("integer", Value::String(text)) => text.trim().parse::<i64>().ok().map(Value::from),
        ("integer", Value::Number(number)) if number.as_i64().is_none() && number.as_u64().is_none() => {
            number
                .as_f64()
                .filter(|float| float.fract() == 0.0 && float.abs() < 9e15)
                .map(|float| Value::from(float as i64))
        }
        ("boolean", Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        ("string", Value::Number(number)) => Some(Value::String(number.to_string())),
        ("array", Value::String(text)) if text.trim_start().starts_with('[') => {
            serde_json::from_str::<Value>(text).ok().filter(Value::is_array)
        }
        ("array", Value::String(text))
            if property.get("items").is_some_and(|items| items["type"] == "string") =>
        {
            Some(json!([text]))
        }
        ("array", Value::Object(_)) => Some(json!([value])),
        _ => None,
    };
    if let Some(parsed) = parsed {
        let is = if value.is_string() {
            "a string"
        } else if value.is_object() {
            "one object"
        } else {
            "a number"
        };
        told.notes.push(format!("`{name}` is {is}: it was read as {}", article(wanted)));
        *value = parsed;
    }
    if let Value::Array(list) = &mut *value
        && property.get("items").is_some_and(|items| items["type"] == "string")
        && list.iter().any(Value::is_number)
    {
        for item in list.iter_mut().filter(|item| item.is_number()) {
            *item = Value::String(item.to_string());
        }
        told.notes.push(format!("`{name}` has a number in it: it was read as a string"));
    }
    if let (Some(items), Value::Array(list)) = (property.get("items").and_then(Value::as_object), &mut *value)
    {
        for (index, item) in list.iter_mut().enumerate() {
            if let Value::Object(given) = item
                && items.contains_key("properties")
            {
                let place = format!("{name}[{index}].");
                *item = Value::Object(object(items, given, &place, changes, told)?);
            }
        }
    }
    Some(())
}

/// How many lines there are up to the last one that a call names.
fn limit_up_to(
    name: &str,
    value: &Value,
    repaired: &Map<String, Value>,
    properties: &Map<String, Value>,
) -> Option<u64> {
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    let fits = properties.contains_key("start_line") && properties.contains_key("limit");
    if !fits || repaired.contains_key("limit") || !LAST_LINES.contains(&snake(name).as_str()) {
        return None;
    }
    let first = repaired.get("start_line").map_or(Some(1), number).filter(|first| *first > 0)?;
    (number(value)? + 1).checked_sub(first).filter(|limit| *limit > 0)
}

fn article(kind: &str) -> &'static str {
    match kind {
        "integer" => "an integer",
        "boolean" => "a boolean",
        "array" => "a list",
        _ => "a string",
    }
}

/// The parameter that a foreign name stands for.
fn meant<'a>(name: &str, properties: &'a Map<String, Value>) -> Option<&'a str> {
    let snake = snake(name);
    let own = |wanted: &str| properties.get_key_value(wanted).map(|(name, _)| name.as_str());
    own(&snake)
        .or_else(|| ALIASES.iter().filter(|(alias, _)| *alias == snake).find_map(|(_, meant)| own(meant)))
}

/// The list whose items have this parameter.
fn item_of<'a>(name: &str, properties: &'a Map<String, Value>) -> Option<(&'a str, &'a str)> {
    properties.iter().find_map(|(list, property)| {
        let items = property.get("items")?.get("properties")?.as_object()?;
        Some((list.as_str(), meant(name, items)?))
    })
}

/// `filePath` and `file-path` as `file_path`.
pub(super) fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut lower = false;
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            if lower {
                snake.push('_');
            }
            snake.push(character.to_ascii_lowercase());
        } else {
            snake.push(if character == '-' || character == ' ' { '_' } else { character });
        }
        lower = character.is_ascii_lowercase() || character.is_ascii_digit();
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Map<String, Value> {
        let schema = json!({"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string"},
            "start_line": {"type": "integer"},
            "limit": {"type": "integer"},
            "line_numbers": {"type": "boolean"},
            "paths": {"type": "array", "items": {"type": "string"}},
            "edits": {"type": "array", "items": {"type": "object", "required": ["old_text"], "properties": {
                "old_text": {"type": "string"}, "new_text": {"type": "string"}, "near_line": {"type": "integer"}}}}}});
        schema.as_object().unwrap().clone()
    }

    fn check(given: Value, expected: Value, told: &[&str]) {
        let (repaired, notes) = repair(&schema(), &given, false).unwrap();
        assert_eq!(repaired, expected);
        for words in told {
            assert!(notes.iter().any(|note| note.contains(words)), "{words} is not in {notes:?}");
        }
    }

    #[test]
    fn what_is_made_up_is_told_in_few_words() {
        let mut given = json!({"path": "a"});
        given["y".repeat(1_000_000)] = json!(1);
        for number in 0..1000 {
            given[format!("zz{number}")] = json!(1);
        }
        let (repaired, notes) = repair(&schema(), &given, false).unwrap();
        assert_eq!(repaired, json!({"path": "a"}));
        assert!(notes.len() <= STRANGERS_NAMED + 1 && notes.concat().len() < 10_000, "{}", notes.len());
        assert_eq!(notes.last().unwrap(), "985 more parameters that there are not were left out");
    }

    #[test]
    fn a_brake_stays_in_what_is_put_right_as_far_as_it_goes() {
        let given = json!({"file_path": "a", "dry_run": true});
        assert!(repair(&schema(), &given, true).is_none());
        let repaired = as_far_as_it_goes(&schema(), &given, true).unwrap();
        assert!(repaired.braked);
        assert_eq!(repaired.arguments, json!({"path": "a", "dry_run": true}));
    }

    #[test]
    fn what_was_plainly_meant_is_put_right_and_told() {
        check(json!({"file_path": "a"}), json!({"path": "a"}), &["`file_path` was taken for `path`"]);
        check(
            json!({"filePath": "a", "lineNumbers": "false"}),
            json!({"path": "a", "line_numbers": false}),
            &["`lineNumbers`", "a boolean"],
        );
        check(
            json!({"path": "a", "limit": "20"}),
            json!({"path": "a", "limit": 20}),
            &["`limit` is a string: it was read as an integer"],
        );
        check(json!({"path": "a", "limit": 20.0}), json!({"path": "a", "limit": 20}), &["an integer"]);
        check(json!({"path": 7}), json!({"path": "7"}), &["a string"]);
        check(
            json!({"path": "a", "head": 3}),
            json!({"path": "a"}),
            &["`head`: it was left out; `limit` says"],
        );
        check(
            json!({"path": "a", "start_line": 3, "end_line": 2}),
            json!({"path": "a", "start_line": 3}),
            &["`end_line`: it was left out; `start_line` and `limit`"],
        );
        check(json!({"path": "a", "limit": null}), json!({"path": "a"}), &["its default was taken"]);
        check(
            json!({"path": "a", "lmit": 3}),
            json!({"path": "a"}),
            &["no parameter `lmit`", "did you mean `limit`"],
        );
        check(json!({"path": "a", "paths": "b"}), json!({"path": "a", "paths": ["b"]}), &["a list"]);
        check(json!({"path": "a", "paths": "[\"b\"]"}), json!({"path": "a", "paths": ["b"]}), &["a list"]);
        check(
            json!({"file_path": "a", "old_string": "x", "new_string": "y"}),
            json!({"path": "a", "edits": [{"old_text": "x", "new_text": "y"}]}),
            &["`old_string` was taken for `edits[0].old_text`"],
        );
        check(
            json!({"path": "a", "edits": {"oldText": "x", "near_line": "4"}}),
            json!({"path": "a", "edits": [{"old_text": "x", "near_line": 4}]}),
            &["one object", "`edits[0].oldText`", "`edits[0].near_line`"],
        );
    }

    #[test]
    fn where_it_ends_is_how_much() {
        let told = "`end_line` was taken for `limit`: 3";
        check(
            json!({"path": "a", "end_line": 7, "start_line": 5}),
            json!({"path": "a", "start_line": 5, "limit": 3}),
            &[told],
        );
        check(
            json!({"path": "a", "end_line": "7", "line": "5"}),
            json!({"path": "a", "start_line": 5, "limit": 3}),
            &[told],
        );
        check(json!({"path": "a", "end_line": 3}), json!({"path": "a", "limit": 3}), &[told]);
        for given in [json!({"end_line": 3, "limit": 2}), json!({"end_line": 3, "start_line": 9})] {
            let (repaired, notes) = repair(&schema(), &given, false).unwrap();
            assert!(!repaired.as_object().unwrap().contains_key("end_line"), "{repaired}");
            assert!(notes.iter().any(|note| note.contains("it was left out")), "{notes:?}");
        }
    }

    #[test]
    fn a_list_of_one_is_one_and_several_are_not() {
        let only = json!({"type": "object", "properties": {"path": {"type": "string"}}});
        let only = only.as_object().unwrap();
        let (repaired, notes) = repair(only, &json!({"paths": ["a"]}), false).unwrap();
        assert_eq!((repaired, notes.len()), (json!({"path": "a"}), 1));
        assert_eq!(repair(only, &json!({"paths": ["a", "b"]}), false), None);
        check(
            json!({"path": "a", "paths": [1, "b"]}),
            json!({"path": "a", "paths": ["1", "b"]}),
            &["a number"],
        );
    }

    #[test]
    fn nothing_is_guessed() {
        assert_eq!(repair(&schema(), &json!({"path": "a"}), false), None);
        assert_eq!(repair(&schema(), &json!([1]), false), None);
        // Two values for one parameter: the known name counts, the other is told.
        check(json!({"path": "a", "file_path": "b"}), json!({"path": "a"}), &["no parameter `file_path`"]);
        for value in [json!("many"), json!(1.5), json!([1])] {
            assert!(repair(&schema(), &json!({"path": "a", "limit": value}), false).is_none());
        }
    }

    #[test]
    fn a_brake_is_never_left_out_where_something_changes() {
        for name in ["dry_run", "dryRun", "preview"] {
            assert_eq!(repair(&schema(), &json!({"path": "a", name: true}), true), None);
            assert!(repair(&schema(), &json!({"path": "a", name: true}), false).is_some());
        }
        let edit = |edit: Value| json!({"path": "a", "edits": [edit]});
        for (given, is_refused) in [
            (edit(json!({"old_text": "a", "expected_replacements": 2})), true),
            (edit(json!({"old_text": "a", "expectedCount": 1})), false),
            (json!({"path": "a", "encoding": "base64"}), true),
            (json!({"path": "a", "encoding": "UTF-8"}), false),
        ] {
            assert_eq!(repair(&schema(), &given, true).is_none(), is_refused, "{given}");
        }
        let patch = json!({"type": "object", "properties": {"patch": {"type": "string"}}});
        for (given, is_refused) in [
            (json!({"patch": "p", "path": "sub"}), true),
            (json!({"patch": "p", "cwd": "."}), false),
            (json!({"patch": "p", "reverse": true}), true),
            (json!({"patch": "p", "reverse": false}), false),
        ] {
            assert_eq!(repair(patch.as_object().unwrap(), &given, true).is_none(), is_refused, "{given}");
        }
    }

    #[test]
    fn switches_of_searchers_are_words() {
        let schema = json!({"type": "object", "properties": {"pattern": {"type": "string"},
            "case": {"type": "string"}, "literal": {"type": "boolean"}, "context": {"type": "integer"}}});
        for (given, meant) in [
            (json!({"pattern": "a", "-i": true}), json!({"pattern": "a", "case": "insensitive"})),
            (
                json!({"pattern": "a", "caseSensitive": "false"}),
                json!({"pattern": "a", "case": "insensitive"}),
            ),
            (json!({"pattern": "a", "is_regex": false}), json!({"pattern": "a", "literal": true})),
            (json!({"pattern": "a", "-C": 2}), json!({"pattern": "a", "context": 2})),
            (json!({"pattern": "a", "case": "smart", "-i": true}), json!({"pattern": "a", "case": "smart"})),
        ] {
            assert_eq!(repair(schema.as_object().unwrap(), &given, false).unwrap().0, meant, "{given}");
        }
    }
}
