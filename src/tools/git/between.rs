//! What differs between the trees of two commits.

use gix::{ObjectId, object::tree::diff::ChangeDetached, objs::tree::EntryMode};

use super::changes::{Changed, Entry, modified};

/// What turns `from` into `to`, in path order; `None` is the empty tree. Renames are looked for only where something went and
/// something came, which saves the most expensive part for most commits.
pub(super) fn between(
    reader: &gix::Repository,
    from: Option<ObjectId>,
    to: Option<ObjectId>,
    renames: bool,
) -> gix::Result<Vec<Changed>> {
    let (old, new) = (tree(reader, from)?, tree(reader, to)?);
    let mut list = plain(reader, &old, &new)?;
    let has = |change: &str| list.iter().any(|changed| changed.change == change);
    if renames && has("added") && has("deleted") {
        list = with_renames(reader, &old, &new)?;
    }
    list.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(list)
}

fn tree(reader: &gix::Repository, id: Option<ObjectId>) -> gix::Result<gix::Tree<'_>> {
    id.map_or_else(|| Ok(reader.empty_tree()), |id| reader.find_tree(id))
}

/// Without renames.
fn plain(reader: &gix::Repository, old: &gix::Tree<'_>, new: &gix::Tree<'_>) -> gix::Result<Vec<Changed>> {
    use gix::{diff::tree::recorder::Change, objs::TreeRefIter};
    let mut recorder = gix::diff::tree::Recorder::default();
    gix::diff::tree(
        TreeRefIter::from_bytes(&old.data, old.id.kind()),
        TreeRefIter::from_bytes(&new.data, new.id.kind()),
        gix::diff::tree::State::default(),
        &reader.objects,
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

/// With renames as git is configured to find them. The index, which could only say what is no text, is not read for it.
fn with_renames(
    reader: &gix::Repository,
    old: &gix::Tree<'_>,
    new: &gix::Tree<'_>,
) -> gix::Result<Vec<Changed>> {
    use gix::{
        diff::{blob::pipeline, tree_with_rewrites},
        objs::TreeRefIter,
        worktree::stack::state::attributes::Source,
    };
    let empty = gix::index::State::new(reader.object_hash());
    let attributes = reader.attributes_only(&empty, Source::IdMapping)?.detach();
    let roots = pipeline::WorktreeRoots::default();
    let mut cache = gix::diff::resource_cache(reader, pipeline::Mode::ToGit, attributes, roots)?;
    let (rewrites, configured) = gix::diff::new_rewrites(&reader.config_snapshot(), true)?;
    let rewrites = if configured { rewrites } else { Some(gix::diff::Rewrites::default()) };
    let mut list = Vec::new();
    tree_with_rewrites(
        TreeRefIter::from_bytes(&old.data, old.id.kind()),
        TreeRefIter::from_bytes(&new.data, new.id.kind()),
        &mut cache,
        &mut gix::diff::tree::State::default(),
        &reader.objects,
        |change| {
            list.extend(changed(change.into_owned()));
            Ok(std::ops::ControlFlow::Continue(()))
        },
        tree_with_rewrites::Options { location: Some(gix::diff::tree::recorder::Location::Path), rewrites },
    )
    .map_err(gix::Error::from_error)?;
    Ok(list)
}

fn changed(change: ChangeDetached) -> Option<Changed> {
    Some(match change {
        ChangeDetached::Addition { location, entry_mode, id, .. } if !entry_mode.is_tree() => Changed {
            path: location,
            from: None,
            change: "added",
            old: None,
            new: Some(entry(entry_mode, id)),
        },
        ChangeDetached::Deletion { location, entry_mode, id, .. } if !entry_mode.is_tree() => Changed {
            path: location,
            from: None,
            change: "deleted",
            old: Some(entry(entry_mode, id)),
            new: None,
        },
        ChangeDetached::Modification { location, previous_entry_mode, previous_id, entry_mode, id }
            if !entry_mode.is_tree() =>
        {
            Changed {
                path: location,
                from: None,
                change: modified(previous_entry_mode.value().into(), entry_mode.value().into()),
                old: Some(entry(previous_entry_mode, previous_id)),
                new: Some(entry(entry_mode, id)),
            }
        }
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
            old: Some(entry(source_entry_mode, source_id)),
            new: Some(entry(entry_mode, id)),
        },
        _ => return None,
    })
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
