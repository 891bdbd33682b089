//! Manifests in every shape that a file can have, and folders of manifests that belong to two.

use std::{
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    path::PathBuf,
    process::Command,
};

use crate::fresh_home::{Home, Way, findings, judge, named};

/// These work, and go with the rest.
#[test]
fn manifests_that_browsers_take_as_well() {
    type Change = fn(String) -> Vec<u8>;
    let shapes: [(&str, Change); 3] = [
        ("a byte order mark", |text| [b"\xef\xbb\xbf", text.as_bytes()].concat()),
        ("lines of Windows", |text| text.replace('\n', "\r\n").into_bytes()),
        ("a key twice", |text| text.replacen('{', "{\"type\": \"stdio\",", 1).into_bytes()),
    ];
    for (shape, change) in shapes {
        let home = Home::new();
        let before = home.tree();
        assert_eq!(home.run(&["install", "--browser", "chrome,firefox"]).code, Some(0));
        for manifest in [home.chrome(), home.firefox()] {
            let text = fs::read_to_string(&manifest).expect("there");
            fs::write(&manifest, change(text)).expect("written");
        }
        home.give_to_user();
        assert_eq!(home.doctor(&[])["ok"], true, "{shape}: {:#?}", findings(&home.doctor(&[])));
        let said = home.run(&["uninstall"]);
        assert_eq!(said.code, Some(0), "{shape}: {}{}", said.out, said.err);
        assert_eq!(home.tree(), before, "{shape}");
    }
}

#[test]
fn manifests_that_are_something_else() {
    let instead = |home: &Home| {
        fs::remove_file(home.chrome()).expect("removed");
        home.chrome()
    };
    judge("UTF-16", "manifest.json", "NativeMessagingHosts", &Way::Fix, |home| {
        let text = fs::read_to_string(home.chrome()).expect("there");
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        fs::write(home.chrome(), [&[0xff, 0xfe][..], &wide].concat()).expect("written");
    });
    judge("a list", "manifest.json", "invalid type", &Way::Fix, |home| {
        fs::write(home.chrome(), "[]").expect("written");
    });
    judge("nothing", "manifest.json", "EOF", &Way::Fix, |home| {
        fs::write(home.chrome(), "").expect("written");
    });
    judge("100 MB", "manifest.readable", "larger than 1 MiB", &Way::Paste, |home| {
        fs::OpenOptions::new()
            .write(true)
            .open(home.chrome())
            .expect("open")
            .set_len(100_000_000)
            .expect("long");
    });
    judge("a link to zeros without end", "manifest.readable", "a device", &Way::Paste, |home| {
        symlink("/dev/zero", instead(home)).expect("link");
    });
    judge("a link to itself", "manifest.readable", "symbolic links", &Way::Fix, |home| {
        symlink("dev.outrigger.host.json", instead(home)).expect("link");
    });
    judge("two links in a circle", "manifest.readable", "symbolic links", &Way::Fix, |home| {
        let manifest = instead(home);
        symlink("circle.old", &manifest).expect("link");
        symlink("dev.outrigger.host.json", manifest.with_file_name("circle.old")).expect("link");
    });
    judge("a link to nowhere", "manifest.readable", "No such file", &Way::Fix, |home| {
        symlink("/nowhere/manifest.json", instead(home)).expect("link");
    });
    judge("a socket", "manifest.readable", "a socket", &Way::Paste, |home| {
        // The name of a socket is short: it is made where paths are.
        let short = tempfile::tempdir().expect("folder");
        let socket = short.path().join("s");
        drop(UnixListener::bind(&socket).expect("socket"));
        let moved = Command::new("mv").arg(socket).arg(instead(home)).status();
        assert!(moved.expect("mv").success());
    });
    if rustix::process::geteuid().is_root() {
        judge("a device", "manifest.readable", "a device", &Way::Paste, |home| {
            let made = Command::new("mknod").arg(instead(home)).args(["c", "1", "5"]).status();
            assert!(made.expect("mknod").success());
        });
    }
    judge("a folder", "manifest.readable", "a folder", &Way::Paste, |home| {
        fs::create_dir(instead(home)).expect("folder");
    });
}

/// Two browsers of one family may share a folder, and one file serves both.
#[test]
fn a_folder_of_manifests_for_two_browsers() {
    let home = Home::new();
    fs::create_dir_all(home.path(".config/chromium/Default")).expect("profile");
    fs::create_dir_all(home.path(".config/google-chrome/NativeMessagingHosts")).expect("folder");
    let link = home.path(".config/chromium/NativeMessagingHosts");
    symlink("../google-chrome/NativeMessagingHosts", &link).expect("link");
    home.give_to_user();
    let before = home.tree();
    let all = ["--browser", "chrome,chromium,firefox"];
    assert_eq!(home.run(&[&["install"], &all[..]].concat()).code, Some(0));
    let diagnosis = home.run(&[&["doctor", "--json"], &all[..]].concat()).json();
    assert_eq!(diagnosis["ok"], true, "{:#?}", findings(&diagnosis));
    assert_eq!(home.run(&["uninstall", "--browser", "chromium"]).code, Some(0));
    assert_eq!(home.doctor(&[])["ok"], true, "the other one goes on");
    let said = home.run(&["uninstall"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert_eq!(home.tree(), before);
}

/// No file is a manifest for both families: the one that works goes on working, and the other one says what to do.
#[test]
fn a_folder_of_manifests_for_two_families() {
    let home = Home::new();
    let folder = home.path(".mozilla/native-messaging-hosts");
    fs::create_dir_all(home.path(".config/google-chrome/NativeMessagingHosts")).expect("folder");
    home.give_to_user();
    let before = home.tree();
    symlink(home.path(".config/google-chrome/NativeMessagingHosts"), &folder).expect("link");
    home.give_to_user();
    let said = home.run(&["install", "--browser", "chrome,firefox"]);
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(said.err.contains("cannot serve both") && said.err.contains("mv "), "{}", said.err);
    for more in [&[][..], &["--fix"]] {
        let diagnosis = home.doctor(more);
        assert_eq!(
            (&diagnosis["browsers"][0]["ok"], &diagnosis["browsers"][1]["ok"]),
            (&true.into(), &false.into())
        );
    }
    let finding = named("one folder", &home.doctor(&[]), "manifest.keys", "is a link to");
    let fix = finding["fix"].as_str().expect("fix");
    let said = home.paste(fix);
    assert_eq!(said.code, Some(0), "{fix}: {}{}", said.out, said.err);
    assert_eq!(home.doctor(&[])["ok"], true);
    assert_eq!(home.run(&["uninstall"]).code, Some(0));
    let aside = PathBuf::from(format!("{}.old", folder.display()));
    fs::remove_file(aside).expect("moved aside");
    assert_eq!(home.tree(), before);
}

/// The rights of others on a list, where the mode alone says nothing of them.
#[test]
fn manifests_that_a_list_of_rights_opens() {
    // Owner and mask may write, user 4242 may, others read.
    let script = "import os, struct, sys
entries = [(1, 6, -1), (2, 6, 4242), (4, 4, -1), (16, 6, -1), (32, 4, -1)]
packed = struct.pack('<I', 2) + b''.join(struct.pack('<HHI', tag, rights, number & 0xffffffff) for tag, rights, number in entries)
os.setxattr(sys.argv[1], 'system.posix_acl_access', packed)";
    let listed = |path: &std::path::Path| {
        Command::new("python3").args(["-c", script]).arg(path).output().expect("python3").status.success()
    };
    if !listed(tempfile::NamedTempFile::new().expect("file").path()) {
        println!("skipped: files have no lists of rights here");
        return;
    }
    judge("the manifest", "binary.folder", "writable for user 4242", &Way::Fix, |home| {
        assert!(listed(&home.chrome()));
    });
}
