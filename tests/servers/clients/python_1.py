"""The official Python client, 1.x, at a gateway: `python_1.py PLAN`, where PLAN and the report on stdout are described in
`tests/gateway/plan.rs`."""

import json
import sys
from contextlib import asynccontextmanager
from datetime import timedelta

import anyio
import httpx
from mcp import ClientSession, McpError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from run import fill_in, run


@asynccontextmanager
async def transport(server: dict):
    if "url" in server:
        async with httpx.AsyncClient(headers=server["headers"], timeout=20) as http:
            async with streamable_http_client(server["url"], http_client=http) as streams:
                yield streams
    else:
        command, *args = server["command"]
        async with stdio_client(StdioServerParameters(command=command, args=args)) as streams:
            yield streams


async def main() -> None:
    plan = json.loads(sys.argv[1])
    async with transport(plan["server"]) as (read, write, *_):
        async with ClientSession(read, write, timedelta(seconds=20), elicitation_callback=fill_in) as session:
            initialized = await session.initialize()
            await run(session, plan, initialized.protocolVersion, McpError)


anyio.run(main)
