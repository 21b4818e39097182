import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertFail, type Json, openTarget } from './target.ts';

const target = await openTarget();
after(() => target.close());
const { rest } = target;

const [group, skill, website] = [await target.group(), await target.skill(), await target.website()];
const { id } = await target.operator();
const read = async (): Promise<Json> => (await rest.get(`/operator/${id}`)).body.data;

interface Field {
  readonly name: string;
  readonly is: string;
  /** Values that are taken, and read back as they were sent. */
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const flag = (name: string, is: string): Field => ({
  name,
  is: `a boolean: ${is}`,
  good: [true, false],
  bad: ['yes', 2, null, []],
});
const priority = (name: string): Field => ({ name, is: '0 or 10', good: [10, 0], bad: [5, -10, 11, 'high', null] });
const string = (name: string, good: string): Field => ({
  name,
  is: 'a string',
  good: [good, 'Zoë 日本'],
  bad: [7, ['a']],
});

const FIELDS: readonly Field[] = [
  string('name', 'Martin'),
  string('first_name', 'Alice'),
  string('pseudo', 'Alice M.'),
  {
    name: 'email',
    is: 'a string, a valid e-mail address',
    good: [`${target.unique('new')}@example.com`],
    bad: ['nobody', 'a@', '@example.com', 'a b@example.com', '', null, 7],
  },
  {
    name: 'external_id',
    is: "a string, the client's own identifier",
    good: [target.unique('ext'), null],
    bad: [7, {}],
  },
  {
    name: 'role',
    is: 'operator, manager or admin',
    good: ['manager', 'admin', 'operator'],
    bad: ['expert', 'boss', '', null],
  },
  {
    name: 'roles',
    is: 'a list of string, each expert, operator, manager or admin',
    good: [['expert'], ['operator', 'manager'], ['admin'], ['operator']],
    bad: [['boss'], [], 'boss', [['operator']]],
  },
  flag('chat_enabled', 'ability to process chat'),
  flag('call_enabled', 'ability to process call'),
  flag('video_enabled', 'ability to process video'),
  {
    name: 'chat_max_number',
    is: 'an integer: maximum simultaneous chats',
    good: [1, 50, 4],
    bad: [0, 51, 2.5, 'many', '1e1', null],
  },
  flag('chat_and_call', 'ability to process chat and call simultaneously'),
  flag('chat_to_video', 'ability to handle chat to video escalation'),
  priority('chat_priority'),
  priority('call_priority'),
  priority('video_priority'),
  {
    name: 'language_list',
    is: 'a list of two-letter language codes',
    good: [['fr', 'de', 'ja'], [], ['en']],
    bad: [['xx'], ['eng'], ['FR'], 'french', [7]],
  },
  { name: 'language_admin', is: 'de, en, es or fr', good: ['de', 'es', 'fr', 'en'], bad: ['it', 'EN', '', null] },
  { name: 'group_id', is: 'an integer', good: [group.id, null], bad: ['first', 987654321, -1, [group.id]] },
  { name: 'website_list', is: 'a list of integer', good: [[website.id], []], bad: [['first'], [987654321], [-1]] },
  { name: 'skill_list', is: 'a list of integer', good: [[skill.id], []], bad: [['first'], [987654321], [-1]] },
];

for (const { name, is, good, bad } of FIELDS) {
  test(`Operator: ${name} is ${is}`, async () => {
    for (const value of good) {
      const answer = await rest.put(`/operator/${id}`, { [name]: value });
      assert.equal(answer.status, 200, JSON.stringify([value, answer.body]));
      assert.deepEqual((await read())[name], value);
    }
  });

  test(`Operator: ${name} is nothing else than ${is}`, async () => {
    const before = await read();
    for (const value of bad) {
      const answer = await rest.put(`/operator/${id}`, { [name]: value });
      assert.equal(answer.status, 400, JSON.stringify(value));
      // In a list it may be the one item that is named.
      assertFail(answer, 400, new RegExp(`^Value of field '${name}(\\[0\\])*' is not valid\\.$`));
    }
    assert.deepEqual(await read(), before, 'a refused value changes nothing');
  });
}

test('Operator: id is an integer, the operator identifier', async () => {
  assert.ok(Number.isInteger((await read()).id));
  assert.equal((await read()).id, id);
});

test('Operator: sso_key is a string, of each operator its own', async () => {
  const { sso_key: key } = await read();
  assert.equal(typeof key, 'string');
  assert.ok(key.length >= 16);
  assert.notEqual((await target.operator()).sso_key, key);
  assert.equal((await read()).sso_key, key, 'it stays the same');
});

test('Operator: call_config is an optional object with the defaults ANSWER_FROM_DESK and false', async () => {
  const { id: plain } = await target.operator();
  const { call_config: config } = (await rest.get(`/operator/${plain}`)).body.data;
  assert.deepEqual(config, { type: 'ANSWER_FROM_DESK', ask_phone_number_at_every_connection: false });
});

test('Operator: has the fields of the interface and _link, and no others', async () => {
  const names = ['id', ...FIELDS.map(({ name }) => name), 'sso_key', 'call_config', '_link'];
  assert.deepEqual(Object.keys(await read()).sort(), names.sort());
});

test('Operator: role reads as the highest of roles, expert as operator', async () => {
  for (const [roles, role] of [
    [['expert'], 'operator'],
    [['operator', 'manager'], 'manager'],
    [['admin', 'expert'], 'admin'],
    [['admin', 'manager'], 'admin'],
    [['operator'], 'operator'],
  ] as const) {
    await rest.put(`/operator/${id}`, { roles });
    assert.equal((await read()).role, role);
  }
});

test('Operator: role sets roles', async () => {
  await rest.put(`/operator/${id}`, { role: 'manager' });
  assert.deepEqual((await read()).roles, ['manager']);
  await rest.put(`/operator/${id}`, { role: 'operator' });
});

const configure = (config: object) => rest.put(`/operator/${id}`, { call_config: config });

test('call_config: type is ANSWER_FROM_PHONE or ANSWER_FROM_DESK', async () => {
  for (const type of ['ANSWER_FROM_PHONE', 'ANSWER_FROM_DESK']) {
    assert.equal((await configure({ type, phone_number: '+33123456789' })).status, 200);
    assert.equal((await read()).call_config.type, type);
  }
  assertFail(await configure({ type: 'ANSWER_FROM_CAR' }), 400, "Value of field 'call_config[type]' is not valid.");
});

test('call_config: ask_phone_number_at_every_connection is a boolean', async () => {
  for (const ask of [true, false]) {
    assert.equal((await configure({ ask_phone_number_at_every_connection: ask })).status, 200);
    assert.equal((await read()).call_config.ask_phone_number_at_every_connection, ask);
  }
  const field = 'call_config[ask_phone_number_at_every_connection]';
  const answer = await configure({ ask_phone_number_at_every_connection: 'often' });
  assertFail(answer, 400, `Value of field '${field}' is not valid.`);
});

test('call_config: phone_number is a valid phone number with international prefix', async () => {
  assert.equal((await configure({ phone_number: '+33 1 23 45 67 89' })).status, 200);
  assert.equal((await read()).call_config.phone_number, '+33123456789');
  for (const number of ['0123456789', '33123456789', '+33', '+999123456789', 'call me', 33123456789]) {
    const answer = await configure({ phone_number: number });
    assertFail(answer, 400, "Value of field 'call_config[phone_number]' is not valid.");
  }
});

test('call_config: phone_number is optional, and left out while it is not set', async () => {
  await configure({ type: 'ANSWER_FROM_DESK', phone_number: null });
  assert.equal('phone_number' in (await read()).call_config, false);
});

const fresh = (config: object) => ({
  name: target.unique('operator'),
  email: `${target.unique('operator')}@example.com`,
  website_list: [],
  call_config: { type: 'ANSWER_FROM_PHONE', ...config },
});

test('call_config rule: ANSWER_FROM_PHONE with a phone_number is accepted', async () => {
  const { call_config: config } = await target.create('operator', fresh({ phone_number: '+33123456789' }));
  assert.equal(config.type, 'ANSWER_FROM_PHONE');
});

test('call_config rule: ANSWER_FROM_PHONE with ask_phone_number_at_every_connection is accepted', async () => {
  const { call_config: config } = await target.create(
    'operator',
    fresh({ ask_phone_number_at_every_connection: true }),
  );
  assert.equal(config.type, 'ANSWER_FROM_PHONE');
});

test('call_config rule: ANSWER_FROM_PHONE with neither is refused', async () => {
  for (const config of [{}, { ask_phone_number_at_every_connection: false }, { phone_number: null }]) {
    assertFail(
      await rest.post('/operator', fresh(config)),
      400,
      "Value of field 'call_config[phone_number]' is not valid.",
    );
  }
});

test('call_config rule: a change that would leave ANSWER_FROM_PHONE with neither is refused', async () => {
  const made = await target.create('operator', fresh({ phone_number: '+33123456789' }));
  const answer = await rest.put(`/operator/${made.id}`, { call_config: { phone_number: null } });
  assertFail(answer, 400, "Value of field 'call_config[phone_number]' is not valid.");
});
