// The official TypeScript client, 2.x.

const { Client } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
const { run } = require("./run.cjs");

async function connect([command, ...args], era) {
  const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
  const client = new Client({ name: "toolwright-tests", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ command, args }));
  return { client };
}

run({
  connect,
  protocolOf: ({ client }) => client.getNegotiatedProtocolVersion(),
  callTool: (client, call, options) => client.callTool(call, options),
}).catch(fail);

function fail(error) {
  console.error(error);
  process.exit(1);
}
