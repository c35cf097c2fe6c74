"""The official Python client, 2.x, at a protected server: `oauth.py PLAN`, where PLAN and the report on stdout are described
in `tests/real_clients/protected.rs`."""

import json
import sys

import anyio
import httpx2
from mcp import Client
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.streamable_http import streamable_http_client


class Storage:
    """Tokens of this run."""

    def __init__(self) -> None:
        self.tokens = None
        self.scopes = []

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens) -> None:
        self.tokens = tokens
        self.scopes.append(tokens.scope)

    async def get_client_info(self):
        return None

    async def set_client_info(self, client_info) -> None:
        pass


async def main() -> None:
    plan = json.loads(sys.argv[1])
    storage = Storage()
    provider = ClientCredentialsOAuthProvider(
        server_url=plan["url"],
        storage=storage,
        client_id=plan["clientId"],
        client_secret=plan["clientSecret"],
        issuer=plan["issuer"],
    )
    async with httpx2.AsyncClient(auth=provider, timeout=20) as http:
        transport = streamable_http_client(plan["url"], http_client=http)
        async with Client(transport, mode=plan["mode"], read_timeout_seconds=20) as client:
            before = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool("list_orders", {})
            after = [tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools]
            report = {
                "protocol": client.protocol_version,
                "before": before,
                "result": result.content[0].text,
                "after": after,
                "scopes": storage.scopes,
            }
    print(json.dumps(report))


anyio.run(main)
