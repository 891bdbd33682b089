//! The names that other tools give to what a parameter of ours says, or that none of ours says. Pure.

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
    ("include", "glob"),
    ("include_pattern", "glob"),
    ("file_pattern", "glob"),
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
pub(super) const BRAKES: &[&str] = &[
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

/// Where a call ends, for a tool that takes how much: with `start_line`, and itself counted.
pub(super) const LAST_LINES: &[&str] = &["end_line", "line_end", "last_line", "to_line", "end"];

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
];

/// What to write instead of a name in snake case, if a tool with these parameters has something for it.
pub(super) fn pointer(snake: &str, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    POINTERS
        .iter()
        .find(|(names, needed, _)| names.contains(&snake) && has(needed))
        .map(|(_, _, words)| *words)
}
