//! The names that other tools give to what a parameter of ours says, or that none of ours says. Pure.

use serde_json::{Map, Value};

use super::repair::{number_meant, parameters_meant, snake};

/// Names that other tools give to what a parameter of ours says; each counts only where the schema has the second and the call
/// does not give it.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("file_path", "path"),
    ("filepath", "path"),
    ("filename", "path"),
    ("file_name", "path"),
    ("file", "path"),
    ("target_file", "path"),
    ("relative_path", "path"),
    ("absolute_path", "path"),
    ("directory", "path"),
    ("dir", "path"),
    ("folder", "path"),
    ("dir_path", "path"),
    ("paths", "path"),
    ("files", "path"),
    ("file_paths", "path"),
    ("files", "paths"),
    ("file_paths", "paths"),
    ("path", "paths"),
    ("query", "pattern"),
    ("regex", "pattern"),
    ("search", "pattern"),
    ("glob", "pattern"),
    ("pattern", "glob"),
    ("include", "glob"),
    ("include_pattern", "glob"),
    ("file_pattern", "glob"),
    ("context_lines", "context"),
    ("_c", "context"),
    ("c", "context"),
    ("whole_word", "word"),
    ("word_regexp", "word"),
    ("_w", "word"),
    ("no_ignore", "include_ignored"),
    ("max_results", "limit"),
    ("max_count", "limit"),
    ("head_limit", "limit"),
    ("line_count", "limit"),
    ("offset", "start_line"),
    ("line", "start_line"),
    ("old_string", "old_text"),
    ("old_str", "old_text"),
    ("search", "old_text"),
    ("new_string", "new_text"),
    ("new_str", "new_text"),
    ("replace", "new_text"),
    ("replacement", "new_text"),
    ("contents", "content"),
    ("file_text", "content"),
    ("text", "content"),
    ("old", "old_text"),
    ("new", "new_text"),
    ("source", "from"),
    ("src", "from"),
    ("old", "from"),
    ("old_path", "from"),
    ("destination", "to"),
    ("dest", "to"),
    ("dst", "to"),
    ("new", "to"),
    ("new_path", "to"),
    ("cmd", "command"),
    ("arguments", "args"),
    ("argv", "args"),
    ("cached", "staged"),
    ("output_mode", "output"),
    ("cwd", "workdir"),
    ("working_directory", "workdir"),
    ("timeout", "timeout_ms"),
    ("commit_message", "message"),
    ("revision", "rev"),
    ("commit", "rev"),
    ("max_depth", "depth"),
    ("expected_entries", "expect_entries"),
    ("expected_count", "expect_entries"),
    ("entries", "expect_entries"),
    ("etag", "base_etag"),
    ("expected_etag", "base_etag"),
    ("if_match", "base_etag"),
    ("base_hash", "base_etag"),
    ("input", "patch"),
    ("diff", "patch"),
];

/// Parameters that would make a call harmless: leaving one of them out turns a question into a deed.
const BRAKES: &[&str] = &[
    "dry_run",
    "preview",
    "simulate",
    "check",
    "check_only",
    "confirm",
    "interactive",
    "test",
    "no_op",
    "noop",
    "what_if",
    "plan",
];

/// Names of a yes or no that a parameter of ours says with a word: the names, the parameter, what yes is, and what no is.
const SWITCHES: &[(&[&str], &str, &str, Option<&str>)] = &[
    (&["_i", "i", "ignore_case", "case_insensitive"], "case", "insensitive", Some("sensitive")),
    (&["case_sensitive"], "case", "sensitive", Some("insensitive")),
    (&["fixed_strings", "fixed_string", "_f"], "literal", "true", Some("false")),
    (&["is_regex", "use_regex", "is_regexp"], "literal", "false", Some("true")),
    (&["files_with_matches", "files_only", "_l"], "output", "files", None),
    (&["is_copy", "as_copy", "keep_source", "keep_original"], "copy", "true", Some("false")),
];

/// The parameter that a switch in snake case stands for, and its value.
pub(super) fn switched(snake: &str, value: &Value) -> Option<(&'static str, Value)> {
    let is_on = match value {
        Value::Bool(is_on) => *is_on,
        Value::String(text) => text.trim().to_ascii_lowercase().parse().ok()?,
        _ => return None,
    };
    let (_, parameter, yes, no) = SWITCHES.iter().find(|(names, ..)| names.contains(&snake))?;
    let word = if is_on { yes } else { no.as_ref()? };
    Some((parameter, word.parse().map_or_else(|_| Value::from(*word), Value::Bool)))
}

/// True for a parameter in snake case that there is not, and that must not be left out where something changes: without it, what
/// is changed would be more, or something else, or in another place.
pub(super) fn is_brake(
    snake: &str,
    value: &Value,
    given: &Map<String, Value>,
    has: impl Fn(&str) -> bool,
) -> bool {
    let is_off = value.is_null() || *value == false;
    let text = value.as_str().map(|text| text.trim().to_ascii_lowercase());
    match snake {
        // An edit without `replace_all` has just one place anyway.
        _ if COUNTS.contains(&snake) || (snake == "count" && (has("edits") || has("old_text"))) => {
            !value.is_null() && (replaces_all(given) || number_meant(value) != Some(1))
        }
        _ if ENCODINGS.contains(&snake) => {
            text.is_some_and(|text| !matches!(text.as_str(), "" | "utf8" | "utf-8" | "utf_8" | "text"))
        }
        "base64" | "is_base64" => !is_off && has("content"),
        // A part of a file would become all of it.
        _ if LINES.contains(&snake) => !is_off && has("content"),
        "operation" | "action" | "op" | "mode" => {
            has("copy") && text.is_some_and(|text| text.contains("copy"))
        }
        "reverse" | "reversed" | "revert" | "r" | "_r" => !is_off && has("patch"),
        _ if FOLDERS.contains(&snake) => {
            has("patch") && text.is_some_and(|text| !matches!(text.as_str(), "" | "." | "./"))
        }
        _ => BRAKES.contains(&snake),
    }
}

/// One of the edits of a call replaces every place, however that is spelled.
fn replaces_all(given: &Map<String, Value>) -> bool {
    let is_on = |value: &Value| {
        let is_no = value.as_str().is_some_and(|text| text.trim().eq_ignore_ascii_case("false"));
        !(value.is_null() || *value == false || is_no)
    };
    given.iter().any(|(name, value)| match value {
        Value::Array(edits) => edits.iter().filter_map(Value::as_object).any(replaces_all),
        Value::Object(edit) => replaces_all(edit),
        _ => is_on(value) && parameters_meant(&snake(name)).any(|meant| meant == "replace_all"),
    })
}

/// How the text of a call stands for bytes.
const ENCODINGS: &[&str] = &["encoding", "charset", "content_encoding", "file_encoding"];

/// Which lines of a file are meant to be written.
const LINES: &[&str] =
    &["start_line", "end_line", "line_start", "line_end", "insert_line", "line_range", "view_range"];

/// Where a call ends, for a tool that takes how much: with `start_line`, and itself counted.
pub(super) const LAST_LINES: &[&str] = &["end_line", "line_end", "last_line", "to_line", "end"];

/// How many places an edit is meant to change.
const COUNTS: &[&str] =
    &["expected_replacements", "expected_count", "expected_occurrences", "expected_matches"];

/// Where the paths of a patch are meant to begin.
const FOLDERS: &[&str] = &[
    "path",
    "cwd",
    "workdir",
    "work_dir",
    "working_directory",
    "root",
    "root_dir",
    "directory",
    "_directory",
    "dir",
    "_d",
    "subdir",
    "sub_dir",
    "subdirectory",
    "base",
    "base_dir",
    "base_path",
    "folder",
    "prefix",
    "project_root",
];

/// Names whose meaning no parameter of ours has as it is: with the parameter that a tool must have for the advice to be one.
const POINTERS: &[(&[&str], &str, &str)] = &[
    (&["head", "first_lines"], "limit", "`limit` says how many"),
    (&["tail", "last_lines"], "around_line", "a `start_line` of -10 shows the last 10 lines"),
    (
        &["view_range", "line_range", "lines", "range"],
        "start_line",
        "`start_line` and `limit` choose the lines",
    ),
    (
        LAST_LINES,
        "start_line",
        "`start_line` and `limit` choose the lines, and the last one is not before the first",
    ),
    (&["recursive", "max_levels"], "depth", "`depth` says how many levels"),
    (
        &["exclude", "excludes", "exclude_pattern", "exclude_patterns", "ignore", "ignore_patterns"],
        "glob",
        "a `glob` that begins with `!` leaves files out",
    ),
    (&["type", "file_type", "extension", "extensions"], "glob", "a `glob` such as `*.py` chooses files"),
    (&["overwrite", "append", "force"], "mode", "`mode` is `create`, `overwrite` or `append`"),
    (
        COUNTS,
        "edits",
        "an edit without `replace_all` fails unless there is just one place; `search_grep` counts them before",
    ),
    (
        COUNTS,
        "old_text",
        "an edit without `replace_all` fails unless there is just one place; `search_grep` counts them before",
    ),
    (ENCODINGS, "content", "a file keeps its encoding, and a new one is UTF-8"),
    (
        FOLDERS,
        "patch",
        "the paths in a patch are relative to the workspace: write the folder into them, and leave this out",
    ),
    (
        &["base64", "is_base64"],
        "content",
        "`content` is written as it stands; a command can write other bytes",
    ),
    (LINES, "content", "it writes the whole file; `fs_edit` changes lines"),
    (&["operation", "action", "op", "mode"], "copy", "`copy` leaves the file where it is, too"),
    (&["reverse", "reversed", "revert", "r", "_r"], "patch", "a patch is turned around by its `-` and `+`"),
];

/// What to write instead of a name in snake case, if a tool with these parameters has something for it.
pub(super) fn pointer(snake: &str, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    POINTERS
        .iter()
        .find(|(names, needed, _)| names.contains(&snake) && has(needed))
        .map(|(_, _, words)| *words)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use crate::tools::repair::repair;

    fn schema(names: &[&str]) -> Map<String, Value> {
        let properties: Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), json!({"description": "any"}))).collect();
        Map::from_iter([("properties".to_owned(), properties.into())])
    }

    #[test]
    fn a_guard_is_one_in_every_spelling() {
        let edit = json!({"properties": {"path": {}, "base_etag": {}, "edits": {"type": "array", "items": {"properties":
            {"old_text": {}, "new_text": {}, "replace_all": {"type": "boolean"}}}}}});
        let edit = edit.as_object().unwrap();
        let refused = [
            json!({"path": "f", "oldString": "a", "newString": "b", "replaceAll": true, "expectedReplacements": 1}),
            json!({"path": "f", "edits": [{"oldText": "a", "newText": "b", "replaceAll": true, "expectedReplacements": 1}]}),
            json!({"path": "f", "edits": [{"old_text": "a", "replace_all": true}], "expected_replacements": 1}),
            json!({"path": "f", "edits": [{"old_text": "a", "replace_all": true, "count": 1}]}),
            json!({"path": "f", "edits": [{"old_text": "a", "replace_all": "true", "count": "1"}]}),
            json!({"path": "f", "edits": [{"old_text": "a", "count": 2}]}),
        ];
        for given in refused {
            assert_eq!(repair(edit, &given, true), None, "{given}");
        }
        for given in [
            json!({"path": "f", "edits": [{"old_text": "a", "replaceAll": "false", "count": "1"}]}),
            json!({"path": "f", "edits": [{"old_text": "a", "replace_all": false}], "expected_replacements": 1}),
        ] {
            assert!(repair(edit, &given, true).is_some(), "{given}");
        }
        let move_one = schema(&["from", "to", "copy"]);
        let patch = schema(&["patch"]);
        let write = schema(&["path", "content", "mode"]);
        for (schema, given) in [
            (&move_one, json!({"from": "a", "to": "b", "operation": "copy"})),
            (&move_one, json!({"from": "a", "to": "b", "mode": "Copy"})),
            (&patch, json!({"patch": "p", "R": true})),
            (&patch, json!({"patch": "p", "-R": true})),
            (&patch, json!({"patch": "p", "base_dir": "d"})),
            (&patch, json!({"patch": "p", "rootDir": "d"})),
            (&patch, json!({"patch": "p", "subdir": "d"})),
            (&write, json!({"path": "f", "content": "aGk=", "is_base64": true})),
            (&write, json!({"path": "f", "content": "aGk=", "base64": true})),
            (&write, json!({"path": "f", "content": "aGk=", "contentEncoding": "base64"})),
            (&write, json!({"path": "f", "content": "x", "mode": "overwrite", "start_line": 2})),
        ] {
            assert_eq!(repair(schema, &given, true), None, "{given}");
        }
        for (schema, given) in [
            (&move_one, json!({"from": "a", "to": "b", "operation": "move"})),
            (&patch, json!({"patch": "p", "R": false, "base_dir": "."})),
            (&write, json!({"path": "f", "content": "a", "base64": false, "content_encoding": "utf-8"})),
        ] {
            assert!(repair(schema, &given, true).is_some(), "{given}");
        }
    }

    #[test]
    fn a_guard_with_another_name_is_taken_for_ours() {
        let delete = schema(&["path", "recursive", "expect_entries"]);
        for name in ["expected_entries", "expectedCount", "entries"] {
            let (meant, _) = repair(&delete, &json!({"path": "d", name: 1}), true).unwrap();
            assert_eq!(meant, json!({"path": "d", "expect_entries": 1}), "{name}");
        }
        let write = schema(&["path", "base_etag"]);
        for name in ["etag", "expected_etag", "ifMatch", "base_hash"] {
            let (meant, _) = repair(&write, &json!({"path": "f", name: "e"}), true).unwrap();
            assert_eq!(meant, json!({"path": "f", "base_etag": "e"}), "{name}");
        }
        let copy = schema(&["from", "to", "copy"]);
        for name in ["is_copy", "keepSource"] {
            let (meant, _) = repair(&copy, &json!({"from": "a", "to": "b", name: true}), true).unwrap();
            assert_eq!(meant, json!({"from": "a", "to": "b", "copy": true}), "{name}");
        }
    }
}
