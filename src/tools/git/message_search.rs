//! `:/text`: the youngest commit with such a message, of all that any reference or HEAD reaches.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashSet},
    time::{Duration, Instant},
};

use gix::ObjectId;
use grep_matcher::Matcher as _;
use grep_regex::RegexMatcher;

use super::{lookup::Lookup, revision::bad};
use crate::{
    limits,
    tools::{ToolError, regular_expression},
};

/// A commit to be looked at: the newest first, of equally old ones the one that was seen first.
type Waiting = (i64, Reverse<usize>, ObjectId, Vec<ObjectId>);

/// Finds it. `text` is a regular expression, after `!-` one that must not match.
pub(super) fn youngest(reader: &gix::Repository, revision: &str, text: &str) -> Result<ObjectId, ToolError> {
    let (pattern, wanted) = match text.strip_prefix('!') {
        None => (text, true),
        Some(rest) if rest.starts_with('!') => (rest, true),
        Some(rest) => match rest.strip_prefix('-') {
            Some(pattern) => (pattern, false),
            None => {
                return Err(bad(revision, "`!` has to be followed by `-` (not this text) or `!` (itself)"));
            }
        },
    };
    // As the message is one text to git, a line end is a character like others.
    let built = regular_expression::builder().dot_matches_new_line(true).build(pattern);
    let matcher = built.map_err(|error| bad(revision, &error.to_string()))?;
    let found = find(reader, &matcher, wanted).map_err(|error| bad(revision, &error.to_string()))?;
    match found {
        Found::Commit(id) => Ok(id),
        Found::Nothing => Err(bad(revision, "no commit has such a message")),
        Found::Late => Err(bad(revision, "the history is too long to be looked through in 30 seconds")),
    }
}

enum Found {
    Commit(ObjectId),
    Nothing,
    Late,
}

fn find(reader: &gix::Repository, matcher: &RegexMatcher, wanted: bool) -> gix::Result<Found> {
    let deadline = Instant::now() + Duration::from_secs(limits::SEARCH_SECONDS);
    let mut lookup = Lookup::new(reader)?;
    let (mut waiting, mut seen) = (BinaryHeap::<Waiting>::new(), HashSet::new());
    for id in tips(reader)? {
        wait(&mut lookup, id, &mut waiting, &mut seen)?;
    }
    while let Some((_, _, id, parents)) = waiting.pop() {
        if Instant::now() >= deadline {
            return Ok(Found::Late);
        }
        let commit = reader.find_commit(id)?;
        let message = commit.message_raw_sloppy();
        if matcher.is_match(message).unwrap_or(false) == wanted {
            return Ok(Found::Commit(id));
        }
        for parent in parents {
            wait(&mut lookup, parent, &mut waiting, &mut seen)?;
        }
    }
    Ok(Found::Nothing)
}

/// What the references and HEAD lead to, as far as that are commits.
fn tips(reader: &gix::Repository) -> gix::Result<Vec<ObjectId>> {
    let references = reader.references()?;
    let peeled = references.all()?.peeled()?.filter_map(Result::ok).filter_map(|found| found.detach().peeled);
    let mut tips: Vec<ObjectId> = peeled.collect();
    tips.extend(reader.head_id().ok().map(gix::Id::detach));
    tips.retain(|id| reader.find_header(*id).is_ok_and(|header| header.kind().is_commit()));
    Ok(tips)
}

fn wait(
    lookup: &mut Lookup<'_>,
    id: ObjectId,
    waiting: &mut BinaryHeap<Waiting>,
    seen: &mut HashSet<ObjectId>,
) -> gix::Result<()> {
    if seen.insert(id) {
        let found = lookup.find(id)?;
        waiting.push((found.time, Reverse(seen.len()), id, found.parents));
    }
    Ok(())
}
