// The page of a task in a real browser: every state, for its owner, for an operator and with a link.
// RIALTO_CHROMIUM is the program; RIALTO_SCREENSHOTS, if set, is the folder for pictures.

import path from 'node:path';
import { accessible, fits } from './axe.mjs';
import { begin, call, origin, redeem, register } from './app.mjs';
import { listen } from './callback.mjs';
import { assert, done, env, run } from './report.mjs';
import { clean, launch, open, signIn } from './tab.mjs';

const shots = process.env.RIALTO_SCREENSHOTS;
let looked = 0; // pages

await run(async () => {
  const callback = await listen();
  const browser = await launch();
  const app = await register(callback);
  const tab = await open(browser);
  await tab.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  const asked = begin(app);
  await tab.page.goto(asked.url);
  await signIn(tab.page, env('RIALTO_PASSWORD'));
  const token = await redeem(app, asked, await callback.next());
  await tab.page.locator('#arrived').waitFor();
  const send = async (message, agent = 'claims-analyst') => (await call(token, 'send_task', { agent, message, wait: message.startsWith('Watch') ? 0 : 20 })).task_id;

  const report = await send('Which claims came in during October, by cause, and which of them are above the limit of my office in Lisbon?');
  const failed = await send('Settle claim 4711 today and tell the customer.');
  const refused = await send('Delete all claims of 2019.');
  const away = await send('Find the contract of Ferreira & Filhos.', 'archive').catch(() => undefined);
  const working = await send('Watch the claims that come in and tell me about storms.');
  const booking = await send('Book an assessor for claim 4711.');
  const held = await send('Which customers are new?', 'crm');
  const attack = await send('Attack <script>alert(1)</script> \u202e');

  const views = { report, failed, refused, working, booking, held, attack };
  if (away) views.away = away;
  for (const [name, id] of Object.entries(views)) {
    await look(tab, `owner-${name}`, `/answer/${id}`);
    await look(tab, `operator-${name}`, `/admin/tasks/one?id=${id}`);
  }
  await look(tab, 'tasks', '/account/tasks');
  await attacked(tab, attack);
  await opens(tab, report);
  await searches(tab);
  await answers(tab, booking);
  await retries(tab, failed);
  await sends(tab);
  await cancels(tab, working);
  const link = await shares(tab, report);
  await look(tab, 'links', '/account/links');
  const stranger = await open(browser);
  await look(stranger, 'link-report', new URL(link).pathname);
  assert.equal(await stranger.page.locator('form').count(), 0, 'a reader with a link can do nothing');
  assert.equal(await stranger.page.locator('#timeline:visible').count(), 0, 'and sees no conversation');
  await clean(stranger, 'a stranger');
  await clean(tab, 'the owner');
  await browser.close();
  callback.close();
});

/** Looks at a page on a desktop and a phone, one of them dark: owners and operators by turns. Pictures show all. */
async function look({ page }, name, at) {
  await page.goto(origin + at);
  const dark = looked++ % 2 ? 1280 : 390;
  for (const [width, height] of [[1280, 860], [390, 844]]) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of shots ? ['light', 'dark'] : [width === dark ? 'dark' : 'light']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      if (shots) await page.screenshot({ path: path.join(shots, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      if (!process.env.RIALTO_NO_AXE) await accessible(page, `${name}, ${width}, ${colorScheme}`);
    }
    await fits(page, `${name}, ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.emulateMedia({ colorScheme: 'light' });
  done('looked at', { page: name });
}

/** What an agent writes runs nothing, fetches nothing and leads nowhere on this server. */
async function attacked({ page }, id) {
  await page.goto(`${origin}/answer/${id}`);
  assert.equal(await page.locator('main script, main img:not([src^="/downloads/"]), main [onerror]').count(), 0, 'nothing is active');
  assert.equal(await page.locator('#results a[href*="signout"], #results a[href^="javascript"]').count(), 0, 'no link leads into this server');
  assert.equal(await page.locator('#results .piece:has(.quiet) tbody tr').count(), 1000, 'a huge table is cut');
  assert.ok(!(await page.locator('main').innerText()).includes('\u202e'), 'nothing turns the text around');
  done('withstood an attack');
}

/** The viewer of the browser shows a PDF, in a tab of its own. */
async function opens({ context, page, wrong }, id) {
  await page.goto(`${origin}/answer/${id}`);
  const before = wrong.length;
  const [opened] = await Promise.all([context.waitForEvent('page'), page.locator('a[href$="?view"]').click()]);
  await opened.waitForLoadState();
  assert.equal(await opened.evaluate(() => document.contentType), 'application/pdf');
  await opened.close();
  const viewer = wrong.splice(before);
  assert.deepEqual(viewer.filter((w) => !w.startsWith('a request to chrome')), [], 'nothing else was asked for');
  assert.notEqual(viewer.length, 0, 'the viewer has begun');
  done('opened a PDF');
}

/** Searches as one types, filters by state, and finds what waits. */
async function searches({ page }) {
  await page.goto(`${origin}/account/tasks`);
  await page.getByLabel('Search').fill('assessor');
  await page.locator('#tasks tbody tr').filter({ hasText: 'Settle' }).waitFor({ state: 'detached' });
  assert.equal(await page.locator('#tasks tbody tr').count(), 1, 'one task has the word');
  await page.goto(`${origin}/account/tasks?state=failed`);
  assert.ok(await page.getByRole('link', { name: /Settle claim 4711/ }).isVisible(), 'a failed task is found by its state');
  done('searched');
}

async function answers({ page }, id) {
  await page.goto(`${origin}/answer/${id}`);
  await page.setViewportSize({ width: 360, height: 800 });
  await page.locator('#question #cancel > summary').click();
  await page.getByRole('button', { name: 'Cancel task' }).waitFor();
  await fits(page, 'a question that can be canceled');
  await accessible(page, 'a question that can be canceled');
  if (shots) await page.screenshot({ path: path.join(shots, 'owner-cancel-360.png'), fullPage: true });
  await page.setViewportSize({ width: 1280, height: 860 });
  if (shots) await page.screenshot({ path: path.join(shots, 'owner-cancel-1280.png'), fullPage: true });
  await page.getByLabel('Place').fill('Lisbon');
  await page.getByLabel('Day').fill('2030-12-31');
  await page.getByRole('button', { name: 'Send the answer' }).click();
  await page.locator('#state', { hasText: 'Done' }).waitFor();
  assert.ok((await page.locator('#timeline').innerText()).includes('Lisbon'), 'the answer is in the timeline');
  done('answered');
}

/** Sends a request with a file from the start page. */
async function sends({ page }) {
  await page.goto(`${origin}/`);
  await page.getByLabel('Your request').fill('Summarize this file.');
  await page.getByLabel('Agent', { exact: true }).selectOption('claims-analyst');
  await page.getByLabel('Files').setInputFiles({ name: 'claims.csv', mimeType: 'text/csv', buffer: Buffer.from('claim;paid\n1;2\n') });
  await page.getByLabel('Your request').press('Control+Enter');
  await page.locator('#done', { hasText: 'Request sent.' }).waitFor();
  await page.locator('#state', { hasText: 'Done' }).waitFor();
  assert.ok((await page.locator('#timeline').innerText()).includes('claims.csv'), 'the file went along');
  done('sent from the start page');
}

async function retries({ page }, id) {
  await page.goto(`${origin}/answer/${id}`);
  assert.ok((await page.locator('#alert').innerText()).includes('locked by another adjuster'), 'it says why on top');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/answer/') && !url.pathname.endsWith(id));
  assert.ok((await page.locator('h1').innerText()).startsWith('Settle claim 4711'), 'the new task has the same request');
  done('retried');
}

/** Cancels from the page; the list, in another profile, hears of it, although its stream was refused at first. */
async function cancels({ page, context }, id) {
  const other = await context.browser().newContext({ locale: 'en-US', storageState: await context.storageState() });
  await other.clock.install();
  const list = await other.newPage();
  const stream = '**/account/tasks/events*';
  await list.route(stream, (route) => route.fulfill({ status: 429, headers: { 'Retry-After': '60' } }), { times: 1 });
  const refused = list.waitForEvent('console', (m) => m.text().includes('429'));
  await list.goto(`${origin}/account/tasks`);
  await refused;
  const again = list.waitForRequest(stream);
  await list.clock.fastForward(61_000);
  await again;
  const row = list.locator('#tasks tbody tr').filter({ hasText: 'Watch the claims' });
  await row.getByText('Working').waitFor();
  await page.goto(`${origin}/answer/${id}`);
  assert.ok((await page.locator('#lives').innerText()).includes('Read 2400 of 2,400 claims'), 'what the agent does is on top');
  assert.ok((await page.locator('#timeline').innerText()).includes('Watch the claims'), 'progress does not push the request out');
  await page.locator('#cancel > summary').click();
  await page.getByRole('button', { name: 'Cancel task' }).click();
  await page.locator('#state', { hasText: 'Canceled' }).waitFor();
  await row.getByText('Canceled').waitFor();
  await other.close();
  done('canceled');
}

/** Makes a link from the list, copies it, and ends another one. */
async function shares(tab, id) {
  const { page } = tab;
  await page.goto(`${origin}/account/tasks`);
  await page.locator('#tasks tbody tr').filter({ hasText: 'Which claims came in' }).getByRole('button', { name: /Share/ }).click();
  await page.getByRole('button', { name: 'Create a link' }).click();
  await page.getByText("Copy it now. You won't see it again.").waitFor();
  const link = await page.locator('#link').innerText();
  await page.locator('#shared').getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link, 'the link is copied');
  if (shots) await page.screenshot({ path: path.join(shots, 'owner-shared-1280-light.png'), fullPage: true });
  await page.goto(`${origin}/answer/${id}`);
  assert.ok(!(await page.content()).includes(link), 'the link is shown once');
  await page.locator('#share > summary').click();
  await page.getByRole('button', { name: 'Create a link' }).click();
  await page.locator('#links').getByRole('button', { name: 'Stop sharing' }).nth(1).waitFor();
  await page.locator('#links').getByRole('button', { name: 'Stop sharing' }).first().click();
  await page.waitForURL(`${origin}/answer/${id}`);
  await page.getByRole('link', { name: 'All your shared links' }).click();
  await page.locator('#links').getByRole('link', { name: /Which claims came in/ }).click();
  await page.waitForURL(`${origin}/answer/${id}`);
  done('shared');
  return link;
}
