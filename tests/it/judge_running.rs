//! Faults of what runs beside a good link, and of what commands need: a browser with a folder of its own, a host of before an update,
//! programs that only this terminal finds, a configuration that cannot be used. And that looking leaves nothing behind.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    faults::findings,
    fresh_home::{Home, Tree, edit, named, walk},
};

const ORIGIN: &str = "chrome-extension://pnkolcdhfekpiodligkdlhfkpkpbpclp/";

/// Ended with the test.
struct Running(Child);

impl Running {
    /// Starts it as a browser or a desktop would; `timeout` stands before it, so the process itself is its child.
    fn start(mut command: Command) -> Self {
        Self(
            command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .expect("starts"),
        )
    }

    fn is_gone_soon(&mut self) -> bool {
        let until = Instant::now() + Duration::from_mins(1);
        while Instant::now() < until {
            if self.0.try_wait().expect("waited").is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

fn put(home: &Home, path: &str, content: impl AsRef<[u8]>, mode: u32) -> std::path::PathBuf {
    let path = home.path(path);
    fs::create_dir_all(path.parent().expect("parent")).expect("folder");
    fs::write(&path, content).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("mode");
    home.give_to_user();
    path
}

fn fix(finding: &Value) -> &str {
    finding["fix"].as_str().unwrap_or_else(|| panic!("a command: {finding:#}"))
}

/// Every browser that runs counts, those of other tests too: of what is found only what is about this folder.
fn whole(home: &Home, more: &[&str]) -> Value {
    home.run(&[&["doctor", "--json"], more].concat()).json()
}

#[test]
fn a_host_of_before_an_update() {
    let home = Home::installed();
    let mut bytes = fs::read(&home.binary).expect("binary");
    bytes.extend_from_slice(b"older");
    let old = put(&home, "old/outrigger", bytes, 0o755);
    let start = || {
        let mut command = home.command(&old);
        command.arg(ORIGIN);
        let host = Running::start(command);
        let until = Instant::now() + Duration::from_mins(1);
        while findings(&home.doctor(&[]), "host.others").is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        host
    };
    let mut host = start();
    let finding = named("F21", &home.doctor(&[]), "host.others", &old.display().to_string());
    assert_eq!((&finding["verdict"], &finding["fixable"]), (&json!("problem"), &json!(true)));
    assert!(
        home.run(&["doctor", "--browser", "chrome"])
            .out
            .contains("There is a problem, although the browser reaches outrigger.")
    );
    assert_eq!(home.paste(fix(&finding)).code, Some(0));
    assert!(host.is_gone_soon());
    assert_eq!(home.doctor(&[])["ok"], true);

    // It is what Firefox starts: a look at Chrome alone does not take it for an old one, nor end it.
    let mut host = start();
    let good = fs::read(home.firefox()).expect("there");
    edit(&home.firefox(), |manifest| manifest["path"] = old.to_str().into());
    let after = home.run(&["doctor", "--json", "--fix", "--browser", "chrome"]).json();
    assert_eq!((&after["ok"], findings(&after, "host.others")), (&json!(true), Vec::new()), "{after:#}");
    assert!(host.0.try_wait().expect("looked").is_none());
    fs::write(home.firefox(), good).expect("written");
    let after = home.doctor(&["--fix"]);
    assert_eq!((&after["ok"], &after["mended"][0]["id"]), (&json!(true), &json!("host.others")), "{after:#}");
    assert!(host.is_gone_soon());
}

/// What it has under way would end with it: that is for its user to decide.
#[test]
fn a_host_with_a_command_stays() {
    let home = Home::installed();
    // Its name and its first word are those of a host for Firefox.
    let script = put(&home, "old/dev.outrigger.host.json", "sleep 300; true\n", 0o644);
    let mut command = home.command(Path::new("/bin/sh"));
    command.arg(&script);
    let mut host = Running::start(command);
    let until = Instant::now() + Duration::from_mins(1);
    let after = loop {
        let after = home.doctor(&["--fix"]);
        if after["mended"].as_array().is_some_and(|mended| !mended.is_empty()) || Instant::now() > until {
            break after;
        }
    };
    assert_eq!(after["ok"], false);
    let words = after["mended"][0]["error"].as_str().expect("why not");
    assert!(words.contains("a command that it started still runs"), "{words}");
    assert!(host.0.try_wait().expect("looked").is_none());
    let finding = named("F21, with a command", &after, "host.others", "/bin/");
    assert_eq!(home.paste(fix(&finding)).code, Some(0));
    assert!(host.is_gone_soon());
}

#[test]
fn a_browser_with_a_folder_of_its_own() {
    let home = Home::installed();
    let folder = home.path("my profile");
    fs::create_dir(&folder).expect("folder");
    let program = put(&home, "opt/chromium", fs::read("/bin/sh").expect("shell"), 0o755);
    let start = |home_of_it: &Path| {
        let mut command = home.command(&program);
        command.env("HOME", home_of_it).args(["-c", "read never"]);
        Running::start({
            command.arg(format!("--user-data-dir={}", folder.display()));
            command
        })
    };
    let seen = folder.display().to_string();
    let ours = |diagnosis: &Value| {
        let found = findings(diagnosis, "browser.profile");
        found.into_iter().find(|check| check.to_string().contains(&seen))
    };
    let wait = || {
        let until = Instant::now() + Duration::from_mins(1);
        loop {
            let diagnosis = whole(&home, &[]);
            match ours(&diagnosis) {
                Some(finding) => break (finding, diagnosis),
                None => assert!(Instant::now() < until, "{diagnosis:#}"),
            }
        }
    };
    // Somebody else's, who has another home folder.
    let other = Running::start({
        let mut command = home.command(&program);
        command.env("HOME", home.root()).args(["-c", "read never"]);
        command.arg(format!("--user-data-dir={}", folder.display()));
        command
    });
    assert_eq!(wait().0["verdict"], "warning");
    drop(other);
    let browser = start(&home.path(""));
    let (finding, diagnosis) = wait();
    assert_eq!((&finding["verdict"], &diagnosis["ok"]), (&json!("problem"), &json!(false)));
    assert!(fix(&finding).ends_with(&format!("install --user-data-dir '{seen}'")), "{finding:#}");
    let after = whole(&home, &["--fix"]);
    assert!(ours(&after).is_none(), "{after:#}");
    assert_eq!(after["mended"][0]["error"], json!(null), "{after:#}");
    let is_it = |browser: &&Value| browser["browser"] == *seen;
    let found = after["browsers"].as_array().expect("list").iter().find(is_it).expect("examined").clone();
    assert_eq!(found["ok"], true, "{found:#}");
    drop(browser);
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert!(!folder.join("NativeMessagingHosts").exists());
}

/// Of a product that wants our extension: what is put aside no browser reads.
#[test]
fn a_host_of_somebody_else_that_our_extension_may_start() {
    let home = Home::installed();
    let mut manifest: Value = serde_json::from_slice(&fs::read(home.chrome()).expect("there")).expect("JSON");
    manifest["name"] = "com.example.other".into();
    let rival = home.chrome().with_file_name("com.example.other.json");
    fs::write(&rival, manifest.to_string()).expect("written");
    home.give_to_user();
    let finding = named("F14", &home.doctor(&[]), "manifest.rival", "com.example.other.json");
    assert_eq!(finding["verdict"], "problem");
    let table = home.run(&["status", "--json"]).json();
    assert!(!table.to_string().contains("damaged"), "{table:#}");
    assert_eq!(home.paste(fix(&finding)).code, Some(0));
    assert_eq!(home.doctor(&[])["ok"], true);
    assert!(rival.with_file_name("com.example.other.json.old").exists());
}

#[test]
fn programs_that_only_this_terminal_finds() {
    let mut home = Home::installed();
    put(&home, "tools here/mytool", "#!/bin/sh\n", 0o755);
    let config = "version = 1\n[exec]\nenabled = true # mine\n[[command]]\nid = \"mine\"\nsummary = \"of mine\"\nprogram = \"mytool\"\nargs = []\npositional = \"none\"\n";
    put(&home, ".config/outrigger/config.toml", config, 0o600);
    let finding = named("F25, nowhere", &home.doctor(&[]), "exec.programs", "mytool");
    assert_eq!(finding["verdict"], "problem");
    assert!(finding["advice"].as_str().expect("advice").starts_with("not possible from here for `mytool`"));
    home.variables.push(("PATH", format!("{}:/usr/bin:/bin", home.path("tools here").display())));
    let diagnosis = home.doctor(&[]);
    let finding = named("F25", &diagnosis, "exec.programs", "and this terminal has ");
    assert_eq!(diagnosis["ok"], false);
    let said = home.paste(fix(&finding));
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(home.doctor(&[])["ok"], true);
    let text = fs::read_to_string(home.path(".config/outrigger/config.toml")).expect("there");
    assert!(text.contains("enabled = true # mine\n"), "{text}");
    let again = home.run(&["config", "add-path", home.path("tools here").to_str().expect("text")]);
    assert_eq!((again.code, again.out.contains("there already")), (Some(0), true));
    assert_eq!(fs::read_to_string(home.path(".config/outrigger/config.toml")).expect("there"), text);
    for (folder, reason) in
        [("nowhere", "it is no folder"), (".config/outrigger/config.toml", "it is no folder")]
    {
        let said = home.run(&["config", "add-path", home.path(folder).to_str().expect("text")]);
        assert_eq!((said.code, said.err.contains(reason)), (Some(1), true), "{}", said.err);
    }
    put(&home, ".config/outrigger/config.toml", "", 0o600);
    fs::rename(home.path(".config/outrigger/config.toml"), home.path(".config/outrigger/config.yaml"))
        .expect("renamed");
    fs::write(home.path(".config/outrigger/config.yaml"), "version: 1\n").expect("written");
    let said = home.run(&["config", "add-path", home.path("tools here").to_str().expect("text")]);
    assert!(said.err.contains("under `exec:`\n  path:\n    - "), "{}", said.err);
}

#[test]
fn git_that_only_this_terminal_finds() {
    let hide = r#"for git in /usr/local/bin/git /usr/bin/git; do if [ -e "$git" ]; then mount --bind /dev/null "$git"; fi; done"#;
    let Some(mut home) = Home::with_disks(hide) else { return };
    assert_eq!(home.run(&["install", "--browser", "chrome,firefox"]).code, Some(0));
    put(&home, "tools/git", "#!/bin/sh\n", 0o755);
    home.variables.push(("PATH", format!("{}:/usr/bin:/bin", home.path("tools").display())));
    // Without commands nothing of ours needs it.
    put(&home, ".config/outrigger/config.toml", "version = 1\n[exec]\nenabled = false\n", 0o600);
    let diagnosis = home.doctor(&[]);
    assert_eq!(diagnosis["ok"], true, "{diagnosis:#}");
    put(&home, ".config/outrigger/config.toml", "version = 1\n", 0o600);
    let finding = named("F25, git", &home.doctor(&[]), "exec.programs", "git_sync");
    assert_eq!(finding["verdict"], "problem");
    assert_eq!(home.paste(fix(&finding)).code, Some(0));
    assert_eq!(home.doctor(&[])["ok"], true);
}

#[test]
fn configurations_that_cannot_be_used() {
    let broken: [(&str, &str); 3] = [
        ("config.toml", "version = 1\n[[workspac]]\n"),
        ("config.toml", "version = "),
        ("config.yaml", "version: [1\n"),
    ];
    for (name, text) in broken {
        let home = Home::installed();
        let file = put(&home, &format!(".config/outrigger/{name}"), text, 0o600);
        let finding = named("F31", &home.doctor(&[]), "config.valid", name);
        assert_eq!(finding["verdict"], "problem");
        assert_eq!(home.paste(fix(&finding)).code, Some(0));
        assert_eq!(home.doctor(&[])["ok"], true);
        let kept = fs::read_to_string(file.with_added_extension("old")).expect("kept");
        assert_eq!(kept, text);
    }
    // What a hint quotes is a command only where it is one.
    for text in [r#"["[a"]"#, r#"[""]"#, r#"["!nope.zzz"]"#] {
        let home = Home::installed();
        put(
            &home,
            ".config/outrigger/config.toml",
            format!("version = 1\n[files]\nblocked = {text}\n"),
            0o600,
        );
        let finding = named("F31, glob", &home.doctor(&[]), "config.valid", "config.toml");
        assert_eq!(home.paste(fix(&finding)).code, Some(0), "{finding:#}");
        assert_eq!(home.doctor(&[])["ok"], true);
    }
    // A name that no configuration has is mended where the variable is set.
    let mut home = Home::installed();
    let file = put(&home, "cfg.json", "{}", 0o600);
    home.variables.push(("OUTRIGGER_CONFIG", file.display().to_string()));
    let finding = named("F31, ending", &home.doctor(&[]), "config.valid", "cfg.json");
    assert!(finding["fix"].is_null(), "{finding:#}");
    assert!(finding["advice"].as_str().expect("advice").starts_with("not possible from here"), "{finding:#}");
    // One that a variable names has to be there.
    for (name, text) in
        [("mine.toml", Some("version = ")), ("mine.yaml", Some("a: [")), ("further/mine.toml", None)]
    {
        let mut home = Home::installed();
        let file = home.path("cfg").join(name);
        fs::create_dir(home.path("cfg")).expect("folder");
        home.give_to_user();
        if let Some(text) = text {
            put(&home, &format!("cfg/{name}"), text, 0o600);
        }
        home.variables.push(("OUTRIGGER_CONFIG", file.display().to_string()));
        let finding = named("F31, named", &home.doctor(&[]), "config.valid", name);
        let said = home.paste(fix(&finding));
        assert_eq!(said.code, Some(0), "{}: {}", fix(&finding), said.err);
        assert_eq!(findings(&home.doctor(&[]), "config.valid"), [json!(null); 0]);
    }
    let home = Home::installed();
    put(&home, ".config/outrigger/config.toml", "version = 1\n", 0o600);
    put(&home, ".config/outrigger/config.yml", "version: 1\n", 0o600);
    let finding = named("F31, several", &home.doctor(&[]), "config.valid", "several configurations");
    assert_eq!(home.paste(fix(&finding)).code, Some(0));
    assert_eq!(home.doctor(&[])["ok"], true);
    assert!(home.path(".config/outrigger/config.toml").exists());
}

/// Hosts are tried without a trace, whether they find a state folder or not.
#[test]
fn looking_leaves_nothing() {
    let home = Home::new();
    let before = home.tree();
    home.doctor(&[]);
    assert_eq!(home.tree(), before, "before anything was installed");
    assert_eq!(home.run(&["install", "--browser", "chrome,firefox"]).code, Some(0));
    let installed = home.tree();
    let diagnosis = home.doctor(&[]);
    assert_eq!(diagnosis["ok"], true, "{diagnosis:#}");
    assert_eq!(home.tree(), installed, "beside a good link");
    home.doctor(&["--fix"]);
    assert_eq!(home.tree(), installed, "with nothing to mend");
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

/// A doctor that is on its way while everything goes brings nothing back.
#[test]
fn a_doctor_beside_an_uninstallation() {
    for round in 0..6 {
        let home = Home::small();
        let before = home.tree();
        assert_eq!(home.run(&["install", "--browser", "chrome,firefox"]).code, Some(0));
        let mut doctor = home.command(&home.binary);
        let doctor = doctor.args(["doctor", "--browser", "chrome,firefox"]).stdout(Stdio::null()).spawn();
        let mut doctor = doctor.expect("starts");
        std::thread::sleep(Duration::from_millis(30 * round));
        assert_eq!(home.run(&["uninstall"]).code, Some(0));
        assert!(doctor.wait().is_ok());
        assert_eq!(home.tree(), before, "after {} ms", 30 * round);
    }
}

/// For everybody, and behind a folder that only an administrator looks into.
#[test]
fn a_folder_for_everybody_that_is_closed() {
    let script = "mkdir -p /etc/opt && mount -t tmpfs -o mode=755 none /etc/opt && mkdir -p /etc/opt/chrome/native-messaging-hosts";
    let Some(home) = Home::with_disks(script) else { return };
    assert_eq!(home.run(&["install", "--browser", "chrome"]).code, Some(0));
    let text = fs::read(home.chrome()).expect("there");
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    let folder = home.behind(Path::new("/etc/opt/chrome/native-messaging-hosts"));
    let manifest = folder.join(crate::machine::MANIFEST);
    let mut file = OpenOptions::new().create_new(true).write(true).open(&manifest).expect("made");
    file.write_all(&text).expect("written");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("mode");
    let diagnosis = home.run(&["doctor", "--json", "--browser", "chrome"]).json();
    let finding = named("F34, the folder", &diagnosis, "manifest.readable", "native-messaging-hosts");
    assert_eq!(fix(&finding), "sudo chmod a+rx /etc/opt/chrome/native-messaging-hosts");
    assert_eq!(home.paste(fix(&finding)).code, Some(0));
    let diagnosis = home.run(&["doctor", "--json", "--browser", "chrome"]).json();
    assert_eq!(findings(&diagnosis, "manifest.readable"), [json!(null); 0], "{diagnosis:#}");
}

/// A folder goes as a whole or not at all: what nobody may take away, or nobody may take out of its folder, is named first.
#[test]
fn a_folder_with_something_that_stays() {
    let home = Home::installed();
    put(&home, "w/d/below/b", "b\n", 0o644);
    put(&home, "w/d/c", "c\n", 0o644);
    let config =
        format!("version = 1\n[[workspace]]\nid = \"ws\"\npath = \"{}\"\n", home.path("w").display());
    put(&home, ".config/outrigger/config.toml", config, 0o600);
    let names = || {
        let mut tree = Tree::new();
        walk(&home.path("w"), &mut tree);
        tree.into_keys().collect::<Vec<_>>()
    };
    let before = names();
    let delete =
        || home.run(&["call", "--yes=individual", "--json", "fs_delete", "path=d", "recursive=true"]).json();
    let refused = |named: &str| {
        let answer = delete();
        assert_eq!(
            (&answer["ok"], &answer["code"]),
            (&json!(false), &json!("permission_denied")),
            "{answer:#}"
        );
        let words = answer["message"].as_str().expect("words");
        assert!(words.contains(named), "{words}");
        assert_eq!(names(), before);
    };
    let below = home.path("w/d/below");
    fs::set_permissions(&below, fs::Permissions::from_mode(0o555)).expect("mode");
    refused("`d/below`");
    fs::set_permissions(&below, fs::Permissions::from_mode(0o755)).expect("mode");
    let sealed = |how: &str| {
        Command::new("chattr").arg(how).arg(below.join("b")).status().is_ok_and(|status| status.success())
    };
    // Where this machine can do that.
    if sealed("+i") {
        refused("`d/below/b`");
        assert!(sealed("-i"));
    }
    assert_eq!(delete()["ok"], true);
    assert!(!home.path("w/d").exists());
}

/// Whoever waits no longer is left with nothing: neither the host that hangs, nor what was made for it, nor a finding from half a look.
#[test]
fn a_look_that_is_stopped() {
    let mut home = Home::installed();
    let scratch = home.path("scratch");
    fs::create_dir(&scratch).expect("folder");
    home.variables.push(("TMPDIR", scratch.display().to_string()));
    let started = home.path("started");
    let script =
        format!("#!/bin/sh\nsleep 300 &\necho $! > {0}.new\nmv {0}.new {0}\nwait\n", started.display());
    let hangs = put(&home, "old/hangs", script, 0o755);
    edit(&home.chrome(), |manifest| manifest["path"] = hangs.to_str().into());
    let (manifest, before) = (fs::read(home.chrome()).expect("there"), home.tree());
    for (signal, code, more) in [("INT", 130, "--fix"), ("TERM", 143, "--json")] {
        let mut command = home.command(&home.binary);
        command.args(["doctor", more]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let doctor = command.spawn().expect("starts");
        let until = Instant::now() + Duration::from_mins(1);
        while !started.exists() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        let sleeper = fs::read_to_string(&started).expect("started");
        let kill = Command::new("kill").args(["-s", signal, &doctor.id().to_string()]).status();
        assert!(kill.expect("kill").success());
        let said = doctor.wait_with_output().expect("waited");
        let words = [said.stdout, said.stderr].concat();
        let words = String::from_utf8_lossy(&words);
        assert_eq!(said.status.code(), Some(code), "{words}");
        assert!(words.contains("stopped") && !words.contains("chrome"), "{words}");
        let left = fs::read(Path::new("/proc").join(sleeper.trim()).join("cmdline")).unwrap_or_default();
        assert!(left.is_empty(), "{signal}: the host is still there");
        fs::remove_file(&started).expect("removed");
        assert_eq!(
            (fs::read(home.chrome()).expect("there"), home.tree()),
            (manifest.clone(), before.clone())
        );
    }
}

/// A look within a look would have no end.
#[test]
fn a_doctor_that_starts_itself() {
    let home = Home::installed();
    let count = home.path("count");
    let line = format!("echo x >> {}\nexec {} doctor\n", count.display(), home.binary.display());
    let again = put(&home, "again", format!("#!/bin/sh\n{line}"), 0o755);
    for manifest in [home.chrome(), home.firefox()] {
        edit(&manifest, |manifest| manifest["path"] = again.to_str().into());
    }
    put(&home, "count", "", 0o666);
    let diagnosis = home.doctor(&[]);
    let finding = named("itself", &diagnosis, "host.hello", "runs `outrigger doctor` in the host's place");
    assert_eq!(finding["verdict"], "problem");
    assert_eq!(fs::read_to_string(&count).expect("there"), "x\n".repeat(2));

    // The same where no temporary folder can be made for what is only looked at.
    let mut home = Home::installed();
    home.variables.push(("TMPDIR", "/nowhere".to_owned()));
    let count = put(&home, "count", "", 0o666);
    let line = format!("echo x >> {}\nexec {} doctor\n", count.display(), home.binary.display());
    let again = put(&home, "again", format!("#!/bin/sh\n{line}"), 0o755);
    for manifest in [home.chrome(), home.firefox()] {
        edit(&manifest, |manifest| manifest["path"] = again.to_str().into());
    }
    let said = home.run(&["doctor", "--browser", "chrome,firefox"]);
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(fs::read_to_string(&count).expect("there").len() <= "x\n".len() * 2);

    // Nor does a shell that is asked for its `PATH`, whose start-up files do so.
    let mut home = Home::installed();
    home.variables.push(("SHELL", "/bin/sh".to_owned()));
    let count = put(&home, "count", "", 0o666);
    let config = "version = 1\n[[command]]\nid = \"mine\"\nsummary = \"of mine\"\nprogram = \"mytool\"\nargs = []\npositional = \"none\"\n";
    put(&home, ".config/outrigger/config.toml", config, 0o600);
    let line = format!("echo x >> {}\n{} doctor\n", count.display(), home.binary.display());
    put(&home, ".profile", line, 0o644);
    named("the shell", &home.doctor(&[]), "exec.programs", "mytool");
    let starts = fs::read_to_string(&count).expect("there").len() / 2;
    assert!((1..=4).contains(&starts), "{starts}");
}

#[test]
fn what_only_others_may_do_with_the_program_or_the_record() {
    let home = Home::installed();
    let copies = fs::read_dir(home.program("versions")).expect("folder");
    let copy = copies.flatten().next().expect("copy").path().join("outrigger");
    for (mode, id, seen) in [
        (0o655, "binary.executable", "no execute permission for you"),
        (0o111, "binary.same", "Permission denied"),
    ] {
        fs::set_permissions(&copy, fs::Permissions::from_mode(mode)).expect("mode");
        let finding = named("its mode", &home.doctor(&[]), id, seen);
        assert_eq!(home.paste(fix(&finding)).code, Some(0), "{finding:#}");
        assert_eq!(home.doctor(&[])["ok"], true);
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).expect("mode");
    }
    let state = home.path(".local/state/outrigger");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o300)).expect("mode");
    let finding =
        named("not to be listed", &home.doctor(&[]), "state.folder", "closed by its own permissions");
    assert_eq!(home.paste(fix(&finding)).code, Some(0));
    assert_eq!(home.doctor(&[])["ok"], true);
    let record = home.state("installed.json");
    fs::remove_file(&record).expect("removed");
    std::os::unix::fs::symlink("installed.json", &record).expect("link");
    let finding = named("a record in a circle", &home.doctor(&[]), "state.record", "installed.json");
    assert_eq!(home.paste(fix(&finding)).code, Some(0), "{finding:#}");
    assert_eq!(home.doctor(&[])["ok"], true);
}

/// What a closed folder above hides may be a folder of policies.
#[test]
fn policies_below_a_closed_folder_are_told() {
    let Some(home) = Home::with_disks("mount -t tmpfs -o mode=000 none /etc/opt") else { return };
    let said = home.run(&["install", "--browser", "chrome,firefox"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    let said = home.doctor(&[]);
    let finding = named("closed policies", &said, "policy.readable", "/etc/opt/chrome/policies");
    assert_eq!(finding["verdict"], "warning", "{finding:#}");
    assert_eq!(said["ok"], true, "{said:#}");
}
