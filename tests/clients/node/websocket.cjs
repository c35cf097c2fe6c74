// The official TypeScript SDK, 1.x, over WebSocket: `websocket.cjs SHOP SLOW`, the addresses of two servers. It prints
// what it saw as one line of JSON; `tests/websocket.rs` says what that must be.

const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { WebSocketClientTransport } = require("@modelcontextprotocol/sdk/client/websocket.js");

async function connect(url) {
  const client = new Client({ name: "toolwright-tests", version: "1.0.0" });
  const transport = new WebSocketClientTransport(new URL(url));
  const seen = {};
  // The client tells the transport which revision was negotiated, and nothing else does.
  transport.setProtocolVersion = (version) => (seen.protocol = version);
  await client.connect(transport);
  return { client, seen };
}

async function main([shopUrl, slowUrl]) {
  const shop = await connect(shopUrl);
  const { tools } = await shop.client.listTools();
  const report = {
    protocol: shop.seen.protocol,
    server: shop.client.getServerVersion().name,
    tools: tools.map((tool) => tool.name),
    found: await shop.client.callTool({ name: "get_order_details", arguments: { order_id: "#W0000001" } }),
    refused: await shop.client.callTool({ name: "get_order_details", arguments: { order_id: 7 } }),
    progress: [],
  };
  await shop.client.close();

  const { client } = await connect(slowUrl);
  const abort = new AbortController();
  const cancelled = client.callTool({ name: "wait", arguments: {} }, undefined, {
    signal: abort.signal,
    // The server reports once when the call has started.
    onprogress: ({ progress }) => {
      report.progress.push(progress);
      abort.abort("no longer needed");
    },
  });
  await cancelled.then(
    () => Promise.reject(new Error("the cancelled call was answered")),
    () => {},
  );
  const { content } = await client.callTool({ name: "cancelled", arguments: {} });
  report.cancelled = content[0].text;
  await client.close();
  console.log(JSON.stringify(report));
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
