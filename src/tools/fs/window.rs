//! Which lines of a text are shown, and how: numbered, cut to a budget, with a word about what is left out. Pure.

use std::fmt::Write as _;

use crate::{
    limits::{HANDLE_BYTES, READ_BYTES_MAX, READ_LINE_CHARS, WORD_BYTES},
    redact::{Cuts, whole},
    text,
};

/// Bytes behind a cut that may belong to a secret.
const NEAR: usize = 8 * 1024;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Lines.
    pub lines: usize,
    /// Bytes of text.
    pub bytes: usize,
    /// With numbers.
    pub numbered: bool,
    /// However long a line is: it was cut already where it may be.
    pub whole_lines: bool,
}

/// What is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The lines, each with `\n`.
    pub text: String,
    /// How many.
    pub lines: usize,
    /// How many of them were cut because they are too long.
    pub cut: usize,
    /// Those lines in pieces that are short enough.
    pub pieces: String,
    /// Bytes of a line that the pieces end without: it alone is more than is kept.
    pub lacking: u64,
}

/// Shows `lines`, the first of which is number `first`, as far as the budget goes; always at least one. They have about `room`
/// bytes.
pub fn show<'a>(lines: impl Iterator<Item = &'a str>, first: u64, budget: Budget, room: usize) -> Window {
    let mut showing = Showing::new(first, budget, room);
    for line in lines {
        if !showing.line(line.strip_suffix('\n').unwrap_or(line)) {
            break;
        }
    }
    showing.end()
}

/// A window that is being filled.
#[derive(Debug)]
pub struct Showing {
    window: Window,
    number: u64,
    budget: Budget,
    long: Option<Long>,
}

/// The line that comes in parts.
#[derive(Debug)]
struct Long {
    /// Where it begins in the text, and in the pieces.
    before: (usize, usize),
    /// Characters that are not shown.
    left: u64,
    /// Its end so far, which is no piece yet.
    rest: String,
}

impl Showing {
    /// An empty one; see [`show`].
    pub fn new(first: u64, budget: Budget, room: usize) -> Self {
        let window =
            Window { text: String::with_capacity(room.min(budget.bytes) + 256), ..Window::default() };
        Self { window, number: first, budget, long: None }
    }

    /// A whole line, or the last part of one, without its `\n`. False once there is no room for another.
    pub fn line(&mut self, line: &str) -> bool {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if self.long.is_some() {
            return self.add(line, true) && self.end_long();
        }
        if !self.budget.whole_lines && end_of_shown(line).is_some() {
            return self.begin(line, true) && self.end_long();
        }
        let before = self.window.text.len();
        self.push_number();
        self.window.text.push_str(line);
        self.window.text.push('\n');
        self.is_kept((before, self.window.pieces.len()))
    }

    /// A part of a line that goes on, the first one longer than what is shown of a line; none ends with a `\r`, which may belong to
    /// the line's end. False where there is no room for the line.
    pub fn part(&mut self, part: &str) -> bool {
        if self.long.is_some() { self.add(part, false) } else { self.begin(part, false) }
    }

    /// What is shown.
    pub fn end(self) -> Window {
        self.window
    }

    fn push_number(&mut self) {
        if self.budget.numbered {
            let _ = write!(self.window.text, "{:>4}|", self.number);
        }
    }

    fn begin(&mut self, line: &str, is_last: bool) -> bool {
        let before = (self.window.text.len(), self.window.pieces.len());
        let end = end_of_shown(line).unwrap_or(line.len());
        let end = text::before_word(line, end, WORD_BYTES);
        let end = whole(text::prefix(line, end + NEAR), 0..end).end;
        self.push_number();
        self.window.text.push_str(&line[..end]);
        // The rest of a line that is not shown anyway need not be read.
        if self.is_over() {
            return self.drop_line(before);
        }
        let left = line[end..].chars().count() as u64;
        self.long = Some(Long { before, left, rest: String::new() });
        self.add_pieces(line, is_last)
    }

    fn add(&mut self, part: &str, is_last: bool) -> bool {
        if let Some(long) = &mut self.long {
            long.left += part.chars().count() as u64;
        }
        self.add_pieces(part, is_last)
    }

    /// Breaks a line into pieces that are shown whole; not inside of a word where there is another place, since a word may be a
    /// secret that is known by its form.
    fn add_pieces(&mut self, part: &str, is_last: bool) -> bool {
        let Some(long) = &mut self.long else { return true };
        let Window { pieces, lines, lacking, .. } = &mut self.window;
        if *lacking > 0 && *lines == 0 {
            *lacking += part.len() as u64;
            return true;
        }
        long.rest.push_str(part);
        let (mut start, mut cuts) = (0, None);
        while let Some(end) = end_of_shown(&long.rest[start..]) {
            let rest = &long.rest[start..];
            // What follows is looked at too, and may still be to come.
            if !is_last && rest.len() <= end + NEAR {
                break;
            }
            let end = text::last_break(&rest[..end]).map_or(end, |at| at + 1);
            let end = cuts.get_or_insert_with(|| Cuts::of(&long.rest)).near(start, start + end);
            pieces.push_str(&long.rest[start..end]);
            pieces.push('\n');
            start = end;
        }
        long.rest.drain(..start);
        let bytes = pieces.len() + long.rest.len() + 1;
        // What was cut is kept as a whole: the line that is too much for that begins another window.
        if *lines > 0 && (*lacking > 0 || bytes > READ_BYTES_MAX as usize) {
            let before = long.before;
            return self.drop_line(before);
        }
        // There is no other window for one that is too much by itself.
        if bytes > HANDLE_BYTES {
            let kept = pieces.floor_char_boundary(READ_BYTES_MAX as usize);
            let kept = pieces[..kept].rfind('\n').map_or(0, |at| at + 1);
            let dropped = pieces[kept..].bytes().filter(|byte| *byte != b'\n').count();
            *lacking = (dropped + long.rest.len()) as u64;
            pieces.truncate(kept);
            pieces.shrink_to_fit();
            long.rest.clear();
        }
        true
    }

    fn end_long(&mut self) -> bool {
        let Some(long) = self.long.take() else { return true };
        let _ = writeln!(self.window.text, "… (+{} characters)", long.left);
        if self.window.lacking == 0 {
            self.window.pieces.push_str(&long.rest);
            self.window.pieces.push('\n');
        }
        self.window.cut += usize::from(!self.is_over());
        self.is_kept(long.before)
    }

    /// Counts the line that was pushed, unless it is too much.
    fn is_kept(&mut self, before: (usize, usize)) -> bool {
        if self.is_over() {
            return self.drop_line(before);
        }
        self.window.lines += 1;
        self.number += 1;
        self.window.lines < self.budget.lines
    }

    fn is_over(&self) -> bool {
        self.window.lines > 0 && self.window.text.len() > self.budget.bytes
    }

    fn drop_line(&mut self, (text, pieces): (usize, usize)) -> bool {
        self.window.text.truncate(text);
        self.window.pieces.truncate(pieces);
        self.long = None;
        false
    }
}

/// Where a line is cut that is too long.
fn end_of_shown(line: &str) -> Option<usize> {
    let beginning = line.as_bytes().get(..READ_LINE_CHARS)?;
    if beginning.is_ascii() {
        return (line.len() > READ_LINE_CHARS).then_some(READ_LINE_CHARS);
    }
    line.char_indices().nth(READ_LINE_CHARS).map(|(end, _)| end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, lines: usize, bytes: usize, numbered: bool) -> Window {
        show(text.split_inclusive('\n'), 9, Budget { lines, bytes, numbered, whole_lines: false }, text.len())
    }

    #[test]
    fn lines_are_numbered_and_ends_not_shown() {
        assert_eq!(check("a\r\nb", 9, 99, true).text, "   9|a\n  10|b\n");
        assert_eq!(check("a\n", 9, 99, false).text, "a\n");
    }

    #[test]
    fn budgets_cut_between_lines() {
        assert_eq!(check("a\nb\nc\n", 2, 99, false).lines, 2);
        assert_eq!(check("aaa\nbbb\n", 9, 5, false).text, "aaa\n");
        assert_eq!(check("a long first line\n", 9, 5, false).lines, 1);
    }

    #[test]
    fn a_long_line_is_cut_and_says_so() {
        let window = check(&"é".repeat(READ_LINE_CHARS + 3), 9, 1_000_000, false);
        assert_eq!(window.cut, 1);
        assert!(window.text.ends_with("é… (+3 characters)\n"));
        // Half a token would not be known for one.
        let before = "v".repeat(READ_LINE_CHARS - 30);
        let window = check(&format!("{before} ghp_{}", "x".repeat(36)), 9, 1_000_000, false);
        assert_eq!(window.text, format!("{before} … (+40 characters)\n"));
        let words = "word ".repeat(READ_LINE_CHARS);
        let pieces = check(&words, 9, 1_000_000, false).pieces;
        assert!(
            pieces.lines().all(|line| line.len() <= READ_LINE_CHARS && line.ends_with("word ")),
            "{pieces}"
        );
        assert_eq!(pieces.replace('\n', ""), words);
    }

    /// The same lines, those that are long in parts of `part` bytes.
    fn in_parts(text: &str, budget: Budget, part: usize) -> Window {
        let mut showing = Showing::new(9, budget, text.len());
        for line in text.split_inclusive('\n') {
            let mut line = line.strip_suffix('\n').unwrap_or(line);
            while line.len() > part {
                let first = line[..line.floor_char_boundary(part)].trim_end_matches('\r');
                if !showing.part(first) {
                    return showing.end();
                }
                line = &line[first.len()..];
            }
            if !showing.line(line) {
                break;
            }
        }
        showing.end()
    }

    #[test]
    fn parts_make_the_same_window() {
        let words = "some words, ".repeat(3000);
        let text = format!("short\n{words}\r\n{}\r\nshort\r\n{words}\rend", "é".repeat(9000));
        for bytes in [1, 3000, 5000, 9000, 100_000] {
            for part in [8200, 9001, 35_999, 36_000, 36_001] {
                let budget = Budget { lines: 9, bytes, numbered: true, whole_lines: false };
                let whole = show(text.split_inclusive('\n'), 9, budget, 0);
                assert_eq!(in_parts(&text, budget, part), whole, "{bytes} {part}");
            }
        }
        let all = check(&text, 9, 100_000, false);
        let pieces = [words.as_str(), &"é".repeat(9000), &words, "\rend"].concat();
        assert_eq!((all.cut, all.pieces.replace('\n', "")), (3, pieces));
    }

    #[test]
    fn what_is_kept_of_long_lines_is_whole() {
        let line = format!("{}\n", "words ".repeat(9 << 17));
        let window = check(&line.repeat(4), 9, 100_000, false);
        assert_eq!((window.lines, window.cut, window.lacking), (2, 2, 0));
        assert_eq!(window.pieces.replace('\n', ""), line.trim_end_matches('\n').repeat(2));
    }

    #[test]
    fn a_line_full_of_beginnings_of_secrets_is_shown_like_any_other() {
        for unit in crate::redact::beginnings() {
            let unit = unit.replace('\n', " ");
            let line = unit.repeat(12_000 / unit.len());
            let window = check(&line, 9, 100_000, false);
            assert_eq!((window.lines, window.cut), (1, 1), "{unit}");
            assert_eq!(window.pieces.replace('\n', ""), line, "{unit}");
        }
        let line = "client-key-data".repeat(70_000);
        assert_eq!(check(&line, 9, 100_000, false).pieces.replace('\n', ""), line);
    }
}
