//! Executable files in whose place a link stands. The library takes these for files and opens what they lead to, so they are left
//! out of its comparison where that fails.

use gix::bstr::BString;

use super::{encoded::UNSEEN, side::EXECUTABLE};
use crate::{
    tools::{Call, ToolError},
    workspace::{
        repository::Repository,
        walk::{WalkKind, stat_walked},
    },
};

/// Their paths.
pub(super) fn became_links(call: &Call, repository: &Repository) -> Result<Vec<BString>, ToolError> {
    let reader = repository.reader()?;
    let index = reader.index_or_empty().map_err(|error| repository.broken(&error))?;
    let mut found = Vec::new();
    for entry in index.entries() {
        let is_compared = entry.stage_raw() == 0 && !entry.flags.intersects(UNSEEN);
        if entry.mode.bits() != EXECUTABLE || !is_compared {
            continue;
        }
        call.check_cancelled()?;
        let git_path = entry.path(&index);
        let path = repository.in_workspace(git_path);
        let is_link = path.is_some_and(|path| {
            matches!(stat_walked(call.workspace.handle(), &path), Ok(Some(WalkKind::Link)))
        });
        if is_link {
            found.push(git_path.to_owned());
        }
    }
    Ok(found)
}
