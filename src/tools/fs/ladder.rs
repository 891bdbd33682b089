//! Where the text of an edit stands in a file: exactly, but for white space at line ends, but for characters that look alike, or
//! but for one common indentation. Pure.
//!
//! A looser level is asked only when the stricter one found nothing, and there is none that guesses.

use std::{cell::OnceCell, ops::Range};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    fold::{fold_into, folded},
    indent::Shift,
};

/// How well the text matched; the first is the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Exact,
    TrailingWs,
    Unicode,
    Indent,
}

impl Level {
    /// The word used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::TrailingWs => "trailing_ws",
            Self::Unicode => "unicode",
            Self::Indent => "indent",
        }
    }

    /// What was overlooked, as it stands in a sentence.
    pub fn but_for(self) -> &'static str {
        match self {
            Self::Exact => "nothing",
            Self::TrailingWs => "white space at line ends",
            Self::Unicode => "dashes, quotes, spaces or composed characters",
            Self::Indent => "the indentation, which the new text was given too",
        }
    }
}

/// A place of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// In the text.
    pub range: Range<usize>,
    /// What the replacement needs to stand there.
    pub shift: Shift,
    /// It is the end of the text, whose last line has no end, and `old` ends with one: that goes from both, and the file keeps its end.
    pub is_unended: bool,
}

impl Place {
    /// What was looked for, or its replacement, as it stands at this place but for indentation.
    pub fn part<'o>(&self, of: &'o str) -> &'o str {
        if self.is_unended { of.strip_suffix('\n').unwrap_or(of) } else { of }
    }
}

/// A text in which places are looked for: what each level overlooks is taken away once, and only where it is asked for.
pub struct Ladder<'t> {
    text: &'t str,
    /// Without white space at line ends; and folded.
    loose: [OnceCell<Loose<'t>>; 2],
    /// Where its lines begin.
    starts: OnceCell<Vec<usize>>,
}

impl<'t> Ladder<'t> {
    /// Of a text with `\n` only.
    pub fn new(text: &'t str) -> Self {
        Self { text, loose: Default::default(), starts: OnceCell::new() }
    }

    /// Every place of `old` (with `\n` only) at the first level that has one. Places do not overlap, except for one that overlaps a
    /// single hit: then there are two, because which one was meant cannot be known.
    pub fn places(&self, old: &str, strict: bool) -> Option<(Level, Vec<Place>)> {
        let exact = exact(self.text, old);
        if !exact.is_empty() {
            return Some((Level::Exact, exact));
        }
        if strict {
            return None;
        }
        let [trimmed, folded] = &self.loose;
        for (level, fold, loose) in [(Level::TrailingWs, false, trimmed), (Level::Unicode, true, folded)] {
            if fold && self.text.is_ascii() && old.is_ascii() {
                continue;
            }
            let places = loose.get_or_init(|| Loose::new(self.text, fold)).places(old);
            if !places.is_empty() {
                return Some((level, places));
            }
        }
        let starts = self.starts.get_or_init(|| {
            std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1)).collect()
        });
        let shifted = shifted(self.text, starts, old);
        (!shifted.is_empty()).then_some((Level::Indent, shifted))
    }
}

/// The same of one text and one `old`.
pub fn places(text: &str, old: &str, strict: bool) -> Option<(Level, Vec<Place>)> {
    Ladder::new(text).places(old, strict)
}

/// Lines that are compared in a search for indentation. More of them only a text takes that repeats itself without end: what is not
/// found by then is not there, and nothing is changed.
pub const COMPARED_MAX: usize = 8_000_000;

/// Whole lines that are those of `old` but for one indentation.
fn shifted(text: &str, starts: &[usize], old: &str) -> Vec<Place> {
    let whole = old.ends_with('\n');
    let wanted: Vec<&str> = old.strip_suffix('\n').unwrap_or(old).split('\n').collect();
    let bare = |line: &str| trim(line).trim_start_matches([' ', '\t']).len();
    // Lines are compared where the longest one fits by its length; most places end there.
    let Some((longest, length)) =
        wanted.iter().map(|line| bare(line)).enumerate().max_by_key(|&(_, length)| length)
    else {
        return Vec::new();
    };
    if length == 0 {
        return Vec::new();
    }
    let line = |index: usize| {
        let end = starts.get(index + 1).map_or(text.len(), |next| next - 1);
        &text[starts[index]..end]
    };
    let mut places = Vec::new();
    let mut compared = 0;
    for first in 0..(starts.len() + 1).saturating_sub(wanted.len()) {
        if bare(line(first + longest)) != length {
            continue;
        }
        let last = first + wanted.len() - 1;
        if compared > COMPARED_MAX {
            return Vec::new();
        }
        let has = (first..=last).map(line).inspect(|_| compared += 1);
        let Some(shift) = Shift::between(wanted.iter().copied(), has) else { continue };
        let end = starts[last] + line(last).len();
        let is_unended = whole && end == text.len();
        if is_unended && text.ends_with('\n') {
            continue;
        }
        places.push(Place {
            range: starts[first]..end + usize::from(whole && !is_unended),
            shift,
            is_unended,
        });
    }
    places
}

fn exact(text: &str, old: &str) -> Vec<Place> {
    let starts = memchr::memmem::find_iter(text.as_bytes(), old.as_bytes());
    let at = |start: usize| Place { range: start..start + old.len(), shift: Shift::None, is_unended: false };
    let mut hits: Vec<_> = starts.map(at).collect();
    if let [only] = hits.as_slice()
        && let Some(again) = overlapping(text, old, only.range.start)
    {
        hits.push(at(again));
    }
    let behind_first = |only: &Place| only.range.start + old.chars().next().map_or(1, char::len_utf8);
    let rest = match hits.as_slice() {
        [only] => Some(behind_first(only)),
        hits => hits.last().map(|last| last.range.end),
    };
    hits.extend(rest.and_then(|from| open_end(text, old, from)));
    hits
}

/// The last line of a text that has no end is one of several places as it would be with an end.
fn open_end(text: &str, old: &str, from: usize) -> Option<Place> {
    let open = old.strip_suffix('\n').filter(|open| !open.is_empty() && !text.ends_with('\n'))?;
    let start = text.strip_suffix(open)?.len();
    let place = Place { range: start..text.len(), shift: Shift::None, is_unended: true };
    (start >= from).then_some(place)
}

/// Where `old`, which stands at `start`, stands a second time before it has come to its end.
fn overlapping(text: &str, old: &str, start: usize) -> Option<usize> {
    let from = start + old.chars().next()?.len_utf8();
    let until = text.floor_char_boundary(text.len().min(start + 2 * old.len() - 1));
    text.get(from..until)?.find(old).map(|at| from + at)
}

/// A text without white space at its line ends, perhaps folded, and the way back.
struct Loose<'a> {
    text: &'a str,
    fold: bool,
    short: String,
    lines: Vec<LooseLine>,
}

struct LooseLine {
    /// Where it starts in `short`.
    in_short: usize,
    /// Where it starts in `text`.
    in_text: usize,
    /// Where its characters begin, in both, from the line's start; `None` where they begin at the same places.
    characters: Option<Vec<(usize, usize)>>,
}

impl<'a> Loose<'a> {
    fn new(text: &'a str, fold: bool) -> Self {
        let mut short = String::with_capacity(text.len());
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split('\n') {
            if start > 0 {
                short.push('\n');
            }
            let (in_short, trimmed) = (short.len(), trim_for(line, fold));
            let characters = if fold && !trimmed.is_ascii() {
                let mut characters = Vec::new();
                fold_into(trimmed, &mut short, |in_short, in_text| characters.push((in_short, in_text)));
                characters.push((short.len() - in_short, trimmed.len()));
                Some(characters)
            } else {
                short.push_str(trimmed);
                None
            };
            lines.push(LooseLine { in_short, in_text: start, characters });
            start += line.len() + 1;
        }
        Self { text, fold, short, lines }
    }

    fn places(&self, old: &str) -> Vec<Place> {
        let lines = old.split('\n').map(|line| trim_for(line, self.fold));
        let lines = lines.map(|line| if self.fold { folded(line) } else { line.to_owned() });
        let wanted = lines.collect::<Vec<_>>().join("\n");
        if wanted.trim().is_empty() {
            return Vec::new();
        }
        // White space that was cut from the end of `old` itself can only stand at the end of a line, or begins the next one.
        let whole_line = !wanted.ends_with('\n') && old.ends_with([' ', '\t']);
        let last = old.rsplit('\n').next().filter(|_| wanted.ends_with('\n')).unwrap_or_default();
        let range = |start: usize| {
            let range = self.range(start, start + wanted.len(), whole_line)?;
            Some((start, range.start..self.behind(range.end, last)?))
        };
        let mut hits: Vec<_> =
            self.short.match_indices(&wanted).filter_map(|(start, _)| range(start)).collect();
        if let [(only, _)] = hits.as_slice() {
            hits.extend(overlapping(&self.short, &wanted, *only).and_then(range));
        }
        let at = |range, is_unended| Place { range, shift: Shift::None, is_unended };
        let mut places: Vec<_> = hits.into_iter().map(|(_, range)| at(range, false)).collect();
        if last.is_empty() {
            places.extend(self.unended(&wanted).map(|range| at(range, true)));
        }
        places
    }

    /// Where the text ends with all that is wanted but for the end of the last line.
    fn unended(&self, wanted: &str) -> Option<Range<usize>> {
        let open = wanted.strip_suffix('\n').filter(|_| !self.text.ends_with('\n'))?;
        let start = self.short.strip_suffix(open)?.len();
        self.range(start, self.short.len(), false)
    }

    /// Where the white space ends with which a text ends whose last line has nothing else: that line begins at `start`.
    fn behind(&self, start: usize, white: &str) -> Option<usize> {
        let rest = self.text.get(start..)?;
        let line = rest.split('\n').next().unwrap_or_default();
        match white {
            "" => Some(start),
            _ if trim_for(line, self.fold).is_empty() => Some(start + line.len()),
            _ => line.starts_with(white).then_some(start + white.len()),
        }
    }

    fn range(&self, start: usize, end: usize, whole_line: bool) -> Option<Range<usize>> {
        let start = self.offset(start)?;
        let at_line_end = matches!(self.short.as_bytes().get(end), None | Some(b'\n'));
        if whole_line && !at_line_end {
            return None;
        }
        let mut original_end = self.offset(end)?;
        if at_line_end && !self.short[..end].ends_with('\n') {
            original_end =
                self.text[original_end..].find('\n').map_or(self.text.len(), |at| original_end + at);
        }
        Some(start..original_end)
    }

    /// Where an offset of `short` lies in the text; `None` in the middle of a character.
    fn offset(&self, short: usize) -> Option<usize> {
        let index = self.lines.partition_point(|line| line.in_short <= short);
        let line = &self.lines[index.saturating_sub(1)];
        let inside = short - line.in_short;
        let Some(characters) = &line.characters else { return Some(line.in_text + inside) };
        let found = characters.binary_search_by_key(&inside, |&(in_short, _)| in_short).ok()?;
        Some(line.in_text + characters[found].1)
    }
}

fn trim_for(line: &str, fold: bool) -> &str {
    if fold { line.trim_end() } else { trim(line) }
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
        let found = found.map(|(level, ranges)| {
            (level, ranges.into_iter().map(|place| &text[place.range]).collect::<Vec<_>>())
        });
        assert_eq!(found, expected.map(|(level, texts)| (level, texts.to_vec())));
    }

    #[test]
    fn a_text_is_loosened_once_and_only_where_it_is_asked() {
        let text = "a \n  “b”\n  c\n".to_owned();
        let ladder = Ladder::new(&text);
        let made = || {
            let [trimmed, folded] = &ladder.loose;
            [trimmed, folded].map(|loose| loose.get().map(std::ptr::from_ref))
        };
        assert!(ladder.places("a", false).is_some() && ladder.places("x", true).is_none());
        assert_eq!(made(), [None, None]);
        for (old, level) in [
            ("a\n", Level::TrailingWs),
            ("\"b\"", Level::Unicode),
            ("“b”\nc", Level::Indent),
            ("c  \n", Level::TrailingWs),
        ] {
            let before = made();
            assert_eq!(ladder.places(old, false).map(|(level, _)| level), Some(level), "{old}");
            let [trimmed, folded] = made();
            assert!(trimmed.is_some() && before[0].is_none_or(|before| Some(before) == trimmed));
            assert!(before[1].is_none_or(|before| Some(before) == folded));
        }
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
        // The last one is the open end of the text; a line break alone is none.
        check("a\n}\n}\n}", "}\n}\n", Some((Level::Exact, &["}\n}\n", "}\n}"])));
        check("a\nb", "\n", Some((Level::Exact, &["\n"])));
        check("éaéaé", "éaé", Some((Level::Exact, &["éaé", "éaé"])));
        check("abab", "ab", Some((Level::Exact, &["ab", "ab"])));
        check("}\n}\n}\n", "} \n}\n", Some((Level::TrailingWs, &["}\n}\n", "}\n}\n"])));
        check("“a“a“", "\"a\"", Some((Level::Unicode, &["“a“", "“a“"])));
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

    /// It stands at no line end in the file, so it is not overlooked.
    #[test]
    fn white_space_that_begins_a_line_is_replaced_or_not_found() {
        check("if x:\n    y()\n", "if x: \n    ", Some((Level::TrailingWs, &["if x:\n    "])));
        check("a = 1  \n    b\n", "a = 1\n    ", Some((Level::TrailingWs, &["a = 1  \n    "])));
        check("a = 1  \n    b\n", "a = 1\n  ", Some((Level::TrailingWs, &["a = 1  \n  "])));
        check("a = 1  \n\tb\n", "a = 1\n    ", None);
        check("a = “1”\n  b\n", "a = \"1\"\n    ", None);
        check("a = “1”\n    b\n", "a = \"1\"\n    ", Some((Level::Unicode, &["a = “1”\n    "])));
        // A blank line has nothing but its end.
        check("a \n  \nb\n", "a\n    ", Some((Level::TrailingWs, &["a \n  "])));
        check("a \n", "a\n    ", Some((Level::TrailingWs, &["a \n"])));
    }

    #[test]
    fn the_end_that_the_last_line_lacks_is_overlooked() {
        let unended = |text: &str, old: &str| {
            let found = places(text, old, false);
            found.map(|(level, places)| {
                (
                    level,
                    places
                        .iter()
                        .map(|place| (text[place.range.clone()].to_owned(), place.is_unended))
                        .collect(),
                )
            })
        };
        let one = |level, text: &str| Some((level, vec![(text.to_owned(), true)]));
        assert_eq!(unended("a\nb", "b\n"), one(Level::TrailingWs, "b"));
        assert_eq!(unended("a\nb  ", "a\nb\n"), one(Level::TrailingWs, "a\nb  "));
        assert_eq!(unended("a\n“b”", "\"b\"\n"), one(Level::Unicode, "“b”"));
        assert_eq!(unended("a\n  b\n  c", "b\nc\n"), one(Level::Indent, "  b\n  c"));
        let both =
            |text: &str| Some((Level::Exact, vec![(format!("{text}\n"), false), (text.to_owned(), true)]));
        assert_eq!(unended("x\ny\nx", "x\n"), both("x"));
        assert_eq!(unended("  0\n}\n\n  0\n}", "  0\n}\n"), both("  0\n}"));
        assert_eq!(unended("a\nb\n", "b\n\n"), None);
        assert_eq!(unended("a\nb", "b\n\n"), None);
        assert_eq!(unended("", "\n"), None);
        // It stands there twice.
        let twice = unended("b \na\nb", "b\n");
        assert_eq!(
            twice,
            Some((Level::TrailingWs, vec![("b \n".to_owned(), false), ("b".to_owned(), true)]))
        );
        assert_eq!(places("a\nb", "b\n", true), None);
    }

    #[test]
    fn what_looks_alike_is_found() {
        check("say(“hi”)  \nx\n", "say(\"hi\")\nx", Some((Level::Unicode, &["say(“hi”)  \nx"])));
        check("a — b", "a - b", Some((Level::Unicode, &["a — b"])));
        check("e\u{301}t\u{e9}", "\u{e9}t", Some((Level::Unicode, &["e\u{301}t"])));
        // Not in the middle of a character.
        check("e\u{301}", "e", Some((Level::Exact, &["e"])));
        check("q\u{301}–", "q-", None);
        check("say('hi')\n", "say(’hi’)", Some((Level::Unicode, &["say('hi')"])));
    }

    #[test]
    fn one_common_indentation_is_overlooked() {
        check(
            "    if x {\n        y;\n    }\n",
            "if x {\n    y;\n}\n",
            Some((Level::Indent, &["    if x {\n        y;\n    }\n"])),
        );
        check("\tif x {\n\t\ty;\n", "if x {\n    y;\n", None);
        check("a;\n  b;\n", "    a;\n      b;", Some((Level::Indent, &["a;\n  b;"])));
        check("  a;\n", "a;\n", Some((Level::Exact, &["a;\n"])));
        check("f(a);\n\tg();\n\th();", "g();\nh();\n", Some((Level::Indent, &["\tg();\n\th();"])));
        check("x\n  a\n  b\ny\n    a\n    b\n", "a\nb", Some((Level::Indent, &["  a\n  b", "    a\n    b"])));
    }

    #[test]
    fn a_text_that_repeats_itself_is_given_up() {
        let (text, old) = ("  same\n".repeat(60_000), "same\n".repeat(2_000) + "another");
        assert_eq!(places(&text, &old, false), None);
        let again = places(&text, "same\nsame\n", false).map(|(level, places)| (level, places.len()));
        assert_eq!(again, Some((Level::Indent, 59_999)));
    }

    #[test]
    fn strict_stops_after_exact() {
        assert_eq!(places("a \nb", "a\nb", true), None);
    }
}
