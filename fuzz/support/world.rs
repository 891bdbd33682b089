//! One small repository for all rounds, and calls that read on it, as the server makes them.

use std::{
    path::PathBuf,
    process::Command,
    sync::{Arc, OnceLock},
};

use outrigger::{
    cancel::Cancel,
    config::{Config, Place, WorkspaceEntry},
    policy::{Law, Question, Verdict, judge},
    process::ProcessDoor,
    tier::Mode,
    tools::{Call, Code, Sink, ToolError, catalog},
    workspace::Workspace,
};
use serde_json::Value;

struct Silence;

impl Sink for Silence {
    fn progress(&self, _done: u64, _total: Option<u64>, _message: &str) {}
    fn output(&self, _bytes: &[u8]) {}
}

pub struct World {
    _folder: tempfile::TempDir,
    call: Call,
}

/// The repository; made once.
pub fn repository() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let root: PathBuf = folder.path().canonicalize().expect("its name").join("ws");
        std::fs::create_dir_all(root.join("d")).expect("a root");
        for (name, text) in [("a.txt", "one\n"), ("d/b.txt", "b\n"), (".env", "KEY=BLOCKED\n")] {
            std::fs::write(root.join(name), text).expect("a file");
        }
        for args in [
            &["init", "-q", "-b", "main"][..],
            &["add", "-A"],
            &["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "first"],
            &["tag", "tag"],
        ] {
            let mut git = Command::new("git");
            git.current_dir(&root)
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .args(args);
            assert!(git.status().expect("git").success());
        }
        std::fs::write(root.join("a.txt"), "two\n").expect("a file");
        let entry = WorkspaceEntry {
            id: "place".into(),
            path: root.clone(),
            read_only: true,
            closed_by: None,
            place: Place::default(),
        };
        let config = Config { workspaces: vec![entry.clone()], ..Config::default() };
        let law = Law::new(&config).expect("the law");
        let workspace = Arc::new(Workspace::open(&entry, Arc::new(law.paths().clone())).expect("a door"));
        let call = Call {
            workspaces: Arc::new(vec![workspace.clone()]),
            beside: Arc::default(),
            unavailable: Vec::new(),
            workspace,
            law: Arc::new(law),
            processes: Arc::new(ProcessDoor::new(config.exec.clone(), vec![root], folder.path().join("tmp"))),
            config: Arc::new(config),
            handles: Arc::default(),
            jobs: Arc::default(),
            cancel: Cancel::new(),
            sink: Arc::new(Silence),
            mode: Mode::Ask,
            image_room: u64::MAX,
            redactor: outrigger::redact::Redactor::default(),
        };
        World { _folder: folder, call }
    })
}

impl World {
    /// A call that reads; one that would ask is refused.
    pub fn read(&self, name: &str, arguments: Value) -> Result<String, ToolError> {
        let tool = *catalog().iter().find(|tool| tool.spec().name == name).expect("a tool of the catalog");
        let prepared = tool.prepare(arguments.clone(), &self.call)?;
        let question = Question {
            tool: tool.spec().name,
            base_tier: tool.spec().tier,
            arguments: &arguments,
            workspace: "place",
            workspace_root: "/ws",
            read_only: true,
            closed_by: "place",
            mode: self.call.mode,
            intent: &prepared.intent,
            expires_at: "2100-01-01T00:00:00Z",
        };
        match judge(&self.call.law, question, None) {
            Verdict::Run(permit) => prepared.run(&permit, &self.call).map(|reply| reply.text),
            Verdict::Refuse(refusal) => Err(refusal.into()),
            Verdict::Ask(_) => Err(ToolError::new(Code::ApprovalUnavailable, "it asks", "")),
        }
    }
}
