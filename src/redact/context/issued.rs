//! Secrets of a form of their own that only what stands around them tells from other text.

use crate::redact::{
    find::{Span, run},
    gap::code,
    random::is_random,
    rules::Class,
};

/// The rest of a token that has dots: a bot of Discord's, an Airtable.
pub(super) fn dotted(bytes: &[u8], start: usize, dot: usize) -> Option<usize> {
    let first = bytes.get(start..dot)?;
    let is_pat = first.starts_with(b"pat") && first.len() == 17;
    let may_be_bot = (24..=28).contains(&first.len()) && matches!(first.first(), Some(b'M' | b'N' | b'O'));
    if !is_pat && !may_be_bot {
        return None;
    }
    let (second, end) = (dot + 1, run(bytes, dot + 1, Class::Word, 65));
    if is_pat {
        let hex = bytes.get(second..end)?;
        return (hex.len() == 64 && hex.iter().all(|byte| Class::Hex.has(*byte))).then_some(end);
    }
    let last = run(bytes, end + 1, Class::Word, 40);
    let is_bot = end == second + 6 && bytes.get(end) == Some(&b'.') && (27..=39).contains(&(last - end - 1));
    is_bot.then_some(last)
}

/// `…?sv=…&sig=…`, which opens a store of Azure's to everybody who has the address.
pub(in crate::redact) fn signature(text: &str, after: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let before = bytes.get(..after - "sig=".len())?;
    // `&` may be escaped, as `\u0026` or `%26`.
    let escaped = |length: usize| {
        let written = before.get(before.len().checked_sub(length)?..)?;
        code(written).filter(|(byte, length)| *length == written.len() && matches!(byte, b'?' | b'&' | b';'))
    };
    let is_parameter = matches!(before.last(), Some(b'?' | b'&' | b';'));
    if !is_parameter && escaped(3).is_none() && escaped(6).is_none() {
        return None;
    }
    let end = run(bytes, after, Class::Url, 128);
    ((43..128).contains(&(end - after)) && is_random(bytes.get(after..end)?))
        .then(|| Span::new(after, end, "azure_signature"))
}

/// `<3>8Q~<34>`, a secret of a client of Azure's.
pub(in crate::redact) fn azure_secret(text: &str, after: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let of_secret = |byte: &u8| Class::Dotted.has(*byte) || *byte == b'~';
    let start = after.checked_sub(6)?;
    let first = bytes.get(start..start + 3)?;
    let length = bytes.get(after..)?.iter().take(36).take_while(|byte| of_secret(byte)).count();
    // A sentence may end with it.
    let length = length - usize::from(bytes.get(after..after + length)?.ends_with(b"."));
    let is_whole =
        first.iter().all(of_secret) && !bytes.get(..start)?.last().is_some_and(u8::is_ascii_alphanumeric);
    (is_whole && (31..=35).contains(&length) && is_random(bytes.get(after..after + length)?))
        .then(|| Span::new(start, after + length, "azure_secret"))
}
