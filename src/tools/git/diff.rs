//! `git_diff`: what differs between the work tree, the index and commits, as a patch.
//!
//! The model gets a patch that `git apply` takes. No textconv, external diff or filter runs; blocked paths are only counted.

use std::fmt::Write as _;

use gix::{
    ObjectId,
    bstr::{BStr, BString, ByteSlice},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    changes::{Changed, Entry, Untracked, Wanted, changes, modified},
    named,
    patch::{FileDiff, Half, Patch},
    plural, shown,
    side::{self, WorkTree},
};
use crate::{
    config::Profile,
    policy::{Intent, Permit},
    tier::Tier,
    tools::{Call, Code, NextCall, Prepared, READS, Reply, Tool, ToolError, ToolSpec, Truncated},
    workspace::repository::Repository,
};

/// Lines of context a caller may ask for.
const CONTEXT_MAX: u32 = 100;
/// The most text a caller may ask for.
const LIMIT_MAX: u32 = 16 * 1024 * 1024;

/// `git_diff`.
#[derive(Clone, Copy, Debug)]
pub struct GitDiff;

/// What to compare.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct Params {
    /// Revision to compare from; empty: the index, or HEAD where `staged` or `to` is given.
    #[serde(default)]
    pub from: String,
    /// Revision to compare to; empty: the work tree.
    #[serde(default)]
    pub to: String,
    /// Compare to the index: what the next commit would hold.
    #[serde(default)]
    pub staged: bool,
    /// Only these files or folders; the first one picks the repository.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Unchanged lines around each change.
    #[serde(default = "three")]
    #[schemars(range(min = 0, max = 100))]
    pub context: u32,
    /// Only the table of files.
    #[serde(default)]
    pub stat_only: bool,
    /// Bytes of patch to return; the files that do not fit are left out whole.
    #[serde(default = "default_bytes")]
    #[schemars(range(min = 1, max = 16_777_216))]
    pub limit_bytes: u32,
}

fn three() -> u32 {
    3
}

fn default_bytes() -> u32 {
    48 * 1024
}

/// What differs; the patch itself is in the text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Facts {
    /// All files that differ.
    pub files: Vec<FileFacts>,
    /// The whole patch is shown.
    pub complete: bool,
    /// Files the configuration blocks; they are not listed.
    pub blocked: u64,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileFacts {
    /// Relative to the workspace.
    pub path: String,
    /// Where it was before.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub old_path: String,
    /// `added`, `modified`, `deleted`, `renamed`, `copied`, `type_changed` or `unmerged`.
    pub status: String,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// Not compared line by line.
    pub binary: bool,
    /// Goes through a filter (LFS or the like), which does not run here; its content is not shown.
    pub filtered: bool,
}

/// A comparison that can start.
#[derive(Debug)]
pub struct Work {
    params: Params,
    repository: Repository,
    folders: Vec<Vec<u8>>,
    sides: Sides,
}

#[derive(Clone, Copy, Debug)]
enum Sides {
    IndexToWorkTree,
    TreeToIndex(Option<ObjectId>),
    TreeToWorkTree(ObjectId),
    TreeToTree(ObjectId, ObjectId),
}

impl Tool for GitDiff {
    type Params = Params;
    type Output = Facts;
    type Work = Work;

    const SPEC: ToolSpec = ToolSpec {
        name: "git_diff",
        title: "Git diff",
        description: "Shows differences as a patch: work tree against index by default, the index with `staged`, or between \
                      revisions with `from` and `to`. A table of all files comes first. Untracked files are not in it \
                      (git_status lists them). Runs no program or filter.",
        profile: Profile::Read,
        tier: Tier::Auto,
        annotations: READS,
    };

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        check(&params)?;
        let paths = params.paths.iter().map(|path| named(call, path)).collect::<Result<Vec<_>, _>>()?;
        let repository =
            Repository::containing(&call.workspace, &paths.first().cloned().unwrap_or_default())?;
        let mut folders = Vec::new();
        for path in &paths {
            let inside = repository.in_repository(path);
            folders.push(inside.ok_or_else(|| super::stage::other_repository(&repository, path))?);
        }
        let sides = sides(&repository, &params)?;
        let summary = format!("differences in the repository at {}", repository.folder());
        Ok(Prepared { intent: Intent::read(summary), work: Work { params, repository, folders, sides } })
    }

    fn run(&self, _permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        let (changed, unmerged) = work.changed(call)?;
        let reader = work.repository.reader()?;
        let mut work_tree = WorkTree::new(call, &work.repository, &reader)?;
        let mut answer = Answer::new(work.params.limit_bytes as usize, work.params.stat_only);
        for (changed, in_work_tree) in changed {
            call.check_cancelled()?;
            work.take(&mut answer, &changed, in_work_tree, &reader, &mut work_tree, call)?;
        }
        for path in unmerged {
            answer.unmerged(shown(&work.repository, call, path.as_bstr()).map(|path| path.to_string()));
        }
        Ok(answer.finish(&work.params))
    }
}

fn check(params: &Params) -> Result<(), ToolError> {
    let refused =
        |what: &str, hint: &str| Err(ToolError::new(Code::InvalidArgs, format!("git_diff: {what}"), hint));
    if params.staged && !params.to.is_empty() {
        return refused(
            "`staged` and `to` do not go together",
            "give `from` with `staged`, or `from` and `to`",
        );
    }
    if params.context > CONTEXT_MAX {
        return refused("`context` must be between 0 and 100", "leave it out for 3");
    }
    if params.limit_bytes == 0 || params.limit_bytes > LIMIT_MAX {
        return refused("`limit_bytes` must be between 1 and 16777216", "leave it out for 49152");
    }
    Ok(())
}

fn sides(repository: &Repository, params: &Params) -> Result<Sides, ToolError> {
    let reader = repository.reader()?;
    let tree = |revision: &str| tree_of(&reader, revision);
    Ok(match (params.from.as_str(), params.to.as_str(), params.staged) {
        ("", "", false) => Sides::IndexToWorkTree,
        ("", _, true) => Sides::TreeToIndex(None),
        (from, _, true) => Sides::TreeToIndex(Some(tree(from)?)),
        ("", to, false) => Sides::TreeToTree(tree("HEAD")?, tree(to)?),
        (from, "", false) => Sides::TreeToWorkTree(tree(from)?),
        (from, to, false) => Sides::TreeToTree(tree(from)?, tree(to)?),
    })
}

/// The tree of a commit. Only of a commit: a folder's tree would have paths that no rule knows.
fn tree_of(reader: &gix::Repository, revision: &str) -> Result<ObjectId, ToolError> {
    let bad = |reason: String| {
        ToolError::new(
            Code::BadRevision,
            format!("`{}` is no revision: {}", crate::text::visible(revision), crate::text::visible(&reason)),
            "give a branch, a tag, a commit id, or e.g. `HEAD~2`; git_status with `branches` lists branches",
        )
    };
    if revision.starts_with('-') || revision.contains("..") || revision.chars().any(char::is_control) {
        return Err(bad("one revision is needed, not a flag or a range".to_owned()));
    }
    let id =
        reader.rev_parse_single(revision.as_bytes().as_bstr()).map_err(|error| bad(error.to_string()))?;
    let object = id.object().map_err(|error| bad(error.to_string()))?;
    let commit = object.peel_to_commit().map_err(|error| bad(error.to_string()))?;
    Ok(commit.tree_id().map_err(|error| bad(error.to_string()))?.detach())
}

/// What differs, each with whether its new side is in the work tree; and the unmerged paths.
type Found = (Vec<(Changed, bool)>, Vec<BString>);

impl Work {
    fn changed(&self, call: &Call) -> Result<Found, ToolError> {
        let compare = |staged, unstaged| {
            let mut found =
                changes(&self.repository, Wanted { staged, unstaged, untracked: Untracked::No }, call)?;
            found.keep_in(&self.folders);
            Ok::<_, ToolError>(found)
        };
        let unmerged = |list: Vec<(BString, &str)>| list.into_iter().map(|(path, _)| path).collect();
        Ok(match self.sides {
            Sides::IndexToWorkTree => {
                let found = compare(None, true)?;
                (
                    found.unstaged.into_iter().map(|changed| (changed, true)).collect(),
                    unmerged(found.conflicted),
                )
            }
            Sides::TreeToIndex(tree) => {
                let found = compare(Some(tree), false)?;
                (
                    found.staged.into_iter().map(|changed| (changed, false)).collect(),
                    unmerged(found.conflicted),
                )
            }
            Sides::TreeToWorkTree(tree) => {
                let found = compare(Some(Some(tree)), true)?;
                (joined(found.staged, found.unstaged), unmerged(found.conflicted))
            }
            Sides::TreeToTree(from, to) => {
                let mut found =
                    super::changes::Changes { staged: self.between(from, to)?, ..Default::default() };
                found.keep_in(&self.folders);
                (found.staged.into_iter().map(|changed| (changed, false)).collect(), Vec::new())
            }
        })
    }

    fn between(&self, from: ObjectId, to: ObjectId) -> Result<Vec<Changed>, ToolError> {
        use gix::object::tree::diff::ChangeDetached;
        let reader = self.repository.reader()?;
        let failed = |error: gix::Error| ToolError::from(self.repository.broken(&error));
        let (old, new) = (reader.find_tree(from).map_err(failed)?, reader.find_tree(to).map_err(failed)?);
        let mut list = Vec::new();
        for change in reader.diff_tree_to_tree(&old, &new, None).map_err(failed)? {
            let entry =
                |mode: gix::object::tree::EntryMode, id| Some(Entry { mode: mode.value().into(), id });
            let changed = match change {
                ChangeDetached::Addition { location, entry_mode, id, .. } if !entry_mode.is_tree() => {
                    Changed {
                        path: location,
                        from: None,
                        change: "added",
                        old: None,
                        new: entry(entry_mode, id),
                    }
                }
                ChangeDetached::Deletion { location, entry_mode, id, .. } if !entry_mode.is_tree() => {
                    Changed {
                        path: location,
                        from: None,
                        change: "deleted",
                        old: entry(entry_mode, id),
                        new: None,
                    }
                }
                ChangeDetached::Modification {
                    location,
                    previous_entry_mode,
                    previous_id,
                    entry_mode,
                    id,
                } if !entry_mode.is_tree() => Changed {
                    path: location,
                    from: None,
                    change: modified(previous_entry_mode.value().into(), entry_mode.value().into()),
                    old: entry(previous_entry_mode, previous_id),
                    new: entry(entry_mode, id),
                },
                ChangeDetached::Rewrite {
                    source_location,
                    source_entry_mode,
                    source_id,
                    location,
                    entry_mode,
                    id,
                    copy,
                    ..
                } if !entry_mode.is_tree() => Changed {
                    path: location,
                    from: Some(source_location),
                    change: if copy { "copied" } else { "renamed" },
                    old: entry(source_entry_mode, source_id),
                    new: entry(entry_mode, id),
                },
                _ => continue,
            };
            list.push(changed);
        }
        list.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(list)
    }

    fn take(
        &self,
        answer: &mut Answer,
        changed: &Changed,
        in_work_tree: bool,
        reader: &gix::Repository,
        work_tree: &mut WorkTree<'_>,
        call: &Call,
    ) -> Result<(), ToolError> {
        let repository = &self.repository;
        let from = changed.from.as_ref().map(|from| shown(repository, call, from.as_bstr()));
        let (Some(path), None | Some(Some(_))) = (shown(repository, call, changed.path.as_bstr()), &from)
        else {
            answer.facts.blocked += 1;
            return Ok(());
        };
        let git_path: &BStr = changed.path.as_bstr();
        let mut file = FileFacts {
            path: path.to_string(),
            old_path: from.flatten().map(|from| from.to_string()).unwrap_or_default(),
            status: changed.change.to_owned(),
            added: 0,
            removed: 0,
            binary: false,
            filtered: false,
        };
        let reads_file = in_work_tree && changed.change != "deleted";
        if reads_file && work_tree.filter(&path, git_path)?.is_some() {
            file.filtered = true;
            file.binary = true;
            answer.add(file, Patch::default());
            return Ok(());
        }
        let half = |entry: Entry| {
            let bytes = side::object(repository, reader, entry)?;
            Ok::<_, ToolError>(Half { mode: entry.mode, id: entry.id, bytes })
        };
        let new = if reads_file {
            match work_tree.stored(&path, git_path, changed.old.map(|old| old.mode))? {
                Some(stored) => {
                    let id =
                        gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, &stored.bytes)
                            .map_err(ToolError::internal)?;
                    Some(Half { mode: stored.mode, id, bytes: stored.bytes })
                }
                None => None,
            }
        } else {
            changed.new.map(half).transpose()?
        };
        let diff = FileDiff {
            path: path.to_slashed(),
            old_path: (!file.old_path.is_empty()).then(|| file.old_path.clone()),
            old: changed.old.map(half).transpose()?,
            new,
            no_text: work_tree.is_no_text(&path, git_path)?,
        };
        // Equal after conversion: only the time stamp differs.
        if let (Some(old), Some(new)) = (&diff.old, &diff.new)
            && (old.id, old.mode) == (new.id, new.mode)
            && diff.old_path.is_none()
        {
            return Ok(());
        }
        let patch = diff.patch(self.params.context as usize);
        if diff.new.is_none() && !diff.is_submodule() {
            "deleted".clone_into(&mut file.status);
        }
        (file.added, file.removed, file.binary) = (patch.added, patch.removed, patch.binary);
        answer.add(file, patch);
        Ok(())
    }
}

/// A tree against the work tree: what differs from the index, and what the index has changed.
fn joined(staged: Vec<Changed>, unstaged: Vec<Changed>) -> Vec<(Changed, bool)> {
    let mut list: Vec<(Changed, bool)> = Vec::new();
    for changed in unstaged {
        let before = staged.iter().find(|other| other.path == changed.path);
        let (old, from) = before.map_or((changed.old, None), |before| (before.old, before.from.clone()));
        let change = if old.is_none() && changed.change != "deleted" { "added" } else { changed.change };
        if old.is_some() || changed.change != "deleted" {
            list.push((Changed { from, change, old, ..changed }, true));
        }
    }
    for changed in staged {
        if !list.iter().any(|(other, _)| other.path == changed.path) {
            list.push((changed, false));
        }
    }
    list.sort_by(|left, right| left.0.path.cmp(&right.0.path));
    list
}

/// The answer as it grows.
struct Answer {
    facts: Facts,
    patch: String,
    limit: usize,
    left_out: usize,
    lossy: bool,
    stat_only: bool,
}

impl Answer {
    fn new(limit: usize, stat_only: bool) -> Self {
        let facts = Facts { files: Vec::new(), complete: true, blocked: 0 };
        Self { facts, patch: String::new(), limit, left_out: 0, lossy: false, stat_only }
    }

    fn add(&mut self, file: FileFacts, patch: Patch) {
        self.facts.files.push(file);
        if self.stat_only {
            return;
        }
        // Once one file is left out so are all after it: what is shown is a beginning, not a choice.
        if self.left_out > 0 || self.patch.len() + patch.text.len() > self.limit {
            self.left_out += 1;
            return;
        }
        self.lossy |= patch.lossy;
        self.patch.push_str(&patch.text);
    }

    fn unmerged(&mut self, path: Option<String>) {
        let Some(path) = path else {
            self.facts.blocked += 1;
            return;
        };
        self.facts.files.push(FileFacts {
            path,
            old_path: String::new(),
            status: "unmerged".to_owned(),
            added: 0,
            removed: 0,
            binary: false,
            filtered: false,
        });
    }

    fn finish(mut self, params: &Params) -> Reply<Facts> {
        self.facts.complete = self.left_out == 0;
        let mut text = table(&self.facts);
        if !self.patch.is_empty() {
            text.push_str("\n\n");
            text.push_str(&self.patch);
        }
        let (total, left_out) = (self.facts.files.len(), self.left_out);
        if left_out > 0 {
            let _ = write!(
                text,
                "\n{} left out; ask for them with `paths` or a larger `limit_bytes`",
                plural(left_out, "file")
            );
        }
        let mut reply = Reply::new(text, self.facts);
        if self.lossy {
            reply.warnings.push("some lines are no UTF-8; they cannot be applied as shown".to_owned());
        }
        if left_out > 0 {
            let shown = total - left_out;
            let paths: Vec<String> =
                reply.data.files[shown..].iter().take(20).map(|file| file.path.clone()).collect();
            let mut next = params.clone();
            next.paths = paths;
            next.limit_bytes = params.limit_bytes.saturating_mul(2).min(LIMIT_MAX);
            let next = serde_json::to_value(next)
                .ok()
                .map(|args| NextCall { tool: GitDiff::SPEC.name.to_owned(), args });
            reply.truncated =
                Some(Truncated { shown: shown as u64, total: total as u64, unit: "files".to_owned(), next });
        }
        reply
    }
}

/// One line for each file.
fn table(facts: &Facts) -> String {
    let mut text = String::new();
    for file in &facts.files {
        let name = if file.old_path.is_empty() {
            file.path.clone()
        } else {
            format!("{} -> {}", file.old_path, file.path)
        };
        let _ = match (file.filtered, file.binary) {
            (true, _) => writeln!(text, "{} {name} (filtered, not shown)", file.status),
            (_, true) => writeln!(text, "{} {name} (binary)", file.status),
            _ => writeln!(text, "{} {name} +{} -{}", file.status, file.added, file.removed),
        };
    }
    let (added, removed) =
        facts.files.iter().fold((0, 0), |sum, file| (sum.0 + file.added, sum.1 + file.removed));
    let _ = if facts.files.is_empty() {
        write!(text, "no differences")
    } else {
        write!(text, "{}, +{added} -{removed}", plural(facts.files.len(), "file"))
    };
    if facts.blocked > 0 {
        let _ = write!(text, "\n{} more blocked by the configuration", facts.blocked);
    }
    text
}
