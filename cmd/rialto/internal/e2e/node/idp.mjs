// An identity provider that others wrote: oidc-provider, with two clients and
// whoever says their name.

import http from 'node:http';
import { once } from 'node:events';
import Provider from 'oidc-provider';
import { assert } from './report.mjs';

const secret = 'a secret between the provider and its client';

/** Starts it as issuer, for a Rialto at origin. */
export async function provider(issuer, origin) {
  const idp = new Provider(issuer, {
    clients: [
      { client_id: 'rialto', client_secret: secret, redirect_uris: [`${origin}/oauth/callback/corp`] },
      { client_id: 'machine', client_secret: secret, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
    ],
    claims: { openid: ['sub'], profile: ['preferred_username'], email: ['email', 'email_verified'] },
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id, preferred_username: id, email: `${id}@corp.example`, email_verified: true }) }),
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({ scope: 'mcp:tools:sales', audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: 600 }),
      },
    },
    cookies: { keys: ['for a test'] },
    pkce: { required: () => true },
  });
  idp.on('server_error', (_, err) => console.error(err));
  const server = http.createServer(idp.callback());
  server.listen(Number(new URL(issuer).port), '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Gets an access token for a resource, as a machine does. */
export async function machineToken(issuer, resource) {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`machine:${encodeURIComponent(secret)}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope: 'mcp:tools:sales' }),
  });
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()).access_token;
}

/** Starts the authorization server of an agent, where clients register themselves. */
export async function authorizationServer(issuer) {
  const as = new Provider(issuer, {
    claims: { openid: ['sub'] },
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    features: { registration: { enabled: true } },
    cookies: { keys: ['for a test'] },
    pkce: { required: () => true },
  });
  as.on('server_error', (_, err) => console.error(err));
  as.on('registration_create.error', (_, err) => console.error(err));
  const server = http.createServer(as.callback());
  server.listen(Number(new URL(issuer).port), '127.0.0.1');
  await once(server, 'listening');
}
