// A call that is under way when its server is killed: the SDK comes back on its own, and gets the
// result from the server that was started meanwhile. RIALTO_CONTROL is asked for /begun when the
// agent works, and answers when the server is there again.

import { assert, done, env } from './report.mjs';

export async function interrupted({ connect, call }) {
  const client = await connect(new URL(env('RIALTO_URL')), { headers: { Authorization: `Bearer ${env('RIALTO_TOKEN')}` } });
  let back;
  const begun = () => {
    back ??= fetch(env('RIALTO_CONTROL') + '/begun').then(() => Date.now());
  };
  const result = await call(client, { name: 'send_task', arguments: { agent: 'slow', message: 'a question', wait: 200 } }, begun);
  const late = Date.now() - (await back);
  assert.equal(result.structuredContent?.state, 'completed', JSON.stringify(result));
  assert.match(JSON.stringify(result.structuredContent), /the answer to a question/);
  done('the result came', { ms: late });
  assert.ok(late < 4000, `the result came ${late} ms after the server was back`);
  await client.close();
}
