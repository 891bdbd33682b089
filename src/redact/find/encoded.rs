//! A value in base64 that says a secret once it is read: an address with a password, a file of settings in JSON. Models read base64 as
//! they read anything.

use std::ops::Range;

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD as STANDARD_NO_PAD};

/// The shortest one, and the longest.
const SHORTEST: usize = 40;
const LONGEST: usize = 64 * 1024;
/// Signs between a name and what it is.
const SIGNS: usize = 4;

/// Where the value is in which something was found at `hit`, and what it says. `known` is the run that was looked at last: a run may be
/// full of what is looked for.
pub(super) fn encoded(text: &str, hit: usize, known: &mut Range<usize>) -> Option<(Range<usize>, String)> {
    if known.contains(&hit) {
        return None;
    }
    let of_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let (before, rest) = text.as_bytes().split_at_checked(hit)?;
    let start = hit - before.iter().rev().take(LONGEST).take_while(|byte| of_base64(byte)).count();
    let end = hit + rest.iter().take(LONGEST).take_while(|byte| of_base64(byte)).count();
    *known = start..end;
    let signs = before.get(..start)?.iter().rev().take(SIGNS);
    let is_value =
        signs.take_while(|byte| b" =:\"'\\".contains(byte)).any(|byte| matches!(byte, b'=' | b':'));
    let goes_on = matches!(text.as_bytes().get(end), Some(b'-' | b'_' | b'.' | b'%' | b'\\'));
    if !is_value || goes_on || !(SHORTEST..LONGEST).contains(&(end - start)) {
        return None;
    }
    let decoded = STANDARD_NO_PAD.decode(text.get(start..end)?).ok()?;
    let plain = String::from_utf8(decoded).ok()?;
    let is_text = !plain.bytes().any(|byte| byte < b' ' && !byte.is_ascii_whitespace());
    let padding = text.as_bytes().get(end..)?.iter().take(2).take_while(|byte| **byte == b'=').count();
    is_text.then_some((start..end + padding, plain))
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, prelude::BASE64_STANDARD as STANDARD};

    use crate::redact::tests::redact;

    #[test]
    fn a_secret_in_base64_is_one_where_it_can_be_read() {
        let random = "a8Kd0sP3mQ7xZ1vB5nW9";
        for plain in [
            format!("postgres://app:{random}@db:5432/app"),
            format!("redis://:{random}@redis:6379/0"),
            format!("amqps://app:{random}@db:5432/app"),
            format!("{{\"username\": \"app\", \"password\": \"{random}\"}}"),
        ] {
            let value = STANDARD.encode(plain);
            for text in ["DATABASE: @\n", "X=@", "\"x\": \"@\","] {
                let shown = redact(&text.replace('@', &value));
                assert_eq!(shown, text.replace('@', "\u{27e6}redacted:encoded_secret:1\u{27e7}"));
            }
        }
        for plain in [
            "https://example.org/a/way/to/something#there",
            "{\"version\":3,\"sources\":[\"one.js\",\"two.js\"]}",
        ] {
            for text in [
                format!("x: {}", STANDARD.encode(plain)),
                format!("url(data:x;base64,{})", STANDARD.encode(plain)),
            ] {
                assert_eq!(redact(&text), text);
            }
        }
        let text = "6Lyovl".repeat(100_000);
        assert_eq!(redact(&text), text);
    }
}
