#!/usr/bin/env bash
# Stands in rustc's place for the project's own crates (`RUSTC_WORKSPACE_WRAPPER`): reads them with clippy's lints, and has
# rustdoc read the library. `cargo clippy` and `cargo doc` each check all dependencies once more; here those of the build serve.
# Nothing is compiled to code: what cargo expects to find afterwards is put there empty, but for a program that was built before.
set -euo pipefail
tools=$(dirname "$1")
# As `cargo clippy -- -D warnings` does.
export CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__

reading=() name='' kind='' suffix='' folder='' emits=''
for word in "$@"; do
  case ${before:-} in
    --crate-name) name=$word ;;
    --crate-type) kind=$word ;;
    --out-dir) folder=$word ;;
  esac
  case $word in
    extra-filename=*) suffix=${word#extra-filename=} ;;
    --emit=*link*)
      emits=yes
      word=--emit=dep-info,metadata
      ;;
    # The library of this very run has metadata alone.
    outrigger=*.rlib) word=${word%.rlib}.rmeta ;;
  esac
  reading+=("$word")
  before=$word
done
"$tools/clippy-driver" "${reading[@]}"
# What cargo starts right away has to be a program.
[ "$name" != build_script_build ] || exec "$@"
if [ -n "$emits" ]; then
  case $kind in
    lib) : >"$folder/lib$name$suffix.rlib" ;;
    # The program that was built stays where it is: cargo puts this in its place.
    *)
      rm -f "$folder/$name$suffix"
      ln "$folder/../$name" "$folder/$name$suffix" 2>/dev/null || : >"$folder/$name$suffix"
      ;;
  esac
fi

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
