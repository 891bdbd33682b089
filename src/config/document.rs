//! What both languages are read into: values with the place where they stand. One tree, so that one set of rules and of words
//! serves TOML and YAML alike.

use std::{borrow::Cow, ops::Range};

/// Bytes of the file.
pub(super) type Span = Range<usize>;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub span: Span,
    pub value: Value,
}

/// A key and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Key {
    pub span: Span,
    pub name: String,
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Nothing,
    Boolean(bool),
    Integer(i64),
    /// A fraction, a number out of range or in another base: as written.
    Number(String),
    String(String),
    Date(String),
    /// Unquoted YAML that other readers take for something else than text: `no`, `010`, `1_000`.
    Ambiguous(String),
    List(Vec<Node>),
    /// In the order of the file.
    Table(Vec<(Key, Node)>),
}

/// Why a file is no document, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub span: Option<Span>,
    pub message: String,
    pub hint: Option<String>,
}

impl Fault {
    pub(super) fn at(span: Span, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { span: Some(span), message: message.into(), hint: Some(hint.into()) }
    }

    /// The same key twice in one table.
    pub(super) fn duplicate(key: &str, span: Span) -> Self {
        Self::at(span, format!("the key `{key}` is written twice"), "keep one of them")
    }
}

impl Value {
    /// What it is, for messages.
    pub(super) fn describe(&self) -> Cow<'static, str> {
        match self {
            Self::Nothing => "nothing".into(),
            Self::Boolean(value) => format!("the boolean `{value}`").into(),
            Self::Integer(value) => format!("the number `{value}`").into(),
            Self::Number(text) => format!("the number `{text}`").into(),
            Self::String(text) => format!("the string \"{}\"", crate::text::prefix(text, 60)).into(),
            Self::Date(text) => format!("the date `{text}`").into(),
            Self::Ambiguous(text) => format!("`{text}` without quotes").into(),
            Self::List(_) => "a list".into(),
            Self::Table(_) => "a table".into(),
        }
    }
}
