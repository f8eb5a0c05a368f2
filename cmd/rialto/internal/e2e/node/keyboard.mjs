// Whole flows by keyboard alone: nothing is clicked, filled or focused but by
// keys, from where the page leaves the focus. At every stop it can be seen where
// the focus is. RIALTO_CHROMIUM is the program. The errands of the console are in errands.mjs.

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
  await connect(keys);
  await endApp(keys);
  await search(keys);
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
  await keys.to('Use a key');
  await keys.press('Enter'); // unfolds it
  await keys.fill('Key (X-Key)', 'a-key-of-mine');
  await keys.submit('Connect with a key');
  await keys.open('/account/agents');
  await keys.says('Connected');
  done('connected an agent with a key');
}

/** Ends what the app was allowed. */
async function endApp(keys) {
  await keys.open('/account');
  await keys.submit('Disconnect Browser test');
  await keys.submit('Disconnect');
  await keys.says('App disconnected.');
  done('ended an app');
}

/** Searches the API: the list follows what is typed, and the address keeps it. */
async function search(keys) {
  await keys.open('/docs');
  await keys.fill('Search the API', 'signing key');
  await keys.page.locator('#found').waitFor();
  assert.ok(keys.page.url().endsWith('/docs?q=signing+key'), keys.page.url());
  await keys.says('Revoke a signing key');
  done('searched the API');
}
