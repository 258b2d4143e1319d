#!/bin/sh
# Builds the playground into target/playground/site, a folder for any static host. Needs the target
# wasm32-unknown-unknown; ends with 75 where it is missing. With --dev it builds faster, without a limit on the size.
#   playground/build.sh [--dev]
set -eu
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=target/playground
target=wasm32-unknown-unknown
profile=release
[ "${1:-}" != --dev ] || profile=dev
std=
library=$(rustc --print sysroot)/lib/rustlib/src/rust/library
if [ ! -d "$(rustc --print target-libdir --target "$target" 2>/dev/null)" ]; then
  # The standard library can be built from its sources, which stable Rust allows only to itself.
  if [ ! -d "$library" ]; then
    echo "the target $target is missing; add it with: rustup target add $target" >&2
    exit 75
  fi
  std="-Z build-std=std,panic_abort"
  export RUSTC_BOOTSTRAP=1
fi
# A scenario may nest deeply: the stack has 16 MiB instead of 1.
# shellcheck disable=SC2086
RUSTFLAGS="-C link-arg=-zstack-size=16777216" \
  cargo build --profile "$profile" --locked --manifest-path playground/Cargo.toml $std --target "$target"
unset RUSTC_BOOTSTRAP
site=target/playground/site
rm -rf "$site"
mkdir -p "$site/examples/banks"
built=$profile
[ "$profile" != dev ] || built=debug
# A program of this workspace, so that its version is that of the library.
cargo run --quiet --locked --manifest-path playground/Cargo.toml -p ifs-bindgen -- \
  "target/playground/$target/$built/ifs_playground.wasm" "$site"
cp playground/page/* "$site"
cp playground/examples/* "$site/examples"
sed 's/NAME/starter/g' templates/new/scenario.ifs > "$site/examples/starter.ifs"
cp templates/new/topics.jsonl "$site/examples/banks/topics.jsonl"
size=$(gzip -9 -c "$site/ifs_playground_bg.wasm" | wc -c)
echo "$site: $size bytes of WebAssembly, compressed"
if [ "$profile" = release ] && [ "$size" -gt 6000000 ]; then
  echo "the compressed WebAssembly has more than 6 MB" >&2
  exit 1
fi
