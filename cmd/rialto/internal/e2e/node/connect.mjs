// A person connects agents that want to know who they are, in a real browser,
// while an MCP client waits: one by signing in at the agent's own authorization
// server (oidc-provider, which others wrote), one with a key. RIALTO_PROVIDER is
// where that server listens, RIALTO_TOKEN the person's access token.

import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { origin } from './app.mjs';
import { accessible, fits } from './axe.mjs';
import { authorizationServer } from './idp.mjs';
import { assert, done, env, run } from './report.mjs';
import { clean, launch, open } from './tab.mjs';

const issuer = env('RIALTO_PROVIDER');
const asked = [];
let visit = null; // what the person does at a page that the client is asked to open; null declines

async function answer({ params }) {
  asked.push(params);
  if (!visit) return { action: 'decline' };
  await visit(params.url);
  return { action: 'accept' };
}

/** Connects a client of an era, which takes addresses to open or does not. */
async function connect(era, url = true) {
  const options = { capabilities: url ? { elicitation: { url: {} } } : {} };
  const transport = [new URL(env('RIALTO_URL')), { requestInit: { headers: { Authorization: `Bearer ${env('RIALTO_TOKEN')}` } } }];
  const modern = era === '2026-07-28';
  if (modern) options.versionNegotiation = { mode: { pin: era } };
  const client = new (modern ? Client2 : Client1)({ name: 'rialto-e2e', version: '1.0.0' }, options);
  if (url) client.setRequestHandler(modern ? 'elicitation/create' : ElicitRequestSchema, answer);
  await client.connect(new (modern ? Transport2 : Transport1)(...transport));
  return async (args) => (await client.callTool({ name: 'send_task', arguments: args })).structuredContent;
}

await run(async () => {
  await authorizationServer(issuer);
  const browser = await launch();
  const tab = await open(browser);
  const { page } = tab;
  const modern = await connect('2026-07-28');
  const legacy = await connect('2025-11-25');
  const plain = await connect('2025-11-25', false);

  const link = await plain({ agent: 'personal', message: 'echo later' });
  assert.equal(link.state, 'auth-required');
  assert.ok(link.next.includes(`${origin}/connect/personal?task=${link.task_id}`), link.next);
  assert.equal(asked.length, 0, 'a client that takes no addresses is not asked to open one');
  done('told of the link');

  visit = async (url) => {
    await page.goto(url);
    await signIn(page);
    await accessible(page, 'connect');
    await fits(page, 'connect');
    await page.getByRole('button', { name: 'Sign in at' }).click();
    await signInThere(page);
    await page.waitForURL(`${origin}/answer/**`);
  };
  ended(await modern({ agent: 'personal', message: 'echo signed in' }), 'signed in');
  assertAsked('personal');
  ended(await legacy({ agent: 'personal', message: 'echo still in' }), 'still in');
  assert.equal(asked.length, 0, 'who has connected an agent is not asked again');
  done('signed in at the agent');

  visit = async (url) => {
    await page.goto(url);
    await page.getByLabel('Key (X-Key)').fill('hush-hush');
    await page.getByRole('button', { name: 'Connect with a key' }).click();
    await page.waitForURL(`${origin}/answer/**`);
  };
  ended(await legacy({ agent: 'keyed', message: 'echo with a key' }), 'with a key');
  assertAsked('keyed');
  done('connected with a key');

  for (const agent of ['personal', 'keyed']) {
    const settings = await tab.context.newPage(); // the first one still shows the answer
    await settings.goto(`${origin}/connect/${agent}`);
    await settings.getByRole('button', { name: 'Disconnect this agent' }).click();
    await settings.locator('#connect').waitFor();
    assert.equal(await settings.locator('#connected').count(), 0, `${agent} is forgotten`);
    await settings.close();
  }
  visit = null;
  for (const [agent, call] of [['personal', modern], ['keyed', legacy]]) {
    assert.equal((await call({ agent, message: 'echo gone' })).state, 'auth-required');
    assertAsked(agent);
  }
  done('forgotten');
  tab.wrong = tab.wrong.filter((w) => !/fonts\.g|ERR_NAME_NOT_RESOLVED|ERR_INTERNET_DISCONNECTED|status of 404/.test(w)); // the other server's pages
  await clean(tab, 'connect');
  await browser.close();
});

function ended(task, words) {
  assert.equal(task.state, 'completed', JSON.stringify(task));
  assert.ok(JSON.stringify(task.artifacts).includes(words), JSON.stringify(task.artifacts));
}

/** The client was asked once, to open the page of the agent. */
function assertAsked(agent) {
  const [one, ...more] = asked.splice(0);
  assert.deepEqual([one?.mode, one?.url.split('?')[0], more.length], ['url', `${origin}/connect/${agent}`, 0]);
}

async function signIn(page) {
  await page.getByLabel('Username').fill(env('RIALTO_USERNAME'));
  await page.getByLabel('Password').fill(env('RIALTO_PASSWORD'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#connect').waitFor();
}

async function signInThere(page) {
  await page.waitForURL(`${issuer}/interaction/**`);
  await page.locator('input[name=login]').fill('ada');
  await page.locator('input[name=password]').fill('anything');
  await page.locator('button[type=submit]').click();
  await page.locator('button', { hasText: 'Continue' }).click();
}
