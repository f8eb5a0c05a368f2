// Every page, as people see it: in both languages, light and dark, on a phone
// and on a desktop, in each pair of these. No page may fail axe-core, be wider than its window, say
// anything in the console, show times of two zones, break its policy or ask another host for something,
// and no link may lead to a page that is not in the lists below.
// RIALTO_CHROMIUM is the program, RIALTO_TASKS the ids of seeded tasks as JSON.
// With RIALTO_PICTURES, a folder, the pages are drawn instead of tested: Spanish
// only on a light desktop, and for docs/images one picture of each page.

import path from 'node:path';
import { accessible, fits, oneZone, zone } from './axe.mjs';
import { begin, call, origin, redeem, register, search } from './app.mjs';
import { listen } from './callback.mjs';
import { assert, done, env, run } from './report.mjs';
import { launch, open, signIn } from './tab.mjs';

const folder = process.env.RIALTO_PICTURES;
const documented = folder?.endsWith('docs/images');
const both = ['authorize-claude', 'admin-overview', 'answer-report']; // the documentation also shows these in dark and on a phone
const seeded = JSON.parse(env('RIALTO_TASKS'));
const only = process.env.RIALTO_PAGES?.split(',');
const languages = { en: 'en-US', es: 'es-ES' };
const problems = []; // all are told at the end
const visited = new Set(); // the paths of the pages, and the first folder of those whose path has an id
const linked = new Map(); // the paths that the pages lead to, and from where
const desktop = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };
const looks = { // two of each language, so that no page is looked at eight times
  en: [[desktop, 'light'], [phone, 'dark']],
  es: [[desktop, 'dark'], [phone, 'light']],
};
const drawn = [[desktop, 'light'], [desktop, 'dark'], [phone, 'light'], [phone, 'dark']];

await run(async () => {
  const callback = await listen();
  const browser = await launch();
  const app = await register(callback);
  const impostor = await register({ url: 'https://chat.example/callback' }, 'ChatGPT');
  const chatgpt = await register({ url: 'https://chatgpt.com/connector_platform_oauth_redirect' }, 'ChatGPT');
  const claude = await register({ url: 'https://claude.ai/api/mcp/auth_callback' }, 'Claude');
  const token = await login(browser, app, callback);
  const { results } = await search(token, 'claims');
  const { task_id } = await call(token, 'send_task', { agent: 'tableexpert', message: 'How many claims were there per cause?' });
  const trip = await call(token, 'send_task', { agent: 'travel', message: 'A trip to the sea.' });
  const asked = await call(token, 'send_task', { agent: 'travel', message: 'When does the next train go?' });
  const held = await call(token, 'send_task', { agent: 'crm', message: 'Which customers are new?' });
  const hotel = await call(token, 'send_task', { agent: 'travel', message: 'Find a hotel near the workshop in May.', wait: 0 });
  const share = await call(token, 'share', { id: results[0].id });

  const nobody = [
    ['home', '/'],
    ['signin', '/signin'],
    ['authorize', () => begin(app).url],
    ['authorize-scopes', () => begin(app, 'mcp:tools a2a:discover a2a:publish').url],
    ['authorize-lookalike', () => begin(impostor).url],
    ['authorize-problem', () => begin({ ...app, redirect: 'https://elsewhere.example/callback' }).url, 400],
    ['authorize-chatgpt', () => begin(chatgpt).url],
    ['authorize-claude', () => begin(claude).url],
    ['shared', share.url],
    ['docs', '/docs'],
    ['docs-search', '/docs?q=tasks#post-api-v1-agents-agent-tasks'], // browsers unfold what a link leads into
    ['missing', '/there/is/nothing', 404],
  ];
  const somebody = [
    ['home-signed-in', '/'],
    ['authorize-signed-in', () => begin(app).url],
    ['document', results[0].url],
    ['document-report', `/documents/task:${seeded.report}`],
    ['answer-form', `/answer/${trip.task_id}`],
    ['answer-words', `/answer/${asked.task_id}`],
    ['answer-held', `/answer/${held.task_id}`],
    ['answer-done', `/answer/${task_id}`],
    ['answer-working', `/answer/${hotel.task_id}`],
    ['answer-report', `/answer/${seeded.report}`],
    ['answer-failed', `/answer/${seeded.failed}`],
    ['connect', `/connect/crm?task=${held.task_id}`],
    ['account', '/account'],
    ['account-tasks', '/account/tasks'],
    ['account-agents', '/account/agents'],
    ['account-links', '/account/links'],
    ['account-password', '/account/password'],
    ['account-passkeys', '/account/passkeys'],
    ['account-passkey-unknown', '/account/passkeys/rename?id=none', 404],
    ['account-sessions', '/account/sessions'],
    ['admin-overview', '/admin'],
    ['admin-setup', '/admin?done=setup'],
    ['admin-agents', '/admin/agents'],
    ['admin-agent', '/admin/agents/one?name=tableexpert'],
    ['admin-agent-added', '/admin/agents/one?name=weather'],
    ['admin-agent-change', '/admin/agents/change?name=weather'],
    ['admin-agent-new', '/admin/agents/new'],
    ['admin-connectors', '/admin/connectors'],
    ['admin-connector', '/admin/connectors/one?name=sales'],
    ['admin-connector-new', '/admin/connectors/new'],
    ['admin-clients', '/admin/clients'],
    ['admin-client', `/admin/clients/one?id=${app.id}`],
    ['admin-client-new', '/admin/clients/new'],
    ['admin-grants', '/admin/grants'],
    ['admin-accounts', '/admin/accounts'],
    ['admin-account', '/admin/accounts/one?name=claims.desk'],
    ['admin-account-new', '/admin/accounts/new'],
    ['admin-tasks', '/admin/tasks'],
    ['admin-task', `/admin/tasks/one?id=${task_id}`],
    ['admin-task-report', `/admin/tasks/one?id=${seeded.report}`],
    ['admin-task-failed', `/admin/tasks/one?id=${seeded.failed}`],
    ['admin-task-unreached', `/admin/tasks/one?id=${seeded.unreached}`],
    ['admin-usage', '/admin/usage'],
    ['admin-usage-month', '/admin/usage?days=30&by=user'],
    ['admin-usage-empty', '/admin/usage?from=2020-01-01'],
    ['admin-usage-calls', '/admin/usage/calls?days=7'],
    ['admin-audit', '/admin/audit'],
    ['admin-keys', '/admin/keys'],
    ['admin-confirm', '/admin/keys', 200, '/admin/keys/rotate'],
    ['admin-settings', '/admin/settings'],
    ['admin-doctor-form', '/admin/doctor'],
    ['admin-doctor', '/admin/doctor', 200, '/admin/doctor'],
    ['admin-missing', '/admin/nothing', 404],
  ];
  await Promise.all(Object.entries(languages).map(async ([language, locale]) => {
    await look(browser, language, { locale }, nobody);
    await look(browser, language, { locale, storageState: login.state }, somebody);
  }));
  assert.deepEqual(problems, []);
  if (!only) assert.deepEqual([...linked].filter(([at]) => !visited.has(at)), [], 'pages that a link leads to and no list here names');
  await browser.close();
  callback.close();
});

/** Signs somebody in, keeps their cookies in login.state, and returns a token. */
async function login(browser, app, callback) {
  const tab = await open(browser);
  const asked = begin(app);
  await tab.page.goto(asked.url);
  await signIn(tab.page, env('RIALTO_PASSWORD'));
  const token = await redeem(app, asked, await callback.next());
  await tab.page.locator('#arrived').waitFor();
  login.state = await tab.context.storageState();
  await tab.context.close();
  return token;
}

/**
 * Looks at each page in one browser profile: its name, its address, its status
 * if that is not 200, and the action of the form to send for the page behind it.
 */
async function look(browser, language, options, pages) {
  const tab = await open(browser, { ...options, viewport: desktop, timezoneId: zone });
  for (const [name, at, status = 200, action] of pages) {
    if (only && !only.includes(name)) continue;
    await lookAt(name, language, tab, at, status, action).catch((err) => problems.push(err.message));
  }
  await tab.context.close();
}

async function lookAt(name, language, tab, at, status, action) {
  const url = new URL(typeof at === 'function' ? at() : at, origin).href;
  await tab.page.emulateMedia({ colorScheme: 'light' });
  await tab.page.setViewportSize(desktop);
  const answer = await tab.page.goto(url);
  assert.equal(answer.status(), status, `${name}: the status of ${url}`);
  if (action) {
    const [next] = await Promise.all([
      tab.page.waitForResponse((r) => r.request().method() === 'POST'),
      tab.page.waitForEvent('load'), // of the page behind it: this one has long been loaded
      tab.page.locator(`form[action="${action}"] button`).first().click(),
    ]);
    assert.equal(next.status(), status, `${name}: the status of ${action}`);
  }
  assert.equal(await tab.page.getAttribute('html', 'lang'), language, `${name}: its language`);
  const weight = await weigh(tab.page);
  const most = name.startsWith('authorize') ? 60 : 100;
  assert.ok(weight <= most << 10, `${name}, ${language}: ${weight} bytes, want ${most} KiB at most`);
  visited.add(place(tab.page.url())).add(place(url));
  await follow(tab.page, name);
  if (name !== 'docs') await oneZone(tab.page, `${name}, ${language}`); // which describes the API in UTC
  for (const [viewport, colorScheme] of folder ? drawn : looks[language]) {
    await tab.page.setViewportSize(viewport);
    await tab.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const as = `${name}, ${language}, ${viewport.width}, ${colorScheme}`;
    if (folder) await picture(tab.page, name, language, viewport.width, colorScheme);
    else await accessible(tab.page, as);
    await fits(tab.page, as);
  }
  const wrong = tab.wrong.splice(0).filter((w) => status === 200 || !w.includes(`status of ${status}`)); // the page's own status
  assert.deepEqual(wrong, [], `${name}, ${language}: nothing went wrong in the browser`);
  done('looked at', { page: name, language, weight });
}

/** The bytes of a page and of all that it loads, as they came over the network. */
function weigh(page) {
  return page.evaluate(() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce((sum, r) => sum + r.encodedBodySize, 0));
}

/** The path of a page without what is different for each task, document or link. */
function place(url) {
  const { pathname } = new URL(url);
  return /^\/(admin|account|signin|docs)(\/|$)/.test(pathname) ? pathname : `/${pathname.split('/')[1]}`;
}

/** Remembers where the links of a page lead, but for files to save. */
async function follow(page, name) {
  const hrefs = await page.$$eval('a[href]:not([download])', (all) => all.map((a) => a.href));
  for (const url of hrefs.filter((h) => h.startsWith(`${origin}/`))) {
    const at = place(url);
    if (!/export|^\/(download|openapi\.json|\.well-known)/.test(at)) linked.set(at, name);
  }
}

async function picture(page, name, language, size, colors) {
  if (language === 'es' && (documented || size !== desktop.width || colors !== 'light')) return;
  let file = `${name}-${language}-${size}-${colors}`;
  if (documented) {
    file = name + (size === phone.width ? '-390' : '') + (colors === 'dark' ? '-dark' : '');
    if (file !== name && (!both.includes(name) || file.endsWith('-390-dark'))) return;
  }
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const clip = { x: 0, y: 0, width: size, height: Math.min(height, documented ? 1060 : 4000) };
  await page.screenshot({ path: path.join(folder, `${file}.png`), fullPage: true, clip });
}
