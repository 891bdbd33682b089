//! `fs_delete`: a file, a link or a folder goes. Never follows a link, never takes more than was shown, and can be undone as far as
//! the journal has room; where it cannot, the plan says so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::names::{check_etag, gone, inside, judged, shown};
use crate::{
    config::Profile,
    limits::{NODE_BYTES, POSITION_MAX, TREE_ENTRIES},
    policy::{ChangeOp, Effect, Intent, Node, Permit, Preview, Raise},
    text::counted,
    tier::Tier,
    tools::{Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec, handles::check_no_handle},
    workspace::{Tree, TreeLimits, WorkspacePath, is_temporary_name},
};

/// What goes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// File, link or folder.
    path: String,
    /// Also a folder with content.
    #[serde(default)]
    recursive: bool,
    /// Entries at all depths; 0: not said.
    #[serde(default)]
    #[schemars(range(max = POSITION_MAX))]
    expect_entries: u32,
    /// As read.
    #[serde(default)]
    base_etag: String,
}

/// What went.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Relative to the workspace.
    path: String,
    /// Names removed, the first included.
    removed: u64,
    /// Bytes of their files.
    bytes: u64,
    /// The user can undo it.
    undo: bool,
}

/// A prepared delete.
#[derive(Debug)]
pub struct Work {
    path: WorkspacePath,
    tree: Tree,
    undo: bool,
}

/// The tool.
#[derive(Debug)]
pub struct FsDelete;

impl Tool for FsDelete {
    type Params = Params;
    type Output = Output;
    type Work = Work;
    const SPEC: ToolSpec = ToolSpec {
        name: "fs_delete",
        title: "Delete a file or folder",
        description: "Deletes a file, link (not its target) or empty folder; one with content needs recursive, and \
            expect_entries from fs_list.",
        profile: Profile::Core,
        tier: Tier::Individual,
        annotations: Annotations { read_only: false, destructive: true, idempotent: true, open_world: false },
    };

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        let path = call.workspace.resolve_name(&params.path)?;
        if !path.exists() {
            check_no_handle(&params.path)?;
        }
        if path.exists() && is_temporary_name(path.name()) {
            return Err(leftover(&path, call));
        }
        call.workspace.check_name(&path)?;
        let limits = TreeLimits { entries: TREE_ENTRIES, bytes: NODE_BYTES };
        let tree = call.workspace.tree(&path, limits, &|| call.cancel.is_cancelled())?;
        check_etag(&params.base_etag, &path, &tree, call)?;
        let mut raises = check_entries(&params, &path, &tree)?;
        raises.extend(judged(call, tree.entries.iter().map(|entry| &entry.path))?);
        let not_kept = call.not_kept(tree.bytes);
        let undo = not_kept.is_none();
        raises.extend(not_kept);
        if let Some(lost) = tree.entries.iter().find(|entry| entry.loses_set_id()) {
            let reason = format!("`{}` runs as its owner: undo cannot give that back", lost.path);
            raises.push(Raise { tier: Tier::Individual, reason });
        }
        let intent = Intent {
            effect: Effect::Write,
            raises,
            tier: None,
            changes: gone(&tree),
            summary: summary(&path, &tree),
            preview: Some(Preview::Files {
                files: shown(&tree, ChangeOp::Delete, undo, |path| (path.to_text(), None)),
            }),
        };
        Ok(Prepared { intent, work: Work { path, tree, undo } })
    }

    fn run(&self, permit: &Permit, work: Work, call: &Call) -> Result<Reply<Output>, ToolError> {
        call.check_cancelled()?;
        let Work { path, tree, undo } = work;
        let left = call.workspace.remove(permit, &path, &tree, &|| call.cancel.is_cancelled())?;
        let names =
            if inside(&tree) == 0 { String::new() } else { format!("{}, ", counted(inside(&tree), "entry")) };
        let text = format!("Deleted {} ({names}{})", path.resolved(), counted(tree.bytes, "byte"));
        let output = Output {
            path: path.resolved().to_text(),
            removed: tree.entries.len() as u64,
            bytes: tree.bytes,
            undo,
        };
        let mut reply = Reply::new(text, output);
        reply.warnings.extend(left);
        if !undo {
            reply.warnings.push("this cannot be undone".to_owned());
        }
        Ok(reply)
    }
}

/// What a change that was cut off left has no plan of its own: it goes as it would with the next change in its folder, and what is not
/// its own gets its name again.
fn leftover(path: &WorkspacePath, call: &Call) -> ToolError {
    match call.workspace.take_leftover(path) {
        Ok(true) => ToolError::new(
            Code::NotFound,
            format!(
                "`{}` was left by a change that was cut off: it has been taken away, and there is nothing to delete",
                path.given()
            ),
            "fs_list shows what is there now",
        ),
        Ok(false) => ToolError::new(
            Code::Busy,
            format!(
                "`{}` belongs to a change that is under way, or is not what a change leaves",
                path.given()
            ),
            "leave it alone: it goes with the end of that change; if it stays, the user can take it away",
        ),
        Err(error) => error.into(),
    }
}

fn check_entries(params: &Params, path: &WorkspacePath, tree: &Tree) -> Result<Vec<Raise>, ToolError> {
    let count = inside(tree);
    if params.expect_entries > POSITION_MAX {
        return Err(ToolError::out_of_range("expect_entries", params.expect_entries, (0, POSITION_MAX)));
    }
    if !path.is_folder() && params.expect_entries > 0 {
        return Err(no_folder(params.expect_entries, path, tree));
    }
    if !path.is_folder() || (count == 0 && params.expect_entries == 0) {
        return Ok(Vec::new());
    }
    if count > 0 && !params.recursive {
        return Err(ToolError::new(
            Code::NotEmpty,
            format!("the folder `{}` holds {}", path.given(), counted(count, "entry")),
            format!("set recursive, and expect_entries to {count}, to delete all of it"),
        ));
    }
    match params.expect_entries as usize {
        0 => Ok(vec![Raise {
            tier: Tier::Individual,
            reason: format!(
                "all of `{}` goes, and the caller did not say how much it expects",
                path.resolved()
            ),
        }]),
        expected if expected == count => Ok(Vec::new()),
        expected => Err(ToolError::new(
            Code::Stale,
            format!(
                "the folder `{}` holds {}, not {expected}; nothing was deleted",
                path.given(),
                counted(count, "entry")
            ),
            "look at it with fs_list (include_hidden, include_ignored) before deleting it",
        )),
    }
}

/// Entries are counted of a folder alone: what was listed as one has become something else.
fn no_folder(expected: u32, path: &WorkspacePath, tree: &Tree) -> ToolError {
    let is_link = matches!(tree.entries.first().map(|entry| &entry.node), Some(Node::Link { .. }));
    let what = if is_link { "link" } else { "file" };
    ToolError::new(
        Code::Stale,
        format!(
            "`{}` is a {what}, not a folder with {}; nothing was deleted",
            path.given(),
            counted(expected as usize, "entry")
        ),
        format!("look at it with fs_list; to delete the {what}, leave out expect_entries"),
    )
}

fn summary(path: &WorkspacePath, tree: &Tree) -> String {
    let path = path.resolved();
    match tree.entries.first().map(|entry| &entry.node) {
        Some(Node::Folder { .. }) => {
            format!(
                "Delete the folder {path} ({}, {})",
                counted(inside(tree), "entry"),
                counted(tree.bytes, "byte")
            )
        }
        Some(Node::Link { target }) => {
            format!("Delete the link {path} (to {}, which stays)", crate::text::visible(target))
        }
        _ => format!("Delete {path} ({})", counted(tree.bytes, "byte")),
    }
}
