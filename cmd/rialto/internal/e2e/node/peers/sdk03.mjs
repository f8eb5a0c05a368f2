import * as server from 'a2a-js-03/server';
import * as web from 'a2a-js-03/server/express';
import * as rpc from 'a2a-js-03/server/grpc';
import { serveOver } from './serve03.mjs';

export const serve = (at) => serveOver(server, web, rpc, at);
