//! What moves, and what is somewhere else for a browser than for a terminal: homes with another name, variables that only one of them has,
//! paths that each process reads in its own way; answers that do not arrive, and several at once.

use std::{
    ffi::OsStr,
    fs,
    io::{Read as _, Write as _},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    fresh_home::{Home, Way, edit, findings, judge, named},
    machine::MANIFEST,
};

fn install(home: &Home, more: &[&str]) {
    let said = home.run(&[&["install", "--browser", "chrome,firefox"], more].concat());
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
}

/// Another name for a home is another path for all that was written down: what is ours goes with it.
#[test]
fn a_home_that_gets_another_name() {
    for mend in [&["doctor", "--fix"][..], &["install", "--with-command"], &["update-launcher"], &[]] {
        let mut home = Home::new();
        let before = home.tree();
        install(&home, &["--with-command"]);
        home.move_to("other");
        let finding = named("a moved home", &home.doctor(&[]), "binary.exists", "No such file");
        assert!(finding["fix"].is_string(), "{finding:#}");
        if !mend.is_empty() {
            home.run(mend);
            let diagnosis = home.doctor(&[]);
            assert_eq!(diagnosis["ok"], true, "{mend:?}: {:#?}", findings(&diagnosis));
        }
        let said = home.run(&["uninstall"]);
        assert_eq!(said.code, Some(0), "{mend:?}: {}{}", said.out, said.err);
        assert!(!said.out.contains("what was there before is back"), "{mend:?}: {}", said.out);
        home.move_to("home");
        assert_eq!(home.tree(), before, "{mend:?}");
    }
}

/// A profile that was taken along from another machine: its manifests name what is only there, and nobody wants them back.
#[test]
fn a_profile_from_another_machine() {
    let home = Home::installed();
    let before = Home::new();
    for manifest in [home.chrome(), home.firefox()] {
        let gone = "/home/before/.local/share/outrigger/bin/outrigger";
        edit(&manifest, |manifest| manifest["path"] = gone.into());
    }
    for own in [home.state(""), home.program("")] {
        fs::remove_dir_all(own).expect("removed");
    }
    home.give_to_user();
    named("a manifest of another machine", &home.doctor(&[]), "binary.exists", "No such file");
    install(&home, &[]);
    assert_eq!(home.doctor(&[])["ok"], true);
    let said = home.run(&["uninstall"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let files = |home: &Home| home.tree().into_keys().filter(|path| path.is_file()).count();
    assert_eq!(files(&home), files(&before), "{}", said.out);
}

/// Where copies of the program are is said by a variable, which may be another one the next time.
#[test]
fn a_folder_of_data_that_is_another_one_later() {
    let mut home = Home::new();
    let before = home.tree();
    home.variables = vec![("XDG_DATA_HOME", home.path("data").display().to_string())];
    install(&home, &["--with-command"]);
    home.variables.clear();
    assert_eq!(home.doctor(&[])["ok"], true);
    assert_eq!(home.run(&["update-launcher"]).code, Some(0));
    assert_eq!(home.doctor(&[])["ok"], true);
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

/// Where the record is says another variable: whoever installs, updates or uninstalls without it goes on with the same record.
#[test]
fn a_folder_of_state_that_is_another_one_later() {
    let elsewhere = |home: &Home| vec![("XDG_STATE_HOME", home.path("states").display().to_string())];
    for in_place in [false, true] {
        for variable_first in [true, false] {
            let mut home = Home::new();
            fs::create_dir_all(home.path("states")).expect("folder");
            // Somebody's own manifest, which only the record knows.
            fs::create_dir_all(home.chrome().parent().expect("folder")).expect("folder");
            fs::write(home.chrome(), "{\"theirs\": true}").expect("written");
            home.give_to_user();
            let before = home.tree();
            let (mut first, mut then) = (elsewhere(&home), Vec::new());
            if !variable_first {
                std::mem::swap(&mut first, &mut then);
            }
            let case = format!("in place: {in_place}, the variable at first: {variable_first}");
            home.variables = first;
            install(&home, if in_place { &["--in-place"] } else { &["--with-command"] });
            home.variables = then;
            let diagnosis = home.doctor(&[]);
            assert_eq!(diagnosis["ok"], true, "{case}: {:#?}", findings(&diagnosis));
            install(&home, if in_place { &["--in-place"] } else { &[] });
            assert_eq!(home.run(&["update-launcher"]).code, Some(0), "{case}");
            let status = home.run(&["status", "--json"]).json();
            let list = status["targets"].as_array().expect("list");
            let is_recorded =
                |id| list.iter().any(|target| target["browser"] == id && target["recorded"] == true);
            assert!(["chrome", "firefox"].into_iter().all(is_recorded), "{case}: {status:#}");
            assert!(list.iter().all(|target| target["browser"] != "helium"), "{case}: {status:#}");
            let said = home.run(&["uninstall"]);
            assert_eq!(said.code, Some(0), "{case}: {}{}", said.out, said.err);
            assert!(said.out.contains("what was there before is back"), "{case}: {}", said.out);
            // The way to a state folder that a host made by itself nobody wrote down: it is empty.
            for way in [".local/state", ".local"] {
                let _ = fs::remove_dir(home.path(way));
            }
            assert_eq!(home.tree(), before, "{case}");
        }
    }
}

/// Both variables are others: the manifests still lead to the programs, and these to the record.
#[test]
fn folders_of_data_and_of_state_that_are_others_later() {
    let mut home = Home::new();
    let before = home.tree();
    let place = |name: &str| home.path(name).display().to_string();
    home.variables = vec![("XDG_STATE_HOME", place("states")), ("XDG_DATA_HOME", place("data"))];
    install(&home, &[]);
    home.variables.clear();
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

/// What hosts kept is told with a command that finds it, from wherever it is called.
#[test]
fn a_journal_where_only_a_variable_leads() {
    let mut home = Home::new();
    fs::create_dir(home.path("other states")).expect("folder");
    home.give_to_user();
    let before = home.tree();
    let elsewhere = vec![("XDG_STATE_HOME", home.path("other states").display().to_string())];
    for (first, then) in [(elsewhere.clone(), Vec::new()), (Vec::new(), elsewhere)] {
        for of_the_record in [true, false] {
            home.variables.clone_from(&first);
            install(&home, &[]);
            let folders = [home.state(""), home.path("other states/outrigger")];
            let is_first = first.is_empty() == of_the_record;
            let folder = &folders[usize::from(!is_first)];
            fs::create_dir_all(folder).expect("folder");
            fs::write(folder.join("journal.sqlite"), "").expect("written");
            home.give_to_user();
            home.variables.clone_from(&then);
            let said = home.run(&["uninstall"]);
            assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
            let (_, command) =
                said.out.trim_end().rsplit_once("To throw them away, too: ").expect("a command");
            let pasted = home.paste(command);
            assert_eq!(pasted.code, Some(0), "{command}: {}{}", pasted.out, pasted.err);
            // A folder that a test made on the way is nobody's.
            for folder in [".local/state", ".local"] {
                let _ = fs::remove_dir(home.path(folder));
            }
            assert_eq!(home.tree(), before, "of the record: {of_the_record}: {command}");
        }
    }
}

/// Another installation, with a state folder that somebody chose, is left alone, and the command that takes it away is told.
#[test]
fn an_installation_that_somebody_keeps_elsewhere() {
    let mut home = Home::new();
    let before = home.tree();
    home.variables = vec![("OUTRIGGER_STATE_DIR", home.path("my state").display().to_string())];
    install(&home, &[]);
    let during = home.tree();
    home.variables.clear();
    let said = home.run(&["uninstall"]);
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert_eq!(home.tree(), during);
    let command = said.err.lines().find_map(|line| line.split_once("which goes by: ")).expect("a command").1;
    assert_eq!(home.paste(command).code, Some(0), "{command}");
    assert_eq!(home.tree(), before);
}

/// A program with a browser's name that does nothing, with variables of its own; ended when this is dropped.
struct Browser(Child);

impl Browser {
    fn start(home: &Home, name: &str, variables: &[(&str, &str)]) -> Self {
        let program = home.root().join(name);
        if !program.exists() {
            fs::copy("/bin/sleep", &program).expect("copied");
        }
        let mut command = home.command(&program);
        command.arg("120").envs(variables.iter().copied());
        let browser = Self(command.spawn().expect("started"));
        std::thread::sleep(std::time::Duration::from_millis(500));
        browser
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

/// The terminal knows none of these, and the browser goes by them.
#[test]
fn browsers_with_variables_of_their_own() {
    let home = Home::installed();
    let elsewhere = home.root().join("elsewhere");
    fs::create_dir(&elsewhere).expect("folder");
    home.give_to_user();
    let place = elsewhere.to_str().expect("text");
    let all = |home: &Home| home.run(&["doctor", "--json"]).json();
    for (browser, variable, id) in [
        ("google-chrome", "CHROME_USER_DATA_DIR", "browser.profile"),
        ("google-chrome", "CHROME_CONFIG_HOME", "browser.profile"),
        ("google-chrome", "XDG_CONFIG_HOME", "browser.profile"),
        ("google-chrome", "HOME", "browser.profile"),
        ("firefox", "HOME", "browser.profile"),
        ("google-chrome", "XDG_CONFIG_HOME", "host.variables"),
        ("firefox", "OUTRIGGER_CONFIG", "host.variables"),
        ("firefox", "OUTRIGGER_STATE_DIR", "host.variables"),
        ("google-chrome", "XDG_STATE_HOME", "host.variables"),
    ] {
        let _browser = Browser::start(&home, browser, &[(variable, place)]);
        let finding = named(variable, &all(&home), id, place);
        let report = home.root().join("report");
        let args = ["doctor", "--report", report.to_str().expect("text")];
        home.run(&args);
        let report = fs::read_to_string(report).expect("written");
        assert!(report.contains(id) && !report.contains(place), "{variable}: {report}");
        if id == "browser.profile" {
            // The command that is given makes a manifest where this browser looks.
            let fix = finding["fix"].as_str().expect("fix");
            assert_eq!(home.paste(fix).code, Some(0), "{variable}: {fix}");
            let diagnosis = all(&home);
            let left = findings(&diagnosis);
            assert!(left.iter().all(|check| check["id"] != id), "{variable}: {left:#?}");
            let is_there = |browser: &Value| {
                browser["ok"] == true
                    && browser["manifest"].as_str().is_some_and(|path| path.starts_with(place))
            };
            assert!(diagnosis["browsers"].as_array().expect("list").iter().any(is_there), "{diagnosis:#}");
            assert_eq!(home.run(&["uninstall"]).code, Some(0));
            install(&home, &[]);
        }
    }
    // What says nothing but what is so anyway is no finding.
    let usual = home.path(".config").display().to_string();
    let _browser = Browser::start(&home, "google-chrome", &[("XDG_CONFIG_HOME", &usual)]);
    let diagnosis = home.doctor(&[]);
    assert_eq!(diagnosis["ok"], true, "{:#?}", findings(&diagnosis));
}

/// The same words mean the doctor's own program to the doctor, and the browser's to a browser.
#[test]
fn paths_that_each_process_reads_in_its_own_way() {
    for path in ["/proc/self/exe", "/proc/thread-self/exe", "/dev/fd/../exe"] {
        judge(path, "manifest.path", path, &Way::Fix, |home| {
            edit(&home.chrome(), |manifest| manifest["path"] = path.into());
        });
    }
}

/// `sudo` does not know what is in a person's own folders.
#[test]
fn commands_for_an_administrator_are_found_by_sudo() {
    let mut home = Home::installed();
    install(&home, &["--with-command"]);
    home.binary = home.path(".local/bin/outrigger");
    home.variables = vec![("PATH", format!("{}:/usr/bin:/bin", home.path(".local/bin").display()))];
    let diagnosis = home.run(&["doctor", "--json", "--scope", "system", "--browser", "iridium"]).json();
    let found = findings(&diagnosis);
    let fixes = found.iter().filter_map(|check| check["fix"].as_str());
    let fixes: Vec<&str> = fixes.filter(|fix| fix.contains("--scope system")).collect();
    // By the path that stays when this version goes.
    let known = format!("sudo {} install ", home.program("bin/outrigger").display());
    assert!(!fixes.is_empty() && fixes.iter().all(|fix| fix.starts_with(&known)), "{fixes:?}");
    let said =
        home.run(&["install", "--scope", "system", "--browser", "iridium", "--print", "--json"]).json();
    let manifest = said["manifests"][0]["content"].as_str().expect("text");
    assert!(manifest.contains(home.program("bin/outrigger").to_str().expect("text")), "{manifest}");
}

/// An answer that was not written is none, whatever it would have said; one that nobody wants to read to its end is.
#[test]
fn answers_that_do_not_arrive() {
    let home = Home::installed();
    for args in ["status --json", "config schema", "completions bash", "audit --format csv", "--help", ""] {
        let line = format!("exec '{}' {args} >/dev/full", home.binary.display());
        let said = home.paste(&line);
        assert_eq!(said.code, Some(1), "{args}: {}", said.err);
        assert!(args == "--help" || said.err.contains("No space left"), "{args}: {}", said.err);
        let line = format!("{{ '{}' {args}; echo \"$?\" >&2; }} | true", home.binary.display());
        assert_eq!(home.paste(&line).err.trim(), "0", "{args}");
    }
}

/// Each of them says that it is done, and each of them is.
#[test]
fn workspaces_that_are_added_at_once() {
    let home = Home::new();
    let folders: Vec<PathBuf> = (0..8).map(|number| home.path(&format!("work/folder{number}"))).collect();
    for folder in &folders {
        fs::create_dir_all(folder).expect("folder");
    }
    home.give_to_user();
    for _ in 0..2 {
        let adding: Vec<Child> = folders
            .iter()
            .map(|folder| {
                let mut command = home.command(&home.binary);
                command.args(["workspace", "add"]).arg(folder).stdout(Stdio::null()).spawn().expect("started")
            })
            .collect();
        for mut child in adding {
            assert!(child.wait().expect("ended").success());
        }
        let list = home.run(&["workspace", "list", "--json"]).json();
        assert_eq!(list["workspaces"].as_array().expect("list").len(), folders.len(), "{list:#}");
    }
    assert_eq!(fs::read_dir(home.path(".config/outrigger")).expect("folder").count(), 1);
}

/// A configuration that a link is to bring, and that is not there yet, is made where the link leads.
#[test]
fn a_configuration_behind_a_link() {
    let home = Home::new();
    let (link, real) = (home.path(".config/outrigger/config.toml"), home.path("dotfiles/outrigger.toml"));
    for folder in [home.path("work"), home.path(".config/outrigger"), home.path("dotfiles")] {
        fs::create_dir_all(folder).expect("folder");
    }
    std::os::unix::fs::symlink("../../dotfiles/outrigger.toml", &link).expect("link");
    home.give_to_user();
    let said = home.run(&["workspace", "add", home.path("work").to_str().expect("text")]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(link.is_symlink() && fs::read_to_string(real).expect("there").contains("work"));
    assert_eq!(home.run(&["config", "check"]).code, Some(0));
}

/// JSON and terminals get names as they can be shown.
#[test]
fn names_that_cannot_be_shown() {
    let home = Home::new();
    let file = home.root().join(OsStr::from_bytes(b"odd\xff.toml"));
    let folder = home.path("red\u{1b}[31m");
    fs::create_dir(&folder).expect("folder");
    home.give_to_user();
    let said = |args: &[&str]| {
        let output = home.command(&home.binary).arg("--config").arg(&file).args(args).output().expect("runs");
        (output.status.code(), String::from_utf8(output.stdout).expect("text"), output.stderr)
    };
    let add = ["--json", "workspace", "add", folder.to_str().expect("text")];
    for (args, code) in [
        (&["--json", "config", "check"][..], Some(1)),
        (&add[..], Some(0)),
        (&["--json", "config", "check"], Some(0)),
        (&["--json", "config", "show"], Some(0)),
        (&["--json", "workspace", "list"], Some(0)),
    ] {
        let (exit, out, err) = said(args);
        assert_eq!(exit, code, "{args:?}: {out}{}", String::from_utf8_lossy(&err));
        let answer: Value = serde_json::from_str(&out).expect("JSON");
        assert!(answer["file"].as_str().is_some_and(|file| file.ends_with("odd\u{fffd}.toml")), "{out}");
    }
    for args in [&["workspace", "list"][..], &["workspace", "add", "no\u{1b}[31m"], &["config", "check"]] {
        let (_, out, err) = said(args);
        assert!(!out.contains('\u{1b}') && !err.contains(&0x1b), "{args:?}: {out}");
    }
}

/// A host that is open while its installation goes leaves nothing behind when it ends.
#[test]
fn an_uninstallation_under_an_open_host() {
    let home = Home::new();
    let before = home.tree();
    install(&home, &[]);
    let manifest: Value = serde_json::from_slice(&fs::read(home.chrome()).expect("there")).expect("JSON");
    let origin = manifest["allowed_origins"][0].as_str().expect("origin").to_owned();
    let mut host = home
        .command(Path::new(manifest["path"].as_str().expect("path")))
        .arg(origin)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "outrigger/hello", "params": {"protocol": {"min": 1, "max": 1}}});
    let mut input = host.stdin.take().expect("stdin");
    let mut output = host.stdout.take().expect("stdout");
    let text = hello.to_string();
    input.write_all(&u32::try_from(text.len()).expect("short").to_ne_bytes()).expect("written");
    input.write_all(text.as_bytes()).expect("written");
    output.read_exact(&mut [0; 4]).expect("an answer");
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert!(!home.chrome().exists());
    drop((input, output));
    assert!(host.wait().expect("ended").success());
    assert_eq!(home.tree(), before);
}

/// A browser looks beside its profiles: a manifest in one of them helps nobody, and would look right.
#[test]
fn profiles_that_are_given_for_the_folder_of_all() {
    let home = Home::new();
    for file in [
        ".config/google-chrome/Local State",
        ".config/google-chrome/Default/Preferences",
        ".mozilla/firefox/profiles.ini",
        ".mozilla/firefox/abc.default/prefs.js",
        "work/Preferences",
    ] {
        fs::create_dir_all(home.path(file).parent().expect("folder")).expect("folder");
        fs::write(home.path(file), "{}").expect("written");
    }
    home.give_to_user();
    let before = home.tree();
    let flag = |name: &str, place: &str| format!("{name}={}", home.path(place).display());
    let chrome = flag("--user-data-dir", ".config/google-chrome/Default");
    let firefox = flag("--browser-dir", ".mozilla/firefox/abc.default");
    for (args, instead) in [
        (vec![&*chrome], home.path(".config/google-chrome")),
        (vec![&*firefox, "--family", "firefox"], home.path(".mozilla")),
    ] {
        for command in ["install", "doctor", "status"] {
            let said = home.run(&[&[command], &args[..]].concat());
            assert_eq!(said.code, Some(2), "{args:?}: {}{}", said.out, said.err);
            assert!(
                said.err.contains(&format!("{} ", instead.display()))
                    || said.err.contains(&format!("{}`", instead.display())),
                "{}",
                said.err
            );
        }
    }
    assert_eq!(home.tree(), before);
    // A shell leaves `~` alone behind `=`.
    assert_eq!(home.run(&["install", "--user-data-dir=~/work"]).code, Some(0));
    assert!(home.path("work/NativeMessagingHosts").join(MANIFEST).is_file());
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

/// What a command is stopped by stands in front of it.
#[test]
fn commands_that_a_record_would_stop() {
    type Seed = fn(&Path);
    let seeds: [(&str, Seed); 2] = [
        ("installed.lock", |path| {
            fs::remove_file(path).expect("removed");
            fs::create_dir(path).expect("folder");
        }),
        ("installed.json", |path| fs::write(path, "{").expect("written")),
    ];
    for (name, seed) in seeds {
        let home = Home::installed();
        fs::remove_file(home.chrome()).expect("removed");
        seed(&home.state(name));
        home.give_to_user();
        let diagnosis = home.doctor(&[]);
        named(name, &diagnosis, "state.record", name);
        let finding = named(name, &diagnosis, "manifest.present", "missing");
        assert_eq!(home.paste(finding["fix"].as_str().expect("fix")).code, Some(0), "{finding:#}");
        let diagnosis = home.doctor(&[]);
        assert_eq!(diagnosis["ok"], true, "{name}: {:#?}", findings(&diagnosis));
    }
}

/// A refused folder is in no list that it could be taken from, and what is edited stays as its owner writes.
#[test]
fn workspaces_that_are_refused_or_written_by_others() {
    let home = Home::new();
    let work = home.path("work");
    let folder = home.path(".config/outrigger");
    let file = folder.join("config.toml");
    for folder in [&work, &folder] {
        fs::create_dir_all(folder).expect("folder");
    }
    fs::write(&file, "\u{feff}# mine\r\nversion = 1\r\n").expect("written");
    home.give_to_user();
    for place in ["/", "/etc", home.path("").to_str().expect("text")] {
        let said = home.run(&["workspace", "add", place]);
        assert_eq!(said.code, Some(1), "{place}");
        assert!(
            said.err.contains("nothing was added") && said.err.contains("name the folder of one"),
            "{}",
            said.err
        );
        assert!(!said.err.contains("remove"), "{}", said.err);
    }
    let add = ["workspace", "add", work.to_str().expect("text")];
    assert_eq!(home.run(&add).code, Some(0));
    let text = fs::read_to_string(&file).expect("read");
    assert!(text.starts_with("\u{feff}# mine\r\nversion = 1\r\n"), "{text:?}");
    assert!(!text.replace("\r\n", "").contains('\n'), "{text:?}");
    // Under another id it is there already, and that is said.
    assert_eq!(home.run(&add).code, Some(0));
    let said = home.run(&[&add[..], &["--id", "other"]].concat());
    assert!(said.code == Some(1) && said.err.contains("is the workspace `work` already"), "{}", said.err);
}

/// Whoever asks for JSON gets it, whatever is asked.
#[test]
fn every_answer_is_json_where_that_is_asked_for() {
    let home = Home::new();
    let out = home.root().join("pages");
    fs::create_dir(&out).expect("folder");
    home.give_to_user();
    for args in [
        &["completions", "zsh"][..],
        &["man"],
        &["man", "--out", out.to_str().expect("text")],
        &["man", "--out", "/nowhere"],
        &["--version"],
        &["--help"],
        &["install", "--help"],
        &["status", "--nonsense"],
    ] {
        let said = home.run(&[&["--json"], args].concat());
        assert!(said.json().is_object() && said.err.is_empty(), "{args:?}: {}", said.err);
    }
}
