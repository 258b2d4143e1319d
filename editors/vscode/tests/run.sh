#!/usr/bin/env bash
# Checks, builds and packages the extension, and tests its grammar: on the samples beside this file, and on
# every .ifs file of the repository. The packages of npm are below target/editors. Ends with 75 where npm
# or its registry cannot be had.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
if ! command -v npm >/dev/null; then
  echo "npm is missing" >&2
  exit 75
fi
place=$root/target/editors/vscode
mkdir -p "$place"
for part in src snippets syntaxes tests package.json tsconfig.json language-configuration.json README.md .vscodeignore; do
  rm -rf "${place:?}/$part"
  cp -r "$here/../$part" "$place/$part"
done
cd "$place"
if ! npm install --no-audit --no-fund --loglevel=error; then
  echo "the packages of npm cannot be installed" >&2
  exit 75
fi
npx tsc --noEmit
npx vscode-tmgrammar-test -g syntaxes/ifs.tmLanguage.json 'tests/*.ifs'
node tests/every_file.mjs "$root"
npm run --silent package
files=$(unzip -Z1 ./*.vsix)
for file in dist/extension.js syntaxes/ifs.tmLanguage.json snippets/ifs.json README.md package.json; do
  grep -qix "extension/$file" <<< "$files" || { echo "the package lacks $file" >&2; exit 1; }
done
echo "ok: $(ls ./*.vsix), $(wc -c < ./*.vsix) bytes"
