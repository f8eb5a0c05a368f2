// A call of the MCP TypeScript SDK 1.x whose server is killed before it answers.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { interrupted } from './resume.mjs';
import { run } from './report.mjs';

await run(() =>
  interrupted({
    connect: async (url, requestInit) => {
      const client = new Client({ name: 'rialto-e2e', version: '1.0.0' });
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      return client;
    },
    call: (client, params, onprogress) => client.callTool(params, undefined, { onprogress }),
  }),
);
