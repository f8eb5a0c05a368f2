// Every page, as people see it: in both languages, light and dark, on a phone
// and on a desktop. No page may fail axe-core, be wider than its window, say
// anything in the console, break its policy or ask another host for something.
// RIALTO_CHROMIUM is the program; RIALTO_SCREENSHOTS, if set, is the folder
// for pictures of the pages, and RIALTO_DOC_IMAGES that for those which the
// documentation shows.

import path from 'node:path';
import { accessible, fits } from './axe.mjs';
import { begin, call, origin, redeem, register, search } from './app.mjs';
import { listen } from './callback.mjs';
import { assert, done, env, run } from './report.mjs';
import { launch, open, signIn } from './tab.mjs';

const shots = process.env.RIALTO_SCREENSHOTS;
const images = process.env.RIALTO_DOC_IMAGES;
const shown = ['home', 'authorize-chatgpt', 'authorize-claude', 'account', 'admin-agents', 'admin-tasks', 'admin-usage', 'admin-doctor'];
const only = process.env.RIALTO_PAGES?.split(',');
const languages = { en: 'en-US', es: 'es-ES' };
const desktop = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };

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
    ['docs', '/docs#post-api-v1-agents-agent-tasks'], // browsers unfold what a link leads into
    ['missing', '/there/is/nothing', 404],
    ['docs', '/docs'],
  ];
  const somebody = [
    ['home-signed-in', '/'],
    ['authorize-signed-in', () => begin(app).url],
    ['document', results[0].url],
    ['document-shared', results[0].url, 200, new URL(results[0].url).pathname],
    ['answer-form', `/answer/${trip.task_id}`],
    ['answer-words', `/answer/${asked.task_id}`],
    ['answer-held', `/answer/${held.task_id}`],
    ['answer-done', `/answer/${task_id}`],
    ['connect', `/connect/crm?task=${held.task_id}`],
    ['account', '/account'],
    ['account-tasks', '/account/tasks'],
    ['account-agents', '/account/agents'],
    ['account-links', '/account/links'],
    ['account-password', '/account/password'],
    ['admin-agents', '/admin/agents'],
    ['admin-agent', '/admin/agents/one?name=tableexpert'],
    ['admin-agent-added', '/admin/agents/one?name=weather'],
    ['admin-agent-new', '/admin/agents/new'],
    ['admin-clients', '/admin/clients'],
    ['admin-client', `/admin/clients/one?id=${app.id}`],
    ['admin-client-new', '/admin/clients/new'],
    ['admin-grants', '/admin/grants'],
    ['admin-accounts', '/admin/accounts'],
    ['admin-account-new', '/admin/accounts/new'],
    ['admin-tasks', '/admin/tasks'],
    ['admin-task', `/admin/tasks/one?id=${task_id}`],
    ['admin-usage', '/admin/usage'],
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
  const tab = await open(browser, { ...options, viewport: desktop });
  for (const [name, at, status = 200, action] of pages) {
    if (only && !only.includes(name)) continue;
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
    for (const [size, viewport] of Object.entries({ 1280: desktop, 390: phone })) {
      await tab.page.setViewportSize(viewport);
      for (const colorScheme of ['light', 'dark']) {
        await tab.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await accessible(tab.page, `${name}, ${language}, ${size}, ${colorScheme}`);
        await picture(tab.page, `${name}-${language}-${size}-${colorScheme}`);
      }
      await fits(tab.page, `${name}, ${language}, ${size}`);
    }
    const wrong = tab.wrong.filter((w) => status === 200 || !w.includes(`status of ${status}`)); // the page's own status
    assert.deepEqual(wrong, [], `${name}, ${language}: nothing went wrong in the browser`);
    tab.wrong.length = 0;
    done('looked at', { page: name, language });
  }
  await tab.context.close();
}

async function picture(page, name) {
  if (shots) await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });
  const image = name.replace('-en-1280-light', '');
  if (!images || !shown.includes(image)) return;
  await page.screenshot({ path: path.join(images, `${image}.png`), fullPage: image.startsWith('authorize') }); // to its buttons
}
