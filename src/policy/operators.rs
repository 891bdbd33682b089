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
    let instead = instead(argument).or_else(|| instead_within(argument))?;
    // `2>&1` is what nobody calls a title or a message.
    let any_is_value = entry.value_flags.is_empty() && !is_redirection(argument);
    // What stands behind `-c` is for a shell that the program starts.
    let is_for_shell = |flag: &str| flag.starts_with('-') && !flag.starts_with("--") && flag.ends_with('c');
    let is_value =
        flag.is_some_and(|flag| any_is_value || entry.value_flags.contains(flag) || is_for_shell(flag));
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

/// Programs behind a `|`.
const FILTERS: &[&str] = &[
    "awk", "cat", "egrep", "findstr", "grep", "head", "jq", "less", "more", "rg", "sed", "sort", "tail",
    "tee", "uniq", "wc", "xargs",
];
/// What is done behind `&&`, `||` and `;`.
const DONE_NEXT: &[&str] = &["echo", "true"];

/// Files that are written for somebody to read.
const WRITTEN: &[&str] = &[".csv", ".html", ".json", ".log", ".md", ".out", ".txt", ".xml", ".yaml", ".yml"];

/// The same of an argument in which more stands: `fails 2>&1 | tail -20`, `|tail`, `2>err.log`. Other texts have such signs as well, so
/// that this knows what people write behind them.
fn instead_within(argument: &str) -> Option<&'static str> {
    // A value behind its name, and what has quotes of its own, is a text.
    let is_text = argument.contains(['"', '\'', '`'])
        || argument
            .split(' ')
            .next()
            .is_some_and(|first| first.trim_start_matches(['>', '|', '&']).contains('='));
    if is_text || !argument.contains(['|', '>', '&', ';']) {
        return None;
    }
    let words: Vec<&str> = argument.split_ascii_whitespace().collect();
    words.iter().enumerate().find_map(|(index, word)| {
        let next = words.get(index + 1).copied();
        let is_behind = |signs: &[&str], known: &[&str]| {
            signs.iter().filter_map(|sign| word.strip_prefix(sign)).any(|glued| {
                let program = if glued.is_empty() { next } else { Some(glued) };
                program.is_some_and(|program| known.contains(&program.trim_end_matches(';')))
            })
        };
        let is_redirected = words.len() > 1 && word.len() > 2 && is_redirection(word);
        let ends =
            word.len() > 1 && word.ends_with(';') && next.is_some_and(|next| DONE_NEXT.contains(&next));
        if is_redirected || is_file(word) || is_behind(&["|", "|&"], FILTERS) {
            Some(OUTPUT)
        } else if ends || is_behind(&["&&", "||", ";"], DONE_NEXT) {
            Some(NEXT)
        } else {
            None
        }
    })
}

/// `2>err.log`, `>>out.txt`, `>logs/x`; `>2` and `>v1.2` are versions.
fn is_file(word: &str) -> bool {
    let from = word.trim_start_matches(|first: char| first.is_ascii_digit());
    let is_stream = matches!(word.len() - from.len(), 1) && word.starts_with(['1', '2']);
    let Some(to) = from.strip_prefix(">>").or_else(|| from.strip_prefix('>')) else { return false };
    let is_named =
        to.starts_with(|first: char| first.is_alphabetic() || matches!(first, '.' | '/' | '~' | '_'));
    is_named && (is_stream || to.contains('/') || WRITTEN.iter().any(|end| to.ends_with(end)))
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
    "[",
    "adb",
    "awk",
    "bc",
    "column",
    "comm",
    "concurrently",
    "csvcut",
    "csvgrep",
    "cut",
    "dc",
    "duckdb",
    "echo",
    "expr",
    "fd",
    "fdfind",
    "find",
    "fly",
    "gawk",
    "gcloud",
    "gfind",
    "ggrep",
    "gjoin",
    "gsed",
    "gsort",
    "heroku",
    "hyperfine",
    "join",
    "jq",
    "let",
    "mawk",
    "mlr",
    "multipass",
    "mysql",
    "nawk",
    "parallel",
    "paste",
    "perl",
    "printf",
    "psql",
    "qsv",
    "sed",
    "sort",
    "split",
    "sqlite",
    "sqlite3",
    "ssh",
    "test",
    "tmux",
    "tr",
    "vagrant",
    "watch",
    "xargs",
    "xsv",
    "yq",
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

    #[test]
    fn what_stands_in_an_argument_as_a_shell_reads_it_is_known() {
        for argument in [
            "fails 2>&1 | tail -20",
            "fails 2>&1",
            "2>&1 | tail",
            "| tail -20",
            "|tail",
            "x | grep -v y",
            "x && echo done",
            "x || true",
            "x; echo $?",
            "x ; echo",
            "x >/dev/null",
            ">out.txt",
            "2>err.log",
            "x >> logs/a 2>err",
            ">logs/a",
        ] {
            assert!(instead_within(argument).is_some(), "{argument}");
        }
        for argument in [
            "",
            "a | b",
            "A|B",
            "^(a|tail)$",
            "not a && b",
            "a > b",
            ">2",
            ">v1.2",
            ">=1.0",
            "x->y",
            "a => b",
            "Fix; and more",
            "Vec<u8>",
            "tail | head2",
            "src/a>b",
            "Fix crash; exit early",
            "Null is falsy; false otherwise",
            "scripts.test=tsc && echo done",
            "--command=df -h | tail -1",
            "say 'a' | tail",
            "evaluates a && false",
            "std::map<a, b>::x",
        ] {
            assert!(instead_within(argument).is_none(), "{argument}");
        }
    }
}
