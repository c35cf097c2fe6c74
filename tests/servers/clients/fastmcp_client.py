"""The client of FastMCP at a gateway: `fastmcp_client.py PLAN`, where PLAN and the report on stdout are described in
`tests/gateway/plan.rs`."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from fastmcp.exceptions import McpError


def transport(server: dict):
    if "url" in server:
        return StreamableHttpTransport(server["url"], headers=server["headers"])
    command, *args = server["command"]
    return StdioTransport(command=command, args=args, keep_alive=False)


async def fill_in(_message, _response_type, _params, _context) -> dict:
    return {"name": "Ada"}


def text_of(result) -> str:
    return "\n".join(part.text for part in result.content if part.type == "text")


async def main() -> None:
    plan = json.loads(sys.argv[1])
    progress = []

    async def on_progress(done, _total, _message) -> None:
        progress.append(done)

    mode = "legacy" if plan["era"] == "legacy" else "auto"
    async with Client(transport(plan["server"]), mode=mode, timeout=20, elicitation_handler=fill_in) as client:
        report = {
            "protocol": client.protocol_version,
            "tools": [tool.name for tool in await client.list_tools()],
            "results": [],
        }
        for call in plan["calls"]:
            try:
                result = await client.call_tool(call["name"], call["arguments"], raise_on_error=False)
                report["results"].append(text_of(result))
            except McpError as error:
                report["results"].append(f"error: {error}")
        if plan["isWhole"]:
            long = plan["long"]
            await client.call_tool(long["name"], long["arguments"], progress_handler=on_progress)
            report["progress"] = progress
            report["elicited"] = text_of(await client.call_tool(plan["elicit"], {}))
            prompt = plan["prompt"]
            messages = (await client.get_prompt(prompt["name"], prompt["arguments"])).messages
            report["prompt"] = messages[0].content.text
            report["resource"] = (await client.read_resource(plan["resource"]))[0].text
    print(json.dumps(report))


asyncio.run(main())
