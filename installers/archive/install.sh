#!/bin/sh
# Installs outrigger for this user: no root, nothing outside of the home folder. `./uninstall.sh` or `outrigger uninstall` takes it
# back. Where it is installed already, the same browsers and extensions get this version.
#
#   ./install.sh            for every browser that is found here
#   ./install.sh OPTIONS    those of `outrigger install`, such as --browser chrome
set -eu
self=$0
while [ -L "$self" ]; do
  to=$(readlink "$self")
  case $to in /*) self=$to ;; *) self=$(dirname -- "$self")/$to ;; esac
done
# With CDPATH set, `cd` would print where it went.
here=$(CDPATH='' cd -- "$(dirname -- "$self")" && pwd)
exec "$here/bin/outrigger" install --keep --with-extension --with-command "$@"
