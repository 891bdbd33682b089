//! `search_grep`: lines that match a pattern, grouped by file.
//!
//! The model gets exactly the matches it asked for, with a window of long lines and a note on everything that was left out. Where
//! there are more, those in shallow folders come first: they are found without looking at all of a large tree, and the same call
//! gives the same ones again. What is shown is in path order. It can never see a blocked or ignored file by way of a match, nor anything outside the workspace.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    answer::Answer,
    beyond::{self, Beyond},
    facts::{Facts, Output},
    gathering::Found,
    globs::Globs,
    hits::{FileHits, Wanted},
    pattern::{Case, Pattern},
    room::{PAGE_BYTES, Room},
    scan::Job,
    stop::Stop,
};
use crate::{
    config::Profile,
    limits,
    policy::{Intent, Permit},
    relpath::RelPath,
    tier::Tier,
    tools::{Call, Code, Prepared, READS, Reply, Tool, ToolError, ToolSpec, secret_looking},
    workspace::walk::{LeftOut, WalkCounts, WalkKind, WalkOptions},
};

/// Context given without being asked for, when there are so few matches that the next call would be to read around them.
const CONTEXT_OF_FEW: usize = 8;
/// How many matches are few.
const FEW: u64 = 3;
/// The most a caller may ask for, and skip.
const LIMIT_MAX: u32 = 100_000;
/// The furthest that pages go.
pub(super) const OFFSET_MAX: u32 = 1_000_000;
/// Lines of context a caller may ask for.
const CONTEXT_MAX: u32 = 10;

/// `search_grep`.
#[derive(Clone, Copy, Debug)]
pub struct SearchGrep;

/// What to search for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Rust regex (no look-around, no backreferences).
    pub pattern: String,
    /// Folder or file.
    #[serde(default = "root")]
    pub path: String,
    /// Only these files; `!*.min.js`: all others.
    #[serde(default)]
    pub glob: String,
    /// The pattern is plain text.
    #[serde(default)]
    pub literal: bool,
    /// smart: case counts only with an upper-case letter.
    #[serde(default)]
    pub case: Case,
    /// Only whole words.
    #[serde(default)]
    pub word: bool,
    /// Match across lines.
    #[serde(default)]
    pub multiline: bool,
    /// Lines around each match.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10))]
    pub context: u32,
    /// files: paths only; count: matching lines per file.
    #[serde(default)]
    pub output: Output,
    /// Also what .gitignore leaves out.
    #[serde(default)]
    pub include_ignored: bool,
    /// Matches (or files).
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 100_000))]
    pub limit: u32,
    /// To skip.
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

    const HOLDS_ENTRIES: bool = true;
    const SPEC: ToolSpec = ToolSpec {
        name: "search_grep",
        title: "Search file contents",
        description: "Searches file contents by regular expression, as ripgrep does: honours .gitignore, skips \
            binary and hidden files (name a hidden folder in `path`). Few matches come with context.",
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
        let kept = call.handles.find(&params.path).transpose()?.map(|kept| kept.text);
        let (start, is_file) = match kept {
            Some(_) => (RelPath::root().join(&params.path), true),
            None => super::start(call, &params.path)?,
        };
        let folder = if is_file { start.parent().unwrap_or_default() } else { start.clone() };
        let globs = match params.glob.as_str() {
            "" => None,
            glob => Some(Globs::new(glob, &folder, false)?),
        };
        let mut intent =
            Intent::read(format!("search `{}` in {start}", crate::text::visible(&params.pattern)));
        if is_file && kept.is_none() {
            intent.raises.extend(secret_looking(call, &start));
        }
        Ok(Prepared { intent, work: Work { params, pattern, matcher, globs, start, is_file, kept } })
    }

    fn run(&self, _permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        let stop = Stop::new(&call.cancel);
        let Searched { mut found, counts, left_out, secret_looking } = work.search(call, &stop)?;
        call.check_cancelled()?;
        if work.is_file {
            work.check_searched(&found, call)?;
        }
        if found.files.iter().any(|(_, hits)| hits.unkept) {
            work.job(call, work.context()).fill(&mut found, &Stop::new(&call.cancel));
            call.check_cancelled()?;
        }
        if work.is_worth_context(&found)
            && let Some(files) = work.with_context(call, &found)
        {
            found.files = files;
        }
        let beyond = if found.matches == 0 && found.complete {
            work.search_beyond(call, &left_out)
        } else {
            Beyond::default()
        };
        call.check_cancelled()?;
        let context = if work.params.context > 0 { work.params.context as usize } else { CONTEXT_OF_FEW };
        Ok(Answer { call, params: &work.params, context, counts, secret_looking, beyond }.reply(found))
    }
}

/// What a search of a folder gives.
struct Searched {
    found: Found,
    counts: WalkCounts,
    left_out: Vec<LeftOut>,
    secret_looking: u64,
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
    if params.offset > OFFSET_MAX {
        return refused("`offset` must be between 0 and 1000000", "narrow the search with `path` or `glob`");
    }
    Ok(())
}

/// Files that are named as if they held secrets, and were not searched.
#[derive(Debug, Default)]
struct PassedOver {
    secret_looking: AtomicU64,
    blocked: AtomicU64,
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
        let (pattern, matcher, is_plain) = (&self.pattern, &self.matcher, self.pattern.is_plain());
        // A file that was named is read line by line to its end, however large it is.
        let largest = if self.is_file && !self.params.multiline { u64::MAX } else { limits::SCAN_BYTES };
        let offset = self.params.offset as usize;
        // Where the answer begins in a file is known only of the first one.
        let most_bytes = if offset == 0 || self.is_file { PAGE_BYTES } else { usize::MAX };
        let skip = if self.is_file { offset } else { 0 };
        Job {
            root,
            pattern,
            matcher,
            is_plain,
            wanted,
            context,
            kept,
            largest,
            offset,
            enough,
            skip,
            most_bytes,
            page_bytes: PAGE_BYTES,
            room: Room::of_page(PAGE_BYTES),
        }
    }

    fn context(&self) -> usize {
        if self.params.output == Output::Lines { self.params.context as usize } else { 0 }
    }

    fn search(&self, call: &Call, stop: &Stop) -> Result<Searched, ToolError> {
        let job = self.job(call, self.context());
        if self.is_file {
            let found = job.search_one(self.start.clone(), stop);
            let counts = WalkCounts::default();
            return Ok(Searched { found, counts, left_out: Vec::new(), secret_looking: 0 });
        }
        let passed_over = PassedOver::default();
        let wanted = self.wanted_files(call, &passed_over);
        let options = WalkOptions {
            hidden: self.globs.as_ref().is_some_and(Globs::names_hidden),
            ignored: self.params.include_ignored,
            max_depth: usize::MAX,
        };
        let until = || stop.is_due();
        let walk = super::walk(call, &self.start, options)?.shallow_first().only(&wanted).until(&until);
        Ok(walk.with_helpers(|walk| {
            let mut files =
                walk.by_ref().filter(|entry| entry.kind == WalkKind::File).map(|entry| entry.path);
            let found = job.search(&mut files, stop);
            let secret_looking = passed_over.secret_looking.load(Ordering::Relaxed);
            let mut counts = walk.counts();
            counts.blocked += passed_over.blocked.load(Ordering::Relaxed);
            Searched { found, counts, left_out: walk.left_out().to_vec(), secret_looking }
        }))
    }

    /// Files that are searched on the way: none that is named as if it held a secret. Those are counted, with a match or without.
    fn wanted_files(&self, call: &Call, passed_over: &PassedOver) -> impl Fn(&Path, WalkKind) -> bool + Sync {
        |path: &Path, kind| {
            let wanted = kind == WalkKind::File
                && self.globs.as_ref().is_none_or(|globs| globs.lets_through(path, false));
            let rules = call.workspace.rules();
            let secret = wanted && rules.is_secret_name(path);
            if secret {
                let slashed = RelPath::listed_unchecked(path).to_slashed();
                // No question opens what is blocked.
                let blocked = rules.is_blocked_in_open_folder(&slashed);
                let count = if blocked { &passed_over.blocked } else { &passed_over.secret_looking };
                count.fetch_add(1, Ordering::Relaxed);
            }
            wanted && !secret
        }
    }

    /// Nothing matches: would anything that was left out?
    fn search_beyond(&self, call: &Call, left_out: &[LeftOut]) -> Beyond {
        let stop = beyond::stop(call);
        let files = beyond::entries(call, left_out, &self.wanted_files(call, &PassedOver::default()), &stop);
        let mut job = self.job(call, 0);
        (job.wanted, job.offset, job.enough) = (Wanted::Presence, 0, beyond::ENOUGH);
        let found = job.search(&mut files.into_iter().map(|entry| entry.path), &stop);
        Beyond::of(&self.start, found.files.into_iter().map(|(path, _)| path))
    }

    /// Of a file that was named it is an error that it was not searched.
    fn check_searched(&self, found: &Found, call: &Call) -> Result<(), ToolError> {
        if found.skipped.unreadable > 0 {
            call.workspace.open_file_with_stat(&call.workspace.resolve(&self.params.path)?)?;
        }
        if found.skipped.too_large == 0 {
            return Ok(());
        }
        let (what, hint) = if self.params.multiline {
            let hint = "without `multiline` it is searched line by line; fs_read shows a part of it";
            ("is too large to be searched this way", hint)
        } else {
            let hint = "a command can search it; fs_read shows its lines, and the beginning of that one";
            ("has a line of more than 64 MiB, which is too large to be searched", hint)
        };
        Err(ToolError::new(Code::TooLarge, format!("`{}` {what}", self.start), hint))
    }

    fn is_worth_context(&self, found: &Found) -> bool {
        self.params.output == Output::Lines
            && self.params.context == 0
            && self.params.offset == 0
            && found.complete
            && (1..=FEW).contains(&found.matches)
            && found.matches <= u64::from(self.params.limit)
    }

    /// The few files with a match, searched again with context; `None` when they have changed meanwhile.
    fn with_context(&self, call: &Call, found: &Found) -> Option<Vec<(RelPath, FileHits)>> {
        let (job, stop) = (self.job(call, CONTEXT_OF_FEW), Stop::new(&call.cancel));
        let files = found.files.iter().flat_map(|(path, _)| job.search_one(path.clone(), &stop).files);
        let files: Vec<_> = files.collect();
        let matches: u64 = files.iter().map(|(_, hits)| hits.matches).sum();
        (matches == found.matches).then_some(files)
    }
}
