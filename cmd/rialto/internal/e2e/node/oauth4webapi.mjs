// oauth4webapi, which checks every answer as its specification reads: a member
// too few, a wrong media type or another issuer is an error.

import * as oauth from 'oauth4webapi';
import { listen } from './callback.mjs';
import { Person } from './person.mjs';
import { assert, done, env, run } from './report.mjs';

const resource = new URL(env('RIALTO_URL'));
const local = { [oauth.allowInsecureRequests]: true }; // loopback has no TLS

const secret = (name) => (client) => oauth[name](client.client_secret);
const methods = {
  none: () => oauth.None(),
  client_secret_basic: secret('ClientSecretBasic'),
  client_secret_post: secret('ClientSecretPost'),
  private_key_jwt: null, // needs a key: see below
};

await run(async () => {
  const as = await discover();
  for (const method of Object.keys(methods)) {
    for (const bound of [false, true]) {
      const app = await register(as, method, bound);
      const tokens = await login(as, app);
      await refresh(as, app, tokens);
      done(`a client that authenticates by ${method}, its tokens ${bound ? 'bound to a key' : 'for any bearer'}`);
    }
  }
});

/** Finds the server as a client does that knows nothing but the resource. */
async function discover() {
  const answer = await oauth.resourceDiscoveryRequest(resource, local);
  const described = await oauth.processResourceDiscoveryResponse(resource, answer);
  const issuer = new URL(described.authorization_servers[0]);
  for (const algorithm of ['oidc', 'oauth2']) {
    const found = await oauth.discoveryRequest(issuer, { algorithm, ...local });
    var as = await oauth.processDiscoveryResponse(issuer, found);
  }
  done('discovered', { issuer: as.issuer });
  return as;
}

/** Registers an app; one whose tokens are bound to a key proves with each request that it has it (RFC 9449). */
async function register(as, method, bound) {
  const callback = await listen();
  const metadata = { client_name: 'oauth4webapi', redirect_uris: [callback.url], token_endpoint_auth_method: method };
  let authenticate = methods[method];
  if (method === 'private_key_jwt') {
    const pair = await oauth.generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await crypto.subtle.exportKey('jwk', pair.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
    delete jwk.key_ops;
    delete jwk.ext;
    metadata.jwks = { keys: [jwk] };
    authenticate = () => oauth.PrivateKeyJwt({ key: pair.privateKey, kid: 'one' });
  }
  const answer = await oauth.dynamicClientRegistrationRequest(as, metadata, local);
  const client = await oauth.processDynamicClientRegistrationResponse(answer);
  const options = { ...local };
  if (bound) options.DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
  return { callback, client, auth: authenticate(client), options };
}

/** Pushes the request, lets a person approve, and redeems and uses the code. */
async function login(as, app) {
  const { callback, client, auth, options } = app;
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const asked = {
    response_type: 'code',
    redirect_uri: callback.url,
    scope: 'mcp:tools offline_access',
    state,
    resource: resource.href,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  const pushed = await oauth.processPushedAuthorizationResponse(as, client, await oauth.pushedAuthorizationRequest(as, client, auth, asked, options));
  const address = new URL(as.authorization_endpoint);
  address.search = new URLSearchParams({ client_id: client.client_id, request_uri: pushed.request_uri });
  await new Person(env('RIALTO_USERNAME'), env('RIALTO_PASSWORD')).decide(address, 'approve');

  const params = oauth.validateAuthResponse(as, client, await callback.next(), state);
  const answer = await oauth.authorizationCodeGrantRequest(as, client, auth, params, callback.url, verifier, options);
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer);
  await check(as, app, tokens);
  callback.close();
  return tokens;
}

/** Looks at an access token from every side: RFC 9068, 7662, userinfo, and the resource itself. */
async function check(as, { client, auth, options }, tokens) {
  assert.equal(tokens.token_type, options.DPoP ? 'dpop' : 'bearer');
  const claims = await validated(as, tokens, options);
  assert.equal(claims.client_id, client.client_id);
  assert.deepEqual(claims.scope.split(' ').sort(), ['mcp:tools', 'offline_access']);

  const info = await oauth.userInfoRequest(as, client, tokens.access_token, options);
  await oauth.processUserInfoResponse(as, client, claims.sub, info);

  if (client.token_endpoint_auth_method !== 'none') {
    const introspected = await oauth.introspectionRequest(as, client, auth, tokens.access_token, local);
    const state = await oauth.processIntrospectionResponse(as, client, introspected);
    assert.deepEqual([state.active, state.sub, state.client_id], [true, claims.sub, client.client_id]);
  }
  assert.equal(await knock(tokens.access_token, options), 200);
  if (options.DPoP) assert.equal(await knock(tokens.access_token, local), 'invalid_token', 'without its key the token opens nothing');
}

/** Validates an access token as a resource server does that got it in a request. */
async function validated(as, tokens, options) {
  let seen; // what the client sends to the resource
  const fetching = async (url, init) => {
    seen = new Request(url, init);
    return new Response();
  };
  await oauth.protectedResourceRequest(tokens.access_token, 'GET', resource, undefined, undefined, { ...options, [oauth.customFetch]: fetching });
  return oauth.validateJwtAccessToken(as, seen, resource.href, local);
}

/** Calls the resource and tells how it answers. */
async function knock(token, options) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const headers = new Headers({ 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' });
  const answer = await oauth.protectedResourceRequest(token, 'POST', resource, headers, body, options).catch((err) => err);
  if (answer instanceof oauth.WWWAuthenticateChallengeError) {
    const [challenge] = answer.cause;
    assert.ok(['bearer', 'dpop'].includes(challenge.scheme), `got the scheme ${challenge.scheme}`);
    return challenge.parameters.error;
  }
  return answer.status;
}

async function refresh(as, app, before) {
  const { client, auth, options } = app;
  const answer = await oauth.refreshTokenGrantRequest(as, client, auth, before.refresh_token, options);
  const after = await oauth.processRefreshTokenResponse(as, client, answer);
  assert.notEqual(after.refresh_token, before.refresh_token);
  await check(as, app, after);

  const revoked = await oauth.revocationRequest(as, client, auth, after.refresh_token, local);
  await oauth.processRevocationResponse(revoked);
  assert.equal(await knock(after.access_token, options), 'invalid_token', 'an access token dies with its grant');
  const late = await oauth.refreshTokenGrantRequest(as, client, auth, after.refresh_token, options);
  const refused = await oauth.processRefreshTokenResponse(as, client, late).catch((err) => err);
  assert.ok(refused instanceof oauth.ResponseBodyError, `got ${refused}`);
  assert.equal(refused.error, 'invalid_grant');
}
