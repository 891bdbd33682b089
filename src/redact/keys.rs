//! Private keys in a text: from their first line on, and up to their last one where the first is not there.

use std::ops::Range;

use super::{find::Span, rules::KEY_HEADERS};
use crate::text::prefix;

/// Lines of a private key; the largest has about a hundred.
const KEY_LINES: usize = 400;

/// No title of a key is longer.
const TITLE_BYTES: usize = 48;

/// The title of a key's first or last line, which begins at `from` behind five dashes: where it ends, if it names a private key.
fn private_title(text: &str, from: usize) -> Option<usize> {
    let near = prefix(text.get(from..)?, TITLE_BYTES + 4);
    let line = near.split(['\n', '\\']).next()?;
    let length = line.find("-----").filter(|at| *at < TITLE_BYTES)?;
    line.get(..length)?.contains("PRIVATE KEY").then_some(from + length)
}

/// The lines of a private key that ends here and whose first line is not in the text, as where an edit's surroundings are shown.
pub(super) fn end_of_private_key(text: &str, hit: usize, after: usize, spans: &mut Vec<Span>) {
    if private_title(text, after).is_none() {
        return;
    }
    let bytes = text.as_bytes();
    let mut start = hit;
    let before = text.get(..hit).unwrap_or_default();
    // A key before this one ends where it says so: what was looked at for that one is not looked at again.
    let own = before.rfind("-----END").map_or(0, |at| at + 8);
    let before = before.get(own..).unwrap_or_default();
    // In front of the closing words may stand the number of their line or a sign; the line above may be a short one.
    let short = usize::from(!before.ends_with('\n'));
    let lines = before.split_inclusive('\n').rev().take(KEY_LINES);
    for (above, line) in lines.enumerate() {
        if line.contains("-----BEGIN ") {
            return;
        }
        let begin = start - line.len();
        if above > short && !has_long_run(bytes, begin..start) {
            break;
        }
        start = begin;
    }
    let first = spans.len();
    for line in text.get(start..hit).unwrap_or_default().split_inclusive('\n') {
        key_runs(bytes, start..start + line.len(), first, spans);
        start += line.len();
    }
}

fn has_long_run(bytes: &[u8], line: Range<usize>) -> bool {
    let mut found = Vec::new();
    key_runs(bytes, line, 0, &mut found);
    !found.is_empty()
}

/// The lines of a private key that begins here. Each line stays a line, whatever stands in front of it (a number, a `+`).
pub(super) fn private_key(text: &str, hit: usize, after: usize, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let Some(title_end) = private_title(text, after) else { return };
    if !text.get(..hit).is_some_and(|before| before.ends_with("-----")) {
        return;
    }
    let mut start = title_end + 5;
    let (mut lines_without, first) = (0, spans.len());
    for line in text.get(start..).unwrap_or_default().split_inclusive('\n').take(KEY_LINES) {
        let end = start + marks(line).unwrap_or(line.len());
        let before = spans.len();
        // A line such as `Proc-Type: 4,ENCRYPTED` says how the key is kept, and nothing of it.
        let is_header = |line: &str| KEY_HEADERS.iter().any(|header| line.contains(header));
        if !text.get(start..end).is_some_and(is_header) {
            key_runs(bytes, start..end, first, spans);
        }
        lines_without = if spans.len() == before { lines_without + 1 } else { 0 };
        if end < start + line.len() || lines_without > 6 {
            return;
        }
        start += line.len();
    }
}

/// Where a line says that a key ends, or another one begins.
fn marks(line: &str) -> Option<usize> {
    line.match_indices("-----").map(|(at, _)| at).find(|at| {
        line.get(at + 5..).is_some_and(|rest| rest.starts_with("END") || rest.starts_with("BEGIN "))
    })
}

/// Runs of key bytes in a line: those of a key are 64 long but for the last, which closes a line and comes after others.
fn key_runs(bytes: &[u8], line: Range<usize>, first: usize, spans: &mut Vec<Span>) {
    let Range { mut start, end } = line;
    while start < end {
        let stop = run_strict(bytes, start, end);
        let closes_line =
            stop > start && (stop == end || matches!(bytes.get(stop), Some(b'\n' | b'\r' | b'\\' | b'"')));
        let least = if closes_line && spans.len() > first { 4 } else { 24 };
        // A line's number is digits alone.
        let is_number = bytes.get(start..stop).is_some_and(|run| run.iter().all(u8::is_ascii_digit));
        if stop - start >= least && !is_number {
            spans.push(Span::new(start, stop, "private_key"));
        }
        // The `n` of an escaped line break belongs to the backslash.
        let escape = usize::from(bytes.get(stop) == Some(&b'\\')) + 1;
        start = stop + escape;
    }
}

fn run_strict(bytes: &[u8], start: usize, end: usize) -> usize {
    let of_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    start + bytes.get(start..end).unwrap_or_default().iter().take_while(|byte| of_key(byte)).count()
}
