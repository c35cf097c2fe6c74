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

# Formats, and shows the lints
tidy:
    cargo fmt --all
    cargo clippy --workspace --all-targets --all-features

# The documentation as a reader sees it
docs:
    cargo doc --workspace --no-deps --all-features --open

# A real client lists and calls the tools of the retail example
quickstart:
    tests/quickstart.sh

# Rewrites the compiler's words in the compile-fail cases; review the difference
bless:
    TRYBUILD=overwrite cargo nextest run --package test-compile-fail --ignore-default-filter

# Real clients against the retail example
clients:
    cargo nextest run --package test-clients --ignore-default-filter

# The official conformance suite
conformance:
    cargo nextest run --package conformance-server --ignore-default-filter --success-output final

# Times of what is called often, as criterion sees them
bench:
    cargo bench --package toolwright-core --bench definitions
    cargo bench --package toolwright-server --features stdio --bench calls

# Instructions and allocations against their limits
limits:
    cargo run --release --package bench-limits

# Writes the limits anew, a tenth above what is measured now
limits-update:
    cargo run --release --package bench-limits -- update

# Inputs of any kind against the server, for SECONDS each target
fuzz SECONDS="600":
    FUZZ_SECONDS={{SECONDS}} tests/run.sh fuzz

# A server over HTTP at full load for SECONDS; memory that grows fails it
soak SECONDS="600":
    SOAK_SECONDS={{SECONDS}} tests/run.sh soak

# Beside other libraries: FOLDER holds their servers and the load generator, BENCH_TARGET their builds
peers FOLDER:
    CARGO_TARGET_DIR="${BENCH_TARGET:?}/toolwright" cargo build --release --package bench-peer
    BENCH_OURS="$PWD" {{FOLDER}}/run.py measure --groups stdio,stdio-list --only floor,toolwright,rmcp
