//! How far runs of bytes go, each byte read once.
//!
//! A text may be full of beginnings (`fm2_fm2_fm2_…`), and each of them asks how far the very same run goes and what stands in it.
//! What was read for one is remembered for the next, so that no text costs more than a few looks at each of its bytes. That holds
//! as long as the questions go forward, as the hits of a search do; those that go back are answered as well, only not from memory.

use std::ops::Range;

use super::{find::Span, literal::is_letter, rules::Class};

/// What a run is made of: the bytes of a class, or those without something that is looked for.
#[derive(Clone, Copy)]
enum Kind {
    Of(Class),
    /// The name in front of a value, and the value: they stand further on than the tokens beside them.
    Name,
    Value,
    /// What has no blank, quote or escape in it, and the same without what ends a value in code.
    Solid,
    Plain,
    NoDigit,
    /// Behind the first one.
    NoSecondDigit,
    NoLetter,
    NoDot,
    NoSecondDot,
    NoThirdDot,
}

const CLASSES: usize = 7;
const KINDS: usize = CLASSES + 10;

impl Kind {
    fn index(self) -> usize {
        match self {
            Self::Of(class) => class as usize,
            Self::Name => CLASSES,
            Self::Value => CLASSES + 1,
            Self::NoDigit => CLASSES + 2,
            Self::NoSecondDigit => CLASSES + 3,
            Self::NoLetter => CLASSES + 4,
            Self::NoDot => CLASSES + 5,
            Self::NoSecondDot => CLASSES + 6,
            Self::NoThirdDot => CLASSES + 7,
            Self::Solid => CLASSES + 8,
            Self::Plain => CLASSES + 9,
        }
    }

    fn has(self, byte: u8) -> bool {
        match self {
            Self::Of(class) => class.has(byte),
            Self::Name => Class::Word.has(byte),
            Self::Value => Class::Base64.has(byte),
            Self::Solid => is_solid(byte),
            Self::Plain => is_solid(byte) && !b"()[]{}<>,;&".contains(&byte),
            Self::NoDigit | Self::NoSecondDigit => !byte.is_ascii_digit(),
            Self::NoLetter => !byte.is_ascii_alphabetic(),
            Self::NoDot | Self::NoSecondDot | Self::NoThirdDot => byte != b'.',
        }
    }
}

fn is_solid(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\') || is_letter(byte)
}

/// What is known of the runs of one text.
pub(super) struct Runs<'t> {
    bytes: &'t [u8],
    /// The piece of a run of each kind that was read last.
    known: [Range<usize>; KINDS],
    /// The value with escaped signs that was read last.
    escaped: Range<usize>,
    /// The full stops that were left out last, by the length that was asked for: each length goes forward by itself.
    dots: Vec<(usize, Range<usize>)>,
    /// What else was found for the name that was asked for last.
    pub beside: Vec<Span>,
    /// Bytes that were read.
    #[cfg(test)]
    pub read: usize,
}

impl<'t> Runs<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            bytes: text.as_bytes(),
            known: [const { 0..0 }; KINDS],
            escaped: 0..0,
            dots: Vec::new(),
            beside: Vec::new(),
            #[cfg(test)]
            read: 0,
        }
    }

    /// Where the run of `class` that begins at `start` ends, after `most` bytes at the latest; a full stop behind it is no part.
    pub(super) fn end(&mut self, class: Class, start: usize, most: usize) -> usize {
        let end = self.until(Kind::Of(class), start, start.saturating_add(most));
        self.without_dots(start..end, most)
    }

    /// Where the name of a value ends that goes on at `start`.
    pub(super) fn end_of_name(&mut self, start: usize, most: usize) -> usize {
        self.until(Kind::Name, start, start.saturating_add(most))
    }

    /// Where the value ends that begins at `start`.
    pub(super) fn end_of_value(&mut self, start: usize, most: usize) -> usize {
        self.until(Kind::Value, start, start.saturating_add(most))
    }

    /// Where that ends which has no blank, quote or escape in it.
    pub(super) fn end_of_solid(&mut self, start: usize, most: usize) -> usize {
        self.until(Kind::Solid, start, start.saturating_add(most))
    }

    /// The same, up to what ends a value in code.
    pub(super) fn end_of_plain(&mut self, start: usize, most: usize) -> usize {
        self.until(Kind::Plain, start, start.saturating_add(most))
    }

    /// Where a value ends that goes on at `end` with signs that `sign` knows, each with its length; before `limit`, or behind the sign that
    /// reaches it.
    pub(super) fn end_of_escaped(
        &mut self,
        end: usize,
        limit: usize,
        sign: impl Fn(&[u8]) -> Option<usize>,
    ) -> usize {
        if !(self.escaped.start..=self.escaped.end).contains(&end) {
            self.escaped = end..end;
        }
        while self.escaped.end < limit
            && let Some(length) = self.bytes.get(self.escaped.end..).and_then(&sign)
        {
            self.escaped.end = self.until(Kind::Value, self.escaped.end + length, limit);
        }
        self.escaped.end
    }

    /// Letters, and at least two digits: words have none.
    pub(super) fn has_digits(&mut self, body: Range<usize>) -> bool {
        let Range { start, end } = body;
        let first = self.until(Kind::NoDigit, start, end);
        first < end && self.until(Kind::NoSecondDigit, first + 1, end) < end && self.has(Kind::NoLetter, body)
    }

    /// The three parts between two full stops; `None` where there are not as many.
    pub(super) fn three_parts(&mut self, body: Range<usize>) -> Option<[Range<usize>; 3]> {
        let Range { start, end } = body;
        let first = Some(self.until(Kind::NoDot, start, end)).filter(|first| *first < end)?;
        let second = Some(self.until(Kind::NoSecondDot, first + 1, end)).filter(|second| *second < end)?;
        let has_more = self.has(Kind::NoThirdDot, second + 1..end);
        (!has_more).then_some([start..first, first + 1..second, second + 1..end])
    }

    /// True where `body` has what `without` runs up to.
    fn has(&mut self, without: Kind, body: Range<usize>) -> bool {
        self.until(without, body.start, body.end) < body.end
    }

    /// Where the run that begins at `start` ends, at `end` at the latest.
    fn until(&mut self, kind: Kind, start: usize, end: usize) -> usize {
        let end = end.min(self.bytes.len()).max(start);
        let Some(known) = self.known.get_mut(kind.index()) else { return start };
        if !(known.start..=known.end).contains(&start) {
            *known = start..start;
        }
        if known.end < end {
            let rest = self.bytes.get(known.end..end).unwrap_or_default();
            let more = rest.iter().position(|byte| !kind.has(*byte)).unwrap_or(rest.len());
            known.end += more;
            #[cfg(test)]
            {
                self.read += more + 1;
            }
        }
        known.end.min(end)
    }

    fn without_dots(&mut self, run: Range<usize>, most: usize) -> usize {
        let is_dot = |at: usize| self.bytes.get(at) == Some(&b'.');
        let mut end = run.end;
        if end == run.start || !is_dot(end - 1) {
            return end;
        }
        let known = self.dots.iter().position(|(length, _)| *length == most).unwrap_or(self.dots.len());
        let before = self.dots.get(known).map_or(0..0, |(_, dots)| dots.clone());
        if (before.start + 1..=before.end).contains(&end) {
            end = before.start.max(run.start);
        }
        while end > run.start && is_dot(end - 1) {
            end = if end == before.end { before.start.max(run.start) } else { end - 1 };
            #[cfg(test)]
            {
                self.read += 1;
            }
        }
        let dots = end..run.end.max(before.end * usize::from(before.start == end));
        match self.dots.get_mut(known) {
            Some(known) => known.1 = dots,
            None => self.dots.push((most, dots)),
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the answers say without a memory.
    fn end(text: &str, class: Class, start: usize, most: usize) -> usize {
        let run: String = text[start..].chars().take(most).take_while(|c| class.has(*c as u8)).collect();
        start + run.trim_end_matches('.').len()
    }

    #[test]
    fn a_run_ends_where_it_ends_whatever_was_asked_before() {
        let text = format!("a.b..c{}-a9.b.{}x", ".".repeat(40), "9.".repeat(20));
        for most in [1, 3, 17, 64] {
            let mut runs = Runs::new(&text);
            let mut other = Runs::new(&text);
            for start in (0..text.len()).chain((0..text.len()).rev()).chain((0..text.len()).step_by(5)) {
                for class in [Class::Dotted, Class::Alnum, Class::Word] {
                    assert_eq!(
                        runs.end(class, start, most),
                        end(&text, class, start, most),
                        "{start} {most}"
                    );
                    // Lengths take turns.
                    let length = most + start % 3;
                    assert_eq!(other.end(class, start, length), end(&text, class, start, length), "{start}");
                }
            }
        }
    }

    #[test]
    fn what_stands_in_a_body_is_found_as_without_a_memory() {
        let text = "..a1..eyJ.B2..3c.x.y.z999.AAAA.bbbb.CC11";
        let mut runs = Runs::new(text);
        for start in (0..text.len()).chain([3, 1, 0]) {
            for end in start..=text.len() {
                let body = &text[start..end];
                let digits = body.chars().filter(char::is_ascii_digit).count();
                let letters = body.contains(|c: char| c.is_ascii_alphabetic());
                assert_eq!(runs.has_digits(start..end), digits >= 2 && letters, "{body}");
                let parts: Vec<&str> = body.split('.').collect();
                let found = runs.three_parts(start..end).map(|parts| parts.map(|part| &text[part]));
                assert_eq!(found.as_ref().map(|found| &found[..]), Some(&parts[..]).filter(|p| p.len() == 3));
            }
        }
    }

    #[test]
    fn each_byte_is_read_a_few_times_however_many_ask() {
        for unit in ["fm2_", "eyJ-", "ya29.", "a.", "........a", "-"] {
            let text = unit.repeat(20_000);
            let mut runs = Runs::new(&text);
            for start in 0..text.len() {
                for most in [300, 2049, 4097] {
                    let end = runs.end(Class::Dotted, start, most);
                    runs.has_digits(start..end);
                    runs.three_parts(start..end);
                }
            }
            assert!(runs.read < text.len() * 40, "{unit}: {} of {}", runs.read, text.len());
        }
    }
}
