// The A2A JavaScript SDK 0.3: message/send and its kin.

import { ClientFactory, TaskNotCancelableError, TaskNotFoundError } from 'a2a-js-03/client';
import { converse, methodsSpoken } from './conversation.mjs';
import { assert, done, env, run } from './report.mjs';

const spoken = methodsSpoken();

function view(task) {
  assert.equal(task.kind, 'task');
  return {
    id: task.id,
    contextId: task.contextId,
    state: task.status.state,
    artifacts: (task.artifacts ?? []).map((a) => ({
      id: a.artifactId,
      text: a.parts.filter((p) => p.kind === 'text').map((p) => p.text).join('\n'),
      data: a.parts.filter((p) => p.kind === 'data').map((p) => p.data),
    })),
  };
}

function event(e) {
  const kind = { task: 'task', message: 'message', 'status-update': 'status', 'artifact-update': 'artifact' }[e.kind];
  return { kind, id: e.taskId ?? e.id, state: e.status?.state };
}

await run(async () => {
  const client = await new ClientFactory().createFromUrl(env('RIALTO_URL'));
  await converse({
    card: await client.getAgentCard(),
    message: ({ messageId, text, metadata }) => ({ kind: 'message', role: 'user', messageId, metadata, parts: [{ kind: 'text', text }] }),
    send: (message) => client.sendMessage({ message, configuration: { blocking: true } }),
    stream: (message) => client.sendMessageStream({ message }),
    get: (id) => client.getTask({ id }),
    cancel: (id) => client.cancelTask({ id }),
    isNotFound: (err) => err instanceof TaskNotFoundError,
    isNotCancelable: (err) => err instanceof TaskNotCancelableError,
    view,
    event,
  });
  assert.deepEqual([...spoken].filter((m) => !m.includes('Extended')).sort(), ['message/send', 'message/stream', 'tasks/cancel', 'tasks/get']);
  done('spoke 0.3', { methods: [...spoken] });
});
