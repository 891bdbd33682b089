//! Line ends of a text that is edited: another one in their place, and a view in which every line ends with `\n`. Pure.

use std::{borrow::Cow, cell::OnceCell, ops::Range};

use crate::line_ends::counts;

/// The line end most lines have; `\n` where there is none.
pub fn majority(text: &str) -> &'static str {
    let (lf, crlf) = counts(text.as_bytes());
    if crlf * 2 > lf { "\r\n" } else { "\n" }
}

/// `text` with every line end replaced by `end`.
pub fn with_ends(text: &str, end: &str) -> String {
    let lf = text.replace("\r\n", "\n");
    if end == "\n" { lf } else { lf.replace('\n', end) }
}

/// A text with `\n` only, and the way back to the original.
#[derive(Clone, Debug)]
pub struct LfView<'a> {
    /// The text with `\n` only.
    pub text: Cow<'a, str>,
    /// Where in `text` the `\n` stand that were `\r\n`, ascending.
    crlf: Vec<usize>,
    /// Where in `text` all `\n` stand, ascending, where it is asked for: a line may be as long as a file.
    ends: OnceCell<Vec<usize>>,
}

impl<'a> LfView<'a> {
    /// The view of `original`.
    pub fn new(original: &'a str) -> Self {
        let ends: Vec<usize> = memchr::memmem::find_iter(original.as_bytes(), "\r\n").collect();
        if ends.is_empty() {
            return Self { text: Cow::Borrowed(original), crlf: ends, ends: OnceCell::new() };
        }
        let mut text = String::with_capacity(original.len());
        let mut crlf = Vec::with_capacity(ends.len());
        let mut done = 0;
        for end in ends {
            text.push_str(&original[done..end]);
            crlf.push(text.len());
            text.push('\n');
            done = end + 2;
        }
        text.push_str(&original[done..]);
        Self { text: Cow::Owned(text), crlf, ends: OnceCell::new() }
    }

    /// Where an offset of the view lies in the original; at a line end, before all of it.
    pub fn original_offset(&self, offset: usize) -> usize {
        offset + self.crlf.partition_point(|&end| end < offset)
    }

    /// Where a range of the view lies in the original.
    pub fn original_range(&self, range: &Range<usize>) -> Range<usize> {
        self.original_offset(range.start)..self.original_offset(range.end)
    }

    /// How the line end at `offset` of the view is written in the original.
    pub fn end_at(&self, offset: usize) -> &'static str {
        if self.crlf.binary_search(&offset).is_ok() { "\r\n" } else { "\n" }
    }

    /// How the nearest line end above `offset` of the view is written; `None` where there is none, or all are the same.
    pub fn end_above(&self, offset: usize) -> Option<&'static str> {
        let above = self.ends().partition_point(|&end| end < offset).checked_sub(1)?;
        self.ends().get(above).map(|&end| self.end_at(end))
    }

    /// How the nearest line end at or below `offset` of the view is written; `None` where there is none, or all are the same.
    pub fn end_below(&self, offset: usize) -> Option<&'static str> {
        self.ends().get(self.ends().partition_point(|&end| end < offset)).map(|&end| self.end_at(end))
    }

    /// Where all line ends stand, unless every one is `\n`.
    fn ends(&self) -> &[usize] {
        if self.crlf.is_empty() {
            return &[];
        }
        self.ends.get_or_init(|| memchr::memchr_iter(b'\n', self.text.as_bytes()).collect())
    }

    /// The lines, from 1, in which these offsets lie: one way through the text where they ascend.
    pub fn lines_of(&self, offsets: impl IntoIterator<Item = usize>) -> Vec<u32> {
        let (mut at, mut line) = (0, 1);
        let lines = offsets.into_iter().map(|offset| {
            if offset < at {
                (at, line) = (0, 1);
            }
            let more = memchr::memchr_iter(b'\n', &self.text.as_bytes()[at..offset]).count();
            at = offset;
            line += u32::try_from(more).unwrap_or(u32::MAX - line);
            line
        });
        lines.collect()
    }

    /// The line, from 1, in which `offset` lies.
    pub fn line_of(&self, offset: usize) -> u32 {
        let before = memchr::memchr_iter(b'\n', &self.text.as_bytes()[..offset]).count();
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_in_any_order() {
        let view = LfView::new("a\nb\r\n\nc");
        for offsets in [vec![0, 1, 2, 3, 4, 5, 6], vec![6, 0, 4, 4, 1], vec![]] {
            let each: Vec<u32> = offsets.iter().map(|&offset| view.line_of(offset)).collect();
            assert_eq!(view.lines_of(offsets), each);
        }
    }

    #[test]
    fn the_view_leads_back() {
        let view = LfView::new("a\r\nb\nc\r\n\r\rd");
        assert_eq!(view.text, "a\nb\nc\n\r\rd");
        assert_eq!(view.original_offset(1), 1);
        assert_eq!(view.original_offset(2), 3);
        assert_eq!(view.original_offset(view.text.len()), 11);
        assert_eq!((view.end_at(1), view.end_at(3), view.end_at(5)), ("\r\n", "\n", "\r\n"));
        assert_eq!(view.line_of(4), 3);
    }
}
