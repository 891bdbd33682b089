//! What differs between the trees of two commits.

use gix::{ObjectId, objs::tree::EntryMode};

use super::{
    changes::{Changed, Entry, modified},
    limited::{Limited, Recorder},
    renames::{DIFF, Renames, paired, pairs},
};
use crate::{
    tools::{Call, ToolError},
    workspace::repository::Repository,
};

/// What turns `from` into `to`, in path order; `None` is the empty tree. Renames are looked for only where something went and
/// something came, which saves the most expensive part for most commits.
pub(super) fn between(
    (call, repository): (&Call, &Repository),
    reader: &gix::Repository,
    (from, to): (Option<ObjectId>, Option<ObjectId>),
    renames: bool,
) -> Result<Vec<Changed>, ToolError> {
    let limits = Limited::new(reader, call);
    let compare = || -> gix::Result<Vec<Changed>> {
        let (old, new) = (tree(reader, from)?, tree(reader, to)?);
        let mut list = plain(&limits, &old, &new)?;
        list.sort_by(|left, right| left.path.cmp(&right.path));
        let has = |change: &str| list.iter().any(|changed| changed.change == change);
        let wanted = renames && has("added") && has("deleted");
        if let Some(how) = Renames::configured(reader, DIFF).filter(|_| wanted) {
            let found = pairs(&limits, &list, how, &|| limits.check())?;
            list = paired(list, &found, |changed| changed);
        }
        Ok(list)
    };
    compare().map_err(|error| limits.error().unwrap_or_else(|| repository.broken(&error).into()))
}

fn tree(reader: &gix::Repository, id: Option<ObjectId>) -> gix::Result<gix::Tree<'_>> {
    id.map_or_else(|| Ok(reader.empty_tree()), |id| reader.find_tree(id))
}

/// Without renames.
pub(super) fn plain(
    limits: &Limited<'_>,
    old: &gix::Tree<'_>,
    new: &gix::Tree<'_>,
) -> gix::Result<Vec<Changed>> {
    use gix::{diff::tree::recorder::Change, objs::TreeRefIter};
    let mut recorder = Recorder::new(limits);
    gix::diff::tree(
        TreeRefIter::from_bytes(&old.data, old.id.kind()),
        TreeRefIter::from_bytes(&new.data, new.id.kind()),
        gix::diff::tree::State::default(),
        limits,
        &mut recorder,
    )
    .map_err(gix::Error::from_error)?;
    let list = recorder.records.into_iter().filter_map(|record| match record {
        Change::Addition { entry_mode, oid, path, .. } if !entry_mode.is_tree() => {
            Some(Changed { path, from: None, change: "added", old: None, new: Some(entry(entry_mode, oid)) })
        }
        Change::Deletion { entry_mode, oid, path, .. } if !entry_mode.is_tree() => Some(Changed {
            path,
            from: None,
            change: "deleted",
            old: Some(entry(entry_mode, oid)),
            new: None,
        }),
        Change::Modification { previous_entry_mode, previous_oid, entry_mode, oid, path }
            if !entry_mode.is_tree() =>
        {
            Some(Changed {
                path,
                from: None,
                change: modified(previous_entry_mode.value().into(), entry_mode.value().into()),
                old: Some(entry(previous_entry_mode, previous_oid)),
                new: Some(entry(entry_mode, oid)),
            })
        }
        _ => None,
    });
    Ok(list.collect())
}

fn entry(mode: EntryMode, id: ObjectId) -> Entry {
    Entry { mode: mode.value().into(), id }
}

/// What stands at `path` in a tree; `None` for nothing. The empty path is the tree itself.
pub(super) fn entry_at(reader: &gix::Repository, tree: ObjectId, path: &[u8]) -> gix::Result<Option<Entry>> {
    if path.is_empty() {
        return Ok(Some(Entry { mode: 0o040_000, id: tree }));
    }
    let names = path.split(|byte| *byte == b'/');
    let found = reader.find_tree(tree)?.lookup_entry(names)?;
    Ok(found.map(|found| entry(found.mode(), found.object_id())))
}
