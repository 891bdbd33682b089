# shellcheck shell=bash
# What `installers/try.sh` and `tests/run` both need on a fresh Debian-like machine. To be sourced, with `ROOT` set.
#
# Every function says what is missing and what it installs before it does so, and does nothing where nothing is missing.
# It installs packages of the system and of `extension/`; it never touches the user's browser profiles or configuration.

say() { printf '%s\n' "$*"; }
fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif have sudo; then
    sudo "$@"
  else
    fail "needs root for \`$*\`, and there is no sudo; run that as root once, then try again"
  fi
}

# need_tool PROGRAM WHY WHERE: for what is not ours to install.
need_tool() {
  have "$1" || fail "\`$1\` is not on the PATH. $2 $3"
}

apt_is_fresh=no
# apt_install REASON PACKAGE...
apt_install() {
  local reason=$1
  shift
  have apt-get || fail "missing: $* ($reason). This machine has no apt-get; install it another way, then try again"
  say "Installing $* by apt ($reason)"
  if [ "$apt_is_fresh" = no ]; then
    as_root apt-get update -qq >/dev/null || say "  apt-get update failed; going on with the package lists that are there"
    apt_is_fresh=yes
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null ||
    fail "apt could not install $* ($reason)"
}

# need_packages REASON PROGRAM=PACKAGE...: one installation for all that is missing.
need_packages() {
  local reason=$1 pair missing=()
  shift
  for pair in "$@"; do
    have "${pair%%=*}" || missing+=("${pair#*=}")
  done
  [ "${#missing[@]}" -eq 0 ] || apt_install "$reason" "${missing[@]}"
}

need_chromium() {
  [ -n "${CHROMIUM_BIN:-}" ] || have chromium || have chromium-browser || have google-chrome ||
    apt_install "the browser that shows the panel" chromium
}

# Pictures without a font show boxes instead of words.
need_fonts() {
  if have fc-list; then
    [ -n "$(fc-list 2>/dev/null | head -n 1)" ] && return
  elif [ -n "$(find /usr/share/fonts -name '*.ttf' -print -quit 2>/dev/null)" ]; then
    return
  fi
  apt_install "words in the pictures" fonts-dejavu-core
}

# Rust from rustup lives in a home, which need not be the HOME of this run, and often is not on a script's PATH.
find_cargo() {
  local own_home home
  own_home=$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6)
  export HOME="${HOME:-${own_home:-/tmp}}"
  for home in "$HOME" "$own_home"; do
    if ! have cargo && [ -x "$home/.cargo/bin/cargo" ]; then export PATH="$home/.cargo/bin:$PATH"; fi
  done
  have cargo || return 0
  for home in "" "$own_home/.rustup" "$(dirname "$(command -v cargo)")/../../.rustup"; do
    if [ -n "$home" ] && [ -d "$home" ]; then export RUSTUP_HOME="$home"; fi
    if cargo --version >/dev/null 2>&1; then return; fi
  done
  fail "\`cargo --version\` fails: $(cargo --version 2>&1 | head -n 1)"
}

need_toolchains() {
  # A host that is already built needs no compiler.
  if [ -z "${OUTRIGGER_BIN:-}" ]; then
    find_cargo
    need_tool cargo "The host is written in Rust." "Install it from https://rustup.rs"
    # libgit2 and SQLite are built from source.
    have cc || apt_install "the host's C libraries are compiled" gcc libc6-dev
  fi
  need_tool node "The extension is built with Node." "Install Node 18 or newer, for example by \`apt install nodejs npm\`"
  need_tool npm "The extension's packages come by npm." "Install it, for example by \`apt install npm\`"
  need_tool git "The sample workspace is a git repository." "Install it, for example by \`apt install git\`"
}

# For `tests/cross/compile.sh`: a compiler with the source of its standard library, and Windows' linker.
need_cross_compiler() {
  have /usr/bin/rustc && have /usr/bin/cargo && [ -d /usr/lib/rustlib/src/rust/library ] ||
    apt_install "the host is compiled for other systems" rustc-web cargo-web rust-web-src
  need_packages "the host is linked for Windows" x86_64-w64-mingw32-gcc=gcc-mingw-w64-x86-64
}

# Zig brings what linking for macOS takes, as Python's packages.
need_zig() {
  local venv=${TARGETS:-$ROOT/target}/zig-venv
  [ -x "$venv/bin/cargo-zigbuild" ] && return
  python3 -c 'import ensurepip' 2>/dev/null || apt_install "a place for zig" python3-venv
  say "Installing ziglang and cargo-zigbuild by pip (the host is linked for macOS)" >&2
  python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check ziglang cargo-zigbuild ||
    fail "pip could not install ziglang and cargo-zigbuild"
}

# A reader of PowerShell, which is no package of Debian's.
need_powershell_reader() {
  local venv=${CARGO_TARGET_DIR:-$ROOT/target}/powershell-venv
  [ -x "$venv/bin/python" ] && "$venv/bin/python" -c 'import tree_sitter_powershell' 2>/dev/null && return
  python3 -c 'import ensurepip' 2>/dev/null || apt_install "a place for a reader of PowerShell" python3-venv
  say "Installing tree-sitter-powershell by pip (what packages give to PowerShell is read)" >&2
  python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check tree-sitter==0.26.1 tree-sitter-powershell==0.26.4 ||
    fail "pip could not install tree-sitter-powershell"
}

# For `tests/cross/test_wine.py`.
need_wine() {
  have wixl && have msiinfo || apt_install "a package for Windows is built" wixl msitools
  { have wineboot && [ -x /usr/lib/wine/wine64 ]; } || apt_install "the host for Windows is run" wine wine64
}

# The extension's packages, exactly as the lock file names them. The stamp says for which lock file they were installed.
need_node_modules() {
  local lock="$ROOT/extension/package-lock.json" stamp="$ROOT/extension/node_modules/.outrigger-lock"
  if [ -e "$stamp" ] && cmp -s "$lock" "$stamp"; then return; fi
  say "Installing the extension's packages by npm ci (a newer Node for its build among them)"
  (cd "$ROOT/extension" && npm ci --no-audit --no-fund --loglevel=error) || fail "npm ci in extension/ failed"
  cp "$lock" "$stamp"
}

# The Node that runs our own scripts: the system's where it is new enough, else the one from npm.
own_node() {
  local local_node="$ROOT/extension/node_modules/.bin/node"
  if [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 22')" = true ] || [ ! -x "$local_node" ]; then
    command -v node
  else
    readlink -f "$local_node"
  fi
}
