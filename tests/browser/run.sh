#!/bin/sh
# The HTML reports of five systems and a preview in a real browser. Needs node, npm and Chromium (CHROMIUM, by default
# /usr/bin/chromium); downloads playwright-core from npm into target/browser.
set -eu
cd "$(dirname "$0")/../.."
work=target/browser
ifs=${IFS_PROGRAM:-target/debug/ifs}
chromium=${CHROMIUM:-/usr/bin/chromium}
[ -x "$ifs" ] || cargo build
[ -x "$chromium" ] || { echo "no Chromium at $chromium: set CHROMIUM" >&2; exit 2; }
mkdir -p "$work"
[ -d "$work/node_modules/playwright-core" ] || npm install --silent --prefix "$work" playwright-core@1
rm -rf "$work/run"
"$ifs" run scenarios/evolif/evolif.ifs -m sim/noisy:0.05 -n 60 --max-turns 6 --out "$work/run" > /dev/null
"$ifs" report "$work/run" --format html > "$work/report.html"
rm -rf "$work/other"
"$ifs" run scenarios/evolif/evolif.ifs -m sim/forgetful -n 20 --max-turns 8 --out "$work/other" > /dev/null
"$ifs" report "$work/run" "$work/other" --format html > "$work/several.html"
for system in meeseeks mars mmmt structflowbench; do
  rm -rf "$work/$system"
  "$ifs" run "scenarios/$system/$system.ifs" -m sim/noisy:0.2 --judge sim/judge -n 4 --out "$work/$system" > /dev/null
  "$ifs" report "$work/$system" --format html > "$work/$system.html"
done
"$ifs" preview scenarios/evolif/evolif.ifs -n 6 --sample 30 --turns 8 --out "$work/preview.html"
NODE_PATH="$work/node_modules" exec node tests/browser/walk.cjs "$chromium" "$PWD/$work"
