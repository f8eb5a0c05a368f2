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
