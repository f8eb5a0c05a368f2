// What the agent does, in the events of A2A 0.2 and 0.3.

import { randomUUID } from 'node:crypto';

/** Returns an executor for the SDKs before 1.0. */
export function executor(gate) {
  const stops = new Map();
  return {
    async execute({ userMessage, task, taskId, contextId }, bus) {
      const [verb, ...words] = userMessage.parts[0].text.split(' ');
      const parts = [{ kind: 'text', text: words.join(' ') }];
      const message = { kind: 'message', role: 'agent', messageId: randomUUID(), taskId, contextId, parts };
      const status = (state, final, said) => bus.publish({ kind: 'status-update', taskId, contextId, final, status: { state, message: said, timestamp: new Date().toISOString() } });
      if (verb === 'say') {
        bus.publish({ ...message, taskId: undefined });
        bus.finished();
        return;
      }
      if (!task) bus.publish({ kind: 'task', id: taskId, contextId, status: { state: 'submitted', timestamp: new Date().toISOString() }, history: [userMessage] });
      if (verb === 'ask' || verb === 'auth') {
        status(verb === 'ask' ? 'input-required' : 'auth-required', true, message);
        bus.finished();
        return;
      }
      status('working', false, message);
      if (verb === 'throw') throw new Error(words.join(' '));
      if (verb === 'hang' && await new Promise((stop) => stops.set(taskId, stop))) {
        status('canceled', true);
        bus.finished();
        return;
      }
      if (verb === 'wait') await gate.opened;
      bus.publish({ kind: 'artifact-update', taskId, contextId, artifact: { artifactId: 'a', parts: verb === 'files' ? userMessage.parts.slice(1) : parts }, append: false, lastChunk: true });
      status('completed', true);
      bus.finished();
    },
    async cancelTask(taskId) {
      stops.get(taskId)?.(true);
    },
  };
}

/** Returns the agent's card, with one interface. */
export function card(version, url, binding, push) {
  return {
    name: 'Theirs', description: 'Does what it is told.', version: '1', protocolVersion: version, url, preferredTransport: binding,
    capabilities: { streaming: true, pushNotifications: push }, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [],
  };
}
