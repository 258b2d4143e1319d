#!/usr/bin/env bash
# Generates the parser, runs the samples of test/corpus, parses every .ifs file of the repository and runs the
# queries over them. Needs the program tree-sitter and a C compiler; ends with 75 without them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
for program in tree-sitter cc node; do
  if ! command -v "$program" >/dev/null; then
    echo "$program is missing; tree-sitter is in cargo install tree-sitter-cli" >&2
    exit 75
  fi
done
work=$root/target/editors/tree-sitter
mkdir -p "$work"
cp -r "$here"/{grammar.js,package.json,tree-sitter.json,queries,test} "$work"
cd "$work"
# Nothing of the user's configuration is read.
export XDG_CONFIG_HOME=$work/config XDG_CACHE_HOME=$work/cache
tree-sitter generate --abi 14
tree-sitter test
# Scenarios whose mistakes are tested are no samples.
mapfile -t files < <(find "$root" -name '*.ifs' -not -path '*/target/*' -not -path '*/tests/ui/*' -not -path '*/node_modules/*')
[ "${#files[@]}" -gt 60 ]
tree-sitter parse --quiet "${files[@]}"
for query in highlights folds indents; do
  tree-sitter query --quiet "queries/$query.scm" "$root/scenarios/evolif/evolif.ifs" > query.log
done
echo "ok: ${#files[@]} files are parsed without an error"
