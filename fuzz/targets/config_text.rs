//! Configuration text in both languages: every text is taken or refused in words with a place in the file; what TOML says is never
//! read as something else in YAML.

use std::path::PathBuf;

use arbitrary::Arbitrary;
use outrigger::config::{Language, Source, parse};

#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Table {
    Files,
    Tools,
    Exec,
    Mcp,
    Redact,
    Journal,
    Log,
    Panel,
    Other,
}

#[derive(Arbitrary, Clone, Debug)]
pub enum Value {
    Yes(bool),
    Number(i32),
    Text(String),
    List(Vec<String>),
}

#[derive(Arbitrary, Debug)]
pub enum Input {
    Toml(String),
    Yaml(String),
    /// The same settings, written in both.
    Both(Vec<(Table, u8, Value)>),
}

const TABLES: [(&str, &[&str]); 9] = [
    ("files", &["blocked", "protected"]),
    ("tools", &["profile"]),
    ("exec", &["enabled", "defaults", "path", "sandbox"]),
    ("mcp", &["approvals"]),
    ("redact", &["enabled", "patterns"]),
    ("journal", &["max_mib", "max_days"]),
    ("log", &["level"]),
    ("panel", &["add_workspace"]),
    ("other", &["x"]),
];

fn verdict(text: &str, language: Language) -> Result<String, String> {
    let source = Source { path: PathBuf::from("/config/file"), text: text.into() };
    match parse(source, language, &["fs_read", "fs_write"]) {
        Ok(config) => Ok(format!("{:?} {:?} {:?}", config.exec.enabled, config.exec.sandbox, config.profile)),
        Err(error) => {
            assert!(!error.message.is_empty());
            Err(error.message)
        }
    }
}

/// One run.
pub fn run(input: Input) {
    match input {
        Input::Toml(text) => drop(verdict(&text, Language::Toml)),
        Input::Yaml(text) => drop(verdict(&text, Language::Yaml)),
        Input::Both(settings) => {
            let (mut toml, mut yaml) = ("version = 1\n".to_owned(), "version: 1\n".to_owned());
            let mut seen = std::collections::HashSet::new();
            for (table, key, value) in settings.into_iter().take(6) {
                let (name, keys) = TABLES[table as usize];
                if !seen.insert(name) {
                    continue;
                }
                let key = keys[usize::from(key) % keys.len()];
                // JSON's way of writing a value is understood by both.
                let value = match value {
                    Value::Yes(yes) => serde_json::json!(yes),
                    Value::Number(number) => serde_json::json!(number),
                    Value::Text(text) if text.chars().any(unlike) => continue,
                    Value::Text(text) => serde_json::json!(text),
                    Value::List(list) if list.iter().any(|text| text.chars().any(unlike)) => continue,
                    Value::List(list) => serde_json::json!(list),
                };
                toml.push_str(&format!("[{name}]\n{key} = {value}\n"));
                yaml.push_str(&format!("{name}:\n  {key}: {value}\n"));
            }
            let (left, right) = (verdict(&toml, Language::Toml), verdict(&yaml, Language::Yaml));
            assert_eq!(left.is_ok(), right.is_ok(), "{toml}\n{yaml}\n{left:?}\n{right:?}");
            if left.is_ok() {
                assert_eq!(left, right);
            }
        }
    }
}

/// JSON, TOML and YAML do not agree which of these may stand in quotes.
fn unlike(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{85}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}
