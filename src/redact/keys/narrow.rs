//! Private keys in a narrow column, as a page, a table or a terminal breaks them: no line of them is long enough to be known by itself.

use std::ops::Range;

use super::{PIECE, has_header, is_blank, lines_of, of_key};
use crate::redact::{find::Span, random};

/// Lines of one: a large key in a column of two.
const LINES: usize = 4096;
/// Fewer are words that stand below each other.
const LEAST: usize = 3;
/// Bytes at either end of a key that tell that it is one.
const LOOKED_AT: usize = 96;

/// How a key of OpenSSH begins (`openssh-key-v1`): no word does, and zeros follow.
const OPENSSH: &[u8] = b"b3BlbnNzaC1rZXkt";

/// The lines of a key in `part`, behind its first line; false where there is none.
pub(super) fn narrow_key(text: &str, part: Range<usize>, spans: &mut Vec<Span>) -> bool {
    let mut pieces = Vec::new();
    for line in lines_of(text, part).take(LINES) {
        let words = text.get(line.clone()).unwrap_or_default();
        let piece = last_run(words);
        if has_header(words) || piece.is_empty() && is_blank(words) {
            continue;
        }
        let width = pieces.first().map_or(PIECE - 1, Range::len);
        if piece.is_empty() || piece.len() > width {
            break;
        }
        pieces.push(line.start + piece.start..line.start + piece.end);
        if piece.len() < width && pieces.len() > 1 {
            break;
        }
    }
    add(text, pieces, spans)
}

/// The lines of a key whose last line follows them.
pub(super) fn narrow_end(text: &str, before: Range<usize>, spans: &mut Vec<Span>) {
    let (mut pieces, mut start): (Vec<Range<usize>>, _) = (Vec::new(), before.end);
    let lines = text.get(before).unwrap_or_default().split_inclusive('\n').rev();
    for line in lines.take(LINES) {
        start -= line.len();
        // What stands in front of the closing words is no line.
        if !line.ends_with('\n') {
            continue;
        }
        let piece = last_run(line.trim_end_matches('\n'));
        if has_header(line) || piece.is_empty() && is_blank(line) {
            continue;
        }
        let fits = match pieces.as_slice() {
            [] => piece.len() < PIECE,
            [last] => (last.len()..PIECE).contains(&piece.len()),
            [_, second, ..] => second.len() == piece.len(),
        };
        if piece.is_empty() || !fits {
            break;
        }
        pieces.push(start + piece.start..start + piece.end);
    }
    pieces.reverse();
    add(text, pieces, spans);
}

fn add(text: &str, pieces: Vec<Range<usize>>, spans: &mut Vec<Span>) -> bool {
    let is_key = pieces.len() >= LEAST && is_key(text.as_bytes(), &pieces);
    if is_key {
        spans.extend(pieces.into_iter().map(|piece| Span::new(piece.start, piece.end, "private_key")));
    }
    is_key
}

/// True where one end of what the lines say is random: keys begin or end with what they are and whom they are for, mostly zeros.
fn is_key(bytes: &[u8], pieces: &[Range<usize>]) -> bool {
    let joined = || pieces.iter().filter_map(|piece| bytes.get(piece.clone())).flatten().copied();
    let first: Vec<u8> = joined().take(LOOKED_AT).collect();
    let mut last: Vec<u8> = joined().rev().take(LOOKED_AT).collect();
    last.reverse();
    let is_random = |part: &[u8]| random::takes_turns(part) && random::entropy(part) >= 4.0;
    first.len() >= PIECE && (first.starts_with(OPENSSH) || is_random(&first) || is_random(&last))
}

/// The bytes of a key that close a line; what stands in front of them is its number, a sign, or the table it is in.
fn last_run(line: &str) -> Range<usize> {
    let end = line.trim_end_matches(['\r', '"', '\'', ',', ' ', '|']).len();
    let length = line.as_bytes()[..end].iter().rev().take_while(|byte| of_key(**byte)).count();
    end - length..end
}
