//! Colour codes of terminals, which stand between anything.

/// No colour code is longer (`\x1b[38;2;255;255;255m`).
const COLOUR: usize = 24;
/// How people and programs write the escape character.
const ESCAPES: &[&[u8]] = &[b"\x1b", b"\\x1b", b"\\x1B", b"\\033", b"\\e", b"\\u001b", b"\\u001B"];

/// The length of the colour code that begins here.
pub(super) fn colour(rest: &[u8]) -> Option<usize> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
