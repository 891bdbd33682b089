//! TOML into the common tree.

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::document::{Fault, Key, Node, Value};

/// Reads a whole file.
pub(super) fn read(text: &str) -> Result<Node, Fault> {
    let table = DeTable::parse(text).map_err(|error| fault(text, &error))?;
    let span = table.span();
    Ok(Node { span, value: table_of(table.into_inner()) })
}

fn fault(text: &str, error: &toml::de::Error) -> Fault {
    let span = error.span();
    if error.message() == "duplicate key"
        && let Some(span) = span
    {
        let key = text.get(span.clone()).unwrap_or_default().trim_matches(['[', ']', '"', '\'', ' ']);
        return Fault::duplicate(key, span);
    }
    Fault {
        span,
        message: format!("this is no valid TOML: {}", error.message()),
        hint: Some("a setting is written `key = value`, with text in quotes".to_owned()),
    }
}

fn table_of(table: DeTable<'_>) -> Value {
    let mut entries: Vec<(Key, Node)> = table
        .into_iter()
        .map(|(key, value)| (Key { span: key.span(), name: key.into_inner().into_owned() }, node(value)))
        .collect();
    entries.sort_by_key(|(key, _)| key.span.start);
    Value::Table(entries)
}

fn node(value: Spanned<DeValue<'_>>) -> Node {
    let span = value.span();
    let value = match value.into_inner() {
        DeValue::String(text) => Value::String(text.into_owned()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(value) => Value::Integer(value),
            Err(_) => Value::Number(number.to_string()),
        },
        DeValue::Float(number) => Value::Number(number.to_string()),
        DeValue::Boolean(value) => Value::Boolean(value),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => Value::List(items.into_iter().map(node).collect()),
        DeValue::Table(table) => table_of(table),
    };
    Node { span, value }
}
