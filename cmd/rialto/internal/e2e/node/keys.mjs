// Somebody who has no mouse, at a page of the real browser.

import { origin } from './app.mjs';
import { assert } from './report.mjs';

const most = 200; // stops until something is not there

/** What such a person does. */
export class Keys {
  constructor(page) {
    this.page = page;
  }

  open(at) {
    return this.page.goto(new URL(at, origin).href);
  }

  press(key) {
    return this.page.keyboard.press(key);
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  /** Goes on with Tab until what has the focus has a name. */
  async to(name) {
    const over = [];
    while (over.length < most) {
      await this.press('Tab');
      const at = await this.page.evaluate(stop);
      over.push(at.name);
      assert.ok(at.seen, `it can be seen that ${at.name} has the focus`);
      if (name instanceof RegExp ? name.test(at.name) : at.name === name) return;
    }
    assert.fail(`Tab reaches ${name}, on ${this.page.url()}: went over ${[...new Set(over)].join(' | ')}`);
  }

  /**
   * Goes down a list to what begins with a text. Typing it would do, too, unless the
   * machine is so busy that a second passes between two letters: that begins anew.
   */
  async choose(name, text) {
    await this.to(name);
    const over = [];
    while (over.length < most) {
      over.push(await this.page.evaluate(() => document.activeElement.selectedOptions[0].text));
      if (over.at(-1).startsWith(text)) return;
      await this.press('ArrowDown');
    }
    assert.fail(`${name} holds ${text}: went over ${[...new Set(over)].join(' | ')}`);
  }

  /** Writes into a field instead of what is there. */
  async fill(name, text, { clear = true } = {}) {
    await this.to(name);
    if (clear) await this.press('Control+A');
    await this.type(text);
  }

  /** Presses a button, or follows a link, and waits for the page behind it. */
  async submit(name) {
    await this.to(name);
    await Promise.all([this.page.waitForEvent('domcontentloaded', { timeout: 120_000 }), this.press('Enter')]);
    await this.page.waitForLoadState();
  }

  async says(words) {
    const text = await this.page.locator('main').innerText();
    assert.ok(text.includes(words), `${this.page.url()} says ${words}:\n${text.slice(0, 2000)}`);
  }
}

/** Names what has the focus as it is read out, and tells whether that can be seen. */
function stop() {
  const e = document.activeElement;
  const words = e.labels?.[0]?.innerText.replace(/\boptional$/, '').trim().split('\n')[0];
  const text = e.getAttribute('aria-label') ?? words ?? e.innerText ?? '';
  const style = getComputedStyle(e);
  const box = e.getBoundingClientRect();
  const seen = e === document.body || (box.width > 0 && (style.outlineStyle !== 'none' || style.boxShadow !== 'none'));
  return { name: text.replace(/\s+/g, ' ').trim(), seen };
}
