import { A2AExpressApp, DefaultRequestHandler, InMemoryTaskStore } from 'a2a-js-02/server';
import { card, executor } from './agent0.mjs';

export async function serve({ app, url, gate }) {
  const handler = new DefaultRequestHandler(card('0.2.5', url, 'JSONRPC', false), new InMemoryTaskStore(), executor(gate));
  new A2AExpressApp(handler).setupRoutes(app, '');
}
