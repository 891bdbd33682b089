//! Secrets that are known by what stands in front of them.

use super::{
    find::{Span, run},
    gap::{Gap, Value, code, quote, value},
    random::{entropy, has_digits, is_path, is_random, is_words, takes_turns},
    rules::{ABOUT_ONE, Class, SECRET_KEYS},
    runs::Runs,
};

/// The longest value of an assignment that is looked at.
const VALUE: usize = 256;
/// The longest name of one, behind the word that tells what it is.
const NAME: usize = 40;
/// The longest key of a cluster's client, in base64.
const KEY_DATA: usize = 16 * 1024;
/// The longest name of a way to log in.
const SCHEME: usize = 24;

/// What follows `Authorization: `: a name and a password in base64, or a token, alone or behind the name of what it is for.
pub(super) fn authorization(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let bytes = text.as_bytes();
    let name = bytes.get(after.checked_sub(13)?..after)?;
    let gap = Gap::behind(bytes, after);
    if !name.eq_ignore_ascii_case(b"authorization") || !(gap.assigns || gap.listed) {
        return None;
    }
    let length = run(bytes, gap.end, Class::Base64, VALUE) - gap.end;
    let word = bytes.get(gap.end..gap.end + length)?;
    let is_scheme = bytes.get(gap.end + length) == Some(&b' ')
        && (2..=SCHEME).contains(&length)
        && !(length >= 20 && has_digits(word));
    if !is_scheme {
        return secret_value(text, &gap, runs).filter(|span| !is_pair(text, span));
    }
    let behind = Gap { end: gap.end + length + 1, ..gap };
    if word.eq_ignore_ascii_case(b"basic") {
        let of_base64 = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'+' | b'/' | b'=');
        let length = bytes.get(behind.end..)?.iter().take(VALUE).take_while(of_base64).count();
        return (length >= 8).then(|| Span::new(behind.end, behind.end + length, "basic_auth"));
    }
    // What bears a token has a rule of its own, wherever it stands.
    let is_known = word.eq_ignore_ascii_case(b"bearer");
    if is_known { None } else { secret_value(text, &behind, runs).filter(|span| !is_pair(text, span)) }
}

/// `Credential=…`, a part of what is signed.
fn is_pair(text: &str, span: &Span) -> bool {
    text.get(span.start..span.end).is_some_and(|value| value.trim_end_matches('=').contains('='))
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
    let name_end = runs.end_of_name(after, NAME);
    if is_about_one(bytes.get(..after)?, bytes.get(after..name_end)?) {
        return None;
    }
    let gap = Gap::behind(bytes, name_end);
    if gap.assigns {
        return secret_value(text, &gap, runs);
    }
    // Without a sign it may be any text: `password …` in a `.netrc`, `ENV TOKEN …`, `--api-key …`, `"X-Api-Key", "…"`.
    if gap.element {
        return secret_value(text, &gap, runs).filter(|found| bytes.get(found.end) == Some(&b'<'));
    }
    let found = if gap.blank || gap.listed { secret_value(text, &gap, runs) } else { None }?;
    takes_turns(bytes.get(found.start..found.end)?).then_some(found)
}

/// True where the rest of a name says that it is something about a secret: `tokenizer`, `secretName`, `PASSWORD_FILE`. Of an id only
/// that of a secret is one itself.
fn is_about_one(name: &[u8], rest: &[u8]) -> bool {
    let ends = |word: &str| {
        rest.len().checked_sub(word.len()).is_some_and(|at| rest[at..].eq_ignore_ascii_case(word.as_bytes()))
    };
    let is_id =
        ends("id") && !name.last_chunk::<6>().is_some_and(|word| word.eq_ignore_ascii_case(b"secret"));
    let is_of_words = rest.get(..3).is_some_and(|rest| rest.eq_ignore_ascii_case(b"ize"));
    is_id || is_of_words || ABOUT_ONE.iter().any(|word| ends(word))
}

/// The value behind a gap, if it looks like a secret.
fn secret_value(text: &str, gap: &Gap, runs: &mut Runs<'_>) -> Option<Span> {
    let bytes = text.as_bytes();
    let mut start = gap.end;
    let mut found = value(bytes, start, VALUE, runs);
    let scheme = b"base64:";
    if bytes.get(start..)?.starts_with(scheme) {
        start += scheme.len();
        found = value(bytes, start, VALUE, runs);
    }
    let Value { end, plain } = found;
    let rest = bytes.get(end..)?;
    if rest.first() == Some(&b'.')
        && let Some(end) = dotted(bytes, start, end)
    {
        return Some(Span::new(start, end, "assigned_secret"));
    }
    let ends_well = if gap.quoted {
        quote(rest).is_some()
    } else {
        // `KEY: Type = 1` names a type.
        gap.element
            || !rest.first().is_some_and(|byte| b"([{.:<!?$".contains(byte)) && !rest.starts_with(b" = ")
    };
    // `token: readFromStorage2,` is code.
    let is_code = !gap.quoted && rest.first().is_some_and(|byte| b",;)".contains(byte)) && is_words(&plain);
    let is_secret = ends_well
        && !is_code
        && !is_path(&plain)
        && (20..VALUE).contains(&plain.len())
        && has_digits(&plain)
        && entropy(&plain) >= 3.5;
    is_secret.then(|| Span::new(start, end, "assigned_secret"))
}

/// The same of a name that has to stand behind `before`.
pub(super) fn assigned_behind(
    text: &str,
    hit: usize,
    after: usize,
    before: &str,
    runs: &mut Runs<'_>,
) -> Option<Span> {
    let found = text.as_bytes().get(hit.checked_sub(before.len())?..hit)?;
    found.eq_ignore_ascii_case(before.as_bytes()).then(|| assigned(text, after, runs)).flatten()
}

/// The same of a name that ends here: `DB_PASS` and not `first_passes`.
pub(super) fn assigned_end(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    text.as_bytes().get(after).filter(|byte| !Class::Word.has(**byte))?;
    assigned(text, after, runs)
}

/// The same of `pwd`: every shell says of itself in which folder it works.
pub(super) fn password_or_folder(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    assigned(text, after, runs).filter(|span| !text[span.start..].starts_with('/'))
}

/// The same of `…key`, where it is not any key (`primary_key`, `"key"`, `keyboard`).
pub(super) fn secret_key(text: &str, hit: usize, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let before = text.as_bytes().get(..hit)?;
    if before.ends_with(b"client-") && text.get(after..)?.starts_with("-data") {
        return key_data(text, after + "-data".len(), runs);
    }
    let front = match before {
        [front @ .., b'_' | b'-' | b' '] => front,
        _ => before,
    };
    // Most are told by one letter.
    let last = front.last()?.to_ascii_lowercase();
    let is_secret = SECRET_KEYS.iter().any(|word| {
        word.ends_with(char::from(last))
            && front
                .len()
                .checked_sub(word.len())
                .is_some_and(|at| front[at..].eq_ignore_ascii_case(word.as_bytes()))
    });
    is_secret.then(|| assigned(text, after, runs)).flatten()
}

/// `_auth=`, `"auth":`, and not a longer word: a name and a password in base64.
pub(super) fn login(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    assigned_end(text, after, runs).filter(|span| !text[span.start..span.end].contains(['_', '-']))
}

/// `client-key-data: …`, a private key in base64.
fn key_data(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let gap = Gap::behind(text.as_bytes(), after);
    let end = runs.end(Class::Base64, gap.end, KEY_DATA);
    (end - gap.end >= 64).then(|| Span::new(gap.end, end, "private_key"))
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

/// `…?sv=…&sig=…`, which opens a store of Azure's to everybody who has the address.
pub(super) fn signature(text: &str, after: usize) -> Option<Span> {
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
    (is_whole && (31..=35).contains(&length) && is_random(bytes.get(after..after + length)?))
        .then(|| Span::new(start, after + length, "azure_secret"))
}
