//! Where the hunks of a patch stand in a file, and the changes they make there. Pure.
//!
//! A place is found by the edit ladder, line by line; where a patch leaves open which of several places it means, it is refused.
//! Lines that a hunk only repeats keep every byte.

use std::{
    borrow::Cow,
    cell::{Cell, OnceCell},
    ops::{Range, RangeInclusive},
};

use similar::DiffTag;

use super::PatchHunk;
use crate::tools::{
    fs::{
        fold::folded,
        indent::Shift,
        ladder::{COMPARED_MAX, Level},
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

/// Why a hunk has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceError {
    /// Its lines, or the line it names, are not there.
    NotFound {
        /// Where the hunk begins in the patch.
        line: usize,
        /// What was looked for.
        wanted: String,
    },
    /// Its lines stand only where a hunk before it has been already, or above that.
    Disorder {
        /// Where the hunk begins in the patch.
        line: usize,
        /// The line of its place, from 1.
        at: usize,
    },
    /// There are several places.
    Ambiguous {
        /// Where the hunk begins in the patch.
        line: usize,
        /// The lines of the places, from 1.
        places: Vec<usize>,
    },
    /// Two hunks change the same line.
    Overlap {
        /// Where the second begins in the patch.
        line: usize,
    },
    /// Looking for it would take too long.
    Endless {
        /// Where the hunk begins in the patch.
        line: usize,
    },
}

/// Lines that are compared in all for the hunks of one file. It takes a file and a patch that repeat themselves without end to come to
/// so many, and whoever waits for them would wait for minutes.
const LOOKED_AT_MAX: usize = 50_000_000;

/// Finds every hunk in the file.
pub fn place(view: &LfView<'_>, hunks: &[PatchHunk]) -> Result<Placed, PlaceError> {
    let lines = Lines::of(&view.text);
    let mut placed =
        Placed { splices: Vec::new(), level: Level::Exact, moved: Vec::new(), end: None, is_empty: false };
    let (mut from, mut drift, mut count) = (0, 0_i64, signed(lines.count()));
    for hunk in hunks {
        let found = lines.find(hunk, from, drift)?;
        placed.level = placed.level.max(found.level);
        if let Some(start) = hunk.start {
            if signed(found.at) != expected(hunk, start, drift) {
                placed.moved.push((hunk.line, found.at + 1));
            }
            drift = signed(found.at) - expected(hunk, start, 0);
        }
        let end = found.at + hunk.old.len();
        let bared = lines.change(view, hunk, &found, &mut placed.splices)?;
        count += signed(hunk.new.len()) - signed(hunk.old.len());
        if end == lines.count() {
            let is_exact = lines.is_exact(view, hunk, found.at);
            let named = hunk.new.len().checked_sub(1).filter(|_| is_exact).map(|last| end_of(hunk, last));
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

/// A place, by its first line from 0.
struct Found {
    at: usize,
    level: Level,
    shift: Shift,
}

/// The lines of a file.
struct Lines<'a> {
    text: &'a str,
    /// Without line ends.
    each: Vec<&'a str>,
    /// Where each starts.
    starts: Vec<usize>,
    /// Where each line stands, by each reading: in the order of what is read, made when it is first asked for. A patch may have
    /// thousands of hunks, a file a million lines.
    sorted: [OnceCell<Vec<usize>>; 5],
    /// Lines that were compared.
    looked_at: Cell<usize>,
}

/// What of a line counts.
#[derive(Clone, Copy, Debug)]
enum Reading {
    Whole,
    WithoutBlanksBehind,
    Folded,
    WithoutBlanks,
    FoldedWithoutBlanks,
}

impl Reading {
    fn of(self, line: &str) -> Cow<'_, str> {
        match self {
            Self::Whole => Cow::Borrowed(line),
            Self::WithoutBlanksBehind => Cow::Borrowed(line.trim_end_matches([' ', '\t'])),
            Self::Folded => Cow::Owned(folded(line.trim_end())),
            Self::WithoutBlanks => Cow::Borrowed(line.trim()),
            Self::FoldedWithoutBlanks => Cow::Owned(folded(line.trim())),
        }
    }
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let (mut each, mut starts, mut start) = (Vec::new(), Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            starts.push(start);
            start += line.len();
            each.push(line.strip_suffix('\n').unwrap_or(line));
        }
        Self { text, each, starts, sorted: Default::default(), looked_at: Cell::new(0) }
    }

    fn count(&self) -> usize {
        self.each.len()
    }

    fn find(&self, hunk: &PatchHunk, from: usize, drift: i64) -> Result<Found, PlaceError> {
        let mut from = from;
        for anchor in &hunk.anchors {
            let found = self.anchor(anchor, from);
            from = found.ok_or_else(|| PlaceError::NotFound { line: hunk.line, wanted: anchor.clone() })? + 1;
        }
        if hunk.old.is_empty() {
            return self.insertion(hunk, from, drift);
        }
        // Some writers repeat the line that the header names.
        let starts = [from, from.saturating_sub(usize::from(!hunk.anchors.is_empty()))];
        for (from, level) in starts.iter().flat_map(|&from| LEVELS.map(|level| (from, level))) {
            if let Some(at) =
                reading(level).and_then(|reading| self.at_its_number(hunk, from, drift, reading))
            {
                return Ok(Found { at, level, shift: Shift::None });
            }
            let mut places = self.places(hunk, from, level)?;
            let is_last = |(at, _): &(usize, Shift)| at + hunk.old.len() == self.count();
            if hunk.at_end || hunk.unended.0 {
                places.retain(is_last);
            } else if hunk.unended.1 && places.iter().any(is_last) {
                // What ends without a line end afterwards is the end of the file; git would glue the next line to it.
                places.retain(is_last);
            }
            if !places.is_empty() {
                return chosen(hunk, places, drift).map(|(at, shift)| Found { at, level, shift });
            }
        }
        if hunk.anchors.is_empty()
            && let Some((at, _)) = self.places(hunk, 0, Level::Exact)?.first().filter(|(at, _)| *at < from)
        {
            return Err(PlaceError::Disorder { line: hunk.line, at: at + 1 });
        }
        Err(PlaceError::NotFound { line: hunk.line, wanted: hunk.old.join("\n") })
    }

    fn anchor(&self, anchor: &str, from: usize) -> Option<usize> {
        let first = |reading: Reading| {
            let places = self.standing(&reading.of(anchor), reading);
            places.get(places.partition_point(|at| *at < from)).copied()
        };
        first(Reading::Whole)
            .or_else(|| first(Reading::WithoutBlanks))
            .or_else(|| first(Reading::FoldedWithoutBlanks))
    }

    /// Where its number says: whatever other places there are, that one is meant.
    fn at_its_number(&self, hunk: &PatchHunk, from: usize, drift: i64, reading: Reading) -> Option<usize> {
        if hunk.at_end || hunk.unended.0 || hunk.unended.1 {
            return None;
        }
        let at = usize::try_from(expected(hunk, hunk.start?, drift)).ok().filter(|at| *at >= from)?;
        let has = self.each.get(at..at.checked_add(hunk.old.len())?)?;
        hunk.old.iter().zip(has).all(|(old, has)| reading.of(old) == reading.of(has)).then_some(at)
    }

    /// Lines only come: behind the line it names, at its number, or at the end.
    fn insertion(&self, hunk: &PatchHunk, from: usize, drift: i64) -> Result<Found, PlaceError> {
        let at = match hunk.start {
            _ if hunk.at_end => Some(self.count()),
            Some(start) => {
                usize::try_from(i64::from(start) + drift).ok().filter(|at| (from..=self.count()).contains(at))
            }
            None if hunk.anchors.is_empty() => Some(self.count()),
            None => Some(from),
        };
        let at = at.ok_or_else(|| PlaceError::NotFound { line: hunk.line, wanted: String::new() })?;
        Ok(Found { at, level: Level::Exact, shift: Shift::None })
    }

    fn places(&self, hunk: &PatchHunk, from: usize, level: Level) -> Result<Vec<(usize, Shift)>, PlaceError> {
        let Some(last) = self.count().checked_sub(hunk.old.len()) else { return Ok(Vec::new()) };
        let Some(reading) = reading(level) else { return self.shifted(hunk, from..=last) };
        let places = self.same(hunk, reading)?.into_iter().filter(|at| (from..=last).contains(at));
        Ok(places.map(|at| (at, Shift::None)).collect())
    }

    /// Looked for by the line that stands in the fewest places, unless even that one is everywhere.
    fn same(&self, hunk: &PatchHunk, reading: Reading) -> Result<Vec<usize>, PlaceError> {
        let old: Vec<Cow<'_, str>> = hunk.old.iter().map(|line| reading.of(line)).collect();
        let standing = old.iter().map(|line| self.standing(line, reading)).enumerate();
        let Some((index, standing)) = standing.min_by_key(|(_, places)| places.len()) else {
            return Ok(Vec::new());
        };
        let at_each = standing.len().saturating_mul(old.len());
        self.look_at(at_each.min(self.count()), hunk)?;
        if at_each > self.count() {
            return Ok(occurrences(self.each.iter().map(|line| reading.of(line)), &old));
        }
        let fits = |at: &usize| {
            let has = self.each.get(*at..at + old.len());
            has.is_some_and(|has| old.iter().zip(has).all(|(old, has)| *old == reading.of(has)))
        };
        Ok(standing.iter().filter_map(|at| at.checked_sub(index)).filter(fits).collect())
    }

    /// The same but for one indentation.
    fn shifted(
        &self,
        hunk: &PatchHunk,
        within: RangeInclusive<usize>,
    ) -> Result<Vec<(usize, Shift)>, PlaceError> {
        let mut compared = 0;
        let mut places = Vec::new();
        for at in within {
            if compared > COMPARED_MAX {
                places.clear();
                break;
            }
            let has = self.each[at..at + hunk.old.len()].iter().copied().inspect(|_| compared += 1);
            places.extend(Shift::between(hunk.old.iter().map(String::as_str), has).map(|shift| (at, shift)));
        }
        self.look_at(compared, hunk)?;
        Ok(places)
    }

    fn look_at(&self, lines: usize, hunk: &PatchHunk) -> Result<(), PlaceError> {
        self.looked_at.set(self.looked_at.get().saturating_add(lines));
        if self.looked_at.get() > LOOKED_AT_MAX {
            return Err(PlaceError::Endless { line: hunk.line });
        }
        Ok(())
    }

    /// Where a line stands that reads as `read`, in order.
    fn standing(&self, read: &str, reading: Reading) -> &[usize] {
        let line = |at: &usize| reading.of(self.each[*at]);
        let sorted = self.sorted[reading as usize].get_or_init(|| {
            let mut sorted: Vec<usize> = (0..self.count()).collect();
            match reading {
                // Words that are made to be compared are made once.
                Reading::Folded | Reading::FoldedWithoutBlanks => sorted.sort_by_cached_key(line),
                _ => sorted.sort_by(|left, right| line(left).cmp(&line(right))),
            }
            sorted
        });
        let start = sorted.partition_point(|at| *line(at) < *read);
        let count = sorted[start..].partition_point(|at| *line(at) == *read);
        &sorted[start..start + count]
    }

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
        for op in operations(&old_lines, &new_lines) {
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
                let line = u32::try_from(gone.start + 1).unwrap_or(u32::MAX);
                if let Some((_, splice)) = splice::insert(view, line, &(text + "\n")) {
                    into.push(splice);
                }
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
        let ended = |lines: &[String], returns: &[bool]| -> Vec<String> {
            lines
                .iter()
                .zip(returns)
                .map(|(line, returns)| format!("{line}{}", end_named(*returns)))
                .collect()
        };
        let (old, new) = (ended(&hunk.old, &hunk.returns.0), ended(&hunk.new, &hunk.returns.1));
        let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
            (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
        let start_of = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        let mut bared = None;
        for op in operations(&old_lines, &new_lines) {
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
            let mut range = start_of(found.at + old.start)..start_of(found.at + old.end);
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
            into.push(Splice { range: view.original_range(&range), text });
        }
        Ok(bared)
    }

    /// Where the lines stand; with one line end when they go for good.
    fn range(&self, lines: &Range<usize>, goes: bool) -> Range<usize> {
        let start = self.starts.get(lines.start).copied().unwrap_or(self.text.len());
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

/// Where `old` stands in `has`, in a time that grows with their lengths alone (Knuth, Morris, Pratt): some files and patches are made of
/// one line again and again.
fn occurrences<T: PartialEq>(has: impl Iterator<Item = T>, old: &[T]) -> Vec<usize> {
    let mut borders: Vec<usize> = Vec::with_capacity(old.len());
    let grown = |borders: &[usize], mut length: usize, line: &T| {
        while length > 0 && old[length] != *line {
            length = borders[length - 1];
        }
        length + usize::from(old[length] == *line)
    };
    for (at, line) in old.iter().enumerate() {
        let border = if at == 0 { 0 } else { grown(&borders, borders[at - 1], line) };
        borders.push(border);
    }
    let (mut places, mut length) = (Vec::new(), 0);
    for (at, line) in has.enumerate().filter(|_| !old.is_empty()) {
        length = grown(&borders, length, &line);
        if length == old.len() {
            places.push(at + 1 - length);
            length = borders[length - 1];
        }
    }
    places
}

const LEVELS: [Level; 4] = [Level::Exact, Level::TrailingWs, Level::Unicode, Level::Indent];

/// What counts of a line at this level, where each line is compared by itself.
fn reading(level: Level) -> Option<Reading> {
    match level {
        Level::Exact => Some(Reading::Whole),
        Level::TrailingWs => Some(Reading::WithoutBlanksBehind),
        Level::Unicode => Some(Reading::Folded),
        Level::Indent => None,
    }
}

/// Of several places the one that the hunk means.
fn chosen(
    hunk: &PatchHunk,
    mut places: Vec<(usize, Shift)>,
    drift: i64,
) -> Result<(usize, Shift), PlaceError> {
    let ambiguous = |places: &[(usize, Shift)]| PlaceError::Ambiguous {
        line: hunk.line,
        places: places.iter().map(|(at, _)| at + 1).collect(),
    };
    let Some(start) = hunk.start else {
        // The line that the header names says where to begin: the first place below it is meant.
        if places.len() == 1 || !hunk.anchors.is_empty() {
            return Ok(places.swap_remove(0));
        }
        return Err(ambiguous(&places));
    };
    let wanted = expected(hunk, start, drift);
    let distance = |at: usize| wanted.abs_diff(signed(at));
    if places.len() > 1 {
        // Of several places only the one at its number is meant beyond doubt.
        let at_number = places.iter().position(|(at, _)| distance(*at) == 0);
        return at_number.map(|index| places.swap_remove(index)).ok_or_else(|| ambiguous(&places));
    }
    Ok(places.swap_remove(0))
}

/// The line from 0 at which the hunk should stand.
fn expected(hunk: &PatchHunk, start: u32, drift: i64) -> i64 {
    // A hunk without old lines names the line above it.
    i64::from(start) - i64::from(!hunk.old.is_empty()) + drift
}

fn signed(line: usize) -> i64 {
    i64::try_from(line).unwrap_or(i64::MAX)
}
