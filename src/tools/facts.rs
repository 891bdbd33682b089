//! The facts of a reply as JSON text: written once, without what is null, every string looked at on its way.
//!
//! A search may have a hundred thousand facts. As a tree of values they would take more time and memory than the search itself.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};

/// Looks at a string that is about to be written; `Some` is written instead.
pub type Rewrite<'a> = dyn FnMut(&str) -> Option<String> + 'a;

/// Facts whose type is no longer known.
pub trait Facts: Send {
    /// As JSON. Fields that are null are left out: the schemas say that such a field may be missing, not that it may be null.
    fn write(&self, rewrite: &mut Rewrite<'_>) -> serde_json::Result<String>;
}

impl<T: Serialize + Send> Facts for T {
    fn write(&self, rewrite: &mut Rewrite<'_>) -> serde_json::Result<String> {
        let mut bytes = Vec::new();
        self.serialize(&mut Serializer::with_formatter(&mut bytes, Compact::new(rewrite)))?;
        String::from_utf8(bytes).map_err(serde::ser::Error::custom)
    }
}

impl std::fmt::Debug for dyn Facts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Facts")
    }
}

/// Writes without spaces. A field's name waits until its value turns out not to be null.
struct Compact<'r, 'f> {
    rewrite: &'r mut Rewrite<'f>,
    /// The name that waits, with what stands in front of and behind it.
    name: Vec<u8>,
    in_name: bool,
    name_waits: bool,
    /// The string that is under way, as it is meant.
    string: String,
    /// The last string that was right as it was: names of files come many times in a row.
    right: Option<String>,
    /// For each open object, whether it has a field.
    has_fields: Vec<bool>,
}

impl<'r, 'f> Compact<'r, 'f> {
    fn new(rewrite: &'r mut Rewrite<'f>) -> Self {
        Self {
            rewrite,
            name: Vec::new(),
            in_name: false,
            name_waits: false,
            string: String::new(),
            right: None,
            has_fields: Vec::new(),
        }
    }

    /// A value comes that is not null.
    fn value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.name_waits {
            self.name_waits = false;
            if let Some(has_fields) = self.has_fields.last_mut() {
                *has_fields = true;
            }
            writer.write_all(&self.name)?;
        }
        Ok(())
    }
}

macro_rules! numbers {
    ($($name:ident: $kind:ty),+) => {
        $(fn $name<W: ?Sized + Write>(&mut self, writer: &mut W, value: $kind) -> io::Result<()> {
            self.value(writer)?;
            CompactFormatter.$name(writer, value)
        })+
    };
}

impl Formatter for Compact<'_, '_> {
    numbers! {
        write_bool: bool, write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64, write_i128: i128,
        write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64, write_u128: u128, write_f32: f32, write_f64: f64,
        write_number_str: &str, write_raw_fragment: &str
    }

    fn write_null<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if std::mem::take(&mut self.name_waits) { Ok(()) } else { writer.write_all(b"null") }
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.value(writer)?;
        writer.write_all(b"[")
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.value(writer)?;
        self.has_fields.push(false);
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.has_fields.pop();
        writer.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, _writer: &mut W, _first: bool) -> io::Result<()> {
        self.in_name = true;
        self.name.clear();
        if self.has_fields.last() == Some(&true) {
            self.name.push(b',');
        }
        Ok(())
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.in_name = false;
        Ok(())
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.name.push(b':');
        self.name_waits = true;
        Ok(())
    }

    fn begin_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.in_name {
            self.name.push(b'"');
            return Ok(());
        }
        self.string.clear();
        self.value(writer)
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        _writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if self.in_name {
            self.name.extend_from_slice(fragment.as_bytes());
        } else {
            self.string.push_str(fragment);
        }
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        _writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        if self.in_name {
            return CompactFormatter.write_char_escape(&mut self.name, escape);
        }
        self.string.push(match escape {
            CharEscape::Quote => '"',
            CharEscape::ReverseSolidus => '\\',
            CharEscape::Solidus => '/',
            CharEscape::Backspace => '\u{8}',
            CharEscape::FormFeed => '\u{c}',
            CharEscape::LineFeed => '\n',
            CharEscape::CarriageReturn => '\r',
            CharEscape::Tab => '\t',
            CharEscape::AsciiControl(byte) => char::from(byte),
        });
        Ok(())
    }

    fn end_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.in_name {
            self.name.push(b'"');
            return Ok(());
        }
        if self.right.as_ref() != Some(&self.string) {
            if let Some(instead) = (self.rewrite)(&self.string) {
                return Ok(serde_json::to_writer(writer, &instead)?);
            }
            self.right.get_or_insert_default().clone_from(&self.string);
        }
        Ok(serde_json::to_writer(writer, &self.string)?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn written(value: &Value) -> String {
        Facts::write(value, &mut |_| None).unwrap()
    }

    #[test]
    fn fields_that_are_null_are_left_out() {
        for (value, expected) in [
            (json!({"a": null, "b": 1, "c": null, "d": {"e": null}, "f": null}), r#"{"b":1,"d":{}}"#),
            (json!({"a": null}), "{}"),
            (json!([null, {"a": [null]}, {}]), r#"[null,{"a":[null]},{}]"#),
            (json!(null), "null"),
            (json!({"q\"\n": "\u{1}\\/\t"}), r#"{"q\"\n":"\u0001\\/\t"}"#),
        ] {
            assert_eq!(written(&value), expected);
        }
    }

    #[test]
    fn strings_are_rewritten_and_names_are_not() {
        let mut seen = Vec::new();
        let value = json!({"secret": ["secret", "say \"secret\"", "plain", "plain", "secret"], "x": "plain"});
        let text = Facts::write(&value, &mut |text| {
            seen.push(text.to_owned());
            text.contains("secret").then(|| text.replace("secret", "\"*\""))
        });
        assert_eq!(
            text.unwrap(),
            r#"{"secret":["\"*\"","say \"\"*\"\"","plain","plain","\"*\""],"x":"plain"}"#
        );
        assert_eq!(seen, ["secret", "say \"secret\"", "plain", "secret"]);
    }

    fn any() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            proptest::bool::ANY.prop_map(Value::from),
            proptest::num::i64::ANY.prop_map(Value::from),
            proptest::num::f64::NORMAL.prop_map(Value::from),
            "\\PC{0,6}|[\\x00-\\x20\"\\\\]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("[a-d\"\n]{0,2}", inner), 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    fn without_nulls(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.retain(|_, value| !value.is_null());
                map.values_mut().for_each(without_nulls);
            }
            Value::Array(items) => items.iter_mut().for_each(without_nulls),
            _ => {}
        }
    }

    proptest! {
        #[test]
        fn all_else_is_as_it_would_be(value in any()) {
            let mut expected = value.clone();
            without_nulls(&mut expected);
            prop_assert_eq!(written(&value), expected.to_string());
        }
    }
}
