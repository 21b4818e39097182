import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError, assertInvalidField, assertOk } from '../../support/clients/envelope.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import type { StoredData } from '../../support/databases/stored-data.ts';
import {
  createOperator,
  createOtherAccount,
  createResource,
  listIds,
  newOperatorFields,
} from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

let switchboard: Switchboard;
let rest: RestClient;
let other: RestClient;
before(async () => {
  switchboard = await startSwitchboard({ demo: true });
  rest = restClient(switchboard.url, switchboard.key);
  other = await createOtherAccount(switchboard);
});
after(() => switchboard.stop());

const stored: StoredData['query'] = (sql, ...parameters) => switchboard.storedData.query(sql, ...parameters);

async function login(username: string, password: string): Promise<{ status: number; token: string }> {
  const response = await fetch(`${switchboard.url}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', username, password }),
  });
  const { access_token: token = '' } = (await response.json()) as { access_token?: string };
  return { status: response.status, token };
}

async function isAuthenticated(token: string): Promise<boolean> {
  const response = await fetch(`${switchboard.url}/_authenticated`, { headers: { Authorization: `Bearer ${token}` } });
  return response.status === 200;
}

test('an e-mail is unique on the whole platform, ignoring case, until it is released', async () => {
  const taken = await createOperator(rest, { email: 'Straße.Ünique@Example.com' });
  assert.equal(taken.email, 'Straße.Ünique@Example.com', 'stored as sent');
  const mine = await createOperator(rest);
  for (const email of ['Straße.Ünique@Example.com', 'STRASSE.ÜNIQUE@EXAMPLE.COM', 'straße.ünique@example.com']) {
    for (const response of [
      await rest.post('/operator', newOperatorFields({ email })),
      await other.post('/operator', newOperatorFields({ email })),
      await rest.put(`/operator/${mine.id}`, { email }),
    ]) {
      assertError(response, 409, "Value of field 'email' is already used.");
      assert.equal(response.body.meta.errors[0].field, 'email');
    }
  }
  assertOk(await rest.put(`/operator/${taken.id}`, { email: 'STRASSE.ÜNIQUE@example.com' }));
  assertOk(await rest.delete(`/operator/${taken.id}`));
  const reused = await other.post('/operator', newOperatorFields({ email: 'straße.ünique@example.com' }));
  assertOk(reused, 201);
  assertOk(await other.put(`/operator/${reused.body.data.id}`, { email: 'moved@example.com' }));
  assertOk(await rest.put(`/operator/${mine.id}`, { email: 'Straße.Ünique@Example.com' }));
});

test('an e-mail must be valid', async () => {
  for (const good of ['a@b.example', 'a.b+c@example.co.uk', 'ünï@example.com', "o'neil@example.com", 'me@localhost']) {
    const response = await rest.post('/operator', newOperatorFields({ email: good }));
    assertOk(response, 201);
    assert.equal(response.body.data.email, good);
  }
  const bad = [
    '',
    'a',
    'a@',
    '@b.example',
    'a@b',
    'a b@example.com',
    'a@b..example',
    '.a@example.com',
    'a@@example.com',
  ];
  for (const email of [
    ...bad,
    ' a@example.com',
    'a@example.com\n',
    'a@exa\0mple.com',
    `${'x'.repeat(250)}@example.com`,
    5,
    null,
    ['a@b.example'],
  ]) {
    assertInvalidField(await rest.post('/operator', newOperatorFields({ email })), 'email');
  }
});

test('an external_id is unique in its account', async () => {
  const mine = await createOperator(rest, { external_id: 'crm-1' });
  const second = await createOperator(rest);
  assertError(
    await rest.post('/operator', newOperatorFields({ external_id: 'crm-1' })),
    409,
    "Value of field 'external_id' is already used.",
  );
  assertError(await rest.put(`/operator/${second.id}`, { external_id: 'crm-1' }), 409);
  assertOk(await other.post('/operator', newOperatorFields({ external_id: 'crm-1' })), 201);
  assertOk(await rest.put(`/operator/${mine.id}`, { external_id: 'crm-1' }));
  assertOk(await rest.delete(`/operator/${mine.id}`));
  assertOk(await rest.put(`/operator/${second.id}`, { external_id: 'crm-1' }));
  assert.equal((await createOperator(rest, { external_id: null })).external_id, null);
  assert.equal((await createOperator(rest, { external_id: '' })).external_id, null);
});

test('groups, websites and skills must exist', async () => {
  const { id } = await createOperator(rest);
  assertInvalidField(await rest.post('/operator', newOperatorFields({ group_id: 999 })), 'group_id');
  assertInvalidField(await rest.put(`/operator/${id}`, { group_id: 999 }), 'group_id');
  assertInvalidField(await rest.put(`/operator/${id}`, { website_list: [1, 999] }), 'website_list');
  assertInvalidField(await rest.put(`/operator/${id}`, { skill_list: [999, 1] }), 'skill_list');
  const several = await rest.put(`/operator/${id}`, { group_id: 999, website_list: [999], skill_list: [999] });
  assert.deepEqual(
    several.body.meta.errors.map((error: { field: string }) => error.field),
    ['group_id', 'website_list', 'skill_list'],
  );
  const twice = await rest.put(`/operator/${id}`, { website_list: [2, 1, 2] });
  assert.deepEqual(twice.body.data.website_list, [1, 2]);
  const many = Array.from({ length: 1001 }, (_, index) => index + 1);
  assertInvalidField(await rest.put(`/operator/${id}`, { website_list: many }), 'website_list');
});

test('a password has 10 to 200 characters, is not a common one, and is never returned', async () => {
  const { id, email } = await createOperator(rest);
  assert.equal((await login(email, 'anything at all')).status, 400, 'no login without a password');
  const put = (password: unknown) => rest.put(`/operator/${id}`, { password });
  for (const bad of [
    '',
    'nine char',
    'x'.repeat(201),
    '1234567890',
    'password123',
    'PASSWORD123',
    'aaaaaaaaaaaaaaa',
    email,
    5,
    null,
  ]) {
    assertInvalidField(await put(bad), 'password');
  }
  assertInvalidField(await rest.post('/operator', newOperatorFields({ password: '1234567890' })), 'password');
  assertOk(await put('x y '.repeat(50)));
  const response = await put('a fine old phrase');
  assertOk(response);
  assert.ok(!JSON.stringify(response.body).includes('fine old'));
  assert.ok(!('password' in response.body.data));
  const { status, token } = await login(email, 'a fine old phrase');
  assert.equal(status, 200);
  assert.ok(await isAuthenticated(token));
  assertOk(await put('quite another phrase'));
  assert.equal((await login(email, 'a fine old phrase')).status, 400);
  assert.equal((await login(email, 'quite another phrase')).status, 200);
  assert.doesNotMatch(JSON.stringify(await stored('select * from logins')), /phrase/);
});

test('a delete revokes tokens, requeues conversations and keeps the history', async () => {
  const active = "select operator_id as id from conversations where account_id = 1 and state = 'active'";
  const id = Number((await stored(active))[0]?.id);
  const password = 'a fine old phrase';
  const { body } = await rest.put(`/operator/${id}`, { password });
  const { token } = await login(body.data.email, password);
  assert.ok(await isAuthenticated(token));
  const history = 'select count(*) as count from conversations where account_id = 1 and operator_id = ?';
  const closed = `${history} and state = 'closed'`;
  const before = Number((await stored(closed, id))[0]?.count);
  const running = Number((await stored(history, id))[0]?.count) - before;
  assert.ok(before > 0 && running > 0);
  const ran = await stored(
    "select id from conversations where account_id = 1 and operator_id = ? and state = 'active'",
    id,
  );
  assert.equal(ran.length, running);
  const surveys = (await stored('select id from satisfactions where account_id = 1 and operator_id = ?', id)).length;

  const response = await rest.delete(`/operator/${id}`);
  assertOk(response);
  assert.deepEqual(response.body, { meta: { status: 'success' } });
  for (const path of ['', '/live', '/profile', '/statistic']) {
    assertError(await rest.get(`/operator/${id}${path}`), 404, `Unknown 'operator' with 'id' ${id}.`);
  }
  assertError(await rest.delete(`/operator/${id}`), 404, `Unknown 'operator' with 'id' ${id}.`);
  assertError(await rest.put(`/operator/${id}`, { name: 'Back' }), 404);
  assert.equal((await login(body.data.email, password)).status, 400);
  assert.ok(!(await listIds(rest, '/operator/live?connected=0&filters[id]=*')).includes(id));
  assert.equal(Number((await stored(closed, id))[0]?.count), before, 'closed conversations are kept');
  assert.equal(
    (await stored('select id from satisfactions where account_id = 1 and operator_id = ?', id)).length,
    surveys,
  );
  assert.equal(Number((await stored(history, id))[0]?.count), before, 'active conversations are requeued');
  for (const { id: conversation } of ran) {
    const [now] = await stored(
      'select state, operator_id, accepted_at, close_reason from conversations where account_id = 1 and id = ?',
      Number(conversation),
    );
    const isRequeued = now?.state === 'queued' || (now?.state === 'offered' && now.operator_id !== id);
    assert.ok(isRequeued || now?.close_reason === 'nobody_could_serve', JSON.stringify(now));
    assert.ok(now.accepted_at, 'the time of acceptance is kept');
  }
  await waitUntil('a deleted operator has no valid token', async () => !(await isAuthenticated(token)));
});

test('the last admin cannot be deleted or demoted', async () => {
  const admins = async () => {
    const { body } = await rest.get('/operator?full=1&limit=100');
    return body.data.filter((operator: { roles: string[] }) => operator.roles.includes('admin'));
  };
  assert.equal((await admins()).length, 1);
  assertError(await rest.delete('/operator/1'), 409, 'The last admin of an account cannot be deleted.');
  assertError(
    await rest.put('/operator/1', { role: 'manager' }),
    409,
    'The last admin of an account cannot be demoted.',
  );
  assertError(await rest.put('/operator/1', { roles: ['operator'] }), 409);
  assertOk(await rest.put('/operator/1', { roles: ['admin', 'operator'] }));
  assertOk(await other.post('/operator', newOperatorFields({ roles: ['admin'] })), 201);
  assertError(await rest.delete('/operator/1'), 409, undefined);
  const second = await createOperator(rest, { roles: ['admin'] });
  const both = await Promise.all([rest.delete('/operator/1'), rest.delete(`/operator/${second.id}`)]);
  assert.deepEqual(both.map((response) => response.status).sort(), [200, 409], 'not even concurrently');
  assert.equal((await admins()).length, 1);
});

test('a profile always exists, and PUT changes only the given fields', async () => {
  const { id } = await createOperator(rest);
  const empty = { user_id: id, status: '', description: '', facebook: '', twitter: '', city: '', country: '' };
  const path = `/operator/${id}/profile`;
  assert.deepEqual((await rest.get(path)).body, { meta: { status: 'success' }, data: empty });
  assert.deepEqual((await rest.put(path, 'city=Paris')).body.data, { ...empty, city: 'Paris' });
  const full = {
    ...empty,
    status: 'Hi',
    description: 'x'.repeat(5000),
    facebook: 'f',
    twitter: 't',
    city: 'Łódź',
    country: 'PL',
  };
  assert.deepEqual((await rest.put(path, full)).body.data, full);
  assert.deepEqual((await rest.get(path)).body.data, full);
  assert.equal((await rest.put(path, 'status=')).body.data.status, '');
  assertInvalidField(await rest.put(path, { user_id: id + 1 }), 'user_id');
  assertInvalidField(await rest.put(path, { city: 'x'.repeat(256) }), 'city');
  assertInvalidField(await rest.put(path, { description: 'x'.repeat(5001) }), 'description');
  assertInvalidField(await rest.put(path, { city: null }), 'city');
  assertError(await rest.put(path, { age: 5 }), 400, "Field 'age' is unknown.");
  assert.equal((await rest.get('/operator/2/profile')).body.data.city, 'Paris');
});

test('statistics match the stored conversations', async () => {
  const fresh = await createOperator(rest);
  const zero = { id: fresh.id, conversation_number: 0, satisfaction_global_rate: 0, experience: 0 };
  assert.deepEqual((await rest.get(`/operator/${fresh.id}/statistic`)).body.data, zero);
  for (const { id } of await stored(
    'select distinct operator_id as id from conversations where operator_id is not null',
  )) {
    const [count] = await stored(
      `select count(*) as accepted, count(case when state = 'closed' then first_answer_at end) as answered
       from conversations where account_id = 1 and operator_id = ? and accepted_at is not null and state <> 'offered'`,
      Number(id),
    );
    const notes = await stored(
      'select note_welcome w, note_resolution r, note_delay d from satisfactions where operator_id = ?',
      Number(id),
    );
    const mean =
      notes.reduce((sum, { w, r, d }) => sum + Number(w) + Number(r) + Number(d), 0) / (notes.length || 1) / 15;
    const response = await rest.get(`/operator/${id}/statistic`);
    if (response.status === 404) continue; // deleted above
    assert.deepEqual(response.body.data, {
      id,
      conversation_number: count?.accepted,
      satisfaction_global_rate: Math.round(mean * 100) / 100,
      experience: Number(count?.answered) * 10,
    });
  }
  const group = await createResource(rest, 'group', { name: 'G' });
  assertError(await rest.get(`/operator/${group + 900}/statistic`), 404);
});
