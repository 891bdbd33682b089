//! Where the hunks of a patch stand in a file. Pure.
//!
//! A place is found by the edit ladder, line by line; where a patch leaves open which of several places it means, it is refused.

use std::{
    borrow::Cow,
    cell::{Cell, OnceCell},
    ops::RangeInclusive,
};

use super::PatchHunk;
use crate::tools::fs::{
    fold::folded,
    indent::Shift,
    ladder::{COMPARED_MAX, Level},
};

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
        /// The lines of the places, from 1; of those below lines that a header names at most [`PLACES_NAMED`].
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

/// Places that an ambiguous hunk is answered with.
pub const PLACES_NAMED: usize = 10;

/// Lines that are compared in all for the hunks of one file. It takes a file and a patch that repeat themselves without end to come to
/// so many, and whoever waits for them would wait for minutes.
const LOOKED_AT_MAX: usize = 50_000_000;

/// A place, by its first line from 0.
pub(super) struct Found {
    pub(super) at: usize,
    pub(super) level: Level,
    pub(super) shift: Shift,
}

/// The lines of a file.
pub(super) struct Lines<'a> {
    pub(super) text: &'a str,
    /// Without line ends.
    pub(super) each: Vec<&'a str>,
    /// Where each starts.
    pub(super) starts: Vec<usize>,
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
    pub(super) fn of(text: &'a str) -> Self {
        let (mut each, mut starts, mut start) = (Vec::new(), Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            starts.push(start);
            start += line.len();
            each.push(line.strip_suffix('\n').unwrap_or(line));
        }
        Self { text, each, starts, sorted: Default::default(), looked_at: Cell::new(0) }
    }

    pub(super) fn count(&self) -> usize {
        self.each.len()
    }

    pub(super) fn find(&self, hunk: &PatchHunk, begin: usize, drift: i64) -> Result<Found, PlaceError> {
        let mut from = begin;
        for anchor in &hunk.anchors {
            let found = self.anchor(anchor, from).first();
            from = found.ok_or_else(|| PlaceError::NotFound { line: hunk.line, wanted: anchor.clone() })? + 1;
        }
        if hunk.old.is_empty() {
            return self.insertion(hunk, begin, from, drift);
        }
        // Some writers repeat the line that the header names.
        let repeated = usize::from(!hunk.anchors.is_empty());
        let start = from - repeated;
        for level in LEVELS {
            if let Some(at) =
                reading(level).and_then(|reading| self.at_its_number(hunk, start, drift, reading))
            {
                return Ok(Found { at, level, shift: Shift::None });
            }
            let mut places = self.places(hunk, start, level)?;
            let is_last = |(at, _): &(usize, Shift)| at + hunk.old.len() == self.count();
            if hunk.at_end || hunk.unended.0 {
                places.retain(is_last);
            } else if hunk.unended.1 && places.iter().any(is_last) {
                // What ends without a line end afterwards is the end of the file; git would glue the next line to it.
                places.retain(is_last);
            }
            if hunk.start.is_none() && !hunk.anchors.is_empty() && places.len() > 1 {
                let first = |from: usize| {
                    places.get(places.partition_point(|(at, _)| at + repeated < from)).map(|(at, _)| *at)
                };
                let meant = self.below(hunk, (begin, from), first)?;
                places.retain(|(at, _)| Some(*at) == meant);
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

    /// Where a line stands that a header names, from `from` on.
    fn anchor(&self, anchor: &str, from: usize) -> &[usize] {
        let mut readings = ANCHOR_READINGS
            .into_iter()
            .map(|reading| behind(self.standing(&reading.of(anchor), reading), from));
        readings.find(|places| !places.is_empty()).unwrap_or_default()
    }

    /// The place below the lines that the header names, which were first found up to `from`; `first` gives the first place from a line
    /// on. Of several places of the first of those lines none is meant more than another: below each it has to be the same.
    fn below(
        &self,
        hunk: &PatchHunk,
        (begin, from): (usize, usize),
        first: impl Fn(usize) -> Option<usize>,
    ) -> Result<Option<usize>, PlaceError> {
        let Some((head, rest)) = hunk.anchors.split_first() else { return Ok(first(from)) };
        let mut heads = self.anchor(head, begin);
        if heads.len() == 1 {
            return Ok(first(from));
        }
        // Looked for once, not below each of the places.
        let standing =
            |anchor: &String| ANCHOR_READINGS.map(|reading| self.standing(&reading.of(anchor), reading));
        let rest: Vec<_> = rest.iter().map(standing).collect();
        let place = |head: &usize| {
            let next = |from, anchor: &[&[usize]; 3]| {
                anchor.iter().find_map(|places| behind(places, from).first()).map(|at| at + 1)
            };
            first(rest.iter().try_fold(head + 1, next)?)
        };
        let mut places = Vec::new();
        // Further down no place is further up, so those with the same one stand together.
        while let Some(found) = heads.first().and_then(place)
            && places.len() < PLACES_NAMED
        {
            places.push(found);
            heads = &heads[heads.partition_point(|head| place(head) == Some(found))..];
        }
        if places.len() > 1 {
            let places = places.iter().map(|at| at + 1).collect();
            return Err(PlaceError::Ambiguous { line: hunk.line, places });
        }
        Ok(places.pop())
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
    fn insertion(
        &self,
        hunk: &PatchHunk,
        begin: usize,
        from: usize,
        drift: i64,
    ) -> Result<Found, PlaceError> {
        let at = match hunk.start {
            _ if hunk.at_end => Some(self.count()),
            Some(start) => {
                usize::try_from(i64::from(start) + drift).ok().filter(|at| (from..=self.count()).contains(at))
            }
            None if hunk.anchors.is_empty() => Some(self.count()),
            None => self.below(hunk, (begin, from), Some)?,
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

/// The places from a line on.
fn behind(places: &[usize], from: usize) -> &[usize] {
    &places[places.partition_point(|at| *at < from)..]
}

/// What counts of a line that a header names: the first that is found decides.
const ANCHOR_READINGS: [Reading; 3] = [Reading::Whole, Reading::WithoutBlanks, Reading::FoldedWithoutBlanks];

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
        if places.len() == 1 {
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
pub(super) fn expected(hunk: &PatchHunk, start: u32, drift: i64) -> i64 {
    // A hunk without old lines names the line above it.
    i64::from(start) - i64::from(!hunk.old.is_empty()) + drift
}

pub(super) fn signed(line: usize) -> i64 {
    i64::try_from(line).unwrap_or(i64::MAX)
}
