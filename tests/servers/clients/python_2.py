"""The official Python client, 2.x, at a gateway: `python_2.py PLAN`, where PLAN and the report on stdout are described in
`tests/gateway/plan.rs`."""

import json
import sys
from contextlib import asynccontextmanager

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult


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


async def fill_in(_context, _params) -> ElicitResult:
    return ElicitResult(action="accept", content={"name": "Ada"})


def text_of(result) -> str:
    return "\n".join(part.text for part in result.content if part.type == "text")


async def main() -> None:
    plan = json.loads(sys.argv[1])
    progress = []

    async def on_progress(done, _total, _message) -> None:
        progress.append(done)

    async with connect(plan) as client:
        tools = await client.list_tools()
        report = {
            "protocol": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "results": [],
        }
        for call in plan["calls"]:
            try:
                report["results"].append(text_of(await client.call_tool(call["name"], call["arguments"])))
            except MCPError as error:
                report["results"].append(f"error: {error}")
        if plan["isWhole"]:
            long = plan["long"]
            await client.call_tool(long["name"], long["arguments"], progress_callback=on_progress)
            report["progress"] = progress
            report["elicited"] = text_of(await client.call_tool(plan["elicit"], {}))
            prompt = plan["prompt"]
            messages = (await client.get_prompt(prompt["name"], prompt["arguments"])).messages
            report["prompt"] = messages[0].content.text
            report["resource"] = (await client.read_resource(plan["resource"])).contents[0].text
    print(json.dumps(report))


anyio.run(main)
