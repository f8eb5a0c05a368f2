// openid-client, the certified relying party of most Node servers, through the
// life of an app that keeps a secret.

import * as client from 'openid-client';
import { listen } from './callback.mjs';
import { Person } from './person.mjs';
import { assert, done, env, run } from './report.mjs';

const resource = env('RIALTO_URL');
const issuer = new URL(new URL(resource).origin);

await run(async () => {
  for (const algorithm of ['oidc', 'oauth2']) {
    const callback = await listen();
    const metadata = { client_name: 'openid-client', redirect_uris: [callback.url], token_endpoint_auth_method: 'client_secret_basic' };
    const config = await client.dynamicClientRegistration(issuer, metadata, client.ClientSecretBasic(), {
      algorithm,
      execute: [client.allowInsecureRequests], // loopback has no TLS
    });
    assert.ok(config.serverMetadata().supportsPKCE(), 'the server says that it knows PKCE');
    const tokens = await login(config, callback);
    await refused(config, callback);
    await later(config, tokens);
    callback.close();
    done(`an app that discovered by ${algorithm}`);
  }
});

async function ask(config, callback, decision) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: callback.url,
    scope: 'mcp:tools offline_access',
    resource,
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  await new Person(env('RIALTO_USERNAME'), env('RIALTO_PASSWORD')).decide(address, decision);
  const back = new URL(callback.url);
  back.search = await callback.next();
  return { back, checks: { pkceCodeVerifier, expectedState } };
}

async function login(config, callback) {
  const { back, checks } = await ask(config, callback, 'approve');
  const tokens = await client.authorizationCodeGrant(config, back, checks);
  assert.deepEqual([tokens.token_type, tokens.scope], ['bearer', 'mcp:tools offline_access']);
  assert.ok(tokens.expiresIn() > 0);
  const again = await client.authorizationCodeGrant(config, back, checks).catch((err) => err);
  assert.equal(again.error, 'invalid_grant', 'a code works once');
  const anew = await ask(config, callback, 'approve'); // the replay ended what the first code gave
  return client.authorizationCodeGrant(config, anew.back, anew.checks);
}

async function refused(config, callback) {
  const { back, checks } = await ask(config, callback, 'deny');
  const err = await client.authorizationCodeGrant(config, back, checks).catch((err) => err);
  assert.ok(err instanceof client.AuthorizationResponseError, `got ${err}`);
  assert.equal(err.error, 'access_denied');
}

async function later(config, tokens) {
  const claims = await client.tokenIntrospection(config, tokens.access_token);
  assert.equal(claims.active, true);
  await client.fetchUserInfo(config, tokens.access_token, claims.sub);
  const after = await client.refreshTokenGrant(config, tokens.refresh_token, { scope: 'mcp:tools', resource });
  assert.equal(after.scope, 'mcp:tools', 'a refresh can ask for less');
  const wider = await client.refreshTokenGrant(config, after.refresh_token, { scope: 'mcp:tools admin' }).catch((err) => err);
  assert.equal(wider.error, 'invalid_scope', 'and not for more');
  await client.tokenRevocation(config, after.refresh_token);
  assert.equal((await client.tokenIntrospection(config, after.access_token)).active, false);
}
