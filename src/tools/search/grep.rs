//! `search_grep`: lines that match a pattern, grouped by file.
//!
//! The model gets exactly the matches it asked for, in path order, with a window of long lines and a note on everything that was
//! left out. It can never see a blocked or ignored file by way of a match, nor anything outside the workspace.

use std::{collections::BTreeSet, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    globs::Globs,
    hits::{Line, Wanted},
    pattern::{Case, Pattern},
    render,
    scan::{Found, Job},
    stop::Stop,
};
use crate::{
    config::Profile,
    policy::{Intent, Permit},
    relpath::RelPath,
    tier::Tier,
    tools::{Call, Code, NextCall, Prepared, READS, Reply, Tool, ToolError, ToolSpec, Truncated},
    workspace::walk::{WalkCounts, WalkKind, WalkOptions},
};

/// Context given without being asked for, when there are so few matches that the next call would be to read around them.
const CONTEXT_OF_FEW: usize = 8;
/// How many matches are few.
const FEW: u64 = 3;
/// The most a caller may ask for, and skip.
const LIMIT_MAX: u32 = 100_000;
/// Lines of context a caller may ask for.
const CONTEXT_MAX: u32 = 10;

/// `search_grep`.
#[derive(Clone, Copy, Debug)]
pub struct SearchGrep;

/// What to search for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Regular expression in Rust's syntax (no look-around, no backreferences), or plain text with `literal`.
    pub pattern: String,
    /// Folder or file to search.
    #[serde(default = "root")]
    pub path: String,
    /// Only files that match, e.g. `*.rs`, `src/**/*.ts`; `!*.min.js` for all others.
    #[serde(default)]
    pub glob: String,
    /// Take the pattern as plain text.
    #[serde(default)]
    pub literal: bool,
    /// `smart`: ignore case unless the pattern has an upper-case letter.
    #[serde(default)]
    pub case: Case,
    /// Only whole words.
    #[serde(default)]
    pub word: bool,
    /// Let the pattern match across lines.
    #[serde(default)]
    pub multiline: bool,
    /// Lines around each match.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10))]
    pub context: u32,
    /// `lines`, `files` (paths only) or `count` (matching lines per file).
    #[serde(default)]
    pub output: Output,
    /// Also what .gitignore leaves out.
    #[serde(default)]
    pub include_ignored: bool,
    /// Matches (for `files` and `count`: files) to return.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 100_000))]
    pub limit: u32,
    /// Matches (or files) to pass over first.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub offset: u32,
}

fn root() -> String {
    ".".to_owned()
}

fn hundred() -> u32 {
    100
}

/// What is returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    // No doc comments on the variants: the schema would become a union.
    #[default]
    Lines,
    Files,
    Count,
}

/// What was found; the lines themselves are in the text.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Facts {
    /// Where the matches are, in path order; empty for `files` and `count`.
    pub matches: Vec<Match>,
    /// The matching files and how often they match; empty for `lines`.
    pub files: Vec<FileCount>,
    /// Files with a match, as far as was searched.
    pub files_matched: u64,
    /// Matches seen, as far as was searched.
    pub matches_seen: u64,
    /// Everything was searched, and everything found is shown or was passed over by `offset`.
    pub complete: bool,
    /// Files that were not searched, or not to their end.
    pub skipped: Skipped,
}

/// Where a match is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Match {
    /// The file.
    pub path: String,
    /// Its line, from 1.
    pub line: u64,
    /// The byte in that line, from 1.
    pub col: u64,
}

/// A matching file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileCount {
    /// The file.
    pub path: String,
    /// Matching lines; 1 for `files`, which stops at the first.
    pub count: u64,
}

/// Files that were not searched, or not to their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Skipped {
    /// Binary: searched up to the first NUL.
    pub binary: u64,
    /// Too large.
    pub too_large: u64,
    /// Could not be read.
    pub unreadable: u64,
    /// Blocked by the configuration; folders count once.
    pub blocked: u64,
    /// Hidden or left out by ignore rules; folders count once.
    pub ignored: u64,
}

/// A search that can start.
#[derive(Debug)]
pub struct Work {
    params: Params,
    pattern: Pattern,
    matcher: grep_regex::RegexMatcher,
    globs: Option<Globs>,
    start: RelPath,
    is_file: bool,
    /// What was cut from an earlier answer, searched instead of a file.
    kept: Option<Arc<str>>,
}

impl Tool for SearchGrep {
    type Params = Params;
    type Output = Facts;
    type Work = Work;

    const SPEC: ToolSpec = ToolSpec {
        name: "search_grep",
        title: "Search file contents",
        description: "Searches file contents by regular expression, like ripgrep: honours .gitignore, skips hidden and binary \
                      files (name a hidden folder in `path` to search it). Results are in path order, grouped by file. \
                      Few matches come with context. Page with `limit` and `offset`.",
        profile: Profile::Read,
        tier: Tier::Auto,
        annotations: READS,
    };

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        check_ranges(&params)?;
        let pattern = Pattern {
            text: params.pattern.clone(),
            literal: params.literal,
            case: params.case,
            word: params.word,
            multiline: params.multiline,
        };
        let matcher = pattern.matcher()?;
        let kept = call.handles.find(&params.path).transpose()?;
        let (start, is_file) = match kept {
            Some(_) => (RelPath::root().join(&params.path), true),
            None => super::start(call, &params.path)?,
        };
        let folder = if is_file { start.parent().unwrap_or_default() } else { start.clone() };
        let globs = match params.glob.as_str() {
            "" => None,
            glob => Some(Globs::new(glob, &folder, false)?),
        };
        let summary = format!("search `{}` in {start}", crate::text::visible(&params.pattern));
        Ok(Prepared {
            intent: Intent::read(summary),
            work: Work { params, pattern, matcher, globs, start, is_file, kept },
        })
    }

    fn run(&self, _permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        let stop = Stop::new(&call.cancel);
        let (mut found, counts) = work.search(call, work.params.context as usize, &stop)?;
        call.check_cancelled()?;
        if work.is_worth_context(&found) {
            let again = Stop::new(&call.cancel);
            if let Ok(with_context) = work.with_context(call, &found, &again) {
                found.files = with_context;
            }
        }
        Ok(work.answer(found, counts, stop.is_late()))
    }
}

fn check_ranges(params: &Params) -> Result<(), ToolError> {
    let refused = |what: &str, hint: &str| {
        Err(ToolError::new(Code::InvalidArgs, format!("search_grep: {what}"), hint.to_owned()))
    };
    if params.limit == 0 || params.limit > LIMIT_MAX {
        return refused("`limit` must be between 1 and 100000", "leave it out for 100");
    }
    if params.context > CONTEXT_MAX {
        return refused("`context` must be between 0 and 10", "fs_read shows more of a file");
    }
    if params.offset > 1_000_000 {
        return refused("`offset` must be between 0 and 1000000", "narrow the search with `path` or `glob`");
    }
    Ok(())
}

impl Work {
    fn wanted(&self) -> (Wanted, usize) {
        // One more than is shown tells whether there are more.
        let enough = self.params.offset as usize + self.params.limit as usize + 1;
        let wanted = match self.params.output {
            Output::Lines => Wanted::Lines(enough),
            Output::Files => Wanted::Presence,
            Output::Count => Wanted::Count,
        };
        (wanted, enough)
    }

    fn job<'a>(&'a self, call: &'a Call, context: usize) -> Job<'a> {
        let (wanted, enough) = self.wanted();
        let root = call.workspace.handle();
        let kept = self.kept.as_deref();
        Job { root, pattern: &self.pattern, matcher: &self.matcher, wanted, context, kept, enough }
    }

    fn search(&self, call: &Call, context: usize, stop: &Stop) -> Result<(Found, WalkCounts), ToolError> {
        let context = if self.params.output == Output::Lines { context } else { 0 };
        let job = self.job(call, context);
        if self.is_file {
            return Ok((job.search_one(self.start.clone(), stop), WalkCounts::default()));
        }
        let wanted = |path: &std::path::Path, kind: WalkKind| {
            kind == WalkKind::File && self.globs.as_ref().is_none_or(|globs| globs.lets_through(path, false))
        };
        let options = WalkOptions {
            hidden: self.globs.as_ref().is_some_and(Globs::names_hidden),
            ignored: self.params.include_ignored,
            max_depth: usize::MAX,
        };
        let until = || stop.is_due();
        let walk = super::walk(call, &self.start, options)?.only(&wanted).until(&until);
        Ok(walk.with_helpers(|walk| (job.search(walk, stop), walk.counts())))
    }

    fn is_worth_context(&self, found: &Found) -> bool {
        self.params.output == Output::Lines
            && self.params.context == 0
            && self.params.offset == 0
            && found.complete
            && (1..=FEW).contains(&found.matches)
            && found.matches <= u64::from(self.params.limit)
    }

    /// The few files with a match, searched again with context.
    fn with_context(
        &self,
        call: &Call,
        found: &Found,
        stop: &Stop,
    ) -> Result<Vec<(RelPath, super::hits::FileHits)>, ToolError> {
        let job = self.job(call, CONTEXT_OF_FEW);
        let mut files = Vec::new();
        for (path, _) in &found.files {
            files.extend(job.search_one(path.clone(), stop).files);
        }
        call.check_cancelled()?;
        let matches: u64 = files.iter().map(|(_, hits)| hits.matches).sum();
        // A file that changed in between keeps what was found first.
        if matches == found.matches { Ok(files) } else { Err(ToolError::internal("the files changed")) }
    }

    fn answer(&self, mut found: Found, counts: WalkCounts, late: bool) -> Reply<Facts> {
        let context = if self.params.context > 0 { self.params.context as usize } else { CONTEXT_OF_FEW };
        let (offset, limit) = (self.params.offset as usize, self.params.limit as usize);
        let files_matched = found.files.len() as u64;
        let shown = if self.params.output == Output::Lines {
            cut_lines(&mut found, offset, limit, context as u64)
        } else {
            let kept: Vec<_> = found.files.drain(..).skip(offset).take(limit).collect();
            found.files = kept;
            found.files.len()
        };
        let facts = Facts {
            matches: if self.params.output == Output::Lines { render::places(&found) } else { Vec::new() },
            files: if self.params.output == Output::Lines { Vec::new() } else { render::counts(&found) },
            files_matched,
            matches_seen: found.matches,
            complete: found.complete,
            skipped: Skipped {
                binary: found.skipped.binary,
                too_large: found.skipped.too_large,
                unreadable: found.skipped.unreadable + counts.unreadable,
                blocked: counts.blocked,
                ignored: counts.ignored,
            },
        };
        let mut warnings = Vec::new();
        if late {
            let last = found.last.as_ref().map(|path| format!(" after {path}")).unwrap_or_default();
            warnings
                .push(format!("stopped by the time limit{last}; narrow the search with `path` or `glob`"));
        }
        let more = !found.complete && !late;
        let text = render::text(&found, &facts, self.params.output, shown, offset, more);
        let mut reply = Reply::new(text, facts);
        reply.warnings = warnings;
        if more {
            reply.truncated = Some(self.truncated(shown, found.matches, files_matched));
        }
        reply
    }

    fn truncated(&self, shown: usize, matches: u64, files: u64) -> Truncated {
        let (total, unit) = match self.params.output {
            Output::Lines => (matches, "matches"),
            Output::Files | Output::Count => (files, "files"),
        };
        let params = &self.params;
        let args = serde_json::json!({
            "pattern": params.pattern, "path": params.path, "glob": params.glob, "literal": params.literal,
            "case": params.case, "word": params.word, "multiline": params.multiline, "context": params.context,
            "output": params.output, "include_ignored": params.include_ignored, "limit": params.limit,
            "offset": params.offset as usize + shown,
        });
        let next = NextCall { tool: SearchGrep::SPEC.name.to_owned(), args };
        Truncated { shown: shown as u64, total, unit: unit.to_owned(), next: Some(next) }
    }
}

/// Keeps the matches from `offset` to `offset + limit`, with the context that belongs to them; returns how many they are.
fn cut_lines(found: &mut Found, offset: usize, limit: usize, context: u64) -> usize {
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
