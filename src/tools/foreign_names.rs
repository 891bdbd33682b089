//! The names that other tools give to what a parameter of ours says, or that none of ours says. Pure.

use serde_json::{Map, Value};

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
        _ if COUNTS.contains(&snake) => {
            let is_all = given.get("replace_all").is_some_and(|all| *all != false);
            !value.is_null() && (is_all || *value != 1)
        }
        "encoding" | "charset" => {
            text.is_some_and(|text| !matches!(text.as_str(), "" | "utf8" | "utf-8" | "utf_8" | "text"))
        }
        "reverse" | "revert" => !is_off && has("patch"),
        _ if FOLDERS.contains(&snake) => {
            has("patch") && text.is_some_and(|text| !matches!(text.as_str(), "" | "." | "./"))
        }
        _ => BRAKES.contains(&snake),
    }
}

/// Where a call ends, for a tool that takes how much: with `start_line`, and itself counted.
pub(super) const LAST_LINES: &[&str] = &["end_line", "line_end", "last_line", "to_line", "end"];

/// How many places an edit is meant to change.
const COUNTS: &[&str] =
    &["expected_replacements", "expected_count", "expected_occurrences", "expected_matches"];

/// Where the paths of a patch are meant to begin.
const FOLDERS: &[&str] =
    &["path", "cwd", "workdir", "working_directory", "root", "directory", "dir", "base_path"];

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
        "old_text",
        "an edit without `replace_all` fails unless there is just one place; `search_grep` counts them before",
    ),
    (&["encoding", "charset"], "content", "a file keeps its encoding, and a new one is UTF-8"),
    (FOLDERS, "patch", "the paths in a patch are relative to the workspace: write the folder into them"),
    (&["reverse", "revert"], "patch", "a patch is turned around by its `-` and `+`"),
];

/// What to write instead of a name in snake case, if a tool with these parameters has something for it.
pub(super) fn pointer(snake: &str, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    POINTERS
        .iter()
        .find(|(names, needed, _)| names.contains(&snake) && has(needed))
        .map(|(_, _, words)| *words)
}
