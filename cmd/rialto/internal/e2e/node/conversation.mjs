// What an A2A client does with the Table Expert, the same for every
// generation. The SDK gives an agent: card, message(text, more), send, stream,
// get, cancel, and view(task), which puts its task into one form.

import { randomUUID } from 'node:crypto';
import { assert, done } from './report.mjs';
import { carryToken } from './token.mjs';

const sql = 'SELECT count(*) AS n FROM claims';

/** Notes the JSON-RPC methods that are sent, so that a script can tell which dialect was spoken. */
export function methodsSpoken() {
  const spoken = new Set();
  carryToken();
  const original = globalThis.fetch;
  globalThis.fetch = (url, init) => {
    if (init?.method === 'POST' && typeof init.body === 'string') spoken.add(JSON.parse(init.body).method);
    return original(url, init);
  };
  return spoken;
}

export async function converse(agent) {
  carded(agent.card);
  const task = await sent(agent);
  await got(agent, task);
  await streamed(agent);
  await continued(agent);
  await refused(agent, task);
}

function carded(card) {
  assert.equal(card.name, 'Table Expert');
  const skills = card.skills.map((s) => s.id);
  for (const id of ['search', 'fetch', 'query_table_expert', 'schema', 'peek']) {
    assert.ok(skills.includes(id), `the card has the skill ${id}, got ${skills}`);
  }
  assert.equal(card.capabilities.streaming, true);
  done('card', { skills });
}

async function sent(agent) {
  const task = agent.view(await agent.send(message(agent, sql, { skillId: 'query_table_expert' })));
  assert.ok(task.id && task.contextId, 'the agent named the task and its conversation');
  assert.equal(task.state, 'completed', JSON.stringify(task));
  const rows = task.artifacts.flatMap((a) => a.data).find((d) => d.rows)?.rows;
  assert.ok(rows?.[0]?.[0] > 0, `the query is answered with data, got ${JSON.stringify(task.artifacts)}`);
  assert.ok(task.artifacts.some((a) => a.text.length > 0), 'and with a table in words');
  done('sent', { id: task.id, claims: rows[0][0] });
  return task;
}

async function got(agent, task) {
  const again = agent.view(await agent.get(task.id));
  assert.deepEqual([again.id, again.contextId, again.state], [task.id, task.contextId, task.state]);
  assert.deepEqual(again.artifacts, task.artifacts);
  done('got');
}

async function streamed(agent) {
  const events = [];
  for await (const event of agent.stream(message(agent, sql, { skillId: 'query_table_expert' }))) {
    events.push(agent.event(event));
  }
  const kinds = events.map((e) => e.kind);
  assert.equal(kinds[0], 'task', `a stream starts with the task, got ${kinds}`);
  assert.ok(kinds.includes('artifact'), `a stream brings the artifact, got ${kinds}`);
  const states = events.filter((e) => e.state).map((e) => e.state);
  assert.ok(states.includes('working'), `a stream tells of the work, got ${states}`);
  assert.equal(states.at(-1), 'completed', `a stream ends with the end, got ${states}`);
  assert.equal(new Set(events.map((e) => e.id)).size, 1, 'all events are of one task');
  done('streamed', { kinds });
}

async function continued(agent) {
  const asked = agent.view(await agent.send(message(agent, 'How many are there?')));
  assert.equal(asked.state, 'input-required', JSON.stringify(asked));
  const answer = { ...message(agent, 'claims'), taskId: asked.id, contextId: asked.contextId };
  const answered = agent.view(await agent.send(answer));
  assert.deepEqual([answered.id, answered.contextId], [asked.id, asked.contextId], 'the answer continues the task');
  assert.equal(answered.state, 'completed', JSON.stringify(answered));
  done('continued', { id: asked.id });
}

async function refused(agent, finished) {
  const failed = agent.view(await agent.send(message(agent, 'DROP TABLE claims', { skillId: 'query_table_expert' })));
  assert.equal(failed.state, 'failed', 'a write is refused');
  await assert.rejects(agent.get(randomUUID()), agent.isNotFound, 'an unknown task is not found');
  await assert.rejects(agent.cancel(finished.id), agent.isNotCancelable, 'a finished task cannot be cancelled');
  done('refused');
}

function message(agent, text, metadata) {
  return agent.message({ messageId: randomUUID(), text, metadata });
}
