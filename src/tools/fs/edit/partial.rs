//! What remains of the edits of a call where a person allows some of the hunks of its diff and not others. Pure.

use std::ops::Range;

use super::Applied;
use crate::{policy::Hunk, tools::fs::change::Change};

/// Where an edit changes something, in the text before.
#[derive(Debug)]
pub(super) struct Spot {
    /// Which of the edits, from 0.
    pub(super) edit: u32,
    /// Where its `old_text` begins.
    pub(super) start: u32,
    /// What is not only repeated of it.
    pub(super) changed: Range<u32>,
}

/// What becomes of each edit where only these hunks are made.
pub(super) fn made_by(
    change: &Change,
    (planned, spots): (&[Applied], &[Spot]),
    allowed: &[String],
) -> Vec<Applied> {
    let hunks = change.shown().hunks;
    let ends = memchr::memchr_iter(b'\n', change.before_text.as_bytes());
    let starts: Vec<usize> = std::iter::once(0).chain(ends.map(|end| end + 1)).collect();
    let line_of =
        |at: u32| u32::try_from(starts.partition_point(|start| *start <= at as usize)).unwrap_or(u32::MAX);
    let mut applied: Vec<Applied> =
        planned.iter().map(|applied| Applied { count: 0, line: 0, ..*applied }).collect();
    for Spot { edit, start, changed } in spots {
        let last = changed.end.saturating_sub(1).max(changed.start);
        if !is_within(&hunks, allowed, line_of(changed.start), line_of(last)) {
            continue;
        }
        let (whole, made) = (&planned[*edit as usize], &mut applied[*edit as usize]);
        if made.count == 0 {
            made.line = if whole.count == 1 { whole.line } else { line_of(*start) };
        }
        made.count += 1;
    }
    applied
}

/// Whether lines are changed by one of the hunks that are `allowed`. A diff may show a change of lines that repeat themselves at
/// another of them: then by the nearest.
fn is_within(hunks: &[Hunk], allowed: &[String], first: u32, last: u32) -> bool {
    let end = |hunk: &Hunk| hunk.old_start.saturating_add(hunk.old_lines);
    let is_allowed = |hunk: &Hunk| allowed.contains(&hunk.id);
    let (above, below) = hunks.split_at(hunks.partition_point(|hunk| end(hunk) < first));
    let mut touched = below.iter().take_while(|hunk| hunk.old_start <= last).peekable();
    if touched.peek().is_some() {
        return touched.any(is_allowed);
    }
    match (above.last(), below.first()) {
        (Some(one), Some(other)) if first - end(one) > other.old_start - last => is_allowed(other),
        (Some(one), _) | (None, Some(one)) => is_allowed(one),
        (None, None) => false,
    }
}
