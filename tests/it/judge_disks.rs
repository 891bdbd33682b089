//! Disks that are full, that may not be written to, that start nothing, and files that nobody may change: as somebody who judges it
//! meets them. The mounts are real, in a namespace of their own.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use crate::fresh_home::{Home, Way, edit, findings, judge, named};

/// Puts a small disk in the place of a folder, with what is in it.
fn small(folder: &str, size: &str) -> String {
    format!(
        "cp -a \"$1/{folder}\" \"$1/kept\"; mount -t tmpfs -o size={size} none \"$1/{folder}\"; cp -a \"$1/kept/.\" \"$1/{folder}\"; \
         rm -r \"$1/kept\""
    )
}

/// Mounts a folder onto itself with these options.
fn bound(folder: &str, options: &str) -> String {
    format!("mount --bind \"$1/{folder}\" \"$1/{folder}\"; mount -o remount,bind,{options} \"$1/{folder}\"")
}

fn fill(home: &Home, folder: &str) {
    home.mount(&format!("head -c 100M /dev/zero >\"$1/{folder}/fill\" || true"));
}

/// A home with this folder in it, which is the user's.
fn with(folder: &str, script: &str) -> Option<Home> {
    Home::with_disks(&format!(
        "mkdir -p \"$1/home/{folder}\"; chown --reference=\"$1/home\" -R \"$1/home\"; {script}"
    ))
}

fn install(home: &Home) {
    let said = home.run(&["install", "--browser", "chrome,firefox"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
}

#[test]
fn a_full_disk_leaves_nothing_half() {
    for (size, filled) in [("1m", false), ("1m", true)] {
        let Some(home) = Home::with_disks(&small("home", size)) else { return };
        if filled {
            fill(&home, "home");
        }
        let before = home.tree();
        let said = home.run(&["install", "--browser", "chrome,firefox"]);
        assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
        assert!(said.err.contains("No space left") && said.err.contains("df -h"), "{}", said.err);
        assert_eq!(home.tree(), before, "filled: {filled}");
        assert_eq!(home.run(&["uninstall"]).code, Some(0));
        assert_eq!(home.tree(), before, "filled: {filled}");
    }
}

#[test]
fn a_disk_that_is_full_later_is_named_and_can_be_left() {
    let script = small("home/.local/state", "256k");
    let Some(home) = with(".local/state", &script) else { return };
    let before = home.tree();
    install(&home);
    assert_eq!(home.doctor(&[])["ok"], true);
    fill(&home, "home/.local/state");
    let finding = named("a full disk", &home.doctor(&[]), "state.folder", "No space left");
    assert!(finding["advice"].as_str().is_some_and(|advice| advice.contains("df -h")), "{finding:#}");
    let said = home.run(&["uninstall"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    home.mount("rm \"$1/home/.local/state/fill\"");
    assert_eq!(home.tree(), before);
}

#[test]
fn folders_that_are_mounted_read_only() {
    let manifests = ".config/google-chrome/NativeMessagingHosts";
    let Some(home) = with(manifests, "true") else { return };
    let before = home.tree();
    install(&home);
    let read_only = |folder: &str| home.mount(&bound(&format!("home/{folder}"), "ro"));
    let writable = |folder: &str| home.mount(&format!("umount \"$1/home/{folder}\""));

    // The link lives, whatever the folder.
    read_only(manifests);
    assert_eq!(home.doctor(&[])["ok"], true);
    writable(manifests);

    edit(&home.chrome(), |manifest| manifest["path"] = "/nowhere/x".into());
    home.give_to_user();
    read_only(manifests);
    let finding = named("a broken manifest", &home.doctor(&[]), "binary.exists", "mounted read-only");
    assert!(finding["fix"].is_null() && finding["fixable"] == false, "{finding:#}");
    let said = home.run(&["install", "--browser", "chrome"]);
    assert!(said.code == Some(1) && said.err.contains("mounted read-only"), "{}", said.err);
    writable(manifests);
    fs::remove_file(home.chrome()).expect("removed");
    read_only(manifests);
    named("no manifest", &home.doctor(&[]), "manifest.present", "mounted read-only");
    named("no manifest", &home.doctor(&["--fix"]), "manifest.present", "mounted read-only");
    writable(manifests);
    install(&home);

    // Nothing to do is nothing to write.
    let program = ".local/share/outrigger";
    read_only(program);
    named("programs", &home.doctor(&[]), "state.folder", "mounted read-only");
    install(&home);
    let said = home.run(&["uninstall"]);
    assert!(said.code == Some(1) && said.err.contains("mounted read-only"), "{}", said.err);
    writable(program);
    install(&home);

    let state = ".local/state/outrigger";
    read_only(state);
    named("state", &home.doctor(&[]), "state.folder", "mounted read-only");
    let said = home.run(&["uninstall"]);
    assert!(said.code == Some(1) && said.err.contains("mounted read-only"), "{}", said.err);
    writable(state);
    assert_eq!(home.doctor(&[])["ok"], true);
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

#[test]
fn a_home_that_is_mounted_read_only() {
    let Some(home) = Home::with_disks(&bound("home", "ro")) else { return };
    let before = home.tree();
    named("a home", &home.doctor(&[]), "manifest.present", "mounted read-only");
    let said = home.run(&["install", "--browser", "chrome,firefox"]);
    assert!(said.code == Some(1) && said.err.contains("mounted read-only"), "{}", said.err);
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

/// What the person started is on another disk, so manifests may name that.
#[test]
fn programs_on_a_disk_that_starts_none() {
    let program = ".local/share/outrigger";
    let script = bound(&format!("home/{program}"), "noexec");
    let Some(home) = with(program, &script) else { return };
    let before = home.tree();
    let said = home.run(&["install", "--browser", "chrome,firefox"]);
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(said.err.contains("noexec") && said.err.contains("--in-place"), "{}", said.err);
    assert_eq!(home.tree(), before);

    home.mount(&format!("umount \"$1/home/{program}\""));
    install(&home);
    home.mount(&script);
    for _browser in ["chrome", "firefox"] {
        let finding = named("noexec", &home.doctor(&[]), "binary.executable", "noexec");
        let fix = finding["fix"].as_str().expect("fix");
        let said = home.paste(fix);
        assert_eq!(said.code, Some(0), "{fix}: {}{}", said.out, said.err);
    }
    assert_eq!(home.doctor(&[])["ok"], true, "{:#?}", findings(&home.doctor(&[])));
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

/// Marks a file as not to be changed; false where this machine does not let us.
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn seal(path: &Path) -> bool {
    let sealed =
        Command::new("chattr").arg("+i").arg(path).output().is_ok_and(|output| output.status.success());
    if !sealed {
        eprintln!("skipped: nothing can be marked as unchangeable here");
    }
    sealed
}

#[test]
fn files_that_nobody_may_change() {
    let probe = tempfile::NamedTempFile::new().expect("file");
    if !seal(probe.path()) {
        return;
    }
    assert!(Command::new("chattr").arg("-i").arg(probe.path()).status().expect("chattr").success());
    let unchangeable = "marked as not to be changed";
    // The mark comes last: nobody could give such a file to its user.
    let sealed = |home: &Home, path: &Path| {
        home.give_to_user();
        assert!(seal(path));
    };
    judge("a manifest", "binary.exists", unchangeable, &Way::Sealed, |home| {
        edit(&home.chrome(), |manifest| manifest["path"] = "/nowhere/x".into());
        sealed(home, &home.chrome());
    });
    judge("the folder of manifests", "manifest.present", unchangeable, &Way::Sealed, |home| {
        fs::remove_file(home.chrome()).expect("removed");
        sealed(home, home.chrome().parent().expect("folder"));
    });
    judge("the state", "state.folder", unchangeable, &Way::Sealed, |home| sealed(home, &home.state("")));
    judge("a damaged copy", "binary.same", unchangeable, &Way::Sealed, |home| {
        let copy = fs::canonicalize(home.program("bin/outrigger")).expect("there");
        fs::write(&copy, "").expect("emptied");
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).expect("mode");
        sealed(home, &copy);
    });
}

/// Without it no command can be started, and nothing else of the host misses it.
#[test]
fn a_system_without_proc() {
    let Some(home) = Home::with_disks("true") else { return };
    install(&home);
    home.mount("mount -t tmpfs none /proc");
    let said = home.doctor(&[]);
    let found = findings(&said);
    let start = found.iter().find(|check| check["id"] == "exec.start").unwrap_or_else(|| panic!("{said:#}"));
    assert_eq!(start["fix"], "sudo mount -t proc proc /proc", "{start:#}");
}
