// The task card in the Inspector, which is a host of its own: a person connects, opens the app of
// send_task, sorts ten thousand rows and sees a picture. CLIENT_PORT, MCP_SANDBOX_PORT and
// MCP_APP_ORIGIN_PORT are its ports, INSPECTOR_HOME is where it keeps what it writes.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { assert, done, env, run } from './report.mjs';
import { launch, open } from './tab.mjs';

const program = fileURLToPath(new URL('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', import.meta.url));

await run(async () => {
  const inspector = spawn(process.execPath, [
    program, '--web', '--transport', 'http', '--server-url', env('RIALTO_URL'), '--header', `Authorization: Bearer ${env('RIALTO_TOKEN')}`,
  ], { env: { ...process.env, HOME: env('INSPECTOR_HOME'), DANGEROUSLY_OMIT_AUTH: 'true', MCP_AUTO_OPEN_ENABLED: 'false', MCP_INSPECTOR_SECRET_STORE: 'memory' }, stdio: ['ignore', 'pipe', 'inherit'] });
  const browser = await launch();
  try {
    await new Promise((resolve, reject) => {
      inspector.stdout.on('data', (text) => { if (String(text).includes('Sandbox')) resolve(); });
      inspector.on('exit', () => reject(new Error('the Inspector has ended')));
    });
    const { page } = await open(browser);
    await page.goto(`http://127.0.0.1:${env('CLIENT_PORT')}/`);
    await page.getByRole('switch').first().click({ force: true });
    await page.getByText('Apps', { exact: true }).first().click();

    let card = await app(page, 'List all claims');
    await card.getByRole('button', { name: 'Show all 10000 rows' }).click();
    const began = Date.now();
    await card.getByRole('button', { name: 'claimant' }).click();
    await card.locator('th[aria-sort="ascending"]').waitFor();
    const took = Date.now() - began;
    await card.getByRole('row').filter({ hasText: 'Claimant 00000' }).waitFor();
    assert.ok(took < 1000, `sorted in ${took} ms`);
    done('ten thousand rows in the Inspector', { took });

    card = await app(page, 'Draw the claims');
    await card.getByRole('img', { name: 'chart.png' }).waitFor();
    done('a picture in the Inspector');
  } finally {
    await browser.close();
    inspector.kill();
  }
});

/** Opens the app of send_task with a message, and returns the frame of the card. */
async function app(page, message) {
  const back = page.getByText('Back to Input');
  if (await back.count()) await back.click();
  else await page.getByText('Send a task to an agent', { exact: true }).first().click();
  await page.getByLabel('message').first().fill(message);
  await page.getByLabel('agent').first().fill('analyst');
  await page.getByRole('button', { name: 'Open App' }).click();
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    for (const frame of page.frames()) {
      const title = await frame.locator('#title').textContent({ timeout: 100 }).catch(() => '');
      if (title === message) return frame;
    }
  }
  throw new Error(`the card of ${message} does not come`);
}
