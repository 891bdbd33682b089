//! Colour codes of terminals, which stand between anything.

use memchr::{memchr, memchr_iter, memchr2_iter, memmem};

use super::side::Side;

/// No colour code is longer (`\x1b[1;38;2;255;255;255;48;2;255;255;255m`).
const COLOUR: usize = 48;
/// The longest other code: what a link leads to.
const LINK: usize = 2048;
const ESCAPE: u8 = b'\x1b';
/// How people and programs write the escape character.
const ESCAPES: &[&[u8]] = &[
    b"\x1b",
    b"\\x1b",
    b"\\x1B",
    b"\\033",
    b"\\e",
    b"\\u001b",
    b"\\u001B",
    b"#x1B",
    b"^[",
    "\u{241b}".as_bytes(),
];

/// The length of the code that begins here: a colour, or what goes with it (`\x1b[K`).
pub(super) fn colour(rest: &[u8]) -> Option<usize> {
    let escape = ESCAPES.iter().find(|escape| rest.starts_with(escape))?.len();
    Some(escape + bracket(rest.get(escape..)?)?)
}

/// The length of the rest of one, behind its escape character.
fn bracket(rest: &[u8]) -> Option<usize> {
    let digits = rest.strip_prefix(b"[")?;
    let length = digits.iter().take(COLOUR).take_while(|byte| of_colour(**byte)).count();
    matches!(digits.get(length), Some(b'm' | b'K')).then_some(1 + length + 1)
}

/// True where a colour code ends.
pub(super) fn ends_with_colour(before: &[u8]) -> bool {
    let Some((b'm' | b'K', code)) = before.split_last() else { return false };
    let digits = code.iter().rev().take(COLOUR).take_while(|byte| of_colour(**byte)).count();
    let escape = code.get(..code.len() - digits).and_then(|code| code.strip_suffix(b"["));
    escape.is_some_and(|escape| ESCAPES.iter().any(|written| escape.ends_with(written)))
}

fn of_colour(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b';' | b':')
}

/// The text as a terminal shows it; nothing where no code is in it. In logs the escape character itself may have got lost.
pub(super) fn without(text: &str) -> Option<Side> {
    let bytes = text.as_bytes();
    // What ends colours, and how most of them begin: nearly all texts have none of it.
    let ends: [&[u8]; 3] = [b"[0m", b"[m", b"[3"];
    if memchr(ESCAPE, bytes).is_none() && !ends.iter().any(|end| memmem::find(bytes, end).is_some()) {
        return None;
    }
    let mut plain = Side::default();
    let mut end = 0;
    // Where codes that have no end would be looked for, there is none up to here.
    let mut open_until = 0;
    for at in memchr2_iter(ESCAPE, b'[', bytes) {
        if at < end {
            continue;
        }
        let (start, behind) = match bytes.get(at) {
            Some(b'[') => {
                // Most are none.
                if !bytes.get(at + 1).is_some_and(|next| of_colour(*next) || matches!(next, b'm' | b'K')) {
                    continue;
                }
                let Some(length) = bytes.get(at..).and_then(bracket) else { continue };
                let before = bytes.get(end..at).unwrap_or_default();
                let escape = ESCAPES.iter().find(|escape| before.ends_with(escape));
                // Where none is it got lost, if there are numbers; what has none may be anything in front of the first one.
                let is_one = escape.is_some()
                    || length > 2 && bytes.get(at + length - 1) == Some(&b'm')
                    || end > 0 && bytes.get(at + length) != Some(&b']');
                if !is_one {
                    continue;
                }
                (at - escape.map_or(0, |escape| escape.len()), at + length)
            }
            _ => match command(bytes, at, &mut open_until) {
                Some(end) => (at, end),
                None => continue,
            },
        };
        plain.push(text.get(end..start).unwrap_or_default(), end);
        end = behind;
    }
    plain.push(text.get(end..).unwrap_or_default(), end);
    (end > 0).then_some(plain)
}

/// Where the command ends that begins with an escape character: one of letters and numbers, or one that ends with its own sign as that
/// of a link does.
fn command(bytes: &[u8], at: usize, open_until: &mut usize) -> Option<usize> {
    let rest = bytes.get(at + 1..)?;
    match rest.first()? {
        b'[' => {
            let inside = rest.get(1..)?;
            let length = inside.iter().take(COLOUR).take_while(|byte| (b' '..=b'?').contains(*byte)).count();
            let is_one = inside.get(length).is_some_and(|byte| (b'@'..=b'~').contains(byte));
            is_one.then_some(at + 2 + length + 1)
        }
        b']' if at >= *open_until => {
            let inside = rest.get(..LINK.min(rest.len()))?;
            let inside = inside.get(..memchr(b'\n', inside).unwrap_or(inside.len()))?;
            let bell = memchr(b'\x07', inside);
            let string = || memchr_iter(ESCAPE, inside).find(|end| inside.get(end + 1) == Some(&b'\\'));
            let end = match (bell, string()) {
                (Some(bell), Some(string)) => (bell + 1).min(string + 2),
                (Some(bell), None) => bell + 1,
                (None, Some(string)) => string + 2,
                (None, None) => {
                    *open_until = at + 1 + inside.len();
                    return None;
                }
            };
            Some(at + 1 + end)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_code_is_known_from_both_sides() {
        for code in [
            "\x1b[0m",
            "\x1b[1;31m",
            "\\x1b[m",
            "\\u001b[38;2;255;255;255m",
            "\\033[0m",
            "\\e[7m",
            "\x1b[K",
            "\x1b[38:2::1:2:3m",
        ] {
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

    #[test]
    fn a_text_is_read_as_a_terminal_shows_it() {
        for (text, wanted) in [
            ("\x1b[01;31m\x1b[Ka\x1b[m\x1b[K=b", "a=b"),
            ("\x1b]8;;http://x\x1b\\a\x1b]8;;\x1b\\=b", "a=b"),
            ("\x1b]8;;http://x\x07a\x1b]8;;\x07=b\x1b]8;;", "a=b\x1b]8;;"),
            ("\\u001b[1;39ma\\u001b[0m=\x1b[2Kb", "a=b"),
            ("[31m[Ka[m[K=b[m] [K]", "a=b[m] [K]"),
            ("\u{241b}[39;49;00ma#x1B[m=b", "a=b"),
            ("^[[31ma^[[0m=^[[mb", "a=b"),
            ("ä\x1b[0mé\x1b", "äé\x1b"),
        ] {
            assert_eq!(without(text).map(|plain| plain.text).as_deref(), Some(wanted), "{text:?}");
        }
        for text in ["a[m]", "x[0]", "\x1b", "", "[m"] {
            assert!(without(text).is_none(), "{text:?}");
        }
    }
}
