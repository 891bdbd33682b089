//! From what a content search found to what is shown of it: the page that was asked for, the text, and how to go on.

use std::{collections::BTreeSet, ops::Range};

use super::{
    SearchGrep,
    beyond::Beyond,
    facts::{Facts, Output},
    gathering::{Found, of_path},
    grep::{OFFSET_MAX, Params},
    hits::Line,
    render::{self, Page},
    room::PAGE_BYTES,
};
use crate::{
    tools::{Call, NextCall, Reply, Tool as _, Truncated},
    workspace::walk::WalkCounts,
};

/// What an answer needs beside what was found.
pub(super) struct Answer<'a> {
    pub(super) call: &'a Call,
    pub(super) params: &'a Params,
    /// Lines around a match that may be shown.
    pub(super) context: usize,
    pub(super) counts: WalkCounts,
    pub(super) secret_looking: u64,
    pub(super) beyond: Beyond,
}

impl Answer<'_> {
    /// The answer.
    pub(super) fn reply(self, mut found: Found) -> Reply<Facts> {
        let (params, offset) = (self.params, self.params.offset as usize);
        let files_matched = found.files_matched;
        let wanted = offset..offset + params.limit as usize;
        let shown = match params.output {
            Output::Lines => cut_lines(&mut found, &wanted, self.context as u64, PAGE_BYTES),
            Output::Files | Output::Count => cut_files(&mut found, &wanted),
        };
        // Pages follow the order of the search; each is shown in path order.
        found.files.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        let mut facts = Facts::of(&found, self.counts, self.secret_looking, params.output);
        (facts.files_matched, facts.ignored_matches) = (files_matched, self.beyond.count);
        // Out of time there is no next page: the same search would end at the same place.
        let late = !found.complete && !found.enough;
        let more = found.enough;
        let unmatched_glob = Some(params.glob.as_str()).filter(|glob| {
            // A file that was looked at, or would have been, matches it.
            !glob.is_empty() && found.complete && found.last.is_none() && facts.skipped.are_none_of_files()
        });
        let page = Page { output: params.output, shown, offset, more, unmatched_glob };
        let (text, end) = render::text(&found, &facts, page, &self.beyond);
        let mut reply = Reply::new(text, facts);
        if late {
            let last = found.last.as_ref().map(|path| format!(" after {path}")).unwrap_or_default();
            reply
                .warnings
                .push(format!("stopped by the time limit{last}; narrow the search with `path` or `glob`"));
        }
        reply.warnings.extend(self.counts.warning());
        if more {
            reply.truncated = Some(self.truncated(shown));
        }
        reply.cut_text(self.call, end);
        reply
    }

    fn truncated(&self, shown: usize) -> Truncated {
        let params = self.params;
        let unit = if params.output == Output::Lines { "matches" } else { "files" };
        let offset = params.offset as usize + shown;
        let args = serde_json::json!({
            "pattern": params.pattern, "path": params.path, "glob": params.glob, "literal": params.literal,
            "case": params.case, "word": params.word, "multiline": params.multiline, "context": params.context,
            "output": params.output, "include_ignored": params.include_ignored, "limit": params.limit,
            "offset": offset,
        });
        let next = (offset <= OFFSET_MAX as usize)
            .then(|| NextCall { tool: SearchGrep::SPEC.name.to_owned(), args });
        // The search stopped at the first that is not shown.
        Truncated { shown: shown as u64, total: Truncated::UNKNOWN, unit: unit.to_owned(), next }
    }
}

/// Keeps the files of one page; returns how many they are.
fn cut_files(found: &mut Found, wanted: &Range<usize>) -> usize {
    let first = wanted.start - found.passed;
    let page: Vec<_> = found.files.drain(..).skip(first).take(wanted.len()).collect();
    found.files = page;
    found.files.len()
}

/// Keeps the wanted matches, as far as an answer of so many bytes goes, with the context that belongs to them; returns how many they
/// are.
pub(super) fn cut_lines(found: &mut Found, wanted: &Range<usize>, context: u64, page_bytes: usize) -> usize {
    let (mut seen, mut shown, mut bytes) = (found.passed, 0, 0);
    let mut is_full = false;
    for (path, hits) in &mut found.files {
        let of_place = of_path(path);
        let end = seen + hits.matches as usize;
        seen += hits.skipped;
        let mut kept_lines = BTreeSet::new();
        let mut keeping = false;
        let mut kept = Vec::with_capacity(hits.lines.len());
        for line in hits.lines.drain(..) {
            match &line {
                Line::Match { number, .. } => {
                    let is_wanted = wanted.contains(&seen);
                    is_full |= is_wanted && bytes >= page_bytes;
                    keeping = is_wanted && !is_full;
                    seen += 1;
                    if keeping {
                        shown += 1;
                        bytes += of_place;
                        kept_lines.insert(*number);
                    }
                }
                Line::More { number, .. } | Line::Rest { number, .. } if keeping => {
                    kept_lines.insert(*number);
                }
                Line::More { .. } | Line::Rest { .. } | Line::Context { .. } => {}
            }
            if keeping || matches!(line, Line::Context { .. }) {
                bytes += if keeping { line.bytes() } else { 0 };
                kept.push(line);
            }
        }
        let near = |number: u64| {
            let range = number.saturating_sub(context)..=number.saturating_add(context);
            kept_lines.range(range).next().is_some()
        };
        kept.retain(|line| !matches!(line, Line::Context { number, .. } if !near(*number)));
        hits.lines = kept;
        seen = end;
    }
    found.files.retain(|(_, hits)| !hits.lines.is_empty());
    if is_full {
        (found.enough, found.complete) = (true, false);
    }
    shown
}
