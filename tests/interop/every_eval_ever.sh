#!/usr/bin/env bash
# Records of `ifs report --format every-eval-ever`, checked by the collection's own validator: its schema
# and its rules. Needs Python 3.12 or later (PYTHON); sets up an environment of its own under target/interop.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$root/target/interop/every_eval_ever
ifs=${IFS_PROGRAM:-$root/target/debug/ifs}

[ -x "$ifs" ] || cargo build --manifest-path "$root/Cargo.toml"
[ -x "$place/bin/every_eval_ever" ] || {
  "${PYTHON:-python3}" -m venv "$place"
  "$place/bin/pip" install --quiet 'every-eval-ever==0.3.0'
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for system in evolif structflowbench meeseeks mars mmmt; do
  "$ifs" run "$root/scenarios/$system/$system.ifs" -n 3 --max-turns 6 -m sim/forgetful --judge sim/judge \
    --out "$work/$system" > "$work/run.log" 2>&1 || {
    cat "$work/run.log"
    exit 1
  }
  # The collection's folders: benchmark, developer, model.
  folder=$work/data/$system/sim/forgetful
  mkdir -p "$folder"
  "$ifs" report "$work/$system" --format every-eval-ever \
    > "$folder/$("$place/bin/python" -c 'import uuid; print(uuid.uuid4())').json"
done
cd "$work"
"$place/bin/every_eval_ever" validate data/*/sim/forgetful/*.json
