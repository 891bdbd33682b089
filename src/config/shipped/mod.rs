//! The commands that are allowed without being written down: checks and tests that developers run all day, and the installing of
//! what they need.
//!
//! Data only; the rules are the law's. Every flag that loads code or configuration by name, writes where it is told, or hands
//! the work to another program is left out. An entry of the administrator with the same id replaces the one here.

mod go;
mod node;
mod other;
mod python;
mod rust;

use std::path::{Path, PathBuf};

use super::resolved::{CommandEntry, Place, Positional};
use crate::{
    limits::{EXEC_ARGS, EXEC_IDLE_MS, EXEC_TIMEOUT_MS, EXEC_TIMEOUT_MS_MAX},
    tier::Tier,
};

/// git has tools of its own, with rules that a list of flags cannot express.
pub(crate) fn is_git(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name);
    let name = name.to_lowercase();
    name == "git" || stem.eq_ignore_ascii_case("git") || name.starts_with("git-")
}

/// The one of `args` with which `program` would start git.
pub(crate) fn starting_git<'a>(
    program: &str,
    args: impl IntoIterator<Item = &'a String>,
) -> Option<&'a String> {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program).to_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let mut args = args.into_iter().skip_while(|arg| !names_programs_from(name, arg));
    args.find(|arg| names_git(arg))
}

/// Whether the program takes this argument, or what stands behind it, for the name of a program, or for a script.
fn names_programs_from(name: &str, argument: &str) -> bool {
    let is_short = |letters: &[char]| {
        argument.starts_with('-') && !argument.starts_with("--") && argument.contains(letters)
    };
    if LAUNCHERS.contains(&name) {
        true
    } else if SHELLS.contains(&name) {
        is_short(&['c', 'C']) || argument.starts_with("--command") || argument.starts_with("--init-command")
    } else if ["find", "gfind", "bfs"].contains(&name) {
        ["-exec", "-execdir", "-ok", "-okdir"].contains(&argument)
    } else if ["fd", "fdfind"].contains(&name) {
        is_short(&['x', 'X']) || argument.starts_with("--exec")
    } else {
        false
    }
}

/// Whether git is one of the words, as programs and shells divide them.
fn names_git(argument: &str) -> bool {
    const CUTS: &[char] = &['=', '"', '\'', '`', ';', '&', '|', '(', ')', '{', '}', '<', '>', ','];
    let mut words = argument.split(|cut: char| cut.is_whitespace() || CUTS.contains(&cut));
    words.any(|word| is_git(word) && !is_document(word))
}

/// Whether its name ends as that of no program does, as in `git.md`.
fn is_document(word: &str) -> bool {
    const ENDINGS: &[&str] = &["bat", "cmd", "com", "exe"];
    let ending = Path::new(word).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_version = ending.bytes().all(|byte| byte.is_ascii_digit());
    !is_version && !ENDINGS.contains(&ending.to_lowercase().as_str())
}

/// Programs that start another one, which is named among their arguments.
const LAUNCHERS: &[&str] = &[
    "arch",
    "busybox",
    "bwrap",
    "caffeinate",
    "catchsegv",
    "choom",
    "chronic",
    "chroot",
    "chrt",
    "cmd",
    "command",
    "coreutils",
    "cpulimit",
    "dbus-run-session",
    "doas",
    "dumb-init",
    "eatmydata",
    "entr",
    "env",
    "fakechroot",
    "fakeroot",
    "faketime",
    "firejail",
    "flock",
    "genv",
    "gnice",
    "gnohup",
    "gosu",
    "gstdbuf",
    "gtime",
    "gtimeout",
    "gxargs",
    "hyperfine",
    "i386",
    "ionice",
    "linux32",
    "linux64",
    "ltrace",
    "nice",
    "nocache",
    "nohup",
    "nsenter",
    "numactl",
    "parallel",
    "pkexec",
    "powershell",
    "prlimit",
    "proot",
    "proxychains",
    "proxychains4",
    "pwsh",
    "rlwrap",
    "run0",
    "runcon",
    "runuser",
    "script",
    "sem",
    "setarch",
    "setpriv",
    "setsid",
    "sg",
    "ssh-agent",
    "stdbuf",
    "strace",
    "su",
    "su-exec",
    "sudo",
    "systemd-inhibit",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "tini",
    "torify",
    "torsocks",
    "toybox",
    "uclampset",
    "unbuffer",
    "unshare",
    "valgrind",
    "watch",
    "watchexec",
    "winpty",
    "wsl",
    "x86_64",
    "xargs",
    "xvfb-run",
];

/// Programs that read a script from the argument behind `-c`; its own arguments follow.
const SHELLS: &[&str] = &[
    "ash", "bash", "csh", "dash", "elvish", "fish", "hush", "ksh", "ksh93", "mksh", "nu", "oksh", "osh",
    "posh", "rbash", "sh", "tcsh", "xonsh", "yash", "zsh",
];

/// One line of a table.
struct Shipped {
    id: &'static str,
    program: &'static str,
    args: &'static [&'static str],
    summary: &'static str,
    flags: &'static [&'static str],
    /// Of them, those that take the argument behind them as their value.
    values: &'static [&'static str],
    max_args: usize,
    positional: Positional,
    env: &'static [(&'static str, &'static str)],
    /// May take half an hour, and be silent for ten minutes of it.
    slow: bool,
    /// Needs the network; such a command is asked about each time, whatever the configuration says.
    network: bool,
    /// What it is told by the host's own environment: where its toolchain and caches are, nothing that could be a secret.
    env_pass: &'static [&'static str],
    /// Caches it writes to, with `~/` for the home folder; with `?` before it one that is never made.
    write_paths: &'static [&'static str],
    matches: &'static [&'static [&'static str]],
    not_matches: &'static [&'static [&'static str]],
}

/// What most of them have.
const PLAIN: Shipped = Shipped {
    id: "",
    program: "",
    args: &[],
    summary: "",
    flags: &[],
    values: &[],
    max_args: EXEC_ARGS,
    positional: PATHS,
    env: &[],
    env_pass: &[],
    slow: false,
    network: false,
    write_paths: &[],
    matches: &[],
    not_matches: &[],
};

const PATHS: Positional = Positional::PathInWorkspace;
/// Test names, which are no paths; what looks like one is confined all the same.
const NAMES: Positional = Positional::Any;

/// Two lists as one; `ALL` is the sum of their lengths.
const fn joined<const ALL: usize>(some: &[&'static str], more: &[&'static str]) -> [&'static str; ALL] {
    let mut all = [""; ALL];
    let mut index = 0;
    while index < some.len() {
        all[index] = some[index];
        index += 1;
    }
    while index < ALL {
        all[index] = more[index - some.len()];
        index += 1;
    }
    all
}

/// All of them, as entries.
pub(super) fn entries() -> Vec<CommandEntry> {
    let home = std::env::home_dir();
    let tables = [python::ENTRIES, node::ENTRIES, rust::ENTRIES, go::ENTRIES, other::ENTRIES];
    tables.into_iter().flatten().map(|shipped| shipped.entry(home.as_deref())).collect()
}

impl Shipped {
    fn entry(&self, home: Option<&Path>) -> CommandEntry {
        let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let lists = |lists: &[&[&str]]| lists.iter().map(|list| owned(list)).collect();
        CommandEntry {
            id: self.id.to_owned(),
            program: on_this_system(self.program),
            args: owned(self.args),
            summary: self.summary.to_owned(),
            allow_flags: Some(owned(self.flags)),
            deny_flags: None,
            value_flags: owned(self.values),
            positional: self.positional,
            argument_files: false,
            max_args: self.max_args,
            env: self.env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            env_pass: owned(self.env_pass),
            network: self.network,
            write_paths: self.write_paths.iter().filter_map(|path| absolute(path, home)).collect(),
            timeout_ms: if self.slow { EXEC_TIMEOUT_MS_MAX } else { EXEC_TIMEOUT_MS },
            // A compiler can be busy for minutes without a word.
            idle_timeout_ms: if self.slow { EXEC_TIMEOUT_MS } else { EXEC_IDLE_MS },
            tier: Tier::Individual,
            own_tier: false,
            matches: lists(self.matches),
            not_matches: lists(self.not_matches),
            shipped: true,
            place: Place::default(),
        }
    }
}

/// Folders that a variable puts elsewhere. The entries that write there pass it on.
const ELSEWHERE: &[(&str, &str)] = &[
    ("~/.cargo", "CARGO_HOME"),
    ("~/.cache/go-build", "GOCACHE"),
    ("~/go/pkg/mod", "GOMODCACHE"),
    ("~/go", "GOPATH"),
    ("~/.nuget/packages", "NUGET_PACKAGES"),
    ("~/.cache/uv", "UV_CACHE_DIR"),
    ("~/.cache/pip", "PIP_CACHE_DIR"),
];

fn absolute(path: &str, home: Option<&Path>) -> Option<PathBuf> {
    let (path, only_found) = path.strip_prefix('?').map_or((path, false), |path| (path, true));
    let moved = ELSEWHERE.iter().find_map(|(usual, variable)| {
        let rest = Path::new(path).strip_prefix(usual).ok()?;
        let folder = PathBuf::from(std::env::var_os(variable)?);
        // Not the root or one below it: what stands there is more than a cache.
        (folder.is_absolute() && folder.components().count() > 2).then(|| folder.join(rest))
    });
    let path = match (moved, path.strip_prefix("~/")) {
        (Some(moved), _) => moved,
        (None, Some(rest)) => home?.join(rest),
        (None, None) => path.into(),
    };
    (!only_found || path.exists()).then_some(path)
}

/// Node's programs are batch files on Windows, and a bare name there means a program only.
fn on_this_system(program: &str) -> String {
    const BATCH_FILES: &[&str] = &["npm", "npx", "pnpm", "yarn"];
    let ending = if cfg!(windows) && BATCH_FILES.contains(&program) { ".cmd" } else { "" };
    format!("{program}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_is_known_under_all_its_names() {
        for program in ["git", "GIT", "git.exe", "/usr/bin/git", "C:\\Git\\bin\\git.exe", "git-upload-pack"] {
            assert!(is_git(program), "{program}");
        }
        for program in ["gitui", "legit", "npm"] {
            assert!(!is_git(program), "{program}");
        }
    }

    #[test]
    fn what_starts_git_by_another_program_is_told() {
        let found = |line: &[&str]| {
            let args: Vec<String> = line[1..].iter().map(ToString::to_string).collect();
            starting_git(line[0], &args).cloned()
        };
        for (line, named) in [
            (&["env", "A=b", "git"][..], "git"),
            (&["/usr/bin/env", "A=b git push"], "A=b git push"),
            (&["ENV.EXE", "--split-string=git status"], "--split-string=git status"),
            (&["nice", "-n", "5", "/usr/bin/git", "log"], "/usr/bin/git"),
            (&["hyperfine", "git status"], "git status"),
            (&["cmd", "/c", "git.exe log"], "git.exe log"),
            (&["pwsh", "-Command", "git log"], "git log"),
            (&["sh", "-c", "git status"], "git status"),
            (&["bash", "-lc", "cd x&&git log"], "cd x&&git log"),
            (&["/bin/bash", "-e", "-o", "pipefail", "-c", "x=$(git log)"], "x=$(git log)"),
            (&["zsh", "-c", "\"$@\"", "_", "git"], "git"),
            (&["dash", "-c", "\\git log | cat"], "\\git log | cat"),
            (&["fish", "--command=git log"], "--command=git log"),
            (&["sh", "-c", "{ git-upload-pack .; }"], "{ git-upload-pack .; }"),
            (&["find", ".", "-exec", "git", "log", ";"], "git"),
            (&["find", ".", "-execdir", "sh", "-c", "git add {}", ";"], "git add {}"),
            (&["gfind", ".", "-okdir", "/usr/bin/git", "{}", "+"], "/usr/bin/git"),
            (&["fd", "-x", "git", "log"], "git"),
            (&["fdfind", "--exec-batch", "git"], "git"),
        ] {
            assert_eq!(found(line).as_deref(), Some(named), "{line:?}");
        }
        for line in [
            &["env", "gitui"][..],
            &["npm", "exec", "git"],
            &["sh", "-c", "ls .git .gitignore legit x.git docs/git.md; gitleaks detect"],
            &["sh", "scripts/release.sh", "git"],
            &["bash", "--norc", "-e", "x.sh", "git"],
            &["find", ".", "-executable", "-name", "git", "-type", "f"],
            &["find", "git", "-exec", "wc", "-l", "{}", "+"],
            &["fd", "-e", "rs", "git"],
        ] {
            assert_eq!(found(line), None, "{line:?}");
        }
    }

    #[test]
    fn what_takes_a_value_is_a_flag_of_the_list() {
        for entry in entries() {
            let listed = entry.allow_flags.unwrap_or_default();
            for flag in entry.value_flags {
                assert!(listed.contains(&flag), "{}: {flag}", entry.id);
            }
        }
    }

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<_> = entries().into_iter().map(|entry| entry.id).collect();
        ids.sort();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    #[test]
    fn the_network_is_open_to_those_alone_that_fetch() {
        let open: Vec<_> =
            entries().into_iter().filter(|entry| entry.network).map(|entry| entry.id).collect();
        let expected = [
            "uv_sync",
            "pip_install",
            "npm_install",
            "pnpm_install",
            "yarn_install",
            "cargo_fetch",
            "go_mod_tidy",
            "dotnet_restore",
            "dotnet_test",
        ];
        assert_eq!(open, expected);
    }

    #[test]
    fn write_paths_are_absolute_and_hold_nothing_that_runs_later() {
        for entry in entries() {
            for path in entry.write_paths {
                assert!(path.is_absolute(), "{}: {}", entry.id, path.display());
                let text = path.to_string_lossy();
                assert!(!text.ends_with("/bin") && !text.ends_with(".cargo"), "{}: {text}", entry.id);
            }
        }
    }
}
