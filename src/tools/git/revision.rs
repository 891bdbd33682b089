//! Revisions as a caller writes them: always names of commits, never flags, never a way to name an object by its id alone.
//!
//! Only commits are accepted: a tree or a blob has no path, so no rule could say whether it may be shown.

use gix::{ObjectId, bstr::ByteSlice, revision::plumbing::Spec};

use super::{branches, lookup::Lookup, message_search, upstream};
use crate::{
    text::visible,
    tools::{Code, ToolError},
    workspace::repository::{Failure as _, FailureKind},
};

/// No revision that means something is longer.
const REVISION_BYTES: usize = 1000;
/// Revisions that a history is made of.
const WORDS: usize = 100;

/// The commits of a history: what `tips` reach and `hidden` do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selected {
    pub(super) tips: Vec<ObjectId>,
    pub(super) hidden: Vec<ObjectId>,
    /// The same by ids, as a revision: it stays so whatever the branches do.
    pub(super) by_ids: String,
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
        Spec::ExcludeParents(id) => {
            let id = peel(reader, revision, id)?;
            match parents(reader, revision, id)?.as_slice() {
                [parent] => Ok((*parent, Some(id))),
                _ => Err(bad(
                    revision,
                    "it has no parent, or several: name the one to compare with, as in `a^1..a`",
                )),
            }
        }
        _ => Err(bad(revision, "a commit or `a..b` is needed")),
    }
}

/// The history that `revision` names: that of a commit, `a..b`, `a...b` (what only one of them has), `^a`, `a^@` (its parents),
/// `a^!` (it alone), or several of these, one of which is left out.
pub(super) fn history(reader: &gix::Repository, revision: &str) -> Result<Selected, ToolError> {
    let mut selected = Selected::default();
    let (Selected { tips, hidden, .. }, mut by_ids) = (&mut selected, Vec::new());
    let words = words(revision);
    if words.len() > WORDS {
        return Err(bad(revision, "it names more than 100 commits"));
    }
    for word in words {
        let peel = |id| peel(reader, word, id);
        by_ids.push(match parse(reader, word)? {
            Spec::Include(id) => {
                tips.push(peel(id)?);
                peel(id)?.to_string()
            }
            Spec::Exclude(id) => {
                hidden.push(peel(id)?);
                format!("^{}", peel(id)?)
            }
            Spec::Range { from, to } => {
                let (from, to) = (peel(from)?, peel(to)?);
                hidden.push(from);
                tips.push(to);
                format!("{from}..{to}")
            }
            Spec::Merge { theirs, ours } => {
                let (left, right) = (peel(theirs)?, peel(ours)?);
                let bases = reader
                    .merge_bases_many(left, &[right])
                    .map_err(|error| bad(revision, &error.to_string()))?;
                hidden.extend(bases.into_iter().map(gix::Id::detach));
                tips.extend([left, right]);
                format!("{left}...{right}")
            }
            Spec::IncludeOnlyParents(id) => {
                let id = peel(id)?;
                tips.extend(parents(reader, word, id)?);
                format!("{id}^@")
            }
            Spec::ExcludeParents(id) => {
                let id = peel(id)?;
                hidden.extend(parents(reader, word, id)?);
                tips.push(id);
                format!("{id}^!")
            }
        });
    }
    let leaves_out = by_ids.iter().filter(|word| word.starts_with('^')).count();
    if leaves_out == by_ids.len() {
        return Err(bad(revision, "it only says what to leave out"));
    }
    if leaves_out == 0 && by_ids.len() > 1 {
        return Err(bad(revision, "several are taken only where one of them is left out, as in `b ^a`"));
    }
    selected.by_ids = by_ids.join(" ");
    Ok(selected)
}

/// The revisions in it. Between braces, and in a text that is searched for, a space divides nothing.
fn words(revision: &str) -> Vec<&str> {
    let (mut words, mut depth, mut start) = (Vec::new(), 0_u32, 0);
    for (at, character) in revision.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 && !revision[start..].starts_with(":/") => {
                words.push(&revision[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    words.push(&revision[start..]);
    if words.len() > 1 {
        words.retain(|word| !word.is_empty());
    }
    words
}

fn parents(reader: &gix::Repository, revision: &str, id: ObjectId) -> Result<Vec<ObjectId>, ToolError> {
    let found = Lookup::new(reader).and_then(|mut lookup| lookup.find(id));
    Ok(found.map_err(|error| bad(revision, &error.to_string()))?.parents)
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
    if let Some(text) = revision.strip_prefix(":/") {
        return message_search::youngest(reader, revision, text).map(Spec::Include);
    }
    let named = upstream::named(reader, revision);
    let found = reader.rev_parse(named.as_bytes().as_bstr());
    let found = found.map_err(|error| match error.kind() {
        FailureKind::Denied => closed(revision),
        _ => unknown(reader, revision, &error.to_string()),
    })?;
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

/// The refusal of a revision that may well be one.
fn closed(revision: &str) -> ToolError {
    let shown = crate::text::prefix(revision, 200);
    ToolError::new(
        Code::PermissionDenied,
        format!("the system forbids access to what `{}` is found by in `.git`", visible(shown)),
        "git_status tells more; the user can change who may read there",
    )
}

/// The refusal of a revision that the library does not find; its words are for its own authors.
fn unknown(reader: &gix::Repository, revision: &str, reason: &str) -> ToolError {
    let has = |words: &str| reason.contains(words);
    let is_unborn = || reader.head().is_ok_and(|head| head.is_unborn());
    let is_shallow = || reader.is_shallow().unwrap_or(false);
    let plain = if (revision.starts_with("HEAD") || revision.starts_with('@')) && is_unborn() {
        "there is no commit yet"
    } else if has("couldn't parse revision") {
        "no branch, tag or commit is called so"
    } else if (has("NthAncestor") || has("NthParent") || has("delegate.traverse")) && is_shallow() {
        "there are not so many commits before it here: the clone is shallow"
    } else if has("NthAncestor") || has("NthParent") {
        "there are not so many commits before it"
    } else if has("delegate.traverse") {
        "it has no such parent"
    } else if has("nth_checked_out_branch") {
        "no other branch was checked out before"
    } else if has("sibling_branch(Push)") {
        "no branch that is kept here is the one it is pushed to"
    } else if has("sibling_branch") {
        "the branch follows none that is kept here"
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
