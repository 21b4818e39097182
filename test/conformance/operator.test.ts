import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertFail, type Json, openTarget } from './target.ts';

const target = await openTarget();
after(() => target.close());
const { rest } = target;

const [group, skill, website] = [await target.group(), await target.skill(), await target.website()];
const { id } = await target.operator();
const readOperator = async (): Promise<Json> => (await rest.get(`/operator/${id}`)).body.data;

interface Field {
  readonly name: string;
  readonly description: string;
  /** Values that are accepted, and read back as they were sent. */
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
}

const booleanField = (name: string, description: string): Field => ({
  name,
  description: `a boolean: ${description}`,
  valid: [true, false],
  invalid: ['yes', 2, null, []],
});
const priorityField = (name: string): Field => ({
  name,
  description: '0 or 10',
  valid: [10, 0],
  invalid: [5, -10, 11, 'high', null],
});
const stringField = (name: string, valid: string): Field => ({
  name,
  description: 'a string',
  valid: [valid, 'Zoë 日本'],
  invalid: [7, ['a']],
});

const FIELDS: readonly Field[] = [
  stringField('name', 'Martin'),
  stringField('first_name', 'Alice'),
  stringField('pseudo', 'Alice M.'),
  {
    name: 'email',
    description: 'a string, a valid e-mail address',
    valid: [`${target.unique('new')}@example.com`],
    invalid: ['name', 'a@', '@example.com', 'a b@example.com', '', null, 7],
  },
  {
    name: 'external_id',
    description: "a string, the client's own identifier",
    valid: [target.unique('ext'), null],
    invalid: [7, {}],
  },
  {
    name: 'role',
    description: 'operator, manager or admin',
    valid: ['manager', 'admin', 'operator'],
    invalid: ['expert', 'boss', '', null],
  },
  {
    name: 'roles',
    description: 'a list of string, each expert, operator, manager or admin',
    valid: [['expert'], ['operator', 'manager'], ['admin'], ['operator']],
    invalid: [['boss'], [], 'boss', [['operator']]],
  },
  booleanField('chat_enabled', 'ability to process chat'),
  booleanField('call_enabled', 'ability to process call'),
  booleanField('video_enabled', 'ability to process video'),
  {
    name: 'chat_max_number',
    description: 'an integer: maximum simultaneous chats',
    valid: [1, 50, 4],
    invalid: [0, 51, 2.5, 'many', '1e1', null],
  },
  booleanField('chat_and_call', 'ability to process chat and call simultaneously'),
  booleanField('chat_to_video', 'ability to handle chat to video escalation'),
  priorityField('chat_priority'),
  priorityField('call_priority'),
  priorityField('video_priority'),
  {
    name: 'language_list',
    description: 'a list of two-letter language codes',
    valid: [['fr', 'de', 'ja'], [], ['en']],
    invalid: [['xx'], ['eng'], ['FR'], 'french', [7]],
  },
  {
    name: 'language_admin',
    description: 'de, en, es or fr',
    valid: ['de', 'es', 'fr', 'en'],
    invalid: ['it', 'EN', '', null],
  },
  {
    name: 'group_id',
    description: 'an integer',
    valid: [group.id, null],
    invalid: ['first', 987654321, -1, [group.id]],
  },
  {
    name: 'website_list',
    description: 'a list of integer',
    valid: [[website.id], []],
    invalid: [['first'], [987654321], [-1]],
  },
  {
    name: 'skill_list',
    description: 'a list of integer',
    valid: [[skill.id], []],
    invalid: [['first'], [987654321], [-1]],
  },
];

for (const { name, description, valid, invalid } of FIELDS) {
  test(`Operator: ${name} is ${description}`, async () => {
    for (const value of valid) {
      const response = await rest.put(`/operator/${id}`, { [name]: value });
      assert.equal(response.status, 200, JSON.stringify([value, response.body]));
      assert.deepEqual((await readOperator())[name], value);
    }
  });

  test(`Operator: ${name} accepts only ${description}`, async () => {
    const before = await readOperator();
    for (const value of invalid) {
      const response = await rest.put(`/operator/${id}`, { [name]: value });
      assert.equal(response.status, 400, JSON.stringify(value));
      // For a list, the message may name the item.
      assertFail(response, 400, new RegExp(`^Value of field '${name}(\\[0\\])*' is not valid\\.$`));
    }
    assert.deepEqual(await readOperator(), before, 'a rejected value changes nothing');
  });
}

test('Operator: id is an integer, the operator identifier', async () => {
  assert.ok(Number.isInteger((await readOperator()).id));
  assert.equal((await readOperator()).id, id);
});

test('Operator: sso_key is a string, unique to each operator', async () => {
  const { sso_key: key } = await readOperator();
  assert.equal(typeof key, 'string');
  assert.ok(key.length >= 16);
  assert.notEqual((await target.operator()).sso_key, key);
  assert.equal((await readOperator()).sso_key, key, 'it stays the same');
});

test('Operator: call_config is an optional object with the defaults ANSWER_FROM_DESK and false', async () => {
  const { id: plain } = await target.operator();
  const { call_config: config } = (await rest.get(`/operator/${plain}`)).body.data;
  assert.deepEqual(config, { type: 'ANSWER_FROM_DESK', ask_phone_number_at_every_connection: false });
});

test('Operator: has the specified fields and _link, and no others', async () => {
  const names = ['id', ...FIELDS.map(({ name }) => name), 'sso_key', 'call_config', '_link'];
  assert.deepEqual(Object.keys(await readOperator()).sort(), names.sort());
});

test('Operator: role is the highest of roles, with expert read as operator', async () => {
  for (const [roles, role] of [
    [['expert'], 'operator'],
    [['operator', 'manager'], 'manager'],
    [['admin', 'expert'], 'admin'],
    [['admin', 'manager'], 'admin'],
    [['operator'], 'operator'],
  ] as const) {
    await rest.put(`/operator/${id}`, { roles });
    assert.equal((await readOperator()).role, role);
  }
});

test('Operator: role sets roles', async () => {
  await rest.put(`/operator/${id}`, { role: 'manager' });
  assert.deepEqual((await readOperator()).roles, ['manager']);
  await rest.put(`/operator/${id}`, { role: 'operator' });
});

const configure = (config: object) => rest.put(`/operator/${id}`, { call_config: config });

test('call_config: type is ANSWER_FROM_PHONE or ANSWER_FROM_DESK', async () => {
  for (const type of ['ANSWER_FROM_PHONE', 'ANSWER_FROM_DESK']) {
    assert.equal((await configure({ type, phone_number: '+33123456789' })).status, 200);
    assert.equal((await readOperator()).call_config.type, type);
  }
  assertFail(await configure({ type: 'ANSWER_FROM_CAR' }), 400, "Value of field 'call_config[type]' is not valid.");
});

test('call_config: ask_phone_number_at_every_connection is a boolean', async () => {
  for (const ask of [true, false]) {
    assert.equal((await configure({ ask_phone_number_at_every_connection: ask })).status, 200);
    assert.equal((await readOperator()).call_config.ask_phone_number_at_every_connection, ask);
  }
  const field = 'call_config[ask_phone_number_at_every_connection]';
  const response = await configure({ ask_phone_number_at_every_connection: 'often' });
  assertFail(response, 400, `Value of field '${field}' is not valid.`);
});

test('call_config: phone_number is a valid phone number with international prefix', async () => {
  assert.equal((await configure({ phone_number: '+33 1 23 45 67 89' })).status, 200);
  assert.equal((await readOperator()).call_config.phone_number, '+33123456789');
  for (const number of ['0123456789', '33123456789', '+33', '+999123456789', 'call me', 33123456789]) {
    const response = await configure({ phone_number: number });
    assertFail(response, 400, "Value of field 'call_config[phone_number]' is not valid.");
  }
});

test('call_config: phone_number is optional, and omitted while it is not set', async () => {
  await configure({ type: 'ANSWER_FROM_DESK', phone_number: null });
  assert.equal('phone_number' in (await readOperator()).call_config, false);
});

const phoneOperatorInput = (config: object) => ({
  name: target.unique('operator'),
  email: `${target.unique('operator')}@example.com`,
  website_list: [],
  call_config: { type: 'ANSWER_FROM_PHONE', ...config },
});

test('call_config rule: ANSWER_FROM_PHONE with a phone_number is accepted', async () => {
  const { call_config: config } = await target.create('operator', phoneOperatorInput({ phone_number: '+33123456789' }));
  assert.equal(config.type, 'ANSWER_FROM_PHONE');
});

test('call_config rule: ANSWER_FROM_PHONE with ask_phone_number_at_every_connection is accepted', async () => {
  const { call_config: config } = await target.create(
    'operator',
    phoneOperatorInput({ ask_phone_number_at_every_connection: true }),
  );
  assert.equal(config.type, 'ANSWER_FROM_PHONE');
});

test('call_config rule: ANSWER_FROM_PHONE with neither is rejected', async () => {
  for (const config of [{}, { ask_phone_number_at_every_connection: false }, { phone_number: null }]) {
    assertFail(
      await rest.post('/operator', phoneOperatorInput(config)),
      400,
      "Value of field 'call_config[phone_number]' is not valid.",
    );
  }
});

test('call_config rule: a change that would leave ANSWER_FROM_PHONE with neither is rejected', async () => {
  const created = await target.create('operator', phoneOperatorInput({ phone_number: '+33123456789' }));
  const response = await rest.put(`/operator/${created.id}`, { call_config: { phone_number: null } });
  assertFail(response, 400, "Value of field 'call_config[phone_number]' is not valid.");
});
