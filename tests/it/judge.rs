//! The real binary in a real home, as somebody who judges it would: installed, one thing broken, looked at, mended, taken out again.
//!
//! Nothing hangs, nothing wrong is called right, every command that is given does what it says, a look changes nothing of what is
//! installed, and what is there after the last word is what was there before the first.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;

use crate::fresh_home::{Home, Way, close, edit, findings, judge, judge_in, named, pipe, wrap};

#[test]
fn what_a_start_leaves_behind_goes_with_the_last_manifest() {
    let home = Home::new();
    let before = home.tree();
    assert_eq!(home.run(&["install", "--browser", "chrome,firefox"]).code, Some(0));
    home.start_host();
    assert!(home.state("log/outrigger.log").is_file(), "the host was started");
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

/// What can still be undone stays, and that is said.
#[test]
fn a_journal_stays_until_it_is_thrown_away() {
    let home = Home::installed();
    fs::write(home.state("journal.sqlite"), "").expect("written");
    home.give_to_user();
    let said = home.run(&["uninstall"]);
    assert_eq!(said.code, Some(0));
    assert!(
        said.out.contains("Journal and audit stay in") && said.out.contains("uninstall --purge"),
        "{}",
        said.out
    );
    assert!(home.state("journal.sqlite").is_file());
    assert_eq!(home.run(&["uninstall", "--purge"]).code, Some(0));
    assert!(!home.state("").exists());
}

#[test]
fn folders_that_are_closed() {
    let browser = |home: &Home| home.path(".config/google-chrome");
    judge("the folder of manifests", "manifest.readable", "closed by its own", &Way::Fix, |home| {
        close(home.chrome().parent().expect("folder"));
    });
    judge("the browser's folder", "manifest.readable", "closed by its own", &Way::Paste, |home| {
        close(&browser(home));
    });
    judge("one manifest", "manifest.readable", "Permission denied", &Way::Fix, |home| close(&home.chrome()));
    judge("a folder that may only be read", "manifest.present", "closed by its own", &Way::Fix, |home| {
        fs::remove_file(home.chrome()).expect("removed");
        let folder = home.chrome().parent().expect("folder").to_path_buf();
        fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).expect("mode");
    });
    judge("our programs", "binary.exists", "closed by its own", &Way::Fix, |home| close(&home.program("")));
    judge("our state", "state.folder", "closed by its own", &Way::Fix, |home| close(&home.state("")));
    judge("the record", "state.record", "Permission denied", &Way::Fix, |home| {
        close(&home.state("installed.json"));
    });
    judge("the copy", "binary.executable", "no execute", &Way::Fix, |home| {
        close(&fs::canonicalize(home.program("bin/outrigger")).expect("there"));
    });
}

#[test]
fn something_else_where_a_file_or_a_folder_belongs() {
    let replaced = |path: PathBuf| {
        fs::remove_file(&path).expect("removed");
        fs::create_dir(&path).expect("folder");
    };
    judge("a folder as launcher", "binary.regular", "it is a folder", &Way::Fix, |home| {
        replaced(home.program("bin/outrigger"));
        fs::write(home.program("bin/outrigger/mine"), "mine").expect("written");
    });
    judge("a pipe as launcher", "binary.regular", "it is a pipe", &Way::Fix, |home| {
        pipe(&home.program("bin/outrigger"));
    });
    judge("a launcher to a folder", "binary.regular", "it is a folder", &Way::Fix, |home| {
        fs::remove_file(home.program("bin/outrigger")).expect("removed");
        symlink("../versions", home.program("bin/outrigger")).expect("link");
    });
    judge("a launcher to a version that is gone", "binary.exists", "it is a link to", &Way::Fix, |home| {
        fs::remove_file(home.program("bin/outrigger")).expect("removed");
        symlink("../versions/0.0.1-abcdefabcdef/outrigger", home.program("bin/outrigger")).expect("link");
    });
    for (program, ends) in [("/usr/bin/true", "without an answer"), ("/usr/bin/yes", "is no frame")] {
        judge("a launcher to another program", "host.hello", ends, &Way::Fix, |home| {
            fs::remove_file(home.program("bin/outrigger")).expect("removed");
            symlink(program, home.program("bin/outrigger")).expect("link");
        });
    }
    judge("a launcher to itself", "binary.exists", "symbolic links", &Way::Fix, |home| {
        fs::remove_file(home.program("bin/outrigger")).expect("removed");
        symlink("outrigger", home.program("bin/outrigger")).expect("link");
    });
    judge("a folder as lock", "state.record", "installed.lock", &Way::Paste, |home| {
        replaced(home.state("installed.lock"));
    });
    judge("a pipe as lock", "state.record", "installed.lock", &Way::Paste, |home| {
        pipe(&home.state("installed.lock"));
    });
    for (kind, seed) in [("a folder", replaced as fn(PathBuf)), ("a pipe", |path| pipe(&path))] {
        judge(kind, "state.record", "installed.json", &Way::Paste, |home| seed(home.state("installed.json")));
    }
    judge("a pipe as log", "state.folder", "log/outrigger.log", &Way::Paste, |home| {
        fs::create_dir_all(home.state("log")).expect("folder");
        pipe(&home.state("log/outrigger.log"));
    });
    judge("a file as log", "state.folder", "outrigger/log", &Way::Paste, |home| {
        fs::write(home.state("log"), "").expect("written");
    });
    judge("a file as folder for temporary files", "state.folder", "outrigger/tmp", &Way::Paste, |home| {
        fs::write(home.state("tmp"), "").expect("written");
    });
    judge("a folder as journal", "state.folder", "journal.sqlite", &Way::Paste, |home| {
        fs::create_dir(home.state("journal.sqlite")).expect("folder");
    });
    judge("a manifest of 10 MB", "manifest.readable", "larger than 1 MiB", &Way::Paste, |home| {
        let text = fs::read_to_string(home.chrome()).expect("there");
        fs::write(home.chrome(), text + &" ".repeat(10_000_000)).expect("written");
    });
    judge("a manifest that is a pipe", "manifest.readable", "a named pipe", &Way::Paste, |home| {
        pipe(&home.chrome());
    });
}

/// A manifest of ours that somebody spoilt is mended, and taken back as if it had never been.
#[test]
fn a_manifest_that_was_spoilt_is_nothing_to_bring_back() {
    let path = |path: &'static str| {
        move |home: &Home| edit(&home.chrome(), |manifest| manifest["path"] = path.into())
    };
    judge("a path with a NUL", "binary.exists", "NUL", &Way::Fix, path("/usr/bin/true\0"));
    judge("a path with a space", "binary.exists", "No such file", &Way::Fix, path("/usr/bin/true "));
    judge("a path with a line end", "binary.exists", "No such file", &Way::Fix, path("/usr/bin/true\n"));
    judge("a path that goes on", "binary.exists", "Not a directory", &Way::Fix, path("/usr/bin/true/"));
    judge("no JSON", "manifest.json", "expected value", &Way::Fix, |home| {
        fs::write(home.chrome(), "//").expect("written");
    });
    // Both browsers take the last of two keys, and so do we.
    judge("two paths", "binary.exists", "No such file", &Way::Fix, |home| {
        let text = fs::read_to_string(home.chrome()).expect("there");
        let open = text.trim_end().strip_suffix('}').expect("object").trim_end();
        fs::write(home.chrome(), format!("{open}, \"path\": \"/nowhere/x\"}}")).expect("written");
    });
    judge("a lone surrogate", "manifest.json", "hex escape", &Way::Fix, |home| {
        let text = fs::read_to_string(home.chrome()).expect("there");
        fs::write(home.chrome(), text.replace("Outrigger:", "\\ud800:")).expect("written");
    });
    judge("a tab within a text", "manifest.json", "control character", &Way::Fix, |home| {
        let text = fs::read_to_string(home.chrome()).expect("there");
        fs::write(home.chrome(), text.replace("Outrigger:", "Outri\tgger:")).expect("written");
    });
}

#[test]
fn copies_that_are_not_what_was_installed() {
    let copy = |home: &Home| fs::canonicalize(home.program("bin/outrigger")).expect("there");
    judge("cut off", "binary.same", "versions/", &Way::Fix, move |home| {
        fs::OpenOptions::new().write(true).open(copy(home)).expect("open").set_len(100_000).expect("cut");
    });
    judge("empty", "binary.same", "versions/", &Way::Fix, move |home| {
        fs::write(copy(home), "").expect("emptied");
    });
    judge("a few other bytes", "binary.same", "versions/", &Way::Fix, move |home| {
        let mut bytes = fs::read(copy(home)).expect("read");
        let end = bytes.len();
        bytes[end - 64..end - 54].fill(b'x');
        fs::write(copy(home), bytes).expect("written");
    });
}

/// The program that looks is itself the copy that is damaged: it cannot mend itself, and does not call itself right.
#[test]
fn a_damaged_copy_that_looks_at_itself() {
    let mut home = Home::new();
    assert_eq!(home.run(&["install", "--browser", "chrome,firefox"]).code, Some(0));
    let good = home.binary.clone();
    let copy = fs::canonicalize(home.program("bin/outrigger")).expect("there");
    let append = Command::new("sh").args(["-c", "printf more >>\"$0\""]).arg(&copy).status();
    assert!(append.expect("sh").success());
    home.binary = home.program("bin/outrigger");
    let finding = named("more bytes", &home.doctor(&[]), "binary.same", "versions/");
    assert_eq!((&finding["verdict"], &finding["fixable"]), (&json!("problem"), &json!(false)), "{finding:#}");
    assert!(
        finding["advice"].as_str().is_some_and(|advice| advice.starts_with("not possible")),
        "{finding:#}"
    );
    home.binary = good;
    assert_eq!(home.doctor(&["--fix"])["ok"], true);
}

/// Who may write the manifest decides what the browser starts, as much as who may write the program.
#[test]
fn manifests_that_others_may_write() {
    let open = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("mode");
    judge("the manifest", "binary.folder", "writable for everyone", &Way::Fix, |home| {
        open(&home.chrome(), 0o666);
    });
    judge("its folder", "binary.folder", "writable for everyone", &Way::Fix, |home| {
        open(home.chrome().parent().expect("folder"), 0o777);
    });
}

#[test]
fn wrappers_that_spoil_the_link() {
    let wrapped = |text: &'static str| move |home: &Home| wrap(home, text);
    let check = |fault: &str, id: &str, seen: &str, text: &'static str| {
        judge(fault, id, seen, &Way::Fix, wrapped(text));
    };
    // A browser that was started from a menu has none of a terminal's variables.
    let mut home = Home::new();
    home.variables.push(("ONLY_HERE", "1".to_owned()));
    let text = "#!/bin/sh\n[ \"$ONLY_HERE\" = 1 ] && exec REAL \"$@\"\nexit 1\n";
    judge_in(&home, "it needs this terminal", "host.hello", "", &Way::Fix, wrapped(text));
    check("it greets", "host.hello", "hello", "#!/bin/sh\necho hello\nexec REAL \"$@\"\n");
    check("it has no input", "host.hello", "without an answer", "#!/bin/sh\nexec REAL \"$@\" </dev/null\n");
    check("it has no output", "host.hello", "without an answer", "#!/bin/sh\nexec REAL \"$@\" >&-\n");
    check("an interpreter with a line end", "host.start", "/bin/sh\\r", "#!/bin/sh\r\nexec REAL \"$@\"\n");
    check(
        "an interpreter that is gone",
        "host.start",
        "`/nowhere/sh`, which is not there",
        "#!/nowhere/sh\n",
    );
    check("an interpreter that is a folder", "host.start", "`/usr`, which is no program", "#!/usr\n");
    check("no interpreter", "host.start", "does not say for which interpreter", "#!\nexec REAL \"$@\"\n");
    check("few files", "host.hello", "ulimit -n", "#!/bin/sh\nulimit -n 16\nexec REAL \"$@\"\n");
    check("fewer files", "host.hello", "ulimit -n", "#!/bin/sh\nulimit -n 8\nexec REAL \"$@\"\n");
    check(
        "no threads",
        "host.hello",
        "ulimit -u",
        "#!/bin/sh\nulimit -u 1 2>/dev/null || ulimit -p 1\nexec REAL \"$@\"\n",
    );
    check("no memory", "host.hello", "ended by signal", "#!/bin/sh\nulimit -v 30000\nexec REAL \"$@\"\n");
    check("a filter of system calls", "host.hello", "filter of system calls", "#!/bin/sh\nkill -SYS $$\n");
    check("it is somebody else", "host.hello", "neither result nor error", "#!/bin/sh\nexec cat\n");
    check("it drops bytes", "host.hello", "", "#!/bin/sh\nREAL \"$@\" | tr -d '\\000'\n");
    check(
        "it keeps words back",
        "host.hello",
        "no answer",
        "#!/bin/sh\nREAL \"$@\" | dd bs=8M iflag=fullblock 2>/dev/null\n",
    );
    check("it forgets who calls", "host.hello", "", "#!/bin/sh\nexec REAL\n");
    check(
        "it says that somebody else calls",
        "host.hello",
        "may not use this host",
        "#!/bin/sh\nexec REAL chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/\n",
    );
    check(
        "it leaves a child with the output",
        "host.exit",
        "its output has not",
        "#!/bin/sh\nsleep 30 &\nexec REAL \"$@\"\n",
    );
    check("it fails afterwards", "host.exit", "exit status 7", "#!/bin/sh\nREAL \"$@\"\nexit 7\n");
    check("it has a last word", "host.exit", "good-bye", "#!/bin/sh\nREAL \"$@\"\necho good-bye\n");
    check("it never ends", "host.exit", "it was killed", "#!/bin/sh\nREAL \"$@\"\nexec sleep 30 >&-\n");
    // These work, and it is only told that browsers start something else.
    check("a script", "binary.same", "a script for `/bin/sh`", "#!/bin/sh\nexec REAL \"$@\"\n");
    check("another folder", "binary.same", "bin/outrigger", "#!/bin/sh\ncd /\nexec REAL \"$@\"\n");
    check("cats before and behind", "binary.same", "bin/outrigger", "#!/bin/sh\ncat | REAL \"$@\" | cat\n");
    check("files of no length", "binary.same", "bin/outrigger", "#!/bin/sh\nulimit -f 0\nexec REAL \"$@\"\n");
}

#[test]
fn configurations_that_hide() {
    let config = |home: &Home| home.path(".config/outrigger/config.toml");
    let put = move |home: &Home, text: &str| {
        fs::create_dir_all(home.path(".config/outrigger")).expect("folder");
        fs::write(config(home), text).expect("written");
    };
    let check = |fault: &str, seen: &str, seed: &dyn Fn(&Home)| {
        let home = Home::installed();
        seed(&home);
        home.give_to_user();
        let finding = named(fault, &home.doctor(&[]), "config.valid", seen);
        let Some(fix) = finding["fix"].as_str() else { return };
        assert_eq!(home.paste(fix).code, Some(0), "{fault}: {fix}");
        let after = home.doctor(&[]);
        assert!(
            findings(&after).iter().all(|check| check["id"] != "config.valid"),
            "{fault}: {:#?}",
            findings(&after)
        );
    };
    check("a closed folder", "cannot be looked into", &|home| {
        put(home, "version = 1\n");
        close(&home.path(".config/outrigger"));
    });
    check("a file as folder", "is not a folder", &|home| {
        fs::write(home.path(".config/outrigger"), "").expect("written");
    });
    check("a link to nowhere", "leads nowhere", &|home| {
        symlink("gone", home.path(".config/outrigger")).expect("link");
    });
    check("a closed file", "cannot be read", &|home| {
        put(home, "version = 1\n");
        close(&config(home));
    });
    check("a pipe", "not a regular file", &|home| {
        fs::create_dir_all(home.path(".config/outrigger")).expect("folder");
        pipe(&config(home));
    });
    check("a device", "not a regular file", &|home| {
        fs::create_dir_all(home.path(".config/outrigger")).expect("folder");
        symlink("/dev/zero", config(home)).expect("link");
    });
    check("100 MB", "larger than 1 MiB", &|home| put(home, &"# x\n".repeat(25_000_000)));
    check("writable for all", "others may write", &|home| {
        put(home, "version = 1\n");
        fs::set_permissions(config(home), fs::Permissions::from_mode(0o666)).expect("mode");
    });
}

#[test]
fn workspaces_that_are_closed() {
    for (mode, verdict, seen) in [
        (0, "problem", "closed by its own"),
        (0o300, "problem", "/app"),
        (0o555, "warning", "closed by its own"),
    ] {
        let home = Home::installed();
        let app = home.root().join("app");
        fs::create_dir(&app).expect("folder");
        home.give_to_user();
        assert_eq!(home.run(&["workspace", "add", app.to_str().expect("text")]).code, Some(0));
        fs::set_permissions(&app, fs::Permissions::from_mode(mode)).expect("mode");
        let finding = named("a workspace", &home.doctor(&[]), "workspace.available", seen);
        assert_eq!(finding["verdict"], verdict, "{finding:#}");
        // It is the person's own folder, and may be closed on purpose.
        home.doctor(&["--fix"]);
        assert_eq!(fs::metadata(&app).expect("there").permissions().mode() & 0o777, mode);
        assert_eq!(home.paste(finding["fix"].as_str().expect("fix")).code, Some(0));
        let left = findings(&home.doctor(&[]));
        assert!(left.iter().all(|check| check["id"] != "workspace.available"), "{left:#?}");
    }
}

/// A home folder that is none, or somebody else's: nothing of the system is to be given away for it.
#[test]
fn homes_that_are_none() {
    let mut home = Home::new();
    let before = home.tree();
    home.variables = vec![("HOME", "home".to_owned())];
    for args in [&["install", "--browser", "chrome"][..], &["doctor"], &["uninstall"]] {
        let said = home.run(args);
        assert_eq!(said.code, Some(1));
        assert!(said.err.contains("relative path") && said.err.contains("set HOME"), "{}", said.err);
    }
    for elsewhere in ["/nowhere/ada", "/proc/1", "/usr"] {
        home.variables = vec![("HOME", elsewhere.to_owned())];
        let diagnosis = home.run(&["doctor", "--json", "--browser", "chrome"]).json();
        let finding = named(elsewhere, &diagnosis, "manifest.present", "not writable for this user");
        assert!(
            finding["advice"].as_str().is_some_and(|advice| advice.contains("set `HOME`")),
            "{finding:#}"
        );
        for finding in findings(&diagnosis) {
            let fix = finding["fix"].as_str().unwrap_or_default();
            assert!(!fix.contains("chown"), "{elsewhere}: {fix}");
        }
        assert_eq!(home.run(&["install", "--browser", "chrome"]).code, Some(1));
        assert_eq!(home.run(&["uninstall"]).code, Some(0));
    }
    assert_eq!(home.tree(), before);
}

/// One of the folders that a variable names is none: it is named, nothing is installed by halves, and nothing stays.
#[test]
fn folders_of_variables_that_are_none() {
    type Make = fn(&Path);
    let kinds: [(&str, &str, Make); 4] = [
        ("a file", "a file where a folder belongs", |path| fs::write(path, "").expect("written")),
        ("a dead link", "a link to `gone`", |path| symlink("gone", path).expect("link")),
        ("a circle", "leads back to itself", |path| symlink("xdg", path).expect("link")),
        ("closed", "closed by its own", |path| {
            fs::create_dir(path).expect("folder");
            close(path);
        }),
    ];
    for variable in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"] {
        for (kind, seen, make) in kinds {
            let fault = format!("{variable} is {kind}");
            let mut home = Home::new();
            let place = home.root().join("xdg");
            make(&place);
            home.give_to_user();
            home.variables = vec![(variable, place.display().to_string())];
            let diagnosis = home.doctor(&[]);
            let found = findings(&diagnosis);
            let finding = found
                .iter()
                .find(|check| check["evidence"].as_str().is_some_and(|words| words.contains(seen)));
            let finding = finding.unwrap_or_else(|| panic!("{fault}: {found:#?}"));
            let before = home.tree_of_closed();
            let said = home.run(&["install", "--browser", "chrome"]);
            assert_eq!(said.code, Some(1), "{fault}: {}{}", said.out, said.err);
            assert!(said.err.contains(seen), "{fault}: {}", said.err);
            let said = home.run(&["uninstall"]);
            assert!(
                said.err.lines().filter(|line| line.starts_with("error")).count() <= 1,
                "{fault}: {}",
                said.err
            );
            assert_eq!(home.tree_of_closed(), before, "{fault}");
            let fix = finding["fix"].as_str().unwrap_or_else(|| panic!("{fault}: {finding:#}"));
            let pasted = home.paste(fix);
            assert_eq!(pasted.code, Some(0), "{fault}: {fix}: {}", pasted.err);
            assert_eq!(home.run(&["install", "--browser", "chrome,firefox"]).code, Some(0), "{fault}");
            assert_eq!(home.doctor(&[])["ok"], true, "{fault}: {:#?}", findings(&home.doctor(&[])));
        }
    }
}

#[test]
fn a_record_that_is_lost() {
    for lost in ["installed.json", ""] {
        let home = Home::new();
        let before = home.tree();
        assert_eq!(home.run(&["install", "--browser", "chrome,firefox"]).code, Some(0));
        let path = home.state(lost);
        if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }.expect("removed");
        let said = home.run(&["uninstall"]);
        assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
        // Which folders we made nobody knows any more: what is left of them is empty.
        let left: Vec<PathBuf> = home.tree().into_keys().filter(|path| !before.contains_key(path)).collect();
        assert!(left.iter().all(|path| path.is_dir()), "{left:#?}");
        assert!(!home.program("bin").exists() && !home.chrome().exists());
    }
}

#[test]
fn what_cannot_be_removed_is_told_and_tried_again() {
    let home = Home::new();
    let before = home.tree();
    assert_eq!(home.run(&["install", "--browser", "chrome,firefox"]).code, Some(0));
    close(&home.program(""));
    let said = home.run(&["uninstall"]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.err.contains("something of outrigger's own stays") && said.err.contains("chmod u+rwx"),
        "{}",
        said.err
    );
    fs::set_permissions(home.program(""), fs::Permissions::from_mode(0o755)).expect("mode");
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

/// A disk that is full, as far as a limit can play it: nothing is left half, and it is said.
#[test]
fn an_installation_that_runs_out_of_room() {
    let home = Home::new();
    let before = home.tree();
    let line = format!("ulimit -f 4; exec '{}' install --browser chrome,firefox", home.binary.display());
    let said = home.paste(&line);
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(said.err.contains("ulimit -f"), "{}", said.err);
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    assert_eq!(home.tree(), before);
}

/// Hosts of others are nobody's concern here, and what a dry run or a print would do is not done.
#[test]
fn words_without_deeds() {
    let home = Home::new();
    let before = home.tree();
    for args in [
        &["install", "--browser", "chrome,firefox", "--print"][..],
        &["install", "--all", "--dry-run"],
        &["uninstall", "--dry-run"],
        &["uninstall"],
        &["doctor", "--browser", "chrome"],
        &["status"],
    ] {
        home.run(args);
        assert_eq!(home.tree(), before, "{args:?}");
    }
    let said = home.run(&["install", "--browser", "chrome", "--dry-run", "--json"]);
    assert_eq!(said.json()["targets"][0]["result"], json!("would_install"));
}
