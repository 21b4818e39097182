import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { buildSchema } from 'graphql';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { OPERATION_LIMITS, OperationQueue } from '../../../src/api/graphql-server/operation-queue.ts';
import { SocketServer } from '../../../src/api/graphql-server/sockets.ts';
import { TurnScheduler } from '../../../src/api/graphql-server/turns.ts';
import { withTimeout } from '../../support/waiting/wait.ts';

test('a connection that is lost while its origin is checked does not keep the place of its address', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  let check: (request: IncomingMessage) => Promise<void> = async () => undefined;
  const sockets = new SocketServer<string>(server, {
    path: '/graphql',
    schema: buildSchema('type Query { number: Int }'),
    logger: pino({ level: 'silent' }),
    securityHeaders: {},
    operations: new OperationQueue(OPERATION_LIMITS.visitor, new TurnScheduler(), () => undefined),
    acceptsApiKeys: false,
    canConnect: async (request) => {
      await check(request);
      return true;
    },
    authenticate: async () => 'visitor',
    identify: (viewer) => viewer,
    hasSamePermissions: () => true,
    connectionLimits: { perCaller: 0, perAddress: 1, getAddress: () => 'the address' },
    createContext: () => ({}),
  });
  const open = () => {
    const { port } = server.address() as AddressInfo;
    return new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws').on('error', () => undefined);
  };
  try {
    const { promise: isChecked, resolve: endCheck } = Promise.withResolvers<void>();
    check = async ({ socket }) => {
      socket.destroy(); // as after an error of the connection
      await once(socket, 'close');
      endCheck();
    };
    open();
    await withTimeout('the connection is lost', isChecked);
    check = async () => undefined;
    const next = open();
    next.once('open', () => next.send(JSON.stringify({ type: 'connection_init', payload: { token: 'token' } })));
    const answer = once(next, 'message').then(([data]) => JSON.parse(String(data)).type);
    const refusal = once(next, 'close').then(([code]) => code);
    assert.equal(await withTimeout('an answer', Promise.race([answer, refusal])), 'connection_ack');
    next.terminate();
  } finally {
    sockets.close();
    server.close();
  }
});
