//! Manifests: what is written, restored, left alone, and said about it. How updates go is `launcher`'s.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use insta::assert_snapshot;
use outrigger::cli::report::Exit;
use serde_json::{Value, json};

use crate::machine::Machine;

const PROFILES: &[&str] = &[".config/google-chrome/Default", ".mozilla/firefox/abc.default"];

#[test]
fn installs_where_browsers_are() {
    let machine = Machine::new();
    machine.has_browsers(PROFILES);
    assert_snapshot!(machine.install("").all(), @r"
    Google Chrome: installed  /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
    Firefox: installed  /m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json
    The extension for Google Chrome: chrome://extensions, Developer mode, Load unpacked, `extension/chrome` of an archive or package: it did not come along with this binary (signed by nobody; in a store by the store; a signed one can be installed by policy)
    The extension for Firefox: about:debugging, This Firefox, Load Temporary Add-on, `extension/firefox/manifest.json` of an archive or package: it did not come along with this binary (until the browser is closed; for good it must be signed by Mozilla; a signed one can be installed by policy)
    No restart is needed. To see that the link works: outrigger doctor
    exit: Done
    ");
    let manifest: Value =
        serde_json::from_slice(&fs::read(machine.chrome()).expect("written")).expect("JSON");
    assert_eq!(
        manifest,
        json!({
            "name": "dev.outrigger.host",
            "description": "Outrigger: workspace tools for the side panel, with the user in charge",
            "path": machine.launcher(),
            "type": "stdio",
            "allowed_origins": ["chrome-extension://pnkolcdhfekpiodligkdlhfkpkpbpclp/"],
        })
    );
    let manifest: Value =
        serde_json::from_slice(&fs::read(machine.firefox()).expect("written")).expect("JSON");
    assert_eq!(manifest["allowed_extensions"], json!(["outrigger@outrigger.dev"]));
    assert_eq!(manifest.as_object().expect("object").len(), 5);
    let mode = fs::metadata(machine.chrome()).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
    let leftovers: Vec<_> = machine
        .everything()
        .into_iter()
        .filter(|(path, _)| path.to_string_lossy().ends_with(".new"))
        .collect();
    assert!(leftovers.is_empty(), "{leftovers:?}");
}

#[test]
fn a_program_in_the_path_is_a_browser_too() {
    let machine = Machine::new();
    symlink("/bin/true", machine.root().join("bin/brave-browser")).expect("link");
    assert_snapshot!(machine.install("").all(), @r"
    Brave: installed  /m/home/.config/BraveSoftware/Brave-Browser/NativeMessagingHosts/dev.outrigger.host.json
    The extension for Brave: chrome://extensions, Developer mode, Load unpacked, `extension/chrome` of an archive or package: it did not come along with this binary (signed by nobody; in a store by the store; a signed one can be installed by policy)
    No restart is needed. To see that the link works: outrigger doctor
    exit: Done
    ");
}

#[test]
fn a_folder_with_nothing_but_our_manifest_is_no_browser() {
    let machine = Machine::new();
    assert_eq!(machine.install("--browser edge").exit, Exit::Done);
    let status = machine.status("--json").json();
    let edge = status["targets"].as_array().expect("list").iter().find(|target| target["browser"] == "edge");
    assert_eq!(edge.expect("edge")["present"], false);
    assert_eq!(edge.expect("edge")["state"], "installed");
}

#[test]
fn nothing_to_install_into() {
    assert_snapshot!(Machine::new().install("").all(), @r"
    error: nothing was installed
      no browser was found
      help: name one (`--browser chrome`), take all of them (`--all`), or give a folder (`--user-data-dir DIR`)
    exit: Problems
    ");
}

#[test]
fn a_name_that_is_not_in_the_list() {
    let machine = Machine::new();
    let known: Vec<&str> = outrigger::install::browsers::BROWSERS.iter().map(|browser| browser.id).collect();
    let said = |args: &str| machine.install(args).all().replace(&known.join(", "), "KNOWN");
    assert_snapshot!(said("--browser chorme"), @r"
    error: nothing was installed
      there is no browser `chorme` in the list
      help: did you mean `chrome`? known browsers: KNOWN
    exit: Usage
    ");
    assert_snapshot!(said("--browser netscape"), @r"
    error: nothing was installed
      there is no browser `netscape` in the list
      help: known browsers: KNOWN; for another one, give its folder: `--browser-dir DIR --family chromium|firefox`
    exit: Usage
    ");
    assert_snapshot!(machine.install("--all --extension-id 1234").all(), @r"
    error: nothing was installed
      `1234` is not an extension id
      help: Chromium ids are 32 letters from a to p (see chrome://extensions), Firefox ids look like name@example.org (see about:debugging)
    exit: Usage
    ");
    assert!(machine.everything().is_empty());
}

#[test]
fn a_user_data_dir_has_its_own_manifest() {
    let machine = Machine::new();
    let folder = machine.home("throw-away");
    let args = format!("--user-data-dir {}", folder.display());
    let said = machine.install(&args);
    assert_snapshot!(said.all(), @r"
    /m/home/throw-away: installed  /m/home/throw-away/NativeMessagingHosts/dev.outrigger.host.json
    The extension for /m/home/throw-away: chrome://extensions, Developer mode, Load unpacked, `extension/chrome` of an archive or package: it did not come along with this binary (signed by nobody; in a store by the store; a signed one can be installed by policy)
    No restart is needed. To see that the link works: outrigger doctor
    exit: Done
    ");
    assert!(folder.join("NativeMessagingHosts/dev.outrigger.host.json").is_file());
    // A profile is its owner's alone.
    assert_eq!(fs::metadata(&folder).expect("made").permissions().mode() & 0o777, 0o700);
    let status = &machine.status("--json").json()["targets"][0];
    assert_eq!((&status["name"], &status["state"]), (&json!("/m/home/throw-away"), &json!("installed")));
    assert_eq!(machine.uninstall("").exit, Exit::Done);
    assert!(machine.everything().is_empty());
}

#[test]
fn further_extensions() {
    let machine = Machine::new();
    let id = "abcdefghijklmnopabcdefghijklmnop";
    assert_snapshot!(machine.install(&format!("--browser chrome --extension-id {id}")).all(), @r#"
    Google Chrome: installed  /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
    The extension for Google Chrome: chrome://extensions, Developer mode, Load unpacked, `extension/chrome` of an archive or package: it did not come along with this binary (signed by nobody; in a store by the store; a signed one can be installed by policy)
    No restart is needed. To see that the link works: outrigger doctor
    warning: the browser now lets these extensions start outrigger; outrigger itself asks its configuration
      help: add to the configuration: [extensions] allow = ["chrome-extension://abcdefghijklmnopabcdefghijklmnop/"]
    exit: Done
    "#);
    let manifest: Value =
        serde_json::from_slice(&fs::read(machine.chrome()).expect("written")).expect("JSON");
    assert_eq!(manifest["allowed_origins"][1], format!("chrome-extension://{id}/"));
    assert_snapshot!(machine.install("--browser chrome").all(), @r"
    Google Chrome: updated  /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
    The extension for Google Chrome: chrome://extensions, Developer mode, Load unpacked, `extension/chrome` of an archive or package: it did not come along with this binary (signed by nobody; in a store by the store; a signed one can be installed by policy)
    No restart is needed. To see that the link works: outrigger doctor
    warning: Google Chrome: the extension `chrome-extension://abcdefghijklmnopabcdefghijklmnop/` may no longer start outrigger
      help: to keep it, add `--extension-id chrome-extension://abcdefghijklmnopabcdefghijklmnop/`
    exit: Done
    ");
}

#[test]
fn a_second_time_changes_nothing() {
    let machine = Machine::new();
    machine.has_browsers(PROFILES);
    machine.install("");
    let before = machine.everything();
    assert_snapshot!(machine.install("").all(), @r"
    Google Chrome: already installed  /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
    Firefox: already installed  /m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json
    The extension for Google Chrome: chrome://extensions, Developer mode, Load unpacked, `extension/chrome` of an archive or package: it did not come along with this binary (signed by nobody; in a store by the store; a signed one can be installed by policy)
    The extension for Firefox: about:debugging, This Firefox, Load Temporary Add-on, `extension/firefox/manifest.json` of an archive or package: it did not come along with this binary (until the browser is closed; for good it must be signed by Mozilla; a signed one can be installed by policy)
    No restart is needed. To see that the link works: outrigger doctor
    exit: Done
    ");
    assert_eq!(machine.everything(), before);
}

#[test]
fn showing_and_rehearsing_write_nothing() {
    let machine = Machine::new();
    machine.has_browsers(PROFILES);
    let before = machine.everything();
    assert_snapshot!(machine.install("--print --browser firefox").all(), @r#"
    # Firefox: /m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json
    {
      "name": "dev.outrigger.host",
      "description": "Outrigger: workspace tools for the side panel, with the user in charge",
      "path": "/m/home/.local/share/outrigger/bin/outrigger",
      "type": "stdio",
      "allowed_extensions": [
        "outrigger@outrigger.dev"
      ]
    }
    exit: Done
    "#);
    assert_snapshot!(machine.install("--dry-run").all(), @r"
    Google Chrome: would install  /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
    Firefox: would install  /m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json
    exit: Done
    ");
    assert_eq!(machine.everything(), before);
    assert!(!machine.environment.state_dir.exists());
    machine.install("");
    let installed = machine.everything();
    assert_snapshot!(machine.uninstall("--dry-run").all(), @r"
    Google Chrome: would uninstall  /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
    Firefox: would uninstall  /m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json
    exit: Done
    ");
    assert_eq!(machine.everything(), installed);
}

#[test]
fn one_that_fails_does_not_stop_the_rest() {
    let machine = Machine::new();
    machine.has_browsers(PROFILES);
    // A file where Chrome's folder belongs.
    fs::write(machine.home(".config/google-chrome/NativeMessagingHosts"), "").expect("written");
    assert_snapshot!(machine.install("").all(), @r"
    Firefox: installed  /m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json
    The extension for Firefox: about:debugging, This Firefox, Load Temporary Add-on, `extension/firefox/manifest.json` of an archive or package: it did not come along with this binary (until the browser is closed; for good it must be signed by Mozilla; a signed one can be installed by policy)
    No restart is needed. To see that the link works: outrigger doctor
    error: Google Chrome: not installed
      cannot look at `/m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json`: Not a directory (os error 20)
      help: a file where a folder belongs: /m/home/.config/google-chrome/NativeMessagingHosts; `mv /m/home/.config/google-chrome/NativeMessagingHosts /m/home/.config/google-chrome/NativeMessagingHosts.old` mends that
    exit: Problems
    ");
    assert!(machine.firefox().is_file());
    let json = machine.install("--json").json();
    assert_eq!(json["targets"][0]["result"], "failed");
    assert_eq!(json["targets"][1]["result"], "unchanged");
}

#[test]
fn uninstalling_leaves_the_machine_as_it_was() {
    let machine = Machine::new();
    machine.has_browsers(PROFILES);
    let before = machine.everything();
    assert_eq!(machine.install("--all").exit, Exit::Done);
    assert_ne!(machine.everything(), before);
    let targets = machine.uninstall("--json").json()["targets"].as_array().expect("list").len();
    assert!(targets > 15, "{targets}");
    assert_eq!(machine.everything(), before);
    machine.install("--browser chrome,chromium,edge,brave,firefox");
    assert_snapshot!(machine.uninstall("").all(), @r"
    Google Chrome: uninstalled  /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
    Chromium: uninstalled  /m/home/.config/chromium/NativeMessagingHosts/dev.outrigger.host.json
    Microsoft Edge: uninstalled  /m/home/.config/microsoft-edge/NativeMessagingHosts/dev.outrigger.host.json
    Brave: uninstalled  /m/home/.config/BraveSoftware/Brave-Browser/NativeMessagingHosts/dev.outrigger.host.json
    Firefox: uninstalled  /m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json
    exit: Done
    ");
    assert_eq!(machine.everything(), before);
    assert_snapshot!(machine.uninstall("").all(), @r"
    outrigger is in no browser: there is nothing to uninstall.
    exit: Done
    ");
}

#[test]
fn on_a_fresh_machine_nothing_stays() {
    let machine = Machine::new();
    machine.install("--all");
    assert_eq!(machine.uninstall("--browser chrome,firefox").exit, Exit::Done);
    assert!(machine.launcher().exists());
    assert_eq!(machine.uninstall("").exit, Exit::Done);
    assert_eq!(machine.everything(), []);
}

#[test]
fn the_state_goes_only_when_that_is_asked_for() {
    let machine = Machine::new();
    machine.install("--all");
    let journal = machine.environment.state_dir.join("journal.sqlite");
    fs::create_dir_all(machine.environment.state_dir.join("log")).expect("folder");
    fs::write(&journal, "rows").expect("written");
    // As long as something is installed it stays, whatever was asked for.
    machine.uninstall("--browser chrome --purge");
    assert!(journal.exists());
    machine.uninstall("--purge");
    assert_eq!(machine.everything(), []);
    // Also when nothing is installed any more.
    machine.install("--browser chrome");
    fs::create_dir_all(machine.environment.state_dir.join("log")).expect("folder");
    fs::write(&journal, "rows").expect("written");
    machine.uninstall("");
    assert!(journal.exists() && machine.environment.state_dir.join("log").exists());
    machine.uninstall("--purge");
    assert!(!machine.environment.state_dir.exists());
}

#[test]
fn what_was_there_before_comes_back() {
    let machine = Machine::new();
    machine.has_browsers(PROFILES);
    for manifest in [machine.chrome(), machine.firefox()] {
        fs::create_dir_all(manifest.parent().expect("parent")).expect("folder");
    }
    fs::write(machine.chrome(), b"\xff not even text \x00").expect("written");
    fs::set_permissions(machine.chrome(), fs::Permissions::from_mode(0o600)).expect("mode");
    symlink("../elsewhere.json", machine.firefox()).expect("link");
    let before = machine.everything();

    assert_snapshot!(machine.install("").all(), @r"
    Google Chrome: replaced another manifest (uninstall brings it back)  /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
    Firefox: replaced another manifest (uninstall brings it back)  /m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json
    The extension for Google Chrome: chrome://extensions, Developer mode, Load unpacked, `extension/chrome` of an archive or package: it did not come along with this binary (signed by nobody; in a store by the store; a signed one can be installed by policy)
    The extension for Firefox: about:debugging, This Firefox, Load Temporary Add-on, `extension/firefox/manifest.json` of an archive or package: it did not come along with this binary (until the browser is closed; for good it must be signed by Mozilla; a signed one can be installed by policy)
    No restart is needed. To see that the link works: outrigger doctor
    exit: Done
    ");
    assert!(!machine.firefox().is_symlink());
    // Ours renewed, twice: what was there before stays what it was.
    machine.install("--extension-id abcdefghijklmnopabcdefghijklmnop");
    machine.install("");
    assert_snapshot!(machine.uninstall("").all(), @r"
    Google Chrome: uninstalled; what was there before is back  /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
    Firefox: uninstalled; what was there before is back  /m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json
    exit: Done
    ");

    assert_eq!(machine.everything(), before);
    assert_eq!(fs::metadata(machine.chrome()).expect("there").permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_others_wrote_or_changed_is_left() {
    let machine = Machine::new();
    machine.has_browsers(PROFILES);
    machine.install("--browser chrome");
    fs::write(machine.chrome(), "{\"changed\": true}").expect("written");
    fs::create_dir_all(machine.firefox().parent().expect("parent")).expect("folder");
    fs::write(machine.firefox(), "{}").expect("written");
    let before = machine.everything();
    assert_snapshot!(machine.uninstall("").all(), @r"
    Firefox: left as it is: outrigger has no record of having written `/m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json` (if nobody needs it: rm /m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json)
    error: Google Chrome: left as it is
      `/m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json` has been changed since outrigger wrote it
      help: if nobody needs it: rm /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
    exit: Problems
    ");
    assert_eq!(machine.everything(), before);
    // Once the changed file is gone, nothing is remembered of it.
    fs::remove_file(machine.chrome()).expect("removed");
    assert_eq!(machine.uninstall("--browser chrome --json").json()["targets"][0]["result"], "not_installed");
    assert!(!machine.chrome().parent().expect("parent").exists());
}

#[test]
fn a_write_that_was_cut_off_is_understood() {
    let machine = Machine::new();
    machine.has_browsers(PROFILES);
    machine.install("--browser chrome");
    let old = fs::read(machine.chrome()).expect("written");
    machine.install("--browser chrome --extension-id abcdefghijklmnopabcdefghijklmnop");
    // As if the process had been killed after the record and before the manifest: both texts are ours.
    let record = machine.environment.state_dir.join("installed.json");
    let mut saved: Value = serde_json::from_slice(&fs::read(&record).expect("there")).expect("JSON");
    let digest = outrigger::ids::sha256_hex(&old);
    saved["manifests"][0]["wrote"].as_array_mut().expect("list").push(digest.into());
    fs::write(&record, saved.to_string()).expect("written");
    fs::write(machine.chrome(), old).expect("written");
    assert_eq!(machine.uninstall("--json").json()["targets"][0]["result"], "removed");
}

#[test]
fn a_record_that_cannot_be_read_stops_everything() {
    let machine = Machine::new();
    machine.has_browsers(PROFILES);
    fs::create_dir_all(&machine.environment.state_dir).expect("folder");
    fs::write(machine.environment.state_dir.join("installed.json"), "{").expect("written");
    assert_snapshot!(machine.install("").all(), @r"
    error: nothing was installed
      the record of installed manifests, `/m/home/.local/state/outrigger/installed.json`, cannot be used: EOF while parsing an object at line 1 column 1
      help: move the record away to start a new one; manifests it listed then have to be deleted by hand
    exit: Problems
    ");
    assert!(!machine.chrome().exists());
}

#[test]
fn status_tells_the_states_apart() {
    let machine = Machine::new();
    machine.has_browsers(PROFILES);
    machine.has_browsers(&[".config/chromium/Default"]);
    machine.install("--browser chrome,chromium,edge,brave,firefox");
    let edit = |path: &str, key: &str, value: Value| {
        let path = machine.home(path).join("NativeMessagingHosts/dev.outrigger.host.json");
        let mut manifest: Value = serde_json::from_slice(&fs::read(&path).expect("there")).expect("JSON");
        manifest[key] = value;
        fs::write(path, manifest.to_string()).expect("written");
    };
    edit(".config/chromium", "path", "/nowhere/outrigger".into());
    edit(".config/microsoft-edge", "path", "/bin/sh".into());
    edit(
        ".config/BraveSoftware/Brave-Browser",
        "allowed_origins",
        json!(["chrome-extension://pnkolcdhfekpiodligkdlhfkpkpbpclp"]),
    );
    fs::remove_file(machine.firefox()).expect("removed");
    assert_snapshot!(machine.status("").all(), @r#"
    BROWSER         FOUND  STATE             MANIFEST
    Google Chrome   yes    installed         /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
    Chromium        yes    points elsewhere  /m/home/.config/chromium/NativeMessagingHosts/dev.outrigger.host.json
    Microsoft Edge  no     other binary      /m/home/.config/microsoft-edge/NativeMessagingHosts/dev.outrigger.host.json
    Brave           no     damaged           /m/home/.config/BraveSoftware/Brave-Browser/NativeMessagingHosts/dev.outrigger.host.json
    Firefox         yes    missing           /m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json
    Chromium: `/nowhere/outrigger`, which the manifest names, cannot be found: No such file or directory (os error 2)
    Microsoft Edge: the manifest names another binary than this one, `/m/bin/outrigger`: /usr/bin/dash
    Brave: one wrong entry makes the browser refuse the whole manifest: `chrome-extension://`, 32 letters from a to p, and a final slash are needed, without wildcards: "chrome-extension://pnkolcdhfekpiodligkdlhfkpkpbpclp"
    This looks at files only; `outrigger doctor` proves that the links work.
    exit: Done
    "#);
    let states: Vec<Value> = machine.status("--json").json()["targets"]
        .as_array()
        .expect("list")
        .iter()
        .map(|target| target["state"].clone())
        .collect();
    assert_eq!(states, ["installed", "points_elsewhere", "other_binary", "damaged", "missing"]);
}

#[test]
fn browsers_that_read_one_manifest_are_one_target() {
    let machine = Machine::new();
    machine.has_browsers(&[".zen/x.default", ".config/opera/Default"]);
    assert_snapshot!(machine.install("").all(), @r"
    Opera: installed  /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
    Zen: installed  /m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json
    The extension for Opera: chrome://extensions, Developer mode, Load unpacked, `extension/chrome` of an archive or package: it did not come along with this binary (signed by nobody; in a store by the store; a signed one can be installed by policy)
    The extension for Zen: about:debugging, This Firefox, Load Temporary Add-on, `extension/firefox/manifest.json` of an archive or package: it did not come along with this binary (until the browser is closed; for good it must be signed by Mozilla; a signed one can be installed by policy)
    No restart is needed. To see that the link works: outrigger doctor
    exit: Done
    ");
    machine.has_browsers(PROFILES);
    assert_snapshot!(machine.install("").all(), @r"
    Google Chrome (and Opera): already installed  /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
    Firefox (and Zen): already installed  /m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json
    The extension for Google Chrome (and Opera): chrome://extensions, Developer mode, Load unpacked, `extension/chrome` of an archive or package: it did not come along with this binary (signed by nobody; in a store by the store; a signed one can be installed by policy)
    The extension for Firefox (and Zen): about:debugging, This Firefox, Load Temporary Add-on, `extension/firefox/manifest.json` of an archive or package: it did not come along with this binary (until the browser is closed; for good it must be signed by Mozilla; a signed one can be installed by policy)
    No restart is needed. To see that the link works: outrigger doctor
    exit: Done
    ");
}

#[test]
fn for_everybody_on_the_machine() {
    let mut machine = Machine::new();
    machine.environment.is_root = true;
    machine.has_browsers(PROFILES);
    let before = machine.everything();
    assert_snapshot!(machine.install("--scope system").all(), @r"
    Google Chrome: installed  /m/system/etc/opt/chrome/native-messaging-hosts/dev.outrigger.host.json
    Firefox: installed  /m/system/usr/lib/mozilla/native-messaging-hosts/dev.outrigger.host.json
    The extension for Google Chrome: chrome://extensions, Developer mode, Load unpacked, `extension/chrome` of an archive or package: it did not come along with this binary (signed by nobody; in a store by the store; a signed one can be installed by policy)
    The extension for Firefox: about:debugging, This Firefox, Load Temporary Add-on, `extension/firefox/manifest.json` of an archive or package: it did not come along with this binary (until the browser is closed; for good it must be signed by Mozilla; a signed one can be installed by policy)
    No restart is needed. To see that the link works: outrigger doctor
    exit: Done
    ");
    let folder = machine.environment.system_path("/etc/opt/chrome/native-messaging-hosts");
    let manifest = folder.join("dev.outrigger.host.json");
    // Everybody can read it, and what is above it.
    assert_eq!(fs::metadata(&folder).expect("there").permissions().mode() & 0o777, 0o755);
    assert_eq!(fs::metadata(&manifest).expect("there").permissions().mode() & 0o777, 0o644);
    // It names the program itself: a copy in somebody's home is nobody else's.
    let value: Value = serde_json::from_slice(&fs::read(&manifest).expect("there")).expect("JSON");
    assert_eq!(value["path"], machine.environment.binary.to_str().expect("text"));
    assert!(!machine.launcher().exists());
    assert_snapshot!(machine.install("--scope system --browser brave").all(), @r"
    error: nothing was installed
      Brave has no known folder for all users on Linux
      help: install it for your user, without `--scope system`
    exit: Usage
    ");
    assert_eq!(machine.uninstall("--scope system").exit, Exit::Done);
    assert_eq!(machine.everything(), before);
}

#[test]
fn on_windows_the_registry_names_the_manifest() {
    let machine = Machine::windows();
    machine.has_browsers(&[
        "AppData/Local/Google/Chrome/User Data/Default",
        "AppData/Roaming/Mozilla/Firefox/x",
    ]);
    let key = |name: &str| format!("HKCU\\Software\\{name}\\NativeMessagingHosts\\dev.outrigger.host");
    // One key was there with somebody's value, one without any.
    machine.set_registry(
        &json!({key("Google\\Chrome"): "C:\\other.json", key("Chromium"): null, "HKCU\\X": "1"}),
    );
    let before = (machine.everything(), machine.registry());
    let said = machine.install("");
    assert_eq!(said.exit, Exit::Done, "{}", said.all());
    machine.install("--browser chromium,edge-beta,brave");
    let manifests = machine.environment.program_dir.join("manifests");
    let manifest = |name: &str| manifests.join(name).join("dev.outrigger.host.json");
    let registry = machine.registry();
    for (name, folder) in [
        ("Google\\Chrome", "google-chrome"),
        ("Chromium", "chromium"),
        ("Microsoft\\Edge", "microsoft-edge"),
        ("BraveSoftware\\Brave-Browser", "bravesoftware-brave-browser"),
        ("Mozilla", "mozilla"),
    ] {
        assert_eq!(registry[key(name)], manifest(folder).to_str().expect("text"), "{registry:#}");
        assert!(manifest(folder).is_file());
    }
    let again = machine.install("--json").json();
    assert!(
        again["targets"].as_array().expect("list").iter().all(|target| target["result"] == "unchanged"),
        "{again:#}"
    );
    assert_eq!(machine.uninstall("").exit, Exit::Done);
    assert_eq!(machine.everything(), before.0);
    // Whatever the order of its keys.
    assert_eq!(machine.registry().as_object().map(serde_json::Map::len), Some(3));
    for (key, value) in before.1.as_object().expect("keys") {
        assert_eq!(machine.registry()[key], *value, "{key}");
    }
    let said = machine.install("--user-data-dir /x");
    assert!(said.all().contains("browsers on Windows look into the registry"), "{}", said.all());
}

#[test]
fn what_came_along_is_told_how_to_load() {
    let machine = Machine::new();
    machine.has_browsers(PROFILES);
    for file in ["chrome/manifest.json", "firefox/manifest.json"] {
        let path = machine.root().join("share/outrigger/extension").join(file);
        fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        fs::write(path, "{}").expect("written");
    }
    assert_snapshot!(machine.install("").all(), @r"
    Google Chrome: installed  /m/home/.config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json
    Firefox: installed  /m/home/.mozilla/native-messaging-hosts/dev.outrigger.host.json
    The extension for Google Chrome: chrome://extensions, Developer mode, Load unpacked, /m/share/outrigger/extension/chrome (signed by nobody; in a store by the store; a signed one can be installed by policy)
    The extension for Firefox: about:debugging, This Firefox, Load Temporary Add-on, /m/share/outrigger/extension/firefox/manifest.json (until the browser is closed; for good it must be signed by Mozilla; a signed one can be installed by policy)
    No restart is needed. To see that the link works: outrigger doctor
    exit: Done
    ");
    let answer = machine.install("--json --browser firefox").json();
    assert_eq!(answer["extension"][0]["browsers"], json!(["Firefox"]));
}
