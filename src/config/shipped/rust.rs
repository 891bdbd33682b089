//! Commands of Rust projects.

use super::{NAMES, PLAIN, Shipped};
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
        matches: &[&[], &["--workspace", "--all-targets"], &["-p", "core"]],
        not_matches: &[&["--config", "x"], &["-Zbuild-std"], &["--fix"], &["core"]],
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
        matches: &[&[], &["--all-targets", "--", "-D", "warnings"], &["-p", "core", "--no-deps"]],
        not_matches: &[&["--fix"], &["--config=x"], &["--", "-Clinker=x"], &["--", "-C", "linker=x"]],
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
        matches: &[&[], &["--check"], &["-p", "core"]],
        not_matches: &[&["--", "--config-path", "x"], &["--manifest-path=/x"], &["src/lib.rs"]],
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
        not_matches: &[&["--manifest-path=../x"], &["--config=x"], &["-Z", "x"], &["x"]],
    },
];
