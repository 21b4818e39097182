import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createApp } from '../../../src/api/http/app.ts';
import { Metrics } from '../../../src/api/http/metrics.ts';
import { QuickReads } from '../../../src/api/http/quick-reads.ts';
import { RouteTable } from '../../../src/api/http/route-table.ts';
import { createFallbackHandlers } from '../../../src/api/rest/rest.ts';
import { createOverloadPolicies } from '../../../src/app/overload-policies.ts';

const DEPRECATION = { deprecatedSince: new Date(0), sunset: undefined };
const LONG_MS = 60_000;

suite('a client that has left', () => {
  let app: FastifyInstance;
  let url: string;
  const addresses: (string | undefined)[] = [];
  before(async () => {
    const observers = { logger: pino({ level: 'silent' }), metrics: new Metrics() };
    const responses = { corsOrigins: [], compresses: false, securityHeaders: {} };
    const options = {
      isWebSocketUrl: () => false,
      routes: new RouteTable(),
      quickReads: new QuickReads({ ...observers, ...responses }),
      ...{ ...observers, ...responses, trustedProxies: [], tls: undefined },
      ...{ headersTimeoutMs: LONG_MS, requestTimeoutMs: LONG_MS, writeTimeoutMs: LONG_MS, burstMs: LONG_MS },
      overloadPolicies: createOverloadPolicies(DEPRECATION),
    };
    app = createApp(options, createFallbackHandlers(DEPRECATION));
    app.get('/', async (request) => {
      request.socket.destroy();
      addresses.push(request.ip);
    });
    url = await app.listen({ port: 0, host: '127.0.0.1' });
  });
  after(() => app.close());
  beforeEach(() => {
    addresses.length = 0;
  });

  test('has a known address while its request is handled', async () => {
    await assert.rejects(fetch(url));
    assert.deepEqual(addresses, ['127.0.0.1']);
  });

  test('is not served if its address cannot be known any more', async () => {
    app.server.prependOnceListener('request', ({ socket }) => socket.destroy());
    await assert.rejects(fetch(url));
    assert.deepEqual(addresses, []);
  });
});
