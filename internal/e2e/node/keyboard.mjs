// Whole flows by keyboard alone: nothing is clicked, filled or focused but by
// keys, from where the page leaves the focus. At every stop it can be seen where
// the focus is. RIALTO_CHROMIUM is the program, and RIALTO_AGENT the address of an
// agent to add.

import { begin, call, origin, redeem, register } from './app.mjs';
import { listen } from './callback.mjs';
import { Keys } from './keys.mjs';
import { assert, done, env, run } from './report.mjs';
import { clean, launch, open } from './tab.mjs';

await run(async () => {
  const callback = await listen();
  const browser = await launch();
  const app = await register(callback);
  const tab = await open(browser);
  const keys = new Keys(tab.page);
  const token = await signIn(keys, app, callback);
  await answer(keys, token);
  await call(token, 'send_task', { agent: 'travel', message: 'When does the next train go?' });
  await connect(keys);
  await endApp(keys);
  await addAgent(keys);
  await cancelTask(keys);
  await filterAudit(keys);
  await rotateKey(keys);
  await examine(keys);
  await clean(tab, 'by keyboard');
  await browser.close();
  callback.close();
});

/** Signs in, allows an app, and takes the token that it gets. */
async function signIn(keys, app, callback) {
  const asked = begin(app);
  await keys.open(asked.url);
  await keys.page.locator('#username:focus').waitFor(); // the first field has the focus
  await keys.type(env('RIALTO_USERNAME'));
  await keys.press('Tab');
  await keys.type(env('RIALTO_PASSWORD'));
  await keys.press('Enter');
  const token = await redeem(app, asked, await callback.next());
  await keys.page.locator('#arrived').waitFor();
  done('signed in and allowed');
  return token;
}

/** Answers the question of a task in the form that its agent has made. */
async function answer(keys, token) {
  const { task_id } = await call(token, 'send_task', { agent: 'travel', message: 'A trip to the sea.' });
  await keys.open(`/answer/${task_id}`);
  await keys.fill('Where to', 'Lisbon');
  await keys.fill('On which day', '12312030', { clear: false });
  await keys.choose('Class', 'b');
  await keys.fill('People', '2');
  await keys.to('There and back');
  await keys.press('Space');
  await keys.submit('Send the answer');
  const said = JSON.stringify(await call(token, 'get_task', { task_id, wait: 10, history_length: 20 }));
  for (const word of ['Lisbon', '2030-12-31', 'business', '2', 'false']) assert.ok(said.includes(word), `the agent was told ${word}: ${said}`);
  done('answered a form');
}

/** Connects an agent with a key, from the list of those that want one. */
async function connect(keys) {
  await keys.open('/account/agents');
  await keys.submit('Connect crm');
  await keys.fill('Key (X-Key)', 'a-key-of-mine');
  await keys.submit('Connect');
  await keys.open('/account/agents');
  await keys.says('in force');
  done('connected an agent with a key');
}

/** Ends what the app was allowed. */
async function endApp(keys) {
  await keys.open('/account');
  await keys.submit('End Browser test');
  await keys.submit('End it');
  await keys.says('The connection has ended.');
  done('ended an app');
}

/** Adds an agent by its address, after a look at its card; tries it, and disables it. */
async function addAgent(keys) {
  await keys.open('/admin/agents');
  await keys.submit('Add an agent');
  await keys.fill('Name', 'added');
  await keys.fill('Address', env('RIALTO_AGENT'));
  await keys.submit('Look at it first');
  await keys.says('This is what its card says');
  await keys.submit('Add');
  await keys.says('It is added.');
  await keys.fill('Message', 'Will it rain?');
  await keys.submit('Send');
  await keys.says('done');
  await keys.submit('Disable');
  await keys.says('It is disabled.');
  done('added, tried and disabled an agent');
}

/** Finds a task that waits among all, and cancels it. */
async function cancelTask(keys) {
  await keys.open('/admin/tasks');
  await keys.choose('State', 'Waits for an a');
  await keys.fill('Agent', 'travel');
  await keys.submit('Show');
  assert.match(keys.page.url(), /agent=travel.*state=input-required|state=input-required.*agent=travel/);
  await keys.submit(/^[0-9a-f-]{36}$/);
  await keys.submit(/^Cancel /);
  await keys.submit('Cancel it');
  await keys.says('The task is canceled.');
  done('canceled a task');
}

/** Looks for what was done to keys in the audit log. */
async function filterAudit(keys) {
  await keys.open('/admin/audit');
  await keys.choose('What', 'Agent ad');
  await keys.submit('Show');
  assert.match(keys.page.url(), /kind=agent.added/);
  await keys.says('added');
  await keys.submit('Show all');
  assert.ok(!keys.page.url().includes('kind='), keys.page.url());
  done('filtered the audit log');
}

async function rotateKey(keys) {
  await keys.open('/admin/keys');
  await keys.submit(/^Replace/);
  await keys.submit(/^Replace/);
  await keys.says('There is a new key.');
  done('replaced the key');
}

async function examine(keys) {
  await keys.open('/admin/doctor');
  await keys.submit('Examine');
  await keys.says('What the doctor found');
  done('examined the server');
}
