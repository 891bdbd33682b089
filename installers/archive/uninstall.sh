#!/bin/sh
# Takes back what ./install.sh did for this user, as `outrigger uninstall` does. Your configuration, the journal and the audit stay.
set -eu
self=$0
while [ -L "$self" ]; do
  to=$(readlink "$self")
  case $to in /*) self=$to ;; *) self=$(dirname -- "$self")/$to ;; esac
done
# With CDPATH set, `cd` would print where it went.
here=$(CDPATH='' cd -- "$(dirname -- "$self")" && pwd)
exec "$here/bin/outrigger" uninstall "$@"
