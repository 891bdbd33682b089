//! Workspaces with everything that a folder can hold, made from a seed; and what stands in a folder, to the byte.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    os::unix::{
        ffi::{OsStrExt as _, OsStringExt as _},
        fs::{PermissionsExt as _, symlink},
    },
    path::Path,
};

use crate::world::git_command;

pub type Name = Vec<u8>;
pub type Tree = BTreeMap<Name, Entry>;

/// What stands at a name.
#[derive(Clone, PartialEq, Eq)]
pub enum Entry {
    File { bytes: Vec<u8>, mode: u32 },
    Link(Vec<u8>),
    Folder(u32),
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File { bytes, mode } => {
                write!(
                    formatter,
                    "file {mode:o} {} {:?}",
                    bytes.len(),
                    String::from_utf8_lossy(&bytes[..bytes.len().min(60)])
                )
            }
            Self::Link(target) => write!(formatter, "link {:?}", String::from_utf8_lossy(target)),
            Self::Folder(mode) => write!(formatter, "folder {mode:o}"),
        }
    }
}

/// Numbers that a seed gives, always the same ones.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// It is one of the host's own temporary names, or in one.
pub fn is_temporary(name: &[u8]) -> bool {
    name.split(|byte| *byte == b'/').any(|part| part.starts_with(b".outrigger-"))
}

/// Everything in a folder but git's own.
pub fn tree(root: &Path) -> Tree {
    fn look(root: &Path, folder: &Path, into: &mut Tree) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().as_os_str().as_bytes().to_vec();
            if name == b".git" {
                continue;
            }
            let metadata = fs::symlink_metadata(&path).unwrap();
            let mode = metadata.permissions().mode() & 0o777;
            let what = if metadata.is_symlink() {
                Entry::Link(fs::read_link(&path).unwrap().into_os_string().into_vec())
            } else if metadata.is_dir() {
                look(root, &path, into);
                Entry::Folder(mode)
            } else {
                Entry::File { bytes: fs::read(&path).unwrap(), mode }
            };
            into.insert(name, what);
        }
    }
    let mut all = Tree::new();
    look(root, root, &mut all);
    all
}

/// What differs: name, before, after.
pub fn difference(before: &Tree, after: &Tree) -> Vec<(Name, Option<Entry>, Option<Entry>)> {
    let names: std::collections::BTreeSet<&Name> = before.keys().chain(after.keys()).collect();
    let differs = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    differs.map(|name| (name.clone(), before.get(name).cloned(), after.get(name).cloned())).collect()
}

/// A name as a call has it.
pub fn wire(name: &[u8]) -> String {
    outrigger::text::from_os(OsStr::from_bytes(name)).into_owned()
}

pub fn at(root: &Path, name: &[u8]) -> std::path::PathBuf {
    root.join(OsStr::from_bytes(name))
}

pub fn below(name: &[u8], folder: &[u8]) -> bool {
    name.len() > folder.len() && name.starts_with(folder) && name[folder.len()] == b'/'
}

pub fn parent(name: &[u8]) -> &[u8] {
    name.iter().rposition(|byte| *byte == b'/').map_or(b"", |at| &name[..at])
}

pub fn last(name: &[u8]) -> &[u8] {
    name.iter().rposition(|byte| *byte == b'/').map_or(name, |at| &name[at + 1..])
}

pub fn join(folder: &[u8], name: &[u8]) -> Name {
    if folder.is_empty() { name.to_vec() } else { [folder, b"/", name].concat() }
}

/// Names that somebody gives to files.
pub fn names() -> Vec<Name> {
    let mut names: Vec<Name> = [
        "a.txt",
        "b c.txt",
        "-dash",
        "--help",
        "\u{fc}n\u{ef}.txt",
        "u\u{308}n.txt",
        "\u{65e5}\u{672c}\u{8a9e}.md",
        ".hidden",
        "Case.txt",
        "case.txt",
        "quote'\".txt",
        "a:b",
        "$HOME",
        "semi;colon",
        "star*.txt",
        "q?.rs",
        "[x].c",
        "{y}.h",
        "back\\slash",
        "n\\xff",
        "100%",
        "#hash",
        "!bang",
        "~tilde",
        "trailing ",
        "dots..",
        "new\nline",
        "tab\tbed",
        "bidi\u{202e}exe",
        "Makefile",
        "main.rs",
        "x.log",
        "\u{1f980}.rs",
    ]
    .map(|name| name.as_bytes().to_vec())
    .to_vec();
    names.push(vec![b'l'; 180]);
    names.push(b"odd\xff\xfename".to_vec());
    names
}

const WORDS: &[&str] = &[
    "alpha",
    "beta",
    "gamma",
    "needle",
    "na\u{ef}ve",
    "fn main() {",
    "}",
    "    return 1;",
    "\tindented",
    "x",
    "",
    "  ",
    "// end",
    "caf\u{e9}",
];

pub fn text(random: &mut Random, lines: usize, plain: bool) -> String {
    let mut text = String::new();
    for number in 0..lines {
        let word = *random.pick(WORDS);
        let word = if plain && !word.is_ascii() { "plain" } else { word };
        if random.chance(60) {
            text.extend([format!("{word} {number}\n")]);
        } else {
            text.extend([format!("{word}\n")]);
        }
    }
    if random.chance(15) {
        text.pop();
    }
    text
}

/// A text in one of the ways in which people keep them.
pub fn bytes(random: &mut Random) -> Vec<u8> {
    let length = 1 + random.below(14);
    let utf16 = |text: &str, big: bool| -> Vec<u8> {
        let mark: &[u8] = if big { b"\xfe\xff" } else { b"\xff\xfe" };
        let units =
            text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() });
        mark.iter().copied().chain(units).collect()
    };
    match random.below(14) {
        0 => text(random, length, false).replace('\n', "\r\n").into_bytes(),
        1 => {
            let text = text(random, length, false);
            let ends: Vec<String> = text
                .split_inclusive('\n')
                .enumerate()
                .map(|(at, line)| if at % 3 == 1 { line.replace('\n', "\r\n") } else { line.to_owned() })
                .collect();
            ends.concat().into_bytes()
        }
        2 => [b"\xef\xbb\xbf".as_slice(), text(random, length, false).as_bytes()].concat(),
        3 => utf16(&text(random, length, false), false),
        4 => utf16(&text(random, length, false).replace('\n', "\r\n"), true),
        5 => b"caf\xe9 cr\xe8me br\xfbl\xe9e\nd\xe9j\xe0 vu, gar\xe7on\nplain line\n".to_vec(),
        6 => (0..200).map(|_| u8::try_from(random.below(256)).unwrap()).collect(),
        7 => Vec::new(),
        8 => vec![0, 1, 2, 3, b'\n', 0],
        _ => text(random, length, false).into_bytes(),
    }
}

/// Fills the workspace, with a repository of some history and ignore rules.
pub fn fill(root: &Path, random: &mut Random) {
    let git = |arguments: &[&str]| {
        let output = git_command(root).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["config", "user.name", "Ann"]);
    git(&["config", "user.email", "ann@example.org"]);
    git(&["config", "core.autocrlf", "false"]);
    fs::write(root.join(".gitignore"), "*.log\nignored/\n").unwrap();
    let names = names();
    let mut folders: Vec<Name> = vec![Vec::new()];
    for _ in 0..5 {
        let folder = random.pick(&folders).clone();
        let name = join(
            &folder,
            random.pick(&["src", "sub dir", "deep", "\u{e9}t\u{e9}", "ignored", "-f"]).as_bytes(),
        );
        if fs::create_dir(at(root, &name)).is_ok() {
            folders.push(name);
        }
    }
    for _ in 0..14 {
        let name = join(&random.pick(&folders).clone(), random.pick::<Name>(&names));
        if fs::symlink_metadata(at(root, &name)).is_ok() {
            continue;
        }
        let content = bytes(random);
        fs::write(at(root, &name), content).unwrap();
        let mode = *random.pick(&[0o644, 0o644, 0o644, 0o600, 0o755, 0o444]);
        fs::set_permissions(at(root, &name), fs::Permissions::from_mode(mode)).unwrap();
    }
    for (name, target) in [("link", "a.txt"), ("to-folder", "src"), ("dangling", "nowhere")] {
        let _ = symlink(target, at(root, &join(&random.pick(&folders).clone(), name.as_bytes())));
    }
    fs::write(root.join("tracked.txt"), text(random, 12, true)).unwrap();
    fs::write(root.join("first.txt"), "one\ntwo\nthree\n").unwrap();
    let _ = fs::hard_link(root.join("first.txt"), root.join("hard"));
    git(&["add", "-A", "."]);
    git(&["commit", "-qm", "first"]);
    git(&["switch", "-qc", "other"]);
    fs::write(root.join("tracked.txt"), text(random, 9, true)).unwrap();
    fs::create_dir_all(root.join("only/other")).unwrap();
    fs::write(root.join("only/other/file.txt"), "on the other branch\n").unwrap();
    fs::set_permissions(root.join("first.txt"), fs::Permissions::from_mode(0o755)).unwrap();
    git(&["add", "-A", "."]);
    git(&["commit", "-qm", "second"]);
    git(&["switch", "-q", "main"]);
    fs::create_dir(root.join("empty")).unwrap();
    fs::write(root.join(".env"), "SECRETCONTENT=needle\n").unwrap();
    fs::create_dir(root.join("conf")).unwrap();
    fs::write(root.join("conf/key.pem"), "needle in a key\n").unwrap();
}

/// A text as lines that end with a newline only, where its encoding is plain to see.
pub fn plain_text(bytes: &[u8]) -> Option<String> {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16(&units).ok().filter(|_| bytes.len().is_multiple_of(2))
    };
    let text = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8(rest.to_vec()).ok(),
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        rest => String::from_utf8(rest.to_vec()).ok(),
    };
    text.filter(|text| !text.contains('\0')).map(|text| text.replace("\r\n", "\n"))
}
