//! Commands of other projects.

use super::{NAMES, PLAIN, Shipped};
use crate::config::resolved::Positional;

const DOTNET: &[(&str, &str)] =
    &[("DOTNET_CLI_TELEMETRY_OPTOUT", "1"), ("DOTNET_NOLOGO", "1"), ("MSBUILDDISABLENODEREUSE", "1")];
const DOTNET_CACHES: &[&str] = &["~/.nuget/packages", "~/.local/share/NuGet"];

pub(super) const ENTRIES: &[Shipped] = &[
    Shipped {
        id: "dotnet_restore",
        program: "dotnet",
        args: &["restore"],
        summary: "Fetch the packages of .NET projects",
        flags: &["--locked-mode", "--no-cache", "-v", "--verbosity"],
        positional: NAMES,
        env: DOTNET,
        env_pass: &["DOTNET_ROOT", "NUGET_PACKAGES"],
        slow: true,
        network: true,
        write_paths: DOTNET_CACHES,
        values: &["-v", "--verbosity"],
        matches: &[&[], &["--locked-mode"], &["src/App.csproj"]],
        not_matches: &[
            &["@args.rsp"],
            &["--no-cache", "@args.rsp"],
            &["-v", "@args.rsp"],
            &["-s", "http://example.org"],
            &["--configfile", "x"],
            &["--packages=x"],
            &["-p:RestoreSources=x"],
            &["../x.csproj"],
        ],
        ..PLAIN
    },
    Shipped {
        id: "dotnet_test",
        program: "dotnet",
        args: &["test"],
        // The runner and the tests speak by sockets.
        network: true,
        summary: "Run .NET tests",
        flags: &[
            "--filter",
            "--no-build",
            "--no-restore",
            "-c",
            "--configuration",
            "-f",
            "--framework",
            "-v",
            "--verbosity",
            "--nologo",
            "-t",
            "--list-tests",
        ],
        positional: NAMES,
        env: DOTNET,
        env_pass: &["DOTNET_ROOT", "NUGET_PACKAGES"],
        slow: true,
        write_paths: DOTNET_CACHES,
        values: &["--filter", "-c", "--configuration", "-f", "--framework", "-v", "--verbosity"],
        matches: &[&[], &["--filter", "Name~Add"], &["-c", "Release", "test/App.Tests.csproj"]],
        not_matches: &[
            &["@args.rsp"],
            &["--filter", "@args.rsp"],
            &["--no-build", "@args.rsp"],
            &["--diag", "x"],
            &["-s", "x.runsettings"],
            &["--settings=x"],
            &["--test-adapter-path", "x"],
            &["-l", "trx"],
            &["--results-directory=/tmp"],
            &["-p:X=y"],
            &["/p:X=y"],
            &["--", "RunConfiguration.X=y"],
            &["../x"],
        ],
        ..PLAIN
    },
    Shipped {
        id: "make_test",
        program: "make",
        args: &["test"],
        summary: "Run the target `test` of the Makefile",
        flags: &["-k", "--keep-going", "-s", "--silent", "-n", "--dry-run"],
        positional: Positional::None,
        slow: true,
        matches: &[&[], &["-k"]],
        not_matches: &[
            &["-k", "SHELL=/bin/sh"],
            &["-k", "install"],
            &["-k", "x=y"],
            &["-f", "x"],
            &["-C", ".."],
            &["SHELL=/bin/sh"],
            &["--eval=x"],
            &["-I", "x"],
            &["install"],
            &["--file=../x"],
        ],
        ..PLAIN
    },
];
