//! The workspace door: what it lets through, what it refuses, and that it refuses the same way by both ways of resolving.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs::File,
    io::Write as _,
    os::unix::{ffi::OsStrExt as _, fs::symlink, net::UnixListener},
    path::Path,
    sync::Arc,
};

use outrigger::{
    config::{Config, Place, WorkspaceEntry},
    ids::Etag,
    policy::{Law, Permit},
    tools::Code,
    workspace::{Backend, DoorError, Executable, Expected, FileKind, Step, Target, TreeLimits, Workspace},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    fs_names::snapshot,
    naive::naive,
    world::{World, call_on, run},
};

/// Something that asks whether it is to stop.
type Work<'a> = Box<dyn Fn(&dyn Fn() -> bool) -> Result<(), DoorError> + 'a>;

const BACKENDS: [Backend; 2] = [Backend::Fastest, Backend::Walk];

/// The folder opened by a chosen way of resolving.
pub fn open(root: &Path, backend: Backend) -> Workspace {
    let entry = WorkspaceEntry {
        id: "ws".into(),
        path: root.into(),
        read_only: false,
        closed_by: None,
        place: Place::default(),
    };
    let law = Law::new(&Config::default()).unwrap();
    Workspace::open_with(&entry, Arc::new(law.paths().clone()), backend).unwrap()
}

/// In short: where a path leads, or why not.
fn outcome(workspace: &Workspace, path: &str) -> String {
    match workspace.resolve(path) {
        Ok(found) => match found.kind() {
            Some(kind) => format!("{} {}", found.resolved(), kind.as_str()),
            None => format!("{} missing", found.resolved()),
        },
        Err(DoorError::Outside { .. }) => "outside".into(),
        Err(DoorError::Blocked { .. }) => "blocked".into(),
        Err(DoorError::NotFound { .. }) => "not found".into(),
        Err(DoorError::WrongType { .. }) => "wrong type".into(),
        Err(DoorError::InvalidPath { .. }) => "invalid".into(),
        Err(error) => panic!("{path}: {error}"),
    }
}

#[track_caller]
fn check(world: &World, expected: &[(&str, &str)]) {
    for backend in BACKENDS {
        let workspace = open(&world.root(), backend);
        for (path, outcome_expected) in expected {
            assert_eq!(outcome(&workspace, path), *outcome_expected, "{path:?} by {backend:?}");
        }
    }
}

#[test]
fn links_lead_on_only_inside() {
    let world = World::new();
    let (root, outside) = (world.root().canonicalize().unwrap(), world.outside());
    world.write("a/b/file", "x");
    std::fs::write(outside.join("secret"), "x").unwrap();
    let link = |target: &str, name: &str| symlink(target, root.join(name)).unwrap();
    link("a/b", "relative");
    link("../a/./b/../b/file", "a/up");
    link(root.join("a/b").to_str().unwrap(), "absolute");
    link(root.to_str().unwrap(), "a/home");
    link(outside.to_str().unwrap(), "out");
    link("../outside/secret", "sneaky");
    link("../../outside", "a/up2");
    link("new/file", "dangling");
    link("../outside/new", "dangling_out");
    link("/etc/new-file", "dangling_etc");
    link("/proc/self/root/etc", "proc");
    link("/proc/self/cwd", "cwd");
    link("loop2", "loop1");
    link("loop1", "loop2");
    link(".", "here");
    link("relative", "second");
    link(&format!("{}x", root.display()), "prefix");
    link(&format!("{}/../outside/secret", root.display()), "absolute_up");
    link("..", "above");
    link("a/../..", "above2");
    check(
        &world,
        &[
            (".", ". dir"),
            ("a/b/file", "a/b/file file"),
            ("relative/file", "a/b/file file"),
            ("a/up", "a/b/file file"),
            ("absolute/file", "a/b/file file"),
            ("a/home/a/home/a/b", "a/b dir"),
            ("second/../../a", "a dir"),
            ("second/..", "a dir"),
            ("here/here/here/a", "a dir"),
            ("here", ". dir"),
            ("a/home", ". dir"),
            ("out", "outside"),
            ("out/secret", "outside"),
            ("out/none", "outside"),
            ("sneaky", "outside"),
            ("a/up2/secret", "outside"),
            ("dangling", "new/file missing"),
            ("dangling/more", "new/file/more missing"),
            ("dangling_out", "outside"),
            ("dangling_etc", "outside"),
            ("proc/passwd", "outside"),
            ("cwd/x", "outside"),
            ("loop1", "outside"),
            ("loop1/x", "outside"),
            ("prefix", "outside"),
            ("absolute_up", "outside"),
            ("above", "outside"),
            ("above2/x", "outside"),
            ("..", "outside"),
            ("a/../..", "outside"),
            ("a/b/../../..", "outside"),
            ("a/../a/b/./file", "a/b/file file"),
            ("missing", "missing missing"),
            ("missing/deep/er", "missing/deep/er missing"),
            ("missing/../a", "not found"),
            ("a/b/file/x", "wrong type"),
            ("a/b/file/..", "wrong type"),
            ("..a", "..a missing"),
            ("/etc/passwd", "outside"),
            ("/proc/self/root", "outside"),
            ("", "invalid"),
            ("a\0b", "invalid"),
            (root.join("a/b").to_str().unwrap(), "a/b dir"),
            (&format!("{}x", root.display()), "outside"),
            (&format!("{}/../outside", root.display()), "outside"),
        ],
    );
}

#[test]
fn forty_links_are_followed_and_no_more() {
    let world = World::new();
    world.write("l0", "x");
    for number in 1..=41 {
        symlink(format!("l{}", number - 1), world.root().join(format!("l{number}"))).unwrap();
    }
    check(&world, &[("l40", "l0 file"), ("l41", "outside")]);
}

#[test]
fn what_is_no_file_is_refused_before_it_can_block() {
    let world = World::new();
    let fifo = world.root().join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o666.into(), 0).unwrap();
    let _socket = UnixListener::bind(world.root().join("socket")).unwrap();
    let device = world.root().join("null");
    let has_device = rustix::fs::mknodat(
        rustix::fs::CWD,
        &device,
        rustix::fs::FileType::CharacterDevice,
        0o666.into(),
        rustix::fs::makedev(1, 3),
    )
    .is_ok();
    symlink("fifo", world.root().join("to_fifo")).unwrap();
    let mut names = vec!["fifo", "socket", "to_fifo"];
    names.extend(has_device.then_some("null"));
    for name in names {
        for (tool, arguments) in [
            ("fs_read", json!({"path": name})),
            ("fs_write", json!({"path": name, "content": "x", "mode": "overwrite"})),
            ("fs_edit", json!({"path": name, "edits": [{"old_text": "a", "new_text": "b"}]})),
        ] {
            assert_eq!(world.tool(tool, arguments).unwrap_err().code, Code::WrongType, "{tool} {name}");
        }
        assert!(world.tool("fs_list", json!({"path": name})).is_ok(), "{name}");
    }
    for backend in BACKENDS {
        let workspace = open(&world.root(), backend);
        let fifo = workspace.resolve("to_fifo").unwrap();
        assert_eq!(fifo.kind(), Some(FileKind::Fifo));
        assert!(matches!(workspace.open_file(&fifo), Err(DoorError::WrongType { .. })));
    }
}

#[test]
fn a_file_that_becomes_a_fifo_or_a_link_is_refused() {
    let world = World::new();
    let path = world.write("file", "x");
    std::fs::write(world.outside().join("secret"), "s").unwrap();
    for backend in BACKENDS {
        let workspace = open(&world.root(), backend);
        std::fs::write(&path, "x").unwrap();
        let found = workspace.resolve("file").unwrap();
        std::fs::remove_file(&path).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o666.into(), 0).unwrap();
        assert!(matches!(workspace.open_file(&found), Err(DoorError::WrongType { .. })));
        std::fs::remove_file(&path).unwrap();
        symlink(world.outside().join("secret"), &path).unwrap();
        assert!(matches!(workspace.open_file(&found), Err(DoorError::WrongType { .. })));
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn odd_names_survive_a_round_trip() {
    let world = World::new();
    let names: [&[u8]; 11] = [
        b"caf\xe9.txt",
        b"new\nline",
        b"bidi\xe2\x80\xaeexe",
        b"tab\t",
        b"-rf",
        b"a\\xffb",
        b"trailing. ",
        // Two names each that would be shown alike.
        b"n\xff\xfe.txt",
        b"n\\xff\\xfe.txt",
        b"new\\nline",
        b"back\\slash",
    ];
    for name in names {
        std::fs::write(world.root().join(OsStr::from_bytes(name)), name).unwrap();
    }
    let listed = world.tool("fs_list", json!({})).unwrap();
    assert!(listed.text.contains("caf\\xe9.txt") && listed.text.contains("new\\nline"), "{}", listed.text);
    assert!(!listed.text.contains('\u{202e}'));
    let paths: Vec<String> =
        entries(&listed.data).map(|entry| entry["path"].as_str().unwrap().into()).collect();
    assert_eq!(paths.len(), names.len());
    for backend in BACKENDS {
        let workspace = open(&world.root(), backend);
        let read = |path: &String| workspace.read(&workspace.resolve(path).unwrap(), 100).unwrap();
        let found: BTreeSet<Vec<u8>> = paths.iter().map(read).collect();
        assert_eq!(found, names.iter().map(|name| name.to_vec()).collect(), "{paths:#?}");
        assert_eq!(workspace.read(&workspace.resolve("caf\\xe9.txt").unwrap(), 9).unwrap(), b"caf\xe9.txt");
    }
}

fn entries(data: &Value) -> impl Iterator<Item = &Value> {
    data["entries"].as_array().unwrap().iter()
}

#[test]
fn a_blocked_name_is_blocked_through_every_tool() {
    let world = World::new();
    for name in [".env", "sub/key.pem", "id_rsa", ".ENV", "sub/.Env.local"] {
        world.write(name, "SECRET=1\n");
    }
    world.write("plain.txt", "SECRET=1\n");
    symlink(".env", world.root().join("innocent")).unwrap();
    symlink("plain.txt", world.root().join("sub/other.pem")).unwrap();
    symlink("sub", world.root().join("way")).unwrap();
    let blocked = [
        ".env",
        "./.env",
        "sub/../.env",
        "innocent",
        "sub/key.pem",
        "way/key.pem",
        "id_rsa",
        ".ENV",
        "sub/.Env.local",
        "sub/other.pem",
        "sub/new.pem",
        ".env.production",
    ];
    for path in blocked {
        for (tool, arguments) in [
            ("fs_read", json!({"path": path})),
            ("fs_list", json!({"path": path})),
            ("fs_write", json!({"path": path, "content": "x", "mode": "overwrite"})),
            ("fs_edit", json!({"path": path, "edits": [{"old_text": "1", "new_text": "2"}]})),
            ("search_grep", json!({"pattern": "SECRET", "path": path})),
        ] {
            let error = world.tool(tool, arguments).unwrap_err();
            assert_eq!(error.code, Code::BlockedPath, "{tool} {path}: {error}");
        }
    }
    let listed = world.tool("fs_list", json!({"depth": 3})).unwrap();
    let shown: Vec<&str> = entries(&listed.data).map(|entry| entry["path"].as_str().unwrap()).collect();
    assert_eq!(shown, ["innocent", "plain.txt", "sub", "way"]);
    assert_eq!(listed.data["blocked_count"], 6);
    let near = world.tool("fs_read", json!({"path": "id_rs"})).unwrap_err();
    assert_eq!((near.code, near.candidates.len()), (Code::NotFound, 0));
}

/// A workspace that is itself a folder of the built-in lists is as closed as one that holds it.
#[test]
fn a_root_in_a_blocked_folder_is_blocked() {
    let world = World::new();
    world.write(".ssh/mykey", "x");
    world.write(".config/gcloud/x.db", "x");
    world.write(".config/nvim/init.lua", "x");
    let root = world.root().canonicalize().unwrap();
    for (folder, path, expected) in [
        (".ssh", "mykey", "blocked"),
        (".ssh", "authorized_keys", "blocked"),
        (".config", "gcloud/x.db", "blocked"),
        (".config", "nvim/init.lua", "nvim/init.lua file"),
        (".config/nvim", "init.lua", "init.lua file"),
    ] {
        assert_eq!(outcome(&open(&root.join(folder), Backend::Fastest), path), expected, "{folder} {path}");
    }
}

#[test]
fn git_data_is_read_but_never_written() {
    let world = World::new();
    for path in [".git/config", "sub/.git/hooks/pre-commit", ".GIT/config2"] {
        world.write(path, "x\n");
    }
    symlink(".git", world.root().join("repo")).unwrap();
    symlink(".git/config", world.root().join("conf")).unwrap();
    let forbidden = [
        ".git/config",
        "repo/config",
        "conf",
        "sub/.git/hooks/pre-commit",
        ".GIT/config2",
        ".git/new",
        ".Git/x/y",
        ".git",
    ];
    for path in forbidden {
        let write = json!({"path": path, "content": "y", "mode": "overwrite"});
        assert_eq!(world.tool("fs_write", write).unwrap_err().code, Code::ProtectedPath, "{path}");
        let edit = json!({"path": path, "edits": [{"old_text": "x", "new_text": "y"}]});
        assert_eq!(world.tool("fs_edit", edit).unwrap_err().code, Code::ProtectedPath, "{path}");
    }
    assert!(world.tool("fs_read", json!({"path": "conf"})).is_ok());
}

#[test]
fn a_link_says_where_it_leads() {
    let world = World::new();
    world.write("file", "x");
    symlink("file", world.root().join("in")).unwrap();
    symlink("/etc/passwd", world.root().join("out")).unwrap();
    let listed = world.tool("fs_list", json!({})).unwrap();
    let links: Vec<&Value> = entries(&listed.data).filter_map(|entry| entry.get("link")).collect();
    assert_eq!(
        links,
        [&json!({"target": "file", "inside": true}), &json!({"target": "/etc/passwd", "inside": false})]
    );
    assert!(listed.text.contains("out -> /etc/passwd (outside the workspace)"), "{}", listed.text);
}

/// What a tree of random links looks like.
#[derive(Clone, Debug)]
enum Node {
    Folder,
    File,
    Link(String),
}

fn node() -> impl Strategy<Value = Node> {
    let step = prop_oneof![Just(".."), Just("."), Just("a"), Just("b"), Just("c")];
    let target = proptest::collection::vec(step, 1..5).prop_map(|steps| steps.join("/"));
    prop_oneof![
        2 => Just(Node::Folder),
        1 => Just(Node::File),
        3 => target.clone().prop_map(Node::Link),
        1 => target.prop_map(|target| Node::Link(format!("ROOT/{target}"))),
        1 => Just(Node::Link("/etc/hostname".into())),
    ]
}

/// Whoever is asked to stop while new bytes are written leaves all as it was, and nothing beside it.
#[test]
fn what_is_stopped_before_the_first_name_changes_leaves_nothing() {
    let world = World::new();
    for number in 0..8 {
        world.write(&format!("d/{number}"), "old\n");
    }
    world.write("large", vec![b'x'; 20 << 20]);
    let before = snapshot(&world.root());
    let (workspace, permit) = (open(&world.root(), Backend::Fastest), Permit::for_undo());
    let names: Vec<String> =
        (0..8).map(|number| format!("d/{number}")).chain(["new/folder/file".into()]).collect();
    let paths: Vec<_> = names.iter().map(|name| workspace.resolve(name).unwrap()).collect();
    let steps: Vec<Step<'_>> = paths
        .iter()
        .map(|path| Step::Write {
            path,
            expected: if path.exists() { Expected::Etag(Etag::of(b"old\n")) } else { Expected::Missing },
            bytes: b"new\n",
            executable: Executable::Keep,
            like: None,
        })
        .collect();
    let limits = TreeLimits { entries: 100, bytes: 1 << 30 };
    let [folder, large, to] = ["d", "large", "to/here"].map(|path| workspace.resolve_name(path).unwrap());
    let trees = [&folder, &large].map(|path| workspace.tree(path, limits, &|| false).unwrap());
    let copy = |from, tree| -> Work<'_> {
        let (workspace, permit, to) = (&workspace, &permit, &to);
        Box::new(move |stop| workspace.copy(permit, (workspace, from, tree), to, &Target::Free, stop))
    };
    let works: [Work<'_>; 5] = [
        Box::new(|stop| workspace.change_together(&permit, &steps, stop)),
        copy(&folder, &trees[0]),
        copy(&large, &trees[1]),
        Box::new(|stop| workspace.rename(&permit, (&large, &trees[1]), &to, &Target::Free, stop)),
        Box::new(|stop| workspace.remove(&permit, &large, &trees[1], stop).map(|_| ())),
    ];
    for (index, work) in works.iter().enumerate() {
        for asked in 0..4 {
            let count = std::cell::Cell::new(0);
            let stop = || count.replace(count.get() + 1) >= asked;
            let result = work(&stop);
            assert!(matches!(result, Err(DoorError::Stopped { .. })), "{index} {asked}: {result:?}");
            assert!(snapshot(&world.root()) == before, "{index} {asked}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_ways_agree_with_the_naive_resolver(
        nodes in proptest::collection::vec((proptest::collection::vec(0..3_usize, 1..4), node()), 1..20),
        paths in proptest::collection::vec(proptest::collection::vec(0..6_usize, 1..6), 10),
    ) {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap().join("root");
        std::fs::create_dir(&root).unwrap();
        for (place, node) in nodes {
            let names: Vec<&str> = place.iter().map(|&name| ["a", "b", "c"][name]).collect();
            let path = root.join(names.join("/"));
            // A name below a file or a link is not made; the tree is random enough without.
            let parent = path.parent().unwrap();
            if naive(&root, &names[..names.len() - 1].join("/")) != format!("{} dir", names[..names.len() - 1].join("/"))
                && parent != root
            {
                continue;
            }
            let _ = match node {
                Node::Folder => std::fs::create_dir(&path),
                // Never through a link that is there already: it may lead to a file of this machine.
                Node::File => File::create_new(&path).and_then(|mut file| file.write_all(b"x")),
                Node::Link(target) => symlink(target.replace("ROOT", root.to_str().unwrap()), &path),
            };
        }
        let workspaces = BACKENDS.map(|backend| open(&root, backend));
        for path in paths {
            let path = path.iter().map(|&step| ["a", "b", "c", ".", "..", ""][step]).collect::<Vec<_>>().join("/");
            // A leading empty step would make it absolute: another case.
            let path = path.trim_start_matches('/');
            prop_assume!(!path.is_empty());
            let expected = naive(&root, path);
            for workspace in &workspaces {
                prop_assert_eq!(outcome(workspace, path), expected.clone(), "{}", path);
            }
        }
    }
}

/// As a link in a workspace is.
#[test]
fn a_root_that_is_a_link_of_a_blocked_name_is_blocked() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    std::fs::create_dir(at("plain")).unwrap();
    std::fs::write(at("plain/k"), "x\n").unwrap();
    for (name, expected) in [(".ssh", Some(Code::BlockedPath)), ("link", None)] {
        symlink(at("plain"), at(name)).unwrap();
        let read = run(&call_on(&at(name), |_| {}), "fs_read", json!({"path": "k"}));
        assert_eq!(read.err().map(|error| error.code), expected, "{name}");
    }
}
