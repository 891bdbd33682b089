//! `search_glob`: paths that match a glob.
//!
//! The model gets names only, in path order or the newest first. It never gets a blocked name; what ignore rules hide is left out
//! unless asked for, and counted when nothing else matches.

use std::{fmt::Write as _, path::Path, time::SystemTime};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    beyond::{self, Beyond},
    globs::Globs,
    stop::Stop,
};
use crate::{
    config::Profile,
    limits::LISTING_BYTES,
    policy::{Intent, Permit},
    relpath::RelPath,
    text::counted,
    tier::Tier,
    tools::{Call, Code, NextCall, Prepared, READS, Reply, Tool, ToolError, ToolSpec, Truncated},
    workspace::walk::{LeftOut, WalkCounts, WalkKind, WalkOptions},
};

/// The most a caller may ask for.
const LIMIT_MAX: u32 = 100_000;

/// `search_glob`.
#[derive(Clone, Copy, Debug)]
pub struct SearchGlob;

/// What to look for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// `*.rs` (any depth), `src/**/*.{ts,tsx}`. Case counts only if it has upper-case letters.
    pub pattern: String,
    /// Folder.
    #[serde(default = "root")]
    pub path: String,
    /// any: links and others too.
    #[serde(default, rename = "type")]
    pub kind: Kind,
    /// Also what .gitignore leaves out.
    #[serde(default)]
    pub include_ignored: bool,
    /// recent: newest first.
    #[serde(default)]
    pub sort: Sort,
    /// Paths.
    #[serde(default = "two_hundred")]
    #[schemars(range(min = 1, max = 100_000))]
    pub limit: u32,
}

fn root() -> String {
    ".".to_owned()
}

fn two_hundred() -> u32 {
    200
}

/// What is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    // No doc comments on the variants: the schema would become a union.
    #[default]
    File,
    Dir,
    Any,
}

/// In which order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    // No doc comments on the variants: the schema would become a union.
    #[default]
    Path,
    Recent,
}

/// What was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Facts {
    /// The paths, relative to the workspace.
    pub paths: Vec<String>,
    /// Matching paths seen.
    pub total_seen: u64,
    /// Everything was looked at, and everything found is shown.
    pub complete: bool,
    /// Matches that are ignored or hidden; counted when there are no others, as far as was looked.
    pub ignored_matches: u64,
    /// Entries the configuration blocks; folders count once.
    pub blocked: u64,
    /// Folders that could not be read.
    pub unreadable: u64,
}

/// A search that can start.
#[derive(Debug)]
pub struct Work {
    params: Params,
    globs: Globs,
    start: RelPath,
}

#[derive(Default)]
struct Found {
    /// Those that are shown.
    paths: Vec<RelPath>,
    total: u64,
    counts: WalkCounts,
    left_out: Vec<LeftOut>,
    complete: bool,
}

impl Tool for SearchGlob {
    type Params = Params;
    type Output = Facts;
    type Work = Work;

    const HOLDS_ENTRIES: bool = true;
    const SPEC: ToolSpec = ToolSpec {
        name: "search_glob",
        title: "Find files by name",
        description: "Finds files or folders by a glob. Honours .gitignore; skips hidden names unless the pattern \
            names them.",
        profile: Profile::Read,
        tier: Tier::Auto,
        annotations: READS,
    };

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        if params.limit == 0 || params.limit > LIMIT_MAX {
            return Err(ToolError::new(
                Code::InvalidArgs,
                "search_glob: `limit` must be between 1 and 100000",
                "leave it out for 200",
            ));
        }
        let (start, is_file) = super::start(call, &params.path)?;
        if is_file {
            return Err(ToolError::new(
                Code::WrongType,
                format!("`{start}` is a file, not a folder"),
                "give the folder to look in; fs_list shows facts about one file",
            ));
        }
        let ignore_case = !params.pattern.chars().any(char::is_uppercase);
        let globs = Globs::new(&params.pattern, &start, ignore_case)?;
        let summary = format!("find `{}` in {start}", crate::text::visible(&params.pattern));
        Ok(Prepared { intent: Intent::read(summary), work: Work { params, globs, start } })
    }

    fn run(&self, _permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        let stop = Stop::new(&call.cancel);
        let found = work.find(call, &stop)?;
        call.check_cancelled()?;
        let total_seen = found.total;
        let beyond =
            if total_seen == 0 { work.find_beyond(call, &found.left_out) } else { Beyond::default() };
        call.check_cancelled()?;
        Ok(work.answer(&found, total_seen, &beyond, call))
    }
}

impl Work {
    fn find(&self, call: &Call, stop: &Stop) -> Result<Found, ToolError> {
        let wanted = self.wanted();
        let options = WalkOptions {
            hidden: self.globs.names_hidden(),
            ignored: self.params.include_ignored,
            max_depth: usize::MAX,
        };
        let until = || stop.is_due();
        let walk = super::walk(call, &self.start, options)?.only(&wanted).until(&until);
        Ok(walk.with_helpers(|walk| {
            let mut kept = Kept::new(&self.params, call);
            for entry in walk.by_ref() {
                kept.put(entry.path);
            }
            let left_out = walk.left_out().to_vec();
            let (counts, complete) = (walk.counts(), !stop.is_due());
            Found { total: kept.total, paths: kept.paths(), left_out, counts, complete }
        }))
    }

    fn wanted(&self) -> impl Fn(&Path, WalkKind) -> bool + Sync {
        |path: &Path, kind| {
            let right_kind = match self.params.kind {
                Kind::File => kind == WalkKind::File,
                Kind::Dir => kind == WalkKind::Dir,
                Kind::Any => true,
            };
            right_kind && self.globs.lets_through(path, kind == WalkKind::Dir)
        }
    }

    /// Nothing matches: would anything that was left out?
    fn find_beyond(&self, call: &Call, left_out: &[LeftOut]) -> Beyond {
        let stop = beyond::stop(call);
        let found = beyond::entries(call, left_out, &self.wanted(), &stop);
        Beyond::of(&self.start, found.into_iter().map(|entry| entry.path))
    }

    fn answer(&self, found: &Found, total_seen: u64, beyond: &Beyond, call: &Call) -> Reply<Facts> {
        let shown = found.paths.len() as u64;
        let facts = Facts {
            paths: found.paths.iter().map(RelPath::to_text).collect(),
            total_seen,
            complete: found.complete && shown == total_seen && found.counts.unreadable == 0,
            ignored_matches: beyond.count,
            blocked: found.counts.blocked,
            unreadable: found.counts.unreadable,
        };
        let mut text = String::new();
        for path in &found.paths {
            let _ = writeln!(text, "{path}");
        }
        let body = text.len();
        let _ = match (shown, total_seen) {
            (0, _) if beyond.count > 0 => write!(text, "no matches; {}", beyond.sentence()),
            (0, _) => write!(text, "no matches{}", self.meant(call)),
            (shown, total) if shown < total => {
                let way = match self.next_limit(shown, total) {
                    Some(limit) => format!("call again with limit={limit}"),
                    None => "narrow `pattern` or `path` to see others".to_owned(),
                };
                write!(text, "{shown} of {} shown: {way}", counted(total, "path"))
            }
            (_, total) => write!(text, "{}", counted(total, "path")),
        };
        if found.counts.blocked > 0 {
            let _ = write!(text, "\n{} blocked by the configuration", found.counts.blocked);
        }
        if found.counts.unreadable > 0 {
            let _ = write!(text, "\n{} could not be read", counted(found.counts.unreadable, "folder"));
        }
        let end = text.len() - body;
        let mut reply = Reply::new(text, facts);
        if !found.complete {
            reply.warnings.push("stopped by the time limit; narrow the search with `path`".to_owned());
        }
        reply.warnings.extend(found.counts.warning());
        if shown < total_seen {
            reply.truncated = Some(self.truncated(shown, total_seen));
        }
        reply.cut_text(call, end);
        reply
    }

    /// What the pattern may have meant, where nothing matches it.
    fn meant(&self, call: &Call) -> &'static str {
        let pattern = self.params.pattern.as_str();
        if pattern.starts_with("..") || Path::new(pattern).is_absolute() && pattern.matches('/').count() > 1 {
            return "; a pattern is relative to `path`, and stays in the workspace";
        }
        let named = call.workspace.resolve(&self.start.join(pattern).to_text());
        match named {
            Ok(named) if named.is_folder() && self.params.kind == Kind::File => {
                "; there is a folder of that name: set `type` to dir, or give it as `path`"
            }
            Ok(named) if named.exists() && pattern.contains(['[', ']', '{', '}', '*', '?']) => {
                "; there is a file of just that name: put `\\` in front of `[`, `{`, `*` and `?` to mean it"
            }
            _ => "",
        }
    }

    fn truncated(&self, shown: u64, total: u64) -> Truncated {
        let params = &self.params;
        let next = self.next_limit(shown, total).map(|limit| NextCall {
            tool: SearchGlob::SPEC.name.to_owned(),
            args: serde_json::json!({
                "pattern": params.pattern, "path": params.path, "type": params.kind,
                "include_ignored": params.include_ignored, "sort": params.sort, "limit": limit,
            }),
        });
        Truncated { shown, total, unit: "entries".to_owned(), next }
    }

    /// The limit that shows more, where one does.
    fn next_limit(&self, shown: u64, total: u64) -> Option<u64> {
        let limit = self.params.limit;
        (limit < LIMIT_MAX && shown == u64::from(limit)).then(|| total.min(u64::from(LIMIT_MAX)))
    }
}

/// The paths that an answer shows, of however many there are.
struct Kept<'a> {
    call: &'a Call,
    limit: usize,
    sort: Sort,
    /// With the times that count, in the order of the walk or of an answer.
    paths: Vec<(SystemTime, RelPath)>,
    bytes: usize,
    total: u64,
}

impl<'a> Kept<'a> {
    fn new(params: &Params, call: &'a Call) -> Self {
        Self { call, limit: params.limit as usize, sort: params.sort, paths: Vec::new(), bytes: 0, total: 0 }
    }

    fn put(&mut self, path: RelPath) {
        self.total += 1;
        let is_full = self.paths.len() >= self.limit || self.bytes > LISTING_BYTES;
        if self.sort == Sort::Path && is_full {
            return;
        }
        let time = match self.sort {
            Sort::Path => SystemTime::UNIX_EPOCH,
            Sort::Recent => modified(self.call, &path),
        };
        self.bytes += bytes(&path);
        self.paths.push((time, path));
        // Sorted seldom: what is kept meanwhile is at most twice what is shown.
        if self.paths.len() > 2 * self.limit.max(1000) || self.bytes > 2 * LISTING_BYTES {
            self.shorten();
        }
    }

    /// Keeps the newest, equal times in path order.
    fn shorten(&mut self) {
        if self.sort == Sort::Recent {
            self.paths.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
        }
        self.bytes = 0;
        let mut fitting = 0;
        for (_, path) in self.paths.iter().take(self.limit) {
            if self.bytes > LISTING_BYTES {
                break;
            }
            self.bytes += bytes(path);
            fitting += 1;
        }
        self.paths.truncate(fitting);
    }

    fn paths(mut self) -> Vec<RelPath> {
        self.shorten();
        self.paths.into_iter().map(|(_, path)| path).collect()
    }
}

fn bytes(path: &RelPath) -> usize {
    path.as_path().as_os_str().len()
}

fn modified(call: &Call, path: &RelPath) -> SystemTime {
    let modified =
        call.workspace.handle().symlink_metadata(path.as_path()).and_then(|metadata| metadata.modified());
    modified.map_or(SystemTime::UNIX_EPOCH, cap_std::time::SystemTime::into_std)
}
