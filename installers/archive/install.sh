#!/bin/sh
# Installs outrigger for this user: no root, nothing outside of the home folder. `./uninstall.sh` takes it back.
#
#   ./install.sh            for every browser that is found here
#   ./install.sh OPTIONS    those of `outrigger install`, such as --browser chrome
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}/outrigger
mkdir -p "$data"
rm -rf "$data/extension.new"
cp -R "$here/share/outrigger/extension" "$data/extension.new"
rm -rf "$data/extension"
mv "$data/extension.new" "$data/extension"
"$here/bin/outrigger" install "$@"
# The command for a terminal; a file of somebody else's stays.
commands=$HOME/.local/bin
if [ ! -e "$commands/outrigger" ] || [ -L "$commands/outrigger" ]; then
  mkdir -p "$commands"
  ln -sfn "$data/bin/outrigger" "$commands/outrigger"
fi
case :$PATH: in
  *:"$commands":*) ;;
  *) printf 'To type `outrigger` in a terminal, add %s to your PATH.\n' "$commands" ;;
esac
