import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertOk, assertRefused } from '../../support/clients/envelope.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { add, addOperator, newPerson, otherAccount, readKey } from '../../support/people/people.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { until } from '../../support/waiting/until.ts';

let switchboard: Switchboard;
let rest: RestClient;
let other: RestClient;
let reader: string;
before(async () => {
  switchboard = await startSwitchboard({ env: { SWITCHBOARD_LOG_LEVEL: 'trace' } });
  rest = restClient(switchboard.url, switchboard.key);
  other = await otherAccount(switchboard);
  reader = await readKey(switchboard);
});
after(() => switchboard.stop());

/** A request with exactly these headers. */
async function bare(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${switchboard.url}/api/2${path}`, { headers });
  return { status: response.status, body: JSON.parse(await response.text()) };
}
const basic = (user: string, password = 'x') => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

test('a key is taken from the header, the query or the Basic user name', async () => {
  const { key } = switchboard;
  assertOk(await bare('/operator', { 'X-API-Key': key }));
  assertOk(await bare('/operator', { 'x-api-key': key }));
  assertOk(await bare(`/operator?key=${key}`));
  assertOk(await bare(`/operator?full=1&key=${key}&_=1`));
  assertOk(await bare('/operator', { Authorization: basic(key) }));
  assertOk(await bare('/operator', { Authorization: basic(key, '') }));
  assertOk(await bare('/operator', { Authorization: basic(key, 'a:b:c') }));
  assertOk(await bare('/operator', { Authorization: basic(key).replace('Basic', 'basic') }));
});

test('no key or a wrong one: 403, the same words', async () => {
  const refused = [
    await bare('/operator'),
    await bare('/operator', { 'X-API-Key': 'wrong' }),
    await bare('/operator', { 'X-API-Key': '' }),
    await bare('/operator?key='),
    await bare('/operator?key[]=a'),
    await bare(`/operator?key=${switchboard.key}&key=${switchboard.key}`),
    await bare('/operator', { Authorization: basic('wrong', switchboard.key) }),
    await bare('/operator', { Authorization: `Bearer ${switchboard.key}` }),
    await bare('/operator', { Authorization: 'Basic' }),
    await bare('/operator', { Authorization: 'Basic ***' }),
    await bare('/operator', { 'X-API-Key': switchboard.key.toUpperCase() }),
  ];
  for (const answer of refused) {
    assertRefused(answer, 403, 'Forbidden');
    assert.deepEqual(answer.body, { meta: { status: 'error', message: 'Forbidden' } });
  }
});

test('the first key found is the one used', async () => {
  const { key } = switchboard;
  assertOk(await bare('/operator', { 'X-API-Key': key, Authorization: basic('someone', 'else') }));
  assertOk(await bare('/operator?key=wrong', { 'X-API-Key': key }));
  assertOk(await bare(`/operator?key=${key}`, { Authorization: basic('wrong') }));
  assertRefused(await bare(`/operator?key=${key}`, { 'X-API-Key': 'wrong' }), 403);
  assertRefused(await bare('/operator?key=wrong', { Authorization: basic(key) }), 403);
  assertRefused(await bare('/operator', { 'X-API-Key': 'wrong', Authorization: basic(key) }), 403);
});

test('a read key reads everything but the sso_key, and writes nothing', async () => {
  const readOnly = restClient(switchboard.url, reader);
  const made = await addOperator(rest);
  assert.equal(typeof made.sso_key, 'string');
  assert.ok(made.sso_key.length > 20);
  for (const path of [`/operator/${made.id}`, `/operator/${made.id}?fields[]=sso_key`]) {
    const seen = await readOnly.get(path);
    assertOk(seen);
    assert.equal(seen.body.data.sso_key, null, path);
    assert.equal((await rest.get(path)).body.data.sso_key, made.sso_key);
  }
  const list = await readOnly.get('/operator?full=1');
  for (const operator of list.body.data) assert.equal(operator.sso_key, null);
  const writes = [
    await readOnly.post('/operator', newPerson()),
    await readOnly.post('/operator', {}),
    await readOnly.put(`/operator/${made.id}`, { name: 'X' }),
    await readOnly.put('/operator/456', { name: 'X' }),
    await readOnly.delete(`/operator/${made.id}`),
    await readOnly.put(`/operator/${made.id}/live`, 'chat[available]=1'),
    await readOnly.put(`/operator/${made.id}/profile`, 'city=X'),
    await readOnly.post('/website', { label: 'L', url: 'https://l.example.com' }),
    await readOnly.post('/group', { name: 'G' }),
    await readOnly.delete('/skill/1'),
  ];
  for (const answer of writes) assertRefused(answer, 403, 'Forbidden');
  assert.deepEqual((await rest.get(`/operator/${made.id}`)).body.data, made);
});

test('what belongs to another account answers like what does not exist', async () => {
  const mine = await addOperator(rest);
  const ids = {
    operator: mine.id,
    website: await add(rest, 'website', { label: 'Mine', url: 'https://mine.example.com' }),
    group: await add(rest, 'group', { name: 'Mine' }),
    skill: await add(rest, 'skill', { name: 'Mine' }),
  };
  for (const [resource, id] of Object.entries(ids)) {
    const unknown = { meta: { status: 'fail', message: `Unknown '${resource}' with 'id' ${id}.` } };
    const field = resource === 'website' ? 'label' : 'name';
    const answers = [
      await other.get(`/${resource}/${id}`),
      await other.put(`/${resource}/${id}`, { [field]: 'Taken' }),
      await other.delete(`/${resource}/${id}`),
    ];
    for (const answer of answers) {
      assert.equal(answer.status, 404);
      assert.deepEqual(answer.body, unknown);
    }
    assert.equal((await other.get(`/${resource}?filters[id]=${id}`)).body.pagination.count, 0);
    assertOk(await rest.get(`/${resource}/${id}`));
  }
  for (const part of ['live', 'profile', 'statistic']) {
    assertRefused(await other.get(`/operator/${mine.id}/${part}`), 404, `Unknown 'operator' with 'id' ${mine.id}.`);
  }
  assertRefused(await other.put(`/operator/${mine.id}/live`, 'connected=0'), 404);
  assertRefused(await other.put(`/operator/${mine.id}/profile`, 'city=X'), 404);
  for (const wrong of [{ group_id: ids.group }, { skill_list: [ids.skill] }, { website_list: [ids.website] }]) {
    assertRefused(await other.post('/operator', newPerson(wrong)), 400);
  }
  assertRefused(await other.post('/group', { name: 'Under', parent_id: ids.group }), 400);
  assert.equal((await other.get('/operator')).body.pagination.count, 1);
  assert.equal((await other.get('/client')).body.data[0].id, 2);
});

test('a revoked key and a key past its end are soon refused', async () => {
  const made = await switchboard.command(['key', 'create', '--name', 'brief', '--access', 'write', '--account', '1']);
  const brief = made.stdout.match(/sb_\S+/)?.[0] ?? '';
  const number = made.stdout.match(/Key (\d+)/)?.[1] ?? '';
  assertOk(await bare('/operator', { 'X-API-Key': brief }));
  const revoked = await switchboard.command(['key', 'revoke', number, '--account', '1']);
  assert.equal(revoked.code, 0, revoked.stderr);
  // A checked key may be remembered for a moment.
  const isRefused = async (key: string) => (await bare('/operator', { 'X-API-Key': key })).status !== 200;
  await until('the revoked key is refused', () => isRefused(brief));
  assertRefused(await bare('/operator', { 'X-API-Key': brief }), 403, 'Forbidden');

  const { rows } = switchboard.stored;
  await rows("update api_keys set expires_at = ? where name = 'reader'", Date.now() - 1);
  const kept = await rows('select name, prefix, key_hash from api_keys');
  await until('the key past its end is refused', () => isRefused(reader));
  assertRefused(await bare('/operator', { 'X-API-Key': reader }), 403, 'Forbidden');

  for (const row of kept) {
    assert.match(String(row.key_hash), /^[0-9a-f]{64}$/);
    assert.ok(String(row.prefix).length <= 8);
  }
  assert.ok(!JSON.stringify(kept).includes(brief));
});

test('keys, passwords and queries reach neither log nor link nor error', async () => {
  const password = 'super secret pass phrase';
  await rest.post(
    `/operator?key=query-key-of-somebody&password=${encodeURIComponent(password)}`,
    newPerson({ password }),
  );
  await bare('/operator/abc?key=query-key-of-somebody');
  await bare('/operator?key=query-key-of-somebody', { Authorization: basic('basic-key-of-somebody') });
  const body = await rest.get('/operator?limit=1&page=2');
  assert.ok(!JSON.stringify(body).includes(switchboard.key));
  const written = switchboard.log();
  assert.match(written, /"route":"\/api\/2\/operator"/, 'the log is on');
  for (const secret of [switchboard.key, 'query-key-of-somebody', 'basic-key-of-somebody', 'super', 'limit=1']) {
    assert.ok(!written.includes(secret), secret);
  }
});
