// Carries out a plan with a client of either line of the TypeScript SDK; the plan and the report on
// stdout are described in `tests/real_clients/plan.rs`. Both lines share the calls used here, and differ in how a
// client is made, in how it tells the negotiated revision and in how it watches a resource.

const { readFileSync } = require("node:fs");
const { setTimeout: sleep } = require("node:timers/promises");

const TIMEOUT = { timeout: 20_000 };
const NIGHTS = "sleeper://nights";

async function run({ connect, protocolOf, callTool, watch }) {
  const plan = JSON.parse(process.argv[2]);

  const shop = await connect(plan.server, plan.era);
  const { tools } = await shop.client.listTools();
  const report = {
    protocol: protocolOf(shop),
    server: shop.client.getServerVersion()?.name,
    tools: tools.map((tool) => tool.name),
    results: [],
  };
  for (const call of plan.calls) {
    report.results.push(await callTool(shop.client, call, TIMEOUT));
  }
  await shop.client.close();

  const { client } = await connect(plan.slowServer, plan.era);
  let tell;
  const updated = new Promise((resolve) => (tell = resolve));
  await watch(client, NIGHTS, plan.era, ({ params }) => tell(params.uri));
  const abort = new AbortController();
  const slow = callTool(client, sleepFor(30_000), { ...TIMEOUT, signal: abort.signal });
  // The client rejects a call that it cancels; a call that ends otherwise must not pass unseen.
  const rejected = slow.then(
    () => Promise.reject(new Error("the cancelled call was answered")),
    () => {},
  );
  await waitForLine(plan.slowLog, "started");
  abort.abort("no longer needed");
  await rejected;
  await waitForLine(plan.slowLog, "cancelled");
  const progress = [];
  const onprogress = ({ progress: done, total, message }) => progress.push([done, total, message]);
  report.afterCancel = await callTool(client, sleepFor(20), { ...TIMEOUT, onprogress });
  report.heard = { updated: [await updated], progress };
  report.resource = (await client.readResource({ uri: NIGHTS })).contents[0].text;
  const prompt = await client.getPrompt({ name: "lullaby", arguments: { name: "Ada" } });
  report.prompt = prompt.messages[0].content.text;
  await client.close();

  process.stdout.write(JSON.stringify(report) + "\n");
}

function sleepFor(milliseconds) {
  return { name: "sleep", arguments: { milliseconds } };
}

async function waitForLine(log, line) {
  while (!readFileSync(log, "utf8").split("\n").includes(line)) await sleep(20);
}

module.exports = { run };
