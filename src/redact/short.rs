//! Tokens whose beginning is too short or too common to be enough: what follows has a form that nothing else has.

use super::{
    colour::ends_with_colour,
    find::{Span, run},
    random::is_random,
    rules::Class,
};

/// A token whose beginning is too short to be looked for beside the others; `length` says how long its body is.
pub(super) fn short_prefix(
    text: &str,
    after: usize,
    prefix: &str,
    length: fn(&[u8]) -> Option<Named>,
) -> Option<Span> {
    let bytes = text.as_bytes();
    let start = after - prefix.len();
    let before = bytes.get(..start)?;
    if before.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') && !is_escape(before) {
        return None;
    }
    let (length, id) = length(bytes.get(after..)?)?;
    Some(Span::new(start, after + length, id))
}

/// True where `before` ends with what stands for another sign: `\n`, `%20`, `\u0020`, a colour.
pub(super) fn is_escape(before: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().all(u8::is_ascii_hexdigit);
    match before {
        [.., b'\\', b'n' | b'r' | b't' | b'f' | b'b'] => true,
        [.., b'%', first, second] | [.., b'\\', b'x', first, second] if digits(&[*first, *second]) => true,
        [.., b'\\', b'u', first, second, third, fourth] if digits(&[*first, *second, *third, *fourth]) => {
            true
        }
        _ => ends_with_colour(before),
    }
}

/// How long a body is, and what it is called.
type Named = (usize, &'static str);

/// 34 letters and digits, large and small.
pub(super) fn hugging_face(rest: &[u8]) -> Option<Named> {
    let body = rest.get(..run(rest, 0, Class::Alnum, 35))?;
    let mixed = body.iter().any(u8::is_ascii_uppercase) && body.iter().any(u8::is_ascii_lowercase);
    (body.len() == 34 && mixed && rest.get(34) != Some(&b'_')).then_some((34, "hugging_face_token"))
}

/// 22 and 43, a full stop between them.
pub(super) fn sendgrid(rest: &[u8]) -> Option<Named> {
    let is_first = run(rest, 0, Class::Word, 23) == 22 && rest.get(22) == Some(&b'.');
    (is_first && run(rest, 23, Class::Word, 44) == 66 && is_random(rest.get(..66)?))
        .then_some((66, "sendgrid_key"))
}

/// `<number of the bot>:AA<33 more>`; the number is no secret.
pub(super) fn telegram(text: &str, after: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let start = after - 2;
    let digits = bytes.get(..start - 1)?.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let end = run(bytes, start, Class::Word, 36);
    let fits = (8..=10).contains(&digits) && end - start == 35 && is_random(bytes.get(start..end)?);
    fits.then(|| Span::new(start, end, "telegram_token"))
}

/// 80 letters and digits.
pub(super) fn xai(rest: &[u8]) -> Option<Named> {
    let length = run(rest, 0, Class::Alnum, 81);
    (length == 80 && is_random(&rest[..length])).then_some((length, "xai_key"))
}

/// 37 letters and digits.
pub(super) fn replicate(rest: &[u8]) -> Option<Named> {
    let length = run(rest, 0, Class::Alnum, 38);
    (length == 37 && is_random(&rest[..length])).then_some((length, "replicate_token"))
}

/// 40 hexadecimal digits.
pub(super) fn supabase(rest: &[u8]) -> Option<Named> {
    (run(rest, 0, Class::Hex, 41) == 40).then_some((40, "supabase_token"))
}

/// `sk-<20>T3BlbkFJ<20>`, as its issuer gave them before they had other words in front.
pub(super) fn early_openai(text: &str, after: usize) -> Option<Span> {
    const HALF: usize = 20;
    let bytes = text.as_bytes();
    let middle = after - "T3BlbkFJ".len();
    let start = middle.checked_sub("sk-".len() + HALF)?;
    let first = bytes.get(start..middle)?.strip_prefix(b"sk-")?;
    let is_whole = first.iter().all(u8::is_ascii_alphanumeric)
        && run(bytes, after, Class::Alnum, HALF + 1) == after + HALF
        && !bytes[..start].last().is_some_and(u8::is_ascii_alphanumeric);
    is_whole.then(|| Span::new(start, after + HALF, "openai_key"))
}
