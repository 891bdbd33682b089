//! YAML into the common tree: the plain part of the language.
//!
//! Anchors, aliases, tags and a second document are refused: they make a file mean something else than what a reader sees.
//! An unquoted scalar is what YAML 1.2 says; where YAML 1.1 says something else (`no`, `010`), it is neither.

use serde_saphyr::granit_parser::{
    ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, Span as Mark, StrInput, options,
};

use super::document::{Fault, Key, Node, Span, Value};

/// Deeper than any configuration; a parser of nested brackets must end somewhere.
const DEPTH: usize = 16;

/// Reads a whole file.
pub(super) fn read(text: &str) -> Result<Node, Fault> {
    let options = options! { emit_anchor_events: true, emit_unresolved_aliases: true, emit_comments: false };
    let mut reader = Reader { text, events: Parser::new_from_str_with_options(text, options), documents: 0 };
    let mut root = None;
    while let Some((event, span)) = reader.next()? {
        match event {
            Event::DocumentStart(..) => {
                reader.documents += 1;
                if reader.documents > 1 {
                    return Err(Fault::at(
                        span,
                        "a second document begins here",
                        "a configuration is one document",
                    ));
                }
            }
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            event => root = Some(reader.node(event, span, 0)?),
        }
    }
    let nothing = Node { span: 0..0, value: Value::Table(Vec::new()) };
    Ok(root.filter(|root| root.value != Value::Nothing).unwrap_or(nothing))
}

struct Reader<'a> {
    text: &'a str,
    events: Parser<'a, StrInput<'a>>,
    documents: usize,
}

impl<'a> Reader<'a> {
    /// The next event that is no comment.
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, Fault> {
        loop {
            match self.events.next() {
                None => return Ok(None),
                Some(Ok((Event::Comment(..), _))) => {}
                Some(Ok((event, mark))) => {
                    let span = span_of(self.text, &mark);
                    refuse_properties(&event, &mark, &span, self.text)?;
                    return Ok(Some((event, span)));
                }
                Some(Err(error)) => return Err(syntax(self.text, &error)),
            }
        }
    }

    fn following(&mut self) -> Result<(Event<'a>, Span), Fault> {
        let end = self.text.len();
        self.next()?.ok_or_else(|| Fault::at(end..end, "the file ends too early", "close what is open"))
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, Fault> {
        if depth > DEPTH {
            return Err(Fault::at(
                span,
                format!("this is nested deeper than {DEPTH} levels"),
                "no setting is",
            ));
        }
        let value = match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) => plain(&text),
            Event::Scalar(text, ..) => Value::String(text.into_owned()),
            Event::SequenceStart(..) => {
                let (value, end) = self.list(depth)?;
                return Ok(Node { span: span.start..end, value });
            }
            Event::MappingStart(..) => {
                let (value, end) = self.table(depth)?;
                return Ok(Node { span: span.start..end, value });
            }
            _ => {
                return Err(Fault::at(
                    span,
                    "a value belongs here",
                    "write a string, a number, a list or a table",
                ));
            }
        };
        Ok(Node { span, value })
    }

    fn list(&mut self, depth: usize) -> Result<(Value, usize), Fault> {
        let mut items = Vec::new();
        loop {
            match self.following()? {
                (Event::SequenceEnd, span) => return Ok((Value::List(items), span.end)),
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn table(&mut self, depth: usize) -> Result<(Value, usize), Fault> {
        let mut entries: Vec<(Key, Node)> = Vec::new();
        loop {
            let key = match self.following()? {
                (Event::MappingEnd, span) => return Ok((Value::Table(entries), span.end)),
                (Event::Scalar(name, ..), span) => Key { span, name: name.into_owned() },
                (_, span) => {
                    return Err(Fault::at(span, "a key has to be a plain word", "write `key: value`"));
                }
            };
            if entries.iter().any(|(known, _)| known.name == key.name) {
                return Err(Fault::duplicate(&key.name, key.span));
            }
            let (event, span) = self.following()?;
            let value = self.node(event, span, depth + 1)?;
            entries.push((key, value));
        }
    }
}

/// Anchors, aliases and tags, each an error of its own.
fn refuse_properties(event: &Event<'_>, mark: &Mark, span: &Span, text: &str) -> Result<(), Fault> {
    if let Event::Alias(_) | Event::UnresolvedAlias(_) = event {
        return Err(alias(span.clone()));
    }
    if let Event::Anchor(..) = event {
        return Err(Fault::at(
            span.clone(),
            "a YAML anchor (`&`) is not allowed",
            "write the value where it is used, in quotes if it begins with `&`",
        ));
    }
    let tagged = match event {
        Event::Scalar(.., tag) | Event::SequenceStart(.., tag) | Event::MappingStart(.., tag) => {
            tag.is_some()
        }
        _ => false,
    };
    if tagged || mark.tag_span().is_some() {
        let span = mark.tag_span().map_or_else(|| span.clone(), |tag| span_of(text, &tag));
        return Err(Fault::at(
            span,
            "a YAML tag (`!`) is not allowed",
            "quote the value if it begins with `!`",
        ));
    }
    Ok(())
}

fn alias(span: Span) -> Fault {
    Fault::at(
        span,
        "a YAML alias (`*`) is not allowed",
        "write the value itself, in quotes if it begins with `*`",
    )
}

fn syntax(text: &str, error: &ScanError) -> Fault {
    let start = byte_of(text, error.marker());
    if let ErrorKind::UnknownAnchor = error.kind() {
        return alias(start..start);
    }
    let message = format!("this is no valid YAML: {}", error.info());
    let before = text.get(..start).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let line = text.get(line..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let item = line.trim_start().strip_prefix("- ").map(str::trim_start);
    let hint = match item.and_then(|item| item.chars().next()) {
        Some(first @ ('{' | '[' | '%' | '@' | '`')) => {
            format!("write the value in quotes, since it begins with `{first}`")
        }
        _ => {
            "a setting is written `key: value`, and the keys of one table begin in the same column".to_owned()
        }
    };
    Fault::at(start..start, message, hint)
}

fn span_of(text: &str, mark: &Mark) -> Span {
    mark.byte_range().unwrap_or_else(|| byte_of(text, &mark.start)..byte_of(text, &mark.end))
}

fn byte_of(text: &str, marker: &Marker) -> usize {
    marker
        .byte_offset()
        .unwrap_or_else(|| text.char_indices().nth(marker.index()).map_or(text.len(), |(byte, _)| byte))
}

/// What an unquoted scalar means.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Nothing,
        "true" => return Value::Boolean(true),
        "false" => return Value::Boolean(false),
        _ => {}
    }
    let word = text.to_ascii_lowercase();
    if matches!(word.as_str(), "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n") {
        return Value::Ambiguous(text.to_owned());
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_decimal && (digits == "0" || !digits.starts_with('0')) && !text.starts_with('+') {
        return text.parse().map_or_else(|_| Value::Number(text.to_owned()), Value::Integer);
    }
    let number_like = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits
            .chars()
            .all(|character| character.is_ascii_hexdigit() || "xXoO_.:-+TZ ".contains(character))
        && digits.contains(|character: char| character.is_ascii_digit());
    let special = matches!(word.trim_start_matches(['-', '+']), ".inf" | ".nan");
    if special || (number_like && text.parse::<f64>().is_ok() && !is_decimal) {
        return Value::Number(text.to_owned());
    }
    if number_like { Value::Ambiguous(text.to_owned()) } else { Value::String(text.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_mean_what_a_reader_sees_or_nothing() {
        let ambiguous = |text: &str| Value::Ambiguous(text.to_owned());
        for text in
            ["no", "YES", "off", "True", "y", "010", "0x1f", "0o17", "1_000", "12:30", "2026-07-28", "+5"]
        {
            assert_eq!(plain(text), ambiguous(text), "{text}");
        }
        for text in
            ["app", "~/src", "-p", "--flag", "3rd", "v1.2", "a: b", ".", "..", "nothing", "ab12", "./x"]
        {
            assert_eq!(plain(text), Value::String(text.to_owned()), "{text}");
        }
        assert_eq!(plain("12"), Value::Integer(12));
        assert_eq!(plain("-3"), Value::Integer(-3));
        assert_eq!(plain("1.5"), Value::Number("1.5".to_owned()));
        assert_eq!(plain("~"), Value::Nothing);
    }

    #[test]
    fn spans_are_bytes_of_the_file() {
        let text = "ä: [\"b\", c]\n";
        let Value::Table(entries) = read(text).unwrap().value else { panic!("no table") };
        let (key, node) = &entries[0];
        assert_eq!(text.get(key.span.clone()), Some("ä"));
        let Value::List(items) = &node.value else { panic!("no list") };
        assert_eq!(text.get(items[0].span.clone()), Some("\"b\""));
        assert_eq!(text.get(items[1].span.clone()), Some("c"));
    }
}
