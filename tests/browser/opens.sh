#!/bin/sh
# How long the page of a run of 1,000 dialogues takes to open in a real browser, with 10 and with 30 turns each: what
# docs/speed.md says. IFS_PROGRAM is a release build. Ends with 75 where a browser is missing.
set -eu
cd "$(dirname "$0")/../.."
. tests/browser/tools.sh
ifs=${IFS_PROGRAM:-target/release/ifs}
[ -x "$ifs" ] || cargo build --release
for turns in 10 30; do
  rm -rf "$work/opens"
  "$ifs" run scenarios/evolif/evolif.ifs -m sim/noisy:0.05 -n 1000 --max-turns "$turns" --out "$work/opens" > /dev/null
  "$ifs" report "$work/opens" --format html > "$work/opens-$turns.html"
done
rm -rf "$work/opens"
NODE_PATH="$work/node_modules" exec node tests/browser/opens.cjs "$chromium" "$PWD/$work/opens-10.html" "$PWD/$work/opens-30.html"
