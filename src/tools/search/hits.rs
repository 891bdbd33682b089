//! What a search finds in one file: the sink of the searcher, and the window of a long line that is kept.

use std::{io, sync::Arc};

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch};

use super::room::{Held, Room};
use crate::{redact::whole_around, text, tools::fs::text_file::SNIFFED};

/// Characters of a line that are kept, around the match.
pub(super) const WINDOW_CHARS: usize = 250;
/// Bytes on both sides of the match that are looked at.
const REACH: usize = 8 * 1024;
/// A word at an end of the window is left out rather than cut; a longer one would leave nothing around the hit.
const WORD_BYTES: usize = 110;
/// Lines of one match that are kept: more than is shown of an answer. What is called a match of megabytes is a pattern that took
/// more than was meant, and its lines are those of the file.
const MATCH_LINES: usize = 1000;

/// What is wanted of each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Lines; at most this many matches of one file.
    Lines(usize),
    /// Whether there is a match.
    Presence,
    /// How many matching lines there are.
    Count,
}

/// A line of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A match begins here; the column counts bytes, from 1.
    Match { number: u64, column: u64, text: String },
    /// The match of the line above goes on.
    More { number: u64, text: String },
    /// The match has so many more lines, up to this one.
    Rest { number: u64, lines: usize },
    /// A line around a match.
    Context { number: u64, text: String },
}

impl Line {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Match { text, .. } | Self::More { text, .. } | Self::Context { text, .. } => text,
            Self::Rest { .. } => "",
        }
    }

    /// Bytes that it takes where it is kept, in a list that grows.
    pub(super) fn bytes(&self) -> usize {
        self.text().len() + 2 * size_of::<Self>()
    }
}

/// What was found in one file.
#[derive(Debug, Default)]
pub(super) struct FileHits {
    pub(super) lines: Vec<Line>,
    /// Bytes of the lines, and of what is said of each match.
    pub(super) bytes: usize,
    pub(super) held: Held,
    /// There was no room for the lines: none is there, and the matches are counted.
    pub(super) unkept: bool,
    /// Matches in front whose lines were not wanted.
    pub(super) skipped: usize,
    /// Matches, also those whose lines were not kept.
    pub(super) matches: u64,
    /// There may be more of them.
    pub(super) cut: bool,
    /// A NUL was met; what comes after it was not searched.
    pub(super) binary: bool,
    /// What comes before that NUL is a text: something was left out that a reader would have looked for.
    pub(super) left_in_text: bool,
    /// Where that NUL is, in what was searched; not told of UTF-16.
    pub(super) ended_at: Option<u64>,
}

/// Collects the hits of one file.
pub(super) struct Collector<'a> {
    pub(super) matcher: &'a RegexMatcher,
    pub(super) wanted: Wanted,
    /// Matches in front whose lines are not wanted.
    pub(super) skip: usize,
    /// Bytes after which no more is looked for.
    pub(super) most_bytes: usize,
    /// Bytes that a match takes beside its lines.
    pub(super) each: usize,
    pub(super) room: &'a Arc<Room>,
    pub(super) hits: FileHits,
}

impl Collector<'_> {
    /// The file has a NUL there, and was searched no further. With one in its beginning it is no text, whatever matches in front.
    pub(super) fn ended_at_nul(&mut self, nul: u64) {
        let is_early = self.hits.cut || self.wanted == Wanted::Presence && self.hits.matches > 0;
        if nul < SNIFFED as u64 {
            self.hits = FileHits { binary: true, ..FileHits::default() };
        } else if !is_early {
            (self.hits.binary, self.hits.left_in_text) = (true, true);
            self.hits.ended_at = Some(nul);
        }
    }

    fn push(&mut self, line: Line) {
        let hits = &mut self.hits;
        if hits.unkept {
            return;
        }
        hits.bytes += line.bytes() + if matches!(line, Line::Match { .. }) { self.each } else { 0 };
        if hits.held.reach(hits.bytes, self.room) {
            hits.lines.push(line);
        } else {
            hits.unkept = true;
            hits.lines = Vec::new();
            hits.held.shrink(0);
        }
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if let Wanted::Lines(most) = self.wanted
            && (self.hits.matches as usize >= most || self.hits.bytes >= self.most_bytes)
        {
            self.hits.cut = true;
            return Ok(false);
        }
        // Across lines, matches in lines that follow each other come as one.
        self.hits.matches += if self.wanted == Wanted::Count { found.lines().count() as u64 } else { 1 };
        match self.wanted {
            Wanted::Count => return Ok(true),
            Wanted::Presence => return Ok(false),
            Wanted::Lines(_) => {}
        }
        if self.hits.skipped < self.skip {
            self.hits.skipped += 1;
            return Ok(true);
        }
        if self.hits.unkept {
            return Ok(true);
        }
        let first = found.line_number().unwrap_or(0);
        let span = self.matcher.find(found.bytes()).ok().flatten();
        let column = span.map_or(0, |span| span.start());
        let mut lines = (first..).zip(found.lines());
        for (number, line) in lines.by_ref().take(MATCH_LINES) {
            let line = without_end(line);
            self.push(if number == first {
                Line::Match { number, column: column as u64 + 1, text: window(line, column) }
            } else {
                Line::More { number, text: window(line, 0) }
            });
        }
        let left = lines.count();
        if left > 0 {
            self.push(Line::Rest { number: first + (MATCH_LINES + left) as u64 - 1, lines: left });
        }
        Ok(true)
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let is_wanted = self.hits.skipped >= self.skip && !self.hits.unkept;
        if is_wanted && *context.kind() != SinkContextKind::Other {
            self.push(Line::Context {
                number: context.line_number().unwrap_or(0),
                text: window(without_end(context.bytes()), 0),
            });
        }
        Ok(true)
    }

    fn finish(&mut self, _searcher: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.hits.held.shrink(self.hits.bytes);
        let nul = finish.binary_byte_offset();
        self.hits.binary = nul.is_some();
        self.hits.left_in_text = nul.is_some_and(|at| self.hits.matches > 0 || at >= SNIFFED as u64);
        Ok(())
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// At most [`WINDOW_CHARS`] characters of a line, with the byte at `column` in the middle.
fn window(line: &[u8], column: usize) -> String {
    if line.len() <= WINDOW_CHARS {
        return String::from_utf8_lossy(line).into_owned();
    }
    // Only the surroundings are decoded: a minified file is one line of megabytes.
    let column = column.min(line.len());
    let mut near =
        String::from_utf8_lossy(&line[char_start(line, column.saturating_sub(REACH))..column]).into_owned();
    let place = near.len();
    let after_end = char_start(line, (column + REACH).min(line.len()));
    near += &String::from_utf8_lossy(&line[column..after_end.max(column)]);
    let (before, after) = near.split_at(place);
    let left = (WINDOW_CHARS / 2).max(WINDOW_CHARS.saturating_sub(after.chars().take(WINDOW_CHARS).count()));
    let start = before.char_indices().rev().take(left).last().map_or(place, |(at, _)| at);
    let start = if start > 0 { text::behind_word(before, start, WORD_BYTES) } else { start };
    let room = WINDOW_CHARS - before[start..].chars().count();
    let end = after.char_indices().nth(room).map_or(after.len(), |(at, _)| at);
    let cut_back = end < after.len() || after_end < line.len();
    let end = if cut_back { text::before_word(after, end, WORD_BYTES) } else { end };
    let shown = whole_around(&near, start..place + end, place);
    let front = if shown.start > 0 || column > REACH { "…" } else { "" };
    let back = if shown.end < near.len() || cut_back { "…" } else { "" };
    format!("{front}{}{back}", &near[shown])
}

/// The start of the character that the byte at `position` belongs to, if the bytes are UTF-8.
fn char_start(line: &[u8], position: usize) -> usize {
    if position >= line.len() {
        return line.len();
    }
    (0..4)
        .filter_map(|back| position.checked_sub(back))
        .find(|&start| line[start] & 0xc0 != 0x80)
        .unwrap_or(position)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{WINDOW_CHARS, window};

    #[test]
    fn a_short_line_is_whole_and_a_long_one_is_centred() {
        assert_eq!(window("héllo".as_bytes(), 3), "héllo");
        let line = format!("{}NEEDLE{}", "a".repeat(10_000), "b".repeat(10_000));
        let shown = window(line.as_bytes(), 10_000);
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("aaNEEDLEbb"), "{shown}");
        assert_eq!(shown.chars().count(), WINDOW_CHARS + 2);
        // Half a token would not be known for one.
        let tokens = format!("ghp_{},", "x".repeat(36)).repeat(100);
        let shown = window(tokens.as_bytes(), 2_000);
        assert!(shown.trim_matches(['…', ',']).split(',').all(|token| token.len() == 40), "{shown}");
        let line = format!("NEEDLE{}", "b".repeat(10_000));
        assert!(window(line.as_bytes(), 0).starts_with("NEEDLE"));
        let line = format!("{}NEEDLE", "é".repeat(10_000));
        let shown = window(line.as_bytes(), 20_000);
        assert!(shown.ends_with("éNEEDLE") && !shown.contains('\u{fffd}'), "{shown}");
    }

    proptest! {
        #[test]
        fn a_window_never_exceeds_its_size(line in "\\PC{0,900}", at in 0_usize..900) {
            let at = (0..=at.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
            let shown = window(line.as_bytes(), at);
            prop_assert!(shown.chars().count() <= WINDOW_CHARS + 2);
            prop_assert!(line.contains(shown.trim_start_matches('…').trim_end_matches('…')) || line.contains('…'));
        }
    }
}
