#!/usr/bin/env bash
# Stands in rustc's place for the project's own crates (`RUSTC_WORKSPACE_WRAPPER`): compiles them with clippy's lints, and has
# rustdoc read the library. `cargo clippy` and `cargo doc` each check all dependencies once more; here those of the build serve.
set -euo pipefail
tools=$(dirname "$1")
# As `cargo clippy -- -D warnings` does; nothing that is made here runs, so it needs no line tables.
export CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
"$tools/clippy-driver" "$@" -C debuginfo=0

case " $* " in *" --test "*) exit 0 ;; *" src/lib.rs "*) ;; *) exit 0 ;; esac
read_by_rustdoc=()
shift
while [ $# -gt 0 ]; do
  case $1 in
    --emit=*) ;;
    --out-dir) shift ;;
    *) read_by_rustdoc+=("$1") ;;
  esac
  shift
done
# Pages are nobody's use here, only what rustdoc says.
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
"$tools/rustdoc" "${read_by_rustdoc[@]}" --document-private-items --out-dir "$pages" -D warnings
