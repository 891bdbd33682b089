//! Small repositories that stand for more than fits into any machine: each git tool answers, soon, with little memory.

use outrigger::tools::Code;
use serde_json::{Value, json};

use crate::world::{World, git_command};

/// A repository with a commit on top of an ordinary one.
pub struct Bomb {
    pub world: World,
}

impl Bomb {
    pub fn new() -> Self {
        let world = World::new();
        world.git(&["init", "-q", "-b", "topic"]);
        world.git(&["config", "user.name", "Ann"]);
        world.git(&["config", "user.email", "ann@example.org"]);
        world.write("a.txt", "one\ntwo\n");
        world.write("d/b.txt", "b\n");
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "first"]);
        world.write("a.txt", "one\n2\n");
        world.write("d/b.txt", "staged\n");
        world.git(&["add", "d/b.txt"]);
        Self { world }
    }

    /// A tree of these lines, as `git mktree` takes them.
    pub fn tree(&self, lines: &str) -> String {
        self.write_object(&["mktree", "--missing"], lines.as_bytes())
    }

    pub fn blob(&self, content: &[u8]) -> String {
        self.write_object(&["hash-object", "-w", "--stdin"], content)
    }

    pub fn write_object(&self, words: &[&str], input: &[u8]) -> String {
        use std::io::Write as _;
        let mut git = git_command(&self.world.root());
        git.args(words).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = git.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Makes `tree`, beside `a.txt`, the next commit.
    pub fn commit(&self, name: &str, tree: &str) {
        let file = self.world.git(&["rev-parse", "HEAD:a.txt"]);
        let tree = self.tree(&format!("100644 blob {}\ta.txt\n040000 tree {tree}\t{name}\n", file.trim()));
        self.commit_tree(&tree);
    }

    pub fn commit_tree(&self, tree: &str) {
        let commit = self.world.git(&["commit-tree", "-p", "HEAD", "-m", "bomb", tree]);
        self.world.git(&["update-ref", "HEAD", commit.trim()]);
    }

    /// An object whose file says another kind, size or content than its name.
    pub fn lie(&self, id: &str, kind: &str, size: u128, content: &[u8]) {
        let body = [format!("{kind} {size}\0").as_bytes(), content].concat();
        self.world.write(&format!(".git/objects/{}/{}", &id[..2], &id[2..]), stored(&body));
    }

    /// What became of each call, by its words.
    pub fn answers(&self) -> Vec<(String, Result<String, Code>)> {
        let calls: &[(&str, Value)] = &[
            ("git_status", json!({})),
            ("git_diff", json!({})),
            ("git_diff", json!({"staged": true})),
            ("git_diff", json!({"from": "HEAD"})),
            ("git_diff", json!({"from": "HEAD~1", "to": "HEAD"})),
            ("git_log", json!({})),
            ("git_log", json!({"patch": true})),
            ("git_log", json!({"path": "a.txt", "patch": true})),
            ("git_log", json!({"pickaxe": "nowhere"})),
            ("git_show", json!({"rev": "HEAD"})),
            ("git_show", json!({"rev": "HEAD", "path": "."})),
            ("git_show", json!({"rev": "HEAD", "path": "a.txt"})),
            ("git_blame", json!({"path": "a.txt"})),
            ("git_add", json!({"paths": ["a.txt"]})),
            ("git_add", json!({"paths": ["a.txt"], "unstage": true})),
            ("git_commit", json!({"message": "m"})),
            ("git_restore", json!({"paths": ["."], "source": "HEAD"})),
            ("git_switch", json!({"branch": "made", "create": true, "base": "HEAD~1"})),
        ];
        let answer = |(tool, arguments): &(&str, Value)| {
            let result = self.world.tool(tool, arguments.clone());
            (format!("{tool} {arguments}"), result.map(|reply| reply.text).map_err(|error| error.code))
        };
        calls.iter().map(answer).collect()
    }

    /// Each answers well, or with one of `codes`; nothing else is said, and nothing takes the machine.
    pub fn is_defused(&self, codes: &[Code]) {
        for (call, answer) in self.answers() {
            let fine = match &answer {
                Ok(text) => text.len() < 200_000,
                Err(code) => codes.contains(code) || matches!(code, Code::NothingToCommit | Code::Stale),
            };
            assert!(fine, "{call}: {answer:?}");
        }
        assert!(resident_mib() < 1500, "{} MiB", resident_mib());
    }

    pub fn answer(&self, tool: &str, arguments: Value) -> String {
        self.world.tool(tool, arguments).unwrap().text
    }
}

/// Memory of this process; 0 where the system does not tell.
fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// zlib with stored blocks.
pub fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let mut chunks = bytes.chunks(0xffff).peekable();
    while let Some(chunk) = chunks.next() {
        let length = u16::try_from(chunk.len()).unwrap();
        out.push(u8::from(chunks.peek().is_none()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(chunk);
    }
    let (mut low, mut high) = (1_u32, 0_u32);
    for byte in bytes {
        low = (low + u32::from(*byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    out.extend(((high << 16) | low).to_be_bytes());
    out
}

#[test]
fn folders_that_share_their_content_are_not_expanded() {
    let bomb = Bomb::new();
    let file = bomb.blob(b"x\n");
    let mut tree =
        bomb.tree(&(0..10).map(|name| format!("100644 blob {file}\tf{name}\n")).collect::<Vec<_>>().concat());
    for _ in 0..11 {
        tree = bomb
            .tree(&(0..10).map(|name| format!("040000 tree {tree}\td{name}\n")).collect::<Vec<_>>().concat());
    }
    bomb.commit("bomb", &tree);
    bomb.is_defused(&[Code::TooLarge]);
    // The other commits, and single files of this one, are there all the same.
    let log = bomb.answer("git_log", json!({"patch": true}));
    assert!(log.contains("its changes are not shown") && log.contains("added d/b.txt +1 -0"), "{log}");
    assert!(bomb.answer("git_show", json!({"rev": "HEAD", "path": "bomb/d1"})).contains("d9/"));
}

#[test]
fn folders_of_folders_without_a_file_are_not_expanded() {
    let bomb = Bomb::new();
    let mut tree = bomb.tree("");
    for _ in 0..40 {
        tree = bomb.tree(&format!("040000 tree {tree}\ta\n040000 tree {tree}\tb\n"));
    }
    bomb.commit("bomb", &tree);
    for (tool, arguments) in [("git_show", json!({"rev": "HEAD"})), ("git_status", json!({}))] {
        // Which bound comes first is the machine's affair.
        let code = bomb.world.tool(tool, arguments).unwrap_err().code;
        assert!(matches!(code, Code::TooLarge | Code::Timeout), "{tool}: {code:?}");
    }
}

#[test]
fn a_folder_ten_thousand_levels_deep_is_not_followed() {
    let bomb = Bomb::new();
    let file = bomb.blob(b"x\n");
    let mut tree = bomb.tree(&format!("100644 blob {file}\tf\n"));
    // The objects are written by hand: ten thousand processes would take longer than the test.
    for level in 0..3000_u32 {
        let id = format!("{:040x}", level + 0x00ab_0000);
        let raw: Vec<u8> =
            (0..40).step_by(2).map(|at| u8::from_str_radix(&tree[at..at + 2], 16).unwrap()).collect();
        let content = [b"40000 dd\0".as_slice(), &raw].concat();
        bomb.lie(&id, "tree", content.len() as u128, &content);
        tree = id;
    }
    bomb.commit("deep", &tree);
    bomb.is_defused(&[Code::TooLarge]);
}

#[test]
fn a_folder_that_contains_itself_is_not_followed() {
    let bomb = Bomb::new();
    let id = "ab".repeat(20);
    let content = [b"40000 again\0".as_slice(), &[0xab; 20]].concat();
    bomb.lie(&id, "tree", content.len() as u128, &content);
    bomb.commit("loop", &id);
    bomb.is_defused(&[Code::TooLarge, Code::NotARepo]);
}

#[test]
fn sizes_that_objects_claim_are_not_believed() {
    for size in [5, 300 << 20, 5 << 30, 10_u128.pow(15), u128::from(u64::MAX), u128::MAX] {
        for kind in ["blob", "tree", "commit", "tag"] {
            let bomb = Bomb::new();
            let id = "cd".repeat(20);
            bomb.lie(&id, kind, size, &[b'x'; 100]);
            match kind {
                "blob" => bomb.commit_tree(&bomb.tree(&format!("100644 blob {id}\ta.txt\n"))),
                "tree" => bomb.commit("lie", &id),
                _ => {
                    bomb.world.write(".git/refs/heads/topic", format!("{id}\n"));
                }
            }
            bomb.is_defused(&[
                Code::TooLarge,
                Code::NotARepo,
                Code::BadRevision,
                Code::NotFound,
                Code::NoChange,
                Code::UnsupportedHere,
            ]);
        }
    }
}

#[test]
fn large_files_that_people_commit_are_read() {
    let bomb = Bomb::new();
    bomb.world.write("large.txt", "a line of text\n".repeat(1_500_000));
    bomb.world.git(&["add", "-A"]);
    bomb.world.git(&["commit", "-qm", "large"]);
    for packed in [false, true] {
        if packed {
            bomb.world.git(&["repack", "-adq"]);
        }
        assert!(bomb.answer("git_show", json!({"rev": "HEAD", "path": "large.txt"})).contains("of 1500000)"));
        assert!(bomb.answer("git_log", json!({"patch": true})).contains("added large.txt"));
    }
}

#[test]
fn a_repository_cannot_ask_for_endless_comparisons() {
    let bomb = Bomb::new();
    for (key, value) in
        [("diff.renameLimit", "0"), ("status.renameLimit", "99999999"), ("diff.renames", "copies")]
    {
        bomb.world.git(&["config", key, value]);
    }
    let file = |number: usize, side: &str| {
        let mut lines: Vec<String> = (0..300).map(|line| format!("line {line}")).collect();
        lines[number % 300] = format!("{side} {number}");
        bomb.world.write(&format!("{side}/{side}-{number}.txt"), lines.join("\n"));
    };
    (0..1300).for_each(|number| file(number, "before"));
    bomb.world.git(&["add", "-A"]);
    bomb.world.git(&["commit", "-qm", "before"]);
    std::fs::remove_dir_all(bomb.world.root().join("before")).unwrap();
    (0..1300).for_each(|number| file(number, "after"));
    bomb.world.git(&["add", "-A"]);
    // Comparing each with each would take minutes, so the time limit of a test is what fails.
    assert!(bomb.answer("git_status", json!({})).contains("after/after-1.txt"));
    assert!(
        bomb.answer("git_diff", json!({"staged": true, "stat_only": true}))
            .contains("added after/after-1.txt")
    );
}

#[test]
fn a_message_of_megabytes_and_a_crowd_of_parents_are_cut() {
    let bomb = Bomb::new();
    let (tree, head) =
        (bomb.world.git(&["rev-parse", "HEAD^{tree}"]), bomb.world.git(&["rev-parse", "HEAD"]));
    let parents = format!("parent {head}").repeat(5000);
    let who = "Ann <ann@example.org> 1700000000 +0000";
    let message = "word ".repeat(400_000);
    let commit = format!("tree {tree}{parents}author {who}\ncommitter {who}\n\n{message}\n\n{message}\n");
    let commit = bomb
        .write_object(&["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], commit.as_bytes());
    bomb.world.git(&["update-ref", "HEAD", &commit]);
    bomb.is_defused(&[]);
    let reply = bomb.world.tool("git_log", json!({"limit": 1})).unwrap();
    assert!(reply.data.to_string().len() < 200_000);
}
