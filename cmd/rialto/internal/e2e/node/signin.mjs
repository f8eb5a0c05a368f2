// Who signs in, in a real browser: the first account with a setup code, a person
// at an identity provider that others wrote (oidc-provider), and a pasted access
// token of it. RIALTO_PROVIDER is where the provider listens;
// RIALTO_SCREENSHOTS, if set, is the folder for pictures of the pages.

import path from 'node:path';
import { begin, origin, redeem, register } from './app.mjs';
import { listen } from './callback.mjs';
import { machineToken, provider } from './idp.mjs';
import { assert, done, env, run } from './report.mjs';
import { clean as spotless, launch, open } from './tab.mjs';

const issuer = env('RIALTO_PROVIDER');
const shots = process.env.RIALTO_SCREENSHOTS;
const narrow = { viewport: { width: 390, height: 844 } };

await run(async () => {
  await provider(issuer, origin);
  const callback = await listen();
  const browser = await launch();
  await setup(browser);
  const app = await register(callback);
  await atProvider(browser, app, callback);
  await ourPage(browser);
  await pasted(browser, app, callback);
  await pastedWithoutScript(browser, app, callback);
  await refusedThere(browser, app, callback);
  if (shots) await pictures(browser, app);
  await browser.close();
  callback.close();
});

/** The first account is made with the code that the server showed. */
async function setup(browser) {
  const tab = await open(browser, narrow);
  await tab.page.goto(`${origin}/signin`);
  await fits(tab.page);
  await picture(tab.page, 'setup');
  await tab.page.getByLabel('Setup code').fill(env('RIALTO_SETUP_CODE').toLowerCase().replaceAll('-', ' '));
  await tab.page.getByLabel('Username').fill(env('RIALTO_USERNAME'));
  await tab.page.getByLabel('Password').fill(env('RIALTO_PASSWORD'));
  await revealed(tab.page);
  await tab.page.getByRole('button', { name: 'Create account' }).click();
  await tab.page.waitForURL(`${origin}/admin?done=setup`);
  await clean(tab, 'setup');
  done('first account made');
}

/** The button beside a password says what it does next. */
async function revealed(page) {
  const password = page.getByLabel('Password');
  for (const [press, type] of [['Show password', 'text'], ['Hide password', 'password']]) {
    await page.getByRole('button', { name: press, exact: true }).click();
    assert.equal(await password.getAttribute('type'), type);
  }
  await page.getByRole('button', { name: 'Show password', exact: true }).waitFor();
}

/** Allows first, signs in at the provider after that, and the app gets its token. */
async function atProvider(browser, app, callback) {
  const tab = await open(browser, narrow);
  const asked = begin(app);
  await leave(tab.page, asked.url);
  await signInThere(tab.page, 'ada');
  const token = await redeem(app, asked, await callback.next());
  await tab.page.locator('#arrived').waitFor();
  const who = await fetch(`${origin}/userinfo`, { headers: { Authorization: `Bearer ${token}` } }).then((r) => r.json());
  assert.equal(who.preferred_username, 'corp:ada', 'the token is for the person of the provider');
  await tab.page.goto(begin(app).url);
  await tab.page.getByText('Signed in as corp:ada').waitFor();
  await clean(tab, 'at the provider');
  done('signed in at the provider', { who: who.preferred_username });
}

/** A page of ours leads to the provider and back. */
async function ourPage(browser) {
  const tab = await open(browser);
  await tab.page.goto(`${origin}/documents/agent%3Anobody`);
  await tab.page.getByRole('button', { name: 'Sign in with Corp' }).click();
  await signInThere(tab.page, 'ada');
  await tab.page.waitForURL(`${origin}/documents/agent%3Anobody`);
  await clean(tab, 'our page');
  done('came back to our page');
}

/** The page reads a token while it is typed, and nothing leaves it before the click. */
async function pasted(browser, app, callback) {
  const tab = await open(browser, narrow);
  const asked = begin(app);
  await tab.page.goto(asked.url);
  await tab.page.getByText('Use an access token').click();
  let sent = 0;
  tab.page.on('request', () => sent++);
  const field = tab.page.getByLabel('Access token');
  await field.fill('not.a.token');
  await tab.page.getByText('This isn\'t a whole access token.').waitFor();
  await field.fill(await machineToken(issuer, 'https://somebody.example'));
  await tab.page.getByText('It is meant for another audience.').waitFor();
  await field.fill(`Bearer ${await machineToken(issuer, origin)}`);
  await tab.page.getByText('Use case: sales').waitFor();
  await fits(tab.page);
  await picture(tab.page, 'paste', true);
  assert.equal(sent, 0, 'nothing was sent while the token was typed');
  await tab.page.getByRole('button', { name: 'Allow with this token' }).click();
  const token = await redeem(app, asked, await callback.next());
  assert.equal(claims(token).scope, 'mcp:tools:sales');
  assert.ok(claims(token).exp <= Date.now() / 1000 + 600, 'it ends with the pasted token');
  await tab.page.locator('#arrived').waitFor();
  await tab.page.goBack();
  assert.equal(await tab.page.locator('#token').inputValue().catch(() => ''), '', 'the page holds no token any more');
  await clean(tab, 'pasted');
  done('allowed with a token', { scope: claims(token).scope });
}

/** Without scripts the server says what the token opens, and asks once more. */
async function pastedWithoutScript(browser, app, callback) {
  const tab = await open(browser, { javaScriptEnabled: false });
  const asked = begin(app);
  await tab.page.goto(asked.url);
  await tab.page.locator('#paste summary').click();
  await tab.page.locator('#token').fill(await machineToken(issuer, origin));
  await tab.page.locator('button[value="token"]').click();
  assert.match(await tab.page.locator('#voucher').innerText(), /Use case: sales/);
  await picture(tab.page, 'voucher');
  await tab.page.locator('button[value="token"]').click();
  await tab.page.locator('#continue').click();
  assert.equal(claims(await redeem(app, asked, await callback.next())).scope, 'mcp:tools:sales');
  await clean(tab, 'pasted without script');
  done('allowed with a token, without script');
}

/** Whoever turns back at the provider refuses. */
async function refusedThere(browser, app, callback) {
  const tab = await open(browser);
  await leave(tab.page, begin(app).url);
  await tab.page.locator('a', { hasText: 'Cancel' }).click();
  assert.equal((await callback.next()).get('error'), 'access_denied');
  await clean(tab, 'refused at the provider');
  done('refused at the provider');
}

/** What the provider's own pages fetch, or fail to, is not our matter. */
async function clean(tab, step) {
  const theirs = /fonts\.g|ERR_NAME_NOT_RESOLVED|ERR_INTERNET_DISCONNECTED|status of 404/;
  const ours = tab.wrong.filter((w) => !theirs.test(w));
  await spotless({ ...tab, wrong: ours }, step);
}

/** Allows the app that asks at an address, and goes to the provider. The clock of the page waits for the look at it. */
async function leave(page, url) {
  const now = Date.now();
  await page.clock.install({ time: now });
  await page.clock.pauseAt(now + 1000);
  await page.goto(url);
  await fits(page);
  const button = page.getByRole('button', { name: 'Allow, and sign in with Corp' });
  assert.equal(await button.isDisabled(), true, 'the button waits for a moment');
  await page.clock.resume();
  await page.locator('button[value="provider:corp"]:enabled').click();
  await page.waitForURL(`${issuer}/**`);
}

async function signInThere(page, name) {
  await page.waitForURL(`${issuer}/interaction/**`);
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('anything');
  await page.locator('button[type=submit]').click();
  const consent = page.locator('button', { hasText: 'Continue' });
  await consent.click();
}

function claims(token) {
  return JSON.parse(Buffer.from(token.split('.')[1], 'base64url'));
}

async function fits(page) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(over <= 0, `the page is ${over} pixels wider than the window`);
}

async function picture(page, name, fullPage = true) {
  if (shots) await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage });
}

/** Pictures of the page with every way to sign in. */
async function pictures(browser, app) {
  for (const [name, options] of Object.entries({
    'ways-light': {}, 'ways-dark': { colorScheme: 'dark' }, 'ways-es-390': { ...narrow, locale: 'es-ES' }, 'ways-dark-390': { ...narrow, colorScheme: 'dark' },
  })) {
    const tab = await open(browser, options);
    await tab.page.goto(begin(app).url);
    await tab.page.locator('#paste summary').click();
    await fits(tab.page);
    await picture(tab.page, name);
    await tab.page.goto(`${origin}/signin`);
    await fits(tab.page);
    await picture(tab.page, name.replace('ways', 'signin'));
    await tab.context.close();
  }
}
