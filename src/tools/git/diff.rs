//! `git_diff`: what differs between the work tree, the index and commits, as a patch.
//!
//! The model gets a patch that `git apply` takes. No textconv, external diff or filter runs; blocked paths are only counted.

use std::{collections::BTreeMap, mem::take};

use gix::{
    ObjectId,
    bstr::{BString, ByteSlice},
    index::entry::Stage,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    attributes::note_foreign,
    between::{between, entry_at},
    changes::{Changed, Changes, Entry, Untracked, Wanted, changes, modified},
    compare::Comparison,
    file_facts::{CutTable, FileFacts, Files},
    go_on, lies_in, listed,
    pairs::with_renames,
    renames::DIFF,
    revision, shown,
    side::{LINK, PLAIN},
    stage::is_tracked,
    submodules::{Look, submodules},
};
use crate::{
    config::Profile,
    policy::{Intent, Permit},
    relpath::RelPath,
    text::counted,
    tier::Tier,
    tools::{Call, Code, NextCall, Prepared, READS, Reply, Tool, ToolError, ToolSpec, Truncated},
    workspace::{
        repository::Repository,
        walk::{WalkKind, stat_walked},
    },
};

/// Lines of context a caller may ask for.
const CONTEXT_MAX: u32 = 100;
/// The most text a caller may ask for.
pub(super) const LIMIT_MAX: u32 = 16 * 1024 * 1024;
/// Paths that an error names.
const NAMED: usize = 20;

/// `git_diff`.
#[derive(Clone, Copy, Debug)]
pub struct GitDiff;

/// What to compare.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Revision, or a range `a..b`, `a...b`; empty: the index, or HEAD with `staged` or `to`.
    #[serde(default)]
    pub from: String,
    /// Revision; empty: the work tree.
    #[serde(default)]
    pub to: String,
    /// What the next commit would hold.
    #[serde(default)]
    pub staged: bool,
    /// Only these; the first picks the repository.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Lines around each change.
    #[serde(default = "three")]
    #[schemars(range(min = 0, max = 100))]
    pub context: u32,
    /// Only the table of files.
    #[serde(default)]
    pub stat_only: bool,
    /// Bytes; files that do not fit are left out whole.
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

/// A comparison that can start.
#[derive(Debug)]
pub struct Work {
    params: Params,
    repository: Repository,
    named: Vec<RelPath>,
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
        description: "Shows differences as a patch, after a table of all files: work tree against index by default, \
            the index with `staged`, or between revisions. Untracked files are left out.",
        profile: Profile::Read,
        tier: Tier::Auto,
        annotations: READS,
    };

    const OPENS_BY_NAME: bool = true;

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        check(&params)?;
        let paths = params.paths.iter().map(|path| listed(call, path)).collect::<Result<Vec<_>, _>>()?;
        let repository =
            Repository::containing(&call.workspace, &paths.first().cloned().unwrap_or_default())?;
        let mut folders = Vec::new();
        for path in &paths {
            let inside = repository.in_repository(path);
            folders.push(inside.ok_or_else(|| super::stage::other_repository(&repository, path))?);
        }
        let sides = sides(&repository, &params)?;
        let summary = format!("differences in the repository at {}", repository.folder());
        Ok(Prepared {
            intent: Intent::read(summary),
            work: Work { params, repository, named: paths, folders, sides },
        })
    }

    fn run(&self, _permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        let Found { changed, unmerged, notes } = work.changed(call)?;
        let (params, repository) = (&work.params, &work.repository);
        let context = params.context as usize;
        let commits_alone = matches!(work.sides, Sides::TreeToTree(..));
        let reader = if commits_alone { repository.history()? } else { repository.reader()? };
        let mut comparison = if commits_alone {
            Comparison::of_commits(call, repository, &reader, context)?
        } else {
            Comparison::new(call, repository, &reader, context)?
        };
        let mut files = Files::new(params.limit_bytes as usize, params.stat_only);
        for (changed, in_work_tree) in changed {
            call.check_cancelled()?;
            files.take(&mut comparison, &changed, in_work_tree)?;
        }
        let ours = work.sides.of_unmerged(repository, &reader, &unmerged)?;
        let mut compared = 0;
        for (path, old) in unmerged.into_iter().zip(ours) {
            call.check_cancelled()?;
            let in_work_tree = !matches!(work.sides, Sides::TreeToIndex(_));
            if !in_work_tree {
                files.unmerged(shown(repository, call, path.as_bstr()).map(|path| path.to_text()));
                continue;
            }
            compared += 1;
            let changed = Changed { path, from: None, change: "unmerged", old, new: None };
            files.take(&mut comparison, &changed, true)?;
        }
        let nowhere = if commits_alone { Vec::new() } else { work.nowhere(call, &reader, &files)? };
        if !nowhere.is_empty() && nowhere.len() == work.named.len() {
            return Err(nothing_there(&nowhere));
        }
        let mut reply = reply(call, repository.folder(), files, params);
        if compared > 0 {
            let side =
                if matches!(work.sides, Sides::IndexToWorkTree) { "our side (`ours`)" } else { "`from`" };
            let paths = counted(compared, "unmerged path");
            reply.warnings.push(format!("{paths}: compared with {side}, conflict marks and all"));
        }
        reply.warnings.extend(notes);
        reply
            .warnings
            .extend(nowhere.iter().map(|path| format!("no file and no tracked path matches `{path}`")));
        Ok(reply)
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
    let reader = repository.history()?;
    let tree_of = |commit| revision::tree_of(&reader, commit).map_err(|error| repository.broken(&error));
    let tree = |revision: &str| Ok::<_, ToolError>(tree_of(revision::commit(&reader, revision)?)?);
    let is_range = params.from.contains("..") || params.from.contains("^-") || params.from.ends_with("^!");
    if is_range && params.to.is_empty() && !params.staged {
        let (from, to) = revision::one_or_two(&reader, &params.from)?;
        return Ok(match to {
            Some(to) => Sides::TreeToTree(tree_of(from)?, tree_of(to)?),
            None => Sides::TreeToWorkTree(tree_of(from)?),
        });
    }
    Ok(match (params.from.as_str(), params.to.as_str(), params.staged) {
        ("", "", false) => Sides::IndexToWorkTree,
        ("", _, true) => Sides::TreeToIndex(None),
        (from, _, true) => Sides::TreeToIndex(Some(tree(from)?)),
        ("", to, false) => Sides::TreeToTree(tree("HEAD")?, tree(to)?),
        (from, "", false) => Sides::TreeToWorkTree(tree(from)?),
        (from, to, false) => Sides::TreeToTree(tree(from)?, tree(to)?),
    })
}

/// Nothing of what was named is anywhere.
fn nothing_there(paths: &[String]) -> ToolError {
    let names: Vec<String> = paths.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    ToolError::new(
        Code::NotFound,
        format!("no file and no tracked path matches {}", names.join(", ")),
        "`paths` are files and folders, no patterns; git_status lists what changed, search_glob what there is",
    )
}

impl Sides {
    /// What each of the unmerged paths is compared with: our side of the conflict, or what the commit has.
    fn of_unmerged(
        self,
        repository: &Repository,
        reader: &gix::Repository,
        paths: &[BString],
    ) -> Result<Vec<Option<Entry>>, ToolError> {
        let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let index = reader.index_or_empty().map_err(broken)?;
        let of = |path: &BString| {
            if let Self::TreeToWorkTree(tree) = self {
                return entry_at(reader, tree, path);
            }
            let ours = index.entry_by_path_and_stage(path.as_bstr(), Stage::Ours);
            Ok(ours.map(|entry| Entry { mode: entry.mode.bits(), id: entry.id }))
        };
        paths.iter().map(of).collect::<gix::Result<Vec<_>>>().map_err(broken)
    }
}

/// What differs.
#[derive(Debug)]
struct Found {
    /// Each with whether its new side is in the work tree.
    changed: Vec<(Changed, bool)>,
    unmerged: Vec<BString>,
    /// What the reader should know of submodules.
    notes: Vec<String>,
}

impl Work {
    /// What was named and is neither in the index, nor in the commit, nor in the work tree.
    fn nowhere(
        &self,
        call: &Call,
        reader: &gix::Repository,
        files: &Files,
    ) -> Result<Vec<String>, ToolError> {
        let broken = |error: gix::Error| ToolError::from(self.repository.broken(&error));
        let mut nowhere = Vec::new();
        if self.named.is_empty() {
            return Ok(nowhere);
        }
        let index = reader.index_or_empty().map_err(broken)?;
        let head = || reader.head_tree_id_or_empty().map(|tree| Some(tree.detach()));
        let tree = match self.sides {
            Sides::TreeToWorkTree(tree) | Sides::TreeToIndex(Some(tree)) => Some(tree),
            _ => head().map_err(broken)?,
        };
        for (path, inside) in self.named.iter().zip(&self.folders) {
            let shown = path.to_text();
            let is_there = is_tracked(&index, inside)
                || files.list.iter().any(|file| file.path == shown)
                || !matches!(stat_walked(call.workspace.handle(), path), Ok(None))
                || tree.is_some_and(|tree| entry_at(reader, tree, inside).ok().flatten().is_some());
            if !is_there {
                nowhere.push(path.to_string());
            }
        }
        Ok(nowhere)
    }

    fn changed(&self, call: &Call) -> Result<Found, ToolError> {
        let (mut notes, mut closed) = (Vec::new(), Vec::new());
        let mut compare = |staged, unstaged| {
            let mut found = changes(
                &self.repository,
                Wanted { staged, unstaged, untracked: Untracked::No, renames: DIFF, believes_index: false },
                call,
            )?;
            if unstaged {
                if !self.folders.is_empty() {
                    found.keep_closed_in(&self.folders);
                }
                closed = found.notes(&self.repository, call);
                let mut inner = submodules(call, &self.repository, &found, Look::Files)?;
                inner.keep_in(&self.folders);
                notes = inner.notes();
                for changed in &inner.changed_inside {
                    let Some(path) = shown(&self.repository, call, changed.path.as_bstr()) else { continue };
                    notes.push(format!(
                        "files of the submodule `{path}` have changed; git_status and git_diff show them for a path in it"
                    ));
                }
                inner.settle(&mut found.unstaged);
                found.unstaged.sort_by(|left, right| left.path.cmp(&right.path));
            }
            Ok::<_, ToolError>(found)
        };
        let unmerged = |list: Vec<(BString, &str)>| list.into_iter().map(|(path, _)| path).collect();
        let (changed, unmerged) = match self.sides {
            Sides::IndexToWorkTree => {
                let mut found = compare(None, true)?;
                found.keep_in(&self.folders);
                // What is only announced (`git add -N`) may be what another path was.
                let changed = found.unstaged.into_iter().map(|changed| (changed, true)).collect();
                let changed = with_renames((call, &self.repository), changed, DIFF)?;
                (changed, unmerged(found.conflicted))
            }
            Sides::TreeToIndex(tree) => {
                let mut found = compare(Some(tree), false)?;
                found.keep_in(&self.folders);
                let changed = found.staged.into_iter().map(|changed| (changed, false)).collect();
                (changed, unmerged(found.conflicted))
            }
            Sides::TreeToWorkTree(tree) => {
                let mut found = compare(Some(Some(tree)), true)?;
                let (staged, unstaged) = (take(&mut found.staged), take(&mut found.unstaged));
                let list = self.joined(call, staged, unstaged);
                let mut list = with_renames((call, &self.repository), list, DIFF)?;
                list.retain(|(changed, _)| self.is_wanted(changed));
                found.keep_in(&self.folders);
                (list, unmerged(found.conflicted))
            }
            Sides::TreeToTree(from, to) => {
                let reader = self.repository.history()?;
                let staged = between((call, &self.repository), &reader, (Some(from), Some(to)), true)?;
                let mut found = Changes { staged, ..Changes::default() };
                found.keep_in(&self.folders);
                (found.staged.into_iter().map(|changed| (changed, false)).collect(), Vec::new())
            }
        };
        notes.append(&mut closed);
        Ok(Found { changed, unmerged, notes })
    }

    /// A tree against the work tree: what the index has changed, as far as the work tree still has it.
    fn joined(&self, call: &Call, staged: Vec<Changed>, unstaged: Vec<Changed>) -> Vec<(Changed, bool)> {
        let mut staged: BTreeMap<BString, Changed> =
            apart(staged).map(|changed| (changed.path.clone(), changed)).collect();
        let mut list: Vec<(Changed, bool)> = Vec::new();
        for changed in unstaged {
            let Some(before) = staged.remove(&changed.path) else {
                list.push((changed, true));
                continue;
            };
            let change = match (changed.change, before.old) {
                // It was never in the tree, and is no more.
                ("deleted", None) => continue,
                ("deleted", Some(_)) => "deleted",
                (_, None) => "added",
                (_, Some(old)) => modified(old.mode, self.mode_now(call, &changed).unwrap_or(old.mode)),
            };
            list.push((Changed { change, old: before.old, ..changed }, true));
        }
        list.extend(staged.into_values().map(|changed| (changed, false)));
        list.sort_by(|left, right| left.0.path.cmp(&right.0.path));
        list
    }

    fn is_wanted(&self, changed: &Changed) -> bool {
        let lies = |path: &BString| self.folders.iter().any(|folder| lies_in(path, folder));
        self.folders.is_empty() || lies(&changed.path) || changed.from.as_ref().is_some_and(lies)
    }

    /// What stands in the work tree, as far as it tells a link from a file.
    fn mode_now(&self, call: &Call, changed: &Changed) -> Option<u32> {
        let path = self.repository.in_workspace(changed.path.as_bstr())?;
        match (changed.new, stat_walked(call.workspace.handle(), &path).ok()??) {
            (Some(new), _) => Some(new.mode),
            (None, WalkKind::Link) => Some(LINK),
            (None, WalkKind::File) => Some(PLAIN),
            (None, _) => None,
        }
    }
}

/// Each path by itself; what the index takes for renamed may be another file in the work tree.
fn apart(staged: Vec<Changed>) -> impl Iterator<Item = Changed> {
    staged
        .into_iter()
        .flat_map(|changed| {
            let Some(from) = changed.from.clone() else { return [Some(changed), None] };
            let went = (changed.change == "renamed").then_some(Changed {
                path: from,
                from: None,
                change: "deleted",
                old: changed.old,
                new: None,
            });
            [Some(Changed { from: None, change: "added", old: None, ..changed }), went]
        })
        .flatten()
}

fn reply(call: &Call, folder: &RelPath, files: Files, params: &Params) -> Reply<Facts> {
    let (text, cut) = files.text(call, "ask for them with `paths` or a larger `limit_bytes`");
    let warning = files.warning();
    let filtered = files.list.iter().filter(|file| file.filtered).count();
    let (total, left_out, needed) = (files.list.len(), files.left_out, files.needed);
    let facts = Facts { files: files.list, complete: left_out == 0, blocked: files.blocked };
    let mut reply = Reply::new(text, facts);
    reply.truncated = cut.as_ref().map(CutTable::truncated);
    reply.handle = cut.and_then(|cut| cut.handle);
    reply.warnings.extend(warning.into_iter().chain(note_foreign(filtered)));
    if left_out > 0 {
        let shown = total - left_out;
        let mut next = params.clone();
        let paths: Vec<&str> = reply.data.files.iter().map(|file| file.path.as_str()).collect();
        let (seen, rest) = paths.split_at(shown);
        let within = if params.paths.is_empty() { &[folder.to_text()] } else { params.paths.as_slice() };
        let (names, covered) = go_on::next_paths(seen, rest, within);
        next.paths = names;
        reply.warnings.extend(go_on::note(covered, left_out));
        // The first of them fits whole; what does not fit then is asked for the same way.
        next.limit_bytes = u32::try_from(needed).unwrap_or(LIMIT_MAX).clamp(params.limit_bytes, LIMIT_MAX);
        let next = serde_json::to_value(next)
            .ok()
            .map(|args| NextCall { tool: GitDiff::SPEC.name.to_owned(), args });
        reply.truncated =
            Some(Truncated { shown: shown as u64, total: total as u64, unit: "files".to_owned(), next });
    }
    reply
}
