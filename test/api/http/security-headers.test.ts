import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { logIn } from '../../support/clients/oauth.ts';
import { rawRequest, sendRaw } from '../../support/clients/raw.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard();
});
after(() => switchboard.stop());

const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';

/** One request for every way in which a response is produced. */
const REQUESTS: readonly (readonly [status: number, request: string])[] = [
  [200, rawRequest('GET /_health HTTP/1.1')],
  [200, rawRequest('GET /_ready HTTP/1.1')],
  [200, rawRequest('GET /metrics HTTP/1.1', ['Connection: close'])],
  [403, rawRequest('GET /metrics HTTP/1.1', ['Via: 1.1 proxy'])],
  [200, rawRequest('GET / HTTP/1.1')],
  [200, rawRequest('GET /openapi.json HTTP/1.1')],
  [404, rawRequest('GET /nothing HTTP/1.1')],
  [405, rawRequest('PUT /_health HTTP/1.1')],
  [403, rawRequest('GET /api/2/operator HTTP/1.1')],
  [204, rawRequest('OPTIONS /api/2/operator HTTP/1.1')],
  [405, rawRequest('PATCH /oauth2/token HTTP/1.1')],
  [401, rawRequest('GET /graphql HTTP/1.1')],
  [405, rawRequest('GET /visitor/session HTTP/1.1')],
  [400, rawRequest('GET /%zz HTTP/1.1')],
  [414, rawRequest(`GET /api/2/operator/${'9'.repeat(5000)} HTTP/1.1`)],
  [400, rawRequest('GET / HTTP/1.1', ['Host: twice'])],
  [200, rawRequest('GET /_health HTTP/1.1', ['Expect: something'])],
  [413, rawRequest('POST /graphql HTTP/1.1', ['Content-Length: 2000000'])],
  [400, 'nonsense\r\n\r\n'],
  [431, rawRequest('GET / HTTP/1.1', [`X-Long: ${'x'.repeat(20_000)}`])],
  [400, rawRequest('CONNECT example.com:443 HTTP/1.1')],
  [403, rawRequest('GET /graphql HTTP/1.1', [...UPGRADE, KEY, 'Origin: https://evil.example'])],
  [403, rawRequest('GET /visitor/graphql HTTP/1.1', [...UPGRADE, KEY, 'Origin: https://evil.example'])],
  [400, rawRequest('GET /graphql HTTP/1.1', UPGRADE)],
  [405, rawRequest('POST /graphql HTTP/1.1', [...UPGRADE, KEY])],
  [400, rawRequest('GET /graphql HTTP/1.1', [...UPGRADE.slice(0, 2), KEY, 'Sec-WebSocket-Version: 7'])],
];

for (const [expectedStatus, request] of REQUESTS) {
  test(`${request.slice(0, 60).split('\r')[0]} gets ${expectedStatus} with nosniff`, async () => {
    const { status, head, body } = await sendRaw(switchboard.url, request);
    if (request.includes('Upgrade: websocket'))
      assert.equal(body.errors[0].extensions.code, status === 403 ? 'FORBIDDEN' : 'BAD_REQUEST');
    assert.deepEqual(
      [status, head.match(/^x-content-type-options: .*$/gim)?.map((line) => line.toLowerCase())],
      [expectedStatus, ['x-content-type-options: nosniff']],
    );
    assert.doesNotMatch(head, /^strict-transport-security/im, 'without TLS, browsers ignore it');
  });
}

test('a redirect has nosniff', async () => {
  const token = await logIn(switchboard.url, ADMIN);
  const response = await fetch(`${switchboard.url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: '{viewer{ssoKey}}' }),
  });
  const { data } = (await response.json()) as { data: { viewer: { ssoKey: string } } };
  const redirect = await fetch(`${switchboard.url}/admin/login?key=${data.viewer.ssoKey}`, { redirect: 'manual' });
  assert.equal(redirect.status, 303);
  assert.equal(redirect.headers.get('x-content-type-options'), 'nosniff');
});

test('every page has a referrer policy', async () => {
  for (const path of [
    '/',
    '/login',
    '/developers',
    '/docs',
    '/docs/migration',
    '/docs/migration/meter',
    '/graphiql',
    '/admin/login?key=x',
  ]) {
    const { headers } = await fetch(switchboard.url + path);
    assert.equal(headers.get('referrer-policy'), 'no-referrer', path);
  }
});
