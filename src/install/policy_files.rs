//! Files of policies, read as browsers read them; what cannot be read is kept as such, and never taken for nothing.
//!
//! Chromium takes every file of its folder, whatever its name, and forgives what JSON does not: comments, commas too many, a mark at the
//! beginning. Firefox takes one file, and JSON alone.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use super::{
    environment::Environment,
    error::{InstallError, shown},
    files, manifest,
    obstacle::Obstacle,
    permissions,
};

/// Words of policies that are about native hosts and extensions.
const OURS: &[&[u8]] = &[b"NativeMessaging", b"Extension", b"DeveloperTools", b"BlockAboutDebugging"];

/// What was found.
#[derive(Debug, Default)]
pub struct PolicyFiles {
    /// Those that could be read, in the order of their names.
    pub read: Vec<(PathBuf, Map<String, Value>)>,
    /// Those that could not.
    pub unread: Vec<Unread>,
}

/// One that could not be read.
#[derive(Debug)]
pub struct Unread {
    /// Where, and why not.
    pub seen: String,
    /// The browser may read more of it than we do, and it may be about us.
    pub may_count: bool,
}

impl PolicyFiles {
    /// All files of a folder of Chromium's.
    pub fn of_folder(folder: &Path) -> Self {
        let mut found = Self::default();
        let closed_above = || Obstacle::to_reaching(folder).is_some_and(|obstacle| obstacle.is_closed());
        if closed_above() || (files::is_there(folder) && !permissions::may_list(folder)) {
            found.unread.push(Unread {
                seen: format!("{}: the folder is closed to this user", shown(folder)),
                may_count: false,
            });
        }
        for file in files::entries(folder).into_iter().filter(|file| !file.is_dir()) {
            found.add(&file, |bytes| forgiven(&String::from_utf8(bytes).ok()?));
        }
        found
    }

    /// The one file of Firefox that counts: the machine's, else the one that came with the browser.
    pub fn of_firefox(environment: &Environment, names: &[&str], program: Option<&Path>) -> Self {
        let mut places: Vec<PathBuf> = names
            .iter()
            .map(|name| environment.system_path(&format!("/etc/{name}/policies/policies.json")))
            .collect();
        places.extend(program.and_then(Path::parent).map(|folder| folder.join("distribution/policies.json")));
        for library in ["/usr/lib", "/usr/lib64", "/opt"] {
            let beside = |name: &&str| {
                environment.system_path(&format!("{library}/{name}/distribution/policies.json"))
            };
            places.extend(names.iter().map(beside));
        }
        let mut found = Self::default();
        // A link that leads nowhere is no file for Firefox; what is closed to this user may be one.
        if let Some(file) =
            places.into_iter().find(|file| files::is_there(file) && file.try_exists().unwrap_or(true))
        {
            found.add(&file, |bytes| String::from_utf8(manifest::without_mark(&bytes).to_vec()).ok());
        }
        found
    }

    fn add(&mut self, file: &Path, text: impl Fn(Vec<u8>) -> Option<String>) {
        let place = shown(file);
        let bytes = match files::read_through(file) {
            Ok(bytes) => bytes,
            // What is closed to this user is closed to their browser, too.
            Err(error) => {
                let may_count = matches!(error, InstallError::NotAFile { .. });
                return self.unread.push(Unread { seen: error.to_string(), may_count });
            }
        };
        let may_count = OURS.iter().any(|word| bytes.windows(word.len()).any(|part| part == *word));
        let seen = match text(bytes).map(|text| serde_json::from_str(&text)) {
            Some(Ok(Value::Object(policies))) => return self.read.push((file.to_path_buf(), policies)),
            Some(Ok(_)) => format!("{place}: not an object"),
            Some(Err(error)) => format!("{place}: {error}"),
            None => format!("{place}: not UTF-8"),
        };
        self.unread.push(Unread { seen, may_count });
    }
}

/// What Chromium forgives, made JSON: the mark, comments, commas too many, control characters and `\x41` in texts.
fn forgiven(text: &str) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut json = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '"' => {
                json.push('"');
                copy_text(&mut rest, &mut json)?;
            }
            '/' if rest.peek() == Some(&'/') => {
                while rest.peek().is_some_and(|next| !"\r\n".contains(*next)) {
                    rest.next();
                }
            }
            '/' if rest.peek() == Some(&'*') => {
                rest.next();
                let mut before = ' ';
                while let Some(next) = rest.next().filter(|next| !(before == '*' && *next == '/')) {
                    before = next;
                }
            }
            ']' | '}' => {
                let end = json.trim_end().len();
                json.truncate(end);
                if json.ends_with(',') {
                    json.pop();
                }
                json.push(character);
            }
            '\u{b}' | '\u{c}' => json.push(' '),
            _ => json.push(character),
        }
    }
    Some(json)
}

/// To the end of a text that has begun; `None` for an escape that no text has.
fn copy_text(rest: &mut impl Iterator<Item = char>, json: &mut String) -> Option<()> {
    while let Some(character) = rest.next() {
        match character {
            '"' => {
                json.push('"');
                return Some(());
            }
            '\\' => match rest.next()? {
                'x' => {
                    let digits = [rest.next()?, rest.next()?];
                    json.push_str("\\u00");
                    json.extend(digits);
                }
                escaped => json.extend(['\\', escaped]),
            },
            control if control < ' ' => {
                let _ = write!(json, "\\u{:04x}", u32::from(control));
            }
            _ => json.push(character),
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::forgiven;

    #[test]
    fn what_is_forgiven_becomes_json() {
        for (written, meant) in [
            ("\u{feff}{}", "{}"),
            ("{\"a\": [1, 2 , ], // x\n}", "{\"a\": [1, 2 ]}"),
            ("/* , */{\"a\": \"// \\\" /* ,]\"} // \"", "{\"a\": \"// \\\" /* ,]\"} "),
            ("[\"\\x41\n\"]", "[\"\\u0041\\u000a\"]"),
            ("{} /* without an end", "{} "),
            ("/", "/"),
        ] {
            assert_eq!(forgiven(written).as_deref(), Some(meant), "{written}");
        }
        assert_eq!(forgiven("\"\\x4"), None);
    }
}
