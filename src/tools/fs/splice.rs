//! Puts new text in the place of old without touching a byte around it. Pure.
//!
//! Lines that an edit repeats only as context are no part of the change: they keep their bytes, line ends included.

use std::{ops::Range, sync::Arc};

use super::line_ends::LfView;

/// One change of a text: what is taken out, in offsets of the original, and what comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// In the original.
    pub range: Range<usize>,
    /// With the line ends of its surroundings.
    pub text: Arc<str>,
}

/// The change that turns `old`, found at `place` of the view, into `new` (both with `\n` only).
pub fn replace(view: &LfView<'_>, place: &Range<usize>, old: &str, new: &str) -> Splice {
    let (old_lines, new_lines): (Vec<_>, Vec<_>) = (old.split('\n').collect(), new.split('\n').collect());
    let shorter = old_lines.len().min(new_lines.len());
    let before = old_lines.iter().zip(&new_lines).take_while(|(old, new)| old == new).count();
    let after = (old_lines.iter().rev().zip(new_lines.iter().rev()))
        .take_while(|(old, new)| old == new)
        .count()
        .min(shorter - before);
    // Where each line of the place lies in the view. It has as many as `old`, whatever white space it ends them with.
    let mut lines = Vec::with_capacity(old_lines.len());
    let mut start = place.start;
    for line in view.text[place.clone()].split('\n') {
        lines.push(start..start + line.len());
        start += line.len() + 1;
    }
    let (gone, come) = (before..old_lines.len() - after, before..new_lines.len() - after);
    let inserted = new_lines[come.clone()].join("\n");
    let end = place.end;
    let start_of = |line: usize| lines.get(line).map_or(end, |line| line.start);
    let end_of = |line: usize| lines.get(line).map_or(end, |line| line.end);
    if gone.is_empty() && after > 0 {
        let at = start_of(before);
        return splice(view, at..at, &format!("{inserted}\n"), Model::Above);
    }
    if gone.is_empty() {
        return splice(view, end..end, &format!("\n{inserted}"), Model::Here);
    }
    if !come.is_empty() {
        return splice(view, start_of(gone.start)..end_of(gone.end - 1), &inserted, Model::Here);
    }
    // Lines only go: one line end goes with them.
    let range = if after > 0 {
        start_of(gone.start)..start_of(gone.end)
    } else {
        end_of(gone.start.saturating_sub(1))..end_of(gone.end - 1)
    };
    splice(view, range, "", Model::Here)
}

/// The change that puts `new` in the place of all that stands at `place` of the view.
pub fn replace_all(view: &LfView<'_>, place: &Range<usize>, new: &str) -> Splice {
    splice(view, place.clone(), new, Model::Here)
}

/// The change that puts whole lines in front of line `line` (from 1), or behind the last one. `None`: there is no such line.
pub fn insert(view: &LfView<'_>, line: u32, new: &str) -> Option<(usize, Splice)> {
    let text = view.text.as_ref();
    let count = line_count(text);
    if line == 0 || line > count.saturating_add(1) {
        return None;
    }
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts.take(line as usize).last().filter(|_| line <= count);
    let at = start.unwrap_or(text.len());
    Some((at, insert_at(view, at, new)))
}

/// The change that puts whole lines where a line starts, or behind the last one.
pub fn insert_at(view: &LfView<'_>, at: usize, new: &str) -> Splice {
    let text = view.text.as_ref();
    let is_behind_open_end = at == text.len() && !text.is_empty() && !text.ends_with('\n');
    let inserted = if is_behind_open_end {
        // The last line has no end: the new last line has none either.
        format!("\n{}", new.strip_suffix('\n').unwrap_or(new))
    } else {
        ended(new)
    };
    splice(view, at..at, &inserted, Model::Above)
}

/// Lines of a text; what follows the last line end counts if it is not empty.
pub fn line_count(text: &str) -> u32 {
    let ends = text.bytes().filter(|byte| *byte == b'\n').count();
    let rest = usize::from(!text.is_empty() && !text.ends_with('\n'));
    u32::try_from(ends + rest).unwrap_or(u32::MAX)
}

/// `original` with all `splices`, which do not overlap, applied.
pub fn apply(original: &str, splices: &[Splice]) -> String {
    let mut ordered: Vec<_> = splices.iter().collect();
    ordered.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut text = String::with_capacity(original.len());
    let mut done = 0;
    for splice in ordered {
        text.push_str(&original[done..splice.range.start]);
        text.push_str(&splice.text);
        done = splice.range.end;
    }
    text.push_str(&original[done..]);
    text
}

/// Whose line end a new line takes first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Model {
    /// The line above.
    Above,
    /// The line that is changed.
    Here,
}

fn splice(view: &LfView<'_>, range: Range<usize>, text: &str, model: Model) -> Splice {
    let original = view.original_range(&range);
    if !text.contains('\n') {
        return Splice { range: original, text: text.into() };
    }
    let gone = view.text[range.clone()].match_indices('\n').map(|(at, _)| view.end_at(range.start + at));
    let mut gone = gone.fuse();
    let above = || view.end_above(range.start);
    let here = || view.end_below(range.end);
    let first = || match model {
        Model::Above => above().or_else(here),
        Model::Here => here().or_else(above),
    };
    let mut end = None;
    let mut with_ends = String::with_capacity(text.len() + 8);
    let mut lines = text.split('\n');
    with_ends.push_str(lines.next().unwrap_or_default());
    for line in lines {
        // A line that takes the place of another takes its end too; one more takes that of the line above it.
        end = gone.next().or(end).or_else(first);
        with_ends.push_str(end.unwrap_or("\n"));
        with_ends.push_str(line);
    }
    Splice { range: original, text: with_ends.into() }
}

fn ended(text: &str) -> String {
    if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(original: &str, old: &str, new: &str, expected: &str) {
        let view = LfView::new(original);
        let start = view.text.find(old).unwrap();
        let splice = replace(&view, &(start..start + old.len()), old, new);
        assert_eq!(apply(original, &[splice]), expected);
    }

    #[test]
    fn changed_lines_keep_their_ends() {
        check("a\r\nb\nc\r\n", "a\nb\nc\n", "x\ny\nz\n", "x\r\ny\nz\r\n");
        check("a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n");
        check("a\nb\r\nc\n", "b", "x\ny", "a\nx\r\ny\r\nc\n");
    }

    #[test]
    fn new_lines_take_the_end_of_the_line_above() {
        check("a\r\nb\n", "a\nb\n", "a\nnew\nb\n", "a\r\nnew\r\nb\n");
        check("a\nb\r\n", "a\nb\n", "new\na\nb\n", "new\na\nb\r\n");
        check("a\r\nb", "b", "b\nc", "a\r\nb\r\nc");
    }

    #[test]
    fn lines_go_with_one_line_end() {
        check("a\r\nb\nc\n", "a\nb\nc", "a\nc", "a\r\nc\n");
        check("a\r\nb\r\n", "a\nb", "a", "a\r\n");
        check("a\nb\n", "b\n", "", "a\n");
        check("a\nb\nc", "a\nb", "b", "b\nc");
    }

    #[test]
    fn a_change_within_a_line_touches_no_end() {
        check("one two\r\nthree", "two", "2", "one 2\r\nthree");
    }

    #[test]
    fn whole_lines_are_inserted() {
        let insert = |original: &str, line, new: &str| {
            super::insert(&LfView::new(original), line, new).map(|(_, splice)| apply(original, &[splice]))
        };
        assert_eq!(insert("a\r\nb\r\n", 2, "x").unwrap(), "a\r\nx\r\nb\r\n");
        assert_eq!(insert("a\nb\n", 1, "x\n").unwrap(), "x\na\nb\n");
        assert_eq!(insert("a\nb\n", 3, "x").unwrap(), "a\nb\nx\n");
        assert_eq!(insert("a\nb", 3, "x\n").unwrap(), "a\nb\nx");
        assert_eq!(insert("", 1, "x").unwrap(), "x\n");
        assert_eq!(insert("a\n", 3, "x"), None);
    }
}
