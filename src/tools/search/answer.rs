//! From what a content search found to what is shown of it: the page that was asked for, the text, and how to go on.

use std::collections::BTreeSet;

use super::{
    SearchGrep,
    beyond::Beyond,
    facts::{Facts, Output},
    grep::Params,
    hits::Line,
    render::{self, Page},
    scan::Found,
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
        let files_matched = found.files.len() as u64;
        let shown = cut(&mut found, params.output, offset, params.limit as usize, self.context as u64);
        // Pages follow the order of the search; each is shown in path order.
        found.files.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        let mut facts = Facts::of(&found, self.counts, self.secret_looking, params.output);
        (facts.files_matched, facts.ignored_matches) = (files_matched, self.beyond.count);
        // Out of time there is no next page: the same search would end at the same place.
        let late = !found.complete && !found.enough;
        let more = found.enough;
        let page = Page { output: params.output, shown, offset, more };
        let (text, end) = render::text(&found, &facts, page, &self.beyond);
        let mut reply = Reply::new(text, facts);
        if late {
            let last = found.last.as_ref().map(|path| format!(" after {path}")).unwrap_or_default();
            reply
                .warnings
                .push(format!("stopped by the time limit{last}; narrow the search with `path` or `glob`"));
        }
        if more {
            reply.truncated = Some(self.truncated(shown));
        }
        reply.cut_text(self.call, end);
        reply
    }

    fn truncated(&self, shown: usize) -> Truncated {
        let params = self.params;
        let unit = if params.output == Output::Lines { "matches" } else { "files" };
        let args = serde_json::json!({
            "pattern": params.pattern, "path": params.path, "glob": params.glob, "literal": params.literal,
            "case": params.case, "word": params.word, "multiline": params.multiline, "context": params.context,
            "output": params.output, "include_ignored": params.include_ignored, "limit": params.limit,
            "offset": params.offset as usize + shown,
        });
        let next = NextCall { tool: SearchGrep::SPEC.name.to_owned(), args };
        // The search stopped at the first that is not shown.
        Truncated { shown: shown as u64, total: Truncated::UNKNOWN, unit: unit.to_owned(), next: Some(next) }
    }
}

/// Keeps one page; returns how many matches (or files) it holds.
fn cut(found: &mut Found, output: Output, offset: usize, limit: usize, context: u64) -> usize {
    if output == Output::Lines {
        return cut_lines(found, offset, limit, context);
    }
    let page: Vec<_> = found.files.drain(..).skip(offset).take(limit).collect();
    found.files = page;
    found.files.len()
}

/// Keeps the matches from `offset` to `offset + limit`, with the context that belongs to them; returns how many they are.
fn cut_lines(found: &mut Found, offset: usize, limit: usize, context: u64) -> usize {
    let is_match = |line: &&Line| matches!(line, Line::Match { .. });
    let matches: usize = found.files.iter().map(|(_, hits)| hits.lines.iter().filter(is_match).count()).sum();
    if offset == 0 && matches <= limit {
        return matches;
    }
    let mut seen = 0_usize;
    let mut shown = 0;
    for (_, hits) in &mut found.files {
        let mut kept_lines = BTreeSet::new();
        let mut keeping = false;
        let mut kept = Vec::with_capacity(hits.lines.len());
        for line in hits.lines.drain(..) {
            match &line {
                Line::Match { number, .. } => {
                    keeping = (offset..offset + limit).contains(&seen);
                    seen += 1;
                    if keeping {
                        shown += 1;
                        kept_lines.insert(*number);
                        kept.push(line);
                    }
                }
                Line::More { number, .. } if keeping => {
                    kept_lines.insert(*number);
                    kept.push(line);
                }
                Line::More { .. } => {}
                Line::Context { .. } => kept.push(line),
            }
        }
        let near = |number: u64| {
            let range = number.saturating_sub(context)..=number.saturating_add(context);
            kept_lines.range(range).next().is_some()
        };
        kept.retain(|line| !matches!(line, Line::Context { number, .. } if !near(*number)));
        hits.lines = kept;
    }
    found.files.retain(|(_, hits)| !hits.lines.is_empty());
    shown
}
