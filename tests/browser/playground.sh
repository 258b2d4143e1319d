#!/bin/sh
# The playground in a real browser. Needs what playground/build.sh needs, node, npm and Chromium
# (or CHROMIUM, its path); downloads playwright-core from npm into target/browser. Ends with 75 where these are missing.
#   tests/browser/playground.sh [--dev]
set -eu
cd "$(dirname "$0")/../.."
. tests/browser/tools.sh
playground/build.sh "$@"
NODE_PATH="$work/node_modules" exec node tests/browser/playground.cjs "$chromium" target/playground/site "$work"
