#!/usr/bin/env bash
# Builds the retail example and has the official Python client list its tools and call one of them.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --quiet --package retail
tests/setup.sh python_v2
target/clients/python-v2/bin/python tests/clients/python/quickstart.py "${CARGO_TARGET_DIR:-target}/debug/retail"
