//! Searching: `search_grep` for contents, `search_glob` for names.
//!
//! Both see what ripgrep would see by default, in path order, and say what was left out. Neither can see a blocked path, follow a
//! link, or leave the workspace: walks and files are opened through the workspace door.

mod answer;
mod beyond;
mod decoded;
mod facts;
mod feed;
mod fill;
mod gathering;
mod glob;
mod globs;
mod grep;
mod hits;
mod line_anchors;
mod long_lines;
mod pattern;
mod render;
mod room;
mod runs;
mod scan;
mod stop;
mod utf8_watch;

pub use glob::SearchGlob;
pub use grep::SearchGrep;

use crate::{
    relpath::RelPath,
    tools::{Call, Code, ToolError},
    workspace::{
        DoorError,
        walk::{Walk, WalkOptions},
    },
};

/// Where a search starts, resolved, and whether that is a file.
fn start(call: &Call, path: &str) -> Result<(RelPath, bool), ToolError> {
    let path = if path.is_empty() { "." } else { path };
    let found = call.workspace.resolve(path)?;
    if found.is_folder() || found.is_file() {
        return Ok((found.resolved().clone(), found.is_file()));
    }
    if let Some(kind) = found.kind() {
        return Err(ToolError::new(
            Code::WrongType,
            format!("`{}` is {}, which cannot be searched", found.given(), kind.described()),
            "give a folder or a regular file",
        ));
    }
    crate::tools::fs::missing(path, call)?;
    // The door knows near names, so it words the refusal.
    let refused = call.workspace.stat(&found).err();
    let missing = DoorError::NotFound { path: found.given().to_owned(), candidates: Vec::new() };
    Err(refused.unwrap_or(missing).into())
}

/// A walk of the workspace from `start`.
fn walk<'a>(call: &'a Call, start: &RelPath, options: WalkOptions) -> Result<Walk<'a>, ToolError> {
    let workspace = &call.workspace;
    Walk::new(workspace.handle(), workspace.root(), workspace.rules(), start, options)
        .map_err(|source| DoorError::io(start, source).into())
}
