//! Passwords and tokens in addresses.

use super::{
    find::Span,
    gap::code,
    random::{entropy, has_digits, is_strong},
    rules::{Class, STAND_INS},
};

/// The longest part in front of a host that is looked at.
const VALUE: usize = 256;
/// Backslashes in front of a `/`: JSON in JSON in JSON in JSON has 15.
const ESCAPES: usize = 15;
/// What an address has behind its host, or a sentence behind an address; but passwords have it, too.
const DOUBTFUL: &[u8] = b"?#,;()";

/// The password of `scheme://name:password@host`. People write it as it is, whatever a standard says of `?` and `#` there.
pub(super) fn password_in_address(text: &str, after: usize) -> Option<Span> {
    let rest = text.get(after..)?;
    // Asked of every byte behind every `://`: a match compiles to a table, a search in a list does not.
    let stops = |byte: u8| {
        matches!(
            byte,
            b'/' | b'"'
                | b'\''
                | b'<'
                | b'>'
                | b'`'
                | b'{'
                | b'}'
                | b'['
                | b']'
                | b'\\'
                | b' '
                | b'\t'
                | b'\n'
                | b'\r'
        )
    };
    let rest = rest.as_bytes();
    let most = rest.len().min(VALUE);
    let mut end = 0;
    while end < most {
        let length = rest.get(end..most)?.iter().position(|byte| stops(*byte)).unwrap_or(most - end);
        end += length;
        // `\u0026`, as JSON escapes what HTML would take for its own.
        match rest.get(end..).and_then(code).filter(|_| length < most) {
            Some((byte, escape)) if end < most && !stops(byte) => end += escape,
            _ => break,
        }
    }
    let authority = rest.get(..end)?;
    let Some(at) = authority.iter().rposition(|byte| *byte == b'@') else {
        return with_slash(rest, authority)
            .map(|(colon, at)| Span::new(after + colon, after + at, "password_in_url"));
    };
    let Some(colon) = authority.get(..at)?.iter().position(|byte| *byte == b':') else {
        let fits = is_token_as_name(authority.get(..at)?);
        return fits.then(|| Span::new(after, after + at, "token_in_url"));
    };
    let (name, password) = (authority.get(..colon)?, authority.get(colon + 1..at)?);
    let stands_in = STAND_INS.iter().any(|word| password.eq_ignore_ascii_case(word.as_bytes()));
    let is_blank = password.iter().all(|byte| matches!(byte, b'*' | b'x' | b'X' | b'.' | b'-'));
    let fits = password.len() >= 4 && !stands_in && !is_blank && !is_port(name, password);
    (fits && !is_variable(name, password))
        .then(|| Span::new(after + colon + 1, after + at, "password_in_url"))
}

/// The same where every `/` is escaped (`scheme:\/\/name:password@host`), however often.
pub(super) fn password_in_escaped_address(text: &str, colon: usize) -> Option<Span> {
    let slash = |from: usize| {
        let rest = text.as_bytes().get(from..)?;
        let backslashes = rest.iter().take(ESCAPES + 1).take_while(|byte| **byte == b'\\').count();
        ((1..=ESCAPES).contains(&backslashes) && rest.get(backslashes) == Some(&b'/'))
            .then_some(from + backslashes + 1)
    };
    password_in_address(text, slash(slash(colon + 1)?)?)
}

/// The password of `name:password@tcp(host)`, in front of the `@`.
pub(super) fn password_in_source(text: &str, at: usize) -> Option<Span> {
    let near = text.as_bytes().get(at.saturating_sub(VALUE)..at)?;
    let is_over = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'=');
    let begin = near.iter().rposition(is_over).map_or(0, |last| last + 1);
    let source = near.get(begin..)?;
    let colon = source.iter().position(|byte| *byte == b':')?;
    let (name, password) = (source.get(..colon)?, source.get(colon + 1..)?);
    let stands_in = STAND_INS.iter().any(|word| password.eq_ignore_ascii_case(word.as_bytes()));
    let fits = password.len() >= 4 && !stands_in && !is_variable(name, password);
    (fits && !password.starts_with(b"%")).then(|| Span::new(at - password.len(), at, "password_in_url"))
}

/// `https://host:8080?mail=me@example.org`: the address was over before the `@`.
fn is_port(name: &[u8], password: &[u8]) -> bool {
    let doubtful = |byte: &u8| DOUBTFUL.contains(byte);
    let parts = password.iter().position(doubtful).and_then(|first| password.split_at_checked(first));
    let is_over = parts.is_some_and(|(port, rest)| {
        let goes_on = match rest.first() {
            Some(b'?') => rest.contains(&b'='),
            Some(b'#') => false,
            _ => true,
        };
        (1..=5).contains(&port.len()) && port.iter().all(u8::is_ascii_digit) && goes_on
    });
    name.iter().any(doubtful) || is_over
}

/// Where a password with a `/` in it begins and ends: base64 has some, and whoever pastes it into an address does not escape them.
fn with_slash(rest: &[u8], authority: &[u8]) -> Option<(usize, usize)> {
    let colon = authority.iter().position(|byte| *byte == b':')? + 1;
    let most = rest.get(colon..(colon + VALUE).min(rest.len()))?;
    let of_base64 = |byte: &u8| Class::Base64.has(*byte);
    let length = most.iter().position(|byte| !of_base64(byte))?;
    let password = most.get(..length)?;
    (most.get(length) == Some(&b'@') && is_strong(password)).then_some((colon, colon + length))
}

/// `$PASSWORD`, `$(pass show db)`, `%(password)s`, `%PASSWORD%`: what will be a password.
fn is_variable(name: &[u8], password: &[u8]) -> bool {
    let is_name = |text: &[u8]| text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    match password {
        [b'$' | b'%', b'(', ..] => true,
        [b'$', variable @ ..] => {
            let is_plain = !variable.iter().any(u8::is_ascii_digit)
                || !variable.iter().any(u8::is_ascii_lowercase)
                || name.starts_with(b"$");
            is_name(variable) && is_plain
        }
        [b'%', variable @ .., b'%'] => is_name(variable),
        _ => false,
    }
}

/// `https://<token>@host`: long, random, and not the public key that Sentry's addresses begin with.
fn is_token_as_name(name: &[u8]) -> bool {
    let is_public_key = name.len() == 32 && name.iter().all(u8::is_ascii_hexdigit);
    name.len() >= 30
        && !is_public_key
        && name.iter().all(|byte| Class::Word.has(*byte))
        && has_digits(name)
        && entropy(name) >= 3.5
}
