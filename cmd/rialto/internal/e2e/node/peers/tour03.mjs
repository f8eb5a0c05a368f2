import { env, run } from '../report.mjs';
import { tour } from './tour.mjs';
import { params, view } from './words0.mjs';

/** Goes on the tour with an SDK that speaks A2A 0.3, over the binding of the environment or that which the agent's card prefers. */
export async function tour03(sdk, { transports = [], lists = true } = {}) {
  const { ClientFactory, ClientFactoryOptions } = sdk;
  const options = { ...ClientFactoryOptions.default, transports: [...ClientFactoryOptions.default.transports, ...transports] };
  if (process.env.RIALTO_BINDING) options.preferredTransports = [process.env.RIALTO_BINDING];
  const client = await new ClientFactory(options).createFromUrl(env('RIALTO_URL'));
  await run(() => tour({
    send: (text, more, push) => client.sendMessage(params(text, more, push)),
    stream: (text) => client.sendMessageStream(params(text)),
    get: (id) => client.getTask({ id }),
    cancel: (id) => client.cancelTask({ id }),
    resubscribe: (id) => client.resubscribeTask({ id }),
    hooks: {
      lists,
      set: async (taskId, pushNotificationConfig) => (await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig })).pushNotificationConfig,
      get: async (id, config) => (await client.getTaskPushNotificationConfig({ id, pushNotificationConfigId: config })).pushNotificationConfig,
      list: async (id) => (await client.listTaskPushNotificationConfig({ id })).map((c) => c.pushNotificationConfig),
      drop: (id, config) => client.deleteTaskPushNotificationConfig({ id, pushNotificationConfigId: config }),
    },
    view,
    notification: (body) => body,
    isNotFound: (err) => err instanceof sdk.TaskNotFoundError,
    isNotCancelable: (err) => err instanceof sdk.TaskNotCancelableError,
  }));
}
