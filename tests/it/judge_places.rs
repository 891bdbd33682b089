//! Homes with odd names, variables that lead elsewhere, masks, clocks, other builds, and hosts that are led astray.

use std::{
    cell::RefCell,
    ffi::OsStr,
    fs::{self, File},
    os::unix::{
        ffi::OsStrExt as _,
        fs::{PermissionsExt as _, symlink},
    },
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;

use crate::fresh_home::{Home, Way, findings, judge, judge_in, named, wrap};

fn install(home: &Home) {
    let said = home.run(&["install", "--browser", "chrome,firefox"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
}

#[test]
fn homes_with_odd_names() {
    let long = ["a".repeat(200).as_str(); 12].join("/");
    for name in
        ["two words", "a\nline", "\u{fc}\u{6f22}\u{1f980}", "it's \"$HOME\" `x` $(x) \\ %", "-rf", &long]
    {
        let home = Home::named(name);
        judge_in(&home, name, "manifest.present", "missing: ", &Way::Paste, |home| {
            fs::remove_file(home.chrome()).expect("removed");
        });
    }
}

/// A manifest is JSON, which such a name cannot stand in: nothing is installed, and that is said.
#[test]
fn a_home_whose_name_is_no_text() {
    let home = Home::named(OsStr::from_bytes(b"h\xffme"));
    let before = home.tree();
    let said = home.run(&["install", "--browser", "chrome,firefox"]);
    assert!(said.code == Some(1) && said.err.contains("not valid UTF-8"), "{}", said.err);
    named("a home", &home.doctor(&[]), "manifest.present", "not UTF-8");
    named("a home", &home.doctor(&["--fix"]), "manifest.present", "not UTF-8");
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

#[test]
fn a_home_that_is_a_link() {
    let mut home = Home::new();
    let link = home.root().join("ada");
    symlink("home", &link).expect("link");
    home.give_to_user();
    home.variables = vec![("HOME", link.display().to_string())];
    judge_in(&home, "a link", "binary.exists", "it is a link to", &Way::Fix, |home| {
        fs::remove_dir_all(home.program("versions")).expect("removed");
    });
}

/// Variables that name nothing count as not set: nothing is put beside where the command was started.
#[test]
fn variables_that_name_nothing() {
    for value in ["", "elsewhere", "./x"] {
        let mut home = Home::new();
        let before = home.tree();
        home.variables = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"]
            .map(|name| (name, value.to_owned()))
            .to_vec();
        install(&home);
        assert!(home.chrome().is_file() && home.program("bin/outrigger").exists(), "{value}");
        assert_eq!(home.doctor(&[])["ok"], true, "{value}: {:#?}", findings(&home.doctor(&[])));
        assert_eq!(home.run(&["uninstall"]).code, Some(0));
        assert_eq!(home.tree(), before, "{value}");
    }
}

#[test]
fn masks_that_take_all_or_nothing() {
    // The last two take rights from the owner, and what is made has them all the same.
    for mask in ["000", "077", "0111", "0777"] {
        let mut home = Home::new();
        let before = home.tree();
        home.through = ["sh", "-c", &format!("umask {mask}; exec \"$@\""), "sh"].map(str::to_owned).to_vec();
        install(&home);
        assert_eq!(home.doctor(&[])["ok"], true, "{mask}: {:#?}", findings(&home.doctor(&[])));
        for (path, what) in home.tree().into_iter().filter(|(path, _)| !before.contains_key(path)) {
            let mode = u32::from_str_radix(what.split(' ').next().expect("mode"), 8).expect("octal");
            assert!(path.is_symlink() || mode & 0o022 == 0, "{mask}: {}: {what}", path.display());
        }
        assert_eq!(home.run(&["uninstall"]).code, Some(0));
        assert_eq!(home.tree(), before, "{mask}");
    }
}

/// Whoever starts us may have wanted to hear of no child's end, or of no signal at all; a lock may be closed by its own permissions.
#[test]
fn signals_and_rights_that_were_taken_before() {
    let ignoring = "import os, signal, sys\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nsignal.pthread_sigmask(signal.SIG_BLOCK, \
                    {signal.SIGTERM, signal.SIGPIPE})\nos.execv(sys.argv[1], sys.argv[1:])";
    let mut home = Home::new();
    let before = home.tree();
    home.through = ["/usr/bin/env", "python3", "-c", ignoring].map(str::to_owned).to_vec();
    install(&home);
    let diagnosis = home.doctor(&[]);
    assert_eq!(diagnosis["ok"], true, "{diagnosis:#}");
    for lock in [home.state("installed.lock"), home.program("update.lock")] {
        fs::set_permissions(lock, fs::Permissions::from_mode(0o000)).expect("mode");
    }
    assert_eq!(home.run(&["update-launcher"]).code, Some(0));
    let said = home.run(&["uninstall"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(home.tree(), before);
}

/// A folder of browsers whose name is no text: no record can tell of it, and that is what is said.
#[test]
fn a_folder_of_browsers_whose_name_is_no_text() {
    let mut home = Home::new();
    let odd = home.root().join(OsStr::from_bytes(b"c\xffnfig"));
    fs::create_dir(&odd).expect("folder");
    home.give_to_user();
    let before = home.tree();
    let script =
        format!("export XDG_CONFIG_HOME=\"$(printf '{}/c\\377nfig')\"; exec \"$@\"", home.root().display());
    home.through = ["sh", "-c", &script, "sh"].map(str::to_owned).to_vec();
    let said = home.run(&["install", "--browser", "chrome,firefox"]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("not valid UTF-8") && said.err.contains("plain name"), "{}", said.err);
    let found = findings(&home.doctor(&[]));
    assert!(found.iter().all(|check| check["id"] != "host.folders"), "{found:#?}");
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

/// What is set in a terminal alone leads nobody else: what a browser's own host would read is looked at, too.
#[test]
fn variables_that_browsers_do_not_have() {
    let mut home = Home::installed();
    let (good, own) = (home.root().join("good.toml"), home.path(".config/outrigger/config.toml"));
    fs::create_dir_all(home.path(".config/outrigger")).expect("folder");
    fs::write(&good, "version = 1\n").expect("written");
    fs::write(&own, "version = 1\nnonsense = 1\n").expect("written");
    home.give_to_user();
    named("broken", &home.doctor(&[]), "config.valid", "nonsense");
    home.variables = vec![("OUTRIGGER_CONFIG", good.display().to_string())];
    let finding = named("hidden by a variable", &home.doctor(&[]), "host.variables", "nonsense");
    assert_eq!(finding["verdict"], "problem", "{finding:#}");
    // Where both can be read, it is only told that they are two.
    fs::write(&own, "version = 1\n").expect("written");
    let diagnosis = home.doctor(&[]);
    let finding = named("two configurations", &diagnosis, "host.variables", "OUTRIGGER_CONFIG");
    assert_eq!((&finding["verdict"], &diagnosis["ok"]), (&json!("warning"), &json!(true)), "{finding:#}");
    // A browser that runs says what it has.
    let browser = home.root().join("chrome");
    fs::copy("/bin/sleep", &browser).expect("copied");
    for (value, verdict) in [
        (Some(good.display().to_string()), None),
        (Some("/elsewhere".to_owned()), Some("problem")),
        (None, Some("problem")),
    ] {
        let mut command = home.command(&browser);
        command.arg("120").env_remove("OUTRIGGER_CONFIG");
        if let Some(value) = &value {
            command.env("OUTRIGGER_CONFIG", value);
        }
        let mut running = command.spawn().expect("started");
        // `timeout` becomes the browser's parent: its end is the browser's, too.
        std::thread::sleep(std::time::Duration::from_millis(500));
        let found = findings(&home.doctor(&[]));
        let finding = found.iter().find(|check| check["id"] == "host.variables");
        assert_eq!(
            finding.map(|check| check["verdict"].as_str().expect("text")),
            verdict,
            "{value:?}: {found:#?}"
        );
        assert!(Command::new("kill").arg(running.id().to_string()).status().expect("kill").success());
        running.wait().expect("ended");
    }
}

/// Another build: the same program with one byte more.
fn another_build(home: &Home, number: u8) -> PathBuf {
    let folder = home.root().join(format!("build-{number}"));
    let other = folder.join("outrigger");
    let script = "mkdir \"$1\" && { cat \"$0\"; printf \"$3\"; } >\"$2\" && chmod 755 \"$2\"";
    let made = Command::new("sh")
        .args(["-c", script])
        .args([home.binary.as_path(), &folder, &other])
        .arg(number.to_string())
        .status();
    assert!(made.expect("sh").success());
    home.give_to_user();
    other
}

#[test]
fn several_builds_go_as_one() {
    for in_place in [false, true] {
        let mut home = Home::new();
        let first = home.binary.clone();
        let other = another_build(&home, 1);
        let before = home.tree();
        assert_eq!(home.run(&["install", "--browser", "chrome"]).code, Some(0));
        home.binary = other;
        let how = if in_place { &["--in-place"][..] } else { &[] };
        assert_eq!(home.run(&[&["install", "--browser", "firefox"], how].concat()).code, Some(0));
        assert_eq!(home.run(&["status"]).code, Some(0));
        home.binary = first;
        named("the other build", &home.doctor(&[]), "binary.same", "");
        assert_eq!(home.run(&["uninstall"]).code, Some(0));
        assert_eq!(home.tree(), before, "in place: {in_place}");
    }
}

/// What is from tomorrow or from before all computers is as good as anything else, and updates keep what they need.
#[test]
fn clocks_that_are_wrong() {
    for time in ["2099-01-01", "1970-01-02"] {
        let mut home = Home::new();
        let builds: Vec<PathBuf> = (1..=4).map(|number| another_build(&home, number)).collect();
        let before = home.tree();
        install(&home);
        let first = home.binary.clone();
        for build in builds {
            let touched = Command::new("find")
                .arg(home.path(""))
                .args(["-exec", "touch", "-h", "-d", time, "{}", "+"])
                .status();
            assert!(touched.expect("find").success());
            home.binary = build;
            assert_eq!(home.run(&["update-launcher"]).code, Some(0));
            assert_eq!(home.doctor(&[])["ok"], true, "{time}: {:#?}", findings(&home.doctor(&[])));
        }
        home.binary = first;
        assert_eq!(home.run(&["update-launcher"]).code, Some(0));
        assert_eq!(home.run(&["uninstall"]).code, Some(0));
        assert_eq!(home.tree(), before, "{time}");
    }
}

/// A program that is being written cannot be started, and a copy of it can be made anew.
#[test]
fn a_program_that_something_writes() {
    for way in [Way::Fix, Way::Paste] {
        let open: RefCell<Option<File>> = RefCell::default();
        judge("it is open for writing", "host.start", "text file busy", &way, |home| {
            let copy = fs::canonicalize(home.program("bin/outrigger")).expect("there");
            *open.borrow_mut() = Some(File::options().append(true).open(copy).expect("open"));
        });
    }
    judge("it is enormous", "binary.same", "versions/", &Way::Fix, |home| {
        let copy = fs::canonicalize(home.program("bin/outrigger")).expect("there");
        File::options().append(true).open(copy).expect("open").set_len(1 << 40).expect("long");
    });
}

/// Such a host answers, and knows nothing of what this person configures.
#[test]
fn wrappers_that_lead_elsewhere() {
    for (fault, seen, text) in [
        ("another home", "config: ", "#!/bin/sh\nHOME=$HOME/other.old exec REAL \"$@\"\n"),
        ("another configuration", "config: ", "#!/bin/sh\nOUTRIGGER_CONFIG=/nowhere.toml exec REAL \"$@\"\n"),
        (
            "another state",
            "state: ",
            "#!/bin/sh\nexport OUTRIGGER_STATE_DIR=/tmp/outrigger-$$\nmkdir -m 700 $OUTRIGGER_STATE_DIR\nREAL \"$@\"\nrm -r $OUTRIGGER_STATE_DIR\n",
        ),
    ] {
        judge(fault, "host.folders", seen, &Way::Fix, |home| wrap(home, text));
    }
}

/// A wrapper that starts the host behind a filter of system calls, each of which answers "not permitted".
fn filtered(calls: &[u32]) -> String {
    let list = calls.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    include_str!("fixtures/filtered.py").replace("CALLS", &list)
}

/// Numbers of x86-64.
#[cfg(target_arch = "x86_64")]
#[test]
fn filters_of_system_calls() {
    // `landlock_create_ruleset`, `openat2`: neither the link nor commands need them.
    for call in [444, 437] {
        let home = Home::new();
        let before = home.tree();
        install(&home);
        wrap(&home, &filtered(&[call]));
        home.give_to_user();
        let diagnosis = home.doctor(&[]);
        assert_eq!(diagnosis["ok"], true, "{call}: {:#?}", findings(&diagnosis));
        named("a filter", &diagnosis, "binary.same", "bin/outrigger");
        home.doctor(&["--fix"]);
        assert_eq!(home.run(&["uninstall"]).code, Some(0));
        assert_eq!(home.tree(), before, "{call}");
    }
    // `clone`, `clone3`; `epoll_create1`; `epoll_ctl`; `pipe2`, `socketpair`.
    for (calls, seen) in [
        (&[56, 435][..], "ulimit -u"),
        (&[291], "nothing to wait with"),
        (&[233], "cannot serve"),
        (&[293, 53], "no pair of sockets"),
    ] {
        judge("a filter", "host.hello", seen, &Way::Fix, |home| wrap(home, &filtered(calls)));
    }
    // The doctor itself may start nothing.
    let mut home = Home::new();
    install(&home);
    let script = home.root().join("filtered.py");
    fs::write(&script, filtered(&[59]).replace("REAL", "")).expect("written");
    home.through = vec!["python3".to_owned(), script.display().to_string()];
    let finding = named("no start", &home.doctor(&[]), "host.start", "its permissions allow it");
    assert!(finding["advice"].as_str().is_some_and(|advice| advice.contains("forbids")), "{finding:#}");
}

/// The link lives, and every command would fail: that is no "ok".
#[cfg(target_arch = "x86_64")]
#[test]
fn hosts_that_can_start_nothing() {
    // `execve`; `setsid` is harmless, and `execveat` is not used.
    let home = Home::new();
    let before = home.tree();
    install(&home);
    wrap(&home, &filtered(&[59]));
    home.give_to_user();
    let diagnosis = home.doctor(&[]);
    let finding = named("a filter", &diagnosis, "exec.start", "Operation not permitted");
    assert!(finding["advice"].as_str().is_some_and(|advice| advice.contains("filter of system calls")));
    let links = diagnosis["browsers"].as_array().expect("list");
    assert!(links.iter().all(|browser| browser["ok"] == true), "{:#?}", findings(&diagnosis));
    assert_eq!(home.doctor(&["--fix"])["ok"], true, "the wrapper is replaced");
    // Whoever wants no commands has nothing to mend.
    wrap(&home, &filtered(&[59]));
    fs::create_dir_all(home.path(".config/outrigger")).expect("folder");
    fs::write(home.path(".config/outrigger/config.toml"), "version = 1\n[exec]\nenabled = false\n")
        .expect("written");
    home.give_to_user();
    assert_eq!(home.doctor(&[])["ok"], true, "{:#?}", findings(&home.doctor(&[])));
    fs::remove_dir_all(home.path(".config/outrigger")).expect("removed");
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

/// What the doctor itself has run out of is no fault of a host.
#[test]
fn doctors_with_few_files() {
    let mut home = Home::installed();
    home.through = ["sh", "-c", "ulimit -n 12; exec \"$@\"", "sh"].map(str::to_owned).to_vec();
    let diagnosis = home.doctor(&[]);
    assert_eq!(diagnosis["ok"], false);
    let found = findings(&diagnosis);
    assert!(found.iter().any(|finding| finding.to_string().contains("ulimit -n")), "{found:#?}");
    for finding in found {
        assert!(!finding.to_string().contains("please report"), "{finding:#}");
    }
}

/// As `sudo` gives them to a host that runs as somebody else: the pipes are another user's, and cannot be opened again by name.
#[test]
fn pipes_of_somebody_else() {
    let home = Home::new();
    let before = home.tree();
    install(&home);
    wrap(
        &home,
        "#!/usr/bin/env python3\nimport os, sys\nos.fchmod(0, 0)\nos.fchmod(1, 0)\nos.execv('REAL', ['outrigger'] + sys.argv[1:])\n",
    );
    home.give_to_user();
    let diagnosis = home.doctor(&[]);
    assert_eq!(diagnosis["ok"], true, "{:#?}", findings(&diagnosis));
    named("other pipes", &diagnosis, "binary.same", "bin/outrigger");
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

#[test]
fn workspaces_that_are_not_what_they_were() {
    type Change = fn(&Path);
    let changes: [(&str, &str, Change); 5] = [
        ("gone", "does not exist", |app| fs::remove_dir(app).expect("removed")),
        ("a file", "is not a folder", |app| {
            fs::remove_dir(app).expect("removed");
            fs::write(app, "").expect("written");
        }),
        ("a link to the system", "leads to `/etc`, a folder of the system", |app| {
            fs::remove_dir(app).expect("removed");
            symlink("/etc", app).expect("link");
        }),
        ("a link to what is running", "a folder of the system", |app| {
            fs::remove_dir(app).expect("removed");
            symlink("/proc/self", app).expect("link");
        }),
        ("behind a closed door", "cannot be looked at", |app| {
            fs::set_permissions(app.parent().expect("folder"), fs::Permissions::from_mode(0o0))
                .expect("mode");
        }),
    ];
    for (fault, seen, change) in changes {
        let home = Home::installed();
        // Two of them: taking one out must work while the other is as wrong.
        let folders = ["app", "other"].map(|name| home.root().join("work").join(name));
        for folder in &folders {
            fs::create_dir_all(folder).expect("folder");
            home.give_to_user();
            assert_eq!(home.run(&["workspace", "add", folder.to_str().expect("text")]).code, Some(0));
        }
        for folder in &folders {
            change(folder);
        }
        for _ in &folders {
            let finding = named(fault, &home.doctor(&[]), "config.valid", seen);
            let fix = finding["fix"].as_str().unwrap_or_else(|| panic!("{fault}: {finding:#}"));
            assert!(fix.contains("workspace remove"), "{fault}: {fix}");
            let said = home.paste(fix);
            assert_eq!(said.code, Some(0), "{fault}: {fix}: {}{}", said.out, said.err);
        }
        let left = findings(&home.doctor(&[]));
        assert!(left.iter().all(|check| check["id"] != "config.valid"), "{fault}: {left:#?}");
    }
}

/// A link to a folder of one's own is a workspace like any other, and where it leads is said.
#[test]
fn a_workspace_behind_a_link() {
    let home = Home::installed();
    let (real, link) = (home.root().join("real"), home.root().join("app"));
    fs::create_dir(&link).expect("folder");
    home.give_to_user();
    assert_eq!(home.run(&["workspace", "add", link.to_str().expect("text")]).code, Some(0));
    fs::rename(&link, &real).expect("moved");
    symlink("real", &link).expect("link");
    home.give_to_user();
    let said = home.run(&["doctor", "--browser", "chrome"]);
    assert!(said.out.contains(&format!("which leads to `{}`", real.display())), "{}", said.out);
}

/// Where `sudo` keeps `HOME`, what an administrator puts there is closed to the user: nothing is put there, and nothing is started.
#[test]
fn an_administrator_in_the_home_of_another() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let home = Home::new();
    let before = home.tree();
    let refused = |args: &[&str]| {
        let said = home.run_as_root(args);
        assert_eq!(said.code, Some(1), "{args:?}: {}", said.out);
        assert!(
            said.err.contains("belongs to another user") && said.err.contains("without `sudo`"),
            "{}",
            said.err
        );
    };
    refused(&["install", "--browser", "chrome,firefox"]);
    refused(&["install", "--browser", "chrome,firefox", "--dry-run"]);
    refused(&["doctor", "--browser", "chrome"]);
    assert_eq!(home.tree(), before);
    install(&home);
    let during = home.tree();
    refused(&["update-launcher"]);
    refused(&["doctor", "--fix", "--browser", "chrome"]);
    assert_eq!(home.tree(), during);
    // What is there may be taken away.
    assert_eq!(home.run_as_root(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

/// A program's last words are evidence, and a report is for strangers.
#[test]
fn reports_without_what_a_program_said_of_somebody() {
    let home = Home::installed();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let words = format!(
        "token {token}, mail Ada.L+x@mail.example.org., key AKIAIOSFODNN7QWERTYU, outrigger@outrigger.dev @ x@ @y a@b"
    );
    wrap(&home, &format!("#!/bin/sh\necho '{words}' >&2\nexit 3\n"));
    let report = home.path("report");
    home.run(&["doctor", "--browser", "chrome", "--report", report.to_str().expect("text")]);
    let text = fs::read_to_string(report).expect("written");
    let line = text.lines().find(|line| line.contains("exit status 3")).unwrap_or_else(|| panic!("{text}"));
    assert!(
        line.contains("mail <address>.,") && line.contains("outrigger@outrigger.dev @ x@ @y a@b"),
        "{line}"
    );
    for secret in [&*token, "AKIAIOSFODNN7QWERTYU", "Ada", "example.org"] {
        assert!(!text.contains(secret), "{secret} in {line}");
    }
}
