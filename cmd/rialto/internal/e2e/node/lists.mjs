// Errands in lists by keyboard alone, each in few keys; and what a list owes to its reader: a view that
// is kept, one zone for its times, and everything without a script.
// RIALTO_CHROMIUM is the program.

import { accessible, fits, oneZone, zone } from './axe.mjs';
import { begin, call, origin, redeem, register } from './app.mjs';
import { listen } from './callback.mjs';
import { assert, done, env, run } from './report.mjs';
import { clean, launch, open, signIn } from './tab.mjs';

let page, pressed;

/** Presses keys, one after the other. */
async function press(...keys) {
  for (const key of keys) await page.keyboard.press(key);
  pressed += keys.length;
}

/** Presses a key that leads to another page. */
async function go(key) {
  await Promise.all([page.waitForEvent('load'), press(key)]);
}

async function begins(at) {
  await page.goto(new URL(at, origin).href);
  pressed = 0;
}

const says = async (selector, words) => assert.match(await page.locator(selector).innerText(), words);

await run(async () => {
  const callback = await listen();
  const browser = await launch();
  const app = await register(callback);
  const tab = await open(browser, { timezoneId: zone });
  page = tab.page;
  tab.context.setDefaultTimeout(30_000);
  const asked = begin(app);
  await page.goto(asked.url);
  await signIn(page, env('RIALTO_PASSWORD'));
  const token = await redeem(app, asked, await callback.next());
  await page.locator('#arrived').waitFor();
  const send = (agent, message) => call(token, 'send_task', { agent, message, wait: agent === 'travel' && message.includes('hotel') ? 0 : 10 });

  const train = await send('travel', 'When does the next train go?');
  await begins('/account/tasks');
  await press('w');
  await go('Enter');
  await press('w');
  await page.keyboard.type('From Lisbon');
  await go('Control+Enter');
  assert.ok(pressed <= 6, `answering took ${pressed} keys`);
  assert.ok(JSON.stringify(await call(token, 'get_task', { task_id: train.task_id, wait: 10, history_length: 20 })).includes('From Lisbon'));
  done('answered a task that waits', { pressed });

  const hotels = [];
  for (const where of ['sea', 'hills', 'city']) hotels.push(await send('travel', `A hotel in the ${where}.`));
  await begins('/account/tasks');
  await press('j', 'x', 'j', 'x', 'j', 'x');
  await accessible(page, 'ticked rows');
  await go('Control+Enter');
  await says('#confirm', /3 tasks/);
  await press('Tab');
  await go('Enter');
  await says('#done', /3 of 3 tasks canceled/);
  for (const { task_id } of hotels) assert.equal((await call(token, 'get_task', { task_id, wait: 5 })).state, 'canceled');
  done('canceled three tasks', { pressed });

  await begins('/account/tasks');
  const failed = () => page.evaluate(() => document.activeElement.closest('tr')?.querySelector('.badge.bad')?.textContent);
  while ((await failed()) !== 'Failed' && pressed < 60) await press('j');
  await go('Enter');
  await says('#alert', /failure/);
  done('found why a task failed', { pressed });

  await begins('/account/tasks');
  await press('/');
  await page.keyboard.type('train go');
  await page.waitForURL(/text=train/);
  await page.locator('#tasks .rows tbody tr').first().waitFor();
  await page.getByRole('button', { name: 'Save this view' }).waitFor();
  await page.getByRole('button', { name: 'Save this view' }).press('Enter');
  await begins('/account/tasks');
  await accessible(page, 'a saved view');
  await fits(page, 'a saved view');
  await page.getByRole('link', { name: 'train go', exact: true }).press('Enter');
  await page.waitForURL(/text=train/);
  await page.getByRole('button', { name: 'Remove the view train go' }).press('Enter');
  assert.equal(await page.getByRole('link', { name: 'train go', exact: true }).count(), 0);
  done('kept a view');

  await begins('/admin');
  await press('Control+k');
  await page.keyboard.type('next train');
  await page.locator('#found', { hasText: 'When does the next train go?' }).waitFor();
  await accessible(page, 'the palette');
  await go('Enter');
  await says('h1', /next train/);
  await press('?');
  await accessible(page, 'the shortcuts');
  await press('Escape');
  done('went to a task', { pressed });

  await begins('/account/tasks');
  await press('Control+k');
  await page.keyboard.type('connections');
  await page.locator('#found [aria-selected]', { hasText: 'Connections' }).first().waitFor();
  await go('Enter');
  await press('j', 'x');
  await go('Control+Enter');
  await press('Tab');
  await go('Enter');
  await says('#done', /disconnected/);
  done('disconnected an app', { pressed });

  for (const at of ['/account/tasks', '/admin/usage', '/admin/audit']) {
    await begins(at);
    await oneZone(page, at);
  }
  await page.getByRole('button', { name: 'Use UTC' }).focus();
  await go('Enter');
  const hours = (times) => times.map((time) => [time.title, time.textContent]).filter(([title]) => !/UTC|GMT$/.test(title));
  for (const at of ['/admin/audit', '/admin/usage']) {
    await begins(at);
    assert.deepEqual(await page.locator('time').evaluateAll(hours), [], `${at}: every time is in UTC`);
    await says('#zone', /Times are in UTC/);
  }
  done('chose UTC');
  const state = await tab.context.storageState();
  await clean(tab, 'lists by keyboard');

  const plain = await open(browser, { javaScriptEnabled: false, timezoneId: zone, storageState: state });
  page = plain.page;
  await begins('/account/tasks');
  await says('#zone', /Times are in UTC/);
  const boxes = page.locator('td.pick input');
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.locator('#bulk button').click();
  await says('#confirm', /2 tasks/);
  await page.locator('#confirm button').click();
  await says('#done', /of 2 tasks canceled/);
  await fits(page, 'without a script');
  await plain.context.close();
  done('canceled two tasks without a script');
  await browser.close();
  callback.close();
});
