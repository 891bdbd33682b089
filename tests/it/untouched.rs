//! What is not ours: whoever put it where we write gets it back, or never loses it; and a run that is cut off leaves nothing that the
//! next one does not take away.

use std::{
    fmt::Write as _,
    fs,
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _, symlink},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::json;

use crate::fresh_home::{Home, Tree, named};

/// Both browsers of every home here.
const BOTH: [&str; 3] = ["install", "--browser", "chrome,firefox"];

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("parent")).expect("folder");
    fs::write(path, text).expect("written");
}

/// A home with these files in it, each with its own name as its text.
fn with(files: &[&str]) -> Home {
    let home = Home::new();
    for file in files {
        put(&home.path(file), file);
    }
    home.give_to_user();
    home
}

fn runs(home: &Home, args: &[&str]) -> String {
    let said = home.run(args);
    assert_eq!(said.code, Some(0), "{args:?}: {}{}", said.out, said.err);
    said.out + &said.err
}

/// Everything with its text and its time, as a person would compare it.
fn whole(home: &Home) -> Tree {
    let mut tree = home.tree();
    for (path, what) in &mut tree {
        let metadata = fs::symlink_metadata(path).expect("there");
        if metadata.is_file() && path.starts_with(home.path("")) {
            let text = fs::read(path).expect("read");
            write!(what, " {} {}", outrigger::ids::sha256_hex(&text), metadata.mtime()).expect("a text");
        }
    }
    tree
}

#[test]
fn what_lies_in_our_folders_is_not_taken_along() {
    for files in [
        &[".local/share/outrigger/bin/tool", ".local/share/outrigger/versions/mine/f"][..],
        &[".local/share/outrigger/versions/0.1.0-abcdefabcdef/notes.txt"],
        &[".local/share/outrigger/bin/outrigger"],
        &[".local/share/outrigger/bin/outrigger/keep"],
        &[".local/state/outrigger/log/notes.txt"],
        &[".local/state/outrigger/tmp/notes.txt", ".local/state/outrigger/program/notes.txt"],
    ] {
        let home = with(files);
        let before = whole(&home);
        runs(&home, &BOTH);
        assert_eq!(home.doctor(&[])["ok"], true, "{files:?}");
        runs(&home, &BOTH);
        runs(&home, &["uninstall"]);
        assert_eq!(whole(&home), before, "{files:?}");
        runs(&home, &BOTH);
        runs(&home, &["uninstall", "--purge"]);
        assert_eq!(whole(&home), before, "{files:?}, purged");
    }
}

#[test]
fn empty_folders_that_were_there_stay() {
    let folders = [".local/share/outrigger", ".local/state/outrigger", ".config/chromium"];
    let home = Home::new();
    for folder in folders {
        fs::create_dir_all(home.path(folder)).expect("folder");
    }
    home.give_to_user();
    let before = home.tree();
    runs(&home, &["install", "--browser", "chrome,chromium,firefox"]);
    assert_eq!(home.doctor(&[])["ok"], true);
    runs(&home, &["uninstall"]);
    assert_eq!(home.tree(), before);
}

/// A state folder that is somebody's folder of documents.
#[test]
fn a_purge_takes_what_is_ours_and_tells_the_rest() {
    let mut home = with(&["Documents/thesis/t.txt", "Documents/y", "Documents/journal-of-mine"]);
    fs::set_permissions(home.path("Documents"), fs::Permissions::from_mode(0o700)).expect("mode");
    home.variables = vec![("OUTRIGGER_STATE_DIR", home.path("Documents").display().to_string())];
    let before = whole(&home);
    runs(&home, &BOTH);
    let said = runs(&home, &["uninstall"]);
    assert!(!said.contains("--purge") && !said.contains("Journal"), "{said}");
    assert_eq!(whole(&home), before);
    runs(&home, &BOTH);
    for name in ["journal.sqlite", "journal.sqlite-wal", "log/outrigger.log", "log/mine.txt"] {
        put(&home.path("Documents").join(name), "");
    }
    home.give_to_user();
    let said = runs(&home, &["uninstall", "--purge"]);
    for name in ["thesis", "y", "journal-of-mine", "log"] {
        assert!(said.contains(name), "{name} in {said}");
    }
    fs::remove_file(home.path("Documents/log/mine.txt")).expect("it stays");
    fs::remove_dir(home.path("Documents/log")).expect("it is empty");
    assert_eq!(whole(&home), before);
}

#[test]
fn a_state_folder_of_its_own_goes_with_the_last_manifest() {
    let mut home = Home::new();
    home.variables = vec![("OUTRIGGER_STATE_DIR", home.path("st").display().to_string())];
    let before = home.tree();
    runs(&home, &BOTH);
    assert_eq!(home.doctor(&[])["ok"], true);
    home.start_host();
    assert!(home.path("st/log/outrigger.log").is_file());
    let said = runs(&home, &["uninstall"]);
    assert!(!said.contains("Journal"), "{said}");
    assert_eq!(home.tree(), before);
}

/// A folder that holds other things and is open to others is not closed over their heads.
#[test]
fn a_state_folder_of_others_keeps_its_mode() {
    let mut home = with(&["shared/file"]);
    fs::set_permissions(home.path("shared"), fs::Permissions::from_mode(0o755)).expect("mode");
    home.variables = vec![("OUTRIGGER_STATE_DIR", home.path("shared").display().to_string())];
    let before = home.tree();
    let said = home.run(&["undo", "t1"]);
    assert!(said.err.contains("755") && said.err.contains("`file`"), "{}{}", said.out, said.err);
    runs(&home, &BOTH);
    let _ = home.doctor(&[]);
    runs(&home, &["uninstall"]);
    assert_eq!(home.tree(), before);
    // An empty one is taken, and given back as it was.
    fs::remove_file(home.path("shared/file")).expect("removed");
    let before = home.tree();
    runs(&home, &BOTH);
    assert_eq!(home.doctor(&[])["ok"], true);
    runs(&home, &["uninstall"]);
    assert_eq!(home.tree(), before);
}

#[test]
fn a_foreign_manifest_comes_back_after_ours_was_deleted_and_mended() {
    for mended in [&BOTH[..], &["doctor", "--fix", "--browser", "chrome"]] {
        let home = Home::new();
        put(&home.chrome(), "{\"mine\": true}");
        fs::set_permissions(home.chrome(), fs::Permissions::from_mode(0o640)).expect("mode");
        let old = std::time::SystemTime::now() - std::time::Duration::from_hours(30_000);
        fs::File::open(home.chrome()).and_then(|file| file.set_modified(old)).expect("time");
        home.give_to_user();
        let before = whole(&home);
        runs(&home, &BOTH);
        fs::remove_file(home.chrome()).expect("removed");
        home.run(mended);
        let said = runs(&home, &["uninstall"]);
        assert!(said.contains("what was there before is back"), "{said}");
        assert_eq!(whole(&home), before, "{mended:?}");
    }
}

#[test]
fn a_foreign_manifest_that_two_browsers_share_comes_back() {
    for (real, link) in [("google-chrome", "chromium"), ("chromium", "google-chrome")] {
        for one_by_one in [false, true] {
            let home = Home::new();
            fs::remove_dir_all(home.path(".config/google-chrome")).expect("removed");
            put(&home.path(".config").join(real).join("NativeMessagingHosts/dev.outrigger.host.json"), "{}");
            symlink(real, home.path(".config").join(link)).expect("link");
            home.give_to_user();
            let before = whole(&home);
            runs(&home, &["install", "--browser", "chrome,chromium"]);
            let mut said = String::new();
            if one_by_one {
                said += &runs(&home, &["uninstall", "--browser", "chrome"]);
                assert!(!said.contains("is back"), "the other still has it: {said}");
            }
            said += &runs(&home, &["uninstall"]);
            assert_eq!(said.matches("is back").count(), 1, "{said}");
            assert_eq!(whole(&home), before, "{real}, {one_by_one}");
        }
    }
}

/// The record of the release before this one: what it knows is taken back, and nothing else.
#[test]
fn a_record_of_an_older_build_is_read() {
    let home = Home::new();
    let before = home.tree();
    runs(&home, &BOTH);
    let file = home.state("installed.json");
    let mut record: serde_json::Value =
        serde_json::from_slice(&fs::read(&file).expect("read")).expect("JSON");
    let known = ["version", "manifests", "own_folders", "has_launcher"];
    record.as_object_mut().expect("object").retain(|key, _| known.contains(&key.as_str()));
    // It noted the folders above the link and none of those for copies.
    let folders =
        [".local", ".local/state", ".local/state/outrigger", ".local/share", ".local/share/outrigger"];
    let folders: Vec<PathBuf> =
        folders.iter().map(|folder| home.path(folder)).chain([home.program("bin")]).collect();
    record["own_folders"] = json!(folders);
    fs::write(&file, record.to_string()).expect("written");
    home.give_to_user();
    assert_eq!(home.doctor(&[])["ok"], true);
    runs(&home, &["uninstall"]);
    assert_eq!(home.tree(), before);
}

/// A system call at which a run is cut off, and how often it came.
fn cut_off(home: &Home, args: &[&str], call: &str, number: usize) -> bool {
    disturbed(home, args, &format!("{call}:signal=SIGKILL:when={number}"))
}

/// Whether a run failed that was disturbed at a system call.
fn disturbed(home: &Home, args: &[&str], how: &str) -> bool {
    let call = how.split(':').next().expect("a call");
    let mut through = vec!["strace".to_owned(), "-f".to_owned(), "-qq".to_owned()];
    for word in ["-o", "/dev/null", "-e", &format!("trace={call}"), "-e"] {
        through.push(word.to_owned());
    }
    through.push(format!("inject={how}"));
    let traced =
        home.command_through(&through).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
    !traced.expect("strace").success()
}

/// Cuts a run off at each call of one kind; then it is taken out, and what was there before is there.
fn drill(args: &[&str], prepare: &dyn Fn() -> Home) {
    let all = std::env::var("OUTRIGGER_DRILL").is_ok_and(|value| value == "all");
    let often: &[&str] = if all { &["fchmod", "fsync", "write", "openat", "flock"] } else { &[] };
    let mut cuts = 0;
    for call in ["rename", "unlink", "rmdir", "mkdir", "symlink", "unlinkat"].iter().chain(often) {
        for number in 1.. {
            let home = prepare();
            let before = home.tree();
            let installed = args[0] == "uninstall";
            if installed {
                runs(&home, &BOTH);
                home.run(&["doctor", "--browser", "chrome"]);
            }
            let was_cut = cut_off(&home, args, call, number);
            let place = format!("{args:?} at {call} {number}");
            if !installed && number % 2 == 0 {
                // Whoever tries again gets it whole.
                runs(&home, &BOTH);
            }
            let said = home.run(&["uninstall"]);
            // Cut off before it was ours, a manifest of somebody is told and left.
            let is_told = said.err.contains("no record of having written");
            assert!(said.code == Some(0) || is_told, "{place}: {}{}", said.out, said.err);
            assert_eq!(home.tree(), before, "{place}");
            if !was_cut {
                break;
            }
            cuts += 1;
        }
    }
    assert!(cuts > 5, "cut off {cuts} times only");
}

fn small_home() -> Home {
    let home = Home::small();
    put(&home.chrome(), "{\"mine\": true}");
    put(&home.program("bin/outrigger"), "of somebody");
    home.give_to_user();
    home
}

#[test]
fn an_installation_that_is_cut_off_leaves_nothing() {
    drill(&BOTH, &Home::small);
    drill(&BOTH, &small_home);
}

#[test]
fn an_uninstallation_that_is_cut_off_is_finished_by_the_next() {
    drill(&["uninstall"], &Home::small);
    drill(&["uninstall"], &small_home);
}

/// The browser's own folder of every row of the table that has one here, by its path in the home folder.
fn own_folders(home: &Home) -> Vec<(PathBuf, outrigger::install::Family)> {
    let said = runs(home, &["install", "--all", "--print", "--json"]);
    let print: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    let manifests = print["manifests"].as_array().expect("list");
    let own = manifests.iter().map(|manifest| {
        let path = PathBuf::from(manifest["manifest"].as_str().expect("text"));
        let is_firefox = manifest["content"].as_str().expect("text").contains("allowed_extensions");
        let family = if is_firefox {
            outrigger::install::Family::Firefox
        } else {
            outrigger::install::Family::Chromium
        };
        (path.parent().expect("folder").to_path_buf(), family)
    });
    own.collect()
}

/// Makes a home; each of its kind is like the others.
type Make = Box<dyn Fn() -> Home>;

/// Homes as they are met: nothing of any browser; profiles of all of them; the same with manifests of others, one of them by our name.
fn homes_of_all() -> Vec<(&'static str, Make)> {
    let aged = |home: &Home| {
        let mut times = Command::new("find");
        times.arg(home.path("")).args([
            "-type",
            "f",
            "-exec",
            "touch",
            "-d",
            "2001-02-03 04:05:06",
            "{}",
            "+",
        ]);
        assert!(times.status().expect("find").success());
        home.give_to_user();
    };
    let none = || {
        let home = Home::small();
        for folder in [".config", ".mozilla"] {
            fs::remove_dir_all(home.path(folder)).expect("removed");
        }
        home
    };
    let profiles = move || {
        let home = none();
        for (number, (folder, _)) in own_folders(&home).into_iter().enumerate() {
            let own = folder.parent().expect("folder");
            put(&own.join("Default/Preferences"), "{}");
            let mode = [0o700, 0o755, 0o750][number % 3];
            fs::set_permissions(own, fs::Permissions::from_mode(mode)).expect("mode");
        }
        aged(&home);
        home
    };
    let manifests = move || {
        let home = profiles();
        for (number, (folder, _)) in own_folders(&home).into_iter().enumerate() {
            put(&folder.join("com.example.other.json"), "{}");
            let ours = folder.join("dev.outrigger.host.json");
            match number % 4 {
                0 => put(&ours, "{\"theirs\": 1}"),
                1 => symlink("com.example.other.json", &ours).expect("link"),
                2 => symlink("/nowhere", &ours).expect("link"),
                _ => {}
            }
        }
        aged(&home);
        home
    };
    vec![("none", Box::new(none)), ("profiles", Box::new(profiles)), ("manifests", Box::new(manifests))]
}

/// Every browser of the table, twice, with an update in between: what is there afterwards is what was there, with bytes, modes, links,
/// owners and the times of files.
#[test]
fn all_browsers_of_the_table_are_left_as_they_were() {
    for (what, make) in homes_of_all() {
        let mut home = make();
        let (before, first) = (whole(&home), home.binary.clone());
        let rows = own_folders(&home);
        assert!(rows.len() >= 15, "{} browsers", rows.len());
        for round in 0..2 {
            runs(&home, &["install", "--all"]);
            for (folder, family) in &rows {
                let manifest: serde_json::Value =
                    serde_json::from_slice(&fs::read(folder.join("dev.outrigger.host.json")).expect("there"))
                        .expect("JSON");
                let key = outrigger::install::manifest::allowed_key(*family);
                assert!(
                    manifest[key].is_array() && manifest["path"] == json!(home.program("bin/outrigger")),
                    "{manifest:#}"
                );
            }
            let next = home.root().join("next");
            let script = "cat \"$1\" >\"$2\" && printf more >>\"$2\" && chmod 755 \"$2\"";
            let made = Command::new("sh").args(["-c", script, "sh"]).arg(&first).arg(&next).status();
            assert!(made.expect("sh").success());
            home.binary = next.clone();
            runs(&home, &["update-launcher"]);
            runs(&home, &["install", "--all"]);
            home.binary.clone_from(&first);
            fs::remove_file(next).expect("removed");
            if round == 1 {
                // One by one is as good as all at once.
                for browser in ["chrome", "firefox", "helium"] {
                    runs(&home, &["uninstall", "--browser", browser]);
                }
            }
            let said = home.run(&["uninstall"]);
            // What is somebody's again is told, and left.
            let is_told = round == 1 && said.err.contains("no record of having written");
            assert!(said.code == Some(0) || is_told, "{what}, round {round}: {}{}", said.out, said.err);
            assert_eq!(whole(&home), before, "{what}, round {round}");
        }
    }
}

/// Killed at any moment of an installation into all of them, and then taken out.
#[test]
fn an_installation_into_all_that_is_killed_leaves_nothing() {
    let all = std::env::var("OUTRIGGER_DRILL").is_ok_and(|value| value == "all");
    let (rounds, mut killed) = (if all { 60 } else { 8 }, 0);
    for (what, make) in homes_of_all() {
        let sample = make();
        let began = std::time::Instant::now();
        runs(&sample, &["install", "--all"]);
        let whole_time = began.elapsed();
        for round in 0..rounds {
            let home = make();
            let before = whole(&home);
            let mut child = home.command(&home.binary);
            let child = child.args(["install", "--all"]).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = child.process_group(0).spawn().expect("started");
            std::thread::sleep(whole_time * round / rounds);
            // With `timeout`, which is in front of it.
            let group = rustix::process::Pid::from_raw(child.id().cast_signed()).expect("a number");
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            killed += usize::from(child.wait().expect("ended").code().is_none());
            if round % 3 == 2 {
                home.run(&["install", "--browser", "chrome"]);
            }
            let said = home.run(&["uninstall"]);
            let is_told = said.err.contains("no record of having written");
            assert!(said.code == Some(0) || is_told, "{what}, {round}: {}{}", said.out, said.err);
            assert_eq!(whole(&home), before, "{what}, killed in round {round}");
        }
    }
    assert!(killed > 2, "killed {killed} times only");
}

/// What a rehearsal says is what would be, and never what is: to people and to programs.
#[test]
fn a_rehearsal_says_what_would_be() {
    const DONE: &[&str] = &["installed", "updated", "replaced", "removed", "restored"];
    let home = with(&[".config/chromium/NativeMessagingHosts/dev.outrigger.host.json"]);
    let browsers = ["--browser", "chrome,chromium,firefox", "--dry-run"];
    let said = |command: &str| {
        let args = [&[command], &browsers[..]].concat();
        let before = whole(&home);
        let words = runs(&home, &args);
        let answer = home.run(&[&args[..], &["--json"]].concat()).json();
        assert_eq!(whole(&home), before, "{command}");
        assert_eq!(answer["dry_run"], true, "{answer:#}");
        let results: Vec<String> = answer["targets"]
            .as_array()
            .expect("list")
            .iter()
            .map(|target| target["result"].as_str().expect("text").to_owned())
            .collect();
        assert!(results.iter().all(|result| !DONE.contains(&result.as_str())), "{command}: {results:?}");
        for line in words.lines().filter(|line| line.contains("dev.outrigger.host.json")) {
            let is_conditional = line.contains("would")
                || line.contains("already installed")
                || line.contains("not installed");
            assert!(is_conditional, "{command}: {line}");
        }
        results
    };
    assert_eq!(said("install"), ["would_install", "would_replace", "would_install"]);
    runs(&home, &["install", "--browser", "chrome,chromium", "--extension-id", "more@example.org"]);
    runs(&home, &["install", "--browser", "chrome", "--extension-id", "abcdefghijklmnopabcdefghijklmnop"]);
    assert_eq!(said("install"), ["would_update", "unchanged", "would_install"]);
    assert_eq!(said("uninstall"), ["would_remove", "would_restore", "not_installed"]);
}

/// A disk that does not want to be asked whether all has arrived: who says that it is done has done it, and else the next one does.
#[test]
fn an_uninstallation_that_a_disk_disturbs() {
    for number in 1..40 {
        let home = small_home();
        let before = home.tree();
        runs(&home, &BOTH);
        let failed = disturbed(&home, &["uninstall"], &format!("fsync:error=EIO:when={number}"));
        if failed {
            let said = home.run(&["uninstall"]);
            // Back already and no longer ours, a manifest of somebody is told and left.
            let is_told = said.err.contains("no record of having written");
            assert!(said.code == Some(0) || is_told, "the {number}th time: {}{}", said.out, said.err);
        }
        assert_eq!(home.tree(), before, "the {number}th time, failed: {failed}");
        if number > 20 && !failed {
            break;
        }
    }
}

/// The disk fails where a name is to last: what is told to have failed has changed nothing, and what somebody had comes back.
#[test]
fn a_disk_that_fails_loses_nothing_of_anybody() {
    const THEIRS: &str = "{\"name\":\"dev.outrigger.host\",\"path\":\"/bin/true\"}\n";
    for command in ["install", "uninstall"] {
        for number in 1.. {
            let home = Home::small();
            put(&home.chrome(), THEIRS);
            home.give_to_user();
            let before = home.tree();
            let installs = ["install", "--browser", "chrome,firefox"];
            if command == "uninstall" {
                runs(&home, &installs);
            }
            let args: &[&str] = if command == "install" { &installs } else { &["uninstall"] };
            let failed = disturbed(&home, args, &format!("fsync:error=EIO:when={number}"));
            home.run(&["uninstall"]);
            let now = fs::read_to_string(home.chrome()).unwrap_or_default();
            assert_eq!(
                (now.as_str(), home.tree()),
                (THEIRS, before),
                "{command} at {number}, failed: {failed}"
            );
            // More often than either of them asks the disk.
            if number > 28 {
                break;
            }
        }
    }
}

/// Whoever holds the record and does not go on is named, and nobody waits for them for ever.
#[test]
fn a_record_that_another_one_holds() {
    let home = Home::installed();
    let lock = home.state("installed.lock");
    let mut holder = Command::new("flock");
    // The shell takes the place of `flock`, so that the lock goes with it.
    holder.arg("--no-fork").arg(&lock).args(["sh", "-c", "echo held; exec sleep 100"]);
    let mut holder = holder.stdout(Stdio::piped()).spawn().expect("flock");
    let mut line = [0; 5];
    std::io::Read::read_exact(holder.stdout.as_mut().expect("stdout"), &mut line).expect("held");
    let said = home.run(&["install", "--browser", "chromium"]);
    let held = format!("process {}", holder.id());
    let finding = named("held", &home.doctor(&[]), "state.folder", "/.local/state/outrigger");
    holder.kill().expect("killed");
    holder.wait().expect("ended");
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(said.err.contains("installed.lock") && said.err.contains(&held), "{held} in {}", said.err);
    // The command that waits for it comes to its end now.
    assert_eq!(home.paste(finding["fix"].as_str().expect("fix")).code, Some(0));
    assert!(crate::faults::findings(&home.doctor(&[]), "state.folder").is_empty());
}

/// An unpacked archive, with builds of an extension in it.
fn archive(home: &Home) -> PathBuf {
    let root = home.root().join("archive");
    for file in ["chrome/manifest.json", "chrome/a/b.js", "firefox/manifest.json"] {
        put(&root.join("share/outrigger/extension").join(file), file);
    }
    fs::create_dir_all(root.join("bin")).expect("folder");
    assert!(
        Command::new("cp").arg(&home.binary).arg(root.join("bin/outrigger")).status().expect("cp").success()
    );
    for script in ["install.sh", "uninstall.sh"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("installers/archive").join(script);
        fs::copy(from, root.join(script)).expect("copied");
    }
    home.give_to_user();
    root
}

fn script(home: &Home, script: &str, args: &str) -> crate::fresh_home::Said {
    home.paste(&format!("sh {}/archive/{script} {args}", home.root().display()))
}

#[test]
fn what_an_archive_puts_down_goes_with_the_last_manifest() {
    for command in ["uninstall.sh", "outrigger"] {
        for there in [&[][..], &[".local/bin", ".local/share/outrigger"]] {
            let mut home = Home::small();
            archive(&home);
            for folder in there {
                fs::create_dir_all(home.path(folder)).expect("folder");
            }
            home.give_to_user();
            let before = home.tree();
            let said = script(&home, "install.sh", "--browser chrome,firefox");
            assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
            assert!(said.out.contains("Load unpacked") && said.out.contains("to your PATH"), "{}", said.out);
            assert_eq!(
                fs::read_link(home.path(".local/bin/outrigger")).expect("link"),
                home.program("bin/outrigger")
            );
            assert!(home.program("extension/chrome/a/b.js").is_file());
            // A newer one, without a file that the older one had.
            fs::remove_file(home.root().join("archive/share/outrigger/extension/chrome/a/b.js"))
                .expect("removed");
            let archived = home.tree();
            put(&home.program("extension/chrome/mine.txt"), "mine");
            home.give_to_user();
            assert_eq!(script(&home, "install.sh", "").code, Some(0));
            assert!(!home.program("extension/chrome/a/b.js").exists());
            assert!(home.program("extension/chrome/mine.txt").is_file());
            fs::remove_file(home.program("extension/chrome/mine.txt")).expect("it stays");
            if command == "outrigger" {
                home.binary = home.path(".local/bin/outrigger");
                runs(&home, &["uninstall"]);
            } else {
                let said = script(&home, command, "");
                assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
            }
            let gone = home.root().join("archive/share/outrigger/extension/chrome/a/b.js");
            assert!(!archived.contains_key(&gone));
            let mut expected = before;
            expected.remove(&gone);
            assert_eq!(home.tree(), expected, "{command}, {there:?}");
        }
    }
}

/// By a link, from another folder, and where `cd` says where it went.
#[test]
fn scripts_of_an_archive_are_called_in_any_way() {
    let home = Home::small();
    let root = archive(&home);
    let before = whole(&home);
    let place = root.parent().expect("folder").display().to_string();
    for call in [
        format!("CDPATH={place} && export CDPATH && cd / && cd {place} >/dev/null && sh archive/WHAT"),
        format!(
            "cd {place} && ln -s archive/WHAT run && (cd / && sh {place}/run); said=$?; rm {place}/run; exit $said"
        ),
        format!("cd {place}/archive && sh WHAT"),
        format!("cd {place}/archive/bin && sh ../WHAT"),
    ] {
        let done = home.paste(&call.replace("WHAT", "install.sh"));
        assert_eq!(done.code, Some(0), "{call}: {}{}", done.out, done.err);
        let done = home.paste(&call.replace("WHAT", "uninstall.sh"));
        assert_eq!(done.code, Some(0), "{call}: {}{}", done.out, done.err);
        assert_eq!(whole(&home), before, "{call}");
    }
}

#[test]
fn what_stands_where_an_archive_puts_something_stays() {
    let home = Home::small();
    archive(&home);
    fs::create_dir_all(home.path(".local/bin")).expect("folder");
    symlink("/opt/other/outrigger", home.path(".local/bin/outrigger")).expect("link");
    put(&home.program("extension/notes.txt"), "mine");
    home.give_to_user();
    let before = home.tree();
    let said = script(&home, "install.sh", "--browser chrome,firefox");
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    for place in [".local/bin/outrigger", "share/outrigger/extension"] {
        assert!(said.err.contains(place), "{place} in {}", said.err);
    }
    assert!(home.chrome().is_file() && home.firefox().is_file());
    assert_eq!(script(&home, "uninstall.sh", "").code, Some(0));
    assert_eq!(home.tree(), before);
}

/// One browser that fails keeps the rest from nothing, and the exit says so.
#[test]
fn an_archive_goes_on_where_one_browser_fails() {
    let mut home = Home::small();
    archive(&home);
    home.variables = vec![("OUTRIGGER_STATE_DIR", home.path("st").display().to_string())];
    put(&home.path(".config/google-chrome/NativeMessagingHosts"), "");
    home.give_to_user();
    let before = home.tree();
    let said = script(&home, "install.sh", "");
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(home.firefox().is_file() && home.path(".local/bin/outrigger").is_file());
    assert_eq!(script(&home, "uninstall.sh", "").code, Some(0));
    assert_eq!(home.tree(), before);
}

/// Who updates without a word keeps what they once chose.
#[test]
fn a_newer_archive_keeps_browsers_and_extensions() {
    let home = Home::small();
    let root = archive(&home);
    fs::create_dir_all(home.path(".config/chromium/Default")).expect("profile");
    home.give_to_user();
    let further = "abcdefghijklmnopabcdefghijklmnop";
    let said = script(&home, "install.sh", &format!("--browser chrome --extension-id {further}"));
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    let first = fs::read_link(home.program("bin/outrigger")).expect("link");
    let manifest = fs::read_to_string(home.chrome()).expect("read");
    assert!(manifest.contains(further));
    let newer = Command::new("sh")
        .args(["-c", "printf newer >>\"$1\"", "sh"])
        .arg(root.join("bin/outrigger"))
        .status();
    assert!(newer.expect("sh").success());
    for args in ["", "--browser chrome", "--all"] {
        let said = script(&home, "install.sh", args);
        assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
        assert!(!said.err.contains("may no longer"), "{}", said.err);
        assert_eq!(fs::read_to_string(home.chrome()).expect("read"), manifest, "{args}");
        assert!(!home.firefox().exists(), "{args}");
        assert!(!home.path(".config/chromium/NativeMessagingHosts").exists(), "{args}");
    }
    assert_ne!(fs::read_link(home.program("bin/outrigger")).expect("link"), first);
    assert_eq!(script(&home, "install.sh", "--browser firefox").code, Some(0));
    assert!(home.firefox().is_file());
}

/// An older archive's script put an extension and a command down, and wrote of neither.
#[test]
fn what_an_older_archive_put_down_goes_too() {
    let home = Home::small();
    let before = home.tree();
    runs(&home, &BOTH);
    let file = home.state("installed.json");
    let mut record: serde_json::Value =
        serde_json::from_slice(&fs::read(&file).expect("read")).expect("JSON");
    record.as_object_mut().expect("object").remove("theirs");
    fs::write(&file, record.to_string()).expect("written");
    put(&home.program("extension/chrome/manifest.json"), "{}");
    fs::create_dir_all(home.path(".local/bin")).expect("folder");
    symlink(home.program("bin/outrigger"), home.path(".local/bin/outrigger")).expect("link");
    home.give_to_user();
    runs(&home, &["uninstall"]);
    // Whose the folder of commands is nobody wrote down.
    fs::remove_dir(home.path(".local/bin")).expect("empty");
    fs::remove_dir(home.path(".local")).expect("empty");
    assert_eq!(home.tree(), before);
}

#[test]
fn names_that_are_no_text_are_told_to_programs() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

    let mut home = Home::small();
    let odd = home.root().join(OsStr::from_bytes(b"b\xffn"));
    fs::create_dir(&odd).expect("folder");
    assert!(Command::new("cp").arg(&home.binary).arg(odd.join("outrigger")).status().expect("cp").success());
    home.give_to_user();
    home.binary = odd.join("outrigger");
    for args in [
        &["status", "--json"][..],
        &["install", "--in-place", "--browser", "chrome", "--json", "--dry-run"],
        &["install", "--browser", "chrome", "--json"],
        &["update-launcher", "--json"],
        &["status", "--json"],
        &["install", "--browser", "chrome", "--json", "--print"],
        &["uninstall", "--json"],
    ] {
        let said = home.run(args);
        assert!(!said.err.contains("panicked"), "{args:?}: {}", said.err);
        said.json();
    }
}

#[test]
fn a_rehearsal_sees_what_would_stop_the_installation() {
    for folder in [".local/share", ".local/state"] {
        let home = Home::new();
        fs::create_dir_all(home.path(folder)).expect("folder");
        home.give_to_user();
        fs::set_permissions(home.path(folder), fs::Permissions::from_mode(0o500)).expect("mode");
        let rehearsed = home.run(&["install", "--browser", "chrome", "--dry-run"]);
        let done = home.run(&["install", "--browser", "chrome"]);
        assert_eq!((rehearsed.code, done.code), (Some(1), Some(1)), "{}{}", rehearsed.out, done.out);
        assert!(rehearsed.err.contains(folder) && rehearsed.err.contains("chmod u+rwx"), "{}", rehearsed.err);
    }
}

/// What is everybody's is read by everybody, and changed by an administrator, whom the words name.
#[test]
fn what_is_for_everybody_asks_for_an_administrator() {
    let script = "for folder in /etc/opt /etc/chromium /usr/lib/mozilla /var/lib; do mkdir -p $folder; \
                  mount -t tmpfs -o mode=755 none $folder; done";
    let Some(home) = Home::with_disks(script) else { return };
    for args in [
        &["install", "--scope", "system", "--browser", "chrome", "--dry-run"][..],
        &["install", "--scope", "system", "--browser", "chrome"],
    ] {
        let said = home.run(args);
        assert_eq!(said.code, Some(1), "{args:?}: {}{}", said.out, said.err);
        assert!(said.err.contains("`sudo`") && !said.err.contains("HOME"), "{args:?}: {}", said.err);
    }
    let said = home.run_as_root(&["install", "--scope", "system", "--browser", "chrome"]);
    if said.code != Some(0) {
        return;
    }
    for args in [&["status", "--scope", "system"][..], &["uninstall", "--scope", "system", "--dry-run"]] {
        let said = home.run(args);
        assert_eq!(said.code, Some(0), "{args:?}: {}{}", said.out, said.err);
        assert!(said.out.contains("Google Chrome"), "{}", said.out);
    }
    let said = home.run(&["uninstall", "--scope", "system"]);
    assert!(said.code == Some(1) && said.err.contains("`sudo`"), "{}{}", said.out, said.err);
    assert_eq!(home.run_as_root(&["uninstall", "--scope", "system"]).code, Some(0));
    let said = home.run(&["doctor", "--report", "/nonexist/dir/f"]);
    assert!(said.err.contains("a folder that is there") && !said.err.contains("HOME"), "{}", said.err);
}

#[test]
fn no_help_moves_what_is_the_systems() {
    let home = Home::new();
    for args in [["--user-data-dir", "/etc/passwd"], ["--user-data-dir", "/etc/passwd/x"]] {
        let said = home.run(&[&["install"][..], &args].concat());
        assert_ne!(said.code, Some(0));
        assert!(!said.err.contains("mv ") && said.err.contains("folder"), "{}", said.err);
    }
}

#[test]
fn a_program_that_asks_wrongly_is_answered_as_a_program() {
    let home = Home::new();
    let said = home.run(&["--json"]);
    assert!(said.json()["commands"].as_array().is_some_and(|commands| commands.len() > 8), "{}", said.out);
    for args in [&["--json", "instal"][..], &["install", "--browse", "chrome", "--json"]] {
        let said = home.run(args);
        assert_eq!(said.code, Some(2), "{args:?}");
        assert!(
            said.json()["error"]["message"].as_str().is_some_and(|message| !message.is_empty()),
            "{}",
            said.out
        );
        assert_eq!(said.err, "");
    }
}
