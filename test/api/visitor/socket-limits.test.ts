import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import type { Socket } from '../../support/clients/subscriptions.ts';
import { openSite, type Site, type SiteVisitor } from '../../support/fixtures/site.ts';
import { waitUntil, withTimeout } from '../../support/waiting/wait.ts';

const PER_VISITOR = 3;
const PER_ADDRESS = 6;
let site: Site;
before(async () => {
  site = await openSite({
    env: {
      SWITCHBOARD_VISITOR_SOCKETS: String(PER_VISITOR),
      SWITCHBOARD_VISITOR_ADDRESS_SOCKETS: String(PER_ADDRESS),
    },
  });
});
after(() => site.stop());

/** Opens a socket and waits until it answers; returns its close code if it is refused instead. */
async function connect(visitor: SiteVisitor): Promise<{ socket: Socket; code: number | undefined; reason: string }> {
  const socket = visitor.openSocket();
  const closed = socket.closed.then(({ code, reason }) => ({ socket, code, reason }));
  const answered = socket.run('{eventPosition}').then(
    () => ({ socket, code: undefined, reason: '' }),
    () => closed,
  );
  return withTimeout('a socket answers or is closed', Promise.race([answered, closed]));
}

/** Other connections may still be closing. */
async function connectAgain(visitor: SiteVisitor): Promise<Socket> {
  let opened: Socket | undefined;
  await waitUntil('a connection is admitted', async () => {
    const { socket, code } = await connect(visitor);
    if (code === undefined) opened = socket;
    return code === undefined;
  });
  return opened as Socket;
}

test('a visitor has a limited number of sockets, and a closed one makes room', async () => {
  const visitor = await site.createVisitor();
  const open = [];
  for (let times = 0; times < PER_VISITOR; times += 1) open.push(await connect(visitor));
  assert.deepEqual(
    open.map(({ code }) => code),
    Array(PER_VISITOR).fill(undefined),
  );
  const refused = await connect(visitor);
  assert.equal(refused.code, 4429);
  assert.match(refused.reason, /Too many connections of this visitor/);
  const other = await connect(await site.createVisitor());
  assert.equal(other.code, undefined, 'other visitors are not affected');
  open[0]?.socket.end();
  const again = await connectAgain(visitor);
  for (const socket of [again, other.socket, ...open.map((entry) => entry.socket)]) socket.end();
});

test('an address has a limited number of sockets, and every way to close one makes room', async () => {
  const raw: WebSocket[] = [];
  const openRaw = () => {
    const socket = new WebSocket(`${site.url.replace('http', 'ws')}/visitor/graphql`, 'graphql-transport-ws');
    raw.push(socket);
    return socket;
  };
  const taken: Socket[] = [];
  for (const visitor of [await site.createVisitor(), await site.createVisitor()])
    for (let times = 0; times < PER_VISITOR; times += 1) taken.push(await connectAgain(visitor));
  assert.equal(taken.length, PER_ADDRESS);
  /** One that was admitted would be closed with another code, because it says nothing. */
  const refuse = () =>
    new Promise<number>((resolve) => {
      const socket = openRaw();
      socket.on('error', () => resolve(429));
      socket.once('close', (code) => resolve(code));
    });
  const results = await withTimeout('all are refused', Promise.all(Array.from({ length: 40 }, refuse)));
  assert.ok(results.includes(4429), String(results));
  for (const result of results) assert.ok(result === 4429 || result === 429, String(results));

  // The clients close all; then others leave without a close frame, and the service closes those that say nothing.
  for (const socket of taken) socket.end();
  const visitor = await site.createVisitor();
  (await connectAgain(visitor)).end();
  for (const leave of [(socket: WebSocket) => socket.terminate(), () => undefined]) {
    for (let times = 0; times < PER_ADDRESS; times += 1) {
      const socket = openRaw().on('error', () => undefined);
      socket.once('open', () => leave(socket));
    }
    await withTimeout(
      'all are closed',
      Promise.all(
        raw
          .filter(({ readyState }) => readyState !== WebSocket.CLOSED)
          .map((socket) => new Promise((resolve) => socket.once('close', resolve))),
      ),
    );
    (await connectAgain(visitor)).end();
  }
});
