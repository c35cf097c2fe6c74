// Carries out a plan at a gateway with a client of either line of the TypeScript SDK; the plan and the report on stdout are
// described in `tests/gateway/plan.rs`.

const TIMEOUT = { timeout: 20_000 };

async function run({ connect, protocolOf, callTool }) {
  const plan = JSON.parse(process.argv[2]);
  const connected = await connect(plan.server, plan.era);
  const { client } = connected;
  const { tools } = await client.listTools();
  const report = { protocol: protocolOf(connected), tools: tools.map(({ name }) => name), results: [] };
  for (const call of plan.calls) {
    const result = await callTool(client, call, TIMEOUT).then(textOf, (error) => `error: ${error.message}`);
    report.results.push(result);
  }
  if (plan.isWhole) {
    report.progress = [];
    const onprogress = ({ progress }) => report.progress.push(progress);
    await callTool(client, plan.long, { ...TIMEOUT, onprogress });
    report.elicited = textOf(await callTool(client, { name: plan.elicit, arguments: {} }, TIMEOUT));
    report.prompt = (await client.getPrompt(plan.prompt)).messages[0].content.text;
    report.resource = (await client.readResource({ uri: plan.resource })).contents[0].text;
  }
  await client.close();
  process.stdout.write(JSON.stringify(report) + "\n");
}

function textOf({ content }) {
  return content
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("\n");
}

const filledIn = async () => ({ action: "accept", content: { name: "Ada" } });

function fail(error) {
  console.error(error);
  process.exit(1);
}

module.exports = { run, filledIn, fail };
