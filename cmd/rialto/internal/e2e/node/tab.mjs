// A tab of the real browser: a profile, its first page, and what went wrong in any of its pages.

import { chromium } from 'playwright-core';
import { assert, env } from './report.mjs';

const patience = 120_000; // in ms: a busy machine takes its time

/** Starts the browser. */
export function launch() {
  return chromium.launch({
    executablePath: env('RIALTO_CHROMIUM'),
    timeout: patience,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}

/** Opens a page in a profile of its own, and watches what it does. */
export async function open(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US', ...options });
  context.setDefaultTimeout(patience);
  const wrong = [];
  context.on('console', (m) => ['error', 'warning'].includes(m.type()) && wrong.push(`console: ${m.text()}`));
  context.on('weberror', (err) => wrong.push(`script: ${err.error()}`));
  context.on('request', (r) => {
    const { protocol, hostname } = new URL(r.url());
    if (protocol !== 'data:' && !['127.0.0.1', 'localhost'].includes(hostname)) wrong.push(`a request to ${r.url()}`);
  });
  const page = await context.newPage();
  return { context, page, wrong };
}

/** Closes the tab, in which nothing may have gone wrong. */
export async function clean({ context, wrong }, step) {
  assert.deepEqual(wrong, [], `${step}: nothing went wrong in the browser`);
  await context.close();
}

/** Signs in on the page that asks for consent, and allows. */
export async function signIn(page, secret) {
  await page.getByLabel('Username').fill(env('RIALTO_USERNAME'));
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in and allow' }).click();
}
