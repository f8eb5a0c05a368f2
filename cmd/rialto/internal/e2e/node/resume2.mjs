// A call of the MCP TypeScript SDK 2.x whose server is killed before it answers.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { interrupted } from './resume.mjs';
import { run } from './report.mjs';

await run(() =>
  interrupted({
    connect: async (url, requestInit) => {
      const client = new Client({ name: 'rialto-e2e', version: '2.0.0' }, { versionNegotiation: { mode: 'legacy' } });
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      return client;
    },
    call: (client, params, onprogress) => client.callTool(params, { onprogress }),
  }),
);
