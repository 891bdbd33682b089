//! The doctor against hosts that each do one thing wrong: every fault is named, and nothing is called ok that is not.

use std::{fs, os::unix::fs::PermissionsExt as _, time::Duration};

use insta::assert_snapshot;
use outrigger::{cli::report::Exit, install::doctor::Limits};
use serde_json::{Value, json};

use crate::machine::Machine;

/// A host that answers is given all the time a busy machine needs.
const PATIENT: Limits = Limits { answer: Duration::from_mins(1), exit: Duration::from_mins(1) };

/// The doctor's answer about a machine whose host behaves so, with Chrome.
fn examine(behaviour: &str, limits: Limits) -> (Exit, Value) {
    let mut machine = Machine::with_host(behaviour);
    machine.limits = limits;
    machine.install("--browser chrome");
    let said = machine.doctor("--json");
    (said.exit, said.json())
}

/// The one check with a verdict.
fn only<'a>(checks: &'a Value, verdict: &str) -> &'a Value {
    let found: Vec<&Value> =
        checks.as_array().expect("list").iter().filter(|check| check["verdict"] == verdict).collect();
    assert_eq!(found.len(), 1, "{checks:#}");
    found[0]
}

/// A host with this behaviour has this one problem, and the browser is not called ok.
fn check_host_problem(behaviour: &str, limits: Limits, id: &str, seen: &str) {
    let (exit, diagnosis) = examine(behaviour, limits);
    let browser = &diagnosis["browsers"][0];
    let problem = only(&browser["checks"], "problem");
    assert_eq!(problem["id"], id, "{behaviour}: {problem:#}");
    let said = format!(
        "{} / {}",
        problem["message"].as_str().expect("text"),
        problem["evidence"].as_str().unwrap_or_default()
    );
    assert!(said.contains(seen), "{behaviour}: {said}");
    assert!(problem["fix"].is_string() || problem["advice"].is_string(), "{behaviour}: {problem:#}");
    assert_eq!(
        (exit, &diagnosis["ok"], &browser["ok"]),
        (Exit::Problems, &json!(false), &json!(false)),
        "{behaviour}"
    );
}

#[test]
fn a_good_host_is_proven_in_both_families() {
    let mut machine = Machine::with_host("good");
    machine.limits = PATIENT;
    machine.has_browsers(&[".config/google-chrome/Default", ".mozilla/firefox/abc.default"]);
    machine.install("");
    let said = machine.doctor("");
    assert_snapshot!(said.all(), @r"
    ok           Google Chrome: started as the browser would start it; answered a hello, version VERSION; left when told
    ok           Firefox: started as the browser would start it; answered a hello, version VERSION; left when told
    ok           there is no configuration yet; it would be `/home/ada/.config/outrigger/config.toml`  [config.valid]
    ok           workspace `app` is available at `/home/ada/app`  [workspace.available]
    All is well: 2 of 2 browsers reach outrigger.
    exit: Done
    ");
    let diagnosis = machine.doctor("--json").json();
    assert_eq!(diagnosis["browsers"][0]["checks"].as_array().expect("list").len(), 19 + 3);
    for browser in diagnosis["browsers"].as_array().expect("list") {
        for check in browser["checks"].as_array().expect("list") {
            assert_eq!(check["verdict"], "ok", "{check:#}");
        }
    }
}

#[test]
fn hosts_that_answer_wrongly() {
    for (behaviour, id, seen) in [
        (
            "exits_at_once",
            "host.hello",
            "exit status 1; its last words: config.toml: no such luck\\u{1b}[31m",
        ),
        ("torn", "host.hello", "ended inside a frame of 100 bytes"),
        ("no_json", "host.hello", "is not JSON"),
        ("says_bye", "host.hello", "the extension is not in the list"),
        ("prints_text", "host.hello", "Starting outrigger"),
        ("prints_four_bytes", "host.hello", "hi!"),
        ("skewed", "host.hello", "another version of the protocol"),
        ("other_protocol", "host.hello", "\"chosen\":7"),
        ("other_version", "host.version", "0.0.1"),
        ("fails_at_the_end", "host.exit", "exit status 3"),
        ("echo_changes", "host.echo", "came back changed"),
        ("echo_prints", "host.echo", "writes text to its output"),
        ("echo_oversize", "host.echo", "browsers close the port at more than 1048576"),
        ("echo_dies", "host.echo", "closed its output"),
        ("echo_wrong_sum", "host.echo", "checksum is wrong"),
        ("echo_loses_chunk", "host.echo", "chunk 2 came where 1 belongs"),
    ] {
        check_host_problem(behaviour, PATIENT, id, seen);
    }
}

#[test]
fn hosts_that_never_answer_or_never_leave() {
    let impatient = Limits { answer: Duration::from_millis(200), exit: Duration::from_millis(200) };
    check_host_problem("silent", impatient, "host.hello", "no answer within 200 ms");
    let answer = Limits { answer: Duration::from_secs(2), ..PATIENT };
    check_host_problem("echo_silent", answer, "host.echo", "no answer within 2000 ms");
    // Neither what is written to them nor what they write keeps the doctor waiting.
    let limits = Limits { answer: Duration::from_secs(2), exit: Duration::from_millis(200) };
    check_host_problem("echo_deaf", limits, "host.echo", "no answer within 2000 ms");
    check_host_problem("floods", limits, "host.hello", "no answer within 2000 ms");
    let limits = Limits { exit: Duration::from_millis(200), ..PATIENT };
    check_host_problem("floods_chunks", limits, "host.hello", "longer than any message");
    let exit = Limits { exit: Duration::from_millis(200), ..PATIENT };
    check_host_problem("ignores_the_end", exit, "host.exit", "does not leave within 0.2 s");
    let exit = Limits { exit: Duration::from_secs(3), ..PATIENT };
    check_host_problem("leaves_a_child", exit, "host.exit", "keeps its output open");
}

/// Nothing faked: the binary installs itself, is started by its own doctor, and answers.
#[test]
fn the_real_host_is_proven() {
    let mut machine = Machine::new();
    machine.environment.binary = env!("CARGO_BIN_EXE_outrigger").into();
    machine.limits = PATIENT;
    machine.install("--browser chrome,firefox");
    let diagnosis = machine.doctor("--json").json();
    for browser in diagnosis["browsers"].as_array().expect("list") {
        for id in ["host.start", "host.hello", "host.version", "host.echo", "host.exit"] {
            let check = browser["checks"].as_array().expect("list").iter().find(|check| check["id"] == id);
            assert_eq!(check.expect(id)["verdict"], "ok", "{browser:#}");
        }
    }
}

/// However many browsers there are: what is started the same way is started once, and no more at a time than there are processors.
#[test]
fn many_browsers_do_not_press_upon_one_another() {
    let mut machine = Machine::with_host("good");
    machine.limits = PATIENT;
    let (real, log) = (machine.environment.binary.clone(), machine.root().join("starts"));
    let wrapper = machine.root().join("bin/counted");
    let text = format!(
        "#!/bin/sh\necho begin >>'{log}'\n'{real}' \"$@\"\ncode=$?\necho end >>'{log}'\nexit $code\n",
        log = log.display(),
        real = real.display()
    );
    let script = "printf %s \"$2\" >\"$1\" && chmod 755 \"$1\"";
    let made = std::process::Command::new("sh").args(["-c", script, "sh"]).arg(&wrapper).arg(text).status();
    assert!(made.expect("sh").success());
    machine.environment.binary = wrapper;
    machine.install("--all");
    let said = machine.doctor("--all --json");
    let diagnosis = said.json();
    let browsers = diagnosis["browsers"].as_array().expect("list");
    assert!(browsers.len() > 15 && browsers.iter().all(|browser| browser["ok"] == true), "{diagnosis:#}");
    let log = fs::read_to_string(log).expect("written");
    let (mut now, mut most) = (0, 0);
    for line in log.lines() {
        now += if line == "begin" { 1 } else { -1 };
        most = most.max(now);
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    assert!(most <= i32::try_from(processors).expect("few"), "{most} at a time on {processors} processors");
    let families = browsers.iter().filter(|browser| {
        browser["manifest"].as_str().is_some_and(|path| path.contains("native-messaging-hosts"))
    });
    assert_eq!(
        log.lines().filter(|line| *line == "begin").count(),
        1 + families.count(),
        "Chromium's arguments are the same"
    );
}

#[test]
fn a_host_that_says_much_is_heard_out() {
    let (_, diagnosis) = examine("noisy", PATIENT);
    assert_eq!(diagnosis["browsers"][0]["ok"], true, "{diagnosis:#}");
}

#[test]
fn the_configuration_as_the_host_sees_it() {
    let general = |behaviour| {
        let found = examine(behaviour, PATIENT).1["general"].clone();
        let about = |check: &&Value| {
            let id = check["id"].as_str().expect("id");
            ["config.", "workspace.", "exec."].iter().any(|begin| id.starts_with(begin))
        };
        let words = |check: &Value| {
            let part =
                |key: &str| check[key].as_str().map(|text| format!("  {key}: {text}\n")).unwrap_or_default();
            let (verdict, id) =
                (check["verdict"].as_str().expect("verdict"), check["id"].as_str().expect("id"));
            format!(
                "{verdict} {id}: {}\n{}{}{}",
                check["message"].as_str().expect("text"),
                part("evidence"),
                part("fix"),
                part("advice")
            )
        };
        found.as_array().expect("list").iter().filter(about).map(words).collect::<String>()
    };
    assert_snapshot!(general("good"), @r"
    ok config.valid: there is no configuration yet; it would be `/home/ada/.config/outrigger/config.toml`
    ok workspace.available: workspace `app` is available at `/home/ada/app`
    ");
    assert_snapshot!(general("bad_config"), @r"
    problem config.valid: the configuration cannot be used; the host serves nothing until it is mended
      evidence: /home/ada/.config/outrigger/config.toml:3:1: unknown key `workspaec` (did you mean `workspace`?)
      fix: mkdir -p /home/ada/.config/outrigger && /m/bin/bad_config config example > /home/ada/.config/outrigger/config.toml
      advice: or correct /home/ada/.config/outrigger/config.toml; `/m/bin/bad_config config check` says whether it is right
    ");
    assert_snapshot!(general("no_workspace"), @r"
    ok config.valid: there is no configuration yet; it would be `/home/ada/.config/outrigger/config.toml`
    warning workspace.available: no workspace is configured, so an agent has nothing to work on
      advice: add one: `/m/bin/no_workspace workspace add DIR`
    ");
    assert_snapshot!(general("lost_workspace"), @r"
    ok config.valid: there is no configuration yet; it would be `/home/ada/.config/outrigger/config.toml`
    ok workspace.available: workspace `app` is available at `/home/ada/app`
    problem workspace.available: workspace `old` is not available
      evidence: /home/ada/my old app: no such folder
      fix: /m/bin/lost_workspace workspace remove old
      advice: or bring the folder back: mkdir -p '/home/ada/my old app'
    ");
    assert_snapshot!(general("lost_program"), @r"
    ok config.valid: there is no configuration yet; it would be `/home/ada/.config/outrigger/config.toml`
    ok workspace.available: workspace `app` is available at `/home/ada/app`
    problem exec.programs: programs of configured commands are not found by a host that a browser starts
      evidence: say: `say` was not found in any of 5 folders
      advice: not possible from here for `say`, which this terminal does not find either: install it, or take its command out of the configuration
    ");
    let (exit, diagnosis) = examine("lost_workspace", PATIENT);
    assert_eq!((exit, &diagnosis["browsers"][0]["ok"]), (Exit::Problems, &json!(true)));
    assert!(general("exits_at_once").starts_with("not_checked config.valid"));
}

#[test]
fn a_broken_host_in_words() {
    let mut machine = Machine::with_host("prints_text");
    machine.limits = PATIENT;
    machine.install("--browser chrome");
    assert_snapshot!(machine.doctor("").all(), @r#"
    problem      Google Chrome: `/m/bin/prints_text` writes text to its output; the browser reads it as a length and closes the port  [host.hello]
                   seen: the host wrote something that is no frame: "Starting outrigger ...\n"
                   help: please report it, with the file that `outrigger doctor --report FILE` writes
    not checked  Google Chrome: host.version, host.echo, host.exit
    not checked  no host answered, so none has read the configuration  [config.valid]
    There is a problem: the browser does not reach outrigger.
    exit: Problems
    "#);
}

#[test]
fn no_browser_is_no_success() {
    assert_snapshot!(Machine::new().doctor("").all(), @r"
    problem      no browser was found on this machine  [browser.any]
                   fix:  outrigger install --all
    not checked  no host answered, so none has read the configuration  [config.valid]
    There is a problem: no browser was examined.
    exit: Problems
    ");
}

#[test]
fn a_browser_without_a_manifest() {
    let machine = Machine::with_host("good");
    machine.has_browsers(&[".config/google-chrome/Default"]);
    assert_snapshot!(machine.doctor("").all(), @r"
    problem      Google Chrome: there is no manifest of outrigger, so the browser cannot start it  [manifest.present]
                   seen: missing: /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
                   fix:  /m/bin/good install --browser chrome
    not checked  Google Chrome: 18 further checks, the start of the host among them
    not checked  no host answered, so none has read the configuration  [config.valid]
    There is a problem: the browser does not reach outrigger.
    exit: Problems
    ");
}

/// Seeds one fault into a good manifest and names the check that must find it.
fn check_fault(browser: &str, id: &str, seed: impl Fn(&Machine, &mut Value)) {
    let mut machine = Machine::with_host("good");
    machine.limits = PATIENT;
    machine.install(&format!("--browser {browser}"));
    let path = if browser == "firefox" { machine.firefox() } else { machine.chrome() };
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).expect("there")).expect("JSON");
    seed(&machine, &mut manifest);
    fs::write(&path, manifest.to_string()).expect("written");
    let said = machine.doctor("--json");
    let diagnosis = said.json();
    let problem = only(&diagnosis["browsers"][0]["checks"], "problem");
    assert_eq!(problem["id"], id, "{problem:#}");
    assert!(problem["fix"].is_string() && said.exit == Exit::Problems, "{problem:#}");
    // What stands behind the fault was not exercised, and is not called right.
    let hello = diagnosis["browsers"][0]["checks"]
        .as_array()
        .expect("list")
        .iter()
        .find(|check| check["id"] == "host.hello");
    assert_eq!(hello.expect("listed")["verdict"], "not_checked");
}

#[test]
fn seeded_faults_are_named() {
    let origin = "chrome-extension://pnkolcdhfekpiodligkdlhfkpkpbpclp";
    check_fault("firefox", "manifest.keys", |_, manifest| {
        manifest["allowed_origins"] = json!([format!("{origin}/")]);
    });
    check_fault("chrome", "manifest.keys", |_, manifest| {
        manifest.as_object_mut().expect("object").remove("description");
    });
    for wrong in
        [origin.to_owned(), "chrome-extension://*/".to_owned(), format!("{}/", origin.to_uppercase())]
    {
        check_fault("chrome", "manifest.allowed", |_, manifest| {
            manifest["allowed_origins"].as_array_mut().expect("list").push(json!(wrong));
        });
    }
    check_fault("chrome", "manifest.allowed", |_, manifest| {
        manifest["allowed_origins"] = json!(["chrome-extension://abcdefghijklmnopabcdefghijklmnop/"]);
    });
    check_fault("firefox", "manifest.allowed", |_, manifest| {
        manifest["allowed_extensions"] = json!("outrigger@outrigger.dev");
    });
    check_fault("chrome", "manifest.name", |_, manifest| manifest["name"] = "Dev.outrigger.host".into());
    check_fault("chrome", "manifest.description", |_, manifest| manifest["description"] = "".into());
    check_fault("chrome", "manifest.type", |_, manifest| manifest["type"] = "pipe".into());
    check_fault("chrome", "manifest.path", |_, manifest| manifest["path"] = "outrigger".into());
    check_fault("chrome", "binary.exists", |_, manifest| manifest["path"] = "/nowhere/outrigger".into());
    check_fault("chrome", "binary.regular", |_, manifest| manifest["path"] = "/".into());
    check_fault("chrome", "binary.executable", |machine, _| {
        let plain = fs::Permissions::from_mode(0o644);
        fs::set_permissions(&machine.environment.binary, plain).expect("mode");
    });
    check_fault("chrome", "manifest.json", |_, manifest| *manifest = json!([1]));
}

#[test]
fn a_manifest_that_cannot_be_read() {
    let machine = Machine::with_host("good");
    machine.install("--browser chrome");
    fs::remove_file(machine.chrome()).expect("removed");
    std::os::unix::fs::symlink("gone.json", machine.chrome()).expect("link");
    assert_snapshot!(machine.doctor("").all(), @r"
    problem      Google Chrome: the manifest cannot be read, so the browser ignores it  [manifest.readable]
                   seen: cannot read `/m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json`: No such file or directory (os error 2)
                   fix:  /m/bin/good install --browser chrome
    not checked  Google Chrome: 17 further checks, the start of the host among them
    not checked  no host answered, so none has read the configuration  [config.valid]
    There is a problem: the browser does not reach outrigger.
    exit: Problems
    ");
}

#[test]
fn harmless_differences_are_no_problem() {
    let mut machine = Machine::with_host("good");
    machine.limits = PATIENT;
    machine.install("--browser chrome");
    let text = fs::read_to_string(machine.chrome()).expect("there");
    // Chromium ignores a further key, and both browsers accept a byte order mark.
    let changed = format!("\u{feff}{}", text.replacen('{', "{\"allowed_extensions\": [],", 1));
    fs::write(machine.chrome(), changed).expect("written");
    let said = machine.doctor("--json");
    let diagnosis = said.json();
    assert_eq!(only(&diagnosis["browsers"][0]["checks"], "warning")["id"], "manifest.keys");
    assert_eq!(said.exit, Exit::Done, "{diagnosis:#}");
}

#[test]
fn a_program_that_everyone_may_replace() {
    let mut machine = Machine::with_host("good");
    machine.limits = PATIENT;
    machine.install("--browser chrome");
    fs::set_permissions(machine.root().join("bin"), fs::Permissions::from_mode(0o777)).expect("mode");
    let diagnosis = machine.doctor("--json").json();
    let problem = only(&diagnosis["browsers"][0]["checks"], "problem");
    assert_eq!(problem["id"], "binary.folder");
    assert_eq!(problem["fix"], format!("chmod o-w {}", "/m/bin"));
    assert_eq!(diagnosis["ok"], false);
    // What anybody may have put there is not started.
    let checks = diagnosis["browsers"][0]["checks"].as_array().expect("list");
    let start = checks.iter().find(|check| check["id"] == "host.start").expect("listed");
    assert_eq!(
        (&start["verdict"], &start["evidence"]),
        (&json!("not_checked"), &json!("/m/bin")),
        "{start:#}"
    );
}

#[test]
fn a_link_to_another_binary_is_exercised_and_told() {
    let mut machine = Machine::with_host("good");
    machine.limits = PATIENT;
    machine.install("--browser chrome");
    machine.environment.binary = machine.root().join("bin/outrigger");
    let diagnosis = machine.doctor("--json").json();
    assert_eq!(only(&diagnosis["browsers"][0]["checks"], "warning")["id"], "binary.same");
    assert_eq!(diagnosis["browsers"][0]["ok"], true, "{diagnosis:#}");
}
