//! What stands between a name and its value, and what closes the value, however often it was written into something else: quotes
//! and signs as JSON, HTML and addresses escape them, colour codes.

mod value;

pub(super) use self::value::{Value, value};
use super::{colour::colour, rules::Class};

/// How far behind a name its value may begin (`\\\"api_key\\\" :   \\\"…\\\"`).
const GAP: usize = 32;
/// Blanks that do not count there: in columns the longest name says where the values begin.
const PADDED: usize = 160;
/// How long a type, a function around the value or the word `value` with all its signs may be.
const BRIDGE: usize = 48;
/// Signs of several bytes that give a value.
const GIVE: &[&[u8]] = &[b"||=", b"??=", b"?=", b"->", b"<-"];
/// What stands between a value and the one that is taken where there is none.
const ELSE: &[&[u8]] = &[b"||", b"??", b" or "];

/// One thing of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Blank,
    Quote,
    /// `:` or `=`.
    Assigns,
    Comma,
    Angle,
    /// `]` or `)`: `config['secret_key'] = …`.
    Closes,
    /// Between the cells of a table.
    Bar,
    /// `||`, `or`.
    Else,
    /// What is not seen.
    Colour,
}

/// What stands between a name and its value.
pub(super) struct Gap {
    /// Where the value begins.
    pub end: usize,
    /// Where its quotes opened, if that is further in front (`"Bearer …"`).
    pub opened: usize,
    /// There is a `:` or a `=`.
    pub assigns: bool,
    /// The value stands in quotes.
    pub quoted: bool,
    /// It is the next one of a list, a table, a call: `("X-Api-Key", "…")`, `| api key | …`, `setToken("…")`.
    pub listed: bool,
    /// There are blanks and nothing else, but for quotes around the value: `password …`.
    pub blank: bool,
    /// There is a `>` and nothing else: `<password>…</password>`.
    pub element: bool,
}

impl Gap {
    pub(super) fn behind(bytes: &[u8], name_end: usize) -> Self {
        let mut gap = Self::marks(bytes, name_end, name_end + GAP);
        if let Some(end) = behind_value(bytes, name_end, &gap) {
            let mut named = Self::marks(bytes, end, end + GAP);
            if named.assigns || named.element {
                named.within(bytes);
                return named;
            }
        }
        // `$self->{password} = …`.
        if let Some(end) = behind_brace(bytes, name_end) {
            let field = Self::marks(bytes, end, end + GAP);
            if bytes.get(end..field.end).is_some_and(|signs| signs.contains(&b'=')) {
                return field;
            }
        }
        if gap.assigns {
            gap.end += tag(bytes.get(gap.end..).unwrap_or_default());
            gap.within(bytes);
        }
        if !gap.quoted
            && !gap.element
            && let Some(end) = behind_type(bytes, name_end)
        {
            return Self {
                end,
                opened: usize::MAX,
                assigns: true,
                quoted: true,
                listed: false,
                blank: false,
                element: false,
            };
        }
        // `setToken("…")`.
        if gap.end == name_end
            && bytes.get(name_end) == Some(&b'(')
            && let Some(length) = opening(bytes.get(name_end..).unwrap_or_default())
        {
            return Self { end: name_end + length, quoted: true, listed: true, ..gap };
        }
        gap
    }

    /// Reads signs up to a value, or up to `most`.
    fn marks(bytes: &[u8], from: usize, most: usize) -> Self {
        let (mut end, mut most) = (from, most);
        let (mut first, mut last, mut count) = (None, None, 0);
        let (mut assigns, mut listed, mut blank, mut other) = (false, false, true, false);
        while end < most {
            let rest = bytes.get(end..).unwrap_or_default();
            // What is a sign by itself may open a block (`token: >-`).
            if assigns && line_break(rest).is_some() {
                break;
            }
            let Some((mark, length)) = mark(rest) else { break };
            // A comma behind anything else than the name's own quote ends the value, which is empty.
            let is_over = match mark {
                Mark::Comma => !(count == 1 && last == Some(Mark::Quote)),
                Mark::Bar => assigns || listed,
                Mark::Closes | Mark::Else => assigns || listed || (last == Some(Mark::Quote) && count > 1),
                _ => false,
            };
            if is_over {
                break;
            }
            end += length;
            if mark == Mark::Blank && end <= from + PADDED {
                most += length;
            }
            if mark == Mark::Colour {
                continue;
            }
            assigns |= mark == Mark::Assigns;
            listed |= matches!(mark, Mark::Comma | Mark::Bar);
            other |= mark == Mark::Else;
            blank &= mark == Mark::Blank || mark == Mark::Quote && last == Some(Mark::Blank);
            first = first.or(Some(mark));
            (last, count) = (Some(mark), count + 1);
        }
        let quoted = last == Some(Mark::Quote);
        let in_table = listed && !quoted && last == Some(Mark::Blank) && first == Some(Mark::Blank);
        Self {
            end,
            opened: usize::MAX,
            assigns,
            quoted,
            listed: (listed || other) && quoted || in_table,
            blank: blank && count > 0,
            element: last == Some(Mark::Angle) && (count == 1 || count == 2 && first == Some(Mark::Quote)),
        }
    }

    /// Goes on to the first value within what is assigned: in the next line, in a list, in a call, behind the letter of a string.
    fn within(&mut self, bytes: &[u8]) {
        if self.quoted || self.element {
            return;
        }
        if let Some(length) = bytes.get(self.end..).and_then(line_break) {
            self.end += length;
            let next = Self::marks(bytes, self.end, self.end + GAP);
            if !next.assigns && !next.listed {
                (self.end, self.quoted) = (next.end, next.quoted);
            }
        }
        if !self.quoted
            && let Some(length) = opening(bytes.get(self.end..).unwrap_or_default())
        {
            (self.end, self.quoted) = (self.end + length, true);
        }
    }
}

/// Where the signs begin that stand behind the word `value`: `name: TOKEN` and `value: "…"` are two lines of one thing, or two parts of it,
/// and `<key>TOKEN</key><string>` is another way to say so.
fn behind_value(bytes: &[u8], name_end: usize, gap: &Gap) -> Option<usize> {
    if gap.assigns || gap.listed && !gap.quoted {
        return None;
    }
    let near = bytes.get(name_end..)?;
    let near = near.get(..BRIDGE).unwrap_or(near);
    if let Some(rest) = near.strip_prefix(b"</") {
        let close = rest.iter().position(|byte| *byte == b'>')?;
        let (name, next) = (rest.get(..close)?, rest.get(close + 1..)?);
        let blanks = next.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let blanks = blanks + next.get(blanks..).and_then(line_break).unwrap_or_default();
        let is_next = matches!(name, b"key" | b"string") && next.get(blanks..)?.starts_with(b"<string>");
        return is_next.then_some(name_end + 2 + close + 1 + blanks + b"<string".len());
    }
    let mut at = 0;
    let (mut breaks, mut commas, mut quotes) = (0, 0, 0);
    loop {
        let rest = near.get(at..)?;
        if rest.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"value")) {
            let is_apart = at > 0 && (breaks + commas + quotes > 0);
            return is_apart.then_some(name_end + at + 5);
        }
        at += match rest {
            [b' ' | b'\t', ..] => 1,
            [b',', ..] if commas == 0 => {
                commas += 1;
                1
            }
            [b'\n' | b'\r', ..] if breaks == 0 => {
                breaks += 1;
                line_break(rest)?
            }
            _ if quotes < 2 => {
                quotes += 1;
                quote(rest)?
            }
            _ => return None,
        };
    }
}

/// Where the brace is closed that stands around the name of a field: behind `{password}`, `{'password'}`. A variable's is none.
fn behind_brace(bytes: &[u8], name_end: usize) -> Option<usize> {
    let closing = name_end + bytes.get(name_end..).and_then(quote).unwrap_or_default();
    if bytes.get(closing) != Some(&b'}') {
        return None;
    }
    let name =
        bytes.get(..name_end)?.iter().rev().take(BRIDGE).take_while(|byte| Class::Word.has(**byte)).count();
    let quotes = closing - name_end;
    let before = bytes.get(..(name_end - name).checked_sub(quotes)?)?;
    matches!(before, [.., b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'>' | b'}', b'{']).then_some(closing + 1)
}

/// The length of what YAML says of a value in front of it: `!!str `, `&anchor `.
fn tag(rest: &[u8]) -> usize {
    let marks = rest.iter().take(2).take_while(|byte| matches!(byte, b'!' | b'&')).count();
    let word = rest.iter().skip(marks).take(GAP).take_while(|byte| Class::Word.has(**byte)).count();
    let is_one = marks > 0 && word > 0 && rest.get(marks + word) == Some(&b' ');
    if is_one { marks + word + 1 } else { 0 }
}

/// Where the value begins behind a type: `API_KEY: &str = "…"`, `apiKey string = "…"`, `api_key[] = "…"`.
fn behind_type(bytes: &[u8], name_end: usize) -> Option<usize> {
    let of_type = |byte: u8| byte.is_ascii_alphanumeric() || b"_&<>[]'*.: ?|".contains(&byte);
    let near = bytes.get(name_end..)?;
    let near = near.get(..BRIDGE).unwrap_or(near);
    let sign = near.iter().position(|byte| !of_type(*byte)).filter(|at| *at > 0)?;
    let rest = near.get(sign..)?.strip_prefix(b"=")?;
    if matches!(near.get(sign - 1), Some(b'<' | b'>' | b'|')) {
        return None;
    }
    let blanks = rest.iter().take_while(|byte| **byte == b' ').count();
    Some(name_end + sign + 1 + blanks + opening(rest.get(blanks..)?)?)
}

/// How long that is which stands in front of the value of a string, its quote with it: `b"`, `@"`, `["`, `Some("`, `Secret::new('`.
fn opening(rest: &[u8]) -> Option<usize> {
    let of_path = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':');
    let path = rest.iter().take(BRIDGE).take_while(|byte| of_path(byte)).count();
    let mut end = match rest.get(path)? {
        b'(' | b'[' => path + 1,
        b'@' | b'$' if path == 0 => 1,
        b'#' if path == 1 => 2,
        _ if (1..=2).contains(&path) => path,
        _ => 0,
    };
    // A name in front of a bracket is a place in something, and no list.
    if path > 0 && rest.get(path) == Some(&b'[') {
        return None;
    }
    let blanks = rest.get(end..)?.iter().take(GAP).take_while(|byte| **byte == b' ').count();
    if matches!(rest.get(end - usize::from(end > 0)), Some(b'(' | b'[')) {
        end += blanks;
    }
    Some(end + quote(rest.get(end..)?)?)
}

/// The length of the end of a line and of what stands in front of the text of the next one: blanks, the number of the line, the sign of a
/// difference or of an item. A block of YAML has its sign first.
pub(super) fn line_break(rest: &[u8]) -> Option<usize> {
    let block = match rest {
        [b'|' | b'>', b'-' | b'+', ..] => 2,
        [b'|' | b'>', ..] => 1,
        _ => 0,
    };
    let behind = rest.get(block..)?;
    let end = match behind {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => return None,
    };
    let line = behind.get(end..)?;
    let blanks = |from: usize| {
        line.get(from..)
            .unwrap_or_default()
            .iter()
            .take(GAP)
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count()
    };
    let mut at = blanks(0);
    let digits = line.get(at..)?.iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 && matches!(line.get(at + digits), Some(b'|' | b':' | b'-' | b'\t')) {
        at += digits + 1;
    }
    at += blanks(at);
    for _ in 0..2 {
        if matches!(line.get(at), Some(b'+' | b'-')) {
            at += 1 + blanks(at + 1);
        }
    }
    Some(block + end + at)
}

/// The mark that stands here, and its length.
fn mark(rest: &[u8]) -> Option<(Mark, usize)> {
    let several = |signs: &[&[u8]], mark: Mark| {
        signs.iter().find(|sign| rest.starts_with(sign)).map(|sign| (mark, sign.len()))
    };
    match rest {
        [b' ', b'o', b'r', b' ', ..] => Some((Mark::Else, 4)),
        [b' ', b'i', b's', b' ', ..] => Some((Mark::Blank, 4)),
        [b' ' | b'\t', ..] => Some((Mark::Blank, 1)),
        [b':' | b'=', ..] => Some((Mark::Assigns, 1)),
        [b'>', ..] => Some((Mark::Angle, 1)),
        [b',', ..] => Some((Mark::Comma, 1)),
        [b']' | b')', ..] => Some((Mark::Closes, 1)),
        [b'*', b'*', ..] => Some((Mark::Colour, 2)),
        [b'\x1b', ..] => Some((Mark::Colour, colour(rest)?)),
        [b'"' | b'\'' | b'`', ..] => Some((Mark::Quote, 1)),
        [b'\\' | b'&' | b'%', ..] => escaped(rest),
        // As word processors write them.
        [0xc2, 0xa0, ..] => Some((Mark::Blank, 2)),
        [0xef, 0xbc, 0x9a | 0x9d, ..] => Some((Mark::Assigns, 3)),
        [0xe2, 0x80, 0x98..=0x9d, ..] => Some((Mark::Quote, 3)),
        // `│`, `┃`, `║`.
        [0xe2, 0x94, 0x82 | 0x83, ..] | [0xe2, 0x95, 0x91, ..] => Some((Mark::Bar, 3)),
        [b'|' | b'?' | b'-' | b'<', ..] => several(GIVE, Mark::Assigns)
            .or_else(|| several(ELSE, Mark::Else))
            .or_else(|| rest.starts_with(b"| ").then_some((Mark::Bar, 1))),
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
        [0xe2, 0x80, 0x98..=0x9d, ..] => Some(3),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::runs::Runs;

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
}
