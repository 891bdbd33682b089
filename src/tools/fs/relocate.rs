//! `fs_move`: a file, a link or a folder gets another name, or a copy. Never replaces anything unless told, never half a tree.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::names::{
    Comes, check_etag, check_names_file, come, folders, gone, inside, judged, moved, shown, taken_literally,
};
use crate::{
    config::Profile,
    limits::{COPY_BYTES, COPY_ENTRIES, NODE_BYTES, TREE_ENTRIES},
    policy::{ChangeOp, Effect, Intent, Node, PathChange, Permit, Preview, Raise},
    relpath::RelPath,
    text::counted,
    tier::Tier,
    tools::{
        Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec, handles::check_no_handle,
        secret_looking,
    },
    workspace::{DoorError, Target, Tree, TreeLimits, Workspace, WorkspacePath},
};

/// More names than this are asked about one by one.
const BATCH_ENTRIES: usize = 200;
/// Of the files in a folder that are named as if they held secrets the plan gives as many as reasons; one is enough to ask.
const SECRETS_NAMED: usize = 10;

/// What is moved, and where to.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// A link itself.
    from: String,
    /// The whole new path, not its folder.
    to: String,
    /// Copy instead.
    #[serde(default)]
    copy: bool,
    /// Replace a file.
    #[serde(default)]
    overwrite: bool,
    /// Of `from`.
    #[serde(default)]
    base_etag: String,
}

/// What was moved.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Relative to the workspace; `name:path` in another one.
    from: String,
    /// Relative to the workspace.
    to: String,
    /// `file`, `dir` or `link`.
    #[serde(rename = "type")]
    kind: String,
    /// Names, the first included.
    entries: u64,
}

/// A prepared move.
#[derive(Debug)]
pub struct Work {
    /// Where `from` lies: another workspace than the call's may be copied from.
    home: Arc<Workspace>,
    is_home: bool,
    from: WorkspacePath,
    to: WorkspacePath,
    tree: Tree,
    target: Target,
    copy: bool,
    overwrite: bool,
}

/// The tool.
#[derive(Debug)]
pub struct FsMove;

impl Tool for FsMove {
    type Params = Params;
    type Output = Output;
    type Work = Work;
    const SPEC: ToolSpec = ToolSpec {
        name: "fs_move",
        title: "Move, rename or copy",
        description: "Moves, renames or copies a file, link or folder, also from another workspace. With overwrite a file replaces a file.",
        profile: Profile::Core,
        tier: Tier::Batch,
        annotations: Annotations {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: false,
        },
    };

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        check_no_handle(&params.to)?;
        let workspace = &call.workspace;
        let (home, given) = match call.elsewhere(&params.from) {
            Some(_) if !params.copy => return Err(between_workspaces(&params, call)),
            Some((home, rest)) => (home, rest),
            None => (workspace, params.from.as_str()),
        };
        let there = |error: DoorError| {
            let error = ToolError::from(error);
            if home.id() == workspace.id() { error } else { error.in_workspace(home.id()) }
        };
        let from = home.resolve_name(given).map_err(there)?;
        let to = workspace.resolve_name(&params.to)?;
        if from.exists() && !from.is_folder() && !to.exists() {
            check_names_file(&params.to)?;
        }
        if !params.copy {
            workspace.check_name(&from)?;
        }
        workspace.check_name(&to)?;
        let limits = if params.copy {
            TreeLimits { entries: COPY_ENTRIES, bytes: COPY_BYTES }
        } else {
            TreeLimits { entries: TREE_ENTRIES, bytes: NODE_BYTES }
        };
        let stop = || call.cancel.is_cancelled();
        let tree = if params.copy {
            home.tree_to_copy(&from, limits, &stop)
        } else {
            home.tree(&from, limits, &stop)
        };
        let tree = tree.map_err(there)?;
        check_etag(&params.base_etag, &from, &tree, call)?;
        check_places((home, &from), (workspace, &to))?;
        let target = target(&params, &from, &to, call)?;
        let Params { copy, overwrite, .. } = params;
        let is_home = home.id() == workspace.id();
        let work = Work { home: Arc::clone(home), is_home, from, to, tree, target, copy, overwrite };
        let intent = work.intent(call)?;
        Ok(Prepared { intent, work })
    }

    fn run(&self, permit: &Permit, work: Work, call: &Call) -> Result<Reply<Output>, ToolError> {
        call.check_cancelled()?;
        let old = work.old(call);
        let Work { home, from, to, tree, target, copy, .. } = work;
        let stop = || call.cancel.is_cancelled();
        let made = if copy {
            call.workspace.copy(permit, (&home, &from, &tree), &to, &target, &stop)
        } else {
            call.workspace.rename(permit, (&from, &tree), &to, &target, &stop)
        };
        made.map_err(|error| already_there(error, &to))?;
        let verb = if copy { "Copied" } else { "Moved" };
        let names = if inside(&tree) == 0 {
            String::new()
        } else {
            format!(" ({})", counted(inside(&tree), "entry"))
        };
        let new = to.resolved();
        let output = Output {
            from: old.clone(),
            to: new.to_text(),
            kind: from.kind().map_or("", |kind| kind.as_str()).to_owned(),
            entries: tree.entries.len() as u64,
        };
        let mut reply = Reply::new(format!("{verb} {old} to {new}{names}"), output);
        reply.warnings.extend(taken_literally(&to).filter(|_| !to.exists()));
        Ok(reply)
    }
}

impl Work {
    /// A path where it comes from, as it is called from here.
    fn named(&self, path: &RelPath, call: &Call) -> String {
        let path = path.to_text();
        if self.home.id() == call.workspace.id() { path } else { format!("{}:{path}", self.home.id()) }
    }

    fn old(&self, call: &Call) -> String {
        self.named(self.from.resolved(), call)
    }

    fn intent(&self, call: &Call) -> Result<Intent, ToolError> {
        let Self { from, to, tree, target, copy, .. } = self;
        let (old, new) = (from.resolved(), to.resolved());
        let arriving: Vec<RelPath> = tree.entries.iter().map(|entry| moved(&entry.path, old, new)).collect();
        let leaving = tree.entries.iter().map(|entry| &entry.path).filter(|_| !copy);
        let mut raises = judged(call, leaving.chain(&arriving))?;
        // Under another name they would be read without a question.
        let files = tree.entries.iter().zip(&arriving);
        let files = files.filter(|(entry, _)| matches!(entry.node, Node::File { .. }));
        let secrets = files.filter_map(|(entry, arriving)| {
            secret_looking(call, &entry.path).or_else(|| secret_looking(call, arriving))
        });
        raises.extend(secrets.take(SECRETS_NAMED));
        if let Target::Replaces(_) = target {
            let reason = format!("`{new}` is replaced");
            raises.push(Raise { tier: Tier::Individual, reason });
        } else if self.overwrite {
            let reason = format!("it may replace a file at `{new}`, where there is none now");
            raises.push(Raise { tier: Tier::Individual, reason });
        }
        if tree.entries.len() > BATCH_ENTRIES {
            let reason = format!("`{}` holds {}", self.old(call), counted(inside(tree), "entry"));
            raises.push(Raise { tier: Tier::Individual, reason });
        }
        let not_kept = call.not_kept(self.kept_bytes()).or_else(|| self.not_taken_away(call));
        let undoable = not_kept.is_none() && *target != Target::SameFile;
        raises.extend(not_kept);
        let op = if *copy { ChangeOp::Copy } else { ChangeOp::Rename };
        let mut files =
            shown(tree, op, undoable, |path| (moved(path, old, new).to_text(), Some(self.named(path, call))));
        if let (Target::Replaces(Node::File { etag, bytes, .. }), Some(first)) = (target, files.first_mut()) {
            // What stands there is what was approved to go.
            (first.before_etag, first.before_bytes) = (Some(etag.clone()), *bytes);
        }
        let verb = if *copy { "Copy" } else { "Move" };
        let names =
            if inside(tree) == 0 { String::new() } else { format!(" ({})", counted(inside(tree), "entry")) };
        Ok(Intent {
            effect: Effect::Write,
            raises,
            tier: None,
            changes: self.changes(),
            summary: format!("{verb} {} to {new}{names}", self.old(call)),
            preview: Some(Preview::Files { files }),
        })
    }

    fn comes(&self) -> Comes {
        match self.copy {
            false => Comes::Moved,
            true if self.is_home => Comes::Copied,
            true => Comes::CopiedFromElsewhere,
        }
    }

    /// Bytes that the journal has to keep: what is replaced. What is moved goes back by its bytes.
    fn kept_bytes(&self) -> u64 {
        match self.target {
            Target::Replaces(Node::File { bytes, .. }) => bytes,
            _ => 0,
        }
    }

    /// An undo takes a copy away where its bytes can be kept, or stand in the workspace all the same.
    fn not_taken_away(&self, call: &Call) -> Option<Raise> {
        if self.comes() == Comes::CopiedFromElsewhere { call.not_kept(self.tree.bytes) } else { None }
    }

    fn changes(&self) -> Vec<PathChange> {
        if self.target == Target::SameFile {
            // Both names are one to the file system: there is no before and after to compare.
            return Vec::new();
        }
        let (old, new) = (self.from.resolved(), self.to.resolved());
        let mut changes = folders(&self.to);
        changes.extend(come(&self.tree, old, new, self.comes()));
        if let (Target::Replaces(node), Some(first)) = (&self.target, changes.last_mut()) {
            first.before = Some(node.clone());
        }
        if !self.copy {
            changes.extend(gone(&self.tree));
        }
        changes
    }
}

fn between_workspaces(params: &Params, call: &Call) -> ToolError {
    ToolError::new(
        Code::CrossDevice,
        format!(
            "`{}` is in another workspace than `{}:`; nothing was done",
            params.from,
            call.workspace.id()
        ),
        "set copy, then delete the original with a call of its own: each can be undone where it happened",
    )
}

/// One workspace may hold another: what counts is where things lie.
fn check_places(
    (home, from): (&Workspace, &WorkspacePath),
    (workspace, to): (&Workspace, &WorkspacePath),
) -> Result<(), ToolError> {
    let old = home.root().join(from.resolved().as_path());
    let new = workspace.root().join(to.resolved().as_path());
    if old == new {
        return Err(ToolError::new(
            Code::NoChange,
            format!("`{}` and `{}` are the same path", from.given(), to.given()),
            "nothing has to be moved",
        ));
    }
    if new.starts_with(&old) {
        return Err(ToolError::new(
            Code::InvalidArgs,
            format!("`{}` lies in `{}` itself", to.given(), from.given()),
            "choose a place outside of what is moved",
        ));
    }
    Ok(())
}

/// What stands at the new name, and whether it may be replaced.
fn target(
    params: &Params,
    from: &WorkspacePath,
    to: &WorkspacePath,
    call: &Call,
) -> Result<Target, ToolError> {
    if !to.exists() {
        return Ok(Target::Free);
    }
    if !params.copy && call.workspace.is_respelled(from, to) {
        return Ok(Target::SameFile);
    }
    if !params.overwrite || !from.is_file() || !to.is_file() {
        let mut error = already_there(DoorError::AlreadyExists { path: to.given().to_owned() }, to);
        if params.overwrite && !to.is_folder() {
            "only a file replaces a file: choose another name, or delete it first"
                .clone_into(&mut error.hint);
        }
        return Err(error);
    }
    let node = call.workspace.node(&to.resolved().to_text())?;
    Ok(node.map_or(Target::Free, Target::Replaces))
}

fn already_there(error: DoorError, to: &WorkspacePath) -> ToolError {
    let exists = matches!(error, DoorError::AlreadyExists { .. });
    let mut error = ToolError::from(error);
    if exists {
        error.hint = if to.is_folder() {
            "it is a folder; to put something into it give the whole new path".to_owned()
        } else {
            "choose another name, or set overwrite to replace a file".to_owned()
        };
    }
    error
}
