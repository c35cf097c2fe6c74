"""An MCP server over stdio that writes into a ledger what it does: `upstream.py LEDGER NAME`.

Its tools take `key`, and optionally `ms`, `crash` ("always", or "once" for the first call with this key). It does not start while
there is a file `LEDGER.broken`.
"""

import json
import os
import sys
import threading

ledger, name = sys.argv[1:]
writing = threading.Lock()


def note(text):
    with open(ledger, "a") as file:
        file.write(text + "\n")


def send(message):
    with writing:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def respond(id, result):
    send({"id": id, "result": result})


def call(id, arguments):
    key = arguments["key"]
    crash = arguments.get("crash")
    note(f"begun {key}")
    if crash == "always" or crash == "once" and open(ledger).read().split("\n").count(f"begun {key}") == 1:
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(7)

    def end():
        note(f"ended {key}")
        respond(id, {"content": [{"type": "text", "text": f"{name} did {key}"}]})

    threading.Timer(arguments.get("ms", 0) / 1000, end).start()


note(f"started {name} {os.getpid()}")
if os.path.exists(ledger + ".broken"):
    sys.exit("the licence has expired")
tools = [
    {"name": "charge", "inputSchema": {"type": "object"}},
    {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
]
for line in sys.stdin:
    message = json.loads(line)
    id, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if method == "initialize":
        info = {"name": name, "version": "1"}
        respond(id, {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info})
    elif method == "tools/list":
        respond(id, {"tools": tools})
    elif method == "tools/call":
        call(id, params["arguments"])
    elif method == "notifications/cancelled":
        note("cancelled")
    elif id is not None:
        send({"id": id, "error": {"code": -32601, "message": "method not found"}})
os._exit(0)
