//! Values without quotes that nothing but the end of their line closes, or of what their name stands in.

use super::{
    context::{NAME, SIGNED},
    gap::{Gap, Value},
    literal::{in_line, in_part, in_quotes, is_over},
    rules::Class,
    runs::Runs,
};

/// A value without quotes that goes on to where nothing else can stand: the end of the line, of the string that its name begins,
/// of the part of an address of a database.
pub(super) fn alone<'t>(bytes: &'t [u8], start: usize, gap: &Gap, runs: &mut Runs<'_>) -> Option<Value<'t>> {
    if gap.quoted || !gap.assigns {
        return None;
    }
    let before = bytes.get(..start)?;
    let (sign, is_spaced) = match before {
        [.., b':' | b'=', b' '] => (before.len() - 2, true),
        [.., b'='] => (before.len() - 1, false),
        _ => return None,
    };
    let is_field = before.get(sign) == Some(&b':');
    let name_end = before.get(..sign)?.trim_ascii_end().len();
    let named = before.get(..name_end)?;
    let of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'.' | b'-' | b'/');
    let length = named.iter().rev().take(2 * NAME).take_while(of_name).count();
    let (front, name) = named.split_at(name_end - length);
    let is_constant = name.len() >= 4 && !name.iter().any(u8::is_ascii_lowercase);
    let indentation =
        front.iter().rev().take(2 * NAME).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let is_first = name.len() >= 4
        && matches!(
            front.get(..front.len() - indentation)?.last(),
            None | Some(b'\n' | b'|' | b'+' | b'-' | b':')
        );
    let whole = is_first.then(|| in_line(bytes, start)).flatten();
    if is_field {
        return whole.or_else(|| to_end_of_line(bytes, start, runs));
    }
    match front.last() {
        Some(b'"' | b'\'' | b'`') if !is_spaced => {
            let found = in_quotes(bytes, front.len())?;
            let at = found.plain.iter().position(|byte| *byte == b'=')? + 1;
            let plain = found.plain.get(at..).unwrap_or_default().to_vec();
            (!plain.contains(&b' ')).then(|| Value { end: found.end, plain: plain.into() })
        }
        Some(b';') if !is_spaced && !front.ends_with(b"&amp;") => in_part(bytes, start),
        front => {
            let is_apart = front
                .is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'|' | b'+' | b'-' | b':'));
            let is_one = is_first || is_constant && !is_spaced && is_apart;
            let found = whole.or_else(|| is_one.then(|| to_end_of_line(bytes, start, runs)).flatten())?;
            let rest = bytes.get(start..)?;
            let line = rest.iter().take(SIGNED).position(|byte| matches!(byte, b'\n' | b'\r'));
            let line = rest.get(..line.unwrap_or(rest.len()))?;
            let comment = memchr::memmem::find(line, b" #").unwrap_or(line.len());
            (!is_code(line.get(..comment)?.trim_ascii_end(), is_spaced)).then_some(found)
        }
    }
}

/// True where the rest of a line is code: something is called, or taken out of something; with blanks around a `=` it may be more.
fn is_code(line: &[u8], is_spaced: bool) -> bool {
    let path = line.iter().take_while(|byte| Class::Dotted.has(**byte) || **byte == b':').count();
    let closed = line.iter().rposition(|byte| !matches!(byte, b',' | b';')).and_then(|last| line.get(last));
    let is_call = matches!(line.get(path), Some(b'(' | b'[')) && matches!(closed, Some(b')' | b']'));
    is_call || is_spaced && matches!(line.last(), Some(b';' | b',' | b')' | b'{'))
}

/// The end of the line, where there is no blank in front of it.
fn to_end_of_line<'t>(bytes: &'t [u8], start: usize, runs: &mut Runs<'_>) -> Option<Value<'t>> {
    let end = runs.end_of_solid(start, SIGNED);
    let ends = |rest: &[u8]| matches!(rest, [] | [b'\n' | b'\r', ..]) || is_over(rest);
    if end - start >= SIGNED || !bytes.get(end..).is_some_and(ends) {
        return None;
    }
    let value = bytes.get(start..end)?;
    let last = value.iter().rev().take(NAME).position(u8::is_ascii_alphanumeric)?;
    Some(Value { end: end - last, plain: value.get(..value.len() - last)?.into() })
}
