#!/bin/sh
# Makes a package for macOS, on a Mac, of the archive that `installers/build.sh --macos FILE` makes on any system.
#
#   installers/macos/build-pkg.sh ARCHIVE.tar.gz OUT.pkg
#
# SIGN_PROGRAM and SIGN_PACKAGE name identities of the keychain ("Developer ID Application: …", "Developer ID Installer: …"); without them
# nothing is signed, and macOS refuses the package unless a person insists. Notarising is the publisher's next step:
#   xcrun notarytool submit OUT.pkg --keychain-profile PROFILE --wait && xcrun stapler staple OUT.pkg
# To take it back: `sudo outrigger uninstall --scope system`, then delete what `pkgutil --files dev.outrigger.host` lists.
set -eu
[ $# -eq 2 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 64; }
for tool in pkgbuild productbuild codesign; do
  command -v "$tool" >/dev/null || { echo "build-pkg.sh: there is no $tool; this runs on a Mac" >&2; exit 1; }
done
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/archive" "$work/root" "$work/resources"
tar -xf "$1" -C "$work/archive" --strip-components 1
mkdir -p "$work/root/usr/local"
mv "$work/archive/bin" "$work/archive/share" "$work/root/usr/local/"
cp "$work/root/usr/local/share/doc/outrigger/LICENSE-MIT" "$work/resources/"
# Questions of macOS about folders name this program, so its signature is what people see.
if [ -n "${SIGN_PROGRAM:-}" ]; then
  codesign --force --timestamp --options runtime --identifier dev.outrigger.host --sign "$SIGN_PROGRAM" "$work/root/usr/local/bin/outrigger"
fi
version=$(sed -n 's/^ *"version": "\(.*\)",*$/\1/p' "$work/archive/release.json")
pkgbuild --root "$work/root" --identifier dev.outrigger.host --version "$version" --scripts "$here/scripts" --ownership recommended \
  "$work/outrigger-component.pkg"
sed "s/@VERSION@/$version/" "$here/distribution.xml" >"$work/distribution.xml"
if [ -n "${SIGN_PACKAGE:-}" ]; then set -- "$@" --sign "$SIGN_PACKAGE"; fi
out=$2
shift 2
productbuild --distribution "$work/distribution.xml" --package-path "$work" --resources "$work/resources" "$@" "$out"
