//! The argument rules of one allowlist entry: which tokens pass, and which pieces of them could be paths.
//!
//! Exact tokens only. A program may read `-xvf`, `--ex` or `-pname` as several or other flags than the ones that are written;
//! what is not listed as it stands is refused, so that no rule depends on how a program parses.

use std::collections::HashSet;

use super::{expand, operators};
use crate::{
    config::{CommandEntry, Positional},
    hint::nearest,
    limits::{EXEC_ARG_BYTES, EXEC_ARGS, EXEC_BRACES, EXEC_PIECES},
};

/// Which arguments a command takes, in words.
pub fn rules_in_words(entry: &CommandEntry) -> String {
    let flags = match (&entry.allow_flags, &entry.deny_flags) {
        (Some(allowed), _) if allowed.is_empty() => "no flags".to_owned(),
        (Some(allowed), _) => format!("only the flags {}", allowed.join(" ")),
        (None, Some(denied)) if !denied.is_empty() => format!("any flag but {}", denied.join(" ")),
        (None, Some(_)) => "any flag".to_owned(),
        (None, None) => "no flags".to_owned(),
    };
    let positional = match entry.positional {
        Positional::None => "nothing else",
        Positional::PathInWorkspace => "paths in the workspace",
        Positional::Any => "anything else, paths only in the workspace",
    };
    format!("at most {} arguments: {flags}; {positional}", entry.max_args)
}

/// A piece of an argument that a program could take for a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The index of the argument it belongs to.
    pub argument: usize,
    /// What would be opened, from the working folder.
    pub text: String,
    /// The entry only takes paths here.
    pub must_be_path: bool,
}

/// An argument that is refused.
#[derive(Debug)]
pub(super) struct Fault<'a> {
    pub argument: &'a String,
    pub reason: String,
}

/// Judges the tokens; the pieces that come back have to be resolved before the command is allowed.
pub(super) fn judge<'a>(entry: &CommandEntry, args: &'a [String]) -> Result<Vec<Piece>, Fault<'a>> {
    let mut pieces = Vec::new();
    let mut read = 0;
    // The flag in front, as far as what stands behind it could be meant as its value.
    let mut flag: Option<&String> = None;
    for (index, argument) in args.iter().enumerate() {
        let fail = |reason| Fault { argument, reason };
        let is_flag = argument.len() > 1 && argument.starts_with('-');
        let mut must_be_path = false;
        if let Some(reason) = operators::refusal(entry, flag, argument) {
            return Err(fail(reason));
        }
        if is_flag {
            // Also behind `--`: npm, cargo and go hand what follows it to another program, which reads flags again.
            judge_flag(entry, argument).map_err(fail)?;
        } else if !flag.is_some_and(|flag| entry.value_flags.contains(flag)) {
            must_be_path = judge_positional(entry, argument)
                .map_err(|reason| fail(format!("{reason}{}", unlisted(flag))))?;
        }
        if !is_flag && argument.len() > 1 && argument.starts_with('@') && reads_argument_files(entry) {
            return Err(fail(file_with_arguments(argument)));
        }
        flag = Some(argument).filter(|_| is_flag && argument != "--" && !argument.contains('='));
        let value = if is_flag { flag_value(argument) } else { argument };
        let Some(words) = expand::words(value, EXEC_BRACES) else {
            return Err(fail(format!(
                "its braces stand for more than {EXEC_BRACES} words, or cannot be told"
            )));
        };
        let found = pieces_of(value).into_iter();
        let meant = words.iter().flat_map(|word| pieces_of(word)).map(|(text, _)| (text, false));
        // The value itself comes first, so that what has to be a path is not taken for a mere part of it.
        let mut known = HashSet::new();
        for (text, whole) in found.chain(meant) {
            read += 1;
            if read > PIECES_READ {
                return Err(fail(too_many_pieces()));
            }
            if !known.insert(text) {
                continue;
            }
            if text.starts_with('~') {
                return Err(fail("`~` is a home folder, which is outside the workspace".to_owned()));
            }
            if pieces.len() == EXEC_PIECES {
                return Err(fail(too_many_pieces()));
            }
            pieces.push(Piece {
                argument: index,
                text: text.to_owned(),
                must_be_path: must_be_path && whole,
            });
        }
    }
    Ok(pieces)
}

/// As many as the arguments could have without braces, equal ones counted each: reading them takes time, too.
const PIECES_READ: usize = EXEC_ARGS * EXEC_ARG_BYTES;

fn too_many_pieces() -> String {
    format!(
        "what its braces, blanks, commas and the like leave, with those of the arguments before it, could be more than {EXEC_PIECES} \
         paths; give fewer arguments, or shorter ones"
    )
}

fn judge_flag(entry: &CommandEntry, token: &str) -> Result<(), String> {
    let (name, value) = token.split_once('=').map_or((token, ""), |(name, value)| (name, value));
    match (&entry.allow_flags, &entry.deny_flags) {
        (allowed, None) => {
            let allowed = allowed.as_deref().unwrap_or_default();
            if allowed.iter().any(|flag| flag == token) {
                return Ok(());
            }
            if allowed.iter().any(|flag| flag == name) {
                return judge_value(entry, name, value);
            }
            Err(not_listed(token, name, allowed))
        }
        (_, Some(denied)) => {
            if let Some(flag) = denied.iter().find(|flag| could_mean(name, flag)) {
                return Err(if flag == name {
                    format!("the flag `{flag}` is refused by `deny_flags`")
                } else {
                    format!("it could be read as `{flag}`, which `deny_flags` refuses")
                });
            }
            if is_combined(name) {
                return Err("short flags are given one by one, their values apart".to_owned());
            }
            judge_value(entry, name, value)
        }
    }
}

/// Judges what stands behind `=`: programs that read `-x=pname` as `-x -p name` (argparse), or `--flag=--other` as
/// `--flag --other` (npm), would find flags there that nobody has judged.
fn judge_value(entry: &CommandEntry, name: &str, value: &str) -> Result<(), String> {
    let is_number = value.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit());
    if value.is_empty() || is_number {
        return Ok(());
    }
    let is_letter = !name.starts_with("--") && name.chars().count() == 2;
    let shown = format!("{name}=");
    let takes_value = || {
        let mut examples = entry.matches.iter().flatten();
        entry.value_flags.iter().any(|flag| flag == name)
            || examples.any(|argument| argument.starts_with(&shown))
    };
    if is_letter && !takes_value() {
        return Err(format!(
            "it could be read as several short flags, and `value_flags` does not list `{name}`"
        ));
    }
    if value.starts_with('-') && value.len() > 1 {
        return judge_flag(entry, value)
            .map_err(|reason| format!("what stands behind `=` could be read as a flag: {reason}"));
    }
    Ok(())
}

fn not_listed(token: &str, name: &str, allowed: &[String]) -> String {
    if allowed.is_empty() {
        return "it takes no flags".to_owned();
    }
    let is_short =
        |flag: &String| flag.len() == 2 && flag.starts_with('-') && token.starts_with(flag.as_str());
    if is_combined(token) && allowed.iter().any(is_short) {
        return "short flags are given one by one, their values apart".to_owned();
    }
    match nearest(name, allowed.iter().map(String::as_str)) {
        Some(near) if near != name => format!("the flag is not in `allow_flags` (did you mean `{near}`?)"),
        _ => "the flag is not in `allow_flags`".to_owned(),
    }
}

/// More than one letter behind a single dash.
fn is_combined(name: &str) -> bool {
    !name.starts_with("--") && name.chars().count() > 2
}

/// `given` is `denied`, or some program could take it for that: shortened, with one dash for two, with a value stuck to it.
fn could_mean(given: &str, denied: &str) -> bool {
    let (given_name, denied_name) = (given.trim_start_matches('-'), denied.trim_start_matches('-'));
    if given_name.is_empty() || denied_name.is_empty() {
        return given == denied;
    }
    let same = given_name.to_lowercase() == denied_name.to_lowercase()
        && (given_name == denied_name || denied_name.len() > 1);
    let shortened = given.starts_with("--") && denied_name.starts_with(given_name);
    let is_short = denied_name.chars().count() == 1 && !denied.starts_with("--");
    let combined = is_short && is_combined(given) && given_name.contains(denied_name);
    same || shortened || combined
}

/// Whether a token that is no flag may stand there; true when it has to be a path.
fn judge_positional(entry: &CommandEntry, argument: &str) -> Result<bool, String> {
    match entry.positional {
        Positional::None => Err("only flags are allowed (`positional = \"none\"`)".to_owned()),
        Positional::PathInWorkspace if argument.is_empty() => Err("it is empty".to_owned()),
        Positional::PathInWorkspace if argument == "-" => {
            Err("it stands for standard input, which is closed".to_owned())
        }
        Positional::PathInWorkspace if argument.starts_with('@') && !entry.argument_files => {
            Err(file_with_arguments(argument))
        }
        Positional::PathInWorkspace => Ok(true),
        Positional::Any => Ok(false),
    }
}

/// Why a word was judged that could be meant as the value of the flag in front.
fn unlisted(flag: Option<&String>) -> String {
    flag.map(|flag| format!(", and `value_flags` does not list `{flag}`")).unwrap_or_default()
}

/// Flags that nobody has judged.
fn file_with_arguments(argument: &str) -> String {
    format!("it could be read as a file with more arguments; `./{argument}` is only a path")
}

/// Programs that take `@file` for more arguments, wherever it stands: compilers and what belongs to them, test runners, linters.
const READERS: &[&str] = &[
    "buck",
    "buck2",
    "c++",
    "c89",
    "c99",
    "cargo",
    "cc",
    "checkstyle",
    "clang",
    "clang++",
    "clippy",
    "cpp",
    "csc",
    "dart2js",
    "detekt",
    "dmypy",
    "dotnet",
    "emcc",
    "exiftool",
    "fpc",
    "fsc",
    "fsi",
    "g++",
    "gcc",
    "gfortran",
    "ghc",
    "google",
    "groovyc",
    "icc",
    "icpx",
    "icx",
    "ilasm",
    "jar",
    "java",
    "javac",
    "javadoc",
    "jdeps",
    "jlink",
    "jmod",
    "jpackage",
    "kotlin",
    "kotlinc",
    "lld",
    "llc",
    "llvm",
    "mcs",
    "msbuild",
    "mypy",
    "nm",
    "nmake",
    "objcopy",
    "objdump",
    "protoc",
    "py.test",
    "pytest",
    "ranlib",
    "readelf",
    "ruff",
    "rustc",
    "rustdoc",
    "scala",
    "scalac",
    "strip",
    "stubgen",
    "swift",
    "swiftc",
    "tsc",
    "vbc",
    "vstest",
    "windres",
    "xbuild",
    "zig",
];
/// The same of names that are words elsewhere.
const READERS_ALONE: &[&str] = &["ar", "as", "cl", "ld", "lib", "link", "strings"];

/// Whether what runs is such a program, or hands its arguments to one: `python -m pytest`, `npx tsc`.
fn reads_argument_files(entry: &CommandEntry) -> bool {
    let words = |name: &str| -> Vec<String> {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_lowercase();
        let stem = [".exe", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
        // `x86_64-linux-gnu-gcc-12`, `clang-format`.
        stem.split('-').map(str::to_owned).chain([stem.to_owned()]).collect()
    };
    let is_one = |known: &[&str], name: &str| words(name).iter().any(|word| known.contains(&word.as_str()));
    !entry.argument_files
        && (is_one(READERS_ALONE, &entry.program)
            || is_one(READERS, &entry.program)
            || entry.args.iter().any(|arg| is_one(READERS, arg)))
}

/// Programs that start what they are told in the nearest folder above that is a package.
const RUN_IN_PACKAGE: &[&str] = &["bun", "npm", "pnpm", "yarn", "yarnpkg"];

/// Whether what its arguments name may be looked for in a folder above its working folder.
pub(super) fn may_run_above(entry: &CommandEntry) -> bool {
    let name = entry.program.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    let stem = [".exe", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    RUN_IN_PACKAGE.contains(&stem)
}

/// What a program could open of a flag: what stands behind its first `=`, or behind `-I` in `-I/etc` where that is listed.
fn flag_value(flag: &str) -> &str {
    match flag.split_once('=') {
        Some((_, value)) => value,
        None if flag.contains(['/', '\\', '~']) || flag.contains("..") => flag.get(2..).unwrap_or_default(),
        None => "",
    }
}

/// A value as a whole, and each part of it that a program could cut out and open: `@file`, `name=file`, `a:b`, `a,b`.
fn pieces_of(value: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    if !value.is_empty() {
        found.push((value, true));
    }
    let cut = |character: char| {
        matches!(character, '=' | ':' | ',' | ';' | '@' | '"' | '\'') || character.is_whitespace()
    };
    if value.contains(cut) {
        found.extend(value.split(cut).filter(|part| !part.is_empty()).map(|part| (part, false)));
    }
    found
}
