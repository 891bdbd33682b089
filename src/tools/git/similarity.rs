//! How much of one version is in another, as git counts it where it says `similarity index`.

use std::collections::HashMap;

/// A piece ends with its line, or after so many bytes.
const PIECE: usize = 64;

/// The share of the larger of both that stands in both, in percent, rounded down; pieces are counted wherever they stand.
pub(super) fn similarity(old: &[u8], new: &[u8], is_text: bool) -> u64 {
    let larger = old.len().max(new.len()) as u64;
    if old == new || larger == 0 {
        return 100;
    }
    let (old, new) = (pieces(old, is_text), pieces(new, is_text));
    let copied: u64 =
        old.iter().map(|(piece, bytes)| new.get(piece).map_or(0, |others| (*bytes).min(*others))).sum();
    copied * 100 / larger
}

/// Each piece with the bytes that all of its kind have. A text's `\r\n` counts as `\n`.
fn pieces(bytes: &[u8], is_text: bool) -> HashMap<Vec<u8>, u64> {
    let mut found: HashMap<Vec<u8>, u64> = HashMap::new();
    let mut piece = Vec::with_capacity(PIECE);
    let mut rest = bytes.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if is_text && byte == b'\r' && rest.peek() == Some(&b'\n') {
            continue;
        }
        piece.push(byte);
        if byte == b'\n' || piece.len() == PIECE || rest.peek().is_none() {
            let size = piece.len() as u64;
            *found.entry(std::mem::take(&mut piece)).or_default() += size;
        }
    }
    found
}
