//! A path of a commit, where a link stands today in the place of one of its folders.
//!
//! Today it leads elsewhere; the commit may have it as it is written. Then that is meant, as it is for git. It never opens what is
//! closed: both where it leads today and the path as written have to pass the law.

use std::path::Path;

use super::refuse_closed;
use crate::{
    relpath::RelPath,
    text::unescape_bytes,
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

/// What was written, relative to the workspace; `None` where it is more than names. A name that is no text is written with escapes, and
/// is meant where it is there or nothing else can be.
pub(super) fn plain(call: &Call, input: &str) -> Option<RelPath> {
    let inside = |written: &Path| {
        let root = call.workspace.root();
        RelPath::from_plain(if written.is_absolute() { written.strip_prefix(root).ok()? } else { written })
    };
    let stands = |path: &RelPath| matches!(stat_walked(call.workspace.handle(), path), Ok(Some(_)));
    let written = inside(Path::new(input));
    let Some(raw) = unescape_bytes(input) else { return written };
    let is_bytes = raw.to_str().is_none() && !written.as_ref().is_some_and(stands);
    match inside(Path::new(&raw)) {
        Some(meant) if is_bytes || stands(&meant) => Some(meant),
        _ => written,
    }
}
