# shellcheck shell=sh
# Sourced by the tests in a browser: sets `work` and `chromium`, and gets playwright-core from npm into `work`.
# Ends with 75 where a program is missing or npm cannot be reached.
work=target/browser
missing() {
  echo "$*" >&2
  exit 75
}
for program in node npm; do
  command -v "$program" >/dev/null || missing "$program is missing"
done
chromium=${CHROMIUM:-}
for name in chromium chromium-browser google-chrome; do
  [ -n "$chromium" ] || chromium=$(command -v "$name") || true
done
# The machine of CI is its own to change.
if [ -z "$chromium" ] && [ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  { apt-get update && apt-get install --yes --no-install-recommends chromium; } >/dev/null 2>&1 || true
  chromium=$(command -v chromium) || true
fi
[ -x "$chromium" ] || missing "Chromium is missing: install it, or set CHROMIUM to its path"
mkdir -p "$work"
[ -d "$work/node_modules/playwright-core" ] ||
  npm install --silent --no-audit --no-fund --prefix "$work" playwright-core@1 ||
  missing "npm does not give playwright-core"
