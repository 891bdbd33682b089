//! A path of a commit, where a link stands today in the place of one of its folders.
//!
//! Today it leads elsewhere; the commit may have it as it is written. Then that is meant, as it is for git. It never opens what is
//! closed: both where it leads today and the path as written have to pass the law.

use std::path::Path;

use super::refuse_closed;
use crate::{
    relpath::RelPath,
    tools::{Call, ToolError},
    workspace::{
        repository::Repository,
        walk::{WalkKind, stat_walked},
    },
};

/// The path that `input` means where `has` tells what there is: as it is written, else `today`, which is what [`super::named`] makes of it.
pub(super) fn past_path(
    call: &Call,
    (input, today): (&str, RelPath),
    repository: &Repository,
    has: impl FnOnce(&[u8]) -> gix::Result<bool>,
) -> Result<RelPath, ToolError> {
    let Some(written) = through_link(call, input, &today) else { return Ok(today) };
    refuse_closed(call, &written)?;
    let inside = repository.in_repository(&written).filter(|inside| !inside.is_empty());
    let is_there = inside.map(|inside| has(&inside)).transpose();
    let is_there = is_there.map_err(|error| ToolError::from(repository.broken(&error)))?;
    Ok(if is_there == Some(true) { written } else { today })
}

/// The path as it is written, where it leads to `today` through a link.
pub(super) fn through_link(call: &Call, input: &str, today: &RelPath) -> Option<RelPath> {
    let written = plain(call, input).filter(|written| written != today)?;
    let is_link =
        |here: &RelPath| matches!(stat_walked(call.workspace.handle(), here), Ok(Some(WalkKind::Link)));
    let mut above = std::iter::successors(written.parent(), RelPath::parent);
    above.any(|here| is_link(&here)).then_some(written)
}

/// What was written, relative to the workspace; `None` where it is more than names.
pub(super) fn plain(call: &Call, input: &str) -> Option<RelPath> {
    let written = Path::new(input);
    let inside =
        if written.is_absolute() { written.strip_prefix(call.workspace.root()).ok() } else { Some(written) };
    RelPath::from_plain(inside?)
}
