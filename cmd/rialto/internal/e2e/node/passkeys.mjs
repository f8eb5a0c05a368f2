// An invited person and their passkey in a real browser, whose authenticator is a virtual one: the
// invitation, a passkey, a sign-in that the browser offers in the field of the name, a recovery code, the
// proof before a dangerous action, and the end of the passkey. RIALTO_CHROMIUM is the program,
// RIALTO_INVITATION the link of eve, an administrator, and RIALTO_STALE an address that lets all sign-ins
// be eleven minutes ago.

import { accessible, fits } from './axe.mjs';
import { assert, done, env, run } from './report.mjs';
import { clean, launch, open } from './tab.mjs';

const invitation = env('RIALTO_INVITATION');
const { origin } = new URL(invitation);

await run(async () => {
  const browser = await launch();
  const tab = await open(browser);
  const authenticator = await virtual(tab);
  await invited(tab);
  await conditional(tab, authenticator);
  const codes = await recoveryCodes(tab, authenticator);
  await fresh(tab);
  await removed(tab, authenticator);
  tab.wrong = tab.wrong.filter((w) => !w.includes('the server responded with a status of 403')); // what was refused
  await clean(tab, 'passkeys');
  await recovered(browser, codes);
  await browser.close();
});

/** Gives the browser an authenticator that keeps passkeys and verifies the person. */
async function virtual(tab) {
  const cdp = await tab.context.newCDPSession(tab.page);
  await cdp.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  });
  return {
    async keys() { return (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials; },
    /** Tells whether somebody stands at the authenticator: if not, it answers nothing. */
    present(enabled) { return cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }); },
  };
}

async function invited({ page }) {
  await page.goto(invitation);
  for (const size of [{ width: 320, height: 700 }, { width: 1280, height: 860 }]) {
    await page.setViewportSize(size);
    await accessible(page, `the invitation at ${size.width}`);
    await fits(page, `the invitation at ${size.width}`);
  }
  await page.getByRole('button', { name: 'Use a passkey instead' }).click();
  await page.waitForURL(`${origin}/`);
  const again = await page.goto(invitation);
  assert.equal(again.status(), 403, 'the invitation works once');
  done('took an invitation with a passkey');
}

/** Signs out, and in again by what the browser offers in the field of the name: no button is pressed. */
async function conditional({ page }, authenticator) {
  await signOut(page);
  await page.goto(`${origin}/signin?next=/account/passkeys`);
  await page.waitForURL(`${origin}/account/passkeys`);
  assert.equal((await authenticator.keys()).length, 1);
  assert.equal(await page.locator('#passkeys tbody tr').count(), 1);
  done('signed in by conditional mediation');
}

async function recoveryCodes({ page }) {
  await page.getByRole('button', { name: 'Create recovery codes' }).click();
  const codes = (await page.locator('#codes pre').innerText()).split('\n');
  assert.equal(codes.length, 10);
  done('made recovery codes');
  return codes;
}

/** Replaces a key of the server: the page asks for a proof, and the passkey is one. */
async function fresh({ page }) {
  assert.equal((await fetch(env('RIALTO_STALE'))).status, 200);
  await page.goto(`${origin}/admin/keys`);
  await page.locator('form[action="/admin/keys/rotate"] button').first().click();
  await page.locator('#confirm form[action="/admin/keys/rotate"] button').click();
  await accessible(page, 'the proof');
  await page.locator('#proof').getByRole('button', { name: 'Use a passkey' }).click();
  await page.locator('#done', { hasText: 'New key created.' }).waitFor();
  done('confirmed with the passkey');
}

/** Renames the passkey, removes it, and finds that it opens nothing. */
async function removed({ page }, authenticator) {
  await page.goto(`${origin}/account/passkeys`);
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Name').fill('My laptop');
  await page.locator('form[action$="/rename"] button.primary').click();
  await page.getByRole('rowheader', { name: 'My laptop' }).waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.locator('#confirm button').click();
  await page.getByText('You have no passkey yet.').waitFor();
  await signOut(page);
  await page.goto(`${origin}/signin`);
  await page.getByRole('alert').filter({ hasText: 'This passkey can\'t be used here.' }).waitFor(); // the browser offered it
  await authenticator.present(false);
  assert.equal((await authenticator.keys()).length, 1, 'the authenticator still has it');
  done('a removed passkey opens nothing');
}

/** Signs in with recovery codes in a browser that has no passkey. */
async function recovered(browser, codes) {
  for (const [code, to] of [[codes[0], '/account'], [codes[0], '/signin'], [codes[1], '/account']]) {
    const { page, context } = await open(browser);
    await page.goto(`${origin}/signin?next=/account`);
    await page.getByLabel('Username').fill('eve');
    await page.getByLabel('Password', { exact: true }).fill(code);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL((url) => url.pathname === to && url.search === '');
    await context.close();
  }
  done('signed in with recovery codes, each once');
}

async function signOut(page) {
  await page.goto(`${origin}/account`);
  await page.getByRole('button', { name: 'Sign out' }).click();
}
