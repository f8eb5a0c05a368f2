import { randomUUID } from 'node:crypto';
import { SendMessageRequest, StreamResponse, TaskState } from 'a2a-js-10';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory, ServiceParameters, withA2AExtensions } from 'a2a-js-10/client';
import { GrpcTransportFactory } from 'a2a-js-10/client/grpc';
import { legacyPushNotificationToV1StreamResponse } from 'a2a-js-10/compat/v0_3';
import { TaskNotCancelableError, TaskNotFoundError } from 'a2a-js-10/errors';
import { env, run } from '../report.mjs';
import { tour } from './tour.mjs';

const textOf = (parts) => (parts ?? []).filter((p) => p.content.$case === 'text').map((p) => p.content.value).join('\n');
const stateOf = (status) => TaskState[status.state].replace('TASK_STATE_', '').toLowerCase().replace('_', '-');

function view(e) {
  if (e.payload) e = e.payload.value;
  if (e.messageId) return { kind: 'message', text: textOf(e.parts) };
  if (e.artifact) return { kind: 'artifact', id: e.taskId, text: textOf(e.artifact.parts) };
  if (e.taskId) return { kind: 'status', id: e.taskId, state: stateOf(e.status) };
  return { kind: 'task', id: e.id, contextId: e.contextId, state: stateOf(e.status), text: textOf(e.artifacts?.[0]?.parts) };
}

const params = (text, more, push) => SendMessageRequest.fromJSON({
  message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more },
  configuration: { taskPushNotificationConfig: push },
});

const legacyCompat = { enabled: env('RIALTO_GENERATION') === '0.3' };
const client = await new ClientFactory({
  cardResolver: new DefaultAgentCardResolver({ legacyCompat }),
  preferredTransports: [env('RIALTO_BINDING')],
  transports: [JsonRpcTransportFactory, RestTransportFactory, GrpcTransportFactory].map((Transport) => new Transport({ legacyCompat })),
}).createFromUrl(env('RIALTO_URL'));
async function watch(text) {
  const extension = process.env.RIALTO_EXTENSION;
  const serviceParameters = ServiceParameters.create(...(extension ? [withA2AExtensions(extension)] : []));
  for await (const e of client.sendMessageStream(params(text), { serviceParameters })) console.log(JSON.stringify(view(e)));
}

await run(() => process.env.RIALTO_TEXT ? watch(process.env.RIALTO_TEXT) : tour({
  send: (text, more, push) => client.sendMessage(params(text, more, push)),
  stream: (text) => client.sendMessageStream(params(text)),
  get: (id) => client.getTask({ tenant: '', id }),
  cancel: (id) => client.cancelTask({ tenant: '', id, metadata: undefined }),
  resubscribe: (id) => client.resubscribeTask({ tenant: '', id }),
  hooks: {
    lists: true,
    set: (taskId, config) => client.createTaskPushNotificationConfig({ tenant: '', taskId, authentication: undefined, ...config }),
    get: (taskId, id) => client.getTaskPushNotificationConfig({ tenant: '', taskId, id }),
    list: async (taskId) => (await client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' })).configs,
    drop: (taskId, id) => client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id }),
  },
  view,
  notification: (body) => (legacyCompat.enabled ? legacyPushNotificationToV1StreamResponse(body) : StreamResponse.fromJSON(body)),
  isNotFound: (err) => err instanceof TaskNotFoundError,
  isNotCancelable: (err) => err instanceof TaskNotCancelableError,
}));
