// A tour of the tools, the same for every SDK, era and run. `tools` has
// list() and call(name, arguments, onprogress); dropsProgress, if the client may;
// and resources (see resources.mjs), if the client has them.

import { assert, done } from './report.mjs';
import { watching } from './resources.mjs';

// The tools of the Table Expert's skills, and those that change something.
const skillTools = ['discover_topics', 'explain', 'list_gold', 'peek', 'query_table_expert', 'schema'];
const acting = ['cancel_task', 'request_upload', 'send_task'];
const sql = 'SELECT count(*) AS n FROM claims';

export async function tour(tools, memory) {
  await listing(tools);
  const agent = await agents(tools);
  await searching(tools);
  await asking(tools, agent, memory);
  await conversing(tools, agent);
  if (tools.resources) await reading(tools, agent);
  await keeping(tools, agent);
  await mistaken(tools);
}

/** What a connector does first when it comes back: list, and look at its task. */
export async function returning(tools, memory) {
  await listing(tools);
  const task = await structured(tools, 'get_task', { task_id: memory.get('task_id') });
  shapeOfTask(task);
  assert.equal(task.state, 'completed', 'a task of before the restart is still there');
  done('task survived', { task_id: task.task_id });
}

async function listing(tools) {
  const list = await tools.list();
  const names = list.map((t) => t.name);
  for (const name of [...acting, ...skillTools]) assert.ok(names.includes(name), `${name} is listed`);
  for (const t of list) {
    assert.ok(t.title && t.description, `${t.name} says what it is`);
    assert.equal(t.inputSchema.type, 'object');
    assert.ok(t.outputSchema, `${t.name} says what it returns`);
    for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']) {
      assert.equal(typeof t.annotations?.[hint], 'boolean', `${t.name} says ${hint}`);
    }
    assert.equal(t.annotations.readOnlyHint, !acting.includes(t.name), `${t.name}: only ${acting} change anything`);
  }
  done('listed', { tools: names });
}

async function agents(tools) {
  const { agents } = await structured(tools, 'list_agents', {});
  assert.ok(agents.length > 0, 'there is an agent');
  const expert = agents.find((a) => a.skills.some((s) => s.id === 'query_table_expert'));
  assert.ok(expert?.available, 'the Table Expert is there and can be reached');
  done('agents', { agents: agents.map((a) => a.name) });
  return expert.name;
}

async function searching(tools) {
  const { results } = await exact(tools, 'search', { query: 'claims' });
  assert.ok(results.length > 0, 'a search for claims finds something');
  for (const r of results) {
    assert.ok(r.id && r.title, 'a result has an id and a title');
    assert.ok(URL.canParse(r.url), `a result has an address that a person can open, got ${r.url}`);
  }
  const document = await exact(tools, 'fetch', { id: results[0].id });
  assert.equal(document.id, results[0].id);
  assert.ok(document.title && document.text && URL.canParse(document.url), 'a document has a title, a text and an address');
  done('searched and fetched', { results: results.length, id: document.id });
}

async function asking(tools, agent, memory) {
  const seen = [];
  const task = await structured(tools, 'send_task', { agent, skill: 'query_table_expert', message: sql }, (p) => seen.push(p));
  shapeOfTask(task);
  assert.equal(task.state, 'completed', JSON.stringify(task));
  assert.ok(task.artifacts.length > 0, 'the query has a result');
  if (!tools.dropsProgress) assert.ok(seen.length > 0, 'progress was told');
  assert.ok(seen.every((p, i) => i === 0 || p.progress > seen[i - 1].progress), 'progress only grows');
  memory.set('task_id', task.task_id);

  const again = await structured(tools, 'get_task', { task_id: task.task_id });
  shapeOfTask(again);
  assert.deepEqual([again.task_id, again.state, again.context_id], [task.task_id, task.state, task.context_id]);
  assert.deepEqual(again.artifacts, task.artifacts, 'get_task tells what send_task told');
  done('asked', { task_id: task.task_id, progress: seen.length });
}

async function conversing(tools, agent) {
  const asked = await structured(tools, 'send_task', { agent, message: 'How many are there?' });
  shapeOfTask(asked);
  assert.equal(asked.state, 'input-required', 'a question that names no table is asked back');
  const answered = await structured(tools, 'send_task', { task_id: asked.task_id, message: 'claims' });
  shapeOfTask(answered);
  assert.equal(answered.task_id, asked.task_id, 'the answer continues the task');
  assert.equal(answered.state, 'completed', JSON.stringify(answered));
  done('conversed', { task_id: asked.task_id });
}

async function reading(tools, agent) {
  const { task_id } = await structured(tools, 'send_task', { agent, message: 'How many are there?' });
  await watching(tools.resources, task_id, () => structured(tools, 'send_task', { task_id, message: 'claims' }));
}

async function keeping(tools, agent) {
  const described = await structured(tools, 'get_agent', { agent });
  assert.ok(described.skills.some((s) => s.id === 'query_table_expert'), 'get_agent tells the skills');
  const asked = await structured(tools, 'send_task', { agent, message: 'How many are there?' });
  const canceled = await structured(tools, 'cancel_task', { task_id: asked.task_id });
  assert.equal(canceled.state, 'canceled', JSON.stringify(canceled));
  const { tasks } = await structured(tools, 'list_tasks', { state: 'canceled', limit: 10 }); // others tour beside
  assert.ok(tasks.some((t) => t.task_id === asked.task_id), 'the canceled task is listed');
  done('canceled and listed', { task_id: asked.task_id });
}

async function mistaken(tools) {
  for (const [name, args] of [
    ['send_task', {}],
    ['send_task', { message: 'x', agent: 'nobody' }],
    ['get_task', { task_id: 'none-of-yours' }],
    ['fetch', { id: 'no/such' }],
  ]) {
    const result = await tools.call(name, args);
    assert.equal(result.isError, true, `${name} ${JSON.stringify(args)} is a tool error`);
    assert.ok(result.content[0]?.text?.length > 10, `${name} says what was wrong`);
  }
  done('mistakes are told in words');
}

function shapeOfTask(task) {
  for (const field of ['task_id', 'agent', 'context_id', 'state', 'message']) {
    assert.equal(typeof task[field], 'string', `a task has ${field}`);
  }
  assert.ok(Array.isArray(task.artifacts), 'a task has artifacts');
}

async function structured(tools, name, args, onprogress) {
  const result = await tools.call(name, args, onprogress);
  assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
  assert.ok(result.structuredContent, `${name} has structured content`);
  assert.ok(result.content.length > 0, `${name} has content for clients that read only that`);
  return result.structuredContent;
}

/** ChatGPT reads exactly one text item that holds the structure as JSON. */
async function exact(tools, name, args) {
  const result = await tools.call(name, args);
  assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
  assert.equal(result.content.length, 1, `${name} has exactly one item`);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}
