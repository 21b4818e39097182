import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { buildSchema, type ExecutionResult } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { openSocket, type Socket } from '../../../web/widget/panel/conversation/service/socket.ts';

let server: Server;
let sockets: WebSocketServer;
let url: string;
before(async () => {
  server = createServer();
  sockets = new WebSocketServer({ server });
  const schema = buildSchema('type Query { a: Int } type Subscription { count(to: Int!): Int, fail: Int, wait: Int }');
  async function* count({ to }: { to: number }) {
    for (let value = 1; value <= to; value++) yield { count: value };
  }
  const roots = {
    subscription: {
      count,
      fail: () => {
        throw new Error('The position is too old.');
      },
      wait: async function* () {
        await new Promise(() => undefined);
        yield { wait: 1 };
      },
    },
  };
  useServer({ schema, roots, onConnect: ({ connectionParams }) => connectionParams?.token === 'good' }, sockets);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  sockets.close();
  for (const client of sockets.clients) client.terminate();
  server.close();
});

/** Opens a connection; `closed` is its close code. */
function connect(token: string) {
  const closed = Promise.withResolvers<number>();
  const ready = Promise.withResolvers<Socket>();
  const socket = openSocket(url, token, { onReady: () => ready.resolve(socket), onClose: closed.resolve });
  return { ready: ready.promise, closed: closed.promise };
}

function collect(socket: Socket, query: string, variables = {}) {
  const values: unknown[] = [];
  return new Promise<{ values: unknown[]; hasFailed: boolean }>((resolve) => {
    socket.subscribe<ExecutionResult>(
      query,
      variables,
      (data) => values.push(data),
      (hasFailed) => resolve({ values, hasFailed }),
    );
  });
}

test('subscriptions on one connection get their own values, and their end', async () => {
  const { ready, closed } = connect('good');
  const socket = await ready;
  const query = 'subscription($to: Int!) { count(to: $to) }';
  const results = await Promise.all([collect(socket, query, { to: 3 }), collect(socket, query, { to: 1 })]);
  assert.deepEqual(results, [
    { values: [{ count: 1 }, { count: 2 }, { count: 3 }], hasFailed: false },
    { values: [{ count: 1 }], hasFailed: false },
  ]);
  socket.close();
  assert.equal(await closed, 1000);
});

test('a subscription that is refused has failed, and the others go on', async () => {
  const { ready, closed } = connect('good');
  const socket = await ready;
  assert.deepEqual(await collect(socket, 'subscription { fail }'), { values: [], hasFailed: true });
  assert.deepEqual(await collect(socket, 'subscription { unknown }'), { values: [], hasFailed: true });
  assert.deepEqual((await collect(socket, 'subscription { count(to: 1) }')).hasFailed, false);
  socket.close();
  await closed;
});

test('the close code of a refused token and of a lost connection is told once', async () => {
  assert.equal(await connect('bad').closed, 4403);
  const { ready, closed } = connect('good');
  const socket = await ready;
  let hasEnded = false;
  void collect(socket, 'subscription { wait }').then(() => {
    hasEnded = true;
  });
  for (const client of sockets.clients) client.close(4401, 'The token has ended');
  assert.equal(await closed, 4401);
  assert.equal(hasEnded, false, 'a lost connection is not the end of a subscription');
});

test('a server that cannot be reached is told as closed', async () => {
  const socket = Promise.withResolvers<number>();
  openSocket('ws://127.0.0.1:1', 'good', { onReady: () => assert.fail('there is no server'), onClose: socket.resolve });
  assert.equal(typeof (await socket.promise), 'number');
});
