//! Renames between a commit and the work tree, judged from what these two hold: the index may have taken for renamed what is
//! another file by now.

use gix::{ObjectId, bstr::ByteSlice};

use super::{
    changes::{Changed, Entry},
    limited::Limited,
    renames::{Renames, paired, pairs},
    shown,
    side::{FILE_BYTES, WorkTree},
};
use crate::{
    tools::{Call, ToolError},
    workspace::repository::Repository,
};

/// `list`, each with whether its new side is in the work tree, where what went and what came is one file.
pub(super) fn with_renames(
    (call, repository): (&Call, &Repository),
    list: Vec<(Changed, bool)>,
    sections: &[&str],
) -> Result<Vec<(Changed, bool)>, ToolError> {
    let has = |change: &str| list.iter().any(|(changed, _)| changed.change == change);
    if !has("added") || !has("deleted") {
        return Ok(list);
    }
    let reader = repository.reader()?.with_object_memory();
    let limits = Limited::new(&reader, call);
    let (sides, fits) = sides((call, repository), &reader, &list)?;
    let Some(renames) = Renames::configured(&reader, sections) else { return Ok(list) };
    let how = Renames { is_exact: !fits, ..renames };
    let found = pairs(&limits, &sides, how, &|| limits.check())
        .map_err(|error| limits.error().unwrap_or_else(|| repository.broken(&error).into()))?;
    Ok(paired(list, &found, |(changed, _)| changed))
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
