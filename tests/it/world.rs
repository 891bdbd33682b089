//! A workspace in a temporary folder, and calls on it the way the server makes them.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Arc,
};

use outrigger::{
    cancel::Cancel,
    config::{Config, Place, WorkspaceEntry},
    policy::{Answer, Intent, Law, Permit, Plan, Question, Verdict, judge},
    process::ProcessDoor,
    tier::{Mode, Tier},
    tools::{AnyReply, AnyTool, Call, Reply, Sink, ToolError, catalog},
    workspace::Workspace,
};
use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder with a workspace in it.
pub struct World {
    temp: TempDir,
    pub call: Call,
}

struct Silence;

impl Sink for Silence {
    fn progress(&self, _done: u64, _total: Option<u64>, _message: &str) {}
    fn output(&self, _bytes: &[u8]) {}
}

impl World {
    /// An empty workspace; its folder has a neighbour, `outside`.
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// The same with a changed configuration.
    pub fn with(change: impl FnOnce(&mut Config)) -> Self {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join("ws")).unwrap();
        std::fs::create_dir(temp.path().join("outside")).unwrap();
        let call = call_on(&temp.path().join("ws"), change);
        Self { temp, call }
    }

    /// The workspace's folder.
    pub fn root(&self) -> PathBuf {
        self.temp.path().join("ws")
    }

    /// A folder beside the workspace.
    pub fn outside(&self) -> PathBuf {
        self.temp.path().join("outside")
    }

    /// Writes a file, with its folders.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Runs git in the workspace and expects it to succeed.
    pub fn git(&self, args: &[&str]) -> String {
        let output = self.git_output(args);
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs git in the workspace.
    pub fn git_output(&self, args: &[&str]) -> Output {
        git_command(&self.root()).args(args).output().unwrap()
    }

    /// Calls a tool; a plan is approved.
    pub fn tool(&self, name: &str, arguments: Value) -> Result<Reply<Value>, ToolError> {
        run(&self.call, name, arguments)
    }

    /// The plan of a call, if it needs one.
    pub fn plan(&self, name: &str, arguments: Value) -> Result<Option<Plan>, ToolError> {
        let tool = find(name);
        let prepared = tool.prepare(arguments.clone(), &self.call)?;
        Ok(match verdict(&self.call, tool, &arguments, &prepared.intent, None) {
            Verdict::Ask(plan) => Some(*plan),
            _ => None,
        })
    }
}

/// Git without the user's own settings.
pub fn git_command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").args([
        "-c",
        "user.name=Ann Author",
        "-c",
        "user.email=ann@example.org",
    ]);
    command
}

/// A call on the folder `root`.
pub fn call_on(root: &Path, change: impl FnOnce(&mut Config)) -> Call {
    let entry = WorkspaceEntry {
        id: "ws".to_owned(),
        path: root.to_path_buf(),
        read_only: false,
        closed_by: None,
        place: Place::default(),
    };
    let mut config = Config { workspaces: vec![entry.clone()], ..Config::default() };
    change(&mut config);
    let config_exec = config.exec.clone();
    let law = Law::new(&config).unwrap();
    let workspace = Arc::new(Workspace::open(&entry, Arc::new(law.paths().clone())).unwrap());
    Call {
        workspaces: Arc::new(vec![workspace.clone()]),
        beside: Arc::default(),
        unavailable: Vec::new(),
        workspace,
        law: Arc::new(law),
        config: Arc::new(config),
        processes: Arc::new(
            ProcessDoor::new(config_exec, vec![root.to_path_buf()], root.join("../tmp"))
                .with_helper(env!("CARGO_BIN_EXE_outrigger").into()),
        ),
        handles: Arc::default(),
        jobs: Arc::default(),
        cancel: Cancel::new(),
        sink: Arc::new(Silence),
        mode: Mode::Ask,
        image_room: u64::MAX,
        redactor: outrigger::redact::Redactor::default(),
    }
}

/// Prepares, has it approved, and runs it: what the server does.
pub fn run(call: &Call, name: &str, arguments: Value) -> Result<Reply<Value>, ToolError> {
    let tool = find(name);
    let prepared = tool.prepare(arguments.clone(), call)?;
    let permit = permit(call, tool, &arguments, &prepared.intent)?;
    prepared.run(&permit, call).map(with_values)
}

/// The reply with its facts as they would be read again.
pub fn with_values(reply: AnyReply) -> Reply<Value> {
    let data = serde_json::from_str(&reply.data.write(&mut |_| None).unwrap()).unwrap();
    let Reply { text, data: _, etag, truncated, handle, warnings, matched, picture } = reply;
    Reply { text, data, etag, truncated, handle, warnings, matched, picture }
}

/// The permit of a prepared call; a plan is approved.
pub fn permit(
    call: &Call,
    tool: &dyn AnyTool,
    arguments: &Value,
    intent: &Intent,
) -> Result<Permit, ToolError> {
    match verdict(call, tool, arguments, intent, None) {
        Verdict::Run(permit) => Ok(permit),
        Verdict::Refuse(refusal) => Err(refusal.into()),
        Verdict::Ask(plan) => {
            let answer = Answer::allow(&plan.digest);
            match verdict(call, tool, arguments, intent, Some(&answer)) {
                Verdict::Run(permit) => Ok(permit),
                other => panic!("an approved plan was not let through: {other:?}"),
            }
        }
    }
}

/// The tier a call is judged under.
pub fn tier(call: &Call, name: &str, arguments: Value) -> Tier {
    let tool = find(name);
    let prepared = tool.prepare(arguments.clone(), call).unwrap();
    call.law.effective_tier(name, tool.spec().tier, &prepared.intent).0
}

pub fn find(name: &str) -> &'static dyn AnyTool {
    *catalog().iter().find(|tool| tool.spec().name == name).unwrap_or_else(|| panic!("no tool {name}"))
}

fn verdict(
    call: &Call,
    tool: &dyn AnyTool,
    arguments: &Value,
    intent: &Intent,
    answer: Option<&Answer>,
) -> Verdict {
    let question = Question {
        tool: tool.spec().name,
        base_tier: tool.spec().tier,
        arguments,
        workspace: call.workspace.id(),
        workspace_root: "/ws",
        read_only: call.workspace.read_only(),
        closed_by: call.workspace.closed_by(),
        mode: call.mode,
        intent,
        expires_at: "2100-01-01T00:00:00Z",
    };
    judge(&call.law, question, answer)
}
