#!/usr/bin/env bash
# The numbers of `ifs report` and `ifs compare`, computed again by SciPy, statsmodels and lifelines from the
# rows of `--format csv`. Sets up an environment of its own under target/interop.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/tools.sh"
environment statistics "lifelines, scipy, statsmodels" "scipy statsmodels lifelines"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# run NAME MODEL ARGUMENTS…: a run with its report and its rows.
run() {
  local name=$1 model=$2
  shift 2
  "$ifs" run "$root/scenarios/evolif/evolif.ifs" -m "$model" --out "$name" "$@" > run.log 2>&1 || {
    cat run.log
    exit 1
  }
  "$ifs" report "$name" --format json > "$name.json"
  "$ifs" report "$name" --format csv > "$name.csv"
}
# Few dialogues are tested exactly, many by a normal approximation; one turn each is McNemar's own case.
for kind in "few 12 8" "many 400 5" "single 80 1"; do
  read -r name count turns <<< "$kind"
  run "$name-1" sim/noisy:0.08 -n "$count" --max-turns "$turns"
  run "$name-2" sim/noisy:0.3 -n "$count" --max-turns "$turns"
  run "$name-3" sim/forgetful -n "$count" --max-turns "$turns"
  "$ifs" compare "$name"-{1,2,3} --sizes 4,8 --format json > "$name.json"
done
"$place/bin/python" "$here/compare_statistics.py" few many single
