//! The value of an option that stands as the next thing of a list, or in the next line: `"--token",⏎ "…"`, `- --token⏎ - …`,
//! `--token \⏎ …`.

use super::NAME;
use crate::redact::{
    gap::{Gap, line_break, quote},
    rules::Class,
};

/// Blanks in front of the end of a line.
const BLANKS: usize = 8;

/// What stands between an option whose name ends at `name_end`, with the word that was found in it up to `after`, and its value.
pub(super) fn next_item(bytes: &[u8], after: usize, name_end: usize) -> Option<Gap> {
    let rest = bytes.get(name_end..)?;
    // Nearly all names are no options, and nearly all end in the midst of a line.
    let quotes = rest.first().and_then(|_| quote(rest)).unwrap_or_default();
    let comma = usize::from(rest.get(quotes) == Some(&b','));
    let blanks = rest.iter().skip(quotes + comma).take(BLANKS).take_while(|byte| **byte == b' ').count();
    let mut at = quotes + comma + blanks;
    let goes_on = quotes == 0 && blanks > 0 && rest.get(at) == Some(&b'\\');
    at += usize::from(goes_on);
    if !matches!(rest.get(at), Some(b'\n' | b'\r')) {
        return None;
    }
    let near = bytes.get(after.saturating_sub(2 * NAME)..name_end)?;
    let length = near.iter().rev().take_while(|byte| Class::Word.has(**byte)).count();
    let start = name_end - length;
    if length == 0 || bytes.get(start) != Some(&b'-') {
        return None;
    }
    let is_item = bytes.get(..start - quotes.min(start))?.ends_with(b"- ");
    if !(comma > 0 && quotes > 0 || goes_on || comma == 0 && is_item) {
        return None;
    }
    let end = at + line_break(rest.get(at..)?)?;
    // The next item has its own sign.
    if !goes_on && comma == 0 && !rest.get(at..end)?.contains(&b'-') {
        return None;
    }
    let opening = quote(rest.get(end..)?).unwrap_or_default();
    let quoted = opening > 0;
    let end = end + opening;
    // Another option: this one had no value.
    if comma > 0 && !quoted || rest.get(end) == Some(&b'-') {
        return None;
    }
    Some(Gap {
        end: name_end + end,
        opened: usize::MAX,
        assigns: false,
        quoted,
        listed: quoted,
        blank: !quoted,
        element: false,
    })
}
