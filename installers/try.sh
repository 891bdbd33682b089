#!/usr/bin/env bash
# Shows Outrigger's main job on this machine, in a browser profile that is thrown away afterwards.
#
#   installers/try.sh                        a browser window with the panel; type a task and watch
#   installers/try.sh --headless             without a screen: does the whole job by clicking the panel, checks the result,
#                                            leaves transcript.json and *.png, says where, and fails with a reason if it went wrong
#   --out DIR                                where to leave them, instead of a new folder for temporary files
#   --keep                                   leaves the throw-away folder (profile, workspace, state) in place
#
# Needs Rust, Node and git. What else is missing is installed, and said before. Your own browser profiles and your own
# configuration are not touched. `OUTRIGGER_BIN=FILE` uses a host that is already built.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=../tests/setup.sh
. "$ROOT/tests/setup.sh"

usage() { sed -n '2,/^set -euo/p' "${BASH_SOURCE[0]}" | sed -n 's/^# \{0,1\}//p'; }

headless=no out='' keep=no
while [ $# -gt 0 ]; do
  case $1 in
    --headless) headless=yes ;;
    --out)
      [ $# -ge 2 ] || fail "--out needs a folder"
      out=$2
      shift
      ;;
    --keep) keep=yes ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) fail "unknown option \`$1\`; see --help" ;;
  esac
  shift
done

if [ "$headless" = yes ]; then
  [ -n "$out" ] || out=$(mktemp -d "${TMPDIR:-/tmp}/outrigger-shown-XXXXXX")
  mkdir -p "$out" || fail "cannot make the folder $out"
  out=$(cd "$out" && pwd)
elif [ -z "${DISPLAY:-}" ] && [ -z "${WAYLAND_DISPLAY:-}" ]; then
  fail "there is no display (DISPLAY is not set); use \`installers/try.sh --headless\`"
fi

need_toolchains
need_chromium
if [ "$headless" = yes ]; then
  have Xvfb || apt_install "a screen nobody sees, for pictures of the whole window" xvfb
  need_fonts
fi
need_node_modules

if [ -z "${OUTRIGGER_BIN:-}" ]; then
  say "Building the host (cargo build --release; some minutes the first time)"
  (cd "$ROOT" && cargo build --release --locked --quiet) || fail "the host did not build"
  OUTRIGGER_BIN="${CARGO_TARGET_DIR:-$ROOT/target}/release/outrigger"
fi
export OUTRIGGER_BIN

say "Building the extension"
(cd "$ROOT/extension" && npm run --silent build >"$ROOT/extension/.output-build.log" 2>&1) || {
  cat "$ROOT/extension/.output-build.log" >&2
  fail "the extension did not build"
}
rm -f "$ROOT/extension/.output-build.log"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/outrigger-try-XXXXXX")
tidy() {
  if [ "$keep" = yes ]; then say "Kept: $scratch"; else rm -rf "$scratch"; fi
}
trap tidy EXIT

set -- --scratch "$scratch"
if [ "$headless" = yes ]; then set -- --headless --out "$out" "$@"; fi
# In the background, so that a signal reaches it at once; it closes the browser and then ends by itself.
"$(own_node)" "$ROOT/tests/e2e/try.mjs" "$@" &
driver=$!
trap 'kill -TERM "$driver" 2>/dev/null || true' INT TERM HUP
status=0
wait "$driver" || status=$?
while kill -0 "$driver" 2>/dev/null; do wait "$driver" || status=$?; done
exit "$status"
