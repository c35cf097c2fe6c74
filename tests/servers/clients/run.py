"""Carries out a plan at a gateway with a client of either line of the official Python SDK; the plan and the report on stdout are
described in `tests/gateway/plan.rs`."""

import json

from mcp.types import ElicitResult


async def fill_in(_context, _params) -> ElicitResult:
    return ElicitResult(action="accept", content={"name": "Ada"})


def text_of(result) -> str:
    return "\n".join(part.text for part in result.content if part.type == "text")


async def run(client, plan: dict, protocol: str, error_type: type) -> None:
    tools = await client.list_tools()
    report = {"protocol": protocol, "tools": [tool.name for tool in tools.tools], "results": []}
    for call in plan["calls"]:
        try:
            report["results"].append(text_of(await client.call_tool(call["name"], call["arguments"])))
        except error_type as error:
            report["results"].append(f"error: {error}")
    if plan["isWhole"]:
        progress = report["progress"] = []

        async def on_progress(done, _total, _message) -> None:
            progress.append(done)

        long = plan["long"]
        await client.call_tool(long["name"], long["arguments"], progress_callback=on_progress)
        report["elicited"] = text_of(await client.call_tool(plan["elicit"], {}))
        prompt = plan["prompt"]
        messages = (await client.get_prompt(prompt["name"], prompt["arguments"])).messages
        report["prompt"] = messages[0].content.text
        report["resource"] = (await client.read_resource(plan["resource"])).contents[0].text
    print(json.dumps(report))
