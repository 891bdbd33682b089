//! `workspace_info`: the workspaces, the limits, the commands, what is blocked. Replaces pwd, chdir and the like: there is no
//! current folder that could be forgotten.

use std::{fmt::Write as _, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    config::{CommandEntry, Profile},
    limits,
    policy::{Intent, Permit, rules_in_words},
    text::visible,
    tier::Tier,
    tools::{Call, Prepared, READS, Reply, Tool, ToolError, ToolSpec, Unavailable, exec::ExecRun},
    workspace::Workspace,
};

/// `HEAD` of a repository is one line.
const HEAD_BYTES: u64 = 4096;

/// How much is told.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Also limits and rules.
    #[serde(default)]
    detail: bool,
}

/// The facts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The workspaces, the default one first.
    roots: Vec<Root>,
    /// `linux`, `macos`, `windows`.
    os: String,
    /// How paths are written: relative to a root, with `/`.
    path_style: String,
    /// The numbers that calls run into.
    limits: Limits,
    /// What `exec_run` may run.
    commands: Vec<Command>,
    /// What confines commands.
    sandbox: Sandbox,
    /// Never read, written, listed or matched.
    blocked_globs: Vec<String>,
}

/// One workspace.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Root {
    /// Its id.
    name: String,
    /// Its folder.
    path: String,
    /// This call is for it.
    default: bool,
    /// Nothing in it may change.
    read_only: bool,
    /// It is a git repository.
    git: bool,
    /// The branch checked out there.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// Why it cannot be used now.
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable: Option<String>,
}

/// The numbers that calls run into.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Limits {
    read_lines: u32,
    read_bytes: u32,
    read_bytes_max: u32,
    scan_bytes: u64,
    write_bytes: u64,
    edits: usize,
}

/// A command.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Command {
    /// For `exec_run`.
    id: String,
    /// What it does.
    summary: String,
    /// Which arguments it takes, in words.
    arg_rules: String,
}

/// What confines commands.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sandbox {
    /// One word.
    kind: String,
    /// `open`, or `closed` to commands that declare no need of it.
    network: String,
}

/// The tool.
#[derive(Debug)]
pub struct WorkspaceInfo;

impl Tool for WorkspaceInfo {
    type Params = Params;
    type Output = Output;
    type Work = bool;
    const SPEC: ToolSpec = ToolSpec {
        name: "workspace_info",
        title: "About the workspace",
        description: "Names the workspaces (folder, branch) and the allowed commands; with detail also limits, blocked paths and \
            argument rules. Paths are relative to the workspace; there is no current folder.",
        profile: Profile::Read,
        tier: Tier::Auto,
        annotations: READS,
    };
    const TELLS_OF_WORKSPACES: bool = true;

    fn prepare(&self, params: Params, _call: &Call) -> Result<Prepared<bool>, ToolError> {
        Ok(Prepared { intent: Intent::read("Describe the workspace"), work: params.detail })
    }

    fn run(&self, _permit: &Permit, detail: bool, call: &Call) -> Result<Reply<Output>, ToolError> {
        let output = Output {
            roots: roots(call),
            os: std::env::consts::OS.to_owned(),
            path_style: "relative, with `/`".to_owned(),
            limits: Limits {
                read_lines: limits::READ_LINES,
                read_bytes: limits::READ_BYTES,
                read_bytes_max: limits::READ_BYTES_MAX,
                scan_bytes: limits::SCAN_BYTES,
                write_bytes: limits::WRITE_BYTES,
                edits: limits::EDITS_MAX,
            },
            commands: commands(call),
            sandbox: sandbox(call),
            blocked_globs: call.workspace.rules().blocked_globs().to_vec(),
        };
        Ok(Reply::new(text(&output, detail), output).with_warnings(call.workspace.notes()))
    }
}

/// The workspaces, that of this call first.
fn roots(call: &Call) -> Vec<Root> {
    let own = call.workspace.id();
    let is_there =
        |workspace: &&Arc<Workspace>| call.unavailable.iter().all(|gone| gone.entry.id != workspace.id());
    let others = call.workspaces.iter().filter(|workspace| workspace.id() != own);
    let there = std::iter::once(&call.workspace).chain(others).filter(is_there);
    // Where the folder of the call's own is gone, another workspace stands in for it.
    let is_own_gone = call.unavailable.iter().any(|gone| gone.is_own);
    let there = there.map(|workspace| root(workspace, workspace.id() == own && !is_own_gone));
    let mut roots: Vec<Root> = there.chain(call.unavailable.iter().map(gone)).collect();
    roots.sort_by_key(|root| !root.default);
    roots
}

fn root(workspace: &Workspace, default: bool) -> Root {
    let head = workspace.resolve(".git/HEAD").and_then(|path| workspace.read(&path, HEAD_BYTES)).ok();
    let head = head.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    // What git writes where references are kept in a way (reftable) that whoever reads this does not know.
    let head = head.filter(|head| head.trim() != "ref: refs/heads/.invalid");
    let branch =
        head.as_deref().and_then(|head| head.trim().strip_prefix("ref: refs/heads/")).map(str::to_owned);
    Root {
        name: workspace.id().to_owned(),
        path: workspace.root().to_string_lossy().into_owned(),
        default,
        read_only: workspace.read_only(),
        git: head.is_some(),
        branch,
        unavailable: None,
    }
}

fn gone(gone: &Unavailable) -> Root {
    Root {
        name: gone.entry.id.clone(),
        path: gone.entry.path.to_string_lossy().into_owned(),
        default: gone.is_own,
        read_only: gone.entry.read_only,
        git: false,
        branch: None,
        unavailable: Some(gone.reason.clone()),
    }
}

/// What may be run; nothing where no tool runs it.
fn commands(call: &Call) -> Vec<Command> {
    let entries = call.law.commands().entries();
    let is_offered = ExecRun::SPEC.profile <= call.law.profile() && ExecRun::is_offered(&call.config);
    if is_offered { entries.iter().map(command).collect() } else { Vec::new() }
}

fn command(entry: &CommandEntry) -> Command {
    Command { id: entry.id.clone(), summary: entry.summary.clone(), arg_rules: rules_in_words(entry) }
}

fn sandbox(call: &Call) -> Sandbox {
    match call.processes.sandboxing() {
        Ok(sandboxing) => Sandbox {
            kind: sandboxing.kind(sandboxing.closes_network()).to_owned(),
            network: if sandboxing.closes_network() { "closed" } else { "open" }.to_owned(),
        },
        // Required, and not to be had: no command runs at all.
        Err(_) => Sandbox { kind: "unavailable".to_owned(), network: "closed".to_owned() },
    }
}

fn text(output: &Output, detail: bool) -> String {
    let mut text = String::new();
    for root in &output.roots {
        let _ = write!(text, "workspace {}: {}", root.name, visible(&root.path));
        let facts = [
            root.default.then(|| "default".to_owned()),
            root.read_only.then(|| "read-only".to_owned()),
            root.branch.as_ref().map(|branch| format!("git branch {}", visible(branch))),
            (root.git && root.branch.is_none()).then(|| "git, no branch checked out".to_owned()),
            root.unavailable.as_ref().map(|reason| format!("cannot be used: {}", visible(reason))),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        let _ = if facts.is_empty() { writeln!(text) } else { writeln!(text, " ({})", facts.join(", ")) };
    }
    let _ = writeln!(text, "os {}; paths are {}", output.os, output.path_style);
    if output.commands.is_empty() {
        text.push_str("no commands are allowed\n");
    } else {
        text.push_str("commands for exec_run:\n");
    }
    for command in &output.commands {
        let _ = write!(text, "  {}: {}", command.id, visible(&command.summary));
        let _ = if detail { writeln!(text, " ({})", command.arg_rules) } else { writeln!(text) };
    }
    if detail {
        let limits = &output.limits;
        let _ = writeln!(text, "sandbox {}; network {}", output.sandbox.kind, output.sandbox.network);
        let _ = writeln!(text, "blocked: {}", output.blocked_globs.join(" "));
        let _ = writeln!(
            text,
            "limits: fs_read {} lines and {} bytes, fs_write and fs_edit {} bytes and {} edits",
            limits.read_lines, limits.read_bytes, limits.write_bytes, limits.edits
        );
    }
    text
}
