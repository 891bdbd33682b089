//! `exec_run` as the server calls it: JSON in, an intent for the law, text and facts out.

use std::{
    fs,
    os::unix::fs::symlink,
    sync::{Arc, Mutex},
};

use outrigger::{
    cancel::Cancel,
    config::{CommandEntry, Config, Place, Positional, WorkspaceEntry},
    policy::{Law, Preview, Question, Verdict, judge},
    process::ProcessDoor,
    tier::{Mode, Tier},
    tools::{AnyTool, Call, Code, Reply, Sink, ToolError, catalog},
    workspace::Workspace,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::world::with_values;

#[derive(Default)]
struct Heard {
    output: Mutex<Vec<u8>>,
}

impl Sink for Heard {
    fn progress(&self, _done: u64, _total: Option<u64>, _message: &str) {}

    fn output(&self, bytes: &[u8]) {
        self.output.lock().unwrap().extend_from_slice(bytes);
    }
}

struct Bench {
    folder: TempDir,
    call: Call,
    heard: Arc<Heard>,
}

impl Bench {
    fn new() -> Self {
        Self::with(|_| {})
    }

    /// With a shell script of the administrator as the command `script`.
    fn script(text: &str) -> Self {
        Self::with(|config| config.commands[1].args = vec!["-c".into(), text.into()])
    }

    fn with(change: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(root.join("file"), "in the file\n").unwrap();
        fs::write(root.join(".env"), "SECRET=1").unwrap();
        symlink("/etc", root.join("out")).unwrap();
        let workspace = WorkspaceEntry {
            id: "app".into(),
            path: root.clone(),
            read_only: false,
            closed_by: None,
            place: Place::default(),
        };
        let mut config = Config {
            workspaces: vec![workspace],
            commands: vec![entry("show", "cat", &[]), entry("script", "sh", &["-c"])],
            tool_tiers: [("exec_run".to_owned(), Tier::Auto)].into(),
            ..Config::default()
        };
        change(&mut config);
        let law = Arc::new(Law::new(&config).unwrap());
        let workspace = Workspace::open(&config.workspaces[0], Arc::new(law.paths().clone())).unwrap();
        let workspace = Arc::new(workspace);
        let door = ProcessDoor::new(config.exec.clone(), vec![root], folder.path().join("tmp"));
        let heard = Arc::new(Heard::default());
        let call = Call {
            workspaces: Arc::new(vec![Arc::clone(&workspace)]),
            beside: Arc::default(),
            unavailable: Vec::new(),
            workspace,
            law,
            config: Arc::new(config),
            processes: Arc::new(door.with_helper(env!("CARGO_BIN_EXE_outrigger").into())),
            handles: Arc::default(),
            jobs: Arc::default(),
            cancel: Cancel::new(),
            sink: Arc::clone(&heard) as Arc<dyn Sink>,
            mode: Mode::Ask,
            redactor: outrigger::redact::Redactor::default(),
            image_room: u64::MAX,
        };
        Self { folder, call, heard }
    }

    fn run(&self, arguments: Value) -> Result<Reply<Value>, ToolError> {
        self.call_tool("exec_run", arguments)
    }

    fn call_tool(&self, name: &str, arguments: Value) -> Result<Reply<Value>, ToolError> {
        let tool = *catalog().iter().find(|tool| tool.spec().name == name).unwrap();
        let prepared = tool.prepare(arguments.clone(), &self.call)?;
        let question = Question {
            tool: name,
            base_tier: tool.spec().tier,
            arguments: &arguments,
            workspace: "app",
            workspace_root: "/",
            read_only: false,
            closed_by: "app",
            mode: Mode::Ask,
            intent: &prepared.intent,
            expires_at: "",
        };
        let verdict = judge(&self.call.law, question, None);
        let Verdict::Run(permit) = verdict else { panic!("no permit: {verdict:?}") };
        prepared.run(&permit, &self.call).map(with_values)
    }

    fn refusal(&self, arguments: Value) -> (Code, String) {
        let error = self.run(arguments).unwrap_err();
        (error.code, error.message)
    }
}

fn entry(id: &str, program: &str, fixed: &[&str]) -> CommandEntry {
    CommandEntry {
        id: id.into(),
        program: program.into(),
        args: fixed.iter().map(ToString::to_string).collect(),
        summary: String::new(),
        allow_flags: None,
        deny_flags: Some(Vec::new()),
        value_flags: Vec::new(),
        argument_files: false,
        positional: Positional::Any,
        max_args: 10,
        env: [("EXTRA".to_owned(), "1".to_owned())].into(),
        env_pass: vec!["CARGO_MANIFEST_DIR".into()],
        network: false,
        write_paths: Vec::new(),
        timeout_ms: 60_000,
        idle_timeout_ms: 0,
        tier: Tier::Individual,
        own_tier: false,
        matches: Vec::new(),
        not_matches: Vec::new(),
        shipped: false,
        place: Place::default(),
    }
}

fn tool() -> &'static dyn AnyTool {
    *catalog().iter().find(|tool| tool.spec().name == "exec_run").unwrap()
}

#[test]
fn a_failing_command_is_a_result() {
    let bench = Bench::script("echo out; echo err >&2; exit 3");
    let reply = bench.run(json!({"command": "script"})).unwrap();
    let (head, output) = reply.text.split_once("\n\n").unwrap();
    assert!(head.starts_with("`script` exited with code 3 after "), "{head}");
    assert_eq!(output, "out\nerr\n");
    assert_eq!(
        reply.data,
        json!({"outcome": "exited", "exit_code": 3, "bytes_total": 8, "sandbox": "landlock+seccomp", "network": false})
    );
    assert_eq!(*bench.heard.output.lock().unwrap(), b"out\nerr\n");
    let reply = Bench::script("kill -9 $$").run(json!({"command": "script"})).unwrap();
    assert_eq!((&reply.data["outcome"], &reply.data["signal"]), (&json!("killed"), &json!("SIGKILL")));
    assert!(
        reply.text.contains("was killed by SIGKILL") && reply.text.ends_with("without output."),
        "{}",
        reply.text
    );
}

#[test]
fn it_runs_in_the_workingfolder() {
    let bench = Bench::new();
    let reply = Bench::script("pwd -P").run(json!({"command": "script", "workdir": "sub"})).unwrap();
    assert!(reply.text.ends_with("/root/sub\n"), "{}", reply.text);
    let reply = bench.run(json!({"command": "show", "args": ["../file"], "workdir": "sub"})).unwrap();
    assert!(reply.text.ends_with("in the file\n"), "{}", reply.text);
}

#[test]
fn paths_outside_or_blocked_are_refused() {
    let bench = Bench::new();
    let code = |arguments: Value| bench.refusal(arguments).0;
    for argument in [
        "/etc/passwd",
        "../x",
        "out/passwd",
        "sub/../../x",
        "missing/../../x",
        "out/../file",
        "--file=/etc/passwd",
    ] {
        assert_eq!(
            code(json!({"command": "show", "args": [argument]})),
            Code::ArgumentNotAllowed,
            "{argument}"
        );
    }
    assert_eq!(
        code(json!({"command": "show", "args": ["../../x"], "workdir": "sub"})),
        Code::ArgumentNotAllowed
    );
    for argument in [".env", "./.env", "sub/../.env", "missing/../.env"] {
        assert_eq!(code(json!({"command": "show", "args": [argument]})), Code::BlockedPath, "{argument}");
    }
    assert_eq!(code(json!({"command": "show", "workdir": "out"})), Code::OutsideWorkspace);
    assert_eq!(code(json!({"command": "show", "workdir": "missing"})), Code::NotFound);
    assert_eq!(code(json!({"command": "show", "workdir": "file"})), Code::WrongType);
    assert_eq!(code(json!({"command": "shwo"})), Code::CommandNotAllowed);
    for timeout in [0, 1_800_001] {
        assert_eq!(code(json!({"command": "show", "timeout_ms": timeout})), Code::InvalidArgs);
    }
}

#[test]
fn what_runs_in_the_folder_of_its_package_is_judged_from_there() {
    let bench = Bench::with(|config| {
        config.commands = vec![entry("show", "cat", &[]), entry("npm", "npm", &["test"])];
        config.files.blocked = vec!["deploy/prod.json".to_owned()];
    });
    fs::create_dir_all(bench.folder.path().join("root/sub/deeper")).unwrap();
    let refused = |command: &str, argument: &str| {
        let prepared = tool()
            .prepare(json!({"command": command, "args": [argument], "workdir": "sub/deeper"}), &bench.call);
        prepared.err().map(|error| error.code)
    };
    for argument in ["../x", "../../x", "a/../../x"] {
        assert_eq!(refused("npm", argument), Some(Code::ArgumentNotAllowed), "{argument}");
        assert_eq!(refused("show", argument), None, "{argument}");
    }
    assert_eq!(refused("npm", "deploy/prod.json"), Some(Code::BlockedPath));
    for argument in ["x", "deploy/test.json"] {
        assert!(!matches!(
            refused("npm", argument),
            Some(Code::ArgumentNotAllowed | Code::BlockedPath | Code::OutsideWorkspace)
        ));
    }
}

#[test]
fn no_package_above_the_workspace_is_run() {
    let bench = Bench::with(|config| {
        let shipped = CommandEntry { shipped: true, ..entry("npm_test", "npm", &["test"]) };
        config.commands = vec![shipped, entry("npm_init", "npm", &["init"])];
    });
    let root = bench.folder.path().join("root");
    let missing = |command: &str| {
        let prepared = tool().prepare(json!({"command": command, "workdir": "sub"}), &bench.call);
        prepared.err().is_some_and(|error| error.message.contains("no `package.json` in `sub`"))
    };
    assert!(!missing("npm_test"));
    fs::write(bench.folder.path().join("package.json"), r#"{"scripts":{"test":"echo above"}}"#).unwrap();
    assert!(missing("npm_test") && !missing("npm_init"));
    fs::write(root.join("package.json"), "{}").unwrap();
    assert!(!missing("npm_test"));
}

#[test]
fn a_path_that_is_too_long_to_be_looked_up_is_refused() {
    let bench = Bench::new();
    let workdir = vec!["d".repeat(200); 19].join("/");
    let folder = bench.folder.path().join("root").join(&workdir);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(".env"), "SECRET=1").unwrap();
    symlink("/etc", folder.join("out")).unwrap();
    for path in [".env", "out/hostname"] {
        let padded = "./".repeat(200) + path;
        let (code, message) = bench.refusal(json!({"command": "show", "args": [padded], "workdir": workdir}));
        assert_eq!(code, Code::ArgumentNotAllowed, "{message}");
        assert!(message.contains("too long to be looked up"), "{message}");
    }
}

#[test]
fn what_the_schema_does_not_allow_is_an_invalid_argument() {
    let bench = Bench::new();
    for (args, limit) in [(vec!["a".to_owned(); 65], "at most 64"), (vec!["a".repeat(4097)], "at most 4096")]
    {
        let (code, message) = bench.refusal(json!({"command": "show", "args": args}));
        assert_eq!(code, Code::InvalidArgs, "{message}");
        assert!(message.contains(limit), "{message}");
    }
    // The limit of the entry is its own rule.
    let (code, message) = bench.refusal(json!({"command": "show", "args": vec!["a"; 11]}));
    assert_eq!(code, Code::ArgumentNotAllowed, "{message}");
}

#[test]
fn the_plan_shows_what_will_run() {
    let bench = Bench::new();
    let arguments =
        json!({"command": "script", "args": ["echo a b"], "workdir": "sub/..", "timeout_ms": 5000});
    let prepared = tool().prepare(arguments, &bench.call).unwrap();
    let Some(Preview::Command {
        program,
        args,
        workdir,
        environment,
        network,
        sandbox,
        timeout_ms,
        can_read_blocked,
        ..
    }) = prepared.intent.preview
    else {
        panic!("no command in the plan")
    };
    assert!(program.starts_with('/') && program.ends_with("/sh"), "{program}");
    assert_eq!(
        (args, workdir.as_str(), timeout_ms),
        (vec!["-c".to_owned(), "echo a b".to_owned()], ".", 5000)
    );
    assert_eq!(environment["EXTRA"], "1");
    assert_eq!(environment["CARGO_MANIFEST_DIR"], "(passed on from the host)");
    let root = bench.call.workspace.root().display();
    let words = format!(
        "landlock+seccomp: it can change files only below `{root}`, and a temporary folder of its own; in those everything, \
         `.git` and protected files too; it can change modes, times and attributes of your other files; it can read what you can read, blocked files too; it has no network, not even to this machine, and no \
         sockets to other programs"
    );
    assert!(!network && can_read_blocked, "{sandbox}");
    assert_eq!(sandbox, words);
    assert_eq!((prepared.intent.summary.as_str(), prepared.intent.tier), ("Run sh -c echo a b", None));
}

#[test]
fn a_program_inside_the_workspace_is_never_found_by_name() {
    let bench = Bench::with(|config| {
        let root = config.workspaces[0].path.clone();
        fs::copy("/bin/true", root.join("planted")).unwrap();
        config.exec.path = vec![root.clone()];
        config.commands = vec![
            entry("planted", "planted", &[]),
            entry("named", root.join("planted").to_str().unwrap(), &[]),
        ];
    });
    let (code, message) = bench.refusal(json!({"command": "planted"}));
    assert_eq!(code, Code::SpawnFailed);
    assert!(message.contains("inside a workspace"), "{message}");
    let prepared = tool().prepare(json!({"command": "named"}), &bench.call).unwrap();
    assert!(prepared.intent.raises[0].reason.contains("lies in a workspace"), "{:?}", prepared.intent.raises);
}

#[test]
fn ends_that_are_ours_are_errors_with_the_output() {
    let bench = Bench::script("while echo tick; do sleep 0.1; done");
    let (code, message) = bench.refusal(json!({"command": "script", "timeout_ms": 600}));
    assert_eq!(code, Code::Timeout);
    assert!(
        message.starts_with("time-out: `script` and all it had started were ended")
            && message.contains("tick"),
        "{message}"
    );
    let bench = Bench::with(|config| {
        config.commands[1].args = vec!["-c".into(), "echo begun; sleep 1000".into()];
        config.commands[1].idle_timeout_ms = 400;
    });
    let (code, message) = bench.refusal(json!({"command": "script"}));
    assert_eq!(code, Code::IdleTimeout);
    assert!(message.starts_with("no output for 400 ms") && message.contains("begun"), "{message}");
    let bench = Bench::script("echo begun; sleep 1000");
    let (cancel, heard) = (bench.call.cancel.clone(), Arc::clone(&bench.heard));
    let canceller = std::thread::spawn(move || {
        while heard.output.lock().unwrap().is_empty() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        cancel.cancel();
    });
    let (code, message) = bench.refusal(json!({"command": "script"}));
    canceller.join().unwrap();
    assert_eq!(code, Code::Cancelled);
    assert!(
        message.starts_with("the call was stopped; `script`") && message.ends_with("Its output:\nbegun\n"),
        "{message}"
    );
}

#[test]
fn long_output_keeps_both_ends_and_all_of_it_under_a_handle() {
    let bench = Bench::script(
        "echo first; head -c 200000 /dev/zero | tr '\\0' x; echo; echo needle; seq 1000; echo last",
    );
    let reply = bench.run(json!({"command": "script"})).unwrap();
    let truncated = reply.truncated.unwrap();
    assert_eq!((truncated.shown, truncated.total), (32 * 1024, 203_912));
    assert!(reply.text.contains("\n\nfirst\nx") && reply.text.contains("\n1000\nlast\n\n(all of it: "));
    assert!(reply.text.contains("[… 171144 bytes left out …]"), "{}", &reply.text[6500..6700]);
    let handle = reply.handle.unwrap();
    assert!(handle.starts_with("out:"), "{handle}");
    assert_eq!(json!(truncated.next.unwrap()), json!({"tool": "fs_read", "args": {"path": handle}}));

    let read = |arguments: Value| bench.call_tool("fs_read", arguments).unwrap();
    let tail = read(json!({"path": handle, "start_line": -2, "line_numbers": false}));
    assert_eq!((tail.text.as_str(), &tail.data["lines_total"]), ("1000\nlast\n", &json!(1004)));
    let around = read(json!({"path": handle, "start_line": 3, "limit": 2}));
    assert!(
        around.text.starts_with("   3|needle\n   4|1\n(lines 3-4 of 1004; next: fs_read"),
        "{}",
        around.text
    );
    let found =
        bench.call_tool("search_grep", json!({"path": handle, "pattern": "need.e", "context": 1})).unwrap();
    assert_eq!(
        (&found.data["matches"][0]["path"], &found.data["matches"][0]["line"]),
        (&json!(handle), &json!(3))
    );
    let gone = bench.call_tool("fs_read", json!({"path": "out:01ARZ3NDEKTSV4RRFFQ69G5FAV"})).unwrap_err();
    assert_eq!(gone.code, Code::NotFound);
    assert!(gone.message.contains("nothing is kept under `out:01ARZ3"), "{}", gone.message);
}

#[test]
fn what_runs_later_and_was_changed_is_told() {
    let bench = Bench::script(
        "mkdir -p .git/hooks .github/workflows src; echo x > src/a; echo x > .git/hooks/pre-commit; echo x >> .git/config; \
         touch .git/hooks/a.sample; echo x > .github/workflows/ci.yml; echo x > package.json",
    );
    let git = bench.folder.path().join("root/.git");
    fs::create_dir_all(&git).unwrap();
    fs::write(git.join("config"), "[core]\n").unwrap();
    let reply = bench.run(json!({"command": "script"})).unwrap();
    let expected = "it changed what runs or decides later: `.git/config`, `.git/hooks/pre-commit` (new), \
        `.github/workflows/ci.yml` (new), `package.json` (new)";
    assert_eq!(reply.warnings, [expected]);
    let bench = Bench::script("echo x > plain");
    assert_eq!(bench.run(json!({"command": "script"})).unwrap().warnings, Vec::<String>::new());
}

#[test]
fn the_schema_names_the_commands() {
    let bench = Bench::new();
    let schema = tool().input_schema(&bench.call.law);
    assert_eq!(schema["properties"]["command"]["enum"], json!(["show", "script"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(schema["required"], json!(["command"]));
    let none = Bench::with(|config| config.exec.enabled = false);
    assert!(tool().input_schema(&none.call.law)["properties"]["command"].get("enum").is_none());
    assert_eq!(none.refusal(json!({"command": "show"})).0, Code::CommandNotAllowed);
}

#[test]
fn the_law_speaks_before_it_is_looked_for_the_program() {
    let bench = Bench::with(|config| config.commands.push(entry("gone", "outrigger-no-such-program", &[])));
    let code = |arguments: Value| bench.run(arguments).unwrap_err().code;
    for argument in ["/etc/passwd", "../x", "out/passwd"] {
        assert_eq!(
            code(json!({"command": "gone", "args": [argument]})),
            Code::ArgumentNotAllowed,
            "{argument}"
        );
    }
    assert_eq!(code(json!({"command": "gone", "args": [".env"]})), Code::BlockedPath);
    assert_eq!(code(json!({"command": "gone", "workdir": "out"})), Code::OutsideWorkspace);
    assert_eq!(code(json!({"command": "gone", "args": ["file"]})), Code::SpawnFailed);
}
