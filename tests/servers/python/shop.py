"""A server of the official Python SDK, 1.x or 2.x, or of FastMCP, whichever is installed: on standard streams, or over HTTP at the port
that `PORT` names. What it offers is described in `tests/it/case.rs`."""

import os
from typing import Literal

from pydantic import BaseModel, Field

try:
    from fastmcp import FastMCP as Server
    from fastmcp.exceptions import ToolError

    KIND = "fastmcp"
except ImportError:
    try:
        from mcp.server import MCPServer as Server
        from mcp.server.mcpserver.exceptions import ToolError

        KIND = "mcp 2"
    except ImportError:
        from mcp.server.fastmcp import FastMCP as Server
        from mcp.server.fastmcp.exceptions import ToolError

        KIND = "mcp 1"

PORT = int(os.environ.get("PORT", "0"))

server = Server("shop", port=PORT) if KIND == "mcp 1" else Server("shop")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def fail(reason: str) -> str:
    """Fails."""
    raise ToolError(reason)


class Item(BaseModel):
    """What is ordered."""

    sku: str = Field(description="The article.", pattern="^[A-Z]")
    count: int = Field(default=1, ge=1, le=99)


class Receipt(BaseModel):
    total: float
    state: Literal["open", "paid"]
    note: str | None = None


@server.tool()
def order(items: list[Item], speed: Literal["fast", "cheap"] = "cheap", note: str | None = None) -> Receipt:
    """Orders articles."""
    return Receipt(total=2.5 * sum(item.count for item in items), state="open", note=note)


@server.prompt()
def greet(name: str) -> str:
    """Greets someone."""
    return f"Say hello to {name}."


@server.resource("shop://stock", mime_type="text/plain")
def stock() -> str:
    """What is in stock."""
    return "7 apples"


if KIND == "fastmcp":
    options = {"show_banner": False}
    server.run(**options) if not PORT else server.run("http", host="127.0.0.1", port=PORT, **options)
elif not PORT:
    server.run("stdio")
elif KIND == "mcp 1":
    server.run("streamable-http")
else:
    server.run("streamable-http", host="127.0.0.1", port=PORT)
