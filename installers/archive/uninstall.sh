#!/bin/sh
# Takes back what ./install.sh did for this user. Your configuration, the journal and the audit stay.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}/outrigger
"$here/bin/outrigger" uninstall "$@"
rm -rf "$data/extension"
if [ "$(readlink "$HOME/.local/bin/outrigger" 2>/dev/null || true)" = "$data/bin/outrigger" ]; then
  rm "$HOME/.local/bin/outrigger"
  rmdir "$HOME/.local/bin" 2>/dev/null || true
fi
rmdir "$data" "$(dirname "$data")" "$HOME/.local" 2>/dev/null || true
