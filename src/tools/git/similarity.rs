//! How much of one version is in another, as git counts it: for `similarity index`, and to find out what was renamed.

/// All of it.
pub(super) const SCORE: u64 = 60_000;

/// A piece ends with its line, or after so many bytes.
const PIECE: u32 = 64;
/// Pieces are known by a number below this. Two of one number are one to git, so that its figures are had by its own number alone.
const NUMBERS: u32 = 107_927;
/// What has a NUL in its beginning is no text.
const BEGINNING: usize = 8000;

/// The pieces of a version, whatever their order.
#[derive(Debug)]
pub(super) struct Spans {
    size: u64,
    /// The number of a piece, in order, and the bytes that all of its kind have.
    pieces: Vec<(u32, u32)>,
}

impl Spans {
    /// A text's `\r\n` counts as `\n`.
    pub(super) fn of(bytes: &[u8], is_text: bool) -> Self {
        let (mut high, mut low, mut length) = (0_u32, 0_u32, 0);
        let mut pieces = Vec::new();
        let mut end = |high: u32, low: u32, length: u32| {
            pieces.push((high.wrapping_add(low.wrapping_mul(0x61)) % NUMBERS, length));
        };
        let mut rest = bytes.iter().copied().peekable();
        while let Some(byte) = rest.next() {
            if is_text && byte == b'\r' && rest.peek() == Some(&b'\n') {
                continue;
            }
            (high, low) = ((high << 7) ^ (low >> 25), (low << 7) ^ (high >> 25));
            high = high.wrapping_add(byte.into());
            length += 1;
            if byte == b'\n' || length == PIECE {
                end(high, low, length);
                (high, low, length) = (0, 0, 0);
            }
        }
        if length > 0 {
            end(high, low, length);
        }
        pieces.sort_unstable();
        pieces.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        pieces.shrink_to_fit();
        Self { size: bytes.len() as u64, pieces }
    }

    /// How many kinds of pieces there are.
    pub(super) fn count(&self) -> usize {
        self.pieces.len()
    }

    /// The share of the larger of both that stands in both.
    pub(super) fn score(&self, other: &Self) -> u64 {
        let larger = self.size.max(other.size);
        if larger == 0 {
            return SCORE;
        }
        let mut copied: u64 = 0;
        let (mut old, mut new) = (self.pieces.iter().peekable(), other.pieces.iter().peekable());
        while let (Some((left, here)), Some((right, there))) = (old.peek(), new.peek()) {
            if left == right {
                copied += u64::from(*here.min(there));
            }
            let (steps, is_behind) = (left <= right, right <= left);
            if steps {
                old.next();
            }
            if is_behind {
                new.next();
            }
        }
        copied * SCORE / larger
    }
}

/// The share of the larger of both that stands in both, in percent, rounded down; of each side with whether it is a text.
pub(super) fn similarity(old: (&[u8], bool), new: (&[u8], bool)) -> u64 {
    if old.0 == new.0 {
        return 100;
    }
    Spans::of(old.0, old.1).score(&Spans::of(new.0, new.1)) * 100 / SCORE
}

/// Whether git takes it for text where nothing else is said.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    !bytes[..bytes.len().min(BEGINNING)].contains(&0)
}
