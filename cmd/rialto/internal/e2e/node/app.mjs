// The app that a person connects: it registers, asks, redeems and searches
// with plain requests, so that browser.mjs can look at the pages in between.

import { createHash, randomBytes } from 'node:crypto';
import { assert, env } from './report.mjs';

export const origin = new URL(env('RIALTO_URL')).origin;

/** Registers the app that waits at the callback, under a name. */
export async function register(callback, name = 'Browser test') {
  const response = await fetch(`${origin}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [callback.url], token_endpoint_auth_method: 'none' }),
  });
  assert.equal(response.status, 201, await response.clone().text());
  return { id: (await response.json()).client_id, redirect: callback.url };
}

/** Starts an authorization: its address, and what is needed to end it. */
export function begin(app, scope = 'mcp:tools') {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(8).toString('hex');
  const url = new URL(`${origin}/authorize`);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: app.id,
    redirect_uri: app.redirect,
    scope,
    state,
    resource: `${origin}/mcp`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return { url: url.href, verifier, state };
}

/** Redeems the code, as the app would, for an access token. */
export async function redeem(app, asked, answer) {
  assert.equal(answer.get('error'), null, `got ${answer}`);
  assert.equal(answer.get('state'), asked.state);
  assert.equal(answer.get('iss'), origin);
  const response = await fetch(`${origin}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: answer.get('code'),
      client_id: app.id,
      redirect_uri: app.redirect,
      code_verifier: asked.verifier,
    }),
  });
  assert.equal(response.status, 200, await response.clone().text());
  const { access_token } = await response.json();
  assert.ok(access_token);
  return access_token;
}

/** Calls a tool as a client of revision 2026-07-28 does, and returns its structured content. */
export async function call(token, name, args) {
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: args,
        _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
      },
    }),
  });
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()).result.structuredContent;
}

/** Searches. */
export const search = (token, query) => call(token, 'search', { query });
