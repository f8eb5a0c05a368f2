// A chat app that knows only local servers, as many do: it runs mcp-remote,
// which has signed in before and passes on what it is told. The arguments are
// those of mcp-remote.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { fileURLToPath } from 'node:url';
import { run } from './report.mjs';
import { tour } from './tools.mjs';

const proxy = fileURLToPath(import.meta.resolve('mcp-remote/dist/proxy.js'));

await run(async () => {
  const args = [proxy, ...process.argv.slice(2)];
  const client = new Client({ name: 'rialto-e2e', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: { HOME: process.env.HOME, PATH: '' } }));
  const call = (name, args, onprogress) => client.callTool({ name, arguments: args }, undefined, { onprogress });
  // The SDK forgets whose progress it is when the result comes in the same piece, as it does from a pipe.
  await tour({ list: async () => (await client.listTools()).tools, call, dropsProgress: true }, new Map());
  await client.close();
});
