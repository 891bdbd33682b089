//! What differs between the trees of two commits.

use gix::{ObjectId, object::tree::diff::ChangeDetached, objs::tree::EntryMode};

use super::{
    changes::{Changed, Entry, modified},
    limited::{Limited, Recorder},
};
use crate::{
    tools::{Call, ToolError},
    workspace::repository::Repository,
};

/// Files that are compared with each other for renames, on each side: git's own number. A repository may ask for more.
const RENAMES: usize = 1000;
/// Bytes that all those comparisons look at together; where it would be more, only equal files count as renamed.
const RENAME_BYTES: u64 = 4 * 1024 * 1024 * 1024;

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
        let has = |change: &str| list.iter().any(|changed| changed.change == change);
        if renames && has("added") && has("deleted") {
            let cheap = is_cheap(reader, &list)?;
            list = with_renames(reader, &limits, &old, &new, cheap)?;
        }
        list.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(list)
    };
    compare().map_err(|error| limits.error().unwrap_or_else(|| repository.broken(&error).into()))
}

fn tree(reader: &gix::Repository, id: Option<ObjectId>) -> gix::Result<gix::Tree<'_>> {
    id.map_or_else(|| Ok(reader.empty_tree()), |id| reader.find_tree(id))
}

/// True when each file that went can be compared with each that came in reasonable time.
pub(super) fn is_cheap(reader: &gix::Repository, list: &[Changed]) -> gix::Result<bool> {
    let (mut sides, mut counts) = ([0_u64; 2], [0_u64; 2]);
    for changed in list {
        let (side, entry) = match (changed.old, changed.new) {
            (Some(entry), None) => (0, entry),
            (None, Some(entry)) => (1, entry),
            _ => continue,
        };
        counts[side] += 1;
        if counts[side] > (RENAMES * RENAMES) as u64 || counts[0] * counts[1] > (RENAMES * RENAMES) as u64 {
            return Ok(false);
        }
        sides[side] += reader.try_find_header(entry.id)?.map_or(0, |header| header.size());
    }
    let bytes = sides[0].saturating_mul(counts[1]).saturating_add(sides[1].saturating_mul(counts[0]));
    Ok(bytes <= RENAME_BYTES)
}

/// Without renames.
fn plain(limits: &Limited<'_>, old: &gix::Tree<'_>, new: &gix::Tree<'_>) -> gix::Result<Vec<Changed>> {
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

/// Where files are compared for renames. The index, which could only say what is no text, is not read for it.
pub(super) fn rename_cache(reader: &gix::Repository) -> gix::Result<gix::diff::blob::Platform> {
    use gix::{diff::blob::pipeline, worktree::stack::state::attributes::Source};
    let empty = gix::index::State::new(reader.object_hash());
    let attributes = reader.attributes_only(&empty, Source::IdMapping)?.detach();
    gix::diff::resource_cache(reader, pipeline::Mode::ToGit, attributes, pipeline::WorktreeRoots::default())
}

/// Renames as git is configured to find them; `None` where it is told not to.
pub(super) fn rewrites(reader: &gix::Repository, is_cheap: bool) -> gix::Result<Option<gix::diff::Rewrites>> {
    let (rewrites, configured) = gix::diff::new_rewrites(&reader.config_snapshot(), true)?;
    let mut rewrites = if configured { rewrites } else { Some(gix::diff::Rewrites::default()) };
    if let Some(rewrites) = &mut rewrites {
        rewrites.limit = if rewrites.limit == 0 { RENAMES } else { rewrites.limit.min(RENAMES) };
        // An empty file that went and one that came are one to git.
        rewrites.track_empty = true;
        if !is_cheap {
            // What is equal is still found.
            rewrites.percentage = None;
            rewrites.copies = None;
        }
    }
    Ok(rewrites)
}

fn with_renames(
    reader: &gix::Repository,
    limits: &Limited<'_>,
    old: &gix::Tree<'_>,
    new: &gix::Tree<'_>,
    is_cheap: bool,
) -> gix::Result<Vec<Changed>> {
    use gix::{diff::tree_with_rewrites, objs::TreeRefIter};
    let (mut cache, rewrites) = (rename_cache(reader)?, rewrites(reader, is_cheap)?);
    let mut list = Vec::new();
    tree_with_rewrites(
        TreeRefIter::from_bytes(&old.data, old.id.kind()),
        TreeRefIter::from_bytes(&new.data, new.id.kind()),
        &mut cache,
        &mut gix::diff::tree::State::default(),
        limits,
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
