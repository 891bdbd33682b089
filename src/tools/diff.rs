//! Unified diffs, for plans and for answers. Pure; a diff shows text and decides nothing.

use std::{collections::HashSet, fmt::Write as _};

use similar::{DiffOp, DiffTag, group_diff_ops};

use super::line_diff::operations;
use crate::{
    limits::{PLAN_DIFF_BYTES, PLAN_LINES},
    line_ends::{LineEndChange, LineEnds},
    policy::Hunk,
    redact::whole,
    text::{prefix, visible},
};

/// Unchanged lines around a change, as git shows them.
const CONTEXT: usize = 3;
/// Lines of one side that are compared for a plan; in ten of them at most one changed where the change is still shown.
const COMPARED_LINES: usize = 10 * PLAN_LINES;
/// What git writes below a last line without a line end.
const NO_NEWLINE: &str = "\\ No newline at end of file";

/// The hunks between two texts. Ids are `h1`, `h2`, … from `next_id` on, so that they are unique in a whole plan.
pub fn hunks(before: &str, after: &str, next_id: &mut u32) -> Vec<Hunk> {
    let middle = Middle::of(before, after);
    middle
        .groups()
        .iter()
        .map(|group| {
            let hunk = middle.hunk(group, *next_id);
            *next_id += 1;
            hunk
        })
        .collect()
}

/// What is left of the room for the hunks of one plan. Nobody reads more lines than that, and a host that made them of every file that
/// it is asked to write would need a hundred times the file's size.
#[derive(Debug)]
pub struct PlanRoom {
    /// Of the next hunk.
    pub next_id: u32,
    lines: usize,
    bytes: usize,
}

impl Default for PlanRoom {
    fn default() -> Self {
        Self { next_id: 1, lines: PLAN_LINES, bytes: PLAN_DIFF_BYTES }
    }
}

impl PlanRoom {
    /// The hunks between two texts, none of them where there is no room for all, and how many lines come and go.
    pub fn hunks(&mut self, before: &str, after: &str) -> (Vec<Hunk>, (u32, u32)) {
        let middle = Middle::of(before, after);
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        if middle.is_long() {
            return (Vec::new(), (count(middle.new.len()), count(middle.old.len())));
        }
        let groups = middle.groups();
        let (mut lines, mut bytes, mut counts) = (0, 0, (0, 0));
        for operation in groups.iter().flatten() {
            let (old, new) = (operation.old_range(), operation.new_range());
            if operation.tag() != DiffTag::Equal {
                counts = (counts.0 + new.len(), counts.1 + old.len());
                lines += new.len();
                bytes += middle.new[new].iter().map(|line| line.len()).sum::<usize>();
            }
            lines += old.len();
            bytes += middle.old[old].iter().map(|line| line.len()).sum::<usize>();
        }
        let counts = (count(counts.0), count(counts.1));
        if lines > self.lines || bytes > self.bytes {
            return (Vec::new(), counts);
        }
        (self.lines, self.bytes) = (self.lines - lines, self.bytes - bytes);
        let mut hunks = Vec::with_capacity(groups.len());
        for group in &groups {
            hunks.push(middle.hunk(group, self.next_id));
            self.next_id += 1;
        }
        (hunks, counts)
    }
}

/// `before` with only those of its hunks towards `after` that are `allowed`, numbered as [`hunks`] numbers them from `first_id` on.
pub fn with_hunks(before: &str, after: &str, first_id: u32, allowed: &[String]) -> String {
    let middle = Middle::of(before, after);
    let (old, new) = (&middle.old, &middle.new);
    let mut text = String::with_capacity(after.len());
    text.push_str(middle.above);
    let mut copied = 0;
    for (id, group) in (first_id..).zip(middle.groups()) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        old[copied..first.old_range().start].iter().for_each(|line| text.push_str(line));
        let part = if allowed.contains(&format!("h{id}")) {
            &new[first.new_range().start..last.new_range().end]
        } else {
            &old[first.old_range().start..last.old_range().end]
        };
        text.push_str(&part.concat());
        copied = last.old_range().end;
    }
    old[copied..].iter().for_each(|line| text.push_str(line));
    text.push_str(middle.below);
    text
}

/// What becomes of the line ends, which a diff does not show; `None` where nothing does, or one of the texts has none.
pub fn line_ends(before: &str, after: &str) -> Option<LineEndChange> {
    if [before, after].iter().all(|text| memchr::memchr(b'\r', text.as_bytes()).is_none()) {
        return None;
    }
    let change = LineEndChange { before: LineEnds::of(before), after: LineEnds::of(after) };
    let is_one = match (change.before, change.after) {
        (LineEnds::None, _) | (_, LineEnds::None) => false,
        (LineEnds::Mixed, LineEnds::Mixed) => {
            let middle = Middle::of(before, after);
            middle.is_long() || middle.changes_ends()
        }
        (before, after) => before != after,
    };
    is_one.then_some(change)
}

/// Two texts without most of the lines that both begin with and both end with: a large file is not taken apart for a small change.
struct Middle<'t> {
    above: &'t str,
    /// Lines of `above`.
    skipped: usize,
    old: Vec<&'t str>,
    new: Vec<&'t str>,
    below: &'t str,
}

/// Equal lines that stay on both sides: what is shown, and where a change could stand as well.
const MARGIN: usize = 64;

impl<'t> Middle<'t> {
    fn of(before: &'t str, after: &'t str) -> Self {
        let (old, new) = (before.as_bytes(), after.as_bytes());
        let same = prefix_length(old, new);
        let start = memchr::memrchr_iter(b'\n', &old[..same]).nth(MARGIN).map_or(0, |end| end + 1);
        // Where one only repeats the other, the same bytes are the beginning and the end of both: they count once.
        let most = old.len().min(new.len()) - same;
        let same_end = suffix_length(&old[old.len() - most..], &new[new.len() - most..]);
        let mut ends = memchr::memchr_iter(b'\n', &old[old.len() - same_end..]);
        let end = ends.nth(MARGIN).map_or(0, |at| same_end - at - 1);
        Self {
            above: &before[..start],
            skipped: memchr::memchr_iter(b'\n', &old[..start]).count(),
            old: lines(&before[start..before.len() - end]),
            new: lines(&after[start..after.len() - end]),
            below: &before[before.len() - end..],
        }
    }

    /// More than anybody would be shown, and too much to be compared for nothing.
    fn is_long(&self) -> bool {
        self.old.len().max(self.new.len()) > COMPARED_LINES
    }

    fn groups(&self) -> Vec<Vec<DiffOp>> {
        group_diff_ops(operations(&self.old, &self.new), CONTEXT)
    }

    /// Whether a line goes and comes with the same words and another end, or lines come with an end that none of those in their place had.
    fn changes_ends(&self) -> bool {
        let operations = operations(&self.old, &self.new);
        operations.split(|operation| operation.tag() == DiffTag::Equal).any(|run| {
            let gone: HashSet<_> =
                run.iter().flat_map(|part| &self.old[part.old_range()]).filter_map(words_and_end).collect();
            let is_gone = |end: bool| gone.iter().any(|(_, is_crlf)| *is_crlf == end);
            let mut come = run.iter().flat_map(|part| &self.new[part.new_range()]).filter_map(words_and_end);
            come.any(|(words, is_crlf)| {
                gone.contains(&(words, !is_crlf)) || (is_gone(!is_crlf) && !is_gone(is_crlf))
            })
        })
    }

    fn hunk(&self, group: &[DiffOp], id: u32) -> Hunk {
        let mut shown = Vec::new();
        for op in group {
            let (tag, old_range, new_range) = op.as_tag_tuple();
            if tag == DiffTag::Equal {
                self.old[old_range].iter().for_each(|line| show(' ', line, &mut shown));
                continue;
            }
            self.old[old_range].iter().for_each(|line| show('-', line, &mut shown));
            self.new[new_range].iter().for_each(|line| show('+', line, &mut shown));
        }
        let (first, last) = (group.first(), group.last());
        let span = |range: fn(&DiffOp) -> std::ops::Range<usize>| {
            let start = first.map_or(0, |op| range(op).start);
            let count = last.map_or(0, |op| range(op).end) - start;
            // git counts from the line before when there is none.
            let line = self.skipped + if count == 0 { start } else { start + 1 };
            (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(count).unwrap_or(u32::MAX))
        };
        let (old_start, old_lines) = span(DiffOp::old_range);
        let (new_start, new_lines) = span(DiffOp::new_range);
        Hunk { id: format!("h{id}"), old_start, old_lines, new_start, new_lines, lines: shown }
    }
}

/// Bytes that both begin with.
fn prefix_length(one: &[u8], other: &[u8]) -> usize {
    const STEP: usize = 4096;
    let steps = one.chunks(STEP).zip(other.chunks(STEP)).take_while(|(one, other)| one == other);
    let equal: usize = steps.map(|(chunk, _)| chunk.len()).sum();
    let rest = one[equal..].iter().zip(&other[equal..]).take_while(|(one, other)| one == other);
    equal + rest.count()
}

/// Bytes that both end with; they are equally long.
fn suffix_length(one: &[u8], other: &[u8]) -> usize {
    const STEP: usize = 4096;
    let steps = one.rchunks(STEP).zip(other.rchunks(STEP)).take_while(|(one, other)| one == other);
    let equal: usize = steps.map(|(chunk, _)| chunk.len()).sum();
    let (one, other) = (&one[..one.len() - equal], &other[..other.len() - equal]);
    equal + one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
}

/// Lines added and lines removed.
pub fn counts(hunks: &[Hunk]) -> (u32, u32) {
    let with = |sign: char| {
        let count = hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.starts_with(sign)).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    (with('+'), with('-'))
}

/// The hunks of one file as a unified diff; `created` when there was no such file.
pub fn diff_text(path: &str, created: bool, hunks: &[Hunk]) -> String {
    if hunks.is_empty() {
        return String::new();
    }
    let path = visible(path);
    let old = if created { "/dev/null".to_owned() } else { format!("a/{path}") };
    let mut text = format!("--- {old}\n+++ b/{path}\n");
    for hunk in hunks {
        let _ = writeln!(
            text,
            "@@ -{} +{} @@",
            range(hunk.old_start, hunk.old_lines),
            range(hunk.new_start, hunk.new_lines)
        );
        for line in &hunk.lines {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// `diff`, cut after a whole line so that it has at most `limit` bytes, with a note of what is missing.
pub fn cut(diff: &str, limit: usize) -> String {
    if diff.len() <= limit {
        return diff.to_owned();
    }
    let shown = &diff[..whole(diff, 0..prefix(diff, limit).len()).end];
    let shown = &shown[..shown.rfind('\n').map_or(0, |end| end + 1)];
    let left_out = diff[shown.len()..].lines().count();
    format!("{shown}… {left_out} more lines of the diff\n")
}

/// The lines with their ends: two texts that differ in a line end differ.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// What is shown of a line, and whether it ends with `\r\n`; `None` where it does not end.
fn words_and_end<'t>(line: &&'t str) -> Option<(&'t str, bool)> {
    let line = line.strip_suffix('\n')?;
    let words = line.strip_suffix('\r');
    Some((words.unwrap_or(line), words.is_some()))
}

fn show(sign: char, line: &str, shown: &mut Vec<String>) {
    let (text, ended) = match line.strip_suffix('\n') {
        Some(text) => (text.strip_suffix('\r').unwrap_or(text), true),
        None => (line, false),
    };
    shown.push(format!("{sign}{text}"));
    if !ended {
        shown.push(NO_NEWLINE.to_owned());
    }
}

fn range(start: u32, count: u32) -> String {
    if count == 1 { start.to_string() } else { format!("{start},{count}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(before: &str, after: &str, expected: &str) {
        let mut next_id = 1;
        let hunks = hunks(before, after, &mut next_id);
        assert_eq!(diff_text("f", before.is_empty(), &hunks), expected);
        assert_eq!(next_id as usize, hunks.len() + 1);
    }

    #[test]
    fn a_change_is_shown_with_three_lines_around_it() {
        check(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
            "--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
        );
    }

    #[test]
    fn a_new_file_comes_from_nowhere() {
        check("", "a\n", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n");
    }

    #[test]
    fn a_missing_line_end_is_shown() {
        check(
            "a\nb",
            "a\nb\n",
            "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
        );
    }

    #[test]
    fn line_ends_differ_but_are_not_shown() {
        check("a\r\n", "a\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+a\n");
    }

    #[test]
    fn what_becomes_of_line_ends_is_told_beside_the_diff() {
        let told = |before: &str, after: &str| {
            line_ends(before, after).map(|change| (change.before.as_str(), change.after.as_str()))
        };
        assert_eq!(told("a\nb\n", "a\r\nb\r\n"), Some(("lf", "crlf")));
        assert_eq!(told("a\r\nb", "a\nb"), Some(("crlf", "lf")));
        assert_eq!(told("a\nb\n", "a\nb\r\n"), Some(("lf", "mixed")));
        assert_eq!(told("a\r\nb\nc\n", "a\nb\nx\n"), Some(("mixed", "lf")));
        // Mixed it stays, and yet the lines have other ends than before.
        assert_eq!(told("a\r\nb\nc\n", "a\r\nb\r\nc\n"), Some(("mixed", "mixed")));
        assert_eq!(told("a\r\nb\n", "a\nb\r\n"), Some(("mixed", "mixed")));
        assert_eq!(told("a\r\nb\nc\n", "A\nb\nC\r\n"), Some(("mixed", "mixed")));
        assert_eq!(told("a\r\nb\nc\n", "x\ny\r\nb\nz\r\n"), Some(("mixed", "mixed")));
        for (before, after) in [
            ("a\r\nb\nc\r\n", "x\r\ny\nc\r\n"),
            ("a\r\nb\nc\r\n", "a\r\nx\ny\nc\r\n"),
            ("a\r\nb\nc\r\n", "a\r\nb\n"),
            ("a\r\nb\n", "a\r\nc\n"),
            ("a\r\nb\n", "x\r\na\r\nb\n"),
            ("a\r\n", "b\r\nc\r\n"),
            ("a\n", "b\n"),
            // Seen in the diff: a new file, one that goes, a carriage return within a line, a last line that gets an end.
            ("", "a\r\n"),
            ("a\r\n", ""),
            ("a\n", "a\rb\n"),
            ("a\r\nb", "a\r\nb\r\n"),
        ] {
            assert_eq!(told(before, after), None, "{before:?} {after:?}");
        }
    }

    #[test]
    fn equal_texts_have_no_diff() {
        check("a\n", "a\n", "");
    }

    #[test]
    fn what_a_plan_has_no_room_for_is_counted() {
        let mut room = PlanRoom::default();
        let (first, counts) = room.hunks("a\n", "b\nc\n");
        assert_eq!((first[0].id.as_str(), room.next_id, counts), ("h1", 2, (2, 1)));
        let long = "\n".repeat(PLAN_LINES);
        assert_eq!(room.hunks("", &long), (Vec::new(), (u32::try_from(PLAN_LINES).unwrap(), 0)));
        let wide = "x".repeat(PLAN_DIFF_BYTES + 1);
        assert_eq!(room.hunks(&wide, ""), (Vec::new(), (0, 1)));
        let endless = "\n".repeat(COMPARED_LINES + 1);
        assert_eq!(room.hunks(&endless, "").1, (0, u32::try_from(COMPARED_LINES + 1).unwrap()));
        // A few lines of a long file are shown.
        let (few, counts) = room.hunks(&format!("{long}a\n"), &format!("{long}b\n"));
        assert_eq!((few[0].id.as_str(), counts), ("h2", (1, 1)));
    }

    #[test]
    fn ids_go_on_over_files() {
        let mut next_id = 4;
        let hunks = hunks("a\n", "b\n", &mut next_id);
        assert_eq!((hunks[0].id.as_str(), next_id), ("h4", 5));
        assert_eq!(counts(&hunks), (1, 1));
    }

    proptest! {
        #[test]
        fn what_is_left_out_at_both_ends_changes_nothing(
            above in 0..200_usize,
            before in proptest::collection::vec("[abcé]\n", 0..10),
            after in proptest::collection::vec("[abcé]\n", 0..10),
            below in 0..200_usize,
            ended in any::<bool>(),
        ) {
            let around = |middle: &[String]| {
                let line = |side: &'static str| move |number: usize| format!("ü {side} {number}\n");
                let mut text: String =
                    (0..above).map(line("above")).chain(middle.iter().cloned()).chain((0..below).map(line("below"))).collect();
                if !ended {
                    text.pop();
                }
                text
            };
            let (before, after) = (around(&before), around(&after));
            let whole = Middle { above: "", skipped: 0, old: lines(&before), new: lines(&after), below: "" };
            let hunks = hunks(&before, &after, &mut 1);
            let expected: Vec<Hunk> = whole.groups().iter().zip(1..).map(|(group, id)| whole.hunk(group, id)).collect();
            prop_assert_eq!(&hunks, &expected);
            let ids: Vec<String> = hunks.into_iter().map(|hunk| hunk.id).collect();
            prop_assert_eq!(with_hunks(&before, &after, 1, &ids), after.clone());
            prop_assert_eq!(with_hunks(&before, &after, 1, &[]), before.clone());
        }

        #[test]
        fn a_part_of_the_hunks_is_between_the_two_texts(
            before in proptest::collection::vec("[ab]\n", 0..60),
            after in proptest::collection::vec("[ab]\n", 0..60),
            choice in any::<u64>(),
        ) {
            let (before, after) = (before.concat(), after.concat());
            let hunks = hunks(&before, &after, &mut 1);
            let ids: Vec<String> = hunks.iter().map(|hunk| hunk.id.clone()).collect();
            prop_assert_eq!(with_hunks(&before, &after, 1, &ids), after.clone());
            prop_assert_eq!(with_hunks(&before, &after, 1, &[]), before.clone());
            let (some, others): (Vec<_>, Vec<_>) =
                ids.into_iter().enumerate().partition(|(index, _)| choice >> (index % 64) & 1 == 1);
            let names = |list: Vec<(usize, String)>| list.into_iter().map(|(_, id)| id).collect::<Vec<_>>();
            let (some, others) = (names(some), names(others));
            let part = with_hunks(&before, &after, 1, &some);
            let lines = |text: &str| i64::try_from(text.lines().count()).unwrap();
            let rest = with_hunks(&before, &after, 1, &others);
            prop_assert_eq!(lines(&part) - lines(&before) + lines(&rest) - lines(&before), lines(&after) - lines(&before));
        }
    }

    #[test]
    fn cutting_says_how_much_is_missing() {
        assert_eq!(cut("aa\nbb\ncc\n", 7), "aa\nbb\n… 1 more lines of the diff\n");
    }

    #[test]
    fn large_texts_with_little_in_common_take_no_ages() {
        // Lines of a small set in no order: the worst there is for the smallest difference.
        let text = |seed: u64| {
            let mut state = seed;
            let mut line = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) % 50
            };
            (0..51_000).map(|_| format!("{}\n", line())).collect::<Vec<_>>().concat()
        };
        let (before, after) = (text(1), text(2));
        let all = hunks(&before, &after, &mut 1);
        let ids: Vec<String> = all.iter().map(|hunk| hunk.id.clone()).collect();
        assert_eq!(with_hunks(&before, &after, 1, &ids), after);
        // One changed line is one hunk, as ever.
        let changed = before.replacen('\n', "x\n", 1);
        assert_eq!(counts(&hunks(&before, &changed, &mut 1)), (1, 1));
    }

    #[test]
    fn two_texts_without_a_common_line_take_no_ages() {
        let text = |sign| (0..60_000).map(|line| format!("{sign}{line}")).collect::<Vec<_>>().join("\n");
        assert_eq!(hunks(&text('a'), &text('b'), &mut 1).len(), 1);
    }
}
