//! Commands of Rust projects.

use super::{NAMES, PLAIN, Shipped, joined};
use crate::config::resolved::Positional;

const CARGO_ENV: &[(&str, &str)] = &[("CARGO_TERM_COLOR", "never")];
const CARGO_PLACES: &[&str] = &["CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"];
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

/// Of them, those whose value stands behind them.
const CARGO_VALUES: [&str; 13] = [
    "-p",
    "--package",
    "--exclude",
    "--bin",
    "--example",
    "--test",
    "--bench",
    "-F",
    "--features",
    "--profile",
    "-j",
    "--jobs",
    "--message-format",
];

/// The build flags of cargo and those of one subcommand.
const fn with_cargo_build<const MORE: usize, const ALL: usize>(
    more: [&'static str; MORE],
) -> [&'static str; ALL] {
    joined(&CARGO_BUILD, &more)
}

/// The same of those with a value.
const fn with_cargo_values<const MORE: usize, const ALL: usize>(
    more: [&'static str; MORE],
) -> [&'static str; ALL] {
    joined(&CARGO_VALUES, &more)
}

pub(super) const ENTRIES: &[Shipped] = &[
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
        env_pass: CARGO_PLACES,
        slow: true,
        values: &with_cargo_values::<2, 15>(["--test-threads", "--skip"]),
        matches: &[
            &[],
            &["-p", "core", "parser::tests"],
            &["--lib", "--", "--nocapture"],
            &["--features=serde"],
        ],
        not_matches: &[
            &["@args"],
            &["--", "@args"],
            &["--", "--skip", "@args"],
            &["--config", "x"],
            &["--config=build.rustc-wrapper='x'"],
            &["-Z", "unstable-options"],
            &["-Zbuild-std"],
            &["--manifest-path", "../x/Cargo.toml"],
            &["--target-dir=/tmp"],
            &["../x"],
        ],
        ..PLAIN
    },
    Shipped {
        id: "cargo_check",
        program: "cargo",
        args: &["check"],
        summary: "Check that Rust code compiles",
        flags: &CARGO_BUILD,
        positional: Positional::None,
        env: CARGO_ENV,
        env_pass: CARGO_PLACES,
        slow: true,
        values: &CARGO_VALUES,
        matches: &[&[], &["--workspace", "--all-targets"], &["-p", "core"]],
        not_matches: &[
            &["--workspace", "core"],
            &["-p", "@args"],
            &["--config", "x"],
            &["-Zbuild-std"],
            &["--fix"],
            &["core"],
        ],
        ..PLAIN
    },
    Shipped {
        id: "cargo_clippy",
        program: "cargo",
        args: &["clippy"],
        summary: "Lint Rust code",
        flags: &with_cargo_build::<6, 38>(["--no-deps", "--", "-D", "-W", "-A", "-F"]),
        positional: Positional::None,
        env: CARGO_ENV,
        env_pass: CARGO_PLACES,
        slow: true,
        values: &with_cargo_values::<3, 16>(["-D", "-W", "-A"]),
        matches: &[&[], &["--all-targets", "--", "-D", "warnings"], &["-p", "core", "--no-deps"]],
        not_matches: &[
            &["--", "-D", "@args"],
            &["--no-deps", "x"],
            &["--fix"],
            &["--config=x"],
            &["--", "-Clinker=x"],
            &["--", "-C", "linker=x"],
        ],
        ..PLAIN
    },
    Shipped {
        id: "cargo_fmt",
        program: "cargo",
        args: &["fmt"],
        summary: "Format Rust code, or check its format",
        flags: &["--check", "--all", "-p", "--package", "-q", "--quiet", "-v", "--verbose"],
        positional: Positional::None,
        env: CARGO_ENV,
        env_pass: CARGO_PLACES,
        values: &["-p", "--package"],
        matches: &[&[], &["--check"], &["-p", "core"]],
        not_matches: &[
            &["--check", "src/lib.rs"],
            &["--", "--config-path", "x"],
            &["--manifest-path=/x"],
            &["src/lib.rs"],
        ],
        ..PLAIN
    },
    Shipped {
        id: "cargo_fetch",
        program: "cargo",
        args: &["fetch"],
        summary: "Fetch the crates that Cargo.lock names",
        flags: &["--locked", "-q", "--quiet"],
        positional: Positional::None,
        env: CARGO_ENV,
        env_pass: CARGO_PLACES,
        slow: true,
        network: true,
        write_paths: &["~/.cargo/registry", "~/.cargo/git", "?~/.cargo/.package-cache"],
        matches: &[&[], &["--locked"]],
        not_matches: &[&["--locked", "x"], &["--manifest-path=../x"], &["--config=x"], &["-Z", "x"], &["x"]],
        ..PLAIN
    },
];
