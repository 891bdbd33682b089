//! Installations at the same time as others, beside what strangers have, on a disk that is full: nothing of ours stays, nothing of
//! theirs goes.

use std::{
    fs::{self, File},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::fresh_home::{Home, Said, edit};

const BOTH: [&str; 3] = ["install", "--browser", "chrome,firefox"];

fn runs(home: &Home, args: &[&str]) -> Said {
    let said = home.run(args);
    assert_eq!(said.code, Some(0), "{args:?}: {}{}", said.out, said.err);
    said
}

/// Puts a file of somebody there.
fn put(home: &Home, path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("parent")).expect("folder");
    fs::write(path, bytes).expect("written");
    home.give_to_user();
}

/// A build of the same program with other bytes.
fn another_build(home: &Home) -> PathBuf {
    let path = home.path("next-build");
    let mut shell = Command::new("sh");
    shell.args(["-c", "cp \"$1\" \"$2\" && printf next >>\"$2\"", "sh"]).arg(&home.binary).arg(&path);
    assert!(shell.status().expect("sh").success());
    home.give_to_user();
    path
}

fn start(home: &Home, program: &Path, args: &[&str]) -> Child {
    let mut command = home.command(program);
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started")
}

fn end(child: Child) -> Said {
    let output = child.wait_with_output().expect("ended");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// Long enough for a process to come to where it has to wait.
fn meanwhile() {
    thread::sleep(Duration::from_millis(700));
}

#[test]
fn an_update_waits_for_the_record_and_makes_nothing_after_an_uninstallation() {
    let home = Home::small();
    let next = another_build(&home);
    let before = home.tree();
    runs(&home, &BOTH);
    let held = File::open(home.state("installed.lock")).expect("lock");
    held.lock().expect("locked");
    let mut update = start(&home, &next, &["update-launcher"]);
    meanwhile();
    assert!(update.try_wait().expect("asked").is_none(), "it did not wait");
    assert_eq!(fs::read_dir(home.program("versions")).expect("folder").count(), 1);
    // Another process uninstalls, in so far as the record knows it, and lets go.
    edit(&home.state("installed.json"), |record| {
        record["manifests"] = Value::Array(Vec::new());
        record["has_launcher"] = false.into();
        record["programs"] = Value::Array(Vec::new());
    });
    for gone in [home.program(""), home.path(".local/share")] {
        fs::remove_dir_all(gone).expect("removed");
    }
    for manifest in [home.chrome(), home.firefox()] {
        fs::remove_dir_all(manifest.parent().expect("parent")).expect("removed");
    }
    home.give_to_user();
    drop(held);
    let said = end(update);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.contains("there is nothing to update"), "{}", said.out);
    assert_eq!(home.tree(), before);
}

/// Starts both at the same time, at moments that chance finds, and then takes out what is there.
fn at_once(commands: [&[&str]; 2], is_installed: bool, pause: u64) {
    for round in 0..16 {
        let home = Home::small();
        let next = another_build(&home);
        let before = home.tree();
        if is_installed {
            runs(&home, &["install"]);
        }
        let [first, second] = commands;
        let program = if first[0] == "update-launcher" { &next } else { &home.binary };
        let first = start(&home, program, first);
        thread::sleep(Duration::from_millis(round % 8 * pause));
        for child in [first, start(&home, &home.binary, second)] {
            let said = end(child);
            assert_eq!(said.code, Some(0), "round {round}: {}{}", said.out, said.err);
        }
        runs(&home, &["uninstall"]);
        assert_eq!(home.tree(), before, "round {round}");
    }
}

#[test]
fn an_update_beside_an_uninstallation_leaves_nothing() {
    at_once([&["update-launcher"], &["uninstall"]], true, 8);
}

#[test]
fn two_installations_at_once_both_succeed() {
    at_once([&["install"], &["install"]], false, 1);
}

#[test]
fn an_installation_beside_an_uninstallation_leaves_nothing() {
    at_once([&["uninstall"], &["install"]], true, 5);
}

/// Folders that go are seen by nobody half gone: else who comes meanwhile would not know that those above were made.
#[test]
fn an_uninstallation_takes_folders_away_while_nobody_makes_any() {
    let home = Home::small();
    let before = home.tree();
    runs(&home, &BOTH);
    let alone = File::open(home.path("")).expect("home");
    alone.lock().expect("locked");
    let uninstall = start(&home, &home.binary, &["uninstall"]);
    meanwhile();
    assert!(home.state("installed.json").is_file(), "it did not wait");
    let install = start(&home, &home.binary, &BOTH);
    drop(alone);
    for child in [uninstall, install] {
        let said = end(child);
        assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    }
    runs(&home, &["uninstall"]);
    assert_eq!(home.tree(), before);
}

/// A folder of a record that another process is just making is not taken for what a dead one has left.
#[test]
fn a_folder_that_is_being_made_is_not_swept_away() {
    let home = Home::small();
    let before = home.tree();
    let gate = File::open(home.path("")).expect("home");
    gate.lock().expect("locked");
    let passing = home.path(".outrigger.01ARZ3NDEKTSV4RRFFQ69G5FAV.new");
    fs::create_dir_all(passing.join("state/outrigger")).expect("folder");
    home.give_to_user();
    let install = start(&home, &home.binary, &BOTH);
    meanwhile();
    assert!(passing.join("state/outrigger").is_dir(), "it was swept away");
    drop(gate);
    // Whoever made it has died now.
    assert_eq!(end(install).code, Some(0));
    runs(&home, &["uninstall"]);
    assert_eq!(home.tree(), before);
}

/// What install says it keeps, uninstall brings back: a record that has grown large is read.
#[test]
fn manifests_of_somebody_that_are_large_come_back() {
    let home = Home::small();
    put(&home, &home.chrome(), &vec![b'c'; 700_000]);
    put(&home, &home.firefox(), &vec![b'f'; 600_000]);
    let before = home.tree();
    let said = runs(&home, &BOTH);
    assert!(said.out.contains("uninstall brings it back"), "{}", said.out);
    assert_eq!(home.doctor(&[])["ok"], true);
    runs(&home, &BOTH);
    runs(&home, &["uninstall"]);
    assert_eq!(home.tree(), before);
    assert_eq!(fs::read(home.chrome()).expect("there"), vec![b'c'; 700_000]);
}

/// A file may carry notes, and a list of who else may read it.
#[test]
fn what_a_manifest_of_somebody_carries_comes_back() {
    const LIST: &str = "system.posix_acl_access";
    // For the owner all, for user 4321 and the group to read, for others nothing.
    let entries: [(u16, u16, u32); 5] =
        [(1, 6, u32::MAX), (2, 4, 4321), (4, 0, u32::MAX), (16, 4, u32::MAX), (32, 0, u32::MAX)];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in entries {
        list.extend([&tag.to_le_bytes()[..], &rights.to_le_bytes(), &id.to_le_bytes()].concat());
    }
    let home = Home::small();
    put(&home, &home.chrome(), b"{}");
    let set = |name: &str, value: &[u8]| {
        rustix::fs::setxattr(home.chrome(), name, value, rustix::fs::XattrFlags::empty()).is_ok()
    };
    if !set("user.origin", b"https://example.org") || !set(LIST, &list) {
        return;
    }
    let before = home.tree();
    runs(&home, &BOTH);
    runs(&home, &["uninstall"]);
    assert_eq!(home.tree(), before);
    for (name, value) in [("user.origin", &b"https://example.org"[..]), (LIST, &list)] {
        let mut seen = [0_u8; 256];
        let length = rustix::fs::getxattr(home.chrome(), name, &mut seen[..]).expect(name);
        assert_eq!(&seen[..length], value, "{name}");
    }
}

/// More than the record may hold is refused before anything is changed, and what fits is installed.
#[test]
fn more_than_the_record_may_keep_is_refused() {
    let home = Home::small();
    let folders: Vec<String> =
        (0..13).map(|number| home.path(&format!("data-{number}")).display().to_string()).collect();
    for folder in &folders {
        put(
            &home,
            &Path::new(folder).join("NativeMessagingHosts/dev.outrigger.host.json"),
            &vec![b'x'; 1_000_000],
        );
    }
    let before = home.tree();
    let mut args = vec!["install"];
    args.extend(folders.iter().flat_map(|folder| ["--user-data-dir", folder.as_str()]));
    let rehearsed = home.run(&[&args[..], &["--dry-run"]].concat());
    assert_eq!(home.tree(), before);
    let said = home.run(&args);
    for said in [&rehearsed, &said] {
        assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
        assert!(said.err.contains("data-12") && said.err.contains("too large to be kept"), "{}", said.err);
        assert!(said.err.contains("help: ") && said.err.contains("mv "), "{}", said.err);
    }
    let last = Path::new(&folders[12]).join("NativeMessagingHosts/dev.outrigger.host.json");
    assert_eq!(fs::metadata(last).expect("there").len(), 1_000_000);
    assert_eq!(home.run(&["status"]).code, Some(0));
    let said = runs(&home, &["uninstall"]);
    assert!(said.out.contains("is back"), "{}", said.out);
    assert_eq!(home.tree(), before);
}

/// What an installation would refuse, its rehearsal refuses as well.
#[test]
fn a_rehearsal_tells_of_somebody_elses_command() {
    let home = Home::small();
    let args = ["install", "--browser", "chrome,firefox", "--with-command"];
    let rehearsed = |code: i32| {
        let before = home.tree();
        let said = home.run(&[&args[..], &["--dry-run"]].concat());
        assert_eq!(said.code, Some(code), "{}{}", said.out, said.err);
        assert_eq!(home.tree(), before);
        said
    };
    rehearsed(0);
    put(&home, &home.path(".local/bin/outrigger"), b"mine");
    let (told, done) = (rehearsed(1), home.run(&args));
    assert_eq!(done.code, Some(1), "{}{}", done.out, done.err);
    for said in [&told, &done] {
        assert!(said.err.contains(".local/bin/outrigger") && said.err.contains("help: "), "{}", said.err);
    }
    fs::remove_file(home.path(".local/bin/outrigger")).expect("removed");
    runs(&home, &args);
    // Ours is none of somebody else.
    rehearsed(0);
}

/// `--keep` goes into no further browser, and its rehearsal names none.
#[test]
fn a_rehearsal_of_an_update_names_the_browsers_that_it_would_touch() {
    let home = Home::small();
    let keep = ["install", "--keep", "--dry-run"];
    let said = runs(&home, &keep);
    assert!(said.out.contains("google-chrome") && said.out.contains(".mozilla"), "{}", said.out);
    runs(&home, &["install", "--browser", "firefox"]);
    let before = home.tree();
    let said = runs(&home, &keep);
    assert!(!said.out.contains("google-chrome") && said.out.contains(".mozilla"), "{}", said.out);
    assert_eq!(home.tree(), before);
    // One that is named is meant.
    let said = runs(&home, &[&keep[..], &["--browser", "chrome"]].concat());
    assert!(said.out.contains("google-chrome"), "{}", said.out);
}

#[test]
fn a_state_folder_that_was_there_stays_after_an_installation_that_did_nothing() {
    let home = Home::small();
    fs::create_dir_all(home.state("")).expect("folder");
    // As a run leaves it that is killed before it has noted anything.
    let before = {
        home.give_to_user();
        home.tree()
    };
    put(&home, &home.state("installed.lock"), b"");
    runs(&home, &["uninstall"]);
    assert_eq!(home.tree(), before);
    // And one that was not killed.
    runs(&home, &BOTH);
    runs(&home, &["uninstall"]);
    assert_eq!(home.tree(), before);
}

#[test]
fn a_folder_of_programs_that_is_a_link() {
    let home = Home::small();
    fs::create_dir_all(home.program("")).expect("folder");
    fs::create_dir_all(home.path("my programs")).expect("folder");
    symlink(home.path("my programs"), home.program("bin")).expect("link");
    home.give_to_user();
    let before = home.tree();
    runs(&home, &BOTH);
    let launcher = home.program("bin/outrigger");
    assert!(launcher.is_file(), "it leads nowhere: {:?}", fs::read_link(&launcher));
    assert_eq!(home.doctor(&[])["ok"], true);
    let during = home.tree();
    runs(&home, &BOTH);
    assert_eq!(home.tree(), during, "a second time changes nothing");
    let next = another_build(&home);
    assert_eq!(end(start(&home, &next, &["update-launcher"])).code, Some(0));
    fs::remove_file(next).expect("removed");
    assert!(launcher.is_file(), "it leads nowhere: {:?}", fs::read_link(&launcher));
    runs(&home, &["uninstall"]);
    assert_eq!(home.tree(), before);
}

/// A record that a newer outrigger wrote is not to be moved away: what it keeps of others would be lost.
#[test]
fn a_record_of_a_newer_outrigger() {
    let home = Home::small();
    put(&home, &home.chrome(), b"{\"theirs\": true}");
    runs(&home, &BOTH);
    for change in [
        (|record: &mut Value| record["version"] = 2.into()) as fn(&mut Value),
        // Its shape may be another one, too.
        |record| record["manifests"] = "elsewhere".into(),
    ] {
        edit(&home.state("installed.json"), change);
        home.give_to_user();
        let during = home.tree();
        for args in [&BOTH[..], &["uninstall"], &["update-launcher"]] {
            let said = home.run(args);
            assert_eq!(said.code, Some(1), "{args:?}: {}{}", said.out, said.err);
            assert!(said.err.contains("newer outrigger"), "{args:?}: {}", said.err);
            assert!(!said.err.contains("move the record away") && !said.err.contains("mv "), "{}", said.err);
        }
        assert_eq!(home.tree(), during);
    }
}

#[test]
fn nothing_to_uninstall_is_no_mistake() {
    let home = Home::small();
    put(&home, &home.chrome(), b"{\"theirs\": true}");
    let before = home.tree();
    for is_installed in [false, true] {
        if is_installed {
            runs(&home, &BOTH);
            runs(&home, &["uninstall"]);
        }
        let said = runs(&home, &["uninstall"]);
        assert!(said.out.contains("there is nothing to uninstall"), "{}", said.out);
        assert!(said.out.contains("no record of having written") && said.err.is_empty(), "{}", said.err);
        runs(&home, &["uninstall", "--browser", "chrome"]);
        assert_eq!(home.tree(), before);
    }
    assert_eq!(home.run(&["uninstall", "--browser", "chorme"]).code, Some(2));
}

#[test]
fn a_file_in_the_place_of_copies_is_left_alone() {
    let home = Home::small();
    put(&home, &home.program("versions"), b"of somebody");
    let before = home.tree();
    let said = home.run(&BOTH);
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert_eq!(home.tree(), before);
    runs(&home, &["uninstall"]);
    assert_eq!(home.tree(), before);
}

/// Where there is no room to bring somebody's file back, our own copies make it.
#[test]
fn a_full_disk_has_room_for_what_comes_back() {
    let script = "cp -a \"$1/home\" \"$1/kept\"; mount -t tmpfs -o size=120m none \"$1/home\"; cp -a \"$1/kept/.\" \"$1/home\"; rm -r \"$1/kept\"";
    let Some(mut home) = Home::with_disks(script) else { return };
    home.binary.clone_from(&Home::small().binary);
    home.mount(
        "for folder in .config/google-chrome/NativeMessagingHosts .mozilla/native-messaging-hosts; do mkdir -p \"$1/home/$folder\"; \
         head -c 300000 /dev/urandom >\"$1/home/$folder/dev.outrigger.host.json\"; done; chown --reference=\"$1/home\" -R \"$1/home\"",
    );
    let before = home.tree();
    runs(&home, &BOTH);
    home.mount("head -c 200M /dev/zero >\"$1/home/fill\" || true");
    runs(&home, &["uninstall"]);
    home.mount("rm \"$1/home/fill\"");
    assert_eq!(home.tree(), before);
}

/// What is there before us, and is not ours.
const THEIRS: &[u8] = b"{\"name\":\"dev.outrigger.host\",\"path\":\"/bin/true\"}\n";

fn close(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("mode");
}

#[test]
fn a_folder_that_nobody_may_list_keeps_what_is_in_it() {
    let home = Home::small();
    put(&home, &home.chrome(), THEIRS);
    let folder = home.chrome().parent().expect("parent").to_path_buf();
    let before = home.tree();
    close(&folder, 0o300);
    let said = home.run(&["install", "--browser", "chrome"]);
    assert_eq!((said.code, said.err.contains("chmod u+rwx")), (Some(1), true), "{}", said.err);
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    close(&folder, 0o755);
    assert_eq!((fs::read(home.chrome()).expect("there"), home.tree()), (THEIRS.to_vec(), before));
}

#[test]
fn what_an_earlier_installation_keeps_outlives_one_that_fails() {
    for spoil in [None, Some("{")] {
        let home = Home::small();
        put(&home, &home.chrome(), THEIRS);
        let before = home.tree();
        runs(&home, &["install", "--browser", "chrome"]);
        match spoil {
            None => fs::remove_file(home.chrome()).expect("removed"),
            Some(text) => put(&home, &home.chrome(), text.as_bytes()),
        }
        let folder = home.chrome().parent().expect("parent").to_path_buf();
        close(&folder, 0o500);
        assert_eq!(home.run(&["install", "--browser", "chrome"]).code, Some(1));
        close(&folder, 0o755);
        if spoil.is_some() {
            // What somebody has put there since stays until it is taken away.
            assert_eq!(home.run(&["uninstall"]).code, Some(1));
            fs::remove_file(home.chrome()).expect("removed");
        }
        let said = runs(&home, &["uninstall"]);
        assert_eq!(
            fs::read(home.chrome()).ok().as_deref(),
            Some(THEIRS),
            "{spoil:?}: {}{}",
            said.out,
            said.err
        );
        assert_eq!(home.tree(), before, "{spoil:?}");
    }
}

#[test]
fn what_cannot_be_taken_away_is_told_and_goes_the_next_time() {
    for folder in [
        ".local/share",
        ".local/share/outrigger/versions",
        ".local",
        ".local/state",
        ".config/google-chrome",
        ".mozilla",
        "",
    ] {
        let home = Home::small();
        let before = home.tree();
        runs(&home, &BOTH);
        let (place, open) = (home.path(folder), fs::metadata(home.path(folder)).expect("there"));
        close(&place, 0o500);
        let said = home.run(&["uninstall"]);
        assert_eq!(said.code, Some(1), "{folder:?}: {}{}", said.out, said.err);
        assert!(said.err.contains("chmod u+rwx"), "{folder:?}: {}", said.err);
        fs::set_permissions(&place, open.permissions()).expect("mode");
        let said = home.run(&["uninstall"]);
        assert_eq!((said.code, home.tree()), (Some(0), before), "{folder:?}: {}{}", said.out, said.err);
    }
}

#[test]
fn a_record_takes_nobody_elses_files_away() {
    let home = Home::small();
    runs(&home, &BOTH);
    let mine = home.path("mine.txt");
    put(&home, &mine, b"mine");
    put(&home, &home.program("extension/keep"), b"");
    edit(&home.state("installed.json"), |record| {
        record["extension"] = serde_json::json!(["../../../../mine.txt", mine, "keep"]);
    });
    runs(&home, &["uninstall"]);
    assert_eq!(fs::read(&mine).expect("there"), b"mine");
    assert!(!home.program("extension/keep").exists());
}
