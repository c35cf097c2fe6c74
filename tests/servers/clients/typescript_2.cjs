// The official TypeScript client, 2.x.

const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
const { run, filledIn, fail } = require("./run.cjs");

async function connect(server, era) {
  const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
  const options = { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } };
  const client = new Client({ name: "toolwright-tests", version: "1.0.0" }, options);
  client.setRequestHandler("elicitation/create", filledIn);
  await client.connect(transportTo(server));
  return { client };
}

function transportTo({ url, headers, command }) {
  if (url) return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  const [program, ...args] = command;
  return new StdioClientTransport({ command: program, args });
}

run({
  connect,
  protocolOf: ({ client }) => client.getNegotiatedProtocolVersion(),
  callTool: (client, call, options) => client.callTool(call, options),
}).catch(fail);
