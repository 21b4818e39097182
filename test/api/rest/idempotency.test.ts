import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertError, assertOk } from '../../support/clients/envelope.ts';
import { type RestClient, type RestResponse, restClient } from '../../support/clients/rest.ts';
import {
  createOperator,
  createOtherAccount,
  createReadKey,
  newOperatorFields,
} from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-idempotency-'));
let switchboard: Switchboard;
let rest: RestClient;
before(async () => {
  switchboard = await startSwitchboard({ folder });
  rest = restClient(switchboard.url, switchboard.key);
});
after(async () => {
  await switchboard.stop();
  rmSync(folder, { recursive: true, force: true });
});

const keyed = (key: string) => ({ 'Idempotency-Key': key });
const isReplayed = ({ headers }: RestResponse) => headers.get('idempotency-replayed') === 'true';
const count = async () => (await rest.get('/operator')).body.pagination.count;

test('the same key and the same request get the first response replayed, without secrets', async () => {
  const fields = newOperatorFields({ password: 'a fine old phrase' });
  const first = await rest.post('/operator', fields, keyed('create-1'));
  assertOk(first, 201);
  assert.ok(!isReplayed(first));
  assert.equal(typeof first.body.data.sso_key, 'string');
  const operatorCount = await count();
  const replayed = await rest.post('/operator', fields, keyed('create-1'));
  assert.equal(replayed.status, 201);
  assert.ok(isReplayed(replayed));
  assert.equal(replayed.headers.get('location'), first.headers.get('location'));
  assert.deepEqual(replayed.body, { ...first.body, data: { ...first.body.data, sso_key: null } });
  assert.equal(await count(), operatorCount);
});

test('a replay returns the first response, not the current state', async () => {
  const { id } = await createOperator(rest);
  const first = await rest.put(`/operator/${id}`, { name: 'First' }, keyed('put-1'));
  assertOk(await rest.put(`/operator/${id}`, { name: 'Second' }));
  const replayed = await rest.put(`/operator/${id}`, { name: 'First' }, keyed('put-1'));
  assert.deepEqual(replayed.body.data, { ...first.body.data, sso_key: null });
  assert.equal((await rest.get(`/operator/${id}`)).body.data.name, 'Second');
});

test('every REST write accepts a key', async () => {
  const { id } = await createOperator(rest);
  const writes: [string, () => Promise<RestResponse>][] = [
    ['live', () => rest.put(`/operator/${id}/live`, 'chat[available]=1', keyed('live'))],
    ['profile', () => rest.put(`/operator/${id}/profile`, 'city=Paris', keyed('profile'))],
    ['delete', () => rest.delete(`/operator/${id}`, keyed('delete'))],
    ['website', () => rest.post('/website', { label: 'W', url: 'https://w.example.com' }, keyed('website'))],
    ['group', () => rest.post('/group', { name: 'G' }, keyed('group'))],
    ['skill', () => rest.post('/skill', { name: 'S' }, keyed('skill'))],
    ['group update', () => rest.put('/group/1', { name: 'H' }, keyed('group update'.replace(' ', '-')))],
    ['group delete', () => rest.delete('/group/1', keyed('group-delete'))],
  ];
  for (const [name, write] of writes) {
    const first = await write();
    assert.ok(first.status < 300 && !isReplayed(first), name);
    const replayed = await write();
    assert.ok(isReplayed(replayed), name);
    assert.deepEqual([replayed.status, replayed.body], [first.status, first.body], name);
  }
  assert.equal((await rest.get('/skill')).body.pagination.count, 1);
});

test('another request with the same key gets 422', async () => {
  const fields = newOperatorFields();
  assertOk(await rest.post('/operator', fields, keyed('other-1')), 201);
  const { id } = (await rest.post('/operator', newOperatorFields())).body.data;
  const others = [
    await rest.post('/operator', { ...fields, name: 'Changed' }, keyed('other-1')),
    await rest.post('/operator', newOperatorFields(), keyed('other-1')),
    await rest.put(`/operator/${id}`, fields, keyed('other-1')),
    await rest.delete(`/operator/${id}`, keyed('other-1')),
    await rest.post('/group', fields, keyed('other-1')),
    await rest.post('/operator', JSON.stringify(fields), keyed('other-1')),
  ];
  for (const response of others) {
    assertError(response, 422, 'This Idempotency-Key was used for another request.');
  }
  assertOk(await rest.get(`/operator/${id}`));
  assert.ok(isReplayed(await rest.post('/operator', fields, keyed('other-1'))), 'the first response is still stored');
});

test('keys are scoped to the credential', async () => {
  const stdout = (
    await switchboard.runCommand(['key', 'create', '--name', 'second', '--access', 'write', '--account', '1'])
  ).stdout;
  const second = restClient(switchboard.url, stdout.match(/sb_\S+/)?.[0] ?? '');
  const other = await createOtherAccount(switchboard);
  for (const [index, client] of [rest, second, other].entries()) {
    const response = await client.post('/group', { name: `Of client ${index}` }, keyed('shared'));
    assertOk(response, 201);
    assert.equal(response.body.data.name, `Of client ${index}`);
    assert.ok(!isReplayed(response));
  }
});

test('failures are replayed: 400, 404 and 409', async () => {
  const taken = newOperatorFields();
  const { id } = (await rest.post('/operator', taken)).body.data;
  const later = newOperatorFields({ external_id: 'later' });
  const cases: [number, () => Promise<RestResponse>][] = [
    [400, () => rest.post('/operator', { name: 'A' }, keyed('fail-400'))],
    [404, () => rest.put('/operator/9999', { name: 'A' }, keyed('fail-404'))],
    [409, () => rest.post('/operator', { ...later, email: taken.email }, keyed('fail-409'))],
  ];
  for (const [status, write] of cases) {
    const first = await write();
    assertError(first, status);
    assert.ok(!isReplayed(first));
  }
  assertOk(await rest.delete(`/operator/${id}`));
  for (const [status, write] of cases) {
    const replayed = await write();
    assertError(replayed, status);
    assert.ok(isReplayed(replayed), `${status}, although it would succeed now`);
  }
});

test('403 is not replayed', async () => {
  const reader = restClient(switchboard.url, await createReadKey(switchboard));
  const fields = newOperatorFields();
  for (let time = 0; time < 2; time++) {
    const response = await reader.post('/operator', fields, keyed('forbidden'));
    assertError(response, 403, 'Forbidden');
    assert.ok(!isReplayed(response));
  }
  assertOk(await rest.post('/operator', fields, keyed('forbidden')), 201);
});

test('415 is not replayed: the body was never read', async () => {
  const wrong = await rest.send('POST', '/group', {
    body: 'name=A',
    headers: { 'Content-Type': 'text/plain', ...keyed('media') },
  });
  assertError(wrong, 415);
  assertOk(await rest.post('/group', 'name=A', keyed('media')), 201);
});

test('twenty concurrent requests with one key create one operator', async () => {
  const fields = newOperatorFields({ password: 'a fine old phrase' });
  const operatorCount = await count();
  const responses = await Promise.all(Array.from({ length: 20 }, () => rest.post('/operator', fields, keyed('burst'))));
  for (const response of responses) assertOk(response, 201);
  assert.equal(new Set(responses.map((response) => response.body.data.id)).size, 1);
  assert.equal(responses.filter((response) => !isReplayed(response)).length, 1);
  assert.equal(responses.filter((response) => response.body.data.sso_key !== null).length, 1);
  assert.equal(await count(), operatorCount + 1);
});

test('twenty different concurrent requests with one key: one succeeds, the others get 422', async () => {
  const operatorCount = await count();
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => rest.post('/operator', newOperatorFields(), keyed('mixed'))),
  );
  const statuses = responses.map((response) => response.status).sort();
  assert.deepEqual(statuses, [201, ...Array(19).fill(422)]);
  assert.equal(await count(), operatorCount + 1);
});

test('a malformed key is refused on writes and ignored on reads', async () => {
  for (const key of ['', ' ', 'a b', 'x'.repeat(256), 'ä', 'tab\there']) {
    const response = await rest.post('/group', { name: 'Never' }, keyed(key));
    assertError(response, 400, 'The Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  assertOk(await rest.post('/group', { name: 'Long' }, keyed('x'.repeat(255))), 201);
  assert.equal((await rest.get('/group?filters[name]=Never')).body.pagination.count, 0);
  assertOk(await rest.get('/group', keyed('a b')));
});

test('keys, request bodies and passwords are not stored, and responses survive a restart', async () => {
  const fields = newOperatorFields({ password: 'never to be seen 42', first_name: 'Hidden', pseudo: 'P' });
  const first = await rest.post('/operator', fields, keyed('key-in-plain-sight'));
  assertOk(first, 201);
  const ssoKey = first.body.data.sso_key;
  assertError(await rest.post('/operator', { password: 'never to be seen 43' }, keyed('refused')), 400);
  await switchboard.stop();

  const rows = await switchboard.storedData.query('select * from idempotency_keys');
  assert.ok(rows.length > 10);
  for (const row of rows) {
    assert.match(String(row.key_hash), /^[0-9a-f]{64}$/);
    assert.match(String(row.request_hash), /^[0-9a-f]{64}$/);
    const body = JSON.parse(String(row.body));
    assert.ok(body.data?.sso_key === undefined || body.data.sso_key === null);
  }
  const everything = await switchboard.storedData.dumpRowsAndFiles();
  for (const secret of ['never to be seen', 'key-in-plain-sight', 'a fine old phrase', ssoKey, switchboard.key]) {
    assert.ok(!everything.includes(secret), secret);
  }

  switchboard = await startSwitchboard({ folder });
  rest = restClient(switchboard.url, switchboard.key);
  const replayed = await rest.post('/operator', fields, keyed('key-in-plain-sight'));
  assert.ok(isReplayed(replayed));
  assert.equal(replayed.body.data.id, first.body.data.id);
});

test('a key expires after a day', async () => {
  assertOk(await rest.post('/group', { name: 'Yesterday' }, keyed('daily')), 201);
  await switchboard.storedData.query(
    'update idempotency_keys set created_at = created_at - ?',
    24 * 3600 * 1000 + 1000,
  );
  const response = await rest.post('/group', { name: 'Today' }, keyed('daily'));
  assertOk(response, 201);
  assert.equal(response.body.data.name, 'Today');
});
