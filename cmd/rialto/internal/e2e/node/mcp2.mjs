// The MCP TypeScript SDK 2.x. RIALTO_ERA chooses how it speaks: legacy
// (initialize), or modern (2026-07-28, with no fallback).

import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { connector } from './login.mjs';
import { assert, done, env, run } from './report.mjs';

const modern = '2026-07-28';
const mode = { legacy: 'legacy', modern: { pin: modern } }[env('RIALTO_ERA')];

await run(() =>
  connector({
    async connect(memory) {
      const transport = new StreamableHTTPClientTransport(new URL(env('RIALTO_URL')), { authProvider: memory });
      const client = new Client({ name: 'rialto-e2e', version: '2.0.0' }, { versionNegotiation: { mode } });
      await client.connect(transport).catch((err) => {
        throw Object.assign(err, { transport });
      });
      return { client, transport };
    },
    finish: (transport, params) => transport.finishAuth(params),
    isUnauthorized: (err) => err instanceof UnauthorizedError,
    check(client) {
      const version = client.getNegotiatedProtocolVersion();
      assert.equal(version === modern, env('RIALTO_ERA') === 'modern', `got revision ${version}`);
      done('negotiated', { version });
    },
    call: (client) => ({
      list: async () => (await client.listTools()).tools,
      call: (name, args, onprogress) => client.callTool({ name, arguments: args }, { onprogress }),
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
      client.setNotificationHandler('notifications/resources/updated', (n) => all.onupdated(n.params.uri));
      if (client.getNegotiatedProtocolVersion() === modern) {
        const subscription = await client.listen({ resourceSubscriptions: [uri], resourcesListChanged: true });
        assert.deepEqual(subscription.honoredFilter, { resourceSubscriptions: [uri], resourcesListChanged: true });
        return () => subscription.close();
      }
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
  };
  return all;
}
