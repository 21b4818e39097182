import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { createResource } from '../../support/fixtures/resources.ts';
import { ORIGIN, openSite, type Site, type SiteVisitor } from '../../support/fixtures/site.ts';
import { WAIT_TIMEOUT_MS, waitUntil } from '../../support/waiting/wait.ts';

const DESK = 'https://desk.example';
const EVIL = 'https://evil.example';
const SECOND = 'https://second.example';

let site: Site;
let visitor: SiteVisitor;
let second: number;
before(async () => {
  site = await openSite({ env: { SWITCHBOARD_CORS_ORIGINS: DESK } });
  second = await createResource(site.rest, 'website', { url: SECOND, label: 'Second' });
  visitor = await site.createVisitor();
});
after(() => site.stop());

const allowedOrigin = (headers: Headers) => headers.get('access-control-allow-origin');
const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));

const preflight = (path: string, origin: string) =>
  fetch(site.url + path, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type',
    },
  });

for (const path of ['/visitor/session', '/visitor/graphql']) {
  test(`rule 17: a preflight of ${path} allows only origins of websites`, async () => {
    for (const origin of [ORIGIN, SECOND]) {
      const { status, headers } = await preflight(path, origin);
      assert.equal(status, 204);
      assert.equal(allowedOrigin(headers), origin);
      assert.equal(headers.get('access-control-allow-methods'), 'GET, POST, OPTIONS');
      assert.equal(headers.get('access-control-allow-headers'), 'authorization,content-type');
      assert.equal(headers.get('access-control-allow-credentials'), null);
      assert.match(headers.get('vary') ?? '', /Origin/);
    }
    for (const origin of [EVIL, 'null', `${ORIGIN}.evil.example`, 'http://shop.example', `${ORIGIN}:8443`, DESK]) {
      const { status, headers } = await preflight(path, origin);
      assert.equal(status, 204);
      assert.deepEqual(corsHeaders(headers), [], origin);
    }
  });
}

test('rule 17: only pages of a website can open its sessions', async () => {
  const allowed = await site.openSession({ websiteId: site.websiteId }, { Origin: ORIGIN });
  assert.equal(allowed.status, 201);
  assert.equal(allowedOrigin(allowed.headers), ORIGIN);
  for (const origin of [EVIL, SECOND, 'null', DESK]) {
    const response = await site.openSession({ websiteId: site.websiteId }, { Origin: origin });
    assert.equal(response.status, 403, origin);
    assert.equal(response.body.errors[0].extensions.code, 'FORBIDDEN');
    assert.deepEqual(corsHeaders(response.headers), [], origin);
  }
  assert.equal((await site.openSession({ websiteId: second }, { Origin: SECOND })).status, 201);
});

test('rule 17: a token is not accepted on pages of another website', async () => {
  const allowed = await visitor.run('{visitor{uniqueId}}', {}, { Origin: ORIGIN });
  assert.equal(allowed.status, 200);
  assert.equal(allowedOrigin(allowed.headers), ORIGIN);
  for (const origin of [EVIL, SECOND, 'null', DESK]) {
    const response = await visitor.run(
      'mutation{conversationStart(input:{channel:CHAT}){userErrors{code}}}',
      {},
      {
        Origin: origin,
      },
    );
    assert.equal(response.status, 403, origin);
    assert.equal(response.errors[0]?.extensions.code, 'FORBIDDEN');
    assert.deepEqual(corsHeaders(response.headers), [], origin);
  }
  const { data } = await visitor.run('{conversations{totalCount}}');
  assert.equal(data.conversations.totalCount, 0, 'nothing was started');
});

test('a page can read the 401 response and Retry-After', async () => {
  const response = await site.createVisitorWithToken('nonsense').run('{__typename}', {}, { Origin: ORIGIN });
  assert.equal(response.status, 401);
  assert.equal(allowedOrigin(response.headers), ORIGIN);
  assert.match(response.headers.get('access-control-expose-headers') ?? '', /Retry-After/);
});

test("rule 17: allowed origins replace the origin of the website's URL, and changes take effect", async () => {
  const update = `mutation($input:WebsiteUpdateInput!){websiteUpdate(input:$input){
    website{allowedOrigins} userErrors{field code message}}}`;
  const setOrigins = async (allowedOrigins: string[]) =>
    (await site.admin.run(update, { input: { id: second, allowedOrigins } })).data.websiteUpdate;
  const updated = await setOrigins(['https://a.example', 'http://localhost:3000', 'https://a.example']);
  assert.deepEqual(updated, {
    website: { allowedOrigins: ['https://a.example', 'http://localhost:3000'] },
    userErrors: [],
  });
  const statusFrom = async (origin: string) =>
    (await site.openSession({ websiteId: second }, { Origin: origin })).status;
  // Websites are cached briefly.
  const waitForStatus = (origin: string, status: number) =>
    waitUntil(`${origin} gets ${status}`, async () => (await statusFrom(origin)) === status);
  await waitForStatus('https://a.example', 201);
  await waitForStatus('http://localhost:3000', 201);
  await waitForStatus(SECOND, 403);
  for (const wrong of [
    'a.example',
    'https://a.example/',
    'https://a.example/path',
    'https://*.example',
    '*',
    'ftp://a.example',
    'null',
    'https://A.example',
    'https://u@a.example',
    '',
  ]) {
    const { website, userErrors } = await setOrigins(['https://a.example', wrong]);
    assert.equal(website, null, wrong);
    assert.deepEqual([userErrors[0].code, userErrors[0].field], ['INVALID', ['input', 'allowedOrigins']], wrong);
  }
  assert.equal((await setOrigins(Array.from({ length: 51 }, (_, index) => `https://a${index}.example`))).website, null);
  assert.deepEqual((await setOrigins([])).website, { allowedOrigins: [] });
  await waitForStatus('https://a.example', 403);
  await waitForStatus(SECOND, 201);
});

test('allowed origins can be set at creation, and are not part of the REST API', async () => {
  const create = `mutation($input:WebsiteCreateInput!){websiteCreate(input:$input){
    website{id allowedOrigins} userErrors{code}}}`;
  const input = { url: 'https://third.example', label: 'Third', allowedOrigins: ['https://widget.example'] };
  const { website } = (await site.admin.run(create, { input })).data.websiteCreate;
  assert.deepEqual(website.allowedOrigins, ['https://widget.example']);
  await waitUntil(
    'a page of the allowed origin is admitted',
    async () =>
      (await site.openSession({ websiteId: website.id }, { Origin: 'https://widget.example' })).status === 201,
  );
  const { body } = await site.rest.get(`/website/${website.id}`);
  assert.deepEqual(Object.keys(body.data).sort(), [
    ...['_link', 'client_id', 'currency', 'id', 'label', 'language_admin', 'timezone', 'url'],
  ]);
  const changed = await site.rest.put(`/website/${website.id}`, { label: 'Renamed' });
  assert.equal(changed.status, 200);
  const { data } = await site.admin.run('query($id:ID!){website(id:$id){allowedOrigins}}', { id: website.id });
  assert.deepEqual(data.website.allowedOrigins, ['https://widget.example'], 'an update by REST keeps them');
  assert.equal((await site.rest.put(`/website/${website.id}`, { allowed_origins: ['https://x.example'] })).status, 400);
});

test('a website on this machine is allowed by each of its names', async () => {
  const websiteId = await createResource(site.rest, 'website', { url: 'http://localhost:8080', label: 'Local' });
  const canOpen = async (origin: string) => (await site.openSession({ websiteId }, { Origin: origin })).status === 201;
  await waitUntil('the website is known', () => canOpen('http://localhost:8080'));
  for (const origin of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080']) {
    const { status, headers } = await site.openSession({ websiteId }, { Origin: origin });
    assert.deepEqual([status, allowedOrigin(headers)], [201, origin]);
  }
  for (const origin of [
    'http://localhost',
    'http://127.0.0.1:8081',
    'https://localhost:8080',
    'http://127.0.0.2:8080',
  ]) {
    assert.equal((await site.openSession({ websiteId }, { Origin: origin })).status, 403, origin);
  }
});

test('rule 17: WebSocket connections from pages of another website are rejected', {
  timeout: WAIT_TIMEOUT_MS,
}, async () => {
  const address = `${site.url.replace(/^http/, 'ws')}/visitor/graphql`;
  const statuses = await Promise.all(
    [EVIL, 'null', DESK].map(
      (origin) =>
        new Promise<number | undefined>((resolve) => {
          const socket = new WebSocket(address, 'graphql-transport-ws', { headers: { Origin: origin } });
          socket.on('error', () => undefined);
          socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
          socket.once('open', () => resolve(101));
        }),
    ),
  );
  assert.deepEqual(statuses, [403, 403, 403]);
  const connectFrom = (origin: string) =>
    openSocket(site.url, visitor.token, { token: visitor.token }, { path: '/visitor/graphql', origin });
  assert.equal((await connectFrom(SECOND).closed).code, 4403, 'a known website, but not that of the token');
  const allowed = connectFrom(ORIGIN);
  assert.equal((await allowed.run('{visitor{uniqueId}}')).data.visitor.uniqueId, visitor.visitorId);
  allowed.end();
});
