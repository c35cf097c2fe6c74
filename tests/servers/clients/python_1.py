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
from mcp.types import ElicitResult


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


async def fill_in(_context, _params) -> ElicitResult:
    return ElicitResult(action="accept", content={"name": "Ada"})


def text_of(result) -> str:
    return "\n".join(part.text for part in result.content if part.type == "text")


async def main() -> None:
    plan = json.loads(sys.argv[1])
    progress = []

    async def on_progress(done, _total, _message) -> None:
        progress.append(done)

    async with transport(plan["server"]) as (read, write, *_):
        async with ClientSession(read, write, timedelta(seconds=20), elicitation_callback=fill_in) as session:
            initialized = await session.initialize()
            tools = await session.list_tools()
            report = {
                "protocol": initialized.protocolVersion,
                "tools": [tool.name for tool in tools.tools],
                "results": [],
            }
            for call in plan["calls"]:
                try:
                    report["results"].append(text_of(await session.call_tool(call["name"], call["arguments"])))
                except McpError as error:
                    report["results"].append(f"error: {error}")
            if plan["isWhole"]:
                long = plan["long"]
                await session.call_tool(long["name"], long["arguments"], progress_callback=on_progress)
                report["progress"] = progress
                report["elicited"] = text_of(await session.call_tool(plan["elicit"], {}))
                prompt = plan["prompt"]
                messages = (await session.get_prompt(prompt["name"], prompt["arguments"])).messages
                report["prompt"] = messages[0].content.text
                report["resource"] = (await session.read_resource(plan["resource"])).contents[0].text
    print(json.dumps(report))


anyio.run(main)
