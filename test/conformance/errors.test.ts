import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertFail, call, openTarget } from './target.ts';

const target = await openTarget();
after(() => target.close());
const { rest } = target;

/** The id of a deleted operator, so certainly unknown. */
const deletedId = (await target.operator()).id;
await rest.delete(`/operator/${deletedId}`);

test('Errors: REST authentication failed: meta.status error, meta.message Forbidden', async () => {
  const { status, body } = await call(`${target.url}/api/2/operator`);
  assert.equal(status, 403);
  assert.equal(body.meta.status, 'error');
  assert.equal(body.meta.message, 'Forbidden');
});

for (const resource of ['operator', 'client', 'website', 'group', 'skill']) {
  test(`Errors: an unknown id gives fail and: Unknown '${resource}' with 'id' <id>.`, async () => {
    const id = 987654321;
    assertFail(await rest.get(`/${resource}/${id}`), 404, `Unknown '${resource}' with 'id' ${id}.`);
  });
}

test("Errors: the id of a deleted operator is unknown: Unknown 'operator' with 'id' <id>.", async () => {
  assertFail(await rest.get(`/operator/${deletedId}`), 404, `Unknown 'operator' with 'id' ${deletedId}.`);
});

test('Errors: an id that is not a number is unknown too, and echoed as it was sent', async () => {
  for (const id of ['abc', '0', '-1', '1.5', '1e3', '01']) {
    assertFail(await rest.get(`/operator/${id}`), 404, `Unknown 'operator' with 'id' ${id}.`);
  }
});

for (const [method, path] of [
  ['PUT', ''],
  ['DELETE', ''],
  ['GET', '/live'],
  ['PUT', '/live'],
  ['GET', '/statistic'],
  ['GET', '/profile'],
] as const) {
  test(`Errors: ${method} /operator/<id>${path} of an unknown id gives the same message`, async () => {
    const response = await rest.send(method, `/operator/${deletedId}${path}`, {
      ...(method === 'PUT' ? { body: path === '' ? 'name=x' : 'chat[available]=1' } : {}),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    assertFail(response, 404, `Unknown 'operator' with 'id' ${deletedId}.`);
  });
}

test('Errors: an unknown id gives no data', async () => {
  assert.equal('data' in (await rest.get(`/operator/${deletedId}`)).body, false);
});

test('Errors: an unknown resource gives a fail envelope', async () => {
  assertFail(await rest.get('/no-such-resource'), 404, "Unknown resource 'no-such-resource'.");
});

test('Errors: an unsupported method gives a fail envelope and the supported methods', async () => {
  const response = await rest.delete('/operator');
  assertFail(response, 405, /DELETE/);
  const allowed = (response.headers.get('allow') ?? '').split(', ');
  assert.ok(allowed.includes('GET') && allowed.includes('POST') && !allowed.includes('DELETE'), allowed.join());
});

test('Errors: the message names a missing field', async () => {
  const response = await rest.post('/operator', { name: target.unique('operator') });
  assertFail(response, 400, "Field 'email' is missing.");
  assert.deepEqual(
    response.body.meta.errors.map(({ field }: { field: string }) => field),
    ['email'],
  );
});

test('Errors: the message names an unknown field', async () => {
  const fields = { name: target.unique('operator'), email: `${target.unique('operator')}@example.com`, shoe_size: 44 };
  assertFail(await rest.post('/operator', fields), 400, "Field 'shoe_size' is unknown.");
});

test('Errors: of several errors the first in field order is the message, and all are listed', async () => {
  const response = await rest.post('/operator', { chat_max_number: 0, email: 'invalid', language_admin: 'xx' });
  assertFail(response, 400, "Field 'name' is missing.");
  assert.deepEqual(
    response.body.meta.errors.map(({ field }: { field: string }) => field),
    ['name', 'email', 'chat_max_number', 'language_admin'],
  );
});

test('Errors: a body that is neither a form nor JSON gives a fail envelope', async () => {
  const response = await rest.send('POST', '/operator', { body: '<a/>', headers: { 'content-type': 'text/xml' } });
  assertFail(response, 415, /application\/x-www-form-urlencoded or application\/json/);
});

test('Errors: malformed JSON gives a fail envelope', async () => {
  const response = await rest.send('POST', '/operator', { body: '{', headers: { 'content-type': 'application/json' } });
  assertFail(response, 400, /JSON/);
});

test('Errors: an e-mail in use, in any case, gives a conflict that names the field', async () => {
  const { email } = await target.operator();
  const fields = { name: target.unique('operator'), email: email.toUpperCase() };
  assertFail(await rest.post('/operator', fields), 409, "Value of field 'email' is already used.");
});

test('Errors: an expired or invalid bearer token on /_authenticated: the two-field error object', async () => {
  const { status, body } = await call(`${target.url}/_authenticated`, { headers: { authorization: 'Bearer x' } });
  assert.equal(status, 401);
  assert.deepEqual(body, { error: 'invalid_token', error_description: 'access token not valid' });
});
