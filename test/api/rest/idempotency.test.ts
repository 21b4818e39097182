import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertOk, assertRefused } from '../../support/clients/envelope.ts';
import { type RestAnswer, type RestClient, restClient } from '../../support/clients/rest.ts';
import { addOperator, newPerson, otherAccount, readKey } from '../../support/people/people.ts';
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
const replayed = ({ headers }: RestAnswer) => headers.get('idempotency-replayed') === 'true';
const count = async () => (await rest.get('/operator')).body.pagination.count;

test('the same key and the same request: the first answer again, secrets blanked', async () => {
  const person = newPerson({ password: 'a fine old phrase' });
  const first = await rest.post('/operator', person, keyed('create-1'));
  assertOk(first, 201);
  assert.ok(!replayed(first));
  assert.equal(typeof first.body.data.sso_key, 'string');
  const people = await count();
  const again = await rest.post('/operator', person, keyed('create-1'));
  assert.equal(again.status, 201);
  assert.ok(replayed(again));
  assert.equal(again.headers.get('location'), first.headers.get('location'));
  assert.deepEqual(again.body, { ...first.body, data: { ...first.body.data, sso_key: null } });
  assert.equal(await count(), people);
});

test('a replay shows the first answer, not the present state', async () => {
  const { id } = await addOperator(rest);
  const first = await rest.put(`/operator/${id}`, { name: 'First' }, keyed('put-1'));
  assertOk(await rest.put(`/operator/${id}`, { name: 'Second' }));
  const again = await rest.put(`/operator/${id}`, { name: 'First' }, keyed('put-1'));
  assert.deepEqual(again.body.data, { ...first.body.data, sso_key: null });
  assert.equal((await rest.get(`/operator/${id}`)).body.data.name, 'Second');
});

test('every write of the interface takes a key', async () => {
  const { id } = await addOperator(rest);
  const writes: [string, () => Promise<RestAnswer>][] = [
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
    assert.ok(first.status < 300 && !replayed(first), name);
    const again = await write();
    assert.ok(replayed(again), name);
    assert.deepEqual([again.status, again.body], [first.status, first.body], name);
  }
  assert.equal((await rest.get('/skill')).body.pagination.count, 1);
});

test('another request under the same key: 422', async () => {
  const person = newPerson();
  assertOk(await rest.post('/operator', person, keyed('other-1')), 201);
  const { id } = (await rest.post('/operator', newPerson())).body.data;
  const others = [
    await rest.post('/operator', { ...person, name: 'Changed' }, keyed('other-1')),
    await rest.post('/operator', newPerson(), keyed('other-1')),
    await rest.put(`/operator/${id}`, person, keyed('other-1')),
    await rest.delete(`/operator/${id}`, keyed('other-1')),
    await rest.post('/group', person, keyed('other-1')),
    await rest.post('/operator', JSON.stringify(person), keyed('other-1')),
  ];
  for (const answer of others) {
    assertRefused(answer, 422, 'This Idempotency-Key was used for another request.');
  }
  assertOk(await rest.get(`/operator/${id}`));
  assert.ok(replayed(await rest.post('/operator', person, keyed('other-1'))), 'and the first is still kept');
});

test('keys of different credentials never meet', async () => {
  const stdout = (
    await switchboard.command(['key', 'create', '--name', 'second', '--access', 'write', '--account', '1'])
  ).stdout;
  const second = restClient(switchboard.url, stdout.match(/sb_\S+/)?.[0] ?? '');
  const other = await otherAccount(switchboard);
  for (const [index, client] of [rest, second, other].entries()) {
    const answer = await client.post('/group', { name: `Of client ${index}` }, keyed('shared'));
    assertOk(answer, 201);
    assert.equal(answer.body.data.name, `Of client ${index}`);
    assert.ok(!replayed(answer));
  }
});

test('failures are kept: 400, 404 and 409', async () => {
  const taken = newPerson();
  const { id } = (await rest.post('/operator', taken)).body.data;
  const later = newPerson({ external_id: 'later' });
  const cases: [number, () => Promise<RestAnswer>][] = [
    [400, () => rest.post('/operator', { name: 'A' }, keyed('fail-400'))],
    [404, () => rest.put('/operator/9999', { name: 'A' }, keyed('fail-404'))],
    [409, () => rest.post('/operator', { ...later, email: taken.email }, keyed('fail-409'))],
  ];
  for (const [status, write] of cases) {
    const first = await write();
    assertRefused(first, status);
    assert.ok(!replayed(first));
  }
  assertOk(await rest.delete(`/operator/${id}`));
  for (const [status, write] of cases) {
    const again = await write();
    assertRefused(again, status);
    assert.ok(replayed(again), `${status}, although it would succeed by now`);
  }
});

test('403 is not kept', async () => {
  const reader = restClient(switchboard.url, await readKey(switchboard));
  const person = newPerson();
  for (let time = 0; time < 2; time++) {
    const answer = await reader.post('/operator', person, keyed('forbidden'));
    assertRefused(answer, 403, 'Forbidden');
    assert.ok(!replayed(answer));
  }
  assertOk(await rest.post('/operator', person, keyed('forbidden')), 201);
});

test('415 and 413 are not kept: the request never was one', async () => {
  const wrong = await rest.send('POST', '/group', {
    body: 'name=A',
    headers: { 'Content-Type': 'text/plain', ...keyed('media') },
  });
  assertRefused(wrong, 415);
  assertOk(await rest.post('/group', 'name=A', keyed('media')), 201);
});

test('twenty at once with one key create one', async () => {
  const person = newPerson({ password: 'a fine old phrase' });
  const people = await count();
  const answers = await Promise.all(Array.from({ length: 20 }, () => rest.post('/operator', person, keyed('burst'))));
  for (const answer of answers) assertOk(answer, 201);
  assert.equal(new Set(answers.map((answer) => answer.body.data.id)).size, 1);
  assert.equal(answers.filter((answer) => !replayed(answer)).length, 1);
  assert.equal(answers.filter((answer) => answer.body.data.sso_key !== null).length, 1);
  assert.equal(await count(), people + 1);
});

test('twenty different requests at once with one key: one is done, the others are 422', async () => {
  const people = await count();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => rest.post('/operator', newPerson(), keyed('mixed'))),
  );
  const statuses = answers.map((answer) => answer.status).sort();
  assert.deepEqual(statuses, [201, ...Array(19).fill(422)]);
  assert.equal(await count(), people + 1);
});

test('a key that is none is refused, and reads do not look at it', async () => {
  for (const key of ['', ' ', 'a b', 'x'.repeat(256), 'ä', 'tab\there']) {
    const answer = await rest.post('/group', { name: 'Never' }, keyed(key));
    assertRefused(answer, 400, 'The Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  assertOk(await rest.post('/group', { name: 'Long' }, keyed('x'.repeat(255))), 201);
  assert.equal((await rest.get('/group?filters[name]=Never')).body.pagination.count, 0);
  assertOk(await rest.get('/group', keyed('a b')));
});

test('a row holds neither key nor body nor password, and a restart forgets nothing', async () => {
  const person = newPerson({ password: 'never to be seen 42', first_name: 'Hidden', pseudo: 'P' });
  const first = await rest.post('/operator', person, keyed('key-in-plain-sight'));
  assertOk(first, 201);
  const ssoKey = first.body.data.sso_key;
  assertRefused(await rest.post('/operator', { password: 'never to be seen 43' }, keyed('refused')), 400);
  await switchboard.stop();

  const rows = await switchboard.stored.rows('select * from idempotency_keys');
  assert.ok(rows.length > 10);
  for (const row of rows) {
    assert.match(String(row.key_hash), /^[0-9a-f]{64}$/);
    assert.match(String(row.request_hash), /^[0-9a-f]{64}$/);
    const body = JSON.parse(String(row.body));
    assert.ok(body.data?.sso_key === undefined || body.data.sso_key === null);
  }
  const everything = await switchboard.stored.everything();
  for (const secret of ['never to be seen', 'key-in-plain-sight', 'a fine old phrase', ssoKey, switchboard.key]) {
    assert.ok(!everything.includes(secret), secret);
  }

  switchboard = await startSwitchboard({ folder });
  rest = restClient(switchboard.url, switchboard.key);
  const again = await rest.post('/operator', person, keyed('key-in-plain-sight'));
  assert.ok(replayed(again));
  assert.equal(again.body.data.id, first.body.data.id);
});

test('after a day a key is free again', async () => {
  assertOk(await rest.post('/group', { name: 'Yesterday' }, keyed('daily')), 201);
  await switchboard.stored.rows('update idempotency_keys set created_at = created_at - ?', 24 * 3600 * 1000 + 1000);
  const answer = await rest.post('/group', { name: 'Today' }, keyed('daily'));
  assertOk(answer, 201);
  assert.equal(answer.body.data.name, 'Today');
});
