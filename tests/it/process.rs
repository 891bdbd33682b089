//! The door to programs, through its public types, with real programs under the real helper.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use cap_std::fs::Dir;
use outrigger::{
    cancel::Cancel,
    config::{CommandEntry, Config, ExecSettings, Place, Positional, WorkspaceEntry},
    ids::new_ulid,
    policy::{
        AllowedCommand, Commands, Effect, Intent, Law, PathRules, Permit, Question, Resolution, Verdict,
        judge,
    },
    process::{CANCEL_GRACE, Ended, News, Outcome, ProcessDoor, ProcessError, Transcript, Watch},
    relpath::RelPath,
    tier::{Mode, Tier},
    workspace::Workspace,
};
use serde_json::Value;
use tempfile::TempDir;

const HELPER: &str = env!("CARGO_BIN_EXE_outrigger");
const KEEP: usize = 32 * 1024;

/// How a command ended, and what it wrote.
#[derive(Debug)]
struct Ran {
    ended: Ended,
    survivors: u32,
    transcript: Transcript,
}

impl Ran {
    fn text(&self) -> String {
        self.transcript.whole().text
    }
}

/// How long a run may take, be silent, and clean up when it is cancelled.
#[derive(Clone, Copy)]
struct Limits {
    wall: Duration,
    idle: Option<Duration>,
    grace: Duration,
}

const PATIENT: Limits = Limits { wall: Duration::from_mins(1), idle: None, grace: CANCEL_GRACE };

fn opened(folder: &Path) -> Dir {
    Dir::open_ambient_dir(folder, cap_std::ambient_authority()).unwrap()
}

/// Runs a command to its end in an open folder of the workspace.
fn run_in(
    door: &ProcessDoor,
    command: &AllowedCommand,
    workspace: &Workspace,
    workdir: &Dir,
    limits: Limits,
    cancel: &Cancel,
    hear: &mut dyn FnMut(News<'_>),
) -> Result<Ran, ProcessError> {
    let transcript = Transcript::new(KEEP);
    let confinement = door.confinement(command, workspace)?;
    let started = door.start(&permit(Effect::Execute), command, &confinement, workdir)?;
    let Outcome { ended, survivors, .. } = started.attend(&mut Watch {
        wall: limits.wall,
        idle: limits.idle,
        cancel,
        cancel_grace: &|| limits.grace,
        transcript: &transcript,
        on_news: hear,
    })?;
    Ok(Ran { ended, survivors, transcript })
}

fn open_workspace(root: &Path) -> Workspace {
    let entry = WorkspaceEntry {
        id: "app".into(),
        path: root.to_owned(),
        read_only: false,
        closed_by: None,
        place: Place::default(),
    };
    Workspace::open(&entry, Arc::new(PathRules::new(&Config::default().files).unwrap())).unwrap()
}

/// A folder, a door and a mark that everything started by this test carries in its environment.
struct Bench {
    folder: TempDir,
    door: ProcessDoor,
    mark: String,
}

impl Bench {
    fn new() -> Self {
        Self::with_helper(HELPER.into())
    }

    fn with_helper(helper: PathBuf) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let door = ProcessDoor::new(ExecSettings::default(), Vec::new(), folder.path().join("tmp"));
        Self { folder, door: door.with_helper(helper), mark: new_ulid() }
    }

    /// `/bin/sh` with a script of the administrator and arguments of a caller.
    fn shell(&self, script: &str, args: &[&str]) -> AllowedCommand {
        let env = [("MARK".to_owned(), self.mark.clone())].into();
        allowed("/bin/sh", &["-c", script, "sh"], args, env, &[])
    }

    fn workspace(&self) -> Workspace {
        open_workspace(self.folder.path())
    }

    fn run(&self, command: &AllowedCommand) -> Ran {
        self.run_within(command, PATIENT, &Cancel::new()).unwrap()
    }

    fn run_within(
        &self,
        command: &AllowedCommand,
        limits: Limits,
        cancel: &Cancel,
    ) -> Result<Ran, ProcessError> {
        let workdir = opened(self.folder.path());
        run_in(&self.door, command, &self.workspace(), &workdir, limits, cancel, &mut |_| {})
    }

    /// Cancels once the script has made the file `ready`.
    fn run_and_cancel(&self, command: &AllowedCommand) -> Ran {
        self.run_and_cancel_within(command, PATIENT)
    }

    fn run_and_cancel_within(&self, command: &AllowedCommand, limits: Limits) -> Ran {
        let cancel = Cancel::new();
        let (ready, other) = (self.folder.path().join("ready"), cancel.clone());
        let canceller = thread::spawn(move || {
            wait_for("the command's first step", || ready.exists());
            other.cancel();
        });
        let outcome = self.run_within(command, limits, &cancel).unwrap();
        canceller.join().unwrap();
        outcome
    }

    fn left(&self) -> Vec<String> {
        marked(&self.mark)
    }
}

/// Whatever goes wrong, a test leaves no process behind.
impl Drop for Bench {
    fn drop(&mut self) {
        for pid in self.left() {
            let _ = std::process::Command::new("kill").args(["-9", &pid]).status();
        }
    }
}

fn entry(program: &str, fixed: &[&str], env: BTreeMap<String, String>, env_pass: &[&str]) -> CommandEntry {
    CommandEntry {
        id: "probe".into(),
        program: program.into(),
        args: fixed.iter().map(ToString::to_string).collect(),
        summary: String::new(),
        allow_flags: None,
        deny_flags: Some(Vec::new()),
        value_flags: Vec::new(),
        argument_files: false,
        positional: Positional::Any,
        max_args: 64,
        env,
        env_pass: env_pass.iter().map(ToString::to_string).collect(),
        network: false,
        write_paths: Vec::new(),
        timeout_ms: 600_000,
        idle_timeout_ms: 0,
        tier: Tier::Individual,
        own_tier: true,
        matches: Vec::new(),
        not_matches: Vec::new(),
        shipped: false,
        place: Place::default(),
    }
}

fn allowed(
    program: &str,
    fixed: &[&str],
    args: &[&str],
    env: BTreeMap<String, String>,
    env_pass: &[&str],
) -> AllowedCommand {
    let config = Config { commands: vec![entry(program, fixed, env, env_pass)], ..Config::default() };
    let args: Vec<String> = args.iter().map(ToString::to_string).collect();
    let checked = Commands::new(&config).check("probe", &args).unwrap();
    let resolved = vec![Resolution::NotAPath; checked.path_arguments().len()];
    let rules = PathRules::new(&config.files).unwrap();
    checked.allow(&rules, program.into(), RelPath::root(), &resolved).unwrap()
}

fn permit(effect: Effect) -> Permit {
    let config = Config { tool_tiers: [("exec_run".to_owned(), Tier::Auto)].into(), ..Config::default() };
    let intent = Intent { effect, ..Intent::read("") };
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

/// The ids of living processes that carry `MARK=mark`.
fn marked(mark: &str) -> Vec<String> {
    let entry = format!("MARK={mark}");
    let carries = |pid: &str| {
        let dead = fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "));
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        !dead && environ.split(|byte| *byte == 0).any(|one| one == entry.as_bytes())
    };
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|one| one.unwrap().file_name().into_string().ok())
        .filter(|name| name.parse::<u32>().is_ok() && carries(name))
        .collect()
}

/// Waits for something that has to happen; how long is not what is tested.
fn wait_for(what: &str, mut happened: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !happened() {
        assert!(Instant::now() < until, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn arguments_arrive_byte_by_byte() {
    let args = [
        "two words",
        "quo\"te",
        "sin'gle",
        "new\nline",
        "täb\t✓ 𝄞",
        "",
        "$HOME `id` $(id) ;|&",
        "*",
        "a\\b",
        "\u{1b}[31m",
    ];
    let bench = Bench::new();
    let outcome = bench.run(&bench.shell("printf '%s\\037' \"$@\" > got", &args));
    assert_eq!(outcome.ended, Ended::Exited(0));
    let got = fs::read_to_string(bench.folder.path().join("got")).unwrap();
    assert_eq!(got.split_terminator('\u{1f}').collect::<Vec<_>>(), args);
}

#[test]
fn only_three_descriptors_are_passed_on_and_stdin_is_empty() {
    let scripts = tempfile::tempdir().unwrap();
    // The host's own parent may have left descriptors open; the helper is born with them.
    let leaky = scripts.path().join("leaky");
    fs::write(&leaky, format!("#!/bin/sh\nexec 7</etc/passwd 9>/dev/null\nexec '{HELPER}' \"$@\"\n"))
        .unwrap();
    fs::set_permissions(&leaky, PermissionsExt::from_mode(0o755)).unwrap();
    let bench = Bench::with_helper(leaky);
    // The shell's own redirections are above 9; `ls` itself opens the folder it lists.
    let outcome = bench.run(&allowed("/bin/ls", &["-l", "/proc/self/fd"], &[], BTreeMap::new(), &[]));
    let listed = outcome.text();
    let numbers: Vec<&str> = listed
        .lines()
        .filter(|line| line.contains(" -> ") && !line.contains("/proc/"))
        .filter_map(|line| line.split(" -> ").next()?.rsplit(' ').next())
        .collect();
    assert_eq!(numbers, ["0", "1", "2"], "{listed}");
    assert!(listed.contains("0 -> /dev/null"), "{listed}");
    assert_eq!(bench.run(&bench.shell("cat; echo end", &[])).text(), "end\n");
}

#[test]
fn the_environment_is_built_and_not_inherited() {
    let bench = Bench::new();
    let env = [("EXTRA".to_owned(), "ä b".to_owned()), ("CI".to_owned(), "0".to_owned())].into();
    let outcome = bench.run(&allowed("/usr/bin/env", &["-0"], &[], env, &["CARGO_MANIFEST_DIR", "NOT_SET"]));
    let text = outcome.text();
    let variables: BTreeMap<&str, &str> =
        text.split_terminator('\0').map(|variable| variable.split_once('=').unwrap()).collect();
    let names: Vec<&str> = variables.keys().copied().collect();
    let mut expected = vec![
        "CARGO_MANIFEST_DIR",
        "CI",
        "EXTRA",
        "GIT_EDITOR",
        "GIT_PAGER",
        "GIT_TERMINAL_PROMPT",
        "HOME",
        "LANG",
        "NO_COLOR",
        "PAGER",
        "PATH",
        "PYTHONUNBUFFERED",
        "TERM",
        "TMPDIR",
        "npm_config_yes",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert_eq!((variables["EXTRA"], variables["CI"], variables["TERM"]), ("ä b", "0", "dumb"));
    assert_eq!(variables["CARGO_MANIFEST_DIR"], env!("CARGO_MANIFEST_DIR"));
    assert!(variables["PATH"].split(':').all(|folder| folder.starts_with('/')), "{}", variables["PATH"]);
}

#[test]
fn the_temporary_folder_is_private_and_goes() {
    let bench = Bench::new();
    let script =
        "stat -c '%a' \"$TMPDIR\"; mkdir -p \"$TMPDIR/a\"; ln -s / \"$TMPDIR/a/link\"; echo \"$TMPDIR\"";
    let text = bench.run(&bench.shell(script, &[])).text();
    let (mode, folder) = text.trim_end().split_once('\n').unwrap();
    assert_eq!(mode, "700");
    assert!(Path::new(folder).starts_with(bench.folder.path()));
    assert!(!Path::new(folder).exists());
    assert!(Path::new("/etc").exists());
}

#[test]
fn codes_and_signals_are_told() {
    let bench = Bench::new();
    assert_eq!(bench.run(&bench.shell("exit 7", &[])).ended, Ended::Exited(7));
    assert_eq!(bench.run(&bench.shell("kill -SEGV $$", &[])).ended, Ended::Signaled(11));
    // The whole group of the command; the helper is not in it.
    assert_eq!(bench.run(&bench.shell("kill 0; sleep 100", &[])).ended, Ended::Signaled(15));
}

#[test]
fn what_does_not_start_is_an_error_with_its_reason() {
    let bench = Bench::new();
    let run = |program: &str| {
        let command = allowed(program, &[], &[], BTreeMap::new(), &[]);
        bench.run_within(&command, PATIENT, &Cancel::new()).unwrap_err().to_string()
    };
    assert_eq!(
        run("/nowhere/prog"),
        "`/nowhere/prog` could not be started: No such file or directory (os error 2)"
    );
    assert_eq!(run("/etc/passwd"), "`/etc/passwd` could not be started: Permission denied (os error 13)");
    assert!(matches!(bench.door.resolve_program("no-such-program"), Err(ProcessError::NotFound { .. })));
    assert!(bench.door.resolve_program("sh").unwrap().is_absolute());
}

#[test]
fn without_a_permit_nothing_starts() {
    let bench = Bench::new();
    let command = bench.shell("echo ran > ran", &[]);
    let workdir = opened(bench.folder.path());
    let workspace = bench.workspace();
    let confinement = bench.door.confinement(&command, &workspace).unwrap();
    let refused = bench.door.start(&permit(Effect::Write), &command, &confinement, &workdir);
    assert!(matches!(refused, Err(ProcessError::NotPermitted { .. })), "{refused:?}");
    assert!(!bench.folder.path().join("ran").exists());
}

#[test]
fn stdout_and_stderr_come_interleaved_and_live() {
    let bench = Bench::new();
    let command = bench.shell("echo one; echo two >&2; echo three; printf '\\033[31mred\\033[0m'", &[]);
    let (workdir, cancel, mut live) = (opened(bench.folder.path()), Cancel::new(), Vec::new());
    let mut hear = |news: News<'_>| {
        if let News::Output(bytes) = news {
            live.extend_from_slice(bytes);
        }
    };
    let outcome =
        run_in(&bench.door, &command, &bench.workspace(), &workdir, PATIENT, &cancel, &mut hear).unwrap();
    assert_eq!(outcome.text(), "one\ntwo\nthree\nred");
    assert_eq!(live, b"one\ntwo\nthree\n\x1b[31mred\x1b[0m");
    assert_eq!(outcome.transcript.bytes_total(), live.len() as u64);
}

#[test]
fn a_hundred_megabytes_need_no_memory() {
    let peak = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
    };
    let (bench, before) = (Bench::new(), peak());
    let outcome =
        bench.run(&bench.shell("echo begin; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo end", &[]));
    let whole = outcome.transcript.whole();
    assert_eq!(outcome.transcript.bytes_total(), 100_000_011);
    assert!(whole.text.starts_with("begin\nx") && whole.text.ends_with("x\nend\n"));
    assert_eq!(whole.omitted_bytes, 100_000_011 - KEEP as u64);
    assert!(peak() < before + 32 * 1024, "{} KiB more", peak() - before);
}

#[test]
fn nothing_stays_after_a_normal_exit() {
    let bench = Bench::new();
    // A grandchild in a session of its own that holds the pipe, a daemon forked twice, and one that ignores SIGTERM.
    let script = "setsid sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000' & ) ; \
        setsid sh -c 'trap \"\" TERM HUP; touch ready; while :; do sleep 1; done' & \
        while ! [ -e ready ]; do sleep 0.01; done; echo done";
    let outcome = bench.run(&bench.shell(script, &[]));
    assert_eq!((outcome.ended, outcome.text().as_str()), (Ended::Exited(0), "done\n"));
    assert_eq!((bench.left(), outcome.survivors), (Vec::new(), 0));
}

#[test]
fn nothing_stays_after_a_cancel() {
    let bench = Bench::new();
    let script = "setsid sleep 1000 & (setsid sh -c 'trap \"\" TERM; sleep 1000; sleep 1000' &) ; \
        trap '' TERM; echo begun; touch ready; sleep 1000; sleep 1000";
    let outcome = bench.run_and_cancel(&bench.shell(script, &[]));
    assert_eq!((outcome.ended, outcome.text().as_str()), (Ended::Cancelled, "begun\n"));
    assert_eq!(bench.left(), Vec::<String>::new());
}

#[test]
fn a_cancelled_command_may_clean_up() {
    let bench = Bench::new();
    let script = "trap 'echo cleaned; exit 3' TERM; touch ready; while :; do sleep 0.05; done";
    // Long enough for any machine: what is tested is that it may, not how fast it is.
    let limits = Limits { grace: Duration::from_mins(1), ..PATIENT };
    let outcome = bench.run_and_cancel_within(&bench.shell(script, &[]), limits);
    // The shell also says that its `sleep` was terminated.
    assert!(outcome.text().ends_with("cleaned\n"), "{}", outcome.text());
    assert_eq!(outcome.ended, Ended::Cancelled);
}

#[test]
fn a_stopped_process_is_ended_too() {
    let bench = Bench::new();
    let outcome =
        bench.run_and_cancel(&bench.shell("sh -c 'kill -STOP $$' & sleep 0.1; touch ready; wait", &[]));
    assert_eq!((outcome.ended, bench.left()), (Ended::Cancelled, Vec::new()));
}

#[test]
fn a_cancel_before_the_start_ends_it_at_once() {
    let (bench, cancel) = (Bench::new(), Cancel::new());
    cancel.cancel();
    let outcome = bench.run_within(&bench.shell("sleep 1000", &[]), PATIENT, &cancel).unwrap();
    assert_eq!((outcome.ended, bench.left()), (Ended::Cancelled, Vec::new()));
}

#[test]
fn time_and_silence_have_limits() {
    let bench = Bench::new();
    let run = |script: &str, wall, idle: Option<u64>| {
        let limits =
            Limits { wall: Duration::from_millis(wall), idle: idle.map(Duration::from_millis), ..PATIENT };
        bench.run_within(&bench.shell(script, &[]), limits, &Cancel::new()).unwrap()
    };
    let outcome = run("while :; do echo x; sleep 0.05; done", 700, Some(60_000));
    assert_eq!(outcome.ended, Ended::Timeout);
    assert!(outcome.text().starts_with("x\n"));
    assert_eq!(run("echo begun; sleep 1000", 60_000, Some(400)).ended, Ended::IdleTimeout);
    // Output without end, and nobody to hear a SIGTERM.
    assert_eq!(run("trap '' TERM; while :; do echo y; done", 300, None).ended, Ended::Timeout);
    assert_eq!(bench.left(), Vec::<String>::new());
}

#[test]
fn a_killed_helper_leaves_nothing_and_is_no_success() {
    let bench = Bench::new();
    let ready = bench.folder.path().join("helper");
    let killer = thread::spawn(move || {
        wait_for("the helper's id", || fs::read_to_string(&ready).is_ok_and(|id| id.ends_with('\n')));
        let id = fs::read_to_string(&ready).unwrap();
        assert!(std::process::Command::new("kill").args(["-9", id.trim()]).status().unwrap().success());
    });
    let script = "setsid sleep 1000 & echo $PPID > helper; sleep 1000";
    let lost = bench.run_within(&bench.shell(script, &[]), PATIENT, &Cancel::new());
    killer.join().unwrap();
    assert!(matches!(lost, Err(ProcessError::Lost { .. })), "{lost:?}");
    assert_eq!(bench.left(), Vec::<String>::new());
}

/// Not a test of its own: the host that the next one kills. Alone it does nothing.
#[test]
fn host_that_is_killed() {
    let Ok(mark) = std::env::var("OUTRIGGER_TEST_MARK") else { return };
    let folder = PathBuf::from(std::env::var("OUTRIGGER_TEST_FOLDER").unwrap());
    let door =
        ProcessDoor::new(ExecSettings::default(), Vec::new(), folder.join("tmp")).with_helper(HELPER.into());
    let script = std::env::var("OUTRIGGER_TEST_SCRIPT").unwrap();
    let command = allowed("/bin/sh", &["-c", &script], &[], [("MARK".to_owned(), mark)].into(), &[]);
    let (workdir, limits) = (opened(&folder), Limits { wall: Duration::from_mins(10), ..PATIENT });
    let _ = run_in(&door, &command, &open_workspace(&folder), &workdir, limits, &Cancel::new(), &mut |_| {});
}

/// A host at the work of `script`, which makes a file `ready`.
fn host_at(bench: &Bench, script: &str) -> std::process::Child {
    let folder = bench.folder.path();
    let host = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "process::host_that_is_killed", "--nocapture"])
        .env("OUTRIGGER_TEST_MARK", &bench.mark)
        .env("OUTRIGGER_TEST_FOLDER", folder)
        .env("OUTRIGGER_TEST_SCRIPT", script)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_for("the command's first step", || folder.join("ready").exists());
    host
}

/// Twenty-four chains of programs that start the next one, in a session of its own, and exit; each leaves a sign of life. They end by
/// themselves in the end: else a fault would take the machine with it.
const STORM: &str = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do \
    perl -MPOSIX -e '$SIG{TERM} = $SIG{HUP} = q(IGNORE); open F, q(>), q(beat); \
    for ($end = time + 30; time < $end;) { SESSION syswrite F, 1; _exit 0 if fork }' & done; \
    until [ -s beat ]; do sleep 0.05; done; sleep 0.5; touch ready; wait; trap '' TERM HUP; sleep 1000";

/// Sessions of their own outrun the end where Landlock does not keep signals in: the threat model says so.
fn storm() -> String {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(['.', '-']).map_while(|number| number.trim().parse::<u32>().ok());
    let kernel = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    STORM.replace("SESSION", if kernel >= (6, 12) { "setsid;" } else { "" })
}

/// How long signs of life go on.
fn beats_for(bench: &Bench) -> Duration {
    let beat = bench.folder.path().join("beat");
    let length_now = || fs::metadata(&beat).unwrap().len();
    let mut length = length_now();
    let (began, mut last) = (Instant::now(), None);
    while last.unwrap_or(began).elapsed() < Duration::from_secs(2) {
        assert!(began.elapsed() < Duration::from_secs(20), "they live on and on");
        let now = length_now();
        if now != length {
            (length, last) = (now, Some(Instant::now()));
        }
        thread::sleep(Duration::from_millis(10));
    }
    last.map_or(Duration::ZERO, |last| last - began)
}

#[test]
fn programs_that_start_each_other_without_end_are_ended_by_a_cancel() {
    let bench = Bench::new();
    let limits = Limits { grace: Duration::from_millis(300), ..PATIENT };
    let outcome = bench.run_and_cancel_within(&bench.shell(&storm(), &[]), limits);
    assert_eq!((outcome.ended, outcome.survivors), (Ended::Cancelled, 0));
    assert!(beats_for(&bench) < Duration::from_millis(100));
}

#[test]
fn programs_that_start_each_other_without_end_do_not_outlive_the_host() {
    let bench = Bench::new();
    let mut host = host_at(&bench, &storm());
    host.kill().unwrap();
    // How fast is measured elsewhere: a test machine may be busy.
    assert!(beats_for(&bench) < Duration::from_secs(10));
    host.wait().unwrap();
}

#[test]
fn nothing_stays_when_the_host_is_killed() {
    let bench = Bench::new();
    let folder = bench.folder.path();
    let script = "setsid sh -c 'trap \"\" TERM HUP; sleep 1000; sleep 1000' & (setsid sleep 1000 &); \
        trap '' TERM HUP; touch ready; sleep 1000; sleep 1000";
    let mut host = host_at(&bench, script);
    assert!(bench.left().len() >= 3, "the command runs");
    host.kill().unwrap();
    host.wait().unwrap();
    wait_for("everything to go", || bench.left().is_empty());
    wait_for("its temporary folder to go", || fs::read_dir(folder.join("tmp")).unwrap().next().is_none());
}

#[test]
fn what_was_left_in_the_temporary_folder_is_cleared_up_once_nobody_has_it() {
    let bench = Bench::new();
    let tmp = bench.folder.path().join("tmp");
    let left = tmp.join("run-0123456789ABCDEF");
    fs::create_dir_all(left.join("deep")).unwrap();
    for other in ["run-short", "theirs"] {
        fs::create_dir(tmp.join(other)).unwrap();
    }
    // One that a host has, and one whose host and helper are gone, but not what they started.
    let other = Bench::new();
    let mut host = host_at(&other, "touch ready; sleep 1000");
    let orphan = tmp.join("run-0123456789ABCDEG");
    fs::create_dir(&orphan).unwrap();
    let mut sleeper = std::process::Command::new("sleep").arg("1000").env("TMPDIR", &orphan).spawn().unwrap();
    let theirs = || fs::read_dir(other.folder.path().join("tmp")).unwrap().count();
    bench.run(&bench.shell("true", &[]));
    // This door has not looked yet: the host that has the folder is another process.
    other.run(&other.shell("true", &[]));
    wait_for("the abandoned folder to go", || !left.exists());
    assert_eq!((orphan.exists(), theirs()), (true, 1));
    assert!(tmp.join("theirs").exists() && tmp.join("run-short").exists());
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    host.kill().unwrap();
    host.wait().unwrap();
    wait_for("everything to go", || other.left().is_empty());
}

#[test]
fn a_folder_swapped_in_a_race_is_never_left() {
    let bench = Bench::new();
    let root = bench.folder.path().join("root");
    let outside = bench.folder.path().join("outside");
    for (folder, who) in [(root.join("a"), "inside"), (outside.clone(), "outside")] {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("who"), who).unwrap();
    }
    symlink(&outside, root.join("b")).unwrap();
    let workspace = open_workspace(&root);
    let stop = Arc::new(AtomicBool::new(false));
    let swapper = thread::spawn({
        let stop = Arc::clone(&stop);
        move || {
            while !stop.load(Ordering::Relaxed) {
                let swap = rustix::fs::RenameFlags::EXCHANGE;
                rustix::fs::renameat_with(
                    rustix::fs::CWD,
                    root.join("a"),
                    rustix::fs::CWD,
                    root.join("b"),
                    swap,
                )
                .unwrap();
            }
        }
    });
    let command = allowed("/bin/cat", &["who"], &[], BTreeMap::new(), &[]);
    let (mut inside, mut refused) = (0, 0);
    let until = Instant::now() + Duration::from_secs(30);
    while inside < 200 && Instant::now() < until {
        let Ok(folder) = workspace.resolve("a").and_then(|path| workspace.open_folder(&path)) else {
            refused += 1;
            // On a busy machine one side may else go round and round while the other does not get a turn.
            thread::yield_now();
            continue;
        };
        let outcome =
            run_in(&bench.door, &command, &workspace, &folder, PATIENT, &Cancel::new(), &mut |_| {}).unwrap();
        assert_eq!(outcome.text(), "inside");
        inside += 1;
    }
    stop.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    assert!(inside > 0 && refused > 0, "{inside} runs and {refused} refusals: there was no race");
}

#[test]
fn a_folder_replaced_by_a_link_before_the_start_does_not_matter() {
    let bench = Bench::new();
    let (folder, outside) = (bench.folder.path().join("a"), bench.folder.path().join("outside"));
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(&outside).unwrap();
    let handle = opened(&folder);
    fs::rename(&folder, bench.folder.path().join("moved")).unwrap();
    symlink(&outside, &folder).unwrap();
    let command = bench.shell("pwd -P; touch here", &[]);
    let workspace = bench.workspace();
    let outcome =
        run_in(&bench.door, &command, &workspace, &handle, PATIENT, &Cancel::new(), &mut |_| {}).unwrap();
    assert!(outcome.text().ends_with("/moved\n"), "{}", outcome.text());
    assert!(bench.folder.path().join("moved/here").exists() && !outside.join("here").exists());
}
