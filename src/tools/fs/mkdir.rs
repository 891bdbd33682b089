//! `fs_mkdir`: a folder is made, with those on the way to it. One that is there already is fine; anything else there is an error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::names::{folders, judged, taken_literally};
use crate::{
    config::Profile,
    policy::{ChangeOp, Effect, FileChange, Intent, Node, PathChange, Permit, Preview},
    tier::Tier,
    tools::{Annotations, Call, Prepared, Reply, Tool, ToolError, ToolSpec, handles::check_no_handle},
    workspace::{DoorError, WorkspacePath},
};

/// The folder.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Relative to the workspace; missing folders on the way are created.
    path: String,
}

/// What was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Relative to the workspace.
    path: String,
    /// False when it was there already.
    created: bool,
}

/// The tool.
#[derive(Debug)]
pub struct FsMkdir;

impl Tool for FsMkdir {
    type Params = Params;
    type Output = Output;
    type Work = WorkspacePath;
    const SPEC: ToolSpec = ToolSpec {
        name: "fs_mkdir",
        title: "Make a folder",
        description: "Makes a folder, with missing parents; an existing one is fine. Rarely needed: writing a file makes its folders.",
        profile: Profile::Full,
        tier: Tier::Batch,
        annotations: Annotations {
            read_only: false,
            destructive: false,
            idempotent: true,
            open_world: false,
        },
    };

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<WorkspacePath>, ToolError> {
        check_no_handle(&params.path)?;
        let path = call.workspace.resolve(&params.path)?;
        if path.is_folder() {
            let summary = format!("{} is there", path.resolved());
            return Ok(Prepared { intent: Intent::nothing(summary), work: path });
        }
        call.workspace.check_name(&path)?;
        if let Some(kind) = path.kind() {
            let found = kind.described();
            return Err(
                DoorError::WrongType { path: path.given().to_owned(), found, wanted: "a folder" }.into()
            );
        }
        let mut changes = folders(&path);
        let after = Some(Node::folder());
        changes.push(PathChange { path: path.resolved().to_text(), before: None, after, copied_from: None });
        let files = changes.iter().map(|change| made(&change.path)).collect();
        let mut paths = path.new_folders();
        paths.push(path.resolved().clone());
        let intent = Intent {
            effect: Effect::Write,
            raises: judged(call, &paths)?,
            tier: None,
            changes,
            summary: format!("Make the folder {}", path.resolved()),
            preview: Some(Preview::Files { files }),
        };
        Ok(Prepared { intent, work: path })
    }

    fn run(&self, permit: &Permit, path: WorkspacePath, call: &Call) -> Result<Reply<Output>, ToolError> {
        let created = !path.exists();
        if created {
            call.workspace.make_folder(permit, &path)?;
        }
        let verb = if created { "Made" } else { "Already there:" };
        let output = Output { path: path.resolved().to_text(), created };
        let mut reply = Reply::new(format!("{verb} {}", path.resolved()), output);
        reply.warnings.extend(taken_literally(&path).filter(|_| created));
        Ok(reply)
    }
}

fn made(path: &str) -> FileChange {
    FileChange {
        path: path.to_owned(),
        op: ChangeOp::CreateFolder,
        from: None,
        entries: None,
        before_etag: None,
        after_etag: None,
        before_bytes: 0,
        after_bytes: 0,
        executable: false,
        mode: None,
        mode_before: None,
        undoable: true,
        added: 0,
        removed: 0,
        line_ends: None,
        hunks: Vec::new(),
    }
}
