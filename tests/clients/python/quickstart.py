"""Lists the tools of a shop and calls one: `quickstart.py SERVER`, where SERVER is the program to start."""

import asyncio
import sys

from mcp import Client, StdioServerParameters


async def main() -> None:
    async with Client(StdioServerParameters(command=sys.argv[1])) as client:
        print(f"{client.server_info.name} speaks MCP {client.protocol_version} and offers:")
        for tool in (await client.list_tools()).tools:
            first_sentence = " ".join(tool.description.split()).split(". ")[0].rstrip(".")
            print(f"  {tool.name}: {first_sentence}")

        arguments = {"order_id": "#W0000001"}
        print(f"\nget_order_details {arguments}:")
        result = await client.call_tool("get_order_details", arguments)
        print(result.content[0].text)
        if result.is_error:
            sys.exit("the call failed")


asyncio.run(main())
