//! Objects are looked at with gix before libgit2 reads them: libgit2 never comes back from a loose object that is cut off.

use gix::ObjectId;

use super::libgit2;
use crate::{tools::ToolError, workspace::repository::Repository};

/// An error when HEAD's commit, or any folder of its tree, cannot be read.
pub(super) fn head(
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
    tree(repository, reader, opened, commit.tree_id().map_err(broken)?.detach())?;
    // An amended commit is compared with the one before.
    if let Some(parent) = commit.parent_ids().next()
        && let Some(parent) = reader.try_find_object(parent).map_err(broken)?
    {
        let parent = parent.try_into_commit().map_err(broken)?;
        tree(repository, reader, opened, parent.tree_id().map_err(broken)?.detach())?;
    }
    Ok(())
}

/// An error when a tree, or any folder in it, cannot be read. One that is only in memory yet is read where it is.
pub(super) fn tree(
    repository: &Repository,
    reader: &gix::Repository,
    opened: &git2::Repository,
    root: ObjectId,
) -> Result<(), ToolError> {
    let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
    let mut waiting = vec![root];
    let mut seen = std::collections::HashSet::new();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        if let Some(found) = reader.try_find_object(id).map_err(broken)? {
            let found = found.try_into_tree().map_err(broken)?;
            let entries = found.decode().map_err(broken)?.entries;
            waiting.extend(
                entries.iter().filter(|entry| entry.mode.is_tree()).map(|entry| entry.oid.to_owned()),
            );
            continue;
        }
        let id = git2::Oid::from_bytes(id.as_bytes()).map_err(|error| libgit2(repository, &error))?;
        let found = opened.find_tree(id).map_err(|error| libgit2(repository, &error))?;
        let folders = found.iter().filter(|entry| entry.kind() == Some(git2::ObjectType::Tree));
        waiting.extend(folders.map(|entry| ObjectId::from_bytes_or_panic(entry.id().as_bytes())));
    }
    Ok(())
}
