//! Life and death: whatever ends a host, it goes, and nothing that it started stays.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use serde_json::json;

use crate::support::native::{Port, World};

/// After so long nothing may be left, by the design; the margin is for a machine that is busy with other tests.
const GONE: Duration = Duration::from_secs(2 + 8);

/// A world with a command that lingers, and has a child in a session of its own that lingers too.
fn world_with_lingerer() -> (World, PathBuf) {
    let world = World::new("");
    let pids = world.folder.path().join("pids");
    fs::create_dir_all(&pids).unwrap();
    let program = world.folder.path().join("linger");
    let place = pids.display();
    let script = format!(
        "#!/bin/sh\ntrap '' TERM HUP INT\nsetsid sh -c 'trap \"\" TERM HUP; echo $$ > {place}/child; while :; do sleep 1; done' &\necho $$ > {place}/parent\nwhile :; do sleep 1; done\n"
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    world.configure(&format!(
        "version = 1\n[[workspace]]\nid = \"app\"\npath = {:?}\n[exec]\nsandbox = \"off\"\n[[command]]\nid = \"linger\"\nprogram = {:?}\nargs = []\nsummary = \"Stay\"\ntier = \"batch\"\n",
        world.workspace().to_str().unwrap(),
        program.to_str().unwrap()
    ));
    (world, pids)
}

/// A host that a shell becomes, in this script `"$0" "$1"`; it has said hello.
fn started_by(world: &World, script: &str) -> Port {
    let own = outrigger::native::caller::own_extensions();
    let mut command = std::process::Command::new("/bin/sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_outrigger"), &own[0]]);
    command
        .env("OUTRIGGER_CONFIG", world.config())
        .env("OUTRIGGER_STATE_DIR", world.state())
        .env("SHELL", "/bin/sh");
    let mut port = Port::spawn(&mut command);
    port.hello();
    port
}

#[test]
fn a_small_stack_is_stack_enough() {
    let world = World::new("[[command]]\nid = \"true\"\nprogram = \"/bin/true\"\ntier = \"auto\"\n");
    world.write("a.txt", "x\n");
    for kib in [64, 256, 1024] {
        let mut port = started_by(&world, &format!("ulimit -s {kib} && exec \"$0\" \"$1\""));
        assert_eq!(
            port.call("fs_read", json!({"path": "a.txt"}))["structuredContent"]["ok"],
            true,
            "{kib} KiB"
        );
        // Its helper has as little.
        assert_eq!(
            port.call("exec_run", json!({"command": "true"}))["structuredContent"]["ok"],
            true,
            "{kib} KiB"
        );
        assert!(port.close() < Duration::from_secs(5));
        let line = format!("ulimit -s {kib} && exec \"$0\" --help");
        let said = std::process::Command::new("/bin/sh")
            .args(["-c", &line, env!("CARGO_BIN_EXE_outrigger")])
            .output()
            .unwrap();
        assert!(said.status.success() && !said.stdout.is_empty(), "{kib} KiB: {said:?}");
    }
}

/// A port on which the command runs: both its processes have said who they are.
fn lingering(world: &World, pids: &Path) -> (Port, Vec<u32>) {
    let mut port = world.connect();
    port.hello();
    let arguments = json!({"command": "linger"});
    let asked = port.call("exec_run", arguments.clone());
    assert_eq!(asked["resultType"], "input_required", "{asked:#}");
    port.begin(
        "tools/call",
        json!({"name": "exec_run", "arguments": arguments, "requestState": asked["requestState"],
            "inputResponses": {"approval": {"action": "accept", "content": {"decision": "allow"}}}}),
    );
    let read = |name: &str| {
        let began = Instant::now();
        loop {
            let text = fs::read_to_string(pids.join(name)).unwrap_or_default();
            if let Ok(pid) = text.trim().parse() {
                return pid;
            }
            assert!(began.elapsed() < Duration::from_mins(1), "the command did not start");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let running = vec![read("parent"), read("child")];
    assert!(running.iter().all(|pid| lives(*pid)));
    (port, running)
}

fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !(stat.is_empty() || stat.contains(") Z "))
}

fn signal(pid: u32, name: &str) {
    let status =
        std::process::Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()).status().unwrap();
    assert!(status.success());
}

fn gone(what: &str, pids: &[u32]) {
    let began = Instant::now();
    while pids.iter().any(|pid| lives(*pid)) {
        assert!(began.elapsed() < GONE, "{what}: {pids:?} live on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_host_that_nobody_hears_ends() {
    let world = World::new("");
    let own = outrigger::native::caller::own_extensions();
    let mut host = world.command().arg(&own[0]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    drop(host.stdout.take());
    let mut input = host.stdin.take().unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "outrigger/hello",
        "params": {"client": {"name": "test", "version": "0"}, "protocol": {"min": 1, "max": 1}}})
    .to_string();
    input.write_all(&u32::try_from(hello.len()).unwrap().to_ne_bytes()).unwrap();
    input.write_all(hello.as_bytes()).unwrap();
    let began = Instant::now();
    let status = loop {
        if let Some(status) = host.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > GONE {
            host.kill().unwrap();
            panic!("it lives on: its input is open still");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(status.success(), "{status}");
    drop(input);
}

#[test]
fn nothing_stays_whatever_ends_the_host() {
    for end in ["the port closes", "TERM", "KILL", "INT"] {
        let (world, pids) = world_with_lingerer();
        let (mut port, mut running) = lingering(&world, &pids);
        running.push(port.child.id());
        if end == "the port closes" {
            port.close();
        } else {
            signal(port.child.id(), end);
            port.child.wait().unwrap();
        }
        gone(end, &running);
    }
}

/// A host whose output nobody reads, and which has far more to say than the pipe holds.
fn stuffed(world: &World) -> Child {
    let mut command = world.command();
    command.arg(&outrigger::native::caller::own_extensions()[0]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
    let input = child.stdin.as_mut().unwrap();
    for number in 0..2000 {
        let hello = json!({"jsonrpc": "2.0", "id": number, "method": "outrigger/hello", "params": {"protocol": {"min": 1, "max": 1}}});
        let body = hello.to_string();
        input.write_all(&u32::try_from(body.len()).unwrap().to_ne_bytes()).unwrap();
        input.write_all(body.as_bytes()).unwrap();
    }
    child
}

fn ends(child: &mut Child, how: &str) {
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > GONE {
            child.kill().unwrap();
            panic!("a host that nobody reads does not end when {how}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_host_that_nobody_reads_still_ends() {
    let world = World::new("");
    let mut child = stuffed(&world);
    drop(child.stdin.take());
    ends(&mut child, "the port closes");
    let mut child = stuffed(&world);
    signal(child.id(), "TERM");
    ends(&mut child, "it is told to");
    // Its reader is gone altogether.
    let mut child = stuffed(&world);
    drop(child.stdout.take());
    drop(child.stdin.take());
    ends(&mut child, "both pipes are gone");
}

#[test]
fn two_ports_are_two_hosts_with_a_name_each() {
    let world = World::new("");
    let (mut one, mut two) = (world.connect(), world.connect());
    let (first, second) = (one.hello(), two.hello());
    assert_ne!(first["instance_id"], second["instance_id"]);
    assert_ne!(first["pid"], second["pid"]);
    // The end of one is nothing to the other.
    one.close();
    assert_eq!(two.call("workspace_info", json!({}))["structuredContent"]["ok"], true);
}

/// Every way in which a browser starts a host.
#[test]
fn every_browsers_arguments_are_understood() {
    let world = World::new("");
    let own = outrigger::native::caller::own_extensions();
    let manifest = "/home/ada/.mozilla/native-messaging-hosts/dev.outrigger.host.json".to_owned();
    for (arguments, family) in [
        (vec![own[0].clone()], "chromium"),
        (vec![own[0].clone(), "--parent-window=0".into()], "chromium"),
        (
            vec![
                own[0].clone(),
                "--parent-window=0".into(),
                "--reconnect-command=YQ==".into(),
                "--connect-id=x".into(),
            ],
            "chromium",
        ),
        (vec![manifest, own[1].clone()], "firefox"),
    ] {
        let mut port = Port::spawn(world.command().args(&arguments));
        assert_eq!(port.hello()["caller"]["family"], family, "{arguments:?}");
    }
    // A person's command line, and no arguments at all, are not a browser.
    let help = world.command().stdin(Stdio::null()).output().unwrap();
    assert!(help.status.success() && String::from_utf8_lossy(&help.stdout).contains("Usage: outrigger"));
}

/// A terminal that closes and a person at its keys are heard as a manager is; what `nohup` keeps from a process stays kept from it.
#[test]
fn a_host_that_is_told_to_stop_says_so() {
    use rustix::process::{Pid, Signal, kill_process};
    for (signal, ignored) in
        [(Signal::TERM, ""), (Signal::INT, ""), (Signal::HUP, ""), (Signal::HUP, "HUP"), (Signal::INT, "INT")]
    {
        let world = World::new("");
        let trap = if ignored.is_empty() { String::new() } else { format!("trap '' {ignored}; ") };
        let mut port = started_by(&world, &format!("{trap}exec \"$0\" \"$1\""));
        let pid = Pid::from_raw(i32::try_from(port.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
        if ignored.is_empty() {
            let bye = port.receive().unwrap();
            assert_eq!(
                (&bye["method"], &bye["params"]["code"]),
                (&json!("notifications/outrigger/bye"), &json!(4)),
                "{signal:?} {bye}"
            );
            assert!(port.child.wait().unwrap().success(), "{signal:?}");
        } else {
            let result = port.call("fs_list", json!({}));
            assert_ne!(result["isError"], true, "{signal:?} {result}");
        }
    }
}
