//! What the panel asks the host to do for a person: the doctor, and which folders are workspaces.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::native::{Port, World};

/// A world with a dialog program that runs this shell script.
fn world_with_dialog(script: &str) -> World {
    let world = World::new("");
    let program = bin(&world).join("zenity");
    fs::create_dir_all(bin(&world)).unwrap();
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    world
}

fn bin(world: &World) -> PathBuf {
    world.folder.path().join("bin")
}

fn command(world: &World) -> Command {
    let mut command = world.command();
    command
        .arg(&outrigger::native::caller::own_extensions()[0])
        .env("HOME", world.folder.path())
        .env("XDG_CONFIG_HOME", world.folder.path().join(".config"))
        .env("PATH", format!("{}:/usr/bin:/bin", bin(world).display()))
        .env_remove("WAYLAND_DISPLAY")
        .env("DISPLAY", ":fake");
    command
}

fn connect(world: &World) -> Port {
    let mut port = Port::spawn(&mut command(world));
    port.hello();
    port
}

fn folder(world: &World, name: &str) -> PathBuf {
    let folder = fs::canonicalize(world.folder.path()).unwrap().join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn ids(port: &mut Port) -> Vec<String> {
    let list = port.request("outrigger/workspaces/list", json!({}));
    let list = list["result"]["workspaces"].as_array().unwrap().clone();
    list.iter().map(|workspace| workspace["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_folder_that_a_person_picks_is_a_workspace_at_once() {
    let world = world_with_dialog("printf '%s\\n' \"$@\" > \"$HOME/asked\"; cat \"$HOME/answer\"");
    let picked = folder(&world, "my project");
    fs::write(world.folder.path().join("answer"), format!("{}\n", picked.display())).unwrap();
    let mut port = connect(&world);
    let answer = port.request("outrigger/workspaces/pick", json!({"start": world.workspace()}));
    let result = &answer["result"];
    assert_eq!(
        (&result["state"], &result["resultType"]),
        (&json!("added"), &json!("complete")),
        "{answer:#}"
    );
    assert_eq!(result["workspace"]["id"], "my_project");
    assert_eq!(result["workspace"]["path"], picked.to_str().unwrap());
    assert_eq!(result["workspace"]["available"], true);
    // It is in force: nothing was waited for.
    assert_eq!(ids(&mut port), ["app", "my_project"]);
    let asked = fs::read_to_string(world.folder.path().join("asked")).unwrap();
    assert!(asked.contains("--directory\n"), "{asked}");
    assert!(asked.contains(&format!("--filename={}/\n", world.workspace().display())), "{asked}");
    assert!(fs::read_to_string(world.config()).unwrap().contains("my project"));
    let again = port.request("outrigger/workspaces/pick", json!({}));
    assert_eq!(again["result"]["state"], "known", "{again:#}");
    // And a call may use it.
    let info = port.call_with("workspace_info", json!({}), json!({"dev.outrigger/workspace": "my_project"}));
    assert_eq!(info["structuredContent"]["ok"], true, "{info:#}");
}

/// A configuration that breaks while a host runs: the doctor, asked by the panel, names file and line. One that was never right is told so
/// to whatever is asked.
#[test]
fn a_broken_configuration_is_named_with_its_line() {
    let world = World::new("");
    fs::create_dir_all(world.folder.path().join(".config/google-chrome/Default")).unwrap();
    let mut install = world.command();
    install.args(["install", "--browser", "chrome"]).env("HOME", world.folder.path());
    install.env("XDG_CONFIG_HOME", world.folder.path().join(".config"));
    assert!(install.output().unwrap().status.success());
    let mut port = connect(&world);
    let good = fs::read_to_string(world.config()).unwrap();
    world.configure(&format!("{good}blokced = 1\n"));
    let line = good.lines().count() + 1;
    let answer = port.request("outrigger/doctor/run", json!({"browsers": ["chrome"]}));
    let general = answer["result"]["general"].as_array().unwrap();
    let check = general.iter().find(|check| check["id"] == "config.valid").unwrap();
    assert_eq!(
        (&answer["result"]["ok"], &check["verdict"]),
        (&json!(false), &json!("problem")),
        "{answer:#}"
    );
    let seen = check["evidence"].as_str().unwrap();
    assert!(seen.contains(&format!("config.toml:{line}:1: ")) && seen.contains("blokced"), "{check:#}");
    let mut port = connect(&world);
    let refused = port.request("outrigger/doctor/run", json!({}));
    let error = &refused["error"]["data"]["error"];
    assert_eq!((&refused["error"]["code"], &error["line"]), (&json!(-32051), &json!(line)), "{refused:#}");
    assert!(error["file"].as_str().unwrap().ends_with("config.toml"), "{refused:#}");
}

/// A program that an agent wrote would choose in the person's place.
#[test]
fn a_dialog_in_a_workspace_is_not_asked() {
    let world = world_with_dialog("echo asked > \"$HOME/asked\"; exit 1");
    world.write("bin/zenity", "#!/bin/sh\necho theirs > \"$HOME/theirs\"\necho \"$HOME/other\"\n");
    let theirs = world.workspace().join("bin");
    fs::set_permissions(theirs.join("zenity"), fs::Permissions::from_mode(0o755)).unwrap();
    folder(&world, "other");
    let spawn = |path: String| {
        let mut port = Port::spawn(command(&world).env("PATH", path));
        port.hello();
        port
    };
    let mut port = spawn(format!("{}:{}:/usr/bin:/bin", theirs.display(), bin(&world).display()));
    let answer = port.request("outrigger/workspaces/pick", json!({}));
    assert_eq!(answer["result"]["state"], "cancelled", "{answer:#}");
    assert!(world.folder.path().join("asked").exists() && !world.folder.path().join("theirs").exists());
    drop(port);
    let mut port = spawn(theirs.display().to_string());
    let answer = port.request("outrigger/workspaces/pick", json!({}));
    refused(&answer, "no_dialog");
    let words = answer["error"]["message"].as_str().unwrap();
    assert!(words.contains(&*theirs.to_string_lossy()), "{words}");
    assert_eq!(ids(&mut port), ["app"]);
    assert!(!world.folder.path().join("theirs").exists());
}

#[test]
fn a_person_who_says_no_changes_nothing() {
    let world = world_with_dialog("exit 1");
    let before = fs::read(world.config()).unwrap();
    let mut port = connect(&world);
    for (method, params) in [
        ("outrigger/workspaces/pick", json!({})),
        ("outrigger/workspaces/add", json!({"path": folder(&world, "other")})),
    ] {
        assert_eq!(port.request(method, params)["result"]["state"], "cancelled");
    }
    assert_eq!(fs::read(world.config()).unwrap(), before);
}

/// What a trusted workspace's own command may write could be another dialog by now.
#[test]
fn a_program_that_a_trusted_command_may_replace_does_not_answer() {
    let world = world_with_dialog("echo > \"$HOME/asked\"; echo /tmp");
    let rules = "[[command]]\nid = \"put\"\nprogram = \"/bin/sh\"\nwrite_paths = [\"~/bin\"]\n";
    fs::write(world.workspace().join(".outrigger.toml"), rules).unwrap();
    let mut trust = world.command();
    trust.arg("trust").arg(world.workspace()).arg("--yes").env("HOME", world.folder.path());
    assert!(trust.output().unwrap().status.success());
    let answer = connect(&world).request("outrigger/workspaces/pick", json!({}));
    // The machine's own, where it has one, has no screen here.
    let found = ["/usr/bin/zenity", "/usr/bin/kdialog"].iter().any(|own| Path::new(own).exists());
    refused(&answer, if found { "dialog_failed" } else { "no_dialog" });
    assert!(!world.folder.path().join("asked").exists(), "it was asked");
}

#[test]
fn a_given_folder_is_added_only_after_a_question() {
    let world = world_with_dialog("printf '%s\\n' \"$@\" \"$PATH\" > \"$HOME/asked\"");
    let other = folder(&world, "a<b>&c");
    let mut port = connect(&world);
    let answer = port.request("outrigger/workspaces/add", json!({"path": other, "id": "other"}));
    assert_eq!(
        (&answer["result"]["state"], &answer["result"]["workspace"]["id"]),
        (&json!("added"), &json!("other")),
        "{answer:#}"
    );
    let asked = fs::read_to_string(world.folder.path().join("asked")).unwrap();
    assert!(asked.contains("--question\n--no-markup\n--default-cancel\n"), "{asked}");
    assert!(asked.contains(other.to_str().unwrap()), "{asked}");
    // Nor is what it calls looked for where the host's own `PATH` leads: an agent may write there.
    assert!(!asked.contains(bin(&world).to_str().unwrap()), "{asked}");
    let gone = port.request("outrigger/workspaces/remove", json!({"id": "other"}));
    assert_eq!(gone["result"]["removed"], "other", "{gone:#}");
    assert_eq!(ids(&mut port), ["app"]);
    assert!(other.is_dir());
}

/// What it closed would be open through the other.
#[test]
fn one_that_shares_files_with_another_is_taken_out_only_after_a_question() {
    let world = world_with_dialog("printf '%s\\n' \"$@\" > \"$HOME/asked\"; test -e \"$HOME/yes\"");
    let kept = world.workspace().join("kept");
    fs::create_dir_all(&kept).unwrap();
    let config = fs::read_to_string(world.config()).unwrap();
    let kept = fs::canonicalize(kept).unwrap();
    world.configure(&format!(
        "{config}\n[[workspace]]\nid = \"kept\"\npath = {:?}\nread_only = true\n",
        kept.to_str().unwrap()
    ));
    let mut port = connect(&world);
    for id in ["app", "kept"] {
        let answer = port.request("outrigger/workspaces/remove", json!({"id": id}));
        assert_eq!(answer["result"]["state"], "cancelled", "{answer:#}");
    }
    let asked = fs::read_to_string(world.folder.path().join("asked")).unwrap();
    assert!(asked.contains("\u{201c}kept\u{201d}") && asked.contains("\u{201c}app\u{201d}"), "{asked}");
    assert_eq!(ids(&mut port), ["app", "kept"]);
    drop(port);
    let mut port = Port::spawn(command(&world).env_remove("DISPLAY"));
    port.hello();
    let told = refused(&port.request("outrigger/workspaces/remove", json!({"id": "kept"})), "no_dialog");
    assert!(told.ends_with(" workspace remove kept"), "{told}");
    drop(port);
    fs::write(world.folder.path().join("yes"), "").unwrap();
    let mut port = connect(&world);
    let answer = port.request("outrigger/workspaces/remove", json!({"id": "kept"}));
    assert_eq!(
        (&answer["result"]["state"], &answer["result"]["removed"]),
        (&json!("removed"), &json!("kept"))
    );
    assert_eq!(ids(&mut port), ["app"]);
}

/// The reason of the refusal, and the command that it gives.
fn refused(answer: &Value, reason: &str) -> String {
    assert_eq!(answer["error"]["code"], -32052, "{answer:#}");
    let data = &answer["error"]["data"];
    assert_eq!(data["reason"], reason, "{answer:#}");
    assert!(data["hint"].is_string() && !answer["error"]["message"].as_str().unwrap().is_empty());
    data["command"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn without_a_dialog_the_command_is_told() {
    let world = world_with_dialog("echo 'Gtk-WARNING **: cannot open display: :fake' >&2; exit 1");
    let other = folder(&world, "it's other");
    let mut port = connect(&world);
    refused(&port.request("outrigger/workspaces/pick", json!({})), "dialog_failed");
    drop(port);
    let mut port = Port::spawn(command(&world).env_remove("DISPLAY"));
    port.hello();
    let told = refused(&port.request("outrigger/workspaces/pick", json!({})), "no_dialog");
    let program = fs::canonicalize(env!("CARGO_BIN_EXE_outrigger")).unwrap();
    let begin = format!("{} --config {} workspace add ", program.display(), world.config().display());
    assert_eq!(told, format!("{begin}DIR"));
    let told = refused(
        &port.request("outrigger/workspaces/add", json!({"path": other, "id": "other"})),
        "no_dialog",
    );
    // The command does it, as it stands there, and whoever could read the file still can.
    fs::set_permissions(world.config(), fs::Permissions::from_mode(0o644)).unwrap();
    let done = Command::new("sh").arg("-c").arg(&told).env("HOME", world.folder.path()).output().unwrap();
    assert!(done.status.success(), "{told}: {}", String::from_utf8_lossy(&done.stderr));
    let listed = world.command().args(["workspace", "list", "--json"]).output().unwrap();
    assert!(String::from_utf8_lossy(&listed.stdout).contains("it's other"));
    assert_eq!(fs::metadata(world.config()).unwrap().permissions().mode() & 0o777, 0o644);
}

#[test]
fn what_is_refused_says_why() {
    let world = world_with_dialog("exit 0");
    let mut port = connect(&world);
    let mut ask =
        |method: &str, params: Value| port.request(&format!("outrigger/workspaces/{method}"), params);
    refused(&ask("add", json!({"path": "/nowhere/at/all"})), "no_folder");
    refused(&ask("add", json!({"path": "relative"})), "no_folder");
    refused(&ask("remove", json!({"id": "nowhere"})), "unknown_workspace");
    assert_eq!(ask("add", json!({}))["error"]["code"], -32602);
    assert_eq!(ask("pick", json!({"path": "/"}))["error"]["code"], -32602);
    drop(port);
    let config = fs::read_to_string(world.config()).unwrap();
    world.configure(&format!("{config}\n[panel]\nadd_workspace = \"never\"\n"));
    let mut port = connect(&world);
    let told = refused(&port.request("outrigger/workspaces/pick", json!({})), "not_allowed");
    assert!(told.ends_with("workspace add DIR"), "{told}");
}

/// Nobody is asked about a folder that may not be a workspace, or is one already, and no command is told that would fail as well.
#[test]
fn what_needs_no_answer_is_answered_without_a_dialog() {
    let world = world_with_dialog("printf '%s\\n' \"$@\" >> \"$HOME/asked\"");
    let (asked, other) = (world.folder.path().join("asked"), folder(&world, "other"));
    fs::create_dir_all(world.state()).unwrap();
    std::os::unix::fs::symlink(world.workspace(), world.folder.path().join("link")).unwrap();
    for display in [":fake", ""] {
        let mut port = Port::spawn(command(&world).env("DISPLAY", display));
        port.hello();
        let mut add = |params: Value| port.request("outrigger/workspaces/add", params);
        for path in [Path::new("/"), Path::new("/etc"), world.folder.path(), world.state().as_path()] {
            let answer = add(json!({"path": path}));
            assert_eq!(refused(&answer, "no_folder"), "", "{answer:#}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains(&format!("`{}`", path.display())), "{answer:#}");
        }
        for path in [world.workspace(), world.workspace().join("."), world.folder.path().join("link")] {
            let answer = add(json!({"path": path}));
            let result = &answer["result"];
            assert_eq!((&result["state"], &result["workspace"]["id"]), (&json!("known"), &json!("app")));
        }
        // The folder may be one, but not under this id.
        for id in ["app", "No Id"] {
            assert_eq!(refused(&add(json!({"path": other, "id": id})), "config"), "");
        }
        assert_eq!(ids(&mut port), ["app"]);
        assert!(!asked.exists(), "{}", fs::read_to_string(&asked).unwrap());
    }
    // Of what a person picks only the answer can tell.
    let picks = world_with_dialog("echo /");
    let mut port = connect(&picks);
    assert_eq!(refused(&port.request("outrigger/workspaces/pick", json!({})), "no_folder"), "");
    // What breaks the configuration anyway is not the folder's.
    let mut port = connect(&world);
    let config = fs::read_to_string(world.config()).unwrap();
    world.configure(&format!("{config}\nblokced = 1\n"));
    refused(&port.request("outrigger/workspaces/add", json!({"path": other})), "config");
    assert!(!asked.exists());
    world.configure(&config);
    assert_eq!(port.request("outrigger/workspaces/add", json!({"path": other}))["result"]["state"], "added");
    assert!(asked.exists());
}

#[test]
fn one_without_a_hello_may_not_change_the_list() {
    let world = world_with_dialog("exit 0");
    let mut port = Port::spawn(&mut command(&world));
    for (method, params) in
        [("pick", json!({})), ("add", json!({"path": "/tmp"})), ("remove", json!({"id": "app"}))]
    {
        refused(&port.request(&format!("outrigger/workspaces/{method}"), params), "not_allowed");
    }
    assert_eq!(ids(&mut port), ["app"]);
}

fn is_alive(pid_file: &Path) -> bool {
    let pid = fs::read_to_string(pid_file).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    !(stat.is_empty() || stat.contains(") Z "))
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    for _ in 0..600 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{what} did not come");
}

#[test]
fn an_open_dialog_is_the_only_one_and_ends_with_its_request() {
    let world = world_with_dialog(
        "echo $$ > \"$HOME/pid.new\"; mv \"$HOME/pid.new\" \"$HOME/pid\"; sleep 600 & wait",
    );
    let pid = world.folder.path().join("pid");
    let mut port = connect(&world);
    let open = port.begin("outrigger/workspaces/pick", json!({}));
    wait_until("the dialog", || pid.exists());
    refused(&port.request("outrigger/workspaces/pick", json!({})), "busy");
    // Other work goes on meanwhile.
    assert_eq!(port.call("workspace_info", json!({}))["structuredContent"]["ok"], true);
    port.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": open}}));
    wait_until("the end of the dialog", || !is_alive(&pid));
    // Its request is over a moment later.
    wait_until("room for another one", || {
        let answer = port.request("outrigger/workspaces/add", json!({"path": "/nowhere/at/all"}));
        answer["error"]["data"]["reason"] == "no_folder"
    });
    // And a dialog that is open when the port closes does not outlive it.
    fs::remove_file(&pid).unwrap();
    port.begin("outrigger/workspaces/pick", json!({}));
    wait_until("the dialog", || pid.exists());
    port.close();
    wait_until("the end of the dialog", || !is_alive(&pid));
}

#[test]
fn the_doctor_answers_as_data() {
    let world = world_with_dialog("exit 1");
    fs::create_dir_all(world.folder.path().join(".config/google-chrome/Default")).unwrap();
    let mut port = connect(&world);
    let answer = port.request("outrigger/doctor/run", json!({}));
    let result = &answer["result"];
    assert_eq!((&result["resultType"], &result["ok"]), (&json!("complete"), &json!(false)), "{answer:#}");
    let chrome = &result["browsers"][0];
    assert_eq!((&chrome["browser"], &chrome["ok"]), (&json!("chrome"), &json!(false)));
    let check =
        chrome["checks"].as_array().unwrap().iter().find(|check| check["id"] == "manifest.present").unwrap();
    assert_eq!(check["verdict"], "problem");
    assert!(check["fix"].as_str().unwrap().contains(" install --browser chrome"), "{check:#}");
    // What it says mends it.
    let fix = check["fix"].as_str().unwrap();
    let mended = Command::new("sh")
        .arg("-c")
        .arg(fix)
        .env("HOME", world.folder.path())
        .env("XDG_CONFIG_HOME", world.folder.path().join(".config"))
        .env("OUTRIGGER_STATE_DIR", world.state())
        .output()
        .unwrap();
    assert!(mended.status.success(), "{}", String::from_utf8_lossy(&mended.stderr));
    let answer = port.request("outrigger/doctor/run", json!({"browsers": ["chrome"]}));
    let chrome = &answer["result"]["browsers"][0];
    assert_eq!(chrome["ok"], true, "{answer:#}");
    let answer = port.request("outrigger/doctor/run", json!({"report": true}));
    let report = answer["result"]["report"].as_str().unwrap();
    assert!(report.contains("host.echo") && report.contains("~/.config/google-chrome"), "{report}");
    assert!(!report.contains(world.folder.path().to_str().unwrap()), "{report}");
    let unknown = port.request("outrigger/doctor/run", json!({"browsers": ["chorme"]}));
    refused(&unknown, "doctor");
}

/// The desktop's own dialog on a screen that nobody sees, and the key that a person would press.
#[test]
fn a_real_dialog_is_answered_by_a_real_key() {
    let is_there = |name: &str| {
        Command::new("sh").arg("-c").arg(format!("command -v {name}")).output().unwrap().status.success()
    };
    let missing: Vec<&str> =
        ["zenity", "Xvfb", "xdotool"].into_iter().filter(|name| !is_there(name)).collect();
    if !missing.is_empty() {
        eprintln!("not run, because there is no {}", missing.join(", "));
        return;
    }
    let world = World::new("");
    let picked = folder(&world, "picked");
    let (screen, display) = screen(&world);
    let mut port = Port::spawn(command(&world).env("DISPLAY", &display));
    port.hello();
    let ask = port.begin("outrigger/workspaces/pick", json!({"start": picked}));
    press(&mut port, &ask, &display, "Outrigger: choose a folder");
    let answer = port.answer_to(&ask);
    assert_eq!(answer["result"]["workspace"]["path"], picked.to_str().unwrap(), "{answer:#}");
    let other = folder(&world, "other");
    let ask = port.begin("outrigger/workspaces/add", json!({"path": other}));
    // "Deny" has the focus: a key pressed without looking gives no rights.
    press(&mut port, &ask, &display, "Outrigger: a folder");
    assert_eq!(port.answer_to(&ask)["result"]["state"], "cancelled");
    // And a display that is none is told as that.
    drop(port);
    drop(screen);
    let mut port = Port::spawn(command(&world).env("DISPLAY", ":4711"));
    port.hello();
    refused(&port.request("outrigger/workspaces/pick", json!({})), "dialog_failed");
}

/// A screen, ended with the test.
struct Screen(std::process::Child);

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn screen(world: &World) -> (Screen, String) {
    let file = world.folder.path().join("display");
    // A server that resets itself when its last client leaves refuses whoever comes at that moment.
    let script =
        format!("exec Xvfb -displayfd 3 -noreset -screen 0 800x600x24 -nolisten tcp 3>'{}'", file.display());
    let child = Command::new("sh").arg("-c").arg(script).stderr(std::process::Stdio::null()).spawn().unwrap();
    let screen = Screen(child);
    wait_until("the screen", || fs::read_to_string(&file).is_ok_and(|text| text.ends_with('\n')));
    (screen, format!(":{}", fs::read_to_string(&file).unwrap().trim()))
}

/// Waits for the window that this request opens, and presses Return in it.
fn press(port: &mut Port, request: &Value, display: &str, title: &str) {
    let xdotool =
        |words: &[&str]| Command::new("xdotool").args(words).env("DISPLAY", display).output().unwrap();
    let mut window = String::new();
    wait_until("the dialog", || {
        let found = xdotool(&["search", "--onlyvisible", "--name", title]);
        let found = String::from_utf8_lossy(&found.stdout);
        found.lines().next().unwrap_or_default().clone_into(&mut window);
        if window.is_empty() {
            let answer = port.early_answer(request);
            assert!(answer.is_none(), "answered before its window was seen: {answer:#?}");
        }
        !window.is_empty()
    });
    // Without a window manager nobody gives it the focus. What is not drawn yet takes no key: it is pressed until the window is gone.
    wait_until("the answer", || {
        xdotool(&["windowfocus", &window]);
        xdotool(&["key", "--clearmodifiers", "Return"]);
        !String::from_utf8_lossy(&xdotool(&["search", "--onlyvisible", "--name", title]).stdout)
            .contains(&window)
    });
}
