//! Search results as text for a model and as facts for programs.

use std::fmt::Write as _;

use super::{
    grep::{Facts, FileCount, Match, Output},
    hits::Line,
    scan::Found,
};
use crate::tools::search::plural;

/// Where the matches are.
pub(super) fn places(found: &Found) -> Vec<Match> {
    let mut places = Vec::new();
    for (path, hits) in &found.files {
        let path = path.to_string();
        for line in &hits.lines {
            if let Line::Match { number, column, .. } = line {
                places.push(Match { path: path.clone(), line: *number, col: *column });
            }
        }
    }
    places
}

/// The matching files and how often they match.
pub(super) fn counts(found: &Found) -> Vec<FileCount> {
    found.files.iter().map(|(path, hits)| FileCount { path: path.to_string(), count: hits.matches }).collect()
}

/// The whole text: the files with their lines, then one line about what it is.
pub(super) fn text(
    found: &Found,
    facts: &Facts,
    output: Output,
    shown: usize,
    offset: usize,
    more: bool,
) -> String {
    let mut text = String::new();
    for (path, hits) in &found.files {
        let _ = match output {
            Output::Count => writeln!(text, "{path}: {}", hits.matches),
            Output::Files | Output::Lines => writeln!(text, "{path}"),
        };
        if output == Output::Lines {
            lines(&mut text, &hits.lines);
            text.push('\n');
        }
    }
    trailer(&mut text, facts, output, shown, offset, more);
    text
}

/// `12:` a match, `12-` what stands around it, `--` a gap.
fn lines(text: &mut String, lines: &[Line]) {
    let has_context = lines.iter().any(|line| matches!(line, Line::Context { .. }));
    let mut last = None;
    for line in lines {
        let (Line::Match { number, text: content, .. }
        | Line::More { number, text: content }
        | Line::Context { number, text: content }) = line;
        if has_context && last.is_some_and(|last: u64| *number > last + 1) {
            text.push_str("--\n");
        }
        last = Some(*number);
        let mark = if matches!(line, Line::Context { .. }) { '-' } else { ':' };
        let _ = writeln!(text, "{number}{mark}{content}");
    }
}

fn trailer(text: &mut String, facts: &Facts, output: Output, shown: usize, offset: usize, more: bool) {
    let files = plural(facts.files_matched, "file");
    let seen = plural(facts.matches_seen, "match");
    let _ = match (output, shown) {
        (_, 0) if offset > 0 && facts.files_matched > 0 => write!(text, "nothing beyond offset {offset}"),
        (_, 0) => write!(text, "no matches"),
        (Output::Lines, _) if more => {
            write!(text, "{shown} matches shown from offset {offset}; there are more")
        }
        (Output::Lines, _) if shown as u64 != facts.matches_seen => {
            write!(text, "{shown} of {seen} shown from offset {offset}, {files}")
        }
        (Output::Files | Output::Count, _) if more => {
            write!(text, "{shown} files shown from offset {offset}; there are more")
        }
        (Output::Files, _) => write!(text, "{files}"),
        (Output::Lines | Output::Count, _) => write!(text, "{seen} in {files}"),
    };
    if more {
        let _ = write!(text, ": call again with offset={}", offset + shown);
    }
    text.push_str(&left_out(facts));
}

fn left_out(facts: &Facts) -> String {
    let skipped = facts.skipped;
    let mut parts = Vec::new();
    for (count, what) in [
        (skipped.binary, "binary"),
        (skipped.too_large, "too large"),
        (skipped.unreadable, "unreadable"),
        (skipped.blocked, "blocked"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    if facts.matches_seen == 0 && skipped.ignored > 0 {
        parts.push(format!(
            "{} ignored or hidden (include_ignored searches the ignored ones)",
            skipped.ignored
        ));
    }
    if parts.is_empty() { String::new() } else { format!("\nnot searched: {}", parts.join(", ")) }
}
