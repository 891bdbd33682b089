//! Secrets that are known by what stands in front of them.

mod beside;
mod issued;
mod literal;
mod map;
mod option;
mod owner;
mod pass;

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD as STANDARD_NO_PAD};

use self::{beside::beside, issued::dotted, map::map, option::next_item, owner::owns_key};
pub(super) use self::{
    issued::{azure_secret, signature},
    literal::literal_argument,
    pass::passed,
};
use super::{
    alone::alone,
    find::{Span, run},
    gap::{Gap, Value, code, quote, value},
    literal::{closes, in_element, in_quotes_of, is_letter},
    near::{is_secret, near},
    random::{
        LOOKED_AT, ends_with_word, has_digits, has_few_words, is_account, is_constant, is_key, is_name,
        is_path, is_random, is_salt, is_short_key, is_strong, is_words, reads_as_words, takes_turns,
    },
    rules::{ABOUT_ONE, Class, PAGES, PAGES_WHICH, SECRET_KEYS},
    runs::Runs,
};

/// The longest value that is looked at: keys in base64 have some thousand bytes.
const VALUE: usize = 6 * 1024;
/// The longest one with signs that base64 has not.
pub(super) const SIGNED: usize = 4096;
/// From how many bytes on it is no password that somebody made up.
const KEY: usize = 40;
/// The longest one of `Basic`.
const BASIC: usize = 512;
/// The longest name of one, behind the word that tells what it is.
pub(super) const NAME: usize = 40;
/// How far from a part of a key in JSON its kind may stand.
const JSON_KEY: usize = 2048;
/// The longest key of a cluster's client, in base64.
const KEY_DATA: usize = 16 * 1024;
/// The longest beginning of the name of something at Amazon's.
const ARN: usize = 96;
/// The longest name of a way to log in.
const SCHEME: usize = 24;

/// What follows `Authorization: `: a name and a password in base64, or a token, alone or behind the name of what it is for.
pub(super) fn authorization(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let bytes = text.as_bytes();
    let name = bytes.get(after.checked_sub(13)?..after)?;
    let gap = Gap::behind(bytes, after);
    let is_listed = gap.listed && bytes.get(after..gap.end)?.contains(&b',');
    if !name.eq_ignore_ascii_case(b"authorization") || !(gap.assigns || is_listed) {
        return None;
    }
    let length = run(bytes, gap.end, Class::Base64, 2 * SCHEME) - gap.end;
    let word = bytes.get(gap.end..gap.end + length)?;
    let is_scheme = bytes.get(gap.end + length) == Some(&b' ')
        && (2..=SCHEME).contains(&length)
        && !(length >= 20 && has_digits(word));
    if !is_scheme {
        return secret_value(text, &gap, runs).filter(|span| !is_pair(text, span));
    }
    let behind = Gap { end: gap.end + length + 1, opened: gap.end, ..gap };
    if word.eq_ignore_ascii_case(b"basic") {
        let of_base64 = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'+' | b'/' | b'=');
        let length = bytes.get(behind.end..)?.iter().take(BASIC).take_while(of_base64).count();
        let login = bytes.get(behind.end..behind.end + length)?;
        return is_login(login).then(|| Span::new(behind.end, behind.end + length, "basic_auth"));
    }
    // What bears a token has a rule of its own, wherever it stands.
    let is_known = word.eq_ignore_ascii_case(b"bearer");
    if is_known { None } else { secret_value(text, &behind, runs).filter(|span| !is_pair(text, span)) }
}

/// A name and a password in base64; words are none.
fn is_login(text: &[u8]) -> bool {
    let plain = text.trim_ascii_end();
    let unpadded = plain.iter().rposition(|byte| *byte != b'=').map_or(0, |last| last + 1);
    let decoded = STANDARD_NO_PAD.decode(plain.get(..unpadded).unwrap_or_default());
    text.len() >= 8 && (decoded.is_ok_and(|login| login.contains(&b':')) || is_key(text))
}

/// `Credential=…`, a part of what is signed.
fn is_pair(text: &str, span: &Span) -> bool {
    text.get(span.start..span.end).is_some_and(|value| value.trim_end_matches('=').contains('='))
}

/// What follows `Bearer `: a token, which some issuers put together with signs between its parts.
pub(super) fn bearer(text: &str, after: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let rest = bytes.get(after..)?;
    let run = |of: &dyn Fn(u8) -> bool| rest.iter().take(4096).take_while(|byte| of(**byte)).count();
    let plain = |byte: u8| Class::Base64.has(byte) || matches!(byte, b'.' | b'~');
    let length = run(&plain);
    let is_token = |token: &[u8]| token.len() >= 20 && is_random(token) && !is_constant(token);
    let whole = run(&|byte| plain(byte) || matches!(byte, b'|' | b'!' | b':' | b'%'));
    let length = if whole > length {
        let token = rest.get(..whole)?;
        let near = token.get(..LOOKED_AT).unwrap_or(token);
        let is_one = is_token(rest.get(..length)?) || (has_key(near) || is_strong(near)) && !is_pattern(near);
        // A colon or a full stop behind a token ends what is said of it.
        let end = token.iter().rposition(|byte| !matches!(byte, b':' | b'!' | b'|' | b'%'))? + 1;
        if is_one { end } else { return None }
    } else {
        is_token(rest.get(..length)?).then_some(length)?
    };
    Some(Span::new(after, after + length, "bearer_token"))
}

/// The value of `…secret… = "value"`: long, of random letters and digits, and no call of a function.
pub(super) fn assigned(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    named(text, after, false, runs)
}

/// The same of a `…password…`, which may be of words.
pub(super) fn password(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    named(text, after, true, runs)
}

fn named(text: &str, after: usize, is_password: bool, runs: &mut Runs<'_>) -> Option<Span> {
    let bytes = text.as_bytes();
    let name_end = runs.end_of_name(after, NAME);
    if is_about_one(bytes.get(..after)?, bytes.get(after..name_end)?) {
        return None;
    }
    let found = behind_name(text, name_end, is_password, runs).or_else(|| {
        let gap = next_item(bytes, after, name_end)?;
        in_gap(text, &gap, is_password, runs)
    });
    let is_apart = |found: &Span| {
        let between = bytes.get(name_end..found.start).unwrap_or_default();
        [&b"alue"[..], b"efault"].iter().any(|word| memchr::memmem::find(between, word).is_some())
    };
    // A name has more than one value where an old one stands in a comment, or one of two is taken.
    let mut all =
        if found.as_ref().is_none_or(is_apart) { near(bytes, name_end, is_password) } else { Vec::new() };
    all.extend(found);
    // `default: …` and `production: …` below one name: neither is less of one.
    let is_new = |span: &Span| !all.iter().any(|other| other.start < span.end && span.start < other.end);
    let below: Vec<Span> = map(bytes, after, name_end, is_password).into_iter().filter(is_new).collect();
    all.extend(below);
    let others: Vec<Span> = all.iter().filter_map(|span| beside(bytes, span.end)).collect();
    all.extend(others);
    let mut all = all.into_iter();
    let first = all.next();
    runs.beside.extend(all);
    first
}

/// The value that stands behind a name.
fn behind_name(text: &str, name_end: usize, is_password: bool, runs: &mut Runs<'_>) -> Option<Span> {
    let gap = Gap::behind(text.as_bytes(), name_end);
    in_gap(text, &gap, is_password, runs)
}

/// The value behind a gap, if what stands in it gives one.
fn in_gap(text: &str, gap: &Gap, is_password: bool, runs: &mut Runs<'_>) -> Option<Span> {
    let bytes = text.as_bytes();
    let is_strong = gap.assigns || gap.element;
    if !(is_strong || gap.blank || gap.listed) {
        return None;
    }
    let found = secret_value(text, gap, runs)
        .or_else(|| is_password.then(|| short_password(bytes, gap, runs)).flatten())?;
    let value = bytes.get(found.start..found.end.min(found.start + LOOKED_AT))?;
    if is_account(value) {
        return None;
    }
    if gap.element {
        return Some(found).filter(|found| bytes.get(found.end) == Some(&b'<'));
    }
    // What is made of words names something, unless it is a password.
    let is_one =
        is_password || !is_name(value) && (gap.quoted || !reads_as_words(value) && !is_constant(value));
    // Without a sign it may be any text: `password …` in a `.netrc`, `ENV TOKEN …`, `--api-key …`, `"X-Api-Key", "…"`.
    let is_sure = is_strong || takes_turns(value) || is_password && (gap.quoted || is_short_key(value));
    (is_one && is_sure).then_some(found)
}

/// A password of sixteen letters and digits and more, which only its name tells from a word.
fn short_password(bytes: &[u8], gap: &Gap, runs: &mut Runs<'_>) -> Option<Span> {
    let end = runs.end_of_value(gap.end, VALUE);
    let value = bytes.get(gap.end..end)?;
    let rest = bytes.get(end..)?;
    let is_over = if gap.quoted {
        quote(rest).is_some()
    } else {
        rest.first().is_none_or(|byte| b" \t\r\n;&<".contains(byte))
    };
    let is_named = gap.assigns || gap.element || gap.blank || gap.listed && gap.quoted;
    let is_one = is_named && is_over && is_short_key(value);
    is_one.then(|| Span::new(gap.end, end, "assigned_secret"))
}

/// What stands behind `IDENTIFIED BY`, or `IDENTIFIED WITH … BY`.
pub(super) fn identified(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let bytes = text.as_bytes();
    let by = bytes.get(after..after + 6)?;
    let is_sql = [&b" by "[..], b" with "]
        .iter()
        .any(|word| by.get(..word.len()).is_some_and(|by| by.eq_ignore_ascii_case(word)));
    let found = if is_sql { near(bytes, after, true) } else { Vec::new() };
    runs.beside.extend(found.iter().filter_map(|span| beside(bytes, span.end)));
    found.into_iter().next()
}

/// True where the rest of a name says that it is something about a secret: `tokenizer`, `secretName`, `PASSWORD_FILE`. Of an id only
/// that of a secret is one itself.
fn is_about_one(name: &[u8], rest: &[u8]) -> bool {
    let is_id = ends_with_word(rest, &["id", "ids", "uuid", "guid"])
        && !name.last_chunk::<6>().is_some_and(|word| word.eq_ignore_ascii_case(b"secret"));
    let is_of_words = rest.get(..3).is_some_and(|rest| rest.eq_ignore_ascii_case(b"ize"));
    // `checksum/secret: …`, an annotation.
    let of_name = |byte: &&u8| Class::Dotted.has(**byte) || **byte == b'/';
    let front = name.iter().rev().take(2 * NAME).take_while(of_name).count();
    let own = name.get(name.len() - front..).unwrap_or_default();
    let is_sum = own.starts_with(b"checksum/");
    is_id || is_of_words || is_sum || ends_with_word(rest, ABOUT_ONE)
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
        closes(bytes, (gap.opened.min(start), start), end)
    } else {
        // What an address escapes is a part of the value, unless all of it is escaped, the name as well.
        let goes_on = rest.first() == Some(&b'%')
            && code(rest).is_some_and(|(byte, _)| byte.is_ascii_graphic())
            && bytes.get(start.saturating_sub(3)) != Some(&b'%');
        // A letter that is not one of ASCII's is a part of a password, and of nothing that is as long as a key.
        let is_short = end - start < KEY;
        let ends = |byte: &u8| b"([{.:<!?$~|#^*@".contains(byte) || is_short && is_letter(*byte);
        !goes_on && !rest.first().is_some_and(|byte| if gap.element { *byte != b'<' } else { ends(byte) })
    };
    // `KEY: Type = 1` names a type.
    if !gap.quoted && rest.starts_with(b" = ") {
        return None;
    }
    if !ends_well {
        let found = signed(bytes, start, gap, runs);
        let may_end = gap.quoted && quote(rest).is_some() || rest.first() == Some(&b'%');
        if found.is_some() || !may_end {
            return found;
        }
    }
    // `token: readFromStorage2,` is code.
    let is_code = !gap.quoted && rest.first().is_some_and(|byte| b",;)".contains(byte)) && is_words(&plain);
    let fits = end - start < VALUE && (is_key(&plain) || gap.assigns && is_strong(&plain));
    // What follows in the same line without a blank belongs to it where nothing else can stand there.
    let whole = alone(bytes, start, gap, runs).map(|whole| whole.end).filter(|whole| *whole > end);
    if is_code || is_path(&plain) || !fits {
        return whole.and_then(|_| signed(bytes, start, gap, runs));
    }
    Some(Span::new(start, whole.unwrap_or(end), "assigned_secret"))
}

/// A value that is one for its signs.
fn signed(bytes: &[u8], start: usize, gap: &Gap, runs: &mut Runs<'_>) -> Option<Span> {
    let Value { end, plain } = with_signs(bytes, start, gap, runs)?;
    let value = plain.get(..LOOKED_AT).unwrap_or(&plain);
    let is_one = (is_strong(value) || has_key(value)) && !is_pattern(value);
    is_one.then(|| Span::new(start, end, "assigned_secret"))
}

/// True for what will be a secret once it is filled in, or names one.
pub(super) fn is_pattern(value: &[u8]) -> bool {
    let will_be_one: [&[u8]; 9] = [b"${", b"{{", b"$(", b"<%", b"%(", b"://", b"(?", b"[A-", b"[a-"];
    [&b"arn:"[..], b"%env(", b"data:"].iter().any(|scheme| value.starts_with(scheme))
        || value.windows(3).any(|three| will_be_one.iter().any(|sign| three.starts_with(sign)))
}

/// A value that has signs in it, as passwords and some tokens have: up to its quote, its element, or the next blank.
fn with_signs<'t>(bytes: &'t [u8], start: usize, gap: &Gap, runs: &mut Runs<'_>) -> Option<Value<'t>> {
    if gap.quoted {
        let found = in_quotes_of(bytes, start, gap.opened.min(start))?;
        // A sentence has blanks, too.
        return Some(found).filter(|found| is_without_words(&found.plain));
    }
    if gap.element {
        return in_element(bytes, start).filter(|found| is_without_words(&found.plain));
    }
    let until = |end: usize| Some(Value { end, plain: bytes.get(start..end)?.into() });
    if gap.blank {
        let end = runs.end_of_solid(start, SIGNED);
        let is_over = matches!(bytes.get(end..), Some([] | [b'"' | b'\'', ..] | [b'\\', b'n' | b'r', ..]))
            || bytes.get(end).is_none_or(u8::is_ascii_whitespace);
        // Code, and the place of something in it.
        let is_code =
            || bytes.get(start..end).is_some_and(|value| value.iter().any(|byte| b"([{".contains(byte)));
        return (is_over && !is_code()).then(|| until(end)).flatten();
    }
    if !(gap.assigns || gap.listed) {
        return None;
    }
    if let Some(whole) = alone(bytes, start, gap, runs) {
        return Some(whole);
    }
    // Code, the next one of a list, the end of an address.
    let end = runs.end_of_plain(start, SIGNED);
    if bytes.get(end).is_some_and(|byte| matches!(byte, b'(' | b'[' | b'{' | b'<')) {
        return None;
    }
    let is_sentence = end > start && bytes.get(end - 1) == Some(&b'.');
    until(end - usize::from(is_sentence))
}

/// True where no blank stands in it, or so few between so much that is no word that it is no sentence.
fn is_without_words(value: &[u8]) -> bool {
    let blanks = value.iter().filter(|byte| byte.is_ascii_whitespace()).count();
    blanks == 0
        || blanks <= 2 && is_strong(value) && has_few_words(value)
        || blanks * 10 <= value.len() && is_salt(value)
}

/// True where one of the parts of a token is a key: `s.…`, `sha256~…`, `1000.….…`, `12|…`.
fn has_key(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| matches!(byte, b'.' | b'~' | b'|' | b':' | b'!' | b'$'));
    parts.any(|part| part.is_ascii() && is_key(part) && !is_words(part) && !is_path(part))
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
    found.eq_ignore_ascii_case(before.as_bytes()).then(|| password(text, after, runs)).flatten()
}

/// The same of a name that ends here: `DB_PASS` and not `first_passes`.
pub(super) fn assigned_end(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    text.as_bytes().get(after).filter(|byte| !Class::Word.has(**byte))?;
    password(text, after, runs)
}

/// The same of a name that is no more than this word: `pass: …`.
pub(super) fn assigned_word(text: &str, hit: usize, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let before = text.as_bytes().get(..hit)?.last();
    before.is_none_or(|byte| !byte.is_ascii_alphanumeric()).then(|| assigned_end(text, after, runs)).flatten()
}

/// The same of `…token`, where it is not that of the next page.
pub(super) fn token_name(text: &str, hit: usize, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let (first, before) = text.as_bytes().get(..hit)?.split_last()?;
    // Things are broken, and words are spoken.
    if !matches!(first, b't' | b'T') {
        return None;
    }
    let front = before.strip_suffix(b"_").or_else(|| before.strip_suffix(b"-")).unwrap_or(before);
    let ends = |word: &&str| {
        front
            .len()
            .checked_sub(word.len())
            .is_some_and(|at| front[at..].eq_ignore_ascii_case(word.as_bytes()))
    };
    // `FB_PAGE_TOKEN`, `STATUSPAGE_TOKEN`.
    let is_somebodys = front.strip_suffix(b"PAGE").is_some_and(|owner| {
        let owner = owner.strip_suffix(b"_").unwrap_or(owner);
        owner.last().is_some_and(u8::is_ascii_uppercase) && !ends_with_word(owner, PAGES_WHICH)
    });
    if !is_somebodys && PAGES.iter().any(ends) { None } else { assigned(text, after, runs) }
}

/// The same of `credential`, which is what Amazon calls the scope of a signature, too.
pub(super) fn credential(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    assigned(text, after, runs).filter(|span| !text[span.start..span.end].ends_with("aws4_request"))
}

/// The same of `…secret…`, where it is no part of the name of one (`arn:aws:…:secret:name`).
pub(super) fn secret_name(text: &str, hit: usize, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let bytes = text.as_bytes();
    if bytes.get(after) == Some(&b':') && bytes.get(hit.saturating_sub(2)) == Some(&b':') {
        let near = bytes.get(hit.saturating_sub(ARN)..hit)?;
        if near.windows(4).any(|four| four == b"arn:") {
            return None;
        }
    }
    // A secretary is somebody.
    let rest = bytes.get(after..)?;
    let is_other = [&b"ar"[..], b"ion", b"iv"].iter().any(|more| rest.starts_with(more));
    if is_other || !matches!(bytes.get(hit.checked_sub(1)?)?, b's' | b'S') {
        return None;
    }
    assigned(text, after, runs)
}

/// The same of `pwd`: every shell says of itself in which folder it works.
pub(super) fn password_or_folder(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    password(text, after, runs).filter(|span| !text[span.start..].starts_with('/'))
}

/// The same of `…key`, where it is not any key (`primary_key`, `"key"`, `keyboard`).
pub(super) fn secret_key(text: &str, hit: usize, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let bytes = text.as_bytes();
    let before = bytes.get(..hit)?;
    if before.ends_with(b"client-") && text.get(after..)?.starts_with("-data") {
        return key_data(text, after + "-data".len(), runs);
    }
    let front = match before {
        [front @ .., b'_', b'_'] | [front @ .., b'_' | b'-' | b' ' | b':'] => front,
        // `stripe.api.key=…`, as properties have it.
        [front @ .., b'.'] if is_given(bytes, after) => front,
        _ => before,
    };
    if owns_key(bytes, hit, after) {
        let gap = Gap::behind(bytes, after);
        let found = gap.assigns.then(|| secret_value(text, &gap, runs)).flatten();
        return found.filter(|span| bytes.get(span.start..span.end).is_some_and(is_secret));
    }
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

/// True where a `=` or a `:` stands behind a name, and no comparison.
fn is_given(bytes: &[u8], name_end: usize) -> bool {
    let at = name_end + bytes.get(name_end..).and_then(quote).unwrap_or_default();
    let rest = bytes.get(at..).unwrap_or_default();
    let blanks = rest.iter().take(NAME).take_while(|byte| **byte == b' ').count();
    matches!(rest.get(blanks..), Some([b'=' | b':', ..]))
        && !matches!(rest.get(blanks + 1), Some(b'=' | b':' | b'>'))
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

/// `"d": "…"` of a key as JSON has it (RFC 7517), where its kind stands near by.
pub(super) fn json_key(text: &str, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let bytes = text.as_bytes();
    let gap = Gap::behind(bytes, after);
    let found = (gap.assigns && gap.quoted).then(|| secret_value(text, &gap, runs)).flatten()?;
    if found.end - found.start < 20 {
        return None;
    }
    let near = bytes.get(after.saturating_sub(JSON_KEY)..(found.end + JSON_KEY).min(bytes.len()))?;
    memchr::memmem::find(near, b"\"kty\"").is_some().then(|| Span { id: "private_key".into(), ..found })
}

#[cfg(test)]
mod tests;
