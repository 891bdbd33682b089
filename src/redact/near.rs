//! Secrets that stand near their name and not behind it: in a call, a block, a field of the same thing that is called its value.
//!
//! Between a name and its value programs write nearly anything. So only what nobody would write by hand is taken for one here, and
//! only where nothing says that it is something else.

use super::{
    context::is_pattern,
    find::Span,
    gap::{Value, code, quote},
    literal::{in_element, in_quotes},
    random::{
        ends_with_word, is_account, is_constant, is_key, is_name, is_path, is_strong, is_uuid,
        reads_as_words, takes_turns,
    },
};

/// How far behind its name it may begin, how many lines below, and how many strings and elements in between.
const NEAR: usize = 160;
const LINES: usize = 4;
/// Blanks at the end of a line, and its return.
const LINE_END: usize = 16;
const STRINGS: usize = 5;
/// How many values one name has at most.
const VALUES: usize = 3;
/// The shortest secret.
const LEAST: usize = 16;
/// How long the words between a name and its `: ` may be.
const WORDS: usize = 48;
/// How far what begins there is looked at.
const PLAIN: usize = 256;

/// What says what a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    /// Nothing of its own.
    None,
    /// It is the value of what was named, or what it is without one (`"value": …`, `ParameterValue: …`, `default = …`).
    Value,
    /// What the next thing is called.
    Name,
    Other,
}

/// Things that are told apart by ids: `token issued for user: 5f0c3d7a-…` says whose it is.
const WITH_IDS: &[&str] = &[
    "account",
    "client",
    "cluster",
    "correlation",
    "customer",
    "device",
    "event",
    "group",
    "instance",
    "job",
    "message",
    "node",
    "order",
    "organization",
    "pod",
    "project",
    "request",
    "resource",
    "run",
    "session",
    "subscription",
    "task",
    "team",
    "tenant",
    "trace",
    "transaction",
    "user",
    "workflow",
];

/// Words for such an id itself.
const IDS: &[&str] = &["id", "guid", "uuid"];

/// True where what stands between a name and its `:` says that the value tells which one it is; of a UUID also without a word for it.
fn says_which(between: &[u8], is_uuid: bool) -> bool {
    let before = between.trim_ascii_end();
    let before = before.strip_suffix(b":").unwrap_or(before).trim_ascii_end();
    let of_word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let length = before.iter().rev().take(WORDS).take_while(of_word).count();
    // `API key for project: …` is its key.
    let is_its = between.starts_with(b" for ");
    before
        .get(before.len() - length..)
        .is_some_and(|word| ends_with_word(word, IDS) || is_uuid && !is_its && ends_with_word(word, WITH_IDS))
}

/// The secrets near a name that ends at `name_end`: one, or more that are all said to be its value.
pub(super) fn near(bytes: &[u8], name_end: usize, is_password: bool) -> Vec<Span> {
    let mut found = Vec::new();
    look(bytes, name_end, is_password, &mut found);
    found
}

/// `None` where it ended.
fn look(bytes: &[u8], name_end: usize, is_password: bool, all: &mut Vec<Span>) -> Option<()> {
    let mut at = name_end + accessors(bytes.get(name_end..)?);
    // `NetworkCredential("user", "…")`.
    let is_call = bytes.get(name_end) == Some(&b'(');
    let mut limit = (name_end + NEAR).min(bytes.len());
    let bytes = bytes.get(..bytes.len().min(limit + 2 * PLAIN + NEAR))?;
    // The name's own quote closes it.
    at += bytes.get(at..).and_then(quote).unwrap_or_default();
    let (mut apart, mut lines, mut strings) = (false, 0, 0);
    while at < limit {
        let rest = bytes.get(at..)?;
        let is_first = all.is_empty();
        let found = match rest.first()? {
            b'"' | b'\'' | b'`' | b'\\' | b'&' | b'%' if quote(rest).is_some() => {
                let (length, begin) = (quote(rest)?, at);
                if strings == STRINGS {
                    return None;
                }
                strings += 1;
                if let Some(short) = short_string(rest) {
                    at += short;
                    continue;
                }
                // One that is never closed is none, and those behind it would be read from within.
                let value = in_quotes(bytes, at + length)?;
                let start = at + length;
                at = value.end + bytes.get(value.end..).and_then(quote).unwrap_or(1);
                // Nearly all are too short to be asked about.
                let is_its = || match field_before(bytes, begin, name_end) {
                    Field::Value => true,
                    Field::None => !apart && is_first,
                    Field::Name | Field::Other => false,
                };
                (value.plain.len() >= LEAST && is_its()).then_some((start, value))
            }
            b'<' if rest.starts_with(b"<![CDATA[") && !apart => {
                at += b"<![CDATA[".len();
                in_element(bytes, at).map(|value| (at, value))
            }
            b'>' if strings < STRINGS => {
                (at, strings) = (at + 1, strings + 1);
                let between = bytes.get(name_end..at - 1)?;
                // `<token type="string">…`.
                let is_own = !apart && between.starts_with(b" ") && !between.contains(&b'<');
                let is_its = is_first && (is_own || is_value_element(bytes.get(..at - 1)?));
                is_its.then(|| in_element(bytes, at).map(|value| (at, value))).flatten()
            }
            b':' | b'=' => {
                at += 1;
                let blanks = rest.iter().skip(1).take_while(|byte| **byte == b' ').count();
                let field = field_before(bytes, at + blanks, name_end);
                // What is called by another name has another value.
                if field == Field::Name && !is_first {
                    return None;
                }
                let between = bytes.get(name_end..at - 1)?;
                let is_said = rest.first() == Some(&b':')
                    && !apart
                    && strings == 0
                    && blanks > 0
                    && is_first
                    && is_words(between);
                // What is counted, or where something was made, is told in the same way.
                let may_be_hex = is_password || between.ends_with(b" is");
                let is_hex = |value: &Value<'_>| value.plain.iter().all(u8::is_ascii_hexdigit);
                let is_said_of = |value: &Value<'_>| {
                    (may_be_hex || !is_hex(value)) && !says_which(between, is_uuid(&value.plain))
                };
                let start = at + blanks;
                let plain = || plain(bytes, start).map(|value| (start, value));
                match field {
                    // `default::name` is a path.
                    Field::Value if blanks > 0 || rest.first() == Some(&b'=') => plain(),
                    // `Password for admin: …`.
                    _ if is_said => plain().filter(|(_, value)| is_said_of(value)),
                    _ => None,
                }
            }
            b'}' => return None,
            b'/' if !is_first && rest.starts_with(b"/>") => return None,
            b',' if is_call && strings == 1 => {
                at += 1;
                None
            }
            b',' | b';' => {
                (apart, at) = (true, at + 1);
                None
            }
            b'\n' => {
                (apart, lines, at) = (true, lines + 1, at + 1);
                let is_blank = matches!(rest.get(1), Some(b'\n' | b'\r'));
                let is_next = || matches!(rest.trim_ascii_start(), [b'-', b' ', ..] | [b'[', ..]);
                if lines > LINES || is_blank || !is_first && is_next() {
                    return None;
                }
                // What opens at the end of a line goes on in the next one.
                let line = bytes.get(at.saturating_sub(LINE_END)..at - 1)?.trim_ascii_end();
                if matches!(line, [.., b'(' | b'[' | b'{' | b'\\']) {
                    apart = lines > 1;
                }
                None
            }
            b'\\' if matches!(rest.get(1), Some(b'n' | b'r')) => {
                (apart, at) = (true, at + 2);
                None
            }
            _ => {
                at += 1;
                None
            }
        };
        if let Some((start, value)) = found.filter(|(_, value)| is_secret(&value.plain)) {
            if is_first {
                (limit, lines, strings) = ((value.end + NEAR).min(bytes.len()), 1, 1);
            }
            at = at.max(value.end);
            all.push(Span::new(start, value.end, "assigned_secret"));
            if all.len() == VALUES {
                return None;
            }
        }
    }
    None
}

/// The length of a string that is too short for a secret, as nearly all are: its quotes are found and nothing in it is read.
fn short_string(rest: &[u8]) -> Option<usize> {
    let quote = rest.first().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let inside = rest.get(1..=LEAST).unwrap_or_default();
    let end = memchr::memchr2(*quote, b'\\', inside)?;
    (inside.get(end) == Some(quote)).then_some(end + 2)
}

/// `{ get; set; }`, which is no block that ends here.
fn accessors(rest: &[u8]) -> usize {
    let is_one = rest.starts_with(b" { get") || rest.starts_with(b" {get");
    let end = rest.iter().take(WORDS).position(|byte| *byte == b'}');
    end.filter(|_| is_one).map_or(0, |end| end + 1)
}

/// What the field is called whose value begins at `start`, if it is one.
fn field_before(bytes: &[u8], start: usize, name_end: usize) -> Field {
    let before = bytes.get(..start).unwrap_or_default().trim_ascii_end();
    let Some((b':' | b'=', before)) = before.split_last() else { return Field::None };
    if matches!(before.last(), Some(b'=' | b'!' | b':' | b'?' | b'+' | b'<' | b'>')) {
        return Field::None;
    }
    let before = before.trim_ascii_end();
    let front = without_quote(before);
    let of_word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'-' | b'.');
    let length = front.iter().rev().take(NEAR).take_while(of_word).count();
    let word = front.get(front.len() - length..).unwrap_or_default();
    let ends =
        |end: &[u8]| word.len().checked_sub(end.len()).is_some_and(|at| word[at..].eq_ignore_ascii_case(end));
    match () {
        () if length == 0 || front.len() <= name_end => Field::None,
        () if ends(b"value") || ends(b"default") => Field::Value,
        () if ends(b"name") || ends(b"key") => Field::Name,
        () => Field::Other,
    }
}

fn without_quote(text: &[u8]) -> &[u8] {
    let plain = match text {
        [front @ .., b'"' | b'\'' | b'`'] => front,
        [front @ .., b'&', b'q', b'u', b'o', b't', b';'] => front,
        _ => text,
    };
    if let Some(at) = plain.len().checked_sub(6).filter(|at| code(&plain[*at..]).is_some()) {
        return &plain[..at];
    }
    let backslashes = plain.iter().rev().take_while(|byte| **byte == b'\\').count();
    &plain[..plain.len() - backslashes]
}

/// True behind `<value`, `<ns:value`.
fn is_value_element(before: &[u8]) -> bool {
    let length =
        before.iter().rev().take(WORDS).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b':');
    let length = length.count();
    let (front, name) = before.split_at(before.len() - length);
    front.ends_with(b"<")
        && name.len().checked_sub(5).is_some_and(|at| name[at..].eq_ignore_ascii_case(b"value"))
}

/// True for what people say between the name of something and what it is.
fn is_words(between: &[u8]) -> bool {
    between.len() <= WORDS
        && between.starts_with(b" ")
        && between.iter().any(u8::is_ascii_alphanumeric)
        && between.iter().all(|byte| byte.is_ascii_alphanumeric() || b" @'-._()".contains(byte))
}

/// What stands here without quotes, up to a blank.
fn plain(bytes: &[u8], start: usize) -> Option<Value<'_>> {
    let rest = bytes.get(start..)?;
    let is_solid = |byte: &&u8| byte.is_ascii_graphic() && !b"\"'`\\<,;".contains(byte);
    let length = rest.iter().take(PLAIN).take_while(is_solid).count();
    let is_over = rest.get(length).is_none_or(|byte| byte.is_ascii_whitespace() || b"\\\",;".contains(byte));
    (is_over && length < PLAIN)
        .then(|| Value { end: start + length, plain: rest.get(..length).unwrap_or_default().into() })
}

/// True for what nobody wrote.
pub(super) fn is_secret(value: &[u8]) -> bool {
    if value.len() < LEAST {
        return false;
    }
    let is_one = is_strong(value) || is_key(value) && takes_turns(value);
    is_one
        && !value.iter().any(u8::is_ascii_whitespace)
        && !is_pattern(value)
        && !is_account(value)
        && !is_name(value)
        && !is_constant(value)
        && !is_path(value)
        && !reads_as_words(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "a8Kd0sP3mQ7xZ1vB5nW9";

    fn found(text: &str) -> Option<&str> {
        let text = text.strip_prefix("NAME")?;
        near(text.as_bytes(), 0, false).first().map(|span| &text[span.start..span.end])
    }

    #[test]
    fn a_secret_is_known_near_its_name() {
        for text in [
            r#"NAME := []byte("@")"#,
            r#"NAME": {"value": "@"}"#,
            "NAME\": {\n  \"sensitive\": true,\n  \"value\": \"@\"\n}",
            r#"NAME", "ParameterValue": "@"}"#,
            "NAME\n  ParameterValue: @\n",
            "NAME\" {\n  type = string\n  default = \"@\"\n}",
            "NAME</name>\n<value>@</value>",
            "NAME><![CDATA[@]]></password>",
            r#"NAME { get; set; } = "@";"#,
            "NAME') ?: '@';",
            "NAME', default='@')",
            "NAME = (\n    \"@\"\n)",
            "NAMES = [\n    \"@\",\n]",
            "NAMES := []string{\n\t\"@\",\n}",
            "NAME for user admin: @",
            "NAME != \"@\" {",
            r#"NAME("user", "@")"#,
            r#"NAME type="string">@</token>"#,
            "NAME = new String(\"@\");",
        ] {
            assert_eq!(found(&text.replace('@', SECRET)), Some(SECRET), "{text}");
        }
        for text in [
            r#"NAME": {"id": "@"}"#,
            r#"NAME": "x", "commit": "@"}"#,
            "NAME\"\nversion = \"1\"\nchecksum = \"@\"",
            "NAME = x;\nother(\"@\")",
            "NAME }\nvalue = \"@\"",
            "NAME\n\nvalue = \"@\"",
            "NAME + other: @",
            "NAME =\n value::inner::@",
        ] {
            assert_eq!(found(&text.replace('@', SECRET)), None, "{text}");
        }
        for value in [
            "readFromTheStorage2",
            "/usr/lib/node_modules/Foo2",
            "${API_KEY}aB3dE6gH9k",
            "MAX_TOKENS_2_AND_3",
        ] {
            assert_eq!(found(&format!("NAME := []byte(\"{value}\")")), None, "{value}");
        }
    }
}
