#!/bin/sh
# Builds the playground into target/playground/site, a folder for any static host. Needs the target
# wasm32-unknown-unknown and wasm-bindgen of the version in playground/Cargo.lock; ends with 75 where one is missing.
set -eu
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=target/playground
target=wasm32-unknown-unknown
if [ ! -d "$(rustc --print target-libdir --target "$target" 2>/dev/null)" ]; then
  echo "the target $target is missing; add it with: rustup target add $target" >&2
  exit 75
fi
version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/^version = "\(.*\)"/\1/p}' playground/Cargo.lock)
if [ "$(wasm-bindgen --version 2>/dev/null)" != "wasm-bindgen $version" ]; then
  echo "wasm-bindgen $version is missing; add it with: cargo install wasm-bindgen-cli --version $version" >&2
  exit 75
fi
# A scenario may nest deeply: the stack has 16 MiB instead of 1.
RUSTFLAGS="-C link-arg=-zstack-size=16777216" \
  cargo build --release --locked --manifest-path playground/Cargo.toml --target "$target"
site=target/playground/site
rm -rf "$site"
mkdir -p "$site/examples/banks"
wasm-bindgen --target web --no-typescript --out-dir "$site" \
  "target/playground/$target/release/ifs_playground.wasm"
cp playground/page/* "$site"
cp playground/examples/* "$site/examples"
sed 's/NAME/starter/g' templates/new/scenario.ifs > "$site/examples/starter.ifs"
cp templates/new/topics.jsonl "$site/examples/banks/topics.jsonl"
size=$(gzip -9 -c "$site/ifs_playground_bg.wasm" | wc -c)
echo "$site: $size bytes of WebAssembly, compressed"
if [ "$size" -gt 6000000 ]; then
  echo "the compressed WebAssembly has more than 6 MB" >&2
  exit 1
fi
