// Serves the agent with the SDK that speaks A2A 1.0, or 0.3 by what it calls its
// compatibility layer.

import { randomUUID } from 'node:crypto';
import { AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from 'a2a-js-10';
import { AgentEvent, DefaultPushNotificationSender, DefaultRequestHandler, InMemoryPushNotificationStore, InMemoryTaskStore } from 'a2a-js-10/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from 'a2a-js-10/server/express';
import { A2AService, UserBuilder as CallerBuilder, grpcService } from 'a2a-js-10/server/grpc';
import { createLegacyAwarePushNotificationSender } from 'a2a-js-10/compat/v0_3/server';
import { LegacyA2AService, legacyGrpcService } from 'a2a-js-10/compat/v0_3/server/grpc';
import { serveGRPC } from './grpc.mjs';

function executor(gate) {
  const stops = new Map();
  return {
    async execute({ userMessage, task, taskId, contextId }, bus) {
      const [verb, ...words] = userMessage.parts[0].content.value.split(' ');
      const parts = [{ text: words.join(' ') }];
      const message = { role: 'ROLE_AGENT', messageId: randomUUID(), contextId, parts };
      const status = (state, said) => bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({
        taskId, contextId, status: { state, message: said, timestamp: new Date().toISOString() } })));
      if (verb === 'say') {
        bus.publish(AgentEvent.message(Message.fromJSON(message)));
        bus.finished();
        return;
      }
      // The first event must be the task, of one that goes on, too.
      bus.publish(AgentEvent.task(task ?? { ...Task.fromJSON({ id: taskId, contextId, status: { state: 'TASK_STATE_SUBMITTED' } }), history: [userMessage] }));
      if (verb === 'ask' || verb === 'auth') {
        status(verb === 'ask' ? 'TASK_STATE_INPUT_REQUIRED' : 'TASK_STATE_AUTH_REQUIRED', { ...message, taskId });
        bus.finished();
        return;
      }
      status('TASK_STATE_WORKING', { ...message, taskId });
      if (verb === 'hang' && await new Promise((stop) => stops.set(taskId, stop))) {
        status('TASK_STATE_CANCELED');
        bus.finished();
        return;
      }
      if (verb === 'wait') await gate.opened;
      const made = TaskArtifactUpdateEvent.fromJSON({ taskId, contextId, artifact: { artifactId: 'a', parts }, lastChunk: true });
      if (verb === 'files') made.artifact.parts = userMessage.parts.slice(1);
      bus.publish(AgentEvent.artifactUpdate(made));
      status('TASK_STATE_COMPLETED');
      bus.finished();
    },
    async cancelTask(taskId) {
      stops.get(taskId)?.(true);
    },
  };
}

export async function serve({ app, url, binding, gate, generation }) {
  const legacyCompat = { enabled: generation === '0.3' };
  const configs = new InMemoryPushNotificationStore();
  const sender = legacyCompat.enabled ? createLegacyAwarePushNotificationSender(configs) : new DefaultPushNotificationSender(configs);
  const handlerAt = (at) => new DefaultRequestHandler(AgentCard.fromJSON({
    name: 'Theirs', description: 'Does what it is told.', version: '1', supportedInterfaces: [{ url: at, protocolBinding: binding, protocolVersion: generation }],
    capabilities: { streaming: true, pushNotifications: true }, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [],
  }), new InMemoryTaskStore(), executor(gate), undefined, configs, sender);
  let handler;
  if (binding === 'GRPC') {
    const [service, calls] = legacyCompat.enabled ? [LegacyA2AService, legacyGrpcService] : [A2AService, grpcService];
    await serveGRPC(service, (at) => calls({ requestHandler: handler = handlerAt(at), userBuilder: CallerBuilder.noAuthentication }));
  } else {
    handler = handlerAt(`${url}/a2a`);
    const over = binding === 'JSONRPC' ? jsonRpcHandler : restHandler;
    app.use('/a2a', over({ requestHandler: handler, userBuilder: UserBuilder.noAuthentication, legacyCompat }));
  }
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: handler, legacyCompat }));
}
