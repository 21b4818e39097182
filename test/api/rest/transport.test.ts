import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError, assertInvalidField, assertOk } from '../../support/clients/envelope.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { createOperator, newOperatorFields } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
let rest: RestClient;
before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
});
after(() => switchboard.stop());

test('reads, updates and deletes return 200, a create 201 with Location', async () => {
  const created = await rest.post('/operator', newOperatorFields());
  assertOk(created, 201);
  const { id } = created.body.data;
  assert.equal(created.headers.get('location'), `/api/2/operator/${id}`);
  assertOk(await rest.get(`/operator/${id}`));
  assertOk(await rest.put(`/operator/${id}`, { name: 'Other' }));
  const deleted = await rest.delete(`/operator/${id}`);
  assertOk(deleted);
  assert.deepEqual(deleted.body, { meta: { status: 'success' } });
});

test('the message names the unknown id, even if it is not a number', async () => {
  for (const id of ['456', 'abc', '1e1', '0x1', '-1', '01', '9007199254740993', '1.0', '+1', ' 1', 'ä']) {
    const response = await rest.get(`/operator/${encodeURIComponent(id)}`);
    assertError(response, 404, `Unknown 'operator' with 'id' ${id}.`);
    assert.equal(response.body.meta.errors, undefined);
  }
  for (const path of ['/operator/456/live', '/operator/456/profile', '/operator/456/statistic']) {
    assertError(await rest.get(path), 404, "Unknown 'operator' with 'id' 456.");
  }
  for (const resource of ['client', 'website', 'group', 'skill']) {
    assertError(await rest.get(`/${resource}/456`), 404, `Unknown '${resource}' with 'id' 456.`);
    assertError(await rest.get(`/${resource}/abc`), 404, `Unknown '${resource}' with 'id' abc.`);
  }
});

test('writes to an unknown id get the same message', async () => {
  const message = "Unknown 'operator' with 'id' 456.";
  assertError(await rest.put('/operator/456', { name: 'A' }), 404, message);
  assertError(await rest.delete('/operator/456'), 404, message);
  assertError(await rest.put('/operator/456/live', 'connected=0'), 404, message);
  assertError(await rest.put('/operator/456/profile', 'city=Paris'), 404, message);
  for (const resource of ['website', 'group', 'skill']) {
    const field = resource === 'website' ? 'label' : 'name';
    assertError(await rest.put(`/${resource}/456`, { [field]: 'A' }), 404, `Unknown '${resource}' with 'id' 456.`);
    assertError(await rest.delete(`/${resource}/x1`), 404, `Unknown '${resource}' with 'id' x1.`);
  }
});

test('the message names an unknown resource, but only for authenticated callers', async () => {
  assertError(await rest.get('/foo'), 404, "Unknown resource 'foo'.");
  assertError(await rest.get('/foo/12?x=1'), 404, "Unknown resource 'foo'.");
  assertError(await rest.post('/foo', 'a=1'), 404, "Unknown resource 'foo'.");
  assertError(await rest.get('/operator/1/foo'), 404);
  assertError(await restClient(switchboard.url, 'wrong').get('/foo'), 403, 'Forbidden');
});

test('invalid input gets the message of the first problem, and all problems in field order', async () => {
  const missing = await rest.post('/operator', {});
  assertError(missing, 400, "Field 'name' is missing.");
  assert.deepEqual(
    missing.body.meta.errors.map((error: { field: string }) => error.field),
    ['name', 'email'],
  );
  assertError(await rest.post('/operator', { name: 'A' }), 400, "Field 'email' is missing.");
  assertError(await rest.post('/operator', { name: 'A', email: 'x' }), 400, "Value of field 'email' is not valid.");
  assertError(await rest.post('/operator', newOperatorFields({ foo: 1 })), 400, "Field 'foo' is unknown.");

  const many = await rest.post('/operator', {
    zoo: 1,
    skill_list: 'x',
    chat_max_number: 51,
    call_config: { type: 'NOWHERE', colour: 'red' },
    email: 'x',
    pseudo: 5,
    name: 'A',
  });
  assertError(many, 400, "Value of field 'pseudo' is not valid.");
  assert.deepEqual(
    many.body.meta.errors.map((error: { field: string }) => error.field),
    ['pseudo', 'email', 'chat_max_number', 'skill_list[0]', 'call_config[type]', 'zoo', 'call_config[colour]'],
  );
  for (const { field, message } of many.body.meta.errors) {
    assert.ok(message.includes(`'${field}'`), message);
  }
  const rules = Object.fromEntries(
    many.body.meta.errors.map((error: { field: string; message: string }) => [error.field, error.message]),
  );
  assert.match(rules.chat_max_number, /1 to 50/);
  assert.match(rules['call_config[type]'], /ANSWER_FROM_PHONE or ANSWER_FROM_DESK/);
  assert.match(rules.zoo, /name, first_name/);
});

test('an unsupported method gets 405 with the allowed methods', async () => {
  const cases: [string, string, string[]][] = [
    ['PATCH', '/operator', ['GET', 'HEAD', 'POST', 'OPTIONS']],
    ['PUT', '/operator', ['GET', 'HEAD', 'POST', 'OPTIONS']],
    ['POST', '/operator/1', ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']],
    ['DELETE', '/operator/1/live', ['GET', 'HEAD', 'PUT', 'OPTIONS']],
    ['POST', '/operator/1/statistic', ['GET', 'HEAD', 'OPTIONS']],
    ['POST', '/client', ['GET', 'HEAD', 'OPTIONS']],
  ];
  for (const [method, path, allowed] of cases) {
    const response = await rest.send(method, path);
    assertError(response, 405, `The method ${method} is not allowed here.`);
    assert.deepEqual(response.headers.get('allow')?.split(', ').sort(), allowed.sort(), `${method} ${path}`);
  }
});

test('writes to /operator/live treat "live" as an unknown id', async () => {
  assertError(await rest.put('/operator/live', 'name=A'), 404, "Unknown 'operator' with 'id' live.");
  assertError(await rest.delete('/operator/live'), 404, "Unknown 'operator' with 'id' live.");
  assertError(await rest.post('/operator/live', 'connected=0'), 405);
});

test('HEAD responds like GET without the body', async () => {
  for (const path of ['/operator', '/operator/1', '/operator/live', '/operator/999', '/foo', '/client']) {
    const get = await rest.get(path);
    const head = await rest.send('HEAD', path);
    assert.equal(head.status, get.status, path);
    assert.equal(head.body, undefined);
    for (const name of ['content-type', 'content-length', 'cache-control', 'deprecation', 'link']) {
      assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`);
    }
  }
  const keyless = await fetch(`${switchboard.url}/api/2/operator`, { method: 'HEAD' });
  assert.equal(keyless.status, 403);
});

test('OPTIONS needs no key', async () => {
  const response = await fetch(`${switchboard.url}/api/2/operator/1`, { method: 'OPTIONS' });
  assert.equal(response.status, 204);
  assert.deepEqual(response.headers.get('allow')?.split(', ').sort(), ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PUT']);
  assert.equal(await response.text(), '');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('access-control-allow-origin'), null);
});

test('every response has the no-store and deprecation headers', async () => {
  const id = (await createOperator(rest)).id;
  const responses = [
    await rest.get('/operator'),
    await rest.get(`/operator/${id}/live`),
    await rest.put(`/operator/${id}`, { name: 'B' }),
    await rest.get('/operator/abc'),
    await rest.get('/foo'),
    await rest.send('PATCH', '/operator'),
    await rest.get('/operator?page=0'),
    await rest.get('/operator/%zz'),
    await rest.get(`/operator/${'9'.repeat(5000)}`),
    await restClient(switchboard.url, 'wrong').get('/operator'),
    await rest.post('/operator', 'x'.repeat(1024 * 1024 + 1)),
  ];
  assert.deepEqual(
    responses.map((response) => response.status),
    [200, 200, 200, 404, 404, 405, 400, 400, 414, 403, 413],
  );
  for (const { status, headers } of responses) {
    assert.equal(headers.get('cache-control'), 'no-store', `${status}`);
    assert.match(headers.get('deprecation') ?? '', /^@\d{10}$/, `${status}`);
    assert.match(headers.get('link') ?? '', /<[^>]+>; rel="deprecation".*<\/graphql>; rel="successor-version"/);
    assert.equal(headers.get('sunset'), null);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  }
});

test('a malformed query is refused', async () => {
  assertError(await rest.get('/operator?name=%zz'), 400, /percent-encoded/);
  assertInvalidField(await rest.get('/operator?page=x'), 'page');
});

test('configured CORS origins and the sunset date are sent in headers', async () => {
  const origin = 'https://app.example.com';
  const other = await startSwitchboard({
    env: { SWITCHBOARD_CORS_ORIGINS: `${origin},https://b.example.com`, SWITCHBOARD_REST_SUNSET: '2031-12-31' },
  });
  try {
    const client = restClient(other.url, other.key);
    const allowed = await client.get('/operator', { Origin: origin });
    assert.equal(allowed.headers.get('access-control-allow-origin'), origin);
    assert.equal(allowed.headers.get('vary'), 'Origin');
    assert.match(allowed.headers.get('access-control-expose-headers') ?? '', /Location/);
    assert.equal(allowed.headers.get('sunset'), 'Wed, 31 Dec 2031 00:00:00 GMT');
    for (const foreign of ['https://evil.example.com', 'http://app.example.com', `${origin}.evil.com`, 'null']) {
      const refused = await client.get('/operator', { Origin: foreign });
      assert.equal(refused.headers.get('access-control-allow-origin'), null, foreign);
      assert.equal(refused.headers.get('vary'), 'Origin');
    }
    const failed = await client.get('/operator/abc', { Origin: origin });
    assert.equal(failed.headers.get('access-control-allow-origin'), origin, 'errors must be readable by the page too');
    const preflight = await fetch(`${other.url}/api/2/operator`, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'x-api-key',
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), origin);
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /PUT/);
    assert.equal(preflight.headers.get('access-control-allow-headers'), 'x-api-key');
  } finally {
    await other.stop();
  }
});
