//! The scenarios: what a tool is given and what it answers, one file each under `tests/scenarios/<tool>/`, run over the real binary.
//!
//! Around every call the runner also watches the folder: a tool that says it only reads must change nothing, one that is not
//! destructive must lose nothing, and one that is idempotent must change nothing the second time. `docs/contributing.md` has the
//! format.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use outrigger::tools::{Annotations, catalog};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::native::{Port, World};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    /// One sentence.
    about: String,
    /// More of the configuration, TOML.
    #[serde(default)]
    config: String,
    /// What the workspace holds; a name that ends in `/` is an empty folder.
    #[serde(default)]
    files: BTreeMap<String, Content>,
    /// Makes the workspace a repository with one commit of all that.
    #[serde(default)]
    git: bool,
    /// Files written after that commit.
    #[serde(default)]
    changed: BTreeMap<String, Content>,
    calls: Vec<Step>,
    /// What the workspace holds at the end; null: no such file.
    #[serde(default)]
    after: BTreeMap<String, Option<Content>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Other(Special),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum Special {
    /// Bytes in hex.
    Hex(String),
    /// A symbolic link to this.
    Link(String),
    /// An executable file.
    Program(String),
    /// This text, that often.
    Repeat(String, usize),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    call: String,
    #[serde(default)]
    with: Value,
    /// The tier under which it asks; without it, it must not ask.
    #[serde(default)]
    asks: Option<String>,
    /// What must stand in the plan's text.
    #[serde(default)]
    plan: Vec<String>,
    /// How the plan is answered: `allow` (default) or `deny`.
    #[serde(default)]
    answer: Option<String>,
    /// The code it fails with; without it, it succeeds.
    #[serde(default)]
    code: Option<String>,
    /// What must stand in the text, in this order.
    #[serde(default)]
    text: Vec<String>,
    /// What must not.
    #[serde(default)]
    without: Vec<String>,
    /// A part of the structured answer.
    #[serde(default)]
    answers: Value,
    /// The etag of the answer goes by this name into later arguments: `$name`.
    #[serde(default)]
    remember_etag: Option<String>,
    /// So does the name of the job that it started.
    #[serde(default)]
    remember_job: Option<String>,
}

#[test]
fn every_tool_has_scenarios_and_every_scenario_a_tool() {
    let tools: BTreeSet<String> = catalog().iter().map(|tool| tool.spec().name.to_owned()).collect();
    let folders: BTreeSet<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(tools, folders, "each tool needs a folder of its own below tests/scenarios/");
    for tool in tools {
        assert!(!files(&folder().join(&tool)).is_empty(), "tests/scenarios/{tool}/ is empty");
    }
}

#[test]
fn every_scenario_ends_as_it_says() {
    let wanted = std::env::var("SCENARIO").unwrap_or_default();
    let mut failures = Vec::new();
    for tool in catalog() {
        for file in files(&folder().join(tool.spec().name)) {
            let name = file.strip_prefix(folder()).unwrap().display().to_string();
            if !name.contains(&wanted) {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            let scenario: Scenario =
                serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            if let Err(error) = std::panic::catch_unwind(|| play(&name, &scenario)) {
                let words = error
                    .downcast_ref::<String>()
                    .cloned()
                    .or_else(|| error.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                failures.push(format!("{name}: {}\n{}", scenario.about, words.unwrap_or_default()));
            }
        }
    }
    assert!(failures.is_empty(), "{} scenarios failed:\n\n{}", failures.len(), failures.join("\n\n"));
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn play(name: &str, scenario: &Scenario) {
    let world = World::new(&scenario.config);
    let root = world.workspace();
    for (path, content) in &scenario.files {
        put(&root, path, content);
    }
    if scenario.git {
        for args in [
            &["init", "-q", "-b", "topic"][..],
            &["config", "user.name", "Ann Author"],
            &["config", "user.email", "ann@example.org"],
            &["add", "-A"],
            &["commit", "-q", "--allow-empty", "-m", "first"],
        ] {
            let output = Command::new("git")
                .arg("-C")
                .arg(&root)
                .args(args)
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{name}: git {args:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    for (path, content) in &scenario.changed {
        put(&root, path, content);
    }
    let mut port = world.connect();
    port.hello();
    let mut names = BTreeMap::new();
    for (index, step) in scenario.calls.iter().enumerate() {
        let place = format!("call {} ({})", index + 1, step.call);
        let answer = watched(&mut port, &root, step, &names, &place);
        let remembered =
            [(&step.remember_etag, &answer["etag"]), (&step.remember_job, &answer["data"]["job"])];
        for (name, value) in remembered {
            if let Some(name) = name {
                names.insert(format!("${name}"), value.as_str().unwrap_or_default().to_owned());
            }
        }
    }
    for (path, content) in &scenario.after {
        let there = fs::symlink_metadata(root.join(path)).is_ok();
        match content {
            None => assert!(!there, "`{path}` is still there"),
            Some(Content::Other(Special::Link(target))) => {
                assert_eq!(fs::read_link(root.join(path)).unwrap(), Path::new(target), "{path}");
            }
            Some(_) if path.ends_with('/') => assert!(root.join(path).is_dir(), "{path}"),
            Some(content) => {
                let found = fs::read(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
                assert_eq!(
                    String::from_utf8_lossy(&found),
                    String::from_utf8_lossy(&bytes(content)),
                    "{path}"
                );
            }
        }
    }
}

/// Calls, and compares what the folder is before, afterwards and after a second time with what the tool says of itself.
fn watched(
    port: &mut Port,
    root: &Path,
    step: &Step,
    names: &BTreeMap<String, String>,
    place: &str,
) -> Value {
    let annotations = catalog()
        .iter()
        .find(|tool| tool.spec().name == step.call)
        .map_or_else(|| panic!("{place}: no such tool"), |tool| tool.spec().annotations);
    let before = tree(root);
    let answer = call(port, step, names, place);
    let after = tree(root);
    let failed = step.code.is_some();
    if annotations.read_only || failed {
        assert_eq!(before, after, "{place}: something changed");
    }
    if !annotations.destructive && !annotations.open_world {
        for (path, content) in before.iter().filter(|(path, _)| !path.starts_with(".git")) {
            assert_eq!(
                after.get(path),
                Some(content),
                "{place}: `{}` was lost, and the tool is not destructive",
                path.display()
            );
        }
    }
    if annotations.idempotent && !failed {
        repeat(port, step, names, annotations);
        let mut again = tree(root);
        again.retain(|path, _| !path.starts_with(".git"));
        let mut after = after;
        after.retain(|path, _| !path.starts_with(".git"));
        assert_eq!(after, again, "{place}: the second time changed something, and the tool is idempotent");
    }
    answer
}

fn repeat(port: &mut Port, step: &Step, names: &BTreeMap<String, String>, annotations: Annotations) {
    let arguments = named(&step.with, names);
    let first = port.call(&step.call, arguments.clone());
    if !annotations.read_only && first["resultType"] == "input_required" {
        port.answer_plan(&step.call, arguments, json!({}), &first, json!({"decision": "allow"}));
    }
}

fn call(port: &mut Port, step: &Step, names: &BTreeMap<String, String>, place: &str) -> Value {
    let arguments = named(&step.with, names);
    let meta = json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/turn": "t"});
    let first = port.call_with(&step.call, arguments.clone(), meta.clone());
    let asked = first["resultType"] == "input_required";
    let result = if asked {
        let plan = &first["_meta"]["dev.outrigger/plan"];
        assert_eq!(plan["tier"].as_str(), step.asks.as_deref(), "{place}: it asks: {plan:#}");
        let shown = first["inputRequests"]["approval"]["params"]["message"].as_str().unwrap_or_default();
        contains(shown, &step.plan, place);
        let decision = step.answer.as_deref().unwrap_or("allow");
        port.answer_plan(&step.call, arguments, meta, &first, json!({"decision": decision}))
    } else {
        assert_eq!(step.asks, None, "{place}: it did not ask: {first:#}");
        first
    };
    let answer = result["structuredContent"].clone();
    assert_eq!(answer["code"].as_str(), step.code.as_deref(), "{place}: {result:#}");
    assert_eq!(answer["ok"], json!(step.code.is_none()), "{place}: {result:#}");
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    contains(text, &step.text, place);
    for words in &step.without {
        assert!(!text.contains(words.as_str()), "{place}: `{words}` stands in:\n{text}");
    }
    part_of(&step.answers, &answer, place);
    answer
}

/// The arguments with what was remembered in them.
fn named(arguments: &Value, names: &BTreeMap<String, String>) -> Value {
    match arguments {
        Value::Null => json!({}),
        Value::String(text) => json!(names.get(text).unwrap_or(text)),
        Value::Array(items) => items.iter().map(|item| named(item, names)).collect(),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(name, value)| (name.clone(), named(value, names))).collect())
        }
        other => other.clone(),
    }
}

fn contains(text: &str, words: &[String], place: &str) {
    let mut rest = text;
    for words in words {
        let at = rest
            .find(words.as_str())
            .unwrap_or_else(|| panic!("{place}: `{words}` does not stand (there) in:\n{text}"));
        rest = &rest[at + words.len()..];
    }
}

fn part_of(part: &Value, whole: &Value, place: &str) {
    match (part, whole) {
        (Value::Null, _) => {}
        (Value::Object(part), whole) => {
            for (name, value) in part {
                part_of(value, &whole[name], &format!("{place}.{name}"));
            }
        }
        (Value::Array(items), Value::Array(found)) => {
            assert_eq!(items.len(), found.len(), "{place}: {found:?}");
            for (index, (item, found)) in items.iter().zip(found).enumerate() {
                part_of(item, found, &format!("{place}[{index}]"));
            }
        }
        (part, whole) => assert_eq!(part, whole, "{place}"),
    }
}

fn put(root: &Path, path: &str, content: &Content) {
    let target = root.join(path);
    if path.ends_with('/') {
        fs::create_dir_all(target).unwrap();
        return;
    }
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    if let Content::Other(Special::Link(link)) = content {
        std::os::unix::fs::symlink(link, target).unwrap();
        return;
    }
    fs::write(&target, bytes(content)).unwrap();
    if matches!(content, Content::Other(Special::Program(_))) {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(target, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn bytes(content: &Content) -> Vec<u8> {
    match content {
        Content::Text(text) | Content::Other(Special::Program(text)) => text.clone().into_bytes(),
        Content::Other(Special::Repeat(text, times)) => text.repeat(*times).into_bytes(),
        Content::Other(Special::Hex(hex)) => {
            let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
            digits
                .chunks(2)
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
                .collect()
        }
        Content::Other(Special::Link(_)) => Vec::new(),
    }
}

/// Every name below the root and what it is; of git's own data only what belongs to the user.
fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let stat = fs::symlink_metadata(&path).unwrap();
            let name = path.strip_prefix(root).unwrap().to_path_buf();
            if stat.is_dir() {
                found.insert(name, b"folder".to_vec());
                folders.push(path);
            } else if stat.is_symlink() {
                found.insert(name, fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes());
            } else {
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}
