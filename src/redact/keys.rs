//! Private keys in a text: from their first line on, and up to their last one where the first is not there.
//!
//! A line of a key ends at a line break or at an escaped one (`\n`), for keys also stand in JSON and in `.env` files. Nothing here
//! reads on over another key's first line: a text full of those costs no more than any other.

use std::ops::Range;

use memchr::memmem;

use self::narrow::{narrow_end, narrow_key};
use super::{
    find::Span,
    random,
    rules::{KEY_ENDS, KEY_HEADERS, PUTTY_KEY},
};
use crate::text::prefix;

/// Lines of a private key; the largest has about a hundred.
const KEY_LINES: usize = 400;

/// The longest key in `PuTTY`'s format, twice: what is no key goes on.
const PUTTY_BYTES: usize = 16 * 1024;

/// No title of a key is longer.
const TITLE_BYTES: usize = 48;

/// How the first line of a key begins, and as many dashes end it.
const BEGINS: &str = "-----BEGIN ";
const DASHES: usize = 5;

/// The first piece of a key is as long at least; one of them that is a line is 64 long.
const PIECE: usize = 24;

/// The same behind a string that ends with the first line, where code follows: names are shorter, mostly.
const PIECE_IN_CODE: usize = 40;

/// The same beside a header, whose value is no part of the key.
const PIECE_BESIDE_HEADER: usize = 48;

/// The title of a key's first or last line, which begins at `from` behind five dashes: where it ends, if it names a private key.
fn private_title(text: &str, from: usize) -> Option<usize> {
    let near = prefix(text.get(from..)?, TITLE_BYTES + 4);
    let line = near.split(['\n', '\\']).next()?;
    let length = line.find("-----").filter(|at| *at < TITLE_BYTES)?;
    line.get(..length)?.contains("PRIVATE KEY").then_some(from + length)
}

/// Where the first or last line of a private key begins, if a cut at `at` would go through it.
pub(super) fn title_around(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let from = at.saturating_sub(TITLE_BYTES + 2 * BEGINS.len());
    let begins = |mark: &str| {
        // The mark itself may be cut.
        let near = bytes.get(from..(at + mark.len()).saturating_sub(1).min(bytes.len()))?;
        let start = from + memmem::rfind(near, mark.as_bytes())?;
        let end = private_title(text, start + mark.len())? + DASHES;
        (end > at).then_some(start)
    };
    begins(BEGINS).or_else(|| begins(KEY_ENDS))
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
    // In front of the closing words may stand the number of their line or a sign; the line above may be a short one, and above a
    // checksum there may be another.
    let mut short = usize::from(!before.ends_with('\n'));
    let lines = before.split_inclusive('\n').rev().take(KEY_LINES);
    for (above, line) in lines.enumerate() {
        let begin = start - line.len();
        if let Some(at) = line.rfind(BEGINS) {
            let behind = begin + at + BEGINS.len();
            if private_title(text, behind).is_some() {
                return;
            }
            // Of something else, or a cut went through it and the key begins below.
            start = behind;
            break;
        }
        if above == short && is_checksum(line) {
            short += 1;
        } else if above > short && !has_long_run(bytes, begin..start) {
            break;
        }
        start = begin;
    }
    let found = spans.len();
    let mut key = Key { bytes, known: Known::Doubtful, end_of_last: None };
    for line in lines_of(text, start..hit) {
        key.line(text, line, spans);
    }
    if spans.len() == found {
        narrow_end(text, own..hit, spans);
    }
}

/// `=abcd`, which closes a key of PGP.
fn is_checksum(line: &str) -> bool {
    let line = line.trim_end().as_bytes();
    let Some((front, [b'=', sum @ ..])) = line.split_at_checked(line.len().saturating_sub(5)) else {
        return false;
    };
    sum.len() == 4 && sum.iter().all(|byte| of_key(*byte)) && !front.last().is_some_and(|byte| of_key(*byte))
}

fn has_long_run(bytes: &[u8], line: Range<usize>) -> bool {
    bytes
        .get(line)
        .unwrap_or_default()
        .split(|byte| !of_key(*byte))
        .any(|run| run.len() >= PIECE && !run.iter().all(u8::is_ascii_digit))
}

/// The lines of a private key that begins here. Each line stays a line, whatever stands in front of it (a number, a `+`).
pub(super) fn private_key(text: &str, hit: usize, after: usize, spans: &mut Vec<Span>) {
    let Some(title_end) = private_title(text, after) else { return };
    if !text.get(..hit).is_some_and(|before| before.ends_with("-----")) {
        return;
    }
    let start = title_end + DASHES;
    let rest = text.get(start..).unwrap_or_default();
    if narrow_key(text, start..start + marks(rest), spans) {
        return;
    }
    let known = if is_closed(rest) { Known::InCode } else { Known::Begun };
    let mut key = Key { bytes: text.as_bytes(), known, end_of_last: None };
    let mut lines_without = 0;
    for line in lines_of(text, start..start + marks(rest)).take(KEY_LINES) {
        let (before, words) = (spans.len(), text.get(line.clone()).unwrap_or_default());
        key.line(text, line, spans);
        if spans.len() > before {
            lines_without = 0;
        } else if !is_blank(words) && !has_header(words) {
            lines_without += 1;
        }
        if lines_without > 6 {
            return;
        }
    }
}

/// The lines of a key as `PuTTY` keeps it, behind their number.
pub(super) fn putty_key(text: &str, after: usize, spans: &mut Vec<Span>) {
    let rest = text.get(after..).unwrap_or_default();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let Ok(count) = rest.get(..digits).unwrap_or_default().parse::<usize>() else { return };
    let mut key = Key { bytes: text.as_bytes(), known: Known::Begun, end_of_last: None };
    // What stands behind the number of the next one is looked at for that.
    let near = prefix(rest, PUTTY_BYTES);
    let own = memmem::find(near.as_bytes(), PUTTY_KEY.as_bytes()).unwrap_or(near.len());
    let near = after + digits..after + own;
    let (mut left, mut is_first) = (count.min(KEY_LINES), true);
    for line in lines_of(text, near) {
        // What stands behind the number is no line, nor is an empty one.
        if !std::mem::take(&mut is_first) && !text.get(line.clone()).is_some_and(is_blank) {
            let Some(others) = left.checked_sub(1) else { break };
            left = others;
        }
        key.line(text, line, spans);
    }
}

/// True for a line that says nothing; its number may stand in front, or the sign of a difference.
fn is_blank(line: &str) -> bool {
    !line.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// A line such as `Proc-Type: 4,ENCRYPTED` says how the key is kept, and nothing of it; but all of the key may be joined to it.
fn has_header(line: &str) -> bool {
    line.contains(": ") && KEY_HEADERS.iter().any(|header| line.contains(header))
}

/// True where the first line is all that a string or a sentence has of a key.
fn is_closed(rest: &str) -> bool {
    let mut rest = rest;
    while let Some(behind) = rest.strip_prefix('\\') {
        let behind = behind.trim_start_matches('\\');
        let Some(behind) = behind.strip_prefix(['n', 'r']) else { return behind.starts_with(['"', '\'']) };
        rest = behind;
    }
    rest.bytes().next().is_some_and(|byte| !byte.is_ascii_whitespace() && !of_key(byte))
}

/// Where the rest says that a key ends, or another one begins. The next beginning is looked for first: so no look goes over it.
fn marks(rest: &str) -> usize {
    let next = memmem::find(rest.as_bytes(), BEGINS.as_bytes()).unwrap_or(rest.len());
    rest.as_bytes().get(..next).and_then(|own| memmem::find(own, b"-----END")).unwrap_or(next)
}

/// The lines, each without its line break, be it an escaped one.
fn lines_of(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes().get(..part.end).unwrap_or_default();
    let mut next = (part.start < part.end).then_some(part.start);
    std::iter::from_fn(move || {
        let start = next?;
        let rest = bytes.get(start..)?;
        let is_break = |at: &usize| {
            rest.get(*at) == Some(&b'\n') || matches!(rest.get(*at + 1), Some(b'n' | b'r' | b'\\'))
        };
        let Some(at) = memchr::memchr2_iter(b'\n', b'\\', rest).find(is_break) else {
            next = None;
            return Some(start..bytes.len());
        };
        let escape = backslashes(rest.get(at..)?);
        let mut behind = at + escape.max(1);
        match rest.get(behind) {
            Some(b'n') if escape > 0 => behind += 1,
            Some(b'r') if escape > 0 => {
                behind += 1;
                // `\r\n` is one break.
                let escape = backslashes(rest.get(behind..)?);
                let is_one = escape > 0 && rest.get(behind + escape) == Some(&b'n');
                behind += if is_one { escape + 1 } else { 0 };
            }
            _ => {}
        }
        let behind = start + behind;
        next = (behind < bytes.len()).then_some(behind);
        Some(start..start + at)
    })
}

fn backslashes(rest: &[u8]) -> usize {
    rest.iter().take_while(|byte| **byte == b'\\').count()
}

/// What is known of the key before the first piece of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Its first line stands above.
    Begun,
    /// Its first line stands above, in a string of its own: perhaps a program's that only names it.
    InCode,
    /// Its last line stands below.
    Doubtful,
}

/// A key on its way.
struct Key<'t> {
    bytes: &'t [u8],
    known: Known,
    /// Where the last piece ended.
    end_of_last: Option<usize>,
}

impl Key<'_> {
    /// Runs of key bytes in a line: those of a key are 64 long but for the last, which closes a line and comes after others.
    fn line(&mut self, text: &str, line: Range<usize>, spans: &mut Vec<Span>) {
        let words = text.get(line.clone()).unwrap_or_default();
        let has_header = has_header(words);
        let Range { mut start, end } = line;
        while start < end {
            let length =
                self.bytes.get(start..end).unwrap_or_default().iter().take_while(|byte| of_key(**byte));
            let stop = start + length.count();
            if self.is_piece(start..stop, end, has_header) {
                spans.push(Span::new(start, stop, "private_key"));
                self.end_of_last = Some(stop);
            }
            start = stop + 1;
        }
    }

    fn is_piece(&self, run: Range<usize>, line_end: usize, has_header: bool) -> bool {
        let Some(found) = self.bytes.get(run.clone()) else { return false };
        // A line's number is digits alone.
        if found.len() < 4 || found.iter().all(u8::is_ascii_digit) {
            return false;
        }
        let Some(last) = self.end_of_last else {
            return match self.known {
                _ if has_header => found.len() >= PIECE_BESIDE_HEADER && is_mixed(found),
                Known::Begun => found.len() >= PIECE && is_mixed(found),
                Known::InCode => found.len() >= PIECE_IN_CODE && (is_random(found) || is_first(found)),
                Known::Doubtful => found.len() >= PIECE && is_random(found),
            };
        };
        let between = self.bytes.get(last..run.start).unwrap_or_default();
        let is_next = between.len() <= 4 && between.iter().all(|byte| b" \t,".contains(byte));
        let closes_line =
            run.end == line_end || matches!(self.bytes.get(run.end), Some(b'\r' | b'"' | b'\''));
        found.len() >= PIECE || is_next || closes_line
    }
}

/// Names have no digits, mostly; a piece of a key that has none is one in a hundred, and its next one has some.
fn is_mixed(run: &[u8]) -> bool {
    run.iter().any(|byte| !byte.is_ascii_alphabetic() && *byte != b'/')
}

/// Of two neighbours in a random text two of three are of different kinds (small, capital, digit), in names one of three.
fn is_random(run: &[u8]) -> bool {
    let changes = random::changes(run);
    is_mixed(run) && changes * 20 >= run.len() * 9
}

/// What keys begin with, in which little is random: their kind (DER, as PKCS#8, PKCS#1 and SEC1 have it, and OpenSSH's own).
fn is_first(run: &[u8]) -> bool {
    let beginnings: [&[u8]; 5] = [b"MI", b"MC4CAQ", b"MHcCAQ", b"MHQCAQ", b"b3BlbnNzaC1rZXk"];
    is_mixed(run) && beginnings.iter().any(|first| run.starts_with(first))
}

fn of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

mod narrow;
#[cfg(test)]
mod tests;
