//! The lines of a file that a patch changes, and where a line stands among them by what of it counts. Pure.
//!
//! A patch may have thousands of hunks, a file a million lines or one of millions of characters: each line is read once for each
//! reading, not once for each line that is looked for.

use std::{
    borrow::Cow,
    cell::{Cell, OnceCell},
    cmp::Ordering,
    collections::HashMap,
};

use crate::tools::fs::fold::folded;

/// Bytes of a line up to which it is read again whenever it is compared; what counts of a longer one is kept.
const LONG: usize = 256;

/// Lines that are put in order at once, between two looks whether anybody still waits: some milliseconds.
const RUN: usize = 16_384;

/// Lines that are looked at in all, for the hunks of one file, to choose between places: some tenths of a second.
const CHOOSING_MAX: usize = 4_000_000;

/// The lines of a file.
pub(super) struct Lines<'a> {
    pub(super) text: &'a str,
    /// Without line ends.
    pub(super) each: Vec<&'a str>,
    /// Where each starts.
    pub(super) starts: Vec<usize>,
    /// Nobody waits any more, which stays so: what is found from then on may be wrong, and is not looked at.
    pub(super) stop: &'a dyn Fn() -> bool,
    /// Lines that were compared.
    pub(super) looked_at: Cell<usize>,
    /// Lines that may still be looked at to know which of several places a header means.
    to_choose: Cell<usize>,
    /// What counts of the long lines, by each reading.
    long: [OnceCell<HashMap<usize, Cow<'a, str>>>; 5],
    /// Where each line stands, by each reading: in the order of what is read, made when it is first asked for.
    sorted: [OnceCell<Vec<usize>>; 5],
}

/// What of a line counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    Whole,
    WithoutBlanksBehind,
    Folded,
    WithoutBlanks,
    FoldedWithoutBlanks,
}

impl Reading {
    pub(super) fn of(self, line: &str) -> Cow<'_, str> {
        match self {
            Self::Whole => Cow::Borrowed(line),
            Self::WithoutBlanksBehind => Cow::Borrowed(line.trim_end_matches([' ', '\t'])),
            Self::Folded => alike(line.trim_end()),
            Self::WithoutBlanks => Cow::Borrowed(line.trim()),
            Self::FoldedWithoutBlanks => alike(line.trim()),
        }
    }
}

/// No letter of ASCII looks like another one.
fn alike(line: &str) -> Cow<'_, str> {
    if line.is_ascii() { Cow::Borrowed(line) } else { Cow::Owned(folded(line)) }
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str, stop: &'a dyn Fn() -> bool) -> Self {
        let (mut each, mut starts, mut start) = (Vec::new(), Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            starts.push(start);
            start += line.len();
            each.push(line.strip_suffix('\n').unwrap_or(line));
        }
        let (long, sorted) = Default::default();
        Self {
            text,
            each,
            starts,
            stop,
            looked_at: Cell::new(0),
            to_choose: Cell::new(CHOOSING_MAX),
            long,
            sorted,
        }
    }

    /// So many lines may be looked at; whoever may not says less.
    pub(super) fn may_look(&self, lines: usize) -> bool {
        let left = self.to_choose.get().checked_sub(lines);
        self.to_choose.set(left.unwrap_or(0));
        left.is_some() && !(self.stop)()
    }

    pub(super) fn count(&self) -> usize {
        self.each.len()
    }

    /// Where a line starts; behind the last one the text ends.
    pub(super) fn start_of(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// What of a line counts.
    pub(super) fn word(&self, at: usize, reading: Reading) -> Cow<'_, str> {
        let line = self.each[at];
        if line.len() <= LONG || reading == Reading::Whole {
            return reading.of(line);
        }
        let long = self.long[reading as usize].get_or_init(|| {
            let long = self.each.iter().enumerate().filter(|(_, line)| line.len() > LONG);
            long.take_while(|_| !(self.stop)()).map(|(at, line)| (at, reading.of(line))).collect()
        });
        Cow::Borrowed(long.get(&at).map_or("", |word| &**word))
    }

    /// What of each line counts, as long as somebody waits.
    pub(super) fn words(&self, reading: Reading) -> impl Iterator<Item = Cow<'_, str>> {
        let waited_for = (0..self.count()).take_while(move |at| at % RUN != 0 || !(self.stop)());
        waited_for.map(move |at| self.word(at, reading))
    }

    /// Where a line stands that reads as `read`, in order.
    pub(super) fn standing(&self, read: &str, reading: Reading) -> &[usize] {
        let sorted = self.sorted[reading as usize].get_or_init(|| self.in_order(reading).unwrap_or_default());
        let start = sorted.partition_point(|at| *self.word(*at, reading) < *read);
        let count = sorted[start..].partition_point(|at| *self.word(*at, reading) == *read);
        &sorted[start..start + count]
    }

    /// All lines in the order of what is read; `None` when nobody waits for it any more.
    fn in_order(&self, reading: Reading) -> Option<Vec<usize>> {
        match reading {
            // Words that are made to be compared are made once.
            Reading::Folded | Reading::FoldedWithoutBlanks => {
                let words: Vec<_> = self.words(reading).collect();
                (words.len() == self.count())
                    .then(|| sorted(self.count(), self.stop, |one, other| words[one].cmp(&words[other])))?
            }
            _ => sorted(self.count(), self.stop, |one, other| {
                self.word(one, reading).cmp(&self.word(other, reading))
            }),
        }
    }
}

/// The numbers below `count` in order, equal ones as they come; `None` when nobody waits for it any more.
fn sorted(
    count: usize,
    stop: &dyn Fn() -> bool,
    compare: impl Fn(usize, usize) -> Ordering,
) -> Option<Vec<usize>> {
    let mut all: Vec<usize> = (0..count).collect();
    for run in all.chunks_mut(RUN) {
        if stop() {
            return None;
        }
        run.sort_by(|&one, &other| compare(one, other));
    }
    let mut length = RUN;
    while length < count {
        let mut merged = Vec::with_capacity(count);
        for pair in all.chunks(2 * length) {
            let (mut left, mut right) = pair.split_at(length.min(pair.len()));
            while let (Some(&one), Some(&other)) = (left.first(), right.first()) {
                if merged.len() % RUN == 0 && stop() {
                    return None;
                }
                let next = if compare(one, other) == Ordering::Greater { &mut right } else { &mut left };
                merged.push(next[0]);
                *next = &next[1..];
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        all = merged;
        length *= 2;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_runs_are_in_the_order_of_one_sort() {
        for count in [0, 1, RUN - 1, RUN, RUN + 1, 3 * RUN + 7] {
            let key = |at: usize| at.wrapping_mul(2_654_435_761) % 1009;
            let mut expected: Vec<usize> = (0..count).collect();
            expected.sort_by_key(|&at| key(at));
            let found = sorted(count, &|| false, |one, other| key(one).cmp(&key(other)));
            assert_eq!(found, Some(expected), "{count}");
        }
        assert_eq!(sorted(3, &|| true, |one, other| one.cmp(&other)), None);
    }

    #[test]
    fn a_long_line_reads_as_a_short_one() {
        let blanks = " ".repeat(2 * LONG);
        let text = format!("{blanks}“a” – e\u{301}{blanks}\n“a” – é\n");
        let lines = Lines::of(&text, &|| false);
        for reading in [Reading::WithoutBlanks, Reading::FoldedWithoutBlanks] {
            assert_eq!(*lines.word(0, reading), *reading.of(lines.each[0]), "{reading:?}");
        }
        assert_eq!(lines.standing("\"a\" - é", Reading::FoldedWithoutBlanks), [0, 1]);
        assert_eq!(lines.standing("“a” – é", Reading::WithoutBlanks), [1]);
    }
}
