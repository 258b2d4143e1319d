#!/bin/sh
# Builds the archive of one target into target/packages: the program, completions, man pages, licences, and
# the archive's SHA-256. Without a TARGET it is the static Linux one of this machine.
#
#   packaging/build.sh                               # x86_64-unknown-linux-musl, where it is installed
#   packaging/build.sh aarch64-apple-darwin
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
machine=$(rustc -vV | sed -n 's/^host: \([^-]*\)-.*/\1/p')
target=${1:-$machine-unknown-linux-musl}
if [ ! -d "$(rustc --print target-libdir --target "$target" 2>/dev/null)" ]; then
  if [ $# -gt 0 ]; then
    echo "the target $target is missing; add it with: rustup target add $target" >&2
    exit 2
  fi
  target=$machine-unknown-linux-gnu
  echo "musl is missing (rustup target add $machine-unknown-linux-musl): building $target" >&2
fi
# Without tables for unwinding, which `dist` never does, and at a fixed address: 3 MB less.
case $target in
  *-linux-*) export RUSTFLAGS="-C force-unwind-tables=no -C relocation-model=static ${RUSTFLAGS:-}" ;;
esac
cargo build --profile dist --locked --target "$target"
case $target in *windows*) program=ifs.exe ;; *) program=ifs ;; esac
built=${CARGO_TARGET_DIR:-target}/$target/dist/$program
case $target in
  *-musl)
    if readelf -d "$built" | grep -q NEEDED; then
      echo "$built needs shared libraries" >&2
      exit 1
    fi
    ;;
esac
name=ifs-$version-$target
out=target/packages
rm -rf "${out:?}/$name"
mkdir -p "$out/$name/completions" "$out/$name/man"
cp "$built" README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$out/$name"
# A program of another machine does not run here: its archive has no completions and man pages.
if "$built" --version >/dev/null 2>&1; then
  for shell in bash zsh fish powershell; do
    "$built" completions "$shell" > "$out/$name/completions/ifs.$shell"
  done
  "$built" man "$out/$name/man" >/dev/null
fi
# The same inputs give the same archive, byte for byte.
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$out" -cf - "$name" | gzip -9n > "$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
echo "$out/$name.tar.gz: $(wc -c < "$out/$name.tar.gz") bytes; the program has $(wc -c < "$built")"
