#!/bin/sh
# A macOS package, to be made on a Mac: build-pkg.sh BINARY VERSION OUT. Signing and notarising are the publisher's:
#   productsign --sign "Developer ID Installer: …", xcrun notarytool submit --wait, xcrun stapler staple
set -eu
binary=$1 version=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
install -d "$root/usr/local/bin"
install -m 755 "$binary" "$root/usr/local/bin/outrigger"
pkgbuild --root "$root" --identifier dev.outrigger.host --version "$version" --scripts "$here/scripts" "$out"
