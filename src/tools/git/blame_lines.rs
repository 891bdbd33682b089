//! The lines of the versions of a file, by numbers: equal lines have the same one, in every version.
//!
//! What two neighbouring versions begin and end with is taken over as it is, so that of most only the changed lines are looked at.

use std::{collections::HashMap, rc::Rc};

use gix::diff::blob::{IndentLevel, Token};
use similar::DiffOp;

use crate::tools::line_diff::{indent, operations_numbered};

/// Git leaves out equal ends of two files in pieces of so many bytes, before it compares them.
const END_PIECE: usize = 1024;

/// What a line takes beside its bytes.
const LINE_BYTES: usize = 48;
/// Of the lines that were seen no more is kept at once.
const KNOWN_BYTES: usize = 128 * 1024 * 1024;

/// One version of a file.
#[derive(Debug)]
pub(super) struct Version {
    bytes: Vec<u8>,
    lines: Vec<Token>,
    /// Where each line ends, its end included.
    ends: Vec<usize>,
    /// Whose numbers the lines have.
    age: u64,
}

impl Version {
    /// How many bytes it takes.
    pub(super) fn size(&self) -> usize {
        self.bytes.len() + size_of_val(self.lines.as_slice()) + size_of_val(self.ends.as_slice())
    }

    /// How many lines are over at `byte`.
    fn lines_until(&self, byte: usize) -> usize {
        self.ends.partition_point(|end| *end <= byte)
    }

    /// Where a line begins.
    fn start(&self, line: usize) -> usize {
        line.checked_sub(1).map_or(0, |before| self.ends[before])
    }
}

/// The same lines of two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Same {
    pub(super) old: u32,
    pub(super) new: u32,
    pub(super) count: u32,
}

/// The lines that were seen, all of them or those since they became too many.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    known: HashMap<Box<[u8]>, u32>,
    levels: Vec<IndentLevel>,
    bytes: usize,
    age: u64,
}

impl Numbers {
    /// Begins anew where too much is kept. Versions of before are taken in again (`renewed`).
    pub(super) fn tidy(&mut self) {
        if self.bytes > KNOWN_BYTES {
            *self = Self { age: self.age + 1, ..Self::default() };
        }
    }

    /// The version with numbers of today.
    pub(super) fn renewed(&mut self, version: &Rc<Version>) -> Rc<Version> {
        if version.age == self.age {
            return Rc::clone(version);
        }
        Rc::new(self.version(version.bytes.clone(), None))
    }

    /// Takes a version of the file in; `like` is one that has much in common with it.
    pub(super) fn version(&mut self, bytes: Vec<u8>, like: Option<&Version>) -> Version {
        let (mut lines, mut ends) = (Vec::new(), Vec::new());
        let Some(like) = like else {
            self.take(&bytes, 0, (&mut lines, &mut ends));
            return Version { bytes, lines, ends, age: self.age };
        };
        // A line without an end is another one where something stands behind it.
        let first = match like.lines_until(common_start(&like.bytes, &bytes)) {
            0 => 0,
            lines if like.bytes[like.ends[lines - 1] - 1] != b'\n' => lines - 1,
            lines => lines,
        };
        let begin = like.start(first);
        let last = common_end(&like.bytes[begin..], &bytes[begin..]);
        // The line break in front of a line belongs to what is the same.
        let last = like.lines_until(like.bytes.len() - last).max(first) + 1;
        let last = last.min(like.lines.len());
        let rest = like.bytes.len() - like.start(last);
        let middle = begin..bytes.len() - rest;
        lines.extend_from_slice(&like.lines[..first]);
        ends.extend_from_slice(&like.ends[..first]);
        self.take(&bytes[middle.clone()], middle.start, (&mut lines, &mut ends));
        lines.extend_from_slice(&like.lines[last..]);
        let start = like.start(last);
        ends.extend(like.ends[last..].iter().map(|end| end - start + middle.end));
        Version { bytes, lines, ends, age: self.age }
    }

    fn take(&mut self, bytes: &[u8], start: usize, (lines, ends): (&mut Vec<Token>, &mut Vec<usize>)) {
        let mut end = start;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            end += line.len();
            lines.push(self.number(line));
            ends.push(end);
        }
    }

    fn number(&mut self, line: &[u8]) -> Token {
        if let Some(number) = self.known.get(line) {
            return Token(*number);
        }
        let number = u32::try_from(self.levels.len()).unwrap_or(u32::MAX);
        self.levels.push(indent(line));
        self.bytes += line.len() + LINE_BYTES;
        self.known.insert(line.into(), number);
        Token(number)
    }

    /// The lines that `new` has of `old`, in order, as git finds them.
    pub(super) fn same(&self, old: &Version, new: &Version) -> Vec<Same> {
        let left_out = left_out(&old.bytes, &new.bytes);
        let kept = |version: &Version| version.lines_until(version.bytes.len() - left_out);
        let (old_kept, new_kept) = (kept(old), kept(new));
        let count = u32::try_from(self.levels.len()).unwrap_or(u32::MAX);
        let level = |line: Token| self.levels[line.0 as usize];
        let operations = operations_numbered((&old.lines[..old_kept], &new.lines[..new_kept]), count, &level);
        let equal = operations.into_iter().filter_map(|operation| match operation {
            DiffOp::Equal { old_index, new_index, len } => Some((old_index, new_index, len)),
            _ => None,
        });
        let end = (old_kept, new_kept, new.lines.len() - new_kept);
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        equal
            .chain([end])
            .filter(|(_, _, count)| *count > 0)
            .map(|(old, new, count)| Same { old: number(old), new: number(new), count: number(count) })
            .collect()
    }
}

/// How many bytes at the end git does not look at: whole pieces that are equal, from behind the first line break in them.
fn left_out(old: &[u8], new: &[u8]) -> usize {
    let equal = common_end(old, new) / END_PIECE * END_PIECE;
    let end = &old[old.len() - equal..];
    end.iter().position(|byte| *byte == b'\n').map_or(0, |place| equal - place - 1)
}

/// How many bytes are compared at once.
const BLOCK: usize = 256;

fn common_start(left: &[u8], right: &[u8]) -> usize {
    let blocks = left.chunks(BLOCK).zip(right.chunks(BLOCK)).take_while(|(left, right)| left == right);
    let start = (blocks.count() * BLOCK).min(left.len()).min(right.len());
    let rest = left[start..].iter().zip(&right[start..]);
    start + rest.take_while(|(left, right)| left == right).count()
}

fn common_end(left: &[u8], right: &[u8]) -> usize {
    let blocks = left.rchunks(BLOCK).zip(right.rchunks(BLOCK)).take_while(|(left, right)| left == right);
    let end = (blocks.count() * BLOCK).min(left.len()).min(right.len());
    let (left, right) = (&left[..left.len() - end], &right[..right.len() - end]);
    let rest = left.iter().rev().zip(right.iter().rev());
    end + rest.take_while(|(left, right)| left == right).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(bytes: &[u8]) -> Vec<&[u8]> {
        bytes.split_inclusive(|byte| *byte == b'\n').collect()
    }

    proptest! {
        #[test]
        fn a_version_is_the_same_whatever_it_is_likened_to(
            old in "[ab\n]{0,24}", new in "[ab\n]{0,24}", start in "[ab\n]{0,600}", end in "[ab\n]{0,600}",
        ) {
            let [old, new] = [old, new].map(|middle| [&start, middle.as_str(), &end].concat().into_bytes());
            let mut numbers = Numbers::default();
            let before = numbers.version(old.clone(), None);
            let alone = numbers.version(new.clone(), None);
            let after = numbers.version(new.clone(), Some(&before));
            prop_assert_eq!(&after.lines, &alone.lines);
            prop_assert_eq!(&after.ends, &alone.ends);
            prop_assert_eq!(after.lines.len(), split(&new).len());
        }

        #[test]
        fn what_is_the_same_is_the_same(
            old in "[ab\n]{0,24}", new in "[ab\n]{0,24}", end in "[ab\n]{0,3000}",
        ) {
            let [old, new] = [old, new].map(|start| [start.as_str(), &end].concat().into_bytes());
            let mut numbers = Numbers::default();
            let before = numbers.version(old.clone(), None);
            let after = numbers.version(new.clone(), Some(&before));
            let (old, new) = (split(&old), split(&new));
            let mut last = (0, 0);
            for same in numbers.same(&before, &after) {
                prop_assert!(same.old >= last.0 && same.new >= last.1);
                last = (same.old + same.count, same.new + same.count);
                for line in 0..same.count {
                    prop_assert_eq!(old[(same.old + line) as usize], new[(same.new + line) as usize]);
                }
            }
        }
    }

    #[test]
    fn what_became_too_much_is_forgotten() {
        let mut numbers = Numbers::default();
        let old = Rc::new(numbers.version(b"a\nb\nc\n".to_vec(), None));
        numbers.tidy();
        assert!(Rc::ptr_eq(&numbers.renewed(&old), &old));
        numbers.bytes = KNOWN_BYTES + 1;
        numbers.tidy();
        assert_eq!(numbers.bytes, 0);
        let first = Rc::new(numbers.version(b"x\nc\n".to_vec(), None));
        let old = numbers.renewed(&old);
        assert_eq!(numbers.same(&old, &first), [Same { old: 2, new: 1, count: 1 }]);
        assert!(old.size() > 6);
    }

    #[test]
    fn ends_are_left_out_as_git_does_it() {
        let tail = "0123456\n".repeat(300);
        let [old, new] = ["a\n", "b\nc\n"].map(|start| [start, &tail].concat().into_bytes());
        // Two pieces are equal; the first line break in them is the eighth byte.
        assert_eq!(left_out(&old, &new), 2 * 1024 - 8);
        assert_eq!(left_out(b"same\n", b"same\n"), 0);
        let line = "x".repeat(5000);
        assert_eq!(left_out(line.as_bytes(), line.as_bytes()), 0);
    }
}
