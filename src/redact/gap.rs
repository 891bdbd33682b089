//! What stands between a name and its value, and what closes the value, however often it was written into something else: quotes
//! and signs as JSON, HTML and addresses escape them, colour codes.

use super::{rules::Class, runs::Runs};

/// How far behind a name its value may begin (`\\\"api_key\\\" :   \\\"…\\\"`).
const GAP: usize = 32;
/// No colour code is longer (`\x1b[38;2;255;255;255m`).
const COLOUR: usize = 24;
/// How people and programs write the escape character.
const ESCAPES: &[&[u8]] = &[b"\x1b", b"\\x1b", b"\\x1B", b"\\033", b"\\e", b"\\u001b", b"\\u001B"];

/// One thing of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Blank,
    Quote,
    /// `:` or `=`.
    Assigns,
    Comma,
    Angle,
    /// What is not seen.
    Colour,
}

/// What stands between a name and its value.
pub(super) struct Gap {
    /// Where the value begins.
    pub end: usize,
    /// There is a `:` or a `=`.
    pub assigns: bool,
    /// The value stands in quotes.
    pub quoted: bool,
    /// There is a comma between quotes: `("X-Api-Key", "…")`.
    pub listed: bool,
    /// There are blanks and nothing else: `password …`.
    pub blank: bool,
    /// There is a `>` and nothing else: `<password>…</password>`.
    pub element: bool,
}

impl Gap {
    pub(super) fn behind(bytes: &[u8], name_end: usize) -> Self {
        let mut end = name_end;
        let (mut first, mut last, mut count) = (None, None, 0);
        let (mut assigns, mut listed, mut blank) = (false, false, true);
        while end - name_end < GAP {
            let Some((mark, length)) = bytes.get(end..).and_then(mark) else { break };
            // A comma behind anything else than the name's own quote ends the value, which is empty.
            if mark == Mark::Comma && !(count == 1 && last == Some(Mark::Quote)) {
                break;
            }
            end += length;
            if mark == Mark::Colour {
                continue;
            }
            assigns |= mark == Mark::Assigns;
            listed |= mark == Mark::Comma;
            blank &= mark == Mark::Blank;
            first = first.or(Some(mark));
            (last, count) = (Some(mark), count + 1);
        }
        let quoted = last == Some(Mark::Quote);
        Self {
            end,
            assigns,
            quoted,
            listed: listed && quoted,
            blank: blank && count > 0,
            element: count == 1 && first == Some(Mark::Angle),
        }
    }
}

/// The mark that stands here, and its length.
fn mark(rest: &[u8]) -> Option<(Mark, usize)> {
    match rest {
        [b' ' | b'\t', ..] => Some((Mark::Blank, 1)),
        [b':' | b'=', ..] => Some((Mark::Assigns, 1)),
        [b'>', ..] => Some((Mark::Angle, 1)),
        [b',', ..] => Some((Mark::Comma, 1)),
        [b'\x1b', ..] => Some((Mark::Colour, colour(rest)?)),
        [b'"' | b'\'' | b'`', ..] => Some((Mark::Quote, 1)),
        [b'\\' | b'&' | b'%', ..] => escaped(rest),
        _ => None,
    }
}

/// The same of what is escaped.
fn escaped(rest: &[u8]) -> Option<(Mark, usize)> {
    if let Some(length) = quote(rest) {
        return Some((Mark::Quote, length));
    }
    if let Some((byte, length)) = code(rest) {
        let mark = match byte {
            b' ' | b'\t' => Mark::Blank,
            b':' | b'=' => Mark::Assigns,
            b'>' => Mark::Angle,
            _ => return Some((Mark::Colour, colour(rest)?)),
        };
        return Some((mark, length));
    }
    Some((Mark::Colour, colour(rest)?))
}

/// The length of the quote that stands here, in whatever spelling.
pub(super) fn quote(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'"' | b'\'' | b'`', ..] => Some(1),
        [b'\\', ..] => {
            let backslashes = rest.iter().take(GAP).take_while(|byte| **byte == b'\\').count();
            let is_quote = matches!(rest.get(backslashes), Some(b'"' | b'\'' | b'`'));
            if is_quote {
                Some(backslashes + 1)
            } else {
                code(rest).filter(|(byte, _)| is(*byte)).map(|code| code.1)
            }
        }
        [b'&', ..] => {
            let names: [&[u8]; 4] = [b"&quot;", b"&#34;", b"&#39;", b"&apos;"];
            names.iter().find(|name| rest.starts_with(name)).map(|name| name.len())
        }
        [b'%', ..] => code(rest).filter(|(byte, _)| is(*byte)).map(|code| code.1),
        _ => None,
    }
}

fn is(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// The byte that `\u0022` or `%22` stands for, and the length of that.
pub(super) fn code(rest: &[u8]) -> Option<(u8, usize)> {
    let (digits, length) = match rest {
        [b'%', first, second, ..] => ([*first, *second], 3),
        [b'\\', ..] => {
            let backslashes = rest.iter().take(GAP).take_while(|byte| **byte == b'\\').count();
            match rest.get(backslashes..)? {
                [b'u', b'0', b'0', first, second, ..] => ([*first, *second], backslashes + 5),
                _ => return None,
            }
        }
        _ => return None,
    };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = digit(digits[0])? * 16 + digit(digits[1])?;
    Some((byte as u8, length))
}

/// The length of the colour code that begins here.
fn colour(rest: &[u8]) -> Option<usize> {
    let escape = ESCAPES.iter().find(|escape| rest.starts_with(escape))?.len();
    let digits = rest.get(escape..)?.strip_prefix(b"[")?;
    let length = digits.iter().take(COLOUR).take_while(|byte| of_colour(**byte)).count();
    (digits.get(length) == Some(&b'm')).then_some(escape + 1 + length + 1)
}

/// True where a colour code ends.
pub(super) fn ends_with_colour(before: &[u8]) -> bool {
    let Some((b'm', code)) = before.split_last() else { return false };
    let digits = code.iter().rev().take(COLOUR).take_while(|byte| of_colour(**byte)).count();
    let escape = code.get(..code.len() - digits).and_then(|code| code.strip_suffix(b"["));
    escape.is_some_and(|escape| ESCAPES.iter().any(|written| escape.ends_with(written)))
}

fn of_colour(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b';'
}

/// The bytes of a value.
pub(super) struct Value<'t> {
    /// Where it ends.
    pub end: usize,
    /// What it says, where signs of base64 are escaped in it (`\/`, `\u002b`, `%3D`).
    pub plain: std::borrow::Cow<'t, [u8]>,
}

/// The value that begins at `start`, of at most so many bytes.
pub(super) fn value<'t>(bytes: &'t [u8], start: usize, most: usize, runs: &mut Runs<'_>) -> Value<'t> {
    let mut end = runs.end_of_value(start, most);
    let mut plain = std::borrow::Cow::Borrowed(bytes.get(start..end).unwrap_or_default());
    while let Some((sign, length)) = bytes.get(end..).and_then(sign).filter(|_| end - start < most) {
        plain.to_mut().push(sign);
        end += length;
        let rest = bytes.get(end..).unwrap_or_default();
        let more = rest.iter().take(most).take_while(|byte| Class::Base64.has(**byte)).count();
        plain.to_mut().extend_from_slice(rest.get(..more).unwrap_or_default());
        end += more;
    }
    Value { end, plain }
}

/// The sign of base64 that stands here escaped, and its length.
fn sign(rest: &[u8]) -> Option<(u8, usize)> {
    if let [b'\\', b'/', ..] = rest {
        return Some((b'/', 2));
    }
    code(rest).filter(|(byte, _)| matches!(byte, b'+' | b'/' | b'='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_behind_its_name_however_both_are_escaped() {
        for gap in [
            "=",
            ": ",
            " = '",
            "\": \"",
            "\\\": \\\"",
            "\\\\\\\": \\\\\\\"",
            "\\u0022:\\u0022",
            "&quot;: &quot;",
            "%22%3A%20%22",
            "%3D",
            "\x1b[0m=\x1b[38;5;12m",
            "\\u001b[0m: \\u001b[1;31m",
            " := `",
            "' => '",
        ] {
            let text = format!("name{gap}VALUE");
            let found = Gap::behind(text.as_bytes(), 4);
            assert_eq!((&text[found.end..], found.assigns), ("VALUE", true), "{gap}");
            assert_eq!(
                found.quoted,
                gap.trim_end().ends_with(['"', '\'', '`', ';']) || gap.ends_with("22"),
                "{gap}"
            );
        }
        let gap = |gap: &str| Gap::behind(format!("{gap}VALUE").as_bytes(), 0);
        assert!(
            gap("', '").listed
                && gap("\\\", \\\"").listed
                && !gap("', ").listed
                && !gap("\": \"\", \"").listed
        );
        assert!(gap(" ").blank && gap("\x1b[0m\t ").blank && !gap("").blank && !gap(" = ").blank);
        assert!(gap(">").element && !gap("=>").element && !gap(">>").element);
        // An empty value is one: what follows belongs to something else.
        assert_eq!(Gap::behind(b"\": \"\", \"other", 0).end, 5);
        assert_eq!(Gap::behind(b"\\n", 0).end, 0);
    }

    #[test]
    fn signs_of_a_value_may_be_escaped() {
        for (text, wanted) in [
            ("ab\\/c\\u002bd\\u003D\"", "ab/c+d="),
            ("ab%2Bc%3d&x", "ab+c="),
            ("ab\\n", "ab"),
            ("ab%20c", "ab"),
        ] {
            let found = value(text.as_bytes(), 0, 256, &mut Runs::new(text));
            assert_eq!(String::from_utf8_lossy(&found.plain), wanted);
        }
    }

    #[test]
    fn a_colour_code_is_known_from_both_sides() {
        for code in ["\x1b[0m", "\x1b[1;31m", "\\x1b[m", "\\u001b[38;2;255;255;255m", "\\033[0m", "\\e[7m"] {
            assert_eq!(
                (colour(code.as_bytes()), ends_with_colour(code.as_bytes())),
                (Some(code.len()), true),
                "{code}"
            );
        }
        for text in ["m", "am", "[0m", "1m", "\x1b[2J", ""] {
            assert!(!ends_with_colour(text.as_bytes()), "{text}");
        }
    }
}
