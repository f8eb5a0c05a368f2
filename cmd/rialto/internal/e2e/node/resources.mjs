// What a client does with resources, the same for every SDK and era.
// `resources` has templates(), list(cursor), read(uri), complete(params), and
// watch(uri), which tells onupdated(uri) and returns what ends it.

import { assert, done } from './report.mjs';

/** Watches a task that waits for an answer, gives it with `answer`, and reads what came of it. */
export async function watching(resources, taskID, answer) {
  const uri = `rialto://tasks/${taskID}`;
  const templates = await resources.templates();
  assert.ok(templates.some((t) => t.uriTemplate === 'rialto://tasks/{task}'), 'tasks can be read');
  const listed = await everything(resources);
  assert.ok(listed.some((r) => r.uri === uri && r.title && r.mimeType === 'application/json'), 'the task is listed');
  const card = listed.find((r) => r.uri.startsWith('rialto://agents/'));
  assert.ok((await json(resources, card.uri)).skills.length > 0, 'an agent can be read');
  const { completion } = await resources.complete({
    ref: { type: 'ref/resource', uri: 'rialto://tasks/{task}' }, argument: { name: 'task', value: taskID.slice(0, 20) },
  });
  assert.ok(completion.values.includes(taskID), 'the id of the task is completed');

  assert.equal((await json(resources, uri)).state, 'input-required');
  const updated = new Promise((resolve) => { resources.onupdated = (told) => told === uri && resolve(); });
  const end = await resources.watch(uri);
  await answer();
  await Promise.race([updated, late(`the update of ${uri}`)]);
  await end();
  const task = await json(resources, uri);
  assert.equal(task.state, 'completed', JSON.stringify(task));
  const made = task.artifacts[0].uri;
  const { contents } = await resources.read(made);
  assert.ok(contents.length === task.artifacts[0].parts.length && contents[0].text, 'what the task made can be read');
  assert.ok((await everything(resources)).some((r) => r.uri === made), 'what the task made is listed');
  await assert.rejects(resources.read(`${uri}-of-nobody`), /no such resource/);
  done('read, watched and told', { uri: made, listed: listed.length });
}

async function everything(resources) {
  const all = [];
  for (let cursor; ; ) {
    const page = await resources.list(cursor);
    all.push(...page.resources);
    cursor = page.nextCursor;
    if (!cursor) return all;
  }
}

async function json(resources, uri) {
  const { contents } = await resources.read(uri);
  assert.equal(contents.length, 1);
  assert.equal(contents[0].uri, uri);
  return JSON.parse(contents[0].text);
}

function late(what) {
  return new Promise((_, reject) => setTimeout(() => reject(new Error(`${what} did not come`)), 60_000).unref());
}
