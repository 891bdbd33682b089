//! What is given to a command that makes a secret of it: `kubectl create secret generic x --from-literal=db=…`.

use super::NAME;
use crate::redact::{
    find::Span, gap::quote, literal::in_quotes, near::is_secret, random::is_short_key, rules::Class,
};

/// The longest one without quotes.
const LONGEST: usize = 256;

/// The value in a `--from-literal` that ends at `after`.
pub(in crate::redact) fn literal_argument(text: &str, after: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let mut at = after + usize::from(matches!(bytes.get(after), Some(b'=' | b' ')));
    let outer = quote(bytes.get(at..)?).unwrap_or_default();
    let opened = at + outer;
    at = opened;
    at += bytes.get(at..)?.iter().take(2 * NAME).take_while(|byte| Class::Dotted.has(**byte)).count();
    if at == opened || bytes.get(at) != Some(&b'=') {
        return None;
    }
    at += 1;
    let inner = quote(bytes.get(at..)?).unwrap_or_default();
    let start = at + inner;
    let end = if inner > 0 {
        in_quotes(bytes, start)?.end
    } else {
        let rest = bytes.get(start..)?;
        let is_solid = |byte: &&u8| byte.is_ascii_graphic() && !b"\"'`\\".contains(byte);
        start + rest.iter().take(LONGEST).take_while(is_solid).count()
    };
    let value = bytes.get(start..end)?;
    (is_secret(value) || is_short_key(value)).then(|| Span::new(start, end, "assigned_secret"))
}
