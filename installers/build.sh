#!/usr/bin/env bash
# Makes packages of a binary and of the extension's builds, which have to be there already.
#
#   installers/build.sh --binary FILE --out DIR [--windows FILE] [--macos FILE] [--chrome DIR] [--firefox DIR]
#                       [--base-url URL] [--kinds sbom,tar,zips,deb,rpm,windows,msi,macos,definitions]
#
# --binary   the host, as `cargo build --release` leaves it
# --windows  the host for Windows, as `tests/cross/compile.sh windows --release` leaves it (for the kind `windows`)
# --macos    the host for macOS, as `cargo build --release` leaves it there (for the kind `macos`: the archive that
#            `installers/macos/build-pkg.sh` makes a package of)
# --base-url where the files will be found, for the definitions of Homebrew, Scoop and winget
# --chrome   the extension's build for Chromium's family (default: extension/.output/chrome-mv3)
# --firefox  the one for Firefox's (default: extension/.output/firefox-mv3)
# --kinds    what to make (default: all for which the tools are here)
#
# Nothing is downloaded, compiled or signed. The same input makes the same bytes: names sorted, owners 0, one date for all
# (SOURCE_DATE_EPOCH, else that of the last commit). DIR/SHA256SUMS has the sums; what could not be made is said.
set -euo pipefail
export LC_ALL=C TZ=UTC
umask 022

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
fail() {
  printf 'build.sh: %s\n' "$*" >&2
  exit 1
}
# How hard archives are pressed: what is made to be looked at once need not be small.
level=${OUTRIGGER_PACK_LEVEL:-9}
have() { command -v "$1" >/dev/null 2>&1; }

binary='' out='' windows='' macos='' base_url='' chrome="$ROOT/extension/.output/chrome-mv3" firefox="$ROOT/extension/.output/firefox-mv3" kinds=''
while [ $# -gt 0 ]; do
  case $1 in
    --binary | --out | --windows | --macos | --base-url | --chrome | --firefox | --kinds)
      [ $# -ge 2 ] || fail "$1 needs a value"
      option=${1#--}
      declare "${option//-/_}=$2"
      shift
      ;;
    -h | --help)
      sed -n '2,20s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) fail "unknown option \`$1\`; see --help" ;;
  esac
  shift
done
[ -x "$binary" ] || fail "--binary must name the host; \`cargo build --release\` makes target/release/outrigger"
[ -n "$out" ] || fail "--out must name a folder"
[ -f "$chrome/manifest.json" ] || fail "there is no extension in $chrome; \`npm --prefix extension run build\` makes one"
[ -f "$firefox/manifest.json" ] || fail "there is no extension in $firefox; \`npm --prefix extension run build:firefox\` makes one"

mkdir -p "$out"
out=$(cd "$out" && pwd)
binary=$(readlink -f "$binary")
version=$("$binary" --version | cut -d' ' -f2)
machine=$(uname -m)
: "${SOURCE_DATE_EPOCH:=$(git -C "$ROOT" log -1 --format=%ct 2>/dev/null || echo 0)}"
export SOURCE_DATE_EPOCH
work=$(mktemp -d "${TMPDIR:-/tmp}/outrigger-build-XXXXXX")
trap 'rm -rf "$work"' EXIT
missing=()
if [ -z "$kinds" ]; then
  kinds=sbom,tar,zips,deb,rpm${windows:+,windows,msi}${macos:+,macos},definitions
fi
fetched=no
# What the packages are made of, for one system; beside the papers in each.
bill() {
  local target=$1 program=$2 to=$3
  if ! have python3 || ! have cargo; then
    case " ${missing[*]-} " in *" sbom: "*) ;; *) missing+=("sbom: there is no python3 or no cargo") ;; esac
    return
  fi
  # Of another system's crates a build here has downloaded only what it compiled.
  [ "$fetched" = yes ] || cargo fetch --locked --quiet --manifest-path "$ROOT/Cargo.toml" || echo "cargo fetch failed; going on with what is there" >&2
  fetched=yes
  python3 "$ROOT/installers/sbom.py" --target "$target" --binary "$program" --out "$to"
}
here=$({ rustc -vV 2>/dev/null || true; } | sed -n 's/^host: //p')

# dated FOLDER: one date for everything in it.
dated() { find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; }
# packed FILE FOLDER NAME: a tar.gz of FOLDER/NAME.
packed() {
  tar --directory="$2" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu -cf - "$3" |
    gzip --no-name "-$level" >"$1"
}
# zipped FILE FOLDER: a zip of what is in FOLDER. Python is there wherever the tests run; `zip` often is not.
zipped() {
  python3 - "$1" "$2" <<'PYTHON'
import os, sys, time, zipfile
target, folder = sys.argv[1:]
date = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
files = sorted(os.path.relpath(os.path.join(root, name), folder) for root, _, names in os.walk(folder) for name in names)
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for name in files:
        entry = zipfile.ZipInfo(name, date)
        entry.external_attr = 0o644 << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        with open(os.path.join(folder, name), "rb") as file:
            archive.writestr(entry, file.read())
PYTHON
}

# What every package has, below a prefix: program, extension, completions, manual pages, papers.
tree() {
  local root=$1 share=$1/share
  mkdir -p "$root/bin" "$share/outrigger/extension" "$share/man/man1" "$share/doc/outrigger" \
    "$share/bash-completion/completions" "$share/zsh/site-functions" "$share/fish/vendor_completions.d"
  install -m 755 "$binary" "$root/bin/outrigger"
  cp -R "$chrome" "$share/outrigger/extension/chrome"
  cp -R "$firefox" "$share/outrigger/extension/firefox"
  cp -R "$ROOT/installers/policies" "$share/outrigger/policies"
  "$binary" completions bash >"$share/bash-completion/completions/outrigger"
  "$binary" completions zsh >"$share/zsh/site-functions/_outrigger"
  "$binary" completions fish >"$share/fish/vendor_completions.d/outrigger.fish"
  "$binary" man --out "$share/man/man1"
  gzip --no-name -9 "$share"/man/man1/*.1
  cp "$ROOT/LICENSE-APACHE" "$ROOT/LICENSE-MIT" "$ROOT/CHANGELOG.md" "$ROOT/docs/install.md" "$ROOT/docs/admin.md" "$share/doc/outrigger/"
  bill "$here" "$binary" "$share/doc/outrigger/sbom.cdx.json"
  chmod -R u=rwX,go=rX "$root"
}

make_sbom() { bill "$here" "$binary" "$out/outrigger-$version-linux-$machine.cdx.json"; }

make_tar() {
  local name="outrigger-$version-linux-$machine"
  tree "$work/$name"
  install -m 755 "$ROOT/installers/archive/install.sh" "$ROOT/installers/archive/uninstall.sh" "$work/$name/"
  packed "$out/$name.tar.gz" "$work" "$name"
}

# For the stores, and the sources that Mozilla asks for beside a built extension.
make_zips() {
  have python3 || { missing+=("zips: there is no python3"); return; }
  zipped "$out/outrigger-extension-$version-chrome.zip" "$chrome"
  zipped "$out/outrigger-extension-$version-firefox.zip" "$firefox"
  if git -C "$ROOT" rev-parse HEAD >/dev/null 2>&1; then
    git -C "$ROOT" archive --format=tar HEAD extension manifests LICENSE-MIT LICENSE-APACHE | tar -xf - -C "$(mkdir -p "$work/sources" && echo "$work/sources")"
    zipped "$out/outrigger-extension-$version-sources.zip" "$work/sources"
  else
    missing+=("the sources' zip: this is no git repository")
  fi
}

make_deb() {
  have dpkg-deb || { missing+=("deb: there is no dpkg-deb"); return; }
  local root="$work/deb" architecture
  architecture=$(dpkg --print-architecture)
  tree "$root/usr"
  mkdir -p "$root/DEBIAN"
  cp "$ROOT/installers/deb/copyright" "$root/usr/share/doc/outrigger/copyright"
  # The oldest libc that has every symbol the host was linked with.
  glibc=$(grep -aoE 'GLIBC_2\.[0-9]+' "$binary" | sort -uV | tail -n 1)
  sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@GLIBC@/${glibc#GLIBC_}/" \
    -e "s/@SIZE@/$(du -sk "$root/usr" | cut -f1)/" "$ROOT/installers/deb/control" >"$root/DEBIAN/control"
  install -m 755 "$ROOT/installers/deb/postinst" "$ROOT/installers/deb/prerm" "$root/DEBIAN/"
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  dated "$root"
  dpkg-deb --root-owner-group -Zgzip "-z$level" --build "$root" "$out/outrigger_${version}_$architecture.deb" >/dev/null
}

# The program, the extension and the papers, with Windows' line ends for what people read and run there.
make_windows() {
  [ -n "$windows" ] || { missing+=("windows: --windows names no program"); return; }
  have python3 || { missing+=("windows: there is no python3"); return; }
  local name="outrigger-$version-windows-x86_64" root share
  root="$work/windows/$name" share="$work/windows/$name/share/outrigger"
  mkdir -p "$root/bin" "$share/extension" "$share/doc"
  cp "$windows" "$root/bin/outrigger.exe"
  cp -R "$chrome" "$share/extension/chrome"
  cp -R "$firefox" "$share/extension/firefox"
  cp -R "$ROOT/installers/policies" "$share/policies"
  "$binary" completions powershell >"$share/outrigger.ps1"
  cp "$ROOT/LICENSE-APACHE" "$ROOT/LICENSE-MIT" "$ROOT/CHANGELOG.md" "$ROOT/docs/install.md" "$ROOT/docs/admin.md" "$share/doc/"
  cp "$ROOT/installers/archive/install.cmd" "$ROOT/installers/archive/uninstall.cmd" "$ROOT/installers/archive/install.ps1" "$root/"
  bill x86_64-pc-windows-gnu "$windows" "$share/doc/sbom.cdx.json"
  zipped "$out/$name.zip" "$work/windows"
}

# The same as the Windows archive, for this user, by Windows' own installer.
make_msi() {
  [ -n "$windows" ] || { missing+=("msi: --windows names no program"); return; }
  have wixl && have msiinfo || { missing+=("msi: there is no wixl (Debian: apt install wixl msitools)"); return; }
  local name="outrigger-$version-windows-x86_64"
  [ -d "$work/windows/$name" ] || make_windows
  cp -R "$work/windows/$name" "$work/msi"
  # What the archive needs to install itself.
  rm "$work/msi/install.cmd" "$work/msi/install.ps1" "$work/msi/uninstall.cmd"
  python3 "$ROOT/installers/msi/wxs.py" --tree "$work/msi" --version "$version" --out "$work/msi.wxs"
  cp "$work/msi.wxs" "$work/msi/outrigger.wxs"
  dated "$work/msi"
  (cd "$work/msi" && wixl -a x64 -o "$out/$name.msi" outrigger.wxs)
  python3 "$ROOT/installers/msi/steady.py" "$out/$name.msi"
}

# Completions and pages are those of the host that runs here; they are the same everywhere.
make_macos() {
  [ -n "$macos" ] || { missing+=("macos: --macos names no program"); return; }
  local name="outrigger-$version-macos-arm64"
  tree "$work/$name"
  install -m 755 "$macos" "$work/$name/bin/outrigger"
  install -m 755 "$ROOT/installers/archive/install.sh" "$ROOT/installers/archive/uninstall.sh" "$work/$name/"
  bill aarch64-apple-darwin "$macos" "$work/$name/share/doc/outrigger/sbom.cdx.json"
  printf '{\n  "version": "%s"\n}\n' "$version" >"$work/$name/release.json"
  packed "$out/$name.tar.gz" "$work" "$name"
}

# Last: they have the sums of the files that were made, and of nothing else.
make_definitions() {
  have python3 || { missing+=("definitions: there is no python3"); return; }
  local said
  said=$(python3 "$ROOT/installers/definitions.py" --artefacts "$out" --version "$version" ${base_url:+--base-url "$base_url"})
  [ -z "$said" ] || while read -r line; do missing+=("$line"); done <<<"$said"
}

make_rpm() {
  have rpmbuild || { missing+=("rpm: there is no rpmbuild (Debian: apt install rpm)"); return; }
  tree "$work/rpm-root/usr"
  dated "$work/rpm-root"
  rpmbuild -bb --quiet --target "$machine" --define "_topdir $work/rpm" --define "version_of_outrigger $version" \
    --define "tree $work/rpm-root" --define "_buildhost localhost" --define "use_source_date_epoch_as_buildtime 1" \
    --define "_binary_payload w$level.gzdio" --define "clamp_mtime_to_source_date_epoch 1" --define "_build_id_links none" "$ROOT/installers/rpm/outrigger.spec" >"$work/rpm.log" 2>&1 ||
    { cat "$work/rpm.log" >&2; fail "rpmbuild failed"; }
  cp "$work"/rpm/RPMS/*/*.rpm "$out/"
}

IFS=, read -r -a wanted <<<"$kinds"
for kind in "${wanted[@]}"; do
  case $kind in
    sbom | tar | zips | deb | rpm | windows | msi | macos | definitions) "make_$kind" ;;
    *) fail "unknown kind \`$kind\`: sbom, tar, zips, deb, rpm, windows, msi, macos, definitions" ;;
  esac
done
(cd "$out" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)
cat "$out/SHA256SUMS"
for what in "${missing[@]+"${missing[@]}"}"; do printf 'not made: %s\n' "$what"; done
