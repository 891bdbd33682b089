//! Where the text of an edit stands in a file: exactly, or but for white space at line ends. Pure.
//!
//! A looser level is asked only when the stricter one found nothing, and there is none that guesses.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

/// How well the text matched; the first is the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Exact,
    TrailingWs,
}

impl Level {
    /// The word used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::TrailingWs => "trailing_ws",
        }
    }
}

/// Every place of `old` in `text` (both with `\n` only) at the first level that has one. Places do not overlap, except for one
/// that overlaps a single hit: then there are two, because which one was meant cannot be known.
pub fn places(text: &str, old: &str, strict: bool) -> Option<(Level, Vec<Range<usize>>)> {
    let exact = exact(text, old);
    if !exact.is_empty() {
        return Some((Level::Exact, exact));
    }
    if strict {
        return None;
    }
    let loose = Trimmed::new(text).places(old);
    (!loose.is_empty()).then_some((Level::TrailingWs, loose))
}

fn exact(text: &str, old: &str) -> Vec<Range<usize>> {
    let mut hits: Vec<_> = text.match_indices(old).map(|(start, _)| start..start + old.len()).collect();
    if let [only] = hits.as_slice()
        && let Some(first) = old.chars().next()
    {
        let (from, until) = (only.start + first.len_utf8(), text.len().min(only.end + old.len() - 1));
        let window = &text[from..text.floor_char_boundary(until)];
        if let Some(at) = window.find(old) {
            hits.push(from + at..from + at + old.len());
        }
    }
    hits
}

/// A text without white space at its line ends, and the way back.
struct Trimmed<'a> {
    text: &'a str,
    short: String,
    /// Where each line starts: in `short`, in `text`.
    lines: Vec<(usize, usize)>,
}

impl<'a> Trimmed<'a> {
    fn new(text: &'a str) -> Self {
        let mut short = String::with_capacity(text.len());
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split('\n') {
            if start > 0 {
                short.push('\n');
            }
            lines.push((short.len(), start));
            short.push_str(trim(line));
            start += line.len() + 1;
        }
        Self { text, short, lines }
    }

    fn places(&self, old: &str) -> Vec<Range<usize>> {
        let wanted = old.split('\n').map(trim).collect::<Vec<_>>().join("\n");
        if wanted.trim().is_empty() {
            return Vec::new();
        }
        // White space that was cut from the end of `old` itself can only stand at the end of a line.
        let whole_line = !wanted.ends_with('\n') && old.ends_with([' ', '\t']);
        let hits = self.short.match_indices(&wanted);
        hits.filter_map(|(start, _)| self.range(start, start + wanted.len(), whole_line)).collect()
    }

    fn range(&self, start: usize, end: usize, whole_line: bool) -> Option<Range<usize>> {
        let start = self.offset(start);
        let at_line_end = matches!(self.short.as_bytes().get(end), None | Some(b'\n'));
        if whole_line && !at_line_end {
            return None;
        }
        let mut original_end = self.offset(end);
        if at_line_end && !self.short[..end].ends_with('\n') {
            original_end =
                self.text[original_end..].find('\n').map_or(self.text.len(), |at| original_end + at);
        }
        Some(start..original_end)
    }

    fn offset(&self, trimmed: usize) -> usize {
        let line = self.lines.partition_point(|&(start, _)| start <= trimmed);
        let (in_short, in_text) = self.lines[line.saturating_sub(1)];
        in_text + (trimmed - in_short)
    }
}

fn trim(line: &str) -> &str {
    line.trim_end_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, old: &str, expected: Option<(Level, &[&str])>) {
        let found = places(text, old, false);
        let found = found
            .map(|(level, ranges)| (level, ranges.into_iter().map(|range| &text[range]).collect::<Vec<_>>()));
        assert_eq!(found, expected.map(|(level, texts)| (level, texts.to_vec())));
    }

    #[test]
    fn exact_comes_first() {
        check("a b\na b \n", "a b ", Some((Level::Exact, &["a b "])));
        check("one two one", "one", Some((Level::Exact, &["one", "one"])));
        check("x", "y", None);
    }

    #[test]
    fn an_overlapping_second_place_counts() {
        check("aaa", "aa", Some((Level::Exact, &["aa", "aa"])));
        check("éaéaé", "éaé", Some((Level::Exact, &["éaé", "éaé"])));
        check("abab", "ab", Some((Level::Exact, &["ab", "ab"])));
    }

    #[test]
    fn white_space_at_line_ends_is_overlooked() {
        check("f() {  \n  x;\t\n}\n", "f() {\n  x;\n}", Some((Level::TrailingWs, &["f() {  \n  x;\t\n}"])));
        check("a\nb\n", "a  \nb \n", Some((Level::TrailingWs, &["a\nb\n"])));
        check("a\nb\n", "a \n", Some((Level::TrailingWs, &["a\n"])));
        check("a \n\nb", "a\n\n", Some((Level::TrailingWs, &["a \n\n"])));
        // The white space of `ab ` stands within a line here: that is another text.
        check("abc\n", "ab ", None);
        check("a\n", "  ", None);
    }

    #[test]
    fn strict_stops_after_exact() {
        assert_eq!(places("a \nb", "a\nb", true), None);
    }
}
