// A person at a browser without scripts: keeps cookies, reads forms, presses
// buttons and follows links. The real browser is in browser.mjs.

import { assert } from './report.mjs';

const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&#34;': '"', '&#39;': "'", '&#43;': '+' };

export class Person {
  #cookies = new Map();

  constructor(username, password) {
    this.username = username;
    this.password = password;
  }

  /** Opens an authorize URL, signs in if asked, decides, and goes where the page leads. */
  async decide(authorizeURL, decision) {
    const asked = await this.#open(authorizeURL);
    assert.equal(asked.status, 200, `the authorize page answers ${asked.status}: ${asked.body.slice(0, 2000)}`);
    const form = readForm(asked.body, asked.url);
    const fields = new URLSearchParams(form.hidden);
    if (form.names.includes('password')) {
      fields.set('username', this.username);
      fields.set('password', this.password);
    }
    fields.set('decision', decision);
    const answer = await this.#open(form.action, { method: 'POST', body: fields, headers: { Origin: new URL(form.action).origin, 'Sec-Fetch-Site': 'same-origin' } });
    assert.equal(answer.status, 200, `the decision is answered with a page, got ${answer.status}: ${answer.body.slice(0, 2000)}`);
    const link = attribute(answer.body, /<a [^>]*id="continue"[^>]*>/, 'href');
    assert.ok(link, `the page leads on:\n${answer.body}`);
    await fetch(link);
    return { page: asked.body, link };
  }

  async #open(url, init = {}) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, ...(cookie && { Cookie: cookie }) } });
    for (const line of response.headers.getSetCookie()) {
      const [pair] = line.split(';');
      this.#cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return { status: response.status, body: await response.text(), url: response.url };
  }
}

function readForm(html, base) {
  const tag = html.match(/<form [^>]*id="authorize"[^>]*>/);
  assert.ok(tag, `the page has the form:\n${html}`);
  const within = html.slice(tag.index, html.indexOf('</form>', tag.index));
  const inputs = [...html.matchAll(/<input [^>]*>/g)].map(([input]) => input).filter((i) => within.includes(i) || i.includes('form="authorize"'));
  const hidden = inputs.filter((i) => i.includes('type="hidden"') || / checked\b/.test(i)).map((i) => [attribute(i, /.*/, 'name'), attribute(i, /.*/, 'value')]);
  return {
    action: new URL(attribute(tag[0], /.*/, 'action'), base).href,
    hidden,
    names: inputs.map((i) => attribute(i, /.*/, 'name')),
  };
}

function attribute(html, tag, name) {
  const value = html.match(tag)?.[0].match(new RegExp(` ${name}="([^"]*)"`))?.[1];
  return value?.replace(/&[a-z#0-9]+;/g, (e) => entities[e] ?? e);
}
