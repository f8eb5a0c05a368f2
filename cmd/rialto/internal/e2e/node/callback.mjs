// The address at which an app waits for its answer: on loopback, as a native
// app does (RFC 8252 section 7.3), or over https.

import http from 'node:http';
import https from 'node:https';
import { once } from 'node:events';

// Pages of apps: one that frames what it should not, one that opens a popup.
const pages = {
  '/frame': (src) => `<!doctype html><title>frame</title><link rel="icon" href="data:,"><iframe src="${src}"></iframe>`,
  '/popup': (src) => `<!doctype html><title>popup</title><link rel="icon" href="data:,">
    <button data-src="${src}" onclick="open(this.dataset.src, 'p', 'width=480,height=720')">Connect</button>
    <script>onmessage = (e) => document.body.append(e.data)</script>`,
};

const escaped = (s) => s.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/**
 * Listens on a free port and keeps what arrives at /callback. With tls, a
 * certificate and its key, it does so over https; with onTo, an address, what
 * arrives is sent on to there.
 */
export async function listen({ tls, onTo } = {}) {
  const arrived = [];
  const waiting = [];
  const answer = (req, res) => {
    const url = new URL(req.url, origin);
    if (pages[url.pathname]) {
      res.setHeader('Content-Type', 'text/html');
      res.end(pages[url.pathname](escaped(url.searchParams.get('src'))));
      return;
    }
    if (url.pathname !== '/callback') {
      res.writeHead(204).end();
      return;
    }
    if (onTo) {
      res.writeHead(302, { Location: onTo + url.search }).end();
      return;
    }
    res.setHeader('Content-Type', 'text/html');
    res.end('<!doctype html><title>The app</title><link rel="icon" href="data:,"><p id="arrived">You can close this window.</p><script>opener?.postMessage("the popup called", "*")</script>');
    const next = waiting.shift();
    next ? next(url.searchParams) : arrived.push(url.searchParams);
  };
  const server = tls ? https.createServer(tls, answer) : http.createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `${tls ? 'https' : 'http'}://127.0.0.1:${server.address().port}`;
  return {
    origin,
    url: `${origin}/callback`,
    /** Resolves with the parameters of the next answer, or rejects in time. */
    next: () =>
      new Promise((resolve, reject) => {
        if (arrived.length > 0) return resolve(arrived.shift());
        const timer = setTimeout(() => reject(new Error('no answer arrived at the callback')), 60_000);
        waiting.push((params) => {
          clearTimeout(timer);
          resolve(params);
        });
      }),
    close: () => server.close(),
  };
}
