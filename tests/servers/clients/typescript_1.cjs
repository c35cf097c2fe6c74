// The official TypeScript SDK, 1.x.

const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
const { ElicitRequestSchema } = require("@modelcontextprotocol/sdk/types.js");
const { run, filledIn, fail } = require("./run.cjs");

async function connect(server) {
  const client = new Client({ name: "toolwright-tests", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, filledIn);
  const transport = transportTo(server);
  const seen = {};
  // The client tells the transport which revision was negotiated, and nothing else does.
  const tellTransport = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    seen.protocol = version;
    tellTransport?.(version);
  };
  await client.connect(transport);
  return { client, seen };
}

function transportTo({ url, headers, command }) {
  if (url) return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  const [program, ...args] = command;
  return new StdioClientTransport({ command: program, args });
}

run({
  connect,
  protocolOf: ({ seen }) => seen.protocol,
  callTool: (client, call, options) => client.callTool(call, undefined, options),
}).catch(fail);
