import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { restClient } from '../support/clients/rest.ts';
import { call, logIn, openTarget } from './target.ts';

const target = await openTarget();
after(() => target.close());
const { rest } = target;
const headers = { 'X-API-Key': target.key };
const { CONFORMANCE_HA_URL: highAvailabilityUrl } = process.env;

test('Versioning: the REST interface has version 2 in its base path, /api/2', async () => {
  assert.equal((await call(`${target.url}/api/2/operator`, { headers })).body.meta.status, 'success');
});

test('Versioning: no other version and no REST path without a version is served', async () => {
  for (const path of ['/api/1/operator', '/api/3/operator', '/api/operator', '/operator']) {
    const response = await fetch(target.url + path, { headers });
    await response.body?.cancel();
    assert.equal(response.status, 404, path);
  }
});

test('Versioning: the high availability platform serves the same /api/2', {
  skip: highAvailabilityUrl ? false : 'pass the URL of the second platform with --ha-url',
}, async () => {
  const { id } = await target.operator();
  const other = await restClient(highAvailabilityUrl as string, target.key).get(`/operator/${id}`);
  assert.deepEqual(other.body, (await rest.get(`/operator/${id}`)).body);
});

const { id } = await target.operator();
for (const path of ['/operator', `/operator/${id}`, '/operator/live', '/client', '/operator/987654321']) {
  test(`Versioning: the whole REST interface is deprecated, and GET ${path.replace(`${id}`, '<id>')} says so`, async () => {
    const response = await rest.get(path);
    assert.match(response.headers.get('deprecation') ?? '', /^@\d+$/);
  });
}

test('Versioning: the authentication failure also says that the REST interface is deprecated', async () => {
  const response = await call(`${target.url}/api/2/operator`);
  assert.match(response.headers.get('deprecation') ?? '', /^@\d+$/);
});

test('Versioning: the REST interface is replaced by the GraphQL interface, and every response links to it', async () => {
  const link = (await rest.get('/operator')).headers.get('link') ?? '';
  assert.match(link, /<[^>]*\/graphql>; rel="successor-version"/);
  assert.match(link, /rel="deprecation"/);
});

test('Versioning: role is deprecated in favour of roles, and both are still returned', async () => {
  await rest.put(`/operator/${id}`, { roles: ['expert', 'manager'] });
  const { data } = (await rest.get(`/operator/${id}`)).body;
  assert.equal(data.role, 'manager');
  assert.deepEqual(data.roles.toSorted(), ['expert', 'manager']);
});

test('Versioning: satisfaction_global_rate is deprecated and still returned', async () => {
  const { data } = (await rest.get(`/operator/${id}/statistic`)).body;
  assert.equal(typeof data.satisfaction_global_rate, 'number');
});

test('Versioning: the token endpoint carries no version in the path', async () => {
  // Without any field: the endpoint exists and says what is missing.
  const { status, body } = await logIn(target.url, {});
  assert.equal(status, 400);
  assert.equal(body.error, 'invalid_request');
  assert.equal((await rest.post('/oauth2/token', '')).status, 404);
});

test('Versioning: the authentication check carries no version in the path, and is not deprecated', async () => {
  const { status, headers } = await call(`${target.url}/_authenticated`);
  assert.equal(status, 401);
  assert.equal(headers.get('deprecation'), null);
  assert.equal((await rest.get('/_authenticated')).status, 404);
});
