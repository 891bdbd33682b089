//! Updates: the path that manifests name stays, whatever version is behind it, and sessions that are open go on.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use outrigger::cli::report::Exit;
use serde_json::{Value, json};

use crate::{
    machine::Machine,
    support::native::{Port, World},
};

/// A build of outrigger that differs from every other one: what is behind a program's end is not looked at.
fn build(folder: &Path, number: usize) -> PathBuf {
    let path = folder.join(format!("build-{number}"));
    let script = format!("cp \"$0\" \"$1\" && printf 'build {number}' >> \"$1\"");
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_outrigger")).arg(&path);
    assert!(shell.status().unwrap().success());
    path
}

/// The binary with a home of its own.
fn command(world: &World, program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env("OUTRIGGER_CONFIG", world.config())
        .env("OUTRIGGER_STATE_DIR", world.state())
        .env("HOME", world.folder.path().join("home"))
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_DATA_HOME");
    command
}

fn run(world: &World, program: &Path, args: &[&str]) {
    let output = command(world, program).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// What the browser would start now.
fn named(world: &World) -> PathBuf {
    let manifest = world.folder.path().join("profile/NativeMessagingHosts/dev.outrigger.host.json");
    let value: Value = serde_json::from_slice(&fs::read(manifest).unwrap()).unwrap();
    value["path"].as_str().unwrap().into()
}

fn connect(world: &World) -> Port {
    let mut port =
        Port::spawn(command(world, &named(world)).arg(&outrigger::native::caller::own_extensions()[0]));
    assert_eq!(port.hello()["protocol"]["chosen"], 1);
    port
}

#[test]
fn twenty_updates_under_an_open_session() {
    let world = World::new(
        "[exec]\nsandbox = \"off\"\n[[command]]\nid = \"say\"\nprogram = \"/bin/echo\"\nargs = [\"said\"]\ntier = \"batch\"\n",
    );
    let profile = world.folder.path().join("profile");
    fs::create_dir_all(&profile).unwrap();
    let first = build(world.folder.path(), 0);
    run(&world, &first, &["install", "--user-data-dir", profile.to_str().unwrap()]);
    fs::remove_file(&first).unwrap();
    let stable = named(&world);
    let mut open = connect(&world);

    let world = Arc::new(world);
    let (done, connects) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let browser = {
        let (world, done, connects) = (Arc::clone(&world), Arc::clone(&done), Arc::clone(&connects));
        thread::spawn(move || {
            while !done.load(Ordering::Acquire) {
                drop(connect(&world));
                connects.fetch_add(1, Ordering::AcqRel);
            }
        })
    };
    for number in 1..=20 {
        let next = build(world.folder.path(), number);
        run(&world, &next, &["update-launcher"]);
        fs::remove_file(&next).unwrap();
        // The session that began before them all still does everything, commands too: their helper is its own file.
        let answer = open.call("workspace_info", json!({}));
        assert_eq!(answer["structuredContent"]["ok"], true, "{answer:#}");
        // Every update is met by connects, on a slow machine as well.
        let seen = connects.load(Ordering::Acquire);
        while connects.load(Ordering::Acquire) < seen + 2 {
            thread::yield_now();
        }
    }
    let said = open.call_allowed("exec_run", json!({"command": "say"}), json!({}));
    assert!(said["content"][0]["text"].as_str().unwrap().contains("said"), "{said:#}");
    done.store(true, Ordering::Release);
    browser.join().unwrap();
    assert_eq!(named(&world), stable, "the manifest names one path for ever");
    let versions = fs::read_dir(world.state().join("program/versions")).unwrap().count();
    assert!((1..=3).contains(&versions), "{versions} versions stay");
    // Uninstalling takes all of them along, while the session is open.
    run(&world, &build(world.folder.path(), 21), &["uninstall"]);
    assert!(!world.state().join("program").exists());
    assert_eq!(fs::read_dir(&profile).unwrap().count(), 0);
    assert_eq!(open.call("workspace_info", json!({}))["structuredContent"]["ok"], true);
}

#[test]
fn an_update_in_words() {
    let mut machine = Machine::new();
    machine.has_browsers(&[".config/google-chrome/Default"]);
    insta::assert_snapshot!(machine.update_launcher("").all(), @r"
    outrigger is in no browser: there is nothing to update.
    exit: Done
    ");
    machine.install("");
    insta::assert_snapshot!(machine.update_launcher("").all(), @r"
    Browsers start this version already: /m/home/.local/share/outrigger/bin/outrigger
    exit: Done
    ");
    // Another build, from another folder.
    machine.environment.binary = machine.root().join("bin/next");
    machine.put("/bin/false", "bin/next");
    assert_eq!(machine.status("--json").json()["targets"][0]["state"], "other_binary");
    insta::assert_snapshot!(machine.update_launcher("").all(), @r"
    Browsers start version VERSION from now on: /m/home/.local/share/outrigger/bin/outrigger
    exit: Done
    ");
    assert_eq!(machine.status("--json").json()["targets"][0]["state"], "installed");
}

#[test]
fn manifests_that_name_what_is_gone_are_mended() {
    let mut machine = Machine::new();
    machine.install("--browser chrome,firefox --in-place --extension-id abcdefghijklmnopabcdefghijklmnop");
    let old = fs::read_to_string(machine.chrome()).unwrap();
    assert!(old.contains("\"/") && old.contains("/bin/outrigger\""), "{old}");
    fs::write(machine.firefox(), "{}").unwrap();
    // A package of the system takes over.
    machine.put("/bin/true", "system/usr/bin/outrigger");
    fs::remove_file(&machine.environment.binary).unwrap();
    machine.environment.binary = machine.root().join("system/usr/bin/outrigger");
    insta::assert_snapshot!(machine.update_launcher("").all(), @r"
    Browsers start the program itself, /m/system/usr/bin/outrigger; there is no launcher.
    Google Chrome: the manifest names it now
    exit: Done
    ");
    let new = fs::read_to_string(machine.chrome()).unwrap();
    let was = machine.root().join("bin/outrigger");
    assert_eq!(new, old.replace(was.to_str().unwrap(), machine.environment.binary.to_str().unwrap()));
    // What somebody changed is theirs.
    assert_eq!(fs::read_to_string(machine.firefox()).unwrap(), "{}");
    assert_eq!(machine.uninstall("--browser chrome").exit, Exit::Done);
    assert!(!machine.chrome().exists());
}

#[test]
fn a_package_of_the_system_is_named_itself() {
    let mut machine = Machine::new();
    machine.put("/bin/true", "system/usr/bin/outrigger");
    machine.environment.binary = machine.root().join("system/usr/bin/outrigger");
    machine.install("--browser chrome");
    let value: Value = serde_json::from_slice(&fs::read(machine.chrome()).unwrap()).unwrap();
    assert_eq!(value["path"], machine.environment.binary.to_str().unwrap());
    assert!(!machine.launcher().exists());
}

/// A host that starts mends what else of ours names nothing: another browser's manifest, say.
#[test]
fn a_host_mends_manifests_of_ours_when_it_starts() {
    let world = World::new("");
    let profiles: Vec<PathBuf> = ["profile", "other"].map(|name| world.folder.path().join(name)).into();
    for profile in &profiles {
        fs::create_dir_all(profile).unwrap();
    }
    let first = build(world.folder.path(), 0);
    run(&world, &first, &["install", "--in-place", "--user-data-dir", profiles[1].to_str().unwrap()]);
    run(
        &world,
        Path::new(env!("CARGO_BIN_EXE_outrigger")),
        &["install", "--user-data-dir", profiles[0].to_str().unwrap()],
    );
    fs::remove_file(first).unwrap();
    let manifest = profiles[1].join("NativeMessagingHosts/dev.outrigger.host.json");
    let before = fs::read_to_string(&manifest).unwrap();
    let mut port = connect(&world);
    for _ in 0..400 {
        if fs::read_to_string(&manifest).unwrap() != before {
            break;
        }
        thread::sleep(std::time::Duration::from_millis(50));
    }
    let value: Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    assert_eq!(value["path"], named(&world).to_str().unwrap());
    assert_eq!(port.call("workspace_info", json!({}))["structuredContent"]["ok"], true);
    run(&world, Path::new(env!("CARGO_BIN_EXE_outrigger")), &["uninstall"]);
    for profile in &profiles {
        assert_eq!(fs::read_dir(profile).unwrap().count(), 0);
    }
}

/// The launcher decides what browsers start: not even a workspace around it lets a tool write there.
#[test]
fn no_tool_writes_to_the_launcher() {
    let world = World::new("");
    let profile = world.folder.path().join("profile");
    fs::create_dir_all(&profile).unwrap();
    let program = build(world.folder.path(), 0);
    let program_dir = world.workspace().join("share/outrigger");
    // As if somebody had made the folder above it a workspace.
    let mut install = command(&world, &program);
    install.env_remove("OUTRIGGER_STATE_DIR").env("XDG_DATA_HOME", world.workspace().join("share"));
    install.env("XDG_STATE_HOME", world.folder.path().join("xdg-state"));
    let done = install.args(["install", "--user-data-dir", profile.to_str().unwrap()]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(program_dir.join("bin/outrigger").is_file());
    let mut port = connect(&world);
    for path in
        ["share/outrigger/bin/outrigger", "share/outrigger/versions/x/outrigger", "share/outrigger/new"]
    {
        let answer = port.call("fs_write", json!({"path": path, "content": "#!/bin/sh\n"}));
        assert_eq!(answer["structuredContent"]["code"], "protected_path", "{path}: {answer:#}");
    }
}
