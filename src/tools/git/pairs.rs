//! Renames between a commit and the work tree, judged from what these two hold: the index may have taken for renamed what is
//! another file by now.

use std::collections::BTreeMap;

use gix::{
    ObjectId,
    bstr::ByteSlice,
    diff::{
        rewrites::{
            Tracker,
            tracker::{Change, ChangeKind, visit::SourceKind},
        },
        tree::visit::{Action, Relation},
    },
    objs::tree::{EntryKind, EntryMode},
};

use super::{
    between::{is_cheap, rename_cache, rewrites},
    changes::{Changed, Entry},
    limited::Limited,
    shown,
    side::{FILE_BYTES, WorkTree},
};
use crate::{
    tools::{Call, ToolError},
    workspace::repository::Repository,
};

/// A path that went, came or changed, as the library pairs them.
#[derive(Clone, Copy)]
struct Candidate {
    at: usize,
    kind: ChangeKind,
    entry: Entry,
}

impl Change for Candidate {
    fn id(&self) -> &gix::oid {
        &self.entry.id
    }

    fn relation(&self) -> Option<Relation> {
        None
    }

    fn kind(&self) -> ChangeKind {
        self.kind
    }

    fn entry_mode(&self) -> EntryMode {
        // No candidate is a tree, which would not take part.
        EntryMode::try_from(self.entry.mode).unwrap_or(EntryKind::Tree.into())
    }

    fn id_and_entry_mode(&self) -> (&gix::oid, EntryMode) {
        (self.id(), self.entry_mode())
    }
}

/// `list`, each with whether its new side is in the work tree, where what went and what came is one file.
pub(super) fn with_renames(
    (call, repository): (&Call, &Repository),
    list: Vec<(Changed, bool)>,
) -> Result<Vec<(Changed, bool)>, ToolError> {
    let has = |change: &str| list.iter().any(|(changed, _)| changed.change == change);
    if !has("added") || !has("deleted") {
        return Ok(list);
    }
    let reader = repository.reader()?.with_object_memory();
    let limits = Limited::new(&reader, call);
    let (sides, fits) = sides((call, repository), &reader, &list)?;
    let find = || -> gix::Result<BTreeMap<usize, (usize, bool)>> {
        let mut found = BTreeMap::new();
        let cheap = fits && is_cheap(&reader, &sides)?;
        let Some(rewrites) = rewrites(&reader, cheap)? else { return Ok(found) };
        let mut tracker = Tracker::new(rewrites);
        for (at, side) in sides.iter().enumerate() {
            let (kind, entry) = match (side.old, side.new) {
                (Some(old), None) if side.change == "deleted" => (ChangeKind::Deletion, old),
                (None, Some(new)) => (ChangeKind::Addition, new),
                (Some(old), _) => (ChangeKind::Modification, old),
                (None, None) => continue,
            };
            tracker.try_push_change(Candidate { at, kind, entry }, side.path.as_bstr());
        }
        tracker.emit(
            |to, from| {
                if let Some(from) = from {
                    found.insert(to.change.at, (from.change.at, from.kind == SourceKind::Copy));
                }
                Action::Continue(())
            },
            &mut rename_cache(&reader)?,
            &limits,
            |_| Ok::<_, std::convert::Infallible>(()),
        )?;
        Ok(found)
    };
    let found = find().map_err(|error| limits.error().unwrap_or_else(|| repository.broken(&error).into()))?;
    let mut paired = list.clone();
    for (to, (from, copied)) in &found {
        let (source, changed) = (&list[*from].0, &mut paired[*to].0);
        changed.from = Some(source.path.clone());
        changed.change = if *copied { "copied" } else { "renamed" };
        changed.old = source.old;
    }
    let went = |at: usize| found.values().any(|(from, copied)| *from == at && !copied);
    Ok(paired.into_iter().enumerate().filter(|(at, _)| !went(*at)).map(|(_, changed)| changed).collect())
}

/// `list` with what came into the work tree as git would store it, in the memory of `reader`; and whether all of it fits there.
/// What cannot be read or shown is no candidate.
fn sides(
    (call, repository): (&Call, &Repository),
    reader: &gix::Repository,
    list: &[(Changed, bool)],
) -> Result<(Vec<Changed>, bool), ToolError> {
    let mut work_tree = WorkTree::new(call, repository, reader)?;
    let (mut sides, mut held, mut fits) = (Vec::new(), 0, true);
    for (changed, in_work_tree) in list {
        call.check_cancelled()?;
        let mut side = changed.clone();
        if *in_work_tree && changed.change == "added" && changed.new.is_none() {
            let git_path = changed.path.as_bstr();
            let stored = shown(repository, call, git_path).and_then(|path| {
                let foreign = work_tree.foreign(&path, git_path).ok()?;
                foreign.is_none().then(|| work_tree.stored(&path, git_path, None).ok().flatten())?
            });
            if let Some(stored) = stored {
                held += stored.bytes.len() as u64;
                fits = held <= FILE_BYTES;
                side.new = Some(Entry { mode: stored.mode, id: kept(reader, &stored.bytes, fits)? });
            }
        }
        sides.push(side);
    }
    Ok((sides, fits))
}

/// The id of these bytes; with `keep` they can be read by it.
fn kept(reader: &gix::Repository, bytes: &[u8], keep: bool) -> Result<ObjectId, ToolError> {
    if keep {
        return reader.write_blob(bytes).map(gix::Id::detach).map_err(ToolError::internal);
    }
    gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, bytes).map_err(ToolError::internal)
}
