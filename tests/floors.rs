//! Keeps the floors: reads every `use crate::…` and every `crate::…` path in `src/`, and lets none go up.
//!
//! It also keeps the doors that clippy cannot see: who may import rmcp, and that edges do not know each other.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "reads the sources it judges")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// From the street up; a module may use those of lower floors and of its own module tree.
const FLOORS: &[(u8, &[&str])] = &[
    (7, &["cli"]),
    (6, &["native", "server", "install"]),
    (5, &["tools"]),
    (4, &["workspace", "process"]),
    (3, &["policy"]),
    (2, &["config", "footprint", "journal", "logging"]),
    (
        1,
        &[
            "aside",
            "room",
            "cancel",
            "change",
            "file_identity",
            "hint",
            "ids",
            "json_text",
            "limits",
            "line_ends",
            "object",
            "redact",
            "relpath",
            "shell_words",
            "text",
            "tier",
        ],
    ),
];

/// Law and memory may be looked up from the same floor in one direction; everything else on a floor is a stranger.
const SIDEWAYS: &[(&str, &str)] = &[("process", "workspace")];

fn floor(module: &str) -> Option<u8> {
    FLOORS.iter().find(|(_, modules)| modules.contains(&module)).map(|(floor, _)| *floor)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The top-level modules that a source file names after `crate::`, nested braces included.
fn imports(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let code: String =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    for (position, _) in code.match_indices("crate::") {
        if code[..position]
            .ends_with(|character: char| character.is_alphanumeric() || character == '_' || character == '$')
        {
            continue;
        }
        let rest = &code[position + "crate::".len()..];
        match rest.strip_prefix('{') {
            None => {
                found.insert(name(rest));
            }
            Some(list) => {
                let mut depth = 1_usize;
                let mut at_name = true;
                for (index, character) in list.char_indices() {
                    match character {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' => at_name = depth == 1,
                        character if at_name && depth == 1 && character.is_alphabetic() => {
                            found.insert(name(&list[index..]));
                            at_name = false;
                        }
                        _ => {}
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
        }
    }
    found
}

fn name(text: &str) -> String {
    text.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
}

#[test]
fn imports_only_go_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut wrong = Vec::new();
    for file in &files {
        let relative = file.strip_prefix(&root).unwrap();
        let module = relative.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", "");
        if module == "main" || module == "lib" {
            continue;
        }
        let own = floor(&module)
            .unwrap_or_else(|| panic!("`{module}` stands on no floor: add it to FLOORS and to lib.rs"));
        for import in imports(&fs::read_to_string(file).unwrap()) {
            let Some(other) = floor(&import) else { continue };
            let allowed = import == module
                || other < own
                || (own == other && (own <= 3 || SIDEWAYS.contains(&(module.as_str(), import.as_str()))));
            if !allowed {
                wrong.push(format!(
                    "src/{}: `{module}` (floor {own}) uses `{import}` (floor {other})",
                    relative.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "imports that do not go down:\n{}", wrong.join("\n"));
}

#[test]
fn rmcp_stays_in_the_server_and_its_transport() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    for file in files {
        let relative = file.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let allowed = relative.starts_with("server/") || relative.starts_with("native/transport");
        let text = fs::read_to_string(&file).unwrap();
        let uses = text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains("rmcp::"));
        assert!(allowed || !uses, "src/{relative} uses rmcp");
    }
}

#[test]
fn the_reader_of_imports_sees_what_it_should() {
    let text = "use crate::{\n    policy::{Law, judge},\n    tools::Call,\n};\nlet x = crate::ids::new_ulid();\n// crate::cli\nmacro!($crate::native)";
    assert_eq!(imports(text), ["ids", "policy", "tools"].map(String::from).into());
}
