"""The official Python client, 2.x: `v2.py PLAN`, where PLAN and the report on stdout are described in `tests/real_clients/plan.rs`."""

import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import ResourceUpdatedNotification

NIGHTS = "sleeper://nights"


def connect(server: dict, era: str, message_handler=None) -> Client:
    """A client of the server; it must end up in the era that is asked for."""
    if "url" in server:
        target = server["url"]
    else:
        command, *args = server["command"]
        target = StdioServerParameters(command=command, args=args)
    mode = "legacy" if era == "legacy" else "auto"
    return Client(target, mode=mode, read_timeout_seconds=20, message_handler=message_handler)


@asynccontextmanager
async def watch(client: Client, era: str, updates):
    """Updates of the resource: on a stream of its own in the modern era, else in the message handler."""
    if era == "legacy":
        await client.subscribe_resource(NIGHTS)
        yield lambda: updates.receive()
    else:
        async with client.listen(resource_subscriptions=[NIGHTS]) as subscription:

            async def next_update() -> str:
                return (await anext(subscription)).uri

            yield next_update


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
    progress = []
    told, updates = anyio.create_memory_object_stream(10)

    async def on_message(message) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            await told.send(message.params.uri)

    async def on_progress(*report) -> None:
        progress.append(report)

    async with (
        connect(plan["slowServer"], plan["era"], on_message) as client,
        watch(client, plan["era"], updates) as next_update,
    ):
        # Leaving the scope is how this client cancels: it sends `notifications/cancelled`, or closes the stream.
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "sleep", {"milliseconds": 30_000})
            await wait_for_line(log, "started")
            group.cancel_scope.cancel()
        await wait_for_line(log, "cancelled")
        result = await client.call_tool("sleep", {"milliseconds": 20}, progress_callback=on_progress)
        report["afterCancel"] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        report["heard"] = {"updated": [await next_update()], "progress": progress}
        report["resource"] = (await client.read_resource(NIGHTS)).contents[0].text
        report["prompt"] = (await client.get_prompt("lullaby", {"name": "Ada"})).messages[0].content.text

    print(json.dumps(report))


anyio.run(main)
