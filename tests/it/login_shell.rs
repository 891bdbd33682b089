//! The login shell's `PATH`, asked of shells that each do something else, over the real binary.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use serde_json::{Value, json};

use crate::support::native::{Port, World};

/// A world with `$SHELL` as a script, and a program `tool` that only that shell knows the folder of.
struct Shell {
    world: World,
}

impl Shell {
    fn new(script: &str) -> Self {
        let world = World::new(
            "[[command]]\nid = \"tool\"\nprogram = \"outrigger-test-tool\"\nsummary = \"A tool\"\ntier = \"auto\"\n\
             [[command]]\nid = \"path\"\nprogram = \"sh\"\nargs = [\"-c\", \"echo $PATH\"]\nsummary = \"The path\"\n\
             tier = \"auto\"\n[exec]\npath = [\"/outrigger-test-first\"]\n",
        );
        let shell = Self { world };
        shell.program("hidden/outrigger-test-tool", "#!/bin/sh\necho found\n");
        let hidden = shell.path("hidden");
        let script = script.replace("HIDDEN", &hidden);
        shell.program("shell", &format!("#!/bin/sh\necho \"$*\" >> {}\n{script}\n", shell.path("asked")));
        shell
    }

    fn path(&self, name: &str) -> String {
        self.world.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.world.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    fn connect(&self) -> Port {
        let own = outrigger::native::caller::own_extensions();
        let mut port = Port::spawn(self.world.command().env("SHELL", self.path("shell")).arg(&own[0]));
        port.hello();
        port
    }

    fn asked(&self) -> Vec<String> {
        let asked = fs::read_to_string(self.path("asked")).unwrap_or_default();
        asked.lines().map(|line| line.split(" -c").next().unwrap().to_owned()).collect()
    }
}

fn run(port: &mut Port, command: &str) -> Value {
    port.call("exec_run", json!({"command": command}))
}

fn finds_the_tool(script: &str) -> Shell {
    let shell = Shell::new(script);
    let mut port = shell.connect();
    let result = run(&mut port, "tool");
    assert_eq!(result["structuredContent"]["data"]["exit_code"], 0, "{script}: {result:#}");
    assert!(result["content"][0]["text"].as_str().unwrap().ends_with("found\n"), "{result:#}");
    shell
}

/// What a shell is given behind `-c`, run by the real one.
const OBEY: &str = "while [ \"$1\" != -c ]; do shift; done; PATH=HIDDEN:$PATH; eval \"$2\"";

#[test]
fn a_shell_is_asked_once_and_only_when_a_program_is_needed() {
    let shell = Shell::new(OBEY);
    let mut port = shell.connect();
    port.call("workspace_info", json!({"detail": true}));
    port.call("fs_list", json!({}));
    assert_eq!(shell.asked(), Vec::<String>::new());
    run(&mut port, "tool");
    run(&mut port, "tool");
    assert_eq!(shell.asked(), ["-i -l"]);
}

/// What the start-up files of another user say would be done with all rights of an administrator.
#[test]
fn an_administrator_asks_no_shell_in_the_home_folder_of_another() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let shell = Shell::new(OBEY);
    let home = shell.path("home");
    fs::create_dir(&home).unwrap();
    let ask = || {
        let own = outrigger::native::caller::own_extensions();
        let mut command = shell.world.command();
        let mut port = Port::spawn(command.env("SHELL", shell.path("shell")).env("HOME", &home).arg(&own[0]));
        port.hello();
        run(&mut port, "path");
    };
    ask();
    assert_eq!(shell.asked(), ["-i -l"]);
    std::os::unix::fs::chown(&home, Some(61_235), None).unwrap();
    ask();
    assert_eq!(shell.asked(), ["-i -l"]);
}

#[test]
fn what_the_configuration_adds_comes_first() {
    let shell = Shell::new(OBEY);
    let result = run(&mut shell.connect(), "path");
    let text = result["content"][0]["text"].as_str().unwrap();
    let path = text.lines().last().unwrap();
    assert!(path.starts_with(&format!("/outrigger-test-first:{}:", shell.path("hidden"))), "{path}");
    assert!(path.split(':').all(|folder| Path::new(folder).is_absolute()), "{path}");
}

#[test]
fn noise_does_not_matter() {
    finds_the_tool(&format!(
        "echo 'Welcome!'; printf '\\033]0;title\\007'; echo oops >&2; {OBEY}; echo; echo bye"
    ));
    finds_the_tool(&format!("set -x; {OBEY}; exit 7"));
    // Whatever else it starts is ended, and does not keep the answer waiting.
    finds_the_tool(&format!("(setsid sleep 1000 &); {OBEY}"));
}

#[test]
fn a_shell_that_waits_for_a_person_is_asked_without_one() {
    let shell = finds_the_tool(&format!("case \"$1\" in -i) sleep 1000;; esac; {OBEY}"));
    assert_eq!(shell.asked(), ["-i -l", "-l"]);
    // One that becomes another program, or reads what nobody types.
    let shell = finds_the_tool(&format!("case \"$1\" in -i) exec cat;; esac; {OBEY}"));
    assert_eq!(shell.asked(), ["-i -l", "-l"]);
}

/// What the shell of `pyenv` does: a lock while it works, which only its own end takes away.
const LOCKS: &str = "trap 'rm -f LOCK' EXIT; trap 'exit 1' HUP TERM; : > LOCK; i=0; \
    while [ $i -lt 45 ]; do sleep 0.1; i=$((i+1)); done; rm -f LOCK; while [ \"$1\" != -c ]; do shift; done; eval \"$2\"";

impl Shell {
    fn locks() -> (Self, std::path::PathBuf) {
        let shell = Self::new("exit 1");
        let lock = shell.world.folder.path().join("lock");
        let script = LOCKS.replace("LOCK", lock.to_str().unwrap());
        shell.program("shell", &format!("#!/bin/sh\n{script}\n"));
        (shell, lock)
    }
}

fn begin(port: &mut Port, key: &str) -> Value {
    let arguments = json!({"command": "path"});
    port.begin(
        "tools/call",
        json!({"name": "exec_run", "arguments": arguments, "_meta": {"dev.outrigger/call": key}}),
    )
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..1500 {
        if is_so() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{what}");
}

#[test]
fn a_cancel_does_not_wait_for_the_shell_and_the_shell_is_not_killed() {
    let (shell, lock) = Shell::locks();
    let mut port = shell.connect();
    let id = begin(&mut port, "01ARZ3NDEKTSV4RRFFQ69G5FA1");
    until("the shell is not asked", || lock.exists());
    port.request("outrigger/calls/cancel", json!({"call": "01ARZ3NDEKTSV4RRFFQ69G5FA1"}));
    let answer = port.answer_to(&id);
    assert_eq!(answer["result"]["structuredContent"]["code"], "cancelled", "{answer:#}");
    assert!(lock.exists(), "the answer waited for the shell");
    until("the lock stayed", || !lock.exists());
}

#[test]
fn a_host_that_goes_leaves_no_lock_of_the_shell() {
    let (shell, lock) = Shell::locks();
    let mut port = shell.connect();
    begin(&mut port, "01ARZ3NDEKTSV4RRFFQ69G5FA2");
    until("the shell is not asked", || lock.exists());
    port.child.kill().unwrap();
    until("the lock stayed", || !lock.exists());
}

#[test]
fn a_shell_that_takes_its_time_is_not_killed_for_it() {
    let (shell, lock) = Shell::locks();
    let mut port = shell.connect();
    assert_eq!(run(&mut port, "path")["structuredContent"]["data"]["exit_code"], 0);
    until("the lock stayed", || !lock.exists());
}

#[test]
fn a_shell_that_never_answers_leaves_the_systems_path() {
    for script in ["sleep 1000", "exit 1", "echo __outrigger_path__nonsense__outrigger_path__", "kill -9 $$"]
    {
        let shell = Shell::new(script);
        let mut port = shell.connect();
        assert_eq!(run(&mut port, "tool")["structuredContent"]["code"], "spawn_failed", "{script}");
        assert_eq!(run(&mut port, "path")["structuredContent"]["data"]["exit_code"], 0, "{script}");
    }
    let shell = Shell::new("");
    fs::remove_file(shell.path("shell")).unwrap();
    assert_eq!(run(&mut shell.connect(), "path")["structuredContent"]["data"]["exit_code"], 0);
}
