"""The official Python client, 2.x: `v2.py PLAN`, where PLAN and the report on stdout are described in `tests/real_clients/plan.rs`."""

import json
import sys
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters


def connect(command: list[str], era: str) -> Client:
    """A client of the server that `command` starts; it must end up in the era that is asked for."""
    server = StdioServerParameters(command=command[0], args=command[1:])
    return Client(server, mode="legacy" if era == "legacy" else "auto", read_timeout_seconds=20)


async def wait_for_line(log: str, line: str) -> None:
    while line not in Path(log).read_text().splitlines():
        await anyio.sleep(0.02)


async def main() -> None:
    plan = json.loads(sys.argv[1])
    async with connect(plan["server"], plan["era"]) as client:
        listed = await client.list_tools()
        report = {
            "protocol": client.protocol_version,
            "server": client.server_info.name if client.server_info else None,
            "tools": [tool.name for tool in listed.tools],
            "results": [],
        }
        for call in plan["calls"]:
            result = await client.call_tool(call["name"], call["arguments"])
            report["results"].append(result.model_dump(by_alias=True, mode="json", exclude_none=True))

    log = plan["slowLog"]
    async with connect(plan["slowServer"], plan["era"]) as client:
        # Leaving the scope is how this client cancels: it sends `notifications/cancelled`.
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "sleep", {"milliseconds": 30_000})
            await wait_for_line(log, "started")
            group.cancel_scope.cancel()
        await wait_for_line(log, "cancelled")
        result = await client.call_tool("sleep", {"milliseconds": 1})
        report["afterCancel"] = result.model_dump(by_alias=True, mode="json", exclude_none=True)

    print(json.dumps(report))


anyio.run(main)
