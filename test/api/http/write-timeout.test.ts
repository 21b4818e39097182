import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { disconnectStuckClients } from '../../../src/api/http/write-timeout.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const PIPELINED_REQUESTS = 50;
const WRITE_TIMEOUT_MS = 300;
/** More than the buffers of the operating system hold. */
const LARGE_BODY = Buffer.alloc(32 * 1024 * 1024, 'x');

suite('a client that never reads its responses', () => {
  let switchboard: Switchboard;
  before(async () => {
    const env = { SWITCHBOARD_WRITE_TIMEOUT: String(WRITE_TIMEOUT_MS / 1000) };
    switchboard = await startSwitchboard({ env });
  });
  after(() => switchboard.stop());

  test('is disconnected, also when it sent many requests at once', async () => {
    const clients = Array.from({ length: 5 }, () =>
      openSilentClient(switchboard.url, 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    );
    await Promise.all(clients.map((client) => once(client, 'connect')));
    await waitUntil('the service closed them', async () => (await countConnections(switchboard.url)) === 1);
    for (const client of clients) client.destroy();
  });
});

suite('the write timeout', () => {
  let server: Server;
  before(async () => {
    server = createServer(async (request, response) => {
      if (request.url === '/slow') await wait(3 * WRITE_TIMEOUT_MS);
      response.end(request.url === '/large' ? LARGE_BODY : 'done');
    });
    disconnectStuckClients(server, WRITE_TIMEOUT_MS);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  after(() => server.close());
  const url = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

  test('closes a connection whose response is stuck', async () => {
    const closed = once(server, 'connection').then(([socket]) => once(socket, 'close'));
    const client = openSilentClient(url('/'), 'GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await closed;
    client.destroy();
  });

  test('is the whole time until then', async () => {
    const timeoutMs = 3000;
    const slowServer = createServer((_request, response) => response.end(LARGE_BODY));
    disconnectStuckClients(slowServer, timeoutMs);
    await once(slowServer.listen(0, '127.0.0.1'), 'listening');
    const { port } = slowServer.address() as AddressInfo;
    const closed = once(slowServer, 'connection').then(([socket]) => once(socket, 'close'));
    const start = performance.now();
    const client = openSilentClient(`http://127.0.0.1:${port}`, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await closed;
    const elapsedMs = performance.now() - start;
    client.destroy();
    slowServer.close();
    assert.ok(elapsedMs < 2 * timeoutMs, `${elapsedMs} ms`);
  });

  test('leaves a client with short responses to the keep-alive timeout', async () => {
    const idleServer = createServer({ keepAliveTimeout: 10, keepAliveTimeoutBuffer: 0 }, (_request, response) =>
      response.end('done'),
    );
    disconnectStuckClients(idleServer, 600_000);
    await once(idleServer.listen(0, '127.0.0.1'), 'listening');
    const { port } = idleServer.address() as AddressInfo;
    const closed = once(idleServer, 'connection').then(([socket]) => once(socket, 'close'));
    const client = openSilentClient(`http://127.0.0.1:${port}`, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await closed;
    client.destroy();
    idleServer.close();
  });

  test('does not limit how long the service takes to respond', async () => {
    const response = await fetch(url('/slow'));
    assert.equal(await response.text(), 'done');
  });
});

/** Sends the request many times and reads nothing. */
function openSilentClient(url: string, request: string): Socket {
  const { hostname, port } = new URL(url);
  const client = connect(Number(port), hostname).pause();
  client.on('error', () => undefined);
  client.write(request.repeat(PIPELINED_REQUESTS));
  return client;
}

/** Includes the connection of this request. */
async function countConnections(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text();
  return Number(/^switchboard_connections (\d+)$/m.exec(text)?.[1]);
}
