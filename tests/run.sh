#!/usr/bin/env bash
# All tests, cheap ones first; stops at the first step that fails. `tests/run.sh STEP…` runs the steps named.
set -euo pipefail
cd "$(dirname "$0")/.."

# In the order in which they run. The function of the same name says what each does.
readonly all_steps=(
    format setup rules dependencies hello_size client_size lints docs book tests agreement agreement_day contracts doc_tests compile_fail features packages
    quickstart clients servers conformance bench_limits fuzz soak
)

# What runs only when it is named.
readonly long_steps=(agreement_long container)

# The most crates that `hello` may compile, our own included.
readonly hello_limit=50
# The most that a client over stdio and HTTP may compile, without TLS and with it.
readonly client_limit=60 client_tls_limit=90

format() {
    run cargo fmt --all --check
}

setup() {
    run tests/setup.sh
}

# Rules of this repository, such as which crate may depend on which.
rules() {
    nextest --package test-rules
}

# Advisories are not checked: their database cannot be fetched everywhere (see deny.toml).
dependencies() {
    run cargo deny --workspace check licenses bans sources
}

# What a user of a small server has to compile.
hello_size() {
    local crates count
    crates=$(cargo tree --package hello --edges normal,build --prefix none --format '{p}' | sed 's/ (.*//' | sort -u)
    count=$(wc -l <<<"$crates")
    echo "hello compiles $count crates, $hello_limit are allowed"
    if [ "$count" -gt "$hello_limit" ] || grep -q '^jsonschema ' <<<"$crates"; then
        echo "$crates"
        echo "too many crates, or jsonschema among them: cargo tree --package hello --edges normal,build"
        return 1
    fi
}

# What a user of the client alone has to compile.
client_size() {
    local features limit crates count
    for features in stdio,http stdio,http,tls; do
        limit=$client_limit
        [ "$features" = stdio,http ] || limit=$client_tls_limit
        crates=$(cargo tree --package toolwright-client --no-default-features --features "$features" \
            --edges normal,build --prefix none --format '{p}' | sed 's/ (.*//' | sort -u)
        count=$(wc -l <<<"$crates")
        echo "a client with $features compiles $count crates, $limit are allowed"
        if [ "$count" -gt "$limit" ]; then
            echo "$crates"
            return 1
        fi
    done
}

lints() {
    run cargo clippy --workspace --all-targets --all-features -- --deny warnings
}

docs() {
    RUSTDOCFLAGS="--deny warnings" run cargo doc --workspace --no-deps --all-features
}

# The pages in docs as a book, and the links in it: those to other sites are not followed.
book() {
    local tools=target/book-tools/node_modules
    run mdbook build docs --dest-dir "$PWD/target/book"
    run "$tools/node/bin/node" "$tools/.bin/linkinator" target/book --recurse --check-fragments --verbosity error \
        --skip '^https?://(?!(localhost|127\.0\.0\.1|\[))'
}

# Schema, reader and serde over 100 generated types, the same each time.
agreement() {
    programs
    run "$TEST_PROGRAMS/agreement" --types 100 --seed 1
}

# The same over as many others: with the day's seed, which is printed, or AGREEMENT_SEED.
agreement_day() {
    programs
    run "$TEST_PROGRAMS/agreement" --types 100 --seed day
}

# The same with far more types than a change should wait for.
agreement_long() {
    programs
    run "$TEST_PROGRAMS/agreement" --types 5000 --seed "${AGREEMENT_SEED:-$(date +%Y%m%d)}"
}

# The image of examples/observed, with docker. Its base images have to be pulled, which cannot be done everywhere.
container() {
    run tests/container.sh
}

# Everything except the steps of their own: .config/nextest.toml leaves out clients, servers, conformance and compile-fail.
tests() {
    programs
    nextest --workspace --all-features --filterset 'not package(test-rules)'
}

# The contract of the examples, as docs/ci.md does it: the manifest is up to date, clients can read it, nothing breaks since the
# commit, and the running server matches the lock file.
contracts() {
    programs
    local mcp=("$TEST_PROGRAMS/cargo-mcp" mcp)
    run "${mcp[@]}" manifest --quiet --package retail --check examples/retail/mcp.json
    run "${mcp[@]}" lint --quiet --package retail --package hello --deny warnings
    run "${mcp[@]}" diff --quiet --package retail
    run "${mcp[@]}" verify --lock examples/retail/mcp.lock.json -- "$TEST_PROGRAMS/retail"
}

doc_tests() {
    run cargo test --workspace --all-features --doc
}

# What the derives reject, and their error messages.
compile_fail() {
    nextest --package test-compile-fail --ignore-default-filter
}

# Each feature alone, and no features. Those of the server are features of `toolwright` too, which a test of tests/rules holds.
features() {
    run cargo hack clippy --each-feature --package toolwright --package toolwright-client -- --deny warnings
}

# What would be published compiles from its packages alone. They are unpacked into one workspace: cargo itself would build each anew,
# with all of its dependencies.
packages() {
    local folder=target/packages members=() patches=() name
    for member in macros runtime/* cli; do
        name=$(sed -n 's/^name = "\(.*\)"/\1/p' "$member/Cargo.toml" | head -1)
        members+=(--package "$name")
        patches+=("$name = { path = \"$name\" }")
    done
    rm -rf "$folder"
    mkdir -p "$folder/unpacked"
    run cargo package --quiet --allow-dirty --no-verify --target-dir "$folder" "${members[@]}"
    for crate in "$folder"/package/*.crate; do
        name=$(basename "${crate%-*}")
        mkdir "$folder/unpacked/$name"
        tar -xzf "$crate" -C "$folder/unpacked/$name" --strip-components 1
    done
    cp Cargo.lock "$folder/unpacked"
    printf '%s\n' '[workspace]' 'resolver = "3"' 'members = ["*"]' '[patch.crates-io]' "${patches[@]}" >"$folder/unpacked/Cargo.toml"
    CARGO_TARGET_DIR=$folder run cargo check --quiet --workspace --manifest-path "$folder/unpacked/Cargo.toml"
    rm -rf "$folder"
}

# README's first command, which a newcomer waits for: at most five minutes from a clone to the first call.
quickstart() {
    run timeout 300 tests/quickstart.sh
}

# Third-party clients: tests/clients.
clients() {
    nextest_of 'package(test-clients)'
}

# Our client and `cargo mcp` against third-party servers, the gateway between third-party clients and servers, and what docs/gateway.md
# shows: tests/servers.
servers() {
    nextest_of 'package(test-servers)'
}

# The official conformance suite: tests/conformance.
conformance() {
    nextest_of 'package(conformance-server) or package(conformance-client)' --success-output final
}

# Instructions and allocations on hot paths, each with its limit.
bench_limits() {
    run cargo run --quiet --release --package bench-limits
}

# Fuzzing, for five seconds per target; FUZZ_SECONDS asks for more: tests/fuzz. An input that fails is printed, so that it can be
# repeated elsewhere. A short run is not worth the time of full optimization.
fuzz() {
    local target input options corpus=target/fuzz/corpus found=target/fuzz/found optimize=1
    [ -z "${FUZZ_SECONDS:-}" ] || optimize=3
    rm -rf "$found"
    for target in frame http events parts values arguments config client_lines client_http client_events tokens worker; do
        mkdir -p "$corpus/$target" "$found/$target"
        options=(-max_total_time="${FUZZ_SECONDS:-5}" -timeout=10 -verbosity=0 -print_final_stats=1)
        options+=(-artifact_prefix="$found/$target/")
        if [ -f "tests/fuzz/dictionaries/$target" ]; then
            options+=(-dict="tests/fuzz/dictionaries/$target")
        fi
        run env CARGO_TARGET_DIR=target/fuzz CARGO_PROFILE_RELEASE_OPT_LEVEL="$optimize" \
            cargo fuzz run --fuzz-dir tests/fuzz --sanitizer none "$target" \
            "$corpus/$target" "tests/fuzz/seeds/$target" -- "${options[@]}" && continue
        for input in "$found/$target"/*; do
            # A target that does not build leaves none.
            [ -f "$input" ] || continue
            printf 'the target %s fails for this input, in base64: base64 -d > tests/fuzz/seeds/%s/NAME\n' "$target" "$target"
            base64 -w 0 "$input"
            echo
        done
        return 1
    done
}

# A server over HTTP at full load, SOAK_SECONDS long: tests/soak. Then gateways, workers and a Redis that are killed under load, with
# the faults of SOAK_SEED, or others each time: tests/soak-gateway. The short form uses the programs that the step `tests` has built:
# half a minute is not worth a release build of five.
soak() {
    local folder
    if [ -z "${SOAK_SECONDS:-}" ]; then
        programs
        folder=$TEST_PROGRAMS
    else
        # With all features: `cargo run` would build each with its own alone.
        run cargo build --quiet --workspace --all-features --release --bin cargo-mcp --bin soak --bin soak-gateway
        folder=${CARGO_TARGET_DIR:-target}/release
    fi
    run "$folder/soak" "${SOAK_SECONDS:-20}"
    run "$folder/soak-gateway" "${SOAK_SECONDS:-30}" ${SOAK_SEED:+"$SOAK_SEED"}
}

nextest() {
    run cargo nextest run --no-tests fail "$@"
}

# nextest_of FILTER OPTION…: tests that have a step of their own, as the step `tests` has built them. Each package alone would be built
# again, with its features alone.
nextest_of() {
    programs
    nextest --workspace --all-features --ignore-default-filter --filterset "$@"
}

# Builds all programs and tests, once, and says where tests find the programs: tests/programs.
programs() {
    run cargo build --quiet --workspace --all-features --bins --tests
    TEST_PROGRAMS=$(cd "${CARGO_TARGET_DIR:-target}/debug" && pwd)
    export TEST_PROGRAMS
}

# Prints a command before it runs, so that it can be repeated.
run() {
    printf '  $'
    printf ' %q' "$@"
    printf '\n'
    "$@"
}

main() {
    local steps=("$@")
    [ ${#steps[@]} -gt 0 ] || steps=("${all_steps[@]}")
    for step in "${steps[@]}"; do
        if [[ " ${all_steps[*]} ${long_steps[*]} " != *" $step "* ]]; then
            echo "there is no step '$step'; the steps are: ${all_steps[*]}; and by name only: ${long_steps[*]}" >&2
            exit 2
        fi
    done

    passed=0
    # `set -e` ends the script inside the step that fails; a condition around the step would switch that off.
    trap report_failure EXIT
    for step in "${steps[@]}"; do
        printf '\n== %s\n' "$step"
        SECONDS=0
        "$step"
        printf '== %s passed, %s s\n' "$step" "$SECONDS"
        passed=$((passed + 1))
    done
    trap - EXIT
    printf '\n%s passed, 0 failed\n' "$passed"
}

report_failure() {
    printf '== %s failed after %s s; to repeat it: tests/run.sh %s\n' "$step" "$SECONDS" "$step"
    printf '\n%s passed, 1 failed\n' "$passed"
}

main "$@"
