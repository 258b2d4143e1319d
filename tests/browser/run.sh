#!/bin/sh
# The HTML report and the preview in a real browser. Needs node, npm and Chromium (CHROMIUM, by default
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
"$ifs" preview scenarios/evolif/evolif.ifs -n 6 --sample 30 --turns 8 --out "$work/preview.html"
NODE_PATH="$work/node_modules" exec node tests/browser/walk.cjs "$chromium" "$PWD/$work"
