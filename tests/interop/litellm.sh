#!/usr/bin/env bash
# ifs against a server that nobody here wrote: a LiteLLM proxy with its mock answers
# and its 429s. Sets up an environment of its own under target/interop.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
place=$root/target/interop
port=${PORT:-18200}
ifs=$root/target/debug/ifs

cargo build --manifest-path "$root/Cargo.toml"
[ -x "$place/venv/bin/litellm" ] || {
  python3 -m venv "$place/venv"
  "$place/venv/bin/pip" install --quiet 'litellm[proxy]'
}
"$place/venv/bin/litellm" --config "$here/litellm.yaml" --host 127.0.0.1 --port "$port" \
  > "$place/proxy.log" 2>&1 &
proxy=$!
work=$(mktemp -d)
trap 'kill $proxy; rm -rf "$work"' EXIT
for _ in $(seq 600); do
  grep -q "startup complete" "$place/proxy.log" && break
  kill -0 $proxy || { cat "$place/proxy.log"; exit 1; }
  sleep 0.2
done

export LITELLM_BASE_URL=http://127.0.0.1:$port/v1 LITELLM_API_KEY=sk-interop-0123456789
cd "$work"
"$ifs" new talks > new.log

# Wants a status of a command, and a text in what it says.
wants() {
  local status=$1 text=$2 got=0
  shift 2
  "$@" > said.log 2>&1 || got=$?
  if [ "$got" != "$status" ] || ! grep -qF "$text" said.log; then
    cat said.log
    echo "status $got, wanted $status with: $text" >&2
    exit 1
  fi
  echo "ok: $*"
}
talk() { "$ifs" run talks -n 5 --max-turns 4 --out "$@"; }

wants 0 " answers to calls" talk whole -m openai-api/litellm/good
wants 0 " answers to calls" talk streamed -m openai-api/litellm/good --stream
cmp <(sed 's/"usage":{[^}]*}//g' whole/transcripts.jsonl) \
  <(sed 's/"usage":{[^}]*}//g' streamed/transcripts.jsonl)
wants 4 "5 tries without an answer" talk busy -m openai-api/litellm/busy --max-retries 0
grep -q '"kind":"overloaded"' busy/journal
wants 4 "ended early" talk unknown -m openai-api/litellm/none
# A judge that says nothing of the kind is asked again, and then leaves it open.
wants 0 "could not be judged" talk judged -m openai-api/litellm/good --judge openai-api/litellm/good
grep -q "its reply cannot be read" judged/transcripts.jsonl
echo "all is well"
