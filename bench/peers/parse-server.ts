import type { RequestListener } from 'node:http';
import { loadPeer } from './load-peer.ts';
import { PARSE_APPLICATION, PARSE_MASTER_KEY } from './requests.ts';
import { servePeer } from './serve-peer.ts';

/** Parse Server on PostgreSQL. Its arguments: the folder of the installed peers, and an empty database. */

interface ParseServer {
  readonly app: RequestListener;
  start(): Promise<unknown>;
}

const [folder = '', databaseURI = ''] = process.argv.slice(2);
const { ParseServer } = loadPeer<{ ParseServer: new (options: object) => ParseServer }>(folder, 'parse-server');
const parse = new ParseServer({
  databaseURI,
  appId: PARSE_APPLICATION,
  masterKey: PARSE_MASTER_KEY,
  serverURL: 'http://127.0.0.1/',
  verifyServerUrl: false,
  allowCustomObjectId: true,
  silent: true,
  logsFolder: null,
});
await parse.start();
servePeer(parse.app);
