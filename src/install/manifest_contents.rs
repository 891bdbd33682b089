//! What a manifest says, by the browsers' own rules as measured: five keys, well-formed extensions, an absolute path.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{
    browsers::Family,
    check::Check,
    error::shown,
    files,
    ids::{is_chromium_origin, is_firefox_id},
    inspect::Inspector,
    manifest, way,
};
use crate::{shell_words::moved_aside, text};

/// How much of a foreign value is shown.
const SEEN_BYTES: usize = 200;

/// Says all that is wrong with what a manifest says; the program that it names, where that can be one.
pub(super) fn check(
    inspector: &Inspector<'_>,
    object: &Map<String, Value>,
    checks: &mut Vec<Check>,
) -> Option<PathBuf> {
    let missing = missing_keys(inspector, object);
    if missing.is_empty() {
        check_values(inspector, object, checks);
        return check_path(inspector, object, checks);
    }
    let check = other_family(inspector, object).unwrap_or_else(|| keys_are_missing(inspector, &missing));
    checks.push(check);
    None
}

fn check_values(inspector: &Inspector<'_>, object: &Map<String, Value>, checks: &mut Vec<Check>) {
    checks.push(keys(inspector, object));
    checks.push(match object.get("name").and_then(Value::as_str) {
        Some(name) if name == inspector.ids.host_name => {
            Check::ok("manifest.name", "`name` is the file's name")
        }
        _ => inspector
            .problem("manifest.name", format!("`name` must be `{}`, like the file", inspector.ids.host_name))
            .seen(value_of(object, "name")),
    });
    checks.push(match object.get("description").and_then(Value::as_str) {
        Some(description) if !description.is_empty() => {
            Check::ok("manifest.description", "`description` is there")
        }
        _ => inspector
            .problem("manifest.description", "`description` must be a text that is not empty")
            .seen(value_of(object, "description")),
    });
    checks.push(match object.get("type").and_then(Value::as_str) {
        Some("stdio") => Check::ok("manifest.type", "`type` is `stdio`"),
        _ => inspector.problem("manifest.type", "`type` must be `stdio`").seen(value_of(object, "type")),
    });
    checks.push(allowed(inspector, object));
}

fn expected_keys(inspector: &Inspector<'_>) -> [&'static str; 5] {
    ["name", "description", "path", "type", manifest::allowed_key(inspector.target.family)]
}

fn missing_keys(inspector: &Inspector<'_>, object: &Map<String, Value>) -> Vec<&'static str> {
    expected_keys(inspector).into_iter().filter(|key| !object.contains_key(*key)).collect()
}

fn keys_are_missing(inspector: &Inspector<'_>, missing: &[&str]) -> Check {
    let message = "keys are missing, so the browser refuses the manifest";
    inspector.problem("manifest.keys", message).seen(format!("missing: {}", listed(missing)))
}

/// The folder is a link to one of the other family, whose manifests are there.
fn other_family(inspector: &Inspector<'_>, object: &Map<String, Value>) -> Option<Check> {
    let other = match inspector.target.family {
        Family::Chromium => Family::Firefox,
        Family::Firefox => Family::Chromium,
    };
    let to = files::link_of(&inspector.target.folder)
        .filter(|_| object.contains_key(manifest::allowed_key(other)))?;
    let message = "the folder of manifests is another browser's, and one file cannot serve both";
    let check = Check::problem("manifest.keys", message).seen(format!(
        "{} is a link to {}",
        shown(&inspector.target.folder),
        shown(&to)
    ));
    Some(check.fix(format!("{} && {}", moved_aside(&inspector.target.folder), inspector.reinstall)))
}

/// No key beside the five of the family: Firefox refuses the file for it.
fn keys(inspector: &Inspector<'_>, object: &Map<String, Value>) -> Check {
    let expected = expected_keys(inspector);
    let further: Vec<&str> =
        object.keys().map(String::as_str).filter(|key| !expected.contains(key)).collect();
    if further.is_empty() {
        return Check::ok("manifest.keys", "exactly the five keys of its family");
    }
    let seen = format!("further: {}", listed(&further));
    match inspector.target.family {
        Family::Firefox => {
            let message = "Firefox refuses a manifest that has any key beside its five";
            inspector.problem("manifest.keys", message).seen(seen)
        }
        Family::Chromium => {
            let message = "keys that the browser does not know; it ignores them";
            inspector.mended(Check::warning("manifest.keys", message).seen(seen))
        }
    }
}

fn allowed(inspector: &Inspector<'_>, object: &Map<String, Value>) -> Check {
    const ID: &str = "manifest.allowed";
    let key = manifest::allowed_key(inspector.target.family);
    let Some(entries) = object.get(key).and_then(Value::as_array) else {
        return inspector
            .problem(ID, format!("`{key}` must be a list of extensions"))
            .seen(value_of(object, key));
    };
    let well_formed = |entry: &Value| {
        entry.as_str().is_some_and(|text| match inspector.target.family {
            Family::Chromium => is_chromium_origin(text),
            Family::Firefox => is_firefox_id(text),
        })
    };
    if let Some(wrong) = entries.iter().find(|entry| !well_formed(entry)) {
        let message = match inspector.target.family {
            Family::Chromium => {
                "one wrong entry makes the browser refuse the whole manifest: `chrome-extension://`, 32 letters from a \
                 to p, and a final slash are needed, without wildcards"
            }
            Family::Firefox => {
                "one wrong entry makes Firefox refuse the whole manifest: it takes add-on ids only"
            }
        };
        return inspector.problem(ID, message).seen(visible(&wrong.to_string()));
    }
    let own = inspector.ids.extension(inspector.target.family).to_string();
    if !entries.iter().any(|entry| entry.as_str() == Some(&own)) {
        let message =
            format!("outrigger's own extension, `{own}`, is not in `{key}`, so it may not start the host");
        return inspector.problem(ID, message).seen(value_of(object, key));
    }
    Check::ok(ID, format!("`{key}` lists outrigger's extension"))
}

/// The program that the browser would start.
fn check_path(
    inspector: &Inspector<'_>,
    object: &Map<String, Value>,
    checks: &mut Vec<Check>,
) -> Option<PathBuf> {
    const ID: &str = "manifest.path";
    let path = object.get("path").and_then(Value::as_str).map(Path::new).filter(|path| path.is_absolute());
    let is_of_a_process = path.is_some_and(way::is_of_a_process);
    if path.is_some() && !is_of_a_process {
        checks.push(Check::ok(ID, "`path` is absolute"));
        return path.map(Path::to_path_buf);
    }
    let message = if is_of_a_process {
        "`path` leads through `/proc`, where a browser finds another program than the doctor does"
    } else {
        "`path` must be an absolute path"
    };
    checks.push(inspector.problem(ID, message).seen(value_of(object, "path")));
    None
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
    text::excerpt(foreign, SEEN_BYTES)
}
