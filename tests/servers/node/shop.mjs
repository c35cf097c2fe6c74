// A server of the official TypeScript SDK, 2.x: on standard streams, or over HTTP at the port that `PORT` names. What it offers is
// described in `tests/it/case.rs`. NODE_PATH does not reach modules, so the packages are found from the folder they are installed in.

import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const installed = createRequire(`${process.env.INSTALLED}/`);
const { McpServer, createMcpHandler } = installed('@modelcontextprotocol/server');
const { serveStdio } = installed('@modelcontextprotocol/server/stdio');
const { toNodeHandler } = installed('@modelcontextprotocol/node');
const { z } = installed('zod');

function shop() {
    const server = new McpServer({ name: 'shop', version: '1.0.0' });
    const text = (text) => ({ content: [{ type: 'text', text }] });
    const add = { description: 'Adds two numbers.', inputSchema: z.object({ a: z.number(), b: z.number() }) };
    server.registerTool('add', add, async ({ a, b }) => text(String(a + b)));
    const fail = { description: 'Fails.', inputSchema: z.object({ reason: z.string() }) };
    server.registerTool('fail', fail, async ({ reason }) => ({ ...text(reason), isError: true }));
    const item = z.object({ sku: z.string().regex(/^[A-Z]/).describe('The article.'), count: z.int().min(1).max(99).default(1) });
    const order = {
        description: 'Orders articles.',
        inputSchema: z.object({ items: z.array(item), speed: z.enum(['fast', 'cheap']).default('cheap'), note: z.string().nullish() }),
        outputSchema: z.object({ total: z.number(), state: z.enum(['open', 'paid']), note: z.string().nullish() }),
    };
    server.registerTool('order', order, async ({ items, note }) => {
        const receipt = { total: 2.5 * items.reduce((sum, { count }) => sum + count, 0), state: 'open', note };
        return { ...text(JSON.stringify(receipt)), structuredContent: receipt };
    });
    const greet = { description: 'Greets someone.', argsSchema: z.object({ name: z.string() }) };
    server.registerPrompt('greet', greet, ({ name }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: `Say hello to ${name}.` } }],
    }));
    const stock = { description: 'What is in stock.', mimeType: 'text/plain' };
    server.registerResource('stock', 'shop://stock', stock, async (uri) => ({
        contents: [{ uri: uri.href, mimeType: 'text/plain', text: '7 apples' }],
    }));
    return server;
}

if (process.env.PORT) {
    createServer(toNodeHandler(createMcpHandler(shop))).listen(Number(process.env.PORT), '127.0.0.1');
} else {
    serveStdio(shop);
}
