#!/bin/sh
# Takes back what ./install.sh did for this user, as `outrigger uninstall` does. Your configuration, the journal and the audit stay.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/bin/outrigger" uninstall "$@"
