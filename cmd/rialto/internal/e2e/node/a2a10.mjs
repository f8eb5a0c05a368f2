// The A2A JavaScript SDK 1.x: SendMessage and its kin.

import { ClientFactory } from 'a2a-js-10/client';
import { TaskNotCancelableError, TaskNotFoundError } from 'a2a-js-10/errors';
import { Role, TaskState } from 'a2a-js-10';
import { converse, methodsSpoken } from './conversation.mjs';
import { assert, done, env, run } from './report.mjs';

const spoken = methodsSpoken();
const stateOf = (status) => TaskState[status.state].replace('TASK_STATE_', '').toLowerCase().replace('_', '-');

function view(task) {
  return {
    id: task.id,
    contextId: task.contextId,
    state: stateOf(task.status),
    artifacts: task.artifacts.map((a) => ({
      id: a.artifactId,
      text: a.parts.filter((p) => p.content.$case === 'text').map((p) => p.content.value).join('\n'),
      data: a.parts.filter((p) => p.content.$case === 'data').map((p) => p.content.value),
    })),
  };
}

function event({ payload }) {
  const kind = { task: 'task', message: 'message', statusUpdate: 'status', artifactUpdate: 'artifact' }[payload.$case];
  const { value } = payload;
  return { kind, id: value.taskId ?? value.id, state: value.status && stateOf(value.status) };
}

await run(async () => {
  const client = await new ClientFactory().createFromUrl(env('RIALTO_URL'));
  await converse({
    card: await client.getAgentCard(),
    message: ({ messageId, text, metadata }) => ({
      messageId, metadata, role: Role.ROLE_USER, contextId: '', taskId: '', extensions: [], referenceTaskIds: [],
      parts: [{ content: { $case: 'text', value: text }, filename: '', mediaType: 'text/plain', metadata: undefined }],
    }),
    send: (message) => client.sendMessage({ tenant: '', message, configuration: undefined, metadata: undefined }),
    stream: (message) => client.sendMessageStream({ tenant: '', message, configuration: undefined, metadata: undefined }),
    get: (id) => client.getTask({ tenant: '', id }),
    cancel: (id) => client.cancelTask({ tenant: '', id, metadata: undefined }),
    isNotFound: (err) => err instanceof TaskNotFoundError,
    isNotCancelable: (err) => err instanceof TaskNotCancelableError,
    view,
    event,
  });
  assert.deepEqual([...spoken].filter((m) => !m.includes('Extended')).sort(), ['CancelTask', 'GetTask', 'SendMessage', 'SendStreamingMessage']);
  done('spoke 1.0', { methods: [...spoken] });
});
