// A person shares what a task has made, from its page: the link opens for a
// stranger, with everything that was made, until the person ends it. The pages
// are looked at as pages.mjs does. RIALTO_TASK is the id of a task that has
// ended; RIALTO_CHROMIUM the program; RIALTO_SCREENSHOTS, if set, a folder.

import path from 'node:path';
import { accessible, fits } from './axe.mjs';
import { origin } from './app.mjs';
import { assert, done, env, run } from './report.mjs';
import { clean, launch, open } from './tab.mjs';

const shots = process.env.RIALTO_SCREENSHOTS;

await run(async () => {
  const browser = await launch();
  const owner = await open(browser);
  await owner.page.goto(`${origin}/documents/${encodeURIComponent(`task:${env('RIALTO_TASK')}`)}`);
  await owner.page.getByLabel('Username').fill(env('RIALTO_USERNAME'));
  await owner.page.getByLabel('Password').fill(env('RIALTO_PASSWORD'));
  await owner.page.getByRole('button', { name: 'Sign in' }).click();
  await look(owner.page, 'document-to-share');
  await owner.page.locator('#share > summary').click();
  await owner.page.getByRole('button', { name: 'Create a link' }).click();
  const link = (await owner.page.locator('#link').innerText()).trim();
  assert.ok(link.startsWith(`${origin}/shared/`), link);
  await look(owner.page, 'document-just-shared');

  for (const locale of ['en-US', 'es-ES']) {
    const stranger = await open(browser, { locale });
    const answer = await stranger.page.goto(link);
    assert.equal(answer.status(), 200);
    assert.match(answer.headers()['x-robots-tag'], /noindex/);
    assert.match(await stranger.page.locator('#results').innerText(), /3447/, 'the answer is there');
    await look(stranger.page, `shared-${locale.slice(0, 2)}`);
    const [download] = await Promise.all([stranger.page.waitForEvent('download'), stranger.page.locator('a[download]').first().click()]);
    assert.ok(await download.path(), 'what the task made can be saved');
    await clean(stranger, 'shared');
  }

  await owner.page.getByRole('button', { name: 'Stop sharing' }).click();
  await owner.page.locator('#links').waitFor({ state: 'detached' });
  assert.equal(await owner.page.locator('#links').count(), 0, 'no link is left');
  await clean(owner, 'document');
  const late = await open(browser);
  assert.equal((await late.page.goto(link)).status(), 404);
  await look(late.page, 'shared-ended');
  await browser.close();
  done('shared and ended');
});

async function look(page, name) {
  for (const [width, height] of [[1280, 860], [390, 844]]) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await accessible(page, `${name}, ${width}, ${colorScheme}`);
      if (shots) await page.screenshot({ path: path.join(shots, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
    await fits(page, `${name}, ${width}`);
  }
  done('looked at', { page: name });
}
