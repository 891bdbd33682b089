//! Keeps the beginning and the end of a command's output, however much there is.

use encoding_rs::{Decoder, UTF_8};

use super::escape::EscapeFilter;

/// What was kept, as text without escape sequences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The beginning.
    pub head: String,
    /// The end; empty when the beginning is all there is.
    pub tail: String,
    /// Bytes of text between the two that were not kept.
    pub omitted_bytes: u64,
    /// Bytes the command wrote, escape sequences and all.
    pub bytes_total: u64,
}

impl Captured {
    /// Head and tail, with a line between them that says what is missing.
    pub fn to_text(&self) -> String {
        if self.omitted_bytes == 0 {
            return format!("{}{}", self.head, self.tail);
        }
        let end = if self.head.is_empty() || self.head.ends_with('\n') { "" } else { "\n" };
        format!("{}{end}[… {} bytes left out …]\n{}", self.head, self.omitted_bytes, self.tail)
    }

    /// The last `limit` bytes at most, from the beginning of a line where there is one.
    pub fn last(&self, limit: usize) -> String {
        let all =
            if self.omitted_bytes == 0 { format!("{}{}", self.head, self.tail) } else { self.tail.clone() };
        if all.len() <= limit {
            return all;
        }
        let cut = &all[all.ceil_char_boundary(all.len() - limit)..];
        cut.split_once('\n').map_or(cut, |(_, lines)| if lines.is_empty() { cut } else { lines }).to_owned()
    }
}

/// Takes the output as it comes.
pub(super) struct Capture {
    decoder: Decoder,
    filter: EscapeFilter,
    head: String,
    head_limit: usize,
    tail: String,
    tail_limit: usize,
    omitted: u64,
    total: u64,
}

impl Capture {
    /// Keeps `limit` bytes of text: a fifth from the beginning, where a command says what it does, the rest from the end,
    /// where it says what went wrong.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            decoder: UTF_8.new_decoder_without_bom_handling(),
            filter: EscapeFilter::default(),
            head: String::new(),
            head_limit: limit / 5,
            tail: String::new(),
            tail_limit: limit - limit / 5,
            omitted: 0,
            total: 0,
        }
    }

    /// Takes the next piece; it may end inside a character.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        self.decode(bytes, false);
    }

    /// No more will come.
    pub(super) fn finish(mut self) -> Captured {
        self.decode(&[], true);
        self.cut_tail();
        Captured { head: self.head, tail: self.tail, omitted_bytes: self.omitted, bytes_total: self.total }
    }

    fn decode(&mut self, bytes: &[u8], last: bool) {
        let room = self.decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len() * 3 + 16);
        let mut decoded = String::with_capacity(room);
        let _ = self.decoder.decode_to_string(bytes, &mut decoded, last);
        let mut text = String::with_capacity(decoded.len());
        self.filter.push(&decoded, &mut text);
        self.keep(&text);
    }

    fn keep(&mut self, mut text: &str) {
        if self.tail.is_empty() && self.omitted == 0 {
            let (head, rest) = text.split_at(text.floor_char_boundary(self.head_limit - self.head.len()));
            self.head.push_str(head);
            text = rest;
        }
        self.tail.push_str(text);
        // Cut now and then, not at every piece: the copies then cost no more than the reading.
        if self.tail.len() > self.tail_limit * 2 {
            self.cut_tail();
        }
    }

    fn cut_tail(&mut self) {
        if self.tail.len() > self.tail_limit {
            let cut = self.tail.ceil_char_boundary(self.tail.len() - self.tail_limit);
            self.tail.drain(..cut);
            self.omitted += cut as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn capture(limit: usize, pieces: &[&[u8]]) -> Captured {
        let mut capture = Capture::new(limit);
        for piece in pieces {
            capture.push(piece);
        }
        capture.finish()
    }

    #[test]
    fn what_fits_is_kept_whole() {
        let captured = capture(10, &[b"hello", b"\nyou"]);
        assert_eq!(
            (captured.to_text().as_str(), captured.omitted_bytes, captured.bytes_total),
            ("hello\nyou", 0, 9)
        );
    }

    #[test]
    fn a_fifth_from_the_beginning_and_the_rest_from_the_end() {
        let captured = capture(10, &[b"0123456789abcdefghij"]);
        assert_eq!((captured.head.as_str(), captured.tail.as_str()), ("01", "cdefghij"));
        assert_eq!(captured.to_text(), "01\n[… 10 bytes left out …]\ncdefghij");
    }

    #[test]
    fn characters_are_not_torn_and_escapes_are_not_kept() {
        assert_eq!(capture(100, &[b"\xc3", b"\xa9\x1b[3", b"1mx\xff"]).to_text(), "éx\u{fffd}");
        assert_eq!(capture(100, &[b"a\xc3"]).to_text(), "a\u{fffd}");
    }

    #[test]
    fn the_last_lines() {
        let captured = capture(1000, &[b"first line\nsecond line\nthird\n"]);
        assert_eq!(captured.last(100), "first line\nsecond line\nthird\n");
        assert_eq!(captured.last(10), "third\n");
        assert_eq!(captured.last(3), "rd\n");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_uncounted(pieces in prop::collection::vec("[a-zé\n]{0,40}", 0..20), limit in 5usize..200) {
            let mut capture = Capture::new(limit);
            for piece in &pieces {
                capture.push(piece.as_bytes());
            }
            let all = pieces.concat();
            let kept = capture.finish();
            prop_assert!(kept.head.len() + kept.tail.len() <= limit);
            prop_assert!(all.starts_with(&kept.head) && all.ends_with(&kept.tail));
            prop_assert_eq!(kept.head.len() + kept.tail.len() + usize::try_from(kept.omitted_bytes).unwrap(), all.len());
            prop_assert_eq!(kept.bytes_total, all.len() as u64);
        }
    }
}
