import * as server from 'a2a-js-037/server';
import * as web from 'a2a-js-037/server/express';
import { serveOver } from './serve03.mjs';

export const serve = (at) => serveOver(server, web, null, at);
