import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError, assertInvalidField, assertOk } from '../../support/clients/envelope.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { createOperator, createResource, newOperatorFields } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
let rest: RestClient;
let sites: number[];
let group: number;
let skills: number[];
before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
  sites = [];
  for (const label of ['A', 'B']) {
    sites.push(await createResource(rest, 'website', { label, url: `https://${label}.example.com` }));
  }
  group = await createResource(rest, 'group', { name: 'Group' });
  skills = [await createResource(rest, 'skill', { name: 'One' }), await createResource(rest, 'skill', { name: 'Two' })];
});
after(() => switchboard.stop());

const allFields = () =>
  newOperatorFields({
    first_name: 'Ada',
    pseudo: 'The Countess',
    external_id: `crm-${Math.random()}`,
    roles: ['manager', 'expert'],
    chat_enabled: false,
    call_enabled: true,
    video_enabled: true,
    chat_max_number: 50,
    chat_and_call: true,
    chat_to_video: true,
    chat_priority: 10,
    call_priority: 10,
    video_priority: 10,
    language_list: ['fr', 'ja'],
    language_admin: 'es',
    group_id: group,
    website_list: [sites[1]],
    skill_list: skills,
    call_config: {
      type: 'ANSWER_FROM_PHONE',
      ask_phone_number_at_every_connection: true,
      phone_number: '+33123456789',
    },
  });

test('a new operator has the documented defaults', async () => {
  const created = await createOperator(rest, { name: 'Martin', email: 'martin@example.com' });
  const { id, sso_key: ssoKey, ...others } = created;
  assert.ok(typeof ssoKey === 'string' && ssoKey.length >= 32);
  assert.deepEqual(others, {
    name: 'Martin',
    first_name: '',
    pseudo: 'Martin',
    email: 'martin@example.com',
    external_id: null,
    role: 'operator',
    roles: ['operator'],
    chat_enabled: true,
    call_enabled: false,
    video_enabled: false,
    chat_max_number: 3,
    chat_and_call: false,
    chat_to_video: false,
    chat_priority: 0,
    call_priority: 0,
    video_priority: 0,
    language_list: ['en'],
    language_admin: 'en',
    group_id: null,
    website_list: sites,
    skill_list: [],
    call_config: { type: 'ANSWER_FROM_DESK', ask_phone_number_at_every_connection: false },
    _link: `/operator/${id}`,
  });
  assert.deepEqual((await rest.get(`/operator/${id}`)).body.data, created, 'a read returns the same as the create');
});

test('pseudo, language_list and roles default to values of other fields', async () => {
  assert.equal((await createOperator(rest, { first_name: 'Ada' })).pseudo, 'Ada');
  assert.equal((await createOperator(rest, { first_name: 'Ada', pseudo: '' })).pseudo, '');
  assert.deepEqual((await createOperator(rest, { language_admin: 'de' })).language_list, ['de']);
  assert.deepEqual((await createOperator(rest, { language_list: [] })).language_list, [], 'an empty list means none');
  assert.deepEqual((await createOperator(rest, { website_list: [] })).website_list, []);
  assert.deepEqual((await createOperator(rest, { role: 'manager' })).roles, ['manager']);
});

test('a read returns exactly the written fields', async () => {
  const fields = allFields();
  const created = await createOperator(rest, fields);
  const { id, sso_key: _ssoKey, role, _link, ...read } = created;
  assert.deepEqual(read, fields);
  assert.equal(role, 'manager');
  assert.deepEqual((await rest.get(`/operator/${id}`)).body.data, created);
});

test('PUT changes only the given fields', async () => {
  const created = await createOperator(rest, allFields());
  const { id: _id, sso_key: _ssoKey, _link, role: _role, roles: _roles, call_config: _call, ...simple } = created;
  const other: Record<string, unknown> = { ...allFields(), first_name: 'Bo', pseudo: '', external_id: null };
  for (const field of ['chat_enabled', 'call_enabled', 'video_enabled', 'chat_and_call', 'chat_to_video']) {
    other[field] = !created[field];
  }
  Object.assign(other, { chat_max_number: 1, chat_priority: 0, call_priority: 0, video_priority: 0, group_id: null });
  Object.assign(other, { language_list: [], language_admin: 'fr', website_list: [], skill_list: [] });
  let expected = created;
  for (const field of Object.keys(simple)) {
    const response = await rest.put(`/operator/${created.id}`, { [field]: other[field] });
    assertOk(response);
    expected = { ...expected, [field]: other[field] };
    assert.deepEqual(response.body.data, expected, field);
    assert.deepEqual((await rest.get(`/operator/${created.id}`)).body.data, expected, field);
  }
  const nothing = await rest.put(`/operator/${created.id}`, {});
  assertOk(nothing);
  assert.deepEqual(nothing.body.data, expected);
});

test('PUT with one invalid field changes nothing', async () => {
  const created = await createOperator(rest);
  assertError(await rest.put(`/operator/${created.id}`, { name: 'New', chat_max_number: 0 }), 400);
  assertError(await rest.put(`/operator/${created.id}`, { name: 'New', website_list: [999] }), 400);
  assertError(await rest.put(`/operator/${created.id}`, { name: 'New', nonsense: 1 }), 400);
  assert.deepEqual((await rest.get(`/operator/${created.id}`)).body.data, created);
});

/** Encodes an object as form parameters. */
function toFormPairs(object: Record<string, unknown>, prefix = ''): string[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const key = prefix === '' ? name : `${prefix}[${name}]`;
    if (Array.isArray(value))
      return value.length === 0 ? [`${key}=`] : value.map((item) => `${key}[]=${encodeURIComponent(item)}`);
    if (value !== null && typeof value === 'object') return toFormPairs(value as Record<string, unknown>, key);
    return [
      `${key}=${value === null ? '' : encodeURIComponent(value === true ? '1' : value === false ? '0' : String(value))}`,
    ];
  });
}

test('a read operator can be sent back unchanged, as JSON and as form', async () => {
  for (const fields of [{}, allFields()]) {
    const created = await createOperator(rest, fields);
    const json = await rest.put(`/operator/${created.id}`, created);
    assertOk(json);
    assert.deepEqual(json.body.data, created);
    const form = await rest.put(`/operator/${created.id}`, toFormPairs(created).join('&'));
    assertOk(form);
    assert.deepEqual(form.body.data, created);
    assert.deepEqual((await rest.get(`/operator/${created.id}`)).body.data, created);
  }
});

test('read-only fields must repeat the current value, and are unknown in a create', async () => {
  const created = await createOperator(rest);
  const other = await createOperator(rest);
  for (const [field, values] of [
    ['id', [other.id, 999, null, 'x']],
    ['sso_key', [other.sso_key, '', null, 'x']],
    ['_link', [other._link, '', null, `/api/2/operator/${created.id}`]],
  ] as const) {
    assertOk(await rest.put(`/operator/${created.id}`, { [field]: created[field] }));
    for (const value of values) {
      assertInvalidField(await rest.put(`/operator/${created.id}`, { [field]: value }), field);
    }
    const response = await rest.post('/operator', newOperatorFields({ [field]: created[field] }));
    assertError(response, 400, `Field '${field}' is unknown.`);
  }
});

test('call_config is merged, then its rule is checked', async () => {
  const { id } = await createOperator(rest);
  const desk = { type: 'ANSWER_FROM_DESK', ask_phone_number_at_every_connection: false };
  const put = (call_config: unknown) => rest.put(`/operator/${id}`, { call_config });
  const merged = async (change: object) => {
    const response = await put(change);
    assertOk(response);
    assert.deepEqual((await rest.get(`/operator/${id}`)).body.data.call_config, response.body.data.call_config);
    return response.body.data.call_config;
  };
  assertInvalidField(await put({ type: 'ANSWER_FROM_PHONE' }), 'call_config[phone_number]');
  assert.deepEqual(await merged({}), desk);
  assert.deepEqual(await merged({ phone_number: '+33 1 23 45 67 89' }), { ...desk, phone_number: '+33123456789' });
  assert.deepEqual(await merged({ type: 'ANSWER_FROM_PHONE' }), {
    type: 'ANSWER_FROM_PHONE',
    ask_phone_number_at_every_connection: false,
    phone_number: '+33123456789',
  });
  assertInvalidField(await put({ phone_number: null }), 'call_config[phone_number]');
  assertInvalidField(await rest.put(`/operator/${id}`, 'call_config[phone_number]='), 'call_config[phone_number]');
  assert.deepEqual(await merged({ phone_number: null, ask_phone_number_at_every_connection: true }), {
    type: 'ANSWER_FROM_PHONE',
    ask_phone_number_at_every_connection: true,
  });
  assertInvalidField(await put({ ask_phone_number_at_every_connection: false }), 'call_config[phone_number]');
  assert.deepEqual(await merged({ type: 'ANSWER_FROM_DESK', ask_phone_number_at_every_connection: '0' }), desk);
  for (const bad of [null, '', [], 5, 'ANSWER_FROM_DESK']) assertInvalidField(await put(bad), 'call_config');
  assertInvalidField(await put({ type: 'answer_from_desk' }), 'call_config[type]');
  assertInvalidField(await put({ type: null }), 'call_config[type]');
  assertError(await put({ colour: 'red' }), 400, "Field 'call_config[colour]' is unknown.");
  assertInvalidField(
    await rest.post('/operator', newOperatorFields({ call_config: { type: 'ANSWER_FROM_PHONE' } })),
    'call_config[phone_number]',
  );
  const form = await rest.post(
    '/operator',
    'name=A&email=form@example.com&call_config[type]=ANSWER_FROM_PHONE&call_config[ask_phone_number_at_every_connection]=1',
  );
  assertOk(form, 201);
});

test('phone numbers need an international prefix and are stored in E.164', async () => {
  const { id } = await createOperator(rest);
  const put = (phone_number: unknown) => rest.put(`/operator/${id}`, { call_config: { phone_number } });
  for (const [sent, stored] of [
    ['+33 (0)1 23 45 67 89', '+33123456789'],
    ['+1 415-555-2671', '+14155552671'],
    ['+49 30 901820', '+4930901820'],
  ] as const) {
    assert.equal((await put(sent)).body.data.call_config.phone_number, stored);
  }
  for (const bad of [
    '0123456789',
    '33123456789',
    '+',
    '+1',
    '+999123456789',
    '+33 12',
    'phone',
    '+33123456789 ext. 5',
    33123456789,
    `+33${'1'.repeat(80)}`,
  ]) {
    assertInvalidField(await put(bad), 'call_config[phone_number]');
  }
});

test('languages must exist', async () => {
  const { id } = await createOperator(rest);
  const put = (fields: object) => rest.put(`/operator/${id}`, fields);
  assert.deepEqual((await put({ language_list: ['fr', 'zh', 'fr'] })).body.data.language_list, ['fr', 'zh']);
  for (const bad of ['xx', 'FR', 'fra', '', 'f', 'fr-FR', 5, null, '__proto__']) {
    assertError(await put({ language_list: ['en', bad] }), 400, "Value of field 'language_list[1]' is not valid.");
  }
  for (const good of ['de', 'en', 'es', 'fr']) assertOk(await put({ language_admin: good }));
  for (const bad of ['it', 'EN', '', null]) assertInvalidField(await put({ language_admin: bad }), 'language_admin');
});

test('role is derived from roles, and contradictory values are rejected', async () => {
  const { id } = await createOperator(rest);
  const put = (fields: string | object) => rest.put(`/operator/${id}`, fields);
  const roles = async (fields: object) => {
    const response = await put(fields);
    assertOk(response);
    return [response.body.data.role, response.body.data.roles];
  };
  assert.deepEqual(await roles({ role: 'manager' }), ['manager', ['manager']]);
  assert.deepEqual(await roles({ roles: ['expert'] }), ['operator', ['expert']]);
  assert.deepEqual(await roles({ roles: ['expert', 'manager', 'expert'] }), ['manager', ['expert', 'manager']]);
  assert.deepEqual(await roles({ roles: ['operator', 'manager', 'admin'] }), [
    'admin',
    ['operator', 'manager', 'admin'],
  ]);
  assert.deepEqual(await roles({ role: 'operator', roles: ['expert'] }), ['operator', ['expert']]);
  assert.deepEqual(await roles({ role: 'manager', roles: ['operator', 'manager'] }), [
    'manager',
    ['operator', 'manager'],
  ]);
  assertInvalidField(await put({ role: 'admin', roles: ['manager'] }), 'role');
  assertInvalidField(await put({ role: 'operator', roles: ['operator', 'admin'] }), 'role');
  assertInvalidField(await put({ role: 'expert' }), 'role');
  assertInvalidField(await put({ roles: [] }), 'roles');
  assertInvalidField(await put('roles='), 'roles');
  assertError(await put({ roles: ['boss'] }), 400);
  assertError(await rest.post('/operator', newOperatorFields({ roles: [] })), 400);
  assertInvalidField(await rest.post('/operator', newOperatorFields({ role: 'admin', roles: ['operator'] })), 'role');
});

test('chat_max_number and priorities outside their limits are rejected', async () => {
  const { id } = await createOperator(rest);
  for (const bad of [0, 51, -1, '', 'many']) {
    assertInvalidField(await rest.put(`/operator/${id}`, { chat_max_number: bad }), 'chat_max_number');
  }
  for (const field of ['chat_priority', 'call_priority', 'video_priority']) {
    for (const bad of [1, 5, 11, -10, '', true, null]) {
      assertInvalidField(await rest.put(`/operator/${id}`, { [field]: bad }), field);
    }
    assertOk(await rest.put(`/operator/${id}`, `${field}=10`));
    assertOk(await rest.put(`/operator/${id}`, `${field}=0`));
  }
});
