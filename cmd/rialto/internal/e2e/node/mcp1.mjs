// The MCP TypeScript SDK 1.x, as most chat apps of 2025 carry it.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { connector } from './login.mjs';
import { env, run } from './report.mjs';

// RIALTO_TRANSPORT=sse is the pair of addresses that 2024-11-05 had.
const Transport = process.env.RIALTO_TRANSPORT === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport;

await run(() =>
  connector({
    async connect(memory) {
      const transport = new Transport(new URL(env('RIALTO_URL')), { authProvider: memory });
      const client = new Client({ name: 'rialto-e2e', version: '1.0.0' });
      await client.connect(transport).catch((err) => {
        throw Object.assign(err, { transport });
      });
      return { client, transport };
    },
    finish: (transport, params) => transport.finishAuth(params.get('code')),
    isUnauthorized: (err) => err instanceof UnauthorizedError,
    call: (client) => ({
      list: async () => (await client.listTools()).tools,
      call: (name, args, onprogress) => client.callTool({ name, arguments: args }, undefined, { onprogress }),
      // That transport forgets whose progress it is when the result comes in the same piece.
      dropsProgress: process.env.RIALTO_TRANSPORT === 'sse',
      resources: resources(client),
    }),
  }),
);

function resources(client) {
  const all = {
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    list: (cursor) => client.listResources({ cursor }),
    read: (uri) => client.readResource({ uri }),
    complete: (params) => client.complete(params),
    async watch(uri) {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => all.onupdated(n.params.uri));
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
  };
  return all;
}
