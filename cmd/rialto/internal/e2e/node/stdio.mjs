// A chat app that knows only commands: it runs "rialto stdio". The arguments are the command.
// RIALTO_ERA chooses how it speaks, and with which SDK: legacy (1.x), or modern (2.x).

import { Client as Modern } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { env, run } from './report.mjs';
import { tour } from './tools.mjs';

await run(async () => {
  const modern = env('RIALTO_ERA') === 'modern';
  const [command, ...args] = process.argv.slice(2);
  const launch = { command, args, env: { HOME: '/nonexistent', RIALTO_TOKEN: env('RIALTO_TOKEN') } };
  const about = { name: 'rialto-e2e', version: '1.0.0' };
  const client = modern ? new Modern(about, { versionNegotiation: { mode: { pin: '2026-07-28' } } }) : new Client(about);
  await client.connect(modern ? new ModernTransport(launch) : new StdioClientTransport(launch));
  const call = (name, args, onprogress) =>
    modern ? client.callTool({ name, arguments: args }, { onprogress }) : client.callTool({ name, arguments: args }, undefined, { onprogress });
  // The SDK forgets whose progress it is when the result comes in the same piece, as it does from a pipe.
  await tour({ list: async () => (await client.listTools()).tools, call, dropsProgress: true }, new Map());
  await client.close();
});
