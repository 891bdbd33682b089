//! Reads a manifest as the browser would and says everything that is wrong with it, without starting anything.
//!
//! The rules are the browsers' own, as measured: Firefox refuses a manifest with a sixth key, Chromium one whose origin
//! lacks the final slash. What this finds right can still fail; only the doctor's probe proves the link.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{
    browsers::Family,
    check::{Check, Verdict},
    environment::{Environment, quoted},
    error::shown,
    files::{self, Existing},
    ids::{Ids, is_chromium_origin, is_firefox_id},
    manifest,
    permissions::{self, OtherWriter},
    target::Target,
};
use crate::text;

/// How much of a foreign value is shown.
const SEEN_BYTES: usize = 200;

/// What was found.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The manifest.
    pub manifest: PathBuf,
    /// The checks that could be made, in order.
    pub checks: Vec<Check>,
    /// The manifest's `path`, as it is written there.
    pub program: Option<PathBuf>,
}

impl Inspection {
    /// The first check with this verdict whose id begins so.
    pub fn first(&self, verdict: Verdict, prefix: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.verdict == verdict && check.id.starts_with(prefix))
    }

    /// True when nothing is known that would keep the browser from starting the host.
    pub fn is_startable(&self) -> bool {
        self.program.is_some()
            && self
                .checks
                .iter()
                .all(|check| check.verdict != Verdict::Problem || check.id == "binary.folder")
    }
}

/// Inspects one target.
pub fn inspect(environment: &Environment, ids: &Ids, target: &Target) -> Inspection {
    let manifest = target.manifest(&ids.file_name());
    let reinstall = format!("{} install {}", environment.command(), target.flags);
    let inspector = Inspector { environment, ids, target, reinstall };
    let mut inspection = Inspection { manifest, checks: Vec::new(), program: None };
    if let Some(object) = inspector.read(&mut inspection) {
        let missing = inspector.missing_keys(&object);
        if missing.is_empty() {
            inspector.check_values(&object, &mut inspection.checks);
            inspection.program = inspector.check_path(&object, &mut inspection.checks);
        } else {
            inspection.checks.push(inspector.keys_are_missing(&missing));
        }
    }
    if let Some(program) = &inspection.program {
        inspector.check_program(program, &mut inspection.checks);
    }
    inspection
}

struct Inspector<'a> {
    environment: &'a Environment,
    ids: &'a Ids,
    target: &'a Target,
    reinstall: String,
}

impl Inspector<'_> {
    fn problem(&self, id: &'static str, message: impl Into<String>) -> Check {
        Check::problem(id, message).fix(self.reinstall.as_str())
    }

    /// The manifest's object, if there is one.
    fn read(&self, inspection: &mut Inspection) -> Option<Map<String, Value>> {
        let Inspection { manifest, checks, .. } = inspection;
        let place = shown(manifest);
        match files::look(manifest) {
            Ok(Existing::Absent) => {
                let message = "there is no manifest of outrigger, so the browser cannot start it";
                checks.push(self.problem("manifest.present", message).seen(format!("missing: {place}")));
                return None;
            }
            // What cannot be looked at is there; reading it says why not.
            Ok(_) | Err(_) => checks.push(Check::ok("manifest.present", format!("the manifest is {place}"))),
        }
        let bytes = match files::read_through(manifest) {
            Ok(bytes) => bytes,
            Err(error) => {
                let check = Check::problem(
                    "manifest.readable",
                    "the manifest cannot be read, so the browser ignores it",
                );
                // Something is there and yet not found: a link that leads nowhere, which installing replaces.
                let fix = if error.is_not_found() { self.reinstall.clone() } else { error.help() };
                checks.push(check.seen(error.to_string()).fix(fix));
                return None;
            }
        };
        checks.push(Check::ok("manifest.readable", "the manifest can be read"));
        // Both browsers accept a byte order mark.
        let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        match serde_json::from_slice::<Map<String, Value>>(body) {
            Ok(object) => {
                checks.push(Check::ok("manifest.json", "the manifest is a JSON object"));
                Some(object)
            }
            Err(error) => {
                let check = self
                    .problem("manifest.json", "the manifest is not a JSON object, so the browser ignores it");
                checks.push(check.seen(format!("{place}: {error}")));
                None
            }
        }
    }

    fn check_values(&self, object: &Map<String, Value>, checks: &mut Vec<Check>) {
        checks.push(self.keys(object));
        checks.push(match object.get("name").and_then(Value::as_str) {
            Some(name) if name == self.ids.host_name => {
                Check::ok("manifest.name", "`name` is the file's name")
            }
            _ => self
                .problem("manifest.name", format!("`name` must be `{}`, like the file", self.ids.host_name))
                .seen(value_of(object, "name")),
        });
        checks.push(match object.get("description").and_then(Value::as_str) {
            Some(description) if !description.is_empty() => {
                Check::ok("manifest.description", "`description` is there")
            }
            _ => self
                .problem("manifest.description", "`description` must be a text that is not empty")
                .seen(value_of(object, "description")),
        });
        checks.push(match object.get("type").and_then(Value::as_str) {
            Some("stdio") => Check::ok("manifest.type", "`type` is `stdio`"),
            _ => self.problem("manifest.type", "`type` must be `stdio`").seen(value_of(object, "type")),
        });
        checks.push(self.allowed(object));
    }

    fn expected_keys(&self) -> [&'static str; 5] {
        ["name", "description", "path", "type", manifest::allowed_key(self.target.family)]
    }

    fn missing_keys(&self, object: &Map<String, Value>) -> Vec<&'static str> {
        self.expected_keys().into_iter().filter(|key| !object.contains_key(*key)).collect()
    }

    fn keys_are_missing(&self, missing: &[&str]) -> Check {
        let message = "keys are missing, so the browser refuses the manifest";
        self.problem("manifest.keys", message).seen(format!("missing: {}", listed(missing)))
    }

    /// No key beside the five of the family: Firefox refuses the file for it.
    fn keys(&self, object: &Map<String, Value>) -> Check {
        let expected = self.expected_keys();
        let further: Vec<&str> =
            object.keys().map(String::as_str).filter(|key| !expected.contains(key)).collect();
        if further.is_empty() {
            return Check::ok("manifest.keys", "exactly the five keys of its family");
        }
        let seen = format!("further: {}", listed(&further));
        match self.target.family {
            Family::Firefox => {
                let message = "Firefox refuses a manifest that has any key beside its five";
                self.problem("manifest.keys", message).seen(seen)
            }
            Family::Chromium => {
                Check::warning("manifest.keys", "keys that the browser does not know; it ignores them")
                    .seen(seen)
                    .fix(self.reinstall.as_str())
            }
        }
    }

    fn allowed(&self, object: &Map<String, Value>) -> Check {
        const ID: &str = "manifest.allowed";
        let key = manifest::allowed_key(self.target.family);
        let Some(entries) = object.get(key).and_then(Value::as_array) else {
            return self
                .problem(ID, format!("`{key}` must be a list of extensions"))
                .seen(value_of(object, key));
        };
        let well_formed = |entry: &Value| {
            entry.as_str().is_some_and(|text| match self.target.family {
                Family::Chromium => is_chromium_origin(text),
                Family::Firefox => is_firefox_id(text),
            })
        };
        if let Some(wrong) = entries.iter().find(|entry| !well_formed(entry)) {
            let message = match self.target.family {
                Family::Chromium => {
                    "one wrong entry makes the browser refuse the whole manifest: `chrome-extension://`, 32 letters from a \
                     to p, and a final slash are needed, without wildcards"
                }
                Family::Firefox => {
                    "one wrong entry makes Firefox refuse the whole manifest: it takes add-on ids only"
                }
            };
            return self.problem(ID, message).seen(visible(&wrong.to_string()));
        }
        let own = self.ids.extension(self.target.family).to_string();
        if !entries.iter().any(|entry| entry.as_str() == Some(&own)) {
            let message = format!(
                "outrigger's own extension, `{own}`, is not in `{key}`, so it may not start the host"
            );
            return self.problem(ID, message).seen(value_of(object, key));
        }
        Check::ok(ID, format!("`{key}` lists outrigger's extension"))
    }

    /// The program that the browser would start.
    fn check_path(&self, object: &Map<String, Value>, checks: &mut Vec<Check>) -> Option<PathBuf> {
        let path =
            object.get("path").and_then(Value::as_str).map(Path::new).filter(|path| path.is_absolute());
        checks.push(if path.is_some() {
            Check::ok("manifest.path", "`path` is absolute")
        } else {
            self.problem("manifest.path", "`path` must be an absolute path").seen(value_of(object, "path"))
        });
        path.map(Path::to_path_buf)
    }

    fn check_program(&self, program: &Path, checks: &mut Vec<Check>) {
        let place = shown(program);
        let real = match files::canonical(program) {
            Ok(real) => real,
            Err(error) => {
                let message = format!("`{place}`, which the manifest names, cannot be found");
                checks.push(self.problem("binary.exists", message).seen(error.to_string()));
                return;
            }
        };
        checks.push(Check::ok("binary.exists", format!("`{place}` is there")));
        if !real.is_file() {
            let message = format!("`{place}`, which the manifest names, is not a file");
            let kind = if real.is_dir() { "it is a folder" } else { "it is a pipe, a socket or a device" };
            checks.push(self.problem("binary.regular", message).seen(kind));
            return;
        }
        checks.push(Check::ok("binary.regular", "it is a file"));
        if !permissions::may_execute(&real) {
            let message = format!("`{place}` may not be executed");
            let check = Check::problem("binary.executable", message)
                .seen("no execute permission for this user, or a disk mounted with `noexec`")
                .fix(format!("chmod +x {}", quoted(&real.to_string_lossy())));
            checks.push(check);
            return;
        }
        checks.push(Check::ok("binary.executable", "it may be executed"));
        let ours = files::canonical(&self.environment.binary).ok();
        checks.push(if ours.as_ref() == Some(&real) {
            Check::ok("binary.same", "it is this very binary")
        } else {
            Check::warning(
                "binary.same",
                format!(
                    "the manifest names another binary than this one, `{}`",
                    shown(&self.environment.binary)
                ),
            )
            .seen(shown(&real))
            .fix(self.reinstall.as_str())
        });
        checks.push(folder_check(&real));
    }
}

/// Whoever may write the binary or a folder above it decides what the browser starts.
fn folder_check(real: &Path) -> Check {
    for path in real.ancestors() {
        let writer = match permissions::other_writer(path) {
            Ok(None) => continue,
            Ok(Some(writer)) => writer,
            Err(error) => {
                return Check::warning(
                    "binary.folder",
                    format!("the owner of `{}` cannot be found out", shown(path)),
                )
                .seen(error.to_string());
            }
        };
        let place = quoted(&path.to_string_lossy());
        let seen = shown(path);
        return match writer {
            OtherWriter::Everyone => Check::problem(
                "binary.folder",
                "every user of this machine may replace the program that the browser starts",
            )
            .seen(format!("writable for everyone: {seen}"))
            .fix(format!("chmod o-w {place}")),
            OtherWriter::Owner(owner) => Check::problem(
                "binary.folder",
                "another user may replace the program that the browser starts",
            )
            .seen(format!("owned by user {owner}: {seen}"))
            .fix("move the binary to a folder of your own, then install again"),
            OtherWriter::Group(group) => Check::warning(
                "binary.folder",
                "members of a group may replace the program that the browser starts",
            )
            .seen(format!("writable for group {group}: {seen}"))
            .fix(format!("chmod g-w {place}")),
        };
    }
    Check::ok("binary.folder", "nobody else may replace it")
}

fn listed(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{}`", visible(key))).collect::<Vec<_>>().join(", ")
}

/// A value as it stands in the manifest.
fn value_of(object: &Map<String, Value>, key: &str) -> String {
    match object.get(key) {
        Some(value) => visible(&format!("{key}: {value}")),
        None => format!("{key} is missing"),
    }
}

/// Foreign text for people: harmless and short.
fn visible(foreign: &str) -> String {
    let cut = text::prefix(foreign, SEEN_BYTES);
    let more = if cut.len() < foreign.len() { "…" } else { "" };
    format!("{}{more}", text::visible(cut))
}
