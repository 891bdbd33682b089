//! What a command that is held cannot do, tried by real programs, and what it can.

use std::{
    collections::BTreeMap,
    fs,
    net::TcpListener,
    os::{
        linux::net::SocketAddrExt,
        unix::{
            fs::PermissionsExt,
            net::{SocketAddr, UnixListener},
        },
    },
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use outrigger::{
    cancel::Cancel,
    config::{CommandEntry, Config, ExecSettings, Place, Positional, Sandbox, WorkspaceEntry},
    policy::{
        AllowedCommand, Commands, Effect, Intent, Law, PathRules, Permit, Question, Resolution, Verdict,
        judge,
    },
    process::{CANCEL_GRACE, Ended, ProcessDoor, ProcessError, Transcript, Watch},
    relpath::RelPath,
    tier::{Mode, Tier},
    workspace::Workspace,
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A workspace `root` beside a folder `outside`.
struct Bench {
    folder: TempDir,
    door: ProcessDoor,
    entry: CommandEntry,
    read_only: bool,
}

impl Bench {
    fn new() -> Self {
        Self::under(Sandbox::BestEffort)
    }

    fn under(sandbox: Sandbox) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in [("root", "in"), ("outside", "out")] {
            fs::create_dir_all(folder.path().join(name).join("sub")).unwrap();
            fs::write(folder.path().join(name).join("file"), content).unwrap();
        }
        let settings = ExecSettings { sandbox, ..ExecSettings::default() };
        let door = ProcessDoor::new(settings, Vec::new(), folder.path().join("tmp"));
        let entry = CommandEntry {
            id: "probe".into(),
            program: String::new(),
            args: Vec::new(),
            summary: String::new(),
            allow_flags: None,
            deny_flags: Some(Vec::new()),
            value_flags: Vec::new(),
            argument_files: false,
            positional: Positional::Any,
            max_args: 64,
            env: BTreeMap::new(),
            env_pass: Vec::new(),
            network: false,
            write_paths: Vec::new(),
            timeout_ms: 60_000,
            idle_timeout_ms: 0,
            tier: Tier::Individual,
            own_tier: true,
            matches: Vec::new(),
            not_matches: Vec::new(),
            shipped: false,
            place: Place::default(),
        };
        let helper = env!("CARGO_BIN_EXE_outrigger").into();
        Self { folder, door: door.with_helper(helper), entry, read_only: false }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn workspace(&self) -> Workspace {
        let entry = WorkspaceEntry {
            id: "app".into(),
            path: self.path("root"),
            read_only: self.read_only,
            closed_by: None,
            place: Place::default(),
        };
        Workspace::open(&entry, Arc::new(PathRules::new(&Config::default().files).unwrap())).unwrap()
    }

    fn command(&self, program: &str, args: &[&str]) -> AllowedCommand {
        let program = self.door.resolve_program(program).unwrap();
        let entry = CommandEntry { program: program.to_str().unwrap().to_owned(), ..self.entry.clone() };
        let config = Config { commands: vec![entry], ..Config::default() };
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        let checked = Commands::new(&config).check("probe", &args).unwrap();
        let resolved = vec![Resolution::NotAPath; checked.path_arguments().len()];
        let rules = PathRules::new(&config.files).unwrap();
        checked.allow(&rules, program, RelPath::root(), &resolved).unwrap()
    }

    fn try_run(&self, command: &AllowedCommand) -> Result<(Ended, String), ProcessError> {
        let workspace = self.workspace();
        let confinement = self.door.confinement(command, &workspace)?;
        let started = self.door.start(&permit(), command, &confinement, workspace.handle())?;
        let transcript = Transcript::new(1 << 20);
        let outcome = started.attend(&mut Watch {
            wall: Duration::from_mins(1),
            idle: None,
            cancel: &Cancel::new(),
            cancel_grace: &|| CANCEL_GRACE,
            transcript: &transcript,
            on_news: &mut |_| {},
        })?;
        Ok((outcome.ended, transcript.whole().text))
    }

    fn run(&self, program: &str, args: &[&str]) -> (Ended, String) {
        self.try_run(&self.command(program, args)).unwrap()
    }

    /// Tries each line of Python by itself and says what came of it: `ok`, the name of the error, or what it answered.
    fn attempts(&self, lines: &[&str]) -> Vec<(String, String)> {
        let script = format!(
            "{PRELUDE}\nroot, outside = {}, {}\n",
            json!(self.path("root")),
            json!(self.path("outside"))
        );
        fs::write(self.path("attempts.py"), script + ATTEMPTS).unwrap();
        let lines = json!(lines).to_string();
        let (ended, text) = self.run("python3", &[self.path("attempts.py").to_str().unwrap(), &lines]);
        assert_eq!(ended, Ended::Exited(0), "{text}");
        serde_json::from_str(text.lines().last().unwrap()).unwrap()
    }

    /// Every line must be refused by one of the system's two words for that.
    fn refused(&self, lines: &[&str]) {
        for (line, what) in self.attempts(lines) {
            assert!(["EACCES", "EPERM", "EXDEV"].contains(&what.as_str()), "{line}: {what}");
        }
    }

    fn works(&self, lines: &[&str]) {
        for (line, what) in self.attempts(lines) {
            assert_eq!(what, "ok", "{line}");
        }
    }
}

const PRELUDE: &str = "
import os, sys, json, errno, socket, ctypes, stat, threading
libc = ctypes.CDLL(None, use_errno=True)
def raw(number, *args):
    if libc.syscall(number, *args) < 0: raise OSError(ctypes.get_errno(), 'system call')
NUMBERS = {'x86_64': (251, 248, 249, 250), 'aarch64': (30, 217, 218, 219)}[os.uname().machine]
def ioprio_set(*args): raw(NUMBERS[0], *args)
def keyring(name, *args): raw(NUMBERS[['add_key', 'request_key', 'keyctl'].index(name) + 1], *args)
def write(path): open(path, 'w').write('x')
";

const ATTEMPTS: &str = "
results = []
for line in json.loads(sys.argv[1]):
    try:
        exec(line)
        results.append((line, 'ok'))
    except OSError as error:
        results.append((line, errno.errorcode.get(error.errno, str(error))))
print('\\n' + json.dumps(results))
";

fn permit() -> Permit {
    let config = Config { tool_tiers: [("exec_run".to_owned(), Tier::Auto)].into(), ..Config::default() };
    let intent = Intent { effect: Effect::Execute, ..Intent::read("") };
    let question = Question {
        tool: "exec_run",
        base_tier: Tier::Individual,
        arguments: &Value::Null,
        workspace: "w",
        workspace_root: "/",
        read_only: false,
        closed_by: "w",
        mode: Mode::Ask,
        intent: &intent,
        expires_at: "",
    };
    match judge(&Law::new(&config).unwrap(), question, None) {
        Verdict::Run(permit) => permit,
        other => panic!("no permit: {other:?}"),
    }
}

#[test]
fn nothing_outside_can_be_changed() {
    let bench = Bench::new();
    bench.refused(&[
        "write(outside + '/new')",
        "write(outside + '/file')",
        "open(outside + '/file', 'a')",
        "os.truncate(outside + '/file', 0)",
        "os.open(outside + '/file', os.O_RDONLY | os.O_TRUNC)",
        "os.unlink(outside + '/file')",
        "os.rmdir(outside + '/sub')",
        "os.mkdir(outside + '/made')",
        "os.symlink('x', outside + '/link')",
        "os.mkfifo(outside + '/fifo')",
        "os.rename(outside + '/file', outside + '/other')",
        "os.rename(root + '/file', outside + '/moved')",
        "os.rename(outside + '/file', root + '/stolen')",
        "os.link(root + '/file', outside + '/hard')",
        "os.link(outside + '/file', root + '/hard')",
        "os.symlink(outside + '/file', root + '/door'); write(root + '/door')",
        "os.mkdir(root + '/deep'); os.symlink('../../outside', root + '/deep/up'); write(root + '/deep/up/x')",
        "write('/tmp/outrigger-sandbox-test')",
        "write(os.environ['HOME'] + '/.outrigger-sandbox-test')",
        "write('/dev/shm/outrigger-sandbox-test')",
        "write('/proc/self/oom_score_adj')",
        "write('/proc/%d/mem' % os.getppid())",
        "os.open(outside + '/sub', os.O_TMPFILE | os.O_WRONLY)",
    ]);
    assert_eq!(fs::read_to_string(bench.path("outside/file")).unwrap(), "out");
    assert_eq!(fs::read_dir(bench.path("outside")).unwrap().count(), 2);
}

#[test]
fn devices_cannot_be_made_even_inside() {
    let bench = Bench::new();
    bench.refused(&[
        "os.mknod(root + '/disk', 0o600 | stat.S_IFBLK, os.makedev(254, 0))",
        "os.mknod(root + '/zero', 0o600 | stat.S_IFCHR, os.makedev(1, 5))",
    ]);
}

#[test]
fn the_workspace_and_the_temporary_folder_can_be_changed() {
    let bench = Bench::new();
    bench.works(&[
        "write(root + '/new'); os.truncate(root + '/new', 0); os.unlink(root + '/new')",
        "os.rename(root + '/file', root + '/sub/file'); os.link(root + '/sub/file', root + '/file')",
        "os.makedirs(root + '/a/b'); os.symlink('a', root + '/link'); os.mkfifo(root + '/a/fifo'); os.removedirs(root + '/a/b')",
        "write(os.environ['TMPDIR'] + '/x'); os.rename(os.environ['TMPDIR'] + '/x', os.environ['TMPDIR'] + '/y')",
        "write('/dev/null'); open('/dev/urandom').close(); write('/dev/stdout')",
        "open(outside + '/file').read()",
    ]);
}

#[test]
fn there_is_no_network_and_no_other_way_to_it() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let (bench, port) = (Bench::new(), tcp.local_addr().unwrap().port());
    let name = format!("outrigger-test-{}", std::process::id());
    let hidden = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let named = UnixListener::bind(bench.path("root/socket")).unwrap();
    let local = format!("socket.create_connection(('127.0.0.1', {port}))");
    let unix = format!("s = socket.socket(socket.AF_UNIX); s.connect('\\0{name}')");
    bench.refused(&[
        &local,
        &unix,
        "s = socket.socket(socket.AF_UNIX); s.connect(root + '/socket')",
        "socket.socket(socket.AF_INET)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "socket.socket(socket.AF_INET, socket.SOCK_RAW)",
        "socket.socket(socket.AF_INET6)",
        "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)",
        "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
        "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
        "socket.socket(socket.AF_VSOCK)",
        "socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)",
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)",
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)",
        "raw(425, 8, ctypes.create_string_buffer(120))",
        "raw(426, 0, 1, 0, 0, None, 0)",
        "raw(427, 0, 0, None, 0)",
    ]);
    for listener in [&hidden, &named] {
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "somebody came through");
    }
    bench.works(&["a, b = socket.socketpair(); a.send(b'x'); b.recv(1)"]);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_other_flavours_of_system_calls_are_closed_too() {
    // x32 numbers of `socket` and `io_uring_setup`; most kernels do not have them at all.
    for (line, what) in
        Bench::new().attempts(&["raw(0x40000000 | 41, 2, 1, 0)", "raw(0x40000000 | 425, 8, 0)"])
    {
        assert!(["EACCES", "ENOSYS"].contains(&what.as_str()), "{line}: {what}");
    }
}

#[test]
fn a_command_with_network_is_still_held_to_its_files() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut bench = Bench::new();
    bench.entry.network = true;
    let local = format!("socket.create_connection(('127.0.0.1', {}))", tcp.local_addr().unwrap().port());
    bench.works(&[&local]);
    bench.refused(&["write(outside + '/new')"]);
    let command = bench.command("true", &[]);
    let confinement = bench.door.confinement(&command, &bench.workspace()).unwrap();
    assert_eq!((confinement.kind(), confinement.has_network()), ("landlock", true));
    assert!(confinement.description().contains("the network is open to it"), "{}", confinement.description());
}

#[test]
fn it_cannot_reach_the_processes_around_it() {
    let bench = Bench::new();
    let own = std::process::id();
    let (attach, signal) = (format!("raw(101, 16, {own}, 0, 0)"), format!("os.kill({own}, 0)"));
    let seize = format!("raw(101, 0x4206, {own}, 0, 0)");
    let fd = format!("raw(438, os.pidfd_open({own}), 0, 0)");
    let environment = format!("open('/proc/{own}/environ', 'rb').read(1)");
    bench.refused(&[
        &environment,
        "import socket; socket.sethostname(socket.gethostname())",
        &attach,
        &seize,
        &signal,
        &fd,
        "os.kill(os.getppid(), 9)",
        "raw(101, 16, os.getppid(), 0, 0)",
        "open('/proc/%d/mem' % os.getppid(), 'rb').read(1)",
    ]);
    let (_, status) = bench.run("cat", &["/proc/self/status"]);
    assert!(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"), "{status}");
}

#[test]
fn it_cannot_change_how_other_processes_run() {
    let mut bench = Bench::new();
    let own = std::process::id();
    let limits = format!("import resource; resource.prlimit({own}, resource.RLIMIT_CORE, (0, 0))");
    let affinity = format!("os.sched_setaffinity({own}, os.sched_getaffinity(0))");
    let scheduler = format!("os.sched_setscheduler({own}, os.SCHED_BATCH, os.sched_param(0))");
    let parameters = format!("os.sched_setparam({own}, os.sched_param(0))");
    let priority = format!("os.setpriority(os.PRIO_PROCESS, {own}, os.getpriority(os.PRIO_PROCESS, {own}))");
    let group = format!("os.setpriority(os.PRIO_PGRP, {own}, 19)");
    let io = format!("ioprio_set(1, {own}, 0)");
    for network in [false, true] {
        bench.entry.network = network;
        bench.refused(&[
            &limits,
            &affinity,
            &scheduler,
            &parameters,
            &priority,
            &group,
            "os.setpriority(os.PRIO_USER, 0, 0)",
            &io,
            "ioprio_set(3, 0, 0)",
            "import resource; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))",
        ]);
        let look = format!("import resource; resource.prlimit({own}, resource.RLIMIT_NOFILE)");
        bench.works(&[
            &look,
            "import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0))",
            "os.sched_setaffinity(0, os.sched_getaffinity(0))",
            "os.nice(1); os.setpriority(os.PRIO_PROCESS, 0, 5); os.setpriority(os.PRIO_PGRP, 0, 5)",
            "ioprio_set(1, 0, 3 << 13)",
            "threading.Thread(target=lambda: None).start()",
        ]);
    }
}

#[test]
fn nothing_of_it_stays_in_the_kernel() {
    let bench = Bench::new();
    bench.refused(&[
        "if libc.msgget(0x4242, 0o1666) < 0: raise OSError(ctypes.get_errno(), '')",
        "if libc.semget(0x4242, 1, 0o1666) < 0: raise OSError(ctypes.get_errno(), '')",
        "if libc.shmget(0x4242, 4096, 0o1666) < 0: raise OSError(ctypes.get_errno(), '')",
        "keyring('keyctl', 0, ctypes.c_int(-3), 0)",
        "keyring('add_key', b'user', b'outrigger', b'x', 1, -3)",
        "keyring('request_key', b'user', b'outrigger', None, 0)",
    ]);
}

#[test]
fn a_read_only_workspace_stays_as_it_is() {
    let mut bench = Bench::new();
    bench.read_only = true;
    bench.refused(&["write(root + '/new')", "os.unlink(root + '/file')"]);
    bench.works(&["write(os.environ['TMPDIR'] + '/x')"]);
    let confinement = bench.door.confinement(&bench.command("true", &[]), &bench.workspace()).unwrap();
    assert!(confinement.confines_files() && !confinement.lets_change(&bench.path("root/file")));
    assert!(confinement.description().contains("not the workspace, which is read-only"));
}

#[test]
fn a_write_path_is_let_through_and_only_it() {
    let mut bench = Bench::new();
    fs::create_dir(bench.path("cache")).unwrap();
    fs::write(bench.path("one-file"), "").unwrap();
    bench.entry.write_paths = ["cache", "one-file"].map(|name| bench.path(name)).into();
    let cache = format!("write('{}/x')", bench.path("cache").display());
    let file = format!("write('{}')", bench.path("one-file").display());
    bench.works(&[&cache, &file]);
    bench.refused(&["write(outside + '/x')"]);
    let confinement = bench.door.confinement(&bench.command("true", &[]), &bench.workspace()).unwrap();
    assert!(confinement.description().contains(&format!("`{}`", bench.path("cache").display())));
    assert!(
        confinement.lets_change(&bench.path("cache/x")) && !confinement.lets_change(&bench.path("outside"))
    );
}

#[test]
fn a_folder_that_is_missing_is_made_when_the_command_starts_and_not_before() {
    let mut bench = Bench::new();
    std::os::unix::fs::symlink(bench.path("outside"), bench.path("link")).unwrap();
    bench.entry.write_paths = vec![bench.path("caches/one"), bench.path("link/two")];
    let confinement = bench.door.confinement(&bench.command("true", &[]), &bench.workspace()).unwrap();
    // Told by the name it will have, whatever link the written one goes through.
    assert!(confinement.description().contains(&format!("`{}`", bench.path("outside/two").display())));
    assert!(confinement.lets_change(&bench.path("caches/one/x")));
    assert!(!bench.path("caches").exists() && !bench.path("outside/two").exists());
    let one = format!("write('{}/x')", bench.path("caches/one").display());
    bench.works(&[&one, "write(outside + '/two/x')"]);
    let beside = format!("write('{}/x')", bench.path("caches").display());
    bench.refused(&[&beside, "write(outside + '/x')"]);
    let mode = fs::metadata(bench.path("caches/one")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn what_stands_at_the_name_of_a_missing_folder_is_not_let_through_when_it_is_a_link() {
    let mut bench = Bench::new();
    bench.entry.write_paths = vec![bench.path("caches/one")];
    let (command, workspace) = (bench.command("true", &[]), bench.workspace());
    for link in ["caches", "caches/one"] {
        let confinement = bench.door.confinement(&command, &workspace).unwrap();
        if link == "caches/one" {
            fs::create_dir(bench.path("caches")).unwrap();
        }
        std::os::unix::fs::symlink(bench.path("outside"), bench.path(link)).unwrap();
        let started = bench.door.start(&permit(), &command, &confinement, workspace.handle()).unwrap();
        let ended = started.attend(&mut Watch {
            wall: Duration::from_mins(1),
            idle: None,
            cancel: &Cancel::new(),
            cancel_grace: &|| CANCEL_GRACE,
            transcript: &Transcript::new(1000),
            on_news: &mut |_| {},
        });
        assert!(matches!(ended, Err(ProcessError::NotHeld { .. })), "{link}: {ended:?}");
        fs::remove_file(bench.path(link)).unwrap();
        assert!(!bench.path("outside/one").exists());
    }
}

#[test]
fn a_folder_that_was_swapped_after_the_plan_is_not_let_through() {
    let mut bench = Bench::new();
    fs::create_dir(bench.path("cache")).unwrap();
    bench.entry.write_paths = vec![bench.path("cache")];
    let (command, workspace) = (bench.command("true", &[]), bench.workspace());
    let confinement = bench.door.confinement(&command, &workspace).unwrap();
    fs::rename(bench.path("cache"), bench.path("moved")).unwrap();
    std::os::unix::fs::symlink(bench.path("outside"), bench.path("cache")).unwrap();
    for again in [false, true] {
        if again {
            fs::remove_file(bench.path("cache")).unwrap();
            fs::create_dir(bench.path("cache")).unwrap();
        }
        let started = bench.door.start(&permit(), &command, &confinement, workspace.handle()).unwrap();
        let ended = started.attend(&mut Watch {
            wall: Duration::from_mins(1),
            idle: None,
            cancel: &Cancel::new(),
            cancel_grace: &|| CANCEL_GRACE,
            transcript: &Transcript::new(1000),
            on_news: &mut |_| {},
        });
        let Err(ProcessError::NotHeld { reason, .. }) = ended else { panic!("{ended:?}") };
        assert!(reason.contains("was replaced by something else"), "{reason}");
    }
}

#[test]
fn without_a_sandbox_the_words_say_so() {
    let bench = Bench::under(Sandbox::Off);
    let confinement = bench.door.confinement(&bench.command("true", &[]), &bench.workspace()).unwrap();
    assert_eq!((confinement.kind(), confinement.has_network()), ("none", true));
    assert!(confinement.description().starts_with("none: the command runs with all rights"));
    assert!(confinement.lets_change(Path::new("/etc/passwd")));
    bench.works(&["write(outside + '/new')", "socket.socket(socket.AF_INET)"]);
}

#[test]
fn where_the_system_has_all_of_it_a_required_sandbox_runs() {
    let bench = Bench::under(Sandbox::Required);
    bench.works(&["write(root + '/new')"]);
    bench.refused(&["write(outside + '/new')", "socket.socket(socket.AF_INET)"]);
}

#[test]
fn ordinary_programs_work() {
    let mut bench = Bench::new();
    fs::write(
        bench.path("root/parallel.py"),
        "import multiprocessing, subprocess, tempfile, threading, sqlite3\n\
         def f(pipe): pipe.send(21)\n\
         if __name__ == '__main__':\n\
         \x20   ours, theirs = multiprocessing.Pipe()\n\
         \x20   one = multiprocessing.get_context('fork').Process(target=f, args=(theirs,)); one.start()\n\
         \x20   with tempfile.NamedTemporaryFile() as file: file.write(b'x')\n\
         \x20   sqlite3.connect('data.db').execute('create table t (x)')\n\
         \x20   print(ours.recv() * 2, subprocess.run(['sh', '-c', 'echo $((40 + 2)) | cat'], capture_output=True).stdout); one.join()\n",
    )
    .unwrap();
    let (ended, text) = bench.run("python3", &["parallel.py"]);
    assert_eq!((ended, text.as_str()), (Ended::Exited(0), "42 b'42\\n'\n"));
    if bench.door.resolve_program("node").is_ok() {
        fs::write(
            bench.path("root/parallel.mjs"),
            "import { fork, execFileSync } from 'node:child_process'; import fs from 'node:fs/promises';\n\
             import { Worker } from 'node:worker_threads';\n\
             if (process.send) { process.on('message', (n) => { process.send(n * 2, () => process.disconnect()); }); }\n\
             else {\n\
             \x20 await fs.writeFile('a.txt', 'a'); await fs.rename('a.txt', 'sub/b.txt');\n\
             \x20 const child = fork('parallel.mjs'); child.send(21);\n\
             \x20 const doubled = await new Promise((done) => child.on('message', done));\n\
             \x20 const worker = new Worker('require(\"worker_threads\").parentPort.postMessage(1)', { eval: true });\n\
             \x20 const one = await new Promise((done) => worker.on('message', done));\n\
             \x20 console.log(doubled + one, execFileSync('cat', ['sub/b.txt']).toString());\n\
             }\n",
        )
        .unwrap();
        let (ended, text) = bench.run("node", &["parallel.mjs"]);
        assert_eq!((ended, text.as_str()), (Ended::Exited(0), "43 a\n"));
    }
    fs::create_dir_all(bench.path("root/crate/src")).unwrap();
    fs::write(
        bench.path("root/crate/Cargo.toml"),
        "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    )
    .unwrap();
    fs::write(
        bench.path("root/crate/src/lib.rs"),
        "#[test]\nfn it_works() { std::fs::write(std::env::temp_dir().join(\"x\"), \"x\").unwrap(); }\n",
    )
    .unwrap();
    // As the shipped entries do: a toolchain may stand elsewhere than in the home folder.
    bench.entry.env_pass = ["CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"].map(Into::into).into();
    let (ended, text) =
        bench.run("cargo", &["test", "--offline", "--manifest-path", "crate/Cargo.toml", "-q"]);
    assert_eq!(ended, Ended::Exited(0), "{text}");
    assert!(text.contains("1 passed"), "{text}");
}
