import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { Registry } from 'prom-client';
import { OverloadProtection } from '../../../../src/api/http/overload/overload.ts';
import { registerOverloadMetrics } from '../../../../src/api/http/overload/overload-metrics.ts';
import { createOverloadPolicies } from '../../../../src/app/overload-policies.ts';
import { waitUntil } from '../../../support/waiting/wait.ts';

/** As many requests as may be served at the same time, for each class; see `MAX_RUNNING`. */
const ANONYMOUS_LIMIT = 500;
const INTEGRATION_LIMIT = 750;
const BURST_MS = 20;
const MESSAGE = 'The service is overloaded. Retry later.';
const bearer = { Authorization: 'Bearer some-token' };

interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

suite('an overloaded service', () => {
  let server: Server;
  let overload: OverloadProtection;
  let now = 0;
  const held: (() => void)[] = [];
  const agent = new Agent({ keepAlive: true });
  before(async () => {
    server = createServer((request, response) => {
      const respond = () => response.end('served');
      if (request.url?.endsWith('held')) held.push(respond);
      else respond();
    });
    const overloadPolicies = createOverloadPolicies({ deprecatedSince: new Date(0), sunset: undefined });
    overload = new OverloadProtection({
      securityHeaders: {},
      ...{ burstMs: BURST_MS, overloadPolicies },
      isWebSocketUrl: (url) => url === '/graphql',
      readClock: () => now,
    });
    overload.protect(server);
    await once(server.listen({ port: 0, host: '127.0.0.1', backlog: 2000 }), 'listening');
    hold('/held', ANONYMOUS_LIMIT);
    await waitUntil('the anonymous requests run', () => held.length === ANONYMOUS_LIMIT);
  });
  after(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });

  function send(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
    return new Promise((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const sent = httpRequest({ port, host: '127.0.0.1', path, method, headers, agent }, async (response) => {
        const body = (await response.setEncoding('utf8').toArray()).join('');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
      sent.once('error', reject).end();
    });
  }

  /** Lets time pass until the response arrives. Otherwise time stands still, so that no request waits too long. */
  async function sendAndWait(...args: Parameters<typeof send>): Promise<Response> {
    const timer = setInterval(() => {
      now += BURST_MS;
    }, 1);
    return send(...args).finally(() => clearInterval(timer));
  }

  function hold(path: string, count: number, headers: Record<string, string> = {}): void {
    for (let index = 0; index < count; index++) send(path, headers).catch(() => undefined);
  }

  test('refuses anonymous requests with 503 and Retry-After, in the format of the protocol', async () => {
    const rest = JSON.stringify({ meta: { status: 'error', message: MESSAGE } });
    const graphql = JSON.stringify({ errors: [{ message: MESSAGE, extensions: { code: 'UNAVAILABLE' } }] });
    for (const [path, body] of Object.entries({
      '/': rest,
      '/docs/': rest,
      '/api/2/operator': rest,
      '/graphql?query={__typename}': graphql,
      '/visitor/session': graphql,
      '/visitor/session/renew': graphql,
      '/visitor/graphql': graphql,
      '/visitor/attachment': graphql,
      '/attachment': graphql,
      '/attachment/1': graphql,
      '/_authenticated': JSON.stringify({ error: 'temporarily_unavailable', error_description: MESSAGE }),
    })) {
      const response = await sendAndWait(path);
      assert.equal(response.status, 503, path);
      assert.equal(response.headers['retry-after'], '1');
      assert.equal(response.headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(response.headers['cache-control'], 'no-store');
      assert.equal(response.body, body, path);
      assert.equal(response.headers.deprecation, path.startsWith('/api/2') ? '@0' : undefined);
    }
    assert.equal((await sendAndWait('/', {}, 'HEAD')).body, '');
  });

  test('keeps serving its integrations, logins, operators and visitors', async () => {
    for (const [path, headers] of [
      ['/api/2/operator', { 'X-API-Key': 'some-key' }],
      ['/api/2/operator?key=some-key', {}],
      ['/oauth2/token', {}],
      ['/graphql', bearer],
      ['/visitor/graphql', bearer],
    ] as const) {
      assert.equal((await send(path, headers)).body, 'served', path);
    }
  });

  test('refuses integrations before operators and visitors', async () => {
    hold('/api/2/held', INTEGRATION_LIMIT - ANONYMOUS_LIMIT, { 'X-API-Key': 'some-key' });
    await waitUntil('the integrations run', () => held.length === INTEGRATION_LIMIT);
    assert.equal((await sendAndWait('/api/2/operator', { 'X-API-Key': 'some-key' })).status, 503);
    assert.equal((await sendAndWait('/oauth2/token', {}, 'POST')).status, 503);
    assert.equal((await send('/graphql', bearer)).body, 'served');
    assert.equal((await send('/visitor/graphql', bearer)).body, 'served');
  });

  test('always answers its health checks', async () => {
    for (const path of ['/_health', '/_ready', '/metrics']) assert.equal((await send(path)).body, 'served');
  });

  test('serves no flood of health checks', async () => {
    now = Math.ceil(now / 1000) * 1000; // the start of a second
    for (let index = 0; index < 100; index++) assert.equal((await send('/_health')).status, 200);
    assert.equal((await sendAndWait('/_health')).status, 503);
  });

  test('counts what it refuses', async () => {
    const registry = new Registry();
    registerOverloadMetrics(registry, overload);
    const text = await registry.metrics();
    assert.match(text, /switchboard_overload_refusals_total\{class="integration"\} 2\n/);
    assert.match(text, /switchboard_overload_refusals_total\{class="conversation"\} 0\n/);
    assert.match(text, /switchboard_requests_waiting 0\n/);
  });

  test('serves everything again as soon as the load is over', async () => {
    for (const respond of held.splice(0)) respond();
    assert.equal((await send('/')).body, 'served');
    assert.equal((await send('/api/2/operator', { 'X-API-Key': 'some-key' })).body, 'served');
  });
});
