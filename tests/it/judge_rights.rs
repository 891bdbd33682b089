//! Who else could decide what the browser starts: ways through links, rights that a program lends; and a state folder that is open or
//! closed, with journals of others.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
};

use crate::fresh_home::{Home, USER, Way, close, edit, findings, judge, named};

fn open(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("mode");
}

/// Where it ends is good, and everybody may make it end elsewhere.
#[test]
fn ways_that_lead_through_an_open_folder() {
    let home = Home::new();
    let before = home.tree();
    let install = ["install", "--browser", "chrome,firefox"];
    assert_eq!(home.run(&install).code, Some(0));
    let between = home.root().join("between");
    fs::create_dir(&between).expect("folder");
    open(&between, 0o777);
    symlink(home.program("bin"), between.join("bin")).expect("link");
    let good = fs::read(home.chrome()).expect("there");
    edit(&home.chrome(), |manifest| manifest["path"] = between.join("bin/outrigger").to_str().into());
    home.give_to_user();
    let seen = format!("writable for everyone: {}", between.display());
    let finding = named("a program behind a link", &home.doctor(&[]), "binary.folder", &seen);
    assert_eq!(finding["verdict"], "problem");
    fs::write(home.chrome(), good).expect("written");
    assert_eq!(home.doctor(&[])["ok"], true);

    let folder = home.chrome().parent().expect("folder").to_path_buf();
    fs::rename(&folder, between.join("manifests")).expect("moved");
    symlink(between.join("manifests"), &folder).expect("link");
    home.give_to_user();
    let finding = named("a folder of manifests behind a link", &home.doctor(&[]), "binary.folder", &seen);
    assert_eq!(home.paste(finding["fix"].as_str().expect("fix")).code, Some(0));
    assert_eq!(home.doctor(&[])["ok"], true);
    fs::remove_file(&folder).expect("removed");
    fs::rename(between.join("manifests"), &folder).expect("moved back");
    fs::remove_dir_all(&between).expect("removed");
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

#[test]
fn programs_that_lend_rights() {
    for mode in [0o4755, 0o2755] {
        judge("it lends rights", "binary.executable", "setuid", &Way::Sealed, |home| {
            open(&fs::canonicalize(home.program("bin/outrigger")).expect("there"), mode);
        });
    }
}

/// A group is a user's own where nobody else is in it, by the lists of the system.
#[test]
fn groups_with_others_in_them() {
    let lists = |passwd: &str, group: &str| {
        format!(
            "printf 'ada:x:{USER}:{USER}::/:/bin/sh\\n{passwd}' >\"$1/passwd\"; printf '{group}' >\"$1/group\"; \
             mount --bind \"$1/passwd\" /etc/passwd; mount --bind \"$1/group\" /etc/group"
        )
    };
    for (what, passwd, group, others) in [
        ("it is listed with another member", "", format!("users:x:{USER}:ada,bob\\n"), true),
        (
            "it is another's first group",
            &*format!("bob:x:77:{USER}::/:/bin/sh\\n"),
            format!("users:x:{USER}:\\n"),
            true,
        ),
        ("it has the user's name", "", format!("ada:x:{USER}:\\n"), false),
    ] {
        let Some(home) = Home::with_disks(&lists(passwd, &group)) else { return };
        assert_eq!(home.run(&["install", "--browser", "chrome,firefox"]).code, Some(0));
        open(&home.program("versions"), 0o775);
        let diagnosis = home.doctor(&[]);
        if others {
            let finding = named(what, &diagnosis, "binary.folder", &format!("writable for group {USER}"));
            assert_eq!(home.paste(finding["fix"].as_str().expect("fix")).code, Some(0), "{what}");
        }
        let left = findings(&home.doctor(&[]));
        assert!(left.iter().all(|check| check["id"] != "binary.folder"), "{what}: {left:#?}");
        assert_eq!(home.run(&["uninstall"]).code, Some(0));
    }
}

/// `nobody` is somebody, unless this is a namespace that shows all others under that name.
#[test]
fn a_folder_of_nobody() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let home = Home::installed();
    std::os::unix::fs::chown(home.program("versions"), Some(65_534), None).expect("chown");
    let finding = named("of nobody", &home.doctor(&[]), "binary.folder", "owned by user 65534");
    assert_eq!(finding["verdict"], "warning", "{finding:#}");
    assert_eq!(home.paste(finding["fix"].as_str().expect("fix")).code, Some(0), "{finding:#}");
    let left = findings(&home.doctor(&[]));
    assert!(left.iter().all(|check| check["id"] != "binary.folder"), "{left:#?}");
}

#[test]
fn a_state_that_others_may_write_or_nobody() {
    // A host that starts closes its own folders to others, and opens them to itself.
    for (name, mode) in [("", 0o777), ("log", 0o000)] {
        let home = Home::installed();
        home.start_host();
        open(&home.state(name), mode);
        home.start_host();
        assert_eq!(home.doctor(&[])["ok"], true);
        assert_eq!(fs::metadata(home.state(name)).expect("there").permissions().mode() & 0o777, 0o700);
    }
    judge("a closed folder", "state.folder", "not writable for this user", &Way::Fix, |home| {
        let folder = home.state("tmp");
        fs::create_dir_all(&folder).expect("folder");
        close(&folder);
    });
}

/// A host of before changes nothing with a journal that it does not know.
#[test]
fn journals_that_a_host_cannot_use() {
    let home = Home::new();
    let before = home.tree();
    assert_eq!(home.run(&["install", "--browser", "chrome,firefox"]).code, Some(0));
    let journal = home.state("journal.sqlite");
    let newer = rusqlite::Connection::open(&journal).expect("opened");
    newer.execute_batch("PRAGMA user_version = 999; CREATE TABLE later (what)").expect("made");
    drop(newer);
    home.give_to_user();
    let finding = named("a newer journal", &home.doctor(&[]), "state.folder", "version 999");
    assert_eq!(home.paste(finding["fix"].as_str().expect("fix")).code, Some(0));
    assert_eq!(home.doctor(&[])["ok"], true, "{:#?}", findings(&home.doctor(&[])));
    assert!(home.state("journal.sqlite.old").is_file());

    fs::rename(home.state("journal.sqlite.old"), &journal).expect("moved");
    fs::remove_file(&journal).expect("removed");
    fs::write(&journal, "").expect("written");
    home.give_to_user();
    close(&journal);
    named("a closed journal", &home.doctor(&[]), "state.folder", "not writable for this user");
    assert_eq!(home.doctor(&["--fix"])["ok"], true);
    assert_eq!(home.run(&["uninstall", "--purge"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

/// The next call puts a new one in its place; that nothing of before can be undone is said beforehand.
#[test]
fn a_journal_that_is_none() {
    let home = Home::installed();
    fs::write(home.state("journal.sqlite"), "these are notes, and no database").expect("written");
    home.give_to_user();
    let finding = named("a journal", &home.doctor(&[]), "state.folder", "journal.sqlite");
    assert_eq!(finding["verdict"], "warning", "{finding:#}");
    assert_eq!(home.paste(finding["fix"].as_str().expect("fix")).code, Some(0));
    let left = findings(&home.doctor(&[]));
    assert!(left.iter().all(|check| check["id"] != "state.folder"), "{left:#?}");
}

/// A host would put it aside and begin a new one; whoever asks the doctor hears of it before.
#[test]
fn a_journal_that_is_damaged() {
    type Damage = fn(&std::path::Path);
    let damages: [(&str, Damage); 3] = [
        ("cut", |path| {
            let file = fs::OpenOptions::new().write(true).open(path).expect("opened");
            file.set_len(4096).expect("cut");
        }),
        ("overwritten", |path| {
            let mut bytes = fs::read(path).expect("read");
            bytes[4096..].fill(0x5a);
            fs::write(path, bytes).expect("written");
        }),
        ("no such table", |path| {
            rusqlite::Connection::open(path)
                .expect("opened")
                .execute_batch("DROP TABLE images")
                .expect("dropped");
        }),
    ];
    for (what, damage) in damages {
        let home = Home::installed();
        let journal = home.state("journal.sqlite");
        let made = tempfile::tempdir().expect("folder");
        outrigger::journal::Journal::new(made.path().to_path_buf()).identity().expect("begun");
        fs::copy(made.path().join("journal.sqlite"), &journal).expect("copied");
        home.give_to_user();
        assert_eq!(home.doctor(&[])["ok"], true, "{what}");
        let before = fs::read_dir(home.state("")).expect("there").count();
        damage(&journal);
        home.give_to_user();
        let finding = named(what, &home.doctor(&[]), "state.folder", "journal.sqlite");
        assert_eq!(finding["verdict"], "warning", "{finding:#}");
        assert_eq!(
            fs::read_dir(home.state("")).expect("there").count(),
            before,
            "the doctor leaves nothing there"
        );
        assert_eq!(home.paste(finding["fix"].as_str().expect("fix")).code, Some(0));
        let left = findings(&home.doctor(&[]));
        assert!(left.iter().all(|check| check["id"] != "state.folder"), "{what} {left:#?}");
    }
}

/// What SQLite keeps beside the journal counts as much.
#[test]
fn a_journal_whose_companion_cannot_be_used() {
    for ending in ["-wal", "-shm"] {
        judge("a folder beside the journal", "state.folder", ending, &Way::Paste, |home| {
            fs::create_dir_all(home.state(&format!("journal.sqlite{ending}"))).expect("folder");
        });
        if rustix::process::geteuid().is_root() {
            let home = Home::installed();
            let file = home.state(&format!("journal.sqlite{ending}"));
            fs::write(&file, "").expect("written");
            home.give_to_user();
            std::os::unix::fs::chown(file, Some(0), Some(0)).expect("chown");
            named("of an administrator", &home.doctor(&[]), "state.folder", "not writable for this user");
        }
    }
}

/// Nothing that was put aside before is lost when the next thing is.
#[test]
fn what_was_put_aside_stays() {
    let home = Home::installed();
    let journal = home.state("journal.sqlite");
    for times in 1..=3 {
        fs::write(&journal, format!("notes {times}")).expect("written");
        home.give_to_user();
        let finding = named("a journal", &home.doctor(&[]), "state.folder", "journal.sqlite");
        assert_eq!(home.paste(finding["fix"].as_str().expect("fix")).code, Some(0));
    }
    for (name, text) in [("old", "notes 1"), ("old-2", "notes 2"), ("old-3", "notes 3")] {
        assert_eq!(fs::read_to_string(home.state(&format!("journal.sqlite.{name}"))).expect("kept"), text);
    }
    assert_eq!(home.run(&["uninstall", "--purge"]).code, Some(0));
    assert!(!home.state("").exists());
}

/// Once called by an administrator with this home, outrigger has left what its user cannot lock: everything works but the next change.
#[test]
fn locks_that_somebody_else_left() {
    type Lock = fn(&Home) -> std::path::PathBuf;
    judge("a folder as lock", "state.folder", "update.lock", &Way::Paste, |home| {
        fs::remove_file(home.program("update.lock")).expect("removed");
        fs::create_dir(home.program("update.lock")).expect("folder");
    });
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let locks: [(&str, Lock); 2] = [
        ("state.record", |home| home.state("installed.lock")),
        ("state.folder", |home| home.program("update.lock")),
    ];
    for (id, lock) in locks {
        judge("of an administrator", id, "not writable for this user", &Way::Sealed, |home| {
            home.give_to_user();
            std::os::unix::fs::chown(lock(home), Some(0), Some(0)).expect("chown");
        });
    }
}

/// What had been there before is in the record, and cannot be read there any more.
#[test]
fn a_record_with_a_damaged_copy() {
    judge("a damaged copy", "state.record", "installed.json", &Way::Paste, |home| {
        edit(&home.state("installed.json"), |record| {
            record["manifests"][0]["before"] =
                serde_json::json!({"kind": "file", "content": "%", "mode": 420});
        });
    });
}

/// A profile on a disk that is not there: nobody makes it a folder, and the link is not taken away by itself.
#[test]
fn links_to_where_nothing_can_be_made() {
    for link in [".config/google-chrome", ".config/google-chrome/NativeMessagingHosts"] {
        let home = Home::new();
        let before = home.tree();
        let place = home.path(link);
        let kept = home.root().join("kept");
        if place.exists() {
            fs::rename(&place, &kept).expect("moved");
        }
        symlink("/nowhere/disk", &place).expect("link");
        home.give_to_user();
        let said = home.run(&["install", "--browser", "chrome,firefox"]);
        assert!(said.code == Some(1) && said.err.contains("mount the disk"), "{link}: {}", said.err);
        let finding =
            named(link, &home.doctor(&[]), "manifest.present", "`/nowhere/disk`, which is not there");
        let advice = finding["advice"].as_str().expect("advice");
        assert!(finding["fix"].is_null(), "{finding:#}");
        let command = advice.split_once("move the link away: ").expect("a command").1;
        assert_eq!(home.paste(command).code, Some(0), "{command}");
        assert_eq!(home.run(&["install", "--browser", "chrome"]).code, Some(0));
        assert_eq!(home.doctor(&[])["ok"], true, "{link}: {:#?}", findings(&home.doctor(&[])));
        assert_eq!(home.run(&["uninstall"]).code, Some(0));
        fs::remove_file(format!("{}.old", place.display())).expect("moved aside");
        if kept.exists() {
            fs::rename(&kept, &place).expect("moved back");
        }
        assert_eq!(home.tree(), before, "{link}");
    }
}
