// The official TypeScript client, 2.x.

const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
const { run } = require("./run.cjs");

async function connect(server, era) {
  const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
  const client = new Client({ name: "toolwright-tests", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(transportTo(server));
  return { client };
}

function transportTo({ url, command }) {
  if (url) return new StreamableHTTPClientTransport(new URL(url));
  const [program, ...args] = command;
  return new StdioClientTransport({ command: program, args });
}

async function watch(client, uri, era, onUpdate) {
  client.setNotificationHandler("notifications/resources/updated", onUpdate);
  if (era === "modern") await client.listen({ resourceSubscriptions: [uri] });
  else await client.subscribeResource({ uri });
}

run({
  watch,
  connect,
  protocolOf: ({ client }) => client.getNegotiatedProtocolVersion(),
  callTool: (client, call, options) => client.callTool(call, options),
}).catch(fail);

function fail(error) {
  console.error(error);
  process.exit(1);
}
