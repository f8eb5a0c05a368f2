// What every page owes to those who look at it, whatever it shows.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { assert } from './report.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Lets axe-core look at the page, with every rule that it has for WCAG and good practice. */
export async function accessible(page, what) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    return violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html.slice(0, 200)).join(' | ')}`);
  });
  assert.deepEqual(violations, [], `${what}: axe-core finds nothing`);
}

/** Holds that the page is no wider than its window. */
export async function fits(page, what) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(over <= 0, `${what}: the page is ${over} pixels wider than the window`);
}

/** Where the tests of pages are: at a quarter to an hour of UTC, so that no time is right by chance. */
export const zone = 'Asia/Kathmandu';

/** Holds that every time of the page is in the zone of its reader, and that no word names another. */
export async function oneZone(page, what) {
  const wrong = await page.evaluate(() => {
    const wrong = [];
    for (const time of document.querySelectorAll('time:not(.elapsed)')) {
      const minute = (new Date(time.dateTime).getUTCMinutes() + 45) % 60;
      const clock = time.textContent.match(/:(\d\d)/), title = time.title.match(/:(\d\d):\d\d.*GMT\+5:45/);
      if ((clock && Number(clock[1]) !== minute) || Number(title?.[1]) !== minute) wrong.push(time.outerHTML);
    }
    const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let at; (at = words.nextNode()); ) {
      const quoted = at.parentElement.closest('pre, code, script, .data, .prose, .operations, #zone button');
      if (!quoted && /\bUTC\b|\d{4}-\d\d-\d\dT\d/.test(at.data)) wrong.push(at.data);
    }
    return wrong;
  });
  assert.deepEqual(wrong, [], `${what}: one zone`);
}
