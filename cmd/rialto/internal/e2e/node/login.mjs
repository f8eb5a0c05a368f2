// The life of a connector with either MCP SDK: refused, discovered,
// registered, approved by a person, in; and back later with what it kept.

import { listen } from './callback.mjs';
import { Memory } from './memory.mjs';
import { Person } from './person.mjs';
import { assert, done, env } from './report.mjs';
import { tour, returning } from './tools.mjs';

/**
 * Runs `login` or `resume`. The SDK gives connect(memory), which returns a
 * client and its transport, and finish(transport, params), which redeems the
 * code of the callback.
 */
export async function connector({ connect, finish, isUnauthorized, call, check }) {
  const [, , mode, file] = process.argv;
  if (mode === 'resume') return resume(new Memory(file), connect, call);
  assert.equal(mode, 'login');
  const callback = await listen();
  const memory = new Memory(file, callback.url);

  const first = await connect(memory).then(
    () => assert.fail('a client without a token got in'),
    (err) => err,
  );
  assert.ok(isUnauthorized(first.cause ?? first), `the first connect ends in UnauthorizedError, got ${first.cause ?? first}`);
  assert.ok(memory.sentTo, 'the person was asked to open the authorize page');
  assert.ok(memory.clientInformation()?.client_id, 'the client registered itself');
  done('registered', { client_id: memory.clientInformation().client_id, authorize: memory.sentTo.origin + memory.sentTo.pathname });

  const person = new Person(env('RIALTO_USERNAME'), env('RIALTO_PASSWORD'));
  await person.decide(memory.sentTo, 'approve');
  const params = await callback.next();
  assert.equal(params.get('state'), memory.get('state'), 'state comes back unchanged');
  assert.equal(params.get('iss'), new URL(env('RIALTO_URL')).origin, 'iss names the issuer');
  await finish(first.transport, params);
  const tokens = memory.tokens();
  assert.equal(tokens.token_type.toLowerCase(), 'bearer');
  assert.ok(tokens.access_token && tokens.refresh_token && tokens.expires_in > 0, 'both tokens came, with a lifetime');
  done('signed in', { scope: tokens.scope, expires_in: tokens.expires_in });

  const { client } = await connect(memory);
  check?.(client);
  await tour(call(client), memory);
  await refreshed(memory, call(client));
  await client.close();
  callback.close();
}

/** Goes on where `login` ended, after the server was restarted. */
async function resume(memory, connect, call) {
  const before = memory.tokens().access_token;
  const { client } = await connect(memory);
  await returning(call(client), memory);
  assert.equal(memory.tokens().access_token, before, 'the token of before the restart still works');
  done('back without a sign-in');
  await refreshed(memory, call(client));
  await client.close();
  assert.equal(memory.sentTo, null, 'nobody was asked to sign in again');
}

/** Loses the access token; the SDK must get another by itself. */
async function refreshed(memory, tools) {
  const before = memory.tokens();
  memory.loseAccessToken();
  await tools.call('list_agents', {});
  const after = memory.tokens();
  assert.notEqual(after.access_token, 'an.expired.token', 'the access token is new');
  assert.notEqual(after.refresh_token, before.refresh_token, 'the refresh token was rotated');
  done('refreshed', { scope: after.scope });
}
