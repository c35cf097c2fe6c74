"""The official Python client, 1.x: `v1.py PLAN`, where PLAN and the report on stdout are described in `tests/real_clients/plan.rs`."""

import json
import sys
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import (
    CancelledNotification,
    CancelledNotificationParams,
    ClientNotification,
    ResourceUpdatedNotification,
    ServerNotification,
)

NIGHTS = "sleeper://nights"


def transport(server: dict):
    if "url" in server:
        return streamable_http_client(server["url"])
    command, *args = server["command"]
    return stdio_client(StdioServerParameters(command=command, args=args))


@asynccontextmanager
async def connect(server: dict, message_handler=None):
    async with transport(server) as (read, write, *_):
        timeout = timedelta(seconds=20)
        async with ClientSession(read, write, timeout, message_handler=message_handler) as session:
            yield session, await session.initialize()


async def wait_for_line(log: str, line: str) -> None:
    while line not in Path(log).read_text().splitlines():
        await anyio.sleep(0.02)


async def main() -> None:
    plan = json.loads(sys.argv[1])
    async with connect(plan["server"]) as (session, initialized):
        listed = await session.list_tools()
        report = {
            "protocol": initialized.protocolVersion,
            "server": initialized.serverInfo.name,
            "tools": [tool.name for tool in listed.tools],
            "results": [],
        }
        for call in plan["calls"]:
            result = await session.call_tool(call["name"], call["arguments"])
            report["results"].append(result.model_dump(by_alias=True, mode="json", exclude_none=True))

    log = plan["slowLog"]
    progress = []
    told, updates = anyio.create_memory_object_stream(10)

    async def on_message(message) -> None:
        if isinstance(message, ServerNotification) and isinstance(message.root, ResourceUpdatedNotification):
            await told.send(str(message.root.params.uri))

    async def on_progress(*report) -> None:
        progress.append(report)

    async with connect(plan["slowServer"], on_message) as (session, _):
        await session.subscribe_resource(NIGHTS)
        # The 1.x line has no call for it: an application sends the notification itself, with the id
        # that the session gives to its next request. It numbers them one by one.
        request_id = session._request_id
        async with anyio.create_task_group() as group:
            group.start_soon(session.call_tool, "sleep", {"milliseconds": 30_000})
            await wait_for_line(log, "started")
            params = CancelledNotificationParams(requestId=request_id, reason="no longer needed")
            await session.send_notification(ClientNotification(CancelledNotification(params=params)))
            await wait_for_line(log, "cancelled")
            group.cancel_scope.cancel()
        result = await session.call_tool("sleep", {"milliseconds": 20}, progress_callback=on_progress)
        report["afterCancel"] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        report["heard"] = {"updated": [await updates.receive()], "progress": progress}
        report["resource"] = (await session.read_resource(NIGHTS)).contents[0].text
        report["prompt"] = (await session.get_prompt("lullaby", {"name": "Ada"})).messages[0].content.text

    print(json.dumps(report))


anyio.run(main)
