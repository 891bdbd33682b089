//! The commands that are allowed without being written down: checks and tests that developers run all day.
//!
//! Data only; the rules are the law's. Every flag that loads code or configuration by name, writes where it is told, or hands
//! the work to another program is left out. An entry of the administrator with the same id replaces the one here.

use std::path::Path;

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

/// One line of the table.
struct Shipped {
    id: &'static str,
    program: &'static str,
    args: &'static [&'static str],
    summary: &'static str,
    flags: &'static [&'static str],
    positional: Positional,
    env: &'static [(&'static str, &'static str)],
    slow: bool,
    matches: &'static [&'static [&'static str]],
    not_matches: &'static [&'static [&'static str]],
}

/// All of them, as entries.
pub(super) fn entries() -> Vec<CommandEntry> {
    TABLE.iter().map(Shipped::entry).collect()
}

impl Shipped {
    fn entry(&self) -> CommandEntry {
        let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let lists = |lists: &[&[&str]]| lists.iter().map(|list| owned(list)).collect();
        CommandEntry {
            id: self.id.to_owned(),
            program: self.program.to_owned(),
            args: owned(self.args),
            summary: self.summary.to_owned(),
            allow_flags: Some(owned(self.flags)),
            deny_flags: None,
            positional: self.positional,
            max_args: EXEC_ARGS,
            env: self.env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            env_pass: Vec::new(),
            network: false,
            write_paths: Vec::new(),
            timeout_ms: if self.slow { EXEC_TIMEOUT_MS_MAX } else { EXEC_TIMEOUT_MS },
            // A compiler can be busy for minutes without a word.
            idle_timeout_ms: if self.slow { EXEC_TIMEOUT_MS } else { EXEC_IDLE_MS },
            tier: Tier::Individual,
            matches: lists(self.matches),
            not_matches: lists(self.not_matches),
            shipped: true,
            place: Place::default(),
        }
    }
}

const PATHS: Positional = Positional::PathInWorkspace;
/// Test names, which are no paths; what looks like one is confined all the same.
const NAMES: Positional = Positional::Any;
const CARGO_ENV: &[(&str, &str)] = &[("CARGO_TERM_COLOR", "never")];
const CARGO_BUILD: [&str; 32] = [
    "-p",
    "--package",
    "--workspace",
    "--all",
    "--exclude",
    "--lib",
    "--bin",
    "--bins",
    "--example",
    "--examples",
    "--test",
    "--tests",
    "--bench",
    "--benches",
    "--all-targets",
    "-F",
    "--features",
    "--all-features",
    "--no-default-features",
    "-r",
    "--release",
    "--profile",
    "-j",
    "--jobs",
    "--keep-going",
    "--message-format",
    "--locked",
    "--offline",
    "--frozen",
    "-q",
    "--quiet",
    "--verbose",
];

/// The build flags of cargo and those of one subcommand.
const fn with_cargo_build<const MORE: usize, const ALL: usize>(
    more: [&'static str; MORE],
) -> [&'static str; ALL] {
    let mut all = [""; ALL];
    let mut index = 0;
    while index < CARGO_BUILD.len() {
        all[index] = CARGO_BUILD[index];
        index += 1;
    }
    while index < ALL {
        all[index] = more[index - CARGO_BUILD.len()];
        index += 1;
    }
    all
}

const TABLE: &[Shipped] = &[
    Shipped {
        id: "pytest",
        program: "pytest",
        args: &[],
        summary: "Run Python tests with pytest",
        flags: &[
            "-k",
            "-m",
            "-x",
            "-v",
            "-vv",
            "-q",
            "-s",
            "-l",
            "--exitfirst",
            "--maxfail",
            "--lf",
            "--last-failed",
            "--ff",
            "--failed-first",
            "--nf",
            "--sw",
            "--stepwise",
            "--co",
            "--collect-only",
            "--tb",
            "--durations",
            "--showlocals",
            "--verbose",
            "--quiet",
            "--no-header",
            "--no-summary",
            "--deselect",
            "--disable-warnings",
            "--strict-markers",
            "--strict-config",
        ],
        positional: PATHS,
        env: &[("PYTHONDONTWRITEBYTECODE", "1")],
        slow: true,
        matches: &[
            &[],
            &["tests/"],
            &["-x", "-q", "tests/test_a.py::test_b"],
            &["-k", "name and not slow", "--tb=short"],
        ],
        not_matches: &[
            &["-p", "plugin"],
            &["-pplugin"],
            &["-c", "/etc/passwd"],
            &["--rootdir=/"],
            &["--basetemp", "x"],
            &["--confcutdir=.."],
            &["--override-ini=a=b"],
            &["../other"],
            &["/etc"],
        ],
    },
    Shipped {
        id: "npm_test",
        program: "npm",
        args: &["test"],
        summary: "Run the test script of package.json",
        flags: NODE_RUNNER,
        positional: PATHS,
        env: &[("npm_config_update_notifier", "false"), ("npm_config_fund", "false")],
        slow: true,
        matches: &[
            &[],
            &["--silent"],
            &["-w", "core", "--", "--bail", "test/a.test.js"],
            &["--", "-t", "adds numbers"],
        ],
        not_matches: &[
            &["--prefix", "/tmp"],
            &["--script-shell=/bin/sh"],
            &["-C", ".."],
            &["--", "--config=x"],
            &["../x"],
        ],
    },
    Shipped {
        id: "pnpm_test",
        program: "pnpm",
        args: &["test"],
        summary: "Run the test script of package.json with pnpm",
        flags: NODE_RUNNER,
        positional: PATHS,
        env: &[],
        slow: true,
        matches: &[&[], &["--silent"], &["--", "--bail"]],
        not_matches: &[&["--dir", "/tmp"], &["--config.script-shell=x"], &["../x"]],
    },
    Shipped {
        id: "yarn_test",
        program: "yarn",
        args: &["run", "test"],
        summary: "Run the test script of package.json with yarn",
        flags: NODE_RUNNER,
        positional: PATHS,
        env: &[],
        slow: true,
        matches: &[&[], &["--bail", "test/a.test.js"]],
        not_matches: &[&["--cwd", "/tmp"], &["--inspect"], &["/etc/passwd"]],
    },
    Shipped {
        id: "node_test",
        program: "node",
        args: &["--test"],
        summary: "Run tests with Node's own test runner",
        flags: &[
            "--test-name-pattern",
            "--test-skip-pattern",
            "--test-only",
            "--test-concurrency",
            "--test-timeout",
            "--test-shard",
            "--test-force-exit",
            "--test-reporter=spec",
            "--test-reporter=tap",
            "--test-reporter=dot",
            "--experimental-test-coverage",
        ],
        positional: PATHS,
        env: &[],
        slow: true,
        matches: &[
            &[],
            &["test/a.test.js"],
            &["--test-name-pattern=adds", "test/"],
            &["--test-reporter=tap"],
        ],
        not_matches: &[
            &["-e", "process.exit()"],
            &["--import", "./x.mjs"],
            &["-r", "./x.js"],
            &["--test-reporter=./x.mjs"],
            &["--env-file=.env"],
            &["../outside.test.js"],
        ],
    },
    Shipped {
        id: "go_test",
        program: "go",
        args: &["test"],
        summary: "Run Go tests",
        flags: &[
            "-run",
            "-skip",
            "-bench",
            "-benchmem",
            "-benchtime",
            "-count",
            "-cover",
            "-covermode",
            "-coverpkg",
            "-cpu",
            "-failfast",
            "-json",
            "-list",
            "-p",
            "-parallel",
            "-race",
            "-short",
            "-shuffle",
            "-tags",
            "-timeout",
            "-v",
            "-vet",
        ],
        positional: PATHS,
        env: &[],
        slow: true,
        matches: &[&[], &["./..."], &["-run", "TestAdd", "-count=1", "./internal/sum"], &["-v", "-race"]],
        not_matches: &[
            &["-exec", "sh"],
            &["--exec=sh"],
            &["-toolexec=sh"],
            &["-o", "x"],
            &["-C", ".."],
            &["-modfile=/tmp/go.mod"],
            &["-overlay", "x.json"],
            &["-ldflags=-extld=x"],
            &["../other/..."],
        ],
    },
    Shipped {
        id: "go_vet",
        program: "go",
        args: &["vet"],
        summary: "Check Go code",
        flags: &["-json", "-tags", "-c", "-v"],
        positional: PATHS,
        env: &[],
        slow: true,
        matches: &[&[], &["./..."], &["-tags", "integration", "./cmd"]],
        not_matches: &[&["-vettool=/bin/sh"], &["-toolexec", "x"], &["-C", "/"], &["/etc"]],
    },
    Shipped {
        id: "cargo_test",
        program: "cargo",
        args: &["test"],
        summary: "Run Rust tests",
        flags: &with_cargo_build::<12, 44>([
            "--doc",
            "--no-run",
            "--no-fail-fast",
            "--",
            "--nocapture",
            "--no-capture",
            "--test-threads",
            "--ignored",
            "--include-ignored",
            "--exact",
            "--skip",
            "--list",
        ]),
        positional: NAMES,
        env: CARGO_ENV,
        slow: true,
        matches: &[
            &[],
            &["-p", "core", "parser::tests"],
            &["--lib", "--", "--nocapture"],
            &["--features=serde"],
        ],
        not_matches: &[
            &["--config", "x"],
            &["--config=build.rustc-wrapper='x'"],
            &["-Z", "unstable-options"],
            &["-Zbuild-std"],
            &["--manifest-path", "../x/Cargo.toml"],
            &["--target-dir=/tmp"],
            &["../x"],
        ],
    },
    Shipped {
        id: "cargo_check",
        program: "cargo",
        args: &["check"],
        summary: "Check that Rust code compiles",
        flags: &CARGO_BUILD,
        positional: Positional::None,
        env: CARGO_ENV,
        slow: true,
        matches: &[&[], &["--workspace", "--all-targets"], &["-p", "core"]],
        not_matches: &[&["--config", "x"], &["-Zbuild-std"], &["--fix"], &["core"]],
    },
    Shipped {
        id: "cargo_clippy",
        program: "cargo",
        args: &["clippy"],
        summary: "Lint Rust code",
        flags: &with_cargo_build::<6, 38>(["--no-deps", "--", "-D", "-W", "-A", "-F"]),
        positional: Positional::None,
        env: CARGO_ENV,
        slow: true,
        matches: &[&[], &["--all-targets", "--", "-D", "warnings"], &["-p", "core", "--no-deps"]],
        not_matches: &[&["--fix"], &["--config=x"], &["--", "-Clinker=x"], &["--", "-C", "linker=x"]],
    },
    Shipped {
        id: "cargo_fmt",
        program: "cargo",
        args: &["fmt"],
        summary: "Format Rust code, or check its format",
        flags: &["--check", "--all", "-p", "--package", "-q", "--quiet", "-v", "--verbose"],
        positional: Positional::None,
        env: CARGO_ENV,
        slow: false,
        matches: &[&[], &["--check"], &["-p", "core"]],
        not_matches: &[&["--", "--config-path", "x"], &["--manifest-path=/x"], &["src/lib.rs"]],
    },
    Shipped {
        id: "ruff",
        program: "ruff",
        args: &["check"],
        summary: "Lint Python code with ruff",
        flags: &[
            "--fix",
            "--diff",
            "--select",
            "--ignore",
            "--extend-select",
            "--output-format",
            "--statistics",
            "--show-fixes",
            "--no-cache",
            "--exit-zero",
            "--exclude",
            "--line-length",
            "--target-version",
            "-q",
            "--quiet",
            "-v",
            "--verbose",
        ],
        positional: PATHS,
        env: &[],
        slow: false,
        matches: &[&[], &["--fix", "src"], &["--select=E,F", "--output-format=concise", "."]],
        not_matches: &[
            &["--config", "/x"],
            &["--output-file=x"],
            &["-o", "x"],
            &["--cache-dir=/x"],
            &["../x"],
        ],
    },
    Shipped {
        id: "ruff_format",
        program: "ruff",
        args: &["format"],
        summary: "Format Python code with ruff, or check its format",
        flags: &[
            "--check",
            "--diff",
            "--no-cache",
            "--exclude",
            "--line-length",
            "-q",
            "--quiet",
            "-v",
            "--verbose",
        ],
        positional: PATHS,
        env: &[],
        slow: false,
        matches: &[&[], &["--check", "src"]],
        not_matches: &[&["--config=x"], &["--stdin-filename", "x"], &["/etc"]],
    },
    Shipped {
        id: "mypy",
        program: "mypy",
        args: &[],
        summary: "Check Python types with mypy",
        flags: &[
            "--strict",
            "--ignore-missing-imports",
            "--no-incremental",
            "--pretty",
            "--show-error-codes",
            "-p",
            "-m",
        ],
        positional: PATHS,
        env: &[],
        slow: true,
        matches: &[&["src"], &["--strict", "-p", "app"]],
        not_matches: &[
            &["--config-file=x"],
            &["--python-executable", "x"],
            &["--install-types"],
            &["@/etc/passwd"],
        ],
    },
    Shipped {
        id: "black",
        program: "black",
        args: &[],
        summary: "Format Python code with black, or check its format",
        flags: &[
            "--check",
            "--diff",
            "-l",
            "--line-length",
            "-t",
            "--target-version",
            "-S",
            "--skip-string-normalization",
            "--skip-magic-trailing-comma",
            "--safe",
            "-q",
            "--quiet",
            "-v",
            "--verbose",
        ],
        positional: PATHS,
        env: &[],
        slow: false,
        matches: &[&["."], &["--check", "--diff", "src"], &["-l", "100", "a.py"]],
        not_matches: &[
            &["-c", "print()"],
            &["--code=x"],
            &["--config", "/x"],
            &["--stdin-filename=x"],
            &["../x"],
            &["-"],
        ],
    },
    Shipped {
        id: "eslint",
        program: "eslint",
        args: &[],
        summary: "Lint JavaScript and TypeScript with eslint",
        flags: &[
            "--fix",
            "--fix-dry-run",
            "--ext",
            "--quiet",
            "--max-warnings",
            "--format=json",
            "--format=stylish",
            "--format=unix",
            "--no-error-on-unmatched-pattern",
            "--report-unused-disable-directives",
            "--no-warn-ignored",
            "--no-inline-config",
        ],
        positional: PATHS,
        env: &[],
        slow: false,
        matches: &[&["."], &["--fix", "src/**/*.ts"], &["--ext", ".ts,.tsx", "src"], &["--format=json", "."]],
        not_matches: &[
            &["--rulesdir", "x"],
            &["--resolve-plugins-relative-to=/x"],
            &["-o", "x"],
            &["--output-file=x"],
            &["-c", "x"],
            &["--config=x"],
            &["--plugin", "x"],
            &["--parser=x"],
            &["--format=./x.js"],
            &["-f", "./x.js"],
            &["/etc"],
        ],
    },
    Shipped {
        id: "prettier",
        program: "prettier",
        args: &[],
        summary: "Format files with prettier, or check their format",
        flags: &[
            "--check",
            "-c",
            "--write",
            "-w",
            "--list-different",
            "-l",
            "--ignore-unknown",
            "-u",
            "--no-error-on-unmatched-pattern",
            "--log-level",
        ],
        positional: PATHS,
        env: &[],
        slow: false,
        matches: &[&["--check", "."], &["--write", "src/a.ts"], &["-l", "src/**/*.css"]],
        not_matches: &[
            &["--plugin=x"],
            &["--config", "/x"],
            &["--find-config-path", "x"],
            &["--stdin-filepath=x"],
            &["../x"],
        ],
    },
    Shipped {
        id: "tsc",
        program: "tsc",
        args: &["--noEmit"],
        summary: "Check TypeScript types",
        flags: &[
            "-p",
            "--project",
            "--strict",
            "--skipLibCheck",
            "--pretty",
            "--noErrorTruncation",
            "--listFiles",
        ],
        positional: PATHS,
        env: &[],
        slow: true,
        matches: &[&[], &["-p", "tsconfig.json"], &["--project=packages/app"]],
        not_matches: &[
            &["--outDir", "x"],
            &["-w"],
            &["--init"],
            &["--project=../x"],
            &["@/etc/passwd"],
            &["--noEmit=false"],
        ],
    },
    Shipped {
        id: "gofmt",
        program: "gofmt",
        args: &[],
        summary: "Format Go code, or show what would change",
        flags: &["-l", "-d", "-w", "-s", "-e"],
        positional: PATHS,
        env: &[],
        slow: false,
        matches: &[&["-l", "."], &["-w", "-s", "main.go"]],
        not_matches: &[&["-cpuprofile", "x"], &["-r", "a -> b"], &["-lw", "."], &["../x"]],
    },
];

/// The runner's own flags, and those of the usual test programs behind it.
const NODE_RUNNER: &[&str] = &[
    "-s",
    "--silent",
    "--if-present",
    "-w",
    "--workspace",
    "--workspaces",
    "-ws",
    "--",
    "-t",
    "-g",
    "--grep",
    "--testNamePattern",
    "--test-name-pattern",
    "--testTimeout",
    "--timeout",
    "--bail",
    "--run",
    "--runInBand",
    "--verbose",
    "--coverage=false",
    "--watch=false",
    "--ci",
];

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
    fn ids_are_unique() {
        let mut ids: Vec<_> = entries().into_iter().map(|entry| entry.id).collect();
        ids.sort();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
