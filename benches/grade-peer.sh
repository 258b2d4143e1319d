#!/usr/bin/env bash
# Sets up IFEval's released checkers (lm_eval, with langdetect and nltk) in a virtual environment
# under target/, and prints the path of its Python. `cargo bench --bench grade` calls it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

place=target/grade-peer
if [ ! -x "$place/bin/python" ]; then
  python3 -m venv "$place"
  "$place/bin/pip" install --quiet 'lm_eval[ifeval]==0.4.13' >&2
fi
if [ ! -d "$place/nltk_data/tokenizers/punkt_tab/english" ]; then
  "$place/bin/python" benches/grade-punkt.py crates/ifs-text/src/punkt.txt "$place/nltk_data" >&2
fi
echo "$PWD/$place/bin/python"
