//! Serde over the common tree: the same type errors, in the same words, whatever the language of the file.

use std::fmt::Display;

use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeSeed, Error as _, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor},
    forward_to_deserialize_any,
};

use super::{
    document::{Fault, Key, Node, Span, Value},
    written::WRITTEN,
};
use crate::{
    hint::nearest,
    limits::NAME_SHOWN_BYTES,
    text::{excerpt, prefix},
};

/// Reads `T` out of a document.
pub(super) fn read<'de, T: Deserialize<'de>>(node: &'de Node) -> Result<T, Fault> {
    T::deserialize(Reader { node }).map_err(|trouble| trouble.fault)
}

/// Serde's errors, with facts instead of a finished sentence where the sentence needs more than serde knows.
#[derive(Debug)]
pub(super) struct Trouble {
    fault: Fault,
    /// The message still waits for the name of the table.
    wants_table: bool,
    /// The message still waits for the name of the key.
    wants_key: bool,
}

impl Trouble {
    fn new(message: String, hint: Option<String>) -> Self {
        Self { fault: Fault { span: None, message, hint }, wants_table: false, wants_key: false }
    }

    /// The innermost place wins.
    fn within(mut self, span: &Span) -> Self {
        self.fault.span.get_or_insert_with(|| span.clone());
        self
    }

    fn of_a_key(mut self) -> Self {
        self.wants_key = true;
        self
    }

    fn under(mut self, key: &str) -> Self {
        if std::mem::take(&mut self.wants_key) {
            self.fault.message = format!("`{key}`: {}", self.fault.message);
        }
        self
    }

    fn in_table(mut self, name: &str) -> Self {
        if std::mem::take(&mut self.wants_table) {
            let message = &self.fault.message;
            self.fault.message = match name {
                "" => format!("{message} at the top of the file"),
                name => format!("{message} in `{name}`"),
            };
        }
        self
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.fault.message)
    }
}

impl std::error::Error for Trouble {}

impl de::Error for Trouble {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message.to_string(), None)
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(format!("expected {}, found {found}", wanted(expected)), None)
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let mut trouble = Self::new(
            format!("unknown key `{}`", excerpt(field, NAME_SHOWN_BYTES)),
            Some(did_you_mean(field, expected)),
        );
        trouble.wants_table = true;
        trouble
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(
            format!("`{}` is not one of its values", excerpt(variant, NAME_SHOWN_BYTES)),
            Some(did_you_mean(variant, expected)),
        )
        .of_a_key()
    }

    fn missing_field(field: &'static str) -> Self {
        let mut trouble = Self::new(format!("the key `{field}` is missing"), Some(format!("add `{field}`")));
        trouble.wants_table = true;
        trouble
    }
}

/// The nearest of the valid names, or all of them.
pub(super) fn did_you_mean(given: &str, valid: &[&str]) -> String {
    match nearest(prefix(given, NAME_SHOWN_BYTES), valid.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it is one of `{}`", valid.join("`, `")),
    }
}

/// Serde's word for what it wanted, in words of the file.
fn wanted(expected: &dyn de::Expected) -> String {
    match expected.to_string().as_str() {
        "u64" | "usize" | "u32" => "a whole number, 0 or more".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a boolean" => "`true` or `false`".to_owned(),
        text if text.starts_with("struct ") || text == "a map" => "a table".to_owned(),
        text if text.starts_with("enum ") => "a string".to_owned(),
        text => text.to_owned(),
    }
}

#[derive(Clone, Copy)]
struct Reader<'de> {
    node: &'de Node,
}

impl Reader<'_> {
    fn mismatch(self, expected: &dyn de::Expected) -> Trouble {
        let wanted = wanted(expected);
        let hint = match &self.node.value {
            Value::Ambiguous(text) if wanted == "a string" => Some(format!("write \"{text}\" with quotes")),
            Value::Ambiguous(text) if wanted.starts_with("`true`") => Some(bool_hint(text)),
            Value::Ambiguous(_) if wanted.starts_with("a whole number") => {
                Some("YAML readers disagree about it; write plain digits".to_owned())
            }
            Value::Ambiguous(text) if wanted == "a list" => {
                Some(format!("write [\"{text}\"], or [] for nothing"))
            }
            Value::Integer(_) | Value::Number(_) | Value::Boolean(_) | Value::Date(_)
                if wanted == "a string" =>
            {
                Some("put it in quotes".to_owned())
            }
            Value::String(_) if wanted == "a list" => Some("put it in `[` and `]`".to_owned()),
            Value::String(text)
                if wanted.starts_with("`true`") && matches!(text.as_str(), "true" | "false") =>
            {
                Some("take the quotes away".to_owned())
            }
            Value::Nothing => Some("write a value, or take the key out".to_owned()),
            Value::Table(_) if wanted == "a list" => Some(
                "in TOML, `[[` and `]]` stand around the name of each; in YAML, a `-` in front of each"
                    .to_owned(),
            ),
            _ => hint_of(&wanted),
        };
        Trouble::new(format!("expected {wanted}, found {}", self.node.value.describe()), hint)
            .within(&self.node.span)
            .of_a_key()
    }
}

/// What would work, where nothing more is known of what was meant.
fn hint_of(wanted: &str) -> Option<String> {
    let hint = match wanted {
        "a list" => "put it in `[` and `]`",
        "a table" => "write its keys, each with a value",
        "`true` or `false`" => "write `true` or `false`, without quotes",
        "a string" => "write one text in quotes, without `[`, `]`, `{` and `}`",
        wanted if wanted.starts_with("a whole number") => "write plain digits, without quotes and sign",
        _ => return None,
    };
    Some(hint.to_owned())
}

fn bool_hint(text: &str) -> String {
    let yes = matches!(text.to_ascii_lowercase().as_str(), "true" | "yes" | "on" | "y");
    format!("write `{yes}`")
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Trouble;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        let result = match &self.node.value {
            Value::Boolean(value) => accept(self, visitor, |visitor| visitor.visit_bool(*value)),
            Value::Integer(value) => match u64::try_from(*value) {
                Ok(value) => accept(self, visitor, |visitor| visitor.visit_u64(value)),
                Err(_) => accept(self, visitor, |visitor| visitor.visit_i64(*value)),
            },
            Value::String(text) => accept(self, visitor, |visitor| visitor.visit_borrowed_str(text)),
            Value::List(items) => {
                accept(self, visitor, |visitor| visitor.visit_seq(Items { items: items.iter() }))
            }
            Value::Table(entries) => accept(self, visitor, |visitor| {
                visitor.visit_map(Entries { rest: entries.iter(), value: None, key: "" })
            }),
            Value::Nothing | Value::Number(_) | Value::Date(_) | Value::Ambiguous(_) => {
                Err(self.mismatch(&visitor))
            }
        };
        result.map_err(|trouble| trouble.within(&self.node.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        // What stands in the file is there; an empty value is an error of its type and no absent key.
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        if name == WRITTEN {
            return visitor.visit_map(Place { node: self.node, next: 0 });
        }
        // Serde would also take a list for a struct, field by field.
        if !matches!(self.node.value, Value::Table(_)) {
            return Err(self.mismatch(&"a table"));
        }
        self.deserialize_any(visitor).map_err(|trouble| trouble.in_table(name))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        match &self.node.value {
            Value::String(text) => visitor
                .visit_enum(text.as_str().into_deserializer())
                .map_err(|trouble: Trouble| trouble.within(&self.node.span)),
            Value::List(_) | Value::Table(_) => {
                let mut trouble = self.mismatch(&"a string");
                trouble.fault.hint = Some(format!("write one of \"{}\"", variants.join("\", \"")));
                Err(trouble)
            }
            _ => Err(self.mismatch(&"a string")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// Hands a value to a visitor; a visitor of another type answers with serde's words, which are replaced by ours.
fn accept<'de, V: Visitor<'de>>(
    reader: Reader<'de>,
    visitor: V,
    visit: impl FnOnce(V) -> Result<V::Value, Trouble>,
) -> Result<V::Value, Trouble> {
    let expected = (&visitor as &dyn de::Expected).to_string();
    visit(visitor).map_err(|trouble| {
        if trouble.fault.span.is_none() && trouble.fault.message.starts_with("expected ") {
            return reader.mismatch(&expected.as_str());
        }
        trouble
    })
}

struct Items<'de> {
    items: std::slice::Iter<'de, Node>,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Trouble;
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Trouble> {
        self.items.next().map(|node| seed.deserialize(Reader { node })).transpose()
    }
}

struct Entries<'de> {
    rest: std::slice::Iter<'de, (Key, Node)>,
    value: Option<&'de Node>,
    key: &'de str,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Trouble;
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Trouble> {
        let Some((key, node)) = self.rest.next() else { return Ok(None) };
        self.value = Some(node);
        self.key = &key.name;
        seed.deserialize(KeyReader { key }).map(Some).map_err(|trouble| trouble.within(&key.span))
    }
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Trouble> {
        let node =
            self.value.take().ok_or_else(|| Trouble::custom("bug: a value was asked for before its key"))?;
        let key = std::mem::take(&mut self.key);
        seed.deserialize(Reader { node }).map_err(|trouble| trouble.under(key))
    }
}

#[derive(Clone, Copy)]
struct KeyReader<'de> {
    key: &'de Key,
}

impl<'de> Deserializer<'de> for KeyReader<'de> {
    type Error = Trouble;
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_borrowed_str(&self.key.name)
    }
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        if name == WRITTEN {
            return visitor.visit_map(KeyPlace { key: self.key, next: 0 });
        }
        self.deserialize_any(visitor)
    }
    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Answers [`Written`](super::written::Written): start, end, and then the value itself.
struct Place<'de> {
    node: &'de Node,
    next: u8,
}

impl<'de> MapAccess<'de> for Place<'de> {
    type Error = Trouble;
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Trouble> {
        place_key(&mut self.next, seed)
    }
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Trouble> {
        match self.next {
            1 => seed.deserialize(self.node.span.start.into_deserializer()),
            2 => seed.deserialize(self.node.span.end.into_deserializer()),
            _ => seed.deserialize(Reader { node: self.node }),
        }
    }
}

struct KeyPlace<'de> {
    key: &'de Key,
    next: u8,
}

impl<'de> MapAccess<'de> for KeyPlace<'de> {
    type Error = Trouble;
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Trouble> {
        place_key(&mut self.next, seed)
    }
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Trouble> {
        match self.next {
            1 => seed.deserialize(self.key.span.start.into_deserializer()),
            2 => seed.deserialize(self.key.span.end.into_deserializer()),
            _ => seed.deserialize(KeyReader { key: self.key }),
        }
    }
}

fn place_key<'de, K: DeserializeSeed<'de>>(next: &mut u8, seed: K) -> Result<Option<K::Value>, Trouble> {
    let Some(name) = ["start", "end", "value"].get(usize::from(*next)) else { return Ok(None) };
    *next += 1;
    seed.deserialize(de::value::BorrowedStrDeserializer::new(name)).map(Some)
}
