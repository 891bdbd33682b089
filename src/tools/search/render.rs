//! What a content search found, as text for a model.

use crate::text::{counted, visible};
use std::fmt::Write as _;

use super::{
    beyond::Beyond,
    facts::{Facts, Output},
    gathering::Found,
    grep::OFFSET_MAX,
    hits::{FileHits, Line},
};

/// Which part of what was found is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'a> {
    pub(super) output: Output,
    pub(super) shown: usize,
    pub(super) offset: usize,
    /// There is more after it.
    pub(super) more: bool,
    /// The glob that no file matches, if so.
    pub(super) unmatched_glob: Option<&'a str>,
}

/// The whole text: the files with their lines, then one line about what it is; and how long that end is.
pub(super) fn text(found: &Found, facts: &Facts, page: Page<'_>, beyond: &Beyond) -> (String, usize) {
    let bytes = |hits: &FileHits| hits.lines.iter().map(|line| line.text().len() + 8).sum::<usize>() + 80;
    let mut text = String::with_capacity(found.files.iter().map(|(_, hits)| bytes(hits)).sum());
    for (path, hits) in &found.files {
        let _ = match page.output {
            Output::Count => writeln!(text, "{path}: {}", hits.matches),
            Output::Files | Output::Lines => writeln!(text, "{path}"),
        };
        if page.output == Output::Lines {
            lines(&mut text, &hits.lines);
            text.push('\n');
        }
    }
    let body = text.len();
    trailer(&mut text, facts, page);
    text.push_str(&left_out(facts, found.skipped.left_in_text, beyond));
    let end = text.len() - body;
    (text, end)
}

/// `12:` a match, `12-` what stands around it, `--` a gap.
fn lines(text: &mut String, lines: &[Line]) {
    let has_context = lines.iter().any(|line| matches!(line, Line::Context { .. }));
    let mut last = None;
    for line in lines {
        let (Line::Match { number, .. }
        | Line::More { number, .. }
        | Line::Rest { number, .. }
        | Line::Context { number, .. }) = line;
        if let Line::Rest { lines, .. } = line {
            let _ = writeln!(text, "… {} of this match, to line {number}", counted(*lines, "more line"));
            last = Some(*number);
            continue;
        }
        let content = line.text();
        if has_context && last.is_some_and(|last: u64| *number > last + 1) {
            text.push_str("--\n");
        }
        last = Some(*number);
        let mark = if matches!(line, Line::Context { .. }) { '-' } else { ':' };
        let _ = write!(text, "{number}{mark}");
        text.push_str(content);
        text.push('\n');
    }
}

fn trailer(text: &mut String, facts: &Facts, page: Page<'_>) {
    let Page { output, shown, offset, more, unmatched_glob } = page;
    let files = counted(facts.files_matched, "file");
    let seen = counted(facts.matches_seen, "match");
    let _ = match (output, shown) {
        (_, 0) if offset > 0 && facts.files_matched > 0 => write!(text, "nothing beyond offset {offset}"),
        (_, 0) => match unmatched_glob {
            Some(glob) => write!(text, "no matches: no file here matches the glob `{}`", visible(glob)),
            None => write!(text, "no matches"),
        },
        (Output::Lines, _) if more => {
            write!(text, "{} shown from offset {offset}; there are more", counted(shown, "match"))
        }
        (Output::Lines, _) if shown as u64 != facts.matches_seen => {
            write!(text, "{shown} of {seen} shown from offset {offset}, {files}")
        }
        (Output::Files | Output::Count, _) if more => {
            write!(text, "{} shown from offset {offset}; there are more", counted(shown, "file"))
        }
        (Output::Files, _) => write!(text, "{files}"),
        (Output::Lines | Output::Count, _) => write!(text, "{seen} in {files}"),
    };
    if more && offset + shown <= OFFSET_MAX as usize {
        let _ = write!(text, ": call again with offset={}", offset + shown);
    } else if more {
        text.push_str(": narrow the search with `path` or `glob`");
    }
}

/// What was not searched, one line; and what would be found there, another.
fn left_out(facts: &Facts, left_in_text: u64, beyond: &Beyond) -> String {
    let skipped = facts.skipped;
    let mut parts = Vec::new();
    for (count, what) in [
        (skipped.binary.saturating_sub(left_in_text), "binary"),
        (skipped.too_large, "too large"),
        (skipped.unreadable, "unreadable"),
        (skipped.blocked, "blocked"),
        (
            skipped.secret_looking,
            "named as if it held a secret (its own `path` searches it, after the user is asked)",
        ),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    if beyond.count == 0 && skipped.ignored > 0 {
        parts.push(format!("{} ignored or hidden", skipped.ignored));
    }
    let mut text =
        if parts.is_empty() { String::new() } else { format!("\nnot searched: {}", parts.join(", ")) };
    if left_in_text > 0 {
        let _ = write!(text, "\nsearched only up to a NUL: {}", counted(left_in_text, "file"));
    }
    if beyond.count > 0 {
        let _ = write!(text, "\n{}", beyond.sentence());
    }
    text
}
