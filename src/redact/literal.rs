//! Values that end where their quote, their element or their line does, whatever stands in them: passwords have signs, and each
//! format escapes other ones.

use std::borrow::Cow;

use super::gap::{Value, code, quote};

/// Blanks in front of a comment.
const BLANKS: usize = 96;
/// The longest one.
const MOST: usize = 512;
/// What HTML and XML write for signs of their own.
const ENTITIES: [(&[u8], u8); 8] = [
    (b"&amp;", b'&'),
    (b"&lt;", b'<'),
    (b"&gt;", b'>'),
    (b"&quot;", b'"'),
    (b"&apos;", b'\''),
    (b"&#39;", b'\''),
    (b"&#34;", b'"'),
    (b"&#x27;", b'\''),
];
/// Quotes that are escaped as a whole, as they open and close.
const WRITTEN: [&[u8]; 6] = [b"&quot;", b"&#34;", b"&#39;", b"&apos;", b"%22", b"%27"];

/// How a literal was opened.
enum Opening<'t> {
    /// By a quote behind so many backslashes.
    Quote(u8, usize),
    /// By what closes it, letter by letter.
    Written(&'t [u8]),
}

impl<'t> Opening<'t> {
    /// Of what stands behind `before`.
    fn of(before: &'t [u8]) -> Option<Self> {
        if let [front @ .., quote @ (b'"' | b'\'' | b'`')] = before {
            return Some(Self::Quote(*quote, backslashes(front.iter().rev())));
        }
        if let Some(written) = WRITTEN.iter().find(|written| before.ends_with(written)) {
            return Some(Self::Written(written));
        }
        // `\u0022`, and typographic ones, whose other half differs in the last byte alone.
        let front = before.strip_suffix(b"u0022").or_else(|| before.strip_suffix(b"u0027"));
        let length = match front {
            Some(front) => 5 + backslashes(front.iter().rev()),
            None => {
                return matches!(before, [.., 0xe2, 0x80, 0x98..=0x9d]).then_some(Self::Written(b"\xe2\x80"));
            }
        };
        before.len().checked_sub(length).and_then(|at| before.get(at..)).map(Self::Written)
    }
}

fn backslashes<'b>(bytes: impl Iterator<Item = &'b u8>) -> usize {
    bytes.take(32).take_while(|byte| **byte == b'\\').count()
}

/// The value in quotes that begins at `start`: up to its own quote, on its line, with what is escaped in it read as what it says.
pub(super) fn in_quotes(bytes: &[u8], start: usize) -> Option<Value<'_>> {
    in_quotes_of(bytes, start, start)
}

/// The same in quotes that opened in front of `opened`: behind the name of a scheme.
pub(super) fn in_quotes_of(bytes: &[u8], start: usize, opened: usize) -> Option<Value<'_>> {
    let opening = Opening::of(bytes.get(..opened)?)?;
    let rest = bytes.get(start..)?;
    let rest = rest.get(..MOST).unwrap_or(rest);
    let mut plain = Vec::new();
    let mut at = 0;
    loop {
        let here = rest.get(at..).filter(|here| !here.is_empty())?;
        let escapes = backslashes(here.iter());
        let (byte, length) = match opening {
            Opening::Quote(quote, depth) if escapes == depth && here.get(depth) == Some(&quote) => {
                match doubled(here, quote, depth).filter(|_| at > 0) {
                    Some(length) => (quote, length),
                    None => break,
                }
            }
            // The quote of what is around it: this one was never closed.
            Opening::Quote(quote, depth) if escapes < depth && here.get(escapes) == Some(&quote) => {
                return None;
            }
            Opening::Written(written) if here.starts_with(written) => break,
            Opening::Written(b"%22" | b"%27") if here.starts_with(b"%") => code(here)?,
            _ => read(here, escapes)?,
        };
        plain.push(byte);
        at += length;
    }
    Some(Value { end: start + at, plain: Cow::Owned(plain) })
}

/// True where the quote that opened in front of `opened` is closed at `end`; where none did, whatever stands there.
pub(super) fn closes(bytes: &[u8], (opened, start): (usize, usize), end: usize) -> bool {
    let rest = bytes.get(end..).unwrap_or_default();
    match bytes.get(..opened).and_then(Opening::of) {
        None => quote(rest).is_some(),
        Some(Opening::Written(written)) => rest.starts_with(written),
        Some(Opening::Quote(quote, depth)) => {
            backslashes(rest.iter()) == depth
                && rest.get(depth) == Some(&quote)
                && doubled(rest, quote, depth).is_none_or(|_| start == end)
        }
    }
}

/// A part of an address of a database: up to `;`, a quote or a blank.
pub(super) fn in_part(bytes: &[u8], start: usize) -> Option<Value<'_>> {
    let rest = bytes.get(start..)?;
    let rest = rest.get(..MOST).unwrap_or(rest);
    let mut plain = Vec::new();
    let mut at = 0;
    while let Some(here) = rest.get(at..).filter(|here| !here.is_empty()) {
        let is_over = matches!(here.first(), Some(b';' | b' ' | b'\n' | b'\r')) || quote(here).is_some();
        let next = if is_over { None } else { read(here, backslashes(here.iter())) };
        let Some((byte, length)) = next else { break };
        plain.push(byte);
        at += length;
    }
    (at < MOST).then(|| Value { end: start + at, plain: Cow::Owned(plain) })
}

/// All that is left of a line, without a blank in it; what closes a sentence or a statement is none of it.
pub(super) fn in_line(bytes: &[u8], start: usize) -> Option<Value<'_>> {
    let rest = bytes.get(start..)?;
    let rest = rest.get(..MOST).unwrap_or(rest);
    let mut plain = Vec::new();
    let (mut at, mut end, mut length) = (0, 0, 0);
    while let Some(here) =
        rest.get(at..).filter(|here| !here.is_empty() && !matches!(here.first(), Some(b'\n' | b'\r')))
    {
        if is_over(here) {
            plain.truncate(length);
            return (end > 0).then(|| Value { end: start + end, plain: Cow::Owned(plain) });
        }
        let (byte, taken) = read(here, backslashes(here.iter())).filter(|(byte, _)| *byte != b' ')?;
        plain.push(byte);
        at += taken;
        if byte.is_ascii_alphanumeric() {
            (end, length) = (at, plain.len());
        }
    }
    plain.truncate(length);
    (at < MOST && end > 0).then(|| Value { end: start + end, plain: Cow::Owned(plain) })
}

/// True where nothing but blanks and a comment is left of a line.
pub(super) fn is_over(rest: &[u8]) -> bool {
    let blanks = rest.iter().take(BLANKS).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    blanks > 0 && matches!(rest.get(blanks..), Some([] | [b'\n' | b'\r' | b'#', ..]))
}

/// The length of a quote that is written twice, as SQL, YAML and C# have it in a string of their own, or as shells join two (`'\\''`).
fn doubled(here: &[u8], quote: u8, depth: usize) -> Option<usize> {
    match here {
        [one, two, three, ..] if depth == 0 && [*one, *two] == [quote; 2] && *three != quote => Some(2),
        [b'\'', b'\\', b'\'', b'\'', ..] if depth == 0 => Some(4),
        _ => None,
    }
}

/// The text of an element that begins at `start`.
pub(super) fn in_element(bytes: &[u8], start: usize) -> Option<Value<'_>> {
    let rest = bytes.get(start..)?;
    let rest = rest.get(..MOST).unwrap_or(rest);
    let end = memchr::memchr(b'<', rest)?;
    let rest = rest.get(..=end)?;
    let mut plain = Vec::new();
    let mut at = 0;
    loop {
        let here = rest.get(at..).filter(|here| !here.is_empty())?;
        if here.starts_with(b"<") || here.starts_with(b"]]>") {
            return Some(Value { end: start + at, plain: Cow::Owned(plain) });
        }
        let (byte, length) = if here.starts_with(b"\\") { (b'\\', 1) } else { read(here, 0)? };
        plain.push(byte);
        at += length;
    }
}

/// What stands here behind so many backslashes, and its length; nothing where a line ends, or what no password has begins.
fn read(here: &[u8], escapes: usize) -> Option<(u8, usize)> {
    let first = *here.first()?;
    if first == b'&' {
        let entity = ENTITIES.iter().find(|(entity, _)| here.starts_with(entity));
        return Some(entity.map_or((b'&', 1), |(entity, byte)| (*byte, entity.len())));
    }
    if !first.is_ascii() {
        return letter(here);
    }
    if escapes == 0 {
        return (first.is_ascii_graphic() || first == b' ').then_some((first, 1));
    }
    if let Some((byte, length)) = code(here) {
        let letter = if byte >= 0xc0 { 0xc3 } else { 0xc2 };
        let is_one = byte.is_ascii_graphic() || byte > 0xa0;
        return is_one.then_some((if byte.is_ascii() { byte } else { letter }, length));
    }
    match here.get(escapes)? {
        // A backslash of its own in front of a letter, or the end of a line that is written so.
        b'n' | b'r' | b't' | b'0' if escapes == 1 => None,
        byte if byte.is_ascii_alphanumeric() || escapes.is_multiple_of(2) => Some((b'\\', escapes)),
        byte if byte.is_ascii_graphic() => Some((*byte, escapes + 1)),
        _ => None,
    }
}

/// A letter or a sign that European keyboards have, as one byte, and its length. Dashes, dots and quotes of a sentence are none.
fn letter(here: &[u8]) -> Option<(u8, usize)> {
    match here {
        [0xc2, 0xa1..=0xbf, ..] => Some((0xc2, 2)),
        [first @ 0xc3..=0xdf, _, ..] => Some((*first, 2)),
        // `€`.
        [0xe2, 0x82, _, ..] => Some((0xc2, 3)),
        _ => None,
    }
}

/// True for a byte of a letter that has two of them; behind `0xc2` there is a blank, too.
pub(super) fn is_letter(byte: u8) -> bool {
    (0x80..=0xdf).contains(&byte) && byte != 0xc2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a string in quotes begins, and what is read of it.
    fn next_in_quotes(bytes: &[u8], from: usize) -> Option<(usize, Value<'_>)> {
        let start = from + quote(bytes.get(from..)?)?;
        Some((start, in_quotes(bytes, start)?))
    }

    #[test]
    fn a_value_ends_at_its_own_quote_and_is_read_as_what_it_says() {
        for (text, wanted) in [
            (r#""a\u0026b\u003cc" x"#, Some("a&b<c")),
            (r#""a\"b\\c\/d" x"#, Some(r#"a"b\c/d"#)),
            (r#"\"a\\u0026b\\\"c\", x"#, Some(r#"a&b"c"#)),
            (r#"\"a" x"#, None),
            (r#"'a"b' x"#, Some("a\"b")),
            ("&quot;a&amp;b&lt;&quot; x", Some("a&b<")),
            ("%22a%21b%22", Some("a!b")),
            (r"\u0022ab\u0022", Some("ab")),
            ("'a''b' x", Some("a'b")),
            (r"'a'\''b' x", Some("a'b")),
            ("\"a\nb\"", None),
            (r#""a\nb""#, None),
            ("\"—\"", None),
            ("\"a", None),
        ] {
            let found = next_in_quotes(text.as_bytes(), 0);
            let plain = found.as_ref().map(|(_, value)| String::from_utf8_lossy(&value.plain).into_owned());
            assert_eq!(plain.as_deref(), wanted, "{text}");
            let behind = found.map(|(_, value)| &text[value.end..]);
            assert!(behind.is_none_or(|rest| quote(rest.as_bytes()).is_some()), "{text}");
        }
        let found = in_element(b"a&amp;b&lt;c</x>", 0).unwrap();
        assert_eq!((found.plain.as_ref(), found.end), (&b"a&b<c"[..], 12));
        assert!(in_element(b"a\nb</x>", 0).is_none());
    }
}
