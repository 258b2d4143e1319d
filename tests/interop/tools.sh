# shellcheck shell=bash
# Sourced by the scripts beside it. `environment NAME MODULES PACKAGES` sets `place`, a Python environment under
# target/interop that has the packages, and builds `ifs` unless IFS_PROGRAM names it.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
ifs=${IFS_PROGRAM:-$root/target/debug/ifs}
environment() {
  place=$root/target/interop/$1
  [ -x "$ifs" ] || cargo build --manifest-path "$root/Cargo.toml"
  [ -x "$place/bin/python" ] || python3 -m venv "$place"
  # shellcheck disable=SC2086
  "$place/bin/python" -c "import $2" 2> /dev/null || "$place/bin/pip" install --quiet $3
}
