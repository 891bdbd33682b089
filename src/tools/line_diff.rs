//! What turns one list of lines into another, found as git finds it. Pure.
//!
//! The smallest difference of two large texts with little in common takes hours. Git gives up looking for it early, and so does this:
//! the time grows with the lines, whatever they hold. The same two texts always give the same answer, since a plan is bound to it.

use std::{hash::Hash, ops::Range};

use gix::diff::blob::{Algorithm, Diff, IndentHeuristic, IndentLevel, InternedInput, Token};
use similar::DiffOp;

/// Lines of both sides together up to which git's way is left to itself: what it takes grows faster than the lines.
const WHOLE: usize = 200_000;
/// Of larger texts, lines of each side that are compared at once.
const PIECE: usize = 16_384;
/// By how much a piece becomes smaller where both sides have little in common.
const SMALLER: usize = 32;
/// After how many pieces' worth of such lines a whole one is tried again.
const CALM: usize = 8;

/// The operations in order, equal parts included.
pub fn operations<T: AsRef<[u8]> + Eq + Hash + Copy + Default>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    operations_by(Algorithm::Myers, old, new)
}

/// The same for lines that have numbers: below `count`, and equal lines have the same one. `level` tells how far a line is indented.
pub fn operations_numbered(
    (old, new): (&[Token], &[Token]),
    count: u32,
    level: &dyn Fn(Token) -> IndentLevel,
) -> Vec<DiffOp> {
    let texts = Texts { before: old, after: new, count, level };
    texts.in_pieces(Algorithm::Myers, (WHOLE, PIECE))
}

/// How far a line is indented, as it counts for git.
pub fn indent(line: &[u8]) -> IndentLevel {
    IndentLevel::for_ascii_line(line.iter().copied(), 8)
}

/// The same by another of git's ways.
pub fn operations_by<T: AsRef<[u8]> + Eq + Hash + Copy + Default>(
    algorithm: Algorithm,
    old: &[T],
    new: &[T],
) -> Vec<DiffOp> {
    in_pieces(algorithm, old, new, (WHOLE, PIECE))
}

fn in_pieces<T: AsRef<[u8]> + Eq + Hash + Copy + Default>(
    algorithm: Algorithm,
    old: &[T],
    new: &[T],
    limits: (usize, usize),
) -> Vec<DiffOp> {
    // A new file of a million lines needs no search.
    if let Some(one) = of_nothing(old.len(), new.len()) {
        return one;
    }
    let mut input: InternedInput<T> = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let count = input.interner.num_tokens();
    let level = |token: Token| indent(input.interner[token].as_ref());
    let texts = Texts { before: &input.before, after: &input.after, count, level: &level };
    texts.in_pieces(algorithm, limits)
}

/// The operations where one side or both have no line.
fn of_nothing(old_len: usize, new_len: usize) -> Option<Vec<DiffOp>> {
    match (old_len, new_len) {
        (0, 0) => Some(Vec::new()),
        (0, new_len) => Some(vec![DiffOp::Insert { old_index: 0, new_index: 0, new_len }]),
        (old_len, 0) => Some(vec![DiffOp::Delete { old_index: 0, old_len, new_index: 0 }]),
        _ => None,
    }
}

/// Two texts whose lines have numbers.
struct Texts<'a> {
    before: &'a [Token],
    after: &'a [Token],
    /// Above every number.
    count: u32,
    level: &'a dyn Fn(Token) -> IndentLevel,
}

impl Texts<'_> {
    fn in_pieces(&self, algorithm: Algorithm, (whole, piece): (usize, usize)) -> Vec<DiffOp> {
        let (old_len, new_len) = (self.before.len(), self.after.len());
        if let Some(one) = of_nothing(old_len, new_len) {
            return one;
        }
        let mut search = Search { algorithm, texts: self, numbers: Vec::new(), found: Vec::new() };
        if old_len + new_len <= whole {
            search.compare(0..old_len, 0..new_len, false);
        } else {
            search.numbers = vec![UNSEEN; self.count as usize];
            let (mut start, mut last) = ((0, 0), (0, 0));
            for place in landmarks(self).into_iter().chain([(old_len, new_len)]) {
                // What came or went as one is a part of its own: all around it stays in step.
                if distance(last, place) > piece / 4 {
                    search.step_by_step(start, last, piece);
                    search.step_by_step(last, place, piece);
                    start = place;
                } else if distance(start, place) >= piece {
                    search.step_by_step(start, place, piece);
                    start = place;
                }
                last = place;
            }
            search.step_by_step(start, last, piece);
        }
        with_equal_parts(&search.found, old_len)
    }
}

/// A place between lines, on both sides.
type Place = (usize, usize);

/// Lines between two places, on the side that has more.
fn distance(from: Place, to: Place) -> usize {
    (to.0 - from.0).max(to.1 - from.1)
}

/// A change: lines that go, and lines that come.
type Change = (Range<usize>, Range<usize>);

const UNSEEN: u32 = u32::MAX;

struct Search<'a> {
    algorithm: Algorithm,
    texts: &'a Texts<'a>,
    /// Of a piece, which number each line has in it: a search takes room for all numbers there are.
    numbers: Vec<u32>,
    found: Vec<Change>,
}

impl Search<'_> {
    /// Compares two parts that may be of any size, so many lines at once: from where a piece is in step at its end, the next one goes on.
    fn step_by_step(&mut self, from: Place, to: Place, piece: usize) {
        let mut at = from;
        let (mut size, mut apart) = (piece, 0);
        while at != to {
            let is_rest = distance(at, to) <= 2 * size;
            let end = if is_rest { to } else { ((at.0 + size).min(to.0), (at.1 + size).min(to.1)) };
            let changed = self.compare(at.0..end.0, at.1..end.1, true);
            // What has little in common is looked at in small parts, which takes less, and now and then in a large one again.
            apart = if changed * 8 > end.0 - at.0 + end.1 - at.1 { apart + distance(at, end) } else { 0 };
            size = if apart == 0 || apart > CALM * piece { piece } else { piece.div_ceil(SMALLER) };
            apart %= CALM * piece + 1;
            // The last change may be one only because the piece ends there.
            let last = self.found.last().filter(|(gone, come)| {
                let is_at_end = gone.end == end.0 || come.end == end.1;
                let cut = (gone.start, come.start);
                is_at_end
                    && cut.0 >= at.0
                    && cut.1 >= at.1
                    && distance(at, cut) >= (distance(at, end) / 2).max(1)
            });
            at = match last.cloned().filter(|_| !is_rest) {
                Some((gone, come)) => {
                    self.found.pop();
                    (gone.start, come.start)
                }
                None => end,
            };
        }
    }

    /// Adds what changed between two parts; how many lines that are.
    fn compare(&mut self, old: Range<usize>, new: Range<usize>, renumber: bool) -> usize {
        let (mut before, mut after) =
            (self.texts.before[old.clone()].to_vec(), self.texts.after[new.clone()].to_vec());
        let mut count = self.texts.count;
        let mut names = Vec::new();
        if renumber {
            for token in before.iter_mut().chain(&mut after) {
                let number = &mut self.numbers[token.0 as usize];
                if *number == UNSEEN {
                    *number = u32::try_from(names.len()).unwrap_or(UNSEEN);
                    names.push(*token);
                }
                token.0 = *number;
            }
            for token in &names {
                self.numbers[token.0 as usize] = UNSEEN;
            }
            count = u32::try_from(names.len()).unwrap_or(UNSEEN);
        }
        let mut diff = Diff::default();
        diff.compute_with(self.algorithm, &before, &after, count);
        // Where a change could stand a line higher or lower as well, it stands where git puts it.
        let indent = IndentHeuristic::new(|token: Token| {
            (self.texts.level)(names.get(token.0 as usize).copied().unwrap_or(token))
        });
        diff.postprocess_with(&before, &after, indent);
        let mut changed = 0;
        for hunk in diff.hunks() {
            let at =
                |start: usize, range: Range<u32>| start + range.start as usize..start + range.end as usize;
            let (gone, come) = (at(old.start, hunk.before), at(new.start, hunk.after));
            changed += gone.len() + come.len();
            match self.found.last_mut() {
                // Two pieces may each see a part of it.
                Some((before, after)) if before.end == gone.start && after.end == come.start => {
                    (before.end, after.end) = (gone.end, come.end);
                }
                _ => self.found.push((gone, come)),
            }
        }
        changed
    }
}

/// Places, in order, right in front of lines that each side has once: the most that stand in the same order on both.
fn landmarks(texts: &Texts<'_>) -> Vec<(usize, usize)> {
    const NOWHERE: usize = usize::MAX;
    const OFTEN: usize = usize::MAX - 1;
    let once = |tokens: &[Token]| {
        let mut places = vec![NOWHERE; texts.count as usize];
        for (at, token) in tokens.iter().enumerate() {
            let place = &mut places[token.0 as usize];
            *place = if *place == NOWHERE { at } else { OFTEN };
        }
        places
    };
    let (old, new) = (once(texts.before), once(texts.after));
    let pairs: Vec<(usize, usize)> = (texts.before.iter().enumerate())
        .filter(|(at, token)| old[token.0 as usize] == *at && new[token.0 as usize] < OFTEN)
        .map(|(at, token)| (at, new[token.0 as usize]))
        .collect();
    // The longest part that ascends: of each length the one that ends lowest, each with the one before it.
    let (mut ends, mut before): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::with_capacity(pairs.len()));
    for (index, (_, place)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < *place);
        before.push(length.checked_sub(1).map_or(NOWHERE, |shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut chosen = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(index) = next {
        chosen.push(pairs[index]);
        next = Some(before[index]).filter(|&index| index != NOWHERE);
    }
    chosen.reverse();
    chosen
}

/// The changes, and what is the same between them.
fn with_equal_parts(changes: &[Change], old_len: usize) -> Vec<DiffOp> {
    let mut operations = Vec::new();
    let (mut old_index, mut new_index) = (0, 0);
    for (gone, come) in changes {
        if gone.start > old_index {
            operations.push(DiffOp::Equal { old_index, new_index, len: gone.start - old_index });
        }
        operations.push(match (gone.len(), come.len()) {
            (old_len, 0) => DiffOp::Delete { old_index: gone.start, old_len, new_index: come.start },
            (0, new_len) => DiffOp::Insert { old_index: gone.start, new_index: come.start, new_len },
            (old_len, new_len) => {
                DiffOp::Replace { old_index: gone.start, old_len, new_index: come.start, new_len }
            }
        });
        (old_index, new_index) = (gone.end, come.end);
    }
    if old_index < old_len {
        operations.push(DiffOp::Equal { old_index, new_index, len: old_len - old_index });
    }
    operations
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Carries the operations out on `old`.
    fn applied<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<&'t str> {
        carried_out(operations(old, new), old, new)
    }

    fn carried_out<'t>(operations: Vec<DiffOp>, old: &[&'t str], new: &[&'t str]) -> Vec<&'t str> {
        let parts = operations.into_iter().map(|operation| match operation {
            DiffOp::Equal { old_index, len, .. } => &old[old_index..old_index + len],
            DiffOp::Delete { .. } => &[],
            DiffOp::Insert { new_index, new_len, .. } | DiffOp::Replace { new_index, new_len, .. } => {
                &new[new_index..new_index + new_len]
            }
        });
        parts.collect::<Vec<_>>().concat()
    }

    proptest! {
        #[test]
        fn the_operations_lead_from_one_to_the_other(
            old in proptest::collection::vec("[abc]{0,2}", 0..50),
            new in proptest::collection::vec("[abc]{0,2}", 0..50),
        ) {
            let (old, new): (Vec<&str>, Vec<&str>) =
                (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
            prop_assert_eq!(applied(&old, &new), new.clone());
            prop_assert_eq!(applied(&new, &old), old);
        }

        #[test]
        fn in_pieces_they_lead_there_too(
            old in proptest::collection::vec("[abcdefgh]{0,2}", 0..80),
            new in proptest::collection::vec("[abcdefgh]{0,2}", 0..80),
            shared in 0..40_usize,
            piece in 1..20_usize,
            histogram in any::<bool>(),
        ) {
            let (mut old, mut new): (Vec<&str>, Vec<&str>) =
                (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
            // Most of what is compared in pieces is the same.
            new.splice(0..0, old[..shared.min(old.len())].to_vec());
            old.splice(0..0, ["x"; 3]);
            let algorithm = if histogram { Algorithm::Histogram } else { Algorithm::Myers };
            let operations = in_pieces(algorithm, &old, &new, (0, piece));
            for pair in operations.windows(2) {
                prop_assert!(pair.iter().any(|part| part.tag() == similar::DiffTag::Equal), "{pair:?}");
                prop_assert_eq!(pair[0].old_range().end, pair[1].old_range().start);
                prop_assert_eq!(pair[0].new_range().end, pair[1].new_range().start);
            }
            prop_assert_eq!(carried_out(operations, &old, &new), new.clone());
        }
    }

    #[test]
    fn a_change_in_a_large_text_is_as_small_as_ever() {
        let numbered: Vec<String> = (0..150_000).map(|line| format!("line {line}")).collect();
        let repeated: Vec<String> = (0..150_000).map(|line| format!("line {}", line % 100)).collect();
        for text in [numbered, repeated] {
            let old: Vec<&str> = text.iter().map(String::as_str).collect();
            let mut new = old.clone();
            new.insert(70_000, "new");
            new.remove(140_000);
            new[10] = "other";
            let operations = operations(&old, &new);
            assert_eq!(carried_out(operations.clone(), &old, &new), new);
            assert_eq!(operations.len(), 7, "{operations:?}");
        }
        // A part that comes is larger than any piece.
        let block: Vec<String> = (0..100_000).map(|line| format!("block {line}")).collect();
        let old: Vec<String> = (0..150_000).map(|line| format!("line {line}")).collect();
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let mut new = old.clone();
        new.splice(50_000..50_000, block.iter().map(String::as_str));
        let operations = operations(&old, &new);
        assert!(matches!(operations[1], DiffOp::Insert { new_len: 100_000, .. }), "{operations:?}");
        assert_eq!(operations.len(), 3);
    }

    /// Lines of two kinds in no order: what takes longest. Compared as a whole this is not over within minutes.
    #[test]
    fn two_million_lines_of_two_kinds_take_no_ages() {
        let lines = |seed: u64| {
            let mut state = seed;
            let mut line = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                ["a", "b"][(state >> 33) as usize % 2]
            };
            (0..1_000_000).map(|_| line()).collect::<Vec<_>>()
        };
        let (old, new) = (lines(1), lines(2));
        let operations = operations(&old, &new);
        assert_eq!(carried_out(operations, &old, &new), new);
    }

    #[test]
    fn half_a_million_lines_in_no_order_take_no_ages() {
        let lines = |seed: u64| {
            let mut state = seed;
            let mut line = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                ["a", "b", "c", "d", "e", "f", "g", "h"][(state >> 33) as usize % 8]
            };
            (0..250_000).map(|_| line()).collect::<Vec<_>>()
        };
        let (old, new) = (lines(1), lines(2));
        assert_eq!(applied(&old, &new), new);
    }
}
