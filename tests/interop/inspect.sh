#!/usr/bin/env bash
# Logs of `ifs report --format inspect` read by inspect_ai: its reader, its data frames, and the
# bundle of its viewer. Sets up an environment of its own under target/interop.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
place=$root/target/interop/inspect
ifs=$root/target/debug/ifs

cargo build --manifest-path "$root/Cargo.toml"
[ -x "$place/bin/inspect" ] || {
  python3 -m venv "$place"
  "$place/bin/pip" install --quiet 'inspect_ai==0.3.285' pandas pyarrow
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for system in evolif structflowbench meeseeks mars mmmt; do
  for model in oracle forgetful; do
    "$ifs" run "$root/scenarios/$system/$system.ifs" -n 3 --max-turns 6 -m "sim/$model" \
      --judge sim/judge --out "$work/runs/$system-$model" > "$work/run.log" 2>&1 || {
      cat "$work/run.log"
      exit 1
    }
  done
done
"$ifs" report "$work"/runs/* --format inspect --out "$work/logs" > "$work/written"
"$place/bin/python" "$here/inspect_logs.py" "$work/logs" "$work"/runs/* < "$work/written"
"$place/bin/inspect" view bundle --log-dir "$work/logs" --output-dir "$work/viewer" > "$work/bundle.log" 2>&1 || {
  cat "$work/bundle.log"
  exit 1
}
[ "$(find "$work/viewer/logs" -name '*.eval' | wc -l)" = 10 ]
echo "ok: the bundle of the viewer has every log"
