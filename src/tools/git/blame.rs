//! `git_blame`: which commit each line comes from.
//!
//! The model gets runs of lines with their commits. Renames of the whole file are followed; no textconv or filter runs, and the
//! file itself is read through the workspace's door.

use std::fmt::Write as _;

use gix::{
    ObjectId,
    bstr::{BString, ByteSlice},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    between::entry_at,
    blame_walk::{Blame, Ended, Start},
    changes::{Changed, Entry, Untracked, Wanted, changes},
    commit_facts::CommitFacts,
    limited::Limited,
    mailmap::Mailmap,
    mended, named,
    past_path::past_path,
    revision,
    side::{self, LINK, SUBMODULE, WorkTree},
    sync_plan::object,
};
use crate::{
    config::Profile,
    limits::{self, POSITION_MAX, WORD_BYTES},
    policy::{Intent, Permit},
    redact::whole,
    relpath::RelPath,
    text::{before_word, visible},
    tier::Tier,
    tools::{
        Call, Code, NextCall, Prepared, READS, Reply, Tool, ToolError, ToolSpec, Truncated, secret_looking,
    },
    workspace::{
        DoorError,
        repository::Repository,
        walk::{WalkKind, stat_walked},
    },
};

/// The most lines of one answer.
const LIMIT_MAX: u32 = 500;
/// Characters of a line that are shown.
const LINE_CHARS: usize = 400;

/// `git_blame`.
#[derive(Clone, Copy, Debug)]
pub struct GitBlame;

/// Which lines.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The file.
    pub path: String,
    /// First line, from 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = POSITION_MAX))]
    pub start_line: u32,
    /// Lines at most.
    #[serde(default = "two_hundred")]
    #[schemars(range(min = 1, max = 500))]
    pub limit: u32,
    /// The commit to look from; empty: the work tree.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub rev: String,
}

fn one() -> u32 {
    1
}

fn two_hundred() -> u32 {
    200
}

/// The runs; the lines themselves are in the text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Facts {
    /// Relative to the workspace.
    pub path: String,
    /// Lines of the file.
    pub lines_total: u64,
    /// Neighbouring lines of one commit.
    pub runs: Vec<Run>,
}

/// Lines that one commit brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Run {
    /// The first of them.
    pub line: u32,
    /// How many.
    pub count: u32,
    /// The commit; empty for what is not committed yet.
    pub id: String,
    /// Its author.
    pub author: String,
    /// When it was written, with the author's own offset.
    pub time: String,
    /// The first paragraph of its message, in one line.
    pub summary: String,
    /// Where the lines were then, if the file had another name.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub from: String,
    /// A shallow clone begins at this commit: the lines may come from an earlier one, which is not there.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub boundary: bool,
}

/// A file that can be looked at.
#[derive(Debug)]
pub struct Work {
    params: Params,
    repository: Repository,
    path: RelPath,
    inside: Vec<u8>,
    /// `None`: nothing is committed yet.
    commit: Option<ObjectId>,
}

impl Tool for GitBlame {
    type Params = Params;
    type Output = Facts;
    type Work = Work;

    const SPEC: ToolSpec = ToolSpec {
        name: "git_blame",
        title: "Git blame",
        description: "Shows for each line of a file the commit it comes from: id, author, date, summary. Looks at the work tree, \
                      or at `rev`. 500 lines at most.",
        profile: Profile::Full,
        tier: Tier::Auto,
        annotations: READS,
    };

    const OPENS_BY_NAME: bool = true;

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        if params.start_line > POSITION_MAX {
            return Err(ToolError::out_of_range("start_line", params.start_line, (1, POSITION_MAX)));
        }
        if params.start_line == 0 || params.limit == 0 || params.limit > LIMIT_MAX {
            return Err(ToolError::new(
                Code::InvalidArgs,
                "git_blame: `start_line` counts from 1, and `limit` must be between 1 and 500",
                "leave them out for the first 200 lines",
            ));
        }
        let path = named(call, &params.path)?;
        let repository = Repository::containing(&call.workspace, &path)?;
        let reader = repository.history()?;
        let commit = if params.rev.is_empty() {
            let head = reader.head().map_err(|error| repository.broken(&error))?;
            if head.is_unborn() { None } else { Some(revision::commit(&reader, "HEAD")?) }
        } else {
            Some(revision::commit(&reader, &params.rev)?)
        };
        let today = path.clone();
        let path = match commit.filter(|_| !params.rev.is_empty()) {
            Some(commit) => past_path(call, (&params.path, path), &repository, |inside| {
                Ok(entry_at(&reader, revision::tree_of(&reader, commit)?, inside)?.is_some())
            })?,
            None => path,
        };
        let inside = repository.in_repository(&path).unwrap_or_default();
        let mut intent = Intent::read(format!("blame {path}"));
        intent.raises.extend([&path, &today].into_iter().find_map(|path| secret_looking(call, path)));
        Ok(Prepared { intent, work: Work { params, repository, path, inside, commit } })
    }

    fn run(&self, _permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        let reader = work.repository.history()?;
        let bytes = if work.params.rev.is_empty() {
            work.in_work_tree(call, &reader)?
        } else {
            work.at_commit(&reader)?
        };
        if bytes[..bytes.len().min(8000)].contains(&0) {
            return Err(ToolError::new(
                Code::BinaryFile,
                format!("`{}` is no text", work.path),
                "git_log with `path` shows its commits",
            ));
        }
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let total = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let first = work.params.start_line;
        if first > total && !(total == 0 && first == 1) {
            return Err(ToolError::new(
                Code::InvalidArgs,
                format!("`{}` has {total} lines; there is no line {first}", work.path),
                "leave `start_line` out for the first ones",
            ));
        }
        let last = total.min(first.saturating_add(work.params.limit - 1));
        let runs = if total == 0 { Vec::new() } else { work.runs(call, &reader, &bytes, first..=last)? };
        let cut = runs.iter().find(|run| run.boundary).map(|run| {
            format!(
                "the history that is here begins at {} (a shallow clone): lines that are older count as this commit's, and \
                 whose they are is not known here",
                &run.id[..run.id.len().min(10)]
            )
        });
        let mut reply = work.reply(runs, &lines, first, last);
        reply.warnings.extend(cut);
        if reader.config_snapshot().string("blame.ignoreRevsFile").is_some_and(|file| !file.is_empty()) {
            let ignored = "the commits that `blame.ignoreRevsFile` names are shown like all others, which git would pass over";
            reply.warnings.push(ignored.to_owned());
        }
        Ok(reply)
    }
}

impl Work {
    fn missing(&self) -> ToolError {
        let place = if self.params.rev.is_empty() { "git" } else { &self.params.rev };
        ToolError::new(
            Code::NotFound,
            format!("`{}` is not known to `{}`", self.path, visible(place)),
            "git_log with `path` shows the commits that had it",
        )
    }

    /// The bytes of the file as git would store them.
    fn in_work_tree(&self, call: &Call, reader: &gix::Repository) -> Result<Vec<u8>, ToolError> {
        let broken = |error: gix::Error| ToolError::from(self.repository.broken(&error));
        let index = reader.index_or_empty().map_err(broken)?;
        let git_path = self.inside.as_bstr();
        let entry = index.entry_by_path(git_path);
        let in_conflict = index.entry_range(git_path).and_then(|range| index.entries().get(range)?.last());
        let Some(entry) = entry.or(in_conflict) else {
            let kind = stat_walked(call.workspace.handle(), &self.path);
            return Err(match kind {
                Ok(Some(WalkKind::Dir)) => self.no_file("a folder"),
                _ => self.missing(),
            });
        };
        let mode = entry.mode.bits();
        if mode == SUBMODULE {
            return Err(self.no_file("a submodule"));
        }
        let mut work_tree = WorkTree::new(call, &self.repository, reader)?;
        if let Some(foreign) = work_tree.foreign(&self.path, git_path)? {
            return Err(ToolError::new(
                Code::UnsupportedHere,
                format!("`{}` uses {foreign}, which is not supported here", self.path),
                "give `rev` `HEAD` to look at what is committed",
            ));
        }
        let stored = work_tree.stored(&self.path, git_path, Some(mode))?;
        let stored = stored
            .ok_or_else(|| DoorError::NotFound { path: self.path.to_string(), candidates: Vec::new() })?;
        if stored.mode == LINK { Err(self.no_file("a link")) } else { Ok(stored.bytes) }
    }

    fn at_commit(&self, reader: &gix::Repository) -> Result<Vec<u8>, ToolError> {
        let broken = |error: gix::Error| ToolError::from(self.repository.broken(&error));
        let Some(commit) = self.commit else { return Err(self.missing()) };
        let tree = revision::tree_of(reader, commit).map_err(broken)?;
        let entry = entry_at(reader, tree, &self.inside).map_err(broken)?;
        let Some(entry @ Entry { mode, .. }) = entry else { return Err(self.missing()) };
        match mode {
            LINK => Err(self.no_file("a link")),
            SUBMODULE => Err(self.no_file("a submodule")),
            0o040_000 => Err(self.no_file("a folder")),
            _ => side::object(&self.repository, reader, entry),
        }
    }

    fn no_file(&self, found: &'static str) -> ToolError {
        DoorError::WrongType { path: self.path.to_string(), found, wanted: "a file" }.into()
    }

    fn runs(
        &self,
        call: &Call,
        reader: &gix::Repository,
        bytes: &[u8],
        lines: std::ops::RangeInclusive<u32>,
    ) -> Result<Vec<Run>, ToolError> {
        let broken = |error: gix::Error| ToolError::from(self.repository.broken(&error));
        let Some(commit) = self.commit else {
            return Ok(vec![uncommitted(*lines.start(), lines.end() - lines.start() + 1)]);
        };
        let mut parents = vec![commit];
        parents.extend(self.repository.merge_heads().into_iter().map(object));
        let start = if self.params.rev.is_empty() {
            Start::WorkTree { bytes, parents: &parents }
        } else {
            Start::Commit(commit)
        };
        let limits = Limited::new(reader, call);
        let before_index = |commit| self.before_index(call, reader, commit);
        let blame = Blame::new(reader, &limits, &before_index).map_err(broken)?;
        let lines = (lines.start() - 1, lines.end() - lines.start() + 1);
        let found = blame.run((self.inside.as_bstr(), start), lines).map_err(|ended| match ended {
            Ended::Refused(error) => error,
            Ended::Broken(error) => match limits.error() {
                Some(error) if error.code == Code::Timeout => too_long(),
                Some(error) => error,
                None => broken(error),
            },
        })?;
        let mailmap = Mailmap::read(call, &self.repository);
        let shallow = reader.shallow_commits().map_err(broken)?;
        let begins_at = |id: &ObjectId| shallow.as_ref().is_some_and(|commits| commits.contains(id));
        let mut runs: Vec<Run> = Vec::new();
        for source in found {
            let from = (source.path != self.inside).then_some(source.path.as_bstr());
            // A name that is blocked is not told.
            let from = from.and_then(|name| super::shown(&self.repository, call, name));
            let from = from.map(|path| path.to_text()).unwrap_or_default();
            let (line, count) = (source.lines.line + 1, source.lines.count);
            let run = match source.commit {
                None => uncommitted(line, count),
                Some(commit) => Run {
                    boundary: begins_at(&commit),
                    ..run((reader, &mailmap), commit, (line, count), from).map_err(broken)?
                },
            };
            match runs.last_mut() {
                Some(before) if (&before.id, &before.from) == (&run.id, &run.from) => before.count += count,
                _ => runs.push(run),
            }
        }
        Ok(runs)
    }

    /// The name that the file has in `commit`, where it was renamed since and only the index knows.
    fn before_index(
        &self,
        call: &Call,
        reader: &gix::Repository,
        commit: ObjectId,
    ) -> Result<Option<BString>, ToolError> {
        let tree = revision::tree_of(reader, commit).map_err(|error| self.repository.broken(&error))?;
        let wanted = Wanted {
            staged: Some(Some(tree)),
            unstaged: false,
            untracked: Untracked::No,
            // Whatever the configuration says of renames.
            renames: &[],
            believes_index: false,
        };
        let staged = changes(&self.repository, wanted, call)?.staged;
        let renamed = |changed: &Changed| changed.path == self.inside && changed.change == "renamed";
        Ok(staged.into_iter().find(renamed).and_then(|changed| changed.from))
    }

    fn reply(&self, runs: Vec<Run>, lines: &[&[u8]], first: u32, last: u32) -> Reply<Facts> {
        let mut text = String::new();
        for run in &runs {
            let day = run.time.split('T').next().unwrap_or_default();
            let _ = match run.id.get(..10) {
                Some(short) => writeln!(text, "{short} {day} {}: {}", run.author, run.summary),
                None => writeln!(text, "not committed yet"),
            };
            let start = run.line as usize - 1;
            for (number, line) in (run.line..).zip(lines.iter().skip(start).take(run.count as usize)) {
                let line = String::from_utf8_lossy(line);
                let line = line.trim_end_matches(['\n', '\r']);
                let end = line.char_indices().nth(LINE_CHARS).map_or(line.len(), |(end, _)| end);
                let end = if end < line.len() {
                    whole(line, 0..before_word(line, end, WORD_BYTES)).end
                } else {
                    end
                };
                let more = if end < line.len() { "…" } else { "" };
                let _ = writeln!(text, "{number:>4}|{}{more}", &line[..end]);
            }
        }
        let total = lines.len() as u64;
        let _ = match total {
            0 => writeln!(text, "(the file is empty)"),
            _ => writeln!(text, "(lines {first}-{last} of {total})"),
        };
        let facts = Facts { path: self.path.to_text(), lines_total: total, runs };
        let mut reply = Reply::new(text, facts);
        if u64::from(last) < total {
            let mut next = self.params.clone();
            next.start_line = last + 1;
            let args = serde_json::to_value(next).unwrap_or_default();
            reply.text.truncate(reply.text.trim_end().trim_end_matches(')').len());
            let _ = writeln!(reply.text, "; next: git_blame {args})");
            let next = Some(NextCall { tool: GitBlame::SPEC.name.to_owned(), args });
            let shown = u64::from(last + 1 - first);
            reply.truncated = Some(Truncated { shown, total, unit: "lines".to_owned(), next });
        }
        reply
    }
}

fn too_long() -> ToolError {
    ToolError::new(
        Code::Timeout,
        format!("the history is too long to be looked through in {} seconds", limits::SEARCH_SECONDS),
        "ask for fewer lines, or for a `rev` that is nearer",
    )
}

fn uncommitted(line: u32, count: u32) -> Run {
    let nothing = String::new;
    Run {
        line,
        count,
        id: nothing(),
        author: nothing(),
        time: nothing(),
        summary: "not committed yet".to_owned(),
        from: nothing(),
        boundary: false,
    }
}

fn run(
    (reader, mailmap): (&gix::Repository, &Mailmap),
    id: ObjectId,
    (line, count): (u32, u32),
    from: String,
) -> gix::Result<Run> {
    let commit = reader.find_commit(id)?;
    let bytes = mended::mended(&commit.data);
    let facts = CommitFacts::of(id, &mended::decoded(&bytes)?, &[], mailmap);
    Ok(Run {
        line,
        count,
        id: facts.id,
        author: facts.author,
        time: facts.time_iso,
        summary: facts.subject,
        from,
        boundary: false,
    })
}
