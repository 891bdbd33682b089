//! Words that a shell reads, and that no program does: `|`, `2>&1`, `&&`. Pure.
//!
//! There is no shell here. A test runner that got one of them would take it for the name of a test, run none, and report that
//! nothing failed.

use crate::config::CommandEntry;

const OUTPUT: &str = "what the command writes comes back as it is, stdout and stderr together: leave this out, and what a shell would \
                      read behind it";
const NEXT: &str =
    "one call runs one command: leave this out, and make another call for what stands behind it";
const ASIDE: &str = "leave this out; `background` starts the command as a job";
const INPUT: &str =
    "standard input is closed: leave this out, and give the file as an argument where the command takes one";

/// Why an argument is refused that is an operator of a shell and nothing else; `None` where a program may mean it.
///
/// `flag`: what stands in front, where this could be its value.
pub(super) fn refusal(entry: &CommandEntry, flag: Option<&String>, argument: &str) -> Option<String> {
    let instead = instead(argument)?;
    let is_value = flag.is_some_and(|flag| entry.value_flags.is_empty() || entry.value_flags.contains(flag));
    // Of the administrator's own examples, what stands in one is meant.
    let is_shown = || entry.matches.iter().flatten().any(|example| example == argument);
    (!is_value && !takes_them(entry) && !is_shown()).then(|| format!("no shell reads it; {instead}"))
}

/// What to do instead of an operator.
fn instead(argument: &str) -> Option<&'static str> {
    match argument {
        "|" | "|&" => Some(OUTPUT),
        "&&" | "||" | ";" => Some(NEXT),
        "&" => Some(ASIDE),
        "<" | "<<" | "<<<" => Some(INPUT),
        _ => is_redirection(argument).then_some(OUTPUT),
    }
}

/// `>`, `2>&1`, `&>>`, `2>/dev/null`: with a file of its own it could be a version, as in `>2`.
fn is_redirection(argument: &str) -> bool {
    let from = argument.trim_start_matches(|first: char| first.is_ascii_digit());
    let from = from.strip_prefix('&').unwrap_or(from);
    let Some(to) = from.strip_prefix(">>").or_else(|| from.strip_prefix('>')) else { return false };
    let is_stream = |to: &str| !to.is_empty() && to.chars().all(|sign| sign.is_ascii_digit() || sign == '-');
    matches!(to, "" | "|" | "/dev/null" | "/dev/stdout" | "/dev/stderr")
        || to.strip_prefix('&').is_some_and(is_stream)
}

/// Shells, and programs that look for what they are given, under whatever other program they are started.
const ANYWHERE: &[&str] = &[
    "ack",
    "ag",
    "ash",
    "bash",
    "busybox",
    "cmd",
    "csh",
    "dash",
    "egrep",
    "fgrep",
    "fish",
    "grep",
    "ksh",
    "nu",
    "powershell",
    "pwsh",
    "rg",
    "sh",
    "tcsh",
    "ugrep",
    "zgrep",
    "zsh",
];

/// Programs to which such a sign is a separator, an operator of their own, the end of a list, or any text: names that are words
/// elsewhere.
const ALONE: &[&str] = &[
    "[", "awk", "bc", "column", "comm", "csvcut", "csvgrep", "cut", "dc", "duckdb", "echo", "expr", "fd",
    "find", "gawk", "join", "jq", "let", "mawk", "mlr", "mysql", "nawk", "parallel", "paste", "perl",
    "printf", "psql", "qsv", "sed", "sort", "split", "sqlite", "sqlite3", "ssh", "test", "tr", "watch",
    "xargs", "xsv", "yq",
];

fn takes_them(entry: &CommandEntry) -> bool {
    let stem = |name: &str| {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_lowercase();
        let stem = [".exe", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end));
        stem.unwrap_or(&name).to_owned()
    };
    let program = stem(&entry.program);
    ALONE.contains(&program.as_str())
        || std::iter::once(program)
            .chain(entry.args.iter().map(|argument| stem(argument)))
            .any(|name| ANYWHERE.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_an_operator_and_nothing_else_is_known() {
        for word in [
            "|",
            "|&",
            "||",
            "&&",
            "&",
            ";",
            "<",
            "<<<",
            ">",
            ">>",
            "2>",
            "&>",
            ">&2",
            "1>&2",
            "2>&1",
            "2>&-",
            "&>/dev/null",
            "2>/dev/null",
            ">>/dev/null",
            ">|",
        ] {
            assert!(instead(word).is_some(), "{word}");
        }
        for word in [
            "",
            "a|b",
            "|a",
            ">2",
            ">=1.0",
            "<2",
            "2",
            "->",
            "=>",
            "a > b",
            "-",
            "--",
            "&a",
            ";;",
            "$(x)",
            "/dev/null",
            "2>out",
            "not a && b",
        ] {
            assert!(instead(word).is_none(), "{word}");
        }
    }
}
