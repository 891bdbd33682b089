//! What the doctor starts, and what it does not: a host is started with all rights of whoever looks, so nobody else says which.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use outrigger::{cli::report::Exit, config::trust::TrustStore, install::environment::Taken};
use serde_json::{Value, json};

use crate::{
    faults::{good_machine, process},
    fresh_home::{Home, Tree, walk},
    machine::{MANIFEST, Machine},
};

/// A program that says that it was started, by a file beside it.
fn program(path: &Path) -> PathBuf {
    let script = "mkdir -p \"${1%/*}\" && printf '#!/bin/sh\\necho x >\"$0.ran\"\\ncat >/dev/null\\n' >\"$1\" && chmod 755 \"$1\"";
    // By another process: what is open for writing in this one cannot be started.
    let made = Command::new("sh").args(["-c", script, "sh"]).arg(path).status();
    assert!(made.expect("sh").success());
    path.to_path_buf()
}

fn has_run(program: &Path) -> bool {
    program.with_added_extension("ran").exists()
}

/// Writes a manifest for Chromium's family that names this program.
fn manifest(path: &Path, program: &Path) {
    let origin = "chrome-extension://pnkolcdhfekpiodligkdlhfkpkpbpclp/";
    let manifest = json!({
        "name": "dev.outrigger.host", "description": "x", "path": program, "type": "stdio",
        "allowed_origins": [origin],
    });
    fs::create_dir_all(path.parent().expect("parent")).expect("folder");
    fs::write(path, manifest.to_string()).expect("written");
}

/// What is said about the start of this browser's host.
fn start(diagnosis: &Value, browser: &str) -> Value {
    let browsers = diagnosis["browsers"].as_array().expect("list");
    let found = browsers.iter().find(|one| one["browser"] == browser);
    let found = found.unwrap_or_else(|| panic!("{browser}: {diagnosis:#}"));
    let checks = found["checks"].as_array().expect("list");
    checks.iter().find(|check| check["id"] == "host.start").expect("listed").clone()
}

/// The same machine with a workspace of its own.
fn with_workspace(machine: &mut Machine) -> PathBuf {
    let (workspace, config) = (machine.root().join("ws"), machine.root().join("config.toml"));
    fs::create_dir_all(&workspace).expect("folder");
    let place = workspace.to_str().expect("text");
    let text = format!("version = 1\n[[workspace]]\nid = \"ws\"\npath = {place:?}\n");
    fs::write(&config, text).expect("written");
    fs::set_permissions(&config, fs::Permissions::from_mode(0o600)).expect("mode");
    let state = machine.environment.state_dir.clone();
    machine.environment.taken = Some(Taken { config, state });
    workspace
}

/// Ended with the test; it is there when it has said so.
struct Browser(Child);

impl Browser {
    fn start(home: &Home, words: &[&str], program: &Path, folder: &Path) -> Self {
        let mut command = match words {
            [] => home.command(program),
            [first, rest @ ..] => {
                let mut command = home.command(Path::new(first));
                command.args(rest).arg(program);
                command
            }
        };
        command.args(["-c", "echo here; read never"]).arg(format!("--user-data-dir={}", folder.display()));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("stdout")).read_line(&mut line).expect("read");
        assert_eq!(line, "here\n");
        Self(child)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// A command of an agent that calls itself a browser, and one of the user that is one: neither says what is started.
#[test]
fn a_program_that_runs_does_not_say_what_is_started() {
    let home = Home::installed();
    let browser = home.path("opt/chromium");
    fs::create_dir_all(browser.parent().expect("parent")).expect("folder");
    fs::copy("/bin/sh", &browser).expect("copied");
    let (folder, evil) = (home.path("prof"), program(&home.path("evil")));
    manifest(&folder.join("NativeMessagingHosts").join(MANIFEST), &evil);
    home.give_to_user();
    let look = |more: &[&str]| home.run(&[&["doctor", "--json"], more].concat()).json();
    // It is held as our commands are, and nothing is read or written in its folder.
    let held = Browser::start(&home, &["setpriv", "--no-new-privs"], &browser, &folder);
    let tree = || {
        let mut tree = Tree::new();
        walk(&folder, &mut tree);
        tree
    };
    let before = tree();
    // Where this test is held like that itself, so is the doctor, and there is nothing to be told apart.
    let status = fs::read_to_string("/proc/self/status").expect("status");
    if status.contains("NoNewPrivs:\t0") {
        for more in [&[][..], &["--fix"]] {
            let said = look(more);
            assert!(!said.to_string().contains(&*folder.to_string_lossy()), "{said:#}");
            assert_eq!((tree(), has_run(&evil)), (before.clone(), false));
        }
    }
    drop(held);
    let free = Browser::start(&home, &[], &browser, &folder);
    let said = look(&[]);
    let told = start(&said, &folder.to_string_lossy());
    assert_eq!(told["verdict"], "not_checked", "{told:#}");
    assert!(told["fix"].as_str().expect("fix").contains("doctor --user-data-dir "), "{told:#}");
    assert!(!has_run(&evil));
    // Who names the folder means it.
    let said = look(&["--user-data-dir", folder.to_str().expect("text")]);
    assert_ne!(start(&said, &folder.to_string_lossy())["verdict"], "not_checked", "{said:#}");
    assert!(has_run(&evil));
    drop(free);
}

/// The name of a process is its own choice.
#[test]
fn what_only_calls_itself_a_browser_is_none() {
    let machine = good_machine();
    let (folder, evil) = (machine.root().join("prof"), program(&machine.root().join("evil")));
    manifest(&folder.join("NativeMessagingHosts").join(MANIFEST), &evil);
    let flag = format!("--user-data-dir={}", folder.display());
    process(&machine, 52, "/bin/bash", &["google-chrome", &flag]);
    let said = machine.doctor("--json");
    assert_eq!(said.exit, Exit::Done);
    assert!(!said.out.contains("/m/prof") && !has_run(&evil), "{}", said.out);
}

#[test]
fn what_an_agent_may_write_is_not_started() {
    let mut machine = good_machine();
    let workspace = with_workspace(&mut machine);
    let (inside, outside) = (program(&workspace.join("prog")), program(&machine.root().join("other")));
    // The program, a link there that leads out, and what a manifest there names.
    let link = workspace.join("link");
    std::os::unix::fs::symlink(&outside, &link).expect("link");
    for program in [&inside, &link] {
        manifest(&machine.chrome(), program);
        let told = start(&machine.doctor("--json").json(), "chrome");
        let has_run = has_run(program) || has_run(&outside);
        assert_eq!((&told["verdict"], has_run), (&json!("not_checked"), false), "{told:#}");
        assert!(told["message"].as_str().expect("text").contains("agents may write"), "{told:#}");
    }
    let profile = workspace.join("profile");
    manifest(&profile.join("NativeMessagingHosts").join(MANIFEST), &outside);
    let told = machine.doctor(&format!("--json --user-data-dir {}", profile.display())).json();
    assert_eq!(start(&told, "/m/ws/profile")["verdict"], "not_checked", "{told:#}");
    assert!(!has_run(&outside));
    // Whoever named it, this very program does what it always does.
    let own = machine.environment.binary.clone();
    manifest(&profile.join("NativeMessagingHosts").join(MANIFEST), &own);
    let told = machine.doctor(&format!("--json --user-data-dir {}", profile.display())).json();
    assert_eq!(start(&told, "/m/ws/profile")["verdict"], "ok", "{told:#}");
    // Another program elsewhere is a host of the user's; while nobody knows where agents write, it waits.
    manifest(&machine.chrome(), &outside);
    let config = machine.root().join("config.toml");
    let good = fs::read(&config).expect("there");
    fs::write(&config, "version = ").expect("written");
    let told = start(&machine.doctor("--json").json(), "chrome");
    assert_eq!((&told["verdict"], has_run(&outside)), (&json!("not_checked"), false), "{told:#}");
    fs::write(&config, good).expect("written");
    // Nor does anybody where it is not known which configuration counts.
    let taken = machine.environment.taken.take();
    let told = start(&machine.doctor("--json").json(), "chrome");
    assert_eq!((&told["verdict"], has_run(&outside)), (&json!("not_checked"), false), "{told:#}");
    machine.environment.taken = taken;
    machine.doctor("--json");
    assert!(has_run(&outside));
}

#[test]
fn what_a_trusted_command_may_write_is_not_started() {
    let mut machine = good_machine();
    let workspace = with_workspace(&mut machine);
    let other = program(&machine.root().join("bin2/other"));
    manifest(&machine.chrome(), &other);
    let path = other.parent().expect("parent").to_str().expect("text");
    let rules = format!("[[command]]\nid = \"put\"\nprogram = \"/bin/sh\"\nwrite_paths = [{path:?}]\n");
    fs::write(workspace.join(".outrigger.toml"), &rules).expect("written");
    let trust = TrustStore::new(&machine.environment.state_dir);
    fs::create_dir_all(&machine.environment.state_dir).expect("folder");
    trust.add(&workspace, &outrigger::ids::sha256_hex(rules.as_bytes())).expect("trusted");
    let told = start(&machine.doctor("--json").json(), "chrome");
    assert_eq!((&told["verdict"], has_run(&other)), (&json!("not_checked"), false), "{told:#}");
}

#[test]
fn what_is_gone_is_nobody_elses() {
    let machine = good_machine();
    let link = machine.root().join("launcher");
    for target in ["gone/outrigger", "launcher"] {
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(machine.root().join(target), &link).expect("link");
        manifest(&machine.chrome(), &link);
        let told = start(&machine.doctor("--json").json(), "chrome");
        assert_eq!(told["verdict"], "not_checked", "{told:#}");
        assert!(!told["message"].as_str().expect("text").contains("another user"), "{told:#}");
    }
}

/// As the administrator too: there it would run with all rights.
#[test]
fn what_belongs_to_another_user_is_not_started() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let machine = good_machine();
    let theirs = program(&machine.root().join("theirs/prog"));
    manifest(&machine.chrome(), &theirs);
    let give = Command::new("chown").arg("61235:61235").arg(&theirs).status();
    assert!(give.expect("chown").success());
    let told = start(&machine.doctor("--json").json(), "chrome");
    assert_eq!((&told["verdict"], has_run(&theirs)), (&json!("not_checked"), false), "{told:#}");
    // Nor does a process of theirs name a folder.
    let machine = good_machine();
    let folder = machine.root().join("prof");
    let flag = format!("--user-data-dir={}", folder.display());
    process(&machine, 52, "/usr/lib/chromium/chromium", &["chromium", &flag]);
    let give = || Command::new("chown").arg("61235").arg(machine.environment.processes.join("52")).status();
    assert!(machine.doctor("--json").out.contains("/m/prof"));
    assert!(give().expect("chown").success());
    assert!(!machine.doctor("--json").out.contains("/m/prof"));
}

/// What is installed there is of another home, and stays.
#[test]
fn a_browser_of_another_home_folder_is_left_alone() {
    let machine = good_machine();
    let (folder, theirs) = (machine.root().join("prof"), program(&machine.root().join("theirs")));
    let place = folder.join("NativeMessagingHosts").join(MANIFEST);
    manifest(&place, &theirs);
    let before = fs::read(&place).expect("there");
    let flag = format!("--user-data-dir={}", folder.display());
    process(&machine, 52, "/usr/lib/chromium/chromium", &["chromium", &flag]);
    fs::write(machine.environment.processes.join("52/environ"), "HOME=/elsewhere\0").expect("written");
    let said = machine.doctor("--json --fix");
    assert_eq!((fs::read(&place).expect("there"), has_run(&theirs)), (before, false), "{}", said.out);
    let diagnosis = said.json();
    let general = diagnosis["general"].as_array().expect("list");
    let told = general.iter().find(|check| check["id"] == "browser.profile").expect("told");
    assert_eq!((&told["verdict"], &told["fixable"]), (&json!("not_checked"), &json!(false)), "{told:#}");
    assert!(told["message"].as_str().expect("text").contains("another home folder"), "{told:#}");
}
