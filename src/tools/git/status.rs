//! `git_status`: the branch, what is going on, and what differs.
//!
//! The model gets what `git status` shows, in process. No fsmonitor, filter, hook or submodule of the repository can run.

use std::fmt::Write as _;

use gix::bstr::{BStr, ByteSlice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    apart::ahead_behind,
    attributes::{Attributes, note_foreign},
    branches,
    changes::{Changed, Changes, Untracked, Wanted, changes},
    pairs::with_renames,
    renames::STATUS,
    shown,
    side::{LINK, check_rule_files},
    submodules::{Look, submodules},
};
use crate::{
    config::Profile,
    policy::{Intent, Permit},
    relpath::RelPath,
    text::visible,
    tier::Tier,
    tools::{Call, NextCall, Prepared, READS, Reply, Tool, ToolError, ToolSpec, Truncated},
    workspace::repository::Repository,
};

/// Entries shown; a work tree with more changes is not read line by line.
const ENTRIES_MAX: usize = 500;
/// Branches shown.
const BRANCHES_MAX: usize = 200;

/// `git_status`.
#[derive(Clone, Copy, Debug)]
pub struct GitStatus;

/// Which repository.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// A path in the repository.
    #[serde(default = "super::root")]
    pub path: String,
    /// Also list local branches.
    #[serde(default)]
    pub branches: bool,
}

/// The state of a repository.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Facts {
    /// The repository's folder.
    pub repo_root: String,
    /// The current branch; empty when HEAD is detached.
    pub branch: String,
    /// The id of HEAD; empty before the first commit.
    pub head: String,
    /// The branch it follows; empty for none.
    pub upstream: String,
    /// That branch is not there (any more): `ahead` and `behind` say nothing then.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub upstream_gone: bool,
    /// Commits that the upstream does not have.
    pub ahead: u64,
    /// Commits that only the upstream has.
    pub behind: u64,
    /// `none`, `merge`, `rebase`, `cherry_pick`, `revert`, `bisect` or `apply`.
    pub operation: String,
    /// HEAD against the index.
    pub staged: Vec<PathChange>,
    /// The index against the work tree.
    pub unstaged: Vec<PathChange>,
    /// Not tracked and not ignored; folders end with `/`.
    pub untracked: Vec<PathChange>,
    /// Unmerged.
    pub conflicted: Vec<PathChange>,
    /// Changed paths that the configuration blocks; they are not listed.
    pub blocked: u64,
    /// Submodules and folders that may have changed: they could not be looked into.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub not_looked_into: Vec<String>,
    /// Local branches, when asked for; at most 200.
    pub branches: Vec<String>,
}

/// A path that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathChange {
    /// Relative to the workspace.
    pub path: String,
    /// `added`, `modified`, `deleted`, `renamed`, `copied`, `type_changed`, `untracked`, `modified_inside` (a submodule at its commit,
    /// with changed files), or who did what in a conflict.
    pub change: String,
    /// Where it was before.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub from: String,
}

/// A repository that can be asked.
#[derive(Debug)]
pub struct Work {
    repository: Repository,
    branches: bool,
}

impl Tool for GitStatus {
    type Params = Params;
    type Output = Facts;
    type Work = Work;

    const SPEC: ToolSpec = ToolSpec {
        name: "git_status",
        title: "Git status",
        description: "Shows branch, upstream, an unfinished merge or rebase, and staged, unstaged, untracked and \
            conflicted paths of the repository that holds `path`.",
        profile: Profile::Read,
        tier: Tier::Auto,
        annotations: READS,
    };

    const OPENS_BY_NAME: bool = true;

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        let repository = super::at(call, &params.path)?;
        let summary = format!("status of the repository at {}", repository.folder());
        Ok(Prepared { intent: Intent::read(summary), work: Work { repository, branches: params.branches } })
    }

    fn run(&self, _permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        let reader = work.repository.history()?;
        let wanted = Wanted {
            staged: Some(None),
            unstaged: true,
            untracked: untracked(&reader),
            renames: STATUS,
            believes_index: true,
        };
        let mut found = changes(&work.repository, wanted, call)?;
        // What is only announced (`git add -N`) may be what another path was.
        let unstaged = std::mem::take(&mut found.unstaged).into_iter().map(|changed| (changed, true));
        let paired = with_renames((call, &work.repository), unstaged.collect(), STATUS)?;
        found.unstaged = paired.into_iter().map(|(changed, _)| changed).collect();
        let mut facts = Facts { repo_root: work.repository.folder().to_text(), ..Facts::default() };
        head((call, &work.repository), &mut facts, work.branches)?;
        let filtered = filtered(&work.repository, &found, call)?;
        // Who wants to see no untracked files sees none of submodules either.
        let hides = wanted.untracked == Untracked::No;
        let look = if hides { Look::Tracked } else { Look::Files };
        let mut inner = submodules(call, &work.repository, &found, look)?;
        let mut notes = inner.notes();
        if hides {
            notes.push(
                "untracked files were not looked for: git is set up so (`status.showUntrackedFiles`)"
                    .to_owned(),
            );
        }
        notes.extend(found.notes(&work.repository, call));
        let closed = found.closed.iter().filter_map(|folder| shown(&work.repository, call, folder.as_bstr()));
        facts.not_looked_into = inner
            .unknown
            .iter()
            .map(|(path, _)| path.to_text())
            .chain(closed.map(|path| path.to_text()))
            .collect();
        inner.settle(&mut found.unstaged);
        found.unstaged.append(&mut inner.changed_inside);
        found.unstaged.sort_by(|left, right| left.path.cmp(&right.path));
        let total = facts.fill(&work.repository, call, &found);
        let branches = facts.branches.len();
        let cut = [(total, ENTRIES_MAX, "entries"), (branches, BRANCHES_MAX, "branches")];
        let cut: Vec<_> = cut.into_iter().filter(|(total, most, _)| total > most).collect();
        let whole = (!cut.is_empty()).then(|| text(&facts, total));
        facts.cut(ENTRIES_MAX);
        facts.branches.truncate(BRANCHES_MAX);
        let mut reply = Reply::new(text(&facts, total), facts);
        reply.warnings.extend(notes);
        reply.warnings.extend(note_foreign(filtered));
        if let Some(whole) = whole {
            reply.keep_whole_list(call, whole, &cut);
        }
        Ok(reply)
    }
}

impl Reply<Facts> {
    /// Keeps all of it, and says how to read on where this ends: both begin with the same lines. `cut` are the lists of which more
    /// was found than is shown, and how much is.
    fn keep_whole_list(&mut self, call: &Call, whole: String, cut: &[(usize, usize, &str)]) {
        let same = self.text.lines().zip(whole.lines()).take_while(|(left, right)| left == right).count();
        self.handle = call.handles.keep(whole);
        let next = self.handle.as_deref().map(|handle| NextCall {
            tool: "fs_read".to_owned(),
            args: serde_json::json!({ "path": handle, "start_line": same + 1 }),
        });
        let how = next.as_ref().map(|next| format!("; next: fs_read {}", next.args)).unwrap_or_default();
        let said = cut.iter().map(|(total, shown, unit)| match *unit {
            "entries" => format!("{shown} of {total}"),
            unit => format!("{shown} of {total} {unit}"),
        });
        let _ = write!(self.text, "\n{} shown{how}", said.collect::<Vec<_>>().join(", "));
        self.truncated = cut.first().map(|(total, shown, unit)| Truncated {
            shown: *shown as u64,
            total: *total as u64,
            unit: (*unit).to_owned(),
            next,
        });
    }
}

impl Facts {
    /// Takes what may be shown; returns how much there is.
    fn fill(&mut self, repository: &Repository, call: &Call, found: &Changes) -> usize {
        let mut blocked = 0;
        let mut entry = |path: &BStr, change: &str, from: Option<&BStr>| {
            let folder = path.ends_with(b"/");
            let path = shown(repository, call, path.trim_end_with(|character| character == '/').as_bstr());
            let from = from.map(|from| shown(repository, call, from));
            let (Some(path), None | Some(Some(_))) = (path, &from) else {
                blocked += 1;
                return None;
            };
            let from = from.flatten().as_ref().map(RelPath::to_text).unwrap_or_default();
            let end = if folder { "/" } else { "" };
            Some(PathChange { path: format!("{}{end}", path.to_text()), change: change.to_owned(), from })
        };
        let mut of = |list: &[Changed]| {
            let entries = list.iter().filter_map(|changed| {
                let from = changed.from.as_ref().map(|from| from.as_bstr());
                entry(changed.path.as_bstr(), changed.change, from)
            });
            entries.collect::<Vec<_>>()
        };
        self.staged = of(&found.staged);
        self.unstaged = of(&found.unstaged);
        self.untracked =
            found.untracked.iter().filter_map(|(path, _)| entry(path.as_bstr(), "untracked", None)).collect();
        self.conflicted = found
            .conflicted
            .iter()
            .filter_map(|(path, change)| entry(path.as_bstr(), change, None))
            .collect();
        self.blocked = blocked;
        self.staged.len() + self.unstaged.len() + self.untracked.len() + self.conflicted.len()
    }

    /// Conflicts first: whoever has them needs to see them.
    fn cut(&mut self, most: usize) {
        let mut left = most;
        for list in [&mut self.conflicted, &mut self.staged, &mut self.unstaged, &mut self.untracked] {
            list.truncate(left);
            left -= list.len();
        }
    }
}

/// As the user is used to see them: folders, or each file in them, or none at all.
pub(super) fn untracked(reader: &gix::Repository) -> Untracked {
    let config = reader.config_snapshot();
    match config.string("status.showUntrackedFiles") {
        Some(wanted) if wanted == "all" => Untracked::Files,
        _ if config.boolean("status.showUntrackedFiles") == Some(false) => Untracked::No,
        _ => Untracked::Folders,
    }
}

/// How many changed paths would go through a filter if git looked at them.
fn filtered(repository: &Repository, found: &Changes, call: &Call) -> Result<usize, ToolError> {
    if found.unstaged.is_empty() {
        return Ok(0);
    }
    let reader = repository.reader()?;
    let mut attributes = Attributes::new(repository, &reader)?;
    let mut count = 0;
    let is_file =
        |changed: &&Changed| changed.change == "modified" && changed.old.is_none_or(|old| old.mode != LINK);
    for changed in found.unstaged.iter().filter(is_file).take(ENTRIES_MAX) {
        // What cannot be read as a rule file says nothing, and must not be opened: it may be a FIFO.
        let place = repository.folder().as_path().join(changed.path.to_path_lossy());
        let readable =
            RelPath::from_plain(&place).is_some_and(|path| check_rule_files(call, repository, &path).is_ok());
        if !readable {
            continue;
        }
        count += usize::from(attributes.of(changed.path.as_bstr())?.foreign.is_some());
    }
    Ok(count)
}

/// The branch and what it follows.
fn head(
    (call, repository): (&Call, &Repository),
    facts: &mut Facts,
    with_branches: bool,
) -> Result<(), ToolError> {
    let failed = |error: git2::Error| super::libgit2(repository, &error);
    let opened = repository.scratch()?;
    operation(opened.state()).clone_into(&mut facts.operation);
    match opened.head() {
        Ok(head) => {
            facts.head = head.target().map(|id| id.to_string()).unwrap_or_default();
            if head.is_branch() {
                facts.branch = String::from_utf8_lossy(head.shorthand_bytes()).into_owned();
            }
            if head.is_branch() {
                upstream((call, repository), &opened, &head, facts)?;
            }
        }
        Err(error) if error.code() == git2::ErrorCode::UnbornBranch => {
            let head = opened.find_reference("HEAD").map_err(failed)?;
            let target = head.symbolic_target_bytes().unwrap_or_default();
            let name = target.strip_prefix(b"refs/heads/").unwrap_or(target);
            facts.branch = String::from_utf8_lossy(name).into_owned();
        }
        Err(error) => return Err(failed(error)),
    }
    if with_branches {
        facts.branches = branches::names(repository, &repository.history()?, usize::MAX)?;
    }
    Ok(())
}

/// What the branch follows, and how far they are apart. A branch may follow one that is gone.
fn upstream(
    (call, repository): (&Call, &Repository),
    opened: &git2::Repository,
    head: &git2::Reference<'_>,
    facts: &mut Facts,
) -> Result<(), ToolError> {
    let Ok(branch) = head.name() else { return Ok(()) };
    let Ok(name) = opened.branch_upstream_name(branch) else { return Ok(()) };
    let name = String::from_utf8_lossy(&name).into_owned();
    let short = name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/remotes/"));
    short.unwrap_or(&name).clone_into(&mut facts.upstream);
    let Ok(remote) = opened.refname_to_id(&name) else {
        // Deleted on the other side, or never fetched: "0 ahead" would say that it has all of this branch.
        facts.upstream_gone = true;
        return Ok(());
    };
    if let Some(local) = head.target() {
        // One that is gone from the store has nothing to be counted to.
        if repository.history()?.has_object(gix::ObjectId::from_bytes_or_panic(remote.as_bytes())) {
            let (ahead, behind) = ahead_behind(call, repository, (local, remote))?;
            (facts.ahead, facts.behind) = (ahead as u64, behind as u64);
        }
    }
    Ok(())
}

/// One word for what is going on.
pub(super) fn operation(state: git2::RepositoryState) -> &'static str {
    use git2::RepositoryState as State;
    match state {
        State::Clean => "none",
        State::Merge => "merge",
        State::Revert | State::RevertSequence => "revert",
        State::CherryPick | State::CherryPickSequence => "cherry_pick",
        State::Bisect => "bisect",
        State::Rebase | State::RebaseInteractive | State::RebaseMerge => "rebase",
        State::ApplyMailbox | State::ApplyMailboxOrRebase => "apply",
    }
}

fn text(facts: &Facts, total: usize) -> String {
    let mut text = String::new();
    let _ = match (facts.branch.as_str(), facts.head.as_str()) {
        ("", head) => write!(text, "HEAD detached at {}", &head[..head.len().min(12)]),
        (branch, "") => write!(text, "on {branch}, no commits yet"),
        (branch, _) => write!(text, "on {branch}"),
    };
    let _ = match (facts.upstream.as_str(), facts.upstream_gone) {
        ("", _) => Ok(()),
        (upstream, true) => {
            write!(text, ", its upstream {upstream} is gone: how far they are apart is not known")
        }
        (upstream, false) => write!(text, ", {} ahead and {} behind {upstream}", facts.ahead, facts.behind),
    };
    if facts.operation != "none" {
        let _ = write!(text, ", {} in progress", facts.operation.replace('_', "-"));
    }
    if facts.repo_root != "." {
        let _ = write!(text, " (repository {})", visible(&facts.repo_root));
    }
    for (title, list) in [
        ("conflicted", &facts.conflicted),
        ("staged", &facts.staged),
        ("unstaged", &facts.unstaged),
        ("untracked", &facts.untracked),
    ] {
        if list.is_empty() {
            continue;
        }
        let _ = write!(text, "\n{title}:");
        for change in list {
            let (path, from) = (visible(&change.path), visible(&change.from));
            let _ = match (change.change.as_str(), &*from) {
                ("untracked", _) => write!(text, "\n  {path}"),
                (what, "") => write!(text, "\n  {what} {path}"),
                (what, from) => write!(text, "\n  {what} {from} -> {path}"),
            };
        }
    }
    match (total, facts.not_looked_into.as_slice()) {
        (0, []) => text.push_str("\nclean: nothing to commit"),
        (0, unknown) => {
            let unknown = visible(&unknown.join(", ")).into_owned();
            let _ = write!(text, "\nnothing changed, but not looked into: {unknown}");
        }
        _ => {}
    }
    if facts.blocked > 0 {
        let _ = write!(text, "\n{} more blocked by the configuration", facts.blocked);
    }
    if facts.branches.len() >= BRANCHES_MAX {
        // Each in a line of its own: what is kept of more is read by lines.
        let _ = write!(text, "\nbranches:\n  {}", facts.branches.join("\n  "));
    } else if !facts.branches.is_empty() {
        let _ = write!(text, "\nbranches: {}", facts.branches.join(", "));
    }
    text
}
