#!/usr/bin/env bash
# Compiles the host for systems that this machine is not; a warning is a failure.
#
#   tests/cross/compile.sh windows [--release]   builds outrigger.exe, and prints the folder that it is in
#   tests/cross/compile.sh macos [--release]     the same for macOS on arm64, linked by zig, which runs nowhere here
#
# Without rustup's targets: Debian's `rustc-web` comes with the source of the standard library, which is compiled as well.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$ROOT"
# shellcheck source=../setup.sh
. tests/setup.sh

TARGETS=${CARGO_TARGET_DIR:-$ROOT/target}
what=${1:-}
shift || true
need_cross_compiler
export PATH=/usr/bin:$PATH RUSTC=/usr/bin/rustc CARGO=/usr/bin/cargo RUSTC_BOOTSTRAP=1
profile=debug
case " $* " in *" --release "*) profile=release ;; esac

# built TARGET COMMAND...: what cargo says of our own code is remembered by it, and said again where nothing is compiled again.
built() {
  local target=$1 log
  shift
  log=$(mktemp)
  "$@" --locked -Zbuild-std=std,panic_abort --target "$target" 2> >(tee "$log" >&2)
  if grep -q '^warning: `outrigger`' "$log"; then
    rm -f "$log"
    fail "there are warnings"
  fi
  rm -f "$log"
  printf '%s\n' "$CARGO_TARGET_DIR/$target/$profile"
}

# framework NAME SYMBOL...: what a linker wants to know of a part of macOS, which zig does not carry: its place and its names.
framework() {
  local name=$1 folder="$SDKROOT/System/Library/Frameworks/$1.framework" symbol
  shift
  mkdir -p "$folder"
  {
    printf -- '--- !tapi-tbd\ntbd-version: 4\ntargets: [ arm64-macos ]\n'
    printf "install-name: '/System/Library/Frameworks/%s.framework/Versions/A/%s'\n" "$name" "$name"
    printf 'exports:\n  - targets: [ arm64-macos ]\n    symbols:\n'
    for symbol in "$@"; do printf '      - %s\n' "$symbol"; done
    printf '...\n'
  } >"$folder/$name.tbd"
}

case $what in
  windows)
    export CARGO_TARGET_DIR=$TARGETS/cross-win
    built x86_64-pc-windows-gnu cargo build "$@"
    ;;
  macos)
    need_zig
    export CARGO_TARGET_DIR=$TARGETS/cross-mac CARGO_PROFILE_RELEASE_STRIP=none
    export PATH=$TARGETS/zig-venv/bin:$PATH SDKROOT=$TARGETS/cross-mac/sdk
    # What the watching of folders calls; all else is in the system's library, which zig knows.
    framework CoreFoundation \
    _CFArrayAppendValue _CFArrayCreateMutable _CFArrayGetCount _CFArrayGetValueAtIndex _CFArrayInsertValueAtIndex \
    _CFArrayRemoveValueAtIndex _CFRelease _CFRetain _CFRunLoopGetCurrent _CFRunLoopIsWaiting _CFRunLoopRun _CFRunLoopStop \
    _CFStringCompare _CFURLCopyAbsoluteURL _CFURLCopyFileSystemPath _CFURLCopyLastPathComponent \
    _CFURLCreateCopyAppendingPathComponent _CFURLCreateCopyDeletingLastPathComponent _CFURLCreateFilePathURL \
    _CFURLCreateFileReferenceURL _CFURLCreateFromFileSystemRepresentation \
    _CFURLCreateFromFileSystemRepresentationRelativeToBase _CFURLResourceIsReachable _kCFAllocatorDefault \
    _kCFRunLoopDefaultMode _kCFTypeArrayCallBacks
    framework CoreServices \
    _FSEventStreamCreate _FSEventStreamGetDeviceBeingWatched _FSEventStreamInvalidate _FSEventStreamRelease \
    _FSEventStreamScheduleWithRunLoop _FSEventStreamStart _FSEventStreamStop _FSEventsGetCurrentEventId \
    _FSEventsPurgeEventsForDeviceUpToEventId
    framework Security _SecCopyErrorMessageString
    built aarch64-apple-darwin cargo-zigbuild build "$@"
    ;;
  *) fail "say windows or macos" ;;
esac
