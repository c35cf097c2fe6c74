# One line per task; `just --list` shows them. Everything here is a plain command that works without just.

# All tests, as continuous integration runs them
test:
    tests/run.sh

# The tests of one package
test-package PACKAGE:
    cargo nextest run --package {{PACKAGE}} --ignore-default-filter

# Installs what the tests need
setup:
    tests/setup.sh

# Formats, and runs the lints
tidy:
    cargo fmt --all
    cargo clippy --workspace --all-targets --all-features

# Builds and opens the documentation
docs:
    cargo doc --workspace --no-deps --all-features --open

# A real client lists and calls the tools of the retail example
quickstart:
    tests/quickstart.sh

# Updates the expected errors of the compile-fail cases; review the diff
bless:
    TRYBUILD=overwrite cargo nextest run --package test-compile-fail --ignore-default-filter

# Real clients against the retail example
clients:
    cargo nextest run --package test-clients --ignore-default-filter

# The official conformance suite
conformance:
    cargo nextest run --package conformance-server --ignore-default-filter --success-output final

# Times of the hot paths, with criterion
bench:
    cargo bench --package toolwright-core --bench definitions
    cargo bench --package toolwright-server --features stdio --bench calls

# Instructions and allocations against their limits
limits:
    cargo run --release --package bench-limits

# Updates the limits to a tenth above what is measured now
limits-update:
    cargo run --release --package bench-limits -- update

# Fuzzing, for SECONDS per target
fuzz SECONDS="600":
    FUZZ_SECONDS={{SECONDS}} tests/run.sh fuzz

# A server over HTTP at full load for SECONDS; fails if memory grows
soak SECONDS="600":
    SOAK_SECONDS={{SECONDS}} tests/run.sh soak

# Comparison with other libraries: FOLDER holds their servers and the load generator, BENCH_TARGET their builds
peers FOLDER:
    CARGO_TARGET_DIR="${BENCH_TARGET:?}/toolwright" cargo build --release --package bench-peer
    BENCH_OURS="$PWD" {{FOLDER}}/run.py measure --groups stdio,stdio-list --only floor,toolwright,rmcp
