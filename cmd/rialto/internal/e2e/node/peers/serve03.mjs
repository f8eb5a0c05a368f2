// Serves the agent with an SDK that speaks A2A 0.3.

import { card, executor } from './agent0.mjs';
import { serveGRPC } from './grpc.mjs';

export async function serveOver(server, web, rpc, { app, url, binding, gate }) {
  const configs = new server.InMemoryPushNotificationStore();
  const handlerAt = (at) => new server.DefaultRequestHandler(card('0.3.0', at, binding, true), new server.InMemoryTaskStore(), executor(gate),
    undefined, configs, new server.DefaultPushNotificationSender(configs));
  let handler;
  if (binding === 'GRPC') {
    await serveGRPC(rpc.A2AService, (at) => rpc.grpcService({ requestHandler: handler = handlerAt(at), userBuilder: rpc.UserBuilder.noAuthentication }));
  } else {
    handler = handlerAt(`${url}/a2a`);
    const over = binding === 'JSONRPC' ? web.jsonRpcHandler : web.restHandler;
    app.use('/a2a', over({ requestHandler: handler, userBuilder: web.UserBuilder.noAuthentication }));
  }
  app.use('/.well-known/agent-card.json', web.agentCardHandler({ agentCardProvider: handler }));
}
