// The task card in a real browser, in the host of the official package: its
// AppBridge runs here, and a page of ours carries the messages between it and
// the frame of the card. The tools are called by the official client. The frame
// has the sandbox and the policy that the specification names, as strict as can
// be: it may connect only to what the resource names. RIALTO_CHROMIUM is the program, RIALTO_TOKEN a token, RIALTO_GATE opens
// the gates of the agent; RIALTO_SCREENSHOTS, if set, is the folder for pictures,
// and RIALTO_DOC_IMAGES that for those of the documentation.

import http from 'node:http';
import { once } from 'node:events';
import path from 'node:path';
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { accessible } from './axe.mjs';
import { assert, done, env, run } from './report.mjs';
import { launch, open } from './tab.mjs';

const shots = process.env.RIALTO_SCREENSHOTS;
const images = process.env.RIALTO_DOC_IMAGES;
/** The policy of a frame that may connect to domains. */
const policy = (domains) => `default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src ${domains.join(' ') || "'none'"}; frame-src 'none'; base-uri 'none'; form-action 'none'`;

/** What the card is shown in: two languages and themes, wide and narrow. */
const views = [['en-US', 'light', 720], ['es-ES', 'dark', 720], ['en-GB', 'dark', 390], ['es', 'light', 390]].map(([locale, theme, width]) => ({
  locale, theme, width, name: `${locale}-${theme}-${width}`, words: (english, spanish) => (locale.startsWith('es') ? spanish : english),
}));

const chats = []; // all that were opened

await run(async () => {
  const client = await connect();
  const card = await linked(client);
  const web = await host(card);
  const browser = await launch();
  const look = (options) => show(browser, web.origin, client, options);
  try {
    for (const view of views) await story(look, client, view);
    for (const view of views) await files(look, client, view);
    await waiting(look, client);
    await slow(look, client);
    await Promise.all(views.map((view) => lost(look, client, view)));
    await appeared(look, client);
    await tornDown(look, client);
    for (const view of views) await canceled(look, client, view);
    await hostile(look, client);
    await large(look, client);
    await rich(look, client);
    await choices(look, client);
    await told(look, client);
    await without(look, client);
  } catch (err) {
    for (const chat of chats) await describe(chat).catch((e) => console.error('the chat cannot be described:', e));
    throw err;
  } finally {
    await browser.close();
    web.server.close();
  }
});

/** Connects the official client, which declares MCP Apps. */
async function connect() {
  const transport = new StreamableHTTPClientTransport(new URL(env('RIALTO_URL')), { requestInit: { headers: { Authorization: `Bearer ${env('RIALTO_TOKEN')}` } } });
  const client = new Client({ name: 'card-host', version: '1' }, {
    versionNegotiation: { mode: { pin: '2026-07-28' } },
    capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } },
  });
  await client.connect(transport);
  return client;
}

/** Reads the card as hosts do: from the tools that are linked with it. */
async function linked(client) {
  const { tools } = await client.listTools();
  const uri = tools.find((x) => x.name === 'send_task')._meta.ui.resourceUri;
  const shown = tools.filter((x) => x._meta?.ui?.resourceUri === uri).map((x) => x.name);
  assert.deepEqual(shown.sort(), ['get_task', 'report', 'send_task']);
  const { contents } = await client.readResource({ uri });
  assert.equal(contents[0].mimeType, 'text/html;profile=mcp-app');
  done('linked', { shown, bytes: contents[0].text.length });
  const domains = contents[0]._meta.ui.csp.connectDomains;
  assert.deepEqual(domains, [new URL(env('RIALTO_URL')).origin]);
  return { text: contents[0].text, domains };
}

/** Serves the page of the host, and the card in a frame of it. */
async function host(card) {
  const page = `<!doctype html><html lang="en"><title>Host</title><link rel="icon" href="data:,">
    <style>body{margin:0;padding:16px;background:#fff}body.dark{background:#161615}iframe{border:0;width:100%;display:block;height:60px}</style>
    <main><h1 style="position:absolute;clip-path:inset(50%)">Chat</h1><iframe title="Task card" sandbox="allow-scripts"></iframe></main>
    <script>const f = document.querySelector('iframe');
    addEventListener('message', (e) => { if (e.source === f.contentWindow) toBridge(e.data); else foreign(String(e.data)); });
    globalThis.toCard = (m) => f.contentWindow.postMessage(m, '*');</script>`;
  const server = http.createServer((req, res) => {
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    if (req.url === '/card') res.setHeader('Content-Security-Policy', policy(card.domains));
    res.end(req.url === '/card' ? card.text : page);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

/** Prints what an open chat shows, for the reader of an error. */
async function describe({ page, frame, seen, wrong, name }) {
  if (page.isClosed()) return;
  console.error(name, seen, wrong, await frame.locator('body').innerText({ timeout: 5000 }));
  if (shots) await page.screenshot({ path: path.join(shots, `card-problem-${name}.png`), fullPage: true });
}

/** Opens a chat with the card in it. */
async function show(browser, origin, client, { locale = 'en', theme = 'light', width = 720, capabilities = {}, context = {}, prepare = async () => {} } = {}) {
  const tab = await open(browser, { viewport: { width, height: 900 }, reducedMotion: 'reduce', colorScheme: 'light' });
  const seen = { links: [], messages: [], contexts: [], sizes: [], downloads: [], calls: [], foreign: [], reads: [], modes: [] };
  const bridge = new AppBridge(null, { name: 'host', version: '1' },
    { openLinks: {}, serverTools: {}, serverResources: {}, updateModelContext: { text: {} }, message: { text: {} }, downloadFile: {}, ...capabilities },
    { hostContext: { theme, locale, timeZone: 'Europe/Madrid', displayMode: 'inline', availableDisplayModes: ['inline'], containerDimensions: { maxHeight: 2000 }, ...context } });
  const name = `chat-${chats.length}-${locale}-${theme}-${width}`;
  const chat = { ...tab, name, bridge, seen, broken: async () => false, frame: null };
  if (!('serverTools' in capabilities)) bridge.oncalltool = async (params) => {
    seen.calls.push(params.name);
    if (await chat.broken()) throw new Error('fetch failed');
    return client.callTool(params);
  };
  bridge.onreadresource = (params) => { seen.reads.push(params.uri); return client.readResource(params); };
  bridge.onrequestdisplaymode = async ({ mode }) => { seen.modes.push(mode); return { mode }; };
  bridge.onopenlink = async ({ url }) => { seen.links.push(url); return {}; };
  bridge.onmessage = async (m) => { seen.messages.push(m); return {}; };
  bridge.onupdatemodelcontext = async (m) => { seen.contexts.push(m); return {}; };
  bridge.ondownloadfile = async (m) => { seen.downloads.push(m); return {}; };
  bridge.onsizechange = ({ height }) => { seen.sizes.push(height); tab.page.evaluate((h) => { document.querySelector('iframe').style.height = `${h}px`; }, height).catch(() => {}); };
  const initialized = new Promise((resolve) => { bridge.oninitialized = resolve; });
  const transport = {
    start: async () => {}, close: async () => {},
    send: (m) => tab.page.evaluate((x) => globalThis.toCard(x), m),
  };
  await tab.page.exposeFunction('toBridge', (m) => transport.onmessage?.(m));
  await tab.page.exposeFunction('foreign', (m) => seen.foreign.push(m));
  await bridge.connect(transport);
  await prepare(tab.page);
  await tab.page.goto(origin);
  await tab.page.evaluate((dark) => { document.body.className = dark ? 'dark' : ''; document.querySelector('iframe').src = '/card'; }, theme === 'dark');
  await initialized;
  chat.frame = tab.page.frames()[1];
  tab.context.setDefaultTimeout(30_000);
  chats.push(chat);
  return chat;
}

/** Calls a tool as the model does, and gives the card what hosts give it. */
async function ask(chat, client, name, args) {
  await chat.bridge.sendToolInput({ arguments: args });
  const result = await client.callTool({ name, arguments: args });
  await chat.bridge.sendToolResult(result);
  return result.structuredContent;
}

/** Waits until the badge of the card says a state. */
function says(chat, text) {
  return chat.frame.locator('#badge').filter({ hasText: text }).waitFor();
}

/** What every state owes to people: axe, no scrolling sideways, nothing wrong in the console. */
async function fine(chat, name, image) {
  await chat.page.waitForFunction(() => { // the frame has the height that the card reported
    const f = document.querySelector('iframe');
    return f.getBoundingClientRect().height > 70;
  });
  await chat.frame.waitForFunction(() => Math.abs(innerHeight - document.body.getBoundingClientRect().height) <= 1);
  await accessible(chat.frame, name); // the page around it is ours, and axe would look at the frame again
  const over = await chat.frame.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(over <= 0, `${name}: the card is ${over} pixels wider than its frame`);
  assert.deepEqual(chat.wrong, [], `${name}: nothing went wrong in the browser`);
  if (shots) await chat.page.screenshot({ path: path.join(shots, `card-${name}.png`), fullPage: true });
  if (images && image) await chat.page.locator('iframe').screenshot({ path: path.join(images, `task-card-${image}.png`) });
}

/** A question, its answer, a table with a file, and a failure: in one language and theme. */
async function story(look, client, { name, words: w, ...view }) {
  let chat = await look(view);
  await ask(chat, client, 'send_task', { agent: 'analyst', message: 'Write the quarterly report about storm claims' });
  await says(chat, w('Needs an answer', 'Espera una respuesta'));
  assert.equal(await chat.frame.getAttribute('html', 'lang'), w('en', 'es'));
  assert.equal(await chat.frame.evaluate(() => getComputedStyle(document.documentElement).colorScheme), view.theme);
  const send = chat.frame.getByRole('button', { name: w('Send the answer', 'Enviar la respuesta') });
  await send.click();
  await chat.frame.getByText(w('Fill this in.', 'Rellena este campo.')).waitFor();
  await fine(chat, `question-${name}`, name === 'en-US-light-720' ? 'question' : name === 'es-light-390' ? 'question-es' : '');
  await chat.frame.getByLabel('Q3').focus();
  await chat.page.keyboard.press('Space');
  await chat.frame.getByLabel('Region').fill('North');
  await chat.frame.getByLabel('Claims at least').fill('25');
  await chat.frame.getByLabel('Region').press('Enter');
  await says(chat, w('Done', 'Terminada'));
  await chat.frame.getByText('Written:').waitFor();
  await chat.frame.getByRole('button', { name: w('Use in the chat', 'Usar en el chat') }).click();
  await fine(chat, `answered-${name}`);
  assert.equal(chat.seen.contexts.length, 1, 'the model is told once');
  assert.equal(chat.seen.messages.length, 1);
  await chat.bridge.teardownResource({});
  await chat.context.close();

  chat = await look(view);
  await ask(chat, client, 'send_task', { agent: 'analyst', message: 'Break the warehouse' });
  await says(chat, w('Failed', 'Fallida'));
  await chat.frame.getByText('The data warehouse did not answer in time.').waitFor();
  await fine(chat, `failed-${name}`, name === 'en-US-light-720' ? 'failed' : '');
  await chat.context.close();
  done('question, answer, failure', { name });
}

/** A task that waits for two files: one is picked after another that is refused, one is dropped. */
async function files(look, client, { name, words: w, ...view }) {
  const asked = await client.callTool({ name: 'request_upload', arguments: { files: [
    { name: 'claims-of-the-third-quarter.pdf', mime_type: 'application/pdf' }, { name: 'notes.txt', mime_type: 'text/plain' },
  ] } });
  const { uploads } = asked.structuredContent;
  const chat = await look(view);
  await ask(chat, client, 'send_task', { agent: 'analyst', message: 'Sum up the claims', files: uploads.map((u) => ({ upload: u.id })) });
  await says(chat, w('Needs a file', 'Espera un archivo'));
  const picker = chat.frame.getByLabel(w('Choose claims-', 'Elige claims-'));
  assert.equal(await picker.getAttribute('multiple'), null);
  await fine(chat, `files-${name}`);
  const pdf = Buffer.alloc(15 << 20, 'claims '); // of the size that models cannot type
  pdf.write('%PDF-1.7\n');
  await picker.setInputFiles({ name: 'words.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no PDF') });
  await chat.frame.getByText(w('This file is of another type', 'El archivo es de otro tipo')).waitFor();
  assert.equal(chat.wrong.length, 1, 'the browser tells of the 415');
  chat.wrong.length = 0;
  await fine(chat, `files-refused-${name}`);
  await chat.frame.getByRole('link', { name: w('Send it on the server', 'Enviarlo en el servidor') }).first().click();
  await poll(() => chat.seen.links.length === 1);
  assert.equal(chat.seen.links[0], uploads[0].page_url);
  await picker.setInputFiles({ name: 'x.pdf', mimeType: 'application/pdf', buffer: pdf });
  await chat.frame.locator('#question').getByText(w('Sent: claims-', 'Enviado: claims-')).waitFor();
  await fine(chat, `files-one-${name}`);
  await chat.frame.locator('.drop').evaluate((zone) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['some words'], 'y.txt'));
    zone.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
  await says(chat, w('Done', 'Terminada'));
  await chat.frame.getByText('Written: Sum up the claims').waitFor();
  await fine(chat, `files-done-${name}`);
  await chat.context.close();
  done('files', { name });
}

/** While the call waits, the card finds the task and shows its progress; then a table and a file. */
async function waiting(look, client) {
  const args = { agent: 'analyst', message: 'Compare open claims and costs by region for the last four quarters', wait: 60 };
  const views = [await look({ theme: 'light' }), await look({ theme: 'dark', width: 390, locale: 'es-MX' })];
  const [light, dark] = views;
  await light.bridge.sendToolInput({ arguments: args });
  const answered = client.callTool({ name: 'send_task', arguments: args });
  for (const [i, step] of ['Reading the table claims', 'Grouping by region', 'Checking the sums'].entries()) {
    await light.frame.locator('#steps .now').getByText(step).waitFor();
    if (i < 2) await fetch(`${env('RIALTO_GATE')}/compare${i}`);
  }
  assert.equal(await light.frame.locator('#steps li').count(), 3, 'the steps so far');
  await fine(light, 'working-light', 'working');
  const { tasks } = (await client.callTool({ name: 'list_tasks', arguments: { limit: 1 } })).structuredContent;
  await dark.bridge.sendToolInput({ arguments: { task_id: tasks[0].task_id } }); // as get_task does
  await dark.frame.locator('#steps').getByText('Checking the sums against the ledger').waitFor();
  await fine(dark, 'working-dark');
  await fetch(`${env('RIALTO_GATE')}/compare2`);
  await light.bridge.sendToolResult(await answered);
  await says(light, 'Done');
  await says(dark, 'Terminada');
  await dark.frame.getByRole('button', { name: 'Mostrar las 12 filas' }).click();
  const first = () => light.frame.locator('tbody tr').first().locator('td').first().textContent();
  const sort = light.frame.getByRole('button', { name: 'cost' });
  await sort.click();
  await sort.press('Enter'); // descending, by keyboard
  assert.equal(await light.frame.locator('th[aria-sort="descending"]').textContent(), 'cost');
  assert.equal(await first(), 'Plains');
  await fine(light, 'result-light', 'result');
  await fine(dark, 'result-dark', 'result-dark');
  await light.frame.getByRole('button', { name: 'Download claims.csv' }).click();
  await light.frame.getByRole('link', { name: 'the method' }).click();
  await light.frame.getByRole('button', { name: 'Open on the server' }).click();
  await poll(() => light.seen.links.length === 2 && light.seen.downloads.length === 1);
  assert.equal(light.seen.links[0], 'https://example.com/method');
  assert.ok(light.seen.links[1].startsWith(new URL(env('RIALTO_URL')).origin), light.seen.links[1]);
  const file = await fetch(light.seen.downloads[0].contents[0].uri);
  assert.match(await file.text(), /^region,claims/);
  const calls = light.seen.calls.length;
  light.bridge.sendHostContextChange({ theme: 'dark' });
  await light.frame.locator('html[data-theme="dark"]').waitFor();
  const sizes = light.seen.sizes.length;
  await light.page.waitForTimeout(1500);
  assert.equal(light.seen.sizes.length, sizes, 'the size settles');
  assert.equal(light.seen.calls.length, calls, 'a task that has ended is not polled');
  for (const chat of views) await chat.context.close();
  done('working, table, file', { sizes });
}

/** A task that outlasts its call: the card follows it, and tells the model. */
async function slow(look, client) {
  const chat = await look();
  const info = await ask(chat, client, 'report', { message: 'Follow the claims', wait: 0 });
  assert.ok(['submitted', 'working'].includes(info.state));
  await says(chat, 'Working');
  await fetch(`${env('RIALTO_GATE')}/follow`);
  await says(chat, 'Done');
  await poll(() => chat.seen.contexts.length === 1);
  await chat.context.close();
  done('followed', { polls: chat.seen.calls.length });
}

/**
 * A connection that is lost, shown, and comes back when somebody presses "Try now". The card tries again
 * without that as well, so the connection is lost until the press, however long the steps before it take.
 */
async function lost(look, client, { name, words: w, ...view }) {
  const chat = await look(view);
  await ask(chat, client, 'send_task', { agent: 'analyst', message: 'Watch the storm', wait: 0 });
  await chat.frame.locator('#steps').getByText('Waiting for the storm').waitFor();
  const retry = chat.frame.locator('#retry');
  await retry.evaluate((button) => button.addEventListener('click', () => {
    button.dataset.pressed = 'true';
    setTimeout(() => { button.dataset.tries = button.disabled; }); // after the timer of the card
  }));
  const pressed = async () => await retry.getAttribute('data-pressed') === 'true';
  chat.broken = async () => !await pressed();
  await chat.frame.getByText(w('The connection is lost.', 'Se ha perdido la conexión.')).waitFor();
  await fine(chat, `lost-${name}`, name === 'en-US-light-720' ? 'lost' : '');
  const again = chat.frame.getByRole('button', { name: w('Try now', 'Intentar ahora') });
  do await again.click(); while (!await pressed()); // it is disabled while the card tries
  await chat.frame.locator('#lost').waitFor({ state: 'hidden' });
  assert.equal(await retry.getAttribute('data-tries'), 'true', 'the card tries at once');
  await chat.context.close();
  done('lost and found', { name });
}

/** A card that comes on screen while the browser is busy, so that it learns that and the time before at once. */
async function appeared(look, client) {
  const chat = await look({ prepare: (page) => page.addInitScript(() => {
    const Real = IntersectionObserver;
    globalThis.IntersectionObserver = class extends Real {
      constructor(f) { super((changes) => f([{ isIntersecting: false }, ...changes])); }
    };
  }) });
  await ask(chat, client, 'send_task', { agent: 'analyst', message: 'Write about hail' });
  await chat.frame.getByRole('button', { name: 'Send the answer' }).waitFor();
  await chat.context.close();
  done('appeared');
}

/** A card that is torn down while its task works. */
async function tornDown(look, client) {
  const chat = await look();
  await ask(chat, client, 'send_task', { agent: 'analyst', message: 'Watch the tide', wait: 0 });
  await chat.frame.locator('#steps').getByText('Waiting for the tide').waitFor();
  await chat.bridge.teardownResource({});
  const calls = chat.seen.calls.length;
  await chat.page.waitForTimeout(4000);
  assert.ok(chat.seen.calls.length <= calls + 1, 'a card that was torn down does not poll');
  await chat.context.close();
  done('torn down');
}

async function canceled(look, client, { name, words: w, ...view }) {
  const chat = await look(view);
  await ask(chat, client, 'send_task', { agent: 'analyst', message: 'Watch the harbor', wait: 0 });
  await chat.frame.getByRole('button', { name: w('Cancel task', 'Cancelar tarea') }).click();
  await chat.frame.getByText(w('Cancel this task?', '¿Cancelar esta tarea?')).waitFor();
  await fine(chat, `cancel-${name}`, name === 'en-GB-dark-390' ? 'cancel' : '');
  await chat.page.keyboard.press('Shift+Tab'); // from "Keep it" to "Cancel task"
  await chat.page.keyboard.press('Enter');
  await says(chat, w('Canceled', 'Cancelada'));
  await fine(chat, `canceled-${name}`);
  await chat.context.close();
  done('canceled', { name });
}

/** What a rogue agent writes is text. */
async function hostile(look, client) {
  const chat = await look();
  await ask(chat, client, 'send_task', { agent: 'analyst', message: 'Hostile <b>words</b>' });
  await says(chat, 'Done');
  assert.equal(await chat.frame.locator('img, script:not(body > script), iframe, main b').count(), 0, 'no element of theirs');
  for (const a of await chat.frame.locator('a').all()) assert.equal(await a.getAttribute('href'), 'https://example.com/ok');
  assert.deepEqual(chat.seen.foreign, []);
  assert.ok(!JSON.stringify(chat.seen).includes('taken'));
  await fine(chat, 'hostile');
  await chat.context.close();
  done('hostile');
}

/** Ten thousand rows, which come on several pages: sorted in pieces. The frame blocks for 20 to 110 ms, and would for seconds. */
async function large(look, client) {
  let took;
  for (let attempt = 0; attempt < 3; attempt++) { // on a busy machine the processor is away
    took = await sorting(look, client);
    if (took.longest <= 500) break;
  }
  for (const [column, ms] of Object.entries(took.sorts)) assert.ok(ms < 5000, `${column} is sorted in ${ms} ms`);
  assert.ok(took.longest <= 500, `the frame blocks for ${took.longest} ms`);
  done('ten thousand rows', took);
}

async function sorting(look, client) {
  const chat = await look({ context: { availableDisplayModes: ['inline', 'fullscreen'] } });
  await chat.frame.evaluate(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => { for (const e of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, e.duration); }).observe({ type: 'longtask', buffered: true });
  });
  await ask(chat, client, 'send_task', { agent: 'analyst', message: 'List all claims' });
  await chat.frame.getByRole('button', { name: 'Show all 10000 rows' }).click();
  const sorts = {};
  for (const [column, first, last] of [['claimant', 'Claimant 00000', 'Claimant 09999'], ['cost', '0.00', '24,999.00']]) {
    const began = Date.now();
    await chat.frame.getByRole('button', { name: column }).click();
    await chat.frame.locator('th[aria-sort="ascending"]').filter({ hasText: column }).waitFor();
    sorts[column] = Date.now() - began;
    assert.ok(await chat.frame.getByRole('row').filter({ hasText: first }).first().isVisible(), `${column} begins with ${first}`);
    await chat.frame.locator('.window').evaluate((box) => { box.scrollTop = box.scrollHeight; });
    await chat.frame.getByRole('row').filter({ hasText: last }).first().waitFor();
    await chat.frame.locator('.window').evaluate((box) => { box.scrollTop = 0; });
  }
  const [longest, rows] = await chat.frame.evaluate(() => [globalThis.longest, document.querySelectorAll('tbody tr').length]);
  assert.ok(rows < 200, `${rows} rows are in the document`);
  await chat.frame.getByRole('button', { name: 'Full screen' }).click();
  await chat.frame.getByRole('button', { name: 'Back to the chat' }).click();
  await poll(() => chat.seen.modes.join() === 'fullscreen,inline');
  await fine(chat, 'large');
  await chat.context.close();
  return { sorts, longest, pages: chat.seen.calls.length };
}

/** A picture, bars in cells, nested lists, long keys, and blanks. */
async function rich(look, client) {
  const chat = await look();
  await ask(chat, client, 'send_task', { agent: 'analyst', message: 'Draw the claims' });
  const picture = chat.frame.getByRole('img', { name: 'chart.png' });
  await picture.waitFor();
  assert.equal(await picture.evaluate((img) => img.decode().then(() => img.naturalWidth)), 200);
  assert.deepEqual(await chat.frame.locator('td').first().textContent(), 'a | b');
  assert.equal(await chat.frame.locator('ul > li > ul > li > ol > li').textContent(), 'innermost');
  const key = await chat.frame.locator('dt').boundingBox();
  const value = await chat.frame.locator('dd').boundingBox();
  assert.ok(value.width > 200 && key.width > 100, `the key is ${key.width} and the value ${value.width} pixels wide`);
  await fine(chat, 'rich');
  await chat.context.close();
  done('picture, bars, lists, keys, blanks');
}

/** Several choices, and what only the server finds wrong, beside its field. */
async function choices(look, client) {
  const chat = await look();
  await ask(chat, client, 'send_task', { agent: 'analyst', message: 'Choose the regions' });
  await chat.frame.getByLabel('North').check();
  await chat.frame.getByLabel('Years').fill('2025\n1999');
  const send = chat.frame.getByRole('button', { name: 'Send the answer' });
  await send.click();
  await chat.frame.getByText('Enter at least 2 values.').waitFor();
  assert.equal(await chat.frame.getByLabel('Years').getAttribute('aria-invalid'), 'true');
  await fine(chat, 'choices');
  await chat.frame.getByLabel('East').check();
  await chat.frame.getByLabel('Years').fill('2025\n2026');
  await send.click();
  await says(chat, 'Done');
  await chat.frame.getByText('North, East').waitFor();
  await chat.context.close();
  done('choices');
}

/** The chat is asked to tell when a task is done. */
async function told(look, client) {
  const chat = await look();
  const { task_id: id } = await ask(chat, client, 'send_task', { agent: 'analyst', message: 'Watch the coast', wait: 0 });
  await chat.frame.getByRole('button', { name: 'Tell me when it is done' }).click();
  await chat.frame.getByText('The chat will tell you.').waitFor();
  const text = chat.seen.messages[0].content[0].text;
  assert.ok(text.includes('task.changed') && text.includes(`{"task_id": "${id}", "states"`), text);
  await chat.context.close();
  done('told');
}

/** A host that lets the card call and open nothing shows what the model got, and the address. */
async function without(look, client) {
  const chat = await look({ capabilities: { serverTools: undefined, openLinks: undefined } });
  await ask(chat, client, 'send_task', { agent: 'analyst', message: 'Write a report' });
  await chat.frame.getByRole('button', { name: 'Answer on the server' }).click();
  const address = await chat.frame.getByLabel('Copy this address').inputValue();
  assert.ok(address.startsWith(new URL(env('RIALTO_URL')).origin), address);
  assert.equal(await chat.frame.evaluate(() => String(getSelection())), address, 'it can be copied at once');
  assert.deepEqual([chat.seen.calls, chat.seen.links], [[], []]);
  await fine(chat, 'without');
  await chat.context.close();
  done('without tools');
}

async function poll(f) {
  for (const end = Date.now() + 30000; !f();) {
    assert.ok(Date.now() < end, `timed out: ${f}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
