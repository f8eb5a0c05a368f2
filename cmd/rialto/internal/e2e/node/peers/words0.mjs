// The words of A2A 0.2 and 0.3, as their SDKs have them.

import { randomUUID } from 'node:crypto';

const textOf = (parts) => (parts ?? []).filter((p) => p.kind === 'text').map((p) => p.text).join('\n');

/** Puts what an agent says into the form of the tour. */
export function view(e) {
  switch (e.kind) {
    case 'message': return { kind: 'message', text: textOf(e.parts) };
    case 'task': return { kind: 'task', id: e.id, contextId: e.contextId, state: e.status.state, text: textOf(e.artifacts?.[0]?.parts) };
    case 'status-update': return { kind: 'status', id: e.taskId, state: e.status.state };
    default: return { kind: 'artifact', id: e.taskId, text: textOf(e.artifact.parts) };
  }
}

/** Returns what is sent to say text. */
export function params(text, more, push) {
  return {
    message: { kind: 'message', messageId: randomUUID(), role: 'user', parts: [{ kind: 'text', text }], ...more },
    configuration: { blocking: true, acceptedOutputModes: ['text/plain'], pushNotificationConfig: push },
  };
}
