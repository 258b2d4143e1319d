#!/usr/bin/env bash
# Sets up inspect_ai in a virtual environment under target/, and prints the path of its Python.
# `cargo bench -- calls` calls it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

place=target/calls-peer
if [ ! -x "$place/bin/python" ]; then
  python3 -m venv "$place"
  "$place/bin/pip" install --quiet 'inspect_ai==0.3.285' 'openai==3.54.0' >&2
fi
echo "$PWD/$place/bin/python"
