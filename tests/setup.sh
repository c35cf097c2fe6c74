#!/usr/bin/env bash
# Installs what the tests need and cargo does not fetch: cargo's own helpers, programs of the system, and the
# real MCP clients, servers and the conformance suite, each at a pinned version. Installed tools are kept. Run it again after a pin changes.
# `tests/setup.sh PART…` installs the named parts only.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly clients=target/clients servers=target/servers

main() {
    local part parts=("$@")
    [ ${#parts[@]} -gt 0 ] || parts=(cargo_tools valgrind compiler curl jq redis systemd chromium python_v1 python_v2 node fastmcp node_servers conformance book)
    # Cargo compiles while the rest is downloaded.
    local compiling=
    trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
    for part in "${parts[@]}"; do
        if [ "$part" = cargo_tools ]; then
            cargo_tools &
            compiling=$!
        else
            "$part"
        fi
    done
    [ -z "$compiling" ] || wait "$compiling"
}

# Cargo's own subcommands, and what builds the book of docs.
cargo_tools() {
    cargo_tool nextest 0.9.143
    cargo_tool hack 0.6.46
    cargo_tool deny 0.20.2
    cargo_tool fuzz 0.13.2
    type -P mdbook >/dev/null || cargo_install mdbook 0.5.4 --no-default-features --features search
}

# Counts instructions in the benches.
valgrind() {
    type -P valgrind >/dev/null || system_package valgrind
}

# Compiles libFuzzer.
compiler() {
    type -P c++ >/dev/null || system_package g++
}

# Runs what docs/http.md and docs/gateway.md show, as does `jq`.
curl() {
    type -P curl >/dev/null || system_package curl
}

jq() {
    type -P jq >/dev/null || system_package jq
}

# What gateways and workers of several processes share. The tests start their own: the one of the system is not used.
redis() {
    type -P redis-server >/dev/null || system_package redis-server
}

# Checks the units in docs/deploy. It is not run as the init process.
systemd() {
    type -P systemd-analyze >/dev/null || system_package systemd
}

# Opens the reference page. Its text takes other room with other fonts, so one is always there.
chromium() {
    type -P chromium chromium-browser google-chrome >/dev/null || system_package chromium
    [ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || system_package fonts-dejavu-core
}

python_v1() {
    python_packages mcp tests/clients/python/v1.txt "$clients/python-v1"
}

python_v2() {
    python_packages mcp tests/clients/python/v2.txt "$clients/python-v2"
}

fastmcp() {
    python_packages fastmcp tests/servers/python/fastmcp.txt "$servers/fastmcp"
}

# Finds broken links in the book of docs.
book() {
    npm_packages "the link checker" tests/book target/book-tools
}

# cargo_tool NAME VERSION: any installed version will do; these are the ones known to work.
cargo_tool() {
    cargo "$1" --version >/dev/null 2>&1 && return
    cargo_install "cargo-$1" "$2"
}

# cargo_install NAME VERSION OPTION…: without what their release profiles do for minutes. They run for seconds.
cargo_install() {
    local name="$1" version="$2"
    shift 2
    say "$name $version"
    CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
        twice cargo install --quiet --locked "$@" "$name@$version"
}

system_package() {
    say "$1"
    local sudo=
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    twice $sudo apt-get update -qq
    twice $sudo apt-get install -y -qq --no-install-recommends "$1"
}

# python_packages NAME PINS FOLDER: the packages in PINS, of which NAME is what is wanted, in a virtual environment of their own.
python_packages() {
    local pins="$2" folder="$3"
    up_to_date "$pins" "$folder" && return
    say "$(grep "^$1==" "$pins") for Python"
    rm -rf "$folder"
    python3 -m venv "$folder"
    twice "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$pins"
    cp "$pins" "$folder/installed"
}

# The TypeScript clients and the Inspector, and what drives a browser, with the Node.js that the Inspector needs.
node() {
    npm_packages "the MCP clients for Node.js" tests/clients/node "$clients/node"
}

# Servers for Node.js, with the Node.js that they need.
node_servers() {
    npm_packages "the MCP servers for Node.js" tests/servers/node "$servers/node"
}

# The official suite, with the Node.js that it needs.
conformance() {
    npm_packages "the conformance suite" tests/conformance target/conformance
}

# npm_packages WHAT PINS FOLDER: installs the packages of package.json and package-lock.json in PINS, including Node.js.
npm_packages() {
    local pins="$2" folder="$3"
    up_to_date "$pins/package-lock.json" "$folder" && return
    say "$1"
    rm -rf "$folder"
    mkdir -p "$folder"
    cp "$pins/package.json" "$pins/package-lock.json" "$folder"
    twice npm ci --prefix "$folder" --no-audit --no-fund --loglevel=error
    "$folder/node_modules/node/bin/node" --version >/dev/null
    cp "$pins/package-lock.json" "$folder/installed"
}

# A copy of the pins is kept next to what they installed.
up_to_date() {
    cmp -s "$1" "$2/installed"
}

# Networks fail: one retry after ten seconds tells a temporary failure from a bad pin.
twice() {
    "$@" || { sleep 10 && "$@"; }
}

say() {
    echo "setup: installing $1" >&2
}

main "$@"
