//! `git_show`: one commit with its patch, or a file as it was then.
//!
//! Only commits are shown, never an object by its bare id: a rule can only judge what has a path.

use std::fmt::Write as _;

use gix::{ObjectId, bstr::ByteSlice, index::entry::Stage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    between::entry_at,
    commit_facts::{CommitFacts, time_iso},
    compare::Comparison,
    file_at::{self, FileAt},
    file_facts::{CutTable, Files},
    go_on,
    history::Step,
    log::changed_in,
    mailmap::Mailmap,
    mended, named,
    past_path::past_path,
    revision,
};
use crate::{
    config::Profile,
    limits,
    policy::{Intent, Permit},
    relpath::RelPath,
    text::visible,
    tier::Tier,
    tools::{Call, NextCall, Prepared, READS, Reply, Tool, ToolError, ToolSpec, Truncated, secret_looking},
    workspace::repository::Repository,
};

/// Bytes of text of one answer.
const TEXT_BYTES: usize = limits::READ_BYTES as usize;
/// Lines around each change of a patch.
const CONTEXT: usize = 3;

/// `git_show`.
#[derive(Clone, Copy, Debug)]
pub struct GitShow;

/// What to show.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Commit, branch or tag; `rev:path` too.
    pub rev: String,
    /// Instead: this, as it was then. A nested repository: its commit.
    #[serde(default)]
    pub path: String,
}

/// The facts; patch and file text are in the text.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Facts {
    /// `commit`, or what the path was: `text`, `binary`, `link`, `submodule` or `dir-hint`.
    pub kind: String,
    /// The commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitFacts>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileAt>,
    /// The whole patch or file is shown.
    pub complete: bool,
    /// Files that the configuration blocks; they are not shown.
    pub blocked: u64,
}

/// Something that can be shown.
#[derive(Debug)]
pub struct Work {
    repository: Repository,
    at: At,
    rev: String,
    /// The file instead of the commit.
    path: Option<RelPath>,
    tag: String,
}

#[derive(Clone, Copy, Debug)]
enum At {
    Commit(ObjectId),
    Index(Stage),
}

impl At {
    /// What a path means there.
    fn path(
        self,
        call: &Call,
        (today, written): (RelPath, &str),
        repository: &Repository,
        reader: &gix::Repository,
    ) -> Result<RelPath, ToolError> {
        past_path(call, (written, today), repository, |inside| match self {
            Self::Commit(commit) => {
                Ok(entry_at(reader, revision::tree_of(reader, commit)?, inside)?.is_some())
            }
            Self::Index(stage) => {
                Ok(reader.index_or_empty()?.entry_by_path_and_stage(inside.as_bstr(), stage).is_some())
            }
        })
    }
}

impl Tool for GitShow {
    type Params = Params;
    type Output = Facts;
    type Work = Work;

    const SPEC: ToolSpec = ToolSpec {
        name: "git_show",
        title: "Git show",
        description: "Shows a commit: author, message, files, patch (of a merge: against its first parent). With \
            `path` that file or folder at the revision.",
        profile: Profile::Read,
        tier: Tier::Auto,
        annotations: READS,
    };

    const OPENS_BY_NAME: bool = true;

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        let (rev, written) = rev_and_path(&params);
        let path = written.map(|path| named(call, path)).transpose()?;
        let repository = Repository::containing(&call.workspace, path.as_ref().unwrap_or(&RelPath::root()))?;
        let (path, written) =
            if picks_only(&params, &repository, path.as_ref()) { (None, None) } else { (path, written) };
        let reader = repository.history()?;
        let at = match staged(rev).filter(|_| path.is_some()) {
            Some(stage) => At::Index(stage),
            None => At::Commit(revision::commit(&reader, rev)?),
        };
        let tag = tag(&reader, rev).unwrap_or_default();
        let today = path.clone();
        let path = path.zip(written).map(|named| at.path(call, named, &repository, &reader)).transpose()?;
        let mut intent = Intent::read(match &path {
            None => format!("show {}", visible(rev)),
            Some(path) => format!("show {path} at {}", visible(rev)),
        });
        intent.raises.extend(path.iter().chain(&today).find_map(|path| secret_looking(call, path)));
        Ok(Prepared { intent, work: Work { repository, at, rev: rev.to_owned(), path, tag } })
    }

    fn run(&self, _permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        match (work.at, &work.path) {
            (At::Commit(commit), None) => work.show_commit(call, &work.repository.history()?, commit),
            (At::Commit(commit), Some(path)) => {
                let reader = work.repository.history()?;
                file_at::show(call, &work.repository, &reader, commit, (&work.rev, path))
            }
            (At::Index(stage), path) => {
                let reader = work.repository.reader()?;
                let path = path.clone().unwrap_or_default();
                file_at::show_staged(call, &work.repository, &reader, stage, &path)
            }
        }
    }
}

/// The revision and the path, also where they are written as git does.
fn rev_and_path<'a>(params: &'a Params) -> (&'a str, Option<&'a str>) {
    if !params.path.is_empty() {
        return (&params.rev, Some(&params.path));
    }
    let mut depth = 0_u32;
    let colon = params.rev.char_indices().find(|(_, character)| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && *character == ':'
    });
    let rev = params.rev.as_str();
    let whole = |path: &'a str| if path.is_empty() { "." } else { path };
    // The tree of a commit is its root.
    let of_commit = |rev: &'a str| rev.strip_suffix("^{tree}").unwrap_or(rev);
    match colon {
        Some((0, _)) if rev.starts_with(":/") => (rev, None),
        Some((0, _)) => match rev.as_bytes() {
            [_, b'0'..=b'3', b':', ..] => (&rev[..2], Some(whole(&rev[3..]))),
            _ => (&rev[..1], Some(whole(&rev[1..]))),
        },
        Some((at, _)) => (of_commit(&rev[..at]), Some(whole(&rev[at + 1..]))),
        None if rev.ends_with("^{tree}") => (of_commit(rev), Some(".")),
        None => (rev, None),
    }
}

/// The path is the folder of a repository in the workspace, written as that: it says where the commit is looked for.
fn picks_only(params: &Params, repository: &Repository, path: Option<&RelPath>) -> bool {
    let is_its_folder = path.is_some_and(|path| !path.is_root() && path == repository.folder());
    is_its_folder && !params.path.is_empty() && !params.path.ends_with("/.")
}

/// Which of the index is meant by what stands before a path.
fn staged(rev: &str) -> Option<Stage> {
    Some(match rev {
        ":" | ":0" => Stage::Unconflicted,
        ":1" => Stage::Base,
        ":2" => Stage::Ours,
        ":3" => Stage::Theirs,
        _ => return None,
    })
}

/// What an annotated tag says.
fn tag(reader: &gix::Repository, rev: &str) -> Option<String> {
    let object = reader.rev_parse_single(rev.as_bytes().as_bstr()).ok()?.object().ok()?;
    let tag = object.try_into_tag().ok()?;
    let tag = tag.decode().ok()?;
    let tagger = tag.tagger().ok().flatten();
    let mut text = format!("tag {}\n", visible(&tag.name.to_str_lossy()));
    if let Some(tagger) = tagger {
        let (name, email) = (tagger.name.to_str_lossy(), tagger.email.to_str_lossy());
        let time = tagger.time().map(time_iso).unwrap_or_default();
        let _ = writeln!(text, "Tagger: {} <{}>\nDate: {time}", visible(&name), visible(&email));
    }
    for line in tag.message.to_str_lossy().lines() {
        let _ = writeln!(text, "    {}", visible(line));
    }
    text.push('\n');
    Some(text)
}

impl Work {
    fn show_commit(
        &self,
        call: &Call,
        reader: &gix::Repository,
        id: ObjectId,
    ) -> Result<Reply<Facts>, ToolError> {
        let broken = |error: gix::Error| ToolError::from(self.repository.broken(&error));
        let commit = reader.find_commit(id).map_err(broken)?;
        let shallow = reader.shallow_commits().map_err(broken)?;
        let is_cut = shallow.is_some_and(|commits| commits.contains(&id));
        let parents: Vec<ObjectId> =
            if is_cut { Vec::new() } else { commit.parent_ids().map(gix::Id::detach).collect() };
        let tree = commit.tree_id().map_err(broken)?.detach();
        let bytes = mended::mended(&commit.data);
        let mailmap = Mailmap::of_log(call, &self.repository, reader);
        let mut facts = CommitFacts::of(id, &mended::decoded(&bytes).map_err(broken)?, &parents, &mailmap);
        let step = Step { id, tree, parents, time: 0, counts: true };
        let mut files = Files::new(TEXT_BYTES, false);
        let mut comparison = Comparison::of_commits(call, &self.repository, reader, CONTEXT)?;
        for changed in changed_in((call, &self.repository), reader, &step, &[])? {
            call.check_cancelled()?;
            files.take(&mut comparison, &changed, false)?;
        }
        let mut text = format!("{}{}\n", self.tag, facts.block());
        if step.parents.len() > 1 {
            text.push_str("A merge; against its first parent:\n");
        }
        let (next, covered) = rest_of(&step, &files, self.repository.folder()).unzip();
        let one = if step.parents.is_empty() { " (its files one by one)" } else { "" };
        let ask = next.as_ref().map(|next| format!("next{one}: {} {}", next.tool, next.args));
        let (told, cut) = files.text(call, &ask.unwrap_or_default());
        text.push_str(&told);
        let (total, left_out, warning) = (files.list.len(), files.left_out, files.warning());
        facts.files = Some(files.list);
        let mut reply = Reply::new(
            text,
            Facts {
                kind: "commit".to_owned(),
                commit: Some(facts),
                file: None,
                complete: left_out == 0,
                blocked: files.blocked,
            },
        );
        reply.warnings.extend(warning);
        if is_cut {
            let told = "the history that is here begins at this commit (a shallow clone): its files are shown as if it had made all \
                        of them";
            reply.warnings.push(told.to_owned());
        }
        reply.warnings.extend(covered.and_then(|covered| go_on::note(covered, left_out)));
        reply.truncated = cut.as_ref().map(CutTable::truncated);
        reply.handle = cut.and_then(|cut| cut.handle);
        if left_out > 0 {
            let shown = (total - left_out) as u64;
            reply.truncated = Some(Truncated { shown, total: total as u64, unit: "files".to_owned(), next });
        }
        Ok(reply)
    }
}

/// The call for what did not fit: the patches of some files, or where there is no parent that `git_diff` could compare with, the first
/// file as it was made.
fn rest_of(step: &Step, files: &Files, folder: &RelPath) -> Option<(NextCall, usize)> {
    let paths: Vec<&str> = files.list.iter().map(|file| file.path.as_str()).collect();
    let (seen, rest) = paths.split_at(paths.len() - files.left_out);
    let (first, id) = (rest.first()?, step.id.to_string());
    let limit = files.needed.clamp(TEXT_BYTES * 4, super::diff::LIMIT_MAX as usize);
    let Some(parent) = step.parents.first() else {
        let args = json!({ "rev": id, "path": first });
        // Its files one by one, as the text says.
        return Some((NextCall { tool: "git_show".to_owned(), args }, files.left_out));
    };
    let (paths, covered) = go_on::next_paths(seen, rest, &[folder.to_text()]);
    let args = json!({ "from": parent.to_string(), "to": id, "paths": paths, "limit_bytes": limit });
    Some((NextCall { tool: "git_diff".to_owned(), args }, covered))
}

#[cfg(test)]
mod tests {
    use super::{Params, rev_and_path};

    fn check(rev: &str, expected: (&str, Option<&str>)) {
        let params = Params { rev: rev.to_owned(), path: String::new() };
        assert_eq!(rev_and_path(&params), expected);
    }

    #[test]
    fn a_path_may_stand_behind_a_colon() {
        check("HEAD", ("HEAD", None));
        check("HEAD:src/a.rs", ("HEAD", Some("src/a.rs")));
        check("HEAD:", ("HEAD", Some(".")));
        check("HEAD^{/fix: it}", ("HEAD^{/fix: it}", None));
        check(":/fix", (":/fix", None));
        check(":/fix: it", (":/fix: it", None));
        check(":src/a.rs", (":", Some("src/a.rs")));
        check(":2:a.rs", (":2", Some("a.rs")));
        check(":4:a.rs", (":", Some("4:a.rs")));
        check("HEAD~^{tree}", ("HEAD~", Some(".")));
        check("v1^{tree}:a.rs", ("v1", Some("a.rs")));
    }
}
