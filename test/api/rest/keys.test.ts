import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError, assertOk } from '../../support/clients/envelope.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import {
  createOperator,
  createOtherAccount,
  createReadKey,
  createResource,
  newOperatorFields,
} from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

let switchboard: Switchboard;
let rest: RestClient;
let other: RestClient;
let reader: string;
before(async () => {
  switchboard = await startSwitchboard({ env: { SWITCHBOARD_LOG_LEVEL: 'trace' } });
  rest = restClient(switchboard.url, switchboard.key);
  other = await createOtherAccount(switchboard);
  reader = await createReadKey(switchboard);
});
after(() => switchboard.stop());

/** Sends exactly these headers. */
async function request(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${switchboard.url}/api/2${path}`, { headers });
  return { status: response.status, body: JSON.parse(await response.text()) };
}
const basic = (user: string, password = 'x') => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

test('a key is read from the header, the query or the Basic user name', async () => {
  const { key } = switchboard;
  assertOk(await request('/operator', { 'X-API-Key': key }));
  assertOk(await request('/operator', { 'x-api-key': key }));
  assertOk(await request(`/operator?key=${key}`));
  assertOk(await request(`/operator?full=1&key=${key}&_=1`));
  assertOk(await request('/operator', { Authorization: basic(key) }));
  assertOk(await request('/operator', { Authorization: basic(key, '') }));
  assertOk(await request('/operator', { Authorization: basic(key, 'a:b:c') }));
  assertOk(await request('/operator', { Authorization: basic(key).replace('Basic', 'basic') }));
});

test('a missing or wrong key gets 403 with the same message', async () => {
  const refused = [
    await request('/operator'),
    await request('/operator', { 'X-API-Key': 'wrong' }),
    await request('/operator', { 'X-API-Key': '' }),
    await request('/operator?key='),
    await request('/operator?key[]=a'),
    await request(`/operator?key=${switchboard.key}&key=${switchboard.key}`),
    await request('/operator', { Authorization: basic('wrong', switchboard.key) }),
    await request('/operator', { Authorization: `Bearer ${switchboard.key}` }),
    await request('/operator', { Authorization: 'Basic' }),
    await request('/operator', { Authorization: 'Basic ***' }),
    await request('/operator', { 'X-API-Key': switchboard.key.toUpperCase() }),
  ];
  for (const response of refused) {
    assertError(response, 403, 'Forbidden');
    assert.deepEqual(response.body, { meta: { status: 'error', message: 'Forbidden' } });
  }
});

test('the first key found is the one used', async () => {
  const { key } = switchboard;
  assertOk(await request('/operator', { 'X-API-Key': key, Authorization: basic('unrelated', 'pair') }));
  assertOk(await request('/operator?key=wrong', { 'X-API-Key': key }));
  assertOk(await request(`/operator?key=${key}`, { Authorization: basic('wrong') }));
  assertError(await request(`/operator?key=${key}`, { 'X-API-Key': 'wrong' }), 403);
  assertError(await request('/operator?key=wrong', { Authorization: basic(key) }), 403);
  assertError(await request('/operator', { 'X-API-Key': 'wrong', Authorization: basic(key) }), 403);
});

test('a read key reads everything but the sso_key, and writes nothing', async () => {
  const readOnly = restClient(switchboard.url, reader);
  const created = await createOperator(rest);
  assert.equal(typeof created.sso_key, 'string');
  assert.ok(created.sso_key.length > 20);
  for (const path of [`/operator/${created.id}`, `/operator/${created.id}?fields[]=sso_key`]) {
    const seen = await readOnly.get(path);
    assertOk(seen);
    assert.equal(seen.body.data.sso_key, null, path);
    assert.equal((await rest.get(path)).body.data.sso_key, created.sso_key);
  }
  const list = await readOnly.get('/operator?full=1');
  for (const operator of list.body.data) assert.equal(operator.sso_key, null);
  const writes = [
    await readOnly.post('/operator', newOperatorFields()),
    await readOnly.post('/operator', {}),
    await readOnly.put(`/operator/${created.id}`, { name: 'X' }),
    await readOnly.put('/operator/456', { name: 'X' }),
    await readOnly.delete(`/operator/${created.id}`),
    await readOnly.put(`/operator/${created.id}/live`, 'chat[available]=1'),
    await readOnly.put(`/operator/${created.id}/profile`, 'city=X'),
    await readOnly.post('/website', { label: 'L', url: 'https://l.example.com' }),
    await readOnly.post('/group', { name: 'G' }),
    await readOnly.delete('/skill/1'),
  ];
  for (const response of writes) assertError(response, 403, 'Forbidden');
  assert.deepEqual((await rest.get(`/operator/${created.id}`)).body.data, created);
});

test('resources of another account behave like unknown ones', async () => {
  const mine = await createOperator(rest);
  const ids = {
    operator: mine.id,
    website: await createResource(rest, 'website', { label: 'Mine', url: 'https://mine.example.com' }),
    group: await createResource(rest, 'group', { name: 'Mine' }),
    skill: await createResource(rest, 'skill', { name: 'Mine' }),
  };
  for (const [resource, id] of Object.entries(ids)) {
    const unknown = { meta: { status: 'fail', message: `Unknown '${resource}' with 'id' ${id}.` } };
    const field = resource === 'website' ? 'label' : 'name';
    const responses = [
      await other.get(`/${resource}/${id}`),
      await other.put(`/${resource}/${id}`, { [field]: 'Taken' }),
      await other.delete(`/${resource}/${id}`),
    ];
    for (const response of responses) {
      assert.equal(response.status, 404);
      assert.deepEqual(response.body, unknown);
    }
    assert.equal((await other.get(`/${resource}?filters[id]=${id}`)).body.pagination.count, 0);
    assertOk(await rest.get(`/${resource}/${id}`));
  }
  for (const part of ['live', 'profile', 'statistic']) {
    assertError(await other.get(`/operator/${mine.id}/${part}`), 404, `Unknown 'operator' with 'id' ${mine.id}.`);
  }
  assertError(await other.put(`/operator/${mine.id}/live`, 'connected=0'), 404);
  assertError(await other.put(`/operator/${mine.id}/profile`, 'city=X'), 404);
  for (const wrong of [{ group_id: ids.group }, { skill_list: [ids.skill] }, { website_list: [ids.website] }]) {
    assertError(await other.post('/operator', newOperatorFields(wrong)), 400);
  }
  assertError(await other.post('/group', { name: 'Under', parent_id: ids.group }), 400);
  assert.equal((await other.get('/operator')).body.pagination.count, 1);
  assert.equal((await other.get('/client')).body.data[0].id, 2);
});

test('a revoked key and an expired key are soon refused', async () => {
  const created = await switchboard.runCommand([
    'key',
    'create',
    '--name',
    'brief',
    '--access',
    'write',
    '--account',
    '1',
  ]);
  const brief = created.stdout.match(/sb_\S+/)?.[0] ?? '';
  const number = created.stdout.match(/Key (\d+)/)?.[1] ?? '';
  assertOk(await request('/operator', { 'X-API-Key': brief }));
  const revoked = await switchboard.runCommand(['key', 'revoke', number, '--account', '1']);
  assert.equal(revoked.code, 0, revoked.stderr);
  // A checked key may be cached for a moment.
  const isRefused = async (key: string) => (await request('/operator', { 'X-API-Key': key })).status !== 200;
  await waitUntil('the revoked key is refused', () => isRefused(brief));
  assertError(await request('/operator', { 'X-API-Key': brief }), 403, 'Forbidden');

  const { query } = switchboard.storedData;
  await query("update api_keys set expires_at = ? where name = 'reader'", Date.now() - 1);
  const keys = await query('select name, prefix, key_hash from api_keys');
  await waitUntil('the expired key is refused', () => isRefused(reader));
  assertError(await request('/operator', { 'X-API-Key': reader }), 403, 'Forbidden');

  for (const row of keys) {
    assert.match(String(row.key_hash), /^[0-9a-f]{64}$/);
    assert.ok(String(row.prefix).length <= 8);
  }
  assert.ok(!JSON.stringify(keys).includes(brief));
});

test('keys, passwords and queries appear in no log, link or error', async () => {
  const password = 'super secret pass phrase';
  await rest.post(
    `/operator?key=query-key-of-another-client&password=${encodeURIComponent(password)}`,
    newOperatorFields({ password }),
  );
  await request('/operator/abc?key=query-key-of-another-client');
  await request('/operator?key=query-key-of-another-client', { Authorization: basic('basic-key-of-another-client') });
  const body = await rest.get('/operator?limit=1&page=2');
  assert.ok(!JSON.stringify(body).includes(switchboard.key));
  const log = switchboard.log();
  assert.match(log, /"route":"\/api\/2\/operator"/, 'the log is on');
  for (const secret of [
    switchboard.key,
    'query-key-of-another-client',
    'basic-key-of-another-client',
    'super',
    'limit=1',
  ]) {
    assert.ok(!log.includes(secret), secret);
  }
});
