// The theme that a reader chooses, against that of the system: on each page, at once, without a flash, and
// in the other tabs. RIALTO_CHROMIUM is the program.

import { accessible, fits } from './axe.mjs';
import { origin } from './app.mjs';
import { assert, done, run } from './report.mjs';
import { clean, launch, open } from './tab.mjs';

const paper = { light: 'rgb(244, 246, 247)', dark: 'rgb(14, 20, 24)' };
const other = { light: 'dark', dark: 'light' };
const words = { '': 'System', light: 'Light', dark: 'Dark' };

await run(async () => {
  const browser = await launch();
  for (const system of ['light', 'dark']) await choosing(browser, system);
  await withoutScript(browser);
  await browser.close();
});

async function choosing(browser, system) {
  const tab = await open(browser, { colorScheme: system });
  const { page } = tab;
  await page.addInitScript(() => { // the colors that are drawn, from the first
    globalThis.drawn = new Set();
    const note = () => {
      if (document.body) globalThis.drawn.add(getComputedStyle(document.body).backgroundColor);
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });
  const shown = async (theme, at) => {
    const state = await page.evaluate(() => ({
      paper: getComputedStyle(document.body).backgroundColor,
      scheme: getComputedStyle(document.documentElement).colorScheme,
      bar: [...document.querySelectorAll('meta[name=theme-color]')].filter((m) => matchMedia(m.media).matches).map((m) => m.content),
      pressed: [...document.querySelectorAll('#theme [aria-pressed=true]')].map((b) => b.textContent),
    }));
    assert.equal(state.paper, paper[theme || system], `${at}: the page`);
    assert.equal(state.scheme, theme || 'light dark', `${at}: the color scheme of fields and scroll bars`);
    assert.deepEqual(state.bar, [(theme || system) === 'dark' ? '#0e1418' : '#f4f6f7'], `${at}: the color of the browser's bar`);
    assert.deepEqual(state.pressed, [words[theme]], `${at}: the switch`);
  };
  const choose = (theme) => page.getByRole('button', { name: words[theme], exact: true }).click();

  await page.goto(`${origin}/signin`);
  await shown('', 'before a choice');
  await choose(other[system]);
  await shown(other[system], 'at once');
  for (const path of ['/', '/signin', '/docs', '/there/is/nothing']) {
    await page.goto(origin + path);
    await shown(other[system], path);
    assert.deepEqual(await page.evaluate(() => [...globalThis.drawn]), [paper[other[system]]], `${path}: no other color was drawn`);
    await accessible(page, `${path}, ${other[system]} chosen`);
  }
  for (const width of [320, 390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await fits(page, `the switch at ${width}`);
  }
  const second = await tab.context.newPage();
  await second.goto(`${origin}/signin`);
  await second.getByRole('button', { name: words[system], exact: true }).click();
  await page.waitForFunction((color) => getComputedStyle(document.body).backgroundColor === color, paper[system]);
  await choose('');
  await page.reload();
  await shown('', 'the system again');
  tab.wrong = tab.wrong.filter((w) => !w.includes('the server responded with a status of 404')); // there is nothing
  await clean(tab, `themes on a ${system} system`);
  done('chose themes', { system });
}

async function withoutScript(browser) {
  for (const system of ['light', 'dark']) {
    const tab = await open(browser, { javaScriptEnabled: false, colorScheme: system });
    await tab.page.goto(`${origin}/signin`);
    assert.equal(await tab.page.locator('#theme').isVisible(), false, 'no switch that does nothing');
    await tab.page.screenshot(); // which draws it
    await clean(tab, 'without script');
  }
  done('no switch without script');
}
