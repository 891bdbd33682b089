//! Faults of real machines, each seeded into one that was right: the doctor names it, shows what it saw, says what mends it, and
//! mends it where it can. What is nowhere on the list must not be called right either.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
    process::Command,
    time::Duration,
};

use outrigger::{
    cli::report::Exit,
    install::{Os, doctor::Limits},
};
use serde_json::{Value, json};

use crate::machine::{MANIFEST, Machine};

pub const PATIENT: Limits = Limits { answer: Duration::from_mins(1), exit: Duration::from_mins(1) };
const BROWSERS: &[&str] = &[".config/google-chrome/Default", ".mozilla/firefox/abc.default"];

/// Chrome and Firefox with a good link to a good host.
pub fn good_machine() -> Machine {
    let mut machine = Machine::with_host("good");
    machine.limits = PATIENT;
    machine.has_browsers(BROWSERS);
    assert_eq!(machine.install("").exit, Exit::Done);
    machine
}

/// All checks with this id that are not right.
pub fn findings(diagnosis: &Value, id: &str) -> Vec<Value> {
    let of_browsers =
        diagnosis["browsers"].as_array().expect("list").iter().map(|browser| &browser["checks"]);
    of_browsers
        .chain([&diagnosis["general"]])
        .flat_map(|checks| checks.as_array().expect("list"))
        .filter(|check| check["id"] == id && check["verdict"] != "ok" && check["verdict"] != "not_checked")
        .cloned()
        .collect()
}

/// The one finding of a fault: it has evidence and one thing to do, and keeps the whole from being called right if it is a problem.
pub fn named(machine: &Machine, fault: &str, id: &str, seen: &str) -> Value {
    let said = machine.doctor("--json");
    let diagnosis = said.json();
    let found = findings(&diagnosis, id);
    assert!(!found.is_empty(), "{fault}: {diagnosis:#}");
    let finding = &found[0];
    let words = finding.to_string();
    assert!(words.contains(seen), "{fault}: {seen} in {finding:#}");
    assert!(finding["evidence"].is_string(), "{fault}: {finding:#}");
    assert!(finding["fix"].is_string() || finding["advice"].is_string(), "{fault}: {finding:#}");
    // Those of the list: one command, or why there is none; and never is all of it called right.
    if fault.starts_with('F') {
        let why_not = finding["advice"].as_str().is_some_and(|advice| advice.starts_with("not possible"));
        assert!(finding["fix"].is_string() || why_not, "{fault}: {finding:#}");
        // A lock is held as long as somebody lives who works; a browser of Linux works beside those of Windows.
        let is_no_fault_yet = ["F29, a lock", "F30, beside"].contains(&fault);
        assert!(is_no_fault_yet || (said.exit, &diagnosis["ok"]) != (Exit::Done, &json!(true)), "{fault}");
    }
    if finding["verdict"] == "problem" {
        assert_eq!((said.exit, &diagnosis["ok"]), (Exit::Problems, &json!(false)), "{fault}");
    }
    finding.clone()
}

/// Seeds a fault, sees it named, lets the doctor mend it, and sees it gone.
fn mended(fault: &str, id: &str, seen: &str, seed: impl Fn(&Machine)) {
    let machine = good_machine();
    assert_eq!(machine.doctor("").exit, Exit::Done, "the machine is right before {fault}");
    seed(&machine);
    let finding = named(&machine, fault, id, seen);
    assert_eq!(finding["fixable"], true, "{fault}: {finding:#}");
    assert!(finding["fix"].is_string(), "{fault}: {finding:#}");
    let after = machine.doctor("--fix --json").json();
    assert_eq!(after["ok"], true, "{fault}: {after:#}");
    assert!(!after["mended"].as_array().expect("list").is_empty(), "{fault}");
    assert_eq!(findings(&after, id), [json!(null); 0], "{fault}");
}

/// Seeds a fault that the doctor cannot mend by itself.
pub fn told(fault: &str, id: &str, seen: &str, seed: impl Fn(&mut Machine)) -> Value {
    let mut machine = good_machine();
    seed(&mut machine);
    named(&machine, fault, id, seen)
}

pub fn edit(path: &Path, change: impl Fn(&mut Value)) {
    let mut manifest: Value = serde_json::from_slice(&fs::read(path).expect("there")).expect("JSON");
    change(&mut manifest);
    fs::write(path, manifest.to_string()).expect("written");
}

pub fn put(path: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().expect("parent")).expect("folder");
    fs::write(path, content).expect("written");
}

#[test]
fn faults_of_manifests() {
    let origin = "chrome-extension://pnkolcdhfekpiodligkdlhfkpkpbpclp";
    mended("F01", "manifest.present", "missing: ", |machine| {
        fs::remove_file(machine.chrome()).expect("removed");
    });
    mended("F02", "manifest.shadowed", "hides", |machine| {
        let system = machine.environment.system_path("/etc/opt/chrome/native-messaging-hosts").join(MANIFEST);
        put(&system, fs::read(machine.chrome()).expect("there"));
        fs::write(machine.chrome(), "{").expect("written");
    });
    mended("F03", "manifest.keys", "allowed_origins", |machine| {
        edit(&machine.firefox(), |manifest| manifest["allowed_origins"] = json!([format!("{origin}/")]));
    });
    for entry in
        [origin.to_owned(), "chrome-extension://*/".to_owned(), format!("{}/", origin.to_uppercase())]
    {
        mended("F04", "manifest.allowed", &entry, |machine| {
            edit(&machine.chrome(), |manifest| {
                manifest["allowed_origins"].as_array_mut().expect("list").push(json!(entry));
            });
        });
    }
    mended("F05", "manifest.allowed", "is not in", |machine| {
        let other = json!(["chrome-extension://abcdefghijklmnopabcdefghijklmnop/"]);
        edit(&machine.chrome(), |manifest| manifest["allowed_origins"] = other.clone());
    });
    mended("F11", "manifest.name", "Dev.outrigger.host", |machine| {
        edit(&machine.chrome(), |manifest| manifest["name"] = "Dev.outrigger.host".into());
    });
    mended("F11, the file", "manifest.present", "missing", |machine| {
        fs::rename(machine.chrome(), machine.chrome().with_file_name("Dev.Outrigger.Host.json"))
            .expect("renamed");
    });
}

#[test]
fn faults_of_programs() {
    mended("F07", "binary.exists", "No such file", |machine| {
        edit(&machine.chrome(), |manifest| manifest["path"] = "/nowhere/versions/0.0.1/outrigger".into());
    });
    mended("F08", "binary.exists", "it is a link to", |machine| {
        let link = machine.root().join("bin/latest");
        symlink("versions/9", &link).expect("link");
        edit(&machine.chrome(), |manifest| manifest["path"] = link.to_str().expect("text").into());
    });
    mended("F09", "binary.executable", "no execute permission", |machine| {
        let plain = fs::Permissions::from_mode(0o644);
        fs::set_permissions(&machine.environment.binary, plain).expect("mode");
    });
    // Whatever else a manifest names may be somebody's own: it is left as it is, and the manifest names outrigger again.
    for (mode, seen) in [(0o600, "no execute permission"), (0o4755, "setuid")] {
        let machine = good_machine();
        let file = machine.root().join("bin/plain");
        put(&file, "#!/bin/sh\n");
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("mode");
        edit(&machine.chrome(), |manifest| manifest["path"] = file.to_str().expect("text").into());
        named(&machine, "F09, of something else", "binary.executable", seen);
        assert_eq!(machine.doctor("--fix --json").json()["ok"], true);
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o7777, mode);
    }
    let machine = good_machine();
    let folder = machine.root().join("shared");
    put(&folder.join("plain"), "#!/bin/sh\n");
    for (path, mode) in [(folder.join("plain"), 0o755), (folder.clone(), 0o777)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("mode");
    }
    edit(&machine.chrome(), |manifest| {
        manifest["path"] = folder.join("plain").to_str().expect("text").into();
    });
    named(&machine, "a folder of something else", "binary.folder", "writable for everyone");
    assert_eq!(machine.doctor("--fix --json").json()["ok"], true);
    assert_eq!(fs::metadata(&folder).expect("there").permissions().mode() & 0o7777, 0o777);
    mended("F10, relative", "manifest.path", "outrigger", |machine| {
        edit(&machine.chrome(), |manifest| manifest["path"] = "outrigger".into());
    });
    mended("F10, a folder", "binary.regular", "it is a folder", |machine| {
        edit(&machine.chrome(), |manifest| manifest["path"] = "/usr".into());
    });
}

#[test]
fn faults_of_the_registry() {
    let key =
        |hive: &str| format!("{hive}\\Software\\Google\\Chrome\\NativeMessagingHosts\\dev.outrigger.host");
    let windows = || {
        let mut machine = Machine::windows();
        machine.limits = PATIENT;
        machine.has_browsers(&["AppData/Local/Google/Chrome/User Data/Default"]);
        assert_eq!(machine.install("").exit, Exit::Done);
        machine
    };
    let machine = windows();
    let ours = machine.registry()[key("HKCU")].as_str().expect("text").to_owned();
    let other = machine.root().join("other.json");
    put(&other, "{}");
    machine.set_registry(&json!({key("HKLM"): ours, format!("32:{}", key("HKLM")): other}));
    let finding = named(&machine, "F12", "registry.shadowed", "hides");
    assert!(finding["fix"].as_str().expect("fix").contains("/reg:32"), "{finding:#}");
    let machine = windows();
    let ours = machine.registry()[key("HKCU")].clone();
    machine.set_registry(&json!({key("HKCU"): "C:\\Users\\ada\\gone.json"}));
    named(&machine, "F13", "registry.value", "gone.json");
    machine.doctor("--fix");
    assert_eq!(machine.registry()[key("HKCU")], ours);
    assert!(findings(&machine.doctor("--json").json(), "registry.value").is_empty());
    machine.set_registry(&json!({}));
    named(&machine, "F01 on Windows", "registry.value", "missing: HKCU");
}

#[test]
fn faults_of_neighbours_and_administrators() {
    // Browsers overlook a byte order mark.
    for mark in ["", "\u{feff}"] {
        told("F14", "manifest.rival", "com.example.other", |machine| {
            let rival = machine.chrome().with_file_name("com.example.other.json");
            let mut manifest: Value =
                serde_json::from_slice(&fs::read(machine.chrome()).expect("there")).expect("JSON");
            manifest["name"] = "com.example.other".into();
            put(&rival, format!("{mark}{manifest}"));
        });
    }
    let policy = |machine: &Machine, name: &str, policies: Value| {
        let folder = machine.environment.system_path("/etc/opt/chrome/policies/managed");
        put(&folder.join(name), policies.to_string());
    };
    let finding = told("F15", "policy.user_level", "NativeMessagingUserLevelHosts", |machine| {
        policy(machine, "a.json", json!({"NativeMessagingUserLevelHosts": false}));
    });
    let fix = finding["fix"].as_str().expect("fix");
    assert!(fix.starts_with("sudo ") && fix.ends_with("install --browser chrome --scope system"), "{fix}");
    // The hosts of others in the system's folder are none of ours: no finding says to install for the user.
    let machine = good_machine();
    policy(&machine, "a.json", json!({"NativeMessagingUserLevelHosts": false}));
    let folder = machine.environment.system_path("/etc/opt/chrome/native-messaging-hosts");
    put(&folder.join("com.example.other.json"), "{}");
    let diagnosis = machine.doctor("--json").json();
    for id in ["policy.user_level", "manifest.present"] {
        let found = findings(&diagnosis, id);
        let fix = found[0]["fix"].as_str().expect("fix");
        assert!(fix.ends_with("install --browser chrome --scope system"), "{fix}");
    }
    machine.doctor("--fix");
    assert_ne!(machine.doctor("").exit, Exit::Done);
    let finding = told("F16", "policy.allowed", "NativeMessagingBlocklist", |machine| {
        policy(machine, "a.json", json!({"NativeMessagingBlocklist": ["*"]}));
    });
    // What it says mends it, written to the folder that it names.
    let pasted = |machine: &Machine, finding: &Value| {
        let fix = finding["fix"].as_str().expect("fix").replace("sudo ", "");
        let fix = fix.replace("/m/", &format!("{}/", machine.root().display()));
        assert!(Command::new("sh").arg("-c").arg(&fix).output().expect("sh").status.success(), "{fix}");
    };
    let machine = good_machine();
    policy(&machine, "a.json", json!({"NativeMessagingBlocklist": ["*"]}));
    pasted(&machine, &finding);
    assert_eq!(machine.doctor("").exit, Exit::Done);
    // A list of somebody else keeps what is in it, and counts less than the one that is written behind it.
    for name in ["a.json", "zz.json", "outrigger.json"] {
        let machine = good_machine();
        let list =
            json!({"NativeMessagingBlocklist": ["*"], "NativeMessagingAllowlist": ["com.example.it's"]});
        policy(&machine, name, list.clone());
        let finding = named(&machine, "F16, with a list", "policy.allowed", "com.example.it");
        pasted(&machine, &finding);
        assert_eq!(machine.doctor("").exit, Exit::Done, "{name}");
        let folder = machine.environment.system_path("/etc/opt/chrome/policies/managed");
        assert_eq!(fs::read_to_string(folder.join(name)).expect("there"), list.to_string());
        let written = fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path());
        let written = written.max().expect("two files");
        let policies: Value = serde_json::from_slice(&fs::read(written).expect("there")).expect("JSON");
        assert_eq!(policies["NativeMessagingAllowlist"], json!(["com.example.it's", "dev.outrigger.host"]));
    }
    told("an extension that is blocked", "policy.extension", "ExtensionInstallBlocklist", |machine| {
        policy(machine, "b.json", json!({"ExtensionInstallBlocklist": ["*"]}));
    });
}

/// For everybody one program, for this person another: which one the browser takes is said, and an old one is never right.
#[test]
fn faults_of_two_scopes() {
    let for_all = "--scope system --browser chrome,firefox";
    let both = |old_is_own: bool| {
        let machine = good_machine();
        assert_eq!(machine.install(for_all).exit, Exit::Done);
        assert_eq!(machine.doctor("").exit, Exit::Done);
        assert_eq!(machine.doctor(for_all).exit, Exit::Done);
        let old = machine.root().join("bin/other_version");
        let script = "{ cat \"$0\"; echo '# before'; } >\"$1\" && chmod 755 \"$1\"";
        let made =
            Command::new("sh").args(["-c", script]).arg(&machine.environment.binary).arg(&old).status();
        assert!(made.expect("sh").success());
        let system = machine.environment.system_path("/etc/opt/chrome/native-messaging-hosts").join(MANIFEST);
        let manifest = if old_is_own { machine.chrome() } else { system };
        edit(&manifest, |manifest| manifest["path"] = json!(old));
        machine
    };
    let check = |machine: &Machine, args: &str, id: &str, seen: &[&str]| {
        let said = machine.doctor(&format!("{args} --json"));
        let found = findings(&said.json(), id);
        let finding = found.first().unwrap_or_else(|| panic!("{args}: {:#}", said.json()));
        for words in seen {
            assert!(finding["evidence"].as_str().expect("evidence").contains(words), "{words}: {finding:#}");
        }
        (said.exit, finding.clone())
    };

    let machine = both(true);
    let (exit, _) = check(&machine, "", "host.version", &["0.0.1"]);
    assert_eq!(exit, Exit::Problems);
    let seen = ["bin/other_version) hides ", "/etc/opt/chrome/", "bin/good)"];
    check(&machine, "", "manifest.shadowed", &seen);
    let (exit, finding) = check(&machine, for_all, "manifest.hidden", &seen);
    assert_eq!((exit, &finding["verdict"]), (Exit::Problems, &json!("problem")));
    let fix = finding["fix"].as_str().expect("fix");
    assert!(fix.ends_with("install --browser chrome"), "{fix}");
    assert_eq!(machine.install("--browser chrome").exit, Exit::Done);
    assert_eq!((machine.doctor("").exit, machine.doctor(for_all).exit), (Exit::Done, Exit::Done));

    // What Firefox does not like it passes over.
    edit(&machine.firefox(), |manifest| {
        manifest["path"] = json!(machine.root().join("bin/other_version"));
        manifest["more"] = 1.into();
    });
    assert_eq!(machine.doctor(for_all).exit, Exit::Done);

    let machine = both(false);
    let (exit, _) = check(&machine, "", "manifest.shadowed", &["bin/good) hides ", "bin/other_version)"]);
    assert_eq!(exit, Exit::Done, "the browser takes the good one");
    assert_eq!(check(&machine, for_all, "host.version", &["0.0.1"]).0, Exit::Problems);
}

/// Helium looks into its own folder, then into Chrome's, then where theirs for everybody are: what is broken in one hides what is good
/// in the next.
#[test]
fn faults_of_borrowed_folders() {
    let helium =
        |machine: &Machine| machine.home(".config/net.imput.helium/NativeMessagingHosts").join(MANIFEST);
    let look = |machine: &Machine| machine.doctor("--browser helium --json");
    let machine = good_machine();
    // Chrome's serves it as well.
    assert_eq!(look(&machine).exit, Exit::Done, "{:#}", look(&machine).json());
    assert_eq!(machine.install("--browser helium").exit, Exit::Done);
    let chosen = |said: &crate::machine::Said| {
        said.json()["browsers"][0]["manifest"].as_str().expect("text").to_owned()
    };
    assert!(
        chosen(&look(&machine))
            .ends_with(&*helium(&machine).strip_prefix(machine.root()).expect("below").to_string_lossy())
    );
    fs::write(helium(&machine), "{").expect("written");
    let found = findings(&look(&machine).json(), "manifest.shadowed");
    assert!(
        found[0]["evidence"]
            .as_str()
            .is_some_and(|seen| seen.contains("net.imput.helium") && seen.contains("google-chrome")),
        "{found:#?}"
    );
    assert_eq!(machine.doctor("--browser helium --fix").exit, Exit::Done);
    // Of the two in its own folder and in Chrome's, what only Chrome's names is told as hidden.
    edit(&machine.chrome(), |manifest| manifest["path"] = "/usr/bin/true".into());
    let said = look(&machine);
    assert_eq!(said.exit, Exit::Done);
    assert_eq!(findings(&said.json(), "manifest.shadowed")[0]["verdict"], "warning");
    // With the one, the other is what it gets.
    fs::remove_file(helium(&machine)).expect("removed");
    assert_eq!(look(&machine).exit, Exit::Problems);
    // The machine's for Chrome comes last.
    fs::remove_file(machine.chrome()).expect("removed");
    assert_eq!(machine.install("--scope system --browser chrome").exit, Exit::Done);
    assert!(chosen(&look(&machine)).contains("/etc/opt/chrome/"));
    // And nothing of Chrome's is written for it.
    let machine = good_machine();
    let before = machine.everything();
    assert_eq!(machine.install("--scope system --browser helium").exit, Exit::Done);
    assert!(!machine.environment.system_path("/etc/opt/chrome").exists());
    assert_eq!(machine.uninstall("--scope system").exit, Exit::Done);
    assert_eq!(machine.everything(), before);
}

/// Which of two folders a build of Firefox looks into for everybody is compiled into it: Fedora's has `lib64`, Mozilla's has `lib`.
#[test]
fn faults_of_two_libraries() {
    let for_all = "--scope system --browser firefox";
    let place = |machine: &Machine, library: &str| {
        machine
            .environment
            .system_path(&format!("/usr/{library}/mozilla/native-messaging-hosts"))
            .join(MANIFEST)
    };
    // Here the folder holds the loader alone, or is a link.
    let machine = good_machine();
    put(&machine.environment.system_path("/usr/lib64/ld-linux-x86-64.so.2"), "");
    assert_eq!(machine.install(for_all).exit, Exit::Done);
    assert!(place(&machine, "lib").is_file() && !place(&machine, "lib64").exists());

    let machine = good_machine();
    put(&machine.environment.system_path("/usr/lib64/libc.so.6"), "");
    let before = machine.everything();
    assert_eq!(machine.install(for_all).exit, Exit::Done);
    assert_eq!(machine.doctor(for_all).exit, Exit::Done);
    for library in ["lib", "lib64"] {
        let kept = fs::read(place(&machine, library)).expect(library);
        fs::remove_file(place(&machine, library)).expect("removed");
        let said = machine.doctor(&format!("{for_all} --json"));
        let found = findings(&said.json(), "manifest.present");
        assert!(found[0]["evidence"].as_str().is_some_and(|seen| seen.contains(library)), "{found:#?}");
        assert_eq!(said.exit, Exit::Problems);
        put(&place(&machine, library), kept);
    }
    assert_eq!(machine.doctor(for_all).exit, Exit::Done);

    // What Fedora's own Firefox does not look into is of no use to it.
    fs::remove_file(machine.firefox()).expect("removed");
    assert_eq!(machine.doctor("--browser firefox").exit, Exit::Done);
    let own = machine.environment.system_path("/usr/lib64/firefox");
    fs::create_dir(&own).expect("folder");
    assert_eq!(machine.doctor("--browser firefox").exit, Exit::Done);
    fs::remove_file(place(&machine, "lib64")).expect("removed");
    let said = machine.doctor("--browser firefox --json");
    assert_eq!(findings(&said.json(), "manifest.present").len(), 1, "{:#}", said.json());
    assert_eq!(machine.install("--browser firefox").exit, Exit::Done);
    fs::remove_dir(&own).expect("removed");
    assert_eq!(machine.uninstall("--scope system").exit, Exit::Done);
    assert_eq!(machine.everything(), before);
}

/// A process that the machine shows.
pub fn process(machine: &Machine, pid: u32, program: &str, words: &[&str]) {
    let folder = machine.environment.processes.join(pid.to_string());
    fs::create_dir_all(&folder).expect("folder");
    symlink(program, folder.join("exe")).expect("link");
    fs::write(folder.join("cmdline"), words.join("\0") + "\0").expect("written");
}

#[test]
fn faults_of_what_runs() {
    let origin = "chrome-extension://pnkolcdhfekpiodligkdlhfkpkpbpclp/";
    told("F21", "host.others", "0.0.1/outrigger (deleted)", |machine| {
        process(machine, 41, "/home/ada/versions/0.0.1/outrigger (deleted)", &["outrigger", origin]);
    });
    // Another user's: what it started from cannot be seen, and it is no concern of this one.
    let machine = good_machine();
    process(&machine, 41, "/usr/bin/chromium", &["chromium", "--user-data-dir=/tmp/of-somebody"]);
    assert!(!findings(&machine.doctor("--json").json(), "browser.profile").is_empty());
    fs::remove_file(machine.environment.processes.join("41/exe")).expect("removed");
    assert_eq!(findings(&machine.doctor("--json").json(), "browser.profile"), [json!(null); 0]);
    let finding = told("F24", "browser.profile", "/m/throw away", |machine| {
        let folder = machine.root().join("throw away");
        let flag = format!("--user-data-dir={}", folder.display());
        process(
            machine,
            50,
            "/usr/lib/chromium/chromium",
            &["/usr/lib/chromium/chromium", &flag, "--headless"],
        );
        process(
            machine,
            51,
            "/usr/lib/chromium/chromium",
            &["/usr/lib/chromium/chromium", "--type=gpu", &flag],
        );
    });
    assert!(
        finding["fix"].as_str().expect("fix").ends_with("install --user-data-dir '/m/throw away'"),
        "{finding:#}"
    );
    // One that has a manifest is looked at as any other browser is.
    let machine = good_machine();
    let folder = machine.root().join("prof");
    put(&folder.join("NativeMessagingHosts").join(MANIFEST), "{}");
    let flag = format!("--user-data-dir={}", folder.display());
    process(&machine, 52, "/usr/lib/chromium/chromium", &["/usr/lib/chromium/chromium", &flag]);
    named(&machine, "F24, with an empty manifest", "manifest.keys", "");
    let diagnosis = machine.doctor("--json").json();
    let prof = diagnosis["browsers"].as_array().expect("list").iter().find(|one| one["browser"] == "/m/prof");
    assert_eq!(prof.expect("the folder")["ok"], false);
    assert_eq!(machine.install(&format!("--user-data-dir {}", folder.display())).exit, Exit::Done);
    assert_eq!(machine.doctor("").exit, Exit::Done);
    // Who asks for one browser is told that this one was not looked at.
    let diagnosis = machine.doctor("--json --browser chrome").json();
    let general = diagnosis["general"].as_array().expect("list");
    let told_of = general.iter().find(|check| check["id"] == "browser.profile").expect("there");
    assert_eq!(told_of["verdict"], "not_checked");
    // A folder is taken from where the browser was started.
    let finding = told("F24, relative", "browser.profile", "/m/work/prof2", |machine| {
        process(machine, 53, "/usr/lib/chromium/chromium", &["chromium", "--user-data-dir=prof2"]);
        let work = machine.root().join("work");
        fs::create_dir_all(work.join("prof2")).expect("folder");
        symlink(work, machine.environment.processes.join("53/cwd")).expect("link");
    });
    assert!(finding["fix"].as_str().expect("fix").ends_with("--user-data-dir /m/work/prof2"), "{finding:#}");
    // What the browser takes where its own folder has nothing: what is there for everybody.
    let machine = good_machine();
    let folder = machine.root().join("prof3");
    fs::create_dir_all(&folder).expect("folder");
    let flag = format!("--user-data-dir={}", folder.display());
    process(&machine, 54, "/opt/google/chrome/chrome", &["/opt/google/chrome/chrome", &flag]);
    assert_eq!(machine.install("--scope system --browser chrome").exit, Exit::Done);
    let diagnosis = machine.doctor("--json").json();
    assert_eq!(findings(&diagnosis, "browser.profile"), [json!(null); 0]);
    assert_eq!(diagnosis["ok"], true, "{diagnosis:#}");
    // F27: two profiles are no fault; both are told.
    let machine = good_machine();
    let program = machine.environment.binary.display().to_string();
    process(&machine, 60, &program, &["outrigger", origin]);
    process(
        &machine,
        61,
        &program,
        &[
            "outrigger",
            "/home/ada/.mozilla/native-messaging-hosts/dev.outrigger.host.json",
            "outrigger@outrigger.dev",
        ],
    );
    let diagnosis = machine.doctor("--json").json();
    let hosts =
        diagnosis["general"].as_array().expect("list").iter().find(|check| check["id"] == "host.others");
    assert_eq!(
        hosts.expect("there")["message"],
        "2 hosts are open, one for each browser and profile: processes 60, 61"
    );
    assert_eq!(diagnosis["ok"], true);
}

#[test]
fn faults_of_folders() {
    let finding = told("F28", "manifest.present", "a file where a folder belongs", |machine| {
        let folder = machine.chrome().parent().expect("parent").to_path_buf();
        fs::remove_dir_all(&folder).expect("removed");
        fs::write(folder, "").expect("written");
    });
    assert!(finding["fix"].as_str().expect("fix").starts_with("mv "), "{finding:#}");
    let finding = told("F29", "state.folder", "/m/home/.local/state/outrigger", |machine| {
        machine.environment.state_dir = machine.root().join("home/.local/state/outrigger");
        fs::remove_dir_all(&machine.environment.state_dir).expect("removed");
        fs::write(&machine.environment.state_dir, "").expect("written");
    });
    assert_eq!(finding["verdict"], "problem");
    let finding = told("F34", "manifest.readable", "/etc/opt/chrome", |machine| {
        let system = machine.environment.system_path("/etc/opt/chrome/native-messaging-hosts").join(MANIFEST);
        put(&system, fs::read(machine.chrome()).expect("there"));
        fs::remove_file(machine.chrome()).expect("removed");
        fs::set_permissions(&system, fs::Permissions::from_mode(0o600)).expect("mode");
    });
    assert!(finding["fix"].as_str().expect("fix").starts_with("sudo chmod a+r "), "{finding:#}");
    told("a record that is none", "state.record", "installed.json", |machine| {
        fs::write(machine.environment.state_dir.join("installed.json"), "{").expect("written");
    });
    let machine = good_machine();
    let lock = fs::File::open(machine.environment.state_dir.join("installed.lock")).expect("there");
    lock.lock().expect("locked");
    named(&machine, "F29, a lock", "state.folder", "/m/home");
}

/// F34: what is for everybody is right where everybody gets there.
#[test]
fn what_only_its_owner_reaches_is_not_for_everybody() {
    let for_all = "--scope system --browser chrome,firefox";
    let closed: [(&str, &str, &str, u32, &str); 5] = [
        (
            "the folder of manifests",
            "manifest.readable",
            "system/etc/opt/chrome/native-messaging-hosts",
            0o700,
            "problem",
        ),
        ("a folder above it", "manifest.readable", "system/etc/opt", 0o711, "ok"),
        ("the folder of the program", "binary.executable", "bin", 0o700, "problem"),
        ("the program", "binary.executable", "bin/good", 0o744, "problem"),
        ("for a group", "binary.executable", "bin", 0o750, "warning"),
    ];
    for (what, id, path, mode, verdict) in closed {
        let machine = good_machine();
        if id == "binary.executable" && verdict == "problem" {
            // It is not installed like that at all.
            let place = machine.root().join(path);
            let before = fs::metadata(&place).expect("it").permissions();
            fs::set_permissions(&place, fs::Permissions::from_mode(mode)).expect("mode");
            for dry_run in ["", " --dry-run"] {
                let said = machine.install(&format!("{for_all}{dry_run}"));
                assert_eq!(said.exit, Exit::Problems, "{what}");
                assert!(said.err.contains("only its owner gets to it"), "{what}: {}", said.err);
            }
            fs::set_permissions(&place, before).expect("mode");
        }
        assert_eq!(machine.install(for_all).exit, Exit::Done);
        let path = machine.root().join(path);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("mode");
        let said = machine.doctor(&format!("{for_all} --json"));
        let found = findings(&said.json(), id);
        if verdict == "ok" {
            assert_eq!((said.exit, found.len()), (Exit::Done, 0), "{what}: {found:#?}");
            continue;
        }
        assert_eq!(found[0]["verdict"], verdict, "{what}: {found:#?}");
        assert_eq!(said.exit == Exit::Problems, verdict == "problem", "{what}");
        let fix = found[0]["fix"].as_str().expect("fix");
        assert!(fix.starts_with("sudo chmod a+"), "{what}: {fix}");
        let fix = fix.replace("sudo ", "").replace("/m/", &format!("{}/", machine.root().display()));
        assert!(Command::new("sh").arg("-c").arg(&fix).status().expect("sh").success(), "{fix}");
        assert_eq!(machine.doctor(for_all).exit, Exit::Done, "{what}");
        // For one user alone it never mattered.
        assert_eq!(machine.doctor("").exit, Exit::Done, "{what}");
    }
}

#[test]
fn browsers_in_a_sandbox_are_never_right() {
    for (trace, id) in [
        ("snap/firefox/common", "snap:firefox"),
        (".var/app/org.mozilla.firefox/x", "flatpak:org.mozilla.firefox"),
    ] {
        let machine = good_machine();
        machine.has_browsers(&[trace]);
        let finding = named(&machine, "F22", "browser.boxed", &trace[..8]);
        assert!(
            finding["advice"].as_str().expect("advice").starts_with("not possible because"),
            "{finding:#}"
        );
        let diagnosis = machine.doctor("--json").json();
        let boxed =
            diagnosis["browsers"].as_array().expect("list").iter().find(|browser| browser["browser"] == id);
        assert_eq!(boxed.expect(id)["ok"], false);
        // With a way out it is still not proven.
        let proxy = "/usr/share/dbus-1/services/org.freedesktop.NativeMessagingProxy.service";
        put(&machine.environment.system_path(proxy), "");
        let diagnosis = machine.doctor("--json").json();
        assert_eq!((&diagnosis["ok"], findings(&diagnosis, "browser.boxed").len()), (&json!(false), 0));
        // A "no" that is remembered.
        let app = id.replace("snap:", "snap.").replace("flatpak:", "");
        script(
            &machine,
            "flatpak",
            &format!(
                "echo 'Table  Object  App  Permissions  Data'; echo 'webextensions  dev.outrigger.host  {app}  no  0x00'"
            ),
        );
        let finding = named(&machine, "F23", "portal.permission", &app);
        assert_eq!(
            finding["fix"],
            format!("flatpak permission-set webextensions dev.outrigger.host {app} yes")
        );
    }
    // Ubuntu's portal serves its snap of Firefox.
    let machine = good_machine();
    machine.has_browsers(&["snap/firefox/common"]);
    script(&machine, "gdbus", "echo 'interface org.freedesktop.portal.WebExtensions {'");
    let diagnosis = machine.doctor("--json").json();
    assert_eq!((&diagnosis["ok"], findings(&diagnosis, "browser.boxed").len()), (&json!(false), 0));
    // One alone is enough for an installation: it reads, through its portal, what is outside.
    let machine = Machine::new();
    machine.has_browsers(&["snap/firefox/common"]);
    assert_eq!(machine.install("").exit, Exit::Done);
    assert!(machine.firefox().is_file());
}

/// The browser in the sandbox is the only one that is there, whatever its starter in `PATH` is called and whatever a portal reads for it.
#[test]
fn a_browser_in_a_sandbox_is_shown_once() {
    let shown = |machine: &Machine| {
        let diagnosis = machine.doctor("--json").json();
        let browsers = diagnosis["browsers"].as_array().expect("list").clone();
        let ids: Vec<String> =
            browsers.iter().map(|browser| browser["browser"].as_str().expect("id").to_owned()).collect();
        for browser in browsers {
            assert_eq!(browser["ok"], false, "{browser:#}");
            for check in browser["checks"].as_array().expect("list") {
                assert_ne!(check["verdict"], "ok", "{check:#}");
            }
        }
        ids.join(" ")
    };
    let starters: &[(&str, &str, &[&str])] = &[
        ("snap/firefox/common", "snap:firefox", &["firefox", "exec /snap/bin/firefox \"$@\""]),
        ("snap/chromium/common", "snap:chromium", &["chromium-browser", "exec /snap/bin/chromium \"$@\""]),
        (
            ".var/app/org.mozilla.firefox/x",
            "flatpak:org.mozilla.firefox",
            &["firefox", "exec /usr/bin/flatpak run --branch=stable org.mozilla.firefox \"$@\""],
        ),
        (".var/app/com.brave.Browser/x", "flatpak:com.brave.Browser", &[]),
    ];
    for (trace, id, starter) in starters {
        let mut machine = Machine::with_host("good");
        machine.limits = PATIENT;
        machine.has_browsers(&[trace]);
        if let [name, text] = starter {
            script(&machine, name, text);
        }
        assert_eq!(machine.install("").exit, Exit::Done, "{id}");
        assert_eq!(shown(&machine), *id);
        let said = machine.doctor("");
        assert!(
            said.out.contains("There is a problem: the browser does not reach outrigger."),
            "{}",
            said.out
        );
        // What a portal would read for it is missing: that is told, and mended.
        for place in [
            machine.chrome(),
            machine.firefox(),
            machine.home(".config/chromium/NativeMessagingHosts").join(MANIFEST),
        ] {
            let _ = fs::remove_file(place);
        }
        named(&machine, id, "manifest.present", "missing: ");
        let after = machine.doctor("--json --fix").json();
        assert!(!after["mended"].as_array().expect("list").is_empty(), "{id}: {after:#}");
        assert_eq!(findings(&after, "manifest.present"), [json!(null); 0], "{id}");
        assert_eq!(shown(&machine), *id);
    }
    // One whose starter is a link to snap's own program, as in `/snap/bin`.
    let machine = Machine::with_host("good");
    machine.has_browsers(&["snap/firefox/common"]);
    machine.put("/bin/true", "system/usr/bin/snap");
    symlink(machine.environment.system_path("/usr/bin/snap"), machine.root().join("bin/firefox"))
        .expect("link");
    assert_eq!(shown(&machine), "snap:firefox");
    // Asked for by name it is the same one.
    let diagnosis = machine.doctor("--json --browser firefox").json();
    for browser in diagnosis["browsers"].as_array().expect("list") {
        assert_eq!(browser["ok"], false, "{browser:#}");
    }
}

pub fn script(machine: &Machine, name: &str, text: &str) {
    let path = machine.root().join("bin").join(name);
    let write = format!("printf '%s\\n' '#!/bin/sh' \"$0\" > '{0}' && chmod 755 '{0}'", path.display());
    assert!(Command::new("sh").arg("-c").arg(write).arg(text).status().expect("sh").success());
}

#[test]
fn faults_of_systems() {
    let wsl = "Linux version 5.15.153.1-microsoft-standard-WSL2";
    let finding = told("F30, beside", "browser.windows", "microsoft", |machine| {
        put(&machine.environment.processes.join("version"), wsl);
    });
    assert_eq!(finding["verdict"], "warning", "there are Linux browsers beside");
    let mut machine = Machine::with_host("good");
    machine.limits = PATIENT;
    put(&machine.environment.processes.join("version"), wsl);
    let finding = named(&machine, "F30", "browser.windows", "outrigger.exe install");
    assert_eq!(finding["verdict"], "problem");

    let support = "Library/Application Support";
    let mac = |trace: &str| {
        let mut machine = Machine::with_host("good");
        machine.limits = PATIENT;
        machine.environment.os = Os::MacOs;
        machine.has_browsers(&[&format!("{support}/{trace}")]);
        machine
    };
    let machine = mac("zen/Profiles");
    put(&machine.home(support).join("zen/NativeMessagingHosts").join(MANIFEST), "{}");
    named(&machine, "F32", "manifest.misplaced", "Application Support/Mozilla/NativeMessagingHosts");
    named(&machine, "F32", "manifest.present", "missing");
    let machine = mac("Google/Chrome for Testing/Default");
    put(&machine.home(support).join("Google/Chrome for Testing/NativeMessagingHosts").join(MANIFEST), "{}");
    named(&machine, "F33", "manifest.misplaced", "Google/ChromeForTesting/NativeMessagingHosts");
    named(&machine, "F33", "manifest.present", "missing");
}

type Seed = Box<dyn Fn(&Machine)>;

/// Nothing here is on any list. Whatever it is called, it is not called right.
#[test]
fn other_faults_are_never_right() {
    let chrome = |change: fn(&mut Value)| move |machine: &Machine| edit(&machine.chrome(), change);
    let program = |text: &'static str, mode: u32| {
        move |machine: &Machine| {
            let path = machine.root().join("bin/odd");
            let write = format!("printf %s \"$0\" > '{0}' && chmod {mode:o} '{0}'", path.display());
            assert!(Command::new("sh").arg("-c").arg(write).arg(text).status().expect("sh").success());
            edit(&machine.chrome(), |manifest| manifest["path"] = path.to_str().expect("text").into());
        }
    };
    let bytes =
        |bytes: &'static [u8]| move |machine: &Machine| fs::write(machine.chrome(), bytes).expect("written");
    let seeds: Vec<(&str, Seed)> = vec![
        ("an empty manifest", Box::new(bytes(b""))),
        ("null", Box::new(bytes(b"null"))),
        ("UTF-16", Box::new(bytes(b"\xff\xfe{\x00}\x00"))),
        (
            "two documents",
            Box::new(|machine| {
                let text = fs::read_to_string(machine.chrome()).expect("there");
                fs::write(machine.chrome(), format!("{text}{text}")).expect("written");
            }),
        ),
        (
            "a comment",
            Box::new(|machine| {
                let text = fs::read_to_string(machine.chrome()).expect("there");
                fs::write(machine.chrome(), format!("// mine\n{text}")).expect("written");
            }),
        ),
        (
            "a manifest of 2 MiB",
            Box::new(|machine| {
                let text = fs::read_to_string(machine.chrome()).expect("there");
                fs::write(machine.chrome(), text + &" ".repeat(2 * 1024 * 1024)).expect("written");
            }),
        ),
        (
            "a manifest that is a pipe",
            Box::new(|machine| {
                fs::remove_file(machine.chrome()).expect("removed");
                assert!(Command::new("mkfifo").arg(machine.chrome()).status().expect("mkfifo").success());
            }),
        ),
        (
            "a manifest that is a folder",
            Box::new(|machine| {
                fs::remove_file(machine.chrome()).expect("removed");
                fs::create_dir(machine.chrome()).expect("folder");
            }),
        ),
        (
            "a manifest that is a link in a circle",
            Box::new(|machine| {
                fs::remove_file(machine.chrome()).expect("removed");
                symlink(machine.chrome(), machine.chrome()).expect("link");
            }),
        ),
        ("nobody is allowed", Box::new(chrome(|manifest| manifest["allowed_origins"] = json!([])))),
        ("numbers are allowed", Box::new(chrome(|manifest| manifest["allowed_origins"] = json!([5])))),
        (
            "an origin with a path",
            Box::new(chrome(|manifest| {
                manifest["allowed_origins"] =
                    json!(["chrome-extension://pnkolcdhfekpiodligkdlhfkpkpbpclp/x/"]);
            })),
        ),
        ("a type in capitals", Box::new(chrome(|manifest| manifest["type"] = "STDIO".into()))),
        ("a path with an end in it", Box::new(chrome(|manifest| manifest["path"] = "/bin/true\u{0}".into()))),
        ("a path that is a list", Box::new(chrome(|manifest| manifest["path"] = json!(["/bin/true"])))),
        ("a path in quotes", Box::new(chrome(|manifest| manifest["path"] = "\"/bin/true\"".into()))),
        ("a path with a line end", Box::new(chrome(|manifest| manifest["path"] = "/bin/true\n".into()))),
        ("a program of another machine", Box::new(program("\u{7f}ELF\u{2}\u{1}\u{1}\u{3} elsewhere", 0o755))),
        (
            "a link in a circle as the program",
            Box::new(|machine| {
                let link = machine.root().join("bin/circle");
                symlink("circle", &link).expect("link");
                edit(&machine.chrome(), |manifest| manifest["path"] = link.to_str().expect("text").into());
            }),
        ),
        ("a path from home", Box::new(chrome(|manifest| manifest["path"] = "~/bin/outrigger".into()))),
        ("a program that repeats all", Box::new(chrome(|manifest| manifest["path"] = "/bin/cat".into()))),
        ("a program that ends at once", Box::new(chrome(|manifest| manifest["path"] = "/bin/true".into()))),
        ("a program without end", Box::new(chrome(|manifest| manifest["path"] = "/dev/null".into()))),
        ("no interpreter", Box::new(program("#!/nowhere/python\n", 0o755))),
        ("an empty program", Box::new(program("", 0o755))),
        ("letters as a program", Box::new(program("not a program", 0o755))),
        (
            "a wrapper without its program",
            Box::new(program("#!/bin/sh\nexec /nowhere/outrigger \"$@\"\n", 0o755)),
        ),
        (
            "a wrapper that greets",
            Box::new(program("#!/bin/sh\necho starting\nexec \"$(dirname \"$0\")/good\" \"$@\"\n", 0o755)),
        ),
        (
            "a wrapper that drops arguments",
            Box::new(program("#!/bin/sh\nexec \"$(dirname \"$0\")/good\"\n", 0o755)),
        ),
        (
            "a wrapper that lives on",
            Box::new(program("#!/bin/sh\nsleep 60 & exec \"$(dirname \"$0\")/good\" \"$@\"\n", 0o755)),
        ),
        (
            "a folder for everyone",
            Box::new(|machine| {
                fs::set_permissions(machine.root().join("bin"), fs::Permissions::from_mode(0o777))
                    .expect("mode");
            }),
        ),
    ];
    for (fault, seed) in seeds {
        let mut machine = good_machine();
        machine.limits = Limits { answer: Duration::from_secs(3), exit: Duration::from_secs(1) };
        seed(&machine);
        let said = machine.doctor("--json");
        let diagnosis = said.json();
        let chrome = diagnosis["browsers"]
            .as_array()
            .expect("list")
            .iter()
            .find(|browser| browser["browser"] == "chrome");
        let chrome = chrome.expect("chrome");
        assert_eq!(
            (said.exit, &chrome["ok"], &diagnosis["ok"]),
            (Exit::Problems, &json!(false), &json!(false)),
            "{fault}"
        );
        let problems: Vec<&Value> = chrome["checks"]
            .as_array()
            .expect("list")
            .iter()
            .filter(|check| check["verdict"] == "problem")
            .collect();
        assert!(!problems.is_empty(), "{fault}: {chrome:#}");
        for problem in problems {
            assert!(problem["fix"].is_string() || problem["advice"].is_string(), "{fault}: {problem:#}");
        }
        // Where it says that it can mend it, it can.
        if chrome["checks"].as_array().expect("list").iter().any(|check| check["fixable"] == true) {
            let after = machine.doctor("--fix --json");
            assert_eq!(after.json()["ok"], true, "{fault}: {:#}", after.json());
        }
    }
}

#[test]
fn the_report_names_nobody() {
    let machine = good_machine();
    let file = machine.root().join("report.txt");
    let said = machine.doctor(&format!("--report {}", file.display()));
    assert_eq!(said.exit, Exit::Done, "{}", said.all());
    let report = fs::read_to_string(&file).expect("written");
    assert!(report.contains("verdict: ok") && report.contains("host.echo"), "{report}");
    assert!(report.contains("manifest: ~/.config/google-chrome/"), "{report}");
    for secret in [machine.home("").to_str().expect("text"), "`app`", "/ada/app"] {
        assert!(!report.contains(secret), "{secret} in {report}");
    }
}

/// As a shell would write it: through a link, into a pipe, with the rights that a file has.
#[test]
fn the_report_goes_where_it_was_sent() {
    let machine = good_machine();
    let place = |name: &str| machine.root().join(name);
    put(&place("private.txt"), "old");
    fs::set_permissions(place("private.txt"), fs::Permissions::from_mode(0o600)).expect("mode");
    symlink("private.txt", place("link.txt")).expect("link");
    machine.doctor(&format!("--report {}", place("link.txt").display()));
    assert!(fs::symlink_metadata(place("link.txt")).expect("there").is_symlink());
    assert!(fs::read_to_string(place("private.txt")).expect("there").contains("verdict: ok"));
    assert_eq!(fs::metadata(place("private.txt")).expect("there").permissions().mode() & 0o7777, 0o600);
    let pipe = place("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let reader = Command::new("cat").arg(&pipe).stdout(std::process::Stdio::piped()).spawn().expect("cat");
    machine.doctor(&format!("--report {}", pipe.display()));
    assert!(!fs::metadata(&pipe).expect("there").is_file(), "the pipe is one still");
    let read = reader.wait_with_output().expect("read");
    assert!(String::from_utf8_lossy(&read.stdout).contains("verdict: ok"));
}

/// Folders that a person has named, wherever they are, and programs in them.
#[test]
fn the_report_names_no_folders_of_a_person() {
    let mut machine = good_machine();
    let folder = machine.root().join("clients/ACME merger/prof");
    fs::create_dir_all(&folder).expect("folder");
    let own = machine.home("work/ACME-2/prof");
    fs::create_dir_all(&own).expect("folder");
    let plain = machine.root().join("clients/ACME-3/prof");
    fs::create_dir_all(&plain).expect("folder");
    for own in [&own, &plain] {
        assert_eq!(machine.install(&format!("--user-data-dir {}", own.display())).exit, Exit::Done);
    }
    let flag = format!("--user-data-dir={}", folder.display());
    process(&machine, 50, "/usr/lib/chromium/chromium", &["/usr/lib/chromium/chromium", &flag]);
    edit(&machine.chrome(), |manifest| manifest["path"] = "/srv/ACME-4/bin/outrigger".into());
    edit(&machine.firefox(), |manifest| manifest["path"] = "/srv/ACME 5/it's/outrigger".into());
    machine.environment.temporary = vec![machine.root()];
    let file = machine.root().join("report.txt");
    machine.doctor(&format!("--report {}", file.display()));
    let report = fs::read_to_string(&file).expect("written");
    assert!(!report.contains("ACME") && !report.contains("it's"), "{report}");
    assert!(!report.contains(machine.root().to_str().expect("text")), "{report}");
    assert!(report.contains("<folder 1>/NativeMessagingHosts/dev.outrigger.host.json"), "{report}");
    assert!(report.contains("manifest: ~/.config/google-chrome/NativeMessagingHosts/"), "{report}");
}

/// Runs a shell script where it may mount: as root in a mount namespace, else in a user namespace of its own. `None` where the system
/// allows neither.
fn where_mounts_are_free(script: &str, words: &[&str]) -> Option<std::process::Output> {
    let is_free = |flags: &str| {
        let tried = Command::new("unshare").args([flags, "sh", "-c", "mount -t tmpfs none /mnt"]).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    let flags = ["-m", "-rm"].into_iter().find(|flags| is_free(flags))?;
    let ran = Command::new("unshare").args([flags, "sh", "-ec", script, "sh"]).args(words).output();
    Some(ran.expect("unshare"))
}

/// The one Chrome of a doctor's answer, and its check with this id.
fn check_of(answer: &[u8], id: &str) -> (Value, Value) {
    let diagnosis: Value = serde_json::from_slice(answer).expect("one JSON document");
    let chrome = diagnosis["browsers"][0].clone();
    let check = chrome["checks"].as_array().expect("list").iter().find(|check| check["id"] == id);
    (check.expect(id).clone(), chrome)
}

/// The real binary, a real disk that starts nothing.
#[test]
fn a_disk_that_starts_nothing_is_named() {
    let folder = tempfile::tempdir().expect("folder");
    let home = folder.path().join("home");
    fs::create_dir_all(home.join(".config/google-chrome/Default")).expect("profile");
    fs::create_dir_all(home.join(".local/share/outrigger")).expect("folder");
    let program = env!("CARGO_BIN_EXE_outrigger");
    let words = [program, home.to_str().expect("text")];
    let begin = "program=$1; HOME=$2; export HOME; unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME OUTRIGGER_STATE_DIR OUTRIGGER_CONFIG";
    // Outrigger's own folder: what it would install again stands on the same disk.
    let own = format!(
        "{begin}\nmount -t tmpfs none \"$HOME/.local/share/outrigger\"\n\"$program\" install --browser chrome >/dev/null\n\
         mount -o remount,noexec \"$HOME/.local/share/outrigger\"\n\"$program\" doctor --browser chrome --json || true"
    );
    let Some(ran) = where_mounts_are_free(&own, &words) else {
        eprintln!("skipped: neither root nor a user namespace may mount here");
        return;
    };
    let (check, chrome) = check_of(&ran.stdout, "binary.executable");
    assert_eq!((&check["verdict"], &chrome["ok"]), (&json!("problem"), &json!(false)), "{chrome:#}");
    assert!(check["evidence"].as_str().expect("seen").contains("noexec"), "{check:#}");
    // What a person started is on another disk: manifests can name that.
    assert!(
        check["fix"].as_str().expect("fix").ends_with("install --browser chrome --in-place"),
        "{check:#}"
    );
    let hello = chrome["checks"].as_array().expect("list").iter().find(|check| check["id"] == "host.hello");
    assert_eq!(hello.expect("listed")["verdict"], "not_checked");
    // A program elsewhere that was named itself: installing again copies it to where it can be started.
    let elsewhere = format!(
        "{begin}\nmkdir \"$HOME/disk\"\nmount -t tmpfs none \"$HOME/disk\"\ncp \"$program\" \"$HOME/disk/outrigger\"\n\
         \"$HOME/disk/outrigger\" install --browser chrome --in-place >/dev/null\nmount -o remount,noexec \"$HOME/disk\"\n\
         \"$program\" doctor --browser chrome --json >\"$HOME/before\" || true\n\"$program\" doctor --browser chrome --fix --json"
    );
    let ran = where_mounts_are_free(&elsewhere, &words).expect("mounts");
    let (check, _) = check_of(&fs::read(home.join("before")).expect("written"), "binary.executable");
    assert!(check["evidence"].as_str().expect("seen").contains("noexec"), "{check:#}");
    assert_eq!(check["fixable"], true, "{check:#}");
    let (check, chrome) = check_of(&ran.stdout, "binary.executable");
    assert_eq!((&check["verdict"], &chrome["ok"]), (&json!("ok"), &json!(true)), "{chrome:#}");
}

/// F06: Edge takes what was written for Chrome, which allows the extension of one store only.
#[test]
fn a_browser_that_takes_the_key_of_another() {
    let key = |vendor: &str| format!("HKCU\\Software\\{vendor}\\NativeMessagingHosts\\dev.outrigger.host");
    let mut machine = Machine::windows();
    machine.limits = PATIENT;
    machine.has_browsers(&["AppData/Local/Microsoft/Edge/User Data/Default"]);
    let manifest = machine.root().join("of-chrome.json");
    let of_chrome = json!({
        "name": "dev.outrigger.host", "description": "x", "type": "stdio", "path": machine.environment.binary,
        "allowed_origins": ["chrome-extension://abcdefghijklmnopabcdefghijklmnop/"],
    });
    put(&manifest, of_chrome.to_string());
    machine.set_registry(&json!({key("Google\\Chrome"): manifest}));
    let finding = named(&machine, "F06", "manifest.allowed", "is not in");
    assert!(finding["fix"].as_str().expect("fix").ends_with("install --browser edge"), "{finding:#}");
    let after = machine.doctor("--fix --json").json();
    assert!(machine.registry()[key("Microsoft\\Edge")].is_string(), "{:#}", machine.registry());
    assert_eq!(
        machine.registry()[key("Google\\Chrome")],
        manifest.to_str().expect("text"),
        "not ours to change"
    );
    for id in ["registry.value", "manifest.allowed"] {
        assert_eq!(findings(&after, id), [json!(null); 0], "{after:#}");
    }
}
