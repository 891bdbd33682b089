//! Objects are looked at with gix before libgit2 reads them: libgit2 never comes back from a loose object that is cut off,
//! nor from a tree that expands to more than the machine can hold.

use gix::ObjectId;

use super::{libgit2, survey};
use crate::{
    tools::{Call, ToolError},
    workspace::repository::Repository,
};

/// An error when HEAD's commit, or any folder of its tree, cannot be read.
pub(super) fn head(
    call: &Call,
    repository: &Repository,
    reader: &gix::Repository,
    opened: &git2::Repository,
) -> Result<(), ToolError> {
    let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
    let head = reader.head().map_err(broken)?;
    if head.is_unborn() {
        return Ok(());
    }
    let commit = reader.head_commit().map_err(broken)?;
    tree(call, repository, reader, opened, commit.tree_id().map_err(broken)?.detach())?;
    // An amended commit is compared with the one before.
    if let Some(parent) = commit.parent_ids().next()
        && let Some(parent) = reader.try_find_object(parent).map_err(broken)?
    {
        let parent = parent.try_into_commit().map_err(broken)?;
        tree(call, repository, reader, opened, parent.tree_id().map_err(broken)?.detach())?;
    }
    Ok(())
}

/// An error when a tree, or any folder in it, cannot be read, or expands to more than can be handled. One that is only in memory
/// yet is read where it is.
pub(super) fn tree(
    call: &Call,
    repository: &Repository,
    reader: &gix::Repository,
    opened: &git2::Repository,
    root: ObjectId,
) -> Result<(), ToolError> {
    let in_memory = |id: ObjectId| -> Result<Vec<u8>, git2::Error> {
        Ok(opened.odb()?.read(git2::Oid::from_bytes(id.as_bytes())?)?.data().to_vec())
    };
    let read = |id: ObjectId| -> Result<Option<Vec<u8>>, ToolError> {
        if let Some(bytes) = bytes(repository, reader, id)? {
            return Ok(Some(bytes));
        }
        in_memory(id).map(Some).map_err(|error| libgit2(repository, &error))
    };
    survey::check(repository, root, &read, &|| call.check_cancelled())
}

/// The same for one that is in the store.
pub(super) fn stored_tree(
    call: &Call,
    repository: &Repository,
    reader: &gix::Repository,
    root: ObjectId,
) -> Result<(), ToolError> {
    survey::check(repository, root, &|id| bytes(repository, reader, id), &|| call.check_cancelled())
}

/// The bytes of a tree; nothing where the store has none with this id.
pub(super) fn bytes(
    repository: &Repository,
    reader: &gix::Repository,
    id: ObjectId,
) -> Result<Option<Vec<u8>>, ToolError> {
    let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
    let Some(found) = reader.try_find_object(id).map_err(broken)? else { return Ok(None) };
    Ok(Some(found.try_into_tree().map_err(broken)?.detach().data))
}
