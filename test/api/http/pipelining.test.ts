import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, beforeEach, suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { serveInOrder } from '../../../src/api/http/pipelining.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const PAUSE_MS = 200;
/** Node reads at most this much at a time. */
const CHUNK_BYTES = 65_536;

suite('pipelined requests', () => {
  let server: Server;
  let running: { readonly url: string; readonly response: ServerResponse }[] = [];
  let connection: Socket;
  let client: Socket;
  let received = '';
  before(async () => {
    server = createServer(async (request, response) => {
      const body = (await request.setEncoding('utf8').toArray()).join('');
      if (request.url === '/short') response.end();
      else running.push({ url: `${request.url}${body}`, response });
    });
    serveInOrder(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  beforeEach(async () => {
    running = [];
    received = '';
    const accepted = once(server, 'connection');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.setEncoding('utf8').on('data', (text) => (received += text));
    [connection] = (await accepted) as [Socket];
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  async function finishNext(): Promise<string> {
    await waitUntil('a request is served', () => running.length > 0);
    const { url, response } = running.shift() as (typeof running)[number];
    response.end(url);
    return url;
  }

  test('are served one after another', async () => {
    client.write(['/1', '/2', '/3'].map(get).join(''));
    await waitUntil('the first is served', () => running.length > 0);
    await wait(PAUSE_MS);
    assert.equal(running.length, 1);
    for (const path of ['/1', '/2', '/3']) assert.equal(await finishNext(), path);
    await waitUntil('the client has the responses', () => received.endsWith('/3'));
  });

  test('keep their bodies', async () => {
    const post = (path: string, body: string) =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const large = 'x'.repeat(5 * CHUNK_BYTES);
    client.write(post('/1', 'a') + post('/2', large) + get('/3'));
    for (const url of ['/1a', `/2${large}`, '/3']) assert.equal(await finishNext(), url);
  });

  test('are read only when those before are served', async () => {
    const count = 50_000;
    client.write(get('/').repeat(count));
    await waitUntil('the first is served', () => running.length > 0);
    await wait(PAUSE_MS);
    assert.ok(connection.bytesRead <= 2 * CHUNK_BYTES, `${connection.bytesRead} bytes were read`);
    client.destroy();
  });

  test('are all served, however many there are', async () => {
    const count = 10_000;
    client.write(get('/short').repeat(count));
    await waitUntil('the client has the responses', () => received.split('HTTP/1.1 200').length === count + 1);
  });
});

suite('clients that pipeline requests and never read', () => {
  const STUCK_CLIENTS = 30;
  let switchboard: Switchboard;
  before(async () => {
    switchboard = await startSwitchboard({ env: { SWITCHBOARD_WRITE_TIMEOUT: '600' } });
  });
  after(() => switchboard.stop());

  test('do not keep others from being served', async () => {
    const { hostname, port } = new URL(switchboard.url);
    const clients = Array.from({ length: STUCK_CLIENTS }, () => {
      const client = connect(Number(port), hostname).pause();
      client.on('error', () => undefined);
      client.write(get('/openapi.json').repeat(50));
      return client;
    });
    try {
      await Promise.all(clients.map((client) => once(client, 'connect')));
      await wait(PAUSE_MS);
      assert.equal((await fetch(`${switchboard.url}/openapi.json`)).status, 200);
    } finally {
      for (const client of clients) client.destroy();
    }
  });
});

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}
