// What people come for, each in three presses at most from its section: by mouse and by keyboard, in
// English and Spanish, light and dark, on a desktop and on a phone. The three rounds hold each of
// these, and pages.mjs looks at every page in all of them. After each errand the page passes axe-core
// and fits, and nothing went wrong in the browser: no foreign request, nothing against the policy.
// RIALTO_CHROMIUM is the program, RIALTO_AGENTS the addresses of agents to add, one for each round
// with commas between, RIALTO_TASKS the ids of seeded tasks as JSON, RIALTO_ERRANDS the errands to
// run, if not all.

import { accessible, fits } from './axe.mjs';
import { begin, call, origin, redeem, register, search } from './app.mjs';
import { listen } from './callback.mjs';
import { Keyboard, Mouse } from './hands.mjs';
import { assert, done, env, run } from './report.mjs';
import { launch, open } from './tab.mjs';

const rounds = [
  [Keyboard, 'es', 'light', 1280],
  [Mouse, 'en', 'dark', 1280],
  [Mouse, 'es', 'dark', 390],
];
const most = 3; // presses
const seeded = JSON.parse(env('RIALTO_TASKS'));
const only = process.env.RIALTO_ERRANDS?.split(',');
const problems = []; // all are told at the end

/** A button of a form that leads somewhere, or the one that confirms it. */
const button = (action) => `form[action^="${action}"] button:not([type="button"])`;
const link = (to) => `a[href^="${to}"], form[action^="${to}"] button`;

const errands = {
  async 'add an agent'({ hand, i }) {
    await hand.begin('/admin/agents');
    await hand.press(link('/admin/agents/new'));
    await hand.fill('main [name="url"]', env('RIALTO_AGENTS').split(',')[i]);
    await hand.press(button('/admin/agents/new')); // look
    await accessible(hand.page, 'the preview');
    await hand.press(button('/admin/agents/new')); // add
    assert.match(hand.page.url(), new RegExp(`/admin/agents/one\\?.*name=depot-${i}`));
  },

  async 'why did this task fail'({ hand }) {
    await hand.begin('/admin/tasks?state=failed');
    await hand.press(`main a[href*="id=${seeded.failed}"], main a[href*="/admin/tasks/one"]`);
    await hand.says(/fail|fall/i);
  },

  async 'cancel my task'({ hand, token }) {
    const { task_id } = await call(token, 'send_task', { agent: 'travel', message: 'A hotel by the sea, please.', wait: 0 });
    await hand.begin('/account/tasks');
    await hand.press(`form[action="/account/tasks/cancel"]:has([value="${task_id}"]) button`);
    await hand.press(button('/account/tasks/cancel'));
    const { state } = await call(token, 'get_task', { task_id, wait: 5 });
    assert.equal(state, 'canceled');
  },

  async 'cancel a task of others'({ hand, token }) {
    const { task_id } = await call(token, 'send_task', { agent: 'travel', message: 'A hotel in the hills, please.', wait: 0 });
    await hand.begin('/admin/tasks');
    await hand.press(`main a[href*="${task_id}"]`);
    await hand.touch('#cancel > summary');
    await hand.press('#cancel form button');
    const { state } = await call(token, 'get_task', { task_id, wait: 5 });
    assert.equal(state, 'canceled');
  },

  async 'answer a question'({ hand, token }) {
    const { task_id } = await call(token, 'send_task', { agent: 'travel', message: 'A trip to the sea.' });
    await hand.begin('/account/tasks');
    await hand.press(`main a[href$="${task_id}"]`);
    await hand.fill('main input[name$="to"]', 'Lisbon');
    await hand.fill('main input[type="date"]', '2030-12-31');
    await hand.press('main form[method="post"] button:not([name="share"]):not([value="cancel"])');
    const said = JSON.stringify(await call(token, 'get_task', { task_id, wait: 10, history_length: 20 }));
    assert.ok(said.includes('Lisbon') && said.includes('2030-12-31'), said);
  },

  async 'add a user'({ hand, i }) {
    await hand.begin('/admin/accounts');
    await hand.press(link('/admin/accounts/new'));
    await hand.fill('main [name="name"]', `clerk${i}`);
    await hand.fill('main [name="password"]', 'a long enough password');
    await hand.press(button('/admin/accounts/new'));
    await hand.says(new RegExp(`clerk${i}`));
  },

  async 'who called what yesterday'({ hand }) {
    const yesterday = new Date(Date.now() - 864e5).toISOString().slice(0, 10);
    await hand.begin('/admin/usage');
    await hand.press(`main .tabs a[href*="from=${yesterday}"]`);
    await hand.press('main .stats a[href*="/admin/usage/calls"]');
    const calls = await hand.page.locator('main tbody tr').evaluateAll((rows) =>
      rows.map((row) => [row.querySelector('th').innerText, row.querySelector('a[href*="tool="]')?.innerText, row.querySelector('time').dateTime]),
    );
    assert.ok(calls.length > 0 && calls.every(([who, what, at]) => who && what && at.startsWith(yesterday)), JSON.stringify(calls));
  },

  async 'export the audit log'({ hand }) {
    await hand.begin('/admin/audit');
    const [file] = await Promise.all([hand.page.waitForEvent('download'), hand.touch(link('/admin/audit/export'))]);
    assert.match(file.suggestedFilename(), /\.(csv|jsonl?|json)$/);
  },

  async 'share and copy'({ hand, token }) {
    const { results } = await search(token, 'claims');
    await hand.begin(new URL(results[0].url).pathname);
    await hand.touch('#share > summary');
    await hand.press('#share form button');
    const link = await hand.page.locator('#link').innerText();
    await hand.touch('[data-copy="link"]');
    await hand.page.waitForFunction(async (want) => (await navigator.clipboard.readText()) === want, link.trim());
  },

  async 'change the language'(it) {
    const other = { en: 'es', es: 'en' };
    await it.hand.begin('/account');
    const press = (to) => it.hand.press(`[hreflang="${to}"], [lang="${to}"] button, button[value="${to}"]`);
    await press(other[it.language]);
    assert.equal(await it.tab.page.getAttribute('html', 'lang'), other[it.language]);
    await press(it.language);
  },

  async 'run the doctor'({ hand }) {
    await hand.begin('/admin/doctor');
    await hand.press(button('/admin/doctor'));
    await hand.says(/works with|funciona con/i);
  },

  async 'revoke an app'({ hand, app, token }) {
    await hand.begin('/account');
    await hand.press('main form[action*="/account/"] button');
    if (await hand.page.locator('main [name="confirm"]').count()) await hand.press('main form button');
    const answer = await fetch(`${origin}/mcp`, { method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }, body: '{}' });
    assert.equal(answer.status, 401, `the token of ${app.id} has ended`);
  },

  async 'rotate a key'({ hand }) {
    await hand.begin('/admin/keys');
    await hand.press(button('/admin/keys/rotate'));
    await hand.press(button('/admin/keys/rotate'));
    await hand.page.waitForURL(/\/admin\/keys/);
  },

  async 'revoke a key'({ hand }) {
    await hand.begin('/admin/keys');
    const before = await hand.page.locator('main').innerText();
    await hand.press(button('/admin/keys/revoke'));
    await hand.press(button('/admin/keys/revoke'));
    assert.notEqual(await hand.page.locator('main').innerText(), before);
  },
};

await run(async () => {
  const callback = await listen();
  const browser = await launch();
  const app = await register(callback);
  const chosen = process.env.RIALTO_ROUNDS?.split(',');
  for (const [i, [hand, language, colorScheme, width]] of rounds.entries()) {
    if (chosen && !chosen.includes(String(i))) continue;
    const locale = { en: 'en-US', es: 'es-ES' }[language];
    const tab = await open(browser, { locale, colorScheme, viewport: { width, height: 860 }, permissions: ['clipboard-read', 'clipboard-write'] });
    tab.context.setDefaultTimeout(60_000);
    const it = { tab, hand: new hand(tab.page), language, i, app, token: await login(tab, app, callback) };
    const name = `${hand.name}, ${language}, ${colorScheme}, ${width}`;
    for (const [errand, go] of Object.entries(errands)) {
      if (only && !only.includes(errand)) continue;
      await attempt(`${errand}: ${name}`, it, go);
    }
    await tab.context.close();
  }
  assert.deepEqual(problems, []);
  await browser.close();
  callback.close();
});

/** Signs in, allows the app, and returns its token. */
async function login(tab, app, callback) {
  const asked = begin(app);
  await tab.page.goto(asked.url);
  if (await tab.page.locator('#username').count()) {
    await tab.page.locator('#username').fill(env('RIALTO_USERNAME'));
    await tab.page.locator('#password').fill(env('RIALTO_PASSWORD'));
  }
  await tab.page.locator('button[value="approve"], button[name="decision"][value="allow"], form button[type="submit"]').first().click();
  const token = await redeem(app, asked, await callback.next());
  await tab.page.locator('#arrived').waitFor();
  return token;
}

async function attempt(name, it, go) {
  const start = Date.now();
  try {
    await go(it);
    assert.ok(it.hand.pressed <= most, `it took ${it.hand.pressed} presses`);
    assert.equal(await it.tab.page.getAttribute('html', 'lang'), it.language, 'the language');
    await accessible(it.tab.page, 'the last page');
    await fits(it.tab.page, 'the last page');
    assert.deepEqual(it.tab.wrong.splice(0), [], 'nothing went wrong in the browser');
    done(name, { pressed: it.hand.pressed, ms: Date.now() - start });
  } catch (err) {
    it.tab.wrong.splice(0);
    problems.push(`${name}: ${err.message}`);
    done(`failed: ${name}`, { ms: Date.now() - start, why: err.message.slice(0, 700) });
  }
}
