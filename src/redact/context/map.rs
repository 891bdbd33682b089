//! Secrets that stand below one name, each behind one of its own: `API_KEYS = {"prod": "…", "dev": "…"}`. Only where all that stands there
//! is random, for most of what is below a `token` is about it.

use super::NAME;
use crate::redact::{
    find::Span,
    gap::{line_break, quote},
    literal::in_quotes,
    near::is_secret,
    random::ends_with_word,
    rules::{ABOUT_ONE, Class},
};

/// Entries of one that are looked at.
const ENTRIES: usize = 16;
/// Blanks between them, and in front of a line.
const BLANKS: usize = 64;
/// The longest value.
const LONGEST: usize = 256;
/// The shortest key of hexadecimal digits.
const HEX: usize = 32;
/// Names of what everybody may know, or of what is encrypted.
const OPEN: &[&str] = &[
    "commit",
    "encrypted",
    "id",
    "integrity",
    "public",
    "reference",
    "resolved",
    "rev",
    "revision",
    "salt",
    "secure",
    "sha",
];

/// All values below the name that ends at `name_end`.
pub(super) fn map(bytes: &[u8], after: usize, name_end: usize, is_password: bool) -> Vec<Span> {
    read(bytes, after, name_end, is_password).unwrap_or_default()
}

fn read(bytes: &[u8], after: usize, name_end: usize, is_password: bool) -> Option<Vec<Span>> {
    let mut at = name_end + bytes.get(name_end..).and_then(quote).unwrap_or_default();
    at += blanks(bytes, at);
    let sign = match bytes.get(at..)? {
        [b'=', b'>', ..] | [b':', b'=', ..] => 2,
        [b':' | b'=', ..] => 1,
        _ => return None,
    };
    at += sign;
    at += blanks(bytes, at);
    let is_in_braces = matches!(bytes.get(at), Some(b'{' | b'['));
    if is_in_braces {
        at += 1;
    } else if sign != 1 || !matches!(bytes.get(at), Some(b'\n' | b'\r')) {
        return None;
    }
    let near = bytes.get(after.saturating_sub(NAME)..name_end)?;
    let name = near.iter().rev().take_while(|byte| Class::Word.has(**byte)).count();
    let outer = indentation(bytes, name_end - name);
    let name = near.get(near.len() - name..)?.to_ascii_lowercase();
    let name = name.strip_suffix(b"s").unwrap_or(&name);
    let is_of_keys = [&b"apikey"[..], b"api_key", b"api-key", b"secret", b"secretkey", b"secret_key"]
        .iter()
        .any(|word| name.ends_with(word));
    let mut found = Vec::new();
    for _ in 0..ENTRIES {
        let ends_line = matches!(bytes.get(at), Some(b'\n' | b'\r'));
        at += bytes.get(at..).and_then(line_break).unwrap_or_default();
        at += blanks(bytes, at);
        let is_over = match bytes.get(at) {
            None => true,
            Some(b'}' | b']') => is_in_braces,
            Some(_) => !is_in_braces && (!ends_line || indentation(bytes, at) <= outer),
        };
        if is_over {
            break;
        }
        let opening = quote(bytes.get(at..)?).unwrap_or_default();
        let start = at + opening;
        let length =
            bytes.get(start..)?.iter().take(NAME).take_while(|byte| Class::Dotted.has(**byte)).count();
        let word = bytes.get(start..start + length).filter(|word| !word.is_empty())?;
        if ends_with_word(word, OPEN) || ends_with_word(word, ABOUT_ONE) {
            return None;
        }
        at = start + length;
        at += bytes.get(at..).and_then(quote).unwrap_or_default();
        at += blanks(bytes, at);
        at += match bytes.get(at..)? {
            [b'=', b'>', ..] => 2,
            [b':' | b'=', ..] => 1,
            _ => return None,
        };
        at += blanks(bytes, at);
        let opening = quote(bytes.get(at..)?).unwrap_or_default();
        let start = at + opening;
        let (end, plain) = if opening > 0 {
            let value = in_quotes(bytes, start)?;
            (value.end, value.plain)
        } else {
            let rest = bytes.get(start..)?;
            let is_solid = |byte: &&u8| byte.is_ascii_graphic() && !b",\"'`\\(){}[]".contains(byte);
            let length = rest.iter().take(LONGEST).take_while(is_solid).count();
            (start + length, rest.get(..length)?.into())
        };
        let is_hex = plain.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
        // `image: x@sha256:…`
        let last = plain.rsplit(|byte| matches!(byte, b':' | b'@')).next().unwrap_or_default();
        let is_digest = last.len() < plain.len() && last.iter().all(u8::is_ascii_hexdigit);
        // Revisions and digests stand below many a name, and below that of a key none.
        let may_be_hex = is_password || is_of_keys && plain.len() >= HEX;
        if !is_secret(&plain) || is_hex && !may_be_hex || is_digest {
            return None;
        }
        found.push(Span::new(start, end, "assigned_secret"));
        at = end + if opening > 0 { bytes.get(end..).and_then(quote).unwrap_or_default() } else { 0 };
        at += blanks(bytes, at);
        if bytes.get(at) == Some(&b',') {
            at += 1;
            at += blanks(bytes, at);
        }
    }
    Some(found)
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().take(BLANKS).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The blanks in front of what begins at `at`, and of the sign of an item there.
fn indentation(bytes: &[u8], at: usize) -> usize {
    let before = bytes.get(..at).unwrap_or_default();
    let before = match before {
        [front @ .., b'"' | b'\''] => front,
        _ => before,
    };
    before.iter().rev().take(2 * BLANKS).take_while(|byte| matches!(byte, b' ' | b'\t' | b'-')).count()
}
