// Serves an agent with one of the A2A JavaScript SDKs, and says where:
//
//   node peers/server.mjs 0.2.5|0.3.7|0.3.14|1.3.0 JSONRPC|HTTP+JSON|GRPC 0.2|0.3|1.0
//
// The first word of a message says what the agent does: echo, say, ask, auth,
// files, hang, throw (before 1.0), and wait, which goes on after the next POST to /release.

import { createServer } from 'node:http';
import express from 'express';

const [version, binding, generation] = process.argv.slice(2);
const gate = {};
const close = () => { gate.opened = new Promise((open) => { gate.open = open; }); };
close();

const app = express();
const http = createServer(app);
await new Promise((ready) => http.listen(0, '127.0.0.1', ready));
const url = `http://127.0.0.1:${http.address().port}`;
app.post('/release', (_, res) => { gate.open(); close(); res.end(); });

const { serve } = await import({ '0.2.5': './sdk02.mjs', '0.3.7': './sdk037.mjs', '0.3.14': './sdk03.mjs', '1.3.0': './sdk10.mjs' }[version]);
await serve({ app, url, binding, gate, generation });
console.log(JSON.stringify({ url }));
