//! Policies of administrators, as browsers read them: what keeps the host or the extension out is named, and what cannot be read is
//! never taken for nothing.

use std::{fs, os::unix::fs::symlink};

use outrigger::cli::report::Exit;
use serde_json::{Value, json};

use crate::{
    faults::{PATIENT, findings, good_machine, named, process, put, told},
    machine::{MANIFEST, Machine},
};

const CHROME: &str = "/etc/opt/chrome/policies/managed";
const CHROMIUM: &str = "/etc/chromium/policies/managed";
const BLOCK: &str = r#"{"NativeMessagingBlocklist":["*"]}"#;
const ID: &str = "pnkolcdhfekpiodligkdlhfkpkpbpclp";

fn policy(machine: &Machine, folder: &str, name: &str, text: &str) {
    put(&machine.environment.system_path(folder).join(name), text);
}

/// One browser of a doctor's answer.
fn browser(diagnosis: &Value, id: &str) -> Value {
    let browsers = diagnosis["browsers"].as_array().expect("list");
    browsers
        .iter()
        .find(|browser| browser["browser"] == id)
        .unwrap_or_else(|| panic!("{id}: {diagnosis:#}"))
        .clone()
}

/// The verdict of one check of one browser.
fn verdict(browser: &Value, id: &str) -> String {
    let check = browser["checks"].as_array().expect("list").iter().find(|check| check["id"] == id);
    check.unwrap_or_else(|| panic!("{id}: {browser:#}"))["verdict"].as_str().expect("text").to_owned()
}

/// Chromium takes every file of the folder, whatever its name, and forgives more than JSON does.
#[test]
fn policies_are_read_as_browsers_read_them() {
    for (what, name, text) in [
        ("commas too many", "a.json", r#"{"NativeMessagingBlocklist":["*",],}"#.to_owned()),
        ("comments", "a.json", format!("// ours: \"\n/* \" */ {BLOCK} // the end")),
        ("a mark", "a.json", format!("\u{feff}{BLOCK}")),
        ("no ending", "block", BLOCK.to_owned()),
        ("a hidden name", ".block", BLOCK.to_owned()),
        ("another escape", "a.json", BLOCK.replace('*', "\\x2a")),
        ("a line end in a text", "a.json", format!("{{\"x\": \"a\n// b\", {}", &BLOCK[1..])),
    ] {
        told(what, "policy.allowed", "NativeMessagingBlocklist", |machine| {
            policy(machine, CHROME, name, &text);
        });
    }
    told("a link", "policy.allowed", "NativeMessagingBlocklist", |machine| {
        policy(machine, "/srv", "shared", BLOCK);
        policy(machine, CHROME, "b.json", "{}");
        let link = machine.environment.system_path(CHROME).join("a");
        symlink(machine.environment.system_path("/srv/shared"), link).expect("link");
    });
    // What looks like a comment in a text is text.
    let machine = good_machine();
    policy(&machine, CHROME, "a.json", r#"{"HomepageLocation": "http://x/*", "y": "//", "z": [1, "*/"]}"#);
    assert_eq!(machine.doctor("").exit, Exit::Done);
}

/// The browser passes over what is no JSON; so does the doctor, and says that it did.
#[test]
fn policies_that_cannot_be_read_are_named() {
    type Seed = fn(&Machine);
    let seeds: [(&str, &str, Seed); 3] = [
        ("a note", "README", |machine| policy(machine, CHROME, "README", "Ask the help desk.")),
        ("a link to nowhere", "gone.json", |machine| {
            policy(machine, CHROME, "a.json", "{}");
            symlink("nowhere", machine.environment.system_path(CHROME).join("gone.json")).expect("link");
        }),
        ("a list", "list.json", |machine| policy(machine, CHROME, "list.json", "[1]")),
    ];
    for (what, name, seed) in seeds {
        let finding = told(what, "policy.readable", name, |machine| seed(machine));
        assert_eq!(finding["verdict"], "warning", "{finding:#}");
        let machine = good_machine();
        seed(&machine);
        assert_eq!(machine.doctor("").exit, Exit::Done, "{what}");
    }
    // What speaks of native hosts or extensions and cannot be read, or is too long to be read, may be in force.
    let long = format!("{} {BLOCK}", " ".repeat(2 * 1024 * 1024));
    for text in [r#"{"NativeMessagingBlocklist": ["*""#, r#"{"ExtensionSettings": {"*": "#, &long] {
        let machine = good_machine();
        policy(&machine, CHROME, "a.json", text);
        let said = machine.doctor("--json");
        let chrome = browser(&said.json(), "chrome");
        assert_eq!((said.exit, &chrome["ok"]), (Exit::Problems, &json!(false)));
        assert_eq!(verdict(&chrome, "policy.readable"), "not_checked");
        assert_eq!(browser(&said.json(), "firefox")["ok"], true);
    }
}

/// Which browser uses a folder that was given by hand is known only while it runs.
#[test]
fn policies_hold_for_folders_given_by_hand() {
    let mut machine = Machine::with_host("good");
    machine.limits = PATIENT;
    let folder = machine.root().join("prof");
    fs::create_dir_all(&folder).expect("folder");
    let flags = format!("--user-data-dir {}", folder.display());
    let flag = format!("--user-data-dir={}", folder.display());
    assert_eq!(machine.install(&flags).exit, Exit::Done);
    let look = |machine: &Machine| {
        let said = machine.doctor(&format!("{flags} --json"));
        let browser = browser(&said.json(), "/m/prof");
        (said.exit, browser)
    };
    assert_eq!(look(&machine).0, Exit::Done);
    for (name, text, id) in [
        ("a.json", BLOCK, "policy.allowed"),
        ("b.json", r#"{"NativeMessagingUserLevelHosts": false}"#, "policy.user_level"),
        ("c.json", r#"{"ExtensionInstallBlocklist": ["*"]}"#, "policy.extension"),
    ] {
        policy(&machine, CHROMIUM, name, text);
        let (exit, found) = look(&machine);
        assert_eq!((exit, verdict(&found, id)), (Exit::Problems, "not_checked".to_owned()), "{found:#}");
        assert!(found.to_string().contains("Chromium"), "{found:#}");
        // It is Chrome, which nothing forbids; then Chromium.
        process(&machine, 50, "/opt/google/chrome/chrome", &["/opt/google/chrome/chrome", &flag]);
        assert_eq!(look(&machine).0, Exit::Done, "{id}");
        fs::remove_dir_all(machine.environment.processes.join("50")).expect("removed");
        process(&machine, 51, "/usr/lib/chromium/chromium", &["/usr/lib/chromium/chromium", &flag]);
        let (exit, found) = look(&machine);
        assert_eq!((exit, verdict(&found, id)), (Exit::Problems, "problem".to_owned()), "{found:#}");
        fs::remove_dir_all(machine.environment.processes.join("51")).expect("removed");
        fs::remove_file(machine.environment.system_path(CHROMIUM).join(name)).expect("removed");
    }
    // Nothing in the folder, and one for everybody: whether the browser takes it is not known, and no problem.
    assert_eq!(machine.uninstall(&flags).exit, Exit::Done);
    assert_eq!(machine.install("--scope system --browser chromium").exit, Exit::Done);
    let (exit, found) = look(&machine);
    assert_eq!((exit, verdict(&found, "manifest.present")), (Exit::Problems, "not_checked".to_owned()));
    process(&machine, 51, "/usr/lib/chromium/chromium", &["/usr/lib/chromium/chromium", &flag]);
    assert_eq!(look(&machine).0, Exit::Done);
    assert!(!folder.join("NativeMessagingHosts").join(MANIFEST).exists());
}

/// An extension that may not be there starts nothing.
#[test]
fn policies_that_keep_the_extension_out() {
    let settings = |id: &str, mode: &str| json!({"ExtensionSettings": {id: {"installation_mode": mode}}});
    let with = |mut policies: Value, key: &str, value: Value| {
        policies[key] = value;
        policies
    };
    let mut both = settings("*", "blocked");
    both["ExtensionSettings"][ID] = json!({"installation_mode": "force_installed"});
    for (policies, expected) in [
        (json!({"ExtensionInstallBlocklist": ["*"]}), "problem"),
        (json!({"ExtensionInstallBlocklist": [ID]}), "problem"),
        (settings("*", "blocked"), "problem"),
        (settings("*", "removed"), "problem"),
        (settings(ID, "removed"), "problem"),
        (settings(&format!("abcdefghijklmnopabcdefghijklmnop,{ID}"), "blocked"), "problem"),
        (with(settings(ID, "blocked"), "ExtensionInstallAllowlist", json!([ID])), "problem"),
        (json!({"ExtensionSettings": {"*": {"blocked_permissions": ["usb", "nativeMessaging"]}}}), "problem"),
        (json!({"ExtensionSettings": {ID: {"blocked_permissions": ["nativeMessaging"]}}}), "problem"),
        (json!({"ExtensionSettings": {"*": {"blocked_permissions": ["storage"]}}}), "problem"),
        (json!({"ExtensionSettings": {"*": {"blocked_permissions": ["sidePanel"]}}}), "problem"),
        (
            json!({"ExtensionSettings": {"*": {"blocked_permissions": ["storage", "alarms"]}, ID: {"allowed_permissions": ["storage"]}}}),
            "problem",
        ),
        (
            json!({"ExtensionSettings": {"*": {"blocked_permissions": ["storage"]}, ID: {"allowed_permissions": ["storage"]}}}),
            "ok",
        ),
        (json!({"ExtensionSettings": {"*": {"blocked_permissions": ["cookies", "tabs"]}}}), "ok"),
        (json!({"ExtensionSettings": {ID: {"minimum_version_required": "99.1"}}}), "problem"),
        (json!({"ExtensionSettings": {"*": {"minimum_version_required": "99"}}}), "problem"),
        (json!({"ExtensionSettings": {ID: {"minimum_version_required": "0.0.9.9"}}}), "ok"),
        (json!({"ExtensionAllowedTypes": ["theme"]}), "problem"),
        (json!({"DeveloperToolsAvailability": 2}), "warning"),
        (json!({"ExtensionDeveloperModeSettings": 1}), "warning"),
        (json!({"DeveloperToolsDisabled": true}), "warning"),
        (json!({"DeveloperToolsDisabled": true, "DeveloperToolsAvailability": 1}), "ok"),
        (
            with(
                json!({"DeveloperToolsAvailability": 2}),
                "ExtensionInstallForcelist",
                json!([format!("{ID};https://x")]),
            ),
            "ok",
        ),
        (json!({"ExtensionInstallBlocklist": ["*"], "ExtensionInstallAllowlist": [ID]}), "ok"),
        (
            json!({"ExtensionInstallBlocklist": ["*"], "ExtensionInstallForcelist": [format!("{ID};https://x")]}),
            "ok",
        ),
        (with(settings(ID, "allowed"), "ExtensionInstallBlocklist", json!(["*"])), "ok"),
        (both, "ok"),
        (json!({"ExtensionAllowedTypes": ["theme", "extension"]}), "ok"),
        (settings("abcdefghijklmnopabcdefghijklmnop", "blocked"), "ok"),
    ] {
        let machine = good_machine();
        policy(&machine, CHROME, "a.json", &policies.to_string());
        let chrome = browser(&machine.doctor("--json").json(), "chrome");
        assert_eq!(verdict(&chrome, "policy.extension"), expected, "{policies}: {chrome:#}");
        assert_eq!(chrome["ok"], expected != "problem", "{policies}");
        // The link itself is still exercised.
        assert_eq!(verdict(&chrome, "host.hello"), "ok", "{policies}");
        if expected != "ok" {
            named(&machine, &policies.to_string(), "policy.extension", "a.json");
        }
    }
}

/// Firefox has no policy about hosts, and several about extensions.
#[test]
fn policies_of_firefox() {
    const SYSTEM: &str = "/etc/firefox/policies/policies.json";
    let own = "outrigger@outrigger.dev";
    let blocked = json!({"ExtensionSettings": {"*": {"installation_mode": "blocked"}}});
    let mut allowed = blocked.clone();
    allowed["ExtensionSettings"][own] = json!({"installation_mode": "force_installed"});
    for (policies, expected) in [
        (blocked.clone(), "problem"),
        (json!({"ExtensionSettings": {own: {"installation_mode": "blocked"}}}), "problem"),
        (json!({"ExtensionSettings": {"*": {"allowed_types": ["theme"]}}}), "problem"),
        (json!({"ExtensionSettings": blocked["ExtensionSettings"].to_string()}), "problem"),
        (json!({"Extensions": {"Uninstall": [own]}}), "problem"),
        (json!({"ExtensionSettings": {"*": {"blocked_permissions": ["nativeMessaging"]}}}), "problem"),
        (json!({"ExtensionSettings": {own: {"blocked_permissions": ["storage"]}}}), "problem"),
        (
            json!({"ExtensionSettings": {own: {"blocked_permissions": ["storage"], "allowed_permissions": ["storage"]}}}),
            "ok",
        ),
        (
            json!({"ExtensionSettings": {"*": {"blocked_permissions": ["storage"], "allowed_permissions": ["storage"]}}}),
            "problem",
        ),
        (
            json!({"ExtensionSettings": {"*": {"blocked_permissions": ["storage"]}, own: {"installation_mode": "allowed"}}}),
            "ok",
        ),
        (json!({"ExtensionSettings": {"*": {"blocked_permissions": ["cookies"]}}}), "ok"),
        (json!({"BlockAboutDebugging": true}), "warning"),
        (json!({"DisableDeveloperTools": true}), "warning"),
        (json!({"InstallAddonsPermission": {"Default": false}}), "problem"),
        (json!({"InstallAddonsPermission": {"Allow": ["https://example.org"]}}), "ok"),
        (
            json!({"InstallAddonsPermission": {"Default": false}, "ExtensionSettings": {own: {"installation_mode": "force_installed"}}}),
            "ok",
        ),
        (allowed, "ok"),
        (json!({"DisableTelemetry": true}), "ok"),
    ] {
        for place in [SYSTEM, "/usr/lib/firefox/distribution/policies.json"] {
            let machine = good_machine();
            put(&machine.environment.system_path(place), json!({"policies": policies}).to_string());
            let said = machine.doctor("--json").json();
            let firefox = browser(&said, "firefox");
            assert_eq!(verdict(&firefox, "policy.extension"), expected, "{place}: {policies}");
            assert_eq!(
                (&firefox["ok"], &browser(&said, "chrome")["ok"]),
                (&json!(expected != "problem"), &json!(true))
            );
        }
    }
    // What the machine says goes before what came with the browser.
    let machine = good_machine();
    put(&machine.environment.system_path(SYSTEM), r#"{"policies": {}}"#);
    put(
        &machine.environment.system_path("/usr/lib/firefox/distribution/policies.json"),
        json!({"policies": blocked}).to_string(),
    );
    assert_eq!(machine.doctor("").exit, Exit::Done);
    // A link that leads nowhere says nothing.
    fs::remove_file(machine.environment.system_path(SYSTEM)).expect("removed");
    std::os::unix::fs::symlink("/nowhere/at/all", machine.environment.system_path(SYSTEM)).expect("link");
    let firefox = browser(&machine.doctor("--json").json(), "firefox");
    assert_eq!(verdict(&firefox, "policy.extension"), "problem", "{firefox:#}");
    // Firefox takes JSON and nothing else.
    let machine = good_machine();
    put(&machine.environment.system_path(SYSTEM), "// a\n{}");
    let finding = named(&machine, "no JSON", "policy.readable", "policies.json");
    assert_eq!(finding["verdict"], "warning");
}

/// What we ship for administrators keeps nobody out.
#[test]
fn our_own_templates_are_right() {
    let machine = good_machine();
    let template = |name: &str| {
        fs::read_to_string(format!("{}/installers/policies/{name}", env!("CARGO_MANIFEST_DIR")))
            .expect("there")
    };
    policy(&machine, CHROME, "outrigger.json", &template("chrome-managed.json"));
    put(
        &machine.environment.system_path("/etc/firefox/policies/policies.json"),
        template("firefox-policies.json"),
    );
    assert_eq!(machine.install("--scope system --browser chrome,firefox").exit, Exit::Done);
    let said = machine.doctor("--json --scope system --browser chrome,firefox");
    assert_eq!(said.exit, Exit::Done, "{:#}", said.json());
    for id in ["policy.allowed", "policy.extension", "policy.user_level", "policy.readable"] {
        assert_eq!(findings(&said.json(), id), [json!(null); 0]);
    }
}

/// A preference that sends Firefox to the desktop's portal for its hosts: it looks into no folder of manifests then.
#[test]
fn hosts_that_firefox_asks_a_portal_for() {
    const NAME: &str = "widget.use-xdg-desktop-portal.native-messaging";
    let line = |value: u8| format!("user_pref(\"a\", \"{NAME}\");\nuser_pref(\"{NAME}\", {value});\n");
    let (one, other) = (".mozilla/firefox/a.default/prefs.js", ".mozilla/firefox/b.work/prefs.js");
    let found = told("one profile", "browser.profile", NAME, |machine| {
        put(&machine.environment.home.join(one), line(1));
    });
    assert_eq!(found["verdict"], "problem", "{found:#}");
    assert!(found["fix"].as_str().is_some_and(|fix| fix.contains("/a.default/user.js")), "{found:#}");
    let found = told("one of two profiles", "browser.profile", NAME, |machine| {
        put(&machine.environment.home.join(one), line(0));
        put(&machine.environment.home.join(other), line(1));
    });
    assert_eq!(found["verdict"], "warning", "{found:#}");

    let machine = good_machine();
    put(&machine.environment.home.join(one), line(1));
    put(&machine.environment.home.join(".mozilla/firefox/a.default/user.js"), line(0));
    put(&machine.environment.home.join(other), line(2));
    assert_eq!(machine.doctor("--json").json()["ok"], true);

    let found = told("a policy", "policy.allowed", NAME, |machine| {
        let policies = json!({"policies": {"Preferences": {NAME: {"Value": 1, "Status": "locked"}}}});
        policy(machine, "/etc/firefox/policies", "policies.json", &policies.to_string());
    });
    assert_eq!(found["verdict"], "problem", "{found:#}");
}
