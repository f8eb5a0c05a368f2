// What a person does with an agent through an MCP client, the same for every
// generation of agents and every era of clients:
//
//   node generations.mjs begin|resume FILE
//
// RIALTO_ERA chooses the client: 2025-11-25 is the TypeScript SDK 1, 2026-07-28
// the TypeScript SDK 2. `begin` leaves a task at work, whose handle is kept in
// FILE; `resume` comes back for it, after the server was killed.

import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { assert, done, env, run } from './report.mjs';

const [, , phase, file] = process.argv;
const agent = env('RIALTO_AGENT');
const era = env('RIALTO_ERA');
const place = 'https://login.example/begin';
const release = () => fetch(env('RIALTO_RELEASE'), { method: 'POST' });
const person = { asked: [] };
// Where an agent drops what its subscriber did not take at once, the end of its task is seen within a minute.
const wait = 90;
const timeout = 100_000;

/** Connects with a person behind the client who fills in forms and opens pages. */
async function connect() {
  const info = { name: 'rialto-e2e', version: '1.0.0' };
  const capabilities = { elicitation: { form: {}, url: {} } };
  const url = new URL(env('RIALTO_URL'));
  const requestInit = { headers: { Authorization: `Bearer ${env('RIALTO_TOKEN')}` } };
  const answer = async ({ params }) => {
    person.asked.push(params);
    if (params.mode === 'url') await release(); // they sign in
    return params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { answer: 'echo blue' } };
  };
  if (era === '2025-11-25') {
    const client = new Client1(info, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, answer);
    const transport = new Transport1(url, { requestInit });
    await client.connect(transport);
    assert.equal(transport.protocolVersion, era);
    return (name, args, onprogress) => client.callTool({ name, arguments: args }, undefined, { onprogress, timeout });
  }
  const client = new Client2(info, { capabilities, versionNegotiation: { mode: { pin: era } } });
  client.setRequestHandler('elicitation/create', answer);
  await client.connect(new Transport2(url, { requestInit }));
  assert.equal(client.getNegotiatedProtocolVersion(), era);
  return (name, args, onprogress) => client.callTool({ name, arguments: args }, { onprogress, timeout });
}

/** Calls a tool about a task and returns the task, with the content of the result. */
async function task(call, name, args, onprogress) {
  const result = await call(name, args, onprogress);
  assert.ok(result.structuredContent, `${name}: ${JSON.stringify(result.content)}`);
  return { ...result.structuredContent, content: result.content, isError: result.isError };
}

/** Checks that a task has completed with what the agent was told to say. */
function ended(t, words) {
  assert.deepEqual([t.state, t.isError ?? false], ['completed', false], JSON.stringify(t));
  const said = t.content.filter((c) => c.type === 'text').map((c) => c.text).join('\n').split(/\s+/);
  for (const word of words.split(' ')) assert.ok(said.includes(word), `the result says ${word}: ${JSON.stringify(t.content)}`);
}

const send = (call, args, onprogress) => task(call, 'send_task', { agent, wait, ...args }, onprogress);

const steps = {
  async send(call) {
    ended(await send(call, { message: 'echo hello there' }), 'hello there');
  },
  // The agent goes on when its progress has been seen: what came at the end would be too late.
  async 'stream with progress'(call) {
    const seen = [];
    const t = await send(call, { message: 'wait over' }, (p) => {
      seen.push(p);
      if (p.message === 'over' && seen.filter((s) => s.message === 'over').length === 1) release();
    });
    ended(t, 'over');
    assert.ok(seen.some((p) => p.message === 'over'), JSON.stringify(seen));
    assert.ok(seen.every((p, i) => i === 0 || p.progress > seen[i - 1].progress), 'progress only grows');
  },
  async ask(call) {
    person.asked = [];
    ended(await send(call, { message: 'ask Which colour?' }), 'blue');
    assert.deepEqual(person.asked.map((p) => [p.mode ?? 'form', p.message]), [['form', 'Which colour?']]);
  },
  async 'sign in'(call) {
    person.asked = [];
    const goesOn = env('RIALTO_GOES_ON') === 'true';
    const waits = await send(call, { message: `auth Sign in at ${place}`, wait: goesOn ? 60 : 10 }); // for the agent to ask, too
    assert.deepEqual(person.asked.map((p) => [p.mode, p.url]), [['url', place]]);
    if (goesOn) return ended(waits, 'Sign in');
    assert.equal(waits.state, 'auth-required', JSON.stringify(waits));
    ended(await task(call, 'send_task', { task_id: waits.task_id, message: 'echo signed in' }), 'signed in');
  },
  async 'files both ways'(call) {
    const bytes = Buffer.from([0, 1, 254, 255, ...Buffer.from('a file')]).toString('base64');
    const t = await send(call, { message: 'files', files: [{ name: 'a.bin', media_type: 'application/octet-stream', bytes }] });
    assert.equal(t.state, 'completed', JSON.stringify(t));
    const files = t.content.filter((c) => c.type === 'resource').map((c) => [c.resource.mimeType, c.resource.blob]);
    assert.deepEqual(files, [['application/octet-stream', bytes]], JSON.stringify(t.content));
  },
  async cancel(call) {
    const begun = await send(call, { message: 'hang', wait: 0 });
    assert.ok(['submitted', 'working'].includes(begun.state), JSON.stringify(begun));
    const canceled = await task(call, 'cancel_task', { task_id: begun.task_id });
    assert.deepEqual([canceled.state, canceled.isError ?? false], ['canceled', false], JSON.stringify(canceled));
  },
};

/** Goes through all steps. What goes wrong is told, and the rest goes on. */
async function begin(call) {
  for (const [name, step] of Object.entries(steps)) {
    try {
      await Promise.race([step(call), late()]);
      done(name);
    } catch (err) {
      console.error(`${name}:`, err);
    }
  }
  const kept = await send(call, { message: 'wait resumed', wait: 0 });
  await writeFile(file, kept.task_id);
}

async function resume(call) {
  const task_id = await readFile(file, 'utf8');
  let t = await task(call, 'get_task', { task_id, wait: 0 });
  assert.ok(['submitted', 'working'].includes(t.state), JSON.stringify(t));
  await release();
  t = await task(call, 'get_task', { task_id, wait });
  ended(t, 'resumed');
  done('resume');
}

async function late() {
  await setTimeout(timeout, undefined, { ref: false });
  throw new Error('it takes too long');
}

await run(async () => ({ begin, resume })[phase](await connect()));
