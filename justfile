# `just` alone lists what there is.
_default:
    @just --list

# what has to hold before a change goes in
check:
    .ci/run

# all tests
test:
    cargo test

# write the expected files of the tests anew; read the diff before it goes in
bless:
    IFS_BLESS=1 cargo test
    git diff --stat

# what the speed is
bench:
    cargo bench

# the reference of the Rust library
docs:
    cargo doc --no-deps --open

# runs killed at 200 moments, and gone on with (some minutes)
kills:
    cargo test --test suite wire::resume::killed_at_200_moments -- --ignored

# 10,000 drawn Meeseeks items: no two alike, each can be answered (some minutes)
items:
    cargo test --release --test suite meeseeks::ten_thousand_items -- --ignored

# 10,000 dialogues with a server that fails one call in ten (some minutes)
failures:
    cargo test --test suite wire::many::ten_thousand -- --ignored

# against a LiteLLM proxy (downloads it from PyPI into target/interop)
interop:
    tests/interop/litellm.sh
