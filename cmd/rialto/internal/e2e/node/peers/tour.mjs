// What a client does with the scripted agent, the same for every SDK. An SDK
// gives: send(message, push), stream(message), get(id), cancel(id),
// resubscribe(id), view(result), notification(body), what its errors are, and
// hooks: set(id, config) and get(id, config id), and if it lists, list(id) and
// drop(id, config id).
// An agent of another SDK does less (RIALTO_AGENT=theirs); then this is what
// a2a/a2atest/tour does.

import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { assert, done, env } from '../report.mjs';
import { carryToken } from '../token.mjs';

carryToken();
const ours = process.env.RIALTO_AGENT !== 'theirs';
const release = () => fetch(env('RIALTO_RELEASE'), { method: 'POST' });

/** Goes through all that there is. What goes wrong is told, and the rest goes on. */
export async function tour(sdk) {
  const say = async (text, more) => sdk.view(await sdk.send(text, more));
  const begin = async (text) => {
    for await (const event of sdk.stream(text)) return sdk.view(event).id;
    throw new Error('the stream brought nothing');
  };
  const steps = {
    async send() {
      const task = await say('echo hello');
      assert.deepEqual([task.kind, task.state, task.text], ['task', 'completed', 'hello']);
      if (!ours) return;
      const message = await say('say hello');
      assert.deepEqual([message.kind, message.text], ['message', 'hello']);
    },
    async stream() {
      const told = [];
      for await (const event of sdk.stream('echo hello')) told.push(sdk.view(event));
      assert.ok(told.some((e) => e.state === 'working'));
      assert.deepEqual([told.at(-1).state, told.map((e) => e.text ?? '').join('')], ['completed', 'hello']);
      if (!ours) return;
      const events = [];
      for await (const event of sdk.stream('chunks')) events.push(sdk.view(event));
      assert.deepEqual(events.map((e) => e.kind), ['task', 'artifact', 'artifact', 'artifact', 'status']);
      assert.equal(events.filter((e) => e.kind === 'artifact').map((e) => e.text).join(), 'chunk 1,chunk 2,chunk 3');
      assert.equal(events.at(-1).state, 'completed');
    },
    async 'multi-turn'() {
      const asked = await say('ask which?');
      assert.equal(asked.state, 'input-required');
      const answered = await say('echo this', { taskId: asked.id, contextId: asked.contextId });
      assert.deepEqual([answered.id, answered.state, answered.text], [asked.id, 'completed', 'this']);
    },
    async get() {
      const task = await say('echo hello');
      const kept = sdk.view(await sdk.get(task.id));
      assert.deepEqual([kept.id, kept.state, kept.text], [task.id, 'completed', 'hello']);
    },
    async cancel() {
      const canceled = sdk.view(await sdk.cancel(await begin('hang')));
      assert.equal(canceled.state, 'canceled');
    },
    async resubscribe() {
      const states = [];
      for await (const event of sdk.resubscribe(await begin('wait over'))) {
        if (states.length === 0) await release();
        states.push(sdk.view(event).state);
      }
      assert.equal(states.at(-1), 'completed');
    },
    async push() {
      await notified(sdk);
      await kept(sdk.hooks, (await say('ask which?')).id);
    },
    async error() {
      const task = await say('echo hello');
      await assert.rejects(async () => sdk.get('there-is-none'), sdk.isNotFound);
      await assert.rejects(async () => sdk.cancel(task.id), sdk.isNotCancelable);
    },
  };
  for (const [name, step] of Object.entries(steps)) {
    try {
      await Promise.race([step(), late()]);
      done(name);
    } catch (err) {
      console.error(`${name}:`, err);
    }
  }
}

async function late() {
  await setTimeout(20_000, undefined, { ref: false });
  throw new Error('it takes too long');
}

async function notified(sdk) {
  let heard;
  const end = new Promise((take) => { heard = take; });
  const webhook = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    res.end();
    const told = sdk.view(sdk.notification(JSON.parse(body)));
    if (told.state === 'completed') heard({ token: req.headers['x-a2a-notification-token'], ...told });
  });
  await new Promise((ready) => webhook.listen(0, '127.0.0.1', ready));
  await sdk.send('echo hello', {}, { url: `http://127.0.0.1:${webhook.address().port}/`, token: 'secret' });
  const { token, kind, text } = await end;
  webhook.close();
  assert.deepEqual([token, kind, text], ['secret', 'task', 'hello']);
}

/** Keeps a webhook of a task at the agent, for as long as it is not dropped. */
async function kept(hooks, task) {
  const config = { id: 'mine', url: 'http://127.0.0.1:1/hook', token: 'secret' };
  assert.partialDeepStrictEqual(await hooks.set(task, config), config);
  assert.partialDeepStrictEqual(await hooks.get(task, 'mine'), config);
  if (!hooks.lists) return;
  assert.partialDeepStrictEqual(await hooks.list(task), [config]);
  await hooks.drop(task, 'mine');
  assert.deepEqual(await hooks.list(task), []);
}
