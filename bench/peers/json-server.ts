import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { loadPeer } from './load-peer.ts';
import { servePeer } from './serve-peer.ts';

/** json-server, with the data in memory. Its arguments: the folder of the installed peers, and the file of the data. */

interface JsonServer {
  create(): RequestListener & { use(handler: unknown): void };
  defaults(options: object): unknown;
  router(data: object): unknown;
}

const [folder = '', file = ''] = process.argv.slice(2);
const jsonServer = loadPeer<JsonServer>(folder, 'json-server');
const application = jsonServer.create();
application.use(jsonServer.defaults({ logger: false, noGzip: true }));
application.use(jsonServer.router(JSON.parse(readFileSync(file, 'utf8'))));
servePeer(application);
