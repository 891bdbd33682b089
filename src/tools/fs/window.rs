//! Which lines of a text are shown, and how: numbered, cut to a budget, with a word about what is left out. Pure.

use std::fmt::Write as _;

use crate::{
    limits::{READ_BYTES_MAX, READ_LINE_CHARS, WORD_BYTES},
    text::{self, BREAKS},
};

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Lines.
    pub lines: usize,
    /// Bytes of text.
    pub bytes: usize,
    /// With numbers.
    pub numbered: bool,
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
}

/// Shows `lines`, the first of which is number `first`, as far as the budget goes; always at least one. They have about `room`
/// bytes.
pub fn show<'a>(lines: impl Iterator<Item = &'a str>, first: u64, budget: Budget, room: usize) -> Window {
    let mut window =
        Window { text: String::with_capacity(room.min(budget.bytes) + 256), ..Window::default() };
    for (line, number) in lines.take(budget.lines).zip(first..) {
        let before = window.text.len();
        if budget.numbered {
            let _ = write!(window.text, "{number:>4}|");
        }
        let cut = push_line(&mut window.text, line);
        if window.lines > 0 && window.text.len() > budget.bytes {
            window.text.truncate(before);
            break;
        }
        if cut && window.pieces.len() < READ_BYTES_MAX as usize {
            push_pieces(&mut window.pieces, line);
        }
        window.cut += usize::from(cut);
        window.lines += 1;
    }
    window
}

fn push_line(shown: &mut String, line: &str) -> bool {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let end = if line.len() > READ_LINE_CHARS { line.char_indices().nth(READ_LINE_CHARS) } else { None };
    let Some((end, _)) = end else {
        shown.push_str(line);
        shown.push('\n');
        return false;
    };
    let end = text::before_word(line, end, WORD_BYTES);
    let _ = writeln!(shown, "{}… (+{} characters)", &line[..end], line[end..].chars().count());
    true
}

/// Breaks a line into pieces that are shown whole; not inside of a word where there is another place, since a word may be a secret
/// that is known by its form.
fn push_pieces(pieces: &mut String, line: &str) {
    let mut rest = line.trim_end_matches(['\n', '\r']);
    while let Some((end, _)) = rest.char_indices().nth(READ_LINE_CHARS) {
        let end = rest[..end].rfind(BREAKS).map_or(end, |at| at + 1);
        pieces.push_str(&rest[..end]);
        pieces.push('\n');
        rest = &rest[end..];
    }
    pieces.push_str(rest);
    pieces.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, lines: usize, bytes: usize, numbered: bool) -> Window {
        show(text.split_inclusive('\n'), 9, Budget { lines, bytes, numbered }, text.len())
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
}
