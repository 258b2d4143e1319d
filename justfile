# `just` alone lists what there is.
_default:
    @just --list

# what has to hold before a change goes in
check:
    .ci/run

# all tests
test:
    cargo test

# write the expected files of the tests again; read the diff before it goes in
bless:
    IFS_BLESS=1 cargo test
    git diff --stat

# new counterexamples for a fuzz target, some minutes; what is found goes below fuzz/seeds/TARGET
fuzz target="parse" seconds="300":
    mkdir -p fuzz/corpus/{{target}}
    cargo +nightly fuzz run {{target}} fuzz/corpus/{{target}} fuzz/seeds/{{target}} -- -max_total_time={{seconds}} -max_len=4096

# the same without a nightly toolchain: damaged copies of the seeds, a hundred times as many as in the tests
fuzz-smoke:
    IFS_FUZZ=100 cargo test --test suite fuzz::

# licences, sources and advisories of the dependencies (cargo install cargo-deny)
deny:
    cargo deny check

# the minimum Rust version
msrv:
    cargo +1.95.0 check --all-targets

# each feature alone, and none
features:
    cargo check --lib --no-default-features
    for feature in languages run http cli; do cargo check --lib --no-default-features --features $feature || exit 1; done

# what the speed is
bench:
    cargo bench

# the pages of docs/ as a book, in target/book (cargo install mdbook)
book:
    mdbook build docs

# the reference of the Rust library
docs:
    cargo doc --no-deps --open

# runs killed at 200 moments, and gone on with (some minutes)
kills:
    cargo test --test suite wire::resume::killed_at_200_moments -- --ignored

# public and hidden sets of every scenario are of one distribution (some minutes)
sets:
    cargo test --release --test suite splits::public_and_hidden -- --ignored

# every rule of the library against absurd responses of 10,000 bytes (some minutes)
responses:
    cargo test --release --test suite absurd_responses -- --ignored

# witnesses for the slowest rules of the library and for sets that are often contradictory (a minute)
witnesses:
    cargo test --release --test suite witness:: -- --ignored

# audits of every shipped scenario and of every mutant of the rules of the library (some minutes)
audits:
    cargo test --release --test suite audit:: -- --ignored --nocapture

# 10,000 drawn Meeseeks items: no two alike, each can be answered (some minutes)
items:
    cargo test --release --test suite meeseeks::ten_thousand_items -- --ignored

# 10,000 dialogues with a server that fails one call in ten (some minutes)
failures:
    cargo test --test suite wire::many_dialogues::ten_thousand -- --ignored

# the Python package, built and tested in target/python (downloads its tools from PyPI)
python *args:
    .ci/python {{args}}

# the Python examples with the packages that they are for (downloads them from PyPI into target/python)
python-examples *names: python
    .ci/python-examples {{names}}

# against a LiteLLM proxy, inspect_ai, Every Eval Ever, SciPy and others (downloads them from PyPI)
interop:
    tests/interop/litellm.sh
    tests/interop/inspect.sh
    tests/interop/every_eval_ever.sh
    tests/interop/statistics.sh
    tests/interop/formats.sh

# Parquet and Arrow, which only the Python package has without the feature
arrow:
    cargo test --features arrow --test suite -- parquet_and_arrow cli::tables
    cargo clippy --all-targets --features arrow -- -D warnings

# the HTML report and the preview in Chromium (downloads playwright-core from npm into target/browser)
browser:
    tests/browser/run.sh

# the playground in target/playground/site, a folder for any static host (rustup target add wasm32-unknown-unknown)
playground:
    playground/build.sh

# the playground in Chromium (downloads playwright-core from npm into target/browser)
playground-browser:
    tests/browser/playground.sh
