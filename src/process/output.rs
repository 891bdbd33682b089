//! Keeps a command's output: all of it up to a limit, then its beginning and its end. Several may read while one writes.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use encoding_rs::{Decoder, UTF_8};

use super::escape::EscapeFilter;
use crate::{limits::WORD_BYTES, redact::whole, text};

/// Bytes on the other side of a cut that may belong to a secret.
const NEAR: usize = 8 * 1024;
/// A large buffer grows in such steps instead of doubling: 16 MiB of output must not take 32.
const STEP: usize = 1024 * 1024;

/// What a command wrote, as text without escape sequences.
pub struct Transcript {
    kept: Mutex<Kept>,
    changed: Condvar,
}

/// A part of a transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The text; what is missing in its middle is counted in it.
    pub text: String,
    /// Where the part ends, in bytes of text from the beginning: the next part begins here.
    pub end: u64,
    /// Bytes of text that the part should have and does not.
    pub omitted_bytes: u64,
}

struct Kept {
    decoder: Decoder,
    filter: EscapeFilter,
    /// The beginning.
    head: String,
    head_limit: usize,
    /// What follows it, or, once `omitted` counts, the end.
    tail: String,
    tail_limit: usize,
    /// Bytes of text between the two that were not kept.
    omitted: u64,
    /// Bytes the command wrote, escape sequences and all.
    written: u64,
    /// No more will come.
    ended: bool,
}

impl std::fmt::Debug for Transcript {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Transcript").field("text_bytes", &self.text_bytes()).finish_non_exhaustive()
    }
}

impl Transcript {
    /// Keeps `limit` bytes of text: a fifth from the beginning, where a command says what it does, the rest from the end,
    /// where it says what went wrong.
    pub fn new(limit: usize) -> Self {
        let kept = Kept {
            // UTF-16 is known by its mark: read as UTF-8, a secret would have a zero behind each letter.
            decoder: UTF_8.new_decoder(),
            filter: EscapeFilter::default(),
            head: String::new(),
            head_limit: limit / 5,
            tail: String::new(),
            tail_limit: limit - limit / 5,
            omitted: 0,
            written: 0,
            ended: false,
        };
        Self { kept: Mutex::new(kept), changed: Condvar::new() }
    }

    /// Takes the next piece; it may end inside a character.
    pub(super) fn push(&self, bytes: &[u8]) {
        self.lock().push(bytes);
        self.changed.notify_all();
    }

    /// No more will come.
    pub(super) fn finish(&self) {
        self.lock().finish();
        self.changed.notify_all();
    }

    /// Bytes the command wrote, escape sequences and all.
    pub fn bytes_total(&self) -> u64 {
        self.lock().written
    }

    /// Bytes of text so far, whether they are still kept or not.
    pub fn text_bytes(&self) -> u64 {
        self.lock().text_bytes()
    }

    /// All that is kept.
    pub fn whole(&self) -> Excerpt {
        self.since(0, usize::MAX)
    }

    /// What came from `start` on, at most `limit` bytes of it: a fifth from its beginning, the rest from its end.
    pub fn since(&self, start: u64, limit: usize) -> Excerpt {
        self.lock().since(start, limit)
    }

    /// What is kept right before `start`, at most `limit` bytes of it.
    pub fn before(&self, start: u64, limit: usize) -> String {
        self.lock().before(start, limit)
    }

    /// The last `limit` bytes at most, from the beginning of a line where there is one.
    pub fn last(&self, limit: usize) -> String {
        let kept = self.lock();
        let joined;
        let all = if kept.omitted == 0 && !kept.head.is_empty() {
            joined = format!("{}{}", kept.head, kept.tail);
            joined.as_str()
        } else {
            kept.tail.as_str()
        };
        if all.len() <= limit {
            return all.to_owned();
        }
        let cut = all.ceil_char_boundary(all.len() - limit);
        let cut = &all[whole(all, cut..all.len()).start..];
        cut.split_once('\n').map_or(cut, |(_, lines)| if lines.is_empty() { cut } else { lines }).to_owned()
    }

    /// Waits until there is text behind `seen`, the end has come, or `until`; how much text there is then.
    pub fn wait_for_more(&self, seen: u64, until: Instant) -> u64 {
        let mut kept = self.lock();
        while kept.text_bytes() <= seen && !kept.ended {
            let rest = until.saturating_duration_since(Instant::now());
            if rest == Duration::ZERO {
                break;
            }
            kept = self.changed.wait_timeout(kept, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
        kept.text_bytes()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn text_bytes(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64 + self.omitted
    }

    fn push(&mut self, bytes: &[u8]) {
        self.written += bytes.len() as u64;
        self.decode(bytes, false);
    }

    fn finish(&mut self) {
        if !self.ended {
            self.decode(&[], true);
            self.cut_tail();
            self.ended = true;
        }
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
            append(&mut self.head, head);
            text = rest;
        }
        append(&mut self.tail, text);
        // Cut now and then, not at every piece: the copies then cost no more than the reading.
        if self.tail.len() > self.tail_limit + self.tail_limit / 4 {
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

    fn before(&self, start: u64, limit: usize) -> String {
        let tail_start = self.head.len() as u64 + self.omitted;
        let first = match start.checked_sub(tail_start) {
            Some(_) if self.omitted > 0 => "",
            _ => &self.head[..self.head.len() - from(&self.head, start).len()],
        };
        let start = start.saturating_sub(tail_start);
        back(first, &self.tail[..self.tail.len() - from(&self.tail, start).len()], limit)
    }

    fn since(&self, start: u64, limit: usize) -> Excerpt {
        let end = self.text_bytes();
        let tail_start = self.head.len() as u64 + self.omitted;
        let first = from(&self.head, start);
        let second = from(&self.tail, start.saturating_sub(tail_start));
        let lost = tail_start.saturating_sub(start.max(self.head.len() as u64));
        let room = first.len() + second.len();
        if lost == 0 && room <= limit {
            return Excerpt { text: [first, second].concat(), end, omitted_bytes: 0 };
        }
        let (of_front, of_back) =
            if room <= limit { (first.len(), second.len()) } else { (limit / 5, limit - limit / 5) };
        // What was lost stood between the two.
        let (behind, before) = if lost == 0 { (second, first) } else { ("", "") };
        let (front, back) = (front_whole(first, behind, of_front), back_whole(before, second, of_back));
        let omitted = (room - front.len() - back.len()) as u64 + lost;
        let line = if front.is_empty() || front.ends_with('\n') { "" } else { "\n" };
        let text = format!("{front}{line}[… {omitted} bytes left out …]\n{back}");
        Excerpt { text, end, omitted_bytes: omitted }
    }
}

/// `text` from `start` on, at a character's beginning.
fn from(text: &str, start: u64) -> &str {
    let start = usize::try_from(start).unwrap_or(usize::MAX).min(text.len());
    &text[text.ceil_char_boundary(start)..]
}

/// The first `length` bytes of the two.
fn front(first: &str, second: &str, length: usize) -> String {
    let one = &first[..first.floor_char_boundary(length.min(first.len()))];
    let rest = if one.len() < first.len() { 0 } else { length - one.len() };
    [one, &second[..second.floor_char_boundary(rest.min(second.len()))]].concat()
}

/// [`front`] without the word that goes on behind, and without what a secret has in it that does.
fn front_whole(first: &str, second: &str, length: usize) -> String {
    let mut front = front(first, second, length + NEAR);
    let end = text::before_word(&front, front.floor_char_boundary(length), WORD_BYTES);
    front.truncate(whole(&front, 0..end).end);
    front
}

/// [`back`] without the rest of a word that begins before, and without that of a secret: last, for the word may be what names it.
fn back_whole(first: &str, second: &str, length: usize) -> String {
    let mut back = back(first, second, length + NEAR);
    let start = back.ceil_char_boundary(back.len().saturating_sub(length));
    let start = text::behind_word(&back, start, WORD_BYTES);
    back.drain(..whole(&back, start..back.len()).start);
    back
}

/// The last `length` bytes of the two.
fn back(first: &str, second: &str, length: usize) -> String {
    let two = &second[second.ceil_char_boundary(second.len().saturating_sub(length))..];
    let rest = if two.len() < second.len() { 0 } else { length - two.len() };
    [&first[first.ceil_char_boundary(first.len().saturating_sub(rest))..], two].concat()
}

fn append(buffer: &mut String, text: &str) {
    if buffer.capacity() - buffer.len() < text.len() && buffer.len() > STEP {
        buffer.reserve_exact(text.len().max(STEP));
    }
    buffer.push_str(text);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn transcript(limit: usize, pieces: &[&[u8]]) -> Transcript {
        let transcript = Transcript::new(limit);
        for piece in pieces {
            transcript.push(piece);
        }
        transcript.finish();
        transcript
    }

    #[test]
    fn what_fits_is_kept_whole() {
        let transcript = transcript(10, &[b"hello", b"\nyou"]);
        let whole = transcript.whole();
        assert_eq!((whole.text.as_str(), whole.omitted_bytes, whole.end), ("hello\nyou", 0, 9));
        assert_eq!(transcript.bytes_total(), 9);
    }

    #[test]
    fn utf_16_is_read_as_what_it_is() {
        for (mark, of) in
            [([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xfe, 0xff], u16::to_be_bytes)]
        {
            let bytes: Vec<u8> = mark.into_iter().chain("ghp_é\r\n".encode_utf16().flat_map(of)).collect();
            let pieces: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(
                transcript(100, &pieces).whole().text,
                transcript(100, &["ghp_é\r\n".as_bytes()]).whole().text
            );
            assert_eq!(transcript(100, &pieces).bytes_total(), bytes.len() as u64);
        }
    }

    #[test]
    fn a_fifth_from_the_beginning_and_the_rest_from_the_end() {
        let text: &[u8] = b"0123456789abcdefghij";
        let expected = "01\n[… 10 bytes left out …]\ncdefghij";
        assert_eq!(transcript(10, &[text]).whole().text, expected);
        assert_eq!(transcript(100, &[text]).since(0, 10).text, expected);
        assert_eq!(transcript(15, &[text]).since(0, 10).text, expected);
    }

    #[test]
    fn a_secret_beside_what_is_left_out_keeps_its_name() {
        let secret = "Qm7xZ0pLk3RtY9sWvB2nC8dF5gH1jK6aE4uI0oPqMz7x";
        let name = "MY_OWN_LONG_SERVICE_NAME_PASSWORD";
        for (before, behind) in [("w ".repeat(100), "z ".repeat(50)), ("w ".repeat(50), String::new())] {
            let text = format!("{before}{name}: {secret}{behind}");
            let transcript = transcript(1000, &[text.as_bytes()]);
            for limit in 1..text.len() {
                let shown = transcript.since(0, limit).text;
                let shown = crate::redact::Redactor::new(true, &[]).begin().text(&shown).into_owned();
                assert!(
                    !shown.contains(&secret[4..20]) && !shown.contains(&secret[20..36]),
                    "{limit} {shown}"
                );
            }
        }
    }

    #[test]
    fn a_part_begins_where_the_last_one_ended() {
        let transcript = Transcript::new(10);
        transcript.push(b"0123456789");
        let first = transcript.since(0, 100);
        transcript.push(b"abcdefghij");
        assert_eq!((first.text.as_str(), first.end), ("0123456789", 10));
        // What was kept of the middle is gone: 10 and 11 are missing.
        assert_eq!(transcript.since(first.end, 100).text, "[… 2 bytes left out …]\ncdefghij");
        assert_eq!(transcript.since(15, 100).text, "fghij");
        assert_eq!(transcript.since(20, 100), Excerpt { text: String::new(), end: 20, omitted_bytes: 0 });
        assert_eq!(transcript.since(2000, 100).end, 20);
    }

    #[test]
    fn characters_are_not_torn_and_escapes_are_not_kept() {
        assert_eq!(transcript(100, &[b"\xc3", b"\xa9\x1b[3", b"1mx\xff"]).whole().text, "éx\u{fffd}");
        assert_eq!(transcript(100, &[b"a\xc3"]).whole().text, "a\u{fffd}");
    }

    #[test]
    fn the_last_lines() {
        let transcript = transcript(1000, &[b"first line\nsecond line\nthird\n"]);
        assert_eq!(transcript.last(100), "first line\nsecond line\nthird\n");
        assert_eq!(transcript.last(10), "third\n");
        assert_eq!(transcript.last(3), "rd\n");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_uncounted(
            pieces in prop::collection::vec("[a-zé\n]{0,40}", 0..20), kept in 5usize..200, shown in 5usize..200, start in 0usize..300,
        ) {
            let transcript = Transcript::new(kept);
            for piece in &pieces {
                transcript.push(piece.as_bytes());
            }
            transcript.finish();
            let all = pieces.concat();
            let start = all.ceil_char_boundary(start.min(all.len()));
            let part = transcript.since(start as u64, shown);
            prop_assert_eq!(part.end, all.len() as u64);
            if part.omitted_bytes == 0 {
                prop_assert_eq!(&part.text, &all[start..]);
            } else {
                let line = format!("[… {} bytes left out …]\n", part.omitted_bytes);
                let (front, back) = part.text.split_once(&line).unwrap();
                let front = front.strip_suffix('\n').filter(|front| all[start..].starts_with(front)).unwrap_or(front);
                prop_assert!(all[start..].starts_with(front) && all.ends_with(back));
                let shown_bytes = all.len() - start - usize::try_from(part.omitted_bytes).unwrap();
                prop_assert!(shown_bytes.abs_diff(front.len() + back.len()) <= 1);
                prop_assert!(shown_bytes <= shown);
            }
        }
    }
}
