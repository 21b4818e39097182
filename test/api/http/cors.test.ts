import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { restClient } from '../../support/clients/rest.ts';
import { createResource } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const APP = 'https://app.example';
const SHOP = 'https://shop.example';
const EVIL = 'https://evil.example';

/** What Apollo Client, OpenTelemetry and our own interfaces make a browser ask for. */
const REQUESTED = 'apollo-require-preflight,authorization,baggage,content-type,traceparent,x-apollo-operation-name';

let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard({ env: { SWITCHBOARD_CORS_ORIGINS: `${APP},https://other.example` } });
  const rest = restClient(switchboard.url, switchboard.key);
  await createResource(rest, 'website', { url: SHOP, label: 'Shop' });
});
after(() => switchboard.stop());

const ENDPOINTS: readonly (readonly [path: string, origin: string, method: string])[] = [
  ['/graphql', APP, 'POST'],
  ['/api/2/operator', APP, 'POST'],
  ['/api/2/operator/1', APP, 'PUT'],
  ['/oauth2/token', APP, 'POST'],
  ['/oauth2/revoke', APP, 'POST'],
  ['/_authenticated', APP, 'GET'],
  ['/visitor/session', SHOP, 'POST'],
  ['/visitor/graphql', SHOP, 'POST'],
];

const preflight = (path: string, origin: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(switchboard.url + path, {
    method: 'OPTIONS',
    headers: { Origin: origin, 'Access-Control-Request-Method': 'POST', ...headers },
  });

const listOf = (headers: Headers, name: string) => (headers.get(name) ?? '').toLowerCase().split(/ *, */);
const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));

for (const [path, origin, method] of ENDPOINTS) {
  test(`a preflight of ${path} allows the requested headers, and browsers keep the answer`, async () => {
    const { status, headers } = await preflight(path, origin, { 'Access-Control-Request-Headers': REQUESTED });
    assert.equal(status, 204);
    assert.equal(headers.get('access-control-allow-origin'), origin);
    assert.equal(headers.get('access-control-allow-headers'), REQUESTED);
    assert.ok(listOf(headers, 'access-control-allow-methods').includes(method.toLowerCase()));
    assert.equal(headers.get('access-control-max-age'), '7200');
    assert.deepEqual(listOf(headers, 'vary').sort(), ['access-control-request-headers', 'origin']);
    assert.equal(headers.get('access-control-allow-credentials'), null);
  });

  test(`a preflight of ${path} from another origin gets no CORS headers`, async () => {
    for (const foreign of [EVIL, 'null', `${origin}.evil.example`, origin.replace('https', 'http')]) {
      const { headers } = await preflight(path, foreign, { 'Access-Control-Request-Headers': REQUESTED });
      assert.deepEqual(corsHeaders(headers), [], foreign);
      assert.ok(listOf(headers, 'vary').includes('origin'));
    }
  });

  test(`pages can read the headers of a response of ${path}, also of an error`, async () => {
    const { headers } = await fetch(switchboard.url + path, { method, headers: { Origin: origin } });
    assert.equal(headers.get('access-control-allow-origin'), origin);
    const exposed = listOf(headers, 'access-control-expose-headers');
    for (const name of ['retry-after', 'location', 'etag', 'x-request-id', 'deprecation', 'link', 'www-authenticate'])
      assert.ok(exposed.includes(name), name);
    assert.deepEqual(listOf(headers, 'vary'), ['origin']);
    assert.equal(headers.get('access-control-allow-credentials'), null);
    assert.equal(headers.get('access-control-allow-headers'), null, 'only for preflights');
  });
}

test('an OPTIONS request that is not a preflight gets no preflight headers', async () => {
  const { status, headers } = await fetch(`${switchboard.url}/graphql`, {
    method: 'OPTIONS',
    headers: { Origin: APP },
  });
  assert.equal(status, 204);
  assert.equal(headers.get('access-control-allow-headers'), null);
  assert.equal(headers.get('access-control-max-age'), null);
  assert.equal(headers.get('access-control-allow-origin'), APP);
});

test('a preflight without requested headers allows the method only', async () => {
  const { headers } = await preflight('/graphql', APP);
  assert.match(headers.get('access-control-allow-methods') ?? '', /POST/);
  assert.equal(headers.get('access-control-allow-headers'), null);
});
