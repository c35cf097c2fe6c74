// The official TypeScript SDK, 1.x.

const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { run } = require("./run.cjs");

async function connect([command, ...args]) {
  const client = new Client({ name: "toolwright-tests", version: "1.0.0" });
  const transport = new StdioClientTransport({ command, args });
  const seen = {};
  // The client tells the transport which revision was negotiated, and nobody else.
  transport.setProtocolVersion = (version) => (seen.protocol = version);
  await client.connect(transport);
  return { client, seen };
}

run({
  connect,
  protocolOf: ({ seen }) => seen.protocol,
  callTool: (client, call, options) => client.callTool(call, undefined, options),
}).catch(fail);

function fail(error) {
  console.error(error);
  process.exit(1);
}
