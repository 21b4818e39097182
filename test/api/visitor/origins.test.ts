import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { add } from '../../support/people/people.ts';
import { ORIGIN, openSite, type Site, type SiteVisitor } from '../../support/people/site.ts';
import { PATIENCE_MS, until } from '../../support/waiting/until.ts';

const DESK = 'https://desk.example';
const EVIL = 'https://evil.example';
const SECOND = 'https://second.example';

let site: Site;
let visitor: SiteVisitor;
let second: number;
before(async () => {
  site = await openSite({ env: { SWITCHBOARD_CORS_ORIGINS: DESK } });
  second = await add(site.rest, 'website', { url: SECOND, label: 'Second' });
  visitor = await site.visitor();
});
after(() => site.stop());

const permission = (headers: Headers) => headers.get('access-control-allow-origin');
const everyPermission = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));

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
  test(`rule 17: a preflight of ${path} lets pages of websites in, and nobody else`, async () => {
    for (const origin of [ORIGIN, SECOND]) {
      const { status, headers } = await preflight(path, origin);
      assert.equal(status, 204);
      assert.equal(permission(headers), origin);
      assert.equal(headers.get('access-control-allow-methods'), 'GET, POST, OPTIONS');
      assert.equal(headers.get('access-control-allow-headers'), 'Authorization, Content-Type');
      assert.equal(headers.get('access-control-allow-credentials'), null);
      assert.match(headers.get('vary') ?? '', /Origin/);
    }
    for (const origin of [EVIL, 'null', `${ORIGIN}.evil.example`, 'http://shop.example', `${ORIGIN}:8443`, DESK]) {
      const { status, headers } = await preflight(path, origin);
      assert.equal(status, 204);
      assert.deepEqual(everyPermission(headers), [], origin);
    }
  });
}

test('rule 17: a session is for pages of that website alone', async () => {
  const own = await site.session({ websiteId: site.websiteId }, { Origin: ORIGIN });
  assert.equal(own.status, 201);
  assert.equal(permission(own.headers), ORIGIN);
  for (const origin of [EVIL, SECOND, 'null', DESK]) {
    const answer = await site.session({ websiteId: site.websiteId }, { Origin: origin });
    assert.equal(answer.status, 403, origin);
    assert.equal(answer.body.errors[0].extensions.code, 'FORBIDDEN');
    assert.deepEqual(everyPermission(answer.headers), [], origin);
  }
  assert.equal((await site.session({ websiteId: second }, { Origin: SECOND })).status, 201);
});

test('rule 17: a token is worth nothing on the pages of another website', async () => {
  const own = await visitor.run('{visitor{uniqueId}}', {}, { Origin: ORIGIN });
  assert.equal(own.status, 200);
  assert.equal(permission(own.headers), ORIGIN);
  for (const origin of [EVIL, SECOND, 'null', DESK]) {
    const answer = await visitor.run(
      'mutation{conversationStart(input:{channel:CHAT}){userErrors{code}}}',
      {},
      {
        Origin: origin,
      },
    );
    assert.equal(answer.status, 403, origin);
    assert.equal(answer.errors[0]?.extensions.code, 'FORBIDDEN');
    assert.deepEqual(everyPermission(answer.headers), [], origin);
  }
  const { data } = await visitor.run('{conversations{totalCount}}');
  assert.equal(data.conversations.totalCount, 0, 'nothing was done');
});

test('a page may read that its token has ended, and how long to wait', async () => {
  const answer = await site.visitorWith('nonsense').run('{__typename}', {}, { Origin: ORIGIN });
  assert.equal(answer.status, 401);
  assert.equal(permission(answer.headers), ORIGIN);
  assert.match(answer.headers.get('access-control-expose-headers') ?? '', /Retry-After/);
});

test('rule 17: allowed origins take the place of the own address, and a change is noticed', async () => {
  const update = `mutation($input:WebsiteUpdateInput!){websiteUpdate(input:$input){
    website{allowedOrigins} userErrors{field code message}}}`;
  const set = async (allowedOrigins: string[]) =>
    (await site.admin.run(update, { input: { id: second, allowedOrigins } })).data.websiteUpdate;
  const made = await set(['https://a.example', 'http://localhost:3000', 'https://a.example']);
  assert.deepEqual(made, {
    website: { allowedOrigins: ['https://a.example', 'http://localhost:3000'] },
    userErrors: [],
  });
  const statusFrom = async (origin: string) => (await site.session({ websiteId: second }, { Origin: origin })).status;
  // Websites are remembered for a moment.
  const isAnswered = (origin: string, status: number) =>
    until(`${origin} gets ${status}`, async () => (await statusFrom(origin)) === status);
  await isAnswered('https://a.example', 201);
  await isAnswered('http://localhost:3000', 201);
  await isAnswered(SECOND, 403);
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
    const { website, userErrors } = await set(['https://a.example', wrong]);
    assert.equal(website, null, wrong);
    assert.deepEqual([userErrors[0].code, userErrors[0].field], ['INVALID', ['input', 'allowedOrigins']], wrong);
  }
  assert.equal((await set(Array.from({ length: 51 }, (_, index) => `https://a${index}.example`))).website, null);
  assert.deepEqual((await set([])).website, { allowedOrigins: [] });
  await isAnswered('https://a.example', 403);
  await isAnswered(SECOND, 201);
});

test('allowed origins are given at the beginning too, and REST knows nothing of them', async () => {
  const create = `mutation($input:WebsiteCreateInput!){websiteCreate(input:$input){
    website{id allowedOrigins} userErrors{code}}}`;
  const input = { url: 'https://third.example', label: 'Third', allowedOrigins: ['https://widget.example'] };
  const { website } = (await site.admin.run(create, { input })).data.websiteCreate;
  assert.deepEqual(website.allowedOrigins, ['https://widget.example']);
  await until(
    'a page of the allowed origin is let in',
    async () => (await site.session({ websiteId: website.id }, { Origin: 'https://widget.example' })).status === 201,
  );
  const { body } = await site.rest.get(`/website/${website.id}`);
  assert.deepEqual(Object.keys(body.data).sort(), [
    ...['_link', 'client_id', 'currency', 'id', 'label', 'language_admin', 'timezone', 'url'],
  ]);
  const changed = await site.rest.put(`/website/${website.id}`, { label: 'Renamed' });
  assert.equal(changed.status, 200);
  const { data } = await site.admin.run('query($id:ID!){website(id:$id){allowedOrigins}}', { id: website.id });
  assert.deepEqual(data.website.allowedOrigins, ['https://widget.example'], 'a change by REST leaves them alone');
  assert.equal((await site.rest.put(`/website/${website.id}`, { allowed_origins: ['https://x.example'] })).status, 400);
});

test('rule 17: a connection from a page of another website is not opened', { timeout: PATIENCE_MS }, async () => {
  const address = `${site.url.replace(/^http/, 'ws')}/visitor/graphql`;
  const answers = await Promise.all(
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
  assert.deepEqual(answers, [403, 403, 403]);
  const from = (origin: string) =>
    openSocket(site.url, visitor.token, { token: visitor.token }, { path: '/visitor/graphql', origin });
  assert.equal((await from(SECOND).closed).code, 4403, 'a website, but not that of the token');
  const own = from(ORIGIN);
  assert.equal((await own.run('{visitor{uniqueId}}')).data.visitor.uniqueId, visitor.visitorId);
  own.end();
});
