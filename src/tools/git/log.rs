//! `git_log`: who changed what, when and why.
//!
//! The model gets what `git log` lists, in the same order. Nothing a repository configures runs, and what a blocked file holds
//! neither is shown nor tells whether it matches.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use gix::ObjectId;
use grep_matcher::Matcher as _;
use grep_regex::RegexMatcher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    between::{between, entry_at},
    commit_facts::{CommitFacts, author_of, decoded},
    compare::Comparison,
    date,
    history::{History, Step},
    lies_in,
    log_patch::Told,
    mailmap::Mailmap,
    mended, named,
    past_path::{self, past_path},
    pickaxe,
    revision::{self, Selected},
};
use crate::{
    config::Profile,
    limits,
    policy::{Intent, Permit},
    text::counted,
    tier::Tier,
    tools::{
        Call, Code, NextCall, Prepared, READS, Reply, Tool, ToolError, ToolSpec, Truncated,
        regular_expression,
    },
    workspace::{repository::Repository, walk::stat_walked},
};

/// The most commits of one answer.
const LIMIT_MAX: u32 = 200;
/// Bytes of text of one answer: about 12 000 tokens, as for a file.
pub(super) const TEXT_BYTES: usize = limits::READ_BYTES as usize;
/// A commit is read for its place in the history, and again to be shown; along a path, most trees are those of the commit after it.
const CACHE_BYTES: usize = 4 * 1024 * 1024;
/// Lines around each change of a patch.
const CONTEXT: usize = 3;
/// What stands between a revision and the number of commits that earlier answers have walked.
const SKIP: &str = " skip ";

/// `git_log`.
#[derive(Clone, Copy, Debug)]
pub struct GitLog;

/// Which commits.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only commits that change this; picks the repository.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub path: String,
    /// Where to start, or a range `a..b`.
    #[serde(default = "head")]
    pub rev: String,
    /// Commits.
    #[serde(default = "twenty")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: u32,
    /// Regex on `Name <mail>`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub author: String,
    /// A date, or `2 weeks ago`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub since: String,
    /// As `since`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub until: String,
    /// Regex on the message's lines.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub grep: String,
    /// Text that is added or removed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub pickaxe: String,
    /// With messages and diffs.
    #[serde(default)]
    pub patch: bool,
}

fn head() -> String {
    "HEAD".to_owned()
}

fn twenty() -> u32 {
    20
}

/// The commits; patches are in the text.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Facts {
    /// Newest first.
    pub commits: Vec<CommitFacts>,
    /// There may be more; `truncated.next` is the call for them.
    pub more: bool,
    /// Changed files that the configuration blocks; they are not shown.
    pub blocked: u64,
}

/// A history that can be walked.
#[derive(Debug)]
pub struct Work {
    params: Params,
    repository: Repository,
    folder: Vec<u8>,
    /// What is to be said of a link on the way to it.
    led: Option<String>,
    /// Nothing before the first commit.
    selected: Option<Selected>,
    skip: usize,
    wanted: Filters,
}

#[derive(Debug, Default)]
struct Filters {
    author: Option<RegexMatcher>,
    grep: Option<RegexMatcher>,
    since: Option<i64>,
    until: Option<i64>,
}

impl Tool for GitLog {
    type Params = Params;
    type Output = Facts;
    type Work = Work;

    const SPEC: ToolSpec = ToolSpec {
        name: "git_log",
        title: "Git log",
        description: "Lists commits, newest first, of a revision or range, filtered by path, author, date, message, \
            or text that they add or remove.",
        profile: Profile::Read,
        tier: Tier::Auto,
        annotations: READS,
    };

    const OPENS_BY_NAME: bool = true;

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        if params.limit == 0 || params.limit > LIMIT_MAX {
            return Err(ToolError::new(
                Code::InvalidArgs,
                "git_log: `limit` must be between 1 and 200",
                "leave it out for 20; `truncated.next` goes on",
            ));
        }
        let path = named(call, &params.path)?;
        let repository = Repository::containing(&call.workspace, &path)?;
        let (rev, skip) = position(&params.rev);
        let reader = repository.history()?;
        let unborn = reader.head().is_ok_and(|head| head.is_unborn());
        let selected = if unborn && rev == "HEAD" { None } else { Some(revision::history(&reader, rev)?) };
        let tips = selected.iter().flat_map(|selected| &selected.tips);
        let path = past_path(call, (&params.path, path), &repository, |inside| {
            let has =
                |tip: &ObjectId| entry_at(&reader, revision::tree_of(&reader, *tip).ok()?, inside).ok()?;
            Ok(tips.into_iter().any(|tip| has(tip).is_some()))
        })?;
        let led = past_path::through_link(call, &params.path, &path).map(|written| {
            format!(
                "`{written}` leads through a link: these are the commits of `{path}`; for those from before the link, give \
                 `rev` a commit from then"
            )
        });
        let folder = repository.in_repository(&path).unwrap_or_default();
        let wanted = Filters::of(&params)?;
        let intent = Intent::read(format!("history of the repository at {}", repository.folder()));
        Ok(Prepared { intent, work: Work { params, repository, folder, led, selected, skip, wanted } })
    }

    fn run(&self, _permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        let Some(selected) = &work.selected else {
            return Ok(Reply::new("no commits yet", Facts::default()));
        };
        let mut reader = work.repository.history()?;
        reader.object_cache_size_if_unset(CACHE_BYTES);
        let failed = |error: gix::Error| ToolError::from(work.repository.broken(&error));
        let along = (work.folder.as_slice(), work.wanted.since);
        let mut history = History::new((call, &work.repository), &reader, selected, along)?;
        let mut page = Page::new(&work, call, &reader)?;
        let deadline = Instant::now() + Duration::from_secs(limits::SEARCH_SECONDS);
        let mut walked = 0;
        while let Some(step) = history.next().map_err(failed)? {
            call.check_cancelled()?;
            walked += 1;
            if walked <= work.skip || !step.counts {
                continue;
            }
            let enough = page.facts.commits.len() >= work.params.limit as usize;
            if enough || Instant::now() >= deadline || !page.take(&step)? {
                return Ok(page.finish(Some(walked - 1), !enough));
            }
        }
        let mut reply = page.finish(None, false);
        reply.warnings.extend(history.cut_at().map(|id| {
            format!(
                "the history that is here begins at {} (a shallow clone): what is older is not told",
                id.to_hex_with_len(10)
            )
        }));
        if reply.data.commits.is_empty() && work.skip == 0 && !work.exists(call, &reader)? {
            let path = named(call, &work.params.path)?;
            reply.warnings.push(format!("`{path}` is neither in the work tree nor in the commit at `rev`"));
        }
        Ok(reply)
    }
}

/// The revision, and how many commits of it were walked before.
fn position(rev: &str) -> (&str, usize) {
    let found = rev.rsplit_once(SKIP).and_then(|(rev, skip)| Some((rev, skip.parse().ok()?)));
    found.unwrap_or((rev, 0))
}

impl Filters {
    fn of(params: &Params) -> Result<Self, ToolError> {
        Ok(Self {
            author: matcher("author", &params.author)?,
            grep: matcher("grep", &params.grep)?,
            since: moment("since", &params.since)?,
            until: moment("until", &params.until)?,
        })
    }
}

fn matcher(name: &str, pattern: &str) -> Result<Option<RegexMatcher>, ToolError> {
    if pattern.is_empty() {
        return Ok(None);
    }
    if pattern.len() > limits::PATTERN_BYTES {
        return Err(ToolError::new(
            Code::InvalidArgs,
            format!("git_log: `{name}` has {} bytes; the limit is {}", pattern.len(), limits::PATTERN_BYTES),
            "search for a part of it",
        ));
    }
    let built = regular_expression::builder().multi_line(true).build(pattern);
    built.map(Some).map_err(|error| {
        if regular_expression::is_too_large(&error) {
            return regular_expression::too_large(&format!("git_log: `{name}`"));
        }
        ToolError::new(
            Code::InvalidArgs,
            format!("git_log: `{name}` is no valid regular expression: {error}"),
            "escape the special characters with `\\`",
        )
    })
}

fn moment(name: &str, text: &str) -> Result<Option<i64>, ToolError> {
    if text.is_empty() {
        return Ok(None);
    }
    let found = date::parse(text, &jiff::Zoned::now()).ok_or_else(|| {
        let shown = crate::text::visible(crate::text::prefix(text, 100)).into_owned();
        ToolError::new(
            Code::InvalidArgs,
            format!("git_log: `{name}` is no date that git knows: `{shown}`"),
            "give `2026-11-20`, `2026-11-20T10:00:00+01:00`, or `3 days ago`",
        )
    })?;
    Ok(Some(found))
}

/// One answer as it grows.
struct Page<'a> {
    work: &'a Work,
    call: &'a Call,
    reader: &'a gix::Repository,
    comparison: Option<Comparison<'a>>,
    mailmap: Mailmap,
    facts: Facts,
    text: String,
    lossy: bool,
    left_out: usize,
    /// Commits that change more than can be told.
    too_large: usize,
}

impl<'a> Page<'a> {
    fn new(work: &'a Work, call: &'a Call, reader: &'a gix::Repository) -> Result<Self, ToolError> {
        let comparison = if work.params.patch {
            Some(Comparison::of_commits(call, &work.repository, reader, CONTEXT)?)
        } else {
            None
        };
        let mailmap = Mailmap::of_log(call, &work.repository, reader);
        let (facts, text) = (Facts::default(), String::new());
        Ok(Self {
            work,
            call,
            reader,
            comparison,
            mailmap,
            facts,
            text,
            lossy: false,
            left_out: 0,
            too_large: 0,
        })
    }

    /// Takes a commit if it is wanted; false when there is no room for it any more.
    fn take(&mut self, step: &Step) -> Result<bool, ToolError> {
        let broken = |error: gix::Error| ToolError::from(self.work.repository.broken(&error));
        let Params { pickaxe, .. } = &self.work.params;
        if self.work.wanted.until.is_some_and(|until| step.time > until) {
            return Ok(true);
        }
        let commit = self.reader.find_commit(step.id).map_err(broken)?;
        let bytes = mended::mended(&commit.data);
        let commit = mended::decoded(&bytes).map_err(broken)?;
        if !self.work.wanted.matches(&commit, &self.mailmap) {
            return Ok(true);
        }
        if !pickaxe.is_empty() {
            let scope = pickaxe::Scope {
                call: self.call,
                repository: &self.work.repository,
                reader: self.reader,
                folder: &self.work.folder,
            };
            match scope.touches(step, pickaxe.as_bytes()) {
                Ok(true) => {}
                Ok(false) => return Ok(true),
                Err(error) if error.code == Code::TooLarge => {
                    self.too_large += 1;
                    return Ok(true);
                }
                Err(error) => return Err(error),
            }
        }
        let mut facts = CommitFacts::of(step.id, &commit, &step.parents, &self.mailmap);
        let told = match &mut self.comparison {
            Some(comparison) => {
                let (repository, folder) = (&self.work.repository, self.work.folder.as_slice());
                Told::with_patch(
                    (self.call, repository, self.reader),
                    comparison,
                    (step, folder),
                    &mut facts,
                )?
            }
            None => Told { block: facts.line(), ..Told::default() },
        };
        if !self.facts.commits.is_empty() && self.text.len() + told.block.len() > TEXT_BYTES {
            return Ok(false);
        }
        self.lossy |= told.lossy;
        self.left_out += told.left_out;
        self.facts.blocked += told.blocked;
        self.too_large += usize::from(told.is_too_large);
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&told.block);
        self.facts.commits.push(facts);
        Ok(true)
    }

    /// `walked`: where to go on.
    fn finish(mut self, walked: Option<usize>, early: bool) -> Reply<Facts> {
        let count = self.facts.commits.len();
        if count == 0 {
            self.text.push_str("no commits match");
        }
        self.facts.more = walked.is_some();
        let mut reply = Reply::new(self.text, self.facts);
        reply.warnings.extend(self.work.led.clone());
        if self.lossy {
            reply.warnings.push("some lines are no UTF-8; they cannot be applied as shown".to_owned());
        }
        if self.left_out > 0 {
            reply.warnings.push(format!("{} left out of the patches", counted(self.left_out, "file")));
        }
        if self.too_large > 0 {
            let commits = counted(self.too_large, "commit");
            reply.warnings.push(format!("{commits} with too many changes: not shown or looked through"));
        }
        if let Some(walked) = walked {
            let next = self.work.next(walked);
            let why = if early { "time or room ran out" } else { "there are more" };
            let shown = counted(count, "commit");
            let _ = write!(reply.text, "\n({shown} shown, {why}; next: git_log {})", next.args);
            reply.truncated = Some(Truncated {
                shown: count as u64,
                total: Truncated::UNKNOWN,
                unit: "commits".to_owned(),
                next: Some(next),
            });
        }
        reply
    }
}

/// What a commit changes below `folder`; of a merge, against its first parent.
pub(super) fn changed_in(
    (call, repository): (&Call, &Repository),
    reader: &gix::Repository,
    step: &Step,
    folder: &[u8],
) -> Result<Vec<super::changes::Changed>, ToolError> {
    let before = step.parents.first().map(|parent| revision::tree_of(reader, *parent)).transpose();
    let before = before.map_err(|error| ToolError::from(repository.broken(&error)))?;
    let mut list = between((call, repository), reader, (before, Some(step.tree)), true)?;
    list.retain(|changed| {
        lies_in(&changed.path, folder) || changed.from.as_ref().is_some_and(|from| lies_in(from, folder))
    });
    Ok(list)
}

impl Work {
    /// Whether the path is anywhere to be seen now.
    fn exists(&self, call: &Call, reader: &gix::Repository) -> Result<bool, ToolError> {
        if self.folder.is_empty() {
            return Ok(true);
        }
        let path = named(call, &self.params.path)?;
        let tips = self.selected.iter().flat_map(|selected| &selected.tips);
        let in_commit = |tip: &ObjectId| {
            let tree = revision::tree_of(reader, *tip).ok()?;
            entry_at(reader, tree, &self.folder).ok()?
        };
        Ok(!matches!(stat_walked(call.workspace.handle(), &path), Ok(None))
            || tips.into_iter().any(|tip| in_commit(tip).is_some()))
    }

    /// The call that goes on: the same commits by their ids, whatever the branch does meanwhile.
    fn next(&self, walked: usize) -> NextCall {
        let mut params = self.params.clone();
        if let Some(Selected { by_ids, .. }) = &self.selected {
            params.rev = format!("{by_ids}{SKIP}{walked}");
        }
        // `2 weeks ago` is another moment by then.
        for (text, time) in [(&mut params.since, self.wanted.since), (&mut params.until, self.wanted.until)] {
            if let Some(time) = time {
                *text = format!("@{time}");
            }
        }
        let args = serde_json::to_value(params).unwrap_or_default();
        NextCall { tool: GitLog::SPEC.name.to_owned(), args }
    }
}

impl Filters {
    fn matches(&self, commit: &gix::objs::CommitRef<'_>, mailmap: &Mailmap) -> bool {
        let is_match =
            |matcher: &RegexMatcher, text: &str| matcher.is_match(text.as_bytes()).unwrap_or(false);
        if let Some(author) = &self.author {
            let Some((name, email)) = author_of(commit, mailmap) else { return false };
            if !is_match(author, &format!("{name} <{email}>")) {
                return false;
            }
        }
        let Some(grep) = &self.grep else { return true };
        decoded(commit.message, commit.encoding).lines().any(|line| is_match(grep, line))
    }
}

#[cfg(test)]
mod tests {
    use super::position;

    #[test]
    fn only_a_number_after_skip_is_a_position() {
        assert_eq!(position("HEAD"), ("HEAD", 0));
        assert_eq!(position("a..b skip 40"), ("a..b", 40));
        assert_eq!(position("a skip x"), ("a skip x", 0));
    }
}
