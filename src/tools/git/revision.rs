//! Revisions as a caller writes them: always names of commits, never flags, never a way to name an object by its id alone.
//!
//! Only commits are accepted: a tree or a blob has no path, so no rule could say whether it may be shown.

use gix::{ObjectId, bstr::ByteSlice, revision::plumbing::Spec};

use super::branches;
use crate::{
    text::visible,
    tools::{Code, ToolError},
};

/// No revision that means something is longer.
const REVISION_BYTES: usize = 1000;

/// The commits of a history: what `tips` reach and `hidden` do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selected {
    pub(super) tips: Vec<ObjectId>,
    pub(super) hidden: Vec<ObjectId>,
}

/// The one commit that `revision` names.
pub(super) fn commit(reader: &gix::Repository, revision: &str) -> Result<ObjectId, ToolError> {
    match parse(reader, revision)? {
        Spec::Include(id) => peel(reader, revision, id),
        _ => Err(bad(revision, "one commit is needed here, not a range")),
    }
}

/// One commit, or the two ends of `a..b`; for `a...b` the first is where the two parted.
pub(super) fn one_or_two(
    reader: &gix::Repository,
    revision: &str,
) -> Result<(ObjectId, Option<ObjectId>), ToolError> {
    match parse(reader, revision)? {
        Spec::Include(id) => Ok((peel(reader, revision, id)?, None)),
        Spec::Range { from, to } => Ok((peel(reader, revision, from)?, Some(peel(reader, revision, to)?))),
        Spec::Merge { theirs, ours } => {
            let (left, right) = (peel(reader, revision, theirs)?, peel(reader, revision, ours)?);
            let base = reader.merge_base(left, right).map_err(|error| bad(revision, &error.to_string()))?;
            let base = base.ok_or_else(|| bad(revision, "the two have no common ancestor"))?;
            Ok((base.detach(), Some(right)))
        }
        _ => Err(bad(revision, "a commit or `a..b` is needed")),
    }
}

/// The history that `revision` names: that of a commit, `a..b`, or `a...b` (what only one of them has).
pub(super) fn history(reader: &gix::Repository, revision: &str) -> Result<Selected, ToolError> {
    let peel = |id| peel(reader, revision, id);
    Ok(match parse(reader, revision)? {
        Spec::Include(id) => Selected { tips: vec![peel(id)?], hidden: Vec::new() },
        Spec::Range { from, to } => Selected { tips: vec![peel(to)?], hidden: vec![peel(from)?] },
        Spec::Merge { theirs, ours } => {
            let (left, right) = (peel(theirs)?, peel(ours)?);
            let bases =
                reader.merge_bases_many(left, &[right]).map_err(|error| bad(revision, &error.to_string()))?;
            Selected { tips: vec![left, right], hidden: bases.into_iter().map(gix::Id::detach).collect() }
        }
        _ => return Err(bad(revision, "a commit, `a..b` or `a...b` is needed")),
    })
}

/// The tree of a commit.
pub(super) fn tree_of(reader: &gix::Repository, commit: ObjectId) -> gix::Result<ObjectId> {
    Ok(reader.find_commit(commit)?.tree_id()?.detach())
}

fn parse(reader: &gix::Repository, revision: &str) -> Result<Spec, ToolError> {
    if revision.is_empty() || revision.len() > REVISION_BYTES {
        return Err(bad(revision, "it is empty or longer than 1000 bytes"));
    }
    if revision.starts_with('-') {
        return Err(bad(revision, "a revision is needed, not a flag"));
    }
    if revision.chars().any(char::is_control) {
        return Err(bad(revision, "it has a line break or another control character in it"));
    }
    let found = reader.rev_parse(revision.as_bytes().as_bstr());
    let found = found.map_err(|error| unknown(reader, revision, &error.to_string()))?;
    if found.path_and_mode().is_some() {
        return Err(bad(revision, "it names a file or folder; a commit is needed"));
    }
    Ok(found.detach())
}

fn peel(reader: &gix::Repository, revision: &str, id: ObjectId) -> Result<ObjectId, ToolError> {
    let object = reader.find_object(id).map_err(|error| bad(revision, &error.to_string()))?;
    let commit = object.peel_to_commit().map_err(|_| bad(revision, "it is no commit"))?;
    Ok(commit.id)
}

/// The refusal of a revision that the library does not find; its words are for its own authors.
fn unknown(reader: &gix::Repository, revision: &str, reason: &str) -> ToolError {
    let has = |words: &str| reason.contains(words);
    let is_unborn = || reader.head().is_ok_and(|head| head.is_unborn());
    let plain = if (revision.starts_with("HEAD") || revision.starts_with('@')) && is_unborn() {
        "there is no commit yet"
    } else if has("couldn't parse revision") {
        "no branch, tag or commit is called so"
    } else if has("NthAncestor") || has("NthParent") {
        "there are not so many commits before it"
    } else if has("nth_checked_out_branch") {
        "no other branch was checked out before"
    } else if has("sibling_branch") {
        "the branch follows no other"
    } else if has("reflog") {
        "what was at that time is not recorded"
    } else if has("unknown navigation") {
        "what it says behind `^`, `~` or `@` leads to no commit"
    } else if has("peel_until") {
        "it is no commit"
    } else if has("could not parse number") {
        "the number in it is too large"
    } else {
        reason
    };
    let near = branches::near(reader, revision);
    bad(revision, plain).with_candidates(near)
}

/// The refusal of a revision.
pub(super) fn bad(revision: &str, reason: &str) -> ToolError {
    let shown = crate::text::prefix(revision, 200);
    ToolError::new(
        Code::BadRevision,
        format!("`{}` is no revision: {}", visible(shown), visible(reason)),
        "give a branch, a tag, a commit id, or e.g. `HEAD~2`; git_status with `branches` lists branches",
    )
}
