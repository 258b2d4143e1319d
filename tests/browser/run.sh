#!/bin/sh
# The HTML reports of seven scenarios and a preview in a real browser. Needs node, npm and Chromium (or
# CHROMIUM, its path); downloads playwright-core from npm into target/browser. Ends with 75 where these are missing.
set -eu
cd "$(dirname "$0")/../.."
. tests/browser/tools.sh
ifs=${IFS_PROGRAM:-target/debug/ifs}
[ -x "$ifs" ] || cargo build
rm -rf "$work/run"
"$ifs" run scenarios/evolif/evolif.ifs -m sim/noisy:0.05 -n 60 --max-turns 6 --out "$work/run" > /dev/null
"$ifs" report "$work/run" --format html > "$work/report.html"
rm -rf "$work/other"
"$ifs" run scenarios/evolif/evolif.ifs -m sim/forgetful -n 20 --max-turns 8 --out "$work/other" > /dev/null
"$ifs" report "$work/run" "$work/other" --format html > "$work/several.html"
for system in hierarchy meeseeks mars mmmt structflowbench sysbench; do
  rm -rf "$work/$system"
  "$ifs" run "scenarios/$system/$system.ifs" -m sim/noisy:0.2 --judge sim/judge -n 4 --out "$work/$system" > /dev/null
  "$ifs" report "$work/$system" --format html > "$work/$system.html"
done
"$ifs" preview scenarios/evolif/evolif.ifs -n 6 --sample 30 --turns 8 --out "$work/preview.html"
NODE_PATH="$work/node_modules" exec node tests/browser/walk.cjs "$chromium" "$PWD/$work"
