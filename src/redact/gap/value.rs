//! A value as it stands there, and as it is read.

use super::code;
use crate::redact::{random::LOOKED_AT, rules::Class, runs::Runs};

/// The bytes of a value.
pub(in crate::redact) struct Value<'t> {
    /// Where it ends.
    pub end: usize,
    /// What it says, as far as it is looked at, where signs of base64 are escaped in it (`\/`, `\u002b`, `%3D`).
    pub plain: std::borrow::Cow<'t, [u8]>,
}

/// The value that begins at `start`, of at most so many bytes.
pub(in crate::redact) fn value<'t>(
    bytes: &'t [u8],
    start: usize,
    most: usize,
    runs: &mut Runs<'_>,
) -> Value<'t> {
    let first = runs.end_of_value(start, most);
    let end = runs.end_of_escaped(first, start + most, |rest| sign(rest).map(|sign| sign.1));
    let near = bytes.get(start..first.min(start + LOOKED_AT)).unwrap_or_default();
    let mut plain = std::borrow::Cow::Borrowed(near);
    let mut at = first;
    while plain.len() < LOOKED_AT
        && at < end
        && let Some((sign, length)) = bytes.get(at..).and_then(sign)
    {
        plain.to_mut().push(sign);
        at += length;
        let rest = bytes.get(at..end).unwrap_or_default();
        let room = LOOKED_AT - plain.len().min(LOOKED_AT);
        let more = rest.iter().take(room).take_while(|byte| Class::Base64.has(**byte)).count();
        plain.to_mut().extend_from_slice(rest.get(..more).unwrap_or_default());
        at += more;
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
