//! Sequences of calls that a seed makes, over odd trees: what an answer says is what the disk shows, whatever somebody else does in
//! between and whenever the host is killed; and all of it can be undone.
//!
//! What should be there is told by snapshots and by rules of a line or two, never by the host. A few seeds run always;
//! `OUTRIGGER_DRILL=all` runs many, `OUTRIGGER_SEEDS=7` or `7..90` those; `OUTRIGGER_STEPS` says how many steps of
//! one that goes wrong are told.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    kill_drill::injected,
    odd_tree::{
        Entry, Name, Random, Tree, at, below, bytes, difference, fill, is_temporary, join, last, names,
        parent, plain_text, text, tree, wire,
    },
    support::native::{Port, World},
    world::git_command,
};

const CONFIGURATION: &str = r#"[tools]
profile = "full"
[[command]]
id = "churn"
program = "/bin/sh"
args = ["-c", 'echo by-command >> "$1" && mkdir -p made && date > made/"$$"', "churn"]
summary = "Changes files"
positional = "path_in_workspace"
max_args = 1
"#;
/// System calls at which a host is killed.
const FATAL: &[&str] = &[
    "renameat2",
    "renameat",
    "unlinkat",
    "mkdirat",
    "linkat",
    "fchmod",
    "fsync",
    "fdatasync",
    "write",
    "pwrite64",
    "flock",
    "ftruncate",
];
const CALLS: usize = 45;

/// What a call did to one name.
type Change = (Name, Option<Entry>, Option<Entry>);

struct Done {
    key: String,
    changes: Vec<Change>,
    undone: BTreeSet<Name>,
    /// It was cut off, and nobody asked what became of it.
    uncertain: bool,
}

struct Turn {
    name: String,
    session: String,
    calls: Vec<Done>,
    /// The tree before it, as long as nothing else has changed anything since.
    before: Option<Tree>,
}

struct Past {
    tool: &'static str,
    arguments: Value,
    meta: Value,
    result: Value,
}

/// One step of an undo as it should be.
struct Step {
    name: Name,
    from: Option<Entry>,
    to: Option<Entry>,
    conflict: bool,
    hopeless: bool,
    foreign: bool,
}

/// What an undo should do.
struct Expected {
    steps: Vec<Step>,
    calls: Vec<usize>,
    whole: bool,
    /// Names that its calls changed and changed back.
    unchanged: Vec<Name>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Lives,
    /// Killed after so many microseconds.
    Killed(u64),
    /// Killed at a system call.
    Traced,
}

struct Story {
    seed: u64,
    world: World,
    port: Option<Port>,
    traced: bool,
    random: Random,
    tree: Tree,
    turns: Vec<Turn>,
    past: Vec<Past>,
    steps: Vec<String>,
    kills: usize,
    session: usize,
    /// What the journal was given to keep.
    kept: BTreeSet<Vec<u8>>,
    /// What undos of something new found in its place: permissions that somebody gave it since are what it comes back with.
    found: BTreeMap<Name, Entry>,
    /// A call that was cut off is asked again: what it had done may be taken back before it is asked about.
    settling: bool,
}

impl Story {
    fn new(seed: u64) -> Self {
        let world = World::new(CONFIGURATION);
        let mut random = Random(seed);
        fill(&world.workspace(), &mut random);
        let tree = tree(&world.workspace());
        Self {
            seed,
            world,
            port: None,
            traced: false,
            random,
            tree,
            turns: Vec::new(),
            past: Vec::new(),
            steps: Vec::new(),
            kills: 0,
            session: 0,
            kept: BTreeSet::new(),
            found: BTreeMap::new(),
            settling: false,
        }
    }

    fn port(&mut self) -> &mut Port {
        self.port.get_or_insert_with(|| {
            let mut port = self.world.connect();
            port.hello();
            port
        })
    }

    fn look(&self) -> Tree {
        let mut all = tree(&self.world.workspace());
        if self.kills > 0 {
            all.retain(|name, _| !is_temporary(name));
        }
        all
    }

    fn expect_unchanged(&self, why: &str) {
        let changed = difference(&self.tree, &self.look());
        assert!(changed.is_empty(), "{why}, and yet: {changed:#?}");
    }

    // Talking to a host that may die.

    fn send(&mut self, method: &str, params: &Value) -> Value {
        let port = self.port();
        port.next_id += 1;
        let id = json!(port.next_id);
        let mut params = params.clone();
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
        params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "0"});
        port.try_send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    fn answer(&mut self, id: &Value) -> Option<Value> {
        loop {
            let message = self.port().receive()?;
            if message.get("id") == Some(id) {
                return Some(message);
            }
        }
    }

    /// The answer, or `None` when the host died before it gave one.
    fn ask(&mut self, method: &str, params: &Value, end: End) -> Option<Value> {
        let id = self.send(method, params);
        if let End::Killed(after) = end {
            thread::sleep(Duration::from_micros(after));
            let port = self.port();
            port.child.kill().unwrap();
            port.child.wait().unwrap();
        }
        let answer = self.answer(&id);
        if answer.is_none() || matches!(end, End::Killed(_)) {
            self.bury();
        }
        answer.map(|message| {
            assert!(
                message.get("error").is_none() || message["error"]["code"] == -32602,
                "{method}: {message:#}"
            );
            message
        })
    }

    fn bury(&mut self) {
        if let Some(mut port) = self.port.take() {
            let _ = port.child.kill();
            let _ = port.child.wait();
            self.kills += 1;
            self.traced = false;
            self.steps.push("   the host is dead".to_owned());
            self.outlived();
        }
    }

    /// What a command still does right after its host was killed belongs to that call; after two seconds nothing of it is left.
    fn outlived(&self) {
        let root = self.world.workspace();
        let end = Instant::now() + Duration::from_secs(2);
        loop {
            let left: Vec<String> = fs::read_dir("/proc")
                .unwrap()
                .flatten()
                .filter(|process| {
                    fs::read_link(process.path().join("cwd")).is_ok_and(|at| at.starts_with(&root))
                })
                .map(|process| process.file_name().to_string_lossy().into_owned())
                .collect();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < end, "the processes {left:?} outlive their host");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends a host in peace, so that another can be started.
    fn part(&mut self) {
        if let Some(port) = self.port.take() {
            port.close();
            self.traced = false;
        }
    }

    fn trap(&mut self) {
        self.part();
        let system_call = *self.random.pick(FATAL);
        let number =
            1 + self.random.below(if system_call == "write" || system_call == "pwrite64" { 60 } else { 14 });
        let mut port = injected(&self.world, system_call, &format!("signal=SIGKILL:when={number}"));
        port.try_send(&json!({"jsonrpc": "2.0", "id": "hello", "method": "outrigger/hello",
            "params": {"client": {"name": "test", "version": "0"}, "protocol": {"min": 1, "max": 1}}}));
        self.port = Some(port);
        self.traced = true;
        self.steps.push(format!("   a host that is killed at {system_call} {number}"));
    }

    fn next_end(&mut self) -> End {
        match self.random.below(100) {
            0..4 => End::Killed(self.random.next() % 9000),
            4..7 => {
                self.trap();
                End::Traced
            }
            _ => End::Lives,
        }
    }

    // Calls.

    fn meta(&self) -> Value {
        let turn = self.turns.last().unwrap();
        json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/workspace": "app",
            "dev.outrigger/session": turn.session, "dev.outrigger/turn": turn.name})
    }

    /// Asks until it is no question any more; the last plan with it.
    fn call(
        &mut self,
        tool: &str,
        arguments: &Value,
        meta: &Value,
        end: End,
    ) -> (Option<Value>, Option<Value>) {
        let mut params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let mut plan = None;
        let first = if self.random.chance(30) { end } else { End::Lives };
        let mut next = first;
        for _ in 0..4 {
            let Some(answer) = self.ask("tools/call", &params, next) else { return (None, plan) };
            assert!(answer.get("result").is_some(), "{tool} {arguments}: {answer:#}");
            let result = answer["result"].clone();
            if result["resultType"] != "input_required" {
                return (Some(result), plan);
            }
            if !self.settling {
                self.expect_unchanged("it was only asked");
            }
            plan = Some(result["_meta"]["dev.outrigger/plan"].clone());
            params["requestState"] = result["requestState"].clone();
            params["inputResponses"] =
                json!({"approval": {"action": "accept", "content": {"decision": "allow"}}});
            next = if first == End::Lives { end } else { End::Lives };
        }
        panic!("{tool} {arguments} is asked again and again: {plan:#?}");
    }

    fn act(&mut self, tool: &'static str, arguments: Value) -> Option<Value> {
        let end = self.next_end();
        let meta = self.meta();
        self.steps.push(format!("{tool} {arguments} {end:?}"));
        let before = self.tree.clone();
        let (mut result, mut plan) = self.call(tool, &arguments, &meta, end);
        let mut uncertain = false;
        if result.is_none() {
            let half = self.look();
            if let Some(plan) = &plan {
                covers(plan, &difference(&before, &half));
            }
            if self.random.chance(70) {
                self.steps.push("   asked again".to_owned());
                let (settled, again) = self.call_settled(tool, &arguments, &meta);
                result = settled;
                plan = again.or(plan);
            } else {
                uncertain = true;
            }
        }
        let after = self.look();
        let changes = difference(&before, &after);
        self.steps.push(format!(
            "   {} {}; {} names changed",
            result.as_ref().map_or("?".to_owned(), |result| result["structuredContent"]["code"]
                .as_str()
                .unwrap_or("ok")
                .to_owned()),
            result
                .as_ref()
                .map_or("", |result| result["structuredContent"]["message"].as_str().unwrap_or("")),
            changes.len()
        ));
        if let Some(plan) = &plan {
            covers(plan, &changes);
            self.keep(&before, plan);
        }
        for (_, old, _) in &changes {
            if let Some(Entry::File { bytes, .. }) = old {
                self.kept.insert(bytes.clone());
            }
        }
        if let Some(result) = &result {
            let content = &result["structuredContent"];
            if content["ok"] == true {
                if content["data"].is_object() {
                    said(&before, &after, tool, &arguments, content);
                }
                assert!(
                    plan.is_some() || changes.is_empty() || self.kills > 0,
                    "{tool} {arguments} changed {changes:#?} unasked"
                );
            } else {
                well_worded(tool, &arguments, content);
                let unknown = content["code"] == "outcome_unknown";
                assert!(
                    changes.is_empty() || unknown,
                    "{tool} {arguments}: {content:#} and yet {changes:#?}"
                );
                uncertain = uncertain || unknown;
            }
            self.past.push(Past {
                tool,
                arguments: arguments.clone(),
                meta: meta.clone(),
                result: result.clone(),
            });
        }
        let key = meta["dev.outrigger/call"].as_str().unwrap().to_owned();
        let by_command = tool == "exec_run";
        let turn = self.turns.last_mut().unwrap();
        if by_command {
            if !changes.is_empty() {
                turn.before = None;
            }
        } else if !changes.is_empty() {
            turn.calls.push(Done { key, changes, undone: BTreeSet::new(), uncertain });
        }
        self.tree = after;
        result
    }

    /// What a call is about to replace or remove is kept before its first effect.
    fn keep(&mut self, before: &Tree, plan: &Value) {
        let files = plan["preview"]["files"].as_array().map(Vec::as_slice).unwrap_or_default();
        for file in files.iter().flat_map(|file| [file["path"].as_str(), file["from"].as_str()]).flatten() {
            for (name, entry) in before {
                let path = wire(name);
                if let Entry::File { bytes, .. } = entry
                    && (path == file || path.starts_with(&format!("{file}/")))
                {
                    self.kept.insert(bytes.clone());
                }
            }
        }
    }

    fn call_settled(
        &mut self,
        tool: &str,
        arguments: &Value,
        meta: &Value,
    ) -> (Option<Value>, Option<Value>) {
        let began = Instant::now();
        self.settling = true;
        loop {
            let (result, plan) = self.call(tool, arguments, meta, End::Lives);
            let busy = result.as_ref().is_some_and(|result| result["structuredContent"]["code"] == "busy");
            if !busy || began.elapsed() > Duration::from_secs(5) {
                self.settling = false;
                return (result, plan);
            }
        }
    }

    // What is called.

    fn files(&self) -> Vec<Name> {
        let is_file =
            |(name, entry): (&Name, &Entry)| matches!(entry, Entry::File { .. }).then(|| name.clone());
        self.tree.iter().filter_map(is_file).collect()
    }

    fn folders(&self) -> Vec<Name> {
        let is_folder =
            |(name, entry): (&Name, &Entry)| matches!(entry, Entry::Folder(_)).then(|| name.clone());
        let mut all: Vec<Name> = self.tree.iter().filter_map(is_folder).collect();
        all.push(Vec::new());
        all
    }

    fn some_file(&mut self) -> Name {
        let files = self.files();
        self.random.pick(&files).clone()
    }

    fn some_text(&mut self) -> Name {
        let files: Vec<Name> = self
            .files()
            .into_iter()
            .filter(|name| self.text_of(name).is_some_and(|text| text.lines().count() > 2))
            .collect();
        if files.is_empty() { b"first.txt".to_vec() } else { self.random.pick(&files).clone() }
    }

    fn text_of(&self, name: &[u8]) -> Option<String> {
        match self.tree.get(name)? {
            Entry::File { bytes, .. } => plain_text(bytes),
            _ => None,
        }
    }

    fn some_name(&mut self) -> Name {
        let all: Vec<Name> = self.tree.keys().cloned().collect();
        self.random.pick(&all).clone()
    }

    fn new_name(&mut self) -> Name {
        let folders = self.folders();
        let mut folder = self.random.pick(&folders).clone();
        if self.random.chance(25) {
            folder = join(&folder, random_name(&mut self.random).as_slice());
        }
        if self.random.chance(10) {
            folder = join(&folder, b"x y");
        }
        join(&folder, random_name(&mut self.random).as_slice())
    }

    fn any_name(&mut self) -> Name {
        match self.random.below(10) {
            0..5 => self.some_file(),
            5..7 => self.some_name(),
            _ => self.new_name(),
        }
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..16 => self.write(),
            16..32 => self.edit(),
            32..44 => self.patch(),
            44..56 => self.rename(),
            56..65 => self.delete(),
            65..70 => {
                let name = self.any_name();
                self.act("fs_mkdir", json!({"path": wire(&name)}));
            }
            70..80 => self.git(),
            80..83 => {
                let name = if self.random.chance(50) { self.some_file() } else { b"churned".to_vec() };
                self.act("exec_run", json!({"command": "churn", "args": [format!("./{}", wire(&name))]}));
            }
            83..90 => self.stranger(),
            _ => self.read(),
        }
    }

    fn write(&mut self) {
        let name = self.any_name();
        let lines = self.random.below(8);
        let content = text(&mut self.random, lines, false);
        let mut arguments = json!({"path": wire(&name), "content": content});
        let mode =
            *self.random.pick(&["", "create", "overwrite", "overwrite", "overwrite", "append", "append"]);
        if !mode.is_empty() {
            arguments["mode"] = json!(mode);
        }
        if let (Some(Entry::File { bytes, .. }), true) = (self.tree.get(&name), self.random.chance(50)) {
            arguments["base_etag"] = json!(outrigger::ids::Etag::of(bytes).as_str());
            if self.random.chance(15) {
                arguments["content"] = json!(plain_text(bytes).unwrap_or_default());
                arguments["executable"] = json!(true);
            }
        } else if self.random.chance(5) {
            arguments["base_etag"] = json!("0123456789ab");
        }
        if self.random.chance(15) {
            arguments["executable"] = json!(true);
        }
        if self.random.chance(15) {
            arguments["eol"] = json!(*self.random.pick(&["lf", "crlf", "auto"]));
        }
        self.act("fs_write", arguments);
    }

    fn edit(&mut self) {
        let name = self.some_text();
        let Some(text) = self.text_of(&name) else { return };
        let lines: Vec<&str> = text.lines().collect();
        let count = 1 + self.random.below(3);
        let mut edits = Vec::new();
        for number in 0..count {
            let line = self.random.below(lines.len());
            let old = lines[line].to_owned();
            let new = format!(
                "{}edited {number} {}",
                if self.random.chance(30) { "new\n" } else { "" },
                self.random.below(1000)
            );
            edits.push(match self.random.below(10) {
                0 => {
                    json!({"old_text": lines[line..(line + 2).min(lines.len())].join("\n"), "new_text": new})
                }
                1 => json!({"old_text": old, "new_text": new, "replace_all": true}),
                2 => json!({"old_text": old, "new_text": new, "near_line": line + 1}),
                3 => json!({"old_text": "", "new_text": new, "insert_at": line + 1}),
                4 => json!({"old_text": format!("{old}   "), "new_text": new}),
                5 => json!({"old_text": format!("    {old}"), "new_text": new}),
                6 => json!({"old_text": format!("{old}\n"), "new_text": ""}),
                7 => json!({"old_text": "not there at all", "new_text": new}),
                _ => json!({"old_text": old, "new_text": new}),
            });
            if self.random.chance(70) {
                break;
            }
        }
        let mut arguments = json!({"path": wire(&name), "edits": edits});
        if self.random.chance(20) {
            arguments["strict"] = json!(true);
        }
        self.act("fs_edit", arguments);
    }

    fn patch(&mut self) {
        let unified = self.random.chance(40);
        let mut patch = if unified { String::new() } else { "*** Begin Patch\n".to_owned() };
        let mut named = BTreeSet::new();
        for _ in 0..=self.random.below(3) {
            let op = self.random.below(10);
            let name = if op < 3 { self.new_name() } else { self.some_text() };
            let plain = |name: &[u8]| {
                name.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'\\' && *byte != b'"')
            };
            if !plain(&name) || !named.insert(name.clone()) {
                continue;
            }
            let path = wire(&name);
            let text = self.text_of(&name).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            let to = self.new_name();
            let to = if plain(&to) && named.insert(to.clone()) { wire(&to) } else { String::new() };
            match (op, unified) {
                (0..3, true) => patch.extend([format!(
                    "--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,2 @@\n+added one\n+added two\n"
                )]),
                (0..3, false) => patch.extend([format!("*** Add File: {path}\n+added one\n+added two\n")]),
                (3, true) => {
                    patch.extend([format!(
                        "diff --git a/{path} b/{path}\nold mode 100644\nnew mode 100755\n"
                    )]);
                }
                (3 | 4, false) => patch.extend([format!("*** Delete File: {path}\n")]),
                (4, true) => {
                    let gone: Vec<String> = lines.iter().map(|line| format!("-{line}\n")).collect();
                    let gone = gone.concat();
                    let end = if text.ends_with('\n') { "" } else { "\\ No newline at end of file\n" };
                    patch.extend([format!(
                        "--- a/{path}\n+++ /dev/null\n@@ -1,{} +0,0 @@\n{gone}{end}",
                        lines.len()
                    )]);
                }
                (_, true) => {
                    let line = self.random.below(lines.len() - 1);
                    patch.extend([format!(
                        "--- a/{path}\n+++ b/{path}\n@@ -{0},1 +{0},2 @@\n-{1}\n+patched {2}\n+and more\n",
                        line + 1,
                        lines[line],
                        self.random.below(1000)
                    )]);
                }
                (_, false) => {
                    let line = self.random.below(lines.len());
                    let moved = if op == 5 && !to.is_empty() {
                        format!("*** Move to: {to}\n")
                    } else {
                        String::new()
                    };
                    patch.extend([format!(
                        "*** Update File: {path}\n{moved}@@\n{}-{}\n+patched {}\n",
                        if line > 0 { format!(" {}\n", lines[line - 1]) } else { String::new() },
                        lines[line],
                        self.random.below(1000)
                    )]);
                }
            }
        }
        if !unified {
            patch.push_str("*** End Patch\n");
        }
        self.act("fs_apply_patch", json!({"patch": patch}));
    }

    fn rename(&mut self) {
        let from = if self.random.chance(25) {
            let all = self.folders();
            self.random.pick(&all).clone()
        } else {
            self.some_name()
        };
        let to = match self.random.below(6) {
            0 => self.some_name(),
            1 => self.some_file(),
            2 => {
                let name = String::from_utf8_lossy(last(&from)).into_owned();
                let other =
                    if name.to_uppercase() == name { name.to_lowercase() } else { name.to_uppercase() };
                join(parent(&from), other.as_bytes())
            }
            _ => self.new_name(),
        };
        let mut arguments = json!({"from": wire(&from), "to": wire(&to)});
        if self.random.chance(25) {
            arguments["copy"] = json!(true);
        }
        if self.random.chance(40) {
            arguments["overwrite"] = json!(true);
        }
        self.act("fs_move", arguments);
    }

    fn delete(&mut self) {
        let name = if self.random.chance(40) {
            let all = self.folders();
            self.random.pick(&all).clone()
        } else {
            self.some_name()
        };
        let mut arguments = json!({"path": wire(&name)});
        if self.random.chance(70) {
            arguments["recursive"] = json!(true);
        }
        if self.random.chance(30) {
            arguments["expect_entries"] = json!(
                self.tree.keys().filter(|other| below(other, &name)).count()
                    + usize::from(self.random.chance(20))
            );
        }
        self.act("fs_delete", arguments);
        // The same name as something else.
        if self.random.chance(35) && !self.tree.contains_key(&name) && !name.is_empty() {
            let content = text(&mut self.random, 2, true);
            if self.random.chance(50) {
                self.act("fs_write", json!({"path": wire(&name), "content": content}));
            } else {
                self.act("fs_write", json!({"path": wire(&join(&name, b"inside.txt")), "content": content}));
            }
        }
    }

    fn git(&mut self) {
        let some = wire(&self.some_name());
        let (tool, arguments) = match self.random.below(12) {
            0..3 => ("git_add", json!({"paths": [some]})),
            3 => ("git_add", json!({"paths": ["."]})),
            4 => ("git_add", json!({"paths": [some], "unstage": true})),
            5 | 6 => ("git_commit", json!({"message": format!("commit {}", self.random.below(100))})),
            7 | 8 => ("git_restore", json!({"paths": ["tracked.txt", "first.txt"]})),
            9 => ("git_restore", json!({"paths": ["tracked.txt", "first.txt"], "source": "other"})),
            10 => ("git_switch", json!({"branch": *self.random.pick(&["main", "other"])})),
            _ => ("git_switch", json!({"branch": format!("b{}", self.random.below(1000)), "create": true})),
        };
        self.act(tool, arguments);
        if self.random.chance(30) {
            self.same_as_git();
        }
    }

    /// Somebody else changes something.
    fn stranger(&mut self) {
        let root = self.world.workspace();
        let name = self.some_name();
        if is_blocked(&name) || name == b"conf" {
            return;
        }
        let place = at(&root, &name);
        self.steps.push(format!("a stranger at {:?}", String::from_utf8_lossy(&name)));
        match (self.tree.get(&name), self.random.below(6)) {
            (_, 0) => {
                let new = self.new_name();
                let _ = fs::create_dir_all(at(&root, parent(&new)));
                let _ = fs::rename(&place, at(&root, &new));
            }
            (Some(Entry::File { .. }), 1..4) => {
                let mode = fs::metadata(&place).unwrap().permissions();
                let content = bytes(&mut self.random);
                let _ = fs::remove_file(&place);
                fs::write(&place, content).unwrap();
                fs::set_permissions(&place, mode).unwrap();
            }
            (Some(Entry::File { .. }), 4) => fs::remove_file(&place).unwrap(),
            (Some(Entry::File { .. }), _) => {
                fs::set_permissions(&place, fs::Permissions::from_mode(0o640)).unwrap();
            }
            (Some(Entry::Link(_)), _) => {
                fs::remove_file(&place).unwrap();
                symlink("first.txt", &place).unwrap();
            }
            (_, 1) => {
                let _ = fs::remove_dir_all(&place);
            }
            (_, 2) => {
                let _ = fs::remove_dir_all(&place);
                fs::write(&place, "a file now\n").unwrap();
            }
            _ => fs::write(at(&root, &join(&name, b"stranger.txt")), "theirs\n").unwrap_or_default(),
        }
        self.changed_by_somebody();
    }

    fn changed_by_somebody(&mut self) {
        let now = self.look();
        let changed = difference(&self.tree, &now);
        self.steps.push(format!("   {changed:?}"));
        if !changed.is_empty() {
            for turn in &mut self.turns {
                turn.before = None;
            }
        }
        self.tree = now;
    }

    // What is read, against programs that read the same.

    fn read(&mut self) {
        match self.random.below(4) {
            0 => self.same_names(),
            1 => self.same_matches(),
            2 => {
                let name = self.some_name();
                let arguments = json!({"path": wire(&name)});
                let result = self.reads("fs_read", &arguments);
                if let (Some(Entry::File { bytes, .. }), Some(result)) = (self.tree.get(&name), result)
                    && result["structuredContent"]["ok"] == true
                {
                    let etag = result["structuredContent"]["etag"].as_str().unwrap();
                    assert_eq!(etag, outrigger::ids::Etag::of(bytes).as_str(), "{arguments}");
                    if let Some(text) = plain_text(bytes).filter(|text| !text.is_empty()) {
                        let data = &result["structuredContent"]["data"];
                        assert_eq!(data["lines_total"], text.lines().count(), "{arguments}: {data}");
                    }
                }
            }
            _ => {
                let name = self.some_name();
                self.reads("fs_list", &json!({"path": wire(&name), "depth": 3}));
            }
        }
    }

    fn reads(&mut self, tool: &'static str, arguments: &Value) -> Option<Value> {
        self.steps.push(format!("{tool} {arguments}"));
        let meta = self.meta();
        let (result, plan) = self.call(tool, arguments, &meta, End::Lives);
        if let Some(result) = &result
            && result["structuredContent"]["ok"] != true
        {
            well_worded(tool, arguments, &result["structuredContent"]);
        }
        let _ = plan;
        self.expect_unchanged("it was only read");
        result
    }

    fn same_names(&mut self) {
        self.untraced();
        let list = json!({"path": ".", "depth": 10, "include_ignored": true, "limit": 100_000});
        let Some(result) = self.reads("fs_list", &list) else { return };
        let entries = result["structuredContent"]["data"]["entries"].as_array().unwrap();
        let deep = |name: &[u8]| name.split(|byte| *byte == b'/').count() <= 10;
        let listed: BTreeSet<String> =
            entries.iter().map(|entry| shown(entry["path"].as_str().unwrap())).collect();
        let there: BTreeSet<String> = self
            .tree
            .keys()
            .filter(|name| !is_blocked(name) && deep(name))
            .map(|name| shown(&wire(name)))
            .collect();
        let listed: BTreeSet<String> = listed
            .into_iter()
            .filter(|name| !name.starts_with(".git/") && name != ".git" && !is_temporary(name.as_bytes()))
            .collect();
        assert_eq!(listed, there, "fs_list");
        let Some(result) =
            self.reads("search_glob", &json!({"pattern": "*", "type": "file", "limit": 100_000}))
        else {
            return;
        };
        let found: BTreeSet<String> = result["structuredContent"]["data"]["paths"]
            .as_array()
            .unwrap()
            .iter()
            .map(|path| shown(path.as_str().unwrap()))
            .collect();
        let output = Command::new("fdfind")
            .current_dir(self.world.workspace())
            .args(["--type", "f", "-0", "--strip-cwd-prefix", "."])
            .output();
        let Ok(output) = output else { return };
        let expected: BTreeSet<String> = output
            .stdout
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty() && !is_blocked(name))
            .map(|name| shown(&wire(name)))
            .collect();
        assert_eq!(found, expected, "search_glob");
    }

    fn same_matches(&mut self) {
        let arguments = json!({"pattern": "needle", "literal": true, "output": "count", "limit": 100_000});
        let Some(result) = self.reads("search_grep", &arguments) else { return };
        assert!(!result.to_string().contains("SECRETCONTENT"), "{result:#}");
        let data = &result["structuredContent"]["data"];
        let found: BTreeMap<String, u64> = data["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| (shown(file["path"].as_str().unwrap()), file["count"].as_u64().unwrap()))
            .collect();
        let output = Command::new("rg")
            .current_dir(self.world.workspace())
            .env("RIPGREP_CONFIG_PATH", "")
            .args(["-F", "-c", "-0", "--crlf", "--with-filename", "-i", "needle"])
            .output()
            .unwrap();
        let mut expected = BTreeMap::new();
        let mut rest = output.stdout.as_slice();
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            let (name, behind) = (&rest[..end], &rest[end + 1..]);
            let line = behind.iter().position(|byte| *byte == b'\n').unwrap();
            let name = name.strip_prefix(b"./").unwrap_or(name);
            if !name.ends_with(b".pem") {
                expected.insert(
                    shown(&wire(name)),
                    std::str::from_utf8(&behind[..line]).unwrap().trim_end().parse::<u64>().unwrap(),
                );
            }
            rest = &behind[line + 1..];
        }
        assert_eq!(found, expected, "search_grep");
    }

    fn same_as_git(&mut self) {
        let Some(result) = self.reads("git_status", &json!({})) else { return };
        let data = &result["structuredContent"]["data"];
        let ours = |key: &str| -> BTreeSet<String> {
            data[key].as_array().unwrap().iter().map(|entry| shown(entry["path"].as_str().unwrap())).collect()
        };
        let output = git_command(&self.world.workspace())
            .args(["status", "--porcelain=v1", "-z", "--no-renames"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let (mut staged, mut unstaged, mut untracked) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for line in output.stdout.split(|byte| *byte == 0).filter(|line| line.len() > 3) {
            let name = &line[3..];
            if name.ends_with(b".env") || name.ends_with(b".pem") || name == b"conf/" || is_temporary(name) {
                continue;
            }
            if line.starts_with(b"??") {
                untracked.insert(shown(&wire(name)));
                continue;
            }
            if line[0] != b' ' {
                staged.insert(shown(&wire(name)));
            }
            if line[1] != b' ' {
                unstaged.insert(shown(&wire(name)));
            }
        }
        assert_eq!(ours("unstaged"), unstaged, "git_status, unstaged");
        // In a folder that stands where the index has a file, git shows what is untracked only to those who ask for all of it.
        let is_plain = |name: &String| {
            name != "conf/"
                && !is_temporary(name.as_bytes())
                && !unstaged.contains(name.trim_end_matches('/'))
        };
        let seen: BTreeSet<String> = ours("untracked").into_iter().filter(is_plain).collect();
        assert_eq!(
            seen,
            untracked,
            "git_status, untracked: {:?}",
            self.tree.keys().map(|name| String::from_utf8_lossy(name)).collect::<Vec<_>>()
        );
        // What was renamed has two names.
        let from: BTreeSet<String> = data["staged"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|entry| entry["change"] == "renamed")
            .filter_map(|entry| entry["from"].as_str().map(shown))
            .collect();
        assert_eq!(
            ours("staged").union(&from).cloned().collect::<BTreeSet<_>>(),
            staged,
            "git_status, staged"
        );
    }

    // Undo.

    fn control(&mut self, method: &str, params: &Value, end: End) -> Option<Value> {
        let answer = self.ask(&format!("outrigger/{method}"), params, end)?;
        assert!(answer.get("result").is_some(), "{method} {params}: {answer:#}");
        Some(answer["result"].clone())
    }

    /// What an undo of these calls should do, name by name.
    fn expected(&self, turn: usize, call: Option<&str>, redo: bool, paths: &[Name]) -> Expected {
        let turn = &self.turns[turn];
        let mut joined: Vec<(Change, bool)> = Vec::new();
        let mut calls = Vec::new();
        for (number, done) in turn.calls.iter().enumerate() {
            if call.is_some_and(|key| key != done.key) {
                continue;
            }
            let mut is_part = false;
            for change in done.changes.iter().filter(|change| done.undone.contains(&change.0) == redo) {
                is_part = true;
                match joined.iter_mut().find(|(known, _)| known.0 == change.0) {
                    None => joined.push((change.clone(), false)),
                    Some((known, gap)) => {
                        *gap = *gap || known.2 != change.1;
                        known.2.clone_from(&change.2);
                    }
                }
            }
            if is_part {
                calls.push(number);
            }
        }
        let is_same = |(change, _): &&(Change, bool)| change.1 == change.2;
        let unchanged = joined.iter().filter(is_same).map(|(change, _)| change.0.clone()).collect();
        joined.retain(|(change, _)| change.1 != change.2);
        let all = joined.len();
        let asked = |name: &Name| paths.iter().any(|asked| asked == name || below(name, asked));
        joined.retain(|(change, _)| paths.is_empty() || asked(&change.0));
        let whole = joined.len() == all;
        // One call alone: what others of the turn had done to its files behind it is gone with that (before it: there with that).
        if let Some(&one) = calls.first().filter(|_| call.is_some()) {
            let others = if redo { 0..one } else { one + 1..turn.calls.len() };
            calls.extend(others.filter(|number| {
                let done = &turn.calls[*number];
                done.changes.iter().any(|change| {
                    done.undone.contains(&change.0) == redo
                        && joined.iter().any(|(known, _)| known.0 == change.0)
                })
            }));
        }
        let mut steps: Vec<Step> = joined
            .into_iter()
            .map(|((name, before, after), gap)| {
                let (from, to) = if redo { (before, after) } else { (after, before) };
                let now = self.tree.get(&name).cloned();
                let mut step = Step { name, from, to, conflict: false, hopeless: false, foreign: false };
                if now == step.to {
                    step.from = now;
                } else if now == step.from
                    || step.to.is_none() && holds_the_same(now.as_ref(), step.from.as_ref())
                {
                    step.conflict = gap;
                    step.foreign = gap && now.is_some();
                    step.from = now;
                } else {
                    step.conflict = true;
                    step.hopeless = matches!(now, Some(Entry::Folder(_)));
                    step.foreign = now.is_some() && !step.hopeless;
                    step.from = now;
                }
                step
            })
            .collect();
        for step in &mut steps {
            if let Some(Entry::File { bytes, .. }) = &step.to {
                let is_there = matches!(self.tree.get(&step.name), Some(Entry::File { bytes: there, .. }) if there == bytes);
                if !bytes.is_empty() && !is_there && !self.kept.contains(bytes) {
                    (step.conflict, step.hopeless) = (true, true);
                }
            }
        }
        self.below_what_stays(&mut steps);
        self.around_what_stays(&mut steps);
        Expected { steps, calls, whole, unchanged }
    }

    /// Below what is no folder nothing can be put, unless it becomes one.
    fn below_what_stays(&self, steps: &mut [Step]) {
        for at in 0..steps.len() {
            let name = steps[at].name.clone();
            let mut all: Vec<&[u8]> = Vec::new();
            let mut above = parent(&name);
            while !above.is_empty() {
                all.insert(0, above);
                above = parent(above);
            }
            let in_the_way = all
                .into_iter()
                .find(|above| matches!(self.tree.get(*above), Some(Entry::File { .. } | Entry::Link(_))));
            let Some(above) = in_the_way else { continue };
            let is_file = matches!(self.tree.get(above), Some(Entry::File { .. }));
            let own = steps.iter().find(|step| step.name == above);
            let (conflict, hopeless) = match own {
                _ if steps[at].to.is_none() && (is_file || own.is_some()) => (false, false),
                Some(own) if matches!(own.to, Some(Entry::Folder(_))) => (own.conflict, own.hopeless),
                _ => (true, true),
            };
            let step = &mut steps[at];
            step.conflict |= conflict;
            step.hopeless |= hopeless;
            step.foreign &= !hopeless;
        }
    }

    /// A folder becomes something else only when it is empty by then.
    fn around_what_stays(&self, steps: &mut [Step]) {
        for at in 0..steps.len() {
            let step = &steps[at];
            let is_turned = matches!(step.from, Some(Entry::Folder(_)))
                && matches!(step.to, Some(Entry::File { .. } | Entry::Link(_)));
            if !is_turned || step.hopeless {
                continue;
            }
            let inside = self.tree.keys().filter(|name| below(name, &step.name));
            let (mut conflict, mut hopeless) = (false, false);
            for name in inside {
                match steps.iter().find(|step| step.name == *name) {
                    Some(step) if step.to.is_none() => {
                        conflict |= step.conflict;
                        hopeless |= step.hopeless;
                    }
                    _ => (conflict, hopeless) = (true, true),
                }
            }
            let step = &mut steps[at];
            step.conflict |= conflict;
            step.hopeless |= hopeless;
        }
    }

    fn undo(&mut self) {
        if self.turns.iter().all(|turn| turn.calls.is_empty()) {
            return;
        }
        let recent = self.turns.len().min(4);
        let number =
            self.turns.len() - 1 - if self.random.chance(55) { 0 } else { self.random.below(recent) };
        let redo = self.random.chance(40);
        let (turn_name, keys) = {
            let turn = &self.turns[number];
            (turn.name.clone(), turn.calls.iter().map(|done| done.key.clone()).collect::<Vec<_>>())
        };
        let only = (!keys.is_empty() && self.random.chance(15)).then(|| self.random.pick(&keys).clone());
        let mut paths: Vec<Name> = Vec::new();
        if self.random.chance(15) {
            let all: Vec<Name> = self.turns[number]
                .calls
                .iter()
                .flat_map(|done| done.changes.iter().map(|change| change.0.clone()))
                .collect();
            if !all.is_empty() {
                paths.push(self.random.pick(&all).clone());
            }
        }
        let (skip, overwrite, dry) = (self.random.chance(20), self.random.chance(30), self.random.chance(15));
        self.undo_as(number, &turn_name, only.as_deref(), redo, &paths, (skip, overwrite, dry));
    }

    fn undo_as(
        &mut self,
        number: usize,
        name: &str,
        only: Option<&str>,
        redo: bool,
        paths: &[Name],
        (skip, overwrite, dry): (bool, bool, bool),
    ) {
        let Expected { steps, calls, whole, unchanged } = self.expected(number, only, redo, paths);
        let uncertain = self.turns[number].calls.iter().any(|done| done.uncertain);
        let method = if redo { "turns/redo" } else { "turns/undo" };
        let key = outrigger::ids::new_ulid();
        let mut params = json!({"turn": only.unwrap_or(name), "call": key, "skip_conflicts": skip, "overwrite": overwrite, "dry_run": dry});
        if !paths.is_empty() {
            params["paths"] = json!(paths.iter().map(|path| wire(path)).collect::<Vec<_>>());
        }
        let end = self.next_end();
        self.steps.push(format!("{method} {params} {end:?}"));
        let before = self.tree.clone();
        let mut report = self.control(method, &params, end);
        let mut asked_again = true;
        if report.is_none() {
            asked_again = self.random.chance(60);
            if !asked_again {
                params["call"] = json!(outrigger::ids::new_ulid());
            }
            self.steps.push(format!("   asked again, as the same: {asked_again}"));
            report = self.control(method, &params, End::Lives);
        }
        let report = report.unwrap();
        let after = self.look();
        self.steps.push(format!("   {report}"));
        let conflicts = steps.iter().any(|step| step.conflict);
        let hopeless = steps.iter().any(|step| step.hopeless);
        let stopped = conflicts && !skip && (hopeless || !overwrite);
        let goes = |step: &Step| !step.hopeless && (!step.conflict || overwrite);
        if dry || stopped || steps.is_empty() {
            assert!(
                difference(&before, &after).is_empty(),
                "nothing was to be done: {:#?}",
                difference(&before, &after)
            );
            if !uncertain {
                let expected = if steps.is_empty() {
                    "nothing"
                } else if dry {
                    "dry_run"
                } else {
                    "conflict"
                };
                assert_eq!(report["state"], expected, "{report:#}");
                told(&report, &steps);
            }
            return;
        }
        for step in steps.iter().filter(|step| goes(step) && step.from != step.to) {
            if let Some(Entry::File { bytes, .. }) = &step.from {
                self.kept.insert(bytes.clone());
            }
        }
        let mut expected = before.clone();
        put(&mut expected, steps.iter().filter(|step| goes(step)));
        for step in steps.iter().filter(|step| goes(step)) {
            match (&step.from, &step.to) {
                (Some(from), None) if !redo => {
                    self.found.insert(step.name.clone(), from.clone());
                }
                (None, Some(to)) if redo => {
                    let found =
                        self.found.get(&step.name).filter(|found| after.get(&step.name) == Some(*found));
                    if let Some(found) = found.filter(|found| holds_the_same(Some(*found), Some(to))) {
                        expected.insert(step.name.clone(), found.clone());
                    }
                }
                _ => {}
            }
        }
        let wrong = difference(&expected, &after);
        assert!(
            wrong.is_empty(),
            "{method}: not as expected (name, expected, found): {wrong:#?}\n{report:#}"
        );
        let done = steps.iter().all(goes) && whole;
        if !uncertain && asked_again {
            assert_eq!(report["state"], if done { "done" } else { "partly" }, "{report:#}");
            told(&report, &steps);
        }
        self.tree = after;
        if number + 1 != self.turns.len() {
            self.turns.last_mut().unwrap().before = None;
        }
        let named = steps.iter().filter(|step| goes(step)).map(|step| &step.name);
        let names: BTreeSet<Name> =
            named.chain(unchanged.iter().filter(|_| paths.is_empty())).cloned().collect();
        let left = steps.iter().filter(|step| goes(step) && stays(step, &self.tree));
        let left = left.map(|step| step.name.clone()).collect();
        self.mark_but_folders(number, &calls, &names, left, !redo);
        if done && only.is_none() && paths.is_empty() && !uncertain {
            self.untraced();
            let list = self.control("turns/list", &json!({"limit": 1000}), End::Lives).unwrap();
            let known = list["turns"].as_array().unwrap().iter().find(|turn| turn["turn"] == name).unwrap();
            assert_eq!(known["state"], if redo { "done" } else { "undone" }, "{known:#}");
            if !redo
                && !conflicts
                && let Some(tree) = self.turns[number].before.clone()
                && number + 1 == self.turns.len()
            {
                let wrong = difference(&tree, &self.tree);
                assert!(wrong.is_empty(), "the turn is undone, and this is not as before it: {wrong:#?}");
            }
        }
        let replaced: Vec<&Step> = steps.iter().filter(|step| goes(step) && step.foreign).collect();
        if !replaced.is_empty() && asked_again && !uncertain {
            let in_place = |step: &&Step| {
                goes(step) && (step.foreign || replaced.iter().any(|above| below(&step.name, &above.name)))
            };
            let replaced: Vec<&Step> = steps.iter().filter(in_place).collect();
            self.bring_back(&report, &before, &replaced);
            let names: BTreeSet<Name> = replaced.iter().map(|step| step.name.clone()).collect();
            self.mark(number, &calls, &names, redo);
        }
    }

    /// A folder that stays for what the turn still has in it is not marked, and goes with that.
    fn mark_but_folders(
        &mut self,
        number: usize,
        calls: &[usize],
        names: &BTreeSet<Name>,
        mut left: Vec<Name>,
        undone: bool,
    ) {
        self.mark(
            number,
            calls,
            &names.iter().filter(|name| !left.contains(name)).cloned().collect(),
            undone,
        );
        left.sort_by_key(|name| std::cmp::Reverse(name.len()));
        for folder in left {
            let in_use = self.turns[number].calls.iter().any(|done| {
                done.changes.iter().any(|change| {
                    let there = if undone { &change.2 } else { &change.1 };
                    there.is_some() && below(&change.0, &folder) && done.undone.contains(&change.0) != undone
                })
            });
            if !in_use {
                self.mark(number, calls, &BTreeSet::from([folder]), undone);
            }
        }
    }

    fn mark(&mut self, number: usize, calls: &[usize], names: &BTreeSet<Name>, undone: bool) {
        for call in calls {
            let marks = &mut self.turns[number].calls[*call];
            for change in marks.changes.iter().filter(|change| names.contains(&change.0)) {
                if undone {
                    marks.undone.insert(change.0.clone());
                } else {
                    marks.undone.remove(&change.0);
                }
            }
        }
    }

    /// A host that may die at any moment makes room for one that lives.
    fn untraced(&mut self) {
        if self.traced {
            self.part();
        }
    }

    /// What an undo replaced comes back.
    fn bring_back(&mut self, report: &Value, before: &Tree, replaced: &[&Step]) {
        self.untraced();
        let key = report["call"].as_str().unwrap();
        self.steps.push(format!("turns/undo of the undo {key}"));
        let back = self.control("turns/undo", &json!({"turn": key}), End::Lives).unwrap();
        self.steps.push(format!("   {back}"));
        let after = self.look();
        for step in replaced {
            assert_eq!(
                after.get(&step.name),
                before.get(&step.name),
                "{:?} did not come back: {back:#}",
                String::from_utf8_lossy(&step.name)
            );
        }
        self.tree = after;
    }

    // The whole of it.

    fn run(&mut self) {
        self.tree = self.look();
        let mut calls = 0;
        while calls < CALLS {
            if self.random.chance(20) {
                self.session += 1;
                self.part();
            }
            let turn = Turn {
                name: format!("t{}", self.turns.len()),
                session: format!("s{}", self.session),
                calls: Vec::new(),
                before: Some(self.tree.clone()),
            };
            for earlier in &mut self.turns {
                earlier.before = None;
            }
            self.turns.push(turn);
            for _ in 0..=self.random.below(6) {
                self.step();
                calls += 1;
                if self.random.chance(6) {
                    self.again();
                }
            }
            for _ in 0..self.random.below(4) {
                self.undo();
            }
        }
        self.settled();
    }

    /// A call that comes again is answered with what it was answered, and does nothing.
    fn again(&mut self) {
        if self.past.is_empty() {
            return;
        }
        let number = self.random.below(self.past.len());
        let Past { tool, arguments, meta, result } = &self.past[number];
        let (tool, arguments, meta, result) = (*tool, arguments.clone(), meta.clone(), result.clone());
        let code = result["structuredContent"]["code"].as_str().unwrap_or("ok").to_owned();
        if ["outcome_unknown", "busy", "cancelled", "timeout"].contains(&code.as_str()) {
            return;
        }
        self.untraced();
        self.steps.push(format!("again: {tool} {arguments}"));
        let (second, plan) = self.call(tool, &arguments, &meta, End::Lives);
        let second = second.unwrap();
        assert!(plan.is_none(), "it was asked again: {plan:#?}");
        assert_eq!(second["_meta"]["dev.outrigger/replayed"], true, "{second:#}");
        assert_eq!(second["structuredContent"], result["structuredContent"]);
        self.expect_unchanged("the call had come before");
    }

    fn settled(&mut self) {
        self.part();
        for _ in 0..3 {
            self.again();
        }
        let root = self.world.workspace();
        if self.kills > 0 {
            self.swept();
        }
        let left: Vec<Name> = tree(&root)
            .into_keys()
            .filter(|name| is_temporary(name))
            .filter(|name| !at(&root, name).is_symlink())
            .collect();
        assert!(left.is_empty(), "{left:?} stayed");
        let git = |arguments: &[&str]| {
            let output = git_command(&root).args(arguments).output().unwrap();
            assert!(
                output.status.success(),
                "git {arguments:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        };
        git(&["fsck", "--strict", "--no-dangling"]);
        git(&["status", "--porcelain"]);
        self.same_as_git();
        self.part();
        let locks: Vec<_> = walk(&root.join(".git"))
            .into_iter()
            .filter(|name| {
                std::path::Path::new(name).extension().is_some_and(|ending| ending == "lock")
                    || name.contains("outrigger")
            })
            .collect();
        assert!(locks.is_empty(), "{locks:?} stayed");
        let output = self.world.command().args(["audit", "--verify"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }

    /// The next host that writes in a folder takes away what a dead one left there.
    fn swept(&mut self) {
        let root = self.world.workspace();
        let folders: BTreeSet<Name> = tree(&root)
            .into_keys()
            .filter(|name| is_temporary(last(name)) && !is_temporary(parent(name)))
            .map(|name| parent(&name).to_vec())
            .collect();
        for folder in folders {
            let name = join(&folder, b"sweeping.txt");
            let turn =
                Turn { name: "sweep".to_owned(), session: "s".to_owned(), calls: Vec::new(), before: None };
            self.turns.push(turn);
            self.act("fs_write", json!({"path": wire(&name), "content": "swept\n", "mode": "append"}));
        }
    }
}

/// A name as every tool shows it.
fn shown(name: &str) -> String {
    outrigger::text::visible(name).into_owned()
}

fn is_blocked(name: &[u8]) -> bool {
    last(name).starts_with(b".env") || name.ends_with(b".pem")
}

fn random_name(random: &mut Random) -> Name {
    let all = names();
    random.pick(&all).clone()
}

fn walk(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else {
            found.push(path.to_str().unwrap().to_owned());
        }
    }
    found
}

/// Of what goes away, only what is in it counts.
fn holds_the_same(one: Option<&Entry>, other: Option<&Entry>) -> bool {
    match (one, other) {
        (Some(Entry::File { bytes, .. }), Some(Entry::File { bytes: other, .. })) => bytes == other,
        (Some(Entry::Folder(_)), Some(Entry::Folder(_))) => true,
        (one, other) => one == other,
    }
}

/// Puts these steps into a tree, as an undo would.
fn put<'s>(tree: &mut Tree, steps: impl Iterator<Item = &'s Step>) {
    let steps: Vec<&Step> = steps.filter(|step| step.from != step.to).collect();
    for step in &steps {
        let stays = matches!((&step.from, &step.to), (Some(Entry::Folder(_)), Some(Entry::Folder(_)) | None));
        if !stays {
            tree.remove(&step.name);
        }
    }
    let mut folders: Vec<&&Step> = steps
        .iter()
        .filter(|step| step.to.is_none() && matches!(step.from, Some(Entry::Folder(_))))
        .collect();
    folders.sort_by_key(|step| std::cmp::Reverse(step.name.len()));
    for step in folders {
        if !tree.keys().any(|name| below(name, &step.name)) {
            tree.remove(&step.name);
        }
    }
    for step in &steps {
        let Some(to) = &step.to else { continue };
        let mut above = parent(&step.name);
        while !above.is_empty() {
            tree.entry(above.to_vec()).or_insert(Entry::Folder(0o755));
            above = parent(above);
        }
        tree.insert(step.name.clone(), to.clone());
    }
    for step in &steps {
        if let Some(to @ Entry::Folder(_)) = &step.to {
            tree.insert(step.name.clone(), to.clone());
        }
    }
}

/// A folder that was to go and is there.
fn stays(step: &Step, tree: &Tree) -> bool {
    step.to.is_none() && step.from.is_some() && tree.contains_key(&step.name)
}

/// The report names each file once, and which of them are in the way.
fn told(report: &Value, steps: &[Step]) {
    let files = report["files"].as_array().unwrap();
    let names: BTreeSet<&str> = files.iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(names.len(), files.len(), "{report:#}");
    let wires: Vec<String> = steps.iter().map(|step| wire(&step.name)).collect();
    // Of one path alone, the folders that it needs come again with it.
    let is_on_the_way = |name: &&str| {
        let file = files.iter().find(|file| file["path"] == *name).unwrap();
        let needs = |wire: &String| wire.strip_prefix(*name).is_some_and(|rest| rest.starts_with('/'));
        file["action"] == "create" && !wires.iter().any(|wire| wire == name) && wires.iter().any(needs)
    };
    let named: BTreeSet<&str> = names.iter().copied().filter(|name| !is_on_the_way(name)).collect();
    assert_eq!(named, wires.iter().map(String::as_str).collect(), "{report:#}");
    for (step, name) in steps.iter().zip(&wires) {
        let file = files.iter().find(|file| file["path"] == name.as_str()).unwrap();
        assert_eq!(
            file["conflict"].is_string(),
            step.conflict,
            "{name}: {file} where {:?} becomes {:?}",
            step.from,
            step.to
        );
    }
}

/// Nothing changed that the plan does not name.
fn covers(plan: &Value, changes: &[Change]) {
    let preview = &plan["preview"];
    if preview["kind"] == "command" {
        return;
    }
    let files = preview["files"].as_array().map(Vec::as_slice).unwrap_or_default();
    let named: Vec<&str> =
        files.iter().flat_map(|file| [file["path"].as_str(), file["from"].as_str()]).flatten().collect();
    for (name, ..) in changes {
        let path = wire(name);
        let is_named = named.iter().any(|known| {
            *known == path || path.starts_with(&format!("{known}/")) || known.starts_with(&format!("{path}/"))
        });
        assert!(is_named, "{path} changed, of which the plan says nothing: {plan:#}");
    }
}

/// An error names the thing, the reason and what would work.
fn well_worded(tool: &str, arguments: &Value, content: &Value) {
    let (message, hint) = (content["message"].as_str().unwrap(), content["hint"].as_str().unwrap());
    assert!(!message.is_empty() && !hint.is_empty(), "{tool} {arguments}: {content:#}");
    assert_ne!(content["code"], "internal", "{tool} {arguments}: {content:#}");
    assert!(!message.contains("os error"), "{tool} {arguments}: {content:#}");
}

/// What the answer of a call says is what the disk shows.
fn said(before: &Tree, after: &Tree, tool: &str, arguments: &Value, content: &Value) {
    let data = &content["data"];
    let name = |key: &str| -> Name {
        let text = data[key].as_str().unwrap_or_default();
        outrigger::text::unescape_bytes(text)
            .map_or_else(|| text.as_bytes().to_vec(), std::os::unix::ffi::OsStringExt::into_vec)
    };
    let file = |name: &Name| match after.get(name) {
        Some(Entry::File { bytes, mode }) => (bytes.clone(), *mode),
        other => panic!("{tool} {arguments}: {other:?}"),
    };
    match tool {
        "fs_write" => {
            let path = name("path");
            let (bytes, mode) = file(&path);
            assert_eq!(data["bytes"], bytes.len(), "{content:#}");
            assert_eq!(data["created"], !before.contains_key(&path), "{content:#}");
            assert_eq!(content["etag"], outrigger::ids::Etag::of(&bytes).as_str());
            if arguments["executable"] == true {
                assert_ne!(mode & 0o100, 0);
            }
            let old = match before.get(&path) {
                Some(Entry::File { bytes, .. }) if arguments["mode"] == "append" => plain_text(bytes),
                _ => Some(String::new()),
            };
            if let (Some(old), Some(new)) = (old, plain_text(&bytes)) {
                let added = arguments["content"].as_str().unwrap();
                let joins =
                    !old.is_empty() && !added.is_empty() && !old.ends_with('\n') && !added.starts_with('\n');
                assert_eq!(new, old + if joins { "\n" } else { "" } + added, "{arguments}");
            }
            if let Some(Entry::File { mode: old, .. }) = before.get(&path)
                && arguments["executable"] != true
            {
                assert_eq!(mode, *old, "{arguments}");
            }
        }
        "fs_edit" => {
            let path = name("path");
            let (bytes, mode) = file(&path);
            assert_eq!(content["etag"], outrigger::ids::Etag::of(&bytes).as_str());
            let Some(Entry::File { bytes: old_bytes, mode: old_mode }) = before.get(&path) else {
                panic!("{arguments}")
            };
            assert_eq!(mode, *old_mode);
            edited(old_bytes, &bytes, arguments);
        }
        "fs_apply_patch" => {
            for changed in data["files"].as_array().unwrap() {
                let path = changed["path"].as_str().unwrap().as_bytes().to_vec();
                match changed["op"].as_str().unwrap() {
                    "delete" => assert!(!after.contains_key(&path), "{changed}"),
                    op => {
                        assert_eq!(changed["etag"], outrigger::ids::Etag::of(&file(&path).0).as_str());
                        assert_eq!(
                            op == "create" || op == "rename",
                            !before.contains_key(&path),
                            "{changed}"
                        );
                    }
                }
            }
        }
        "fs_move" => {
            let (from, to) = (name("from"), name("to"));
            let copies = arguments["copy"] == true;
            let mut expected = before.clone();
            let moved: Vec<(Name, Entry)> = before
                .iter()
                .filter(|(name, _)| **name == from || below(name, &from))
                .map(|(name, entry)| (name.clone(), entry.clone()))
                .collect();
            assert_eq!(data["entries"], moved.len(), "{content:#}");
            for (old, entry) in moved {
                if !copies {
                    expected.remove(&old);
                }
                expected.insert([to.as_slice(), &old[from.len()..]].concat(), entry);
            }
            with_parents(&mut expected, &to);
            let wrong = difference(&expected, after);
            assert!(wrong.is_empty(), "{arguments}: {wrong:#?}");
        }
        "fs_delete" => {
            let path = name("path");
            let mut expected = before.clone();
            expected.retain(|name, _| *name != path && !below(name, &path));
            assert_eq!(data["removed"], before.len() - expected.len(), "{content:#}");
            let wrong = difference(&expected, after);
            assert!(wrong.is_empty(), "{arguments}: {wrong:#?}");
        }
        "fs_mkdir" => {
            let path = name("path");
            let mut expected = before.clone();
            with_parents(&mut expected, &join(&path, b"x"));
            assert_eq!(data["created"], !before.contains_key(&path), "{content:#}");
            let wrong = difference(&expected, after);
            assert!(wrong.is_empty(), "{arguments}: {wrong:#?}");
        }
        "git_add" | "git_commit" => assert!(difference(before, after).is_empty(), "{tool} {arguments}"),
        _ => {}
    }
}

fn with_parents(tree: &mut Tree, name: &[u8]) {
    let mut above = parent(name);
    while !above.is_empty() {
        tree.entry(above.to_vec()).or_insert(Entry::Folder(0o755));
        above = parent(above);
    }
}

/// Plain edits are as everybody would make them; what lies around them is untouched, to the byte.
fn edited(before: &[u8], after: &[u8], arguments: &Value) {
    let (Some(old), Some(new)) = (plain_text(before), plain_text(after)) else { return };
    let edits = arguments["edits"].as_array().unwrap();
    let mut expected = old.clone();
    let mut is_plain = true;
    for edit in edits {
        let (from, to) = (edit["old_text"].as_str().unwrap(), edit["new_text"].as_str().unwrap());
        let count = if from.is_empty() { 0 } else { old.matches(from).count() };
        if count == 1 || (count > 1 && edit["replace_all"] == true) {
            is_plain = is_plain && expected.matches(from).count() == count;
            expected = expected.replace(from, to);
        } else {
            is_plain = false;
        }
    }
    if is_plain {
        assert_eq!(new, expected, "{arguments}");
    }
    let raw = |bytes: &[u8]| -> Vec<Vec<u8>> {
        bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    if before.starts_with(b"\xff\xfe") || before.starts_with(b"\xfe\xff") {
        assert_eq!(before[..2], after[..2]);
        return;
    }
    let same = |left: &mut dyn Iterator<Item = (Vec<u8>, Vec<u8>)>, plain: usize| {
        left.take_while(|(one, other)| one == other).count() >= plain.saturating_sub(1)
    };
    let first = old.lines().zip(new.lines()).take_while(|(one, other)| one == other).count();
    assert!(
        same(&mut raw(before).into_iter().zip(raw(after)), first),
        "before the edit something else changed: {arguments}"
    );
    let end = old.lines().rev().zip(new.lines().rev()).take_while(|(one, other)| one == other).count();
    let end = if old.ends_with('\n') == new.ends_with('\n') { end } else { 0 };
    assert!(
        same(&mut raw(before).into_iter().rev().zip(raw(after).into_iter().rev()), end),
        "behind the edit something else changed: {arguments}"
    );
}

fn seeds() -> Vec<u64> {
    if let Ok(asked) = std::env::var("OUTRIGGER_SEEDS") {
        let (first, end) = asked.split_once("..").unwrap_or((&asked, ""));
        let first: u64 = first.parse().unwrap();
        return (first..end.parse().unwrap_or(first + 1)).collect();
    }
    let all = std::env::var("OUTRIGGER_DRILL").is_ok_and(|value| value == "all");
    if all { (1..400).collect() } else { vec![6, 11, 15, 18, 20, 23] }
}

#[test]
fn what_is_said_is_what_is_there_and_all_of_it_comes_back() {
    let mut wrong = Vec::new();
    for seed in seeds() {
        let mut story = Story::new(seed);
        let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| story.run()));
        if told.is_err() {
            eprintln!(
                "seed {} went wrong after {} steps, of which the last are:",
                story.seed,
                story.steps.len()
            );
            let told = std::env::var("OUTRIGGER_STEPS").ok().and_then(|steps| steps.parse().ok());
            for step in story.steps.iter().rev().take(told.unwrap_or(14)).rev() {
                eprintln!("  {}", step.chars().take(1200).collect::<String>());
            }
            wrong.push(seed);
        }
    }
    assert!(wrong.is_empty(), "wrong with the seeds {wrong:?}");
}
