// The real pages in a real browser. RIALTO_CHROMIUM is the program;
// RIALTO_TLS_CERT and RIALTO_TLS_KEY are files for a callback over https;
// RIALTO_SCREENSHOTS, if set, is the folder for pictures of the pages.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { begin, origin, redeem, register, search } from './app.mjs';
import { listen } from './callback.mjs';
import { assert, done, env, run } from './report.mjs';
import { clean, launch, open, signIn } from './tab.mjs';

const username = env('RIALTO_USERNAME');
const password = env('RIALTO_PASSWORD');

await run(async () => {
  const callback = await listen();
  const browser = await launch();
  const app = await register(callback);
  await refusing(browser, app, callback);
  await approving(browser, app, callback);
  await keyboard(browser, app, callback);
  await withoutScript(browser, app, callback);
  await framing(browser, app, callback);
  await popup(browser, app, callback);
  await elsewhere(browser, callback);
  await documents(browser, app, callback);
  await home(browser);
  if (process.env.RIALTO_SCREENSHOTS) await screenshots(browser, app, process.env.RIALTO_SCREENSHOTS);
  await browser.close();
  callback.close();
});

async function refusing(browser, app, callback) {
  const tab = await open(browser);
  const asked = begin(app);
  await tab.page.goto(asked.url);
  await tab.page.getByRole('button', { name: 'Refuse' }).click();
  const answer = await callback.next();
  assert.equal(answer.get('error'), 'access_denied');
  assert.equal(answer.get('state'), asked.state);
  assert.equal(answer.get('iss'), origin);
  await tab.page.locator('#arrived').waitFor();
  await clean(tab, 'refusing');
  done('refused without a sign-in');
}

async function approving(browser, app, callback) {
  const tab = await open(browser, { viewport: { width: 390, height: 844 } });
  const asked = begin(app);
  await tab.page.goto(asked.url);
  await fits(tab.page);
  await says(tab.page, ['Browser test', '127.0.0.1', 'Rialto']);
  await signIn(tab.page, 'a wrong password');
  await tab.page.getByRole('alert').waitFor();
  assert.equal(await tab.page.getByLabel('Username').inputValue(), username, 'the name stays');
  await fits(tab.page);
  await signIn(tab.page, password);
  await redeem(app, asked, await callback.next());
  await tab.page.locator('#arrived').waitFor();

  const again = begin(app);
  await tab.page.addInitScript(() => { // notes that the button was held back: by the time that one looks it may no longer be
    const note = ({ target }) => { globalThis.held ||= target.value === 'approve' && target.disabled; };
    new MutationObserver((all) => all.forEach(note)).observe(document, { subtree: true, attributeFilter: ['disabled'] });
  });
  await tab.page.goto(again.url);
  await says(tab.page, [`Signed in as ${username}`]);
  assert.equal(await tab.page.getByLabel('Password').count(), 0, 'a second consent needs no password');
  assert.equal(await tab.page.evaluate(() => globalThis.held), true, 'the button waits for a moment');
  await tab.page.locator('button[value="approve"]:enabled').waitFor();
  await tab.page.getByRole('button', { name: 'Use another account' }).click();
  await tab.page.getByLabel('Password').waitFor();
  await signIn(tab.page, password);
  await redeem(app, again, await callback.next());
  tab.wrong = tab.wrong.filter((w) => !w.includes('the server responded with a status of 4')); // the wrong password
  await clean(tab, 'approving');
  done('approved, twice');
}

/** Signs in and approves without a mouse, from the first focus on. */
async function keyboard(browser, app, callback) {
  const tab = await open(browser);
  const asked = begin(app);
  await tab.page.goto(asked.url);
  await tab.page.locator('#username:focus').waitFor(); // the first field has the focus
  await tab.page.keyboard.type(username);
  await tab.page.keyboard.press('Tab');
  await tab.page.keyboard.type(password);
  await tab.page.keyboard.press('Enter');
  await redeem(app, asked, await callback.next());

  const again = begin(app);
  await tab.page.locator('#arrived').waitFor();
  await tab.page.goto(again.url);
  await tab.page.locator('button[value="approve"]:enabled').waitFor();
  const stops = [];
  while (stops.length < 10 && stops.at(-1) !== 'approve') {
    await tab.page.keyboard.press('Tab');
    stops.push(await focused(tab.page));
  }
  assert.equal(stops.at(-1), 'approve', `Tab reaches the button, went over ${stops}`);
  const outline = await tab.page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, 'none', 'the focus can be seen');
  await tab.page.keyboard.press('Enter');
  await redeem(app, again, await callback.next());
  await clean(tab, 'keyboard');
  done('approved by keyboard', { stops });
}

async function withoutScript(browser, app, callback) {
  const tab = await open(browser, { javaScriptEnabled: false });
  const asked = begin(app);
  await tab.page.goto(asked.url);
  await signIn(tab.page, password);
  await tab.page.locator('#continue').focus(); // by keyboard: there is nothing else on the page to stop at
  await tab.page.keyboard.press('Enter');
  await redeem(app, asked, await callback.next());
  await clean(tab, 'without script');
  done('approved without script');
}

async function framing(browser, app, callback) {
  for (const url of [begin(app).url, `${origin}/signin`, `${origin}/`]) {
    const tab = await open(browser);
    const response = tab.page.waitForResponse((r) => r.url().startsWith(url)).catch(() => null);
    const said = tab.page.waitForEvent('console', (m) => m.text().includes('frame')); // the browser says why
    await tab.page.goto(`${callback.origin}/frame?src=${encodeURIComponent(url)}`);
    await response;
    const frame = tab.page.frames().find((f) => f !== tab.page.mainFrame());
    assert.equal(await frame.locator('form, main').count(), 0, 'a frame shows nothing of ours');
    await said;
    await tab.context.close();
  }
  done('not framed');
}

/**
 * Apps on the web, and apps whose callback leads on to another address: the
 * policy of a page with a form would block that second step, without a word to
 * the person, if the form were answered by a redirect.
 */
async function elsewhere(browser, loopback) {
  const tls = { cert: readFileSync(env('RIALTO_TLS_CERT')), key: readFileSync(env('RIALTO_TLS_KEY')) };
  const web = await listen({ tls });
  const hop = await listen({ tls, onTo: loopback.url });
  for (const [what, at, end] of [
    ['an https callback', web, web],
    ['a callback that leads on', hop, loopback],
  ]) {
    const app = await register(at);
    for (const decision of ['approve', 'deny']) {
      const tab = await open(browser, { ignoreHTTPSErrors: true }); // the certificate is the test's own
      const asked = begin(app);
      await tab.page.goto(asked.url);
      if (decision === 'approve') {
        await signIn(tab.page, password);
        await redeem(app, asked, await end.next());
      } else {
        await tab.page.getByRole('button', { name: 'Refuse' }).click();
        assert.equal((await end.next()).get('error'), 'access_denied');
      }
      await tab.page.locator('#arrived').waitFor();
      assert.equal(new URL(tab.page.url()).origin, end.origin);
      await clean(tab, `${what}, ${decision}`);
    }
    done(what);
  }
  web.close();
  hop.close();
}

/** An app that authorizes in a popup hears of the end through window.opener. */
async function popup(browser, app, callback) {
  const tab = await open(browser);
  await tab.page.goto(`${callback.origin}/popup?src=${encodeURIComponent(begin(app).url)}`);
  const [opened] = await Promise.all([tab.context.waitForEvent('page'), tab.page.getByRole('button').click()]);
  await signIn(opened, password);
  await callback.next();
  await tab.page.getByText('the popup called').waitFor();
  await clean(tab, 'popup');
  done('approved in a popup');
}

/** What a search result links to opens for the person who is signed in, and for nobody else. */
async function documents(browser, app, callback) {
  const tab = await open(browser);
  const asked = begin(app);
  await tab.page.goto(asked.url);
  await signIn(tab.page, password);
  const token = await redeem(app, asked, await callback.next());
  const { results } = await search(token, 'claims');
  await tab.page.waitForURL(`${callback.origin}/**`); // the app hears of the code before the page has moved on
  await tab.page.goto(results[0].url);
  assert.equal(await tab.page.locator('#task h1').innerText(), results[0].title);
  await clean(tab, 'document');

  const stranger = await open(browser);
  await stranger.page.goto(results[0].url);
  await stranger.page.getByLabel('Username').fill(username);
  await stranger.page.getByLabel('Password').fill(password);
  await stranger.page.getByRole('button', { name: 'Sign in' }).click();
  assert.equal(await stranger.page.locator('#task h1').innerText(), results[0].title);
  assert.equal(stranger.page.url(), results[0].url, 'signing in leads to the document');
  await clean(stranger, 'document after a sign-in');
  done('document opened', { url: results[0].url });
}

/** The start page: behind a sign-in, with an address that can be copied. */
async function home(browser) {
  const tab = await open(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  await tab.page.goto(`${origin}/`);
  if ((await tab.page.getByLabel('Password').count()) > 0) {
    await tab.page.getByLabel('Username').fill(username);
    await tab.page.getByLabel('Password').fill(password);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
  }
  await tab.page.locator('#url').waitFor();
  assert.match(await tab.page.locator('#agents').innerText(), /Table Expert[^]*Ready/, 'the agent is there');
  await tab.page.locator('#tab-0').press('ArrowRight');
  assert.equal(await tab.page.locator('.panel:visible').getAttribute('id'), 'panel-1', 'arrow keys move between the tabs');
  await tab.page.locator('[data-copy="url"]').click();
  assert.equal(await tab.page.evaluate(() => navigator.clipboard.readText()), `${origin}/mcp`);
  await tab.page.setViewportSize({ width: 390, height: 844 });
  await fits(tab.page);
  await clean(tab, 'home');
  done('home, address copied');
}

async function says(page, words) {
  const text = await page.locator('main').innerText();
  for (const w of words) assert.ok(text.includes(w), `the page says ${w}:\n${text}`);
}

async function fits(page) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(over <= 0, `the page is ${over} pixels wider than the window`);
}

/** Names what has the focus. */
function focused(page) {
  return page.evaluate(() => document.activeElement.id || document.activeElement.value || document.activeElement.tagName);
}

/** Pictures for the documentation. */
async function screenshots(browser, app, folder) {
  for (const scheme of ['light', 'dark']) {
    const tab = await open(browser, { colorScheme: scheme, viewport: { width: 1280, height: 860 }, deviceScaleFactor: 2 });
    await tab.page.goto(begin(app).url);
    await tab.page.screenshot({ path: path.join(folder, `authorize-${scheme}.png`) });
    await tab.page.goto(`${origin}/`);
    if ((await tab.page.getByLabel('Password').count()) > 0) {
      await tab.page.getByLabel('Username').fill(username);
      await tab.page.getByLabel('Password').fill(password);
      await tab.page.getByRole('button', { name: 'Sign in' }).click();
    }
    await tab.page.locator('#url').waitFor();
    await tab.page.screenshot({ path: path.join(folder, `home-${scheme}.png`), fullPage: true });
    await tab.context.close();
  }
  done('pictures taken', { folder });
}
