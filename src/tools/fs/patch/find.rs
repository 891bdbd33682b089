//! Where the hunks of a patch stand in a file. Pure.
//!
//! A place is found by the edit ladder, line by line; where a patch leaves open which of several places it means, it is refused.

use std::{borrow::Cow, ops::RangeInclusive};

use super::{
    PatchHunk,
    anchors::Doubt,
    lines::{Lines, Reading},
};
use crate::tools::fs::{
    indent::Shift,
    ladder::{COMPARED_MAX, Level},
};

/// Why a hunk has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceError {
    /// Its lines are not there.
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
    /// The line that it names stands only above the hunk before it, or above another line that it names.
    AnchorAbove {
        /// Where the hunk begins in the patch.
        line: usize,
        /// What it names.
        anchor: String,
        /// Where that stands, from 1.
        at: usize,
    },
    /// What it names is no line of the file and has to be one: its lines only come, below it, or it reads as one of them.
    NoAnchor {
        /// Where the hunk begins in the patch.
        line: usize,
        /// What it names.
        anchor: String,
    },
    /// Its lines stand only above the line that it names.
    AboveAnchor {
        /// Where the hunk begins in the patch.
        line: usize,
        /// The line of its place, from 1.
        at: usize,
    },
    /// There are several places.
    Ambiguous {
        /// Where the hunk begins in the patch.
        line: usize,
        /// It has a number.
        is_numbered: bool,
        /// It names a line.
        is_named: bool,
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
    /// Nobody waits for the answer any more.
    Stopped,
}

impl PlaceError {
    /// It has no place; with fewer empty lines around it, it may have one.
    fn is_nowhere(&self) -> bool {
        matches!(
            self,
            Self::NotFound { .. }
                | Self::Disorder { .. }
                | Self::AnchorAbove { .. }
                | Self::NoAnchor { .. }
                | Self::AboveAnchor { .. }
        )
    }
}

/// Places that an ambiguous hunk is answered with.
pub const PLACES_NAMED: usize = 10;

/// Lines that are compared in all for the hunks of one file. It takes a file and a patch that repeat themselves without end to come to
/// so many, and whoever waits for them would wait for minutes.
const LOOKED_AT_MAX: usize = 50_000_000;

/// Bytes of a line that take about as long to be compared as a short line does.
const LINE_BYTES: usize = 64;

/// A place, by its first line from 0.
pub(super) struct Found {
    pub(super) at: usize,
    pub(super) level: Level,
    pub(super) shift: Shift,
    /// What has to be told of it.
    pub(super) doubt: Option<Doubt>,
}

impl Lines<'_> {
    /// The place of a hunk, and what of the hunk stands there: empty lines in front of it and behind it may only separate it from others.
    pub(super) fn find<'h>(
        &self,
        hunk: &'h PatchHunk,
        begin: usize,
        drift: i64,
    ) -> Result<(Cow<'h, PatchHunk>, Found), PlaceError> {
        let error = match self.find_all(hunk, begin, drift) {
            Err(error) if error.is_nowhere() => error,
            found => return found.map(|found| (Cow::Borrowed(hunk), found)),
        };
        for part in hunk.without_separators() {
            match self.find_all(&part, begin, drift) {
                Err(error) if error.is_nowhere() => {}
                found => return found.map(|found| (Cow::Owned(part), found)),
            }
        }
        Err(error)
    }

    fn find_all(&self, hunk: &PatchHunk, begin: usize, drift: i64) -> Result<Found, PlaceError> {
        if hunk.old.is_empty() {
            return self.insertion(hunk, begin, drift);
        }
        let named = self.named(hunk, begin)?;
        for level in LEVELS {
            if let Some(at) =
                reading(level).and_then(|reading| self.at_its_number(hunk, begin, drift, reading))
            {
                return Ok(Found { at, level, shift: Shift::None, doubt: None });
            }
            let mut places = self.places(hunk, begin, level)?;
            let is_last = |(at, _): &(usize, Shift)| at + hunk.old.len() == self.count();
            if hunk.at_end || hunk.unended.0 {
                places.retain(is_last);
            } else if hunk.unended.1 && places.iter().any(is_last) {
                // What ends without a line end afterwards is the end of the file; git would glue the next line to it.
                places.retain(is_last);
            }
            if places.is_empty() {
                continue;
            }
            if hunk.anchors.is_empty() {
                let (at, shift) = chosen(hunk, places, drift)?;
                return Ok(Found { at, level, shift, doubt: None });
            }
            if let Some((at, shift, doubt)) = self.meant(hunk, &named, places)? {
                return Ok(Found { at, level, shift, doubt });
            }
        }
        match self.places(hunk, 0, Level::Exact)?.first() {
            Some((at, _)) => Err(self.out_of_order(hunk, begin, *at)),
            None => Err(PlaceError::NotFound { line: hunk.line, wanted: hunk.old.join("\n") }),
        }
    }

    /// Where its number says: whatever other places there are, that one is meant.
    fn at_its_number(&self, hunk: &PatchHunk, from: usize, drift: i64, reading: Reading) -> Option<usize> {
        if hunk.at_end || hunk.unended.0 || hunk.unended.1 {
            return None;
        }
        let at = usize::try_from(expected(hunk, hunk.start?, drift)).ok().filter(|at| *at >= from)?;
        let end = at.checked_add(hunk.old.len()).filter(|end| *end <= self.count())?;
        hunk.old
            .iter()
            .zip(at..end)
            .all(|(old, has)| reading.of(old) == self.word(has, reading))
            .then_some(at)
    }

    /// Lines only come: behind the line it names, at its number, or at the end.
    fn insertion(&self, hunk: &PatchHunk, begin: usize, drift: i64) -> Result<Found, PlaceError> {
        let at = match hunk.start {
            _ if hunk.at_end => Some(self.count()),
            Some(start) => usize::try_from(i64::from(start) + drift)
                .ok()
                .filter(|at| (begin..=self.count()).contains(at)),
            None if hunk.anchors.is_empty() => Some(self.count()),
            None => self.right_below(hunk, begin)?,
        };
        let at = at.ok_or_else(|| PlaceError::NotFound { line: hunk.line, wanted: String::new() })?;
        Ok(Found { at, level: Level::Exact, shift: Shift::None, doubt: None })
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
        let Some((index, standing)) = self.rarest(&old, reading) else { return Ok(Vec::new()) };
        let bytes: usize = old.iter().map(|line| line.len()).sum();
        let at_each = standing.len().saturating_mul(old.len() + bytes / LINE_BYTES);
        let at_all = self.count() + self.text.len() / LINE_BYTES;
        self.look_at(at_each.min(at_all), hunk)?;
        if at_each > at_all {
            return Ok(occurrences(self.words(reading), &old));
        }
        let fits = |at: &usize| {
            at + old.len() <= self.count()
                && old.iter().zip(*at..).all(|(old, has)| *old == self.word(has, reading))
        };
        Ok(standing.iter().filter_map(|at| at.checked_sub(index)).filter(fits).collect())
    }

    /// The first of the lines that stand in the fewest places, by its index, and those places.
    fn rarest(&self, old: &[Cow<'_, str>], reading: Reading) -> Option<(usize, &[usize])> {
        let standing = old.iter().map(|line| self.standing(line, reading)).enumerate();
        standing.min_by_key(|(_, places)| places.len())
    }

    /// The same but for one indentation: without blanks around them the lines are the same.
    fn shifted(
        &self,
        hunk: &PatchHunk,
        within: RangeInclusive<usize>,
    ) -> Result<Vec<(usize, Shift)>, PlaceError> {
        let bare: Vec<Cow<'_, str>> = hunk.old.iter().map(|line| Reading::WithoutBlanks.of(line)).collect();
        let Some((index, standing)) = self.rarest(&bare, Reading::WithoutBlanks) else {
            return Ok(Vec::new());
        };
        let mut compared = 0;
        let mut places = Vec::new();
        for at in standing.iter().filter_map(|at| at.checked_sub(index)).filter(|at| within.contains(at)) {
            if compared > COMPARED_MAX || (self.stop)() {
                places.clear();
                break;
            }
            let has = self.each[at..at + hunk.old.len()].iter().copied();
            let has = has.inspect(|line| compared += 1 + line.len() / LINE_BYTES);
            places.extend(Shift::between(hunk.old.iter().map(String::as_str), has).map(|shift| (at, shift)));
        }
        self.look_at(compared, hunk)?;
        Ok(places)
    }

    fn look_at(&self, lines: usize, hunk: &PatchHunk) -> Result<(), PlaceError> {
        self.looked_at.set(self.looked_at.get().saturating_add(lines));
        if (self.stop)() {
            return Err(PlaceError::Stopped);
        }
        if self.looked_at.get() > LOOKED_AT_MAX {
            return Err(PlaceError::Endless { line: hunk.line });
        }
        Ok(())
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
        is_numbered: hunk.start.is_some(),
        is_named: false,
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
