import { A2AClient } from 'a2a-js-02/client';
import { env, run } from '../report.mjs';
import { tour } from './tour.mjs';
import { params, view } from './words0.mjs';

const client = new A2AClient(env('RIALTO_URL'));

async function result(response) {
  const r = await response;
  if (r.error) throw Object.assign(new Error(r.error.message), { code: r.error.code });
  return r.result;
}

await run(() => tour({
  send: (text, more, push) => result(client.sendMessage(params(text, more, push))),
  stream: (text) => client.sendMessageStream(params(text)),
  get: (id) => result(client.getTask({ id })),
  cancel: (id) => result(client.cancelTask({ id })),
  resubscribe: (id) => client.resubscribeTask({ id }),
  hooks: {
    set: async (taskId, pushNotificationConfig) => (await result(client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig }))).pushNotificationConfig,
    get: async (id) => (await result(client.getTaskPushNotificationConfig({ id }))).pushNotificationConfig,
  },
  view,
  notification: (body) => body,
  isNotFound: (err) => err.code === -32001,
  isNotCancelable: (err) => err.code === -32002,
}));
