//! `fs_list`: what is in a folder and below; for a file, what it is. Never shows a blocked name, never follows a link; what is left
//! out is counted.

mod file;

use std::{fmt::Write as _, path::Path};

use globset::{GlobBuilder, GlobMatcher};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    nearest::{Nearest, Page},
    read::{missing, time},
    tree::{self, Line},
};
use crate::{
    config::Profile,
    limits::{LIST_DEPTH_MAX, LIST_ENTRIES, LIST_ENTRIES_MAX, LISTING_BYTES, TEXT_BYTES},
    line_ends::LineEnds,
    policy::{Intent, Permit},
    relpath::RelPath,
    text::{counted, from_os, visible},
    tier::Tier,
    tools::{
        Call, Code, NextCall, Prepared, READS, Reply, Tool, ToolError, ToolSpec, Truncated,
        handles::check_no_handle,
    },
    workspace::{
        DoorError, WorkspacePath,
        walk::{Walk, WalkCounts, WalkKind, WalkOptions},
    },
};

/// What is listed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Folder or file.
    #[serde(default = "here")]
    path: String,
    /// Levels; 1, or as many as `glob` has.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10))]
    depth: Option<u32>,
    /// Only what matches, e.g. `src/**/*.ts`.
    #[serde(default)]
    glob: String,
    /// Also dot files.
    #[serde(default = "yes")]
    include_hidden: bool,
    /// Also what .gitignore leaves out.
    #[serde(default)]
    include_ignored: bool,
    /// With sizes and times.
    #[serde(default)]
    detail: bool,
    /// Entries.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100_000))]
    limit: u32,
    /// Go on behind this entry, from an earlier answer.
    #[serde(default)]
    cursor: String,
}

fn here() -> String {
    ".".to_owned()
}

fn yes() -> bool {
    true
}

fn limit() -> u32 {
    LIST_ENTRIES
}

/// The entries, or the facts about a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Relative to the workspace, resolved.
    path: String,
    /// Level by level, then by name.
    entries: Vec<Entry>,
    /// Left out by ignore rules, or hidden, `.git` among it; a folder counts once.
    ignored_count: u64,
    /// Left out by the configuration.
    blocked_count: u64,
    /// Folders that could not be read.
    unreadable_count: u64,
    /// Where the next call goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// For a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<FileFacts>,
}

/// One entry.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Entry {
    /// Relative to the workspace; bytes that are no text are written `\xNN`.
    path: String,
    /// file, dir, link, or other.
    #[serde(rename = "type")]
    kind: String,
    /// Bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// When it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    mtime: Option<String>,
    /// Where a link leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<LinkFacts>,
}

/// Where a link leads.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkFacts {
    /// Its text; left out where that tells what is blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// It stays in the workspace; only then it can be read.
    inside: bool,
}

/// The facts about a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileFacts {
    /// file, fifo, socket, device.
    #[serde(rename = "type")]
    kind: String,
    /// Bytes.
    size: u64,
    /// When it changed.
    mtime: String,
    /// Permission bits, octal.
    mode: String,
    /// Of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    /// Of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    eol: Option<LineEnds>,
    /// Of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<u32>,
}

/// A resolved listing.
#[derive(Debug)]
pub struct Work {
    params: Params,
    path: WorkspacePath,
    glob: Option<Glob>,
    depth: u32,
}

/// Which entries are wanted.
#[derive(Debug)]
struct Glob {
    matcher: GlobMatcher,
    /// Without a `/` it is about names, at any depth.
    is_name: bool,
    /// `!` in front: all others are wanted.
    excludes: bool,
    /// A `/` at the end: it is about folders.
    is_of_folders: bool,
}

impl Glob {
    fn new(text: &str) -> Result<Self, globset::Error> {
        let (text, excludes) = text.strip_prefix('!').map_or((text, false), |rest| (rest, true));
        let written = text.trim_end_matches('/');
        let matcher = GlobBuilder::new(from_here(written)).literal_separator(true).build()?.compile_matcher();
        Ok(Self { matcher, is_name: !written.contains('/'), excludes, is_of_folders: written != text })
    }

    /// `path` is relative to the workspace; what is listed begins behind `start` of its names. It may be written from either. What lies in
    /// a folder that is left out is left out too.
    fn wants(&self, path: &Path, is_folder: bool, start: &Path) -> bool {
        let below = path.strip_prefix(start).unwrap_or(path);
        let matches = |path: &Path, is_folder: bool| {
            let is_named = |name| self.is_name && self.matcher.is_match(name);
            (is_folder || !self.is_of_folders)
                && (self.matcher.is_match(path) || path.file_name().is_some_and(is_named))
        };
        let is_root = start.as_os_str().is_empty();
        if self.excludes {
            let any_matches = |(up, above): (usize, &Path)| matches(above, is_folder || up > 0);
            !below.ancestors().enumerate().any(any_matches)
                && (is_root
                    || !path.ancestors().take_while(|above| *above != start).enumerate().any(any_matches))
        } else {
            matches(below, is_folder) || (!is_root && matches(path, is_folder))
        }
    }
}

/// The tool.
#[derive(Debug)]
pub struct FsList;

impl Tool for FsList {
    type Params = Params;
    type Output = Output;
    type Work = Work;
    const HOLDS_ENTRIES: bool = true;
    const SPEC: ToolSpec = ToolSpec {
        name: "fs_list",
        title: "List a folder",
        description: "Lists a folder as a tree, nearest levels first; folders end with /. What .gitignore leaves out \
            is only counted. Of a file: size, lines, encoding, etag.",
        profile: Profile::Read,
        tier: Tier::Auto,
        annotations: READS,
    };

    fn prepare(&self, mut params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        if params.path.is_empty() {
            params.path = here();
        }
        let invalid = |message: String, hint: &str| ToolError::new(Code::InvalidArgs, message, hint);
        if let Some(depth) = params.depth.filter(|depth| !(1..=LIST_DEPTH_MAX).contains(depth)) {
            return Err(invalid(format!("`depth` is {depth}; it may be 1 to 10"), "list a subfolder"));
        }
        if params.limit == 0 || params.limit > LIST_ENTRIES_MAX {
            return Err(invalid(format!("`limit` is {}; it may be 1 to 100000", params.limit), "use cursor"));
        }
        if !params.glob.is_empty() && from_here(params.glob.trim_start_matches('!')).is_empty() {
            return Err(invalid(
                "`glob` cannot be used: it is empty".to_owned(),
                "e.g. `*.rs` or `!*.min.js`",
            ));
        }
        let glob =
            (!params.glob.is_empty()).then(|| Glob::new(&params.glob)).transpose().map_err(|error| {
                invalid(format!("`glob` cannot be used: {error}"), "e.g. `*.rs` or `src/**/*.ts`")
            })?;
        let depth = params.depth.unwrap_or_else(|| levels(&params.glob));
        let path = call.workspace.resolve(&params.path)?;
        if !path.exists() {
            check_no_handle(&params.path)?;
            missing(&params.path, call)?;
        }
        let intent = Intent::read(format!("List {}", path.resolved()));
        Ok(Prepared { intent, work: Work { params, path, glob, depth } })
    }

    fn run(&self, _permit: &Permit, work: Work, call: &Call) -> Result<Reply<Output>, ToolError> {
        if work.path.is_folder() {
            return folder(&work, call);
        }
        file::of(&work.path, call)
    }
}

/// How deep a glob looks by itself; what it leaves out is left out at any depth.
fn levels(glob: &str) -> u32 {
    if glob.starts_with('!') {
        return 1;
    }
    let plain = from_here(glob.trim_end_matches('/'));
    let levels = u32::try_from(plain.split('/').count()).unwrap_or(u32::MAX);
    if plain.contains("**") { LIST_DEPTH_MAX } else { levels.min(LIST_DEPTH_MAX) }
}

/// A glob without what says in front that it begins here.
fn from_here(glob: &str) -> &str {
    glob.trim_start_matches("./").trim_start_matches('/')
}

fn folder(work: &Work, call: &Call) -> Result<Reply<Output>, ToolError> {
    let (params, start) = (&work.params, work.path.resolved());
    let (Page { entries: found, is_cut: mut cut, total }, counts) = walk(work, call)?;
    let (mut entries, mut lines) = (Vec::with_capacity(found.len()), Vec::with_capacity(found.len()));
    let mut targets = 0;
    for (path, kind) in found {
        call.check_cancelled()?;
        if targets > LISTING_BYTES {
            cut = true;
            break;
        }
        let entry = describe(&path, kind, params.detail, call);
        lines.push(Line { path, suffix: suffix(&entry) });
        entries.push(entry);
        targets += entries.last().map_or(0, target_bytes);
    }
    let mut tree = tree::render(start, &lines);
    // Where there is a next page, it begins with what this text has no room for: who reads the text alone misses nothing.
    if cut && tree.text.len() > TEXT_BYTES {
        let fitting = tree.fitting(TEXT_BYTES).max(1);
        entries.truncate(fitting);
        tree = tree::render(start, &lines[..entries.len()]);
    }
    let cursor = cut.then(|| entries.last().map(|entry| entry.path.clone())).flatten();
    let mut text = tree.text;
    let body = text.len();
    if entries.is_empty() {
        let none = match &work.glob {
            _ if total > 0 => "(no more entries)\n".to_owned(),
            Some(_) => format!(
                "(nothing matches `{}` in {}; search_glob looks at all levels)\n",
                visible(&params.glob),
                counted(work.depth, "level")
            ),
            None => "(nothing to show)\n".to_owned(),
        };
        text.push_str(&none);
    }
    let next = cursor.as_ref().map(|cursor| next_call(params, cursor));
    text.push_str(&trailer(entries.len(), total, counts, next.as_ref()));
    let shown = entries.len() as u64;
    let output = Output {
        path: start.to_text(),
        entries,
        ignored_count: counts.ignored + counts.git,
        blocked_count: counts.blocked,
        unreadable_count: counts.unreadable,
        cursor,
        file: None,
    };
    let end = text.len() - body;
    let mut reply = Reply::new(text, output);
    reply.warnings.extend(counts.warning());
    if cut {
        reply.truncated = Some(Truncated { shown, total, unit: "entries".to_owned(), next });
    }
    reply.cut_text(call, end);
    Ok(reply)
}

fn walk(work: &Work, call: &Call) -> Result<(Page, WalkCounts), ToolError> {
    let (params, start) = (&work.params, work.path.resolved());
    let options = WalkOptions {
        hidden: params.include_hidden,
        ignored: params.include_ignored,
        max_depth: work.depth as usize,
    };
    let workspace = &call.workspace;
    let mut walk = Walk::new(workspace.handle(), workspace.root(), workspace.rules(), start, options)
        .map_err(|error| DoorError::io(work.path.given(), error))?;
    let wanted = |path: &RelPath, kind: WalkKind| {
        let Some(glob) = &work.glob else { return true };
        glob.wants(path.as_path(), kind == WalkKind::Dir, start.as_path())
    };
    let cursor = cursor(&params.cursor)?;
    let collect = |walk: &mut Walk<'_>| {
        let mut nearest = Nearest::new(params.limit as usize, cursor.as_ref());
        for entry in walk.by_ref() {
            call.check_cancelled()?;
            if wanted(&entry.path, entry.kind) {
                nearest.put(entry.path, entry.kind);
            }
        }
        Ok((nearest.page(), walk.counts()))
    };
    if work.depth == 1 { collect(&mut walk) } else { walk.with_helpers(collect) }
}

fn describe(path: &RelPath, kind: WalkKind, detail: bool, call: &Call) -> Entry {
    let link = (kind == WalkKind::Link).then(|| call.workspace.read_link(path).ok()).flatten();
    let stat = detail.then(|| call.workspace.stat_listed(path).ok()).flatten();
    Entry {
        path: path.to_text(),
        kind: match kind {
            WalkKind::File => "file",
            WalkKind::Dir => "dir",
            WalkKind::Link => "link",
            WalkKind::Other => "other",
        }
        .to_owned(),
        size: stat.filter(|_| kind == WalkKind::File).map(|stat| stat.size),
        mtime: stat.map(|stat| time(stat.modified)),
        link: link.map(|link| LinkFacts {
            target: (!link.blocked).then(|| from_os(link.target.as_os_str()).into_owned()),
            inside: link.inside,
        }),
    }
}

fn target_bytes(entry: &Entry) -> usize {
    entry.link.as_ref().and_then(|link| link.target.as_ref()).map_or(0, String::len)
}

fn suffix(entry: &Entry) -> String {
    let mut suffix = match (entry.kind.as_str(), &entry.link) {
        ("dir", _) => "/".to_owned(),
        ("link", Some(link)) => {
            let target = link.target.as_deref().map_or("(blocked)".into(), visible);
            format!(" -> {target}{}", if link.inside { "" } else { " (outside the workspace)" })
        }
        ("file", _) => String::new(),
        _ => " (no regular file)".to_owned(),
    };
    if let Some(size) = entry.size {
        let _ = write!(suffix, "  {}", counted(size, "byte"));
    }
    if let Some(mtime) = &entry.mtime {
        let _ = write!(suffix, "  {mtime}");
    }
    suffix
}

/// The last line: how much there is, and what is not shown.
fn trailer(shown: usize, total: u64, counts: WalkCounts, next: Option<&NextCall>) -> String {
    let mut parts = vec![if shown as u64 == total {
        counted(total, "entry")
    } else {
        format!("{shown} of {}", counted(total, "entry"))
    }];
    for (count, what) in
        [(counts.ignored + counts.git, "ignored or hidden"), (counts.blocked, "blocked by the configuration")]
    {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    if counts.unreadable > 0 {
        parts.push(format!("{} could not be read", counted(counts.unreadable, "folder")));
    }
    if let Some(next) = next {
        parts.push(format!("next: fs_list {}", next.args));
    }
    format!("({})\n", parts.join("; "))
}

fn next_call(params: &Params, cursor: &str) -> NextCall {
    let mut args = json!({"path": params.path, "cursor": cursor});
    let defaults = [
        ("depth", json!(params.depth), params.depth.is_none()),
        ("glob", json!(params.glob), params.glob.is_empty()),
        ("include_hidden", json!(false), params.include_hidden),
        ("include_ignored", json!(true), !params.include_ignored),
        ("detail", json!(true), !params.detail),
        ("limit", json!(params.limit), params.limit == LIST_ENTRIES),
    ];
    for (name, value, _) in defaults.into_iter().filter(|(_, _, is_default)| !is_default) {
        args[name] = value;
    }
    NextCall { tool: "fs_list".to_owned(), args }
}

/// The entry a cursor names; it need not exist any more.
fn cursor(text: &str) -> Result<Option<RelPath>, ToolError> {
    if text.is_empty() {
        return Ok(None);
    }
    let raw = crate::text::unescape_bytes(text).unwrap_or_else(|| text.into());
    RelPath::from_plain(raw.as_ref()).map(Some).ok_or_else(|| {
        ToolError::new(Code::InvalidArgs, "`cursor` is none of ours", "take it from the answer before")
    })
}
