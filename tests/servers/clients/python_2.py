"""The official Python client, 2.x, at a gateway: `python_2.py PLAN`, where PLAN and the report on stdout are described in
`tests/gateway/plan.rs`."""

import json
import sys
from contextlib import asynccontextmanager

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from run import fill_in, run


@asynccontextmanager
async def connect(plan: dict):
    server = plan["server"]
    options = {
        "mode": "legacy" if plan["era"] == "legacy" else "auto",
        "read_timeout_seconds": 20,
        "elicitation_callback": fill_in,
    }
    if "url" in server:
        async with httpx2.AsyncClient(headers=server["headers"], timeout=20) as http:
            async with Client(streamable_http_client(server["url"], http_client=http), **options) as client:
                yield client
    else:
        command, *args = server["command"]
        async with Client(StdioServerParameters(command=command, args=args), **options) as client:
            yield client


async def main() -> None:
    plan = json.loads(sys.argv[1])
    async with connect(plan) as client:
        await run(client, plan, client.protocol_version, MCPError)


anyio.run(main)
