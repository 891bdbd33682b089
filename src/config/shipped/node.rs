//! Commands of JavaScript and TypeScript projects. Their tools live in the project, so `npx` finds them, and never installs.

use super::{PLAIN, Shipped, joined};
use crate::config::resolved::Positional;

/// The runner's own flags, and those of the usual test programs behind it. Not those of `NPM_RUNNER`: to pnpm `-w` is the folder
/// above that has a `pnpm-workspace.yaml`, wherever that is.
const NODE_RUNNER: [&str; 18] = [
    "-s",
    "--silent",
    "--if-present",
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

/// Those of npm: the packages that its package.json names.
const NPM_RUNNER: [&str; 22] = joined(&NODE_RUNNER, &["-w", "--workspace", "--workspaces", "-ws"]);

/// Of them, those whose value stands behind them.
const NODE_VALUES: [&str; 7] =
    ["-t", "-g", "--grep", "--testNamePattern", "--test-name-pattern", "--testTimeout", "--timeout"];

const NPM_VALUES: [&str; 9] = joined(&NODE_VALUES, &["-w", "--workspace"]);

/// npm writes a log of each run into its cache, which is not the project's.
const NPM: &[(&str, &str)] =
    &[("npm_config_update_notifier", "false"), ("npm_config_fund", "false"), ("npm_config_logs_max", "0")];

/// A tool that the project does not have is not looked for in the registry, which cannot be reached anyway.
const NPX: &[(&str, &str)] =
    &[("npm_config_update_notifier", "false"), ("npm_config_logs_max", "0"), ("npm_config_offline", "true")];

pub(super) const ENTRIES: &[Shipped] = &[
    Shipped {
        id: "npm_test",
        program: "npm",
        args: &["test"],
        summary: "Run the test script of package.json",
        flags: &NPM_RUNNER,
        env: NPM,
        slow: true,
        values: &NPM_VALUES,
        matches: &[
            &[],
            &["--silent"],
            &["-w", "core", "--", "--bail", "test/a.test.js"],
            &["--", "-t", "adds numbers"],
        ],
        not_matches: &[
            &["--silent", "@x"],
            &["--userconfig=x"],
            &["--prefix", "/tmp"],
            &["--script-shell=/bin/sh"],
            &["-C", ".."],
            &["--", "--config=x"],
            &["../x"],
        ],
        ..PLAIN
    },
    Shipped {
        id: "pnpm_test",
        program: "pnpm",
        args: &["test"],
        summary: "Run the test script of package.json with pnpm",
        flags: &NODE_RUNNER,
        slow: true,
        values: &NODE_VALUES,
        matches: &[&[], &["--silent"], &["--", "--bail"]],
        not_matches: &[
            &["--silent", "@x"],
            &["-C", "/tmp"],
            &["--dir", "/tmp"],
            &["-w"],
            &["--workspace-root"],
            &["--config.script-shell=x"],
            &["../x"],
        ],
        ..PLAIN
    },
    Shipped {
        id: "yarn_test",
        program: "yarn",
        args: &["run", "test"],
        summary: "Run the test script of package.json with yarn",
        flags: &NODE_RUNNER,
        slow: true,
        values: &NODE_VALUES,
        matches: &[&[], &["--bail", "test/a.test.js"]],
        not_matches: &[&["--silent", "@x"], &["--cwd", "/tmp"], &["--inspect"], &["/etc/passwd"]],
        ..PLAIN
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
        slow: true,
        values: &[
            "--test-name-pattern",
            "--test-skip-pattern",
            "--test-concurrency",
            "--test-timeout",
            "--test-shard",
        ],
        matches: &[
            &[],
            &["test/a.test.js"],
            &["--test-name-pattern=adds", "test/"],
            &["--test-reporter=tap"],
        ],
        not_matches: &[
            &["--test-only", "-"],
            &["--experimental-config-file=x"],
            &["-e", "process.exit()"],
            &["--import", "./x.mjs"],
            &["-r", "./x.js"],
            &["--test-reporter=./x.mjs"],
            &["--env-file=.env"],
            &["../outside.test.js"],
            &[".[.]/outside.test.js"],
            &["--inspect=0.0.0.0:9229"],
        ],
        ..PLAIN
    },
    Shipped {
        id: "eslint",
        program: "npx",
        args: &["--no-install", "eslint"],
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
        env: NPX,
        values: &["--ext", "--max-warnings"],
        matches: &[&["."], &["--fix", "src/**/*.ts"], &["--ext", ".ts,.tsx", "src"], &["--format=json", "."]],
        not_matches: &[
            &["--fix", "-"],
            &["--quiet", "@x"],
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
        ..PLAIN
    },
    Shipped {
        id: "prettier",
        program: "npx",
        args: &["--no-install", "prettier"],
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
        env: NPX,
        values: &["--log-level"],
        matches: &[&["--check", "."], &["--write", "src/a.ts"], &["-l", "src/**/*.css"]],
        not_matches: &[
            &["-u", "@x"],
            &["--plugin=x"],
            &["--config", "/x"],
            &["--find-config-path", "x"],
            &["--stdin-filepath=x"],
            &["../x"],
        ],
        ..PLAIN
    },
    Shipped {
        id: "tsc",
        program: "npx",
        // With its value: a word behind it that is `false` would be taken for that.
        args: &["--no-install", "tsc", "--noEmit", "true"],
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
        env: NPX,
        slow: true,
        values: &["-p", "--project"],
        matches: &[&[], &["-p", "tsconfig.json"], &["--project=packages/app"]],
        not_matches: &[
            &["@args"],
            &["--strict", "@args"],
            &["-p", "@args"],
            &["-b"],
            &["--outDir", "x"],
            &["-w"],
            &["--init"],
            &["--project=../x"],
            &["@/etc/passwd"],
            &["--noEmit=false"],
            &["--noEmit", "false"],
        ],
        ..PLAIN
    },
    Shipped {
        id: "npm_install",
        program: "npm",
        args: &["install"],
        summary: "Install what package.json names; its packages may run scripts",
        flags: &["--ignore-scripts", "--prefer-offline", "--no-audit", "--omit=dev", "--silent", "-s"],
        positional: Positional::None,
        env: NPM,
        slow: true,
        network: true,
        write_paths: &["~/.npm/_cacache"],
        matches: &[&[], &["--ignore-scripts"], &["--omit=dev"]],
        not_matches: &[
            &["--silent", "left-pad"],
            &["left-pad"],
            &["-g"],
            &["--global", "x"],
            &["--prefix", "/tmp"],
            &["--registry=http://example.org"],
            &["--script-shell=x"],
            &["--", "x"],
            &["../x"],
        ],
        ..PLAIN
    },
    Shipped {
        id: "pnpm_install",
        program: "pnpm",
        args: &["install"],
        summary: "Install what package.json names, with pnpm; its packages may run scripts",
        flags: &["--ignore-scripts", "--prefer-offline", "--frozen-lockfile", "--prod", "--silent"],
        positional: Positional::None,
        slow: true,
        network: true,
        write_paths: &["~/.local/share/pnpm/store", "~/.cache/pnpm"],
        matches: &[&[], &["--frozen-lockfile"]],
        not_matches: &[
            &["--prod", "left-pad"],
            &["left-pad"],
            &["-g"],
            &["--dir=/tmp"],
            &["--registry=x"],
            &["--config.script-shell=x"],
        ],
        ..PLAIN
    },
    Shipped {
        id: "yarn_install",
        program: "yarn",
        args: &["install"],
        summary: "Install what package.json names, with yarn; its packages may run scripts",
        flags: &["--ignore-scripts", "--frozen-lockfile", "--immutable", "--silent"],
        positional: Positional::None,
        slow: true,
        network: true,
        write_paths: &["~/.cache/yarn", "~/.yarn/berry/cache"],
        matches: &[&[], &["--frozen-lockfile"]],
        not_matches: &[
            &["--silent", "left-pad"],
            &["left-pad"],
            &["--cwd=/tmp"],
            &["--modules-folder", "x"],
            &["--registry=x"],
        ],
        ..PLAIN
    },
];
