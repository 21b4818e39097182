import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { call, openTarget } from './target.ts';

const target = await openTarget();
after(() => target.close());

const base = `${target.url}/api/2`;
const basicHeaders = (user: string, password: string) => ({ authorization: `Basic ${btoa(`${user}:${password}`)}` });
const UNKNOWN_KEY = 'this-key-was-never-issued-0123';
const group = await target.group();
const operator = await target.operator();

test('API key: in the HTTP header X-API-Key', async () => {
  const { status, body } = await call(`${base}/operator`, { headers: { 'X-API-Key': target.key } });
  assert.equal(status, 200);
  assert.equal(body.meta.status, 'success');
});

test('API key: in the query parameter key', async () => {
  const { status, body } = await call(`${base}/operator?key=${encodeURIComponent(target.key)}`);
  assert.equal(status, 200);
  assert.equal(body.meta.status, 'success');
});

test('API key: as the user name of HTTP Basic authentication, with an arbitrary password', async () => {
  for (const password of ['', 'x', 'any text: at all']) {
    const { status, body } = await call(`${base}/operator`, { headers: basicHeaders(target.key, password) });
    assert.equal(status, 200, `password '${password}'`);
    assert.equal(body.meta.status, 'success');
  }
});

test('API key: is not accepted as the password of HTTP Basic authentication', async () => {
  const { status, body } = await call(`${base}/operator`, { headers: basicHeaders('user', target.key) });
  assert.equal(status, 403);
  assert.deepEqual(body, { meta: { status: 'error', message: 'Forbidden' } });
});

const KEY_LOCATIONS: readonly (readonly [string, string, Record<string, string>])[] = [
  ['the header', '', { 'X-API-Key': target.key }],
  ['the query', `?key=${encodeURIComponent(target.key)}`, {}],
  ['Basic', '', basicHeaders(target.key, 'x')],
];
for (const [location, query, headers] of KEY_LOCATIONS) {
  test(`API key: a write is accepted with the key in ${location}`, async () => {
    const name = target.unique('renamed');
    const body = new URLSearchParams({ name });
    const response = await call(`${base}/group/${group.id}${query}`, { method: 'PUT', headers, body });
    assert.equal(response.status, 200, JSON.stringify(response.body));
    assert.equal(response.body.data.name, name);
  });
}

const INVALID_CREDENTIALS: readonly (readonly [string, string, Record<string, string>])[] = [
  ['no key at all', '', {}],
  ['an empty key in the header', '', { 'X-API-Key': '' }],
  ['a wrong key in the header', '', { 'X-API-Key': UNKNOWN_KEY }],
  ['a wrong key in the query', `?key=${UNKNOWN_KEY}`, {}],
  ['a wrong key in Basic', '', basicHeaders(UNKNOWN_KEY, 'x')],
  ['a bearer token in place of a key', '', { authorization: `Bearer ${UNKNOWN_KEY}` }],
];
for (const [credential, query, headers] of INVALID_CREDENTIALS) {
  test(`API key: a request with ${credential} receives the authentication-failure envelope`, async () => {
    const { status, body } = await call(`${base}/operator${query}`, { headers });
    assert.equal(status, 403);
    assert.deepEqual(body, { meta: { status: 'error', message: 'Forbidden' } });
  });
}

test('API key: an access token of the token endpoint is not an API key', { skip: target.loginSkipReason }, async () => {
  const token = await target.token();
  for (const headers of [{ authorization: `Bearer ${token}` }, { 'X-API-Key': token }]) {
    assert.equal((await call(`${base}/operator`, { headers })).status, 403);
  }
});

test('Bearer token: an API key is not an access token', async () => {
  const headers = { authorization: `Bearer ${target.key}` };
  assert.equal((await call(`${target.url}/_authenticated`, { headers })).status, 401);
});

const { id } = operator;
const REQUESTS = [
  'GET /operator',
  `GET /operator/${id}`,
  'POST /operator',
  `PUT /operator/${id}`,
  `DELETE /operator/${id}`,
  'GET /operator/live',
  `GET /operator/${id}/live`,
  `PUT /operator/${id}/live`,
  `GET /operator/${id}/statistic`,
  `GET /operator/${id}/profile`,
  'GET /client',
  'GET /website',
  'GET /group',
  'GET /skill',
  'GET /operator/999999999',
  'GET /no-such-resource',
];
for (const request of REQUESTS) {
  test(`API key: ${request.replace(`/${id}`, '/<id>')} requires the key`, async () => {
    const [method = '', path = ''] = request.split(' ');
    const { status, body } = await call(base + path, { method });
    assert.equal(status, 403);
    assert.deepEqual(body, { meta: { status: 'error', message: 'Forbidden' } });
    assert.equal((await target.rest.get(`/operator/${id}`)).status, 200, 'nothing was changed');
  });
}

test('Bearer token: is sent in the header Authorization: Bearer <ACCESS_TOKEN>', {
  skip: target.loginSkipReason,
}, async () => {
  const headers = { authorization: `Bearer ${await target.token()}` };
  const { status, body } = await call(`${target.url}/_authenticated`, { headers });
  assert.equal(status, 200);
  assert.deepEqual(body, { authenticated: true });
});
