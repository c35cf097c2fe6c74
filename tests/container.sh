#!/usr/bin/env bash
# Builds the image of examples/observed as its README does, calls the server in it, and stops it by its signal. Docker pulls the
# images that it is made of, so this runs only where they can be reached: tests/run.sh container.
set -euo pipefail
cd "$(dirname "$0")/.."

docker build --file examples/observed/Dockerfile --tag observed-test .
container=$(docker run --detach --publish 127.0.0.1::8080 observed-test)
trap 'docker rm --force "$container" >/dev/null' EXIT

url="http://$(docker port "$container" 8080)/mcp"
# The server answers only requests for the address that it has in the container.
call=(curl --silent --fail --retry 20 --retry-delay 1 --retry-all-errors "$url"
    --header 'Host: localhost:8080' --header 'Content-Type: application/json'
    --header 'Accept: application/json, text/event-stream' --header 'MCP-Protocol-Version: 2026-07-28'
    --header 'Mcp-Method: tools/call' --header 'Mcp-Name: brew_tea'
    --data '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "brew_tea", "arguments": {"cups": 3},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}')
answer=$("${call[@]}")
echo "$answer"
grep --quiet 'cups of tea: 3' <<<"$answer"

user=$(docker top "$container" -eo pid,uid | awk 'END { print $2 }')
docker stop --time 10 "$container" >/dev/null
status=$(docker inspect --format '{{.State.ExitCode}}' "$container")
if [ "$user" -eq 0 ] || [ "$status" -ne 0 ]; then
    echo "the server ran as user $user and ended with $status"
    exit 1
fi
