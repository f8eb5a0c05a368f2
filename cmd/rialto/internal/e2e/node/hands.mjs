// Two people at a page of the real browser: one has a mouse, the other has keys alone. They find
// things by what they do (the action of a form, the address of a link, the name of a field), so that
// they read every language. They count what they press.

import { origin } from './app.mjs';
import { assert } from './report.mjs';

const most = 400; // stops until something is not there

class Hand {
  constructor(page) {
    this.page = page;
    this.pressed = 0;
  }

  /** Goes to the section where an errand begins. */
  async begin(at) {
    await this.page.goto(new URL(at, origin).href);
    this.pressed = 0;
  }

  /** Presses a button, or follows a link, and waits for the page behind it. */
  async press(selector) {
    this.pressed++;
    await Promise.all([this.page.waitForEvent('domcontentloaded', { timeout: 60_000 }), this.activate(selector)]);
    await this.page.waitForLoadState();
  }

  /** Presses what stays on the page. */
  async touch(selector) {
    this.pressed++;
    await this.activate(selector);
  }

  async says(words) {
    const text = await this.page.locator('main').innerText();
    assert.ok(words.test(text), `${this.page.url()} says ${words}:\n${text.slice(0, 1500)}`);
  }
}

export class Mouse extends Hand {
  activate(selector) {
    return this.page.locator(selector).locator('visible=true').first().click({ timeout: 30_000 });
  }

  fill(selector, text) {
    return this.page.locator(selector).locator('visible=true').first().fill(text, { timeout: 30_000 });
  }

  choose(selector, value) {
    return this.page.locator(selector).locator('visible=true').first().selectOption(value, { timeout: 30_000 });
  }
}

export class Keyboard extends Hand {
  /** Goes on with Tab until what has the focus matches. */
  async to(selector) {
    for (let i = 0; i < most; i++) {
      if (await this.page.evaluate((s) => document.activeElement.matches(s), selector)) return;
      await this.page.keyboard.press('Tab');
    }
    assert.fail(`Tab reaches ${selector}, on ${this.page.url()}`);
  }

  async activate(selector) {
    await this.to(selector);
    await this.page.keyboard.press('Enter');
  }

  async fill(selector, text) {
    await this.to(selector);
    if (await this.page.evaluate(() => document.activeElement.type === 'date')) return this.page.locator(selector).first().fill(text);
    await this.page.keyboard.press('Control+A');
    await this.page.keyboard.type(text);
  }

  async choose(selector, value) {
    await this.to(selector);
    await this.page.keyboard.press('Home');
    for (let i = 0; i < most; i++) {
      if ((await this.page.evaluate(() => document.activeElement.value)) === value) return;
      await this.page.keyboard.press('ArrowDown');
    }
    assert.fail(`${selector} holds ${value}`);
  }
}
