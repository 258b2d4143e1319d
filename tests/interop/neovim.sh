#!/usr/bin/env bash
# Neovim with its own client against `ifs lsp`, on copies of shipped scenarios. Needs Neovim 0.7 or later; ends
# with 75 without it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
if ! command -v nvim >/dev/null; then
  echo "nvim is missing" >&2
  exit 75
fi
ifs=${IFS_PROGRAM:-$root/target/debug/ifs}
[ -x "$ifs" ] || cargo build --manifest-path "$root/Cargo.toml"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$root/scenarios/evolif" "$root/scenarios/intake" "$work"
cd "$work"
# Nothing of the user's configuration is read.
export XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache
IFS_PROGRAM=$ifs timeout 120 nvim --headless --clean -u NONE -c "luafile $here/neovim.lua"
