//! Commands of Go projects.

use super::{PLAIN, Shipped};
use crate::config::resolved::Positional;

/// A toolchain that `go.mod` names is not fetched and run.
const GO: &[(&str, &str)] = &[("GOTOOLCHAIN", "local"), ("GOTELEMETRY", "off")];
/// Without it nothing is built at all.
const GO_CACHE: &[&str] =
    if cfg!(target_os = "macos") { &["~/Library/Caches/go-build"] } else { &["~/.cache/go-build"] };

const GO_PLACES: &[&str] = &["GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE"];

pub(super) const ENTRIES: &[Shipped] = &[
    Shipped {
        id: "go_test",
        program: "go",
        args: &["test"],
        summary: "Run Go tests",
        env_pass: GO_PLACES,
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
        env: GO,
        slow: true,
        write_paths: GO_CACHE,
        values: &[
            "-run",
            "-skip",
            "-bench",
            "-benchtime",
            "-count",
            "-covermode",
            "-coverpkg",
            "-cpu",
            "-list",
            "-p",
            "-parallel",
            "-shuffle",
            "-tags",
            "-timeout",
            "-vet",
        ],
        matches: &[&[], &["./..."], &["-run", "TestAdd", "-count=1", "./internal/sum"], &["-v", "-race"]],
        not_matches: &[
            &["-v", "@x"],
            &["-args", "x"],
            &["-coverprofile=x"],
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
        ..PLAIN
    },
    Shipped {
        id: "go_vet",
        program: "go",
        args: &["vet"],
        summary: "Check Go code",
        env_pass: GO_PLACES,
        flags: &["-json", "-tags", "-c", "-v"],
        env: GO,
        slow: true,
        write_paths: GO_CACHE,
        values: &["-tags", "-c"],
        matches: &[&[], &["./..."], &["-tags", "integration", "./cmd"]],
        not_matches: &[&["-json", "@x"], &["-vettool=/bin/sh"], &["-toolexec", "x"], &["-C", "/"], &["/etc"]],
        ..PLAIN
    },
    Shipped {
        id: "gofmt",
        program: "gofmt",
        summary: "Format Go code, or show what would change",
        flags: &["-l", "-d", "-w", "-s", "-e"],
        matches: &[&["-l", "."], &["-w", "-s", "main.go"]],
        not_matches: &[&["-l", "@x"], &["-cpuprofile", "x"], &["-r", "a -> b"], &["-lw", "."], &["../x"]],
        ..PLAIN
    },
    Shipped {
        id: "golangci_lint",
        program: "golangci-lint",
        args: &["run"],
        summary: "Lint Go code with golangci-lint",
        env_pass: GO_PLACES,
        flags: &["--fix", "--fast", "--new", "--tests", "--timeout", "-E", "-D", "-v"],
        env: GO,
        slow: true,
        write_paths: &["~/.cache/go-build", "~/.cache/golangci-lint"],
        values: &["--timeout", "-E", "-D"],
        matches: &[&[], &["./..."], &["--fix", "-E", "misspell"]],
        not_matches: &[
            &["--fix", "@x"],
            &["-c", "x"],
            &["--config=x"],
            &["--out-format=json:/tmp/x"],
            &["--cpu-profile-path=x"],
            &["--path-prefix", "x"],
            &["../x/..."],
        ],
        ..PLAIN
    },
    Shipped {
        id: "go_mod_tidy",
        program: "go",
        args: &["mod", "tidy"],
        summary: "Fetch the modules that Go code imports, and write them down",
        env_pass: GO_PLACES,
        flags: &["-v", "-e"],
        positional: Positional::None,
        env: GO,
        slow: true,
        network: true,
        write_paths: &["~/.cache/go-build", "~/go/pkg/mod", "~/go/pkg/sumdb"],
        matches: &[&[], &["-v"]],
        not_matches: &[&["-v", "x"], &["-C", ".."], &["-modfile=x"], &["-overlay=x"], &["x"]],
        ..PLAIN
    },
];
