//! The changes that the hunks of a patch make at their places in a file, and how the file ends afterwards. Pure.
//!
//! Lines that a hunk only repeats keep every byte.

use std::ops::Range;

use similar::DiffTag;

use super::{
    PatchHunk,
    anchors::Doubt,
    find::{Found, PlaceError, expected, signed},
    lines::Lines,
};
use crate::tools::{
    fs::{
        ladder::Level,
        line_ends::{LfView, majority},
        splice::{self, Splice},
    },
    line_diff::operations,
};

/// All hunks, placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// In the original; they do not overlap.
    pub splices: Vec<Splice>,
    /// The loosest level that was needed.
    pub level: Level,
    /// Hunks that do not stand where their number says: their line in the patch, and in the file.
    pub moved: Vec<(usize, usize)>,
    /// Hunks whose place their header does not say for certain: their line in the patch, and in the file.
    pub doubted: Vec<(usize, usize, Doubt)>,
    /// How the file ends afterwards, where a hunk reaches its end.
    end: Option<FileEnd>,
    /// No line is left.
    is_empty: bool,
}

/// What a hunk says of the end of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileEnd {
    says: Ending,
    /// The line end that the last line gets, where the patch or the file tells.
    with: Option<&'static str>,
    /// The patch says how the lines of the file end.
    is_exact: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// The last line gets its line end.
    Comes,
    /// The last line loses its line end.
    Goes,
    /// It is as it was.
    Stays,
    /// Nothing.
    Unsaid,
}

/// Changes that are made between two looks whether anybody still waits.
const CHANGES: usize = 1024;

/// Finds every hunk in the file, as long as `stop` does not say that nobody waits for it any more.
pub fn place(view: &LfView<'_>, hunks: &[PatchHunk], stop: &dyn Fn() -> bool) -> Result<Placed, PlaceError> {
    let lines = Lines::of(&view.text, stop);
    let mut placed = Placed {
        splices: Vec::new(),
        level: Level::Exact,
        moved: Vec::new(),
        doubted: Vec::new(),
        end: None,
        is_empty: false,
    };
    let (mut from, mut drift, mut count) = (0, 0_i64, signed(lines.count()));
    for hunk in hunks {
        let found = lines.find(hunk, from, drift);
        if stop() {
            return Err(PlaceError::Stopped);
        }
        let (hunk, found) = found?;
        placed.level = placed.level.max(found.level);
        placed.doubted.extend(found.doubt.map(|doubt| (hunk.line, found.at + 1, doubt)));
        if let Some(start) = hunk.start {
            if signed(found.at) != expected(&hunk, start, drift) {
                placed.moved.push((hunk.line, found.at + 1));
            }
            drift = signed(found.at) - expected(&hunk, start, 0);
        }
        let end = found.at + hunk.old.len();
        let bared = lines.change(view, &hunk, &found, &mut placed.splices)?;
        count += signed(hunk.new.len()) - signed(hunk.old.len());
        if end == lines.count() {
            let is_exact = lines.is_exact(view, &hunk, found.at);
            let named = hunk.new.len().checked_sub(1).filter(|_| is_exact).map(|last| end_of(&hunk, last));
            let says = match hunk.unended {
                (true, false) => Ending::Comes,
                (false, true) => Ending::Goes,
                (true, true) => Ending::Stays,
                (false, false) => Ending::Unsaid,
            };
            if says != Ending::Unsaid || placed.end.is_none() {
                placed.end = Some(FileEnd { says, with: bared.or(named), is_exact });
            }
        }
        from = end;
    }
    placed.is_empty = count == 0;
    placed.splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    if placed.splices.windows(2).any(|pair| pair[1].range.start < pair[0].range.end) {
        return Err(PlaceError::Overlap { line: hunks.last().map_or(0, |hunk| hunk.line) });
    }
    Ok(placed)
}

impl Placed {
    /// The original with all of it.
    pub fn apply(&self, original: &str) -> String {
        let mut text = splice::apply(original, &self.splices);
        let Some(FileEnd { says, with, is_exact }) = self.end.filter(|_| !self.is_empty) else { return text };
        let was_open = !original.is_empty() && !original.ends_with('\n');
        // The splices leave an open end open. An empty line is nothing without its end.
        let is_bare = says == Ending::Unsaid && (text.is_empty() || text.ends_with('\n'));
        if was_open && (says == Ending::Comes || is_bare) {
            let above = text.rfind('\n').map(|at| if text[..at].ends_with('\r') { "\r\n" } else { "\n" });
            let end = with.or(above).unwrap_or_else(|| majority(original));
            text.push_str(end);
        } else if !was_open && says == Ending::Goes {
            // Of an exact patch a `\r` at the very end is one of the file's characters.
            let rest = |text: &str| text.strip_suffix('\r').filter(|_| !is_exact).unwrap_or(text).len();
            let end = text.strip_suffix('\n').map(rest);
            text.truncate(end.unwrap_or(text.len()));
        }
        text
    }
}

impl Lines<'_> {
    /// The changes of a hunk at its place; and the line end that goes in front of lines without which the file has an open end.
    fn change(
        &self,
        view: &LfView<'_>,
        hunk: &PatchHunk,
        found: &Found,
        into: &mut Vec<Splice>,
    ) -> Result<Option<&'static str>, PlaceError> {
        if self.is_exact(view, hunk, found.at) {
            return self.change_exactly(view, hunk, found, into);
        }
        let shifted = |lines: &[String]| found.shift.apply(&lines.join("\n"));
        let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
            (hunk.old.iter().map(String::as_str).collect(), hunk.new.iter().map(String::as_str).collect());
        let mut bared = None;
        for (made, op) in operations(&old_lines, &new_lines).into_iter().enumerate() {
            self.check_waited(made)?;
            let (tag, old, new) = op.as_tag_tuple();
            if tag == DiffTag::Equal {
                continue;
            }
            let come = &hunk.new[new];
            let Some(text) = shifted(come) else {
                return Err(PlaceError::NotFound { line: hunk.line, wanted: hunk.old.join("\n") });
            };
            let gone = found.at + old.start..found.at + old.end;
            if gone.is_empty() {
                into.push(splice::insert_at(view, self.start_of(gone.start), &(text + "\n")));
                continue;
            }
            let range = self.range(&gone, come.is_empty());
            if come.is_empty() && gone.start > 0 && gone.end == self.count() {
                bared = Some(view.end_at(range.start));
            }
            into.push(splice::replace_all(view, &range, &text));
        }
        Ok(bared)
    }

    fn check_waited(&self, made: usize) -> Result<(), PlaceError> {
        if made.is_multiple_of(CHANGES) && (self.stop)() { Err(PlaceError::Stopped) } else { Ok(()) }
    }

    /// The patch says how the lines of the file end, and is right about those that are there.
    fn is_exact(&self, view: &LfView<'_>, hunk: &PatchHunk, at: usize) -> bool {
        let agrees = |(index, returns): (usize, &bool)| {
            let Some(start) = self.starts.get(at + index) else { return false };
            let end = start + self.each[at + index].len();
            end == self.text.len() || (view.end_at(end) == end_named(*returns))
        };
        hunk.is_exact() && hunk.returns.0.iter().enumerate().all(agrees)
    }

    /// The same where the patch says how its lines end: a line that only ends otherwise is another line.
    fn change_exactly(
        &self,
        view: &LfView<'_>,
        hunk: &PatchHunk,
        found: &Found,
        into: &mut Vec<Splice>,
    ) -> Result<Option<&'static str>, PlaceError> {
        let ended = |lines: &[String], returns: &[bool], is_unended: bool| -> Vec<String> {
            let last = lines.len() - usize::from(is_unended && !lines.is_empty());
            let end = |index: usize, returns: bool| if index < last { end_named(returns) } else { "" };
            let lines = lines.iter().zip(returns).enumerate();
            lines.map(|(index, (line, returns))| format!("{line}{}", end(index, *returns))).collect()
        };
        let old = ended(&hunk.old, &hunk.returns.0, hunk.unended.0);
        let new = ended(&hunk.new, &hunk.returns.1, hunk.unended.1);
        let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
            (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
        let mut bared = None;
        for (made, op) in operations(&old_lines, &new_lines).into_iter().enumerate() {
            self.check_waited(made)?;
            let (tag, old, new) = op.as_tag_tuple();
            if tag == DiffTag::Equal {
                continue;
            }
            let come = &hunk.new[new.clone()];
            let Some(shifted) = found.shift.apply(&come.join("\n")) else {
                return Err(PlaceError::NotFound { line: hunk.line, wanted: hunk.old.join("\n") });
            };
            let mut text = String::with_capacity(shifted.len() + come.len() * 2);
            for (line, index) in shifted.split('\n').zip(new.clone()) {
                text.push_str(line);
                text.push_str(end_of(hunk, index));
            }
            let mut range = self.start_of(found.at + old.start)..self.start_of(found.at + old.end);
            let at_open_end =
                range.end == self.text.len() && !self.text.is_empty() && !self.text.ends_with('\n');
            if at_open_end && come.is_empty() {
                bared = range.start.checked_sub(1).map(|at| view.end_at(at));
                range.start = range.start.saturating_sub(1);
            } else if at_open_end {
                // The last line has no end, unless the hunk gives it one.
                let end = if hunk.unended.1 { "\n" } else { end_of(hunk, new.end - 1) };
                text.truncate(text.len() - end.len());
                if old.is_empty() {
                    text.insert_str(0, end_of(hunk, new.start.saturating_sub(1)));
                }
            }
            into.push(Splice { range: view.original_range(&range), text: text.into() });
        }
        Ok(bared)
    }

    /// Where the lines stand; with one line end when they go for good.
    fn range(&self, lines: &Range<usize>, goes: bool) -> Range<usize> {
        let start = self.start_of(lines.start);
        let last = lines.end.saturating_sub(1);
        let end = self.starts.get(last).map_or(self.text.len(), |at| at + self.each[last].len());
        match (goes, end == self.text.len()) {
            (false, _) => start..end,
            (true, false) => start..end + 1,
            (true, true) => start.saturating_sub(1)..end,
        }
    }
}

/// How the patch ends a line that comes.
fn end_of(hunk: &PatchHunk, line: usize) -> &'static str {
    end_named(hunk.returns.1.get(line).copied().unwrap_or_default())
}

fn end_named(returns: bool) -> &'static str {
    if returns { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn who_waits_no_more_ends_it_wherever_it_is() {
        let lines: Vec<String> = (0..100_000).map(|line| line.to_string()).collect();
        let text = lines.join("\n");
        let hunk =
            |old: &[String], new: Vec<String>| PatchHunk { old: old.to_vec(), new, ..PatchHunk::default() };
        let come = lines[..20_000].iter().flat_map(|line| [line.clone(), "y".to_owned()]).collect();
        let many = |line: &String| hunk(std::slice::from_ref(line), vec![format!("{line} ")]);
        for hunks in [
            vec![hunk(&lines[..20_000], come)],
            lines[..1_000].iter().map(many).collect(),
            vec![hunk(&["é".into()], vec![])],
        ] {
            let asked = Cell::new(0);
            let stop_after = |most: usize| {
                let asked = &asked;
                asked.set(0);
                move || asked.replace(asked.get() + 1) >= most
            };
            let view = LfView::new(&text);
            let _ = place(&view, &hunks, &stop_after(usize::MAX));
            let all = asked.get();
            assert!(all > 20, "{all}");
            for most in [0, 1, all / 2, all - 1] {
                assert_eq!(
                    place(&view, &hunks, &stop_after(most)),
                    Err(PlaceError::Stopped),
                    "{most} of {all}"
                );
            }
        }
    }
}
