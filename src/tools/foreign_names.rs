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
    ("timeout", "wait_ms"),
    ("timeout_ms", "wait_ms"),
    ("job_id", "job"),
    ("jobid", "job"),
    ("id", "job"),
    ("bash_id", "job"),
    ("shell_id", "job"),
    ("task_id", "job"),
    ("process_id", "job"),
    ("session_id", "job"),
    ("terminal_id", "job"),
    ("last_lines", "tail"),
    ("lines", "tail"),
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
    (
        &[
            "run_in_background",
            "is_background",
            "in_background",
            "as_background",
            "run_in_bg",
            "bg",
            "detach",
            "detached",
            "async",
            "is_async",
            "run_async",
        ],
        "background",
        "true",
        Some("false"),
    ),
    (&["blocking", "is_blocking", "foreground", "in_foreground"], "background", "false", Some("true")),
];

/// Names of a time in seconds, and the parameters that say it in milliseconds.
const SECONDS: &[(&[&str], &[&str])] = &[
    (
        &["timeout_s", "timeout_sec", "timeout_secs", "timeout_seconds", "timeout_in_seconds"],
        &["timeout_ms", "wait_ms"],
    ),
    (&["wait_s", "wait_sec", "wait_secs", "wait_seconds"], &["wait_ms"]),
    (&["grace_s", "grace_sec", "grace_secs", "grace_seconds"], &["grace_ms"]),
];

/// More seconds than any of our limits has; what is beyond is no time that could be converted.
const SECONDS_MAX: f64 = 1e9;

/// The parameter in milliseconds that a name in seconds stands for, and its value.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is between nothing and a bound"
)]
fn in_milliseconds(snake: &str, value: &Value, has: impl Fn(&str) -> bool) -> Option<(&'static str, Value)> {
    let (_, meant) = SECONDS.iter().find(|(names, _)| names.contains(&snake))?;
    let parameter = meant.iter().find(|parameter| has(parameter))?;
    let seconds = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    let is_time = (0.0..=SECONDS_MAX).contains(&seconds);
    is_time.then(|| (*parameter, Value::from((seconds * 1000.0).round() as u64)))
}

/// Two hours are 7200 seconds, and hardly anybody means a command to be ended within its first ten: taking seconds for milliseconds
/// would cut off what a person has just allowed.
pub(super) fn may_be_seconds(snake: &str, value: &Value, parameter: &str) -> bool {
    snake == "timeout"
        && parameter == "timeout_ms"
        && number_meant(value).is_some_and(|number| number < 10_000)
}

/// The parameter that a switch in snake case stands for, or a time in seconds, and its value.
pub(super) fn switched(
    snake: &str,
    value: &Value,
    has: impl Fn(&str) -> bool,
) -> Option<(&'static str, Value)> {
    if let Some(time) = in_milliseconds(snake, value, &has) {
        return Some(time);
    }
    let is_on = match value {
        Value::Bool(is_on) => *is_on,
        Value::String(text) => text.trim().to_ascii_lowercase().parse().ok()?,
        _ => return None,
    };
    let (_, parameter, yes, no) =
        SWITCHES.iter().find(|(names, parameter, ..)| names.contains(&snake) && has(parameter))?;
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
    let is_nothing = is_off
        || value.as_str().is_some_and(|text| text.trim().is_empty())
        || value.as_array().is_some_and(Vec::is_empty)
        || value.as_object().is_some_and(Map::is_empty);
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
        // How long it may take, in a unit that nobody can tell.
        _ if TIMES.contains(&snake) => {
            !is_nothing && has("timeout_ms") && !given.keys().any(|name| name == "timeout_ms")
        }
        // With another environment, or without its input, a command does something else.
        _ if ENVIRONMENTS.contains(&snake) || INPUTS.contains(&snake) => !is_nothing && has("command"),
        // Who says which content is meant does not mean another one.
        _ if ETAGS.contains(&snake) => !is_nothing && !has("base_etag"),
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

/// How long a command may take.
const TIMES: &[&str] = &[
    "timeout",
    "time_limit",
    "time_out",
    "max_time",
    "max_duration",
    "max_runtime",
    "timeout_min",
    "timeout_mins",
    "timeout_minutes",
    "timeout_s",
    "timeout_sec",
    "timeout_secs",
    "timeout_seconds",
    "timeout_in_seconds",
];

/// What a command finds around it.
const ENVIRONMENTS: &[&str] =
    &["env", "envs", "environment", "env_vars", "environment_variables", "extra_env", "env_file"];

/// What a command is meant to read.
const INPUTS: &[&str] = &["stdin", "standard_input", "input", "std_in", "stdin_text", "input_text"];

/// Which content a file is meant to have before it is changed.
const ETAGS: &[&str] =
    &["base_etag", "etag", "expected_etag", "if_match", "base_hash", "expected_hash", "from_etag"];

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
    (
        TIMES,
        "timeout_ms",
        "say it by `timeout_ms`, in milliseconds (120000 are two minutes): this one may be meant in another unit",
    ),
    (
        ENVIRONMENTS,
        "command",
        "a command's environment is set where it is configured: leave this out, and give what it needs in `args`",
    ),
    (
        INPUTS,
        "command",
        "standard input is closed: leave this out, and give the command a file, or arguments that say it",
    ),
    (
        ETAGS,
        "patch",
        "the lines of a patch say what has to stand there: leave this out, or use fs_edit, fs_write or fs_delete, which take `base_etag`",
    ),
    (ETAGS, "paths", "this tool looks at no etag: leave it out, once what is there now is what is meant"),
];

/// What to write instead of a name in snake case, if a tool with these parameters has something for it.
pub(super) fn pointer(snake: &str, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    POINTERS
        .iter()
        .find(|(names, needed, _)| names.contains(&snake) && has(needed))
        .map(|(_, _, words)| *words)
}

#[cfg(test)]
mod tests;
