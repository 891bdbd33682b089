//! Secrets that are known by what stands in front of them.

use super::{
    find::{Span, entropy, has_digits, run},
    rules::Class,
    runs::Runs,
};

/// How far behind a word its value may begin (`"api_key" :   "…"`).
const GAP: usize = 24;
/// The longest value of an assignment that is looked at.
const VALUE: usize = 256;
/// The longest key of a cluster's client, in base64.
const KEY_DATA: usize = 16 * 1024;

/// What follows `Authorization: Basic `.
pub(super) fn basic(text: &str, after: usize) -> Option<Span> {
    is_authorization(text.get(..after)?.strip_suffix("asic ")?.strip_suffix(['B', 'b'])?)?;
    let bytes = text.as_bytes();
    let of_base64 = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'+' | b'/' | b'=');
    let length = bytes.get(after..)?.iter().take(VALUE).take_while(of_base64).count();
    (length >= 8).then(|| Span::new(after, after + length, "basic_auth"))
}

/// `Authorization: `, in whatever quotes.
fn is_authorization(header: &str) -> Option<()> {
    let name = header.trim_end_matches([' ', ':', '"', '\'', '`', '=', '>', ',']).as_bytes();
    let word = name.get(name.len().checked_sub(13)?..)?;
    word.eq_ignore_ascii_case(b"authorization").then_some(())
}

/// What follows `Bearer `.
pub(super) fn bearer(text: &str, after: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let end = bytes
        .get(after..)?
        .iter()
        .take(4096)
        .take_while(|byte| Class::Base64.has(**byte) || matches!(byte, b'.' | b'~'))
        .count()
        + after;
    let token = bytes.get(after..end)?;
    (token.len() >= 20 && has_digits(token)).then(|| Span::new(after, end, "bearer_token"))
}

/// The value of `…secret… = "value"`: long, of random letters and digits, and no call of a function.
pub(super) fn assigned(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let bytes = text.as_bytes();
    let name_end = runs.end_of_name(after, 40);
    let gap = bytes.get(name_end..)?.iter().take(GAP);
    let gap_length = gap.take_while(|byte| b" \t\"'`:=>".contains(byte)).count();
    let between = bytes.get(name_end..name_end + gap_length)?;
    if !between.iter().any(|byte| matches!(byte, b'=' | b':')) {
        // `Authorization: token …`
        is_authorization(text.get(..after)?.strip_suffix("oken")?.strip_suffix(['T', 't'])?)?;
    }
    let start = name_end + gap_length;
    let end = runs.end_of_value(start, VALUE);
    let value = bytes.get(start..end)?;
    let quoted = between.last().is_some_and(|byte| b"\"'`".contains(byte));
    let next = bytes.get(end).copied();
    if next == Some(b'.')
        && let Some(end) = dotted(bytes, start, end)
    {
        return Some(Span::new(start, end, "assigned_secret"));
    }
    let ends_well = if quoted {
        next.is_some_and(|byte| b"\"'`".contains(&byte))
    } else {
        !next.is_some_and(|byte| b"([{.:<!?$".contains(&byte))
    };
    let is_secret = ends_well
        && (20..VALUE).contains(&value.len())
        && runs.has_digits(start..end)
        && entropy(value) >= 3.5;
    is_secret.then(|| Span::new(start, end, "assigned_secret"))
}

/// The rest of a token that has dots: a bot of Discord's, an Airtable.
fn dotted(bytes: &[u8], start: usize, dot: usize) -> Option<usize> {
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

/// `_auth=`, `"auth":`, and not a longer word: a name and a password in base64.
pub(super) fn login(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    text.as_bytes().get(after).filter(|byte| !Class::Word.has(**byte))?;
    assigned(text, after, runs).filter(|span| !text[span.start..span.end].contains(['_', '-']))
}

/// `client-key-data: …`, a private key in base64.
pub(super) fn key_data(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let bytes = text.as_bytes();
    if !bytes.get(..after)?.ends_with(b"client-key-data") {
        return None;
    }
    let gap = bytes.get(after..)?.iter().take(GAP).take_while(|byte| b" \t\"'\\:=".contains(byte)).count();
    let end = runs.end(Class::Base64, after + gap, KEY_DATA);
    (end - after - gap >= 64).then(|| Span::new(after + gap, end, "private_key"))
}

/// `…?sv=…&sig=…`, which opens a store of Azure's to everybody who has the address.
pub(super) fn signature(text: &str, after: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let is_parameter = matches!(bytes.get(..after - 4)?.last(), Some(b'?' | b'&' | b';'));
    if !is_parameter {
        return None;
    }
    let end = run(bytes, after, Class::Url, 128);
    ((43..128).contains(&(end - after)) && has_digits(bytes.get(after..end)?))
        .then(|| Span::new(after, end, "azure_signature"))
}

/// `<3>8Q~<34>`, a secret of a client of Azure's.
pub(super) fn azure_secret(text: &str, after: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let of_secret = |byte: &u8| Class::Dotted.has(*byte) || *byte == b'~';
    let start = after.checked_sub(6)?;
    let first = bytes.get(start..start + 3)?;
    let length = bytes.get(after..)?.iter().take(36).take_while(|byte| of_secret(byte)).count();
    // A sentence may end with it.
    let length = length - usize::from(bytes.get(after..after + length)?.ends_with(b"."));
    let is_whole =
        first.iter().all(of_secret) && !bytes.get(..start)?.last().is_some_and(u8::is_ascii_alphanumeric);
    (is_whole && (31..=35).contains(&length) && has_digits(bytes.get(after..after + length)?))
        .then(|| Span::new(start, after + length, "azure_secret"))
}
